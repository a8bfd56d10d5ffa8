"""datasets.registry: the pinned files, with commit, git blob, source and terms."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from metaeval.core.errors import DataError, choose, listing
from metaeval.core.paths import DATA, read_yaml

FOLDER = DATA / "registry"
TABLES = ("files.tsv", "stories.tsv")  # benchmarks; documents to look summaries up in
COLUMNS = ("repository", "commit", "path", "git_blob", "bytes")


@dataclass(frozen=True, order=True)
class SourceFile:
    """One upstream file at one commit.

    Attributes
    ----------
    repository : ``"OWNER/REPO"``
    commit : 40 hexadecimal digits
    path : inside the repository, with forward slashes
    git_blob : SHA-1 of ``b"blob %d\\0" % size + content``, which git itself names the content by
    n_bytes : size, or None where it is not known
    """

    repository: str
    commit: str
    path: str
    git_blob: str
    n_bytes: int | None

    def __str__(self) -> str:
        return f"{self.repository}@{self.commit}:{self.path}"

    @property
    def relative(self) -> PurePosixPath:
        """``OWNER/REPO/COMMIT/PATH``: its path in a mirror or the cache."""
        return PurePosixPath(self.repository, self.commit, self.path)

    @property
    def url(self) -> str:
        """The public address."""
        pattern = repository(self.repository).address
        path = quote(self.path)
        return pattern.format(repository=self.repository, commit=self.commit, path=path)


@dataclass(frozen=True)
class Repository:
    """One upstream repository and its terms."""

    name: str
    title: str
    licence: str
    citation: tuple[str, ...]
    address: str
    note: str


def parse_files(path: Path) -> tuple[SourceFile, ...]:
    """The rows of a registry table; `tests/metaeval/readers/test_registry.py` holds what a row must be."""
    rows = csv.DictReader(path.read_text(encoding="utf8").splitlines(), delimiter="\t")
    return tuple(
        SourceFile(*(row[name] for name in COLUMNS[:-1]), n_bytes=int(row["bytes"]) if row["bytes"] else None)
        for row in rows
    )


@cache
def files() -> tuple[SourceFile, ...]:
    """Every pinned file."""
    return tuple(file for name in TABLES for file in parse_files(FOLDER / name))


@cache
def _by_path() -> Mapping[str, Mapping[str, list[SourceFile]]]:
    """The pinned files of each repository by their paths, which several commits may pin."""
    by_path: dict[str, dict[str, list[SourceFile]]] = {name: {} for name in repositories()}
    for file in files():
        by_path[file.repository].setdefault(file.path, []).append(file)
    return by_path


@cache
def repositories() -> Mapping[str, Repository]:
    """Every repository by its name, ``"OWNER/REPO"``."""
    return {
        name: Repository(name, **{**entry, "citation": tuple(entry["citation"])})
        for name, entry in read_yaml(FOLDER / "sources.yml").items()
    }


def repository(name: str) -> Repository:
    """One repository, by ``"OWNER/REPO"``."""
    return choose("repository", name, repositories())


def find(name: str, path: str, *, commit: str | None = None) -> SourceFile:
    """The pinned file `path` of a repository; `commit` is needed only where several commits pin it.

    Raises
    ------
    UnknownNameError
        If no such repository or file is pinned.
    DataError
        If several commits pin it and `commit` is not given, or not at this one.
    """
    pinned = choose("repository", name, _by_path())
    every = choose(f"file of {name}", path, pinned)
    files = [file for file in every if commit in (None, file.commit)]
    if len(files) != 1:
        commits = listing(file.commit for file in every)
        raise DataError(f"{name}: {path} is pinned at {commits}; choose one of these, not {commit}")
    return files[0]


def files_below(name: str, folder: str) -> list[SourceFile]:
    """The pinned files of a repository whose path starts with `folder`, sorted."""
    repository(name)
    return sorted(f for f in files() if f.repository == name and f.path.startswith(folder))
