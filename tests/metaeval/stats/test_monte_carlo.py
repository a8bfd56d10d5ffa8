"""Monte-Carlo errors against repetitions of the whole calculation, and trials in threads."""

from threading import get_ident

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.monte_carlo import map_threads, mean_error, quantile_error, share_error, share_interval


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
    observed = np.quantile(draws, 0.025, axis=1).std()
    assert stated.mean() == pytest.approx(observed, rel=0.15)


def test_no_draw_has_no_error():
    assert np.isnan(quantile_error(np.full((2, 5), np.nan), 0.5)).all()


@pytest.mark.parametrize(("count", "n"), [(0, 1000), (1, 1000), (37, 200), (20, 20)])
def test_the_interval_of_a_share_is_the_exact_one(count, n):
    expected = stats.binomtest(count, n).proportion_ci(0.9, method="exact")
    assert share_interval(count / n, n, confidence_level=0.9) == pytest.approx([expected.low, expected.high])


def test_one_thread_is_our_own_and_several_are_others():
    ours, n = get_ident(), 3
    assert map_threads(lambda _: get_ident(), range(n), n_threads=1) == [ours] * n
    assert ours not in map_threads(lambda _: get_ident(), range(n), n_threads=2)
    with pytest.raises(ValueError, match="`n_threads` must be at least 1, got 0"):
        map_threads(str, range(n), n_threads=0)


@pytest.mark.parametrize("n_threads", [1, 2, None])
def test_results_are_in_the_order_of_the_items(n_threads):
    assert map_threads(lambda i: i * i, range(5), n_threads=n_threads) == [0, 1, 4, 9, 16]
