"""Figures of Δ(ℓ, u): agreement with people on pairs of systems that a metric can hardly tell apart."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import GREY, correlation_axis, layout, metric_style


def margin_curves(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> go.Figure:
    """Small multiples: a row a data set, a column a metric, tau against the share of closest pairs.

    Parameters
    ----------
    results : DataFrame of `helpers.pairs.margin_table`, of one or more data sets
    printed : DataFrame, optional
        Columns dataset, metric, percent, value: figures printed in a paper, drawn beside ours.
    """
    datasets, metrics = results["dataset"].unique().tolist(), results["metric"].unique().tolist()
    figure = make_subplots(
        rows=len(datasets),
        cols=len(metrics),
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.09,
        column_titles=metrics,
        row_titles=datasets,
    )
    for (dataset, metric), rows in results.groupby(["dataset", "metric"], sort=False):
        first = dataset == datasets[0] and metric == metrics[0]
        style = metric_style(metric)
        place = {"row": datasets.index(dataset) + 1, "col": metrics.index(metric) + 1}
        if printed is not None:
            theirs = printed[(printed["dataset"] == dataset) & (printed["metric"] == metric)]
            figure.add_trace(
                go.Scatter(
                    x=theirs["percent"],
                    y=theirs["value"],
                    mode="lines+markers",
                    name="printed (metric means over the whole test set)",
                    legendgroup="printed",
                    showlegend=first,
                    line={"color": GREY, "dash": "dot", "width": 1.5},
                    marker={"symbol": "circle-open", "size": 7},
                    hovertemplate="printed: %{y:.2f}<extra></extra>",
                ),
                **place,
            )
        figure.add_trace(
            go.Scatter(
                x=rows["percent"],
                y=rows["value"],
                mode="lines+markers",
                name="measured (metric means over the judged documents)",
                legendgroup="measured",
                showlegend=first,
                line={"color": style.colour, "width": 2.5},
                marker={"symbol": "circle", "size": 7},
                customdata=rows[["upper", "n_pairs", "n_concordant", "n_discordant"]],
                hovertemplate=(
                    "closest %{x} % of pairs: τ = %{y:.2f}<br>"
                    "difference up to %{customdata[0]:.2f} points<br>"
                    "%{customdata[1]} pairs: people agree on %{customdata[2]}, disagree on %{customdata[3]}"
                    "<extra></extra>"
                ),
            ),
            **place,
        )
    figure.update_xaxes(tickvals=[10, 50, 100], ticksuffix=" %")
    figure.update_yaxes(**correlation_axis(results["value"]))
    return layout(figure, height=130 + 230 * len(datasets))
