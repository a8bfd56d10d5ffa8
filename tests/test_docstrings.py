"""Every example in a docstring runs and gives what it shows; every public function says what it does, and one that a
notebook calls also what it takes and gives.
"""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from functools import cache

import nbformat
import pytest

import metaeval
from metaeval.core.paths import NOTEBOOKS

MODULES = sorted(module.name for module in pkgutil.walk_packages(metaeval.__path__, "helpers."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    runner = doctest.DocTestRunner()
    for found in doctest.DocTestFinder().find(importlib.import_module(name)):
        if found.examples:  # most have none, and each that is run costs a debugger
            runner.run(found)
    assert runner.failures == 0


def test_modules_and_public_functions_are_documented():
    missing = []
    for name in MODULES:
        module = importlib.import_module(name)
        public = [
            item
            for item_name, item in vars(module).items()
            if not item_name.startswith("_")
            and (inspect.isfunction(item) or inspect.isclass(item))
            and item.__module__ == name
        ]
        missing += [name] * (not module.__doc__)
        missing += [f"{name}.{item.__qualname__}" for item in public if not inspect.getdoc(item)]
    assert missing == []


def used_by(path):
    """The functions of `helpers` that a notebook names."""
    cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    tree = ast.parse("\n".join(cells))
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "helpers":
            for alias in node.names:
                exec(f"from {node.module} import {alias.name} as {alias.asname or alias.name}", names)
    named = [names.get(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    named += [
        getattr(names.get(node.value.id), node.attr, None)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]
    return [item for item in named if inspect.isfunction(item) and item.__module__.startswith("helpers.")]


@cache
def functions():
    """What all notebooks use, by its dotted name."""
    return {f"{f.__module__}.{f.__name__}": f for path in NOTEBOOKS.glob("*.ipynb") for f in used_by(path)}


SAID_ALREADY = {"None", "go.Figure"}  # what such an annotation says of a result is all there is to say


def test_notebooks_name_functions_of_many_rooms():
    assert {name.split(".")[1] for name in functions()} >= {"datasets", "experiments", "figures", "notebook"}


def test_what_a_notebook_calls_says_what_it_takes_and_gives():
    silent = []
    for name, function in functions().items():
        text = inspect.getdoc(function)
        section = re.search(r"\nParameters\n-+\n(.*?)(\n\n[A-Z]\w+\n-+\n|\Z)", text, re.S)
        described = re.findall(r"^\*{0,2}(\w[\w, ]*?) : \S", section[1], re.M) if section else []
        names = [one.strip() for line in described for one in line.split(",")]
        signature = inspect.signature(function)
        if sorted(names) != sorted(signature.parameters):
            silent.append((name, sorted(names), sorted(signature.parameters)))
        if str(signature.return_annotation) not in SAID_ALREADY and "\nReturns\n---" not in text:
            silent.append((name, "what it returns"))
    assert silent == []
