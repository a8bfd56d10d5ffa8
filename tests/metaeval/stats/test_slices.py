"""Slices beside the others, and on another data set: hand-worked intervals, slow loops, and coverage."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from metaeval.core.errors import DataError
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.slices import differences_from_others, transport
from metaeval.stats.streams import stream


def test_a_slice_is_held_against_the_weighted_mean_of_the_others():
    # the others of the first: (0.6 + 3 * 0.7) / 4 = 0.675, and 0.8 - 0.675 = 0.125; its low end is
    # 0.125 - sqrt(0.1^2 + (0.25 * 0.2)^2 + (0.75 * 0.1)^2), of the high end with 0.05 for 0.1
    parts = differences_from_others([0.8, 0.6, 0.7], [0.7, 0.4, 0.6], [0.85, 0.8, 0.8], [1, 1, 3])
    difference, low, high = (part[0] for part in parts)
    assert (difference, low) == pytest.approx((0.125, 0.125 - 0.018125**0.5))
    assert high == pytest.approx(0.125 + (0.05**2 + 0.05**2 + 0.075**2) ** 0.5)
    assert np.isnan(differences_from_others([0.5], [0.4], [0.6], [9])).all()


def test_two_slices_mirror_each_other():
    difference, low, high = differences_from_others([0.9, 0.5], [0.7, 0.4], [0.95, 0.7], [10, 40])
    assert difference.tolist() == pytest.approx([0.4, -0.4])
    assert low.tolist() == pytest.approx((-high[::-1]).tolist())


VALUES = np.array([0.10, -0.15, 0.30, 0.02, 0.21])
LENGTHS = np.array([0.1, 0.12, 0.2, 0.06, 0.15])


def slow_transport(value, reach, n_draws, seed):
    """Paule and Mandel's spread, Hartung and Knapp's interval and drawn ends by loops and root finding."""
    variance, n = (reach / stats.norm.isf(0.025)) ** 2, len(value)

    def at(square):
        weights = [1 / (one + square) for one in variance]
        mean = sum(w * y for w, y in zip(weights, value, strict=True)) / sum(weights)
        q = sum(w * (y - mean) ** 2 for w, y in zip(weights, value, strict=True))
        return mean, sum(weights), q

    def root(target):
        return optimize.brentq(lambda t: at(t)[2] - target, 0, 100, xtol=1e-14) if at(0)[2] > target else 0.0

    square = root(n - 1)
    mean, total, q = at(square)
    reach = stats.t.isf(0.025, n - 1) * math.sqrt(max(q / (n - 1), 1) / total)
    generator = stream(seed, "transport")
    squares = [root(target) for target in generator.chisquare(n - 1, n_draws)]
    others = generator.standard_t(n - 1, n_draws), generator.standard_normal(n_draws)
    draws = []
    for square_, t, z in zip(squares, *others, strict=True):
        m, total, q = at(square_)
        draws.append(m + t * math.sqrt(max(q / (n - 1), 1) / total) + math.sqrt(square_) * z)
    return mean, mean - reach, mean + reach, math.sqrt(square), np.array(draws)


@pytest.mark.parametrize("value", [VALUES, VALUES / 20])  # with a spread, and with none beyond the noise
def test_transport_is_that_of_a_slow_loop(value):
    result = transport(value, value - LENGTHS, value + LENGTHS, n_resamples=199, rng=4)
    *expected, draws = slow_transport(value, LENGTHS, 199, 4)
    assert result[:4] == pytest.approx(expected, abs=1e-6)
    assert tuple(result.another(0.95)[:2]) == pytest.approx(percentile_bounds(draws, 0.95), abs=1e-9)


def test_equal_intervals_without_a_spread_have_the_length_of_their_mean():
    # standard errors of 0.1; the values do not differ at all: the mean of four has 0.1 / 2
    low, high = np.full(4, 0.3 - 1.959963985 * 0.1), np.full(4, 0.3 + 1.959963985 * 0.1)
    result = transport(np.full(4, 0.3), low, high, n_resamples=99, rng=1)
    assert result.spread == 0
    assert result.high - 0.3 == pytest.approx(stats.t.isf(0.025, 3) * 0.05)


def test_two_data_sets_say_nothing_of_a_third():
    result = transport([0.0, 0.2], [-0.1, 0.1], [0.1, 0.3], n_resamples=99, rng=1)
    assert result.value == pytest.approx(0.1)
    # one degree of freedom: 12.706 standard errors of 0.1, half of the difference
    assert result.high == pytest.approx(0.1 + 12.7062 * 0.1, abs=1e-4)
    assert np.isnan(result.another(0.95)).all()


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [([0.0], [1.0], "two data sets or more, got 1"), ([0.0, 0.5], [1.0, 0.5], "must have a length")],
)
def test_too_little_to_put_together_is_refused(low, high, text):
    with pytest.raises(DataError, match=text):
        transport([0.5] * len(low), low, high)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "spread"), [(3, 0.1), (6, 0.05), (6, 0.2)])
def test_intervals_of_another_data_set_cover(n, spread):
    generator, hits = np.random.default_rng(7), np.zeros(2, dtype=int)
    for seed in range(400):
        error = generator.uniform(0.05, 0.12, n)
        value = spread * generator.standard_normal(n) + error * generator.standard_normal(n)
        result = transport(value, value - 1.96 * error, value + 1.96 * error, n_resamples=199, rng=seed)
        other = spread * generator.standard_normal()
        another = result.another(0.95)
        hits += result.low <= 0 <= result.high, another.low <= other <= another.high
    # 95 % less what 199 draws lose at the ends
    assert all(stats.binomtest(int(hit), 400, 0.94, alternative="less").pvalue > 0.001 for hit in hits)
