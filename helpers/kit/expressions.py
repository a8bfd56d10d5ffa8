"""kit.expressions: expressions over tables, as findings state them, and what words may claim.

An expression is a safe part of Python: it sees tables, parameters and `FUNCTIONS`, has no builtins, no
private names and only those methods of pandas that read. A row or number that is missing raises
`MissingError`, so that nothing is concluded from what is not there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.tables.labels import words
from metaeval.tables.wording import decide_position, holds, joined

METHODS = {
    "abs", "all", "any", "between", "diff", "drop_duplicates", "eq", "ge", "groupby", "gt", "head",
    "idxmax", "idxmin", "isin", "le", "lt", "max", "mean", "median", "min", "ne", "nunique", "quantile",
    "round", "sort_values", "sum", "tail", "tolist", "unique",
}  # fmt: skip
_NODES = (
    ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator, ast.Compare,
    ast.cmpop, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.Load,
    ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.IfExp,
)  # fmt: skip


class MissingError(LookupError):
    """A row or a number that an expression asks for is not in the table."""


class Estimate(NamedTuple):
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


def rows(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """Rows with these values in these columns; a list stands for any of its members.

    Raises
    ------
    MissingError
        If there are none.
    """
    mask = np.ones(len(table), dtype=bool)
    for column, value in values.items():
        _check_column(table, column)
        mask &= table[column].isin(value if isinstance(value, list) else [value]).to_numpy()
    if not mask.any():
        raise MissingError(f"no row with {values}")
    return table[mask]


def _check_column(table: pd.DataFrame, column: str) -> None:
    choose("column", column, dict.fromkeys(table.columns))


def complete(numbers: pd.Series, *, missing: int = 0) -> pd.Series:
    """The numbers that exist, if at least one does and at most `missing` do not.

    Raises
    ------
    MissingError
        If more are missing, or all.
    """
    absent = int(numbers.isna().sum())
    if absent > missing or absent == len(numbers):
        raise MissingError(f"{absent} of {len(numbers)} numbers are missing")
    return numbers.dropna()


def cell(table: pd.DataFrame, column: str, **values: Any) -> Any:
    """The one value of a column in the rows with these values.

    Raises
    ------
    MissingError
        If there is none, or it is NaN.
    DataError
        If several rows have these values.
    """
    _check_column(table, column)
    numbers = complete(rows(table, **values)[column])
    if len(numbers) > 1:
        raise DataError(f"{len(numbers)} rows with {values}; name one")
    return numbers.iloc[0]


def estimate(table: pd.DataFrame, of: str = "value", **values: Any) -> Estimate:
    """A value with its interval, from the one row with these values."""
    return Estimate(*(cell(table, column, **values) for column in _ends(of)))


def below(table: pd.DataFrame, at: float = 0.0, *, of: str = "value", missing: int = 0) -> pd.Series:
    """Shown to lie below: for each row, True if the whole interval does and contains its estimate.

    Parameters
    ----------
    table : DataFrame with the columns value, low and high, or `of`, `of`_low and `of`_high
    at : float
    of : str
    missing : int
        Rows without a value or an interval that may be left out; with more, `MissingError`.
    """
    return _positions(table, at, of, missing) == "below"


def above(table: pd.DataFrame, at: float = 0.0, *, of: str = "value", missing: int = 0) -> pd.Series:
    """Shown to lie above: for each row, True if the whole interval does, see `below`."""
    return _positions(table, at, of, missing) == "above"


def around(table: pd.DataFrame, at: float = 0.0, *, of: str = "value", missing: int = 0) -> pd.Series:
    """Not shown to differ: for each row, True if the interval leaves both sides open, see `below`."""
    return _positions(table, at, of, missing) == "around"


def _positions(table: pd.DataFrame, at: float, of: str, missing: int) -> pd.Series:
    ends = table[list(_ends(of))]
    complete(ends.sum(axis=1, skipna=False), missing=missing)
    there = ends.dropna()
    sides = ("below", "around", "above")
    return pd.Series([decide_position(*row, at=at, words=sides) for row in there.to_numpy()], there.index)


def contains(table: pd.DataFrame, *, of: str = "value") -> pd.Series:
    """Mark the rows whose interval contains its own estimate."""
    return pd.Series([holds(*row) for row in table[list(_ends(of))].to_numpy()], table.index)


def _ends(of: str) -> tuple[str, str, str]:
    return (of, "low", "high") if of == "value" else (of, f"{of}_low", f"{of}_high")


def label(kind: str, name: str) -> str:
    """The book's name of a data set, metric, group or other id, such as ``label("data", "realsumm")``."""
    return words(kind, name)


FUNCTIONS: Mapping[str, Any] = {
    one.__name__: one
    for one in (
        rows, cell, complete, estimate, below, above, around, contains, label, joined,
        abs, all, any, int, len, max, min, round, sum,
    )
}  # fmt: skip


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Parameters
    ----------
    expression : str
    names : mapping, name -> table, number, or a namespace of them

    Raises
    ------
    DataError
        If the expression holds what is not allowed, or a name that is not known.
    MissingError
        If a row or number that it asks for is missing.
    """
    code, used = _compile(expression)
    scope = {**FUNCTIONS, **names}
    for name in used:
        choose("name in a finding", name, scope)
    return eval(code, {"__builtins__": {}}, scope)


@cache
def _compile(expression: str) -> tuple[CodeType, tuple[str, ...]]:
    text = " ".join(expression.split())
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise DataError(f"not an expression: {text!r} ({error.msg})") from None
    for node in ast.walk(tree):
        _check(node, text)
    used = dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return compile(tree, "<finding>", "eval"), tuple(used)


def _check(node: ast.AST, text: str) -> None:
    """Raise unless a part of an expression only reads."""
    if not isinstance(node, _NODES):
        raise DataError(f"{type(node).__name__} is not allowed in {text!r}")
    if isinstance(node, ast.Attribute) and node.attr.startswith(("_", "to_")):
        raise DataError(f"{node.attr!r} is not allowed in {text!r}")
    if isinstance(node, ast.Call):
        match node.func:
            case ast.Name(name) if name in FUNCTIONS:
                pass
            case ast.Attribute(attr=name) if name in METHODS:
                pass
            case called:
                allowed = ", ".join(sorted([*FUNCTIONS, *METHODS]))
                raise DataError(f"{ast.unparse(called)!r} may not be called in {text!r}; known: {allowed}")


def all_true(flags: bool | Iterable[bool]) -> bool:
    """The verdict of a condition, which has to be one truth value.

    Raises
    ------
    DataError
        For anything else, such as a column without ``.all()``.
    """
    if not isinstance(flags, bool | np.bool_):
        raise DataError(
            f"a condition must be true or false, got {type(flags).__name__}; add .all() or .any()"
        )
    return bool(flags)
