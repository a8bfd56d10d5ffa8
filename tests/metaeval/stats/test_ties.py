"""Ties that rounding errors break are ties again, whatever the values; other values stay as they are."""

import ast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.stats.ties import double, equal_on_paper, equalised, prints_as, system_means
from tests import oracles

few_values = hnp.arrays(float, st.integers(1, 12), elements=st.sampled_from([0.0, 0.4, 1.0, 1.3, np.nan]))


@settings(deadline=None)
@given(few_values, st.integers(0, 10**6))
def test_equals_going_through_the_values_in_order(values, seed):
    noisy = values + np.random.default_rng(seed).uniform(-1, 1, values.shape) * 1e-13
    np.testing.assert_array_equal(equalised(noisy, 1e-12), oracles.tied(noisy, 1e-12))
    for a in set(values[~np.isnan(values)]):
        assert len(set(equalised(noisy, 1e-12)[values == a])) == 1


def test_rows_have_tolerances_of_their_own():
    values = np.array([[1.0, 2.0, 2.5], [1.0, 2.0, 2.5]])
    equal = equalised(values, np.array([[0.6], [1.0]]))
    np.testing.assert_array_equal(equal, [[1.0, 2.0, 2.0], [1.0, 1.0, 1.0]])


@settings(deadline=None)
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


@settings(deadline=None)
@given(st.lists(st.integers(-999_999, 999_999), min_size=1, max_size=30), st.integers(-9, 3))
def test_short_floats_are_read_as_the_decimals_that_were_written(digits, exponent):
    written = np.array([float(f"{digit}e{exponent}") for digit in digits])
    np.testing.assert_array_equal(double("scores", written.astype(np.float32)), written)


@settings(deadline=None)
@given(hnp.arrays(np.float32, 20, elements=st.floats(-1e6, 1e6, width=32)))
def test_reading_short_floats_loses_nothing(values):
    np.testing.assert_array_equal(double("scores", values).astype(np.float32), values)


def test_whole_numbers_truth_values_and_gaps_are_numbers():
    np.testing.assert_array_equal(double("scores", np.array([True, False])), [1.0, 0.0])
    np.testing.assert_array_equal(double("scores", np.array([1, 2], dtype=np.int8)), [1.0, 2.0])
    np.testing.assert_array_equal(double("scores", np.array([0.1, np.nan], dtype=np.float16)), [0.1, np.nan])


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1.0, np.inf], "1 infinite scores"),
        (
            [1.0, -1e301, 1e301],
            r"2 scores beyond 1e\+300, whose sums are out of range; give them in a larger unit",
        ),
        (["1"], "must hold numbers"),
    ],
)
def test_what_is_no_score_is_an_error(values, text):
    with pytest.raises(DataError, match=text):
        double("scores", np.array(values))


def test_scores_of_two_releases_are_equal_on_paper():
    ours, theirs = np.array([0.1 + 0.2, 0.3, np.nan, np.nan]), np.array([0.3, 0.3001, np.nan, 0.3])
    assert ours[0] != theirs[0]
    assert equal_on_paper(ours, theirs).tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    ("value", "printed", "expected"),
    [
        (0.01 + 0.075, ".09", True),  # 0.08499999999999999: on paper a half, which is rounded up or down
        (0.01 + 0.075, ".08", True),
        (0.01 + 0.075, ".10", False),
        (0.01 + 0.0751, ".08", False),
        (-0.01 - 0.075, "-0.09", True),
        (0.1 + 0.2, "0.3000000000000000", True),  # 0.30000000000000004
        (0.1 + 0.2, "0.3000000000100000", False),
        (0.3, "0.3000000000008", True),  # by less than 1 in the twelfth digit
        (0.3, "0.3000000000012", False),
        (1234.5, "1235", True),
        (np.nan, "0", False),
    ],
)
def test_a_number_is_compared_at_the_digits_that_are_printed(value, printed, expected):
    assert prints_as(value, printed) is expected


def test_a_row_of_a_table_with_names_in_it_is_numbers():
    row = np.array([0.5, None, np.float32(0.1), 2], dtype=object)
    np.testing.assert_array_equal(double("row", row), [0.5, np.nan, np.float32(0.1), 2])
    with pytest.raises(DataError, match="`row` must hold numbers"):
        double("row", np.array([0.5, "a"], dtype=object))


def tolerances(path):
    """FILE:LINE of every small number and every comparison with a tolerance of its own in a module."""
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        small = isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < 1e-4
        if small or (isinstance(node, ast.Attribute) and node.attr in {"isclose", "allclose"}):
            yield f"{name}:{node.lineno}"


def test_every_tolerance_of_the_engine_and_of_tables_stands_in_ties():
    rooms = ("metaeval/stats", "metaeval/analysis", "helpers/experiments", "helpers/kit")
    drawn = ROOT / "helpers/kit/theme.py"  # where ticks stand
    modules = {path for room in rooms for path in (ROOT / room).glob("*.py")} - {drawn}
    lines = {line for path in modules for line in tolerances(path)}
    ours = {line for line in lines if line.startswith("metaeval/stats/ties.py:")}
    assert len(ours) >= 6
    assert not lines - ours
