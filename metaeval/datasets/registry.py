"""datasets.registry: the pinned files, with commit, git blob, source and terms."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from urllib.parse import quote

from metaeval.core.errors import DataError, SourceUnavailableError, choose, listing
from metaeval.core.paths import DATA, parse_yaml

FOLDER = DATA / "registry"
TABLES = ("files.tsv", "stories.tsv")  # benchmarks; documents to look summaries up in
COLUMNS = ("repository", "commit", "path", "git_blob", "bytes")
FIELDS = ("title", "licence", "citation", "address", "note")
SHA1 = re.compile(r"[0-9a-f]{40}")


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
    """The rows of a registry table.

    Raises
    ------
    SourceUnavailableError
        If there is no such table.
    DataError
        If a row lacks a column, holds an id that is not a SHA-1, steps outside its folder, or comes
        twice.
    """
    with _open(path) as handle:
        rows = list(csv.reader(handle, delimiter="\t"))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise DataError(f"{path}: the header must be {list(COLUMNS)}, got {rows[0] if rows else []}")
    files = [_source_file(row, f"{path}, line {i}") for i, row in enumerate(rows[1:], start=2)]
    paths: set[PurePosixPath] = set()
    for file in files:
        if file.relative in paths:
            raise DataError(f"{path}: {file} is pinned twice")
        paths.add(file.relative)
    return tuple(files)


def _source_file(row: list[str], where: str) -> SourceFile:
    if len(row) != len(COLUMNS):
        raise DataError(f"{where}: needs {len(COLUMNS)} columns, got {len(row)}")
    name, commit, path, git_blob, n_bytes = row
    for label, value in (("commit", commit), ("git_blob", git_blob)):
        if not SHA1.fullmatch(value):
            raise DataError(f"{where}: {label} must be 40 hexadecimal digits, got {value!r}")
    if n_bytes and not n_bytes.isdigit():
        raise DataError(f"{where}: bytes must be a whole number or empty, got {n_bytes!r}")
    parts = PurePosixPath(name, path).parts
    if name.count("/") != 1 or not path or path.startswith("/") or ".." in parts:
        raise DataError(f"{where}: {name!r} and {path!r} must be OWNER/REPO and a path inside it")
    return SourceFile(name, commit, path, git_blob, int(n_bytes) if n_bytes else None)


def parse_repositories(path: Path) -> dict[str, Repository]:
    """The repositories of a ``sources.yml``; a missing or unknown field is an error."""
    with _open(path) as handle:
        entries = parse_yaml(handle.read())
    if not isinstance(entries, dict):
        raise DataError(f"{path}: must map OWNER/REPO to its fields, got {type(entries).__name__}")
    repositories = {}
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) != set(FIELDS):
            actual = listing(entry) if isinstance(entry, dict) else repr(entry)
            raise DataError(f"{path}: {name} must have the fields {list(FIELDS)}, got {actual}")
        repositories[name] = Repository(name, **{**entry, "citation": tuple(entry["citation"])})
    return repositories


def _open(path: Path):
    try:
        return path.open(encoding="utf-8", newline="")
    except FileNotFoundError:
        raise SourceUnavailableError(
            f"the registry of sources is missing: no {path}. It is part of the project's checkout;"
            " install the project from there (`pip install -e .`) instead of copying the package"
        ) from None


@cache
def files() -> tuple[SourceFile, ...]:
    """Every pinned file."""
    pinned = tuple(file for name in TABLES for file in parse_files(FOLDER / name))
    unknown = {file.repository for file in pinned} - set(repositories())
    if unknown:
        raise DataError(
            f"the registry pins files of repositories that sources.yml does not have: {listing(unknown)}"
        )
    return pinned


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
    return MappingProxyType(parse_repositories(FOLDER / "sources.yml"))


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
        If several commits pin it and `commit` is not given.
    """
    pinned = choose("repository", name, _by_path())
    if commit is not None:
        candidates = (
            (path, [file for file in files if file.commit == commit]) for path, files in pinned.items()
        )
        pinned = {path: files for path, files in candidates if files}
    files = choose(f"file of {name}{f' at {commit}' if commit else ''}", path, pinned)
    if len(files) > 1:
        raise DataError(
            f"{name}: {path} is pinned at several commits; choose one:"
            f" {listing(file.commit for file in files)}"
        )
    return files[0]


def files_below(name: str, folder: str) -> list[SourceFile]:
    """The pinned files of a repository whose path starts with `folder`, sorted."""
    repository(name)
    return sorted(f for f in files() if f.repository == name and f.path.startswith(folder))
