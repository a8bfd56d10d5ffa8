"""metrics.cache: arrays that are slow to compute, stored in the user's cache under a hash of their origin.

A cached array always equals a new computation: its key covers the texts, the model and the version of the
code, and a checksum of its bytes is stored beside it. An array that does not match its checksum, cannot be
read, or has an unexpected shape or type is computed again. Deleting the
folder is always safe. The files hold numbers only, no texts.
"""

from __future__ import annotations

import hashlib
import io
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import DTypeLike

from metaeval.core.errors import EXTRAS
from metaeval.core.paths import PACKAGE, ROOT, atomic_write, cache_folder

_ALWAYS = ("numba", "numpy", "scipy")  # used by every computation, whatever the extra
# distribution of a package, where its name differs
_DISTRIBUTIONS = {
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
    """BLAKE2b of the bytes of a file, to detect damage."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@cache
def code(*modules: str) -> str:
    """Checksum of code: arrays stored under it are computed again when the code changes.

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
    """Versions of Python, of the numerical packages and of the packages of an extra."""
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
    """``compute()``, or its stored result under this key.

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
    always computes. Where the cache folder cannot be written, nothing is stored and the result is the same.
    """
    array = load_array(key, shape, dtype=dtype)
    if array is None:
        with _lock(key):
            array = load_array(key, shape, dtype=dtype)  # another process may have computed it meanwhile
            if array is None:
                array = compute()
                if (array.shape, array.dtype) != (shape, np.dtype(dtype)):
                    raise ValueError(
                        f"a computation to be cached must give shape {shape} of {np.dtype(dtype)}, "
                        f"gave {array.shape} of {array.dtype}"
                    )
                with suppress(OSError):  # a full disk: the result is right, only not stored
                    save_array(key, array)
    return array


def load_array(key: str, shape: tuple[int, ...], *, dtype: DTypeLike) -> np.ndarray | None:
    """The array saved under this key, or None where there is no valid one of this shape and type."""
    if _is_off():
        return None
    try:
        content = _path(key).read_bytes()
        if checksum(content) != _path(key, "blake2b").read_text(encoding="ascii"):
            return None
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if (array.shape, array.dtype) == (shape, np.dtype(dtype)) else None


def save_array(key: str, array: np.ndarray) -> None:
    """Save an array under a key of `content_key`.

    Raises
    ------
    OSError
        If the cache folder cannot be written.
    """
    if _is_off():
        return
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    with atomic_write(_path(key)) as part:
        part.write_bytes(content.getbuffer())
    with atomic_write(_path(key, "blake2b")) as part:
        part.write_text(checksum(content.getbuffer()), encoding="ascii")


@contextmanager
def _lock(key: str) -> Iterator[None]:
    """Lock of a key among processes; none where nothing can be stored."""
    with ExitStack() as held:
        if not _is_off():
            with suppress(OSError):  # the folder cannot be written
                _path(key).parent.mkdir(parents=True, exist_ok=True)
                held.enter_context(FileLock(_path(key, "lock")))
        yield


def _is_off() -> bool:
    return os.environ.get("META_EVALUATION_NO_CACHE") == "1"


def _path(key: str, ending: str = "npy") -> Path:
    return cache_folder() / "features" / f"{key}.{ending}"
