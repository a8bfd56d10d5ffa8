"""kit.tables: a table of results as people read it: names in words, intervals in cells, few columns.

Rounding happens here and in `helpers.kit.display` and nowhere before. Called by what shows tables.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np
import pandas as pd

from helpers.kit.panels import label, with_system_names
from helpers.kit.titles import short_title
from metaeval.tables.columns import COLUMNS
from metaeval.tables.labels import RANGE_LABELS, named, words
from metaeval.tables.wording import UNDEFINED, from_to, leaves_out, pvalue, significant, typeset

MOST_COLUMNS = 7  # that a page has room for
P_VALUE = "pvalue"  # how the names of columns end that are written as `metaeval.tables.wording.pvalue` does
LEFT_OUT = "†"  # behind an interval that does not hold its own estimate
COUNT = "n_"  # how the names of columns begin that count
_SIGNIFICANT = ("ms", "times")  # units of numbers that are of no one size
_COUNTED = ("stories",)  # that count too
# a value by its ends, which share its cell
_ENDS = {
    "value": ("low", "high"),
    "variance": ("low", "high"),
    "agreement": ("agreement_low", "agreement_high"),
    "flip_rate": ("flip_low", "flip_high"),
    "given": ("given_low", "given_high"),
    "rival_value": ("rival_low", "rival_high"),
}
# the first to go where there is no room still
_ASIDE = (
    "mc_error",
    "low_mc_error",
    "high_mc_error",
    "standard_error",
    "standard_deviation",
    "n_total",
)
_SAY_WHAT = ("metric", "quantity")  # columns whose values need no heading in a caption
_SEVERAL = 3  # rows; a count that so many share is no news in each
_SHORT = 40  # letters of what all rows share that still fits a caption


def table_html(
    frame: pd.DataFrame,
    *,
    caption: str,
    digits: int = 2,
    index: bool = True,
    whole: str = "",
    aside: Sequence[Hashable] = (),
    if_empty: str = "no rows",
) -> str:
    """A table as HTML, as `readable` writes it; one without rows as a sentence.

    Parameters
    ----------
    frame : DataFrame
    digits : int
        Decimals of the floats; of times the significant digits.
    index : bool
        Show the index; leave it out where it only numbers the rows.
    caption : str
        What the table holds; what all rows share stands behind it.
    whole : str
        HTML that leads to the whole table, shown where columns are left out; without it none are.
    aside : sequence of columns
        As in `readable`.
    if_empty : str
        What is said behind the caption of a table without rows.
    """
    if frame.empty:
        said = html.escape(typeset(f"{named(caption)}: {if_empty}."))
        return f'<div class="remark"><p>{said}</p></div>'
    shown, shared, is_cut = readable(frame, digits=digits, may_cut=bool(whole), aside=aside)
    said = typeset(named(caption)) + (f" ({', '.join(shared)})" if shared else "")
    head = "; ".join(filter(None, [html.escape(said), whole if is_cut else ""]))
    table = typeset(shown.to_html(index=index, border=0))
    return table.replace("<thead>", f"<caption>{head}</caption><thead>", 1)


def readable(
    frame: pd.DataFrame, *, digits: int = 2, may_cut: bool = True, aside: Sequence[Hashable] = ()
) -> tuple[pd.DataFrame, list[str], bool]:
    """A table in words, with at most `MOST_COLUMNS` columns where the rest may be left out.

    Names of columns and values are written as in figures; counts are whole, NaN is a dash, no p-value is 0.
    A value and the ends of its interval share a cell, which is marked where the interval leaves the value
    out. What all rows share is said once, and a column of words without any is left out. Of a cross table
    that is too wide, the outer headings become rows; in a table that is, both ends of a range share a cell.
    Of what is too wide still, columns are left out: those `aside` and those without any value first, then
    errors, then the last ones; of headings that are numbers, evenly spaced ones stay.

    Parameters
    ----------
    frame : DataFrame
    digits : int
        Decimals of the floats; of times the significant digits.
    may_cut : bool
        Whether columns may be left out.
    aside : sequence of columns
        The first to be left out, where some must be.

    Returns
    -------
    shown : DataFrame of str
    shared : list of str
        What all rows and columns share, and what a mark means.
    is_cut : bool
        Whether columns were left out.
    """
    frame = _with_systems_named(frame)
    crossed = frame.columns.nlevels > 1
    frame, shared = _without_shared_levels(frame) if crossed else _without_shared_columns(frame)
    frame = _with_outer_headings_as_rows(frame)
    shown = _written(frame, digits)
    if shown.map(lambda written: written.endswith(f"]{LEFT_OUT}")).any(axis=None):
        shared = [*shared, f"{LEFT_OUT} the interval leaves the estimate out"]
    if _width(shown) > MOST_COLUMNS:
        shown = _with_ranges(shown)
    is_cut = may_cut and _width(shown) > MOST_COLUMNS
    if is_cut:
        shown = shown[_most_wanted(shown, frame, MOST_COLUMNS - _n_index(shown), aside)]
    return _in_words(shown), shared, is_cut


def _with_systems_named(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the names of systems that their benchmarks have, where it says which these are."""
    if "dataset" in frame:
        return with_system_names(frame)
    if frame.index.nlevels > 1 and "dataset" in frame.index.names:
        named = with_system_names(frame.index.to_frame(index=False))
        return frame.set_axis(pd.MultiIndex.from_frame(named))
    return frame


