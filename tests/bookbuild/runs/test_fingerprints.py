"""Dependencies of a notebook: in a made-up project, in ours, and against what runs really use."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from bookbuild.runs import fingerprints as module
from bookbuild.runs import module_graph
from bookbuild.runs.fingerprints import Project, batch_cells
from bookbuild.runs.quick import quick_settings
from helpers.kit import declarations
from helpers.kit.mime import VERDICTS
from metaeval import datasets
from metaeval.core.paths import DATA, NOTEBOOKS, ROOT, read_yaml

MADE_UP = {
    "metaeval/__init__.py": 'from importlib import import_module\nPUBLIC = {"score": "metaeval.core.scores"}\n__all__ = list(PUBLIC)\ndef __getattr__(name):\n    return getattr(import_module(PUBLIC[name]), name)',
    "metaeval/core/__init__.py": "",
    "metaeval/core/paths.py": "DATA = EXECUTED = ROOT = None",
    "metaeval/core/errors.py": "",
    "metaeval/core/scores.py": "",
    "metaeval/analysis/__init__.py": "from metaeval.analysis import first, second",
    "metaeval/analysis/first.py": "",
    "metaeval/analysis/second.py": "from metaeval.core.scores import score",
    "metaeval/datasets.py": "",
    "helpers/__init__.py": '"""The package."""',
    "helpers/page.py": "from metaeval import analysis\nanalysis.second.table()",
    "bookbuild/__init__.py": "",
    "bookbuild/runs/execution.py": "from metaeval.core import errors",
    "helpers/facade/__init__.py": '"""Passes on."""\nfrom helpers.facade.one import draw\nfrom helpers.facade.two import plot as paint\n__all__ = ["draw", "paint"]',
    "helpers/lazily/__init__.py": 'from importlib import import_module\nPUBLIC = {"draw": "helpers.facade", "count": "helpers.counting"}\n__all__ = list(PUBLIC)\ndef __getattr__(name):\n    return getattr(import_module(PUBLIC[name]), name)',
    "helpers/facade/one.py": "from helpers.facade import theme\n",
    "helpers/facade/two.py": "from helpers.lazy import inside",
    "helpers/facade/theme.py": "",
    "helpers/facade/page.jinja": "<p>",
    "helpers/counting.py": "",
    "helpers/lazy.py": "def inside():\n    from helpers import late\n    return late",
    "helpers/late.py": "",
    "helpers/claims.py": 'from metaeval.core.paths import DATA\nFOLDER = DATA / "claims" / "a.yml"',
    "helpers/anything.py": "from metaeval.core.paths import DATA as D\nfiles = list(D.glob('*'))",
    "data/claims/a.yml": "a",
    "data/other/b.csv": "b",
    "requirements.txt": "numpy==2",
}
RUN = {"bookbuild.runs.execution", "metaeval.core.errors"}


@pytest.fixture
def made_up(tmp_path):
    for name, text in MADE_UP.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def write_notebook(root, *sources, name="n", tags=()):
    cells = [nbformat.v4.new_code_cell(source, id=f"c{i}") for i, source in enumerate(sources)]
    cells[-1].metadata["tags"] = list(tags)
    path = root / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import numpy", set()),
        ("from helpers import counting", {"counting"}),
        ("from helpers.lazy import inside", {"lazy", "late"}),
        ("def f():\n    import helpers.counting", {"counting"}),
        # of a package that passes names on, the modules of those that are used
        ("from helpers import facade\nfacade.draw()", {"facade.one", "facade.theme"}),
        ("from helpers import facade as f\nf.paint()", {"facade.two", "lazy", "late"}),
        ("from helpers.facade import draw", {"facade.one", "facade.theme"}),
        ("from helpers.facade.theme import x", {"facade.theme"}),
        # and all of them where it cannot be told which
        ("from helpers import facade\ng = facade\ng.draw()", {"facade.one", "facade.two", "facade.theme", "lazy", "late"}),
        ("from helpers import facade\nfacade.other()", {"facade.one", "facade.two", "facade.theme", "lazy", "late"}),
        ("from helpers.facade import *", {"facade.one", "facade.two", "facade.theme", "lazy", "late"}),
        # also of one that imports them when they are used
        ("from helpers.lazily import count", {"counting"}),
        ("from helpers import lazily\nlazily.draw", {"facade.one", "facade.theme"}),
        # and down the storeys
        ("from metaeval import datasets", {"metaeval.datasets"}),
        ("from metaeval import score", {"metaeval.core.scores"}),
        ("from metaeval import analysis\nanalysis.first.table()", {"metaeval.analysis.first"}),
        ("from metaeval.analysis.second import table", {"metaeval.analysis.second", "metaeval.core.scores"}),
        ("from helpers import page", {"page", "metaeval.analysis.second", "metaeval.core.scores"}),
        ("from helpers.page import analysis", {"page", "metaeval.analysis.second", "metaeval.core.scores"}),
    ],
)  # fmt: skip
def test_modules_are_followed_through_imports(made_up, code, modules):
    inputs = Project(made_up).inputs(write_notebook(made_up, code), simulated=False)
    expected = {name if name.startswith("metaeval.") else f"helpers.{name}" for name in modules}
    assert set(inputs.modules) == expected | RUN


@pytest.mark.parametrize(
    "code",
    [
        "import helpers",
        "import metaeval",
        "from helpers import not_there",
        "from metaeval import not_there",
        "from metaeval.not_there import x",
        "%time f()",
    ],
)
def test_what_reading_cannot_settle_depends_on_every_module(made_up, code):
    project = Project(made_up)
    inputs = project.inputs(write_notebook(made_up, code), simulated=False)
    assert set(inputs.modules) == set(project.graph.files)


@pytest.mark.parametrize(
    ("code", "paths"),
    [
        ("from helpers import counting", ()),
        ("from helpers import claims", ("data/claims/a.yml",)),
        ("from helpers import anything", ("data",)),
        ('from metaeval.core.paths import ROOT\nROOT / "data"', ("data",)),
        ('from metaeval.core.paths import ROOT\nROOT / "data" / "other"', ("data/other",)),
        ("from metaeval.core.paths import ROOT\nprint(ROOT)", ("data",)),
        ('path: str = "data/other/b.csv"  # a file\nname: str = "a/b"  # not one', ("data/other/b.csv",)),
        ("from metaeval.core.paths import EXECUTED\nEXECUTED.glob('*')", ("book/executed",)),
    ],
)
def test_data_count_for_those_who_name_them(made_up, code, paths):
    assert Project(made_up).inputs(write_notebook(made_up, code), simulated=False).paths == paths


def readable(monkeypatch, *files):
    """Let these pinned files be all that can be read."""
    rows = [(file, "c0ffee", "mirror") for file in files]
    table = pd.DataFrame(rows, columns=["file", "commit", "where"], dtype=object)
    monkeypatch.setattr(datasets, "availability", lambda: table)


def values(root, monkeypatch, **environment):
    readable(monkeypatch)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    names = ["claims", "facade", "last"]
    by_name = module.fingerprints(names, root, Project(root))
    assert [by_name[name].runs_last for name in names] == [False, False, True]
    return [by_name[name].value for name in names]


def test_a_fingerprint_moves_with_what_it_stands_for_and_with_nothing_else(made_up, monkeypatch):
    monkeypatch.setenv("DATA", "real")
    write_notebook(made_up, "from helpers import claims", name="claims")
    write_notebook(
        made_up, "from helpers import facade", "facade.draw()", "widget", name="facade", tags=["live"]
    )
    write_notebook(made_up, "from metaeval.core.paths import EXECUTED", "EXECUTED", name="last")
    before = values(made_up, monkeypatch)

    def moved(path, text):
        path, earlier = made_up / path, (made_up / path).read_text()
        path.write_text(text)
        after = values(made_up, monkeypatch)
        path.write_text(earlier)
        return [b != a for b, a in zip(before, after, strict=True)]

    # what the others' runs left is known when they have run, not here
    assert moved("data/claims/a.yml", "other") == [True, False, False]
    assert moved("helpers/facade/one.py", "from helpers.facade import theme  # new") == [False, True, False]
    assert moved("helpers/facade/two.py", "") == [False, False, False]
    assert moved("helpers/facade/page.jinja", "<b>") == [False, True, False]
    assert moved("metaeval/core/errors.py", "new = 1") == [True, True, True]
    assert moved("helpers/counting.py", "new = 1") == [False, False, False]
    assert moved("data/other/b.csv", "other") == [False, False, False]
    assert moved("requirements.txt", "numpy==3") == [True, True, True]
    live = (made_up / "facade.ipynb").read_text().replace("widget", "another widget")
    assert moved("facade.ipynb", live) == [False, False, False]
    text = (made_up / "facade.ipynb").read_text().replace("facade.draw()", "facade.draw( )")
    assert moved("facade.ipynb", text) == [False, True, False]
    assert [a != b for a, b in zip(before, values(made_up, monkeypatch, DATA="simulated"), strict=True)] == [
        True
    ] * 3


def left_by(folder, verdicts, **more):
    """A run that left these verdicts, and what it shows besides."""
    outputs = [nbformat.v4.new_output("display_data", {VERDICTS: verdicts, **more})]
    cells = [nbformat.v4.new_code_cell("", outputs=outputs)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "topk.ipynb")
    return module.digest_verdicts(folder)


def test_what_runs_left_moves_with_verdicts_alone(tmp_path):
    before = left_by(tmp_path, [{"verdict": "holds"}])
    assert left_by(tmp_path, [{"verdict": "holds"}], **{"text/html": "<p>"}) == before
    assert left_by(tmp_path, [{"verdict": "differs"}]) != before
    (tmp_path / "topk.ipynb").rename(tmp_path / ".topk.ipynb")  # as while it is being executed
    assert module.digest_verdicts(tmp_path) == module.digest_verdicts(tmp_path / "nowhere")


def test_the_code_of_a_module_is_all_that_it_uses_and_names(made_up):
    def codes():
        return [Project(made_up).code(f"helpers.{name}") for name in ("claims", "facade.one")]

    before = codes()
    for path, moves in (
        ("helpers/facade/theme.py", [False, True]),
        ("helpers/facade/two.py", [False, False]),
        ("data/claims/a.yml", [True, False]),
    ):
        earlier = (made_up / path).read_text()
        (made_up / path).write_text("other = 1")
        assert [b != a for b, a in zip(before, codes(), strict=True)] == moves, path
        (made_up / path).write_text(earlier)


def test_a_row_of_the_columns_counts_for_those_who_name_it(made_up):
    """Rows count by their name as a word in the notebook or its modules: of `TABLE.name` the last part."""
    columns = made_up / "data/columns.yml"
    columns.write_text("first:\nsecond: 2\nthird: {label: 3}\nfourth: 4\n")
    (made_up / "helpers/columns.py").write_text(
        "from metaeval.core.paths import DATA\nTABLE = DATA / 'columns.yml'"
    )
    (made_up / "helpers/counting.py").write_text("from helpers import columns\nrow = {'second': 2}")
    names = write_notebook(
        made_up, "from helpers import counting\nfirst = f'fourth_{counting}_of'", name="names"
    )
    other = write_notebook(made_up, "from helpers import columns", name="other")
    none = write_notebook(made_up, "from helpers import claims\n'second'", name="none")

    def digests():
        project = Project(made_up)
        return [project.digest(path, project.inputs(path, simulated=False)) for path in (names, other, none)]

    def moved(text):
        columns.write_text(text)
        return [after != before for after, before in zip(digests(), start, strict=True)]

    start = digests()
    assert moved("# new\nsecond: 2\nfirst:\nthird: {label: 3}\nfourth: 4\n") == [False] * 3
    assert moved("first:\nsecond: 3\nthird: {label: 3}\nfourth: 4\n") == [True, False, False]
    assert moved("first: 1\nsecond: 2\nthird: {label: 3}\nfourth: 4\n") == [True, False, False]
    assert moved("first:\nsecond: 2\nthird: {label: 4}\n") == [False] * 3
    more = "first:\nsecond: 2\nthird: {label: 3}\nfourth: 4\n"
    assert moved(f"{more}fourth_5: 5\n") == moved(f"{more}n_of: 5\n") == [True, False, False]
    assert moved("first:\nsecond: 2\nthird: {label: 3}\nfourth: 4\nscores.second: 5\n") == [
        True,
        False,
        False,
    ]
    assert {f"data/{path.name}" for path in DATA.glob("*.yml")} >= module.BY_ROWS


def test_the_help_of_its_own_parameters_counts_and_nothing_else_of_the_table(project, monkeypatch):
    names = ("topk", "systems")
    inputs = {name: project.inputs(NOTEBOOKS / f"{name}.ipynb", simulated=False) for name in names}
    assert all("helpers.kit.declarations" in one.modules for one in inputs.values())
    assert not [one for one in inputs.values() if {"data/parameters.yml", "notebooks"} & {*one.paths}]

    def digests():
        return [project.digest(NOTEBOOKS / f"{name}.ipynb", inputs[name]) for name in names]

    def moved(**fields):
        changed = {**rows, "k": rows["k"] | fields}
        monkeypatch.setattr(declarations, "table_rows", lambda: changed)
        return [after != before for after, before in zip(digests(), start, strict=True)]

    start, rows = digests(), declarations.table_rows()
    assert moved(label="Best", slider=[3, 9]) == [False, False]
    assert moved(help="the k best systems") == [True, False]


def test_live_blocks_are_for_readers_and_no_batch_run_depends_on_them(touched_by):
    for name in module.INTERACTIVE:
        assert touched_by(name) == set(), name


def test_who_takes_titles_from_the_book_does_not_hang_on_what_runs_left_in_it(made_up):
    titles = made_up / "helpers/kit/titles.py"
    titles.parent.mkdir()
    titles.write_text("from metaeval.core.paths import BOOK\nPAGES = BOOK.glob('*.md')\n")
    before = Project(made_up).code(module.TITLES)
    (made_up / "book/executed").mkdir(parents=True)
    (made_up / "book/executed/topk.ipynb").write_text("{}")
    assert Project(made_up).code(module.TITLES) == before


def test_readable_files_count_for_those_who_read_sources(made_up, monkeypatch):
    write_notebook(made_up, "from metaeval import datasets", name="reads")
    write_notebook(made_up, "from helpers import claims", name="reads_not")
    digests = []
    for files in ([], ["one file"]):
        readable(monkeypatch, *files)
        digests.append(module.fingerprints(["reads", "reads_not"], made_up, Project(made_up)))
    assert digests[0]["reads"] != digests[1]["reads"]
    assert digests[0]["reads_not"] == digests[1]["reads_not"]


# ------------------------------------------------------------------------------------------ our project


@pytest.fixture(scope="module")
def touched_by(project):
    """A function from a module or a folder of data to the notebooks that depend on it, on real data."""
    inputs = {path.stem: project.inputs(path, simulated=False) for path in NOTEBOOKS.glob("*.ipynb")}
    return lambda name: {n for n, one in inputs.items() if name in (*one.modules, *one.paths)}


@pytest.mark.parametrize(
    ("name", "notebooks"),
    [
        ("helpers.experiments.likeness", {"likeness"}),
        ("helpers.experiments.scorecard", {"scorecard"}),
        ("data/listed_systems", {"disagreements"}),
    ],
)
def test_a_change_touches_these_notebooks(touched_by, name, notebooks):
    assert touched_by(name) == notebooks


def test_a_change_below_everything_touches_every_notebook(touched_by):
    everything = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    for name in ("helpers.kit.display", "metaeval.core.errors", module.RUNNER, "metaeval.core.mode"):
        assert touched_by(name) == everything, name


def test_a_module_of_one_page_touches_few_notebooks(touched_by):
    for path in NOTEBOOKS.glob("*.ipynb"):
        name = f"helpers.experiments.{path.stem}"
        assert path.stem in touched_by(name)
        assert len(touched_by(name)) <= 4, name


def test_every_column_of_a_recorded_table_counts_for_a_notebook(project):
    """Else its label could change while the table is not written again."""
    (path,) = module.BY_ROWS
    named = set()
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        rows = project.rows(path, project.inputs(notebook, simulated=False).modules)
        assert "metric" in rows
        named |= set(rows)
    recorded = set().union(
        *(pd.read_csv(file, nrows=0).columns for file in (DATA / "recorded").glob("fig-*.csv"))
    )
    assert {name for name in recorded if name in read_yaml(ROOT / path)} <= named


def test_only_what_reads_the_others_results_runs_after_them(project):
    last = {
        path.stem
        for path in NOTEBOOKS.glob("*.ipynb")
        if project.inputs(path, simulated=False).reads_executed
    }
    assert last == {"scorecard"}


def test_names_of_modules_that_the_build_knows_exist(project):
    names = {module.RUNNER, module.SOURCES, module_graph.PATHS_MODULE, *module.READ_WHEN_SIMULATED}
    assert names | module.INTERACTIVE | set(module.IN_PART) <= set(project.graph.files)
    assert (ROOT / module.RECORDED).is_dir()


def test_what_reading_relies_on_holds(project):
    """Packages only pass names on; imports are absolute, and none of ours is by a computed name."""
    packages = {name for name, path in project.graph.files.items() if path.name == "__init__.py"}
    assert packages == set(project.graph.facades)
    by_name = set()
    for name, path in project.graph.files.items():
        text = path.read_text(encoding="utf8")
        if not re.search(r"from\s+\.|import_module|__import__|exec|run_path", text):
            continue
        for node in ast.walk(ast.parse(text)):
            assert not (isinstance(node, ast.ImportFrom) and node.level), name
            if isinstance(node, ast.Name | ast.Attribute):
                word = node.id if isinstance(node, ast.Name) else node.attr
                by_name |= {name} if word in ("import_module", "__import__", "exec", "run_path") else set()
    # the lazy names, the command line, and what may not be installed
    assert by_name <= {"metaeval", "metaeval.command", "metaeval.metrics.text"}


def test_no_result_depends_on_how_it_is_published(project, touched_by):
    runner = project.graph.closure([module.RUNNER])
    for name in project.graph.files:
        if name.startswith("bookbuild") and name not in runner:
            assert touched_by(name) == set(), name
    others = {
        f"bookbuild.runs.{name}" for name in ("sweep", "record", "kernel_preload", "kernel_preload_data")
    }
    assert (
        not {name for name in runner if name.startswith(("bookbuild.site", "bookbuild.tools"))}
        | others & runner
    )


def test_no_result_depends_on_what_a_reader_could_move(project, touched_by):
    for name in project.graph.files:
        if name.startswith("helpers.kit.live."):
            assert touched_by(name) == set() or name not in module.INTERACTIVE, name
    assert {name.rpartition(".")[2] for name in module.INTERACTIVE} == {"block", "boxes", "choices"}


def test_recorded_results_are_an_input_of_simulated_runs(project):
    for name in ("topk", "likeness"):
        assert "data/recorded" in project.inputs(NOTEBOOKS / f"{name}.ipynb", simulated=True).paths
        assert "data/recorded" not in project.inputs(NOTEBOOKS / f"{name}.ipynb", simulated=False).paths


def test_paths_into_the_project_are_made_in_one_place(project):
    """Folders are read off `metaeval.core.paths`; paths made elsewhere would be missed."""
    for name, path in project.graph.files.items():
        if name != "metaeval.core.paths":
            assert "__file__" not in path.read_text(encoding="utf8"), name


# runs the cells it is given and prints, as the interpreter saw it: whose functions were called, which files
# were opened, which modules imported
WATCH = """
import json, os, sys, threading

