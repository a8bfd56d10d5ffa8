"""datasets.loading: load a Benchmark, content units, votes or stories by name, real or simulated.

Only `_choose_loader` looks at the mode. The loaders it chooses from cache their own results, so a result of
one mode is never returned in another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from metaeval.core.errors import SourceUnavailableError, UnknownNameError, choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.datasets import catalogue, likenesses
from metaeval.datasets.catalogue import DATASETS, PAIRS
from metaeval.datasets.readers import faithbench, gesera, lite_pyramid, tac, wmt
from metaeval.datasets.readers import stories as collections
from metaeval.datasets.readers import votes as annotations
from metaeval.datasets.readers.faithbench import Marks
from metaeval.datasets.readers.gesera import WorkedExample
from metaeval.datasets.readers.stories import Stories
from metaeval.datasets.readers.tac import WeightedUnit
from metaeval.datasets.readers.votes import Ratings
from metaeval.simulation import worlds
from metaeval.tables.benchmark import Benchmark, PyramidUnits
from metaeval.tables.labels import words
from metaeval.tables.pairs import Pairs

T = TypeVar("T")


def _choose_loader(real: Callable[..., T], simulated: Callable[..., T]) -> Callable[..., T]:
    """The loader of a plain name in this run's mode."""
    return simulated if is_simulated() else real


@cache
def _real(name: str) -> Benchmark:
    return DATASETS[name].load()


@cache
def _real_pairs(name: str) -> Pairs:
    return PAIRS[name].load()


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
    return _choose_loader(_real, worlds.load)(dataset.name)


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


def units(name: str) -> PyramidUnits:
    """Content units of a dataset's references, and their presence in each summary.

    Parameters
    ----------
    name : str
        ``"lite-realsumm"`` or ``"lite-pyrxsum"`` (Zhang and Bansal 2021), or with ``simulated-`` in front of
        it its likeness, as in `load`.

    Returns
    -------
    PyramidUnits

    Raises
    ------
    UnknownNameError
        If the dataset has no units.
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    likeness = name.removeprefix(PREFIX)
    if likeness != name and likeness in lite_pyramid.DATASETS:
        return worlds.units(likeness)
    choose("dataset with units", name, lite_pyramid.DATASETS)
    return _choose_loader(lite_pyramid.load_units, worlds.units)(name)


def folds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The five folds of ``lite-realsumm`` (Zhang and Bansal 2021), over documents and over systems.

    Returns
    -------
    dict
        ``"document"`` and ``"system"`` -> ids by fold; every id is in exactly one fold of its kind.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`; also if the released folds do not divide the documents or the systems.
    """
    return _choose_loader(lite_pyramid.load_folds, worlds.folds)()


def votes() -> Ratings:
    """Crowd workers' votes on the content units of REALSumm's 25 systems (Bhandari et al. 2020, §3.3).

    Returns
    -------
    Ratings
        As released; in a simulated run those of simulated workers, all kept.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return _choose_loader(annotations.load_ratings, likenesses.votes)()


def pairs(name: str) -> Pairs:
    """A release of choices between two outputs by judges and people, read once per process.

    Parameters
    ----------
    name : str
        One of `metaeval.datasets.pair_names`. In a simulated run the choices of simulated judges and people.

    Returns
    -------
    Pairs

    Raises
    ------
    UnknownNameError
        If there is no such release.
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    choose("release of pairs", name, PAIRS)
    return _choose_loader(_real_pairs, likenesses.pairs)(name)


def marks() -> Marks:
    """Labels that FaithBench's annotators gave each summary (Bao et al. 2025).

    Returns
    -------
    Marks
        As released; in a simulated run those of simulated annotators.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return _choose_loader(faithbench.load_marks, likenesses.marks)()


def stories(name: str) -> Stories:
    """A pinned collection of documents that summaries are looked up in, read once per process.

    Parameters
    ----------
    name : str
        A key of `metaeval.datasets.readers.stories.COLLECTIONS`, or several joined by ``+``:
        ``"reuters+bbc"``. In a simulated run a name stands for made-up stories by the grammar of the
        simulated benchmarks. ``"NAME:FOLDER"`` and ``"NAME:FILE.jsonl"`` are a reader's own.

    Returns
    -------
    Stories

    Raises
    ------
    UnknownNameError
        If there is no such collection.
    SourceUnavailableError
        If a file can be obtained from none of its places, the collection is licensed, or it has no likeness.
    IntegrityError, DataError
        If a file is not the pinned one, or does not hold what its format promises.
    """
    read = _choose_loader(collections.load_stories, likenesses.stories)
    parts = [
        collections.load_own(one) if ":" in one else read(one)  # a reader's own are read in any run
        for one in collections.split_names(name)
    ]
    return parts[0] if len(parts) == 1 else collections.join_stories(parts, name=name)


def worked_example() -> WorkedExample:
    """GeSERA's released worked example (Espejel et al. 2021): its engine's rankings and its scores.

    Returns
    -------
    WorkedExample
        It has no likeness: empty in a simulated run.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return _choose_loader(gesera.load_worked_example, lambda: WorkedExample({}, {}, {}))()


def translation_scores() -> pd.DataFrame:
    """Metrics and people's scores of WMT 2019's German-to-English systems (Deutsch et al. 2021, §5.2).

    Returns
    -------
    DataFrame
        A row for each of 16 systems; the column ``human`` and one for each of 22 metrics. In a simulated run
        made-up ones.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return _choose_loader(wmt.load_scores, likenesses.translation_scores)()
