"""A sweep keeps what succeeds, names what does not, and goes on where it stopped."""

import json
import re
import threading

import nbformat
import pandas as pd
import pytest
from filelock import FileLock

from bookbuild.runs import execution, sweep
from bookbuild.runs.fingerprints import Fingerprint
from bookbuild.runs.folder import Request, own_folder
from helpers.kit.parameters import split_alternatives
from metaeval.core.errors import UnknownNameError

pytestmark = pytest.mark.processes

PARAMETERS = (
    'k: int = 10  # how many\nname: str = "x"  # which\ngroups: list = ["a"]  # of a, b\n'
    'sizes: list = [8]  # how large\nwindows: list = [[0, 1]]  # from, to\nhow: str = "well"  # how it ends'
)
RESULTS = """
import os, time
import pandas as pd
from helpers.kit.display import record_results
how == "die" and os.kill(os.getpid(), 9)
how == "sleep" and time.sleep(3600)
record_results(pd.DataFrame({"metric": ["A", "B"], "value": [float(k), 1 / (k - 5)], "name": name}))
"""


@pytest.fixture
def notebook(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("# Made\n\n**The question.** Is it well?"),
        nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(RESULTS),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = tmp_path / "made.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    return path


@pytest.fixture(autouse=True)
def _read_once(monkeypatch):
    """All of the project is not read anew for a notebook that uses little of it (`test_fingerprints` does)."""
    by_name = {"made": Fingerprint("of the code", runs_last=False)}
    monkeypatch.setattr("bookbuild.runs.folder.fingerprints", lambda names, notebooks, **settings: by_name)


def test_every_combination_last_name_fastest(notebook):
    assert sweep.combinations(notebook, 'k=4,6 groups=a+b,a "name=two words"') == [
        {"k": 4, "groups": ["a", "b"], "name": "two words"},
        {"k": 4, "groups": ["a"], "name": "two words"},
        {"k": 6, "groups": ["a", "b"], "name": "two words"},
        {"k": 6, "groups": ["a"], "name": "two words"},
    ]
    assert sweep.combinations(notebook, "") == [{}]
    assert sweep.combinations(notebook, "name='my scores.csv'") == [{"name": "my scores.csv"}]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("4,6", ["4", "6"]),
        ("[8,12],16", ["[8,12]", "16"]),
        ("[500],[1000]", ["[500]", "[1000]"]),
        ("[[0,0.3],[0.3,1]]", ["[[0,0.3],[0.3,1]]"]),
        ("[[0,0.3],[0.3,1]],[[0,1]]", ["[[0,0.3],[0.3,1]]", "[[0,1]]"]),
        ("8+12,16", ["8+12", "16"]),
        ("a],b", ["a]", "b"]),
    ],
)
def test_commas_within_brackets_part_no_alternatives(text, parts):
    assert split_alternatives(text) == parts


def test_lists_are_read_by_the_defaults_members(notebook):
    assert sweep.combinations(notebook, "sizes=[8,12],16+20 windows=[[0,0.3],[0.3,1]]") == [
        {"sizes": [8, 12], "windows": [[0, 0.3], [0.3, 1]]},
        {"sizes": [16, 20], "windows": [[0, 0.3], [0.3, 1]]},
    ]
    assert (
        sweep.format_parameters({"sizes": [8, 12], "windows": [[0, 0.3], [1, 2]]})
        == "sizes=8+12 windows=[[0,0.3],[1,2]]"
    )


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("kk=4", UnknownNameError, "unknown parameter of made.ipynb 'kk'; known: groups, how, k, name, sizes, windows. Did you mean 'k'?"),
        ("k=four", TypeError, "parameter 'k' of made.ipynb must be int, got the text 'four'"),
        ("k=4.5", TypeError, "parameter 'k' of made.ipynb must be int, got float 4.5"),
        ("k", ValueError, "parameters must be NAME=VALUE[,VALUE...], got 'k'"),
        ("name=my scores.csv", ValueError, "got 'scores.csv'; quote values that contain spaces"),
        ("name=She's", ValueError, "close every quote"),
        ("k=", ValueError, "got 'k='"),
        ("k=4 k=5", ValueError, "parameter 'k' is given twice"),
        ("k=4,4", ValueError, "parameter 'k' has an empty or repeated value: '4,4'"),
        ("k=4,", ValueError, "has an empty or repeated value"),
    ],
)  # fmt: skip
def test_mistakes_are_named_before_anything_runs(notebook, text, error, message):
    with pytest.raises(error) as caught:
        sweep.combinations(notebook, text)
    assert message in str(caught.value)


