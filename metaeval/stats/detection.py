r"""stats.detection: the share of a system's outputs that people would pass, from a judge and some labels.

A judge that passes a share *p* of the outputs errs in both directions. With its sensitivity (TPR: share that
it passes of the outputs that people pass) and specificity (TNR: share that it fails of those that they fail),
the share that people would pass is

.. math:: \pi = (p + TNR - 1) / (TPR + TNR - 1)

(Rogan and Gladen 1978; Lee et al. 2025 for judges). TPR and TNR come from labels, and their error counts, by
the delta method: from each item's influence on :math:`\pi`, so that items may be in the rate and among the
labels, and may be clustered. It is here to be compared: `metaeval.stats.prediction` estimates the same share
with less error. 1 stands for passing, 0 for failing, NaN for no label.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level, check_count
from metaeval.stats.agreement import agreement, kappa_of_tables
from metaeval.stats.bias import clustered_share
from metaeval.stats.clusters import design_effect, group_items, independent_share
from metaeval.stats.intervals import NO_ENDS, Ends, normal_reach, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, double


@dataclass(frozen=True)
class Rates:
    """Rates of a judge's verdicts against people's; float arrays (...).

    Attributes
    ----------
    tpr, tnr : share that the judge passes of the items that people pass; that it fails of those they fail
    passed, judge_passes : share that people pass, and that the judge passes, of the items with both
    kappa : Cohen's
    """

    tpr: np.ndarray
    tnr: np.ndarray
    passed: np.ndarray
    judge_passes: np.ndarray
    kappa: np.ndarray


def rates(judge: np.ndarray, people: np.ndarray, *, counts: np.ndarray | None = None) -> Rates:
    """Rates of a judge on the items that people labelled.

    Parameters
    ----------
    judge, people : float arrays (n_items,) of 0 and 1, NaN where missing
    counts : float array (n_draws, n_items), by default every item once
        How often each item is in each draw; then the rates are arrays (n_draws,).
    """
    judge, people = _verdicts(judge, people)
    labelled = ~np.isnan(judge) & ~np.isnan(people)
    weights = labelled * (1.0 if counts is None else counts)
    j, y = np.where(labelled, judge, 0.0), np.where(labelled, people, 0.0)
    n, both, passed, judge_passes = (weights @ part for part in (labelled * 1.0, j * y, y, j))
    kappa = agreement(np.stack([judge, people]), coefficient="cohen", categories=(0, 1), counts=counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        tnr = (n - passed - judge_passes + both) / (n - passed)
        return Rates(both / passed, tnr, passed / n, judge_passes / n, kappa)


def auc(scores: np.ndarray, people: np.ndarray, *, counts: np.ndarray | None = None) -> np.ndarray:
    """Area under the ROC curve: share of pairs in which the passing item scores higher, a tie counting half.

    Parameters
    ----------
    scores : float array (n_items,)
    people : float array (n_items,) of 0 and 1; NaN on either side is left out
    counts : see `rates`

    Returns
    -------
    float array () or (n_draws,)
        NaN without an item of either kind.
    """
    scores, people = double("scores", scores), double("people", people)
    order = np.argsort(scores, kind="stable")
    order = order[~np.isnan(scores[order])]
    if not len(order):
        return np.nan if counts is None else np.full(len(counts), np.nan)
    begins = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))  # items with equal scores are adjacent
    weights = np.ones((1, len(scores))) if counts is None else counts
    passing, failing = (
        np.add.reduceat(weights[:, order] * (people[order] == kind), begins, axis=1) for kind in (1, 0)
    )
    below = np.cumsum(failing, axis=1) - failing / 2  # ties count half
    with np.errstate(invalid="ignore", divide="ignore"):
        areas = (passing * below).sum(axis=1) / (passing.sum(axis=1) * failing.sum(axis=1))
    return areas[0] if counts is None else areas


def label_interval(
    judge: np.ndarray,
    people: np.ndarray,
    *,
    minus: np.ndarray | None = None,
    measure: str = "kappa",
    clusters: np.ndarray | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: RNGLike = None,
) -> Ends:
    """Interval of a judge's agreement with people's labels of items, or of its difference from another's.

    Parameters
    ----------
    judge, people : arrays (n_items,) of categories as numbers, NaN where missing
    minus : array (n_items,), optional
        The other judge, on the same items.
    measure : {"kappa", "auc", "accuracy"}
        Cohen's kappa; of labels 0 and 1 the area under the ROC curve, (TPR + TNR) / 2.
    clusters : int or str array (n_items,), by default each item its own
        Items with the same name, such as turns of a conversation or pairs of outputs for one document, may be
        right together: the table counts as many cases as `metaeval.stats.clusters.independent_share` says.
    confidence_level : float in (0, 1)
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    Ends
        NaN where the measure does not exist.

    Notes
    -----
    Percentiles of draws of the table's probabilities from a Dirichlet distribution of its counts plus two
    cases spread over all cells, for the low end, and plus less than half a case for the high end. Bootstrap
    draws say nothing of a cell without cases, so that a judge that is never wrong would have no interval.
    In nine simulated worlds (`benchmarks/verdicts.py`) 95 % intervals cover 94 to 99 %, and lie above the
    truth in at most 3 %.

    Of a difference both ends are with two cases, spread over the table of people and both judges. In nine
    simulated worlds 95 % intervals cover 93 to 100 %; with 12 failing items of 400 they lie above the truth
    in 3.6 % (kappa) and 3.9 % (accuracy), elsewhere in at most 3.3 %.

    Examples
    --------
    >>> people = [1] * 360 + [0] * 40
    >>> low, high, *_ = label_interval(people, people, rng=0)
    >>> round(float(low), 2), float(high)
    (0.95, 1.0)
    """
    alone = choose("measure", measure, _TABLE_MEASURES)

    def compute(tables):
        return alone(tables) if minus is None else alone(tables.sum(axis=-1)) - alone(tables.sum(axis=-2))

    sides = [people, judge] if minus is None else [people, judge, minus]
    table = _label_tables(*sides, compute=compute, clusters=clusters, confidence_level=confidence_level)
    drawn = table, compute, confidence_level, n_resamples, rng
    ends = _drawn_ends(_CASES, *drawn)
    if minus is not None:
        return ends
    few, value = _drawn_ends(_FEW_CASES, *drawn), compute(table)
    return Ends(np.fmin(ends.low, value), np.fmax(few.high, value), ends.low_mc_error, few.high_mc_error)


def needed_items(
    judge: np.ndarray,
    people: np.ndarray,
    width: float,
    *,
    measure: str = "kappa",
    documents: np.ndarray | None = None,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> tuple[float, float, float]:
    """Number of items at which the interval of a judge's agreement has a width, with a range.

    Parameters
    ----------
    judge, people, measure, confidence_level : see `label_interval`
    width : float, above 0
        Such as 0.1 for a kappa within 0.05 to both sides.
    documents : int array (n_items,), by default each item its own
        Items with the same number, such as pairs of outputs for one document, may be right together.
    rng : seed, Generator or None

    Returns
    -------
    number, low, high : float
        By the observed table, and the quantiles 0.1 and 0.9 over tables like it.

    Notes
    -----
    The interval of many items is as wide as its draws scatter, by one over the root of their number. Items of
    a document count by their design effect: that of the share of items on which judge and people agree.
    """
    table = _label_tables(people, judge)
    compute = choose("measure", measure, _TABLE_MEASURES)
    rng = stream(seed_of(rng), "needed")
    tables = rng.standard_gamma(table + _CASES / table.size, (_N_TABLES, *table.shape))
    shares = np.stack([table, *tables]) / np.stack([table, *tables]).sum(axis=(-2, -1), keepdims=True)
    # of each table, the scatter of the measure over samples of many items
    cells = rng.standard_gamma(_MANY_ITEMS * shares, (_N_DRAWS, *shares.shape))
    scatter = compute(cells).std(axis=0) * np.sqrt(_MANY_ITEMS)
    items = (2 * normal_reach(confidence_level) * scatter / width) ** 2
    present = ~np.isnan(judge) & ~np.isnan(people)
    if documents is not None and present.any():
        same = np.where(present, judge == people, np.nan)
        items = items * design_effect(same - np.nanmean(same), documents)
    return float(items[0]), *np.quantile(items[1:], [0.1, 0.9]).tolist()


def _label_tables(*sides: np.ndarray, compute=None, clusters=None, confidence_level=0.95) -> np.ndarray:
    """Counts of items by the categories of each side, an array with an axis of all categories for each; with
    clusters as many as count for what is computed from them."""
    sides = np.stack([double("labels", side) for side in sides])
    present = ~np.isnan(sides).any(axis=0)
    categories, place = np.unique(sides[:, present], return_inverse=True)
    k = max(len(categories), 2)
    places = np.ravel_multi_index(tuple(place.reshape(len(sides), -1)), (k,) * len(sides))
    table = np.bincount(places, minlength=k ** len(sides)).reshape((k,) * len(sides)) * 1.0
    if clusters is None:
        return table
    more = table + _STEP * np.eye(table.size).reshape(-1, *table.shape)
    influence = np.nan_to_num(compute(more) - compute(table))[places]
    return table * independent_share(influence, np.asarray(clusters)[present], confidence_level)


def _drawn_ends(cases, table, compute, confidence_level, n_resamples, rng) -> Ends:
    """Percentiles of what is computed over draws of a table's probabilities; NaN for a table of NaN."""
    check_draws(n_resamples)
    if np.isnan(table).any():
        return NO_ENDS
    draws = stream(seed_of(rng), "labels").standard_gamma(
        table + cases / table.size, (n_resamples, *table.shape)
    )
    return percentile_ends(compute(draws), confidence_level)


