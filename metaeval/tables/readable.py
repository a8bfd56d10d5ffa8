"""tables.readable: tables for readers: names in words, intervals in cells, few columns.

Notebooks, the site, reports and commands format their tables with `readable`. Numbers are rounded here and
nowhere before.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.tables.columns import Column, column, is_column, label
from metaeval.tables.labels import words
from metaeval.tables.wording import (
    SECOND_DIGIT,
    UNDEFINED,
    leaves_out,
    percent,
    pvalue,
    significant,
    typeset,
)

MAX_COLUMNS = 7  # that fit on a page
COUNT = "n_"  # prefix of columns of counts
ERROR = "_mc_error"  # suffix of columns of other columns' Monte-Carlo errors
LEFT_OUT = "†"  # after an interval that does not contain its own estimate
_P_VALUE = "pvalue"  # suffix of columns of p-values
_DIGITS = 2
_COUNTED = ("stories",)  # further columns of counts
_ASIDE = (  # the first columns to drop
    *("mc_error", "low_mc_error", "high_mc_error"),
    *("standard_error", "standard_deviation", "n_total"),
)
_UNLABELLED = ("metric", "quantity")  # columns whose values need no heading in a caption
_SEVERAL = 3  # rows from which on a shared count moves to the caption
_SHORT = 40  # letters of a shared value that still fits a caption
Words = Callable[[str, object], str]


@dataclass(frozen=True)
class Readable:
    """Table as text.

    Attributes
    ----------
    frame : DataFrame of str
    are_numbers : list of bool
        By column, True if it holds single numbers.
    shared : list of str
        Values that all rows or columns share, and the meaning of a mark.
    n_left_out : int
        Columns that do not fit on a page.
    """

    frame: pd.DataFrame
    are_numbers: list[bool]
    shared: list[str]
    n_left_out: int

    def to_html(self, *, caption: str, index: bool = True, more: str = "") -> str:
        """HTML with a caption that ends with the shared values and `more`, which is HTML."""
        caption = typeset(caption) + (f" ({', '.join(self.shared)})" if self.shared else "")
        head = "; ".join(filter(None, [html.escape(caption), more]))
        table = typeset(self.frame.to_html(index=index, border=0))
        return table.replace("<thead>", f"<caption>{head}</caption><thead>", 1)

    def to_text(self) -> list[str]:
        """Aligned lines, the headings first: words on the left, numbers on the right."""
        rows = [list(self.frame), *self.frame.to_numpy().tolist()]
        columns = [[" ".join(cell.split()) for cell in cells] for cells in zip(*rows, strict=True)]
        sides = [str.rjust if is_number else str.ljust for is_number in self.are_numbers]
        filled = [
            [side(cell, max(map(len, cells))) for cell in cells]
            for side, cells in zip(sides, columns, strict=True)
        ]
        return ["  ".join(line).rstrip() for line in zip(*filled, strict=True)]


def readable(
    frame: pd.DataFrame,
    *,
    table: str = "",
    digits: int | None = None,
    labels: Mapping[str, str] | None = None,
    words: Words = words,
    share: bool = True,
    may_cut: bool = True,
    aside: Sequence[Hashable] = (),
) -> Readable:
    """Format a table in words, with at most `MAX_COLUMNS` columns unless all must stay.

    Names of columns and values are the same as in figures; counts are whole, NaN is a dash, no p-value is 0.
    A value and the ends of its interval share a cell, with a mark if the interval does not contain the value.
    Values shared by all rows appear once, in the caption, and empty columns of words are dropped. In a cross
    table that is too wide, the outer headings become rows; in another one, both ends of a range share a cell.
    If it is still too wide, columns are dropped: those in `aside` and those without any value first, then
    errors, then the last ones; of headings that are numbers, evenly spaced ones stay.

    Parameters
    ----------
    frame : DataFrame
    table : str
        Name of a report's table, for its own declarations in ``data/columns.yml``.
    digits : int, optional
        Decimals of floats, significant digits of times. By default as many as are stable under another seed,
        judged by columns of Monte-Carlo errors, which are then dropped.
    labels : mapping, column -> heading
        If different from ``data/columns.yml``.
    words : function of a column's name and a value
        Formats values that are text.
    share : bool
        True to move values shared by all rows to the caption.
    may_cut : bool
        True if columns may be dropped.
    aside : sequence of columns
        The first columns to drop.

    Returns
    -------
    Readable
    """
    write = _Writer(table, dict(labels or {}), words)
    shared: list[str] = []
    if frame.columns.nlevels > 1:
        frame, shared = write.drop_shared_levels(frame)
    else:
        frame = frame.loc[:, [not values.eq("").all() or frame.empty for _, values in frame.items()]]
        frame, shared = write.drop_shared_columns(frame) if share else (frame, shared)
    frame = _with_outer_headings_as_rows(frame)
    text = write.cells(frame, digits)
    if text.map(lambda written: written.endswith(f"]{LEFT_OUT}")).any(axis=None):
        shared = [*shared, f"{LEFT_OUT} the interval leaves the estimate out"]
    if _width(text) > MAX_COLUMNS:
        text = write.with_ranges(text)
    n_left_out = max(0, _width(text) - MAX_COLUMNS) if may_cut else 0
    if n_left_out:
        text = text[_columns_to_keep(text, frame, text.shape[1] - n_left_out, aside)]
    numeric = dict(zip(frame, map(pd.api.types.is_numeric_dtype, frame.dtypes), strict=True))
    are_numbers = [numeric.get(name, False) for name in text]
    return Readable(write.headings(text), are_numbers, shared, n_left_out)


@dataclass(frozen=True)
class _Writer:
    """Formatter of the headings and cells of one table."""

    table: str
    labels: Mapping[str, str]
    words: Words

    def label(self, name: Hashable) -> str:
        """Heading of a column."""
        return self.labels.get(name) or label(str(name), self.table)

    def column(self, name: Hashable) -> Column:
        """Declaration of a column."""
        return column(str(name), self.table)

    def drop_shared_columns(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """The frame without columns that are constant over all rows, and captions for these."""
        shared = {name: values.iloc[0] for name, values in frame.items() if _are_shared(name, values)}
        return frame.drop(columns=list(shared)), [self.caption_part(*pair) for pair in shared.items()]

    def drop_shared_levels(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """A cross table without headings shared by all columns, and captions for these."""
        shared = []
        for level in frame.columns.names:
            values = frame.columns.get_level_values(level).unique()
            if len(values) == 1 and frame.columns.nlevels > 1:
                shared.append(self.caption_part(level, values[0]))
                frame = frame.droplevel(level, axis=1)
        return frame, shared

    def caption_part(self, name: str, value: Hashable) -> str:
        """Caption for a shared value: the value alone if it explains itself.

        A data set has its name for sentences: no other release of it is in the table.
        """
        if str(name).startswith(COUNT) and not isinstance(value, str):
            return f"{self.label(name)}: {_count(float(value), _DIGITS)}"
        naming = "data" if name == "dataset" else name
        written = self.value(naming, value) if isinstance(value, str) else str(value)
        explains_itself = name in _UNLABELLED or written != str(value)
        return written if explains_itself else f"{self.label(name)}: {value}"

    def cells(self, frame: pd.DataFrame, digits: int | None) -> pd.DataFrame:
        """The frame as text, with intervals in the cells of their values."""
        text = frame.astype(object)
        for place, name in enumerate(frame):
            text.isetitem(place, self._cells(frame, place, name, digits))
        if digits is None:
            text = text.drop(columns=[name for name in text if str(name).endswith(ERROR)])
        for value in frame:
            ends = self.column(value).ends
            if ends and {value, *ends} <= set(text):
                numbers = (frame[name].astype(float) for name in (value, *ends))
                marks = np.where(leaves_out(*numbers), LEFT_OUT, "")
                parts = zip(*(text[name] for name in (value, *ends)), marks, strict=True)
                text[value] = [v if UNDEFINED in (v, a, b) else f"{v} [{a}, {b}]{m}" for v, a, b, m in parts]
                text = text.drop(columns=list(ends))
        return text

    def _cells(self, frame: pd.DataFrame, place: int, name: Hashable, digits: int | None) -> list[str]:
        values = frame.iloc[:, place]
        parts = [str(part) for part in (name if isinstance(name, tuple) else (name,))]
        own = self.column(parts[0])
        write = _form(parts, own, values)
        fixed = own.digits if own.digits is not None else digits
        if fixed is None:
            errors = frame.get(f"{name}{ERROR}", pd.Series(0.0, frame.index))
            decimals = [0 if own.unit == "%" else _DIGITS - (error > SECOND_DIGIT) for error in errors]
        else:
            decimals = [fixed] * len(values)
        naming = _naming(parts[0], values) if frame.columns.names == [None] else ""
        return [
            self.value(naming, value) if isinstance(value, str) else cell(value, n, write)
            for value, n in zip(values, decimals, strict=True)
        ]

    def with_ranges(self, text: pd.DataFrame) -> pd.DataFrame:
        """The text of a table with both ends of each range in one cell."""
        for low in list(text):
            high, heading = self.column(low).range or (None, "")
            if high in text:
                ends = zip(text[low], text[high], strict=True)
                text[low] = [UNDEFINED if UNDEFINED in pair else " to ".join(pair) for pair in ends]
                text = text.drop(columns=high).rename(columns={low: heading})
        return text

    def headings(self, text: pd.DataFrame) -> pd.DataFrame:
        """The frame with the book's headings and names of rows."""
        text.columns = self._axis(text.columns, alone=self.label)
        text.index = self._axis(text.index, alone=lambda name: name)
        return text

    def _axis(self, axis: pd.Index, *, alone: Callable[[Hashable], Hashable]) -> pd.Index:
        """An axis with its names and values in words; `alone` formats the values of an unnamed one."""
        if axis.names == [None]:
            return pd.Index([alone(value) for value in axis])
        names = [None if name is None else self.label(name) for name in axis.names]
        levels = [axis.get_level_values(i) for i in range(axis.nlevels)]
        arrays = [
            [self._heading(_naming(name or "", values), value) for value in values]
            for name, values in zip(axis.names, levels, strict=True)
        ]
        if axis.nlevels > 1:
            return pd.MultiIndex.from_arrays(arrays, names=names)
        return pd.Index(arrays[0], name=names[0])

    def _heading(self, name: str, value: Hashable) -> str:
        if isinstance(value, int) and (name.startswith(COUNT) or name in _COUNTED):
            return f"{value:,}"
        return f"{round(value, 4):g}" if isinstance(value, float) else self.value(name, str(value))

    def value(self, name: str, value: str) -> str:
        """Text in a cell or a heading; a quantity with the name of a column gets the column's label."""
        names_column = value == _P_VALUE or (name == "quantity" and is_column(value))
        return label(value) if names_column else self.words(name, value)


