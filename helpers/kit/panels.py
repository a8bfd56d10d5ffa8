"""kit.panels: panels side by side with their legend and controls, and the shapes that figures share.

Traces are plain dictionaries in Plotly's words, which Plotly checks once, when the figure is made. Called by
the other modules of figures only; `helpers.kit.marks` fills panels from a table.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import scipy

from helpers.kit.direct import MAX_NAMED, names_beside, room_beside
from helpers.kit.theme import GREY, dropdown, faint, shared_layout
from metaeval.tables.labels import system_name, words

_OF_SYSTEMS = ("system", "first", "second", "metric", "quantity")  # columns that may hold ids of systems
ENDS = ("low", "high")  # of an interval
BESIDE = {"scattermode": "group", "scattergap": 0.3}  # traces with groups of their own beside each other
_ERRORS = ("mc_error", "standard_error")  # the first that a table has is drawn, as a 95 % interval
_LINE = 18  # pixels of a line of titles above panels
_TITLED = 3  # this many panels side by side have room for a title each


def with_system_names(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose systems are called as the book calls them; to be shown, not to be kept."""
    named = {}
    for column in _OF_SYSTEMS:
        if column in table:
            pairs = zip(table["dataset"], table[column], strict=True)
            named[column] = [system_name(*pair) if isinstance(pair[1], str) else pair[1] for pair in pairs]
    return table.assign(**named)


