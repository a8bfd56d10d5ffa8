"""figures.agreement: coefficients of agreement beside a rater who never looks, by who is compared.

Draws the tables of `helpers.experiments.agreement`; called by the notebook agreement and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, GREY, Style, faint
from metaeval.tables.labels import words

_NEVER = "a rater who reads nothing"
_LABELS = {"value": "agreement", "constant": _NEVER, "n_ratings": "different ratings by the experts"}


def _axis(lows: pd.Series) -> dict:
    """From the lowest value, or 0, to 1."""
    return {"range": [min(lows.min(), 0) - 0.05, 1.05], "dtick": 1, "tick0": 0, "zeroline": True}


def agreement_dots(results: pd.DataFrame) -> go.Figure:
    """Agreement with intervals, a row for each group, rater or judge; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.agreement.table`
        A grey tick stands where a rater is who always gives people's commonest rating.
    """
    raters = results["raters"].unique().tolist()[::-1]
    shared = {"panel": "dimension", "series": "grade", "menu": "coefficient", "order": raters}
    sheet = marks(results, x="value", y="raters", labels=_LABELS, hover=["base_rate"], size=8, **shared)
    grades, n_before = results["grade"].unique().tolist(), len(sheet.data)
    marks(
        results, x="constant", y="raters", bars=False, labels=_LABELS, size=11, sheet=sheet,
        style=dict.fromkeys(grades, Style(GREY, symbol="line-ns-open")),
        name=dict.fromkeys(grades, _NEVER), **shared,
    )  # fmt: skip
    for trace, beside in zip(
        sheet.data[n_before:], sheet.data, strict=False
    ):  # on the line of what it stands beside
        trace["offsetgroup"] = beside["name"]
    lows = results[["low", "value", "constant"]].min(axis=1)
    sheet.x(**_axis(lows), minor={"dtick": 0.5, "showgrid": True, "gridcolor": faint(GREY)}).menu(
        "Coefficient", "coefficient"
    )
    return sheet.figure(height=150 + 40 * len(raters))


def agreement_differences(differences: pd.DataFrame) -> go.Figure:
    """A judge, or the crowd, with an expert, minus two experts; one panel for each dimension.

    Parameters
    ----------
    differences : DataFrame of `helpers.experiments.agreement.differences`
    """
    raters = differences["raters"].unique().tolist()[::-1]
    coefficient = words("coefficient", differences["coefficient"].iloc[0])
    sheet = marks(
        differences, x="value", y="raters", panel="dimension", style={(): Style(BLUE)}, order=raters,
        labels={"value": f"difference of {coefficient}"}, hover=["among_people"], size=7,
    )  # fmt: skip
    ends = [differences["low"].min() - 0.05, max(differences["high"].max(), 0) + 0.1]
    return sheet.x(range=ends, dtick=0.5, zeroline=True).figure(height=130 + 30 * len(raters))


def strata_curves(results: pd.DataFrame) -> go.Figure:
    """Agreement with an expert by how many different ratings the experts gave; a dropdown for coefficients.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.agreement.strata`
    """
    shared = {"x": "n_ratings", "panel": "dimension", "menu": "coefficient", "mode": "lines+markers"}
    sheet = marks(
        results, y="value", series="raters", size=7, labels=_LABELS, hover=["constant", "n_used"], **shared
    )
    of_stratum = ["dimension", "coefficient", "n_ratings"]
    never = results.drop_duplicates(of_stratum)[[*of_stratum, "constant", "n_used"]].assign(never="x")
    marks(
        never, y="constant", series="never", bars=False, size=7, sheet=sheet, labels=_LABELS,
        style={"x": Style(GREY, "dash", "x")}, name={"x": _NEVER}, **shared,
    )  # fmt: skip
    sheet.side_by_side().x(dtick=1)
    sheet.y(**_axis(results[["low", "value", "constant"]].min(axis=1)) | {"dtick": 0.5})
    return sheet.menu("Coefficient", "coefficient").figure(height=460)


def alpha_strips(alphas: pd.DataFrame) -> go.Figure:
    """Krippendorff's alpha of every batch, a row for each way to count labels.

    Parameters
    ----------
    alphas : DataFrame of `helpers.experiments.agreement.alphas`
    """
    maps = alphas["label_map"].unique().tolist()[::-1]
    named = alphas.assign(batch="batch " + alphas["batch"])
    sheet = marks(
        named, x="value", y="label_map", order=maps, point="batch", hover=["n_raters"],
        labels={"value": "Krippendorff's α"}, size=8,
    )  # fmt: skip
    return sheet.x(**_axis(alphas["value"]) | {"dtick": 0.5}).figure(height=110 + 32 * len(maps))
