"""own.files: one file of a user's, or a data frame, as a table of texts and numbers.

CSV, with commas, tabs, semicolons or bars; JSON Lines and JSON; Parquet; Excel with the extra ``excel``; and
what `metaeval.own.logs` knows of other tools. Each may be compressed with gzip. The format is told by
the content, not by the name. Nothing is repaired: what cannot be read is an error with its line.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import xarray as xr

from metaeval.core.errors import DataError, first_line, listing, require_extra
from metaeval.core.paths import atomic_write
from metaeval.datasets.readers.tables import parsed_json
from metaeval.own.binary import read_binary
from metaeval.own.heading import headed, named
from metaeval.own.logs import INSPECT_START, WMT_NAME, inspect_scores, wmt_scores
from metaeval.tables.benchmark import CELL

_GZIP, _PARQUET, _ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
_MARKED = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_ABOUT = {"metadata", "meta", "usage", "info", "params", "parameters", "config", "timing", "stats"}
# of a mapping: its score, of which the first wins; whose it is; ids, also with _id; and names of records
_SCORE, _PEOPLE = ("score", "value", "rating", "label"), {"human", "people", "gold"}
_RATERS = {"rater", "annotator", "worker"}
_IDS = {"system", "document", "doc", "item", "judge", *_RATERS}
_RECORDS = {"score", "scores", "system", "document", "doc", "item"}
_FOR_EXCEL = re.compile(r'"?sep=.?"?', re.IGNORECASE)
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_LOOKED_AT = 20  # lines that tell what parts cells
_QUOTED = re.compile(r'(?<![^,\t;|\n])"[^"]*(?:""[^"]*)*(?:"|\Z)')  # a whole cell, or one that is cut off
# a mapping, or a list of them; no CSV has a quote in the middle of a cell
_JSON = re.compile(r'\s*(\[\s*\{|\{\s*["}])')
_START = 65536  # bytes that tell the format
_NO_TEXT = {".parquet": "Parquet file", ".xlsx": "Excel workbook"}
_WRITERS = {
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".jsonl": pl.DataFrame.write_ndjson,
    ".parquet": pl.DataFrame.write_parquet,
}


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds.

    Attributes
    ----------
    name : str
        The file's, without folders.
    frame : polars DataFrame
        Cells of a text file are texts, "" where empty; those of other formats have their own types.
    content : bytes, Path or None
        The lines, where the format has lines.
    separator : str
        Between the cells of a line; "" for lines of JSON.
    """

    name: str
    frame: pl.DataFrame
    content: bytes | Path | None = None
    separator: str = ""

    @property
    def of_json_lines(self) -> bool:
        """Whether every line is a mapping in JSON."""
        return self.content is not None and not self.separator

    @property
    def stem(self) -> str:
        """The name without what it ends with."""
        return self.name.partition(".")[0] or self.name

    def lines(self) -> list[str]:
        """The lines, where the format has lines."""
        return _text(self.content).split("\n")

    def place(self, row: int) -> str:
        """Where a row stands, in words; the first is 0."""
        if self.content is None:
            return f"{self.name}, row {row + 1}"
        if self.of_json_lines:
            lines = (i for i, line in enumerate(self.lines(), 1) if line.strip())
            return f"{self.name}, line {next(line for n, line in enumerate(lines) if n == row)}"
        text = _text(self.content)
        start = len(text) - len(text.lstrip("\r\n"))
        reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=self.separator)
        for number, _ in enumerate(reader, -1):
            if number == row:
                break
        return f"{self.name}, line {reader.line_num + text[:start].count(chr(10))}"


