"""Designs to come against closed forms and against worlds whose components are known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from metaeval.core.errors import DataError
from metaeval.stats.components import CROSSED, UNRATED, Components, components
from metaeval.stats.intervals import fisher_bounds
from metaeval.stats.judges import judge_correlation, normal_ends, normal_tau_variance
from metaeval.stats.planning import (
    Together,
    difference_error,
    difference_power,
    difference_test,
    difference_width,
    fewest,
    together,
)

# variances of system, document, rater, system:document, system:rater, document:rater, residual
PEOPLE = Components(dict(zip(CROSSED, [0.5, 1.0, 0.2, 0.3, 0.04, 0.1, 0.6], strict=True)), 100)
METRIC = Components(dict(zip(UNRATED, [2.0, 1.0, 3.0], strict=True)), 100)
BOTH = Together(PEOPLE, METRIC, by_system=0.8, by_summary=0.4)


def test_the_error_of_a_difference_is_that_of_two_means():
    # 2 (.3/10 + .04/4 + .6/40)
    assert difference_error(PEOPLE, 10, 4) == pytest.approx(np.sqrt(2 * (0.03 + 0.01 + 0.015)))
    assert difference_width(PEOPLE, 10, 4) == pytest.approx(2 * stats.t.ppf(0.975, 9) * np.sqrt(2 * 0.055))
    grid = difference_width(PEOPLE, np.array([[5], [50]]), np.array([1, 2, 3]))
    assert grid.shape == (2, 3)
    assert grid[1, 2] == pytest.approx(difference_width(PEOPLE, 50, 3))


def test_power_is_that_of_a_t_test_of_so_many_differences():
    # without raters a paired t-test of n normal differences with variance 2 * .36
    one = Components(dict(zip(UNRATED, [1.0, 1.0, 0.36], strict=True)), 100)
    rng = np.random.default_rng(1)
    drawn = 0.4 + np.sqrt(0.72) * rng.normal(size=(20_000, 30))
    share_rejected = (stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05).mean()
    assert difference_power(one, 0.4, 30) == pytest.approx(share_rejected, abs=4 * np.sqrt(0.25 / 20_000))
    few = (stats.ttest_1samp(drawn[:, :4], 0, axis=1).pvalue <= 0.05).mean()
    assert difference_power(one, 0.4, 4) == pytest.approx(few, abs=4 * np.sqrt(few * (1 - few) / 20_000))
    assert difference_power(one, 1e-9, 30, alpha=0.1) == pytest.approx(0.1)
    assert difference_power(one, 1e3, 30) == pytest.approx(1)


def test_the_correlation_to_expect_is_attenuated_on_both_sides():
    r = (0.8 + 0.4 / 10) / np.sqrt((0.5 + 0.055) * (2 + 0.3))
    assert BOTH.correlation(10, 4) == pytest.approx(r)
    assert BOTH.correlation(10, 4, coefficient="kendall") == pytest.approx(2 / np.pi * np.arcsin(r))
    assert BOTH.correlation(10, 4, coefficient="spearman") == pytest.approx(6 / np.pi * np.arcsin(r / 2))
    true = 0.8 / np.sqrt(0.5 * 2)
    assert BOTH.correlation(10**7, 10**5) == pytest.approx(true, abs=1e-3)
    low, high = fisher_bounds(r, 20, coefficient="pearson", confidence_level=0.9)
    ends = BOTH.correlation_interval(20, 10, 4, confidence_level=0.9)
    assert ends == pytest.approx((r, low, high))
    flat = Together(Components(PEOPLE.variances | {"system": -0.1}, 100), METRIC, 0.8, 0.4)
    assert np.isnan(flat.correlation(10, 4))
    for sign in (-1, 1):  # components are estimates, and may not fit each other
        assert Together(PEOPLE, METRIC, 9.0 * sign, 0.4).correlation(10, 4) == sign


def drawn(rng, n_systems, n_documents, n_raters):
    """Judgments and a metric's scores with the components of `BOTH`; covariances by a mixture of normals."""
    sizes = {"system": n_systems, "document": n_documents, "rater": n_raters}
    people = 0.0
    for effect, variance in PEOPLE.variances.items():
        names = sizes if effect == "residual" else effect.split(":")
        shape = [n if name in names else 1 for name, n in sizes.items()]
        if effect == "system":
            system_effects = rng.multivariate_normal([0, 0], [[0.5, 0.8], [0.8, 2.0]], size=n_systems)
            people = people + system_effects[:, :1, None]
        elif effect == "system:document":
            cell_effects = rng.multivariate_normal(
                [0, 0], [[0.3, 0.4], [0.4, 3.0]], size=(n_systems, n_documents)
            )
            people = people + cell_effects[..., :1]
        else:
            people = people + np.sqrt(variance) * rng.normal(size=shape)
    metric = system_effects[:, 1:] + cell_effects[..., 1] + rng.normal(size=n_documents)
    return people, metric


