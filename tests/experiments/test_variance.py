"""Variance of scores, stability of rankings, ties, whole-test-set intervals: against loops and theory."""

import math

import numpy as np
import pytest

from helpers.errors import DataError
from helpers.experiments.human_ties import human_ties
from helpers.experiments.test_set import ALL, JUDGED, interval_bounds, interval_table, width_reduction
from helpers.experiments.variance import (
    gain_of_doubling,
    judged_documents,
    pooled_effect,
    ranking_stability,
    reduction_by_arithmetic,
    score_variance,
    sizes_up_to,
    variance_reduction,
)
from helpers.stats.draws import blocks, document_counts, drawn_means
from tests import oracles
from tests.builders import benchmark, with_gaps


def made(seed=0, n_systems=6, n_documents=20, n_judged=None):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n_systems, n_documents)) + np.arange(n_systems)[:, None]
    score = human + rng.normal(size=human.shape)
    if n_judged is not None:
        human[:, n_judged:] = np.nan
    return benchmark(human, {"a": score, "b": score**3})


# ------------------------------------------------------------------------------------------------------ draws


def test_counts_say_how_often_each_document_was_drawn():
    counts = document_counts(np.random.default_rng(3), 5, 7, size=11)
    picks = np.random.default_rng(3).integers(7, size=(5, 11))
    assert counts.tolist() == [[float((row == d).sum()) for d in range(7)] for row in picks]


def test_means_of_draws_equal_gathering_the_scores():
    rng = np.random.default_rng(4)
    scores = with_gaps(rng, rng.normal(size=(2, 3, 6)), 0.3)
    scores[0, 0] = np.nan
    picks = np.random.default_rng(5).integers(6, size=(8, 6))
    means = drawn_means(scores, document_counts(np.random.default_rng(5), 8, 6, size=6))
    for k in range(2):
        for d in range(8):
            for i in range(3):
                drawn = [v for v in scores[k, i, picks[d]] if not math.isnan(v)]
                expected = np.mean(drawn) if drawn else math.nan
                np.testing.assert_allclose(means[k, d, i], expected, atol=1e-11)


def test_blocks_cover_every_draw_once():
    slices = list(blocks(10_000, 11_490))
    assert len(slices) > 1
    assert [i for s in slices for i in range(s.start, s.stop)] == list(range(10_000))


# --------------------------------------------------------------------------------------------------- variance


def test_bootstrap_variance_tends_to_the_formula():
    found = score_variance(made(1), n_test=80, n_resamples=4_000, rng=0)
    few = found[found["sample"] == "few"]
    scores = made(1).metric("a").to_numpy()
    np.testing.assert_allclose(few["expected"].iloc[:6], scores.var(axis=1) / 20)
    # the relative standard error of a variance over n draws is about sqrt(2 / n)
    np.testing.assert_allclose(found["variance"] / found["expected"], 1, atol=5 * math.sqrt(2 / 4_000))
    assert set(found[found["sample"] == "many"]["n_documents"]) == {80}


def test_few_are_the_judged_documents_and_many_all():
    data = made(2, n_judged=8)
    assert judged_documents(data) == [f"d{j}" for j in range(8)]
    found = score_variance(data, n_test=10, n_resamples=50, rng=0)
    assert found.groupby("sample")["n_documents"].unique().map(list).to_dict() == {"few": [8], "many": [20]}
    first = found.iloc[0]
    np.testing.assert_allclose(first["mean"], data.metric("a").to_numpy()[0, :8].mean())


def test_reduction_without_draws_is_that_of_the_numbers_of_documents():
    found = variance_reduction(score_variance(made(3), n_test=200, n_resamples=500, rng=0))
    np.testing.assert_allclose(found["expected"], reduction_by_arithmetic(n_few=20, n_many=200))
    np.testing.assert_allclose(found["expected"], 90)
    np.testing.assert_allclose(found["value"], 90, atol=3)


