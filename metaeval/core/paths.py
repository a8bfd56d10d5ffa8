"""core.paths: the project's folders and the user's cache; files written whole or not at all, and read once.

The project's folders are found from the code and not from where a command was started: Papermill runs
notebooks in the shell's folder, JupyterLab in the notebook's.
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

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent


def carried(root: Path, installed: Path) -> Path:
    """Where ``data`` and ``book`` lie: the part that commands need in a wheel, or else the checkout."""
    return installed if installed.is_dir() else root


DATA = carried(ROOT, PACKAGE / "share") / "data"
BOOK = DATA.parent / "book"
NOTEBOOKS = ROOT / "notebooks"
EXECUTED = BOOK / "executed"

CACHE_VARIABLE = "META_EVALUATION_CACHE"
_DAY_S = 86_400
_FILES_KEPT = 128  # read once, by each function; more than the book has notebooks
T = TypeVar("T")


def cache_folder() -> Path:
    """The folder for downloads and for what was computed from them, which can be deleted at any time.

    It is what ``META_EVALUATION_CACHE`` names (from where the process was started, if relative), or a
    folder for caches where the user's system has it.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen or _user_cache() / "metric-meta-evaluation").absolute()


def _user_cache() -> Path:
    """Where the user's system keeps caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove temporary files of processes that were killed more than a day ago, once in a process."""
    for path in folder.glob(f"{prefix}{'[0-9a-f]' * 32}*"):
        with suppress(OSError):  # another process removed it first, or it is another user's
            if time.time() - path.stat().st_mtime > _DAY_S:
                _remove(path)


def _remove(path: Path) -> None:
    """A file or a folder with all that is in it, where there is one."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def written_whole(
    path: Path, *, prefix: str = ".part-", ending: str | None = None, folder: bool = False
) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it takes `path`'s place if nothing goes wrong.

    Whoever reads `path` meanwhile sees the old file or the new one, never a half; several processes may write
    at once. The new file has the permissions that an ordinary one would have. What a process that was killed
    left there is removed after a day.

    Parameters
    ----------
    path : Path
        Its folder is made if it does not exist.
    prefix, ending : str
        Of the temporary file's name; by default it ends like `path`'s.
    folder : bool
        Whether `path` is to be a folder; then there may be none yet, or an empty one.

    Raises
    ------
    OSError
        If the file cannot be written. Nothing of it is left, whatever goes wrong.
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
    """A function that reads a file, which keeps what it made of it as long as the file stays as it is.

    It is kept to the end of the process; whoever is given it may not change it.
    """

    @lru_cache(maxsize=_FILES_KEPT)
    def kept(path: Path, *_as_it_is: int) -> T:
        return read(path)

    @wraps(read)
    def read_or_kept(path: Path) -> T:
        now = path.stat()
        return kept(path, now.st_ino, now.st_mtime_ns, now.st_size)

    return read_or_kept


def parse_yaml(text: str) -> Any:
    """What a text in YAML holds, by the fast loader where there is one."""
    import yaml  # here, since most commands read none

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@read_once
def read_yaml(path: Path) -> Any:
    """What a file in YAML holds; it may not be changed."""
    return parse_yaml(path.read_text(encoding="utf8"))
