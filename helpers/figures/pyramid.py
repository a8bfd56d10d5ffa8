"""Figures of the Pyramid part: presence, units, the curve from Lite³ to Lite²Pyramid, the leaderboard."""

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
    PURPLE,
    VERMILLION,
    correlation_axis,
    dropdown,
    error_bars,
    layout,
    metric_style,
)

# one colour a presence model, one symbol a kind of unit
_PRESENCE = {
    "words": (BLUE, "circle"),
    "rare words": (BLUE, "diamond"),
    "word pairs": (BLUE, "square"),
    "light without vectors": (VERMILLION, "diamond"),
    "light": (VERMILLION, "circle"),
    "nli": (PURPLE, "circle"),
}
_UNITS = {
    "SCU": (GREEN, "circle", "SCUs, by people"),
    "STU": (ORANGE, "diamond", "STUs, as released"),
    "extracted": (PURPLE, "square", "STUs, by our extractor"),
}
_ORDERS = {
    "easiest first": (VERMILLION, "solid"),
    "hardest first": (BLUE, "dot"),
    "random": (GREY, "dash"),
}
_DATASETS = {"lite-realsumm": "REALSumm", "lite-pyrxsum": "PyrXSum"}


def presence_calibration(table: pd.DataFrame) -> go.Figure:
    """Share of units that people found against what a model said, a line a model; the diagonal is perfect.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.units.calibration_table`
    """
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": GREY, "dash": "dot", "width": 1},
            showlegend=False,
        )
    )
    for name, part in table.groupby("presence", sort=False):
        colour, symbol = _PRESENCE.get(name, (GREY, "circle"))
        figure.add_trace(
            go.Scatter(
                x=part["predicted"],
                y=part["present"],
                mode="lines+markers",
                name=name,
                customdata=part["n"],
                line={"color": colour, "dash": "solid" if symbol == "circle" else "dash"},
                marker={"symbol": symbol, "size": 9},
                hovertemplate=f"{name}: said %{{x:.2f}}, %{{y:.2f}} of %{{customdata}}<extra></extra>",
            )
        )
    figure.update_xaxes(title="presence that the model says", range=[-0.02, 1.02], dtick=0.25)
    figure.update_yaxes(title="share that people found", range=[-0.02, 1.02], dtick=0.25)
    return layout(figure, height=440)


def presence_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation of each presence model's score, a panel a level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.units.presence_table`
    """
    styles = {name: (*_PRESENCE.get(name, (GREY, "circle")), name) for name in table["metric"].unique()}
    return _dots(table, row="metric", series=None, styles=styles)


def unit_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation by presence model and kind of units, a panel a level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.units.unit_correlations`
    """
    return _dots(table, row="metric", series="units", styles=_UNITS)


