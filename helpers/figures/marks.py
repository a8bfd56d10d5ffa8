"""figures.marks: a tidy table drawn by the names of its columns, as points or lines on panels.

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

from helpers.figures.panels import Panels, bounds, label
from helpers.figures.theme import GREY, Style, style_of
from helpers.labels import words


def marks(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    mode: str = "markers",
    panel: str | None = None,
    row: str | None = None,
    series: str | Sequence[str] | None = None,
    colour: str | None = None,
    style: Mapping[Any, Style] | None = None,
    name: Mapping[Any, str] | None = None,
    menu: str | None = None,
    moved_by: str | None = None,
    start: object = None,
    order: Sequence[str] | None = None,
    point: str | None = None,
    hover: Sequence[str] = (),
    bars: bool = True,
    digits: int = 3,
    size: float = 9,
    **panels: Any,
) -> Panels:
    """A table as points or lines, one trace per series on each panel.

    Parameters
    ----------
    table : DataFrame
        Tidy. Columns low and high, or else an error, are drawn as bars and stand in the hover.
    x, y : str
        The columns on the axes; of these ``value``, or else y, has the bars.
    mode : str
        In Plotly's words: ``markers`` or ``lines+markers``.
    panel, row : str, optional
        Columns with one panel per value, side by side and below each other.
    series : str or sequence of str, optional
        Columns with one trace per value.
    colour : str, optional
        The column that colours the single points; by default a trace has one colour.
    style, name : mapping, optional
        How a value of `series` is drawn and called, where the book has no style or words for it.
    menu : str, optional
        The column whose values are traces of their own, for `Panels.menu` to show one at a time.
    moved_by : str, optional
        The column along which a control moves the points: `Panels.slider` or `Panels.moving_menu`.
    start : optional
        Its value that is drawn at first, by default the first.
    order : sequence of str, optional
        The categories of y, from below; without it y is a number.
    point : str, optional
        The column that names a point in its hover.
    hover : sequence of str
        Further columns that the hover tells.
    bars : bool
        Whether intervals are drawn; the hover tells them in any case.
    digits : int
        Of numbers in hovers.
    size : float
        Of points, in pixels.
    panels
        Further arguments of `Panels`.
    """
    series = [series] if isinstance(series, str) else list(series or [])
    if row:
        panels |= {"rows": _values(table, row), "row_titles": [words(row, v) for v in _values(table, row)]}
    sheet = Panels(_values(table, panel) if panel else (None,), column=panel or "", **panels)
    keys = [key for key in (menu, panel, row, *series) if key]
    channels, fixed = _channels(table, x, y, order, point, hover, bars, digits)
    colours = _colours(table, colour) if colour else None
    if fixed and colour:  # a trace has one colour of bars
        fixed = {bar: look | {"color": GREY} for bar, look in fixed.items()}
    choices = _values(table, moved_by) if moved_by else [None]
    categories = None if order is None else pd.Index(order).get_indexer(table[y])
    of_category = dict(zip(table[y], colours, strict=True)) if colour and order is not None else {}
    parts: dict[tuple, dict[object, np.ndarray]] = {}
    for (choice, *key), rows in _parts(table, [moved_by, *keys]):
        if categories is not None:  # a place for every category, -1 where there is no row
            placed = np.full(len(order), -1)
            placed[categories[rows]] = rows
            rows = placed
        parts.setdefault(tuple(key), {})[choice] = rows
    sheet.start = choices[0] if start is None else start
    nothing = np.full(0 if order is None else len(order), -1)
    moving: dict[object, list[dict[str, list]]] = {choice: [] for choice in choices}
    places: dict[tuple, int] = {}
    for key, of_choice in parts.items():
        named = dict(zip(keys, key, strict=True))
        own = tuple(named[column] for column in series)
        place = places.setdefault(own, len(places))
        value = own[0] if len(own) == 1 else own
        look = (style or {}).get(value) or style_of(series[0] if series else "", value, place)
        called = (name or {}).get(value) or ", ".join(map(words, series, own))
        for choice in choices:
            at = of_choice.get(choice, nothing)
            moving[choice].append({path: _taken(column, at) for path, column in channels.items()})
        trace = {"mode": mode, **fixed, **({"name": called} if series else {})}
        trace["marker"] = {"symbol": look.symbol, "size": size, "color": look.colour}
        if "lines" in mode:
            trace["line"] = {"color": look.colour, "dash": look.dash, "width": 2}
        else:
            trace["marker"]["line"] = {"color": look.colour, "width": 2}
        heads = ["%{text}"] if point else ["%{y}"] if order is not None else []
        axes = {"x": x} if order is not None else {"x": x, "y": y}
        trace["hovertemplate"] = _template([*heads, *filter(None, [called])], table, axes, named, digits)
        if order is not None:
            trace["y"] = list(order)
            if series:  # the series of a row lie below each other, or the bars of one would hide the next
                trace |= {"offsetgroup": called, "orientation": "h"}
        _fill(trace, moving[sheet.start][-1])
        if colours is not None:
            own_colours = (
                [of_category[value] for value in order]
                if of_category
                else _taken(colours, of_choice[sheet.start])
            )
            trace["marker"] |= {"color": own_colours, "line": {"width": 2, "color": own_colours}}
        sheet.add(trace, named.get(panel), named.get(row), **({menu: named[menu]} if menu else {}))
    sheet.moves = {
        choice: {path: [trace[path] for trace in traces] for path in channels}
        for choice, traces in moving.items()
    }
    if order is not None:
        sheet.layout |= {"scattermode": "group", "scattergap": 0.3}
        return sheet.x(title=label(x)).y(showgrid=True, automargin=True)
    return sheet.x(title=label(x)).y(title=label(y))


def _values(table: pd.DataFrame, column: str) -> list:
    return table[column].unique().tolist()


def _parts(table: pd.DataFrame, keys: Sequence[str | None]) -> list[tuple[tuple, np.ndarray]]:
    """Each combination of values with the places of its rows, in order of appearance; no key is None."""
    named = [key for key in keys if key]
    if not named:
        return [((None,) * len(keys), np.arange(len(table)))]
    grouped = table.groupby(named, sort=False)
    codes, first = grouped.ngroup().to_numpy(), table[named].drop_duplicates()
    found = [np.flatnonzero(codes == n) for n in range(len(first))]
    values = first.to_dict("records")
    return [(tuple(own.get(key) for key in keys), rows) for own, rows in zip(values, found, strict=True)]


def _channels(table, x, y, order, point, hover, bars, digits) -> tuple[dict[str, np.ndarray], dict]:
    """What of a trace comes from its rows, by Plotly's path to it; and the look of its bars."""
    letter = "x" if x == "value" else "y"
    ends = bounds(table, x if letter == "x" else y)
    channels = {"x": table[x].to_numpy(), "customdata": _said(ends, table, hover, digits)}
    if order is None:
        channels["y"] = table[y].to_numpy()
    if point:
        channels["text"] = table[point].to_numpy()
    if ends is None or not bars:
        return channels, {}
    value = table[x if letter == "x" else y].to_numpy(float)
    # a percentile interval need not hold the value; then the bar ends there
    above, below = (
        np.nan_to_num(np.maximum(part, 0)).round(5) for part in (ends[1] - value, value - ends[0])
    )
    channels |= {f"error_{letter}.array": above, f"error_{letter}.arrayminus": below}
    return channels, {f"error_{letter}": {"type": "data", "symmetric": False, "width": 0, "thickness": 1.5}}


