"""Draws of documents: counted, and their means."""

import math

import numpy as np

from metaeval.stats import draws
from metaeval.stats.draws import blocks, drawn_means, exact_product, map_draws, unit_counts
from tests.builders import with_gaps


def test_every_draw_holds_as_many_as_asked_for_each_unit_equally_often():
    counts = unit_counts(np.random.default_rng(3), 4000, 7, size=11)
    assert (counts.sum(axis=1) == 11).all()
    assert (unit_counts(np.random.default_rng(3), 5, 7).sum(axis=1) == 7).all()
    # binomial (11, 1/7): mean 11/7, variance 11 * 6/49, so a mean of 4,000 has a standard error of 0.018
    np.testing.assert_allclose(counts.mean(axis=0), 11 / 7, atol=4 * 0.018)
    np.testing.assert_allclose(counts.var(axis=0), 11 * 6 / 49, rtol=0.1)


def test_means_of_draws_equal_gathering_the_scores():
    rng = np.random.default_rng(4)
    scores = with_gaps(rng, rng.normal(size=(2, 3, 6)), 0.3)
    scores[0, 0] = np.nan
    counts = unit_counts(np.random.default_rng(5), 8, 6)
    means = drawn_means(scores, counts)
    for k in range(2):
        for d in range(8):
            picks = np.repeat(np.arange(6), counts[d].astype(int))
            for i in range(3):
                drawn = [v for v in scores[k, i, picks] if not math.isnan(v)]
                expected = np.mean(drawn) if drawn else math.nan
                np.testing.assert_allclose(means[k, d, i], expected, atol=1e-11)


def test_means_of_draws_have_the_same_bytes_in_any_order_and_any_blocks():
    rng = np.random.default_rng(7)
    scores, counts = rng.normal(size=(3, 5, 300)), unit_counts(rng, 40, 300)
    means = drawn_means(scores, counts)
    other = rng.permutation(300)
    np.testing.assert_array_equal(drawn_means(scores[..., other], counts[:, other]), means)
    np.testing.assert_array_equal(drawn_means(scores[1], counts[7:9]), means[1, 7:9])


def test_a_plane_beside_one_of_much_larger_scores_has_the_same_bytes_as_alone():
    rng = np.random.default_rng(9)
    scores, counts = rng.normal(size=(5, 30)).round(1), unit_counts(rng, 200, 30)
    alone = drawn_means(scores, counts)
    assert any(len(set(means)) < 5 for means in alone.tolist())  # there are ties to break
    for larger in (1e9, 3e17):
        beside = drawn_means(np.stack([scores * larger, scores]), counts)
        assert beside[1].tobytes() == alone.tobytes()
    columns = exact_product(counts, np.column_stack([scores[0] * 1e9, scores[0]]))
    assert columns[:, 1].tobytes() == exact_product(counts, scores[:1].T).tobytes()


def test_a_product_is_that_of_the_library_but_for_its_last_digits():
    rng = np.random.default_rng(8)
    for shape in ((300, 70), (1, 1), (0, 3)):
        weights, matrix = unit_counts(rng, 9, max(1, shape[0]))[:, : shape[0]], rng.normal(size=shape)
        np.testing.assert_allclose(exact_product(weights, matrix), weights @ matrix, rtol=0, atol=1e-12)


def test_blocks_cover_every_draw_once():
    slices = list(blocks(10_000, 11_490))
    assert len(slices) > 1
    assert [i for s in slices for i in range(s.start, s.stop)] == list(range(10_000))


def test_what_is_computed_over_draws_sees_a_few_at_a_time(monkeypatch):
    whole = unit_counts(np.random.default_rng(6), 10, 4)
    sizes = []

    def second(counts):
        sizes.append(counts.size)
        return np.stack([counts[:, 1], counts.sum(axis=1)])

    monkeypatch.setattr(draws, "COUNTS_AT_ONCE", 12)
    sums = map_draws(second, np.random.default_rng(6), 10, 4)
    assert sizes == [12, 12, 12, 4]
    assert sums.tolist() == [whole[:, 1].tolist(), [4] * 10]


def test_means_of_the_smallest_numbers_there_are_have_values():
    tiny = 2.0**-1074
    means = drawn_means(np.array([[[tiny, 3 * tiny]], [[1.0, 2.0]]]), np.array([[1, 1], [0, 2]]))
    assert means.tolist() == [[[2 * tiny], [3 * tiny]], [[1.5], [2.0]]]
