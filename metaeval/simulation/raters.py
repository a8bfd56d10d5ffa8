"""simulation.raters: raters with known bias, noise and preferences, and voters with known errors.

Arrays in, arrays and tables out; called by `simulation.worlds` for the book's own draws and by experiments
that measure how well an estimator recovers these parameters. A rater perceives

    perceived = middle + slope (quality - middle) + bias + favour + taste + noise

and answers with the nearest rating of the scale; `taste` is drawn once for a summary and `noise` for every
answer, so repeated answers share `taste` but not `noise`. Voters see the same pairs of outputs, which are
better or worse than their systems usually are; each perceives a difference with an error of its own, and
votes by Davidson's model (`metaeval.stats.votes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.core.limits import check_count
from metaeval.stats.streams import RNGLike, seed_of, stream

N_WORKERS, POOL, N_NOISY = 4, 60, 6  # workers who vote on a summary, of all; who answer at random
MISS, INVENT = 0.12, 0.08  # mean rates of their errors on units that are present, and on others
COMMON, OWN = 1.0, 1.0  # standard deviations of what an output is better by, and of a voter's error


@dataclass(frozen=True)
class Rater:
    """Parameters by which a rater, person or judge, turns quality into answers.

    Attributes
    ----------
    bias : float
        Leniency: added to every rating.
    slope : float
        Share of the distance from the middle of the scale that is perceived; below 1 ratings concentrate
        there, at 0 all summaries seem alike.
    noise : float, at least 0
        Standard deviation of the noise of every answer, including repeated ones.
    taste : float, at least 0
        Standard deviation of the rater's personal preference for a summary, the same in every answer.
    favours : mapping, position of a system -> added to all its summaries
        Such as a judge's own system.
    first : float
        Added to the first one of two summaries.
    threshold : float, at least 0
        Two summaries that seem no further apart are called equal.
    """

    bias: float = 0.0
    slope: float = 1.0
    noise: float = 0.5
    taste: float = 0.0
    favours: Mapping[int, float] = field(default_factory=dict)
    first: float = 0.0
    threshold: float = 0.0

    def __post_init__(self):
        for name in ("noise", "taste", "threshold"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"`{name}` must be at least 0, got {getattr(self, name)}")


@dataclass(frozen=True)
class Scale:
    """Ratings from `low` to `high`, `step` apart."""

    low: float = 1.0
    high: float = 5.0
    step: float = 1.0

    @property
    def middle(self) -> float:
        """Half-way between the ends."""
        return (self.low + self.high) / 2

    def nearest(self, values: np.ndarray) -> np.ndarray:
        """Round perceived values to the nearest ratings."""
        rounded = self.low + np.floor((values - self.low) / self.step + 0.5) * self.step
        return np.clip(rounded, self.low, self.high)


FIVE = Scale()


def perceived(quality: np.ndarray, rater: Rater, *, scale: Scale = FIVE, rng: RNGLike = None) -> np.ndarray:
    """Quality of summaries as a rater perceives it, before the noise of an answer.

    Parameters
    ----------
    quality : float array (n_systems, n_documents), on the scale
    rater : Rater
    scale : Scale
    rng : seed, Generator or None

    Returns
    -------
    float array (n_systems, n_documents)

    Raises
    ------
    ValueError
        If the rater favours a system that does not exist.
    """
    quality = np.asarray(quality, dtype=float)
    odd = sorted(place for place in rater.favours if not 0 <= place < len(quality))
    if odd:
        raise ValueError(f"a favoured system must be from 0 to {len(quality) - 1}, got {odd}")
    perception = scale.middle + rater.slope * (quality - scale.middle) + rater.bias
    for place, favour in rater.favours.items():
        perception[place] += favour
    return perception + rater.taste * stream(seed_of(rng), "taste").standard_normal(quality.shape)


def rate(
    quality: np.ndarray, rater: Rater, *, scale: Scale = FIVE, n_repeats: int = 1, rng: RNGLike = None
) -> np.ndarray:
    """Draw a rater's ratings of summaries, once or repeatedly.

    Parameters
    ----------
    quality, rater, scale : see `perceived`
    n_repeats : int, at least 1
        The first answers do not depend on it.
    rng : seed, Generator or None

    Returns
    -------
    float array (n_repeats, n_systems, n_documents)
        On the scale; NaN where the quality is.
    """
    check_count("n_repeats", n_repeats)
    seed = seed_of(rng)
    perception = perceived(quality, rater, scale=scale, rng=seed)
    noise = [stream(seed, "answer", k).standard_normal(perception.shape) for k in range(n_repeats)]
    return scale.nearest(perception + rater.noise * np.stack(noise))


def choose(first: np.ndarray, second: np.ndarray, rater: Rater, *, rng: RNGLike = None) -> np.ndarray:
    """Draw a rater's choices of the better of two summaries, shown in both orders.

    Parameters
    ----------
    first, second : float arrays (n_pairs,), quality on the scale
    rater : Rater
        The members of a pair are from two systems, the first and the second.
    rng : seed, Generator or None

    Returns
    -------
    float array (2, n_pairs)
        Shown as listed, then swapped: 1 where the first as listed is preferred, 0 the second, 0.5 neither.
    """
    seed = seed_of(rng)
    quality = np.stack([np.asarray(first, dtype=float), np.asarray(second, dtype=float)])
    perception = perceived(quality, rater, rng=seed)
    noise = rater.noise * np.stack(
        [stream(seed, "answer", k).standard_normal(quality.shape) for k in range(2)]
    )
    gap = perception[0] - perception[1] + noise[:, 0] - noise[:, 1] + rater.first * np.array([[1.0], [-1.0]])
    return np.where(np.abs(gap) <= rater.threshold, 0.5, (gap > 0).astype(float))


def ratings_with_mean(
    means: np.ndarray, n_raters: int, *, exchange: float = 0.3, rng: RNGLike = None
) -> np.ndarray:
    """Draw ratings by single raters with a given mean, such as a simulated benchmark's human score.

    Parameters
    ----------
    means : float array (n_systems, n_documents), of whole ratings from 1 to 5
    n_raters : int
    exchange : float in [0, 1]
        Probability, once for each rater, that one rater gives a step more and another a step less: the
        larger, the lower the agreement.
    rng : seed, Generator or None

    Returns
    -------
    float array (n_raters, n_systems, n_documents)

    Raises
    ------
    ValueError
        If this many ratings cannot have these means.
    """
    seed = seed_of(rng)
    steps = (np.asarray(means, dtype=float) - FIVE.low) * n_raters
    total = np.rint(steps).astype(int)
    max_steps = round(FIVE.high - FIVE.low)
    if not ((np.abs(steps - total) <= 1e-6) & (total >= 0) & (total <= max_steps * n_raters)).all():
        raise ValueError(f"`means` must be means of {n_raters} ratings from 1 to 5")
    order = stream(seed, "order").random((n_raters, *total.shape)).argsort(axis=0)
    counts = total // n_raters + (order < total % n_raters)
    for k in range(n_raters):
        place = stream(seed, "who", k).random((n_raters, *total.shape)).argsort(axis=0)
        lowered, raised = place == 0, place == (1 if n_raters > 1 else 0)
        possible = ((counts > 0) | ~lowered).all(axis=0) & ((counts < max_steps) | ~raised).all(axis=0)
        moved = possible & (stream(seed, "whether", k).random(total.shape) < exchange)
        counts = counts + moved * (raised.astype(int) - lowered)
    return FIVE.low + counts


def present_units(scores: np.ndarray, n_units: np.ndarray, *, rng: RNGLike = None) -> np.ndarray:
    """Draw the units of a summary, given its share of the document's units.

    Units of a document differ in their probability of being selected, so summaries of one document overlap.

    Parameters
    ----------
    scores : float array (n_systems, n_documents), shares; NaN, of a summary that nobody judged, has none
    n_units : int array (n_documents,)
    rng : seed, Generator or None

    Returns
    -------
    bool array (n_systems, n_documents, largest n_units)
    """
    seed = seed_of(rng)
    max_units = int(n_units.max())
    count = np.rint(np.nan_to_num(scores) * n_units).astype(int)
    appeal = stream(seed, "documents").standard_normal((len(n_units), max_units))
    appeal = appeal + stream(seed, "summaries").standard_normal((*scores.shape, max_units))
    appeal[:, np.arange(max_units) >= n_units[:, None]] = -np.inf
    rank = np.argsort(np.argsort(-appeal, axis=-1, kind="stable"), axis=-1, kind="stable")
    return rank < count[:, :, None]


def noisy_votes(
    present: np.ndarray, *, miss: np.ndarray | float, invent: np.ndarray | float, rng: RNGLike = None
) -> np.ndarray:
    """Draw votes on units by workers with known error rates.

    Parameters
    ----------
    present : bool array, True where a unit is in a summary
    miss, invent : floats in [0, 1], or arrays that broadcast against `present`
        Rates at which a worker misses a unit that is present, and reports one that is not.
    rng : seed, Generator or None

    Returns
    -------
    int8 array of the shape that the three broadcast to, 1 for present, 0 for not present
    """
    error = np.where(present, miss, invent)
    wrong = stream(seed_of(rng), "errors").random(error.shape) < error
    return (present ^ wrong).astype(np.int8)


def cast_votes(
    present: np.ndarray,
    n_units: np.ndarray,
    *,
    systems: Sequence[str],
    documents: Sequence[str],
    rng: RNGLike = None,
) -> dict[tuple[str, str], np.ndarray]:
    """Draw the votes of `N_WORKERS` of a pool of workers on every unit of every summary.

    Workers differ in their error rates, whose means are `MISS` and `INVENT` for those who do not answer at
    random.

    Parameters
    ----------
    present : bool array (n_systems, n_documents, largest n_units)
    n_units : int array (n_documents,)
    systems, documents : ids
    rng : seed, Generator or None

    Returns
    -------
    dict, (system, document) -> int8 array (n_workers, n_units), 1 for present, 0 for not present
    """
    seed = seed_of(rng)
    luck = stream(seed, "rates").uniform(0.5, 1.5, size=(POOL, 2))
    rates = np.stack([MISS, INVENT] * luck, axis=1)
    rates[:, stream(seed, "noisy").permutation(POOL)[:N_NOISY]] = 0.5
    order = stream(seed, "workers").random((*present.shape[:2], POOL))
    assigned = np.argsort(order, axis=-1, kind="stable")[..., :N_WORKERS]
    miss, invent = rates[:, assigned, None]
    votes = noisy_votes(present[:, :, None, :], miss=miss, invent=invent, rng=seed)
    return {
        (system, document): votes[i, j, :, : n_units[j]]
        for i, system in enumerate(systems)
        for j, document in enumerate(documents)
    }


@dataclass(frozen=True)
class Voter:
    """Parameters by which a voter votes.

    Attributes
    ----------
    agreement : float in [-1, 1]
        Correlation of the strengths that the voter sees with people's.
    position : float
        Advantage of the output that is shown first, in log-odds.
    tie : float
        Log-odds of a tie of equals to half a win.
    """

    agreement: float = 1.0
    position: float = 0.0
    tie: float = -0.5


def draw_votes(
    voters: Sequence[Voter],
    *,
    n_systems: int,
    n_votes: int,
    n_studies: int = 1,
    spread: float = 1.0,
    rng: RNGLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw systems, and votes on pairs of their outputs.

    Parameters
    ----------
    voters : sequence of Voter
    n_systems, n_votes, n_studies : int
        Studies differ in systems and votes, and have the same pairs.
    spread : float
        Standard deviation of the systems' strengths, in log-odds.
    rng : int or Generator

    Returns
    -------
    first, second : int arrays (n_votes,)
    outcome : int array (n_voters, n_studies, n_votes), 1 for the first, -1 for the second, 0 for a tie
    strengths : float array (n_voters, n_studies, n_systems), as each voter sees them
    """
    check_count("n_systems", n_systems, minimum=2)
    check_count("n_votes", n_votes)
    rng = stream(seed_of(rng), "simulated votes")
    first = rng.integers(n_systems, size=n_votes)
    second = (first + rng.integers(1, n_systems, size=n_votes)) % n_systems
    people = spread * rng.standard_normal((n_studies, n_systems))
    common = COMMON * rng.standard_normal((n_studies, n_votes))
    outcome = np.empty((len(voters), n_studies, n_votes), dtype=int)
    strengths = np.empty((len(voters), n_studies, n_systems))
    for k, voter in enumerate(voters):
        other = spread * rng.standard_normal(people.shape)
        strengths[k] = voter.agreement * people + np.sqrt(1 - voter.agreement**2) * other
        apart = strengths[k][:, first] - strengths[k][:, second] + common + voter.position
        apart += OWN * rng.standard_normal(common.shape)
        odds = np.exp(np.stack([apart / 2, np.full(apart.shape, voter.tie), -apart / 2]))
        outcome[k] = 1 - (rng.random(apart.shape) * odds.sum(axis=0) > odds.cumsum(axis=0)).sum(axis=0)
    return first, second, outcome, strengths