def test_what_a_metric_shares_with_people_centres_on_the_truth():
    rng = np.random.default_rng(2)
    values = []
    for _ in range(60):
        people, metric = drawn(rng, 8, 10, 3)
        people[rng.random(people.shape) < 0.2] = np.nan
        one = together(people, 100 + 7 * metric)
        values.append([one.by_system / 7, one.by_summary / 7, one.metric.variances["system"] / 49])
    values = np.array(values)
    error = values.std(axis=0) / np.sqrt(len(values))
    np.testing.assert_array_less(np.abs(values.mean(axis=0) - [0.8, 0.4, 2.0]), 4 * error)


def test_a_metric_shares_nothing_where_it_does_not_vary_and_the_same_in_any_unit():
    people, metric = drawn(np.random.default_rng(5), 8, 10, 3)
    one, constant = together(people, metric), together(people, np.full(metric.shape, 3.0))
    assert (constant.by_system, constant.by_summary) == pytest.approx((0, 0), abs=1e-12)
    for unit in (1e-12, 1e12):
        same = together(people, unit * metric)
        assert same.by_system / unit == pytest.approx(one.by_system)
        assert same.by_summary / unit == pytest.approx(one.by_summary)


@pytest.mark.parametrize(("coefficient", "n_systems"), [("pearson", 14), ("spearman", 40), ("kendall", 14)])
def test_the_width_of_an_interval_is_that_of_simulated_studies(coefficient, n_systems):
    rng, widths = np.random.default_rng(6), []
    for _ in range(60):
        people, metric = drawn(rng, n_systems, 10, 3)
        options = {"coefficient": coefficient, "n_resamples": 99, "rng": 1}
        ends = judge_correlation(metric[None], people.mean(axis=2), **options).ends()
        widths.append(ends.high[0] - ends.low[0])
    expected = BOTH.interval_width(n_systems, 10, 3, coefficient=coefficient)
    assert expected == pytest.approx(np.mean(widths), rel=0.12)
    options = {"pilot": (10**7, 10**6, 10**3), "coefficient": coefficient}
    share = np.mean(np.array(widths) <= BOTH.width_for_share(0.8, n_systems, 10, 3, **options))
    assert share == pytest.approx(0.8, abs=0.15)


@pytest.mark.parametrize(
    ("coefficient", "r", "n_systems"), [("pearson", 0.95, 12), ("spearman", 0.95, 30), ("kendall", 0.95, 12)]
)
def test_near_a_correlation_of_1_and_of_many_documents_widths_are_those_of_simulated_studies(
    coefficient, r, n_systems
):
    one = Components(dict(zip(UNRATED, [1.0, 0.0, 1.0], strict=True)), 100)
    both = Together(one, one, by_system=r, by_summary=0.0)
    rng, widths = np.random.default_rng(8), []
    for _ in range(60):
        means = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=n_systems).T[..., None]
        people, metric = means + rng.normal(size=(2, n_systems, 200))
        ends = judge_correlation(metric[None], people, coefficient=coefficient, n_resamples=99, rng=1).ends()
        widths.append(ends.high[0] - ends.low[0])
    assert both.interval_width(n_systems, 200, coefficient=coefficient) == pytest.approx(
        np.mean(widths), rel=0.15
    )


def test_ends_for_normal_scores_solve_for_their_variance():
    """By hand for Pearson; of tau, each end is its reach away with the variance of both."""
    low, high = normal_ends(0.6, 25, coefficient="pearson", confidence_level=0.95)
    reach = stats.t.isf(0.025, 29) / np.sqrt(22)
    assert (low, high) == pytest.approx((np.tanh(np.arctanh(0.6) - reach), np.tanh(np.arctanh(0.6) + reach)))
    for end in normal_ends(0.6, 25, coefficient="kendall", confidence_level=0.95):
        prior = 1.2 * normal_tau_variance((0.6 + 3 * end) / 4, 25)
        square = (10 * prior + 24 * normal_tau_variance(0.6, 25)) / 34
        assert abs(end - 0.6) == pytest.approx(stats.t.isf(0.025, 34) * np.sqrt(square), rel=1e-3)
    assert np.isnan(normal_ends(0.6, 4, coefficient="kendall", confidence_level=0.95)).all()


