"""Williams' test from numbers and from arrays, against the textbook's and other forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.differences import compare, williams


def t_pvalue(t, dof):
    """Two-sided p of Student's t by integrating its density from the textbook."""
    constant = math.gamma((dof + 1) / 2) / (math.sqrt(dof * math.pi) * math.gamma(dof / 2))
    upper, _ = integrate.quad(lambda s: constant * (1 + s * s / dof) ** (-(dof + 1) / 2), abs(t), math.inf)
    return 2 * upper


def textbook_t(r_a, r_b, r_ab, n):
    """The same statistic by another road: |R| as a determinant, in the form of Steiger 1980, Eq. 7."""
    determinant = np.linalg.det([[1, r_a, r_b], [r_a, 1, r_ab], [r_b, r_ab, 1]])
    mean = (r_a + r_b) / 2
    return (r_a - r_b) * math.sqrt(
        ((n - 1) * (1 + r_ab)) / (2 * ((n - 1) / (n - 3)) * determinant + mean**2 * (1 - r_ab) ** 3)
    )


def test_worked_by_hand():
    # n = 4, r_a = 0.5, r_b = 0, r_ab = 0: K = 1 - 0.25 = 0.75; below: 2 * 0.75 * 3 / 1 + 0.25 / 4 = 4.5625
    # t = 0.5 * sqrt(3) / sqrt(4.5625) = 0.40544; with one degree of freedom p = 1 - 2 atan(t) / pi
    t, p = williams(0.5, 0, 0, 4)
    assert t == pytest.approx(0.5 * math.sqrt(3 / 4.5625))
    assert p == pytest.approx(1 - 2 * math.atan(0.5 * math.sqrt(3 / 4.5625)) / math.pi)


def test_a_value_printed_in_a_manual():
    # R, package psych: r.test(n = 103, r12 = .4, r13 = .5, r23 = .1) prints "t value -0.89 with probability < 0.37"
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert round(float(t), 2) == -0.89
    assert round(float(p), 2) == 0.37


correlations = st.floats(-0.95, 0.95)


@given(r_a=correlations, r_b=correlations, r_ab=correlations, n=st.integers(4, 60))
@settings(max_examples=150, deadline=None)
def test_equals_the_determinant_form(r_a, r_b, r_ab, n):
    t, p = williams(r_a, r_b, r_ab, n)
    if np.linalg.det([[1, r_a, r_b], [r_a, 1, r_ab], [r_b, r_ab, 1]]) < 1e-6:
        return
    expected = textbook_t(r_a, r_b, r_ab, n)
    assert float(t) == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert float(p) == pytest.approx(t_pvalue(expected, n - 3), abs=1e-6)


@given(r_a=correlations, r_b=correlations, r_ab=correlations, n=st.integers(4, 60))
@settings(max_examples=100, deadline=None)
def test_sides_and_swaps(r_a, r_b, r_ab, n):
    p = {a: williams(r_a, r_b, r_ab, n, a)[1] for a in ("two-sided", "greater", "less")}
    if np.isnan(p["greater"]):
        assert all(np.isnan(value) for value in p.values())
        return
    assert p["greater"] + p["less"] == pytest.approx(1)
    assert p["two-sided"] == pytest.approx(2 * min(p["greater"], p["less"]))
    assert williams(r_b, r_a, r_ab, n, "less")[1] == pytest.approx(p["greater"])
    # judging by a score of which lower is better turns both correlations, and the answer, round
    assert williams(-r_a, -r_b, r_ab, n, "less")[1] == pytest.approx(p["greater"])


def test_signs_count():
    assert williams(-0.99, 0.68, -0.6, 20, "greater")[1] > 0.999
    assert williams(-0.99, 0.68, -0.6, 20, "two-sided")[1] < 0.001


@pytest.mark.parametrize("n", [4, 5, 12, 29])
def test_a_metric_in_other_units_is_no_rival(n):
    rng = np.random.default_rng(n)
    for _ in range(100):
        metric, people = rng.normal(size=(2, n, 3))
        scaled = metric * rng.uniform(0.1, 9) + rng.normal()
        comparison = compare(metric, scaled, people, coefficient="pearson", method="Williams")
        assert np.isnan(comparison.pvalue), comparison


