"""The order of the rooms: a room imports only from rooms before it, and nothing that another module keeps to itself.

Imports are read from the text of the modules, also those inside of functions. An offence is told as
``FILE:LINE: what is imported``.
"""

import ast
from dataclasses import dataclass
from functools import cache

import nbformat
import pytest

from metaeval.core.paths import NOTEBOOKS, ROOT

# top to bottom as data flow; the engine knows no Benchmark, so it stands above it
ROOMS = """
errors
paths
mime
mode
workers
labels
titles
stats
wording
benchmark
sources
simulation
datasets
metrics
papers
experiments
figures
notebook
reporting
api
runs
publish
live
"""
FLOOR = {room: number for number, room in enumerate(ROOMS.split())}
FLOOR[""] = FLOOR["api"]  # the lazy names of `helpers`
OUTSIDE = {
    "helpers",
    "metaeval.__main__",
}  # the lazy names of `helpers` and the command line may use every room
PLACES = 4  # that a notebook imports from


@dataclass(frozen=True)
class Import:
    """One imported name: where it stands, the module it comes from, and the name, "" for the module itself."""

    file: str
    line: int
    module: str
    name: str

    @property
    def what(self):
        return f"{self.module}.{self.name}".rstrip(".")

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"


FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "helpers").rglob("*.py"))
}


def imports(code, file, package=""):
    """Every name that some code imports; of modules that are imported whole, also their private attributes, and
    those that are patched by their name.
    """
    nodes = list(ast.walk(ast.parse(code)))
    found, modules = [], {}
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [Import(file, node.lineno, alias.name, "") for alias in node.names]
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                is_module = f"{module}.{alias.name}" in FILES
                found.append(
                    Import(
                        file,
                        node.lineno,
                        *((f"{module}.{alias.name}", "") if is_module else (module, alias.name)),
                    )
                )
                if is_module:
                    modules[alias.asname or alias.name] = f"{module}.{alias.name}"
    for node in nodes:
        if not isinstance(node, ast.Attribute | ast.Call):  # nothing else reaches for a name
            continue
        owner, name = reached(node)
        if _private(name):
            module = modules.get(ast.unparse(owner), ast.unparse(owner))
            if module.split(".")[0] == "helpers":
                found.append(Import(file, node.lineno, module, name))
    return sorted(found, key=lambda one: one.line)


def reached(node):
    """What an expression takes from where: ``a.b``, ``setattr(a, "b", ...)``, ``setattr("a.b", ...)``."""
    match node:
        case ast.Attribute():
            return node.value, node.attr
        case ast.Call(func=ast.Attribute(attr=function) | ast.Name(id=function), args=[owner, *rest]) if (
            function in ("setattr", "getattr", "delattr")
        ):
            match [owner, *rest]:
                case [ast.Constant(value=str(path)), *_]:
                    module, _, name = path.rpartition(".")
                    return ast.Name(module), name
                case [_, ast.Constant(value=str(name)), *_]:
                    return owner, name
    return None, ""


@cache
def imports_of(module):
    path = FILES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return imports(path.read_text(encoding="utf8"), str(path.relative_to(ROOT)), package)


def room(module):
    return module.split(".")[1] if "." in module else ""


def told(offences):
    return "\n".join(map(str, offences))


def test_every_room_has_its_place():
    assert {room(module) for module in FILES} - {"", "__main__"} <= set(FLOOR)


def test_a_room_imports_only_from_rooms_before_it():
    upward = [
        one
        for module in FILES
        if module not in OUTSIDE
        for one in imports_of(module)
        if one.module.split(".")[0] == "helpers"
        and room(one.module) != room(module)
        and not FLOOR.get(room(one.module), len(FLOOR)) < FLOOR[room(module)]
    ]
    assert not upward, told(upward)


def test_no_module_takes_what_another_keeps_to_itself():
    """A name with an underscore is its module's own, a module with one its room's."""
    taken = []
    for module in FILES:
        for one in imports_of(module):
            *_, own = one.module.split(".")
            other_room = room(one.module) != room(module)
            if one.module in FILES and (_private(one.name) or (_private(own) and other_room)):
                taken.append(one)
    for folder in ("tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            for one in imports(path.read_text(encoding="utf8"), file):
                if one.module in FILES and (_private(one.name) or _private(one.module.split(".")[-1])):
                    taken.append(one)
    assert not taken, told(taken)


def _private(name):
    return name.startswith("_") and not name.startswith("__")


def places(path):
    """What a notebook imports from: ``helpers``, modules of it, and other packages; without its live cell."""
    cells = [
        cell
        for cell in nbformat.read(path, 4).cells
        if cell.cell_type == "code" and "live" not in cell.metadata.get("tags", [])
    ]
    found = set()
    for node in (node for cell in cells for node in ast.walk(ast.parse(cell.source))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module if node.module.startswith("helpers") else node.module.split(".")[0])
            assert not any(_private(alias.name) for alias in node.names), ast.unparse(node)
    return found


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_imports_from_few_places(path):
    assert len(places(path)) <= PLACES, sorted(places(path))


def test_a_module_begins_with_a_docstring_that_names_it():
    unnamed = []
    for module, path in FILES.items():
        lines = path.read_text(encoding="utf8").splitlines()
        first = next((line for line in lines if not line.startswith("#")), "")
        package = path.name in ("__init__.py", "__main__.py")
        name = "" if package else f"{module.removeprefix('helpers.')}: "
        if not first.removeprefix("r").startswith(f'"""{name}') or first.strip('r"') == name:
            unnamed.append((module, first))
    assert unnamed == []


def test_imports_are_found_wherever_they_stand():
    code = """import helpers.a
def f():
    from .b import _c, d
    from helpers import stats
    import metaeval.stats.ties as equal
    stats._ties, equal._near, helpers.a._own, equal.__name__
    patch.setattr(stats, "_block", 1)
    patch.setattr("metaeval.stats.ties._far", 1)
    getattr(equal, "_far")
"""
    assert [str(one) for one in imports(code, "x.py", "helpers.room")] == [
        "x.py:1: helpers.a",
        "x.py:3: helpers.room.b._c",
        "x.py:3: helpers.room.b.d",
        "x.py:4: metaeval.stats",
        "x.py:5: metaeval.stats.ties",
        "x.py:6: metaeval.stats._ties",
        "x.py:6: metaeval.stats.ties._near",
        "x.py:6: helpers.a._own",
        "x.py:7: metaeval.stats._block",
        "x.py:8: metaeval.stats.ties._far",
        "x.py:9: metaeval.stats.ties._far",
    ]