called, opened, namespace = set(), set(), {}
storeys, sources = json.load(sys.stdin)
ours = tuple(f"{os.getcwd()}/{storey}/" for storey in storeys)

def watch(frame, event, argument):
    file = frame.f_code.co_filename
    if event == "call" and file.startswith(ours) and file not in called and not while_importing(frame):
        called.add(file)

def while_importing(frame):
    while frame is not None and not frame.f_code.co_filename.startswith("cell "):
        if frame.f_code.co_name == "<module>":
            return True
        frame = frame.f_back
    return False

def audit(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.add(arguments[0])

cells = [compile(source, f"cell {i}", "exec") for i, source in enumerate(sources)]
sys.addaudithook(audit)
threading.setprofile(watch)
sys.setprofile(watch)
for cell in cells:
    exec(cell, namespace)
sys.setprofile(None)
imported = [name for name in sys.modules if name.split(".")[0] in storeys]
print("WATCHED", json.dumps([sorted(called), sorted(opened), imported]), sep="")
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["topk", "document", "speed", "annotations"])
def test_runs_use_nothing_that_reading_missed(project, name):
    path = NOTEBOOKS / f"{name}.ipynb"
    cells = [cell for cell in batch_cells(path) if cell["cell_type"] == "code"]
    code = ["".join(cell["source"]) for cell in cells]
    assignments = [f"{parameter} = {value!r}" for parameter, value in quick_settings()[name].items()]
    (place,) = (i for i, cell in enumerate(cells) if "parameters" in cell["metadata"].get("tags", []))
    code[place] += "\n" + "\n".join(assignments)
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCH],
        input=json.dumps([module.STOREYS, code]),
        env={**os.environ, "DATA": "simulated"},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-2000:]
    line = next(line for line in process.stdout.splitlines() if line.startswith("WATCHED"))
    called, opened, imported = json.loads(line.removeprefix("WATCHED"))
    called, opened = (
        {str(Path(file).relative_to(ROOT)) for file in files if Path(file).is_relative_to(folder)}
        for files, folder in ((called, ROOT), (opened, DATA))
    )
    inputs, graph = project.inputs(path, simulated=True), project.graph
    assert called
    templates = {file for file in called if file.endswith(".jinja")}  # read with the modules beside them
    # a package that passes names on is asked for them, and is no input: the modules behind the names are
    read = {*inputs.modules, *graph.facades}
    assert called - templates <= {str(graph.files[module].relative_to(ROOT)) for module in read}
    assert {file for file in opened if not file.startswith(inputs.paths)} == set()
    # what is imported beyond that is only passed on by a package, and none of its functions was called
    passed_on = {source for names in graph.facades.values() for source, _ in names.values()}
    # and so is a reader that `load` imports
    readers = {name for name in graph.files if name.startswith(READERS)}
    assert set(imported) <= {*inputs.modules, *graph.facades, *graph.closure(passed_on), *readers}


