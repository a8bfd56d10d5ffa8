"""kit.theme: one visual language, a colour per family of metrics, a symbol per group of systems.

Colours are Okabe and Ito's, and a violet, told apart by people with any common colour vision and readable on
light and dark ground; members of a family also differ by dash and symbol. The page's script sets fonts, grids
and ground to suit the reader's theme, so figures say nothing of them. Called by the other modules of figures
only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

BLUE, SKY, GREEN, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#E69F00"
VERMILLION, PURPLE, VIOLET, GREY = "#D55E00", "#CC79A7", "#623DF5", "#8A8A8A"
DIVERGING = ((0, VERMILLION), (0.5, "#F2F2F2"), (1, BLUE))  # of a heatmap, such as correlations from -1 to 1
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, VIOLET, GREY)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "x")


@dataclass(frozen=True)
class Style:
    """Colour, dash and symbol of one trace."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


# by how the metric compares two texts; the first prefix that fits counts
_FAMILIES: tuple[tuple[str, Style], ...] = (
    ("ROUGE-1", Style(BLUE, "solid", "circle")),
    ("ROUGE-2", Style(BLUE, "dash", "diamond")),
    ("ROUGE-L", Style(BLUE, "dot", "square")),
    ("ROUGE", Style(BLUE, "dashdot", "cross")),
    ("BERTScore", Style(VERMILLION, "solid", "circle")),
    ("MoverScore", Style(VERMILLION, "dash", "diamond")),
    ("JS-2", Style(GREEN, "solid", "circle")),
    ("AutoSummENG", Style(GREEN, "dash", "diamond")),
    ("MeMoG", Style(GREEN, "dot", "square")),
    ("NPowER", Style(GREEN, "dashdot", "cross")),
    ("QAEval", Style(PURPLE, "solid", "circle")),
    ("LitePyramid", Style(GREY)),  # what people say of each unit
    ("Lite", Style(PURPLE, "dash", "diamond")),
    ("S3", Style(ORANGE, "solid", "circle")),
    ("METEOR", Style(SKY, "solid", "circle")),
    ("BEwT-E", Style(SKY, "dash", "diamond")),
    ("GeSERA", Style(VIOLET, "dash", "diamond")),
    ("SERA-NP", Style(VIOLET, "dot", "square")),
    ("SERA-DIS-NP", Style(VIOLET, "dot", "square")),
    ("SERA-KW", Style(VIOLET, "dashdot", "cross")),
    ("SERA-DIS-KW", Style(VIOLET, "dashdot", "cross")),
    ("SERA", Style(VIOLET, "solid", "circle")),
)
# what the metrics of a colour compare; those without one of these are a reader's own
_COMPARED = {
    BLUE: "ROUGE",
    VERMILLION: "embeddings",
    GREEN: "distributions and graphs",
    PURPLE: "units and questions",
    ORANGE: "learned from scores",
    SKY: "matched words",
    VIOLET: "search results",
}
# what is drawn again or shuffled: cold colours for intervals, warm ones for permutations
_METHODS = {
    "Boot-Systems": Style(SKY, "dash", "diamond"),
    "Boot-Inputs": Style(GREEN, "dot", "square"),
    "Boot-Both": Style(BLUE, "solid", "circle"),
    "Perm-Systems": Style(ORANGE, "dash", "diamond"),
    "Perm-Inputs": Style(VIOLET, "dot", "square"),
    "Perm-Both": Style(VERMILLION, "solid", "circle"),
    "Perm-Systems-and-Inputs": Style(PURPLE, "dashdot", "cross"),
}
GROUP_SYMBOLS = {"abs": "circle", "ext": "diamond", "mix": "square-open", "all": "triangle-up"}


def metric_style(metric: str) -> Style:
    """Colour, dash and symbol of a metric, the same in the whole book; grey for one of the reader's own."""
    return next((style for prefix, style in _FAMILIES if metric.startswith(prefix)), Style(GREY))


def metric_family(metric: str) -> str:
    """Units that a metric and the others of its colour compare, in words."""
    return _COMPARED.get(metric_style(metric).colour, "others")


