r"""stats.measures: measures that other fields of meta-evaluation have adopted, on plain arrays.

- pairwise accuracy: the share of pairs of systems that a metric ranks as people do (Kocmi et al. 2021, §4);
- soft pairwise accuracy: how close a metric's p-value of "this system is better than that one" is to
  people's, averaged over pairs (Thompson et al. 2024, §3), so that a pair that people hardly part costs
  little;
- Pairwise Difference Pearson: Pearson's r of differences of scores within groups, pooled over the groups;
- re-ranking precision: how often the summary that a metric puts first is the one that people put first
  (Perrella et al. 2024, §4).

Pairs of systems are ordered (0, 1), (0, 2), ..., (1, 2), ...; `stats.pairs` counts pairs of summaries.
"""

from __future__ import annotations

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second
from scipy.special import comb

from metaeval.core.limits import check_alpha, check_count
from metaeval.stats.correlation import centred
from metaeval.stats.kernels import compiled
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.pairs import alike, grouped, mean_over_groups
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, double, system_means

SIGNS_AT_ONCE = 4_000_000  # bounds a block of signs to some 30 MB


def pairwise_accuracy(
    scores: np.ndarray, human: np.ndarray, *, separated: np.ndarray | None = None
) -> np.ndarray:
    """Share of pairs of systems that metrics rank as people do, by mean scores.

    A pair that both sides tie is ranked alike; one that only one side ties is not.

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
    """Pairs of systems that people separate: paired t-test over documents, two-sided, not corrected.

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
    """One-sided paired permutation test of each pair of systems: is the first better than the second?

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
    # where nothing is missing, the sum of a pair's differences is the difference of two systems' sums
    units = planes[:, first] - planes[:, second] if gaps else planes
    tested = ~np.isnan(units).all(axis=-1)
    units = np.nan_to_num(units, nan=0.0).reshape(-1, m)
    slack = DIFFERENCE_TIE * np.abs(units).sum(axis=-1).reshape(len(planes), -1).max(axis=-1)[:, None]

    ends = (np.arange(len(first)), np.full(len(first), -1)) if gaps else (first, second)
    sums = units.sum(axis=-1).reshape(len(planes), -1)
    observed = sums[:, ends[0]] - (0.0 if gaps else sums[:, second]) - slack
    at_least = np.zeros(observed.shape, dtype=np.int64)
    generator = stream(seed_of(rng), "signs of documents")
    step = max(1, SIGNS_AT_ONCE // (m + len(units)))
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        signs = generator.integers(2, size=(size, m), dtype=np.uint8) * 2.0 - 1.0
        _count_at_least((signs @ units.T).reshape(size, len(planes), -1), *ends, observed, at_least)
    pvalues = at_least / n_resamples
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
    :math:`2 (n \sum xz - \sum x \sum z)`: no pair has to be listed.

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
    """How often the metric's best of *k* summaries of a document is the best by people too.

    The mean over documents and over all choices of *k* of a document's systems, counted and not drawn. Where
    the metric ties for the first place, one of those is taken at random; where people do, any of theirs will
    do. Taking one without looking is right in 1 / k of documents or more often.

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
    check_count("k", k, at_least=2, at_most=n)
    present = ~np.isnan(scores) & ~np.isnan(human)
    # [..., i, j]: is j of the document no better than i by people, and below or level with it by the metric?
    x, z = (np.moveaxis(np.broadcast_to(side, scores.shape), -1, -2) for side in (scores, human))
    both = np.moveaxis(present, -1, -2)
    allowed = both[..., None, :] & both[..., :, None] & (z[..., None, :] <= z[..., :, None])
    allowed &= ~np.eye(n, dtype=bool)
    below = (allowed & (x[..., None, :] < x[..., :, None])).sum(axis=-1)
    level = (allowed & (x[..., None, :] == x[..., :, None])).sum(axis=-1)
    # t of the k - 1 others share the metric's first place
    right = sum(comb(level, t) * comb(below, k - 1 - t) / (t + 1) for t in range(k))
    return mean_over_groups(np.where(both, right, 0.0).sum(axis=-1), comb(both.sum(axis=-1), k))


@compiled
def _count_at_least(sums, first, second, observed, at_least):
    """Add to `at_least` (k, n_pairs) the draws (n_draws, k, units) whose difference is at least `observed`;
    a pair whose `second` is -1 has its difference in `first`.
    """
    for b in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            for p in range(first.shape[0]):
                difference = sums[b, k, first[p]]
                if second[p] >= 0:
                    difference -= sums[b, k, second[p]]
                at_least[k, p] += difference >= observed[k, p]
