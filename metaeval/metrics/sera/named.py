"""sera.named: SERA and GeSERA by their names in the registry, with a folder of documents as pool."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path

import xarray as xr

from metaeval.core.errors import SourceUnavailableError, choose
from metaeval.datasets.readers.stories import read_folder
from metaeval.metrics.sera.index import DocumentIndex, analyse, build_index
from metaeval.metrics.sera.overlap import OVERLAPS
from metaeval.metrics.sera.scores import Variants, sera_name, sera_scores
from metaeval.tables.benchmark import Texts

_VARIANTS = {
    sera_name(*variant): variant for variant in product(("raw", "np", "kw", "gesera"), OVERLAPS, (5, 10))
}


def named_scores(texts: Texts, names: Sequence[str], *, pool: str | Path | None = None) -> xr.DataArray:
    """SERA of every summary, averaged over the document's references.

    Parameters
    ----------
    texts : Texts
    names : such as ``"SERA-5"``, ``"SERA-DIS-NP-10"``, ``"GeSERA-5"``
    pool : folder of text files that summaries and references are looked up in, at least ten
        Best of the summaries' own domain.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document)
        NaN where nothing is left of a summary or of all its references as a query.

    Raises
    ------
    SourceUnavailableError
        If no folder is named, or there is none of this name.
    """
    queries, overlaps, cutoffs = zip(*(choose("SERA", name, _VARIANTS) for name in names), strict=True)
    if pool is None:
        raise SourceUnavailableError(
            "SERA looks summaries up in a pool of documents: name a folder of text files by the option pool, "
            "as in --option pool=FOLDER"
        )
    variants = Variants(*(tuple(dict.fromkeys(part)) for part in (queries, cutoffs, overlaps)))
    return sera_scores(texts, _index(Path(pool).expanduser()), variants).sel(metric=list(names))


@lru_cache(maxsize=1)  # the pieces of a long run are looked up in the same
def _index(folder: Path) -> DocumentIndex:
    return build_index(analyse(read_folder(folder)))
