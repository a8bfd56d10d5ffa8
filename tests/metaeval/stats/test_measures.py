"""Measures of pairs of systems against lists of pairs, all draws, all choices, and values worked by hand."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.measures import (
    pairwise_accuracy,
    pairwise_difference_pearson,
    pairwise_pvalues,
    reranking_precision,
    separated_pairs,
    soft_pairwise_accuracy,
)
from metaeval.stats.pairs import GROUPINGS
from tests.builders import with_gaps


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def some(rng, *shape, values=4, gaps=0.0):
    return with_gaps(rng, rng.integers(0, values, shape).astype(float), gaps)


def test_pairwise_accuracy_counts_ties_on_both_sides_as_agreement():
    human = np.array([[1.0], [1.0], [2.0], [3.0]])
    metric = np.array([[5.0], [5.0], [7.0], [6.0]])
    # pairs 01 tied by both; 02, 03, 12, 13 alike; 23 turned round
    assert pairwise_accuracy(metric, human) == pytest.approx(5 / 6)
    separated = np.array([False, True, True, False, False, True])
    assert pairwise_accuracy(metric, human, separated=separated) == pytest.approx(2 / 3)
    assert np.isnan(pairwise_accuracy(metric, human, separated=np.zeros(6, dtype=bool)))
    # 0.1 + 0.2 and 0.3 are one mean on paper
    assert pairwise_accuracy([[0.1, 0.2], [0.0, 0.3]], [[1.0, 1.0], [1.0, 1.0]]) == 1


def test_separated_pairs_are_those_of_scipys_paired_test(rng):
    human = some(rng, 5, 12, gaps=0.2) + np.arange(5.0)[:, None] / 2
    pairs = list(combinations(range(5), 2))
    expected = [stats.ttest_rel(human[i], human[k], nan_policy="omit").pvalue <= 0.1 for i, k in pairs]
    assert 0 < sum(expected) < 10
    assert separated_pairs(human, alpha=0.1).tolist() == expected
    # one difference on all documents leaves no doubt, none at all no pair
    assert separated_pairs(np.array([[1.0, 2], [2, 3], [1, 2], [np.nan, 1]])).tolist() == [
        True, False, False, True, False, False,
    ]  # fmt: skip


def test_pvalues_come_near_those_of_all_draws(rng):
    scores = some(rng, 3, 4, 7, gaps=0.15)
    n_draws = 20_000
    pvalues = pairwise_pvalues(scores, n_resamples=n_draws, rng=2)
    assert pvalues.shape == (3, 6)
    for plane, (p, (i, k)) in product(range(3), enumerate(combinations(range(4), 2))):
        differences = scores[plane, i] - scores[plane, k]
        differences = differences[~np.isnan(differences)]
        null = [np.dot(signs, differences) for signs in product([-1, 1], repeat=len(differences))]
        exact = np.mean(np.array(null) >= differences.sum() - 1e-9)
        assert pvalues[plane, p] == pytest.approx(
            exact, abs=5 * np.sqrt(exact * (1 - exact) / n_draws) + 1e-12
        )


def test_a_pair_without_a_common_document_has_no_pvalue():
    scores = np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]])
    assert np.isnan(pairwise_pvalues(scores, n_resamples=10, rng=0)).tolist() == [True, False, False]
    human = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]])
    assert 0 <= soft_pairwise_accuracy(scores, human, n_resamples=10, rng=0) <= 1


def test_draws_in_blocks_and_of_other_metrics_change_nothing(rng, monkeypatch):
    scores = rng.normal(size=(3, 4, 9))
    together = pairwise_pvalues(scores, n_resamples=50, rng=3)
    np.testing.assert_array_equal(pairwise_pvalues(scores[1], n_resamples=50, rng=3), together[1])
    monkeypatch.setattr("metaeval.stats.measures.SIGNS_AT_ONCE", 100)
    np.testing.assert_array_equal(pairwise_pvalues(scores, n_resamples=50, rng=3), together)


def test_soft_accuracy_of_people_themselves_is_one_and_of_their_contrary_near_none(rng):
    human = np.arange(5.0)[:, None] + rng.normal(0, 0.1, (5, 30))
    soft = soft_pairwise_accuracy(np.stack([human, -human]), human, n_resamples=200, rng=4)
    assert soft[0] == 1
    assert soft[1] < 0.02


def test_soft_accuracy_is_the_mean_distance_of_pvalues(rng):
    scores, human = rng.normal(size=(2, 4, 12)), rng.normal(size=(4, 12))
    people, first, second = pairwise_pvalues(np.concatenate([human[None], scores]), n_resamples=99, rng=5)
    expected = [1 - np.abs(side - people).mean() for side in (first, second)]
    np.testing.assert_allclose(
        soft_pairwise_accuracy(scores, human, n_resamples=99, rng=5), expected, rtol=1e-12
    )


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_difference_pearson_equals_scipy_on_all_listed_differences(grouping, rng):
    for gaps in (0.0, 0.2):
        metric, human = rng.normal(size=(4, 6)), some(rng, 4, 6, gaps=gaps)
        x, z = (GROUPINGS[grouping](side) for side in (metric, human))
        listed = [
            (row_x[i] - row_x[k], row_z[i] - row_z[k])
            for row_x, row_z in zip(x, z, strict=True)
            for i, k in permutations(range(len(row_x)), 2)
        ]
        listed = np.array([pair for pair in listed if not np.isnan(pair).any()])
        expected = stats.pearsonr(*listed.T).statistic
        assert pairwise_difference_pearson(metric, human, grouping=grouping) == pytest.approx(
            expected, abs=1e-12
        )


def test_difference_pearson_does_not_exist_where_no_group_varies():
    constant, human = np.tile([0.1, 0.2, 0.3], (4, 1)), np.arange(12.0).reshape(4, 3)
    assert np.isnan(pairwise_difference_pearson(constant, human))
    assert pairwise_difference_pearson(constant, human, grouping="system") == pytest.approx(1)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_reranking_equals_all_choices_of_k(k, rng):
    metric, human = some(rng, 5, 8, values=3, gaps=0.1), some(rng, 5, 8, values=3)
    by_document = []
    for x, z in zip(metric.T, human.T, strict=True):
        scored = np.flatnonzero(~np.isnan(x))
        right = []
        for chosen in map(list, combinations(scored, k)):
            first = [i for i in chosen if x[i] == max(x[chosen])]
            right.append(np.mean([z[i] == max(z[chosen]) for i in first]))
        by_document.append(np.mean(right) if right else np.nan)
    assert reranking_precision(metric, human, k=k) == pytest.approx(np.nanmean(by_document), abs=1e-12)


def test_reranking_of_a_constant_metric_is_that_of_taking_one_at_random():
    human = np.arange(12.0).reshape(4, 3)
    assert reranking_precision(np.ones((4, 3)), human) == pytest.approx(1 / 4)
    assert reranking_precision(np.ones((4, 3)), human, k=2) == pytest.approx(1 / 2)
    assert reranking_precision(np.stack([human, -human]), human).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("separated.*3 pairs.*got int64", lambda x: pairwise_accuracy(x, x, separated=np.array([1, 0, 1]))),
        ("must end in the shape", lambda x: pairwise_accuracy(x, x[:2])),
        ("n_resamples.*at least 1", lambda x: pairwise_pvalues(x, n_resamples=0, rng=0)),
        ("`k` must be at most 3", lambda x: reranking_precision(x, x, k=4)),
        ("`k` must be at least 2", lambda x: reranking_precision(x, x, k=1)),
    ],
)
def test_bad_input_is_named(words, call):
    with pytest.raises(ValueError, match=words):
        call(np.arange(12.0).reshape(3, 4))