def _table_area(table):
    people = table.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (table[..., 0, 0] / people[..., 0] + table[..., 1, 1] / people[..., 1]) / 2


# of `needed_items`: tables like the observed one, draws of each, and items in a draw
_N_TABLES, _N_DRAWS, _MANY_ITEMS = 199, 499, 1e5
_CASES, _FEW_CASES = 2.0, 0.4  # cases beside those of a table, for its low and its high end
_STEP = 1e-3  # of a case more, whose effect is an item's influence
_TABLE_MEASURES = {
    "kappa": lambda table: kappa_of_tables(table, np.eye(table.shape[-1]))[1],
    "auc": _table_area,
    "accuracy": lambda table: np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1)),
}


def auc_interval(
    scores: np.ndarray,
    people: np.ndarray,
    *,
    minus: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
    confidence_level: float = 0.95,
) -> np.ndarray:
    """Interval (2,) of the area under the ROC curve of a judge's scores, or of its difference from another's.

    Parameters
    ----------
    scores, people : see `auc`
    minus : float array (n_items,), optional
        The other judge's scores; only items that both score count.
    clusters, confidence_level : see `label_interval`

    Returns
    -------
    float array (2,)
        NaN where it does not exist.

    Notes
    -----
    Newcombe 2006, method 5: the areas from which the estimate is not too far, with the variance of Hanley and
    McNeil 1982 for as many items of each kind as half of all, at that area. It has a length at 1 too. In
    eight simulated worlds 95 % intervals cover 95 to 99 %, and lie above the truth in at most 1.7 %.

    Of a difference, the ends of both areas are combined by MOVER (Zou and Donner 2008), with the correlation
    of the areas by DeLong et al. 1988. In eight simulated worlds 95 % intervals cover 95 to 100 %.

    Examples
    --------
    >>> low, high = auc_interval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0] * 5 + [1] * 5)
    >>> round(float(low), 2), float(high)
    (0.64, 1.0)
    """
    sides = [double("scores", side) for side in (scores, minus) if side is not None]
    people = double("people", people)
    present = ~np.isnan([*sides, people]).any(axis=0)
    sides, people = [side[present] for side in sides], people[present]
    of = None if clusters is None else np.asarray(clusters)[present]
    values = [auc(side, people) for side in sides]
    if np.isnan(values).any():
        return np.full(2, np.nan)
    influence = np.stack([_area_influence(side, people) for side in sides])
    ends = []
    for value, own in zip(values, influence, strict=True):
        share = 1.0 if of is None else independent_share(own, of, confidence_level, effective=True)
        ends.append(_area_ends(value, people, share, normal_reach(confidence_level)))
    if minus is None:
        return np.array(ends[0])
    if of is not None:
        influence = np.nansum(group_items(influence, of), axis=1)
    covariance = influence @ influence.T
    below = np.sqrt(covariance[0, 0] * covariance[1, 1])
    shared = covariance[0, 1] / below if below > 0 else 0.0

    def reach(own, others):
        return np.sqrt(max(own**2 + others**2 - 2 * shared * own * others, 0.0))

    (value, other), ((low, high), (other_low, other_high)) = values, ends
    low, high = reach(value - low, other_high - other), reach(high - value, other - other_low)
    return np.array([value - other - low, value - other + high])


