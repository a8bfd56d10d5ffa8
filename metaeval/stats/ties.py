"""stats.ties: equality of numbers up to rounding errors; every tolerance of the engine and the experiments.

Systems whose ratings have the same mean get sums that differ in the last bit with the order of the documents,
and rank correlations depend on which of them is called the higher. Rounding to a grid repairs most such
pairs, except those that straddle a border of the grid. Comparing neighbours has no borders.
"""

from __future__ import annotations

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from numbers import Real

import numpy as np

from metaeval.core.errors import DataError

# Means of systems, relative to the largest mean: thousands of times a rounding error, and far below any real
# difference.
MEAN_TIE = 1e-12
# Means that are exactly zero are computed with the rounding errors of their terms: relative to the largest
# score.
SMALLEST_SCALE = 0.01
# Standardised scores (mean 0, variance 1): one subtraction and division more than for a score.
STANDARD_TIE = 1e-11
# Differences of correlations, observed and resampled: each the result of some thousand operations on
# numbers near 1.
DIFFERENCE_TIE = 1e-9
# Correlations nearer to 1 or -1 than this are taken for it on Fisher's scale, where 1 has no place.
FISHER_TIE = 1e-6
# Distances of two means from the ends of a window, relative to the largest distance.
WINDOW_TIE = 1e-9
# Sums of products of three correlations, where 0 means that two of the variables are identical: thousands of
# times the rounding error of a correlation.
DETERMINANT_TIE = 1e-12
# Sums of squares about a mean, relative to their number times the largest square.
SQUARES_TIE = 1e-12
# Agreement by chance near 1, where no variation remains: a sum of products of shares.
CHANCE_TIE = 1e-12
# Correlations of one metric under two names, whose scores were released with different rounding.
COPY_TIE = 1e-5
# A tau near 1 or -1, beyond which rounding errors may lie: the result of a few operations.
TAU_TIE = 1e-9
# Single scores, such as those of a summary in two releases: each the result of a few operations.
SCORE_TIE = 1e-12
# Convergence of a slope fitted in steps, relative to the slope, whose draws scatter by far more.
SLOPE_TOLERANCE = 1e-10
# Newton's steps on strengths of systems: one this small has squared its error.
STEP_TOLERANCE = 1e-5
# Numbers of runs or documents that a division has pushed past a whole number.
COUNT_TIE = 1e-9
# Parameters of a Dirichlet distribution, which have to be positive.
CONCENTRATION_FLOOR = 1e-9
# Added to the curvature of a likelihood, so that what votes say nothing about can be solved for.
CURVATURE_FLOOR = 1e-12
# Factor on random numbers up to 1 that break ties of mean ratings: far below a step of the scale.
TIE_BREAK = 1e-6
# Squared standard errors of scores near 1 that are zero up to rounding errors.
SQUARED_ERROR_TIE = np.finfo(float).eps ** 2
# Decimal places that rounding errors do not reach.
SURE_DIGITS = 12
# The largest score: the sum of a hundred million of them is still a double.
LARGEST = 1e300


def double(name: str, values) -> np.ndarray:
    """Convert scores to doubles; shorter floats are read as the decimal numbers that they represent.

    In float32, 0.1 and 0.3 are off by about 1e-8, so that equal sums differ by more than any rounding error
    of doubles. Read as the shortest decimals that give the same float32, they are the numbers originally
    written, and no float32 is changed.

    Parameters
    ----------
    name : str
        Name of the argument, for the error.
    values : array of numbers; NaN where missing

    Returns
    -------
    float64 array

    Raises
    ------
    DataError
        If the array holds anything but numbers, an infinite one, or one beyond 1e300.
    """
    array = np.asarray(values)
    if array.ndim and array.dtype == object and all(isinstance(value, Real | None) for value in array.flat):
        array = array.astype(float)  # such as a row of a table with names in it
    if array.dtype.kind not in "fiub":
        raise DataError(f"`{name}` must hold numbers, got an array of {array.dtype}")
    doubles = array.astype(float, copy=False)
    if np.isinf(doubles).any():
        raise DataError(
            f"`{name}` holds {int(np.isinf(doubles).sum())} infinite scores; use NaN for a missing score"
        )
    beyond = int((np.abs(doubles) > LARGEST).sum())
    if beyond:
        raise DataError(
            f"`{name}` holds {beyond} scores beyond {LARGEST:g}, whose sums are out of range; give them in a "
            "larger unit"
        )
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        doubles = _as_decimals(array, doubles)
    return doubles


def _as_decimals(short: np.ndarray, doubles: np.ndarray) -> np.ndarray:
    """Shortest decimals that `short` (float16 or float32) represents; `doubles` are its exact values."""
    sure = np.finfo(short.dtype).precision  # decimals of this many digits survive the short type
    with np.errstate(divide="ignore"):
        place = np.floor(np.log10(np.abs(np.where(doubles == 0, 1.0, doubles))))
    out, unresolved = doubles.copy(), np.isfinite(doubles)
    for n_digits in range(sure, sure + 4):
        exponent = (n_digits - 1 - place[unresolved]).astype(int)
        # dividing by a power of ten rounds once, so this is the double nearest to the decimal
        up, down = 10.0 ** np.maximum(exponent, 0), 10.0 ** np.maximum(-exponent, 0)
        decimal = np.rint(doubles[unresolved] / down * up) / up * down
        same = decimal.astype(short.dtype) == short[unresolved]
        out[unresolved] = np.where(same, decimal, out[unresolved])
        unresolved[unresolved] = ~same
    return out


