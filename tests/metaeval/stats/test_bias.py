"""Biases against statsmodels' clustered regression, counts by hand, and coverage where the truth is known."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.simulation.raters import Rater, Scale, choose, rate
from metaeval.stats.bias import (
    clustered_mean,
    clustered_share,
    clustered_slope,
    first_shown,
    flipped,
    match_scale,
    own_less_others,
    repeat_variance,
)

N, M = 7, 9
SYSTEMS, DOCUMENTS = np.indices((N, M)).reshape(2, -1)


def random_scores(seed=0):
    """Values, lengths and people's ratings with effects of systems and documents, and a few gaps."""
    rng = np.random.default_rng(seed)
    planes = rng.normal(size=(3, N, 1)) + rng.normal(size=(3, 1, M)) + rng.normal(size=(3, N, M))
    planes[0, 2, 3] = planes[0, 5, :2] = np.nan
    return planes


GROUPS = {"system": SYSTEMS, "document": DOCUMENTS}


def square_of_mean(values, labels):
    """Squared clustered error by statsmodels."""
    n = len(values)
    of = OLS(values, np.ones(n)).fit().get_robustcov_results("cluster", groups=labels)
    return of.bse[0] ** 2


def square_of_slope(values, design, labels):
    """Squared error by fitting again without each cluster, one after the other."""
    whole, names = OLS(values, design).fit().params[-1], np.unique(labels)
    without = [OLS(values[labels != one], design[labels != one]).fit().params[-1] for one in names]
    return (len(names) - 1) / len(names) * sum((one - whole) ** 2 for one in without)


def error_of(square, by):
    """From squared errors by labels: of both clusterings together no less than of each."""
    single = [square(GROUPS[name]) for name in by]
    return np.sqrt(max(*single, sum(single) - square(np.arange(N * M))) if len(by) == 2 else single[0])


@pytest.mark.parametrize("by", [("document",), ("system",), ("system", "document")])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_means_and_slopes_are_those_of_statsmodels(by, seed):
    values, lengths, people = random_scores(seed)
    present = ~np.isnan(values.ravel())
    flat = [side.ravel()[present] for side in (values, lengths, people)]
    expected = [(flat[0].mean(), error_of(lambda labels: square_of_mean(flat[0], labels[present]), by))]
    for sides in ((flat[1],), (flat[2], flat[1])):
        design = np.column_stack([np.ones(present.sum()), *sides])
        square = lambda labels, design=design: square_of_slope(flat[0], design, labels[present])  # noqa: E731
        expected.append((OLS(flat[0], design).fit().params[-1], error_of(square, by)))
    estimates = (
        clustered_mean(values, by=by),
        clustered_slope(values, lengths, by=by),
        clustered_slope(values, lengths, control=people, by=by),
    )
    for estimate, (value, error) in zip(estimates, expected, strict=True):
        assert (estimate.value, estimate.standard_error) == pytest.approx((value, error))
        reach = stats.t.ppf(0.975, (M if by == ("document",) else N) - 1) * error
        assert (estimate.low, estimate.high) == pytest.approx((value - reach, value + reach))
        assert estimate.n_used == N * M - 3


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e298])
def test_a_slope_does_not_depend_on_the_unit(scale):
    values, lengths, people = random_scores(6)
    expected = clustered_slope(values, lengths, control=people)
    for estimate, unit in (
        (clustered_slope(values, scale * lengths, control=people), 1 / scale),
        (clustered_slope(values, lengths, control=scale * people), 1.0),
        (clustered_slope(1e-5 * scale * values, lengths, control=people), 1e-5 * scale),
    ):
        for ours, theirs in (
            (estimate.value, expected.value),
            (estimate.standard_error, expected.standard_error),
        ):
            assert ours == pytest.approx(unit * theirs, rel=1e-9)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")
