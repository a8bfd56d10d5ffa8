"""Ties on paper that rounding errors break: made ties again.

Systems whose ratings have the same mean get sums that differ in the last bit with the order of the documents,
and rank correlations change with which of them is called the higher. Rounding to a grid mends most such
pairs; now and then one straddles a border of the grid. Comparing neighbours has no borders.
"""

from __future__ import annotations

import numpy as np

# Compiled code keeps these two: after a change, touch helpers/kernels.py.
# of the largest mean: thousands of times a rounding error, and far below any difference of real means
TIE = 1e-12
# of the largest score: means that are zero on paper are zero but for the rounding errors of what they sum
SMALLEST_SCALE = 0.01


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
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    apart = np.ones(values.shape, dtype=bool)
    apart[..., 1:] = ~(np.diff(ordered, axis=-1) <= tolerance)  # NaN, sorted last, is apart from all
    first = np.maximum.accumulate(np.where(apart, np.arange(values.shape[-1]), 0), axis=-1)
    out = np.empty_like(values)
    np.put_along_axis(out, order, np.take_along_axis(ordered, first, axis=-1), axis=-1)
    return out
