"""runs.module_graph: which modules of some packages some code uses, read from its text without importing.

A package whose ``__init__`` only passes on names (a facade) stands for those names that are used of it:
``figures.top_k_curves`` uses one module of figures, not all. That is why the graph is not grimp's, which
knows imports of modules and not of names. Called by `bookbuild.runs.fingerprints`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path

from bookbuild.runs.module_text import Reading, read_all


class ModuleGraph:
    """The modules of some packages and what they use of each other.

    Imports are absolute and written out; a test holds the packages to that.

    Parameters
    ----------
    root : Path
        Folder that holds the packages' folders.
    packages : their names
    kept : Path, optional
        A file that keeps what was read of the modules' texts, for the next graph.
    without : names of modules that count as unused by the others
    """

    def __init__(
        self, root: Path, packages: Sequence[str], kept: Path | None = None, without: Set[str] = frozenset()
    ) -> None:
        self.root, self.packages, self._kept, self._without = root, tuple(packages), kept, without
        self._uses: dict[str, set[str]] = {}

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """Every module and its file; a package, by its own name, has its ``__init__``."""
        found = {}
        for path in sorted(path for name in self.packages for path in (self.root / name).glob("**/*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """What the text of every module says."""
        texts = (path.read_bytes() for path in self.files.values())
        return dict(zip(self.files, read_all(texts, self.packages, self._kept), strict=True))

    @cached_property
    def facades(self) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """Packages that only pass names on: each name, the module that it comes from and its name there."""
        packages = (name for name, path in self.files.items() if path.name == "__init__.py")
        found = {package: self.readings[package].passed_on for package in packages}
        return {package: names for package, names in found.items() if names is not None}

    def used_by(self, code: Reading) -> set[str]:
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
                self._uses[name] = self._imported(self.readings[name])
            waiting |= self._uses[name] - found - self._without
        return found

    def _imported(self, code: Reading) -> set[str]:
        found: set[str] = set()
        for module, name, read in code.imports:
            below = f"{module}.{name}"
            if name is None:
                found |= self._whole(module)
            elif below not in self.facades or name in self.facades.get(module, {}):
                found |= self._name(module, name)
            elif read is None:
                found |= self._whole(below)
            else:  # of a facade, those names of it that are read
                found |= set().union(*(self._name(below, attribute) for attribute in read))
        return found

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
