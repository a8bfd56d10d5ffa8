"""Windows of metric differences with intervals, against counting pairs one by one."""

import dataclasses
import math

import numpy as np
import pytest

from helpers.errors import DataError, UnknownNameError
from helpers.experiments.closest import margin_correlation, margin_table
from helpers.experiments.margins import (
    border_effect,
    closed_windows,
    facts,
    gain_curve,
    in_points,
    margin_grid,
    window_edges,
    window_intervals,
)
from tests import oracles
from tests.builders import benchmark, with_gaps


def made(seed=0, n_systems=8, n_documents=12, *, scale=100.0, whole=False):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, n_documents))
    score = human + rng.normal(size=human.shape)
    if whole:
        human = np.where(np.arange(n_documents) < 5, human, np.nan)
    result = benchmark(human, {"a": score, "b": -score + rng.normal(size=score.shape)})
    return dataclasses.replace(result, scale={"a": scale, "b": scale})


def by_hand(metric, human, lower, upper, *, lower_open):
    """tau-b and number of pairs, by a double loop."""
    pairs = []
    for i in range(len(metric)):
        for j in range(i + 1, len(metric)):
            distance = abs(metric[i] - metric[j])
            inside = lower < distance if lower_open else lower <= distance
            if inside and distance <= upper:
                pairs.append((metric[i] - metric[j], human[i] - human[j]))
    return oracles.tau_b_of_pairs(pairs), len(pairs)


def test_every_cell_equals_counting_its_pairs():
    data = made(1)
    grid = margin_grid(data, n_windows=4, n_resamples=3, rng=0)
    metric = data.metric("a").mean("document").to_numpy()
    human = data.human.mean("document").to_numpy()
    ordered = sorted(abs(metric[i] - metric[j]) for i in range(8) for j in range(i + 1, 8))
    edges = [0, *(ordered[k - 1] for k in (7, 14, 21, 28))]  # 28 pairs in four shares of seven
    rows = grid[grid["metric"] == "a"].to_dict("records")
    assert len(rows) == 10
    for row in rows:
        i, j = round(row["from_percent"] / 25), round(row["to_percent"] / 25)
        assert row["n_pairs"] == 7 * (j - i)
        # a sliver wider than the edges, for rounding errors
        tau, n_pairs = by_hand(metric, human, edges[i] + 1e-9 * (i > 0), edges[j] + 1e-9, lower_open=i > 0)
        assert n_pairs == row["n_pairs"]
        assert row["value"] == pytest.approx(tau)


def test_the_first_row_is_the_curve_of_closest_pairs():
    data = made(2)
    grid = margin_grid(data, n_windows=5, n_resamples=2, rng=0)
    first = grid[grid["from_percent"] == 0].sort_values(["metric", "to_percent"])
    curve = margin_table(data, n_windows=5).sort_values(["metric", "percent"])
    np.testing.assert_allclose(first["value"], curve["value"])
    np.testing.assert_array_equal(first["n_pairs"], curve["n_pairs"])


def test_a_pair_on_the_border_counts_twice_only_if_asked():
    # means 0, 1, 3, 7: differences 1 2 3 4 6 7; two shares of three pairs, border at 3
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    for borders, expected in (("once", [3, 6, 3]), ("twice", [3, 6, 4])):
        grid = margin_grid(data, n_windows=2, borders=borders, n_resamples=1, rng=0)
        assert grid["n_pairs"].tolist() == expected
    effect = border_effect(data, n_windows=2).set_index("row")
    assert effect.loc["first", "extra_pairs"] == 0
    assert effect.loc["others", "extra_pairs"] == 1


def test_intervals_equal_drawing_documents_one_draw_at_a_time():
    data = made(3, n_documents=9)
    n_resamples, seed = 40, 11
    windows = closed_windows([(0, 0.4), (0.4, 2), (0, 9)])
    found = window_intervals(data, "a", windows, n_resamples=n_resamples, confidence_level=0.8, rng=seed)
    picks = np.random.default_rng(seed).integers(9, size=(n_resamples, 9))
    x, z = data.metric("a").to_numpy(), data.human.to_numpy()
    for k, (lower, upper) in enumerate([(0, 0.4), (0.4, 2), (0, 9)]):
        taus = [
            margin_correlation(x[:, d].mean(axis=1), z[:, d].mean(axis=1), lower=lower, upper=upper).value
            for d in picks
        ]
        defined = [tau for tau in taus if not math.isnan(tau)]
        row = found.iloc[k]
        assert row["n_undefined"] == n_resamples - len(defined)
        np.testing.assert_allclose([row["low"], row["high"]], np.quantile(defined, [0.1, 0.9]), atol=1e-12)


def test_documents_that_nobody_judged_are_drawn_apart():
    data = made(4, whole=True)
    # people's five documents are all alike, so nothing of theirs can vary; the metric's can
    human = data.humans.copy(data=np.where(np.isnan(data.humans), np.nan, np.arange(8.0)[:, None]))
    data = dataclasses.replace(data, humans=human)
    found = window_intervals(
        data, "a", closed_windows([(0, 99)]), n_resamples=60, confidence_level=0.9, rng=0
    ).iloc[0]
    x = data.metric("a").to_numpy()
    generator = np.random.default_rng(0)
    picks = generator.integers(12, size=(60, 12))  # all twelve documents, not the five judged ones
    taus = [oracles.coefficient(x[:, d].mean(axis=1), np.arange(8.0), "kendall") for d in picks]
    np.testing.assert_allclose([found["low"], found["high"]], np.quantile(taus, [0.05, 0.95]))


