"""figures.lite2: how well models judge the presence of units, and what their scores agree with.

Draws the tables of `helpers.experiments.lite2`; called by the notebook lite2 and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels, diagonal, model_panels
from helpers.kit.theme import BLUE, PURPLE, VERMILLION, Style

# one colour per kind of model, one symbol per model
PRESENCE = {
    "words": Style(BLUE, "solid", "circle"),
    "rare words": Style(BLUE, "dash", "diamond"),
    "word pairs": Style(BLUE, "dot", "square"),
    "light without vectors": Style(VERMILLION, "dash", "diamond"),
    "light": Style(VERMILLION, "solid", "circle"),
    "nli": Style(PURPLE, "solid", "circle"),
}


def presence_calibration(table: pd.DataFrame) -> go.Figure:
    """Share of units that people found against what a model said, one line per model.

    On the diagonal a model is as sure as it is right.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite2.calibration_table`
    """
    sheet = Panels().add(diagonal(0, 1))
    marks(
        table,
        x="predicted",
        y="present",
        mode="lines+markers",
        series="presence",
        style=PRESENCE,
        hover=["n_labels"],
        digits=2,
        sheet=sheet,
    )
    sheet.x(title="presence that the model says", range=[-0.02, 1.02], dtick=0.25)
    sheet.y(title="share that people found", range=[-0.02, 1.02], dtick=0.25)
    return sheet.figure(height=440)


def presence_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation of each presence model's score, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite2.table`
    """
    sheet = model_panels(table, series="metric", style=PRESENCE)
    sheet.layout |= {"scattermode": "overlay", "showlegend": False}  # the axis names the models
    return sheet.figure(height=dot_height(table["metric"].unique()))
