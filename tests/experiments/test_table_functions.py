"""Every table function of `experiments` returns what `check` has seen; read from the source, run by no other."""

import ast
from functools import cache
from pathlib import Path

import pytest

from helpers import experiments

ROOM = experiments.__name__
CHECKS = {f"{ROOM}.columns.check", f"{ROOM}._tabulate.tabulate"}


@cache
def modules():
    """The code of every experiment, by its name."""
    return {
        path.stem: ast.parse(path.read_text(encoding="utf8"))
        for path in sorted(Path(experiments.__file__).parent.glob("*.py"))
        if not path.stem.startswith("_") and path.stem != "columns"
    }


def holds_tables(annotation):
    return annotation is not None and "DataFrame" in ast.unparse(annotation)


def holders(tree):
    """Classes of a module with tables in them, and which of their fields these are."""
    found = {}
    for node in tree.body:
        fields = [part for part in getattr(node, "body", ()) if isinstance(part, ast.AnnAssign)]
        if isinstance(node, ast.ClassDef) and any(holds_tables(field.annotation) for field in fields):
            found[node.name] = {field.target.id for field in fields if holds_tables(field.annotation)}
    return found


def table_functions(stem, tree):
    """Public functions and methods that are annotated to return a table, several, or a class that holds some."""
    of_class = [part for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for node in [*tree.body, *of_class]:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.returns is None:
            continue
        if holds_tables(node.returns) or ast.unparse(node.returns) in holders(tree):
            yield f"{ROOM}.{stem}.{node.name}", node


def imported(stem, tree):
    """What names of a module stand for: name -> full name."""
    names = {node.name: f"{ROOM}.{stem}.{node.name}" for node in tree.body if hasattr(node, "name")}
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
    tables = {name for stem, tree in modules.items() for name, _ in table_functions(stem, tree)}
    return [
        f"{stem}.py:{value.lineno} {function.name} returns {ast.unparse(value)[:60]}"
        for stem, tree in modules.items()
        for name, function in table_functions(stem, tree)
        for value in returned(function)
        if not is_checked(value, imported(stem, tree), tables - {name}, holders(tree))
    ]


def test_every_table_is_checked_where_it_is_made():
    assert unchecked(modules()) == []


def test_every_module_of_an_experiment_has_tables():
    found = {stem: sum(1 for _ in table_functions(stem, tree)) for stem, tree in modules().items()}
    assert [stem for stem, n in found.items() if not n] == []


HEAD = "from metaeval.tables.columns import check\nfrom helpers.experiments import systems\n"


@pytest.mark.parametrize(
    ("body", "offends"),
    [
        ("def f() -> pd.DataFrame:\n    return check(t, keys=k)", False),
        ("def f() -> pd.DataFrame:\n    return systems.table(b)", False),
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
    made = {"made": ast.parse(HEAD + body), "systems": modules()["systems"]}
    assert any(line.startswith("made.py:") for line in unchecked(made)) == offends
