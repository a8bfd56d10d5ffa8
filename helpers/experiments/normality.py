"""Are scores normally distributed over systems? (Deutsch et al. 2021, Appendix A.)"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from helpers.benchmark import Benchmark
from helpers.experiments._several import of_several
from helpers.stats.correlation import MIN_SYSTEMS, system_means


def shapiro_wilk(values: np.ndarray) -> float:
    """p-value of the Shapiro-Wilk test; NaN for fewer than three values or values that are all the same.

    Parameters
    ----------
    values : float array (n,); NaN are left out
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    if len(values) < MIN_SYSTEMS or values.min() == values.max():
        return np.nan
    return float(stats.shapiro(values).pvalue)


@of_several
def normality_table(benchmark: Benchmark, *, alpha: float = 0.05) -> pd.DataFrame:
    """Normality tests of the gold standard and of every metric, at both levels.

    Parameters
    ----------
    benchmark : Benchmark
    alpha : float
        A document counts where its test gives p <= alpha.

    Returns
    -------
    DataFrame with columns dataset, level, metric, value, n_used, n_total
        At system level `value` is the p-value over the systems' means, at summary level the percentage of
        documents, of those in which the test exists, whose scores over systems are not normal. Units: systems
        and documents.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha}")
    planes = {benchmark.judgments[0]: benchmark.human.to_numpy()}
    planes |= {name: benchmark.metric(name).to_numpy() for name in benchmark.metrics}
    rows = []
    for name, plane in planes.items():
        means = system_means(plane)
        pvalues = np.array([shapiro_wilk(column) for column in plane.T])
        defined = pvalues[~np.isnan(pvalues)]
        shared = {"dataset": benchmark.name, "metric": name}
        rows.append(
            shared
            | {
                "level": "system",
                "value": shapiro_wilk(means),
                "n_used": int((~np.isnan(means)).sum()),
                "n_total": len(means),
            }
        )
        rows.append(
            shared
            | {
                "level": "summary",
                "value": 100 * float((defined <= alpha).mean()) if len(defined) else np.nan,
                "n_used": len(defined),
                "n_total": len(pvalues),
            }
        )
    return pd.DataFrame(rows)[["dataset", "level", "metric", "value", "n_used", "n_total"]]
