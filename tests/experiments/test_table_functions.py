"""Every table function of `experiments` returns what `check` has seen; read from the source, run by no other."""

import ast
from functools import cache
from pathlib import Path

import pytest

from helpers import experiments
from helpers.kit import presence
from metaeval import analysis

ROOMS = (experiments, analysis)
CHECKS = {"metaeval.tables.columns.check", "metaeval.analysis.tabulate.tabulate"}
DECORATOR = "helpers.kit.tidy.tidy"  # a generator of rows becomes a table that is checked
# what they decorate gives tables
OF_TABLES = {"helpers.kit.draws.growing", "metaeval.analysis.tabulate.accepts_many_benchmarks"}


@cache
def modules():
    """The code of every experiment and analysis, and of what experiments share, by the module's name."""
    files = {presence.__name__: Path(presence.__file__)} | {
        f"{room.__name__}.{path.stem}": path
        for room in ROOMS
        for path in sorted(Path(room.__file__).parent.glob("*.py"))
        if not path.stem.startswith("_")
    }
    return {module: ast.parse(path.read_text(encoding="utf8")) for module, path in files.items()}


def holds_tables(annotation):
    """Whether an annotation is of a table or something with tables in it; a function that makes some holds none."""
    written = "" if annotation is None else ast.unparse(annotation)
    return "DataFrame" in written and not written.startswith("Callable")


def holders(tree):
    """Classes of a module with tables in them: their fields in order, and whether each holds some."""
    found = {}
    for node in tree.body:
        fields = [part for part in getattr(node, "body", ()) if isinstance(part, ast.AnnAssign)]
        if isinstance(node, ast.ClassDef) and any(holds_tables(field.annotation) for field in fields):
            found[node.name] = {field.target.id: holds_tables(field.annotation) for field in fields}
    return found


