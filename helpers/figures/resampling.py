"""Figures of intervals, coverage, tests, power and speed."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    BLUE,
    COEFFICIENT_LABELS,
    GREEN,
    GREY,
    LEVEL_LABELS,
    ORANGE,
    SKY,
    VERMILLION,
    correlation_axis,
    dropdown,
    layout,
    metric_style,
)

METHOD_COLOURS = {
    "Fisher": GREY,
    "Williams": GREY,
    "Boot-Systems": SKY,
    "Boot-Inputs": GREEN,
    "Boot-Both": BLUE,
    "Perm-Systems": ORANGE,
    "Perm-Inputs": "#A6A000",
    "Perm-Both": VERMILLION,
}
_SHORT_LEVELS = {"system": "system level", "summary": "summary level", "global": "global level"}


# columns of `helpers.experiments.intervals.interval_table` that hold the ends of narrower intervals
_NARROWER = {0.9: ("q5", "q95"), 0.8: ("q10", "q90")}
_MIDDLE = ("q25", "q75")


def interval_bars(intervals: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Intervals of all metrics, a panel a data set and level; dropdowns for the method and the confidence.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.intervals.interval_table`, of one coefficient,
    for one or more
        data sets
    confidence_level : float
        Of its columns low and high.
    """
    panels = list(intervals[["level", "dataset"]].drop_duplicates().itertuples(index=False, name=None))
    methods = intervals["method"].unique().tolist()
    metrics = sorted(intervals["metric"].unique().tolist(), reverse=True)
    cells = intervals.set_index(["method", "level", "dataset", "metric"]).sort_index()
    ends = {confidence_level: ("low", "high")}
    ends |= {level: columns for level, columns in _NARROWER.items() if level < confidence_level}
    figure = make_subplots(
        cols=len(panels),
        shared_yaxes=True,
        horizontal_spacing=0.02,
        subplot_titles=[f"{dataset}<br>{_SHORT_LEVELS[level]}" for level, dataset in panels],
    )
    colours = [metric_style(metric).colour for metric in metrics]
    bars = [(panel, columns) for panel in panels for columns in (*ends.values(), _MIDDLE)]
    for panel, columns in bars:
        base, width = _bar(cells, methods[0], panel, metrics, columns)
        said = "middle half" if columns == _MIDDLE else "interval"
        figure.add_trace(
            go.Bar(
                base=base,
                x=width,
                y=metrics,
                orientation="h",
                width=0.6 if columns == _MIDDLE else 0.25,
                visible=columns in (_MIDDLE, ends[confidence_level]),
                marker={"color": colours, "opacity": 0.55},
                customdata=_both_ends(base, width),
                hovertemplate=(
                    f"%{{y}}, {said}: %{{customdata[0]:.2f}} to %{{customdata[1]:.2f}}<extra></extra>"
                ),
                showlegend=False,
            ),
            row=1,
            col=panels.index(panel) + 1,
        )
    for panel in panels:
        figure.add_trace(
            go.Scatter(
                x=cells.loc[(methods[0], *panel)].reindex(metrics)["value"],
                y=metrics,
                mode="markers",
                marker={"symbol": "line-ns", "size": 12, "line": {"width": 2, "color": colours}},
                hovertemplate="%{y}: %{x:.3f}<extra></extra>",
                showlegend=False,
            ),
            row=1,
            col=panels.index(panel) + 1,
        )
    menus = []
    every_bar = list(range(len(bars)))  # the estimates are the same for every method
    if len(methods) > 1:
        choices = []
        for method in methods:
            drawn = [_bar(cells, method, panel, metrics, columns) for panel, columns in bars]
            choices.append(
                {
                    "base": [base for base, _ in drawn],
                    "x": [width for _, width in drawn],
                    "customdata": [_both_ends(*bar) for bar in drawn],
                }
            )
        menus.append(dropdown("Method", methods, choices, traces=every_bar))
    if len(ends) > 1:
        choices = [{"visible": [own in (_MIDDLE, columns) for _, own in bars]} for columns in ends.values()]
        labels = [f"{100 * level:g} %" for level in ends]
        menus.append(dropdown("Interval", labels, choices, traces=every_bar))
    figure.update_xaxes(**correlation_axis(intervals["low"]) | {"tickmode": "array", "tickvals": [0, 0.5, 1]})
    figure.update_yaxes(automargin=True)
    return layout(figure, height=190 + 30 * len(metrics), barmode="overlay", updatemenus=menus)


def _bar(cells, method, panel, metrics, columns) -> tuple[list[float], list[float]]:
    """Start and width of each metric's bar; no width where a method has no such interval."""
    rows = cells.loc[(method, *panel)].reindex(metrics)
    low, high = columns
    return rows[low].tolist(), (rows[high] - rows[low]).fillna(0).tolist()


def _both_ends(base, width) -> list[list[float]]:
    return [[a, a + b] for a, b in zip(base, width, strict=True)]


