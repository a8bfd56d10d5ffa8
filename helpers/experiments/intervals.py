"""experiments.intervals: how far may the correlation of a metric be from what was measured?

Deutsch et al. 2021, §3, §6.1 and Fig. 4.
"""

from __future__ import annotations

from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import ordered
from helpers.kit.panels import Panels, label
from helpers.kit.papers import alike, load_reported
from helpers.kit.theme import correlation_axis, metric_style
from helpers.kit.tidy import tidy
from helpers.kit.told import value_told
from metaeval.analysis.intervals import table
from metaeval.stats.intervals import share_wrongly_ranked
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_KINDS = ["dataset", "level", "coefficient", "method"]
# what a method takes to be a sample; first those that ask most
_SAMPLED = {
    "Boot-Both": "systems and documents",
    "Boot-Systems": "systems",
    "Fisher": "systems",
    "Boot-Inputs": "documents",
}
_NARROWER = {0.9: ("q5", "q95"), 0.8: ("q10", "q90")}  # columns with the ends of narrower intervals
_MIDDLE = ("q25", "q75")


@tidy(*_KINDS, "metric", "quantity")
def quantities(intervals: pd.DataFrame, *, n_printed: int):
    """Numbers that a paper prints of intervals, with the Monte-Carlo error of `n_printed` draws and ours."""
    # wrong: of pairs of systems, those ranked against people that Kendall's upper and lower end stand for
    low, high = intervals["low"], intervals["high"]
    inflate = np.sqrt(1 + intervals["n_resamples"] / n_printed)
    low_error, high_error = intervals["low_mc_error"] * inflate, intervals["high_mc_error"] * inflate
    width_error, kendall = np.hypot(low_error, high_error), intervals["coefficient"] == "kendall"
    numbers = {
        "estimate": (intervals["value"], 0.0),
        "low": (low, low_error),
        "high": (high, high_error),
        "width": (high - low, width_error),
        "middle": (intervals[["low", "high"]].mean(axis=1), width_error / 2),
        "middle half %": (100 * (intervals["q75"] - intervals["q25"]) / (high - low), np.nan),
        "least wrong %": (100 * share_wrongly_ranked(high.where(kendall)), 50 * high_error),
        "most wrong %": (100 * share_wrongly_ranked(low.where(kendall)), 50 * low_error),
    }
    for quantity, (value, error) in numbers.items():
        yield intervals[[*_KINDS, "metric"]].assign(quantity=quantity, value=value, mc_error=error)


def answer(intervals: pd.DataFrame, *, metric: str) -> dict[str, str]:
    """One metric's interval and how many are wide, at the system level if possible, by the widest method."""
    level = "system" if (intervals["level"] == "system").any() else intervals["level"].iloc[0]
    coefficient = intervals["coefficient"].iloc[0]
    method = next(name for name in _SAMPLED if (intervals["method"] == name).any())
    kind = [level, coefficient, method]
    part, distinct = (
        rows[(rows[["level", "coefficient", "method"]] == kind).all(axis=1)]
        for rows in (intervals, once(intervals))
    )
    one = part[part["metric"] == metric].iloc[0]
    wrong = ""
    if coefficient == "kendall":
        low, high = 100 * share_wrongly_ranked(one[["high", "low"]].astype(float))
        wrong = (
            f": on other {_SAMPLED[method]} it could rank {low:.0f} to {high:.0f} % of the pairs "
            "against people"
        )
    widths = distinct["high"] - distinct["low"]
    ends = zip(distinct["low"], distinct["high"], strict=True)
    n_wide = sum(wording.width(*pair) == "wide" for pair in ends)
    how_many = f"All {len(widths)}" if n_wide == len(widths) else f"{n_wide} of {len(widths)}"
    means = "Each is by Fisher's formula" if method == "Fisher" else f"Each draws {_SAMPLED[method]} again"
    return {
        "intervals-answer-short": (
            f"On {words('data', one['dataset'])}'s {one['n_systems']} systems, {metric} has "
            f"{words('coefficient', coefficient)} = {value_told(one)} with people, "
            f"a {wording.width(one['low'], one['high'])} interval{wrong}."
        ),
        "intervals-answer-sure": (
            f"{how_many} distinct metrics' intervals at {words('level', level)} are at least "
            f"{wording.WIDE:g} wide (median {widths.median():.2f}; scale: −1 to 1). {means} ({method})."
        ),
    }


def once(intervals: pd.DataFrame) -> pd.DataFrame:
    """Intervals without metrics that are an earlier one under another name."""
    copies = []
    for dataset, part in intervals.groupby("dataset", sort=False):
        by_metric = part.pivot(index="metric", columns=_KINDS[1:], values=["value", "low", "high"])
        copies += [(dataset, metric) for metric in alike(by_metric.reindex(part["metric"].unique()))]
    originals = intervals[~pd.MultiIndex.from_frame(intervals[["dataset", "metric"]]).isin(copies)]
    return check(originals, keys=[*_KINDS, "metric"])


