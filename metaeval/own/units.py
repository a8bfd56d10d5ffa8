"""own.units: content units that a user's people wrote, and what they said of each summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.own.files import Table, read_table


@dataclass(frozen=True)
class OwnUnits:
    """What a file of units holds.

    Attributes
    ----------
    units : mapping, document -> its units
    labels : mapping, (system, document) -> 0 or 1 a unit: whether the summary has it; may be empty
    """

    units: Mapping[str, tuple[str, ...]]
    labels: Mapping[tuple[str, str], np.ndarray]


def read_units(path: Path) -> OwnUnits:
    """Units from JSON Lines or Parquet.

    Parameters
    ----------
    path : file
        Columns document and units, a list of texts; and with people's labels a row per summary, with columns
        system and labels, a list of 0 and 1, one per unit.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        Naming the row, if a column is missing or something else than said stands there.
    """
    table = read_table(path)
    frame = table.frame
    lacking = [name for name in ("document", "units") if name not in frame.columns]
    if "labels" in frame.columns and "system" not in frame.columns:
        lacking.append("system")
    if lacking:
        raise DataError(
            f"{table.name}: no column {listing(lacking)} among {listing(frame.columns)}; units are rows of "
            'JSON Lines such as {"document": "d1", "units": ["A cat sat."]}, with people\'s labels also '
            '"system": "s1", "labels": [1]'
        )
    if frame.schema["units"] != pl.List(pl.String):
        raise DataError(f"{table.name}, column 'units': must be lists of texts, got {frame.schema['units']}")
    units: dict[str, tuple[str, ...]] = {}
    labels: dict[tuple[str, str], np.ndarray] = {}
    said = frame.get_column("labels").to_list() if "labels" in frame.columns else [None] * frame.height
    systems = frame.get_column("system").cast(pl.String).to_list() if "labels" in frame.columns else said
    documents = frame.get_column("document").cast(pl.String).to_list()
    for row, (document, texts) in enumerate(zip(documents, frame.get_column("units").to_list(), strict=True)):
        texts = tuple(texts or ())
        if not texts or not all(text and text.strip() for text in texts):
            raise DataError(f"{table.place(row)}: a document has at least one unit, and each holds words")
        if units.setdefault(document, texts) != texts:
            raise DataError(f"{table.place(row)}: document {document!r} had other units in a row before")
        if said[row] is not None:
            _add_labels(labels, (systems[row], document), said[row], len(texts), table, row)
    return OwnUnits(units, labels)


def _add_labels(
    labels: dict, cell: tuple[str, str], said: object, n_units: int, table: Table, row: int
) -> None:
    if not isinstance(said, list) or len(said) != n_units or not set(said) <= {0, 1}:
        raise DataError(
            f"{table.place(row)}, column 'labels': must be a list of 0 and 1, one for each of the {n_units} "
            f"units, got {said!r}"
        )
    if cell in labels:
        raise DataError(f"{table.place(row)}: labels of system {cell[0]!r}, document {cell[1]!r} come twice")
    labels[cell] = np.array(said, dtype=float)
