"""readers.tables: tools of the readers: checked values, JSON lines, pickles, full grids, the Benchmark."""

from __future__ import annotations

import gzip
import io
import json
import math
import pickle
import pickletools
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.tables.benchmark import CELL, Benchmark, Provenance, Texts, cells_to_array

Cells = dict[str, dict[tuple[str, str], float]]  # metric -> (system, document) -> score


def natural(label: str) -> tuple:
    """A key that sorts ``M2`` before ``M10``."""
    return tuple(int(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]+)", label)))


def number(value: object, *where: object) -> float:
    """A finite score, or NaN for NaN and null; otherwise an error that names the place."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"{_place(where)}: a score must be a number, got {value!r}")
    if math.isinf(value):
        raise DataError(f"{_place(where)}: a score must be finite, got {value!r}")
    return float(value)


def parsed(field: str, *where: object) -> float:
    """`number` of a text, or an error that names the place."""
    try:
        value = float(field)
    except ValueError:
        raise DataError(f"{_place(where)}: must be a number, got {field!r}") from None
    return number(value, *where)


def require(entry: object, key: object, *where: object) -> object:
    """``entry[key]``, or an error that names the place."""
    if not isinstance(entry, dict):
        raise DataError(f"{_place(where)}: must be a mapping with {key!r}, got {type(entry).__name__}")
    try:
        return entry[key]
    except KeyError:
        raise DataError(f"{_place(where)}: {key!r} is missing, has {listing(entry)}") from None


def mapping(value: object, *where: object) -> dict:
    """A mapping with entries, or an error that names the place."""
    if not isinstance(value, dict) or not value:
        actual = "an empty one" if value == {} else type(value).__name__
        raise DataError(f"{_place(where)}: must be a mapping with entries, got {actual}")
    return value


def entries(value: object, *where: object) -> list:
    """A list with entries, or an error that names the place."""
    if not isinstance(value, list) or not value:
        actual = "an empty one" if value == [] else type(value).__name__
        raise DataError(f"{_place(where)}: must be a list with entries, got {actual}")
    return value


def text(value: object, *where: object) -> str:
    """A text, or an error that names the place."""
    if not isinstance(value, str):
        raise DataError(f"{_place(where)}: must be a text, got {type(value).__name__}")
    return value


def _place(where: Iterable[object]) -> str:
    return ", ".join(str(part) for part in where)


def add_cell(cells: Cells, name: str, cell: tuple[str, str], score: float, *where: object) -> None:
    """Put one score in its place; a second score for the same summary is an error."""
    plane = cells.setdefault(name, {})
    if cell in plane:
        raise DataError(f"{_place(where)}: {name} of system {cell[0]}, document {cell[1]} comes twice")
    plane[cell] = score


def set_type(types: dict[str, str], system: str, kind: str, where: str) -> None:
    """Record a system's type; a second, different type is an error."""
    if types.setdefault(system, kind) != kind:
        raise DataError(f"{where}: system {system} is {kind!r} here and {types[system]!r} before")


def read_lines(path: Path) -> list[str]:
    r"""The lines of a text file, split at ``\n`` only.

    ``str.splitlines`` would also split at other characters that Unicode calls line breaks.
    """
    return decoded(path.read_bytes(), path.name).removesuffix("\n").split("\n")


def decoded(content: bytes, where: object) -> str:
    """A text in UTF-8, or an error that names the place."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is not UTF-8: byte {error.start}") from None


def utf8_or_latin1(path: Path) -> str:
    """A text file in UTF-8, or in Latin-1 where it is not."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_json(path: Path) -> object:
    """Read a JSON file; a key that comes twice in a mapping is an error.

    Raises
    ------
    DataError
        If the file is not UTF-8, not JSON, or a mapping has a key twice.
    """
    return parsed_json(decoded(path.read_bytes(), path.name), path.name)


def read_json_lines(path: Path) -> Iterator[tuple[str, dict]]:
    """(place, mapping) of every line of a file of JSON lines; errors as in `read_json`."""
    for i, line in enumerate(read_lines(path), start=1):
        where = f"{path.name}, line {i}"
        yield where, mapping(parsed_json(line, where), where)


