"""experiments.judge_ties: what ties of ratings do to coefficients, and what calling near ratings tied does.

A benchmark whose metrics are named ``JUDGE (DIMENSION)`` in, tidy tables out; called by the notebook
`judge_ties` and its live block. Everything is counted within a document, over its systems, and averaged over
documents. Deutsch, Foster and Freitag 2023, §4 and §5: `metaeval.stats.pairs`.

Intervals draw documents and not systems: a system that is drawn twice would tie with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import Settings, Several
from helpers.kit.live.experiment import Live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY
from helpers.kit.told import benchmark_told
from metaeval.analysis.judges import of_dimension
from metaeval.analysis.several import of_several
from metaeval.datasets import load
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.intervals import percentile_bounds, percentile_ends
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.pairs import by_group, calibrate, fitted_on_few, held_out_right, pair_counts
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, places_of, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

ACCURACY, BEYOND = "accuracy with ties", "beyond all rated alike"
NOWHERE, SAME, OTHERS = "not fitted", "the same documents", "other documents"


@of_several
def ties(benchmark: Benchmark, *, dimensions: Sequence[str]) -> pd.DataFrame:
    """How many pairs of a document's summaries judges tie, and people.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics, or several
    dimensions : sequence of str

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, share_tied, share_tied_human, share_tied_both (means
    over documents), share_unreadable, n_constant_metric (documents of which a judge rates all summaries
    alike), n_constant_human, n_total (documents)

    Raises
    ------
    UnknownNameError
        For a dimension that does not exist.
    """
    rows = []
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        counts = pair_counts(scores, human)
        by_judge, by_people = (
            tied + counts.tied_both for tied in (counts.tied_metric, counts.tied_human)
        )  # (judge, document)
        with np.errstate(invalid="ignore"):
            tied, people, both = (
                np.nanmean(part / counts.total, axis=-1) for part in (by_judge, by_people, counts.tied_both)
            )
        for k, judge in enumerate(judges):
            rows.append(
                {
                    "dataset": benchmark.name,
                    "dimension": dimension,
                    "judge": judge,
                    "share_tied": tied[k],
                    "share_tied_human": people[k],
                    "share_tied_both": both[k],
                    "share_unreadable": np.isnan(scores[k]).mean(),
                    "n_constant_metric": int((by_judge[k] == counts.total[k]).sum()),
                    "n_constant_human": int((by_people[k] == counts.total[k]).sum()),
                    "n_total": human.shape[-1],
                }
            )
    return check(pd.DataFrame(rows), keys=["dataset", "dimension", "judge"], values=["share_tied"])


@of_several
def coefficients(
    benchmark: Benchmark,
    *,
    dimensions: Sequence[str],
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Judges by six coefficients that treat ties in six ways, and the judges' places by each.

    Parameters
    ----------
    benchmark, dimensions : see `ties`
    n_resamples, confidence_level, rng : of the bootstrap of documents; all judges share its draws

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, coefficient, value, low, high, judge_place (1 the
    highest, equal values share one), place_low, place_high (of the places in draws), n_used (documents in
    which the coefficient exists), n_total, n_resamples
    """
    seed, frames = seed_of(rng), []
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        counts = unit_counts(stream(seed, benchmark.name, dimension), n_resamples, human.shape[-1])
        for coefficient, of_document in by_group(scores, human).items():
            value, drawn = system_means(of_document), drawn_means(of_document, counts)
            low, high = percentile_bounds(drawn.T, confidence_level)
            first, last = percentile_bounds(places_of(drawn).T, confidence_level)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name, "dimension": dimension, "judge": judges,
                        "coefficient": coefficient, "value": value, "low": low, "high": high,
                        "judge_place": places_of(value),
                        "place_low": np.floor(first).astype(int), "place_high": np.ceil(last).astype(int),
                        "n_used": (~np.isnan(of_document)).sum(axis=-1), "n_total": human.shape[-1],
                        "n_resamples": n_resamples,
                    }
                )
            )  # fmt: skip
    table = pd.concat(frames, ignore_index=True)
    return check(
        table,
        keys=["dataset", "dimension", "judge", "coefficient"],
        values=["value", "judge_place", "place_low", "place_high"],
    )


