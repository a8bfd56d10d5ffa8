"""figures.normality: how each metric's scores stand a test of normality.

Draws the table of `helpers.experiments.normality`; called by the notebook normality.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels
from helpers.kit.theme import GREY, metric_style

_AXES = {"system": "p-value of the systems' means", "summary": "documents on which normality is rejected (%)"}


def normality_dots(tests: pd.DataFrame, *, alpha: float) -> go.Figure:
    """The p-value of the test on the systems' means beside the documents on which it rejects.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.normality.with_intervals`
    alpha : float
        Where the dotted lines stand: the p-value that rejects, and the percentage that does so by chance.
    """
    metrics = sorted(  # people's scores, grey, on top
        tests["metric"].unique(), key=lambda name: (metric_style(name).colour != GREY, name), reverse=True
    )
    sheet = Panels(_AXES, titles=["system level", "summary level"])
    for level, called in _AXES.items():
        marks(
            tests[tests["level"] == level],
            x="value",
            y="metric",
            series="dataset",
            colour="metric",
            order=metrics,
            hover=["n_used"],
            labels={"value": called},
            sheet=sheet,
            at={"panel": level},
        )
        sheet.axis("x", level, title={"text": called})
    sheet.axis("x", "system", type="log", dtick=1, exponentformat="none")
    sheet.rule(x=alpha, panels=["system"]).rule(x=100 * alpha, panels=["summary"])
    return sheet.y(title="metric").figure(height=190 + 32 * len(metrics))