def _area_ends(value: float, people: np.ndarray, share: float, reach: float) -> list[float]:
    """Ends of the interval of an area, by Newcombe's method; `share` of the items are independent."""
    failing, passing = ((people == kind).sum() * share for kind in (0, 1))
    half = (failing + passing) / 2
    if np.isnan(half):
        return [np.nan, np.nan]

    def excess(area):
        spread = 2 * half - 1 - 3 * (half - 1) / ((2 - area) * (1 + area))
        return (value - area) ** 2 - reach**2 * area * (1 - area) * spread / (failing * passing)

    inside = min(max(value, DIFFERENCE_TIE), 1 - DIFFERENCE_TIE)  # where the variance is not 0
    return [
        end if excess(end) <= 0 else scipy.optimize.brentq(excess, *sorted((end, inside)))
        for end in (0.0, 1.0)
    ]


def _area_influence(scores, people):
    """Effect of each item on the area under the curve (DeLong et al. 1988), of items with both."""
    influence = np.zeros(len(scores))
    for kind in (0, 1):
        own = people == kind
        places = _places(scores[own], scores[~own])
        n = own.sum()
        influence[own] = (2 * kind - 1) * (places - places.mean()) / np.sqrt(max(n * (n - 1), 1))
    return influence


def _places(scores, others):
    """Share of the others' scores below each score, a tie counting half."""
    others = np.sort(others)
    below, upto = (np.searchsorted(others, scores, side=side) for side in ("left", "right"))
    return (below + upto) / 2 / max(len(others), 1)


