r"""experiments.pairs: is one of two systems significantly better, and does a metric say the same as people?

Benchmarks in, tidy tables out; called by the notebook `pairs`, its live block, and pages that need the same.
For every pair of systems a paired bootstrap over documents: draw as many documents as there are, with
replacement, and compare the two systems' mean scores. Bhandari et al. 2020, §4.3 (Exp-III, Fig. 4; after
Koehn 2004):

- label 1 where the first system has the higher mean in at least the share *confidence* of the draws,
- label 2 where the second has,
- label 0 otherwise.

Labels from people are the truth, labels from a metric the prediction; their F1 is the metric's mark. A draw
in which the means are equal counts for neither system. The first of a pair is the one that the release lists
first: labels 1 and 2, and with them F1, depend on it. The authors' released notebook labels 2 where the
first system is ahead in at most 1 - *confidence* of the draws, so that there equal means count for the
second: ``ties="second"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import Real, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, grid, heatmap, in_ink
from helpers.kit.theme import BLUE
from metaeval.analysis.several import of_several
from metaeval.analysis.systems import GROUPS
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import SURE_DIGITS, double
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

HUMAN = "people"
LABELS = (1, 2, 0)
LABEL_NAMES = {1: "first better", 2: "second better", 0: "cannot say"}
# in which draws the second system is ahead
TIES = {"neither": np.less, "second": np.less_equal}


@dataclass(frozen=True)
class PairLabels:
    """Labels of all pairs of systems, from one kind of score.

    Attributes
    ----------
    pairs : int array (n_pairs, 2)
        Rows of the two systems, the first before the second.
    label : int array (n_pairs,)
        1 the first is better, 2 the second, 0 cannot say.
    first, second : float arrays (n_pairs,)
        Share of the draws in which the first, the second system has the higher mean.
    """

    pairs: np.ndarray
    label: np.ndarray
    first: np.ndarray
    second: np.ndarray


def check_confidence(confidence: float) -> None:
    """Raise unless only one of two systems can be ahead in that share of the draws."""
    if not 0.5 < confidence <= 1:
        hint = f"; did you mean {confidence / 100:g}?" if 50 < confidence <= 100 else ""
        raise ValueError(f"`confidence` must be in (0.5, 1], got {confidence:g}{hint}")


def label_pairs(
    scores: np.ndarray, counts: np.ndarray, *, confidence: float = 0.95, ties: str = "neither"
) -> PairLabels:
    """Labels of every pair of systems from draws of documents.

    Parameters
    ----------
    scores : float array (n_systems, n_documents), higher is better, no NaN
    counts : float array (n_resamples, n_documents), such as `metaeval.stats.draws.unit_counts` gives
    confidence : float in (0.5, 1]
    ties : {"neither", "second"}
        For which system a draw with equal means counts.

    Returns
    -------
    PairLabels
        Means that are equal on paper are equal here: see `metaeval.stats.ties`.

    Raises
    ------
    DataError
        If scores are missing.
    """
    behind = choose("ties", ties, TIES)
    check_confidence(confidence)
    scores = double("scores", scores)
    if np.isnan(scores).any():
        raise DataError(f"a pair of systems needs all scores; {int(np.isnan(scores).sum())} are missing")
    pairs = np.stack(np.triu_indices(len(scores), 1), axis=1)
    one, other = np.moveaxis(drawn_means(scores, counts)[:, pairs], -1, 0)
    first, second = (one > other).mean(axis=0), (one < other).mean(axis=0)
    wanted = round(confidence, SURE_DIGITS)  # a computed 0.55 + 0.4 is 0.95
    wins_second = behind(one, other).mean(axis=0) >= wanted
    label = np.where(first >= wanted, 1, np.where(wins_second, 2, 0))
    return PairLabels(pairs, label, first, second)


def pair_labels(
    benchmark: Benchmark,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    rng: RNGLike = None,
) -> dict[str, PairLabels]:
    """Labels of every pair of systems from people and from each metric.

    Parameters
    ----------
    benchmark : Benchmark
        With all scores.
    confidence : float in (0.5, 1]
    n_resamples : int, at least 1
    ties : {"neither", "second"}
    rng : seed, Generator or None
        Every score draws its own documents, from a stream that depends on the seed and its name alone, as the
        paper's procedure runs anew for each metric.

    Returns
    -------
    mapping, "people" or metric -> PairLabels

    Raises
    ------
    DataError
        If scores are missing.
    """
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    benchmark, seed = benchmark.as_listed(), seed_of(rng)
    planes = {HUMAN: benchmark.human} | {name: benchmark.metric(name) for name in benchmark.metrics}
    n_documents = len(benchmark.documents)
    labels = {}
    for name, plane in planes.items():
        counts = unit_counts(stream(seed, benchmark.name, name), n_resamples, n_documents, size=n_documents)
        try:
            labels[name] = label_pairs(plane.to_numpy(), counts, confidence=confidence, ties=ties)
        except DataError as error:
            raise DataError(f"{benchmark.name}, {name}: {error}") from None
    return labels


def label_table(
    benchmark: Benchmark,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Labels of every pair of systems from people and from each metric.

    Parameters
    ----------
    benchmark, confidence, n_resamples, ties, rng : see `pair_labels`

    Returns
    -------
    DataFrame with one row per kind of score and pair of systems
        Columns: dataset, metric (or "people"), first, second, label (1, 2, 0), share_first,
        share_second (of the draws, in which that system has the higher mean).
    """
    benchmark = benchmark.as_listed()
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, ties=ties, rng=rng)
    systems = np.array(benchmark.systems, dtype=object)
    frames = [
        pd.DataFrame(
            {
                "dataset": benchmark.name,
                "metric": name,
                "first": systems[result.pairs[:, 0]],
                "second": systems[result.pairs[:, 1]],
                "label": result.label,
                "share_first": result.first,
                "share_second": result.second,
            }
        )
        for name, result in labels.items()
    ]
    keys = ["dataset", "metric", "first", "second"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["label"])


