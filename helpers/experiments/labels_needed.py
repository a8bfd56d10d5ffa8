"""experiments.labels_needed: how many labels does a comparison need, and how many does a judge save?

Variance components after Brennan 2001, prediction-powered means after Angelopoulos et al. 2023.
"""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go

from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import ENDS, Panels, grid
from helpers.kit.theme import BLUE, GREY, ORANGE, PALETTE, PURPLE, Style, share_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import judges_as_metrics
from metaeval.core.limits import check_count, check_share
from metaeval.datasets import load
from metaeval.datasets.readers.stat_analysis import CROWD
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.components import Components
from metaeval.stats.components import components as components_of
from metaeval.stats.correlation import centred
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.planning import difference_power, together
from metaeval.stats.prediction import MIN_LABELLED, predicted_mean, selection_pvalue
from metaeval.stats.streams import stream
from metaeval.stats.ties import TIE_BREAK
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import label
from metaeval.tables.labels import EFFECT_LABELS, words

SYSTEM, DIFFERENCE = "a system's mean", "the difference of two systems"
WITH_JUDGE, PEOPLE_ONLY = "people and judge", "people only"
AT_RANDOM, LOWEST = "at random", "the judge's lowest"
MAX_TRIALS = 100_000  # of a made-up world, kept all at once
REFUSED = 0.001  # labels drawn at random differ this far from the rest, by the judge, once in a thousand
_RELIABILITY, _POWER = "reliability of systems' means", "power at the difference"
_TITLES = {_POWER: "chance to find<br>the difference"}
_STYLES = (Style(ORANGE, symbol="diamond"), Style(BLUE))


def judged_components(benchmark: Benchmark, judgment: str) -> Components:
    """Variance components of one judgment, with raters where they were released one by one."""
    if judgment in benchmark.ratings and benchmark.rated(judgment).sizes["rater"] > 1:
        return _rated_components(benchmark.rated(judgment), judgment)
    return components_of(benchmark.judgment(judgment).to_numpy())


def _rated_components(rated, judgment: str) -> Components:
    # a crowd worker's number is a place in a list and no person
    return components_of(_raters_last(rated), nested=judgment.endswith(CROWD))


def _raters_last(rated) -> np.ndarray:
    return rated.transpose("system", "document", "rater").to_numpy()


@tidy("dataset", "judgment", "effect")
def components(benchmarks):
    """Variance of single judgments by what it is due to; an estimate below 0 is shown as 0, with a remark."""
    for benchmark in benchmarks:
        for judgment in benchmark.judgments:
            parts = judged_components(benchmark, judgment)
            shares = parts.shares()
            for effect, variance in parts.variances.items():
                yield {
                    "dataset": benchmark.name, "judgment": judgment, "effect": EFFECT_LABELS[effect],
                    "value": max(variance, 0.0), "share_of_variance": shares[effect],
                    "n_systems": len(benchmark.systems), "n_documents": len(benchmark.documents),
                    "n_raters": len(benchmark.raters(judgment)) if parts.has_raters else 0,
                    "remark": "estimated below 0" if variance < 0 else "",
                }  # fmt: skip


@tidy("dimension", "n_documents", "n_raters")
def reliabilities(benchmark, *, dimensions, n_documents, n_raters):
    """Reliability of systems' means over documents and raters to come, and its ends without one rater."""
    documents, raters = (sizes.ravel() for sizes in np.meshgrid(n_documents, n_raters, indexing="ij"))
    for dimension in dimensions:
        rated, names = benchmark.rated(dimension), benchmark.raters(dimension)
        without = [rated.drop_sel(rater=[name]) for name in names] if len(names) > 2 else []
        value, *others = (
            _rated_components(part, dimension).reliability(documents, raters) for part in [rated, *without]
        )
        ends = np.stack(others or [np.full(value.shape, np.nan)])
        yield {
            "dataset": benchmark.name, "dimension": dimension, "n_documents": documents, "n_raters": raters,
            "value": value, "lowest": ends.min(axis=0), "highest": ends.max(axis=0),
        }  # fmt: skip


