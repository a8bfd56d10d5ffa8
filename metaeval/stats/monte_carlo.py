"""stats.monte_carlo: trials of simulations in threads, and standard errors of estimates from draws or trials.

Arrays in, arrays out. Called wherever a table carries the Monte-Carlo error of its own values (`mc_error`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.special import betainccinv, betaincinv  # `scipy.stats` takes a second to import

from metaeval.core.limits import check_confidence_level, check_count

_MAX_TRIALS = 1_000_000  # each a separate simulation; the error of a share is then at most 0.0005


def n_processors() -> int:
    """Number of processors that this process may use: the default number of threads."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def map_threads(function: Callable, items: Iterable, *, n_threads: int | None = None) -> list:
    """Apply a function to each item, in parallel threads.

    Parameters
    ----------
    function : callable
        For trials, with a random stream for each item, so that the number of threads does not matter.
    items : iterable
    n_threads : int, at least 1; by default one per processor

    Returns
    -------
    list, in the order of `items`

    Raises
    ------
    ValueError
        If `n_threads` is not a whole number of at least 1.
    """
    n_threads = n_processors() if n_threads is None else n_threads
    check_count("n_threads", n_threads)
    if n_threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))


def check_trials(n_trials: int) -> None:
    """Require a feasible number of trials of a simulation."""
    check_count("n_trials", n_trials, maximum=_MAX_TRIALS)


def share_error(share, n) -> np.ndarray:
    """Binomial standard error of a share of `n` trials; NaN without a trial.

    Parameters
    ----------
    share : float array (...), in [0, 1]
    n : int array (...)
        Trials that count.
    """
    share, n = np.asarray(share, dtype=float), np.asarray(n, dtype=float)
    return np.sqrt(share * (1 - share) / np.where(n > 0, n, np.nan))


def share_interval(share, n, *, confidence_level: float) -> np.ndarray:
    """Clopper and Pearson's interval (2, ...) of shares of `n` trials; it has a length at 0 and 1 too.

    Parameters
    ----------
    share : float array (...), in [0, 1]
    n : int array (...), at least 1
        Trials that count.
    confidence_level : float in (0, 1)
        At least this share of such intervals contains the probability.

    Examples
    --------
    >>> share_interval(0.0, 1000, confidence_level=0.95).round(4).tolist()
    [0.0, 0.0037]
    """
    check_confidence_level(confidence_level)
    share, n = np.broadcast_arrays(np.asarray(share, dtype=float), np.asarray(n, dtype=float))
    count, tail = share * n, (1 - confidence_level) / 2
    low = np.where(share == 0, 0.0, betaincinv(count, n - count + 1, tail))
    high = np.where(share == 1, 1.0, betainccinv(count + 1, n - count, tail))
    return np.stack([low, high])


def mean_error(values: np.ndarray) -> np.ndarray:
    """Standard error of the mean along the last axis, over the defined values.

    Parameters
    ----------
    values : float array (..., n); NaN is left out

    Returns
    -------
    float array (...)
        NaN with fewer than two values.
    """
    squares, n = squared_deviations(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(squares / (n - 1) / n)


def squared_deviations(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squared deviations from the mean, summed along the last axis, and the number of defined values."""
    present = ~np.isnan(values)
    n = present.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(present, values, 0.0).sum(axis=-1) / n
        return (np.where(present, values - mean[..., None], 0.0) ** 2).sum(axis=-1), n


def quantile_error(distribution: np.ndarray, q: float) -> np.ndarray:
    """Standard error of a sample quantile: half the distance of the quantiles one binomial error to either
    side.

    Parameters
    ----------
    distribution : float array (..., n_draws); NaN is left out
    q : float in [0, 1]

    Returns
    -------
    float array (...)
        NaN where no draw exists.
    """
    flat = distribution.reshape(-1, distribution.shape[-1])
    n = (~np.isnan(flat)).sum(axis=-1)
    errors = np.full(len(flat), np.nan)
    for i, values in enumerate(flat):
        if n[i]:
            step = np.sqrt(q * (1 - q) / n[i])
            below, above = np.nanquantile(values, [max(0, q - step), min(1, q + step)])
            errors[i] = (above - below) / 2
    return errors.reshape(distribution.shape[:-1])[()]  # a number for a single distribution
