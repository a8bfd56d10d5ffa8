"""The lock holds all that the library and the book ask for, each file by its hash."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from metaeval.core.paths import ROOT

PROJECTS = [
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf8"))["project"]
    for folder in (".", "bookbuild")
]
ASKED = [
    line
    for project in PROJECTS
    for line in [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
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


def test_library_and_book_are_told_apart():
    """What is locked serves both, and each is installed under its own name; the book's is never published."""
    library, book = PROJECTS
    assert (library["name"], book["name"]) == ("metaeval", "metaeval-book")
    assert "Private :: Do Not Upload" in book["classifiers"]
    asked = {canonicalize_name(Requirement(line).name) for line in ASKED}
    assert {"numpy", "plotly", "papermill", "pytest", "krippendorff"} <= asked  # of every list
    made = (ROOT / "Makefile").read_text(encoding="utf8")
    assert "pyproject.toml bookbuild/pyproject.toml\n" in made[made.index("\nlock:") :]


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


def test_torch_brings_only_what_the_lock_cannot_hold():
    """What its build for a platform needs beside: the locked versions are there before, and satisfy it."""
    made = (ROOT / "Makefile").read_text(encoding="utf8")
    assert re.findall(r"^\t\$\(install\) (.*)$", made, flags=re.M) == [
        "--no-deps --require-hashes -r requirements.txt",
        "-r requirements-torch.txt",
        "--no-deps --editable . --editable ./bookbuild",
    ]


def steps():
    return [
        step for workflow in WORKFLOWS.values() for job in workflow["jobs"].values() for step in job["steps"]
    ]


def test_workflows_run_what_they_name_and_may_do_no_more_than_they_must():
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used
    assert not [name for name in used if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", name)]
    kept = [step for step in steps() if "/checkout@" in step.get("uses", "")]
    assert all(step["with"]["persist-credentials"] is False for step in kept)
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {"contents": "read"}
        assert all(job["timeout-minutes"] for job in workflow["jobs"].values())
    further = {
        name for one in WORKFLOWS.values() for name, job in one["jobs"].items() if "permissions" in job
    }
    assert further == {"publish"}


def test_holes_in_all_that_is_locked_are_looked_for_every_week():
    weekly = WORKFLOWS["weekly"]
    assert "schedule" in weekly[True]  # YAML's "on"
    audits = [
        step["run"] for step in weekly["jobs"]["holes"]["steps"] if "pip-audit -" in step.get("run", "")
    ]
    assert [line.split("--requirement ")[1].split()[0] for line in audits] == [
        "requirements.txt",
        "requirements-torch.txt",
    ]
    assert weekly["jobs"]["pythons"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
