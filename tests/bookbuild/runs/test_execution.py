"""Notebooks are executed as asked or not at all, one beside the other."""

import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from bookbuild.runs import execution
from bookbuild.runs.execution import Call
from bookbuild.runs.kernels import CAN_FORK
from metaeval.core.errors import UnknownNameError
from metaeval.core.paths import ROOT

pytestmark = pytest.mark.processes


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"kk": 4}, UnknownNameError, "unknown parameter of made.ipynb 'kk'; known: flag, folders, gains, groups, k, name, share, sizes. Did you mean 'k'?"),
        ({"k": "five"}, TypeError, "parameter 'k' of made.ipynb must be int, got str 'five'"),
        ({"k": True}, TypeError, "must be int, got bool True"),
        ({"k": 4.0}, TypeError, "must be int, got float 4.0"),
        ({"flag": 1}, TypeError, "must be bool, got int 1"),
        ({"k": (4, 6)}, TypeError, "must be int, got 2 values; one run takes one, and `python -m bookbuild sweep` a run for each"),
        ({"groups": ("a",)}, TypeError, "must be list, got tuple ('a',)"),
        ({"name": 3}, TypeError, "must be str, got int 3"),
    ],
)  # fmt: skip
def test_wrong_parameters_stop_before_anything_runs(notebook, tmp_path, parameters, error, text):
    output = tmp_path / "out.ipynb"
    with pytest.raises(error) as caught:
        execution.execute(notebook("1 / 0"), output, parameters)
    assert text in str(caught.value)
    assert not output.exists()


def test_a_failing_cell_is_named_and_the_earlier_output_stays(notebook, tmp_path):
    output = tmp_path / "out.ipynb"
    output.write_text("an earlier good run")
    with pytest.raises(
        execution.NotebookError, match=r"made.ipynb with \{'k': 0\} failed in cell \d+: ZeroDivisionError"
    ):
        execution.execute(notebook("print(1 / k)"), output, {"k": 0})
    assert output.read_text() == "an earlier good run"
    assert {path.name for path in tmp_path.iterdir()} == {"made.ipynb", "out.ipynb"}


@pytest.mark.parametrize(
    ("error", "why"),
    [(OSError(28, "No space left on device"), "No space left on device"), (OSError("gone"), "gone"), (TimeoutError(), "TimeoutError")],
)  # fmt: skip
def test_a_run_that_cannot_be_written_fails_with_the_reason(notebook, tmp_path, monkeypatch, error, why):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(execution.papermill, "execute_notebook", fails)
    with pytest.raises(execution.NotebookError, match=rf"with its defaults failed: {why}; .* is as it was"):
        execution.execute(notebook("k"), tmp_path / "out.ipynb")


def test_the_same_run_gives_the_same_bytes(notebook, tmp_path):
    path = notebook("k + 1")
    for name in ("a", "b"):
        execution.execute(path, tmp_path / name, {"k": 4})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    executed = nbformat.read(tmp_path / "a", 4)
    execution.check_executed(executed, "a", {"k": 4})
    with pytest.raises(execution.NotebookError, match="without the parameter 'name'"):
        execution.check_executed(executed, "a", {"name": "y"})


def test_an_unexecuted_or_failed_notebook_is_not_passed(notebook, tmp_path):
    content = nbformat.read(notebook("k"), 4)
    with pytest.raises(execution.NotebookError, match=r"was not run: 'k: int = 10"):
        execution.check_executed(content, "made.ipynb", {})
    for cell in content.cells:
        cell.execution_count = 1
    content.cells[-1].outputs = [nbformat.v4.new_output("error", ename="NameError", evalue="k", traceback=[])]
    with pytest.raises(execution.NotebookError, match="holds an error: NameError: k"):
        execution.check_executed(content, "made.ipynb", {})


def test_the_notebook_itself_is_never_replaced(notebook):
    path = notebook("k")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="would replace the notebook itself"):
        execution.execute(path, path)
    assert path.read_bytes() == before


def test_a_folder_is_no_executed_copy(notebook, tmp_path):
    with pytest.raises(ValueError, match="is a folder; name a file for the executed copy"):
        execution.execute(notebook("k"), tmp_path)


def test_a_dead_kernel_takes_no_other_run_with_it(notebook, tmp_path):
    path = notebook("import os\nif flag: os.kill(os.getpid(), 9)")
    calls = [Call(path, tmp_path / f"{flag}.ipynb", {"flag": flag}) for flag in (False, True)]
    reports = []
    alive, dead = execution.execute_all(calls, jobs=1, report=lambda done, ran: reports.append(done))
    assert (alive.error, reports) == ("", [1, 2])
    assert alive.seconds > 0
    assert dead.error == "made.ipynb with {'flag': True} failed: its kernel died, perhaps for lack of memory"
    assert [path.name for path in sorted(tmp_path.glob("*.ipynb"))] == ["False.ipynb", "made.ipynb"]


LOOK = """
import os, sys
print(k, name, os.environ["SEEN_BY_KERNELS"], os.path.basename(os.getcwd()), "helpers.kit" in sys.modules)
"""


