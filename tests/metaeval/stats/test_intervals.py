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
    result = interval(GOOD, HUMAN, **SUMMARY, n_resamples=999, rng=0)
    assert result.estimate == pytest.approx(
        np.mean([stats.pearsonr(GOOD[:, j], HUMAN[:, j])[0] for j in range(12)])
    )
    ordered = np.sort(result.distribution)
    # of 999 values the 2.5th percentile lies at place 0.025 * 998 = 24.95 (from 0)
    assert result.low == pytest.approx(ordered[24] + 0.95 * (ordered[25] - ordered[24]))
    assert (result.method, result.n_resamples, result.n_undefined) == ("Boot-Both", 999, 0)
    assert result.low < result.estimate < result.high
    assert result.standard_error == pytest.approx(result.distribution.std(ddof=1))
    assert result.quantile(0.5) == np.median(result.distribution)
    assert (result.n_used, result.n_total) == (12, 12)


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
    result = interval(GOOD[:3], HUMAN[:3], level="system", coefficient="kendall", n_resamples=2000, rng=0)
    assert result.n_undefined == np.isnan(result.distribution).sum() > 0
    assert not np.isnan(result.low)


@pytest.mark.parametrize("method", ["Boot-Both", "Fisher"])
def test_a_constant_metric_has_no_interval(method):
    result = interval(np.ones((9, 12)), HUMAN, **SUMMARY, method=method, n_resamples=50, rng=0)
    assert np.isnan([result.estimate, result.low, result.high, result.standard_error]).all()
    assert result.n_undefined == (result.n_resamples or 1)


def test_systems_vary_more_than_documents_here():
    width = {}
    for method in ("Boot-Systems", "Boot-Inputs", "Boot-Both"):
        result = interval(POOR, HUMAN, **SYSTEM, method=method, n_resamples=999, rng=0)
        width[method] = result.high - result.low
    assert max(width["Boot-Systems"], width["Boot-Inputs"]) < width["Boot-Both"]


def test_unpaired_documents():
    wide = RNG.normal(size=(9, 30)) + HUMAN.mean(axis=1, keepdims=True)
    result = interval(wide, HUMAN, **SYSTEM, paired=False, n_resamples=200, rng=0)
    expected = np.corrcoef(wide.mean(axis=1), HUMAN.mean(axis=1))[0, 1]
    assert result.estimate == pytest.approx(expected)
    assert result.low < expected < result.high
    assert (result.n_used, result.n_total) == (9, 9)


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
    bounds = fisher_bounds(0.5, 25, coefficient=coefficient, confidence_level=0.95)
    centre = math.log(3) / 2
    np.testing.assert_allclose(bounds, [math.tanh(centre - half), math.tanh(centre + half)], rtol=1e-9)


def test_fisher_with_too_few_observations():
    assert np.isnan(fisher_bounds(0.5, [3, 2], coefficient="pearson", confidence_level=0.9)).all()
    assert np.isnan(fisher_bounds(0.5, 4, coefficient="kendall", confidence_level=0.9)).all()


def test_fisher_equals_scipy_at_system_level():
    result = interval(POOR, HUMAN, **SYSTEM, method="Fisher", confidence_level=0.9)
    expected = stats.pearsonr(POOR.mean(axis=1), HUMAN.mean(axis=1)).confidence_interval(0.9)
    np.testing.assert_allclose([result.low, result.high], expected)
    np.testing.assert_allclose(result.quantile(0.05), expected.low)
    assert result.quantile(0.5) == result.estimate
    assert (result.n_resamples, result.distribution) == (0, None)
    # the delta method: (1 - r^2) / sqrt(n - 3)
    assert result.standard_error == pytest.approx((1 - result.estimate**2) / math.sqrt(6))


def test_one_seed_gives_one_interval_and_the_signature_holds_all_settings():
    result = interval(GOOD, HUMAN, **SUMMARY, method="boot-inputs", n_resamples=99, rng=7)
    assert result.low == interval(GOOD, HUMAN, **SUMMARY, method="Boot-Inputs", n_resamples=99, rng=7).low
    parts = dict(part.split(":", 1) for part in result.signature.split("|"))
    expected = {"level": "summary", "coefficient": "pearson", "method": "Boot-Inputs", "resamples": "99"}
    assert expected.items() <= parts.items()
    assert (parts["confidence"], parts["seed"], parts["systems"], parts["documents"]) == (
        "0.95",
        "7",
        "9",
        "12",
    )
    stacked = interval(np.stack([GOOD, POOR]), HUMAN, **SUMMARY, method="Boot-Inputs", n_resamples=99, rng=7)
    assert stacked.signature == result.signature
    fresh = interval(GOOD, HUMAN, **SUMMARY, n_resamples=99)
    seed = int(dict(part.split(":", 1) for part in fresh.signature.split("|"))["seed"])
    assert interval(GOOD, HUMAN, **SUMMARY, n_resamples=99, rng=seed).low == fresh.low


