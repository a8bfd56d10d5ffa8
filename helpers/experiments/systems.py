"""experiments.systems: how well metrics rank systems, or summaries of one document, as people do.

Benchmarks in, tidy tables out; called by the notebook `systems`, its live block, and pages that need the same
correlations. Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import Live
from helpers.kit.marks import dot_height, marks, ordered
from helpers.kit.panels import Panels, grid, heatmap, in_ink, label
from helpers.kit.theme import correlation_axis, dropdown
from metaeval.analysis import systems
from metaeval.analysis.several import of_several
from metaeval.analysis.systems import GROUPS, WHOLE
from metaeval.datasets import load
from metaeval.stats.differences import compare_pairs
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue


def answer(changes: pd.DataFrame, benchmark: Benchmark, *, page: str) -> dict[str, str]:
    """A page's answer: the metrics' correlations among some systems and among all, and how sure a change is.

    Parameters
    ----------
    changes : DataFrame of `differences`
        By the first of its coefficients.
    benchmark : Benchmark
        That of `changes`.
    page : name of the notebook

    Returns
    -------
    dict
        ``PAGE-answer-short`` and ``PAGE-answer-sure``, and ``PAGE-answer-ends``, which metric each of the
        answer's ends belongs to; every word is chosen from the numbers.
    """
    coefficient = changes["coefficient"].iloc[0]
    first = changes[changes["coefficient"] == coefficient]
    n_systems = len(benchmark.group(WHOLE).systems)
    among, ends, told = [], [], []
    for key, rows in first.groupby([name for name in ("group", "k") if name in first], sort=False):
        values = rows.set_index(["quantity", "metric"])["value"].unstack("quantity")
        change = rows[rows["quantity"] == "difference"].dropna(subset="value")
        kind = words("group", key[0]) if len(key) == 1 else "best"
        which = f"{rows['n_used'].iloc[0]} {kind}"
        among.append(f"{wording.extent(values['part'])} among the {which} systems")
        ends.append(f"{_ends(values['part'])} among the {which} systems")
        where = wording.sides(change["low"], change["high"], digits=2)
        off = f"{where['below'] + where['above']} of {len(change)}"
        of = "" if told else " Boot-Both intervals leave out 0"
        told.append(
            f"{wording.extent(change['value'])} ({kind if len(key) == 1 else f'the {which}'}; {off}{of})"
        )
    among.append(f"{wording.extent(values['part'] - values['difference'])} among all {n_systems}")
    ends.append(f"{_ends(values['part'] - values['difference'])} among all {n_systems}")
    return {
        f"{page}-answer-short": (
            f"On {words('data', benchmark.name)} the metrics' {words('coefficient', coefficient)} with "
            f"people ranges from {wording.joined(among)}."
        ),
        f"{page}-answer-sure": f"Changes from all {n_systems} systems: {wording.joined(told)}.",
        f"{page}-answer-ends": f"The lowest and the highest metric: {'; '.join(ends)}.",
    }


def _ends(values: pd.Series) -> str:
    """The metrics of the least and the greatest value."""
    return f"{values.idxmin()} and {values.idxmax()}"


@of_several
def comparisons(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    coefficients: Sequence[str] = ("pearson",),
) -> pd.DataFrame:
    """One-sided Williams' tests at system level: does one metric correlate better with people than another?

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        The test was made for Pearson's.

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient and ordered pair of metrics
        Columns: dataset, group, coefficient, method ("Williams"), metric, rival, value (the metric's
        correlation minus its rival's), statistic (Williams' *t*), pvalue (of the metric being no better;
        above 0.5 where its correlation is the lower one), n_used, n_total (summaries; two metrics are
        compared on those that both of them and people score), n_systems. Correlations keep their signs: a
        metric that ranks upside down does not win.
    """
    frames = []
    for part in benchmark.parts(groups=groups):
        names = np.array(part.benchmark.metrics, dtype=object)
        pairs = np.argwhere(~np.eye(len(names), dtype=bool))
        for coefficient in coefficients:
            tests = compare_pairs(
                part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), pairs, level="system",
                coefficient=coefficient, method="Williams", alternative="greater",
            )  # fmt: skip
            frames.append(
                pd.DataFrame(
                    {
                        **part.keys,
                        "coefficient": coefficient,
                        "method": tests.method,
                        "metric": names[pairs[:, 0]],
                        "rival": names[pairs[:, 1]],
                        "value": tests.difference,
                        "statistic": tests.statistic,
                        "pvalue": tests.pvalue,
                        "n_used": tests.n_used,
                        "n_total": tests.n_total,
                        "n_systems": len(part.benchmark.systems),
                    }
                )
            )
    keys = ["dataset", "group", "coefficient", "metric", "rival"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["value", "pvalue"])


def quoted(results: pd.DataFrame, *, metric: str = "ROUGE-2 recall") -> dict[str, float | None]:
    """Numbers that the page quotes: a metric's Pearson correlation at system level on each group.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset
    metric : str

    Returns
    -------
    mapping, group -> float, or None without the metric or the group
    """
    rows = results[
        (results["metric"] == metric) & (results["level"] == "system") & (results["coefficient"] == "pearson")
    ].set_index("group")["value"]
    return {group: rows.get(group) for group in GROUPS}


def correlation_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one symbol per group, one panel per level; dropdowns for coefficient and bars.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.systems.table` for one data set
        Columns low and high, where there are any, are drawn as bars, which a second dropdown hides.
    """
    metrics = ordered(results)
    sheet = marks(
        results,
        x="value",
        y="metric",
        panel="level",
        series="group",
        colour="metric",
        menu="coefficient",
        order=metrics,
        hover=[column for column in ("n_systems",) if column in results],
        size=10,
    )
    ends = [results[column] for column in ("value", "low") if column in results]
    sheet.x(**correlation_axis(pd.concat(ends))).menu("Coefficient", "coefficient")
    if {"low", "high"} <= set(results):
        changes = [{"error_x.visible": visible} for visible in (True, False)]
        sheet.controls.append(dropdown("Intervals", ["shown", "hidden"], changes))
    return sheet.figure(height=dot_height(metrics, results["group"].unique()))


