r"""stats.bias: how a judge is partial: to what is shown first, to length, to a system.

Arrays (..., n_systems, n_documents) in, NaN where missing, estimates with intervals out. Summaries of one
system, and of one document, may depend on each other, and not on others (Cameron, Gelbach and Miller 2011):

.. math:: SE^2 = SE_s^2 + SE_d^2 - SE_{sd}^2,

and no less than the larger of the first two. Of a mean, which is a sum of one term :math:`\psi_{sd}` a
summary, and of a slope :math:`\hat\beta`, with *G* clusters, each of which is left out once:

.. math:: SE_g^2 = \frac{G}{G - 1} \sum_g \Big(\sum_{sd \in g} \psi_{sd}\Big)^2, \qquad
   SE_g^2 = \frac{G - 1}{G} \sum_g \big(\hat\beta_{(g)} - \hat\beta\big)^2.

The second is the jackknife of MacKinnon, Nielsen and Webb (2024), which holds where few clusters decide the
slope; for means of equally many summaries the two are one. Intervals are Student's *t*, by the smaller number
of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_confidence_level
from metaeval.stats.correlation import centred
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.ties import SQUARED_ERROR_TIE, SQUARES_TIE, double

BOTH = ("system", "document")
_AXES = {"system": -2, "document": -1}


@dataclass(frozen=True)
class Clustered:
    """Estimates whose errors allow for clusters, arrays (...).

    Attributes
    ----------
    value, standard_error, low, high
        NaN without a value; error and ends also where there is one cluster, or no spread at all, from which
        none can be told, and of a slope that one cluster alone makes.
    n_used : int array
        Summaries, or pairs, that entered.
    n_clusters : int array
        The smaller of the numbers of systems and documents, of those that count.
    """

    value: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_used: np.ndarray
    n_clusters: np.ndarray


def clustered_mean(values, *, by: tuple[str, ...] = BOTH, confidence_level: float = 0.95) -> Clustered:
    """The mean over all summaries.

    Parameters
    ----------
    values : float array (..., n_systems, n_documents), NaN where missing
    by : of "system" and "document"
        Within which values depend on each other. Without systems the interval speaks of these systems only.
    confidence_level : float in (0, 1)

    Examples
    --------
    >>> found = clustered_mean([[0.0, 1.0, 1.0], [0.0, 1.0, 2.0]], by=("document",))
    >>> round(float(found.value), 3), round(float(found.standard_error), 3)
    (0.833, 0.441)
    """
    values = double("values", values)
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = known.sum(axis=(-2, -1))
        largest = np.abs(np.where(known, values, 0.0)).max(axis=(-2, -1), initial=0, keepdims=True)
        unit = np.ldexp(1.0, np.frexp(largest)[1])  # keeps the squares in range, and rounds nothing
        values = values / unit
        mean = np.where(known, values, 0.0).sum(axis=(-2, -1)) / n
        terms = _centred(values, known) / n[..., None, None]

    def square(axes, size):
        return size / (size - 1) * (terms.sum(axis=axes, keepdims=True) ** 2).sum(axis=(-2, -1))

    return _clustered(mean, square, known, by, confidence_level, unit[..., 0, 0])


def clustered_slope(
    values, on, *, given=None, by: tuple[str, ...] = BOTH, confidence_level: float = 0.95
) -> Clustered:
    """The slope of a least-squares line, over all summaries.

    Parameters
    ----------
    values : float array (..., n_systems, n_documents), NaN where missing
    on : float array (n_systems, n_documents)
        Such as lengths; NaN where missing.
    given : float array (n_systems, n_documents), optional
        A second regressor; the slope is then that with it held fixed.
    by, confidence_level : see `clustered_mean`

    Examples
    --------
    >>> found = clustered_slope([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0]], [[0.0, 1.0, 3.0], [0.0, 1.0, 3.0]])
    >>> float(found.value.round(6))
    1.0
    """
    values, on = double("values", values), double("on", on)
    given = np.zeros_like(on) if given is None else double("given", given)
    if on.shape != values.shape[-2:] or given.shape != on.shape:
        raise DataError(
            f"regressors must be of the summaries {values.shape[-2:]}, got {on.shape} and {given.shape}"
        )
    known = ~np.isnan(values) & ~np.isnan(on) & ~np.isnan(given)
    sides = np.stack([_centred(side, known) for side in (given, on, values)])
    largest = np.abs(sides).max(axis=(-2, -1), initial=0, keepdims=True)  # keeps the squares in range
    sides = np.stack([known, *sides / np.where(largest > 0, largest, 1.0)])
    products = sides[:, None] * sides
    whole = products.sum(axis=(-2, -1), keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = _slope(whole, whole)

        def square(axes, size):
            without = _slope(whole - products.sum(axis=axes, keepdims=True), whole)
            return (size - 1) / size * ((without - slope) ** 2).sum(axis=(-2, -1))

        unit = (largest[2] / largest[1])[..., 0, 0]
        return _clustered(slope[..., 0, 0], square, known, by, confidence_level, unit)


def _centred(values, known):
    """Deviations from the mean of all summaries."""
    values, known = np.broadcast_arrays(values, known)
    flat = (*values.shape[:-2], -1)
    return centred(values.reshape(flat), known.reshape(flat)).reshape(values.shape)


def _slope(sums, whole):
    """The slope of the third of three variables on the second, with the first held fixed, by sums of products
    (4, 4, ...) of 1 and these; NaN where hardly anything of what the `whole` sums hold of it is left."""
    given, on, values = range(3)
    central = sums[1:, 1:] - sums[1:, :1] * sums[:1, 1:] / sums[0, 0]
    held = central[given, given] > SQUARES_TIE * whole[1, 1]
    share = np.where(held, central[given] / np.where(held, central[given, given], 1.0), 0.0)
    square, product = (central[on, side] - share[on] * central[given, side] for side in (on, values))
    return np.where(square > SQUARES_TIE * whole[2, 2], product / square, np.nan)


def _clustered(value, square, known, by, confidence_level, unit=1.0) -> Clustered:
    """Of values and of squared errors, which `square` sums over given axes, both in some unit."""
    check_confidence_level(confidence_level)
    for name in by:
        choose("clustering", name, _AXES)
    if not by:
        raise ValueError("no clustering is named: name system, document or both")
    n = known.sum(axis=(-2, -1))
    sizes, squares = {}, {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name in by:
            others = _AXES["document" if name == "system" else "system"]
            sizes[name] = known.any(axis=others).sum(axis=-1)
            # one system alone is no clustering, and says nothing of others
            squares[name] = np.where(sizes[name] > 1, square(others, sizes[name]), 0.0)
        counted = {name: np.where(size > 1, size, np.nan) for name, size in sizes.items()}
        total = np.maximum.reduce(list(squares.values()))
        if len(by) > 1:
            total = np.maximum(total, sum(squares.values()) - square((), n))
        clusters = np.fmin.reduce(list(counted.values()))
        # without any spread but rounding errors
        error = np.where(total > SQUARED_ERROR_TIE, np.sqrt(total), np.nan) * unit
        reach = scipy.stats.t.ppf(0.5 + confidence_level / 2, clusters - 1) * error
    value = value * unit
    return Clustered(value, error, value - reach, value + reach, n, np.nan_to_num(clusters).astype(int))


def clustered_share(values, *, by: tuple[str, ...] = BOTH, confidence_level: float = 0.95) -> Clustered:
    """A share, of values of 0 and 1, whose interval stays within 0 and 1 and has a length at both.

    Parameters
    ----------
    values, by, confidence_level : see `clustered_mean`

    Notes
    -----
    Korn and Graubard 1998: Clopper and Pearson's interval for as many independent values as would give the
    same standard error; where nothing varies, for as many as there are clusters.
    """
    found = clustered_mean(values, by=by, confidence_level=confidence_level)
    share, n, tail = found.value, found.n_used, (1 - confidence_level) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = share * (1 - share) / found.standard_error**2
        freedom = (scipy.stats.t.ppf(tail, n - 1) / scipy.stats.t.ppf(tail, found.n_clusters - 1)) ** 2
    units = np.where(np.isnan(alike), found.n_clusters, alike * freedom)
    low, high = share_interval(share, np.where(units > 0, units, np.nan), confidence_level=confidence_level)
    return Clustered(share, found.standard_error, low, high, n, found.n_clusters)


def first_shown(choices) -> np.ndarray:
    """How often each pair's first shown is chosen, in two orders: 0, half the times, or always.

    Parameters
    ----------
    choices : float array (..., 2, n_systems, n_documents)
        Shown as listed, then swapped: 1 where the first as listed is chosen, 0 the second, 0.5 neither; NaN
        without an answer.

    Returns
    -------
    float array (..., n_systems, n_documents)
        NaN where either answer is missing. With both, whichever is better cancels.
    """
    choices = double("choices", choices)
    return (choices[..., 0, :, :] + 1 - choices[..., 1, :, :]) / 2


def flipped(choices) -> np.ndarray:
    """Whether a pair's choice is another in the other order: 1 or 0; see `first_shown`."""
    choices = double("choices", choices)
    listed, swapped = choices[..., 0, :, :], choices[..., 1, :, :]
    return np.where(np.isnan(listed) | np.isnan(swapped), np.nan, listed != swapped).astype(float)


