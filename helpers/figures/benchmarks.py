"""figures.benchmarks: mean scores of systems and how far documents scatter around them.

Draws the table of `metaeval.analysis.systems.spread`; called by the notebook benchmarks and its live
block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels


def score_spread(spread: pd.DataFrame) -> go.Figure:
    """Two panels, people and a metric that a dropdown picks; one row per system.

    A point is a system's mean over documents, its bar the middle half of them.

    Parameters
    ----------
    spread : DataFrame of `metaeval.analysis.systems.spread`
    """
    people = spread["metric"].iloc[0]
    is_people = spread["metric"] == people
    order = spread[is_people].sort_values("mean")["system"].tolist()
    sheet = Panels([people, "metric"], titles=[f"people ({people})", "the metric"])
    shared = {"x": "mean", "y": "system", "series": "system_type", "order": order, "sheet": sheet}
    shared["ends"] = ("lower_quartile", "upper_quartile")
    marks(spread[is_people], at={"panel": people}, **shared)
    of_metrics = spread[~is_people]
    if len(of_metrics):
        marks(of_metrics, at={"panel": "metric"}, colour="metric", moved_by="metric", **shared)
        sheet.moving_menu("Metric")
    sheet.layout |= {"scattermode": "overlay"}  # a system is of one type, so nothing lies beside it
    return sheet.x(title="mean score").y(title="system").figure(height=150 + 20 * len(order))
