"""figures.rescored: how near computed scores come to released ones, and what that does to correlations.

Draws the tables of `helpers.experiments.rescored`; called by the notebook rescored and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import correlation_axis, share_axis


def reach_curves(reach: pd.DataFrame) -> go.Figure:
    """Share of the summaries by distance from the released score; a dropdown picks the part.

    Parameters
    ----------
    reach : DataFrame of `helpers.experiments.rescored.reach`
    """
    sheet = marks(
        reach, x="apart", y="value", mode="lines", panel="variant", row="dataset", series="reading",
        menu="part", labels={"value": "share of summaries"},
    )  # fmt: skip
    ticks = [0.01, 0.1, 1, 10]
    sheet.x(
        title="points from the released score",
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
    )
    sheet.y(**share_axis(-0.03, 1.03)).menu("Part", "part")
    return sheet.figure(height=150 + 240 * reach["dataset"].nunique())


def moved_dots(correlations: pd.DataFrame) -> go.Figure:
    """Correlation with people of computed minus released scores, by reading; a dropdown picks the part.

    Parameters
    ----------
    correlations : DataFrame of `helpers.experiments.rescored.correlations`
    """
    named = correlations["metric"].str.split(expand=True)
    shown = correlations.assign(variant=named[0], part=named[1])
    readings = shown["reading"].unique().tolist()[::-1]
    variants = shown["variant"].unique()
    sheet = marks(
        shown, x="value", y="reading", panel="level", row="dataset", series="variant", menu="part",
        order=readings, hover=["of_released", "of_computed"], labels={"value": "recomputed minus released"},
        size=7,
    )  # fmt: skip
    sheet.menu("Part", "part").y(range=[-0.6, len(readings) - 0.4])
    return sheet.figure(height=dot_height(readings * shown["dataset"].nunique(), variants))


def program_dots(people: pd.DataFrame) -> go.Figure:
    """Correlations with people of released scores beside those of scores that are computed here.

    Parameters
    ----------
    people : DataFrame of `helpers.experiments.rescored.people`
    """
    metrics = people["metric"].unique().tolist()[::-1]
    sheet = marks(
        people, x="value", y="metric", panel="level", row="dataset", series="program", order=metrics,
        labels={"value": "correlation with people"}, size=8,
    )  # fmt: skip
    # a series that lacks a row leaves it out of the automatic range
    sheet.x(**correlation_axis(people["low"])).y(range=[-0.6, len(metrics) - 0.4])
    return sheet.figure(height=dot_height(metrics * people["dataset"].nunique(), people["program"].unique()))
