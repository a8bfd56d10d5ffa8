"""figures.protocols: metrics and protocols of human judgment against each protocol, ranks, and a retest.

Draws the tables of `helpers.experiments.protocols`; called by the notebook protocols and its live block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import with_system_names
from helpers.kit.theme import GREY, Style, correlation_axis, faint, style_of


def protocol_dots(results: pd.DataFrame) -> go.Figure:
    """Correlations with intervals, in each row one for each gold standard; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.protocols.correlations`
    """
    names = results["metric"].unique().tolist()
    protocols = results["judgment"].unique().tolist()
    order = [*protocols[::-1], *[name for name in names if name not in protocols][::-1]]
    sheet = marks(
        results, x="value", y="metric", panel="level", series="judgment", menu="coefficient", order=order,
        labels={"value": "correlation", "metric": "metric or protocol"}, size=8,
    )  # fmt: skip
    sheet.x(**correlation_axis(results["low"])).menu("Coefficient", "coefficient")
    return sheet.figure(height=dot_height(order, protocols))


def protocol_ranks(ranks: pd.DataFrame) -> go.Figure:
    """The place of each system by each protocol; in colour those that some protocol puts first.

    Parameters
    ----------
    ranks : DataFrame of `helpers.experiments.protocols.ranks`
    """
    ranks = with_system_names(ranks)
    leading = ranks.loc[ranks["place"] == 1, "system"].unique().tolist()
    others = [system for system in ranks["system"].unique() if system not in leading]
    shown = pd.concat([ranks[ranks["system"].isin(others)], ranks[ranks["system"].isin(leading)]])
    sheet = marks(
        shown, x="judgment", y="place", mode="lines+markers", series="system", hover=["value"],
        style=dict.fromkeys(others, Style(faint(GREY, 0.5)))
        | {system: style_of("system", system, k) for k, system in enumerate(leading)},
    )  # fmt: skip
    protocols = ranks["judgment"].unique().tolist()
    ends = shown[shown["judgment"] == protocols[-1]].groupby("place")["system"].agg(", ".join)
    at_the_end = {"x": [protocols[-1]] * len(ends), "y": ends.index.tolist()}
    named = {"text": [f"\u2003{systems}" for systems in ends], "textposition": "middle right"}
    quiet = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    sheet.add({"mode": "text", **at_the_end, **named, **quiet})
    last = int(ranks["place"].max())
    sheet.y(range=[last + 0.5, 0.5], dtick=1, showgrid=False).x(
        title="protocol", range=[-0.2, len(protocols) - 0.3]
    )
    return sheet.figure(height=170 + 30 * last, showlegend=False)


def retest_dots(retest: pd.DataFrame) -> go.Figure:
    """A protocol with itself a round later, beside the others in one round.

    Parameters
    ----------
    retest : DataFrame of `helpers.experiments.protocols.retest`
    """
    itself = "itself, later"
    kept = retest[retest["quantity"].isin(["a round apart", "one round"])]
    shown = kept.assign(metric=kept["metric"].mask(kept["quantity"] == "a round apart", itself))
    names = dict.fromkeys([itself, *shown["judgment"], *shown["metric"]])
    sheet = marks(
        shown, x="value", y="metric", panel="judgment", colour="quantity", order=[*names][::-1],
        hover=["corrected"], labels={"value": "Pearson's r", "metric": "protocol"}, size=7,
    )  # fmt: skip
    sheet.x(**correlation_axis(shown["low"]))
    return sheet.figure(height=dot_height(names))
