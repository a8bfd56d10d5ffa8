"""reporting.missing_scores: units that people scored and a judge did not, and what people say of them.

A judge that skips hard units is correlated with people on easy ones. Arrays in, `Gap` out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metaeval.stats.bias import clustered_slope
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Ends, normal_reach
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike
from metaeval.stats.ties import system_means

MUCH = 0.1  # share of people's scores from which on missing ones matter
SCORED, LABELLED, JUDGED = "scored", "labelled", "judged"
UNANIMOUS, TIED = "unanimous", "tied"  # of people's choices between two outputs
AGREED, FAVOURED = "agreed", "favoured"  # of several people's labels, and of two systems
COMPARED = {  # what people say of the skipped units, minus what they say of the others
    SCORED: "people's mean",
    LABELLED: "the share that people pass",
    UNANIMOUS: "the share on which people agree",
    AGREED: "the share on which people agree",
    FAVOURED: "the share on which people favour the first system",
    TIED: "the share that people call a tie",
}


@dataclass(frozen=True)
class Gap:
    """Units scored by people but not by one judge.

    Attributes
    ----------
    n_scored, n_judged : int
        Units that both scored, and units that people scored.
    units, does : str
        The noun of the units, and the verb: `SCORED`, `LABELLED` or `JUDGED`.
    about : str
        The compared quantity, a key of `COMPARED`; `JUDGED` if nothing can be compared.
    apart : tuple (value, low, high)
        That quantity over the missing units minus that over the scored ones; NaN without an interval.
    """

    n_scored: int
    n_judged: int
    units: str
    does: str
    about: str
    apart: tuple[float, float, float]

    @property
    def is_large(self) -> bool:
        """True if a share `MUCH` or more is missing."""
        return self.n_judged - self.n_scored >= MUCH * self.n_judged

    @property
    def selective(self) -> bool:
        """True if many units are missing of which people speak differently beyond chance, or which cannot be
        compared.
        """
        _, low, high = self.apart
        unknown = self.about in (UNANIMOUS, TIED) and math.isnan(low)
        return self.is_large and (unknown or low > 0 or high < 0)

    def describe(self, judge: str) -> str:
        """Line on the missing units."""
        line = f"{judge} {self.does} {self.n_scored:,} of the {self.n_judged:,} {self.units} that people did"
        value, low, high = self.apart
        if math.isnan(low):
            return f"{line}."
        return (
            f"{line}; on the others {COMPARED[self.about]} differs by {value:+.2f} [{low:+.2f}, {high:+.2f}]."
        )


def gap(
    scores: np.ndarray,
    human: np.ndarray,
    *,
    confidence_level: float,
    units: str = "summaries",
    does: str = SCORED,
    about: str = "",
    compared: np.ndarray | None = None,
) -> Gap | None:
    """Compare the units that a judge did not score with the others; None if it scored all of people's.

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents), NaN where missing
    confidence_level : float in (0, 1)
    units, does : see `Gap`
        For `JUDGED` units, such as pairs, people's answers have no mean.
    about, compared : key of `COMPARED`, and float array as `human`, optional
        Values to compare instead of people's scores: for choices between two outputs, with a document's pairs
        in the rows, agreement among people.

    Examples
    --------
    >>> nan = float("nan")
    >>> missing = gap([[1, nan], [2, 1], [3, nan]], [[1, 5], [2, 1], [3, 4]], confidence_level=0.9)
    >>> missing.n_scored, missing.n_judged, round(missing.apart[0], 2)
    (4, 6, 2.75)
    """
    scores, human = np.asarray(scores, float), np.asarray(human, float)
    judged = ~np.isnan(human)
    left_out = np.isnan(scores) & judged
    if not left_out.any():
        return None
    apart = (np.nan,) * 3
    if does != JUDGED or compared is not None:
        compared = human if compared is None else np.asarray(compared, float)
        dims = zip(("system", "document"), human.shape, strict=True)
        by = ("document",) if about else tuple(dim for dim, size in dims if size > 1)
        slope = clustered_slope(compared, left_out * 1.0, by=by, confidence_level=confidence_level)
        apart = tuple(float(end) for end in (slope.value, slope.low, slope.high))
    n_judged = int(judged.sum())
    return Gap(n_judged - int(left_out.sum()), n_judged, units, does, about or does, apart)


def covers(values: np.ndarray, units: np.ndarray) -> bool:
    """True if values exist for nearly all units: fewer than a share `MUCH` are missing.

    Parameters
    ----------
    values : float array, NaN where missing
    units : bool array of the same shape
    """
    return bool((np.isnan(values) & units).sum() < MUCH * units.sum())


def correlate_with_all(scores: np.ndarray, human: np.ndarray, coefficient: str) -> float:
    """Correlation of a metric's system means over its scored units with people's means over all their units.

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents), NaN where missing
        A metric's means skip units that people did not score.
    coefficient : {"pearson", "spearman", "kendall"}
    """
    own = system_means(np.where(np.isnan(human), np.nan, scores))[:, None]
    result = correlate(own, system_means(human)[:, None], level="system", coefficient=coefficient)
    return float(result.value)


def move_to_all(
    scores: np.ndarray,
    human: np.ndarray,
    here: np.ndarray,
    coefficient: str,
    *,
    n_resamples: int,
    rng: RNGLike,
) -> tuple[float, np.ndarray]:
    """Change of a metric's correlation from some units to all, and the same in bootstrap samples.

    Parameters
    ----------
    scores, human, coefficient : see `correlate_with_all`
    here : bool array (n_systems, n_documents)
        The units behind the correlation that changes.
    n_resamples, rng : see `metaeval.stats.resampling.bootstrap_distribution`
        Systems and documents are drawn, the same for both correlations.
    """
    options = {
        "level": "system", "coefficient": coefficient,
        "resample": "both" if human.shape[1] > 1 else "systems",
        "n_resamples": n_resamples, "rng": rng,
    }  # fmt: skip
    scores = np.where(np.isnan(human), np.nan, scores)
    part = np.where(here, scores, np.nan), np.where(here, human, np.nan)
    whole = bootstrap_distribution(scores, human, own_means=True, **options)
    value = float(correlate(*part, level="system", coefficient=coefficient).value)
    drawn = bootstrap_distribution(*part, **options)
    return correlate_with_all(scores, human, coefficient) - value, whole - drawn


def moved_ends(value: float, ends: Ends, move: float, moves: np.ndarray, confidence_level: float) -> Ends:
    """Interval of a value that moves: its variance grows by that of the `moves` in draws."""
    spread = normal_reach(confidence_level) * float(np.nanstd(moves))
    low, high = (
        value + move - np.hypot(value - ends.low, spread),
        value + move + np.hypot(ends.high - value, spread),
    )
    return Ends(float(low), float(high), float(ends.low_mc_error), float(ends.high_mc_error))
