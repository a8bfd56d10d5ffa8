"""analysis.tests: tests of metrics against each other, corrected for their number, and tiers from them.

Deutsch et al. 2021, §4. All rows of a benchmark see the same draws, so no row depends on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd

from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import choose
from metaeval.stats import differences
from metaeval.stats.correlation import correlate
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import places_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

# columns that are common to the tests of a family, in addition to those of a panel
FAMILIES = {"row": ["metric"], "pairs": [], "table": []}
PANEL = ["dataset", "level", "coefficient", "method"]  # columns that are common to a panel of tests


@accepts_many_benchmarks
def table(
    benchmark: Benchmark,
    *,
    metrics: Sequence[str] | None = None,
    rivals: Sequence[str] | None = None,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson",),
    methods: Sequence[str] = ("Perm-Both",),
    alternative: str = "greater",
    correction: str = "Holm",
    family: str = "row",
    n_resamples: int = 9_999,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Test metrics against each other for better agreement with people.

    Parameters
    ----------
    benchmark : Benchmark, or several
        Two metrics are compared on the summaries that both of them and people score, which the rows count.
    metrics, rivals : names of metrics, by default all
        Each of `metrics` is compared with each of `rivals` except itself.
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        Williams' test was designed for Pearson's.
    methods : of `metaeval.stats.differences.TESTS`
    alternative : {"greater", "two-sided", "less"}
        "greater": `metric` agrees better than `rival`.
    correction, family : see `corrected`
    n_resamples, n_threads : see `metaeval.stats.differences.compare_pairs`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient, method, metric and rival
        Columns: these, and value (difference of the two correlations), pvalue, adjusted_pvalue, least_pvalue
        (the minimum of the adjusted one for this number of draws), n_resamples (0 for Williams' test),
        n_undefined, n_used, n_total (summaries).

    Raises
    ------
    UnknownNameError
        For a metric, level, coefficient, method, correction or family that does not exist.
    """
    seed = seed_of(rng)
    place = {name: i for i, name in enumerate(benchmark.metrics)}
    named = [
        (metric, rival)
        for metric in (benchmark.metrics if metrics is None else metrics)
        for rival in (benchmark.metrics if rivals is None else rivals)
        if metric != rival
    ]
    what = f"metric of {benchmark.name}"
    pairs = np.array([[choose(what, name, place) for name in pair] for pair in named], dtype=int)
    frames = []
    for level, coefficient, method in product(levels, coefficients, methods):
        comparison = differences.compare_pairs(
            benchmark.scores.to_numpy(), benchmark.human.to_numpy(), pairs, level=level,
            coefficient=coefficient, method=method, alternative=alternative, n_resamples=n_resamples,
            rng=stream(seed, benchmark.name), n_threads=n_threads,
        )  # fmt: skip
        keys = {"dataset": benchmark.name, "level": level, "coefficient": coefficient}
        names = {"metric": [metric for metric, _ in named], "rival": [rival for _, rival in named]}
        sizes = {
            name: getattr(comparison, name) for name in ("n_resamples", "n_undefined", "n_used", "n_total")
        }
        values = {"value": comparison.difference, "pvalue": comparison.pvalue}
        frames.append(pd.DataFrame(keys | {"method": comparison.method} | names | values | sizes))
    tests = pd.concat(frames, ignore_index=True)
    tests.insert(8, "adjusted_pvalue", corrected(tests, family=family, correction=correction))
    tests.insert(9, "least_pvalue", min_adjusted_pvalues(tests, family=family, correction=correction))
    return check(tests, keys=["dataset", "level", "coefficient", "method", "metric", "rival"])


def tier_table(
    benchmarks: Sequence[Benchmark],
    *,
    level: str,
    coefficient: str,
    n_resamples: int,
    alpha: float,
    rng: RNGLike,
) -> pd.DataFrame:
    """Table of tiers and ranks of metrics, by simultaneous Perm-Both tests of all pairs of metrics.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    level, coefficient, n_resamples, rng : see `metaeval.stats.differences.compare_pairs`
    alpha : float in (0, 1)
        Probability that any of a benchmark's rank intervals is wrong.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, value, place, tier, best_rank, worst_rank,
    n_apart (metrics that differ from it significantly), n_resamples; by place within each data set
    """
    seed, frames = seed_of(rng), []
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        kind = {"level": level, "coefficient": coefficient}
        value = correlate(scores, human, **kind).value
        defined = np.flatnonzero(~np.isnan(value))
        pairs = np.array(list(combinations(range(len(defined)), 2)))
        comparison = differences.compare_pairs(
            scores[defined], human, pairs, method="Perm-Both", n_resamples=n_resamples,
            rng=stream(seed, benchmark.name), **kind,
        )  # fmt: skip
        pvalues = differences.simultaneous_pvalues(comparison.difference, comparison.null)
        ranks = differences.tiers(value[defined], pairs, pvalues, alpha=alpha)
        apart = np.bincount(pairs[pvalues <= alpha].ravel(), minlength=len(defined))
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name, **kind,
                    "metric": [benchmark.metrics[i] for i in defined], "value": value[defined],
                    "place": places_of(value[defined]), "tier": ranks.tier,
                    "best_rank": ranks.best_rank, "worst_rank": ranks.worst_rank, "n_apart": apart,
                    "n_resamples": n_resamples,
                }
            ).sort_values("place", kind="stable")
        )  # fmt: skip
    result = pd.concat(frames, ignore_index=True)
    return check(result, keys=["dataset", "metric"], values=["tier", "best_rank", "worst_rank"])


def corrected(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """Adjust the p-values of a `table` for the number of tests in a family.

    Parameters
    ----------
    tests : DataFrame of `table`
    family : {"row", "pairs", "table"}
        All tests of one `metric` (Deutsch et al. 2021, Fig. 5), or all of one data set, level, coefficient
        and method (Fig. 6). "pairs" is the latter with one test for each pair, that with the smaller p-value,
        as in the paper's released code: half as many tests, each of up to twice its nominal level. The other
        test of a pair is not in the family, and its adjusted p-value is NaN.
    correction : {"Holm", "Bonferroni", "none"}
        See `metaeval.stats.differences.adjust_pvalues`.
    """
    choose("correction", correction, differences.CORRECTIONS)
    return _group_by_family(tests, family).transform(differences.adjust_pvalues, correction=correction)


def min_adjusted_pvalues(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """Smallest adjusted p-values possible with the tests' draws: 1 / (draws + 1) times the number of tests.

    Parameters
    ----------
    tests, family, correction : see `corrected`
        Williams' test uses no draws, and its minimum is 0.
    """
    choose("correction", correction, differences.CORRECTIONS)
    families = _group_by_family(tests, family)
    n_tests = families.transform("count") if correction != "none" else 1
    return (n_tests / (tests["n_resamples"] + 1)).where(tests["n_resamples"] > 0, 0.0)


def _group_by_family(tests: pd.DataFrame, family: str):
    """Group the p-values by family; NaN for a test that is in none."""
    keys = [*PANEL, *choose("family", family, FAMILIES)]
    pvalues = tests["pvalue"]
    if family == "pairs":
        ends = np.sort(tests[["metric", "rival"]].to_numpy(str), axis=1)
        pair = tests[PANEL].assign(first=ends[:, 0], second=ends[:, 1])
        smaller = pair.assign(p=pvalues).sort_values("p", kind="stable").drop_duplicates(list(pair)).index
        pvalues = pvalues.where(tests.index.isin(smaller))
    return pvalues.groupby([tests[key] for key in keys], sort=False)
