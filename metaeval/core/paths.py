"""core.paths: folders of the project and the user's cache, atomic writes, and cached reads.

The project's folders are located from the code, not from the working directory: Papermill runs notebooks in
the shell's folder, JupyterLab in the notebook's.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from metaeval.core.errors import DataError

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent


def shipped_root(root: Path, installed: Path) -> Path:
    """Folder that holds ``data`` and ``book``: the one shipped in a wheel, or else the checkout."""
    return installed if installed.is_dir() else root


DATA = shipped_root(ROOT, PACKAGE / "share") / "data"
BOOK = DATA.parent / "book"
NOTEBOOKS = ROOT / "notebooks"
EXECUTED = BOOK / "executed"

CACHE_VARIABLE = "META_EVALUATION_CACHE"
_DAY_S = 86_400
_MAX_CACHED = 128  # files by each function; more than the book has notebooks
T = TypeVar("T")


def cache_folder() -> Path:
    """Folder for downloads and results computed from them, which can be deleted at any time.

    ``META_EVALUATION_CACHE`` names it (relative to the working directory); by default it lies in the cache
    folder of the user's system.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen or _user_cache() / "metric-meta-evaluation").absolute()


def _user_cache() -> Path:
    """Cache folder of the user's system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove temporary files of processes killed more than a day ago; once per process."""
    for path in folder.glob(f"{prefix}{'[0-9a-f]' * 32}*"):
        with suppress(OSError):  # another process removed it first, or it is another user's
            if time.time() - path.stat().st_mtime > _DAY_S:
                _remove(path)


def _remove(path: Path) -> None:
    """Remove a file or a folder with its contents, if it exists."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def atomic_write(
    path: Path, *, prefix: str = ".part-", ending: str | None = None, folder: bool = False
) -> Iterator[Path]:
    """Write to a temporary file beside `path` that replaces it on success.

    Readers of `path` see the old file or the new one, never a part; several processes may write at once. The
    new file has ordinary permissions. Leftovers of a killed process are removed after a day.

    Parameters
    ----------
    path : Path
        Its folder is created if it does not exist.
    prefix, ending : str
        Of the temporary file's name; by default with the suffix of `path`.
    folder : bool
        True to write a folder; `path` must then be missing or empty.

    Raises
    ------
    OSError
        If the file cannot be written. Nothing of it remains after any error.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path.parent, prefix)
    temporary = path.with_name(f"{prefix}{uuid.uuid4().hex}{path.suffix if ending is None else ending}")
    try:
        temporary.mkdir() if folder else temporary.touch(exist_ok=False)
        yield temporary
        os.replace(temporary, path)
    finally:
        _remove(temporary)


def read_once(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Cache the result of a function that reads a file, until the file changes.

    The cache lasts as long as the process; callers must not change a result.
    """

    @lru_cache(maxsize=_MAX_CACHED)
    def read_version(path: Path, *_version: int) -> T:
        return read(path)

    @wraps(read)
    def read_cached(path: Path) -> T:
        stat = path.stat()
        return read_version(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)

    return read_cached


def parse_yaml(text: str | bytes, name: object = "the text") -> Any:
    """Contents of a YAML text, by the fast loader if available; errors call it by its name."""
    import yaml  # here, since few commands read YAML

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise DataError(
            f"{name}: is no YAML ({' '.join(str(error).split())}); mend it or leave it out"
        ) from None


@read_once
def read_yaml(path: Path) -> Any:
    """Contents of a YAML file; callers must not change them."""
    return parse_yaml(path.read_bytes(), path)
