"""Whatever is found by a string is there: a module that moves takes the strings that name it along, or a test fails.

Some of these strings are read at run time only, and what reads them may pass over one that names nothing.
"""

import ast
import gc
import importlib
import inspect
import pkgutil
import re
import shlex
import textwrap
import tomllib
from collections import defaultdict
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pkgutil import resolve_name

import jinja2
import pytest
import yaml

import metaeval
from benchmarks.reasons import path_of, reasons
from bookbuild.__main__ import PROGRAM as BOOK
from bookbuild.runs import fingerprints
from bookbuild.site import rendering
from metaeval.__main__ import PROGRAM as LIBRARY
from metaeval.core.paths import DATA, NOTEBOOKS, PACKAGE, ROOT
from metaeval.datasets import names as dataset_names
from metaeval.metrics import cache as cache_of_metrics
from metaeval.metrics import registry
from metaeval.metrics.pyramid import features
from tests.each import each

OURS = (*fingerprints.STOREYS, "tests", "benchmarks")
# they name modules that there are none of
INVENTED = {
    "tests/test_found_by_name.py",
    "tests/test_layers.py",
    "tests/bookbuild/runs/test_fingerprints.py",
}
MADE_UP = "helpers.kit.elsewhere"
UNKNOWN = "something"
KINDS = (ast.BinOp, ast.Call, ast.Constant, ast.JoinedStr, ast.List, ast.Tuple)
DOTTED = re.compile(rf"(?:{'|'.join(OURS)})(?:\.\w+)+(?::[\w.]+)?")


@cache
def sources():
    """Each file of code, from the root, and its tree."""
    found = {
        str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf8"))
        for folder in OURS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    return {name: tree for name, tree in found.items() if name not in INVENTED}


@cache
def nodes_of_files():
    """Each file of code, and the nodes of its tree: a million in all, which are walked once."""
    return {name: list(ast.walk(tree)) for name, tree in sources().items()}


@cache
def nodes_by_kind():
    """Type of a node -> (place, node) of all of them."""
    found = defaultdict(list)
    for name, nodes in nodes_of_files().items():
        for node in nodes:
            if isinstance(node, KINDS):
                found[type(node)].append((f"{name}:{node.lineno}", node))
    return found


@pytest.fixture(scope="module", autouse=True)
def forgets_the_trees():
    """What is cached here would be looked through by every later search for garbage: seconds each."""
    gc.disable()  # no garbage among what is parsed
    yield
    for cached in (sources, nodes_of_files, nodes_by_kind):
        cached.cache_clear()
    gc.enable()


def nodes_of(*kinds):
    return [one for kind in kinds for one in nodes_by_kind()[kind]]


@cache
def is_module(name):
    try:
        return find_spec(name) is not None
    except ImportError:  # of what it stands in
        return False


@cache
def exists(name):
    """Whether a name stands for something: ``metaeval.stats.ties``, ``metaeval.api:load``, ``metaeval.api.load``."""
    if ":" not in name and is_module(name):  # not imported: some change the process that imports them
        return True
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def missing_imports(nodes):
    """Names of ours that some code imports and nobody has, wherever in it they stand; also attributes of modules."""
    gone, modules = [], defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Import):
            gone += [alias.name for alias in node.names if _is_ours(alias.name) and not is_module(alias.name)]
        elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                modules[alias.asname or alias.name].add(name)
                if not is_module(name) and not exists(f"{node.module}:{alias.name}"):
                    gone.append(name)
    unsure = bound(nodes)
    meant = {name: next(iter(of)) for name, of in modules.items() if len(of) == 1 and name not in unsure}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = meant.get(node.value.id, "")
            if (
                name
                and is_module(name)
                and not exists(f"{name}:{node.attr}")
                and not is_module(f"{name}.{node.attr}")
            ):
                gone.append(f"{name}.{node.attr}")
    return gone


def bound(nodes):
    """Names that stand for something else than what is imported, at least somewhere in the code."""
    return {
        node.id if isinstance(node, ast.Name) else node.arg
        for node in nodes
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    }


def _is_ours(module):
    return module.split(".")[0] in OURS


def told(gone):
    return "\n".join(map(str, gone))


# ---- names in the library ----


@each("name", metaeval.PUBLIC)
def test_a_public_name_is_where_its_module_is_said_to_have_it(name):
    assert hasattr(importlib.import_module(metaeval.PUBLIC[name]), name)


@each("scorer", sorted({registry.metric(name).scorer for name in registry.names()}))
def test_a_metric_s_scorer_is_a_function_of_the_metrics(scorer):
    function = resolve_name(scorer)
    assert inspect.isfunction(function)
    assert function.__module__.startswith("metaeval.metrics.")  # the code that its kept scores hang on


