"""experiments.systems: how well metrics rank systems, or summaries of one document, as people do.

Benchmarks in, tidy tables out; called by the notebook `systems`, its live block, and pages that need the same
correlations. Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
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
from metaeval.stats.differences import compare_pairs
from metaeval.stats.draws import unit_counts
from metaeval.stats.resampling import bootstrap_statistic, check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check
from metaeval.tables.labels import words

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


def answer(changes: pd.DataFrame, benchmark: Benchmark, *, page: str) -> dict[str, str]:
    """A page's answer: the metrics' correlations among some systems and among all, and how sure a change is.

    Parameters
    ----------
    changes : DataFrame of `differences`
        By the first of its coefficients.
    benchmark : Benchmark
        That of `changes`.
    page : name of the notebook

    Returns
    -------
    dict
        ``PAGE-answer-short`` and ``PAGE-answer-sure``, and ``PAGE-answer-ends``, which metric each of the
        answer's ends belongs to; every word is chosen from the numbers.
    """
    coefficient = changes["coefficient"].iloc[0]
    first = changes[changes["coefficient"] == coefficient]
    n_systems = len(benchmark.group(WHOLE).systems)
    among, ends, told = [], [], []
    for key, rows in first.groupby([name for name in ("group", "k") if name in first], sort=False):
        values = rows.set_index(["quantity", "metric"])["value"].unstack("quantity")
        change = rows[rows["quantity"] == "difference"].dropna(subset="value")
        kind = words("group", key[0]) if len(key) == 1 else "best"
        which = f"{rows['n_used'].iloc[0]} {kind}"
        among.append(f"{wording.extent(values['part'])} among the {which} systems")
        ends.append(f"{_ends(values['part'])} among the {which} systems")
        where = wording.sides(change["low"], change["high"], digits=2)
        off = f"{where['below'] + where['above']} of {len(change)}"
        of = "" if told else " Boot-Both intervals leave out 0"
        told.append(
            f"{wording.extent(change['value'])} ({kind if len(key) == 1 else f'the {which}'}; {off}{of})"
        )
    among.append(f"{wording.extent(values['part'] - values['difference'])} among all {n_systems}")
    ends.append(f"{_ends(values['part'] - values['difference'])} among all {n_systems}")
    return {
        f"{page}-answer-short": (
            f"On {words('data', benchmark.name)} the metrics' {words('coefficient', coefficient)} with "
            f"people ranges from {wording.joined(among)}."
        ),
        f"{page}-answer-sure": f"Changes from all {n_systems} systems: {wording.joined(told)}.",
        f"{page}-answer-ends": f"The lowest and the highest metric: {'; '.join(ends)}.",
    }


def _ends(values: pd.Series) -> str:
    """The metrics of the least and the greatest value."""
    return f"{values.idxmin()} and {values.idxmax()}"


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


@of_several
def comparisons(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    coefficients: Sequence[str] = ("pearson",),
) -> pd.DataFrame:
    """One-sided Williams' tests at system level: does one metric correlate better with people than another?

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        The test was made for Pearson's.

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient and ordered pair of metrics
        Columns: dataset, group, coefficient, method ("Williams"), metric, rival, value (the metric's
        correlation minus its rival's), statistic (Williams' *t*), pvalue (of the metric being no better;
        above 0.5 where its correlation is the lower one), n_used, n_total (summaries; two metrics are
        compared on those that both of them and people score), n_systems. Correlations keep their signs: a
        metric that ranks upside down does not win.
    """
    frames = []
    for part in benchmark.parts(groups=groups):
        names = np.array(part.benchmark.metrics, dtype=object)
        pairs = np.argwhere(~np.eye(len(names), dtype=bool))
        for coefficient in coefficients:
            tests = compare_pairs(
                part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), pairs, level="system",
                coefficient=coefficient, method="Williams", alternative="greater",
            )  # fmt: skip
            frames.append(
                pd.DataFrame(
                    {
                        **part.keys,
                        "coefficient": coefficient,
                        "method": tests.method,
                        "metric": names[pairs[:, 0]],
                        "rival": names[pairs[:, 1]],
                        "value": tests.difference,
                        "statistic": tests.statistic,
                        "pvalue": tests.pvalue,
                        "n_used": tests.n_used,
                        "n_total": tests.n_total,
                        "n_systems": len(part.benchmark.systems),
                    }
                )
            )
    keys = ["dataset", "group", "coefficient", "metric", "rival"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["value", "pvalue"])


def quoted(results: pd.DataFrame, *, metric: str = "ROUGE-2 recall") -> dict[str, float | None]:
    """Numbers that the page quotes: a metric's Pearson correlation at system level on each group.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset
    metric : str

    Returns
    -------
    mapping, group -> float, or None without the metric or the group
    """
    rows = results[
        (results["metric"] == metric) & (results["level"] == "system") & (results["coefficient"] == "pearson")
    ].set_index("group")["value"]
    return {group: rows.get(group) for group in GROUPS}
