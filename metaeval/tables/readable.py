"""tables.readable: a table of results as people read it: names in words, intervals in cells, few columns.

Notebooks, the site, reports and commands write their tables by this one function. Rounding happens here and
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
    from_to,
    leaves_out,
    percent,
    pvalue,
    significant,
    typeset,
)

MAX_COLUMNS = 7  # that a page has room for
COUNT = "n_"  # how the names of columns begin that count
ERROR = "_mc_error"  # how the names of columns end that hold the Monte-Carlo errors of others
LEFT_OUT = "†"  # behind an interval that does not hold its own estimate
_P_VALUE = "pvalue"  # how the names of columns end that hold p-values
_DIGITS = 2
_COUNTED = ("stories",)  # that count too
_ASIDE = (  # the first to go where there is no room still
    *("mc_error", "low_mc_error", "high_mc_error"),
    *("standard_error", "standard_deviation", "n_total"),
)
_SAY_WHAT = ("metric", "quantity")  # columns whose values need no heading in a caption
_SEVERAL = 3  # rows; a count that so many share is no news in each
_SHORT = 40  # letters of what all rows share that still fits a caption
Words = Callable[[str, object], str]


@dataclass(frozen=True)
class Readable:
    """A table as text.

    Attributes
    ----------
    frame : DataFrame of str
    are_numbers : list of bool
        By column, whether it holds single numbers.
    shared : list of str
        What all rows and columns share, and what a mark means.
    n_left_out : int
        Columns that a page has no room for.
    """

    frame: pd.DataFrame
    are_numbers: list[bool]
    shared: list[str]
    n_left_out: int

    def to_html(self, *, caption: str, index: bool = True, more: str = "") -> str:
        """HTML with a caption, behind which stands what is shared; `more` is HTML that ends it."""
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
    """A table in words, with at most `MAX_COLUMNS` columns where the rest may be left out.

    Names of columns and values are written as in figures; counts are whole, NaN is a dash, no p-value is 0.
    A value and the ends of its interval share a cell, which is marked where the interval leaves the value
    out. What all rows share stands once, in the caption, and a column of words without any is left out. Of a
    cross table that is too wide, the outer headings become rows; in a table that is, both ends of a range
    share a cell. Of what is too wide still, columns are left out: those `aside` and those without any value
    first, then errors, then the last ones; of headings that are numbers, evenly spaced ones stay.

    Parameters
    ----------
    frame : DataFrame
    table : str
        Which table of a report it is, for rows of its own in ``data/columns.yml``.
    digits : int, optional
        Decimals of the floats; of times the significant digits. By default as many as another seed leaves
        alone, by columns with Monte-Carlo errors, which are then not shown.
    labels : mapping, column -> heading
        Where it differs from that in ``data/columns.yml``.
    words : function of a column's name and a value
        How values that are text are written.
    share : bool
        Whether what all rows share is taken out of them.
    may_cut : bool
        Whether columns may be left out.
    aside : sequence of columns
        The first to be left out, where some must be.

    Returns
    -------
    Readable
    """
    write = _Writer(table, dict(labels or {}), words)
    shared: list[str] = []
    if frame.columns.nlevels > 1:
        frame, shared = write.without_shared_levels(frame)
    else:
        frame = frame.loc[:, [not values.eq("").all() or frame.empty for _, values in frame.items()]]
        frame, shared = write.without_shared_columns(frame) if share else (frame, shared)
    frame = _with_outer_headings_as_rows(frame)
    shown = write.cells(frame, digits)
    if shown.map(lambda written: written.endswith(f"]{LEFT_OUT}")).any(axis=None):
        shared = [*shared, f"{LEFT_OUT} the interval leaves the estimate out"]
    if _width(shown) > MAX_COLUMNS:
        shown = write.with_ranges(shown)
    n_left_out = max(0, _width(shown) - MAX_COLUMNS) if may_cut else 0
    if n_left_out:
        shown = shown[_most_wanted(shown, frame, shown.shape[1] - n_left_out, aside)]
    numeric = dict(zip(frame, map(pd.api.types.is_numeric_dtype, frame.dtypes), strict=True))
    are_numbers = [numeric.get(name, False) for name in shown]
    return Readable(write.headings(shown), are_numbers, shared, n_left_out)


@dataclass(frozen=True)
class _Writer:
    """What headings and cells of one table are called."""

    table: str
    labels: Mapping[str, str]
    words: Words

    def label(self, name: Hashable) -> str:
        """The heading of a column."""
        return self.labels.get(name) or label(str(name), self.table)

    def column(self, name: Hashable) -> Column:
        """How a column's numbers are written."""
        return column(str(name), self.table)

    def without_shared_columns(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """The frame without columns that are alike in all rows, and what these hold."""
        shared = {name: values.iloc[0] for name, values in frame.items() if _are_shared(name, values)}
        return frame.drop(columns=list(shared)), [self.in_caption(*pair) for pair in shared.items()]

    def without_shared_levels(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """A cross table without headings that stand over all columns, and what these hold."""
        shared = []
        for level in frame.columns.names:
            values = frame.columns.get_level_values(level).unique()
            if len(values) == 1 and frame.columns.nlevels > 1:
                shared.append(self.in_caption(level, values[0]))
                frame = frame.droplevel(level, axis=1)
        return frame, shared

    def in_caption(self, name: str, value: Hashable) -> str:
        """What all rows share: the value alone where it tells what it is.

        A data set is named as in a sentence: no other release of it stands beside it.
        """
        if str(name).startswith(COUNT) and not isinstance(value, str):
            return f"{self.label(name)}: {_count(float(value), _DIGITS)}"
        naming = "data" if name == "dataset" else name
        written = self.value(naming, value) if isinstance(value, str) else str(value)
        tells = name in _SAY_WHAT or written != str(value)
        return written if tells else f"{self.label(name)}: {value}"

    def cells(self, frame: pd.DataFrame, digits: int | None) -> pd.DataFrame:
        """The frame as text, intervals in the cells of their values."""
        shown = frame.astype(object)
        for place, name in enumerate(frame):
            shown.isetitem(place, self._cells(frame, place, name, digits))
        if digits is None:
            shown = shown.drop(columns=[name for name in shown if str(name).endswith(ERROR)])
        for value in frame:
            ends = self.column(value).ends
            if ends and {value, *ends} <= set(shown):
                numbers = (frame[name].astype(float) for name in (value, *ends))
                marks = np.where(leaves_out(*numbers), LEFT_OUT, "")
                parts = zip(*(shown[name] for name in (value, *ends)), marks, strict=True)
                shown[value] = [v if UNDEFINED in (v, a, b) else f"{v} [{a}, {b}]{m}" for v, a, b, m in parts]
                shown = shown.drop(columns=list(ends))
        return shown

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

    def with_ranges(self, shown: pd.DataFrame) -> pd.DataFrame:
        """The text of a table with both ends of each range in one cell."""
        for low in list(shown):
            high, heading = self.column(low).range or (None, "")
            if high in shown:
                ends = zip(shown[low], shown[high], strict=True)
                shown[low] = [from_to(*pair) for pair in ends]
                shown = shown.drop(columns=high).rename(columns={low: heading})
        return shown

    def headings(self, shown: pd.DataFrame) -> pd.DataFrame:
        """The frame with headings and names of rows as the book writes them."""
        shown.columns = self._axis(shown.columns, alone=self.label)
        shown.index = self._axis(shown.index, alone=lambda name: name)
        return shown

    def _axis(self, axis: pd.Index, *, alone: Callable[[Hashable], Hashable]) -> pd.Index:
        """An axis with its names and values in words; `alone` writes what stands on one without a name."""
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
        """A name in a cell or a heading; a quantity that has the name of a column is called as that."""
        names_column = value == _P_VALUE or (name == "quantity" and is_column(value))
        return label(value) if names_column else self.words(name, value)


def cell(value: object, digits: int, write: Callable[[float, int], str] | None = None) -> str:
    """One value of a table: numbers as `write` does, what does not exist as a dash."""
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
    """With these decimals, and four digits in all where a number is large: more are of no use."""
    most = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 9
    return f"{value:z,.{min(digits, most)}f}"


def _count(value: float, digits: int) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else _decimal(value, digits)


_FORMS = {
    "ms": significant,
    "times": significant,
    "scale": lambda value, _: f"{float(f'{value:.3g}'):,g}",
    "share": lambda value, _: percent(value),
}


def _form(parts: Sequence[str], own: Column, values: pd.Series) -> Callable[[float, int], str] | None:
    """How the numbers of a column are written, other than with decimals; `parts` of its name."""
    if any(part.endswith(_P_VALUE) for part in parts):
        return lambda value, _: pvalue(value)
    if any(part.startswith(COUNT) for part in parts) or _are_whole(parts[0], own, values):
        return _count
    if own.digits is not None:
        return lambda value, digits: f"{value:z,.{digits}f}"
    return _FORMS.get(own.unit)


def _are_whole(name: str, own: Column, values: pd.Series) -> bool:
    """Whether numbers are written as whole: percentages, and several floats that no column describes.

    These are not all 0 or 1, as shares may be; one alone tells nothing.
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
    return may_be and values.nunique(dropna=False) == 1  # asked last: what a cell holds may have no hash


def _n_index(frame: pd.DataFrame) -> int:
    return 0 if frame.index.names == [None] else frame.index.nlevels


def _width(frame: pd.DataFrame) -> int:
    return frame.shape[1] + _n_index(frame)


def _with_outer_headings_as_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """A cross table that is narrow enough, or has one line of headings left."""
    for n in range(frame.columns.nlevels):
        keys = list(dict.fromkeys(key[:n] for key in frame.columns)) if n else []
        under = {key: frame.loc[:, [column[:n] == key for column in frame]] for key in keys}
        parts = {key if n > 1 else key[0]: part.droplevel([*range(n)], axis=1) for key, part in under.items()}
        names = [*frame.columns.names[:n], *frame.index.names]
        narrow = pd.concat(parts, names=names) if parts else frame
        if _width(narrow) <= MAX_COLUMNS:
            break
    return narrow


def _most_wanted(shown: pd.DataFrame, frame: pd.DataFrame, n: int, aside: Sequence[Hashable]) -> list:
    """The columns that stay: first what stands aside goes, then the last numbers that are no value."""
    if pd.api.types.is_numeric_dtype(shown.columns):
        return [shown.columns[int(place)] for place in np.linspace(0, shown.shape[1] - 1, n).round()]
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c]) and not column(str(c)).ends]
    empty = [c for c in shown if (shown[c] == UNDEFINED).all()]
    to_go = [
        *(c for c in (*aside, *empty, *_ASIDE, *reversed(numbers)) if c in shown),
        *reversed(list(shown)),
    ]
    gone = list(dict.fromkeys(to_go))[: shown.shape[1] - n]
    return [column for column in shown if column not in gone]


def _naming(name: str, values: Iterable[Hashable]) -> str:
    """Whose words write the values of a column: data sets have their short names where those differ."""
    ids = set(values) if name == "dataset" else set()
    return "data" if ids and len({words("data", value) for value in ids}) == len(ids) else name
