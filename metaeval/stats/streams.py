"""stats.streams: named random streams from a seed, and the signature of a result.

The only place where a seed becomes draws: every room draws through `stream`, the resampling block by block
through `block_stream`. Two draws with different names are independent; a draw with a name does not depend on
the other draws or their order, since no generator is passed on and advanced.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from metaeval.core.version import __version__

RNGLike = int | np.integer | np.random.Generator | None


def seed_of(rng: RNGLike) -> int:
    """Seed of `rng`, a whole number from which any number of named streams can be made.

    Parameters
    ----------
    rng : int, Generator or None
        A whole number of at least 0 is returned as it is. A Generator gives its next 63 bits and is advanced
        by one draw. None gives a fresh number, different in each call.

    Raises
    ------
    TypeError, ValueError
        For anything else, and for negative numbers.

    Examples
    --------
    >>> seed_of(2021)
    2021
    """
    if rng is None:
        rng = np.random.default_rng()
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer):
        raise TypeError(
            f"`rng` must be a whole number, a numpy Generator or None, got {type(rng).__name__} {rng!r}"
        )
    if rng < 0:
        raise ValueError(f"`rng` as a seed must be at least 0, got {rng}")
    return int(rng)


def stream(seed: int, *names: object) -> np.random.Generator:
    """Random stream of a seed and some names, such as data set, group, *k* and trial.

    Parameters
    ----------
    seed : int, at least 0
        Such as from `seed_of`.
    names : str, int or float
        Purpose of the draws. ``8`` and ``"8"`` are different names, as are ``("a", "b")`` and ``("ab",)``.

    Examples
    --------
    >>> first = stream(2021, "realsumm", "abs", 8).random()
    >>> [first == stream(2021, "realsumm", "abs", k).random() for k in (8, 9)]
    [True, False]
    """
    plain = [name.item() if isinstance(name, np.generic) else name for name in names]
    digest = hashlib.blake2b("\x1f".join(repr(name) for name in plain).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))


def block_seeds(rng: RNGLike) -> np.ndarray:
    """Four numbers that represent `rng` in `block_stream`.

    Parameters
    ----------
    rng : int, Generator or None
        See `seed_of`; a Generator is advanced.
    """
    if not isinstance(rng, np.random.Generator):
        rng = np.random.default_rng(seed_of(rng))
    return rng.integers(2**32, size=4)


def block_stream(seeds: np.ndarray, number: int) -> np.random.Generator:
    """Random stream of one block of draws, independent of the other blocks.

    Parameters
    ----------
    seeds : int array, from `block_seeds`
    number : int, from 0

    Examples
    --------
    >>> seeds = block_seeds(2021)
    >>> block_stream(seeds, 1).random() == block_stream(seeds, 1).random() != block_stream(seeds, 0).random()
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seeds, spawn_key=(number,)))


def signature(kind: Mapping[str, object], *, shape: tuple[int, int] | None = None, **settings: object) -> str:
    """Format the settings of a result in one line, from which it can be reproduced.

    ``level:system|coefficient:kendall|method:Boot-Both|...|systems:25|documents:100|version:0.1.0``

    Parameters
    ----------
    kind, settings : settings, in this order; None is left out
    shape : (n_systems, n_documents), by default none, of results on several data sets
    """
    sizes = dict(zip(("systems", "documents"), shape or (), strict=False))
    parts = {**kind, **settings, **sizes, "version": __version__}
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
