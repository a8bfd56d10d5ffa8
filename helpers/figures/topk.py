"""figures.topk: what is left of a correlation when only the best systems are compared.

Draws the tables of `helpers.experiments.topk`; called by the notebook topk
and by live blocks.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.theme import correlation_axis

_SYMBOLS = 10  # of a line


def top_k_curves(results: pd.DataFrame, *, beside: pd.DataFrame | None = None) -> go.Figure:
    """One panel per group of systems, one line per metric over *k*; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.topk.table` for one data set
        Intervals stand in the hover: those of many lines would hide each other.
    beside : DataFrame of `helpers.experiments.topk.table`, optional
        Of a figure to compare this one with: the axis has room for its correlations as well.
    """
    sheet = marks(
        results,
        x="k",
        y="value",
        mode="lines+markers",
        panel="group",
        series="metric",
        menu="coefficient",
        bars=False,
        digits=2,
        size=6,
        gap=0.03,
    )
    for trace in sheet.data:
        trace["marker"]["maxdisplayed"] = _SYMBOLS  # among more the dashes would not show
    shown = results["value"] if beside is None else pd.concat([results["value"], beside["value"]])
    sheet.x(title="best systems, k", dtick=4 if results["k"].max() <= 30 else 10)
    return (
        sheet.y(**correlation_axis(shown))
        .menu("Coefficient", "coefficient")
        .figure(height=480, legend_above=True)
    )


def top_k_dots(results: pd.DataFrame) -> go.Figure:
    """All metrics at one *k*, which a slider moves; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.topk.table` for one data set
        Columns low and high, where there are any, are drawn as bars.
    """
    ks = results["k"].unique()
    metrics = ordered(results[results["k"] == ks.max()])
    sheet = marks(
        results,
        x="value",
        y="metric",
        series="group",
        colour="metric",
        menu="coefficient",
        moved_by="k",
        start=min(sorted(ks), key=lambda k: abs(k - 10)),
        order=metrics,
        digits=2,
        size=10,
    )
    sheet.x(
        title="correlation on the top k", **correlation_axis([*results["value"], *results.get("low", [])])
    )
    sheet.menu("Coefficient", "coefficient").slider("k", about="Number of best systems, k")
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))
