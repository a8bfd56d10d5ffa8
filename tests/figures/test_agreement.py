"""The page of agreement: every value is a point, and so is the rater who reads nothing."""

import pandas as pd

from helpers.experiments import agreement
from tests.figures.support import seen

RESULTS = pd.DataFrame(
    [
        {
            "dimension": dimension, "raters": raters, "coefficient": coefficient, "grade": grade,
            "value": 0.1 * k, "low": 0.0, "high": 0.6, "constant": -0.2, "base_rate": 0.4, "n_used": 9,
        }
        for dimension in ("coherence", "fluency")
        for k, raters in enumerate(("experts", "gpt"))
        for coefficient, grade in (("cohen", "nominal"), ("cohen", "linear"), ("gwet", "nominal"))
    ]
)  # fmt: skip


def points(traces, name):
    return sorted(x for trace in traces if trace.name == name for x in trace.x)


def test_every_coefficient_is_a_point_beside_the_rater_who_reads_nothing():
    figure = agreement.agreement_dots(RESULTS)
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Cohen's κ", "Gwet's AC"]
    cohen = seen(figure)
    for name in ("equal or not", "linear weights"):
        assert points(cohen, name) == [0.0, 0.0, 0.1, 0.1]
        # on the line of the points of the same grade
        never = [t for t in cohen if t.name == "a rater who reads nothing" and t.offsetgroup == name]
        assert points(never, never[0].name) == [-0.2] * 4
    assert points(seen(figure, Coefficient="Gwet's AC"), "linear weights") == []
    assert figure.layout.xaxis.range[0] <= -0.2


def test_a_difference_stands_on_its_side_of_0():
    less = RESULTS[RESULTS["grade"] == "linear"].assign(value=-0.3, low=-0.4, high=-0.2, among_people=0.5)
    figure = agreement.agreement_differences(less)
    assert [list(trace.x) for trace in figure.data] == [[-0.3, -0.3]] * 2
    assert figure.layout.xaxis.range[0] < -0.4 < 0 < figure.layout.xaxis.range[1]


def test_strata_are_lines_and_the_rater_who_reads_nothing_is_one():
    parts = [RESULTS[RESULTS["grade"] == "nominal"].assign(n_ratings=n) for n in (1, 2)]
    figure = agreement.strata_curves(pd.concat(parts))
    shown = seen(figure)
    assert figure.layout.scattermode == "group"  # side by side, also the rater who has no interval
    assert {trace.offsetgroup for trace in shown} == {"experts", "gpt", "a rater who reads nothing"}
    never = [trace for trace in shown if trace.name == "a rater who reads nothing"]
    assert not any("[" in said for trace in never for said in trace.customdata)
    for name, values in (("experts", [0.0] * 4), ("gpt", [0.1] * 4), ("a rater who reads nothing", None)):
        of_name = [trace for trace in shown if trace.name == name]
        assert [list(trace.x) for trace in of_name] == [[1, 2]] * 2
        assert [y for trace in of_name for y in trace.y] == (values or [-0.2] * 4)


def test_every_batch_is_a_point_on_the_line_of_its_label_map():
    alphas = pd.DataFrame(
        {"batch": ["1", "2"], "label_map": ["c-u", "c-q-ub"], "value": [0.7, 0.3], "n_raters": [2, 3]}
    )
    (trace,) = agreement.alpha_strips(alphas).data
    assert sorted(zip(trace.y, trace.x, trace.text, strict=True)) == [
        ("c-q-ub", 0.3, "batch 2"),
        ("c-u", 0.7, "batch 1"),
    ]
