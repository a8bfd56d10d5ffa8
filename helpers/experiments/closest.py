r"""Δ(ℓ, u): Kendall's tau over the pairs of systems whose metric scores differ by ℓ to *u*.

Deutsch et al. 2022, §4.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from helpers.benchmark import CELL, Benchmark
from helpers.errors import choose
from helpers.stats.correlation import COEFFICIENTS, MIN_SYSTEMS, correlations, system_means


def top_systems(human: xr.DataArray, k: int) -> list[str]:
    """The `k` systems with the highest mean human score, best first (Bhandari et al. 2020, Eq. 3).

    Parameters
    ----------
    human : DataArray, dims (system, document)
    k : int, from 3 to the number of systems

    Returns
    -------
    list of str
        Of systems with equal means the one whose id sorts first comes first, so that the choice does not
        depend on the order of the rows.
    """
    systems = human.indexes["system"].tolist()
    if not MIN_SYSTEMS <= k <= len(systems):
        raise ValueError(f"`k` must be from {MIN_SYSTEMS} to the number of systems ({len(systems)}), got {k}")
    means = system_means(human.transpose(*CELL).to_numpy())
    order = sorted(range(len(systems)), key=lambda i: (-np.nan_to_num(means[i], nan=-np.inf), systems[i]))
    return [systems[i] for i in order[:k]]


def top_k_correlations(
    scores: xr.DataArray,
    human: xr.DataArray,
    *,
    coefficient: str,
    ks: Sequence[int] | None = None,
) -> xr.Dataset:
    """System-level correlation of every metric on the top-*k* systems, for each *k* (REALSumm's Exp-II).

    Parameters
    ----------
    scores : DataArray, dims (metric, system, document)
    human : DataArray, dims (system, document)
    coefficient : {"pearson", "spearman", "kendall"}
    ks : the numbers of systems; by default from 4 to all, of three systems all

    Returns
    -------
    Dataset with `value`, `n_used` (systems) over (k, metric)
    """
    choose("coefficient", coefficient, COEFFICIENTS)
    n_systems = human.sizes["system"]
    ks = list(range(min(MIN_SYSTEMS + 1, n_systems), n_systems + 1)) if ks is None else list(ks)
    best = top_systems(human, n_systems)
    results = []
    for k in ks:
        top = best[: len(top_systems(human, k))]
        results.append(
            correlations(
                scores.sel(system=top), human.sel(system=top), level="system", coefficient=coefficient
            )
        )
    return xr.concat(results, pd.Index(ks, name="k"))


def top_k_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    coefficients: Sequence[str] = ("pearson", "kendall"),
    ks: Sequence[int] | None = None,
) -> pd.DataFrame:
    """`top_k_correlations` for groups of systems, one row a value.

    Returns
    -------
    DataFrame with columns dataset, group, coefficient, k, metric, value, n_used, n_systems
        A `k` larger than a group is left out of that group; if it fits no group it is an error.
    """
    parts = {g: benchmark if g == "all" else benchmark.select(system_type=g) for g in groups}
    largest = max(len(part.systems) for part in parts.values())
    for k in ks or ():
        if not MIN_SYSTEMS <= k <= largest:
            raise ValueError(
                f"`k` must be from {MIN_SYSTEMS} to the number of systems of the largest group ({largest}), "
                f"got {k}"
            )
    frames = []
    for group, part in parts.items():
        fitting = None if ks is None else [k for k in ks if k <= len(part.systems)]
        for coefficient in coefficients:
            if fitting == []:
                continue
            result = top_k_correlations(part.scores, part.human, coefficient=coefficient, ks=fitting)
            frame = result[["value", "n_used"]].to_dataframe().reset_index()
            frames.append(
                frame.assign(
                    dataset=benchmark.name,
                    group=group,
                    coefficient=coefficient,
                    n_systems=len(part.systems),
                )
            )
    columns = ["dataset", "group", "coefficient", "k", "metric", "value", "n_used", "n_systems"]
    return pd.concat(frames, ignore_index=True)[columns]


@dataclass(frozen=True)
class MarginCorrelation:
    """Kendall's tau-b over the pairs of systems in a window of metric differences.

    Attributes
    ----------
    value : float, NaN where the window is empty or one side ties in every pair
    lower, upper : float
        The window in the metric's own points; both ends belong to it.
    n_pairs, n_concordant, n_discordant, n_tied_metric, n_tied_human, n_tied_both : int
    """

    value: float
    lower: float
    upper: float
    n_pairs: int
    n_concordant: int
    n_discordant: int
    n_tied_metric: int
    n_tied_human: int
    n_tied_both: int


def margin_correlation(
    metric_means: np.ndarray, human_means: np.ndarray, *, lower: float, upper: float
) -> MarginCorrelation:
    r"""Agreement of metric and people on the pairs whose metric scores differ by `lower` to `upper`.

    Parameters
    ----------
    metric_means, human_means : float arrays (n_systems,)
        Mean scores of the systems, such as `helpers.stats.correlation.system_means` gives. The two may
        come from
        different documents. Systems with a NaN are left out.
    lower, upper : float, 0 <= lower <= upper
        In points of the metric.

    Notes
    -----
    :math:`r_{sys}\Delta(\ell, u)` of Deutsch et al. 2022, §4.2. Deviation: both ends of the window are
    closed, so neighbouring windows share a pair that lies exactly on their border.
    """
    if not 0 <= lower <= upper:
        raise ValueError(f"`lower` and `upper` must satisfy 0 <= lower <= upper, got {lower} and {upper}")
    metric_difference, human_difference = _pair_differences(metric_means, human_means)
    inside = _inside(np.abs(metric_difference), lower, upper)
    return _window(metric_difference[inside], human_difference[inside], lower, upper)


def closest_pairs(metric_means: np.ndarray, human_means: np.ndarray, *, n_closest: int) -> MarginCorrelation:
    """`margin_correlation` from 0 to the smallest *u* that takes in at least `n_closest` pairs.

    Parameters
    ----------
    metric_means, human_means : float arrays (n_systems,)
    n_closest : int, from 1 to the number of pairs
        Pairs that tie with the last one taken in are taken in too, so the window may hold more.
    """
    metric_difference, human_difference = _pair_differences(metric_means, human_means)
    distance = np.abs(metric_difference)
    if not 1 <= n_closest <= len(distance):
        raise ValueError(
            f"`n_closest` must be from 1 to the number of pairs ({len(distance)}), got {n_closest}"
        )
    upper = float(np.sort(distance)[n_closest - 1])
    inside = _inside(distance, 0.0, upper)
    return _window(metric_difference[inside], human_difference[inside], 0.0, upper)


def window_sizes(n_pairs: int, n_windows: int) -> list[int]:
    """Numbers of closest pairs that split `n_pairs` into growing windows: multiples of the rounded-up share.

    These are the sizes behind the printed values of Deutsch et al. 2022, Fig. 6: of 276 pairs the first two
    deciles hold 28 and 56 (not 28 and 55 or 56 rounded each for itself); the last window holds all.
    """
    if not 1 <= n_windows <= n_pairs:
        raise ValueError(f"`n_windows` must be from 1 to the number of pairs ({n_pairs}), got {n_windows}")
    step = math.ceil(n_pairs / n_windows)
    return [min(n_pairs, step * i) for i in range(1, n_windows + 1)]


def margin_table(benchmark: Benchmark, *, n_windows: int = 10) -> pd.DataFrame:
    """Δ(0, u) of every metric for growing shares of the closest pairs of systems.

    Parameters
    ----------
    benchmark : Benchmark
        Metric means are over the documents that the metric scores, human means over those that people judged.
    n_windows : int
        10 gives deciles.

    Returns
    -------
    DataFrame with columns dataset, metric, percent (nominal share of the pairs) and the attributes of
    `MarginCorrelation`
    """
    human = system_means(benchmark.human.to_numpy())
    rows = []
    for metric in benchmark.metrics:
        means = system_means(benchmark.metric(metric).to_numpy())
        n_pairs = math.comb(int((~np.isnan(means) & ~np.isnan(human)).sum()), 2)
        for i, size in enumerate(window_sizes(n_pairs, n_windows), start=1):
            window = closest_pairs(means, human, n_closest=size)
            rows.append(
                {"dataset": benchmark.name, "metric": metric, "percent": 100 * i / n_windows} | vars(window)
            )
    return pd.DataFrame(rows)


def window_table(benchmark: Benchmark, *, windows: Sequence[tuple[float, float]]) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric for given windows, in the metrics' own points.

    Returns
    -------
    DataFrame with columns dataset, metric and the attributes of `MarginCorrelation`
    """
    human = system_means(benchmark.human.to_numpy())
    rows = []
    for metric in benchmark.metrics:
        means = system_means(benchmark.metric(metric).to_numpy())
        for lower, upper in windows:
            window = margin_correlation(means, human, lower=lower, upper=upper)
            rows.append({"dataset": benchmark.name, "metric": metric} | vars(window))
    return pd.DataFrame(rows)


def _pair_differences(metric_means, human_means):
    metric_means, human_means = np.asarray(metric_means, float), np.asarray(human_means, float)
    if metric_means.shape != human_means.shape or metric_means.ndim != 1:
        raise ValueError(
            "`metric_means` and `human_means` must hold one mean a system, "
            f"got shapes {metric_means.shape} and {human_means.shape}"
        )
    present = ~np.isnan(metric_means) & ~np.isnan(human_means)
    if present.sum() < MIN_SYSTEMS:
        raise ValueError(
            f"at least {MIN_SYSTEMS} systems must have both means, got {present.sum()} of {len(present)}"
        )
    x, z = metric_means[present], human_means[present]
    first, second = np.triu_indices(len(x), 1)
    return x[first] - x[second], z[first] - z[second]


def _inside(distance, lower, upper):
    """Closed window, wide enough for the rounding error of a difference of two means."""
    slack = 1e-9 * distance.max(initial=0)
    return (distance >= lower - slack) & (distance <= upper + slack)


def _window(metric_difference, human_difference, lower, upper) -> MarginCorrelation:
    sign_x, sign_z = np.sign(metric_difference), np.sign(human_difference)
    concordant, discordant = int((sign_x * sign_z > 0).sum()), int((sign_x * sign_z < 0).sum())
    tied_metric = int(((sign_x == 0) & (sign_z != 0)).sum())
    tied_human = int(((sign_x != 0) & (sign_z == 0)).sum())
    untied_x, untied_z = concordant + discordant + tied_human, concordant + discordant + tied_metric
    value = (concordant - discordant) / math.sqrt(untied_x * untied_z) if untied_x and untied_z else math.nan
    n_pairs = len(sign_x)
    return MarginCorrelation(
        value,
        float(lower),
        float(upper),
        n_pairs,
        concordant,
        discordant,
        tied_metric,
        tied_human,
        n_pairs - concordant - discordant - tied_metric - tied_human,
    )
