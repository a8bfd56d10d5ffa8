"""experiments.test_set: intervals of a correlation from the judged documents, and from the whole test set.

Benchmarks in, tables out. The metric's means can rest on every document of a test set, people's only on the
few that they judged; then the two are drawn apart.
Source: Deutsch, Dror and Roth 2022, §3.2 and appendix A, Figs. 4, 7 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, Style, correlation_axis
from metaeval.analysis.several import of_several
from metaeval.core.errors import choose
from metaeval.core.limits import check_spread
from metaeval.core.mode import PREFIX
from metaeval.datasets import load
from metaeval.simulation import model
from metaeval.simulation.draw import draw
from metaeval.stats.correlation import COEFFICIENTS, system_means
from metaeval.stats.intervals import interval
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

JUDGED, ALL = "judged documents", "all documents"
ALL_METRICS = "all metrics"
METHODS = ("Boot-Inputs", "Boot-Systems", "Boot-Both")


@of_several
def interval_table(
    benchmark: Benchmark,
    *,
    methods: Sequence[str] = METHODS,
    coefficient: str = "kendall",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Intervals of every metric's system-level correlation, with its means over few documents and over all.

    Parameters
    ----------
    benchmark : Benchmark, or several
        They may hold documents that nobody judged. Where all are judged, only the rows for these come out.
    methods : of "Boot-Inputs", "Boot-Systems", "Boot-Both"
        What is drawn again: documents, systems, or both.
    coefficient : {"pearson", "spearman", "kendall"}
    n_resamples : int
    confidence_level : float in (0, 1)
        Of the percentile intervals.
    rng : int, Generator or None
        All metrics of a benchmark see the same draws, and both samples the same systems and judged documents.

    Returns
    -------
    DataFrame
        One row per dataset, method, sample and metric: dataset, metric, method, sample ("judged
        documents": metric and people over the same documents, drawn together; "all documents": the metric
        over all, people over the judged ones, drawn apart), n_documents (of the metric), value, low, high,
        width, n_undefined

    Raises
    ------
    DataError
        If nobody judged any document of a benchmark.
    """
    seed = seed_of(rng)
    frames = []
    judged = benchmark.judged()
    partly = len(judged.documents) < len(benchmark.documents)
    samples = {JUDGED: judged} | ({ALL: benchmark} if partly else {})
    for method, (sample, part) in product(methods, samples.items()):
        found = interval(
            part.scores.to_numpy(), judged.human.to_numpy(), level="system", coefficient=coefficient,
            method=method, n_resamples=n_resamples, confidence_level=confidence_level,
            paired=sample == JUDGED, rng=stream(seed, benchmark.name, method),
        )  # fmt: skip
        columns = {
            "dataset": benchmark.name,
            "metric": part.metrics,
            "method": method,
            "sample": sample,
            "n_documents": len(part.documents),
            "value": found.estimate,
            "low": found.low,
            "high": found.high,
            "width": found.high - found.low,
            "n_undefined": found.n_undefined,
        }
        frames.append(pd.DataFrame(columns))
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "metric", "method", "sample"])


@of_several
def width_reduction(
    benchmark: Benchmark, *, n_repeats: int = 5, rng: RNGLike = None, **settings
) -> pd.DataFrame:
    """By how many percent intervals shrink when the metric is scored on all documents, for each bootstrap.

    Parameters
    ----------
    benchmark : Benchmark, or several
        Where all documents are judged, there is nothing to compare and no row.
    n_repeats : int, at least 2
        The whole calculation is repeated this many times with random streams of its own, to see how much of a
        difference is chance.
    rng : int, Generator or None
    settings : see `interval_table`

    Returns
    -------
    DataFrame with columns dataset, metric, method, value (percent, mean over the repeats) and mc_error
    (standard deviation of the difference between a single run, such as one in print, and `value`)
        The rows "all metrics" hold the mean over metrics, as the paper prints it.
    """
    check_spread("n_repeats", n_repeats)
    keys = ["dataset", "metric", "method"]

    def shrunk(table: pd.DataFrame) -> pd.DataFrame:
        widths = table.pivot(index=keys, columns="sample", values="width")
        each = (100 * (1 - widths[ALL] / widths[JUDGED])).rename("value").reset_index()
        mean = each.groupby(["dataset", "method"], sort=False)["value"].mean().reset_index()
        return pd.concat([each, mean.assign(metric=ALL_METRICS)], ignore_index=True)

    if len(benchmark.judged().documents) == len(benchmark.documents):
        return check(pd.DataFrame(columns=[*keys, "value", "mc_error"]), keys=keys)
    return check(_repeated(benchmark, shrunk, keys, n_repeats, rng, settings), keys=keys)


