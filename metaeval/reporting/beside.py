"""reporting.beside: judges beside people where there is no ranking: labels of one system, two systems, pairs.

Who said what of which item, in arrays, for `metaeval.reporting.few`; and what judges reach on the items that
all of them and people answered, in the same draws of items, for `metaeval.reporting.compare`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose, listing
from metaeval.reporting.gaps import (
    AGREED,
    FAVOURED,
    LABELLED,
    TIED,
    UNANIMOUS,
    Gap,
    drawn_over_everything,
    gap,
    over_everything,
)
from metaeval.reporting.reading import Reading
from metaeval.stats.bias import clustered_share
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc, rates
from metaeval.stats.draws import exact_product, over_draws
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.ordering import drawn_shares, n_separated, share_in_order
from metaeval.stats.reliability import mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SCORE_TIE, signs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.pairs import Pairs
from metaeval.tables.wording import counted

FEW_ITEMS = 20  # with fewer, draws of them are too alike for an interval to decide anything
LEAST = 5  # of the items that people pass, and of those that they fail
ACCURACY, KAPPA, AUC, CORRELATION = MEASURES = ("accuracy", "kappa", "auc", "correlation")


@dataclass(frozen=True, eq=False)
class Labels:
    """Of one system's items, what judges and people said.

    Attributes
    ----------
    judges : DataFrame, a row for each item, a column for each judge
    ratings : float array (n_raters, n_items)
    gold : float array (n_items,)
        People's mean, or what most of them say where they pass or fail; NaN without one.
    binary : bool
        Whether people pass (1) or fail (0).
    """

    judges: pd.DataFrame
    ratings: np.ndarray
    gold: np.ndarray
    binary: bool

    @property
    def told(self) -> np.ndarray:
        """What people said of all items that they labelled: `gold`, and one half where they are split."""
        split = np.isnan(self.gold) & ~np.isnan(self.ratings).all(axis=0)
        return np.where(split, 0.5, self.gold)

    def left(self, judge: int, confidence_level: float) -> Gap | None:
        """What a judge, by its number, left out of the items that people labelled.

        Whether people rate it otherwise; where they do not clearly, and several of them labelled items,
        whether they agree on it less or more.
        """
        own, told = self.judges.to_numpy().T[judge][None], self.told[None]
        does = LABELLED if self.binary else "scored"
        asked = {"confidence_level": confidence_level, "units": "items", "does": does}
        found = gap(own, told, **asked)
        alike = _alike(self.ratings)
        if found is None or found.selective or (~np.isnan(alike)).sum() < FEW_ITEMS:
            return found
        agreed = gap(own, told, about=AGREED, compared=alike[None], **asked)
        return agreed if agreed.selective else found

    def enough(self, known: np.ndarray) -> bool:
        """Whether this many items, of each kind, can decide anything."""
        gold = self.gold[known]
        kinds = [int((gold == kind).sum()) for kind in (0, 1)] if self.binary else []
        return len(gold) >= FEW_ITEMS and all(n >= LEAST for n in kinds)


def labelled(labels: pd.DataFrame) -> Labels:
    """Labels of a `Reading` side by side.

    Raises
    ------
    DataError
        If no labels are people's, or no judge's.
    """
    wide = {
        role: part.pivot_table(index="item", columns="name", values="value", sort=False)
        for role, part in labels.groupby("role")
    }
    require_sides(*(wide.get(role, ()) for role in ("judge", "person")))
    judges, people = (wide[role].reindex(labels["item"].unique()) for role in ("judge", "person"))
    ratings = people.to_numpy().T
    binary, gold = is_binary(ratings), mean_of(ratings)
    if binary:  # a draw of votes is neither
        gold = np.where(gold == 0.5, np.nan, np.round(gold))
    return Labels(judges, ratings, gold, binary)


@dataclass(frozen=True, eq=False)
class Choices:
    """Of pairs of outputs, which one judges and people chose: 1 the first, -1 the second, 0 a tie.

    Attributes
    ----------
    people : float array (n_raters, n_pairs)
    shown : float array (n_judges, 2 orders, n_pairs)
    chosen : float array (n_judges, n_pairs)
        Of both orders together; opposite answers are a tie.
    majority : float array (n_pairs,)
        What most people choose; NaN where no choice has the most votes.
    documents : int array (n_pairs,)
        Of which document each pair is.
    """

    people: np.ndarray
    shown: np.ndarray
    chosen: np.ndarray
    majority: np.ndarray
    documents: np.ndarray

    def left(self, judge: int, confidence_level: float) -> Gap | None:
        """What a judge, by its number, left out of the pairs that people judged.

        Whether people agree on it otherwise is asked of pairs that two of them or more judged; where these
        are few, whether people call it a tie more often.
        """
        anybody, alike = np.where(np.isnan(self.people).all(axis=0), np.nan, 1.0), _alike(self.people)
        agreed = (~np.isnan(alike)).sum() >= FEW_ITEMS
        planes = self.chosen[judge], anybody, alike if agreed else anybody * (self.people == 0).any(axis=0)
        scores, people, compared = (_by_document(plane, self.documents) for plane in planes)
        return gap(
            scores, people, confidence_level=confidence_level, units="pairs", does="judged",
            about=UNANIMOUS if agreed else TIED, compared=compared,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Differences:
    """Of two systems, by how much judges and people put the first higher on each document.

    Attributes
    ----------
    judges : float array (n_judges, n_documents)
    people : float array (n_documents,)
    """

    judges: np.ndarray
    people: np.ndarray

    def left(self, judge: int, confidence_level: float) -> Gap | None:
        """What a judge, by its number, left out, and whether people favour the first there as often."""
        ahead = np.sign(self.people)
        return gap(
            self.judges[judge][None], self.people[None], confidence_level=confidence_level, units="documents",
            does="judged", about=FAVOURED, compared=np.where(ahead == 0, np.nan, (1 + ahead) / 2)[None],
        )  # fmt: skip


def _alike(people: np.ndarray) -> np.ndarray:
    """Whether all who answered (n_raters, n_items) say the same: 1, else 0; NaN where fewer than two did."""
    told = ~np.isnan(people)
    low, high = np.where(told, people, np.inf).min(axis=0), np.where(told, people, -np.inf).max(axis=0)
    return np.where(told.sum(axis=0) > 1, (low == high) * 1.0, np.nan)


def _by_document(values: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Values of pairs as (places, documents), NaN where a document has fewer pairs than another."""
    places = pd.Series(documents).groupby(documents).cumcount().to_numpy()
    found = np.full((places.max(initial=0) + 1, documents.max(initial=0) + 1), np.nan)
    found[places, documents] = values
    return found


