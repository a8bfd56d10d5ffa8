"""blocks: which notebooks have a live block: those with a module of their name here.

Each module defines `EXPERIMENT`, and its `compute` is the function of `helpers.experiments` that the
notebook's own cell calls. Only the module that is asked for is imported: Pyramid's and SERA's take seconds.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from helpers.kit.live.experiment import Experiment
from metaeval.core import paths
from metaeval.core.errors import UnknownNameError

NOTEBOOKS = [m.name for m in iter_modules(__path__) if (paths.NOTEBOOKS / f"{m.name}.ipynb").exists()]


def experiment(notebook: str) -> Experiment:
    """The live block of a notebook.

    Raises
    ------
    UnknownNameError
        If the notebook has none.
    """
    if notebook not in NOTEBOOKS:
        raise UnknownNameError("notebook with a live block", notebook, NOTEBOOKS)
    return import_module(f"{__name__}.{notebook}").EXPERIMENT
