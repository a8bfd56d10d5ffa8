"""readers.tables: tools of the readers: JSON, pickles, the Benchmark.

A pinned file is what it was when its reader was written, so a reader does not check its lines one by one;
`assemble` checks once what comes of them. Files that users have of their own (`tac`, `stories`) are checked.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import pickle
import pickletools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, cells_to_array, with_ids
from metaeval.tables.wording import natural

Cells = dict[str, dict[tuple[str, str], float]]  # metric -> (system, document) -> score


def parsed(field: str, *where: object) -> float:
    """A finite score, or NaN, of a text, or an error that names the place."""
    try:
        value = float(field)
    except ValueError:
        raise DataError(f"{_place(where)}: must be a number, got {field!r}") from None
    if math.isinf(value):
        raise DataError(f"{_place(where)}: a score must be finite, got {value!r}")
    return value


def require(entry: object, key: object, *where: object) -> object:
    """``entry[key]``, or an error that names the place."""
    if not isinstance(entry, dict):
        raise DataError(f"{_place(where)}: must be a mapping with {key!r}, got {type(entry).__name__}")
    try:
        return entry[key]
    except KeyError:
        raise DataError(f"{_place(where)}: {key!r} is missing, has {listing(entry)}") from None


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


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_bytes())


def read_json_lines(path: Path) -> Iterator[Any]:
    """Entries of a file of JSON lines, which may be packed (``.gz``)."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as handle:
        yield from map(json.loads, handle)


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


@dataclass(frozen=True)
class Release:
    """Name, title and source of the benchmark that a reader makes."""

    name: str
    title: str
    provenance: Provenance

    def noted(self, *notes: str) -> dict[str, Any]:
        """Arguments of what is made of it: the fields, with changes and findings of the reader."""
        provenance = replace(self.provenance, notes=notes)
        return {"name": self.name, "title": self.title, "provenance": provenance}


def require_full(cells: Cells, systems: Iterable[str], documents: Iterable[str], source: str) -> None:
    """Require a number from every metric for every system on every document."""
    grid = [(s, d) for s in systems for d in documents]
    for name, plane in cells.items():
        holes = [f"{s}/{d}" for s, d in grid if math.isnan(plane.get((s, d), math.nan))]
        if holes:
            raise DataError(
                f"{source}: {name} must have every system on every document; {len(holes)} of"
                f" {len(grid)} missing: {listing(holes)}"
            )


def assemble(
    release: Release,
    *,
    scores: Cells,
    humans: Cells,
    system_type: Mapping[str, str],
    notes: Iterable[str] = (),
    full: Iterable[str] | None = None,
    scale: Mapping[str, float] | None = None,
    summaries: Mapping[tuple[str, str], str] | None = None,
    references: Mapping[str, tuple[str, ...]] | None = None,
    sources: Mapping[str, str] | None = None,
    listed: Iterable[str] = (),
    ratings: Mapping[str, Cells] | None = None,
) -> Benchmark:
    """A read-only Benchmark with systems and documents in natural order; `listed` keeps the files' order.

    Parameters
    ----------
    release : Release
    scores, humans : cells by metric and by judgment
    system_type : mapping, system -> type
    notes : changes and findings of the reader
    full : metrics and judgments that must have every system on every document, by default all
    scale : mapping, metric -> its largest value
    summaries, references, sources : texts by cell and by document
    ratings : mapping, judgment -> cells by rater

    Raises
    ------
    DataError
        If a score or a summary is missing.
    """
    systems = sorted(system_type, key=natural)
    planes = {**scores, **humans}
    documents = sorted({d for plane in planes.values() for _, d in plane}, key=natural)
    checked = planes if full is None else {name: planes[name] for name in full}
    require_full(checked, systems, documents, release.name)
    texts = None
    if summaries is not None:
        absent = [f"{s}/{d}" for s in systems for d in documents if (s, d) not in summaries]
        if absent:
            raise DataError(f"{release.name}: {len(absent)} summaries are missing: {listing(absent)}")
        values = np.array([[summaries[s, d] for d in documents] for s in systems], dtype=object)
        texts = Texts(with_ids(values, system=systems, document=documents), references or {}, sources or {})
        texts.summaries.data.setflags(write=False)

    def array(leading: str, cells: Cells) -> xr.DataArray:
        values = cells_to_array(cells, leading=leading, systems=systems, documents=documents)
        values.data.setflags(write=False)
        return values

    return Benchmark(
        **release.noted(*notes),
        scores=array("metric", scores),
        humans=array("judgment", humans),
        system_type={system: system_type[system] for system in systems},
        texts=texts,
        scale={metric: largest for metric, largest in (scale or {}).items() if metric in scores},
        listed=tuple(listed),
        ratings={judgment: array("rater", cells) for judgment, cells in (ratings or {}).items()},
    )