def cell(value: object, digits: int, write: Callable[[float, int], str] | None = None) -> str:
    """Text of one value: numbers by `write`, missing values as a dash."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and np.isinf(value):
        return f"{value}".replace("inf", "unbounded")
    if isinstance(value, int | float) and write:
        return write(value, digits)
    return _decimal(value, digits) if isinstance(value, float) else str(value)


def _decimal(value: float, digits: int) -> str:
    """A number with these decimals, or at most four digits in all."""
    max_digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 9
    return f"{value:z,.{min(digits, max_digits)}f}"


def _count(value: float, digits: int) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else _decimal(value, digits)


_FORMS = {
    "ms": significant,
    "times": significant,
    "scale": lambda value, _: f"{float(f'{value:.3g}'):,g}",
    "share": lambda value, _: percent(value),
}


def _form(parts: Sequence[str], own: Column, values: pd.Series) -> Callable[[float, int], str] | None:
    """Format of a column's numbers, None for plain decimals; `parts` of its name."""
    if any(part.endswith(_P_VALUE) for part in parts):
        return lambda value, _: pvalue(value)
    if any(part.startswith(COUNT) for part in parts) or _are_whole(parts[0], own, values):
        return _count
    if own.digits is not None:
        return lambda value, digits: f"{value:z,.{digits}f}"
    return _FORMS.get(own.unit)


