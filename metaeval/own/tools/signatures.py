"""tools.signatures: which entry of ``data/tools.yml`` a table fits, and what its columns stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pandas as pd

from metaeval.core.paths import DATA, read_yaml
from metaeval.own.parsing.table import Table
from metaeval.own.tools.layouts import LAYOUTS, MQM_WEIGHTS, Weights
from metaeval.own.tools.rows import NoScoreError, field, long_table, reword, unroll

_LOOKED_AT = 200  # cells of a column that tell what it holds


@dataclass(frozen=True, eq=False)
class Recognised:
    """A table whose writer is known.

    Attributes
    ----------
    tool : str
        Its name, with the version where layouts differ.
    roles : mapping, column -> role
        In the order in which columns of one role are joined; other columns are read as in any file.
    table : Table
        Reshaped where the layout needs it: one score a row, columns called as their roles. Its notes tell
        what values count, and what is left out.
    """

    tool: str
    roles: Mapping[str, str]
    table: Table


@cache
def signatures() -> tuple[Mapping[str, Any], ...]:
    """Entries of ``data/tools.yml``, in the order in which they are tried."""
    return tuple(read_yaml(DATA / "tools.yml"))


def recognise(table: Table, *, weights: Weights = MQM_WEIGHTS) -> Recognised | None:
    """The tool that wrote a table, and what its columns stand for; None for a table of no known tool.

    Parameters
    ----------
    table : Table
    weights : mapping, severity -> weight
        Of errors in MQM, in lower case; that of ``"category/severity"`` goes before that of a severity.

    Raises
    ------
    DataError
        If a table of a known tool holds what the tool does not write.
    """
    for entry in signatures():
        with suppress(NoScoreError):
            if _fits(entry, table):
                return _read(entry, table, weights)
    return None


def _read(entry: Mapping[str, Any], table: Table, weights: Weights) -> Recognised:
    """Table and roles by the entry that it fits."""
    notes = (entry["note"],) if "note" in entry else ()
    if "names" in entry:
        table = replace(table, frame=table.frame.set_axis(entry["names"], axis=1))
    if "strip" in entry:
        stripped = {name: name.removeprefix(entry["strip"]) for name in table.frame.columns}
        keys = {stripped[name]: (stripped[name],) for name in table.keys if stripped[name] != name}
        table = replace(table, frame=table.frame.rename(columns=stripped), keys=table.keys | keys)
    if "add" in entry:
        table = replace(table, frame=table.frame.assign(**entry["add"]))
    roles = _roles(entry.get("roles", {}), list(table.frame.columns))
    if "values" in entry:
        values = _matching(entry["values"], list(table.frame.columns))
        cells = {name: [reword(cell, entry["words"]) for cell in table.frame[name]] for name in values}
        table = replace(table, frame=table.frame.assign(**cells))
    if "rows" in entry:
        table, roles = long_table(table, unroll(entry, table))
    if "call" in entry:
        options = {"weights": weights} if entry["call"] == "mqm" else {}
        table, roles, *more = LAYOUTS[entry["call"]](table, **options)
        notes += tuple(more)
    read = replace(table, notes=(*table.notes, *notes))
    return Recognised(entry["tool"], roles, read)


def recognise_all(tables: Sequence[Table], *, weights: Weights = MQM_WEIGHTS) -> list[Table | Recognised]:
    """Tables of one file, recognised; where a tool wrote some of them, the others hold no scores of it.

    What stands beside the rows of one table of a file is known to the others: the model of a log of Inspect.
    """
    shared: dict[str, Any] = {}
    for table in tables:
        shared = table.context | shared
    recognised = [
        recognise(replace(table, context=shared | table.context), weights=weights) for table in tables
    ]
    if any(recognised):
        return [one for one in recognised if one is not None]
    return list(tables)


def _fits(entry: Mapping[str, Any], table: Table) -> bool:
    columns = [str(column) for column in table.frame.columns]
    if "width" in entry and columns != [f"c{i}" for i in range(1, entry["width"] + 1)]:
        return False
    if "file" in entry and not (table.path and re.fullmatch(entry["file"], table.path.name)):
        return False
    if not all(_matching(pattern, columns) for pattern in entry.get("columns", ())):
        return False
    if any(_matching(pattern, columns) for pattern in entry.get("absent", ())):
        return False
    if any(field(table.context, path) is None for path in entry.get("context", ())):
        return False
    return all(_holds(table.frame, pattern, cell) for pattern, cell in entry.get("cells", {}).items())


def _holds(frame: pd.DataFrame, pattern: str, cell: str) -> bool:
    """True where all cells of a pattern's columns match; a pattern of digits is a column's place."""
    columns = list(frame.columns)
    names = [columns[int(pattern) - 1]] if pattern.isdigit() else _matching(pattern, columns)
    for name in names:
        cells = frame[name].dropna().head(_LOOKED_AT).astype(str).str.strip()
        if not (cells != "").any() or not cells[cells != ""].str.fullmatch(cell).all():
            return False
    return bool(names)


def _matching(pattern: str, columns: Sequence[str]) -> list[str]:
    """Columns that a pattern names: those of its first alternative that any column fits."""
    for alternative in pattern.split("|"):
        if chosen := [name for name in columns if fnmatchcase(name, alternative)]:
            return chosen
    return []


def _roles(entry: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    """Role of each column by the first role that names it; a ``"*"`` takes what is left."""
    roles: dict[str, str] = {}
    for role, patterns in sorted(entry.items(), key=lambda item: item[1] == "*"):
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            for name in _matching(pattern, columns):
                roles.setdefault(name, role)
    return roles
