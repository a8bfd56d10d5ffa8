"""figures.speed: how fast the engine draws, and how its time grows.

Draws the recorded measurements of `helpers.kit.timings`; called by the notebook speed.
"""

from __future__ import annotations

from math import log10

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, PALETTE, SYMBOLS, VERMILLION, Style
from metaeval.tables.labels import words

_GROWTH = {
    ("pearson", "system"): Style(BLUE, "solid", "circle"),
    ("pearson", "summary"): Style(BLUE, "dash", "diamond"),
    ("kendall", "system"): Style(VERMILLION, "solid", "circle"),
    ("kendall", "summary"): Style(VERMILLION, "dash", "diamond"),
}


def speed_dots(bench: pd.DataFrame) -> go.Figure:
    """How many times faster than other tools, on a logarithmic axis from 1 (as fast) or less (slower).

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    shown = bench[bench["part"] == "peer"]
    rows = shown.assign(coefficient=[words("coefficient", one) for one in shown["coefficient"]])
    kinds = rows[["method", "peer"]].drop_duplicates().reset_index(drop=True)
    colours = dict(zip(rows["peer"].unique(), PALETTE, strict=False))
    sheet = marks(
        rows.assign(ours=1000 * rows["ours_ms"], other=1000 * rows["peer_ms"]),
        x="ratio",
        y="coefficient",
        order=rows["coefficient"].unique()[::-1].tolist(),
        panel="level",
        series=["method", "peer"],
        style={
            (kind.method, kind.peer): Style(colours[kind.peer], symbol=SYMBOLS[kind.Index])
            for kind in kinds.itertuples()
        },
        hover=["ours", "other"],
        labels={"ours": "this book (µs)", "other": "other tool (µs)"},
        digits=1,
    )
    # fewer ticks than powers, of which a phone has no room for all
    ends = [log10(min(1, rows["ratio"].min())), log10(rows["ratio"].max()) + 0.1]
    ticks = {"dtick": 2, "tickformat": ",", "range": ends}
    return sheet.x(type="log", **ticks).figure(height=330)


def growth_curves(bench: pd.DataFrame) -> go.Figure:
    """Seconds of a whole bootstrap as systems, documents and draws grow, on logarithmic axes.

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    rows = bench[bench["part"] == "growth"].astype({"size": int})
    sheet = marks(
        rows,
        x="size",
        y="seconds",
        mode="lines+markers",
        panel="along",
        series=["coefficient", "level"],
        style=_GROWTH,
        titles=[""] * rows["along"].nunique(),
        size=6,
        digits=5,
    )
    for along in sheet.names:
        sizes = sorted(rows.loc[rows["along"] == along, "size"].unique())
        ticks = {"tickvals": sizes[::2], "ticktext": [f"{size:,}" for size in sizes[::2]]}
        sheet.axis("x", along, title={"text": f"number of {along}"}, **ticks)
    return sheet.x(type="log").y(type="log", dtick=1, tickformat="~g").figure(height=420)
