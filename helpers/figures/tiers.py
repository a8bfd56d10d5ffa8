"""figures.tiers: rank intervals of judges and systems, coloured by tier.

Draws the tables of `helpers.experiments.tiers`; called by the notebook tiers and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels, with_system_names
from helpers.kit.theme import BLUE, PALETTE, Style, correlation_axis
from metaeval.tables.labels import words

_RANKS = ("best_rank", "worst_rank")


def judge_ranks(results: pd.DataFrame) -> go.Figure:
    """Ranks of the judges that the tests leave open, by dimension and level; colours are tiers.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.tiers.of_judges`
    """
    order = _order(results, "judge")
    sheet = _ranks(results, y="judge", order=order, panel="level", row="dimension", row_gap=0.04)
    return sheet.figure(
        height=140 + (40 + 24 * len(order)) * results["dimension"].nunique(), scattermode="overlay"
    )


def system_ranks(results: pd.DataFrame) -> go.Figure:
    """Ranks of the systems that the tests leave open, by dimension; a menu picks people or a judge.

    Parameters
    ----------
    results : DataFrame, the first of `helpers.experiments.tiers.of_systems`
        Systems stand in the order of the first of its judges.
    """
    results = with_system_names(results)
    order = _order(results[results["judge"] == results["judge"].iloc[0]], "system")
    sheet = _ranks(results, y="system", order=order, panel="dimension", menu="judge")
    return sheet.menu("Ratings by", "judge").figure(height=170 + 26 * len(order), scattermode="overlay")


def candidate_scatter(results: pd.DataFrame) -> go.Figure:
    """Agreement with people on each system's summaries against the system's quality; menus for who and how.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.tiers.candidates`
    """
    results = with_system_names(results)
    sheet = marks(
        results, x="mean", y="value", panel="dimension", menu="judge", moved_by="coefficient", point="system",
        labels={"mean": "people's mean", "value": "correlation with people"}, size=10, own_x=True,
        style={(): Style(BLUE, symbol="circle-open")},
    )  # fmt: skip
    sheet.y(**correlation_axis(results["value"])).menu("Who", "judge")
    coefficients = [words("coefficient", name) for name in results["coefficient"].unique()]
    return sheet.moving_menu("Coefficient", coefficients).figure(height=380)


def _ranks(results: pd.DataFrame, *, y: str, order: list[str], **panels) -> Panels:
    tiers = range(1, int(results["tier"].max()) + 1)
    sheet = marks(
        results, x="place", y=y, series="tier", order=order, ends=_RANKS, hover=["value"], size=11, digits=2,
        style={tier: Style(PALETTE[(tier - 1) % len(PALETTE)]) for tier in tiers},
        name={tier: f"tier {tier}" for tier in tiers},
        labels={"value": "value", "place": "rank (1 the best)"}, **panels,
    )  # fmt: skip
    for trace in sheet.data:
        trace["error_x"] |= {"thickness": 5}
    n = len(order)
    step = 1 if n <= 8 else 5
    # Plotly finds the range of categories in the first traces, and no tier holds all candidates
    sheet.y(range=[-0.6, n - 0.4])
    return sheet.x(range=[0.2, n + 0.8], dtick=step, tick0=step, zeroline=False)


def _order(results: pd.DataFrame, column: str) -> list[str]:
    """Candidates by their mean place, the best on top."""
    return results.groupby(column, sort=False)["place"].mean().sort_values(ascending=False).index.tolist()
