"""analysis.f1: F1 of many rows of labels at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def f1_of_rows(
    truth: np.ndarray, predicted: np.ndarray, *, labels: Sequence[int] = (1, 2, 0)
) -> dict[str, np.ndarray]:
    """F1 of rows of labels, averaged over the labels that occur.

    Parameters
    ----------
    truth, predicted : int arrays (n_rows, n)
    labels : that there are, by default those of pairs: the first is better, the second, or neither

    Returns
    -------
    mapping, average -> float array (n_rows,)
        "weighted" by the truth's labels, or "macro"; as scikit-learn's `f1_score`, which takes one row at a
        time.
    """
    hits, true, positive = (
        np.stack([cells.sum(axis=1) for cells in parts], axis=1)
        for parts in (
            [(truth == label) & (predicted == label) for label in labels],
            [truth == label for label in labels],
            [predicted == label for label in labels],
        )
    )
    scores = 2 * hits / np.maximum(true + positive, 1)
    occurs = true + positive > 0
    return {
        "weighted": (scores * true).sum(axis=1) / truth.shape[1],
        "macro": scores.sum(axis=1) / occurs.sum(axis=1),
    }
