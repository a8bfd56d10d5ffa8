"""Formulas, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.core.errors import DataError
from metaeval.metrics.pyramid.scores import best_possible, lite_pyramid, pyramid_score, score_table


def test_pyramid_by_hand():
    # weights 4 3 3 2 1; present: 3, 2, 1. Best of three: 4 + 3 + 3
    assert pyramid_score([0, 1, 0, 1, 1], [4, 3, 3, 2, 1]) == pytest.approx(6 / 10)
    # as a recall against a reference of four units: 4 + 3 + 3 + 2
    assert pyramid_score([0, 1, 0, 1, 1], [4, 3, 3, 2, 1], n_units=4) == pytest.approx(6 / 12)


def test_nothing_present_is_nought_of_nought():
    assert math.isnan(pyramid_score([0, 0], [1, 2]))
    assert pyramid_score([0, 0], [1, 2], n_units=1) == 0


def test_best_possible_takes_the_heaviest():
    assert [best_possible([1, 3, 2], k) for k in range(4)] == [0, 3, 5, 6]


def test_weights_are_repetitions():
    assert lite_pyramid([1, 0.5], [3, 1]) == pytest.approx(lite_pyramid([1, 1, 1, 0.5]))


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 4)), min_size=1, max_size=9))
def test_pyramid_never_exceeds_one_which_the_heaviest_reach(units):
    present, weights = zip(*units, strict=True)
    score = pyramid_score(np.array(present, float), weights)
    assert math.isnan(score) or 0 < score <= 1 + 1e-12
    ordered = sorted(weights, reverse=True)
    k = sum(present)
    if k:
        assert pyramid_score([1] * k + [0] * (len(ordered) - k), ordered) == pytest.approx(1)


def test_table():
    presence = {("a", "x"): np.array([1, 0]), ("a", "y"): np.array([1]), ("b", "x"): np.array([0.5, 1])}
    table = score_table(presence, {"x": ("u", "v"), "y": ("w",)}, weights={"x": [1, 3], "y": [1]})
    assert table.sel(system="a").values.tolist() == [0.25, 1]
    assert table.sel(system="b", document="x") == 0.875
    assert math.isnan(table.sel(system="b", document="y"))


UNITS = {"x": ("u", "v")}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: score_table({("a", "x"): [1]}, UNITS), "a / x: 2 units, but 1 presence values"),
        (lambda: score_table({("a", "x"): [1, 2]}, UNITS), "a / x: presence must be in [0, 1], got 2"),
        (
            lambda: score_table({("a", "x"): [1, math.nan]}, UNITS),
            "a / x: presence must be in [0, 1], got nan",
        ),
        (lambda: score_table({("a", "z"): [1]}, UNITS), "documents without units: 'z'"),
        (lambda: score_table({}, {"x": ()}), "must have at least one unit; without any: 'x' (1 of 1)"),
        (lambda: score_table({}, {"x": ("u", " ")}), "an empty unit in 'x'"),
        (lambda: pyramid_score([1, 0.5], [1, 1]), "must be 0 (absent) or 1 (present), got 0.5"),
        (lambda: pyramid_score([1], [1, 1]), "as many labels as weights, got 1 and 2"),
        (lambda: pyramid_score([1], [0]), "weights must be positive, got 0"),
        (lambda: lite_pyramid([]), "at least one unit"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(DataError) as caught:
        call()
    assert text in str(caught.value)


def test_too_many_units_for_the_best_score():
    with pytest.raises(ValueError, match=r"from 0 to the number of units \(2\), got 3"):
        best_possible([1, 2], 3)
