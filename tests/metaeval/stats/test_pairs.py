"""Pairs with ties against lists of all pairs, and the tie threshold against every threshold tried in turn."""

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats import pairs
from metaeval.stats.pairs import (
    GROUPINGS,
    calibrate,
    fitted_on_few,
    group_coefficients,
    held_out_accuracy,
    held_out_right,
    pair_counts,
)
from tests import oracles

tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(
        *(hnp.arrays(float, shape, elements=st.sampled_from([0, 1, 2, 3.5, np.nan])),) * 2
    )
)


def groups(array, grouping):
    if grouping == "none":
        return [[cell for row in array.tolist() for cell in row]]
    return array.tolist() if grouping == "system" else array.T.tolist()


def listed(metric, human, grouping, epsilon=0.0):
    """(concordant, discordant, tied by metric, by people, by both) of each group, pair by pair."""
    values = []
    for x, z in zip(groups(metric, grouping), groups(human, grouping), strict=True):
        counts = [0] * 5
        scored = [(a, b) for a, b in zip(x, z, strict=True) if not (isnan(a) or isnan(b))]
        for (a, b), (c, d) in combinations(scored, 2):
            metric_ties, people_tie = abs(a - c) <= epsilon, b == d
            if metric_ties or people_tie:
                counts[4 if metric_ties and people_tie else 2 if metric_ties else 3] += 1
            else:
                counts[0 if (a > c) == (b > d) else 1] += 1
        values.append(counts)
    return np.array(values)


def accuracy(counts):
    with_pairs = [row for row in counts.tolist() if sum(row)]
    return np.mean([(row[0] + row[4]) / sum(row) for row in with_pairs]) if with_pairs else np.nan


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(both=tables, epsilon=st.sampled_from([0.0, 1.0, 1.5, 10.0]))
@settings(max_examples=30, deadline=None)
def test_counts_equal_a_list_of_all_pairs(grouping, both, epsilon):
    metric, human = both
    counts = pair_counts(metric, human, grouping=grouping, epsilon=epsilon)
    expected = listed(metric, human, grouping, epsilon)
    np.testing.assert_array_equal(np.array(list(vars(counts).values())).T, expected)
    np.testing.assert_allclose(counts.accuracy(), accuracy(expected), rtol=1e-12)


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(both=tables)
@settings(max_examples=30, deadline=None)
def test_tau_b_is_scipy_s_where_it_exists(grouping, both):
    sides = zip(*(groups(side, grouping) for side in both), strict=True)
    taus = [oracles.coefficient(*group, "kendall") for group in sides]
    expected = np.nanmean(taus) if not np.isnan(taus).all() else np.nan
    np.testing.assert_allclose(pair_counts(*both, grouping=grouping).tau_b(), expected, atol=1e-12)


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(both=tables)
@settings(max_examples=30, deadline=None)
def test_the_threshold_is_the_smallest_of_the_best(grouping, both):
    metric, human = both
    if not listed(metric, human, grouping).sum():
        with pytest.raises(DataError, match="at least two summaries"):
            calibrate(metric, human, grouping=grouping)
        return
    tried = {float(abs(a - b)) for a in metric.flat for b in metric.flat if not isnan(a - b)} | {0.0}
    values = {epsilon: accuracy(listed(metric, human, grouping, epsilon)) for epsilon in sorted(tried)}
    best = max(values.values())
    fitted = calibrate(metric, human, grouping=grouping)
    assert fitted.accuracy == pytest.approx(best, abs=1e-12)
    assert fitted.epsilon == min(epsilon for epsilon, value in values.items() if value > best - 1e-12)
    assert fitted.uncalibrated == pytest.approx(values[0.0], abs=1e-12)
    assert fitted.exact


def test_metrics_are_counted_side_by_side():
    rng = np.random.default_rng(3)
    scores, human = rng.integers(0, 4, (2, 3, 6, 7)).astype(float), rng.integers(0, 4, (6, 7)).astype(float)
    together = pair_counts(scores, human).tau_b()
    assert together.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert together[i, j] == pair_counts(scores[i, j], human).tau_b()


def test_another_threshold_on_held_out_documents_does_not_flatter():
    rng = np.random.default_rng(4)
    human, noise = rng.integers(0, 2, (4, 40)).astype(float), rng.normal(size=(4, 40))
    fitted = calibrate(noise, human, grouping="item")
    held_out = held_out_accuracy(noise, human, grouping="item", rng=5)
    assert held_out < fitted.accuracy
    assert held_out == held_out_accuracy(noise, human, grouping="item", rng=5)
    assert held_out != held_out_accuracy(noise, human, grouping="item", rng=6)


