"""parsing.files: from a file, a folder, an archive or a data frame to tables, the format told by content."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath
from typing import TypeVar

import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, closest, first_line, listing
from metaeval.own.parsing.binary import MARKS, read_binary
from metaeval.own.parsing.delimited import parse_delimited
from metaeval.own.parsing.frames import pandas_table, polars_table, workbook_tables
from metaeval.own.parsing.structured import parse_json
from metaeval.own.parsing.table import EmptyError, Table, printable

T = TypeVar("T")

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
_ZIP = b"PK\x03\x04"
_WORKBOOK = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}  # inside of xlsx, xlsb and ods
_JSON = re.compile(rb'[\s\x1e]*(\{\s*["}]|(\[\s*)+([]{"\d-]|NaN|Infinity|null|true|false))')
_NO_TABLE = {  # beginnings of other texts
    re.compile(rb"\s*<(!doctype\s+html|html)", re.I): "a web page; download the file itself",
    re.compile(rb"\s*<\?xml"): "XML; write it as CSV or JSON",
    re.compile(rb"version https://git-lfs"): "a pointer to a file in Git LFS; `git lfs pull` fetches it",
    re.compile(rb"%PDF"): "a PDF; write its table as CSV",
    re.compile(rb"\s*\[?\s*\{\s*'[^'\n]*'\s*:"): "Python's way to print a mapping; write it with json.dumps",
}
_LINES = {".jsonl", ".ndjson"}  # of JSON
_BINARY = {".parquet", ".feather", ".arrow", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_DATA = {".csv", ".tsv", ".tab", ".psv", ".json", ".score", *_LINES, *_BINARY}
_WRAPPED = {".gz", ".bz2", ".xz", ".zip", ".eval"}
_INSPECT = ("header.json", "summaries.json")
_MAX_FILES = 2_000  # of a folder or an archive
_MAX_DEPTH = 3  # of archives in archives
_ENCODINGS = {  # the longer ones first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_START = 65536  # bytes that tell a text from other things
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1d\x7f]")
_RUBBISH = 0.01  # share of control characters that no text has
_WRONG = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as Python keeps them
_OTHER = re.compile("[^\x00-\x7f\udc80-\udcff]")


def parse(source: str | os.PathLike | pd.DataFrame | pl.DataFrame, name: str = "table") -> list[Table]:
    """The tables in a file, a folder, an archive or a data frame.

    Parameters
    ----------
    source : path or DataFrame
        A relative path counts from the folder in which the command was started. Named levels of a frame's
        index are columns.
    name : str
        What a data frame is called.

    Returns
    -------
    list of Table
        At least one, each with rows; several of a folder, an archive, a workbook, or JSON with several lists.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If no table can be read: the file and line, and what to do.
    MissingExtraError
        For a workbook without the extra that reads it.
    """
    if isinstance(source, pd.DataFrame):
        return [replace(pandas_table(source, name), name=name)]
    if isinstance(source, pl.DataFrame):
        return [replace(polars_table(source, name), name=name)]
    path = Path(source).expanduser()
    if path.is_dir():
        return _parse_several(_files_below(path), _parse_file, printable(path))
    require_file(path)
    return _parse_file(path, path.name)


def _files_below(folder: Path) -> dict[str, Path]:
    """The files of a folder by their names in it, unless they are too many."""
    files = list(islice((path for path in folder.rglob("*") if path.is_file()), _MAX_FILES + 1))
    if len(files) > _MAX_FILES:
        raise DataError(
            f"{printable(folder)} holds more than {_MAX_FILES:,} files; name a file, or fewer of them"
        )
    return {str(path.relative_to(folder)): path for path in files}


def require_file(path: Path) -> None:
    """Raise unless a path leads to a file, which can be looked at twice and has an end.

    Raises
    ------
    FileNotFoundError, DataError
        What to do.
    """
    if not path.exists():
        close = closest(path.name, (one.name for one in path.parent.glob("*")))
        raise FileNotFoundError(
            f"no file or folder {printable(path)!r} in {printable(Path.cwd())!r}: a relative path counts "
            f"from the folder in which the command was started, and an address has to be downloaded.{close}"
        )
    if not path.is_file():
        raise DataError(
            f"{printable(path)!r} is a pipe or a device; write what comes from it to a file, and name that"
        )


def promises_table(name: str) -> bool:
    """Check whether a file's name ends as those of tables do, packed or not."""
    return bool({*PurePath(name.lower()).suffixes} & (_DATA | _WRAPPED))


def _parse_several(
    files: Mapping[str, T], parse_one: Callable[[T, str], list[Table]], name: str
) -> list[Table]:
    """The tables of a folder or an archive: of files whose names promise one, or of all where none does."""
    names = sorted(one for one in files if not any(part[0] in "._" for part in PurePath(one).parts))
    chosen = [one for one in names if promises_table(one)] or names
    if not 0 < len(chosen) <= _MAX_FILES:
        raise DataError(
            f"{name} holds {len(chosen) or 'no'} files with tables; name a file, or fewer of them"
        )
    tables, empty = [], []
    for one in chosen:
        try:
            tables += parse_one(files[one], one)
        except EmptyError:
            empty.append(one)
            if len(empty) == len(chosen):
                raise
    if left := ({*names} - {*chosen}) | {*empty}:
        note = f"left out of {name}: {listing(map(printable, left))}"
        tables = [replace(table, notes=(*table.notes, note)) for table in tables]
    return tables


