"""metrics.cache: arrays that are slow to compute, kept in the user's cache under a hash of their origin.

A cached array is only ever what the computation would give again: its key covers the texts, the model and the
version of the code that made it, and beside it stands a checksum of its bytes. Whatever does not agree with
its checksum, cannot be read, or has another shape or type than expected is computed again. Deleting the
folder is always safe. The files hold numbers only, no texts.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import DTypeLike

from metaeval.core.errors import EXTRAS
from metaeval.core.paths import PACKAGE, ROOT, cache_folder, written_whole

_ALWAYS = ("numba", "numpy", "scipy")  # what computes, whatever extra is asked for
# distribution of a package, where it is called otherwise
_DISTRIBUTIONS = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "ot": "POT",
    "sklearn": "scikit-learn",
    "xgboost": "xgboost-cpu",
}


def content_key(parts: Iterable[str]) -> str:
    """SHA-256 of some texts, their lengths included, so that no two lists of texts share a key."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
    return digest.hexdigest()


def checksum(content: bytes) -> str:
    """BLAKE2b of the bytes of a file, by which damage to it is noticed."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@cache
def code(*modules: str) -> str:
    """A checksum of code: what is kept under it is made again when any of that changes.

    Parameters
    ----------
    modules : names of modules
        By default all of the metrics.
    """
    named = [ROOT / f"{module.replace('.', '/')}.py" for module in modules]
    files = named or sorted((PACKAGE / "metrics").rglob("*.py"))
    return checksum(b"\0".join(file.read_bytes() for file in files))


@cache
def versions(extra: str) -> str:
    """Python, what always computes, and the packages that an extra brings, with their versions."""
    packages = [*_ALWAYS, *(package for package, of in EXTRAS.items() if of == extra)]
    return ",".join([f"python {platform.python_version()}", *(f"{one} {_version(one)}" for one in packages)])


def _version(package: str) -> str:
    try:
        return version(_DISTRIBUTIONS.get(package, package))
    except PackageNotFoundError:
        return ""


def cached(
    key: str, shape: tuple[int, ...], compute: Callable[[], np.ndarray], *, dtype: DTypeLike
) -> np.ndarray:
    """``compute()``, or what it gave before under this key.

    Parameters
    ----------
    key : str
        From `content_key`, of everything that the result depends on.
    shape : tuple of int
        Of the result; a cached array of another shape is not used.
    compute : callable without arguments
        Gives the array.
    dtype : data type
        Of the result; a cached array of another type is not used.

    Returns
    -------
    array of this shape and type

    Raises
    ------
    ValueError
        If `compute` gives another shape or type.

    Notes
    -----
    Two processes that need the same array compute it once: the second waits. ``META_EVALUATION_NO_CACHE=1``
    computes always. Where the cache folder cannot be written, nothing is kept and the result is the same.
    """
    expected = shape, np.dtype(dtype)
    if _is_off():
        return _checked(compute(), expected)
    path = _path(key)
    found = _read(path, expected)
    if found is not None:
        return found
    with ExitStack() as held:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(path.with_suffix(".lock")))
        except OSError:  # the folder cannot be written
            return _checked(compute(), expected)
        found = _read(path, expected)
        if found is None:
            found = _checked(compute(), expected)
            with suppress(OSError):  # a full disk: the result is right, it is only not kept
                _write(path, found)
    return found


def kept(key: str, shape: tuple[int, ...], *, dtype: DTypeLike) -> np.ndarray | None:
    """What `keep` was given under this key, None where there is nothing whole of this shape and type."""
    return None if _is_off() else _read(_path(key), (shape, np.dtype(dtype)))


def keep(key: str, array: np.ndarray) -> None:
    """Keep an array under a key of `content_key`.

    Raises
    ------
    OSError
        If the cache folder cannot be written.
    """
    if not _is_off():
        _write(_path(key), array)


def _is_off() -> bool:
    return os.environ.get("META_EVALUATION_NO_CACHE") == "1"


def _path(key: str) -> Path:
    return cache_folder() / "features" / f"{key}.npy"


def _read(path: Path, expected: tuple[tuple[int, ...], np.dtype]) -> np.ndarray | None:
    """The array, or None where there is none that agrees with its checksum and is of the expected kind."""
    try:
        content, wanted = path.read_bytes(), _checksum_path(path).read_text(encoding="ascii")
        if checksum(content) != wanted:
            return None
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if (array.shape, array.dtype) == expected else None


def _write(path: Path, array: np.ndarray) -> None:
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    with written_whole(path) as part:
        part.write_bytes(content.getbuffer())
    with written_whole(_checksum_path(path)) as part:
        part.write_text(checksum(content.getbuffer()), encoding="ascii")


def _checksum_path(path: Path) -> Path:
    return path.with_suffix(".blake2b")


def _checked(array: np.ndarray, expected: tuple[tuple[int, ...], np.dtype]) -> np.ndarray:
    if (array.shape, array.dtype) != expected:
        shape, dtype = expected
        raise ValueError(
            f"a computation to be cached must give shape {shape} of {dtype}, "
            f"gave {array.shape} of {array.dtype}"
        )
    return array
