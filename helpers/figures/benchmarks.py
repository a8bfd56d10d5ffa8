"""Figures of the data page."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    GREY,
    GROUP_LABELS,
    GROUP_SYMBOLS,
    dropdown,
    error_bars,
    layout,
    metric_style,
)


def score_spread(spread: pd.DataFrame) -> go.Figure:
    """Two panels, people and a metric that a dropdown picks; one row a system.

    A point is a system's mean over documents, its bar the middle half of them.

    Parameters
    ----------
    spread : DataFrame of `helpers.experiments.benchmarks.spread`
    """
    people, *metrics = spread["score"].unique().tolist()
    order = spread[spread["score"] == people].sort_values("mean")["system"].tolist()
    parts = dict(list(spread.groupby(["score", "system_type"], sort=False)))
    types = spread["system_type"].unique().tolist()
    figure = make_subplots(
        cols=2, shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=[people, "the metric"]
    )
    for column, kind in enumerate((people, metrics[0]), start=1):
        for system_type in types:
            part = parts[kind, system_type]
            figure.add_trace(
                go.Scatter(
                    x=part["mean"],
                    y=part["system"],
                    mode="markers",
                    name=GROUP_LABELS.get(system_type, "systems"),
                    legendgroup=system_type,
                    showlegend=column == 1,
                    marker={
                        "symbol": GROUP_SYMBOLS.get(system_type, "circle"),
                        "size": 9,
                        "color": GREY if column == 1 else metric_style(kind).colour,
                    },
                    error_x=_middle_half(part),
                    hovertemplate="%{y}: mean %{x:.3f}<extra></extra>",
                ),
                row=1,
                col=column,
            )
    figure.update_yaxes(automargin=True, categoryorder="array", categoryarray=order, showgrid=True)
    menus = []
    if len(metrics) > 1:
        choices = [
            {
                "x": [parts[metric, system_type]["mean"].tolist() for system_type in types],
                "error_x": [_middle_half(parts[metric, system_type]) for system_type in types],
                "marker.color": [metric_style(metric).colour for _ in types],
            }
            for metric in metrics
        ]
        menus = [dropdown("Metric", metrics, choices, traces=list(range(len(types), 2 * len(types))))]
    return layout(figure, height=150 + 20 * len(order), updatemenus=menus)


def _middle_half(part: pd.DataFrame) -> dict:
    return error_bars(part["mean"], part["lower_quartile"], part["upper_quartile"], colour=None)
