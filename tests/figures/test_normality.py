import pandas as pd
import pytest

from helpers.experiments import normality
from tests.figures.support import TWO, points, seen


def test_a_panel_per_level_shows_every_test_and_the_intervals_of_shares():
    table = normality.with_intervals(normality.table(TWO, alpha=0.3))
    figure = normality.normality_dots(table, alpha=0.3)
    for axis, level in (("x", "system"), ("x2", "summary")):
        rows = table[table["level"] == level].set_index(["dataset", "metric"])
        for trace in seen(figure):
            if trace.xaxis != axis or trace.x[0] is None:
                continue
            for metric, (value, low, high) in points(trace).items():
                row = rows.loc[(trace.name, metric)]
                ends = (row["low"], row["high"]) if level == "summary" else (value, value)
                assert (value, low, high) == pytest.approx((row["value"], *ends), abs=1e-5)
    assert {shape.x0 for shape in figure.layout.shapes} == {0.3, 30}


def test_a_share_of_documents_has_an_interval_and_a_pvalue_none():
    tests = pd.DataFrame(
        {
            "dataset": "d", "level": ["system", "summary"], "metric": "m", "value": [0.2, 0.0],
            "n_used": [9, 1000], "n_total": [9, 1000],
        }
    )  # fmt: skip
    found = normality.with_intervals(tests)
    assert found["low"].isna().tolist() == [True, False]
    assert found.loc[1, ["low", "high"]].tolist() == pytest.approx([0, 0.37], abs=0.005)  # 1 - 0.025^(1/1000)
