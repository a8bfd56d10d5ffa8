"""analysis.systems: correlations of metrics with people at all levels, on groups of systems or on folds.

Bhandari et al. 2020, §4.1 (Exp-I); folds: Zhang and Bansal 2021. Called by the library's commands and the
pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from metaeval.analysis.tabulate import (
    accepts_many_benchmarks,
    drawn_columns,
    intervals,
    intervals_with_quantiles,
    tabulate,
)
from metaeval.core.errors import DataError, choose, listing
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import INTERVALS
from metaeval.stats.resampling import bootstrap_statistic, check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import system_means
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check

GROUPS = ("abs", "ext", "mix")
WHOLE = "mix"  # the group that contains the parts


@accepts_many_benchmarks
def table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
    leave_out: Mapping[str, Sequence[str]] | None = None,
    method: str | None = None,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike = 0,
) -> pd.DataFrame:
    """Correlation of every metric with the gold standard, for groups of systems, with its interval.

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    leave_out : mapping, name of a further group -> systems that are left out of it, optional
    method : {"Boot-Systems", "Boot-Inputs", "Boot-Both", "Fisher"}, optional
        Method of the interval; no intervals by default.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
        All levels, coefficients and metrics of a group share the draws, so that their intervals do not differ
        by chance.

    Returns
    -------
    DataFrame with one row per dataset, group, level, coefficient and metric
        Columns: these, and value, n_used, n_total, n_systems (those with a score from the metric); with a
        `method` also low, high (NaN where the correlation exists in no draw), standard_error, n_resamples,
        n_undefined.
    """
    return tabulate(
        parts(benchmark, groups=groups, leave_out=leave_out),
        intervals,
        over={"level": levels, "coefficient": coefficients},
        method=method,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=seed_of(rng),  # one for all levels and coefficients, also for None
    )


@accepts_many_benchmarks
def interval_table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    methods: Sequence[str] = tuple(INTERVALS),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Every metric's correlation with its confidence intervals (Deutsch et al. 2021, §3 and Fig. 4).

    All rows of a benchmark see the same draws, so no row depends on the others.

    Parameters
    ----------
    benchmark : Benchmark, or several
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_resamples, confidence_level, n_threads : see `metaeval.stats.intervals.interval`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient, method and metric
        Columns: these, and value, low, high, standard_error, n_used, n_total (systems, documents or
        summaries, by the level), n_resamples (0 for Fisher's), n_undefined, q5 to q95 (of the bootstrap
        distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_mc_error, high_mc_error (NaN
        for Fisher's), n_systems.

    Raises
    ------
    UnknownNameError
        For a level, coefficient or method that does not exist.
    ValueError
        If `n_resamples` or `confidence_level` is out of range.
    """
    return tabulate(
        [Part({"dataset": benchmark.name}, benchmark)],
        intervals_with_quantiles,
        over={"level": levels, "coefficient": coefficients, "method": methods},
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=seed_of(rng),
        n_threads=n_threads,
    )


def parts(
    benchmark: Benchmark,
    *,
    groups: Sequence[str],
    leave_out: Mapping[str, Sequence[str]] | None = None,
    ks: Sequence[int | None] | None = (None,),
) -> Iterator[Part]:
    """Yield `Benchmark.parts`, then the parts of further groups: all systems except some.

    Parameters
    ----------
    benchmark, groups, ks : see `Benchmark.parts`
    leave_out : mapping, name of a further group -> systems that are left out of it, optional

    Returns
    -------
    iterator of Part

    Raises
    ------
    UnknownNameError
        For a system that the benchmark does not have; not for simulated ones, whose systems differ.
    """
    for system in () if benchmark.provenance.simulated else chain(*(leave_out or {}).values()):
        choose(f"system of {benchmark.name}", system, dict.fromkeys(benchmark.systems))
    yield from benchmark.parts(groups=groups, ks=ks)
    for name, left_out in (leave_out or {}).items():
        rest = benchmark.select(systems=[s for s in benchmark.systems if s not in set(left_out)])
        for part in rest.parts(ks=ks):
            yield replace(part, keys={**part.keys, "group": name})


