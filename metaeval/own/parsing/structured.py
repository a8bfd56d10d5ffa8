"""parsing.structured: the tables in JSON, whatever its arrangement."""

from __future__ import annotations

import gc
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from metaeval.core.errors import DataError, listing
from metaeval.own.parsing.heading import read_heading
from metaeval.own.parsing.table import Table, column_names, frame_of, require_rows

_BETWEEN = re.compile(r"[\s\x1e]*")  # values one after the other; RFC 7464 puts a sign before each
MIN_IDS = 5  # keys above lists of records from which on they may be ids
_MIN_SHARED = 0.5  # of the keys of mappings that are records
_SAMPLE = 200  # rows that tell whether the first names columns
_FORMS = {dict: "mapping", list: "list"}


class Part(NamedTuple):
    """Values that are rows, the path to them, their arrangement in words, and their ids if they are by id."""

    path: tuple[str, ...]
    rows: list
    arrangement: str
    ids: list[str] | None = None


def parse_json(text: str, name: str, *, by_lines: bool) -> list[Table]:
    """The tables in a text of one or more JSON values, named by the paths to them where there are several.

    Parameters
    ----------
    name : str
        The file's, with which errors begin.
    by_lines : bool
        Whether a single value is one row, as the file's name promises.

    Raises
    ------
    DataError
        If it is no JSON, a key comes twice, most rows are of no one kind, or there are none.
    """
    values, lines = _values(text, name)
    if len(values) > 1 and all(map(_are_records, values)):  # a list for each page of an answer
        lines = [line for line, rows in zip(lines, values, strict=True) for _ in rows]
        values = [row for rows in values for row in rows]
    if len(values) > 1 or by_lines:
        return [_table(Part((), values, "JSON lines"), {}, name, lambda row: f"line {lines[row]}")]
    context: dict[str, Any] = {}
    parts = list(_parts(values[0], (), context))
    if not parts:
        return [_table(Part((), values, "JSON, one object"), {}, name)]
    tables = []
    for part in parts:
        path = ".".join(part.path)
        table = _table(part, context | ({"path": path} if path else {}), name)
        tables.append(replace(table, name=path) if len(parts) > 1 else table)
    return tables


def _values(text: str, name: str) -> tuple[list, list[int]]:
    """Values one after the other, and the line in which each begins."""
    decode = json.JSONDecoder(object_pairs_hook=_mapping).raw_decode
    values, lines = [], []
    line, counted, at = 1, 0, _BETWEEN.match(text).end()
    collects = gc.isenabled()
    gc.disable()  # it would look through all values again and again
    try:
        while at < len(text):
            line, counted = line + text.count("\n", counted, at), at
            value, at = decode(text, at)
            values.append(value)
            lines.append(line)
            at = at + 1 if text.startswith("\n{", at) else _BETWEEN.match(text, at).end()
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {error.lineno}: is not JSON ({error.msg}, character {error.colno})"
        ) from None
    except RecursionError:
        raise DataError(f"{name}, line {line}: is nested too deeply; write it as CSV") from None
    except DataError as error:
        raise DataError(f"{name}, line {line}: {error}") from None
    except ValueError:
        raise DataError(f"{name}, line {line}: a number has too many digits; put it into quotes") from None
    finally:
        if collects:
            gc.enable()
    return values, lines


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        repeated = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
        raise DataError(f"a mapping has keys twice: {listing(repeated)}; keep one of each")
    return mapping


def _parts(value: Any, path: tuple[str, ...], context: dict[str, Any]) -> Iterator[Part]:
    """Rows anywhere in a value; what else stands on the way becomes the context."""
    at = f", at {'.'.join(path)}" if path else ""
    if _are_records(value) or (isinstance(value, list) and value and (not path or _is_grid(value))):
        yield Part(path, value, f"JSON, list{at}")
    elif not isinstance(value, dict):
        context[".".join(path)] = value
    elif _is_split(value):
        yield Part(
            path,
            _zip_rows(value["columns"], value["data"]),
            f"JSON, columns and data{at}",
            value.get("index"),
        )
    elif lists := _equal_lists(value, inside=bool(path)):
        context |= {".".join((*path, key)): cell for key, cell in value.items() if key not in lists}
        yield Part(path, _zip_rows(lists, zip(*lists.values(), strict=True)), f"JSON, columns{at}")
    elif len(value) > 1 and _are_records([*value.values()]) and _are_columns(value):
        ids = [*next(iter(value.values()))]
        rows = ([column[one] for column in value.values()] for one in ids)
        yield Part(path, _zip_rows(value, rows), f"JSON, columns{at}", ids)
    elif len(value) > 1 and _are_records([*value.values()]) and _are_alike([*value.values()]):
        yield Part(path, [*value.values()], f"JSON, records by id{at}", [*value])
    elif _are_lists_by_id(value):
        rows = [row for records in value.values() for row in records]
        ids = [one for one, records in value.items() for _ in records]
        yield Part(path, rows, f"JSON, lists of records by id{at}", ids)
    else:
        for key, inner in value.items():
            yield from _parts(inner, (*path, key), context)


def _zip_rows(keys: Iterable[object], rows: Iterable[Iterable]) -> list[dict]:
    return [dict(zip(map(str, keys), row, strict=True)) for row in rows]


def _are_records(value: Any) -> bool:
    """Check whether a value is a list of mappings, some perhaps empty or none."""
    return isinstance(value, list) and any(value) and all(isinstance(one, dict | None) for one in value)


def _are_lists_by_id(value: dict[str, Any]) -> bool:
    """Check whether a mapping is of many short lists of records alike: their keys are ids, and no files."""
    lists = [*value.values()]
    if len(lists) < MIN_IDS or not all(map(_are_records, lists)) or len(lists) <= max(map(len, lists)):
        return False
    return len({frozenset(records[0] or ()) for records in lists}) == 1


