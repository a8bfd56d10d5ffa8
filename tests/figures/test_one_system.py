"""The page of one system: every row of its tables is a point."""

import pandas as pd
import pytest

from helpers.experiments import one_system

JUDGES = ["a", "b"]


def points(figure):
    return {trace.name: (list(trace.x), list(trace.y)) for trace in figure.data if trace.name}


def test_a_judge_is_at_what_it_passes():
    rows = [
        {"judge": j, "quantity": q, "value": v, "low": v - 0.1, "high": v + 0.1}
        for j in JUDGES
        for q, v in (("TPR", 0.75), ("TNR", 0.25), ("other", 0.5))
    ]
    figure = one_system.rate_scatter(pd.DataFrame(rows), tpr="TPR", tnr="TNR")
    assert points(figure) == {"a": ([0.75], [0.75]), "b": ([0.75], [0.75])}
    (reach,) = {(*t.error_x.arrayminus, *t.error_x.array) for t in figure.data if t.name}
    assert reach == pytest.approx((0.1, 0.1))
    assert (
        figure.layout.xaxis.range == figure.layout.yaxis.range
    )  # or the diagonal would not mean that both are equal


def test_scores_are_curves():
    rows = [
        {"judge": j, "bin": k, "predicted": k / 3, "value": 0.5, "low": 0.4, "high": 0.6, "n_summaries": 9}
        for j in JUDGES
        for k in (1, 2)
    ]
    figure = one_system.pass_curves(pd.DataFrame(rows))
    assert points(figure)["b"] == ([1 / 3, 2 / 3], [0.5, 0.5])


def test_errors_are_points_of_one_system_or_two():
    rows = [
        {"judge": j, "approach": a, "quantity": q, "value": 0.2, "mc_error": 0.01, "share_undefined": 0.0}
        for j in JUDGES
        for a in ("alone", "helped")
        for q in ("one", "two")
    ]
    figure = one_system.error_dots(pd.DataFrame(rows))
    assert sum(len(trace.x) for trace in figure.data) == len(rows)
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["one", "two"]


def test_what_a_label_is_worth_is_a_line_with_the_judges_on_it():
    worths = pd.DataFrame(
        {"judge": ["", "", *JUDGES], "balanced": [0.5, 0.9, 0.6, 0.7], "value": [0, 2, 0.1, 0.2]}
    )
    figure = one_system.worth_curve(worths)
    assert points(figure) == {"a": ([0.6], [0.1]), "b": ([0.7], [0.2])}
    assert list(figure.data[0].y) == [0, 2]