def test_what_pages_are_called_is_an_input_and_neither_their_texts_nor_their_runs(project, monkeypatch):
    notebook = NOTEBOOKS / "topk.ipynb"
    inputs = project.inputs(notebook, simulated=False)
    assert module.TITLES in inputs.modules
    assert all(path.split("/")[0] == "data" for path in inputs.paths)
    before = project.digest(notebook, inputs)
    with monkeypatch.context() as changed:
        changed.setattr(module, "page_titles", lambda: {"topk": "Another title"})
        assert project.digest(notebook, inputs) != before
    assert project.digest(notebook, inputs) == before


def test_a_notebook_depends_on_its_own_finding_and_on_no_other(project, monkeypatch, tmp_path):
    notebook = NOTEBOOKS / "topk.ipynb"
    inputs = project.inputs(notebook, simulated=False)
    monkeypatch.setattr(module.findings, "FOLDER", tmp_path)
    before = project.digest(notebook, inputs)
    (tmp_path / "margins.yml").write_text("question: |\n  Why?\n")
    assert project.digest(notebook, inputs) == before
    (tmp_path / "topk.yml").write_text("question: |\n  Why?\n")
    assert project.digest(notebook, inputs) != before


def test_a_folder_does_not_count_whole_what_counts_in_part(made_up):
    path = write_notebook(made_up, "from helpers import anything")
    (made_up / "data").mkdir(exist_ok=True)

    def digest():
        project = Project(made_up)
        return project.digest(path, project.inputs(path, simulated=False))

    first = digest()
    for name in ("columns.yml", "parameters.yml"):
        (made_up / "data" / name).write_text("page: {label: Page}\n")
    assert digest() == first
    (made_up / "data" / "other.yml").write_text("page: 1\n")
    assert digest() != first


