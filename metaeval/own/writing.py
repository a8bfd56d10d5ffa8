"""own.writing: files of tables that a user names, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import xarray as xr

from metaeval.core.errors import DataError
from metaeval.core.paths import atomic_write
from metaeval.tables.benchmark import CELL

_WRITERS = {
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".jsonl": pl.DataFrame.write_ndjson,
    ".parquet": pl.DataFrame.write_parquet,
}


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """`metaeval.core.paths.atomic_write` for a file that a user names.

    Raises
    ------
    OSError
        If it cannot be written: which file, why, and what to do.
    """
    try:
        with atomic_write(path) as partial:
            yield partial
    # polars has errors of its own, and neither they nor those of the system name the user's file
    except (OSError, pl.exceptions.PolarsError) as error:
        why = getattr(error, "strerror", None) or str(error).rpartition(": ")[2]
        raise OSError(
            f"{path} cannot be written ({why}), and nothing of it is kept; make room or get leave to write "
            "there, or name a file elsewhere"
        ) from error


def require_written(path: Path, *, lists: bool = False) -> None:
    """Raise unless a table, perhaps one with columns of lists, can be written under this name.

    Raises
    ------
    DataError
        If the name ends in no format that is written, or in one that holds no lists, or is a folder's.
    """
    formats = [ending for ending in _WRITERS if not lists or ending in (".jsonl", ".parquet")]
    if path.suffix not in formats:
        raise DataError(f"{str(path)!r} must end in {', '.join(formats[:-1])} or {formats[-1]}")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder; name a file")


def require_apart(outputs: Iterable[Path | None], inputs: Iterable[Path] = ()) -> None:
    """Raise if a file would be written over one that is read, or over another output; None is no file.

    Raises
    ------
    DataError
        Which file.
    """
    taken = {Path(path).resolve(): "is also read" for path in inputs}
    for path in filter(None, outputs):
        if why := taken.get(path.resolve()):
            raise DataError(f"{str(path)!r} {why}, and would be lost; name another file to write")
        taken[path.resolve()] = "is also written"


def long_table(array: xr.DataArray, value: str) -> pl.DataFrame:
    """A row per cell, dims (..., system, document), in the array's order; NaN becomes null.

    Parameters
    ----------
    array : DataArray of floats or texts
    value : name of their column, the last; system and document are the first
    """
    leading = [dim for dim in array.dims if dim not in CELL]
    ordered = array.transpose(*leading, *CELL)
    names = [np.array(ordered.indexes[dim], dtype=object) for dim in ordered.dims]
    columns = {
        dim: pl.Series(ids.ravel(), dtype=pl.String)
        for dim, ids in zip(ordered.dims, np.meshgrid(*names, indexing="ij"), strict=True)
    }
    cells = ordered.to_numpy().ravel()
    dtype = pl.String if cells.dtype == object else None
    columns[value] = pl.Series(cells, dtype=dtype, nan_to_null=True)
    return pl.DataFrame(columns).select(*CELL, *leading, value)


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table whole or not at all, in the format that the name asks for.

    Raises
    ------
    DataError
        As `require_written`.
    OSError
        As `written`.
    """
    require_written(path, lists=any(dtype.is_nested() for dtype in frame.dtypes))
    with written(path) as partial:
        _WRITERS[path.suffix](frame, partial)
