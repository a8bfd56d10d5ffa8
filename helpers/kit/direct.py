"""kit.direct: names beside lines and points, in place of a legend. Called by `helpers.kit.panels`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from helpers.kit.theme import GREY

MAX_NAMED = 8  # series of a panel that can be told apart by names beside them
_MAX_LANES = 4  # series below each other in a row
_SHARE = 0.4  # of a figure's width that a panel needs for names beside points
_MAX_LETTERS = 30  # of such a name
_LINE = 16  # pixels from one name to the next
_AROUND = 100  # pixels of a figure above and below its panels
_WIDTH = 540  # pixels of all panels beside each other, about
_SIGNS = {
    "diamond": "◆", "square": "■", "square-open": "□", "cross": "✚", "triangle-up": "▲", "x": "✖",
    "circle-open": "○", "diamond-open": "◇",
}  # fmt: skip


def names_beside(series: Sequence[Mapping], x: Mapping, y: Mapping, height: float) -> list[dict[str, Any]]:
    """Traces with the names of the series of one panel: at the ends of lines, or in their highest row.

    Parameters
    ----------
    series : traces of the panel, in Plotly's words
    x, y : its axes, y with the ends of its range, of a logarithmic one the exponents
    height : of the figure, in pixels

    Returns
    -------
    list of traces
        None where the series are neither lines nor few points in each row with room beside them.
    """
    if all("lines" in trace.get("mode", "") and not isinstance(trace["y"][0], str) for trace in series):
        return [_line_names(series, x, y, height)]
    has_lanes = len(series) <= _MAX_LANES and all(trace.get("orientation") == "h" for trace in series)
    if has_lanes and x["domain"][1] - x["domain"][0] > _SHARE and max(map(_length, series)) <= _MAX_LETTERS:
        rows = {name: place for place, name in enumerate(y.get("categoryarray", ()))}
        return [_row_name(trace, rows) for trace in series]
    return []


def _length(trace: Mapping) -> int:
    return len(trace["name"])


def _names(trace: Mapping, x: Sequence, y: Sequence, text: Sequence[str], **more: Any) -> dict[str, Any]:
    quiet = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    axes = {letter: trace[letter] for letter in ("xaxis", "yaxis")}
    words = {"type": "scatter", "mode": "text", "textposition": "middle right", "text": text}
    return axes | words | quiet | {"x": list(x), "y": list(y), **more}


def _text(trace: Mapping) -> str:
    marker = trace.get("marker", {})
    colour = marker.get("color") or trace["line"]["color"]
    sign = _SIGNS.get(marker.get("symbol", ""), "●") if isinstance(marker.get("symbol", ""), str) else "●"
    return f'<span style="color:{colour if isinstance(colour, str) else GREY}">{sign}</span> {trace["name"]}'


def _row_name(trace: Mapping, rows: Mapping[str, int]) -> dict[str, Any]:
    """Name of a series right of its point, or of the bar around it, in the highest row that has one."""
    reach = trace.get("error_x", {}).get("array") or [0] * len(trace["x"])
    places = [k for k, value in enumerate(trace["x"]) if value is not None and not np.isnan(value)]
    top = max(places, key=lambda k: rows.get(trace["y"][k], 0))
    lane = {key: trace[key] for key in ("offsetgroup", "alignmentgroup", "orientation") if key in trace}
    end = trace["x"][top] + reach[top]
    text = [f"\N{EN SPACE}{_text(trace)}"]
    return _names(trace, [end], [trace["y"][top]], text, textfont={"size": 11}, meta="rows", **lane)


def _line_names(lines: Sequence[Mapping], x: Mapping, y: Mapping, height: float) -> dict[str, Any]:
    """Name of each line beside its last point, names apart from each other."""
    scale = np.log10 if y.get("type") == "log" else np.asarray
    drawn = [(line, scale(np.array(line["y"], dtype=float))) for line in lines]
    drawn = [(line, values) for line, values in drawn if not np.isnan(values).all()]
    low, high = y["range"]
    apart = _LINE * abs(high - low) / ((y["domain"][1] - y["domain"][0]) * max(height - _AROUND, 1))
    ends = [_last(line["x"], values, x) for line, values in drawn]
    at = spread([values[end] for (_, values), end in zip(drawn, ends, strict=True)], apart)
    at -= max(0, at.max() - max(low, high))  # names above a panel would be cut off
    right = [line["x"][end] for (line, _), end in zip(drawn, ends, strict=True)]
    text = [f"\N{EM SPACE}{_text(line)}" for line, _ in drawn]
    return _names(lines[0], right, (10**at if scale is np.log10 else at).tolist(), text, meta="lines")


def _last(x: Sequence, values: np.ndarray, axis: Mapping) -> int:
    """Place of the point of a line that is drawn furthest to the right."""
    places = np.flatnonzero(~np.isnan(values))
    if isinstance(x[places[0]], str):
        return int(places[-1])
    ends = axis.get("range", (0, 1))
    is_reversed = ends[0] > ends[1] or axis.get("autorange") == "reversed"
    return int(places[np.argmax(np.array(x, dtype=float)[places] * (-1 if is_reversed else 1))])


def room_beside(names: Mapping, axes: Mapping[str, Mapping], n_columns: int) -> float:
    """Pixels right of the panels that a trace of names needs."""
    longest = 20 + 6.6 * max(len(re.sub("<[^>]*>", "", text)) for text in names["text"])
    ends = axes[names["xaxis"].replace("x", "xaxis")].get("range")
    if names["meta"] == "lines" or ends is None:
        return longest
    return max(0, longest - _WIDTH / n_columns * (ends[1] - names["x"][0]) / (ends[1] - ends[0]))


def spread(values: Sequence[float], apart: float) -> np.ndarray:
    """The places nearest to values, in their order, at which neighbours are at least `apart`.

    Examples
    --------
    >>> spread([0.5, 0.5, 2], 1).tolist()
    [0.0, 1.0, 2.0]
    """
    order = np.argsort(values, kind="stable")
    steps = apart * np.arange(len(values))
    places = np.empty(len(values))
    places[order] = isotonic_regression(np.asarray(values, dtype=float)[order] - steps).x + steps
    return places