@pytest.mark.parametrize(("name", "file"), [("leaderboard", "rouge_155"), ("rescored", "rescored_155")])
def test_recorded_scores_of_a_script_are_an_input_of_every_run(project, name, file):
    for simulated in (True, False):
        inputs = project.inputs(NOTEBOOKS / f"{name}.ipynb", simulated=simulated)
        assert f"data/recorded/{file}.csv" in inputs.paths


# ------------------------------------------------------------------- readers, by the names of their data sets

READERS = "metaeval.datasets.readers"


def test_a_reader_counts_for_those_who_name_one_of_its_data_sets(project, touched_by):
    by_all = {"benchmarks", "observations", "summaries", "systems", "topk", "measures", "your_metric"}
    assert {"bias", "judges", "pairs", "votes"} | by_all == touched_by(f"{READERS}.arena")
    assert "findings" in touched_by(f"{READERS}.rose")
    # without a name: what every data set is read with, and what another module imports itself
    everything = touched_by("metaeval.datasets.catalogue")
    assert everything == touched_by(f"{READERS}.tables") > touched_by(f"{READERS}.rose")
    assert "leaderboard" in touched_by(f"{READERS}.tac") < everything
    assert {"sera", "index_size"} <= touched_by(f"{READERS}.stories") < everything


