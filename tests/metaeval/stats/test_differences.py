"""compare() and compare_pairs() against counting by hand, mirrors, masks, and uniform p-values."""

import gc
from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.correlation import pearson
from metaeval.stats.differences import (
    CORRECTIONS,
    TESTS,
    adjust_pvalues,
    compare,
    compare_pairs,
    compare_systems,
    equality_pvalue,
    resampling_pvalue,
    simultaneous_pvalues,
)
from metaeval.stats.resampling import bootstrap_distribution, check_pairs, permutation_distribution

RNG = np.random.default_rng(2)
HUMAN = RNG.normal(size=(9, 12))
GOOD, POOR = HUMAN + 0.3 * RNG.normal(size=(9, 12)), HUMAN + 3 * RNG.normal(size=(9, 12))
GAP = GOOD.copy()
GAP[0, 0] = np.nan
SUMMARY = {"level": "summary", "coefficient": "pearson"}
BY_RESAMPLING = [name for name in TESTS if name != "Williams"]


def test_pvalues_counted_by_hand():
    null = np.array([-0.3, -0.1, 0.0, 0.1, 0.2, 0.2 - 1e-15, np.nan])
    # six defined; at least 0.2: two (one but for rounding); at most: all six; beyond in size: those and -0.3
    assert resampling_pvalue(0.2, null, "greater") == pytest.approx(3 / 7)
    assert resampling_pvalue(0.2, null, "less") == pytest.approx(7 / 7)
    assert resampling_pvalue(0.2, null, "two-sided") == pytest.approx(4 / 7)
    # at most -0.1: that and -0.3, with or without a rounding error
    assert resampling_pvalue(-0.1, null, "less") == pytest.approx(3 / 7)
    assert resampling_pvalue(-0.1 - 1e-15, null, "less") == pytest.approx(3 / 7)
    assert np.isnan(resampling_pvalue(np.nan, null, "greater"))
    assert np.isnan(resampling_pvalue(0.2, null * np.nan, "greater"))


@pytest.mark.parametrize("level", ["system", "summary", "global"])
@pytest.mark.parametrize("method", [name for name in TESTS if name.startswith("Perm")])
def test_both_orders_of_a_pair_are_drawn_once_and_come_out_as_if_each_were_drawn(method, level):
    scores, pairs = np.stack([GOOD, POOR, HUMAN + RNG.normal(size=(9, 12))]), [[1, 0], [0, 1], [2, 1]]
    kind = {"level": level, "coefficient": "kendall", "n_resamples": 50}
    comparison = compare_pairs(scores, HUMAN, pairs, method=method, rng=5, **kind)
    each = permutation_distribution(scores, HUMAN, pairs=pairs, permute=TESTS[method][1], rng=5, **kind)
    np.testing.assert_array_equal(comparison.null, each)
    np.testing.assert_array_equal(comparison.null[0], -comparison.null[1])


@pytest.mark.parametrize("method", ["Perm-Both", "Boot-Both"])
def test_a_clear_difference_and_its_mirror(method):
    kind = SUMMARY | {"method": method, "n_resamples": 199, "rng": 0}
    better = compare(GOOD, POOR, HUMAN, alternative="greater", **kind)
    assert better.pvalue == pytest.approx(1 / 200)
    mirrored = compare(POOR, GOOD, HUMAN, alternative="less", **kind)
    assert mirrored.pvalue == better.pvalue
    np.testing.assert_allclose(mirrored.null, -better.null, atol=1e-12)
    assert compare(POOR, GOOD, HUMAN, alternative="greater", **kind).pvalue > 0.9
    against = compare(-GOOD, -POOR, HUMAN, alternative="less", **kind)
    assert against.pvalue == better.pvalue


def test_a_bootstrap_s_null_is_what_was_drawn_around_nothing():
    scores, kind = np.stack([POOR, GOOD]), SUMMARY | {"n_resamples": 20, "rng": 4}
    comparison = compare_pairs(scores, HUMAN, [[1, 0]], method="Boot-Both", **kind)
    poor, good = bootstrap_distribution(scores, HUMAN, resample="both", **kind)
    np.testing.assert_allclose(comparison.null[0], good - poor - comparison.difference[0], atol=1e-12)


@pytest.mark.parametrize("method", BY_RESAMPLING)
def test_a_metric_and_itself_do_not_differ(method):
    comparison = compare(GOOD, 2 * GOOD - 1, HUMAN, **SUMMARY, method=method, n_resamples=99, rng=0)
    assert comparison.pvalue == 1
    assert not comparison.null.any()  # not even by a rounding error


