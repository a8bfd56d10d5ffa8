"""experiments.your_metric: a reader's metric matched with established ones, and its correlation in words.

For the notebook `your_metric` and `metaeval.reporting`: scores of the reader's own files (`sources.own_data`)
are matched with a benchmark by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import xarray as xr

from metaeval import datasets
from metaeval.core.errors import DataError, UnknownNameError, choose, listing
from metaeval.own import benchmark as own_data
from metaeval.own.columns import of_people
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import double
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.wording import CANNOT_TELL, RATER, against, settled

EXAMPLE = "example metric"
# variance of the example's noise, as a share of the variance of the scores it is made of
EXAMPLE_NOISE = 1 / 3


@dataclass(frozen=True)
class Match:
    """What can be compared, and what had to be left out.

    Attributes
    ----------
    benchmark : Benchmark
        The reader's metrics first, then the established ones, on the common summaries; a summary that lacks
        any score is NaN for all.
    yours : names of the reader's metrics
    coverage : DataFrame with columns of, n_benchmark, n_yours, n_common, n_used, missing, unknown (names)
        One row each for systems, documents and summaries. *Missing* ones the benchmark has and the reader's
        file lacks, *unknown* ones the other way round; those used have a score from every metric and from
        people.
    source : where the reader's scores come from, in words
    """

    benchmark: Benchmark
    yours: tuple[str, ...]
    coverage: pd.DataFrame
    source: str


def bring(
    *, scores: str, human: str = "", dataset: str, metrics: Sequence[str], example_of: str, rng: RNGLike
) -> Match:
    """A reader's scores matched with a benchmark of the book, or with people's scores of the reader's own.

    Parameters
    ----------
    scores : path of a file (see `metaeval.own.columns`), or "" for an example made from a seed
        A metric called ``people`` in it is people's scores, in place of a benchmark's.
    human : path of a file with people's scores in place of a benchmark's, or ""
    dataset : name of a benchmark; not used with people's scores of the reader's own
    metrics : established metrics of the benchmark to compare with; not used either
    example_of : the benchmark's metric that the example is made of
    rng : seed, Generator or None
        Of the example's noise.

    Returns
    -------
    Match

    Raises
    ------
    FileNotFoundError, UnknownNameError, DataError
        See `metaeval.own.benchmark.bring`, `metaeval.datasets.load` and `match`.
    """
    require_scores(scores, human)
    source = f"the file {Path(scores).name}"
    if not scores:
        benchmark, compare = _compared(dataset, metrics)
        given = example(benchmark, of=example_of, rng=rng)
        source = f"an example: {example_of} with noise of a third of its variance"
        return match(given, benchmark, compare=compare, source=source)
    given = own_data.read_array(scores)
    if not human and not any(map(of_people, given.indexes["metric"])):
        benchmark, compare = _compared(dataset, metrics)
        return match(given, benchmark, compare=compare, source=source)
    own = own_data.bring(scores, human or None)
    if len(own.judgments) > 1:
        raise DataError(
            f"{Path(human or scores).name}: this page takes one kind of people's scores, and there are "
            f"{listing(own.judgments)}; keep one"
        )
    judged = own.human.dropna("document", how="all").indexes["document"]
    people = own.select(metrics=[], documents=judged)
    return match(own.scores.dropna("document", how="all"), people, compare=[], source=source)


def require_scores(scores: str, human: str) -> None:
    """Raise where there are people's scores and no metric's."""
    if human and not scores:
        raise DataError("`human` is given without `scores`: there is no example metric for data of your own")


def _compared(dataset: str, metrics: Sequence[str]) -> tuple[Benchmark, list[str]]:
    """A benchmark, and those of some metrics that it has scores of."""
    return datasets.load(dataset), datasets.load_with(dataset, metrics=metrics).metrics


def example(benchmark: Benchmark, *, of: str, rng: RNGLike) -> xr.DataArray:
    """A made-up metric, dims (metric, system, document): one of the benchmark's with normal noise."""
    scores = benchmark.metric(of)
    noise = stream(seed_of(rng), "example", benchmark.name, of).normal(size=scores.shape)
    made = scores + noise * math.sqrt(EXAMPLE_NOISE * float(scores.var()))
    return made.drop_vars("metric").expand_dims(metric=[EXAMPLE])