@tidy("dimension")
def doubled(benchmark, *, dimensions):
    """Reliability of systems' means as they are, with twice the documents and with twice the raters."""
    n = len(benchmark.documents)
    for dimension in dimensions:
        k = len(benchmark.raters(dimension))
        table = reliabilities(benchmark, dimensions=[dimension], n_documents=[n, 2 * n], n_raters=[k, 2 * k])
        reliability = table.set_index(["n_documents", "n_raters"])["value"]
        yield table.head(1).assign(twice_documents=reliability[2 * n, k], twice_raters=reliability[n, 2 * k])


@tidy("dimension", "quantity")
def outlook(
    benchmark, *, judge, dimensions, n_systems, n_documents, n_raters, share_labelled, difference,
    coefficient="kendall", confidence_level=0.95, alpha=0.05,
):  # fmt: skip
    """Expected results of a planned design: reliability, a judge's correlation, power and labels saved."""
    check_share("share_labelled", share_labelled)
    for dimension in dimensions:
        part = judges_as_metrics(benchmark, dimension, [judge])
        rated, scores = _raters_last(part.rated(dimension)), part.scores[0].to_numpy()
        both = together(rated, scores, nested=dimension.endswith(CROWD))
        correlation = both.correlation_interval(
            n_systems, n_documents, n_raters, coefficient=coefficient, confidence_level=confidence_level
        )
        power = difference_power(both.people, difference, n_documents, n_raters, alpha=alpha)
        saved = (1 - unexplained(part.human.to_numpy(), scores)) * (1 - share_labelled)
        for quantity, (value, *ends) in {
            _RELIABILITY: (both.people.reliability(n_documents, n_raters),),
            "judge's correlation with people": correlation,
            _POWER: (power,),
            "labels saved, at most": (saved,),
        }.items():
            low, high = ends or (np.nan, np.nan)
            yield {
                "dataset": benchmark.name, "dimension": dimension, "judge": judge, "quantity": quantity,
                "value": float(value), "low": float(low), "high": float(high),
                "n_systems": n_systems, "n_documents": n_documents, "n_raters": n_raters,
            }  # fmt: skip


def unexplained(labels: np.ndarray, predictions: np.ndarray) -> float:
    """Part of people's variance over documents that a judge, fitted to each row by itself, leaves open."""
    both = ~np.isnan(labels) & ~np.isnan(predictions)
    y, f = centred(labels, both), centred(predictions, both)
    total, squares, shared = (y**2).sum(axis=1).sum(), (f**2).sum(axis=1), (y * f).sum(axis=1)
    # a judge that turns a row round explains nothing of it
    explained = np.maximum(shared, 0.0) ** 2 / np.where(squares > 0, squares, 1.0)
    return float(1 - explained.sum() / total) if total else np.nan


@tidy("dataset", "dimension", "judge", "estimated")
def savings(benchmarks, *, dimensions, share_labelled, n_draws=100, rng):
    """Times as many labels that people alone would need, by judge, for a mean and for a difference."""
    check_count("n_draws", n_draws, minimum=2)
    first, *others = benchmarks
    cases = [(first, dimension) for dimension in dimensions]
    cases += [(other, other.judgments[0]) for other in others if other.metrics]
    for benchmark, dimension in cases:
        part = _judged_part(benchmark, dimension)
        people = part.human.to_numpy()
        n_labelled = _n_labelled(people.shape[1], share_labelled)
        # the same documents for every judge
        chance = stream(rng, benchmark.name, dimension).random((n_draws, people.shape[1]))
        is_labelled = _first(chance, n_labelled)[:, None, :]
        one, other = np.triu_indices(len(people), 1)
        for judge in part.metrics:
            scores = part.metric(judge).to_numpy()
            differences = people[one] - people[other], scores[one] - scores[other]
            for estimated, y, f in ((SYSTEM, people, scores), (DIFFERENCE, *differences)):
                yield {
                    "dataset": benchmark.name, "dimension": dimension, "judge": judge, "estimated": estimated,
                    **_saved(y, f, is_labelled), "n_labelled": n_labelled, "n_draws": n_draws,
                }  # fmt: skip