def test_percentiles_of_all_systems_together_cut_the_extremes():
    # six systems far apart: the pooled percentiles fall into the lowest and the highest system's draws
    found = score_variance(made(4), n_test=20, n_resamples=400, rng=0)
    part = found[(found["sample"] == "few") & (found["metric"] == "a")].sort_values("mean")
    assert part["drawn_low"].iloc[0] > part["low"].iloc[0]
    middle = part.iloc[2:4]
    assert (middle["drawn_high"] - middle["drawn_low"] > middle["high"] - middle["low"]).all()
    effect = pooled_effect(found)
    assert effect["systems"].unique().tolist() == [6]


# -------------------------------------------------------------------------------------------------- stability


def test_stability_equals_ranking_twice_in_a_loop():
    data = made(5)
    found = ranking_stability(data, n_documents=[4], n_draws=3_000, rng=0).set_index("metric")
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
    error = math.hypot(np.std(taus) / math.sqrt(1_500), found.loc["a", "sd"] / math.sqrt(3_000))
    assert abs(found.loc["a", "value"] - np.mean(taus)) < 4 * error
    assert found.loc["a", "sd"] == pytest.approx(np.std(taus), rel=0.15)


def test_each_size_is_a_draw_of_its_own_size():
    # one document in five has all the signal; with one document drawn the two rankings agree only if both hit it
    score = np.zeros((4, 5))
    score[:, 0] = range(4)
    data = benchmark(np.arange(4.0)[:, None] * np.ones(5), {"m": score})
    found = ranking_stability(data, n_documents=[1, 2], n_draws=4_000, rng=0)
    at = found[found["metric"] == "m"].set_index("n_documents")
    # undefined where either draw misses it: 1 - (1/5)^2 and 1 - (9/25)^2 of the draws
    for size, hit in ((1, 1 / 5), (2, 9 / 25)):
        expected = 4_000 * (1 - hit**2)
        spread = math.sqrt(4_000 * hit**2 * (1 - hit**2))
        assert abs(at.loc[size, "n_undefined"] - expected) < 4 * spread
    assert (at["value"] == 1).all()


def test_people_stop_at_the_judged_documents():
    found = ranking_stability(made(6, n_judged=8), n_documents=[2, 8, 16], n_draws=20, rng=0)
    sizes = found.groupby("metric")["n_documents"].apply(list).to_dict()
    assert sizes == {"people": [2, 8], "a": [2, 8, 16], "b": [2, 8, 16]}


def test_one_seed_one_result_and_metrics_share_draws():
    data = made(7)
    first = ranking_stability(data, n_documents=[3, 9], n_draws=50, rng=0)
    again = ranking_stability(data, n_documents=[3, 9], n_draws=50, rng=0)
    other = ranking_stability(data, n_documents=[3, 9], n_draws=50, rng=1)
    assert first.equals(again)
    assert not first.equals(other)


def test_more_documents_make_rankings_firmer():
    found = ranking_stability(made(8), n_documents=[2, 5, 10, 20], n_draws=300, rng=0)
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


# ------------------------------------------------------------------------------------------------------- ties


def test_ties_on_paper_are_found_though_rounding_breaks_them():
    # (0.1 + 0.2) + 0.3 is 0.6000000000000001, (0.3 + 0.2) + 0.1 is 0.6
    human = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0, 0, 0]])
    assert human[0].mean() != human[1].mean()
    row = human_ties(benchmark(human, {"m": [[1, 1, 1], [2, 2, 2], [0, 0, 0]]}), n_resamples=50, rng=0).iloc[
        0
    ]
    assert (row["n_pairs"], row["tied"], row["broken"]) == (3, 1, 1)
    # the metric orders all three pairs: tau-b is 2 / sqrt(3 * 2) with the tie, 1/3 with the first system ahead
    assert row["change"] == pytest.approx(2 / math.sqrt(6) - 1 / 3)
    assert row["tied_a_draw"] > 0
    assert row["broken_a_draw"] <= row["tied_a_draw"]


def test_no_ties_no_change():
    row = human_ties(made(9), n_resamples=20, rng=0).iloc[0]
    assert (row["tied"], row["broken"], row["change"], row["change_a_draw"]) == (0, 0, 0, 0)


# -------------------------------------------------------------------------------------------------- precision


