"""The loops that an installation compiles are those that the engine has."""

import argparse
import os
import subprocess
import sys

import pytest
from numba.core.registry import CPUDispatcher

from helpers.runs import warm
from helpers.stats import kernels, measures, pairs


def test_each_part_is_told_as_it_ends(monkeypatch, capsys):
    monkeypatch.setattr(warm, "use", lambda part: 1.25 if part == "pairs" else 0.04)
    assert warm.main(argparse.Namespace(jobs=1)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[1/4] loops over resamples, system: 0.0 s"
    assert lines[-1] == "[4/4] loops over resamples, pairs: 1.2 s"


@pytest.mark.slow
def test_no_loop_is_left_to_the_first_who_needs_it(tmp_path):
    own = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "helpers", "warm"], env=own, check=True)
    kept = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    rooms = {"kernels": kernels, "measures": measures, "pairs": pairs}
    loops = [(room, one) for room in rooms for one in vars(rooms[room]).items()]
    assert kept == {f"{room}.{name}" for room, (name, loop) in loops if isinstance(loop, CPUDispatcher)}
