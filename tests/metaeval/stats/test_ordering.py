"""Pairs of summaries in people's order, beside a loop over them."""

from itertools import combinations

import numpy as np
import pytest

from metaeval.stats.pairs import drawn_shares, n_separated, share_in_order


def by_loops(metric, human, systems=None, documents=None):
    """Each pair by itself, as often as its systems and its document count."""
    n, m = human.shape
    systems, documents = (
        np.ones(n) if systems is None else systems,
        np.ones(m) if documents is None else documents,
    )
    right = judged = 0.0
    for d in range(m):
        for i, j in combinations(range(n), 2):
            people, scores = human[i, d] - human[j, d], metric[i, d] - metric[j, d]
            if np.isnan(people) or np.isnan(scores) or people == 0:
                continue
            weight = systems[i] * systems[j] * documents[d]
            judged += weight
            right += weight * (0.5 if scores == 0 else float(scores * people > 0))
    return right / judged


@pytest.fixture
def scores():
    rng = np.random.default_rng(5)
    human = rng.integers(0, 3, (5, 7)).astype(float)
    metrics = np.stack([human + rng.normal(size=human.shape), rng.integers(0, 2, human.shape).astype(float)])
    metrics[0, 1, 2] = np.nan
    human[3, 4] = np.nan
    return metrics, human


def test_shares_are_those_of_a_loop_over_pairs(scores):
    metrics, human = scores
    assert share_in_order(metrics, human) == pytest.approx([by_loops(metric, human) for metric in metrics])
    assert n_separated(metrics, human)[0] < n_separated(metrics, human)[1] < 7 * 10


def test_a_pair_that_the_metric_ties_counts_half():
    human = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    metric = np.array([[0.0, 0.0], [0.0, 5.0], [1.0, 9.0]])
    # document one: 1-2 tied, 1-3 and 2-3 in order; people tie all of document two
    assert share_in_order(metric, human) == pytest.approx(2.5 / 3)
    assert np.isnan(share_in_order(metric, np.ones((3, 2))))


def test_in_every_draw_a_pair_counts_as_often_as_its_systems_and_its_document(scores):
    from metaeval.stats.draws import unit_counts
    from metaeval.stats.streams import stream

    metrics, human = scores
    drawn = drawn_shares(metrics, human, n_resamples=20, rng=3)
    documents, systems = (
        unit_counts(stream(3, what), 20, n) for what, n in (("documents", 7), ("systems", 5))
    )
    expected = [
        [by_loops(x, human, *counts) for counts in zip(systems, documents, strict=True)] for x in metrics
    ]
    assert drawn == pytest.approx(np.array(expected))
    by_documents = drawn_shares(metrics, human, resample="inputs", n_resamples=20, rng=3)
    expected = [[by_loops(x, human, None, counts) for counts in documents] for x in metrics]
    assert by_documents == pytest.approx(np.array(expected))
