"""kit.marks: a tidy table drawn by the names of its columns, as points or lines on panels.

What Plotly Express does with a table (panels, colours, dashes, symbols, bars, hovers, axis titles), with the
book's menus, sliders and intervals; 36 lines take 40 ms against 164 ms with Express, which matters, as a live
block has 100 ms from a control to its figure. Called by the other modules of figures; computes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.panels import BESIDE, ENDS, Panels, bounds
from helpers.kit.theme import BLUE, GREY, Style, correlation_axis, style_of
from metaeval.tables.columns import label
from metaeval.tables.labels import words


def marks(
    table: pd.DataFrame, *, x: str, y: str, mode: str = "markers", panel: str | None = None,
    row: str | None = None, series: str | Sequence[str] | None = None, colour: str | None = None,
    symbol: str | None = None, style: Mapping[Any, Style] | None = None,
    name: Mapping[Any, str] | None = None, labels: Mapping[str, str] | None = None,
    menu: str | None = None, order: Sequence[str] | None = None, point: str | None = None,
    hover: Sequence[str] = (),
    ends: tuple[str, str] = ENDS, bars: bool = True, digits: int = 3, size: float = 9,
    sheet: Panels | None = None, at: Mapping[str, Any] | None = None, **panels: Any,
) -> Panels:  # fmt: skip
    """A table as points or lines, one trace per series on each panel.

    Parameters
    ----------
    table : DataFrame
        Tidy. Its `ends`, or an error where it has none, are drawn as bars and stand in the hover.
    x, y : str
        The columns on the axes. Bars go along y, or along x where y has categories.
    mode : str
        In Plotly's words: ``markers`` or ``lines+markers``.
    panel, row : str, optional
        Columns with one panel per value, side by side and below each other.
    series : str or sequence of str, optional
        Columns with one trace per value.
    colour : str, optional
        The column that colours the single points, and without `series` gives them their symbols, unless it
        stands on an axis; by default a trace has one colour.
    symbol : str, optional
        The column with the symbols of the single points, in Plotly's words.
    style, name : mapping, optional
        How a value of `series` is drawn and called, where the book has no style or words for it.
    labels : mapping, optional
        What axes and hovers call a column, where it is not as in the rest of the book.
    menu : str, optional
        The column whose values are traces of their own, for `Panels.menu` to show one at a time.
    order : sequence of str, optional
        The categories of y, from below; without it y is a number.
    point : str, optional
        The column that names a point in its hover.
    hover : sequence of str
        Further columns that the hover tells, beside what a row rests on.
    ends : two columns
        Where a bar begins and ends: an interval, or a range under names of its own.
    bars : bool
        Whether intervals are drawn; the hover tells them in any case.
    digits : int
        Of numbers in hovers.
    size : float
        Of points, in pixels.
    sheet, at : optional
        Panels to draw on, and the ``panel`` and ``row`` there; by default new panels.
    panels
        Further arguments of `Panels`.
    """
    series = [series] if isinstance(series, str) else list(series or [])
    labels = _labels(table, labels or {})
    is_new = sheet is None
    if row:
        panels |= {"rows": _values(table, row), "row_titles": [words(row, v) for v in _values(table, row)]}
    if is_new:
        sheet = Panels(_values(table, panel) if panel else (None,), column=panel or "", **panels)
    rank = np.arange(len(table)) if order is None else pd.Index(order).get_indexer(table[y])
    keys = list(dict.fromkeys(key for key in (menu, panel, row, *series) if key))
    hover = [*hover, *_sizes(table, {x, y, *keys, *hover})]
    channels = _channels(table, x, y, order, point, hover, labels, ends, bars, digits)
    if colour:
        channels |= _looks(table[colour], with_symbols=not series and colour not in (x, y))
    if symbol:
        channels["marker.symbol"] = table[symbol].to_numpy()
    bar = "error_y" if order is None else "error_x"
    symbols: dict[str, Any] = {}
    for key, rows in _parts(table, keys, rank).items():
        named = dict(zip(keys, key, strict=True))
        own = tuple(named[column] for column in series)
        value = own[0] if len(own) == 1 else own
        called = (name or {}).get(value) or ", ".join(map(words, series, own))
        place = list(symbols).index(called) if called in symbols else len(symbols)
        look = (style or {}).get(value) or style_of(series[0] if series else "", value, place)
        symbols[called] = look.symbol
        trace = _look(mode, look, size)
        position = at or {"panel": named.get(panel), "row": named.get(row)}
        if f"{bar}.array" in channels:  # a trace has one colour of bars
            trace[bar] = _BARS | ({"color": GREY} if colour else {})
        if colour or not series:  # the entry in the legend would have the colour of the first point
            trace["showlegend"] = False
        if series:
            trace |= {"name": called, "legendgroup": called}
            if order is not None:  # series lie below each other, or the bars of one would hide the next
                trace |= {
                    "offsetgroup": called,
                    "alignmentgroup": str([*position.values()]),
                    "orientation": "h",
                }
        heads = ["%{text}" if point else "%{y}" if order is not None else "", called]
        axes = {"x": x, "y": y} if order is None else {"x": x}
        numbers = [_number(table[column], axis, named, labels, digits) for axis, column in axes.items()]
        trace["hovertemplate"] = _hover(heads, numbers)
        values = {path: column[rows].tolist() for path, column in channels.items()}
        sheet.add(_filled(trace, values), **position, of={menu: named[menu]} if menu else None)
    if colour and series:
        position = at or {"panel": sheet.names[0], "row": sheet.rows[0]}
        for called, symbol in symbols.items():
            entry = _look("markers", Style(GREY, symbol=symbol), size)
            sheet.add(entry | {"x": [None], "y": [None], "name": called}, **position)
    if order is not None:
        sheet.layout |= BESIDE
        sheet.y(showgrid=True, automargin=True, categoryorder="array", categoryarray=list(order))
    if is_new:
        sheet.y(title=(labels.get(y) or label(y)) if order is None else None)
        sheet.x(title=labels.get(x) or label(x))
    return sheet


_BARS = {"type": "data", "symmetric": False, "width": 0, "thickness": 1.5}


# how much a row rests on, and what says so where none of these does
_SIZES, _UNITS = ("n_systems", "n_documents", "n_pairs", "n_separated"), "n_used"


def _sizes(table: pd.DataFrame, hidden: set) -> list[str]:
    """Columns with the sizes behind a row, without those that a figure shows already."""
    sizes = [column for column in _SIZES if column in table] or [c for c in (_UNITS,) if c in table]
    return [column for column in sizes if column not in hidden]


def _values(table: pd.DataFrame, column: str) -> list:
    return table[column].unique().tolist()


def _labels(table: pd.DataFrame, own: Mapping[str, str]) -> Mapping[str, str]:
    """Labels of columns: that of a value is its coefficient, or "correlation" where there are several."""
    if "coefficient" not in table:
        return own
    names = table["coefficient"].unique()
    called = words("coefficient", names[0]) if len(names) == 1 else "correlation"
    return {"value": f"{called} with people"} | own


def _parts(table: pd.DataFrame, keys: Sequence[str], rank: np.ndarray) -> dict[tuple, np.ndarray]:
    """Places of the rows of each combination of values, in the order of `rank`."""
    order = np.argsort(rank, kind="stable")
    if not keys:
        return {(): order}
    codes = table.groupby(keys, sort=False).ngroup().to_numpy()[order]
    combinations = table[keys].drop_duplicates().itertuples(index=False, name=None)
    return {values: order[codes == n] for n, values in enumerate(combinations)}


def _channels(table, x, y, order, point, hover, labels, ends, bars, digits) -> dict[str, np.ndarray]:
    """Properties of a trace that its rows determine, by Plotly's path to them."""
    measured, bar = (y, "error_y") if order is None else (x, "error_x")
    ends = bounds(table, measured, ends)
    channels = {"x": table[x].to_numpy(), "y": table[y].to_numpy()}
    channels["customdata"] = _hover_texts(ends, table, hover, labels, digits)
    if point:
        channels["text"] = table[point].to_numpy()
    if ends is not None and bars:
        channels |= _reach(table[measured], ends, bar)
    return channels


