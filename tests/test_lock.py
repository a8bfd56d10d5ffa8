"""The lock holds all that the project asks for, each file by its hash."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from helpers.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
ASKED = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf8")
TORCH = (ROOT / "requirements-torch.txt").read_text(encoding="utf8")


def locked(text):
    """{name: version} of the lines of a lock."""
    lines = re.findall(r"^([\w.-]+)==([\w.+!]+)", text, flags=re.M)
    return {canonicalize_name(name): version for name, version in lines}


def test_all_that_is_needed_is_locked_in_a_version_that_suits():
    """Everything that the project and what is installed for it ask for, on this platform."""
    versions = locked(LOCK) | locked(TORCH)
    waiting, seen = [Requirement(line) for line in ASKED], set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        assert name in versions, f"requirements.txt lacks {name}; run make lock"
        assert wanted.specifier.contains(versions[name], prereleases=True), (
            f"{wanted}, locked {versions[name]}"
        )
        if (name, *wanted.extras) in seen:
            continue
        seen.add((name, *wanted.extras))
        for line in needs(name):
            further = Requirement(line)
            if any(applies(further, extra) for extra in ("", *wanted.extras)):
                waiting.append(further)


def needs(name):
    try:
        return distribution(name).requires or []
    except PackageNotFoundError:
        raise AssertionError(f"{name} is locked and not installed; run make") from None


def applies(requirement, extra):
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def test_every_file_is_known_by_its_hash():
    """All but torch, whose builds differ by platform: one may lie on a machine's disk."""
    entries = re.split(r"\n(?=\S)", LOCK)[1:]
    without = [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry]
    assert len(entries) > 100
    assert not without
    assert list(locked(TORCH)) == ["torch"]
    assert "torch" not in locked(LOCK)
