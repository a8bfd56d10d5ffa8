"""datasets.catalogue: which datasets there are, and what is known of them without their files.

Takes `metaeval.datasets.readers`; every file is pinned to a commit (`metaeval.datasets.registry`).
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from metaeval.core.errors import choose
from metaeval.datasets.fetch import locate
from metaeval.datasets.readers import (
    alt_test,
    bartscore,
    faithbench,
    gesera,
    lite_pyramid,
    llm_summeval,
    llmbar,
    re_examining,
    realsumm,
    rose,
    stat_analysis,
)
from metaeval.datasets.readers.dataset import Dataset
from metaeval.datasets.registry import SourceFile

DATASETS: dict[str, Dataset] = {
    **realsumm.DATASETS,
    **stat_analysis.DATASETS,
    **re_examining.DATASETS,
    **bartscore.DATASETS,
    **gesera.DATASETS,
    **lite_pyramid.DATASETS,
    **alt_test.DATASETS,
    **llm_summeval.DATASETS,
    **faithbench.DATASETS,
    **rose.DATASETS,
}
# choices between two outputs, which are no Benchmark
PAIRS: dict[str, Dataset] = {**alt_test.PAIRS, **llm_summeval.PAIRS, **llmbar.PAIRS}


@dataclass(frozen=True)
class Description:
    """What a dataset is and needs, known without any of its files.

    Attributes
    ----------
    name, title : str
    needed : tuple of SourceFile
        Without any one of them there is no benchmark.
    optional : tuple of SourceFile
        Without them the benchmark lacks something, and its provenance says so.
    licence : str
        The terms of the repositories, as they state them.
    citation : tuple of str
        Keys of ``book/references.bib``, the data's own paper first.
    judged_in : int
        The year in which its judges answered, of a release that has answers of language models.
    """

    name: str
    title: str
    needed: tuple[SourceFile, ...]
    optional: tuple[SourceFile, ...]
    licence: str
    citation: tuple[str, ...]
    judged_in: int | None = None


def names() -> list[str]:
    """The names of the datasets that `load` knows.

    Returns
    -------
    list of str
        In the order in which the book introduces them.

    Examples
    --------
    >>> "realsumm" in names()
    True
    """
    return list(DATASETS)


def pair_names() -> list[str]:
    """The names of the releases of choices between two outputs, that `pairs` knows.

    Returns
    -------
    list of str
    """
    return list(PAIRS)


def describe(name: str) -> Description:
    """Title, files, licence and citation of a dataset, without loading it.

    Parameters
    ----------
    name : str
        One of `names` or `pair_names`.

    Returns
    -------
    Description

    Raises
    ------
    UnknownNameError
        If there is no such dataset.
    """
    dataset = choose("dataset", name, {**DATASETS, **PAIRS})
    return Description(
        name=dataset.name,
        title=dataset.title,
        needed=dataset.needed_files,
        optional=dataset.optional_files,
        licence=dataset.licence,
        citation=dataset.citation,
        judged_in=dataset.judged_in,
    )


def availability() -> pd.DataFrame:
    """Which pinned file of which dataset lies where on this machine. Never touches the network.

    Returns
    -------
    DataFrame
        One row per dataset and file: dataset, repository, file, commit, needed (otherwise optional), bytes,
        and where: "mirror", "cache" or "absent".
    """
    rows = [
        {
            "dataset": name,
            "repository": file.repository,
            "file": file.path,
            "commit": file.commit,
            "needed": needed,
            "bytes": file.n_bytes,
            "where": locate(file) or "absent",
        }
        for name, dataset in {**DATASETS, **PAIRS}.items()
        for needed, files in ((True, dataset.needed_files), (False, dataset.optional_files))
        for file in files
    ]
    return pd.DataFrame(rows).astype({"bytes": "Int64"})