def _saved(people: np.ndarray, scores: np.ndarray, is_labelled: np.ndarray) -> dict[str, object]:
    """Columns on rows (n, n_documents), with the documents that keep their labels in each draw."""
    remaining, labels = unexplained(people, scores), np.where(is_labelled, people, np.nan)
    mean = predicted_mean(labels, np.broadcast_to(scores, labels.shape))
    # of all rows together, so that one with hardly any variance does not count more
    alone, helped = (np.square(e).sum(axis=1) for e in (mean.labels_only_error, mean.standard_error))
    value = alone.sum() / helped.sum()
    spread = (alone - value * helped).std(ddof=1) / helped.mean()
    return {
        "value": value,
        "mc_error": spread / np.sqrt(len(is_labelled)),
        "saved_at_most": 1 / remaining,
        "saved_here_at_most": 1 / (1 - (1 - remaining) * (1 - is_labelled[0].mean())),
        "n_documents": people.shape[1],
    }


def _judged_part(benchmark: Benchmark, dimension: str) -> Benchmark:
    """Its judges of a dimension as metrics, or all its metrics where it has no judges of any dimension."""
    if any(benchmark.judges(judgment) for judgment in benchmark.judgments):
        return judges_as_metrics(benchmark, dimension, benchmark.judges(dimension))
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
    """Mask of the documents of (..., n_documents) that are the first n in an order."""
    return order.argsort(axis=-1).argsort(axis=-1) < n


# Two systems, three raters, and judges of different noise: every trial has its own documents and answers, and
# the truth is the mean over the documents of all trials
@tidy("labelling", "judge", "estimated", "method", values=["low", "high"])
def coverage(
    *, n_documents=100, share_labelled=0.25, noise=(0.4, 1.5), n_trials=2_000, confidence_level=0.95, rng
):
    """Share of intervals that hold the true mean in a made-up world, by how labelled documents are chosen."""
    check_count("n_trials", n_trials, minimum=2, maximum=MAX_TRIALS)
    n_labelled = _n_labelled(n_documents, share_labelled)
    shape = (2, n_trials, n_documents)
    drawn = stream(rng, "quality").standard_normal((3, *shape[1:]))
    quality = np.array([3.3, 3.0])[:, None, None] + 0.4 * drawn[0] + 0.7 * drawn[1:]
    flat = quality.reshape(2, -1)
    crew = [Rater(bias=0.2, noise=0.7), Rater(bias=-0.1, noise=0.6), Rater(noise=0.8, slope=0.9)]
    answers = [rate(flat, rater, rng=stream(rng, "rater", k))[0] for k, rater in enumerate(crew)]
    people = np.mean(answers, axis=0).reshape(shape)
    chance = stream(rng, "labelled").random(shape[1:])
    for spread in noise:
        judge = Rater(bias=-0.5, slope=0.8, noise=spread)
        scores = rate(flat, judge, rng=stream(rng, "judge", float(spread)))[0].reshape(shape)
        # ties between the judge's lowest are broken by chance
        lowest = scores.mean(axis=0) + TIE_BREAK * chance
        for labelling, order in ((AT_RANDOM, chance), (LOWEST, lowest)):
            labelled = _first(order, n_labelled)
            zeros = np.where(labelled, 0.0, np.nan)
            refused = (selection_pvalue(zeros, scores.mean(axis=0)) < REFUSED).mean()
            for estimated, y, f in (
                (SYSTEM, people[0], scores[0]),
                (DIFFERENCE, people[0] - people[1], scores[0] - scores[1]),
            ):
                labels, truth = np.where(labelled, y, np.nan), y.mean()
                mean = predicted_mean(labels, f, confidence_level=confidence_level)
                for method, low, high in (
                    (PEOPLE_ONLY, mean.labels_only_low, mean.labels_only_high),
                    (WITH_JUDGE, mean.low, mean.high),
                ):
                    share = ((low <= truth) & (truth <= high)).mean()
                    ends = share_interval(share, n_trials, confidence_level=confidence_level)
                    yield {
                        "labelling": labelling, "judge": f"noise of {spread:g}", "estimated": estimated,
                        "method": method, "value": share, "share_refused": refused, "n_trials": n_trials,
                        "n_documents": n_documents, "n_labelled": n_labelled,
                        **dict(zip(ENDS, ends.tolist(), strict=True)),
                    }  # fmt: skip


