"""Prediction-powered means against formulas in loops, ppi_py beside the environment, and their coverage."""

import importlib
import subprocess
import sys
from statistics import mean, variance

import numpy as np
import pytest
from scipy import stats

from metaeval.core.errors import DataError
from metaeval.stats.prediction import predicted_mean, selection_pvalue

PPI_PY = "ppi-python==0.2.3"


def world(rng, n_documents, n_labelled, r, shape=()):
    """Labels and predictions that correlate at r, the true mean 0; labelled documents at random."""
    truth = rng.normal(size=(*shape, n_documents))
    predictions = 3 + r * truth + np.sqrt(1 - r**2) * rng.normal(size=truth.shape)
    hidden = np.argsort(rng.random(truth.shape), axis=-1) >= n_labelled
    return np.where(hidden, np.nan, truth), predictions


def test_equals_its_formula_written_out():
    rng = np.random.default_rng(1)
    labels, predictions = world(rng, 30, 9, 0.8)
    predictions[[2, 5]] = np.nan
    both = [(y, f) for y, f in zip(labels, predictions, strict=True) if not np.isnan(y + f)]
    others = [f for y, f in zip(labels, predictions, strict=True) if np.isnan(y) and not np.isnan(f)]
    y, f = map(list, zip(*both, strict=True))
    n, m = len(y), len(others)
    covariance = sum((a - mean(y)) * (b - mean(f)) for a, b in both) / (n - 1)
    weight = min(1, max(0, covariance / ((1 + n / m) * variance(f + others))))
    value = weight * mean(others) + mean(a - weight * b for a, b in both)
    error = (
        variance([a - weight * b for a, b in both]) * (n - 1) / (n - 2) / n + weight**2 * variance(others) / m
    ) ** 0.5
    estimate = predicted_mean(labels, predictions)
    assert estimate.weight == pytest.approx(weight)
    assert estimate.value == pytest.approx(value)
    assert estimate.standard_error == pytest.approx(error)
    assert (estimate.n_labelled, estimate.n_unlabelled) == (n, m)
    assert estimate.high - estimate.value == pytest.approx(stats.t.ppf(0.975, n - 2) * error)
    assert estimate.labels_only == pytest.approx(mean(y))
    assert estimate.labels_only_error == pytest.approx((variance(y) / n) ** 0.5)


@pytest.fixture(scope="module")
def ppi_py(tmp_path_factory):
    """The package at a pinned version, in a folder of its own that goes with the test."""
    folder = tmp_path_factory.mktemp("ppi_py")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
    process = subprocess.run([*install, PPI_PY], capture_output=True, text=True)
    if process.returncode:
        pytest.skip(f"{PPI_PY} cannot be had: {process.stderr.strip().splitlines()[-1]}")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("ppi_py")


@pytest.mark.slow
def test_equals_ppi_py_with_its_own_weight(ppi_py):
    rng = np.random.default_rng(2)
    for r in (-0.5, 0.0, 0.6, 0.95):
        labels, predictions = world(rng, 400, 150, r)
        labelled = ~np.isnan(labels)
        arrays = labels[labelled], predictions[labelled], predictions[~labelled]
        estimate = predicted_mean(labels, predictions)
        theirs = ppi_py.ppi_mean_pointestimate(*arrays, lam=estimate.weight)
        assert estimate.value == pytest.approx(float(np.squeeze(theirs)), abs=1e-12)
        tuned = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*arrays)))
        # its covariance is divided by n, ours by n - 1
        assert estimate.value == pytest.approx(tuned, abs=0.02 * estimate.standard_error + 1e-12)
        low, high = (
            float(np.squeeze(end)) for end in ppi_py.ppi_mean_ci(*arrays, alpha=0.05, lam=estimate.weight)
        )
        assert high - low == pytest.approx(2 * 1.96 * estimate.standard_error, rel=0.01)


def test_many_systems_at_once_are_each_by_itself():
    rng = np.random.default_rng(3)
    labels, predictions = world(rng, 20, 6, 0.7, shape=(2, 3))
    together = predicted_mean(labels, predictions)
    for at in np.ndindex(2, 3):
        alone = predicted_mean(labels[at], predictions[at])
        for name, part in vars(alone).items():
            assert getattr(together, name)[at] == pytest.approx(part, abs=1e-12)


