"""analysis.margins: agreement of metrics with people on pairs of systems, by the difference of their scores.

Bhandari et al. 2020, §4.3 (Exp-III); Deutsch et al. 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from metaeval.analysis.systems import spread
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level, check_count, check_number
from metaeval.stats import windows
from metaeval.stats.correlation import COEFFICIENTS, system_means
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.wording import leaves_out

UNITS = ("percent", "points")
OUTSIDE = "the interval leaves out its own estimate: in the draws means are noisier and pairs change windows"
FEW_PAIRS = 5  # the release leaves windows with fewer pairs out of its heatmaps
_EVERY = windows.closed_windows([(0.0, math.inf)])


# every system's mean score from people and from each metric (Fig. 5)
scores = accepts_many_benchmarks(spread)


@accepts_many_benchmarks
def closest(benchmark: Benchmark, *, n_windows: int = 10, **settings: Any) -> pd.DataFrame:
    """Δ(0, u) of every metric for growing shares of the closest pairs of systems (Figs. 6 and 9).

    Parameters
    ----------
    benchmark : Benchmark, or several
        Metric means are over the documents that the metric scores, human means over the judged ones.
    n_windows : int, at most the number of pairs of systems
        10 gives the paper's deciles.
    **settings : see `tabulate_windows`

    Returns
    -------
    DataFrame
        One row per dataset, metric and share: dataset, metric, percent (nominal share of the pairs) and the
        columns of `tabulate_windows`.
    """
    percent = 100 * np.arange(1, n_windows + 1) / n_windows

    def windows_of(metric):
        edges = window_edges(benchmark, metric, n_windows)
        return windows.closed_windows([(0.0, edge) for edge in edges[1:]]), {"percent": percent}

    return tabulate_windows(benchmark, windows_of, **settings)


@accepts_many_benchmarks
def grid(
    benchmark: Benchmark, *, n_windows: int = 10, borders: str = "once", **settings: Any
) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric for all ℓ and u at the borders of equal shares of the pairs (Figs. 10 and 11).

    Parameters
    ----------
    benchmark, n_windows : see `closest`
    borders : {"once", "twice"}
        A pair exactly on a border counts once, in the window below it, or twice, also in the window above it,
        as in the paper's released code.
    **settings : see `tabulate_windows`

    Returns
    -------
    DataFrame
        One row per dataset, metric and window with from_percent < to_percent: dataset, metric, from_percent,
        to_percent and the columns of `tabulate_windows`.
    """
    first, last = np.triu_indices(n_windows)
    labels = {"from_percent": 100 * first / n_windows, "to_percent": 100 * (last + 1) / n_windows}

    def windows_of(metric):
        return windows.windows_between(window_edges(benchmark, metric, n_windows), borders=borders), labels

    return tabulate_windows(benchmark, windows_of, **settings)


def check_window(lower: float, upper: float, unit: str) -> None:
    """Require two numbers in a unit to be the ends of a window."""
    choose("unit", unit, dict.fromkeys(UNITS))
    check_number("lower", lower)
    check_number("upper", upper)
    if unit != "percent":
        windows.closed_windows([(lower, upper)])
    elif not 0 <= lower < upper <= 100:
        raise ValueError(
            "`lower` and `upper` in percent of the pairs must satisfy 0 <= lower < upper <= 100, "
            f"got {lower:g} and {upper:g}"
        )


@accepts_many_benchmarks
def window(
    benchmark: Benchmark, *, lower: float, upper: float, unit: str = "percent", n_windows: int = 10,
    **settings: Any,
) -> pd.DataFrame:  # fmt: skip
    """Δ(ℓ, u) of every metric in one window, equal to that of `grid` where both ends are borders in it.

    Parameters
    ----------
    benchmark : see `closest`
    lower, upper : float
        The ends of the window.
    unit : {"percent", "points"}
        Unit of the ends: shares of the closest pairs, 0 <= lower < upper <= 100, where the pair on the lower
        end belongs to the window below; or the metric's own points, 0 <= lower <= upper, both ends included.
    n_windows : int
        Number of windows for which shares of the pairs are rounded; 1 rounds up to whole pairs.
    **settings : see `tabulate_windows`

    Returns
    -------
    DataFrame
        One row per dataset and metric: dataset, metric, from_percent, to_percent (the share of the pairs
        below the window and up to its end) and the columns of `tabulate_windows`, lower and upper in points.
    """
    check_window(lower, upper, unit)
    percent = unit == "percent"

    def windows_of(metric):
        ends = window_edges(benchmark, metric, n_windows, [lower, upper]) if percent else [lower, upper]
        one = windows.Windows(*np.array([ends], dtype=float).T, np.array([percent and lower > 0]))
        shares = (float(lower), float(upper)) if percent else _shares(benchmark, metric, lower, upper)
        return one, dict(zip(("from_percent", "to_percent"), shares, strict=True))

    return tabulate_windows(benchmark, windows_of, **settings)


def leaves_out_estimate(results: pd.DataFrame) -> pd.Series:
    """Mark the rows whose interval does not contain their own estimate.

    Drawn documents make the means noisier, and other pairs fall into the window, so that close pairs agree
    less in the draws than on the observed documents.

    Parameters
    ----------
    results : DataFrame with columns value, low, high

    Returns
    -------
    Series of bool
        True where the estimate lies outside.
    """
    return leaves_out(results["value"], results["low"], results["high"])