def read_table(source: str | os.PathLike | pd.DataFrame | pl.DataFrame, name: str = "the table") -> Table:
    """What a file or a data frame holds.

    Parameters
    ----------
    source : path or DataFrame
        A relative path counts from the folder in which the command was started.
    name : str
        What errors call a data frame.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If it cannot be read, has no rows, a line is too long or too short, or a column comes twice.
    MissingExtraError
        For an Excel workbook without the extra that reads it.
    """
    if isinstance(source, pd.DataFrame):
        table = Table(name, _from_pandas(source, name))
    elif isinstance(source, pl.DataFrame):
        table = Table(name, source)
    else:
        table = _read_file(Path(source).expanduser())
    table = replace(table, frame=headed(_as_texts(table.frame), table.name, table.place))
    if not table.frame.height:
        raise DataError(
            f"{table.name} has no rows; it needs a line that names its columns, and lines of values"
        )
    return table


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """`metaeval.core.paths.atomic_write` for a file that a user names.

    Raises
    ------
    OSError
        If it cannot be written: which file, why, and what to do.
    """
    try:
        with atomic_write(path) as partial:
            yield partial
    # polars has errors of its own, and neither they nor those of the system name the user's file
    except (OSError, pl.exceptions.PolarsError) as error:
        why = getattr(error, "strerror", None) or str(error).rpartition(": ")[2]
        raise OSError(
            f"{path} cannot be written ({why}), and nothing of it is kept; make room or get leave to write "
            "there, or name a file elsewhere"
        ) from error


def require_written(path: Path, *, lists: bool = False) -> None:
    """Raise unless a table, perhaps one with columns of lists, can be written under this name.

    Raises
    ------
    DataError
        If the name ends in no format that is written, or in one that holds no lists, or is a folder's.
    """
    formats = [ending for ending in _WRITERS if not lists or ending in (".jsonl", ".parquet")]
    if path.suffix not in formats:
        raise DataError(f"{str(path)!r} must end in {', '.join(formats[:-1])} or {formats[-1]}")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder; name a file")


def require_no_stream(path: Path) -> None:
    """Raise where a pipe or a device is named, which cannot be looked at twice and may have no end.

    Raises
    ------
    DataError
        What to do.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(
            f"{str(path)!r} is a pipe or a device; write what comes from it to a file, and name that"
        )


def require_apart(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """Raise if a file would be written over one that is read, or over another output; None is no file.

    Raises
    ------
    DataError
        Which file.
    """
    taken = {Path(path).resolve(): "is also read" for path in inputs}
    for path in filter(None, outputs):
        if why := taken.get(path.resolve()):
            raise DataError(f"{str(path)!r} {why}, and would be lost; name another file to write")
        taken[path.resolve()] = "is also written"


def long_table(array: xr.DataArray, value: str) -> pl.DataFrame:
    """A row per cell, dims (..., system, document), in the array's order; NaN becomes null.

    Parameters
    ----------
    array : DataArray of floats or texts
    value : name of their column, the last; system and document are the first
    """
    leading = [dim for dim in array.dims if dim not in CELL]
    ordered = array.transpose(*leading, *CELL)
    names = [np.array(ordered.indexes[dim], dtype=object) for dim in ordered.dims]
    columns = {
        dim: pl.Series(ids.ravel(), dtype=pl.String)
        for dim, ids in zip(ordered.dims, np.meshgrid(*names, indexing="ij"), strict=True)
    }
    cells = ordered.to_numpy().ravel()
    dtype = pl.String if cells.dtype == object else None
    columns[value] = pl.Series(cells, dtype=dtype, nan_to_null=True)
    return pl.DataFrame(columns).select(*CELL, *leading, value)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table whole or not at all, in the format that the name asks for.

    Raises
    ------
    DataError
        As `require_written`.
    OSError
        As `written`.
    """
    require_written(path, lists=any(dtype.is_nested() for dtype in frame.dtypes))
    with written(path) as partial:
        _WRITERS[path.suffix](frame, partial)


