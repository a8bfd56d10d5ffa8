r"""Does one metric agree with people better than another?

- `williams_test`: Williams' *t* for two correlations that share a variable (Williams 1959, as in Graham and
  Baldwin 2014).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy import stats

from helpers.cells import aligned, require_same_gaps
from helpers.correlation import correlate
from helpers.errors import choose

MIN_OBSERVATIONS = 4  # Williams' t has n - 3 degrees of freedom


@dataclass(frozen=True)
class TestResult:
    """A hypothesis test on the difference of two correlations.

    Attributes
    ----------
    statistic : float
        Positive where the first metric agrees better: a *t* value (`williams_test`) or a difference of
        correlations (tests by resampling). NaN where it does not exist.
    pvalue : float, NaN where the statistic does not exist
    alternative : {"two-sided", "greater", "less"}
        "greater": the first metric's correlation is the greater one.
    n_resamples : int, or None for a test without resampling
    n_undefined : int
        Resamples (without resampling: tests, so 0 or 1) in which the statistic does not exist.
    null_distribution : float array (n_resamples,), or None
        The statistic in each resample, NaN where it does not exist.
    """

    statistic: float
    pvalue: float
    alternative: str
    n_resamples: int | None = None
    n_undefined: int = 0
    null_distribution: np.ndarray | None = None

    __test__ = False  # pytest takes classes called Test... for tests


_TAILS: dict[str, Callable] = {
    "two-sided": lambda t, dof: 2 * stats.t.sf(np.abs(t), dof),
    "greater": stats.t.sf,
    "less": stats.t.cdf,
}


def williams(r_a, r_b, r_ab, n, alternative: str = "two-sided"):
    r"""Williams' test from numbers: are two correlations with the same third variable equal?

    .. math:: t_{n-3} = \frac{(r_a - r_b) \sqrt{(n-1)(1+r_{ab})}}
              {\sqrt{2 K \frac{n-1}{n-3} + \frac{(r_a+r_b)^2}{4} (1-r_{ab})^3}}, \quad
              K = 1 - r_a^2 - r_b^2 - r_{ab}^2 + 2 r_a r_b r_{ab}

    Parameters
    ----------
    r_a, r_b : float or array in [-1, 1]
        Correlation of the first and of the second metric with people, with their signs.
    r_ab : float or array in [-1, 1]
        Correlation of the two metrics.
    n : int or array, at least 4
        Number of observations behind each correlation.
    alternative : {"two-sided", "greater", "less"}
        "greater": `r_a` is the greater one.

    Returns
    -------
    t, pvalue : float arrays
        NaN where a correlation is NaN, where the two metrics are one but for scale, and for three numbers
        that cannot be correlations of three variables (K < 0).

    Notes
    -----
    Williams 1959, Regression Analysis; Graham and Baldwin 2014, Eq. 1. Deviation from nlpstats and the
    scripts of the WMT shared task: signs are kept. With absolute values a metric that ranks systems upside
    down (r = -0.99) "beats" one with r = 0.68.

    Examples
    --------
    >>> t, p = williams(0.9, 0.5, 0.4, 25)
    >>> round(float(t), 4), round(float(p), 5)
    (3.6154, 0.00153)
    """
    tail = choose("alternative", alternative, _TAILS)
    r_a, r_b, r_ab, n = np.broadcast_arrays(
        *(np.asarray(value, dtype=float) for value in (r_a, r_b, r_ab, n))
    )
    if (n < MIN_OBSERVATIONS).any():
        raise ValueError(f"Williams' test needs at least {MIN_OBSERVATIONS} observations, got {n.min():g}")
    for name, r in (("r_a", r_a), ("r_b", r_b), ("r_ab", r_ab)):
        if (np.abs(r) > 1).any():
            raise ValueError(f"`{name}` must be in [-1, 1], got {r[np.abs(r) > 1].flat[0]:g}")
    k = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    k = np.where(k > -1e-9, np.maximum(k, 0), np.nan)
    below = 2 * k * (n - 1) / (n - 3) + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (r_a - r_b) * np.sqrt((n - 1) * (1 + r_ab)) / np.sqrt(below)
    t = np.where(below > 1e-15, t, np.nan)
    return t, tail(t, n - 3)


def williams_test(
    metric_a: xr.DataArray,
    metric_b: xr.DataArray,
    human: xr.DataArray,
    *,
    level: str = "system",
    coefficient: str = "pearson",
    alternative: str = "two-sided",
) -> TestResult:
    """Williams' test of whether two metrics agree with people equally well.

    Parameters
    ----------
    metric_a, metric_b : DataArrays, dims (system, document)
        Higher is better. Aligned by id. Both must lack the same of the judged summaries.
    human : DataArray, dims (system, document)
    level : {"system", "summary", "global"}
        The test knows of one correlation over *n* observations. At summary level, where a correlation is a
        mean over documents, *n* is taken to be the largest number of systems that a document has; the test
        was not made for this (Deutsch et al. 2021, §4.1).
    coefficient : {"pearson", "spearman", "kendall"}
    alternative : {"two-sided", "greater", "less"}
        "greater": `metric_a` agrees better.

    Returns
    -------
    TestResult
        `statistic` is *t*. NaN, and `n_undefined` 1, where a metric is constant or the two are one but for
        scale.

    Raises
    ------
    DataError
        If ids or missing summaries differ, or there are fewer than four systems.

    Notes
    -----
    See `williams` for the formula, sources and deviations.

    Examples
    --------
    >>> import xarray as xr
    >>> labels = {"system": list("abcde"), "document": ["1"]}
    >>> people = xr.DataArray([[1.0], [2.0], [3.0], [4.0], [5.0]], labels)
    >>> good = xr.DataArray([[1.0], [2.0], [3.5], [3.0], [5.0]], labels)
    >>> poor = xr.DataArray([[2.0], [1.0], [1.0], [5.0], [2.0]], labels)
    >>> round(williams_test(good, poor, people, alternative="greater").pvalue, 3)
    0.108
    """
    choose("alternative", alternative, _TAILS)
    x, y, z = aligned(min_systems=MIN_OBSERVATIONS, metric_a=metric_a, metric_b=metric_b, human=human)
    require_same_gaps(x, y, z)
    z = np.where(np.isnan(x), np.nan, z)
    x, y = (np.where(np.isnan(z), np.nan, scores) for scores in (x, y))
    pairs = correlate(np.stack([x, y, x]), np.stack([z, z, y]), level=level, coefficient=coefficient)[0]
    n = _N_OBSERVATIONS[level](~np.isnan(z))
    if n < MIN_OBSERVATIONS:
        return TestResult(np.nan, np.nan, alternative, n_undefined=1)
    t, pvalue = williams(*pairs, n, alternative)
    return TestResult(float(t), float(pvalue), alternative, n_undefined=int(np.isnan(pvalue)))


_N_OBSERVATIONS: dict[str, Callable[[np.ndarray], int]] = {
    "system": lambda present: int(present.any(axis=1).sum()),
    "summary": lambda present: int(present.sum(axis=0).max(initial=0)),
    "global": lambda present: int(present.sum()),
}
