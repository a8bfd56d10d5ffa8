"""Intervals and tests for all metrics of a benchmark at once, as tidy tables.

Within a table all metrics, levels, coefficients and methods start from one seed, so a row does not depend on
which other rows were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.stats.cells import aligned
from helpers.stats.correlation import correlate
from helpers.stats.resampling import bootstrap_distribution, permutation_distribution
from helpers.stats.significance import (
    fisher_bounds,
    n_observations,
    percentile_bounds,
    resampling_pvalue,
    share_wrongly_ranked,
    williams,
)

INTERVAL_METHODS = {
    "Fisher": None,
    "Boot-Systems": "systems",
    "Boot-Inputs": "inputs",
    "Boot-Both": "both",
}
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


def interval_table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    methods: Sequence[str] = tuple(INTERVAL_METHODS),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    rng,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Every metric's correlation with its confidence intervals, one row a metric and method.

    Parameters
    ----------
    benchmark : Benchmark
    levels, coefficients : see `helpers.stats.significance.bootstrap_interval`
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_resamples, confidence_level, rng, n_threads : see `helpers.stats.significance.bootstrap_interval`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, value, low, high, q5 to q95 (of the
    bootstrap distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_error, high_error
    (Monte-Carlo standard errors), n_resamples, n_undefined
        What a method does not have is NaN.
    """
    rng = np.random.default_rng(rng)
    seed = int(rng.integers(2**63))
    scores, human = aligned(scores=benchmark.scores, human=benchmark.human)
    frames = []
    for level in levels:
        for coefficient in coefficients:
            value = correlate(scores, human, level=level, coefficient=coefficient)[0]
            for method in methods:
                resample = choose("interval method", method, INTERVAL_METHODS)
                if resample is None:
                    n = [n_observations(plane, human, level) for plane in scores]
                    low, high = fisher_bounds(
                        value, n, coefficient=coefficient, confidence_level=confidence_level
                    )
                    columns = {
                        "low": low,
                        "high": high,
                        **_fisher_quantiles(value, n, coefficient),
                        "n_undefined": np.isnan(low).astype(int),
                    }
                else:
                    distribution = bootstrap_distribution(
                        scores, human, level=level, coefficient=coefficient, resample=resample,
                        n_resamples=n_resamples, rng=seed, n_threads=n_threads,
                    )  # fmt: skip
                    columns = _summary_of(distribution, confidence_level)
                frames.append(
                    pd.DataFrame(
                        {
                            "dataset": benchmark.name,
                            "level": level,
                            "coefficient": coefficient,
                            "method": method,
                            "metric": benchmark.metrics,
                            "value": value,
                            **columns,
                        }
                    )
                )
    return pd.concat(frames, ignore_index=True)


def _summary_of(distribution, confidence_level) -> dict:
    low, high = percentile_bounds(distribution, confidence_level)
    undefined = np.isnan(distribution).sum(axis=-1)
    quantiles = [percentile_bounds(distribution, abs(1 - 2 * q))[int(q > 0.5)] for q in QUANTILES]
    return {
        "low": low,
        "high": high,
        **{_label(q): values for q, values in zip(QUANTILES, quantiles, strict=True)},
        "low_error": _bound_error(distribution, (1 - confidence_level) / 2),
        "high_error": _bound_error(distribution, (1 + confidence_level) / 2),
        "n_resamples": distribution.shape[-1],
        "n_undefined": undefined,
    }


def _fisher_quantiles(value, n, coefficient) -> dict:
    """Ends of Fisher's interval at other confidence levels, under the names of quantiles."""
    found = {}
    for q in QUANTILES:
        if q == 0.5:
            found[_label(q)] = value
        else:
            bounds = fisher_bounds(value, n, coefficient=coefficient, confidence_level=abs(1 - 2 * q))
            found[_label(q)] = bounds[int(q > 0.5)]
    return found


def _label(q: float) -> str:
    return f"q{round(100 * q)}"


def _bound_error(distribution, q) -> np.ndarray:
    """Standard error of a sample quantile: half the distance of the order statistics one error off."""
    n = (~np.isnan(distribution)).sum(axis=-1)
    errors = np.full(len(distribution), np.nan)
    for i, values in enumerate(distribution):
        if n[i]:
            step = np.sqrt(q * (1 - q) / n[i])
            below, above = np.nanquantile(values, [max(0, q - step), min(1, q + step)])
            errors[i] = (above - below) / 2
    return errors


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


def difference_table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson",),
    methods: Sequence[str] = ("Perm-Both",),
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

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, row, column (metrics), value (difference of
    the two correlations), pvalue, n_resamples, n_undefined, n_used, n_total (summaries)
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
    return table.drop(columns="index").reset_index(drop=True)


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


def interval_quantities(intervals: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """What a paper prints of intervals, one row a number: estimate, low, high, width and ranking errors.

    Parameters
    ----------
    intervals : DataFrame of `interval_table`
    n_printed : int
        Resamples behind printed bounds, whose Monte-Carlo error is counted beside ours.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, quantity, value, mc_error
        `quantity` is "estimate", "low", "high", "width", or "least wrong %" and "most wrong %", the share of
        pairs of systems ranked against people that Kendall's upper and lower bound stand for.
    """
    keys = ["dataset", "level", "coefficient", "method", "metric"]
    inflate = np.sqrt(1 + intervals["n_resamples"] / n_printed)
    low_error, high_error = intervals["low_error"] * inflate, intervals["high_error"] * inflate
    kendall = intervals["coefficient"] == "kendall"
    quantities = {
        "estimate": (intervals["value"], 0.0),
        "low": (intervals["low"], low_error),
        "high": (intervals["high"], high_error),
        "width": (intervals["high"] - intervals["low"], np.hypot(low_error, high_error)),
        "least wrong %": (100 * share_wrongly_ranked(intervals["high"].where(kendall)), 50 * high_error),
        "most wrong %": (100 * share_wrongly_ranked(intervals["low"].where(kendall)), 50 * low_error),
    }
    return pd.concat(
        [
            intervals[keys].assign(quantity=quantity, value=value, mc_error=error)
            for quantity, (value, error) in quantities.items()
        ],
        ignore_index=True,
    )


def difference_quantities(tests: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """What a paper says of tests, one row a number.

    Parameters
    ----------
    tests : DataFrame of `difference_table` with a further column `adjusted` (see `corrected`)
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
