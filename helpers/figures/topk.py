"""Figures of Exp-II: what is left of a correlation when only the best systems are compared."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    COEFFICIENT_LABELS,
    GROUP_LABELS,
    GROUP_SYMBOLS,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
    moved,
)


def top_k_curves(results: pd.DataFrame, *, beside: pd.DataFrame | None = None) -> go.Figure:
    """One panel a group of systems, one line a metric over *k*; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.topk.top_k_table` for one data set
    beside : DataFrame of `helpers.experiments.topk.top_k_table`, optional
        Of a figure to compare this one with: the axis has room for its correlations as well.
    """
    groups, coefficients = _values(results, "group"), _values(results, "coefficient")
    figure = make_subplots(
        cols=len(groups),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[GROUP_LABELS.get(group, group) for group in groups],
    )
    shown = []
    for (coefficient, group, metric), rows in results.groupby(["coefficient", "group", "metric"], sort=False):
        style = metric_style(metric)
        shown.append(coefficient)
        figure.add_trace(
            go.Scatter(
                x=rows["k"],
                y=rows["value"],
                mode="lines+markers",
                name=metric,
                legendgroup=metric,
                showlegend=group == groups[0],
                visible=coefficient == coefficients[0],
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "size": 6},
                hovertemplate=f"{metric}, k = %{{x}}: %{{y:.2f}}<extra></extra>",
            ),
            row=1,
            col=groups.index(group) + 1,
        )
    figure.update_xaxes(title="k", dtick=4 if results["k"].max() <= 30 else 10)
    others = [] if beside is None else beside["value"]
    figure.update_yaxes(**correlation_axis([*results["value"], *others]))
    return layout(figure, height=480, updatemenus=_coefficient_menu(coefficients, shown))


def top_k_dots(results: pd.DataFrame) -> go.Figure:
    """All metrics at one *k*, which a slider moves; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.topk.top_k_table` for one data set
        Columns low and high, as `helpers.experiments.group_intervals.with_intervals` adds them, are drawn
        as bars.
    """
    groups, coefficients = _values(results, "group"), _values(results, "coefficient")
    ks = sorted(_values(results, "k"))
    widest = results[(results["k"] == ks[-1]) & (results["coefficient"] == coefficients[0])]
    metrics = widest.sort_values("value", na_position="first")["metric"].unique().tolist()
    traces = [(coefficient, group) for coefficient in coefficients for group in groups]
    bounded = {"low", "high"} <= set(results)
    cells = results.set_index("metric")[["k", "coefficient", "group", "value", *["low", "high"] * bounded]]
    parts = dict(list(cells.groupby(["k", "coefficient", "group"])))
    nothing = cells.iloc[:0]  # of a group with fewer than k systems
    shown = {k: [parts.get((k, *trace), nothing).reindex(metrics) for trace in traces] for k in ks}
    start = min(range(len(ks)), key=lambda i: abs(ks[i] - 10))
    figure = go.Figure()
    for (coefficient, group), rows in zip(traces, shown[ks[start]], strict=True):
        colours = [metric_style(metric).colour for metric in metrics]
        bars = {"error_x": error_bars(rows["value"], rows["low"], rows["high"])} if bounded else {}
        figure.add_trace(
            go.Scatter(
                x=rows["value"].tolist(),
                y=metrics,
                mode="markers",
                name=GROUP_LABELS.get(group, group),
                visible=coefficient == coefficients[0],
                offsetgroup=group,
                orientation="h",
                marker={
                    "symbol": GROUP_SYMBOLS.get(group, "circle"),
                    "size": 10,
                    "color": colours,
                    "line": {"width": 2, "color": colours},
                },
                hovertemplate=f"%{{y}}, {GROUP_LABELS.get(group, group)}: %{{x:.2f}}<extra></extra>",
                **bars,
            )
        )
    figure.update_xaxes(title="correlation on the top k", **correlation_axis(results["value"]))
    figure.update_yaxes(automargin=True, showgrid=True)
    steps = [{"label": str(k), "method": "restyle", "args": [moved(shown[k])]} for k in ks]
    slider = {
        "name": "k",
        "active": start,
        "steps": steps,
        "currentvalue": {"prefix": "Number of best systems, k"},
    }
    return layout(
        figure,
        height=190 + (18 + 12 * len(groups)) * len(metrics),
        sliders=[slider],
        updatemenus=_coefficient_menu(coefficients, [coefficient for coefficient, _ in traces]),
        scattermode="group",
        scattergap=0.3,
    )


def _values(results: pd.DataFrame, column: str) -> list:
    return results[column].unique().tolist()


def _coefficient_menu(coefficients: list[str], of_trace: list[str]) -> list[dict]:
    if len(coefficients) < 2:
        return []
    labels = [COEFFICIENT_LABELS[coefficient] for coefficient in coefficients]
    choices = [{"visible": [c == coefficient for c in of_trace]} for coefficient in coefficients]
    return [dropdown("Coefficient", labels, choices)]
