"""Pages of reports: who draws them knows none, and every column of their tables has a row in the list of columns."""

import ast
from graphlib import TopologicalSorter

import pytest

from metaeval.core.paths import DATA, PACKAGE, read_yaml
from metaeval.reporting.compare import compare_judges
from metaeval.reporting.doctor import doctor
from metaeval.reporting.example import write_examples
from metaeval.reporting.plan import plan
from metaeval.reporting.report import report


def modules_imported(path):
    """Every module that a module imports, also inside of functions and for types alone."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_two_modules_of_reports_import_each_other():
    files = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
        for path in (PACKAGE / "reporting").rglob("*.py")
    }
    graph = {name: set(modules_imported(path)) & set(files) for name, path in files.items()}
    assert "metaeval.reporting.answer" in graph["metaeval.reporting.report"]
    TopologicalSorter(graph).prepare()  # raises where they go round in a circle


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_examples(tmp_path_factory.mktemp("made-up") / "files")


@pytest.mark.parametrize("name", ["long", "leaderboard", "two_systems", "one_system", "pairs"])
def test_every_column_of_a_report_is_listed(files, name):
    rows = {key.rpartition(".")[2] for key in read_yaml(DATA / "columns.yml")}
    answers = [doctor(files[name]), report(files[name], n_resamples=39)]
    answers += [compare_judges(files[name], ["careful judge"], fail_under=0.5, n_resamples=39)]
    answers += [plan(files[name], width=1.0)] if name in ("long", "two_systems") else []
    for answer in answers:
        columns = {f"{table}.{column}" for table, frame in answer.tables.items() for column in frame}
        unlisted = {one for one in columns if one.rpartition(".")[2].removesuffix("_mc_error") not in rows}
        assert unlisted == set()
