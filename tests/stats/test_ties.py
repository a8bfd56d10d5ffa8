"""Ties that rounding errors break are ties again, whatever the values; other values stay as they are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.stats.correlation import system_means
from helpers.stats.ties import equalised
from tests import oracles

few_values = hnp.arrays(float, st.integers(1, 12), elements=st.sampled_from([0.0, 0.4, 1.0, 1.3, np.nan]))


@given(few_values, st.integers(0, 10**6))
def test_equals_going_through_the_values_in_order(values, seed):
    noisy = values + np.random.default_rng(seed).uniform(-1, 1, values.shape) * 1e-13
    np.testing.assert_array_equal(equalised(noisy, 1e-12), oracles.tied(noisy, 1e-12))
    for a in set(values[~np.isnan(values)]):
        assert len(set(equalised(noisy, 1e-12)[values == a])) == 1


def test_rows_have_tolerances_of_their_own():
    values = np.array([[1.0, 2.0, 2.5], [1.0, 2.0, 2.5]])
    found = equalised(values, np.array([[0.6], [1.0]]))
    np.testing.assert_array_equal(found, [[1.0, 2.0, 2.0], [1.0, 1.0, 1.0]])


@given(st.integers(0, 10**6))
def test_means_do_not_depend_on_the_order_of_the_documents(seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (3, 40)).sum(axis=0) / 3 * rng.lognormal()
    scores = np.stack([rng.permutation(ratings) for _ in range(6)])
    assert len(set(system_means(scores))) == 1


def test_means_that_are_zero_on_paper_are_equal():
    scores = np.array([[0.1, 0.2, -0.3], [-0.3, 0.1, 0.2], [0.3, -0.2, -0.1]])
    assert len(set(scores.sum(axis=1))) > 1
    assert len(set(system_means(scores))) == 1
