"""Items in clusters: design effects by slow loops, and coverage where errors cluster."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.verdict_worlds import ClusterWorld, cluster_studies
from metaeval.stats.clusters import (
    cluster_ends,
    correlation_influence,
    design_effect,
    effective_clusters,
    group_items,
    independent_share,
)
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc_interval, label_interval, needed_items
from metaeval.stats.resampling import bootstrap_distribution

NAN = np.nan
CLUSTERED = ClusterWorld(20, 10)


def test_items_are_grouped_in_their_order():
    values = np.array([[1.0, 2, 3, 4, 5]])
    grouped = group_items(values, np.array([3, 1, 3, 2, 3]))
    np.testing.assert_array_equal(grouped, [[[2, 4, 1], [NAN, NAN, 3], [NAN, NAN, 5]]])
    np.testing.assert_array_equal(group_items(values, np.arange(5)), values[:, None])


def slow_effect(influence, clusters):
    names, n = sorted({*clusters}), len(influence)
    sums = [sum(i for i, c in zip(influence, clusters, strict=True) if c == name) for name in names]
    together = len(names) / (len(names) - 1) * sum(s**2 for s in sums)
    return together / (n / (n - 1) * sum(i**2 for i in influence))


def test_the_design_effect_is_that_of_a_slow_loop_within_its_limits():
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 8, 60)
    influence = rng.normal(size=60) + rng.normal(size=8)[clusters]
    influence -= influence.mean()
    effect = slow_effect(influence, clusters)
    assert 1 < effect < 10
    assert design_effect(influence, clusters) == pytest.approx(effect)
    gaps = np.append(influence, NAN), np.append(clusters, 99)
    assert design_effect(*gaps) == pytest.approx(effect)
    # alternating within clusters: less than independent items, counted as these; all alike: (9 + 1) / 4 items
    assert design_effect(np.array([1.0, -1, 1, -1]), np.array([1, 1, 2, 2])) == 1
    assert design_effect(np.zeros(4), np.array([1, 1, 1, 2])) == 2.5


def test_a_cluster_for_each_item_changes_next_to_nothing():
    rng = np.random.default_rng(1)
    people = rng.integers(0, 2, 50) * 1.0
    judge = np.where(rng.random(50) < 0.8, people, 1 - people)
    alone = label_interval(judge, people, rng=0)
    assert label_interval(judge, people, clusters=np.arange(50), rng=0) == pytest.approx(alone)
    scores = people + rng.normal(size=50)
    of = np.arange(50)[::-1]  # of scores, some 17 of 50 clusters are behind the degrees of freedom
    assert auc_interval(scores, people, clusters=of) == pytest.approx(auc_interval(scores, people), abs=0.02)
    both = {"people": people, "minus": people + rng.normal(size=50)}
    assert auc_interval(scores, **both, clusters=of) == pytest.approx(auc_interval(scores, **both), abs=0.03)


def test_items_that_come_ten_times_count_once():
    """As many items as clusters, but for a t distribution of fewer degrees of freedom."""
    rng = np.random.default_rng(2)
    people = rng.integers(0, 2, 300) * 1.0
    judge = np.where(rng.random(300) < 0.8, people, 1 - people)
    of, again = np.repeat(np.arange(300), 10), (np.repeat(judge, 10), np.repeat(people, 10))
    low, high, *_ = label_interval(*again, clusters=of, rng=0)
    alone = label_interval(judge, people, rng=0)
    assert (low, high) == pytest.approx(alone[:2], abs=0.004)
    influence = again[0] == again[1]
    assert independent_share(influence - influence.mean(), of, 0.95) == pytest.approx(0.1, rel=0.02)
    scores = people + rng.normal(size=300)
    interval = auc_interval(np.repeat(scores, 10), again[1], clusters=of)
    assert interval == pytest.approx(auc_interval(scores, people), abs=0.002)
    assert needed_items(*again, 0.1, documents=of, rng=0)[0] == pytest.approx(
        10 * needed_items(judge, people, 0.1, rng=0)[0], rel=0.03
    )


def test_the_influence_on_a_correlation_is_that_of_leaving_items_out():
    rng = np.random.default_rng(4)
    x = rng.normal(size=2_000)
    z = x + rng.normal(size=2_000)
    whole = np.corrcoef(x, z)[0, 1]
    influence = correlation_influence(x, z)
    for item in range(20):
        without = np.corrcoef(np.delete(x, item), np.delete(z, item))[0, 1]
        assert influence[item] == pytest.approx(1_999 * (whole - without), abs=0.02)
    assert np.isnan(correlation_influence(np.array([1.0, NAN]), np.array([NAN, 1.0]))).all()


@pytest.mark.filterwarnings("error")
def test_no_item_has_an_influence_where_a_side_does_not_vary():
    alike, other = np.array([0.1, 0.1, 0.1, NAN]), np.array([1.0, 2, 4, 8])
    for sides in ((alike, other), (other, alike)):
        np.testing.assert_array_equal(correlation_influence(*sides), [0, 0, 0, NAN])


def test_clusters_that_decide_alone_count_alone():
    assert effective_clusters(np.array([5.0, -5.0, 0, 0, 0]), np.arange(5)) == 2
    assert effective_clusters(np.zeros(5), np.arange(5)) == 5
    normal = np.random.default_rng(0).normal(size=30_000)  # (n s^2)^2 / (3 n s^4)
    assert effective_clusters(normal, np.arange(30_000)) == pytest.approx(10_000, rel=0.03)


def correlation_ends(of, labels, scores, k):
    planes = group_items(scores, of)
    kind = {"level": "global", "coefficient": "pearson"}
    drawn = bootstrap_distribution(planes[1:2], planes[0], resample="inputs", n_resamples=199, rng=k, **kind)[
        0
    ]
    return cluster_ends(
        float(correlate(planes[1], planes[0], **kind).value), drawn, planes[1], planes[0], 0.95
    )


def kappa_ends(of, labels, scores, k, clustered=True):
    return label_interval(labels[1], labels[0], clusters=of if clustered else None, n_resamples=399, rng=k)


@pytest.mark.slow
@pytest.mark.parametrize(("ends", "truth"), [(kappa_ends, 0.541), (correlation_ends, 0.688)])
def test_intervals_cover_where_errors_cluster(ends, truth):
    # truths of 20 studies of 20,000 clusters each
    studies = list(cluster_studies(CLUSTERED, 300, 3))
    covered = [low <= truth <= high for low, high, *_ in (ends(*s, k) for k, s in enumerate(studies))]
    assert binomtest(sum(covered), 300, 0.95).pvalue > 0.001


@pytest.mark.slow
def test_intervals_that_ignore_clusters_cover_too_little():
    studies = enumerate(cluster_studies(CLUSTERED, 200, 3))
    alone = partial(kappa_ends, clustered=False)
    covered = [low <= 0.541 <= high for low, high, *_ in (alone(*study, k) for k, study in studies)]
    assert np.mean(covered) < 0.88
