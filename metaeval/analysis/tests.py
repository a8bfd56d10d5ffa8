"""analysis.tests: tests of metrics against each other, corrected for their number.

Deutsch et al. 2021, §4. All rows of a benchmark see the same draws, so none depends on which others were
asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from metaeval.analysis.several import of_several
from metaeval.core.errors import choose
from metaeval.stats.differences import CORRECTIONS, adjusted, compare_pairs
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

# what tests that are corrected together share, beside the method
FAMILIES = {"row": ["metric"], "pairs": [], "table": []}
PANEL = ["dataset", "level", "coefficient", "method"]  # what a panel of tests shares


@of_several
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
    """Tests of metrics against each other: does one agree with people better than another?

    Parameters
    ----------
    benchmark : Benchmark, or several
        Two metrics are compared on the summaries that both of them and people score; the rows count them.
    metrics, rivals : names of metrics, by default all
        Each of `metrics` is compared with each of `rivals` but itself.
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        Williams' test was made for Pearson's.
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
        (the least that the adjusted one can be with these draws), n_resamples (0 for Williams' test),
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
        found = compare_pairs(
            benchmark.scores.to_numpy(), benchmark.human.to_numpy(), pairs, level=level,
            coefficient=coefficient, method=method, alternative=alternative, n_resamples=n_resamples,
            rng=stream(seed, benchmark.name), n_threads=n_threads,
        )  # fmt: skip
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "level": level,
                    "coefficient": coefficient,
                    "method": found.method,
                    "metric": [metric for metric, _ in named],
                    "rival": [rival for _, rival in named],
                    "value": found.difference,
                    "pvalue": found.pvalue,
                    "n_resamples": found.n_resamples,
                    "n_undefined": found.n_undefined,
                    "n_used": found.n_used,
                    "n_total": found.n_total,
                }
            )
        )
    tests = pd.concat(frames, ignore_index=True)
    tests.insert(8, "adjusted_pvalue", corrected(tests, family=family, correction=correction))
    tests.insert(9, "least_pvalue", least(tests, family=family, correction=correction))
    return check(tests, keys=["dataset", "level", "coefficient", "method", "metric", "rival"])


def corrected(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """p-values of a `table`, adjusted for the number of tests in a family.

    Parameters
    ----------
    tests : DataFrame of `table`
    family : {"row", "pairs", "table"}
        All tests of one `metric` (Deutsch et al. 2021, Fig. 5), or all of one data set, level, coefficient
        and method (Fig. 6). "pairs" is the same with one test for each pair, the one with the smaller
        p-value, as in the paper's released code: half as many tests, each of up to twice its level. The
        other test of a pair is not in the family, and its adjusted p-value is NaN.
    correction : {"Holm", "Bonferroni", "none"}
        See `metaeval.stats.differences.adjusted`.
    """
    choose("correction", correction, CORRECTIONS)
    return _in_family(tests, family).transform(adjusted, correction=correction)


def least(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """The least adjusted p-value that the tests' draws can give: as many times 1 / (draws + 1) as are tests.

    Parameters
    ----------
    tests, family, correction : see `corrected`
        Williams' test draws nothing, and no p-value is too small for it.
    """
    choose("correction", correction, CORRECTIONS)
    in_family = _in_family(tests, family)
    n_tests = in_family.transform("count") if CORRECTIONS[correction] else 1
    return (n_tests / (tests["n_resamples"] + 1)).where(tests["n_resamples"] > 0, 0.0)


def _in_family(tests: pd.DataFrame, family: str):
    """The p-values by family; NaN for a test that is in none."""
    keys = [*PANEL, *choose("family", family, FAMILIES)]
    pvalues = tests["pvalue"]
    if family == "pairs":
        ends = np.sort(tests[["metric", "rival"]].to_numpy(str), axis=1)
        pair = tests[PANEL].assign(first=ends[:, 0], second=ends[:, 1])
        smaller = pair.assign(p=pvalues).sort_values("p", kind="stable").drop_duplicates(list(pair)).index
        pvalues = pvalues.where(tests.index.isin(smaller))
    return pvalues.groupby([tests[key] for key in keys], sort=False)