@of_several
def table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    n_seeds: int = 20,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """F1 of each metric's labels against people's, over several seeds (REALSumm's Exp-III).

    Parameters
    ----------
    benchmark : Benchmark, or several
        With all scores.
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    confidence, n_resamples, ties : see `pair_labels`
    n_seeds : int, at least 1
        Times that the whole procedure is run anew.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, group, metric and average
        Columns: dataset, group, metric, average ("weighted", "macro"), value (mean over seeds), mc_error
        (its Monte-Carlo standard error, NaN for one seed), lowest, highest (over seeds), n_pairs,
        n_resamples, n_seeds.

    Notes
    -----
    Labels 1 and 2 depend on which system of a pair is the first, and both averages depend on the labels'
    shares; see `order_table`.
    """
    benchmark, seed = benchmark.as_listed(), seed_of(rng)
    settings = {"confidence": confidence, "n_resamples": n_resamples, "ties": ties}
    runs = [pair_labels(benchmark, rng=stream(seed, "run", i), **settings) for i in range(n_seeds)]
    labels = {name: np.array([run[name].label for run in runs]) for name in runs[0]}
    truth = labels.pop(HUMAN)
    rows = []
    for group, pairs in _pairs_of_groups(benchmark, groups):
        for metric, predicted in labels.items():
            for average, values in f1_of_rows(truth[:, pairs], predicted[:, pairs]).items():
                shown = (values.mean(), mean_error(values), values.min(), values.max())
                rows.append((benchmark.name, group, metric, average, *shown, len(pairs)))
    keys = ["dataset", "group", "metric", "average"]
    found = pd.DataFrame(rows, columns=[*keys, "value", "mc_error", "lowest", "highest", "n_pairs"])
    return check(found.assign(n_resamples=n_resamples, n_seeds=n_seeds), keys=keys)


