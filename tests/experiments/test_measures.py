"""Metrics by every measure: places, what changes them, tiers, confirmed differences."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import measures
from metaeval.analysis.tests import tier_table
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.correlation import correlate
from metaeval.stats.measures import reranking_precision
from metaeval.stats.streams import stream
from tests.builders import benchmark
from tests.kit.figures import series

THREE = ["pairwise accuracy", "τ-b, summaries of a document", "re-ranking precision"]


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    human = np.array([[0], [0.3], [2], [3.2], [3.4], [6]]) + rng.integers(0, 3, (6, 12))
    noise = {"good": 1.0, "fair": 5.0, "poor": 40.0}
    return [benchmark(human, {name: human + rng.normal(0, sd, (6, 12)) for name, sd in noise.items()})]


def test_every_measure_is_of_every_metric(made):
    table = measures.table(made, measures=list(measures.MEASURES), n_seeds=2, rng=1)
    assert len(table) == 3 * len(measures.MEASURES)
    assert table["value"].notna().all()
    value = table.set_index(["measure", "metric"])["value"]
    scores, human = made[0].scores.to_numpy(), made[0].human.to_numpy()
    by_item = correlate(scores[1], human, level="summary", coefficient="kendall").value
    assert value["τ-b, summaries of a document", "fair"] == pytest.approx(float(by_item))
    pooled = correlate(scores[1], human, level="global", coefficient="kendall").value
    assert value["τ-b, all summaries", "fair"] == pytest.approx(float(pooled))
    assert value["re-ranking precision", "poor"] == pytest.approx(
        float(reranking_precision(scores[2], human))
    )
    drawn = table["measure"].isin(measures.DRAWN)
    assert (table.loc[drawn, "n_seeds"] == 2).all()
    assert (table.loc[~drawn, ["n_seeds", "mc_error"]] == 0).all(axis=None)
    assert (table.loc[drawn, "mc_error"] > 0).any()


def test_drawn_measures_are_those_that_change_with_the_seed(made):
    one, other = (
        measures.table(made, measures=list(measures.MEASURES), n_seeds=2, rng=rng) for rng in (1, 2)
    )
    changed = one.loc[one["value"] != other["value"], "measure"].unique()
    assert set(changed) <= measures.DRAWN
    assert len(changed)


def test_places_are_shared_by_equal_values():
    table = pd.DataFrame(
        {"dataset": "d", "measure": "m", "metric": list("abc"), "value": [0.1 + 0.2, 0.3, 0.1]}
    )
    assert measures.places(table)["place"].tolist() == [1, 1, 3]


def test_halves_compare_orders_of_as_many_documents(made):
    table = measures.halves(made, measures=THREE, n_samples=2, rng=3)
    assert len(table) == 2 * 3
    # a metric that is people's own scores is first whatever is done
    human = made[0].human.to_numpy()
    clear = [benchmark(human, {"people": human, "contrary": -human})]
    found = measures.halves(clear, measures=THREE, n_samples=2, rng=3)
    assert (found["value"] == 1).all()
    with pytest.raises(DataError, match="name at least two"):
        measures.halves(made, measures=THREE[:1], n_samples=2, rng=3)
    with pytest.raises(UnknownNameError, match="unknown measure 'luck'"):
        measures.halves(made, measures=["luck", *THREE], n_samples=2, rng=3)


def test_a_deal_by_hand(made):
    scores, human = made[0].scores.to_numpy(), made[0].human.to_numpy()
    chosen = [measures.MEASURES[name] for name in THREE]
    documents, others = [], []
    for sample in range(2):
        permuted = stream(5, "made-up", "deal", sample).permutation(12)
        halves = [np.sort(half) for half in np.array_split(permuted, 2)]
        values = [[f(scores[:, :, half], human[:, half], 0) for f in chosen] for half in halves]
        documents.append(stats.kendalltau(values[0][0], values[1][0]).statistic)
        others.append(np.mean([stats.kendalltau(v[0], v[k]).statistic for v in values for k in (1, 2)]))
    found = measures.halves(made, measures=THREE, n_samples=2, rng=5).set_index(["measure", "changed"])[
        "value"
    ]
    assert found["pairwise accuracy", measures.OTHER_DOCUMENTS] == pytest.approx(np.mean(documents))
    assert found["pairwise accuracy", measures.OTHER_MEASURES] == pytest.approx(np.mean(others))


def test_tiers_count_whom_a_metric_is_told_apart_from(made):
    table = tier_table(
        made, level="global", coefficient="pearson", n_resamples=99, alpha=0.1, rng=4
    ).set_index("metric")
    assert table["place"].tolist() == [1, 2, 3]
    # of whom it is told apart from, each takes away a rank at one end
    assert (table["n_apart"] == table["best_rank"] - 1 + 3 - table["worst_rank"]).all()
    assert table.loc["poor", "tier"] > table.loc["good", "tier"]
    assert (table["best_rank"] <= table["place"]).all()
    assert (table["place"] <= table["worst_rank"]).all()


def test_curves_and_what_is_needed_are_one_fit(made):
    fits = measures.fitted(made, n_resamples=60, rng=5)
    curves = measures.curves(fits, n_bins=3)
    assert (curves.groupby(["metric", "bin"])["n_pairs"].first() == [15, 5, 5, 5] * 3).all()
    curves = curves[curves["bin"] == 0]
    assert curves.groupby("metric")["distance"].min().eq(0).all()
    assert curves.loc[curves["distance"] == 0, ["value", "low", "high"]].eq(0.5).all(axis=None)
    needed = measures.needed(fits, accuracy=0.8).set_index("metric")
    place = made[0].metrics.index("fair")
    share = fits[0].curve.accuracy([needed.loc["fair", "value"]])[0, place, 0]
    assert share == pytest.approx(0.8)
    means = made[0].metric("fair").to_numpy().mean(axis=1)
    apart = [abs(x - z) for x, z in combinations(means, 2)]
    assert needed.loc["fair", "typical"] == pytest.approx(np.median(apart))
    assert needed.loc["fair", "share_apart"] == np.mean(np.array(apart) >= needed.loc["fair", "value"])


def test_pairs_are_counted_in_bins_of_as_many(made):
    table = measures.counted(made, n_bins=3)
    assert table.groupby("metric")["n_pairs"].agg(list).tolist() == [[5, 5, 5]] * 3
    human, metric = (a.to_numpy().mean(axis=1) for a in (made[0].human, made[0].metric("poor")))
    right = [(human[i] > human[k]) == (metric[i] > metric[k]) for i, k in combinations(range(6), 2)]
    poor = table[table["metric"] == "poor"]
    assert (poor["value"] * poor["n_pairs"]).sum() == pytest.approx(sum(right))
    assert poor["distance"].is_monotonic_increasing


DATASETS, MEASURES, METRICS = ["z", "a"], ["pairwise accuracy", "τ-b, all summaries"], ["m1", "m2", "m3"]


def test_places_are_cells_in_the_order_of_their_mean():
    rows = [
        {"dataset": d, "measure": m, "metric": c, "value": 0.5, "place": place}
        for d in DATASETS
        for m in MEASURES
        for c, place in zip(METRICS, (3, 1, 2), strict=True)
    ]
    figure = measures.place_heatmap(pd.DataFrame(rows))
    assert [list(trace.x) for trace in figure.data] == [["m2", "m3", "m1"]] * 2
    assert [list(row) for row in figure.data[0].z] == [[1, 2, 3]] * 2
    assert list(measures.place_heatmap(pd.DataFrame([*rows[:1], rows[0] | {"measure": "acc_eq, all summaries"}])).data[0].y) == [
        "pairwise accuracy", "accuracy with ties,<br>all summaries",
    ]  # fmt: skip
    assert [trace.visible for trace in figure.data] == [True, False]
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == DATASETS


def test_taus_are_points_by_what_changed():
    rows = [
        {"dataset": "z", "measure": m, "changed": c, "value": 0.1 * k, "mc_error": 0.01}
        for k, m in enumerate(MEASURES)
        for c in ("documents", "measures")
    ]
    figure = measures.half_dots(pd.DataFrame(rows))
    assert {trace.name: list(trace.x) for trace in series(figure)} == {
        "documents": [0.1, 0],
        "measures": [0.1, 0],
    }


def test_ranks_have_their_ends_and_data_sets_their_order():
    rows = [
        {"dataset": d, "metric": c, "value": 0.5, "place": p, "tier": t, "best_rank": 1, "worst_rank": 3, "n_apart": 0}
        for d in DATASETS
        for c, p, t in zip(METRICS, (2, 1, 3), (1, 1, 2), strict=True)
    ]  # fmt: skip
    figure = measures.rank_intervals(pd.DataFrame(rows))
    first = figure.data[0]
    assert (list(first.y), list(first.x)) == (["m2", "m1"], [1, 2])
    assert (list(first.error_x.array), list(first.error_x.arrayminus)) == ([2, 1], [0, 1])
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == DATASETS


def test_each_metric_has_a_curve_a_band_and_its_bins():
    curves = pd.DataFrame(
        [
            {
                "dataset": d,
                "metric": c,
                "bin": bin_,
                "distance": x,
                "value": 0.7,
                "low": 0.6,
                "high": 0.8,
                "n_pairs": 5,
            }
            for d in DATASETS
            for c in METRICS
            for bin_ in (0, 1)
            for x in (0.0, 1.0)
        ]
    )
    figure = measures.accuracy_curves(curves, accuracy=0.9)
    assert len(figure.data) == 3 * 2 * 3
    assert sum(trace.visible for trace in figure.data) == 3
    labels = [button.label for button in figure.layout.updatemenus[0].buttons]
    assert labels == [f"{d}, {c}" for d in DATASETS for c in METRICS]
    alone = measures.accuracy_curves(curves[:12], accuracy=0.9)
    assert [button.label for button in alone.layout.updatemenus[0].buttons] == METRICS


def test_winners_are_first_by_some_measure_and_share_a_tie():
    placed = pd.DataFrame(
        {
            "dataset": "x", "measure": ["one"] * 3 + ["two"] * 3, "metric": ["a", "b", "c"] * 2,
            "place": [1, 1, 3, 2, 1, 3],
        }
    )  # fmt: skip
    assert measures.winners(placed).set_index("metric")["value"].to_dict() == {"a": 0.5, "b": 1.0}


def test_a_gap_of_taus_has_three_errors_on_either_side():
    dealt = pd.DataFrame(
        {
            "dataset": "x", "changed": [measures.OTHER_DOCUMENTS, measures.OTHER_MEASURES] * 2,
            "value": [0.5, 0.1, 0.7, 0.3], "mc_error": [0.03, 0.04, 0.03, 0.04],
        }
    )  # fmt: skip
    gap = measures.tau_gaps(dealt).iloc[0]
    # 0.6 - 0.2, and 3 times the root of 0.03 squared plus 0.04 squared, 0.05
    assert (gap["value"], gap["low"], gap["high"]) == pytest.approx((0.4, 0.25, 0.55))