@pytest.mark.parametrize("constant", [0.1, 1 / 3, 7.7])
def test_what_is_held_fixed_may_vary_in_one_system_alone(constant):
    """Without that system it does not vary but for rounding errors, which are nothing to hold fixed."""
    values, lengths, people = random_scores(1)
    control, present = np.full((N, M), constant), ~np.isnan(values.ravel())
    control[3] = people[3]
    sides = [np.ones(present.sum()), control.ravel()[present], lengths.ravel()[present]]
    square = square_of_slope(values.ravel()[present], np.column_stack(sides), SYSTEMS[present])
    slope = clustered_slope(values, lengths, control=control, by=("system",))
    assert slope.standard_error == pytest.approx(np.sqrt(square))


def test_a_slope_that_one_system_makes_has_no_interval_for_others():
    values, lengths = random_scores(7)[1], np.zeros((N, M))
    lengths[3] = 1.0
    slope = clustered_slope(values, lengths)
    assert slope.value == pytest.approx(values[3].mean() - np.delete(values, 3, axis=0).mean())
    documents = clustered_slope(values, lengths, by=("document",))
    assert np.isfinite([documents.low, documents.high]).all()
    assert np.isnan(clustered_slope(values, lengths, by=("system",)).low)
    assert np.isnan([slope.standard_error, slope.low, slope.high]).all()


def test_leading_axes_are_estimated_one_by_one():
    planes, lengths = np.stack([random_scores(3)[0], random_scores(4)[1]]), random_scores(5)[1]
    both, alone = clustered_slope(planes, lengths), clustered_slope(planes[1], lengths)
    assert (both.value[1], both.low[1], both.n_used[1]) == (alone.value, alone.low, alone.n_used)


def test_an_estimate_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        clustered_mean(random_scores()[1]).value = 0.0


def test_a_single_system_is_clustered_by_document_only():
    row = random_scores()[1][:1]
    both, documents = clustered_mean(row), clustered_mean(row, by=("document",))
    assert both.standard_error == pytest.approx(documents.standard_error)
    assert both.n_clusters == documents.n_clusters == M


def test_what_does_not_vary_has_a_value_and_no_interval():
    for constant in (0.5, 1000.1):  # the mean of the second is off by a rounding error
        mean = clustered_mean(np.full((5, 13), constant))
        assert mean.value == pytest.approx(constant)
        assert np.isnan([mean.standard_error, mean.low, mean.high]).all()
    assert np.isnan(clustered_slope(random_scores()[1], np.ones((N, M))).value)
    assert np.isnan(clustered_mean(np.full((3, 4), np.nan)).value)


def test_shares_of_independent_values_have_the_interval_of_clopper_and_pearson():
    values = (np.arange(40) < 3).astype(float)[None]
    share = clustered_share(values)
    # a mean's squared error has n - 1 below, a binomial one n
    low, high = proportion_confint(3 * 39 / 40, 39, method="beta")
    assert (share.low, share.high) == pytest.approx((low, high))
    none = clustered_share(np.zeros((1, 40)))
    assert (none.low, none.high) == pytest.approx(proportion_confint(0, 40, method="beta"))


def test_values_that_come_together_count_as_fewer():
    once = (np.arange(40) < 10).astype(float)[None]
    twice = clustered_share(np.repeat(once, 2, axis=0), by=("document",))
    # as many as 39 independent ones, less for a spread that is known from 40 clusters and not from 80 values
    units = 39 * (stats.t.ppf(0.975, 79) / stats.t.ppf(0.975, 39)) ** 2
    low, high = proportion_confint(0.25 * units, units, method="beta")
    assert (twice.value, twice.low, twice.high) == pytest.approx((0.25, low, high))


def test_position_is_counted_from_both_orders():
    # columns: the better in both orders, the first shown in both, the second shown, a tie once, no answer
    choices = np.array([[[1.0, 1.0, 0.0, 0.5, np.nan]], [[1.0, 0.0, 1.0, 0.0, 1.0]]])
    np.testing.assert_array_equal(first_shown(choices), [[0.5, 1.0, 0.0, 0.75, np.nan]])
    np.testing.assert_array_equal(flipped(choices), [[0.0, 1.0, 1.0, 1.0, np.nan]])