def _read_file(path: Path) -> Table:
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name the files in it")
    require_no_stream(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"no file {str(path)!r} in {str(Path.cwd())!r}: a relative path counts from the folder in which "
            "the command was started"
        )
    with path.open("rb") as handle:
        start = handle.read(_START)
    content: bytes | Path = path
    if start.startswith(_GZIP):
        content = _unzipped(path)
        start = content[:_START]
    if WMT_NAME.fullmatch(path.name):
        text = _decoded(_bytes(content), "utf-8", path.name)
        return Table(path.name, wmt_scores(path.name, text), content)
    if start.startswith(_PARQUET):
        return Table(path.name, _flat(read_binary("Parquet", content, path.name)))
    if start.startswith(_ZIP):
        if path.suffix == ".eval":
            raise DataError(
                f"{path.name} is a log of Inspect; `inspect log dump {path.name}` prints what is read"
            )
        require_extra("fastexcel", "excel")
        return Table(path.name, _flat(read_binary("Excel", content, path.name)))
    for mark, encoding in _MARKED.items():
        if start.startswith(mark):
            content = _decoded(_bytes(content), encoding, path.name).encode()
            start = content[:_START]
    first = start.decode("utf-8", "replace")
    if INSPECT_START.match(first):
        return Table(path.name, inspect_scores(path.name, _decoded(_bytes(content), "utf-8", path.name)))
    if not _JSON.match(first):
        return _delimited(path.name, content, first)
    if first.lstrip().startswith("["):
        return _json(path.name, content)
    return _json_lines(path.name, content)


def _json(name: str, content: bytes | Path) -> Table:
    try:
        frame = pl.read_json(content, infer_schema_length=None)
    # polars may panic, which is no Exception
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DataError(f"{name} cannot be read: {first_line(error)}") from None
    parsed_json(_decoded(_bytes(content), "utf-8", name), name)
    return Table(name, _flat(frame))


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """A table whose mappings, such as of judges to scores, are columns of their own.

    Of what is said about a row only the names are: its numbers, such as of tokens and seconds, are no scores.
    """
    inside = {name: dtype.fields for name, dtype in frame.schema.items() if isinstance(dtype, pl.Struct)}
    about = {name for name in inside if name.lower() in _ABOUT}
    fields = {
        name: [one.name for one in of if name not in about or one.dtype == pl.String]
        for name, of in inside.items()
    }
    often = Counter(field for of in fields.values() for field in of)
    for name, of in inside.items():
        left = [one.name for one in of if one.name not in fields[name]]
        taken = {field: field for field in fields[name]}
        ids = {field: field.lower().removesuffix("_id") for field in taken if often[field] == 1}
        score = next((field for field in _SCORE if field in taken), None)
        of_people = name.lower() in _PEOPLE
        of_judge = score and name.lower() not in _RECORDS and not _IDS & {*ids.values()}
        # what people say, a judge, or each of several, are columns called after them
        if name not in about and (of_people or of_judge or any(often[field] > 1 for field in taken)):
            kept = {field for field in taken if of_people and ids.get(field) in _RATERS}
            taken = {
                field: name if field == score else field if field in kept else f"{name}_{field}"
                for field in taken
            }
        if set(taken.values()) & ({*frame.columns} - {name}):
            continue
        rest = [pl.struct(pl.col(name).struct.field(*left)).alias(name)] if left else []
        columns = [pl.col(name).struct.field(field).alias(column) for field, column in taken.items()]
        frame = frame.with_columns(*columns, *rest)
        frame = frame if rest or name in taken.values() else frame.drop(name)
    return frame


def _as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """A table whose bytes and times are texts; bytes in no encoding of texts stay what they are."""
    turned = []
    for name, dtype in frame.schema.items():
        if dtype == pl.Duration:
            turned.append(pl.col(name).dt.to_string("iso"))
        elif dtype == pl.Binary:
            with suppress(pl.exceptions.PolarsError):
                turned.append(frame.get_column(name).cast(pl.String))
    return frame.with_columns(turned)