class Panels:
    """Panels side by side and below each other, filled trace by trace.

    Parameters
    ----------
    names : sequence
        What each panel shows, from left to right.
    titles : sequence of str, optional
        One per panel; by default as the book writes the names in the column `column`.
    column : str
        Which column of a table the names are from.
    rows, row_titles : sequence
        The same from top to bottom.
    heights : sequence of float, optional
        Share of each row in the height.
    gap, row_gap : float
        Between panels, as a share of the width or height.
    own_x, own_y : bool
        Whether each panel has a scale of its own instead of that of its column or row.
    """

    def __init__(
        self, names: Sequence[Hashable] = (None,), *, titles: Sequence[str] | None = None, column: str = "",
        rows: Sequence[Hashable] = (None,), row_titles: Sequence[str] | None = None,
        heights: Sequence[float] | None = None, gap: float = 0.04, row_gap: float = 0.09,
        own_x: bool = False, own_y: bool = False,
    ) -> None:  # fmt: skip
        self.names, self.rows = list(names) or [None], list(rows)
        self.data: list[dict[str, Any]] = []
        self.controls: list[dict[str, Any]] = []
        self._choices: list[Mapping[str, object]] = []  # of each trace: the menus' choices that show it
        self._named: set[tuple] = set()
        self._n_below = 0  # traces that lie below the others
        self._axes: dict[str, dict[str, Any]] = {}
        self._shapes: list[dict[str, Any]] = []
        self._titles: list[dict[str, Any]] = []
        self._rule_texts: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {}  # more of Plotly's layout
        across = _domains([1] * len(self.names), gap)
        down = [(1 - high, 1 - low) for low, high in _domains(heights or [1] * len(self.rows), row_gap)]
        for j, (bottom, top) in enumerate(down):
            for i, (start, end) in enumerate(across):
                at = self._at(i, j)
                x = {"domain": [start, end], "anchor": f"y{at}"}
                y = {"domain": [bottom, top], "anchor": f"x{at}"}
                if i and not own_y:
                    y |= {"matches": f"y{self._at(0, j)}", "showticklabels": False}
                if j < len(down) - 1 and not own_x:
                    x |= {"matches": f"x{self._at(i, len(down) - 1)}", "showticklabels": False}
                self._axes |= {f"xaxis{at}": x, f"yaxis{at}": y}
        if titles is None:
            titles = ["" if name is None else words(column, name) for name in self.names]
        for text, (start, end) in zip(titles, across, strict=True):
            self._title(text, name="column", x=(start + end) / 2, y=1, xanchor="center", yanchor="bottom")
        row_titles = row_titles or [""] * len(down)
        n_lines = max((1 + text.count("<br>") for text in titles if text), default=0)
        self._n_heads = n_lines + any(row_titles)  # lines above the first row
        for j, (text, (_, top)) in enumerate(zip(row_titles, down, strict=True)):
            above = 0 if j else _LINE * n_lines
            place = {"x": 0, "y": top, "xanchor": "left", "yanchor": "bottom", "yshift": above}
            self._title(f"<b>{text}</b>" if text else "", name="row", **place)

    def _at(self, column: int, row: int) -> str:
        place = row * len(self.names) + column
        return str(place + 1) if place else ""

    def _title(self, text: str, **place: object) -> None:
        if text:
            paper = {"xref": "paper", "yref": "paper", "showarrow": False}
            self._titles.append({"text": text, **paper, **place})

    def add(
        self, trace: Mapping[str, Any], panel: Hashable = None, row: Hashable = None, *,
        of: Mapping[str, Hashable] | None = None, first: bool = False,
    ) -> Panels:  # fmt: skip
        """Put a trace on a panel.

        Parameters
        ----------
        trace : mapping
            In Plotly's words; of type ``scatter`` where it does not say. A name stands in the legend once.
        panel, row : one of the names
        of : mapping, optional
            The choice of a menu that the trace belongs to, by the menu's column.
        first : bool
            Whether the trace lies below all others.
        """
        at = self._at(self.names.index(panel), self.rows.index(row))
        trace = {"type": "scatter", "xaxis": f"x{at}", "yaxis": f"y{at}", **trace}
        of = dict(of or {})
        if "name" in trace and "showlegend" not in trace:
            trace.setdefault("legendgroup", trace["name"])
            entry = (trace["legendgroup"], *of.values())
            trace["showlegend"] = entry not in self._named
            self._named.add(entry)
        place = self._n_below if first else len(self.data)
        if first:
            self._n_below += 1
        self.data.insert(place, trace)
        self._choices.insert(place, of)
        return self

    def x(self, *, title: str | None = None, **settings: object) -> Panels:
        """Set all horizontal axes; a title stands below the lowest panels, once where they are many."""
        if title and len(self.names) > _TITLED:
            place = {"x": 0.5, "y": 0, "xanchor": "center", "yanchor": "top", "yshift": -26}
            self._title(title, name="x", font={"size": 14}, **place)
            title = None
        lowest = [self._at(i, len(self.rows) - 1) for i in range(len(self.names))]
        return self._set("x", settings, title, lowest)

    def y(self, *, title: str | None = None, **settings: object) -> Panels:
        """Set all vertical axes; a title stands left of the first panels."""
        return self._set("y", settings, title, [self._at(0, j) for j in range(len(self.rows))])

    def _set(self, letter: str, settings: Mapping, title: str | None, outer: list[str]) -> Panels:
        for name, axis in self._axes.items():
            if name.startswith(letter):
                axis |= settings
        if title is not None:
            for at in outer:
                self._axes[f"{letter}axis{at}"]["title"] = {"text": title}
        return self

    def axis(self, letter: str, panel: Hashable = None, row: Hashable = None, **settings: object) -> Panels:
        """Set one axis of one panel: `letter` is ``"x"`` or ``"y"``."""
        at = self._at(self.names.index(panel), self.rows.index(row))
        self._axes[f"{letter}axis{at}"] |= settings
        return self

    def categories(self, names: Sequence[str], row: Hashable = None) -> Panels:
        """Name the lines of a row of panels, from below, also where axes match both ways."""
        for panel in self.names:
            self.axis("y", panel, row, categoryarray=list(names), range=[-0.6, len(names) - 0.4])
        return self

    def rule(
        self, *, x: float | None = None, y: float | None = None, row: Hashable = None,
        panels: Sequence[Hashable] | None = None, text: str = "",
    ) -> Panels:  # fmt: skip
        """A dotted line through panels of a row, by default all, at one value.

        `text` says once what the value means: at the upper end of a vertical line, above a horizontal one.
        """
        for place, i in enumerate(map(self.names.index, self.names if panels is None else panels)):
            at = self._at(i, self.rows.index(row))
            if text and not place:
                self._rule_texts.append(self._rule_text(text, x, y, at))
            if x is not None:
                ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": f"y{at} domain", "xref": f"x{at}"}
            else:
                ends = {"y0": y, "y1": y, "x0": 0, "x1": 1, "xref": f"x{at} domain", "yref": f"y{at}"}
            line = {"color": GREY, "dash": "dot", "width": 1.5}
            self._shapes.append({"type": "line", "layer": "below", "line": line, **ends})
        return self

    def _rule_text(self, text: str, x: float | None, y: float | None, at: str) -> dict[str, Any]:
        note = {"text": text, "name": "rule", "showarrow": False, "yanchor": "bottom", "font": {"size": 12}}
        if x is None:
            left = {"x": 0, "xref": f"x{at} domain", "xanchor": "left", "xshift": 4}
            return note | left | {"y": y, "yref": f"y{at}"}
        axis = self._axes[f"xaxis{at}"]
        x = np.log10(x).item() if axis.get("type") == "log" else x  # where Plotly wants the exponent
        low, high = axis.get("range", (x, x))  # the half with more room has the text
        side = "right" if x > (low + high) / 2 else "left"
        return note | {"x": x, "xref": f"x{at}", "y": 1, "yref": f"y{at} domain", "xanchor": side}

    def side_by_side(self) -> Panels:
        """Put traces of other names beside each other, or the bars of one would hide the next."""
        self.layout |= BESIDE
        for trace in self.data:
            trace["offsetgroup"] = trace["name"]
        return self

    def menu(self, name: str, column: str, labels: Sequence[str] | None = None) -> Panels:
        """A dropdown that shows the traces of one choice; none where there is one choice only.

        Parameters
        ----------
        name : str
            What the choice is about.
        column : str
            By which the choices were given to `add`. Traces without it are always shown.
        labels : sequence of str, optional
            One per choice, by default as the book writes the choices.
        """
        trace_choices = [own.get(column) for own in self._choices]
        choices = [choice for choice in dict.fromkeys(trace_choices) if choice is not None]
        for trace, own in zip(self.data, trace_choices, strict=True):
            trace["visible"] = own is None or own == choices[0]
        if len(choices) > 1:
            labels = labels or [words(column, choice) for choice in choices]
            changes = [
                {"visible": [own is None or own == choice for own in trace_choices]} for choice in choices
            ]
            self.controls.append(dropdown(name, labels, changes))
        return self

    def figure(self, *, height: float, named: bool = True, **layout: object) -> go.Figure:
        """The figure, `height` pixels high on a wide screen.

        Up to eight series are `named` beside their lines or points; else a legend stands above the panels.
        """
        has_legend = (self.layout | layout).get("showlegend", True)
        beside = self._name_series(height) if has_legend and named else 0
        if beside:
            has_legend, layout = False, {"showlegend": False} | layout
        names = [trace["name"] for trace in self.data if has_legend and trace.get("showlegend")]
        texts = [*self._titles, *self._rule_texts]
        parts = {"annotations": texts, "shapes": self._shapes, "updatemenus": self.controls}
        drawn = {name: part for name, part in parts.items() if part}
        shared = shared_layout(names, height=height)
        shared["margin"]["t"] += 20 * max(0, self._n_heads - 1)
        shared["margin"]["r"] += beside
        if any(note["y"] == 1 and "domain" in note["yref"] for note in self._rule_texts):
            shared["margin"]["t"] += _LINE
            for title in self._titles:
                title["yshift"] = title.get("yshift", 0) + _LINE * (title["y"] == 1)
        return go.Figure({"data": self.data, "layout": shared | self._axes | self.layout | drawn | layout})

    def _name_series(self, height: float) -> float:
        """Write names beside lines or points, under each choice of a menu; returns the room they take."""
        names: dict[tuple, set[str]] = {}  # in the legend, under each choice
        groups: dict[tuple, dict[str, int]] = {}  # in the last panel of each row, under each choice
        last = [f"y{self._at(len(self.names) - 1, j)}" for j in range(len(self.rows))]
        for place, (trace, choice) in enumerate(zip(self.data, self._choices, strict=True)):
            if trace.get("showlegend"):
                names.setdefault((*choice.values(),), set()).add(trace["name"])
            if "name" in trace and trace["yaxis"] in last and any(v is not None for v in trace.get("x", ())):
                groups.setdefault((trace["yaxis"], *choice.values()), {}).setdefault(trace["name"], place)
        changes = [button["args"][0] for control in self.controls for button in control["buttons"]]
        scatter = all(trace["type"] == "scatter" for trace in self.data if trace.get("showlegend"))
        if not scatter or not all("visible" in change for change in changes):
            return 0  # other changes set traces by their numbers
        texts: list[tuple[int, dict]] = []
        for (_, *choice), places in groups.items():
            own = [self.data[place] for place in places.values()]
            x, y = (self._axes[own[0][f"{letter}axis"].replace(letter, f"{letter}axis")] for letter in "xy")
            whole = 1 < len(own) <= MAX_NAMED and names.get((*choice,)) == set(places)
            traces = names_beside(own, x, y | {"range": self._span(own[0])}, height) if whole else []
            if not traces:
                return 0
            texts += [(next(iter(places.values())), trace) for trace in traces]
        for place, trace in texts:
            self.data.append(trace | {"visible": self.data[place].get("visible", True)})
            for change in changes:
                change["visible"].append(change["visible"][place])
        return max((room_beside(trace, self._axes, len(self.names)) for _, trace in texts), default=0)

    def _span(self, trace: Mapping) -> Sequence[float] | None:
        """Ends of a trace's vertical axis: as set, or those of all values beside it; None of names."""
        axis = self._axes[trace["yaxis"].replace("y", "yaxis")]
        shared = {trace["yaxis"], axis.get("matches")}
        beside = [
            t["y"]
            for t in self.data
            if {t["yaxis"], self._axes[t["yaxis"].replace("y", "yaxis")].get("matches")} & shared - {None}
        ]
        values = [value for y in beside for value in y if value is not None]
        if "range" in axis or any(isinstance(value, str) for value in values):
            return axis.get("range")
        ends = np.array([np.nanmin(values), np.nanmax(values)])
        return np.log10(ends) if axis.get("type") == "log" else ends