def component_bars(components) -> go.Figure:
    """One bar per judgment, divided by what its variance is due to; one row of panels per data set."""
    sets = components["dataset"].unique().tolist()
    n_bars = components.groupby("dataset", sort=False)["judgment"].nunique()
    titles = [words("dataset", name) for name in sets]
    sheet = Panels(rows=sets, row_titles=titles, heights=n_bars.tolist(), row_gap=0.05)
    for place, (effect, bars) in enumerate(components.groupby("effect", sort=False)):
        for name, part in bars.groupby("dataset", sort=False):
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


def reliability_contours(reliabilities, pilot) -> go.Figure:
    """Lines of equal reliability over documents and raters; a dropdown picks the dimension."""
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
    n_documents, n_raters = (int(pilot[name].iloc[0]) for name in ("n_documents", "n_raters"))
    sheet.add({
        "x": [n_documents], "y": [n_raters], "mode": "markers", "showlegend": False,
        "marker": {"symbol": "star", "size": 14, "color": GREY},
        "hovertemplate": "<b>judged</b><br>%{x} documents, %{y} raters<extra></extra>",
    })  # fmt: skip
    # on a phone more than 1, 2 and 5 of a decade would lie on each other
    ticks = [n for n in documents if str(n).rstrip("0") in ("1", "2", "5")] or documents
    sheet.x(title=label("n_documents"), type="log", tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks])
    sheet.y(title=label("n_raters"), tickvals=raters)
    # beyond twice the sizes all is far from anything that was measured
    sheet.rule(x=2 * n_documents, text="twice the documents").rule(y=2 * n_raters, text="twice the raters")
    return sheet.menu("Criterion", "dimension").figure(height=430)


def outlook_dots(outlook) -> go.Figure:
    """Expected results of a planned design, one panel per quantity and one row per dimension."""
    dimensions = outlook["dimension"].unique().tolist()[::-1]
    names = [_TITLES.get(name, name) for name in outlook["quantity"].unique()]
    titles = [re.sub(" (of|with|at) ", r"<br>\1 ", name) for name in names]
    sheet = marks(
        outlook, x="value", y="dimension", panel="quantity", colour="dimension", order=dimensions, size=11,
        labels={"value": "share, or correlation"}, titles=titles, gap=0.05,
    )  # fmt: skip
    low = min(-0.05, float(outlook["low"].min()) - 0.05)
    return sheet.x(range=[low, 1.05], dtick=0.5, tick0=0).figure(height=230 + 34 * len(dimensions))


def saving_dots(savings) -> go.Figure:
    """Times as many labels that people alone would need, by judge, one panel per dimension."""
    judges = savings["judge"].unique().tolist()[::-1]
    sheet = marks(
        savings, x="value", y="judge", panel="dimension", series="estimated", order=judges, size=10,
        hover=["saved_here_at_most", "saved_at_most"], labels={"value": "times as many labels"},
    )  # fmt: skip
    low, high = min(1.0, float(savings["value"].min())), float(savings["value"].max())
    sheet.x(range=[low - 0.05, high + 0.05], dtick=0.1, tick0=1).rule(x=1, text="no labels saved")
    return sheet.figure(height=dot_height(judges, savings["estimated"].unique()))


def labelling_dots(coverage, *, confidence_level) -> go.Figure:
    """Share of intervals that hold the truth by how documents were chosen; a dropdown picks the judge."""
    chosen = coverage["labelling"].unique().tolist()[::-1]
    sheet = marks(
        coverage, x="value", y="labelling", panel="estimated", series="method", menu="judge", order=chosen,
        style=dict(zip(coverage["method"].unique(), _STYLES, strict=True)), size=11,
        hover=["share_refused", "n_trials"], labels={"value": "coverage"},
    )  # fmt: skip
    sheet.x(range=[-0.03, 1.03]).rule(x=confidence_level, text="as promised").menu("Judge", "judge")
    return sheet.figure(height=290)


LIVE = live(
    "labels_needed",
    lambda *, dataset, **settings: outlook(load(dataset), **settings),
    outlook_dots,
    "dataset judge dimensions n_systems n_documents n_raters share_labelled difference "
    "coefficient confidence_level",
    question="What would this many systems, documents and raters give?",
    constants="alpha",
    settle_s=AT_ONCE_S,
)
