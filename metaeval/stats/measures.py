r"""stats.measures: measures used in other fields of meta-evaluation, on plain arrays.

- pairwise accuracy: the share of pairs of systems that a metric ranks as people do (Kocmi et al. 2021, §4);
- soft pairwise accuracy: closeness of a metric's p-value of "this system is better than that one" to
  people's, averaged over pairs (Thompson et al. 2024, §3), so that a pair that people hardly separate costs
  little;
- Pairwise Difference Pearson: Pearson's r of differences of scores within groups, pooled over the groups;
- re-ranking precision: share of documents whose best summary by a metric is also the best by people (Perrella
  et al. 2024, §4);
- F1 of predicted labels;
- the accuracy curve: the log-odds that people rank two systems as a metric does grow in proportion to the
  metric's difference *d*,

  .. math:: P(\text{people agree} \mid d) = 1 / (1 + e^{-\beta d}),

  so that the order of two equal systems is chance. One slope :math:`\beta`, fitted to all pairs, gives both
  the share of pairs in which a difference is confirmed and the difference that is confirmed in 90 % of pairs.
  Kocmi et al. 2024 ask the same of metrics of translation.

Pairs of systems are ordered (0, 1), (0, 2), ..., (1, 2), ...; `stats.pairs` counts pairs of summaries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second
from scipy.special import comb, expit, logit

from metaeval.core.limits import check_alpha, check_count
from metaeval.stats.correlation import centred
from metaeval.stats.draws import drawn_counts, drawn_means
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.kernels import compiled, logistic_slopes
from metaeval.stats.monte_carlo import map_threads, mean_error
from metaeval.stats.pairs import alike, grouped, mean_over_groups
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SLOPE_TOLERANCE, double, system_means

SIGNS_AT_ONCE = 4_000_000  # bounds a block of signs to some 30 MB


def pairwise_accuracy(
    scores: np.ndarray, human: np.ndarray, *, separated: np.ndarray | None = None
) -> np.ndarray:
    """Share of pairs of systems that metrics rank as people do, by mean scores.

    A pair that both sides tie counts as ranked alike, one that only one side ties does not.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    human : float array (n_systems, n_documents)
    separated : bool array (n_pairs), by default all
        The pairs that count, such as those that people separate.

    Returns
    -------
    float array (...), in [0, 1]
        NaN where no pair counts.
    """
    scores, human = alike(scores, human)
    first, second = np.triu_indices(len(human), 1)
    metric, people = (system_means(side) for side in (scores, human))
    metric, people = (np.sign(side[..., first] - side[..., second]) for side in (metric, people))
    counted = ~np.isnan(metric) & ~np.isnan(people)
    if separated is not None:
        separated = np.asarray(separated)
        if separated.shape != first.shape or separated.dtype != bool:
            raise ValueError(
                f"`separated` must hold True or False for each of the {len(first)} pairs of systems, got "
                f"{separated.dtype} {separated.shape}"
            )
        counted = counted & separated
    with np.errstate(invalid="ignore", divide="ignore"):
        return (counted & (metric == people)).sum(axis=-1) / counted.sum(axis=-1)


def separated_pairs(human: np.ndarray, *, alpha: float = 0.05) -> np.ndarray:
    """Find the pairs of systems that people separate: paired t-test over documents, two-sided, uncorrected.

    Parameters
    ----------
    human : float array (n_systems, n_documents)
        NaN where missing; a pair is tested on the documents that have both its scores.
    alpha : float in (0, 1)

    Returns
    -------
    bool array (n_pairs)
        False for a pair with fewer than two common documents.
    """
    check_alpha(alpha)
    human = double("human", human)
    first, second = np.triu_indices(len(human), 1)
    differences = human[first] - human[second]
    n = (~np.isnan(differences)).sum(axis=-1)
    error = mean_error(differences)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(np.where(np.isnan(differences), 0.0, differences).sum(axis=-1) / n) / error
        return scipy.stats.t.sf(t, n - 1) <= alpha / 2


def pairwise_pvalues(scores: np.ndarray, *, n_resamples: int = 1_000, rng: RNGLike) -> np.ndarray:
    """One-sided paired permutation test that the first system of each pair is better than the second.

    In every draw each document's two scores change places with probability 1/2; the p-value is the share of
    draws whose difference is at least the observed one. All pairs and metrics see the same draws.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents)
        NaN where missing; a pair is tested on the documents that have both its scores.
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    float array (..., n_pairs), in [0, 1]
        NaN for pairs without a common document.

    Raises
    ------
    ValueError, DataError
        For a number of draws out of range; for an infinite score.
    """
    check_draws(n_resamples)
    scores = double("scores", scores)
    n, m = scores.shape[-2:]
    first, second = np.triu_indices(n, 1)
    planes = scores.reshape(-1, n, m)
    gaps = np.isnan(planes).any()
    # without gaps, the sum of a pair's differences is the difference of two systems' sums
    units = planes[:, first] - planes[:, second] if gaps else planes
    tested = ~np.isnan(units).all(axis=-1)
    units = np.nan_to_num(units, nan=0.0).reshape(-1, m)
    slack = DIFFERENCE_TIE * np.abs(units).sum(axis=-1).reshape(len(planes), -1).max(axis=-1)[:, None]

    ends = (np.arange(len(first)), np.full(len(first), -1)) if gaps else (first, second)
    sums = units.sum(axis=-1).reshape(len(planes), -1)
    observed = sums[:, ends[0]] - (0.0 if gaps else sums[:, second]) - slack
    n_exceeding = np.zeros(observed.shape, dtype=np.int64)
    generator = stream(seed_of(rng), "signs of documents")
    step = max(1, SIGNS_AT_ONCE // (m + len(units)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        signs = generator.integers(2, size=(size, m), dtype=np.uint8) * 2.0 - 1.0
        _count_exceeding((signs @ units.T).reshape(size, len(planes), -1), *ends, observed, n_exceeding)
    pvalues = n_exceeding / n_resamples
    if gaps:
        pvalues[~tested] = np.nan
    return pvalues.reshape(*scores.shape[:-2], -1)


def soft_pairwise_accuracy(
    scores: np.ndarray, human: np.ndarray, *, n_resamples: int = 1_000, rng: RNGLike
) -> np.ndarray:
    """One minus the mean distance of metrics' and people's p-values over all pairs of systems.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents)
    human : float array (n_systems, n_documents)
    n_resamples, rng : see `pairwise_pvalues`; people and metrics see the same draws

    Returns
    -------
    float array (...), in [0, 1]
        Over the pairs that both sides can test; NaN where there is none.
    """
    scores, human = alike(scores, human)
    planes = np.concatenate([human[None], scores.reshape(-1, *human.shape)])
    people, *metrics = pairwise_pvalues(planes, n_resamples=n_resamples, rng=rng)
    apart = np.abs(np.array(metrics).reshape(*scores.shape[:-2], -1) - people)
    tested = ~np.isnan(apart)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - np.where(tested, apart, 0.0).sum(axis=-1) / tested.sum(axis=-1)


def pairwise_difference_pearson(
    scores: np.ndarray, human: np.ndarray, *, grouping: str = "item"
) -> np.ndarray:
    r"""Pearson's r of differences of scores within groups, all groups' pairs in one list.

    With every pair in both orders the differences have mean 0, and their products over a group of *n* sum to
    :math:`2 (n \sum xz - \sum x \sum z)`, so that pairs need not be listed.

    Parameters
    ----------
    scores, human, grouping : see `metaeval.stats.pairs.pair_counts`

    Returns
    -------
    float array (...), in [-1, 1]
        NaN where all differences of one side are 0.
    """
    x, z = grouped(scores, human, grouping)
    present = ~np.isnan(x) & ~np.isnan(z)
    n = present.sum(axis=-1)
    x, z = centred(x, present), centred(z, present)

    def products(one, other):
        return (n * (one * other).sum(axis=-1)).sum(axis=-1)

    with np.errstate(invalid="ignore", divide="ignore"):
        r = products(x, z) / np.sqrt(products(x, x)) / np.sqrt(products(z, z))
    return np.clip(r, -1, 1)


def reranking_precision(scores: np.ndarray, human: np.ndarray, *, k: int | None = None) -> np.ndarray:
    """Probability that the metric's best of *k* summaries of a document is also the best by people.

    The exact mean over documents and over all choices of *k* of a document's systems. Where the metric ties
    for first place, one of the tied summaries is chosen at random; where people do, any of theirs is right. A
    random choice is right in at least 1 / k of documents.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    human : float array (n_systems, n_documents)
    k : int, at least 2; by default all systems

    Returns
    -------
    float array (...), in [0, 1]
        Over the documents with at least *k* scored summaries; NaN where there is none.
    """
    scores, human = alike(scores, human)
    n = len(human)
    k = n if k is None else k
    check_count("k", k, minimum=2, maximum=n)
    present = ~np.isnan(scores) & ~np.isnan(human)
    # [..., i, j]: j is no better than i by people, and below or level with it by the metric
    x, z = (np.moveaxis(np.broadcast_to(side, scores.shape), -1, -2) for side in (scores, human))
    both = np.moveaxis(present, -1, -2)
    allowed = both[..., None, :] & both[..., :, None] & (z[..., None, :] <= z[..., :, None])
    allowed &= ~np.eye(n, dtype=bool)
    below = (allowed & (x[..., None, :] < x[..., :, None])).sum(axis=-1)
    level = (allowed & (x[..., None, :] == x[..., :, None])).sum(axis=-1)
    # t of the k - 1 others share the metric's first place
    right = sum(comb(level, t) * comb(below, k - 1 - t) / (t + 1) for t in range(k))
    return mean_over_groups(np.where(both, right, 0.0).sum(axis=-1), comb(both.sum(axis=-1), k))


def f1_scores(
    truth: np.ndarray, predicted: np.ndarray, *, labels: Sequence[int] = (1, 2, 0)
) -> dict[str, np.ndarray]:
    """F1 of rows of labels, averaged over the labels that occur.

    Parameters
    ----------
    truth, predicted : int arrays (n_rows, n)
    labels : possible labels, by default those of pairs: the first is better, the second, or neither

    Returns
    -------
    mapping, average -> float array (n_rows,)
        "weighted" by the truth's labels, or "macro"; as scikit-learn's `f1_score`, which takes one row at a
        time.
    """
    hits, true, positive = (
        np.stack([cells.sum(axis=1) for cells in parts], axis=1)
        for parts in (
            [(truth == label) & (predicted == label) for label in labels],
            [truth == label for label in labels],
            [predicted == label for label in labels],
        )
    )
    scores = 2 * hits / np.maximum(true + positive, 1)
    occurs = true + positive > 0
    return {
        "weighted": (scores * true).sum(axis=1) / truth.shape[1],
        "macro": scores.sum(axis=1) / occurs.sum(axis=1),
    }


@dataclass(frozen=True)
class AccuracyCurve:
    """Share of pairs that people rank as metrics do, by the metrics' difference.

    Attributes
    ----------
    slope : float array (...)
        :math:`\\beta`, in 1 / the metric's unit: infinite where people confirm every pair, negative where
        they reverse more pairs than they confirm, NaN where no pair differs.
    typical : float array (...)
        The median difference of two systems.
    distribution : float array (..., n_resamples)
        The share at the typical difference in each draw of systems and documents. Not printed.
    """

    slope: np.ndarray
    typical: np.ndarray
    distribution: np.ndarray = field(repr=False)

    def _slopes(self, confidence_level: float) -> np.ndarray:
        """Estimate and ends (3, ...), in the order of the share."""
        # percentiles are taken of shares, which are finite where a slope is not
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = logit(percentile_bounds(self.distribution, confidence_level)) / self.typical
        return np.concatenate([self.slope[None], ends])

    def accuracy(self, difference: np.ndarray, *, confidence_level: float = 0.95) -> np.ndarray:
        """Share of pairs that people rank as the metric does, with its interval.

        Parameters
        ----------
        difference : float array (k,) or (..., k), at least 0, in the metric's unit
        confidence_level : float in (0, 1)

        Returns
        -------
        float array (3, ..., k)
            Estimate, lower and upper end.
        """
        difference = np.asarray(difference, dtype=float)
        if not (difference >= 0).all():
            raise ValueError(f"`difference` must be at least 0, got {difference.min()}")
        slopes = self._slopes(confidence_level)[..., None]
        with np.errstate(invalid="ignore"):
            shares = expit(slopes * difference)
        return np.where((difference == 0) & ~np.isnan(slopes), 0.5, shares)  # also of infinite slopes

    def difference(self, accuracy: float, *, confidence_level: float = 0.95) -> np.ndarray:
        """Difference that people confirm in this share of pairs, with its interval.

        Parameters
        ----------
        accuracy : float in (1/2, 1)
        confidence_level : float in (0, 1)

        Returns
        -------
        float array (3, ...)
            Estimate, lower and upper end; infinite where no difference is confirmed so often.
        """
        if not 0.5 < accuracy < 1:
            raise ValueError(f"`accuracy` must be in (0.5, 1), above a coin toss, got {accuracy}")
        estimate, low, high = self._slopes(confidence_level)
        slopes = np.stack([estimate, high, low])
        with np.errstate(divide="ignore"):
            needed = logit(accuracy) / slopes
        return np.where(slopes > 0, needed, np.where(np.isnan(slopes), np.nan, np.inf))


def accuracy_curve(
    scores: np.ndarray, human: np.ndarray, *, n_resamples: int = 1_000, rng: RNGLike
) -> AccuracyCurve:
    """Fit the curve of each metric to all pairs of systems, by mean scores, and to draws of both.

    A pair that people tie is half confirmed. A draw holds a system as often as it was drawn, and a pair as
    often as the product of its two systems' counts; the same draws serve all metrics.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    human : float array (n_systems, n_documents)
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    AccuracyCurve
    """
    check_draws(n_resamples)
    scores, human = alike(scores, human)
    n, m = human.shape
    first, second = np.triu_indices(n, 1)
    systems, documents = drawn_counts(seed_of(rng), n_resamples, n, m)
    weights = systems[:, first] * systems[:, second]

    def differences(means):
        return means[..., first] - means[..., second]

    people = differences(system_means(human)[None]), differences(drawn_means(human, documents))

    def fit_metric(plane):
        observed = differences(system_means(plane)[None])
        (slope,) = _slope(observed, people[0], np.ones_like(observed))
        distances = np.abs(observed[observed != 0])
        median = np.nanmedian(distances) if np.isfinite(distances).any() else np.nan
        drawn = _slope(differences(drawn_means(plane, documents)), people[1], weights)
        return slope, median, expit(drawn * median)

    slopes, typical, distributions = zip(*map_threads(fit_metric, scores.reshape(-1, n, m)), strict=True)
    shape = scores.shape[:-2]
    return AccuracyCurve(
        slope=np.reshape(slopes, shape),
        typical=np.reshape(typical, shape),
        distribution=np.reshape(distributions, (*shape, n_resamples)),
    )


def confirmed(metric: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Score pairs 1 where people order them as the metric does, 0 where in reverse, 1/2 where they tie them.

    Parameters
    ----------
    metric, people : float arrays (...)
        Differences of two systems; NaN where either does not exist or the metric ties.
    """
    with np.errstate(invalid="ignore"):
        shared = (np.sign(metric) * np.sign(people) + 1) / 2
    return np.where(metric == 0, np.nan, shared)


