r"""stats.bias: biases of a judge: towards the first position, towards length, towards a system.

Arrays (..., n_systems, n_documents) in, NaN where missing, estimates with intervals out. Summaries of one
system, and of one document, may depend on each other, and not on others (Cameron, Gelbach and Miller 2011):

.. math:: SE^2 = SE_s^2 + SE_d^2 - SE_{sd}^2,

and no less than the larger of the first two. Of a mean, which is a sum of one term :math:`\psi_{sd}` a
summary, and of a slope :math:`\hat\beta`, with *G* clusters, each of which is left out once:

.. math:: SE_g^2 = \frac{G}{G - 1} \sum_g \Big(\sum_{sd \in g} \psi_{sd}\Big)^2, \qquad
   SE_g^2 = \frac{G - 1}{G} \sum_g \big(\hat\beta_{(g)} - \hat\beta\big)^2.

The second is the jackknife of MacKinnon, Nielsen and Webb (2024), which stays valid where few clusters decide
the slope; for means of equally many summaries the two coincide. Intervals are Student's *t*, by the smaller
number of clusters.
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
        NaN without a value; error and ends also where they cannot be estimated: with one cluster, without any
        spread, or for a slope that a single cluster determines.
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
    """Mean over all summaries.

    Parameters
    ----------
    values : float array (..., n_systems, n_documents), NaN where missing
    by : of "system" and "document"
        Clusters within which values depend on each other. Without systems, the interval applies to these
        systems only.
    confidence_level : float in (0, 1)

    Examples
    --------
    >>> mean = clustered_mean([[0.0, 1.0, 1.0], [0.0, 1.0, 2.0]], by=("document",))
    >>> round(float(mean.value), 3), round(float(mean.standard_error), 3)
    (0.833, 0.441)
    """
    values = double("values", values)
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = present.sum(axis=(-2, -1))
        largest = np.abs(np.where(present, values, 0.0)).max(axis=(-2, -1), initial=0, keepdims=True)
        unit = np.ldexp(1.0, np.frexp(largest)[1])  # keeps the squares in range, and rounds nothing
        values = values / unit
        mean = np.where(present, values, 0.0).sum(axis=(-2, -1)) / n
        terms = _centred(values, present) / n[..., None, None]

    def square(axes, size):
        return size / (size - 1) * (terms.sum(axis=axes, keepdims=True) ** 2).sum(axis=(-2, -1))

    return _clustered(mean, square, present, by, confidence_level, unit[..., 0, 0])


def clustered_slope(
    values, regressor, *, control=None, by: tuple[str, ...] = BOTH, confidence_level: float = 0.95
) -> Clustered:
    """Slope of a least-squares line, over all summaries.

    Parameters
    ----------
    values : float array (..., n_systems, n_documents), NaN where missing
    regressor : float array (n_systems, n_documents)
        Such as lengths; NaN where missing.
    control : float array (n_systems, n_documents), optional
        A second regressor; the slope is then that with it held fixed.
    by, confidence_level : see `clustered_mean`

    Examples
    --------
    >>> slope = clustered_slope([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0]], [[0.0, 1.0, 3.0], [0.0, 1.0, 3.0]])
    >>> float(slope.value.round(6))
    1.0
    """
    values, regressor = double("values", values), double("on", regressor)
    control = np.zeros_like(regressor) if control is None else double("given", control)
    if regressor.shape != values.shape[-2:] or control.shape != regressor.shape:
        raise DataError(
            f"regressors must be of the summaries {values.shape[-2:]}, got {regressor.shape} and "
            f"{control.shape}"
        )
    present = ~np.isnan(values) & ~np.isnan(regressor) & ~np.isnan(control)
    sides = np.stack([_centred(side, present) for side in (control, regressor, values)])
    largest = np.abs(sides).max(axis=(-2, -1), initial=0, keepdims=True)  # keeps the squares in range
    sides = np.stack([present, *sides / np.where(largest > 0, largest, 1.0)])
    products = sides[:, None] * sides
    whole = products.sum(axis=(-2, -1), keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = _slope(whole, whole)

        def square(axes, size):
            without = _slope(whole - products.sum(axis=axes, keepdims=True), whole)
            return (size - 1) / size * ((without - slope) ** 2).sum(axis=(-2, -1))

        unit = (largest[2] / largest[1])[..., 0, 0]
        return _clustered(slope[..., 0, 0], square, present, by, confidence_level, unit)


def _centred(values, present):
    """Deviations from the mean of all summaries."""
    values, present = np.broadcast_arrays(values, present)
    flat = (*values.shape[:-2], -1)
    return centred(values.reshape(flat), present.reshape(flat)).reshape(values.shape)


def _slope(sums, whole):
    """Slope of the third of three variables on the second, with the first held fixed, by sums of products
    (4, 4, ...) of 1 and these; NaN where next to nothing remains of the square in the `whole` sums."""
    control, regressor, outcome = range(3)
    central = sums[1:, 1:] - sums[1:, :1] * sums[:1, 1:] / sums[0, 0]
    held = central[control, control] > SQUARES_TIE * whole[1, 1]
    share = np.where(held, central[control] / np.where(held, central[control, control], 1.0), 0.0)
    square, product = (
        central[regressor, side] - share[regressor] * central[control, side] for side in (regressor, outcome)
    )
    return np.where(square > SQUARES_TIE * whole[2, 2], product / square, np.nan)


def _clustered(value, square, present, by, confidence_level, unit=1.0) -> Clustered:
    """Estimates from values and from squared errors, which `square` sums over some axes, both in `unit`."""
    check_confidence_level(confidence_level)
    for name in by:
        choose("clustering", name, _AXES)
    if not by:
        raise ValueError("at least one clustering is required: system, document or both")
    n = present.sum(axis=(-2, -1))
    sizes, squares = {}, {}
    with np.errstate(invalid="ignore", divide="ignore"):
        for name in by:
            others = _AXES["document" if name == "system" else "system"]
            sizes[name] = present.any(axis=others).sum(axis=-1)
            # a single system is no clustering and carries no information on others
            squares[name] = np.where(sizes[name] > 1, square(others, sizes[name]), 0.0)
        counted = {name: np.where(size > 1, size, np.nan) for name, size in sizes.items()}
        total = np.maximum.reduce(list(squares.values()))
        if len(by) > 1:
            total = np.maximum(total, sum(squares.values()) - square((), n))
        clusters = np.fmin.reduce(list(counted.values()))
        # NaN where the spread is only rounding errors
        error = np.where(total > SQUARED_ERROR_TIE, np.sqrt(total), np.nan) * unit
        reach = scipy.stats.t.ppf(0.5 + confidence_level / 2, clusters - 1) * error
    value = value * unit
    return Clustered(value, error, value - reach, value + reach, n, np.nan_to_num(clusters).astype(int))


def clustered_share(values, *, by: tuple[str, ...] = BOTH, confidence_level: float = 0.95) -> Clustered:
    """Share of 1 among values of 0 and 1, with an interval that stays in [0, 1] and has a length at both.

    Parameters
    ----------
    values, by, confidence_level : see `clustered_mean`

    Notes
    -----
    Korn and Graubard 1998: Clopper and Pearson's interval for as many independent values as would give the
    same standard error; where nothing varies, for as many as there are clusters.
    """
    mean = clustered_mean(values, by=by, confidence_level=confidence_level)
    share, n, tail = mean.value, mean.n_used, (1 - confidence_level) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = share * (1 - share) / mean.standard_error**2
        freedom = (scipy.stats.t.ppf(tail, n - 1) / scipy.stats.t.ppf(tail, mean.n_clusters - 1)) ** 2
    units = np.where(np.isnan(alike), mean.n_clusters, alike * freedom)
    low, high = share_interval(share, np.where(units > 0, units, np.nan), confidence_level=confidence_level)
    return Clustered(share, mean.standard_error, low, high, n, mean.n_clusters)


def first_shown(choices) -> np.ndarray:
    """Share of the two orders in which a pair's first summary is chosen: 0, 1/2 or 1.

    Parameters
    ----------
    choices : float array (..., 2, n_systems, n_documents)
        Shown as listed, then swapped: 1 where the first as listed is chosen, 0 the second, 0.5 neither; NaN
        without an answer.

    Returns
    -------
    float array (..., n_systems, n_documents)
        NaN where either answer is missing. With both, the better summary's advantage cancels.
    """
    choices = double("choices", choices)
    return (choices[..., 0, :, :] + 1 - choices[..., 1, :, :]) / 2


def flipped(choices) -> np.ndarray:
    """Mark pairs 1 where the choice changes with the order, else 0; see `first_shown`."""
    choices = double("choices", choices)
    listed, swapped = choices[..., 0, :, :], choices[..., 1, :, :]
    return np.where(np.isnan(listed) | np.isnan(swapped), np.nan, listed != swapped).astype(float)


def own_less_others(judge, people, own: int) -> np.ndarray:
    """Judge's scores minus people's for one system, less the same difference for the other systems.

    Parameters
    ----------
    judge, people : float arrays (..., n_systems, n_documents)
    own : int
        Position of the system.

    Returns
    -------
    float array (..., 1, n_documents)
        One difference for each document.
    """
    beyond = double("judge", judge) - double("people", people)
    others = np.delete(beyond, own, axis=-2)
    return beyond[..., own : own + 1, :] - others.mean(axis=-2, keepdims=True)


def repeat_variance(answers) -> np.ndarray:
    """Variance of repeated answers to one summary, on their own scale, after subtracting each round's mean.

    Parameters
    ----------
    answers : float array (n_rounds, ..., n_systems, n_documents), n_rounds at least 2

    Returns
    -------
    float array (..., n_systems, n_documents)
        Its mean is the variance of one answer about the rater's expected answer.
    """
    answers = double("answers", answers)
    if len(answers) < 2:
        raise DataError(f"repeated answers need at least two rounds, got {len(answers)}")
    return (answers - np.nanmean(answers, axis=(-2, -1), keepdims=True)).var(axis=0, ddof=1)


def match_scale(scores, ratings) -> np.ndarray:
    """Map scores to the scale of ratings: each becomes the rating at its quantile of the ranks.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), NaN where missing
    ratings : float array of any shape, NaN where missing

    Returns
    -------
    float array as `scores`
        Each rating occurs as often as in `ratings`, as far as ties allow; a constant becomes the median.
    """
    scores, ratings = double("scores", scores), np.sort(np.ravel(double("ratings", ratings)))
    ratings = ratings[~np.isnan(ratings)]
    flat = scores.reshape(-1, scores.shape[-2] * scores.shape[-1])
    ranks = scipy.stats.rankdata(flat, axis=1, nan_policy="omit")
    n = (~np.isnan(flat)).sum(axis=1, keepdims=True)
    place = (ranks - 0.5) / np.where(n > 0, n, 1) * len(ratings)
    matched = ratings[np.nan_to_num(place).astype(int).clip(0, len(ratings) - 1)]
    return np.where(np.isnan(flat), np.nan, matched).reshape(scores.shape)
