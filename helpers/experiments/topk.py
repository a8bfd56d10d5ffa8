"""experiments.topk: the correlation of metrics with people on the *k* best systems.

Benchmarks in, tidy tables out; called by the notebook `topk`, its live block, and pages that need the same.
Bhandari et al. 2020, §4.2 (Exp-II, Figs. 3 and 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.analysis import systems
from metaeval.stats.ties import system_means
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import UNDEFINED, joined


def in_words(results: pd.DataFrame, *, groups: Sequence[str]) -> str:
    """Which metrics agree least and most with people on the *k* best systems, and which groups are too small.

    Parameters
    ----------
    results : DataFrame of `table`, for one *k*
        By the first of its coefficients.
    groups : the groups that were asked for

    Returns
    -------
    str
    """
    k, coefficient = results["k"].iloc[0], results["coefficient"].iloc[0]
    said = []
    for group, part in results[results["coefficient"] == coefficient].groupby("group", sort=False):
        ranked = part.dropna(subset="value").sort_values("value", kind="stable")
        ends = [f"{row.metric} {row.value:.2f}" for row in ranked.iloc[[0, -1][: len(ranked)]].itertuples()]
        said.append(f"{words('group', group)}: {' to '.join(ends) or UNDEFINED}")
    small = [words("group", group) for group in groups if group not in set(results["group"])]
    without = f" Fewer than {k} systems, so no value: {joined(small)}." if small else ""
    on_best = f"{words('coefficient', coefficient)} with people on the {k} best systems"
    return f"{on_best}: {'; '.join(said)}.{without}"


def best_systems(benchmarks: Sequence[Benchmark], *, k: int) -> pd.DataFrame:
    """The `k` best systems of each benchmark with the mean scores that they have.

    Parameters
    ----------
    benchmarks : Benchmarks with the same metrics
    k : int, at least 1

    Returns
    -------
    DataFrame with one row per dataset, system and metric, the best systems first
        Columns: dataset, system, system_type, human (mean score from people), metric, value (its mean score).
    """
    means = systems.means(benchmarks).sort_values(
        ["dataset", "human", "system"], ascending=[True, False, True], kind="stable"
    )
    place = means.groupby(["dataset", "metric"]).cumcount()
    best = means[place < k].reset_index(drop=True)
    return check(best, keys=["dataset", "system", "metric"])


def extremes(results: pd.DataFrame) -> pd.DataFrame:
    """The lowest and the highest correlation over *k*.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset and coefficient

    Returns
    -------
    DataFrame with columns group, metric, lowest, highest
    """
    keys = ["group", "metric"]
    found = results.groupby(keys, sort=False)["value"].agg(lowest="min", highest="max").reset_index()
    return check(found, keys=keys, values=["lowest", "highest"])


def reached(results: pd.DataFrame, *, metric: str, bounds: Sequence[float]) -> pd.DataFrame:
    """On how many of the *k* a metric's correlation reaches each of several bounds.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset and coefficient
    metric : str
    bounds : of the correlation

    Returns
    -------
    DataFrame with columns group, metric, beyond (the bound), n_ks (numbers of systems, k), n_beyond (of
        these, those whose correlation is above it), lowest
    """
    mine = results[results["metric"] == metric]
    rows = [
        (group, metric, bound, len(rows), int((rows["value"] > bound).sum()), rows["value"].min())
        for group, rows in mine.groupby("group", sort=False)
        for bound in bounds
    ]
    columns = ["group", "metric", "beyond", "n_ks", "n_beyond", "lowest"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["n_beyond"])


def negatives(*results: pd.DataFrame, coefficient: str) -> pd.DataFrame:
    """The metrics whose correlation is negative on some *k*, and on which.

    Parameters
    ----------
    *results : DataFrames of `table`
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    DataFrame with columns dataset, group, metric, n_ks (numbers of systems, k), from_k, to_k (the least
    and the greatest of these), lowest (the most negative)
    """
    keys = ["dataset", "group", "metric"]
    found = pd.concat(results)
    below = found[(found["value"] < 0) & (found["coefficient"] == coefficient)].groupby(keys, sort=False)
    found = below.agg(
        n_ks=("k", "size"), from_k=("k", "min"), to_k=("k", "max"), lowest=("value", "min")
    ).reset_index()
    return check(found, keys=keys, values=["lowest"])


def lead(benchmark: Benchmark) -> float:
    """How many times as high as the next system's the best system's mean human score is.

    Parameters
    ----------
    benchmark : Benchmark with at least two systems

    Returns
    -------
    float
    """
    first, second = np.sort(system_means(benchmark.human.to_numpy()))[:-3:-1]
    return float(first / second)
