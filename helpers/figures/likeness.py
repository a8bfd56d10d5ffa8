"""Figures that set simulated beside real: points on a diagonal, curves in bands."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    COEFFICIENT_LABELS,
    GREY,
    GROUP_LABELS,
    GROUP_SYMBOLS,
    LEVEL_LABELS,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
)


def likeness_scatter(joined: pd.DataFrame) -> go.Figure:
    """Simulated against real correlations, one panel a level; a dropdown picks the coefficient.

    Parameters
    ----------
    joined : DataFrame of `helpers.experiments.likeness.beside` for correlations
    """
    levels, coefficients = (joined[c].unique().tolist() for c in ("level", "coefficient"))
    titles = [f"comparing {LEVEL_LABELS[level]}" for level in levels] or ["no real results at hand"]
    figure = make_subplots(
        cols=len(titles), shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=titles
    )
    place = {level: k + 1 for k, level in enumerate(levels)}
    for level in levels:
        figure.add_trace(
            go.Scatter(
                x=[-1, 1],
                y=[-1, 1],
                mode="lines",
                line={"color": GREY, "dash": "dot", "width": 1},
                showlegend=False,
                hoverinfo="skip",
            ),
            row=1,
            col=place[level],
        )
    shown = [None] * len(levels)
    named = set()
    for (coefficient, level, dataset, group), rows in joined.groupby(
        ["coefficient", "level", "dataset", "group"], sort=False
    ):
        shown.append(coefficient)
        name = GROUP_LABELS.get(group, group)
        colours = [metric_style(metric).colour for metric in rows["metric"]]
        figure.add_trace(
            go.Scatter(
                x=rows["value"],
                y=rows["median"],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=(coefficient, name) not in named,
                visible=coefficient == coefficients[0],
                text=rows["metric"],
                marker={
                    "symbol": GROUP_SYMBOLS.get(group, "circle"),
                    "size": 8,
                    "color": colours,
                    "line": {"width": 1.5, "color": colours},
                },
                error_y=error_bars(rows["median"], rows["low"], rows["high"], thickness=1),
                hovertemplate=f"%{{text}}<br>{dataset}, {name}<br>"
                "real %{x:.2f}, simulated %{y:.2f}<extra></extra>",
            ),
            row=1,
            col=place[level],
        )
        named.add((coefficient, name))
    values = [*joined["value"], *joined["low"]]
    figure.update_xaxes(title="real", **correlation_axis(values))
    figure.update_yaxes(**correlation_axis(values))
    figure.update_yaxes(title="simulated", col=1)
    labels = [COEFFICIENT_LABELS[c] for c in coefficients]
    choices = [{"visible": [c is None or c == coefficient for c in shown]} for coefficient in coefficients]
    menus = [dropdown("Coefficient", labels, choices)] if len(labels) > 1 else []
    return layout(figure, height=520, updatemenus=menus)


def likeness_curves(compared: pd.DataFrame, *, x: str, panels: str, title: str) -> go.Figure:
    """Real curves in the band of the simulated ones, one panel each of `panels`; a dropdown picks the metric.

    Parameters
    ----------
    compared : DataFrame of `helpers.experiments.likeness.compare` with columns `x`, `panels` and, unless all
    rows
        belong together, metric
    title : str
        Of the axis of `x`.
    """
    compared = compared if "metric" in compared else compared.assign(metric="")
    metrics, names = compared["metric"].unique().tolist(), compared[panels].unique().tolist()
    figure = make_subplots(
        cols=len(names),
        shared_yaxes="all" if "k" in compared or "percent" in compared else False,
        horizontal_spacing=0.05,
        subplot_titles=[GROUP_LABELS.get(name, name) for name in names],
    )
    shown = []
    for metric in metrics:
        for col, name in enumerate(names, start=1):
            part = compared[(compared["metric"] == metric) & (compared[panels] == name)].sort_values(x)
            for trace in _band_and_lines(part, x, metric, legend=col == 1):
                trace.visible = metric == metrics[0]
                shown.append(metric)
                figure.add_trace(trace, row=1, col=col)
    figure.update_xaxes(title=title)
    if "k" in compared or "percent" in compared:
        figure.update_yaxes(**correlation_axis([*compared["value"], *compared["low"]]))
    choices = [{"visible": [m == metric for m in shown]} for metric in metrics]
    menus = [dropdown("Metric", metrics, choices)] if len(metrics) > 1 else []
    return layout(figure, height=440, updatemenus=menus)


def likeness_ratios(joined: pd.DataFrame) -> go.Figure:
    """Simulated over real, a row a judgment or metric, a panel a statistic; a dropdown picks the dataset.

    Parameters
    ----------
    joined : DataFrame of `helpers.experiments.likeness.beside` for moments
    """
    statistics, datasets = (joined[c].unique().tolist() for c in ("statistic", "dataset"))
    figure = make_subplots(
        cols=max(1, len(statistics)), shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=statistics
    )
    shown = []
    for (dataset, statistic), rows in joined.groupby(["dataset", "statistic"], sort=False):
        shown.append(dataset)
        ratio, low, high = (rows[c] / rows["value"] for c in ("median", "low", "high"))
        figure.add_trace(
            go.Scatter(
                x=ratio,
                y=rows["score"],
                mode="markers",
                visible=dataset == datasets[0],
                showlegend=False,
                marker={"size": 9, "color": [metric_style(score).colour for score in rows["score"]]},
                error_x=error_bars(ratio, np.minimum(low, high), np.maximum(low, high)),
                hovertemplate=f"%{{y}}, {statistic}<br>simulated / real: %{{x:.2f}}<extra></extra>",
            ),
            row=1,
            col=statistics.index(statistic) + 1,
        )
    figure.update_xaxes(title="simulated / real", zeroline=False)
    figure.update_yaxes(automargin=True, showgrid=True)
    choices = [{"visible": [d == dataset for d in shown]} for dataset in datasets]
    menus = [dropdown("Dataset", datasets, choices)] if len(datasets) > 1 else []
    return layout(figure, height=480, updatemenus=menus)


def _band_and_lines(part: pd.DataFrame, x: str, metric: str, *, legend: bool) -> list[go.Scatter]:
    band = part[part["data"] == "simulated"]
    colour = metric_style(metric).colour
    edge = {"x": band[x], "mode": "lines", "line": {"width": 0}, "legendgroup": "band", "hoverinfo": "skip"}
    traces = [
        go.Scatter(y=band["low"], showlegend=False, **edge),
        go.Scatter(
            y=band["high"],
            fill="tonexty",
            fillcolor=_faint(colour),
            name="simulated, 90 % of draws",
            showlegend=legend,
            **edge,
        ),
    ]
    for data, dash in (("simulated, this book", "dot"), ("real", "solid")):
        rows = part[part["data"] == data]
        traces.append(
            go.Scatter(
                x=rows[x],
                y=rows["value"],
                mode="lines+markers" if data == "real" else "lines",
                name=data,
                legendgroup=data,
                showlegend=legend,
                line={"color": colour, "dash": dash, "width": 2},
                marker={"size": 5},
                hovertemplate=f"{data}, %{{x}}: %{{y:.2f}}<extra></extra>",
            )
        )
    return traces


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"
