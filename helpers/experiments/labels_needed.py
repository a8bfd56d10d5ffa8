"""experiments.labels_needed: how many judgments of people a comparison needs, and how many a judge saves.

Benchmarks with single raters and judges in, tidy tables out; called by the notebook `labels_needed` and its
live block. Variance components after Brennan 2001, prediction-powered means after Angelopoulos et al. 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Whole
from helpers.kit.live.experiment import Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import ENDS, Panels, grid, label, with_system_names
from helpers.kit.theme import BLUE, GREY, ORANGE, PALETTE, PURPLE, Style, share_axis
from helpers.kit.told import benchmark_told
from metaeval.analysis.judges import of_dimension
from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level, check_count, check_share
from metaeval.datasets import load
from metaeval.datasets.readers.summeval import CROWD
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.components import Components
from metaeval.stats.components import components as components_of
from metaeval.stats.correlation import centred
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.planning import difference_power, together
from metaeval.stats.prediction import MIN_LABELLED, predicted_mean, selection_pvalue
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import TIE_BREAK
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import EFFECT_LABELS, words

SYSTEM, DIFFERENCE = "a system's mean", "the difference of two systems"
WITH_JUDGE, PEOPLE_ONLY = "people and judge", "people only"
AT_RANDOM, LOWEST = "at random", "the judge's lowest"
_WORTH = 1.1  # times the labels, below which a judge's help is hardly worth its trouble
MOST_TRIALS = 100_000  # of a made-up world, kept all at once
REFUSED = 0.001  # labels drawn at random differ this far from the rest, by the judge, once in a thousand
_RELIABILITY, _CORRELATION, _POWER, _SAVED = (
    "reliability of systems' means",
    "judge's correlation with people",
    "power at the difference",
    "labels saved, at most",
)


def judged_components(benchmark: Benchmark, judgment: str) -> Components:
    """Variance components of one judgment of a benchmark, with raters where they were released one by one."""
    if judgment in benchmark.ratings:
        rated = benchmark.rated(judgment)
        if rated.sizes["rater"] > 1:
            return components_of(_last(rated), nested=judgment.endswith(CROWD))
    return components_of(benchmark.judgment(judgment).to_numpy())


def _last(rated: xr.DataArray) -> np.ndarray:
    return rated.transpose("system", "document", "rater").to_numpy()


def components(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """What the differences between single judgments are due to.

    Parameters
    ----------
    benchmarks : sequence of Benchmark

    Returns
    -------
    DataFrame with columns dataset, judgment, effect, value (its variance; an estimate below 0 is shown as 0,
    with a remark), share_of_variance, n_systems, n_documents, n_raters (0 where nobody is told apart), remark
    """
    rows = []
    for benchmark in benchmarks:
        for judgment in benchmark.judgments:
            found = judged_components(benchmark, judgment)
            shares = found.shares()
            rows += [
                {
                    "dataset": benchmark.name,
                    "judgment": judgment,
                    "effect": EFFECT_LABELS[effect],
                    "value": max(variance, 0.0),
                    "share_of_variance": shares[effect],
                    "n_systems": len(benchmark.systems),
                    "n_documents": len(benchmark.documents),
                    "n_raters": len(benchmark.raters(judgment)) if found.has_raters else 0,
                    "remark": "estimated below 0" if variance < 0 else "",
                }
                for effect, variance in found.variances.items()
            ]
    return check(pd.DataFrame(rows), keys=["dataset", "judgment", "effect"])


def reliabilities(
    benchmark: Benchmark, *, dimensions: Sequence[str], n_documents: Sequence[int], n_raters: Sequence[int]
) -> pd.DataFrame:
    """Reliability of systems' means over documents and raters to come.

    Parameters
    ----------
    benchmark : Benchmark with single raters
    dimensions : sequence of str
    n_documents, n_raters : sequences of int
        Every combination is a row.

    Returns
    -------
    DataFrame with columns dataset, dimension, n_documents, n_raters, value, lowest, highest (when one of the
    raters is left out; NaN with fewer than three)
    """
    documents, raters = np.meshgrid(n_documents, n_raters, indexing="ij")
    frames = []
    for dimension in dimensions:
        rated = benchmark.rated(dimension)
        without = [rated.drop_sel(rater=[name]) for name in benchmark.raters(dimension)]
        nested = dimension.endswith(CROWD)
        value, *others = (
            components_of(_last(part), nested=nested).reliability(documents, raters).ravel()
            for part in ([rated, *without] if len(without) > 2 else [rated])
        )
        left = np.stack(others or [np.full(value.shape, np.nan)])
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "dimension": dimension,
                    "n_documents": documents.ravel(),
                    "n_raters": raters.ravel(),
                    "value": value,
                    "lowest": left.min(axis=0),
                    "highest": left.max(axis=0),
                }
            )
        )
    return check(pd.concat(frames, ignore_index=True), keys=["dimension", "n_documents", "n_raters"])


def doubled(benchmark: Benchmark, *, dimensions: Sequence[str]) -> pd.DataFrame:
    """The reliability of a benchmark's means as they are, with twice the documents and with twice the raters.

    Parameters
    ----------
    benchmark, dimensions : see `reliabilities`

    Returns
    -------
    DataFrame with columns dataset, dimension, n_documents, n_raters, value, lowest, highest, twice_documents,
    twice_raters
    """
    n, frames = len(benchmark.documents), []
    for dimension in dimensions:
        k = len(benchmark.raters(dimension))
        grid = reliabilities(benchmark, dimensions=[dimension], n_documents=[n, 2 * n], n_raters=[k, 2 * k])
        at = grid.set_index(["n_documents", "n_raters"])["value"]
        frames.append(grid.head(1).assign(twice_documents=at[2 * n, k], twice_raters=at[n, 2 * k]))
    return check(pd.concat(frames, ignore_index=True), keys=["dimension"])


def outlook(
    benchmark: Benchmark,
    *,
    judge: str,
    dimensions: Sequence[str],
    n_systems: int,
    n_documents: int,
    n_raters: int,
    share_labelled: float,
    difference: float,
    coefficient: str = "kendall",
    confidence_level: float = 0.95,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """What a design to come would give: reliability, a judge's correlation, power, and what the judge saves.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics and single raters
    judge, dimensions : as `Benchmark.judges` lists them
    n_systems, n_documents, n_raters : int
    share_labelled : float in (0, 1)
        Of the documents, those that people would label, drawn at random; the judge sees all.
    difference : float
        Of two systems' true means, in units of the scale.
    coefficient, confidence_level, alpha : of the correlation and of the test

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, quantity, value, low, high (of the correlation, by
    Fisher's formula), n_systems, n_documents, n_raters
    """
    check_share("share_labelled", share_labelled)
    rows = []
    for dimension in dimensions:
        part = of_dimension(benchmark, dimension, [judge])
        both = together(
            _last(part.rated(dimension)), part.scores[0].to_numpy(), nested=dimension.endswith(CROWD)
        )
        expected, low, high = both.correlation_interval(
            n_systems, n_documents, n_raters, coefficient=coefficient, confidence_level=confidence_level
        )
        left = unexplained(part.human.to_numpy(), part.scores[0].to_numpy())
        found = {
            _RELIABILITY: (both.people.reliability(n_documents, n_raters), np.nan, np.nan),
            _CORRELATION: (expected, low, high),
            _POWER: (
                difference_power(both.people, difference, n_documents, n_raters, alpha=alpha),
                np.nan,
                np.nan,
            ),
            _SAVED: ((1 - left) * (1 - share_labelled), np.nan, np.nan),
        }
        rows += [
            {
                "dataset": benchmark.name, "dimension": dimension, "judge": judge, "quantity": quantity,
                "value": float(value), "low": float(lower), "high": float(upper),
                "n_systems": n_systems, "n_documents": n_documents, "n_raters": n_raters,
            }
            for quantity, (value, lower, upper) in found.items()
        ]  # fmt: skip
    return check(pd.DataFrame(rows), keys=["dimension", "quantity"])


def unexplained(labels: np.ndarray, predictions: np.ndarray) -> float:
    """The part of people's variance over documents that a judge leaves open, fitted to each row by itself.

    Parameters
    ----------
    labels, predictions : float arrays (n, n_documents), NaN where missing
        A judge that turns a row round leaves it all open.
    """
    both = ~np.isnan(labels) & ~np.isnan(predictions)
    y, f = centred(labels, both), centred(predictions, both)
    of_people, of_judge, shared = (y**2).sum(axis=1), (f**2).sum(axis=1), (y * f).sum(axis=1)
    explained = np.maximum(shared, 0.0) ** 2 / np.where(of_judge > 0, of_judge, 1.0)
    total = of_people.sum()
    return float(1 - explained.sum() / total) if total else np.nan


def savings(
    benchmarks: Sequence[Benchmark],
    *,
    dimensions: Sequence[str],
    share_labelled: float,
    n_draws: int = 100,
    rng: RNGLike,
) -> pd.DataFrame:
    """How many times as many labels people alone would need, by judge, for a mean and for a difference.

    Parameters
    ----------
    benchmarks : sequence of Benchmark that people judged whole
        The first has judges of the dimensions; of the others all metrics are taken as judges of the gold
        standard, and those without metrics are left out.
    dimensions : sequence of str
    share_labelled : float in (0, 1)
        Of the documents, those whose labels are kept, drawn at random in every draw.
    n_draws : int
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, estimated, value (times as many labels, over systems or
    pairs and draws together), mc_error, saved_at_most (with answers of the judge without end),
    saved_here_at_most (with as many as there are), n_documents, n_labelled, n_draws
    """
    check_count("n_draws", n_draws, at_least=2)
    first, *others = benchmarks
    asked = [(first, dimension) for dimension in dimensions]
    asked += [(other, other.judgments[0]) for other in others if other.metrics]
    seed, rows = seed_of(rng), []
    for benchmark, dimension in asked:
        part = _with_judges(benchmark, dimension)
        people = part.human.to_numpy()
        n_labelled = _n_labelled(people.shape[1], share_labelled)
        # the same documents for every judge
        chance = stream(seed, benchmark.name, dimension).random((n_draws, people.shape[1]))
        kept = _first(chance, n_labelled)[:, None, :]
        one, other = np.triu_indices(len(people), 1)
        for judge in part.metrics:
            scores = part.metric(judge).to_numpy()
            keys = {"dataset": benchmark.name, "dimension": dimension, "judge": judge}
            for estimated, y, f in (
                (SYSTEM, people, scores),
                (DIFFERENCE, people[one] - people[other], scores[one] - scores[other]),
            ):
                rows.append({**keys, "estimated": estimated, **_saved(y, f, kept), "n_labelled": n_labelled})
    return check(
        pd.DataFrame(rows).assign(n_draws=n_draws), keys=["dataset", "dimension", "judge", "estimated"]
    )


def _saved(people, scores, kept):
    """Columns of `savings` of rows (n, n_documents), with the documents kept in each draw."""
    left, n_documents = unexplained(people, scores), people.shape[1]
    labels = np.where(kept, people, np.nan)
    found = predicted_mean(labels, np.broadcast_to(scores, labels.shape))
    # of all rows together, so that one with hardly any variance does not count more
    alone = np.square(found.labels_only_error).sum(axis=1)
    helped = np.square(found.standard_error).sum(axis=1)
    value = alone.sum() / helped.sum()
    spread = (alone - value * helped).std(ddof=1) / helped.mean()
    unlabelled = 1 - kept[0].mean()
    return {
        "value": value,
        "mc_error": spread / np.sqrt(len(kept)),
        "saved_at_most": 1 / left,
        "saved_here_at_most": 1 / (1 - (1 - left) * unlabelled),
        "n_documents": n_documents,
    }


def _with_judges(benchmark: Benchmark, dimension: str) -> Benchmark:
    """Its judges of a dimension as metrics, or all its metrics where it has no judges of any dimension."""
    if any(benchmark.judges(judgment) for judgment in benchmark.judgments):
        return of_dimension(benchmark, dimension, benchmark.judges(dimension))
    return benchmark.judged_by(dimension)


def _n_labelled(n_documents: int, share_labelled: float) -> int:
    check_share("share_labelled", share_labelled)
    n = round(share_labelled * n_documents)
    if not MIN_LABELLED <= n < n_documents:
        raise ValueError(
            f"`share_labelled` of {share_labelled:g} is {n} of {n_documents} documents; at least "
            f"{MIN_LABELLED} need a label, and at least one none"
        )
    return n


def _first(order: np.ndarray, n: int) -> np.ndarray:
    """Which documents of (..., n_documents) are the first n in an order."""
    return order.argsort(axis=-1).argsort(axis=-1) < n


def estimates(
    benchmark: Benchmark,
    *,
    judge: str,
    dimension: str,
    share_labelled: float,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Systems' means, and differences of neighbours, from few labels: by people alone, and with a judge.

    Parameters
    ----------
    benchmark : Benchmark with judges as metrics, or with metrics
        Where people left documents without labels, theirs are taken as they are; otherwise some are drawn.
    judge, dimension : str
    share_labelled : float in (0, 1)
        Of the documents, those that are drawn.
    confidence_level : float in (0, 1)
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, dimension, judge, estimated, metric (a system, or two neighbours in
    people's order), method (people alone or with the judge), value, low, high, whole (over all labels, NaN
    where there are none), n_labelled, n_documents

    Raises
    ------
    DataError
        If the labelled documents differ from the others, by the judge, as documents drawn at random hardly
        ever do.
    """
    check_confidence_level(confidence_level)
    part = _with_judges(benchmark, dimension)
    people, scores = part.human.to_numpy(), part.metric(judge).to_numpy()
    labelled = ~np.isnan(people).any(axis=0)
    # by all labels, so that the same neighbours are compared whatever is drawn
    order = np.argsort(-np.where(labelled, people, 0.0).sum(axis=1), kind="stable")
    whole = people
    if labelled.all():
        n = _n_labelled(people.shape[1], share_labelled)
        labelled = (
            stream(seed_of(rng), benchmark.name, dimension).random(len(labelled)).argsort().argsort() < n
        )
    else:
        whole = np.full(people.shape, np.nan)
        check_drawn(people, scores)
    names = np.array(part.systems, dtype=object)[order]
    y, f, truth = (values[order] for values in (np.where(labelled, people, np.nan), scores, whole))
    frames = []
    for estimated, called, given in (
        (SYSTEM, names, (y, f, truth)),
        (
            DIFFERENCE,
            [f"{a} − {b}" for a, b in pairwise(names)],
            tuple(values[:-1] - values[1:] for values in (y, f, truth)),
        ),
    ):
        found = predicted_mean(given[0], given[1], confidence_level=confidence_level)
        for method, columns in (
            (PEOPLE_ONLY, (found.labels_only, found.labels_only_low, found.labels_only_high)),
            (WITH_JUDGE, (found.value, found.low, found.high)),
        ):
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name, "dimension": dimension, "judge": judge,
                        "estimated": estimated, "metric": called, "method": method,
                        **dict(zip(("value", "low", "high"), columns, strict=True)),
                        "whole": given[2].mean(axis=1), "n_labelled": found.n_labelled,
                        "n_documents": people.shape[1],
                    }
                )
            )  # fmt: skip
    return check(pd.concat(frames, ignore_index=True), keys=["estimated", "metric", "method"])


