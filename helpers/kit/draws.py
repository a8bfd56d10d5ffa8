"""kit.draws: trials in parts, streams of random numbers by name, documents for a model to read.

Every trial of a simulation has a random stream of its own, so counts after some of the trials, which a reader
sees while they grow, are those of a simulation of no more trials.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TypeVar

import numpy as np
import pandas as pd

from metaeval.core.limits import check_count
from metaeval.stats.monte_carlo import check_trials, map_threads
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.benchmark import Benchmark

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
    parameters = [parameter for name, parameter in own.parameters.items() if name != "step"]
    table.__signature__ = own.replace(parameters=parameters, return_annotation="pd.DataFrame")
    table.growing = tables
    return table


def accumulate_trials(
    trials: Sequence[Callable[[int], T]], n_trials: int, *, step: int | None, n_threads: int | None = None
) -> Iterator[list[list[T]]]:
    """Results so far of the trials of several cases, after as many trials of each.

    Parameters
    ----------
    trials : functions, number of the trial -> its result
    n_trials : int, at least 1
    step : int, at least 1, or None
        Trials between two reports; the last report has all. None: no other.
    n_threads : int, by default one per processor

    Yields
    ------
    list, for each of `trials` a list of the results of its trials
    """
    check_trials(n_trials)
    step = n_trials if step is None else step
    check_count("step", step)
    results: list[list[T]] = [[] for _ in trials]
    for first in range(0, n_trials, step):
        numbers = range(first, min(first + step, n_trials))
        for trial, so_far in zip(trials, results, strict=True):
            so_far += map_threads(trial, numbers, n_threads=n_threads)
        yield results


def streamed(draws: Mapping[str, object], *names: object) -> dict[str, object]:
    """`draws` (``n_resamples``, ``rng``, ...) with the random stream of some names in place of the seed."""
    return {**draws, "rng": stream(draws["rng"], *names)}


def read_documents(benchmark: Benchmark, n: int | None = None) -> list[str]:
    """Some of a benchmark's documents, drawn once for all runs and pages; fewer are among more.

    Parameters
    ----------
    benchmark : Benchmark
    n : int, at least 1; all documents where there are no more, and by default

    Returns
    -------
    list of str, in the benchmark's order
    """
    if n is not None:
        check_count("n_documents", n, minimum=1)
    # a seed of the page would let a model read other texts whenever a bootstrap is drawn again
    order = stream(0, benchmark.name, "documents that a model reads").permutation(len(benchmark.documents))
    return [benchmark.documents[place] for place in np.sort(order[:n])]


def halves(benchmark: Benchmark, n_draws: int, *, rng) -> Iterator[Benchmark]:
    """A benchmark on random halves of its systems and of its documents, one pair of halves per draw.

    Parameters
    ----------
    benchmark : Benchmark
    n_draws : int
    rng : seed, Generator or None

    Yields
    ------
    Benchmark
        Systems and documents in the order of the whole.
    """
    seed, ids = seed_of(rng), (benchmark.systems, benchmark.documents)
    for i in range(n_draws):
        random = stream(seed, benchmark.name, "half", i)
        places = [np.sort(random.permutation(len(one))[: len(one) // 2]) for one in ids]
        systems, documents = ([one[k] for k in chosen] for one, chosen in zip(ids, places, strict=True))
        yield benchmark.select(systems=systems, documents=documents)
