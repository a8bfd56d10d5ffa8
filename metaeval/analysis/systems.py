"""analysis.systems: correlations of metrics with people at system and summary level, on groups of systems.

Bhandari et al. 2020, §4.1 (Exp-I). Called by the library's own commands and by the pages that need the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from metaeval.analysis.several import of_several
from metaeval.analysis.tabulate import correlations, drawn_columns, intervals, tabulate
from metaeval.core.errors import DataError, choose, listing
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.draws import unit_counts
from metaeval.stats.resampling import bootstrap_statistic, check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import system_means
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check

GROUPS = ("abs", "ext", "mix")


WHOLE = "mix"  # what the parts are of


@of_several
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
        Of the interval; without it there are no intervals.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
        All levels, coefficients and metrics of a group share the draws: their intervals differ by themselves
        and not by chance.

    Returns
    -------
    DataFrame with one row per dataset, group, level, coefficient and metric
        Columns: these, and value, n_used, n_total, n_systems (those with a score from the metric); with a
        `method` also low, high (NaN where the correlation exists in no draw), standard_error, n_resamples,
        n_undefined.
    """
    return tabulate(
        parts(benchmark, groups=groups, leave_out=leave_out),
        over={"level": levels, "coefficient": coefficients},
        **estimate(method, n_resamples=n_resamples, confidence_level=confidence_level, rng=rng),
    )


def parts(
    benchmark: Benchmark,
    *,
    groups: Sequence[str],
    leave_out: Mapping[str, Sequence[str]] | None = None,
    ks: Sequence[int | None] | None = (None,),
) -> Iterator[Part]:
    """`Benchmark.parts`, and after these the parts of further groups: all systems but some.

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
        For a system that the benchmark does not have; a simulated one has systems of its own.
    """
    for system in () if benchmark.provenance.simulated else chain(*(leave_out or {}).values()):
        choose(f"system of {benchmark.name}", system, dict.fromkeys(benchmark.systems))
    yield from benchmark.parts(groups=groups, ks=ks)
    for name, left_out in (leave_out or {}).items():
        kept = benchmark.select(systems=[s for s in benchmark.systems if s not in set(left_out)])
        for part in kept.parts(ks=ks):
            yield replace(part, keys={**part.keys, "group": name})


def estimate(
    method: str | None, *, n_resamples: int, confidence_level: float, rng: RNGLike
) -> dict[str, object]:
    """What `tabulate` asks for of every part: a correlation, or with a `method` its interval as well.

    Parameters
    ----------
    method, n_resamples, confidence_level, rng : see `table`

    Returns
    -------
    mapping, argument of `tabulate` -> its value
    """
    if method is None:
        return {"estimate": correlations}
    return {
        "estimate": intervals,
        "method": method,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "rng": seed_of(rng),  # one for all levels and coefficients, also where none was given
    }


@of_several
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
    """How much higher every metric's system-level correlation is on a part of the systems than on all.

    Part and whole share systems and documents, so the two intervals say little of the difference. Here both
    correlations are of the same draws (Boot-Both): of the systems of the whole that are drawn, the part has
    those that belong to it. Which are the *k* best is not decided again.

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups, ks : see `Benchmark.parts`
        The parts.
    whole : str
        The group of systems that the parts are of.
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
        If a part has systems that the whole has not.
    """
    check_draws(n_resamples)
    of_all = benchmark.group(whole)
    scores, human = of_all.scores.to_numpy(), of_all.human.to_numpy()
    generator = stream(seed_of(rng), benchmark.name, whole)
    rows, documents = (unit_counts(generator, n_resamples, n) for n in human.shape)
    frames, keys = [], []
    for coefficient in coefficients:
        kind = {"level": "system", "coefficient": coefficient}
        drawn = bootstrap_statistic(scores, human, **kind)
        on_all, all_drawn = correlate(scores, human, **kind).value, drawn(rows, documents, documents)
        for part in benchmark.parts(groups=groups, ks=ks):
            outside = sorted(set(part.benchmark.systems) - set(of_all.systems))
            if outside:
                raise DataError(f"not among the systems of {whole!r}: {listing(outside)}")
            belongs = np.isin(of_all.systems, part.benchmark.systems)
            value = correlate(scores[:, belongs], human[belongs], **kind).value
            part_drawn = drawn(rows * belongs, documents, documents)
            keys = [*part.keys, "coefficient", "metric", "quantity"]
            for quantity, estimate, distribution in (
                ("part", value, part_drawn),
                ("difference", value - on_all, part_drawn - all_drawn),
            ):
                columns = {"coefficient": coefficient, "metric": of_all.metrics, "quantity": quantity}
                found = drawn_columns(
                    estimate, distribution.T, n_used=int(belongs.sum()), confidence_level=confidence_level
                )
                frames.append(pd.DataFrame({**part.keys, **columns, **found}))
    return check(pd.concat(frames, ignore_index=True), keys=keys)


@of_several
def means(benchmark: Benchmark) -> pd.DataFrame:
    """Mean score of every system from people and from every metric.

    Parameters
    ----------
    benchmark : Benchmark, or several

    Returns
    -------
    DataFrame with one row per dataset, metric and system
        Columns: dataset, system, system_type, human (mean score from people), metric, value (mean score from
        the metric). Means that are equal on paper are equal here.
    """
    systems = {
        "dataset": benchmark.name,
        "system": benchmark.systems,
        "system_type": [benchmark.system_type[system] for system in benchmark.systems],
        "human": system_means(benchmark.human.to_numpy()),
    }
    frames = [
        pd.DataFrame(
            {**systems, "metric": metric, "value": system_means(benchmark.metric(metric).to_numpy())}
        )
        for metric in benchmark.metrics
    ]
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "system", "metric"])


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
        quartiles = plane.quantile([0.25, 0.75], dim="document").to_numpy()
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "metric": name,
                    "system": benchmark.systems,
                    "system_type": [benchmark.system_type[system] for system in benchmark.systems],
                    "mean": plane.mean("document").to_numpy(),
                    "lower_quartile": quartiles[0],
                    "upper_quartile": quartiles[1],
                }
            )
        )
    keys = ["dataset", "metric", "system"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["mean"])
