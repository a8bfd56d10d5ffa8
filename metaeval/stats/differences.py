"""stats.differences: does one metric agree with people better than another? One function for every test of
it.

Plain arrays in, a `Comparison` out; knows no data set and no table. Called by `api` and `experiments`.
Deutsch, Dror and Roth 2021, §4 (Perm-*, Boot-*); Williams 1959, as in Graham and Baldwin 2014; Dror et al.
2017 (corrections for many tests).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.stats.correlation import correlate
from metaeval.stats.draws import blocks
from metaeval.stats.intervals import check_shapes, n_observations, spelled
from metaeval.stats.resampling import (
    bootstrap_distribution,
    by_gaps,
    check_draws,
    check_pairs,
    permutation_distribution,
)
from metaeval.stats.signature import signature
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DETERMINANT_TIE, DIFFERENCE_TIE, SCORE_TIE, double

MIN_OBSERVATIONS = 4  # Williams' t has n - 3 degrees of freedom


@dataclass(frozen=True, eq=False)
class Comparison:
    """Hypothesis tests on the difference of two metrics' correlations with people.

    Every number is an array over the pairs of metrics that were given together, or a plain number for a
    single pair.

    Attributes
    ----------
    difference : float
        Correlation of the first metric minus that of the second, on the data as they are; NaN where either
        does not exist.
    statistic : float
        What is tested: the difference, or Williams' *t*. Positive where the first metric agrees better.
    pvalue : float, NaN where the statistic does not exist
    n_used, n_total : int
        Summaries that both metrics and people score, of all there are. Both metrics are compared on these.
    n_undefined : int
        Resamples (without resampling: tests, so 0 or 1) in which the statistic does not exist.
    n_resamples : int, 0 without resampling
    alternative : {"two-sided", "greater", "less"}
        "greater": the first metric's correlation is the greater one.
    level, coefficient, method : what was asked for
    signature : str
        All that is needed to get the same numbers again, in one line.
    null : float array (..., n_resamples), or None without resampling
        The difference in each resample under the hypothesis that there is none, NaN where it does not
        exist. Not printed.
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


