"""own.heading: whether the first line of a table names its columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from metaeval.core.errors import DataError, listing

UNNAMED = "__UNNAMED__"  # so Excel's reader calls the columns that have no name, with their number
_NO_NAME = re.compile(rf"\s*|{UNNAMED}\d+")
_LOOKED_AT = 20  # lines among which the names of columns are looked for
_DIGIT = re.compile(r"[+\-−]?[.,]?\d")


def named(header: Sequence[str]) -> list[str]:
    """Names of columns, where several have none their numbers in place of it."""
    several = sum(not name for name in header) > 1
    return [name or (f"{UNNAMED}{i}" if several else name) for i, name in enumerate(header)]


def headed(frame: pl.DataFrame, name: str, place: Callable[[int], str]) -> pl.DataFrame:
    """A table without columns that hold nothing, not even a name.

    Parameters
    ----------
    frame : polars DataFrame
    name : str
        What errors call the table.
    place : function of a row's number
        Where it stands, in words.

    Raises
    ------
    DataError
        If several columns have no name, as below a line with a title: which line may name them.
    """
    columns = [column for column in frame.columns if _NO_NAME.fullmatch(column)]
    empty = [column for column in columns if not _filled(frame.get_column(column)).any()]
    frame = frame.drop(empty)
    if len(columns) - len(empty) < 2:
        return frame
    for row, cells in enumerate(frame.head(_LOOKED_AT).iter_rows()):
        if all(isinstance(cell, str) and cell.strip() and not _DIGIT.match(cell.strip()) for cell in cells):
            raise DataError(
                f"{place(row)} looks like the one that names the columns ({listing(cells)}), and the first "
                "line leaves several without a name; leave out what stands above it"
            )
    raise DataError(
        f"{name}: {len(columns) - len(empty)} columns have no name in the first line; name them there, or "
        "leave them out"
    )


def _filled(cells: pl.Series) -> pl.Series:
    given = cells.is_not_null()
    return given & (cells.str.strip_chars() != "") if cells.dtype == pl.String else given