class Calibration(NamedTuple):
    """Share that people pass, by the judge's scores; arrays (n_bins,), in rising order of the scores.

    Attributes
    ----------
    predicted : mean score
    value, low, high : share that people pass, with its interval
    n : items
    """

    predicted: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray


def calibration(
    scores: np.ndarray,
    people: np.ndarray,
    *,
    n_bins: int,
    clusters: np.ndarray | None = None,
    confidence_level: float = 0.95,
) -> Calibration:
    """Share that people pass among items with similar scores of a judge; a judge's labels give two bins.

    Parameters
    ----------
    scores : float array (n_items,)
    people : float array (n_items,) of 0 and 1; NaN on either side is left out
    n_bins : int, at least 2
        Maximum number of bins, with equally many items each except that equal scores stay together.
    clusters : see `label_interval`
    confidence_level : float in (0, 1)
        Of Clopper and Pearson's intervals, for clusters as `metaeval.stats.bias.clustered_share` has them.

    Examples
    --------
    >>> bins = calibration([1, 1, 1, 3, 3, 5], [0, 0, 1, 1, 0, 1], n_bins=3)
    >>> bins.predicted.tolist(), bins.value.round(2).tolist(), bins.n.tolist()
    ([1.0, 3.0, 5.0], [0.33, 0.5, 1.0], [3, 2, 1])
    """
    check_count("n_bins", n_bins, minimum=2)
    scores, people = double("scores", scores), double("people", people)
    present = ~np.isnan(scores) & ~np.isnan(people)
    levels = np.unique(scores[present])
    if len(levels) > n_bins:
        levels = np.unique(np.quantile(scores[present], np.linspace(0, 1, n_bins + 1)))[:-1]
    place = np.searchsorted(levels[1:], scores, side="right")
    bins = [present & (place == number) for number in np.unique(place[present])]
    n = np.array([chosen.sum() for chosen in bins], dtype=int)
    predicted, value = (np.array([side[chosen].mean() for chosen in bins]) for side in (scores, people))
    level = {"confidence_level": confidence_level}
    if clusters is None or not bins:
        return Calibration(predicted, value, *share_interval(value, n, **level), n)
    grouped = [group_items(people[one], np.asarray(clusters)[one]) for one in bins]
    ends = [clustered_share(one, by=("document",), **level) for one in grouped]
    return Calibration(
        predicted, value, *(np.array([getattr(one, end) for one in ends]) for end in ("low", "high")), n
    )


@dataclass(frozen=True)
class Corrected:
    """Estimated share that people would pass, from a judge's verdicts; float arrays (...).

    Attributes
    ----------
    value, low, high : in [0, 1]
        The value is NaN, and the interval from 0 to 1, where the judge passes as much of what people fail as
        of what they pass. Where the interval lies wholly outside [0, 1], the rates are not those of the
        target: the value is the nearer limit, and there is no interval (NaN).
    standard_error : by the delta method
    judge_passes : share of the target that the judge passes
    tpr, tnr : on the labelled items
    confidence_level : float
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    standard_error: np.ndarray
    judge_passes: np.ndarray
    tpr: np.ndarray
    tnr: np.ndarray
    confidence_level: float
    _influence: np.ndarray = field(repr=False)  # (..., n_clusters), before the value is cut to [0, 1]
    _estimate: np.ndarray = field(repr=False)

    def minus(self, other: Corrected) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Difference of two systems' shares with its interval by the delta method: value, low, high.

        Both must be of the same items or clusters, whose influences are subtracted, so that common sources of
        error, such as the labels behind the judge's rates or the documents, cancel.
        """
        if self._influence.shape[-1] != other._influence.shape[-1]:
            raise DataError("only systems with the same items, or the same clusters, can be subtracted")
        value = self._estimate - other._estimate
        reach = normal_reach(self.confidence_level) * _error(self._influence - other._influence)
        low, high = (np.where(np.isnan(value), end, value + end * reach) for end in (-1.0, 1.0))
        return np.clip(value, -1, 1), *_inside(low, high, -1, 1)


