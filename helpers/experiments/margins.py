r"""Δ(ℓ, u) with its uncertainty: windows of metric differences under bootstrap draws of documents.

`helpers.experiments.topk` counts the pairs of a window; this module lays grids and curves of windows over
a benchmark
and draws documents again, as Boot-Inputs does (Deutsch et al. 2021, §3.2): the systems stay, their means
change, and pairs enter and leave a window, whose ends stay where they are in points of the metric. So an
interval says how far the choice of documents matters. What other systems would give is not in it.

Where a metric scores documents that nobody judged, its documents and the judged ones are drawn apart (Deutsch
et al. 2022, §3).

Source: Deutsch et al. 2022, §4.2 and appendix B.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose, listing
from helpers.experiments.closest import window_sizes
from helpers.stats.correlation import MIN_SYSTEMS, system_means
from helpers.stats.draws import blocks, document_counts, drawn_means

FEW_PAIRS = 5  # the release leaves windows with fewer pairs out of its heatmaps
_KINDS = ("n_concordant", "n_discordant", "n_tied_metric", "n_tied_human", "n_tied_both")


@dataclass(frozen=True)
class Windows:
    """Windows of metric differences, in points of the metric: rows of equal length.

    Attributes
    ----------
    lower, upper : float arrays (n_windows,)
    lower_open : bool array (n_windows,)
        Whether a pair exactly at `lower` belongs to the window. An upper end always belongs to it.
    """

    lower: np.ndarray
    upper: np.ndarray
    lower_open: np.ndarray

    def __post_init__(self):
        wrong = [
            f"{low:g} to {high:g}"
            for low, high in zip(self.lower, self.upper, strict=True)
            if not 0 <= low <= high  # NaN is wrong too
        ]
        if wrong:
            raise ValueError(f"a window must satisfy 0 <= lower <= upper, got {listing(wrong)}")


def closed_windows(windows: Sequence[tuple[float, float]]) -> Windows:
    """Windows both of whose ends belong to them, from (lower, upper) pairs in points of the metric."""
    if not windows:
        raise ValueError("`windows` must hold at least one (lower, upper) pair, got none")
    lower, upper = np.asarray(windows, dtype=float).T
    return Windows(lower, upper, np.zeros(len(lower), dtype=bool))


def margin_grid(
    benchmark: Benchmark,
    *,
    n_windows: int = 10,
    borders: str = "once",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric for all ℓ and u at the borders of equal shares of the pairs (Figs. 10, 11).

    Parameters
    ----------
    benchmark : Benchmark
        Metric means are over the documents that the metric scores, human means over the judged ones.
    n_windows : int, at most the number of pairs of systems
        10 gives the paper's deciles.
    borders : {"once", "twice"}
        Whether the pair that lies exactly on a border counts in the window below it only, or in the one above
        it as well, as in the paper's released code.
    n_resamples, confidence_level, rng
        Percentile intervals from so many draws of documents; every metric has a random stream of its own.

    Returns
    -------
    DataFrame with columns dataset, metric, from_percent, to_percent and those of `window_intervals`
        One row a metric and window with from_percent < to_percent.
    """
    choose("borders", borders, {"once": None, "twice": None})
    seed = _seed(rng)
    frames = []
    for metric in benchmark.metrics:
        edges = window_edges(benchmark, metric, n_windows=n_windows)
        rows, columns = np.triu_indices(n_windows)
        windows = Windows(edges[rows], edges[columns + 1], (rows > 0) & (borders == "once"))
        frame = window_intervals(
            benchmark,
            metric,
            windows,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            rng=_stream(seed, benchmark, metric),
        )
        step = 100 / n_windows
        frame.insert(2, "from_percent", rows * step)
        frame.insert(3, "to_percent", (columns + 1) * step)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def window_edges(benchmark: Benchmark, metric: str, *, n_windows: int) -> np.ndarray:
    """Borders in points: 0, then the largest difference among the closest 1/n, 2/n, ... of the pairs.

    Returns
    -------
    float array (n_windows + 1,)
    """
    means, human = system_means(benchmark.metric(metric).to_numpy()), system_means(benchmark.human.to_numpy())
    present = ~np.isnan(means) & ~np.isnan(human)
    if present.sum() < MIN_SYSTEMS:
        raise DataError(
            f"{benchmark.name}: at least {MIN_SYSTEMS} systems must have scores from {metric} and from "
            f"people, got {present.sum()} of {len(present)}"
        )
    first, second = np.triu_indices(int(present.sum()), 1)
    distance = np.sort(np.abs(means[present][first] - means[present][second]))
    sizes = np.array(window_sizes(len(distance), n_windows))
    return np.concatenate([[0.0], distance[sizes - 1]])


