"""experiments.pairs: is one of two systems significantly better, and does a metric say the same as people?

Bhandari et al. 2020, §4.3 (Exp-III, Fig. 4; after Koehn 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, contrasting, grids, heatmap
from helpers.kit.theme import BLUE
from helpers.kit.tidy import tidy
from metaeval.analysis.systems import GROUPS
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.measures import f1_scores
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import SURE_DIGITS, double
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

HUMAN = "people"
# The first of a pair is the one that the release lists first. It has label 1 where its mean is the higher one
# in at least the share `confidence` of bootstrap draws of documents; 2 is the second's, 0 neither's.
LABELS = (1, 2, 0)
LABEL_NAMES = {1: "first better", 2: "second better", 0: "cannot say"}
# in which draws the second is ahead; as in the authors' notebook, equal means may count for it
TIES = {"neither": np.less, "second": np.less_equal}
F1_KEYS = ("dataset", "group", "metric", "average")
_SHARES = [[0, "#F1F5FA"], [1, BLUE]]


@dataclass(frozen=True)
class PairLabels:
    """Labels of all pairs of systems, from one kind of score."""

    pairs: np.ndarray  # (n_pairs, 2), rows of the two systems
    label: np.ndarray  # (n_pairs,), of `LABELS`
    first: np.ndarray  # (n_pairs,), share of the draws in which the first has the higher mean
    second: np.ndarray


def check_confidence(confidence: float) -> None:
    """Raise unless only one of two systems can be ahead in that share of the draws."""
    if not 0.5 < confidence <= 1:
        hint = f"; did you mean {confidence / 100:g}?" if 50 < confidence <= 100 else ""
        raise ValueError(f"`confidence` must be in (0.5, 1], got {confidence:g}{hint}")


def label_pairs(scores, counts, *, confidence=0.95, ties="neither") -> PairLabels:
    """Labels by scores (n_systems, n_documents) and how often each draw holds a document."""
    behind = choose("ties", ties, TIES)
    check_confidence(confidence)
    scores = double("scores", scores)
    if np.isnan(scores).any():
        raise DataError(f"a pair of systems needs all scores; {int(np.isnan(scores).sum())} are missing")
    pairs = np.stack(np.triu_indices(len(scores), 1), axis=1)
    one, other = np.moveaxis(drawn_means(scores, counts)[:, pairs], -1, 0)
    first, second = (one > other).mean(axis=0), (one < other).mean(axis=0)
    threshold = round(confidence, SURE_DIGITS)  # a computed 0.55 + 0.4 is 0.95
    wins_second = behind(one, other).mean(axis=0) >= threshold
    label = np.where(first >= threshold, 1, np.where(wins_second, 2, 0))
    return PairLabels(pairs, label, first, second)


def pair_labels(benchmark: Benchmark, *, n_resamples=1_000, rng=None, **rule) -> dict[str, PairLabels]:
    """Labels by people and by each metric; every score draws its own documents, as in the paper."""
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    benchmark, seed = benchmark.as_listed(), seed_of(rng)
    planes = {HUMAN: benchmark.human} | {name: benchmark.metric(name) for name in benchmark.metrics}
    n_documents = len(benchmark.documents)
    labels = {}
    for name, plane in planes.items():
        counts = unit_counts(stream(seed, benchmark.name, name), n_resamples, n_documents, size=n_documents)
        try:
            labels[name] = label_pairs(plane.to_numpy(), counts, **rule)
        except DataError as error:
            raise DataError(f"{benchmark.name}, {name}: {error}") from None
    return labels


@tidy("dataset", "metric", "first", "second", values=["label"])
def label_table(benchmark: Benchmark, **draws):
    """Labels of every pair of systems by people and by each metric, of one run."""
    systems = np.array(benchmark.as_listed().systems, dtype=object)
    for name, labels in pair_labels(benchmark, **draws).items():
        first, second = systems[labels.pairs].T
        yield {
            "dataset": benchmark.name, "metric": name, "first": first, "second": second,
            "label": labels.label, "share_first": labels.first, "share_second": labels.second,
        }  # fmt: skip


def _runs(benchmark: Benchmark, n_seeds: int, *, rng=None, **draws) -> dict[str, np.ndarray]:
    """Labels (n_seeds, n_pairs) by people and by each metric, each run with draws of its own."""
    seed = seed_of(rng)
    runs = [pair_labels(benchmark, rng=stream(seed, "run", i), **draws) for i in range(n_seeds)]
    return {name: np.array([run[name].label for run in runs]) for name in runs[0]}


@accepts_many_benchmarks
@tidy(*F1_KEYS)
def table(benchmark: Benchmark, *, groups=GROUPS, n_resamples=1_000, n_seeds=20, **draws):
    """F1 of each metric's labels against people's: mean, its error and range over several runs."""
    labels = _runs(benchmark, n_seeds, n_resamples=n_resamples, **draws)
    truth = labels.pop(HUMAN)
    for (group, pairs), metric in product(_pairs_of_groups(benchmark, groups), labels):
        for average, values in f1_scores(truth[:, pairs], labels[metric][:, pairs]).items():
            yield {
                "dataset": benchmark.name, "group": group, "metric": metric, "average": average,
                "value": values.mean(), "mc_error": mean_error(values), "lowest": values.min(),
                "highest": values.max(), "n_pairs": len(pairs), "n_resamples": n_resamples,
                "n_seeds": n_seeds,
            }  # fmt: skip


def scaled(benchmark: Benchmark, results: pd.DataFrame, *, n_seeds=20, **draws) -> pd.DataFrame:
    """F1 on a scale from people's most frequent label for every pair (0) to people's labels again (1)."""
    nobody = benchmark.select(metrics=[])
    truth = _runs(nobody, n_seeds, **draws)[HUMAN]
    rows = []
    for group, pairs in _pairs_of_groups(nobody, results["group"].unique()):
        mine = truth[:, pairs]
        commonest = np.array(LABELS)[
            np.stack([(mine == label).sum(axis=1) for label in LABELS]).argmax(axis=0)
        ]
        others = np.broadcast_to(commonest[:, None], mine.shape), np.roll(mine, 1, axis=0)
        floor, ceiling = (f1_scores(mine, other) for other in others)
        rows += [(group, average, floor[average].mean(), ceiling[average].mean()) for average in floor]
    both = results.merge(pd.DataFrame(rows, columns=["group", "average", "floor", "ceiling"]))
    both["value"] = (both["value"] - both["floor"]) / (both["ceiling"] - both["floor"])
    both["average"] += ", scaled"
    return check(both[[*F1_KEYS, "value", "floor", "ceiling"]], keys=F1_KEYS)


def with_printed_error(results: pd.DataFrame) -> pd.DataFrame:
    """The table with ``mc_error`` of the difference from an F1 that one run gave."""
    return check(results.assign(mc_error=results["mc_error"] * np.sqrt(results["n_seeds"] + 1)), keys=F1_KEYS)


@tidy("dataset", "group", "metric", "people", "label", values=["n_pairs", "row_share"])
def confusion_table(benchmark: Benchmark, *, groups=GROUPS, **draws):
    """Pairs of systems by people's label and each metric's, from one run; shares are of people's label."""
    labels = {name: one.label for name, one in pair_labels(benchmark, **draws).items()}
    truth = labels.pop(HUMAN)
    for (group, pairs), metric, label in product(_pairs_of_groups(benchmark, groups), labels, LABELS):
        mine = labels[metric][pairs][truth[pairs] == label]
        counts = np.array([(mine == one).sum() for one in LABELS])
        yield {
            "dataset": benchmark.name, "group": group, "metric": metric, "people": LABEL_NAMES[label],
            "label": [LABEL_NAMES[one] for one in LABELS], "n_pairs": counts,
            "row_share": counts / max(len(mine), 1),
        }  # fmt: skip


