"""readers.votes: REALSumm's crowd annotations (Bhandari et al. 2020, §3.3).

One CSV per system, one row per worker and summary: the document, up to 16 content units as shown to the
worker, and a vote on each, ``p`` (present) or ``n`` (not present). Workers are not named. Slots without a
unit read ``BLANK``; in some documents they stand between units, and workers voted on them as well. The
units stand once more in ``SCUs_list.csv``.

The folder of a file is not the type of its system: BanditSum and NeuSum, both extractive, lie among the
abstractive ones. Only ``bart_out``, which is both, is told apart by its folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.datasets.fetch import fetch
from metaeval.datasets.readers.realsumm import ABSTRACTIVE, EXTRACTIVE
from metaeval.datasets.registry import find
from metaeval.tables.benchmark import read_only
from metaeval.tables.wording import natural

N_SLOTS = 16
BLANK = "BLANK"
DOCUMENT, SYSTEM, SUMMARY = "Input.eventId", "Input.summaryId", "Input.summary_text"
# the files list the answers as S10 ... S16, S1 ... S9; they are read by name
ANSWERS = tuple(f"Answer.S{i}Answer" for i in range(1, N_SLOTS + 1))


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
    return f"{types[0] if len(types) == 1 else folder}_{upstream}"


def read_ratings(units: Path, files: Sequence[tuple[str, Path]]) -> Ratings:
    """Ratings from ``SCUs_list.csv`` and (folder, path) of each system's file."""
    slots = {
        document: tuple(texts)
        for document, texts in _table(units).groupby("eventId", sort=False)["questionText"]
    }
    votes, summaries, folders = {}, {}, {}
    for folder, path in files:
        table = _table(path)
        system = system_id(table[SYSTEM].iloc[0], folder)
        folders[system] = folder
        present = read_only((np.char.strip(table[[*ANSWERS]].to_numpy(str)) == "p").astype(np.int8))
        for document, rows in table.reset_index().groupby(DOCUMENT, sort=False)["index"]:
            votes[system, document] = read_only(present[rows])
            summaries[system, document] = table[SUMMARY].iloc[rows.iloc[0]]
    return Ratings(slots=slots, votes=votes, summaries=summaries, folder=folders)


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


# as the release has them: the batch in the name of all but one file of the first folder
_FILES = {
    "abs": [*(f"{name}_Batch_crowd_3" for name in sorted(ABSTRACTIVE | {"neusumm_out"})), "banditsumm_out"],
    "ext": sorted(EXTRACTIVE - {"neusumm_out", "banditsumm_out"}),
}


def _fetched(path: str) -> Path:
    return fetch(find("neulab/REALSumm", f"human_annotations/SCUs_and_annotations/{path}"))


@cache
def load_ratings() -> Ratings:
    """The 25 systems' ratings as released, read once per process.

    Raises
    ------
    SourceUnavailableError, IntegrityError
        If a file cannot be fetched, or is not the pinned one.
    """
    files = [
        (folder, _fetched(f"SCU_rating_results_{folder}_systems/{name}.csv"))
        for folder, names in _FILES.items()
        for name in names
    ]
    return read_ratings(_fetched("SCUs_list.csv"), files)
