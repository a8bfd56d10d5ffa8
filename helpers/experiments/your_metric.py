"""experiments.your_metric: a reader's metric beside established ones, and what the numbers say in words.

For the notebook `your_metric`: scores of the reader's own files (`sources.own_data`) are matched with a
benchmark by name; intervals and tests are those of `experiments.intervals` and `experiments.tests`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import DataError, UnknownNameError, choose, listing
from helpers.experiments.columns import check
from helpers.experiments.intervals import table as interval_table
from helpers.labels import COEFFICIENT_LABELS
from helpers.sources import own_data
from helpers.stats.correlation import MIN_SYSTEMS
from helpers.stats.intervals import share_wrongly_ranked
from helpers.stats.streams import RNGLike, seed_of, stream
from helpers.stats.ties import double

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

    @property
    def others(self) -> tuple[str, ...]:
        """The established metrics."""
        return tuple(metric for metric in self.benchmark.metrics if metric not in self.yours)

    @property
    def n_pairs(self) -> int:
        """Pairs of systems that can be compared."""
        return math.comb(len(self.benchmark.systems), 2)


def bring(
    *, scores: str, human: str = "", dataset: str, metrics: Sequence[str], example_of: str, rng: RNGLike
) -> Match:
    """A reader's scores matched with a benchmark of the book, or with people's scores of the reader's own.

    Parameters
    ----------
    scores : path of a CSV file (see `helpers.sources.own_files`), or "" for an example made from a seed
        A metric called ``people`` in it is people's scores, in place of a benchmark's.
    human : path of a CSV file with people's scores in place of a benchmark's, or ""
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
        See `helpers.sources.own_data.bring`, `helpers.datasets.load` and `match`.
    """
    if human and not scores:
        raise DataError("`human` is given without `scores`: there is no example metric for data of your own")
    source = f"the file {Path(scores).name}"
    if not scores:
        benchmark = datasets.load(dataset)
        given = example(benchmark, of=example_of, rng=rng)
        source = f"an example: {example_of} with noise of a third of its variance"
        return match(given, benchmark, compare=metrics, source=source)
    given = own_data.read_array(scores)
    if not human and own_data.PEOPLE not in given.indexes["metric"]:
        return match(given, datasets.load(dataset), compare=metrics, source=source)
    own = own_data.bring(own_data.by_metric(given), human or None)
    if len(own.judgments) > 1:
        raise DataError(
            f"{Path(human).name}: this page takes one kind of people's scores, and the column metric has "
            f"{listing(own.judgments)}; keep one"
        )
    judged = own.human.dropna("document", how="all").indexes["document"]
    people = own.select(metrics=[], documents=judged)
    return match(own.scores.dropna("document", how="all"), people, compare=[], source=source)


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
            f"people, got {len(used['system'])}: {used['system']}; score more systems of {benchmark.name}"
        )
    together = together.where(scored).sel(used)
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


def wrongly_ranked(
    benchmark: Benchmark, *, n_resamples: int, confidence_level: float, rng: RNGLike
) -> pd.DataFrame:
    """Share of the pairs of systems that each metric ranks against people, and what its interval stands for.

    Parameters
    ----------
    benchmark : Benchmark
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns metric, value, low, high, in percent
        Kendall's tau at system level and its Boot-Both bounds as (1 - tau) / 2: exact where nothing ties.
    """
    taus = interval_table(
        benchmark, levels=["system"], coefficients=["kendall"], methods=["Boot-Both"],
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip
    shares = {
        name: 100 * share_wrongly_ranked(taus[bound])
        for name, bound in (("value", "value"), ("low", "high"), ("high", "low"))
    }
    return check(pd.DataFrame({"metric": taus["metric"], **shares}), keys=["metric"])


def verdict(
    yours: Sequence[str],
    *,
    intervals: pd.DataFrame,
    wrong: pd.DataFrame,
    tests: pd.DataFrame,
    alpha: float,
    confidence_level: float,
) -> str:
    """What the numbers say, in sentences: the correlation, its interval, and who is significantly better.

    Parameters
    ----------
    yours : names of metrics
    intervals : DataFrame of `helpers.experiments.intervals.table`, of one method
        Its first coefficient is the one that the sentences speak of.
    wrong : DataFrame of `wrongly_ranked`
    tests : DataFrame of `helpers.experiments.tests.table`, two-sided
    alpha : float
        Differences are called significant where the adjusted p-value of Perm-Both is at most this.
    confidence_level : float
        Of the intervals.

    Returns
    -------
    str
    """
    coefficient = intervals["coefficient"].iloc[0]
    sentences = []
    for metric in yours:
        for level in intervals["level"].unique():
            rows = intervals.query("metric == @metric and level == @level and coefficient == @coefficient")
            against = tests.query("metric == @metric and level == @level and coefficient == @coefficient")
            sentences += _of_interval(metric, level, coefficient, rows.iloc[0], confidence_level)
            sentences += _of_tests(metric, level, against, alpha)
        if metric not in tests["metric"].to_numpy():
            sentences.append(f"There is no other metric to compare {metric} with.")
        sentences += _of_pairs(metric, wrong.set_index("metric").loc[metric])
    return " ".join(sentences)


def _of_interval(metric, level, coefficient, row, confidence_level) -> list[str]:
    name = choose("coefficient", coefficient, COEFFICIENT_LABELS)
    if np.isnan(row["value"]):
        return [f"At {level} level the correlation of {metric} with people does not exist ({name})."]
    said = [
        f"At {level} level {metric} correlates with people at {row['value']:.2f} ({name}; "
        f"{confidence_level:.0%} interval {row['low']:.2f} to {row['high']:.2f})."
    ]
    if row["high"] < 0:
        said.append("That is negative: if lower scores are better, turn their signs.")
    elif row["low"] <= 0:
        said.append("The interval holds zero: these data do not show that it agrees with people at all.")
    return said


def _of_tests(metric, level, against, alpha) -> list[str]:
    if against.empty:
        return []
    significant = against[(against["method"] == "Perm-Both") & (against["adjusted_pvalue"] <= alpha)]
    better = significant.loc[significant["value"] < 0, "rival"].tolist()
    worse = significant.loc[significant["value"] > 0, "rival"].tolist()
    above = f"{_joined(better)} {'is' if len(better) == 1 else 'are'}" if better else "No metric here is"
    below = _joined(worse) if worse else "none of them"
    return [
        f"{above} significantly better than {metric} at {level} level; {metric} is significantly better than "
        f"{below}."
    ]


def _of_pairs(metric, row) -> list[str]:
    if np.isnan(row["value"]):
        return []
    return [
        f"{metric} ranks {row['value']:.0f} % of the pairs of systems against people; its interval stands "
        f"for {row['low']:.0f} % to {row['high']:.0f} %."
    ]


def _joined(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
