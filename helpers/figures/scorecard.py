"""figures.scorecard: how many claims of each paper came out how.

Draws the verdicts of `helpers.papers.claims.to_frame`; called by the notebook scorecard.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.theme import BLUE, GREEN, GREY, ORANGE, SKY, VERMILLION, dropdown, layout
from helpers.papers.claims import DIFFERS, DOES_NOT_HOLD, EXACT, HOLDS, NOT_RUN, PAPERS, WITHIN

VERDICT_COLOURS = {
    EXACT: BLUE,
    WITHIN: SKY,
    HOLDS: GREEN,
    DIFFERS: ORANGE,
    DOES_NOT_HOLD: VERMILLION,
    NOT_RUN: GREY,
}


def verdict_counts(verdicts: pd.DataFrame) -> go.Figure:
    """Stacked bars: how many claims of each paper came out how; a dropdown turns them into shares.

    Parameters
    ----------
    verdicts : DataFrame of `helpers.papers.claims.to_frame`
    """
    papers = verdicts["paper"].replace(PAPERS)
    counts = verdicts.groupby([papers, "verdict"], sort=False).size().unstack(fill_value=0)
    figure = go.Figure()
    for verdict, colour in VERDICT_COLOURS.items():
        if verdict not in counts:
            continue
        figure.add_trace(
            go.Bar(
                x=counts[verdict],
                y=counts.index,
                orientation="h",
                name=verdict,
                marker={"color": colour},
                text=[n or "" for n in counts[verdict]],
                textposition="inside",
                hovertemplate=f"%{{y}}<br>{verdict}: %{{x}}<extra></extra>",
            )
        )
    figure.update_xaxes(title="claims")
    figure.update_yaxes(automargin=True, autorange="reversed")
    units = [
        {"barnorm": "", "xaxis.title.text": "claims"},
        {"barnorm": "percent", "xaxis.title.text": "claims, %"},
    ]
    menus = [dropdown("Bars", ["numbers", "shares"], units, method="relayout")]
    return layout(figure, height=170 + 60 * len(counts), barmode="stack", updatemenus=menus)
