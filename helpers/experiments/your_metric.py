"""What the numbers say about a reader's metric: tests against each other metric, and a verdict in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments.resampling_tables import holm, interval_table
from helpers.experiments.rivals import rival_table
from helpers.figures.theme import COEFFICIENT_LABELS
from helpers.stats.significance import share_wrongly_ranked


def wrongly_ranked(benchmark: Benchmark, *, n_resamples: int, confidence_level: float, rng) -> pd.DataFrame:
    """Share of the pairs of systems that each metric ranks against people, and what its interval stands for.

    Parameters
    ----------
    benchmark, n_resamples, confidence_level, rng : see `helpers.experiments.resampling_tables.interval_table`

    Returns
    -------
    DataFrame with columns metric, value, low, high, in percent
        Kendall's tau at system level and its Boot-Both bounds as (1 - tau) / 2: exact where nothing ties.
    """
    taus = interval_table(
        benchmark, levels=["system"], coefficients=["kendall"], methods=["Boot-Both"],
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip
    shares = {
        name: 100 * share_wrongly_ranked(taus[bound])
        for name, bound in (("value", "value"), ("low", "high"), ("high", "low"))
    }
    return pd.DataFrame({"metric": taus["metric"], **shares})


def tests_against_others(
    benchmark: Benchmark,
    yours: Sequence[str],
    *,
    levels: Sequence[str],
    coefficients: Sequence[str],
    n_resamples: int,
    rng,
) -> pd.DataFrame:
    """Two-sided tests of each of `yours` against every other metric, with Holm's correction.

    Returns
    -------
    DataFrame of `helpers.experiments.rivals.rival_table` with further columns williams_holm, permutation_holm
        The tests of one of your metrics at one level with one coefficient are corrected together. Empty
        where there is no other metric.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    table = pd.concat(
        rival_table(
            benchmark, metric, [other for other in benchmark.metrics if other != metric],
            levels=levels, coefficients=coefficients, n_resamples=n_resamples, rng=seed,
        )
        for metric in yours
    )  # fmt: skip
    if table.empty:
        columns = ["dataset", "level", "coefficient", "metric", "rival", "value", "rival_value", "difference"]
        return pd.DataFrame(
            columns=[*columns, "williams_p", "permutation_p", "williams_holm", "permutation_holm"]
        )
    family = table.groupby(["level", "coefficient", "metric"], sort=False)
    return table.assign(
        **{f"{test}_holm": family[f"{test}_p"].transform(holm) for test in ("williams", "permutation")}
    ).reset_index(drop=True)


def verdict(
    yours: Sequence[str],
    *,
    intervals: pd.DataFrame,
    wrong: pd.DataFrame,
    tests: pd.DataFrame,
    alpha: float,
    confidence_level: float,
) -> str:
    """What the numbers say, in sentences: the correlation, its interval, and who is significantly better.

    Parameters
    ----------
    yours : names of metrics
    intervals : DataFrame of `helpers.experiments.resampling_tables.interval_table`, of one method
        Its first coefficient is the one that the sentences speak of.
    wrong : DataFrame of `wrongly_ranked`
    tests : DataFrame of `tests_against_others`
    alpha : float
        Differences are called significant where Holm's correction of Perm-Both stays at or below it.
    confidence_level : float
        Of the intervals.
    """
    coefficient = intervals["coefficient"].iloc[0]
    sentences = []
    for metric in yours:
        for level in intervals["level"].unique():
            rows = intervals.query("metric == @metric and level == @level and coefficient == @coefficient")
            against = tests.query("metric == @metric and level == @level and coefficient == @coefficient")
            sentences += _of_interval(metric, level, coefficient, rows.iloc[0], confidence_level)
            sentences += _of_tests(metric, level, against, alpha)
        if metric not in tests["metric"].to_numpy():
            sentences.append(f"There is no other metric to compare {metric} with.")
        sentences += _of_pairs(metric, wrong.set_index("metric").loc[metric])
    return " ".join(sentences)


def _of_interval(metric, level, coefficient, row, confidence_level) -> list[str]:
    name = choose("coefficient", coefficient, COEFFICIENT_LABELS)
    if np.isnan(row["value"]):
        return [f"At {level} level the correlation of {metric} with people does not exist ({name})."]
    said = [
        f"At {level} level {metric} correlates with people at {row['value']:.2f} ({name}; "
        f"{confidence_level:.0%} interval {row['low']:.2f} to {row['high']:.2f})."
    ]
    if row["high"] < 0:
        said.append("That is negative: if lower scores are better, turn their signs.")
    elif row["low"] <= 0:
        said.append("The interval holds zero: these data do not show that it agrees with people at all.")
    return said


def _of_tests(metric, level, against, alpha) -> list[str]:
    if against.empty:
        return []
    significant = against[against["permutation_holm"] <= alpha]
    better = significant.loc[significant["difference"] < 0, "rival"].tolist()
    worse = significant.loc[significant["difference"] > 0, "rival"].tolist()
    above = f"{_joined(better)} {'is' if len(better) == 1 else 'are'}" if better else "No metric here is"
    below = _joined(worse) if worse else "none of them"
    return [
        f"{above} significantly better than {metric} at {level} level; {metric} is significantly better than "
        f"{below}."
    ]


def _of_pairs(metric, row) -> list[str]:
    if np.isnan(row["value"]):
        return []
    return [
        f"{metric} ranks {row['value']:.0f} % of the pairs of systems against people; its interval stands "
        f"for {row['low']:.0f} % to {row['high']:.0f} %."
    ]


def _joined(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
