"""experiments.systems: do metrics rank systems as people do, on which systems, and one better than another?

Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, contrasting, grids, heatmap, label
from helpers.kit.theme import correlation_axis, dropdown
from helpers.kit.tidy import tidy
from metaeval.analysis import systems
from metaeval.analysis.systems import GROUPS
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.datasets import load
from metaeval.stats.differences import compare_pairs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue

# strong below 0.05, weak to one half
_P_VALUES = [[0, "#00664A"], [0.05, "#009E73"], [0.0500001, "#BFE3D8"], [0.5, "#F1F8F5"], [1, "#F1F8F5"]]


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
    """Metrics in rows, a symbol per group, a panel per level; dropdowns for the coefficient and the bars."""
    metrics, has_ends = ordered(results), {"low", "high"} <= set(results)
    sheet = marks(
        results, x="value", y="metric", panel="level", series="group", colour="metric", menu="coefficient",
        order=metrics, hover=[column for column in ("n_systems",) if column in results], size=10,
    )  # fmt: skip
    ends = [results[column] for column in ("value", "low") if column in results]
    sheet.x(**correlation_axis(pd.concat(ends))).menu("Coefficient", "coefficient")
    if has_ends:
        changes = [{"error_x.visible": visible} for visible in (True, False)]
        sheet.controls.append(dropdown("Intervals", ["shown", "hidden"], changes))
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


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
    return sheet.menu("Metric", "metric").figure(height=460)


def williams_heatmap(results: pd.DataFrame) -> go.Figure:
    """p-values of metrics (rows) against others (columns), empty where the row's correlation is lower."""
    metrics = results["metric"].unique().tolist()
    cells = results.assign(
        pvalue=results["pvalue"].mask(results["value"] < 0),
        text=[
            "" if row.value < 0 else contrasting(pvalue(row.pvalue), row.pvalue, _P_VALUES, low=0)
            for row in results.itertuples()
        ],
        hover=[
            f"{row.metric} minus {row.rival}: {row.value:+.3f}<br>one-sided {pvalue(row.pvalue, name='p')}"
            f"<br>{label('n_systems')}: {row.n_systems}"
            for row in results.itertuples()
        ],
    )
    views = {
        group: grids(rows, "metric", "rival", metrics, metrics, z="pvalue", text="text", customdata="hover")
        for group, rows in cells.groupby("group", sort=False)
    }
    trace = heatmap(metrics, metrics, colours=_P_VALUES) | next(iter(views.values()))
    sheet = Panels().add(trace | {"hovertemplate": "%{customdata}<extra></extra>"})
    sheet.y(title="is this metric better ...", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="... than this one?", side="bottom", automargin=True, showgrid=False, tickangle=-30)
    if len(views) > 1:
        changes = [{key: [cells] for key, cells in view.items()} for view in views.values()]
        sheet.controls.append(dropdown("Systems", [words("group", group) for group in views], changes))
    return sheet.figure(height=190 + 48 * len(metrics))


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
