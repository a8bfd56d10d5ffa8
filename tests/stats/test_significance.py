import math

import numpy as np
import pytest
from scipy import stats

from helpers.errors import DataError, UnknownNameError
from helpers.stats.significance import (
    bootstrap_interval,
    fisher_bounds,
    fisher_interval,
    paired_bootstrap_test,
    permutation_test,
    resampling_pvalue,
    share_wrongly_ranked,
)
from tests.builders import matrix

RNG = np.random.default_rng(2)
HUMAN = RNG.normal(size=(9, 12))
GOOD, POOR = HUMAN + 0.3 * RNG.normal(size=(9, 12)), HUMAN + 3 * RNG.normal(size=(9, 12))
SUMMARY = {"level": "summary", "coefficient": "pearson"}


def test_an_interval_is_percentiles_of_its_distribution():
    found = bootstrap_interval(matrix(GOOD), matrix(HUMAN), **SUMMARY, n_resamples=999, rng=0)
    assert found.estimate == pytest.approx(
        np.mean([stats.pearsonr(GOOD[:, j], HUMAN[:, j])[0] for j in range(12)])
    )
    ordered = np.sort(found.distribution)
    # of 999 values the 2.5th percentile lies at place 0.025 * 998 = 24.95 (from 0)
    assert found.low == pytest.approx(ordered[24] + 0.95 * (ordered[25] - ordered[24]))
    assert (found.method, found.n_resamples, found.n_undefined) == ("Boot-Both", 999, 0)
    assert found.low < found.estimate < found.high


def test_undefined_draws_are_counted_and_left_out():
    found = bootstrap_interval(
        matrix(GOOD[:3]), matrix(HUMAN[:3]), level="system", coefficient="kendall", n_resamples=2000, rng=0
    )
    assert found.n_undefined == np.isnan(found.distribution).sum() > 0
    assert not np.isnan(found.low)


def test_a_constant_metric_has_no_interval():
    for interval in (
        bootstrap_interval(matrix(np.ones((9, 12))), matrix(HUMAN), **SUMMARY, n_resamples=50, rng=0),
        fisher_interval(matrix(np.ones((9, 12))), matrix(HUMAN), **SUMMARY),
    ):
        assert np.isnan([interval.estimate, interval.low, interval.high]).all()
        assert interval.n_undefined == (interval.n_resamples or 1)


def test_systems_vary_more_than_documents_here():
    width = {}
    for resample in ("systems", "inputs", "both"):
        found = bootstrap_interval(
            matrix(POOR),
            matrix(HUMAN),
            level="system",
            coefficient="pearson",
            resample=resample,
            n_resamples=999,
            rng=0,
        )
        width[resample] = found.high - found.low
    assert max(width["systems"], width["inputs"]) < width["both"]


def test_unpaired_documents():
    labels = [f"other{j}" for j in range(30)]
    wide = matrix(RNG.normal(size=(9, 30)) + HUMAN.mean(axis=1, keepdims=True), documents=labels)
    found = bootstrap_interval(
        wide, matrix(HUMAN), level="system", coefficient="pearson", paired=False, n_resamples=200, rng=0
    )
    expected = np.corrcoef(wide.mean("document"), HUMAN.mean(axis=1))[0, 1]
    assert found.estimate == pytest.approx(expected)
    assert found.low < expected < found.high


@pytest.mark.parametrize(
    ("coefficient", "half"),
    [
        ("pearson", 1.9599639845 / math.sqrt(25 - 3)),
        ("spearman", 1.9599639845 * math.sqrt(1 + 0.5**2 / 2) / math.sqrt(25 - 3)),
        ("kendall", 1.9599639845 * math.sqrt(0.437) / math.sqrt(25 - 4)),
    ],
)
def test_fisher_by_hand(coefficient, half):
    # footnote 4 of the paper, with r = 0.5 and n = 25; arctanh(0.5) = log(3) / 2
    found = fisher_bounds(0.5, 25, coefficient=coefficient, confidence_level=0.95)
    centre = math.log(3) / 2
    np.testing.assert_allclose(found, [math.tanh(centre - half), math.tanh(centre + half)], rtol=1e-9)


def test_fisher_with_too_few_observations():
    assert np.isnan(fisher_bounds(0.5, [3, 2], coefficient="pearson", confidence_level=0.9)).all()
    assert np.isnan(fisher_bounds(0.5, 4, coefficient="kendall", confidence_level=0.9)).all()


def test_fisher_equals_scipy_at_system_level():
    found = fisher_interval(
        matrix(POOR), matrix(HUMAN), level="system", coefficient="pearson", confidence_level=0.9
    )
    expected = stats.pearsonr(POOR.mean(axis=1), HUMAN.mean(axis=1)).confidence_interval(0.9)
    np.testing.assert_allclose([found.low, found.high], expected)


def test_pvalues_counted_by_hand():
    null = np.array([-0.3, -0.1, 0.0, 0.1, 0.2, 0.2 - 1e-15, np.nan])
    # six defined; at least 0.2: two (one but for rounding); at most: all six; beyond in size: those and -0.3
    assert resampling_pvalue(0.2, null, "greater") == pytest.approx(3 / 7)
    assert resampling_pvalue(0.2, null, "less") == pytest.approx(7 / 7)
    assert resampling_pvalue(0.2, null, "two-sided") == pytest.approx(4 / 7)
    assert np.isnan(resampling_pvalue(np.nan, null, "greater"))
    assert np.isnan(resampling_pvalue(0.2, null * np.nan, "greater"))