def test_what_is_kept_of_metrics_hangs_on_all_their_code():
    walked = pkgutil.walk_packages([str(PACKAGE / "metrics")], "metaeval.metrics.")
    names = ["metaeval.metrics", *(found.name for found in walked)]
    paths = sorted((ROOT / find_spec(name).origin) for name in names)
    assert len(paths) > 20
    expected = cache_of_metrics.checksum(b"\0".join(path.read_bytes() for path in paths))
    assert cache_of_metrics.code.__wrapped__() == expected


def test_what_is_kept_of_features_hangs_on_modules_that_are_there():
    assert [name for name in features.MADE_BY if not is_module(name)] == []
    assert cache_of_metrics.code.__wrapped__(*features.MADE_BY) != cache_of_metrics.code.__wrapped__()


# ---- names in the machine ----


@each("module", [of for program in (LIBRARY, BOOK) for of, _ in program.commands.values()])
def test_a_command_is_a_module_that_can_be_asked(module):
    found = importlib.import_module(module)
    assert callable(found.add_arguments)
    assert callable(found.main)


def test_what_every_fingerprint_names_is_there():
    known = fingerprints.Project().graph.files
    assert fingerprints.RUNNER in known
    assert fingerprints.TITLES in known
    assert fingerprints.SOURCES in known
    assert any(name.startswith(f"{fingerprints.SOURCES}.") for name in known)
    assert set(known) >= fingerprints.READ_WHEN_SIMULATED
    assert (ROOT / fingerprints.RECORDED).is_dir()
    assert [name for name in fingerprints.STOREYS if not is_module(name)] == []


@pytest.mark.parametrize("name", ["bookbuild.runs.kernel_preload", "bookbuild.runs.kernel_preload_data"])
def test_what_kernels_find_imported_can_be(name):
    """There, what cannot be imported is passed over."""
    with open(find_spec(name).origin, encoding="utf8") as file:
        tree = ast.parse(file.read())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in imported:
        exec(compile(ast.Module([node], []), name, "exec"), {})
    assert len(imported) > 2
    assert missing_imports(list(ast.walk(tree))) == []


def test_what_kernels_find_read_are_data_sets():
    shared = strings_of("bookbuild/runs/kernel_preload_data.py", "SHARED")
    assert len(shared) > 2
    assert set(shared) <= set(dataset_names())


def test_extensions_of_sphinx_are_there():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))["sphinx"]
    wanted = strings_of("bookbuild/site/rendering.py", "_PRELOADED")
    listed = config["config"]["extensions"]
    assert len(wanted) > 5
    assert rendering.EXTENSION in listed
    assert [name for name in [*listed, *wanted, rendering.EXTENSION] if not is_module(name)] == []
    assert callable(resolve_name(f"{rendering.EXTENSION}:setup"))


def strings_of(file, constant):
    """The strings in the value of a constant, which may be a module's own."""
    (value,) = [
        node.value
        for node in sources()[file].body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [constant]
    ]
    return [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]


# ---- names anywhere in the code ----


def test_whatever_the_code_imports_is_there():
    gone = [f"{name}: {one}" for name, nodes in nodes_of_files().items() for one in missing_imports(nodes)]
    assert not gone, told(gone)


def test_a_dotted_name_in_a_string_stands_for_something():
    found = [
        (place, node.value)
        for place, node in nodes_of(ast.Constant)
        if isinstance(node.value, str) and DOTTED.fullmatch(node.value)
    ]
    assert len(found) > 100
    gone = [one for one in found if not exists(one[1]) and not (ROOT / one[1]).exists() and one[1] != MADE_UP]
    assert not gone, told(gone)


def test_code_in_a_string_imports_what_there_is():
    """Such as that of a process of its own."""
    n_found, gone = 0, []
    for place, node in nodes_of(ast.Constant, ast.JoinedStr):
        code = textwrap.dedent(text_of(node))
        if not re.search(rf"\bimport\b.*|from (?:{'|'.join(OURS)})\b", code) or not DOTTED.search(code):
            continue
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        nodes = list(ast.walk(tree))
        n_found += any(isinstance(part, ast.Import | ast.ImportFrom) for part in nodes)
        gone += [f"{place}: {name}" for name in missing_imports(nodes)]
    gone = [one for one in gone if not (MADE_UP in one or one.endswith(f".{UNKNOWN}"))]
    assert n_found > 10
    assert not gone, told(gone)


