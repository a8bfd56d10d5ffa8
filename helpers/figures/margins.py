"""Figures of Δ(ℓ, u): agreement with people on pairs of systems that a metric can hardly tell apart."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.experiments.margins import FEW_PAIRS
from helpers.figures.theme import (
    BLUE,
    GREY,
    VERMILLION,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
)


def margin_curves(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> go.Figure:
    """Small multiples: a row a data set, a column a metric, tau against the share of closest pairs.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.margins.closest`, of one or more data sets
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
                error_y=error_bars(rows["value"], rows["low"], rows["high"], colour=None, thickness=1.2),
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
    figure.update_yaxes(**correlation_axis([*results["value"], *results["low"], *results["high"]]))
    return layout(figure, height=130 + 230 * len(datasets))


def margin_heatmap(grid: pd.DataFrame, *, show_values: bool) -> go.Figure:
    """Δ(ℓ, u) for all windows: a row a lower end, a column an upper end; dropdowns for data set and metric.

    Parameters
    ----------
    grid : DataFrame of `helpers.experiments.margins.grid`, of one or more data sets with the same
    windows
    show_values : bool
        Write each value into its cell; in a fine grid there is no room for it.
    """
    datasets, metrics = grid["dataset"].unique().tolist(), grid["metric"].unique().tolist()
    ends = sorted(grid["to_percent"].unique())
    n = len(ends)
    # the data sets lie side by side and their dropdown moves the view, so that it and the one of the metrics,
    # which hides and shows traces, do not touch the same attribute
    ranges = [[i * (n + 1) - 0.5, i * (n + 1) + n - 0.5] for i in range(len(datasets))]
    figure = go.Figure()
    shown = []
    for (dataset, metric), rows in grid.groupby(["dataset", "metric"], sort=False):
        cells = {(row["from_percent"], row["to_percent"]): row for row in rows.to_dict("records")}
        starts = sorted(rows["from_percent"].unique())
        table = [[cells.get((start, end)) for end in ends] for start in starts]
        written = {"text": [[_cell_text(cell) for cell in row] for row in table], "texttemplate": "%{text}"}
        shown.append(metric)
        figure.add_trace(
            go.Heatmap(
                x=[ranges[datasets.index(dataset)][0] + 0.5 + j for j in range(n)],
                y=list(range(n)),
                z=[[None if cell is None else _rounded(cell["value"]) for cell in row] for row in table],
                hovertext=[[_cell_hover(cell) for cell in row] for row in table],
                hovertemplate="%{hovertext}<extra></extra>",
                visible=metric == metrics[0],
                name=f"{dataset}, {metric}",
                showlegend=False,
                coloraxis="coloraxis",
                xgap=1,
                ygap=1,
                **(written if show_values else {}),
            )
        )
    step = max(1, n // 10)
    labels = [f"{end:g}" for end in ends[step - 1 :: step]]
    ticks = [low + 0.5 + j for low, _ in ranges for j in range(step - 1, n, step)]
    figure.update_xaxes(
        title="u: up to this share of the pairs (%)",
        range=ranges[0],
        tickvals=ticks,
        ticktext=labels * len(datasets),
        showgrid=False,
        zeroline=False,
    )
    starts = sorted(grid["from_percent"].unique())
    figure.update_yaxes(
        title="ℓ: from this share (%)",
        autorange="reversed",
        tickvals=list(range(0, n, step)),
        ticktext=[f"{start:g}" for start in starts[::step]],
        showgrid=False,
        zeroline=False,
    )
    menus = []
    if len(datasets) > 1:
        moves = [{"xaxis.range": view} for view in ranges]
        menus.append(dropdown("Data set", datasets, moves, method="relayout"))
    if len(metrics) > 1:
        choices = [{"visible": [m == metric for m in shown]} for metric in metrics]
        menus.append(dropdown("Metric", metrics, choices))
    figure.update_layout(
        coloraxis={
            "cmin": -1,
            "cmax": 1,
            "colorscale": [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]],
            "colorbar": {"title": {"text": "τ"}, "thickness": 12, "tickvals": [-1, -0.5, 0, 0.5, 1]},
        }
    )
    return layout(figure, height=520, updatemenus=menus, showlegend=False)


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def _cell_text(cell) -> str:
    if cell is None or math.isnan(cell["value"]):
        return ""
    return f"n = {cell['n_pairs']}" if cell["n_pairs"] < FEW_PAIRS else f"{cell['value']:.2f}"


def _cell_hover(cell) -> str:
    if cell is None:  # half of a large figure: every letter counts
        return "ℓ > u"
    window = f"{cell['lower']:.2f} to {cell['upper']:.2f} points: {cell['n_pairs']} pairs"
    if math.isnan(cell["value"]):
        return f"{window}<br>{cell['remark']}"
    lines = [
        window,
        f"τ = {cell['value']:.2f} [{cell['low']:.2f}, {cell['high']:.2f}]",
        f"people agree on {cell['n_concordant']}, disagree on {cell['n_discordant']}",
    ]
    return "<br>".join(lines + [cell["remark"]] * bool(cell["remark"]))


def gain_curves(curve: pd.DataFrame, gains: pd.DataFrame) -> go.Figure:
    """How often people agree, by the difference in points; below it the published gains, a dot a paper.

    Parameters
    ----------
    curve : DataFrame of `helpers.experiments.margins.by_gain`, of one or more data sets
    gains : DataFrame of `helpers.papers.survey.published_gains`
        Drawn whatever the metric: what papers report, to read the curve at.
    """
    datasets, metrics = curve["dataset"].unique().tolist(), curve["metric"].unique().tolist()
    readings = curve["reading"].unique().tolist()
    parts = {key: part for key, part in curve.groupby(["dataset", "metric", "reading"], sort=False)}
    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.04)
    lines = [(dataset, reading) for reading in readings for dataset in datasets]
    dashes = dict(zip(datasets, ("solid", "dot", "dash", "dashdot") * len(datasets), strict=False))
    for dataset, reading in lines:
        part = parts[dataset, metrics[0], reading]
        colour = metric_style(metrics[0]).colour
        figure.add_trace(
            go.Scatter(
                x=part["gain"],
                y=_percent(part["agreement"]),
                mode="lines+markers",
                name=dataset,
                legendgroup=dataset,
                visible=reading == readings[0],
                line={"color": colour, "dash": dashes[dataset], "width": 2.5},
                marker={"size": 6},
                error_y=_agreement_bars(part),
                customdata=_gain_hover(part),
                hovertemplate="%{customdata}<extra></extra>",
            ),
            row=1,
            col=1,
        )
    figure.add_hline(y=50, line={"color": GREY, "dash": "dot", "width": 1}, row=1, col=1)
    width = 0.1
    gains = gains.sort_values("gain")
    places = (gains["gain"] / width).round().astype(int)
    figure.add_trace(
        go.Scatter(
            x=gains["gain"],
            y=gains.groupby(places).cumcount() + 1,
            mode="markers",
            name="published gains (ROUGE-1)",
            marker={"color": GREY, "size": 9},
            text=gains["paper"] + "<br>" + gains["first"] + " over " + gains["second"],
            hovertemplate="%{text}: %{x:.2f}<extra></extra>",
        ),
        row=2,
        col=1,
    )
    figure.update_xaxes(title="difference in points", row=2, col=1)
    figure.update_xaxes(range=[0, max(curve["gain"].max(), gains["gain"].max()) + 0.05])
    figure.update_yaxes(title="same order as people", ticksuffix=" %", range=[-2, 102], row=1, col=1)
    figure.update_yaxes(title="papers", rangemode="tozero", row=2, col=1)
    last = len(lines)  # the trace of the published gains stays as it is
    menus = []
    if len(metrics) > 1:
        changes = [
            {
                "y": [_percent(parts[d, metric, r]["agreement"]) for d, r in lines],
                "error_y": [_agreement_bars(parts[d, metric, r]) for d, r in lines],
                "customdata": [_gain_hover(parts[d, metric, r]) for d, r in lines],
                "line.color": [metric_style(metric).colour] * last,
            }
            for metric in metrics
        ]
        menus.append(dropdown("Metric", metrics, changes, traces=list(range(last))))
    if len(readings) > 1:
        changes = [{"visible": [r == reading for _, r in lines]} for reading in readings]
        labels = [f"{reading} so many points" for reading in readings]
        menus.append(dropdown("Pairs that differ", labels, changes, traces=list(range(last))))
    return layout(figure, height=520, updatemenus=menus)


def _percent(shares: pd.Series) -> list[float | None]:
    return [None if math.isnan(share) else round(100 * share, 1) for share in shares]


def _agreement_bars(part: pd.DataFrame) -> dict:
    shares = (100 * part[name] for name in ("agreement", "agreement_low", "agreement_high"))
    return error_bars(*shares, colour=None, thickness=1.2)


def _gain_hover(part: pd.DataFrame) -> list[str]:
    return [
        f"{row['dataset']}, {row['lower']:.2f} to {row['upper']:.2f} points<br>"
        + (
            f"{100 * row['agreement']:.0f} % [{100 * row['agreement_low']:.0f}, "
            f"{100 * row['agreement_high']:.0f}] of {row['n_pairs']} pairs"
            if row["n_pairs"]
            else row["remark"]
        )
        for row in part.to_dict("records")
    ]


def score_strips(spread: pd.DataFrame, *, title: str = "mean score") -> go.Figure:
    """One strip a kind of score with a point a system, each on an axis of its own; a dropdown picks the data.

    Parameters
    ----------
    spread : DataFrame of `helpers.experiments.benchmarks.spread`, of one or more data sets with the same
    kinds of metric
    """
    datasets = spread["dataset"].unique().tolist()
    parts = {
        dataset: list(part.groupby("score", sort=False))
        for dataset, part in spread.groupby("dataset", sort=False)
    }
    n = max(len(part) for part in parts.values())
    figure = make_subplots(rows=n, vertical_spacing=0.5 / n)
    shown = []
    for dataset in datasets:
        for i, (kind, rows) in enumerate(parts[dataset]):
            shown.append(dataset)
            colour = GREY if i == 0 else metric_style(kind).colour
            figure.add_trace(
                go.Scatter(
                    x=rows["mean"],
                    y=[kind if i else f"people: {kind}"] * len(rows),
                    mode="markers",
                    name=kind,
                    showlegend=False,
                    visible=dataset == datasets[0],
                    text=rows["system"],
                    marker={
                        "size": 11,
                        "color": colour,
                        "opacity": 0.75,
                        "symbol": metric_style(kind).symbol,
                    },
                    hovertemplate="%{text}: %{x:.2f}<extra></extra>",
                ),
                row=i + 1,
                col=1,
            )
    figure.update_yaxes(automargin=True, showgrid=False)
    figure.update_xaxes(zeroline=False)
    menus = []
    if len(datasets) > 1:
        choices = [{"visible": [d == dataset for d in shown]} for dataset in datasets]
        menus = [dropdown("Data set", datasets, choices)]
    figure.update_xaxes(title=title, row=n, col=1)
    return layout(figure, height=90 + 75 * n, updatemenus=menus)
