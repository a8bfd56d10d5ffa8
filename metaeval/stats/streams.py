"""stats.streams: from a seed and some names to a random stream; the only place where a seed becomes draws.

Every room draws through `stream`, the resampling block by block through `block_stream`. Two draws with
different names are independent; a draw with a name is the same whatever else is asked for and in which order,
since no generator is handed on and advanced.
"""

from __future__ import annotations

import hashlib

import numpy as np

RNGLike = int | np.integer | np.random.Generator | None


def seed_of(rng: RNGLike) -> int:
    """The whole number that stands for `rng`, from which any number of named streams can be made.

    Parameters
    ----------
    rng : int, Generator or None
        A whole number of at least 0 stands for itself. A Generator gives its next 63 bits, and has moved on
        by one draw. None gives a fresh number, a different one in each call.

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
    """The random stream of a seed and some names, such as data set, group, *k* and trial.

    Parameters
    ----------
    seed : int, at least 0
        Such as `seed_of` gives.
    names : str, int or float
        What the draws are for. ``8`` and ``"8"`` are different names, as are ``("a", "b")`` and ``("ab",)``.

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
    """Four numbers that stand for `rng` in `block_stream`.

    Parameters
    ----------
    rng : int, Generator or None
        As `seed_of` takes it; a Generator moves on.
    """
    if not isinstance(rng, np.random.Generator):
        rng = np.random.default_rng(seed_of(rng))
    return rng.integers(2**32, size=4)


def block_stream(seeds: np.ndarray, number: int) -> np.random.Generator:
    """The random stream of one block of draws, whichever other blocks there are.

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
