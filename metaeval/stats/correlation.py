r"""stats.correlation: correlation of metrics with human judgments at three levels, on plain arrays.

With :math:`x_i^j` the metric's score and :math:`z_i^j` the human score of system *i*'s summary of document
*j*:

- ``"system"``: the correlation, over systems, of the systems' mean scores;
- ``"summary"``: for each document the correlation over systems, averaged over the documents where it exists
  (nlpstats calls this level *input*);
- ``"global"``: one correlation over all summaries.

Sources: Bhandari et al. 2020, §2.5, Eqs. 1-2; Deutsch et al. 2021, §2.

A coefficient that does not exist (a constant column, fewer than two values) is NaN, never 0. Summaries that
lack either score are left out of both sides, and every result counts the units used and their total.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import choose
from metaeval.stats import kernels
from metaeval.stats.ties import double, system_means

MIN_SYSTEMS = 3
_PAIRS_AT_ONCE = 50_000  # keeps the arrays of one block of pair signs near the processor
_MANY = 600  # above this length counting pairs by merge sort is faster than listing them


class Correlation(NamedTuple):
    """Correlations and the number of units behind them; arrays, or numbers for a single correlation.

    Attributes
    ----------
    value : float in [-1, 1], or NaN where the coefficient does not exist
    n_used, n_total : int
        Units that entered, of all there are: systems (system level), documents (summary level) or summaries
        (global level).
    """

    value: np.ndarray | float
    n_used: np.ndarray | int
    n_total: int


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's r along the last axis; the other axes broadcast.

    Parameters
    ----------
    x, y : float arrays (..., n)
        Pairs with a NaN on either side are left out.

    Returns
    -------
    float array (...)
        NaN where fewer than two pairs are left or either side is constant.
    """
    x, y, valid = _pairwise(x, y)
    n = valid.sum(axis=-1)
    x, y = centred(x, valid), centred(y, valid)
    # scaling by the largest deviation first keeps squares of tiny or huge scores in range, as SciPy does
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x / np.abs(x).max(axis=-1, keepdims=True, initial=0)
        y = y / np.abs(y).max(axis=-1, keepdims=True, initial=0)
        r = (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return np.where(n >= 2, np.clip(r, -1, 1), np.nan)


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho along the last axis: Pearson's r of average ranks. See `pearson` for shapes and NaN."""
    x, y, valid = _pairwise(x, y)
    return pearson(average_ranks(x, valid), average_ranks(y, valid))


def average_ranks(x: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Average ranks (..., n) of the valid values along the last axis; NaN elsewhere."""
    policy = "propagate" if valid.all() else "omit"
    return scipy.stats.rankdata(np.where(valid, x, np.nan), axis=-1, nan_policy=policy)


def kendall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    r"""Kendall's tau-b along the last axis. See `pearson` for shapes and NaN.

    :math:`\tau_b = (P - Q) / \sqrt{(P + Q + T)(P + Q + U)}` with *P* concordant and *Q* discordant pairs and
    *T*, *U* pairs tied only in *x*, only in *y* (Deutsch et al. 2022, Eq. 1).
    """
    x, y, valid = _pairwise(x, y)
    shape, n = x.shape[:-1], x.shape[-1]
    x, y, valid = (a.reshape(math.prod(shape), n) for a in (x, y, valid))  # -1 fails on empty arrays
    if n > _MANY:
        rows = [_kendall_long(a[v], b[v]) for a, b, v in zip(x, y, valid, strict=True)]
        return np.array(rows).reshape(shape)
    first, second = np.triu_indices(n, 1)
    block = max(1, _PAIRS_AT_ONCE // max(1, len(first)))
    taus = np.empty(len(x))
    for start in range(0, len(x), block):
        rows = slice(start, start + block)
        both = valid[rows][:, first] & valid[rows][:, second]
        sign_x = np.where(both, np.sign(x[rows][:, first] - x[rows][:, second]), 0)
        sign_y = np.where(both, np.sign(y[rows][:, first] - y[rows][:, second]), 0)
        untied = (sign_x != 0).sum(axis=-1) * (sign_y != 0).sum(axis=-1, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            taus[rows] = (sign_x * sign_y).sum(axis=-1) / np.sqrt(untied)
    return taus.reshape(shape)


def kendall_without_each(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of rows (n_rows, n) without each of their entries in turn, (n_rows, n); see `kendall`.

    An entry takes its own pairs with it, so all signs are counted once and none of the rows is sorted again.
    """
    x, y, valid = _pairwise(x, y)
    taus = np.empty(x.shape)
    block = max(1, _PAIRS_AT_ONCE // max(1, x.shape[-1] ** 2))
    for start in range(0, len(x), block):
        rows = slice(start, start + block)
        both = valid[rows, :, None] & valid[rows, None]
        sign_x, sign_y = (np.where(both, np.sign(a[rows, :, None] - a[rows, None]), 0) for a in (x, y))
        counts = np.stack([sign_x * sign_y, sign_x**2, sign_y**2]).sum(axis=-1)
        above, untied_x, untied_y = counts.sum(axis=-1, keepdims=True) / 2 - counts  # a pair is in it twice
        with np.errstate(invalid="ignore", divide="ignore"):
            taus[rows] = above / np.sqrt(untied_x * untied_y)
    return taus


def centred(x: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Deviations (..., n) from the mean of the valid values, 0 elsewhere and where all of these are the same.

    In floating point the mean of equal values may differ from them, so a constant is detected by its range.
    """
    if valid.all() and x.shape[-1]:
        mean, spread = x.mean(axis=-1), x.max(axis=-1) > x.min(axis=-1)
        return np.where(spread[..., None], x - mean[..., None], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(valid, x, 0).sum(axis=-1) / valid.sum(axis=-1)
    spread = np.where(valid, x, -np.inf).max(axis=-1, initial=-np.inf) > np.where(valid, x, np.inf).min(
        axis=-1, initial=np.inf
    )
    return np.where(valid & spread[..., None], x - mean[..., None], 0.0)


COEFFICIENTS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def _system_level(x, y, coefficient):
    valid = ~np.isnan(x) & ~np.isnan(y)
    x, y = system_means(np.where(valid, x, np.nan)), system_means(np.where(valid, y, np.nan))
    return coefficient(x, y), valid.any(axis=-1).sum(axis=-1), x.shape[-1]


def _summary_level(x, y, coefficient):
    by_document = coefficient(np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2))
    defined = ~np.isnan(by_document)
    n_used = defined.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, by_document, 0).sum(axis=-1) / n_used, n_used, by_document.shape[-1]


def _global_level(x, y, coefficient):
    x, y = (a.reshape(*a.shape[:-2], -1) for a in (x, y))
    return coefficient(x, y), (~np.isnan(x) & ~np.isnan(y)).sum(axis=-1), x.shape[-1]


LEVELS = {"system": _system_level, "summary": _summary_level, "global": _global_level}


def correlate(x: np.ndarray, y: np.ndarray, *, level: str, coefficient: str) -> Correlation:
    """Correlations of plain arrays, batched over the leading axes.

    Parameters
    ----------
    x, y : float arrays (..., n_systems, n_documents), broadcast against each other
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    Correlation
        `value` and `n_used` are arrays (...).

    Raises
    ------
    UnknownNameError
        For a level or a coefficient that does not exist.
    DataError
        If an array holds an infinite score, or anything but numbers.

    Examples
    --------
    >>> metric = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]]
    >>> human = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6]]
    >>> round(float(correlate(metric, human, level="system", coefficient="kendall").value), 3)
    0.816
    """
    compute = choose("level", level, LEVELS)
    x, y = np.broadcast_arrays(double("x", x), double("y", y))
    return Correlation(*compute(x, y, choose("coefficient", coefficient, COEFFICIENTS)))


def _pairwise(x, y):
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    return x, y, ~np.isnan(x) & ~np.isnan(y)


def _kendall_long(x, y):
    """One tau in n log n; identical to `scipy.stats.kendalltau`, which takes a second to import."""
    if len(x) < 2:
        return np.nan
    order = np.argsort(x, kind="stable")
    (group_x, size_x), (group_y, size_y) = (
        np.unique(a[order], return_inverse=True, return_counts=True)[1:] for a in (x, y)
    )
    untied_x, untied_y = ((len(x) ** 2 - (size**2).sum()) / 2 for size in (size_x, size_y))
    if untied_x == 0 or untied_y == 0:
        return np.nan
    apart = kernels.concordance(group_x, group_y, np.ones(len(x)), np.empty(len(size_y)))
    return min(1.0, max(-1.0, apart / np.sqrt(untied_x) / np.sqrt(untied_y)))
