"""Every rule over its whole range, on its borders, and where a number does not exist."""

import itertools
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
    ("p", "smallest", "word"),
    [
        (0.0, 0.0, "found"),
        (0.05, 0.0, "found"),
        (0.0500001, 0.0, "not found"),
        (1.0, 0.0, "not found"),
        (0.05, 0.05, "found"),
        (0.06, 0.06, "cannot"),
        (1.0, 0.2, "cannot"),
        (NAN, 0.2, wording.UNDECIDED),
    ],
)
def test_what_a_test_found(p, smallest, word):
    words = ("found", "not found", "cannot")
    assert wording.significance_words(p, smallest=smallest, words=words) == word


def test_every_p_value_has_a_word_and_the_words_change_once():
    found = [wording.significance_words(p) for p in np.linspace(0, 1, 101)]
    changes = sum(one != other for one, other in itertools.pairwise(found))
    assert changes == 1


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
        (NAN, 0.1, wording.UNDECIDED),
        (0.1, NAN, wording.UNDECIDED),
    ],
)
def test_where_an_interval_lies(low, high, word):
    assert wording.interval_position(low, high) == word
    assert wording.interval_position(low + 0.5, high + 0.5, at=0.5) == word


def test_a_swapped_interval_is_refused():
    with pytest.raises(ValueError, match=r"`low` must not be above its `high`, got 0\.2 and 0\.1"):
        wording.interval_position(0.2, 0.1)


def test_intervals_are_counted_by_the_side_that_they_lie_on():
    lows, highs = [0.1, 0.4, 0.6], [0.3, 0.6, 0.8]
    assert wording.count_positions(lows=lows, highs=highs, at=0.5) == {"below": 1, "around": 1, "above": 1}
    assert wording.count_positions(lows, highs, at=[0.0, 0.7, 0.7]) == {"below": 1, "around": 1, "above": 1}
    with pytest.raises(TypeError):  # lows, highs and a third number would be taken for an estimate's
        wording.count_positions(lows, highs, 0.5)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (2, 4, "raises the number"),
        (4, 2, "lowers the number"),
        (0, 0, "leaves the number as it is"),
        (NAN, 1, wording.UNDECIDED),
        (1, NAN, wording.UNDECIDED),
    ],
)
def test_whether_a_count_is_another(before, after, word):
    assert wording.describe_change(before, after) == word


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.5, 0.5, "narrow"),
        (0.5, 0.6, "narrow"),
        (0.5, 0.61, "fairly wide"),
        (0.5, 0.79, "fairly wide"),
        (0.5, 0.8, "wide"),
        (-1.0, 1.0, "wide"),
        (NAN, 0.8, wording.UNDECIDED),
    ],
)
def test_how_wide_an_interval_is(low, high, word):
    assert wording.width(low, high) == word


def test_shares_go_through_all_words_in_order():
    order = ["none", "few", "fewer than half", "half", "most", "nearly all", "all"]
    for total in (4, 10, 100):
        found = [wording.share(n, total) for n in range(total + 1)]
        assert found == sorted(found, key=order.index)
    assert {wording.share(n, 100) for n in range(101)} == set(order)


@pytest.mark.parametrize(
    ("n", "total", "word"),
    [
        (0, 0, "none"),
        (0, 1, "none"),
        (1, 1, "all"),
        (1, 2, "half"),
        (1, 3, "fewer than half"),
        (2, 3, "most"),
        (25, 100, "few"),
        (26, 100, "fewer than half"),
        (51, 100, "most"),
        (89, 100, "most"),
        (90, 100, "nearly all"),
        (99, 100, "nearly all"),
    ],
)
def test_borders_of_shares(n, total, word):
    assert wording.share(n, total) == word


def test_more_than_the_whole_is_refused():
    with pytest.raises(ValueError, match="from 0 to `total`, got 3 of 2"):
        wording.share(3, 2)


def test_leaders_share_the_lead_where_chance_does_not_tell_them_apart():
    values = {"A": 0.70, "B": 0.90, "C": 0.86}
    assert wording.leaders(values) == ["B"]
    # 0.04 apart; 3 * sqrt(0.01² + 0.01²) = 0.0424
    assert wording.leaders(values, dict.fromkeys(values, 0.01)) == ["B", "C"]
    assert wording.leaders(values, dict.fromkeys(values, 0.009)) == ["B"]


def test_leaders_of_equal_values_are_all():
    assert wording.leaders({"A": 0.5, "B": 0.5}) == ["A", "B"]


def test_leaders_are_those_nearest_to_a_target():
    values = {"both": 0.97, "systems": 0.82, "inputs": 0.64}
    assert wording.leaders(values, target=0.95) == ["both"]
    assert wording.leaders(values, target=0.0) == ["inputs"]
    # on both sides of it, equally far
    assert wording.leaders({"A": 0.75, "B": 0.25}, target=0.5) == ["A", "B"]


def test_what_does_not_exist_does_not_lead():
    assert wording.leaders({"A": NAN, "B": -0.1}) == ["B"]
    assert wording.leaders({"A": NAN}) == []
    assert wording.leaders({}) == []


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


@pytest.mark.parametrize(
    ("digits", "error", "shown"),
    [
        (2, 0.01, "0.53"), (2, 0.011, "0.5"), (3, 0.001, "0.527"), (3, 0.0011, "0.53"),
        (1, 0.1, "0.5"), (1, 0.11, "1"),
    ],
)  # fmt: skip
def test_the_last_digit_is_shown_where_another_seed_leaves_it(digits, error, shown):
    assert wording.format_stable(0.527, error, digits=digits) == shown