@of_several
def interval_bounds(
    benchmark: Benchmark, *, n_repeats: int = 5, rng: RNGLike = None, **settings
) -> pd.DataFrame:
    """Both ends of the intervals of `interval_table` with their Monte-Carlo errors, one row per end.

    Parameters
    ----------
    benchmark, n_repeats, rng, settings : see `width_reduction`

    Returns
    -------
    DataFrame with columns dataset, metric, method, sample, bound ("low" or "high"), value (mean over the
    repeats), mc_error (as in `width_reduction`)
    """
    check_spread("n_repeats", n_repeats)
    keys = ["dataset", "metric", "method", "sample"]

    def ends(table: pd.DataFrame) -> pd.DataFrame:
        return table.drop(columns="value").melt(id_vars=keys, value_vars=["low", "high"], var_name="bound")

    keys_of_ends = [*keys, "bound"]
    return check(_repeated(benchmark, ends, keys_of_ends, n_repeats, rng, settings), keys=keys_of_ends)


def _repeated(benchmark, values_of, keys, n_repeats, rng, settings) -> pd.DataFrame:
    """Mean over repeats of what `values_of` takes from `interval_table`, and the error of a single run."""
    seed = seed_of(rng)
    repeats = [stream(seed, "repeat", i) for i in range(n_repeats)]
    runs = [values_of(interval_table(benchmark, rng=repeat, **settings)) for repeat in repeats]
    values = pd.concat(runs).groupby(keys, sort=False)["value"]
    error = values.std().to_numpy() * math.sqrt(1 + 1 / n_repeats)
    return values.mean().reset_index().assign(mc_error=error)


def answer(reduction: pd.DataFrame, errors: pd.DataFrame, *, method: str = "Boot-Both") -> dict[str, str]:
    """The page's answer: how much narrower intervals become, and how near the correlation comes to truth.

    Parameters
    ----------
    reduction : DataFrame of `width_reduction`
        Its mean over metrics; empty where all documents are judged.
    errors : DataFrame of `error_table`
    method : of `reduction`

    Returns
    -------
    dict
        ``test_set-answer-short`` and ``test_set-answer-sure``; every word is chosen from the numbers.
    """
    mean = reduction[(reduction["metric"] == ALL_METRICS) & (reduction["method"] == method)]
    said = []
    for row in mean.itertuples():
        margin = wording.ERRORS * row.mc_error
        doubt = wording.against(
            row.value - margin, row.value + margin, words=("", ", perhaps not at all", "")
        )
        change = f"{abs(row.value):.0f} % {'narrower' if row.value > 0 else 'wider'}"
        name = words("data", row.dataset.removesuffix("-full"))
        said.append(f"{change} (± {row.mc_error:.0f}{doubt}) on {name}")
    by_sample = errors.groupby("sample", sort=False)["value"].mean()
    nearer = errors.pivot(index=["dataset", "metric"], columns="sample", values=["value", "mc_error"])
    gain = nearer["value", JUDGED] - nearer["value", ALL]
    told = gain > wording.ERRORS * np.hypot(nearer["mc_error", JUDGED], nearer["mc_error", ALL])
    closer = (gain > 0).sum()
    n_documents = errors.groupby("sample")["n_documents"].first()
    return {
        "test_set-answer-short": (
            f"With {n_documents[ALL]:,} scored documents, not {n_documents[JUDGED]:,}, intervals of "
            f"metrics' correlations ({method}) are on average {wording.joined(said)}."
        ),
        "test_set-answer-sure": (
            "Against known truths typical errors go from "
            f"{by_sample[JUDGED]:.3f} to {by_sample[ALL]:.3f} (each ± "
            f"{errors['mc_error'].mean():.3f}): smaller in {closer} of {len(nearer)}, "
            f"by over {wording.ERRORS:g} standard errors in {told.sum() or 'none'}."
        ),
    }


