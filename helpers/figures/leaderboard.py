"""figures.leaderboard: every metric's correlation with people, and what the choice of folds makes of it.

Draws the tables of `helpers.experiments.leaderboard`; called by the notebook leaderboard and its live block.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.panels import Panels
from helpers.kit.theme import GREY, Style, correlation_axis, metric_family, metric_style
from metaeval.tables.labels import ranks, words

LINE = 28  # characters of a name on one line


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlation of every metric with its interval, best at the top; a menu picks the board.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.ranked`, or of `leaders`
        With ranks they stand behind the names, and symbols below the first tier are hollow.
    """
    columns = ["data", "coefficient", "level"] if table["dataset"].nunique() > 1 else ["coefficient", "level"]
    named = table.assign(data=table["dataset"])[columns]
    kind = [", ".join(map(words, columns, row)) for row in named.itertuples(index=False)]
    boards = list(dict.fromkeys(kind))
    # each board has rows of its own, in its own order: signs without width tell names on two boards apart
    apart = ["\u200b" * boards.index(board) for board in kind]
    shown = table.assign(
        kind=kind,
        called=[name + sign for name, sign in zip(_with_ranks(table), apart, strict=True)],
        family=table["metric"].map(metric_family),
        symbol=np.where(table["tier"] == 1 if "tier" in table else True, "circle", "circle-open"),
    )
    ranked = [shown[shown["kind"] == board].sort_values("value")["called"].tolist() for board in boards]
    # between two boards lies a row without a name, or the next board's last would show above the first
    order = [name for i, names in enumerate(ranked, 1) for name in (*names, " " * i)]
    colours = {metric_family(metric): metric_style(metric).colour for metric in table["metric"]}
    sheet = marks(
        shown, x="value", y="called", series="family", symbol="symbol", menu="kind",
        style={family: Style(colour) for family, colour in colours.items()},
        order=order,
        hover=[column for column in ("tier", "n_systems") if column in table], size=10,
        labels={"value": "correlation", "called": "metric (its ranks)" if "tier" in table else "metric"},
    )  # fmt: skip
    _add_keys(sheet, colours, with_tiers="tier" in table)
    sheet.x(**correlation_axis([0.0, *table["low"]])).y(ticks="")  # one would stand at the row without a name
    sheet.layout["scattermode"] = "overlay"
    # names on two lines need room for both
    return sheet.menu("Board", "kind").figure(height=190 + 34 * table["metric"].nunique())


def _add_keys(sheet: Panels, colours: Mapping[str, str], *, with_tiers: bool) -> None:
    """What colours and symbols mean; a family's own entry would have the symbol of its first metric."""
    for trace in sheet.data:
        trace["showlegend"] = False
    looks = {family: {"color": colour} for family, colour in colours.items()}
    if with_tiers:
        looks |= {"first tier": {"color": GREY}, "other tiers": {"color": GREY, "symbol": "circle-open"}}
    for name, look in looks.items():
        sheet.add({"x": [None], "y": [None], "mode": "markers", "name": name, "marker": {"size": 10, **look}})


def _with_ranks(table: pd.DataFrame) -> list[str]:
    """Names on lines that leave a phone room for the drawing."""
    names = table["metric"]
    if "best_rank" in table:
        open_ranks = [ranks(*pair) for pair in zip(table["best_rank"], table["worst_rank"], strict=True)]
        names = names + " (" + pd.Series(open_ranks, table.index) + ")"
    return ["<br>".join(wrap(name, LINE)) for name in names]


def pairing_spread(table: pd.DataFrame) -> go.Figure:
    """What the choice of pairs makes of each metric's correlation: one box per metric, one panel per level.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.pairing_table`
    """
    sheet = Panels(table["level"].unique().tolist(), column="level", gap=0.04)
    for row in table.itertuples():
        box = {
            "type": "box",
            "orientation": "h",
            "y": [row.metric],
            "lowerfence": [row.lowest],
            "q1": [row.q25],
            "median": [row.q50],
            "q3": [row.q75],
            "upperfence": [row.highest],
            "name": row.metric,
            "showlegend": False,
            "line": {"color": metric_style(row.metric).colour},
            "fillcolor": "rgba(0,0,0,0)",
        }
        sheet.add(box, panel=row.level)
    sheet.x(title="correlation with people", **correlation_axis([table["lowest"].min()]))
    sheet.y(title="metric", automargin=True, autorange="reversed")
    return sheet.figure(height=170 + 34 * table["metric"].nunique())
