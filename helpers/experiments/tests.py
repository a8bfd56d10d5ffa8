"""experiments.tests: is one metric better than another? Tests of metrics against each other, as tidy tables.

For the notebooks `tests`, `your_metric`, `sera`, `annotators` and `leaderboard`; Deutsch et al. 2021, §4,
§6.2, Figs. 5 and 6. No row of a table depends on which others were asked for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments._several import of_several
from helpers.stats.cells import aligned
from helpers.stats.correlation import correlate, correlations
from helpers.stats.resampling import bootstrap_distribution, permutation_distribution
from helpers.stats.significance import (
    n_observations,
    permutation_test,
    resampling_pvalue,
    williams,
    williams_test,
)


def _by_permutation(permute):
    def test(scores, human, pairs, difference, alternative, **kind):
        null = permutation_distribution(scores, human, pairs=pairs, permute=permute, **kind)
        return resampling_pvalue(difference, null, alternative), np.isnan(null).sum(axis=-1)

    return test


def _by_bootstrap(resample):
    def test(scores, human, pairs, difference, alternative, **kind):
        distribution = bootstrap_distribution(scores, human, resample=resample, **kind)
        pvalues, undefined = np.empty(len(pairs)), np.empty(len(pairs), dtype=int)
        for i, (first, second) in enumerate(pairs):
            null = distribution[first] - distribution[second] - difference[i]
            pvalues[i] = resampling_pvalue(difference[i], null, alternative)
            undefined[i] = np.isnan(null).sum()
        return pvalues, undefined

    return test


def _by_williams(scores, human, pairs, difference, alternative, *, level, coefficient, **_):
    first, second = scores[pairs[:, 0]], scores[pairs[:, 1]]
    kind = {"level": level, "coefficient": coefficient}
    r_a, r_b = correlate(first, human, **kind)[0], correlate(second, human, **kind)[0]
    r_ab = correlate(first, second, **kind)[0]
    pvalues = williams(r_a, r_b, r_ab, n_observations(scores[0], human, level), alternative)[1]
    return pvalues, np.isnan(pvalues).astype(int)


TEST_METHODS: dict[str, Callable] = {
    "Perm-Systems": _by_permutation("systems"),
    "Perm-Inputs": _by_permutation("inputs"),
    "Perm-Both": _by_permutation("both"),
    "Perm-Systems-and-Inputs": _by_permutation("systems-and-inputs"),
    "Boot-Systems": _by_bootstrap("systems"),
    "Boot-Inputs": _by_bootstrap("inputs"),
    "Boot-Both": _by_bootstrap("both"),
    "Williams": _by_williams,
}


@of_several
def difference_table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson",),
    methods: Sequence[str] = ("Perm-Both",),
    correction: str = "Holm",
    family: str = "row",
    n_resamples: int = 9_999,
    rng,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """One-sided tests of every metric against every other: does the row's agree with people better?

    Parameters
    ----------
    benchmark : Benchmark
        All metrics are compared on the summaries that all of them and people score.
    levels, coefficients, n_resamples, rng, n_threads : see `helpers.stats.significance.permutation_test`
    methods : of ``"Perm-Systems"``, ``"Perm-Inputs"``, ``"Perm-Both"``, ``"Perm-Systems-and-Inputs"``,
        ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"`` (paired bootstrap) and ``"Williams"``
    correction, family : see `corrected`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, row, column (metrics), value (difference of
    the two correlations), pvalue, n_resamples, n_undefined, n_used, n_total (summaries), adjusted
    """
    rng = np.random.default_rng(rng)
    seed = int(rng.integers(2**63))
    scores, human = aligned(scores=benchmark.scores, human=benchmark.human)
    present = ~np.isnan(scores).any(axis=0) & ~np.isnan(human)
    scores, human = np.where(present, scores, np.nan), np.where(present, human, np.nan)
    names = np.array(benchmark.metrics, dtype=object)
    pairs = np.array(list(combinations(range(len(names)), 2)), dtype=np.int64).reshape(-1, 2)
    frames = []
    for level in levels:
        for coefficient in coefficients:
            value = correlate(scores, human, level=level, coefficient=coefficient)[0]
            difference = value[pairs[:, 0]] - value[pairs[:, 1]]
            for method in methods:
                test = choose("test", method, TEST_METHODS)
                kind = {"level": level, "coefficient": coefficient}
                if method != "Williams":
                    kind |= {"n_resamples": n_resamples, "rng": seed, "n_threads": n_threads}
                # the other direction's null distribution is this one's mirror image
                for alternative, order, sign in (("greater", [0, 1], 1), ("less", [1, 0], -1)):
                    pvalue, undefined = test(scores, human, pairs, difference, alternative, **kind)
                    frames.append(
                        pd.DataFrame(
                            {
                                "dataset": benchmark.name,
                                "level": level,
                                "coefficient": coefficient,
                                "method": method,
                                "row": names[pairs[:, order[0]]],
                                "column": names[pairs[:, order[1]]],
                                "value": sign * difference,
                                "pvalue": pvalue,
                                "n_resamples": n_resamples if method != "Williams" else pd.NA,
                                "n_undefined": undefined,
                                "n_used": int(present.sum()),
                                "n_total": present.size,
                            }
                        )
                    )
    table = pd.concat(frames, ignore_index=True)
    place = {name: i for i, name in enumerate(names)}
    keys = ["dataset", "level", "coefficient", "method"]
    order = table[keys].drop_duplicates().reset_index(drop=True).reset_index()
    table = table.merge(order, on=keys).sort_values(
        ["index", "row", "column"], key=lambda s: s.map(place) if s.name in ("row", "column") else s
    )
    table = table.drop(columns="index").reset_index(drop=True)
    return table.assign(adjusted=corrected(table, family=family, correction=correction))


def holm(pvalues: np.ndarray) -> np.ndarray:
    """Holm's step-down adjusted p-values; NaN stays NaN and is not counted as a test.

    The smallest of *n* p-values is multiplied by *n*, the next by *n* - 1, and so on, each no smaller than
    the one before. Rejecting those at most alpha is the identification step of Dror et al. 2017 with their
    Bonferroni partial conjunctions.
    """
    pvalues = np.asarray(pvalues, dtype=float)
    adjusted = np.full(pvalues.shape, np.nan)
    order = np.argsort(pvalues)
    order = order[: (~np.isnan(pvalues)).sum()]  # NaN sort last
    steps = pvalues[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps)) if len(order) else steps
    return adjusted


def bonferroni(pvalues: np.ndarray) -> np.ndarray:
    """p-values times the number of tests, at most 1; NaN stays NaN and is not counted as a test."""
    pvalues = np.asarray(pvalues, dtype=float)
    return np.minimum(1, pvalues * (~np.isnan(pvalues)).sum())


FAMILIES = {"row": ["row"], "table": []}
CORRECTIONS = {"none": lambda p: np.asarray(p, dtype=float), "Bonferroni": bonferroni, "Holm": holm}


def corrected(tests: pd.DataFrame, *, family: str = "row", correction: str = "Holm") -> pd.Series:
    """p-values of a `difference_table`, adjusted for the number of tests in a family.

    Parameters
    ----------
    tests : DataFrame of `difference_table`
    family : {"row", "table"}
        All tests of one row metric (Deutsch et al. 2021, Fig. 5), or all of one data set, level, coefficient
        and method (Fig. 6).
    correction : {"Holm", "Bonferroni", "none"}
    """
    adjust = choose("correction", correction, CORRECTIONS)
    keys = ["dataset", "level", "coefficient", "method", *choose("family", family, FAMILIES)]
    return tests.groupby(keys, sort=False)["pvalue"].transform(adjust)


def difference_quantities(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """What a paper says of tests, one row a number.

    Parameters
    ----------
    tests : DataFrame of `difference_table`
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


