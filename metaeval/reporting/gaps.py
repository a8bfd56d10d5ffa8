"""reporting.gaps: what a metric or judge did not score, and whether people score it otherwise than the rest.

A judge that refuses what is hard is correlated with people on what is easy. Said beside each verdict; where
systems are ranked, a word has to hold for people's means over everything too. Arrays in, `Gap` out.
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
from metaeval.tables.wording import percent, settled

MUCH = 0.1  # of what people scored, from which on it matters what was left out
LABELLED = "labelled"
UNANIMOUS, TIED = "unanimous", "tied"  # what is asked of people's choices between two outputs
AGREED, FAVOURED = "agreed", "favoured"  # of several people's labels, and of two systems
# how people's share differs on what was left out, and that it does not clearly
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
    """What one metric left out of what people scored.

    Attributes
    ----------
    n_scored, n_judged : int
        Units that both scored, of those that people did.
    n_there : int
        What people scored of the systems that it scored at all; less than `n_judged` where systems are left
        out.
    units, does : str
        What they are, and what was done with them: ``"scored"``, ``"labelled"`` (pass or fail) or
        ``"judged"``.
    about : str
        What share of people's is compared, of `SHARES`; of scores, which have a mean, `does`.
    apart : tuple (value, low, high)
        People's mean, or that share, over what it left out minus that over what it scored; NaN where there is
        no interval.
    both, whole : float
        The correlation of its systems' means with people's over what both scored, and with people's over all
        that people did of these systems; NaN where there is none.
    ranked : bool
        Whether systems are ranked.
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
        """Whether much was left out that people rate, or agree on, otherwise, beyond chance, or that nothing
        can be asked about.
        """
        much = self.n_judged - self.n_scored >= MUCH * self.n_judged
        return much and (self._unasked or self.apart[1] > 0 or self.apart[2] < 0)

    @property
    def _unasked(self) -> bool:
        """Whether people's choices on what was left out cannot be told from those on the rest."""
        return self.about in (UNANIMOUS, TIED) and math.isnan(self.apart[1])

    def sentence(self, *, turned: bool = False) -> str:
        """What was left out, after a space; and, of a word that is `turned`, that it is open for it."""
        said = f" It {self.does} {self.n_scored:,} of the {self.n_judged:,} {self.units} that people "
        said += self.does
        _, low, high = self.apart
        if not math.isnan(low):
            alike = f", and people do not clearly {SHARES.get(self.about, SCORES)[1]}"
            said += f"; people {self._difference()}" if low > 0 or high < 0 else alike
        elif self._unasked:
            said += "; whether people agree less on the others cannot be told"
        if not self.ranked:
            open_ = "So this is undecided" if turned else f"The word is about what it {self.does}"
            return f"{said}. {open_}."
        if self.n_there < self.n_judged:
            said += ". Systems that it left out altogether are not asked about"
        if math.isnan(self.whole):
            return f"{said}. Whether its word holds over all of them cannot be checked."
        both, whole = settled(self.both, 0.0), settled(self.whole, 0.0)
        if both != whole:
            these = " of its systems" if self.n_there < self.n_judged else ""
            said += f". Its systems' means correlate {whole} with people's over all {self.n_there:,}{these}, "
            said += f"{both} over what it {self.does}"
        return f"{said}: undecided before it scores the rest." if turned else f"{said}."

    def _difference(self) -> str:
        value, *ends = self.apart
        size, low, high = abs(value), *sorted(map(abs, ends))
        level = percent(self.confidence_level, None)
        share = self.about in SHARES
        way = ("more" if share else "higher") if value > 0 else ("less" if share else "lower")
        differ = SHARES.get(self.about, SCORES)[0].format(way)
        size, low, high = (f"{100 * end:.0f}" if share else settled(end, 0.0) for end in (size, low, high))
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
    """What a metric left out; None where it scored all that people did.

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents), NaN where missing
    confidence_level : float in (0, 1)
    units, does : see `Gap`
        Of what is ``"judged"``, such as a pair, people's answers have no mean.
    about, compared : of `SHARES`, and float array as `human`, optional
        What is compared in place of people's scores: of choices between two outputs, whose rows are the pairs
        of a document, whether people agree on each.
    coefficient : {"pearson", "spearman", "kendall"}, optional
        Of the correlations at system level; without it systems are not ranked.

    Examples
    --------
    >>> nan = float("nan")
    >>> found = gap([[1, nan], [2, 1], [3, nan]], [[1, 5], [2, 1], [3, 4]], confidence_level=0.9)
    >>> found.n_scored, found.n_judged, round(found.apart[0], 2)
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
        found = clustered_slope(compared, left_out * 1.0, by=by, confidence_level=confidence_level)
        apart = tuple(float(end) for end in (found.value, found.low, found.high))
    if coefficient is not None:
        asked = {"level": "system", "coefficient": coefficient}
        both = float(correlate(scores, human, **asked).value)
        whole = over_everything(scores, human, coefficient)
    n_judged = int(judged.sum())
    n_scored = n_judged - int(left_out.sum())
    n_there = int(judged[(judged & ~left_out).any(axis=-1)].sum())
    ranked = coefficient is not None
    about = about or does
    return Gap(n_scored, n_judged, n_there, units, does, about, apart, both, whole, ranked, confidence_level)


def turned(here: float, there: float) -> bool:
    """Whether a distance from a threshold has another sign over everything than over what was scored."""
    return not math.isnan(there) and bool(signs(here, DIFFERENCE_TIE) != signs(there, DIFFERENCE_TIE))


def covers(values: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether values exist for nearly all that is wanted: all but less than `MUCH` of it.

    Parameters
    ----------
    values : float array, NaN where missing
    wanted : bool array of the same shape
    """
    return bool((np.isnan(values) & wanted).sum() < MUCH * wanted.sum())


def over_everything(scores: np.ndarray, human: np.ndarray, coefficient: str) -> float:
    """The correlation of systems' means over what a metric scored with people's over all that they scored.

    Parameters
    ----------
    scores, human : float arrays (n_systems, n_documents), NaN where missing
        What people did not score is left out of a metric's means.
    coefficient : {"pearson", "spearman", "kendall"}
    """
    own = system_means(np.where(np.isnan(human), np.nan, scores))[:, None]
    found = correlate(own, system_means(human)[:, None], level="system", coefficient=coefficient)
    return float(found.value)


def drawn_over_everything(
    scores: np.ndarray, human: np.ndarray, coefficient: str, *, n_resamples: int, rng: RNGLike
) -> np.ndarray:
    """What `over_everything` is in bootstrap samples of systems and documents, (..., n_resamples).

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
        All leading planes see the same draws, those of an interval of the same seed.
    human, coefficient : see `over_everything`
    n_resamples, rng : see `metaeval.stats.resampling.bootstrap_distribution`
    """
    resample = "both" if human.shape[-1] > 1 else "systems"
    return bootstrap_distribution(
        np.where(np.isnan(human), np.nan, scores), human, level="system", coefficient=coefficient,
        resample=resample, n_resamples=n_resamples, own_means=True, rng=rng,
    )  # fmt: skip
