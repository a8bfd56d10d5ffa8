"""analysis.topk: correlations of metrics with people on the *k* best systems.

Bhandari et al. 2020, §4.2 (Exp-II).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from metaeval.analysis import systems
from metaeval.analysis.tabulate import accepts_many_benchmarks, intervals, tabulate
from metaeval.stats.intervals import INTERVALS, resolve_name
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables.benchmark import Benchmark

# Fisher's interval assumes that the systems are a random sample, which the best are not
METHODS = {name: drawn for name, drawn in INTERVALS.items() if name != "Fisher"}


@accepts_many_benchmarks
def table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = systems.GROUPS,
    ks: Sequence[int] | None = None,
    coefficients: Sequence[str] = ("pearson", "kendall"),
    leave_out: Mapping[str, Sequence[str]] | None = None,
    method: str | None = None,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike = 0,
) -> pd.DataFrame:
    """System-level correlation of every metric on the *k* best systems, with its interval.

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    ks : int, each from 3 to the size of the largest group, optional
        By default from 4 to all systems of a group (3 for a group of three).
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    leave_out : mapping, name of a further group -> systems that are left out of it, optional
    method : {"Boot-Inputs", "Boot-Systems", "Boot-Both"}, in any case, optional
        Method of the interval; no intervals by default. ``"Boot-Inputs"`` is the meaningful one here: the
        same *k* systems on other documents. The *k* best systems are not selected again.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
        All coefficients and metrics of a group and a *k* share the draws.

    Returns
    -------
    DataFrame with one row per dataset, group, k, coefficient and metric
        Columns: these, and value, n_used, n_total, n_systems (those with a score from the metric); with a
        `method` also low, high, standard_error, n_resamples, n_undefined. A `k` larger than a group is left
        out of that group.

    Raises
    ------
    ValueError
        If a `k` fits no group.
    UnknownNameError
        For a group, coefficient or method that does not exist.
    """
    method = None if method is None else resolve_name(method, METHODS, "interval method of the best systems")
    return tabulate(
        systems.parts(benchmark, groups=groups, leave_out=leave_out, ks=ks),
        intervals,
        over={"coefficient": coefficients},
        level="system",
        method=method,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=seed_of(rng),
    )
