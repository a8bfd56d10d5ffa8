"""experiments.normality: are scores normally distributed over systems?

Deutsch et al. 2021, Appendix A and Table 2: what Fisher's interval and Williams' test assume.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.marks import marks
from helpers.kit.papers import alike, reported, reported_metrics
from helpers.kit.theme import BLUE, Style
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.limits import check_alpha
from metaeval.stats.correlation import MIN_SYSTEMS, system_means
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.ties import prints_as
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

PARTS = ("recall", "precision", "F1")  # what footnote 9 tells apart
AXIS = "documents (%)"


def shapiro_wilk(values) -> float:
    """p-value of the Shapiro-Wilk test; NaN for fewer than three values or values that are all the same."""
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if len(values) < MIN_SYSTEMS or values.min() == values.max():
        return np.nan
    return float(stats.shapiro(values).pvalue)


@accepts_many_benchmarks
@tidy("dataset", "level", "metric")
def table(benchmark: Benchmark, *, alpha=0.05):
    """Normality tests of people's scores, where they were released, and of every metric's, at both levels."""
    # value: p-value over the systems' means; percent of the documents with a test on which it rejects
    check_alpha(alpha)
    planes = {benchmark.judgments[0]: benchmark.human} if benchmark.judgments else {}
    planes |= {metric: benchmark.metric(metric) for metric in benchmark.metrics}
    for metric, plane in planes.items():
        scores = plane.to_numpy()
        means, pvalues = system_means(scores), np.array([shapiro_wilk(column) for column in scores.T])
        tests = pvalues[~np.isnan(pvalues)]
        yield {
            "dataset": benchmark.name,
            "level": ["system", "summary"],
            "metric": metric,
            "value": [shapiro_wilk(means), 100 * (tests <= alpha).mean() if len(tests) else np.nan],
            "n_used": [(~np.isnan(means)).sum(), len(tests)],
            "n_total": [len(means), len(pvalues)],
        }


@accepts_many_benchmarks
def by_systems(benchmark: Benchmark, printed: pd.DataFrame, *, n_systems) -> pd.DataFrame:
    """Numbers of printed tests that come out with the first systems of a release."""
    whole = reported_metrics(benchmark)
    rows = [
        (benchmark.name, n, *_agreeing(table(whole.select(systems=whole.systems[:n])), printed))
        for n in n_systems
        if n <= len(whole.systems)
    ]
    columns = ["dataset", "n_systems", "n_values", "n_agree"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2], values=["n_agree"])


@accepts_many_benchmarks
def by_variant(benchmark: Benchmark, printed: pd.DataFrame, *, metrics) -> pd.DataFrame:
    """Numbers of printed tests of some metrics that come out with each variant of them."""
    systems, rows = reported(benchmark).systems, []
    for part in PARTS:
        variants = {f"{name} {part}": name for name in metrics if f"{name} {part}" in benchmark.metrics}
        if variants:
            tests = table(benchmark.select(metrics=list(variants), systems=systems))
            named = tests.replace({"metric": variants}).query("metric in @metrics")
            n_values, n_agree = _agreeing(named, printed)
            rows.append((benchmark.name, part, "printed tests that come out", n_agree, n_values))
    columns = ["dataset", "metric", "quantity", "value", "n_values"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3])


def _agreeing(tests: pd.DataFrame, printed: pd.DataFrame) -> tuple[int, int]:
    """Number of printed tests of what is in `tests`, and of those that come out."""
    both = printed[["dataset", "level", "metric", "printed"]].merge(tests)
    return len(both), sum(map(prints_as, both["value"], both["printed"]))


@tidy("dataset", "quantity")
def sizes(benchmarks, tried: pd.DataFrame):
    """Numbers of systems, those with which most printed tests come out, and of documents (§5)."""
    best = tried.sort_values("n_agree").drop_duplicates("dataset", keep="last")
    n_systems = dict(zip(best["dataset"], best["n_systems"], strict=True))
    for one in benchmarks:
        counts = [n_systems.get(one.name, len(one.systems)), len(one.documents)]
        yield {"dataset": one.name, "quantity": ["systems", "documents"], "value": [*map(float, counts)]}


def metric_tests(tests: pd.DataFrame, benchmarks) -> pd.DataFrame:
    """The tests without people's scores and without metrics that are an earlier one under another name."""
    left_out = [(benchmark.name, judgment) for benchmark in benchmarks for judgment in benchmark.judgments]
    for dataset, part in tests.groupby("dataset", sort=False):
        by_metric = part.pivot(index="metric", columns="level", values="value")
        left_out += [(dataset, name) for name in alike(by_metric.reindex(part["metric"].unique()))]
    distinct = tests[~pd.MultiIndex.from_frame(tests[["dataset", "metric"]]).isin(left_out)]
    return check(distinct, keys=["dataset", "level", "metric"])


def with_intervals(tests: pd.DataFrame, *, confidence_level=0.95) -> pd.DataFrame:
    """The tests with Clopper and Pearson's interval of each share of documents; a p-value has none."""
    shares = tests["level"] == "summary"
    values, n_used = tests.loc[shares, "value"], tests.loc[shares, "n_used"]
    table = tests.assign(low=np.nan, high=np.nan)
    ends = share_interval(values / 100, n_used, confidence_level=confidence_level)
    table.loc[shares, ["low", "high"]] = 100 * ends.T
    return check(table, keys=["dataset", "level", "metric"])


def shares_significant(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """Percent of all single tests that are significant: one a metric, or one a metric and document."""
    one = tests["level"] == "system"
    hits = np.where(one, tests["value"] <= alpha, tests["value"] * tests["n_used"] / 100)
    counts = tests.assign(n_tests=np.where(one, 1, tests["n_used"]), hits=hits)
    both = pd.concat([counts, counts.assign(dataset="all")])
    summed = both.groupby(["dataset", "level"], sort=False)[["hits", "n_tests"]].sum().reset_index()
    shares = summed.assign(value=100 * summed["hits"] / summed["n_tests"], quantity="significant tests (%)")
    columns = ["dataset", "level", "quantity", "value", "n_tests"]
    return check(shares[columns], keys=columns[:3])


def normality_dots(tests: pd.DataFrame, *, alpha: float) -> go.Figure:
    """Share of documents on which the test rejects; filled where it rejects the systems' means as well."""
    shares, means = (tests[tests["level"] == level] for level in ("summary", "system"))
    rows = shares.merge(means[["dataset", "metric", "value"]], on=["dataset", "metric"], suffixes=("", "_p"))
    rows["verdict"] = np.where(rows["value_p"] <= alpha, "circle", "circle-open")
    metrics = rows.groupby("metric")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        rows, x="value", y="metric", panel="dataset", symbol="verdict", style={(): Style(BLUE)}, size=10,
        order=metrics, hover=["value_p", "n_used"], labels={"value": AXIS, "value_p": "p-value of the means"},
    )  # fmt: skip
    sheet.rule(x=100 * alpha, text=f"chance: {100 * alpha:g}\N{NO-BREAK SPACE}%")
    return sheet.x(range=[0, 100]).figure(height=150 + 26 * len(metrics))
