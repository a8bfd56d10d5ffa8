"""A live block computes what its notebook computes: the same function, given the same, gives the same rows."""

import ast
import importlib
import inspect
import json

import pandas as pd
import pytest

from helpers.live.command import defaults
from helpers.live.controls import Whole
from helpers.live.experiments import NOTEBOOKS, experiment
from helpers.runs.parameters import notebook_path

EXPERIMENTS = "helpers.experiments"
# those whose notebooks come to the block's function within seconds on simulated data
QUICK = {"annotations", "pairs", "summaries", "systems", "test_set", "topk"}


def sources(name):
    """The code cells of a notebook without its live cell, in order."""
    cells = json.loads(notebook_path(name).read_text(encoding="utf8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return ["".join(cell["source"]) for cell in code if "live" not in cell["metadata"].get("tags", [])]


def called(code):
    """Functions of `helpers.experiments` that some code calls: (module, function)."""
    modules, functions = {}, {}
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == EXPERIMENTS:
            modules |= {alias.asname or alias.name: f"{EXPERIMENTS}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module.startswith(f"{EXPERIMENTS}."):
            functions |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=function)) if module in modules:
                found.add((modules[module], function))
            case ast.Call(func=ast.Name(id=function)) if function in functions:
                found.add(functions[function])
    return found


def reached(functions):
    """Functions, and those of their own modules that they call."""
    found, waiting = set(), set(functions)
    while waiting:
        module, name = waiting.pop()
        found.add((module, name))
        owner = importlib.import_module(module)
        tree = ast.parse(inspect.getsource(getattr(owner, name)))
        names = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        own = {n for n in names if getattr(getattr(owner, n, None), "__module__", "") == module}
        waiting |= {(module, n) for n in own} - found
    return found


def of_block(name):
    part = importlib.import_module(f"helpers.live.experiments.{name}")
    return called(inspect.getsource(part))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_block_calls_only_what_its_notebook_calls(name):
    assert of_block(name)
    assert of_block(name) - reached(called("\n".join(sources(name)))) == set()


def small(part):
    """Settings near the notebook's, with as few draws as the controls allow."""
    settings = part.start({name: defaults(part.notebook)[name] for name in part.parameters})
    settings = settings | {name: fitted.value for name, fitted in part.fit(settings).items()}
    fitted = part.fit(settings)
    least = {
        c.name: fitted[c.name].choices[0]
        for c in part.controls
        if isinstance(c, Whole) and c.name.startswith("n_")
    }
    return settings | least


def spied(monkeypatch, functions, found):
    """Let each of `functions` keep what it gives in `found`."""
    for module, function in functions:
        owner = importlib.import_module(module)
        original = getattr(owner, function)

        def keep(*given, _original=original, _key=(module, function), **options):
            result = _original(*given, **options)
            found.setdefault(_key, []).append(result)
            return result

        monkeypatch.setattr(owner, function, keep)


def rows(table):
    """The rows of a table as texts, floats rounded as in recorded files."""
    numbers = {column: float for column in table.select_dtypes("number")}
    return set(table.astype(numbers).round(6).to_csv(index=False).splitlines()[1:])


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NOTEBOOKS]
)
def test_a_blocks_rows_are_rows_of_its_notebook(name, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    part = experiment(name)
    settings = small(part)
    of_the_block, of_the_notebook = {}, {}
    with monkeypatch.context() as patched:
        spied(patched, of_block(name), of_the_block)
        part.compute(**settings)
    (key, tables), *_ = of_the_block.items()
    with monkeypatch.context() as patched:
        spied(patched, [key], of_the_notebook)
        namespace = {}
        for source in sources(name):
            exec(compile(source, f"{name}.ipynb", "exec"), namespace)
            if "parameters" not in namespace and set(settings) <= set(namespace):
                namespace |= {**settings, "parameters": True}  # once, below the cell of parameters
            if key in of_the_notebook:
                break
    block, notebook = (pd.concat(found) for found in (tables, of_the_notebook[key]))
    shared = [column for column in block if column in notebook]
    assert len(block)
    assert list(block) == shared
    assert rows(block[shared]) - rows(notebook[shared]) == set()
