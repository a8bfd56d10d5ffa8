"""figures.annotators: a metric's correlation with people for every set of references.

Draws the table of `helpers.experiments.annotators`; called by the notebook annotators and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.panels import interval_panels


def annotator_dots(results: pd.DataFrame) -> go.Figure:
    """One row per set of references, a colour for each size; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.annotators.table`
    """
    return _dots(results)


def annotator_changes(changes: pd.DataFrame) -> go.Figure:
    """What all references add to each set: rows, colours and dropdown as in `annotator_dots`.

    Parameters
    ----------
    changes : DataFrame of `helpers.experiments.annotators.differences`
    """
    return _dots(changes, value="all references minus these: difference of correlations")


def _dots(table: pd.DataFrame, **labels: str) -> go.Figure:
    rows = table["metric"].unique().tolist()[::-1]
    return interval_panels(table, "level", rows, colour="n_references", metric="references", **labels)
