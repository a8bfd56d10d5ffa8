"""readers.votes: REALSumm's crowd annotations (Bhandari et al. 2020, §3.3).

One CSV per system, one row per worker and summary: the document, up to 16 content units as shown to the
worker, and a vote on each, ``p`` (present) or ``n`` (not present). Workers are not named. Slots without a
unit read ``BLANK``; in some documents they stand between units, and workers voted on them as well. The
units stand once more in ``SCUs_list.csv``.

The folder of a file is not the type of its system: BanditSum and NeuSum, both extractive, lie among the
abstractive ones. Only ``bart_out``, which is both, is told apart by its folder.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Pin, fetch
from metaeval.datasets.readers.realsumm import ABSTRACTIVE, CURRENT, EXTRACTIVE, REPOSITORY
from metaeval.datasets.readers.tables import natural
from metaeval.tables.benchmark import read_only

N_SLOTS = 16
BLANK = "BLANK"
DOCUMENT, SYSTEM, SUMMARY = "Input.eventId", "Input.summaryId", "Input.summary_text"
STATEMENTS = tuple(f"Input.statement_{i}" for i in range(1, N_SLOTS + 1))
# the files list the answers as S10 ... S16, S1 ... S9; they are read by name
ANSWERS = tuple(f"Answer.S{i}Answer" for i in range(1, N_SLOTS + 1))
VOTES = {"p": 1, "n": 0}


@dataclass(frozen=True)
class Ratings:
    """Votes of crowd workers on content units.

    Attributes
    ----------
    slots : mapping, document -> texts of its slots as shown to the workers; ``BLANK`` where there is no unit
    votes : mapping, (system, document) -> int8 array (n_workers, n_slots), 1 for present, 0 for not present
        Workers are not named: row i of one summary need not be the worker of row i of another.
    summaries : mapping, (system, document) -> the summary as shown to the workers, true-cased
    folder : mapping, system -> ``"abs"`` or ``"ext"``, the folder in which the release keeps its ratings
    """

    slots: Mapping[str, tuple[str, ...]]
    votes: Mapping[tuple[str, str], np.ndarray]
    summaries: Mapping[tuple[str, str], str]
    folder: Mapping[str, str]

    @property
    def systems(self) -> list[str]:
        return sorted(self.folder, key=natural)

    @property
    def documents(self) -> list[str]:
        return sorted(self.slots, key=natural)


def unit_votes(ratings: Ratings) -> dict[tuple[str, str], np.ndarray]:
    """Votes on units only: slots that read BLANK are left out, wherever they stand.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    mapping, (system, document) -> int8 array (n_workers, n_units)
    """
    keep = {d: np.array([text != BLANK for text in texts]) for d, texts in ratings.slots.items()}
    return {cell: votes[:, keep[cell[1]]] for cell, votes in ratings.votes.items()}


def system_id(upstream: str, folder: str) -> str:
    """Our id of a system, from its name and, for the one name that is both, the folder of its ratings."""
    types = [kind for kind, names in (("abs", ABSTRACTIVE), ("ext", EXTRACTIVE)) if upstream in names]
    if not types:
        raise DataError(
            f"{upstream!r} is not a system of REALSumm; known: {listing(ABSTRACTIVE | EXTRACTIVE)}"
        )
    return f"{types[0] if len(types) == 1 else folder}_{upstream}"


def read_units(path: Path) -> dict[str, tuple[str, ...]]:
    """Read ``SCUs_list.csv``: document -> texts of its 16 slots, BLANK ones included.

    Raises
    ------
    DataError
        Naming the file, the row and the value, for a missing column, or a document without its 16 slots.
    """
    slots: dict[str, list[str]] = {}
    for where, row in _rows(path, ("eventId", "questionText")):
        text = row["questionText"]
        if not text.strip():
            raise DataError(f"{where}: questionText is empty")
        slots.setdefault(row["eventId"], []).append(text)
    wrong = [f"{document} ({len(texts)})" for document, texts in slots.items() if len(texts) != N_SLOTS]
    if wrong:
        raise DataError(
            f"{path.name}: a document must have {N_SLOTS} rows, one per slot; not so: {listing(wrong)}"
        )
    return {document: tuple(texts) for document, texts in slots.items()}


def read_ratings(
    path: Path, slots: Mapping[str, Sequence[str]]
) -> tuple[str, dict[str, np.ndarray], dict[str, str]]:
    """Read one system's ratings.

    Parameters
    ----------
    path : Path
    slots : mapping, document -> texts of its slots, as `read_units` gives

    Returns
    -------
    name : str
        The system, as the file names it.
    votes : mapping, document -> int8 array (n_workers, n_slots)
    summaries : mapping, document -> the summary as shown

    Raises
    ------
    DataError
        Naming the file, the row (1 is the first below the header) and the value, if a column is missing, a
        vote is neither ``p`` nor ``n``, workers were shown different numbers of units or other units than
        ``SCUs_list.csv`` has, or different summaries, the file is about two systems, or a document is not
        rated.
    """
    votes: dict[str, list[list[int]]] = {}
    name = None
    summaries: dict[str, str] = {}
    n_shown: dict[str, int] = {}
    for where, row in _rows(path, (DOCUMENT, SYSTEM, SUMMARY, *STATEMENTS, *ANSWERS)):
        name = name or row[SYSTEM]
        if row[SYSTEM] != name:
            raise DataError(f"{where}: is about system {row[SYSTEM]!r}, the rows before it about {name!r}")
        document = row[DOCUMENT]
        if document not in slots:
            raise DataError(f"{where}: document {document!r} has no content units")
        texts = [row[column] for column in STATEMENTS]
        n_units = sum(text != BLANK for text in texts)
        if n_shown.setdefault(document, n_units) != n_units:
            raise DataError(
                f"{where}: {document} has {n_units} units here, {n_shown[document]} for the worker before"
            )
        if summaries.setdefault(document, row[SUMMARY]) != row[SUMMARY]:
            raise DataError(
                f"{where}: the summary of {document} differs from the one shown to the worker before"
            )
        for column, text, unit in zip(STATEMENTS, texts, slots[document], strict=True):
            if text != unit:
                raise DataError(f"{where}: {column} of {document} must be {unit!r}, got {text!r}")
        votes.setdefault(document, []).append(
            [_vote(row[column], f"{where}, {column}") for column in ANSWERS]
        )
    absent = set(slots) - set(votes)
    if absent:
        raise DataError(
            f"{path.name}: {len(absent)} of {len(slots)} documents are not rated: {listing(absent)}"
        )
    arrays = {document: read_only(np.array(rows, dtype=np.int8)) for document, rows in votes.items()}
    return name, arrays, summaries


def _vote(field: str, where: str) -> int:
    try:
        return VOTES[field.strip()]
    except KeyError:
        raise DataError(
            f"{where}: a vote must be 'p' (present) or 'n' (not present), got {field!r}"
        ) from None


def _rows(path: Path, columns: Sequence[str]):
    """(place, row) of a CSV file, after checking that it has the columns."""
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            raise DataError(f"{path.name}: lacks columns: {listing(missing)}")
        for i, row in enumerate(reader, start=1):
            empty = [column for column in columns if row[column] is None]
            if empty:
                raise DataError(f"{path.name}, row {i}: ends before the columns {listing(empty)}")
            yield f"{path.name}, row {i}", row


def ratings_from(units: Path, files: Sequence[tuple[str, Path]]) -> Ratings:
    """Ratings from ``SCUs_list.csv`` and (folder, path) of each system's file.

    Raises
    ------
    DataError
        As `read_units` and `read_ratings`; also if two files are about one system.
    """
    slots = read_units(units)
    votes, summaries, folders = {}, {}, {}
    for folder, path in files:
        name, by_document, texts = read_ratings(path, slots)
        system = system_id(name, folder)
        if system in folders:
            raise DataError(f"{path.name}: {system} is rated in another file already")
        folders[system] = folder
        votes |= {(system, document): rows for document, rows in by_document.items()}
        summaries |= {(system, document): text for document, text in texts.items()}
    return Ratings(slots=slots, votes=votes, summaries=summaries, folder=folders)


_FOLDER = "human_annotations/SCUs_and_annotations"
# as the release has them: the batch in the name of all but one file of the first folder
_FILES = {
    "abs": [*(f"{name}_Batch_crowd_3" for name in sorted(ABSTRACTIVE | {"neusumm_out"})), "banditsumm_out"],
    "ext": sorted(EXTRACTIVE - {"neusumm_out", "banditsumm_out"}),
}


def _pin(path: str) -> Pin:
    return Pin(REPOSITORY, f"{_FOLDER}/{path}", CURRENT)


@cache
def load_ratings() -> Ratings:
    """The 25 systems' ratings as released, read once per process.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        If a file cannot be fetched, is not the pinned one, or does not hold what its format promises.
    """
    files = [
        (folder, fetch(_pin(f"SCU_rating_results_{folder}_systems/{name}.csv").file))
        for folder, names in _FILES.items()
        for name in names
    ]
    return ratings_from(fetch(_pin("SCUs_list.csv").file), files)