def test_own_is_held_against_the_others_and_against_people():
    judge, people = (
        np.array([[5.0, 4.0], [3.0, 3.0], [1.0, 3.0]]),
        np.array([[4.0, 4.0], [3.0, 2.0], [3.0, 3.0]]),
    )
    # beyond people: own 1 and 0; others 0 and 1, -2 and 0, on average -1 and 0.5
    np.testing.assert_allclose(own_less_others(judge, people, 0), [[2.0, -0.5]])


def test_several_judges_are_looked_at_one_by_one():
    judges, people = random_scores(8), random_scores(9)
    for others in (people, people[[1, 1, 1]]):
        each = [own_less_others(*both, 2) for both in zip(judges, others, strict=True)]
        np.testing.assert_allclose(own_less_others(judges, others, 2), each, atol=1e-12)
    np.testing.assert_allclose(own_less_others(judges, people[1], 2), each, atol=1e-12)
    each = [match_scale(judge, people) for judge in judges]
    np.testing.assert_array_equal(match_scale(judges, people), each)


def test_repeats_vary_about_what_a_rater_always_gives():
    first = np.array([[1.0, 2.0], [3.0, 4.0]])
    second = first + np.array([[1.0, -1.0], [1.0, -1.0]]) + 10.0
    np.testing.assert_allclose(repeat_variance(np.stack([first, second])), 0.5)
    with pytest.raises(DataError, match="at least two rounds, got 1"):
        repeat_variance(first[None])


def test_scores_on_the_scale_of_ratings_are_used_as_people_use_it():
    ratings = [1, 5, 5, 2, 5, np.nan]
    matched = match_scale([[0.1, 0.7, 0.3, 0.2, 0.9, np.nan]], ratings)
    np.testing.assert_array_equal(matched, [[1, 5, 5, 2, 5, np.nan]])
    np.testing.assert_array_equal(match_scale([[7.0, 7.0, 7.0]], [1, 2, 3, 4, 4]), [[3, 3, 3]])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: clustered_mean(np.ones((2, 3)), by=("rater",)),
            UnknownNameError,
            "unknown clustering 'rater'",
        ),
        (lambda: clustered_mean(np.ones((2, 3)), by=()), ValueError, "at least one clustering is required"),
        (
            lambda: clustered_slope(np.ones((2, 3)), np.ones((3, 2))),
            DataError,
            r"summaries \(2, 3\), got \(3, 2\)",
        ),
    ],
)
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error, match=text):
        call()


# ------------------------------------------------------------------------------------------------ coverage

TRIALS = 400
FINE = Scale(low=-100.0, high=100.0, step=0.001)  # nothing is rounded away or cut off


def is_compatible(n_inside, level=0.95):
    """True if this many of `TRIALS` intervals are compatible with a coverage of `level`."""
    return stats.binomtest(int(n_inside), TRIALS, level).pvalue > 0.001


def preferred(trial):
    """The interval of the share of the first shown, among pairs of eleven systems' summaries of 60 documents."""
    rng = np.random.default_rng([trial, 1])
    first, second = rng.normal(3, 0.8, (2, 11, 60)) + rng.normal(0, 0.4, (2, 11, 1))
    judge = Rater(noise=0.8, first=0.5)
    chosen = choose(first.ravel(), second.ravel(), judge, rng=trial).reshape(2, 11, 60)
    return clustered_mean(first_shown(chosen))


