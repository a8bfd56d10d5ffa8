"""figures.findings: what each choice changes, with its interval.

Draws the table of `helpers.experiments.findings.changes`; called by the notebook findings.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks


def change_dots(changes: pd.DataFrame) -> go.Figure:
    """A row per choice: how far it moves a correlation, and the interval of that; apart by what it is about.

    Parameters
    ----------
    changes : DataFrame of `helpers.experiments.findings.changes`
    """
    sheet = marks(
        changes,
        x="value",
        y="choice",
        series="drawn",
        order=changes["choice"].tolist()[::-1],
        hover=["coefficient", "drawn"],
        labels={"value": "change of the correlation", "choice": "choice"},
        size=6,
    )
    for trace in sheet.data:
        trace["error_x"] |= {"width": 7}  # ends that show beside the point however near they are
    # a row has one point, so none has to make room for another
    return sheet.x(zeroline=True).figure(height=160 + 36 * len(changes), scattermode="overlay")
