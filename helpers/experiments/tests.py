"""experiments.tests: is one metric better than another?

Deutsch et al. 2021, §4, §6.2 and appendix B, Figs. 5 and 6.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.draws import halves
from helpers.kit.live.experiment import live
from helpers.kit.panels import Panels, grids, heatmap
from helpers.kit.papers import copies, load_reported
from helpers.kit.theme import BLUE, GREY, SKY
from helpers.kit.tidy import tidy
from metaeval import analysis
from metaeval.analysis.tests import FAMILIES, PANEL, corrected, min_adjusted_pvalues
from metaeval.core.limits import check_alpha
from metaeval.tables.columns import check, label
from metaeval.tables.labels import words
from metaeval.tables.wording import pvalue

OUTCOMES = (
    "not significant",
    "significant",
    "significant after correction",
    "significant; too few draws to correct",
)
_EACH = ", each name"  # ends a quantity in which a metric under two names counts twice
_COLOURS = ("rgba(138,138,138,0.2)", SKY, BLUE, GREY)  # of the outcomes


def outcomes(tests, *, alpha) -> pd.DataFrame:
    """The table with a column outcome, one of `OUTCOMES`."""
    check_alpha(alpha)
    significant, corrected = tests["pvalue"] <= alpha, tests["adjusted_pvalue"] <= alpha
    nothing, plain, after_correction, out_of_reach = OUTCOMES
    cases = [significant & (tests["least_pvalue"] > alpha), significant & corrected, significant]
    outcome = np.select(cases, [out_of_reach, after_correction, plain], nothing)
    return check(tests.assign(outcome=outcome), keys=[*PANEL, "metric", "rival"])


def once(tests) -> pd.DataFrame:
    """The tests without metrics that are an earlier one under another name."""
    names = set()
    for dataset, part in tests.assign(value=tests["value"].abs()).groupby("dataset", sort=False):
        metrics = part["metric"].unique()
        apart = part.pivot_table(index="rival", columns="metric", values="value", aggfunc="max")
        names |= {(dataset, metric) for metric in copies(apart.reindex(index=metrics, columns=metrics))}
    pairs = (zip(tests["dataset"], tests[side], strict=True) for side in ("metric", "rival"))
    is_once = [first not in names and second not in names for first, second in zip(*pairs, strict=True)]
    return check(tests[is_once], keys=[*PANEL, "metric", "rival"])


@tidy(*PANEL, "metric", "rival", "quantity")
def quantities(tests, *, alpha):
    """p-values of each test by correction, and how many rivals a metric beats after Holm's."""
    check_alpha(alpha)
    keys = [*PANEL, "metric"]
    plain = tests[[*keys, "rival", "pvalue"]].assign(
        Holm=corrected(tests, correction="Holm"), Bonferroni=corrected(tests, correction="Bonferroni")
    )
    yield plain.melt([*keys, "rival"], var_name="quantity")
    beaten = tests[[*keys, "rival"]].assign(value=plain["Holm"] <= alpha)
    is_rouge = beaten["rival"].str.startswith("ROUGE") & ~beaten["metric"].str.startswith("ROUGE")
    for quantity, rows in (("share beaten", beaten), ("ROUGE beaten", beaten[is_rouge])):
        shares = rows.groupby(keys, sort=False, as_index=False)["value"].mean()
        yield shares.assign(quantity=quantity, rival="")
    for each, rows in (("", beaten.loc[once(tests).index]), (_EACH, beaten)):
        yield _net(rows).assign(quantity=f"net beaten{each}", rival="")


