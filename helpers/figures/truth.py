"""Figures of methods held against a known truth."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from helpers.figures.theme import (
    BLUE,
    GREEN,
    GREY,
    LEVEL_LABELS,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    dropdown,
    layout,
)

COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
_TEST_COLOURS = {"Williams": GREY, "Boot": BLUE, "Perm": VERMILLION}
_DASHES = {"Systems": "dash", "Inputs": "dot", "Both": "solid"}


def true_coverage_dots(results: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Coverage by method, one panel a target, one mark a size; a dropdown picks the level.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.coverage`
    """
    levels, targets = results["level"].unique().tolist(), results["target"].unique().tolist()
    sizes = list(results[["n_systems", "n_documents"]].drop_duplicates().itertuples(index=False, name=None))
    figure = make_subplots(
        cols=len(targets),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[_broken(t) for t in targets],
    )
    shown = []
    for (level, target, n, m), rows in results.groupby(
        ["level", "target", "n_systems", "n_documents"], sort=False
    ):
        shown.append(level)
        colour = COLOURS[sizes.index((n, m)) % len(COLOURS)]
        figure.add_trace(
            go.Scatter(
                x=rows["value"],
                y=rows["method"],
                mode="markers",
                name=f"{n} systems, {m} documents",
                legendgroup=f"{n} {m}",
                showlegend=target == targets[0],
                visible=level == levels[0],
                marker={"size": 10, "color": colour},
                error_x={
                    "type": "data",
                    "array": 1.96 * rows["standard_error"],
                    "width": 0,
                    "thickness": 1.5,
                },
                hovertemplate=f"%{{y}}, {n} systems, {m} documents<br>coverage %{{x:.2f}}<extra></extra>",
            ),
            row=1,
            col=targets.index(target) + 1,
        )
    figure.add_vline(x=confidence_level, line={"color": GREY, "dash": "dot", "width": 1.5})
    figure.update_xaxes(title="coverage", range=[-0.05, 1.05], dtick=0.5)
    figure.update_yaxes(automargin=True, showgrid=True)
    choices = [{"visible": [s == level for s in shown]} for level in levels]
    labels = [f"comparing {LEVEL_LABELS[level]}" for level in levels]
    menus = [dropdown("Level", labels, choices)] if len(levels) > 1 else []
    return layout(figure, height=440, updatemenus=menus).update_layout(margin_t=85)


def rejection_curves(results: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Share of trials in which a test rejects against the true difference, one panel a size.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.rejections`
    """
    sizes = list(results[["n_systems", "n_documents"]].drop_duplicates().itertuples(index=False, name=None))
    figure = make_subplots(
        cols=len(sizes),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[_broken(f"{n} systems, {m} documents") for n, m in sizes],
    )
    for (n, m, test), rows in results.groupby(["n_systems", "n_documents", "test"], sort=False):
        family, _, what = test.partition("-")
        rows = rows.sort_values("difference")
        figure.add_trace(
            go.Scatter(
                x=rows["difference"],
                y=rows["value"],
                mode="lines+markers",
                name=test,
                legendgroup=test,
                showlegend=(n, m) == sizes[0],
                line={"color": _TEST_COLOURS[family], "dash": _DASHES.get(what, "dashdot"), "width": 2},
                error_y={"type": "data", "array": 1.96 * rows["standard_error"], "width": 0, "thickness": 1},
                hovertemplate=f"{test}<br>difference %{{x:.2f}}: rejects %{{y:.2f}}<extra></extra>",
            ),
            row=1,
            col=sizes.index((n, m)) + 1,
        )
    figure.add_hline(y=alpha, line={"color": GREY, "dash": "dot", "width": 1.5})
    figure.update_xaxes(title="true difference", rangemode="tozero")
    figure.update_yaxes(title="share that rejects", range=[-0.03, 1.03], col=1)
    figure.update_yaxes(range=[-0.03, 1.03])
    return layout(figure, height=480).update_layout(margin_t=85)


def _broken(title: str) -> str:
    """A long title on two lines."""
    return title.replace(", ", ",<br>")
