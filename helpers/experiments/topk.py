"""experiments.topk: the correlation of metrics with people on the *k* best systems.

Benchmarks in, tidy tables out; called by the notebook `topk`, its live block, and pages that need the same.
Bhandari et al. 2020, §4.2 (Exp-II, Figs. 3 and 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.live import choices
from helpers.kit.live.controls import Whole
from helpers.kit.live.experiment import Live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.theme import correlation_axis, metric_style
from metaeval import analysis
from metaeval.analysis import systems
from metaeval.datasets import load
from metaeval.stats.ties import system_means
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, GROUP_LABELS, words
from metaeval.tables.wording import UNDEFINED, joined


def in_words(results: pd.DataFrame, *, groups: Sequence[str]) -> str:
    """Which metrics agree least and most with people on the *k* best systems, and which groups are too small.

    Parameters
    ----------
    results : DataFrame of `table`, for one *k*
        By the first of its coefficients.
    groups : the groups that were asked for

    Returns
    -------
    str
    """
    k, coefficient = results["k"].iloc[0], results["coefficient"].iloc[0]
    said = []
    for group, part in results[results["coefficient"] == coefficient].groupby("group", sort=False):
        ranked = part.dropna(subset="value").sort_values("value", kind="stable")
        ends = [f"{row.metric} {row.value:.2f}" for row in ranked.iloc[[0, -1][: len(ranked)]].itertuples()]
        said.append(f"{words('group', group)}: {' to '.join(ends) or UNDEFINED}")
    small = [words("group", group) for group in groups if group not in set(results["group"])]
    without = f" Fewer than {k} systems, so no value: {joined(small)}." if small else ""
    on_best = f"{words('coefficient', coefficient)} with people on the {k} best systems"
    return f"{on_best}: {'; '.join(said)}.{without}"


def best_systems(benchmarks: Sequence[Benchmark], *, k: int) -> pd.DataFrame:
    """The `k` best systems of each benchmark with the mean scores that they have.

    Parameters
    ----------
    benchmarks : Benchmarks with the same metrics
    k : int, at least 1

    Returns
    -------
    DataFrame with one row per dataset, system and metric, the best systems first
        Columns: dataset, system, system_type, human (mean score from people), metric, value (its mean score).
    """
    means = systems.means(benchmarks).sort_values(
        ["dataset", "human", "system"], ascending=[True, False, True], kind="stable"
    )
    place = means.groupby(["dataset", "metric"]).cumcount()
    best = means[place < k].reset_index(drop=True)
    return check(best, keys=["dataset", "system", "metric"])


def extremes(results: pd.DataFrame) -> pd.DataFrame:
    """The lowest and the highest correlation over *k*.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset and coefficient

    Returns
    -------
    DataFrame with columns group, metric, lowest, highest
    """
    keys = ["group", "metric"]
    found = results.groupby(keys, sort=False)["value"].agg(lowest="min", highest="max").reset_index()
    return check(found, keys=keys, values=["lowest", "highest"])


def reached(results: pd.DataFrame, *, metric: str, bounds: Sequence[float]) -> pd.DataFrame:
    """On how many of the *k* a metric's correlation reaches each of several bounds.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset and coefficient
    metric : str
    bounds : of the correlation

    Returns
    -------
    DataFrame with columns group, metric, beyond (the bound), n_ks (numbers of systems, k), n_beyond (of
        these, those whose correlation is above it), lowest
    """
    mine = results[results["metric"] == metric]
    rows = [
        (group, metric, bound, len(rows), int((rows["value"] > bound).sum()), rows["value"].min())
        for group, rows in mine.groupby("group", sort=False)
        for bound in bounds
    ]
    columns = ["group", "metric", "beyond", "n_ks", "n_beyond", "lowest"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["n_beyond"])


def negatives(*results: pd.DataFrame, coefficient: str) -> pd.DataFrame:
    """The metrics whose correlation is negative on some *k*, and on which.

    Parameters
    ----------
    *results : DataFrames of `table`
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    DataFrame with columns dataset, group, metric, n_ks (numbers of systems, k), from_k, to_k (the least
    and the greatest of these), lowest (the most negative)
    """
    keys = ["dataset", "group", "metric"]
    found = pd.concat(results)
    below = found[(found["value"] < 0) & (found["coefficient"] == coefficient)].groupby(keys, sort=False)
    found = below.agg(
        n_ks=("k", "size"), from_k=("k", "min"), to_k=("k", "max"), lowest=("value", "min")
    ).reset_index()
    return check(found, keys=keys, values=["lowest"])


def lead(benchmark: Benchmark) -> float:
    """How many times as high as the next system's the best system's mean human score is.

    Parameters
    ----------
    benchmark : Benchmark with at least two systems

    Returns
    -------
    float
    """
    first, second = np.sort(system_means(benchmark.human.to_numpy()))[:-3:-1]
    return float(first / second)


_SYMBOLS = 10  # of a line


def top_k_curves(results: pd.DataFrame, *, beside: pd.DataFrame | None = None) -> go.Figure:
    """One panel per group of systems, one line per metric over *k*; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.topk.table` for one data set
        Intervals stand in the hover: those of many lines would hide each other.
    beside : DataFrame of `metaeval.analysis.topk.table`, optional
        Of a figure to compare this one with: the axis has room for its correlations as well.
    """
    sheet = marks(
        results,
        x="k",
        y="value",
        mode="lines+markers",
        panel="group",
        series="metric",
        menu="coefficient",
        bars=False,
        digits=2,
        size=6,
        gap=0.03,
    )
    for trace in sheet.data:
        trace["marker"]["maxdisplayed"] = _SYMBOLS  # among more the dashes would not show
    shown = results["value"] if beside is None else pd.concat([results["value"], beside["value"]])
    sheet.x(title="best systems, k", dtick=4 if results["k"].max() <= 30 else 10)
    return (
        sheet.y(**correlation_axis(shown))
        .menu("Coefficient", "coefficient")
        .figure(height=480, legend_above=True)
    )


def top_k_dots(results: pd.DataFrame) -> go.Figure:
    """All metrics at one *k*, which a slider moves; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.topk.table` for one data set
        Columns low and high, where there are any, are drawn as bars.
    """
    ks = results["k"].unique()
    metrics = ordered(results[results["k"] == ks.max()])
    sheet = marks(
        results,
        x="value",
        y="metric",
        series="group",
        colour="metric",
        menu="coefficient",
        moved_by="k",
        start=min(sorted(ks), key=lambda k: abs(k - 10)),
        order=metrics,
        digits=2,
        size=10,
    )
    sheet.x(
        title="correlation on the top k", **correlation_axis([*results["value"], *results.get("low", [])])
    )
    sheet.menu("Coefficient", "coefficient").slider("k", about="Number of best systems, k")
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


def topk_explorable(
    results: Sequence[pd.DataFrame], means: pd.DataFrame, *, k: int, confidence_level: float
) -> dict[str, object]:
    """The panel of the *k* best systems.

    Parameters
    ----------
    results : DataFrames of `metaeval.analysis.topk.table`, a data set each, the first one first
    means : DataFrame of `metaeval.analysis.systems.means` of these data sets
    k : int
        Where the slider stands.
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    table = pd.concat(results, ignore_index=True)
    first = table.iloc[0]
    group = table.loc[table["dataset"] == first["dataset"], "group"].iloc[-1]
    return {
        "kind": "topk",
        "alt": "A panel in which k, the metric, the systems, the coefficient and the data can be moved.",
        "start": {"k": k, "metric": first["metric"], "group": group},
        "confidence_level": confidence_level,
        "words": {
            "group": GROUP_LABELS,
            "coefficient": COEFFICIENT_LABELS,
            "dataset": labels_of(table, "dataset"),
            "system": system_labels(means),
        },
        "colours": {metric: metric_style(metric).colour for metric in table["metric"].unique()},
        "tables": {
            "topk": table_as_json(
                table, ["dataset", "group", "k", "coefficient", "metric"], ["value", "low", "high"]
            ),
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "system_type", "metric", "human", "value"]),
        },
    }


def _table(*, dataset, metrics, k, seed, **settings) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return analysis.topk.table(benchmark, ks=[k], method="Boot-Inputs", rng=seed, **settings)


LIVE = Live(
    notebook="topk",
    question="How well do metrics agree with people on the k best systems?",
    controls=(
        choices.DATASET,
        Whole("k", "Best systems, k", 3, choices.n_systems),
        choices.GROUPS,
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999),
        choices.METRICS,
    ),
    fixed=("seed",),
    compute=_table,
    draw=lambda table, _: top_k_dots(table),
    says=lambda table, settings: in_words(table, groups=settings["groups"]),
)
