"""figures.one_system: a judge of one system: its rates, its scores, and how far off a share is told.

Draws the tables of `helpers.experiments.one_system`; called by the notebook one_system and its live block.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import diagonal
from helpers.kit.theme import GREY, Style, hollow

_LINE = ""  # the judge of the rows that belong to none
_WORTH = 1.5  # of a label, up to which the curve is drawn at least


def rate_scatter(trusted: pd.DataFrame, *, tpr: str, tnr: str) -> go.Figure:
    """Of what people pass, the share that a judge passes, against that of what they fail; a point per judge.

    Parameters
    ----------
    trusted : DataFrame of `helpers.experiments.one_system.trust`
    tpr, tnr : the quantities' names
    """
    of = {name: trusted[trusted["quantity"] == name].set_index("judge") for name in (tpr, tnr)}
    wrong = {"wrong": "value", "wrong_low": "high", "wrong_high": "low"}
    passed = of[tpr][["value", "low", "high"]]
    shown = passed.assign(**{name: 1 - of[tnr][end] for name, end in wrong.items()}).reset_index()
    labels = {"wrong": "passes, of what people fail", "value": "passes, of what people pass"}
    sheet = marks(
        shown, x="wrong", y="value", series="judge", across=("wrong_low", "wrong_high"), labels=labels,
        size=10, style=hollow(shown["judge"]),
    )  # fmt: skip
    sheet.add(diagonal(0, 1), first=True)
    # no more than holds all intervals: near ones would lie on each other
    ends = [float(shown[["low", "wrong_low"]].min(axis=None)) - 0.03, 1.02]
    return sheet.x(range=ends).y(range=ends).figure(height=480)


def pass_curves(calibrated: pd.DataFrame) -> go.Figure:
    """Share that people pass, by what the judge says.

    Parameters
    ----------
    calibrated : DataFrame of `helpers.experiments.one_system.calibration`
    """
    labels = {"predicted": "what the judge says, on average", "value": "share that people pass"}
    sheet = marks(
        calibrated, x="predicted", y="value", mode="lines+markers", series="judge", labels=labels,
        hover=["n_summaries"], size=8,
    )  # fmt: skip
    sheet.add(diagonal(0, 1), first=True)
    return sheet.x(range=[-0.02, 1.02]).y(range=[-0.02, 1.02]).figure(height=440)


def error_dots(off: pd.DataFrame) -> go.Figure:
    """Error of every approach, a point for each judge; a dropdown for one system or two.

    Parameters
    ----------
    off : DataFrame of `helpers.experiments.one_system.errors`
    """
    order: Sequence[str] = off["approach"].unique().tolist()[::-1]
    judges = off["judge"].nunique()
    sheet = marks(
        off, x="value", y="approach", series="judge", menu="quantity", order=order, size=9,
        labels={"value": "root of the mean squared error"}, hover=["share_undefined"],
    )  # fmt: skip
    sheet.menu("Quantity", "quantity").x(rangemode="tozero")
    return sheet.figure(height=180 + len(order) * (24 + 13 * judges))


def worth_curve(worths: pd.DataFrame) -> go.Figure:
    """What a label is worth with a judge's help, by how often the judge is right; judges are points.

    Parameters
    ----------
    worths : DataFrame of `helpers.experiments.one_system.worth`
    """
    labels = {"value": "worth of a label", "balanced": "mean of TPR and TNR"}
    made, of_judges = (worths[(worths["judge"] == _LINE) == is_line] for is_line in (True, False))
    sheet = marks(made, x="balanced", y="value", mode="lines", labels=labels, style={(): Style(GREY)})
    sheet = marks(
        of_judges, x="balanced", y="value", series="judge", labels=labels, size=10, sheet=sheet,
        at={"panel": None, "row": None}, style=hollow(of_judges["judge"]),
    )  # fmt: skip
    # no more of the curve than shows where it crosses 1: the judges would lie on each other
    most = max(_WORTH, 1.1 * float(of_judges["value"].max()))
    right = float(made.loc[made["value"] <= most, "balanced"].max()) + 0.01
    sheet.x(range=[min(0.48, float(of_judges["balanced"].min()) - 0.02), right]).y(range=[-0.05, most])
    return sheet.rule(y=1).figure(height=420)
