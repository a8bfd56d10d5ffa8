"""Every rule over its whole range, on its borders, and where a number does not exist."""

import math

import numpy as np
import pytest

from metaeval.tables import wording

NAN = math.nan


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0, "< 0.001"),
        (0.0005, "< 0.001"),  # the least of 1,999 draws
        (math.nextafter(0.001, 0), "< 0.001"),
        (0.001, "0.001"),
        (0.05, "0.050"),
        (1.0, "1.000"),
        (NAN, "–"),
    ],
)
def test_a_p_value_is_written_with_three_digits(p, shown):
    assert wording.pvalue(p) == shown


def test_a_named_p_value_has_the_sign_that_belongs_to_it():
    assert wording.pvalue(0.02, name="p") == "p = 0.020"
    assert wording.pvalue(0.0001, name="p") == "p < 0.001"
    assert wording.pvalue(NAN, name="p") == "p = –"


def test_no_p_value_is_written_as_zero():
    written = {wording.pvalue(p) for p in np.linspace(0, 0.01, 2001)}
    assert "0.000" not in written
    assert "< 0.001" in written


def test_a_p_value_that_could_not_have_been_lower_says_so():
    # 1,999 draws give at least 1/2000, 101 tests of them 0.0505; 100 tests just reach 0.05
    assert wording.pvalue(0.0505, smallest=101 / 2000) == "0.051 (cannot reach 0.05)"
    assert wording.pvalue(0.05, smallest=100 / 2000) == "0.050"
    assert wording.pvalue(NAN, smallest=1) == "–"


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 0.2, "above"),
        (-0.2, -0.1, "below"),
        (-0.1, 0.1, "not apart from"),
        (0.0, 0.1, "not apart from"),
        (-0.1, 0.0, "not apart from"),
        (1e-12, 0.1, "not apart from"),  # above 0 by a rounding error
        (0.0, 0.0, "not apart from"),
        (NAN, 0.1, "not apart from"),
        (0.1, NAN, "not apart from"),
    ],
)
def test_where_an_interval_lies(low, high, word):
    middle = (low + high) / 2
    assert wording.decide_position(middle, low, high) == word
    assert wording.decide_position(middle + 0.5, low + 0.5, high + 0.5, at=0.5) == word


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.5, 0.4, 0.6, "0.50 [0.40, 0.60]"),
        (0.5, 0.5, 0.5, "0.50 [0.50, 0.50]"),
        (0.7, 0.4, 0.6, "0.70 [0.40, 0.60, which leaves the estimate out]"),
        (0.3, 0.4, 0.6, "0.30 [0.40, 0.60, which leaves the estimate out]"),
        (0.5, NAN, NAN, "0.50 [no interval]"),
        (NAN, 0.4, 0.6, "–"),
    ],
)
def test_an_estimate_with_its_interval(value, low, high, shown):
    assert wording.with_interval(value, low, high) == shown


def test_a_share_that_is_not_an_end_is_never_written_as_one():
    assert [wording.percent(x) for x in (0.0, 0.004, 0.006, 0.994, 0.996, 1.0)] == [
        "0 %", "almost 0 %", "1 %", "99 %", "almost 100 %", "100 %"
    ]  # fmt: skip
    assert [wording.percent(x, None) for x in (1e-9, 0.07, 0.12345, 0.999999, 1 - 1e-9)] == [
        "almost 0 %", "7 %", "12.345 %", "99.9999 %", "almost 100 %"
    ]  # fmt: skip
    assert wording.percent(NAN) == "–"


def test_a_number_that_is_not_zero_is_never_written_as_zero():
    assert [wording.number(x, 3) for x in (0.0004, -0.0004, 0.0005, 0.0, -1e-12, float("nan"))] == [
        "< 0.001",
        "> -0.001",
        "0.001",
        "0.000",
        "> -0.001",
        "–",
    ]


@pytest.mark.parametrize(("error", "shown"), [(0.01, "0.53"), (0.011, "0.5")])
def test_the_last_digit_is_shown_where_another_seed_leaves_it(error, shown):
    assert wording.format_stable(0.527, error) == shown
