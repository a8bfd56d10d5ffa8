"""figures.summaries: correlations within documents, and how much higher those of systems are.

Draws the table of `helpers.experiments.summaries`; called by the notebook summaries and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels
from helpers.kit.theme import correlation_axis
from metaeval.tables.labels import words

_TITLES = {"summary": "judging summaries", "difference": "systems minus summaries"}


def level_dots(results: pd.DataFrame) -> go.Figure:
    """Left the correlation at summary level, right how much higher it is at system level.

    A dropdown picks the coefficient and which documents are averaged.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.summaries.table`
    """
    shown = results[results["level"].isin(_TITLES)].sort_values(
        "level", key=pd.Index(_TITLES).get_indexer, kind="stable"
    )
    coefficient = shown["coefficient"].map(lambda name: words("coefficient", name))
    shown = shown.assign(view=coefficient + ", " + shown["documents"])
    metrics = shown["metric"].unique().tolist()[::-1]
    sheet = Panels(_TITLES, titles=list(_TITLES.values()))
    sheet.x(**correlation_axis([*shown["value"], *shown.get("low", [])]))
    for level, called in (
        ("summary", "correlation with people"),
        ("difference", "difference of correlations"),
    ):
        marks(
            shown[shown["level"] == level],
            x="value",
            y="metric",
            series="group",
            colour="metric",
            menu="view",
            order=metrics,
            hover=["n_used"],
            labels={"value": called},
            size=11,
            sheet=sheet,
            at={"panel": level},
        )
        sheet.axis("x", level, title={"text": called})
    sheet.y(title="metric")
    height = dot_height(metrics, shown["group"].unique())
    return sheet.menu("Documents", "view").figure(height=height)
