"""own.units: content units that a user's people wrote, and what they said of each summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, listing
from metaeval.own.parsing import parse


@dataclass(frozen=True)
class OwnUnits:
    """Contents of a file of units.

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
    table, *others = parse(path)
    if others:
        raise DataError(f"{table.file} holds several tables; name one of them")
    frame = table.frame
    lacking = [name for name in ("document", "units") if name not in frame.columns]
    if "labels" in frame.columns and "system" not in frame.columns:
        lacking.append("system")
    if lacking:
        raise DataError(
            f"{table.file}: no column {listing(lacking)} among {listing(frame.columns)}; units are rows of "
            'JSON Lines such as {"document": "d1", "units": ["A cat sat."]}, with people\'s labels also '
            '"system": "s1", "labels": [1]'
        )
    units: dict[str, tuple[str, ...]] = {}
    labels: dict[tuple[str, str], np.ndarray] = {}
    marks = frame["labels"].tolist() if "labels" in frame.columns else [None] * len(frame)
    systems = frame["system"].map(str).tolist() if "labels" in frame.columns else marks
    for row, (document, texts) in enumerate(zip(frame["document"].map(str), frame["units"], strict=True)):
        where = f"{table.file}, {table.place(row)}"
        if not isinstance(texts, list) or not all(isinstance(text, str | None) for text in texts):
            raise DataError(f"{where}, column 'units': must be a list of texts, got {texts!r}")
        if not texts or not all(text and text.strip() for text in texts):
            raise DataError(f"{where}: a document has at least one unit, and each holds words")
        if units.setdefault(document, (*texts,)) != (*texts,):
            raise DataError(f"{where}: document {document!r} had other units in a row before")
        if marks[row] is not None:
            _add_labels(labels, (systems[row], document), marks[row], len(texts), where)
    return OwnUnits(units, labels)


def _add_labels(labels: dict, cell: tuple[str, str], marks: object, n_units: int, where: str) -> None:
    if not isinstance(marks, list) or len(marks) != n_units or not set(marks) <= {0, 1}:
        raise DataError(
            f"{where}, column 'labels': must be a list of 0 and 1, one for each of the {n_units} "
            f"units, got {marks!r}"
        )
    if cell in labels:
        raise DataError(f"{where}: labels of system {cell[0]!r}, document {cell[1]!r} come twice")
    labels[cell] = np.array(marks, dtype=float)
