"""runs.kernel_preload_data: benchmarks that many notebooks load, for the process that `runs.kernels` forks.

Each kernel would read the same data: real files are pinned, likenesses drawn from a seed. Before many
notebooks run, `metaeval.datasets.decide` has fetched all of these or found them missing, so nothing is
downloaded here. A data set that cannot be read is reported by the notebooks that need it.
"""

from contextlib import suppress

from metaeval import datasets
from metaeval.datasets import fetch

SHARED = ("realsumm", "summeval", "bhandari2020", "tac2009", "summeval-judges")

for name in SHARED:
    with suppress(Exception):
        datasets.load(name)
fetch.FETCHER = fetch.Fetcher()  # do not share an open connection across forks
