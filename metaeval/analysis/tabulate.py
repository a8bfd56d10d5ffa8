"""analysis.tabulate: an estimate over parts of a benchmark, as a tidy table.

The only place where arguments become columns and a seed becomes the stream of a row. Called by the modules
of this room; knows no experiment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Interval, interval, percentile_bounds, percentile_ends
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Part
from metaeval.tables.columns import check


def correlations(scores: np.ndarray, human: np.ndarray, *, level: str, coefficient: str) -> dict[str, object]:
    """Columns value, n_used, n_total of metrics (n_metrics, n, m) against people (n, m)."""
    value, n_used, n_total = correlate(scores, human, level=level, coefficient=coefficient)
    return {"value": value, "n_used": n_used, "n_total": n_total}


def intervals(scores: np.ndarray, human: np.ndarray, **settings) -> dict[str, object]:
    """The columns of `correlations` and of an interval; settings as `stats.intervals.interval` takes them."""
    return interval_columns(interval(scores, human, **settings))


def interval_columns(found: Interval) -> dict[str, object]:
    """An interval as columns value, low, high, standard_error, sizes."""
    return {
        "value": found.estimate,
        "low": found.low,
        "high": found.high,
        "standard_error": found.standard_error,
        "n_used": found.n_used,
        "n_total": found.n_total,
        "n_resamples": found.n_resamples,
        "n_undefined": found.n_undefined,
    }


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
    """An estimate for every part of a benchmark, every choice and every metric, one row each.

    Parameters
    ----------
    parts : such as `Benchmark.parts` gives
    estimate : `correlations`, `intervals` or another function of (scores, human, **choice, **settings)
        that gives columns over the part's metrics.
    over : mapping, argument -> its values
        Each combination is asked for, the first argument slowest; each is a column.
    rng : seed, Generator or None
        Handed to `estimate` if it draws (that is: unless None is given): a stream named after the part, so
        that no row depends on what else is asked for. The choices and metrics of a part share its draws:
        they differ by themselves and not by chance.
    settings : the same in all rows; they become no columns

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
            # a fresh generator for each choice: all of them see the same draws
            draws = {} if seed is None else {"rng": stream(seed, *part.keys.values())}
            found = estimate(scores, human, **choice, **settings, **draws)
            keys = [*part.keys, *choice, "metric"]
            named = {**part.keys, **choice, "metric": part.benchmark.metrics}
            frames.append(pd.DataFrame({**named, **found, "n_systems": n_systems}))
    if not frames:
        raise ValueError("nothing to tabulate: no part, or a choice without values")
    return check(pd.concat(frames, ignore_index=True), keys=keys)
