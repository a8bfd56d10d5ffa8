"""A live block computes what its notebook computes: the same functions, given the same, give the same rows.

Both are run with the settings of ``data/quick.yml`` on simulated data; of the notebook only those statements that
the block's tables rest on.
"""

import ast
import importlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, reduce, wraps

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bookbuild.runs.quick import quick_settings
from helpers.experiments import leaderboard
from helpers.kit.live.block import defaults
from helpers.kit.parameters import notebook_path
from metaeval.metrics.pyramid.study import judge
from metaeval.tables.benchmark import Benchmark
from tests.each import each
from tests.kit.live.pages import LIVE_PAGES, live, page
from tests.metaeval.metrics.pyramid.support import made_study

COMPUTING = ("helpers.experiments.", "helpers.kit.presence.", "metaeval.analysis.")
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


def uses(tree, namespace):
    """Functions that make tables and words, where some code names them: (node, module, function).

    Figures draw what others have computed. To ask a function for growing tables is to name it.
    """
    for node, found in _looked_up(tree, namespace):
        module, name = getattr(found, "__module__", None) or "", getattr(found, "__name__", "")
        if (
            f"{module}.".startswith(COMPUTING)
            and not name.startswith("_")
            and _returned(found) != "go.Figure"
        ):
            yield node, module, name


def _looked_up(node, namespace):
    """Names, and names with dots between them, that are none of a function's own, with what they stand for."""
    if isinstance(node, ast.Name | ast.Attribute):
        first, *below = ast.unparse(node).split(".")
        if first.isidentifier():
            if first in namespace:
                yield node, reduce(lambda found, name: getattr(found, name, None), below, namespace[first])
            return
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        own = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)} | names(node, ast.Store)
        namespace = {name: value for name, value in namespace.items() if name not in own}
    for part in ast.iter_child_nodes(node):
        yield from _looked_up(part, namespace)


def _returned(function):
    """What a function is annotated to return, as it is written."""
    return getattr(function, "__annotations__", {}).get("return")


def of_notebook(tree):
    """What names of a notebook's code stand for: those that it imports."""
    namespace = {}
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module(imports, []), "imports", "exec"), namespace)
    return namespace


def used(tree, namespace):
    return {(module, function) for _, module, function in uses(tree, namespace)}


def of_block(name):
    """What a live block calls, in `LIVE` itself and in private functions of its page that it is made of.

    Not the sentences that only readers of the block are told.
    """
    tree = ast.parse(inspect.getsource(page(name)))
    private = {node.name: node for node in tree.body if getattr(node, "name", "").startswith("_")}
    (block,) = [
        node for node in tree.body if isinstance(node, ast.Assign) and "LIVE" in names(node, ast.Store)
    ]
    parts, waiting = set(), [block]
    while waiting:
        part = waiting.pop()
        parts.add(part)
        waiting += {private[n] for n in names(part, ast.Load) & set(private)} - parts
    found = set().union(*(used(part, vars(page(name))) for part in parts))
    return {function for function in found if function in of_page(name) or not _is_sentence(*function)}


def _is_sentence(module, name):
    return _returned(getattr(importlib.import_module(module), name)) == "str"


@cache
def of_page(name):
    """What a notebook calls, and functions of the same modules that these call."""
    tree = ast.parse(source(name))
    return reached(used(tree, of_notebook(tree)))


def reached(functions):
    """Functions, and those of their own modules that they call."""
    found, waiting = set(), set(functions)
    while waiting:
        module, name = waiting.pop()
        found.add((module, name))
        owner = importlib.import_module(module)
        tree = ast.parse(inspect.getsource(getattr(owner, name)))
        own = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        own = {n for n in own if getattr(getattr(owner, n, None), "__module__", "") == module}
        waiting |= {(module, n) for n in own} - found
    return found


def names(node, context):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def resting_on(tree, functions):
    """The statements of a notebook that call one of these functions, itself or through another of its module, and
    those that these statements need.
    """
    found = uses(tree, of_notebook(tree))
    wanted = {node for node, *function in found if reached([tuple(function)]) & functions}
    kept, needed = [], set()
    for statement in reversed(tree.body):
        imports = isinstance(statement, ast.Import | ast.ImportFrom)
        if imports or names(statement, ast.Store) & needed or wanted & set(ast.walk(statement)):
            kept.insert(0, statement)
            needed |= names(statement, ast.Load)
    return ast.Module(kept, [])


def spied(monkeypatch, functions, found):
    """Let each of `functions` keep what it gives in `found`, the tables of each call, whoever imported it."""
    for module, function in functions:
        original = getattr(importlib.import_module(module), function)
        spy = _spy(original, (module, function), found)
        if hasattr(original, "growing"):
            spy.growing = _spy(original.growing, (module, function), found)
        for owner in [m for name, m in sys.modules.items() if f"{name}.".startswith(COMPUTING)]:
            for name in [name for name, value in vars(owner).items() if value is original]:
                monkeypatch.setattr(owner, name, spy)


def _spy(original, key, found):
    @wraps(original)
    def keep(*given, **options):
        result = original(*given, **options)
        if isinstance(result, Iterator):  # of ever more trials: the last table has all
            result = list(result)
            found.setdefault(key, []).append(tables(result[-1]))
            return iter(result)
        found.setdefault(key, []).append(tables(result))
        return result

    return keep


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
    monkeypatch.setattr(
        leaderboard,
        "load_study",
        lambda name: replace(made, benchmark=replace(made.benchmark, name=f"made-up {name}")),
    )
    monkeypatch.setattr(leaderboard, "judge", lambda study, _, **options: judge(study, "words", **options))
    monkeypatch.setattr(leaderboard, "transferred", lambda _, judged: judge(judged, "words"))


def rows(table):
    """The rows of a table as texts, floats rounded as in recorded files."""
    numbers = {column: float for column in table.select_dtypes("number")}
    return set(table.astype(numbers).round(6).to_csv(index=False).splitlines()[1:])


@each("name", LIVE_PAGES)
def test_a_block_calls_only_what_its_notebook_calls(name):
    assert of_block(name)
    assert of_block(name) <= of_page(name)


@pytest.mark.processes
@pytest.mark.parametrize("name", [name for name in LIVE_PAGES if name != "leaderboard"])
def test_a_blocks_rows_are_rows_of_its_notebook(name, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    compare(name, monkeypatch)


@pytest.mark.processes
def test_the_leaderboards_rows_are_rows_of_its_notebook(monkeypatch, nothing_learned):
    compare("leaderboard", monkeypatch)


def compare(name, monkeypatch):
    part, functions = live(name), of_block(name)
    settings = defaults(name) | quick()[name] | SMALLER.get(name, {})
    if (offered := part.fit(settings).get("metrics")) is not None:  # a control's: those that the data set has
        settings["metrics"] = offered.value
    by_block, by_notebook = {}, {}
    with monkeypatch.context() as patched:
        spied(patched, functions, by_block)
        part.run({parameter: settings[parameter] for parameter in part.parameters})
    if part.progressive:  # what was said of fewer trials than the notebook's
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