def test_a_greater_width_holds_more_studies_and_grows_with_a_smaller_pilot():
    widths = [
        float(BOTH.width_for_share(share, 20, 10, 3, pilot=(8, 30, 3))) for share in (0.2, 0.5, 0.8, 0.95)
    ]
    assert widths == sorted(widths)
    assert widths[1] == pytest.approx(float(BOTH.interval_width(20, 10, 3)), rel=0.02)
    pilots = [BOTH.width_for_share(0.8, 20, 10, 3, pilot=(n, 30, 3)) for n in (8, 9, 10, 11, 80)]
    assert (np.diff(pilots) < 0).all()
    flat = Together(PEOPLE, METRIC, by_system=0.0, by_summary=0.0)
    assert flat.lowered(0.9, (8, 30, 3)) == 0
    assert np.isfinite(flat.width_for_share(0.9, 20, 10, 3, pilot=(8, 30, 3)))


@pytest.mark.slow
def test_designs_do_in_simulation_what_was_planned():
    """Scatter of a difference of means, and of the correlation's transform, over worlds of the planned size."""
    rng = np.random.default_rng(3)
    differences, transformed = [], []
    for _ in range(4_000):
        people, metric = drawn(rng, 20, 12, 3)
        means = people.mean(axis=(1, 2))
        differences.append((people[0] - people[1]).mean())
        transformed.append(np.arctanh(np.corrcoef(means, metric.mean(axis=1))[0, 1]))
    # two systems drawn at random differ by their true means too
    spread = np.sqrt(2 * 0.5 + difference_error(PEOPLE, 12, 3) ** 2)
    assert np.std(differences) == pytest.approx(spread, rel=4 / np.sqrt(2 * 4_000))
    expected, low, high = BOTH.correlation_interval(20, 12, 3)
    assert np.tanh(np.mean(transformed)) == pytest.approx(expected, abs=0.02)
    ends = np.tanh(np.arctanh(expected) + np.array([-1.96, 1.96]) * np.std(transformed))
    assert ends[1] - ends[0] == pytest.approx(high - low, rel=0.05)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_what_two_pilots_leave_open_differs_by_their_numbers_of_systems(coefficient):
    """The part of a width that does not depend on the pilot cancels in the difference."""
    sizes, added, open_ = (40, 30, 3), [], []
    usual = BOTH.interval_width(*sizes, coefficient=coefficient)
    for n_pilot in (5, 50):
        pilot = (n_pilot, 30, 3)
        width = BOTH.width_for_share(0.8, *sizes, pilot=pilot, coefficient=coefficient)
        less = stats.chi2.isf(0.8, n_pilot - 1) / (n_pilot - 1)  # of systems' variance
        people, metric = (
            replace(side, variances=side.variances | {"system": less * side.variances["system"]})
            for side in (PEOPLE, METRIC)
        )
        alike = Together(people, metric, less * BOTH.by_system, BOTH.by_summary)
        lower = BOTH.interval_width(*sizes, coefficient=coefficient, times=BOTH.lowered(0.8, pilot))
        wider = [lower - usual, alike.interval_width(*sizes, coefficient=coefficient) - usual]
        added.append((width - usual) ** 2)
        open_.append(sum(part**2 for part in wider))
    assert added[0] > added[1]
    assert added[0] - added[1] == pytest.approx(open_[0] - open_[1])


def test_the_fewest_that_are_enough():
    need = fewest(
        lambda n: difference_width(PEOPLE, n, np.array([1, 2, 50])) <= 0.5, (3,), minimum=2, maximum=5_000
    )
    assert need[0] == 0  # one rater's own taste for systems keeps it wider
    for n, raters in zip(need[1:], [2, 50], strict=True):
        if n:
            assert difference_width(PEOPLE, n, raters) <= 0.5 < difference_width(PEOPLE, n - 1, raters)
    assert need[2] > 2


@pytest.mark.parametrize("maximum", [10, 1_000, 10_000])
def test_few_documents_are_not_enough_where_one_more_would_not_be(maximum):
    """What is enough for some numbers and not for greater ones is not enough."""
    for not_enough in ([4], [3, 4], [2, 5]):
        need = fewest(lambda n, bad=not_enough: ~np.isin(n, bad), (1,), minimum=2, maximum=maximum)
        assert need.tolist() == [not_enough[-1] + 1]


