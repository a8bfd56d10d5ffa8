"""The table that ``make test-sweep`` made: every combination, with the values that the helper itself gives."""

import pandas as pd
import pytest

from helpers.kit.parameters import default_parameters, notebook_path
from metaeval import datasets
from metaeval.analysis import topk
from metaeval.core.paths import ROOT

pytestmark = pytest.mark.sweep
FOLDER = ROOT / "_build" / "reruns" / "topk" / "latest"


@pytest.mark.parametrize("dataset", ["realsumm", "summeval"])
def test_the_sweep_holds_what_the_helper_gives(dataset):
    runs, results = (pd.read_csv(FOLDER / f"{name}.csv") for name in ("runs", "results"))
    assert runs.groupby("dataset")["k"].apply(list).to_dict() == {
        "realsumm": [4, 6, 8],
        "summeval": [4, 6, 8],
    }
    assert runs["error"].isna().all()
    settings = default_parameters(notebook_path("topk"))
    benchmark = datasets.load(dataset)
    benchmark = benchmark.select(metrics=[m for m in settings["metrics"] if m in benchmark.metrics])
    assert len(benchmark.metrics) == {"realsumm": 6, "summeval": 5}[dataset]  # SummEval has no JS-2
    expected = topk.table(
        benchmark, groups=settings["groups"], coefficients=settings["coefficients"], ks=[4, 6, 8]
    )
    keys = ["k", "group", "coefficient", "metric"]
    swept = results[results["param_dataset"] == dataset]
    assert (swept["k"] == swept["param_k"]).all()
    assert len(swept) == len(expected) > 50
    swept, expected = (table.set_index(keys)["value"].sort_index() for table in (swept, expected))
    pd.testing.assert_series_equal(swept, expected, check_index_type=False)
