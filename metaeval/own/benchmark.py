"""own.benchmark: a user's own scores, from files or arrays, as a Benchmark.

Files are read by `metaeval.own.tidy`. What is checked here is checked wherever own scores come in:
`api` and `experiments.your_metric` call it. One long file may hold all: columns ``system``, ``document``,
``metric``, ``score`` and perhaps ``rater``; its rows of the metric ``people`` are people's.
`book/_assets/your_file_csv.js` reads the same in a browser.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import xarray as xr

from metaeval.core.errors import DataError, listing
from metaeval.core.mode import OWN_DATA
from metaeval.own.tidy import tidy
from metaeval.own.words import PEOPLE, people_of
from metaeval.stats.ties import double
from metaeval.tables.benchmark import CELL, Benchmark, Provenance, require_unique_ids, with_ids

MAX_CELLS = 200_000_000  # of an array, 1.6 GB

Scores = xr.DataArray | pd.DataFrame | np.ndarray | Sequence[Sequence[float]]


def as_benchmark(
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
        A file with columns ``system``, ``document``, ``score`` and, for several metrics, ``metric``, or in
        another layout (see `metaeval.own.roles`); or one metric's scores; or metric -> scores.
        Scores are arrays (n_systems, n_documents), higher is better, NaN where missing.
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
        document that only one side scores is NaN on the other. A file's raters are kept as ratings.

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
    >>> mine = as_benchmark({"length": [[3, 4], [5, 5], [9, 8]]}, [[0.1, 0.2], [0.4, 0.3], [0.3, 0.5]])
    >>> mine.metrics, mine.systems
    (['length'], ['system 1', 'system 2', 'system 3'])
    """
    content, rows = _by_name(scores, "metric")
    if human is None:
        content, judged = _parted(content)
    elif PEOPLE in content:
        raise DataError(f"people's scores come twice: `human` is given, and a metric is called {PEOPLE!r}")
    else:
        judged, rows = _by_name(human, PEOPLE)
        judged = {_judgment(name): plane for name, plane in judged.items()}
    for what, planes in (("scores", content), ("human", judged)):
        if not planes:
            raise DataError(f"`{what}` is empty")
    require_alike({f"metric {name}": plane for name, plane in content.items()} | judged)
    planes = {
        kind: {label: labelled(plane, label) for label, plane in source.items()}
        for kind, source in (("metric", content), ("judgment", judged))
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
        kind: xr.concat(
            [plane.reindex(coords) for plane in source.values()], pd.Index(list(source), name=kind)
        )
        for kind, source in planes.items()
    }
    return Benchmark(
        name=name,
        title=name,
        scores=arrays["metric"],
        humans=arrays["judgment"],
        system_type=system_type or dict.fromkeys(systems[0], "unknown"),
        provenance=Provenance(
            files=tuple(Path(source).name for source in (scores, human) if _is_path(source)),
            licence="yours",
            citation=(),
        ),
        ratings={} if rows is None else _ratings(rows, list(judged), coords),
    )


def read_array(path: str | os.PathLike) -> xr.DataArray:
    """The scores of a file, dims (metric, system, document), of several raters as `gold` says.

    People's are called ``people``, or ``human_`` and their judgment. Systems and documents are in natural
    order, whatever the order of the lines.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If it cannot be read, or does not say of which system and document a score is.
    """
    return _planes(_rows(path))


def _planes(rows: pl.DataFrame) -> xr.DataArray:
    return array(gold(rows), "name").rename(name="metric")


def _rows(path: str | os.PathLike) -> pl.DataFrame:
    """A tidy table whose names tell people's from judges', see `read_array`."""
    content = tidy(path)
    name = Path(path).name
    if content.pairs or not (content.names("system") and content.names("document")):
        raise DataError(
            f"{name}: no column {'system' if content.names('document') else 'document'!r}; give a row per "
            "score, in columns system, item, judge and score"
        )
    own = pl.col("person") & (pl.col("name") != PEOPLE)  # a judge may be called as people's judgment is
    name = pl.col("name").cast(pl.String)
    names = pl.when(own).then("human_" + name).otherwise(name)
    return content.frame.with_columns(name=names)


def _ratings(
    rows: pl.DataFrame, judgments: Sequence[str], dims: Mapping[str, Sequence[str]]
) -> dict[str, xr.DataArray]:
    """Scores of each rater, by judgment, where a file says who did."""
    parts = rows.filter(pl.col("rater") != "").partition_by("name", as_dict=True)
    by_judgment = {_judgment(name): part for (name,), part in parts.items()}
    return {name: array(by_judgment[name], "rater", dims) for name in judgments if name in by_judgment}