def chosen(pairs: Pairs) -> Choices:
    """Choices of judges and people side by side.

    Raises
    ------
    DataError
        If no choices are people's, or no judge's.
    """
    people = np.sign(pairs.people.to_numpy() - 0.5)
    require_sides(pairs.judges.indexes["judge"], people)
    shown = np.sign(pairs.judges.to_numpy() - 0.5)
    both = np.sign(mean_of(np.moveaxis(shown, 1, 0)))
    return Choices(people, shown, both, majority_of(people), pd.factorize(pairs.items["document"])[0])


def majority_of(choices: np.ndarray) -> np.ndarray:
    """What most of (n_raters, n_pairs) choose, NaN where no choice has the most votes."""
    votes = np.stack([(choices == answer).sum(axis=0) for answer in (-1, 0, 1)])
    most = votes.max(axis=0)
    clear = ((votes == most).sum(axis=0) == 1) & (most > 0)
    return np.where(clear, votes.argmax(axis=0) - 1.0, np.nan)


def is_binary(values: np.ndarray) -> bool:
    """Whether all that is there is 0 or 1."""
    return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())


def require_sides(judges: Sequence[object], people: Sequence[object]) -> None:
    """Raise unless there are judges and people."""
    if not len(people):
        raise DataError(
            f"no scores here are people's: they are of {listing(judges)}; name single raters with --rater "
            "NAME NAME, or people's mean with --people NAME, or add a file of them"
        )
    if not len(judges):
        raise DataError(
            "there is no metric and no judge beside people; add their scores, or name raters who are not "
            "people with --machine NAME"
        )


