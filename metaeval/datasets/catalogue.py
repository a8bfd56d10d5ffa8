"""datasets.catalogue: the datasets by name, described without loading them, and the data mode of a run.

Takes `metaeval.datasets.readers`; every file is pinned to a commit (`metaeval.datasets.registry`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd

from metaeval.core.errors import SourceUnavailableError, choose
from metaeval.core.mode import VARIABLE, mode
from metaeval.datasets.fetch import SILENT, Dataset, fetch, locate, silent_hosts
from metaeval.datasets.readers import (
    alt_test,
    arena,
    bartscore,
    faithbench,
    gesera,
    lite_pyramid,
    llm_summeval,
    llmbar,
    re_examining,
    realsumm,
    rose,
    stat_analysis,
    stories,
    wmt,
)
from metaeval.datasets.registry import SourceFile

# each with its DATASETS, or its PAIRS: choices between two outputs, which are no Benchmark
READERS = (
    *(realsumm, stat_analysis, re_examining, bartscore, gesera, lite_pyramid),
    *(alt_test, llm_summeval, faithbench, rose, llmbar, arena),
)
DATASETS: dict[str, Dataset]
DATASETS, PAIRS = (
    {name: dataset for reader in READERS for name, dataset in getattr(reader, table, {}).items()}
    for table in ("DATASETS", "PAIRS")
)


@dataclass(frozen=True)
class Description:
    """Description of a dataset and its files, without loading it.

    Attributes
    ----------
    name, title : str
    needed : tuple of SourceFile
        Without any one of them there is no benchmark.
    optional : tuple of SourceFile
        Without them the benchmark lacks something, and its provenance says so.
    licence : str
        The terms of the repositories, as they state them.
    citation : tuple of str
        Keys of ``book/references.bib``, the data's own paper first.
    judged_in : int
        The year in which its judges answered, of a release that has answers of language models.
    """

    name: str
    title: str
    needed: tuple[SourceFile, ...]
    optional: tuple[SourceFile, ...]
    licence: str
    citation: tuple[str, ...]
    judged_in: int | None = None


def names() -> list[str]:
    """The names of the datasets that `load` knows.

    Returns
    -------
    list of str
        In the order in which the book introduces them.

    Examples
    --------
    >>> "realsumm" in names()
    True
    """
    return list(DATASETS)


def pair_names() -> list[str]:
    """The names of the releases of choices between two outputs, that `pairs` knows.

    Returns
    -------
    list of str
    """
    return list(PAIRS)


def describe(name: str) -> Description:
    """Title, files, licence and citation of a dataset, without loading it.

    Parameters
    ----------
    name : str
        One of `names` or `pair_names`.

    Returns
    -------
    Description

    Raises
    ------
    UnknownNameError
        If there is no such dataset.
    """
    dataset = choose("dataset", name, {**DATASETS, **PAIRS})
    return Description(
        name=dataset.name,
        title=dataset.title,
        needed=dataset.needed_files,
        optional=dataset.optional_files,
        licence=dataset.licence,
        citation=dataset.citation,
        judged_in=dataset.judged_in,
    )


def availability() -> pd.DataFrame:
    """Table of the pinned files and their places on this machine. Never touches the network.

    Returns
    -------
    DataFrame
        One row per dataset and file: dataset, repository, file, commit, needed (otherwise optional), bytes,
        and where: "mirror", "cache" or "absent".
    """
    rows = [
        {
            "dataset": name,
            "repository": file.repository,
            "file": file.path,
            "commit": file.commit,
            "needed": needed,
            "bytes": file.n_bytes,
            "where": locate(file) or "absent",
        }
        for name, dataset in {**DATASETS, **PAIRS}.items()
        for needed, files in ((True, dataset.needed_files), (False, dataset.optional_files))
        for file in files
    ]
    return pd.DataFrame(rows).astype({"bytes": "Int64"})


# datasets without which the book is incomplete; the whole test sets of Re-Examining are optional
NEEDED_BY_THE_BOOK = (
    *("realsumm", "realsumm-released", "bhandari2020", "summeval"),
    *("re-examining-realsumm", "re-examining-summeval", "tac2009", "lite-realsumm", "lite-pyrxsum"),
    *("summeval-judges", "rose", "rose-llm", "faithbench"),
)
STORIES_NEEDED_BY_THE_BOOK = ("reuters", "bbc")
_AT_ONCE = 4


def decide() -> tuple[str, str]:
    """Choose real or simulated data, once for a run and all processes that it starts.

    ``auto`` becomes ``real`` if every file that the book needs can be fetched, otherwise ``simulated``. The
    choice is written to the environment (`settle`).

    Returns
    -------
    mode : ``"real"`` or ``"simulated"``
    reason : str
        Why ``auto`` became ``simulated``, for the person at the terminal; otherwise empty.

    Raises
    ------
    SourceUnavailableError
        If ``DATA=real`` and a needed file cannot be fetched.
    IntegrityError
        If a file is not the pinned one: that is an error in any mode but ``simulated``.
    """
    requested, reason = mode(), ""
    if requested != "simulated":
        try:
            files = _needed_files()
            with ThreadPoolExecutor(_AT_ONCE) as pool:  # a share each: thousands, most of them on disk
                list(pool.map(_fetch_all, [files[first::_AT_ONCE] for first in range(_AT_ONCE)]))
        except SourceUnavailableError as error:
            if requested == "real":
                raise
            reason = str(error)
    chosen = "simulated" if requested == "simulated" or reason else "real"
    settle(chosen, silent_hosts())
    return chosen, reason


def settle(mode: str, silent: dict[str, str]) -> None:
    """Write the choice of `decide` into the environment of this process, which its children inherit.

    Sets ``DATA`` to `mode`, and ``META_EVALUATION_SILENT`` to the hosts that did not answer, so that no
    process tries them again.
    """
    os.environ[VARIABLE] = mode
    os.environ[SILENT] = "\n".join(f"{host}\t{why}" for host, why in silent.items())


def _fetch_all(files: Sequence[SourceFile]) -> None:
    for file in files:
        fetch(file)


def _needed_files() -> list[SourceFile]:
    files = [file for name in NEEDED_BY_THE_BOOK for file in DATASETS[name].needed_files]
    files += [*gesera.example_files(), *wmt.files()]
    files += [file for name in STORIES_NEEDED_BY_THE_BOOK for file in stories.COLLECTIONS[name].files()]
    return list(dict.fromkeys(files))
