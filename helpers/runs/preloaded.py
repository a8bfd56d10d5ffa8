"""runs.preloaded: what most notebooks import and read, for the process that `helpers.runs.kernels` forks.

Nothing here may depend on the environment of a run, of which a kernel learns after it is forked.
"""

# ruff: noqa: F401 - imported for its own sake

import ipykernel.ipkernel
import plotly.io

import helpers.notebook
import helpers.runs.kernels
from helpers import datasets
from helpers.experiments import findings, leaderboard, tests
from helpers.figures import panels, theme
from helpers.papers import claims

claims.load()
