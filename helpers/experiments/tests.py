"""experiments.tests: is one metric better than another? Tests of metrics against each other, as tidy tables.

For the notebooks `tests`, `your_metric`, `sera`, `annotators` and `leaderboard`; Deutsch et al. 2021, §4,
§6.2, Figs. 5 and 6. All rows of a benchmark see the same draws, so none depends on
which others were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments._several import of_several
from helpers.experiments.columns import check
from helpers.stats.differences import CORRECTIONS, adjusted, compare_pairs
from helpers.stats.limits import check_alpha
from helpers.stats.streams import RNGLike, seed_of, stream

FAMILIES = {"row": ["metric"], "table": []}  # what tests that are corrected together share, beside the method
OUTCOMES = ("not significant", "significant", "significant after correction")


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
    methods : of `helpers.stats.differences.TESTS`
    alternative : {"greater", "two-sided", "less"}
        "greater": `metric` agrees better than `rival`.
    correction, family : see `corrected`
    n_resamples, n_threads : see `helpers.stats.differences.compare_pairs`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient, method, metric and rival
        Columns: these, and value (difference of the two correlations), pvalue, adjusted_pvalue, n_resamples
        (0 for Williams' test), n_undefined, n_used, n_total (summaries).

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
    return check(tests, keys=["dataset", "level", "coefficient", "method", "metric", "rival"])


def corrected(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """p-values of a `table`, adjusted for the number of tests in a family.

    Parameters
    ----------
    tests : DataFrame of `table`
    family : {"row", "table"}
        All tests of one `metric` (Deutsch et al. 2021, Fig. 5), or all of one data set, level, coefficient
        and method (Fig. 6).
    correction : {"Holm", "Bonferroni", "none"}
        See `helpers.stats.differences.adjusted`.
    """
    choose("correction", correction, CORRECTIONS)
    keys = ["dataset", "level", "coefficient", "method", *choose("family", family, FAMILIES)]
    return tests.groupby(keys, sort=False)["pvalue"].transform(adjusted, correction=correction)


def outcomes(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """The table with a column outcome, one of `OUTCOMES`.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float
        A p-value up to it is significant.

    Returns
    -------
    DataFrame, the rows of `tests` with the column outcome
    """
    check_alpha(alpha)
    significant, corrected = tests["pvalue"] <= alpha, tests["adjusted_pvalue"] <= alpha
    nothing, plain, after_correction = OUTCOMES
    found = np.select([significant & corrected, significant], [after_correction, plain], nothing)
    keys = ["dataset", "level", "coefficient", "method", "metric", "rival"]
    return check(tests.assign(outcome=found), keys=keys)


def quantities(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """What a paper says of tests, one row per number.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, rival, quantity, value
        `quantity` is "pvalue", "adjusted_pvalue", or "share beaten": the share of its rivals over which the
        metric is significantly better after correction (rival empty).
    """
    check_alpha(alpha)
    keys = ["dataset", "level", "coefficient", "method", "metric"]
    single = tests[[*keys, "rival", "pvalue", "adjusted_pvalue"]].melt([*keys, "rival"], var_name="quantity")
    beaten = (tests["adjusted_pvalue"] <= alpha).groupby([tests[key] for key in keys], sort=False).mean()
    shares = beaten.rename("value").reset_index().assign(quantity="share beaten", rival="")
    return check(pd.concat([single, shares], ignore_index=True), keys=[*keys, "rival", "quantity"])


def counts(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """How many ordered pairs each test calls different, without and with each correction and family.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float
        A p-value up to it is significant.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, correction, value (a count), n_tests
        `correction` is "none" or the correction and its family, such as "Holm, row".
    """
    check_alpha(alpha)
    keys = ["dataset", "level", "coefficient", "method"]
    adjusted = {"none": corrected(tests, correction="none")}
    adjusted |= {
        f"{correction}, {family}": corrected(tests, family=family, correction=correction)
        for family in FAMILIES
        for correction in ("Holm", "Bonferroni")
    }
    frames = []
    for name, pvalues in adjusted.items():
        counts = (pvalues <= alpha).groupby([tests[key] for key in keys], sort=False).agg(["sum", "size"])
        counts = counts.rename(columns={"sum": "value", "size": "n_tests"})
        frames.append(counts.reset_index().assign(correction=name))
    found = pd.concat(frames, ignore_index=True)[[*keys, "correction", "value", "n_tests"]]
    return check(found, keys=[*keys, "correction"])
