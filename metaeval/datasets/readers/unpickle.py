"""readers.unpickle: a reader of pickles that admits plain values and nothing that runs.

A pickle from the network is code, which the standard reader would execute.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError


class _Number:
    """The type of a plain number; of ``numpy.dtype`` itself a crafted state crashes the interpreter."""

    def __init__(self, code: object, *flags: object):
        if not isinstance(code, str) or code not in _CODES:
            raise DataError(f"a NumPy scalar must be a number, got {code!r}")
        self.code, self.order = code, "<"

    def __setstate__(self, state: tuple):
        self.order = state[1] if state[1] in ("<", ">", "|") else "<"


def _scalar(of: _Number, content: bytes) -> float | int:
    """What ``numpy.core.multiarray.scalar`` makes of a plain number, as a Python number."""
    if not isinstance(of, _Number):
        raise DataError(f"a NumPy scalar must be a number, got {of!r}")
    return np.frombuffer(content, dtype=np.dtype(of.order + of.code), count=1)[0].item()


_CODES = {"b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8"}


class _Call:
    """A call that a pickle may make: it can set attributes of whatever it names, of this none."""

    def __init__(self, function: Callable):
        self._function = function

    def __call__(self, *arguments: object) -> object:
        return self._function(*arguments)

    def __setstate__(self, state: object):
        raise DataError("it sets attributes of what it calls")


ADMITTED = {
    ("numpy.core.multiarray", "scalar"): _Call(_scalar),  # NumPy 1, which wrote the pinned files
    ("numpy._core.multiarray", "scalar"): _Call(_scalar),  # NumPy 2
    ("numpy", "dtype"): _Call(_Number),
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str):
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise _ForbiddenTypeError(f"{module}.{name}") from None


class _ForbiddenTypeError(Exception):
    pass


def _require_small_memo(content: bytes) -> None:
    """The reader makes a table as long as the largest number by which something is remembered."""
    for operation, number, _ in pickletools.genops(content):
        if operation.name in ("PUT", "BINPUT", "LONG_BINPUT") and number > len(content):
            raise DataError(f"{len(content)} bytes cannot hold the {number} things that it numbers")


def unpickle(path: Path) -> object:
    """The content of a pickle that holds numbers, texts, lists, tuples, sets and dictionaries.

    Raises
    ------
    DataError
        If it asks for any other type (which is not imported, let alone called), sets attributes of
        what it calls, numbers more than it can hold, or is not a whole pickle.
    """
    content = path.read_bytes()
    try:
        _require_small_memo(content)
        return _Unpickler(io.BytesIO(content)).load()
    except _ForbiddenTypeError as error:
        admitted = sorted({name for _, name in ADMITTED})
        raise DataError(
            f"{path.name} asks for the type {error}; a data file may hold plain values and"
            f" {admitted} only. It is not read"
        ) from None
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    except Exception as error:  # a broken pickle fails in whichever instruction the break falls
        raise DataError(f"{path.name} is not a whole pickle: {type(error).__name__}: {error}") from error
