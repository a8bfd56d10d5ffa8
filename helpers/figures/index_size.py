"""figures.index_size: SERA's correlation with people as its index grows, and in every random index.

Draws the tables of `helpers.experiments.index_size`; called by the notebook index_size and its live block.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, table_as_json
from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, GREEN, ORANGE, PURPLE, SKY, VIOLET, Style, correlation_axis
from metaeval.tables.labels import COEFFICIENT_LABELS, words

QUERY_LABELS = {
    "raw": "raw: all words",
    "np": "noun phrases",
    "kw": "n-grams",
    "gesera": "GeSERA: nouns, verbs, adjectives",
    "gesera-first": "GeSERA-FIRST",
    "gesera-all": "GeSERA-ALL",
}
# SERA's own colour is one metric's; here four of its queries stand side by side
_STYLES = {
    "raw": Style(VIOLET, "solid", "circle"),
    "np": Style(ORANGE, "dash", "diamond"),
    "kw": Style(SKY, "dot", "square"),
    "gesera": Style(PURPLE, "dashdot", "cross"),
    "gesera-first": Style(GREEN, "dash", "triangle-up"),
    "gesera-all": Style(BLUE, "dot", "x"),
}


def index_size_curves(bands: pd.DataFrame) -> go.Figure:
    """One panel per collection, one line per query over the size of the index, a bar over random indexes.

    A dropdown picks the variant: SERA or SERA-DIS, cut at n, by each coefficient.

    Parameters
    ----------
    bands : DataFrame of `helpers.experiments.index_size.size_bands` for one group and level
    """
    # sizes about double from one to the next; as categories they leave room for queries beside each other
    thousand = [f"{stories / 1000:.3g}" for stories in bands["stories"]]
    bands = _with_family(bands).assign(thousand=thousand).sort_values("stories", kind="stable")
    sheet = marks(
        bands,
        x="thousand",
        y="value",
        mode="lines+markers",
        panel="domain",
        series="query",
        menu="family",
        style=_STYLES,
        name=QUERY_LABELS,
        hover=["n_subsets"],
        ends=("lowest", "highest"),
        digits=2,
        size=7,
        gap=0.03,
    )
    sheet.side_by_side().x(title="thousand stories in the index", type="category")
    return sheet.y(**correlation_axis(bands["lowest"])).menu("Variant", "family").figure(height=480)


def index_size_dots(table: pd.DataFrame) -> go.Figure:
    """Every random index of one size, which a slider moves; a dropdown picks variant and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.index_size.table` for one group and level
    """
    table = _with_family(table).assign(
        step=np.where(table["is_whole"], np.inf, table["stories"]), asked=table["query"].map(QUERY_LABELS)
    )
    sizes = sorted(table["step"].unique())
    sheet = marks(
        table,
        x="value",
        y="asked",
        series="domain",
        menu="family",
        moved_by="step",
        order=table["asked"].unique().tolist()[::-1],
        labels={"asked": "query"},
        digits=2,
        size=11,
    )
    sheet.x(**correlation_axis([*table["value"], *table.get("low", [])])).menu("Variant", "family")
    labels = ["all" if np.isinf(size) else f"{int(size):,}" for size in sizes]
    return sheet.slider("step", labels=labels, about="Stories in the index: ").figure(height=420)


def _with_family(table: pd.DataFrame) -> pd.DataFrame:
    """With a column family: variant and, where there are several, coefficient."""
    family = table["overlap"] + "-" + table["cutoff"].astype(str)
    if table["coefficient"].nunique() > 1:
        family += ", " + table["coefficient"].map(lambda name: words("coefficient", name))
    return table.assign(family=family)


def index_size_explorable(results: pd.DataFrame) -> dict[str, object]:
    """The panel of growing indexes.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.index_size.table`

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    keys = ["dataset", "domain", "stories", "is_whole", "subset", "metric", "query", "overlap", "cutoff"]
    return {
        "kind": "index_size",
        "alt": "A panel in which the size of the index, the number of documents that count, the query, the "
        "collection and the coefficient can be moved.",
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "query": QUERY_LABELS,
            "dataset": labels_of(results, "dataset"),
            "domain": labels_of(results, "domain"),
        },
        "tables": {"index_size": table_as_json(results, [*keys, "coefficient"], ["value"])},
    }
