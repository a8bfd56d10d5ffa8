"""interval() against percentiles, SciPy, formulas worked by hand, and a known truth."""

import math

import numpy as np
import pytest
from scipy import stats

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.intervals import (
    INTERVALS,
    fisher_bounds,
    interval,
    percentile_bounds,
    percentile_ends,
    share_wrongly_ranked,
    t_ends,
)
from metaeval.stats.monte_carlo import quantile_error

RNG = np.random.default_rng(2)
HUMAN = RNG.normal(size=(9, 12))
GOOD, POOR = HUMAN + 0.3 * RNG.normal(size=(9, 12)), HUMAN + 3 * RNG.normal(size=(9, 12))
SUMMARY = {"level": "summary", "coefficient": "pearson"}
SYSTEM = {"level": "system", "coefficient": "pearson"}


def test_an_interval_is_percentiles_of_its_distribution():
    found = interval(GOOD, HUMAN, **SUMMARY, n_resamples=999, rng=0)
    assert found.estimate == pytest.approx(
        np.mean([stats.pearsonr(GOOD[:, j], HUMAN[:, j])[0] for j in range(12)])
    )
    ordered = np.sort(found.distribution)
    # of 999 values the 2.5th percentile lies at place 0.025 * 998 = 24.95 (from 0)
    assert found.low == pytest.approx(ordered[24] + 0.95 * (ordered[25] - ordered[24]))
    assert (found.method, found.n_resamples, found.n_undefined) == ("Boot-Both", 999, 0)
    assert found.low < found.estimate < found.high
    assert found.standard_error == pytest.approx(found.distribution.std(ddof=1))
    assert found.quantile(0.5) == np.median(found.distribution)
    assert (found.n_used, found.n_total) == (12, 12)


@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("level", ["system", "summary", "global"])
def test_metrics_together_get_what_each_gets_alone(method, level):
    settings = {"level": level, "coefficient": "kendall", "method": method, "n_resamples": 60, "rng": 3}
    gap = POOR.copy()
    gap[0, :4] = np.nan
    both = interval(np.stack([GOOD, gap]), HUMAN, **settings)
    for place, metric in enumerate((GOOD, gap)):
        alone = interval(metric, HUMAN, **settings)
        for name in ("estimate", "low", "high", "standard_error", "n_used", "n_undefined", "low_mc_error"):
            np.testing.assert_array_equal(getattr(both, name)[place], getattr(alone, name), err_msg=name)
        np.testing.assert_array_equal(both.quantile(0.1)[place], alone.quantile(0.1))


def test_undefined_draws_are_counted_and_left_out():
    found = interval(GOOD[:3], HUMAN[:3], level="system", coefficient="kendall", n_resamples=2000, rng=0)
    assert found.n_undefined == np.isnan(found.distribution).sum() > 0
    assert not np.isnan(found.low)


@pytest.mark.parametrize("method", ["Boot-Both", "Fisher"])
def test_a_constant_metric_has_no_interval(method):
    found = interval(np.ones((9, 12)), HUMAN, **SUMMARY, method=method, n_resamples=50, rng=0)
    assert np.isnan([found.estimate, found.low, found.high, found.standard_error]).all()
    assert found.n_undefined == (found.n_resamples or 1)


def test_systems_vary_more_than_documents_here():
    width = {}
    for method in ("Boot-Systems", "Boot-Inputs", "Boot-Both"):
        found = interval(POOR, HUMAN, **SYSTEM, method=method, n_resamples=999, rng=0)
        width[method] = found.high - found.low
    assert max(width["Boot-Systems"], width["Boot-Inputs"]) < width["Boot-Both"]


def test_unpaired_documents():
    wide = RNG.normal(size=(9, 30)) + HUMAN.mean(axis=1, keepdims=True)
    found = interval(wide, HUMAN, **SYSTEM, paired=False, n_resamples=200, rng=0)
    expected = np.corrcoef(wide.mean(axis=1), HUMAN.mean(axis=1))[0, 1]
    assert found.estimate == pytest.approx(expected)
    assert found.low < expected < found.high
    assert (found.n_used, found.n_total) == (9, 9)


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
    found = interval(POOR, HUMAN, **SYSTEM, method="Fisher", confidence_level=0.9)
    expected = stats.pearsonr(POOR.mean(axis=1), HUMAN.mean(axis=1)).confidence_interval(0.9)
    np.testing.assert_allclose([found.low, found.high], expected)
    np.testing.assert_allclose(found.quantile(0.05), expected.low)
    assert found.quantile(0.5) == found.estimate
    assert (found.n_resamples, found.distribution) == (0, None)
    # the delta method: (1 - r^2) / sqrt(n - 3)
    assert found.standard_error == pytest.approx((1 - found.estimate**2) / math.sqrt(6))


