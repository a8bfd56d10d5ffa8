"""Variance of scores and stability of rankings, against loops and theory."""

import math
from functools import partial

import numpy as np
import pytest

from helpers.experiments import variance
from helpers.experiments.variance import (
    gain_of_doubling,
    pooled_effect,
    ranking_stability,
    reduction_by_arithmetic,
    score_variance,
    sizes_up_to,
    variance_reduction,
    with_band,
)
from metaeval.core.errors import DataError
from tests import oracles
from tests.builders import benchmark
from tests.kit.figures import TWO, seen


def made(seed=0, n_systems=6, n_documents=20, n_judged=None):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, n_documents)) + np.arange(n_systems)[:, None]
    score = human + rng.normal(size=human.shape)
    if n_judged is not None:
        human[:, n_judged:] = np.nan
    return benchmark(human, {"a": score, "b": score**3})


def test_bootstrap_variance_tends_to_the_formula():
    found = score_variance([made(1)], n_test=80, n_resamples=4_000, rng=0)
    few = found[found["sample"] == "few"]
    scores = made(1).metric("a").to_numpy()
    np.testing.assert_allclose(few["expected"].iloc[:6], scores.var(axis=1) / 20)
    # the relative standard error of a variance over n draws is about sqrt(2 / n)
    np.testing.assert_allclose(found["variance"] / found["expected"], 1, atol=5 * math.sqrt(2 / 4_000))
    assert set(found[found["sample"] == "many"]["n_documents"]) == {80}


def test_few_are_the_judged_documents_and_many_all():
    data = made(2, n_judged=8)
    found = score_variance([data], n_test=10, n_resamples=50, rng=0)
    assert found.groupby("sample")["n_documents"].unique().map(list).to_dict() == {"few": [8], "many": [20]}
    first = found.iloc[0]
    np.testing.assert_allclose(first["mean"], data.metric("a").to_numpy()[0, :8].mean())


def test_reduction_without_draws_is_that_of_the_numbers_of_documents():
    found = variance_reduction(score_variance([made(3)], n_test=200, n_resamples=500, rng=0))
    np.testing.assert_allclose(found["expected"], reduction_by_arithmetic(n_few=20, n_many=200))
    np.testing.assert_allclose(found["expected"], 90)
    np.testing.assert_allclose(found["value"], 90, atol=3)


def test_percentiles_of_all_systems_together_cut_the_extremes():
    # six systems far apart: the pooled percentiles fall into the lowest and the highest system's draws
    found = score_variance([made(4)], n_test=20, n_resamples=400, rng=0)
    part = found[(found["sample"] == "few") & (found["metric"] == "a")].sort_values("mean")
    assert part["drawn_low"].iloc[0] > part["low"].iloc[0]
    middle = part.iloc[2:4]
    assert (middle["drawn_high"] - middle["drawn_low"] > middle["high"] - middle["low"]).all()
    effect = pooled_effect(found)
    assert effect["n_systems"].unique().tolist() == [6]


def test_stability_equals_ranking_twice_in_a_loop():
    data = made(5)
    found = ranking_stability([data], n_documents=[4], n_draws=3_000, rng=0).set_index("metric")
    rng = np.random.default_rng(1)
    x = data.metric("a").to_numpy()
    taus = [
        oracles.coefficient(
            x[:, rng.integers(20, size=4)].mean(axis=1),
            x[:, rng.integers(20, size=4)].mean(axis=1),
            "kendall",
        )
        for _ in range(1_500)
    ]
    error = math.hypot(
        np.std(taus) / math.sqrt(1_500), found.loc["a", "standard_deviation"] / math.sqrt(3_000)
    )
    assert abs(found.loc["a", "value"] - np.mean(taus)) < 4 * error
    assert found.loc["a", "standard_deviation"] == pytest.approx(np.std(taus), rel=0.15)


def test_each_size_is_a_draw_of_its_own_size():
    # one document in five has all the signal; with one document drawn the two rankings agree only if both hit it
    score = np.zeros((4, 5))
    score[:, 0] = range(4)
    data = benchmark(np.arange(4.0)[:, None] * np.ones(5), {"m": score})
    found = ranking_stability([data], n_documents=[1, 2], n_draws=4_000, rng=0)
    at = found[found["metric"] == "m"].set_index("n_documents")
    # undefined where either draw misses it: 1 - (1/5)^2 and 1 - (9/25)^2 of the draws
    for size, hit in ((1, 1 / 5), (2, 9 / 25)):
        expected = 4_000 * (1 - hit**2)
        spread = math.sqrt(4_000 * hit**2 * (1 - hit**2))
        assert abs(at.loc[size, "n_undefined"] - expected) < 4 * spread
    assert (at["value"] == 1).all()