def test_agreement_counts_a_tie_half():
    # differences (metric, human): 01 (-1, 0), 02 (-2, -1), 12 (-1, -1): one human tie, two concordant
    data = benchmark(np.array([[1.0], [1], [2]]), {"m": np.array([[0.0], [1], [2]])})
    row = window_intervals(
        data, "m", closed_windows([(0, 2)]), n_resamples=1, confidence_level=0.95, rng=0
    ).iloc[0]
    assert (row["n_concordant"], row["n_tied_human"], row["agreement"]) == (2, 1, pytest.approx(2.5 / 3))
    assert row["remark"] == "few pairs: one of 3 moves τ by 0.67"


def test_an_empty_window_says_why():
    data = made(5)
    row = window_intervals(
        data, "a", closed_windows([(50, 60)]), n_resamples=5, confidence_level=0.95, rng=0
    ).iloc[0]
    assert row["n_pairs"] == 0
    assert row["remark"] == "empty: no pair differs by 50.00 to 60.00 points"
    assert np.isnan([row["value"], row["low"], row["high"], row["agreement"]]).all()
    assert row["n_undefined"] == 5


def test_a_window_in_which_people_never_differ_is_undefined_not_zero():
    data = benchmark(np.ones((4, 2)), {"m": np.arange(8.0).reshape(4, 2)})
    row = window_intervals(
        data, "m", closed_windows([(0, 99)]), n_resamples=5, confidence_level=0.95, rng=0
    ).iloc[0]
    assert math.isnan(row["value"])
    assert row["remark"] == "undefined: one side ties on all 6 pairs"


def test_a_metric_more_changes_no_other_row():
    data = made(6)
    both = margin_grid(data, n_windows=3, n_resamples=30, rng=5)
    alone = margin_grid(data.select(metrics=["b"]), n_windows=3, n_resamples=30, rng=5)
    np.testing.assert_array_equal(
        both[both["metric"] == "b"][["value", "low", "high"]], alone[["value", "low", "high"]]
    )
    other = margin_grid(data, n_windows=3, n_resamples=30, rng=6)
    assert not np.allclose(both["low"], other["low"])


def test_gains_are_in_points_whatever_the_scale():
    hundred, one = made(7), made(7, scale=1.0)
    np.testing.assert_allclose(in_points(one).scores, 100 * hundred.scores)
    up_to = gain_curve(one, gains=[30, 60], half_width=20, n_resamples=5, rng=0)
    same = gain_curve(in_points(one), gains=[30, 60], half_width=20, n_resamples=5, rng=0)
    np.testing.assert_allclose(up_to["value"], same["value"])
    around = up_to[(up_to["reading"] == "around") & (up_to["metric"] == "a")]
    assert around["lower"].tolist() == [10, 40]
    assert around["upper"].tolist() == [50, 80]


def test_missing_systems_are_left_out_of_both_sides():
    rng = np.random.default_rng(8)
    human = rng.normal(size=(7, 6))
    score = with_gaps(rng, rng.normal(size=(7, 6)), 0.2)
    score[3] = np.nan
    data = benchmark(human, {"m": score})
    grid = margin_grid(data, n_windows=3, n_resamples=10, rng=0)
    assert grid["n_pairs"].iloc[2] == 15  # six systems
    means = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in score])
    expected = oracles.coefficient(means, human.mean(axis=1), "kendall")
    assert grid["value"].iloc[2] == pytest.approx(expected)


def test_facts_of_a_benchmark_by_hand():
    # means 0, 1, 3, 7: gaps 1, 2, 4; differences 1 2 3 4 6 7, two of six within 2
    data = benchmark(np.array([[0.0], [1], [2], [3]]), {"m": np.array([[0.0], [1], [3], [7]])})
    found = facts(data, gain=2, n_windows=3).set_index(["quantity", "rank"])["value"]
    assert found["gap"].to_dict() == pytest.approx({1: 4, 2: 2, 3: 1})
    assert found["upper end"].round(9).tolist() == [2, 4, 7]
    assert found["percent of pairs within the gain"].iloc[0] == pytest.approx(100 / 3)
    assert found["systems"].iloc[0] == 4


def call(**settings):
    return lambda: margin_grid(made(), **({"n_windows": 3, "n_resamples": 3, "rng": 0} | settings))


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (call(n_windows=29), ValueError, "from 1 to the number of pairs (28), got 29"),
        (call(n_resamples=0), ValueError, "`n_resamples` must be at least 1, got 0"),
        (call(confidence_level=95), ValueError, "must be in (0, 1), got 95; did you mean 0.95?"),
        (call(borders="never"), UnknownNameError, "unknown borders 'never'; known: once, twice"),
        (
            lambda: closed_windows([(0, 1), (2, 1)]),
            ValueError,
            "0 <= lower <= upper, got ['2 to 1']",
        ),
        (lambda: closed_windows([(math.nan, 1)]), ValueError, "got ['nan to 1']"),
        (lambda: closed_windows([]), ValueError, "at least one (lower, upper) pair"),
        (lambda: gain_curve(made(), gains=[], rng=0), ValueError, "0 or more points, got []"),
        (lambda: gain_curve(made(), gains=[-1], rng=0), ValueError, "got [-1]"),
        (lambda: gain_curve(made(), gains=[1], half_width=0, rng=0), ValueError, "above 0 points, got 0"),
        (
            lambda: gain_curve(dataclasses.replace(made(), scale={"b": 1}), gains=[1], rng=0),
            DataError,
            "needs the metric's scale, and none is known for ['a']",
        ),
        (
            lambda: window_edges(benchmark(np.eye(4), {"m": np.full((4, 4), np.nan)}), "m", n_windows=1),
            DataError,
            "at least 3 systems must have scores from m and from people, got 0 of 4",
        ),
    ],
)
def test_mistakes_are_named(mistake, error, text):
    with pytest.raises(error) as caught:
        mistake()
    assert text in str(caught.value)