def own_less_others(judge, people, own: int) -> np.ndarray:
    """What a judge gives one system beyond people, minus what it gives the others beyond people.

    Parameters
    ----------
    judge, people : float arrays (..., n_systems, n_documents)
    own : int
        The system's place.

    Returns
    -------
    float array (..., 1, n_documents)
        One difference for each document.
    """
    beyond = double("judge", judge) - double("people", people)
    others = np.delete(beyond, own, axis=-2)
    return beyond[..., own : own + 1, :] - others.mean(axis=-2, keepdims=True)


def beyond_line(judge, people) -> np.ndarray:
    """What a judge gives each summary beyond the line of its systems' means on people's.

    The line takes out leniency and use of the scale; the mean of what is left is the judge's favour for a
    system (Gera et al. 2025).

    Parameters
    ----------
    judge, people : float arrays (..., n_systems, n_documents), n_systems at least 3

    Returns
    -------
    float array (..., n_systems, n_documents)
    """
    judge, people = double("judge", judge), double("people", people)
    if judge.shape[-2] < 3:
        raise DataError(f"a line needs at least three systems to leave anything, got {judge.shape[-2]}")
    ours, theirs = (np.nanmean(side, axis=-1) for side in (judge, people))
    x = theirs - theirs.mean(axis=-1, keepdims=True)
    square = (x**2).sum(axis=-1)
    slope = (x * ours).sum(axis=-1) / np.where(square > 0, square, 1.0)
    level = ours.mean(axis=-1) - slope * theirs.mean(axis=-1)
    return judge - level[..., None, None] - slope[..., None, None] * people


