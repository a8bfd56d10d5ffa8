"""figures.pairs: how well a metric tells which of two systems is better.

Draws the tables of `helpers.experiments.pairs`; called by the notebook pairs and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, grid, heatmap, in_ink
from helpers.kit.theme import BLUE

_SHARES = [[0, "#F1F5FA"], [1, BLUE]]


def f1_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one symbol per group: F1 with its range over seeds; a dropdown picks the average.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.table`
    """
    first = results[results["average"] == results["average"].iloc[0]]
    sheet = marks(
        results,
        x="value",
        y="metric",
        series="group",
        colour="metric",
        menu="average",
        order=ordered(first),
        labels={"value": "F1"},
        hover=["n_pairs"],
        ends=("lowest", "highest"),
        size=11,
    )
    sheet.x(title="F1 of the metric's labels, with its range over seeds", range=[0, 1.02], dtick=0.2)
    height = dot_height(results["metric"].unique(), results["group"].unique())
    return sheet.menu("Average", "average").figure(height=height)


def confusion_heatmaps(results: pd.DataFrame) -> go.Figure:
    """A panel per group: pairs of systems by people's label (row) and a metric's; a dropdown for the metric.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.confusion_table`
    """
    counts = list(zip(results["n_pairs"], results["row_share"], strict=True))
    results = results.assign(
        text=[in_ink(f"{n}", share, _SHARES, low=0) for n, share in counts],
        told=[[n, 100 * share] for n, share in counts],
    )
    groups, labels = results["group"].unique().tolist(), results["people"].unique().tolist()
    sheet = Panels(groups, column="group", gap=0.03)
    for (metric, group), rows in results.groupby(["metric", "group"], sort=False):
        cells = {
            key: grid(rows, "people", "label", labels, labels, column)
            for key, column in (("z", "row_share"), ("text", "text"), ("customdata", "told"))
        }
        trace = heatmap(labels, labels, colours=_SHARES)
        hover = (
            "people: %{y}<br>metric: %{x}<br>%{customdata[0]} pairs, %{customdata[1]:.0f} % of people's"
            "<extra></extra>"
        )
        sheet.add(trace | cells | {"hovertemplate": hover}, group, of={"metric": metric})
    sheet.x(title="metric", tickangle=-30, showgrid=False)
    sheet.y(title="people", autorange="reversed", automargin=True)
    return sheet.menu("Metric", "metric").figure(height=400)