def style_of(column: str, value: object, place: int) -> Style:
    """The style of a value of a column: the book's own, or the next colour, dash and symbol of a row.

    Parameters
    ----------
    column : what the traces differ in, such as ``metric``
    value : of that column
    place : int
        Which of the column's values it is, counted from 0.
    """
    if column == "metric":
        return metric_style(str(value))
    if column == "method":
        return _METHODS.get(str(value), Style(GREY, "dashdot", "cross"))  # grey for one by a formula
    if column in ("group", "system_type"):
        return Style(GREY, symbol=GROUP_SYMBOLS.get(str(value), "circle"))
    return Style(*(choices[place % len(choices)] for choices in (PALETTE, DASHES, SYMBOLS)))


def hollow(judges: Iterable[str]) -> dict[str, Style]:
    """Each judge's colour and symbol, of which one can see what lies behind."""
    styles = {judge: style_of("judge", judge, place) for place, judge in enumerate(dict.fromkeys(judges))}
    return {judge: replace(style, symbol=f"{style.symbol}-open") for judge, style in styles.items()}


def faint(colour: str, opacity: float = 0.2) -> str:
    """A colour written as ``#rrggbb`` for the ground of a band."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def correlation_axis(values: Iterable[float]) -> dict:
    """The axis of a correlation: from the tenth below all values, at least 0.03 away, to 1."""
    lowest = min((value for value in values if not math.isnan(value)), default=0)
    low = max(-1.05, math.floor(10 * lowest - 0.3) / 10)
    return {"range": [low, 1.05], "zeroline": True}


def share_axis(low: float = 0, high: float = 1, *, step: float = 0.5) -> dict:
    """The axis of a share, with ticks in percent as texts write them; Plotly's own lack the space.

    Ticks are nearer each other than `step` where the range holds fewer than two; of unknown ends it is that
    of all shares.
    """
    low, high = (0, 1) if math.isnan(low + high) else (low, high)
    for apart in (step, 0.1, 0.05, 0.02, 0.01):
        first, last = math.ceil(low / apart - 1e-9), math.floor(high / apart + 1e-9)
        ticks = [n * apart for n in range(first, last + 1)]
        if len(ticks) > 1:
            break
    return {
        "range": [low, high],
        "tickvals": ticks,
        "ticktext": [f"{100 * tick:g}\N{NO-BREAK SPACE}%" for tick in ticks],
    }


def log_axis(low: float, high: float) -> dict:
    """A logarithmic axis, its ticks written out; of Plotly's own some are digits and some thousands as k.

    Where fewer than two would stand between its ends, they stand at these.
    """
    steps = (1, 2, 5) if high < 100 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [tick for power in powers for step in steps if low <= (tick := step * 10**power) <= high]
    ticks = ticks if len(ticks) > 1 else sorted({low, high})
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def shared_layout(names: Iterable[str], *, height: float) -> dict:
    """The layout that all figures share.

    Parameters
    ----------
    names : of the legend's entries
    height : float
        Of the whole figure on a wide screen, in pixels.
    """
    # a guess at how many lines the legend takes on a page; it grows from the figure's edge
    lines = math.ceil(sum(60 + 7 * len(name) for name in set(names)) / 620)
    # above there are also the buttons of Plotly
    return {
        "height": height,
        "margin": {"l": 60, "r": 20, "t": 45 + 29 * lines, "b": 55},
        "legend": {"orientation": "h", "yref": "container", "x": 0, "yanchor": "top", "y": 1 - 26 / height},
        "hoverlabel": {"namelength": -1},
        "template": "none",
    }


def dropdown(name: str, labels: list[str], arguments: list[dict], *, method: str = "restyle") -> dict:
    """A dropdown whose choices restyle all traces; the page shows it as a native control.

    Two dropdowns of one figure must not change the same attribute.
    """
    buttons = [
        {"label": label, "method": method, "args": [change]}
        for label, change in zip(labels, arguments, strict=True)
    ]
    return {"type": "dropdown", "name": name, "buttons": buttons, "x": 1, "xanchor": "right", "y": 1.2}