def _reach(values: pd.Series, ends: tuple[np.ndarray, np.ndarray], bar: str) -> dict[str, np.ndarray]:
    """Lengths of a bar above and below each value; 0 where the value is outside its percentile interval."""
    value = values.to_numpy(float)
    reach = {f"{bar}.array": ends[1] - value, f"{bar}.arrayminus": value - ends[0]}
    return {path: np.nan_to_num(np.maximum(far, 0)).round(5) for path, far in reach.items()}


def _looks(values: pd.Series, *, with_symbols: bool) -> dict[str, np.ndarray]:
    """Colours, and symbols, of the single points by a column of the table, by Plotly's path to them."""
    styles = {value: style_of(values.name, value, i) for i, value in enumerate(values.unique())}
    colours = values.map({value: style.colour for value, style in styles.items()}).to_numpy()
    looks = {"marker.color": colours, "marker.line.color": colours}
    if with_symbols:
        looks["marker.symbol"] = values.map({v: style.symbol for v, style in styles.items()}).to_numpy()
    return looks


def _hover_texts(ends, table: pd.DataFrame, hover: Sequence[str], labels: Mapping, digits: int) -> np.ndarray:
    """Text of each row's hover after its value: the interval, then further columns."""
    texts = [""] * len(table)
    if ends is not None:
        pairs = zip(*ends, strict=True)
        texts = ["" if isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]" for low, high in pairs]
    for column in hover:
        values = [words(column, one) if isinstance(one, str) else one for one in table[column].tolist()]
        written = (_written(value, digits) for value in values)
        pairs = zip(texts, written, strict=True)
        called = labels.get(column) or label(column)
        texts = [f"{so_far}<br>{called}: {text}" if text else so_far for so_far, text in pairs]
    return np.array(texts, dtype=object)


