"""Figures of Exp-I: every metric's correlation with people, and the scores behind one of them."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    COEFFICIENT_LABELS,
    GROUP_LABELS,
    GROUP_SYMBOLS,
    LEVEL_LABELS,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
    moved,
)


def correlation_dots(results: pd.DataFrame) -> go.Figure:
    """One row a metric, one symbol a group of systems, one panel a level; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.stats.correlation.correlation_table` for one data set
        Columns low and high, as `helpers.experiments.group_intervals.with_intervals` adds them, are drawn
        as bars, which
        a second dropdown hides.
    """
    coefficients = results["coefficient"].unique().tolist()
    levels, groups = results["level"].unique().tolist(), results["group"].unique().tolist()
    last = results[
        (results["group"] == groups[-1])
        & (results["level"] == levels[0])
        & (results["coefficient"] == coefficients[0])
    ]
    metrics = last.sort_values("value", na_position="first")["metric"].tolist()
    bounded = {"low", "high"} <= set(results)
    cells = results.set_index(["coefficient", "level", "group", "metric"]).sort_index()
    figure = make_subplots(
        cols=len(levels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[f"comparing {LEVEL_LABELS[level]}" for level in levels],
    )
    traces = [(level, group) for level in levels for group in groups]
    for level, group in traces:
        rows = cells.loc[coefficients[0], level, group].loc[metrics]
        bars = {"error_x": error_bars(rows["value"], rows["low"], rows["high"])} if bounded else {}
        figure.add_trace(
            go.Scatter(
                x=rows["value"].tolist(),
                y=metrics,
                mode="markers",
                name=GROUP_LABELS.get(group, group),
                legendgroup=group,
                offsetgroup=group,  # groups lie below each other, or their bars would hide each other
                orientation="h",
                showlegend=level == levels[0],
                marker={
                    "symbol": GROUP_SYMBOLS.get(group, "circle"),
                    "size": 10,
                    "color": [metric_style(metric).colour for metric in metrics],
                    "line": {"width": 2, "color": [metric_style(metric).colour for metric in metrics]},
                },
                hovertemplate=f"%{{y}}, {GROUP_LABELS.get(group, group)}: %{{x:.3f}}<extra></extra>",
                **bars,
            ),
            row=1,
            col=levels.index(level) + 1,
        )
    figure.update_xaxes(**correlation_axis([*results["value"], *results.get("low", [])]))
    figure.update_yaxes(automargin=True, showgrid=True)
    menus = []
    if len(coefficients) > 1:
        choices = [moved([cells.loc[c, *t].loc[metrics] for t in traces]) for c in coefficients]
        labels = [COEFFICIENT_LABELS[coefficient] for coefficient in coefficients]
        menus.append(dropdown("Coefficient", labels, choices))
    if bounded:
        choices = [{"error_x.visible": visible} for visible in (True, False)]
        menus.append(dropdown("Intervals", ["shown", "hidden"], choices))
    height = 170 + (18 + 12 * len(groups)) * len(metrics)
    return layout(figure, height=height, updatemenus=menus, scattermode="group", scattergap=0.3)


def score_scatter(means: pd.DataFrame) -> go.Figure:
    """Mean human score against mean metric score, a point a system; a dropdown picks the metric.

    Parameters
    ----------
    means : DataFrame of `helpers.stats.correlation.system_table`
    """
    metrics = means["metric"].unique().tolist()
    kinds = means["system_type"].unique().tolist()
    points = {
        (metric, kind): part for (metric, kind), part in means.groupby(["metric", "system_type"], sort=False)
    }
    figure = go.Figure()
    for kind in kinds:
        part = points[metrics[0], kind]
        figure.add_trace(
            go.Scatter(
                x=part["mean"],
                y=part["human"],
                mode="markers",
                name=GROUP_LABELS.get(kind, "systems"),
                text=part["system"],
                marker={
                    "symbol": GROUP_SYMBOLS.get(kind, "circle"),
                    "size": 11,
                    "color": metric_style(metrics[0]).colour,
                },
                hovertemplate="%{text}<br>metric %{x:.4g}, people %{y:.3f}<extra></extra>",
            )
        )
    choices = [
        {
            "x": [points[metric, kind]["mean"].tolist() for kind in kinds],
            "marker.color": [metric_style(metric).colour for _ in kinds],
        }
        for metric in metrics
    ]
    figure.update_xaxes(title="mean metric score")
    figure.update_yaxes(title="mean human score")
    return layout(figure, height=460, updatemenus=[dropdown("Metric", metrics, choices)])
