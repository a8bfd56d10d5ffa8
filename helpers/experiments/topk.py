"""experiments.topk: the correlation of metrics with people on the *k* best systems.

Benchmarks in, tidy tables out; called by the notebook `topk`, its live block, and pages that need the same.
Bhandari et al. 2020, §4.2 (Exp-II, Figs. 3 and 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.experiments._parts import Benchmarks, groups_of, interval_bounds, several
from helpers.experiments.systems import GROUPS, means
from helpers.stats.correlation import MIN_SYSTEMS, correlations, system_means


def table(
    benchmarks: Benchmarks,
    *,
    groups: Sequence[str] = GROUPS,
    ks: Sequence[int] | None = None,
    coefficients: Sequence[str] = ("pearson", "kendall"),
    leave_out: Mapping[str, Sequence[str]] | None = None,
    method: str | None = None,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """System-level correlation of every metric on the *k* best systems, with its interval.

    Parameters
    ----------
    benchmarks : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    ks : int, each from 3 to the size of the largest group, optional
        By default from 4 to all systems of a group (of three systems all).
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    leave_out : mapping, name of a further group -> systems that are left out of it, optional
    method : {"Boot-Systems", "Boot-Inputs", "Boot-Both"}, optional
        Of a percentile bootstrap interval; without it there are no intervals. ``"Boot-Inputs"`` is the one
        that has a meaning here: the same *k* systems on other documents. Which systems are the *k* best is
        not decided again.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator
        All metrics of a group share the draws.

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient, k and metric
        Columns: these, and value, n_used, n_systems (of the group); with a `method` also low and high. A `k`
        larger than a group is left out of that group.

    Raises
    ------
    ValueError
        If a `k` fits no group.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    frames = []
    for benchmark in several(benchmarks):
        parts = dict(groups_of(benchmark, groups, leave_out))
        _check(ks, max(len(part.systems) for part in parts.values()))
        for group, part in parts.items():
            n = len(part.systems)
            best = part.best(n)
            sizes = range(min(MIN_SYSTEMS + 1, n), n + 1) if ks is None else [k for k in ks if k <= n]
            for coefficient in coefficients:
                for k in sizes:
                    top = best.select(systems=best.systems[:k])
                    found = correlations(top.scores, top.human, level="system", coefficient=coefficient)
                    columns = {
                        "dataset": benchmark.name,
                        "group": group,
                        "coefficient": coefficient,
                        "k": k,
                        "metric": top.metrics,
                        "value": found.value.to_numpy(),
                        "n_used": found.n_used.to_numpy(),
                        "n_systems": n,
                    }
                    if method is not None:
                        columns |= interval_bounds(
                            top, group, coefficient, k, level="system", coefficient=coefficient,
                            method=method, n_resamples=n_resamples, confidence_level=confidence_level,
                            seed=seed,
                        )  # fmt: skip
                    frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def best_systems(benchmarks: Benchmarks, *, k: int) -> pd.DataFrame:
    """The `k` best systems of each benchmark with the mean scores that they have.

    Parameters
    ----------
    benchmarks : Benchmark, or several, with the same metrics
    k : int

    Returns
    -------
    DataFrame with one row per dataset and system, the best first
        Columns: dataset, human (mean score from people), system, and one per metric (its mean score).
    """
    found = several(benchmarks)
    wide = means(found).pivot(index=["dataset", "human", "system"], columns="metric", values="mean")
    ordered = wide[found[0].metrics].sort_index(ascending=[True, False, True])
    return ordered.groupby("dataset").head(k).reset_index().rename_axis(columns=None)


def extremes(results: pd.DataFrame) -> pd.DataFrame:
    """The lowest and the highest correlation over *k* of a table of `table`, with rows (group, metric)."""
    found = results.groupby(["group", "metric"], sort=False)["value"].agg(["min", "max"])
    return found.rename(columns={"min": "lowest over k", "max": "highest over k"})


def lead(benchmark: Benchmark) -> float:
    """How many times as high as the next system's the best system's mean human score is."""
    first, second = np.sort(system_means(benchmark.human.to_numpy()))[:-3:-1]
    return float(first / second)


def _check(ks: Sequence[int] | None, largest: int) -> None:
    for k in ks or ():
        if not MIN_SYSTEMS <= k <= largest:
            raise ValueError(
                f"`k` must be from {MIN_SYSTEMS} to the number of systems of the largest group ({largest}), "
                f"got {k}"
            )


top_k_table = table  # until every page calls `table`
