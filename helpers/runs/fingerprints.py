"""runs.fingerprints: what a notebook's results depend on, and one hash of it.

A notebook is run again when one of these changes: its own text, a module that it uses, directly or through
others, a file below ``data/`` that one of them names, what the book's pages are called, which released files
can be read here, whether data are simulated, the locked versions, or Python; and one that reads what other
runs left, when the verdicts among it change. Where reading the code cannot settle it, it depends on
everything: a notebook that is run once too often costs seconds, one wrongly called unchanged shows old
results as new.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helpers import datasets, mime, paths
from helpers.mode import is_simulated, mode
from helpers.paths import NOTEBOOKS, ROOT
from helpers.runs.module_graph import ModuleGraph, imports, uncollected
from helpers.titles import page_titles

# executes every notebook, so its code is part of all of them
RUNNER = "helpers.runs.execution"
# with these, it matters which released files can be read here
SOURCES = "helpers.datasets"
# read data/recorded to show it beside simulated results, and only then
READ_WHEN_SIMULATED = frozenset({"helpers.papers.claims.last_run", "helpers.papers.recorded"})
RECORDED = "data/recorded"
# takes the headings of all pages from their texts, and nothing else
TITLES = page_titles.__module__
# a cell with this tag is for JupyterLab: no batch run executes it
LIVE = "live"
# folders by their names in `helpers.paths`, from the root, which is ""
PATHS_MODULE = paths.__name__
FOLDERS = {
    name: folder.relative_to(ROOT).as_posix().removeprefix(".")
    for name, folder in vars(paths).items()
    if isinstance(folder, Path)
}
BUILT = "_build"  # nothing that the build itself makes is an input
# code below the root is known by its modules; whoever names the root may read all of the data
ANY_DATA = FOLDERS["DATA"]


@dataclass(frozen=True)
class Inputs:
    """What one notebook depends on.

    Attributes
    ----------
    modules : tuple of str
        Modules whose code takes part in its results, sorted.
    paths : tuple of str
        Files and folders that they name, relative to the project's root, sorted.
    """

    modules: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def reads_executed(self) -> bool:
        """Whether it reads what other notebooks' runs left, so that it has to run after them."""
        return FOLDERS["EXECUTED"] in self.paths

    @property
    def reads_sources(self) -> bool:
        """Whether it may read released files."""
        return any(f"{name}.".startswith(f"{SOURCES}.") for name in self.modules)


@dataclass(frozen=True)
class Fingerprint:
    """One hash of what a notebook's results depend on, and whether it has to run after the others."""

    value: str
    runs_last: bool


class Project:
    """The package ``helpers`` below a root, read once for all notebooks."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.graph = ModuleGraph(root, "helpers")
        self._named: dict[str, set[str]] = {}

    def inputs(self, notebook: Path, *, simulated: bool) -> Inputs:
        """What a notebook depends on, in a run on real or on simulated data."""
        code = "\n\n".join(
            "".join(cell["source"]) for cell in batch_cells(notebook) if cell["cell_type"] == "code"
        )
        runner = self.graph.closure({RUNNER} & set(self.graph.files))
        try:
            tree = ast.parse(code)
        except SyntaxError:  # such as a magic command
            return Inputs(tuple(sorted(self.graph.files)), (ANY_DATA,))
        modules = self.graph.used_by(tree)
        named = _named_paths(tree) | self._written_paths(tree)
        for module in modules:
            unread = {RECORDED} if module in READ_WHEN_SIMULATED and not simulated else set()
            named |= self._named_by(module) - unread
        return Inputs(tuple(sorted(modules | runner)), tuple(sorted(named)))

    def _written_paths(self, tree: ast.Module) -> set[str]:
        """Strings in a notebook, such as a parameter's default, that are paths from the root."""
        strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        return {text for text in strings if _may_be_path(text) and (self.root / text).exists()}

    def digest(self, notebook: Path, inputs: Inputs) -> str:
        """A hash of a notebook's text and of all files that it depends on, other notebooks' runs left out."""
        digest = hashlib.sha256(json.dumps(batch_cells(notebook), sort_keys=True).encode())
        digest.update(self._digest_of(inputs))
        return digest.hexdigest()

    def code(self, module: str) -> str:
        """A hash of a module, of all that it uses, and of the files that these name, runs left out."""
        modules = self.graph.closure([module])
        named = set().union(*(self._named_by(module) for module in modules))
        return self._digest_of(Inputs(tuple(sorted(modules)), tuple(sorted(named)))).hex()

    def _named_by(self, module: str) -> set[str]:
        if module not in self._named:
            whole = {FOLDERS["BOOK"], FOLDERS["NOTEBOOKS"]} if module == TITLES else set()
            self._named[module] = _named_paths(self.graph.trees[module]) - whole
        return self._named[module]

    def _digest_of(self, inputs: Inputs) -> bytes:
        digest = hashlib.sha256()
        if TITLES in inputs.modules:
            digest.update(json.dumps(page_titles(), sort_keys=True).encode())
        files = [self.graph.files[module] for module in inputs.modules]
        folders = {file.parent for file in files}
        files += sorted(
            text for folder in folders for kind in ("*.jinja", "*.yml") for text in folder.glob(kind)
        )
        for path in inputs.paths:
            left = f"{path}/".startswith(f"{FOLDERS['EXECUTED']}/")
            files += [] if left else _files_below(self.root / path)
        for file in files:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(self.root)}\n{len(content)}\n".encode() + content)
        return digest.digest()