def text_of(node):
    """A string as it stands, with `UNKNOWN` for what is only known when it is made."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(text_of(part) if isinstance(part, ast.Constant) else UNKNOWN for part in node.values)


def test_a_module_that_a_process_is_to_run_can_be_run():
    found = []
    for place, node in nodes_of(ast.List, ast.Tuple, ast.Call):
        parts = node.args if isinstance(node, ast.Call) else node.elts
        words = [part.value if isinstance(part, ast.Constant) else None for part in parts]
        names = [after for word, after in pairwise(words) if word == "-m"]
        found += [(place, name) for name in names if isinstance(name, str) and re.fullmatch(r"[\w.]+", name)]
    assert {name for _, name in found} >= {"metaeval", "bookbuild", "pip"}
    gone = [one for one in found if not can_be_run(one[1])]
    assert not gone, told(gone)


def can_be_run(module):
    return is_module(f"{module}.__main__") or (
        is_module(module) and find_spec(module).origin.endswith(f"{module.split('.')[-1]}.py")
    )


def test_a_path_of_code_or_tests_that_is_written_out_is_there():
    """``ROOT / "metaeval" / "stats" / "kernels.py"``; of data and of what is built other tests ask."""
    found = []
    for place, node in nodes_of(ast.BinOp):
        parts = path_parts(node)
        if parts[:1] == ["ROOT"] and len(parts) > 1 and parts[1].split("/")[0] in OURS:
            found.append((place, "/".join(parts[1:])))
    assert len(found) > 5
    gone = [one for one in found if not (ROOT / one[1]).exists()]
    assert not gone, told(gone)


def path_parts(node):
    """Names and strings that are put together by ``/``, up to the first that is neither."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        above = path_parts(node.left)
        return [*above, node.right.value] if above and isinstance(node.right, ast.Constant) else above
    return [node.id] if isinstance(node, ast.Name) else []


def test_templates_load_from_the_packages_that_are_named():
    calls = [(place, node) for place, node in nodes_of(ast.Call) if ast.unparse(node.func) == "PackageLoader"]
    assert {place.split("/")[0] for place, _ in calls} == {*fingerprints.STOREYS}
    templates = []
    for place, call in calls:
        environment = jinja2.Environment(loader=jinja2.PackageLoader(*(one.value for one in call.args)))
        tree = sources()[place.partition(":")[0]]
        asked = [
            node.args[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".get_template")
        ]
        assert asked, place
        templates += [environment.get_template(name).name for name in asked]
    beside = {path.name for storey in fingerprints.STOREYS for path in (ROOT / storey).rglob("*.jinja")}
    assert {*templates} == beside


def test_files_beside_modules_are_there():
    found = [
        (place, node.left.args[0].value, node.right.value)
        for place, node in nodes_of(ast.BinOp)
        if isinstance(node.left, ast.Call)
        and ast.unparse(node.left.func) == "files"
        and isinstance(node.left.args[0], ast.Constant)
        and _is_ours(node.left.args[0].value)
    ]
    assert found
    assert [one for one in found if not (files(one[1]) / one[2]).is_file()] == []


# ---- names in files that are no code ----


def project_of(folder):
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf8"))


@pytest.mark.parametrize("folder", [".", "bookbuild"])
def test_entry_points_are_there(folder):
    project = project_of(folder)["project"]
    groups = [project.get("scripts", {}), *project.get("entry-points", {}).values()]
    named = [name for group in groups for name in group.values()]
    assert named
    assert all(callable(one) or inspect.ismodule(one) for one in map(resolve_name, named))


def test_what_a_wheel_and_a_source_archive_hold_is_there():
    hatch = project_of(".")["tool"]["hatch"]
    wheel, sdist = (hatch["build"]["targets"][name] for name in ("wheel", "sdist"))
    named = [hatch["version"]["path"], *wheel["packages"], *wheel["force-include"], *sdist["include"]]
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert {*sdist["include"]} >= {
        *wheel["packages"],
        *wheel["force-include"],
    }  # a wheel can be built from it
    inside = {target.removeprefix("metaeval/share/") for target in wheel["force-include"].values()}
    assert inside == {*wheel["force-include"]}  # where `metaeval.core.paths` looks for them
    assert (PACKAGE / "py.typed").is_file()


