"""kit.growing: trials of simulations in parts, so that a reader sees counts while they grow.

For the modules of this room. Every trial has a random stream of its own, so counts after some of the trials
are those of a simulation that never meant to make more.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TypeVar

import pandas as pd

from metaeval.core.limits import check_count
from metaeval.stats.monte_carlo import check_trials
from metaeval.stats.threads import in_threads

T = TypeVar("T")


def growing(tables: Callable[..., Iterator[pd.DataFrame]]) -> Callable[..., pd.DataFrame]:
    """Decorate a generator of tables of ever more trials so that it returns the last of them.

    Parameters
    ----------
    tables : function (..., step) -> DataFrames, one after every `step` trials (None: only that of all)

    Returns
    -------
    function
        With the parameters of `tables` but `step`. Its attribute ``growing`` is `tables` itself.
    """

    @wraps(tables)
    def table(*args, **settings):
        (whole,) = deque(tables(*args, **settings), maxlen=1)
        return whole

    own = inspect.signature(tables)
    asked = [parameter for name, parameter in own.parameters.items() if name != "step"]
    table.__signature__ = own.replace(parameters=asked, return_annotation="pd.DataFrame")
    table.growing = tables
    return table


def in_steps(
    trials: Sequence[Callable[[int], T]], n_trials: int, *, step: int | None, n_threads: int | None = None
) -> Iterator[list[list[T]]]:
    """What the trials of several cases have given so far, all cases alike.

    Parameters
    ----------
    trials : functions, number of the trial -> what it gives
    n_trials : int, at least 1
    step : int, at least 1, or None
        Trials between two reports; the last report has all. None: no other.
    n_threads : int, by default one per processor

    Yields
    ------
    list, for each of `trials` a list of what its trials have given
    """
    check_trials(n_trials)
    step = n_trials if step is None else step
    check_count("step", step)
    found: list[list[T]] = [[] for _ in trials]
    for first in range(0, n_trials, step):
        numbers = range(first, min(first + step, n_trials))
        for trial, given in zip(trials, found, strict=True):
            given += in_threads(trial, numbers, n_threads=n_threads)
        yield found
