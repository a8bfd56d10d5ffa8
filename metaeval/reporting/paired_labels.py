"""reporting.paired_labels: judges and people without a ranking: labels of one system, two systems, choices.

Answers of judges and people as arrays, for `metaeval.reporting.unranked`; and their agreement on the common
items, in shared draws of items, for `metaeval.reporting.compare`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.reporting.missing_scores import (
    AGREED,
    FAVOURED,
    LABELLED,
    TIED,
    UNANIMOUS,
    Gap,
    bootstrap_with_all,
    correlate_with_all,
    gap,
)
from metaeval.reporting.reading import Reading, require_sides
from metaeval.stats.bias import clustered_share
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc, rates
from metaeval.stats.draws import exact_product, map_draws
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.pairs import drawn_shares, n_separated, share_in_order
from metaeval.stats.reliability import mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SCORE_TIE, signs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.pairs import Pairs
from metaeval.tables.wording import counted

FEW_ITEMS = 20  # with fewer, draws are too similar for an interval to decide anything
MIN_PER_CLASS = 5  # items that people pass, and items that they fail
ACCURACY, KAPPA, AUC, CORRELATION = MEASURES = ("accuracy", "kappa", "auc", "correlation")


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of one system's items by judges and people.

    Attributes
    ----------
    judges : DataFrame, a row for each item, a column for each judge
    ratings : float array (n_raters, n_items)
    gold : float array (n_items,)
        People's mean, or their majority if they pass or fail; NaN without one.
    binary : bool
        True if people pass (1) or fail (0).
    """

    judges: pd.DataFrame
    ratings: np.ndarray
    gold: np.ndarray
    binary: bool

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
        own, people = self.judges.to_numpy().T[judge][None], self.people[None]
        does = LABELLED if self.binary else "scored"
        options = {"confidence_level": confidence_level, "units": "items", "does": does}
        missing = gap(own, people, **options)
        unanimous = _unanimous(self.ratings)
        if missing is None or missing.selective or (~np.isnan(unanimous)).sum() < FEW_ITEMS:
            return missing
        agreed = gap(own, people, about=AGREED, compared=unanimous[None], **options)
        return agreed if agreed.selective else missing

    def enough(self, mask: np.ndarray) -> bool:
        """True if there are enough items, of each class, to decide anything."""
        gold = self.gold[mask]
        kinds = [int((gold == kind).sum()) for kind in (0, 1)] if self.binary else []
        return len(gold) >= FEW_ITEMS and all(n >= MIN_PER_CLASS for n in kinds)


def pair_labels(labels: pd.DataFrame) -> Labels:
    """Labels of a `Reading` as arrays.

    Raises
    ------
    DataError
        If there are no labels by people, or by judges.
    """
    wide = {
        role: part.pivot_table(index="item", columns="name", values="value", sort=False)
        for role, part in labels.groupby("role")
    }
    require_sides(*(wide.get(role, ()) for role in ("judge", "person")))
    judges, people = (wide[role].reindex(labels["item"].unique()) for role in ("judge", "person"))
    ratings = people.to_numpy().T
    binary, gold = is_binary(ratings), mean_of(ratings)
    if binary:  # a tie of votes is neither
        gold = np.where(gold == 0.5, np.nan, np.round(gold))
    return Labels(judges, ratings, gold, binary)


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices between two outputs by judges and people: 1 the first, -1 the second, 0 a tie.

    Attributes
    ----------
    people : float array (n_raters, n_pairs)
    by_order : float array (n_judges, 2 orders, n_pairs)
    judges : float array (n_judges, n_pairs)
        Both orders together; opposite answers are a tie.
    majority : float array (n_pairs,)
        The choice of most people; NaN without a unique one.
    documents : int array (n_pairs,)
        Index of each pair's document.
    """

    people: np.ndarray
    by_order: np.ndarray
    judges: np.ndarray
    majority: np.ndarray
    documents: np.ndarray

    def gap(self, judge: int, confidence_level: float) -> Gap | None:
        """Pairs that people judged and the judge of this index did not.

        Compares people's agreement on pairs with at least two people; if these are few, compares the share of
        ties.
        """
        anybody, alike = np.where(np.isnan(self.people).all(axis=0), np.nan, 1.0), _unanimous(self.people)
        agreed = (~np.isnan(alike)).sum() >= FEW_ITEMS
        planes = self.judges[judge], anybody, alike if agreed else anybody * (self.people == 0).any(axis=0)
        scores, people, compared = (_by_document(plane, self.documents) for plane in planes)
        return gap(
            scores, people, confidence_level=confidence_level, units="pairs", does="judged",
            about=UNANIMOUS if agreed else TIED, compared=compared,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences between two systems, first minus second, by judges and people on each document.

    Attributes
    ----------
    judges : float array (n_judges, n_documents)
    people : float array (n_documents,)
    """

    judges: np.ndarray
    people: np.ndarray

    def gap(self, judge: int, confidence_level: float) -> Gap | None:
        """Documents without a difference by the judge of this index; compares how people favour the first."""
        ahead = np.sign(self.people)
        return gap(
            self.judges[judge][None], self.people[None], confidence_level=confidence_level, units="documents",
            does="judged", about=FAVOURED, compared=np.where(ahead == 0, np.nan, (1 + ahead) / 2)[None],
        )  # fmt: skip


