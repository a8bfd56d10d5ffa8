"""Spearman and Brown's formula, disattenuation, and a judge's distance from one more rater."""

import numpy as np
import pytest
from scipy.stats import binomtest

from metaeval.core.errors import DataError
from metaeval.simulation.raters import Rater, Scale, rate
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import interval
from metaeval.stats.reliability import (
    compare_with_raters,
    disattenuated,
    mean_of,
    mean_pair_correlation,
    spearman_brown,
)
from tests import oracles

NAN = np.nan
FINE = Scale(-100, 100, 0.001)


def test_spearman_brown_by_hand():
    assert spearman_brown(0.6, 2) == pytest.approx(0.75)
    assert spearman_brown(0.75, 0.5) == pytest.approx(0.6)
    np.testing.assert_allclose(spearman_brown([0.0, 1.0, 0.5], 3), [0, 1, 0.75])
    assert np.isnan(spearman_brown(-0.5, 3))  # 1 + 2 (-0.5) = 0
    with pytest.raises(ValueError, match="`times` must be above 0, got 0"):
        spearman_brown(0.5, 0)


def test_disattenuated_by_hand():
    assert disattenuated(0.6, reliability_x=0.81, reliability_y=0.64) == pytest.approx(0.6 / 0.72)
    assert disattenuated(0.6) == pytest.approx(0.6)
    assert np.isnan(disattenuated(0.6, reliability_y=0.0))


def test_the_formulas_undo_noise_whose_size_is_known():
    quality = np.random.default_rng(0).normal(3, 1, (4, 3000))
    raters = np.stack([rate(quality, Rater(noise=1.0), scale=FINE, rng=k)[0] for k in range(3)])
    judge = rate(quality, Rater(noise=0.75), scale=FINE, rng=9)[0]
    one = mean_pair_correlation(raters, level="global", coefficient="pearson")
    assert one == pytest.approx(0.5, abs=0.02)  # 1 / (1 + 1)
    mean_reliability = spearman_brown(one, 3)
    assert mean_reliability == pytest.approx(0.75, abs=0.02)  # 1 / (1 + 1/3)
    r = correlate(judge, mean_of(raters), level="global", coefficient="pearson").value
    assert disattenuated(r, reliability_x=0.64, reliability_y=mean_reliability) == pytest.approx(
        1.0, abs=0.02
    )


def random_raters(n=6, m=20, n_raters=3, seed=1):
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, (n, 1)) + rng.normal(0, 1, (n, m))
    raters = np.stack([rate(quality, Rater(noise=0.7), rng=k)[0] for k in range(n_raters)])
    judges = np.stack([rate(quality, Rater(noise=0.5 + k), rng=10 + k)[0] for k in range(2)])
    return judges, raters


KIND = {"level": "system", "coefficient": "pearson"}


def test_each_rater_and_each_judge_against_the_others():
    judges, raters = random_raters()
    comparison = compare_with_raters(judges, raters, n_resamples=20, rng=0, **KIND)
    for j in range(3):
        others = raters[[k for k in range(3) if k != j]].mean(axis=0)
        assert comparison.raters[j] == pytest.approx(correlate(raters[j], others, **KIND).value)
        np.testing.assert_allclose(comparison.judges[j], correlate(judges, others, **KIND).value)
    np.testing.assert_allclose(
        comparison.difference, comparison.judges.mean(axis=0) - comparison.raters.mean()
    )
    assert comparison.ceiling == pytest.approx(comparison.raters.mean())
    assert "distribution" not in repr(comparison)


def test_a_judge_is_held_against_a_rater_on_what_the_rater_rated():
    """On all summaries a judge as noisy as a rater would look better, since the means of systems are steadier."""
    judges, raters = random_raters(n=30, m=60, n_raters=6)
    raters = np.where(np.random.default_rng(4).random(raters.shape) < 0.25, raters, NAN)
    comparison = compare_with_raters(judges, raters, n_resamples=50, rng=0, **KIND)
    whole = []
    for j in range(6):
        others = mean_of(np.delete(raters, j, axis=0))
        shared = np.where(np.isnan(raters[j]), NAN, judges)
        expected = [oracles.system_level(one, others, "pearson") for one in shared]
        np.testing.assert_allclose(comparison.judges[j], expected)
        assert comparison.raters[j] == pytest.approx(oracles.system_level(raters[j], others, "pearson"))
        whole.append(correlate(judges, others, **KIND).value)
    assert (comparison.judges.mean(axis=0) < np.mean(whole, axis=0)).all()


