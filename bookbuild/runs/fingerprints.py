"""runs.fingerprints: one hash of everything that a notebook's results depend on.

A notebook is run again when one of these changes: its own text or its parameters' help, a module that it
uses, directly or through others, a file below ``data/`` that one of them names, the titles of the book's
pages, the released files that can be read here, the data mode, the locked versions, or Python. A notebook
that reads outputs of other runs also depends on their verdicts. Where reading the code cannot determine the
dependencies, a notebook depends on everything: an unnecessary run costs seconds, a notebook wrongly called
unchanged shows old results as new.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bookbuild.runs.module_graph import ANY_DATA, FOLDERS, Import, ModuleGraph, Reading, read
from helpers.kit import declarations, findings, mime, parameters
from helpers.kit.titles import page_titles
from metaeval import datasets
from metaeval.core.mode import is_simulated, mode
from metaeval.core.paths import NOTEBOOKS, ROOT, read_yaml
from metaeval.datasets import catalogue, loading
from metaeval.datasets.readers import tac

STOREYS = ("metaeval", "helpers", "bookbuild")
# executes every notebook, so its code is part of every fingerprint
RUNNER = "bookbuild.runs.execution"
# a notebook that uses these depends on the released files that can be read here
SOURCES = "metaeval.datasets"
# read data/recorded only to show it beside simulated results
READ_WHEN_SIMULATED = frozenset({"helpers.kit.recorded"})
RECORDED = "data/recorded"
# takes the headings of all pages from their texts, and nothing else
TITLES = page_titles.__module__
# modules of whose files a notebook depends on a part that is hashed separately: headings, help of parameters,
# its own finding
IN_PART = {
    TITLES: {FOLDERS["BOOK"], FOLDERS["NOTEBOOKS"]},
    parameters.__name__: {FOLDERS["NOTEBOOKS"]},
    findings.__name__: {findings.FOLDER.relative_to(ROOT).as_posix()},
    declarations.__name__: {declarations.TABLE.relative_to(ROOT).as_posix()},
}
# a row of these counts where its name (of `TABLE.name` the last part) is a word of the notebook or a module,
# or begins or ends as a formatted string there does, such as f"n_tied_{side}"
BY_ROWS = frozenset({"data/columns.yml"})
_WORD = re.compile(r"\w+_\{|\}_\w+|\w+")
_DATA_WORD = re.compile(r"(?<![\w-])(?:simulated-)?([\w-]+)")
# catalogue and `load` import readers of released files: one counts where the name of one of its data sets is
# in the notebook, its parameters, a module of the pages or one that takes data; all count where a name of
# `TAKES_ALL`, or one of the catalogue itself, is imported
CATALOGUE, LOADING, READERS = catalogue.__name__, loading.__name__, "metaeval.datasets.readers."
DATA_SETS = {tac.__name__: list(tac.TITLES)}
for _name, _dataset in {**catalogue.DATASETS, **catalogue.PAIRS}.items():
    DATA_SETS.setdefault(READERS + _dataset.reader.partition(":")[0], []).append(_name)
TAKES_ALL = frozenset({"names", "pair_names", "availability", "load_with"})
# used only when someone reads the page live: no batch run builds a live block
INTERACTIVE = frozenset(f"helpers.kit.live.{name}" for name in ("block", "boxes", "choices"))
# a cell with this tag is for JupyterLab: no batch run executes it
LIVE = "live"


@dataclass(frozen=True)
class Inputs:
    """Modules and files that one notebook depends on.

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
        """True if it reads outputs of other notebooks, so that it has to run after them."""
        return FOLDERS["EXECUTED"] in self.paths

    @property
    def reads_sources(self) -> bool:
        """True if it may read released files."""
        return any(f"{name}.".startswith(f"{SOURCES}.") for name in self.modules)


@dataclass(frozen=True)
class Fingerprint:
    """One hash of what a notebook's results depend on, and whether it has to run after the others."""

    value: str
    runs_last: bool