def _unanimous(people: np.ndarray) -> np.ndarray:
    """Unanimity of raters (n_raters, n_items): 1 if all agree, else 0; NaN with fewer than two answers."""
    answered = ~np.isnan(people)
    low, high = (
        np.where(answered, people, np.inf).min(axis=0),
        np.where(answered, people, -np.inf).max(axis=0),
    )
    return np.where(answered.sum(axis=0) > 1, (low == high) * 1.0, np.nan)


def _by_document(values: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Values of pairs as (place in the document, document); NaN if a document has fewer pairs."""
    places = pd.Series(documents).groupby(documents).cumcount().to_numpy()
    table = np.full((places.max(initial=0) + 1, documents.max(initial=0) + 1), np.nan)
    table[places, documents] = values
    return table


def pair_choices(pairs: Pairs) -> Choices:
    """Choices of judges and people as arrays.

    Raises
    ------
    DataError
        If there are no choices by people, or by judges.
    """
    people = np.sign(pairs.people.to_numpy() - 0.5)
    require_sides(pairs.judges.indexes["judge"], people)
    by_order = np.sign(pairs.judges.to_numpy() - 0.5)
    together = np.sign(mean_of(np.moveaxis(by_order, 1, 0)))
    return Choices(people, by_order, together, majority_of(people), pd.factorize(pairs.items["document"])[0])


def majority_of(choices: np.ndarray) -> np.ndarray:
    """Majority of choices (n_raters, n_pairs), NaN without a unique one."""
    votes = np.stack([(choices == answer).sum(axis=0) for answer in (-1, 0, 1)])
    n_max = votes.max(axis=0)
    clear = ((votes == n_max).sum(axis=0) == 1) & (n_max > 0)
    return np.where(clear, votes.argmax(axis=0) - 1.0, np.nan)


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
    name, verb : str
        Name of the measure, and the verb before a judge's value, such as ``"correlates"``.
    value : float array (n_judges,)
    distribution : float array (n_judges, n_draws), in shared draws
    of, over : str
        Descriptions of the data, and of the units behind the values.
    too_few : str
        Sentence on why nothing can be decided; "" if there is enough data.
    kind : start of the signature
    shape : numbers of systems and documents
    n_units : number of drawn units, such as items
    scores : float array (n_judges, n_systems, n_documents)
        All answers of each judge, NaN if missing.
    people : float array (n_systems, n_documents)
    units, does : see `metaeval.reporting.missing_scores.Gap`
    sides : Labels, Differences or Choices of these judges, or None for a ranking of systems
    shares : arrays (n_judges, n_trials), (n_trials,) and (n_trials,), or None
        For accuracies, arguments of `share_ends`: what is right, its weights, and the index of its unit.
    """

    measure: str
    name: str
    verb: str
    value: np.ndarray
    distribution: np.ndarray
    of: str
    over: str
    too_few: str
    kind: Mapping[str, str]
    shape: tuple[int, int]
    n_units: int
    scores: np.ndarray
    people: np.ndarray
    units: str
    does: str
    sides: Labels | Differences | Choices | None = None
    shares: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    @property
    def minimum(self) -> float:
        """Smallest possible value; the largest is 1."""
        return 0.0 if self.measure in (ACCURACY, AUC) else -1.0

    def ends(self, judge: int, confidence_level: float) -> Ends:
        """Ends of the interval of a judge's agreement, by its index; NaN without an interval."""
        if self.too_few:
            return no_ends()
        if self.shares is not None:
            right, weights, of = self.shares
            return share_ends(right[judge], weights, confidence_level, of=of)
        drawn = self.distribution[judge]
        return (own_ends if self.measure in (KAPPA, AUC) else percentile_ends)(drawn, confidence_level)

    def difference(self, confidence_level: float) -> tuple[float, Ends]:
        """Agreement of the first judge minus that of the second, and its interval in shared draws."""
        value = float(self.value[0] - self.value[1])
        if self.too_few:
            return value, no_ends()
        ends = percentile_ends(self.distribution[0] - self.distribution[1], confidence_level)
        if self.shares is None or ends.high - ends.low > DIFFERENCE_TIE:
            return value, ends
        # every unit gives the same difference; as many others may give any, from -1 to 1
        others = 1 - share_interval(1.0, self.n_units, confidence_level=confidence_level)[0]
        return value, Ends(value - others * (1 + value), value + others * (1 - value), 0.0, 0.0)

    def gap(self, judge: int, confidence_level: float) -> Gap | None:
        """Units that people answered and the judge of this index did not."""
        if self.sides is not None:
            return self.sides.gap(judge, confidence_level)
        return gap(
            self.scores[judge], self.people, confidence_level=confidence_level, units=self.units,
            does=self.does, coefficient=self._ranked_by,
        )  # fmt: skip

    def everywhere(self, *, n_resamples: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Correlations with people's means over everything that people scored, (n_judges,), and the same in
        the draws of `distribution`, (n_judges, n_draws); NaN without a ranking of systems.
        """
        if self._ranked_by is None:
            return np.full(len(self.scores), np.nan), np.full(self.distribution.shape, np.nan)
        value = np.array([correlate_with_all(plane, self.people, self._ranked_by) for plane in self.scores])
        return value, bootstrap_with_all(
            self.scores, self.people, self._ranked_by, n_resamples=n_resamples, rng=rng
        )

    @property
    def _ranked_by(self) -> str | None:
        """Coefficient of a ranking of systems, else None."""
        return self.kind["coefficient"] if self.kind.get("level") == "system" else None


def no_ends() -> Ends:
    """Ends of a missing interval."""
    return Ends(np.nan, np.nan, np.nan, np.nan)


def own_ends(drawn: np.ndarray, confidence_level: float) -> Ends:
    """Percentile interval of draws; missing if its ends coincide, as for identical draws."""
    ends = percentile_ends(drawn, confidence_level)
    return no_ends() if ends.high - ends.low <= DIFFERENCE_TIE else ends


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
    return Ends(low, high, 0.0, 0.0)


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
        area; for scores on a scale the correlation. For two systems and for pairs the accuracy: how often the
        judge favours the same side as people.
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
        return _item_agreement(pair_labels(reading.labels), judges, measure, coefficient, draws)
    require_measure(measure, (ACCURACY,), "choices between two outputs")
    if reading.kind == "pairs":
        return _pair_agreement(reading.pairs, judges, **draws)
    return _document_agreement(reading.benchmark, judges, **draws)


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


def _planes(judges: Sequence[str], names: Sequence[str], values: np.ndarray) -> np.ndarray:
    places = {name: place for place, name in enumerate(names)}
    return values[[choose("judge", judge, places) for judge in judges]]


def _item_agreement(sides: Labels, judges, measure, coefficient, draws) -> Agreement:
    every = scores = _planes(judges, list(sides.judges.columns), sides.judges.to_numpy().T)
    mask = ~np.isnan(scores).any(axis=0) & ~np.isnan(sides.gold)
    scores, gold = scores[:, mask], sides.gold[mask]
    if not sides.binary:
        possible, what = (CORRELATION,), "what people score on a scale"
    elif is_binary(scores):
        possible, what = (KAPPA, AUC, ACCURACY), "labels that pass or fail"
    else:
        possible, what = (AUC,), "a judge's scores beside people's labels"
    measure = require_measure(measure, possible, what)
    name = {KAPPA: "Cohen's κ", AUC: "AUC", ACCURACY: "accuracy"}.get(
        measure, COEFFICIENT_LABELS[coefficient]
    )
    if not mask.any():
        value, drawn = np.full(len(scores), np.nan), np.full((len(scores), draws["n_resamples"]), np.nan)
    elif measure == CORRELATION:
        # items are the documents of one system
        kind, planes, people = {"level": "global", "coefficient": coefficient}, scores[:, None], gold[None]
        value = correlate(planes, people, **kind).value
        drawn = bootstrap_distribution(planes, people, resample="inputs", **kind, **draws)
    else:
        value, drawn = _label_agreement(scores, gold, measure, draws)
    kinds = f", {MIN_PER_CLASS} of them passed and {MIN_PER_CLASS} failed by people," if sides.binary else ""
    n = len(gold)
    return Agreement(
        measure, name, "reaches", value, drawn, of="labels of one system",
        over=f"{name} over {counted(n, 'item')}",
        too_few="" if sides.enough(mask) else f"It takes {FEW_ITEMS} items{kinds} to decide anything.",
        kind={"kind": "one_system", "measure": coefficient if measure == CORRELATION else measure},
        shape=(1, n), n_units=n, scores=every[:, None], people=sides.people[None], units="items",
        does=LABELLED if sides.binary else "scored",
        sides=replace(sides, judges=sides.judges[[*judges]]),
        shares=(scores == gold, np.ones(n), np.arange(n)) if measure == ACCURACY else None,
    )  # fmt: skip


def _label_agreement(scores, gold, measure, draws) -> tuple[np.ndarray, np.ndarray]:
    drawn = stream(draws["rng"], "items"), draws["n_resamples"], len(gold)
    if measure == ACCURACY:
        return means(scores == gold, np.full(len(gold), True), *drawn[:2])
    one = auc if measure == AUC else lambda judge, people, counts: rates(judge, people, counts=counts).kappa

    def statistics(counts: np.ndarray | None) -> np.ndarray:
        return np.stack([one(judge, gold, counts=counts) for judge in scores])

    return statistics(None), map_draws(statistics, *drawn)


def means(
    values: np.ndarray,
    weights: np.ndarray,
    rng: np.random.Generator,
    n_resamples: int,
    *,
    of: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Weighted sums of values per weight, and the same in each draw.

    Parameters
    ----------
    values : float array (..., n_units)
        Anything where the weight is 0.
    weights : array (n_units,)
        1 if the unit is known, or how often it counts.
    rng, n_resamples : see `metaeval.stats.draws.map_draws`
    of : int array (n_units,), by default each by itself
        Units with the same number, such as those of a document, are drawn together.

    Returns
    -------
    float arrays (...) and (..., n_resamples)
    """
    sums = np.vstack([np.where(weights, values, 0.0), weights])
    if of is not None:
        sums = np.stack([np.bincount(of, row) for row in sums])
    drawn = map_draws(lambda counts: exact_product(counts, sums.T).T, rng, n_resamples, sums.shape[1])
    whole, shape = sums.sum(axis=1), np.shape(values)[:-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (whole[:-1] / whole[-1]).reshape(shape), (drawn[:-1] / drawn[-1]).reshape(*shape, -1)


def _document_agreement(benchmark: Benchmark, judges, *, n_resamples, rng) -> Agreement:
    """Share of documents on which a judge favours the same system as people; its ties count half."""
    require_sides(benchmark.metrics, benchmark.judgments)
    scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    # units that all of them scored
    human = benchmark.human.where(~np.isnan(scores).any(axis=0)).to_numpy()
    drawn = drawn_shares(scores, human, resample="inputs", n_resamples=n_resamples, rng=rng)
    n = int(n_separated(scores[0], human))
    apart, people = scores[:, 0] - scores[:, 1], -np.diff(benchmark.human.to_numpy(), axis=0)
    favoured = signs(human[0] - human[1], SCORE_TIE)
    shares = (1 + signs(apart, SCORE_TIE) * favoured) / 2, np.abs(favoured) == 1, np.arange(len(favoured))
    over = f"accuracy over the {counted(n, 'document')} on which people favour a system, a judge's ties half"
    too_few = f"It takes {FEW_ITEMS} such documents to decide anything."
    return Agreement(
        ACCURACY, "accuracy", "reaches", share_in_order(scores, human), drawn, of="two systems", over=over,
        too_few="" if n >= FEW_ITEMS else too_few, kind={"kind": "two_systems", "measure": ACCURACY},
        shape=human.shape, n_units=n, scores=apart[:, None], people=people,
        units="documents", does="judged", sides=Differences(apart, people[0]), shares=shares,
    )  # fmt: skip


def _pair_agreement(pairs: Pairs, judges, *, n_resamples, rng) -> Agreement:
    """Share of pairs in which a judge chooses like most people; a tie is a choice."""
    sides = pair_choices(pairs)
    choices = _planes(judges, list(pairs.judges.indexes["judge"]), sides.judges)
    mask = ~np.isnan(choices).any(axis=0) & ~np.isnan(sides.majority)
    n, n_documents = int(mask.sum()), int(sides.documents.max()) + 1
    right = choices == sides.majority
    value, drawn = means(right, mask, stream(rng, "documents"), n_resamples, of=sides.documents)
    n_systems = len({*pairs.items["first"], *pairs.items["second"]})
    return Agreement(
        ACCURACY, "accuracy", "reaches", value, drawn, of="choices between two outputs",
        over=f"accuracy over {counted(n, 'pair')}",
        too_few="" if n >= FEW_ITEMS else f"It takes {FEW_ITEMS} pairs to decide anything.",
        kind={"kind": "pairs", "measure": ACCURACY}, shape=(n_systems, n_documents),
        n_units=len(np.unique(sides.documents[mask])),
        scores=choices[:, None], people=sides.majority[None], units="pairs", does="judged",
        sides=replace(sides, judges=choices), shares=(right, mask, sides.documents),
    )  # fmt: skip
