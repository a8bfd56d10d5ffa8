"""sources.unpickle: a reader of pickles that admits plain values and nothing that runs.

A pickle from the network is code, which the standard reader would execute.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

from helpers.errors import DataError


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


ADMITTED = {
    ("numpy.core.multiarray", "scalar"): _scalar,  # NumPy 1, which wrote the pinned files
    ("numpy._core.multiarray", "scalar"): _scalar,  # NumPy 2
    ("numpy", "dtype"): _Number,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str):
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise _ForbiddenTypeError(f"{module}.{name}") from None


class _ForbiddenTypeError(Exception):
    pass


def unpickle(path: Path) -> object:
    """The content of a pickle that holds numbers, texts, lists, tuples, sets and dictionaries.

    Raises
    ------
    DataError
        If it asks for any other type (which is not imported, let alone called), or is not a whole
        pickle.
    """
    with path.open("rb") as handle:
        try:
            return _Unpickler(handle).load()
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
