"""simulation.raters: people and judges whose bias, noise and preferences are known.

Arrays in, arrays out; called by `simulation.worlds` for the book's own draws and by experiments that
measure how far an estimator finds what was put in. A rater perceives

    perceived = middle + slope (quality - middle) + bias + favour + length z + taste + noise

and answers with the nearest rating of the scale; `taste` is drawn once for a summary and `noise` for every
answer, so repeated answers share the one and not the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from metaeval.stats.streams import RNGLike, seed_of, stream


@dataclass(frozen=True)
class Rater:
    """How a rater, person or judge, turns quality into answers.

    Attributes
    ----------
    bias : float
        Leniency: added to whatever is rated.
    slope : float
        How much of the distance from the middle of the scale is perceived; below 1 a rater huddles there,
        at 0 all that is rated seems alike.
    noise : float, at least 0
        Standard deviation of what every answer adds, repeated ones too.
    taste : float, at least 0
        Standard deviation of what the rater sees in a summary that others do not, in every answer alike.
    length : float
        Added for a summary that is longer by one standard deviation.
    favours : mapping, place of a system -> added to all its summaries
        Such as a judge's own.
    first : float
        Added to the one of two that is shown first.
    threshold : float, at least 0
        Two that seem no further apart are called equal.
    """

    bias: float = 0.0
    slope: float = 1.0
    noise: float = 0.5
    taste: float = 0.0
    length: float = 0.0
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
        """The ratings nearest to what is perceived."""
        rounded = self.low + np.floor((values - self.low) / self.step + 0.5) * self.step
        return np.clip(rounded, self.low, self.high)


FIVE = Scale()


def perceived(
    quality: np.ndarray,
    rater: Rater,
    *,
    lengths: np.ndarray | None = None,
    scale: Scale = FIVE,
    rng: RNGLike = None,
) -> np.ndarray:
    """What a rater sees in summaries, before the noise of an answer.

    Parameters
    ----------
    quality : float array (n_systems, n_documents), on the scale
    rater : Rater
    lengths : float array (n_systems, n_documents), in any unit; needed by a rater whom length moves
    scale : Scale
    rng : seed, Generator or None

    Returns
    -------
    float array (n_systems, n_documents)

    Raises
    ------
    ValueError
        If the rater favours a system that does not exist, or needs lengths and there are none.
    """
    quality = np.asarray(quality, dtype=float)
    odd = sorted(place for place in rater.favours if not 0 <= place < len(quality))
    if odd:
        raise ValueError(f"a favoured system must be from 0 to {len(quality) - 1}, got {odd}")
    if rater.length and lengths is None:
        raise ValueError("a rater whom length moves needs `lengths`")
    seen = scale.middle + rater.slope * (quality - scale.middle) + rater.bias
    for place, favour in rater.favours.items():
        seen[place] += favour
    if rater.length:
        spread = np.std(lengths)
        seen += rater.length * (lengths - np.mean(lengths)) / (spread if spread > 0 else 1.0)
    return seen + rater.taste * stream(seed_of(rng), "taste").standard_normal(quality.shape)


def rate(
    quality: np.ndarray,
    rater: Rater,
    *,
    lengths: np.ndarray | None = None,
    scale: Scale = FIVE,
    n_repeats: int = 1,
    rng: RNGLike = None,
) -> np.ndarray:
    """A rater's ratings of summaries, asked once or several times.

    Parameters
    ----------
    quality, rater, lengths, scale : see `perceived`
    n_repeats : int, at least 1
        The first answers are the same however often is asked.
    rng : seed, Generator or None

    Returns
    -------
    float array (n_repeats, n_systems, n_documents)
        On the scale; NaN where the quality is.
    """
    if n_repeats < 1:
        raise ValueError(f"`n_repeats` must be at least 1, got {n_repeats}")
    seed = seed_of(rng)
    seen = perceived(quality, rater, lengths=lengths, scale=scale, rng=seed)
    noise = [stream(seed, "answer", k).standard_normal(seen.shape) for k in range(n_repeats)]
    return scale.nearest(seen + rater.noise * np.stack(noise))


def choose(
    first: np.ndarray, second: np.ndarray, rater: Rater, *, scale: Scale = FIVE, rng: RNGLike = None
) -> np.ndarray:
    """Which of two a rater calls the better, shown in both orders.

    Parameters
    ----------
    first, second : float arrays (n_pairs,), quality on the scale
    rater : Rater
        A pair's members stand for two systems, the first and the second.
    scale : Scale
    rng : seed, Generator or None

    Returns
    -------
    float array (2, n_pairs)
        Shown as listed, then swapped: 1 where the first as listed is called the better, 0 the second, 0.5
        neither.
    """
    seed = seed_of(rng)
    quality = np.stack([np.asarray(first, dtype=float), np.asarray(second, dtype=float)])
    seen = perceived(quality, rater, scale=scale, rng=seed)
    noise = rater.noise * np.stack(
        [stream(seed, "answer", k).standard_normal(quality.shape) for k in range(2)]
    )
    gap = seen[0] - seen[1] + noise[:, 0] - noise[:, 1] + rater.first * np.array([[1.0], [-1.0]])
    return np.where(np.abs(gap) <= rater.threshold, 0.5, (gap > 0).astype(float))


def with_mean(
    means: np.ndarray, n_raters: int, *, exchange: float = 0.3, scale: Scale = FIVE, rng: RNGLike = None
) -> np.ndarray:
    """Ratings by single raters whose mean is given, such as a simulated benchmark's human score.

    Parameters
    ----------
    means : float array (n_systems, n_documents), whole multiples of ``scale.step / n_raters``
    n_raters : int
    exchange : float in [0, 1]
        How often one rater gives a step more and another a step less, once for each rater: the larger, the
        less they agree.
    scale : Scale
    rng : seed, Generator or None

    Returns
    -------
    float array (n_raters, n_systems, n_documents)

    Raises
    ------
    ValueError
        If this many ratings cannot have such a mean.
    """
    seed = seed_of(rng)
    steps = (np.asarray(means, dtype=float) - scale.low) / scale.step * n_raters
    total = np.rint(steps).astype(int)
    most = round((scale.high - scale.low) / scale.step)
    if np.abs(steps - total).max(initial=0) > 1e-6 or (total < 0).any() or (total > most * n_raters).any():
        raise ValueError(
            f"`means` must be means of {n_raters} ratings from {scale.low:g} to {scale.high:g} in steps of "
            f"{scale.step:g}"
        )
    order = stream(seed, "order").random((n_raters, *total.shape)).argsort(axis=0)
    given = total // n_raters + (order < total % n_raters)
    for k in range(n_raters):
        place = stream(seed, "who", k).random((n_raters, *total.shape)).argsort(axis=0)
        taken, added = place == 0, place == (1 if n_raters > 1 else 0)
        able = ((given > 0) | ~taken).all(axis=0) & ((given < most) | ~added).all(axis=0)
        moved = able & (stream(seed, "whether", k).random(total.shape) < exchange)
        given = given + moved * (added.astype(int) - taken)
    return scale.low + scale.step * given
