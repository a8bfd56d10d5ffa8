"""figures.leaderboard: every metric's correlation with people, and what the choice of folds makes of it.

Draws the tables of `helpers.experiments.leaderboard`; called by the notebook leaderboard and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.panels import Panels, whiskers
from helpers.figures.theme import correlation_axis, metric_style
from helpers.labels import words


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlation of every metric with its interval, best at the top; a dropdown picks level and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.leaders`
    """
    kinds = list(dict.fromkeys(zip(table["level"], table["coefficient"], strict=True)))
    kinds.sort(key=lambda kind: (kind[0] != "summary", kind[1] != "pearson"))
    sheet = Panels()
    for level, coefficient in kinds:
        of_kind = (table["level"] == level) & (table["coefficient"] == coefficient)
        part = table[of_kind].sort_values("value")
        styles = [metric_style(metric) for metric in part["metric"]]
        marker = {"color": [s.colour for s in styles], "symbol": [s.symbol for s in styles], "size": 10}
        sheet.add(
            {
                "x": part["value"],
                "y": part["metric"],
                "mode": "markers",
                "showlegend": False,
                "marker": marker,
                "error_x": whiskers(part),
                "customdata": part[["low", "high"]],
                "hovertemplate": "%{y}: %{x:.3f} [%{customdata[0]:.3f}, %{customdata[1]:.3f}]<extra></extra>",
            },
            of={"kind": (level, coefficient)},
        )
    labels = [f"{words('coefficient', c)}, {words('level', level)}" for level, c in kinds]
    sheet.x(title="correlation with people", **correlation_axis([*table["value"], *table["low"]]))
    sheet.y(automargin=True, showgrid=True)
    return sheet.menu("Correlation", "kind", labels).figure(height=160 + 26 * table["metric"].nunique())


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
            "x": row.values,
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