def check(result):
    # k = 5 divides by zero: that run fails, the others stay
    folder = result.folder
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
    page = (folder / "index.html").read_text()
    assert "1 of 3 runs failed" in page
    assert page.count('href="made-') == 2


def as_before(notebook, output, parameters, *, plain, forked):
    """Replace an execution, without a kernel: five is too few, all else succeeds."""
    if parameters["k"] == 5:
        raise execution.NotebookError(
            f"{notebook.name} with {parameters} failed in cell 2: ZeroDivisionError: by zero"
        )
    nbformat.write(nbformat.v4.new_notebook(), output)


def test_a_sweep_keeps_what_succeeded_and_goes_on_where_it_failed(notebook, tmp_path, monkeypatch):
    lines = []
    runs = sweep.combinations(notebook, "k=4,5,7 name=y")
    result = sweep.sweep(notebook, runs, reruns=tmp_path, jobs=3, report=lines.append)
    assert result.folder == tmp_path / "made" / "1"
    check(result)
    assert len(lines) == 3
    assert sum("FAILED" in line for line in lines) == 1
    times = {path.name: path.stat().st_mtime_ns for path in result.folder.glob("*.ipynb")}

    # the same again: only the run that failed
    lines.clear()
    monkeypatch.setattr(execution, "execute", as_before)
    again = sweep.sweep(notebook, runs, reruns=tmp_path, report=lines.append)
    check(again)
    assert again.folder == result.folder
    assert "2 of 3 runs are already in" in lines[0]
    assert len(lines) == 2
    assert {path.name: path.stat().st_mtime_ns for path in result.folder.glob("*.ipynb")} == times


@pytest.mark.parametrize("damage", [lambda text: text[:20], lambda text: text.replace("cells", "calls")])
def test_a_run_that_was_cut_or_changed_since_is_run_again(notebook, tmp_path, monkeypatch, damage):
    monkeypatch.setattr(execution, "execute", as_before)
    runs, lines = [{"k": 4}, {"k": 6}], []
    path = sweep.sweep(notebook, runs, reruns=tmp_path).folder / "made-2.ipynb"
    good = path.read_text()
    path.write_text(damage(good))
    sweep.sweep(notebook, runs, reruns=tmp_path, report=lines.append)
    assert path.read_text() == good
    assert "1 of 2 runs are already in" in lines[0]


def test_a_failed_sweep_takes_nothing_from_the_last_good_one(notebook, tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "execute", as_before)
    good = sweep.sweep(notebook, [{"k": 4}], reruns=tmp_path)
    before = {path.name: path.read_bytes() for path in good.folder.iterdir() if path.is_file()}
    failed = sweep.sweep(notebook, [{"k": 5}], reruns=tmp_path)
    assert failed.folder.name == "2"
    assert failed.runs["notebook"].tolist() == [""]
    assert sorted(path.name for path in failed.folder.iterdir()) == [
        ".lock",
        "index.html",
        "runs.csv",
        "sweep.json",
    ]
    assert {path.name: path.read_bytes() for path in good.folder.iterdir() if path.is_file()} == before
    assert (tmp_path / "made" / "latest").resolve() == good.folder.resolve()


