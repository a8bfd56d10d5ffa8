"""experiments.normality: are scores normally distributed over systems?

For the notebook `normality`: what Fisher's interval and Williams' test assume. Deutsch et al. 2021,
Appendix A and Table 2; the test is Shapiro and Wilk's (1965), of SciPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy import stats

from helpers.kit.copies import alike
from helpers.kit.marks import marks
from helpers.kit.panels import Panels
from helpers.kit.theme import GREY, metric_style
from helpers.kit.variants import reported, reported_metrics
from metaeval.analysis.several import of_several
from metaeval.core.limits import check_alpha
from metaeval.stats.correlation import MIN_SYSTEMS, system_means
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.ties import prints_as
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

PARTS = ("recall", "precision", "F1")  # what footnote 9 tells apart


def shapiro_wilk(values: np.ndarray) -> float:
    """p-value of the Shapiro-Wilk test; NaN for fewer than three values or values that are all the same.

    Parameters
    ----------
    values : float array (n,); NaN are left out
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if len(values) < MIN_SYSTEMS or values.min() == values.max():
        return np.nan
    return float(stats.shapiro(values).pvalue)


@of_several
def table(benchmark: Benchmark, *, alpha: float = 0.05) -> pd.DataFrame:
    """Normality tests of the gold standard, where it was released, and of every metric, at both levels.

    Parameters
    ----------
    benchmark : Benchmark, or several
    alpha : float in (0, 1)
        A document counts where its test gives p <= alpha.

    Returns
    -------
    DataFrame with columns dataset, level, metric, value, n_used, n_total
        At system level `value` is the p-value over the systems' means, at summary level the percentage of
        documents, of those in which the test exists, whose scores over systems are not normal. Units: systems
        and documents.

    Raises
    ------
    ValueError
        If `alpha` is out of range.
    """
    check_alpha(alpha)
    planes = {benchmark.judgments[0]: benchmark.human} if benchmark.judgments else {}
    planes |= {metric: benchmark.metric(metric) for metric in benchmark.metrics}
    rows = [row for name, plane in planes.items() for row in _of_scores(name, plane.to_numpy(), alpha)]
    found = pd.DataFrame(rows, columns=["level", "metric", "value", "n_used", "n_total"])
    found.insert(0, "dataset", benchmark.name)
    return check(found, keys=["dataset", "level", "metric"])


def _of_scores(name: str, plane: np.ndarray, alpha: float) -> list[tuple]:
    """The rows of one metric at system and at summary level."""
    means = system_means(plane)
    pvalues = np.array([shapiro_wilk(column) for column in plane.T])
    defined = pvalues[~np.isnan(pvalues)]
    share = 100 * float((defined <= alpha).mean()) if len(defined) else np.nan
    return [
        ("system", name, shapiro_wilk(means), int((~np.isnan(means)).sum()), len(means)),
        ("summary", name, share, len(defined), len(pvalues)),
    ]


@of_several
def by_systems(benchmark: Benchmark, printed: pd.DataFrame, *, n_systems: Sequence[int]) -> pd.DataFrame:
    """How many printed tests come out with the first systems of a release, by their number.

    Parameters
    ----------
    benchmark : Benchmark, or several
        As released, with all its systems.
    printed : DataFrame of `helpers.kit.claims.loading.printed_values`, of Table 2
    n_systems : numbers to try; a release that has fewer systems gives no row

    Returns
    -------
    DataFrame with columns dataset, n_systems, n_values (printed tests of what the release holds), n_agree
    """
    whole = reported_metrics(benchmark)
    rows = []
    for n in n_systems:
        if n <= len(whole.systems):
            tests = table(whole.select(systems=whole.systems[:n]))
            rows.append((benchmark.name, n, *_agreeing(tests, printed)))
    columns = ["dataset", "n_systems", "n_values", "n_agree"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2], values=["n_agree"])


