"""experiments.intervals: how far may the correlation of a metric be from what was measured?

Deutsch et al. 2021, §3, §6.1 and Fig. 4.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.draws import halves
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks, ordered
from helpers.kit.papers import alike, load_reported
from helpers.kit.theme import GREY, Style, correlation_axis, faint, metric_style
from helpers.kit.tidy import tidy
from metaeval.analysis.systems import interval_table as table
from metaeval.stats.intervals import share_wrongly_ranked
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_KINDS = ["dataset", "level", "coefficient", "method"]


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


@tidy(*_KINDS, "metric", "quantity")
def widths_of_half(benchmarks, *, n_draws=5, rng, **settings):
    """Mean width of the intervals that random halves of the systems and of the documents give."""
    for benchmark in benchmarks:
        parts = [table(half, rng=rng, **settings) for half in halves(benchmark, n_draws, rng=rng)]
        widths = pd.concat([part.assign(value=part["high"] - part["low"]) for part in parts])
        drawn = widths.groupby([*_KINDS, "metric"], sort=False)["value"]
        means = drawn.agg(value="mean", mc_error="sem").reset_index()
        yield means.assign(quantity="width, half of the data")


@tidy("dataset", "quantity")
def quality_mixes(benchmarks):
    """People's scores relative to their mean: how they vary over documents, and within the mean document."""
    for benchmark in benchmarks:
        human = benchmark.human.to_numpy()
        spreads = [np.nanmean(human, axis=0).std(ddof=1), np.nanmean(np.nanstd(human, axis=0, ddof=1))]
        yield {
            "dataset": benchmark.name,
            "quantity": ["variation of documents", "variation within documents"],
            "value": np.array(spreads) / np.nanmean(human),
        }


def interval_dots(intervals: pd.DataFrame) -> go.Figure:
    """Correlations of all metrics with intervals, a panel per level and data set; a menu picks the method."""
    is_other = intervals["level"] != "system"  # the level that the page speaks of comes first
    rows = intervals.iloc[np.argsort(is_other, kind="stable")]
    panels = zip(rows["dataset"], rows["level"], strict=True)
    rows = rows.assign(panel=[f"{words('data', one)}<br>({words('level', level)})" for one, level in panels])
    first = ordered(rows[rows["panel"] == rows["panel"].iloc[0]])
    order = [*sorted(set(rows["metric"]) - set(first), reverse=True), *first]
    sheet = marks(
        rows, x="value", y="metric", panel="panel", colour="metric", menu="method", order=order, gap=0.02,
        titles=rows["panel"].unique().tolist(),
    )  # fmt: skip
    sheet.x(**correlation_axis(rows["low"]) | {"tickmode": "array", "tickvals": [0, 0.5, 1]})
    return sheet.menu("Method", "method").figure(height=170 + 26 * len(order))


def estimates(intervals: pd.DataFrame) -> pd.DataFrame:
    """Correlations over systems by Boot-Both, or at the first level and by the first method of a run."""
    rows = once(intervals)
    for column, usual in (("level", "system"), ("method", "Boot-Both")):
        kind = usual if (rows[column] == usual).any() else rows[column].iloc[0]
        rows = rows[rows[column] == kind]
    return quantities(rows, n_printed=1).query("quantity == 'estimate'")


def benchmark_lines(rows: pd.DataFrame, *, n_coloured: int = 3) -> go.Figure:
    """The place of each metric on every data set, by `estimates`; in colour those that move farthest."""
    values = rows.pivot(index="metric", columns="dataset", values="value").dropna()
    places = values[rows["dataset"].unique()].rank(ascending=False, method="min")
    farthest = (places.max(axis=1) - places.min(axis=1)).nlargest(n_coloured, keep="all").index
    style = {
        metric: metric_style(metric) if metric in farthest else Style(faint(GREY, 0.6))
        for metric in places.index
    }
    points = (
        places.loc[[*places.index.difference(farthest), *farthest]]
        .melt(ignore_index=False, value_name="place")
        .reset_index()
    )
    points["value"] = [values.at[key] for key in zip(points["metric"], points["dataset"], strict=True)]
    points["dataset"] = [words("dataset", name) for name in points["dataset"]]
    sheet = marks(
        points, x="dataset", y="place", mode="lines+markers", series="metric", hover=["value"], style=style
    )
    last, n = points.tail(len(places)), len(places)
    names = last.groupby("place")["metric"].agg(", ".join)
    ends = {"x": [last["dataset"].iloc[0]] * len(names), "y": names.index.tolist()}
    labels = {"text": [f"\u2003{metrics}" for metrics in names], "textposition": "middle right"}
    sheet.add(
        {"mode": "text", **ends, **labels, "hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    )
    sheet.x(title="", range=[-0.2, places.shape[1] - 0.5]).y(range=[n + 0.5, 0.5], dtick=1, showgrid=False)
    return sheet.figure(height=150 + 30 * n, showlegend=False)


LIVE = live(
    "intervals",
    lambda *, datasets, coefficient, seed, **settings: table(
        load_reported(datasets), coefficients=[coefficient], rng=seed, **settings
    ),
    interval_dots,
    "datasets levels coefficient methods confidence_level n_resamples",
    question="How far may the correlation of a metric be from what was measured?",
    initial={"n_resamples": 999},
)
