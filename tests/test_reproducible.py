"""One seed, the same bytes: whoever runs it, with as many threads, in whichever order of hashes."""

import nbformat
import pytest

from helpers.paths import NOTEBOOKS
from helpers.runs.executed import recorded_results
from helpers.runs.execution import execute
from helpers.runs.quick import quick_settings

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
