"""figures.power: how often a test finds the better of two metrics.

Draws the table of `helpers.experiments.power`; called by the notebook power and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks


def power_curves(power: pd.DataFrame) -> go.Figure:
    """Share of trials in which a test finds the better metric, over the share of tokens kept.

    Parameters
    ----------
    power : DataFrame of `helpers.experiments.power.with_intervals`
    """
    sheet = marks(
        power,
        x="kept",
        y="value",
        mode="lines+markers",
        panel="level",
        series="method",
        labels={"kept": "share of tokens kept (%)", "value": "power"},
        hover=["n_trials"],
        size=7,
    )
    # curves at 0 and at 1 would hide each other; the gap keeps them close to the share that they are of
    return sheet.side_by_side().y(range=[-0.03, 1.03]).figure(height=420, scattergap=0.6)