def _is_grid(rows: Any, width: int | None = None) -> bool:
    """Check whether a value is a list of rows of cells, all of one width."""
    if not (isinstance(rows, list) and rows and all(isinstance(row, list) and row for row in rows)):
        return False
    return {*map(len, rows)} == {len(rows[0]) if width is None else width} and (width or len(rows[0])) > 1


def _is_split(value: dict[str, Any]) -> bool:
    """Check whether a mapping is a table as pandas writes it with orient="split"."""
    columns = value.get("columns")
    if not (isinstance(columns, list) and all(isinstance(column, str | int) for column in columns)):
        return False
    return len({*columns}) == len(columns) and _is_grid(value.get("data"), len(columns))


def _equal_lists(value: dict[str, Any], *, inside: bool) -> dict[str, list]:
    """Lists of equal length that stand beside each other, as columns do; none where other tables are."""
    lists = {key: cells for key, cells in value.items() if isinstance(cells, list)}
    lengths = {*map(len, lists.values())}
    if len(lengths) != 1 or lengths & {0, 1} or len(lists) < 1 + inside or _holds_records(value):
        return {}
    if len(lists) == 1 and _is_grid(*lists.values()):
        return {}
    return {} if any(isinstance(cell, dict) for cell in value.values()) else lists


def _holds_records(value: Any) -> bool:
    """Check whether a list of mappings is anywhere in mappings."""
    if isinstance(value, dict):
        return any(map(_holds_records, value.values()))
    return _are_records(value)


def _are_counted(ids: list) -> bool:
    """Check whether ids are 0, 1, 2, ..., as pandas numbers rows."""
    return [*map(str, ids)] == [*map(str, range(len(ids)))]


def _are_columns(value: dict[str, dict]) -> bool:
    """Check whether mappings with equal keys are columns: keys are numbers, or their cells of one kind."""
    first, *others = value.values()
    if not first or any((one or {}).keys() != first.keys() for one in others):
        return False
    if all(map(str.isdecimal, first)) or all(map(str.isdecimal, value)):
        return not all(map(str.isdecimal, value))
    return all(len(_kinds(one.values())) < 2 for one in value.values()) and any(
        len(_kinds(one[key] for one in value.values())) > 1 for key in first
    )


def _kinds(cells: Iterable) -> set[str]:
    return {
        "number" if isinstance(cell, int | float) else type(cell).__name__
        for cell in cells
        if cell is not None
    }


def _are_alike(records: list[dict]) -> bool:
    """Check whether mappings are records of one kind: they share keys, or hold nothing but mappings."""
    records = [record for record in records if record]
    if len(records) < 2:
        return False
    shared = {*records[0]}.intersection(*records[1:])
    holds_records = any(map(_holds_records, records))
    if len(shared) < _MIN_SHARED * len({*chain.from_iterable(records)}):
        return not holds_records and all(
            isinstance(cell, dict) for record in records for cell in record.values()
        )
    return not holds_records or any(
        not isinstance(record[key], dict | list) for record in records for key in shared
    )


def _alike_mappings(rows: list, mappings: list[int]) -> list[int]:
    """Mappings with a key that most have: events of a log, not its first and last line."""
    counts = Counter(chain.from_iterable(rows[i] for i in mappings))
    if len(mappings) in counts.values():
        return mappings
    shared = {key for key, n in counts.items() if n > _MIN_SHARED * len(mappings)}
    return [i for i in mappings if not rows[i] or not shared.isdisjoint(rows[i])] if shared else mappings


def _table(part: Part, context: dict, name: str, locate: Callable[[int], str] | None = None) -> Table:
    """Table of rows of the commonest kind: mappings that share keys, lists, or single values."""
    place = locate or (lambda row: f"row {row + 1}")
    forms = [_FORMS.get(type(row), "single value") for row in part.rows]
    form = Counter(forms).most_common(1)[0][0] if forms else ""
    alike = [i for i, one in enumerate(forms) if one == form]
    if len(forms) >= 2 * len(alike) > 0:
        row = next(i for i, one in enumerate(forms) if one != forms[0])
        raise DataError(
            f"{name}, {place(row)}: is a {forms[row]}, where the first row is a {forms[0]}; "
            "rows must be alike"
        )
    if form == "mapping":
        alike = _alike_mappings(part.rows, alike)
    notes = [part.arrangement]
    if n_left := len(forms) - len(alike):
        notes.append(f"{n_left} row{'s' * (n_left > 1)} of another kind left out")
    rows = [part.rows[i] for i in alike]
    columns: dict[str, list] = {"c1": rows}
    if form == "mapping":
        columns = {key: [row.get(key) for row in rows] for key in dict.fromkeys(chain.from_iterable(rows))}
    elif form == "list":
        heading = read_heading([row for row in rows[:_SAMPLE] if row] or [[""]])
        cells = [*zip_longest(*rows[heading.n_rows :])]
        names = [*heading.names, *[""] * len(cells)][: len(cells)]
        columns = dict(zip(column_names(names, name), map(list, cells), strict=True))
        notes += heading.notes
    ids = [part.ids[i] for i in alike] if part.ids is not None else []
    if ids and not _are_counted(ids):
        label = next(one for one in ("id", "key", "record", "") if one not in columns)
        columns = {label: ids, **columns}
        notes.append(f"ids are the column {label!r}")
        place, alike = (lambda row: f"record {ids[row]!r}"), [*range(len(ids))]
    frame, keys = frame_of(columns, name)
    require_rows(frame, name)
    return Table("", None, frame, keys, context, tuple(notes), lambda row: place(alike[row]))
