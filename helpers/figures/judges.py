"""figures.judges: judges and raters against people, the annotator test, and whether the two agree.

Draws the tables of `helpers.experiments.judges`; called by the notebook judges and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import correlation_axis
from metaeval.tables.labels import words


def judge_differences(distances: pd.DataFrame) -> go.Figure:
    """A judge's correlation with the other raters minus a rater's; left of zero a judge agrees less.

    Parameters
    ----------
    distances : DataFrame of `helpers.experiments.judges.distances`
    """
    judges = distances["judge"].unique().tolist()[::-1]
    coefficient = words("coefficient", distances["coefficient"].iloc[0])
    sheet = marks(
        distances, x="value", y="judge", panel="dimension", series="level", order=judges, size=9,
        labels={"value": f"{coefficient}: judge minus rater"},
    )  # fmt: skip
    ends = [distances["low"].min() - 0.05, max(distances["high"].max(), 0) + 0.05]
    return sheet.x(range=ends, dtick=0.5, zeroline=True).figure(height=170 + 34 * len(judges))


def judge_dots(results: pd.DataFrame) -> go.Figure:
    """Correlations with intervals, a row for each judge and rater; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judges.correlations`
    """
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", row="dimension", panel="level", colour="judge", menu="coefficient",
        order=judges, size=10, row_gap=0.05,
    )  # fmt: skip
    sheet.x(**correlation_axis(results["low"])).menu("Coefficient", "coefficient")
    # Plotly finds no range for names on axes that match both ways
    sheet.y(range=[-0.6, len(judges) - 0.4])
    return sheet.figure(height=130 + (60 + 20 * len(judges)) * results["dimension"].nunique())


def advantage_dots(tests: pd.DataFrame) -> go.Figure:
    """Share of instances where a judge is at least as close to the others as the rater left out.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.judges.alt_test`
    """
    judges = tests["judge"].unique().tolist()[::-1]
    sheet = marks(
        tests, x="advantage", y="judge", panel="dimension", series="rater", order=judges,
        hover=["winning_rate", "t_iid", "t_document", "t_system"],
    )  # fmt: skip
    return sheet.x(range=[-0.03, 1.03]).figure(height=170 + 34 * len(judges))


def passing_scatter(advantages: pd.DataFrame) -> go.Figure:
    """A judge's advantage in the annotator test against its correlation with people, by level and dimension.

    Parameters
    ----------
    advantages : DataFrame of `helpers.experiments.judges.advantages`
    """
    sheet = marks(
        advantages, x="advantage", y="value", panel="dimension", row="level", series="judge",
        size=11,
    )  # fmt: skip
    sheet.y(**correlation_axis([*advantages["low"], *advantages["value"]]))
    return sheet.figure(height=130 + 270 * advantages["level"].nunique())
