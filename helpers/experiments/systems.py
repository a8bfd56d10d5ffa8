"""experiments.systems: how well metrics rank systems, or summaries of one document, as people do.

Benchmarks in, tidy tables out; called by the notebook `systems`, its live block, and pages that need the same
correlations. Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.errors import DataError, choose
from helpers.experiments._parts import Benchmarks, groups_of, interval_bounds, several
from helpers.stats.correlation import COEFFICIENTS, correlations, system_means
from helpers.stats.significance import williams

GROUPS = ("abs", "ext", "mix")


def table(
    benchmarks: Benchmarks,
    *,
    groups: Sequence[str] = GROUPS,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
    leave_out: Mapping[str, Sequence[str]] | None = None,
    method: str | None = None,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Correlation of every metric with the gold standard, for groups of systems, with its interval.

    Parameters
    ----------
    benchmarks : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    leave_out : mapping, name of a further group -> systems that are left out of it, optional
    method : {"Boot-Systems", "Boot-Inputs", "Boot-Both"}, optional
        Of a percentile bootstrap interval; without it there are no intervals.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator
        All metrics of a group share the draws: their intervals differ by the metrics and not by chance.

    Returns
    -------
    DataFrame with one row per dataset, group, level, coefficient and metric
        Columns: these, and value, n_used, n_total, n_systems (those with a score from the metric); with a
        `method` also low and high, NaN where the correlation exists in no draw.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    frames = []
    for benchmark in several(benchmarks):
        for group, part in groups_of(benchmark, groups, leave_out):
            scored = part.scores.notnull().any("document").sum("system").to_numpy()
            for level in levels:
                for coefficient in coefficients:
                    found = correlations(part.scores, part.human, level=level, coefficient=coefficient)
                    columns = {
                        "dataset": benchmark.name,
                        "group": group,
                        "level": level,
                        "coefficient": coefficient,
                        "metric": part.metrics,
                        "value": found.value.to_numpy(),
                        "n_used": found.n_used.to_numpy(),
                        "n_total": int(found.n_total),
                        "n_systems": scored,
                    }
                    if method is not None:
                        columns |= interval_bounds(
                            part, group, level, coefficient, level=level, coefficient=coefficient,
                            method=method, n_resamples=n_resamples, confidence_level=confidence_level,
                            seed=seed,
                        )  # fmt: skip
                    frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def means(benchmarks: Benchmarks) -> pd.DataFrame:
    """Mean score of every system from people and from every metric.

    Parameters
    ----------
    benchmarks : Benchmark, or several

    Returns
    -------
    DataFrame with one row per dataset, metric and system
        Columns: dataset, system, system_type, human (mean score from people), metric, mean (from the metric).
        Means that are equal on paper are equal here.
    """
    frames = [
        pd.DataFrame(
            {
                "dataset": benchmark.name,
                "system": benchmark.systems,
                "system_type": [benchmark.system_type[system] for system in benchmark.systems],
                "human": system_means(benchmark.human.to_numpy()),
                "metric": metric,
                "mean": system_means(benchmark.metric(metric).to_numpy()),
            }
        )
        for benchmark in several(benchmarks)
        for metric in benchmark.metrics
    ]
    return pd.concat(frames, ignore_index=True)


def comparisons(
    benchmarks: Benchmarks,
    *,
    groups: Sequence[str] = GROUPS,
    coefficients: Sequence[str] = ("pearson",),
) -> pd.DataFrame:
    """One-sided Williams' tests at system level: does one metric correlate better with people than another?

    Parameters
    ----------
    benchmarks : Benchmark, or several
        All metrics must score every summary.
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        The test was made for Pearson's.

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient and ordered pair of metrics
        Columns: dataset, group, coefficient, metric, other, r_metric, r_other, r_between, statistic
        (Williams' *t*), value (the *p*-value of `metric` being no better than `other`; above 0.5 where
        its correlation is the lower one), n_systems, test. Correlations keep their signs: a metric that
        ranks upside down does not win.

    Raises
    ------
    DataError
        If a metric lacks scores: its mean would be over other documents than another metric's.
    """
    frames = []
    for benchmark in several(benchmarks):
        for group, part in groups_of(benchmark, groups):
            if bool(part.scores.isnull().any()) or bool(part.human.isnull().any()):
                raise DataError(
                    f"{benchmark.name}, {group}: scores are missing; Williams' test needs all of them"
                )
            scores, human = system_means(part.scores.to_numpy()), system_means(part.human.to_numpy())
            names = np.array(part.metrics, dtype=object)
            first, second = np.nonzero(~np.eye(len(names), dtype=bool))
            for coefficient in coefficients:
                correlate = choose("coefficient", coefficient, COEFFICIENTS)
                r, between = correlate(scores, human), correlate(scores[:, None], scores[None])
                t, p = williams(r[first], r[second], between[first, second], len(part.systems), "greater")
                frames.append(
                    pd.DataFrame(
                        {
                            "dataset": benchmark.name,
                            "group": group,
                            "coefficient": coefficient,
                            "metric": names[first],
                            "other": names[second],
                            "r_metric": r[first],
                            "r_other": r[second],
                            "r_between": between[first, second],
                            "statistic": t,
                            "value": p,
                            "n_systems": len(part.systems),
                            "test": "williams",
                        }
                    )
                )
    return pd.concat(frames, ignore_index=True)


def quoted(results: pd.DataFrame, *, metric: str = "ROUGE-2 recall") -> dict[str, float | None]:
    """What the page quotes: a metric's Pearson correlation at system level on each group, None without it."""
    rows = results[
        (results["metric"] == metric) & (results["level"] == "system") & (results["coefficient"] == "pearson")
    ].set_index("group")["value"]
    return {group: rows.get(group) for group in GROUPS}
