"""A judge's rates and the corrected share: against libraries, by hand, and by coverage in simulation."""

import numpy as np
import pytest
import scipy

from metaeval.core.errors import DataError
from metaeval.stats.detection import (
    auc,
    auc_interval,
    calibration,
    corrected,
    label_interval,
    needed_items,
    rates,
)


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def verdicts(rng, n, *, share=0.6, tpr=0.9, tnr=0.7):
    """People and a judge of known rates, (..., n)."""
    people = (rng.random(n) < share).astype(float)
    judge = np.where(people == 1, rng.random(n) < tpr, rng.random(n) >= tnr).astype(float)
    return judge, people


def test_rates_are_those_of_the_libraries(rng):
    metrics = pytest.importorskip("sklearn.metrics")
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    judge, people = verdicts(rng, 60)
    observed = rates(judge, people)
    table = metrics.confusion_matrix(people, judge)
    assert (observed.tnr, observed.tpr) == pytest.approx(
        (table[0, 0] / table[0].sum(), table[1, 1] / table[1].sum())
    )
    assert observed.kappa == pytest.approx(metrics.cohen_kappa_score(people, judge))
    assert observed.kappa == pytest.approx(inter_rater.cohens_kappa(table).kappa)
    scores = np.round(people + rng.normal(0, 1, 60), 1)
    assert auc(scores, people) == pytest.approx(metrics.roc_auc_score(people, scores))
    assert len(np.unique(scores)) < 60


def test_a_draw_is_the_items_as_often_as_they_are_in_it(rng):
    judge, people = verdicts(rng, 30)
    judge[3], people[[5, 6]] = np.nan, np.nan
    counts = rng.integers(0, 3, (4, 30)).astype(float)
    drawn, areas = rates(judge, people, counts=counts), auc(judge, people, counts=counts)
    for k, count in enumerate(counts.astype(int)):
        again = np.repeat(np.arange(30), count)
        one = rates(judge[again], people[again])
        assert [getattr(drawn, name)[k] for name in vars(one)] == pytest.approx(
            [float(value) for value in vars(one).values()]
        )
        assert areas[k] == pytest.approx(auc(judge[again], people[again]))


def test_rogan_and_gladen_by_hand():
    judge = np.repeat([1.0, 0, 1, 0, 1, 0], [18, 2, 3, 7, 50, 50])
    people = np.repeat([1.0, 1, 0, 0, np.nan, np.nan], [18, 2, 3, 7, 50, 50])
    estimate = corrected(judge, people, target=np.isnan(people))
    assert (estimate.judge_passes, estimate.tpr, estimate.tnr) == pytest.approx((0.5, 0.9, 0.7))
    assert estimate.value == pytest.approx((0.5 + 0.7 - 1) / (0.9 + 0.7 - 1))
    share = float(estimate.value)
    variance = 0.25 / 100 + share**2 * 0.09 / 20 + (1 - share) ** 2 * 0.21 / 10
    n = len(judge)
    assert estimate.standard_error == pytest.approx(np.sqrt(variance * n / (n - 1)) / 0.6)
    assert estimate.high == pytest.approx(share + 1.959964 * estimate.standard_error)
    assert estimate.low == pytest.approx(max(0, share - 1.959964 * estimate.standard_error))


def test_with_all_labels_it_is_the_share_that_people_pass(rng):
    judge, people = verdicts(rng, 50)
    estimate = corrected(judge, people)
    assert estimate.value == pytest.approx(people.mean())
    # and its error that of a share
    assert estimate.standard_error == pytest.approx(people.std(ddof=1) / np.sqrt(50))


def test_copies_in_a_cluster_add_no_information(rng):
    judge, people = verdicts(rng, 40)
    people[25:] = np.nan
    once = corrected(judge, people)
    clusters = np.tile(np.arange(40), 3)
    copied = corrected(np.tile(judge, 3), np.tile(people, 3), clusters=clusters)
    assert (copied.value, copied.standard_error) == pytest.approx((once.value, once.standard_error))
    apart = corrected(np.tile(judge, 3), np.tile(people, 3))
    assert apart.standard_error < once.standard_error
    assert float(copied.low) == pytest.approx(float(once.low))
    assert float(copied.high) == pytest.approx(float(once.high))


