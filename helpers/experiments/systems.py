"""experiments.systems: do metrics rank systems as people do, on which systems, and one better than another?

Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, contrasting, grids, heatmap
from helpers.kit.theme import correlation_axis, dropdown
from helpers.kit.tidy import tidy
from metaeval.analysis import systems
from metaeval.analysis.systems import GROUPS
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.datasets import load
from metaeval.stats.differences import compare_pairs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import label
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue

# blue where the test finds the metric better, at 0.05; else grey
_P_VALUES = [[0, "#00527F"], [0.05, "#0072B2"], [0.0500001, "#E3E5E8"], [1, "#E3E5E8"]]


@accepts_many_benchmarks
@tidy("dataset", "group", "coefficient", "metric", "rival", values=["value", "pvalue"])
def comparisons(benchmark: Benchmark, *, groups=GROUPS, coefficients=("pearson",)):
    """One-sided Williams' tests at system level of every metric against every other."""
    # correlations keep their signs: a metric that ranks upside down does not win
    for part in benchmark.parts(groups=groups):
        names = np.array(part.benchmark.metrics, dtype=object)
        pairs = np.argwhere(~np.eye(len(names), dtype=bool))
        for coefficient in coefficients:
            tests = compare_pairs(
                part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), pairs, level="system",
                coefficient=coefficient, method="Williams", alternative="greater",
            )  # fmt: skip
            yield {
                **part.keys, "coefficient": coefficient, "method": tests.method,
                "metric": names[pairs[:, 0]], "rival": names[pairs[:, 1]], "value": tests.difference,
                "statistic": tests.statistic, "pvalue": tests.pvalue, "n_used": tests.n_used,
                "n_total": tests.n_total, "n_systems": len(part.benchmark.systems),
            }  # fmt: skip


def correlation_dots(results: pd.DataFrame) -> go.Figure:
    """Metrics in rows, a panel per group of systems and level; a dropdown for the coefficient."""
    metrics, levels = ordered(results), results["level"].nunique()
    sheet = marks(
        results, x="value", y="metric", panel="group", row="level", colour="metric", menu="coefficient",
        order=metrics, size=10, row_gap=0.12,
    )  # fmt: skip
    for level in sheet.x(**correlation_axis(results["low"])).rows:
        sheet.categories(metrics, level)
    return sheet.menu("Coefficient", "coefficient").figure(height=110 + levels * (60 + 26 * len(metrics)))


def difference_dots(results: pd.DataFrame) -> go.Figure:
    """Correlation on a part of the systems minus that on all: metrics in rows, a panel per group."""
    changes = results[results["quantity"] == "difference"]
    metrics = ordered(changes)
    sheet = marks(
        changes, x="value", y="metric", panel="group", colour="metric", menu="coefficient", order=metrics,
        hover=["n_used"], labels={"value": "difference of correlations", "n_used": "systems used"},
        size=10,
    )  # fmt: skip
    # one scale, whichever coefficient is picked
    ends = [min(changes["low"].min(), 0) - 0.05, max(changes["high"].max(), 0) + 0.05]
    sheet.x(range=ends, zeroline=True, zerolinewidth=2).menu("Coefficient", "coefficient")
    return sheet.figure(height=dot_height(metrics, [1]))


def score_scatter(means: pd.DataFrame) -> go.Figure:
    """Systems' mean human scores against their mean metric scores; a dropdown picks the metric."""
    sheet = marks(
        means, x="value", y="human", series="system_type", colour="metric", menu="metric", point="system",
        labels={"value": "mean metric score"}, size=10,
    )  # fmt: skip
    title = "Mean scores of the systems, by people and by a metric"
    subtitle = {"text": "One dot a system; where dots rise to the right, the metric follows people"}
    sheet.menu("Metric", "metric").layout["title"] = {"text": title, "subtitle": subtitle}
    return sheet.figure(height=460)


def williams_heatmap(results: pd.DataFrame) -> go.Figure:
    """p-values of metrics against those that correlate less with people, the best metric on top."""
    cells = results[results["value"] >= 0].assign(
        text=lambda rows: [contrasting(pvalue(p), p, _P_VALUES, low=0) for p in rows["pvalue"]],
        hover=lambda rows: [
            f"{row.metric} minus {row.rival}: {row.value:+.3f}<br>one-sided {pvalue(row.pvalue, name='p')}"
            f"<br>{label('n_systems')}: {row.n_systems}"
            for row in rows.itertuples()
        ],
    )
    views = {}
    for group, rows in cells.groupby("group", sort=False):
        # whoever beats more comes first, so that all cells lie on one side of the diagonal
        metrics = [*rows["metric"].value_counts().index, *{*rows["rival"]} - {*rows["metric"]}]
        values = {"z": "pvalue", "text": "text", "customdata": "hover"}
        view = grids(rows, "metric", "rival", metrics[:-1], metrics[1:], **values)
        views[group] = view | {"x": metrics[1:], "y": metrics[:-1]}
    first = next(iter(views.values()))
    sheet = Panels().add(
        heatmap([], [], colours=_P_VALUES) | first | {"hovertemplate": "%{customdata}<extra></extra>"}
    )
    sheet.y(title="does this metric agree more", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="with people than this one?", side="top", automargin=True, showgrid=False, tickangle=-30)
    if len(views) > 1:
        changes = [{key: [cells] for key, cells in view.items()} for view in views.values()]
        sheet.controls.append(dropdown("Systems", [words("group", group) for group in views], changes))
    return sheet.figure(height=190 + 44 * len(first["y"]))


LIVE = live(
    "systems",
    lambda *, dataset, metrics, seed, **settings: systems.table(
        load(dataset).select(metrics=metrics), method="Boot-Both", rng=seed, **settings
    ),
    correlation_dots,
    "dataset groups levels coefficients confidence_level n_resamples metrics",
    question="How well do metrics order systems as people do?",
    initial={"n_resamples": 199},
    settle_s=AT_ONCE_S,
)