def _parse_file(path: Path, title: str) -> list[Table]:
    label = printable(path.name)
    try:
        tables = _parse_bytes(path.read_bytes(), label, printable(title))
    except OSError as error:
        raise DataError(f"{label} cannot be read: {error.strerror or error}") from error
    except RecursionError:
        raise DataError(f"{label} is nested too deeply; write it as CSV") from None
    except MemoryError:
        raise DataError(f"{label} needs more memory than there is; split it") from None
    return [replace(table, path=path) for table in tables]


def _parse_bytes(data: bytes, label: str, title: str, depth: int = 0) -> list[Table]:
    """The tables of a file, perhaps in an archive, called by its title; errors call it by the label."""
    for mark, unpack in _PACKED.items():
        if data.startswith(mark):
            data = _unpack(lambda data=data, unpack=unpack: unpack(data), label)
    kind = next((kind for mark, kind in MARKS.items() if data.startswith(mark)), "")
    if data.startswith(_ZIP):
        archive = _unpack(lambda: zipfile.ZipFile(io.BytesIO(data)), label)
        members = {info.filename: info for info in archive.infolist() if info.filename and not info.is_dir()}
        if not members.keys() & _WORKBOOK:
            return _parse_archive(archive, members, label, depth, inspect=title.endswith(".eval"))
        kind = "Excel"
    if kind == "Excel":
        tables = workbook_tables(read_binary(kind, data, label), label)
    elif kind:
        tables = [polars_table(read_binary(kind, data, label), label, kind)]
    else:
        data, notes = _as_utf8(data, label)
        if what := next((what for beginning, what in _NO_TABLE.items() if beginning.match(data)), ""):
            raise DataError(f"{label} is {what}")
        if _JSON.match(data):
            by_lines = bool(_LINES & {*PurePath(title.lower()).suffixes})
            tables = parse_json(data.decode(), label, by_lines=by_lines)
        else:
            tables = [parse_delimited(data, label)]
        tables = [replace(table, notes=(table.notes[0], *notes, *table.notes[1:])) for table in tables]
    stem = _stem(title)
    return [replace(table, name=f"{stem}/{table.name}" if table.name else stem) for table in tables]


def _parse_archive(
    archive: zipfile.ZipFile,
    members: Mapping[str, zipfile.ZipInfo],
    label: str,
    depth: int,
    *,
    inspect: bool,
) -> list[Table]:
    """The tables of the files in a ZIP archive; of a log of Inspect, which repeats itself, of its summary."""
    if depth == _MAX_DEPTH:
        raise DataError(f"{label} is an archive in archives; unpack it")
    if inspect:
        members = {name: members[name] for name in _INSPECT if name in members} or members

    def parse_one(member: zipfile.ZipInfo, name: str) -> list[Table]:
        inner = f"{label}/{name}"
        return _parse_bytes(_unpack(lambda: archive.read(member), inner), inner, name, depth + 1)

    return _parse_several(members, parse_one, label)


def _unpack(read: Callable[[], T], label: str) -> T:
    try:
        return read()
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise DataError(
            f"{label} cannot be unpacked ({first_line(error)}); unpack it yourself, if it is whole"
        ) from None


def _stem(name: str) -> str:
    """A file's name without what it ends with; numbers, as of versions, are no such ending."""
    stem = name
    while PurePath(stem).suffix.lower() in _DATA | _WRAPPED:
        stem = stem[: -len(PurePath(stem).suffix)]
    suffix = PurePath(stem).suffix
    return stem[: -len(suffix)] if stem == name and suffix[1:].isalpha() else stem


def _as_utf8(data: bytes, name: str) -> tuple[bytes, list[str]]:
    """A text in UTF-8 without a mark at its beginning, and what was done to it.

    Raises
    ------
    DataError
        If it is no text, or mixes encodings: the line.
    """
    encoding = next(
        (encoding for mark, encoding in _ENCODINGS.items() if data.startswith(mark)), None
    ) or _wide(data[:_START])
    notes = []
    if encoding == "utf-8":
        data = data.removeprefix(codecs.BOM_UTF8)
    elif encoding:
        try:
            data = data.decode(encoding).encode()
        except UnicodeError as error:
            raise DataError(
                f"{name} is not {encoding.upper()}, as it begins: {error}; save it as UTF-8"
            ) from None
        notes = [encoding.upper()]
    data = data.removesuffix(b"\x1a")  # the end, for DOS
    start = data[:_START]
    if len(_CONTROL.findall(start)) + start.count(0) // 8 > _RUBBISH * len(start):
        raise DataError(f"{name} is no text, and no Parquet, Feather or Excel file; save it as CSV or JSON")
    if n_zero := data.count(0):
        data = data.replace(b"\0", b"")
        notes.append(f"{n_zero} zero bytes left out")
    if data.isascii():
        return data, notes
    text = data.decode("utf-8", "surrogateescape")
    if wrong := _WRONG.search(text):
        if len(_WRONG.findall(text)) < 2 * len(_OTHER.findall(text)):
            line = text.count("\n", 0, wrong.start()) + 1
            raise DataError(
                f"{name}, line {line}: is not UTF-8, though other lines are; save the whole file as UTF-8"
            )
        try:
            data = data.decode("cp1252").encode()
        except UnicodeDecodeError:
            data = data.decode("latin-1").encode()
        notes.append("Latin-1")
    return data, notes


def _wide(start: bytes) -> str | None:
    """UTF-16 without a mark: nearly every other byte is zero."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if min(even, odd) > _RUBBISH * len(start) or max(even, odd) < len(start) / 8:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
