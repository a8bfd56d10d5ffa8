"""Ties that rounding errors break are ties again, whatever the values; other values stay as they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.errors import DataError
from helpers.stats.ties import double, equalised, system_means
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


@given(st.lists(st.integers(-999_999, 999_999), min_size=1, max_size=30), st.integers(-9, 3))
def test_short_floats_are_read_as_the_decimals_that_were_written(digits, exponent):
    written = np.array([float(f"{digit}e{exponent}") for digit in digits])
    np.testing.assert_array_equal(double("scores", written.astype(np.float32)), written)


@given(hnp.arrays(np.float32, 20, elements=st.floats(-1e6, 1e6, width=32)))
def test_reading_short_floats_loses_nothing(values):
    np.testing.assert_array_equal(double("scores", values).astype(np.float32), values)


def test_whole_numbers_truth_values_and_gaps_are_numbers():
    np.testing.assert_array_equal(double("scores", np.array([True, False])), [1.0, 0.0])
    np.testing.assert_array_equal(double("scores", np.array([1, 2], dtype=np.int8)), [1.0, 2.0])
    np.testing.assert_array_equal(double("scores", np.array([0.1, np.nan], dtype=np.float16)), [0.1, np.nan])


@pytest.mark.parametrize(
    ("values", "text"), [([1.0, np.inf], "1 infinite scores"), (["1"], "must hold numbers")]
)
def test_what_is_no_score_is_an_error(values, text):
    with pytest.raises(DataError, match=text):
        double("scores", np.array(values))