def test_one_seed_gives_one_interval_and_the_signature_says_all_that_is_needed():
    found = interval(GOOD, HUMAN, **SUMMARY, method="boot-inputs", n_resamples=99, rng=7)
    assert found.low == interval(GOOD, HUMAN, **SUMMARY, method="Boot-Inputs", n_resamples=99, rng=7).low
    said = dict(part.split(":", 1) for part in found.signature.split("|"))
    wanted = {"level": "summary", "coefficient": "pearson", "method": "Boot-Inputs", "resamples": "99"}
    assert wanted.items() <= said.items()
    assert (said["confidence"], said["seed"], said["systems"], said["documents"]) == ("0.95", "7", "9", "12")
    stacked = interval(np.stack([GOOD, POOR]), HUMAN, **SUMMARY, method="Boot-Inputs", n_resamples=99, rng=7)
    assert stacked.signature == found.signature
    fresh = interval(GOOD, HUMAN, **SUMMARY, n_resamples=99)
    seed = int(dict(part.split(":", 1) for part in fresh.signature.split("|"))["seed"])
    assert interval(GOOD, HUMAN, **SUMMARY, n_resamples=99, rng=seed).low == fresh.low


def test_printing_shows_no_draws_and_no_workings():
    shown = repr(interval(GOOD, HUMAN, **SUMMARY, n_resamples=9, rng=0))
    assert "distribution" not in shown
    assert " _" not in shown


def test_short_floats_tie_where_the_decimals_tie():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, 0.6, 0.7], [0.9, 0.8, 0.1]])
    human = np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, 5], [5, 5, 5]])
    settings = {"level": "system", "coefficient": "kendall", "n_resamples": 200, "rng": 0}
    found = interval(scores, human, **settings)
    # the metric's means tie in two pairs of systems, people's in none: 4 / sqrt(4 * 6)
    assert found.estimate == pytest.approx(4 / math.sqrt(24))
    for dtype in (np.float32, np.float16):
        short = interval(scores.astype(dtype), human, **settings)
        assert short.estimate == found.estimate
        np.testing.assert_array_equal(short.distribution, found.distribution)


def test_share_of_wrongly_ranked_pairs():
    np.testing.assert_allclose(share_wrongly_ranked([1, 0, -1]), [0, 0.5, 1])


def draws_of_means(values, size, rng):
    """Means of draws with replacement, (*size)."""
    return values[rng.integers(len(values), size=(*size, len(values)))].mean(axis=-1)


def test_each_end_has_the_error_of_its_own_quantile():
    distribution = np.random.default_rng(4).exponential(size=400)
    found = percentile_ends(distribution, 0.9)
    assert [found.low, found.high] == percentile_bounds(distribution, 0.9).tolist()
    assert [found.low, found.high] == pytest.approx(np.quantile(distribution, [0.05, 0.95]))
    errors = [quantile_error(distribution, q) for q in (0.05, 0.95)]
    assert [found.low_mc_error, found.high_mc_error] == pytest.approx(errors)
    assert errors[0] < errors[1] / 3


def test_an_interval_knows_the_errors_of_its_ends():
    found = interval(POOR, HUMAN, **SYSTEM, n_resamples=99, rng=0)
    errors = [quantile_error(found.distribution, q) for q in (0.025, 0.975)]
    assert [found.low_mc_error, found.high_mc_error] == pytest.approx(errors)
    assert errors[0] != pytest.approx(errors[1])
    without = interval(POOR, HUMAN, **SYSTEM, method="Fisher")
    assert np.isnan([without.low_mc_error, without.high_mc_error]).all()


