"""kit.read: the documents that a model reads, where reading all of them would take too long.

For the modules of this room.
"""

from __future__ import annotations

import numpy as np

from metaeval.core.limits import check_count
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Benchmark


def read_documents(benchmark: Benchmark, n: int | None = None) -> list[str]:
    """Some of a benchmark's documents, drawn once for all runs and pages; fewer are among more.

    Parameters
    ----------
    benchmark : Benchmark
    n : int, at least 1; all documents where there are no more, and by default

    Returns
    -------
    list of str, in the benchmark's order
    """
    if n is not None:
        check_count("n_documents", n, at_least=1)
    # a seed of the page would let a model read other texts whenever a bootstrap is drawn again
    order = stream(0, benchmark.name, "documents that a model reads").permutation(len(benchmark.documents))
    return [benchmark.documents[place] for place in np.sort(order[:n])]
