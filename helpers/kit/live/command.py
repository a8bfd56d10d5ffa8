"""live.command: the shell command that runs a notebook with a block's settings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cache

import yaml

from helpers.kit.parameters import default_parameters, notebook_path
from metaeval.core.mode import is_simulated

OUTPUT = "out.ipynb"
_LONGEST_NAME = 120  # characters of a file's name, below what any file system takes


@cache
def defaults(notebook: str) -> dict[str, object]:
    """The values in the `parameters` cell of the notebook on disk, which is what papermill reads."""
    return default_parameters(notebook_path(notebook))


def changed(notebook: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Those settings that differ from the notebook's defaults, in the notebook's order."""
    return {
        name: settings[name]
        for name, default in defaults(notebook).items()
        if name in settings and settings[name] != default
    }


def papermill_command(notebook: str, settings: Mapping[str, object]) -> str:
    """The command, quoted for a POSIX shell at the project's root, that runs the notebook so.

    Such as ``papermill notebooks/topk.ipynb out.ipynb -p k 6 -y 'groups: [abs, mix]'``.

    Only settings that differ from the notebook's defaults are named. A run on simulated data says so in
    front, since another shell would take real data.
    """
    words = ["papermill", f"notebooks/{notebook}.ipynb", OUTPUT]
    for name, value in changed(notebook, settings).items():
        words += _option(name, value)
    prefix = "DATA=simulated " if is_simulated() else ""
    return prefix + shlex.join(words)


def _option(name: str, value: object) -> list[str]:
    if isinstance(value, list):
        text = yaml.safe_dump({name: value}, default_flow_style=None, allow_unicode=True, width=float("inf"))
        return ["-y", text.strip()]
    is_word = isinstance(value, str)
    return ["-r" if is_word and _reads_as_something_else(value) else "-p", name, str(value)]


def _reads_as_something_else(word: str) -> bool:
    """True if papermill's ``-p`` would take a word for a truth value, nothing, or a number."""
    if word in ("True", "False", "None"):
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def file_name(notebook: str, settings: Mapping[str, object]) -> str:
    """Name of the CSV file with a block's table, such as ``topk-k-6-groups-abs-mix.csv``."""
    words = [notebook]
    for name, value in changed(notebook, settings).items():
        words += [name, *map(str, value if isinstance(value, list) else [value])]
    plain = re.sub(r"[^\w.]+", "-", "-".join(words)).strip("-")
    return f"{plain[:_LONGEST_NAME].rstrip('-.')}.csv"
