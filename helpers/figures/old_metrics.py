"""figures.old_metrics: how often metrics put two summaries in people's order, and how they rank systems.

Draws the tables of `helpers.experiments.old_metrics`; called by the notebook old_metrics and its live block.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import correlation_axis, share_axis
from metaeval.tables.labels import words

_AROUND = dot_height([])
_BETWEEN = 46  # pixels between panels: numbers on the axis above, and a title


def order_dots(first: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a dot for each data set in a row, a coin as a line.

    Metrics of one data set alone stand in a panel below, where no row keeps room for the others.

    Parameters
    ----------
    first : DataFrame of `helpers.experiments.old_metrics.by_first_judgment`
    """
    hover = ["judgment", "kind", "n_separated", "n_documents"]
    alone = first.groupby("metric")["dataset"].transform("nunique") == 1
    if alone.all() or not alone.any():
        return _shares(first, series="dataset", hover=hover)
    only = "only " + first["dataset"].map(lambda name: words("dataset", name))
    shown = first.assign(shared=only.where(alone, "several data sets")).loc[
        alone.sort_values(kind="stable").index
    ]
    return _shares(shown, row="shared", series="dataset", hover=hover)


def judgment_dots(orders: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    orders : DataFrame of `helpers.experiments.old_metrics.by_several_judgments`
    """
    return _shares(orders, row="dataset", series="judgment", hover=["kind", "n_separated", "n_documents"])


def system_dots(correlations: pd.DataFrame) -> go.Figure:
    """Correlations over systems with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    correlations : DataFrame of `helpers.experiments.old_metrics.correlations`
    """
    return _dots(
        correlations, "correlation with people", correlation_axis(correlations["low"]),
        row="dataset", series="judgment", hover=["kind", "n_systems", "n_documents"],
    )  # fmt: skip


def _shares(table: pd.DataFrame, **how) -> go.Figure:
    """From the lowest to the highest interval, with room for the marks."""
    axis = share_axis(table["low"].min() - 0.02, table["high"].max() + 0.02, step=0.2)
    return _dots(table, "pairs of summaries in people's order", axis, coin=0.5, **how)


def _dots(table: pd.DataFrame, value: str, axis: Mapping, *, series: str, coin: float | None = None, **how):
    """Metrics from below, those of one kind together, in the order in which they were asked for.

    Panels stand below each other, each as high as its own metrics need: those of a release are in it alone.
    """
    names = [name for _, of in table.groupby("kind", sort=False) for name in of["metric"].unique()][::-1]
    panels = [part for _, part in table.groupby(how["row"], sort=False)] if "row" in how else [table]
    heights = [dot_height(part["metric"].unique(), part[series].unique()) - _AROUND for part in panels]
    height = sum(heights) + _BETWEEN * (len(heights) - 1)
    sheet = marks(
        table, x="value", y="metric", series=series, order=names, size=8, labels={"value": value},
        heights=heights, row_gap=_BETWEEN / height, **how,
    )  # fmt: skip
    sheet.x(showticklabels=True, **axis)
    for row in sheet.rows if coin is not None else []:
        sheet.rule(x=coin, row=row)
    return sheet.figure(height=_AROUND + height)
