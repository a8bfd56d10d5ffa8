"""own.texts: a user's own summaries, references and sources as `Texts`.

Three layouts are read. *Lines*: a text file per system, named by it, one line per document; references and
sources line by line beside it. *Folders*: one per system with a file per document; a folder of such folders
is all of them. *Tables* in the formats of `metaeval.own.parsing`: a row per summary, in columns system,
document, summary, and perhaps reference (a text, a list, or reference_1, reference_2 ...) and source. What a
file's name ends with makes it a table, since lines of text can look like anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

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
    named = columns or {}
    for role, names in named.items():
        choose("role of texts", role, ROLES)
        if len(names) > 1 and role != "reference":
            raise DataError(f"there is one column of the {role}, got {listing(names)}")
    inputs = {"summary": summaries, "reference": references, "source": [sources] if sources else []}
    paths = [path for group in inputs.values() for path in group]
    if any(_kind(path) == "lines" for path in paths):  # a folder then holds files of lines, not of documents
        inputs["summary"] = [one for path in summaries for one in _files_of_lines(path)]
        _require_aligned([*inputs["summary"], *paths])
    tables = {role: [t for path in group for t in _tables(path, role)] for role, group in inputs.items()}
    texts: dict[tuple[str, str], tuple[str | None, str]] = {}
    for table in tables["summary"]:
        _add_summaries(texts, table, named)
    beside = {}
    for role in ("reference", "source"):
        beside[role] = {}
        for table in tables[role]:
            for document, words in _per_document(table, role, named).items():
                beside[role][document] = (*beside[role].get(document, ()), *words)
        for table in () if tables[role] else tables["summary"]:
            beside[role] = _per_document(table, role, named, optional=True) | beside[role]
    columns_of_all = {name for group in tables.values() for table in group for name in table.frame.columns}
    if unseen := {name for names in named.values() for name in names} - columns_of_all:
        raise DataError(f"no table has a column {listing(unseen)}; --col names one that it has")
    return _assembled({key: text for key, (text, _) in texts.items()}, beside["reference"], beside["source"])


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


# ----------------------------------------------------------------------------------------- texts as tables


def _tables(path: Path, role: str) -> list[Table]:
    """The tables of a file; of a file of lines, of a folder, or of each folder in it one with its name."""
    kind = _kind(path)
    if kind == "table":
        return parse(path)
    if kind == "lines":
        texts = {f"{i}": line for i, line in enumerate(_lines(path), start=1)}
        return [_plain_table(path, path.stem, role, [*texts], [*texts.values()], "line {}".format)]
    folders = [one for one in _visible(path) if one.is_dir()] or [path]
    return [_folder_table(folder, role) for folder in folders]


def _folder_table(folder: Path, role: str) -> Table:
    """A text per document of a folder."""
    files = _visible(folder)
    if files[0].is_dir():
        raise DataError(f"{str(folder)!r} is the folder of a system and holds a folder: {files[0].name!r}")
    texts = ["\n".join(_lines(file)) for file in files]
    return _plain_table(
        folder, folder.name, role, [file.stem for file in files], texts, lambda i: files[i - 1].name
    )


def _plain_table(
    path: Path, system: str, role: str, documents: list[str], texts: list[str], place: Callable[[int], str]
) -> Table:
    frame = pd.DataFrame({"system": system, "document": documents, role: texts}, dtype=object)
    return Table(str(path), None, frame, locate=lambda row: place(row + 1))


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


# ----------------------------------------------------------------------------------------------- columns


def _columns(table: Table, role: str, named: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns of a role: as named, else of the likeliest usual name; of references several."""
    columns = [name for name in named.get(role, ()) if name in table.frame.columns]
    names = {column: {plain(column)} for column in table.frame.columns}
    if role == "reference":
        names = {column: {name, _NUMBERED.sub("", name)} for column, (name,) in names.items()}
    usual = ([column for column in names if name in names[column]] for name in ROLES[role])
    columns = columns or next(filter(None, usual), [])
    return columns if role == "reference" else columns[:1]


def _documents(table: Table, named: Mapping[str, Sequence[str]]) -> list[str]:
    return _ids(table, "document", named) or [f"{i + 1}" for i in range(len(table.frame))]


