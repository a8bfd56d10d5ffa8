"""Raters whose bias, noise and preferences are known are found to have them."""

import numpy as np
import pytest

from metaeval.simulation.raters import Rater, Scale, choose, perceived, rate, ratings_with_mean

QUALITY = np.linspace(2.0, 4.0, 2000).reshape(4, 500)
FINE = Scale(low=-100, high=100, step=0.001)  # nothing is cut or rounded away
EXACT = Rater(noise=0.0)


def test_a_rater_without_faults_gives_the_nearest_rating():
    quality = np.array([[1.2, 2.6, 9.0], [3.5, 0.0, np.nan]])
    np.testing.assert_array_equal(rate(quality, EXACT, rng=0)[0], [[1, 3, 5], [4, 1, np.nan]])


@pytest.mark.parametrize("bias", [-0.7, 0.4])
def test_bias_and_noise_come_back(bias):
    ratings = rate(QUALITY, Rater(bias=bias, noise=0.8), scale=FINE, rng=1)[0]
    error = ratings - QUALITY
    assert error.mean() == pytest.approx(bias, abs=4 * 0.8 / np.sqrt(QUALITY.size))
    assert error.std() == pytest.approx(0.8, rel=0.07)


def test_repeats_share_taste_and_not_noise():
    one, two = rate(QUALITY, Rater(noise=0.3, taste=0.6), scale=FINE, n_repeats=2, rng=2) - QUALITY
    assert np.cov(one.ravel(), two.ravel())[0, 1] == pytest.approx(0.36, rel=0.15)
    assert (one - two).std() == pytest.approx(0.3 * np.sqrt(2), rel=0.08)
    np.testing.assert_array_equal(
        rate(QUALITY, Rater(), n_repeats=2, rng=2)[0], rate(QUALITY, Rater(), n_repeats=1, rng=2)[0]
    )


def test_what_is_favoured():
    error = perceived(QUALITY, Rater(favours={1: 0.5}, slope=1.0), rng=3) - QUALITY
    np.testing.assert_allclose(error.mean(axis=1), [0.0, 0.5, 0.0, 0.0], atol=1e-12)


def test_one_who_huddles_in_the_middle_cannot_rank():
    assert len(np.unique(rate(QUALITY, Rater(slope=0.0, noise=0.0)))) == 1
    np.testing.assert_allclose(perceived(QUALITY, Rater(slope=0.5)), 3 + (QUALITY - 3) / 2)


def test_what_is_shown_first_wins_ties_by_its_bonus():
    same = np.full(4000, 3.0)
    listed, swapped = choose(same, same, Rater(noise=0.5, first=0.4), rng=4)
    # first wins if 0.4 + noise of two answers > 0: a normal with standard deviation 0.5 sqrt(2) above -0.4
    assert listed.mean() == pytest.approx(0.714, abs=0.03)
    assert swapped.mean() == pytest.approx(1 - 0.714, abs=0.03)
    better, worse = np.full(3, 4.0), np.full(3, 2.0)
    assert choose(better, worse, EXACT).tolist() == [[1.0] * 3] * 2
    assert choose(worse, better, EXACT).tolist() == [[0.0] * 3] * 2
    assert choose(better, better + 0.1, Rater(noise=0, threshold=0.2)).tolist() == [[0.5] * 3] * 2


@pytest.mark.parametrize("n_raters", [1, 3, 5])
def test_single_ratings_have_the_mean_that_was_asked_for(n_raters):
    totals = np.arange(n_raters, 5 * n_raters + 1)
    means = np.tile(totals / n_raters, (40, 1))
    ratings = ratings_with_mean(means, n_raters, rng=5)
    np.testing.assert_allclose(ratings.mean(axis=0), means)
    assert set(np.unique(ratings)) <= {1, 2, 3, 4, 5}
    unlike = ratings.std(axis=0).mean()
    assert (
        ratings_with_mean(means, n_raters, exchange=0.0, rng=5).std(axis=0).mean() < unlike
    ) or n_raters == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Rater(noise=-1), "`noise` must be at least 0, got -1"),
        (lambda: rate(QUALITY, Rater(favours={4: 1.0})), r"from 0 to 3, got \[4\]"),
        (lambda: rate(QUALITY, EXACT, n_repeats=0), "at least 1, got 0"),
        (lambda: ratings_with_mean(np.array([[2.5]]), 3), "must be means of 3 ratings"),
        (lambda: ratings_with_mean(np.array([[6.0]]), 3), "from 1 to 5"),
        (lambda: ratings_with_mean(np.array([[0.0]]), 3), "from 1 to 5"),
    ],
)
def test_what_cannot_be_is_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()