def _dots(table: pd.DataFrame, *, row: str, series: str | None, styles: dict) -> go.Figure:
    coefficients, levels = table["coefficient"].unique().tolist(), table["level"].unique().tolist()
    names = table[row].unique().tolist()
    kinds = table[series].unique().tolist() if series else [None]
    keys = ["coefficient", "level", row] + [series] * bool(series)
    cells = table.set_index(keys)["value"]
    figure = make_subplots(
        cols=len(levels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[f"comparing {LEVEL_LABELS[level]}" for level in levels],
    )

    def values(coefficient, level, kind):
        return [float(cells[(coefficient, level, name) + ((kind,) if series else ())]) for name in names]

    traces = [(level, kind) for level in levels for kind in kinds]
    for level, kind in traces:
        marker = (
            {"symbol": styles[kind][1], "color": styles[kind][0]}
            if series
            else {"symbol": [styles[n][1] for n in names], "color": [styles[n][0] for n in names]}
        )
        figure.add_trace(
            go.Scatter(
                x=values(coefficients[0], level, kind),
                y=names,
                mode="markers",
                name=styles[kind][2] if series else "",
                legendgroup=str(kind),
                showlegend=bool(series) and level == levels[0],
                marker={"size": 11, **marker},
                hovertemplate="%{y}: %{x:.3f}<extra></extra>",
            ),
            row=1,
            col=levels.index(level) + 1,
        )
    figure.update_xaxes(**correlation_axis(table["value"]))
    figure.update_yaxes(automargin=True, showgrid=True, autorange="reversed")
    choices = [{"x": [values(c, level, kind) for level, kind in traces]} for c in coefficients]
    labels = [COEFFICIENT_LABELS[c] for c in coefficients]
    menus = [dropdown("Coefficient", labels, choices)] if len(coefficients) > 1 else []
    return layout(figure, height=190 + 32 * len(names), updatemenus=menus)


def replacement_curves(curve: pd.DataFrame) -> go.Figure:
    """Correlation against the share of sentences that get STUs; the band holds 95 percent of the random
    orders.

    Parameters
    ----------
    curve : DataFrame of `helpers.metrics.pyramid.easiness.replacement_curve`, with a column dataset
        Each panel has an axis of its own: the differences are small.
    """
    levels, datasets = curve["level"].unique().tolist(), curve["dataset"].unique().tolist()
    figure = make_subplots(
        rows=len(levels),
        cols=len(datasets),
        shared_xaxes=True,
        horizontal_spacing=0.1,
        vertical_spacing=0.1,
        subplot_titles=[
            f"{_DATASETS.get(name, name)}, comparing {LEVEL_LABELS[level]}"
            for level in levels
            for name in datasets
        ],
    )
    for i, level in enumerate(levels, start=1):
        for j, name in enumerate(datasets, start=1):
            for order, (colour, dash) in _ORDERS.items():
                part = curve[
                    (curve["level"] == level) & (curve["dataset"] == name) & (curve["order"] == order)
                ]
                if part.empty:
                    continue
                if order == "random":
                    figure.add_trace(
                        go.Scatter(
                            x=[*part["share"], *part["share"][::-1]],
                            y=[*part["high"], *part["low"][::-1]],
                            fill="toself",
                            mode="none",
                            fillcolor="rgba(138, 138, 138, 0.25)",
                            hoverinfo="skip",
                            showlegend=False,
                        ),
                        row=i,
                        col=j,
                    )
                figure.add_trace(
                    go.Scatter(
                        x=part["share"],
                        y=part["value"],
                        mode="lines+markers",
                        name=order,
                        legendgroup=order,
                        showlegend=(i, j) == (1, 1),
                        line={"color": colour, "dash": dash},
                        marker={"size": 6},
                        hovertemplate=f"{order}, %{{x:.0%}} STUs: %{{y:.3f}}<extra></extra>",
                    ),
                    row=i,
                    col=j,
                )
    figure.update_xaxes(tickformat=".0%", dtick=0.25)
    figure.update_xaxes(title="sentences with STUs", row=len(levels))
    figure.update_yaxes(title="Pearson's r", col=1)
    return layout(figure, height=170 + 270 * len(levels))


def easiness_scatter(sentences: pd.DataFrame) -> go.Figure:
    """Predicted against true easiness, a point a sentence.

    Parameters
    ----------
    sentences : DataFrame with columns document, sentence, easiness, predicted
    """
    known = sentences.dropna(subset=["easiness", "predicted"])
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": GREY, "dash": "dot", "width": 1},
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=known["predicted"],
            y=known["easiness"],
            mode="markers",
            showlegend=False,
            text=known["document"] + ", sentence " + (known["sentence"] + 1).astype(str),
            marker={"color": VERMILLION, "size": 7, "opacity": 0.6},
            hovertemplate="%{text}: predicted %{x:.2f}, true %{y:.2f}<extra></extra>",
        )
    )
    figure.update_xaxes(title="predicted easiness", range=[-0.02, 1.02], dtick=0.25)
    figure.update_yaxes(title="easiness", range=[-0.02, 1.02], dtick=0.25)
    return layout(figure, height=440)


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlation of every metric with its confidence interval, best at the top; a dropdown picks level and
    coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.leaders`
    """
    kinds = list(dict.fromkeys(zip(table["level"], table["coefficient"], strict=True)))
    kinds.sort(key=lambda kind: (kind[0] != "summary", kind[1] != "pearson"))
    figure = go.Figure()
    for kind in kinds:
        part = table[(table["level"] == kind[0]) & (table["coefficient"] == kind[1])].sort_values("value")
        styles = [metric_style(metric) for metric in part["metric"]]
        figure.add_trace(
            go.Scatter(
                x=part["value"],
                y=part["metric"],
                mode="markers",
                visible=kind == kinds[0],
                showlegend=False,
                marker={
                    "color": [style.colour for style in styles],
                    "symbol": [style.symbol for style in styles],
                    "size": 10,
                },
                error_x=error_bars(part["value"], part["low"], part["high"]),
                customdata=part[["low", "high"]],
                hovertemplate="%{y}: %{x:.3f} [%{customdata[0]:.3f}, %{customdata[1]:.3f}]<extra></extra>",
            )
        )
    figure.update_xaxes(**correlation_axis([*table["value"], *table["low"]]))
    figure.update_yaxes(automargin=True, showgrid=True)
    labels = [f"{COEFFICIENT_LABELS[c]}, comparing {LEVEL_LABELS[level]}" for level, c in kinds]
    choices = [{"visible": [other == kind for other in kinds]} for kind in kinds]
    return layout(
        figure,
        height=160 + 26 * table["metric"].nunique(),
        updatemenus=[dropdown("Correlation", labels, choices)],
    )


def pairing_spread(table: pd.DataFrame) -> go.Figure:
    """What the choice of pairs of systems makes of each metric's correlation: a box a metric, a panel a
    level.

    Parameters
    ----------
    table : DataFrame of `helpers.metrics.pyramid.folds.pairing_table`
    """
    levels = table["level"].unique().tolist()
    figure = make_subplots(
        cols=len(levels),
        shared_yaxes=True,
        horizontal_spacing=0.04,
        subplot_titles=[f"comparing {LEVEL_LABELS[level]}" for level in levels],
    )
    for j, level in enumerate(levels, start=1):
        for row in table[table["level"] == level].itertuples():
            figure.add_trace(
                go.Box(
                    x=row.values,
                    name=row.metric,
                    boxpoints=False,
                    showlegend=False,
                    line={"color": metric_style(row.metric).colour},
                    fillcolor="rgba(0,0,0,0)",
                ),
                row=1,
                col=j,
            )
    figure.update_xaxes(**correlation_axis([table["lowest"].min()]))
    figure.update_yaxes(automargin=True, autorange="reversed")
    return layout(figure, height=170 + 34 * table["metric"].nunique())
