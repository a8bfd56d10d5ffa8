"""figures.labels_needed: where differences between judgments come from, and what more labels would do.

Draws the tables of `helpers.experiments.labels_needed`; called by the notebook labels_needed and its live
block.
"""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import ENDS, Panels, grid, label, with_system_names
from helpers.kit.theme import BLUE, GREY, ORANGE, PALETTE, PURPLE, Style, share_axis
from metaeval.tables.labels import words

_STYLES = (Style(ORANGE, symbol="diamond"), Style(BLUE), Style(GREY, symbol="x"))


def component_bars(components: pd.DataFrame) -> go.Figure:
    """One bar per judgment, divided by what its variance is due to; one row of panels per data set.

    Parameters
    ----------
    components : DataFrame of `helpers.experiments.labels_needed.components`
    """
    sets = components["dataset"].unique().tolist()
    n_bars = components.groupby("dataset", sort=False)["judgment"].nunique()
    titles = [words("dataset", name) for name in sets]
    sheet = Panels(rows=sets, row_titles=titles, heights=n_bars.tolist(), row_gap=0.05)
    for place, (effect, of) in enumerate(components.groupby("effect", sort=False)):
        for name, part in of.groupby("dataset", sort=False):
            bar = {
                "type": "bar",
                "orientation": "h",
                "name": effect,
                "x": part["share_of_variance"].tolist(),
                "y": [words("judgment", name) for name in part["judgment"]],
                "customdata": (part[["value", "share_of_variance"]] * [1, 100]).to_numpy().tolist(),
                "marker": {"color": PALETTE[place]},
                "hovertemplate": f"<b>%{{y}}</b>, {effect}<br>%{{customdata[1]:.1f}} %<br>"
                "variance: %{customdata[0]:.3f}<extra></extra>",
            }
            sheet.add(bar, row=name)
    # beyond the end there is room for the label of the last tick
    sheet.x(title="share of the variance", **share_axis(high=1.04))
    sheet.y(title="judgment", autorange="reversed", automargin=True)
    return sheet.figure(height=190 + 26 * int(n_bars.sum()), barmode="stack")


def reliability_contours(reliabilities: pd.DataFrame, pilot: pd.DataFrame) -> go.Figure:
    """Lines of equal reliability over documents and raters; a dropdown picks the dimension.

    Parameters
    ----------
    reliabilities : DataFrame of `helpers.experiments.labels_needed.reliabilities`
    pilot : DataFrame of `helpers.experiments.labels_needed.doubled`
        Whose sizes are marked, and twice these: what lies beyond is far from anything that was measured.
    """
    documents, raters = (
        sorted(reliabilities[name].unique().tolist()) for name in ("n_documents", "n_raters")
    )
    sheet = Panels()
    for dimension, part in reliabilities.groupby("dimension", sort=False):
        lines = {
            "type": "contour",
            "x": documents,
            "y": raters,
            "z": grid(part, "n_raters", "n_documents", raters, documents, "value"),
            "contours": {
                **{"coloring": "lines", "start": 0.5, "end": 0.95, "size": 0.05},
                **{"showlabels": True, "labelfont": {"size": 12, "color": GREY}, "labelformat": ".2f"},
            },
            "line": {"width": 2.5, "smoothing": 0.6},
            "colorscale": [[0, ORANGE], [0.5, PURPLE], [1, BLUE]],
            "zmin": 0.5,
            "zmax": 0.95,
            "showscale": False,
            "hovertemplate": "%{x} documents, %{y} raters<br>reliability: %{z:.3f}<extra></extra>",
        }
        sheet.add(lines, of={"dimension": dimension})
    here = pilot.iloc[0]
    mark = {"symbol": "star", "size": 14, "color": GREY}
    said = "<b>judged</b><br>%{x} documents, %{y} raters<extra></extra>"
    sheet.add({
        "x": [int(here.n_documents)], "y": [int(here.n_raters)], "mode": "markers", "marker": mark,
        "showlegend": False, "hovertemplate": said,
    })  # fmt: skip
    # on a phone more than 1, 2 and 5 of a decade would lie on each other
    ticks = [n for n in documents if str(n).rstrip("0") in ("1", "2", "5")] or documents
    sheet.x(title=label("n_documents"), type="log", tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks])
    sheet.y(title=label("n_raters"), tickvals=raters)
    sheet.rule(x=2 * int(here.n_documents)).rule(y=2 * int(here.n_raters))
    return sheet.menu("Dimension", "dimension").figure(height=430)


