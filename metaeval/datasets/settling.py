"""datasets.settling: whether a run is on real or on simulated data, decided once for all its processes.

Called by whatever runs notebooks, before the first one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from metaeval.core.errors import SourceUnavailableError
from metaeval.core.mode import VARIABLE, mode
from metaeval.datasets.catalogue import DATASETS
from metaeval.datasets.fetch import SILENT, fetch, silent_hosts
from metaeval.datasets.readers import gesera, stories
from metaeval.datasets.registry import SourceFile

# Without any of these there is no whole book; the whole test sets of Re-Examining add to it.
NEEDED_BY_THE_BOOK = (
    *("realsumm", "realsumm-released", "bhandari2020", "summeval"),
    *("re-examining-realsumm", "re-examining-summeval", "tac2009", "lite-realsumm", "lite-pyrxsum"),
    *("summeval-judges", "rose", "rose-llm", "faithbench"),
)
STORIES_NEEDED_BY_THE_BOOK = ("reuters", "bbc")
_AT_ONCE = 4


def decide() -> tuple[str, str]:
    """Settle, once for a run and all processes that it starts, which data it is on.

    ``auto`` becomes ``real`` if every file that the book needs can be fetched, otherwise ``simulated``. The
    answer is put into the environment (`settle`).

    Returns
    -------
    mode : ``"real"`` or ``"simulated"``
    reason : str
        Why ``auto`` became ``simulated``, for the person at the terminal; otherwise empty.

    Raises
    ------
    SourceUnavailableError
        If ``DATA=real`` and a needed file cannot be fetched.
    IntegrityError
        If a file is not the pinned one: that is an error in any mode but ``simulated``.
    """
    asked, reason = mode(), ""
    if asked != "simulated":
        try:
            files = _needed_files()
            with ThreadPoolExecutor(_AT_ONCE) as pool:  # a share each: most are at hand, and thousands
                list(pool.map(_fetch_all, [files[first::_AT_ONCE] for first in range(_AT_ONCE)]))
        except SourceUnavailableError as error:
            if asked == "real":
                raise
            reason = str(error)
    settled = "simulated" if asked == "simulated" or reason else "real"
    settle(settled, silent_hosts())
    return settled, reason


def settle(mode: str, silent: dict[str, str]) -> None:
    """Write into this process's environment, which its children inherit, what `decide` found.

    Sets ``DATA`` to `mode`, and ``META_EVALUATION_SILENT`` to the hosts that did not answer, so that no
    process asks them again.
    """
    os.environ[VARIABLE] = mode
    os.environ[SILENT] = "\n".join(f"{host}\t{why}" for host, why in silent.items())


def _fetch_all(files: Sequence[SourceFile]) -> None:
    for file in files:
        fetch(file)


def _needed_files() -> list[SourceFile]:
    files = [file for name in NEEDED_BY_THE_BOOK for file in DATASETS[name].needed_files]
    files += gesera.example_files()
    files += [file for name in STORIES_NEEDED_BY_THE_BOOK for file in stories.COLLECTIONS[name].files()]
    return list(dict.fromkeys(files))