def scaled(
    benchmark: Benchmark,
    results: pd.DataFrame,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    n_seeds: int = 20,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """F1 on a scale that says what is little and what is much.

    Parameters
    ----------
    benchmark, confidence, n_resamples, ties, n_seeds, rng : as for `table`
    results : DataFrame of `table`, for the benchmark

    Returns
    -------
    DataFrame with one row per group, metric and average of `results`
        Columns: dataset, group, metric, average ("weighted, scaled", ...), value (0 where F1 is that of one
        label for every pair, 1 where it is that of people again), floor (F1 of the label that people give
        most often, for every pair), ceiling (of people's labels from other draws).
    """
    nobody = benchmark.as_listed().select(metrics=[])
    seed, settings = seed_of(rng), {"confidence": confidence, "n_resamples": n_resamples, "ties": ties}
    runs = [pair_labels(nobody, rng=stream(seed, "run", i), **settings)[HUMAN] for i in range(n_seeds)]
    truth = np.array([run.label for run in runs])
    rows = []
    for group, pairs in _pairs_of_groups(nobody, results["group"].unique()):
        mine = truth[:, pairs]
        said = np.array(LABELS)[np.stack([(mine == label).sum(axis=1) for label in LABELS]).argmax(axis=0)]
        ends = {
            "floor": f1_of_rows(mine, np.broadcast_to(said[:, None], mine.shape)),
            "ceiling": f1_of_rows(mine, np.roll(mine, 1, axis=0)),
        }
        rows += [(group, average, *(ends[end][average].mean() for end in ends)) for average in ends["floor"]]
    found = results.merge(pd.DataFrame(rows, columns=["group", "average", "floor", "ceiling"]))
    found["value"] = (found["value"] - found["floor"]) / (found["ceiling"] - found["floor"])
    found["average"] += ", scaled"
    keys = ["dataset", "group", "metric", "average"]
    return check(found[[*keys, "value", "floor", "ceiling"]], keys=keys)


def with_printed_error(results: pd.DataFrame) -> pd.DataFrame:
    """The table of `table` with ``mc_error`` of the difference from an F1 that one run gave.

    Parameters
    ----------
    results : DataFrame of `table`

    Returns
    -------
    DataFrame with the same columns
    """
    found = results.assign(mc_error=results["mc_error"] * np.sqrt(results["n_seeds"] + 1))
    return check(found, keys=["dataset", "group", "metric", "average"])


def f1_of_rows(truth: np.ndarray, predicted: np.ndarray) -> dict[str, np.ndarray]:
    """F1 of many rows of labels: the mean over the labels 1, 2 and 0 that occur, plain or weighted.

    Parameters
    ----------
    truth, predicted : int arrays (n_rows, n_pairs)

    Returns
    -------
    mapping, average -> float array (n_rows,)
        "weighted" by the truth's labels, or "macro"; as scikit-learn's `f1_score`, which takes one row at a
        time.
    """
    hits, true, said = (
        np.stack([cells.sum(axis=1) for cells in parts], axis=1)
        for parts in (
            [(truth == label) & (predicted == label) for label in LABELS],
            [truth == label for label in LABELS],
            [predicted == label for label in LABELS],
        )
    )
    scores = 2 * hits / np.maximum(true + said, 1)
    occurs = true + said > 0
    return {
        "weighted": (scores * true).sum(axis=1) / truth.shape[1],
        "macro": scores.sum(axis=1) / occurs.sum(axis=1),
    }


def order_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    n_orders: int = 200,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """How far F1 moves if the same systems are listed in other orders: labels 1 and 2 change places.

    The bootstrap is run once; only the order of the systems changes.

    Parameters
    ----------
    benchmark, confidence, n_resamples : see `pair_labels`
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    n_orders : int, at least 1
        Random orders.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per group, metric and average
        Columns: dataset, group, metric, average, lowest, highest (F1 over the orders), n_orders.
    """
    benchmark, seed = benchmark.as_listed(), seed_of(rng)
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, rng=seed)
    truth = labels.pop(HUMAN)
    flipped = np.array([0, 2, 1])
    rows = []
    for group, pairs in _pairs_of_groups(benchmark, groups):
        first, second = truth.pairs[pairs].T
        shuffled = stream(seed, benchmark.name, "order", group)
        places = np.array([shuffled.permutation(len(benchmark.systems)) for _ in range(n_orders)])
        turned = places[:, first] > places[:, second]
        of_people = np.where(turned, flipped[truth.label[pairs]], truth.label[pairs])
        for metric, result in labels.items():
            of_metric = np.where(turned, flipped[result.label[pairs]], result.label[pairs])
            for average, values in f1_of_rows(of_people, of_metric).items():
                rows.append((benchmark.name, group, metric, average, values.min(), values.max(), n_orders))
    keys = ["dataset", "group", "metric", "average"]
    found = pd.DataFrame(rows, columns=[*keys, "lowest", "highest", "n_orders"])
    return check(found, keys=keys, values=["lowest", "highest"])