def outlook_dots(outlook: pd.DataFrame) -> go.Figure:
    """What a design to come gives, one panel per quantity and one row per dimension.

    Parameters
    ----------
    outlook : DataFrame of `helpers.experiments.labels_needed.outlook`
    """
    dimensions = outlook["dimension"].unique().tolist()[::-1]
    titles = [name.replace(" of ", "<br>of ").replace(" with ", "<br>with ").replace(" at ", "<br>at ")
              for name in outlook["quantity"].unique()]  # fmt: skip
    sheet = marks(
        outlook, x="value", y="dimension", panel="quantity", colour="dimension", order=dimensions, size=11,
        labels={"value": "share, or correlation"}, titles=titles, gap=0.05,
    )  # fmt: skip
    low = min(-0.05, float(outlook["low"].min()) - 0.05)
    return sheet.x(range=[low, 1.05], dtick=0.5, tick0=0).figure(height=230 + 34 * len(dimensions))


def saving_dots(savings: pd.DataFrame) -> go.Figure:
    """Times as many labels that people alone would need, by judge, one panel per dimension.

    Parameters
    ----------
    savings : DataFrame of `helpers.experiments.labels_needed.savings`
        Of one data set.
    """
    judges = savings["judge"].unique().tolist()[::-1]
    sheet = marks(
        savings, x="value", y="judge", panel="dimension", series="estimated", order=judges, size=10,
        hover=["saved_here_at_most", "saved_at_most"], labels={"value": "times as many labels"},
    )  # fmt: skip
    least = min(1.0, float(savings["value"].min()))
    sheet.x(range=[least - 0.05, float(savings["value"].max()) + 0.05], dtick=0.1, tick0=1).rule(x=1)
    return sheet.figure(height=dot_height(judges, savings["estimated"].unique()))


def labelling_dots(coverage: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """How often intervals hold the truth by how documents were chosen; a dropdown picks the judge.

    Parameters
    ----------
    coverage : DataFrame of `helpers.experiments.labels_needed.coverage`
    confidence_level : float
        Drawn as a line.
    """
    chosen = coverage["labelling"].unique().tolist()[::-1]
    sheet = marks(
        coverage, x="value", y="labelling", panel="estimated", series="method", menu="judge", order=chosen,
        style=dict(zip(coverage["method"].unique(), _STYLES[:2], strict=True)), size=11,
        hover=["share_refused", "n_trials"], labels={"value": "coverage"},
    )  # fmt: skip
    sheet.x(range=[-0.03, 1.03]).rule(x=confidence_level).menu("Judge", "judge")
    return sheet.figure(height=290)


def estimate_dots(estimates: pd.DataFrame) -> go.Figure:
    """Estimates from few labels, with and without the judge, beside all labels; means above differences.

    Parameters
    ----------
    estimates : DataFrame of `helpers.experiments.labels_needed.estimates`
    """
    estimates = with_system_names(estimates)
    # else no room is left on a phone
    estimates["metric"] = estimates["metric"].str.replace(" − ", "<br>− ")
    estimates["estimated"] = estimates["estimated"].str.removeprefix("the ")
    whole = estimates.drop_duplicates(["estimated", "metric"])
    whole = whole.assign(method="all labels", value=whole["whole"], low=float("nan"), high=float("nan"))
    shown = pd.concat([estimates, whole], ignore_index=True)
    rows = estimates["estimated"].unique().tolist()
    named = estimates.groupby("estimated", sort=False)["metric"].unique()
    heights = [sum(44 if "<br>" in name else 25 for name in names) for names in named]
    sheet = marks(
        shown, x="value", y="metric", series="method", row="estimated", own_x=True, heights=heights,
        order=shown["metric"].unique().tolist()[::-1], size=6,
        labels={"value": "in units of the scale", "metric": "system, or pair of systems"},
        style=dict(zip(shown["method"].unique(), _STYLES, strict=True)), row_gap=0.1,
    )  # fmt: skip
    for name in rows:
        part = shown[shown["estimated"] == name]
        low, high = (float(part[["value", *ENDS]].agg(end).agg(end)) for end in ("min", "max"))
        room = 0.03 * (high - low)
        sheet.axis("x", row=name, range=[low - room, high + room], title="in units of the scale")
    return sheet.figure(height=190 + sum(heights))
