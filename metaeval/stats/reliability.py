r"""stats.reliability: the ceiling of a correlation with people, and the distance of a judge from a rater.

Raters disagree, so nobody correlates perfectly with their mean. The correlation of a single rater with the
mean of the others is the ceiling for a judge; Spearman and Brown's formula gives the effect of more raters,
and a correlation divided by the root of the reliability is that with raters without noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level
from metaeval.stats.correlation import correlate
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import double


def spearman_brown(reliability, times):
    r"""Reliability of a measurement `times` as long, such as the mean of several raters instead of one.

    .. math:: r_k = \frac{k r}{1 + (k - 1) r}

    Parameters
    ----------
    reliability : float or array in [-1, 1]
        Of one part, such as the mean correlation of two raters.
    times : float or array, above 0
        Below 1 it shortens: ``times=1/3`` gives the reliability of one rater from that of the mean of three.

    Returns
    -------
    float array
        NaN where the formula has no value.

    Notes
    -----
    Spearman 1910; Brown 1910. The formula adds variances and is therefore valid only for product-moment
    correlations (Pearson's r), not for rank correlations.

    Examples
    --------
    >>> float(spearman_brown(0.5, 3))
    0.75
    """
    r, k = np.asarray(reliability, dtype=float), np.asarray(times, dtype=float)
    if (k <= 0).any():
        raise ValueError(f"`times` must be above 0, got {k.min()}")
    below = 1 + (k - 1) * r
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, k * r / below, np.nan)


def disattenuated(correlation, *, reliability_x=1.0, reliability_y=1.0):
    r"""Correlation corrected for the noise of both sides: :math:`r_{xy} / \sqrt{r_{xx} r_{yy}}`.

    Parameters
    ----------
    correlation : float or array
    reliability_x, reliability_y : float or array, at most 1
        1 where a side's reliability is unknown or not to be corrected for.

    Returns
    -------
    float array
        May exceed 1, since all three are estimates; NaN where a reliability is not above 0.

    Notes
    -----
    Spearman 1904. Only for product-moment correlations (Pearson's r): noise reduces a rank correlation
    differently.
    """
    r, x, y = (np.asarray(v, dtype=float) for v in (correlation, reliability_x, reliability_y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((x > 0) & (y > 0), r / np.sqrt(np.maximum(x, 0) * np.maximum(y, 0)), np.nan)


@dataclass(frozen=True)
class RaterComparison:
    """Correlations of judges and of single raters with the mean of the other raters.

    Attributes
    ----------
    judges : float array (n_raters, n_judges)
        Of each judge with the mean of all raters but one, by the rater who is left out.
    raters : float array (n_raters,)
        Of that rater with the same mean.
    difference : float array (n_judges,)
        Judge minus rater on the summaries that both rated, averaged over the raters for whom both
        correlations exist: the judge's distance from the ceiling.
    low, high : float arrays (n_judges,)
        Interval of the difference; systems, documents and raters are resampled.
    own, own_low, own_high : float arrays (n_judges,)
        The judge's mean in that difference, with its interval in the same draws.
    own_ceiling : float array (n_judges,)
        The raters' mean in that difference: the ceiling, except for a judge with gaps of its own.
    ceiling, ceiling_low, ceiling_high : float
        The mean over the raters, with its interval.
    n_undefined : int array (n_judges,)
        Draws in which the difference does not exist.
    counts : bool array (n_raters, n_judges)
        True if a rater counts in the average, here and in the draws: both correlations exist.
    distribution, own_distribution : float arrays (n_judges, n_resamples)
        The difference, and the judge's mean, in each draw. Not printed.
    """

    judges: np.ndarray
    raters: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    own: np.ndarray
    own_low: np.ndarray
    own_high: np.ndarray
    own_ceiling: np.ndarray
    ceiling: float
    ceiling_low: float
    ceiling_high: float
    n_undefined: np.ndarray
    counts: np.ndarray
    distribution: np.ndarray = field(repr=False)
    own_distribution: np.ndarray = field(repr=False)


def compare_with_raters(
    judges: np.ndarray,
    ratings: np.ndarray,
    *,
    level: str,
    coefficient: str,
    resample: str = "both",
    raters_too: bool = True,
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> RaterComparison:
    """Compare judges with one more rater, on the summaries that both rated.

    Parameters
    ----------
    judges : float array (n_judges, n_systems, n_documents), NaN where missing
    ratings : float array (n_raters, n_systems, n_documents), NaN where missing
    level, coefficient : see `metaeval.stats.correlation.correlate`
    resample : {"systems", "inputs", "both"}
    raters_too : bool
        Whether to resample the raters as well, so that the interval applies to raters like these. With three
        raters this is a rough estimate, but without it the interval ignores the choice of raters.
    n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`

    Returns
    -------
    AgainstRaters

    Raises
    ------
    DataError
        If there are fewer than two raters, or shapes differ.
    """
    check_confidence_level(confidence_level)
    judges, ratings = check_judges(judges, ratings, 2)
    seed = seed_of(rng)
    kind = {"level": level, "coefficient": coefficient}
    n_raters, n_judges = len(ratings), len(judges)
    gaps, judge_gap = gap_patterns(judges)
    observed, drawn = [], []
    for rater in range(n_raters):
        # both on the summaries that both rated: on more of them, means are less noisy and correlations higher
        shared = np.where(np.isnan(ratings[rater]), np.nan, judges)
        planes = np.concatenate([shared, np.where(gaps, np.nan, ratings[rater])])
        others = mean_of(np.delete(ratings, rater, axis=0))
        observed.append(correlate(planes, others, **kind).value)
        # the same draws of systems and documents for every rater
        drawn.append(
            bootstrap_distribution(
                planes, others, resample=resample, n_resamples=n_resamples, rng=seed, **kind
            )
        )
    observed, drawn = np.stack(observed), np.stack(drawn)  # (n_raters, n_judges + n_gaps[, n_resamples])
    counts = (
        unit_counts(stream(seed, "raters"), n_resamples, n_raters)
        if raters_too
        else np.ones((n_resamples, n_raters))
    )
    judge_values, rater_values = observed[:, :n_judges], observed[:, n_judges]
    ceilings, ceilings_drawn = observed[:, n_judges + judge_gap], drawn[:, n_judges + judge_gap]
    # a rater who is not drawn, or has too few ratings for a correlation, does not count
    exist, rater_exists = ~np.isnan(judge_values - ceilings), ~np.isnan(rater_values)
    weights = counts.T[:, None] * exist[..., None]
    difference = _mean_over_raters(drawn[:, :n_judges] - ceilings_drawn, weights)
    own = np.where(np.isnan(ceilings_drawn), np.nan, drawn[:, :n_judges])
    own = _mean_over_raters(own, weights)
    rater_mean = _mean_over_raters(drawn[:, n_judges], counts.T * rater_exists[:, None])
    return RaterComparison(
        judge_values, rater_values, _mean_over_raters(judge_values - ceilings, exist),
        *percentile_bounds(difference, confidence_level), _mean_over_raters(judge_values, exist),
        *percentile_bounds(own, confidence_level),
        _mean_over_raters(ceilings, exist),
        float(_mean_over_raters(rater_values, rater_exists)),
        *map(float, percentile_bounds(rater_mean, confidence_level)),
        np.isnan(difference).sum(axis=-1), exist, difference, own,
    )  # fmt: skip


def check_judges(judges, ratings, n_raters: int) -> tuple[np.ndarray, np.ndarray]:
    """Judges and ratings (n, n_systems, n_documents) as doubles; a DataError unless of enough raters and of
    the same summaries.
    """
    judges, ratings = double("judges", judges), double("ratings", ratings)
    if ratings.ndim != 3 or len(ratings) < n_raters:
        raise DataError(f"`ratings` must be of {n_raters} raters or more, got shape {ratings.shape}")
    if judges.ndim != 3 or judges.shape[1:] != ratings.shape[1:]:
        raise DataError(
            f"`judges` and `ratings` must cover the same summaries, got {judges.shape} and {ratings.shape}"
        )
    return judges, ratings


def _mean_over_raters(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Weighted mean over the first axis; NaN where no value counts."""
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, values * counts, 0.0).sum(axis=0) / counts.sum(axis=0)


def gap_patterns(judges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct patterns of missing scores, (n_gaps, n_systems, n_documents), the first without gaps, and the
    position of each judge's pattern."""
    missing = np.isnan(judges).reshape(len(judges), -1)
    none = np.zeros((1, missing.shape[1]), dtype=bool)
    kinds, places = np.unique(np.concatenate([none, missing]), axis=0, return_inverse=True)
    return kinds.reshape(-1, *judges.shape[1:]), places.ravel()[1:]


def mean_of(ratings: np.ndarray, axis: int = 0) -> np.ndarray:
    """Mean along an axis, by default over the raters (n_raters, ...) who rated; NaN where nobody did."""
    present = ~np.isnan(ratings)
    with np.errstate(invalid="ignore"):
        return np.where(present, ratings, 0.0).sum(axis=axis) / present.sum(axis=axis)


def mean_pair_correlation(ratings: np.ndarray, *, level: str, coefficient: str) -> float:
    """Mean correlation of two raters, over all pairs: the reliability of one rater.

    Parameters
    ----------
    ratings : float array (n_raters, n_systems, n_documents)
    level, coefficient : see `metaeval.stats.correlation.correlate`
    """
    ratings = double("ratings", ratings)
    first, second = np.triu_indices(len(ratings), 1)
    if not len(first):
        raise DataError(f"at least two raters are required, got {len(ratings)}")
    values = correlate(ratings[first], ratings[second], level=level, coefficient=coefficient).value
    return float(np.mean(values))
