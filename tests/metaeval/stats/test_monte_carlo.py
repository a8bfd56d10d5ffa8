"""Monte-Carlo errors against what repeating the whole calculation shows."""

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.monte_carlo import mean_error, quantile_error, share_error, share_interval


def test_share_by_hand():
    np.testing.assert_allclose(share_error([0.5, 1.0, 0.2], [100, 7, 400]), [0.05, 0, 0.02])
    assert np.isnan(share_error(np.nan, 0))


def test_mean_leaves_gaps_out():
    # 1, 2, 3: variance 1, so sqrt(1 / 3)
    np.testing.assert_allclose(
        mean_error(np.array([[1.0, 2, 3, np.nan], [5, np.nan, np.nan, np.nan]])), [3**-0.5, np.nan]
    )


def test_a_quantile_spreads_over_repeats_as_stated():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(300, 1000))
    stated = quantile_error(draws, 0.025)
    seen = np.quantile(draws, 0.025, axis=1).std()
    assert stated.mean() == pytest.approx(seen, rel=0.15)


def test_no_draw_has_no_error():
    assert np.isnan(quantile_error(np.full((2, 5), np.nan), 0.5)).all()


@pytest.mark.parametrize(("found", "n"), [(0, 1000), (1, 1000), (37, 200), (20, 20)])
def test_the_interval_of_a_share_is_the_exact_one(found, n):
    expected = stats.binomtest(found, n).proportion_ci(0.9, method="exact")
    assert share_interval(found / n, n, confidence_level=0.9) == pytest.approx([expected.low, expected.high])
