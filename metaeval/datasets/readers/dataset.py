"""readers.dataset: a named dataset: which pinned files it is read from, and by which reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets.fetch import fetch
from metaeval.datasets.registry import SourceFile, find, repository
from metaeval.tables.benchmark import Provenance

T = TypeVar("T")  # what is read: a Benchmark, or Pairs


@dataclass(frozen=True)
class Pin:
    """A pinned file by repository and path; `commit` only where several commits pin the path."""

    repository: str
    path: str
    commit: str | None = None

    @property
    def file(self) -> SourceFile:
        return find(self.repository, self.path, commit=self.commit)


@dataclass(frozen=True)
class Dataset(Generic[T]):
    """How a dataset is obtained.

    Attributes
    ----------
    name, title : str
    read : callable (local paths by key, provenance) -> Benchmark, or Pairs
        It touches nothing but those paths.
    needed : mapping, key -> Pin
        Without any one of them there is no benchmark.
    citation : tuple of str
        Keys of ``book/references.bib``, the data's own paper first.
    optional : mapping, key -> Pin
        Without them the benchmark lacks something, and its provenance says so.
    judged_in : int
        The year in which its judges answered, of a release that has answers of language models.
    """

    name: str
    title: str
    read: Callable[[Mapping[str, Path], Provenance], T]
    needed: Mapping[str, Pin]
    citation: tuple[str, ...]
    optional: Mapping[str, Pin] | None = None
    judged_in: int | None = None

    @property
    def needed_files(self) -> tuple[SourceFile, ...]:
        return tuple(pin.file for pin in self.needed.values())

    @property
    def optional_files(self) -> tuple[SourceFile, ...]:
        return tuple(pin.file for pin in (self.optional or {}).values())

    @property
    def licence(self) -> str:
        """The terms of the repositories, as they state them."""
        names = dict.fromkeys(pin.repository for pin in self.needed.values())
        return "; ".join(dict.fromkeys(repository(name).licence for name in names))

    def load(self) -> T:
        """Fetch, verify and read.

        Raises
        ------
        SourceUnavailableError
            If a needed file cannot be obtained.
        IntegrityError, DataError
            If a file is not the pinned one, or does not hold what its format promises.
        """
        paths = {key: fetch(pin.file) for key, pin in self.needed.items()}
        missing = []
        for key, pin in (self.optional or {}).items():
            try:
                paths[key] = fetch(pin.file)
            except SourceUnavailableError:
                missing.append(str(pin.file))
        pins = {**self.needed, **(self.optional or {})}
        provenance = Provenance(
            files=tuple(str(pins[key].file) for key in paths),
            licence=self.licence,
            citation=self.citation,
            missing=tuple(missing),
        )
        return self.read(paths, provenance)
