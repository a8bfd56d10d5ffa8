"""parsing.table: a table as it was read: names of columns settled, mappings in cells spread over columns."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError


class EmptyError(DataError):
    """A file without rows, which others beside it may make up for."""


Columns: TypeAlias = Mapping[str | tuple, Sequence | pd.Series]

MAX_CELLS = 20_000_000  # a mapping whose keys would spread to more stays in its cell
_NUMBERS = {int, float, type(None)}
_EXACT = 2**53  # whole numbers below it are exact as floats


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and columns, before anybody asked what they mean.

    Attributes
    ----------
    name : str
        The file's stem, and what tells several tables of one file apart: a sheet, a key, an inner file.
    path : Path or None
        The file; None for a data frame.
    frame : pandas DataFrame
        Index 0, 1, ...; distinct names of columns. Cells of text formats are texts as they stand, "" where
        empty; others are native, and None or NaN where missing. Lists stay Python lists.
    keys : dict
        Of each column that was inside a mapping: the levels that lead to it,
        as in ``{"rouge-1.f1": ("rouge-1", "f1")}``.
    context : dict
        What stood beside the rows in a JSON object, by its dotted path; ``"path"`` is that of the rows.
    notes : tuple of str
        What was done, a short line each.
    """

    name: str
    path: Path | None
    frame: pd.DataFrame
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    locate: Callable[[int], str] | None = None

    @property
    def file(self) -> str:
        """The file's name, or the data frame's, for a message."""
        return printable(self.path.name) if self.path else self.name

    def place(self, row: int) -> str:
        """Name the place of a row for a message; the first is 0."""
        return self.locate(row) if self.locate else f"row {row + 1}"


def printable(path: Path | str) -> str:
    """A path in letters, also where its bytes are not UTF-8."""
    data = os.fsencode(path)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def clean_name(name: object) -> str:
    """A column's name in NFC, with one blank for every run of white space, and none around it."""
    return " ".join(unicodedata.normalize("NFC", str(name)).replace("\ufeff", "").split())


def column_names(heading: Iterable[object], where: str) -> list[str]:
    """Distinct names of columns; what has none is called by its number, ``c1`` the first.

    Where several names come again, as a block of columns for each model does, they are numbered: Score 2.

    Raises
    ------
    DataError
        If two are one name, perhaps in two spellings.
    """
    names = [clean_name(name) or f"c{i}" for i, name in enumerate(heading, 1)]
    if sum(count > 1 for count in Counter(names).values()) > 1:
        seen: Counter[str] = Counter()
        for i, name in enumerate(names):
            seen[name] += 1
            names[i] = f"{name} {seen[name]}" if seen[name] > 1 else name
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if (same := first.setdefault(name.casefold(), i)) != i:
            raise DataError(
                f"{where}: columns {same + 1} and {i + 1} are called {names[same]!r} and {name!r}; are these "
                "one and the same? Rename one of them, or leave it out"
            )
    return names


def frame_of(columns: Columns, where: str) -> tuple[pd.DataFrame, dict[str, tuple[str, ...]]]:
    """A frame of columns of native values, and the levels of those that were inside mappings.

    Parameters
    ----------
    columns : mapping
        A tuple as key is the levels of a name.
    where : str
        What errors call it.

    Raises
    ------
    DataError
        If two columns have one name.
    """
    paths = [key if isinstance(key, tuple) else (key,) for key in columns]
    names = column_names((".".join(map(str, path)) for path in paths), where)
    spread: dict[tuple[str, ...], pd.Series] = {}
    for path, name, cells in zip(paths, names, columns.values(), strict=True):
        path = tuple(map(clean_name, path)) if len(path) > 1 else (name,)
        if isinstance(cells, pd.Series):
            spread[path] = cells.reset_index(drop=True)
        else:
            _spread(path, cells, spread)
    levels = {".".join(path): path for path in spread}
    if len(levels) < len(spread):
        repeated = next(name for path in spread if levels[name := ".".join(path)] != path)
        raise DataError(f"{where}: two columns are called {repeated!r}; rename one of them")
    frame = pd.DataFrame(dict(zip(levels, spread.values(), strict=True)))
    return frame, {name: path for name, path in levels.items() if len(path) > 1}


def require_rows(frame: pd.DataFrame, where: str) -> None:
    """Raise unless a table has rows and columns.

    Raises
    ------
    EmptyError
        What it needs.
    """
    if not frame.size:
        raise EmptyError(f"{where} has no rows; it needs a line that names its columns, and lines of values")


def _spread(path: tuple[str, ...], cells: Sequence, spread: dict[tuple[str, ...], pd.Series]) -> None:
    """Add a column, or a column for each key of the mappings in its cells."""
    kinds = set(map(type, cells))
    if dict in kinds and kinds <= {dict, type(None)}:
        keys = dict.fromkeys(chain.from_iterable(cell for cell in cells if cell))
        if len(keys) * len(cells) <= MAX_CELLS:
            for key in keys:
                inner = [cell.get(key) if cell else None for cell in cells]
                _spread((*path, clean_name(key)), inner, spread)
            return
    spread[path] = _series(cells, kinds)


def _series(cells: Sequence, kinds: set[type]) -> pd.Series:
    """Numbers and truth values in their own types where nothing is lost, as digits of an id; else objects."""
    if kinds == {bool}:
        return pd.Series(np.array(cells))
    whole = [cell for cell in cells if type(cell) is int] if int in kinds and kinds <= _NUMBERS else []
    if kinds == {int} and min(whole) >= -(2**63) and max(whole) < 2**63:
        return pd.Series(np.array(whole, dtype=np.int64))
    if float in kinds and kinds <= _NUMBERS and max(map(abs, whole), default=0) <= _EXACT:
        return pd.Series(np.array(cells, dtype=float))
    return pd.Series(cells, dtype=object)
