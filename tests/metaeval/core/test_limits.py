"""What is a count, a share, a rate, and the borders between which it lies."""

import numpy as np
import pytest

from metaeval.core.limits import (
    check_alpha,
    check_confidence_level,
    check_count,
    check_interval_draws,
    check_members,
    check_rate,
    check_share,
    check_spread,
    check_test_draws,
)


@pytest.mark.parametrize("check", [check_alpha, check_confidence_level])
@pytest.mark.parametrize("value", [0, 1, -0.1, 1.1, float("nan")])
def test_a_level_lies_between_0_and_1(check, value):
    with pytest.raises(ValueError, match=r"must be in \(0, 1\), got"):
        check(value)
    check(0.5)


@pytest.mark.parametrize(("value", "hint"), [(95, True), (1.5, True), (100, False), (1, False), (-5, False)])
def test_a_level_in_percent_is_guessed(value, hint):
    with pytest.raises(ValueError, match="got") as error:
        check_share("x", value)
    assert (f"did you mean {value / 100:g}?" in str(error.value)) == hint


def test_a_rate_may_be_0_or_1():
    for value in (0, 0.5, 1):
        check_rate("x", value)
    for value in (-0.01, 1.01):
        with pytest.raises(ValueError, match=rf"`x` must be in \[0, 1\], got {value}"):
            check_rate("x", value)


def test_a_list_of_members_has_some_and_each_once():
    check_members("x", ["a", "b"])
    with pytest.raises(ValueError, match="`x` is empty: name at least one"):
        check_members("x", [])
    with pytest.raises(ValueError, match="`x` holds 'a' twice"):
        check_members("x", ["a", "b", "a"])


def test_one_draw_has_no_spread():
    check_spread("n", 2)
    with pytest.raises(ValueError, match="`n` must be at least 2, to have a spread, got 1"):
        check_spread("n", 1)


@pytest.mark.parametrize(("alpha", "least"), [(0.05, 19), (0.01, 99), (0.3, 3)])
def test_a_test_has_as_many_draws_as_its_smallest_p_value_needs(alpha, least):
    assert 1 / (least + 1) <= alpha < 1 / least
    check_test_draws(least, alpha)
    with pytest.raises(ValueError, match=f"at least {least}, for a test at {alpha}, got {least - 1}"):
        check_test_draws(least - 1, alpha)


@pytest.mark.parametrize(
    ("n", "words"),
    [(2.0, "a whole number, got 2.0"), (1, "at least 2, got 1"), (1001, "at most 1,000, got 1,001")],
)
def test_a_count_has_bounds_that_belong_to_it(n, words):
    for inside in (2, np.int64(1000)):
        check_count("n", inside, minimum=2, maximum=1000)
    with pytest.raises(ValueError, match=f"`n` must be {words}"):
        check_count("n", n, minimum=2, maximum=1000)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        check_count("n", 0)


@pytest.mark.parametrize(("level", "least"), [(0.9, 19), (0.94, 33), (0.95, 39), (0.97, 66), (0.99, 199)])
def test_each_tail_of_an_interval_holds_a_draw(level, least):
    check_interval_draws(least, level)
    with pytest.raises(ValueError, match=f"must be at least {least}"):
        check_interval_draws(least - 1, level)
