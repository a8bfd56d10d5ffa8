r"""stats.judges: intervals of a judge's correlation with people, of its distance from a rater, and of two judges'
difference.

A study draws systems, documents and raters; the estimand is the mean over new studies of as many of each. The
variance is estimated in three parts that add up:

- *systems*: over systems, each of which brings its own noise of documents and raters;
- *documents*: what documents do to all systems together, the variance over draws of documents that all systems share
  minus that over draws of each system's own, in which effects common to the systems average out;
- *raters*: the variance between the raters who are left out in turn, less its noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level
from metaeval.stats import kernels
from metaeval.stats.correlation import COEFFICIENTS, MIN_SYSTEMS
from metaeval.stats.draws import exact_product, unit_counts
from metaeval.stats.reliability import gap_patterns, mean_of
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import MEAN_TIE, SMALLEST_SCALE, double, signs

PARTS = ("systems", "documents", "raters")
_CODES = {"pearson": kernels.PEARSON, "spearman": kernels.SPEARMAN, "kendall": kernels.KENDALL}
_TIES = (MEAN_TIE, SMALLEST_SCALE)


@dataclass(frozen=True, eq=False)
class JudgeIntervals:
    """Intervals of judges; arrays (n_judges,).

    Attributes
    ----------
    estimate, low, high : float
        NaN where a correlation does not exist.
    judge, reference : float
        The two correlations whose difference is estimated; the reference of a single correlation is 0.
    variances : dict, part -> float
        Of `PARTS`; they add up to the squared standard error of the estimate.
    df : float
        Degrees of freedom.
    n_systems, n_documents, n_raters : int
        Systems and documents that were scored; raters who count, 0 where they are not distinguished.
    confidence_level, level, coefficient : settings
    """

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    judge: np.ndarray
    reference: np.ndarray
    variances: dict[str, np.ndarray]
    df: np.ndarray
    n_systems: np.ndarray
    n_documents: np.ndarray
    n_raters: np.ndarray
    confidence_level: float
    level: str
    coefficient: str

    @property
    def standard_error(self) -> np.ndarray:
        """Root of the sum of the variances."""
        return np.sqrt(sum(self.variances.values()))


def judge_minus_rater(
    judges: np.ndarray,
    ratings: np.ndarray,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: RNGLike = None,
) -> JudgeIntervals:
    """Correlation of judges with all raters but one, minus that of the rater left out, over all raters.

    Parameters
    ----------
    judges : float array (n_judges, n_systems, n_documents), higher is better, NaN where missing
    ratings : float array (n_raters, n_systems, n_documents), of two raters or more, NaN where missing
        Judge and rater are compared on the summaries that both and another rater scored.
    level : {"system", "summary"}
    coefficient : {"kendall", "spearman", "pearson"}
    confidence_level : float in (0, 1)
    n_resamples : int
        Draws of documents, for the part of the variance due to them.
    rng : seed, Generator or None

    Returns
    -------
    JudgeIntervals
        `judge` and `reference` are means over the raters for whom both correlations exist.

    Raises
    ------
    DataError
        If there are fewer than two raters or three systems, or shapes differ.
    """
    judges, ratings = _checked(judges, ratings, 2)
    check_confidence_level(confidence_level)
    sample, (own, other) = _rater_sample(judges, ratings, level, coefficient, n_resamples, rng)
    exist = ~np.isnan(sample.value[own] - sample.value[other])
    n_raters = exist.sum(axis=0)

    def over_raters(values):
        weights = exist.reshape(*exist.shape, *(1,) * (values.ndim - 2)) * 1.0
        with np.errstate(invalid="ignore"):
            return (np.where(weights, values, 0.0) * weights).sum(axis=0) / weights.sum(axis=0)

    judge, reference = over_raters(sample.value[own]), over_raters(sample.value[other])
    parts = [part[own] - part[other] for part in (sample.systems, sample.together, sample.apart)]
    systems, together, apart = ((over_raters(part) ** 2).sum(axis=-1) for part in parts)
    each = sample.value[own] - sample.value[other] - (judge - reference)
    between = (np.where(exist, each, 0.0) ** 2).sum(axis=0)
    noise = (np.where(exist[..., None], parts[0] - over_raters(parts[0]), 0.0) ** 2).sum(axis=(0, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        raters = np.where(n_raters > 1, np.maximum(between - noise, 0.0) / (n_raters - 1) / n_raters, 0.0)
    variances = dict(zip(PARTS, (systems, np.maximum(together - apart, 0.0), raters), strict=True))
    scored = ~np.isnan(judges) & (~np.isnan(ratings)).any(axis=0)
    n_systems, n_documents = scored.any(axis=2).sum(axis=1), scored.any(axis=1).sum(axis=1)
    total, df = satterthwaite(variances, (n_systems, n_documents, n_raters))
    reach = scipy.stats.t.isf((1 - confidence_level) / 2, df) * np.sqrt(total)
    return JudgeIntervals(
        judge - reference, judge - reference - reach, judge - reference + reach, judge, reference, variances, df,
        n_systems, n_documents, n_raters, confidence_level, level, coefficient,
    )  # fmt: skip


def satterthwaite(variances, sizes) -> tuple[np.ndarray, np.ndarray]:
    """Sum of variances, and its degrees of freedom where each has its size minus one, at least 1."""
    total = sum(variances.values())
    below = sum(
        variance**2 / np.maximum(n - 1, 1) for variance, n in zip(variances.values(), sizes, strict=True)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return total, np.where(below > 0, np.maximum(total**2 / below, 1.0), np.asarray(sizes[0]) - 1.0)


def _checked(judges, ratings, n_raters: int) -> tuple[np.ndarray, np.ndarray]:
    judges, ratings = double("judges", judges), double("ratings", ratings)
    if ratings.ndim != 3 or len(ratings) < n_raters:
        raise DataError(f"`ratings` must be of {n_raters} raters or more, got shape {ratings.shape}")
    if judges.ndim != 3 or judges.shape[1:] != ratings.shape[1:]:
        raise DataError(
            f"`judges` and `ratings` must cover the same summaries, got {judges.shape} and {ratings.shape}"
        )
    if judges.shape[1] < MIN_SYSTEMS:
        raise DataError(f"at least {MIN_SYSTEMS} systems are needed, got {judges.shape[1]}")
    return judges, ratings


def _rater_sample(judges, ratings, *settings):
    """Sample of each judge and of each rater left out with the others, its places (2, n_raters, n_judges)."""
    gaps, gap_of = gap_patterns(judges)
    x, z, partner = [], [], []
    places = np.empty((2, len(ratings), len(judges)), dtype=int)
    for rater, own in enumerate(ratings):
        others = mean_of(np.delete(ratings, rater, axis=0))
        for number, gap in enumerate(gaps):
            members = np.flatnonzero(gap_of == number)
            if not len(members):
                continue
            missing = gap | np.isnan(own) | np.isnan(others)
            places[1, rater, members], places[0, rater, members] = (
                len(x),
                len(x) + 1 + np.arange(len(members)),
            )
            x += [np.where(missing, np.nan, plane) for plane in (own, *judges[members])]
            partner += [len(z)] * (1 + len(members))
            z.append(np.where(missing, np.nan, others))
    return _sample(np.stack(x), np.stack(z), np.array(partner), *settings), places


@dataclass(frozen=True)
class _Sample:
    """Correlations of pairs of planes, and deviations whose sums of squares are the parts of their variances.

    A linear combination of the correlations has the same combination of the deviations.

    Attributes
    ----------
    value : float array (n_pairs,)
    systems : float array (n_pairs, n_systems), of the jackknife over systems
    together, apart : float arrays (n_pairs, n), of documents that all systems share, and that each has for itself
    products : float array (n_pairs, n_pairs_of_systems) or None
        For Kendall's tau at system level, which is their mean.
    """

    value: np.ndarray
    systems: np.ndarray
    together: np.ndarray
    apart: np.ndarray
    products: np.ndarray | None


def _sample(x, z, partner, level, coefficient, n_resamples, rng) -> _Sample:
    """Sample of pairs of planes `x` (n_pairs, n_systems, n_documents) with their partners among `z`."""
    seed = seed_of(rng)
    check_draws(n_resamples)
    code = choose("coefficient", coefficient, _CODES)
    return _LEVELS[level](x, z, partner, code, n_resamples, seed)


def _system_sample(x, z, partner, code, n_resamples, seed):
    n_pairs, n_systems, n_documents = x.shape
    means, together, apart = _document_draws(np.concatenate([x, z]), n_resamples, seed)

    def correlations(means):
        out = np.empty((len(means), n_pairs))
        sides = np.ascontiguousarray(means[:, :n_pairs]), np.ascontiguousarray(means[:, n_pairs:])
        kernels.plane_correlations(code, _TIES, *sides, partner, out)
        return out.T

    without = np.where(np.eye(n_systems, dtype=bool)[:, None], np.nan, means)
    products = None
    if code == kernels.KENDALL:
        products = _products(means[:n_pairs], means[n_pairs:][partner])
    unbiased = n_documents / max(n_documents - 1, 1)
    return _Sample(
        correlations(means[None])[:, 0],
        _deviations(correlations(without), (n_systems - 1) / n_systems),
        *(_deviations(correlations(drawn), unbiased / n_resamples) for drawn in (together, apart)),
        products,
    )


def _document_draws(planes, n_resamples, seed):
    """Means of planes (k, n_systems, n_documents) over documents, (k, n_systems), and in draws of documents that all
    systems share and of each system's own, (n_resamples, k, n_systems).

    In draws of its own documents a system's mean varies by the noise of its summaries, without the effect of the
    documents, which is the same for all systems.
    """
    k, n_systems, n_documents = planes.shape
    scored = ~np.isnan(planes)
    planes = np.ldexp(planes, -np.frexp(np.nanmax(np.abs(planes), axis=(1, 2), keepdims=True, initial=0))[1])
    filled = np.where(scored, planes, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        noise = np.where(
            scored, planes - filled.sum(axis=1, keepdims=True) / scored.sum(axis=1, keepdims=True), 0.0
        )
        noise *= np.sqrt(n_systems / (n_systems - 1))
        counts = unit_counts(stream(seed, "documents"), n_resamples, n_documents)
        sums, noises = (
            exact_product(counts, each.reshape(-1, n_documents).T).reshape(-1, k, n_systems)
            for each in (filled, noise)
        )
        size, whole = n_documents, scored.sum(axis=-1)
        if not scored.all():
            size = (counts @ scored.reshape(-1, n_documents).T.astype(float)).reshape(-1, k, n_systems)
        means, noises = filled.sum(axis=-1) / whole, noises / size - noise.sum(axis=-1) / whole
        together = sums / size
    order = stream(seed, "own documents").random((n_resamples, n_systems)).argsort(axis=0)
    return means, together, means + np.take_along_axis(noises, order[:, None], axis=0)


def _deviations(values, scale):
    """Deviations (k, n) from the mean of the defined values, times the root of `scale`; 0 where undefined."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        mean = np.where(defined, values, 0.0).sum(axis=-1, keepdims=True) / defined.sum(
            axis=-1, keepdims=True
        )
    return np.where(defined, values - mean, 0.0) * np.sqrt(scale)


def _products(x, z):
    """Products of signs of differences between systems, (n_pairs, n_pairs_of_systems), scaled to the mean tau-b."""
    first, second = np.triu_indices(x.shape[-1], 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        sx, sz = (
            signs(
                side[:, first] - side[:, second], MEAN_TIE * np.nanmax(np.abs(side), axis=-1, keepdims=True)
            )
            for side in (x, z)
        )
        sx, sz = (np.nan_to_num(side) for side in (sx, sz))
        untied = np.sqrt((sx != 0).sum(axis=-1, keepdims=True) * (sz != 0).sum(axis=-1, keepdims=True))
        return sx * sz * len(first) / untied


_LEVELS = {"system": _system_sample}
