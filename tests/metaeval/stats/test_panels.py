"""Panels of judges and picks of the best output: by hand, by slow loops, and in worlds whose truth is known."""

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.stats.correlation import correlate
from metaeval.stats.panels import effective_number, panel_minus_best, recovery


def slow_effective_number(judges, ratings):
    """Covariances of one judge's error against one rater with another's against another, pair by pair."""
    k, r = len(judges), len(ratings)

    def error_covariance(i, j):
        pairs = [(a, b) for a in range(r) for b in range(r) if a != b]
        return np.mean([np.cov(judges[i] - ratings[a], judges[j] - ratings[b])[0, 1] for a, b in pairs])

    correlations = [
        error_covariance(i, j) / np.sqrt(error_covariance(i, i) * error_covariance(j, j))
        for i in range(k) for j in range(k) if i != j
    ]  # fmt: skip
    return k / (1 + (k - 1) * np.mean(correlations))


def test_effective_number_is_missing_where_no_error_of_the_judges_can_be_told():
    people = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    opposite = np.array([[2.0, 1.0, 4.0, 3.0], [0.0, 3.0, 2.0, 5.0]])  # errors of 1, and those of -1
    assert np.isnan(effective_number(opposite, people))
    assert np.isnan(
        effective_number(np.stack([people[0], opposite[0]]), people)
    )  # one judge without an error


def test_effective_number_equals_a_slow_loop():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60)
    ratings = truth + 0.5 * rng.normal(size=(3, 60))
    judges = truth + 0.6 * rng.normal(size=60) + 0.6 * rng.normal(size=(4, 60))
    assert effective_number(judges, ratings) == pytest.approx(slow_effective_number(judges, ratings))
    judges[1, 5] = ratings[2, 9] = np.nan
    there = np.delete(np.arange(60), [5, 9])
    expected = slow_effective_number(judges[:, there], ratings[:, there])
    assert effective_number(judges, ratings) == pytest.approx(expected)
    with pytest.raises(DataError, match="two judges or more"):
        effective_number(judges[:1], ratings)


@pytest.mark.parametrize(("shared", "number"), [(0.0, 5.0), (0.5, 5 / 3), (1.0, 1.0)])
def test_effective_number_is_that_of_errors_and_not_of_raters(shared, number):
    """Five judges whose errors share a part: 5 / (1 + 4 r), however noisy two raters are."""
    rng = np.random.default_rng(1)
    n = 200_000
    truth = rng.normal(size=n)
    errors = shared**0.5 * rng.normal(size=n) + (1 - shared) ** 0.5 * rng.normal(size=(5, n))
    ratings = truth + rng.normal(size=(2, n))
    assert effective_number(truth + errors, ratings) == pytest.approx(number, rel=0.05)
    if shared == 0:  # against one rater, whose error all judges share, they look alike
        assert effective_number(truth + errors, ratings[:1]) < 2


def test_a_panel_beats_its_best_member_where_errors_are_its_members_own():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(12, 1)) + rng.normal(size=(12, 40))
    people = truth + 0.3 * rng.normal(size=truth.shape)
    own = truth + 1.5 * rng.normal(size=(5, 12, 1)) + rng.normal(size=(5, 12, 40))
    assert panel_minus_best(own, people, n_resamples=199, rng=1).value > 0.1
    # values of other seeds spread as far as their errors say
    few = [panel_minus_best(own, people, n_resamples=49, rng=seed) for seed in range(30)]
    assert np.std([one.value for one in few]) == pytest.approx(
        np.mean([one.mc_error for one in few]), rel=0.4
    )
    copies = np.repeat(own[:1], 3, axis=0)
    assert panel_minus_best(copies, people, n_resamples=99, rng=1) == pytest.approx((0,) * 6, abs=1e-12)


def test_the_choice_of_the_best_member_does_not_flatter_it():
    """Judges alike: chosen and measured by the same documents the best one is ahead of itself, by halves it is not."""
    rng = np.random.default_rng(3)
    flattered, fair = [], []
    for _ in range(60):
        truth = rng.normal(size=(10, 1))
        people = truth + rng.normal(size=(10, 20))
        judges = truth + 3 * rng.normal(size=(6, 10, 20))
        kind = {"level": "system", "coefficient": "pearson"}
        panel = correlate(judges.mean(axis=0), people, **kind).value
        flattered.append(panel - correlate(judges, people, **kind).value.max())
        fair.append(panel_minus_best(judges, people, coefficient="pearson", n_resamples=49, rng=1).value)
    assert np.mean(fair) > np.mean(flattered) + 0.02


def test_recovery_equals_a_slow_loop_with_ties_and_gaps():
    rng = np.random.default_rng(4)
    people = rng.integers(1, 6, size=(5, 30)) * 1.0
    judge = np.clip(people + rng.integers(-2, 3, size=people.shape), 1, 5)
    judge[2, 3] = people[1, 7] = np.nan
    judge[:, 11] = np.nan
    gains, possible = [], []
    for d in range(30):
        scored = [i for i in range(5) if not np.isnan(judge[i, d] + people[i, d])]
        if not scored:
            continue
        best = [i for i in scored if judge[i, d] == max(judge[k, d] for k in scored)]
        middle = np.mean([people[i, d] for i in scored])
        gains.append(np.mean([people[i, d] for i in best]) - middle)
        possible.append(max(people[i, d] for i in scored) - middle)
    kept = recovery(judge, people)
    assert kept.value == pytest.approx(sum(gains) / sum(possible))
    assert kept.low < kept.value < kept.high
    assert recovery(people, people).value == pytest.approx(1)
    assert recovery(np.ones((5, 30)), people).value == pytest.approx(0)
    assert np.isnan(recovery(judge, np.ones((5, 30))).value)


@pytest.mark.slow
def test_intervals_hold_what_a_pick_keeps():
    rng = np.random.default_rng(5)

    def world(n):
        people = rng.integers(1, 6, size=(4, n)) * 1.0
        return np.round(people + 1.5 * rng.normal(size=people.shape)), people

    truth = recovery(*world(200_000)).value
    held = [kept.low <= truth <= kept.high for kept in (recovery(*world(40)) for _ in range(1_000))]
    # 4 standard errors of a share of .95 among 1,000
    assert np.mean(held) == pytest.approx(0.95, abs=4 * 0.007)


@pytest.mark.slow
def test_the_interval_of_a_panel_beside_its_best_member_covers():
    """The truth is the mean over studies of what one half of the documents chooses and the other measures."""
    rng, kind, gains, ends = np.random.default_rng(7), {"level": "system", "coefficient": "kendall"}, [], []
    noise = np.linspace(0.6, 1.2, 3)[:, None, None]
    for study in range(600):
        truth = rng.normal(size=(10, 1)) + rng.normal(size=(10, 40))
        people = truth + 0.5 * rng.normal(size=truth.shape)
        judges = truth + noise * (0.7 * rng.normal(size=(3, 10, 1)) + rng.normal(size=(3, 10, 40)))
        planes = np.concatenate([judges, judges.mean(axis=0, keepdims=True)])
        chosen, measured = (
            correlate(planes[..., half], people[:, half], **kind).value for half in (slice(20), slice(20, 40))
        )
        gains.append(measured[-1] - measured[chosen[:-1].argmax()])
        if study < 60:
            ends.append(panel_minus_best(judges, people, n_resamples=199, rng=study))
    held = [one.low <= np.mean(gains) <= one.high for one in ends]
    assert np.mean(held) >= 0.95