def test_a_determinant_below_zero_by_a_rounding_error_is_zero():
    # three variables in one plane, and the second metric nearly the first one's mirror image
    r_a, r_b, r_ab = math.cos(1), math.cos(math.pi - 1 + 1e-5), math.cos(2 - math.pi - 1e-5) + 1e-13
    k = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    assert -1e-12 < k < -1e-14
    without = (r_a - r_b) * math.sqrt(9 * (1 + r_ab)) / (abs(r_a + r_b) / 2 * (1 - r_ab) ** 1.5)
    assert williams(r_a, r_b, r_ab, 10)[0] == pytest.approx(without)
    assert np.isnan(williams(r_a, r_b, r_ab + 1e-9, 10)[0])  # no three variables have these


def test_arrays_are_tested_at_once():
    t, p = williams(np.array([0.5, 0.7]), 0.3, np.array([0.2, 0.1]), np.array([10, 20]))
    for i, one in enumerate([williams(0.5, 0.3, 0.2, 10), williams(0.7, 0.3, 0.1, 20)]):
        assert (t[i], p[i]) == one


RNG = np.random.default_rng(3)
HUMAN = RNG.normal(size=(8, 5))
A, B = HUMAN + RNG.normal(size=(8, 5)), RNG.normal(size=(8, 5))
WILLIAMS = {"method": "Williams", "coefficient": "pearson"}


def test_from_arrays_equals_from_numbers():
    (r_a, r_b, r_ab) = (
        np.corrcoef(a.mean(axis=1), b.mean(axis=1))[0, 1] for a, b in ((A, HUMAN), (B, HUMAN), (A, B))
    )
    result = compare(A, B, HUMAN, **WILLIAMS, alternative="greater")
    assert result.statistic == pytest.approx(textbook_t(r_a, r_b, r_ab, 8))
    assert result.difference == pytest.approx(r_a - r_b)
    assert result.pvalue == pytest.approx(t_pvalue(result.statistic, 5) / 2, abs=1e-7)
    assert (result.alternative, result.n_resamples, result.n_undefined) == ("greater", 0, 0)


def test_a_system_that_nobody_judged_is_no_observation():
    gap = HUMAN.copy()
    gap[2] = np.nan
    others = [i for i in range(8) if i != 2]
    assert compare(A, B, gap, **WILLIAMS).pvalue == pytest.approx(
        compare(A[others], B[others], HUMAN[others], **WILLIAMS).pvalue
    )


def test_too_few_observations_have_no_pvalue():
    gap = HUMAN.copy()
    gap[3:] = np.nan
    result = compare(A, B, gap, **WILLIAMS)
    assert np.isnan(result.pvalue)
    assert result.n_undefined == 1


@pytest.mark.parametrize("level", ["system", "summary", "global"])
@pytest.mark.parametrize(
    ("a", "b"), [(A, A), (A, 2 * A + 1), (np.ones((8, 5)), B)], ids=["same", "affine", "constant"]
)
def test_what_cannot_be_compared_is_undefined_and_counted(a, b, level):
    result = compare(a, b, HUMAN, **WILLIAMS, level=level)
    assert np.isnan(result.pvalue)
    assert result.n_undefined == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: williams(0.5, 0.4, 0.3, 3), ValueError, "at least 4 observations, got 3"),
        (lambda: williams(1.5, 0.4, 0.3, 9), ValueError, "`r_a` must be in [-1, 1], got 1.5"),
        (lambda: williams(0.5, 0.4, 0.3, 9, "larger"), UnknownNameError, "unknown alternative 'larger'"),
        (lambda: compare(A[:3], B[:3], HUMAN[:3], **WILLIAMS), DataError, "at least 4 systems, got 3"),
        (
            lambda: compare(A, B, HUMAN, **WILLIAMS, level="systems"),
            UnknownNameError,
            "unknown level 'systems'",
        ),
    ],
)
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
