"""Fitting: moments by hand, and parameters that come back."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from metaeval.core.errors import DataError
from metaeval.simulation.fit import bounds, fit, moments
from metaeval.simulation.model import Marginal, draw
from tests.metaeval.simulation.conftest import made_up


def test_moments_of_a_table_without_interaction_by_hand():
    # one plane, rows 0, 1, 2 and columns 0, 10: x = row + column, so no residual
    values = np.array([[[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]]])
    estimates = moments(values, ["abs"] * 3)
    assert estimates.mean == pytest.approx([6.0])
    assert estimates.residual["abs"] == pytest.approx(np.zeros((1, 1)))
    assert estimates.system["abs"] == pytest.approx(np.array([[1.0]]))  # variance of 0, 1, 2
    assert estimates.document == pytest.approx(np.array([[50.0]]))  # variance of the columns' means 1 and 11
    assert estimates.total == pytest.approx([25 + 2 / 3])


def test_moments_without_bias():
    """Averages of the estimates over many tables come to the model's covariances."""
    rng = np.random.default_rng(0)
    tables = []
    for _ in range(300):
        a, d, e = rng.normal(0, 1, (1, 8, 1)), rng.normal(0, 2, (1, 1, 6)), rng.normal(0, 3, (1, 8, 6))
        tables.append(moments(a + d + e, ["abs"] * 8))
    for estimate, true in (
        ([t.system["abs"][0, 0] for t in tables], 1),
        ([t.document[0, 0] for t in tables], 4),
        ([t.residual["abs"][0, 0] for t in tables], 9),
    ):
        assert np.mean(estimate) == pytest.approx(true, abs=5 * np.std(estimate) / np.sqrt(300))


def test_types_have_means_and_covariances_of_their_own_if_they_are_many():
    rng = np.random.default_rng(1)
    low, high = rng.normal(0, 1, (1, 9, 40)), rng.normal(5, 3, (1, 9, 40))
    estimates = moments(np.concatenate([low, high], axis=1), ["abs"] * 9 + ["ext"] * 9)
    assert estimates.offset["ext"][0] - estimates.offset["abs"][0] == pytest.approx(5, abs=0.6)
    assert estimates.residual["abs"][0, 0] == pytest.approx(1, rel=0.2)
    assert estimates.residual["ext"][0, 0] == pytest.approx(9, rel=0.2)
    fewer = np.concatenate([low, high[:, :4]], axis=1)
    few = moments(fewer, ["abs"] * 9 + ["ext"] * 4)
    assert few.residual["abs"] == estimates.residual["abs"]
    assert few.residual["ext"] == moments(fewer, ["any"] * 13).residual["any"]  # four take that of all


@pytest.mark.processes
def test_a_fitted_likeness_has_the_moments_it_was_fitted_to():
    # no bend: variances would depend on which systems and documents were drawn
    straight = Marginal("continuous", 0.0, 1.0, 0.0)
    likeness = made_up(marginals=(*made_up().marginals[:2], straight))
    source = draw(likeness, n_systems={"abs": 60, "ext": 60}, n_documents=150, rng=5)
    sizes, counts = np.unique(source.n_units, return_counts=True)
    shares = dict(zip(sizes.tolist(), (counts / counts.sum()).tolist(), strict=True))
    kind = Marginal("units", 0, 1, 0, low=0.0, high=1.0)
    fitted = fit(source.benchmark, name="again", kinds={"units found": kind}, units=shares, rng=0)
    types = list(source.benchmark.system_type.values())
    target = moments(_values(source.benchmark), types)
    # many systems, whose covariances are then those of the model within some hundredths
    new = draw(fitted, n_systems={"abs": 1_200, "ext": 1_200}, n_documents=300, rng=6).benchmark
    estimates = moments(_values(new), list(new.system_type.values()))
    deviation = np.sqrt(target.total)
    assert (estimates.mean - target.mean) / deviation == pytest.approx(np.zeros(3), abs=0.1)
    assert np.sqrt(estimates.total) / deviation == pytest.approx(np.ones(3), abs=0.08)
    for kind in ("abs", "ext"):
        scaled = np.outer(deviation, deviation)
        assert estimates.residual[kind] / scaled == pytest.approx(target.residual[kind] / scaled, abs=0.03)
        assert estimates.system[kind] / scaled == pytest.approx(target.system[kind] / scaled, abs=0.08)


def test_a_fitted_metric_is_as_skewed_as_the_one_that_it_was_fitted_to():
    bent = made_up(marginals=(*made_up().marginals[:2], Marginal("continuous", 0.0, 1.0, 0.5)))
    source = draw(bent, n_systems=60, n_documents=150, rng=5).benchmark
    kinds = {"units found": Marginal("continuous", 0.0, 1.0, 0.0)}
    fitted = fit(source, name="again", kinds=kinds, n_iterations=0, rng=0)
    expected = moments(_values(source), list(source.system_type.values())).skewness
    normal = stats.norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    skewness = [stats.skew(marginal.scores(normal)) for marginal in fitted.marginals]
    assert expected[-1] > 1.3  # of the metric that is bent
    assert skewness == pytest.approx(expected, rel=0.12)


def _values(benchmark):
    return np.concatenate([benchmark.humans.to_numpy(), benchmark.scores.to_numpy()])


def test_a_metric_that_is_another_on_a_new_scale_is_kept_as_a_copy_and_one_without_a_system_is_fitted():
    benchmark = draw(made_up(), n_systems=20, n_documents=30, rng=1).benchmark
    good = benchmark.metric("good")
    twin = (good * 3 - 1).expand_dims(metric=["thrice"])
    gappy = benchmark.metric("poor").copy()
    gappy[2] = np.nan
    scores = xr.concat(
        [benchmark.scores.sel(metric=["good"]), twin, gappy.expand_dims(metric=["poor"])], "metric"
    )
    kinds = {"units found": Marginal("continuous", 0, 1, 0)}
    fitted = fit(benchmark.with_scores(scores), name="x", kinds=kinds, n_iterations=1, rng=0)
    assert fitted.metrics == ("good", "poor")
    assert (fitted.copies["thrice"].times, fitted.copies["thrice"].plus) == pytest.approx((3, -1))

    scattered = gappy.copy()
    scattered[3, 4] = np.nan
    scores = xr.concat(
        [benchmark.scores.sel(metric=["good"]), scattered.expand_dims(metric=["poor"])], "metric"
    )
    with pytest.raises(DataError, match=r"missing for whole systems only, .*'poor'"):
        fit(benchmark.with_scores(scores), name="x", kinds=kinds, n_iterations=1, rng=0)


def test_bounds_come_from_the_scale_and_the_sign():
    assert (bounds(1.0, np.array([0.2, 0.8])).low, bounds(1.0, np.array([0.2, 0.8])).high) == (0, 1)
    assert bounds(0.0, np.array([-0.5, -0.1])).high == 0  # a negated distance
    assert bounds(100.0, np.array([3.0, 400.0])).high == np.inf  # a release that oversteps its scale
    assert bounds(None, np.array([-1.0, 4.0])).low == -np.inf
