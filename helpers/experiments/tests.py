"""experiments.tests: is one metric better than another? Tests of metrics against each other, as tidy tables.

For the notebooks `tests`, `your_metric`, `sera`, `annotators` and `leaderboard`; Deutsch et al. 2021, §4,
§6.2, Figs. 5 and 6. All rows of a benchmark see the same draws, so none depends on
which others were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments._several import of_several
from helpers.stats.correlation import correlate
from helpers.stats.differences import CORRECTIONS, adjusted, compare_pairs
from helpers.stats.streams import RNGLike, seed_of, stream

FAMILIES = {"row": ["row"], "table": []}  # the columns that tests corrected together share, beside the method


@of_several
def table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson",),
    methods: Sequence[str] = ("Perm-Both",),
    correction: str = "Holm",
    family: str = "row",
    n_resamples: int = 9_999,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """One-sided tests of every metric against every other: does the row's agree with people better?

    Parameters
    ----------
    benchmark : Benchmark, or several
        Two metrics are compared on the summaries that both of them and people score; the rows count them.
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    methods : of `helpers.stats.differences.TESTS`
    correction, family : see `corrected`
    n_resamples, n_threads : see `helpers.stats.differences.compare_pairs`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, row, column (metrics), value (difference of
    the two correlations), pvalue, n_resamples, n_undefined, n_used, n_total (summaries), adjusted

    Raises
    ------
    UnknownNameError
        For a level, coefficient, method, correction or family that does not exist.
    """
    seed = seed_of(rng)
    frames = []
    for level, coefficient, method in product(levels, coefficients, methods):
        names = np.array(benchmark.metrics, dtype=object)
        pairs = np.array(list(permutations(range(len(names)), 2)), dtype=np.int64).reshape(-1, 2)
        found = compare_pairs(
            benchmark.scores.to_numpy(), benchmark.human.to_numpy(), pairs,
            level=level, coefficient=coefficient, method=method, alternative="greater",
            n_resamples=n_resamples, rng=stream(seed, benchmark.name), n_threads=n_threads,
        )  # fmt: skip
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "level": level,
                    "coefficient": coefficient,
                    "method": found.method,
                    "row": names[pairs[:, 0]],
                    "column": names[pairs[:, 1]],
                    "value": found.difference,
                    "pvalue": found.pvalue,
                    "n_resamples": found.n_resamples or pd.NA,
                    "n_undefined": found.n_undefined,
                    "n_used": found.n_used,
                    "n_total": found.n_total,
                }
            )
        )
    found = pd.concat(frames, ignore_index=True)
    return found.assign(adjusted=corrected(found, family=family, correction=correction))


def corrected(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """p-values of a `table`, adjusted for the number of tests in a family.

    Parameters
    ----------
    tests : DataFrame of `table`
    family : {"row", "table"}
        All tests of one row metric (Deutsch et al. 2021, Fig. 5), or all of one data set, level, coefficient
        and method (Fig. 6).
    correction : {"Holm", "Bonferroni", "none"}
        See `helpers.stats.differences.adjusted`.
    """
    choose("correction", correction, CORRECTIONS)
    keys = ["dataset", "level", "coefficient", "method", *choose("family", family, FAMILIES)]
    return tests.groupby(keys, sort=False)["pvalue"].transform(adjusted, correction=correction)


def quantities(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """What a paper says of tests, one row per number.

    Parameters
    ----------
    tests : DataFrame of `table`
    alpha : float

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, row, column, quantity, value
        `quantity` is "pvalue", "adjusted", or "share beaten": the share of the other metrics over which the
        row metric is significantly better after correction (column empty).
    """
    keys = ["dataset", "level", "coefficient", "method", "row"]
    single = tests[[*keys, "column", "pvalue", "adjusted"]].melt([*keys, "column"], var_name="quantity")
    beaten = (tests["adjusted"] <= alpha).groupby([tests[key] for key in keys], sort=False).mean()
    shares = beaten.rename("value").reset_index().assign(quantity="share beaten", column="")
    return pd.concat([single, shares], ignore_index=True)


def counts(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """How many ordered pairs each test calls different, without and with each correction and family.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, correction, value (a count), n_tests
        `correction` is "none" or the correction and its family, such as "Holm, row".
    """
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
    return pd.concat(frames, ignore_index=True)[[*keys, "correction", "value", "n_tests"]]


def rival_table(
    benchmark: Benchmark,
    metric: str,
    rivals: Sequence[str],
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "kendall"),
    n_resamples: int = 999,
    rng: RNGLike,
) -> pd.DataFrame:
    """Williams' and permutation tests of one metric against each of several.

    Parameters
    ----------
    benchmark : Benchmark
    metric, rivals : names of metrics of the benchmark
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    n_resamples : int, at least 1
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, rival, value (correlation of `metric`),
    rival_value, difference, williams_p, permutation_p
        Two-sided p-values, not corrected for their number. Williams' test is made for Pearson's r and is
        NaN for other coefficients.
    """
    seed = seed_of(rng)
    named = benchmark.select(metrics=[metric, *rivals])
    scores, human = named.scores.to_numpy(), named.human.to_numpy()
    pairs = [[0, i + 1] for i in range(len(rivals))]
    frames = []
    for level, coefficient in product(levels, coefficients):
        kind = {"level": level, "coefficient": coefficient}
        own, *others = correlate(scores, human, **kind)[0]
        draws = {"n_resamples": n_resamples, "rng": stream(seed, benchmark.name)}
        permuted = compare_pairs(scores, human, pairs, **kind, **draws)
        formula = compare_pairs(scores, human, pairs, method="Williams", **kind)
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    **kind,
                    "metric": metric,
                    "rival": list(rivals),
                    "value": own,
                    "rival_value": others,
                    "difference": permuted.difference,
                    "williams_p": formula.pvalue if coefficient == "pearson" else np.nan,
                    "permutation_p": permuted.pvalue,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