def test_people_stop_at_the_judged_documents():
    found = ranking_stability([made(6, n_judged=8)], n_documents=[2, 8, 16], n_draws=20, rng=0)
    sizes = found.groupby("metric")["n_documents"].apply(list).to_dict()
    assert sizes == {"people": [2, 8], "a": [2, 8, 16], "b": [2, 8, 16]}


def test_one_seed_one_result():
    data = made(7)
    first = ranking_stability([data], n_documents=[3, 9], n_draws=50, rng=0)
    again = ranking_stability([data], n_documents=[3, 9], n_draws=50, rng=0)
    other = ranking_stability([data], n_documents=[3, 9], n_draws=50, rng=1)
    assert first.equals(again)
    assert not first.equals(other)


def test_more_documents_make_rankings_firmer():
    found = ranking_stability([made(8)], n_documents=[2, 5, 10, 20], n_draws=300, rng=0)
    for _, rows in found.groupby("metric"):
        assert rows["value"].is_monotonic_increasing
    gains = gain_of_doubling(found)
    assert sorted(set(gains["doubled"])) == [5, 10]
    value = found.set_index(["metric", "n_documents"])["value"]
    row = gains[(gains["metric"] == "a") & (gains["doubled"] == 5)].iloc[0]
    assert row["value"] == pytest.approx(value["a", 10] - value["a", 5])


def test_sizes_rise_to_the_largest():
    sizes = sizes_up_to(11_490, smallest=5, a_decade=9)
    assert (sizes[0], sizes[-1]) == (5, 11_490)
    assert sizes == sorted(set(sizes))


rank = partial(ranking_stability, [made()], rng=0)


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (lambda: rank(n_documents=[]), ValueError, "rising numbers"),
        (lambda: rank(n_documents=[5, 5]), ValueError, "got [5, 5]"),
        (lambda: rank(n_documents=[0, 5]), ValueError, "got [0, 5]"),
        (lambda: rank(n_documents=[21]), ValueError, "starts at 21, and made-up has 20 documents"),
        (lambda: rank(n_documents=[5], n_draws=0), ValueError, "`n_draws` must be at least 1, got 0"),
        (lambda: rank(n_documents=[5], n_draw=9), TypeError, "n_draw"),
        (lambda: variance.whole_stability([made()], n_draw=9, rng=0), TypeError, "n_draw"),
        (
            lambda: ranking_stability([made(n_systems=2)], n_documents=[5], rng=0),
            DataError,
            "at least 3 systems, got 2",
        ),
        (lambda: score_variance([made()], n_resamples=1, rng=0), ValueError, "at least 2, to have a spread"),
        (lambda: score_variance([made()], confidence_level=95, rng=0), ValueError, "in (0, 1), got 95"),
        (lambda: sizes_up_to(4), ValueError, "from 1 to `largest` (4), got 5"),
        (lambda: reduction_by_arithmetic(n_few=5, n_many=4), ValueError, "from 1 to `n_many` (4), got 5"),
    ],
)
def test_mistakes_are_named(mistake, error, text):
    with pytest.raises(error) as caught:
        mistake()
    assert text in str(caught.value)


def test_intervals_of_scores_follow_the_metric():
    table = score_variance(TWO[:1], n_test=30, n_resamples=9, rng=0)
    traces = seen(variance.score_intervals(table), Metric="BERTScore")
    rows = table[table["metric"] == "BERTScore"].set_index(["sample", "system"])
    assert len(traces) == rows.index.unique("sample").size
    for trace in traces:
        sample = "few" if trace.name.startswith("as many documents as were judged (") else "many"
        assert list(trace.x) == sorted(trace.x)
        bars = trace.error_y
        for system, mean, below, above in zip(trace.text, trace.y, bars.arrayminus, bars.array, strict=True):
            row = rows.loc[(sample, system)]
            assert mean == row["mean"]
            assert below == pytest.approx(max(0, mean - row["low"]), abs=1e-5)
            assert above == pytest.approx(max(0, row["high"] - mean), abs=1e-5)


def test_bands_lie_below_the_curves_of_their_data_set():
    table = with_band(ranking_stability(TWO, n_documents=[2, 4], n_draws=5, rng=0))
    traces = seen(variance.stability_curves(table), Data_set="other")
    curves = [trace for trace in traces if trace.fill is None]
    assert [trace.fill for trace in traces] == ["toself"] * len(curves) + [None] * len(curves)
    for trace in curves:
        rows = table[(table["dataset"] == "other") & (table["metric"] == trace.name)]
        np.testing.assert_array_equal(trace.y, rows["value"])
