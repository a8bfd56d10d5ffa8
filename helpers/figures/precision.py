"""Intervals from the judged documents beside those from all."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.theme import correlation_axis, dropdown, layout, metric_style

RESAMPLE_LABELS = {
    "inputs": "documents (Boot-Inputs)",
    "systems": "systems (Boot-Systems)",
    "both": "both (Boot-Both)",
}
_MARKS = {"judged documents": ("circle-open", 2, -0.14), "all documents": ("circle", 4, 0.14)}


def interval_pairs(intervals: pd.DataFrame) -> go.Figure:
    """One row a metric with two intervals; dropdowns for the data set and for what is drawn again.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.test_set.interval_table`, of one or more data sets
    """
    datasets, resamples = intervals["dataset"].unique().tolist(), intervals["resample"].unique().tolist()
    metrics = intervals["metric"].unique().tolist()
    samples = intervals["sample"].unique().tolist()
    n = len(metrics)
    # a data set's rows lie below those of the one before, and its dropdown moves the view there; the other
    # dropdown changes the values: the two touch different attributes
    offsets = {dataset: i * (n + 2) for i, dataset in enumerate(datasets)}
    figure = go.Figure()
    lines = [
        (dataset, metric, sample)
        for dataset in datasets
        for metric in metrics
        for sample in samples
        if ((intervals["dataset"] == dataset) & (intervals["sample"] == sample)).any()
    ]
    cells = intervals.set_index(["dataset", "metric", "sample", "resample"]).to_dict("index")
    named = set()
    for dataset, metric, sample in lines:
        symbol, width, shift = _MARKS[sample]
        colour = metric_style(metric).colour
        cell = cells[dataset, metric, sample, resamples[0]]
        y = offsets[dataset] + metrics.index(metric) + shift
        figure.add_trace(
            go.Scatter(
                x=_ends(cell),
                y=[y] * 3,
                mode="lines+markers",
                name=f"metric over {sample}",
                legendgroup=sample,
                showlegend=sample not in named,
                line={"color": colour, "width": width},
                marker={"symbol": [symbol, symbol, symbol], "size": [0, 11, 0], "color": colour},
                customdata=[_hover(metric, cell)] * 3,
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
        named.add(sample)
    ranges = [[offsets[dataset] + n - 0.4, offsets[dataset] - 0.6] for dataset in datasets]
    figure.update_yaxes(
        range=ranges[0],
        tickvals=[offsets[dataset] + i for dataset in datasets for i in range(n)],
        ticktext=metrics * len(datasets),
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    figure.update_xaxes(
        title="Kendall's τ with people, system level",
        **correlation_axis([*intervals["low"], *intervals["high"]]),
    )
    menus = []
    if len(datasets) > 1:
        moves = [{"yaxis.range": view} for view in ranges]
        menus.append(dropdown("Data set", datasets, moves, method="relayout"))
    if len(resamples) > 1:
        changes = []
        for resample in resamples:
            at = [(metric, cells[dataset, metric, sample, resample]) for dataset, metric, sample in lines]
            changes.append(
                {
                    "x": [_ends(cell) for _, cell in at],
                    "customdata": [[_hover(metric, cell)] * 3 for metric, cell in at],
                }
            )
        labels = [RESAMPLE_LABELS.get(resample, resample) for resample in resamples]
        menus.append(dropdown("Drawn again", labels, changes))
    return layout(figure, height=150 + 62 * n, updatemenus=menus)


def _ends(cell) -> list[float]:
    return [round(float(cell[key]), 4) for key in ("low", "estimate", "high")]


def _hover(metric: str, cell) -> str:
    return (
        f"{metric} over {cell['n_documents']:,} documents<br>τ = {cell['estimate']:.2f} "
        f"[{cell['low']:.2f}, {cell['high']:.2f}], width {cell['width']:.2f}"
    )
