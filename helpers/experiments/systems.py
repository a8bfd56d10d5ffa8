"""experiments.systems: how well metrics rank systems, or summaries of one document, as people do.

Benchmarks in, tidy tables out; called by the notebook `systems`, its live block, and pages that need the same
correlations. Bhandari et al. 2020, §4.1 (Exp-I, Figs. 1, 2 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.analysis.several import of_several
from metaeval.analysis.systems import GROUPS, WHOLE
from metaeval.stats.differences import compare_pairs
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words


def answer(changes: pd.DataFrame, benchmark: Benchmark, *, page: str) -> dict[str, str]:
    """A page's answer: the metrics' correlations among some systems and among all, and how sure a change is.

    Parameters
    ----------
    changes : DataFrame of `differences`
        By the first of its coefficients.
    benchmark : Benchmark
        That of `changes`.
    page : name of the notebook

    Returns
    -------
    dict
        ``PAGE-answer-short`` and ``PAGE-answer-sure``, and ``PAGE-answer-ends``, which metric each of the
        answer's ends belongs to; every word is chosen from the numbers.
    """
    coefficient = changes["coefficient"].iloc[0]
    first = changes[changes["coefficient"] == coefficient]
    n_systems = len(benchmark.group(WHOLE).systems)
    among, ends, told = [], [], []
    for key, rows in first.groupby([name for name in ("group", "k") if name in first], sort=False):
        values = rows.set_index(["quantity", "metric"])["value"].unstack("quantity")
        change = rows[rows["quantity"] == "difference"].dropna(subset="value")
        kind = words("group", key[0]) if len(key) == 1 else "best"
        which = f"{rows['n_used'].iloc[0]} {kind}"
        among.append(f"{wording.extent(values['part'])} among the {which} systems")
        ends.append(f"{_ends(values['part'])} among the {which} systems")
        where = wording.sides(change["low"], change["high"], digits=2)
        off = f"{where['below'] + where['above']} of {len(change)}"
        of = "" if told else " Boot-Both intervals leave out 0"
        told.append(
            f"{wording.extent(change['value'])} ({kind if len(key) == 1 else f'the {which}'}; {off}{of})"
        )
    among.append(f"{wording.extent(values['part'] - values['difference'])} among all {n_systems}")
    ends.append(f"{_ends(values['part'] - values['difference'])} among all {n_systems}")
    return {
        f"{page}-answer-short": (
            f"On {words('data', benchmark.name)} the metrics' {words('coefficient', coefficient)} with "
            f"people ranges from {wording.joined(among)}."
        ),
        f"{page}-answer-sure": f"Changes from all {n_systems} systems: {wording.joined(told)}.",
        f"{page}-answer-ends": f"The lowest and the highest metric: {'; '.join(ends)}.",
    }


def _ends(values: pd.Series) -> str:
    """The metrics of the least and the greatest value."""
    return f"{values.idxmin()} and {values.idxmax()}"


@of_several
def comparisons(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    coefficients: Sequence[str] = ("pearson",),
) -> pd.DataFrame:
    """One-sided Williams' tests at system level: does one metric correlate better with people than another?

    Parameters
    ----------
    benchmark : Benchmark, or several
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
        The test was made for Pearson's.

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient and ordered pair of metrics
        Columns: dataset, group, coefficient, method ("Williams"), metric, rival, value (the metric's
        correlation minus its rival's), statistic (Williams' *t*), pvalue (of the metric being no better;
        above 0.5 where its correlation is the lower one), n_used, n_total (summaries; two metrics are
        compared on those that both of them and people score), n_systems. Correlations keep their signs: a
        metric that ranks upside down does not win.
    """
    frames = []
    for part in benchmark.parts(groups=groups):
        names = np.array(part.benchmark.metrics, dtype=object)
        pairs = np.argwhere(~np.eye(len(names), dtype=bool))
        for coefficient in coefficients:
            tests = compare_pairs(
                part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), pairs, level="system",
                coefficient=coefficient, method="Williams", alternative="greater",
            )  # fmt: skip
            frames.append(
                pd.DataFrame(
                    {
                        **part.keys,
                        "coefficient": coefficient,
                        "method": tests.method,
                        "metric": names[pairs[:, 0]],
                        "rival": names[pairs[:, 1]],
                        "value": tests.difference,
                        "statistic": tests.statistic,
                        "pvalue": tests.pvalue,
                        "n_used": tests.n_used,
                        "n_total": tests.n_total,
                        "n_systems": len(part.benchmark.systems),
                    }
                )
            )
    keys = ["dataset", "group", "coefficient", "metric", "rival"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["value", "pvalue"])


def quoted(results: pd.DataFrame, *, metric: str = "ROUGE-2 recall") -> dict[str, float | None]:
    """Numbers that the page quotes: a metric's Pearson correlation at system level on each group.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset
    metric : str

    Returns
    -------
    mapping, group -> float, or None without the metric or the group
    """
    rows = results[
        (results["metric"] == metric) & (results["level"] == "system") & (results["coefficient"] == "pearson")
    ].set_index("group")["value"]
    return {group: rows.get(group) for group in GROUPS}
