"""The order of the storeys and of the rooms inside each: a module imports only from storeys below and from rooms
before its own, and nothing that another module keeps to itself.

Imports are read from the text of the modules, also those inside of functions. An offence is told as
``FILE:LINE: what is imported``.
"""

import ast
import re
from dataclasses import dataclass
from functools import cache

import nbformat

from bookbuild.runs import fingerprints
from metaeval.core.paths import NOTEBOOKS, ROOT
from tests.each import each

# from the ground up, and the rooms of each as data flow; the engine knows no Benchmark, so it comes before the tables
STOREYS = {
    "metaeval": (
        "core", "stats", "tables", "simulation", "datasets", "own", "metrics", "analysis", "reporting", "api",
        "command",
    ),
    "helpers": ("kit", "experiments"),
    "bookbuild": ("runs", "site", "tools"),
}  # fmt: skip
LEVEL = {storey: number for number, storey in enumerate(STOREYS)}
FLOOR = {f"{storey}.{room}": n for storey, rooms in STOREYS.items() for n, room in enumerate(rooms)}
FLOOR["metaeval"] = FLOOR["metaeval.api"]  # its lazy names
# the lazy names and the command lines may use every room of their storey
OUTSIDE = {"metaeval", "metaeval.__main__", "bookbuild.__main__"}
PLACES = 5  # that a notebook imports from
# pages that are about other pages
ABOUT_OTHERS = {"findings", "observations", "disagreements"}


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
    for storey in STOREYS
    for path in sorted((ROOT / storey).rglob("*.py"))
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
            if module.split(".")[0] in STOREYS:
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


def storey(module):
    return module.split(".")[0]


def room(module):
    """Its storey and the room there: ``metaeval.stats``; of a storey itself its own name."""
    return ".".join(module.split(".")[:2])


def ours():
    """(module, what it imports of the three storeys)."""
    return [(module, one) for module in FILES for one in imports_of(module) if storey(one.module) in STOREYS]


def told(offences):
    return "\n".join(map(str, offences))


def test_the_storeys_are_those_that_a_fingerprint_covers():
    assert tuple(STOREYS) == fingerprints.STOREYS


def test_every_room_has_its_place():
    assert {room(module) for module in FILES} - OUTSIDE - {*STOREYS} <= set(FLOOR)
    assert set(FLOOR) <= {room(module) for module in FILES}


def test_a_storey_imports_only_from_storeys_below_it():
    upward = [one for module, one in ours() if LEVEL[storey(one.module)] > LEVEL[storey(module)]]
    assert not upward, told(upward)


def test_a_room_imports_only_from_rooms_before_it():
    upward = [
        one
        for module, one in ours()
        if module not in OUTSIDE
        and storey(one.module) == storey(module)
        and room(one.module) != room(module)
        and not FLOOR.get(room(one.module), len(FLOOR)) < FLOOR[room(module)]
    ]
    assert not upward, told(upward)


def test_a_program_of_commands_knows_only_the_core():
    """Commands are imported when they are asked for, so that ``--help`` waits for nothing."""
    known = {room(one.module) for module, one in ours() if module == "metaeval.command"}
    assert known == {"metaeval.core"}


def test_a_page_imports_no_other_page_s_module():
    pages = "helpers.experiments."
    pairs = {
        (module.removeprefix(pages), one.module.removeprefix(pages))
        for module, one in ours()
        if module.startswith(pages) and one.module.startswith(pages)
    }
    assert {importer for importer, _ in pairs} == ABOUT_OTHERS, pairs


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
            code = path.read_text(encoding="utf8")
            if not re.search(r"\b_[a-zA-Z]", code):  # no private name at all
                continue
            for one in imports(code, str(path.relative_to(ROOT))):
                if one.module in FILES and (_private(one.name) or _private(one.module.split(".")[-1])):
                    taken.append(one)
    assert not taken, told(taken)


def _private(name):
    return name.startswith("_") and not name.startswith("__")


def places(path):
    """What a notebook imports from: rooms of the storeys, and other packages; without its live cell."""
    cells = [
        cell
        for cell in nbformat.read(path, 4).cells
        if cell.cell_type == "code" and "live" not in cell.metadata.get("tags", [])
    ]
    found = set()
    for one in imports("\n".join(cell.source for cell in cells), path.name):
        assert not _private(one.name), one
        found.add(room(one.module) if storey(one.module) in STOREYS else storey(one.module))
    return found


@each("path", sorted(NOTEBOOKS.glob("*.ipynb")))
def test_a_notebook_imports_from_few_places_and_nothing_of_the_machine(path):
    found = places(path)
    assert len(found) <= PLACES, sorted(found)
    assert "bookbuild" not in map(storey, found)


def test_a_module_begins_with_a_docstring_that_names_it():
    """By the last two parts of its path at most: ``readers.realsumm: ...``, of those of a storey itself by one."""
    unnamed = []
    for module, path in FILES.items():
        lines = path.read_text(encoding="utf8").splitlines()
        first = next((line for line in lines if not line.startswith("#")), "")
        package = path.name in ("__init__.py", "__main__.py")
        name = "" if package else ".".join(module.split(".")[1:][-2:]) + ": "
        if not first.removeprefix("r").startswith(f'"""{name}') or first.strip('r"') == name:
            unnamed.append((module, first))
    assert unnamed == []


def test_imports_are_found_wherever_they_stand():
    code = """import helpers.a
def f():
    from .b import _c, d
    from metaeval import stats
    import metaeval.stats.ties as equal
    stats._ties, equal._near, helpers.a._own, equal.__name__
    patch.setattr(stats, "_block", 1)
    patch.setattr("bookbuild.runs.run._far", 1)
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
        "x.py:8: bookbuild.runs.run._far",
        "x.py:9: metaeval.stats.ties._far",
    ]
