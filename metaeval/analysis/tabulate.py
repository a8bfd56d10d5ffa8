"""analysis.tabulate: tidy tables from benchmarks: several of them, judges as metrics, estimates as columns.

The only place where arguments become columns and a seed becomes the stream of a row. Called by the modules of
this room and by the pages; independent of any experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import product

import numpy as np
import pandas as pd

from metaeval.core.errors import UnknownNameError
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Interval, interval, percentile_bounds, percentile_ends
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark, Part, judge_of
from metaeval.tables.columns import check

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


def benchmark_list(benchmarks: Benchmark | Iterable[Benchmark]) -> list[Benchmark]:
    """List one benchmark or several; a ValueError if there is none."""
    benchmarks = [benchmarks] if isinstance(benchmarks, Benchmark) else list(benchmarks)
    if not benchmarks:
        raise ValueError("at least one benchmark is required")
    return benchmarks


def accepts_many_benchmarks(table: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Decorate a function (benchmark, ...) -> DataFrame so that it also accepts a list of benchmarks.

    The rows of the benchmarks are concatenated in their order. Each benchmark's rows are those that it has
    alone, since every one starts from the same seed.
    """

    @wraps(table)
    def tables(benchmarks, *args, **settings):
        if isinstance(benchmarks, Benchmark):
            return table(benchmarks, *args, **settings)
        if "rng" in settings:  # one seed, not one generator that advances
            settings["rng"] = seed_of(settings["rng"])
        frames = [table(one, *args, **settings) for one in benchmark_list(benchmarks)]
        return pd.concat(frames, ignore_index=True)

    return tables


def judges_as_metrics(benchmark: Benchmark, dimension: str, judges: Sequence[str]) -> Benchmark:
    """Benchmark with the judges of one dimension as metrics, and people's mean in it as gold standard.

    Raises
    ------
    UnknownNameError
        If a judge or the dimension does not exist.
    ValueError
        If there is no judge.
    """
    require_names("judge", judges)
    available = benchmark.judges(dimension)
    for judge in judges:
        if judge not in available:
            raise UnknownNameError(f"judge of {benchmark.name}, {dimension}", judge, available)
    part = benchmark.judged_by(dimension).select(metrics=[judge_of(judge, dimension) for judge in judges])
    return part.with_scores(part.scores.assign_coords(metric=np.array(judges, dtype=object)))


def require_names(what: str, names: Sequence[str]) -> None:
    """Require at least one judge, dimension or other name."""
    if not names:
        raise ValueError(f"at least one {what} is required")


def intervals(
    scores: np.ndarray, human: np.ndarray, *, level: str, coefficient: str, method: str | None, **settings
) -> dict[str, object]:
    """Columns of correlations of metrics (n_metrics, n, m) with people (n, m), and of their intervals.

    Without a `method` there is no interval; settings as for `metaeval.stats.intervals.interval`.
    """
    kind = {"level": level, "coefficient": coefficient}
    if method is None:
        return correlate(scores, human, **kind)._asdict()
    return _interval_columns(interval(scores, human, method=method, **kind, **settings))


def intervals_with_quantiles(scores: np.ndarray, human: np.ndarray, **settings) -> dict[str, object]:
    """Columns of `intervals`, of the quantiles of its distribution, and of the errors of its ends."""
    result = interval(scores, human, **settings)
    quantiles = {f"q{round(100 * q)}": result.quantile(q) for q in QUANTILES}
    errors = {name: getattr(result, name) for name in ("low_mc_error", "high_mc_error")}
    return _interval_columns(result) | quantiles | errors


def _interval_columns(result: Interval) -> dict[str, object]:
    names = ("low", "high", "standard_error", "n_used", "n_total", "n_resamples", "n_undefined")
    return {"value": result.estimate} | {name: getattr(result, name) for name in names}


def drawn_columns(
    value: np.ndarray, distribution: np.ndarray, *, n_used, confidence_level: float
) -> dict[str, object]:
    """Columns of estimates (k,) with percentile intervals of their distributions (k, n_resamples)."""
    low, high = percentile_bounds(distribution, confidence_level)
    return {
        "value": value,
        "low": low,
        "high": high,
        "n_used": n_used,
        "n_resamples": distribution.shape[-1],
        "n_undefined": np.isnan(distribution).sum(axis=-1),
    }


def end_columns(distribution: np.ndarray, confidence_level: float) -> dict[str, object]:
    """Columns of the ends of percentile intervals of distributions (..., n_resamples), with their errors."""
    return {
        **percentile_ends(distribution, confidence_level)._asdict(),
        "n_resamples": distribution.shape[-1],
        "n_undefined": np.isnan(distribution).sum(axis=-1),
    }


def tabulate(
    parts: Iterable[Part],
    estimate: Callable[..., Mapping[str, object]],
    *,
    over: Mapping[str, Sequence] | None = None,
    rng: RNGLike = None,
    **settings: object,
) -> pd.DataFrame:
    """Table of an estimate for every part of a benchmark, every choice and every metric, one row each.

    Parameters
    ----------
    parts : such as from `Benchmark.parts`
    estimate : `intervals` or another function of (scores, human, **choice, **settings)
        Returns columns over the part's metrics.
    over : mapping, argument -> its values
        All combinations are computed, the first argument slowest; each argument is a column.
    rng : seed, Generator or None
        Unless None, `estimate` receives a stream named after the part, so that no row depends on the others.
        The choices and metrics of a part share its draws, so that they do not differ by chance.
    settings : the same in all rows; not in the columns

    Returns
    -------
    DataFrame with the part's keys, the choices, metric, the columns of `estimate`, and n_systems (systems
    that have a score from the metric)
    """
    over = over or {}
    seed = None if rng is None else seed_of(rng)
    frames, keys = [], []
    for part in parts:
        scores, human = part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy()
        n_systems = (~np.isnan(scores)).any(axis=-1).sum(axis=-1)
        for values in product(*over.values()):
            choice = dict(zip(over, values, strict=True))
            # a new generator for each choice, so that all of them see the same draws
            draws = {} if seed is None else {"rng": stream(seed, *part.keys.values())}
            columns = estimate(scores, human, **choice, **settings, **draws)
            keys = [*part.keys, *choice, "metric"]
            named = {**part.keys, **choice, "metric": part.benchmark.metrics}
            frames.append(pd.DataFrame({**named, **columns, "n_systems": n_systems}))
    if not frames:
        raise ValueError("nothing to tabulate: no part, or a choice without values")
    return check(pd.concat(frames, ignore_index=True), keys=keys)
