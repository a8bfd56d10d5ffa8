"""runs.module_text: what one module's text imports, passes on and names, read without importing it.

It hangs on that text alone, whatever other modules hold, so that what was read of a text is kept and not
read again by the next build. What follows for a whole package is found by `bookbuild.runs.module_graph`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.core import paths
from metaeval.core.paths import ROOT, written_whole

# folders by their names in `metaeval.core.paths`, from the root, which is ""
PATHS_MODULE = paths.__name__
FOLDERS = {
    name: folder.relative_to(ROOT).as_posix().removeprefix(".")
    for name, folder in vars(paths).items()
    if isinstance(folder, Path)
}
BUILT = "_build"  # nothing that the build itself makes is an input
# code below the root is known by its modules; whoever names the root may read all of the data
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
        The attributes that are read of it; None where it is handed on, and anything of it may be read.
    """

    module: str
    name: str | None
    read: list[str] | None


@dataclass(frozen=True)
class Reading:
    """What one text says.

    Attributes
    ----------
    imports : list of Import
        Of any package, at the top and inside functions.
    passed_on : mapping, optional
        Of a text that does nothing but pass on names of these packages: each name, the module that it comes
        from and its name there. None of any other text.
    paths : list of str
        Folders and files that it names from `metaeval.core.paths`, such as ``data/claims``, from the root,
        sorted.
    """

    imports: list[Import]
    passed_on: Mapping[str, tuple[str, str]] | None
    paths: list[str]


def read(tree: ast.Module, packages: Sequence[str]) -> Reading:
    """Read a syntax tree; only what it imports of `packages` is kept."""
    statements = list(_imports(tree))
    return Reading(
        list(_imported(tree, statements, packages)),
        _passed_on(tree, packages),
        _named_paths(tree, statements),
    )


def read_all(texts: Iterable[bytes], packages: Sequence[str], kept: Path | None = None) -> list[Reading]:
    """Read the texts of modules, those anew that `kept` does not know.

    Parameters
    ----------
    texts : iterable of bytes
    packages : their names
    kept : Path, optional
        A file with what earlier calls read. It is written anew where a text is new; one that cannot be read
        counts for nothing.
    """
    known, reader, found = _kept(kept), _reader(), {}
    digests = []
    for text in texts:
        digest = _digest(reader, " ".join(packages).encode(), text)
        digests.append(digest)
        found[digest] = known.get(digest) or read(ast.parse(text), packages)
    if kept and found.keys() != known.keys():
        with written_whole(kept) as part:
            part.write_text(json.dumps({digest: asdict(one) for digest, one in found.items()}))
    return [found[digest] for digest in digests]


def _kept(path: Path | None) -> dict[str, Reading]:
    if path:
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            return {digest: _as_read(kept) for digest, kept in json.loads(path.read_bytes()).items()}
    return {}


def _as_read(kept: Mapping[str, Any]) -> Reading:
    """A reading as it was before JSON, which knows no tuples."""
    names = kept["passed_on"]
    passed_on = None if names is None else {name: tuple(source) for name, source in names.items()}
    return Reading([Import(*one) for one in kept["imports"]], passed_on, kept["paths"])


def _reader() -> bytes:
    """What a reading hangs on beside the text: this code, the folders' names, and Python's grammar."""
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
            yield from (Import(a.name, None, None) for a in statement.names if _is_of(a.name, packages))
        elif statement.module and _is_of(statement.module, packages):
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
                if _is_of(module, packages):
                    names |= {a.asname or a.name: (module, a.name) for a in statement.names}
            case ast.Assign(value=ast.Dict(keys=keys, values=values)) if all(
                isinstance(part, ast.Constant) for part in (*keys, *values)
            ):
                lazy = zip(keys, values, strict=True)
                names |= {name.value: (module.value, name.value) for name, module in lazy}
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
    found = {path or ANY_DATA for node, path in named.items() if node not in above}
    return sorted(path for path in found if path.split("/")[0] != BUILT)


def _is_of(module: str, packages: Sequence[str]) -> bool:
    """Whether a module is one of some packages or in one, by its name."""
    return module.partition(".")[0] in packages