@of_several
def calibrations(
    benchmark: Benchmark,
    *,
    dimensions: Sequence[str],
    n_folds: int = 5,
    n_repeats: int = 5,
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Accuracy with ties where near scores are called tied, with a threshold fitted here, there or nowhere.

    Parameters
    ----------
    benchmark, dimensions, n_resamples, confidence_level, rng : see `coefficients`
    n_folds : int
        Each fold of documents is scored with the threshold of the others.
    n_repeats : int
        How often documents are put into folds; what the other documents give is averaged over them.

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, fitted_on (not fitted, the same documents, other
    documents), quantity (`ACCURACY`, or `BEYOND`: the same minus `constant`), value, low, high, mc_error (of
    the folds), low_mc_error, high_mc_error, constant (the accuracy of a judge that rates all alike),
    threshold (fitted on all documents; 0 where nothing is fitted), n_total (documents), n_resamples
        Intervals take the thresholds as given.
    """
    seed, frames = seed_of(rng), []
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        draws = unit_counts(stream(seed, benchmark.name, dimension), n_resamples, human.shape[-1])
        fitted = [calibrate(plane, human) for plane in scores]
        folds = np.stack(
            [
                [
                    held_out_right(plane, human, n_folds=n_folds, rng=stream(seed, "folds", k))
                    for k in range(n_repeats)
                ]
                for plane in scores
            ]
        )  # (judge, repeat, document)
        right = {
            NOWHERE: pair_counts(scores, human).right,
            SAME: np.stack(
                [
                    pair_counts(plane, human, epsilon=found.epsilon).right
                    for plane, found in zip(scores, fitted, strict=True)
                ]
            ),
            OTHERS: folds.mean(axis=1),
        }
        constant = pair_counts(0 * scores, human).right  # on the summaries that the judge rates
        of_folds = mean_error(np.nanmean(folds, axis=-1))
        quantities = {ACCURACY: 0.0, BEYOND: constant}
        for (where, of_document), (quantity, less) in product(right.items(), quantities.items()):
            error = of_folds if where == OTHERS else np.zeros(len(judges))
            more = of_document - less
            value, ends = system_means(more), percentile_ends(drawn_means(more, draws).T, confidence_level)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name, "dimension": dimension, "judge": judges,
                        "fitted_on": where, "quantity": quantity, "value": value, "low": ends.low,
                        "high": ends.high, "mc_error": error,
                        "low_mc_error": np.hypot(ends.low_mc_error, error),
                        "high_mc_error": np.hypot(ends.high_mc_error, error),
                        "constant": np.nanmean(constant, axis=-1),
                        "threshold": 0.0 if where == NOWHERE else [found.epsilon for found in fitted],
                        "n_total": human.shape[-1], "n_resamples": n_resamples,
                    }
                )
            )  # fmt: skip
    table = pd.concat(frames, ignore_index=True)
    keys = ["dataset", "dimension", "judge", "fitted_on", "quantity"]
    return check(table, keys=keys, values=["value", "constant"])


@of_several
def few_documents(
    benchmark: Benchmark,
    *,
    dimensions: Sequence[str],
    n_documents: Sequence[int],
    n_draws: int = 500,
    rng: RNGLike,
) -> pd.DataFrame:
    """How much a threshold flatters that was fitted on so few of the documents.

    Parameters
    ----------
    benchmark, dimensions : see `ties`
    n_documents : sequence of int
        Documents that are fitted on; the rest is what is not.
    n_draws : int
        How often they are drawn.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, n_documents, fitted_on (the same documents, other
    documents), value, mc_error, n_draws
    """
    seed, rows = seed_of(rng), []
    for dimension in dimensions:
        judges, scores, human = _judged(benchmark, dimension)
        for judge, plane in zip(judges, scores, strict=True):
            for n in n_documents:
                # judges share the documents
                draws = stream(seed, benchmark.name, dimension, n)
                found = fitted_on_few(plane, human, n_fitted=n, n_draws=n_draws, rng=draws)
                for where, values in zip((SAME, OTHERS), found, strict=True):
                    rows.append(
                        {
                            "dataset": benchmark.name,
                            "dimension": dimension,
                            "judge": judge,
                            "n_documents": n,
                            "fitted_on": where,
                            "value": values.mean(),
                            "mc_error": mean_error(values),
                            "n_draws": n_draws,
                        }
                    )
    keys = ["dataset", "dimension", "judge", "n_documents", "fitted_on"]
    return check(pd.DataFrame(rows), keys=keys, values=["value", "mc_error"])


def _judged(benchmark: Benchmark, dimension: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The judges of a dimension, their ratings (n_judges, n_systems, n_documents), and people's mean."""
    part = of_dimension(benchmark, dimension, benchmark.judges(dimension))
    return part.metrics, part.scores.to_numpy(), part.human.to_numpy()


def answer(
    ties: pd.DataFrame, coefficients: pd.DataFrame, calibrations: pd.DataFrame, few: pd.DataFrame
) -> dict[str, str]:
    """The page's answer: how many ties there are, what they do to the order of judges, what calibration does.

    Parameters
    ----------
    ties, coefficients, calibrations, few : DataFrames
        Of `ties`, `coefficients`, `calibrations` and `few_documents`.

    Returns
    -------
    dict
        ``judge_ties-answer-short`` and ``-sure``, the answer and what it rests on;
        ``judge_ties-answer-ties``, ``-orders``, ``-calibrated``, ``-alike`` and ``-flattered``; every word is
        chosen from the numbers.
    """
    accuracies = calibrations[calibrations["quantity"] == ACCURACY]
    return {
        "judge_ties-answer-short": _in_short(coefficients, accuracies),
        "judge_ties-answer-sure": _ties_in_short(ties),
        "judge_ties-answer-ties": _of_each(ties, _ties_told),
        "judge_ties-answer-orders": _of_each(coefficients, _orders_told),
        "judge_ties-answer-calibrated": (
            "Now near ratings are called tied, by thresholds from other documents. "
            f"{_of_each(accuracies, _calibrated_told)}"
        ),
        "judge_ties-answer-alike": (
            "A judge that rates all summaries alike has an accuracy with ties too; in brackets is how many "
            "judges lie above it with their whole interval, as they rate and with thresholds from other "
            f"documents. {_of_each(calibrations, _alike_told)}"
        ),
        "judge_ties-answer-flattered": _flattery_told(accuracies, few),
    }


def _in_short(coefficients: pd.DataFrame, accuracies: pd.DataFrame) -> str:
    """In how many data sets and dimensions the first judge changes, and what calibration does to accuracy."""
    first = coefficients[coefficients["judge_place"] == 1]
    firsts = first.groupby(["dataset", "dimension", "coefficient"])["judge"].agg(frozenset)
    by_coefficient = firsts.groupby(level=["dataset", "dimension"]).nunique() > 1
    best = accuracies.groupby(["dataset", "dimension", "fitted_on"])["value"].idxmax()
    winners = accuracies["judge"].loc[best].set_axis(best.index).unstack("fitted_on")
    calibrated = winners[NOWHERE] != winners[OTHERS]
    # several sets of judges of one benchmark differ in what stands behind its name in parentheses
    on = dict.fromkeys(benchmark_told(name) for name in coefficients["dataset"])
    value = accuracies.set_index(["fitted_on", "dataset", "dimension", "judge"])["value"]
    return (
        f"On {wording.joined(list(on))} the coefficient decides which judge comes first in "
        f"{by_coefficient.sum()} of {len(by_coefficient)} cases (data set and dimension), by value "
        "alone. Calling near ratings tied, by thresholds from other documents, changes accuracy by "
        f"{wording.extent(value[OTHERS] - value[NOWHERE])} and the first judge in {calibrated.sum()} of "
        f"{len(calibrated)}."
    )


def _ties_in_short(ties: pd.DataFrame) -> str:
    """How many pairs judges and people tie, over all data sets and dimensions."""
    judges, people = ties["share_tied"], ties["share_tied_human"]
    return (
        f"Judges tie {wording.extent(judges, '.0%')} of a document's pairs, people's means "
        f"{wording.extent(people, '.0%')}."
    )


def _of_each(table: pd.DataFrame, told) -> str:
    return " ".join(
        f"On {words('data', name)}: {told(part)}." for name, part in table.groupby("dataset", sort=False)
    )


def _ties_told(ties: pd.DataFrame) -> str:
    least, most = (ties.loc[place] for place in (ties["share_tied"].idxmin(), ties["share_tied"].idxmax()))
    people, silent = ties["share_tied_human"], ties.loc[ties["n_constant_metric"].idxmax()]
    return (
        f"judges tie from {wording.percent(least['share_tied'])} ({least['judge']}, {least['dimension']}) to "
        f"{wording.percent(most['share_tied'])} ({most['judge']}, {most['dimension']}) of the pairs of "
        f"summaries of a document, people's means {wording.extent(people, '.0%')}; {silent['judge']} rates "
        f"all summaries alike in {silent['n_constant_metric']} of {silent['n_total']} documents "
        f"({silent['dimension']})"
    )


def _orders_told(coefficients: pd.DataFrame) -> str:
    """Which judge each coefficient puts first, dimension by dimension."""
    parts, same = [], {}
    for dimension, part in coefficients.groupby("dimension", sort=False):
        first: dict[str, list[str]] = {}
        for coefficient, rows in part.groupby("coefficient", sort=False):
            winners = wording.joined(rows.loc[rows["judge_place"] == 1, "judge"].tolist())
            first.setdefault(winners, []).append(words("coefficient", coefficient))
        *few, (most, by) = sorted(first.items(), key=lambda found: len(found[1]))
        if few:
            each = [f"{winners} first by {wording.joined(of)}" for winners, of in few]
            others = "the others" if len(by) > 1 else by[0]
            parts.append(f"{dimension} has {' and '.join(each)} and {most} by {others}")
        else:
            same.setdefault(most, []).append(dimension)
    alike = [f"{wording.joined(of)}: {winners} is first by all" for winners, of in same.items()]
    return "; ".join([*parts, *alike])


def _calibrated_told(accuracies: pd.DataFrame) -> str:
    """How the first judge by accuracy changes with thresholds from other documents."""
    changed, same = [], []
    for dimension, part in accuracies.groupby("dimension", sort=False):
        rows = part.set_index(["fitted_on", "judge"])["value"]
        before, after = rows[NOWHERE], rows[OTHERS]
        old, new = before.idxmax(), after.idxmax()
        if old == new:
            same.append(f"{dimension} ({old}, {before[old]:.2f} and {after[old]:.2f})")
        else:
            changed.append(
                f"changes in {dimension} from {old} ({before[old]:.2f}; then {after[old]:.2f}, number "
                f"{int((after > after[old]).sum()) + 1} of {len(after)}) to {new} ({after[new]:.2f})"
            )
    parts = [*changed, *([f"stays in {wording.joined(same)}"] if same else [])]
    return f"the first judge by accuracy with ties {' and '.join(parts)}"


def _alike_told(calibrations: pd.DataFrame) -> str:
    """How many judges beat one that rates all alike, before and after."""
    parts = []
    beyond = calibrations[calibrations["quantity"] == BEYOND]
    for dimension, part in beyond.groupby("dimension", sort=False):
        before, after = (
            int((part.loc[part["fitted_on"] == where, "low"] > DIFFERENCE_TIE).sum())
            for where in (NOWHERE, OTHERS)
        )
        n = part["judge"].nunique()
        parts.append(f"{wording.extent(part['constant'])} in {dimension} ({before} and {after} of {n})")
    return f"it has {wording.joined(parts)}"


def _flattery_told(accuracies: pd.DataFrame, few: pd.DataFrame) -> str:
    keys = ["dataset", "dimension", "judge"]
    whole = accuracies.set_index(["fitted_on", *keys])["value"]
    most = _most(whole[SAME] - whole[OTHERS])
    parts = []
    for n, part in few.groupby("n_documents"):
        of = part.set_index(["fitted_on", *keys])["value"]
        parts.append(f"{n} by {_most(of[SAME] - of[OTHERS])}")
    return (
        "On the documents that it was fitted on, a threshold's accuracy is higher than on others by at most "
        f"{most} with all documents, and with {'; with '.join(parts)}."
    )


def _most(excess: pd.Series) -> str:
    _, dimension, judge = excess.idxmax()
    return f"{wording.number(excess.max(), 3)} ({judge}, {dimension})"


_ACCURACY = {"value": ACCURACY}
_THRESHOLDS = {
    "not fitted": "as the judge rates",
    "the same documents": "near ratings tied, fitted on the same documents",
    "other documents": "near ratings tied, fitted on other documents",
}


def place_lines(results: pd.DataFrame) -> go.Figure:
    """The judges' places by each coefficient with their intervals, 1 on top; a line for each judge.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.coefficients`
    """
    told = zip(results["value"], results["low"], results["high"], strict=True)
    shown = results.assign(
        value=[f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in told],
        coefficient=[words("coefficient", name) for name in results["coefficient"]],
    )
    sheet = marks(
        shown, x="coefficient", y="judge_place", mode="lines+markers", row="dimension", series="judge",
        menu="dataset", row_gap=0.05, ends=("place_low", "place_high"), digits=0, hover=["value", "n_used"],
        labels={"value": "value", "judge_place": "place", "n_used": "documents used"}, size=9,
    ).side_by_side()  # fmt: skip
    most = int(results["judge_place"].max())
    sheet.y(range=[most + 0.5, 0.5], dtick=1, tick0=1, zeroline=False).x(title="coefficient", automargin=True)
    return sheet.menu("Data set", "dataset").figure(height=150 + 190 * results["dimension"].nunique())


def calibration_dots(results: pd.DataFrame) -> go.Figure:
    """Accuracy with ties, without and with a fitted threshold, beside a judge that rates all alike.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.calibrations`
    """
    results = results[results["quantity"] == ACCURACY]
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", row="dimension", series="fitted_on", order=judges, row_gap=0.03,
        hover=["threshold", "constant"], labels=_ACCURACY, name=_THRESHOLDS, size=7,
    )  # fmt: skip
    for dimension, part in results.groupby("dimension", sort=False):
        rows = part.drop_duplicates("judge")
        alike = {"x": rows["constant"].tolist(), "y": rows["judge"].tolist(), "mode": "markers"}
        marker = {"symbol": "line-ns-open", "size": 27, "color": GREY, "line": {"width": 2}}
        said = "<b>%{y}</b><br>a judge that rates all alike: %{x:.3f}<extra></extra>"
        sheet.add(
            alike | {"marker": marker, "name": "a judge that rates all alike", "hovertemplate": said},
            row=dimension, first=True,
        )  # fmt: skip
    sheet.x(range=[0, 1])
    return sheet.figure(height=150 + (50 + 38 * len(judges)) * results["dimension"].nunique())


