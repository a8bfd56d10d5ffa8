"""stats.differences: tests of whether one metric agrees with people better than another, and tiers from them.

Plain arrays in, a `Comparison` out; independent of data sets and tables. Called by `api` and `experiments`.
Deutsch, Dror and Roth 2021, §4 (Perm-*, Boot-*); Williams 1959, as in Graham and Baldwin 2014; Dror et al.
2017 (corrections for many tests).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha
from metaeval.stats.correlation import correlate
from metaeval.stats.draws import blocks
from metaeval.stats.intervals import check_shapes, n_observations, resolve_name
from metaeval.stats.resampling import (
    bootstrap_distribution,
    check_draws,
    check_pairs,
    group_by_gaps,
    permutation_distribution,
)
from metaeval.stats.streams import RNGLike, seed_of, signature, stream
from metaeval.stats.ties import DETERMINANT_TIE, DIFFERENCE_TIE, SCORE_TIE, double

MIN_OBSERVATIONS = 4  # Williams' t has n - 3 degrees of freedom


@dataclass(frozen=True, eq=False)
class Comparison:
    """Hypothesis tests on the difference of two metrics' correlations with people.

    Every number is an array over the pairs of metrics that were tested together, or a plain number for a
    single pair.

    Attributes
    ----------
    difference : float
        Correlation of the first metric minus that of the second, on the observed data; NaN where either does
        not exist.
    statistic : float
        The test statistic: the difference, or Williams' *t*. Positive where the first metric agrees better.
    pvalue : float, NaN where the statistic does not exist
    n_used, n_total : int
        Summaries that both metrics and people score, of all. Both metrics are compared on these.
    n_undefined : int
        Resamples (without resampling: tests, so 0 or 1) in which the statistic does not exist.
    n_resamples : int, 0 without resampling
    alternative : {"two-sided", "greater", "less"}
        "greater": the first metric's correlation is the greater one.
    level, coefficient, method : settings of the test
    signature : str
        All that is needed to reproduce the numbers, in one line.
    null : float array (..., n_resamples), or None without resampling
        The difference in each resample under the hypothesis of no difference, NaN where it does not exist.
        Not printed.
    """

    difference: np.ndarray | float
    statistic: np.ndarray | float
    pvalue: np.ndarray | float
    n_used: np.ndarray | int
    n_total: int
    n_undefined: np.ndarray | int
    n_resamples: int
    alternative: str
    level: str
    coefficient: str
    method: str
    signature: str
    null: np.ndarray | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Tiers:
    """Tiers and ranks of *k* candidates; int arrays (k,), counted from 1, the best.

    Attributes
    ----------
    tier : candidates of the same tier do not differ significantly
    best_rank, worst_rank : ends of the interval of the rank
        All intervals jointly contain the true ranks with probability 1 - alpha.
    """

    tier: np.ndarray
    best_rank: np.ndarray
    worst_rank: np.ndarray


def compare(metric_a: np.ndarray, metric_b: np.ndarray, human: np.ndarray, **settings: Any) -> Comparison:
    """Test whether two metrics agree with people equally well.

    Parameters
    ----------
    metric_a, metric_b, human : arrays (n_systems, n_documents)
        Higher is better, NaN where missing. The metrics are compared on the summaries that both of them and
        people score, which the result counts.
    **settings : see `compare_pairs`

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        If there are fewer than three systems (Williams' test: four), shapes differ, or a score is infinite.
    ValueError
        If a choice does not exist or a number is out of range.

    Examples
    --------
    >>> people = [[1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> good, poor = [[1.0], [2.0], [3.5], [3.0], [5.0]], [[2.0], [1.0], [1.0], [5.0], [2.0]]
    >>> test = compare(good, poor, people, coefficient="pearson", method="Williams", alternative="greater")
    >>> round(test.pvalue, 3)
    0.108
    """
    metric_a, metric_b = double("metric_a", metric_a), double("metric_b", metric_b)
    check_shapes(metric_a=metric_a, metric_b=metric_b)
    pair = vars(compare_pairs(np.stack([metric_a, metric_b]), human, [[0, 1]], **settings))
    alone = {name: value[0] for name, value in pair.items() if isinstance(value, np.ndarray)}
    null = alone.pop("null", None)
    return Comparison(**pair | {name: value.item() for name, value in alone.items()} | {"null": null})


def compare_pairs(
    scores: np.ndarray,
    human: np.ndarray,
    pairs: np.ndarray,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Perm-Both",
    alternative: str = "two-sided",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> Comparison:
    """Test for many pairs of metrics at once whether they agree with people equally well.

    Parameters
    ----------
    scores : array (n_metrics, n_systems, n_documents)
        Higher is better, NaN where missing.
    human : array (n_systems, n_documents)
    pairs : int array (n_pairs, 2)
        Which metrics are compared, the first with the second. Each pair is compared on the summaries that
        both of its metrics and people score, whatever the other pairs are. All pairs see the same draws.
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}
    method : of `TESTS`, in any case
        ``Perm-*`` swap the two metrics' standardised scores with probability 1/2: of each summary
        (``Perm-Both``), of whole systems, of whole documents (``Perm-Inputs``), or of whole systems and
        then whole documents. ``Boot-*`` draw systems, documents or both again, for both metrics alike.
        ``Williams`` assumes normally distributed scores; at summary level, for which it was not designed, the
        number of observations is the largest number of systems that any document has.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first metric agrees better.
    n_resamples : int, at least 1
    rng : seed, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    Comparison
        Arrays over the pairs.

    Raises
    ------
    DataError, ValueError
        See `compare`.

    Notes
    -----
    Deutsch et al. 2021, §4.2, Algorithm 2. Deviations: p is (c + 1) / (k + 1), not c / k, and a resample
    that equals the observed difference counts, as it must in a valid test; the algorithm prints ``>``.
    nlpstats calls ``Perm-Systems-and-Inputs`` *both*. The paper omits the details of its bootstrap test; this
    is the test of Efron and Tibshirani 1993, §16.4, in the form usual in the field: the resampled differences
    minus the observed one stand for the null distribution.
    """
    method = resolve_name(method, TESTS, "test")
    choose("alternative", alternative, _EXTREME)
    scores, human = double("scores", scores), double("human", human)
    check_shapes(scores=scores, human=human)
    pairs = check_pairs(pairs, len(scores))
    if method == "Williams" and len(human) < MIN_OBSERVATIONS:
        raise DataError(f"Williams' test needs at least {MIN_OBSERVATIONS} systems, got {len(human)}")
    test, units = TESTS[method]
    seed = seed_of(rng)
    kind = {"level": level, "coefficient": coefficient}
    draws = {"n_resamples": n_resamples, "rng": seed, "n_threads": n_threads}
    difference, statistic, pvalue = (np.full(len(pairs), np.nan) for _ in range(3))
    n_used, n_undefined = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
    if units is not None:
        check_draws(n_resamples)
    null = None if units is None else np.empty((len(pairs), n_resamples))
    for present, members in group_by_gaps(~np.isnan(scores) & ~np.isnan(human), pairs):
        metrics = np.unique(pairs[members])
        x, z = np.where(present, scores[metrics], np.nan), np.where(present, human, np.nan)
        chosen = np.searchsorted(metrics, pairs[members])
        value = correlate(x, z, **kind)[0]
        difference[members] = value[chosen[:, 0]] - value[chosen[:, 1]]
        n_used[members] = present.sum()
        if units is None:
            statistic[members], pvalue[members] = test(x, z, chosen, value, alternative, **kind)
            n_undefined[members] = np.isnan(pvalue[members])
        else:
            drawn = test(x, z, chosen, difference[members], units, **kind, **draws)
            # two identical metrics differ by rounding errors in every draw
            drawn[np.fmax.reduce(np.abs(drawn), axis=-1) <= DIFFERENCE_TIE] *= 0
            null[members] = drawn
            statistic[members] = difference[members]
            pvalue[members] = resampling_pvalue(difference[members], null[members], alternative)
            n_undefined[members] = np.isnan(null[members]).sum(axis=-1)
    n_resamples, seed = (0, None) if units is None else (n_resamples, seed)
    drawn = {"resamples": n_resamples, "seed": seed}
    line = signature(kind, method=method, alternative=alternative, **drawn, shape=human.shape)
    return Comparison(
        difference, statistic, pvalue, n_used, human.size, n_undefined, n_resamples, alternative,
        method=method, signature=line, null=null, **kind,
    )  # fmt: skip


def compare_systems(
    scores: np.ndarray, *, n_resamples: int = 1_999, rng: RNGLike = None
) -> tuple[np.ndarray, np.ndarray]:
    """Differences of all pairs of systems, with draws under the hypothesis that documents prefer neither.

    In every draw each document's two scores change places with probability 1/2, in all pairs alike, as
    `simultaneous_pvalues` requires; for single pairs see `metaeval.stats.measures.pairwise_pvalues`.

    Parameters
    ----------
    scores : float array (n_systems, n_documents)
        NaN where missing; a pair is compared on the documents that have both its scores.
    n_resamples : int, at least 1
    rng : seed, Generator or None

    Returns
    -------
    difference : float array (n_pairs,)
        Mean of the first minus mean of the second; pairs are (0, 1), (0, 2), ..., (1, 2), .... NaN for a pair
        without a common document.
    null : float array (n_pairs, n_resamples)

    Raises
    ------
    ValueError, DataError
        For a number of draws out of range; for an infinite score.
    """
    check_draws(n_resamples)
    scores = double("scores", scores)
    first, second = np.triu_indices(len(scores), 1)
    drawn = stream(seed_of(rng), "signs of documents").integers(2, size=(n_resamples, scores.shape[1]))
    signs = (2.0 * drawn - 1.0).T
    difference, null = np.empty(len(first)), np.empty((len(first), n_resamples))
    ties = SCORE_TIE * np.fmax.reduce(np.abs(scores), axis=1, initial=0.0)  # of each system's own scores
    for part in blocks(len(first), scores.shape[1]):  # hundreds of systems have ten thousands of pairs
        apart = scores[first[part]] - scores[second[part]]
        apart[np.abs(apart) <= np.maximum(ties[first[part]], ties[second[part]])[:, None]] = 0.0
        present = ~np.isnan(apart)
        with np.errstate(invalid="ignore", divide="ignore"):
            weighted = np.where(present, apart, 0.0) / present.sum(axis=1, keepdims=True)
        difference[part] = weighted.sum(axis=1)
        np.matmul(weighted, signs, out=null[part])
    return difference, null


_MAX_MISSING = 0.01  # of the draws; a value missing in more of them is left out


def equality_pvalue(values: np.ndarray, drawn: np.ndarray, *, n: int) -> float:
    """Test the hypothesis that several correlations are equal, from bootstrap draws that they share.

    Parameters
    ----------
    values : float array (k,)
    drawn : float array (k, n_resamples)
        Values in each draw. A value that is missing in more than 1 % of the draws is left out, and then every
        draw in which another one is missing.
    n : int
        Number of units in a draw.

    Returns
    -------
    float in [0, 1]
        The p-value; NaN where fewer than two values remain, or two of them, such as copies, differ by the
        same amount in every draw, so that the variance of their difference cannot be estimated.

    Notes
    -----
    Hotelling's T² of the neighbours' differences with the draws' covariance, against F with k - 1 and
    n - k + 1 degrees of freedom. It rejects a little too often: at the level of 5 % 8 % of simulated worlds
    with ten equal correlations of 80 units.
    """
    usable = np.isnan(drawn).mean(axis=1) <= _MAX_MISSING
    values, drawn = values[usable], drawn[usable]
    drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
    q = len(values) - 1
    if q < 1:
        return np.nan
    contrasts = np.diff(np.eye(q + 1), axis=0)
    apart, spread = contrasts @ values, contrasts @ np.cov(drawn) @ contrasts.T
    if np.linalg.matrix_rank(spread) < q:
        return np.nan
    t_squared = apart @ np.linalg.solve(spread, apart)
    return float(scipy.stats.f.sf(t_squared * (n - q) / (q * (n - 1)), q, n - q))


def _permutation_null(x, z, pairs, difference, permute, **settings):
    # exchanging two metrics' scores gives (b, a) the difference of (a, b) with the opposite sign
    either, place = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    null = permutation_distribution(x, z, pairs=either, permute=permute, **settings)[place.ravel()]
    return np.where((pairs[:, 0] > pairs[:, 1])[:, None], -null, null)


def _bootstrap_null(x, z, pairs, difference, resample, **settings):
    drawn = bootstrap_distribution(x, z, resample=resample, **settings)
    return drawn[pairs[:, 0]] - drawn[pairs[:, 1]] - difference[:, None]


def _williams_pairs(x, z, pairs, value, alternative, *, level, coefficient):
    first, second = pairs.T
    n = n_observations(x[0], z, level)
    if n < MIN_OBSERVATIONS:
        return np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    between = correlate(x[first], x[second], level=level, coefficient=coefficient)[0]
    return williams(value[first], value[second], between, n, alternative)


# the function that draws the null distribution, and the units exchanged or resampled; Williams' test draws
# none
TESTS: dict[str, tuple[Callable, str | None]] = {
    "Perm-Systems": (_permutation_null, "systems"),
    "Perm-Inputs": (_permutation_null, "inputs"),
    "Perm-Both": (_permutation_null, "both"),
    "Perm-Systems-and-Inputs": (_permutation_null, "systems-and-inputs"),
    "Boot-Systems": (_bootstrap_null, "systems"),
    "Boot-Inputs": (_bootstrap_null, "inputs"),
    "Boot-Both": (_bootstrap_null, "both"),
    "Williams": (_williams_pairs, None),
}


def williams(r_a, r_b, r_ab, n, alternative: str = "two-sided") -> tuple[np.ndarray, np.ndarray]:
    r"""Williams' test of equality of two correlations with the same third variable, from the numbers.

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
        NaN where a correlation is NaN, where the two metrics differ only in scale, and for three numbers that
        cannot be correlations of three variables (K < 0).

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
        *(double(name, value) for name, value in {"r_a": r_a, "r_b": r_b, "r_ab": r_ab, "n": n}.items())
    )
    if (n < MIN_OBSERVATIONS).any():
        raise ValueError(f"Williams' test needs at least {MIN_OBSERVATIONS} observations, got {n.min():g}")
    for name, r in (("r_a", r_a), ("r_b", r_b), ("r_ab", r_ab)):
        if (np.abs(r) > 1).any():
            raise ValueError(f"`{name}` must be in [-1, 1], got {r[np.abs(r) > 1].flat[0]:g}")
    k = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    k = np.where(k >= -DETERMINANT_TIE, np.maximum(k, 0), np.nan)
    below = 2 * k * (n - 1) / (n - 3) + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (r_a - r_b) * np.sqrt((n - 1) * (1 + r_ab)) / np.sqrt(below)
    t = np.where(below > DETERMINANT_TIE, t, np.nan)
    return t, tail(t, n - 3)


def resampling_pvalue(difference, null: np.ndarray, alternative: str) -> np.ndarray:
    """P-values (count + 1) / (B + 1) of differences (...) with null distributions (..., B).

    Resamples without a value (NaN) are not counted; a missing observed difference, or a null distribution
    without any value, gives NaN.
    """
    difference = np.asarray(difference, dtype=float)
    defined = (~np.isnan(null)).sum(axis=-1)
    count = choose("alternative", alternative, _EXTREME)(null, difference[..., None]).sum(axis=-1)
    return np.where(np.isnan(difference) | (defined == 0), np.nan, (count + 1) / (defined + 1))


def adjust_pvalues(pvalues, *, correction: str = "Holm") -> np.ndarray:
    """Adjust p-values for their number; NaN stays NaN and is not counted as a test.

    Parameters
    ----------
    pvalues : float array (n,)
    correction : {"Holm", "Bonferroni", "none"}
        Rejecting where Holm's adjusted p-values are at most alpha is the identification step of Dror et al.
        2017 with their Bonferroni partial conjunctions.

    Returns
    -------
    array, of the same shape

    Raises
    ------
    UnknownNameError
        If there is no such correction.
    DataError, ValueError
        If there is anything but numbers in [0, 1] and NaN.
    """
    adjust = choose("correction", correction, CORRECTIONS)
    pvalues = double("pvalues", pvalues).copy()
    defined = ~np.isnan(pvalues)
    if not ((pvalues[defined] >= 0) & (pvalues[defined] <= 1)).all():
        raise ValueError("`pvalues` must lie in [0, 1] or be NaN")
    pvalues[defined] = np.minimum(adjust(pvalues[defined]), 1.0)
    return pvalues


def simultaneous_pvalues(difference: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Two-sided p-values of many differences, adjusted by the largest of them in each resample.

    Each difference is divided by the standard deviation of its own null distribution; the adjusted p-value is
    the share of resamples in which any of them is at least as large (max-T, single step; Westfall and Young
    1993, §2.3). Unlike Holm's, it can fall to 1 / (n_resamples + 1) for any number of pairs.

    Parameters
    ----------
    difference : float array (n_pairs,)
    null : float array (n_pairs, n_resamples)
        From shared draws, so that a column is one resample of all pairs.

    Returns
    -------
    float array (n_pairs,), in (0, 1]
        NaN where the difference, or its null distribution, does not exist; such pairs enter no maximum. A
        resample in which a pair has no value counts as exceeding it, so that an adjusted p-value is never
        below the pair's own.
    """
    difference, null = np.asarray(difference, dtype=float), np.asarray(null, dtype=float)
    if null.ndim != 2 or difference.shape != null.shape[:1]:
        raise ValueError(f"`null` {null.shape} must hold a row per `difference` {difference.shape}")
    n_resamples = null.shape[1]
    # relative, since differences may be in any unit
    min_spread = DIFFERENCE_TIE * max(
        np.fmax.reduce(null, None, initial=0), -np.fmin.reduce(null, None, initial=0)
    )
    observed, largest = np.full(len(difference), np.nan), np.zeros(n_resamples)
    parts = [*blocks(len(difference), n_resamples)]
    for part in parts:
        missing = np.isnan(null[part])
        rows = np.flatnonzero(~np.isnan(difference[part]) & ~missing.all(axis=1))
        own = null[part][rows]
        # identical metrics have a null distribution of zeros and are never separated
        spread = np.nanstd(own, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = np.where(spread > min_spread, 1 / spread, 0.0)
        observed[part][rows] = np.abs(difference[part][rows]) * scale
        exceeding = np.where(missing[rows], np.inf, np.abs(own) * scale[:, None])
        largest = np.maximum(largest, exceeding.max(axis=0, initial=0.0))
    largest.sort()
    n_below = np.searchsorted(largest, observed - DIFFERENCE_TIE, side="left")
    adjusted = (n_resamples - n_below + 1) / (n_resamples + 1)
    return np.where(np.isnan(observed), np.nan, adjusted)


def tiers(values: np.ndarray, pairs: np.ndarray, pvalues: np.ndarray, *, alpha: float = 0.05) -> Tiers:
    """Assign tiers and rank intervals to candidates from two-sided tests of all pairs.

    A candidate's best rank is 1 + the number of significantly better ones, its worst *k* minus the number of
    significantly worse ones (Mogstad et al. 2024, §3). In descending order of the values, a tier ends before
    the first candidate that is significantly worse than any in it, as in the tables of the WMT metrics task.

    Parameters
    ----------
    values : float array (k,)
        Higher is better.
    pairs : int array (n_pairs, 2)
        Every pair of candidates once, in any order.
    pvalues : float array (n_pairs,)
        Such as from `simultaneous_pvalues`; NaN separates no pair.
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
    >>> ranks = tiers(np.array([0.5, 0.9, 0.4]), [[0, 1], [0, 2], [1, 2]], [0.01, 0.6, 0.01])
    >>> ranks.tier.tolist(), ranks.best_rank.tolist(), ranks.worst_rank.tolist()
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


def _holm(pvalues: np.ndarray) -> np.ndarray:
    """Holm's step-down p-values (n,), equal to statsmodels', whose function runs a full garbage collection at
    every call: minutes where a notebook corrects many families.
    """
    order = np.argsort(pvalues)
    return np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))[np.argsort(order)]


CORRECTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": lambda pvalues: pvalues,
    "Bonferroni": lambda pvalues: pvalues * float(len(pvalues)),
    "Holm": _holm,
}
_TAILS: dict[str, Callable] = {
    "two-sided": lambda t, dof: 2 * scipy.stats.t.sf(np.abs(t), dof),
    "greater": lambda t, dof: scipy.stats.t.sf(t, dof),
    "less": lambda t, dof: scipy.stats.t.cdf(t, dof),
}
_EXTREME: dict[str, Callable] = {
    "two-sided": lambda null, seen: np.abs(null) >= np.abs(seen) - DIFFERENCE_TIE,
    "greater": lambda null, seen: null >= seen - DIFFERENCE_TIE,
    "less": lambda null, seen: null <= seen + DIFFERENCE_TIE,
}
