"""kit.parameters: the `parameters` cell of a notebook, and values for it from a command line.

Papermill alone only warns of an unknown parameter and uses the default, and takes any type. Here both are
errors before a kernel starts. Called by every command that runs notebooks, and by live blocks for their
help texts.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import papermill

from metaeval.core.errors import UnknownNameError, choose
from metaeval.core.paths import NOTEBOOKS

TYPES = {"int": int, "float": (int, float), "str": str, "bool": bool, "list": list}


def notebook_path(name: str) -> Path:
    """The notebook of that name in ``notebooks/``, with or without its ending.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    known = {path.stem: path for path in NOTEBOOKS.glob("*.ipynb")}
    stem = Path(name).stem
    if stem not in known:
        raise UnknownNameError("notebook", name, known)
    return known[stem]


def declared_parameters(notebook: Path) -> dict[str, tuple[str, str]]:
    """Type name and default (as source text) of each parameter in the notebook's `parameters` cell."""
    found = _inspected(notebook)
    return {name: (entry["inferred_type_name"], entry["default"]) for name, entry in found.items()}


def parameter_help(notebook: Path) -> dict[str, str]:
    """What the notebook's `parameters` cell says of each parameter."""
    return {name: entry["help"] for name, entry in _inspected(notebook).items()}


def default_parameters(notebook: Path) -> dict[str, object]:
    """The values in a notebook's `parameters` cell."""
    return {name: ast.literal_eval(text) for name, (_, text) in declared_parameters(notebook).items()}


def check_parameters(notebook: Path, parameters: Mapping[str, object]) -> None:
    """Raise unless every parameter exists in the notebook and has its declared type.

    Raises
    ------
    UnknownNameError
        For a name that the notebook does not declare.
    TypeError
        For a value of another type, or a list whose members are of another type than the default's; nothing
        is converted silently.
    """
    declared = declared_parameters(notebook)
    for name, value in parameters.items():
        type_name, default = choose(f"parameter of {notebook.name}", name, declared)
        if type_name not in TYPES:
            raise TypeError(f"{notebook.name} declares {name!r} as {type_name}; known: {', '.join(TYPES)}")
        if not _is_a(type_name, value):
            several = isinstance(value, tuple | list) and type_name != "list"
            got = (
                f"{len(value)} values; one run takes one, and `python -m bookbuild sweep` a run for each"
                if several
                else f"{type(value).__name__} {value!r}"
            )
            raise TypeError(f"parameter {name!r} of {notebook.name} must be {type_name}, got {got}")
        if type_name == "list":
            wanted = _member_types(default)
            wrong = [member for member in value if wanted and not any(_is_a(kind, member) for kind in wanted)]
            if wrong:
                raise TypeError(
                    f"the list {name!r} of {notebook.name} must hold {' or '.join(wanted)}, "
                    f"got {type(wrong[0]).__name__} {wrong[0]!r}"
                )


def parse_value(notebook: Path, name: str, text: str) -> object:
    """A parameter's value from a command line, by the type that the notebook declares.

    A list is written as its members with plus signs between them, ``abs+ext`` or ``8+12``, or in brackets,
    ``[8, 12]`` or ``[abs, ext]``.

    Raises
    ------
    UnknownNameError
        For a name that the notebook does not declare.
    TypeError
        For a text that cannot be read as a value of the declared type.
    """
    type_name, default = choose(f"parameter of {notebook.name}", name, declared_parameters(notebook))
    if type_name == "str":
        return text
    are_words = type_name == "list" and _member_types(default) in ([], ["str"])
    try:
        if type_name == "list" and not text.startswith("["):
            return [part if are_words else ast.literal_eval(part) for part in text.split("+")]
        if are_words and text.endswith("]") and not set(text) & set("'\""):  # a shell takes quotes away
            return [part.strip() for part in text.strip("[]").split(",") if part.strip()]
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise TypeError(
            f"parameter {name!r} of {notebook.name} must be {type_name}, got the text {text!r}"
        ) from None


def split_alternatives(text: str) -> list[str]:
    """The parts of a text between its commas, those within brackets left alone.

    Examples
    --------
    >>> split_alternatives("[[0, 0.3], [0.3, 1]],[[0, 1]]")
    ['[[0, 0.3], [0.3, 1]]', '[[0, 1]]']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _member_types(default: str) -> list[str]:
    """Names of the types of a list's members, such as ``["int"]``; none of an empty list."""
    return sorted({type(member).__name__ for member in ast.literal_eval(default)})


def _is_a(type_name: str, value: object) -> bool:
    # a bool is an int to Python, but k=True is a mistake
    return isinstance(value, TYPES[type_name]) and (type_name == "bool" or not isinstance(value, bool))


def _inspected(notebook: Path) -> Mapping[str, Mapping[str, str]]:
    changed = notebook.stat() if notebook.is_file() else None  # what is none, papermill says
    return _read(notebook.absolute(), changed and (changed.st_mtime_ns, changed.st_size, changed.st_ino))


@cache
def _read(notebook: Path, _changed: tuple[int, int, int] | None) -> Mapping[str, Mapping[str, str]]:
    """What papermill reads in a notebook as it stands; read once, as one run asks for it again and again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return papermill.inspect_notebook(str(notebook))