def fingerprints(
    names: Sequence[str], notebooks: Path = NOTEBOOKS, project: Project | None = None
) -> dict[str, Fingerprint]:
    """The fingerprint of each notebook, in the order given.

    What other notebooks' runs left is not in that of those that read it: see `verdicts_left`.

    Parameters
    ----------
    names : names of notebooks, without ending
    notebooks : Path
        Their folder.
    project : Project, by default this one
    """
    project = project or Project()
    files = {name: notebooks / f"{name}.ipynb" for name in names}
    with uncollected():
        inputs = {name: project.inputs(path, simulated=is_simulated()) for name, path in files.items()}
    locked = (project.root / "requirements.txt").read_text(encoding="utf8")
    readable = _readable_files()
    values = {}
    for name, found in inputs.items():
        parts = [project.digest(files[name], found), sys.version, mode(), locked]
        values[name] = _hash([*parts, readable if found.reads_sources else ""])
    return {name: Fingerprint(values[name], found.reads_executed) for name, found in inputs.items()}


def verdicts_left(executed: Path) -> str:
    """A hash of what notebooks' runs left for others to read: which verdicts, and where.

    Parameters
    ----------
    executed : Path
        Folder of the executed notebooks.
    """
    left = []
    for path in sorted(executed.glob("[!.]*.ipynb")):  # not those that are being executed
        run = json.loads(path.read_text(encoding="utf8"))
        left += [[path.stem, output["data"][mime.VERDICTS]] for output in mime.outputs(run, mime.VERDICTS)]
    return _hash([json.dumps(left, sort_keys=True)])


def batch_cells(notebook: Path) -> list[dict]:
    """The cells of a notebook that a batch run executes or shows, without results."""
    cells = json.loads(notebook.read_text(encoding="utf8"))["cells"]
    return [
        {key: value for key, value in cell.items() if key not in ("outputs", "execution_count")}
        for cell in cells
        if LIVE not in cell["metadata"].get("tags", [])
    ]


def _readable_files() -> str:
    """Which pinned files can be read here; what they hold is pinned with them."""
    present = datasets.availability().query("where != 'absent'")
    return "\n".join(present["file"] + "@" + present["commit"])


def _hash(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}\n{part}".encode())
    return digest.hexdigest()


def _named_paths(tree: ast.Module) -> set[str]:
    """Folders and files that code names from `helpers.paths`, such as ``data/claims``."""
    folders = {
        alias.asname or alias.name: FOLDERS[alias.name]
        for node in imports(tree)
        if isinstance(node, ast.ImportFrom) and node.module == PATHS_MODULE
        for alias in node.names
        if alias.name in FOLDERS
    }
    if not folders:  # of most modules
        return set()

    def path_of(node: ast.AST) -> str | None:
        match node:
            case ast.Name(name):
                return folders.get(name)
            case ast.BinOp(left, ast.Div(), ast.Constant(str(child))) if (above := path_of(left)) is not None:
                return f"{above}/{child}".removeprefix("/")
        return None

    named = {node: path for node in ast.walk(tree) if (path := path_of(node)) is not None}
    above = {node.left for node in named if isinstance(node, ast.BinOp)}
    paths = {path or ANY_DATA for node, path in named.items() if node not in above}
    return {path for path in paths if path.split("/")[0] != BUILT}


def _may_be_path(value: object) -> bool:
    if not isinstance(value, str) or not value.isprintable() or len(value) > 200:
        return False
    return "/" in value and not value.startswith("/") and ".." not in value


def _files_below(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.glob("**/*") if file.is_file() and "__pycache__" not in file.parts)
