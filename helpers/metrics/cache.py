"""Arrays that are slow to compute, kept in the user's cache under a hash of all they were computed from.

A cached array is only ever what the computation would give again: the key covers the texts, the model and the
version of the code that made it. A file that cannot be read, or has another shape than expected, is computed
anew. Deleting the folder is always safe. The files hold numbers only, no texts.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from helpers.sources.fetch import cache_folder


def content_key(parts: Iterable[str]) -> str:
    """SHA-256 of some texts, their lengths included, so that no two lists of texts share a key."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
    return digest.hexdigest()


def cached(key: str, shape: tuple[int, ...], compute: Callable[[], np.ndarray]) -> np.ndarray:
    """``compute()``, or what it gave before under this key.

    Parameters
    ----------
    key : str
        From `content_key`, of everything that the result depends on.
    shape : of the result; a cached array of another shape is not used
    compute : callable without arguments

    Notes
    -----
    Two processes that need the same array compute it once: the second waits. ``META_EVALUATION_NO_CACHE=1``
    computes always. Where the cache folder cannot be written, nothing is kept and the result is the same.
    """
    if os.environ.get("META_EVALUATION_NO_CACHE") == "1":
        return _checked(compute(), shape)
    path = cache_folder() / "features" / f"{key}.npy"
    found = _read(path, shape)
    if found is not None:
        return found
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("w")
    except OSError:
        return _checked(compute(), shape)
    with lock, _held(lock):
        found = _read(path, shape)
        if found is None:
            found = _checked(compute(), shape)
            _write(path, found)
    return found


@contextmanager
def _held(lock):
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)


def _read(path: Path, shape: tuple[int, ...]) -> np.ndarray | None:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if array.shape == shape else None


def _write(path: Path, array: np.ndarray) -> None:
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as handle:
            np.save(handle, array, allow_pickle=False)
        os.replace(handle.name, path)
    except OSError:  # a full disk: the result is right, it is only not kept
        Path(handle.name).unlink(missing_ok=True)


def _checked(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if array.shape != shape:
        raise ValueError(f"a computation to be cached must give shape {shape}, gave {array.shape}")
    return array
