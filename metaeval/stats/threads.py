"""stats.threads: one way of doing many independent things on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from metaeval.core.limits import check_count


def n_processors() -> int:
    """Processors that this process may use: the default number of threads."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def in_threads(function: Callable, items: Iterable, *, n_threads: int | None = None) -> list:
    """What a function gives for each of some items, computed side by side.

    Parameters
    ----------
    function : callable
        For trials, one with a random stream for each item, so that their number at a time changes nothing.
    items : iterable
    n_threads : int, at least 1; by default one per processor

    Returns
    -------
    list, in the order of `items`

    Raises
    ------
    ValueError
        If `n_threads` is no whole number of at least 1.
    """
    n_threads = n_processors() if n_threads is None else n_threads
    check_count("n_threads", n_threads)
    if n_threads == 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, items))