def holds_values(dtype: pl.DataType) -> bool:
    """Whether the cells of a column may be names or scores: neither lists, mappings nor bytes."""
    return not dtype.is_nested() and dtype not in (pl.Binary, pl.Object)


def _json_lines(name: str, content: bytes | Path) -> Table:
    try:
        frame = pl.read_ndjson(content, infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        for number, line in enumerate(_decoded(_bytes(content), "utf-8", name).split("\n"), 1):
            if line.strip():
                _require_mapping(line, f"{name}, line {number}")
        raise DataError(f"{name} cannot be read: {first_line(error)}") from None
    # of a key that comes twice polars takes the first, and others the last; where all columns are filled and
    # there are no more keys than these, none does
    lines = pl.read_lines(content).with_row_index("number", 1).filter(pl.col("line").str.contains(r"\S"))
    if lines.height == frame.height:
        n_keys = lines.get_column("line").str.count_matches(r'"\s*:')
        gaps = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
        lines = lines.filter((n_keys != frame.width) | gaps)
    for number, line in lines.iter_rows():
        _require_mapping(line, f"{name}, line {number}")
    return Table(name, _flat(frame), content)


def _require_mapping(line: str, where: str) -> None:
    def refuse(text: str):
        raise DataError(f"{where}: {text} is no JSON; write null where there is no score")

    value = parsed_json(line, where, parse_constant=refuse)
    if not isinstance(value, dict):
        raise DataError(f"{where}: must be a mapping, got {type(value).__name__}")


def _delimited(name: str, content: bytes | Path, start: str) -> Table:
    """Lines of cells; polars reads them, and what it would let pass is looked for."""
    if "\n" not in start.lstrip("\r\n"):  # a column for each of thousands of documents
        start = _bytes(content).decode("utf-8", "replace")
    first = next((line for line in start.split("\n") if line.strip("\r")), "")
    promised = _NO_TEXT.get(Path(name).suffix)
    if promised and not any(sign in first for sign in _SEPARATORS):  # with one it is a table after all
        begins = f"begins with {first[:20]!r}" if first else "is empty"
        raise DataError(f"{name} is no {promised}, as its name says: it {begins}; name the file that is one")
    if "\x00" in start:
        raise DataError(
            f"{name} is no text: it has a zero byte; save it as CSV in UTF-8, JSON Lines or Parquet"
        )
    if _FOR_EXCEL.fullmatch(first.strip()):
        raise DataError(
            f"{name}: the first line is {first.strip()!r}, which Excel alone reads; remove it, so that the "
            "first line names the columns"
        )
    if "\ufffd" in first:  # polars takes any bytes for names of columns
        _decoded(_bytes(content), "utf-8", name)
    separator = _separator(start)
    head = io.StringIO(start.lstrip("\r\n"), newline="")
    try:
        header = next(csv.reader(head, delimiter=separator, strict=True), [])
    except csv.Error as error:
        raise DataError(f"{name}, first line: is not CSV ({error})") from None
    header = named([column.strip() for column in header])
    _require_once(header, name)
    try:
        frame = pl.read_csv(
            content,
            separator=separator,
            infer_schema=False,
            empty_string_is_null=False,
            new_columns=header,
            raise_if_empty=False,
        )
    except pl.exceptions.PolarsError:
        _decoded(_bytes(content), "utf-8", name)
        where, found = next(_ragged(content, separator), (None, ""))
        if where is None:
            raise DataError(
                f"{name}: is not CSV with {_SEPARATORS[separator]} between cells; put cells that hold "
                "quotation marks into quotes, each mark twice, and end lines with \\n"
            ) from None
        raise DataError(f"{name}, line {where}: {found}") from None
    # a line that is too short is filled up with empty cells, and a quote at odds with others is let pass
    odd = frame.width > 1 and (frame.get_column(frame.columns[-1]) == "").any()
    if odd or frame.select(pl.any_horizontal(pl.all().str.contains('"', literal=True).any())).item():
        _decoded(_bytes(content), "utf-8", name)
        for where, found in _ragged(content, separator):
            raise DataError(f"{name}, line {where}: {found}")
    return Table(name, frame, content, separator)


def _separator(start: str) -> str:
    """What parts the cells: the sign of the first line that stands as often in as many lines as can be.

    Outside of quotes, in which a cell may have lines of its own.
    """
    lines = [line for line in _QUOTED.sub('""', start).split("\n") if line.strip()][:_LOOKED_AT]

    def fits(sign: str) -> tuple[int, int]:
        times = Counter(line.count(sign) for line in lines if sign in line)
        return max(((n_lines, n) for n, n_lines in times.items()), default=(0, 0))

    named = [sign for sign in _SEPARATORS if lines and sign in lines[0]]
    return max(named or _SEPARATORS, key=fits)  # a title has none


def _ragged(content: bytes | Path, separator: str) -> Iterator[tuple[int, str]]:
    """Lines, with their numbers, that are longer or shorter than the first, or where a quote does not end."""
    lines = pl.read_lines(content).get_column("line").str.strip_chars_end("\r")
    if not lines.str.contains('"', literal=True).any():
        n_cells = lines.str.count_matches(separator, literal=True) + 1
        width = n_cells.filter(lines != "").first()
        for row in ((n_cells != width) & (lines != "")).arg_true():
            yield row + 1, _uneven(n_cells[row], width, separator)
        return
    reader = csv.reader(io.StringIO(_text(content), newline=""), delimiter=separator, strict=True)
    width = None
    try:
        for cells in filter(None, reader):
            width = width or len(cells)
            if len(cells) != width:
                yield reader.line_num, _uneven(len(cells), width, separator)
    except csv.Error as error:
        yield reader.line_num, f"is not CSV ({error})"


def _uneven(n_cells: int, width: int, separator: str) -> str:
    signs = _SEPARATORS[separator]
    found = f"{n_cells} cells, but the first line has {width}, with {signs} between"
    if n_cells < width:
        return f"{found}; fill the line in, or leave it out"
    return (
        f"{found}; if this line names the columns, leave out those above it; else put names with {signs} "
        "into quotes"
    )


def _require_once(columns: Sequence[str], name: str) -> None:
    repeated = [column for column, n in Counter(columns).items() if n > 1]
    if repeated:
        raise DataError(f"{name}: columns come twice: {listing(repeated)}; keep one of each")


def _from_pandas(frame: pd.DataFrame, name: str) -> pl.DataFrame:
    """Cell by cell, since the short way needs another package."""
    names = [str(column) for column in frame.columns]
    _require_once(names, name)
    columns = {}
    for label, (_, values) in zip(names, frame.items(), strict=True):
        if pd.api.types.is_integer_dtype(values) and not values.hasnans:  # ids, which floats may cut
            dtype = getattr(values.dtype, "numpy_dtype", values.dtype)
            columns[label] = pl.Series(values.to_numpy(dtype=dtype))
        elif pd.api.types.is_bool_dtype(values) or pd.api.types.is_numeric_dtype(values):
            columns[label] = pl.Series(values.to_numpy(dtype=float, na_value=float("nan")))
        else:
            columns[label] = pl.Series([None if pd.isna(v) else str(v) for v in values], dtype=pl.String)
    return pl.DataFrame(columns)


def _unzipped(path: Path) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path.name} is not a whole gzip file: {error}") from None


def _bytes(content: bytes | Path) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def _text(content: bytes | Path) -> str:
    return _bytes(content).decode("utf-8")


def _decoded(content: bytes, encoding: str, name: str) -> str:
    """A text, or an error that says where it is not in an encoding."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{name}, line {line}: is not {encoding.upper()} (byte {error.start}, "
            f"{content[error.start : error.start + 1]!r}); save the whole file as UTF-8"
        ) from None
