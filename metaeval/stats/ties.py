"""stats.ties: when two numbers are equal on paper although rounding has parted them; every tolerance of the
engine and of the experiments.

Systems whose ratings have the same mean get sums that differ in the last bit with the order of the
documents, and rank correlations change with which of them is called the higher. Rounding to a grid mends
most such pairs; now and then one straddles a border of the grid. Comparing neighbours has no borders.
"""

from __future__ import annotations

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from numbers import Real

import numpy as np

from metaeval.core.errors import DataError

# Means of systems: of the largest mean; thousands of times a rounding error, and far below any real
# difference.
MEAN_TIE = 1e-12
# Means that are zero on paper are zero but for the rounding errors of what they sum: of the largest score.
SMALLEST_SCALE = 0.01
# Standardised scores (mean 0, variance 1): one more subtraction and division than a score has seen.
STANDARD_TIE = 1e-11
# Differences of correlations, observed and resampled: each the result of some thousand operations on
# numbers near 1.
DIFFERENCE_TIE = 1e-9
# Distances of two means against the ends of a window: of the largest distance.
WINDOW_TIE = 1e-9
# Sums of products of three correlations, where 0 says that two of the variables are one: thousands of times
# the rounding error of a correlation.
DETERMINANT_TIE = 1e-12
# Sums of squares about a mean: of as many times the largest square.
SQUARES_TIE = 1e-12
# Agreement by chance against 1, where nothing is left to explain: a sum of products of shares.
CHANCE_TIE = 1e-12
# correlations of one metric under two names, whose scores were released with other roundings
COPY_TIE = 1e-5
# A tau against 1 and -1, which rounding errors exceed: the result of a few operations.
TAU_TIE = 1e-9
# Single scores, such as two releases give of a summary: each the result of a few operations.
SCORE_TIE = 1e-12
# A slope that is fitted in steps has settled: of the slope, whose draws scatter by far more.
SETTLED = 1e-10
# Breaks ties of mean ratings by chance, times a number up to 1: far below a step of the scale.
TIE_BREAK = 1e-6
# Squared standard errors of scores near 1 that are zero on paper.
SQUARED_ERROR_TIE = np.finfo(float).eps ** 2
# Digits after the point that rounding errors leave alone.
SURE_DIGITS = 12
# The largest score: a hundred million of them have a sum that a double can hold.
LARGEST = 1e300


def double(name: str, values) -> np.ndarray:
    """Scores as an array of doubles; shorter floats are read as the decimal numbers that they stand for.

    In float32, 0.1 and 0.3 are off by some 1e-8, so that sums that are equal on paper differ by more than any
    rounding error of doubles. Read as the shortest decimals that give the same float32, they are what was
    written, and no float32 is changed.

    Parameters
    ----------
    name : str
        Of the argument, for the error.
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
        raise DataError(f"`{name}` holds {int(np.isinf(doubles).sum())} infinite scores; use NaN for none")
    beyond = int((np.abs(doubles) > LARGEST).sum())
    if beyond:
        raise DataError(
            f"`{name}` holds {beyond} scores beyond {LARGEST:g}, whose sums no number holds; give them in a "
            "larger unit"
        )
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        doubles = _as_decimals(array, doubles)
    return doubles


def _as_decimals(short: np.ndarray, doubles: np.ndarray) -> np.ndarray:
    """The shortest decimals that `short` (float16 or float32) stands for; `doubles` are its exact values."""
    sure = np.finfo(short.dtype).precision  # decimals of this many digits survive the short type
    with np.errstate(divide="ignore"):
        place = np.floor(np.log10(np.abs(np.where(doubles == 0, 1.0, doubles))))
    out, left = doubles.copy(), np.isfinite(doubles)
    for n_digits in range(sure, sure + 4):
        exponent = (n_digits - 1 - place[left]).astype(int)
        # dividing by a power of ten rounds once, so this is the double that one would have typed
        up, down = 10.0 ** np.maximum(exponent, 0), 10.0 ** np.maximum(-exponent, 0)
        decimal = np.rint(doubles[left] / down * up) / up * down
        same = decimal.astype(short.dtype) == short[left]
        out[left] = np.where(same, decimal, out[left])
        left[left] = ~same
    return out


def equalised(values: np.ndarray, tolerance: float | np.ndarray) -> np.ndarray:
    """Neighbours in size, along the last axis, that differ by at most `tolerance` made equal.

    Parameters
    ----------
    values : float array (..., n); NaN stays NaN
    tolerance : float, or array (..., 1)

    Returns
    -------
    float array (..., n)
        Every value is the smallest of those that it is tied with.
    """
    ordered = np.sort(values, axis=-1)
    between = np.diff(ordered, axis=-1)
    if not ((between > 0) & (between <= tolerance)).any():  # as most often; sorting is all that this takes
        return values.copy()
    order = np.argsort(values, axis=-1)
    apart = np.ones(values.shape, dtype=bool)
    apart[..., 1:] = ~(between <= tolerance)  # NaN, sorted last, is apart from all
    first = np.maximum.accumulate(np.where(apart, np.arange(values.shape[-1]), 0), axis=-1)
    out = np.empty_like(values)
    np.put_along_axis(out, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return out


def equal_on_paper(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where two arrays of scores in [0, 1] are equal on paper; two missing scores (NaN) are.

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
    """The sign of each difference, 0 where it is 0 on paper; NaN stays NaN.

    Examples
    --------
    >>> signs(np.array([0.2, -0.3, 0.1 + 0.2 - 0.3, np.nan]), SCORE_TIE).tolist()
    [1.0, -1.0, 0.0, nan]
    """
    return np.where(np.abs(differences) <= tolerance, 0.0, np.sign(differences))


def prints_as(value: float, printed: str) -> bool:
    """Whether a number is the one that is printed: equal when rounded to the printed digits.

    What is half-way between two printed numbers may be either of them: of 0.765 a computer holds a little
    less or more. A half that it holds exactly, such as 0.75, programs round up or to the even digit.

    Parameters
    ----------
    value : float
    printed : str
        A decimal number; of more than 12 digits after the point only the first 12 count, and 1 in the last.

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
    # a half that rounding has parted from itself is a half again
    written = Decimal(f"{value:.{SURE_DIGITS}f}")
    unit = Decimal(1).scaleb(-n_digits)
    other = ROUND_HALF_EVEN if Decimal(float(written)) == written else ROUND_HALF_DOWN
    return number in {written.quantize(unit, rounding=way) for way in (ROUND_HALF_UP, other)}


def places_of(values: np.ndarray) -> np.ndarray:
    """The place of each value, 1 the highest; those that are equal on paper share the better one.

    Parameters
    ----------
    values : float array (..., n)

    Returns
    -------
    int array (..., n)
        What has no value comes after all that have.

    Examples
    --------
    >>> places_of(np.array([0.3, 0.5, 0.3 + 1e-15, np.nan, 0.1])).tolist()
    [2, 1, 2, 5, 4]
    """
    known = np.nan_to_num(values, nan=-np.inf)
    return 1 + (known[..., :, None] < known[..., None, :] - DIFFERENCE_TIE).sum(axis=-1)


def system_means(scores: np.ndarray) -> np.ndarray:
    """Mean over documents of each system's scores, with means that are equal on paper made equal.

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