def test_held_out_equals_folds_fitted_and_scored_by_hand():
    rng = np.random.default_rng(7)
    human, metric = rng.integers(0, 3, (5, 9)).astype(float), rng.normal(size=(5, 9))
    metric[:, 2] = np.nan
    values = []
    # one document a fold: each is scored with the threshold of all others
    for document in range(9):
        others = np.delete(np.arange(9), document)
        epsilon = calibrate(metric[:, others], human[:, others]).epsilon
        values.append(
            float(pair_counts(metric[:, [document]], human[:, [document]], epsilon=epsilon).accuracy())
        )
    assert isnan(values[2])
    assert held_out_accuracy(metric, human, n_folds=9, rng=0) == pytest.approx(np.nanmean(values), abs=1e-12)


def rated(seed=0, shape=(6, 14)):
    """A judge and people with ratings of five steps, where a document may be rated all alike."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, shape)
    return np.round(quality + rng.normal(0, 0.7, shape)).clip(1, 5), np.round(quality).clip(2, 4)


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_coefficients_of_a_group_are_scipys(grouping):
    metric, human = rated(3, (4, 9))
    metric[:, 2], human[:, 5] = 4.0, 3.0
    metric[1, 0] = np.nan
    coefficients = group_coefficients(metric, human, grouping=grouping)
    for g, (x, z) in enumerate(zip(groups(metric, grouping), groups(human, grouping), strict=True)):
        x, z = np.array([(a, b) for a, b in zip(x, z, strict=True) if not isnan(a)]).T
        n = len(x) * (len(x) - 1) / 2
        ahead = sum(
            np.sign(a - c) * np.sign(b - d) for (a, b), (c, d) in combinations(zip(x, z, strict=True), 2)
        )
        assert coefficients["tau_a"][g] == pytest.approx(ahead / n)
        if np.ptp(x) == 0 or np.ptp(z) == 0:
            assert all(np.isnan(coefficients[name][g]) for name in ("tau_b", "tau_c", "pearson", "spearman"))
            continue
        assert coefficients["tau_b"][g] == pytest.approx(stats.kendalltau(x, z).statistic)
        assert coefficients["tau_c"][g] == pytest.approx(stats.kendalltau(x, z, variant="c").statistic)
        assert coefficients["pearson"][g] == pytest.approx(stats.pearsonr(x, z).statistic)
        assert coefficients["spearman"][g] == pytest.approx(stats.spearmanr(x, z).statistic)
    assert coefficients["accuracy"].mean() == pytest.approx(
        pair_counts(metric, human, grouping=grouping).accuracy()
    )


def test_held_out_documents_average_to_the_held_out_accuracy():
    metric, human = rated()
    metric[1:, 4] = np.nan  # a document without a pair
    by_document = held_out_right(metric, human, n_folds=3, rng=2)
    assert np.isnan(by_document).tolist() == [j == 4 for j in range(14)]
    assert np.nanmean(by_document) == pytest.approx(held_out_accuracy(metric, human, n_folds=3, rng=2))


def test_fitted_on_few_equals_calibration_on_the_drawn_documents():
    metric, human = rated(1, (5, 6))
    same, others = fitted_on_few(metric, human, n_fitted=2, n_draws=60, rng=4)
    expected = set()
    for fold in combinations(range(6), 2):
        rest = np.setdiff1d(range(6), fold)
        fitted = calibrate(metric[:, fold], human[:, fold])
        there = pair_counts(metric[:, rest], human[:, rest], epsilon=fitted.epsilon).accuracy()
        expected.add((round(fitted.accuracy, 9), round(float(there), 9)))
    assert set(zip(same.round(9).tolist(), others.round(9).tolist(), strict=True)) == expected
    with pytest.raises(ValueError, match="n_fitted"):
        fitted_on_few(metric, human, n_fitted=6, n_draws=2, rng=0)


@pytest.mark.slow
def test_held_out_accuracy_is_unbiased_and_the_same_documents_flatter():
    """Worlds with known truth: the same thresholds on a thousand fresh documents."""
    rng = np.random.default_rng(11)
    n_worlds, n, steps = 400, 6, (0.0, 1.0, 2.0, 3.0, 4.0)
    held_out, same = [], []
    for seed in rng.integers(2**31, size=n_worlds):
        metric, human = rated(seed, (8, n + 1_000))
        few = metric[:, :n], human[:, :n]
        fresh = [float(pair_counts(metric[:, n:], human[:, n:], epsilon=step).accuracy()) for step in steps]
        # folds of one document: each threshold is fitted on the others
        rest = [(np.delete(few[0], j, axis=1), np.delete(few[1], j, axis=1)) for j in range(n)]
        true = np.mean([fresh[int(calibrate(*one).epsilon)] for one in rest])
        fair = held_out_accuracy(*few, n_folds=n, rng=int(seed))
        held_out.append(fair - true)
        same.append(calibrate(*few).accuracy - fair)
    assert abs(np.mean(held_out)) < 3 * np.std(held_out) / np.sqrt(n_worlds)
    assert np.mean(same) > 3 * np.std(same) / np.sqrt(n_worlds)
    print(
        "LOOK",
        np.mean(held_out),
        np.std(held_out) / np.sqrt(n_worlds),
        np.mean(same),
        np.std(same) / np.sqrt(n_worlds),
    )


def test_folds_of_one_document_have_no_pair_of_documents():
    human = np.random.default_rng(9).normal(size=(5, 6))
    with pytest.raises(DataError, match="got none with 6 documents in 6 folds; use fewer folds"):
        held_out_accuracy(human, human, grouping="system", n_folds=6, rng=0)


def test_too_many_pairs_to_sort_are_searched_on_a_grid(monkeypatch):
    rng = np.random.default_rng(8)
    human = rng.integers(0, 3, (12, 20)).astype(float)
    metric = human + rng.normal(0, 0.2, human.shape)
    exact = calibrate(metric, human, grouping="none")
    monkeypatch.setattr(pairs, "MAX_PAIRS", 1_000)
    searched = calibrate(metric, human, grouping="none")
    assert exact.exact
    assert not searched.exact
    assert exact.uncalibrated < searched.accuracy <= exact.accuracy
    assert searched.accuracy == pytest.approx(exact.accuracy, abs=0.01)
    counts = pair_counts(metric, human, grouping="none", epsilon=searched.epsilon)
    assert float(counts.accuracy()) == searched.accuracy
    constant = calibrate(np.ones((12, 20)), human, grouping="none")
    assert (constant.epsilon, constant.accuracy) == (0, constant.uncalibrated)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "epsilon.*at least 0", lambda x: pair_counts(x, x, epsilon=-1)),
        (ValueError, "must end in the shape", lambda x: pair_counts(x, x[:, :2])),
        (UnknownNameError, "grouping", lambda x: pair_counts(x, x, grouping="document")),
        (DataError, "infinite", lambda x: pair_counts(x * np.inf, x)),
        (DataError, "numbers", lambda x: calibrate(x.astype(str), x)),
        (ValueError, "n_folds.*at most 3", lambda x: held_out_accuracy(x, x, n_folds=4, rng=0)),
        (ValueError, "n_folds.*at least 2", lambda x: held_out_accuracy(x, x, n_folds=1, rng=0)),
    ],
)
def test_bad_input_is_named(error, words, call):
    with pytest.raises(error, match=words):
        call(np.arange(1.0, 13.0).reshape(4, 3))


@pytest.mark.parametrize("unit", [1e-9, 0.1, 1.0, 10.0])
def test_distances_that_rounding_parts_are_one(unit):
    human = np.array([[1.0], [2.0], [2.0]])
    fitted = calibrate(np.array([[unit], [2 * unit], [3 * unit]]), human)
    assert (fitted.epsilon, fitted.accuracy) == (0.0, pytest.approx(2 / 3))
    rng = np.random.default_rng(0)
    human = rng.integers(1, 4, (8, 60)).astype(float)
    steps = np.clip(2 * human + rng.integers(-2, 3, (8, 60)), 0, 9)
    whole, fitted = calibrate(steps, human), calibrate(steps * unit, human)
    assert whole.epsilon == 1
    assert fitted.epsilon == pytest.approx(unit)
    assert fitted.accuracy == pytest.approx(whole.accuracy, abs=1e-12)
    assert held_out_accuracy(steps * unit, human, rng=0) == held_out_accuracy(steps, human, rng=0)
    ours, theirs = (pair_counts(x, human, epsilon=e) for x, e in ((steps * unit, unit), (steps, 1.0)))
    for name, counts in vars(theirs).items():
        np.testing.assert_array_equal(getattr(ours, name), counts)
