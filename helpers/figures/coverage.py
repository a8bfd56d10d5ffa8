"""figures.coverage: how often intervals hold what they promise to hold.

Draws the table of `helpers.experiments.coverage`; called by the notebook coverage and its live block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, SYMBOLS
from metaeval.core.mode import PREFIX
from metaeval.simulation.model import Likeness
from metaeval.tables.labels import COEFFICIENT_LABELS, words


def coverage_dots(coverage: pd.DataFrame, printed: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Share of held-out correlations that each method's intervals contain, one panel per level.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.coverage.table`, of one or more data sets
    printed : DataFrame with columns dataset, level, method, value
        Drawn hollow around the measured shares.
    confidence_level : float
        Drawn as a line.
    """
    methods, datasets = coverage["method"].unique().tolist()[::-1], coverage["dataset"].unique().tolist()
    sheet = marks(
        coverage,
        x="value",
        y="method",
        panel="level",
        series="dataset",
        colour="method",
        order=methods,
        labels={"value": "share contained"},
        hover=["n_trials"],
    )
    shown = printed[printed["level"].isin(sheet.names) & printed["method"].isin(methods)]
    for (level, dataset), rows in shown.groupby(["level", "dataset"], sort=False):
        if dataset not in datasets:
            continue
        called = words("dataset", dataset)
        symbol = f"{SYMBOLS[datasets.index(dataset) % len(SYMBOLS)]}-open"
        trace = {
            "x": rows["value"].tolist(),
            "y": rows["method"].tolist(),
            "mode": "markers",
            "name": "printed",
            "offsetgroup": dataset,
            "orientation": "h",
            "marker": {"symbol": symbol, "size": 15, "color": GREY, "line": {"width": 2}},
            "hovertemplate": f"<b>%{{y}}, {called}</b><br>printed: %{{x:.2f}}<extra></extra>",
        }
        sheet.add(trace, level)
    sheet.x(range=[0.45, 1.03], dtick=0.1).rule(x=confidence_level)
    return sheet.figure(height=210 + 70 * len(methods))


def coverage_explorable(
    likenesses: Sequence[Likeness], truths: pd.DataFrame, *, metric: str
) -> dict[str, object]:
    """The panel that draws benchmarks with a known truth and asks intervals for it.

    Parameters
    ----------
    likenesses : Likenesses
    truths : DataFrame of `helpers.experiments.truth.known`
    metric : str
        Which one stands there first, of the first likeness.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    return {
        "kind": "coverage",
        "alt": "A panel that draws benchmarks from a simulated likeness, for a number of systems and "
        "documents that can be moved, and counts how often intervals hold the correlation that is true.",
        "words": {"coefficient": COEFFICIENT_LABELS, "dataset": labels_of(truths, "dataset")},
        "start": {"dataset": f"{PREFIX}{likenesses[0].name}", "metric": metric},
        "likenesses": [_parameters(likeness) for likeness in likenesses],
        "tables": {"truths": table_as_json(truths, ["dataset", "metric", "coefficient"], ["value"])},
    }


def _parameters(likeness: Likeness) -> dict[str, object]:
    def factors(found):
        return {"loadings": found.loadings.tolist(), "unique": found.unique.tolist()}

    return {
        "name": likeness.name,
        "source": likeness.source,
        "planes": likeness.planes,
        "n_judgments": likeness.n_judgments,
        "marginals": [
            {
                name: value if np.isfinite(value) else None
                for name, value in asdict(marginal).items()
                if name != "kind"
            }
            | {"kind": marginal.kind}
            for marginal in likeness.marginals
        ],
        "types": [
            {
                "n_systems": group.n_systems,
                "offset": group.offset.tolist(),
                "system": factors(group.system),
                "residual": factors(group.residual),
            }
            for group in likeness.types.values()
        ],
        "document": factors(likeness.document),
        "units": [[n, share] for n, share in sorted(likeness.units.items())],
    }