@tidy("dataset", "level", "quantity")
def significant_of_half(
    benchmarks, tests, *, levels, coefficient, method, alpha, n_resamples, n_draws=5, rng
):
    """Share of ordered pairs of metrics that differ significantly, on all data and on random halves."""
    whole = tests[(tests["method"] == method) & (tests["coefficient"] == coefficient)]
    kind = {"levels": levels, "coefficients": [coefficient], "methods": [method], "n_resamples": n_resamples}
    draws = [
        analysis.tests.table([half], **kind, rng=rng).assign(number=number)
        for benchmark in benchmarks
        for number, half in enumerate(halves(benchmark, n_draws, rng=rng))
    ]
    for data, rows in (("all data", whole.assign(number=0)), ("half of the data", pd.concat(draws))):
        shares = (100 * (rows["pvalue"] <= alpha)).groupby(
            [rows[key] for key in ("dataset", "level", "number")]
        )
        drawn = shares.mean().groupby(["dataset", "level"], sort=False)
        means = drawn.agg(value="mean", mc_error="sem").fillna({"mc_error": 0.0}).reset_index()
        yield means.assign(quantity=f"significant pairs (%), {data}")


def _net(beaten: pd.DataFrame) -> pd.DataFrame:
    """Number of rivals that a metric beats minus the number that beat it."""
    keys = [*PANEL, "metric"]
    reversed_ = beaten.drop(columns="metric").rename(columns={"rival": "metric"})
    wins, losses = (
        rows.groupby(keys, sort=False, as_index=False)["value"].sum() for rows in (beaten, reversed_)
    )
    both = wins.merge(losses, on=keys, suffixes=("", "_lost"))
    return both.assign(value=both["value"] - both["value_lost"])[[*keys, "value"]].astype({"value": float})


@tidy(*PANEL, "correction", "quantity")
def counts(tests, *, alpha):
    """The number of ordered pairs that each test calls different, by correction and family."""
    check_alpha(alpha)
    panels = [tests[key] for key in PANEL]
    counted = {"": tests.index.isin(once(tests).index), _EACH: True}
    choices = [("none", "row"), *((name, family) for family in FAMILIES for name in ("Holm", "Bonferroni"))]
    for correction, family in choices:
        settings = {"family": family, "correction": correction}
        pvalues, lowest = corrected(tests, **settings), min_adjusted_pvalues(tests, **settings)
        smallest = lowest.groupby(panels, sort=False).max()
        n_resamples = tests["n_resamples"].groupby(panels, sort=False).first()
        # draws without which no p-value of a family can be as small as alpha
        needed = (smallest * (n_resamples + 1) / alpha).round(6)
        named = correction if correction == "none" else f"{correction}, {family}"
        for each, counts in counted.items():
            value = ((pvalues <= alpha) & counts).groupby(panels, sort=False).sum().astype(float)
            numbers = {
                "correction": named,
                "quantity": f"significant{each}",
                "value": value.where(smallest <= alpha),  # else no result could be significant
                "n_tests": pvalues.groupby(panels, sort=False).count(),
                "n_resamples": n_resamples,
                "n_needed": np.ceil(needed).clip(lower=1).astype(int) - 1,
            }
            yield pd.DataFrame(numbers).reset_index()


def lost(counted) -> pd.DataFrame:
    """Significant results that correction for a whole panel loses against correction row by row."""
    parted = counted["correction"].str.partition(", ")
    named = counted.assign(name=parted[0], family=parted[2])
    rows, panels = named[named["family"] == "row"], named[named["family"].isin(["pairs", "table"])]
    both = panels.merge(rows, on=[*PANEL, "name", "quantity"], suffixes=("", "_row"))
    quantity = both["quantity"].str.replace("significant", "lost by correction")
    losses = both.assign(quantity=quantity, value=both["value_row"] - both["value"])
    columns = [*PANEL, "correction", "quantity", "value"]
    return check(losses[columns], keys=columns[:-1])