def _are_whole(name: str, own: Column, values: pd.Series) -> bool:
    """True for whole numbers: of percentages, and of several floats in an undeclared column.

    The latter must not be all 0 or 1, as shares may be; a single number is no evidence.
    """
    there = values.dropna()
    if is_column(name):
        return own.unit == "%" and (there % 1 == 0).all()
    if not pd.api.types.is_float_dtype(values) or len(there) < 2:
        return False
    return (there % 1 == 0).all() and (there.abs() > 1).any()


def _are_shared(name: Hashable, values: pd.Series) -> bool:
    if len(values) < 2:
        return False
    first = values.iloc[0]
    if isinstance(first, str):
        may_be = 0 < len(first) <= _SHORT
    else:
        may_be = str(name).startswith(COUNT) and len(values) >= _SEVERAL and values.notna().all()
    return may_be and values.nunique(dropna=False) == 1  # last: the content of a cell may not be hashable


def _n_index(frame: pd.DataFrame) -> int:
    return 0 if frame.index.names == [None] else frame.index.nlevels


def _width(frame: pd.DataFrame) -> int:
    return frame.shape[1] + _n_index(frame)


def _with_outer_headings_as_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """A cross table that is narrow enough, or has one line of headings."""
    for n in range(frame.columns.nlevels):
        keys = list(dict.fromkeys(key[:n] for key in frame.columns)) if n else []
        under = {key: frame.loc[:, [column[:n] == key for column in frame]] for key in keys}
        parts = {key if n > 1 else key[0]: part.droplevel([*range(n)], axis=1) for key, part in under.items()}
        names = [*frame.columns.names[:n], *frame.index.names]
        narrow = pd.concat(parts, names=names) if parts else frame
        if _width(narrow) <= MAX_COLUMNS:
            break
    return narrow


def _columns_to_keep(text: pd.DataFrame, frame: pd.DataFrame, n: int, aside: Sequence[Hashable]) -> list:
    """Columns to keep: those aside are dropped first, then the last numbers that are no value."""
    if pd.api.types.is_numeric_dtype(text.columns):
        return [text.columns[int(place)] for place in np.linspace(0, text.shape[1] - 1, n).round()]
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c]) and not column(str(c)).ends]
    empty = [c for c in text if (text[c] == UNDEFINED).all()]
    candidates = [
        *(c for c in (*aside, *empty, *_ASIDE, *reversed(numbers)) if c in text),
        *reversed(list(text)),
    ]
    dropped = list(dict.fromkeys(candidates))[: text.shape[1] - n]
    return [column for column in text if column not in dropped]


def _naming(name: str, values: Iterable[Hashable]) -> str:
    """Column whose texts name these values: data sets have their short names if those differ."""
    ids = set(values) if name == "dataset" else set()
    return "data" if ids and len({words("data", value) for value in ids}) == len(ids) else name