@tidy(*_KINDS, "quantity")
def overlaps(intervals: pd.DataFrame):
    """Percent of pairs of metrics whose intervals overlap, each and all together, `once` and by name."""
    for quantity, counted in (("", once(intervals)), (", each name", intervals)):
        rows = []
        for key, part in counted.groupby(_KINDS, sort=False):
            low, high = part["low"].to_numpy(), part["high"].to_numpy()
            first, second = np.triu_indices(len(part), 1)
            overlap = np.maximum(low[first], low[second]) <= np.minimum(high[first], high[second])
            rows.append((*key, int(overlap.sum()), len(first)))
        each = pd.DataFrame(rows, columns=[*_KINDS, "n_agree", "n_pairs"])
        summed = each.assign(dataset="all", level="all").groupby(_KINDS, sort=False).sum().reset_index()
        both = pd.concat([each, summed])
        percent = 100 * both["n_agree"] / both["n_pairs"]
        named = both[_KINDS].assign(quantity=f"overlapping pairs %{quantity}")
        yield named.assign(value=percent, n_pairs=both["n_pairs"])


def interval_bars(intervals: pd.DataFrame, *, confidence_level: float) -> go.Figure:
    """Intervals of all metrics, a panel per level and data set; dropdowns for method and confidence."""
    names = list(intervals[["level", "dataset"]].drop_duplicates().itertuples(index=False, name=None))
    names.sort(key=lambda name: name[0] != "system")  # the level that the page's answer speaks of comes first
    first = intervals[(intervals["level"] == names[0][0]) & (intervals["dataset"] == names[0][1])]
    methods, metrics = intervals["method"].unique().tolist(), ordered(first)
    metrics = [*sorted(set(intervals["metric"]) - set(metrics), reverse=True), *metrics]
    parts = {
        key: rows.set_index("metric").reindex(metrics)
        for key, rows in intervals.groupby(["method", "level", "dataset"], sort=False)
    }
    ends = {confidence_level: ("low", "high")}
    ends |= {level: columns for level, columns in _NARROWER.items() if level < confidence_level}
    colours = [metric_style(metric).colour for metric in metrics]
    titles = [f"{words('data', dataset)} ({words('level', level)})" for level, dataset in names]
    # panels are narrow
    sheet = Panels(names, titles=[title.replace(" (", "<br>(") for title in titles], gap=0.02)
    moving: dict[str, list[dict]] = {method: [] for method in methods}
    for name in names:
        for level, columns in [*ends.items(), (None, _MIDDLE)]:
            for method in methods:
                moving[method].append(_bar(parts[(method, *name)], *columns))
            trace = {
                "type": "bar", "orientation": "h", "y": metrics, "width": 0.25 if level else 0.6,
                "marker": {"color": colours, "opacity": 0.55}, "showlegend": False,
                "hovertemplate": f"<b>%{{y}}</b><br>{'interval' if level else 'middle half'}: "
                "%{customdata}<extra></extra>",
            }  # fmt: skip
            sheet.add(trace | moving[methods[0]][-1], name, of={"level": level} if level else None)
    sheet.moved(moving, methods[0], range(len(sheet.data)))  # estimates are the same for every method
    used = label("n_used")
    for name in names:
        part = parts[(methods[0], *name)]
        trace = {  # text is in the colour of the page's, as no marker is
            "x": part["value"].tolist(), "y": metrics, "mode": "text", "text": ["|"] * len(metrics),
            "textfont": {"size": 16}, "showlegend": False,
            "customdata": [None if isnan(n) else int(n) for n in part["n_used"]],
            "hovertemplate": f"<b>%{{y}}</b>: %{{x:.3f}}<br>{used}: %{{customdata}}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, name)
    axis = correlation_axis(intervals["low"]) | {"tickmode": "array", "tickvals": [0, 0.5, 1]}
    sheet.x(title=f"{words('coefficient', intervals['coefficient'].iloc[0])} with people", **axis)
    sheet.y(title="metric", automargin=True).moving_menu("Method")
    sheet.menu("Interval", "level", [f"{100 * level:g} %" for level in ends])
    return sheet.figure(height=190 + 30 * len(metrics), barmode="overlay")


def _bar(part: pd.DataFrame, low: str, high: str) -> dict[str, list]:
    """Start, width and hover of each metric's bar; no width where a method has no such interval."""
    ends = list(zip(part[low].tolist(), part[high].tolist(), strict=True))
    return {
        "base": part[low].tolist(),
        "x": [0 if isnan(end - start) else end - start for start, end in ends],
        "customdata": [f"{start:.3f} to {end:.3f}" for start, end in ends],
    }


LIVE = live(
    "intervals",
    lambda *, datasets, coefficient, seed, **settings: table(
        load_reported(datasets), coefficients=[coefficient], rng=seed, **settings
    ),
    interval_bars,
    "datasets levels coefficient methods confidence_level n_resamples",
    question="How far may the correlation of a metric be from what was measured?",
    initial={"n_resamples": 999},
)