def cell(value: object, digits: int) -> str:
    """One value of a table: floats with `digits`, what does not exist as a dash."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:z,.{min(digits, _decimals(value))}f}".replace("inf", "unbounded")
    return str(value)


def _decimals(value: float) -> int:
    """At most this many are of use: four digits in all where a number is large."""
    return 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 9


def _n_index(frame: pd.DataFrame) -> int:
    return 0 if frame.index.names == [None] else frame.index.nlevels


def _width(frame: pd.DataFrame) -> int:
    return frame.shape[1] + _n_index(frame)


def _said(column: str, value: Hashable) -> str:
    """What all rows share, in words: the value alone where it says what it is.

    A data set is named as in a sentence: no other release of it stands beside it.
    """
    naming = "data" if column == "dataset" else column
    if str(column).startswith(COUNT) and not isinstance(value, str):
        return f"{label(column)}: {_count(float(value), 2)}"
    written = _value(naming, value) if isinstance(value, str) else str(value)
    if column in _SAY_WHAT:
        return written
    return written if written != str(value) else f"{label(column)}: {value}"


def _without_shared_columns(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The frame without columns that are empty, or words or counts alike in all rows; and what these say."""
    frame = frame.loc[:, [not values.eq("").all() or frame.empty for _, values in frame.items()]]
    shared = {column: values.iloc[0] for column, values in frame.items() if _are_shared(column, values)}
    return frame.drop(columns=list(shared)), [_said(column, value) for column, value in shared.items()]


def _are_shared(column: Hashable, values: pd.Series) -> bool:
    if len(values) < 2:
        return False
    first = values.iloc[0]
    if isinstance(first, str):
        may_be = 0 < len(first) <= _SHORT
    else:
        may_be = str(column).startswith(COUNT) and len(values) >= _SEVERAL and values.notna().all()
    return may_be and values.nunique(dropna=False) == 1  # asked last: what a cell holds may have no hash


