"""Draws of documents: counted, and their means."""

import math

import numpy as np

from helpers.stats.draws import blocks, drawn_means, unit_counts
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


def test_blocks_cover_every_draw_once():
    slices = list(blocks(10_000, 11_490))
    assert len(slices) > 1
    assert [i for s in slices for i in range(s.start, s.stop)] == list(range(10_000))
