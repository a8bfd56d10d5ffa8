import pytest

from helpers.experiments import tests
from metaeval import analysis
from metaeval.tables.labels import words
from tests.figures.support import MADE, seen


@pytest.fixture(scope="module")
def table():
    return analysis.tests.table(MADE, methods=["Perm-Both", "Williams"], n_resamples=99, rng=0)


def test_every_test_has_its_own_grid(table):
    for level in table["level"].unique():
        figure = tests.difference_heatmap(tests.outcomes(table, alpha=0.05))
        heat = seen(figure, Test="Williams", Level=words("level", level))[0]
        rows = table[(table["method"] == "Williams") & (table["level"] == level)]
        cell = rows.set_index(["metric", "rival"]).loc["a", "c"]
        numbers = heat.customdata[list(heat.y).index("a")][list(heat.x).index("c")]
        assert numbers[0] == pytest.approx(cell["value"], abs=1e-5)
        assert list(numbers[1:]) == [
            f"p = {cell['pvalue']:.3f}",
            f"{cell['adjusted_pvalue']:.3f}",
            cell["n_used"],
        ]


def test_a_heatmap_cell_says_what_the_table_says(table):
    perm = table[table["method"] == "Perm-Both"]
    figure = tests.difference_heatmap(tests.outcomes(perm, alpha=0.05))
    heat = figure.data[0]
    cell = perm.query("level == 'system' and metric == 'a' and rival == 'c'").iloc[0]
    i, j = list(heat.y).index("a"), list(heat.x).index("c")
    assert heat.z[i][j] == int(cell["pvalue"] <= 0.05) + int(cell["adjusted_pvalue"] <= 0.05)
    assert heat.customdata[i][j][1] == f"p = {cell['pvalue']:.3f}"
    assert heat.z[0][0] is None
    assert len(figure.layout.updatemenus[0].buttons) == 2  # of the level: there is one test


def test_a_correction_that_cannot_pass_is_told_apart_from_one_that_did_not():
    few = analysis.tests.table(MADE, methods=["Perm-Both"], n_resamples=50, rng=0, family="table")
    found = tests.outcomes(few, alpha=0.05)
    assert (found["outcome"] == tests.OUTCOMES[3]).any()
    figure = tests.difference_heatmap(found)
    shown = [cell[2] for row in figure.data[0].customdata for cell in row if cell]
    assert all("cannot reach" in text for text in shown)
    assert [trace.name for trace in figure.data if trace.type == "scatter"] == list(tests.OUTCOMES)
