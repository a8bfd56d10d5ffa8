"""figures.measures: metrics by every measure, what changes their order, ranks, and confirmed differences.

Draws the tables of `helpers.experiments.measures`; called by the notebook measures and its live block.
"""

from __future__ import annotations

from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels, band, bounds, grid, heatmap, in_ink
from helpers.kit.theme import BLUE, VERMILLION, Style, style_of
from metaeval.tables.labels import words

_FEW = 8  # ranks that each have a number on the axis
_BROKEN = 26  # characters of a measure's name on a line
_PLACES = [[0, "#00664A"], [0.25, "#5DB89B"], [0.6, "#BFE3D8"], [1, "#F1F8F5"]]  # dark is first
_CURVE, _BINS = "curve through all pairs of systems, with its interval", "pairs of systems, in bins"


def place_heatmap(placed: pd.DataFrame) -> go.Figure:
    """Places of metrics (columns) by measures (rows); a dropdown picks the data set.

    Parameters
    ----------
    placed : DataFrame of `helpers.experiments.measures.places`
    """
    measures = placed["measure"].unique().tolist()
    sheet = Panels()
    for dataset, part in placed.groupby("dataset", sort=False):
        metrics = part.groupby("metric", sort=False)["place"].mean().sort_values(kind="stable").index.tolist()
        said = part.assign(
            text=[
                in_ink("" if isnan(place) else f"{place:.0f}", place, _PLACES, low=1, high=len(metrics))
                for place in part["place"]
            ],
        )
        cells = {
            key: grid(said, "measure", "metric", measures, metrics, column, "" if key == "text" else None)
            for key, column in (("z", "place"), ("text", "text"), ("customdata", "value"))
        }
        trace = heatmap(metrics, _short(measures), colours=_PLACES, low=1, high=len(metrics)) | cells
        hover = "<b>%{x}</b><br>%{y}: %{customdata:.3f}<extra></extra>"
        sheet.add(trace | {"hovertemplate": hover}, of={"dataset": dataset})
    sheet.y(title="measure", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="metric", side="bottom", automargin=True, showgrid=False, tickangle=-45)
    return sheet.menu("Data set", "dataset").figure(height=190 + 32 * len(measures))


def _short(names: list[str]) -> list[str]:
    """Names as the book writes them, on two lines where they are long."""
    names = [words("measure", name) for name in names]
    return [name.replace(", ", ",<br>", 1) if len(name) > _BROKEN else name for name in names]


def half_dots(dealt: pd.DataFrame) -> go.Figure:
    """Kendall's tau of two orders of metrics, by what differs between them; a dropdown picks the data set.

    Parameters
    ----------
    dealt : DataFrame of `helpers.experiments.measures.halves`
    """
    shown = dealt.assign(measure=_short(dealt["measure"].tolist()))
    measures = shown["measure"].unique().tolist()[::-1]
    sheet = marks(
        shown, x="value", y="measure", series="changed", menu="dataset", order=measures, size=10,
        labels={"value": "Kendall's τ of the two orders"},
    )  # fmt: skip
    lowest = np.nanmin([*(bounds(shown) or ()), shown["value"]])
    sheet.menu("Data set", "dataset").x(range=[min(-0.05, lowest - 0.05), 1.05])
    return sheet.figure(height=dot_height(measures, [1]))


def rank_intervals(ranked: pd.DataFrame) -> go.Figure:
    """Every metric's place with the ranks that it can have; a dropdown picks the data set.

    Parameters
    ----------
    ranked : DataFrame of `metaeval.analysis.tiers.tiers_table`
    """
    sizes = ranked.groupby("dataset", sort=False).size()
    sheet = Panels()
    order = pd.Categorical(ranked["dataset"], ranked["dataset"].unique())  # not by the alphabet
    shown = ranked.assign(dataset=order).sort_values("place", kind="stable")
    for (dataset, tier), part in shown.groupby(["dataset", "tier"], observed=True):
        look = style_of("tier", tier, tier - 1)
        told = [
            f"<b>{row.metric}</b>, tier {row.tier}<br>rank: {row.place} [{row.best_rank}, {row.worst_rank}]"
            f"<br>correlation with people: {row.value:.3f}<br>told apart from {row.n_apart} others"
            for row in part.itertuples()
        ]
        reach = {
            "array": (part["worst_rank"] - part["place"]).tolist(),
            "arrayminus": (part["place"] - part["best_rank"]).tolist(),
        }
        bars = {"type": "data", "symmetric": False, "width": 0, "thickness": 3}
        marker = {"color": look.colour, "symbol": look.symbol, "size": 11}
        trace = {
            "x": part["place"].tolist(), "y": part["metric"].tolist(), "mode": "markers",
            "name": f"tier {tier}", "marker": marker, "error_x": bars | reach,
            "customdata": told, "hovertemplate": "%{customdata}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, of={"dataset": dataset})
    sheet.y(title="metric", autorange="reversed", automargin=True, showgrid=True)
    most = int(sizes.max())
    sheet.x(title="rank", range=[0.5, most + 0.5], dtick=2 if most > _FEW else 1)
    return sheet.menu("Data set", "dataset").figure(height=170 + 30 * most)


def accuracy_curves(curves: pd.DataFrame, *, accuracy: float) -> go.Figure:
    """Share of pairs that people confirm, by the metric's difference; a dropdown picks the metric.

    Parameters
    ----------
    curves : DataFrame of `helpers.experiments.measures.curves`
    accuracy : float
        Where a rule is drawn.
    """
    one = curves["dataset"].nunique() == 1
    of = curves["dataset"].map(lambda name: "" if one else f"{words('dataset', name)}, ")
    curves = curves.assign(
        which=of + curves["metric"], drawn=[_BINS if bin_ else _CURVE for bin_ in curves["bin"]]
    )
    curves, bins = curves[curves["bin"] == 0], curves[curves["bin"] > 0]
    labels = {"value": "share that people confirm"}
    sheet = marks(
        curves, x="distance", y="value", mode="lines", menu="which", series="drawn", bars=False,
        style={_CURVE: Style(BLUE)}, labels=labels,
    )  # fmt: skip
    for choice, part in curves.groupby("which", sort=False):
        sheet.add(
            band(part["distance"].tolist(), part["low"].tolist(), part["high"].tolist(), BLUE),
            of={"which": choice}, first=True,
        )  # fmt: skip
    sheet = marks(
        bins, x="distance", y="value", menu="which", series="drawn", hover=["n_pairs"],
        style={_BINS: Style(VERMILLION)}, labels=labels, sheet=sheet, at={"panel": None, "row": None},
    )  # fmt: skip
    sheet.rule(y=accuracy).menu("Metric", "which").y(range=[-0.03, 1.03])
    return sheet.x(rangemode="tozero").figure(height=440)
