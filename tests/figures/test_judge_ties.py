"""The page of ties: every row of its tables is a point, and places begin at the top."""

import pandas as pd

from helpers.experiments import judge_ties
from helpers.experiments.judge_ties import ACCURACY, NOWHERE, OTHERS, SAME

JUDGES, DIMENSIONS = ("x", "y", "z"), ("a", "b")


def rows(**columns):
    cells = [(d, j) for d in DIMENSIONS for j in JUDGES]
    table = pd.DataFrame(cells, columns=["dimension", "judge"]).assign(
        dataset="d", value=0.4, low=0.3, high=0.6
    )
    return pd.concat([table.assign(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)])  # fmt: skip


def test_a_line_for_each_judge_with_the_first_place_on_top():
    table = rows(coefficient=["tau_a", "accuracy"], n_used=[3, 4]).assign(
        judge_place=[1, 2, 3] * 4, place_low=1, place_high=[2, 3, 3] * 4
    )
    figure = judge_ties.place_lines(table)
    assert len(figure.data) == len(JUDGES) * len(DIMENSIONS)
    assert list(figure.data[1].x) == ["τ-a", "accuracy with ties"]
    assert list(figure.data[1].y) == [2, 2]
    top, bottom = figure.layout.yaxis.range
    assert top > bottom
    assert list(figure.data[1].error_y.array) == [1, 1]
    assert list(figure.data[1].error_y.arrayminus) == [1, 1]
    assert "0.400 [0.300, 0.600]" in figure.data[0].customdata[0]


def test_accuracies_stand_beside_a_judge_that_rates_all_alike():
    table = rows(fitted_on=[NOWHERE, SAME, OTHERS]).assign(constant=0.5, threshold=1.0, quantity=ACCURACY)
    figure = judge_ties.calibration_dots(table)
    by_name = {}
    for trace in figure.data:
        by_name.setdefault(trace.name, []).extend(trace.x)
    fitted = [f"near ratings tied, fitted on {where}" for where in (SAME, OTHERS)]
    assert {name: len(x) for name, x in by_name.items()} == dict.fromkeys(
        ("a judge that rates all alike", "as the judge rates", *fitted), 6
    )
    assert set(by_name["a judge that rates all alike"]) == {0.5}


def test_lines_along_the_number_of_documents():
    table = pd.concat(rows(fitted_on=[SAME, OTHERS]).assign(n_documents=n, mc_error=0.01) for n in (2, 10))
    figure = judge_ties.flattery_lines(table.drop(columns=["low", "high"]))
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == list(JUDGES)
    assert all(list(trace.x) == [2, 10] for trace in figure.data)
