"""runs.preloaded_data: benchmarks that many notebooks load, for the process that `runs.kernels` forks.

A kernel has them at once, and would read the same: real files are pinned, likenesses drawn from a seed.
All are among those that `metaeval.datasets.decide` has fetched or found missing before many notebooks run,
so that nothing is downloaded here. What cannot be read is told by the notebooks that need it.
"""

from contextlib import suppress

from metaeval import datasets
from metaeval.datasets import fetch

SHARED = ("realsumm", "summeval", "bhandari2020", "tac2009", "summeval-judges")

for name in SHARED:
    with suppress(Exception):
        datasets.load(name)
fetch.FETCHER = fetch.Fetcher()  # a connection, should there be one, is not for several processes
