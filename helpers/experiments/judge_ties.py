"""experiments.judge_ties: do coefficients that treat ties differently change which judge comes first?

Deutsch, Foster and Freitag 2023, §4 and §5: six coefficients, and near ratings called tied by a threshold.

Metrics are named ``JUDGE (DIMENSION)``. Everything is counted within a document, over its systems, and
averaged over documents. Intervals draw documents and not systems: one drawn twice would tie with itself.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import marks
from helpers.kit.theme import PALETTE, Style
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import accepts_many_benchmarks, judges_as_metrics
from metaeval.datasets import load
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.intervals import percentile_bounds, percentile_ends
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.pairs import calibrate, fitted_on_few, group_coefficients, held_out_right, pair_counts
from metaeval.stats.streams import stream
from metaeval.stats.ties import places_of, system_means
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import words

ACCURACY = "accuracy with ties"
NOWHERE, SAME, OTHERS = "not fitted", "the same documents", "other documents"


@accepts_many_benchmarks
@tidy("dataset", "dimension", "judge", values=["share_tied"])
def ties(benchmark: Benchmark, *, dimensions):
    """Shares of the pairs of a document's summaries that judges tie, and people, averaged over documents."""
    # n_constant_*: documents of which one side rates all summaries alike
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        counts = pair_counts(scores, human)
        by_judge, by_people = (part + counts.tied_both for part in (counts.tied_metric, counts.tied_human))
        with np.errstate(invalid="ignore"):
            tied, people, both = (
                np.nanmean(part / counts.total, axis=-1) for part in (by_judge, by_people, counts.tied_both)
            )
        yield {
            "dataset": benchmark.name, "dimension": dimension, "judge": judges,
            "share_tied": tied, "share_tied_human": people, "share_tied_both": both,
            "share_unreadable": np.isnan(scores).mean(axis=(1, 2)),
            "n_constant_metric": (by_judge == counts.total).sum(axis=-1),
            "n_constant_human": (by_people == counts.total).sum(axis=-1),
            "n_total": human.shape[-1],
        }  # fmt: skip


@accepts_many_benchmarks
@tidy("dataset", "dimension", "judge", "coefficient", values=["value", "judge_place"])
def coefficients(benchmark: Benchmark, *, dimensions, n_resamples=2_000, confidence_level=0.95, rng):
    """Judges by six coefficients that treat ties in six ways, and the judges' places by each."""
    # place 1 is the highest, equal values share one; n_used: documents in which the coefficient exists
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        counts = unit_counts(stream(rng, benchmark.name, dimension), n_resamples, human.shape[-1])
        for coefficient, values in group_coefficients(scores, human).items():
            value, drawn = system_means(values), drawn_means(values, counts)
            low, high = percentile_bounds(drawn.T, confidence_level)
            first, last = percentile_bounds(places_of(drawn).T, confidence_level)
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": judges,
                "coefficient": coefficient, "value": value, "low": low, "high": high,
                "judge_place": places_of(value),
                "place_low": np.floor(first).astype(int), "place_high": np.ceil(last).astype(int),
                "n_used": (~np.isnan(values)).sum(axis=-1), "n_total": human.shape[-1],
                "n_resamples": n_resamples,
            }  # fmt: skip


@accepts_many_benchmarks
@tidy("dataset", "dimension", "judge", "fitted_on", values=["value", "constant"])
def calibrations(
    benchmark: Benchmark, *, dimensions, n_folds=5, n_repeats=5, n_resamples=2_000, confidence_level=0.95, rng
):
    """Accuracy with ties where near scores are tied, by a threshold fitted here, there or nowhere."""
    # constant: accuracy of a judge that rates all alike; intervals take the thresholds as given, `mc_error`
    # is that of putting documents into folds
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        draws = unit_counts(stream(rng, benchmark.name, dimension), n_resamples, human.shape[-1])
        thresholds = [calibrate(plane, human).epsilon for plane in scores]
        pairs = list(zip(scores, thresholds, strict=True))
        folds = [
            [held_out_right(plane, human, n_folds=n_folds, rng=stream(rng, "folds", k)) for plane in scores]
            for k in range(n_repeats)
        ]
        folds = np.stack(folds, axis=1)  # (judge, repeat, document)
        right = {
            NOWHERE: pair_counts(scores, human).right,
            SAME: np.stack([pair_counts(plane, human, epsilon=fitted).right for plane, fitted in pairs]),
            OTHERS: folds.mean(axis=1),
        }
        constant = pair_counts(0 * scores, human).right  # on the summaries that the judge rates
        for where, accuracies in right.items():
            error = mean_error(np.nanmean(folds, axis=-1)) if where == OTHERS else np.zeros(len(judges))
            ends = percentile_ends(drawn_means(accuracies, draws).T, confidence_level)
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": judges, "fitted_on": where,
                "value": system_means(accuracies), "low": ends.low, "high": ends.high,
                "mc_error": error, "low_mc_error": np.hypot(ends.low_mc_error, error),
                "high_mc_error": np.hypot(ends.high_mc_error, error),
                "constant": np.nanmean(constant, axis=-1),
                "threshold": 0.0 if where == NOWHERE else thresholds,
                "n_total": human.shape[-1], "n_resamples": n_resamples,
            }  # fmt: skip