@pytest.mark.parametrize("method", BY_RESAMPLING)
def test_what_cannot_be_compared_has_no_pvalue(method):
    comparison = compare(np.ones((9, 12)), POOR, HUMAN, **SUMMARY, method=method, n_resamples=9, rng=0)
    assert np.isnan([comparison.statistic, comparison.difference, comparison.pvalue]).all()


def test_small_permutation_test_counted_out():
    # one document, three systems, swapping systems: 8 equally likely swaps, so p is near their exact share
    x, y, z = np.array([[1.0], [2], [3]]), np.array([[3.0], [1], [2]]), np.array([[1.0], [2], [3]])
    observed = stats.kendalltau(x, z)[0] - stats.kendalltau(y, z)[0]
    count = 0
    for mask in range(8):
        swapped = np.array([[mask >> i & 1] for i in range(3)], dtype=bool)
        a, b = np.where(swapped, y, x), np.where(swapped, x, y)
        count += stats.kendalltau(a, z)[0] - stats.kendalltau(b, z)[0] >= observed - 1e-9
    comparison = compare(
        x, y, z, level="system", coefficient="kendall", method="Perm-Systems", alternative="greater",
        n_resamples=20_000, rng=1,
    )  # fmt: skip
    assert comparison.pvalue == pytest.approx(count / 8, abs=4 * np.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("method", TESTS)
def test_pairs_together_get_what_each_gets_alone(method):
    settings = SUMMARY | {"method": method, "n_resamples": 60, "rng": 3}
    scores = np.stack([GOOD, POOR, GAP])
    pairs = [(0, 1), (1, 2), (2, 0)]
    comparison = compare_pairs(scores, HUMAN, pairs, **settings)
    for place, (first, second) in enumerate(pairs):
        alone = compare(scores[first], scores[second], HUMAN, **settings)
        for name in ("difference", "statistic", "pvalue", "n_used", "n_undefined"):
            np.testing.assert_array_equal(
                getattr(comparison, name)[place], getattr(alone, name), err_msg=name
            )


@pytest.mark.parametrize("method", TESTS)
def test_two_metrics_are_compared_on_the_summaries_that_both_score(method):
    settings = {"level": "system", "method": method, "n_resamples": 50, "rng": 1}
    comparison = compare(GAP, POOR, HUMAN, **settings)
    masked = compare(GAP, np.where(np.isnan(GAP), np.nan, POOR), HUMAN, **settings)
    assert (comparison.n_used, comparison.n_total) == (107, 108)
    assert comparison.pvalue == masked.pvalue


@pytest.mark.parametrize("scale", [1e160, 1e-200])
@pytest.mark.parametrize("method", ["Perm-Both", "Perm-Inputs", "Boot-Both"])
def test_the_scale_of_peoples_scores_changes_no_pvalue(method, scale):
    settings = SUMMARY | {"method": method, "n_resamples": 199, "rng": 0}
    assert (
        compare(GOOD, POOR, HUMAN * scale, **settings).pvalue == compare(GOOD, POOR, HUMAN, **settings).pvalue
    )


def test_the_signature_holds_all_settings():
    comparison = compare(GOOD, POOR, HUMAN, **SUMMARY, n_resamples=99, rng=7)
    parts = dict(part.split(":", 1) for part in comparison.signature.split("|"))
    assert {
        "method": "Perm-Both",
        "alternative": "two-sided",
        "resamples": "99",
        "seed": "7",
    }.items() <= parts.items()
    assert "null" not in repr(comparison)


def test_corrections_counted_by_hand():
    # Holm: 4 times the smallest, 3 times the next, and none below those before it
    np.testing.assert_allclose(adjust_pvalues([0.01, 0.04, 0.03, 0.03]), [0.04, 0.09, 0.09, 0.09])
    # two tests; the smallest of their p-values times two, the other times one
    np.testing.assert_allclose(adjust_pvalues([0.01, np.nan, 0.02]), [0.02, np.nan, 0.02])
    np.testing.assert_allclose(
        adjust_pvalues([0.01, np.nan, 0.02], correction="Bonferroni"), [0.02, np.nan, 0.04]
    )
    np.testing.assert_array_equal(adjust_pvalues([0.01, 0.5], correction="none"), [0.01, 0.5])
    assert np.isnan(adjust_pvalues([np.nan])).all()


CALL = {"level": "system", "coefficient": "pearson", "rng": 0, "n_resamples": 9}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: compare(GOOD, POOR, HUMAN, **CALL, alternative="more"), UnknownNameError, "unknown alternative 'more'"),
        (lambda: compare(GOOD, POOR, HUMAN, **CALL, method="Boot-Rows"), UnknownNameError, "unknown test 'Boot-Rows'"),
        (lambda: compare(GOOD[1:], POOR, HUMAN, **CALL), DataError, "`metric_a` and `metric_b` must cover the same systems"),
        (lambda: compare(GOOD[:2], POOR[:2], HUMAN[:2], **CALL), DataError, "at least 3 systems are needed, got 2"),
        (lambda: compare(GOOD, POOR, HUMAN / 0, **CALL), DataError, "`human` holds 108 infinite scores"),
        (lambda: adjust_pvalues([0.1], correction="Hochberg"), UnknownNameError, "unknown correction 'Hochberg'"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("method", BY_RESAMPLING)
def test_a_test_that_draws_needs_a_draw(method):
    with pytest.raises(ValueError, match="`n_resamples` must be at least 1, got -1"):
        compare(GOOD, POOR, HUMAN, method=method, n_resamples=-1, rng=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "level", "coefficient"),
    [
        ("Perm-Both", "summary", "pearson"),
        ("Perm-Both", "summary", "kendall"),
        ("Perm-Systems", "system", "pearson"),
        ("Perm-Inputs", "summary", "spearman"),
        ("Perm-Systems-and-Inputs", "system", "pearson"),
    ],
)
def test_pvalues_are_uniform_when_metrics_are_equally_good(method, level, coefficient):
    rng = np.random.default_rng(11)
    pvalues = []
    for _ in range(400):
        human = rng.normal(size=(8, 10))
        a, b = (human + rng.normal(size=(8, 10)) for _ in range(2))
        comparison = compare(
            a, b, human, level=level, coefficient=coefficient, method=method, alternative="greater",
            n_resamples=99, rng=rng,
        )  # fmt: skip
        pvalues.append(comparison.pvalue)
    assert stats.kstest(np.array(pvalues) - rng.uniform(0, 0.01, 400), "uniform").pvalue > 0.001
    assert stats.binomtest(int((np.array(pvalues) <= 0.05).sum()), 400, 0.05).pvalue > 0.001


