"""figures.intervals: intervals of all metrics by each method.

Draws the table of `helpers.experiments.intervals`; called by the notebook intervals and its live block.
"""

from __future__ import annotations

from math import isnan

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import ordered
from helpers.kit.panels import Panels, label
from helpers.kit.theme import correlation_axis, metric_style
from metaeval.tables.labels import words

_NARROWER = {0.9: ("q5", "q95"), 0.8: ("q10", "q90")}  # columns with the ends of narrower intervals
_MIDDLE = ("q25", "q75")


def interval_bars(intervals: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Intervals of all metrics, a panel per level and data set; dropdowns for the method and the confidence.

    Parameters
    ----------
    intervals : DataFrame of `helpers.experiments.intervals.table`
        Of one coefficient, for one or more data sets.
    confidence_level : float
        Of its columns low and high.
    """
    names = list(intervals[["level", "dataset"]].drop_duplicates().itertuples(index=False, name=None))
    names.sort(key=lambda name: name[0] != "system")  # the level that the page's answer speaks of comes first
    first = intervals[(intervals["level"] == names[0][0]) & (intervals["dataset"] == names[0][1])]
    methods, metrics = intervals["method"].unique().tolist(), ordered(first)
    metrics = [*sorted(set(intervals["metric"]) - set(metrics), reverse=True), *metrics]
    parts = {
        key: rows.set_index("metric")
        .filter(regex="value|low$|high$|q[0-9]+|n_used")
        .reindex(metrics)
        .to_dict("list")
        for key, rows in intervals.groupby(["method", "level", "dataset"], sort=False)
    }
    ends = {confidence_level: ("low", "high")}
    ends |= {level: columns for level, columns in _NARROWER.items() if level < confidence_level}
    colours = [metric_style(metric).colour for metric in metrics]
    titles = [f"{words('data', dataset)} ({words('level', level)})" for level, dataset in names]
    titles = [title.replace(" (", "<br>(") for title in titles]  # panels are narrow
    sheet = Panels(names, titles=titles, gap=0.02)
    moving: dict[str, list[dict]] = {method: [] for method in methods}
    for name in names:
        for level, columns in [*ends.items(), (None, _MIDDLE)]:
            for method in methods:
                moving[method].append(_bar(parts[(method, *name)], *columns))
            said = "interval" if level else "middle half"
            trace = {
                "type": "bar",
                "y": metrics,
                "orientation": "h",
                "width": 0.25 if level else 0.6,
                "marker": {"color": colours, "opacity": 0.55},
                "hovertemplate": f"<b>%{{y}}</b><br>{said}: %{{customdata}}<extra></extra>",
                "showlegend": False,
            }
            sheet.add(trace | moving[methods[0]][-1], name, of={"level": level} if level else None)
    sheet.moved(moving, methods[0], range(len(sheet.data)))  # estimates are the same for every method
    used = label("n_used")
    for name in names:
        trace = {
            "x": parts[(methods[0], *name)]["value"],
            "y": metrics,
            "mode": "text",  # in the colour of the page's text, as no marker is
            "text": ["|"] * len(metrics),
            "textfont": {"size": 16},
            "customdata": [None if isnan(n) else int(n) for n in parts[(methods[0], *name)]["n_used"]],
            "hovertemplate": f"<b>%{{y}}</b>: %{{x:.3f}}<br>{used}: %{{customdata}}<extra></extra>",
            "showlegend": False,
        }
        sheet.add(trace, name)
    axis = correlation_axis(intervals["low"]) | {"tickmode": "array", "tickvals": [0, 0.5, 1]}
    sheet.x(title=f"{words('coefficient', intervals['coefficient'].iloc[0])} with people", **axis)
    sheet.y(title="metric", automargin=True).moving_menu("Method")
    sheet.menu("Interval", "level", [f"{100 * level:g} %" for level in ends])
    return sheet.figure(height=190 + 30 * len(metrics), barmode="overlay")


def _bar(part: dict[str, list[float]], low: str, high: str) -> dict[str, list]:
    """Start, width and hover of each metric's bar; no width where a method has no such interval."""
    ends = list(zip(part[low], part[high], strict=True))
    return {
        "base": part[low],
        "x": [0 if isnan(end - start) else end - start for start, end in ends],
        "customdata": [f"{start:.3f} to {end:.3f}" for start, end in ends],
    }
