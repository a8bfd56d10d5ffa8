"""What intervals and tests do when the truth is known: coverage, type-I error, power.

Each trial draws a new benchmark, systems and documents, from a likeness, and asks a method; the answer is
held against the true correlation. With real data only a stand-in is possible, such as the other half of the
data (`helpers.experiments.coverage`, after Deutsch et al. 2021, §5.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.errors import choose
from helpers.simulation import truth
from helpers.simulation.draw import draw
from helpers.simulation.model import Factors, Likeness, SystemType
from helpers.stats.correlation import correlate
from helpers.stats.intervals import INTERVALS
from helpers.stats.resampling import bootstrap_distribution, permutation_distribution
from helpers.stats.significance import (
    fisher_bounds,
    n_observations,
    percentile_bounds,
    resampling_pvalue,
    williams,
)

TWINS = ("A", "B")
POPULATION = "all systems, all documents"
THESE_SYSTEMS = "these systems, all documents"
AS_MANY = "all systems, as many documents"

# test -> (what it draws again or exchanges, by which engine)
TESTS = {
    "Williams": ("", "formula"),
    **{f"Boot-{what.title()}": (what, "bootstrap") for what in ("systems", "inputs", "both")},
    **{f"Perm-{what.title()}": (what, "permutation") for what in ("systems", "inputs", "both")},
}


def twins(likeness: Likeness, metric: str, *, degraded: float = 0.0, shared: float = 0.5) -> Likeness:
    """A likeness with two metrics, A and B, made after one.

    Parameters
    ----------
    likeness : Likeness
    metric : str
    degraded : float in [0, 1]
        The share of what it has in common with people that B lacks, at every level; its variance is as
        large, but noise in that part. At 0 the two change places without a difference: they agree with people
        equally well, by any coefficient, at any level.
    shared : float in [0, 1]
        Of what a metric does not have in common with people, the share of the variance that A and B have in
        common.
    """
    for name, value in (("degraded", degraded), ("shared", shared)):
        if not 0 <= value <= 1:
            raise ValueError(f"`{name}` must be in [0, 1], got {value}")
    one = likeness.select([metric])
    k = one.place(metric)

    def pair(factors: Factors) -> Factors:
        gold, row = math.sqrt(factors.variance[0]), factors.loadings[k]
        total = float(factors.variance[k])
        loadings, unique = [[gold, 0.0]], [0.0]
        for kept in (1.0, 1.0 - degraded):
            own = max(0.0, total - (kept * row[0]) ** 2)
            loadings.append([kept * row[0], math.sqrt(shared * own)])
            unique.append((1 - shared) * own)
        return Factors(np.array(loadings), np.array(unique))

    def offsets(offset: np.ndarray) -> np.ndarray:
        return np.array([offset[0], offset[k], (1 - degraded) * offset[k]])

    return replace(
        one,
        name=f"{likeness.name}: {metric}",
        planes=(one.planes[0], *TWINS),
        n_judgments=1,
        marginals=(one.marginals[0], one.marginals[k], one.marginals[k]),
        types={
            kind: SystemType(group.n_systems, offsets(group.offset), pair(group.system), pair(group.residual))
            for kind, group in one.types.items()
        },
        document=pair(one.document),
        copies={},
        scale={},
    )


def true_value(
    likeness: Likeness,
    *,
    metrics: Sequence[str],
    level: str,
    coefficient: str,
    n_documents: int | None = None,
    rng,
) -> pd.DataFrame:
    """True correlations over all systems of the likeness, types in their usual shares.

    `n_documents` asks for the system-level correlation of means over so many documents, not of expected
    scores.

    Returns
    -------
    DataFrame, index metric, with columns value, standard_error
    """
    if n_documents is not None:
        likeness = replace(likeness, n_documents=n_documents)
    table = truth.compute(likeness, metrics=metrics, coefficients=[coefficient], groups=["all"], rng=rng)
    wanted = np.inf if n_documents is None else n_documents
    kept = table[(table["level"] == level) & ((level != "system") | (table["n_documents"] == wanted))]
    return kept.set_index("metric")[["value", "standard_error"]]


def coverage(
    likeness: Likeness,
    *,
    metric: str,
    n_systems: Sequence[int],
    n_documents: Sequence[int],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = tuple(INTERVALS),
    n_trials: int = 200,
    n_resamples: int = 500,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """How often intervals contain the true correlation.

    Parameters
    ----------
    likeness : Likeness
    metric : str
    n_systems, n_documents : sizes, every one with every other
    levels, coefficient : see `helpers.stats.correlation.correlate`
    methods : of `helpers.stats.intervals.INTERVALS`
    n_trials, n_resamples, confidence_level : see `helpers.experiments.coverage.table`
    rng : seed or Generator

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, target, n_systems, n_documents, method, value,
    standard_error (binomial), n_trials, n_undefined, width and true_value (means
    over the trials)
        `target` says what the true correlation is of. At system level: all systems that could be drawn, or
        those of the trial, with their expected scores; or all systems, with means over as many documents as
        the trial has, which is lower, since such means are noisy. At summary level only the first.
    """
    rng = np.random.default_rng(rng)
    for method in methods:
        choose("interval method", method, INTERVALS)
    small = likeness.select([metric])
    kind = {"metrics": [metric], "coefficient": coefficient, "rng": rng}
    goal = {level: true_value(small, level=level, **kind).loc[metric, "value"] for level in levels}
    noisy = {
        m: true_value(small, level="system", n_documents=m, **kind).loc[metric, "value"] for m in n_documents
    }
    rows = []
    for n in n_systems:
        for m in n_documents:

            def trial(seed, n=n, m=m):
                drawn = draw(small, n_systems=n, n_documents=m, rng=seed)
                x, z = drawn.benchmark.scores.to_numpy()[0], drawn.benchmark.human.to_numpy()
                own = float(drawn.truth.correlations(coefficient=coefficient)[metric])
                found = []
                for level in levels:
                    targets = {POPULATION: goal[level]}
                    if level == "system":
                        targets |= {THESE_SYSTEMS: own, AS_MANY: noisy[m]}
                    for method in methods:
                        low, high = _interval(
                            x, z, method, level, coefficient, n_resamples, confidence_level, seed
                        )
                        found += [
                            (level, target, method, low, high, value) for target, value in targets.items()
                        ]
                return found

            seeds = rng.integers(2**62, size=n_trials).tolist()
            outcomes = pd.DataFrame(
                [row for rows_ in _mapped(trial, seeds) for row in rows_],
                columns=["level", "target", "method", "low", "high", "true"],
            )
            outcomes = outcomes.assign(n_systems=n, n_documents=m)
            rows.append(outcomes)
    everything = pd.concat(rows, ignore_index=True)
    undefined = everything[["low", "high", "true"]].isna().any(axis=1)
    held = (everything["low"] <= everything["true"]) & (everything["true"] <= everything["high"])
    everything["held"] = held.astype(float).where(~undefined)
    everything["width"] = everything["high"] - everything["low"]
    keys = ["level", "target", "n_systems", "n_documents", "method"]
    by_key = everything.groupby(keys, sort=False)
    table = by_key.agg(
        value=("held", "mean"),
        defined=("held", "count"),
        width=("width", "mean"),
        true_value=("true", "mean"),
    ).reset_index()
    table["standard_error"] = np.sqrt(table["value"] * (1 - table["value"]) / table["defined"])
    table = table.assign(
        dataset=f"simulated-{likeness.name}",
        metric=metric,
        coefficient=coefficient,
        n_trials=n_trials,
        n_undefined=n_trials - table["defined"],
    )
    columns = ["dataset", "metric", "level", "coefficient", "target", "n_systems", "n_documents", "method"]
    return table[[*columns, "value", "standard_error", "n_trials", "n_undefined", "width", "true_value"]]


def rejections(
    likeness: Likeness,
    *,
    metric: str,
    degradations: Sequence[float],
    n_systems: Sequence[int],
    n_documents: Sequence[int],
    level: str = "system",
    coefficient: str = "pearson",
    tests: Sequence[str] = tuple(TESTS),
    alpha: float = 0.05,
    n_trials: int = 200,
    n_resamples: int = 500,
    rng,
) -> pd.DataFrame:
    """How often tests say that one of two metrics agrees better with people.

    Parameters
    ----------
    likeness, metric : A is made after this metric, B is A degraded: see `twins`
    degradations : at 0 every rejection is an error of the first kind; beyond, it is power
    n_systems, n_documents : sizes, every one with every other
    tests : of `TESTS`
    alpha : float in (0, 1)
        A two-sided p-value at most this rejects.
    n_trials, n_resamples : int
    rng : seed or Generator

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, degraded, difference (true, of A and B),
    n_systems, n_documents, test, value (share of trials that reject), standard_error (binomial), n_trials,
    n_undefined
    """
    rng = np.random.default_rng(rng)
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha}")
    for test in tests:
        choose("test", test, TESTS)
    rows = []
    for degraded in degradations:
        both = twins(likeness, metric, degraded=degraded)
        if degraded:
            true = true_value(both, metrics=TWINS, level=level, coefficient=coefficient, rng=rng)["value"]
        else:
            true = {"A": 0.0, "B": 0.0}  # they change places without a difference
        for n in n_systems:
            for m in n_documents:

                def trial(seed, n=n, m=m, both=both):
                    benchmark = draw(both, n_systems=n, n_documents=m, metrics=TWINS, rng=seed).benchmark
                    pair, z = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
                    return [_pvalue(pair, z, test, level, coefficient, n_resamples, seed) for test in tests]

                pvalues = np.array(_mapped(trial, rng.integers(2**62, size=n_trials).tolist()))
                for test, column in zip(tests, pvalues.T, strict=True):
                    defined = column[~np.isnan(column)]
                    value = float((defined <= alpha).mean()) if len(defined) else math.nan
                    rows.append(
                        {
                            "dataset": f"simulated-{likeness.name}",
                            "metric": metric,
                            "level": level,
                            "coefficient": coefficient,
                            "degraded": degraded,
                            "difference": float(true["A"] - true["B"]),
                            "n_systems": n,
                            "n_documents": m,
                            "test": test,
                            "value": value,
                            "standard_error": math.sqrt(value * (1 - value) / max(1, len(defined))),
                            "n_trials": n_trials,
                            "n_undefined": n_trials - len(defined),
                        }
                    )
    return pd.DataFrame(rows)


def _mapped(trial: Callable, seeds: list[int]) -> list:
    """Trials side by side; each has a seed of its own, so their number at a time changes nothing."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(trial, seeds))


