"""tools.rows: nested records as tables of one score a row, by the paths of ``data/tools.yml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain, zip_longest
from typing import Any

import pandas as pd

from metaeval.core.errors import DataError
from metaeval.own.parsing.table import Table
from metaeval.own.words import lexicon
from metaeval.stats.ties import LARGEST

# columns of a long table, called as their roles
ROLES = (
    "system", "item", "first", "second", "kind", "judge", "rater", "criterion", "run", "order", "group",
)  # fmt: skip
CHOICES = {"first", "second", "tie"}
_PERSONS = {"person", "expert", "crowd"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PLACE = re.compile(r"\{([^{}]*)\}")
_CAPTURE = re.compile(r"\$(\d+)")


def field(node: Any, path: str) -> Any:
    """Value in nested mappings and lists at a dotted path, places counted from 1; None where there is none.

    Examples
    --------
    >>> field({"a": [{"b.c": 3}]}, "a.1.b.c")
    3
    """
    if not path or node is None:
        return node
    if isinstance(node, dict) and path in node:
        return node[path]
    parts = path.split(".")
    if isinstance(node, list):
        inside = parts[0].isdigit() and 0 < int(parts[0]) <= len(node)
        return field(node[int(parts[0]) - 1], ".".join(parts[1:])) if inside else None
    if isinstance(node, dict):
        for cut in range(len(parts) - 1, 0, -1):
            if (name := ".".join(parts[:cut])) in node:
                return field(node[name], ".".join(parts[cut:]))
    return None


def is_missing(value: Any) -> bool:
    """True for None, NaN and a blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def reword(value: Any, words: Mapping[Any, Any]) -> Any:
    """The value of a cell by its word; a cell without one has that of ``"*"``, or stays."""
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not words or isinstance(value, dict | list) or is_missing(value):
        return value
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    return words[text] if text in words else words.get("*", value)


def records(table: Table) -> Iterator[dict[str, Any]]:
    """Rows as mappings, nested as they were in the file, without what is missing."""
    paths = [table.keys.get(name, (name,)) for name in table.frame.columns]
    for row in table.frame.itertuples(index=False, name=None):
        record: dict[str, Any] = {}
        for path, value in zip(paths, row, strict=True):
            if value is None or (isinstance(value, float) and value != value):
                continue
            node = record
            for level in path[:-1]:
                node = node.setdefault(level, {})
            node[path[-1]] = value
        yield record


class NoScoreError(DataError):
    """A table that looks like a tool's holds no score where the tool writes them."""


def long_table(table: Table, rows: Sequence[Mapping[str, Any]]) -> tuple[Table, dict[str, str]]:
    """A table of one score a row, and the roles of its columns; rows without a score are left out.

    Parameters
    ----------
    table : Table
        Where the rows are from.
    rows : mappings of `ROLES` and ``score``
        With ``_row``, the row of the table. Of people's rows no judge is kept, of judges' no rater.

    Raises
    ------
    NoScoreError
        If no row has a score.
    """
    answers = pd.DataFrame(rows, dtype=object)
    if answers.empty:
        answers = pd.DataFrame(columns=["score"], dtype=object)
    several = answers["score"].map(lambda cell: isinstance(cell, list))
    answers = answers[
        ~several & ~answers["score"].map(lambda cell: isinstance(cell, dict) or is_missing(cell))
    ]
    if answers.empty:
        raise NoScoreError(f"{table.name}: none of its {len(table.frame):,} rows has a score")
    notes = [f"Left out: {several.sum():,} answers of several options at once."] if several.any() else []
    value = "choice" if {*map(str, answers["score"])} <= CHOICES else "score"
    if value == "score":
        numbers = answers["score"].map(_number)
        numeric = numbers.notna()
        if not numeric.any():  # words are read as in any file
            numbers, numeric = answers["score"].map(str), ~numeric
        elif not numeric.all():
            n_words = (~numeric).sum()
            notes.append(f"Left out: {n_words:,} answers in words that are no labels, beside numbers.")
        answers = answers.assign(score=numbers)[numeric]
    names = answers[[role for role in ROLES if role in answers]]
    names = names.map(lambda cell: "" if is_missing(cell) else str(cell))
    if "kind" in names:
        by_person, by_judge = names["kind"].isin(_PERSONS), ~names["kind"].isin([*_PERSONS, ""])
        for role, foreign in (("judge", by_person), ("rater", by_judge)):
            if role in names:
                names[role] = names[role].mask(foreign, "")
    frame = names.loc[:, (names != "").any()].assign(**{value: answers["score"].infer_objects()})
    origin, place = answers["_row"].tolist(), table.place
    table = replace(
        table, frame=frame.reset_index(drop=True), keys={}, locate=lambda row: place(origin[row]),
        notes=(*table.notes, *notes),
    )  # fmt: skip
    return table, {column: column for column in frame.columns}


def _number(value: Any) -> float | None:
    """A score as a number: as it is written, or by the word of a label; None for any other word."""
    if isinstance(value, dict | list):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < LARGEST else None
    text = str(value).strip().lower()
    return float(text) if NUMBER.fullmatch(text) else lexicon().labels.get(text)


