"""Correlations on arrays against SciPy in double loops, R, and values worked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.correlation import (
    COEFFICIENTS,
    LEVELS,
    correlate,
    kendall,
    kendall_without_each,
    pearson,
    spearman,
    system_means,
)
from tests import oracles
from tests.builders import with_gaps

# few distinct values, so that ties and constant columns are common
tables = st.tuples(st.integers(2, 6), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(*(hnp.arrays(float, shape, elements=st.sampled_from([0, 1, 2, 3, np.nan])),) * 2)
)


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("name", oracles.COEFFICIENTS)
def test_what_all_of_these_are_held_against_is_scipys(name):
    whole = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name]
    rng = np.random.default_rng(5)
    for i in range(300):
        x, y = rng.integers(0, 5, size=(2, rng.integers(2, 30))) * 10.0 ** rng.integers(-150, 150)
        x, y = (x, y) if i % 2 else (x + rng.normal(size=x.shape), y + rng.normal(size=y.shape))
        assert oracles.COEFFICIENTS[name](x, y) == pytest.approx(
            whole(x, y).statistic, abs=1e-12, nan_ok=True
        )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COEFFICIENTS)
@given(pair=tables)
@settings(max_examples=30, deadline=None)
def test_equals_scipy_in_double_loops(level, name, pair):
    x, y = pair
    value, _, _ = correlate(x, y, level=level, coefficient=name)
    np.testing.assert_allclose(value, oracles.LEVELS[level](x, y, name), atol=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_batches_equal_single_runs_and_scipy(name):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(7, 5, 30)), rng.normal(size=(5, 30))
    together = COEFFICIENTS[name](x, y)
    assert together.shape == (7, 5)
    for i, j in np.ndindex(7, 5):
        assert together[i, j] == pytest.approx(oracles.coefficient(x[i, j], y[j], name), abs=1e-13)


@pytest.mark.parametrize("level", LEVELS)
def test_metrics_are_correlated_one_by_one(level):
    rng = np.random.default_rng(6)
    metrics, human = with_gaps(rng, rng.normal(size=(3, 2, 5, 7)), 0.3), rng.normal(size=(5, 7))
    together = correlate(metrics, human, level=level, coefficient="pearson")
    for place in np.ndindex(3, 2):
        alone = correlate(metrics[place], human, level=level, coefficient="pearson")
        assert (alone.n_used, alone.n_total) == (together.n_used[place], together.n_total)
        assert together.value[place] == pytest.approx(alone.value, abs=1e-13)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_of_nothing_there_is_no_correlation(name):
    np.testing.assert_equal(COEFFICIENTS[name](np.ones((2, 0)), np.ones(0)), [np.nan, np.nan])


@pytest.mark.parametrize("n_left", [0, 1, 2, 3])
def test_of_many_values_few_may_have_both_scores(n_left):
    x, y = np.random.default_rng(7).normal(size=(2, 900))
    y[n_left:] = np.nan
    alone = kendall(x[:n_left], y[:n_left])
    assert float(kendall(x, y)) == pytest.approx(float(alone), abs=1e-13, nan_ok=True)


def test_long_kendall_takes_the_other_road_to_the_same_value():
    rng = np.random.default_rng(2)
    x = with_gaps(rng, rng.integers(0, 30, 900).astype(float), 0.1)
    y = rng.integers(0, 30, 900).astype(float)
    assert float(kendall(x, y)) == pytest.approx(oracles.coefficient(x, y, "kendall"), abs=1e-13)


def test_values_worked_out_by_hand():
    # means: metric 1, 2, 3; human 0.15, 0.3, 0.4. Same order: tau = rho = 1.
    # r = cov / sd: deviations (-1, 0, 1) and (-0.4, 0.05, 0.35)/3... = 0.25 / sqrt(2 * 0.0316667)
    metric = np.array([[1, 1], [2, 2], [3, 3]])
    human = np.array([[0.1, 0.2], [0.3, 0.3], [0.2, 0.6]])
    assert correlate(metric, human, level="system", coefficient="kendall").value == 1
    assert correlate(metric, human, level="system", coefficient="spearman").value == pytest.approx(1)
    assert correlate(metric, human, level="system", coefficient="pearson").value == pytest.approx(
        0.25 / np.sqrt(2 * 0.0316666666666667)
    )
    # column d0: human order 1 3 2 against 1 2 3: two of three pairs agree, tau = 1/3; column d1: tau = 1
    assert correlate(metric, human, level="summary", coefficient="kendall").value == pytest.approx(2 / 3)


def test_kendall_with_ties_is_r_s_value():
    # R 4.3: cor(c(1,2,2,3,5), c(2,1,4,4,6), method="kendall") = 0.6666667
    assert float(kendall([1, 2, 2, 3, 5], [2, 1, 4, 4, 6])) == pytest.approx(0.6666667, abs=1e-7)


def test_undefined_is_nan_and_counted():
    metric = np.array([[1, 5, 1], [1, 6, 2], [1, 7, 3]])  # the first document's scores are constant
    human = np.array([[1, 1, np.nan], [2, 2, np.nan], [3, 3, 1]])  # the third has one judgment only
    result = correlate(metric, human, level="summary", coefficient="pearson")
    assert (result.value, result.n_used, result.n_total) == (1.0, 1, 3)
    nothing = correlate(metric * 0, human, level="system", coefficient="kendall")
    assert np.isnan(nothing.value)
    assert nothing.n_used == nothing.n_total == 3


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e-300, 1e300])
def test_a_constant_is_recognised_whatever_its_value(constant):
    x = np.full(7, constant)
    assert np.isnan(pearson(x, np.arange(7.0)))
    assert np.isnan(spearman(x, np.arange(7.0)))
    assert np.isnan(kendall(x, np.arange(7.0)))


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_pearson_does_not_lose_tiny_or_huge_scores(scale):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=20), rng.normal(size=20)
    assert float(pearson(x * scale, y)) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)


def test_means_equal_on_paper_tie():
    ratings = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1.0, 2.0, 3.0]])
    assert ratings[0].sum() != ratings[1].sum()  # 0.6000000000000001 and 0.6
    means = system_means(ratings)
    assert means[0] == means[1]
    np.testing.assert_allclose(means, [0.2, 0.2, 2], rtol=1e-11)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_order_of_rows_and_columns_does_not_matter_and_sign_flips(level, name):
    rng = np.random.default_rng(4)
    metric, human = rng.normal(size=(6, 9)), rng.normal(size=(6, 9))
    one = correlate(metric, human, level=level, coefficient=name)
    places = np.ix_(rng.permutation(6), rng.permutation(9))
    assert correlate(metric[places], human[places], level=level, coefficient=name).value == pytest.approx(
        one.value
    )
    assert correlate(-metric, human, level=level, coefficient=name).value == pytest.approx(-one.value)
    assert correlate(human, metric, level=level, coefficient=name).value == pytest.approx(one.value)


def test_ranks_do_not_see_a_monotone_transform():
    rng = np.random.default_rng(5)
    metric, human = rng.normal(size=(6, 9)), rng.normal(size=(6, 9))
    for name in ("spearman", "kendall"):
        one = correlate(metric, human, level="summary", coefficient=name).value
        assert correlate(np.exp(metric), human, level="summary", coefficient=name).value == pytest.approx(one)


def test_inputs_are_not_changed():
    metric, human = np.array([[1, np.nan], [2, 3], [4, 1]]), np.array([[1.0, 1], [2, 2], [3, 9]])
    before = metric.copy(), human.copy()
    correlate(metric, human, level="system", coefficient="spearman")
    np.testing.assert_array_equal(metric, before[0])
    np.testing.assert_array_equal(human, before[1])


GOOD = np.eye(3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: correlate(GOOD, GOOD, level="systems", coefficient="pearson"), UnknownNameError,
         "unknown level 'systems'; known: global, summary, system. Did you mean 'system'?"),
        (lambda: correlate(GOOD, GOOD, level="system", coefficient="pearsonr"), UnknownNameError,
         "unknown coefficient 'pearsonr'; known: kendall, pearson, spearman. Did you mean 'pearson'?"),
        (lambda: correlate(GOOD * np.inf, GOOD, level="system", coefficient="pearson"), DataError, "infinite scores"),
        (lambda: correlate(GOOD.astype(str), GOOD, level="system", coefficient="pearson"), DataError, "must hold numbers"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:invalid value")
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("n_levels", [2, 7, 10**6])
def test_many_pairs_have_the_bits_of_scipy(n_levels):
    rng = np.random.default_rng(n_levels)
    x, y = rng.integers(n_levels, size=(2, 700)).astype(float)
    y = np.where(rng.random(700) < 0.5, x, y)
    assert kendall(x, y) == stats.kendalltau(x, y, method="asymptotic").statistic
    x[3] = np.nan
    assert kendall(x, -y) == stats.kendalltau(x, -y, method="asymptotic", nan_policy="omit").statistic
    assert kendall(y, y) == pytest.approx(1)
    assert np.isnan(kendall(np.ones(700), y))


def test_tau_without_each_entry_is_scipys_of_the_others():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, (2, 5, 6)).astype(float)
    x[0, 2] = np.nan
    expected = [
        [stats.kendalltau(*np.delete([a, b], k, axis=1), nan_policy="omit").statistic for k in range(6)]
        for a, b in zip(x, y, strict=True)
    ]
    np.testing.assert_allclose(kendall_without_each(x, y), expected, rtol=1e-12)