def error_table(
    names: Sequence[str],
    *,
    n_judged: int,
    n_documents: int,
    n_draws: int,
    coefficient: str = "kendall",
    metrics: Sequence[str],
    rng: RNGLike = None,
) -> pd.DataFrame:
    """How far a correlation lies from the truth, with the metric over the judged documents and over all.

    Parameters
    ----------
    names : sequence of str
        Simulated likenesses. The truth is the correlation of the systems' expected scores.
    n_judged, n_documents : int
        Documents that people judge, and all that the metric scores.
    n_draws : int
        Benchmarks, each with systems and documents of its own.
    coefficient : {"pearson", "spearman", "kendall"}
    metrics : metrics of the likenesses
    rng : int, Generator or None

    Returns
    -------
    DataFrame with columns dataset, metric, sample, n_documents, mean_error (correlation minus truth), value
    (root mean square of that), mc_error (of `value`, over draws)
    """
    if n_draws < 2:
        raise ValueError(f"`n_draws` must be at least 2, got {n_draws}")
    samples = {JUDGED: n_judged, ALL: n_documents}
    seed = seed_of(rng)
    rows = []
    for name in names:
        errors = _errors(name, samples, n_draws, list(metrics), coefficient, seed)
        for sample, size in samples.items():
            square = errors[sample] ** 2
            root = np.sqrt(square.mean(axis=0))
            columns = {
                "dataset": f"{PREFIX}{name}",
                "metric": list(metrics),
                "sample": sample,
                "n_documents": size,
                "mean_error": errors[sample].mean(axis=0),
                "value": root,
                # of a root, by the delta method
                "mc_error": mean_error(square.T) / (2 * root),
            }
            rows.append(pd.DataFrame(columns))
    return check(pd.concat(rows, ignore_index=True), keys=["dataset", "metric", "sample"])


def _errors(name, samples, n_draws, metrics, coefficient, seed) -> dict[str, np.ndarray]:
    """Correlation minus truth in draws of a likeness, sample -> (n_draws, n_metrics)."""
    likeness = model.read(name)
    correlation = choose("coefficient", coefficient, COEFFICIENTS)
    errors = {sample: [] for sample in samples}
    sizes = {"n_documents": samples[ALL], "n_judged": samples[JUDGED]}
    for i in range(n_draws):
        drawn = draw(likeness, metrics=metrics, rng=stream(seed, name, i), **sizes)
        truth = drawn.truth.correlations(coefficient=coefficient)[metrics].to_numpy()
        scores = drawn.benchmark.scores.to_numpy()
        human = system_means(drawn.benchmark.human.to_numpy())
        for sample, size in samples.items():
            errors[sample].append(correlation(system_means(scores[:, :, :size]), human) - truth)
    return {sample: np.array(rows) for sample, rows in errors.items()}


_DRAWN_AGAIN = {
    "Boot-Inputs": "documents (Boot-Inputs)",
    "Boot-Systems": "systems (Boot-Systems)",
    "Boot-Both": "both (Boot-Both)",
}
_SAMPLES = {"all documents": Style(GREY), "judged documents": Style(GREY, symbol="circle-open")}


def interval_pairs(intervals: pd.DataFrame) -> go.Figure:
    """One row per metric with two intervals; dropdowns for the data set and for what is drawn again.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.test_set.interval_table`, of one or more data sets
    """
    metrics = intervals["metric"].unique().tolist()[::-1]
    sheet = marks(
        intervals,
        x="value",
        y="metric",
        series="sample",
        colour="metric",
        style=_SAMPLES,
        name={sample: f"metric over {sample}" for sample in _SAMPLES},
        labels={"value": "Kendall's τ with people, system level"},
        menu="dataset",
        moved_by="method",
        order=metrics,
        hover=["n_documents", "width"],
        digits=2,
        size=11,
    )
    sheet.x(**correlation_axis([*intervals["low"], *intervals["high"]]))
    labels = [_DRAWN_AGAIN.get(method, method) for method in intervals["method"].unique()]
    sheet.menu("Data set", "dataset").moving_menu("Drawn again", labels)
    return sheet.figure(height=150 + 62 * len(metrics))


def _intervals(*, datasets, metrics, seed, **settings) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return interval_table(benchmarks, **settings, rng=seed)


LIVE = Live(
    notebook="test_set",
    question="How wide are the intervals of a metric's correlation, drawn from the judged documents?",
    controls=(
        choices.JUDGED_DATASETS,
        choices.METRICS_OF_ALL,
        choices.COEFFICIENT,
        Several("methods", "Drawn again", METHODS),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    settle_s=SETTLED_S,
    compute=_intervals,
    draw=lambda table, _: interval_pairs(table),
)