def table_functions(module, tree, *, private=False):
    """Public functions and methods, or private ones, that return a table, several, or a class that holds some.

    They are annotated so, unlike figures, or decorated to make a table.
    """
    of_class = [part for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for node in [*tree.body, *of_class]:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") != private:
            continue
        annotated = node.returns is not None and ast.unparse(node.returns) in holders(tree)
        names = imported(module, tree)
        if annotated or holds_tables(node.returns) or is_decorated(node, names) or is_of_tables(node, names):
            yield f"{module}.{node.name}", node


def is_of_tables(function, names):
    return any(names.get(ast.unparse(decorator)) in OF_TABLES for decorator in function.decorator_list)


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


def bound(function, name):
    """What a function's variable holds where it returns; None unless it was given once for all, and not changed."""
    stored = [
        node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    last = max((node.lineno for node in stored if node.id == name), default=0)
    changes = (ast.Subscript, ast.Attribute)
    changed = {
        node.value.id
        for node in ast.walk(function)
        if isinstance(node, changes) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if node.lineno > last
    }
    # and a method that is called for its effect alone, such as `insert`
    changed |= {
        node.value.func.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.lineno > last
        if isinstance(node.value.func, ast.Attribute) and isinstance(node.value.func.value, ast.Name)
    }
    for statement in function.body:  # not below a condition or in a loop
        if isinstance(statement, ast.Assign) and statement.lineno == last and name not in changed:
            (target,), value = statement.targets, statement.value
            if isinstance(target, ast.Name):
                return value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                return dict(zip(map(ast.unparse, target.elts), value.elts, strict=True))[name]
    return None


def is_checked(value, names, tables, holding, function):
    if isinstance(value, ast.Name):
        value = bound(function, value.id)
    if isinstance(value, ast.Tuple):
        return all(is_checked(part, names, tables, holding, function) for part in value.elts)
    if isinstance(value, ast.Dict):
        return all(is_checked(part, names, tables, holding, function) for part in value.values)
    if isinstance(value, ast.DictComp):
        return is_checked(value.value, names, tables, holding, function)
    if not isinstance(value, ast.Call):
        return False
    first, _, rest = ast.unparse(value.func).partition(".")
    if first in holding:
        given = dict(zip(holding[first], value.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in value.keywords}
        held = [given.get(field) for field, holds in holding[first].items() if holds]
        return all(is_checked(part, names, tables, holding, function) for part in held)
    called = names.get(first, first) + (f".{rest}" if rest else "")
    return called in CHECKS | tables


def unchecked(modules):
    """Lines that return a table which no `check` has seen."""
    found = []
    tables = {name for module, tree in modules.items() for name, _ in table_functions(module, tree)}
    for module, tree in modules.items():
        names, holding = imported(module, tree), holders(tree)

        def of(functions, tables, names=names, holding=holding):
            """Lines of some functions, by the function's name."""
            return [
                (name, f"{value.lineno} {function.name} returns {ast.unparse(value)[:60]}")
                for name, function in functions
                for value in returned(function)
                if not is_decorated(function, names)
                and not is_checked(value, names, tables - {name}, holding, function)
            ]

        private = list(table_functions(module, tree, private=True))
        own = {name for name, _ in private} - {name for name, _ in of(private, tables)}
        found += [f"{module}.py:{line}" for _, line in of(table_functions(module, tree), tables | own)]
    return found


def test_every_table_is_checked_where_it_is_made():
    assert unchecked(modules()) == []


def test_every_public_function_says_what_it_returns():
    """Or it is decorated to return a table, so that none is passed over here."""
    silent = [
        f"{module}.{node.name}"
        for module, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if node.returns is None and f"{module}.{node.name}" not in dict(table_functions(module, tree))
    ]
    assert silent == []


def test_every_module_of_an_experiment_has_tables():
    found = {module: sum(1 for _ in table_functions(module, tree)) for module, tree in modules().items()}
    without = {module for module, n in found.items() if not n and module.startswith(experiments.__name__)}
    assert without == set()


HEAD = """\
from helpers.experiments import systems
from helpers.kit.elsewhere import tidy as untidy
from helpers.kit.draws import growing
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
        ("@growing\ndef f():\n    yield t", True),
        ("@growing\ndef f():\n    yield check(t, keys=k)", False),
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
        (
            "class C:\n    n: int\n    t: pd.DataFrame\ndef f() -> C:\n    return C(1, check(t, keys=k))",
            False,
        ),
        ("class C:\n    t: pd.DataFrame\n    n: int\ndef f() -> C:\n    return C(t, check(t, keys=k))", True),
        ("class C:\n    t: pd.DataFrame\ndef f() -> C:\n    return C()", True),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    return t", False),
        ("def f() -> pd.DataFrame:\n    n, t = 1, check(t, keys=k)\n    return t", False),
        ("def f() -> pd.DataFrame:\n    t, n = 1, check(t, keys=k)\n    return t", True),
        ("def f() -> pd.DataFrame:\n    t, n = check(t, keys=k)\n    return t", True),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    t['x'] = 1\n    return t", True),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    t.x = 1\n    return t", True),
        ("def f() -> pd.DataFrame:\n    t['x'] = 1\n    t = check(t, keys=k)\n    return t", False),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    t.insert(0, 'x', 1)\n    return t", True),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    n.append(1)\n    return t", False),
        ("def f() -> pd.DataFrame:\n    t = check(t, keys=k)\n    t = t.query(q)\n    return t", True),
        ("def f() -> pd.DataFrame:\n    if x:\n        t = check(t, keys=k)\n    return t", True),
        (
            "def _f() -> pd.DataFrame:\n    return check(t, keys=k)\ndef g() -> pd.DataFrame:\n    return _f()",
            False,
        ),
        ("def _f() -> pd.DataFrame:\n    return t\ndef g() -> pd.DataFrame:\n    return _f()", True),
    ],
)
def test_the_test_finds_what_it_is_for(body, offends):
    made = {"made": ast.parse(HEAD + body)} | {name: modules()[name] for name in SYSTEMS}
    assert any(line.startswith("made.py:") for line in unchecked(made)) == offends
