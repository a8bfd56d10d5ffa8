"""figures.annotators: a metric's correlation with people for every set of references.

Draws the table of `helpers.experiments.annotators`; called by the notebook annotators and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.figures.sera import interval_panels


def annotator_dots(results: pd.DataFrame) -> go.Figure:
    """One row per set of references, a colour for each size; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.annotators.table`
    """
    return interval_panels(results, "level", results["metric"].unique().tolist()[::-1], colour="n_references")