def equalised(values: np.ndarray, tolerance: float | np.ndarray) -> np.ndarray:
    """Make neighbours in size, along the last axis, equal where they differ by at most `tolerance`.

    Parameters
    ----------
    values : float array (..., n); NaN stays NaN
    tolerance : float, or array (..., 1)

    Returns
    -------
    float array (..., n)
        Every value is the smallest of the values tied with it.
    """
    ordered = np.sort(values, axis=-1)
    between = np.diff(ordered, axis=-1)
    if not ((between > 0) & (between <= tolerance)).any():  # the usual case, which only sorts
        return values.copy()
    order = np.argsort(values, axis=-1)
    apart = np.ones(values.shape, dtype=bool)
    apart[..., 1:] = ~(between <= tolerance)  # NaN, sorted last, is apart from all
    first = np.maximum.accumulate(np.where(apart, np.arange(values.shape[-1]), 0), axis=-1)
    out = np.empty_like(values)
    np.put_along_axis(out, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return out


def equal_on_paper(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Compare two arrays of scores in [0, 1] up to rounding errors; two missing scores (NaN) are equal.

    Parameters
    ----------
    one, other : arrays of numbers, broadcast against each other; short floats are read as decimals

    Returns
    -------
    bool array
    """
    one, other = double("one", one), double("other", other)
    return (np.abs(one - other) <= SCORE_TIE) | (np.isnan(one) & np.isnan(other))


def signs(differences: np.ndarray, tolerance: float) -> np.ndarray:
    """Sign of each difference, 0 where it is only a rounding error; NaN stays NaN.

    Examples
    --------
    >>> signs(np.array([0.2, -0.3, 0.1 + 0.2 - 0.3, np.nan]), SCORE_TIE).tolist()
    [1.0, -1.0, 0.0, nan]
    """
    return np.where(np.abs(differences) <= tolerance, 0.0, np.sign(differences))


def prints_as(value: float, printed: str) -> bool:
    """True if a number equals a printed one when rounded to the printed digits.

    A number half-way between two printed ones may be either of them: 0.765 is stored as a little less or
    more. A half that is stored exactly, such as 0.75, is rounded up or to the even digit.

    Parameters
    ----------
    value : float
    printed : str
        A decimal number; of more than 12 decimal places only the first 12 count, up to 1 in the last.

    Examples
    --------
    >>> prints_as(0.01 + 0.075, ".09"), prints_as(0.01 + 0.075, ".08"), 0.01 + 0.075 < 0.085
    (True, True, True)
    >>> prints_as(0.75, ".8"), prints_as(0.75, ".7"), prints_as(0.125, ".12"), prints_as(0.125, ".13")
    (True, False, True, True)
    """
    if not np.isfinite(value):
        return False
    number = Decimal(printed)
    n_digits = -number.as_tuple().exponent
    if n_digits > SURE_DIGITS:
        return bool(abs(value - float(printed)) <= 10.0**-SURE_DIGITS)
    # restores halves that rounding errors have changed
    written = Decimal(f"{value:.{SURE_DIGITS}f}")
    unit = Decimal(1).scaleb(-n_digits)
    other = ROUND_HALF_EVEN if Decimal(float(written)) == written else ROUND_HALF_DOWN
    return number in {written.quantize(unit, rounding=way) for way in (ROUND_HALF_UP, other)}


def places_of(values: np.ndarray) -> np.ndarray:
    """Rank of each value, 1 the highest; values that differ only by rounding share the better rank.

    Parameters
    ----------
    values : float array (..., n)

    Returns
    -------
    int array (..., n)
        NaN comes last.

    Examples
    --------
    >>> places_of(np.array([0.3, 0.5, 0.3 + 1e-15, np.nan, 0.1])).tolist()
    [2, 1, 2, 5, 4]
    """
    finite = np.nan_to_num(values, nan=-np.inf)
    return 1 + (finite[..., :, None] < finite[..., None, :] - DIFFERENCE_TIE).sum(axis=-1)


def system_means(scores: np.ndarray) -> np.ndarray:
    """Mean over documents of each system's scores; means that differ only by rounding are made equal.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents); NaN cells are left out of their system's mean

    Returns
    -------
    float array (..., n_systems)
        NaN for a system without any score.
    """
    scores = double("scores", scores)
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = filled.sum(axis=-1) / present.sum(axis=-1)
    largest = np.nanmax(np.abs(means), axis=-1, keepdims=True, initial=0)
    smallest_scale = SMALLEST_SCALE * np.abs(filled).max(axis=(-2, -1), initial=0)[..., None]
    return equalised(means, MEAN_TIE * np.maximum(largest, smallest_scale))
