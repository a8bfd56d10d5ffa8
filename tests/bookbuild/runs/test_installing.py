"""An installation has no other beside it."""

import os
import shutil
import subprocess
import sys

import pytest

from metaeval.core.paths import ROOT

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
