"""The datasets by name: ``load("realsumm")`` gives a Benchmark, fetched, verified and read.

Every file is pinned to a commit and verified; see `helpers.sources.registry` and
`helpers.sources.fetch`. Under ``DATA=simulated`` a name stands for its simulated likeness
(`helpers.simulation.worlds`), and ``load("simulated-realsumm")`` gives that in any run.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import SourceUnavailableError, choose
from helpers.mode import PREFIX, is_simulated, mode
from helpers.simulation import worlds
from helpers.sources import bartscore, gesera, lite_pyramid, re_examining, realsumm, stat_analysis, stories
from helpers.sources.dataset import Dataset
from helpers.sources.fetch import SILENT, locate, silent_hosts
from helpers.sources.fetch import fetch as fetch_file  # `fetch` here is the module
from helpers.sources.registry import SourceFile

__all__ = ["Description", "availability", "decide", "describe", "load", "names"]

_DATASETS: dict[str, Dataset] = {
    **realsumm.DATASETS,
    **stat_analysis.DATASETS,
    **re_examining.DATASETS,
    **bartscore.DATASETS,
    **gesera.DATASETS,
    **lite_pyramid.DATASETS,
}


# without any of these there is no whole book; the whole test sets of Re-Examining add to it
NEEDED_BY_THE_BOOK = (
    *("realsumm", "realsumm-released", "bhandari2020", "summeval"),
    *("re-examining-realsumm", "re-examining-summeval", "tac2009", "lite-realsumm", "lite-pyrxsum"),
)


@dataclass(frozen=True)
class Description:
    """What a dataset is and needs, known without any of its files."""

    name: str
    title: str
    needed: tuple[SourceFile, ...]
    optional: tuple[SourceFile, ...]
    licence: str
    citation: tuple[str, ...]


def names() -> list[str]:
    """The datasets that `load` knows."""
    return list(_DATASETS)


def load(name: str) -> Benchmark:
    """A dataset as a Benchmark, loaded once a process; its arrays are read-only.

    Parameters
    ----------
    name : one of `names`
        With ``simulated-`` in front of it: its simulated likeness, under that name. Under
        ``DATA=simulated`` every name stands for the likeness.

    Raises
    ------
    UnknownNameError
        If there is no such dataset.
    SourceUnavailableError
        If a file it needs can be had from none of its places.
    IntegrityError, DataError
        If a file is not the pinned one, or does not hold what its format promises.

    Examples
    --------
    >>> load("realsumm").human.mean("document")  # doctest: +SKIP
    """
    if name.startswith(PREFIX) and name.removeprefix(PREFIX) in _DATASETS:
        return replace(worlds.load(name.removeprefix(PREFIX)), name=name)
    dataset = choose("dataset", name, _DATASETS)
    return worlds.load(name) if is_simulated() else _real(dataset.name)


@cache
def _real(name: str) -> Benchmark:
    return _DATASETS[name].load()


def decide() -> tuple[str, str]:
    """Settle, once for a run and all processes that it starts, which data it is on.

    ``auto`` becomes ``real`` if every file that the book needs can be had, else ``simulated``. The answer is
    put into the environment, with the hosts that did not answer, so that no process asks them again.

    Returns
    -------
    mode : ``"real"`` or ``"simulated"``
    reason : why ``auto`` became ``simulated``, for the person at the terminal; else empty

    Raises
    ------
    SourceUnavailableError
        If ``DATA=real`` and a needed file cannot be had.
    IntegrityError
        If a file is not the pinned one: that is an error in any mode but ``simulated``.
    """
    asked, reason = mode(), ""
    if asked != "simulated":
        files = dict.fromkeys(file for name in NEEDED_BY_THE_BOOK for file in _DATASETS[name].needed_files)
        files |= dict.fromkeys([*gesera.example_files(), *stories.needed_files()])
        try:
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(fetch_file, files))
        except SourceUnavailableError as error:
            if asked == "real":
                raise
            reason = str(error)
    settled = "simulated" if asked == "simulated" or reason else "real"
    os.environ["DATA"] = settled
    os.environ[SILENT] = "\n".join(f"{host}\t{why}" for host, why in silent_hosts().items())
    return settled, reason


def describe(name: str) -> Description:
    """Title, files, licence and citation of a dataset, without loading it."""
    dataset = choose("dataset", name, _DATASETS)
    return Description(
        name=dataset.name,
        title=dataset.title,
        needed=dataset.needed_files,
        optional=dataset.optional_files,
        licence=dataset.licence,
        citation=dataset.citation,
    )


def availability() -> pd.DataFrame:
    """Which pinned file of which dataset lies where on this machine. Never touches the network.

    Returns
    -------
    DataFrame
        One row a dataset and file: dataset, repository, file, commit, needed (else optional),
        bytes, and where: "mirror", "cache" or "absent".
    """
    rows = []
    for name in names():
        description = describe(name)
        for needed, files in ((True, description.needed), (False, description.optional)):
            for file in files:
                rows.append(
                    {
                        "dataset": name,
                        "repository": file.repository,
                        "file": file.path,
                        "commit": file.commit,
                        "needed": needed,
                        "bytes": file.n_bytes,
                        "where": locate(file) or "absent",
                    }
                )
    return pd.DataFrame(rows).astype({"bytes": "Int64"})


def main() -> int:
    """Say which data a run here would be on, real or simulated, and why; returns the exit status."""
    try:
        settled, reason = decide()
    except (SourceUnavailableError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if reason:
        print(reason, file=sys.stderr)
    print(settled)
    return 0


if __name__ == "__main__":
    sys.exit(main())
