"""A live block computes what its notebook computes: the same functions, given the same, give the same rows.

Both are run with the settings of ``data/quick.yml`` on simulated data; of the notebook only those statements that
the block's tables rest on.
"""

import ast
import importlib
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from helpers.blocks import NOTEBOOKS, experiment
from helpers.blocks import leaderboard as live_leaderboard

from bookbuild.runs.quick import quick_settings
from helpers.experiments import leaderboard
from helpers.kit.live.command import defaults
from helpers.kit.parameters import notebook_path
from metaeval.metrics.pyramid.study import judge
from metaeval.tables.benchmark import Benchmark
from tests.metaeval.metrics.pyramid.support import made_study

EXPERIMENTS = "helpers.experiments"
quick = cache(quick_settings)
# smaller than in data/quick.yml, without the texts that take long to read
SMALLER = {
    "sera": {"queries": ["raw", "kw"]},
    "index_size": {"sizes": [500], "queries": ["raw"]},
    "rescored": {"datasets": ["realsumm"], "metrics": ["ROUGE-1 recall"], "vectors": []},
    "power": {"dataset": "lite-pyrxsum"},
    "truth": {"n_documents": [20]},
}


def source(name):
    """The code of a notebook without its live cell."""
    cells = json.loads(notebook_path(name).read_text(encoding="utf8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return "\n".join(
        "".join(cell["source"]) for cell in code if "live" not in cell["metadata"].get("tags", [])
    )


def calls(tree):
    """Calls of functions of `helpers.experiments` in some code: (node, module, function)."""
    modules, functions = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == EXPERIMENTS:
            modules |= {alias.asname or alias.name: f"{EXPERIMENTS}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module.startswith(f"{EXPERIMENTS}."):
            functions |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=function)) if module in modules:
                yield node, modules[module], function
            case ast.Call(func=ast.Name(id=function)) if function in functions:
                yield node, *functions[function]


def called(tree):
    return {(module, function) for _, module, function in calls(tree)}


def of_block(name):
    part = importlib.import_module(f"helpers.blocks.{name}")
    return called(ast.parse(inspect.getsource(part)))


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


def names(node, context):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def resting_on(tree, functions):
    """The statements of a notebook that call one of these functions, itself or through another of its module, and
    those that these statements need.
    """
    wanted = {node for node, *function in calls(tree) if reached([tuple(function)]) & functions}
    kept, needed = [], set()
    for statement in reversed(tree.body):
        imports = isinstance(statement, ast.Import | ast.ImportFrom)
        if imports or names(statement, ast.Store) & needed or wanted & set(ast.walk(statement)):
            kept.insert(0, statement)
            needed |= names(statement, ast.Load)
    return ast.Module(kept, [])


def spied(monkeypatch, functions, found):
    """Let each of `functions` keep what it gives in `found`, the tables of each call."""
    for module, function in functions:
        owner = importlib.import_module(module)
        original = getattr(owner, function)

        def keep(*given, _original=original, _key=(module, function), **options):
            result = _original(*given, **options)
            if isinstance(result, Iterator):  # of ever more trials: the last table has all
                result = list(result)
                found.setdefault(_key, []).append(tables(result[-1]))
                return iter(result)
            found.setdefault(_key, []).append(tables(result))
            return result

        monkeypatch.setattr(owner, function, keep)


def tables(result):
    """All tables of a result; a Benchmark's are its scores, and a text or an array is one of its own."""
    match result:
        case str():
            return [pd.DataFrame({"words": [result]})]
        case pd.DataFrame():
            return [result]
        case Benchmark():
            return tables(result.scores)
        case xr.DataArray():
            return [result.to_dataframe("value").reset_index()]
        case np.ndarray():
            return [pd.DataFrame({"value": result.ravel()})]
        case Mapping():
            parts = result.values()
        case tuple() | list():
            parts = result
        case _:
            parts = vars(result).values()
    return [table for part in parts for table in tables(part)]


@pytest.fixture
def nothing_learned(monkeypatch, tmp_path):
    """The leaderboard of a study of a few sentences, its light model one that need not learn; the block has none."""
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path))
    made = made_study()
    for module in (leaderboard, live_leaderboard):
        monkeypatch.setattr(
            module,
            "load_study",
            lambda name: replace(made, benchmark=replace(made.benchmark, name=f"made-up {name}")),
        )
    monkeypatch.setattr(leaderboard, "judge", lambda study, _, **options: judge(study, "words", **options))
    monkeypatch.setattr(leaderboard, "transferred", lambda _, judged: judge(judged, "words"))


def rows(table):
    """The rows of a table as texts, floats rounded as in recorded files."""
    numbers = {column: float for column in table.select_dtypes("number")}
    return set(table.astype(numbers).round(6).to_csv(index=False).splitlines()[1:])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_block_calls_only_what_its_notebook_calls(name):
    assert of_block(name)
    assert of_block(name) <= reached(called(ast.parse(source(name))))


@pytest.mark.processes
@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if name != "leaderboard"])
def test_a_blocks_rows_are_rows_of_its_notebook(name, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    compare(name, monkeypatch)


@pytest.mark.processes
def test_the_leaderboards_rows_are_rows_of_its_notebook(monkeypatch, nothing_learned):
    compare("leaderboard", monkeypatch)


def compare(name, monkeypatch):
    part, functions = experiment(name), of_block(name)
    settings = defaults(name) | quick()[name] | SMALLER.get(name, {})
    if (offered := part.fit(settings).get("metrics")) is not None:  # a control's: those that the data set has
        settings["metrics"] = offered.value
    by_block, by_notebook = {}, {}
    with monkeypatch.context() as patched:
        spied(patched, functions, by_block)
        part.run({parameter: settings[parameter] for parameter in part.parameters})
    if part.grows:  # what was said of fewer trials than the notebook's
        by_block = {function: calls[-1:] for function, calls in by_block.items()}
    code = resting_on(ast.parse(source(name)), functions)
    for statement in code.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=parameter)):
                statement.value = ast.parse(repr(settings[parameter]), mode="eval").body
    with monkeypatch.context() as patched:
        spied(patched, functions, by_notebook)
        exec(compile(ast.fix_missing_locations(code), f"{name}.ipynb", "exec"), {})
    assert set(by_block) == set(by_notebook) == functions
    for function in functions:
        block, notebook = (
            pd.concat([table for call in found[function] for table in call])
            for found in (by_block, by_notebook)
        )
        assert len(block)
        assert set(block) <= set(notebook), function
        assert rows(block) - rows(notebook[list(block)]) == set(), function