def test_samples_side_by_side_are_samples_alone(rng):
    judge, people = verdicts(rng, 40)
    samples = np.where(rng.random((5, 40)) < 0.5, people, np.nan)
    together = corrected(judge, samples)
    alone = [corrected(judge, one) for one in samples]
    for name in ("value", "low", "high", "tpr"):
        np.testing.assert_allclose(getattr(together, name), [getattr(one, name) for one in alone])


def test_judges_side_by_side_are_judges_alone(rng):
    judges, people = verdicts(rng, (3, 40))
    people = people[0]
    together = corrected(judges, people)
    alone = [corrected(judge, people) for judge in judges]
    np.testing.assert_allclose(together.value, [one.value for one in alone])
    np.testing.assert_allclose(together.low, [one.low for one in alone])


def test_there_are_as_many_bins_as_asked_for_or_as_scores(rng):
    scores = rng.permutation(np.arange(40.0))
    people = (rng.random(40) < scores / 40).astype(float)
    bins = calibration(scores, people, n_bins=4)
    quarters = np.argsort(scores).reshape(4, 10)
    assert bins.n.tolist() == [10, 10, 10, 10]
    np.testing.assert_allclose(bins.predicted, scores[quarters].mean(axis=1))
    np.testing.assert_allclose(bins.value, people[quarters].mean(axis=1))
    assert calibration(scores, people, n_bins=60).predicted.tolist() == sorted(scores)


def test_printing_shows_no_workings():
    assert " _" not in repr(corrected([1.0, 1, 0, 0], [1.0, 1, 1, 0]))


def test_a_judge_that_tells_nothing_apart_leaves_everything_open():
    estimate = corrected([1.0, 1, 1, 1], [1.0, 1, 0, 0])
    assert np.isnan(estimate.value)
    assert (estimate.low, estimate.high) == (0, 1)
    value, low, high = estimate.minus(estimate)
    assert np.isnan(value)
    assert (low, high) == (-1, 1)


def test_the_difference_of_two_systems_by_a_perfect_judge_is_a_paired_difference(rng):
    people = (rng.random((2, 40)) < [[0.7], [0.5]]).astype(float)
    flat, documents = people.ravel(), np.tile(np.arange(40), 2)
    first, second = (
        corrected(flat, flat, target=np.repeat([k == 0, k == 1], 40), clusters=documents) for k in (0, 1)
    )
    value, low, high = first.minus(second)
    difference = people[0] - people[1]
    error = difference.std(ddof=1) / np.sqrt(40)
    assert value == pytest.approx(difference.mean())
    assert (low, high) == pytest.approx((value - 1.959964 * error, value + 1.959964 * error))


@pytest.mark.slow
def test_intervals_hold_the_share_as_often_as_they_should():
    rng = np.random.default_rng(8)
    n_worlds, n_target, n_labelled = 2_000, 500, 200
    judge, people = verdicts(rng, (n_worlds, n_labelled + n_target))
    people[:, n_labelled:] = np.nan
    target = np.arange(n_labelled + n_target) >= n_labelled
    estimate = corrected(judge, people, target=target)
    # the binomial error of 2,000 worlds is .005
    assert 0.93 <= ((estimate.low <= 0.6) & (estimate.high >= 0.6)).mean() <= 0.97


def test_clusters_may_be_as_many_as_items():
    people = np.tile([0.0, 1.0, 1.0], 40_000)
    estimate = corrected(np.tile([0.0, 1.0, 0.0], 40_000), people, clusters=np.arange(120_000)[::-1])
    assert estimate.value == pytest.approx(2 / 3)