@pytest.mark.parametrize(("r", "n_labelled"), [(0.0, 12), (0.7, 12), (0.9, 40)])
def test_intervals_hold_the_truth_as_often_as_they_should(r, n_labelled):
    rng = np.random.default_rng(4)
    labels, predictions = world(rng, 200, n_labelled, r, shape=(4_000,))
    estimate = predicted_mean(labels, predictions)

    def share(low, high):
        return ((low <= 0) & (high >= 0)).mean()

    # 4 standard errors of a share of .95 among 4,000; a weight cut at 0 costs up to another .01 at 12 labels
    assert 0.94 - 4 * 0.0035 < share(estimate.low, estimate.high) < 0.95 + 4 * 0.0035
    assert share(estimate.labels_only_low, estimate.labels_only_high) == pytest.approx(0.95, abs=4 * 0.0035)
    normal = 1.96 * estimate.standard_error * np.sqrt((n_labelled - 2) / n_labelled)
    if n_labelled == 12:  # as published: variances divided by n, and no Student's t
        assert share(estimate.value - normal, estimate.value + normal) == pytest.approx(0.89, abs=4 * 0.005)
    narrower = 2 * 1.96 * estimate.standard_error < estimate.labels_only_high - estimate.labels_only_low
    assert narrower.mean() > (0.95 if r > 0.6 else 0.5)


def test_what_a_judge_saves_stays_below_its_bound():
    rng = np.random.default_rng(5)
    estimate = predicted_mean(*world(rng, 50_000, 2_000, 0.8))
    saved = (
        estimate.labels_only_error / estimate.standard_error
    ) ** 2  # as many times the labels, people alone
    assert 2.2 < saved < 1 / (1 - 0.8**2) + 0.15


def test_an_uninformative_judge_has_no_weight():
    labels = np.array([1.0, 2.0, 4.0, 5.0, np.nan, np.nan])
    for predictions in (np.full(6, 0.1), np.array([3.0, 2.0, 0.0, -1.0, 1.0, 5.0])):  # constant; turned round
        estimate = predicted_mean(labels, predictions)
        assert estimate.weight == 0
        assert estimate.value == estimate.labels_only == pytest.approx(3)
        assert estimate.standard_error == pytest.approx(estimate.labels_only_error)


def test_clusters_are_summed_as_in_a_loop():
    rng = np.random.default_rng(7)
    labels, predictions = world(rng, 40, 16, 0.7)
    clusters = rng.permutation(np.repeat(np.arange(10), 4))
    is_labelled = ~np.isnan(labels)
    y, own, others = labels[is_labelled], predictions[is_labelled], predictions[~is_labelled]
    k, k_others, parts = set(), set(), {}
    for cluster, label, prediction in zip(clusters, labels, predictions, strict=True):
        if np.isnan(label):
            k_others.add(cluster)
            change = (0.0, 0.0, (prediction - mean(others)) / len(others))
        else:
            k.add(cluster)
            change = ((label - mean(y)) / len(y), (prediction - mean(own)) / len(own), 0.0)
        parts[cluster] = [a + b for a, b in zip(parts.get(cluster, (0.0, 0.0, 0.0)), change, strict=True)]
    weight = predicted_mean(labels, predictions).weight  # that of independent documents
    freedom, m = len(k) - 2, len(k_others)
    squares = (
        (len(k) / freedom) ** 0.5 * (a - weight * b) + weight * (m / (m - 1)) ** 0.5 * c
        for a, b, c in parts.values()
    )
    error = sum(square**2 for square in squares) ** 0.5
    estimate = predicted_mean(labels, predictions, clusters=clusters)
    assert estimate.weight == pytest.approx(weight)
    assert estimate.standard_error == pytest.approx(error)
    assert estimate.value == pytest.approx(mean(y) + weight * (mean(others) - mean(own)))
    assert estimate.high - estimate.value == pytest.approx(stats.t.ppf(0.975, freedom) * error)


def test_every_document_its_own_cluster_is_no_cluster():
    rng = np.random.default_rng(8)
    labels, predictions = world(rng, 60, 20, 0.9)
    assert predicted_mean(labels, predictions, clusters=np.arange(60)[::-1]).high == pytest.approx(
        predicted_mean(labels, predictions).high
    )


def test_two_cases_more_widen_an_interval_of_labels_alone_as_by_hand():
    labels = np.r_[np.ones(19), 0.0, np.full(30, np.nan)]
    constant = predicted_mean(labels, np.ones(50), limits=(0, 1))
    # 20 of 22: the judge says nothing, so that labels count alone; variances are by 19 degrees of freedom
    share = 20 / 22
    reach = stats.t.ppf(0.975, 19) * (share * (1 - share) / 22 * 20 / 19) ** 0.5
    assert constant.value == pytest.approx(0.95)
    assert (constant.low, constant.high) == pytest.approx((share - reach, min(1.0, share + reach)))
    assert predicted_mean(np.r_[np.ones(20), labels[20:]], np.ones(50), limits=(0, 1)).low < 0.95


def coverage(truth, low, high):
    return ((low <= truth) & (truth <= high)).mean()


