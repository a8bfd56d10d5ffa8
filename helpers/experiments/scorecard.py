"""experiments.scorecard: how many claims of each paper came out how?

All papers of the book; counts of `helpers.kit.claims.frame.counts`.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.claims.claim import EXACT, PAPERS
from helpers.kit.panels import Panels
from helpers.kit.theme import dropdown
from helpers.kit.verdicts import VERDICT_COLOURS

_LEGIBLE = {"minsize": 10, "mode": "hide"}  # a number without room for it says nothing


def verdict_counts(counts: pd.DataFrame) -> go.Figure:
    """Stacked bars of each paper's claims by verdict, in shares; a dropdown shows numbers instead."""
    sheet, papers = Panels(), [PAPERS.get(paper, paper) for paper in counts.index]
    for verdict, numbers in counts.items():
        trace = {
            "type": "bar", "orientation": "h", "x": numbers.tolist(), "y": papers, "name": verdict,
            "marker": {"color": VERDICT_COLOURS[verdict]}, "text": [n or "" for n in numbers],
            "textposition": "inside",
            "insidetextfont": {"color": "#FFFFFF" if verdict == EXACT else "#000000"},
            "hovertemplate": f"%{{y}}<br>{verdict}: %{{text}} claims<extra></extra>",
        }  # fmt: skip
        sheet.add(trace)
    units = {"shares": ("percent", "claims, %"), "numbers": ("", "claims")}
    changes = [{"barnorm": norm, "xaxis.title.text": title} for norm, title in units.values()]
    sheet.controls.append(dropdown("Bars", list(units), changes, method="relayout"))
    sheet.x(title=units["shares"][1]).y(title="paper", automargin=True, autorange="reversed")
    bars = {"barmode": "stack", "barnorm": "percent", "uniformtext": _LEGIBLE}
    return sheet.figure(height=170 + 60 * len(papers), **bars).update_layout(legend_traceorder="normal")
