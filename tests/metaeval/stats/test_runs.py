"""Variance over a judge's runs, flips, and what one run costs: slow loops, and simulations of known variances."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from metaeval.core.errors import DataError
from metaeval.simulation.raters import Rater, Scale, rate
from metaeval.stats.agreement import agreement, icc
from metaeval.stats.bias import clustered_share
from metaeval.stats.correlation import correlate
from metaeval.stats.reliability import mean_of
from metaeval.stats.runs import (
    correlation_of_runs,
    flip_shares,
    needed_runs,
    run_reliability,
    run_variances,
    stable_majority,
)

NAN = np.nan
FINE = Scale(-100, 100, 0.001)


def labels_with_gaps(seed=0, n_runs=5, n_items=40):
    rng = np.random.default_rng(seed)
    runs = rng.integers(0, 3, (n_runs, n_items)) * 1.0
    runs[rng.random(runs.shape) < 0.3] = NAN
    return runs


def test_flips_are_the_pairs_of_runs_that_differ():
    runs = labels_with_gaps()
    for share, item in zip(flip_shares(runs), runs.T, strict=True):
        pairs = list(combinations(item[~np.isnan(item)], 2))
        expected = np.mean([a != b for a, b in pairs]) if pairs else NAN
        assert share == pytest.approx(expected, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b"), [(0.2, 0.2), (0.5, 0.5), (2, 2)])
def test_the_interval_of_flips_covers(a, b):
    rng, n_studies = np.random.default_rng(8), 400
    truth = 2 * a * b / (a + b) / (a + b + 1)  # mean of 2 p (1 - p), p of a beta distribution
    hits = 0
    for _ in range(n_studies):
        runs = (rng.random((3, 60)) < rng.beta(a, b, 60)) * 1.0
        share = clustered_share(flip_shares(runs)[None], by=("document",))
        hits += share.low <= truth <= share.high
    assert binomtest(int(hits), n_studies, 0.95, alternative="less").pvalue > 0.01


def test_variances_by_hand():
    # means 1.5, 3, 6; squares within .5 + 0 + 2 of 3 degrees; between 2 (4 + .25 + 6.25) / 2 = 10.5
    within, between = run_variances(np.array([[1.0, 3.0, 5.0], [2.0, 3.0, 7.0]]))
    assert (within, between) == pytest.approx((2.5 / 3, (10.5 - 2.5 / 3) / 2))
    # 3 items of 3, 2 and 1 runs: means 2, 5, 9, grand 25/6; n0 = (6 - 14/6) / 2
    within, between = run_variances(np.array([[1.0, 4.0, 9.0], [2.0, 6.0, NAN], [3.0, NAN, NAN]]))
    square = (3 * (2 - 25 / 6) ** 2 + 2 * (5 - 25 / 6) ** 2 + (9 - 25 / 6) ** 2) / 2
    assert (within, between) == pytest.approx((4 / 3, (square - 4 / 3) / ((6 - 14 / 6) / 2)))


def test_reliability_is_the_intraclass_correlation_where_nothing_is_missing():
    runs = np.random.default_rng(1).normal(size=(4, 30)) + np.random.default_rng(2).normal(size=30)
    assert run_reliability(runs) == pytest.approx(icc(runs, kind="1,1"))


def test_variances_of_a_known_judge_come_back():
    quality = np.random.default_rng(0).normal(3, 1, (1, 20_000))
    runs = rate(quality, Rater(noise=0.5), scale=FINE, n_repeats=3, rng=1)[:, 0]
    assert run_variances(runs) == pytest.approx((0.25, 1.0), rel=0.03)
    assert run_reliability(runs) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_the_cost_of_one_run_is_that_of_a_known_judge(coefficient):
    rng = np.random.default_rng(3)
    quality = rng.normal(3, 1, (1, 4_000))
    people = quality + 0.8 * rng.normal(size=quality.shape)
    runs = rate(quality, Rater(noise=1.0), scale=FINE, n_repeats=5, rng=1)
    kind = {"level": "global", "coefficient": coefficient}
    value = float(correlate(mean_of(runs), people, **kind).value)
    reliability = run_reliability(runs[:, 0])
    for times, judge in ((1, runs[0]), (2, runs[:2].mean(axis=0)), (np.inf, quality)):
        expected = correlation_of_runs(value, 5, times, reliability, coefficient=coefficient)
        assert expected == pytest.approx(float(correlate(judge, people, **kind).value), abs=0.02)


def test_runs_that_are_enough():
    # Spearman and Brown: 3 (.75) / (1 + 2 (.75)) = .9, and 9 of .5
    assert [needed_runs(one) for one in (0.95, 0.75, 0.74, 0.5, 0.0)] == [1, 3, 4, 9, np.inf]
    assert np.isnan(needed_runs(NAN))


def share_of_stable_majorities(chances, k, rng):
    votes = rng.random((k, len(chances))) < chances
    return np.mean((votes.sum(axis=0) > k / 2) == (chances > 0.5))


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.3), (1.0, 1.0), (0.5, 2.0)])
def test_a_stable_majority_takes_as_many_runs_as_in_a_simulation(a, b):
    rng = np.random.default_rng(0)
    chances = rng.beta(a, b, 20_000)
    runs = (rng.random((5, 20_000)) < chances) * 1.0
    found = stable_majority(runs, target=0.9, rng=0)
    assert share_of_stable_majorities(chances, int(found) + 2, rng) > 0.895
    if found > 1:
        assert share_of_stable_majorities(chances, int(found) - 2, rng) < 0.91


def test_a_stable_majority_of_several_labels():
    rng = np.random.default_rng(1)
    chances = rng.dirichlet([0.4, 0.3, 0.2], 5_000)
    runs = np.array([[rng.choice(3, p=item) for item in chances] for _ in range(4)]) * 1.0
    found = int(stable_majority(runs, target=0.9, rng=0))
    votes = np.stack([rng.multinomial(found, item) for item in chances])
    top = np.take_along_axis(votes, chances.argmax(axis=1)[:, None], axis=1)
    assert np.mean((votes >= top).sum(axis=1) == 1) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(("target", "expected"), [(0.74, 1), (0.76, 3), (0.81, 3), (0.82, 5), (0.85, 7)])
def test_a_stable_majority_of_uniform_chances_by_hand(target, expected):
    # kappa (2/3 - 1/2) / (1/2) = 1/3 and half of each label: chances are uniform. With t the larger chance,
    # uniform from 1/2 to 1, one run has the majority's label with 3/4, three E(3 t^2 - 2 t^3) = 13/16, five 27/32
    runs = np.array([[1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1]]) * 1.0
    assert stable_majority(runs, target=target) == expected


def test_an_estimate_beyond_1_is_none():
    # reliability of two runs 2/3 (.5 once): many would be at r sqrt(3/2), .98 of .8 and 1.10 of .9
    values = correlation_of_runs(np.array([0.8, 0.9, -0.9]), 2, np.inf, 0.5)
    np.testing.assert_allclose(values, [0.8 * 1.5**0.5, NAN, NAN])
    assert correlation_of_runs(1.0, 3, np.inf, 1.0) == 1


def test_runs_without_an_answer():
    coin = np.array([[0, 1] * 50, [1, 0] * 50]) * 1.0  # each item's runs always differ
    assert agreement(coin, coefficient="fleiss") == pytest.approx(-1)
    assert np.isnan(stable_majority(coin, rng=0))
    assert stable_majority(np.ones((2, 9)), rng=0) == 1
    once = np.array([[1.0, 2.0], [NAN, NAN]])
    assert np.isnan(run_variances(once)).all()
    assert np.isnan(stable_majority(once, rng=0))
    assert np.isnan(run_reliability(np.ones((2, 3))))
    with pytest.raises(DataError, match=r"two runs or more, got shape \(1, 3\)"):
        flip_shares(np.ones((1, 3)))
