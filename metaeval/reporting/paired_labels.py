"""reporting.paired_labels: judges and people without a ranking: labels of one system, two systems, choices.

Answers of judges and people as arrays, for `metaeval.reporting.unranked`; and their agreement on the common
items, in shared draws of items, for `metaeval.reporting.compare`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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
from metaeval.stats.reliability import mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SCORE_TIE, signs
from metaeval.tables.labels import COEFFICIENT_LABELS
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
CHOICES = {-1: "the second", 0: "a tie", 1: "the first"}


@dataclass(frozen=True, eq=False)
class Sides:
    """Answers of judges and people to the same units: items of one system, or pairs of two outputs.

    Of two systems a document is a unit, and the answer which of them has the higher score.

    Attributes
    ----------
    judges : mapping, name -> float array (n_units,)
        Choices are 1 for the first, -1 for the second and 0 for a tie, as are opposite ones in both orders.
    raters : names of people
    ratings : float array (n_raters, n_units)
    gold : float array (n_units,)
        People's mean; of labels and choices the answer of most people, NaN without a unique one.
    clusters : int array (n_units,)
        Index of each unit's cluster, which is drawn as a whole: of a pair its document's.
    units : {"item", "pair", "document"}
    binary : bool
        True if people pass (1) or fail (0).
    answers : mapping, value -> its name
        Answers without an order; empty for numbers.
    by_order : float array (n_judges, 2 orders, n_pairs), or None for other units
    """

    judges: Mapping[str, np.ndarray]
    raters: Sequence[str]
    ratings: np.ndarray
    gold: np.ndarray
    clusters: np.ndarray
    units: str = "item"
    binary: bool = False
    answers: Mapping[int, str] = field(default_factory=dict)
    by_order: np.ndarray | None = None

    @property
    def together(self) -> np.ndarray | None:
        """Each unit's cluster; None where every item is its own."""
        is_one_by_one = self.units != "pair" and self.clusters.max(initial=0) + 1 == len(self.clusters)
        return None if is_one_by_one else self.clusters

    @property
    def split(self) -> np.ndarray:
        """True where people answered, and no answer is that of most."""
        return np.isnan(self.gold) & ~np.isnan(self.ratings).all(axis=0)

    @property
    def people(self) -> np.ndarray:
        """People's answer to every item: `gold`, or one half if they are split."""
        return np.where(self.split, 0.5, self.gold)

    def planes(self, values: np.ndarray, units: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Values (..., n_units), of some units, as (..., n_places, n_clusters), whose columns are drawn."""
        return group_items(values[..., units], self.clusters[units])

    def gap(self, judge: str, confidence_level: float) -> Gap | None:
        """Units that people answered and this judge did not.

        Compares people's scores of them, of pairs their agreement, or if few have two people the share of
        ties. If scores do not clearly differ and several people labelled items, compares their agreement.
        """
        own, unanimous = self.planes(self.judges[judge]), _unanimous(self.ratings)
        options = {"confidence_level": confidence_level, "units": f"{self.units}s"}
        is_shared = (~np.isnan(unanimous)).sum() >= FEW_ITEMS
        if self.units != "item":
            answered = np.where(np.isnan(self.ratings).all(axis=0), np.nan, 1.0)
            about, values = TIED, answered * (self.ratings == 0).any(axis=0)
            if self.units == "document":
                about, values = FAVOURED, np.where(self.gold == 0, np.nan, (1 + self.gold) / 2)
            elif is_shared:
                about, values = UNANIMOUS, unanimous
            options |= {"does": JUDGED, "about": about, "compared": self.planes(values)}
            return gap(own, self.planes(answered), **options)
        people, does = self.planes(self.people), LABELLED if self.binary else SCORED
        options |= {"does": JUDGED if self.answers else does}
        missing = gap(own, people, about="" if self.answers else does, **options)
        if missing is None or missing.selective or not is_shared:
            return missing
        agreed = gap(own, people, about=AGREED, compared=self.planes(unanimous), **options)
        return agreed if agreed.selective else missing

    def lack(self, mask: np.ndarray) -> str:
        """Lack of these units, and in an order of classes and clusters, to decide anything; "" for none."""
        gold = self.gold[mask]
        needs, enough = f"{FEW_ITEMS}", len(gold) >= FEW_ITEMS
        if self.binary:
            needs += f", {MIN_PER_CLASS} passed and {MIN_PER_CLASS} failed"
            enough &= min((gold == kind).sum() for kind in (0, 1)) >= MIN_PER_CLASS
        if self.units == "item" and self.together is not None:
            needs += f", in {MIN_CLUSTERS} clusters"
            enough &= len(np.unique(self.clusters[mask])) >= MIN_CLUSTERS
        return "" if enough else f"it takes {needs}"


def pair_answers(reading: Reading, *, people_alone: bool = False) -> Sides:
    """Answers to the items or pairs of a reading; values that are words have no order.

    Parameters
    ----------
    reading : Reading of the kind one_system, two_systems or pairs
    people_alone : bool
        True if there need be no judge.

    Raises
    ------
    DataError
        If there are no answers by people, or by judges.
    """
    if reading.kind == "two_systems":
        benchmark = reading.benchmark
        require_sides(benchmark.metrics, benchmark.judgments)
        planes = np.concatenate([benchmark.scores.to_numpy(), benchmark.human.to_numpy()[None]])
        *own, people = signs(planes[:, 0] - planes[:, 1], SCORE_TIE)
        judges = dict(zip(benchmark.metrics, own, strict=True))
        of = clusters_of(benchmark.documents, reading.clusters)
        return Sides(judges, ["people"], people[None], people, of, "document", answers=CHOICES)
    if reading.kind == "pairs":
        pairs = reading.pairs
        judges, raters = pairs.judges.indexes["judge"], list(pairs.people.indexes["rater"])
        people, by_order = (np.sign(side.to_numpy() - 0.5) for side in (pairs.people, pairs.judges))
        require_sides(judges if not people_alone else raters, people)
        own = dict(zip(judges, np.sign(mean_of(np.moveaxis(by_order, 1, 0))), strict=True))
        of = clusters_of(pairs.items["document"], reading.clusters)
        return Sides(own, raters, people, majority_of(people), of, "pair", answers=CHOICES, by_order=by_order)
    labels, answers = reading.labels, {}
    if not pd.api.types.is_numeric_dtype(labels["value"]):
        places, words = pd.factorize(labels["value"], sort=True)
        labels = labels.assign(value=np.where(places < 0, np.nan, places))
        answers = dict(enumerate(words))
    items = labels["item"].unique()
    wide = {
        role: part.pivot_table(index="item", columns="name", values="value", sort=False).reindex(items)
        for role, part in labels.groupby("role")
    }
    people = wide.get("person", pd.DataFrame(index=items))
    judges = wide.get("judge", people[[]])
    require_sides(people.columns if people_alone else judges.columns, people.columns)
    ratings, of = people.to_numpy().T, clusters_of(items, reading.clusters)
    own = dict(zip(judges, judges.to_numpy().T, strict=True))
    gold, binary = majority_of(ratings, [*answers]) if answers else mean_of(ratings), False
    if not answers and (binary := is_binary(ratings)):  # a tie of votes is neither
        gold = np.where(gold == 0.5, np.nan, np.round(gold))
    return Sides(own, [*people], ratings, gold, of, binary=binary, answers=answers)


def clusters_of(items: Sequence[str], clusters: Mapping[str, str] | None) -> np.ndarray:
    """Index of each item's cluster, (n_items,); an item without one is alone."""
    of = [("", clusters[item]) if clusters and item in clusters else (item, "") for item in items]
    return pd.factorize(pd.Series(of, dtype=object))[0]


def _unanimous(people: np.ndarray) -> np.ndarray:
    """Unanimity of raters (n_raters, n_items): 1 if all agree, else 0; NaN with fewer than two answers."""
    answers = pd.DataFrame(people).agg(["min", "max", "count"])
    low, high, n = answers.to_numpy()
    return np.where(n > 1, (low == high) * 1.0, np.nan)


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
    values: np.ndarray,
    weights: np.ndarray,
    confidence_level: float,
    *,
    of: np.ndarray | None = None,
    is_bounded: bool = True,
) -> Ends:
    """Student's *t* interval of a weighted mean, over the units that are drawn together.

    Parameters
    ----------
    values, weights : arrays (n_items,)
        The weight is 0 where a value is unknown.
    confidence_level : float in (0, 1)
    of : int array (n_items,), by default each by itself
        Items with the same number, such as pairs of a document, are drawn together.
    is_bounded : bool
        False if values may lie outside -1 to 1.

    Notes
    -----
    The jackknife over units; with few documents of many pairs, percentiles of draws are too narrow. Where all
    units give the same value, from -1 to 1, as many others may give any: then the interval is that of a share
    of 1. Without these bounds there is none.

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
        if not is_bounded:
            return NO_ENDS
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
    draws, sides = {"n_resamples": n_resamples, "rng": seed_of(rng)}, pair_answers(reading)
    scores = np.stack([choose("judge", judge, sides.judges) for judge in judges])
    mask, ratings = ~np.isnan(scores).any(axis=0) & ~np.isnan(sides.gold), sides.ratings
    measure = require_measure(measure, *_possible_measures(sides, scores[:, mask], ratings[:, mask]))
    if measure == UNTIED or sides.units == "document":
        mask &= sides.gold != 0
    if measure == UNTIED:
        mask &= (scores != 0).all(axis=0)
    scores, ratings, gold, clusters = (
        side[..., mask] for side in (scores, ratings, sides.gold, sides.clusters)
    )
    together = None if sides.together is None else clusters
    if measure in (ACCURACY, UNTIED):
        if sides.units == "document":  # a judge's tie is half right
            right = (1 + scores * gold) / 2
        elif sides.binary or sides.answers:
            right = scores == gold
        else:  # on a scale, the share of people who gave the same grade
            right = (scores[:, None] == ratings).sum(axis=1) / (~np.isnan(ratings)).sum(axis=0)
        functions = _share_functions(right, clusters)
    elif measure in (KAPPA, AUC):
        functions = _label_functions(scores, gold, measure, draws, together)
    else:
        functions = _drawn_functions(scores, gold, ratings, measure, coefficient, draws, clusters)
    n, shape = len(gold), (1, len(gold))
    sizes = counted(n, sides.units)
    over = sizes
    if reading.kind == "two_systems":
        over, shape = f"{sizes} on which people favour a system", (2, len(sides.gold))
    if reading.kind == "pairs":
        items = reading.pairs.items
        shape = len({*items["first"], *items["second"]}), int(sides.clusters.max()) + 1
    kind = {"kind": reading.kind, "measure": coefficient if measure == CORRELATION else measure}
    lack = sides.lack(mask)
    return Agreement(
        measure, COEFFICIENT_LABELS[coefficient] if measure == CORRELATION else NAMES[measure],
        n, over, *functions, lack and f"{sizes}; {lack}", kind, shape,
        lambda judge, level: sides.gap(judges[judge], level),
    )  # fmt: skip


def _possible_measures(sides: Sides, scores: np.ndarray, ratings: np.ndarray) -> tuple[tuple[str, ...], str]:
    """Measures that answers allow, the default first, and what these are."""
    if sides.units == "document":
        return (ACCURACY,), "two systems"
    if sides.units == "pair":
        return (ACCURACY, KAPPA, UNTIED), "choices between two outputs"
    if sides.answers:
        return (KAPPA, ACCURACY), "labels without an order"
    if not sides.binary:
        graded = (WEIGHTED, ACCURACY) if is_graded(scores, ratings) else ()
        return (CORRELATION, *graded), "what people score on a scale"
    if is_binary(scores):
        return (KAPPA, AUC, ACCURACY), "labels that pass or fail"
    return (AUC,), "a judge's scores beside people's labels"


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


def _label_functions(scores, gold, measure, draws, clusters):
    """Values of κ or AUC, and the functions of `Agreement` for their intervals: of labels by draws."""
    are_labels = measure == KAPPA or is_binary(scores)
    interval, options = auc_interval, {"clusters": clusters}
    if are_labels:
        interval, options = label_interval, {**options, "measure": measure, **draws}
    value = [auc(judge, gold) for judge in scores] if measure == AUC else np.full(len(scores), np.nan)
    if measure == KAPPA and len(gold):
        kappa = {"coefficient": "cohen", "categories": np.unique([*scores, gold])}
        value = [agreement(np.stack([judge, gold]), **kappa) for judge in scores]

    def ends(judge, level: float, **other) -> Ends:
        result = interval(judge, gold, confidence_level=level, **other, **options)
        return result if are_labels else Ends.exact(*result)

    return (
        np.array(value),
        lambda k, level: ends(scores[k], level),
        lambda level: ends(scores[0], level, minus=scores[1]),
    )


def _share_functions(right, of):
    """Shares of units that are right, and the functions of `Agreement` for their intervals."""
    right, each = right * 1.0, np.ones(right.shape[-1])
    return (
        mean_of(right.T),
        lambda k, level: share_ends(right[k], each, level, of=of),
        lambda level: ratio_ends(right[0] - right[1], each, level, of=of),
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