def gain_curve(
    benchmark: Benchmark,
    *,
    gains: Sequence[float],
    half_width: float = 0.25,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """How often people order two systems as a metric does, by how far apart the metric puts them.

    Parameters
    ----------
    benchmark : Benchmark
        Every metric must have a scale, since a gain is counted in points of 0 to 100.
    gains : sequence of float
        Differences in points.
    half_width : float
        The reading "around" takes pairs whose difference is within so many points of the gain.
    n_resamples, confidence_level, rng : see `margin_grid`

    Returns
    -------
    DataFrame with columns dataset, metric, reading ("up to" the gain, or "around" it), gain and those of
    `window_intervals`

    Raises
    ------
    DataError
        If a metric has no scale; the message names all of them.
    """
    if not len(gains) or not all(gain >= 0 for gain in gains):
        raise ValueError(f"`gains` must be differences of 0 or more points, got {list(gains)}")
    if not half_width > 0:
        raise ValueError(f"`half_width` must be above 0 points, got {half_width}")
    seed, scaled = _seed(rng), in_points(benchmark)
    readings = {
        "up to": [(0.0, gain) for gain in gains],
        "around": [(max(0.0, gain - half_width), gain + half_width) for gain in gains],
    }
    frames = []
    for metric in scaled.metrics:
        for reading, windows in readings.items():
            frame = window_intervals(
                scaled,
                metric,
                closed_windows(windows),
                n_resamples=n_resamples,
                confidence_level=confidence_level,
                rng=_stream(seed, benchmark, metric),
            )
            frame.insert(2, "reading", reading)
            frame.insert(3, "gain", list(gains))
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def in_points(benchmark: Benchmark) -> Benchmark:
    """The benchmark with every metric on a scale of 0 to 100, as papers print them.

    Raises
    ------
    DataError
        If the scale of a metric is not known.
    """
    unknown = [metric for metric in benchmark.metrics if metric not in benchmark.scale]
    if unknown:
        raise DataError(
            f"{benchmark.name}: a gain in points needs the metric's scale, and none is known for "
            f"{listing(unknown)}; give `Benchmark.scale` the largest value of each, or leave it out with "
            "`select(metrics=...)`"
        )
    factors = np.array([100 / benchmark.scale[metric] for metric in benchmark.metrics])
    scale = dict.fromkeys(benchmark.metrics, 100.0)
    return benchmark.with_scores(benchmark.scores * factors[:, None, None], scale=scale)


def window_intervals(
    benchmark: Benchmark,
    metric: str,
    windows: Windows,
    *,
    n_resamples: int,
    confidence_level: float,
    rng,
) -> pd.DataFrame:
    r"""Kendall's tau-b and agreement in given windows, each with a percentile interval over documents.

    Parameters
    ----------
    benchmark : Benchmark
    metric : str
    windows : Windows
    n_resamples : int
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator

    Returns
    -------
    DataFrame, one row a window
        dataset, metric, lower, upper, n_pairs; n_concordant, n_discordant, n_tied_metric, n_tied_human,
        n_tied_both; value (tau-b, NaN where it does not exist), low, high; agreement (share of the pairs that
        people order as the metric does, a tie counting half), agreement_low, agreement_high; n_undefined
        (draws without a tau); remark (why a cell is empty or weak, else "").
    """
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    if not 0 < confidence_level < 1:
        hint = f"; did you mean {confidence_level / 100:g}?" if 1 < confidence_level < 100 else ""
        raise ValueError(f"`confidence_level` must be in (0, 1), got {confidence_level}{hint}")
    rng = np.random.default_rng(rng)
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()
    observed = _counts(system_means(scores)[None], system_means(human)[None], windows)[0]
    taus, shares = np.empty((2, n_resamples, len(windows.lower)))
    for rows, metric_means, human_means in _drawn(scores, human, n_resamples, rng):
        counted = _counts(metric_means, human_means, windows)
        taus[rows], shares[rows] = _tau(counted), _agreement(counted)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    low, high = _quantiles(taus, tails)
    agreement_low, agreement_high = _quantiles(shares, tails)
    value = _tau(observed)
    frame = pd.DataFrame(
        {
            "dataset": benchmark.name,
            "metric": metric,
            "lower": windows.lower,
            "upper": windows.upper,
            "n_pairs": observed.sum(axis=-1),
            **dict(zip(_KINDS, observed.T, strict=True)),
            "value": value,
            "low": low,
            "high": high,
            "agreement": _agreement(observed),
            "agreement_low": agreement_low,
            "agreement_high": agreement_high,
            "n_undefined": np.isnan(taus).sum(axis=0),
        }
    )
    frame["remark"] = [_remark(row) for row in frame.to_dict("records")]
    return frame


def _drawn(scores, human, n_resamples, rng):
    """Means of metric and people over draws of documents, block by block."""
    judged = ~np.isnan(human).all(axis=0)
    scored = ~np.isnan(scores).all(axis=0)
    paired = np.array_equal(judged, scored)
    metric_part, human_part = scores[:, scored], human[:, judged]
    for rows in blocks(n_resamples, metric_part.shape[1]):
        size = rows.stop - rows.start
        counts = document_counts(rng, size, metric_part.shape[1], size=metric_part.shape[1])
        human_counts = counts
        if not paired:
            human_counts = document_counts(rng, size, human_part.shape[1], size=human_part.shape[1])
        yield rows, drawn_means(metric_part, counts), drawn_means(human_part, human_counts)


def _counts(metric_means, human_means, windows: Windows) -> np.ndarray:
    """Pairs of each kind in each window: (n_draws, n_windows, 5), kinds in the order of `_KINDS`."""
    first, second = np.triu_indices(metric_means.shape[-1], 1)
    dx = metric_means[:, first] - metric_means[:, second]
    dz = human_means[:, first] - human_means[:, second]
    distance = np.abs(dx)
    slack = _slack(distance)
    below = np.where(windows.lower_open, windows.lower + slack, windows.lower - slack)
    bounds, place = np.unique(np.concatenate([below, windows.upper + slack]), return_inverse=True)
    sign = np.sign(dx) * np.sign(dz)
    kind = np.select([sign > 0, sign < 0, (dx == 0) & (dz != 0), (dx != 0) & (dz == 0)], [0, 1, 2, 3], 4)
    missing = np.isnan(dx) | np.isnan(dz)
    bin_of = np.where(missing, len(bounds), np.searchsorted(bounds, distance, side="left"))
    n_bins = len(bounds) + 1
    flat = (np.arange(len(dx))[:, None] * n_bins + bin_of) * len(_KINDS) + kind
    counted = np.bincount(flat.ravel(), minlength=len(dx) * n_bins * len(_KINDS))
    up_to = counted.reshape(len(dx), n_bins, len(_KINDS)).cumsum(axis=1)
    n = len(windows.lower)
    return up_to[:, place[n:]] - up_to[:, place[:n]]


def _slack(distance) -> float:
    """Wide enough for the rounding error of a difference of two means, as in `helpers.experiments.topk`."""
    return 1e-9 * float(np.nanmax(distance, initial=0))


def _tau(counted):
    concordant, discordant, tied_metric, tied_human, _ = np.moveaxis(counted.astype(float), -1, 0)
    ordered = concordant + discordant
    with np.errstate(invalid="ignore", divide="ignore"):
        return (concordant - discordant) / np.sqrt((ordered + tied_human) * (ordered + tied_metric))


def _agreement(counted):
    counted = counted.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (counted[..., 0] + counted[..., 2:].sum(axis=-1) / 2) / counted.sum(axis=-1)


def _quantiles(values, tails):
    """Quantiles over the draws in which a window has a value; NaN where it never has one."""
    found = np.full((2, values.shape[1]), np.nan)
    defined = ~np.isnan(values).all(axis=0)
    found[:, defined] = np.nanquantile(values[:, defined], tails, axis=0)
    return found


def _remark(row) -> str:
    window = f"{row['lower']:.2f} to {row['upper']:.2f} points"
    if row["n_pairs"] == 0:
        return f"empty: no pair differs by {window}"
    if math.isnan(row["value"]):
        return f"undefined: one side ties on all {row['n_pairs']} pairs"
    if row["n_pairs"] < FEW_PAIRS:
        return f"few pairs: one of {row['n_pairs']} moves τ by {2 / row['n_pairs']:.2f}"
    return ""


def _seed(rng) -> int:
    return int(np.random.default_rng(rng).integers(2**63))


def _stream(seed: int, benchmark: Benchmark, metric: str) -> np.random.Generator:
    """A stream that belongs to the names, so that adding a metric changes no other row."""
    return np.random.default_rng([seed, zlib.crc32(f"{benchmark.name}/{metric}".encode())])


def facts(benchmark: Benchmark, *, gain: float, n_windows: int = 10) -> pd.DataFrame:
    """Counts and differences that texts quote, one row each.

    Parameters
    ----------
    benchmark : Benchmark
    gain : float, in points of the metric
    n_windows : int

    Returns
    -------
    DataFrame with columns dataset, metric (empty where it is of the data), quantity, rank, value
        quantity is "systems", "documents", "judged documents"; for each metric "upper end" (largest
        difference within the closest `rank` percent of the pairs), "percent of pairs within the gain" and
        "gap" (the `rank`-th largest difference between neighbours in the metric's order).
    """
    judged = int(benchmark.human.notnull().any("system").sum())
    rows = [
        {"metric": "", "quantity": "systems", "value": len(benchmark.systems)},
        {"metric": "", "quantity": "documents", "value": len(benchmark.documents)},
        {"metric": "", "quantity": "judged documents", "value": judged},
    ]
    for metric in benchmark.metrics:
        edges = window_edges(benchmark, metric, n_windows=n_windows)
        means = np.sort(system_means(benchmark.metric(metric).to_numpy()))
        gaps = np.sort(np.diff(means[~np.isnan(means)]))[::-1]
        distance = np.abs(np.subtract.outer(means, means)[np.triu_indices(len(means), 1)])
        distance = distance[~np.isnan(distance)]
        within = 100 * np.mean(distance <= gain + _slack(distance))
        rows.append({"metric": metric, "quantity": "percent of pairs within the gain", "value": within})
        for i, edge in enumerate(edges[1:], start=1):
            rows.append(
                {"metric": metric, "quantity": "upper end", "rank": 100 * i / n_windows, "value": edge}
            )
        for i, gap in enumerate(gaps, start=1):
            rows.append({"metric": metric, "quantity": "gap", "rank": i, "value": gap})
    frame = pd.DataFrame(rows).astype({"value": float})
    frame.insert(0, "dataset", benchmark.name)
    return frame


def border_effect(benchmark: Benchmark, *, n_windows: int = 10) -> pd.DataFrame:
    """What it changes to count the pair on a border in both windows, as the released code does.

    Returns
    -------
    DataFrame with columns dataset, metric, row ("first", which starts at 0, or "others"), windows,
    extra_pairs (the most of any window), mean_change, largest_change (of tau, absolute)
    """
    settings = {"n_windows": n_windows, "n_resamples": 1, "rng": 0}  # the draws are not looked at
    once = margin_grid(benchmark, borders="once", **settings)
    twice = margin_grid(benchmark, borders="twice", **settings)
    both = once.assign(
        row=np.where(once["from_percent"] > 0, "others", "first"),
        extra=twice["n_pairs"] - once["n_pairs"],
        change=(twice["value"] - once["value"]).abs(),
    )
    groups = both.groupby(["dataset", "metric", "row"], sort=False)
    return groups.agg(
        windows=("value", "size"),
        extra_pairs=("extra", "max"),
        mean_change=("change", "mean"),
        largest_change=("change", "max"),
    ).reset_index()
