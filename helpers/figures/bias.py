"""figures.bias: what judges are partial to, and how high scores that judge nothing come.

Draws the tables of `helpers.experiments.bias`; called by the notebook bias and its live block.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import ENDS, Panels, grid, heatmap, in_cell, in_ink, label, with_system_names
from helpers.kit.theme import BLUE, GREY, ORANGE, SKY, VERMILLION, Style, faint, hollow, share_axis

_LENGTH = {"value": "judge minus people", "given": "judge, people's rating fixed"}
_KINDS = {False: Style(BLUE), True: Style(ORANGE, symbol="diamond")}
# of a score, from the lowest: from the one hue to the other, told apart in grey too
_SCORES = (VERMILLION, ORANGE, GREY, SKY, BLUE)
_FAVOURS = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def position_scatter(results: pd.DataFrame) -> go.Figure:
    """How often the first shown is chosen against how often the other order changes a choice.

    Whoever always changes to the same position lies on a dotted line; without ties none lies below them.
    Points are hollow and bars faint, so that what lies below others is seen.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.position`
    """
    ends = zip(results["low"], results["high"], strict=True)
    of_first = ["" if isnan(low) else f"[{low:.2f}, {high:.2f}]" for low, high in ends]
    where = zip(results["judge"], results["set"], results["dimension"], strict=True)
    shown = results.assign(
        place=[", ".join(filter(None, names)) for names in where],
        of_first=of_first,
    )
    sheet = marks(
        shown, x="value", y="flip_rate", series="judge", point="place", style=hollow(results["judge"]),
        ends=("flip_low", "flip_high"), across=ENDS, digits=2,
        hover=["of_first", "n_pairs", "share_unreadable"],
        labels={"value": "chosen when shown first", "flip_rate": "changed by the order",
                "of_first": "interval of the first"},
    )  # fmt: skip
    for trace in sheet.data:
        for bar in ("error_x", "error_y"):
            trace[bar] |= {"color": faint(trace["marker"]["color"], 0.4), "thickness": 1}
    most = results["flip_rate"].max()
    for side in (-0.5, 0.5):
        line = {"x": [0.5, 0.5 + side * most], "y": [0, most], "mode": "lines", "hoverinfo": "skip"}
        look = {"line": {"color": GREY, "dash": "dot", "width": 1.5}, "showlegend": False}
        sheet.add(line | look, first=True)
    reach = results[["low", "high", "value"]]
    sheet.x(range=[min(0.48, reach.min(axis=None) - 0.02), max(0.52, reach.max(axis=None) + 0.02)])
    return sheet.rule(x=0.5).y(rangemode="tozero").figure(height=560)


def _long(table: pd.DataFrame, names: Mapping[str, str], ends: Mapping, keys: list[str]) -> pd.DataFrame:
    """Several columns with their ends below each other, as value, low and high of a quantity."""
    parts = []
    for column, name in names.items():
        low, high = ends[column]
        part = table[[*keys, column, low, high]].set_axis([*keys, "value", "low", "high"], axis=1)
        parts.append(part.assign(quantity=name))
    return pd.concat(parts, ignore_index=True)


def length_dots(results: pd.DataFrame) -> go.Figure:
    """Slopes of ratings on length, a row for each judge and a panel for each dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.length`
    """
    ends = {"value": ("low", "high"), "given": ("given_low", "given_high")}
    long = _long(results, _LENGTH, ends, ["dimension", "judge", "of_people", "n_used"])
    judges = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        long, x="value", y="judge", panel="dimension", series="quantity", order=judges, hover=["of_people"],
        labels={"value": "points for one standard deviation of length"},
    )  # fmt: skip
    far = max(long["high"].max(), -long["low"].min())
    # on a phone there is room for three ticks
    sheet.x(range=[-1.05 * far, 1.05 * far], dtick=max(round(far / 1.5, 1), 0.1), tick0=0, tickangle=0)
    return sheet.rule(x=0).figure(height=dot_height(judges, list(_LENGTH)))


def use_bars(results: pd.DataFrame) -> go.Figure:
    """How often judges and people give each score, a bar for each; a dropdown picks the dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.scale_use`
    """
    sheet, ratings = Panels(), sorted(results["rating"].unique())
    for (dimension, rating), rows in results.groupby(["dimension", "rating"], sort=False):
        colour = _SCORES[round(ratings.index(rating) / max(len(ratings) - 1, 1) * (len(_SCORES) - 1))]
        trace = {
            "type": "bar", "orientation": "h", "x": rows["value"], "y": rows["judge"],
            "name": f"score {rating:g}", "legendgroup": f"{rating:g}", "marker": {"color": colour},
            "customdata": list(zip(rows["n_used"].tolist(), (100 * rows["value"]).tolist(), strict=True)),
            "hovertemplate": f"<b>%{{y}}</b><br>score {rating:g}: %{{customdata[1]:.1f}} %<br>"
            f"{label('n_used')}: %{{customdata[0]}}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, of={"dimension": dimension})
    judges = results["judge"].unique().tolist()[::-1]
    sheet.y(title="judge", automargin=True, categoryorder="array", categoryarray=judges)
    # beyond the end there is room for the label of the last tick
    sheet.x(title="share of the ratings", **share_axis(high=1.04)).menu("Dimension", "dimension")
    return sheet.figure(height=170 + 34 * len(judges), barmode="stack")


def favour_heatmap(results: pd.DataFrame) -> go.Figure:
    """What judges give systems beyond their line; numbers where the interval leaves out 0.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.favour`
    """
    results = with_system_names(results)
    apart = (results["low"] > 0) | (results["high"] < 0)
    found = zip(results["low"], results["high"], results["n_used"], strict=True)
    most = results["value"].abs().max()
    texts = results["value"].map("{:+.2f}".format).map(in_cell).where(apart, "")
    shown = results.assign(
        text=[
            in_ink(text, value, _FAVOURS, low=-most, high=most)
            for text, value in zip(texts, results["value"], strict=True)
        ],
        rests_on=[f"[{low:+.2f}, {high:+.2f}]<br>{label('n_used')}: {n}" for low, high, n in found],
    )
    judges, systems = (results[column].unique().tolist() for column in ("judge", "system"))
    sheet = Panels()
    for dimension, rows in shown.groupby("dimension", sort=False):
        cells = {
            key: grid(rows, "system", "judge", systems, judges, column, "" if key == "text" else None)
            for key, column in (("z", "value"), ("text", "text"), ("customdata", "rests_on"))
        }
        hover = "<b>%{x}, %{y}</b><br>favour: %{z:+.3f} %{customdata}<extra></extra>"
        trace = heatmap(judges, systems, colours=_FAVOURS, low=-most, high=most) | {"hovertemplate": hover}
        sheet.add(trace | cells, of={"dimension": dimension})
    sheet.x(title="judge", tickangle=-45, automargin=True, showgrid=False)
    sheet.y(title="system", autorange="reversed", automargin=True, showgrid=False)
    return sheet.menu("Dimension", "dimension").figure(height=190 + 24 * len(systems))


def sentinel_dots(results: pd.DataFrame) -> go.Figure:
    """Judges and scores that judge nothing under each measure; a dropdown picks the dimension.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.bias.sentinels`
    """
    rows = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results, x="value", y="judge", panel="measure", series="is_sentinel", menu="dimension", order=rows,
        style=_KINDS, name={False: "judges", True: "scores that judge nothing"}, size=11,
        labels={"value": "agreement with people"},
    )  # fmt: skip
    sheet.layout |= {"scattermode": "overlay"}
    sheet.rule(x=0).x(nticks=4, tickangle=0).menu("Dimension", "dimension")
    return sheet.figure(height=dot_height(rows))