@pytest.mark.slow
def test_clusters_have_to_be_passed():
    """Four summaries of a source that pass or fail together most of the time."""
    rng = np.random.default_rng(9)
    n_worlds, n_sources = 1_000, 60
    quality = 1.5 * rng.normal(size=(n_worlds, n_sources, 1)) + rng.normal(size=(n_worlds, n_sources, 4))
    people = (quality > 0).astype(float)
    wrong = (0.8 * rng.normal(size=(n_worlds, n_sources, 1)) + rng.normal(size=people.shape)) > 1.6
    judge = np.where(wrong, 1 - people, people).reshape(n_worlds, -1)
    people = people.reshape(n_worlds, -1)
    people[:, 120:] = np.nan
    clusters = np.repeat(np.arange(n_sources), 4)
    held = {}
    for labels in (None, clusters):
        estimate = corrected(judge, people, clusters=labels)
        held[labels is None] = ((estimate.low <= 0.5) & (estimate.high >= 0.5)).mean()
    assert 0.92 <= held[False] <= 0.97
    assert held[True] < 0.85


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (DataError, "`judge` must hold 1", lambda: corrected([0.5, 1], [1.0, 0])),
        (DataError, "`people` must hold 1", lambda: rates([0.0, 1], [2.0, 0])),
        (DataError, "of the same items", lambda: corrected([0.0, 1, 1], [1.0, 0])),
    ],
)
def test_bad_input_is_named(error, words, call):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(("passes", "value"), [(0.0, 0.0), (1.0, 1.0)])
def test_rates_that_do_not_fit_the_target_give_no_interval(passes, value):
    # of the labelled the judge passes 75 % and 25 %, so that no share of passing items gives 0 or 100 %
    judge = np.r_[np.full(2000, passes), np.repeat([1.0, 0, 1, 0], [30, 10, 10, 30])]
    people = np.r_[np.full(2000, np.nan), np.ones(40), np.zeros(40)]
    estimate = corrected(judge, people, target=np.isnan(people))
    assert estimate.value == value
    assert np.isnan([estimate.low, estimate.high]).all()


def test_a_difference_that_cannot_be_has_no_interval():
    labelled = np.repeat([1.0, 0, 1, 0], [30, 10, 10, 30])
    judge = np.r_[np.ones(2000), np.zeros(2000), labelled]
    people = np.r_[np.full(4000, np.nan), np.ones(40), np.zeros(40)]
    place = np.arange(len(judge))
    one, other = (
        corrected(judge, people, target=part) for part in (place < 2000, (place >= 2000) & (place < 4000))
    )
    value, low, high = one.minus(other)
    assert value == 1
    assert np.isnan([low, high]).all()


def test_interval_of_an_accuracy_is_that_of_a_beta_distribution():
    """The diagonal of a Dirichlet table is beta distributed: of each cell's count and half a case."""
    people = np.array([1.0] * 30 + [0.0] * 20)
    judge = people.copy()
    judge[[0, 1, 2, 40]] = 1 - judge[[0, 1, 2, 40]]
    ends = label_interval(judge, people, measure="accuracy", n_resamples=40_000, rng=0)
    assert ends.low == pytest.approx(scipy.stats.beta.ppf(0.025, 46 + 1, 4 + 1), abs=5 * ends.low_mc_error)
    assert ends.high == pytest.approx(
        scipy.stats.beta.ppf(0.975, 46 + 0.2, 4 + 0.2), abs=5 * ends.high_mc_error
    )


@pytest.mark.parametrize("measure", ["kappa", "auc", "accuracy"])
def test_a_gate_does_not_fall_when_the_last_error_is_mended(measure):
    people = np.array([1.0] * 360 + [0.0] * 40)
    for place in (0, 399):
        wrong = people.copy()
        wrong[place] = 1 - wrong[place]
        one, none = (label_interval(judge, people, measure=measure, rng=0) for judge in (wrong, people))
        assert 0.85 < one.low < none.low < none.high == 1
    # two judges that are never wrong do not differ by much, and neither is better
    low, high, *_ = label_interval(people, people, minus=people, measure=measure, rng=0)
    assert -0.1 < low < 0 < high < 0.1


