"""runs.module_graph: the modules that a piece of code uses, read from their texts without importing them.

The reading of one text (its imports, the names it passes on, the files it names) depends on that text alone,
so it is cached and the next build parses only what changed. A package whose ``__init__`` only passes on names
(a facade) stands for those names that are used of it: ``figures.top_k_curves`` uses one module of figures,
not all. That is why the graph is not grimp's, which knows imports of modules and not of names. Called by
`bookbuild.runs.fingerprints`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.core import paths
from metaeval.core.paths import ROOT, atomic_write

# folders by their names in `metaeval.core.paths`, from the root, which is ""
PATHS_MODULE = paths.__name__
FOLDERS = {
    name: folder.relative_to(ROOT).as_posix().removeprefix(".")
    for name, folder in vars(paths).items()
    if isinstance(folder, Path)
}
BUILT = "_build"  # outputs of the build itself are no inputs
# code below the root counts by its modules; code that names the root may read all data
ANY_DATA = FOLDERS["DATA"]


class Import(NamedTuple):
    """One imported name.

    Attributes
    ----------
    module : str
        Where it is imported from, or what is imported as a whole.
    name : str, optional
        None where a module is imported as a whole.
    read : list of str, optional
        The attributes that are read of it; None where it is passed to other code, which may read any.
    """

    module: str
    name: str | None
    read: list[str] | None


@dataclass(frozen=True)
class Reading:
    """Imports, passed-on names and paths of one text.

    Attributes
    ----------
    imports : list of Import
        Of any package, at the top and inside functions.
    passed_on : mapping, optional
        For a text that only passes on names of these packages: each name with its source module and its name
        there. None for any other text.
    paths : list of str
        Folders and files that it names from `metaeval.core.paths`, such as ``data/claims``, from the root,
        sorted.
    """

    imports: list[Import]
    passed_on: Mapping[str, tuple[str, str]] | None
    paths: list[str]


def read(tree: ast.Module, packages: Sequence[str]) -> Reading:
    """Read a syntax tree, with its imports from `packages` only."""
    statements = list(_imports(tree))
    return Reading(
        list(_imported(tree, statements, packages)),
        _passed_on(tree, packages),
        _named_paths(tree, statements),
    )


def read_all(texts: Iterable[bytes], packages: Sequence[str], cache: Path | None = None) -> list[Reading]:
    """Read the texts of modules, parsing only those that are not in the cache.

    Parameters
    ----------
    texts : iterable of bytes
    packages : their names
    cache : Path, optional
        A file with the readings of earlier calls, replaced where a text is new. An unreadable one is ignored.
    """
    cached, reader, readings = _load_cache(cache), _reader_digest(), {}
    digests = []
    for text in texts:
        digest = _digest(reader, " ".join(packages).encode(), text)
        digests.append(digest)
        readings[digest] = cached.get(digest) or read(ast.parse(text), packages)
    if cache and readings.keys() != cached.keys():
        with atomic_write(cache) as part:
            part.write_text(json.dumps({digest: asdict(one) for digest, one in readings.items()}))
    return [readings[digest] for digest in digests]


def _load_cache(path: Path | None) -> dict[str, Reading]:
    if path:
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            return {digest: _as_read(fields) for digest, fields in json.loads(path.read_bytes()).items()}
    return {}


def _as_read(fields: Mapping[str, Any]) -> Reading:
    """Restore a reading from JSON, which has no tuples."""
    names = fields["passed_on"]
    passed_on = None if names is None else {name: tuple(source) for name, source in names.items()}
    return Reading([Import(*one) for one in fields["imports"]], passed_on, fields["paths"])


def _reader_digest() -> bytes:
    """Digest of a reading's other inputs: this code, the folders' names, and Python's grammar."""
    own = ROOT.joinpath(*__name__.split(".")).with_suffix(".py").read_bytes()
    return _digest(own, json.dumps(FOLDERS).encode(), sys.version.encode()).encode()


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d\n" % len(part) + part)
    return digest.hexdigest()


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a module, at its top and inside functions; expressions, most of a tree, hold none."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, [])
            waiting += inside if isinstance(inside, list) else []  # a lambda's body is an expression


def _imported(
    tree: ast.Module, statements: Iterable[ast.Import | ast.ImportFrom], packages: Sequence[str]
) -> Iterator[Import]:
    named: Counter[str] = Counter()  # how often a name stands alone or before a dot
    read: dict[str, set[str]] = defaultdict(set)
    before_dot: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            named[node.id] += 1
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            before_dot[node.value.id] += 1
            read[node.value.id].add(node.attr)
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (Import(a.name, None, None) for a in statement.names if _is_inside(a.name, packages))
        elif statement.module and _is_inside(statement.module, packages):
            for alias in statement.names:
                here = alias.asname or alias.name
                handed_on = before_dot[here] < named[here]
                yield Import(statement.module, alias.name, None if handed_on else sorted(read[here]))


