"""runs.preloaded: what most notebooks import and read, for the process that `bookbuild.runs.kernels` forks.

Nothing here may depend on the environment of a run, of which a kernel learns after it is forked. What
cannot be imported or read here is told by the notebooks that need it.
"""

# ruff: noqa: F401 - imported for its own sake

import signal
from contextlib import suppress

signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process above, which ends this one

with suppress(Exception):
    import ipykernel.ipkernel
    import plotly.io
    import xarray as xr

    import bookbuild.runs.kernels
    import helpers.kit
    from helpers.experiments import findings, leaderboard, tests
    from helpers.kit import claims, panels, theme
    from metaeval import datasets
    from metaeval.metrics import cache
    from metaeval.metrics.pyramid import features

    claims.load()
    xr.DataArray(0.0)  # the first one imports Dask, if it is there
    cache.code()  # of the modules as they were imported, whatever is edited while a book is made
    cache.code(*features.MADE_BY)
