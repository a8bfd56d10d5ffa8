r"""Is one of two systems significantly better, and does a metric say the same as people?

For every pair of systems a paired bootstrap over documents: draw as many documents as there are, with
replacement, and compare the two systems' mean scores. Bhandari et al. 2020, §4.3 (after Koehn 2004):

- label 1 where the first system has the higher mean in at least the share *confidence* of the draws,
- label 2 where the second has,
- label 0 otherwise.

Labels from people are the truth, labels from a metric the prediction; their F1 is the metric's mark. A draw
in which the means are equal counts for neither system. The authors' released notebook labels 2 where the
first system is ahead in at most 1 - *confidence* of the draws, so that there equal means count for the
second: ``ties="second"``.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.stats.draws import document_counts

HUMAN = "people"
AVERAGES = ("weighted", "macro")
LABELS = (1, 2, 0)
LABEL_NAMES = {1: "first better", 2: "second better", 0: "cannot say"}
# which system a draw with equal means counts for
TIES = {"neither": 0.0, "second": 1.0}


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


def draw_counts(n_documents: int, *, n_resamples: int, rng) -> np.ndarray:
    """How often each document is in each draw of as many documents, with replacement.

    Returns
    -------
    float array (n_resamples, n_documents), rows sum to `n_documents`
    """
    rng = np.random.default_rng(rng)
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    return document_counts(rng, n_resamples, n_documents, size=n_documents)


def label_pairs(
    scores: np.ndarray, counts: np.ndarray, *, confidence: float = 0.95, ties: str = "neither"
) -> PairLabels:
    """Labels of every pair of systems from draws of documents.

    Parameters
    ----------
    scores : float array (n_systems, n_documents), higher is better, no NaN
    counts : float array (n_resamples, n_documents), such as `draw_counts` gives
    confidence : float in (0.5, 1]
    ties : {"neither", "second"}
        For which system a draw with equal means counts.

    Returns
    -------
    PairLabels
        Means that differ by less than the rounding error of a sum are equal.
    """
    tie = choose("ties", ties, TIES)
    if not 0.5 < confidence <= 1:
        hint = f"; did you mean {confidence / 100:g}?" if 50 < confidence <= 100 else ""
        raise ValueError(f"`confidence` must be in (0.5, 1], got {confidence:g}{hint}")
    scores = np.asarray(scores, dtype=float)
    if np.isnan(scores).any():
        raise DataError(f"a pair of systems needs all scores; {int(np.isnan(scores).sum())} are missing")
    pairs = np.array(list(combinations(range(len(scores)), 2)), dtype=int).reshape(-1, 2)
    differences = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    sums = differences @ counts.T
    slack = 1e-12 * counts.shape[1] * max(1e-300, np.abs(scores).max(initial=0))
    ahead, behind = (sums > slack).sum(axis=1), (sums < -slack).sum(axis=1)
    equal = (len(counts) - ahead - behind) / len(counts)
    first, second = ahead / len(counts), behind / len(counts)
    # a share such as 0.95 is a whole number of draws; 1e-9 keeps its rounding error out
    wins_first = first >= confidence - 1e-9
    wins_second = second + tie * equal >= confidence - 1e-9
    label = np.where(wins_first, 1, np.where(wins_second, 2, 0))
    return PairLabels(pairs, label, first, second)


def pair_labels(
    benchmark: Benchmark,
    *,
    metrics: Sequence[str] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    rng,
) -> dict[str, PairLabels]:
    """Labels of every pair of systems from people and from each metric.

    Parameters
    ----------
    benchmark : Benchmark
    metrics : by default all of the benchmark's
    rng : seed or Generator
        Every score draws its own documents, from a stream that depends on the seed and its name alone, as the
        paper's procedure runs anew for each metric.

    Returns
    -------
    mapping, "people" or metric -> PairLabels
    """
    rng = np.random.default_rng(rng)
    seed = int(rng.integers(2**63))
    planes = {HUMAN: benchmark.human}
    planes |= {name: benchmark.metric(name) for name in (benchmark.metrics if metrics is None else metrics)}
    labels = {}
    for name, plane in planes.items():
        own = np.random.default_rng([seed, zlib.crc32(name.encode())])
        counts = draw_counts(plane.sizes["document"], n_resamples=n_resamples, rng=own)
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
    rng,
) -> pd.DataFrame:
    """Every pair of systems, one row a pair and kind of score.

    Returns
    -------
    DataFrame with columns dataset, score ("people" or metric), first, second, label (1, 2, 0), share_first,
    share_second
    """
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, ties=ties, rng=rng)
    systems = np.array(benchmark.systems, dtype=object)
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "score": name,
                    "first": systems[result.pairs[:, 0]],
                    "second": systems[result.pairs[:, 1]],
                    "label": result.label,
                    "share_first": result.first,
                    "share_second": result.second,
                }
            )
            for name, result in labels.items()
        ],
        ignore_index=True,
    )


def f1_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    n_seeds: int = 20,
    rng,
) -> pd.DataFrame:
    """F1 of each metric's labels against people's, over several seeds (REALSumm's Exp-III).

    Parameters
    ----------
    groups : "abs", "ext", "mix", or "all"
    n_seeds : int
        Times that the whole procedure is run anew.
    rng : seed or Generator

    Returns
    -------
    DataFrame with columns dataset, group, metric, average ("weighted", "macro"), value (mean over seeds),
    mc_error (standard deviation of one run over seeds, NaN for one seed), low, high, n_pairs, n_resamples,
    n_seeds

    Notes
    -----
    Labels 1 and 2 depend on which system of a pair is the first, and both averages depend on the labels'
    shares; see `order_table`.
    """
    rng = np.random.default_rng(rng)
    runs = [
        pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, ties=ties, rng=int(seed))
        for seed in rng.integers(2**63, size=n_seeds)
    ]
    labels = {name: np.array([run[name].label for run in runs]) for name in runs[0]}
    truth = labels.pop(HUMAN)
    rows = []
    for group in groups:
        pairs = _pairs_of_group(benchmark, group)
        for metric, predicted in labels.items():
            for average, values in f1_of_rows(truth[:, pairs], predicted[:, pairs]).items():
                spread = values.std(ddof=1) if n_seeds > 1 else np.nan
                shown = (values.mean(), spread, values.min(), values.max())
                rows.append((benchmark.name, group, metric, average, *shown, len(pairs)))
    columns = ["dataset", "group", "metric", "average", "value", "mc_error", "low", "high", "n_pairs"]
    return pd.DataFrame(rows, columns=columns).assign(n_resamples=n_resamples, n_seeds=n_seeds)


def f1_of_rows(truth: np.ndarray, predicted: np.ndarray) -> dict[str, np.ndarray]:
    """F1 of many rows of labels: the mean over the labels 1, 2 and 0 that occur, plain or weighted by the
    truth's.

    Parameters
    ----------
    truth, predicted : int arrays (n_rows, n_pairs)

    Returns
    -------
    mapping, average -> float array (n_rows,)
        As scikit-learn's `f1_score`, which takes a row at a time.
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
    groups: Sequence[str] = ("abs", "ext", "mix"),
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    n_orders: int = 200,
    rng,
) -> pd.DataFrame:
    """How far F1 moves if the same systems are listed in other orders: labels 1 and 2 change places.

    The bootstrap is run once; only the order of the systems changes.

    Returns
    -------
    DataFrame with columns dataset, group, metric, average, low, high, n_orders
    """
    rng = np.random.default_rng(rng)
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, rng=rng)
    truth = labels.pop(HUMAN)
    flipped = np.array([0, 2, 1])
    rows = []
    for group in groups:
        pairs = _pairs_of_group(benchmark, group)
        first, second = truth.pairs[pairs].T
        places = np.array([rng.permutation(len(benchmark.systems)) for _ in range(n_orders)])
        turned = places[:, first] > places[:, second]
        of_people = np.where(turned, flipped[truth.label[pairs]], truth.label[pairs])
        for metric, result in labels.items():
            of_metric = np.where(turned, flipped[result.label[pairs]], result.label[pairs])
            for average, values in f1_of_rows(of_people, of_metric).items():
                rows.append((benchmark.name, group, metric, average, values.min(), values.max(), n_orders))
    columns = ["dataset", "group", "metric", "average", "low", "high", "n_orders"]
    return pd.DataFrame(rows, columns=columns)


