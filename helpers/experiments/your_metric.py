"""experiments.your_metric: can the scores of a reader's own metric or judge be trusted?

A reader's scores matched by name with a benchmark's, or with people's scores of the reader's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import pandas as pd
import xarray as xr

from metaeval import datasets
from metaeval.core.errors import DataError, UnknownNameError, listing
from metaeval.own import benchmark as own_data
from metaeval.own.words import people_of
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import double
from metaeval.tables.benchmark import CELL, Benchmark
from metaeval.tables.columns import check

EXAMPLE = "example metric"
EXAMPLE_NOISE = 1 / 3  # its variance as a share of the variance of the scores that the example is made of


@dataclass(frozen=True)
class Match:
    """Scores that can be compared, and how many had to be left out."""

    benchmark: Benchmark  # the reader's metrics first; a summary that lacks any score is NaN for all
    yours: tuple[str, ...]  # names of the reader's metrics
    coverage: pd.DataFrame  # of systems, documents, summaries; the file lacks *missing* ones
    source: str  # where the reader's scores come from, in words


def bring(
    *, scores: str, human: str = "", dataset: str, metrics: Sequence[str], example_of: str, rng: RNGLike
) -> Match:
    """Match the scores of a file, or an example without one, with a benchmark or with people of its own."""
    require_scores(scores, human)
    mine, source = scores and own_data.read_array(scores), f"the file {Path(scores).name}"
    if scores and (human or any(map(people_of, mine.indexes["metric"]))):
        own = own_data.as_benchmark(scores, human or None)
        if len(own.judgments) > 1:
            raise DataError(
                f"{Path(human or scores).name}: this page takes one kind of people's scores, and there are "
                f"{listing(own.judgments)}; keep one"
            )
        judged = own.human.dropna("document", how="all").indexes["document"]
        people = own.select(metrics=[], documents=judged)
        return match(own.scores.dropna("document", how="all"), people, compare=[], source=source)
    benchmark = datasets.load(dataset)
    compare = datasets.load_with(dataset, metrics=metrics).metrics  # those that it has scores of
    if not scores:
        mine = example(benchmark, of=example_of, rng=rng)
        source = f"an example: {example_of} with noise of a third of its variance"
    return match(mine, benchmark, compare=compare, source=source)


def require_scores(scores: str, human: str) -> None:
    """Raise where there are people's scores and no metric's."""
    if human and not scores:
        raise DataError("`human` is given without `scores`: there is no example metric for data of your own")


def example(benchmark: Benchmark, *, of: str, rng: RNGLike) -> xr.DataArray:
    """A made-up metric, dims (metric, system, document): one of the benchmark's with normal noise."""
    scores = benchmark.metric(of)
    noise = stream(seed_of(rng), "example", benchmark.name, of).normal(size=scores.shape)
    noisy = scores + noise * math.sqrt(EXAMPLE_NOISE * float(scores.var()))
    return noisy.drop_vars("metric").expand_dims(metric=[EXAMPLE])


def match(scores: xr.DataArray, benchmark: Benchmark, *, compare: Sequence[str], source="an array") -> Match:
    """Scores (metric, system, document) beside the metrics `compare`, on the summaries that all have."""
    for metric in compare:
        if metric not in benchmark.metrics:
            raise UnknownNameError(f"metric of {benchmark.name}", metric, benchmark.metrics)
    yours = tuple(scores.indexes["metric"])
    if shared_names := set(yours) & set(compare):
        raise DataError(
            f"{benchmark.name} has metrics of the same name as yours: {listing(shared_names)}; rename yours "
            "or leave them out of `metrics`"
        )
    available, own = ({dim: set(array.indexes[dim]) for dim in CELL} for array in (benchmark.scores, scores))
    if strangers := own["system"] - available["system"]:
        names = listing(available["system"], maximum=len(available["system"]))
        raise DataError(
            f"systems that {benchmark.name} does not have: {listing(strangers)}; it "
            f"has {names}. Rename yours as the benchmark does, or leave them out"
        )
    if not own["document"] & available["document"]:
        raise DataError(
            f"no document in common with {benchmark.name}: yours are {listing(own['document'])}, its are "
            f"{listing(available['document'])}; name yours as the benchmark does"
        )
    common = {dim: [name for name in benchmark.scores.indexes[dim] if name in own[dim]] for dim in CELL}
    part = benchmark.select(metrics=compare, systems=common["system"], documents=common["document"])
    mine = scores.copy(data=double("scores", scores.to_numpy())).sel(common)
    together = xr.concat([mine, part.scores], "metric")
    scored = together.notnull().all("metric") & part.human.notnull()
    is_scored = [scored.any("document"), scored.any("system")]
    used = {
        dim: list(compress(common[dim], any_.to_numpy())) for dim, any_ in zip(CELL, is_scored, strict=True)
    }
    if len(used["system"]) < MIN_SYSTEMS:
        raise DataError(
            f"a correlation needs at least {MIN_SYSTEMS} systems with scores from every metric and from "
            f"people, got {len(used['system'])}: {listing(used['system'])}; score more systems of "
            f"{benchmark.name}"
        )
    together, people, n_scored = together.where(scored).sel(used), part.human.where(scored), int(scored.sum())
    if people.max() == people.min():
        raise DataError(
            f"people score every summary alike ({float(people.max()):g} on {n_scored} summaries), "
            "and nothing correlates with that; check the column of their scores"
        )
    flat = [m for m in yours if together.sel(metric=m).max() == together.sel(metric=m).min()]
    if flat:
        raise DataError(
            f"a metric that scores every summary alike has no correlation: {listing(flat)} (on "
            f"{n_scored} summaries); check the column of its scores"
        )
    matched = part.select(systems=used["system"], documents=used["document"])
    summaries = [array.notnull().all("metric") for array in (scores, scores.sel(common))]
    counts = [int(cells.sum()) for cells in (benchmark.human.notnull(), *summaries, scored)]
    matched, coverage = replace(matched, scores=together, scale={}), _coverage(available, own, used, counts)
    return Match(matched, yours, coverage, source)


def _coverage(available, own, used, n_summaries) -> pd.DataFrame:
    columns = ["of", "n_benchmark", "n_yours", "n_common", "n_used", "missing", "unknown"]
    rows = []
    for dim, mine in own.items():
        theirs = available[dim]
        missing, unknown = (listing(names) if names else "" for names in (theirs - mine, mine - theirs))
        counts = map(len, (theirs, mine, theirs & mine, used[dim]))
        rows.append((f"{dim}s", *counts, missing, unknown))
    rows.append(("summaries", *n_summaries, "", ""))
    return check(pd.DataFrame(rows, columns=columns), keys=["of"], values=["n_used"])
