"""experiments.normality: are scores normally distributed over systems?

For the notebook `normality`: what Fisher's interval and Williams' test suppose. Deutsch et al. 2021,
Appendix A and Table 2; the test is Shapiro and Wilk's (1965), of SciPy.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from helpers.benchmark import Benchmark
from helpers.experiments._several import of_several
from helpers.experiments.columns import check
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
def table(benchmark: Benchmark, *, alpha: float = 0.05) -> pd.DataFrame:
    """Normality tests of the gold standard and of every metric, at both levels.

    Parameters
    ----------
    benchmark : Benchmark, or several
    alpha : float in (0, 1)
        A document counts where its test gives p <= alpha.

    Returns
    -------
    DataFrame with columns dataset, level, metric, value, n_used, n_total
        At system level `value` is the p-value over the systems' means, at summary level the percentage of
        documents, of those in which the test exists, whose scores over systems are not normal. Units: systems
        and documents.

    Raises
    ------
    ValueError
        If `alpha` is out of range.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha}")
    planes = {benchmark.judgments[0]: benchmark.human}
    planes |= {metric: benchmark.metric(metric) for metric in benchmark.metrics}
    rows = [row for name, plane in planes.items() for row in _of_scores(name, plane.to_numpy(), alpha)]
    found = pd.DataFrame(rows, columns=["level", "metric", "value", "n_used", "n_total"])
    found.insert(0, "dataset", benchmark.name)
    return check(found, keys=["dataset", "level", "metric"])


def _of_scores(name: str, plane: np.ndarray, alpha: float) -> list[tuple]:
    """The rows of one metric at system and at summary level."""
    means = system_means(plane)
    pvalues = np.array([shapiro_wilk(column) for column in plane.T])
    defined = pvalues[~np.isnan(pvalues)]
    share = 100 * float((defined <= alpha).mean()) if len(defined) else np.nan
    return [
        ("system", name, shapiro_wilk(means), int((~np.isnan(means)).sum()), len(means)),
        ("summary", name, share, len(defined), len(pvalues)),
    ]