def tabulate_windows(
    benchmark: Benchmark, windows_of: Callable[[str], tuple[windows.Windows, Mapping[str, Any]]], *,
    coefficient: str = "kendall", n_resamples: int = 1_000, confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:  # fmt: skip
    """Δ(ℓ, u) of every metric in its own windows.

    Parameters
    ----------
    benchmark : Benchmark
    windows_of : function, metric -> windows and a mapping of columns that label them
    coefficient : {"kendall", "pearson", "spearman"}
        The paper's is Kendall's; see `metaeval.stats.windows` for the others.
    n_resamples : int
        Bootstrap draws of documents; 0 for no intervals, which are then NaN.
    confidence_level : float in (0, 1)
    rng : int, Generator or None
        Every metric of every benchmark has its own stream.

    Returns
    -------
    DataFrame
        One row per metric and window: dataset, metric, coefficient, the columns of `windows_of`, lower,
        upper, n_pairs, share_held (of all pairs); n_concordant, n_discordant, n_tied_metric, n_tied_human,
        n_tied_both; value (the correlation over the window's pairs, NaN where it does not exist), low, high;
        agreement (share of the pairs that people order as the metric does, a tie counting half),
        agreement_low, agreement_high; n_undefined (draws without a value); remark (on cells that are empty,
        rest on few pairs or lie outside their interval; otherwise "").

    Raises
    ------
    DataError, ValueError
        If there are fewer than two systems, or no metrics.
    """
    if len(benchmark.systems) < 2:
        raise DataError(f"{benchmark.name}: pairs of systems need at least 2, got {len(benchmark.systems)}")
    check_count("n_resamples", n_resamples, minimum=0)
    if n_resamples:  # 0: no interval
        check_draws(n_resamples)
    check_confidence_level(confidence_level)
    choose("coefficient", coefficient, COEFFICIENTS)
    if not benchmark.metrics:
        raise ValueError(f"{benchmark.name} has no metric")
    seed, human, frames = seed_of(rng), benchmark.human.to_numpy(), []
    for metric in benchmark.metrics:
        chosen, labels = windows_of(metric)
        scores = benchmark.metric(metric).to_numpy()
        drawn = windows.draw_windows(
            scores, human, chosen, coefficient=coefficient, n_resamples=n_resamples,
            rng=stream(seed, benchmark.name, metric),
        )  # fmt: skip
        means = system_means(scores), system_means(human)
        value, pairs = windows.correlate_pairs(*means, chosen, coefficient=coefficient)
        (low, high), (agreement_low, agreement_high) = (
            percentile_bounds(values.T, confidence_level) for values in drawn
        )
        n_all = windows.count_pairs(*means, _EVERY).n_pairs
        columns = {
            "dataset": benchmark.name, "metric": metric, "coefficient": coefficient, **labels,
            "lower": chosen.lower, "upper": chosen.upper, "n_pairs": pairs.n_pairs,
            "share_held": pairs.n_pairs / np.where(n_all > 0, n_all, np.nan), **asdict(pairs),
            "value": value, "low": low, "high": high, "agreement": pairs.agreement,
            "agreement_low": agreement_low, "agreement_high": agreement_high,
            "n_undefined": np.isnan(drawn[0]).sum(axis=0),
        }  # fmt: skip
        frames.append(pd.DataFrame(columns))
    table = pd.concat(frames, ignore_index=True)
    outside = leaves_out_estimate(table)
    table["remark"] = [
        "; ".join(filter(None, [_remark(row), OUTSIDE if out else ""]))
        for row, out in zip(table.to_dict("records"), outside, strict=True)
    ]
    return check(table, keys=["dataset", "metric", *(labels or ("lower", "upper"))])


def window_edges(
    benchmark: Benchmark, metric: str, n_windows: int, percents: Sequence[float] | None = None
) -> np.ndarray:
    """Differences of a metric's means at the borders of equal shares of the closest pairs.

    Parameters
    ----------
    benchmark : Benchmark
    metric : str
    n_windows : int
    percents : floats in [0, 100], by default all borders
        The shares to compute, see `metaeval.stats.windows.edges_at`.

    Returns
    -------
    float array

    Raises
    ------
    DataError
        If there are more windows than pairs, or too few systems.
    """
    try:
        return windows.edges_at(*paired_means(benchmark, metric), n_windows=n_windows, percents=percents)
    except ValueError as error:
        raise DataError(f"{benchmark.name}, {metric}: {error}") from None


def paired_means(benchmark: Benchmark, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Means of the systems by a metric and by people."""
    return system_means(benchmark.metric(metric).to_numpy()), system_means(benchmark.human.to_numpy())


def _shares(benchmark: Benchmark, metric: str, lower: float, upper: float) -> tuple[float, float]:
    """Percent of the pairs that differ by less than `lower`, and by up to `upper`."""
    ends = windows.closed_windows([(lower, math.inf), (0, upper), (0, math.inf)])
    from_lower, up_to, every = windows.count_pairs(*paired_means(benchmark, metric), ends).n_pairs
    if not every:
        return math.nan, math.nan
    return 100 * (1 - from_lower / every), 100 * up_to / every


def _remark(row: Mapping) -> str:
    window = f"{row['lower']:.2f} to {row['upper']:.2f} points"
    if row["n_pairs"] == 0:
        return f"empty: no pair differs by {window}"
    if math.isnan(row["value"]):
        return f"undefined: one side ties on all {row['n_pairs']} pairs"
    if row["n_pairs"] < FEW_PAIRS:
        if row["coefficient"] != "kendall":
            return f"few pairs: {row['n_pairs']}"
        return f"few pairs: one of {row['n_pairs']} moves τ by {2 / row['n_pairs']:.2f}"
    return ""