@accepts_many_benchmarks
def differences(
    benchmark: Benchmark,
    *,
    groups: Sequence[str],
    ks: Sequence[int | None] | None = (None,),
    whole: str = WHOLE,
    coefficients: Sequence[str] = ("pearson",),
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: RNGLike = 0,
) -> pd.DataFrame:
    """Difference of every metric's system-level correlation between a part of the systems and all of them.

    Part and whole share systems and documents, so their two intervals are no test of the difference. Here
    both correlations are from the same draws (Boot-Both): the part consists of those drawn systems of the
    whole that belong to it. The *k* best systems are not selected again.

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups, ks : see `Benchmark.parts`
        The parts.
    whole : str
        The group of systems that contains the parts.
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
        All parts, coefficients and metrics share the draws.

    Returns
    -------
    DataFrame with one row per dataset, group, k (where `ks` are given), coefficient, metric and quantity
        Columns: these, and quantity ("part", or "difference": part minus whole), value, low, high, n_used
        (systems of the part), n_resamples, n_undefined.

    Raises
    ------
    DataError
        If a part has systems that are not in the whole.
    """
    check_draws(n_resamples)
    whole_systems = benchmark.group(whole)
    scores, human = whole_systems.scores.to_numpy(), whole_systems.human.to_numpy()
    generator = stream(seed_of(rng), benchmark.name, whole)
    rows, documents = (unit_counts(generator, n_resamples, n) for n in human.shape)
    frames, keys = [], []
    for coefficient in coefficients:
        kind = {"level": "system", "coefficient": coefficient}
        drawn = bootstrap_statistic(scores, human, **kind)
        overall, all_drawn = correlate(scores, human, **kind).value, drawn(rows, documents, documents)
        for part in benchmark.parts(groups=groups, ks=ks):
            outside = sorted(set(part.benchmark.systems) - set(whole_systems.systems))
            if outside:
                raise DataError(f"not among the systems of {whole!r}: {listing(outside)}")
            belongs = np.isin(whole_systems.systems, part.benchmark.systems)
            value = correlate(scores[:, belongs], human[belongs], **kind).value
            part_drawn = drawn(rows * belongs, documents, documents)
            keys = [*part.keys, "coefficient", "metric", "quantity"]
            for quantity, estimate, distribution in (
                ("part", value, part_drawn),
                ("difference", value - overall, part_drawn - all_drawn),
            ):
                columns = {"coefficient": coefficient, "metric": whole_systems.metrics, "quantity": quantity}
                estimates = drawn_columns(
                    estimate, distribution.T, n_used=int(belongs.sum()), confidence_level=confidence_level
                )
                frames.append(pd.DataFrame({**part.keys, **columns, **estimates}))
    return check(pd.concat(frames, ignore_index=True), keys=keys)


@accepts_many_benchmarks
def means(benchmark: Benchmark) -> pd.DataFrame:
    """Mean score of every system from people and from every metric.

    Parameters
    ----------
    benchmark : Benchmark, or several

    Returns
    -------
    DataFrame with one row per dataset, metric and system
        Columns: dataset, system, system_type, human (mean score from people), metric, value (mean score from
        the metric). Means that differ only by rounding are equal.
    """
    systems = _system_columns(benchmark) | {"human": system_means(benchmark.human.to_numpy())}
    values = zip(benchmark.metrics, system_means(benchmark.scores.to_numpy()), strict=True)
    frames = [pd.DataFrame(systems | {"metric": metric, "value": value}) for metric, value in values]
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "system", "metric"])


def _system_columns(benchmark: Benchmark) -> dict[str, object]:
    types = [benchmark.system_type[system] for system in benchmark.systems]
    return {"dataset": benchmark.name, "system": benchmark.systems, "system_type": types}


def spread(benchmark: Benchmark) -> pd.DataFrame:
    """Mean and quartiles over documents of every system's human and metric scores.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    DataFrame with columns dataset, metric (or judgment), system, system_type, mean,
    lower_quartile, upper_quartile
    """
    planes = [(benchmark.judgments[0], benchmark.human)]
    planes += [(metric, benchmark.metric(metric)) for metric in benchmark.metrics]
    frames = []
    for name, plane in planes:
        lower, upper = plane.quantile([0.25, 0.75], dim="document").to_numpy()
        keys = {"dataset": benchmark.name, "metric": name} | _system_columns(benchmark)
        mean = plane.mean("document").to_numpy()
        frames.append(pd.DataFrame(keys | {"mean": mean, "lower_quartile": lower, "upper_quartile": upper}))
    keys = ["dataset", "metric", "system"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["mean"])