def test_what_the_library_reads_of_data_and_book_comes_with_the_wheel():
    carried = [*project_of(".")["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]]
    named = {
        "/".join([parts[0].lower(), *parts[1:]])
        for place, node in nodes_of(ast.BinOp)
        if place.startswith("metaeval/") and not place.startswith("metaeval/core/paths.py")
        for parts in [path_parts(node)]
        if parts[:1] in (["DATA"], ["BOOK"]) and len(parts) > 1
    }
    assert {"data/registry", "book/references.bib"} <= named
    assert {one for one in named if not f"{one}/".startswith(tuple(f"{name}/" for name in carried))} == set()


def test_modules_and_notebooks_that_data_name_are_there():
    named = [
        (path.name, name)
        for path in sorted(DATA.rglob("*.yml"))
        for name in DOTTED.findall(path.read_text(encoding="utf8"))
        if name.split(".")[0] in fingerprints.STOREYS
    ]
    assert named
    assert [one for one in named if not exists(one[1])] == []
    quick = yaml.safe_load((DATA / "quick.yml").read_text(encoding="utf8"))
    assert {*quick} == {path.stem for path in NOTEBOOKS.glob("*.ipynb")}


def test_modules_that_reasons_for_mutants_name_are_there():
    assert {one["module"] for one in reasons() if not (ROOT / path_of(one)).is_file()} == set()


CALLED = [ROOT / "Makefile", ROOT / ".ci" / "run", *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]


@pytest.mark.parametrize("path", CALLED, ids=lambda path: path.name)
def test_files_and_modules_that_make_and_ci_name_are_there(path):
    text = re.sub(r"\\\n\s*", " ", path.read_text(encoding="utf8"))
    lines = [line for line in text.splitlines() if "rm -rf" not in line]  # what is made, and goes
    folders = "|".join([*OURS, "book", "data", "notebooks"])
    named = [
        name
        for line in lines
        for name in re.findall(
            rf"(?<![\w./$()-])((?:{folders})/[\w./-]*\w|[\w-]+\.(?:py|toml|txt))(?![\w*/])", line
        )
    ]
    assert [name for name in named if not (ROOT / name).exists()] == []
    modules = [
        name for line in lines for name in re.findall(r"(?:python|\(PYTHON\))(?: -\w)* -m ([\w.]+)", line)
    ]
    assert [name for name in modules if not can_be_run(name) and name != "pip"] == []
    if path.name == "Makefile":
        assert {"requirements.txt", "bookbuild/tools/install_lock.py", "bookbuild/pyproject.toml"} <= set(
            named
        )
        assert {"bookbuild", "benchmarks.mutants", "pytest", "venv"} <= set(modules)
        asked = [shlex.split(words)[0] for words in re.findall(r"-m bookbuild ([^)\n]+)", text)]
        assert [command for command in asked if command not in BOOK.commands] == []


# ---- that these tests see what they are for ----


@pytest.mark.parametrize(
    ("code", "gone"),
    [
        ("from metaeval.stats import ties", []),
        ("from metaeval import load", []),
        ("from metaeval.stats.ties import gone", ["metaeval.stats.ties.gone"]),
        ("def f():\n    from metaeval.gone import x", ["metaeval.gone.x"]),
        ("import helpers.figures", ["helpers.figures"]),
        ("from metaeval.core import paths\npaths.ROOT, paths.gone", ["metaeval.core.paths.gone"]),
        ("from metaeval.core import paths\ndef f(paths): return paths.gone", []),
        (
            "def f():\n    from metaeval.metrics import sera as s\ndef g():\n    from metaeval.core import paths as s\n    s.ROOT",
            [],
        ),
        ("from numpy import gone", []),
    ],
)
def test_what_is_gone_is_seen(code, gone):
    assert missing_imports(list(ast.walk(ast.parse(code)))) == gone


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("metaeval.stats.ties", True),
        ("metaeval.metrics.rouge:rouge_scores", True),
        ("metaeval.core.paths.ROOT", True),
        ("metaeval.stats.gone", False),
        ("metaeval.metrics.rouge:gone", False),
        ("helpers.figures", False),
    ],
)
def test_a_name_that_stands_for_nothing_is_told_apart(name, there):
    assert exists(name) == there


@pytest.mark.parametrize(
    ("module", "can"),
    [
        ("metaeval", True),
        ("bookbuild", True),
        ("benchmarks.book", True),
        ("helpers", False),
        ("gone.x", False),
    ],
)
def test_a_module_that_cannot_be_run_is_told_apart(module, can):
    assert can_be_run(module) == can


@each("path", sorted([*ROOT.glob("data/**/*.yml"), *ROOT.glob("book/**/*.yml")]))
def test_no_mapping_of_a_table_names_a_key_twice(path):
    """The later one would win in silence."""

    def mappings(node):
        if isinstance(node, yaml.MappingNode):
            yield node
        parts = node.value if not isinstance(node, yaml.ScalarNode) else ()
        for part in parts:
            for one in part if isinstance(part, tuple) else (part,):
                yield from mappings(one)

    root = yaml.compose(path.read_text(encoding="utf8"), Loader=yaml.CSafeLoader)
    for mapping in mappings(root):
        names = [key.value for key, _ in mapping.value if isinstance(key, yaml.ScalarNode)]
        assert len(names) == len(set(names)), sorted({name for name in names if names.count(name) > 1})
