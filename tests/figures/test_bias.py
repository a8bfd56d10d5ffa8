"""The page of biases: every row of its tables is a point, a bar or a cell."""

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import bias
from tests.figures.support import menus, seen

JUDGES = ["x", "y"]


def test_every_judge_and_set_is_a_point_with_both_intervals():
    table = pd.DataFrame(
        {
            "set": ["Natural", "Natural", "SummEval"], "dimension": ["", "", "a"], "judge": ["x", "y", "x"],
            "value": [0.5, 0.6, 0.7], "low": [0.4, np.nan, 0.6], "high": [0.6, np.nan, 0.8],
            "flip_rate": [0.1, 0.2, 0.3], "flip_low": 0.0, "flip_high": 0.4, "n_pairs": 10,
            "share_unreadable": 0.0,
        }
    )  # fmt: skip
    figure = bias.position_scatter(table)
    points = {trace.name: list(zip(trace.x, trace.y, strict=True)) for trace in figure.data if trace.name}
    assert points == {"x": [(0.5, 0.1), (0.7, 0.3)], "y": [(0.6, 0.2)]}
    (x,) = (trace for trace in figure.data if trace.name == "x")
    assert x.text == ("x, Natural", "x, SummEval, a")
    assert "[0.60, 0.80]" in x.customdata[1]
    assert "[0.00, 0.40]" in x.customdata[1]
    assert x.error_x.array == (0.1, 0.1)
    assert x.error_y.array == (0.3, 0.1)
    assert x.marker.symbol.endswith("-open")  # what lies below is seen
    low, high = figure.layout.xaxis.range
    assert low < 0.4
    assert high > 0.8
    (y,) = (trace for trace in figure.data if trace.name == "y")
    assert y.error_x.array == (0.0,)
    assert "nan" not in y.customdata[0]
    # all changes to one position: half as many as there are changes, from one half
    lines = [(tuple(trace.x), tuple(trace.y)) for trace in figure.data if trace.mode == "lines"]
    assert lines == [((0.5, 0.35), (0, 0.3)), ((0.5, 0.65), (0, 0.3))]


def test_both_slopes_of_a_judge_are_drawn():
    table = pd.DataFrame(
        [
            {"dimension": d, "judge": j, "value": 0.1, "low": 0.0, "high": 0.2, "given": 0.2, "given_low": 0.1,
             "given_high": 0.4, "of_people": 0.05, "n_used": 90}
            for d in "ab"
            for j in JUDGES
        ]
    )  # fmt: skip
    figure = bias.length_dots(table)
    assert sum(len(trace.x) for trace in figure.data) == 8
    assert {trace.name for trace in figure.data} == {"judge minus people", "judge, people's rating fixed"}
    assert all("used: 90" in told for trace in figure.data for told in trace.customdata)


def test_shares_of_the_scores_are_stacked_by_dimension():
    table = pd.DataFrame(
        [
            {"dimension": d, "judge": j, "rating": r, "value": 0.2 * r, "n_used": 40}
            for d in "ab"
            for j in ("people", *JUDGES)
            for r in (2.0, 3.0)
        ]
    )
    figure = bias.use_bars(table)
    assert list(menus(figure)["Dimension"]) == ["a", "b"]
    assert [trace.name for trace in seen(figure, Dimension="b")] == ["score 2", "score 3"]
    assert figure.layout.barmode == "stack"
    assert [said for _, said in figure.data[1].customdata] == pytest.approx([60.0] * 3)
    assert {n for trace in figure.data for n, _ in trace.customdata} == {40}


def test_cells_have_numbers_where_the_interval_leaves_out_0():
    table = pd.DataFrame(
        {"dimension": "a", "judge": ["x", "y"], "system": "M23", "value": [0.5, -0.2],
         "dataset": "summeval-judges", "low": [0.1, -0.5], "high": [0.9, 0.1], "n_used": 30}
    )  # fmt: skip
    (cells,) = bias.favour_heatmap(table).data
    assert cells.customdata[0][0] == "[+0.10, +0.90]<br>used: 30"
    assert [list(row) for row in cells.text] == [['<span style="color:#fff">+.50</span>', ""]]
    assert list(cells.y) == ["PEGASUS"]
    assert (cells.zmin, cells.zmax) == (-0.5, 0.5)


def test_judges_and_what_judges_nothing_are_told_apart():
    table = pd.DataFrame(
        [
            {
                "dimension": d,
                "measure": m,
                "judge": j,
                "is_sentinel": j == "length",
                "value": 0.3,
                "low": 0.1,
                "high": 0.4,
            }
            for d in "ab"
            for m in ("system", "annotator test")
            for j in ("x", "length")
        ]
    )
    figure = bias.sentinel_dots(table)
    assert list(menus(figure)["Dimension"]) == ["a", "b"]
    names = [trace.name for trace in seen(figure, Dimension="a")]
    assert names.count("judges") == names.count("scores that judge nothing") == 2
