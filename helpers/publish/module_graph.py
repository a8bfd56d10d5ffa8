"""Which modules of a package a piece of code uses, found by reading it, without importing anything.

What reading cannot settle, such as an import by a computed name, counts as a use of every module.

A package whose ``__init__`` only passes on names of its modules (a facade) stands for those names that are
used of it: ``figures.top_k_curves`` uses one module of figures, not all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

_RUNS_TEXT = {"eval", "exec", "compile"}
_IMPORTS_BY_NAME = {"import_module", "__import__", "spec_from_file_location", "run_module", "run_path"}


class ModuleGraph:
    """The modules of one package and what they use of each other.

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
        return {name: ast.parse(path.read_bytes()) for name, path in self.files.items()}

    @cached_property
    def facades(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Packages that only pass names on: each name, the module it comes from and its name there."""
        packages = (name for name, path in self.files.items() if path.name == "__init__.py")
        names = {package: self._passed_on(package) for package in packages}
        return {package: passed_on for package, passed_on in names.items() if passed_on is not None}

    def _passed_on(self, package: str) -> dict[str, tuple[str, str]] | None:
        """Names that an ``__init__`` imports from the package, or None if it does anything else."""
        names = {}
        for statement in self.trees[package].body:
            if isinstance(statement, ast.ImportFrom):
                module = self._absolute(statement, package)
                if not self._is_ours(module) or any(alias.name == "*" for alias in statement.names):
                    return None
                names |= {alias.asname or alias.name: (module, alias.name) for alias in statement.names}
            elif not (_is_text(statement) or _sets_all(statement)):
                return None
        return names

    def used_by(self, code: ast.Module) -> set[str]:
        """Modules that a piece of code uses, directly or through others."""
        return self.closure(self._directly_used(code, importer=""))

    def closure(self, names: Iterable[str]) -> set[str]:
        """Some modules and all that they use."""
        found: set[str] = set()
        waiting = set(names)
        while waiting:
            name = waiting.pop()
            found.add(name)
            if name not in self._uses:
                self._uses[name] = self._directly_used(self.trees[name], importer=name)
            waiting |= self._uses[name] - found
        return found

    def _directly_used(self, tree: ast.Module, *, importer: str) -> set[str]:
        used: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                used |= self._union(
                    self._whole(alias.name) for alias in node.names if self._is_ours(alias.name)
                )
            elif isinstance(node, ast.ImportFrom):
                module = self._absolute(node, importer)
                if self._is_ours(module):
                    used |= self._union(self._imported(module, alias, tree) for alias in node.names)
            elif isinstance(node, ast.Call):
                used |= self._imported_by_name(node)
        return used

    def _imported(self, module: str, alias: ast.alias, tree: ast.Module) -> set[str]:
        """Modules behind ``from MODULE import NAME as ALIAS`` in `tree`."""
        if alias.name == "*":
            return self._whole(module)
        full = f"{module}.{alias.name}"
        if full in self.facades and alias.name not in self.facades.get(module, {}):
            # `from helpers import figures`: what counts is which names of it are used
            attributes = _attributes_used(tree, alias.asname or alias.name)
            if attributes is None:
                return self._name(module, alias.name)
            return self._around(full) | self._union(self._name(full, attribute) for attribute in attributes)
        return self._name(module, alias.name)

    def _name(self, module: str, name: str) -> set[str]:
        """Modules behind one name of a module: the module itself, one below it, or where it has it from."""
        if module not in self.files:
            return set(self.files)
        below = f"{module}.{name}"
        found = self._around(module) | (self._whole(below) if below in self.files else set())
        if module not in self.facades:
            return found | {module}
        if name in self.facades[module]:
            return found | self._name(*self.facades[module][name])
        # neither a name nor a module of the package: it may be anything that the package reaches
        return found if below in self.files else self._whole(module)

    def _whole(self, module: str) -> set[str]:
        """A module and, of a facade, all that it passes on."""
        if module not in self.files or module == self.package:
            return set(self.files)
        if module not in self.facades:
            return self._around(module) | {module}
        return self._around(module) | self._union(
            self._name(*source) for source in self.facades[module].values()
        )

    def _around(self, module: str) -> set[str]:
        """Packages around a module that do something when it is imported."""
        parts = module.split(".")
        around = {".".join(parts[:i]) for i in range(1, len(parts))}
        return {name for name in around if name in self.files and name not in self.facades}

    def _imported_by_name(self, call: ast.Call) -> set[str]:
        """Modules that a call imports by a name in a string; all of them if the string is not written out."""
        function = call.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        if name in _IMPORTS_BY_NAME:
            match call.args:
                case [ast.Constant(value=str(module)), *_]:
                    return self._whole(module) if self._is_ours(module) else set()
            return set(self.files)
        return set(self.files) if isinstance(function, ast.Name) and name in _RUNS_TEXT else set()

    def _is_ours(self, module: str) -> bool:
        return module == self.package or module.startswith(f"{self.package}.")

    def _absolute(self, node: ast.ImportFrom, importer: str) -> str:
        """The full name of the module in ``from .x import y``."""
        if not node.level:
            return node.module or ""
        is_package = importer in self.files and self.files[importer].name == "__init__.py"
        parts = importer.split(".")
        above = parts[: len(parts) - node.level + is_package]
        return ".".join([*above, *([node.module] if node.module else [])])

    @staticmethod
    def _union(sets: Iterable[set[str]]) -> set[str]:
        return set().union(*sets)


def _attributes_used(tree: ast.Module, name: str) -> set[str] | None:
    """Attributes that code reads of a name; None if it does anything else with it."""
    of_name = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    ]
    n_uses = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    return {node.attr for node in of_name} if n_uses == len(of_name) else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _sets_all(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and [ast.unparse(t) for t in statement.targets] == ["__all__"]
