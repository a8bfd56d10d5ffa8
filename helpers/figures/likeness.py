"""figures.likeness: simulated beside real, points on a diagonal and curves in bands.

Draws the tables of `helpers.experiments.likeness`; called by the notebook likeness and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels, band, diagonal
from helpers.kit.theme import correlation_axis, metric_style


def likeness_scatter(joined: pd.DataFrame) -> go.Figure:
    """Simulated against real correlations, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    joined : DataFrame of `helpers.experiments.likeness.beside` for correlations
    """
    titles = {} if len(joined) else {"titles": ["no real results in this run"]}
    sheet = marks(
        joined,
        x="value",
        y="q50",
        panel="level",
        series="group",
        colour="metric",
        labels={"value": "real correlation", "q50": "simulated correlation (median of draws)"},
        menu="coefficient",
        point="metric",
        hover=["dataset"],
        ends=("q5", "q95"),
        digits=2,
        size=8,
        own_x=True,
        own_y=True,
        gap=0.1,
        **titles,
    )
    for level in sheet.names:
        sheet.add(diagonal(), level, first=True)
    for level, part in joined.groupby("level"):  # one level would fill a corner of the other's range
        ends = [float(part[["value", "q5", "q95"]].agg(end).agg(end)) for end in ("min", "max")]
        for letter in "xy":
            sheet.axis(letter, level, range=[ends[0] - 0.05, ends[1] + 0.05])
    return sheet.menu("Coefficient", "coefficient").figure(height=520)


def likeness_curves(compared: pd.DataFrame, *, x: str, panels: str, title: str) -> go.Figure:
    """Real curves in the band of simulated ones, one panel per value of `panels`; a dropdown for the metric.

    Parameters
    ----------
    compared : DataFrame of `helpers.experiments.likeness.compare`
        With columns `x`, `panels` and, unless all rows belong together, metric.
    x, panels : names of columns
    title : str
        Of the axis of `x`.
    """
    compared = (compared if "metric" in compared else compared.assign(metric="")).sort_values(
        x, kind="stable"
    )
    are_correlations = x in ("k", "percent")
    sheet = Panels(compared[panels].unique(), column=panels, gap=0.05, own_y=not are_correlations)
    for (metric, name), part in compared.groupby(["metric", panels], sort=False):
        colour, of = metric_style(metric).colour, {"metric": metric}
        drawn = part[part["data"] == "simulated"]
        ground = band(drawn[x], drawn["q5"], drawn["q95"], colour, name="simulated, 90 % of draws")
        sheet.add(ground, name, of=of)
        for data, dash in (("simulated, this book", "dot"), ("real", "solid")):
            rows = part[part["data"] == data]
            trace = {
                "x": rows[x].tolist(),
                "y": rows["value"].tolist(),
                "mode": "lines+markers" if data == "real" else "lines",
                "name": data,
                "line": {"color": colour, "dash": dash, "width": 2},
                "marker": {"size": 5},
                "hovertemplate": f"<b>{data}</b><br>{title}: %{{x}}<br>%{{y:.2f}}<extra></extra>",
            }
            sheet.add(trace, name, of=of)
    if are_correlations:
        sheet.y(title="correlation with people", **correlation_axis([*compared["value"], *compared["q5"]]))
    else:
        sheet.y(title="mean score of people")
    return sheet.x(title=title).menu("Metric", "metric").figure(height=440)


def likeness_ratios(ratios: pd.DataFrame) -> go.Figure:
    """Simulated over real, one row per judgment or metric, one panel per statistic; a dropdown for the data.

    Parameters
    ----------
    ratios : DataFrame of `helpers.experiments.likeness.ratios`
    """
    sheet = marks(
        ratios,
        x="value",
        y="metric",
        panel="quantity",
        colour="metric",
        labels={"value": "simulated / real"},
        menu="dataset",
        order=ratios["metric"].unique().tolist(),
        ends=("q5", "q95"),
        digits=2,
    )
    return sheet.x(zeroline=False).rule(x=1).menu("Data set", "dataset").figure(height=480)
