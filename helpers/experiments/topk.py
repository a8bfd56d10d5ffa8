"""Top-*k*: the correlation on the *k* systems that people score highest (Bhandari et al. 2020, §4.2)."""

from __future__ import annotations

from collections.abc import Sequence

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