def _written(value: Any, digits: int) -> str:
    if isinstance(value, str):
        return value
    return "" if isnan(value) else f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def _number(values: pd.Series, letter: str, named: Mapping, labels: Mapping[str, str], digits: int) -> str:
    """One number of a hover, called as its axis or coefficient; of what is no correlation, as both."""
    called = labels.get(values.name) or label(values.name)
    if values.name == "value" and "coefficient" in named:
        coefficient = words("coefficient", named["coefficient"])
        called = coefficient if called.startswith("correlation") else f"{called} ({coefficient})"
    is_number, is_count = pd.api.types.is_numeric_dtype(values), pd.api.types.is_integer_dtype(values)
    form = ":," if is_count else f":.{digits}f" if is_number else ""
    return f"{called}: %{{{letter}{form}}}"


def _hover(heads: Sequence[str], numbers: Sequence[str]) -> str:
    head = ", ".join(filter(None, heads))
    return "<br>".join([*([f"<b>{head}</b>"] if head else []), *numbers]) + "%{customdata}<extra></extra>"


def _look(mode: str, look: Style, size: float) -> dict[str, Any]:
    """A trace without points: lines and symbols of one style."""
    marker = {"symbol": look.symbol, "size": size, "color": look.colour}
    if "lines" in mode:
        line = {"color": look.colour, "dash": look.dash, "width": 2}
        return {"mode": mode, "marker": marker, "line": line}
    return {"mode": mode, "marker": marker | {"line": {"color": look.colour, "width": 2}}}


def _filled(trace: dict[str, Any], values_by_path: Mapping[str, list]) -> dict[str, Any]:
    """The trace with values set at Plotly's paths, such as ``error_x.array``."""
    for path, value in values_by_path.items():
        *outer, last = path.split(".")
        inner = trace
        for key in outer:
            inner[key] = dict(inner.get(key, {}))
            inner = inner[key]
        inner[last] = value
    return trace


# whether an interval leaves out a value
VERDICTS = {"a difference is shown": Style(BLUE), "left open": Style(GREY)}


def add_verdict(table: pd.DataFrame, middle: float = 0.0, ends: tuple[str, str] = ENDS) -> pd.DataFrame:
    """The table with a column verdict, one of `VERDICTS`: whether the interval leaves out `middle`."""
    low, high = (table[end] for end in ends)
    return table.assign(verdict=np.where((low > middle) | (high < middle), *VERDICTS))


def ordered(table: pd.DataFrame, by: str = "value") -> list[str]:
    """Metrics by the values of the last group, at the first level and coefficient, the best on top."""
    for column, place in (("group", -1), ("level", 0), ("coefficient", 0)):
        if column in table:
            table = table[table[column] == table[column].unique()[place]]
    return table.sort_values(by, na_position="first")["metric"].unique().tolist()


def dot_height(categories: Sequence, series: Sequence = ("",)) -> float:
    """Height of a figure with one row per category and, in each, one line per series."""
    return 190 + (18 + 12 * len(series)) * len(categories)


def model_panels(table: pd.DataFrame, **series: Any) -> Panels:
    """Correlations in one row per model, as `helpers.kit.marks.marks` draws `series`.

    Lines go from the lowest to the highest of the folds.
    """
    models = table["metric"].unique().tolist()[::-1]
    sheet = marks(
        table, x="value", y="metric", panel="level", menu="coefficient", order=models,
        ends=("lowest", "highest"), size=11, **series,
    )  # fmt: skip
    return sheet.x(**correlation_axis(table["lowest"])).menu("Coefficient", "coefficient")


def interval_panels(
    results: pd.DataFrame, panel: str, rows: list[str], *, colour: str, **labels: str
) -> go.Figure:
    """Correlations with intervals, one row for each of `rows` from below, points coloured by a column.

    `labels` are what axes and hovers call columns here; the axis of a difference is as long as it needs.
    """
    sheet = marks(
        results, x="value", y="metric", panel=panel, colour=colour, menu="coefficient", order=rows, size=10,
        labels=labels,
    )  # fmt: skip
    sheet.menu("Coefficient", "coefficient")
    if "value" not in labels:
        sheet.x(**correlation_axis(results["low"]))
    return sheet.figure(height=150 + 24 * len(rows))