def _interval(x, z, method, level, coefficient, n_resamples, confidence_level, seed):
    resample = INTERVALS[method]
    if resample is None:
        r, n = correlate(x, z, level=level, coefficient=coefficient)[0], n_observations(x, z, level)
        return fisher_bounds(r, n, coefficient=coefficient, confidence_level=confidence_level)
    distribution = bootstrap_distribution(
        x, z, level=level, coefficient=coefficient, resample=resample, n_resamples=n_resamples, rng=seed,
        n_threads=1,
    )  # fmt: skip
    return percentile_bounds(distribution, confidence_level)


def _pvalue(pair, z, test, level, coefficient, n_resamples, seed) -> float:
    what, engine = TESTS[test]
    kind = {"level": level, "coefficient": coefficient}
    first, second, between = correlate(pair[[0, 1, 0]], np.stack([z, z, pair[1]]), **kind)[0]
    if engine == "formula":
        return float(williams(first, second, between, n_observations(pair[0], z, level))[1])
    settings = kind | {"n_resamples": n_resamples, "rng": seed, "n_threads": 1}
    if engine == "permutation":
        null = permutation_distribution(pair, z, pairs=[[0, 1]], permute=what, **settings)[0]
    else:
        drawn = bootstrap_distribution(pair, z, resample=what, **settings)
        null = drawn[0] - drawn[1] - (first - second)
    return float(resampling_pvalue(first - second, null, "two-sided"))
