r"""stats.runs: a judge that is asked again: variance over runs, flips, and what one run costs.

Run *r* of a judge on item *i* is :math:`x_{ir} = \mu + a_i + e_{ir}`. The share of the variance of one run
that lies between items is its reliability :math:`\rho = \sigma_a^2 / (\sigma_a^2 + \sigma_e^2)`, the
intraclass correlation ICC(1,1); that of the mean of *k* runs is Spearman and Brown's
(`metaeval.stats.reliability.spearman_brown`). Noise of runs lowers a correlation with people by the root of
the reliability (Spearman 1904). Runs are arrays (n_runs, n_items), NaN where missing, in any order within an
item.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import scipy

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_share
from metaeval.stats.agreement import agreement
from metaeval.stats.reliability import spearman_brown
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import CONCENTRATION_FLOOR, COUNT_TIE, double

MAX_RUNS = 99  # that are tried for a stable majority
_N_QUANTILES, _N_ITEMS = 20_000, 200_000  # of two labels' chances; drawn of several labels'
# coefficient -> its value for Pearson's r of a normal distribution, and back (Kendall and Gibbons 1990)
NORMAL_COEFFICIENTS = {
    "pearson": (lambda r: r, lambda value: value),
    "spearman": (lambda r: 6 / np.pi * np.arcsin(r / 2), lambda value: 2 * np.sin(np.pi * value / 6)),
    "kendall": (lambda r: 2 / np.pi * np.arcsin(r), lambda value: np.sin(np.pi * value / 2)),
}


def _checked(runs) -> np.ndarray:
    runs = double("runs", runs)
    if runs.ndim != 2 or len(runs) < 2:
        raise DataError(f"`runs` must be (n_runs, n_items) of two runs or more, got shape {runs.shape}")
    return runs


def run_variances(runs: np.ndarray) -> tuple[float, float]:
    """Variance of one run about its item's expected score, and variance of the expected scores between items.

    Parameters
    ----------
    runs : float array (n_runs, n_items), NaN where missing

    Returns
    -------
    within, between : float
        Squares of the scores' unit; NaN without an item of two runs, `between` also without a second item.

    Raises
    ------
    DataError
        If there are fewer than two runs.

    Notes
    -----
    Mean squares of one random effect with unequal numbers (Searle, Casella and McCulloch 1992, §3.6);
    `between` is at least 0.

    Examples
    --------
    >>> run_variances(np.array([[1.0, 3.0, 5.0], [2.0, 3.0, 7.0]]))
    (0.8333333333333334, 4.833333333333333)
    """
    runs = _checked(runs)
    present = ~np.isnan(runs)
    n = present.sum(axis=0)
    runs, present, n = runs[:, n > 0], present[:, n > 0], n[n > 0]
    total, n_items = n.sum(), len(n)
    if total == n_items:
        return np.nan, np.nan
    filled = np.where(present, runs, 0.0)
    means = filled.sum(axis=0) / n
    within = np.where(present, (filled - means) ** 2, 0.0).sum() / (total - n_items)
    if n_items < 2:
        return float(within), np.nan
    square = (n * (means - filled.sum() / total) ** 2).sum() / (n_items - 1)
    size = (total - (n**2).sum() / total) / (n_items - 1)
    return float(within), float(max((square - within) / size, 0.0))


def run_reliability(runs: np.ndarray) -> float:
    """Reliability of one run: share of its variance that lies between items; NaN where nothing varies.

    Examples
    --------
    >>> round(run_reliability(np.array([[1.0, 3.0, 5.0], [2.0, 3.0, 7.0]])), 3)
    0.853
    """
    within, between = run_variances(runs)
    return between / (between + within) if between + within > 0 else np.nan


def flip_shares(runs: np.ndarray) -> np.ndarray:
    """Share of the pairs of runs of each item that differ, (n_items,); NaN with fewer than two runs.

    Parameters
    ----------
    runs : float array (n_runs, n_items), NaN where missing
        Labels, as numbers.

    Notes
    -----
    Of their mean `metaeval.stats.bias.clustered_share` is the interval: in 36 settings of 1,000 simulated
    studies (30 to 150 items, 2 to 5 runs, chances of a beta distribution) 95 % ones cover 94 to 99 %.

    Examples
    --------
    >>> flip_shares(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])).round(2).tolist()
    [0.0, 0.67]
    """
    runs = _checked(runs)
    n = (~np.isnan(runs)).sum(axis=0)
    labels = np.unique(runs[~np.isnan(runs)])
    alike = sum(((runs == label).sum(axis=0) ** 2 for label in labels), np.zeros(runs.shape[1])) - n
    return np.where(n > 1, 1 - alike / np.where(n > 1, n * (n - 1), 1), np.nan)


def correlation_of_runs(
    correlation, n_runs, times, reliability, *, coefficient: str = "pearson"
) -> np.ndarray:
    r"""Expected correlation with people of the mean of other numbers of runs.

    .. math:: r_k = r_n \sqrt{\rho_k / \rho_n}

    Parameters
    ----------
    correlation : float or array
        Of the mean of `n_runs` runs.
    n_runs, times : int or array, above 0
        Runs behind it, and those to come; infinite for very many.
    reliability : float or array in [0, 1]
        Of one run, of what is correlated: of items, or of systems' means.
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    float array
        NaN where the reliability is not above 0, or noisy estimates put Pearson's r beyond 1.

    Notes
    -----
    Attenuation is of Pearson's r. Others are turned into the r of a normal distribution and back, which is
    rough with few systems, or with ties.

    Examples
    --------
    >>> [round(float(correlation_of_runs(0.6, 1, k, 0.5)), 3) for k in (1, 3, np.inf)]
    [0.6, 0.735, 0.849]
    """
    forth, back = choose("coefficient", coefficient, NORMAL_COEFFICIENTS)
    reliability, times = np.asarray(reliability, dtype=float), np.asarray(times, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        many = np.where(
            np.isinf(times), 1.0, spearman_brown(reliability, np.where(np.isinf(times), 1.0, times))
        )
        ratio = np.where(reliability > 0, many / spearman_brown(reliability, n_runs), np.nan)
        r = back(np.asarray(correlation, dtype=float)) * np.sqrt(ratio)
        return forth(np.where(abs(r) > 1 + COUNT_TIE, np.nan, np.clip(r, -1, 1)))


def needed_runs(reliability: float, target: float = 0.9) -> float:
    """Number of runs whose mean reaches a reliability; infinite where one has none.

    Examples
    --------
    >>> [needed_runs(one, 0.9) for one in (0.95, 0.75, 0.5)]
    [1.0, 3.0, 9.0]
    """
    check_share("target", target)
    if not reliability > 0:
        return np.nan if np.isnan(reliability) else np.inf
    return float(max(np.ceil(target * (1 - reliability) / (reliability * (1 - target)) - COUNT_TIE), 1.0))


def stable_majority(runs: np.ndarray, *, target: float = 0.95, rng: RNGLike = None) -> float:
    """Smallest odd number of runs whose majority is that of very many runs on a share of items.

    Parameters
    ----------
    runs : float array (n_runs, n_items), NaN where missing
        Labels, as numbers.
    target : float in (0, 1)
        Share of the items.
    rng : seed, Generator or None
        For several labels, of which many items are drawn.

    Returns
    -------
    float
        Infinite if more than `MAX_RUNS`; NaN where labels of one item are no more alike than of several, or
        none is repeated.

    Notes
    -----
    Each item has its own probabilities of the labels, from a Dirichlet distribution whose mean is the use of
    the labels and whose spread gives Fleiss' kappa of runs (of two labels: beta-binomial, Skellam 1948). A
    tie of several labels is no majority.

    Examples
    --------
    >>> stable_majority(np.array([[1, 1, 0, 0, 1, 0] * 9, [1, 1, 0, 0, 1, 0] * 9]), rng=0)
    1.0
    """
    check_share("target", target)
    runs = _checked(runs)
    labels, uses = np.unique(runs[~np.isnan(runs)], return_counts=True)
    if np.isnan(shares := flip_shares(runs)).all() or np.nanmax(shares) == 0:
        return np.nan if np.isnan(shares).all() else 1.0
    alike = agreement(runs, coefficient="fleiss", categories=labels)
    if not alike > 0:
        return np.nan
    spread = np.maximum(uses / uses.sum() * (1 / alike - 1), CONCENTRATION_FLOOR)
    generator = stream(seed_of(rng), "majority")
    if len(labels) == 2:
        chances = scipy.stats.beta.ppf((np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES, *spread)
        chances = np.maximum(chances, 1 - chances)
    else:
        chances = np.sort(generator.dirichlet(spread, size=_N_ITEMS))[:, ::-1]

    def share(n_runs: int) -> float:
        if len(labels) == 2:
            return scipy.stats.binom.sf(n_runs // 2, n_runs, chances).mean()
        votes = generator.multinomial(n_runs, chances)
        return (votes[:, 0] > votes[:, 1:].max(axis=1)).mean()

    numbers = range(1, MAX_RUNS + 1, 2)
    place = bisect_left(numbers, target, key=share)
    return float(numbers[place]) if place < len(numbers) else np.inf