def _add_summaries(
    store: dict[tuple[str, str], tuple[str | None, str]], table: Table, named: Mapping[str, Sequence[str]]
) -> None:
    columns = _columns(table, "summary", named)
    if not columns:
        raise DataError(
            f"{table.file}: no column of summaries among {listing(table.frame.columns)}; call it summary, "
            "beside system, document, and perhaps reference and source, or name it: --col summary=NAME"
        )
    documents = _documents(table, named)
    systems = _ids(table, "system", named) or [table.name] * len(documents)
    for row, (*key, text) in enumerate(zip(systems, documents, _texts(table, *columns), strict=True)):
        place = _place(table, row)
        if (system_document := tuple(key)) in store:
            raise DataError(
                f"the summary of system {key[0]!r}, document {key[1]!r} comes twice: "
                f"{store[system_document][1]}, and {place}; keep one of them"
            )
        store[system_document] = text, place


def _place(table: Table, row: int) -> str:
    return f"{table.file}, {table.place(row)}"


def _ids(table: Table, role: str, named: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of systems or documents, row by row; none without a column of them."""
    columns = _columns(table, role, named)
    names = []
    for row, cell in enumerate(table.frame[columns[0]] if columns else ()):
        if isinstance(cell, list | dict | bytes):
            what = "must be a name, got a list, a mapping or bytes"
        elif cell is None or cell != cell or cell == "":
            what = "is empty; fill it in"
        elif _CONTROL.search(str(cell)):
            what = f"{cell!r} holds a control character; take it out"
        else:
            names.append(str(cell))
            continue
        raise DataError(f"{_place(table, row)}, column {columns[0]!r}: the name of the {role} {what}")
    return names


def _texts(table: Table, column: str) -> list:
    """A column of texts, or of lists of them; None where there is none."""
    cells = table.frame[column].tolist()
    for row, cell in enumerate(cells):
        for text in cell if isinstance(cell, list) else [cell]:
            if not isinstance(text, str | None):  # a number is a mistake that would score 0
                where = f"{_place(table, row)}, column {column!r}"
                raise DataError(f"{where}: must be a text, got {type(text).__name__} {text!r}")
    return cells


def _per_document(
    table: Table, role: str, named: Mapping[str, Sequence[str]], *, optional: bool = False
) -> dict[str, tuple[str, ...]]:
    """References, or sources, that a document's rows have; all have to say the same."""
    columns = _columns(table, role, named)
    if not columns and not optional:
        raise DataError(
            f"{table.file}: no column of {role}s among {listing(table.frame.columns)}; call it {role}, or "
            f"name it: --col {role}=NAME"
        )
    store: dict[str, tuple[tuple[str, ...], int]] = {}
    cells = [_texts(table, column) for column in columns]
    rows = zip(_documents(table, named), *cells, strict=True) if columns else ()
    for row, (document, *words) in enumerate(rows):
        if len(words) > 1 and any(words):  # a line of cells has one for every column
            words = [one for one in words if one != ""]
        texts = [text for one in words for text in (one if isinstance(one, list) else [one])]
        texts = tuple(text for text in texts if text is not None)
        before, first = store.setdefault(document, (texts, row)) if texts else (texts, row)
        if before != texts:
            raise DataError(
                f"{table.file}: document {document!r} has two different texts in {listing(columns)}: "
                f"{_place(table, first)}, and {_place(table, row)}; several references stand in one row, as "
                "a list or as reference_1, reference_2"
            )
    return {document: texts for document, (texts, _) in store.items()}


# ----------------------------------------------------------------------------------------------- together


def _assembled(
    summaries: Mapping[tuple[str, str], str | None], references: Mapping[str, tuple[str, ...]],
    sources: Mapping[str, tuple[str, ...]],
) -> Texts:  # fmt: skip
    systems, documents = (list(dict.fromkeys(ids)) for ids in zip(*summaries, strict=True))
    for what, texts in (("reference", references), ("source", sources)):
        if texts and texts.keys().isdisjoint(documents):
            raise DataError(
                f"no document has a {what}: summaries are of {listing(documents)}, {what}s of "
                f"{listing(texts)}; call documents alike"
            )
    values = np.full((len(systems), len(documents)), None, dtype=object)
    rows, columns = ({name: i for i, name in enumerate(ids)} for ids in (systems, documents))
    for (system, document), text in summaries.items():
        values[rows[system], columns[document]] = text
    return Texts(
        with_ids(values, system=systems, document=documents),
        {document: references[document] for document in documents if document in references},
        {document: sources[document][0] for document in documents if document in sources},
    )