@of_several
def by_variant(benchmark: Benchmark, printed: pd.DataFrame, *, metrics: Sequence[str]) -> pd.DataFrame:
    """How many printed tests come out with each variant of some metrics.

    Parameters
    ----------
    benchmark : Benchmark, or several
        As the paper takes its systems, with all the metrics that were released.
    printed : DataFrame of `helpers.kit.claims.loading.printed_values`, of Table 2
    metrics : names as printed, such as "ROUGE-1"

    Returns
    -------
    DataFrame with columns dataset, metric (the variant: recall, precision or F1), quantity, value (printed
    tests that come out), n_values (printed tests of what the release holds)
    """
    systems, rows = reported(benchmark).systems, []
    for part in PARTS:
        held = {f"{name} {part}": name for name in metrics if f"{name} {part}" in benchmark.metrics}
        if held:
            tests = table(benchmark.select(metrics=list(held), systems=systems))
            named = tests.replace({"metric": held}).query("metric in @metrics")
            n_values, n_agree = _agreeing(named, printed)
            rows.append((benchmark.name, part, "printed tests that come out", n_agree, n_values))
    columns = ["dataset", "metric", "quantity", "value", "n_values"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3])


def _agreeing(tests: pd.DataFrame, printed: pd.DataFrame) -> tuple[int, int]:
    """Printed tests of what is in `tests`, and how many of them come out."""
    both = printed[["dataset", "level", "metric", "printed"]].merge(tests)
    agree = [prints_as(value, text) for value, text in zip(both["value"], both["printed"], strict=True)]
    return len(both), sum(agree)


def sizes(benchmarks: Sequence[Benchmark], tried: pd.DataFrame) -> pd.DataFrame:
    """Numbers of systems and documents (§5 of the paper).

    Parameters
    ----------
    benchmarks : of the paper
    tried : DataFrame of `by_systems`
        Where a release has been tried, its number of systems is the one with which most tests come out.

    Returns
    -------
    DataFrame with columns dataset, quantity ("systems" or "documents"), value
    """
    best = tried.sort_values("n_agree").drop_duplicates("dataset", keep="last")
    found: Mapping[str, int] = dict(zip(best["dataset"], best["n_systems"], strict=True))
    rows = [
        (benchmark.name, quantity, float(n))
        for benchmark in benchmarks
        for quantity, n in (
            ("systems", found.get(benchmark.name, len(benchmark.systems))),
            ("documents", len(benchmark.documents)),
        )
    ]
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def answer(tests: pd.DataFrame, benchmarks: Sequence[Benchmark], *, alpha: float) -> dict[str, str]:
    """The page's answer: how often the test finds scores that are not normal, and on how many systems.

    Parameters
    ----------
    tests : DataFrame of `table`
        Metrics that are one count once, and people's scores not at all.
    benchmarks : those of the table
    alpha : float

    Returns
    -------
    dict
        ``normality-answer-short`` and ``normality-answer-sure``; every word is chosen from the numbers.
    """
    every = shares_significant(_of_metrics(tests, benchmarks), alpha=alpha)
    hits = (every["value"] * every["n_tests"] / 100).round().astype(int)
    every = every.assign(hits=hits)
    by_data = every[(every["dataset"] != "all") & (every["level"] == "system")].sort_values(
        "value", ascending=False, kind="stable"
    )
    systems = tests[tests["level"] == "system"].groupby("dataset")["n_total"].max()
    sizes = [str(systems[name]) for name in by_data["dataset"]]
    each = [f"{row.hits} of {row.n_tests} on {words('data', row.dataset)}" for row in by_data.itertuples()]
    every = every[every["dataset"] == "all"].set_index("level")
    of, hits = every["n_tests"], every["hits"]
    share = every["value"]["summary"] / 100
    ends = share_interval(share, of["summary"], confidence_level=0.95)
    seen = wording.against(*ends, at=alpha, words=(*["This test does not tell"] * 2, "Often not"))
    return {
        "normality-answer-short": (
            f"{seen}: the Shapiro-Wilk test rejects normality in {hits['summary']:,} of "
            f"{of['summary']:,} sets of scores on one document ({wording.percent(share)}; chance gives "
            f"{wording.percent(alpha)}), and of metrics' system means for {wording.joined(each)}."
        ),
        "normality-answer-sure": (
            f"With so few systems ({wording.joined(sizes)}), not rejecting does not show normality."
        ),
    }