class Project:
    """The three storeys below a root, read once for all notebooks.

    Parameters
    ----------
    root : Path
    cache : Path, optional
        A file that caches their readings, so that the next build reads only what changed.
    """

    def __init__(self, root: Path = ROOT, cache: Path | None = None) -> None:
        self.root = root
        apart = {CATALOGUE: READERS, LOADING: READERS}
        self.graph = ModuleGraph(root, STOREYS, cache, without=INTERACTIVE, apart=apart)
        self._digests: dict[Path, bytes] = {}
        self._texts: dict[Path, list[Path]] = {}
        self._words: dict[str, frozenset[str]] = {}

    def inputs(self, notebook: Path, *, simulated: bool, settings: str = "") -> Inputs:
        """Modules and files that a notebook depends on, in a run on real or on simulated data.

        `settings` are the parameters of runs that are not the notebook's own, as text.
        """
        code = "\n\n".join(
            "".join(cell["source"]) for cell in batch_cells(notebook) if cell["cell_type"] == "code"
        )
        runner = self.graph.closure({RUNNER} & set(self.graph.files))
        try:
            tree = ast.parse(code)
        except SyntaxError:  # such as a magic command
            return Inputs(tuple(sorted(self.graph.files)), (ANY_DATA,))
        reading = read(tree, self.graph.packages)
        modules = self.graph.used_by(reading)
        if CATALOGUE in modules:
            modules |= self.graph.closure(self._readers(reading, modules, f"{code}\n{settings}"))
        named = {*reading.paths, *self._written_paths(tree)}
        for module in modules:
            unread = {RECORDED} if module in READ_WHEN_SIMULATED and not simulated else set()
            named |= self._named_by(module) - unread
        return Inputs(tuple(sorted(modules | runner)), tuple(sorted(named)))

    def _readers(self, reading: Reading, modules: Iterable[str], text: str) -> set[str]:
        """Readers of the data sets that a notebook, with these modules, may take from the catalogue."""
        readings, texts = [reading], [text]
        for module in modules:
            own = self.graph.readings[module]
            takes_data = not module.startswith(f"{SOURCES}.") and any(map(_data_names, own.imports))
            if takes_data or module.startswith("helpers."):
                readings.append(own)
                texts.append(self.graph.files[module].read_text(encoding="utf8"))
        taken = set().union(*(_data_names(one) for reading in readings for one in reading.imports))
        readers = {name for name in self.graph.files if name.startswith(READERS)}
        if taken & TAKES_ALL:
            return readers
        words = set(_DATA_WORD.findall("\n".join(texts)))
        return {name for name in readers if not words.isdisjoint(DATA_SETS.get(name, ()))}

    def _written_paths(self, tree: ast.Module) -> set[str]:
        """Strings in a notebook, such as a parameter's default, that are paths from the root."""
        strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        return {text for text in strings if _may_be_path(text) and (self.root / text).exists()}

    def digest(self, notebook: Path, inputs: Inputs) -> str:
        """Hash of a notebook's text and of all files that it depends on, without other notebooks' outputs."""
        cells = batch_cells(notebook)
        digest = hashlib.sha256(json.dumps(cells, sort_keys=True).encode())
        digest.update(json.dumps(parameters.parameter_help(notebook)).encode())
        finding = findings.FOLDER / f"{notebook.stem}.yml"
        digest.update(finding.read_bytes() if finding.is_file() else b"")
        digest.update(self._digest_of(inputs, "\n".join("".join(cell["source"]) for cell in cells)))
        return digest.hexdigest()

    def code(self, module: str) -> str:
        """Hash of a module, of all that it uses, and of the files that these name, except outputs of runs."""
        modules = self.graph.closure([module])
        if CATALOGUE in modules:
            modules |= self.graph.closure(name for name in self.graph.files if name.startswith(READERS))
        named = set().union(*(self._named_by(module) for module in modules))
        return self._digest_of(Inputs(tuple(sorted(modules)), tuple(sorted(named)))).hex()

    def _named_by(self, module: str) -> set[str]:
        return set(self.graph.readings[module].paths) - IN_PART.get(module, set())

    def _digest_of(self, inputs: Inputs, text: str = "") -> bytes:
        digest = hashlib.sha256()
        if TITLES in inputs.modules:
            digest.update(json.dumps(page_titles(), sort_keys=True).encode())
        files = [self.graph.files[module] for module in inputs.modules]
        for path in sorted(BY_ROWS & set(inputs.paths)):
            digest.update(json.dumps(self.rows(path, inputs.modules, text), sort_keys=True).encode())
        files += [text for folder in sorted({file.parent for file in files}) for text in self._beside(folder)]
        # a folder that holds these does not count them whole
        apart = {self.root / path for path in BY_ROWS.union(*IN_PART.values())}
        for path in sorted(set(inputs.paths) - BY_ROWS):
            is_output = f"{path}/".startswith(f"{FOLDERS['EXECUTED']}/")
            below = [] if is_output else _files_below(self.root / path)
            files += [file for file in below if file not in apart]
        for file in files:
            digest.update(self._digest_of_file(file))
        return digest.digest()

    def rows(self, path: str, modules: Iterable[str], text: str = "") -> dict[str, object]:
        """The rows of a file in `BY_ROWS` that a text or some modules name."""
        words = set(_WORD.findall(text)).union(*map(self._words_of, modules))
        starts = tuple(word[:-1] for word in words if word.endswith("{"))
        ends = tuple(word[1:] for word in words if word.startswith("}"))

        def is_named(name: str) -> bool:
            return name in words or name.startswith(starts) or name.endswith(ends)

        rows = read_yaml(self.root / path).items()
        return {key: row for key, row in rows if is_named(key.rpartition(".")[2])}

    def _words_of(self, module: str) -> frozenset[str]:
        if module not in self._words:
            text = self.graph.files[module].read_text(encoding="utf8")
            self._words[module] = frozenset(_WORD.findall(text))
        return self._words[module]

    def _beside(self, folder: Path) -> list[Path]:
        """Text files that lie beside modules and are read by them."""
        if folder not in self._texts:
            texts = (path for kind in ("*.jinja", "*.yml") for path in folder.glob(kind))
            self._texts[folder] = sorted(texts)
        return self._texts[folder]

    def _digest_of_file(self, file: Path) -> bytes:
        """Digest of a file's name and content, cached since many notebooks depend on the same files."""
        if file not in self._digests:
            digest = hashlib.sha256(f"{file.relative_to(self.root)}\n".encode())
            digest.update(file.read_bytes())
            self._digests[file] = digest.digest()
        return self._digests[file]


