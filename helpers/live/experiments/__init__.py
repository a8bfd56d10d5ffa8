"""live.experiments: which notebooks have a live block: those with a module of their name here.

Each module defines `EXPERIMENT`, and its `compute` is the function of `helpers.experiments` that the
notebook's own cell calls. Only the module that is asked for is imported: Pyramid's and SERA's take seconds.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from helpers import paths
from helpers.errors import choose
from helpers.live.experiment import Experiment

# notebooks that still share a module; a line goes when its notebook has one of its own
_PARTS = {
    "sera": ("sera", "index_size", "annotators"),
    "data": ("benchmarks",),
}
_OWN = [m.name for m in iter_modules(__path__) if (paths.NOTEBOOKS / f"{m.name}.ipynb").exists()]
NOTEBOOKS = {
    **{notebook: part for part, notebooks in _PARTS.items() for notebook in notebooks},
    **{notebook: notebook for notebook in _OWN},
}


def experiment(notebook: str) -> Experiment:
    """The live block of a notebook.

    Raises
    ------
    UnknownNameError
        If the notebook has none.
    """
    module = import_module(f"{__name__}.{choose('notebook with a live block', notebook, NOTEBOOKS)}")
    return getattr(module, "EXPERIMENT", None) or module.EXPERIMENTS[notebook]