@pytest.mark.parametrize("n", [1, 2, 40])
@pytest.mark.parametrize("correction", ["Holm", "Bonferroni"])
def test_corrections_are_those_of_statsmodels(n, correction, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda *_: 0)  # theirs looks through the whole process
    pvalues = np.random.default_rng(n).integers(1, 21, size=n) / 100  # some are equal
    expected = multipletests(pvalues, method=correction.lower())[1]
    np.testing.assert_array_equal(adjust_pvalues(pvalues, correction=correction), expected)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_does_not_look_for_garbage(correction, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda *_: pytest.fail("looked through the whole process"))
    adjust_pvalues([0.01, 0.04], correction=correction)


def test_systems_are_compared_as_by_all_signs_of_documents():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(3, 9)) + np.array([0.0, 0.3, 0.9])[:, None]
    scores[0, 4] = np.nan
    difference, null = compare_systems(scores, n_resamples=20_000, rng=1)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        apart = (scores[i] - scores[j])[~np.isnan(scores[i] - scores[j])]
        assert difference[k] == pytest.approx(apart.mean())
        exact = [abs(np.mean(apart * signs)) for signs in product((-1, 1), repeat=len(apart))]
        p = np.mean(np.array(exact) >= abs(apart.mean()) - 1e-12)
        drawn = np.mean(np.abs(null[k]) >= abs(difference[k]) - 1e-12)
        assert abs(drawn - p) < 4 * np.sqrt(p * (1 - p) / 20_000)
    # a document changes places in all pairs alike: what is left of the third pair is the first two's difference
    scores[0, 4] = 0.0
    _, null = compare_systems(scores, n_resamples=50, rng=1)
    np.testing.assert_allclose(null[1] - null[0], null[2], atol=1e-12)
    scores[0] = np.nan
    assert np.isnan(compare_systems(scores, n_resamples=5, rng=1)[0]).tolist() == [True, True, False]


def test_a_score_beyond_all_others_changes_no_pair_of_other_systems():
    scores = np.random.default_rng(3).normal(size=(4, 9))
    alone = compare_systems(scores[:2], n_resamples=20, rng=1)
    scores[3, 0] = -1e13
    for among, pair in zip(compare_systems(scores, n_resamples=20, rng=1), alone, strict=True):
        np.testing.assert_allclose(among[0], pair[0])


