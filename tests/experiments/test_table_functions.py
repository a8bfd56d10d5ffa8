"""Every table function of `experiments` and `analysis` passes its tables through `check`; read from the source.

What the tables hold, the tests of each page and of the recorded tables see; that none is left unchecked stands here.
"""

import ast
from functools import cache
from pathlib import Path

from helpers import experiments
from helpers.kit import presence
from metaeval import analysis
from metaeval.metrics.pyramid import folds
from tests.each import each

ROOMS = (experiments, analysis)
CHECKS = {
    "metaeval.tables.columns.check",
    "metaeval.analysis.tabulate.tabulate",
    "helpers.kit.tidy.tidy",  # a generator of rows becomes a table that is checked
}
# what they decorate gives tables
OF_TABLES = {"helpers.kit.draws.growing", "metaeval.analysis.tabulate.accepts_many_benchmarks"}
# laid out for readers, with words for columns
FOR_READERS = {
    f"helpers.experiments.scorecard.{name}" for name in ("readable_shares", "reasons_not_run", "tidy_counts")
}


@cache
def modules():
    """The code of every experiment and analysis, and of what experiments share, by the module's name."""
    files = {module.__name__: Path(module.__file__) for module in (presence, folds)} | {
        f"{room.__name__}.{path.stem}": path
        for room in ROOMS
        for path in sorted(Path(room.__file__).parent.glob("*.py"))
        if not path.stem.startswith("_")
    }
    return {module: ast.parse(path.read_text(encoding="utf8")) for module, path in files.items()}


def imported(module, tree):
    """What names of a module stand for: name -> full name."""
    names = {node.name: f"{module}.{node.name}" for node in tree.body if hasattr(node, "name")}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def used(node, names):
    """Full names of all that some code names."""
    written = {ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute)}
    parts = (name.partition(".") for name in written)
    return {names.get(first, first) + dot + rest for first, dot, rest in parts}


def table_functions(module, tree):
    """Functions and methods, by full name, that say they return a table, or are decorated to make one."""
    names = imported(module, tree)
    of_class = [part for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for node in [*tree.body, *of_class]:
        if isinstance(node, ast.FunctionDef):
            written = "" if node.returns is None else ast.unparse(node.returns)
            annotated = "DataFrame" in written and not written.startswith("Callable")
            decorators = set().union(*(used(one, names) for one in node.decorator_list))
            if annotated or decorators & (CHECKS | OF_TABLES):
                yield f"{module}.{node.name}", used(node, names)


def unchecked(modules):
    """Public table functions that neither check a table nor ask one that does."""
    uses = dict(pair for module, tree in modules.items() for pair in table_functions(module, tree))
    checking = {name for name, of in uses.items() if of & CHECKS}
    while more := {name for name, of in uses.items() if of & checking} - checking:
        checking |= more
    public = {name for name in uses if not name.rpartition(".")[2].startswith("_")}
    return sorted(public - checking - FOR_READERS)


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
from helpers.kit.elsewhere import tidy as untidy
from helpers.kit.tidy import tidy
from metaeval import analysis
from metaeval.tables.columns import check
def _made() -> pd.DataFrame:
    return check(t, keys=k)
"""


@each(
    "case",
    [
        ("def f() -> pd.DataFrame:\n    return check(t, keys=k)", False),
        ("def f() -> pd.DataFrame:\n    return analysis.systems.table(b)", False),
        ("def f() -> pd.DataFrame:\n    return analysis.systems.no_table(b)", True),
        ("def f() -> go.Figure:\n    return t", False),
        ("@tidy('k')\ndef f():\n    yield t", False),
        ("@untidy('k')\ndef f() -> pd.DataFrame:\n    yield t", True),
        ("def f() -> pd.DataFrame:\n    return f(t)", True),
        ("def f() -> tuple[pd.DataFrame, int]:\n    return t, 1", True),
        ("class C:\n    def f(self) -> pd.DataFrame:\n        return self.t", True),
        ("def f() -> pd.DataFrame:\n    return _made()", False),
    ],
)
def test_the_test_finds_what_it_is_for(case):
    body, offends = case
    name = "metaeval.analysis.systems"
    assert bool(unchecked({"made": ast.parse(HEAD + body), name: modules()[name]})) == offends
