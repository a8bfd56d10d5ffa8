"""figures.findings: what each choice changes, with its interval.

Draws the table of `helpers.experiments.findings.changes`; called by the notebook findings.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.marks import marks


def change_dots(changes: pd.DataFrame) -> go.Figure:
    """A row per choice: how far it moves a correlation, and the interval of that.

    Parameters
    ----------
    changes : DataFrame of `helpers.experiments.findings.changes`
    """
    sheet = marks(
        changes,
        x="value",
        y="choice",
        order=changes["choice"].tolist()[::-1],
        labels={"value": "change of the correlation", "choice": "choice"},
        size=8,
    )
    return sheet.x(zeroline=True).figure(height=130 + 36 * len(changes))
