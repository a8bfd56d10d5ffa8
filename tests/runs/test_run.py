import nbformat
import pytest

from helpers.errors import UnknownNameError
from helpers.runs import run

PARAMETERS = (
    'k: int = 10  # how many\nname: str = "x"\nshare: float = 0.5\nflag: bool = False\ngroups: list = ["a"]'
)


@pytest.fixture
def notebook(tmp_path):
    def make(*sources):
        cells = [nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})]
        cells += [nbformat.v4.new_code_cell(source) for source in sources]
        path = tmp_path / "made.ipynb"
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
        return path

    return make


@pytest.mark.parametrize(
    ("parameters", "error", "text"),
    [
        ({"kk": 4}, UnknownNameError, "unknown parameter of made.ipynb 'kk'; known: flag, groups, k, name, share. Did you mean 'k'?"),
        ({"k": "five"}, TypeError, "parameter 'k' of made.ipynb must be int, got str 'five'"),
        ({"k": True}, TypeError, "must be int, got bool True"),
        ({"k": 4.0}, TypeError, "must be int, got float 4.0"),
        ({"flag": 1}, TypeError, "must be bool, got int 1"),
        ({"groups": ("a",)}, TypeError, "must be list, got tuple ('a',)"),
        ({"name": 3}, TypeError, "must be str, got int 3"),
    ],
)  # fmt: skip
def test_wrong_parameters_stop_before_anything_runs(notebook, tmp_path, parameters, error, text):
    output = tmp_path / "out.ipynb"
    with pytest.raises(error) as caught:
        run.execute(notebook("1 / 0"), output, parameters)
    assert text in str(caught.value)
    assert not output.exists()


def test_a_failing_cell_is_named_and_the_earlier_output_stays(notebook, tmp_path):
    output = tmp_path / "out.ipynb"
    output.write_text("an earlier good run")
    with pytest.raises(
        run.NotebookError, match=r"made.ipynb with \{'k': 0\} failed in cell \d+: ZeroDivisionError"
    ):
        run.execute(notebook("print(1 / k)"), output, {"k": 0})
    assert output.read_text() == "an earlier good run"
    assert {path.name for path in tmp_path.iterdir()} == {"made.ipynb", "out.ipynb"}


def test_the_same_run_gives_the_same_bytes(notebook, tmp_path):
    path = notebook("k + 1")
    for name in ("a", "b"):
        run.execute(path, tmp_path / name, {"k": 4})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    run.check_executed(tmp_path / "a", {"k": 4})
    with pytest.raises(run.NotebookError, match="without the parameter 'name'"):
        run.check_executed(tmp_path / "a", {"name": "y"})


def test_an_unexecuted_or_failed_notebook_is_not_passed(notebook, tmp_path):
    path = notebook("k")
    with pytest.raises(run.NotebookError, match=r"was not run: 'k: int = 10"):
        run.check_executed(path)
    content = nbformat.read(path, 4)
    for cell in content.cells:
        cell.execution_count = 1
    content.cells[-1].outputs = [nbformat.v4.new_output("error", ename="NameError", evalue="k", traceback=[])]
    nbformat.write(content, path)
    with pytest.raises(run.NotebookError, match="holds an error: NameError: k"):
        run.check_executed(path)


def test_values_from_a_shell_are_read_by_their_declared_type(notebook):
    path = notebook()
    assert run.parse_value(path, "k", "4") == 4
    assert run.parse_value(path, "name", "4") == "4"
    assert run.parse_value(path, "groups", "['abs', 'ext']") == ["abs", "ext"]
    with pytest.raises(TypeError, match=r"parameter 'k' of made\.ipynb must be int, got the text 'five'"):
        run.parse_value(path, "k", "five")
    with pytest.raises(UnknownNameError, match=r"unknown parameter of made\.ipynb 'q'"):
        run.parse_value(path, "q", "1")


def test_shell_mistakes_end_in_one_line_and_write_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run.main(["topp"]) == 1
    assert capsys.readouterr().err.startswith("error: unknown notebook 'topp'; known: ")
    assert run.main(["topk", "-p", "kay", "3"]) == 1
    assert "unknown parameter of topk.ipynb 'kay'" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