def _domains(sizes: Sequence[float], gap: float) -> list[tuple[float, float]]:
    """Ends of panels of these sizes on a length of 1."""
    room = 1 - gap * (len(sizes) - 1)
    widths = [room * size / sum(sizes) for size in sizes]
    starts = np.cumsum([0, *(width + gap for width in widths)])
    return [(float(low), float(min(1, low + width))) for low, width in zip(starts, widths, strict=False)]


def bounds(
    table: pd.DataFrame, value: str = "value", ends: tuple[str, str] = ENDS
) -> tuple[np.ndarray, np.ndarray] | None:
    """Lower and upper ends of a table's bars: the columns `ends`, or 95 % around its errors.

    Returns
    -------
    tuple of two arrays, or None where the table has neither.
    """
    if set(ends) <= set(table):
        return table[ends[0]].to_numpy(float), table[ends[1]].to_numpy(float)
    error = next((table[name].to_numpy(float) for name in _ERRORS if name in table), None)
    if error is None:
        return None
    middle = table[value].to_numpy(float)
    half = scipy.stats.norm.isf(0.025) * error
    return middle - half, middle + half


def band(x: Sequence, low: Sequence, high: Sequence, colour: str, **settings: Any) -> dict:
    """A trace that fills what lies between two curves, without a hover and, without a name, a legend.

    `settings` are further ones in Plotly's words, which win.
    """
    outline = {"x": [*x, *list(x)[::-1]], "y": [*high, *list(low)[::-1]]}
    ground = {"fill": "toself", "fillcolor": faint(colour), "mode": "none", "hoverinfo": "skip"}
    return outline | ground | ({} if "name" in settings else {"showlegend": False}) | settings