def test_systems_are_compared_by_as_many_draws_as_metrics_by_default():
    _, null = compare_systems(GOOD[:2], rng=0)
    assert null.shape[-1] == compare(GOOD, POOR, HUMAN, **SUMMARY, rng=0).n_resamples == 1_999


def test_pairs_of_systems_in_pieces_are_what_they_are_at_once(monkeypatch):
    scores = np.random.default_rng(5).normal(size=(6, 9))
    scores[0, 4], scores[5] = np.nan, np.nan
    whole = compare_systems(scores, n_resamples=40, rng=1)
    adjusted = simultaneous_pvalues(*whole)
    monkeypatch.setattr("metaeval.stats.draws.COUNTS_AT_ONCE", 100)
    for one, other in zip(compare_systems(scores, n_resamples=40, rng=1), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(simultaneous_pvalues(*whole), adjusted)
    # the definition, all pairs at once
    difference, null = (of[~np.isnan(whole[0])] for of in whole)
    largest = (np.abs(null) / null.std(axis=1)[:, None]).max(axis=0)
    t = np.abs(difference) / null.std(axis=1)
    expected = [(1 + (largest >= one - 1e-12).sum()) / 41 for one in t]
    np.testing.assert_array_equal(adjusted[~np.isnan(adjusted)], expected)


def test_equal_values_are_tested_as_by_hotelling():
    rng = np.random.default_rng(4)
    drawn = rng.normal(size=(3, 400)) * np.array([[1.0], [2.0], [0.5]]) + rng.normal(size=400)
    values = np.array([0.3, 1.9, -0.4])
    covariance = np.cov(np.stack([drawn[0] - drawn[2], drawn[1] - drawn[2]]))
    apart = values[:2] - values[2]  # other contrasts of the same hypothesis
    t_squared = apart @ np.linalg.inv(covariance) @ apart
    expected = stats.f.sf(t_squared * (30 - 2) / (2 * 29), 2, 28)
    assert equality_pvalue(values, drawn, n=30) == pytest.approx(expected)
    gaps = np.vstack([drawn, np.where(np.arange(400) < 5, np.nan, 0.1)])  # 1.25 % of the draws
    assert equality_pvalue(np.append(values, 9.0), gaps, n=30) == pytest.approx(expected)
    assert np.isnan(equality_pvalue(values[:1], drawn[:1], n=30))
    assert np.isnan(equality_pvalue(values[[0, 0, 1]], drawn[[0, 0, 1]], n=30))  # a copy


@pytest.mark.slow
def test_equal_correlations_are_rejected_a_little_too_often():
    """Ten correlations of 80 documents that all are .6, in 400 worlds at the level of 5 %: 33 are rejected."""
    rng = np.random.default_rng(9)
    n, n_worlds, wrong = 80, 400, 0
    for _ in range(n_worlds):
        x = rng.normal(size=(10, n))
        z = 0.6 * x + 0.8 * rng.normal(size=(10, n))
        draws = rng.integers(n, size=(600, n))
        drawn = pearson(x[:, draws], z[:, draws])
        wrong += equality_pvalue(pearson(x, z), drawn, n=n) < 0.05
    assert stats.binomtest(wrong, n_worlds, 0.08).pvalue > 0.001, wrong


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        ([[0.9, 1.2]], "two whole numbers for each pair of metrics, got an array of float64"),
        ([[0, 1, 2], [1, 2, 0]], "of shape (2, 3)"),
        ([0, 1], "of shape (2,)"),
        ([[True, False]], "an array of bool"),
        ([[0, 7]], "`pairs` must number metrics from 0 to 1, got 7"),
        ([[0, -1]], "`pairs` must number metrics from 0 to 1, got -1"),
    ],
)
def test_pairs_are_whole_numbers_of_metrics_that_there_are(pairs, text):
    for call in (
        lambda: compare_pairs(np.stack([GOOD, POOR]), HUMAN, pairs, n_resamples=9, rng=0),
        lambda: permutation_distribution(
            np.stack([GOOD, POOR]), HUMAN, pairs=pairs, n_resamples=9, rng=0, **SUMMARY
        ),
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
            call()
        assert text in str(caught.value)


def test_no_pairs_are_pairs_too():
    assert check_pairs([], 2).shape == (0, 2)
    assert compare_pairs(np.stack([GOOD, POOR]), HUMAN, [], n_resamples=9, rng=0).pvalue.shape == (0,)