def fingerprints(
    names: Sequence[str], notebooks: Path = NOTEBOOKS, project: Project | None = None, settings: str = ""
) -> dict[str, Fingerprint]:
    """The fingerprint of each notebook, in the order given.

    Outputs of other notebooks are not part of it: see `digest_verdicts`.

    Parameters
    ----------
    names : names of notebooks, without ending
    notebooks : Path
        Their folder.
    project : Project, by default this one
    settings : str
        Parameters of the runs that are not the notebooks' own, as text: they may name other data sets.
    """
    project = project or Project()
    files = {name: notebooks / f"{name}.ipynb" for name in names}
    inputs = {
        name: project.inputs(path, simulated=is_simulated(), settings=settings)
        for name, path in files.items()
    }
    locked = (project.root / "requirements.txt").read_text(encoding="utf8")
    readable = _readable_files()
    values = {}
    for name, own in inputs.items():
        parts = [project.digest(files[name], own), sys.version, mode(), locked]
        values[name] = _hash([*parts, readable if own.reads_sources else ""])
    return {name: Fingerprint(values[name], own.reads_executed) for name, own in inputs.items()}


def digest_verdicts(executed: Path) -> str:
    """Hash the verdicts that executed notebooks hold for others to read.

    Parameters
    ----------
    executed : Path
        Folder of the executed notebooks.
    """
    verdicts = []
    for path in sorted(executed.glob("[!.]*.ipynb")):  # not those that are being executed
        recorded = mime.outputs(mime.read_notebook(path), mime.VERDICTS)
        verdicts += [[path.stem, output["data"][mime.VERDICTS]] for output in recorded]
    return _hash([json.dumps(verdicts, sort_keys=True)])


def batch_cells(notebook: Path) -> list[dict]:
    """The cells of a notebook that a batch run executes or shows, without results."""
    cells = json.loads(notebook.read_text(encoding="utf8"))["cells"]
    return [
        {key: value for key, value in cell.items() if key not in ("outputs", "execution_count")}
        for cell in cells
        if LIVE not in cell["metadata"].get("tags", [])
    ]


def _data_names(imported: Import) -> set[str]:
    """Names that an import takes from `metaeval.datasets`; those of `TAKES_ALL` where it may take any."""
    module, name, read = imported
    if module == SOURCES and name is not None:
        return {name}
    if f"{module}.{name}" == SOURCES and read is not None:
        return set(read)
    if f"{module}.{name}" == SOURCES or module in (SOURCES, CATALOGUE) or name == "catalogue":
        return set(TAKES_ALL)
    return set()


def _readable_files() -> str:
    """List the pinned files that can be read here; their content is pinned too."""
    present = datasets.availability().query("where != 'absent'")
    return "\n".join(present["file"] + "@" + present["commit"])


def _hash(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}\n{part}".encode())
    return digest.hexdigest()


def _may_be_path(value: object) -> bool:
    if not isinstance(value, str) or not value.isprintable() or len(value) > 200:
        return False
    return "/" in value and not value.startswith("/") and ".." not in value


def _files_below(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.glob("**/*") if file.is_file() and "__pycache__" not in file.parts)