def by_order(
    benchmark: Benchmark, *, groups: Sequence[str] = GROUPS, average: str = "weighted", **settings: object
) -> pd.DataFrame:
    """F1 with the systems in the release's order, and in that of their names.

    Parameters
    ----------
    benchmark : Benchmark
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    average : {"weighted", "macro"}
    **settings : confidence, n_resamples, ties, n_seeds, rng of `table`

    Returns
    -------
    DataFrame with one row per order, group and metric
        Columns: those of `table`, and reading ("as released", "by name").
    """
    orders = {"as released": benchmark, "by name": replace(benchmark, listed=())}
    tables = [table(part, groups=groups, **settings).assign(reading=name) for name, part in orders.items()]
    found = pd.concat(tables)
    return check(found[found["average"] == average], keys=["reading", "dataset", "group", "metric"])


def chance(results: pd.DataFrame, orders: pd.DataFrame, *, average: str = "weighted") -> pd.DataFrame:
    """How far F1 moves with the draws, and how far with the order of the systems, side by side.

    Parameters
    ----------
    results : DataFrame of `table`
    orders : DataFrame of `order_table`, for the same groups
    average : {"weighted", "macro"}

    Returns
    -------
    DataFrame with one row per group and metric
        Columns: group, metric, average, value, mc_error, lowest, highest (over orders).
    """
    keys = ["group", "metric", "average"]
    ranges = orders[[*keys, "lowest", "highest"]]
    both = results[[*keys, "value", "mc_error"]].merge(ranges, on=keys)
    return check(both[both["average"] == average], keys=keys)