@dataclass(frozen=True, eq=False)
class Reached:
    """What some judges reach with people, on what all of them answered.

    Attributes
    ----------
    measure : str
        One of `MEASURES`.
    name, verb : str
        The measure, and what a judge does whose value is given, such as ``"correlates"``.
    value : float array (n_judges,)
    distribution : float array (n_judges, n_draws), in shared draws
    of, over : str
        What the data are, and what the values are over.
    too_few : str
        Why nothing is decided, in a sentence; "" where there is enough.
    kind : what the signature begins with
    shape : systems and documents
    n_units : how many units the draws are of, such as items
    scores : float array (n_judges, n_systems, n_documents)
        All that each judge answered, NaN where it did not.
    people : float array (n_systems, n_documents)
    units, does : see `metaeval.reporting.gaps.Gap`
    sides : Labels, Differences or Choices of these judges, or None where systems are ranked
    shares : arrays (n_judges, n_trials), (n_trials,) and (n_trials,), or None
        Of accuracies, what `share_ends` takes: what is right, what is known, and of which unit it is.
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
    def least(self) -> float:
        """The smallest value that there can be; the largest is 1."""
        return 0.0 if self.measure in (ACCURACY, AUC) else -1.0

    def ends(self, judge: int, confidence_level: float) -> Ends:
        """Of the interval of what a judge, by its number, reaches; NaN where there is none."""
        if self.too_few:
            return no_ends()
        if self.shares is not None:
            right, known, of = self.shares
            return share_ends(right[judge], known, confidence_level, of=of)
        drawn = self.distribution[judge]
        return (own_ends if self.measure in (KAPPA, AUC) else percentile_ends)(drawn, confidence_level)

    def difference(self, confidence_level: float) -> tuple[float, Ends]:
        """What the first judge reaches minus what the second does, and its interval in shared draws."""
        value = float(self.value[0] - self.value[1])
        if self.too_few:
            return value, no_ends()
        ends = percentile_ends(self.distribution[0] - self.distribution[1], confidence_level)
        if self.shares is None or ends.high - ends.low > DIFFERENCE_TIE:
            return value, ends
        # every unit gives the same difference: so many others may give any, from -1 to 1
        others = 1 - share_interval(1.0, self.n_units, confidence_level=confidence_level)[0]
        return value, Ends(value - others * (1 + value), value + others * (1 - value), 0.0, 0.0)

    def left(self, judge: int, confidence_level: float) -> Gap | None:
        """What a judge, by its number, left out of what people answered."""
        if self.sides is not None:
            return self.sides.left(judge, confidence_level)
        return gap(
            self.scores[judge], self.people, confidence_level=confidence_level, units=self.units,
            does=self.does, coefficient=self._ranked_by,
        )  # fmt: skip

    def everywhere(self, *, n_resamples: int, rng: RNGLike) -> tuple[np.ndarray, np.ndarray]:
        """Where systems are ranked, correlations with people's means over everything that people scored,
        (n_judges,), and the same in the draws of `distribution`, (n_judges, n_draws); else NaN.
        """
        if self._ranked_by is None:
            return np.full(len(self.scores), np.nan), np.full(self.distribution.shape, np.nan)
        value = np.array([over_everything(plane, self.people, self._ranked_by) for plane in self.scores])
        return value, drawn_over_everything(
            self.scores, self.people, self._ranked_by, n_resamples=n_resamples, rng=rng
        )

    @property
    def _ranked_by(self) -> str | None:
        """The coefficient where systems are ranked."""
        return self.kind["coefficient"] if self.kind.get("level") == "system" else None


def no_ends() -> Ends:
    """Of an interval that does not exist."""
    return Ends(np.nan, np.nan, np.nan, np.nan)


def own_ends(drawn: np.ndarray, confidence_level: float) -> Ends:
    """Percentiles of draws; none where both are one, as of draws that are alike."""
    ends = percentile_ends(drawn, confidence_level)
    return no_ends() if ends.high - ends.low <= DIFFERENCE_TIE else ends


def share_ends(
    right: np.ndarray, known: np.ndarray, confidence_level: float, *, of: np.ndarray | None = None
) -> Ends:
    """Ends of a share's interval: Clopper and Pearson's, which holds near 0 and 1 too.

    Parameters
    ----------
    right : array (n_units,)
        Whether each unit is right, or how often.
    known : array (n_units,)
        Whether it is known, or how often it counts.
    confidence_level : float in (0, 1)
    of : int array (n_units,), by default each by itself
        Units with one number, such as those of a document, may be alike.

    Notes
    -----
    Draws of a judge that was right 14 times of 14, or 39 of 40, hardly show that it may be wrong the next
    time. Where units may be alike, the interval is Korn and Graubard's, see
    `metaeval.stats.bias.clustered_share`. How alike they are is estimated, badly where hardly anything is
    right or wrong: no low end lies above that of a judge that is always right, nor above that of
    independent units, and no high end below theirs.
    """
    right, known = np.where(known, right, 0.0), np.asarray(known, dtype=float)
    if of is not None:
        right, known = (np.bincount(of, each) for each in (right, known))
    n = known.sum() or np.nan
    low, high = share_interval(right.sum() / n, n, confidence_level=confidence_level)
    if known.max(initial=0) > 1:
        place = np.arange(known.max())[:, None]
        trials = np.where(place < known, (place < right) * 1.0, np.nan)
        found = clustered_share(trials, by=("document",), confidence_level=confidence_level)
        # of units that are all alike within a document (Kish)
        least = share_interval(1.0, n**2 / (known**2).sum(), confidence_level=confidence_level)[0]
        # of a single unit there is no corrected interval
        low, high = np.fmin(low, found.low).clip(max=least), np.fmax(high, found.high).clip(1 - least)
    return Ends(low, high, 0.0, 0.0)


def reached(
    reading: Reading,
    judges: Sequence[str],
    *,
    measure: str | None = None,
    coefficient: str,
    n_resamples: int,
    rng: RNGLike,
) -> Reached:
    """What judges reach with people; items, documents and pairs are drawn again.

    Parameters
    ----------
    reading : Reading of the kind one_system, two_systems or pairs
    judges : names
    measure : of `MEASURES`, by default the first that these data allow
        Of labels κ, the area under the curve, or accuracy; of scores beside people who pass or fail the area;
        of scores on a scale the correlation. Of two systems and of pairs the accuracy: how often the judge
        favours what people favour.
    coefficient : of the correlation
    n_resamples, rng : of the draws

    Raises
    ------
    UnknownNameError
        If there is no such judge.
    DataError
        If there are no people, or these data have no such measure.
    """
    draws = {"n_resamples": n_resamples, "rng": seed_of(rng)}
    if reading.kind == "one_system":
        return _on_items(labelled(reading.labels), judges, measure, coefficient, draws)
    require_measure(measure, (ACCURACY,), "choices between two outputs")
    if reading.kind == "pairs":
        return _on_pairs(reading.pairs, judges, **draws)
    return _on_documents(reading.benchmark, judges, **draws)


def require_measure(measure: str | None, possible: Sequence[str], of: str) -> str:
    """The measure, by default the first that is possible.

    Raises
    ------
    DataError
        If it is none of these.
    """
    if measure not in (None, *possible):
        raise DataError(f"--measure {measure} is not of {of}, whose measure is {' or '.join(possible)}")
    return measure or possible[0]


def _planes(judges: Sequence[str], known: Sequence[str], values: np.ndarray) -> np.ndarray:
    places = {name: place for place, name in enumerate(known)}
    return values[[choose("judge", judge, places) for judge in judges]]


def _on_items(sides: Labels, judges, measure, coefficient, draws) -> Reached:
    every = scores = _planes(judges, list(sides.judges.columns), sides.judges.to_numpy().T)
    known = ~np.isnan(scores).any(axis=0) & ~np.isnan(sides.gold)
    scores, gold = scores[:, known], sides.gold[known]
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
    if not known.any():
        value, drawn = np.full(len(scores), np.nan), np.full((len(scores), draws["n_resamples"]), np.nan)
    elif measure == CORRELATION:
        # items are the documents of one system
        kind, planes, people = {"level": "global", "coefficient": coefficient}, scores[:, None], gold[None]
        value = correlate(planes, people, **kind).value
        drawn = bootstrap_distribution(planes, people, resample="inputs", **kind, **draws)
    else:
        value, drawn = _on_labels(scores, gold, measure, draws)
    kinds = f", {LEAST} of them passed and {LEAST} failed by people," if sides.binary else ""
    n = len(gold)
    return Reached(
        measure, name, "reaches", value, drawn, of="labels of one system",
        over=f"{name} over {counted(n, 'item')}",
        too_few="" if sides.enough(known) else f"It takes {FEW_ITEMS} items{kinds} to decide anything.",
        kind={"kind": "one_system", "measure": coefficient if measure == CORRELATION else measure},
        shape=(1, n), n_units=n, scores=every[:, None], people=sides.told[None], units="items",
        does=LABELLED if sides.binary else "scored",
        sides=replace(sides, judges=sides.judges[[*judges]]),
        shares=(scores == gold, np.ones(n), np.arange(n)) if measure == ACCURACY else None,
    )  # fmt: skip


def _on_labels(scores, gold, measure, draws) -> tuple[np.ndarray, np.ndarray]:
    drawn = stream(draws["rng"], "items"), draws["n_resamples"], len(gold)
    if measure == ACCURACY:
        return means(scores == gold, np.full(len(gold), True), *drawn[:2])
    one = auc if measure == AUC else lambda judge, people, counts: rates(judge, people, counts=counts).kappa

    def of_each(counts: np.ndarray | None) -> np.ndarray:
        return np.stack([one(judge, gold, counts=counts) for judge in scores])

    return of_each(None), over_draws(of_each, *drawn)


def means(
    values: np.ndarray,
    known: np.ndarray,
    rng: np.random.Generator,
    n_resamples: int,
    *,
    of: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of values per known unit, and the same in each draw.

    Parameters
    ----------
    values : float array (..., n_units)
        Of what is not known any.
    known : array (n_units,)
        Whether each unit is known, or how often it counts.
    rng, n_resamples : see `metaeval.stats.draws.over_draws`
    of : int array (n_units,), by default each by itself
        Units with one number, such as those of a document, are drawn together.

    Returns
    -------
    float arrays (...) and (..., n_resamples)
    """
    sums = np.vstack([np.where(known, values, 0.0), known])
    if of is not None:
        sums = np.stack([np.bincount(of, row) for row in sums])
    drawn = over_draws(lambda counts: exact_product(counts, sums.T).T, rng, n_resamples, sums.shape[1])
    whole, shape = sums.sum(axis=1), np.shape(values)[:-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (whole[:-1] / whole[-1]).reshape(shape), (drawn[:-1] / drawn[-1]).reshape(*shape, -1)


def _on_documents(benchmark: Benchmark, judges, *, n_resamples, rng) -> Reached:
    """On how many documents a judge favours the system that people favour; a tie of the judge counts half."""
    require_sides(benchmark.metrics, benchmark.judgments)
    scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    # only what all of them scored
    human = benchmark.human.where(~np.isnan(scores).any(axis=0)).to_numpy()
    drawn = drawn_shares(scores, human, resample="inputs", n_resamples=n_resamples, rng=rng)
    n = int(n_separated(scores[0], human))
    apart, people = scores[:, 0] - scores[:, 1], -np.diff(benchmark.human.to_numpy(), axis=0)
    favoured = signs(human[0] - human[1], SCORE_TIE)
    shares = (1 + signs(apart, SCORE_TIE) * favoured) / 2, np.abs(favoured) == 1, np.arange(len(favoured))
    over = f"accuracy over the {counted(n, 'document')} on which people favour a system, a judge's ties half"
    too_few = f"It takes {FEW_ITEMS} such documents to decide anything."
    return Reached(
        ACCURACY, "accuracy", "reaches", share_in_order(scores, human), drawn, of="two systems", over=over,
        too_few="" if n >= FEW_ITEMS else too_few, kind={"kind": "two_systems", "measure": ACCURACY},
        shape=human.shape, n_units=n, scores=apart[:, None], people=people,
        units="documents", does="judged", sides=Differences(apart, people[0]), shares=shares,
    )  # fmt: skip


def _on_pairs(pairs: Pairs, judges, *, n_resamples, rng) -> Reached:
    """In how many pairs a judge chooses as most people do; a tie is a choice."""
    sides = chosen(pairs)
    choices = _planes(judges, list(pairs.judges.indexes["judge"]), sides.chosen)
    known = ~np.isnan(choices).any(axis=0) & ~np.isnan(sides.majority)
    n, n_documents = int(known.sum()), int(sides.documents.max()) + 1
    right = choices == sides.majority
    value, drawn = means(right, known, stream(rng, "documents"), n_resamples, of=sides.documents)
    n_systems = len({*pairs.items["first"], *pairs.items["second"]})
    return Reached(
        ACCURACY, "accuracy", "reaches", value, drawn, of="choices between two outputs",
        over=f"accuracy over {counted(n, 'pair')}",
        too_few="" if n >= FEW_ITEMS else f"It takes {FEW_ITEMS} pairs to decide anything.",
        kind={"kind": "pairs", "measure": ACCURACY}, shape=(n_systems, n_documents),
        n_units=len(np.unique(sides.documents[known])),
        scores=choices[:, None], people=sides.majority[None], units="pairs", does="judged",
        sides=replace(sides, chosen=choices), shares=(right, known, sides.documents),
    )  # fmt: skip