def holds_scores(cells: pd.Series) -> bool:
    """True for a column of numbers or labels, not all of which are missing."""
    values = [cell for cell in cells if not is_missing(cell)]
    return bool(values) and all(_number(value) is not None for value in values)


def unroll(entry: Mapping[str, Any], table: Table) -> list[dict[str, Any]]:
    """Rows of the scores inside each record, as the ``rows`` of an entry say, in the order of the file."""
    folders = table.path.resolve().parts[:-1] if table.path else ("",)
    place = folders.index("evaluators") + 1 if "evaluators" in folders else 0  # LLMBar's folders of judges
    inside = {"stem": table.name, "folder": folders[-1]}
    inside["judge"] = "/".join(folders[place:]) if place else table.name
    words, kinds = entry.get("words", {}), entry.get("kinds", {})
    specs = [{"words": words, **spec} for spec in entry["rows"]]
    base = {role: specs[0][role] for role in ("system", "item", "first", "second") if role in specs[0]}
    base |= {"kind": "judge"} if any("kind" in spec for spec in specs) else {}
    for name in _added_columns(entry, table):
        specs.append({"at": [name], "words": words, **base, "judge": f"{{={name}}}"})
    rows = []
    for number, record in enumerate(records(table)):
        inside["row"] = number + 1
        for spec in specs:
            path = spec["at"] if isinstance(spec["at"], list) else spec["at"].split(".")
            for captures, trail in _leaves(record, path):
                sources = {"": record, ".": trail[-1], "^": trail[-2], "@": table.context, "/": inside}
                row = {
                    role: _fill(text, captures, sources)
                    for role, text in spec.items()
                    if role not in ("at", "words")
                }
                if kinds:
                    row["kind"] = kinds.get(row["kind"], row["kind"])
                rows.append(
                    {"_row": number, **row, "score": reword(row.get("score", trail[-1]), spec["words"])}
                )
    return rows


def _added_columns(entry: Mapping[str, Any], table: Table) -> list[str]:
    """Columns of scores or choices that people added, where the entry names those of the tool."""
    if "own" not in entry:
        return []
    patterns = [
        pattern.split(".")[0] for names in (*entry["columns"], *entry["own"]) for pattern in names.split("|")
    ]
    words = {word: value for word, value in entry.get("words", {}).items() if word != "*"}
    sides = any("first" in spec for spec in entry["rows"])
    added = []
    for name, cells in table.frame.items():
        if name in table.keys or any(fnmatchcase(name, pattern) for pattern in patterns):
            continue
        values = [reword(cell, words) for cell in cells if not is_missing(cell)]
        if values and {*map(str, values)} <= CHOICES if sides else holds_scores(cells):
            added.append(name)
    return added


def _leaves(node: Any, path: Sequence[str], captures: tuple = (), trail: tuple = ()) -> Iterator[tuple]:
    """Values at a path, each with the names and numbers of its ``*`` and ``#``, and all nodes on the way."""
    trail = (*trail, node)
    if not path:
        yield captures, trail
        return
    head, rest = path[0], path[1:]
    if isinstance(node, list):
        for number, inner in enumerate(node, 1):
            if head in ("#", str(number)):
                yield from _leaves(inner, rest, captures + (number,) * (head == "#"), trail)
    elif isinstance(node, dict):
        for name, inner in node.items():
            if match := _starred(head).fullmatch(name):
                yield from _leaves(inner, rest, (*captures, *match.groups()), trail)


@cache
def _starred(head: str) -> re.Pattern:
    """Pattern whose groups are what stands for each ``*``."""
    return re.compile(re.escape(head).replace(r"\*", "(.*)"), re.DOTALL)


def _fill(text: str, captures: tuple, sources: Mapping[str, Any]) -> Any:
    """A text with its braces filled; where it is one pair of braces, the value itself."""
    literals, places = _pieces(text)
    values = [_first_value(names, captures, sources) for names in places]
    if literals == ["", ""]:
        return values[0]
    words = ["" if value is None else str(value) for value in values]
    return "".join(chain(*zip_longest(literals, words, fillvalue="")))


@cache
def _pieces(text: str) -> tuple[list[str], list[list[str]]]:
    """Literal parts of a text, and the names in the pairs of braces between them."""
    pieces = _PLACE.split(text)
    return pieces[::2], [inside.split("|") for inside in pieces[1::2]]


def _first_value(names: Sequence[str], captures: tuple, sources: Mapping[str, Any]) -> Any:
    """The value of the first name that has one, neither a mapping nor a list; None if none has."""
    for name in names:
        value = _value(name, captures, sources)
        if not is_missing(value) and not isinstance(value, dict | list):
            return value
    return None


def _value(name: str, captures: tuple, sources: Mapping[str, Any]) -> Any:
    """The value of one name in braces."""
    if name.startswith("="):
        return name[1:]
    if name.isdigit():
        return captures[int(name) - 1]
    sign = name[0] if name[0] in sources else ""
    path = name.removeprefix(sign)
    if "$" in path:
        path = _CAPTURE.sub(lambda digit: str(captures[int(digit[1]) - 1]), path)
    return field(sources[sign], path)