def check_drawn(people: np.ndarray, scores: np.ndarray) -> None:
    """Raise where labelled documents differ from the others, by the judge, too far for chance.

    Parameters
    ----------
    people : float array (n_systems, n_documents), NaN where a document was not labelled
    scores : float array of the same shape, of the judge

    Raises
    ------
    DataError
    """
    labelled = np.where(np.isnan(people).any(axis=0), np.nan, 0.0)
    found = float(selection_pvalue(labelled, scores.mean(axis=0)))
    if found < REFUSED:
        raise DataError(
            "labels have to be of documents drawn at random: the judge scores the labelled documents and the "
            f"others apart ({wording.pvalue(found, name='p')}), and estimates with its help would lean; draw "
            "the documents anew, or use people's labels alone and say how they were chosen"
        )


def coverage(
    *,
    n_documents: int = 100,
    share_labelled: float = 0.25,
    noise: Sequence[float] = (0.4, 1.5),
    n_trials: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How often intervals hold the true mean in a made-up world, whose truth is known.

    Two systems, three raters, and judges of different noise; every trial has its own documents and answers,
    and the truth is the mean over the documents of all trials.

    Parameters
    ----------
    n_documents : int
    share_labelled : float in (0, 1)
    noise : sequence of float
        Of the judges; see `metaeval.simulation.raters.Rater`.
    n_trials : int
    confidence_level : float in (0, 1)
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns labelling (how the labelled documents are chosen), judge, estimated, method,
    value (share of the trials whose interval holds the truth), share_refused, n_trials, n_documents,
    n_labelled, low, high (Clopper and Pearson's interval of the share)
    """
    check_count("n_trials", n_trials, at_least=2, at_most=MOST_TRIALS)
    seed = seed_of(rng)
    n_labelled = _n_labelled(n_documents, share_labelled)
    shape = (2, n_trials, n_documents)
    drawn = stream(seed, "quality").standard_normal((3, *shape[1:]))
    quality = np.array([3.3, 3.0])[:, None, None] + 0.4 * drawn[0] + 0.7 * drawn[1:]
    flat = quality.reshape(2, -1)
    crew = [Rater(bias=0.2, noise=0.7), Rater(bias=-0.1, noise=0.6), Rater(noise=0.8, slope=0.9)]
    answers = [rate(flat, rater, rng=stream(seed, "rater", k))[0] for k, rater in enumerate(crew)]
    people = np.mean(answers, axis=0).reshape(shape)
    by_chance = stream(seed, "labelled").random(shape[1:])
    rows = []
    for spread in noise:
        judge = Rater(bias=-0.5, slope=0.8, noise=spread)
        scores = rate(flat, judge, rng=stream(seed, "judge", float(spread)))[0].reshape(shape)
        # ties between the judge's lowest are broken by chance
        lowest = scores.mean(axis=0) + TIE_BREAK * by_chance
        for labelling, order in ((AT_RANDOM, by_chance), (LOWEST, lowest)):
            labelled = _first(order, n_labelled)
            of_document = np.where(labelled, 0.0, np.nan)
            refused = (selection_pvalue(of_document, scores.mean(axis=0)) < REFUSED).mean()
            for estimated, y, f in (
                (SYSTEM, people[0], scores[0]),
                (DIFFERENCE, people[0] - people[1], scores[0] - scores[1]),
            ):
                found = predicted_mean(np.where(labelled, y, np.nan), f, confidence_level=confidence_level)
                for method, low, high in (
                    (PEOPLE_ONLY, found.labels_only_low, found.labels_only_high),
                    (WITH_JUDGE, found.low, found.high),
                ):
                    rows.append(
                        {
                            "labelling": labelling, "judge": f"noise of {spread:g}", "estimated": estimated,
                            "method": method, "value": ((low <= y.mean()) & (y.mean() <= high)).mean(),
                            "share_refused": refused, "n_trials": n_trials, "n_documents": n_documents,
                            "n_labelled": n_labelled,
                        }
                    )  # fmt: skip
    found = pd.DataFrame(rows)
    low, high = share_interval(found["value"], found["n_trials"], confidence_level=confidence_level)
    found = found.assign(low=low, high=high)
    return check(found, keys=["labelling", "judge", "estimated", "method"], values=["low", "high"])


def answer(
    components: pd.DataFrame,
    doubled: pd.DataFrame,
    outlook: pd.DataFrame,
    savings: pd.DataFrame,
    coverage: pd.DataFrame,
    *,
    difference: float,
) -> dict[str, str]:
    """The page's answer: where differences come from, what more labels do, what a judge saves and when.

    Parameters
    ----------
    components, doubled, outlook, savings, coverage : DataFrames of the functions of these names
        Of `components` the judgments of `doubled` are spoken of.
    difference : float
        That the power in `outlook` is of.

    Returns
    -------
    dict
        ``labels_needed-answer-short`` and ``-sure``, what labels give and what a judge adds to them;
        ``labels_needed-answer-variance``, ``-more``, ``-judge`` and ``-random``; every word is chosen from
        the numbers.
    """
    return {
        "labels_needed-answer-short": _in_short(doubled, outlook, difference),
        "labels_needed-answer-sure": _judge_in_short(savings),
        "labels_needed-answer-variance": _sources_told(components, doubled),
        "labels_needed-answer-more": _more_told(doubled),
        "labels_needed-answer-judge": _savings_told(savings),
        "labels_needed-answer-random": _coverage_told(coverage),
    }


def _in_short(doubled: pd.DataFrame, outlook: pd.DataFrame, difference: float) -> str:
    """What a design to come gives, and whether twice the documents or twice the raters add more."""
    first, values = outlook.iloc[0], outlook.set_index("quantity")["value"]
    by_documents = int((doubled["twice_documents"] > doubled["twice_raters"]).sum())
    reliability, power = (
        wording.extent(values[[name]], form) for name, form in ((_RELIABILITY, "z.2f"), (_POWER, ".0%"))
    )
    return (
        f"On {benchmark_told(doubled['dataset'].iloc[0])}, with {first.n_documents} documents and "
        f"{first.n_raters} raters, systems' means have reliability {reliability}; a true difference of "
        f"{difference:g} points is found in {power} of studies. Doubling documents helps more than doubling "
        f"raters in {by_documents} of {wording.counted(len(doubled), 'dimension')}."
    )


def _judge_in_short(savings: pd.DataFrame) -> str:
    """Which share of the labels a judge saves at best, and where."""
    most = savings["value"].max()
    if not most > 1:
        return "No judge is shown to save labels."
    where = ", ".join(benchmark_told(name) for name in savings["dataset"].unique())
    return (
        f"With {_labelled(savings)} of documents labelled, a judge saves at most "
        f"{wording.percent(1 - 1 / most)} of labels ({where})."
    )


def _labelled(savings: pd.DataFrame) -> str:
    """The share of the documents that people label."""
    return wording.extent(savings["n_labelled"] / savings["n_documents"], ".0%")


def _sources_told(components: pd.DataFrame, doubled: pd.DataFrame) -> str:
    told: dict[str, list[str]] = {}
    systems = []
    for row in doubled.itertuples():
        part = components[
            (components["dataset"] == row.dataset) & (components["judgment"] == row.dimension)
        ].set_index("effect")["share_of_variance"]
        systems.append(f"{100 * part[EFFECT_LABELS['system']]:.0f} % in {row.dimension}")
        told.setdefault(part.idxmax(), []).append(row.dimension)
    largest = [f"{effect} in {wording.joined(of)}" for effect, of in told.items()]
    return (
        f"Of the variance of single judgments, differences of systems make up {wording.joined(systems)}; the "
        f"largest part is {wording.joined(largest)}."
    )


def _more_told(doubled: pd.DataFrame) -> str:
    parts: dict[tuple[str, str], list[str]] = {}
    for row in doubled.itertuples():
        twice = {"raters": row.twice_raters, "documents": row.twice_documents}
        better, other = sorted(twice, key=twice.__getitem__, reverse=True)
        parts.setdefault((better, other), []).append(
            f"{row.dimension} (from {row.value:.3f} to {twice[better]:.3f} against {twice[other]:.3f})"
        )
    told = [
        f"more through {better} than through {other} in {wording.joined(of)}"
        for (better, other), of in parts.items()
    ]
    first = doubled.iloc[0]
    return (
        f"From {first.n_documents} documents and {first.n_raters} raters, doubling the judgments raises the "
        f"reliability of the systems' means {'; '.join(told)}."
    )


def _savings_told(savings: pd.DataFrame) -> str:
    said = []
    for estimated, of in savings.groupby("estimated", sort=False):
        best = of.loc[of.groupby(["dataset", "dimension"], sort=False)["value"].idxmax(), "value"]
        n = int((of["value"] < _WORTH).sum())
        said.append(
            f"for {estimated} the best judge of a dimension is worth {wording.extent(best)} "
            f"times the labels, and {wording.share(n, len(of))} ({n} of {len(of)}) of the judges less than "
            f"{_WORTH:.2f} times"
        )
    most = savings["saved_at_most"].max()
    return (
        f"What a judge adds to people's labels of {_labelled(savings)} of the documents: {'; '.join(said)}. "
        f"With answers of the judge without limit it would be {most:.2f} times at most"
        f"{f' ({wording.percent(1 - 1 / most)} of the labels saved)' if most > 1 else ''}."
    )


def _coverage_told(coverage: pd.DataFrame) -> str:
    helped = coverage[coverage["method"] == WITH_JUDGE].set_index("labelling")
    held, refused = {}, {}
    for labelling, of in helped.groupby(level="labelling"):
        held[labelling] = wording.joined(
            [f"{name} in {_span(part['value'])}" for name, part in of.groupby("estimated", sort=False)]
        )
        refused[labelling] = _span(of["share_refused"])
    return (
        f"In a made-up world, intervals with a judge's help hold {held[AT_RANDOM]} of the trials if the "
        f"documents to label are drawn at random; if they are those that the judge scores lowest, "
        f"{held[LOWEST]}. Labels that look chosen are refused: in {refused[LOWEST]} of the latter trials, "
        f"and in {refused[AT_RANDOM]} of the former."
    )


def _span(shares: pd.Series) -> str:
    ends = [f"{100 * share:.1f}" for share in (shares.min(), shares.max())]
    return f"{' to '.join(dict.fromkeys(ends))} %"


_STYLES = (Style(ORANGE, symbol="diamond"), Style(BLUE), Style(GREY, symbol="x"))


def component_bars(components: pd.DataFrame) -> go.Figure:
    """One bar per judgment, divided by what its variance is due to; one row of panels per data set.

    Parameters
    ----------
    components : DataFrame of `helpers.experiments.labels_needed.components`
    """
    sets = components["dataset"].unique().tolist()
    n_bars = components.groupby("dataset", sort=False)["judgment"].nunique()
    titles = [words("dataset", name) for name in sets]
    sheet = Panels(rows=sets, row_titles=titles, heights=n_bars.tolist(), row_gap=0.05)
    for place, (effect, of) in enumerate(components.groupby("effect", sort=False)):
        for name, part in of.groupby("dataset", sort=False):
            bar = {
                "type": "bar",
                "orientation": "h",
                "name": effect,
                "x": part["share_of_variance"].tolist(),
                "y": [words("judgment", name) for name in part["judgment"]],
                "customdata": (part[["value", "share_of_variance"]] * [1, 100]).to_numpy().tolist(),
                "marker": {"color": PALETTE[place]},
                "hovertemplate": f"<b>%{{y}}</b>, {effect}<br>%{{customdata[1]:.1f}} %<br>"
                "variance: %{customdata[0]:.3f}<extra></extra>",
            }
            sheet.add(bar, row=name)
    # beyond the end there is room for the label of the last tick
    sheet.x(title="share of the variance", **share_axis(high=1.04))
    sheet.y(title="judgment", autorange="reversed", automargin=True)
    return sheet.figure(height=190 + 26 * int(n_bars.sum()), barmode="stack")


def reliability_contours(reliabilities: pd.DataFrame, pilot: pd.DataFrame) -> go.Figure:
    """Lines of equal reliability over documents and raters; a dropdown picks the dimension.

    Parameters
    ----------
    reliabilities : DataFrame of `helpers.experiments.labels_needed.reliabilities`
    pilot : DataFrame of `helpers.experiments.labels_needed.doubled`
        Whose sizes are marked, and twice these: what lies beyond is far from anything that was measured.
    """
    documents, raters = (
        sorted(reliabilities[name].unique().tolist()) for name in ("n_documents", "n_raters")
    )
    sheet = Panels()
    for dimension, part in reliabilities.groupby("dimension", sort=False):
        lines = {
            "type": "contour",
            "x": documents,
            "y": raters,
            "z": grid(part, "n_raters", "n_documents", raters, documents, "value"),
            "contours": {
                **{"coloring": "lines", "start": 0.5, "end": 0.95, "size": 0.05},
                **{"showlabels": True, "labelfont": {"size": 12, "color": GREY}, "labelformat": ".2f"},
            },
            "line": {"width": 2.5, "smoothing": 0.6},
            "colorscale": [[0, ORANGE], [0.5, PURPLE], [1, BLUE]],
            "zmin": 0.5,
            "zmax": 0.95,
            "showscale": False,
            "hovertemplate": "%{x} documents, %{y} raters<br>reliability: %{z:.3f}<extra></extra>",
        }
        sheet.add(lines, of={"dimension": dimension})
    here = pilot.iloc[0]
    mark = {"symbol": "star", "size": 14, "color": GREY}
    said = "<b>judged</b><br>%{x} documents, %{y} raters<extra></extra>"
    sheet.add({
        "x": [int(here.n_documents)], "y": [int(here.n_raters)], "mode": "markers", "marker": mark,
        "showlegend": False, "hovertemplate": said,
    })  # fmt: skip
    # on a phone more than 1, 2 and 5 of a decade would lie on each other
    ticks = [n for n in documents if str(n).rstrip("0") in ("1", "2", "5")] or documents
    sheet.x(title=label("n_documents"), type="log", tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks])
    sheet.y(title=label("n_raters"), tickvals=raters)
    sheet.rule(x=2 * int(here.n_documents)).rule(y=2 * int(here.n_raters))
    return sheet.menu("Dimension", "dimension").figure(height=430)


def outlook_dots(outlook: pd.DataFrame) -> go.Figure:
    """What a design to come gives, one panel per quantity and one row per dimension.

    Parameters
    ----------
    outlook : DataFrame of `helpers.experiments.labels_needed.outlook`
    """
    dimensions = outlook["dimension"].unique().tolist()[::-1]
    titles = [name.replace(" of ", "<br>of ").replace(" with ", "<br>with ").replace(" at ", "<br>at ")
              for name in outlook["quantity"].unique()]  # fmt: skip
    sheet = marks(
        outlook, x="value", y="dimension", panel="quantity", colour="dimension", order=dimensions, size=11,
        labels={"value": "share, or correlation"}, titles=titles, gap=0.05,
    )  # fmt: skip
    low = min(-0.05, float(outlook["low"].min()) - 0.05)
    return sheet.x(range=[low, 1.05], dtick=0.5, tick0=0).figure(height=230 + 34 * len(dimensions))


def saving_dots(savings: pd.DataFrame) -> go.Figure:
    """Times as many labels that people alone would need, by judge, one panel per dimension.

    Parameters
    ----------
    savings : DataFrame of `helpers.experiments.labels_needed.savings`
        Of one data set.
    """
    judges = savings["judge"].unique().tolist()[::-1]
    sheet = marks(
        savings, x="value", y="judge", panel="dimension", series="estimated", order=judges, size=10,
        hover=["saved_here_at_most", "saved_at_most"], labels={"value": "times as many labels"},
    )  # fmt: skip
    least = min(1.0, float(savings["value"].min()))
    sheet.x(range=[least - 0.05, float(savings["value"].max()) + 0.05], dtick=0.1, tick0=1).rule(x=1)
    return sheet.figure(height=dot_height(judges, savings["estimated"].unique()))


def labelling_dots(coverage: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """How often intervals hold the truth by how documents were chosen; a dropdown picks the judge.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.labels_needed.coverage`
    confidence_level : float
        Drawn as a line.
    """
    chosen = coverage["labelling"].unique().tolist()[::-1]
    sheet = marks(
        coverage, x="value", y="labelling", panel="estimated", series="method", menu="judge", order=chosen,
        style=dict(zip(coverage["method"].unique(), _STYLES[:2], strict=True)), size=11,
        hover=["share_refused", "n_trials"], labels={"value": "coverage"},
    )  # fmt: skip
    sheet.x(range=[-0.03, 1.03]).rule(x=confidence_level).menu("Judge", "judge")
    return sheet.figure(height=290)


def estimate_dots(estimates: pd.DataFrame) -> go.Figure:
    """Estimates from few labels, with and without the judge, beside all labels; means above differences.

    Parameters
    ----------
    estimates : DataFrame of `helpers.experiments.labels_needed.estimates`
    """
    estimates = with_system_names(estimates)
    # else no room is left on a phone
    estimates["metric"] = estimates["metric"].str.replace(" − ", "<br>− ")
    estimates["estimated"] = estimates["estimated"].str.removeprefix("the ")
    whole = estimates.drop_duplicates(["estimated", "metric"])
    whole = whole.assign(method="all labels", value=whole["whole"], low=float("nan"), high=float("nan"))
    shown = pd.concat([estimates, whole], ignore_index=True)
    rows = estimates["estimated"].unique().tolist()
    named = estimates.groupby("estimated", sort=False)["metric"].unique()
    heights = [sum(44 if "<br>" in name else 25 for name in names) for names in named]
    sheet = marks(
        shown, x="value", y="metric", series="method", row="estimated", own_x=True, heights=heights,
        order=shown["metric"].unique().tolist()[::-1], size=6,
        labels={"value": "in units of the scale", "metric": "system, or pair of systems"},
        style=dict(zip(shown["method"].unique(), _STYLES, strict=True)), row_gap=0.1,
    )  # fmt: skip
    for name in rows:
        part = shown[shown["estimated"] == name]
        low, high = (float(part[["value", *ENDS]].agg(end).agg(end)) for end in ("min", "max"))
        room = 0.03 * (high - low)
        sheet.axis("x", row=name, range=[low - room, high + room], title="in units of the scale")
    return sheet.figure(height=190 + sum(heights))


def _compute(*, dataset, **settings) -> pd.DataFrame:
    return outlook(load(dataset), **settings)


LIVE = Live(
    notebook="labels_needed",
    question="What would this many systems, documents and raters give?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"))),
        One("judge", "Judge", choices.judges),
        choices.DIMENSIONS,
        Whole("n_systems", "Systems", 5, 60),
        Whole("n_documents", "Documents", 10, 1000, 10),
        Whole("n_raters", "Raters", 1, 10),
        Real("share_labelled", "Share labelled", 0.05, 0.95, 0.05),
        Real("difference", "Difference", 0.05, 1.0, 0.05),
        choices.COEFFICIENT,
        choices.CONFIDENCE_LEVEL,
    ),
    fixed=("alpha",),
    compute=_compute,
    draw=lambda table, _: outlook_dots(table),
)