def corrected(
    judge: np.ndarray,
    people: np.ndarray,
    *,
    target: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
    confidence_level: float = 0.95,
) -> Corrected:
    """Rogan and Gladen's estimate of the share that people would pass, with an interval.

    Parameters
    ----------
    judge : float array (..., n_items) of 0 and 1, NaN where missing
    people : float array (..., n_items) of 0 and 1, NaN where not labelled
        Labelled at random, or on items where the judge is right as often as on the target.
    target : bool array (..., n_items), by default all
        The items whose share is estimated.
    clusters : int array (n_items,), by default each item its own
        Items with the same number, such as summaries of one source, are dependent.
    confidence_level : float in (0, 1)

    Returns
    -------
    Corrected

    Notes
    -----
    Where labels are few, or a judge errs often, it scatters more than people's labels alone, and
    `metaeval.stats.prediction.predicted_mean` does not (Chen et al. 2026).

    Examples
    --------
    >>> judge = [1, 1, 1, 1, 0, 1, 0, 1, 1, 0]
    >>> people = [1, 1, 1, 0, 0, 0] + 4 * [float("nan")]
    >>> estimate = corrected(judge, people)
    >>> round(float(estimate.judge_passes), 2), round(float(estimate.tpr), 2), round(float(estimate.tnr), 2)
    (0.7, 1.0, 0.33)
    >>> round(float(estimate.value), 2)
    0.1
    """
    check_confidence_level(confidence_level)
    judge, people = _verdicts(judge, people)
    answered = ~np.isnan(judge)
    target = answered if target is None else answered & np.asarray(target)
    labelled = answered & ~np.isnan(people)
    j, y = np.where(answered, judge, 0.0), np.where(labelled, people, 0.0)
    passing, failing = labelled * y, labelled * (1 - y)
    parts = np.stack(
        np.broadcast_arrays(target * j, target * 1.0, passing * j, passing, failing * j, failing)
    )
    if clusters is not None:
        names, place = np.unique(clusters, return_inverse=True)
        items, parts = parts, np.zeros((*parts.shape[:-1], len(names)))
        np.add.at(parts, (..., place), items)
    sums = parts.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        judge_passes, tpr, fpr = sums[0] / sums[1], sums[2] / sums[3], sums[4] / sums[5]
        estimate = np.where(tpr > fpr, (judge_passes - fpr) / (tpr - fpr), np.nan)  # else uninformative
        totals = sums[..., None]
        share_influence = (parts[0] - judge_passes[..., None] * parts[1]) / totals[1]
        tpr_influence = (parts[2] - tpr[..., None] * parts[3]) / totals[3]
        fpr_influence = (parts[4] - fpr[..., None] * parts[5]) / totals[5]
        estimates = estimate[..., None]
        influence = (share_influence - (1 - estimates) * fpr_influence - estimates * tpr_influence) / (
            tpr - fpr
        )[..., None]
    error = _error(influence)
    reach = normal_reach(confidence_level)
    low, high = estimate - reach * error, estimate + reach * error
    unknown = np.isnan(estimate)
    low, high = (
        np.where(unknown, end, bound) for end, bound in zip((0.0, 1.0), _inside(low, high, 0, 1), strict=True)
    )
    share, rates_ = np.clip(estimate, 0, 1), (judge_passes, tpr, 1 - fpr)
    return Corrected(share, low, high, error, *rates_, confidence_level, influence, estimate)


def _verdicts(judge, people):
    judge, people = double("judge", judge), double("people", people)
    for name, values in (("judge", judge), ("people", people)):
        if not (np.isnan(values) | (values == 0) | (values == 1)).all():
            raise DataError(
                f"`{name}` must hold 1 (passes), 0 (fails) or NaN; cut scores at a threshold first"
            )
    if judge.shape[-1:] != people.shape[-1:]:
        raise DataError(f"`judge` {judge.shape} and `people` {people.shape} must be of the same items")
    return judge, people


def _error(influence):
    """Standard error from the influences of independent clusters (..., n_clusters)."""
    n = influence.shape[-1]
    return np.sqrt((influence**2).sum(axis=-1) * n / max(n - 1, 1))


def _inside(low, high, minimum, maximum):
    """Clip intervals to two limits; NaN where an interval lies outside them."""
    outside = (high < minimum) | (low > maximum)
    return tuple(np.where(outside, np.nan, np.clip(end, minimum, maximum)) for end in (low, high))