def confusion_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Pairs of systems by people's label and each metric's, from one run.

    Parameters
    ----------
    benchmark, confidence, n_resamples, ties, rng : see `pair_labels`
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``

    Returns
    -------
    DataFrame with one row per group, metric, people's label and the metric's
        Columns: dataset, group, metric, people, label (names of the labels), n_pairs, row_share (of the pairs
        with people's label; 0 where people never give it).
    """
    benchmark = benchmark.as_listed()
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, ties=ties, rng=rng)
    truth = labels.pop(HUMAN).label
    rows = []
    for group, pairs in _pairs_of_groups(benchmark, groups):
        for metric, result in labels.items():
            people, said = truth[pairs], result.label[pairs]
            for t in LABELS:
                of_people = said[people == t]
                for p in LABELS:
                    n = int((of_people == p).sum())
                    share = n / max(len(of_people), 1)
                    rows.append((benchmark.name, group, metric, LABEL_NAMES[t], LABEL_NAMES[p], n, share))
    keys = ["dataset", "group", "metric", "people", "label"]
    found = pd.DataFrame(rows, columns=[*keys, "n_pairs", "row_share"])
    return check(found, keys=keys, values=["n_pairs", "row_share"])


def quoted(results: pd.DataFrame, labels: pd.DataFrame) -> dict[str, int | None]:
    """Numbers that the page quotes.

    Parameters
    ----------
    results : DataFrame of `table`
    labels : DataFrame of `label_table`

    Returns
    -------
    mapping with pairs_ext (pairs of extractive systems; None without them), all_pairs, undecided (pairs that
    people cannot tell apart)
    """
    extractive = results.loc[results["group"] == "ext", "n_pairs"]
    people = labels.loc[labels["metric"] == HUMAN, "label"]
    return {
        "pairs_ext": None if extractive.empty else int(extractive.max()),
        "all_pairs": len(people),
        "undecided": int((people == 0).sum()),
    }


def answer(results: pd.DataFrame, on_scale: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how well metrics reproduce people's verdicts on pairs of systems.

    Parameters
    ----------
    results : DataFrame of `table`
        Weighted F1 in the largest of its groups.
    on_scale : DataFrame of `scaled`

    Returns
    -------
    dict
        ``pairs-answer-short`` and ``pairs-answer-sure``; every word is chosen from the numbers.
    """
    weighted = results[results["average"] == "weighted"]
    largest = weighted[weighted["n_pairs"] == weighted["n_pairs"].max()].sort_values("value", kind="stable")
    first, last = largest.iloc[-1], largest.iloc[0]
    scale = on_scale[on_scale["group"] == first["group"]].iloc[0]
    dataset, group = words("data", first["dataset"]), words("group", first["group"])
    moves = (weighted["highest"] - weighted["lowest"]).groupby(weighted["group"]).max()
    widest, here = moves.idxmax(), moves[first["group"]]
    also = f" ({words('group', widest)} pairs: {moves[widest]:.2f})" if moves[widest] > here else ""
    return {
        "pairs-answer-short": (
            f"On the {first['n_pairs']} pairs of {dataset}'s systems ({group}), metrics reproduce people's "
            f"verdicts with a weighted F1 of {last['value']:.2f} to {first['value']:.2f}, highest for "
            f"{first['metric']}. People's own labels from another bootstrap draw of the same documents reach "
            f"{scale['ceiling']:.2f}; one label for every pair scores {scale['floor']:.2f}."
        ),
        "pairs-answer-sure": (f"Another seed moves F1 by up to {here:.2f}{also}, simulation error alone."),
    }


def _pairs_of_groups(benchmark: Benchmark, groups: Sequence[str]) -> list[tuple[str, np.ndarray]]:
    """Which pairs, in the order of `PairLabels.pairs`, are of two systems of each group."""
    first, second = np.triu_indices(len(benchmark.systems), 1)
    inside = {group: np.isin(benchmark.systems, benchmark.group(group).systems) for group in groups}
    return [(group, np.flatnonzero(own[first] & own[second])) for group, own in inside.items()]


_SHARES = [[0, "#F1F5FA"], [1, BLUE]]


def f1_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one symbol per group: F1 with its range over seeds; a dropdown picks the average.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.table`
    """
    first = results[results["average"] == results["average"].iloc[0]]
    sheet = marks(
        results,
        x="value",
        y="metric",
        series="group",
        colour="metric",
        menu="average",
        order=ordered(first),
        labels={"value": "F1"},
        hover=["n_pairs"],
        ends=("lowest", "highest"),
        size=11,
    )
    sheet.x(title="F1 of the metric's labels, with its range over seeds", range=[0, 1.02], dtick=0.2)
    height = dot_height(results["metric"].unique(), results["group"].unique())
    return sheet.menu("Average", "average").figure(height=height)


def confusion_heatmaps(results: pd.DataFrame) -> go.Figure:
    """A panel per group: pairs of systems by people's label (row) and a metric's; a dropdown for the metric.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.confusion_table`
    """
    counts = list(zip(results["n_pairs"], results["row_share"], strict=True))
    results = results.assign(
        text=[in_ink(f"{n}", share, _SHARES, low=0) for n, share in counts],
        told=[[n, 100 * share] for n, share in counts],
    )
    groups, labels = results["group"].unique().tolist(), results["people"].unique().tolist()
    sheet = Panels(groups, column="group", gap=0.03)
    for (metric, group), rows in results.groupby(["metric", "group"], sort=False):
        cells = {
            key: grid(rows, "people", "label", labels, labels, column)
            for key, column in (("z", "row_share"), ("text", "text"), ("customdata", "told"))
        }
        trace = heatmap(labels, labels, colours=_SHARES)
        hover = (
            "people: %{y}<br>metric: %{x}<br>%{customdata[0]} pairs, %{customdata[1]:.0f} % of people's"
            "<extra></extra>"
        )
        sheet.add(trace | cells | {"hovertemplate": hover}, group, of={"metric": metric})
    sheet.x(title="metric", tickangle=-30, showgrid=False)
    sheet.y(title="people", autorange="reversed", automargin=True)
    return sheet.menu("Metric", "metric").figure(height=400)


def _table(*, dataset, metrics, seed, **settings) -> pd.DataFrame:
    return table(load(dataset).select(metrics=metrics), rng=seed, **settings)


LIVE = Live(
    notebook="pairs",
    question="How well does a metric tell which of two systems is better?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        Real("confidence", "Confidence", 0.51, 0.99, 0.01),
        choices.draws("n_resamples", "Draws", 2000, least=100),
        Whole("n_seeds", "Runs", 2, 20),
        choices.METRICS,
    ),
    fixed=("seed",),
    smaller={"n_seeds": 5},
    remark="Starts with 5 runs of the procedure; the notebook takes 20.",
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: f1_dots(table),
)
