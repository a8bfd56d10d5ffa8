"""The four kinds of experiment swept with lists, a bad value and a killed kernel, on simulated data."""

import os
import signal

import pandas as pd
import pytest
from papermill.clientwrap import PapermillNotebookClient

from bookbuild.runs import sweep
from bookbuild.runs.quick import quick_settings
from helpers.kit.parameters import check_values, notebook_path

pytestmark = pytest.mark.sweep
# a sweep of lists, and a value that cannot be
KINDS = {
    "topk": ("k=4,6 metrics=[METEOR],[METEOR,MoverScore]", "k=4,2"),
    "margins": ("windows=[[0,0.3],[0.3,1]],[[0,1]] gains=0.5+1", "windows=[[0,0.3],[0.3,1]] gains=-1+1"),
    "coverage": ("n_trials=3,4 levels=[system,summary]", "n_trials=3 confidence_level=0.9,95"),
    "truth": ("n_systems=[8],[8,12] n_trials=2", "n_systems=[2]"),
    "index_size": ("sizes=[500,1000],[500,1500] n_subsets=2", "sizes=[0,1000]"),
}


@pytest.fixture(autouse=True)
def _simulated(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")


def runs_of(name, text):
    """The combinations, everything that is not swept as small as in `make quick`."""
    swept = sweep.combinations(notebook_path(name), text)
    return [quick_settings()[name] | parameters for parameters in swept]


@pytest.mark.parametrize("name", KINDS)
def test_a_bad_value_is_found_before_a_kernel_starts(name):
    good, bad = KINDS[name]
    check_values(notebook_path(name), runs_of(name, good))
    with pytest.raises(ValueError, match=rf"^{name}, "):
        check_values(notebook_path(name), runs_of(name, bad))


@pytest.mark.parametrize("name", KINDS)
def test_a_killed_kernel_costs_its_run_alone_and_the_same_again_heals_it(name, tmp_path, monkeypatch):
    runs = runs_of(name, KINDS[name][0])[:2]
    execute_cell, killed = PapermillNotebookClient.execute_cell, []

    def dies_once(client, cell, *arguments, **settings):
        if not killed and "from helpers" in cell.source:
            killed.append(client.km.provisioner.pid)
            os.kill(killed[0], signal.SIGKILL)  # as a machine short of memory does
        return execute_cell(client, cell, *arguments, **settings)

    monkeypatch.setattr(PapermillNotebookClient, "execute_cell", dies_once)
    first = sweep.sweep(notebook_path(name), runs, reruns=tmp_path, jobs=1)
    assert len(killed) == 1
    assert first.runs["error"].str.contains("its kernel died").tolist() == [True, False]
    succeeded = first.folder / f"{name}-2.ipynb"
    before = succeeded.read_bytes()

    second = sweep.sweep(notebook_path(name), runs, reruns=tmp_path, jobs=1)
    assert second.folder == first.folder
    assert second.runs["error"].tolist() == ["", ""]
    assert succeeded.read_bytes() == before
    assert len(second.results) > len(first.results) > 0
    pd.testing.assert_frame_equal(pd.read_parquet(second.folder / "results.parquet"), second.results)
    page = (second.folder / "index.html").read_text(encoding="utf8")
    assert f'href="{name}-1.ipynb"' in page
    assert f'href="{name}-2.ipynb"' in page
    assert list((second.folder / "tables").glob("fig-*.csv"))