@tidy(*PANEL, "quantity")
def same_outcomes(tests, others, *, alpha):
    """Share of a figure's cells that stay what they are with other coefficients, by panel and over all."""
    ids = ["dataset", "level", "method", "metric", "rival"]

    def significant(table: pd.DataFrame) -> pd.DataFrame:
        cells = table[[*ids, "coefficient"]]
        return cells.assign(plain=table["pvalue"] <= alpha, corrected=corrected(table) <= alpha)

    both = significant(others).merge(significant(tests).drop(columns="coefficient"), on=ids)
    for quantity, cells, column in (
        ("same cells", both.merge(once(tests)[ids]), "plain"),
        (f"same cells{_EACH}", both, "plain"),
        ("same cells after correction", both, "corrected"),
    ):
        same = cells.assign(value=cells[f"{column}_x"] == cells[f"{column}_y"])
        for part in (same, same.assign(dataset="all", level="all")):
            shares = part.groupby(PANEL, sort=False)["value"].agg(value="mean", n_tests="size")
            yield shares.reset_index().assign(quantity=quantity)


def _by_wins(rows: pd.DataFrame) -> list[str]:
    """Metrics of one data set, those that beat the most others on top."""
    return rows.groupby("metric")["code"].mean().sort_values(ascending=False, kind="stable").index.tolist()


def difference_heatmap(tests) -> go.Figure:
    """Metrics (rows) that are significantly better than others (columns); a dropdown for test and level."""
    numbers = [
        [
            round(row.value, 5), pvalue(row.pvalue, name="p"),
            pvalue(row.adjusted_pvalue, smallest=row.least_pvalue), row.n_used,
        ]
        for row in tests.itertuples()
    ]  # fmt: skip
    drawn = tests.assign(numbers=numbers, code=tests["outcome"].map(OUTCOMES.index))
    datasets = drawn["dataset"].unique().tolist()
    names = {dataset: _by_wins(rows) for dataset, rows in drawn.groupby("dataset")}
    sheet = Panels(datasets, column="dataset", gap=0.24, own_y=True)
    n = len(_COLOURS)
    steps = [[(place + side) / n, colour] for place, colour in enumerate(_COLOURS) for side in (0, 1)]
    for (method, level, dataset), rows in drawn.groupby(["method", "level", "dataset"], sort=False):
        own = names[dataset]
        hover = (
            "<b>%{y} better than %{x}?</b><br>difference %{customdata[0]:+.3f}, %{customdata[1]}, "
            f"corrected %{{customdata[2]}}<br>{label('n_used')}: %{{customdata[3]}}<extra>{method}</extra>"
        )
        cells = heatmap(own, own, colours=steps, high=n - 1) | {"texttemplate": "", "hovertemplate": hover}
        cells |= grids(rows, "metric", "rival", own, own, z="code", customdata="numbers")
        sheet.add(cells, dataset, of={"view": f"{method}, {words('level', level)}"})
    for outcome, colour in zip(OUTCOMES, _COLOURS, strict=True):
        marker = {"symbol": "square", "size": 12, "color": colour}
        entry = {"x": [None], "y": [None], "mode": "markers", "name": outcome, "marker": marker}
        sheet.add(entry, datasets[0])
    sheet.menu("Test and level", "view")
    sheet.x(title="than this metric", tickangle=-60, automargin=True, side="bottom", showgrid=False)
    sheet.y(title="this one is better", autorange="reversed", automargin=True, showgrid=False)
    return sheet.figure(height=250 + 26 * max(map(len, names.values())))


def _compute(*, datasets, coefficient, method, seed, alpha, **settings) -> pd.DataFrame:
    benchmarks = load_reported(datasets)
    return analysis.tests.table(
        benchmarks, coefficients=[coefficient], methods=[method], rng=seed, **settings
    )


LIVE = live(
    "tests",
    _compute,
    lambda table, alpha: difference_heatmap(outcomes(table, alpha=alpha)),
    "datasets levels coefficient method alpha correction family n_resamples",
    question="Which metric is significantly better than which?",
    initial={"n_resamples": 499},
    note="With 499 draws no test is significant once a whole table is corrected.",
)
