"""figures.old_metrics: how often metrics put two summaries in people's order, and how they rank systems.

Draws the tables of `helpers.experiments.old_metrics`; called by the notebook old_metrics and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.marks import dot_height, marks
from helpers.figures.theme import correlation_axis


def order_dots(first: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a dot for each data set in a row, a coin as a line.

    Parameters
    ----------
    first : DataFrame of `helpers.experiments.old_metrics.by_first_judgment`
    """
    names = _rows(first)
    sheet = marks(
        first, x="value", y="metric", series="dataset", order=names, size=8,
        hover=["judgment", "kind", "n_separated"], labels={"value": "pairs of summaries in people's order"},
    )  # fmt: skip
    sheet.x(**_axis(first)).rule(x=0.5)
    return sheet.figure(height=dot_height(names, first["dataset"].unique()))


def judgment_dots(orders: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    orders : DataFrame of `helpers.experiments.old_metrics.by_several_judgments`
    """
    names = _rows(orders)
    sheet = marks(
        orders, x="value", y="metric", panel="dataset", series="judgment", order=names, size=8,
        hover=["kind", "n_separated"], labels={"value": "pairs of summaries in people's order"},
    )  # fmt: skip
    sheet.x(**_axis(orders)).rule(x=0.5)
    return sheet.figure(height=dot_height(names, orders["judgment"].unique()))


def system_dots(correlations: pd.DataFrame) -> go.Figure:
    """Correlations over systems with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    correlations : DataFrame of `helpers.experiments.old_metrics.correlations`
    """
    names = _rows(correlations)
    sheet = marks(
        correlations, x="value", y="metric", panel="dataset", series="judgment", order=names,
        hover=["kind", "n_systems"], labels={"value": "correlation with people"}, size=8,
    )  # fmt: skip
    sheet.x(**correlation_axis(correlations["low"]))
    return sheet.figure(height=dot_height(names, correlations["judgment"].unique()))


def _axis(table: pd.DataFrame) -> dict[str, object]:
    """Shares from the lowest to the highest interval, with room for the marks."""
    return {"tickformat": ".0%", "range": [table["low"].min() - 0.02, table["high"].max() + 0.02]}


def _rows(table: pd.DataFrame) -> list[str]:
    """Metrics from below, those of one kind together, in the order in which they were asked for."""
    return [name for _, of in table.groupby("kind", sort=False) for name in of["metric"].unique()][::-1]