def significant_counts(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
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
    permute: str = "both",
    n_resamples: int = 999,
    rng: int | np.random.Generator | None,
) -> pd.DataFrame:
    """Williams' and permutation tests of one metric against each of several.

    Parameters
    ----------
    benchmark : Benchmark
    metric, rivals : names of metrics of the benchmark
    levels, coefficients : see `helpers.stats.correlation.correlate`
    permute : see `helpers.stats.significance.permutation_test`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, rival, value (correlation of `metric`),
    rival_value, difference, williams_p, permutation_p
        Two-sided p-values, not corrected for their number. Williams' test is made for Pearson's r and is
        NaN for other coefficients.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    rows = []
    first = benchmark.metric(metric)
    for level in levels:
        for coefficient in coefficients:
            values = correlations(
                benchmark.scores, benchmark.human, level=level, coefficient=coefficient
            ).value
            for rival in rivals:
                second = benchmark.metric(rival)
                # a stream for each pair, so that another rival changes no p-value
                stream = [seed, zlib.crc32(f"{metric}|{rival}|{level}|{coefficient}".encode())]
                permuted = permutation_test(
                    first, second, benchmark.human, level=level, coefficient=coefficient, permute=permute,
                    n_resamples=n_resamples, rng=stream,
                )  # fmt: skip
                own, other = float(values.sel(metric=metric)), float(values.sel(metric=rival))
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "level": level,
                        "coefficient": coefficient,
                        "metric": metric,
                        "rival": rival,
                        "value": own,
                        "rival_value": other,
                        "difference": own - other,
                        "williams_p": williams_test(first, second, benchmark.human, level=level).pvalue
                        if coefficient == "pearson"
                        else np.nan,
                        "permutation_p": permuted.pvalue,
                    }
                )
    return pd.DataFrame(rows)
