"""figures.topk: what is left of a correlation when only the best systems are compared.

Draws the tables of `helpers.experiments.topk`; called by the notebook topk
and by live blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.theme import correlation_axis, metric_style
from metaeval.tables.labels import COEFFICIENT_LABELS, GROUP_LABELS

_SYMBOLS = 10  # of a line


def top_k_curves(results: pd.DataFrame, *, beside: pd.DataFrame | None = None) -> go.Figure:
    """One panel per group of systems, one line per metric over *k*; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.topk.table` for one data set
        Intervals stand in the hover: those of many lines would hide each other.
    beside : DataFrame of `metaeval.analysis.topk.table`, optional
        Of a figure to compare this one with: the axis has room for its correlations as well.
    """
    sheet = marks(
        results,
        x="k",
        y="value",
        mode="lines+markers",
        panel="group",
        series="metric",
        menu="coefficient",
        bars=False,
        digits=2,
        size=6,
        gap=0.03,
    )
    for trace in sheet.data:
        trace["marker"]["maxdisplayed"] = _SYMBOLS  # among more the dashes would not show
    shown = results["value"] if beside is None else pd.concat([results["value"], beside["value"]])
    sheet.x(title="best systems, k", dtick=4 if results["k"].max() <= 30 else 10)
    return (
        sheet.y(**correlation_axis(shown))
        .menu("Coefficient", "coefficient")
        .figure(height=480, legend_above=True)
    )


def top_k_dots(results: pd.DataFrame) -> go.Figure:
    """All metrics at one *k*, which a slider moves; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.topk.table` for one data set
        Columns low and high, where there are any, are drawn as bars.
    """
    ks = results["k"].unique()
    metrics = ordered(results[results["k"] == ks.max()])
    sheet = marks(
        results,
        x="value",
        y="metric",
        series="group",
        colour="metric",
        menu="coefficient",
        moved_by="k",
        start=min(sorted(ks), key=lambda k: abs(k - 10)),
        order=metrics,
        digits=2,
        size=10,
    )
    sheet.x(
        title="correlation on the top k", **correlation_axis([*results["value"], *results.get("low", [])])
    )
    sheet.menu("Coefficient", "coefficient").slider("k", about="Number of best systems, k")
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


def topk_explorable(
    results: Sequence[pd.DataFrame], means: pd.DataFrame, *, k: int, confidence_level: float
) -> dict[str, object]:
    """The panel of the *k* best systems.

    Parameters
    ----------
    results : DataFrames of `metaeval.analysis.topk.table`, a data set each, the first one first
    means : DataFrame of `metaeval.analysis.systems.means` of these data sets
    k : int
        Where the slider stands.
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    table = pd.concat(results, ignore_index=True)
    first = table.iloc[0]
    group = table.loc[table["dataset"] == first["dataset"], "group"].iloc[-1]
    return {
        "kind": "topk",
        "alt": "A panel in which k, the metric, the systems, the coefficient and the data can be moved.",
        "start": {"k": k, "metric": first["metric"], "group": group},
        "confidence_level": confidence_level,
        "words": {
            "group": GROUP_LABELS,
            "coefficient": COEFFICIENT_LABELS,
            "dataset": labels_of(table, "dataset"),
            "system": system_labels(means),
        },
        "colours": {metric: metric_style(metric).colour for metric in table["metric"].unique()},
        "tables": {
            "topk": table_as_json(
                table, ["dataset", "group", "k", "coefficient", "metric"], ["value", "low", "high"]
            ),
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "system_type", "metric", "human", "value"]),
        },
    }
