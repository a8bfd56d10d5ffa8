"""Notebooks hold text and calls, nothing else."""

import ast
import re
from functools import cache

import nbformat

from bookbuild.site.build import notebooks_in_order
from helpers.kit import findings
from helpers.kit.parameters import TYPES, declared_parameters
from metaeval.core.paths import NOTEBOOKS
from tests.each import each
from tests.kit.live.pages import LIVE_PAGES, live

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
SHOWS = re.compile(r"\b(show_\w+|findings\.show|verdicts)\(")
each_notebook = each("path", PATHS)


@cache
def cells_of(path):
    return nbformat.read(path, 4).cells


def code_cells(path, tag=None):
    cells = cells_of(path)
    return [c for c in cells if c.cell_type == "code" and (tag is None or tag in c.metadata.get("tags", []))]


def test_every_notebook_is_in_the_book():
    assert sorted(notebooks_in_order()) == [path.stem for path in PATHS]


@each_notebook
def test_is_committed_without_results(path):
    assert all(not cell.outputs and cell.execution_count is None for cell in code_cells(path))
    assert len({cell.id for cell in cells_of(path)}) == len(cells_of(path))


@each_notebook
def test_has_one_cell_of_literal_parameters_each_with_its_type_on_a_line_of_its_own(path):
    """Without help, which stands in ``data/parameters.yml`` and is written behind them where a notebook is run."""
    (cell,) = code_cells(path, "parameters")
    for line, statement in zip(cell.source.splitlines(), ast.parse(cell.source).body, strict=True):
        assert isinstance(statement, ast.AnnAssign)
        ast.literal_eval(statement.value)
        assert statement.end_col_offset == len(line.encode()), line
    assert {kind for kind, _ in declared_parameters(path).values()} <= set(TYPES)


@each_notebook
def test_holds_no_logic(path):
    forbidden = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.For, ast.While, ast.If, ast.Try, ast.With)
    for cell in code_cells(path):
        assert not re.search(r"^\s*[!%]", cell.source, flags=re.M)
        assert not re.search(r"\b(exec|eval|import_module|__import__)\(", cell.source)
        assert not re.search(r"np\.random|[\"']/(home|work|tmp|root|mnt)", cell.source)
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, forbidden), ast.unparse(node)
            if isinstance(node, ast.GeneratorExp | ast.ListComp):
                assert len(node.generators) == 1


MOST = 100  # characters of a line of code


@each_notebook
def test_lines_of_code_can_be_read_beside_each_other(path):
    """But for the parameters, each on one line, and sentences such as captions."""
    cells = [cell for cell in code_cells(path) if "parameters" not in cell.metadata.get("tags", [])]
    lines = [line for cell in cells for line in cell.source.splitlines() if len(line) >= MOST]
    is_sentence = re.compile(r"\s*((caption|alt)=)?f?[\"'].*[\"'],?$")
    long = [line for line in lines if not is_sentence.fullmatch(line)]
    assert not long, f"lines of {MOST} characters or more; break them"


@each_notebook
def test_every_table_says_what_it_holds(path):
    calls = [
        node
        for cell in code_cells(path)
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Call)
    ]
    tables = [call for call in calls if getattr(call.func, "id", "") == "show_table"]
    without = [
        ast.unparse(call) for call in tables if "caption" not in [given.arg for given in call.keywords]
    ]
    assert not without, "these tables have no caption"


# pages that gather what others found: what to do with it stands there
OF_OTHER_PAGES = {"findings", "scorecard"}


@each_notebook
def test_follows_the_skeleton(path):
    headings = [
        line
        for cell in cells_of(path)
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("#")
    ]
    assert headings[0].startswith("# ")
    assert sum(line.startswith("# ") for line in headings) == 1
    assert "## Overview" in headings
    told = path.stem in OF_OTHER_PAGES or path.stem in findings.pages()
    closing = "## What's next" if told else "## What to do with this"
    assert headings[-1] == closing
    first = cells_of(path)[0].source
    assert "**The question.**" in first


@each_notebook
def test_opens_with_its_finding(path):
    """The first result that a notebook shows is its finding, as JupyterLab and the site show it."""
    if path.stem not in findings.pages():
        return
    shown = [cell.source for cell in code_cells(path) if SHOWS.search(cell.source)]
    assert re.match(rf'findings\.show\(\s*"{path.stem}"', shown[0])
    assert sum("findings.show(" in source for source in shown) == 1


@each_notebook
def test_figures_are_named_after_their_notebook(path):
    names = [name for cell in code_cells(path) for name in re.findall(r'name="(fig-[^"]+)"', cell.source)]
    assert all(name.startswith(f"fig-{path.stem}") for name in names)
    assert len(set(names)) == len(names)


# nothing to gather from several runs: they show what others computed, or how fast
WITHOUT_RESULTS = {"benchmarks", "disagreements", "document", "observations", "scorecard", "speed"}


@each_notebook
def test_records_one_table_for_reruns(path):
    cells = [cell for cell in code_cells(path) if "record_results(" in cell.source]
    assert len(cells) == (path.stem not in WITHOUT_RESULTS)


def live_cells(path):
    return [cell for cell in code_cells(path) if ".LIVE." in cell.source or cell.id.endswith("-live")]


@each_notebook
def test_has_one_live_cell_where_its_page_has_a_live_block(path):
    assert len(live_cells(path)) == len(code_cells(path, "live")) == (path.stem in LIVE_PAGES)


def imported(path):
    """What names that a notebook imports stand for."""
    nodes = [node for cell in code_cells(path) for node in ast.parse(cell.source).body]
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@each("name", LIVE_PAGES)
def test_a_live_cell_starts_its_block_from_the_notebooks_parameters(name):
    path = NOTEBOOKS / f"{name}.ipynb"
    (cell,) = live_cells(path)
    assert (cell.id, cell.metadata.tags) == (f"{name}-live", ["live", "remove-cell"])
    (called,) = ast.parse(cell.source).body
    shown = called.value.func
    assert (shown.value.attr, shown.attr) == ("LIVE", "show")
    assert imported(path)[shown.value.value.id] == f"helpers.experiments.{name}"
    assert not called.value.args
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in called.value.keywords}
    assert given == {parameter: parameter for parameter in live(name).parameters}
    assert set(given) <= set(declared_parameters(path))


@each("name", LIVE_PAGES)
def test_no_cell_gives_a_parameter_of_the_live_block_another_value(name):
    for cell in code_cells(NOTEBOOKS / f"{name}.ipynb"):
        if "parameters" not in cell.metadata.get("tags", []):
            stored = {
                node.id
                for node in _outside_comprehensions(ast.parse(cell.source))
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            assert not stored & set(live(name).parameters)


def _outside_comprehensions(tree):
    """The nodes of a syntax tree without those whose names end with a comprehension."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield node
            yield from _outside_comprehensions(node)


@each_notebook
def test_code_is_folded(path):
    """A page shows what came out; the code is one click away, or in the notebook where it shows a result."""
    folded = {"hide-input", "remove-input", "remove-cell"}
    assert not [cell.id for cell in code_cells(path) if not folded & set(cell.metadata.get("tags", []))]


BARE_LINK = re.compile(r"\{doc\}`[^`<]+`(?!:)")  # with a colon behind it, it is a line of a list


@each_notebook
def test_links_in_sentences_have_words_of_their_own(path):
    """A bare link takes the page's heading, which is a sentence: "A correlation is a guess asks which ..."."""
    texts = [cell.source for cell in cells_of(path) if cell.cell_type == "markdown"]
    assert not [link for text in texts for link in BARE_LINK.findall(text)]
