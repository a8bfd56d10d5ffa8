"""Pairs with ties against lists of all pairs, and the tie threshold against every threshold tried in turn."""

from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.errors import DataError, UnknownNameError
from helpers.stats import pairs
from helpers.stats.pairs import GROUPINGS, calibrate, held_out_accuracy, pair_counts

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
    found = []
    for x, z in zip(groups(metric, grouping), groups(human, grouping), strict=True):
        counts = [0] * 5
        scored = [(a, b) for a, b in zip(x, z, strict=True) if not (isnan(a) or isnan(b))]
        for (a, b), (c, d) in combinations(scored, 2):
            metric_ties, people_tie = abs(a - c) <= epsilon, b == d
            if metric_ties or people_tie:
                counts[4 if metric_ties and people_tie else 2 if metric_ties else 3] += 1
            else:
                counts[0 if (a > c) == (b > d) else 1] += 1
        found.append(counts)
    return np.array(found)


def accuracy(counts):
    with_pairs = [row for row in counts.tolist() if sum(row)]
    return np.mean([(row[0] + row[4]) / sum(row) for row in with_pairs]) if with_pairs else np.nan


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(both=tables, epsilon=st.sampled_from([0.0, 1.0, 1.5, 10.0]))
@settings(max_examples=60, deadline=None)
def test_counts_equal_a_list_of_all_pairs(grouping, both, epsilon):
    metric, human = both
    counts = pair_counts(metric, human, grouping=grouping, epsilon=epsilon)
    expected = listed(metric, human, grouping, epsilon)
    np.testing.assert_array_equal(np.array(list(vars(counts).values())).T, expected)
    np.testing.assert_allclose(counts.accuracy(), accuracy(expected), rtol=1e-12)
    np.testing.assert_allclose(counts.tau_eq(), 2 * accuracy(expected) - 1, rtol=1e-12)


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(both=tables)
@settings(max_examples=60, deadline=None)
def test_the_threshold_is_the_smallest_of_the_best(grouping, both):
    metric, human = both
    if not listed(metric, human, grouping).sum():
        with pytest.raises(DataError, match="no two summaries"):
            calibrate(metric, human, grouping=grouping)
        return
    tried = {float(abs(a - b)) for a in metric.flat for b in metric.flat if not isnan(a - b)} | {0.0}
    values = {epsilon: accuracy(listed(metric, human, grouping, epsilon)) for epsilon in sorted(tried)}
    best = max(values.values())
    found = calibrate(metric, human, grouping=grouping)
    assert found.accuracy == pytest.approx(best, abs=1e-12)
    assert found.epsilon == min(epsilon for epsilon, value in values.items() if value > best - 1e-12)
    assert found.uncalibrated == pytest.approx(values[0.0], abs=1e-12)
    assert found.exact


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


def test_folds_of_one_document_have_no_pair_of_documents():
    human = np.random.default_rng(9).normal(size=(5, 6))
    with pytest.raises(DataError, match="no fold of 6 documents in 6 has a pair to score"):
        held_out_accuracy(human, human, grouping="system", n_folds=6, rng=0)


def test_too_many_pairs_to_sort_are_searched_on_a_grid(monkeypatch):
    rng = np.random.default_rng(8)
    human = rng.integers(0, 3, (12, 20)).astype(float)
    metric = human + rng.normal(0, 0.2, human.shape)
    exact = calibrate(metric, human, grouping="none")
    monkeypatch.setattr(pairs, "MOST_PAIRS", 1_000)
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
