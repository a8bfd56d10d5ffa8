"""Why a mutant of `make mutants` may live: which changes a reason of `mutants.yml` is about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import yaml

from metaeval.core.paths import ROOT

REASONS = Path(__file__).with_name("mutants.yml")


def reasons() -> list[dict]:
    """All that are given."""
    return yaml.safe_load(REASONS.read_text(encoding="utf8"))["alive"]


def path_of(mutant: Mapping) -> str:
    """The file of a mutant's module, or of a reason's."""
    path = mutant["module"].replace(".", "/")
    return f"{path}.py" if (ROOT / f"{path}.py").exists() else f"{path}/__init__.py"


@cache
def _blocks(path: str) -> list[tuple[int, int, str]]:
    """First and last line of each function and class, marks included, and its name."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [(min([n.lineno, *(m.lineno for m in n.decorator_list)]), n.end_lineno, n.name) for n in nodes]


def place_of(path: str, line: int) -> str:
    """The innermost function or class that a line belongs to; "" where none."""
    around = [block for block in _blocks(path) if block[0] <= line <= block[1]]
    return max(around)[2] if around else ""


def standing(reason: Mapping) -> set[str]:
    """The functions and classes in which the line stands for which a reason is given."""
    path = path_of(reason)
    if not (ROOT / path).exists():
        return set()
    lines = (ROOT / path).read_text(encoding="utf8").splitlines()
    return {place_of(path, i) for i, line in enumerate(lines, 1) if line.strip() == reason["before"]}


def mistakes(given: Iterable[Mapping]) -> list[str]:
    """Reasons for code that is gone, and those of a line in several places that do not say in which."""
    found = []
    for one in given:
        there, said = standing(one), set(one.get("places", ()))
        about = f"{one['module']}: {one['before']}"
        if not there or said - there:
            found.append(f"gone, remove the reason: {about} {sorted(said - there) or ''}".rstrip())
        elif len(there) > 1 and not said:
            found.append(f"in several places, name those that the reason is for: {about} {sorted(there)}")
    return found


def has_reason(mutant: Mapping, given: Iterable[Mapping]) -> bool:
    """Whether one of the reasons is for this change in this place."""
    place = place_of(path_of(mutant), mutant["line"])
    return any(
        all(one[name] == mutant[name] for name in ("module", "before", "after"))
        and place in one.get("places", [place])
        for one in given
    )
