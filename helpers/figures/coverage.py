"""figures.coverage: how often intervals hold what they promise to hold.

Draws the table of `helpers.experiments.coverage`; called by the notebook coverage and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import GREY, SYMBOLS
from metaeval.tables.labels import words


def coverage_dots(coverage: pd.DataFrame, printed: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Share of held-out correlations that each method's intervals contain, one panel per level.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.coverage.table`, of one or more data sets
    printed : DataFrame with columns dataset, level, method, value
        Drawn hollow around the measured shares.
    confidence_level : float
        Drawn as a line.
    """
    methods, datasets = coverage["method"].unique().tolist()[::-1], coverage["dataset"].unique().tolist()
    sheet = marks(
        coverage,
        x="value",
        y="method",
        panel="level",
        series="dataset",
        colour="method",
        order=methods,
        labels={"value": "share contained"},
        hover=["n_trials"],
    )
    shown = printed[printed["level"].isin(sheet.names) & printed["method"].isin(methods)]
    for (level, dataset), rows in shown.groupby(["level", "dataset"], sort=False):
        if dataset not in datasets:
            continue
        called = words("dataset", dataset)
        symbol = f"{SYMBOLS[datasets.index(dataset) % len(SYMBOLS)]}-open"
        trace = {
            "x": rows["value"].tolist(),
            "y": rows["method"].tolist(),
            "mode": "markers",
            "name": "printed",
            "offsetgroup": dataset,
            "orientation": "h",
            "marker": {"symbol": symbol, "size": 15, "color": GREY, "line": {"width": 2}},
            "hovertemplate": f"<b>%{{y}}, {called}</b><br>printed: %{{x:.2f}}<extra></extra>",
        }
        sheet.add(trace, level)
    sheet.x(range=[0.45, 1.03], dtick=0.1).rule(x=confidence_level)
    return sheet.figure(height=210 + 70 * len(methods))
