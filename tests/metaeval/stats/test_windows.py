"""Windows of metric differences: against counting pairs one by one, and by hand."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.core.errors import UnknownNameError
from metaeval.stats.windows import (
    closed_windows,
    correlate_pairs,
    count_pairs,
    draw_windows,
    edges_at,
    pairs_up_to,
    window_sizes,
    windows_between,
)
from tests import oracles


def counted(metric, human, *windows):
    return count_pairs(np.array(metric, float), np.array(human, float), closed_windows(windows))


def test_a_window_counted_by_hand():
    # metric 0, 1, 3, 3; human 0, 2, 1, 1. Differences by pair (metric, human):
    # 01 (-1,-2) 02 (-3,-1) 03 (-3,-1) 12 (-2,+1) 13 (-2,+1) 23 (0,0)
    counts = counted([0, 1, 3, 3], [0, 2, 1, 1], (0, 2), (3, 9), (1, 1))
    assert counts.n_pairs.tolist() == [4, 2, 1]  # both ends belong to a window
    assert counts.n_concordant.tolist() == [1, 2, 1]
    assert counts.n_discordant.tolist() == [2, 0, 0]
    assert counts.n_tied_both.tolist() == [1, 0, 0]
    assert counts.tau[:2] == pytest.approx([(1 - 2) / 3, 1])
    assert counts.agreement[0] == pytest.approx(1.5 / 4)  # a tie counts half


def test_an_empty_window_and_one_in_which_a_side_ties_have_no_tau():
    counts = counted([0, 5, 9], [1, 2, 3], (6, 8))
    assert counts.n_pairs.tolist() == [0]
    assert np.isnan([counts.tau[0], counts.agreement[0]]).all()
    assert math.isnan(counted([0, 1, 2], [1, 1, 1], (0, 9)).tau[0])


@given(
    scores=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=3, max_size=9),
    bounds=st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted),
)
@settings(max_examples=100, deadline=None)
def test_equals_the_loop_over_pairs(scores, bounds):
    metric, human = zip(*scores, strict=True)
    counts = counted(metric, human, bounds)
    tau, n_pairs = oracles.window(metric, human, *bounds)
    np.testing.assert_allclose(counts.tau[0], tau, atol=1e-12)
    assert counts.n_pairs[0] == n_pairs


def test_all_windows_between_edges_equal_the_loop_over_pairs():
    metric, human = np.random.default_rng(1).normal(size=(2, 8))
    edges = edges_at(metric, human, n_windows=4)
    ordered = sorted(abs(metric[i] - metric[j]) for i in range(8) for j in range(i + 1, 8))
    assert edges == pytest.approx([0, *(ordered[k - 1] for k in (7, 14, 21, 28))])  # 28 pairs in four shares
    windows = windows_between(edges)
    counts = count_pairs(metric, human, windows)
    for k, (i, j) in enumerate(combinations(range(5), 2)):
        assert (windows.lower[k], windows.upper[k]) == (edges[i], edges[j])
        sliver = 1e-9  # wider than the edges, for rounding errors
        low, high = edges[i] + (sliver if i else 0), edges[j] + sliver
        tau, n_pairs = oracles.window(metric, human, low, high, lower_open=i > 0)
        assert counts.n_pairs[k] == n_pairs == 7 * (j - i)
        assert counts.tau[k] == pytest.approx(tau)


def test_all_pairs_give_kendalls_tau():
    metric, human = np.random.default_rng(9).integers(0, 9, (2, 12)).astype(float)
    counts = counted(metric, human, (0, math.inf))
    assert counts.n_pairs[0] == 66
    assert counts.tau[0] == pytest.approx(oracles.coefficient(metric, human, "kendall"))


def test_rounding_errors_do_not_move_a_pair_out_of_its_window():
    # 0.3 - 0.1 and 0.5 - 0.3 are both 0.2 on paper, 0.19999999999999998 and 0.2 in floating point
    assert counted([0.1, 0.3, 0.5], [1, 2, 3], (0.2, 0.2)).n_pairs[0] == 2


def test_ties_with_the_last_pair_of_a_share_are_taken_in():
    means = np.array([0.0, 1, 2, 3])
    edges = edges_at(means, means, n_windows=6)
    assert edges.tolist() == [0, 1, 1, 1, 2, 2, 3]
    assert counted(means, means, (0, edges[1])).n_pairs[0] == 3


def test_a_pair_on_a_border_counts_twice_only_if_asked():
    # means 0, 1, 3, 7: differences 1 2 3 4 6 7; two shares of three pairs, border at 3
    metric, human = np.array([0.0, 1, 3, 7]), np.arange(4.0)
    edges = edges_at(metric, human, n_windows=2)
    for borders, expected in (("once", [3, 6, 3]), ("twice", [3, 6, 4])):
        windows = windows_between(edges, borders=borders)
        assert count_pairs(metric, human, windows).n_pairs.tolist() == expected


def test_systems_without_a_mean_are_in_no_pair():
    metric, human = np.array([0.0, np.nan, 1, 3]), np.array([1.0, 2, 3, 4])
    assert count_pairs(metric, human, closed_windows([(0, 9)])).n_pairs[0] == 3
    assert edges_at(metric, human, n_windows=3).tolist() == [0, 1, 2, 3]


def test_leading_axes_are_counted_each_for_itself():
    metric, human = np.random.default_rng(2).normal(size=(2, 3, 5, 6))
    windows = closed_windows([(0, 1), (1, 2)])
    counts = count_pairs(metric, human, windows)
    assert counts.tau.shape == (3, 5, 2)
    alone = count_pairs(metric[1, 4], human[1, 4], windows)
    np.testing.assert_array_equal(counts.n_concordant[1, 4], alone.n_concordant)


def test_draws_equal_drawing_documents_one_draw_at_a_time():
    scores, human = np.random.default_rng(3).normal(size=(2, 8, 9))
    bounds = [(0, 0.4), (0.4, 2), (0, 9)]
    n = 4_000
    tau, agreement = draw_windows(
        scores, human, closed_windows(bounds), n_resamples=n, rng=np.random.default_rng(0)
    )
    assert tau.shape == agreement.shape == (n, 3)
    other = np.random.default_rng(1)
    loop = []
    for _ in range(600):
        picks = other.integers(9, size=9)
        x, z = scores[:, picks].mean(axis=1), human[:, picks].mean(axis=1)
        loop.append([oracles.window(x, z, *bound)[0] for bound in bounds])
    for k in range(3):
        ours, theirs = (values[~np.isnan(values)] for values in (tau[:, k], np.array(loop)[:, k]))
        error = math.hypot(ours.std() / math.sqrt(len(ours)), theirs.std() / math.sqrt(len(theirs)))
        assert abs(ours.mean() - theirs.mean()) < 4 * error
        assert ours.std() == pytest.approx(theirs.std(), rel=0.15)


def test_documents_that_nobody_judged_are_drawn_apart():
    # people's five documents are all alike, so nothing of theirs can vary; the metric's twelve can
    scores = np.random.default_rng(4).normal(size=(8, 12))
    human = np.where(np.arange(12) < 5, np.arange(8.0)[:, None], np.nan)
    tau, _ = draw_windows(
        scores, human, closed_windows([(0, 99)]), n_resamples=2_000, rng=np.random.default_rng(0)
    )
    other = np.random.default_rng(1)
    loop = []
    for _ in range(2_000):
        x = scores[:, other.integers(12, size=12)].mean(axis=1)
        loop.append(oracles.coefficient(x, np.arange(8.0), "kendall"))
    assert abs(tau.mean() - np.mean(loop)) < 4 * np.std(loop) * math.sqrt(2 / 2_000)
    assert tau.std() == pytest.approx(np.std(loop), rel=0.1)


def test_no_draws_give_empty_distributions():
    scores = np.random.default_rng(5).normal(size=(4, 3))
    tau, agreement = draw_windows(
        scores, scores, closed_windows([(0, 1)]), n_resamples=0, rng=np.random.default_rng(0)
    )
    assert tau.shape == agreement.shape == (0, 1)


@pytest.mark.parametrize(
    ("n_pairs", "n_windows", "sizes"),
    [
        (120, 10, [12, 24, 36, 48, 60, 72, 84, 96, 108, 120]),
        (276, 10, [28, 56, 84, 112, 140, 168, 196, 224, 252, 276]),
        (3, 3, [1, 2, 3]),
        # rounded-up shares would fill three of four windows, and seven of ten
        (5, 4, [2, 3, 4, 5]),
        (21, 10, [3, 5, 7, 9, 11, 13, 15, 17, 19, 21]),
    ],
)
def test_window_sizes(n_pairs, n_windows, sizes):
    assert window_sizes(n_pairs, n_windows) == sizes


def test_a_share_between_two_borders_is_rounded_up():
    # ten windows of 276 pairs hold 28 each: 15 % are 1.5 windows
    assert [pairs_up_to(p, 276, 10) for p in (0, 10, 15, 15.1, 98, 100)] == [0, 28, 42, 43, 275, 276]
    assert edges_at(np.array([0.0, 1, 3]), np.arange(3.0), n_windows=2, percents=[0, 50, 100]).tolist() == [
        0,
        2,
        3,
    ]


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_all_pairs_give_the_usual_coefficient(coefficient):
    rng = np.random.default_rng(10)
    metric, human = rng.integers(0, 9, (2, 12)).astype(float)
    metric[3] = np.nan
    (value,), _ = correlate_pairs(metric, human, closed_windows([(0, math.inf)]), coefficient=coefficient)
    there = ~np.isnan(metric)
    assert value == pytest.approx(oracles.coefficient(metric[there], human[there], coefficient))


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_metrics_of_any_scale_together_get_what_each_gets_alone(coefficient):
    rng = np.random.default_rng(10)
    human, metrics = rng.normal(size=5), rng.normal(size=(3, 5)) * np.array([[1], [1e-3], [100]])
    windows = closed_windows([(0, 1e-3), (0, math.inf)])
    together, _ = correlate_pairs(metrics, np.broadcast_to(human, (3, 5)), windows, coefficient=coefficient)
    alone = [correlate_pairs(metric, human, windows, coefficient=coefficient)[0] for metric in metrics]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_a_windows_coefficient_sums_over_its_pairs(coefficient):
    # metric 0, 1, 3, 7 (ranks 1 2 3 4), people 0, 4, 1, 2 (ranks 1 4 2 3). Differences of pairs at most 3 apart:
    # 01: metric 1, people 4, ranks 1 and 3; 02: 3, 1, ranks 2 and 1; 12: 2, -3, ranks 1 and -2
    products = {
        "pearson": (1 * 4 + 3 * 1 - 2 * 3) / math.sqrt((1 + 9 + 4) * (16 + 1 + 9)),
        "spearman": (1 * 3 + 2 * 1 - 1 * 2) / math.sqrt((1 + 4 + 1) * (9 + 1 + 4)),
        "kendall": (1 + 1 - 1) / 3,
    }
    means = np.array([0.0, 1, 3, 7]), np.array([0.0, 4, 1, 2])
    values, pairs = correlate_pairs(*means, closed_windows([(0, 3), (5, 5.5)]), coefficient=coefficient)
    assert pairs.n_pairs.tolist() == [3, 0]
    assert values[0] == pytest.approx(products[coefficient])
    assert math.isnan(values[1])


def test_no_coefficient_where_people_tie_on_all_pairs_of_a_window():
    means = np.array([0.0, 1, 1000.5]), np.array([1 / 3, 1 / 3, 0.9])
    # the other two pairs: metric 1000.5 and 999.5, ranks 2 and 1; people alike, ranks 1.5 and 1.5
    for coefficient, other in (
        ("pearson", 2000 / math.hypot(1000.5, 999.5) / math.sqrt(2)),
        ("spearman", 0.9**0.5),
    ):
        values, _ = correlate_pairs(*means, closed_windows([(0, 2), (2, 2000)]), coefficient=coefficient)
        assert math.isnan(values[0])
        assert values[1] == pytest.approx(other)


THREE = np.arange(3.0)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: closed_windows([(0, 1), (2, 1)]), ValueError, "0 <= lower <= upper, got '2 to 1'"),
        (lambda: closed_windows([(-1, 1)]), ValueError, "got '-1 to 1'"),
        (lambda: closed_windows([(math.nan, 1)]), ValueError, "got 'nan to 1'"),
        (lambda: closed_windows([]), ValueError, "at least one (lower, upper) pair"),
        (lambda: closed_windows(0.3), ValueError, "such as [[0, 0.5], [0.5, 1]]; got 0.3"),
        (lambda: closed_windows([0, 0.3]), ValueError, "(lower, upper) pair, such as [[0, 0.5], [0.5, 1]]"),
        (lambda: closed_windows([[0, 1], [2]]), ValueError, "got [[0, 1], [2]]"),
        (
            lambda: windows_between(THREE, borders="never"),
            UnknownNameError,
            "unknown borders 'never'; known: once, twice",
        ),
        (
            lambda: edges_at(np.array([1, np.nan, 3]), THREE, n_windows=1),
            ValueError,
            "at least 3 systems must have both means, got 2 of 3",
        ),
        (
            lambda: edges_at(THREE, THREE, n_windows=4),
            ValueError,
            "from 1 to the number of pairs (3), got 4",
        ),
        (lambda: window_sizes(3, 10), ValueError, "from 1 to the number of pairs (3), got 10"),
    ],
)
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
