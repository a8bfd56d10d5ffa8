"""core.mode: real or simulated data, for the whole run.

The environment variable ``DATA`` sets the mode, and notebooks' kernels inherit it: ``real`` and ``auto`` read
released files, ``simulated`` draws likenesses of them and never touches the network. The build replaces
``auto`` by one of the other two before the first notebook runs (`metaeval.datasets.decide`).
"""

from __future__ import annotations

import os

from metaeval.core.errors import choose

VARIABLE = "DATA"  # of the environment
MODES = {"real": False, "auto": False, "simulated": True}
OWN_DATA = "your data"  # a user's own files: real in any run
PREFIX = "simulated-"  # before a dataset's name: its likeness, even where the real one is available


def mode() -> str:
    """The value of ``DATA``, ``auto`` by default.

    Raises
    ------
    UnknownNameError
        For a value not in `MODES`.
    """
    value = os.environ.get(VARIABLE) or "auto"
    choose("value of DATA", value, MODES)
    return value


def is_simulated() -> bool:
    """True if a dataset's plain name stands for its simulated likeness in this run."""
    return MODES[mode()]
