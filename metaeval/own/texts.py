"""own.texts: a user's own summaries, references and sources as `Texts`.

Three layouts are read. *Lines*: a text file per system, named by it, one line per document; references and
sources line by line beside it. *Folders*: one per system with a file per document; a folder of such folders
is all of them. *Tables* in the formats of `metaeval.own.parsing`: a row per summary, in columns system,
document, summary, and perhaps reference (a text, a list, or reference_1, reference_2 ...) and source. What a
file's name ends with makes it a table, since lines of text can look like anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, choose, listing
from metaeval.datasets.readers.tables import read_lines
from metaeval.own.parsing import Table, parse
from metaeval.own.parsing.files import promises_table, require_file
from metaeval.own.words import lexicon, plain
from metaeval.tables.benchmark import Texts, with_ids

_USUAL = lexicon().names
ROLES = {
    "system": [*_USUAL["system"]],
    "document": [name for name in _USUAL["item"] if name not in _USUAL["source"]],
    **{role: [*_USUAL[role]] for role in ("summary", "source", "reference")},
}
_NUMBERED = re.compile(r"_?\d+$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass
class _Columns:
    """Columns that a user names, by role, and which of them no table had so far."""

    named: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        for role, names in self.named.items():
            choose("role of texts", role, ROLES)
            if len(names) > 1 and role != "reference":
                raise DataError(f"there is one column of the {role}, got {listing(names)}")
        self.unseen = {name for names in self.named.values() for name in names}

    def roles(self, table: Table) -> dict[str, list[str]]:
        """The columns of a table by role: as named, else of usual names; of references several."""
        names = {column: {plain(column)} for column in table.frame.columns}
        bare = {column: {name, _NUMBERED.sub("", name)} for column, (name,) in names.items()}
        store = {}
        for role, usual in ROLES.items():
            like = bare if role == "reference" else names
            columns = [name for name in self.named.get(role, ()) if name in names]
            self.unseen -= set(columns)
            fitting = ([column for column in like if name in like[column]] for name in usual)
            if columns := columns or next(filter(None, fitting), []):
                store[role] = columns if role == "reference" else columns[:1]
        return store


@dataclass
class _Found:
    """Texts by their ids, each with the place where it stands."""

    columns: _Columns
    summaries: dict[tuple[str, str], tuple[str | None, str]] = field(default_factory=dict)
    references: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    sources: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)


def read_texts(
    summaries: Sequence[Path],
    references: Sequence[Path] = (),
    sources: Path | None = None,
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> Texts:
    """A user's texts from files and folders.

    Parameters
    ----------
    summaries : files or folders
        A file of lines is a system, as is a folder; a table holds one or several, and may hold references
        and sources too.
    references : files or folders
        Each file of lines, or folder, holds one reference of every document; a table holds all of them.
    sources : file or folder, optional
    columns : mapping, role -> names of columns of tables, optional
        Where the usual names are not found, or not meant; roles are those of `ROLES`.

    Returns
    -------
    Texts
        A summary that a table lacks is None. Documents of files of lines are called "1", "2" and so on, those
        of folders after their files without what the names end with.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    DataError
        Naming file, line and what to do: files of lines are not of one length, something stands twice, is no
        text or not UTF-8, or ids do not meet.
    """
    inputs = [*summaries, *references, *([] if sources is None else [sources])]
    if any(_kind(path) == "lines" for path in inputs):  # a folder then holds files of lines, not of documents
        summaries = [one for path in summaries for one in _files_of_lines(path)]
        _require_aligned([*summaries, *inputs])
    store = _Found(_Columns(columns or {}))
    for path in summaries:
        _add_summaries(store, path)
    if references:
        store.references = _by_document(store.columns, references, "reference")
    if sources is not None:
        store.sources = _by_document(store.columns, [sources], "source")
    if store.columns.unseen:
        raise DataError(f"no table has a column {listing(store.columns.unseen)}; --col names one that it has")
    return _assembled(store)


def _kind(path: Path) -> str:
    if path.is_dir():
        return "folder"
    require_file(path)
    return "table" if promises_table(path.name) else "lines"


def _lines(path: Path) -> list[str]:
    return [line.removesuffix("\r") for line in read_lines(path)]


def _files_of_lines(path: Path) -> list[Path]:
    inside = _visible(path) if path.is_dir() else []
    return inside if inside and inside[0].is_file() else [path]


def _require_aligned(paths: Iterable[Path]) -> None:
    lengths = {str(path): len(_lines(path)) for path in paths if _kind(path) == "lines"}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} {n:,}" for name, n in lengths.items())
        raise DataError(f"files of lines must have one line per document, all alike; they have: {words}")


# ---------------------------------------------------------------------------------------------- summaries


def _add_summaries(store: _Found, path: Path) -> None:
    if _kind(path) == "table":
        for table in parse(path):
            _add_table(store, table)
        return
    for system, texts in _plain_texts(path).items():
        if any(other == system for other, _ in store.summaries):
            place = next(iter(texts.values()))[1]
            raise DataError(
                f"{place}: system {system!r} comes twice; files and folders are named by their system"
            )
        store.summaries |= {(system, document): text for document, text in texts.items()}


def _plain_texts(path: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """Texts by document, with their places, of a file of lines, of a folder, or of each folder in it."""
    if _kind(path) == "lines":
        lines = enumerate(_lines(path), start=1)
        return {path.stem: {f"{i}": (line, f"{path.name}, line {i}") for i, line in lines}}
    folders = [one for one in _visible(path) if one.is_dir()] or [path]
    return {folder.name: _files_in(folder) for folder in folders}


def _visible(folder: Path) -> list[Path]:
    inside = sorted(one for one in folder.iterdir() if not one.name.startswith("."))
    if not inside:
        raise DataError(f"the folder {str(folder)!r} is empty; it needs a text file per document")
    if len({one.is_dir() for one in inside}) > 1:
        raise DataError(
            f"the folder {str(folder)!r} holds folders and files; it needs either a text file per document, "
            "or a folder per system"
        )
    return inside


def _files_in(folder: Path) -> dict[str, tuple[str, str]]:
    """A text per document of a folder, with its place."""
    store: dict[str, tuple[str, str]] = {}
    for file in _visible(folder):
        if file.is_dir():
            raise DataError(f"{str(folder)!r} is the folder of a system and holds a folder: {file.name!r}")
        _put(store, file.stem, ("\n".join(_lines(file)), str(file)), f"document {file.stem!r}")
    return store


def _put(target: dict, key: object, value: tuple[object, str], what: str) -> None:
    if key in target:
        raise DataError(f"{what} comes twice: {target[key][1]}, and {value[1]}; keep one of them")
    target[key] = value


# ------------------------------------------------------------------------------------------------- tables


def _add_table(store: _Found, table: Table) -> None:
    roles = store.columns.roles(table)
    if "summary" not in roles:
        raise DataError(
            f"{table.file}: no column of summaries among {listing(table.frame.columns)}; call it summary, "
            "beside system, document, and perhaps reference and source, or name it: --col summary=NAME"
        )
    documents = _documents(table, roles)
    systems = _ids(table, roles, "system") or [table.name] * len(documents)
    summaries = _texts(table, roles["summary"][0])
    for row, (system, document, summary) in enumerate(zip(systems, documents, summaries, strict=True)):
        what = f"the summary of system {system!r}, document {document!r}"
        _put(store.summaries, (system, document), (summary, _Place(table, row)), what)
    for role, target in (("reference", store.references), ("source", store.sources)):
        if role in roles:
            target |= _per_document(table, roles[role], documents) | target


@dataclass(frozen=True)
class _Place:
    """Place of a row, in words when somebody asks: it takes a pass over the file."""

    table: Table
    row: int

    def __str__(self) -> str:
        return f"{self.table.file}, {self.table.place(self.row)}"


def _ids(table: Table, roles: Mapping[str, Sequence[str]], role: str) -> list[str]:
    if role not in roles:
        return []
    (column,) = roles[role]
    names = []
    for row, cell in enumerate(table.frame[column]):
        if isinstance(cell, list | dict | bytes):
            what = "must be a name, got a list, a mapping or bytes"
        elif cell is None or cell != cell or cell == "":
            what = "is empty; fill it in"
        elif _CONTROL.search(str(cell)):
            what = f"{cell!r} holds a control character; take it out"
        else:
            names.append(str(cell))
            continue
        raise DataError(f"{_Place(table, row)}, column {column!r}: the name of the {role} {what}")
    return names


def _texts(table: Table, column: str) -> list:
    """A column of texts, or of lists of them; None where there is none."""
    cells = table.frame[column].tolist()
    for row, cell in enumerate(cells):
        for text in cell if isinstance(cell, list) else [cell]:
            if not isinstance(text, str | None):  # a number is a mistake that would score 0
                where = f"{_Place(table, row)}, column {column!r}"
                raise DataError(f"{where}: must be a text, got {type(text).__name__} {text!r}")
    return cells


def _by_document(
    columns: _Columns, paths: Sequence[Path], role: str
) -> dict[str, tuple[tuple[str, ...], str]]:
    """The references, or sources, of documents, from files and folders of them alone."""
    store: dict[str, tuple[tuple[str, ...], str]] = {}
    for path in paths:
        if _kind(path) == "table":
            parts = [_table_texts(columns, table, role) for table in parse(path)]
        else:
            parts = [
                {document: ((text,), place) for document, (text, place) in texts.items()}
                for texts in _plain_texts(path).values()
            ]
        for document, (texts, place) in [entry for part in parts for entry in part.items()]:
            before = store[document][0] if document in store else ()
            store[document] = (*before, *texts), place
    return store


def _table_texts(columns: _Columns, table: Table, role: str) -> dict[str, tuple[tuple[str, ...], _Place]]:
    roles = columns.roles(table)
    if role not in roles:
        raise DataError(
            f"{table.file}: no column of {role}s among {listing(table.frame.columns)}; call it {role}, or "
            f"name it: --col {role}=NAME"
        )
    return _per_document(table, roles[role], _documents(table, roles))


def _documents(table: Table, roles: Mapping[str, Sequence[str]]) -> list[str]:
    return _ids(table, roles, "document") or [f"{i + 1}" for i in range(len(table.frame))]


def _per_document(
    table: Table, columns: Sequence[str], documents: Sequence[str]
) -> dict[str, tuple[tuple[str, ...], _Place]]:
    """Texts that a document's rows have in some columns; all have to say the same."""
    cells = [_texts(table, column) for column in columns]
    store: dict[str, tuple[tuple[str, ...], _Place]] = {}
    for row, (document, *words) in enumerate(zip(documents, *cells, strict=True)):
        if len(words) > 1 and any(words):  # a line of cells has one for every column
            words = [one for one in words if one != ""]
        texts = [text for one in words for text in (one if isinstance(one, list) else [one])]
        texts = tuple(text for text in texts if text is not None)
        if not texts:
            continue
        if document in store and store[document][0] != texts:
            raise DataError(
                f"{table.file}: document {document!r} has two different texts in {listing(columns)}: "
                f"{store[document][1]}, and {_Place(table, row)}; several references stand in one row, as a "
                "list or as reference_1, reference_2"
            )
        store.setdefault(document, (texts, _Place(table, row)))
    return store


# ----------------------------------------------------------------------------------------------- together


def _assembled(store: _Found) -> Texts:
    systems, documents = (list(dict.fromkeys(ids)) for ids in zip(*store.summaries, strict=True))
    for what, inputs in (("reference", store.references), ("source", store.sources)):
        if inputs and not set(inputs) & set(documents):
            raise DataError(
                f"no document has a {what}: summaries are of {listing(documents)}, {what}s of "
                f"{listing(inputs)}; call documents alike"
            )
    values = np.full((len(systems), len(documents)), None, dtype=object)
    rows, columns = ({name: i for i, name in enumerate(ids)} for ids in (systems, documents))
    for (system, document), (text, _) in store.summaries.items():
        values[rows[system], columns[document]] = text
    return Texts(
        with_ids(values, system=systems, document=documents),
        {document: store.references[document][0] for document in documents if document in store.references},
        {document: store.sources[document][0][0] for document in documents if document in store.sources},
    )
