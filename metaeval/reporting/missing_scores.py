"""reporting.missing_scores: effects of missing scores of a metric or judge on its verdict.

A judge that skips hard units is correlated with people on easy ones. Each verdict states it; for a ranking of
systems, a verdict must also hold for people's means over all units. Arrays in, `Gap` out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metaeval.stats.bias import clustered_slope
from metaeval.stats.correlation import correlate
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike
from metaeval.stats.ties import DIFFERENCE_TIE, signs, system_means
from metaeval.tables.wording import format_stable, percent

MUCH = 0.1  # share of people's scores from which on missing ones matter
LABELLED = "labelled"
UNANIMOUS, TIED = "unanimous", "tied"  # of people's choices between two outputs
AGREED, FAVOURED = "agreed", "favoured"  # of several people's labels, and of two systems
# how people's share differs on the missing units, and that it does not clearly
SHARES = {
    LABELLED: ("pass the others {} often", "rate the others differently"),
    UNANIMOUS: ("all choose alike {} often on the others", "agree less or more on the others"),
    AGREED: ("all say the same {} often of the others", "agree less or more on the others"),
    FAVOURED: ("favour the first system {} often on the others", "favour either system more on the others"),
    TIED: ("call the others a tie {} often", "call the others a tie less or more often"),
}
SCORES = "score the others {}", "rate the others differently"


@dataclass(frozen=True)
class Gap:
    """Units scored by people but not by one metric.

    Attributes
    ----------
    n_scored, n_judged : int
        Units that both scored, and units that people scored.
    n_there : int
        Units that people scored, of the systems that it scored at all; less than `n_judged` if it skipped
        systems.
    units, does : str
        The noun of the units, and the verb: ``"scored"``, ``"labelled"`` (pass or fail) or ``"judged"``.
    about : str
        The compared share of people's answers, of `SHARES`; for scores, whose mean is compared, `does`.
    apart : tuple (value, low, high)
        People's mean, or that share, over the missing units minus that over the scored ones; NaN without an
        interval.
    both, whole : float
        Correlation of its systems' means with people's over the units that both scored, and with people's
        over all units of these systems; NaN if undefined.
    ranked : bool
        True if systems are ranked.
    confidence_level : float
    """

    n_scored: int
    n_judged: int
    n_there: int
    units: str
    does: str
    about: str
    apart: tuple[float, float, float]
    both: float
    whole: float
    ranked: bool
    confidence_level: float

    @property
    def selective(self) -> bool:
        """True if many units are missing that people rate, or agree on, differently beyond chance, or that
        cannot be compared.
        """
        much = self.n_judged - self.n_scored >= MUCH * self.n_judged
        return much and (self._unasked or self.apart[1] > 0 or self.apart[2] < 0)

    @property
    def _unasked(self) -> bool:
        """True if people's choices on the missing units cannot be compared with the others."""
        return self.about in (UNANIMOUS, TIED) and math.isnan(self.apart[1])

    def sentence(self, *, turned: bool = False) -> str:
        """Sentence on the missing units, after a space; `turned` if they leave the verdict open."""
        text = f" It {self.does} {self.n_scored:,} of the {self.n_judged:,} {self.units} that people "
        text += self.does
        _, low, high = self.apart
        if not math.isnan(low):
            alike = f", and people do not clearly {SHARES.get(self.about, SCORES)[1]}"
            text += f"; people {self._difference()}" if low > 0 or high < 0 else alike
        elif self._unasked:
            text += "; whether people agree less on the others cannot be told"
        if not self.ranked:
            open_ = "So this is undecided" if turned else f"The word is about what it {self.does}"
            return f"{text}. {open_}."
        if self.n_there < self.n_judged:
            text += ". Systems that it left out altogether are not asked about"
        if math.isnan(self.whole):
            return f"{text}. Whether its word holds over all of them cannot be checked."
        both, whole = format_stable(self.both, 0.0), format_stable(self.whole, 0.0)
        if both != whole:
            these = " of its systems" if self.n_there < self.n_judged else ""
            text += f". Its systems' means correlate {whole} with people's over all {self.n_there:,}{these}, "
            text += f"{both} over what it {self.does}"
        return f"{text}: undecided before it scores the rest." if turned else f"{text}."

    def _difference(self) -> str:
        value, *ends = self.apart
        size, low, high = abs(value), *sorted(map(abs, ends))
        level = percent(self.confidence_level, None)
        share = self.about in SHARES
        way = ("more" if share else "higher") if value > 0 else ("less" if share else "lower")
        differ = SHARES.get(self.about, SCORES)[0].format(way)
        size, low, high = (
            f"{100 * end:.0f}" if share else format_stable(end, 0.0) for end in (size, low, high)
        )
        return f"{differ}, by {size}{' percentage points' * share} ({level} interval {low} to {high})"


def gap(
    scores: np.ndarray,
    human: np.ndarray,
    *,
    confidence_level: float,
    units: str = "summaries",
    does: str = "scored",
    coefficient: str | None = None,
    about: str = "",
    compared: np.ndarray | None = None,
) -> Gap | None:
    """Compare the units that a metric did not score with the others; None if it scored all of people's.

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents), NaN where missing
    confidence_level : float in (0, 1)
    units, does : see `Gap`
        For ``"judged"`` units, such as pairs, people's answers have no mean.
    about, compared : of `SHARES`, and float array as `human`, optional
        Values to compare instead of people's scores: for choices between two outputs, with a document's pairs
        in the rows, agreement among people.
    coefficient : {"pearson", "spearman", "kendall"}, optional
        For correlations at system level; None if systems are not ranked.

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
    apart, both, whole = (np.nan,) * 3, np.nan, np.nan
    if does != "judged" or compared is not None:
        compared = human if compared is None else np.asarray(compared, float)
        dims = zip(("system", "document"), human.shape, strict=True)
        by = ("document",) if about else tuple(dim for dim, size in dims if size > 1)
        slope = clustered_slope(compared, left_out * 1.0, by=by, confidence_level=confidence_level)
        apart = tuple(float(end) for end in (slope.value, slope.low, slope.high))
    if coefficient is not None:
        options = {"level": "system", "coefficient": coefficient}
        both = float(correlate(scores, human, **options).value)
        whole = correlate_with_all(scores, human, coefficient)
    n_judged = int(judged.sum())
    n_scored = n_judged - int(left_out.sum())
    n_there = int(judged[(judged & ~left_out).any(axis=-1)].sum())
    ranked = coefficient is not None
    about = about or does
    return Gap(n_scored, n_judged, n_there, units, does, about, apart, both, whole, ranked, confidence_level)


def turned(here: float, there: float) -> bool:
    """True if a distance from a threshold changes its sign between the scored units and all units."""
    return not math.isnan(there) and bool(signs(here, DIFFERENCE_TIE) != signs(there, DIFFERENCE_TIE))


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


def bootstrap_with_all(
    scores: np.ndarray, human: np.ndarray, coefficient: str, *, n_resamples: int, rng: RNGLike
) -> np.ndarray:
    """`correlate_with_all` in bootstrap samples of systems and documents, (..., n_resamples).

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
        All leading planes share the draws of an interval with the same seed.
    human, coefficient : see `correlate_with_all`
    n_resamples, rng : see `metaeval.stats.resampling.bootstrap_distribution`
    """
    resample = "both" if human.shape[-1] > 1 else "systems"
    return bootstrap_distribution(
        np.where(np.isnan(human), np.nan, scores), human, level="system", coefficient=coefficient,
        resample=resample, n_resamples=n_resamples, own_means=True, rng=rng,
    )  # fmt: skip
