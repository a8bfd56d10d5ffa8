"""figures.truth: methods held against a known truth.

Draws the tables of `helpers.experiments.truth`; called by the notebook truth and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks


def true_coverage_dots(results: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Coverage by method, one panel per target, one mark per size; a dropdown picks the level.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.coverage`
    confidence_level : float
        Drawn as a line.
    """
    methods, targets = results["method"].unique().tolist(), results["target"].unique().tolist()
    shown = _with_size(results)
    sheet = marks(
        shown,
        x="value",
        y="method",
        panel="target",
        series="size",
        menu="level",
        order=methods,
        labels={"value": "coverage"},
        hover=["n_trials"],
        digits=2,
        titles=[target.replace(", ", ",<br>") for target in targets],
        gap=0.03,
    )
    sheet.x(range=[-0.05, 1.05], dtick=0.5).rule(x=confidence_level).menu("Level", "level")
    return sheet.figure(height=dot_height(methods, shown["size"].unique()))


def rejection_curves(results: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Share of trials in which a test rejects against the true difference, one panel per size.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.truth.rejections`
    alpha : float
        Drawn as a line.
    """
    shown = _with_size(results).sort_values("true_difference", kind="stable")
    sheet = marks(
        shown,
        x="true_difference",
        y="value",
        mode="lines+markers",
        panel="size",
        series="method",
        labels={"true_difference": "true difference", "value": "share that rejects"},
        hover=["n_trials"],
        digits=2,
        size=7,
        titles=[size.replace(", ", ",<br>") for size in shown["size"].unique()],
        gap=0.03,
    )
    sheet.side_by_side().layout |= {"scattergap": 0.7}  # beside each other, yet near the difference
    differences = sorted(shown["true_difference"].unique().tolist())
    sheet.x(tickvals=differences, ticktext=[f"{difference:.2g}" for difference in differences])
    return sheet.y(range=[-0.03, 1.03]).rule(y=alpha).figure(height=480)


def _with_size(results: pd.DataFrame) -> pd.DataFrame:
    sizes = results[["n_systems", "n_documents"]].itertuples(index=False, name=None)
    return results.assign(size=[f"{n} systems, {m} documents" for n, m in sizes])