def heatmap(x: Sequence, y: Sequence, *, colours: Sequence, low: float = 0, high: float = 1) -> dict:
    """A trace of cells with a gap between them, without values yet: what its ``z`` and ``text`` are told."""
    scale = {"zmin": low, "zmax": high, "colorscale": colours, "showscale": False}
    texts = {"texttemplate": "%{text}", "textfont": {"size": 12}}
    return {"type": "heatmap", "x": x, "y": y, "xgap": 2, "ygap": 2} | texts | scale


def drop_zeros(text: str) -> str:
    """Numbers without a leading 0, as papers print them: a cell has room for three figures.

    Examples
    --------
    >>> drop_zeros("0.85 or 1.00"), drop_zeros("-0.50"), drop_zeros("+10.50")
    ('.85 or 1.00', '-.50', '+10.50')
    """
    return re.sub(r"(?<!\d)0\.", ".", text)


def contrasting(text: str, value: float, colours: Sequence, *, low: float = -1, high: float = 1) -> str:
    """A cell's text in black or white, whichever its ground sets off more; Plotly takes white too early.

    Parameters
    ----------
    text : str
    value : float
        Of the cell; NaN leaves the text as it is.
    colours : of the heatmap, (place from 0 to 1, ``#rrggbb``)
    low, high : the values at both ends of them

    Examples
    --------
    >>> contrasting(".80", 0.8, [(0, "#ffffff"), (1, "#0072B2")], low=0)
    '<span style="color:#000">.80</span>'
    """
    if isnan(value) or not text:
        return text
    places, ends = zip(*colours, strict=True)
    at = np.interp(value, [low + place * (high - low) for place in places], range(len(ends)))
    channels = np.array([[int(end[k : k + 2], 16) / 255 for k in (1, 3, 5)] for end in ends])
    ground = np.array([np.interp(at, range(len(ends)), channel) for channel in channels.T])
    linear = np.where(ground <= 0.04045, ground / 12.92, ((ground + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    # WCAG 2's contrast: against black the ratio is (L + 0.05) / 0.05, against white 1.05 / (L + 0.05)
    ink = "#000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#fff"
    return f'<span style="color:{ink}">{text}</span>'


def grid(
    rows: pd.DataFrame, down: str, across: str, lines: Sequence, columns: Sequence, value: str, nothing=None
) -> list[list]:
    """Values in lines, for a heatmap.

    Parameters
    ----------
    rows : DataFrame
    down, across : names of the columns that say where a value stands
    lines, columns : what they hold, in order
    value : str
        The column with the values; NaN becomes None.
    nothing : optional
        What stands where there is no row.
    """
    cells: list[list] = [[nothing] * len(columns) for _ in lines]
    places = pd.Index(lines).get_indexer(rows[down]), pd.Index(columns).get_indexer(rows[across])
    for i, j, cell in zip(*places, rows[value].tolist(), strict=True):
        cells[i][j] = None if isinstance(cell, float) and isnan(cell) else cell
    return cells


def grids(
    rows: pd.DataFrame, down: str, across: str, lines: Sequence, columns: Sequence, **values: str
) -> dict[str, list[list]]:
    """Properties ``z``, ``text``, ... of a heatmap, each a `grid` of one column; no text without a row.

    Parameters
    ----------
    rows, down, across, lines, columns : see `grid`
    **values : the columns with the values, by what the heatmap calls them
    """
    return {
        name: grid(rows, down, across, lines, columns, column, "" if name == "text" else None)
        for name, column in values.items()
    }


def diagonal(low: float = -1, high: float = 1) -> dict:
    """A dotted trace on which both axes are equal."""
    line = {"color": GREY, "dash": "dot", "width": 1}
    shape = {"x": [low, high], "y": [low, high], "mode": "lines", "line": line}
    return shape | {"showlegend": False, "hoverinfo": "skip"}
