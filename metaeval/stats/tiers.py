"""stats.tiers: which metrics, judges or systems the data can tell apart, from tests of all pairs of them.

Called with what `stats.differences.compare_pairs` gives, or with any other test that shares its draws among
pairs. All pairs are tested together, so that all ranks of a table hold at once and not each for itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.core.errors import DataError
from metaeval.core.limits import check_alpha
from metaeval.stats.draws import blocks
from metaeval.stats.ties import DIFFERENCE_TIE


@dataclass(frozen=True)
class Tiers:
    """Groups and ranks of *k* candidates; int arrays (k,), counted from 1, 1 the best.

    Attributes
    ----------
    tier : candidates of one tier cannot be told apart from each other
    best_rank, worst_rank : ends of the interval of the rank
        All intervals hold the true ranks at once, with probability 1 - alpha.
    """

    tier: np.ndarray
    best_rank: np.ndarray
    worst_rank: np.ndarray


def simultaneous_pvalues(difference: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Two-sided p-values of many differences, adjusted by the largest of them in each resample.

    Each difference is divided by the standard deviation of its own null distribution; the adjusted p-value is
    the share of resamples in which any of them is as large as it is (max-T, single step; Westfall and Young
    1993, §2.3). Unlike Holm's, it can fall to 1 / (n_resamples + 1) however many pairs there are.

    Parameters
    ----------
    difference : float array (n_pairs,)
    null : float array (n_pairs, n_resamples)
        From shared draws, so that a column is one resample of all pairs.

    Returns
    -------
    float array (n_pairs,), in (0, 1]
        NaN where the difference, or its null distribution, does not exist; such pairs count in no maximum.
        A resample in which a pair has no value counts as one that exceeds: an adjusted p-value is never below
        the pair's own.
    """
    difference, null = np.asarray(difference, dtype=float), np.asarray(null, dtype=float)
    if null.ndim != 2 or difference.shape != null.shape[:1]:
        raise ValueError(f"`null` {null.shape} must hold a row per `difference` {difference.shape}")
    n_resamples = null.shape[1]
    # of differences in any unit
    least = DIFFERENCE_TIE * max(
        np.fmax.reduce(null, None, initial=0), -np.fmin.reduce(null, None, initial=0)
    )
    seen, largest = np.full(len(difference), np.nan), np.zeros(n_resamples)
    parts = [*blocks(len(difference), n_resamples)]
    for part in parts:
        missing = np.isnan(null[part])
        rows = np.flatnonzero(~np.isnan(difference[part]) & ~missing.all(axis=1))
        own = null[part][rows]
        # two metrics that are one have a null distribution of zeros only, and are never apart
        spread = np.nanstd(own, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(spread > least, 1 / spread, 0.0)
        seen[part][rows] = np.abs(difference[part][rows]) * scale
        exceeding = np.where(missing[rows], np.inf, np.abs(own) * scale[:, None])
        largest = np.maximum(largest, exceeding.max(axis=0, initial=0.0))
    largest.sort()
    n_below = np.searchsorted(largest, seen - DIFFERENCE_TIE, side="left")
    adjusted = (n_resamples - n_below + 1) / (n_resamples + 1)
    return np.where(np.isnan(seen), np.nan, adjusted)


def tiers(values: np.ndarray, pairs: np.ndarray, pvalues: np.ndarray, *, alpha: float = 0.05) -> Tiers:
    """Tiers and rank intervals of candidates from two-sided tests of all pairs.

    A candidate can be no better than 1 + the number that are significantly better, and no worse than *k*
    minus the number that are significantly worse (Mogstad et al. 2024, §3). Going down from the highest
    value, a tier ends before the first candidate that is significantly worse than any in it, as in the tables
    of the WMT metrics task.

    Parameters
    ----------
    values : float array (k,)
        Higher is better.
    pairs : int array (n_pairs, 2)
        Every pair of candidates once, in any order.
    pvalues : float array (n_pairs,)
        Such as `simultaneous_pvalues` gives; NaN tells nothing apart.
    alpha : float in (0, 1)

    Returns
    -------
    Tiers

    Raises
    ------
    DataError
        If a value is missing.
    ValueError
        If `pairs` are not all pairs, once each.

    Examples
    --------
    >>> found = tiers(np.array([0.5, 0.9, 0.4]), [[0, 1], [0, 2], [1, 2]], [0.01, 0.6, 0.01])
    >>> found.tier.tolist(), found.best_rank.tolist(), found.worst_rank.tolist()
    ([2, 1, 2], [2, 1, 2], [3, 1, 3])
    """
    check_alpha(alpha)
    values, pvalues = np.asarray(values, dtype=float), np.asarray(pvalues, dtype=float)
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    k = len(values)
    if np.isnan(values).any():
        raise DataError(
            f"{int(np.isnan(values).sum())} of {k} values are missing; leave those candidates out"
        )
    every = np.column_stack(np.triu_indices(k, 1))
    complete = len(pairs) == len(every) and np.array_equal(np.unique(np.sort(pairs, axis=1), axis=0), every)
    if pvalues.shape != (len(pairs),) or not complete:
        raise ValueError(
            f"`pairs` and `pvalues` must hold every pair of the {k} candidates once, {len(every)} in all"
        )
    apart = np.zeros((k, k), dtype=bool)
    apart[tuple(pairs[pvalues <= alpha].T)] = True
    apart |= apart.T
    better = apart & (values[:, None] > values)  # row than column
    tier, members, number = np.empty(k, dtype=int), [], 1
    for candidate in np.argsort(-values, kind="stable"):
        if better[members, candidate].any():
            members, number = [], number + 1
        members.append(candidate)
        tier[candidate] = number
    return Tiers(tier=tier, best_rank=1 + better.sum(axis=0), worst_rank=k - better.sum(axis=1))
