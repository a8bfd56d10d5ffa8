"""figures.sampling: what drawing documents by strata is worth.

Draws the table of `helpers.experiments.sampling`; called by the notebook sampling and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import GREY, Style
from metaeval.tables.labels import words

_DESIGNS = {"by mean": Style(GREY, symbol="diamond"), "by mean and spread": Style(GREY, symbol="square")}


def design_ratios(results: pd.DataFrame) -> go.Figure:
    """A panel per quantity: its variance over samples of documents, relative to uniform samples.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.sampling.table`
    """
    shown = results[results["design"] != "uniform"]
    quantities, metrics = shown["quantity"].unique(), shown["metric"].unique().tolist()[::-1]
    sheet = marks(
        shown,
        x="value",
        y="metric",
        panel="quantity",
        series="design",
        colour="metric",
        order=metrics,
        style=_DESIGNS,
        name={design: f"strata {design}" for design in _DESIGNS},
        labels={"value": "variance, uniform = 1"},
        digits=2,
        size=10,
        titles=[
            "a system's mean score" if q == "mean score" else words("coefficient", q) for q in quantities
        ],
        gap=0.03,
    )
    sheet.x(range=[0, 1.5], tickvals=[0, 0.5, 1]).rule(x=1)
    return sheet.figure(height=dot_height(metrics, _DESIGNS))