@pytest.mark.parametrize("test", [permutation_test, paired_bootstrap_test])
def test_a_clear_difference_and_its_mirror(test):
    kind = SUMMARY | {"n_resamples": 199, "rng": 0}
    better = test(matrix(GOOD), matrix(POOR), matrix(HUMAN), alternative="greater", **kind)
    assert better.pvalue == pytest.approx(1 / 200)
    mirrored = test(matrix(POOR), matrix(GOOD), matrix(HUMAN), alternative="less", **kind)
    assert mirrored.pvalue == better.pvalue
    np.testing.assert_allclose(mirrored.null_distribution, -better.null_distribution, atol=1e-12)
    assert test(matrix(POOR), matrix(GOOD), matrix(HUMAN), alternative="greater", **kind).pvalue > 0.9
    against = test(matrix(-GOOD), matrix(-POOR), matrix(HUMAN), alternative="less", **kind)
    assert against.pvalue == better.pvalue


@pytest.mark.parametrize("test", [permutation_test, paired_bootstrap_test])
def test_a_metric_and_itself_do_not_differ(test):
    found = test(matrix(GOOD), matrix(2 * GOOD - 1), matrix(HUMAN), **SUMMARY, n_resamples=99, rng=0)
    assert found.pvalue == 1


@pytest.mark.parametrize("test", [permutation_test, paired_bootstrap_test])
def test_what_cannot_be_compared_has_no_pvalue(test):
    found = test(matrix(np.ones((9, 12))), matrix(POOR), matrix(HUMAN), **SUMMARY, n_resamples=9, rng=0)
    assert np.isnan([found.statistic, found.pvalue]).all()


def test_small_permutation_test_counted_out():
    # one document, three systems, swapping systems: 8 equally likely swaps, so p is near their exact share
    x, y, z = np.array([[1.0], [2], [3]]), np.array([[3.0], [1], [2]]), np.array([[1.0], [2], [3]])
    seen = stats.kendalltau(x, z)[0] - stats.kendalltau(y, z)[0]
    count = 0
    for mask in range(8):
        swapped = np.array([[mask >> i & 1] for i in range(3)], dtype=bool)
        a, b = np.where(swapped, y, x), np.where(swapped, x, y)
        count += stats.kendalltau(a, z)[0] - stats.kendalltau(b, z)[0] >= seen - 1e-9
    found = permutation_test(
        matrix(x), matrix(y), matrix(z), level="system", coefficient="kendall", permute="systems",
        alternative="greater", n_resamples=20_000, rng=1,
    )  # fmt: skip
    assert found.pvalue == pytest.approx(count / 8, abs=4 * np.sqrt(0.25 / 20_000))


def test_share_of_wrongly_ranked_pairs():
    np.testing.assert_allclose(share_wrongly_ranked([1, 0, -1]), [0, 0.5, 1])


GAP = GOOD.copy()
GAP[0, 0] = np.nan
CALL = {"level": "system", "coefficient": "pearson", "rng": 0, "n_resamples": 9}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: bootstrap_interval(matrix(GOOD), matrix(HUMAN), **CALL, confidence_level=95), ValueError, "must be in (0, 1), got 95; did you mean 0.95?"),
        (lambda: bootstrap_interval(matrix(GOOD), matrix(HUMAN), **CALL, confidence_level=0), ValueError, "got 0"),
        (lambda: bootstrap_interval(matrix(GOOD), matrix(HUMAN), **(CALL | {"n_resamples": 0})), ValueError, "at least 1, got 0"),
        (lambda: bootstrap_interval(matrix(GOOD), matrix(HUMAN[:, 1:]), **CALL), DataError, "must cover the same documents"),
        (lambda: bootstrap_interval(matrix(GOOD[:2]), matrix(HUMAN[:2]), **CALL), DataError, "at least 3 systems are needed, got 2"),
        (lambda: bootstrap_interval(matrix(GOOD), matrix(HUMAN), **CALL, paired=False, resample="all"), UnknownNameError, "unknown resample 'all'"),
        (lambda: bootstrap_interval(matrix(GOOD / 0), matrix(HUMAN), **CALL), DataError, "infinite scores"),
        (lambda: fisher_interval(matrix(GOOD), matrix(HUMAN), level="system", coefficient="tau"), UnknownNameError, "unknown coefficient 'tau'"),
        (lambda: permutation_test(matrix(GAP), matrix(POOR), matrix(HUMAN), **CALL), DataError, "scored by `metric_b` only"),
        (lambda: permutation_test(matrix(GOOD), matrix(POOR), matrix(HUMAN), **CALL, alternative="more"), UnknownNameError, "unknown alternative 'more'"),
        (lambda: paired_bootstrap_test(matrix(GOOD), matrix(POOR), matrix(HUMAN), **CALL, resample="rows"), UnknownNameError, "unknown resample 'rows'"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("resample", ["systems", "both"])
def test_intervals_cover_the_truth(resample):
    """Gaussian systems and documents, judged by a binomial test.

    The percentile bootstrap is known to miss what it says by a little with few systems, so coverage is tested
    to be no less than 0.91 and no more than 0.99.
    """
    rng = np.random.default_rng(3)
    # human: system + noise, metric: system + a quirk of the system + noise, means over 20 documents
    truth = 1 / math.sqrt((1 + 1 / 20) * (2 + 1 / 20))
    hits = 0
    for _ in range(400):
        system, quirk = rng.normal(size=(2, 40, 1))
        metric, human = system + quirk + rng.normal(size=(40, 20)), system + rng.normal(size=(40, 20))
        found = bootstrap_interval(
            matrix(metric), matrix(human), level="system", coefficient="pearson", resample=resample,
            n_resamples=399, rng=rng,
        )  # fmt: skip
        hits += found.low <= truth <= found.high
    assert stats.binomtest(hits, 400, 0.91, alternative="less").pvalue > 0.01
    assert stats.binomtest(hits, 400, 0.99, alternative="greater").pvalue > 0.01