@pytest.mark.slow
@pytest.mark.parametrize("n_labelled", [20, 50, 100])
@pytest.mark.parametrize("passing", [0.5, 0.9, 0.97])
@pytest.mark.parametrize(("tpr", "tnr"), [(0.95, 0.95), (0.98, 0.7), (0.8, 0.6)])
def test_intervals_hold_a_pass_rate_with_few_labels_and_rare_failures(n_labelled, passing, tpr, tnr):
    rng = np.random.default_rng(9)
    labels = (rng.random((2_000, 600)) < passing) * 1.0
    right = np.where(labels == 1, tpr, tnr)
    predictions = np.where(rng.random(labels.shape) < right, labels, 1 - labels)
    labels[:, n_labelled:] = np.nan
    estimate = predicted_mean(labels, predictions, limits=(0, 1))
    # 4 standard errors of a share of .95 among 2,000
    assert coverage(passing, estimate.low, estimate.high) > 0.95 - 4 * 0.0049
    plain = predicted_mean(labels, predictions)
    if passing == 0.97:  # without the cases
        assert coverage(passing, plain.low, plain.high) < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_intervals_hold_the_mean_of_clusters_only_where_these_are_given(is_whole, share):
    """Twenty conversations of ten answers, eight of them or as many answers labelled."""
    rng = np.random.default_rng(10)
    clusters, n_worlds = np.repeat(np.arange(20), 10), 800

    def noise():
        shared = np.repeat(rng.normal(size=(n_worlds, 20)), 10, axis=1)
        return share**0.5 * shared + (1 - share) ** 0.5 * rng.normal(size=(n_worlds, 200))

    labels = noise()
    predictions = 0.8 * labels + 0.6 * noise()
    chosen = np.argsort(np.argsort(rng.random((n_worlds, 20 if is_whole else 200)))) < (8 if is_whole else 80)
    labels = np.where(np.repeat(chosen, 10, axis=1) if is_whole else chosen, labels, np.nan)
    estimate = predicted_mean(labels, predictions, clusters=clusters)
    # 3 standard errors of a share of .95 among 800
    assert 0.927 < coverage(0.0, estimate.low, estimate.high) < 0.985
    plain = predicted_mean(labels, predictions)
    assert coverage(0.0, plain.low, plain.high) < 0.82


@pytest.mark.slow
@pytest.mark.parametrize("n_labelled", [20, 50])
def test_simultaneous_intervals_hold_the_means_of_all_systems_together(n_labelled):
    rng = np.random.default_rng(12)
    held, alone = [], []
    for _ in range(400):
        labels = rng.normal(size=200) + rng.normal(size=(8, 200))
        predictions = labels + rng.normal(size=labels.shape)
        labels[:, n_labelled:] = np.nan
        estimate = predicted_mean(labels, predictions, simultaneous=True, n_resamples=499, rng=1)
        held.append(((estimate.low <= 0) & (estimate.high >= 0)).all())
        one = predicted_mean(labels, predictions)
        alone.append(((one.low <= 0) & (one.high >= 0)).all())
    # 4 standard errors of a share of .95 among 400
    assert 0.95 - 4 * 0.011 < np.mean(held) <= 0.99
    assert np.mean(alone) < 0.88


@pytest.mark.parametrize(
    ("error", "words", "labels", "predictions"),
    [
        (DataError, "at least 4.*found 3 and 2", [1, 2, 3, None, None], [1, 2, 3, 4, 5]),
        (DataError, "found 5 and 0", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
        (DataError, "infinite", [1, 2, 3, 4, None], [1, 2, np.inf, 4, 5]),
        (ValueError, "one shape", [1, 2, 3, 4], [1, 2, 3, 4, 5]),
    ],
)
def test_bad_input_is_named(error, words, labels, predictions):
    with pytest.raises(error, match=words):
        predicted_mean(np.array(labels, dtype=float), np.array(predictions, dtype=float))


def test_documents_picked_by_the_judge_are_found_out():
    rng = np.random.default_rng(6)
    labels, predictions = world(rng, 60, 15, 0.5, shape=(2_000,))
    predictions[0, 3] = np.nan
    pvalues = selection_pvalue(labels, predictions)
    labelled, there = ~np.isnan(labels[0]), ~np.isnan(predictions[0])
    expected = stats.ttest_ind(
        predictions[0][labelled & there], predictions[0][~labelled & there], equal_var=False
    )
    assert pvalues[0] == pytest.approx(expected.pvalue)
    # drawn at random, p-values are uniform
    assert (pvalues < 0.05).mean() == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 2_000))
    lowest = np.argsort(np.argsort(predictions, axis=-1), axis=-1) < 15
    picked = selection_pvalue(np.where(lowest, 0.0, np.nan), predictions)
    assert (picked < 0.001).mean() > 0.99
    nan = np.nan
    assert selection_pvalue([0, 1, nan, nan], [2, 2, 2, 2]) == 1
    assert selection_pvalue([0, 1, nan, nan], [2, 2, 3, 3]) == 0
    assert np.isnan(selection_pvalue([0, 1, 2, nan], [1, 2, 3, 4]))
