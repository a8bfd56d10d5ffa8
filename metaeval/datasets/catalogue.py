"""datasets.catalogue: the datasets by name, described without loading them, and the data mode of a run.

They are declared in ``data/registry/datasets.yml``, with the readers of `metaeval.datasets.readers` by name;
every file is pinned to a commit (`metaeval.datasets.registry`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pandas as pd

from metaeval.core.errors import SourceUnavailableError, choose
from metaeval.core.mode import VARIABLE, mode
from metaeval.core.paths import read_yaml
from metaeval.datasets.fetch import SILENT, fetch, locate, silent_hosts
from metaeval.datasets.readers import faithbench, gesera, lite_pyramid, stories, wmt
from metaeval.datasets.readers.tables import Release
from metaeval.datasets.registry import FOLDER, SourceFile, find, repository
from metaeval.tables.benchmark import Provenance, PyramidUnits

Pins = Mapping[str, str | Mapping[str, Any]]  # key -> a file, or many: see the head of datasets.yml


@dataclass(frozen=True)
class Dataset:
    """A named dataset: its pinned files and its reader.

    Attributes
    ----------
    name, title : str
    reader : str
        ``"MODULE:FUNCTION"`` below `metaeval.datasets.readers`: of local paths by key, the `Release` and
        `options` it makes a Benchmark, or Pairs.
    needed : pins of files without any one of which there is no benchmark
    optional : pins of files without which the benchmark lacks something, and its provenance says so
    needed_files, optional_files : tuples of SourceFile
    licence : str
        The terms of the repositories, as they state them.
    citation : tuple of str
        Keys of ``book/references.bib``, the data's own paper first.
    judged_in : int
        The year in which its judges answered, of a release that has answers of language models.
    """

    name: str
    title: str
    reader: str
    needed: Pins
    citation: tuple[str, ...]
    optional: Pins = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    judged_in: int | None = None

    @cached_property
    def needed_files(self) -> tuple[SourceFile, ...]:
        return tuple(file for _, file in pinned_files(self.needed))

    @cached_property
    def optional_files(self) -> tuple[SourceFile, ...]:
        return tuple(file for _, file in pinned_files(self.optional))

    @property
    def licence(self) -> str:
        licences = (repository(file.repository).licence for file in self.needed_files)
        return "; ".join(dict.fromkeys(licences))

    def paths(self, *starts: str) -> dict[str, Path]:
        """Local paths of the needed files by key, of all or of those whose key begins so."""
        return {key: fetch(file) for key, file in pinned_files(self.needed) if key.startswith(starts or "")}

    def load(self) -> Any:
        """Fetch, verify and read.

        Raises
        ------
        SourceUnavailableError
            If a needed file cannot be obtained.
        IntegrityError, DataError
            If a file is not the pinned one, or does not hold what its format promises.
        """
        paths = self.paths()
        files, missing = list(self.needed_files), []
        for key, file in pinned_files(self.optional):
            try:
                paths[key] = fetch(file)
                files.append(file)
            except SourceUnavailableError:
                missing.append(str(file))
        source = Provenance(
            files=tuple(map(str, files)),
            licence=self.licence,
            citation=self.citation,
            missing=tuple(missing),
        )
        read = resolve_name(f"metaeval.datasets.readers.{self.reader}")
        return read(paths, Release(self.name, self.title, source), **self.options)


def pinned_files(pins: Pins) -> Iterator[tuple[str, SourceFile]]:
    """Key and file of each pin; of many files in the order of what they are of, the last changing first."""
    for key, pin in pins.items():
        many = {"file": pin, "each": {}} if isinstance(pin, str) else pin
        for values in product(*many["each"].values()):
            names = dict(zip(many["each"], values, strict=True))
            where, _, path = many["file"].format(**names).partition(":")
            name, _, commit = where.partition("@")
            yield key.format(**names), find(name, path, commit=commit or None)


def _declared(kind: str) -> dict[str, Dataset]:
    """The datasets, or the releases of pairs, that the file declares."""
    return {
        name: Dataset(name, **{**entry, "citation": tuple(entry["citation"])})
        for name, entry in read_yaml(FOLDER / "datasets.yml")[kind].items()
    }


@cache
def load_units(name: str) -> PyramidUnits:
    """Content units and presence labels of ``lite-realsumm`` or ``lite-pyrxsum``, read once per process.

    Raises
    ------
    SourceUnavailableError, IntegrityError
        If a file cannot be fetched, or is not the pinned one.
    """
    return lite_pyramid.read_units(DATASETS[name].paths(*lite_pyramid.UNIT_FILES, "labels/"))


@cache
def load_marks() -> faithbench.Marks:
    """`readers.faithbench.read_marks` of the release, read once per process; errors as in `load_units`."""
    return faithbench.read_marks(DATASETS["faithbench"].paths())


DATASETS, PAIRS = _declared("datasets"), _declared("pairs")  # the second are choices, and no Benchmark


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


def describe(name: str) -> Dataset:
    """Title, files, licence and citation of a dataset, without loading it.

    Parameters
    ----------
    name : str
        One of `names` or `pair_names`.

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownNameError
        If there is no such dataset.
    """
    return choose("dataset", name, {**DATASETS, **PAIRS})


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
    choice is written to the environment of this process, which its children inherit.

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
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(fetch, _needed_files()))
        except SourceUnavailableError as error:
            if requested == "real":
                raise
            reason = str(error)
    chosen = "simulated" if requested == "simulated" or reason else "real"
    os.environ[VARIABLE] = chosen
    # so that no process tries again the hosts that did not answer
    os.environ[SILENT] = "\n".join(f"{host}\t{why}" for host, why in silent_hosts().items())
    return chosen, reason


def _needed_files() -> list[SourceFile]:
    files = [file for name in NEEDED_BY_THE_BOOK for file in DATASETS[name].needed_files]
    files += [*gesera.example_files(), *wmt.files()]
    files += [file for name in STORIES_NEEDED_BY_THE_BOOK for file in stories.COLLECTIONS[name].files()]
    return list(dict.fromkeys(files))