def test_exchanged_judges_have_the_opposite_interval():
    rng = np.random.default_rng(1)
    people = (rng.random(60) < 0.7) * 1.0
    first, second = (np.where(rng.random(60) < share, people, 1 - people) for share in (0.9, 0.7))
    one = label_interval(first, people, minus=second, n_resamples=40_000, rng=0)
    other = label_interval(second, people, minus=first, n_resamples=40_000, rng=1)
    assert one.low == pytest.approx(-other.high, abs=6 * one.low_mc_error)
    scores = people + rng.normal(size=(2, 60))
    low, high = auc_interval(scores[0], people, minus=scores[1])
    assert [-high, -low] == pytest.approx(auc_interval(scores[1], people, minus=scores[0]).tolist())


def test_ends_of_an_area_are_as_far_as_hanley_and_mcneil_allow():
    """Both ends lie 1.96 standard errors of Hanley and McNeil's formula, for halves of the items, away."""
    rng = np.random.default_rng(2)
    people = np.array([1.0] * 24 + [0.0] * 16)
    scores = people + rng.normal(size=40)
    pairs = [(p > f) + (p == f) / 2 for p in scores[:24] for f in scores[24:]]
    for end in auc_interval(scores, people):
        passing, failing = end / (2 - end) - end**2, 2 * end**2 / (1 + end) - end**2
        square = (end * (1 - end) + 19 * passing + 19 * failing) / (24 * 16)
        assert abs(np.mean(pairs) - end) == pytest.approx(1.959964 * square**0.5, rel=1e-5)


def test_an_area_of_one_or_without_a_class_has_an_interval_or_none():
    low, high = auc_interval([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1])
    assert 0.3 < low < 0.7
    assert high == 1
    assert np.isnan(auc_interval([1, 2, 3], [1, 1, 1])).all()
    low, high = auc_interval([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1], minus=[6, 5, 4, 3, 2, 1])
    assert 0 < low < 1 <= high


def test_items_that_make_an_interval_as_narrow_as_asked():
    """Accuracy by the normal formula; kappa and area by the width of the interval of that many items."""
    people = np.array([1.0] * 120 + [0.0] * 80)
    judge = people.copy()
    judge[[*range(18), *range(188, 200)]] = 1 - judge[[*range(18), *range(188, 200)]]
    number, low, high = needed_items(judge, people, 0.1, measure="accuracy", rng=0)
    assert number == pytest.approx(4 * 1.96**2 * 0.85 * 0.15 / 0.1**2, rel=0.15)
    assert low < number < high
    for measure in ("kappa", "auc"):
        number, *_ = needed_items(judge, people, 0.1, measure=measure, rng=0)
        times = round(number / 200)
        ends = label_interval(np.tile(judge, times), np.tile(people, times), measure=measure, rng=0)
        assert ends.high - ends.low == pytest.approx(0.1, rel=0.15)
    # ten identical items of each document are worth one
    single, *_ = needed_items(judge[::10], people[::10], 0.1, measure="accuracy", rng=0)
    many = np.repeat(judge[::10], 10), np.repeat(people[::10], 10)
    together, *_ = needed_items(*many, 0.1, measure="accuracy", documents=np.repeat(range(20), 10), rng=0)
    assert together / single == pytest.approx(10, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(("passing", "tpr", "tnr"), [(0.85, 0.9, 0.9), (0.5, 0.8, 0.7)])
def test_planned_items_are_within_a_factor_of_two_in_most_pilots(passing, tpr, tnr):
    """Of the number that the truth needs, from pilots of 100 items, in 80 % of them."""
    rng = np.random.default_rng(7)

    def world(n):
        return verdicts(rng, n, share=passing, tpr=tpr, tnr=tnr)

    many = world(400_000)
    truth = needed_items(*many, 0.1, rng=0)[0]
    planned = np.array([needed_items(*world(100), 0.1, rng=k)[0] for k in range(150)])
    assert np.mean((planned > truth / 2) & (planned < 2 * truth)) > 0.8
