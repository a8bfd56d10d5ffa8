"""Tiers by hand and in simulation: all ranks of a table hold at once as often as they should."""

from itertools import combinations

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.stats.differences import compare_pairs, compare_systems, simultaneous_pvalues, tiers


def test_a_tier_ends_where_one_is_worse_than_any_in_it():
    values = np.array([0.9, 0.8, 0.7, 0.6])
    apart = {(0, 2), (0, 3), (1, 3)}
    pairs = list(combinations(range(4), 2))
    ranks = tiers(values, pairs, [0.01 if pair in apart else 0.5 for pair in pairs])
    assert ranks.tier.tolist() == [1, 1, 2, 2]
    assert ranks.best_rank.tolist() == [1, 1, 2, 3]
    assert ranks.worst_rank.tolist() == [2, 3, 4, 4]


def test_order_of_pairs_and_of_candidates_does_not_matter():
    rng = np.random.default_rng(1)
    values, pairs = rng.normal(size=6), np.array(list(combinations(range(6), 2)))
    pvalues = rng.uniform(0, 0.2, len(pairs))
    ranks = tiers(values, pairs, pvalues)
    turned = rng.permutation(len(pairs))
    again = tiers(values, pairs[turned][:, ::-1], pvalues[turned])
    new = rng.permutation(6)  # candidate i becomes new[i]
    renamed = tiers(values[np.argsort(new)], new[pairs], pvalues)
    for one, other, third in zip(*(vars(t).values() for t in (ranks, again, renamed)), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third[new])
    assert (ranks.best_rank <= ranks.worst_rank).all()


def test_what_cannot_be_tested_is_not_apart():
    ranks = tiers([2.0, 1.0], [[0, 1]], [np.nan])
    assert ranks.tier.tolist() == [1, 1]
    assert ranks.worst_rank.tolist() == [2, 2]


def test_adjusted_by_the_largest_in_each_resample():
    null = np.array([[1.0, -1.0, 1.0, -1.0], [3.0, 3.0, -9.0, 3.0], [0.0, 0.0, 0.0, 0.0], [np.nan] * 4])
    spread = null[:2].std(axis=1)
    largest = np.max(np.abs(null[:2]) / spread[:, None], axis=0)
    difference = np.array([1.2, -9.0, 0.0, 1.0])
    expected = [(1 + (largest >= abs(d) / s).sum()) / 5 for d, s in zip(difference[:2], spread, strict=True)]
    np.testing.assert_allclose(simultaneous_pvalues(difference, null), [*expected, 1, np.nan])
    assert np.isnan(simultaneous_pvalues([np.nan], [[1.0, 2.0]])).all()


def test_a_resample_without_a_value_speaks_against_a_difference():
    null = np.concatenate([np.random.default_rng(5).normal(size=99), np.full(900, np.nan)])
    assert simultaneous_pvalues([10.0], null[None]) == pytest.approx(901 / 1000)
    scores = np.random.default_rng(6).integers(0, 2, (3, 4, 3)).astype(float)
    pairs = list(combinations(range(3), 2))
    comparison = compare_pairs(scores, scores[0][::-1], pairs, n_resamples=199, rng=7)
    assert comparison.n_undefined.any()
    tested = ~np.isnan(comparison.pvalue)
    adjusted = simultaneous_pvalues(comparison.difference, comparison.null)
    assert (adjusted[tested] >= comparison.pvalue[tested] - 1e-12).all()


@pytest.mark.slow
def test_all_ranks_hold_at_once_as_often_as_they_should():
    """Any rank of five metrics with the same correlation is true: no pair may be separated in 95 % of worlds."""
    rng = np.random.default_rng(2)
    pairs = list(combinations(range(5), 2))
    n_worlds, wrong = 150, 0
    for _ in range(n_worlds):
        human = rng.normal(size=(6, 8))
        scores = human + rng.normal(size=(5, 6, 8))
        comparison = compare_pairs(
            scores, human, pairs, level="global", coefficient="pearson", n_resamples=99, rng=rng
        )
        wrong += bool((simultaneous_pvalues(comparison.difference, comparison.null) <= 0.05).any())
    # .05 of 150 is 7.5, with a standard error of 2.7
    assert wrong <= 7.5 + 3 * 2.7
    assert wrong > 0  # nor can it be that nothing is ever apart


def test_a_much_better_metric_stands_alone():
    rng = np.random.default_rng(3)
    human = rng.normal(size=(8, 30))
    scores = human + np.array([0.1, 2, 2, 2])[:, None, None] * rng.normal(size=(4, 8, 30))
    pairs = list(combinations(range(4), 2))
    comparison = compare_pairs(
        scores, human, pairs, level="global", coefficient="pearson", n_resamples=199, rng=4
    )
    values = [0.99, 0.4, 0.41, 0.42]
    ranks = tiers(values, pairs, simultaneous_pvalues(comparison.difference, comparison.null))
    assert ranks.tier.tolist() == [1, 2, 2, 2]
    assert (ranks.best_rank[0], ranks.worst_rank[0]) == (1, 1)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (DataError, "1 of 2 values are missing", lambda: tiers([1, np.nan], [[0, 1]], [0.1])),
        (
            ValueError,
            "every pair of the 3 candidates once, 3 in all",
            lambda: tiers([1, 2, 3], [[0, 1], [1, 2]], [0.1, 0.2]),
        ),
        (
            ValueError,
            "every pair of the 2 candidates once",
            lambda: tiers([1, 2], [[0, 1], [1, 0]], [0.1, 0.1]),
        ),
        (ValueError, "alpha", lambda: tiers([1, 2], [[0, 1]], [0.1], alpha=5)),
        (ValueError, "a row per", lambda: simultaneous_pvalues([1.0, 2.0], [[1.0]])),
    ],
)
def test_bad_input_is_named(error, words, call):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("unit", [1e-12, 1e-9, 1e9])
def test_the_unit_of_scores_changes_no_pvalue(unit):
    scores = np.random.default_rng(0).normal(size=(3, 50)) + np.array([[0.0], [0.5], [1.0]])
    once = simultaneous_pvalues(*compare_systems(scores, rng=1))
    np.testing.assert_array_equal(simultaneous_pvalues(*compare_systems(unit * scores, rng=1)), once)
    assert once.min() < 0.01


@pytest.mark.parametrize("method", ["Perm-Both", "Boot-Both"])
def test_two_that_are_one_but_for_rounding_are_not_apart(method):
    rng = np.random.default_rng(3)
    scores, human = rng.normal(size=(6, 9)), rng.normal(size=(6, 9))
    comparison = compare_pairs(
        np.stack([scores, scores * 3 + 0.1]), human, [[0, 1]], coefficient="pearson", method=method,
        n_resamples=199, rng=4,
    )  # fmt: skip
    assert simultaneous_pvalues(comparison.difference, comparison.null).tolist() == [1.0]
    steps = rng.integers(1, 9, 50) / 10
    alike = compare_systems(np.stack([steps + 0.2, steps + 0.1 + 0.1]), n_resamples=199, rng=5)
    assert simultaneous_pvalues(*alike).tolist() == [1.0]
