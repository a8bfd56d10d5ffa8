import numpy as np
import pytest

from helpers.experiments import intervals
from metaeval.stats.intervals import fisher_bounds
from tests.figures.support import MADE, menus, seen


@pytest.fixture(scope="module")
def table():
    methods = ["Boot-Both", "Fisher"]
    return intervals.table(MADE, coefficients=["kendall"], methods=methods, n_resamples=99, rng=0)


@pytest.mark.parametrize("method", ["Boot-Both", "Fisher"])
@pytest.mark.parametrize(("choice", "low", "high"), [("95 %", "low", "high"), ("80 %", "q10", "q90")])
def test_bars_lie_where_the_table_has_the_intervals(table, method, choice, low, high):
    figure = intervals.interval_bars(table, confidence_level=0.95)
    assert list(menus(figure)["Interval"]) == ["95 %", "90 %", "80 %"]
    names = table[["level", "dataset"]].drop_duplicates().to_dict("records")
    bars = [trace for trace in seen(figure, Method=method, Interval=choice) if trace.type == "bar"]
    assert len(bars) == 2 * len(names)
    for trace in bars:
        panel = names[int(trace.xaxis.removeprefix("x") or 1) - 1]
        keys = ["method", "level", "dataset", "metric"]
        rows = table.set_index(keys).sort_index().loc[method, panel["level"], panel["dataset"]]
        columns = (low, high) if trace.width == 0.25 else ("q25", "q75")
        for metric, start, width in zip(trace.y, trace.base, trace.x, strict=True):
            ends = rows.loc[metric, list(columns)].fillna(rows.loc[metric, columns[0]])
            np.testing.assert_allclose([start, start + width], ends)


def test_narrower_intervals_by_a_formula_are_those_of_the_formula(table):
    figure = intervals.interval_bars(table, confidence_level=0.95)
    thin = next(t for t in seen(figure, Method="Fisher", Interval="80 %") if t.width == 0.25)
    row = table.query("method == 'Fisher' and metric == 'b'").iloc[0]
    at = list(thin.y).index("b")
    expected = fisher_bounds(row["value"], 8, coefficient="kendall", confidence_level=0.8)  # 8 systems
    assert (thin.base[at], thin.base[at] + thin.x[at]) == pytest.approx(expected)