def test_ends_of_draws_of_a_mean_are_student_s():
    rng = np.random.default_rng(4)
    values = rng.normal(size=9)
    mean, error = values.mean(), stats.sem(values)
    found = t_ends(np.full(400, mean), draws_of_means(values, (400, 200), rng), 9, 0.95)
    expected = stats.t.interval(0.95, 8, mean, error)
    for ends, errors, end in zip(found[:2], found[2:], expected, strict=True):
        assert ends.mean() == pytest.approx(end, abs=4 * errors.mean() / 20)
        assert errors.mean() == pytest.approx(ends.std(), rel=0.12)  # 3 errors of a spread over 400


def test_the_bias_of_a_bootstrap_is_taken_off():
    values = np.random.default_rng(5).normal(size=8)
    drawn = values[np.random.default_rng(6).integers(8, size=(4_000, 8))].var(axis=-1)
    found = t_ends(values.var(), drawn, 8, 0.9)
    # the variance in a draw is too small by 1/8 on average, as the value is beside that of all there could be
    assert (found.low + found.high) / 2 == pytest.approx(values.var() * (1 + 1 / 8), rel=0.03)


def test_ends_where_draws_are_missing_constant_or_of_one_unit():
    draws = np.array([[1.0, 2.0, np.nan, 3.0], [2.0, 2.0, 2.0, 2.0], [np.nan, np.nan, np.nan, 1.0]])
    found = t_ends(np.array([2.0, 2.0, 2.0]), draws, 5, 0.95)
    alone = t_ends(2.0, draws[0, [0, 1, 3]], 5, 0.95)
    assert [ends[0] for ends in found] == [float(end) for end in alone]
    assert [float(ends[1]) for ends in found] == [2.0, 2.0, 0.0, 0.0]
    assert np.isnan([ends[2] for ends in found]).all()
    assert np.isnan(t_ends(2.0, draws[0], 1, 0.95)).all()
    assert t_ends(2.0, draws[0], 5, 0.95, limits=(0.0, 2.5))[:2] == (0.0, 2.5)


CALL = {"level": "system", "coefficient": "pearson", "rng": 0, "n_resamples": 9}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: interval(GOOD, HUMAN, **CALL, confidence_level=95), ValueError, "must be in (0, 1), got 95; did you mean 0.95?"),
        (lambda: interval(GOOD, HUMAN, **CALL, confidence_level=0), ValueError, "got 0"),
        (lambda: interval(GOOD, HUMAN, **(CALL | {"n_resamples": 0})), ValueError, "at least 1, got 0"),
        (lambda: interval(GOOD, HUMAN, **(CALL | {"n_resamples": 10**9})), ValueError, "at most 10,000,000"),
        (lambda: interval(GOOD, HUMAN[:, 1:], **CALL), DataError, "same systems and documents, got shapes (9, 12) and (9, 11)"),
        (lambda: interval(GOOD, HUMAN[1:], **CALL, paired=False), DataError, "same systems, got shapes"),
        (lambda: interval(GOOD[:2], HUMAN[:2], **CALL), DataError, "at least 3 systems are needed, got 2"),
        (lambda: interval(GOOD[0], HUMAN, **CALL), DataError, "one row per system and one column per document"),
        (lambda: interval(GOOD, HUMAN, **CALL, method="Boot-All"), UnknownNameError, "unknown interval method 'Boot-All'"),
        (lambda: interval(GOOD, HUMAN, **CALL, method="Fisher", paired=False), ValueError, "one sample of documents"),
        (lambda: interval(GOOD, HUMAN, level="summary", paired=False, n_resamples=9, rng=0), ValueError, "at system level only"),
        (lambda: interval(GOOD / 0, HUMAN, **CALL), DataError, "infinite scores"),
        (lambda: interval(GOOD.astype(str), HUMAN, **CALL), DataError, "`metric` must hold numbers"),
        (lambda: interval(GOOD, HUMAN, level="system", coefficient="tau", method="Fisher"), UnknownNameError, "unknown coefficient 'tau'"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Boot-Systems", "Boot-Both"])
def test_intervals_cover_the_truth(method):
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
        found = interval(metric, human, **SYSTEM, method=method, n_resamples=399, rng=rng)
        hits += found.low <= truth <= found.high
    assert stats.binomtest(hits, 400, 0.91, alternative="less").pvalue > 0.01
    assert stats.binomtest(hits, 400, 0.99, alternative="greater").pvalue > 0.01
