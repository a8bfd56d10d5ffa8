"""figures.speed: how fast the engine draws, and how its time grows.

Draws the recorded measurements of `helpers.papers.timings`; called by the notebook speed.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.marks import marks
from helpers.figures.panels import Panels
from helpers.figures.theme import BLUE, PALETTE, VERMILLION, Style, log_axis
from helpers.labels import words
from helpers.wording import significant

_GROWTH = {
    ("pearson", "system"): Style(BLUE, "solid", "circle"),
    ("pearson", "summary"): Style(BLUE, "dash", "diamond"),
    ("kendall", "system"): Style(VERMILLION, "solid", "circle"),
    ("kendall", "summary"): Style(VERMILLION, "dash", "diamond"),
}


def speed_bars(bench: pd.DataFrame) -> go.Figure:
    """How many times faster than a peer, on a logarithmic axis.

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    shown = bench[bench["part"] == "peer"].iloc[::-1]
    sheet = Panels()
    for (peer, rows), colour in zip(shown.groupby("peer"), PALETTE, strict=False):
        pairs = zip(rows["ours_ms"], rows["peer_ms"], strict=True)
        said = [f"{significant(a, 3)} ms against {significant(b, 3)} ms per draw" for a, b in pairs]
        kinds = rows[["method", "level", "coefficient"]].itertuples(index=False)
        trace = {
            "type": "bar",
            "x": rows["ratio"].tolist(),
            "y": [f"{m}, {words('level', level)}, {words('coefficient', c)}" for m, level, c in kinds],
            "orientation": "h",
            "name": f"against {peer}",
            "marker": {"color": colour},
            "customdata": said,
            "hovertemplate": "<b>%{y}</b><br>%{x:,.3r} times faster: %{customdata}<extra></extra>",
        }
        sheet.add(trace)
    sheet.x(title="times faster", **log_axis(1, shown["ratio"].max()))
    sheet.y(title="one draw of", automargin=True)
    return sheet.figure(height=170 + 28 * len(shown))


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
