"""Every example in a docstring runs and gives what it shows; every public function says what it does. One of the
library's public names, and one of the library or the kit that a notebook calls, also says what it takes and gives;
what stands in `helpers.experiments` serves one notebook.
"""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import signal
from functools import cache

import nbformat
import pytest

import bookbuild
import helpers
import metaeval
from metaeval.core.paths import NOTEBOOKS
from tests.each import each

STOREYS = (metaeval, helpers, bookbuild)
MODULES = sorted(
    module.name
    for storey in STOREYS
    for module in pkgutil.walk_packages(storey.__path__, f"{storey.__name__}.")
)


@pytest.fixture(autouse=True)
def ctrl_c_still_ends_the_tests():
    """`bookbuild.runs.kernel_preload` is for a process that Ctrl-C is not for."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@each("name", MODULES)
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
    """The functions of ours that a notebook names."""
    cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    tree = ast.parse("\n".join(cells))
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
            for alias in node.names:
                exec(f"from {node.module} import {alias.name} as {alias.asname or alias.name}", names)
    named = [_found(node, names) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
    return [item for item in named if inspect.isfunction(item) and _is_ours(item.__module__)]


def _is_ours(module):
    return module.split(".")[0] in {storey.__name__ for storey in STOREYS}


def _found(node, names):
    """What a name, or one of a module and so on, stands for; None where it is of no import."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    return getattr(_found(node.value, names), node.attr, None) if isinstance(node, ast.Attribute) else None


@cache
def functions():
    """The library's public functions and what all notebooks use, each by its dotted name."""
    public = [getattr(metaeval, name) for name in metaeval.PUBLIC]
    used = [f for path in NOTEBOOKS.glob("*.ipynb") for f in used_by(path)]
    return {f"{f.__module__}.{f.__name__}": f for f in [*filter(inspect.isfunction, public), *used]}


SAID_ALREADY = {"None", "go.Figure"}  # what such an annotation says of a result is all there is to say
OF_ONE_PAGE = "helpers.experiments."


def test_notebooks_name_functions_of_many_rooms():
    rooms = {".".join(name.split(".")[:2]) for name in functions()}
    assert rooms >= {"metaeval.datasets", "metaeval.analysis", "helpers.experiments", "helpers.kit"}


def test_what_is_public_or_called_on_many_pages_says_what_it_takes_and_gives():
    shared = {name: f for name, f in functions().items() if not name.startswith(OF_ONE_PAGE)}
    assert len(shared) > 20
    silent = []
    for name, function in shared.items():
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