def confusion_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    confidence: float = 0.95,
    n_resamples: int = 1_000,
    ties: str = "neither",
    rng,
) -> pd.DataFrame:
    """Pairs of systems by people's label and each metric's, from one run.

    Returns
    -------
    DataFrame with columns dataset, group, metric, people, label (names of the labels), pairs
    """
    labels = pair_labels(benchmark, confidence=confidence, n_resamples=n_resamples, ties=ties, rng=rng)
    truth = labels.pop(HUMAN).label
    rows = []
    for group in groups:
        pairs = _pairs_of_group(benchmark, group)
        for metric, result in labels.items():
            counts = confusion_matrix(truth[pairs], result.label[pairs], labels=LABELS)
            rows += [
                (benchmark.name, group, metric, LABEL_NAMES[t], LABEL_NAMES[p], int(counts[i, j]))
                for i, t in enumerate(LABELS)
                for j, p in enumerate(LABELS)
            ]
    return pd.DataFrame(rows, columns=["dataset", "group", "metric", "people", "label", "pairs"])


def _pairs_of_group(benchmark: Benchmark, group: str) -> np.ndarray:
    """Which pairs, in the order of `combinations`, are of two systems of the group."""
    part = benchmark if group == "all" else benchmark.select(system_type=group)
    inside = np.isin(benchmark.systems, part.systems)
    return np.flatnonzero([inside[i] and inside[j] for i, j in combinations(range(len(inside)), 2)])
