"""stats.slices: values of the slices of a test set beside those of the other slices.

Slices, such as languages or topics, hold other items each, so that their values are independent. Of many
slices one is always the worst; it is worse than by chance only if its interval says so at a level that holds
for all of them. Plain arrays.
"""

from __future__ import annotations

import numpy as np


def differences_from_others(
    value: np.ndarray, low: np.ndarray, high: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each slice's value minus the mean of the other slices' values, with intervals.

    Parameters
    ----------
    value, low, high : float arrays (n_slices,)
        Values and their intervals, of independent slices; no NaN.
    weight : float array (n_slices,)
        Weights in the mean of the others, such as numbers of items.

    Returns
    -------
    difference, low, high : float arrays (n_slices,)
        NaN for a single slice.

    Notes
    -----
    The values of the others are averaged, not their items pooled: a correlation over the items of several
    slices also holds the differences between slices. Intervals are combined by MOVER (Zou and Donner 2008),
    at the level of those given; they need not be symmetric, and keep a length where a share is 1.

    Examples
    --------
    >>> ends = differences_from_others([0.5, 0.9], [0.2, 0.8], [0.8, 0.94], [1, 1])
    >>> [end.round(2).tolist() for end in ends]
    [[-0.4, 0.4], [-0.7, 0.08], [-0.08, 0.7]]
    """
    value, low, high, weight = (np.asarray(part, dtype=float) for part in (value, low, high, weight))
    shares = np.where(np.eye(len(value), dtype=bool), 0.0, weight)
    with np.errstate(invalid="ignore"):
        shares = shares / shares.sum(axis=1, keepdims=True)
    below, above = (value - low) ** 2, (high - value) ** 2
    difference = value - shares @ value
    reach_below, reach_above = np.sqrt(below + shares**2 @ above), np.sqrt(above + shares**2 @ below)
    return difference, difference - reach_below, difference + reach_above
