"""Windows rebuilt from printed numbers, against the scores that the numbers were printed from."""

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import published_windows
from helpers.experiments.published_windows import (
    grid,
    lowest,
    printed,
    quantities,
    quoted,
    solution_counts,
    solutions,
)
from metaeval.analysis import margins
from metaeval.core.errors import DataError
from tests.builders import benchmark

RNG = np.random.default_rng(4)
HUMAN = RNG.normal(size=(16, 20))
MADE = benchmark(HUMAN, {"a": HUMAN + 2 * RNG.normal(size=(16, 20)), "b": RNG.normal(size=(16, 20))})
CLOSEST = margins.closest(MADE, n_resamples=0)
PRINTED = CLOSEST.assign(printed=CLOSEST["value"].map("{:.2f}".format))


@pytest.mark.parametrize("borders", ["once", "twice"])
def test_windows_are_those_of_the_scores(borders):
    truth = margins.grid(MADE, n_resamples=0, borders=borders)
    keys = ["dataset", "metric", "from_percent", "to_percent"]
    both = grid(PRINTED, n_systems={MADE.name: 16}).merge(truth, on=keys, suffixes=("", "_true"))
    assert len(both) == 2 * 55
    if borders == "once":
        assert (both["n_pairs"] == both["n_pairs_true"]).all()
        np.testing.assert_allclose(both["value"], both["value_true"])
    else:
        possible = both[["released_low", "released_high"]].sub(both["value_true"], axis=0).abs()
        assert possible.min(axis=1).max() < 1e-12
        assert (both["released_low"] < both["released_high"]).any()


def test_a_border_is_known_where_the_window_below_agrees():
    """Of 10 pairs in windows of two: the first two agree, the next two do not, and so on."""
    values = pd.DataFrame(
        {
            "dataset": "d",
            "metric": "m",
            "percent": [20, 40, 60, 80, 100],
            "printed": ["1", ".5", ".667", ".5", ".6"],
        }
    )
    found = grid(values, n_systems={"d": 5}).set_index(["from_percent", "to_percent"])
    assert found.loc[(20, 40), "value"] == 0
    assert found.loc[(20, 40), ["released_low", "released_high"]].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert found.loc[(40, 60), "value"] == 1
    assert found.loc[(40, 60), ["released_low", "released_high"]].tolist() == pytest.approx([1 / 3, 1])


def test_several_solutions_are_said_and_neighbours_rule_some_out():
    alone, together = solutions(["0.7", "0.7"], [20, 21])
    assert alone == [[14], [15]]
    # two numbers P - Q print as .7 each time; two more pairs add at most two
    alone, together = solutions([".7", ".7"], [40, 42])
    assert alone == [[26, 28], [28, 30]]
    assert together.tolist() == [[26, 28], [28, 28], [28, 30]]
    rows = pd.DataFrame({"dataset": "d", "metric": "m", "percent": [50, 100], "printed": ["1.0", "0.5"]})
    table = grid(rows, n_systems={"d": 9}).set_index(["from_percent", "to_percent"])
    assert np.isnan(table.loc[(50, 100), "value"]) == (
        table.loc[(50, 100), "at_least"] < table.loc[(50, 100), "at_most"]
    )


@pytest.mark.parametrize(
    ("texts", "sizes", "message"),
    [(["0.1"], [3], "no tau of"), (["1", "-1"], [2, 4], "cannot be of one order")],
)
def test_numbers_that_cannot_be(texts, sizes, message):
    with pytest.raises(DataError, match=message):
        solutions(texts, sizes)


def test_what_the_paper_prints_has_one_solution_but_for_one_value():
    values = printed(["re-examining-summeval-full", "re-examining-realsumm-full"])
    n_systems = {"re-examining-summeval-full": 16, "re-examining-realsumm-full": 24}
    found = solution_counts(values, n_systems=n_systems)
    assert found[["n_values", "n_alone", "n_together"]].sum().tolist() == [60, 57, 59]
    windows = grid(values, n_systems=n_systems)
    open_ones = windows[windows["value"].isna()]
    assert set(open_ones["to_percent"]) == {100}
    assert set(open_ones["metric"]) == {"BERTScore"}
    # the first rows are the printed ones again
    first = windows.query("from_percent == 0").merge(
        values, left_on=["dataset", "metric", "to_percent"], right_on=["dataset", "metric", "percent"]
    )
    assert (first["at_least"] - first["value_y"]).abs().max() <= 0.005 + 1e-12


def test_leads_and_lowest_cells():
    windows = grid(PRINTED, n_systems={MADE.name: 16})
    said = quantities(windows, closest=30).set_index(["metric", "quantity", "reading"])["value"]
    one = windows[windows["metric"] == "a"]
    inside = one.query("to_percent <= 30")["value"].min()
    assert said["a", "lead of the corner", "closest"] == one.query("to_percent > 30")["value"].min() - inside
    last = one.query("from_percent == 90").iloc[0]
    against = said["a", "last window, pairs against people", ""]
    assert (last["n_pairs"] - 2 * against) / last["n_pairs"] == pytest.approx(last["value"])
    assert lowest(windows).query("metric == 'a'")["value"].min() == one["value"].min()


def test_the_text_quotes_numbers_of_its_figure():
    found = quoted()
    assert len(found) >= 4
    assert set(found["value"]) <= {0.0, 1.0}


def test_a_cell_says_what_the_table_says():
    windows = published_windows.grid(PRINTED, n_systems={MADE.name: 16})
    figure = published_windows.rebuilt_heatmap(windows)
    row = windows.query("metric == 'a' and from_percent == 20 and to_percent == 50").iloc[0]
    heat = next(trace for trace in figure.data if trace.visible)
    i, j = list(heat.y).index("20"), list(heat.x).index("50")
    assert ">" + f"{row['value']:.2f}".replace("0.", ".") + "<" in heat.text[i][j]
    assert heat.z[i][j] == row["value"]
    assert f"{row['n_pairs']} pairs" in heat.hovertext[i][j]
    assert "in the released plot" in heat.hovertext[i][j]
    assert heat.z[j][i] is None


def test_the_farther_half_of_the_pairs():
    """Of 5 close pairs 3 are in people's order, of 5 far ones all: the sums are 1 and 5, 5 of 6 from afar."""
    values = pd.DataFrame({"dataset": "d", "metric": "m", "percent": [50, 100], "printed": [".2", ".6"]})
    rows = quantities(grid(values, n_systems={"d": 5})).set_index("quantity")["value"]
    assert rows["from the farther half (%)"] == pytest.approx(500 / 6)