@pytest.mark.slow  # waits for the time limit
def test_a_dead_kernel_and_a_cell_over_its_time_take_no_other_run(notebook, tmp_path, monkeypatch):
    execute = execution.execute

    def interrupted_run(notebook, output, parameters, **how):
        """However slow the machine, the limit ends the cell that hangs and no other."""
        monkeypatch.setattr(execution, "CELL_TIMEOUT_S", 1 if parameters["how"] == "sleep" else 1800)
        return execute(notebook, output, parameters, **how)

    monkeypatch.setattr(execution, "execute", interrupted_run)
    runs = sweep.combinations(notebook, "how=die,sleep,well")
    result = sweep.sweep(notebook, runs, reruns=tmp_path, jobs=1)
    died, slept, well = result.runs["error"]
    assert "its kernel died, perhaps for lack of memory" in died
    assert "a cell took longer than 1 s" in slept
    assert well == ""
    assert result.results["param_how"].tolist() == ["well", "well"]
    assert pd.read_csv(result.folder / "runs.csv")["notebook"].fillna("").tolist() == ["", "", "made-3.ipynb"]


def request(**changes):
    return Request(**{"notebook": "made", "runs": [{"k": 4}], "depends_on": "a"} | changes)


def test_a_chosen_folder_is_read_and_written_by_whoever_holds_it(tmp_path):
    chosen, held = tmp_path / "chosen", []
    chosen.mkdir()

    def leave(sentence):
        raise InterruptedError(sentence)

    with FileLock(chosen / ".lock"), pytest.raises(InterruptedError, match="waiting for it to end"):
        own_folder(request(), tmp_path, chosen, wait=leave).__enter__()
    assert not (chosen / "sweep.json").exists()
    with own_folder(request(), tmp_path, chosen, wait=held.append):
        other = own_folder(request(runs=[{"k": 5}]), tmp_path, chosen, wait=held.append)
        with pytest.raises(ValueError, match="holds another sweep"):
            other.__enter__()
    assert held == []


def test_only_the_same_request_comes_back_to_a_folder(tmp_path):
    def folder_of(request):
        with own_folder(request, tmp_path, wait=print) as folder:
            return folder.name

    requests = [request(), request(runs=[{"k": 5}]), request(depends_on="b"), request()]
    assert [folder_of(one) for one in requests] == ["1", "2", "3", "1"]


def test_a_chosen_folder_is_taken_from_no_other_sweep(tmp_path):
    chosen = tmp_path / "mine"
    for _ in range(2):
        with own_folder(request(), tmp_path, chosen, wait=print) as folder:
            assert folder == chosen
    other = own_folder(request(runs=[{"k": 5}]), tmp_path, chosen, wait=print)
    with pytest.raises(ValueError, match="holds another sweep"), other:
        pass
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "made-1.ipynb").touch()
    with pytest.raises(ValueError, match=r"holds made-1\.ipynb, which a sweep would replace"):
        own_folder(request(), tmp_path, tmp_path / "old", wait=print).__enter__()


def test_two_of_the_same_at_once_do_the_work_once(tmp_path):
    waited, entered = [], []
    with own_folder(request(), tmp_path, wait=waited.append):
        second = threading.Thread(
            target=lambda: entered.append(own_folder(request(), tmp_path, wait=waited.append).__enter__())
        )
        second.start()
        while not waited:
            second.join(0.01)
        assert entered == []
    second.join(10)
    assert [folder.name for folder in entered] == ["1"]
    assert "already running; waiting" in waited[0]


def test_a_request_knows_the_files_that_its_parameters_name(notebook, tmp_path):
    scores = tmp_path / "my scores.csv"
    scores.write_text("a")
    one = Request.of(notebook, [{"name": str(scores)}])
    assert one == Request.of(notebook, [{"name": str(scores)}])
    scores.write_text("b")
    assert one != Request.of(notebook, [{"name": str(scores)}])


def test_half_a_note_is_no_other_sweep(tmp_path):
    """A folder whose note was cut is passed over, not read as whatever it says."""
    with own_folder(request(), tmp_path, wait=print) as folder:
        pass
    (folder / "sweep.json").write_text(json.dumps({"notebook": "made"})[:9])
    with own_folder(request(), tmp_path, wait=print) as folder:
        assert folder.name == "2"


@pytest.mark.sweep
def test_the_same_on_a_dask_cluster(notebook, tmp_path, cluster):
    runs = sweep.combinations(notebook, "k=4,5,7 name=y")
    check(sweep.sweep(notebook, runs, reruns=tmp_path))
