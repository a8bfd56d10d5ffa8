"""figures.systems: every metric's correlation with people, the scores behind it, and Williams tests.

Draws the tables of `helpers.experiments.systems`; called by the notebooks systems and your_metric and by live
blocks.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, grid, heatmap, in_ink, label
from helpers.kit.theme import correlation_axis, dropdown
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue


def correlation_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one symbol per group, one panel per level; dropdowns for coefficient and bars.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.systems.table` for one data set
        Columns low and high, where there are any, are drawn as bars, which a second dropdown hides.
    """
    metrics = ordered(results)
    sheet = marks(
        results,
        x="value",
        y="metric",
        panel="level",
        series="group",
        colour="metric",
        menu="coefficient",
        order=metrics,
        hover=[column for column in ("n_systems",) if column in results],
        size=10,
    )
    ends = [results[column] for column in ("value", "low") if column in results]
    sheet.x(**correlation_axis(pd.concat(ends))).menu("Coefficient", "coefficient")
    if {"low", "high"} <= set(results):
        changes = [{"error_x.visible": visible} for visible in (True, False)]
        sheet.controls.append(dropdown("Intervals", ["shown", "hidden"], changes))
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


def difference_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one panel per group: the correlation on a part of the systems minus that on all.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.systems.differences` for one data set
    """
    changes = results[results["quantity"] == "difference"]
    metrics = ordered(changes)
    sheet = marks(
        changes, x="value", y="metric", panel="group", colour="metric", menu="coefficient", order=metrics,
        hover=["n_used"], labels={"value": "difference of correlations", "n_used": "systems used"},
        size=10,
    )  # fmt: skip
    # one scale, whichever coefficient is picked
    ends = [min(changes["low"].min(), 0) - 0.05, max(changes["high"].max(), 0) + 0.05]
    sheet.x(range=ends, zeroline=True, zerolinewidth=2).menu("Coefficient", "coefficient")
    return sheet.figure(height=dot_height(metrics, [1]))


def score_scatter(means: pd.DataFrame) -> go.Figure:
    """Mean human score against mean metric score, one point per system; a dropdown picks the metric.

    Parameters
    ----------
    means : DataFrame of `metaeval.analysis.systems.means`
    """
    sheet = marks(
        means,
        x="value",
        y="human",
        series="system_type",
        colour="metric",
        menu="metric",
        point="system",
        labels={"value": "mean metric score"},
        size=10,
    )
    return sheet.menu("Metric", "metric").figure(height=460)


# strong below 0.05, weak to one half
_P_VALUES = [[0, "#00664A"], [0.05, "#009E73"], [0.0500001, "#BFE3D8"], [0.5, "#F1F8F5"], [1, "#F1F8F5"]]


def williams_heatmap(results: pd.DataFrame) -> go.Figure:
    """p-values of every metric (row) against every other (column); a dropdown picks the group of systems.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.systems.comparisons` for one coefficient
        A cell is empty where the row's correlation is the lower one, as in the paper's figure.
    """
    metrics = results["metric"].unique().tolist()
    lower = results["value"] < 0
    said = results.assign(
        shown=results["pvalue"].mask(lower),
        text=[
            "" if row.value < 0 else in_ink(pvalue(row.pvalue), row.pvalue, _P_VALUES, low=0)
            for row in results.itertuples()
        ],
        hover=[
            f"{row.metric} minus {row.rival}: {row.value:+.3f}<br>one-sided {pvalue(row.pvalue, name='p')}"
            f"<br>{label('n_systems')}: {row.n_systems}"
            for row in results.itertuples()
        ],
    )
    views = {
        group: {
            key: grid(rows, "metric", "rival", metrics, metrics, column, "" if key == "text" else None)
            for key, column in (("z", "shown"), ("text", "text"), ("customdata", "hover"))
        }
        for group, rows in said.groupby("group", sort=False)
    }
    trace = heatmap(metrics, metrics, colours=_P_VALUES) | next(iter(views.values()))
    sheet = Panels().add(trace | {"hovertemplate": "%{customdata}<extra></extra>"})
    sheet.y(title="is this metric better ...", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="... than this one?", side="bottom", automargin=True, showgrid=False, tickangle=-30)
    if len(views) > 1:
        changes = [{key: [cells] for key, cells in view.items()} for view in views.values()]
        sheet.controls.append(dropdown("Systems", [words("group", group) for group in views], changes))
    return sheet.figure(height=190 + 48 * len(metrics))
