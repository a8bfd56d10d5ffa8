"""An installation says how far it is, hides no error, and has no other beside it."""

import os
import shutil
import subprocess
import sys

import pytest

from bookbuild.tools.installing import report_progress
from metaeval.core.paths import ROOT

IGNORED = "WARNING: Location 'file:///index/b/' is ignored: it is neither a file nor a directory.\n"


def test_a_line_for_each_tenth_of_the_packages():
    lines = [f"Collecting p{i}==1 (from -r r.txt)\n" for i in range(20)]
    printed, chosen = [], []
    report_progress([*lines, "Installing collected packages: p1, p0\n"], 20, printed.append, chosen.append)
    progress = [line.partition(",")[0] for line in printed]
    assert progress == [f"  found [{n}/20] p{n - 1}==1" for n in range(2, 21, 2)]
    assert all(" s left" in line for line in printed[:-1])
    assert printed[-1] == "  found [20/20] p19==1"
    assert chosen == [["p1", "p0"]]


def test_each_package_where_nobody_knows_how_many_and_large_downloads():
    printed = []
    lines = [
        "Processing /wheels/torch-2.1+cpu-cp311-linux.whl (from -r r.txt (line 1))\n",
        "  Downloading torch-2.1+cpu-cp311-linux.whl (188.1 MB)\n",
        IGNORED,
        "Requirement already satisfied: fsspec==3 in /there (3)\n",
        "  Downloading fsspec-3-py3-none-any.whl (1.1 MB)\n",
        "WARNING: fsspec 3 is yanked\n",
    ]
    rest = report_progress(lines, None, printed.append, printed.append)
    assert printed == [
        "  found [1] torch==2.1+cpu",
        "  downloading torch==2.1+cpu, 188.1 MB",
        "  found [2] fsspec==3",
    ]
    assert "WARNING: fsspec 3 is yanked" in rest
    assert not any("is ignored" in line for line in rest)


@pytest.mark.processes
def test_an_installation_that_fails_prints_the_reason_and_fails():
    script = [sys.executable, "-P", str(ROOT / "bookbuild" / "tools" / "installing.py")]
    process = subprocess.run([*script, "--no-deps", "-r", "nowhere.txt"], capture_output=True, text=True)
    assert process.returncode == 1
    assert "ERROR: Could not open requirements file" in process.stderr
    assert "nowhere.txt" in process.stderr


# in place of Python: a new environment has a copy of it and nothing else, once the file `go` is there
PYTHON = f"""#!/bin/sh
case "$*" in
  *install_lock.py*) exec {sys.executable} "$@" ;;
  "-m venv "*)
    echo begun >> log
    while [ ! -e go ]; do sleep 0.05; done
    if [ -e broken ]; then rm broken; exit 1; fi
    mkdir -p .venv/bin .venv/lib
    cp "$0" .venv/bin/python ;;
esac
"""


@pytest.fixture
def clone(tmp_path):
    """A clone of which `make` installs nothing."""
    for name in ("Makefile", "bookbuild/tools/install_lock.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("requirements.txt", "requirements-torch.txt", "pyproject.toml", "bookbuild/pyproject.toml"):
        (tmp_path / name).touch()
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def installing(clone):
    """`make`, in a process of its own, which is not below a `make` that runs the tests."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", ".venv/installed", "PYTHON=./python"]
    return subprocess.Popen(
        command, cwd=clone, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.processes
@pytest.mark.parametrize("broken", [False, True])
def test_of_two_installations_at_once_the_second_waits_and_installs_only_what_is_not_there(clone, broken):
    if broken:
        (clone / "broken").touch()
    try:
        first = installing(clone)
        assert "step 1 of 5" in first.stdout.readline()
        second = installing(clone)
        assert second.stdout.readline().startswith("Another installation of this checkout is running; wait")
    finally:
        (clone / "go").touch()
    (output, _), (second_output, _) = first.communicate(timeout=60), second.communicate(timeout=60)
    assert [first.returncode, second.returncode] == ([2, 0] if broken else [0, 0])
    assert ("installed in .venv" in output, "installed in .venv" in second_output) == (not broken, broken)
    assert (clone / "log").read_text() == "begun\n" * (2 if broken else 1)
    assert (clone / ".venv" / "installed").exists()