def _of_metrics(tests: pd.DataFrame, benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """The tests without people's scores and without metrics that are an earlier one under another name."""
    left_out = [(benchmark.name, judgment) for benchmark in benchmarks for judgment in benchmark.judgments]
    for dataset, part in tests.groupby("dataset", sort=False):
        by_metric = part.pivot(index="metric", columns="level", values="value")
        left_out += [(dataset, name) for name in alike(by_metric.reindex(part["metric"].unique()))]
    return tests[~pd.MultiIndex.from_frame(tests[["dataset", "metric"]]).isin(left_out)]


def with_intervals(tests: pd.DataFrame, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """The tests with an interval of each share of documents, for a figure; a p-value has none.

    Parameters
    ----------
    tests : DataFrame of `table`
    confidence_level : float
        Of Clopper and Pearson's intervals, as if the documents were drawn at random.

    Returns
    -------
    DataFrame with the columns of `table`, low and high
    """
    found = tests.assign(low=np.nan, high=np.nan)
    shares = found["level"] == "summary"
    of_shares = found[shares]
    ends = share_interval(of_shares["value"] / 100, of_shares["n_used"], confidence_level=confidence_level)
    found.loc[shares, ["low", "high"]] = 100 * ends.T
    return check(found, keys=["dataset", "level", "metric"])


def shares_significant(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """Of all single tests, how many are significant (the paper says: most).

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float

    Returns
    -------
    DataFrame with columns dataset ("all" for all together), level, quantity, value (percent), n_tests
        At system level a test per metric; at summary level a test per metric and document.
    """
    counted = tests.assign(
        n_tests=np.where(tests["level"] == "system", 1, tests["n_used"]),
        hits=np.where(
            tests["level"] == "system", tests["value"] <= alpha, tests["value"] * tests["n_used"] / 100
        ),
    )
    each = [counted, counted.assign(dataset="all")]
    summed = pd.concat(each).groupby(["dataset", "level"], sort=False)[["hits", "n_tests"]].sum()
    found = summed.assign(value=100 * summed["hits"] / summed["n_tests"], quantity="significant tests (%)")
    found = found.reset_index()[["dataset", "level", "quantity", "value", "n_tests"]]
    return check(found, keys=["dataset", "level", "quantity"])


_AXES = {"system": "p-value of the systems' means", "summary": "documents on which normality is rejected (%)"}


def normality_dots(tests: pd.DataFrame, *, alpha: float) -> go.Figure:
    """The p-value of the test on the systems' means beside the documents on which it rejects.

    Parameters
    ----------
    tests : DataFrame of `helpers.experiments.normality.with_intervals`
    alpha : float
        Where the dotted lines stand: the p-value that rejects, and the percentage that does so by chance.
    """
    metrics = sorted(  # people's scores, grey, on top
        tests["metric"].unique(), key=lambda name: (metric_style(name).colour != GREY, name), reverse=True
    )
    sheet = Panels(_AXES, titles=["system level", "summary level"])
    for level, called in _AXES.items():
        marks(
            tests[tests["level"] == level],
            x="value",
            y="metric",
            series="dataset",
            colour="metric",
            order=metrics,
            hover=["n_used"],
            labels={"value": called},
            sheet=sheet,
            at={"panel": level},
        )
        sheet.axis("x", level, title={"text": called})
    sheet.axis("x", "system", type="log", dtick=1, exponentformat="none")
    sheet.rule(x=alpha, panels=["system"]).rule(x=100 * alpha, panels=["summary"])
    return sheet.y(title="metric").figure(height=190 + 32 * len(metrics))