@pytest.mark.parametrize(
    ("code", "rose", "wmt"),
    [
        ('from metaeval.datasets import load\nload("rose-llm")', True, False),
        ('from metaeval.datasets import load\nload("simulated-rose")', True, False),
        ('from metaeval.datasets import load\nload("primrose")', False, False),
        ("from metaeval import datasets\ndatasets.load(name)", False, False),
        ("from metaeval import datasets\ndatasets.names()", True, True),
        ("from metaeval.datasets import load_with", True, True),
        ("from metaeval.datasets.catalogue import DATASETS", True, True),
        ("from metaeval.datasets import translation_scores", False, True),
        ("from metaeval import datasets\nf = datasets\nf.load(name)", True, True),
    ],
)
def test_names_of_data_sets_are_read_off_the_code(project, tmp_path, code, rose, wmt):
    modules = project.inputs(write_notebook(tmp_path, code), simulated=False).modules
    assert [f"{READERS}.{name}" in modules for name in ("rose", "wmt")] == [rose, wmt]


def test_a_parameter_of_a_sweep_brings_the_reader_of_its_data_set(project):
    notebook = NOTEBOOKS / "tests.ipynb"
    assert f"{READERS}.rose" not in project.inputs(notebook, simulated=False).modules
    swept = project.inputs(notebook, simulated=False, settings='[{"dataset": "rose"}]')
    assert f"{READERS}.rose" in swept.modules


def test_every_data_set_has_its_reader_in_the_graph(project):
    named = [name for names in module.DATA_SETS.values() for name in names]
    assert set(named) == {*datasets.names(), *datasets.pair_names()}
    assert module.DATA_SETS.keys() <= project.graph.files.keys()
    assert all(name.startswith(module.READERS) for name in module.DATA_SETS)
