import numpy as np
import pytest
from scipy import stats

from helpers.experiments.normality import shapiro_wilk, table
from tests.builders import benchmark


def test_table_against_scipy_one_by_one():
    rng = np.random.default_rng(0)
    human, skewed = rng.normal(size=(12, 9)), rng.lognormal(sigma=1.5, size=(12, 9))
    human[:, 0] = 1.0  # a document on which all agree has no test
    human[0, 1] = np.nan
    found = table(benchmark(human, {"skewed": skewed})).set_index(["metric", "level"])
    assert found.loc[("skewed", "system"), "value"] == pytest.approx(
        stats.shapiro(skewed.mean(axis=1)).pvalue
    )
    shares = np.mean([stats.shapiro(skewed[:, j]).pvalue <= 0.05 for j in range(9)])
    assert found.loc[("skewed", "summary"), "value"] == pytest.approx(100 * shares)
    assert found.loc[("human", "summary"), ["n_used", "n_total"]].tolist() == [8, 9]
    pvalues = [stats.shapiro(column[~np.isnan(column)]).pvalue for column in human.T[1:]]
    assert found.loc[("human", "summary"), "value"] == pytest.approx(100 * np.mean(np.array(pvalues) <= 0.05))


def test_what_has_no_test():
    assert np.isnan(shapiro_wilk([1, 1, 1, 1]))
    assert np.isnan(shapiro_wilk([1, 2, np.nan]))


def test_alpha_out_of_range():
    with pytest.raises(ValueError, match=r"`alpha` must be in \(0, 1\), got 5"):
        table(benchmark(np.eye(4), {"m": np.eye(4)}), alpha=5)
