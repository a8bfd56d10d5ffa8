"""readers.tables: tools of the readers: JSON, pickles, the Benchmark.

A pinned file is what it was when its reader was written, so a reader does not check its lines one by one;
`assemble` checks once what comes of them. Files that users have of their own (`tac`, `stories`) are checked.
"""

from __future__ import annotations

import gzip
import json
import math
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, cells_to_array, with_ids
from metaeval.tables.wording import natural

Cells = dict[str, dict[tuple[str, str], float]]  # metric -> (system, document) -> score


def read_lines(path: Path) -> list[str]:
    r"""The lines of a text file, split at ``\n`` only.

    ``str.splitlines`` would also split at other characters that Unicode calls line breaks.
    """
    return read_utf8(path).removesuffix("\n").split("\n")


def read_utf8(path: Path) -> str:
    """A text file in UTF-8, or an error that names it."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8: byte {error.start}") from None


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


# --- pickles

# a pickle from the network is code, which the standard reader would execute; this one admits plain values and
# numbers of NumPy, which wrote them as the first, and now as the second
_SCALAR = np.float64().__reduce__()[0]
ADMITTED = {
    ("numpy.core.multiarray", "scalar"): _SCALAR,
    ("numpy._core.multiarray", "scalar"): _SCALAR,
    ("numpy", "dtype"): np.dtype,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str):
        if (module, name) not in ADMITTED:
            raise DataError(f"it asks for the type {module}.{name}; a data file may hold plain values only")
        return ADMITTED[module, name]


def unpickle(path: Path) -> Any:
    """The content of a verified pickle that holds numbers, texts, lists, tuples, sets and dictionaries.

    Raises
    ------
    DataError
        If it needs any other type, which is never imported.
    """
    with path.open("rb") as content:
        try:
            return _Unpickler(content).load()
        except DataError as error:
            raise DataError(f"{path.name} is not read: {error}") from None


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
    grid = [(s, d) for s in systems for d in documents]
    for name in planes if full is None else full:
        holes = [f"{s}/{d}" for s, d in grid if math.isnan(planes[name].get((s, d), math.nan))]
        if holes:
            raise DataError(
                f"{release.name}: {name} must have every system on every document; {len(holes)} of"
                f" {len(grid)} missing: {listing(holes)}"
            )
    texts = None
    if summaries is not None:
        absent = [f"{s}/{d}" for s, d in grid if (s, d) not in summaries]
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