def gold(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows that make people's scores: where one without a rater stands beside raters', it is theirs together.

    Parameters
    ----------
    frame : polars DataFrame
        See `metaeval.own.tidy.Tidy`. Rows that `array` would else average with the one are left out.
    """
    together = (pl.col("rater") == "").any().over("name", "system", "document")
    return frame.filter(~together | (pl.col("rater") == ""))


def array(frame: pl.DataFrame, leading: str, dims: Mapping[str, Sequence[str]] | None = None) -> xr.DataArray:
    """Rows of a tidy table as an array, dims (`leading`, system, document); NaN where there is none.

    Parameters
    ----------
    frame : polars DataFrame
        See `metaeval.own.tidy.Tidy`; rows of the same place are averaged.
    leading : ``"name"`` or ``"rater"``
    dims : mapping, system and document -> ids; by default those of the rows
        Rows of others are left out.

    Raises
    ------
    DataError
        If the array would be too large to hold.
    """
    ids = {dim: list(frame.get_column(dim).unique().sort()) for dim in (leading, *CELL)} | dict(dims or {})
    shape = [len(names) for names in ids.values()]
    if math.prod(shape) > MAX_CELLS:
        raise DataError(
            f"{' x '.join(map(str, shape))} ({leading}s, systems, documents) are more cells than fit, "
            f"{MAX_CELLS:,}; take fewer, or check which column names the documents"
        )
    places = [
        pl.col(dim).cast(pl.String).cast(pl.Enum(names), strict=False).to_physical().cast(pl.UInt32)
        for dim, names in ids.items()
    ]
    rows = frame.select(*places, "value").drop_nulls()
    if frame.get_column("rater").n_unique() > 1:
        rows = rows.group_by(list(ids)).agg(pl.col("value").mean())
    values = np.full(shape, np.nan)
    values[tuple(rows.get_column(dim).to_numpy() for dim in ids)] = rows.get_column("value").to_numpy()
    return with_ids(values, **ids)


def labelled(plane, name: str) -> xr.DataArray:
    """Scores with dims (system, document); plain ones are numbered from 1."""
    if isinstance(plane, xr.DataArray):
        if set(plane.dims) != set(CELL) or not set(CELL) <= set(plane.coords):
            raise DataError(f"`{name}` must have dims and labels {CELL}, got {plane.dims}")
        plane = plane.reset_coords(drop=True).transpose(*CELL)
        require_unique_ids(plane, f"`{name}`")
        return plane.copy(data=double(name, plane.to_numpy()))
    if isinstance(plane, pd.DataFrame):
        coords = {"system": plane.index.astype(str), "document": plane.columns.astype(str)}
        return labelled(xr.DataArray(plane.to_numpy(), coords, CELL), name)
    values = unlabelled(plane, name)
    coords = {dim: [f"{dim} {i}" for i in range(1, n + 1)] for dim, n in zip(CELL, values.shape, strict=True)}
    return labelled(xr.DataArray(values, coords, CELL), name)


def unlabelled(plane, name: str) -> np.ndarray:
    """Plain scores as an array (n_systems, n_documents); what is masked is missing.

    Raises
    ------
    DataError
        If rows are not of one length, these are not rows and columns, or there is no column.
    """
    if isinstance(plane, np.ma.MaskedArray):
        plane = plane.astype(float).filled(np.nan)
    try:
        values = np.asarray(plane)
        content = f"shape {values.shape}"
    except ValueError:
        values, content = np.empty(0), "rows that are not of one length"
    if values.ndim != 2 or not values.shape[1]:
        raise DataError(f"`{name}` must have one row per system and one column per document, got {content}")
    return values


def is_labelled(plane: object) -> bool:
    """True if scores carry the ids of their systems and documents."""
    return isinstance(plane, xr.DataArray | pd.DataFrame)


def require_alike(planes: Mapping[str, object]) -> None:
    """Raise unless all scores carry labels or none do."""
    bare = [name for name, plane in planes.items() if not is_labelled(plane)]
    if 0 < len(bare) < len(planes):
        raise TypeError(
            f"some scores carry labels and others do not ({listing(bare)}), so they cannot be aligned; give "
            "all of them labels or none"
        )


def _is_path(source) -> bool:
    return isinstance(source, str | os.PathLike)


def _parted(source: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Metrics and people out of one mapping, each with the systems that it has any score of."""
    if not any(map(people_of, source)):
        raise DataError(
            f"no people's scores: `human` is not given, and no metric is called {PEOPLE!r} among "
            f"{listing(source)}; give `human`, or call people's rows {PEOPLE!r}"
        )
    scored = {
        name: plane.dropna("system", how="all") if isinstance(plane, xr.DataArray) else plane
        for name, plane in source.items()
    }
    judged = {
        _judgment(name): scored.pop(name) for name in sorted(source, key=PEOPLE.__ne__) if people_of(name)
    }
    return scored, judged


def _judgment(name: str) -> str:
    owner = people_of(name)
    return owner.name if owner else name


def _by_name(source, default: str) -> tuple[dict[str, object], pl.DataFrame | None]:
    """Planes of scores by name, from a file, a mapping or the scores themselves; of a file its rows."""
    if _is_path(source):
        rows = _rows(source)
        content = _planes(rows)
        return {name: content.sel(metric=name) for name in content.indexes["metric"]}, rows
    if isinstance(source, Mapping) and any(map(_is_path, source.values())):
        raise TypeError("a mapping holds arrays; or give the path of one file with a column `metric`")
    return dict(source) if isinstance(source, Mapping) else {default: source}, None
