"""figures.leaderboard: every metric's correlation with people, and what the choice of folds makes of it.

Draws the tables of `helpers.experiments.leaderboard`; called by the notebook leaderboard and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.marks import marks, ordered
from helpers.figures.panels import Panels
from helpers.figures.theme import correlation_axis, metric_style
from helpers.labels import words


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlation of every metric with its interval, best at the top; a dropdown picks level and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.leaders`
    """
    coefficient = table["coefficient"].map(lambda name: words("coefficient", name))
    shown = table.assign(kind=coefficient + ", " + table["level"].map(lambda name: words("level", name)))
    sheet = marks(
        shown, x="value", y="metric", colour="metric", moved_by="kind", order=ordered(table), size=10
    )
    sheet.x(**correlation_axis([*table["value"], *table["low"]]))
    # the browser sorts anew whatever correlation is picked, which it cannot do with points moved aside
    sheet.layout["scattermode"] = "overlay"
    sheet.y(categoryorder="total ascending", categoryarray=None)
    return sheet.moving_menu("Correlation").figure(height=160 + 26 * table["metric"].nunique())


def pairing_spread(table: pd.DataFrame) -> go.Figure:
    """What the choice of pairs makes of each metric's correlation: one box per metric, one panel per level.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.pairing_table`
    """
    sheet = Panels(table["level"].unique().tolist(), column="level", gap=0.04)
    for row in table.itertuples():
        box = {
            "type": "box",
            "x": row.pairing_values,
            "name": row.metric,
            "boxpoints": False,
            "showlegend": False,
            "line": {"color": metric_style(row.metric).colour},
            "fillcolor": "rgba(0,0,0,0)",
        }
        sheet.add(box, panel=row.level)
    sheet.x(title="correlation with people", **correlation_axis([table["lowest"].min()]))
    sheet.y(automargin=True, autorange="reversed")
    return sheet.figure(height=170 + 34 * table["metric"].nunique())
