"""Figures of the data page."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import GREY, GROUP_LABELS, GROUP_SYMBOLS, layout, metric_style


def score_spread(spread: pd.DataFrame) -> go.Figure:
    """One panel a kind of score, one row a system: mean over documents and the middle half of them.

    Parameters
    ----------
    spread : DataFrame of `helpers.catalogue.spread`
    """
    kinds = spread["score"].unique().tolist()
    order = spread[spread["score"] == kinds[0]].sort_values("mean")["system"].tolist()
    figure = make_subplots(cols=len(kinds), shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=kinds)
    for (kind, system_type), part in spread.groupby(["score", "system_type"], sort=False):
        figure.add_trace(
            go.Scatter(
                x=part["mean"],
                y=part["system"],
                mode="markers",
                name=GROUP_LABELS.get(system_type, "systems"),
                legendgroup=system_type,
                showlegend=kind == kinds[0],
                marker={
                    "symbol": GROUP_SYMBOLS.get(system_type, "circle"),
                    "size": 9,
                    "color": GREY if kind == kinds[0] else metric_style(kind).colour,
                },
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": part["upper_quartile"] - part["mean"],
                    "arrayminus": part["mean"] - part["lower_quartile"],
                    "width": 0,
                    "thickness": 1.5,
                },
                hovertemplate="%{y}: mean %{x:.3f}<extra></extra>",
            ),
            row=1,
            col=kinds.index(kind) + 1,
        )
    figure.update_yaxes(automargin=True, categoryorder="array", categoryarray=order, showgrid=True)
    return layout(figure, height=150 + 20 * len(order))
