"""The curve from a difference to how often people confirm it, against SciPy's minimiser and by simulation."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from metaeval.stats.measures import accuracy_curve, confirmed
from tests.builders import with_gaps


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def fitted_by_scipy(metric, human):
    """The slope by minimising minus the log-likelihood over a list of pairs."""
    x, z = np.nanmean(metric, axis=1), np.nanmean(human, axis=1)
    pairs = []
    for i, k in combinations(range(len(x)), 2):
        if x[i] != x[k]:
            pairs.append((abs(x[i] - x[k]), (np.sign((x[i] - x[k]) * (z[i] - z[k])) + 1) / 2))
    d, y = np.array(pairs).T
    scale = d.max()

    def loss(slope):
        return -(y * np.log(expit(slope * d / scale)) + (1 - y) * np.log(expit(-slope * d / scale))).sum()

    return minimize_scalar(loss, bracket=(-1, 1), options={"xtol": 1e-12}).x / scale


def test_slope_has_the_highest_likelihood(rng):
    human = rng.integers(0, 3, (7, 5)).astype(float)
    metrics = with_gaps(rng, human + rng.normal(0, [[[0.5]], [[2]], [[4]]], (3, 7, 5)), 0.1)
    curve = accuracy_curve(metrics, human, n_resamples=2, rng=0)
    assert curve.slope == pytest.approx([fitted_by_scipy(metric, human) for metric in metrics], rel=1e-6)


def test_the_typical_difference_is_the_median_of_those_that_there_are(rng):
    metric, human = rng.integers(0, 5, (2, 9, 1)).astype(float)  # some systems tie
    distances = [abs(a - b) for a, b in combinations(metric.ravel(), 2) if a != b]
    curve = accuracy_curve(metric, human, n_resamples=1, rng=0)
    assert curve.typical == np.median(distances)


def test_it_answers_in_both_directions(rng):
    human = rng.normal(size=(9, 6)) + np.arange(9.0)[:, None] / 4
    curve = accuracy_curve(human + rng.normal(0, 2, (9, 6)), human, n_resamples=200, rng=1)
    half = {"confidence_level": 0.5}  # no end where all pairs are confirmed
    needed = curve.difference(0.9, **half)
    assert needed[1] < needed[0] < needed[2]
    for end, at in ((0, 0), (1, 2), (2, 1)):  # where less is confirmed, more is needed
        assert curve.accuracy([needed[end]], **half)[at, 0] == pytest.approx(0.9)
    shares = curve.accuracy([1e-9, 0.5, 1.0, 50.0], **half)
    assert shares[:, 0] == pytest.approx([0.5] * 3)
    assert (np.diff(shares[0]) > 0).all()
    assert (shares[1] <= shares[0]).all()
    assert (shares[0] <= shares[2]).all()


def test_systems_drawn_twice_stand_twice():
    """A draw's slope is that of the benchmark in which its systems stand as often as they were drawn."""
    rng = np.random.default_rng(4)
    human = rng.normal(size=(5, 1))  # of one document nothing but systems is drawn
    metric = human + rng.normal(size=(5, 1))
    curve = accuracy_curve(metric, human, n_resamples=40, rng=2)
    x, z = metric[:, 0], human[:, 0]
    possible = []
    for counts in np.ndindex(*[6] * 5):
        if sum(counts) == 5 and sum(c > 0 for c in counts) > 2:
            rows = np.repeat(np.arange(5), counts)
            one = accuracy_curve(x[rows, None], z[rows, None], n_resamples=1, rng=0)
            possible.append(expit(float(one.slope) * float(curve.typical)))
    possible = np.array([*possible, 0.0, 1.0])
    drawn = curve.distribution[~np.isnan(curve.distribution)]
    assert len(np.unique(drawn)) > 10
    assert np.abs(drawn[:, None] - possible).min(axis=1).max() < 1e-9


def test_a_metric_that_is_always_right_wrong_or_equal():
    human = np.arange(4.0)[:, None] + np.zeros((4, 3))
    curve = accuracy_curve(np.stack([human, -human, 0 * human]), human, n_resamples=20, rng=0)
    assert curve.slope[:2].tolist() == [np.inf, -np.inf]
    assert np.isnan(curve.slope[2])
    needed = curve.difference(0.9)
    assert needed[:, 0].tolist() == [0, 0, 0]
    assert needed[:, 1].tolist() == [np.inf] * 3
    assert np.isnan(needed[:, 2]).all()
    assert curve.accuracy([0.0, 1.0])[:, :2].tolist() == [[[0.5, 1], [0.5, 0]]] * 3
    assert np.isnan(curve.accuracy([0.0, 1.0])[:, 2]).all()


def test_what_counts_as_confirmed():
    assert confirmed(np.array([1.0, -1, 2, 0, np.nan]), np.array([2.0, 3, 0, 1, 1])).tolist()[:3] == [
        1,
        0,
        0.5,
    ]
    assert np.isnan(confirmed(np.array([0.0, np.nan]), np.array([1.0, 1.0]))).all()


@pytest.mark.slow
def test_the_interval_holds_the_true_difference_about_as_often_as_it_should():
    """Systems from one population: the truth is the curve fitted to very many of them."""

    def world(rng, n, m):
        quality = rng.normal(size=(n, 1))
        human = quality + rng.normal(0, 1, (n, m))
        return quality + rng.normal(0, 0.6, (n, 1)) + rng.normal(0, 1, (n, m)), human

    rng = np.random.default_rng(5)
    truth = np.mean([accuracy_curve(*world(rng, 300, 60), n_resamples=1, rng=0).slope for _ in range(4)])
    held = 0
    for trial in range(200):
        low, high = accuracy_curve(*world(rng, 20, 60), n_resamples=200, rng=trial).difference(0.9)[1:]
        held += low <= np.log(9) / truth <= high
    # percentile intervals of 20 systems are too short; far below or at 100 % would be a mistake
    assert 160 <= held <= 198


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("`accuracy` must be in \\(0.5, 1\\)", lambda curve: curve.difference(0.5)),
        ("`accuracy` must be in \\(0.5, 1\\)", lambda curve: curve.difference(1.0)),
        ("`difference` must be at least 0, got -1", lambda curve: curve.accuracy([1.0, -1.0])),
    ],
)
def test_bad_input_is_named(words, call):
    human = np.array([[1.0], [2.0], [3.0]])
    with pytest.raises(ValueError, match=words):
        call(accuracy_curve(human, human, n_resamples=3, rng=0))
