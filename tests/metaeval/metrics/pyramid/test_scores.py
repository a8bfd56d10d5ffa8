"""Formulas, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.core.errors import DataError
from metaeval.metrics.pyramid.scores import lite_pyramid, pyramid_score, score_table


def test_pyramid_by_hand():
    # weights 4 3 3 2 1; present: 3, 2, 1. Best of three: 4 + 3 + 3
    assert pyramid_score([0, 1, 0, 1, 1], [4, 3, 3, 2, 1]) == pytest.approx(6 / 10)
    # as a recall against a reference of four units: 4 + 3 + 3 + 2
    assert pyramid_score([0, 1, 0, 1, 1], [4, 3, 3, 2, 1], n_units=4) == pytest.approx(6 / 12)


def test_nothing_present_is_nought_of_nought():
    assert math.isnan(pyramid_score([0, 0], [1, 2]))
    assert pyramid_score([0, 0], [1, 2], n_units=1) == 0


def test_the_best_summary_has_the_heaviest_units():
    assert [pyramid_score([1, 0, 0], [1, 3, 2], n_units=k) for k in range(1, 4)] == [1 / 3, 1 / 5, 1 / 6]


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
    weights = {"x": [1, 3], "y": [1]}
    table = score_table(presence, weights=weights, systems=["a", "b"], documents=["x", "y"])
    assert table.sel(system="a").values.tolist() == [0.25, 1]
    assert table.sel(system="b", document="x") == 0.875
    assert math.isnan(table.sel(system="b", document="y"))


def table(present, **kind):
    return score_table({("a", "x"): present}, systems=["a"], documents=["x"], **kind)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: table([1], weights={"x": [1, 2]}),
            "a / x: presence and weights must be one number per unit",
        ),
        (lambda: table([1, 2]), "a / x: presence must be in [0, 1], got 2"),
        (lambda: table([1, math.nan]), "a / x: presence must be in [0, 1], got nan"),
        (lambda: table([]), "a / x: a reference must have at least one unit"),
        (lambda: pyramid_score([1, 0.5], [1, 1]), "must be 0 (absent) or 1 (present), got 0.5"),
        (lambda: pyramid_score([1], [1, 1]), "got arrays of shapes (1,) and (2,)"),
        (lambda: pyramid_score([1], [0]), "weights must be positive, got 0"),
        (lambda: lite_pyramid([]), "at least one unit"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(DataError) as caught:
        call()
    assert text in str(caught.value)


def test_too_many_units_for_the_best_score():
    with pytest.raises(ValueError, match="`n_units` must be at most 2, got 3"):
        pyramid_score([1, 0], [1, 2], n_units=3)
