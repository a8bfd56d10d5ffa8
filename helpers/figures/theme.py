"""One visual language: a colour a metric family, a symbol a group of systems, the same axes everywhere.

Colours are Okabe and Ito's, told apart by people with any common colour vision and readable on light and dark
ground; members of a family differ by dash and symbol as well. The page's script sets fonts, grids and ground
to suit the reader's theme, so figures say nothing of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

BLUE, SKY, GREEN, ORANGE = "#0072B2", "#56B4E9", "#009E73", "#E69F00"
VERMILLION, PURPLE, OLIVE, GREY = "#D55E00", "#CC79A7", "#A6A000", "#8A8A8A"


@dataclass(frozen=True)
class Style:
    """How one metric is drawn."""

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
    ("Lite", Style(PURPLE, "dash", "diamond")),
    ("S3", Style(ORANGE, "solid", "circle")),
    ("METEOR", Style(SKY, "solid", "circle")),
    ("BEwT-E", Style(SKY, "dash", "diamond")),
    ("GeSERA", Style(OLIVE, "dash", "diamond")),
    ("SERA-NP", Style(OLIVE, "dot", "square")),
    ("SERA-DIS-NP", Style(OLIVE, "dot", "square")),
    ("SERA-KW", Style(OLIVE, "dashdot", "cross")),
    ("SERA-DIS-KW", Style(OLIVE, "dashdot", "cross")),
    ("SERA", Style(OLIVE, "solid", "circle")),
)

GROUP_SYMBOLS = {"abs": "circle", "ext": "diamond", "mix": "square-open", "all": "circle"}
GROUP_LABELS = {
    "abs": "abstractive",
    "ext": "extractive",
    "mix": "abstractive and extractive",
    "all": "all systems",
}
COEFFICIENT_LABELS = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ"}
LEVEL_LABELS = {"system": "systems", "summary": "summaries", "global": "all summaries at once"}


def metric_style(metric: str) -> Style:
    """Colour, dash and symbol of a metric, the same in the whole book; grey for one of the reader's own."""
    return next((style for prefix, style in _FAMILIES if metric.startswith(prefix)), Style(GREY))


def correlation_axis(values: Iterable[float]) -> dict:
    """The axis of a correlation: from -0.5 to 1 in every figure, from -1 where values need it."""
    lowest = min((value for value in values if not math.isnan(value)), default=0)
    low = -0.5 if lowest >= -0.5 else -1
    return {"range": [low - 0.05, 1.05], "dtick": 0.5, "tick0": 0, "zeroline": True}


def error_bars(value, low, high, *, colour: str | None = GREY, thickness: float = 1.5) -> dict:
    """Error bars from `low` to `high`: what a trace takes as ``error_x`` or ``error_y``.

    A percentile interval need not hold the value; then the bar ends there. Without bounds there is no bar.
    """
    value, low, high = (np.asarray(numbers, dtype=float) for numbers in (value, low, high))
    above, below = (np.nan_to_num(np.maximum(side, 0)).round(5) for side in (high - value, value - low))
    bars = {"type": "data", "symmetric": False, "array": above.tolist(), "arrayminus": below.tolist()}
    return bars | {"width": 0, "thickness": thickness} | ({"color": colour} if colour else {})


def moved(parts: Sequence[pd.DataFrame]) -> dict:
    """What a control changes to show other values, a part a trace, with their bars where they have bounds.

    Whether the bars are visible is left to other controls.
    """
    change = {"x": [rows["value"].tolist() for rows in parts]}
    if all({"low", "high"} <= set(rows) for rows in parts):
        bars = [error_bars(rows["value"], rows["low"], rows["high"]) for rows in parts]
        change |= {f"error_x.{side}": [bar[side] for bar in bars] for side in ("array", "arrayminus")}
    return change


def layout(figure: go.Figure, *, height: int, **settings) -> go.Figure:
    """The layout all figures share."""
    named = {trace.name for trace in figure.data if trace.name and trace.showlegend is not False}
    # a guess at how many lines the legend takes on a page; it grows upwards from the figure's lower edge
    lines = math.ceil(sum(60 + 7 * len(name) for name in named) / 620)
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 20, "t": 45, "b": 55 + 22 * lines},
        legend={"orientation": "h", "yanchor": "bottom", "yref": "container", "y": 0, "x": 0},
        hoverlabel={"namelength": -1},
        template="none",
        **settings,
    )
    return figure


def dropdown(
    name: str,
    labels: list[str],
    arguments: list[dict],
    *,
    method: str = "restyle",
    traces: list[int] | None = None,
) -> dict:
    """A dropdown whose choices restyle traces; the page shows it as a native control.

    `traces` are the numbers of the traces that a choice changes, by default all. Two dropdowns of one figure
    must not change the same attribute.
    """
    only = [] if traces is None else [traces]
    buttons = [
        {"label": label, "method": method, "args": [change, *only]}
        for label, change in zip(labels, arguments, strict=True)
    ]
    return {"type": "dropdown", "name": name, "buttons": buttons, "x": 1, "xanchor": "right", "y": 1.2}
