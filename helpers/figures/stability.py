"""How firmly documents fix scores and rankings."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.theme import BLUE, GREY, ORANGE, dropdown, error_bars, layout, metric_style

_SAMPLES = {"few": ("judged documents", BLUE, -0.13), "many": ("whole test set", ORANGE, 0.13)}


def score_intervals(variances: pd.DataFrame) -> go.Figure:
    """One column a system, two intervals each; dropdowns for the score and for how an interval is taken.

    Parameters
    ----------
    variances : DataFrame of `helpers.experiments.variance.score_variance`, of one data set
    """
    metrics = variances["metric"].unique().tolist()
    parts = {}
    for metric, rows in variances.groupby("metric", sort=False):
        order = rows[rows["sample"] == "few"].sort_values("mean")["system"].tolist()
        for sample, part in rows.groupby("sample", sort=False):
            parts[metric, sample] = part.set_index("system").loc[order].reset_index()
    samples = [sample for sample in _SAMPLES if (metrics[0], sample) in parts]
    figure = go.Figure()
    kinds = ("own", "drawn")
    for kind in kinds:
        for sample in samples:
            label, colour, shift = _SAMPLES[sample]
            part = parts[metrics[0], sample]
            size = part["n_documents"].iloc[0]
            figure.add_trace(
                go.Scatter(
                    x=[i + shift for i in range(len(part))],
                    y=part["mean"],
                    mode="markers",
                    name=f"{label} ({size:,})",
                    legendgroup=sample,
                    visible=kind == kinds[0],
                    marker={"color": colour, "size": 6},
                    error_y=_bars(part, kind),
                    customdata=_hover(part, kind),
                    hovertemplate="%{customdata}<extra></extra>",
                )
            )
    traces = [(kind, sample) for kind in kinds for sample in samples]
    figure.update_xaxes(title="systems, by mean score", showticklabels=False, showgrid=False, zeroline=False)
    figure.update_yaxes(title="mean score", zeroline=False)
    menus = []
    if len(metrics) > 1:
        changes = [
            {
                "y": [parts[metric, sample]["mean"].tolist() for _, sample in traces],
                "error_y": [_bars(parts[metric, sample], kind) for kind, sample in traces],
                "customdata": [_hover(parts[metric, sample], kind) for kind, sample in traces],
            }
            for metric in metrics
        ]
        menus.append(dropdown("Metric", metrics, changes))
    labels = ["each system's own percentiles", "percentiles of all systems together (the release)"]
    choices = [{"visible": [k == kind for k, _ in traces]} for kind in kinds]
    menus.append(dropdown("Interval from", labels, choices))
    return layout(figure, height=470, updatemenus=menus)


def _bars(part: pd.DataFrame, kind: str) -> dict:
    low, high = ("low", "high") if kind == "own" else ("drawn_low", "drawn_high")
    return error_bars(part["mean"], part[low], part[high], colour=None, thickness=4)


def _hover(part: pd.DataFrame, kind: str) -> list[str]:
    low, high = ("low", "high") if kind == "own" else ("drawn_low", "drawn_high")
    return [
        f"{row['system']}, {row['n_documents']:,} documents<br>"
        f"{row['mean']:.2f} [{row[low]:.2f}, {row[high]:.2f}]"
        for row in part.to_dict("records")
    ]


def stability_curves(stability: pd.DataFrame) -> go.Figure:
    """Tau between two rankings against the number of documents, with bands; dropdowns for data and metrics.

    Parameters
    ----------
    stability : DataFrame of `helpers.experiments.variance.ranking_stability`, of one or more data sets
    """
    datasets = stability["dataset"].unique().tolist()
    figure = go.Figure()
    shown = []
    for (dataset, metric), rows in stability.groupby(["dataset", "metric"], sort=False):
        style = metric_style(metric)
        visible = dataset == datasets[0]
        shown += [dataset, dataset]
        sizes = rows["n_documents"].tolist()
        upper, lower = (rows["value"] + rows["sd"]).round(4), (rows["value"] - rows["sd"]).round(4)
        figure.add_trace(
            go.Scatter(
                x=sizes + sizes[::-1],
                y=upper.tolist() + lower.tolist()[::-1],
                fill="toself",
                mode="lines",
                line={"width": 0, "color": style.colour},
                opacity=0.18,
                hoverinfo="skip",
                showlegend=False,
                legendgroup=metric,
                visible=visible,
            )
        )
        figure.add_trace(
            go.Scatter(
                x=sizes,
                y=rows["value"],
                mode="lines+markers",
                name=metric,
                legendgroup=metric,
                visible=visible,
                line={"color": style.colour, "dash": style.dash, "width": 3 if style.colour == GREY else 2},
                marker={"symbol": style.symbol, "size": 6},
                customdata=rows["sd"],
                hovertemplate=(
                    f"{metric}, %{{x:,}} documents: τ = %{{y:.2f}} ± %{{customdata:.2f}}<extra></extra>"
                ),
            )
        )
    figure.update_xaxes(
        title="documents, M", type="log", dtick="D1" if stability["n_documents"].max() < 200 else 1
    )
    figure.update_yaxes(title="τ between two rankings", range=[0, 1.02])
    menus = []
    if len(datasets) > 1:
        choices = [{"visible": [d == dataset for d in shown]} for dataset in datasets]
        menus.append(dropdown("Data set", datasets, choices))
    return layout(figure, height=500, updatemenus=menus)