def match(
    scores: xr.DataArray, benchmark: Benchmark, *, compare: Sequence[str], source: str = "an array"
) -> Match:
    """Your scores and the metrics to compare with, on the summaries that all of them and people score.

    Parameters
    ----------
    scores : DataArray, dims (metric, system, document); higher is better, NaN where missing
        May lack systems and documents of the benchmark, and have documents that it does not have.
    benchmark : Benchmark
    compare : names of the benchmark's metrics

    Raises
    ------
    UnknownNameError
        For a metric in `compare` that the benchmark does not have.
    DataError
        If a system is not in the benchmark, a metric's name is taken, no document is common, fewer than three
        systems have scores, or a metric gives every summary the same score.
    """
    for metric in compare:
        if metric not in benchmark.metrics:
            raise UnknownNameError(f"metric of {benchmark.name}", metric, benchmark.metrics)
    yours = tuple(scores.indexes["metric"])
    taken = set(yours) & set(compare)
    if taken:
        raise DataError(
            f"{benchmark.name} has metrics of the same name as yours: {listing(taken)}; rename yours or "
            "leave them out of `metrics`"
        )
    known = {dim: set(benchmark.scores.indexes[dim]) for dim in ("system", "document")}
    given = {dim: set(scores.indexes[dim]) for dim in known}
    if given["system"] - known["system"]:
        names = listing(known["system"], at_most=len(known["system"]))
        raise DataError(
            f"systems that {benchmark.name} does not have: {listing(given['system'] - known['system'])}; it "
            f"has {names}. Rename yours as the benchmark does, or leave them out"
        )
    if not given["document"] & known["document"]:
        raise DataError(
            f"no document in common with {benchmark.name}: yours are {listing(given['document'])}, its are "
            f"{listing(known['document'])}; name yours as the benchmark does"
        )
    common = {dim: [name for name in benchmark.scores.indexes[dim] if name in given[dim]] for dim in known}
    part = benchmark.select(metrics=compare, systems=common["system"], documents=common["document"])
    mine = scores.copy(data=double("scores", scores.to_numpy())).sel(common)
    together = xr.concat([mine, part.scores], "metric")
    scored = together.notnull().all("metric") & part.human.notnull()
    used = {
        dim: [
            name for name, any_left in zip(common[dim], scored.any(other).to_numpy(), strict=True) if any_left
        ]
        for dim, other in (("system", "document"), ("document", "system"))
    }
    if len(used["system"]) < MIN_SYSTEMS:
        raise DataError(
            f"a correlation needs at least {MIN_SYSTEMS} systems with scores from every metric and from "
            f"people, got {len(used['system'])}: {listing(used['system'])}; score more systems of "
            f"{benchmark.name}"
        )
    together = together.where(scored).sel(used)
    people = part.human.where(scored)
    if people.max() == people.min():
        raise DataError(
            f"people score every summary alike ({float(people.max()):g} on {int(scored.sum())} summaries), "
            "and nothing correlates with that; check the column of their scores"
        )
    flat = [m for m in yours if together.sel(metric=m).max() == together.sel(metric=m).min()]
    if flat:
        raise DataError(
            f"a metric that scores every summary alike has no correlation: {listing(flat)} (on "
            f"{int(scored.sum())} summaries); check the column of its scores"
        )
    matched = replace(
        part.select(systems=used["system"], documents=used["document"]), scores=together, scale={}
    )
    n_given = int(scores.notnull().all("metric").sum())
    judged = int(benchmark.human.notnull().sum())
    in_common = int(scores.sel(common).notnull().all("metric").sum())
    rows = [_coverage_row(dim, known[dim], given[dim], used[dim]) for dim in known]
    rows.append(("summaries", judged, n_given, in_common, int(scored.sum()), "", ""))
    columns = ["of", "n_benchmark", "n_yours", "n_common", "n_used", "missing", "unknown"]
    coverage = pd.DataFrame(rows, columns=columns)
    return Match(matched, yours, coverage=check(coverage, keys=["of"], values=["n_used"]), source=source)


def _coverage_row(dim, known, given, used) -> tuple:
    missing, unknown = (listing(names) if names else "" for names in (known - given, given - known))
    return f"{dim}s", len(known), len(given), len(known & given), len(used), missing, unknown


def answer(verdicts: pd.DataFrame, *, delta: float, coefficient: str, n_systems: int, dataset: str) -> str:
    """What the verdicts on some metrics say, in sentences.

    Parameters
    ----------
    verdicts : DataFrame
        The rows of these metrics in the table of a report's verdicts.
    delta : float
        By how much a metric may fall short of what it is held against.
    coefficient : {"pearson", "spearman", "kendall"}
    n_systems : int
    dataset : name of the benchmark

    Returns
    -------
    str
    """
    return " ".join(
        _verdict_told(row, delta, coefficient, f"{n_systems} systems of {words('data', dataset)}")
        for row in verdicts.to_dict("records")
    )


def _verdict_told(row: dict, delta: float, coefficient: str, on: str) -> str:
    other, name = row["compared_with"], choose("coefficient", coefficient, COEFFICIENT_LABELS)
    begin = f"{row['metric']}: {row['verdict']}."
    if math.isnan(row["value"]):
        return f"{begin} Its correlation with people over {on} does not exist."
    own, beside = (
        settled(value, 0.0) for value in (row["value"] + row["compared_value"], row["compared_value"])
    )
    values = f"{begin} Over {on}, {name} with people is {own} for it and {beside} for {other}"
    if other != RATER:
        values += ", which judges nothing"
    if math.isnan(row["low"] + row["high"]):
        return f"{values}; the systems that it scored are too few for an interval."
    low, high = (settled(row[end], row[f"{end}_mc_error"]) for end in ("low", "high"))
    below, open_, above = (
        "shows that it agrees less",
        "leaves open whether it agrees more",
        "shows that it agrees more",
    )
    if other == RATER:
        as_well = f"that it agrees as well, by a margin of {delta:g}"
        below, open_, above = (
            f"does not bear out {as_well}",
            f"leaves open whether{as_well[4:]}",
            f"shows {as_well}",
        )
    side = against(row["low"], row["high"], at=-delta, words=(below, open_, above))
    side = open_ if row["verdict"] == CANNOT_TELL else side
    needed = f" If the difference stays, {row['needed']} would decide." if row["needed"] else ""
    difference = f"{settled(row['value'], 0.0)} [{low}, {high}]"
    return f"{values}. The interval of the difference, {difference}, {side}.{needed}"
