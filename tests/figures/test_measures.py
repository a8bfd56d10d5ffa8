"""The page of measures: every row of its tables is a cell, a point or a line."""

import pandas as pd

from helpers.experiments import measures

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
    assert {trace.name: list(trace.x) for trace in figure.data} == {
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