def _slope(metric, people, weights):
    """Slope with the highest likelihood in each row (n_rows, n_pairs)."""
    share = confirmed(metric, people)
    counted = ~np.isnan(share) & (weights > 0)
    x = np.where(counted, np.abs(metric), 0.0)
    scale = x.max(axis=-1, keepdims=True)
    x = x / np.where(scale > 0, scale, 1.0)
    weight = np.where(counted, weights, 0.0) * x
    share = np.where(counted, share, 0.5)
    varies = scale[:, 0] > 0
    all_right = varies & ((share == 1) | ~counted).all(axis=-1)
    all_wrong = varies & ((share == 0) | ~counted).all(axis=-1)
    slope = np.zeros(len(x))
    finite = np.flatnonzero(varies & ~all_right & ~all_wrong)
    slope[finite] = logistic_slopes(x[finite], share[finite], weight[finite], SLOPE_TOLERANCE)
    slope = np.where(all_right, np.inf, np.where(all_wrong, -np.inf, slope))
    return np.where(varies, slope / np.where(varies, scale[:, 0], 1.0), np.nan)


@compiled
def _count_exceeding(sums, first, second, observed, n_exceeding):
    """Add to `n_exceeding` (k, n_pairs) the draws (n_draws, k, units) with a difference of at least
    `observed`; a pair whose `second` is -1 has its difference in `first`.
    """
    for b in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            for p in range(first.shape[0]):
                difference = sums[b, k, first[p]]
                if second[p] >= 0:
                    difference -= sums[b, k, second[p]]
                n_exceeding[k, p] += difference >= observed[k, p]