@accepts_many_benchmarks
@tidy("dataset", "dimension", "judge", "n_documents", "fitted_on", values=["value", "mc_error"])
def few_documents(benchmark: Benchmark, *, dimensions, n_documents, n_draws=500, rng):
    """Accuracy with ties on few documents that a threshold was fitted on, and on all others."""
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        for (judge, plane), n in product(zip(judges, scores, strict=True), n_documents):
            draws = stream(rng, benchmark.name, dimension, n)  # judges share the documents
            accuracies = np.stack(fitted_on_few(plane, human, n_fitted=n, n_draws=n_draws, rng=draws))
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": judge, "n_documents": n,
                "fitted_on": [SAME, OTHERS], "value": accuracies.mean(axis=-1),
                "mc_error": mean_error(accuracies), "n_draws": n_draws,
            }  # fmt: skip


def _judged(benchmark: Benchmark, dimension: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The judges of a dimension, their ratings (n_judges, n_systems, n_documents), and people's mean."""
    part = judges_as_metrics(benchmark, dimension, benchmark.judges(dimension))
    return part.metrics, part.scores.to_numpy(), part.human.to_numpy()


@tidy("dataset", "dimension", "quantity")
def first_judges(coefficients: pd.DataFrame, calibrations: pd.DataFrame):
    """Numbers of judges that come first by one coefficient or another, and without or with a threshold."""
    keys = ["dataset", "dimension"]
    fitted = {key: part for key, part in calibrations.groupby(keys)}
    for key, part in coefficients.groupby(keys, sort=False):
        first = part[part["judge_place"] == 1].groupby("coefficient")["judge"].agg(frozenset)
        values = fitted[key].pivot(index="judge", columns="fitted_on", values="value")
        yield dict(zip(keys, key, strict=True)) | {
            "quantity": ["first by coefficient", "first by threshold", "greatest gain by threshold"],
            "value": [
                first.nunique(), values[[NOWHERE, OTHERS]].idxmax().nunique(),
                (values[OTHERS] - values[NOWHERE]).max(),
            ],
        }  # fmt: skip


def place_lines(results: pd.DataFrame) -> go.Figure:
    """The judges' places by each coefficient with their intervals, 1 on top; a line for each judge."""
    ends = zip(results["value"], results["low"], results["high"], strict=True)
    named = results.assign(
        value=[f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in ends],
        coefficient=[words("coefficient", name) for name in results["coefficient"]],
    )
    sheet = marks(
        named, x="coefficient", y="judge_place", mode="lines+markers", row="dimension", series="judge",
        menu="dataset", row_gap=0.05, ends=("place_low", "place_high"), digits=0, hover=["value", "n_used"],
        labels={"value": "value", "judge_place": "place", "n_used": "documents used"}, size=9, bars=False,
        style={judge: Style(PALETTE[k % len(PALETTE)]) for k, judge in enumerate(named["judge"].unique())},
    )  # fmt: skip
    last = int(results["judge_place"].max())
    sheet.y(range=[last + 0.5, 0.5], dtick=1, tick0=1, zeroline=False).x(title="coefficient", automargin=True)
    return sheet.menu("Data set", "dataset").figure(height=150 + 190 * results["dimension"].nunique())


def flattery_lines(results: pd.DataFrame) -> go.Figure:
    """Accuracy on the documents that a threshold was fitted on, and on others, by how many they were."""
    sheet = marks(
        results, x="n_documents", y="value", mode="lines+markers", panel="dimension", series="fitted_on",
        menu="judge", labels={"value": ACCURACY, "n_documents": "documents fitted on"}, size=8,
    )  # fmt: skip
    sheet.x(type="log", tickmode="array", tickvals=results["n_documents"].unique().tolist())
    return sheet.menu("Judge", "judge").figure(height=380)


def _dimensions(settings) -> list[str]:
    """Those that judges rated too, in all of the chosen data sets."""
    first, *others = [load(name) for name in settings["datasets"]]
    shared = [name for name in first.judgments if all(name in one.judgments for one in others)]
    return [name for name in shared if all(one.judges(name) for one in (first, *others))]


LIVE = live(
    "judge_ties",
    lambda *, datasets, seed, **settings: coefficients(
        [load(name) for name in datasets], rng=seed, **settings
    ),
    place_lines,
    "datasets dimensions confidence_level n_resamples",
    question="Which judge comes first, by a coefficient that treats ties in its own way?",
    offer={"dimensions": _dimensions},
    initial={"n_resamples": 199},
    settle_s=AT_ONCE_S,
)
