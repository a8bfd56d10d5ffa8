"""What panels of pages carry: tables as they were computed, and nothing of single summaries."""

import json

import numpy as np
import pytest

from bookbuild.site.mime import KINDS, scripts
from helpers.experiments import coverage, index_size, truth
from helpers.experiments import margins as margins_page
from helpers.experiments import topk as topk_page
from metaeval.analysis import margins, systems
from metaeval.simulation import model
from tests.kit.figures import MADE, TWO


def rows(table):
    """A row as a mapping; words stand once and in the rows their places."""
    said = table["words"]
    return [
        {
            name: said[name][value] if name in said else value
            for name, value in zip(table["columns"], row, strict=True)
        }
        for row in table["rows"]
    ]


def topk_panel():
    results = topk_page.best_against_all(
        MADE, groups=["abs", "mix"], coefficients=["pearson", "kendall"], n_resamples=9, rng=0
    )
    return results, topk_page.topk_explorable([results], systems.means([MADE]), k=5, confidence_level=0.95)


def margins_panel():
    grid = margins.grid(TWO, n_windows=3, n_resamples=4, rng=0)
    where = {"lower": 0, "upper": 40, "unit": "percent", "coefficient": "kendall", "confidence_level": 0.9}
    return grid, margins_page.margins_explorable(systems.means(TWO), {3: grid}, **where)


def coverage_panel():
    likenesses = truth.fitted(["summeval"])
    known = truth.true_correlations(likenesses, coefficients=["kendall"])
    return known, coverage.coverage_explorable(likenesses, known, metric="QAEval F1")


@pytest.mark.parametrize("make", [topk_panel, margins_panel, coverage_panel])
def test_a_panel_is_plain_json_of_a_kind_that_the_page_knows(make):
    _, panel = make()
    assert json.loads(json.dumps(panel, allow_nan=False)) == json.loads(json.dumps(panel))
    assert panel["kind"] in KINDS
    assert f"explorable_{panel['kind']}.js" in scripts(panel["kind"])
    assert panel["alt"]


def test_the_panel_of_the_best_systems_holds_every_correlation_and_interval():
    results, panel = topk_panel()
    held = rows(panel["tables"]["topk"])
    assert len(held) == len(results)
    for told, row in zip(held, results.to_dict("records"), strict=True):
        for name in ("k", "group", "metric", "coefficient"):
            assert told[name] == row[name]
        for name in ("value", "low", "high", "change", "change_low", "change_high"):
            assert told[name] == pytest.approx(row[name], rel=1e-5)
    assert panel["start"] == {"k": 5, "metric": "a", "group": "mix"}


def test_means_keep_all_digits_so_that_ties_stay_ties():
    _, panel = margins_panel()
    means = systems.means(TWO)
    held = rows(panel["tables"]["means"])
    assert [row["human"] for row in held] == means["human"].tolist()
    assert [row["value"] for row in held] == means["value"].tolist()


def test_the_panel_of_windows_begins_where_the_notebook_stands():
    grid, panel = margins_panel()
    assert panel["start"]["percent"] == [0, 40]
    assert panel["start"]["n_windows"] == 3
    held = rows(panel["tables"]["intervals"])
    assert len(held) == len(grid)
    assert {row["n_windows"] for row in held} == {3}
    # the page looks them up by their ends
    for name in ("from_percent", "to_percent"):
        assert [row[name] for row in held] == grid[name].tolist()
    assert panel["confidence_level"] == 0.9


def test_menus_name_data_sets_as_the_book_does():
    _, panel = coverage_panel()
    assert panel["words"]["dataset"] == {"simulated-summeval": "simulated SummEval"}


def test_what_does_not_exist_is_null():
    results = topk_page.best_against_all(MADE, groups=["abs"], coefficients=["pearson"], n_resamples=9, rng=0)
    results.loc[0, ["value", "low"]] = np.nan
    panel = topk_page.topk_explorable([results], systems.means([MADE]), k=5, confidence_level=0.95)
    first = rows(panel["tables"]["topk"])[0]
    assert first["value"] is None
    assert first["low"] is None


def test_the_panel_of_a_known_truth_holds_parameters_and_true_values():
    known, panel = coverage_panel()
    (likeness,) = panel["likenesses"]
    fitted = model.read("summeval")
    k = fitted.planes.index("QAEval F1")
    assert likeness["planes"][k] == "QAEval F1"
    assert likeness["types"][1]["system"]["loadings"][k] == fitted.types["abs"].system.loadings[k].tolist()
    assert likeness["marginals"][0]["kind"] == "ratings"
    told = {row["metric"]: row["value"] for row in rows(panel["tables"]["truths"])}
    assert told == pytest.approx(known.set_index("metric")["value"].to_dict(), rel=1e-5)
    assert panel["start"] == {"dataset": "simulated-summeval", "metric": "QAEval F1"}


def test_known_truths_are_of_all_systems_at_system_level():
    known = truth.true_correlations(truth.fitted(["realsumm", "tac2009"]), coefficients=["pearson"])
    assert set(known["level"]) == {"system"}
    assert known.groupby("dataset")["metric"].nunique().to_dict() == {
        "simulated-realsumm": 25,
        "simulated-tac2009": 26,
    }


def test_the_panel_of_indexes_holds_every_index():
    frame = index_size_rows()
    panel = index_size.index_size_explorable(frame)
    held = rows(panel["tables"]["index_size"])
    assert [row["value"] for row in held] == frame["value"].tolist()
    assert [row["is_whole"] for row in held] == [False, False, True]
    assert panel["words"]["query"]["raw"]
    assert panel["words"]["domain"] == {"bbc": "BBC"}
    assert index_size.size_bands(frame)["n_subsets"].tolist() == [2, 1]


def index_size_rows():
    import pandas as pd

    fixed = {"dataset": "d", "domain": "bbc", "metric": "SERA-5", "query": "raw", "overlap": "SERA"}
    fixed |= {"cutoff": 5, "group": "mix", "level": "system", "coefficient": "pearson", "n_unscored": 0}
    sizes = {"stories": [10, 10, 30], "is_whole": [False, False, True], "subset": [0, 1, 0]}
    return pd.DataFrame({**sizes, "value": [0.5, 0.25, 0.125]}).assign(**fixed)
