"""figures.sera: SERA beside other metrics with its intervals, and shares of parts of speech.

Draws the tables of `helpers.experiments.sera`; called by the notebooks sera and your_metric and by live
blocks.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.panels import Panels, interval_panels
from helpers.kit.theme import style_of
from metaeval.tables.labels import words


def interval_dots(results: pd.DataFrame, *, panel: str, sort_by: str) -> go.Figure:
    """One row per metric with its correlation and interval; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame with columns metric, coefficient, value, low, high and `panel`
    panel : {"level", "group"}
        The column with one panel per value.
    sort_by : the panel whose first coefficient orders the metrics, best on top
    """
    leading = results[
        (results[panel] == sort_by) & (results["coefficient"] == results["coefficient"].iloc[0])
    ]
    metrics = leading.sort_values("value", na_position="first")["metric"].tolist()
    return interval_panels(results, panel, metrics, colour="metric")


def speech_bars(table: pd.DataFrame) -> go.Figure:
    """Shares of parts of speech, one bar per collection.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.sera.speech_table`
    """
    sheet = Panels()
    for place, (domain, rows) in enumerate(table.groupby("domain", sort=False)):
        corpus = words("domain", domain)
        sheet.add(
            {
                "type": "bar",
                "x": rows["part_of_speech"],
                "y": 100 * rows["value"],
                "name": corpus,
                "marker": {"color": style_of("domain", domain, place).colour},
                "hovertemplate": f"{corpus}<br>%{{x}}: %{{y:.1f}} % of the words<extra></extra>",
            }
        )
    sheet.x(title="part of speech").y(title="share of the words", ticksuffix=" %")
    return sheet.figure(height=400, barmode="group")
