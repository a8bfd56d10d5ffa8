"""figures.variance: how firmly documents fix scores and rankings.

Draws the tables of `helpers.experiments.variance`; called by the notebook variance and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import band
from helpers.kit.theme import BLUE, ORANGE, Style, faint, log_axis, metric_style

_SAMPLES = {"few": Style(BLUE), "many": Style(ORANGE)}
# also where the larger draws come from the few documents that were judged
_CALLED = {"few": "as many documents as were judged", "many": "as many as the test set holds"}
_KINDS = {
    "own": "each system's own percentiles",
    "drawn": "percentiles of all systems together (the release)",
}
_SHIFT = 0.22  # of the intervals of one system, left and right of its place


def score_intervals(variances: pd.DataFrame) -> go.Figure:
    """Two intervals per system, by mean score; dropdowns for the score and for how an interval is taken.

    Parameters
    ----------
    variances : DataFrame of `helpers.experiments.variance.score_variance`, of one data set
    """
    few = variances[variances["sample"] == "few"]
    rank = few.groupby("metric")["mean"].rank(method="first") - 1
    keys = ["metric", "system"]
    places = few[keys].assign(place=rank)
    shift = variances["sample"].map({"few": -_SHIFT, "many": _SHIFT})
    shown = variances.assign(shift=shift).merge(places, on=keys).sort_values("place", kind="stable")
    shown = shown.assign(place=shown["place"] + shown["shift"], kind="own")
    drawn = shown.assign(low=shown["drawn_low"], high=shown["drawn_high"], kind="drawn")
    sizes = variances.groupby("sample")["n_documents"].first()
    sheet = marks(
        pd.concat([shown, drawn], ignore_index=True),
        x="place",
        y="mean",
        series="sample",
        style=_SAMPLES,
        name={sample: f"{_CALLED[sample]} ({size:,})" for sample, size in sizes.items()},
        menu="kind",
        moved_by="metric",
        point="system",
        hover=["n_documents"],
        digits=2,
        size=4,
    )
    for trace in sheet.data:
        trace["error_y"] |= {"thickness": 4}
    sheet.x(title="systems, by mean score", showticklabels=False, tickvals=[], zeroline=False)
    sheet.y(zeroline=False).moving_menu("Metric").menu("Interval from", "kind", list(_KINDS.values()))
    return sheet.figure(height=470)


def stability_curves(stability: pd.DataFrame) -> go.Figure:
    """Tau between two rankings against the number of documents, with bands; a dropdown picks the data set.

    Parameters
    ----------
    stability : DataFrame of `helpers.experiments.variance.with_band`, of one or more data sets
    """
    sheet = marks(
        stability,
        x="n_documents",
        y="value",
        mode="lines+markers",
        series="metric",
        labels={"n_documents": "documents, M", "value": "τ between two rankings"},
        menu="dataset",
        hover=["standard_deviation"],
        bars=False,
        digits=2,
        size=6,
    )
    for (dataset, metric), rows in stability.groupby(["dataset", "metric"], sort=False):
        colour = metric_style(metric).colour
        shape = band(
            rows["n_documents"],
            rows["below"],
            rows["above"],
            colour,
            fillcolor=faint(colour, 0.08),
            legendgroup=metric,
        )
        sheet.add(shape, of={"dataset": dataset}, first=True)
    sheet.x(**log_axis(stability["n_documents"].min(), stability["n_documents"].max()))
    return sheet.y(range=[0, 1.02]).menu("Data set", "dataset").figure(height=500)
