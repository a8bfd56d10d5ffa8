"""Draws of documents: counted, and their means."""

import math

import numpy as np

from helpers.stats.draws import blocks, document_counts, drawn_means
from tests.builders import with_gaps


def test_counts_say_how_often_each_document_was_drawn():
    counts = document_counts(np.random.default_rng(3), 5, 7, size=11)
    picks = np.random.default_rng(3).integers(7, size=(5, 11))
    assert counts.tolist() == [[float((row == d).sum()) for d in range(7)] for row in picks]


def test_means_of_draws_equal_gathering_the_scores():
    rng = np.random.default_rng(4)
    scores = with_gaps(rng, rng.normal(size=(2, 3, 6)), 0.3)
    scores[0, 0] = np.nan
    picks = np.random.default_rng(5).integers(6, size=(8, 6))
    means = drawn_means(scores, document_counts(np.random.default_rng(5), 8, 6, size=6))
    for k in range(2):
        for d in range(8):
            for i in range(3):
                drawn = [v for v in scores[k, i, picks[d]] if not math.isnan(v)]
                expected = np.mean(drawn) if drawn else math.nan
                np.testing.assert_allclose(means[k, d, i], expected, atol=1e-11)


def test_blocks_cover_every_draw_once():
    slices = list(blocks(10_000, 11_490))
    assert len(slices) > 1
    assert [i for s in slices for i in range(s.start, s.stop)] == list(range(10_000))