def quoted(results: pd.DataFrame, labels: pd.DataFrame) -> dict[str, int | None]:
    """Numbers of pairs that the text quotes: extractive ones, those that people leave open, and all."""
    extractive = results.loc[results["group"] == "ext", "n_pairs"]
    people = labels.loc[labels["metric"] == HUMAN, "label"]
    n_extractive = None if extractive.empty else int(extractive.max())
    return {"pairs_ext": n_extractive, "undecided": int((people == 0).sum()), "all_pairs": len(people)}


def _pairs_of_groups(benchmark: Benchmark, groups: Sequence[str]) -> list[tuple[str, np.ndarray]]:
    """Places in `PairLabels.pairs` of the pairs of two systems of each group."""
    benchmark = benchmark.as_listed()
    first, second = np.triu_indices(len(benchmark.systems), 1)
    inside = {group: np.isin(benchmark.systems, benchmark.group(group).systems) for group in groups}
    return [(group, np.flatnonzero(own[first] & own[second])) for group, own in inside.items()]


def f1_dots(results: pd.DataFrame, *, ceiling: float | None = None) -> go.Figure:
    """F1 with its range over seeds, a row per metric and a symbol per group; a dropdown picks the average.

    `ceiling` is what people's own labels from other draws reach, at least.
    """
    first = results[results["average"] == results["average"].iloc[0]]
    sheet = marks(
        results, x="value", y="metric", series="group", colour="metric", menu="average",
        order=ordered(first), labels={"value": "F1"}, hover=["n_pairs"], ends=("lowest", "highest"), size=11,
    )  # fmt: skip
    sheet.x(title="F1 of the metric's labels, with its range over seeds", range=[0, 1.02], dtick=0.2)
    if ceiling is not None:
        sheet.rule(x=ceiling, text="people on other draws")
    height = dot_height(results["metric"].unique(), results["group"].unique())
    return sheet.menu("Average", "average").figure(height=height)


def confusion_heatmaps(results: pd.DataFrame) -> go.Figure:
    """A panel per group: pairs by people's label (row) and a metric's; a dropdown for the metric."""
    counts = list(zip(results["n_pairs"], results["row_share"], strict=True))
    results = results.assign(
        text=[contrasting(f"{n}", share, _SHARES, low=0) for n, share in counts],
        numbers=[[n, 100 * share] for n, share in counts],
    )
    groups, labels = results["group"].unique().tolist(), results["people"].unique().tolist()
    sheet = Panels(groups, column="group", gap=0.03)
    for (metric, group), rows in results.groupby(["metric", "group"], sort=False):
        trace = heatmap(labels, labels, colours=_SHARES)
        trace |= grids(
            rows, "people", "label", labels, labels, z="row_share", text="text", customdata="numbers"
        )
        trace["hovertemplate"] = (
            "people: %{y}<br>metric: %{x}<br>%{customdata[0]} pairs, %{customdata[1]:.0f} % of people's"
            "<extra></extra>"
        )
        sheet.add(trace, group, of={"metric": metric})
    sheet.x(title="metric", tickangle=-30, showgrid=False)
    sheet.y(title="people", autorange="reversed", automargin=True)
    return sheet.menu("Metric", "metric").figure(height=400)


LIVE = live(
    "pairs",
    lambda *, dataset, metrics, seed, **settings: table(
        load(dataset).select(metrics=metrics), rng=seed, **settings
    ),
    f1_dots,
    "dataset groups confidence n_resamples n_seeds metrics",
    question="How well does a metric tell which of two systems is better?",
    initial={"n_seeds": 5},
)