def compare(
    metric_a: np.ndarray,
    metric_b: np.ndarray,
    human: np.ndarray,
    *,
    level: str = "system",
    coefficient: str = "kendall",
    method: str = "Perm-Both",
    alternative: str = "two-sided",
    n_resamples: int = 1_999,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> Comparison:
    """Test whether two metrics agree with people equally well.

    Parameters
    ----------
    metric_a, metric_b, human : arrays (n_systems, n_documents)
        Higher is better, NaN where missing. The metrics are compared on the summaries that both of them and
        people score; the result counts them.
    level, coefficient, method, alternative, n_resamples, rng, n_threads : see `compare_pairs`

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
    >>> found = compare(good, poor, people, coefficient="pearson", method="Williams", alternative="greater")
    >>> round(found.pvalue, 3)
    0.108
    """
    metric_a, metric_b = double("metric_a", metric_a), double("metric_b", metric_b)
    check_shapes(metric_a=metric_a, metric_b=metric_b)
    found = compare_pairs(
        np.stack([metric_a, metric_b]), human, [[0, 1]], level=level, coefficient=coefficient, method=method,
        alternative=alternative, n_resamples=n_resamples, rng=rng, n_threads=n_threads,
    )  # fmt: skip
    return Comparison(**{name: _only(name, value) for name, value in vars(found).items()})


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
        ``Perm-*`` exchange the two metrics' standardised scores with probability 1/2: of each summary
        (``Perm-Both``), of whole systems, of whole documents (``Perm-Inputs``), or of whole systems and
        then whole documents. ``Boot-*`` draw systems, documents or both again, for both metrics alike.
        ``Williams`` assumes normally distributed scores; at summary level, which it was not made for, it
        takes the largest number of systems that a document has for the number of observations.
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
    that equals the observed difference counts, as in a valid test it must; the algorithm prints ``>``.
    nlpstats calls ``Perm-Systems-and-Inputs`` *both*. The paper leaves the details of its bootstrap test
    out; this is the test of Efron and Tibshirani 1993, §16.4, in the form usual in the field: the resampled
    differences minus the observed one stand for the null distribution.
    """
    method = spelled(method, TESTS, "test")
    choose("alternative", alternative, _EXTREME)
    scores, human = double("scores", scores), double("human", human)
    check_shapes(scores=scores, human=human)
    pairs = check_pairs(pairs, len(scores))
    if method == "Williams" and len(human) < MIN_OBSERVATIONS:
        raise DataError(f"Williams' test needs at least {MIN_OBSERVATIONS} systems, got {len(human)}")
    test, what = TESTS[method]
    seed = seed_of(rng)
    kind = {"level": level, "coefficient": coefficient}
    draws = {"n_resamples": n_resamples, "rng": seed, "n_threads": n_threads}
    difference, statistic, pvalue = (np.full(len(pairs), np.nan) for _ in range(3))
    n_used, n_undefined = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
    if what is not None:
        check_draws(n_resamples)
    null = None if what is None else np.empty((len(pairs), n_resamples))
    for present, members in by_gaps(~np.isnan(scores) & ~np.isnan(human), pairs):
        metrics = np.unique(pairs[members])
        x, z = np.where(present, scores[metrics], np.nan), np.where(present, human, np.nan)
        chosen = np.searchsorted(metrics, pairs[members])
        value = correlate(x, z, **kind)[0]
        difference[members] = value[chosen[:, 0]] - value[chosen[:, 1]]
        n_used[members] = present.sum()
        if what is None:
            statistic[members], pvalue[members] = test(x, z, chosen, value, alternative, **kind)
            n_undefined[members] = np.isnan(pvalue[members])
        else:
            drawn = test(x, z, chosen, difference[members], what, **kind, **draws)
            # two metrics that are one differ by rounding errors in every draw
            drawn[np.fmax.reduce(np.abs(drawn), axis=-1) <= DIFFERENCE_TIE] *= 0
            null[members] = drawn
            statistic[members] = difference[members]
            pvalue[members] = resampling_pvalue(difference[members], null[members], alternative)
            n_undefined[members] = np.isnan(null[members]).sum(axis=-1)
    n_resamples, seed = (0, None) if what is None else (n_resamples, seed)
    said = signature(
        kind, method=method, alternative=alternative, resamples=n_resamples, seed=seed, shape=human.shape
    )
    return Comparison(
        difference, statistic, pvalue, n_used, human.size, n_undefined, n_resamples, alternative,
        method=method, signature=said, null=null, **kind,
    )  # fmt: skip


def compare_systems(
    scores: np.ndarray, *, n_resamples: int = 1_999, rng: RNGLike = None
) -> tuple[np.ndarray, np.ndarray]:
    """Differences of all pairs of systems, and what they would be if documents preferred neither.

    In every draw each document's two scores change places with probability 1/2, in all pairs alike, so that
    the draws fit `metaeval.stats.tiers.simultaneous_pvalues`; a pair by itself is
    `metaeval.stats.measures.pairwise_pvalues`.

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


_SELDOM = 0.01  # of the draws; a value that lacks in more of them is left out


def equality_pvalue(values: np.ndarray, drawn: np.ndarray, *, n: int) -> float:
    """p-value of the hypothesis that several correlations are the same, from bootstrap draws that they share.

    Parameters
    ----------
    values : float array (k,)
    drawn : float array (k, n_resamples)
        In each draw; a value that does not exist in more than 1 % of them is left out, and then a draw in
        which another does not.
    n : int
        How many units are drawn.

    Returns
    -------
    float in [0, 1]
        NaN where fewer than two values are left, or two of them, such as copies, differ by the same in every
        draw, so that nothing is known of how their difference varies.

    Notes
    -----
    Hotelling's T² of the neighbours' differences with the draws' covariance, against F with k - 1 and
    n - k + 1 degrees of freedom. It rejects a little too often: at the level of 5 % 8 % of simulated worlds
    with ten equal correlations of 80 units.
    """
    kept = np.isnan(drawn).mean(axis=1) <= _SELDOM
    values, drawn = values[kept], drawn[kept]
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


def _by_permutation(x, z, pairs, difference, permute, **settings):
    # what changes places between two metrics gives (b, a) the difference of (a, b) with the other sign
    either, place = np.unique(np.sort(pairs, axis=1), axis=0, return_inverse=True)
    null = permutation_distribution(x, z, pairs=either, permute=permute, **settings)[place.ravel()]
    return np.where((pairs[:, 0] > pairs[:, 1])[:, None], -null, null)


def _by_bootstrap(x, z, pairs, difference, resample, **settings):
    drawn = bootstrap_distribution(x, z, resample=resample, **settings)
    return drawn[pairs[:, 0]] - drawn[pairs[:, 1]] - difference[:, None]


def _by_williams(x, z, pairs, value, alternative, *, level, coefficient):
    first, second = pairs.T
    n = n_observations(x[0], z, level)
    if n < MIN_OBSERVATIONS:
        return np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    between = correlate(x[first], x[second], level=level, coefficient=coefficient)[0]
    return williams(value[first], value[second], between, n, alternative)


# how the null distribution is made, and what is exchanged or drawn again; Williams' test draws nothing
TESTS: dict[str, tuple[Callable, str | None]] = {
    "Perm-Systems": (_by_permutation, "systems"),
    "Perm-Inputs": (_by_permutation, "inputs"),
    "Perm-Both": (_by_permutation, "both"),
    "Perm-Systems-and-Inputs": (_by_permutation, "systems-and-inputs"),
    "Boot-Systems": (_by_bootstrap, "systems"),
    "Boot-Inputs": (_by_bootstrap, "inputs"),
    "Boot-Both": (_by_bootstrap, "both"),
    "Williams": (_by_williams, None),
}


def williams(r_a, r_b, r_ab, n, alternative: str = "two-sided") -> tuple[np.ndarray, np.ndarray]:
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
    """(count + 1) / (B + 1) for differences (...) and null distributions (..., B).

    Resamples that do not exist (NaN) count in neither; an observed difference that does not exist, or a null
    distribution without any value, gives NaN.
    """
    difference = np.asarray(difference, dtype=float)
    defined = (~np.isnan(null)).sum(axis=-1)
    count = choose("alternative", alternative, _EXTREME)(null, difference[..., None]).sum(axis=-1)
    return np.where(np.isnan(difference) | (defined == 0), np.nan, (count + 1) / (defined + 1))


CORRECTIONS: dict[str, str | None] = {"none": None, "Bonferroni": "bonferroni", "Holm": "holm"}


def adjusted(pvalues, *, correction: str = "Holm") -> np.ndarray:
    """p-values adjusted for their number; NaN stays NaN and is not counted as a test.

    Parameters
    ----------
    pvalues : float array (n,)
    correction : {"Holm", "Bonferroni", "none"}
        Rejecting those of Holm's that are at most alpha is the identification step of Dror et al. 2017 with
        their Bonferroni partial conjunctions.

    Returns
    -------
    array, of the same shape

    Raises
    ------
    UnknownNameError
        If there is no such correction.
    DataError, ValueError
        If there is something else than numbers in [0, 1] and NaN.
    """
    method = choose("correction", correction, CORRECTIONS)
    pvalues = double("pvalues", pvalues).copy()
    defined = ~np.isnan(pvalues)
    if not ((pvalues[defined] >= 0) & (pvalues[defined] <= 1)).all():
        raise ValueError("`pvalues` must lie in [0, 1] or be NaN")
    if method == "holm":
        pvalues[defined] = _holm(pvalues[defined])
    elif method is not None and defined.any():
        # takes a second to import, and is rarely needed
        from statsmodels.stats.multitest import multipletests

        pvalues[defined] = multipletests(pvalues[defined], method=method)[1]
    return pvalues


def _holm(pvalues: np.ndarray) -> np.ndarray:
    """Holm's step-down p-values (n,), the same as statsmodels', whose function also looks through the whole
    process for garbage at every call: minutes where a notebook corrects many families.
    """
    order = np.argsort(pvalues)
    stepped = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    found = np.empty_like(pvalues)
    found[order] = np.minimum(stepped, 1.0)
    return found


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


def _only(name, value):
    """The number of the only pair in place of an array of one."""
    if name == "null":
        return None if value is None else value[0]
    return value[0].item() if isinstance(value, np.ndarray) else value