def _passed_on(tree: ast.Module, packages: Sequence[str]) -> dict[str, tuple[str, str]] | None:
    """Names that a text imports, or lists in a dictionary name -> module for a lazy import.

    None if it does anything else.
    """
    names: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        match statement:
            case ast.ImportFrom(module=str(module)):
                if _is_inside(module, packages):
                    names |= {a.asname or a.name: (module, a.name) for a in statement.names}
            case ast.Assign(value=ast.Dict(keys=keys, values=values)) if all(
                isinstance(part, ast.Constant) for part in (*keys, *values)
            ):
                lazy = zip(keys, values, strict=True)
                names |= {  # not those of a dictionary of old names and new ones
                    name.value: (module.value, name.value)
                    for name, module in lazy
                    if _is_inside(str(module.value), packages)
                }
            case (
                ast.FunctionDef(name="__getattr__" | "__dir__")
                | ast.Expr(value=ast.Constant() | ast.Call(func=ast.Name(id="need_extras")))
                | ast.Assign(targets=[ast.Name(id="__all__")])
            ):
                pass
            case _:
                return None
    return names


def _named_paths(tree: ast.Module, statements: Iterable[ast.Import | ast.ImportFrom]) -> list[str]:
    folders = {
        alias.asname or alias.name: FOLDERS[alias.name]
        for statement in statements
        if isinstance(statement, ast.ImportFrom) and statement.module == PATHS_MODULE
        for alias in statement.names
        if alias.name in FOLDERS
    }
    if not folders:  # of most modules
        return []

    def path_of(node: ast.AST) -> str | None:
        match node:
            case ast.Name(name):
                return folders.get(name)
            case ast.BinOp(left, ast.Div(), ast.Constant(str(child))) if (above := path_of(left)) is not None:
                return f"{above}/{child}".removeprefix("/")
        return None

    named = {node: path for node in ast.walk(tree) if (path := path_of(node)) is not None}
    above = {node.left for node in named if isinstance(node, ast.BinOp)}
    named_files = {path or ANY_DATA for node, path in named.items() if node not in above}
    return sorted(path for path in named_files if path.split("/")[0] != BUILT)


def _is_inside(module: str, packages: Sequence[str]) -> bool:
    """True if a module is one of some packages or inside one, by its name."""
    return module.partition(".")[0] in packages


class ModuleGraph:
    """The modules of some packages and what they use of each other.

    Imports are absolute and written out; a test holds the packages to that.

    Parameters
    ----------
    root : Path
        Folder that holds the packages' folders.
    packages : their names
    cache : Path, optional
        A file that keeps the readings of the modules' texts, for the next graph.
    without : names of modules that count as unused by the others
    apart : mapping, module -> beginning of the names of modules that count as unused by it
    """

    def __init__(
        self,
        root: Path,
        packages: Sequence[str],
        cache: Path | None = None,
        without: Set[str] = frozenset(),
        apart: Mapping[str, str] | None = None,
    ) -> None:
        self.root, self.packages, self._cache = root, tuple(packages), cache
        self._without, self._apart = without, apart or {}
        self._uses: dict[str, set[str]] = {}

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """Every module and its file; a package, by its own name, has its ``__init__``."""
        files = {}
        for path in sorted(path for name in self.packages for path in (self.root / name).glob("**/*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return files

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Reading of every module's text."""
        texts = (path.read_bytes() for path in self.files.values())
        return dict(zip(self.files, read_all(texts, self.packages, self._cache), strict=True))

    @cached_property
    def facades(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Packages that only pass names on: each name, the module that it comes from and its name there."""
        packages = (name for name, path in self.files.items() if path.name == "__init__.py")
        facades = {package: self.readings[package].passed_on for package in packages}
        return {package: names for package, names in facades.items() if names is not None}

    def used_by(self, code: Reading) -> set[str]:
        """Modules that a piece of code uses, directly or through others."""
        return self.closure(self._imported(code))

    def closure(self, names: Iterable[str]) -> set[str]:
        """Some modules and all that they use, directly or through others."""
        closure: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            closure.add(name)
            if name not in self._uses:
                uses = self._imported(self.readings[name])
                apart = self._apart.get(name)
                self._uses[name] = {used for used in uses if not (apart and used.startswith(apart))}
            waiting |= self._uses[name] - closure - self._without
        return closure

    def _imported(self, code: Reading) -> set[str]:
        modules: set[str] = set()
        for module, name, read in code.imports:
            below = f"{module}.{name}"
            if name is None:
                modules |= self._whole(module)
            elif below not in self.facades or name in self.facades.get(module, {}):
                modules |= self._name(module, name)
            elif read is None:
                modules |= self._whole(below)
            else:  # of a facade, those names of it that are read
                modules |= set().union(*(self._name(below, attribute) for attribute in read))
        return modules

    def _name(self, module: str, name: str) -> set[str]:
        """Modules behind one name of a module: itself, one below it, or where it has the name from."""
        below = f"{module}.{name}"
        if module not in self.files:
            return set(self.files)
        source = self.facades.get(module, {}).get(name, (module, name))
        if source != (module, name):  # else it passes on a module of its own
            return self._name(*source)
        if below in self.files:
            return self._whole(below)
        return self._whole(module)

    def _whole(self, module: str) -> set[str]:
        """A module and, of a facade, all that it passes on; every module for one that is not there."""
        if module not in self.files or module in self.packages:
            return set(self.files)
        if module not in self.facades:
            return {module}
        return set().union(*(self._name(*source) for source in self.facades[module].values()))
