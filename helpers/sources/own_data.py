"""sources.own_data: a user's own scores, from files or arrays, as a Benchmark.

What is checked here is checked wherever own scores come in: `api` and `experiments.your_metric` call it.
One long file may hold all: columns ``system``, ``document``, ``metric``, ``score`` and perhaps ``rater``; its
rows of the metric ``people`` are people's. `book/_assets/your_file_csv.js` reads the same in a browser.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from helpers.benchmark import CELL, Benchmark, Provenance, cells_to_array
from helpers.errors import DataError, listing
from helpers.mode import OWN_DATA
from helpers.sources.own_files import read_scores
from helpers.sources.tables import natural
from helpers.stats.ties import double

PEOPLE = "people"  # the metric of people's rows in a file that holds both

Scores = xr.DataArray | pd.DataFrame | np.ndarray | Sequence[Sequence[float]]


def bring(
    scores: str | os.PathLike | Scores | Mapping[str, Scores],
    human: str | os.PathLike | Scores | Mapping[str, Scores] | None = None,
    *,
    name: str = OWN_DATA,
    system_type: Mapping[str, str] | None = None,
) -> Benchmark:
    """Your own scores as a benchmark, from files or arrays.

    Parameters
    ----------
    scores : path, array or mapping
        A CSV file with columns ``system``, ``document``, ``score`` and, for several metrics, ``metric`` (or
        with one row per system and one column per document; see `helpers.sources.own_files`); or one metric's
        scores; or metric -> scores. Scores are arrays (n_systems, n_documents), higher is better, NaN where
        missing.
    human : path, array or mapping
        People's scores of the same systems; of several judgments (a file's column ``metric``, or judgment ->
        array) the first is the gold standard. None where `scores` holds them too, as the metric ``people``.
    name : str
        What tables call the benchmark.
    system_type : mapping, system -> ``"abs"``, ``"ext"`` or another type, optional
        By default every type is unknown.

    Returns
    -------
    Benchmark
        Labelled scores (a file, a DataArray with dims (system, document), a DataFrame with one row per
        system) are aligned by their labels; the rows and columns of plain arrays are numbered from 1. A
        document that only one side scores is NaN on the other.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If a file is in neither layout, scores and people cover different systems or no common document,
        shapes differ, or there are no scores.
    TypeError
        If some scores are labelled and others are not, or a mapping holds a path.

    Examples
    --------
    >>> mine = bring({"length": [[3, 4], [5, 5], [9, 8]]}, [[0.1, 0.2], [0.4, 0.3], [0.3, 0.5]])
    >>> mine.metrics, mine.systems
    (['length'], ['system 1', 'system 2', 'system 3'])
    """
    found = _by_name(scores, "metric")
    if human is None:
        found, judged = _parted(found)
    elif PEOPLE in found:
        raise DataError(f"people's scores come twice: `human` is given, and a metric is called {PEOPLE!r}")
    else:
        judged = _by_name(human, PEOPLE)
    for what, planes in (("scores", found), ("human", judged)):
        if not planes:
            raise DataError(f"`{what}` is empty")
    require_alike({f"metric {name}": plane for name, plane in found.items()} | judged)
    planes = {
        kind: {label: labelled(plane, label) for label, plane in given.items()}
        for kind, given in (("metric", found), ("judgment", judged))
    }
    systems, documents = (
        [list(dict.fromkeys(i for p in planes[kind].values() for i in p.indexes[dim])) for kind in planes]
        for dim in CELL
    )
    if set(systems[0]) != set(systems[1]):
        raise DataError(
            "scores and people must cover the same systems; leave out, or add to the other, "
            f"{listing(set(systems[0]) ^ set(systems[1]))}"
        )
    if not set(documents[0]) & set(documents[1]):
        raise DataError(
            "scores and people have no document in common: "
            f"{listing(documents[0])} and {listing(documents[1])}"
        )
    coords = {"system": systems[0], "document": list(dict.fromkeys([*documents[0], *documents[1]]))}
    arrays = {
        kind: xr.concat([plane.reindex(coords) for plane in given.values()], pd.Index(list(given), name=kind))
        for kind, given in planes.items()
    }
    return Benchmark(
        name=name,
        title=name,
        scores=arrays["metric"],
        humans=arrays["judgment"],
        system_type=system_type or dict.fromkeys(systems[0], "unknown"),
        provenance=Provenance(
            files=tuple(Path(given).name for given in (scores, human) if _is_path(given)),
            licence="yours",
            citation=(),
        ),
    )


def read_array(path: str | os.PathLike) -> xr.DataArray:
    """The scores of a file, dims (metric, system, document); `helpers.sources.own_files` says which files.

    Systems and documents are in natural order, whatever the order of the lines.
    """
    cells = read_scores(Path(path))
    placed = [cell for plane in cells.values() for cell in plane]
    return cells_to_array(
        cells,
        leading="metric",
        systems=sorted({system for system, _ in placed}, key=natural),
        documents=sorted({document for _, document in placed}, key=natural),
    )


def by_metric(array: xr.DataArray) -> dict[str, xr.DataArray]:
    """The planes of an array with dims (metric, system, document), by name."""
    return {name: array.sel(metric=name) for name in array.indexes["metric"]}


def labelled(plane, name: str) -> xr.DataArray:
    """Scores with dims (system, document); plain ones are numbered from 1."""
    if isinstance(plane, xr.DataArray):
        if set(plane.dims) != set(CELL) or not set(CELL) <= set(plane.coords):
            raise DataError(f"`{name}` must have dims and labels {CELL}, got {plane.dims}")
        plane = plane.reset_coords(drop=True).transpose(*CELL)
        for dim in CELL:
            ids = plane.indexes[dim]
            if ids.has_duplicates:
                raise DataError(f"`{name}` names a {dim} twice: {listing(ids[ids.duplicated()])}")
        return plane.copy(data=double(name, plane.to_numpy()))
    if isinstance(plane, pd.DataFrame):
        coords = {"system": plane.index.astype(str), "document": plane.columns.astype(str)}
        return labelled(xr.DataArray(plane.to_numpy(), coords, CELL), name)
    values = np.asarray(plane)
    if values.ndim != 2:
        raise DataError(
            f"`{name}` must have one row per system and one column per document, got shape {values.shape}"
        )
    coords = {dim: [f"{dim} {i}" for i in range(1, n + 1)] for dim, n in zip(CELL, values.shape, strict=True)}
    return labelled(xr.DataArray(values, coords, CELL), name)


def is_labelled(plane: object) -> bool:
    """Whether scores carry the ids of their systems and documents."""
    return isinstance(plane, xr.DataArray | pd.DataFrame)


def require_alike(planes: Mapping[str, object]) -> None:
    """Raise unless all scores carry labels or none do."""
    bare = [name for name, plane in planes.items() if not is_labelled(plane)]
    if 0 < len(bare) < len(planes):
        raise TypeError(
            f"some scores carry labels and others do not ({listing(bare)}), so they cannot be aligned; give "
            "all of them labels or none"
        )


def _is_path(given) -> bool:
    return isinstance(given, str | os.PathLike)


def _parted(given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Metrics and people out of one mapping, each with the systems that it has any score of."""
    if PEOPLE not in given:
        raise DataError(
            f"no people's scores: `human` is not given, and no metric is called {PEOPLE!r} among "
            f"{listing(given)}; give `human`, or call people's rows {PEOPLE!r}"
        )
    scored = {
        name: plane.dropna("system", how="all") if isinstance(plane, xr.DataArray) else plane
        for name, plane in given.items()
    }
    return scored, {PEOPLE: scored.pop(PEOPLE)}


def _by_name(given, default: str) -> dict[str, object]:
    """Planes of scores by name, from a file, a mapping or the scores themselves."""
    if _is_path(given):
        return by_metric(read_array(given))
    if isinstance(given, Mapping) and any(map(_is_path, given.values())):
        raise TypeError("a mapping holds arrays; or give the path of one file with a column `metric`")
    return dict(given) if isinstance(given, Mapping) else {default: given}