def lengthened(trial, **settings):
    """The interval of a length's slope of judge less people, where the judge also favours systems by chance."""
    rng = np.random.default_rng([trial, 2])
    lengths = rng.normal(0, 1, (16, 1)) + rng.normal(0, 0.5, (1, 60)) + rng.normal(0, 0.7, (16, 60))
    quality = rng.normal(0, 1, (16, 60)) + rng.normal(0, 1, (16, 1))
    favours = dict(enumerate(rng.normal(0, 0.15, 16)))
    lengths = (lengths - lengths.mean()) / lengths.std()
    judge = rate(quality + 0.3 * lengths, Rater(favours=favours, taste=0.5), scale=FINE, rng=trial)
    people = rate(quality, Rater(noise=0.6), scale=FINE, rng=10_000 + trial)
    return clustered_slope((judge - people)[0], lengths, **settings)


def favoured(trial):
    """The interval of what a judge gives its own system beyond the others, among ten systems' summaries."""
    rng = np.random.default_rng([trial, 3])
    quality = rng.normal(0, 1, (10, 75)) + rng.normal(0, 0.7, (1, 75))
    judge = rate(quality, Rater(favours={4: 0.4}, slope=1.0, taste=0.5), scale=FINE, rng=trial)[0]
    people = rate(quality, Rater(noise=0.6), scale=FINE, rng=10_000 + trial)[0]
    return clustered_mean(own_less_others(judge, people, 4), by=("document",))


# of the first shown: the gap of two is normal, of two systems, two summaries and two answers
SPREAD = np.sqrt(2 * (0.8**2 + 0.4**2 + 0.8**2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimate", "truth"),
    [(preferred, stats.norm.cdf(0.5 / SPREAD)), (lengthened, 0.3), (favoured, 0.4)],
)
def test_intervals_hold_their_coverage(estimate, truth):
    intervals = [estimate(trial) for trial in range(TRIALS)]
    assert is_compatible(sum(one.low <= truth <= one.high for one in intervals))
    error = np.std([one.value for one in intervals]) / np.sqrt(TRIALS)
    assert abs(np.mean([one.value for one in intervals]) - truth) < 4 * error


@pytest.mark.slow
def test_documents_alone_make_the_intervals_of_a_slope_too_short():
    intervals = [lengthened(trial, by=("document",)) for trial in range(TRIALS)]
    inside = sum(one.low <= 0.3 <= one.high for one in intervals)
    assert inside < 0.95 * TRIALS
    assert not is_compatible(inside)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_systems", "n_documents", "habit", "rest"),
    [(16, 60, 1.5, 0.6), (5, 60, 1.5, 0.6), (8, 60, 1.5, 0.6), (25, 60, 1.5, 0.6), (16, 60, 0.3, 1.0), (25, 6, 1.0, 0.6)],
)  # fmt: skip
def test_slopes_hold_their_coverage_where_lengths_are_a_habit_of_few_systems(
    n_systems, n_documents, habit, rest
):
    """Most of the spread of lengths may be between systems, of which the judge likes some without it.

    Without leaving out clusters, errors are too small there: intervals of five systems held the truth in 87 %
    of the benchmarks, of sixteen in 90 %. Now it is 93 % or more.
    """
    rng, inside, n_trials = np.random.default_rng(8), 0, 1_000
    for _ in range(n_trials):
        values, lengths = (
            rng.normal(0, ours, (n_systems, 1))
            + rng.normal(0, 0.5, (1, n_documents))
            + rng.normal(0, theirs, (n_systems, n_documents))
            for ours, theirs in ((0.5, 1.0), (habit, rest))
        )
        slope = clustered_slope(values, lengths)
        inside += slope.low <= 0 <= slope.high
    assert stats.binomtest(int(inside), n_trials, 0.94, alternative="less").pvalue > 0.01


@pytest.mark.slow
def test_flip_rates_near_nought_keep_their_coverage():
    rng = np.random.default_rng(5)
    for rate_, min_coverage in ((0.02, 0.95), (0.3, 0.95)):
        drawn = (rng.random((TRIALS, 1, 60)) < rate_).astype(float)
        share = clustered_share(drawn)
        inside = ((share.low <= rate_) & (rate_ <= share.high)).sum()
        assert stats.binomtest(int(inside), TRIALS, min_coverage, alternative="less").pvalue > 0.001
