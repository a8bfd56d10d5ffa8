"""With nobody in front of a notebook its live cell does nothing."""

from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from bookbuild.runs.execution import execute
from helpers.experiments import topk
from helpers.kit.live import experiment


@pytest.mark.processes
def test_a_batch_run_of_the_cell_has_no_output_and_computes_nothing(tmp_path):
    # no parameters: the block itself would refuse
    live = "from helpers.experiments import topk\n\ntopk.LIVE.show()"
    look = "import sys\n\nassert not {'ipywidgets', 'helpers.kit.live.block'} & set(sys.modules)"
    cells = [new_code_cell(live), new_code_cell(look)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "page.ipynb")
    execute(tmp_path / "page.ipynb", tmp_path / "out.ipynb")
    assert [cell.outputs for cell in nbformat.read(tmp_path / "out.ipynb", 4).cells] == [[], []]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ({"content": {"allow_stdin": True}}, True),
        ({"content": {"allow_stdin": False}}, False),
        ({"content": {}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_somebody_is_there_if_the_request_says_so(monkeypatch, request_, wanted):
    kernel = SimpleNamespace(get_parent=lambda channel: {"shell": request_}[channel])
    monkeypatch.setattr(experiment, "get_ipython", lambda: SimpleNamespace(kernel=kernel))
    assert experiment.is_interactive() is wanted


def test_without_a_kernel_nobody_is_there():
    assert not experiment.is_interactive()
    assert topk.LIVE.show(no_such="parameter") is None
