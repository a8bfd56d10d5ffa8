"""tables.columns: labels and number formats of the columns of result tables.

Figures, claims and recorded results read tables. Every table function ends with `check`, so that an unlisted
name or a repeated row is an error where the table is made. Names with the prefix ``n_`` are counts, with
``share_`` shares. The declarations are in ``data/columns.yml``, read on first use.
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
    """Label and number format of a column.

    Attributes
    ----------
    label : str
        In figures, hovers and headings.
    unit : {"", "%", "share", "ms", "times", "scale"}
        Decides the format of numbers, see the head of the file.
    digits : int, optional
        Decimals, if they do not depend on the table.
    ends : two names, optional
        Columns with the ends of its interval, which share its cell.
    range : a name and a label, optional
        The column with the other end of a range, and the label of both if they share a cell.
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
    """Names of the columns that are declared for every table."""
    return [name for name in _rows() if "." not in name]


def is_column(name: Hashable) -> bool:
    """True for a declared column, or a quantile such as ``q2.5``."""
    return isinstance(name, str) and (name in _rows() or bool(_QUANTILE.fullmatch(name)))


@cache
def column(name: str, table: str = "") -> Column:
    """Label and format of a column, also of an undeclared one.

    Parameters
    ----------
    name : str
    table : str
        The table of a report; it may have declarations of its own.

    Examples
    --------
    >>> column("n_pairs").label, column("q2.5").label, column("not_listed").label
    ('pairs', '2.5 % quantile', 'not listed')
    """
    quantile = _QUANTILE.fullmatch(name)
    usual = f"{quantile[1]} % quantile" if quantile else name.replace("_", " ")
    return Column(**{"label": usual, **_rows().get(name, {}), **_rows().get(f"{table}.{name}", {})})


def label(name: str, table: str = "") -> str:
    """Label of a column in figures, hovers and headings."""
    return column(name, table).label


def check(frame: pd.DataFrame, *, keys: Sequence[str], values: Sequence[str] = ("value",)) -> pd.DataFrame:
    """The table itself, after a check of its columns.

    Parameters
    ----------
    frame : DataFrame
    keys : columns that identify a row; no two rows may agree in all of them
        Empty for a table of texts, which may repeat.
    values : further required columns

    Raises
    ------
    DataError
        If a column is missing or undeclared, or two rows have the same keys.
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
            f"{len(twice)} rows of the table are repeated, such as {twice.iloc[0][list(keys)].to_dict()}"
        )
    return frame
