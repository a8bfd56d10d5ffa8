"""figures.lite3: what scores of units that a machine cuts agree with, beside those of people's units.

Draws the tables of `helpers.experiments.lite3`; called by the notebook lite3 and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height
from helpers.kit.panels import model_panels
from helpers.kit.theme import GREEN, ORANGE, PURPLE, Style

_UNITS = {
    "SCU": Style(GREEN, "solid", "circle"),
    "STU": Style(ORANGE, "dash", "diamond"),
    "extracted": Style(PURPLE, "dot", "square"),
}


def unit_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation by presence model and kind of units, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite3.table`
    """
    sheet = model_panels(table, series="units", style=_UNITS)
    return sheet.figure(height=dot_height(table["metric"].unique(), table["units"].unique()))
