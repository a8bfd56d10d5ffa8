"""datasets.loading: load a Benchmark by name, real or simulated.

Only `choose_loader` looks at the mode. The loaders it chooses from cache their own results, so a result of
one mode is never returned in another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from metaeval.core.errors import SourceUnavailableError, UnknownNameError, choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.datasets import catalogue
from metaeval.datasets.catalogue import DATASETS
from metaeval.datasets.readers import tac
from metaeval.datasets.readers.tac import WeightedUnit
from metaeval.simulation import worlds
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import words

T = TypeVar("T")


def choose_loader(real: Callable[..., T], simulated: Callable[..., T]) -> Callable[..., T]:
    """The loader of a plain name in this run's mode."""
    return simulated if is_simulated() else real


@cache
def load_real(name: str) -> Any:
    """A data set, or a release of choices between two outputs, as it is released; read once per process."""
    return catalogue.describe(name).load()


@cache
def _from_folder(name: str, folder: str) -> Benchmark:
    return tac.read_tac(name, Path(folder))


def load(name: str) -> Benchmark:
    """A dataset as a Benchmark, loaded once per process; its arrays are read-only.

    Parameters
    ----------
    name : str
        One of `metaeval.datasets.names`. With ``simulated-`` in front of it: its simulated likeness, under
        that name. Under ``DATA=simulated`` every name stands for the likeness. ``"tac2008:FOLDER"`` and
        ``"tac2009:FOLDER"`` read a reader's own copy of NIST's evaluation results
        (`metaeval.datasets.readers.tac`).

    Returns
    -------
    Benchmark
        Systems x documents x metrics, with people's judgments and, where the release has them, texts.

    Raises
    ------
    UnknownNameError
        If there is no such dataset.
    SourceUnavailableError
        If a file that it needs can be obtained from none of its places.
    IntegrityError, DataError
        If a file is not the pinned one, or does not hold what its format promises.

    Examples
    --------
    >>> benchmark = load("simulated-realsumm")
    >>> len(benchmark.systems), len(benchmark.documents)
    (25, 100)
    """
    if not isinstance(name, str):
        raise UnknownNameError("dataset", name, DATASETS)
    evaluation, separator, folder = name.partition(":")
    if separator:
        return _from_folder(evaluation, folder)
    likeness = name.removeprefix(PREFIX)
    if likeness != name and likeness in DATASETS:
        return replace(worlds.load(likeness), name=name)
    dataset = choose("dataset", name, DATASETS)
    return choose_loader(load_real, worlds.load)(dataset.name)


def pyramids(
    name: str,
) -> tuple[dict[str, tuple[WeightedUnit, ...]], dict[tuple[str, str], np.ndarray]]:
    """The pyramids of a reader's own ``"tac2009:FOLDER"`` and the presence of their units in each summary.

    Parameters
    ----------
    name : str
        As in `load`.

    Returns
    -------
    units : dict, document -> its units with their weights
    presence : dict, (system, document) -> array of 0 and 1, one for each of the document's units

    Raises
    ------
    SourceUnavailableError
        If the folder has none, as that of TAC 2008.
    DataError
        If a file does not hold what its format promises.
    """
    folder = Path(name.partition(":")[2])
    units = tac.read_pyramids(folder)
    return units, tac.read_presence(folder, units)


def load_present(names: Sequence[str], *, minimum: int = 1) -> list[Benchmark]:
    """Those of the named benchmarks whose files can be obtained, in the order given.

    Parameters
    ----------
    names : sequence of str
        See `load`.
    minimum : int
        Number of benchmarks required.

    Returns
    -------
    list of Benchmark

    Raises
    ------
    UnknownNameError
        For a name that is no benchmark.
    SourceUnavailableError
        If fewer than `minimum` can be obtained.
    """
    benchmarks, reasons = [], []
    for name in names:
        try:
            benchmarks.append(load(name))
        except SourceUnavailableError as error:
            reasons.append(f"{name}: {error}")
    if len(benchmarks) < minimum:
        raise SourceUnavailableError(
            f"{len(benchmarks)} of these benchmarks available, {minimum} needed:\n" + "\n".join(reasons)
        )
    return benchmarks


def load_or_simulated(names: Sequence[str]) -> list[Benchmark]:
    """The named benchmarks, each in its simulated likeness where its files cannot be obtained.

    A likeness is known by its name, which begins with ``simulated-``; it never gives a verdict.

    Parameters
    ----------
    names : sequence of str
        See `load`.

    Returns
    -------
    list of Benchmark
        One per name, in the order given.

    Raises
    ------
    UnknownNameError
        For a name that is no benchmark.
    """
    benchmarks = []
    for name in names:
        try:
            benchmarks.append(load(name))
        except SourceUnavailableError:
            benchmarks.append(load(f"{PREFIX}{name}"))
    return benchmarks


def load_with(name: str, *, metrics: Sequence[str]) -> Benchmark:
    """A benchmark with those of the named metrics that it has; one list can serve several benchmarks.

    Metrics without scores are named on stdout.

    Parameters
    ----------
    name : str
        See `load`.
    metrics : sequence of str
        In the order in which the benchmark is to have them.

    Returns
    -------
    Benchmark

    Raises
    ------
    UnknownNameError
        For a metric that no benchmark on this machine has, such as a misspelt one, or if it has none of them.
    """
    benchmark = load(name)
    available = [metric for metric in metrics if metric in benchmark.metrics]
    absent = [metric for metric in metrics if metric not in benchmark.metrics]
    if absent:
        elsewhere = {metric for other in load_present(catalogue.names()) for metric in other.metrics}
        unknown = [metric for metric in absent if metric not in elsewhere]
        if unknown or not available:
            benchmark.select(metrics=unknown or absent)  # the error names the metric and the available ones
        print(f"{words('data', name)} has no scores of {', '.join(absent)}: left out.")
    return benchmark.select(metrics=available)
