r"""How sure is a correlation, and does one metric agree with people better than another?

- Intervals: `bootstrap_interval` (Boot-Systems, -Inputs, -Both) and `fisher_interval`.
- Tests on the difference of two correlations: `permutation_test` (Perm-Systems, -Inputs, -Both),
  `paired_bootstrap_test` and `williams_test`.

All of them leave out summaries that lack a score from a metric or from people. A resample in which a
correlation does not exist is counted and left out; a p-value by resampling is (count + 1) / (B + 1) over the
*B* resamples that count.

Sources: Deutsch, Dror and Roth 2021, §3 and §4; Williams 1959, as in Graham and Baldwin 2014.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy import stats

from helpers.benchmark import CELL
from helpers.errors import choose
from helpers.stats.cells import aligned, require_same_gaps
from helpers.stats.correlation import COEFFICIENTS, correlate, system_means
from helpers.stats.resampling import RESAMPLE, bootstrap_distribution, permutation_distribution

MIN_OBSERVATIONS = 4  # Williams' t has n - 3 degrees of freedom


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a correlation.

    Attributes
    ----------
    estimate : float
        The correlation on the data as they are.
    low, high : float, NaN where the interval does not exist
    confidence_level : float
    method : str
        "Fisher", "Boot-Systems", "Boot-Inputs" or "Boot-Both".
    n_resamples : int, or None for an interval without resampling
    n_undefined : int
        Resamples (without resampling: intervals, so 0 or 1) in which the correlation does not exist.
    distribution : float array (n_resamples,), or None
        The correlation in each resample, NaN where it does not exist.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    n_resamples: int | None = None
    n_undefined: int = 0
    distribution: np.ndarray | None = None


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
    n = n_observations(x, z, level)
    if n < MIN_OBSERVATIONS:
        return TestResult(np.nan, np.nan, alternative, n_undefined=1)
    t, pvalue = williams(*pairs, n, alternative)
    return TestResult(float(t), float(pvalue), alternative, n_undefined=int(np.isnan(pvalue)))


_N_OBSERVATIONS: dict[str, Callable[[np.ndarray], int]] = {
    "system": lambda present: int(present.any(axis=1).sum()),
    "summary": lambda present: int(present.sum(axis=0).max(initial=0)),
    "global": lambda present: int(present.sum()),
}


# -------------------------------------------------------------------------------------------------- intervals


def bootstrap_interval(
    metric: xr.DataArray,
    human: xr.DataArray,
    *,
    level: str,
    coefficient: str,
    resample: str = "both",
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    paired: bool = True,
    rng,
    n_threads: int | None = None,
) -> Interval:
    """Percentile bootstrap interval of a metric's correlation with people.

    Parameters
    ----------
    metric, human : DataArrays, dims (system, document)
        Higher is better. Aligned by id.
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}
    resample : {"both", "systems", "inputs"}
        What varies: the interval speaks for systems and documents like these, for these documents only, or
        for these systems only.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    paired : bool
        False: metric and people may cover different documents, which are then drawn apart; system level only.
    rng : seed or numpy Generator
    n_threads : int, by default one a processor; does not change the result

    Returns
    -------
    Interval

    Raises
    ------
    DataError
        If ids differ or there are fewer than three systems.
    ValueError
        If a choice does not exist or a number is out of range.

    Notes
    -----
    Deutsch et al. 2021, §3.2, Algorithm 1; unpaired documents: Deutsch et al. 2022, §3.

    Examples
    --------
    >>> import xarray as xr
    >>> labels = {"system": list("abcd"), "document": ["1", "2"]}
    >>> people = xr.DataArray([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0]], labels)
    >>> metric = xr.DataArray([[0.1, 0.2], [0.3, 0.3], [0.2, 0.6], [0.5, 0.6]], labels)
    >>> found = bootstrap_interval(metric, people, level="system", coefficient="pearson", rng=0)
    >>> found.low < found.estimate < found.high
    True
    """
    rng = np.random.default_rng(rng)
    _check_confidence(confidence_level)
    x, z = aligned(shared=CELL if paired else ("system",), metric=metric, human=human)
    distribution = bootstrap_distribution(
        x, z, level=level, coefficient=coefficient, resample=resample, n_resamples=n_resamples,
        paired=paired, rng=rng, n_threads=n_threads,
    )  # fmt: skip
    estimate = float(observed(x, z, level=level, coefficient=coefficient, paired=paired))
    low, high = percentile_bounds(distribution, confidence_level)
    n_undefined = int(np.isnan(distribution).sum())
    return Interval(
        estimate, float(low), float(high), confidence_level, f"Boot-{resample.title()}",
        n_resamples, n_undefined, distribution,
    )  # fmt: skip


def observed(x: np.ndarray, z: np.ndarray, *, level: str, coefficient: str, paired: bool = True):
    """The correlation of arrays (..., n_systems, n_documents); unpaired ones may have other documents."""
    if paired:
        return correlate(x, z, level=level, coefficient=coefficient)[0]
    return choose("coefficient", coefficient, COEFFICIENTS)(system_means(x), system_means(z))


def percentile_bounds(distribution: np.ndarray, confidence_level: float) -> np.ndarray:
    """Percentiles (2, ...) of distributions (..., n_resamples) over the draws that exist."""
    tail = (1 - confidence_level) / 2
    undefined = np.isnan(distribution)
    if not undefined.any():
        return np.quantile(distribution, [tail, 1 - tail], axis=-1)
    flat = distribution.reshape(-1, distribution.shape[-1])
    bounds = np.full((2, len(flat)), np.nan)
    for i, (values, gone) in enumerate(zip(flat, np.isnan(flat), strict=True)):
        if not gone.all():
            bounds[:, i] = np.quantile(values[~gone], [tail, 1 - tail])
    return bounds.reshape(2, *distribution.shape[:-1])


# b and c of each coefficient: Bonett and Wright 2000, as in footnote 4 of Deutsch et al. 2021
_FISHER: dict[str, Callable] = {
    "pearson": lambda r: (3, 1.0),
    "spearman": lambda r: (3, np.sqrt(1 + r**2 / 2)),
    "kendall": lambda r: (4, np.sqrt(0.437)),
}


def fisher_bounds(r, n, *, coefficient: str, confidence_level: float) -> np.ndarray:
    """Fisher's interval (2, ...) of correlations `r` of `n` observations; NaN where n is too small."""
    _check_confidence(confidence_level)
    r, n = np.broadcast_arrays(np.asarray(r, dtype=float), np.asarray(n, dtype=float))
    b, c = choose("coefficient", coefficient, _FISHER)(r)
    half = stats.norm.isf((1 - confidence_level) / 2) * c / np.sqrt(np.where(n > b, n - b, np.nan))
    with np.errstate(divide="ignore"):
        return np.tanh(np.arctanh(r) + np.stack([-half, half]))


