"""figures.published_windows: tau in all windows, as far as printed numbers tell it.

Draws the table of `helpers.experiments.published_windows`; called by the notebook published_windows.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.panels import Panels, grid, heatmap, in_cell, in_ink
from helpers.kit.theme import BLUE, VERMILLION

_TAU = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def rebuilt_heatmap(windows: pd.DataFrame) -> go.Figure:
    """Lower ends down, upper ends across, one panel per data set; a dropdown for the metric.

    Parameters
    ----------
    windows : DataFrame of `helpers.experiments.published_windows.grid`
    """
    starts, ends = (np.unique(windows[name]).tolist() for name in ("from_percent", "to_percent"))
    down, across = ([f"{end:g}" for end in percents] for percents in (starts, ends))
    rows = windows.to_dict("records")
    middle = windows[["at_least", "at_most"]].mean(axis=1)
    texts = [in_cell(_either(row["at_least"], row["at_most"])) for row in rows]
    told = windows.assign(
        middle=middle,
        text=[in_ink(text, value, _TAU) for text, value in zip(texts, middle, strict=True)],
        hover=[_hover(row) for row in rows],
    )
    sheet = Panels(windows["dataset"].unique().tolist(), column="dataset", gap=0.1)
    for (dataset, metric), part in told.groupby(["dataset", "metric"], sort=False):
        trace = heatmap(across, down, colours=_TAU, low=-1, high=1) | {
            key: grid(part, "from_percent", "to_percent", starts, ends, column, nothing)
            for key, column, nothing in (
                ("z", "middle", None),
                ("text", "text", ""),
                ("hovertext", "hover", ""),
            )
        }
        trace |= {"hovertemplate": "%{hovertext}<extra></extra>"}
        sheet.add(trace, dataset, of={"metric": metric})
    sheet.x(title="to this share of the closest pairs (%)", showgrid=False, dtick=20)
    sheet.y(title="from this share (%)", autorange="reversed", showgrid=False)
    return sheet.menu("Metric", "metric").figure(height=470)


def _either(low: float, high: float) -> str:
    return f"{low:.2f}" if low == high else f"{low:.2f} or {high:.2f}"


def _hover(row: dict) -> str:
    lines = [
        f"{row['from_percent']:g} to {row['to_percent']:g} %: {row['n_pairs']} pairs",
        f"τ = {_either(row['at_least'], row['at_most'])}",
    ]
    if row["from_percent"] > 0:
        lines.append(f"in the released plot {_either(row['released_low'], row['released_high'])}")
    return "<br>".join(lines)
