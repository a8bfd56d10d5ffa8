"""simulation.votes: crowd votes on content units, cast by workers whose errors are known.

Arrays in, arrays and a table out; called by `simulation.worlds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.stats.streams import RNGLike, seed_of, stream


@dataclass(frozen=True)
class Votes:
    """Votes and what is true of them.

    Attributes
    ----------
    table : DataFrame with columns system, document, worker, scu, vote
        `scu` counts the document's units from 0; `vote` is 1 for present, 0 for not present.
    workers : DataFrame, index worker, with columns noisy, miss, invent
        Rates at which a worker overlooks a unit that is present, and finds one that is not.
    by_summary : mapping, (system, document) -> int8 array (n_workers, n_units), rows in the order of
    `assigned`
    assigned : mapping, (system, document) -> ids of the workers
    """

    table: pd.DataFrame
    workers: pd.DataFrame
    by_summary: Mapping[tuple[str, str], np.ndarray]
    assigned: Mapping[tuple[str, str], tuple[str, ...]]


def present_units(scores: np.ndarray, n_units: np.ndarray, *, rng: RNGLike = None) -> np.ndarray:
    """Which units a summary has, given the share of its document's units that it has.

    Units of a document differ in how likely they are to be taken up, so summaries of one document overlap.

    Parameters
    ----------
    scores : float array (n_systems, n_documents), shares; NaN, of a summary that nobody judged, has none
    n_units : int array (n_documents,)
    rng : seed, Generator or None

    Returns
    -------
    bool array (n_systems, n_documents, largest n_units)
    """
    seed = seed_of(rng)
    most = int(n_units.max())
    count = np.rint(np.nan_to_num(scores) * n_units).astype(int)
    appeal = stream(seed, "documents").standard_normal((len(n_units), most))
    appeal = appeal + stream(seed, "summaries").standard_normal((*scores.shape, most))
    appeal[:, np.arange(most) >= n_units[:, None]] = -np.inf
    rank = np.argsort(np.argsort(-appeal, axis=-1, kind="stable"), axis=-1, kind="stable")
    return rank < count[:, :, None]


def with_errors(
    present: np.ndarray, *, miss: np.ndarray | float, invent: np.ndarray | float, rng: RNGLike = None
) -> np.ndarray:
    """Votes on units by workers whose errors are known.

    Parameters
    ----------
    present : bool array, whether a unit is in a summary
    miss, invent : floats in [0, 1], or arrays that broadcast against `present`
        Rates at which a worker overlooks a unit that is present, and finds one that is not.
    rng : seed, Generator or None

    Returns
    -------
    int8 array of the shape that the three broadcast to, 1 for present, 0 for not present
    """
    error = np.where(present, miss, invent)
    wrong = stream(seed_of(rng), "errors").random(error.shape) < error
    return (present ^ wrong).astype(np.int8)


def cast_votes(
    present: np.ndarray,
    n_units: np.ndarray,
    *,
    systems: Sequence[str],
    documents: Sequence[str],
    n_workers: int = 4,
    pool: int = 60,
    noisy_share: float = 0.1,
    miss: float = 0.12,
    invent: float = 0.08,
    rng: RNGLike = None,
) -> Votes:
    """Votes of `n_workers` workers on every unit of every summary.

    Parameters
    ----------
    present : bool array (n_systems, n_documents, most units)
    n_units : int array (n_documents,)
    systems, documents : ids
    n_workers : int, at most `pool`
        Drawn from the pool for each summary.
    pool : int
    noisy_share : float in [0, 1]
        Share of the pool that answers by chance.
    miss, invent : float in [0, 1]
        Mean rates of overlooking and inventing among the others; workers differ.
    rng : seed, Generator or None
    """
    if not 1 <= n_workers <= pool:
        raise ValueError(f"`n_workers` must be from 1 to the size of the pool ({pool}), got {n_workers}")
    for name, rate in (("noisy_share", noisy_share), ("miss", miss), ("invent", invent)):
        if not 0 <= rate <= 1:
            raise ValueError(f"`{name}` must be in [0, 1], got {rate}")
    if present.shape[:2] != (len(systems), len(documents)) or len(n_units) != len(documents):
        raise ValueError(
            f"`present` must be (n_systems, n_documents, units) = ({len(systems)}, {len(documents)}, ...), "
            f"got {present.shape}"
        )
    seed = seed_of(rng)
    noisy = np.zeros(pool, dtype=bool)
    noisy[stream(seed, "noisy").permutation(pool)[: round(noisy_share * pool)]] = True
    luck = stream(seed, "rates").uniform(0.5, 1.5, size=(pool, 2))
    rates = np.stack([miss, invent] * luck, axis=1).clip(0, 1)
    rates[:, noisy] = 0.5
    names = [f"worker_{k:02d}" for k in range(pool)]
    n_systems, n_documents, most = present.shape
    order = stream(seed, "workers").random((n_systems, n_documents, pool))
    at_work = np.argsort(order, axis=-1, kind="stable")[..., :n_workers]
    of_worker = rates[:, at_work, None]
    votes = with_errors(present[:, :, None, :], miss=of_worker[0], invent=of_worker[1], rng=seed)
    exists = np.broadcast_to(np.arange(most) < n_units[:, None, None], votes.shape)
    i, j, w, u = np.nonzero(exists)
    table = pd.DataFrame(
        {
            "system": np.array(systems, dtype=object)[i],
            "document": np.array(documents, dtype=object)[j],
            "worker": np.array(names, dtype=object)[at_work[i, j, w]],
            "scu": u,
            "vote": votes[i, j, w, u],
        }
    )
    cells = [(a, b, s, d) for a, s in enumerate(systems) for b, d in enumerate(documents)]
    return Votes(
        table,
        pd.DataFrame(
            {"noisy": noisy, "miss": rates[0], "invent": rates[1]}, index=pd.Index(names, name="worker")
        ),
        {(s, d): votes[a, b, :, : n_units[b]] for a, b, s, d in cells},
        {(s, d): tuple(names[k] for k in at_work[a, b]) for a, b, s, d in cells},
    )
