"""kit.releases: sizes of the releases of benchmarks, and how many of their files are missing here."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metaeval import datasets
from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets.fetch import locate
from metaeval.tables.columns import check

_COUNTS = ("n_systems", "n_documents", "n_metrics", "n_judgments")
_COLUMNS = ("dataset", "title", *_COUNTS, "share_scored", "share_judged", "n_absent")


def contents(names: Sequence[str]) -> pd.DataFrame:
    """Sizes of releases; a release whose files are not here has none.

    Parameters
    ----------
    names : sequence of str
        See `metaeval.datasets.names`.

    Returns
    -------
    DataFrame with columns dataset, title, n_systems, n_documents, n_metrics, n_judgments, share_scored (cells
    of all metrics that hold a score), share_judged (the same of the gold standard), n_absent (files that are
    not here and without which there is no benchmark, or no gold standard)
    """
    rows = [_row(name) for name in names]
    table = pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(_COUNTS, "Int64"))
    return check(table, keys=["dataset"], values=["title"])


def _row(name: str) -> dict[str, object]:
    description = datasets.describe(name)
    files = (*description.needed, *description.optional)
    row = {
        "dataset": name,
        "title": description.title,
        "n_absent": sum(locate(file) is None for file in files),
    }
    try:
        benchmark = datasets.load(name)
    except SourceUnavailableError:
        return row
    return row | {
        "n_systems": len(benchmark.systems),
        "n_documents": len(benchmark.documents),
        "n_metrics": len(benchmark.metrics),
        "n_judgments": len(benchmark.judgments),
        "share_scored": float(benchmark.scores.notnull().mean()) if benchmark.metrics else None,
        "share_judged": float(benchmark.human.notnull().mean()) if benchmark.judgments else None,
    }