def _colours(table: pd.DataFrame, column: str) -> np.ndarray:
    values = table[column].tolist()
    of_value = {value: style_of(column, value, i).colour for i, value in enumerate(dict.fromkeys(values))}
    return np.array([of_value[value] for value in values], dtype=object)


def _said(ends, table: pd.DataFrame, hover: Sequence[str], digits: int) -> np.ndarray:
    """What a hover says of each row behind its value: the interval, then further columns."""
    said = [""] * len(table)
    if ends is not None:
        pairs = zip(*ends, strict=True)
        said = ["" if isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]" for low, high in pairs]
    for column in hover:
        written = (_written(value, digits) for value in table[column].tolist())
        pairs = zip(said, written, strict=True)
        said = [f"{so_far}<br>{label(column)}: {text}" if text else so_far for so_far, text in pairs]
    return np.array(said, dtype=object)


def _written(value: Any, digits: int) -> str:
    if isinstance(value, str) or isnan(value):
        return value if isinstance(value, str) else ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def _template(heads: Sequence[str], table, axes: Mapping[str, str], named, digits: int) -> str:
    """The hover of a trace: whose point it is, then its numbers by the names of their columns."""
    lines = [f"<b>{', '.join(heads)}</b>"] if heads else []
    for letter, column in axes.items():
        is_correlation = column == "value" and "coefficient" in named
        called = words("coefficient", named["coefficient"]) if is_correlation else label(column)
        whole = pd.api.types.is_integer_dtype(table[column])
        lines.append(f"{called}: %{{{letter}{':,' if whole else f':.{digits}f'}}}")
    return "<br>".join(lines) + "%{customdata}<extra></extra>"


def _taken(column: np.ndarray, at: np.ndarray) -> list:
    """The entries at these places; NaN, or no text, where a place is -1."""
    taken = column[at]
    if (at < 0).any():
        taken = np.where(at < 0, "" if column.dtype == object else np.nan, taken)
    return taken.tolist()


def _fill(trace: dict[str, Any], found: Mapping[str, list]) -> dict[str, Any]:
    """The trace with what lies at Plotly's paths, such as ``error_x.array``."""
    for path, value in found.items():
        outer, _, inner = path.rpartition(".")
        if outer:
            trace[outer] = trace.get(outer, {}) | {inner: value}
        else:
            trace[path] = value
    return trace