def repeat_variance(answers) -> np.ndarray:
    """Variance of repeated answers to one summary, on their own scale, the rounds' means taken off.

    Parameters
    ----------
    answers : float array (n_rounds, ..., n_systems, n_documents), n_rounds at least 2

    Returns
    -------
    float array (..., n_systems, n_documents)
        Its mean is the variance of one answer about what the rater always gives.
    """
    answers = double("answers", answers)
    if len(answers) < 2:
        raise DataError(f"repeated answers need at least two rounds, got {len(answers)}")
    return (answers - np.nanmean(answers, axis=(-2, -1), keepdims=True)).var(axis=0, ddof=1)


def on_scale_of(scores, ratings) -> np.ndarray:
    """Scores in the same order as ratings: each becomes the rating that stands at its share of the ranks.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    ratings : float array of any shape, NaN where missing

    Returns
    -------
    float array as `scores`
        Used as often as people use each rating, as far as ties let it; all of a constant the median.
    """
    scores, ratings = double("scores", scores), np.sort(np.ravel(double("ratings", ratings)))
    ratings = ratings[~np.isnan(ratings)]
    flat = scores.reshape(-1, scores.shape[-2] * scores.shape[-1])
    ranks = scipy.stats.rankdata(flat, axis=1, nan_policy="omit")
    n = (~np.isnan(flat)).sum(axis=1, keepdims=True)
    place = (ranks - 0.5) / np.where(n > 0, n, 1) * len(ratings)
    found = ratings[np.nan_to_num(place).astype(int).clip(0, len(ratings) - 1)]
    return np.where(np.isnan(flat), np.nan, found).reshape(scores.shape)
