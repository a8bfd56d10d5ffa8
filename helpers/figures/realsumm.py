"""Figures of the REALSumm part: agreement of workers, tests of metrics, labels of pairs, levels, samples."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    COEFFICIENT_LABELS,
    GREY,
    GROUP_LABELS,
    GROUP_SYMBOLS,
    ORANGE,
    VERMILLION,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
)

_TYPE_COLOURS = {"abs": ORANGE, "ext": VERMILLION}
_DESIGN_SYMBOLS = {"uniform": "circle", "by mean": "diamond", "by mean and spread": "square"}
_VOTES_SYMBOLS = ("circle", "diamond-open")  # all votes, without the noisiest
_QUANTITY_LABELS = {"mean score": "a system's mean score", **COEFFICIENT_LABELS}


def worker_agreement(agreement: pd.DataFrame) -> go.Figure:
    """Mean alpha of each system's summaries, one row per system, with its interval.

    Parameters
    ----------
    agreement : DataFrame of `helpers.experiments.annotations.worker_agreement`
    """
    means = agreement.sort_values("mean")
    figure = go.Figure()
    for kind, colour in _TYPE_COLOURS.items():
        for place in ("abs", "ext"):
            part = means[(means["system_type"] == kind) & (means["folder"] == place)]
            if part.empty:
                continue
            figure.add_trace(
                go.Scatter(
                    x=part["mean"],
                    y=part["system"],
                    mode="markers",
                    name=f"{GROUP_LABELS[kind]}, ratings among the {GROUP_LABELS[place]}",
                    marker={
                        "symbol": GROUP_SYMBOLS[place],
                        "size": 11,
                        "color": colour,
                    },
                    error_x={"type": "data", "array": 1.96 * part["sem"], "width": 0, "thickness": 1.5},
                    hovertemplate="%{y}: mean alpha %{x:.3f}<extra></extra>",
                )
            )
    figure.update_xaxes(title="mean alpha of a summary's workers")
    figure.update_yaxes(
        automargin=True, categoryorder="array", categoryarray=means["system"].tolist(), showgrid=True
    )
    return layout(figure, height=170 + 20 * len(means))


def removal_dots(effect: pd.DataFrame) -> go.Figure:
    """One row a crew: share of wrong labels (left) and agreement (right), with all votes and without one's.

    Parameters
    ----------
    effect : DataFrame of `helpers.experiments.annotations.removal_effect`
    """
    panels = {"wrong_labels": "share of wrong labels", "alpha": "mean alpha"}
    figure = make_subplots(cols=len(panels), shared_yaxes=True, horizontal_spacing=0.06)
    for (votes, part), symbol in zip(effect.groupby("votes", sort=False), _VOTES_SYMBOLS, strict=True):
        for i, (column, title) in enumerate(panels.items(), start=1):
            figure.add_trace(
                go.Scatter(
                    x=part[column],
                    y=part["crew"],
                    mode="markers",
                    name=f"votes: {votes}",
                    legendgroup=votes,
                    showlegend=i == 1,
                    marker={"symbol": symbol, "size": 12, "color": VERMILLION, "line": {"width": 2}},
                    hovertemplate=f"%{{y}}, {votes}: %{{x:.3f}}<extra></extra>",
                ),
                row=1,
                col=i,
            )
            figure.update_xaxes(title=title, row=1, col=i)
    figure.update_yaxes(automargin=True, showgrid=True, autorange="reversed", col=1)
    return layout(figure, height=170 + 36 * effect["crew"].nunique())


def williams_heatmap(results: pd.DataFrame) -> go.Figure:
    """p-values of every metric (row) against every other (column); a dropdown picks the group of systems.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.metric_comparison.williams_table` for one coefficient
        A cell is empty where the row's correlation is the lower one, as in the paper's figure.
    """
    groups, metrics = results["group"].unique().tolist(), results["metric"].unique().tolist()
    cells = results.set_index(["group", "metric", "other"]).to_dict("index")
    choices = []
    for group in groups:
        rows = [[_cell(cells, group, a, b) for b in metrics] for a in metrics]
        choices.append(
            {
                "z": [[[shown for shown, _, _ in row] for row in rows]],
                "text": [[[text for _, text, _ in row] for row in rows]],
                "customdata": [[[hover for _, _, hover in row] for row in rows]],
            }
        )
    first = {key: value[0] for key, value in choices[0].items()}
    figure = go.Figure(
        go.Heatmap(
            **first,
            x=metrics,
            y=metrics,
            zmin=0,
            zmax=1,
            colorscale=[
                [0, "#00664A"],
                [0.05, "#009E73"],
                [0.0500001, "#BFE3D8"],
                [0.5, "#F1F8F5"],
                [1, "#F1F8F5"],
            ],
            showscale=False,
            xgap=2,
            ygap=2,
            texttemplate="%{text}",
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_yaxes(
        autorange="reversed", automargin=True, showgrid=False, title="is this metric better ..."
    )
    figure.update_xaxes(
        side="bottom", automargin=True, showgrid=False, title="... than this one?", tickangle=-30
    )
    labels = [GROUP_LABELS.get(group, group) for group in groups]
    menus = [dropdown("Systems", labels, choices)] if len(groups) > 1 else []
    return layout(figure, height=190 + 48 * len(metrics), updatemenus=menus)


def _cell(cells: Mapping, group: str, a: str, b: str) -> tuple[float, str, str]:
    """Colour value, text and hover text; no colour where `a` correlates less than `b`."""
    if a == b:
        return math.nan, "", ""
    row = cells[group, a, b]
    hover = (
        f"{a}: r = {row['r_metric']:.3f}<br>{b}: r = {row['r_other']:.3f}"
        f"<br>between them r = {row['r_between']:.3f}<br>one-sided p = {row['value']:.4f}"
    )
    if row["r_metric"] < row["r_other"]:
        return math.nan, "", hover
    return row["value"], f"{row['value']:.3f}", hover


def f1_dots(results: pd.DataFrame) -> go.Figure:
    """One row a metric, one symbol a group: F1 with its range over seeds; a dropdown picks the average.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.f1_table`
    """
    averages, groups = results["average"].unique().tolist(), results["group"].unique().tolist()
    last = results[(results["group"] == groups[-1]) & (results["average"] == averages[0])]
    metrics = last.sort_values("value")["metric"].tolist()
    cells = results.set_index(["average", "group", "metric"])[["value", "low", "high"]].to_dict("index")

    def column(average, group, name):
        return [cells[average, group, metric][name] for metric in metrics]

    def errors(average, group):
        return error_bars(*(column(average, group, name) for name in ("value", "low", "high")))

    figure = go.Figure()
    for group in groups:
        colours = [metric_style(metric).colour for metric in metrics]
        figure.add_trace(
            go.Scatter(
                x=column(averages[0], group, "value"),
                y=metrics,
                mode="markers",
                name=GROUP_LABELS.get(group, group),
                marker={
                    "symbol": GROUP_SYMBOLS.get(group, "circle"),
                    "size": 11,
                    "color": colours,
                    "line": {"width": 2, "color": colours},
                },
                error_x=errors(averages[0], group),
                hovertemplate=f"%{{y}}, {GROUP_LABELS.get(group, group)}: F1 %{{x:.3f}}<extra></extra>",
            )
        )
    choices = [
        {
            "x": [column(average, group, "value") for group in groups],
            "error_x": [errors(average, group) for group in groups],
        }
        for average in averages
    ]
    figure.update_xaxes(title="F1 of the metric's labels, range over seeds", range=[0, 1.02], dtick=0.2)
    figure.update_yaxes(automargin=True, showgrid=True)
    menus = [dropdown("Average", averages, choices)] if len(averages) > 1 else []
    return layout(figure, height=190 + 34 * len(metrics), updatemenus=menus)


def confusion_heatmaps(results: pd.DataFrame) -> go.Figure:
    """A panel a group: pairs of systems by people's label (row) and a metric's; a dropdown picks the metric.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.pairs.confusion_table`
    """
    groups, metrics = results["group"].unique().tolist(), results["metric"].unique().tolist()
    labels = results["people"].unique().tolist()
    cells = results.set_index(["group", "metric", "people", "label"])["pairs"].to_dict()
    counts = {
        metric: [
            [[int(cells[group, metric, people, label]) for label in labels] for people in labels]
            for group in groups
        ]
        for metric in metrics
    }
    shares = {
        metric: [[[n / max(1, sum(row)) for n in row] for row in panel] for panel in panels]
        for metric, panels in counts.items()
    }
    figure = make_subplots(
        cols=len(groups),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[GROUP_LABELS.get(group, group) for group in groups],
    )
    for i in range(len(groups)):
        figure.add_trace(
            go.Heatmap(
                z=shares[metrics[0]][i],
                text=counts[metrics[0]][i],
                x=labels,
                y=labels,
                zmin=0,
                zmax=1,
                colorscale=[[0, "#F1F5FA"], [1, "#0072B2"]],
                showscale=False,
                xgap=2,
                ygap=2,
                texttemplate="%{text}",
                hovertemplate=(
                    "people: %{y}<br>metric: %{x}<br>%{text} pairs, %{z:.0%} of people's<extra></extra>"
                ),
            ),
            row=1,
            col=i + 1,
        )
    figure.update_yaxes(autorange="reversed", automargin=True)
    figure.update_yaxes(title="people", col=1)
    figure.update_xaxes(title="metric", tickangle=-30, showgrid=False)
    choices = [{"z": shares[metric], "text": counts[metric]} for metric in metrics]
    return layout(figure, height=400, updatemenus=[dropdown("Metric", metrics, choices)])


def level_dots(results: pd.DataFrame) -> go.Figure:
    """Left the correlation at summary level, right how much higher it is at system level.

    A dropdown picks the coefficient and which documents are averaged.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.summaries.level_table`
    """
    views = list(results[["coefficient", "documents"]].drop_duplicates().itertuples(index=False, name=None))
    groups, panels = results["group"].unique().tolist(), ["summary", "difference"]
    metrics = results["metric"].unique().tolist()[::-1]
    keys = ["coefficient", "documents", "level", "group", "metric"]
    cells = results.set_index(keys)[["value", "error", "n_used"]].to_dict("index")

    def column(view, panel, group, name):
        return [cells[(*view, panel, group, metric)][name] for metric in metrics]

    def errors(view, panel, group):
        spread = [1.96 * error for error in column(view, panel, group, "error")]
        return {"type": "data", "array": spread, "width": 0, "thickness": 1.5, "color": GREY}

    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=["judging summaries", "systems minus summaries"],
    )
    traces = [(panel, group) for panel in panels for group in groups]
    colours = [metric_style(metric).colour for metric in metrics]
    for panel, group in traces:
        figure.add_trace(
            go.Scatter(
                x=column(views[0], panel, group, "value"),
                y=metrics,
                mode="markers",
                name=GROUP_LABELS.get(group, group),
                legendgroup=group,
                showlegend=panel == panels[0],
                customdata=column(views[0], panel, group, "n_used"),
                marker={
                    "symbol": GROUP_SYMBOLS.get(group, "circle"),
                    "size": 11,
                    "color": colours,
                    "line": {"width": 2, "color": colours},
                },
                error_x=errors(views[0], panel, group),
                hovertemplate=(
                    f"%{{y}}, {GROUP_LABELS.get(group, group)}: %{{x:.3f}}"
                    "<br>from %{customdata} documents<extra></extra>"
                ),
            ),
            row=1,
            col=panels.index(panel) + 1,
        )
    figure.update_xaxes(**correlation_axis(results.loc[results["level"] != "system", "value"]))
    figure.update_yaxes(automargin=True, showgrid=True)
    choices = [
        {
            "x": [column(view, *trace, "value") for trace in traces],
            "customdata": [column(view, *trace, "n_used") for trace in traces],
            "error_x": [errors(view, *trace) for trace in traces],
        }
        for view in views
    ]
    labels = [f"{COEFFICIENT_LABELS[c]}, {documents}" for c, documents in views]
    menus = [dropdown("Documents", labels, choices)] if len(views) > 1 else []
    return layout(figure, height=190 + 34 * len(metrics), updatemenus=menus)


def design_ratios(results: pd.DataFrame) -> go.Figure:
    """A panel a quantity: its variance over samples of documents, relative to uniform samples.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.sampling.compare_designs`
    """
    shown = results[results["design"] != "uniform"]
    quantities, metrics = shown["quantity"].unique().tolist(), shown["metric"].unique().tolist()[::-1]
    figure = make_subplots(
        cols=len(quantities),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[_QUANTITY_LABELS.get(quantity, quantity) for quantity in quantities],
    )
    for (quantity, design), part in shown.groupby(["quantity", "design"], sort=False):
        part = part.set_index("metric").loc[metrics]
        colours = [metric_style(metric).colour for metric in metrics]
        figure.add_trace(
            go.Scatter(
                x=part["ratio"],
                y=metrics,
                mode="markers",
                name=f"strata {design}",
                legendgroup=design,
                showlegend=quantity == quantities[0],
                marker={"symbol": _DESIGN_SYMBOLS[design], "size": 10, "color": colours},
                error_x=error_bars(part["ratio"], part["low"], part["high"]),
                hovertemplate=f"%{{y}}, strata {design}: %{{x:.2f}}<extra></extra>",
            ),
            row=1,
            col=quantities.index(quantity) + 1,
        )
    for i in range(len(quantities)):
        figure.add_vline(x=1, line={"width": 1, "dash": "dot"}, row=1, col=i + 1)
    figure.update_xaxes(title="ratio", range=[0, 1.5], dtick=0.5)
    figure.update_yaxes(automargin=True, showgrid=True)
    return layout(figure, height=190 + 34 * len(metrics))
