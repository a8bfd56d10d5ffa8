"""runs.kernel_preload: imports of most notebooks, for the process that `bookbuild.runs.kernels` forks.

Nothing here may depend on the environment of a run, which a kernel gets after it is forked. An import or file
that fails here is reported by the notebooks that need it.
"""

# ruff: noqa: F401 - imported for its own sake

import signal
from contextlib import suppress

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process above handles Ctrl-C and ends this one

with suppress(Exception):
    import ipykernel.ipkernel
    import plotly.io
    import xarray as xr

    import bookbuild.runs.kernels
    import helpers.kit
    from helpers.experiments import findings, leaderboard, tests
    from helpers.kit import panels, theme
    from helpers.kit.claims import checking
    from metaeval import datasets
    from metaeval.metrics import cache
    from metaeval.metrics.pyramid import features

    checking.load()
    xr.DataArray(0.0)  # the first one imports Dask, if it is there
    cache.code()  # hash the modules as imported, even if files are edited during a build
    cache.code(*features.MADE_BY)
