"""core.mode: whether this run is on real or on simulated data: one answer for the whole run.

The answer is the environment variable ``DATA``, which notebooks' kernels inherit: ``real`` and ``auto`` read
released files, ``simulated`` draws likenesses of them and never touches the network. The build turns ``auto``
into one of the other two before the first notebook runs (`metaeval.datasets.decide`).
"""

from __future__ import annotations

import os

from metaeval.core.errors import choose

VARIABLE = "DATA"  # of the environment
MODES = {"real": False, "auto": False, "simulated": True}
OWN_DATA = "your data"  # a reader's own, from files: real in any run
PREFIX = "simulated-"  # in front of a dataset's name: its likeness, also where the real one can be read


def mode() -> str:
    """The value of ``DATA``, ``auto`` by default.

    Raises
    ------
    UnknownNameError
        For a value that is none of `MODES`.
    """
    value = os.environ.get(VARIABLE) or "auto"
    choose("value of DATA", value, MODES)
    return value


def is_simulated() -> bool:
    """Whether a dataset's plain name stands for its simulated likeness in this run."""
    return MODES[mode()]
