"""One seed, the same bytes: whoever runs it, with as many threads, in whichever order of hashes; and the same rows in
whichever order things are asked for."""

import os
import subprocess
import sys

import nbformat
import pytest

from bookbuild.runs.execution import execute
from bookbuild.runs.quick import quick_settings
from bookbuild.runs.run import recorded_results
from helpers.kit.parameters import default_parameters
from metaeval.core.paths import NOTEBOOKS, ROOT

pytestmark = pytest.mark.slow
# bootstraps and permutations in compiled kernels, draws of documents, simulated benchmarks
SAMPLED = ["intervals", "tests", "pairs", "truth"]
OTHERWISE = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "7"}


@pytest.mark.parametrize("name", SAMPLED)
def test_two_runs_with_one_seed_have_the_same_bytes(name, tmp_path, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    settings = quick_settings()[name]
    runs = [tmp_path / f"{run}.ipynb" for run in ("first", "second", "other")]
    for run in runs[:2]:
        execute(NOTEBOOKS / f"{name}.ipynb", run, settings)
    assert runs[0].read_bytes() == runs[1].read_bytes()
    # one thread instead of all, and another order of what is hashed
    for variable, value in OTHERWISE.items():
        monkeypatch.setenv(variable, value)
    execute(NOTEBOOKS / f"{name}.ipynb", runs[2], settings)
    assert runs[0].read_bytes() == runs[2].read_bytes()
    # what was compared holds results, and they rest on the seed
    execute(NOTEBOOKS / f"{name}.ipynb", runs[2], {**settings, "seed": settings["seed"] + 1})
    first, other = (recorded_results(nbformat.read(run, as_version=4)) for run in (runs[0], runs[2]))
    assert len(first) == len(other) > 0
    assert not first.equals(other)


# threads, bytes of metrics at once, seed of hashes, and whether the notebooks come in the other order
HOW = [("1", "1", "0", False), ("2", "200000000", "1", True), ("4", "1000", "2", False)]
SEEDED = {path.stem for path in NOTEBOOKS.glob("*.ipynb") if "seed" in default_parameters(path)}
# together in one process, so that no test takes much longer than another; those that nobody put anywhere are the last
DRAWN = [
    ["tiers", "topk"],
    [
        "intervals",
        "tests",
        "pairs",
        "truth",
        "agreement",
        "judges",
        "margins",
        "sampling",
        "bias",
        "measures",
    ],
    ["one_system", "labels_needed", "power", "votes"],
    ["systems", "annotators", "old_metrics", "variance", "test_set", "protocols", "judge_ties", "likeness"],
    ["leaderboard"],
    ["annotations", "coverage", "index_size", "your_metric", "observations"],
    ["rescored", "sera", "lite2", "lite2x", "disagreements"],
]
DRAWN += [[name] for name in sorted(SEEDED.difference(*DRAWN))]


def tables(names, threads, group_bytes, hashes, backwards, asked="forwards"):
    """Every table that a run of notebooks makes, sorted: notebook, function, SHA-256 of its bytes and of its rows."""
    words = [threads, group_bytes, asked, *(names[::-1] if backwards else names)]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.tables", *words],
        cwd=ROOT, env={**os.environ, "DATA": "simulated", "PYTHONHASHSEED": hashes, "OMP_NUM_THREADS": threads},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return sorted(ran.stdout.splitlines())


def test_every_notebook_with_a_seed_is_run_once():
    assert sorted(SEEDED) == sorted(name for names in DRAWN for name in names)


@pytest.mark.parametrize("names", DRAWN, ids="-".join)
def test_every_table_is_the_same_with_any_threads_blocks_hashes_and_order_of_asking(names):
    first, *others = [tables(names, *how) for how in HOW]
    assert {line.split()[0] for line in first} == {*names}
    for found in others:
        assert sorted({*first} ^ {*found}) == []
    asked_backwards = tables(names, *HOW[0], asked="backwards")
    of_rows = [{(*line.split()[:2], line.split()[3]) for line in lines} for lines in (first, asked_backwards)]
    assert sorted(of_rows[0] ^ of_rows[1]) == []
