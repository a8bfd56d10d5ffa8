"""Which part of each notebook has a live block: a module a part of the book, like `helpers.figures`."""

from __future__ import annotations

from importlib import import_module

from helpers.errors import choose
from helpers.live.experiment import Experiment

# a block imports only its own part: Pyramid's and SERA's take seconds
_PARTS = {
    "realsumm": ("annotations", "systems", "topk", "pairs", "summaries", "sampling"),
    "resampling": ("intervals", "coverage", "tests", "power"),
    "re_examining": ("variance", "test_set", "margins"),
    "pyramid": ("lite2", "lite3", "lite2x", "leaderboard"),
    "sera": ("sera", "index_size", "annotators"),
    "simulation": ("likeness", "truth"),
    "data": ("benchmarks",),
}
NOTEBOOKS = {notebook: part for part, notebooks in _PARTS.items() for notebook in notebooks}


def experiment(notebook: str) -> Experiment:
    """The live part of a notebook.

    Raises
    ------
    UnknownNameError
        If the notebook has none.
    """
    part = choose("notebook with a live block", notebook, NOTEBOOKS)
    return import_module(f"{__name__}.{part}").EXPERIMENTS[notebook]
