"""readers.tables: what the readers share: checked values, JSON lines, full grids, the finished Benchmark."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
    """A finite score, or NaN for NaN and null; anything else is an error that says where."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"{_place(where)}: a score must be a number, got {value!r}")
    if math.isinf(value):
        raise DataError(f"{_place(where)}: a score must be finite, got {value!r}")
    return float(value)


def parsed(field: str, *where: object) -> float:
    """`number` of a piece of text, or an error that says where it is not one."""
    try:
        value = float(field)
    except ValueError:
        raise DataError(f"{_place(where)}: must be a number, got {field!r}") from None
    return number(value, *where)


def require(entry: object, key: object, *where: object) -> object:
    """``entry[key]``, or an error that says where the key is missing."""
    if not isinstance(entry, dict):
        raise DataError(f"{_place(where)}: must be a mapping with {key!r}, got {type(entry).__name__}")
    try:
        return entry[key]
    except KeyError:
        raise DataError(f"{_place(where)}: {key!r} is missing, has {listing(entry)}") from None


def mapping(value: object, *where: object) -> dict:
    """A mapping with something in it, or an error that says where it is not one."""
    if not isinstance(value, dict) or not value:
        found = "an empty one" if value == {} else type(value).__name__
        raise DataError(f"{_place(where)}: must be a mapping with entries, got {found}")
    return value


def entries(value: object, *where: object) -> list:
    """A list with something in it, or an error that says where it is not one."""
    if not isinstance(value, list) or not value:
        found = "an empty one" if value == [] else type(value).__name__
        raise DataError(f"{_place(where)}: must be a list with entries, got {found}")
    return value


def text(value: object, *where: object) -> str:
    """A text, or an error that says where it is not one."""
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
    """Note a system's type; a system that has had another one is an error."""
    if types.setdefault(system, kind) != kind:
        raise DataError(f"{where}: system {system} is {kind!r} here and {types[system]!r} before")


def read_lines(path: Path) -> list[str]:
    r"""The lines of a text file, parted at ``\n`` only.

    ``str.splitlines`` would also part them at other characters that Unicode calls line breaks.
    """
    return decoded(path.read_bytes(), path.name).removesuffix("\n").split("\n")


def decoded(content: bytes, where: object) -> str:
    """A text in UTF-8, or an error that says where it is not."""
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
    """A JSON file; a key that comes twice in a mapping is an error, not the last one's.

    Raises
    ------
    DataError
        If the file is not UTF-8, not JSON, or a mapping has a key twice.
    """
    return parsed_json(decoded(path.read_bytes(), path.name), path.name)


def read_json_lines(path: Path) -> Iterator[tuple[str, dict]]:
    """(place, mapping) of every line of a file of JSON lines; errors as of `read_json`."""
    for i, line in enumerate(read_lines(path), start=1):
        where = f"{path.name}, line {i}"
        yield where, mapping(parsed_json(line, where), where)


def parsed_json(text: str, where: str, **how: Any) -> object:
    """What a text in JSON holds.

    Parameters
    ----------
    text : str
    where : str
        What errors begin with.
    **how : for `json.loads`

    Raises
    ------
    DataError
        If it is not JSON, or a key comes twice in a mapping, of which one reader takes the first and another
        the last.
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
            raise DataError(f"{where}: keys come twice in one mapping: {listing(twice)}; keep one of each")
        return found

    try:
        return json.loads(text, object_pairs_hook=once, **how)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: is not JSON ({error.msg} at character {error.pos})") from None
    except DataError:
        raise
    except (RecursionError, ValueError):
        raise DataError(f"{where}: holds lists too deep in one another, or a number too long") from None


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


def require_full(cells: Cells, systems: Iterable[str], documents: Iterable[str], source: str) -> None:
    """Raise unless every metric scores every system on every document, with a number."""
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
    """A read-only Benchmark; its systems and documents are in natural order; `listed` keeps the files'.

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
