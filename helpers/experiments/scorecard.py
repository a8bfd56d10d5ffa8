"""experiments.scorecard: how many claims of each paper came out how.

Draws the counts of `helpers.kit.claims.frame.counts`; called by the notebook scorecard.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.claims.claim import (
    EXACT,
    PAPERS,
)
from helpers.kit.panels import Panels
from helpers.kit.theme import dropdown
from helpers.kit.verdicts import VERDICT_COLOURS

_LEGIBLE = {"minsize": 10, "mode": "hide"}  # a number without room for it says nothing


def verdict_counts(counts: pd.DataFrame) -> go.Figure:
    """Stacked bars: the share of each paper's claims that came out so; a dropdown shows numbers instead.

    Parameters
    ----------
    counts : DataFrame of `helpers.kit.claims.frame.counts`
    """
    sheet = Panels()
    for verdict, of_paper in counts.items():
        sheet.add(
            {
                "type": "bar",
                "x": of_paper.tolist(),
                "y": [PAPERS.get(paper, paper) for paper in counts.index],
                "orientation": "h",
                "name": verdict,
                "marker": {"color": VERDICT_COLOURS[verdict]},
                "text": [n or "" for n in of_paper],
                "textposition": "inside",
                "insidetextfont": {"color": "#FFFFFF" if verdict == EXACT else "#000000"},
                "hovertemplate": f"%{{y}}<br>{verdict}: %{{text}} claims<extra></extra>",
            }
        )
    units = {"shares": ("percent", "claims, %"), "numbers": ("", "claims")}
    changes = [{"barnorm": norm, "xaxis.title.text": title} for norm, title in units.values()]
    sheet.controls.append(dropdown("Bars", list(units), changes, method="relayout"))
    sheet.x(title=units["shares"][1]).y(title="paper", automargin=True, autorange="reversed")
    figure = sheet.figure(
        height=170 + 60 * len(counts), barmode="stack", barnorm="percent", uniformtext=_LEGIBLE
    )
    return figure.update_layout(legend_traceorder="normal")
