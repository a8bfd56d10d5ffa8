"""Draws of documents: how often each document is in a sample, and the systems' means over it.

Counting how often a document was drawn, instead of gathering its scores as often, turns the means of all
draws, systems and metrics into one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from helpers.stats.correlation import system_means

_COUNTS_AT_ONCE = 4_000_000  # bounds one block of counts to some 30 MB


def document_counts(
    generator: np.random.Generator, n_draws: int, n_documents: int, *, size: int
) -> np.ndarray:
    """How often each document is in each of some samples of `size` documents, drawn with replacement.

    Returns
    -------
    float array (n_draws, n_documents)
        Every row sums to `size`.
    """
    picks = generator.integers(n_documents, size=(n_draws, size))
    flat = picks + n_documents * np.arange(n_draws)[:, None]
    return np.bincount(flat.ravel(), minlength=n_draws * n_documents).reshape(n_draws, -1).astype(float)


def drawn_means(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Every system's mean over each sample of documents, with means that are equal on paper made equal.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents)
        NaN cells are left out of their system's mean.
    counts : float array (n_draws, n_documents)
        Such as `document_counts` gives.

    Returns
    -------
    float array (..., n_draws, n_systems)
        NaN for a system none of whose drawn documents has a score.
    """
    present = ~np.isnan(scores)
    sums = counts @ np.swapaxes(np.where(present, scores, 0.0), -1, -2)
    if present.all():
        sizes = counts.sum(axis=-1)[:, None]
    else:
        sizes = counts @ np.swapaxes(present.astype(float), -1, -2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return system_means((sums / sizes)[..., None])


def blocks(n_draws: int, n_documents: int) -> Iterator[slice]:
    """Slices that cut `n_draws` into pieces whose counts fit in memory."""
    step = max(1, _COUNTS_AT_ONCE // max(1, n_documents))
    for start in range(0, n_draws, step):
        yield slice(start, min(n_draws, start + step))
