"""kit.parameters: the `parameters` cell of a notebook, and values for it from a command line.

Papermill alone only warns of an unknown parameter and uses the default, and takes any value. Here both are
errors before a kernel starts. What a parameter may be and means stands in ``data/parameters.yml``
(`helpers.kit.declarations`), its type and default in the cell.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from helpers.kit.declarations import Declaration, declaration
from metaeval.core.errors import UnknownNameError, choose
from metaeval.core.limits import check_interval_draws, check_test_draws
from metaeval.core.paths import NOTEBOOKS

TYPES = {"int": int, "float": (int, float), "str": str, "bool": bool, "list": list}
TAG = "parameters"  # of the cell, as papermill wants it
# a level -> what refuses too few draws for an interval or a test at it; a notebook would show what they give
ENOUGH = {"confidence_level": check_interval_draws, "alpha": check_test_draws}


def notebook_path(name: str) -> Path:
    """The notebook of that name in ``notebooks/``, with or without its ending.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    notebooks = {path.stem: path for path in NOTEBOOKS.glob("*.ipynb")}
    stem = Path(name).stem
    if stem not in notebooks:
        raise UnknownNameError("notebook", name, notebooks)
    return notebooks[stem]


def declared_parameters(notebook: Path) -> dict[str, tuple[str, str]]:
    """Type name and default (as source text) of each parameter in the notebook's `parameters` cell."""
    changed = notebook.stat()
    return _read(notebook.absolute(), (changed.st_mtime_ns, changed.st_size, changed.st_ino))


def default_parameters(notebook: Path) -> dict[str, object]:
    """The values in a notebook's `parameters` cell."""
    return {name: ast.literal_eval(text) for name, (_, text) in declared_parameters(notebook).items()}


def parameter_help(notebook: Path) -> dict[str, str]:
    """Help of each parameter of a notebook; "" in a notebook of one's own, which has comments for it."""
    rows = {name: _declaration(notebook, name) for name in declared_parameters(notebook)}
    return {name: row.help if row else "" for name, row in rows.items()}


def with_help(source: str, helps: Mapping[str, str]) -> str:
    """A `parameters` cell with the help of each parameter behind it, as a comment."""
    lines = source.splitlines()
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.AnnAssign) and (text := helps.get(ast.unparse(statement.target))):
            last = statement.end_lineno - 1
            if len(lines[last].encode()) == statement.end_col_offset:  # nothing stands behind it
                lines[last] += f"  # {text}"
    return "\n".join(lines)


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
            got = f"{type(value).__name__} {value!r}"
            if isinstance(value, tuple | list) and type_name != "list":
                got = (
                    f"{len(value)} values; one run takes one, and `python -m bookbuild sweep` a run for each"
                )
            raise TypeError(f"parameter {name!r} of {notebook.name} must be {type_name}, got {got}")
        if type_name == "list":
            kinds = _member_types(default)
            wrong = [member for member in value if kinds and not any(_is_a(kind, member) for kind in kinds)]
            if wrong:
                raise TypeError(
                    f"the list {name!r} of {notebook.name} must hold {' or '.join(kinds)}, "
                    f"got {type(wrong[0]).__name__} {wrong[0]!r}"
                )


def check_values(notebook: Path, runs: Sequence[Mapping[str, object]]) -> None:
    """Raise unless every value of some runs' parameters is one that the notebook can work with.

    Parameters
    ----------
    notebook : Path
    runs : of each run, the parameters that are not default; names and types are already checked

    Raises
    ------
    ValueError
        Naming every wrong value of every run, each once.
    """
    defaults = default_parameters(notebook)
    faults: dict[str, str] = {}  # what is wrong -> of which value
    rows = {name: _declaration(notebook, name) for name in defaults}
    draws = [(name, level) for name, row in rows.items() if row for level in row.enough_for if level in rows]
    for parameters in runs:
        settings, wrong = defaults | parameters, set()
        for name, value in parameters.items():
            if rows[name] and (fault := _fault(rows[name].check_value, value, defaults[name])):
                wrong.add(name)
                faults.setdefault(fault, f"{name}={value}")
        for name in (name for name, row in rows.items() if row and row.among and not wrong):
            if fault := _fault(rows[name].check_among, settings):
                faults.setdefault(fault, f"{name}={settings[name]}")
        for pair in draws:
            changed = [name for name in pair if name in parameters]
            if changed and not wrong & set(pair):
                name, level = pair
                if fault := _fault(ENOUGH[level], settings[name], settings[level]):
                    faults.setdefault(fault, " ".join(f"{one}={parameters[one]}" for one in changed))
    if faults:
        raise ValueError("\n".join(f"{notebook.stem}, {value}: {reason}" for reason, value in faults.items()))


def _fault(check: Callable[..., object], *values: object) -> str:
    """Message of a function that refuses some values; "" if it takes them."""
    try:
        check(*values)
    except OSError as error:
        return f"{error.strerror}: {error.filename!r}" if error.strerror else str(error)
    except (ValueError, TypeError, RuntimeError) as error:  # the last of a home of nobody, as in ~nobody/file
        return str(error)
    return ""


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


def _declaration(notebook: Path, name: str) -> Declaration | None:
    """Declaration of a parameter; a notebook of one's own may call its parameters what it likes."""
    return declaration(notebook.stem, name) if notebook.resolve().parent == NOTEBOOKS else None


def _member_types(default: str) -> list[str]:
    """Names of the types of a list's members, such as ``["int"]``; none of an empty list."""
    return sorted({type(member).__name__ for member in ast.literal_eval(default)})


def _is_a(type_name: str, value: object) -> bool:
    # a bool is an int to Python, but k=True is a mistake
    return isinstance(value, TYPES[type_name]) and (type_name == "bool" or not isinstance(value, bool))


@cache
def _read(notebook: Path, _changed: tuple[int, int, int]) -> dict[str, tuple[str, str]]:
    """The parameters of a notebook as it stands; read once, as one run asks for them again and again."""
    cells = json.loads(notebook.read_text(encoding="utf8"))["cells"]
    parameters = {}
    for cell in (cell for cell in cells if TAG in cell["metadata"].get("tags", ())):
        source = "".join(cell["source"])
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.AnnAssign):
                default = ast.get_source_segment(source, statement.value)
                parameters[statement.target.id] = (ast.unparse(statement.annotation), default)
    return parameters