def test_all_judged_gives_no_second_interval():
    found = interval_table(made(10), resamples=["inputs"], n_resamples=50, rng=0)
    assert set(found["sample"]) == {JUDGED}
    assert width_reduction(made(10), n_resamples=50, rng=0).empty


def test_scoring_more_documents_moves_the_estimate_to_theirs():
    data = made(11, n_documents=60, n_judged=6)
    found = interval_table(data, resamples=["inputs"], n_resamples=60, rng=0).set_index(["metric", "sample"])
    x, z = data.metric("a").to_numpy(), data.human.to_numpy()[:, :6]
    for sample, size in ((JUDGED, 6), (ALL, 60)):
        expected = oracles.coefficient(x[:, :size].mean(axis=1), z.mean(axis=1), "kendall")
        assert found.loc[("a", sample), "estimate"] == pytest.approx(expected)
        assert found.loc[("a", sample), "n_documents"] == size


def test_a_metric_without_noise_left_narrows_the_interval():
    # people's documents agree with each other; the metric's vary: over few documents all width is the metric's
    rng = np.random.default_rng(12)
    human = np.repeat(np.arange(8.0)[:, None], 400, axis=1)
    score = human + 8 * rng.normal(size=human.shape)
    human[:, 6:] = np.nan
    data = benchmark(human, {"m": score})
    found = width_reduction(data, resamples=["inputs"], n_resamples=300, n_repeats=3, rng=0)
    assert found["metric"].tolist() == ["m", "all metrics"]
    assert found["value"].iloc[0] == found["value"].iloc[1]
    assert found["value"].iloc[0] > 50
    assert (found["mc_error"] > 0).all()


def test_bounds_are_means_over_repeats():
    data = made(13)
    settings = {"resamples": ["inputs"], "n_resamples": 40}
    found = interval_bounds(data, n_repeats=3, rng=7, **settings)
    runs = [interval_table(data, rng=s, **settings) for s in np.random.default_rng(7).spawn(3)]
    lows = [run.set_index("metric").loc["a", "low"] for run in runs]
    row = found[(found["metric"] == "a") & (found["bound"] == "low")].iloc[0]
    assert row["value"] == pytest.approx(np.mean(lows))
    assert row["mc_error"] == pytest.approx(np.std(lows, ddof=1) * math.sqrt(4 / 3))


@pytest.mark.parametrize(
    ("mistake", "error", "text"),
    [
        (lambda: ranking_stability(made(), n_documents=[], rng=0), ValueError, "rising numbers"),
        (lambda: ranking_stability(made(), n_documents=[5, 5], rng=0), ValueError, "got [5, 5]"),
        (lambda: ranking_stability(made(), n_documents=[0, 5], rng=0), ValueError, "got [0, 5]"),
        (
            lambda: ranking_stability(made(), n_documents=[21], rng=0),
            ValueError,
            "starts at 21, and made-up has 20 documents",
        ),
        (
            lambda: ranking_stability(made(), n_documents=[5], n_draws=0, rng=0),
            ValueError,
            "`n_draws` must be at least 1, got 0",
        ),
        (
            lambda: ranking_stability(made(n_systems=2), n_documents=[5], rng=0),
            DataError,
            "at least 3 systems, got 2",
        ),
        (lambda: score_variance(made(), n_resamples=1, rng=0), ValueError, "at least 2 for a variance"),
        (lambda: score_variance(made(), confidence_level=95, rng=0), ValueError, "in (0, 1), got 95"),
        (lambda: sizes_up_to(4), ValueError, "from 1 to `largest` (4), got 5"),
        (lambda: reduction_by_arithmetic(n_few=5, n_many=4), ValueError, "from 1 to `n_many` (4), got 5"),
        (lambda: width_reduction(made(), n_repeats=1, rng=0), ValueError, "at least 2 for a Monte-Carlo"),
        (
            lambda: interval_table(made(), resamples=["documents"], rng=0),
            ValueError,
            "unknown resample 'documents'; known: both, inputs, systems",
        ),
        (lambda: interval_table(made(n_judged=0), rng=0), DataError, "nobody judged any document"),
    ],
)
def test_mistakes_are_named(mistake, error, text):
    with pytest.raises(error) as caught:
        mistake()
    assert text in str(caught.value)