@pytest.mark.skipif(not CAN_FORK, reason="forks nothing on this system")
def test_a_forked_kernel_runs_a_notebook_as_a_fresh_one_does(notebook, tmp_path, monkeypatch):
    path, printed = notebook(LOOK), {}
    for forked in (False, True):
        monkeypatch.setenv("SEEN_BY_KERNELS", f"forked {forked}")
        execution.execute(path, tmp_path / "out.ipynb", {"k": 4}, forked=forked)
        [output] = nbformat.read(tmp_path / "out.ipynb", 4).cells[-1].outputs
        *printed[forked], preloaded = output["text"].replace(f"forked {forked}", "here").split()
        assert preloaded == str(forked)
    assert printed[True] == printed[False]
    assert "here" in printed[True]


@pytest.mark.skipif(not CAN_FORK, reason="forks nothing on this system")
def test_a_forked_kernel_cleans_up_as_it_ends(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = notebook(f"import atexit, pathlib, tempfile\natexit.register(pathlib.Path({str(tmp_path / 'saved')!r}).touch)\nkept = tempfile.TemporaryDirectory()")  # fmt: skip
    execution.execute(path, tmp_path / "out.ipynb", forked=True)
    assert (tmp_path / "saved").exists()
    assert not [*(tmp_path / "temporary").glob("tmp*")]


KILLED = """
import sys
from pathlib import Path
from bookbuild.runs.execution import Call, execute_all
notebook, output = map(Path, sys.argv[1:])
execute_all([Call(notebook, output), Call(notebook, output)], jobs=1)
"""
SEVERAL = """
import sys
from pathlib import Path
from bookbuild.runs.execution import Call, execute_all
paths = [*map(Path, sys.argv[1:])]
half = len(paths) // 2
execute_all([Call(*call) for call in zip(paths[:half], paths[half:])], jobs=2)
"""
UNGUARDED = KILLED + "print('ran', flush=True)"


def test_a_script_without_a_guard_runs_once(notebook, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    arguments = [notebook("1"), tmp_path / "out.ipynb"]
    process = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
    assert process.stdout.count("ran") == 1


@pytest.mark.skipif(not CAN_FORK, reason="forks nothing on this system")
@pytest.mark.parametrize("n", [execution.MANY - 1, execution.MANY])
def test_many_notebooks_find_their_data_read(notebook, tmp_path, monkeypatch, n):
    monkeypatch.setenv("DATA", "simulated")
    path = notebook("from metaeval.simulation import worlds\nprint(worlds.load.cache_info().currsize)")
    paths = [tmp_path / f"{i}.ipynb" for i in range(n)]
    for one in paths:
        one.write_bytes(path.read_bytes())
    arguments = [*paths, *(tmp_path / "out" / one.name for one in paths)]
    subprocess.run([sys.executable, "-c", SEVERAL, *arguments], check=True)
    for one in arguments[n:]:
        [output] = nbformat.read(one, 4).cells[-1].outputs
        assert (int(output["text"]) > 0) == (n == execution.MANY)


@pytest.mark.skipif(not CAN_FORK, reason="forks nothing on this system")
def test_a_forked_kernel_ends_with_the_process_that_asked_for_it(notebook, tmp_path):
    pid_file = tmp_path / "pid"
    lines = [
        "import os, time",
        "from pathlib import Path",
        f"part = Path({str(pid_file)!r}).with_suffix('.part')",
    ]
    lines += ["part.write_text(str(os.getpid()))", f"part.rename({str(pid_file)!r})", "time.sleep(600)"]
    arguments = [notebook("\n".join(lines)), tmp_path / "out.ipynb"]
    asks = subprocess.Popen([sys.executable, "-c", KILLED, *arguments])
    try:
        while not pid_file.exists():
            assert asks.poll() is None
            time.sleep(0.1)
    finally:
        asks.kill()
        asks.wait()
    while Path(f"/proc/{pid_file.read_text()}").exists():  # the limit of all tests ends what hangs
        time.sleep(0.1)


def test_what_others_wait_for_begins_first_and_results_keep_the_order_asked_for(tmp_path, monkeypatch):
    calls = [Call(tmp_path / f"{name}.ipynb", tmp_path / "out.ipynb") for name in ("absent", "lite2", "topk")]
    begun = []

    def execute(notebook, *_, **__):
        begun.append(notebook.stem)
        raise execution.NotebookError("absent")

    monkeypatch.setattr(execution, "execute", execute)
    outcomes = execution.execute_all(calls, jobs=1)
    assert begun == ["lite2", "absent", "topk"]
    assert [ran.call for ran in outcomes] == calls
    assert all(ran.error for ran in outcomes)


@pytest.mark.slow
def test_a_run_begins_without_the_rules_of_all_pages_and_without_grammars_of_addresses():
    look = "import sys, bookbuild.__main__, bookbuild.runs.run; print([m for m in ('rfc3987_syntax', 'helpers.kit.checks', 'helpers.experiments') if sys.modules.get(m)])"
    process = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert process.stdout == "[]\n"
