"""figures.test_set: intervals from the judged documents beside those from all.

Draws the table of `helpers.experiments.test_set`; called by the notebook test_set and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import GREY, Style, correlation_axis

_DRAWN_AGAIN = {
    "Boot-Inputs": "documents (Boot-Inputs)",
    "Boot-Systems": "systems (Boot-Systems)",
    "Boot-Both": "both (Boot-Both)",
}
_SAMPLES = {"all documents": Style(GREY), "judged documents": Style(GREY, symbol="circle-open")}


def interval_pairs(intervals: pd.DataFrame) -> go.Figure:
    """One row per metric with two intervals; dropdowns for the data set and for what is drawn again.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.test_set.interval_table`, of one or more data sets
    """
    metrics = intervals["metric"].unique().tolist()[::-1]
    sheet = marks(
        intervals,
        x="value",
        y="metric",
        series="sample",
        colour="metric",
        style=_SAMPLES,
        name={sample: f"metric over {sample}" for sample in _SAMPLES},
        labels={"value": "Kendall's τ with people, system level"},
        menu="dataset",
        moved_by="method",
        order=metrics,
        hover=["n_documents", "width"],
        digits=2,
        size=11,
    )
    sheet.x(**correlation_axis([*intervals["low"], *intervals["high"]]))
    labels = [_DRAWN_AGAIN.get(method, method) for method in intervals["method"].unique()]
    sheet.menu("Data set", "dataset").moving_menu("Drawn again", labels)
    return sheet.figure(height=150 + 62 * len(metrics))
