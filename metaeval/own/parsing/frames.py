"""parsing.frames: tables of data frames: a user's, those of binary files, and sheets of workbooks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError
from metaeval.own.parsing.heading import Heading, read_heading
from metaeval.own.parsing.table import Columns, Table, column_names, frame_of, require_rows

_HEAD = 30  # rows of a sheet among which the heading is looked for


def pandas_table(frame: pd.DataFrame, name: str) -> Table:
    """A data frame; levels of its index that have a name, or hold texts, are columns.

    Raises
    ------
    DataError
        If it has no rows, or a name comes twice.
    """
    columns: dict[tuple, list | pd.Series] = {}
    for i, level in enumerate(frame.index.names):
        values = frame.index.get_level_values(i)
        if level is not None or not (pd.api.types.is_numeric_dtype(values.dtype) or frame.index.nlevels > 1):
            columns[("" if level is None else level,)] = _cells(values.to_series())
    for label, (_, values) in zip(frame.columns, frame.items(), strict=True):
        path = tuple(level for level in label if level != "") if isinstance(label, tuple) else (label,)
        if path in columns:
            raise DataError(
                f"{name}: two columns, or levels of the index, are called {label!r}; rename one of them"
            )
        columns[path] = _cells(values)
    return _table(columns, name)


def polars_table(frame: pl.DataFrame, name: str, *notes: str) -> Table:
    """A data frame.

    Raises
    ------
    DataError
        If it has no rows, or a name comes twice.
    """
    return _table({cells.name: _native(cells) for cells in frame}, name, *notes)


def workbook_tables(book: Any, name: str) -> list[Table]:
    """The sheets of a workbook, without blank rows, and columns that have neither a name nor a value.

    Parameters
    ----------
    book : fastexcel.ExcelReader

    Raises
    ------
    DataError
        If a sheet has no rows below a heading, or a name comes twice, or no sheet holds anything.
    """
    tables = []
    for sheet in book.sheet_names:
        where = f"{name}, sheet {sheet!r}" if len(book.sheet_names) > 1 else name
        texts = book.load_sheet(sheet, header_row=None, skip_rows=0, n_rows=_HEAD, dtypes="string")
        head = [[cell or "" for cell in row] for row in texts.to_polars().iter_rows()]
        filled = [i for i, row in enumerate(head) if any(map(str.strip, row))]
        if filled:
            heading = read_heading([head[i] for i in filled])
            start = filled[heading.n_rows] if heading.n_rows < len(filled) else len(head)
            rows = book.load_sheet(sheet, header_row=None, skip_rows=start, schema_sample_rows=None)
            tables.append(_sheet_table(rows.to_polars(), start, heading, where))
            if len(book.sheet_names) > 1:
                tables[-1] = replace(tables[-1], name=sheet)
    if not tables:
        raise DataError(f"{name} has no rows in any sheet")
    return tables


def _sheet_table(rows: pl.DataFrame, start: int, heading: Heading, name: str) -> Table:
    """The rows below the heading of a sheet."""
    holds = rows.select(pl.all().is_not_null() & (pl.all().cast(pl.String).str.strip_chars() != ""))
    filled = [i for i, row in enumerate(holds.iter_rows()) if any(row)]
    names = [*heading.names, *[""] * rows.width][: rows.width]
    columns = {
        label: _native(cells[filled], whole=True)
        for called, label, cells in zip(names, column_names(names, name), rows, strict=True)
        if called or holds[cells.name].any()
    }
    table = _table(columns, name, "Excel", *heading.notes)
    return replace(table, locate=lambda row: f"row {filled[row] + start + 1}")


def _table(columns: Columns, name: str, *notes: str) -> Table:
    frame, keys = frame_of(columns, name)
    require_rows(frame, name)
    return Table("", None, frame, keys, notes=notes)


def _cells(values: pd.Series) -> pd.Series | list:
    """Numbers, truth values and times as they are; other cells as objects, None where missing."""
    if isinstance(values.dtype, np.dtype) and values.dtype != object:
        return values
    return [
        None if pd.api.types.is_scalar(cell) and pd.isna(cell) else cell for cell in values.astype(object)
    ]


def _native(cells: pl.Series, *, whole: bool = False) -> pd.Series | list:
    """Cells as Python's own values, None where missing; `whole` makes floats that are all whole integers."""
    if cells.dtype == pl.Binary:
        with suppress(pl.exceptions.PolarsError):  # texts, as some programs mark them
            cells = cells.cast(pl.String)
    elif cells.dtype in (pl.Decimal, pl.Float32):
        cells = cells.cast(pl.Float64)
    if whole and cells.dtype == pl.Float64 and ((cells % 1 == 0) & (cells.abs() < 2**53)).all():
        cells = cells.cast(pl.Int64)
    if cells.dtype.is_numeric() and not cells.null_count():
        return pd.Series(cells.to_numpy())
    return cells.to_list()
