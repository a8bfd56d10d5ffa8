"""figures.lite2x: the way from people's units to a machine's, and how easy sentences are.

Draws the tables of `helpers.experiments.lite2x`; called by the notebook lite2x and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels, band, diagonal
from helpers.kit.theme import BLUE, GREY, VERMILLION, Style, share_axis
from metaeval.tables.labels import words

_DATASETS = {"lite-realsumm": "REALSumm", "lite-pyrxsum": "PyrXSum"}
_ORDERS = {
    "easiest first": Style(VERMILLION, "solid"),
    "hardest first": Style(BLUE, "dot"),
    "random": Style(GREY, "dash"),
}


def replacement_curves(curve: pd.DataFrame) -> go.Figure:
    """Correlation against the share of sentences that get STUs; the band holds 95 percent of random orders.

    Each panel has an axis of its own: the differences are small.

    Parameters
    ----------
    curve : DataFrame, the curve of `helpers.experiments.lite2x.tables`
    """
    sheet = marks(
        curve,
        x="share",
        y="value",
        mode="lines+markers",
        panel="dataset",
        row="level",
        series="order",
        style=_ORDERS,
        ends=("q2.5", "q97.5"),
        bars=False,
        size=6,
        gap=0.1,
        own_y=True,
        titles=[_DATASETS.get(name, name) for name in curve["dataset"].unique()],
    )
    for (level, dataset), part in curve[curve["order"] == "random"].groupby(["level", "dataset"], sort=False):
        around = band(part["share"], part["q2.5"], part["q97.5"], GREY)
        sheet.add(around, panel=dataset, row=level, first=True)
    sheet.x(title="sentences with STUs", **share_axis(-0.03, 1.03, step=0.25))
    sheet.y(title=words("coefficient", curve["coefficient"].iloc[0]))
    return sheet.figure(height=170 + 270 * curve["level"].nunique())


def easiness_scatter(sentences: pd.DataFrame) -> go.Figure:
    """Predicted against true easiness, one point per sentence, one panel per data set.

    Parameters
    ----------
    sentences : DataFrame with columns dataset, document, sentence, easiness, predicted
    """
    known = sentences.dropna(subset=["easiness", "predicted"])
    named = known.assign(name=known["document"] + ", sentence " + (known["sentence"] + 1).astype(str))
    names = known["dataset"].unique().tolist()
    sheet = Panels(names, titles=[_DATASETS.get(name, name) for name in names])
    for name in names:
        sheet.add(diagonal(0, 1), name)
    marks(
        named,
        x="predicted",
        y="easiness",
        panel="dataset",
        point="name",
        style={(): Style(VERMILLION)},
        digits=2,
        size=5,
        sheet=sheet,
    )
    sheet.layout["showlegend"] = False
    sheet.x(title="predicted easiness", range=[-0.02, 1.02], dtick=0.25)
    sheet.y(title="true easiness", range=[-0.02, 1.02], dtick=0.25)
    return sheet.figure(height=440)
