"""tables.columns: what columns of result tables are called, and how numbers are written in them.

Tables are what figures, claims and recorded results read. Every table function ends with `check`, so that a
name that is not listed, or a row that stands twice, is an error where the table is made. Names that begin
with ``n_`` count, with ``share_`` are shares. All of it stands in ``data/columns.yml``, which is read when a
column is asked for first.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from metaeval.core.errors import DataError, listing
from metaeval.core.paths import DATA, read_yaml

_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Column:
    """How people read a column.

    Attributes
    ----------
    label : str
        What figures, hovers and headings call it.
    unit : {"", "%", "share", "ms", "times", "scale"}
        Decides how numbers are written, see the head of the file.
    digits : int, optional
        Decimals, where they do not depend on the table.
    ends : two names, optional
        Columns with the ends of its interval, which share its cell.
    range : a name and a label, optional
        The column with the other end of a range, and what both are called where they share a cell.
    """

    label: str
    unit: str = ""
    digits: int | None = None
    ends: tuple[str, str] | None = None
    range: tuple[str, str] | None = None


@cache
def _rows() -> dict[str, Mapping[str, Any]]:
    rows = read_yaml(DATA / "columns.yml")
    return {
        name: row if isinstance(row, dict) else {"label": row} if row else {} for name, row in rows.items()
    }


def column_names() -> list[str]:
    """Names of all columns that are listed for every table."""
    return [name for name in _rows() if "." not in name]


def is_column(name: Hashable) -> bool:
    """Whether a column of this name is listed, or is a quantile such as ``q2.5``."""
    return isinstance(name, str) and (name in _rows() or bool(_QUANTILE.fullmatch(name)))


@cache
def column(name: str, table: str = "") -> Column:
    """How people read a column, also one that is not listed.

    Parameters
    ----------
    name : str
    table : str
        The table of a report, whose columns may have rows of their own.

    Examples
    --------
    >>> column("n_pairs").label, column("q2.5").label, column("not_listed").label
    ('pairs', '2.5 % quantile', 'not listed')
    """
    quantile = _QUANTILE.fullmatch(name)
    usual = f"{quantile[1]} % quantile" if quantile else name.replace("_", " ")
    return Column(**{"label": usual, **_rows().get(name, {}), **_rows().get(f"{table}.{name}", {})})


def label(name: str, table: str = "") -> str:
    """What figures, hovers and headings call a column."""
    return column(name, table).label


def check(frame: pd.DataFrame, *, keys: Sequence[str], values: Sequence[str] = ("value",)) -> pd.DataFrame:
    """The table itself, after checking its columns.

    Parameters
    ----------
    frame : DataFrame
    keys : columns that say what a row is of; no two rows may agree in all of them
        Empty where a table lists texts, which may repeat.
    values : further columns that have to be there

    Raises
    ------
    DataError
        If a column is missing or is not listed, or two rows are of the same.
    """
    missing = [name for name in (*keys, *values) if name not in frame]
    if missing:
        raise DataError(f"the table lacks columns: {listing(missing)}; it has {listing(frame)}")
    unknown = [name for name in frame if not is_column(name)]
    if unknown:
        raise DataError(f"columns without an entry in data/columns.yml: {listing(unknown)}")
    twice = frame[frame.duplicated(list(keys))] if keys else ()
    if len(twice):
        raise DataError(
            f"{len(twice)} rows of the table stand twice, such as {twice.iloc[0][list(keys)].to_dict()}"
        )
    return frame
