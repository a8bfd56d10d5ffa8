"""The datasets by name: ``load("realsumm")`` gives a Benchmark, fetched, verified and read.

Every file is pinned to a commit and verified; see `helpers.sources.registry` and
`helpers.sources.fetch`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.sources import bartscore, gesera, lite_pyramid, re_examining, realsumm, stat_analysis
from helpers.sources.dataset import Dataset
from helpers.sources.fetch import locate
from helpers.sources.registry import SourceFile

__all__ = ["Description", "availability", "describe", "load", "names"]

_DATASETS: dict[str, Dataset] = {
    **realsumm.DATASETS,
    **stat_analysis.DATASETS,
    **re_examining.DATASETS,
    **bartscore.DATASETS,
    **gesera.DATASETS,
    **lite_pyramid.DATASETS,
}


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


@cache
def load(name: str) -> Benchmark:
    """A dataset as a Benchmark, loaded once a process; its arrays are read-only.

    Parameters
    ----------
    name : one of `names`

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
    return choose("dataset", name, _DATASETS).load()


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
