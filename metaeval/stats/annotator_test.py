r"""stats.annotator_test: the alternative annotator test (may a judge replace an annotator?), also clustered.

One annotator *j* is left out; for every instance that *j* and at least one other annotated, the judge and *j*
are each scored by how well they agree with the others (Calderon, Reichart and Dror 2025). With
:math:`W^f_i = 1` where the judge scores at least as well as *j*, and :math:`W^h_i = 1` where *j* scores at
least as well as the judge, so that a tie counts for both,

.. math:: t = \frac{\bar d - \varepsilon}{SE(\bar d)}, \quad d_i = W^h_i - W^f_i,

and a negative *t* favours the judge. As published, the test assumes independent instances. They are not:
summaries of one document, and of one system, are related. Clustered by one of the two at a time,

.. math:: SE^2 = \frac{G}{G - 1} \sum_g \Big(\sum_{i \in g} (d_i - \bar d)\Big)^2 / n^2 .

Documents and systems are crossed; errors clustered by both at once are not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_alpha, check_count, check_rate
from metaeval.stats.ties import SCORE_TIE, SQUARED_ERROR_TIE, double

MIN_INSTANCES = 30  # annotators with fewer are left out, as in the authors' release


def _distance(scores, others):
    """Root mean squared difference from the annotators present."""
    return np.sqrt(np.nanmean((scores - others) ** 2, axis=0))


def _unlike(scores, others):
    """Share of the annotators present who gave another label."""
    return np.nanmean(np.where(np.isnan(others), np.nan, scores != others), axis=0)


# distances from the others: smaller is better
ALIGNMENTS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "rmse": _distance,
    "accuracy": _unlike,
}


@dataclass(frozen=True)
class AnnotatorTest:
    """Comparison of a judge with each annotator.

    Attributes
    ----------
    raters : tuple of int
        Positions of the annotators that were left out in turn; those with too few instances are missing.
    advantage : float array (n_raters,)
        Share of instances where the judge is at least as close to the others as the annotator; the authors'
        advantage probability is its mean.
    difference : float array (n_raters,)
        Mean of *d*: positive where annotators are closer.
    t, pvalue : mapping, ``"iid"`` and each clustering -> float array (n_raters,)
        Where *d* has no spread, *t* is infinite with the sign of its numerator, and the p-value 0 or 1. NaN
        with one cluster only, and where *d* without spread has the mean `epsilon`.
    n_instances : int array (n_raters,)
    """

    raters: tuple[int, ...]
    advantage: np.ndarray
    difference: np.ndarray
    t: Mapping[str, np.ndarray]
    pvalue: Mapping[str, np.ndarray]
    n_instances: np.ndarray

    def winning_rate(self, *, by: str = "iid", level: float = 0.05) -> float:
        """Share of annotators that the judge may replace, after Benjamini and Yekutieli's correction.

        Parameters
        ----------
        by : ``"iid"`` or the name of a clustering
        level : float in (0, 1)
        """
        return float(rejected(choose("clustering", by, self.pvalue), level=level).mean())


def closer(
    judge: np.ndarray, ratings: np.ndarray, rater: int, *, alignment: str
) -> tuple[np.ndarray, np.ndarray]:
    """Compare the closeness of a judge and of one annotator to the other annotators.

    Parameters
    ----------
    judge : float array (...), NaN where it did not answer
    ratings : float array (n_raters, ...), NaN where missing
    rater : int
        The annotator who is left out.
    alignment : {"rmse", "accuracy"}

    Returns
    -------
    judge_is, rater_is : float arrays (...)
        1 where the judge, or the annotator, is at least as close as the other of the two, else 0; NaN for an
        instance that the judge, the annotator or everybody else left out.
    """
    score = choose("alignment", alignment, ALIGNMENTS)
    others = np.delete(ratings, rater, axis=0)
    one = ratings[rater]
    shared = ~np.isnan(judge) & ~np.isnan(one) & ~np.isnan(others).all(axis=0)
    judge_score, rater_score = np.full(judge.shape, np.nan), np.full(judge.shape, np.nan)
    judge_score[shared], rater_score[shared] = (
        score(judge[shared], others[:, shared]),
        score(one[shared], others[:, shared]),
    )
    # .3 and .1 are equally far from .2 in spite of rounding errors
    tie = SCORE_TIE * max(np.nanmax(np.abs(side), initial=0.0) for side in (judge, ratings))
    return (
        np.where(shared, judge_score <= rater_score + tie, np.nan).astype(float),
        np.where(shared, rater_score <= judge_score + tie, np.nan).astype(float),
    )


def annotator_test(
    judge: np.ndarray,
    ratings: np.ndarray,
    *,
    clusters: Mapping[str, np.ndarray] | None = None,
    epsilon: float = 0.2,
    alignment: str = "rmse",
    min_instances: int = MIN_INSTANCES,
) -> AnnotatorTest:
    """Run the alternative annotator test, with independent instances as published and with clustered ones.

    Parameters
    ----------
    judge : float array (n_instances,), NaN where it did not answer
    ratings : float array (n_raters, n_instances), NaN where missing
    clusters : mapping, name -> array (n_instances,) of labels
        Such as each instance's document, and its system.
    epsilon : float in [0, 1]
        Value of the judge's lower cost, as a difference of shares; the authors use 0.2 for experts, 0.1 for
        crowd workers.
    alignment : {"rmse", "accuracy"}
        For ratings as numbers, or for labels.
    min_instances : int
        Annotators with fewer are left out.

    Returns
    -------
    AnnotatorTest

    Raises
    ------
    DataError
        If shapes differ or no annotator shares enough instances with another.
    ValueError
        If `epsilon` is out of range.

    Notes
    -----
    Degrees of freedom are the instances', or the clusters', minus one.
    """
    judge, ratings = double("judge", judge), double("ratings", ratings)
    if ratings.ndim != 2 or judge.shape != ratings.shape[1:]:
        raise DataError(
            f"`judge` must be (n_instances,) and `ratings` (n_raters, n_instances), got {judge.shape} and "
            f"{ratings.shape}"
        )
    check_rate("epsilon", epsilon)
    check_count("min_instances", min_instances)
    groupings: dict[str, np.ndarray | None] = {"iid": None}
    for name, labels in (clusters or {}).items():
        if np.shape(labels) != judge.shape:
            raise DataError(
                f"clusters {name!r} must label {len(judge)} instances, got shape {np.shape(labels)}"
            )
        groupings[name] = np.unique(labels, return_inverse=True)[1]
    rows = []
    for rater in range(len(ratings)):
        judge_is, rater_is = closer(judge, ratings, rater, alignment=alignment)
        shared = ~np.isnan(judge_is)
        if shared.sum() < min_instances:
            continue
        d = (rater_is - judge_is)[shared]
        tests = [t_statistic(d, epsilon, None if g is None else g[shared]) for g in groupings.values()]
        rows.append((rater, judge_is[shared].mean(), d.mean(), int(shared.sum()), tests))
    if not rows:
        raise DataError(
            f"at least one annotator must share {min_instances} instances with another, got none among "
            f"{len(judge)} instances"
        )
    raters, advantage, difference, n, tests = zip(*rows, strict=True)
    both = np.array(tests)  # (n_raters, n_groupings, 2)
    return AnnotatorTest(
        raters, np.array(advantage), np.array(difference),
        {name: both[:, k, 0] for k, name in enumerate(groupings)},
        {name: both[:, k, 1] for k, name in enumerate(groupings)}, np.array(n),
    )  # fmt: skip


def annotator_test_draws(
    judge: np.ndarray,
    ratings: np.ndarray,
    draws: np.ndarray,
    *,
    epsilon: float = 0.2,
    alignment: str = "rmse",
    level: float = 0.05,
    min_instances: int = MIN_INSTANCES,
) -> tuple[np.ndarray, np.ndarray]:
    """Run the test as published on draws of the instances.

    Parameters
    ----------
    judge, ratings, epsilon, alignment, min_instances : see `annotator_test`
    draws : int array (n_draws, n_drawn)
        Positions of instances.
    level : float in (0, 1)
        False discovery rate behind a winning rate.

    Returns
    -------
    winning_rate, advantage : float arrays (n_draws,)
        The second is the mean over the annotators.

    Raises
    ------
    DataError
        If a draw leaves an annotator with fewer than `min_instances`.
    """
    both = [closer(judge, ratings, rater, alignment=alignment) for rater in range(len(ratings))]
    judge_is, rater_is = np.stack(both, axis=1)[:, :, draws]  # (n_raters, n_draws, n_drawn)
    d = rater_is - judge_is
    n = (~np.isnan(d)).sum(axis=-1)
    if n.min() < min_instances:
        raise DataError(f"a draw of {draws.shape[1]} instances leaves an annotator with {n.min()} of them")
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (np.nanmean(d, axis=-1) - epsilon) / (np.nanstd(d, axis=-1, ddof=1) / np.sqrt(n))
    return rejected(scipy.stats.t.cdf(t, n - 1), level=level).mean(axis=0), np.nanmean(
        judge_is, axis=-1
    ).mean(axis=0)


def t_statistic(d: np.ndarray, epsilon: float, groups: np.ndarray | None) -> tuple[float, float]:
    """Compute *t* and the one-sided p-value of a mean below `epsilon`.

    Parameters
    ----------
    d : float array (n,)
    epsilon : float
    groups : int array (n,) of cluster numbers, or None for independent instances

    Returns
    -------
    t, pvalue : float
        The limits without spread: ∓inf and 0 or 1. NaN with one cluster, whose spread cannot be estimated,
        and where the mean is `epsilon` without spread.
    """
    off = d - d.mean()
    sums = off if groups is None else np.bincount(groups, weights=off)[np.bincount(groups) > 0]
    n_clusters = len(sums)
    if n_clusters < 2:
        return np.nan, np.nan
    square = (sums**2).sum() * n_clusters / (n_clusters - 1) / len(d) ** 2
    if square <= SQUARED_ERROR_TIE:  # a rounding error
        square = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (d.mean() - epsilon) / np.sqrt(square)
    return float(t), float(scipy.stats.t.cdf(t, n_clusters - 1))


def rejected(pvalues: np.ndarray, *, level: float = 0.05) -> np.ndarray:
    """Test hypotheses of any dependence by Benjamini and Yekutieli's procedure.

    Parameters
    ----------
    pvalues : float array (m, ...); NaN is never rejected and counts as a hypothesis
    level : float in (0, 1)
        The false discovery rate.

    Returns
    -------
    bool array (m, ...)
        True for a hypothesis that is rejected.
    """
    check_alpha(level)
    pvalues = np.nan_to_num(np.asarray(pvalues, dtype=float), nan=1.0)
    return scipy.stats.false_discovery_control(pvalues, axis=0, method="by") <= level