@pytest.mark.parametrize(("batch", "n_tried"), [(1, 1), (17, 2), (10_000, 60)])
def test_numbers_are_tried_at_once_for_as_many_as_are_asked_about(monkeypatch, batch, n_tried):
    monkeypatch.setattr("metaeval.stats.planning.MAX_CANDIDATES", batch)
    calls = []

    def enough(n):
        calls.append(n.shape)
        return n >= np.array([[2, 30, 999], [1_000, 1_001, 5]])

    assert fewest(enough, (2, 3), minimum=2, maximum=1_000).tolist() == [[2, 30, 999], [1_000, 0, 5]]
    tried = [shape[0] for shape in calls if len(shape) == 3]
    assert tried[0] == max(tried) == min(n_tried, sum(tried))
    halved = [shape for shape in calls if len(shape) == 2]
    assert 0 < len(halved) <= 10  # of a range up to 1,000
    assert {shape[-2:] for shape in calls} == {(2, 3)}


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_no_interval_of_a_correlation_is_wider_than_from_minus_1_to_1(coefficient):
    noisy = Together(PEOPLE, METRIC, by_system=0.8, by_summary=-1.2)
    options = {"coefficient": coefficient, "confidence_level": 0.99999}
    widths = noisy.width_for_share(0.8, 5, np.arange(2, 7), 1, pilot=(6, 10, 3), **options)
    assert widths.max() == 2


def test_without_raters_there_is_no_plan_for_more_of_them():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(6, 1)) + rng.normal(size=30) + 0.5 * rng.normal(size=(6, 30))
    estimates = components(values)
    assert tuple(estimates.variances) == UNRATED
    # the analysis of variance of two ways
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    residual = (rest**2).sum() / (5 * 29)
    assert estimates.variances["residual"] == pytest.approx(residual)
    assert estimates.variances["system"] == pytest.approx(values.mean(axis=1).var(ddof=1) - residual / 30)
    assert estimates.error_variance(10) == pytest.approx(residual / 10)
    with pytest.raises(DataError, match="effect of more raters cannot be estimated"):
        estimates.reliability(10, 2)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "`difference` must be above 0", lambda: difference_power(PEOPLE, 0, 10)),
        (ValueError, "must be above 0, got -0.4: equal systems", lambda: difference_power(PEOPLE, -0.4, 10)),
        (ValueError, "at least 2", lambda: difference_width(PEOPLE, 1)),
        (ValueError, "did you mean 0.95", lambda: difference_width(PEOPLE, 9, confidence_level=95)),
        (ValueError, "whole number", lambda: difference_error(PEOPLE, 9.5)),
        (DataError, "cover the same", lambda: together(np.ones((3, 4)), np.ones((4, 3)))),
        (ValueError, "kendal", lambda: BOTH.correlation(3, coefficient="kendal")),
    ],
)
def test_bad_input_is_named(error, words, call):
    with pytest.raises(error, match=words):
        call()


def test_a_difference_is_tested_by_the_interactions_behind_it():
    """Three systems, two documents, two raters; the sums of squares by hand, from cell effects of +-1."""
    effects = np.array([1.0, -1.0])
    liking = np.array([1.0, -1.0, 0.0])[:, None, None]
    values = np.array([3.0, 1.0, 2.0])[:, None, None] + liking * effects[:, None] + 0 * effects
    # system:document alone: its mean square is 2 (1 + 1 + 1 + 1) / 2 over 2 raters
    one = difference_test(values, 0, 1)
    assert one.difference == pytest.approx(2)
    assert one.standard_error == pytest.approx(np.sqrt(2 * 2.0 / 2))
    assert one.df == pytest.approx(2)
    assert one.pvalue == pytest.approx(2 * stats.t.sf(2 / np.sqrt(2), 2))


@pytest.mark.slow
@pytest.mark.parametrize("taste", [0.05, 0.2, 0.4])
def test_equal_systems_are_told_apart_as_often_as_the_level_says(taste):
    rng = np.random.default_rng(11)
    n, hits, naive = 1_000, 0, 0
    for _ in range(n):
        values = 0.4 * rng.normal(size=(10, 20, 1)) + taste * rng.normal(size=(10, 1, 3))
        values = values + 0.7 * rng.normal(size=(10, 20, 3))
        hits += difference_test(values, 0, 1).pvalue < 0.05
        naive += stats.ttest_1samp((values[0] - values[1]).mean(axis=1), 0).pvalue < 0.05
    assert stats.binomtest(hits, n, 0.05).pvalue > 0.001
    if taste == 0.4:
        assert naive > 0.3 * n