def difference_dots(results: pd.DataFrame) -> go.Figure:
    """One row per metric, one panel per group: the correlation on a part of the systems minus that on all.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.systems.differences` for one data set
    """
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
    """Mean human score against mean metric score, one point per system; a dropdown picks the metric.

    Parameters
    ----------
    means : DataFrame of `metaeval.analysis.systems.means`
    """
    sheet = marks(
        means,
        x="value",
        y="human",
        series="system_type",
        colour="metric",
        menu="metric",
        point="system",
        labels={"value": "mean metric score"},
        size=10,
    )
    return sheet.menu("Metric", "metric").figure(height=460)


# strong below 0.05, weak to one half
_P_VALUES = [[0, "#00664A"], [0.05, "#009E73"], [0.0500001, "#BFE3D8"], [0.5, "#F1F8F5"], [1, "#F1F8F5"]]


def williams_heatmap(results: pd.DataFrame) -> go.Figure:
    """p-values of every metric (row) against every other (column); a dropdown picks the group of systems.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.systems.comparisons` for one coefficient
        A cell is empty where the row's correlation is the lower one, as in the paper's figure.
    """
    metrics = results["metric"].unique().tolist()
    lower = results["value"] < 0
    said = results.assign(
        shown=results["pvalue"].mask(lower),
        text=[
            "" if row.value < 0 else in_ink(pvalue(row.pvalue), row.pvalue, _P_VALUES, low=0)
            for row in results.itertuples()
        ],
        hover=[
            f"{row.metric} minus {row.rival}: {row.value:+.3f}<br>one-sided {pvalue(row.pvalue, name='p')}"
            f"<br>{label('n_systems')}: {row.n_systems}"
            for row in results.itertuples()
        ],
    )
    views = {
        group: {
            key: grid(rows, "metric", "rival", metrics, metrics, column, "" if key == "text" else None)
            for key, column in (("z", "shown"), ("text", "text"), ("customdata", "hover"))
        }
        for group, rows in said.groupby("group", sort=False)
    }
    trace = heatmap(metrics, metrics, colours=_P_VALUES) | next(iter(views.values()))
    sheet = Panels().add(trace | {"hovertemplate": "%{customdata}<extra></extra>"})
    sheet.y(title="is this metric better ...", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="... than this one?", side="bottom", automargin=True, showgrid=False, tickangle=-30)
    if len(views) > 1:
        changes = [{key: [cells] for key, cells in view.items()} for view in views.values()]
        sheet.controls.append(dropdown("Systems", [words("group", group) for group in views], changes))
    return sheet.figure(height=190 + 48 * len(metrics))


def _table(*, dataset, metrics, seed, **settings) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return systems.table(benchmark, method="Boot-Both", rng=seed, **settings)


LIVE = Live(
    notebook="systems",
    question="How well do metrics order systems as people do?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        Several("levels", "Levels", choices.LEVELS),
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999),
        choices.METRICS,
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws behind each interval; the notebook takes 999.",
    compute=_table,
    draw=lambda table, _: correlation_dots(table),
)