def fisher_interval(
    metric: xr.DataArray,
    human: xr.DataArray,
    *,
    level: str,
    coefficient: str,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval of a correlation by Fisher's transformation, which supposes normally distributed scores.

    Parameters
    ----------
    metric, human, level, coefficient, confidence_level : see `bootstrap_interval`
        At summary level the mean correlation is treated as one correlation over as many systems as the
        document with the most has. The transformation was not made for this (Deutsch et al. 2021, §3.1).

    Returns
    -------
    Interval
        NaN bounds with 3 or fewer observations (Kendall: 4).
    """
    _check_confidence(confidence_level)
    x, z = aligned(metric=metric, human=human)
    estimate = float(observed(x, z, level=level, coefficient=coefficient))
    n = n_observations(x, z, level)
    low, high = fisher_bounds(estimate, n, coefficient=coefficient, confidence_level=confidence_level)
    return Interval(
        estimate, float(low), float(high), confidence_level, "Fisher", n_undefined=int(np.isnan(low))
    )


def n_observations(x: np.ndarray, z: np.ndarray, level: str) -> int:
    """Number of observations behind a correlation, where a formula needs one: see `fisher_interval`."""
    return choose("level", level, _N_OBSERVATIONS)(~np.isnan(x) & ~np.isnan(z))


def share_wrongly_ranked(tau):
    """Share of the pairs of systems that a metric ranks against people, where nothing ties: (1 - tau) / 2."""
    return (1 - np.asarray(tau, dtype=float)) / 2


def _check_confidence(confidence_level):
    if not 0 < confidence_level < 1:
        hint = f"; did you mean {confidence_level / 100:g}?" if 1 < confidence_level < 100 else ""
        raise ValueError(f"`confidence_level` must be in (0, 1), got {confidence_level}{hint}")


# ---------------------------------------------------------------------------------------- tests by resampling


def permutation_test(
    metric_a: xr.DataArray,
    metric_b: xr.DataArray,
    human: xr.DataArray,
    *,
    level: str,
    coefficient: str,
    permute: str = "both",
    alternative: str = "two-sided",
    n_resamples: int = 9_999,
    rng,
    n_threads: int | None = None,
) -> TestResult:
    """Permutation test of whether two metrics agree with people equally well.

    Parameters
    ----------
    metric_a, metric_b, human : DataArrays, dims (system, document)
        Higher is better. Aligned by id. The metrics must lack the same of the judged summaries; both are
        standardised.
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}
    permute : {"both", "systems", "inputs", "systems-and-inputs"}
        What changes places with probability 1/2: each summary's scores, all of a system's, all of a
        document's; or whole systems and then whole documents.
    alternative : {"two-sided", "greater", "less"}
        "greater": `metric_a` agrees better.
    n_resamples : int, at least 1
    rng : seed or numpy Generator
    n_threads : int, by default one a processor; does not change the result

    Returns
    -------
    TestResult

    Raises
    ------
    DataError
        If ids or missing summaries differ, or there are fewer than three systems.

    Notes
    -----
    Deutsch et al. 2021, §4.2, Algorithm 2. Deviations: p is (c + 1) / (k + 1), not c / k, and a resample that
    equals the observed difference (to 1e-9) counts, as in a valid test it must; the algorithm prints ``>``.
    nlpstats calls ``"systems-and-inputs"`` *both*.
    """
    rng = np.random.default_rng(rng)
    choose("alternative", alternative, _TAILS)
    x, y, z = aligned(metric_a=metric_a, metric_b=metric_b, human=human)
    require_same_gaps(x, y, z)
    null = permutation_distribution(
        np.stack([x, y]), z, pairs=[[0, 1]], level=level, coefficient=coefficient, permute=permute,
        n_resamples=n_resamples, rng=rng, n_threads=n_threads,
    )[0]  # fmt: skip
    difference = _difference(x, y, z, level, coefficient)
    return _by_resampling(difference, null, alternative)


def paired_bootstrap_test(
    metric_a: xr.DataArray,
    metric_b: xr.DataArray,
    human: xr.DataArray,
    *,
    level: str,
    coefficient: str,
    resample: str = "both",
    alternative: str = "two-sided",
    n_resamples: int = 9_999,
    rng,
    n_threads: int | None = None,
) -> TestResult:
    """Paired bootstrap test of whether two metrics agree with people equally well.

    The difference of the correlations is computed in bootstrap samples of the three matrices; moved to mean
    what "no difference" means, these differences stand for the null distribution.

    Parameters
    ----------
    metric_a, metric_b, human, level, coefficient, alternative, n_resamples, rng, n_threads :
        see `permutation_test`
    resample : {"both", "systems", "inputs"}

    Returns
    -------
    TestResult
        `null_distribution` holds the resampled differences less the observed one.

    Notes
    -----
    Deutsch et al. 2021, §4.2, leave the details out; this is the test of Efron and Tibshirani 1993, §16.4, in
    the form usual in the field, which asks how often a resampled difference is at least twice the observed
    one.
    """
    rng = np.random.default_rng(rng)
    choose("alternative", alternative, _TAILS)
    choose("resample", resample, dict.fromkeys(RESAMPLE))
    x, y, z = aligned(metric_a=metric_a, metric_b=metric_b, human=human)
    require_same_gaps(x, y, z)
    first, second = bootstrap_distribution(
        np.stack([x, y]), z, level=level, coefficient=coefficient, resample=resample,
        n_resamples=n_resamples, rng=rng, n_threads=n_threads,
    )  # fmt: skip
    difference = _difference(x, y, z, level, coefficient)
    return _by_resampling(difference, first - second - difference, alternative)


def _difference(x, y, z, level, coefficient) -> float:
    first, second = observed(np.stack([x, y]), z, level=level, coefficient=coefficient)
    return float(first - second)


def _by_resampling(difference, null, alternative) -> TestResult:
    pvalue = float(resampling_pvalue(difference, null, alternative))
    return TestResult(difference, pvalue, alternative, len(null), int(np.isnan(null).sum()), null)


_EXTREME: dict[str, Callable] = {
    "two-sided": lambda null, seen: np.abs(null) >= np.abs(seen) - _TIE,
    "greater": lambda null, seen: null >= seen - _TIE,
    "less": lambda null, seen: null <= seen + _TIE,
}
_TIE = 1e-9  # differences of correlations closer than this are equal but for rounding


def resampling_pvalue(difference, null: np.ndarray, alternative: str) -> np.ndarray:
    """(count + 1) / (B + 1) for differences (...) and null distributions (..., B).

    Resamples that do not exist (NaN) count in neither; an observed difference that does not exist, or a null
    distribution without any value, gives NaN.
    """
    difference = np.asarray(difference, dtype=float)
    defined = (~np.isnan(null)).sum(axis=-1)
    count = choose("alternative", alternative, _EXTREME)(null, difference[..., None]).sum(axis=-1)
    return np.where(np.isnan(difference) | (defined == 0), np.nan, (count + 1) / (defined + 1))