def test_a_rater_is_held_against_a_judge_on_what_the_judge_scored():
    """A judge with gaps of its own is compared with a rater who has the same; the other judge, with all."""
    judges, raters = random_raters(n=20, m=40, n_raters=4)
    rng = np.random.default_rng(5)
    raters = np.where(rng.random(raters.shape) < 0.7, raters, NAN)
    judges[0] = np.where(rng.random(judges[0].shape) < 0.3, judges[0], NAN)
    comparison = compare_with_raters(judges, raters, n_resamples=50, rng=0, **KIND)
    for k, judge in enumerate(judges):
        pairs = []
        for j in range(4):
            others = mean_of(np.delete(raters, j, axis=0))
            both = ~np.isnan(judge) & ~np.isnan(raters[j])
            shared = [np.where(both, one, NAN) for one in (judge, raters[j])]
            pairs.append([oracles.system_level(one, others, "pearson") for one in shared])
        judge_value, rater_value = np.mean(pairs, axis=0)
        assert comparison.difference[k] == pytest.approx(judge_value - rater_value)
        assert comparison.own_ceiling[k] == pytest.approx(rater_value)
    alone = compare_with_raters(judges[1:], raters, n_resamples=50, rng=0, **KIND)
    assert (comparison.ceiling, comparison.ceiling_low, comparison.ceiling_high) == pytest.approx(
        (alone.ceiling, alone.ceiling_low, alone.ceiling_high)
    )
    np.testing.assert_array_equal(comparison.distribution[1], alone.distribution[0])


def test_without_drawing_raters_the_ends_are_those_of_paired_draws():
    judges, raters = random_raters()
    comparison = compare_with_raters(judges, raters, raters_too=False, n_resamples=200, rng=7, **KIND)
    drawn = []
    for j in range(3):
        others = raters[[k for k in range(3) if k != j]].mean(axis=0)
        both = interval(np.stack([judges[0], raters[j]]), others, n_resamples=200, rng=7, **KIND).distribution
        drawn.append(both[0] - both[1])
    assert [comparison.low[0], comparison.high[0]] == pytest.approx(
        np.nanquantile(np.mean(drawn, axis=0), [0.025, 0.975])
    )
    wider = compare_with_raters(judges, raters, n_resamples=200, rng=7, **KIND)
    assert wider.ceiling_high - wider.ceiling_low > comparison.ceiling_high - comparison.ceiling_low


def test_a_judge_that_is_a_rater_is_at_the_ceiling():
    """One more rater of the same kind: the difference holds 0, and of a constant judge it does not exist."""
    _, raters = random_raters(m=60, n_raters=4)
    comparison = compare_with_raters(
        np.stack([raters[3], np.ones(raters.shape[1:])]), raters[:3], n_resamples=200, rng=2, **KIND
    )
    assert comparison.low[0] < 0 < comparison.high[0]
    assert np.isnan([comparison.difference[1], comparison.low[1], comparison.high[1]]).all()
    assert comparison.n_undefined[1] == 200


def test_means_over_those_who_rated():
    np.testing.assert_array_equal(mean_of(np.array([[1, NAN, NAN], [2, 4, NAN]])), [1.5, 4, NAN])


@pytest.mark.parametrize(
    ("judges", "raters", "text"),
    [
        (np.ones((1, 3, 2)), np.ones((1, 3, 2)), "2 raters or more"),
        (np.ones((1, 3, 2)), np.ones((2, 3, 3)), "must cover the same"),
        (np.ones((3, 2)), np.ones((2, 3, 2)), "must cover the same"),
    ],
)
def test_what_cannot_be_is_refused(judges, raters, text):
    with pytest.raises(DataError, match=text):
        compare_with_raters(judges, raters, rng=0, **KIND)


def test_one_rater_has_no_pair():
    with pytest.raises(DataError, match="at least two raters are required, got 1"):
        mean_pair_correlation(np.ones((1, 3, 2)), **KIND)


