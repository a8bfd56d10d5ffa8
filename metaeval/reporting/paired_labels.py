"""reporting.paired_labels: judges and people without a ranking: labels of one system, two systems, choices.

Answers of judges and people as arrays, for `metaeval.reporting.unranked`; and their agreement on the common
items, in shared draws of items, for `metaeval.reporting.compare`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pandas as pd
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.reporting.missing_scores import (
    AGREED,
    FAVOURED,
    JUDGED,
    LABELLED,
    SCORED,
    TIED,
    UNANIMOUS,
    Gap,
    gap,
)
from metaeval.reporting.reading import Reading, require_sides
from metaeval.reporting.verdict import FEW_ITEMS
from metaeval.stats.agreement import agreement, confusion_tables, grades, kappa_of_tables
from metaeval.stats.bias import clustered_share
from metaeval.stats.clusters import MIN_CLUSTERS, cluster_ends, group_items
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import (
    auc,
    auc_interval,
    label_interval,
)
from metaeval.stats.draws import exact_product, map_draws
from metaeval.stats.intervals import NO_ENDS, Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.pairs import n_separated
from metaeval.stats.reliability import mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SCORE_TIE, signs
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.pairs import Pairs
from metaeval.tables.wording import counted

MIN_PER_CLASS = 5  # items that people pass, and items that they fail
MAX_GRADES = 11  # of a scale on which exact agreement means something
ACCURACY, KAPPA, AUC, CORRELATION, WEIGHTED, UNTIED = MEASURES = (
    *("accuracy", "kappa", "auc", "correlation", "weighted-kappa", "untied"),
)
NAMES = {
    ACCURACY: "exact agreement", KAPPA: "Cohen's κ", AUC: "AUC", WEIGHTED: "quadratically weighted κ",
    UNTIED: "agreement without ties",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of one system's items by judges and people.

    Attributes
    ----------
    judges : mapping, name -> float array (n_items,)
    ratings : float array (n_raters, n_items)
    gold : float array (n_items,)
        People's mean, or their majority if they pass or fail; NaN without one.
    binary : bool
        True if people pass (1) or fail (0).
    clusters : int array (n_items,)
        Index of each item's cluster, which is drawn as a whole.
    names : tuple of str
        Labels without an order, of which values are the places; empty for numbers.
    """

    judges: Mapping[str, np.ndarray]
    ratings: np.ndarray
    gold: np.ndarray
    binary: bool
    clusters: np.ndarray
    names: tuple[str, ...] = ()

    @property
    def together(self) -> np.ndarray | None:
        """Each item's cluster; None where every item is its own."""
        return self.clusters if self.clusters.max(initial=0) + 1 < len(self.clusters) else None

    def planes(self, values: np.ndarray, items: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Values (..., n_items), of some items, as (..., n_places, n_clusters), whose columns are drawn."""
        return group_items(values[..., items], self.clusters[items])

    @property
    def people(self) -> np.ndarray:
        """People's answer on every item that they labelled: `gold`, or one half if they are split."""
        split = np.isnan(self.gold) & ~np.isnan(self.ratings).all(axis=0)
        return np.where(split, 0.5, self.gold)

    def gap(self, judge: int, confidence_level: float) -> Gap | None:
        """Items that people labelled and the judge of this index did not.

        Compares people's ratings of these items; if they do not clearly differ and several people labelled
        items, compares people's agreement on them.
        """
        own, people = self.planes([*self.judges.values()][judge]), self.planes(self.people)
        does = JUDGED if self.names else LABELLED if self.binary else SCORED
        options = {"confidence_level": confidence_level, "units": "items", "does": does}
        missing = gap(own, people, about="" if self.names else does, **options)
        unanimous = _unanimous(self.ratings)
        if missing is None or missing.selective or (~np.isnan(unanimous)).sum() < FEW_ITEMS:
            return missing
        agreed = gap(own, people, about=AGREED, compared=self.planes(unanimous), **options)
        return agreed if agreed.selective else missing

    def enough(self, mask: np.ndarray) -> bool:
        """True if there are enough items and clusters, of each class, to decide anything."""
        gold = self.gold[mask]
        kinds = [int((gold == kind).sum()) for kind in (0, 1)] if self.binary else []
        several = self.together is None or len(np.unique(self.clusters[mask])) >= MIN_CLUSTERS
        return several and len(gold) >= FEW_ITEMS and all(n >= MIN_PER_CLASS for n in kinds)

    @property
    def needs(self) -> str:
        """Items and clusters that it takes to decide anything."""
        kinds = f", {MIN_PER_CLASS} passed and {MIN_PER_CLASS} failed" if self.binary else ""
        return f"{FEW_ITEMS}{kinds}" + f", in {MIN_CLUSTERS} clusters" * (self.together is not None)


def pair_labels(labels: pd.DataFrame, clusters: Mapping[str, str] | None = None) -> Labels:
    """Labels of a `Reading` as arrays, with its clusters; values that are words have no order.

    Raises
    ------
    DataError
        If there are no labels by people, or by judges.
    """
    names: tuple[str, ...] = ()
    if not pd.api.types.is_numeric_dtype(labels["value"]):
        places, words = pd.factorize(labels["value"], sort=True)
        labels, names = labels.assign(value=np.where(places < 0, np.nan, places)), tuple(words)
    wide = {
        role: part.pivot_table(index="item", columns="name", values="value", sort=False)
        for role, part in labels.groupby("role")
    }
    require_sides(*(wide.get(role, ()) for role in ("judge", "person")))
    judges, people = (wide[role].reindex(labels["item"].unique()) for role in ("judge", "person"))
    of = clusters_of(judges.index, clusters)
    judges, ratings = dict(zip(judges, judges.to_numpy().T, strict=True)), people.to_numpy().T
    if names:
        return Labels(judges, ratings, majority_of(ratings, range(len(names))), False, of, names)
    binary, gold = is_binary(ratings), mean_of(ratings)
    if binary:  # a tie of votes is neither
        gold = np.where(gold == 0.5, np.nan, np.round(gold))
    return Labels(judges, ratings, gold, binary, of)


def clusters_of(items: Sequence[str], clusters: Mapping[str, str] | None) -> np.ndarray:
    """Index of each item's cluster, (n_items,); an item without one is alone."""
    of = [("", clusters[item]) if clusters and item in clusters else (item, "") for item in items]
    return pd.factorize(pd.Series(of, dtype=object))[0]


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices between two outputs by judges and people: 1 the first, -1 the second, 0 a tie.

    Attributes
    ----------
    people : float array (n_raters, n_pairs)
    by_order : float array (n_judges, 2 orders, n_pairs)
    judges : mapping, name -> float array (n_pairs,)
        Both orders together; opposite answers are a tie.
    majority : float array (n_pairs,)
        The choice of most people; NaN without a unique one.
    documents : int array (n_pairs,)
        Index of each pair's document, or of the cluster that it is in.
    """

    people: np.ndarray
    by_order: np.ndarray
    judges: Mapping[str, np.ndarray]
    majority: np.ndarray
    documents: np.ndarray

    def gap(self, judge: int, confidence_level: float) -> Gap | None:
        """Pairs that people judged and the judge of this index did not.

        Compares people's agreement on pairs with at least two people; if these are few, compares the share of
        ties.
        """
        anybody, alike = np.where(np.isnan(self.people).all(axis=0), np.nan, 1.0), _unanimous(self.people)
        agreed = (~np.isnan(alike)).sum() >= FEW_ITEMS
        own = [*self.judges.values()][judge]
        planes = own, anybody, alike if agreed else anybody * (self.people == 0).any(axis=0)
        scores, people, compared = (group_items(plane, self.documents) for plane in planes)
        return gap(
            scores, people, confidence_level=confidence_level, units="pairs", does=JUDGED,
            about=UNANIMOUS if agreed else TIED, compared=compared,
        )  # fmt: skip


S = TypeVar("S", Labels, Choices)


def _unanimous(people: np.ndarray) -> np.ndarray:
    """Unanimity of raters (n_raters, n_items): 1 if all agree, else 0; NaN with fewer than two answers."""
    answered = ~np.isnan(people)
    low, high = (
        np.where(answered, people, np.inf).min(axis=0),
        np.where(answered, people, -np.inf).max(axis=0),
    )
    return np.where(answered.sum(axis=0) > 1, (low == high) * 1.0, np.nan)


def pair_choices(pairs: Pairs, clusters: Mapping[str, str] | None = None) -> Choices:
    """Choices of judges and people as arrays, by document or by the cluster that it is in.

    Raises
    ------
    DataError
        If there are no choices by people, or by judges.
    """
    people = np.sign(pairs.people.to_numpy() - 0.5)
    names = pairs.judges.indexes["judge"]
    require_sides(names, people)
    by_order = np.sign(pairs.judges.to_numpy() - 0.5)
    together = np.sign(mean_of(np.moveaxis(by_order, 1, 0)))
    of = clusters_of(pairs.items["document"], clusters)
    return Choices(people, by_order, dict(zip(names, together, strict=True)), majority_of(people), of)


def majority_of(choices: np.ndarray, answers: Sequence[int] = (-1, 0, 1)) -> np.ndarray:
    """Majority of choices (n_raters, n_items) among the `answers`, NaN without a unique one."""
    votes = np.stack([(choices == answer).sum(axis=0) for answer in answers])
    n_max = votes.max(axis=0)
    clear = ((votes == n_max).sum(axis=0) == 1) & (n_max > 0)
    return np.where(clear, np.asarray(answers, dtype=float)[votes.argmax(axis=0)], np.nan)


def is_binary(values: np.ndarray) -> bool:
    """True if all values are 0, 1 or missing."""
    return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of one or two judges with people, on the units that all of them answered.

    Attributes
    ----------
    measure : str
        One of `MEASURES`.
    name : str
    n : int
        Number of units behind the values: items, pairs, documents, or systems of a ranking.
    over : str
        The units in words.
    value : float array (n_judges,)
    ends_of : function of a judge's index and a confidence level, its interval
    difference_of : function of a confidence level, the interval of the first judge minus the second
    too_few : str
        What is lacking to decide anything; "" if there is enough data.
    kind : start of the signature
    shape : numbers of systems and documents
    gaps : function of a judge's index and a confidence level, its `Gap` or None
    moves : function of a judge's index, or None
        For a ranking by systems' means, see `metaeval.reporting.missing_scores.move_to_all`.
    needed : function of the number of judges asked about, a threshold and a confidence level, or None
        For a ranking by systems' means, what would decide.
    """

    measure: str
    name: str
    n: int
    over: str
    value: np.ndarray
    ends_of: Callable[[int, float], Ends]
    difference_of: Callable[[float], Ends]
    too_few: str
    kind: Mapping[str, str]
    shape: tuple[int, int]
    gaps: Callable[[int, float], Gap | None]
    moves: Callable[[int], tuple[float, np.ndarray]] | None = None
    needed: Callable[[int, float, float], str] | None = None

    @property
    def minimum(self) -> float:
        """Smallest possible value; the largest is 1."""
        return 0.0 if self.measure in (ACCURACY, UNTIED, AUC) else -1.0

    def ends(self, judge: int, confidence_level: float) -> Ends:
        """Ends of the interval of a judge's agreement, by its index; NaN without an interval."""
        return NO_ENDS if self.too_few else self.ends_of(judge, confidence_level)

    def difference(self, confidence_level: float) -> tuple[float, Ends]:
        """Agreement of the first judge minus that of the second, and its interval."""
        value = float(self.value[0] - self.value[1])
        return value, NO_ENDS if self.too_few else self.difference_of(confidence_level)


def own_ends(drawn: np.ndarray, confidence_level: float) -> Ends:
    """Percentile interval of draws; missing if its ends coincide, as for identical draws."""
    ends = percentile_ends(drawn, confidence_level)
    return NO_ENDS if ends.high - ends.low <= DIFFERENCE_TIE else ends


def ratio_ends(
    values: np.ndarray, weights: np.ndarray, confidence_level: float, *, of: np.ndarray | None = None
) -> Ends:
    """Student's *t* interval of a weighted mean, over the units that are drawn together.

    Parameters
    ----------
    values, weights : arrays (n_items,)
        The weight is 0 where a value is unknown.
    confidence_level : float in (0, 1)
    of : int array (n_items,), by default each by itself
        Items with the same number, such as pairs of a document, are drawn together.

    Notes
    -----
    The jackknife over units; with few documents of many pairs, percentiles of draws are too narrow. Where all
    units give the same value, from -1 to 1, as many others may give any: then the interval is that of a share
    of 1.

    Examples
    --------
    >>> [round(float(end), 2) for end in ratio_ends([1.0, 2.0, 3.0], [1, 1, 1], 0.95)[:2]]
    [-0.48, 4.48]
    """
    weights = np.asarray(weights, dtype=float)
    of = np.arange(len(weights)) if of is None else of
    sums, sizes = (np.bincount(of, each) for each in (np.where(weights > 0, values, 0.0) * weights, weights))
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    n = len(sums)
    if n < 2:
        return NO_ENDS
    value, total = sums.sum() / sizes.sum(), sizes.sum()
    without = (sums.sum() - sums) / (total - sizes)
    reach = scipy.stats.t.isf((1 - confidence_level) / 2, n - 1)
    reach *= np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    if reach <= DIFFERENCE_TIE:
        others = 1 - share_interval(1.0, n, confidence_level=confidence_level)[0]
        return Ends.exact(value - others * (1 + value), value + others * (1 - value))
    return Ends.exact(value - reach, value + reach)


def share_ends(
    right: np.ndarray, weights: np.ndarray, confidence_level: float, *, of: np.ndarray | None = None
) -> Ends:
    """Ends of Clopper and Pearson's interval of a share, which is valid near 0 and 1 too.

    Parameters
    ----------
    right : array (n_units,)
        1 if the unit is right, or how often it is.
    weights : array (n_units,)
        1 if the unit is known, or how often it counts.
    confidence_level : float in (0, 1)
    of : int array (n_units,), by default each by itself
        Units with the same number, such as those of a document, may be correlated.

    Notes
    -----
    Draws of a judge that was right 14 times of 14, or 39 of 40, hardly show that it may be wrong the next
    time. If units may be correlated, the interval is Korn and Graubard's, see
    `metaeval.stats.bias.clustered_share`. The estimate of their correlation is poor near 0 and 1: no low end
    lies above that of a judge that is always right, nor above that of independent units, and no high end
    below theirs.
    """
    right, weights = np.where(weights, right, 0.0), np.asarray(weights, dtype=float)
    if of is not None:
        right, weights = (np.bincount(of, each) for each in (right, weights))
    n = weights.sum() or np.nan
    low, high = share_interval(right.sum() / n, n, confidence_level=confidence_level)
    if weights.max(initial=0) > 1:
        place = np.arange(weights.max())[:, None]
        trials = np.where(place < weights, (place < right) * 1.0, np.nan)
        clustered = clustered_share(trials, by=("document",), confidence_level=confidence_level)
        # for units that are identical within a document (Kish)
        largest_low = share_interval(1.0, n**2 / (weights**2).sum(), confidence_level=confidence_level)[0]
        # a single unit has no corrected interval
        low, high = (
            np.fmin(low, clustered.low).clip(max=largest_low),
            np.fmax(high, clustered.high).clip(1 - largest_low),
        )
    return Ends.exact(low, high)


def measure_agreement(
    reading: Reading,
    judges: Sequence[str],
    *,
    measure: str | None = None,
    coefficient: str,
    n_resamples: int,
    rng: RNGLike,
) -> Agreement:
    """Agreement of judges with people; items, documents or pairs are resampled.

    Parameters
    ----------
    reading : Reading of the kind one_system, two_systems or pairs
    judges : names
    measure : of `MEASURES`, by default the first possible one
        For labels κ, the area under the curve, or accuracy; for scores against people who pass or fail the
        area; for scores on a scale the correlation, and where judges use people's grades weighted κ and exact
        agreement; for labels without an order κ and accuracy. For two systems and for pairs the accuracy: how
        often the judge favours the same side as people; for pairs also κ, and the accuracy without ties.
    coefficient : of the correlation
    n_resamples, rng : of the draws

    Raises
    ------
    UnknownNameError
        If there is no such judge.
    DataError
        If there are no people's answers, or the data do not allow the measure.
    """
    draws = {"n_resamples": n_resamples, "rng": seed_of(rng)}
    if reading.kind == "one_system":
        sides = pair_labels(reading.labels, reading.clusters)
        return _item_agreement(sides, judges, measure, coefficient, draws)
    if reading.kind == "pairs":
        return _pair_agreement(reading, judges, measure, draws)
    require_measure(measure, (ACCURACY,), "two systems")
    return _document_agreement(reading, judges)


def require_measure(measure: str | None, possible: Sequence[str], of: str) -> str:
    """The measure, by default the first possible one.

    Raises
    ------
    DataError
        If it is not possible.
    """
    if measure not in (None, *possible):
        raise DataError(f"--measure {measure} does not apply to {of}; use {' or '.join(possible)}")
    return measure or possible[0]


def _select(sides: S, judges: Sequence[str]) -> tuple[S, np.ndarray]:
    """Answers with these judges alone, and theirs as an array (n_judges, n_units)."""
    own = {judge: choose("judge", judge, sides.judges) for judge in judges}
    return replace(sides, judges=own), np.stack([*own.values()])


def is_graded(scores: np.ndarray, ratings: np.ndarray) -> bool:
    """True if judges and people use the same few grades: whole numbers of people's range."""
    used = [np.unique(side[~np.isnan(side)]) for side in (scores, ratings)]
    both = np.concatenate(used)
    if any(len(side) == 0 for side in used) or len(used[1]) < 3 or (both % 1 != 0).any():
        return False
    is_inside = used[0].min() >= used[1].min() and used[0].max() <= used[1].max()
    return bool(is_inside and np.ptp(both) < MAX_GRADES)


def has_scale_of(scores: np.ndarray, people: np.ndarray) -> bool:
    """True if scores cover half of people's range, where both are, and leave it by a third or a grade."""
    both = ~np.isnan(scores) & ~np.isnan(people)
    if not both.any():
        return False
    (low, high), (bottom, top) = ((side[both].min(), side[both].max()) for side in (scores, people))
    has_grades = not is_binary(people) and not (np.r_[scores[both], people[both]] % 1).any()
    reach = max((top - bottom) / 3, float(has_grades))
    return bool(bottom - reach <= low and high <= top + reach and high - low >= (top - bottom) / 2)


def grade_agreement(
    pairs: Sequence[tuple[np.ndarray, np.ndarray]], categories: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """Function of counts (n_draws, n_documents): exact agreement and quadratically weighted κ (2, n_draws).

    Parameters
    ----------
    pairs : pairs of float arrays (n_systems, n_documents), of which the mean is taken
        A judge beside each rater, for example.
    categories : the grades
    """
    weights = grades(categories, "quadratic")
    tables = [confusion_tables(*pair, categories).reshape(pair[0].shape[-1], -1) for pair in pairs]

    def measured(counts: np.ndarray) -> np.ndarray:
        drawn = [exact_product(counts, one).reshape(-1, *weights.shape) for one in tables]
        exact = [kappa_of_tables(one, np.eye(len(weights)))[0] for one in drawn]
        weighted = [kappa_of_tables(one, weights)[1] for one in drawn]
        return np.stack([mean_of(np.stack(each)) for each in (exact, weighted)])

    return measured


def _item_agreement(sides: Labels, judges, measure, coefficient, draws) -> Agreement:
    own, every = _select(sides, judges)
    mask = ~np.isnan(every).any(axis=0) & ~np.isnan(sides.gold)
    scores, gold, ratings = every[:, mask], sides.gold[mask], sides.ratings[:, mask]
    n, is_labelled = len(gold), sides.binary or bool(sides.names)
    if sides.names:
        possible, what = (KAPPA, ACCURACY), "labels without an order"
    elif not sides.binary:
        graded = (WEIGHTED, ACCURACY) if is_graded(scores, ratings) else ()
        possible, what = (CORRELATION, *graded), "what people score on a scale"
    elif is_binary(scores):
        possible, what = (KAPPA, AUC, ACCURACY), "labels that pass or fail"
    else:
        possible, what = (AUC,), "a judge's scores beside people's labels"
    measure = require_measure(measure, possible, what)
    together = None if sides.together is None else sides.clusters[mask]
    if is_labelled and measure in possible[:2] and possible != (AUC,):
        functions = _label_functions(scores, gold, measure, draws, together)
    elif measure == AUC:
        functions = _area_functions(scores, gold, together)
    elif measure == ACCURACY:
        # on a scale, the share of people who gave the same grade
        same = (scores[:, None] == ratings).sum(axis=1) / (~np.isnan(ratings)).sum(axis=0)
        functions = _share_functions(
            scores == gold if is_labelled else same, np.ones(n), sides.clusters[mask]
        )
    else:
        functions = _drawn_functions(scores, gold, ratings, measure, coefficient, draws, sides.clusters[mask])
    return Agreement(
        measure, COEFFICIENT_LABELS[coefficient] if measure == CORRELATION else NAMES[measure],
        n, counted(n, "item"), *functions,
        "" if sides.enough(mask) else f"{counted(n, 'item')}; it takes {sides.needs}",
        {"kind": "one_system", "measure": coefficient if measure == CORRELATION else measure}, (1, n),
        own.gap,
    )  # fmt: skip


def _label_functions(scores, gold, measure, draws, clusters):
    """Values of κ or AUC of labels, and the functions of `Agreement` for their intervals."""
    options = {"measure": measure, "clusters": clusters, **draws}
    if measure == AUC:
        value = [auc(judge, gold) for judge in scores]
    else:
        categories = np.unique(np.concatenate([scores.ravel(), gold]))
        value = [
            agreement(np.stack([judge, gold]), coefficient="cohen", categories=categories)
            if len(gold)
            else np.nan
            for judge in scores
        ]
    return (
        np.array(value),
        lambda k, level: label_interval(scores[k], gold, confidence_level=level, **options),
        lambda level: label_interval(scores[0], gold, minus=scores[1], confidence_level=level, **options),
    )


def _area_functions(scores, gold, clusters):
    """Areas under the curves of scores, and the functions of `Agreement` for their intervals."""

    def ends(judge, level, **options):
        options |= {"clusters": clusters, "confidence_level": level}
        return Ends.exact(*auc_interval(judge, gold, **options))

    return (
        np.array([auc(judge, gold) for judge in scores]),
        lambda k, level: ends(scores[k], level),
        lambda level: ends(scores[0], level, minus=scores[1]),
    )


def _share_functions(right, weights, of):
    """Shares of units that are right, and the functions of `Agreement` for their intervals."""
    weights = weights * 1.0
    with np.errstate(invalid="ignore"):
        value = np.where(weights > 0, right, 0.0) @ weights / weights.sum()
    return (
        value,
        lambda k, level: share_ends(right[k], weights, level, of=of),
        lambda level: ratio_ends(right[0] * 1.0 - right[1], weights, level, of=of),
    )


def _drawn_functions(scores, gold, ratings, measure, coefficient, draws, clusters):
    """Correlations or weighted κ, and the functions of `Agreement` for intervals by draws of clusters."""
    planes, people = (group_items(side, clusters) for side in (scores, gold))
    if not len(gold):
        value, drawn = np.full(len(scores), np.nan), np.full((len(scores), draws["n_resamples"]), np.nan)
    elif measure == CORRELATION:
        # clusters are the documents
        kind = {"level": "global", "coefficient": coefficient}
        value = correlate(planes, people, **kind).value
        drawn = bootstrap_distribution(planes, people, resample="inputs", **kind, **draws)
    else:
        used = np.unique(np.concatenate([scores.ravel(), ratings[~np.isnan(ratings)]]))
        raters = group_items(ratings, clusters)
        each = [grade_agreement([(judge, rater) for rater in raters], used) for judge in planes]

        def weighted(counts: np.ndarray) -> np.ndarray:
            return np.stack([measured(counts)[1] for measured in each])

        value = weighted(np.ones((1, people.shape[-1])))[:, 0]
        drawn = map_draws(weighted, stream(draws["rng"], "items"), draws["n_resamples"], people.shape[-1])
    return (
        value,
        lambda k, level: cluster_ends(value[k], drawn[k], planes[k], people, level),
        lambda level: cluster_ends(
            value[0] - value[1], drawn[0] - drawn[1], planes[0], people, level, less=planes[1]
        ),
    )


def _document_agreement(reading: Reading, judges) -> Agreement:
    """Share of documents on which a judge favours the same system as people; its ties count half."""
    benchmark, of = reading.benchmark, clusters_of(reading.benchmark.documents, reading.clusters)
    require_sides(benchmark.metrics, benchmark.judgments)
    scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    # units that all of them scored
    human = benchmark.human.where(~np.isnan(scores).any(axis=0)).to_numpy()
    n = int(n_separated(scores[0], human))
    apart, people = scores[:, 0] - scores[:, 1], -np.diff(benchmark.human.to_numpy(), axis=0)
    favoured = signs(human[0] - human[1], SCORE_TIE)
    right = (1 + signs(apart, SCORE_TIE) * favoured) / 2
    ahead = np.sign(people)
    compared = np.where(ahead == 0, np.nan, (1 + ahead) / 2)

    def gaps(judge: int, level: float) -> Gap | None:
        options = {"units": "documents", "does": JUDGED, "about": FAVOURED, "compared": compared}
        return gap(apart[judge][None], people, confidence_level=level, **options)

    return Agreement(
        ACCURACY, NAMES[ACCURACY], n, f"{counted(n, 'document')} on which people favour a system",
        *_share_functions(right, np.abs(favoured) == 1, of),
        "" if n >= FEW_ITEMS else f"{counted(n, 'document')}; it takes {FEW_ITEMS}",
        {"kind": "two_systems", "measure": ACCURACY}, human.shape, gaps,
    )  # fmt: skip


def _pair_agreement(reading: Reading, judges, measure, draws) -> Agreement:
    """Share of pairs in which a judge chooses like most people, with ties as choices or without; or κ."""
    pairs, sides = reading.pairs, pair_choices(reading.pairs, reading.clusters)
    measure = require_measure(measure, (ACCURACY, KAPPA, UNTIED), "choices between two outputs")
    own, choices = _select(sides, judges)
    mask = ~np.isnan(choices).any(axis=0) & ~np.isnan(sides.majority)
    if measure == UNTIED:
        mask &= (choices != 0).all(axis=0) & (sides.majority != 0)
    n, of = int(mask.sum()), sides.documents
    if measure == KAPPA:
        functions = _label_functions(choices[:, mask], sides.majority[mask], KAPPA, draws, of[mask])
    else:
        functions = _share_functions(choices == sides.majority, mask, of)
    n_systems, n_documents = len({*pairs.items["first"], *pairs.items["second"]}), int(of.max()) + 1
    return Agreement(
        measure, NAMES[measure], n, counted(n, "pair"), *functions,
        "" if n >= FEW_ITEMS else f"{counted(n, 'pair')}; it takes {FEW_ITEMS}",
        {"kind": "pairs", "measure": measure}, (n_systems, n_documents), own.gap,
    )  # fmt: skip