def parsed_json(text: str, where: str, **how: Any) -> object:
    """Parse a JSON text.

    Parameters
    ----------
    text : str
    where : str
        Prefix of error messages.
    **how : for `json.loads`

    Raises
    ------
    DataError
        If it is not JSON, or a mapping has a key twice (readers disagree on which value counts).
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        content = dict(pairs)
        if len(content) < len(pairs):
            twice = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
            raise DataError(f"{where}: keys come twice in one mapping: {listing(twice)}; keep one of each")
        return content

    try:
        return json.loads(text, object_pairs_hook=once, **how)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: is not JSON ({error.msg} at character {error.pos})") from None
    except DataError:
        raise
    except (RecursionError, ValueError):
        raise DataError(f"{where}: lists are nested too deeply, or a number is too long") from None


@dataclass(frozen=True)
class Row:
    """One line of a SacreROUGE metrics file."""

    system: str
    document: str
    system_type: str  # "peer" or "reference"
    metrics: dict
    where: str


def json_rows(path: Path) -> Iterator[Row]:
    """The rows of a ``.jsonl`` or ``.jsonl.gz`` file in SacreROUGE's format.

    Raises
    ------
    DataError
        Naming the file, the line and the value, if a line is not JSON, lacks a key or has an
        unknown summarizer type; also if a gzipped file is cut.
    """
    for i, line in enumerate(_lines(path), start=1):
        where = f"{path.name}, line {i}"
        row = parsed_json(decoded(line, where), where)
        kind = require(row, "summarizer_type", where)
        if kind not in ("peer", "reference"):
            raise DataError(f"{where}: summarizer_type must be 'peer' or 'reference', got {kind!r}")
        metrics = require(row, "metrics", where)
        if not isinstance(metrics, dict):
            raise DataError(f"{where}: metrics must be a mapping, got {type(metrics).__name__}")
        system, document = (str(require(row, key, where)) for key in ("summarizer_id", "instance_id"))
        yield Row(system, document, kind, metrics, where)


def _lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as handle:
        try:
            yield from handle
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"{path.name} is not a whole gzip file: {error}") from None


# --- pickles: a pickle from the network is code, which the standard reader would execute; this one admits
# plain values and nothing that runs


class _Number:
    """Type of a plain number; a crafted state of ``numpy.dtype`` itself would crash the interpreter."""

    def __init__(self, code: object, *flags: object):
        if not isinstance(code, str) or code not in _CODES:
            raise DataError(f"a NumPy scalar must be a number, got {code!r}")
        self.code, self.order = code, "<"

    def __setstate__(self, state: tuple):
        self.order = state[1] if state[1] in ("<", ">", "|") else "<"


def _scalar(of: _Number, content: bytes) -> float | int:
    """Replacement of ``numpy.core.multiarray.scalar``: a plain number as a Python number."""
    if not isinstance(of, _Number):
        raise DataError(f"a NumPy scalar must be a number, got {of!r}")
    return np.frombuffer(content, dtype=np.dtype(of.order + of.code), count=1)[0].item()


_CODES = {"b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8"}


class _Call:
    """A function that a pickle may call; it cannot set attributes, which it could of a plain function."""

    def __init__(self, function: Callable):
        self._function = function

    def __call__(self, *arguments: object) -> object:
        return self._function(*arguments)

    def __setstate__(self, state: object):
        raise DataError("it sets attributes of a function")


ADMITTED = {
    ("numpy.core.multiarray", "scalar"): _Call(_scalar),  # NumPy 1, which wrote the pinned files
    ("numpy._core.multiarray", "scalar"): _Call(_scalar),  # NumPy 2
    ("numpy", "dtype"): _Call(_Number),
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str):
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise _ForbiddenTypeError(f"{module}.{name}") from None


class _ForbiddenTypeError(Exception):
    pass


def _require_small_memo(content: bytes) -> None:
    """Refuse a memo index beyond the size of the pickle: the unpickler allocates a table of that length."""
    for operation, number, _ in pickletools.genops(content):
        if operation.name in ("PUT", "BINPUT", "LONG_BINPUT") and number > len(content):
            raise DataError(f"{len(content)} bytes cannot hold the {number} things that it numbers")


def unpickle(path: Path) -> object:
    """The content of a pickle that holds numbers, texts, lists, tuples, sets and dictionaries.

    Raises
    ------
    DataError
        If it needs any other type (which is never imported), sets attributes of a function, has a memo index
        beyond its size, or is not a whole pickle.
    """
    content = path.read_bytes()
    try:
        _require_small_memo(content)
        return _Unpickler(io.BytesIO(content)).load()
    except _ForbiddenTypeError as error:
        admitted = sorted({name for _, name in ADMITTED})
        raise DataError(
            f"{path.name} asks for the type {error}; a data file may hold plain values and"
            f" {admitted} only. It is not read"
        ) from None
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    except Exception as error:  # a cut pickle may fail in any instruction
        raise DataError(f"{path.name} is not a whole pickle: {type(error).__name__}: {error}") from error


# --- the finished Benchmark


def require_full(cells: Cells, systems: Iterable[str], documents: Iterable[str], source: str) -> None:
    """Require a number from every metric for every system on every document."""
    grid = [(s, d) for s in systems for d in documents]
    for name, plane in cells.items():
        absent = [f"{s}/{d}" for s, d in grid if (s, d) not in plane]
        if absent:
            raise DataError(
                f"{source}: {name} must have every system on every document; {len(absent)} of"
                f" {len(grid)} missing: {listing(absent)}"
            )
        undefined = [f"{s}/{d}" for s, d in grid if math.isnan(plane[s, d])]
        if undefined:
            raise DataError(
                f"{source}: {name} must be a number everywhere; NaN in {len(undefined)} of"
                f" {len(grid)}: {listing(undefined)}"
            )


def summaries_array(
    summaries: Mapping[tuple[str, str], str], systems: list[str], documents: list[str], source: str
) -> xr.DataArray:
    """Texts of all cells as an array of dims (system, document); a missing text is an error."""
    absent = [f"{s}/{d}" for s in systems for d in documents if (s, d) not in summaries]
    if absent:
        raise DataError(f"{source}: {len(absent)} summaries are missing: {listing(absent)}")
    values = np.array([[summaries[s, d] for d in documents] for s in systems], dtype=object)
    coords = {dim: pd.Index(ids, dtype=object) for dim, ids in zip(CELL, (systems, documents), strict=True)}
    return xr.DataArray(values, dims=CELL, coords=coords)


def assemble(
    *,
    name: str,
    title: str,
    scores: Cells,
    humans: Cells,
    system_type: Mapping[str, str],
    documents: Iterable[str],
    provenance: Provenance,
    scale: Mapping[str, float] | None = None,
    texts: Texts | None = None,
    listed: Iterable[str] = (),
    ratings: Mapping[str, Cells] | None = None,
) -> Benchmark:
    """A read-only Benchmark with systems and documents in natural order; `listed` keeps the files' order.

    `ratings` are, for each judgment, cells by rater.
    """
    systems = sorted(system_type, key=natural)
    documents = sorted(documents, key=natural)
    arrays = {
        leading: cells_to_array(cells, leading=leading, systems=systems, documents=documents)
        for leading, cells in (("metric", scores), ("judgment", humans))
    }
    rated = {
        judgment: cells_to_array(cells, leading="rater", systems=systems, documents=documents)
        for judgment, cells in (ratings or {}).items()
    }
    for array in (*arrays.values(), *rated.values(), *([texts.summaries] if texts else [])):
        array.data.setflags(write=False)
    return Benchmark(
        name=name,
        title=title,
        scores=arrays["metric"],
        humans=arrays["judgment"],
        system_type={system: system_type[system] for system in systems},
        provenance=provenance,
        texts=texts,
        scale={metric: largest for metric, largest in (scale or {}).items() if metric in scores},
        listed=tuple(listed),
        ratings=rated,
    )
