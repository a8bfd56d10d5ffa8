"""The page of labels: every row of its tables is drawn."""

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import labels_needed
from helpers.experiments.labels_needed import DIFFERENCE


def test_every_judgment_is_a_bar_of_all_its_parts():
    rows = [
        (name, judgment, effect, 0.1, share)
        for name, judgments in (("x", "ab"), ("y", "c"))
        for judgment in judgments
        for effect, share in (("systems", 0.3), ("the rest", 0.7))
    ]
    columns = ["dataset", "judgment", "effect", "value", "share_of_variance"]
    figure = labels_needed.component_bars(pd.DataFrame(rows, columns=columns))
    drawn = {}
    for bar in figure.data:
        for judgment, share in zip(bar.y, bar.x, strict=True):
            drawn[judgment] = drawn.get(judgment, 0) + share
    assert drawn == pytest.approx({"a": 1, "b": 1, "c": 1})
    assert figure.layout.barmode == "stack"


def test_lines_of_equal_reliability_are_a_menu_by_dimension():
    rows = [(d, n, k, 0.1 * k) for d in "ab" for n in (10, 100) for k in (1, 2, 3)]
    table = pd.DataFrame(rows, columns=["dimension", "n_documents", "n_raters", "value"])
    figure = labels_needed.reliability_contours(table, pd.DataFrame({"n_documents": [50], "n_raters": [2]}))
    first, second, here = figure.data
    np.testing.assert_allclose(first.z, [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    assert (first.visible, second.visible) == (True, False)
    assert (here.x[0], here.y[0]) == (50, 2)
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["a", "b"]


def n_points(figure):
    return sum(len(trace.x) for trace in figure.data if trace.x is not None and trace.x[0] is not None)


def test_every_quantity_saving_and_estimate_is_a_point():
    nan = float("nan")
    outlook = pd.DataFrame(
        [(d, q, 0.5, *ends) for d in "ab" for q, ends in (("reliability", (nan, nan)), ("r", (0.1, 0.8)))],
        columns=["dimension", "quantity", "value", "low", "high"],
    )
    assert n_points(labels_needed.outlook_dots(outlook)) == 4
    savings = pd.DataFrame(
        [(d, j, e, 1.1, 1.2, 1.3, 0.01) for d in "ab" for j in "pq" for e in ("mean", "difference")],
        columns=[
            "dimension",
            "judge",
            "estimated",
            "value",
            "saved_here_at_most",
            "saved_at_most",
            "mc_error",
        ],
    )
    assert n_points(labels_needed.saving_dots(savings)) == 8
    estimates = pd.DataFrame(
        [(e, s, m, 1.0, 0.5, 1.5, 1.1) for e, of in (("mean", "st"), ("difference", "d")) for m in ("p", "pj") for s in of],
        columns=["estimated", "metric", "method", "value", "low", "high", "whole"],
    ).assign(dataset="a")  # fmt: skip
    figure = labels_needed.estimate_dots(estimates)
    assert n_points(figure) == 9
    assert {trace.name for trace in figure.data} == {"p", "pj", "all labels"}
    coverage = pd.DataFrame(
        [(h, j, e, m, 0.9, 0.0, 10) for h in "rl" for j in "no" for e in "md" for m in ("p", "pj")],
        columns=["labelling", "judge", "estimated", "method", "value", "share_refused", "n_trials"],
    )
    assert n_points(labels_needed.labelling_dots(coverage, confidence_level=0.95)) == 16


def test_systems_of_a_difference_have_their_names_on_a_line_each():
    estimates = pd.DataFrame(
        [(*of, m) for of in (("mean", "M22"), ("difference", "M22 − M23")) for m in ("p", "pj")],
        columns=["estimated", "metric", "method"],
    ).assign(dataset="summeval-judges", value=1.0, low=0.5, high=1.5, whole=1.1)
    figure = labels_needed.estimate_dots(estimates.replace({"estimated": {"difference": DIFFERENCE}}))
    assert {y for trace in figure.data for y in trace.y} == {"BART", "BART<br>− PEGASUS"}
    assert "<b>difference of two systems</b>" in {title.text for title in figure.layout.annotations}


def test_the_crowd_is_called_so():
    rows = pd.DataFrame({"dataset": "summeval", "judgment": ["fluency (turkers)"], "effect": "the rest"})
    figure = labels_needed.component_bars(rows.assign(share_of_variance=1.0, value=1.0))
    assert list(figure.data[0].y) == ["fluency (crowd)"]
