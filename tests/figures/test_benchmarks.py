import pytest

from helpers.experiments import benchmarks
from metaeval.analysis.systems import spread
from tests.figures.support import MADE, menus


def test_the_metric_beside_people_can_be_picked():
    table = spread(MADE)
    figure = benchmarks.score_spread(table)
    change, traces = menus(figure)["Metric"]["c"]
    systems = list(figure.data[traces[1]].y)  # in the order in which people rank them
    rows = table.query("metric == 'c' and system_type == 'ext'").set_index("system").loc[systems]
    assert [figure.data[i].name for i in traces] == ["abstractive", "extractive"]
    assert change["x"][1] == rows["mean"].tolist()
    assert change["error_x.array"][1] == pytest.approx(rows["upper_quartile"] - rows["mean"], abs=1e-5)
    people = [trace for i, trace in enumerate(figure.data) if i not in traces]
    expected = table.query("metric == 'human' and system_type == 'abs'")["mean"]
    assert sorted(people[0].x) == sorted(expected)
