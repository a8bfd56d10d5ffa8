"""runs.module_graph: which modules of a package some code uses, read from its text without importing.

A package whose ``__init__`` only passes on names (a facade) stands for those names that are used of it:
``figures.top_k_curves`` uses one module of figures, not all. That is why the graph is not grimp's, which
knows imports of modules and not of names. Called by `helpers.runs.fingerprints`.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for nothing to free: nothing of a million nodes can be, and looking takes longer than reading."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class ModuleGraph:
    """The modules of one package and what they use of each other.

    Imports are absolute and written out; a test holds the package to that.

    Parameters
    ----------
    root : Path
        Folder that holds the package's folder.
    package : str
    """

    def __init__(self, root: Path, package: str) -> None:
        self.root, self.package = root, package
        self._uses: dict[str, set[str]] = {}

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """Every module and its file; a package, by its own name, has its ``__init__``."""
        found = {}
        for path in sorted((self.root / self.package).glob("**/*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """The syntax tree of every module."""
        with uncollected():
            return {name: ast.parse(path.read_bytes()) for name, path in self.files.items()}

    @cached_property
    def facades(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Packages that only pass names on: each name, the module that it comes from and its name there."""
        packages = (name for name, path in self.files.items() if path.name == "__init__.py")
        found = {package: self._passed_on(self.trees[package]) for package in packages}
        return {package: names for package, names in found.items() if names is not None}

    def used_by(self, code: ast.Module) -> set[str]:
        """Modules that a piece of code uses, directly or through others."""
        return self.closure(self._imported(code))

    def closure(self, names: Iterable[str]) -> set[str]:
        """Some modules and all that they use."""
        found: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            found.add(name)
            if name not in self._uses:
                self._uses[name] = self._imported(self.trees[name])
            waiting |= self._uses[name] - found
        return found

    def _passed_on(self, tree: ast.Module) -> dict[str, tuple[str, str]] | None:
        """Names that an ``__init__`` imports, or lists in a dictionary name -> module for a lazy import.

        None if the ``__init__`` does anything else.
        """
        names: dict[str, tuple[str, str]] = {}
        for statement in tree.body:
            match statement:
                case ast.ImportFrom(module=str(module)):
                    if self._is_ours(module):
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

    def _imported(self, tree: ast.Module) -> set[str]:
        found: set[str] = set()
        for node in imports(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found |= self._whole(alias.name) if self._is_ours(alias.name) else set()
            elif node.module and self._is_ours(node.module):
                for alias in node.names:
                    names = self._names_used(tree, node.module, alias)
                    found |= set().union(*(self._name(module, name) for module, name in names))
        return found

    def _names_used(self, tree: ast.Module, module: str, alias: ast.alias) -> set[tuple[str, str]]:
        """What ``from MODULE import NAME`` brings into code; of a facade, those names of it that are read."""
        below = f"{module}.{alias.name}"
        if below not in self.facades or alias.name in self.facades.get(module, {}):
            return {(module, alias.name)}
        here = alias.asname or alias.name
        nodes = list(ast.walk(tree))
        read = [n for n in nodes if isinstance(n, ast.Attribute) and _is_name(n.value, here)]
        # handed on as a whole, it may be anything of it
        if len(read) < sum(_is_name(n, here) for n in nodes):
            return {(below, "*")}
        return {(below, node.attr) for node in read}

    def _name(self, module: str, name: str) -> set[str]:
        """Modules behind one name of a module: itself, one below it, or where it has the name from."""
        below = f"{module}.{name}"
        if module not in self.files:
            return set(self.files)
        if name in self.facades.get(module, {}):
            return self._name(*self.facades[module][name])
        if below in self.files:
            return self._whole(below)
        return self._whole(module)

    def _whole(self, module: str) -> set[str]:
        """A module and, of a facade, all that it passes on; every module for one that is not there."""
        if module not in self.files or module == self.package:
            return set(self.files)
        if module not in self.facades:
            return {module}
        return set().union(*(self._name(*source) for source in self.facades[module].values()))

    def _is_ours(self, module: str) -> bool:
        return module == self.package or module.startswith(f"{self.package}.")


def imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a module, at its top and inside functions; expressions, most of a tree, hold none."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, block, [])
            waiting += inside if isinstance(inside, list) else []  # a lambda's body is an expression


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
