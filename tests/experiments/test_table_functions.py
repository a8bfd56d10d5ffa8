"""Every table function of `experiments` returns what `check` has seen; read from the source, run by no other."""

import ast
from functools import cache
from pathlib import Path

import pytest

from helpers import experiments
from metaeval import analysis

ROOMS = (experiments, analysis)
CHECKS = {"metaeval.tables.columns.check", "metaeval.analysis.tabulate.tabulate"}
DECORATOR = "helpers.kit.tidy.tidy"  # a generator of rows becomes a table that is checked


@cache
def modules():
    """The code of every experiment and analysis, by the module's name."""
    return {
        f"{room.__name__}.{path.stem}": ast.parse(path.read_text(encoding="utf8"))
        for room in ROOMS
        for path in sorted(Path(room.__file__).parent.glob("*.py"))
        if not path.stem.startswith("_")
    }


def holds_tables(annotation):
    """Whether an annotation is of a table or something with tables in it; a function that makes some holds none."""
    written = "" if annotation is None else ast.unparse(annotation)
    return "DataFrame" in written and not written.startswith("Callable")


def holders(tree):
    """Classes of a module with tables in them, and which of their fields these are."""
    found = {}
    for node in tree.body:
        fields = [part for part in getattr(node, "body", ()) if isinstance(part, ast.AnnAssign)]
        if isinstance(node, ast.ClassDef) and any(holds_tables(field.annotation) for field in fields):
            found[node.name] = {field.target.id for field in fields if holds_tables(field.annotation)}
    return found


def table_functions(module, tree):
    """Public functions and methods that return a table, several, or a class that holds some.

    They are annotated so, unlike figures, or decorated to make a table.
    """
    of_class = [part for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for node in [*tree.body, *of_class]:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        annotated = node.returns is not None and ast.unparse(node.returns) in holders(tree)
        if annotated or holds_tables(node.returns) or is_decorated(node, imported(module, tree)):
            yield f"{module}.{node.name}", node


def is_decorated(function, names):
    """Whether what a function yields becomes a table that is checked."""
    made_by = (part.func for part in function.decorator_list if isinstance(part, ast.Call))
    return any(isinstance(name, ast.Name) and names.get(name.id) == DECORATOR for name in made_by)


def imported(module, tree):
    """What names of a module stand for: name -> full name."""
    names = {node.name: f"{module}.{node.name}" for node in tree.body if hasattr(node, "name")}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def returned(function):
    """What a function returns, without what functions inside it do."""
    nodes = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Return | ast.Yield):
            yield node.value
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            nodes += ast.iter_child_nodes(node)


def is_checked(value, names, tables, holding):
    if isinstance(value, ast.Tuple):
        return all(is_checked(part, names, tables, holding) for part in value.elts)
    if isinstance(value, ast.DictComp):
        return is_checked(value.value, names, tables, holding)
    if not isinstance(value, ast.Call):
        return False
    first, _, rest = ast.unparse(value.func).partition(".")
    if first in holding:
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        return all(
            field in given and is_checked(given[field], names, tables, holding) for field in holding[first]
        )
    called = names.get(first, first) + (f".{rest}" if rest else "")
    return called in CHECKS | tables


def unchecked(modules):
    """Lines that return a table which no `check` has seen."""
    tables = {name for module, tree in modules.items() for name, _ in table_functions(module, tree)}
    return [
        f"{module}.py:{value.lineno} {function.name} returns {ast.unparse(value)[:60]}"
        for module, tree in modules.items()
        for name, function in table_functions(module, tree)
        for value in returned(function)
        if not is_decorated(function, imported(module, tree))
        and not is_checked(value, imported(module, tree), tables - {name}, holders(tree))
    ]


def test_every_table_is_checked_where_it_is_made():
    assert unchecked(modules()) == []


def test_every_module_of_an_experiment_has_tables():
    found = {module: sum(1 for _ in table_functions(module, tree)) for module, tree in modules().items()}
    without = {module for module, n in found.items() if not n and module.startswith(experiments.__name__)}
    assert without == {f"{experiments.__name__}.scorecard"}  # draws the counts of claims


HEAD = """\
from helpers.experiments import systems
from helpers.kit.elsewhere import tidy as untidy
from helpers.kit.tidy import tidy
from metaeval import analysis
from metaeval.tables.columns import check
"""
SYSTEMS = ("helpers.experiments.systems", "metaeval.analysis.systems")


@pytest.mark.parametrize(
    ("body", "offends"),
    [
        ("def f() -> pd.DataFrame:\n    return check(t, keys=k)", False),
        ("def f() -> pd.DataFrame:\n    return systems.comparisons(b)", False),
        ("def f() -> pd.DataFrame:\n    return analysis.systems.table(b)", False),
        ("def f() -> pd.DataFrame:\n    return analysis.systems.no_table(b)", True),
        ("def f() -> Callable[..., pd.DataFrame]:\n    return t", False),
        ("def f() -> go.Figure:\n    return t", False),
        ("@tidy('k')\ndef f():\n    yield t", False),
        ("@tidy('k')\ndef f() -> Rows:\n    yield t\ndef g() -> pd.DataFrame:\n    return f()", False),
        ("@untidy('k')\ndef f() -> pd.DataFrame:\n    yield t", True),
        ("@tidy\ndef f() -> pd.DataFrame:\n    yield t", True),
        ("def f() -> pd.DataFrame:\n    return t", True),
        ("def f() -> pd.DataFrame:\n    return check(t, keys=k).query(q)", True),
        ("def f() -> Iterator[pd.DataFrame]:\n    for t in ts:\n        yield check(t, keys=k)", False),
        ("def f() -> Iterator[pd.DataFrame]:\n    for t in ts:\n        yield t", True),
        ("def f() -> pd.DataFrame:\n    return last(g())", True),
        ("def f() -> pd.DataFrame:\n    if x:\n        return t\n    return check(t, keys=k)", True),
        ("def f() -> pd.DataFrame:\n    return f(t)", True),
        ("def f() -> pd.DataFrame:\n    return elsewhere.check(t)", True),
        ("def f() -> tuple[pd.DataFrame, pd.DataFrame]:\n    return check(t, keys=k), t", True),
        ("def f() -> dict[str, pd.DataFrame]:\n    return {k: check(t, keys=k) for k in m}", False),
        ("class C:\n    t: pd.DataFrame\n    def f(self) -> pd.DataFrame:\n        return self.t", True),
        ("class C:\n    t: pd.DataFrame\ndef f() -> C:\n    return C(t=t)", True),
        ("class C:\n    t: pd.DataFrame\ndef f() -> C:\n    return C(t=check(t, keys=k))", False),
    ],
)
def test_the_test_finds_what_it_is_for(body, offends):
    made = {"made": ast.parse(HEAD + body)} | {name: modules()[name] for name in SYSTEMS}
    assert any(line.startswith("made.py:") for line in unchecked(made)) == offends