def flattery_lines(results: pd.DataFrame) -> go.Figure:
    """Accuracy on the documents that a threshold was fitted on, and on others, by how many they were.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.few_documents`
    """
    return (
        marks(
            results, x="n_documents", y="value", mode="lines+markers", panel="dimension", series="fitted_on",
            menu="judge", labels=_ACCURACY | {"n_documents": "documents fitted on"}, size=8,
        )
        .x(type="log", tickmode="array", tickvals=results["n_documents"].unique().tolist())
        .menu("Judge", "judge")
        .figure(height=380)
    )  # fmt: skip


_JUDGED = ("summeval-judges", "llm-summeval")


def _compute(*, datasets, seed, **settings) -> pd.DataFrame:
    return coefficients([load(name) for name in datasets], rng=seed, **settings)


def _datasets(settings: Settings) -> list[str]:
    return choices.at_hand(list(dict.fromkeys([*_JUDGED, *settings["datasets"]])))


def _dimensions(settings: Settings) -> list[str]:
    first, *others = [load(name) for name in settings["datasets"]]
    shared = [name for name in first.judgments if all(name in one.judgments for one in others)]
    return [name for name in shared if all(one.judges(name) for one in (first, *others))]


LIVE = Live(
    notebook="judge_ties",
    question="Which judge comes first, by a coefficient that treats ties in its own way?",
    controls=(
        Several("datasets", "Data sets", _datasets),
        Several("dimensions", "Dimensions", _dimensions),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    compute=_compute,
    draw=lambda table, _: place_lines(table),
)
