"""figures.margins: agreement with people on pairs of systems that a metric can hardly tell apart, Δ(ℓ, u).

Draws the tables of `helpers.experiments.margins`; called by the notebook margins and by live
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, in_cell, in_ink, with_system_names
from helpers.kit.panels import grid as in_lines
from helpers.kit.theme import (
    BLUE,
    GREY,
    ORANGE,
    VERMILLION,
    Style,
    correlation_axis,
    dropdown,
    metric_style,
    share_axis,
)
from metaeval.analysis.margins import FEW_PAIRS
from metaeval.tables.labels import COEFFICIENT_LABELS, words

_MEASURED = "measured (means over judged documents)"
_PRINTED = "printed (means over the whole test set)"
_ROOM = 12  # so many windows across leave room for the values in half a figure
_SHADES = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def margin_curves(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> go.Figure:
    """Small multiples: a row per data set, a column per metric, correlation against the share of pairs.

    A window stands at the share of the pairs that it holds, which of few pairs is not quite the nominal one.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.margins.closest`, of one or more data sets
    printed : DataFrame, optional
        Columns dataset, metric, percent, value: figures printed in a paper, drawn beside ours.
    """
    metrics = results["metric"].unique().tolist()
    results = results.assign(percent=100 * results["share_held"])
    on_panels = {"x": "percent", "y": "value", "mode": "lines+markers", "panel": "metric", "row": "dataset"}
    labels = {
        "percent": "closest pairs (%)",
        "value": f"{_coefficient(results)} with people",
        "upper": "difference in points, up to",
        "n_concordant": "people agree on",
        "n_discordant": "people disagree on",
    }
    sheet = marks(
        results,
        **on_panels,
        series="metric",
        style={metric: Style(metric_style(metric).colour) for metric in metrics},
        name=dict.fromkeys(metrics, _MEASURED),
        labels=labels,
        hover=["upper", "n_pairs", "n_concordant", "n_discordant"],
        digits=2,
        size=7,
        gap=0.03,
    )
    if printed is not None:
        theirs = printed[printed["dataset"].isin(sheet.rows) & printed["metric"].isin(metrics)]
        look = dict.fromkeys(metrics, Style(GREY, "dot", "circle-open"))
        theirs = theirs[["dataset", "metric", "percent", "value"]]
        name = dict.fromkeys(metrics, _PRINTED)
        marks(
            theirs, **on_panels, series="metric", style=look, name=name, labels=labels, digits=2, sheet=sheet
        )
    sheet.x(tickvals=[10, 50, 100])
    sheet.y(**correlation_axis([*results["value"], *results["low"], *results["high"]]))
    return sheet.figure(height=130 + 230 * len(sheet.rows))


def margin_heatmap(grid: pd.DataFrame, *, show_values: bool) -> go.Figure:
    """Δ(ℓ, u) for all windows: lower ends down, upper ends across; dropdowns for data set and metric.

    Parameters
    ----------
    grid : DataFrame of `metaeval.analysis.margins.grid`
        Of one or more data sets with the same windows.
    show_values : bool
        Write each value into its cell; in a fine grid there is no room for it.
    """
    datasets, n = grid["dataset"].unique().tolist(), grid["to_percent"].nunique()
    # the data sets lie side by side and their dropdown moves the view, so that it and the one of the metrics,
    # which hides and shows traces, do not touch the same attribute
    ranges = [[i * (n + 1) - 0.5, i * (n + 1) + n - 0.5] for i in range(len(datasets))]
    sheet = Panels()
    for (dataset, metric), rows in grid.groupby(["dataset", "metric"], sort=False):
        left = ranges[datasets.index(dataset)][0] + 0.5
        sheet.add(_cells(rows, left=left, show_values=show_values), of={"metric": metric})
    across, down = _ends_of_shares(grid)
    lefts = [low + 0.5 for low, _ in ranges]
    across["tickvals"] = [left + place for left in lefts for place in across["tickvals"]]
    across["ticktext"] = across["ticktext"] * len(datasets)
    sheet.axis("x", range=ranges[0], **across).axis("y", **down)
    if len(datasets) > 1:
        moves = [{"xaxis.range": view} for view in ranges]
        sheet.controls.append(
            dropdown("Data set", [words("dataset", name) for name in datasets], moves, method="relayout")
        )
    return sheet.menu("Metric", "metric").figure(height=520, coloraxis=_shades(grid), showlegend=False)


def margin_window(chosen: pd.DataFrame, grid: pd.DataFrame) -> go.Figure:
    """One window marked in the heatmap of all; beside it the curve of those that begin at 0, and the window.

    Parameters
    ----------
    chosen : DataFrame of `metaeval.analysis.margins.window`, one row
    grid : DataFrame of `metaeval.analysis.margins.grid`, of the same data set and metric
    """
    sheet = Panels(("cells", "curve"), titles=("all windows", "windows from 0"), gap=0.2, own_y=True)
    n = grid["to_percent"].nunique()
    sheet.add(_cells(grid, left=0, show_values=n <= _ROOM), "cells")
    across, down = _ends_of_shares(grid)
    sheet.axis("x", "cells", range=[-0.5, n - 0.5], **across).axis("y", "cells", **down)
    (row,) = chosen.to_dict("records")
    place = {"x": n * row["to_percent"] / 100 - 1, "y": n * row["from_percent"] / 100}
    corners = {"x": (-0.5, 0.5, 0.5, -0.5, -0.5), "y": (-0.5, -0.5, 0.5, 0.5, -0.5)}
    frame = {axis: [min(max(place[axis], 0), n - 1) + by for by in corners[axis]] for axis in place}
    name = f"{row['from_percent']:.3g} to {row['to_percent']:.3g} %"
    line = {"color": ORANGE, "width": 4}
    hover = {"hovertext": _hover(row), "hovertemplate": "%{hovertext}<extra></extra>"}
    sheet.add({"mode": "lines", **frame, "line": line, "name": name, "showlegend": False} | hover, "cells")
    from_0 = grid[grid["from_percent"] == 0].assign(
        percent=lambda rows: 100 * rows["share_held"], windows="all"
    )
    one = chosen.assign(percent=chosen["to_percent"], windows="one")
    marks(
        pd.concat([from_0, one]),
        x="percent",
        y="value",
        mode="lines+markers",
        series="windows",
        style={"all": Style(GREY), "one": Style(ORANGE, symbol="diamond")},
        name={"all": "from 0 %", "one": name},
        labels={"percent": "up to this share of the pairs (%)"},
        hover=["n_pairs", "n_concordant", "n_discordant"],
        digits=2,
        sheet=sheet,
        at={"panel": "curve"},
    )
    sheet.axis("x", "curve", title={"text": "up to this share of the pairs (%)"}, range=[0, 105])
    title = {"title": {"text": f"{_coefficient(grid)} with people"}}
    sheet.axis("y", "curve", **title, **correlation_axis([*grid["value"], *grid["low"], *grid["high"]]))
    return sheet.figure(height=440, coloraxis=_shades(grid) | {"showscale": False})


def _cells(rows: pd.DataFrame, *, left: float, show_values: bool) -> dict:
    """The windows of one data set and metric as a heatmap whose first column stands at `left`."""
    starts, ends = np.unique(rows["from_percent"]), np.unique(rows["to_percent"])
    texts = rows.to_dict("records")
    rows = rows.assign(
        shown=rows["value"].round(3), text=[_text(row) for row in texts], hover=[_hover(row) for row in texts]
    )
    cells = {"z": ("shown", None), "hovertext": ("hover", "ℓ > u")}
    if show_values:
        cells["text"] = ("text", "")
    trace = {
        path: in_lines(rows, "from_percent", "to_percent", starts, ends, column, nothing)
        for path, (column, nothing) in cells.items()
    }
    return trace | {
        "type": "heatmap",
        "x": [left + j for j in range(len(ends))],
        "y": list(range(len(starts))),
        "name": f"{words('dataset', rows['dataset'].iloc[0])}, {rows['metric'].iloc[0]}",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "texttemplate": "%{text}" if show_values else "",
        "textfont": {"size": 12},
        "showlegend": False,
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
    }


def _ends_of_shares(grid: pd.DataFrame) -> tuple[dict, dict]:
    """The axes of a heatmap whose columns and rows are numbered from 0."""
    starts, ends = np.unique(grid["from_percent"]), np.unique(grid["to_percent"])
    n = len(ends)
    step = max(1, n // 10)
    plain = {"showgrid": False, "zeroline": False}
    across = {
        "title": {"text": "u: up to this share of the pairs (%)"},
        "tickvals": list(range(step - 1, n, step)),
        "ticktext": [f"{end:g}" for end in ends[step - 1 :: step]],
    }
    down = {
        "title": {"text": "ℓ: from this share (%)"},
        "tickvals": list(range(0, n, step)),
        "ticktext": [f"{start:g}" for start in starts[::step]],
        "autorange": "reversed",
    }
    return across | plain, down | plain


def _shades(grid: pd.DataFrame) -> dict:
    """The colours of correlations, with their bar."""
    title = {"text": _symbol(_coefficient(grid))}
    bar = {"title": title, "thickness": 12, "tickvals": [-1, -0.5, 0, 0.5, 1]}
    return {"cmin": -1, "cmax": 1, "colorscale": _SHADES, "colorbar": bar}


def _text(row: dict) -> str:
    if isnan(row["value"]):
        return ""
    few = row["n_pairs"] < FEW_PAIRS
    return in_ink(f"n = {row['n_pairs']}" if few else in_cell(f"{row['value']:.2f}"), row["value"], _SHADES)


def _coefficient(results: pd.DataFrame) -> str:
    """What a table's one coefficient is called."""
    return words("coefficient", results["coefficient"].iloc[0])


def _symbol(coefficient: str) -> str:
    """The letter of a coefficient's name, as in Kendall's τ."""
    return coefficient[-1]


def _hover(row: dict) -> str:
    held = f"{row['n_pairs']} pairs, {100 * row['share_held']:.1f} % of all"
    lines = [f"{row['lower']:.2f} to {row['upper']:.2f} points: {held}"]
    if not isnan(row["value"]):
        symbol = _symbol(words("coefficient", row["coefficient"]))
        lines += [
            f"{symbol} = {row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
            f"people agree on {row['n_concordant']}, disagree on {row['n_discordant']}",
        ]
    if isinstance(row["remark"], str) and row["remark"]:
        lines.append(row["remark"])
    return "<br>".join(lines)


def gain_curves(curve: pd.DataFrame, gains: pd.DataFrame) -> go.Figure:
    """How often people agree, by the difference in points; below it the published gains, a dot per paper.

    A row per data set, as bars of several in one panel would hide each other.

    Parameters
    ----------
    curve : DataFrame of `helpers.experiments.margins.by_gain`, of one or more data sets
    gains : DataFrame of `helpers.kit.survey.published_gains`
        Drawn whatever the metric: what papers report, to read the curve at.
    """
    datasets = curve["dataset"].unique().tolist()
    sheet = Panels(
        rows=[*datasets, "papers"],
        row_titles=[*(words("dataset", name) for name in datasets), "published gains in ROUGE-1, by paper"],
        heights=[1] * len(datasets) + [0.6],
    )
    marks(
        curve.assign(low=curve["agreement_low"], high=curve["agreement_high"]),
        x="gain",
        y="agreement",
        mode="lines+markers",
        row="dataset",
        series="dataset",
        menu="reading",
        moved_by="metric",
        labels={"gain": "difference in points", "agreement": "same order as people"},
        hover=["n_pairs", "remark"],
        digits=2,
        size=6,
        sheet=sheet,
    )
    gains = gains.sort_values("gain")
    places = (10 * gains["gain"]).round().astype(int)  # dots of the same tenth stand on each other
    dots = {
        "x": gains["gain"].tolist(),
        "y": (gains.groupby(places).cumcount() + 1).tolist(),
        "mode": "markers",
        "name": "published gains (ROUGE-1)",
        "marker": {"color": GREY, "size": 9},
        "text": (gains["paper"] + "<br>" + gains["first"] + " over " + gains["second"]).tolist(),
        "hovertemplate": "%{text}: %{x:.2f}<extra></extra>",
    }
    sheet.add(dots, row="papers")
    sheet.x(title="difference in points", range=[0, max(curve["gain"].max(), gains["gain"].max()) + 0.05])
    sheet.y(title="same order as people", **share_axis(-0.02, 1.02))
    most = max(dots["y"])
    sheet.axis(
        "y", row="papers", title={"text": "papers"}, tickmode="auto", tickformat="d", range=[0, most + 1]
    )
    for dataset in datasets:
        sheet.rule(y=0.5, row=dataset)
    readings = [f"{reading} this many points" for reading in curve["reading"].unique()]
    sheet.moving_menu("Metric").menu("Pairs that differ", "reading", readings)
    return sheet.figure(height=170 + 190 * len(datasets), showlegend=False)


def score_strips(spread: pd.DataFrame, *, title: str = "mean score") -> go.Figure:
    """One strip per kind of score with a point per system, on axes of their own; a dropdown picks the data.

    Parameters
    ----------
    spread : DataFrame of `metaeval.analysis.margins.scores`
        Of one or more data sets with the same kinds of metric.
    title : str
        Of the axis.
    """
    parts = {
        dataset: list(rows.groupby("metric", sort=False))
        for dataset, rows in with_system_names(spread).groupby("dataset", sort=False)
    }
    n = max(map(len, parts.values()))
    sheet = Panels(rows=range(n), row_gap=0.5 / n, own_x=True)
    for dataset, strips in parts.items():
        for i, (kind, rows) in enumerate(strips):
            look = metric_style(kind)
            marker = {"size": 11, "symbol": look.symbol, "color": look.colour if i else GREY, "opacity": 0.75}
            trace = {
                "x": rows["mean"].tolist(),
                "y": [kind if i else f"people: {kind}"] * len(rows),
                "mode": "markers",
                "marker": marker,
                "text": rows["system"].tolist(),
                "hovertemplate": f"<b>%{{text}}</b><br>{title}: %{{x:.2f}}<extra></extra>",
                "showlegend": False,
            }
            sheet.add(trace, row=i, of={"dataset": dataset})
    sheet.y(automargin=True, showgrid=False).x(title=title, zeroline=False)
    return sheet.menu("Data set", "dataset").figure(height=90 + 75 * n)


def margins_explorable(
    means: pd.DataFrame,
    grids: Mapping[int, pd.DataFrame],
    *,
    lower: float,
    upper: float,
    unit: str,
    coefficient: str,
    confidence_level: float,
) -> dict[str, object]:
    """The panel of windows of metric differences.

    Parameters
    ----------
    means : DataFrame of `metaeval.analysis.systems.means`
    grids : mapping, number of windows -> DataFrame of `metaeval.analysis.margins.grid`, for their intervals
    lower, upper, unit : see `metaeval.analysis.margins.window`; where the sliders stand
    coefficient : {"kendall", "pearson", "spearman"}
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    intervals = pd.concat([grid.assign(n_windows=n) for n, grid in grids.items()], ignore_index=True)
    keys = ["dataset", "metric", "coefficient", "n_windows", "from_percent", "to_percent"]
    starts = {"percent": [0, 50], "points": [0, 0.5]} | {unit: [lower, upper]}
    return {
        "kind": "margins",
        "alt": "A panel in which the ends of a window of differences, the metric, the coefficient, the "
        "number of windows and the data can be moved.",
        "start": {**starts, "unit": unit, "coefficient": coefficient, "n_windows": next(iter(grids))},
        "confidence_level": confidence_level,
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "dataset": labels_of(means, "dataset"),
            "system": system_labels(means),
        },
        "tables": {
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "metric", "human", "value"]),
            "intervals": table_as_json(intervals, keys, ["low", "high"]),
        },
    }