JUDGE = Rater(noise=0.9, slope=0.8, taste=0.3)
CREWS = {  # three raters drawn from people who are alike, and from people who are not
    "alike": lambda rng: [Rater(noise=0.7, taste=0.3) for _ in range(3)],
    "unlike": lambda rng: [
        Rater(noise=0.7 * np.exp(0.5 * z), slope=np.clip(1 + 0.25 * s, 0.3, 1.7), bias=0.2 * b, taste=0.3)
        for z, s, b in rng.standard_normal((3, 3))
    ],
}


def rated_by(crew, rng, *, n_systems, n_documents=30):
    """A judge's ratings and those of three people, of systems and documents drawn anew."""
    system_effects, document_effects = rng.standard_normal((n_systems, 1)), rng.standard_normal(n_documents)
    quality = (
        3
        + 0.5 * system_effects
        + 0.4 * document_effects
        + 0.5 * rng.standard_normal((n_systems, n_documents))
    )
    seeds = rng.integers(2**32, size=4)
    people = np.stack([rate(quality, r, rng=s)[0] for r, s in zip(CREWS[crew](rng), seeds, strict=False)])
    return rate(quality, JUDGE, rng=seeds[3]), people


@pytest.mark.slow
@pytest.mark.parametrize("crew", CREWS)
@pytest.mark.parametrize("kind", [("system", "pearson"), ("system", "kendall"), ("summary", "pearson")])
def test_the_interval_of_judge_less_rater_keeps_its_coverage(crew, kind):
    """The truth is over all systems, documents and people that could have been drawn.

    Both ways of drawing count what is particular to single summaries (Owen 2007), so more than 95 % is to
    be expected and less is an error.
    """
    level, coefficient = kind
    settings = {"level": level, "coefficient": coefficient}
    differences = []
    for trial in range(150):
        judge, people = rated_by(crew, np.random.default_rng([1, trial]), n_systems=300)
        comparison = [
            correlate(np.stack([judge[0], people[k]]), np.delete(people, k, axis=0).mean(axis=0), **settings)
            for k in range(3)
        ]
        differences.append(np.mean([each.value[0] - each.value[1] for each in comparison]))
    truth, n_trials = np.mean(differences), 200
    inside = 0
    for trial in range(n_trials):
        judge, people = rated_by(crew, np.random.default_rng([2, trial]), n_systems=12)
        comparison = compare_with_raters(judge, people, n_resamples=400, rng=trial, **settings)
        inside += comparison.low[0] <= truth <= comparison.high[0]
    assert binomtest(inside, n_trials, 0.95, alternative="less").pvalue > 0.01


@pytest.mark.parametrize("sparse", [[0.3, 0.4, 0.5], [0.3, 0.3, 0.3]])
def test_a_rater_of_too_few_ratings_for_a_correlation_is_left_out(sparse):
    rng = np.random.default_rng(4)
    quality = np.arange(8.0)[:, None] + np.zeros((8, 5))
    ratings, judges = (quality + rng.normal(size=(n, 8, 5)) for n in (3, 2))
    few = np.full((1, 8, 5), NAN)
    few[0, 0, :3] = sparse
    settings = {"level": "system", "coefficient": "kendall", "n_resamples": 199, "rng": 1}
    comparison = compare_with_raters(judges, np.concatenate([ratings, few]), **settings)
    assert np.isnan(comparison.raters).tolist() == [False, False, False, True]
    assert comparison.counts.sum(axis=0).tolist() == [3, 3]
    np.testing.assert_allclose(
        comparison.difference, (comparison.judges - comparison.raters[:, None])[:3].mean(axis=0)
    )
    assert comparison.ceiling == pytest.approx(comparison.raters[:3].mean())
    assert (comparison.low < comparison.high).all()
    assert (comparison.low <= comparison.difference).all()
    assert (comparison.difference <= comparison.high).all()
    # draws of that rater alone have no difference; all others are those of the three
    assert comparison.n_undefined.tolist() == np.isnan(comparison.distribution).sum(axis=1).tolist()
    alone = compare_with_raters(judges[:, :1], ratings[:2, :1], **settings)
    assert not alone.counts.any()
    assert np.isnan(alone.difference).all()
