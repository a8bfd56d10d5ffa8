"""Lines printed before the first run: the number of runs, the data and the parameters."""

import nbformat
import pytest

from bookbuild.__main__ import main
from bookbuild.runs import run, sweep

DEFAULTS = "Running once on simulated data, with the defaults, since no parameters are given; give them as "


@pytest.fixture(autouse=True)
def _nothing_is_run(monkeypatch):
    def decided():
        monkeypatch.setenv("DATA", "simulated")
        return "simulated", "cannot get a file"

    def executed(notebook, output, parameters, plain):
        nbformat.write(nbformat.v4.new_notebook(), output)

    monkeypatch.setattr(run, "execute", executed)
    monkeypatch.setattr("metaeval.datasets.decide", decided)
    monkeypatch.delenv("DATA", raising=False)


@pytest.mark.parametrize(
    ("words", "first_line"),
    [
        (["-p", "k", "6"], "Running once on simulated data."),
        ([], DEFAULTS),
    ],
)
def test_a_run_prints_that_it_is_on_simulated_data(words, first_line, tmp_path, capsys):
    assert main(["run", "topk", *words, "-o", str(tmp_path / "a.ipynb")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cannot get a file"
    assert lines[1].startswith(first_line)


@pytest.mark.parametrize(
    ("words", "first_line"),
    [
        (["k=4,6"], "Running 2 times on simulated data."),
        (["k=4"], "Running once on simulated data."),
        ([], DEFAULTS),
    ],
)
def test_a_sweep_prints_it_too_and_that_no_parameters_were_given(words, first_line, monkeypatch, capsys):
    def stopped(*given, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "sweep", stopped)
    main(["sweep", "topk", *words])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cannot get a file"
    assert lines[1].startswith(first_line)
