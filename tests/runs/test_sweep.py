import re

import nbformat
import pandas as pd
import pytest

from helpers.errors import UnknownNameError
from helpers.runs import sweep
from helpers.runs.execution import DASK

PARAMETERS = 'k: int = 10  # how many\nname: str = "x"  # which\ngroups: list = ["a"]  # of a, b\nsizes: list = [8]  # how large'
RESULTS = """
import pandas as pd
from helpers.notebook import record_results
record_results(pd.DataFrame({"metric": ["A", "B"], "value": [float(k), 1 / (k - 5)], "name": name}))
"""


@pytest.fixture
def notebook(tmp_path):
    cells = [
        nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(RESULTS),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = tmp_path / "made.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    return path


def test_every_combination_last_name_fastest(notebook):
    assert sweep.combinations(notebook, 'k=4,6 groups=a+b,a "name=two words"') == [
        {"k": 4, "groups": ["a", "b"], "name": "two words"},
        {"k": 4, "groups": ["a"], "name": "two words"},
        {"k": 6, "groups": ["a", "b"], "name": "two words"},
        {"k": 6, "groups": ["a"], "name": "two words"},
    ]
    assert sweep.combinations(notebook, "") == [{}]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "kk=4",
            UnknownNameError,
            "unknown parameter of made.ipynb 'kk'; known: groups, k, name, sizes. Did you mean 'k'?",
        ),
        ("k=four", TypeError, "parameter 'k' of made.ipynb must be int, got the text 'four'"),
        ("k=4.5", TypeError, "parameter 'k' of made.ipynb must be int, got float 4.5"),
        ("k", ValueError, "parameters must be NAME=VALUE[,VALUE...], got 'k'"),
        ("k=", ValueError, "got 'k='"),
        ("k=4 k=5", ValueError, "parameter 'k' is given twice"),
        ("k=4,4", ValueError, "parameter 'k' has an empty or repeated value: '4,4'"),
        ("k=4,", ValueError, "has an empty or repeated value"),
    ],
)
def test_mistakes_are_named_before_anything_runs(notebook, text, error, message):
    with pytest.raises(error) as caught:
        sweep.combinations(notebook, text)
    assert message in str(caught.value)


def check(result, folder):
    # k = 5 divides by zero: that run fails, the others stay
    assert result.runs["error"].ne("").tolist() == [False, True, False]
    assert re.search(
        r"made\.ipynb with .*'k': 5.* failed in cell \d+: ZeroDivisionError", result.failed["error"].iloc[0]
    )
    expected = pd.DataFrame(
        {
            "param_k": [4, 4, 7, 7],
            "param_name": ["y"] * 4,
            "metric": ["A", "B"] * 2,
            "value": [4.0, -1.0, 7.0, 0.5],
            "name": ["y"] * 4,
        }
    )
    pd.testing.assert_frame_equal(result.results, expected)
    pd.testing.assert_frame_equal(pd.read_csv(folder / "results.csv"), expected)
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "results.parquet"), expected)
    assert sorted(path.name for path in folder.glob("*.ipynb")) == ["made-1.ipynb", "made-3.ipynb"]
    assert "Values side by side" in (folder / "index.html").read_text()


def test_a_sweep_gathers_what_succeeded_names_what_failed_and_leaves_nothing_of_an_earlier_one(
    notebook, tmp_path
):
    lines, out = [], tmp_path / "out"
    runs = sweep.combinations(notebook, "k=4,5,7 name=y")
    result = sweep.sweep(notebook, runs, out, jobs=3, report=lines.append)
    check(result, out)
    assert len(lines) == 3
    assert sum("FAILED" in line for line in lines) == 1

    (out / "made-mine.ipynb").touch()  # not one of ours
    result = sweep.sweep(notebook, [{"k": 5}], out)
    assert len(result.failed) == 1
    assert result.runs["notebook"].tolist() == [""]
    assert [path.name for path in out.glob("*.ipynb")] == ["made-mine.ipynb"]
    assert pd.read_csv(out / "runs.csv")["k"].tolist() == [5]


@pytest.mark.sweep  # a cluster takes ten seconds to come up
def test_the_same_on_a_dask_cluster(notebook, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        monkeypatch.setenv(DASK, cluster.scheduler_address)
        runs = sweep.combinations(notebook, "k=4,5,7 name=y")
        check(sweep.sweep(notebook, runs, tmp_path / "out"), tmp_path / "out")


def test_commas_within_brackets_part_no_alternatives(notebook):
    runs = sweep.combinations(notebook, "sizes=[8,12],16 k=4")
    assert runs == [{"sizes": [8, 12], "k": 4}, {"sizes": [16], "k": 4}]
