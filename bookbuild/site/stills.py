"""site.stills: a figure as a picture, which stands in its place until it is drawn, and without scripts.

Where a page is shared, the picture of its first figure stands beside the link. Drawn by Matplotlib, which
needs no browser, from Plotly's JSON, as the figure looks at first: its first row of panels with the visible
traces. Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FormatStrFormatter, MaxNLocator, NullLocator
from PIL import Image
from PIL.PngImagePlugin import PngInfo

WIDTH, MAX_HEIGHT = 700, 640  # px on the page
SCALE = 1.5  # of the file's pixels to those
_DOTS = 100  # to the inch
_DIGEST = "made of"  # a note in the file
_TEXT, _MUTED, _GRID = "#1f2933", "#59636e", "#e1e5ea"
_COLOURS = 64  # of the file; a drawing has few, and edges of letters need the rest
_PANELS, _LINES, _ENTRIES = 3, 12, 8  # that can be read: panels side by side, categories, names in the legend
_LONG, _FOOT = 26, 120  # characters of a line: of a category, of the legend

_MARKS = {
    "circle": "o", "diamond": "D", "square": "s", "cross": "P", "triangle-up": "^", "triangle-down": "v",
    "x": "X", "star": "*", "line-ns": "|", "line-ew": "_",
}  # fmt: skip
_DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}


def draw(file: Path, figure: Mapping[str, Any], height: int) -> None:
    """Write the picture of a figure, unless the file holds it: drawing takes a quarter of a second."""
    digest = hashlib.sha256(json.dumps([figure, height]).encode()).hexdigest()
    if file.is_file():
        with Image.open(file) as there:
            if there.info.get(_DIGEST) == digest:
                return
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(picture(figure, height, digest))


def picture(figure: Mapping[str, Any], height: int, digest: str = "") -> bytes:
    """The picture of a figure as a PNG.

    Parameters
    ----------
    figure : mapping
        In Plotly's words.
    height : int
        In px on the page, cut to `MAX_HEIGHT`.
    digest : str
        Noted in the file.
    """
    size = (WIDTH / _DOTS, min(height, MAX_HEIGHT) / _DOTS)
    card = Figure(figsize=size, dpi=SCALE * _DOTS, facecolor="white", layout="constrained")
    _draw(card, figure)
    return _as_png(card, digest)


def _as_png(card: Figure, digest: str) -> bytes:
    drawn = FigureCanvasAgg(card)
    drawn.draw()  # once: `savefig` would draw a second time and write a file
    small = BytesIO()
    noted = PngInfo()
    noted.add_text(_DIGEST, digest)
    palette = Image.fromarray(np.asarray(drawn.buffer_rgba())).convert("RGB").quantize(_COLOURS)
    palette.save(small, format="png", optimize=True, pnginfo=noted)
    return small.getvalue()


def _draw(card: Figure, figure: Mapping[str, Any]) -> None:
    """Draw the first row of a figure's panels, as many as are readable."""
    layout = figure["layout"]
    visible = [trace for trace in figure["data"] if trace.get("visible", True) is True]
    visible = [trace for trace in visible if trace.get("meta") is None]  # names have a legend here
    places = {_of(trace) for trace in visible}
    high = max(_domain(layout, y)[1] for _, y in places)
    row = sorted(
        (pair for pair in places if _domain(layout, pair[1])[1] == high),
        key=lambda pair: _domain(layout, pair[0]),
    )[:_PANELS]
    shares = [np.diff(_domain(layout, x)).item() for x, _ in row]
    panels = card.subplots(1, len(row), squeeze=False, width_ratios=shares)[0]
    entries: dict[str, Any] = {}
    for panel, (x, y) in zip(panels, row, strict=True):
        own = [trace for trace in visible if _of(trace) == (x, y)]
        axes = {"x": _Axis(layout, x, "x", own), "y": _Axis(layout, y, "y", own)}
        _traces(panel, own, axes, layout, entries)
        middle = np.mean(_domain(layout, x))
        heads = [note for note in layout.get("annotations", ()) if note.get("name") == "column"]
        for note in heads:
            if abs(note["x"] - middle) < 0.01:
                lines = map(_plain, note["text"].split("<br>"))
                panel.set_title("\n".join(lines), size=13, color=_TEXT)
        for shape in layout.get("shapes", ()):
            if (shape["xref"].split()[0], shape["yref"].split()[0]) == (x, y):
                rule = panel.axhline if "domain" in shape["xref"] else panel.axvline
                rule(shape["y0" if "domain" in shape["xref"] else "x0"], color=_MUTED, ls=":", lw=1.2)
        for letter in "xy":
            axes[letter].settle(panel, with_labels=letter == "x" or panel is panels[0])
    for note in layout.get("annotations", ()):
        if note.get("textangle"):  # that the data are simulated
            middle = {"ha": "center", "va": "center", "rotation": 15}
            card.text(0.5, 0.42, note["text"], size=60, color="#8a6d00", alpha=0.2, **middle)
    if 1 < len(entries) <= _ENTRIES:
        ncols = max(1, min(len(entries), _FOOT // (6 + max(map(len, entries)))))
        keys = [Line2D([], [], **look) for look in entries.values()]
        card.legend(keys, entries, loc="outside lower center", ncols=ncols, frameon=False, fontsize=12)


def _of(trace: Mapping) -> tuple[str, str]:
    return trace.get("xaxis", "x"), trace.get("yaxis", "y")


def _settings(layout: Mapping, name: str) -> Mapping:
    return layout.get(f"{name[0]}axis{name[1:]}", {})


def _domain(layout: Mapping, name: str) -> list[float]:
    return _settings(layout, name).get("domain", [0, 1])


def _plain(text: str) -> str:
    """Plotly's text without its marks, on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


class _Axis:
    """One axis of a panel: positions of its categories, and its labels."""

    def __init__(self, layout: Mapping, name: str, letter: str, traces: Iterable[Mapping]):
        self.letter, self.own = letter, _settings(layout, name)
        values = [value for trace in traces for value in trace.get(letter) or ()]
        held = any(isinstance(value, str) for value in values)
        listed = self.own.get("categoryarray") or list(dict.fromkeys(v for v in values if v is not None))
        self.categories = [one for one in listed if one in set(values)] if held else []
        title = self.own.get("title") or {}
        named = [n for n in layout.get("annotations", ()) if n.get("name") == letter]
        lowest = f"{letter}axis{str(self.own.get('matches', ''))[1:]}"
        text = title.get("text") or layout.get(lowest, {}).get("title", {}).get("text", "")
        self.title = _plain(text or (named[0]["text"] if named else ""))
        # of an axis of its own the labels are hidden where another panel below or beside it has them
        self.labelled = letter == "x" or self.own.get("showticklabels", True)

    def at(self, values: Sequence) -> np.ndarray:
        """Positions of values on the axis; NaN where one is missing."""
        if not self.categories:
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        place = {value: i for i, value in enumerate(self.categories)}
        return np.array([place.get(value, np.nan) for value in values], dtype=float)

    def settle(self, panel: Axes, *, with_labels: bool) -> None:
        """Set scale, range, ticks and title."""
        axis, limits = getattr(panel, f"{self.letter}axis"), getattr(panel, f"set_{self.letter}lim")
        own = self.own
        if own.get("type") == "log":
            getattr(panel, f"set_{self.letter}scale")("log")
            axis.set_minor_locator(NullLocator())
            axis.set_major_formatter(FormatStrFormatter("%g"))
        elif not self.categories:
            dtick = own.get("dtick")  # as counts of places have it
            steps = {"integer": True} if dtick and dtick >= 1 else {"steps": [1, 2, 5, 10]}
            axis.set_major_locator(MaxNLocator(5, **steps))
        if self.categories:
            lines = 2 if len(self.categories) <= _LINES // 2 else 1
            names = [
                textwrap.fill(_plain(str(one)), _LONG, max_lines=lines, placeholder=" …")
                for one in self.categories
            ]
            turned = {"rotation": 35, "ha": "right"} if self.letter == "x" and len(names) > 4 else {}
            axis.set_ticks(range(len(names)), names, **turned)
            first = own.get("autorange") == "reversed"
            low, high = -0.6, len(names) - 0.4
            if (
                self.letter == "y" and len(names) > _LINES
            ):  # the uppermost, in a figure that would be too high
                low, high = (low, _LINES - 0.4) if first else (len(names) - _LINES - 0.4, high)
            limits((high, low) if first else (low, high))
        elif own.get("range"):
            ends = np.array(own["range"], dtype=float)
            limits(10**ends if own.get("type") == "log" else ends)
        elif own.get("autorange") == "reversed":
            getattr(panel, f"invert_{self.letter}axis")()
        if own.get("tickvals") and not self.categories:
            low, high = sorted(getattr(panel, f"get_{self.letter}lim")())
            texts = own.get("ticktext") or [f"{value:g}" for value in own["tickvals"]]
            ticks = [(v, t) for v, t in zip(own["tickvals"], texts, strict=True) if low <= v <= high]
            axis.set_ticks(*zip(*ticks, strict=True))
        if with_labels and self.title:
            axis.set_label_text(self.title, size=13, color=_TEXT)
        axis.set_tick_params(labelsize=12, labelcolor=_TEXT, color=_GRID)
        if not with_labels:
            axis.set_tick_params(**{"labelleft": False})


def _traces(panel: Axes, traces: Sequence[Mapping], axes: Mapping, layout: Mapping, entries: dict) -> None:
    panel.set_axisbelow(True)
    panel.grid(color=_GRID, lw=0.8)
    panel.spines[:].set_color(_GRID)
    groups = list(dict.fromkeys(trace["offsetgroup"] for trace in traces if "offsetgroup" in trace))
    grouped = layout.get("scattermode") == "group" and len(groups) > 1
    room = 1 - layout.get("scattergap", 0.3)
    stacked = layout.get("barmode") == "stack"
    ends: dict[float, float] = {}
    total: dict[Any, float] = {}
    for trace in traces:
        if trace["type"] == "bar" and layout.get("barnorm"):
            for place, value in zip(trace["y"], trace["x"], strict=True):
                total[place] = total.get(place, 0) + (value or 0)
    for trace in traces:
        kind = trace["type"]
        x, y = (axes[letter].at(trace[letter]) for letter in "xy")
        if kind == "heatmap" or kind == "contour":
            _field(panel, trace, x, y)
        elif kind == "bar":
            if total:
                x = np.array([100 * v / total[place] for v, place in zip(x, trace["y"], strict=True)])
            begin = (
                np.array([ends.get(place, 0) for place in y])
                if stacked
                else axes["x"].at(trace.get("base", [0] * len(y)))
            )
            if stacked:
                ends |= dict(zip(y, begin + np.nan_to_num(x), strict=True))
            panel.barh(y, x, left=begin, height=trace.get("width", 0.7), color=_whole(trace))
        else:
            if grouped and "offsetgroup" in trace:
                shift = ((groups.index(trace["offsetgroup"]) + 0.5) / len(groups) - 0.5) * room
                if trace.get("orientation") == "h":
                    y = y - shift if axes["y"].own.get("autorange") == "reversed" else y + shift
                else:
                    x = x + shift
            _points(panel, trace, x, y)
        if trace.get("name") and trace.get("showlegend", True) and kind in ("bar", "scatter"):
            entries.setdefault(_plain(trace["name"]), _key(trace))


def _field(panel: Axes, trace: Mapping, x: np.ndarray, y: np.ndarray) -> None:
    """Draw cells, or the areas between contour lines."""
    scale = [(place, _colour(colour)) for place, colour in trace["colorscale"]]
    colours = LinearSegmentedColormap.from_list("", scale)
    cells = np.array([[np.nan if v is None else v for v in line] for line in trace["z"]], dtype=float)
    ends = {"vmin": trace.get("zmin"), "vmax": trace.get("zmax")}
    if trace["type"] == "contour":
        panel.contourf(x, y, cells, levels=9, cmap=colours, **ends)
    else:
        panel.pcolormesh(x, y, cells, cmap=colours, edgecolors="white", linewidth=1.5, **ends)


def _points(panel: Axes, trace: Mapping, x: np.ndarray, y: np.ndarray) -> None:
    """Draw points, lines, or the area between two."""
    mode = trace.get("mode", "lines")
    if trace.get("fill") == "toself":
        panel.fill(x, y, color=_colour(trace["fillcolor"]), lw=0)
    whole = _whole(trace)
    for bar, along in (("error_x", "xerr"), ("error_y", "yerr")):
        if trace.get(bar, {}).get("array"):
            sizes = [trace[bar].get(side, trace[bar]["array"]) for side in ("arrayminus", "array")]
            reach = {along: np.nan_to_num(np.array(sizes, dtype=float))}
            colour = trace[bar].get("color") or (whole if isinstance(whole, str) else _MUTED)
            panel.errorbar(x, y, fmt="none", ecolor=_colour(colour), lw=1.5, **reach)
    if mode == "text" and len(set(trace["text"])) == 1:  # a mark, and no words
        panel.plot(x, y, ls="", marker=f"${trace['text'][0]}$", ms=12, color=_TEXT)
    if "lines" in mode:
        panel.plot(x, y, **_stroke(trace))
    if "markers" in mode:
        marker = trace.get("marker", {})
        symbols, size = marker.get("symbol", "circle"), marker.get("size", 9)
        symbol_by_point = [symbols] * len(x) if isinstance(symbols, str) else symbols
        colours = [whole] * len(x) if isinstance(whole, str) else whole
        for symbol, colour in dict.fromkeys(zip(symbol_by_point, colours, strict=True)):
            pairs = zip(symbol_by_point, colours, strict=True)
            here = [i for i, look in enumerate(pairs) if look == (symbol, colour)]
            panel.plot(x[here], y[here], **_symbol(symbol, colour, size))


def _key(trace: Mapping) -> dict[str, Any]:
    """Line and marker of a trace in the legend."""
    marker, mode = trace.get("marker", {}), trace.get("mode", "markers")
    symbol = marker.get("symbol", "square" if trace["type"] == "bar" else "circle")
    colour = _whole(trace)
    first = [one if isinstance(one, str) else next(iter(one)) for one in (symbol, colour)]
    look = _symbol(*first, 9) if "markers" in mode else {}
    return look | (_stroke(trace) if "lines" in mode else {})


def _whole(trace: Mapping) -> Any:
    """The colour of a trace, or those of its points."""
    return trace.get("marker", {}).get("color") or trace.get("line", {}).get("color") or _MUTED


def _stroke(trace: Mapping) -> dict[str, Any]:
    line = trace.get("line", {})
    look = {"ls": _DASHES.get(line.get("dash", "solid"), "-"), "lw": line.get("width", 2)}
    return look | {"color": _colour(line.get("color") or _MUTED)}


def _symbol(symbol: str, colour: str, size: Any) -> dict[str, Any]:
    shape, is_open = _MARKS.get(symbol.removesuffix("-open"), "o"), symbol.endswith("-open")
    ground = "none" if is_open else _colour(colour)
    points = 0.72 * (size if isinstance(size, int | float) else 9)  # of a pixel
    edge = {"markeredgecolor": _colour(colour), "markeredgewidth": 1.5}
    return {"marker": shape, "ls": "", "markersize": points, "markerfacecolor": ground, **edge}


def _colour(written: str) -> Any:
    """A colour in Matplotlib's words, of ``rgba(r,g,b,a)``."""
    if not written.startswith("rgba"):
        return written
    *rgb, alpha = map(float, re.findall(r"[\d.]+", written))
    return (*(part / 255 for part in rgb), alpha)
