"""experiments.topk: do metrics rank the *k* best systems as people do?

Bhandari et al. 2020, §4.2 (Exp-II), Figs. 3 and 8.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.theme import GREY, VERMILLION, Style, correlation_axis, metric_style
from metaeval import analysis
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.datasets import load
from metaeval.stats.ties import system_means
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, GROUP_LABELS

_SYMBOLS = 10  # of a line; among more the dashes would not show


@accepts_many_benchmarks
def best_against_all(benchmark, *, groups, coefficients, ks=None, **draws) -> pd.DataFrame:
    """Correlations on the *k* best systems of each group, and their changes from all, over shared draws."""
    ends = ["value", "low", "high"]
    keys = ["dataset", "group", "k", "coefficient", "metric"]
    sizes: dict[str, list[int]] = {}
    for part in benchmark.parts(groups=groups, ks=ks):
        sizes.setdefault(part.keys["group"], []).append(part.keys["k"])
    parts = []
    for group, fitting in sizes.items():
        both = analysis.systems.differences(
            benchmark, groups=[group], whole=group, ks=fitting, coefficients=coefficients, **draws
        )
        best, change = (
            both[both["quantity"] == name].drop(columns="quantity") for name in ("part", "difference")
        )
        named = dict(zip(ends, ("change", "change_low", "change_high"), strict=True))
        parts.append(best.merge(change[keys + ends].rename(columns=named), on=keys))
    return check(pd.concat(parts, ignore_index=True), keys=keys)


def best_systems(benchmarks, *, k) -> pd.DataFrame:
    """The `k` best systems of benchmarks with the same metrics, with their mean scores, the best first."""
    means = analysis.systems.means(benchmarks).sort_values(
        ["dataset", "human", "system"], ascending=[True, False, True], kind="stable"
    )
    place = means.groupby(["dataset", "metric"]).cumcount()
    return check(means[place < k].reset_index(drop=True), keys=["dataset", "system", "metric"])


def extremes(results) -> pd.DataFrame:
    """The lowest and the highest correlation over *k*, for one data set and coefficient."""
    keys = ["group", "metric"]
    ends = results.groupby(keys, sort=False)["value"].agg(lowest="min", highest="max").reset_index()
    return check(ends, keys=keys, values=["lowest", "highest"])


def negatives(*results, coefficient) -> pd.DataFrame:
    """The metrics whose correlation is negative at some *k*, and from which to which."""
    keys = ["dataset", "group", "metric"]
    table = pd.concat(results)
    below = table[(table["value"] < 0) & (table["coefficient"] == coefficient)].groupby(keys, sort=False)
    counted = below.agg(
        n_ks=("k", "size"), from_k=("k", "min"), to_k=("k", "max"), lowest=("value", "min")
    ).reset_index()
    return check(counted, keys=keys, values=["lowest"])


def lead(benchmark) -> float:
    """Ratio of the best system's mean human score to the next system's."""
    first, second = np.sort(system_means(benchmark.human.to_numpy()))[:-3:-1]
    return float(first / second)


def top_k_curves(results) -> go.Figure:
    """A panel per group of systems, a line per metric over *k*."""
    # intervals of many lines would hide each other: they stand in the hover
    sheet = marks(
        results, x="k", y="value", mode="lines+markers", panel="group", series="metric", menu="coefficient",
        bars=False, digits=2, size=6, gap=0.03,
    )  # fmt: skip
    for trace in sheet.data:
        trace["marker"]["maxdisplayed"] = _SYMBOLS
    sheet.x(title="best systems, k", dtick=4 if results["k"].max() <= 30 else 10)
    sheet.y(**correlation_axis(results["value"])).menu("Coefficient", "coefficient")
    return sheet.figure(height=480)


def release_curves(results, literal) -> go.Figure:
    """Correlations over *k* in both releases, a panel for each metric, of the last group of systems."""
    both = pd.concat([results, literal])
    both = both[both["group"] == results["group"].iloc[-1]]
    style = dict(zip(both["dataset"].unique(), (Style(GREY), Style(VERMILLION, "dash")), strict=True))
    sheet = marks(
        both, x="k", y="value", mode="lines", panel="metric", series="dataset", style=style, digits=2,
        menu="coefficient", bars=False, gap=0.03,
        titles=[metric.replace(" ", "<br>") for metric in both["metric"].unique()],
    )  # fmt: skip
    sheet.x(dtick=10).y(**correlation_axis(both["value"])).menu("Coefficient", "coefficient")
    return sheet.figure(height=400, named=False)


def top_k_dots(results) -> go.Figure:
    """All metrics at one *k*; a dropdown picks the coefficient."""
    metrics = ordered(results)
    sheet = marks(
        results, x="value", y="metric", series="group", colour="metric", menu="coefficient",
        order=metrics, digits=2, size=10,
    )  # fmt: skip
    sheet.x(title="correlation on the k best", **correlation_axis(results["low"]))
    sheet.menu("Coefficient", "coefficient")
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


def topk_explorable(results, means, *, k, confidence_level) -> dict[str, object]:
    """The panel of the *k* best systems: tables of a data set each, the first one first, and their means."""
    table = pd.concat(results, ignore_index=True)
    first = table.iloc[0]
    group = table.loc[table["dataset"] == first["dataset"], "group"].iloc[-1]
    keys = ["dataset", "group", "k", "coefficient", "metric"]
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
                table, keys, ["value", "low", "high", "change", "change_low", "change_high"]
            ),
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "system_type", "metric", "human", "value"]),
        },
    }


LIVE = live(
    "topk",
    lambda *, dataset, metrics, k, seed, **settings: best_against_all(
        load(dataset).select(metrics=metrics), ks=[k], rng=seed, **settings
    ),
    top_k_dots,
    "dataset k groups coefficients confidence_level n_resamples metrics",
    question="How well do metrics agree with people on the k best systems?",
    settle_s=AT_ONCE_S,
)
