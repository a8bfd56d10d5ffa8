"""The loops that an installation compiles are those that the engine has."""

import argparse
import ast
import inspect
import os
import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import metaeval
from bookbuild.tools import warm
from metaeval.stats import kernels, pairs
from metaeval.stats.intervals import interval

pytestmark = pytest.mark.processes


def test_each_part_is_reported_as_it_ends(monkeypatch, capsys):
    monkeypatch.setattr(warm, "compile_part", lambda part: 1.25 if part == "pairs" else 0.04)
    assert warm.main(argparse.Namespace(jobs=1)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[1/6] loops, system: 0.0 s"
    assert lines[3] == "[4/6] loops, pairs: 1.2 s"


@pytest.mark.parametrize("missing", ["nltk", "rouge_score", "joblib", "snowballstemmer"])
def test_who_lacks_what_reads_texts_compiles_the_rest(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from bookbuild.tools import warm; warm.compile_part(warm.TEXTS)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_import_that_fails_for_another_reason_is_not_passed_over(monkeypatch):
    monkeypatch.delattr("metaeval.metrics.divergence.divergence_scores")
    with pytest.raises(ImportError, match="divergence_scores"):
        warm.compile_part(warm.TEXTS)


def loops(rooms):
    """Every compiled function of some modules."""
    return {loop for room in rooms for loop in vars(room).values() if isinstance(loop, CPUDispatcher)}


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_arrays_of_any_layout_use_the_same_machine_code(coefficient):
    scores, human = np.random.default_rng(1).normal(size=(2, 5, 7))
    statistics = []
    for form in (np.ascontiguousarray, np.asfortranarray, lambda plane: np.repeat(plane, 2, axis=1)[:, ::2]):
        planes = form(scores), form(human)
        drawn = interval(*planes, level="summary", coefficient=coefficient, n_resamples=9, rng=1)
        statistics.append((drawn.low, drawn.high, pairs.pair_counts(*planes).accuracy().tobytes()))
        if form is np.ascontiguousarray:
            before = {loop: loop.signatures for loop in loops([kernels, pairs])}
    assert {loop: loop.signatures for loop in loops([kernels, pairs])} == before
    assert statistics == statistics[:1] * 3


@pytest.mark.slow
def test_no_loop_is_left_to_the_first_who_needs_it(tmp_path):
    own = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "bookbuild", "warm"], env=own, check=True)
    compiled = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    rooms = [import_module(module.name) for module in walk_packages(metaeval.__path__, "metaeval.")]
    expected = {f"{loop.__module__.rpartition('.')[2]}.{loop.__name__}" for loop in loops(rooms)}
    assert compiled == expected > {"index._search", "kernels.tally", "rouge._longest"}


def test_no_loop_takes_a_loop_or_a_number_from_another_module():
    # numba compiles a loop anew when its own module changes, and keeps what it took from another one
    rooms = [import_module(module.name) for module in walk_packages(metaeval.__path__, "metaeval.")]
    foreign = set()
    for loop in loops(rooms):
        room = vars(sys.modules[loop.__module__])
        imported = {
            alias.asname or alias.name
            for node in ast.walk(ast.parse(inspect.getsource(sys.modules[loop.__module__])))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        names = imported & set(loop.py_func.__code__.co_names)
        foreign |= {
            f"{loop}: {name}" for name in names if isinstance(room[name], CPUDispatcher | int | float | tuple)
        }
    assert not foreign