def test_printing_shows_no_draws_and_no_workings():
    text = repr(interval(GOOD, HUMAN, **SUMMARY, n_resamples=9, rng=0))
    assert "distribution" not in text
    assert " _" not in text


def test_short_floats_tie_where_the_decimals_tie():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, 0.6, 0.7], [0.9, 0.8, 0.1]])
    human = np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, 5], [5, 5, 5]])
    settings = {"level": "system", "coefficient": "kendall", "n_resamples": 200, "rng": 0}
    result = interval(scores, human, **settings)
    # the metric's means tie in two pairs of systems, people's in none: 4 / sqrt(4 * 6)
    assert result.estimate == pytest.approx(4 / math.sqrt(24))
    for dtype in (np.float32, np.float16):
        short = interval(scores.astype(dtype), human, **settings)
        assert short.estimate == result.estimate
        np.testing.assert_array_equal(short.distribution, result.distribution)


def test_share_of_wrongly_ranked_pairs():
    np.testing.assert_allclose(share_wrongly_ranked([1, 0, -1]), [0, 0.5, 1])


def draws_of_means(values, size, rng):
    """Means of draws with replacement, (*size)."""
    return values[rng.integers(len(values), size=(*size, len(values)))].mean(axis=-1)


def test_each_end_has_the_error_of_its_own_quantile():
    distribution = np.random.default_rng(4).exponential(size=400)
    ends = percentile_ends(distribution, 0.9)
    assert [ends.low, ends.high] == percentile_bounds(distribution, 0.9).tolist()
    assert [ends.low, ends.high] == pytest.approx(np.quantile(distribution, [0.05, 0.95]))
    errors = [quantile_error(distribution, q) for q in (0.05, 0.95)]
    assert [ends.low_mc_error, ends.high_mc_error] == pytest.approx(errors)
    assert errors[0] < errors[1] / 3


def test_an_interval_knows_the_errors_of_its_ends():
    result = interval(POOR, HUMAN, **SYSTEM, n_resamples=99, rng=0)
    errors = [quantile_error(result.distribution, q) for q in (0.025, 0.975)]
    assert [result.low_mc_error, result.high_mc_error] == pytest.approx(errors)
    assert errors[0] != pytest.approx(errors[1])
    without = interval(POOR, HUMAN, **SYSTEM, method="Fisher")
    assert np.isnan([without.low_mc_error, without.high_mc_error]).all()


def test_ends_of_draws_of_a_mean_are_student_s():
    rng = np.random.default_rng(4)
    values = rng.normal(size=9)
    mean, error = values.mean(), stats.sem(values)
    estimates = t_ends(np.full(400, mean), draws_of_means(values, (400, 200), rng), 9, 0.95)
    expected = stats.t.interval(0.95, 8, mean, error)
    for ends, errors, end in zip(estimates[:2], estimates[2:], expected, strict=True):
        assert ends.mean() == pytest.approx(end, abs=4 * errors.mean() / 20)
        assert errors.mean() == pytest.approx(ends.std(), rel=0.12)  # 3 errors of a spread over 400


def test_the_bias_of_a_bootstrap_is_taken_off():
    values = np.random.default_rng(5).normal(size=8)
    drawn = values[np.random.default_rng(6).integers(8, size=(4_000, 8))].var(axis=-1)
    ends = t_ends(values.var(), drawn, 8, 0.9)
    # the variance in a draw is too small by 1/8 on average, as the value is beside that of all there could be
    assert (ends.low + ends.high) / 2 == pytest.approx(values.var() * (1 + 1 / 8), rel=0.03)


def test_ends_where_draws_are_missing_constant_or_of_one_unit():
    draws = np.array([[1.0, 2.0, np.nan, 3.0], [2.0, 2.0, 2.0, 2.0], [np.nan, np.nan, np.nan, 1.0]])
    values = t_ends(np.array([2.0, 2.0, 2.0]), draws, 5, 0.95)
    alone = t_ends(2.0, draws[0, [0, 1, 3]], 5, 0.95)
    assert [ends[0] for ends in values] == [float(end) for end in alone]
    assert [float(ends[1]) for ends in values] == [2.0, 2.0, 0.0, 0.0]
    assert np.isnan([ends[2] for ends in values]).all()
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
        result = interval(metric, human, **SYSTEM, method=method, n_resamples=399, rng=rng)
        hits += result.low <= truth <= result.high
    assert stats.binomtest(hits, 400, 0.91, alternative="less").pvalue > 0.01
    assert stats.binomtest(hits, 400, 0.99, alternative="greater").pvalue > 0.01