def _without_shared_levels(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """A cross table without headings that stand over all columns, and what they say."""
    shared = []
    for level in frame.columns.names:
        values = frame.columns.get_level_values(level).unique()
        if len(values) == 1 and frame.columns.nlevels > 1:
            shared.append(_said(level, values[0]))
            frame = frame.droplevel(level, axis=1)
    return frame, shared


def _with_outer_headings_as_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """A cross table that is narrow enough, or has one line of headings left."""
    for n in range(frame.columns.nlevels):
        keys = list(dict.fromkeys(key[:n] for key in frame.columns)) if n else []
        under = {key: frame.loc[:, [column[:n] == key for column in frame]] for key in keys}
        parts = {key if n > 1 else key[0]: part.droplevel([*range(n)], axis=1) for key, part in under.items()}
        names = [*frame.columns.names[:n], *frame.index.names]
        narrow = pd.concat(parts, names=names) if parts else frame
        if _width(narrow) <= MOST_COLUMNS:
            break
    return narrow


def _written(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """The frame as text, in the words of the book, intervals in the cells of their values."""
    shown = frame.astype(object)
    for place, name in enumerate(frame):
        shown.isetitem(place, _column(name, frame.iloc[:, place], frame.columns.names, digits))
    for value, (low, high) in _ENDS.items():
        if {value, low, high} <= set(shown):
            numbers = (frame[name].astype(float) for name in (value, low, high))
            marks = np.where(leaves_out(*numbers), LEFT_OUT, "")
            ends = zip(shown[value], shown[low], shown[high], marks, strict=True)
            shown[value] = [v if UNDEFINED in (v, a, b) else f"{v} [{a}, {b}]{m}" for v, a, b, m in ends]
            shown = shown.drop(columns=[low, high])
    return shown


def _column(name: Hashable, values: pd.Series, levels: Sequence, digits: int) -> list[str]:
    parts = [str(part) for part in (name if isinstance(name, tuple) else (name,))]
    if any(part.endswith(P_VALUE) for part in parts):
        return [pvalue(value) for value in values]
    if any(part.startswith(COUNT) for part in parts) or _are_whole(parts[0], values):
        return [_count(value, digits) for value in values]
    if parts[0] in COLUMNS and COLUMNS[parts[0]].unit in _SIGNIFICANT:
        return [significant(value, digits) for value in values]
    column = _names(parts[0], values) if levels == [None] else ""
    return [_value(column, value) if isinstance(value, str) else cell(value, digits) for value in values]


def _are_whole(column: str, values: pd.Series) -> bool:
    """Whether numbers are written as whole: percentages, and counts that no column of ours describes."""
    if column not in COLUMNS:
        return _are_counts(values)
    return COLUMNS[column].unit == "%" and (values.dropna() % 1 == 0).all()


def _are_counts(values: pd.Series) -> bool:
    """Whether several floats are whole numbers, and not all 0 or 1 as shares may be; one tells nothing."""
    there = values.dropna()
    whole = pd.api.types.is_float_dtype(values) and (there % 1 == 0).all() and (there.abs() > 1).any()
    return whole and len(there) > 1


def _count(value: object, digits: int) -> str:
    is_whole = isinstance(value, int | float) and float(value).is_integer()
    return f"{value:,.0f}" if is_whole else cell(value, digits)


def _value(column: str, value: str) -> str:
    """A name in a cell or a heading; a quantity that has the name of a column is called as that."""
    if column == "page":
        return short_title(value)
    is_column = value == P_VALUE or (column == "quantity" and value in COLUMNS)
    return label(value) if is_column else words(column, value)


def _with_ranges(shown: pd.DataFrame) -> pd.DataFrame:
    """The text of a table with both ends of each range in one cell."""
    for (low, high), heading in RANGE_LABELS.items():
        if {low, high} <= set(shown):
            ends = zip(shown[low], shown[high], strict=True)
            shown[low] = [from_to(*pair) for pair in ends]
            shown = shown.drop(columns=high).rename(columns={low: heading})
    return shown


def _most_wanted(shown: pd.DataFrame, frame: pd.DataFrame, n: int, aside: Sequence[Hashable]) -> list:
    """The columns that stay: first what stands aside goes, then the last numbers that are no value."""
    if pd.api.types.is_numeric_dtype(shown.columns):
        return [shown.columns[int(place)] for place in np.linspace(0, shown.shape[1] - 1, n).round()]
    numbers = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c]) and c not in _ENDS]
    empty = [c for c in shown if (shown[c] == UNDEFINED).all()]
    to_go = [
        *(c for c in (*aside, *empty, *_ASIDE, *reversed(numbers)) if c in shown),
        *reversed(list(shown)),
    ]
    gone = list(dict.fromkeys(to_go))[: shown.shape[1] - n]
    return [column for column in shown if column not in gone]


def _in_words(shown: pd.DataFrame) -> pd.DataFrame:
    """The frame with headings and names of rows as the book writes them."""
    shown.columns = _axis(shown.columns, alone=lambda name: label(str(name)))
    shown.index = _axis(shown.index, alone=lambda name: name)
    return shown


def _axis(axis: pd.Index, *, alone: Callable[[Hashable], Hashable]) -> pd.Index:
    """An axis with its names and values in words; `alone` writes what stands on one without a name."""
    if axis.names == [None]:
        return pd.Index([alone(value) for value in axis])
    names = [None if name is None else label(name) for name in axis.names]
    arrays = [
        [_heading(_names(name or "", axis.get_level_values(i)), value) for value in axis.get_level_values(i)]
        for i, name in enumerate(axis.names)
    ]
    return (
        pd.MultiIndex.from_arrays(arrays, names=names)
        if axis.nlevels > 1
        else pd.Index(arrays[0], name=names[0])
    )


def _names(column: str, values: Iterable[Hashable]) -> str:
    """Whose words write the values of a column: data sets have their short names where those differ."""
    ids = set(values) if column == "dataset" else set()
    return "data" if ids and len({words("data", value) for value in ids}) == len(ids) else column


def _heading(column: str, value: Hashable) -> str:
    if isinstance(value, int) and (column.startswith(COUNT) or column in _COUNTED):
        return f"{value:,}"
    return f"{round(value, 4):g}" if isinstance(value, float) else _value(column, str(value))
