"""stats.ordering: how often a metric puts two summaries of a document in people's order.

Unlike a correlation of systems it needs two systems only, and unlike tau-b within documents it counts every
pair that people separate once, so that a document on which people tie everything weighs nothing.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from metaeval.stats.draws import unit_counts
from metaeval.stats.pairs import alike
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import SCORE_TIE, signs


def share_in_order(scores: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Of the pairs of summaries of one document that people separate, the share that a metric ranks alike.

    Parameters
    ----------
    scores : float array (..., n_systems, n_documents), higher is better, NaN where missing
    human : float array (n_systems, n_documents)

    Returns
    -------
    float array (...)
        In [0, 1]; a pair that the metric ties counts half, so that .5 is what a coin would do. NaN without a
        pair that both have scored and people separate.
    """
    right, judged = _pairs(scores, human)
    with np.errstate(invalid="ignore"):
        return right.sum(axis=(-1, -2)) / judged.sum(axis=(-1, -2))


def n_separated(scores: np.ndarray, human: np.ndarray) -> np.ndarray:
    """How many pairs `share_in_order` is over: int array (...)."""
    return _pairs(scores, human)[1].sum(axis=(-1, -2)).astype(int)


def drawn_shares(
    scores: np.ndarray, human: np.ndarray, *, resample: str = "both", n_resamples: int = 1_999, rng: RNGLike
) -> np.ndarray:
    """`share_in_order` in bootstrap samples of systems and documents; all metrics see the same.

    Parameters
    ----------
    scores, human : as in `share_in_order`
    resample : {"both", "inputs"}
        Whether systems are drawn again with the documents. A pair counts as often as its two systems and its
        document are drawn; a system is no pair with itself.
    n_resamples : int
    rng : seed or Generator

    Returns
    -------
    float array (..., n_resamples)
        NaN where no pair that people separate was drawn.
    """
    check_draws(n_resamples)
    right, judged = _pairs(scores, human)
    seed, (n_systems, n_documents) = seed_of(rng), np.shape(human)
    documents = unit_counts(stream(seed, "documents"), n_resamples, n_documents)
    systems = (
        unit_counts(stream(seed, "systems"), n_resamples, n_systems)
        if resample == "both"
        else np.ones((n_resamples, n_systems))
    )
    first, second = _systems_of_pairs(n_systems)
    weights = systems[:, first] * systems[:, second]
    above, below = (((weights @ counted) * documents).sum(axis=-1) for counted in (right, judged))
    with np.errstate(invalid="ignore"):
        return above / below


def _pairs(scores, human):
    """Whether a pair is in order (1, ½ or 0) and whether it counts, (..., n_pairs, n_documents) each."""
    scores, human = alike(scores, human)
    first, second = _systems_of_pairs(len(human))
    by_metric, by_people = (signs(x[..., first, :] - x[..., second, :], SCORE_TIE) for x in (scores, human))
    judged = ~np.isnan(by_metric) & ~np.isnan(by_people) & (by_people != 0)
    return np.where(judged, (1 + by_metric * by_people) / 2, 0.0), judged.astype(float)


def _systems_of_pairs(n_systems):
    return np.array(list(combinations(range(n_systems), 2)), dtype=int).reshape(-1, 2).T