def coverage_dots(coverage: pd.DataFrame, printed: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Share of held-out correlations that each method's intervals contain, a panel a level.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.coverage.split_half_coverage`, of one or more data sets
    printed : DataFrame with columns dataset, level, method, value
    confidence_level : float
        Drawn as a line.
    """
    levels, datasets = coverage["level"].unique().tolist(), coverage["dataset"].unique().tolist()
    methods = coverage["method"].unique().tolist()[::-1]
    figure = make_subplots(
        cols=len(levels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[_SHORT_LEVELS[level] for level in levels],
    )
    symbols = dict(zip(datasets, ("circle", "diamond", "square", "cross"), strict=False))
    for level in levels:
        place = {"row": 1, "col": levels.index(level) + 1}
        figure.add_trace(
            go.Scatter(
                x=[confidence_level] * 2,
                y=[-0.5, len(methods) - 0.5],
                mode="lines",
                line={"color": GREY, "dash": "dot", "width": 2},
                hoverinfo="skip",
                showlegend=False,
            ),
            **place,
        )
        for i, dataset in enumerate(datasets):
            offset = (i - (len(datasets) - 1) / 2) * 0.28
            rows = coverage.query("level == @level and dataset == @dataset").set_index("method").loc[methods]
            theirs = printed.query("level == @level and dataset == @dataset").set_index("method")["value"]
            figure.add_trace(
                go.Scatter(
                    x=theirs.reindex(methods),
                    y=[k + offset for k in range(len(methods))],
                    mode="markers",
                    name="printed",
                    legendgroup="printed",
                    showlegend=level == levels[0] and i == 0,
                    marker={
                        "symbol": f"{symbols[dataset]}-open",
                        "size": 14,
                        "color": GREY,
                        "line": {"width": 2},
                    },
                    hovertemplate=f"{dataset}, printed: %{{x:.2f}}<extra></extra>",
                ),
                **place,
            )
            figure.add_trace(
                go.Scatter(
                    x=rows["value"],
                    y=[k + offset for k in range(len(methods))],
                    mode="markers",
                    name=dataset,
                    legendgroup=dataset,
                    showlegend=level == levels[0],
                    marker={
                        "symbol": symbols[dataset],
                        "size": 9,
                        "color": [METHOD_COLOURS[method] for method in methods],
                    },
                    error_x={
                        "type": "data",
                        "array": 1.96 * rows["standard_error"],
                        "width": 0,
                        "thickness": 1.5,
                    },
                    text=methods,
                    hovertemplate=f"{dataset}, %{{text}}: %{{x:.3f}}<extra></extra>",
                ),
                **place,
            )
    figure.update_xaxes(range=[0.45, 1.03], dtick=0.1, title="share contained")
    figure.update_yaxes(
        tickvals=list(range(len(methods))), ticktext=methods, automargin=True, showgrid=True, zeroline=False
    )
    return layout(figure, height=210 + 70 * len(methods))


_OUTCOMES = ("not significant", "significant", "significant after correction")


def difference_heatmap(tests: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Which metric (row) is significantly better than which (column), a panel a data set.

    Dropdowns pick the test and the level.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.tests.difference_table`
    alpha : float
    """
    methods, levels = tests["method"].unique().tolist(), tests["level"].unique().tolist()
    datasets = tests["dataset"].unique().tolist()
    figure = make_subplots(cols=len(datasets), horizontal_spacing=0.24, subplot_titles=datasets)
    grids = {
        key: _grid(rows, alpha) for key, rows in tests.groupby(["method", "dataset", "level"], sort=False)
    }
    traces = [(method, dataset) for method in methods for dataset in datasets]
    for method, dataset in traces:
        names, codes, numbers = grids[method, dataset, levels[0]]
        figure.add_trace(
            go.Heatmap(
                z=codes,
                x=names,
                y=names,
                customdata=numbers,
                zmin=0,
                zmax=2,
                colorscale=[
                    [0, "rgba(138,138,138,0.15)"],
                    [0.33, "rgba(138,138,138,0.15)"],
                    [0.33, SKY],
                    [0.67, SKY],
                    [0.67, ORANGE],
                    [1, ORANGE],
                ],
                xgap=2,
                ygap=2,
                showscale=False,
                visible=method == methods[0],
                hovertemplate=(
                    "%{y} better than %{x}?<br>difference %{customdata[0]:+.3f}, p = %{customdata[1]:.4f}, "
                    f"corrected %{{customdata[2]:.4f}}<extra>{method}</extra>"
                ),
            ),
            row=1,
            col=datasets.index(dataset) + 1,
        )
    for label, colour in zip(_OUTCOMES, ("rgba(138,138,138,0.3)", SKY, ORANGE), strict=True):
        figure.add_trace(
            go.Scatter(
                x=[None], y=[None], mode="markers", name=label,
                marker={"symbol": "square", "size": 12, "color": colour},
            )
        )  # fmt: skip
    every_grid = list(range(len(traces)))
    menus = []
    if len(methods) > 1:
        choices = [{"visible": [own == method for own, _ in traces]} for method in methods]
        menus.append(dropdown("Test", methods, choices, traces=every_grid))
    if len(levels) > 1:
        choices = [
            {
                "z": [grids[(*trace, level)][1] for trace in traces],
                "customdata": [grids[(*trace, level)][2] for trace in traces],
            }
            for level in levels
        ]
        labels = [f"comparing {LEVEL_LABELS[level]}" for level in levels]
        menus.append(dropdown("Level", labels, choices, traces=every_grid))
    figure.update_xaxes(tickangle=-60, automargin=True, side="bottom", showgrid=False)
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    size = max(len(grid[0]) for grid in grids.values())
    figure = layout(figure, height=250 + 26 * size, updatemenus=menus)
    return figure.update_layout(margin={"b": 170})


def _grid(rows, alpha):
    """Names, and for each ordered pair a code of the outcome and the numbers behind it."""
    names = rows["row"].unique().tolist()
    index = {name: i for i, name in enumerate(names)}
    codes = [[None] * len(names) for _ in names]
    numbers = [[[None] * 3 for _ in names] for _ in names]
    for row in rows.to_dict("records"):
        i, j = index[row["row"]], index[row["column"]]
        codes[i][j] = int(row["pvalue"] <= alpha) + int(row["pvalue"] <= alpha and row["adjusted"] <= alpha)
        numbers[i][j] = [round(float(row[name]), 5) for name in ("value", "pvalue", "adjusted")]
    return names, codes, numbers


def power_curves(power: pd.DataFrame) -> go.Figure:
    """Share of trials in which a test finds the better metric, over the share of tokens kept.

    Parameters
    ----------
    power : DataFrame of `helpers.experiments.power.power_table`
    """
    levels = power["level"].unique().tolist()
    figure = make_subplots(
        cols=len(levels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[_SHORT_LEVELS[level] for level in levels],
    )
    for (level, method), rows in power.groupby(["level", "method"], sort=False):
        figure.add_trace(
            go.Scatter(
                x=rows["kept"],
                y=rows["value"],
                mode="lines+markers",
                name=method,
                legendgroup=method,
                showlegend=level == levels[0],
                line={"color": METHOD_COLOURS[method], "width": 2.5},
                error_y={
                    "type": "data",
                    "array": 1.96 * rows["standard_error"],
                    "width": 0,
                    "thickness": 1.5,
                },
                hovertemplate=f"{method}, %{{x}} % of the tokens: %{{y:.2f}}<extra></extra>",
            ),
            row=1,
            col=levels.index(level) + 1,
        )
    figure.update_xaxes(title="share of tokens kept", ticksuffix=" %")
    figure.update_yaxes(range=[-0.03, 1.03])
    figure.update_yaxes(title="power", col=1)
    return layout(figure, height=420)


def speed_bars(bench: pd.DataFrame) -> go.Figure:
    """How many times faster than a peer, on a logarithmic axis.

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    rows = bench[bench["part"] == "peer"].iloc[::-1]
    labels = [
        f"{row.method}, {_SHORT_LEVELS[row.level]}, {COEFFICIENT_LABELS[row.coefficient]}"
        for row in rows.itertuples()
    ]
    figure = go.Figure()
    for peer, colour in zip(rows["peer"].unique()[::-1], (BLUE, GREEN), strict=False):
        chosen = (rows["peer"] == peer).to_numpy()
        part = rows[chosen]
        figure.add_trace(
            go.Bar(
                x=part["ratio"],
                y=[label for label, keep in zip(labels, chosen, strict=True) if keep],
                orientation="h",
                name=f"against {peer}",
                marker={"color": colour},
                customdata=part[["ours_ms", "peer_ms"]],
                hovertemplate="%{y}<br>%{customdata[0]:.4f} ms against %{customdata[1]:.3f} ms a draw: "
                "%{x:.0f} times<extra></extra>",
            )
        )
    figure.update_xaxes(type="log", title="times faster")
    figure.update_yaxes(automargin=True)
    return layout(figure, height=170 + 28 * len(rows))


def growth_curves(bench: pd.DataFrame) -> go.Figure:
    """Seconds of a whole bootstrap as systems, documents and draws grow, on logarithmic axes."""
    rows = bench[bench["part"] == "growth"]
    panels = rows["along"].unique().tolist()
    figure = make_subplots(
        cols=len(panels), shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=panels
    )
    colours = {"pearson": BLUE, "kendall": VERMILLION}
    for (along, level, coefficient), part in rows.groupby(["along", "level", "coefficient"], sort=False):
        figure.add_trace(
            go.Scatter(
                x=part["size"],
                y=part["seconds"],
                mode="lines+markers",
                name=f"{coefficient.title()}, {level}",
                legendgroup=f"{coefficient} {level}",
                showlegend=along == panels[0],
                line={"color": colours[coefficient], "dash": "solid" if level == "system" else "dash"},
                hovertemplate=f"%{{x}} {along}: %{{y:.3g}} s<extra></extra>",
            ),
            row=1,
            col=panels.index(along) + 1,
        )
    figure.update_xaxes(type="log")
    figure.update_yaxes(type="log")
    figure.update_yaxes(title="seconds", col=1)
    return layout(figure, height=420)
