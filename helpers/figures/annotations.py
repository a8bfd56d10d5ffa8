"""figures.annotations: how far workers agree, and what removing the noisiest does.

Draws the tables of `helpers.experiments.annotations`; called by the notebook annotations and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import GROUP_SYMBOLS, ORANGE, VERMILLION, Style
from metaeval.tables.labels import words

_TYPE_COLOURS = {"abs": ORANGE, "ext": VERMILLION}
_KINDS = {
    (kind, place): Style(_TYPE_COLOURS[kind], symbol=GROUP_SYMBOLS[place])
    for kind in _TYPE_COLOURS
    for place in _TYPE_COLOURS
}
_VOTES = (Style(VERMILLION, symbol="circle"), Style(VERMILLION, symbol="diamond-open"))  # all, without one's
_EFFECTS = {"wrong_labels": "share of wrong labels", "alpha": "mean alpha"}


def worker_agreement(agreement: pd.DataFrame) -> go.Figure:
    """Mean alpha of each system's summaries, one row per system, with its interval.

    Parameters
    ----------
    agreement : DataFrame of `helpers.experiments.annotations.worker_agreement`
    """
    means = agreement.sort_values("value")
    sheet = marks(
        means,
        x="value",
        y="system",
        series=["system_type", "folder"],
        order=means["system"].tolist(),
        style=_KINDS,
        name={
            (kind, place): f"{words('group', kind)}, ratings among the {words('group', place)}"
            for kind, place in _KINDS
        },
        labels={"value": "mean alpha of summaries"},
        size=11,
    )
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.figure(height=170 + 20 * len(means))


def removal_dots(effect: pd.DataFrame) -> go.Figure:
    """One row per crew: share of wrong labels and agreement, with all votes and without the noisiest's.

    Parameters
    ----------
    effect : DataFrame of `helpers.experiments.annotations.removal_effect`
    """
    votes, crews = effect["votes"].unique(), effect["crew"].unique().tolist()
    sheet = marks(
        effect.melt(id_vars=["crew", "votes"], value_vars=list(_EFFECTS), var_name="effect"),
        x="value",
        y="crew",
        panel="effect",
        series="votes",
        order=crews[::-1],
        style=dict(zip(votes, _VOTES, strict=True)),
        name={which: f"votes: {which}" for which in votes},
        titles=list(_EFFECTS.values()),
        labels={"value": "value"},
        size=12,
    )
    for column, title in _EFFECTS.items():
        sheet.axis("x", column, title={"text": title})
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.figure(height=170 + 36 * len(crews))
