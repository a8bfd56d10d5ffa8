"""An installation says how far it is, and hides no error."""

import subprocess
import sys

import pytest

from helpers.paths import ROOT
from helpers.runs.installing import told

IGNORED = "WARNING: Location 'file:///index/b/' is ignored: it is neither a file nor a directory.\n"


def test_a_line_for_each_tenth_of_the_packages():
    lines = [f"Collecting p{i}==1 (from -r r.txt)\n" for i in range(20)]
    said, chosen = [], []
    told([*lines, "Installing collected packages: p1, p0\n"], 20, said.append, chosen.append)
    found = [line.partition(",")[0] for line in said]
    assert found == [f"  found [{n}/20] p{n - 1}==1" for n in range(2, 21, 2)]
    assert all(" s left" in line for line in said[:-1])
    assert said[-1] == "  found [20/20] p19==1"
    assert chosen == [["p1", "p0"]]


def test_each_package_where_nobody_knows_how_many_and_large_downloads():
    said = []
    lines = [
        "Processing /wheels/torch-2.1+cpu-cp311-linux.whl (from -r r.txt (line 1))\n",
        "  Downloading torch-2.1+cpu-cp311-linux.whl (188.1 MB)\n",
        IGNORED,
        "Requirement already satisfied: fsspec==3 in /there (3)\n",
        "  Downloading fsspec-3-py3-none-any.whl (1.1 MB)\n",
        "WARNING: fsspec 3 is yanked\n",
    ]
    rest = told(lines, None, said.append, said.append)
    assert said == [
        "  found [1] torch==2.1+cpu",
        "  downloading torch==2.1+cpu, 188.1 MB",
        "  found [2] fsspec==3",
    ]
    assert "WARNING: fsspec 3 is yanked" in rest
    assert not any("is ignored" in line for line in rest)


@pytest.mark.processes
def test_an_installation_that_fails_says_why_and_fails():
    script = [sys.executable, "-P", str(ROOT / "helpers" / "runs" / "installing.py")]
    done = subprocess.run([*script, "--no-deps", "-r", "nowhere.txt"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ERROR: Could not open requirements file" in done.stderr
    assert "nowhere.txt" in done.stderr
