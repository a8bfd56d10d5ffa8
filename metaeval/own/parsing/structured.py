"""parsing.structured: the tables in JSON, whatever its arrangement."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.core.errors import DataError, listing
from metaeval.own.parsing.heading import read_heading
from metaeval.own.parsing.table import Table, clean_name, column_names, frame_of

_BETWEEN = re.compile(r"[\s\x1e]*")  # values one after the other; RFC 7464 puts a sign before each
_SHARED = 0.5  # of their keys have records in common


class Rows(NamedTuple):
    """Values that are the rows of a table; where they stand, what they were, and their keys if they are by id."""

    path: tuple[str, ...]
    values: list
    arrangement: str
    ids: tuple[str, list[str]] | None = None


def parse_json(text: str, name: str, path: Path | None, notes: list[str], *, by_lines: bool) -> list[Table]:
    """The tables in a text of one or more JSON values.

    Parameters
    ----------
    by_lines : bool
        Whether a single object is one row, as the name of the file promises.

    Raises
    ------
    DataError
        If it is no JSON, a key comes twice, or no rows are in it.
    """
    values, lines = _values(text, name)
    if len(values) > 1 or by_lines:
        return [
            _table(Rows((), values, "JSON lines"), name, path, {}, notes, lambda row: f"line {lines[row]}")
        ]
    context: dict[str, Any] = {}
    parts = list(_parts(values[0], (), context))
    if not parts:
        parts = [Rows((), [values[0]], "JSON, one object")]
        context = {}
    several = len(parts) > 1
    return [
        _table(
            part,
            "/".join([name, *([".".join(part.path)] if several and part.path else [])]),
            path,
            context | ({"path": ".".join(part.path)} if part.path else {}),
            notes,
        )
        for part in parts
    ]


def _parts(value: Any, path: tuple[str, ...], context: dict[str, Any]) -> Iterator[Rows]:
    """Rows anywhere inside a value; scalars on the way become its context."""
    where = f", at {'.'.join(path)}" if path else ""
    if isinstance(value, list):
        if value:
            yield Rows(path, value, f"JSON, list{where}")
        return
    if not isinstance(value, dict):
        context[".".join(path)] = value
        return
    if {"columns", "data"} <= value.keys() and _is_grid(value["data"], value["columns"]):
        rows = [dict(zip(map(str, value["columns"]), row, strict=True)) for row in value["data"]]
        yield Rows(path, rows, f"JSON, columns and data{where}")
        return
    lists = {key: cells for key, cells in value.items() if isinstance(cells, list)}
    if lists and not _has_records(value):
        if len({len(cells) for cells in lists.values()}) == 1 and not any(
            isinstance(v, dict) for v in value.values()
        ):
            context |= {".".join((*path, k)): v for k, v in value.items() if k not in lists}
            rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
            if rows:
                yield Rows(path, rows, f"JSON, columns{where}")
            return
    mappings = [cells for cells in value.values() if isinstance(cells, dict)]
    if len(mappings) == len(value) > 1:
        if _by_column(value):
            ids = list(mappings[0])
            rows = [{column: cells[i] for column, cells in value.items()} for i in ids]
            yield Rows(path, rows, f"JSON, columns{where}", None if _counted(ids) else ("id", ids))
            return
        if _alike(mappings):
            ids = list(value)
            yield Rows(path, mappings, f"JSON, records by id{where}", None if _counted(ids) else ("id", ids))
            return
    for key, inner in value.items():
        if isinstance(inner, list) and not _of_records(inner):
            context[".".join((*path, key))] = inner
        else:
            yield from _parts(inner, (*path, key), context)


def _is_grid(data: Any, columns: Any) -> bool:
    return (
        isinstance(columns, list)
        and isinstance(data, list)
        and all(isinstance(row, list) and len(row) == len(columns) for row in data)
    )


def _of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _has_records(value: Any) -> bool:
    """Whether a list of mappings is anywhere in mappings."""
    if isinstance(value, dict):
        return any(map(_has_records, value.values()))
    return _of_records(value)


def _counted(ids: list[str]) -> bool:
    """Whether ids are 0, 1, 2, ..., as pandas numbers rows."""
    return ids == [str(i) for i in range(len(ids))]


def _by_column(value: dict[str, dict]) -> bool:
    """Whether mappings are columns, as pandas writes them: rows are counted, or a column has one kind of value."""
    first, *others = value.values()
    if not first or any(one.keys() != first.keys() for one in others):
        return False
    if _counted([*first]) and not _counted([*value]):
        return True
    kinds = [{_kind(cell) for cell in one.values()} - {None} for one in value.values()]
    across = [{_kind(one[key]) for one in value.values()} - {None} for key in first]
    return all(len(kind) <= 1 for kind in kinds) and any(len(kind) > 1 for kind in across)


def _kind(cell: Any) -> str | None:
    if cell is None:
        return None
    return "number" if isinstance(cell, (int, float)) else type(cell).__name__


def _alike(records: list[dict]) -> bool:
    """Whether mappings are records of one kind: they share keys, or hold nothing but mappings."""
    common = set.intersection(*map(set, records))
    every = set().union(*records)
    if len(common) < _SHARED * len(every):
        return not any(map(_has_records, records)) and all(
            record and all(isinstance(inner, dict) for inner in record.values()) for record in records
        )
    scalars = any(not isinstance(record[key], (dict, list)) for record in records for key in common)
    return scalars or not any(map(_has_records, records))


def _table(
    rows: Rows,
    name: str,
    path: Path | None,
    context: dict[str, Any],
    notes: list[str],
    place: Callable[[int], str] | None = None,
) -> Table:
    kinds = {
        "mapping" if isinstance(value, dict) else "list" if isinstance(value, list) else "scalar"
        for value in rows.values
    }
    if len(kinds) > 1:
        odd = min(kinds, key=[*map(_form, rows.values)].count)
        row = [*map(_form, rows.values)].index(odd)
        where = place(row) if place else f"row {row + 1}"
        raise DataError(f"{name}, {where}: a {odd} among {(kinds - {odd}).pop()}s; rows must be of one kind")
    said = [rows.arrangement, *notes]
    if kinds == {"mapping"}:
        columns = _columns(rows.values)
        if rows.ids:
            label, ids = rows.ids
            label = next(one for one in (label, "key", "record") if one not in columns)
            columns = {label: ids, **columns}
            place = lambda row: f"record {ids[row]!r}"  # noqa: E731
            said.append(f"their ids are the column {label!r}")
    elif kinds == {"list"}:
        raise NotImplementedError
    else:
        columns = {"c1": rows.values}
    frame, keys = frame_of(columns, name)
    if not frame.size:
        raise DataError(f"{name} has no rows")
    return Table(name, path, frame, keys, context, tuple(said), place)


def _form(value: Any) -> str:
    return "mapping" if isinstance(value, dict) else "list" if isinstance(value, list) else "scalar"


def _columns(records: list[dict]) -> dict[str, list]:
    """Cells of each key of any record, None where it has none."""
    keys = dict.fromkeys(chain.from_iterable(records))
    return {key: [record.get(key) for record in records] for key in keys}


def _values(text: str, name: str) -> tuple[list, list[int]]:
    """Values one after the other, and the line that each begins in."""
    decode = json.JSONDecoder(object_pairs_hook=_mapping).raw_decode
    values, lines = [], []
    at, line, counted = _BETWEEN.match(text).end(), 1, 0
    try:
        while at < len(text):
            line += text.count("\n", counted, at)
            counted = at
            value, end = decode(text, at)
            values.append(value)
            lines.append(line)
            at = _BETWEEN.match(text, end).end()
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {error.lineno}: is not JSON ({error.msg}, character {error.colno})"
        ) from None
    except RecursionError:
        raise DataError(f"{name}, line {line}: is nested too deeply") from None
    except ValueError as error:
        raise DataError(f"{name}, line {line}: {error}") from None
    return values, lines


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"keys come twice: {listing({key for key in keys if keys.count(key) > 1})}; keep one of each"
        )
    return mapping
