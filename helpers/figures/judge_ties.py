"""figures.judge_ties: judges' places by coefficients that treat ties in their own ways, and calibrated ties.

Draws the tables of `helpers.experiments.judge_ties`; called by the notebook judge_ties and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.experiments.judge_ties import ACCURACY
from helpers.kit.marks import marks
from helpers.kit.theme import GREY
from metaeval.tables.labels import words

_ACCURACY = {"value": ACCURACY}
_THRESHOLDS = {
    "not fitted": "as the judge rates",
    "the same documents": "near ratings tied, fitted on the same documents",
    "other documents": "near ratings tied, fitted on other documents",
}


def place_lines(results: pd.DataFrame) -> go.Figure:
    """The judges' places by each coefficient with their intervals, 1 on top; a line for each judge.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.coefficients`
    """
    told = zip(results["value"], results["low"], results["high"], strict=True)
    shown = results.assign(
        value=[f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in told],
        coefficient=[words("coefficient", name) for name in results["coefficient"]],
    )
    sheet = marks(
        shown, x="coefficient", y="judge_place", mode="lines+markers", row="dimension", series="judge",
        menu="dataset", row_gap=0.05, ends=("place_low", "place_high"), digits=0, hover=["value", "n_used"],
        labels={"value": "value", "judge_place": "place", "n_used": "documents used"}, size=9,
    ).side_by_side()  # fmt: skip
    most = int(results["judge_place"].max())
    sheet.y(range=[most + 0.5, 0.5], dtick=1, tick0=1, zeroline=False).x(title="coefficient", automargin=True)
    return sheet.menu("Data set", "dataset").figure(height=150 + 190 * results["dimension"].nunique())


def calibration_dots(results: pd.DataFrame) -> go.Figure:
    """Accuracy with ties, without and with a fitted threshold, beside a judge that rates all alike.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.calibrations`
    """
    results = results[results["quantity"] == ACCURACY]
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", row="dimension", series="fitted_on", order=judges, row_gap=0.03,
        hover=["threshold", "constant"], labels=_ACCURACY, name=_THRESHOLDS, size=7,
    )  # fmt: skip
    for dimension, part in results.groupby("dimension", sort=False):
        rows = part.drop_duplicates("judge")
        alike = {"x": rows["constant"].tolist(), "y": rows["judge"].tolist(), "mode": "markers"}
        marker = {"symbol": "line-ns-open", "size": 27, "color": GREY, "line": {"width": 2}}
        said = "<b>%{y}</b><br>a judge that rates all alike: %{x:.3f}<extra></extra>"
        sheet.add(
            alike | {"marker": marker, "name": "a judge that rates all alike", "hovertemplate": said},
            row=dimension, first=True,
        )  # fmt: skip
    sheet.x(range=[0, 1])
    return sheet.figure(height=150 + (50 + 38 * len(judges)) * results["dimension"].nunique())


def flattery_lines(results: pd.DataFrame) -> go.Figure:
    """Accuracy on the documents that a threshold was fitted on, and on others, by how many they were.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.judge_ties.few_documents`
    """
    return (
        marks(
            results, x="n_documents", y="value", mode="lines+markers", panel="dimension", series="fitted_on",
            menu="judge", labels=_ACCURACY | {"n_documents": "documents fitted on"}, size=8,
        )
        .x(type="log", tickmode="array", tickvals=results["n_documents"].unique().tolist())
        .menu("Judge", "judge")
        .figure(height=380)
    )  # fmt: skip
