"""own.unfolding: nested cells of tables: levels become short names of columns, lists become rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError
from metaeval.own.contents import Column, as_choice
from metaeval.own.parsing import Table
from metaeval.own.parsing.table import frame_of
from metaeval.own.words import (
    is_criterion,
    is_machine,
    lexicon,
    people_of,
    place_in,
    plain,
    tokens,
    why_ignored,
)

_SCORES = ("score", "value", "rating", "label")  # of a mapping its score, of which the first wins
_CONTAINERS = {
    *("score", "scores", "metric", "metrics", "result", "results", "item", "document", "doc", "system"),
    *("evaluation", "evaluations", "data", "record", "annotation", "annotations"),
}

_ABOUT = {"metadata", "meta", "usage", "info", "params", "parameters", "config", "timing", "stats"}
MIN_INNER = 3  # ids of an inner level from which on they are rows
_LOOKED_AT = 200  # cells that tell whether a column holds lists


def unfold(table: Table) -> Iterator[tuple[Table, dict[str, str]]]:
    """Tables without lists of scores in their cells, each with roles of columns that follow from the nesting.

    A list of mappings makes a row of each; lists of numbers of one length are segments, or the raters where
    they are
    people's alone.
    """
    table = _melt(table)
    table, tool_roles = _settle_names(table)
    if (role := _role_of_ids(table)) and "id" not in tool_roles:
        tool_roles["id"] = role
    frame = table.frame
    lists = {
        name: elements for name in frame.columns if (elements := _elements(table, frame[name])) is not None
    }
    records = [
        name
        for name, elements in lists.items()
        if any(isinstance(one, dict) for one in elements) and _may_score(elements)
    ]
    scalars = [
        name for name, elements in lists.items() if name not in records and _holds_scores(name, elements)
    ]
    named = [
        name
        for name, elements in lists.items()
        if name not in (*records, *scalars) and all(isinstance(one, str) for one in elements)
    ]
    rest = [name for name in frame.columns if name not in lists]
    if not records and not scalars:
        yield table, tool_roles
        return
    for name in records:
        yield _unfold_records(table, name, rest, several=len(records) > 1), tool_roles
    if scalars:
        yield from _unfold_lists(table, scalars, named, rest, tool_roles)
    elif any(not cell for name in records for cell in frame[name]) and any(
        _may_be_score(frame[name], name) for name in rest
    ):
        yield replace(table, frame=frame[rest]), tool_roles


def _role_of_ids(table: Table) -> str:
    """Role of ids that were keys of a mapping, by the key above it, such as systems; "" for none."""
    above = tokens(f"{table.context.get('path', '')}")[-1:]
    if "id" not in table.frame.columns or not any("ids are the column" in note for note in table.notes):
        return ""
    roles = [role for role in ("system", "item") for word in above if place_in(role, word) is not None]
    return roles[0] if roles else ""


def _melt(table: Table) -> Table:
    """A table with rows for the inner of two levels of ids, after which its columns were called."""
    levels = {name: table.keys[name] for name in table.frame.columns if len(table.keys.get(name, ())) > 1}
    inner = {path[:-1] for path in levels.values()}
    leaves = {parent: {path[-1] for path in levels.values() if path[:-1] == parent} for parent in inner}
    owners = [
        parent
        for parent in inner
        if people_of(parent[-1]) or is_machine(parent[-1]) or is_criterion(parent[-1])
    ]
    alike = len({frozenset(of) for of in leaves.values()}) == 1
    if (
        "id" not in table.frame.columns
        or len(inner) < MIN_INNER
        or owners
        or not alike
        or len(levels) < len(table.frame.columns) - 1
    ):
        return table
    parts = []
    for parent in dict.fromkeys(path[:-1] for path in levels.values()):
        columns = {name: path[-1] for name, path in levels.items() if path[:-1] == parent}
        part = table.frame[["id", *columns]].rename(columns=columns)
        parts.append(part.assign(inner_id=".".join(parent)))
    origin = np.tile(np.arange(len(table.frame)), len(parts))
    return _placed(table, pd.concat(parts), origin, notes=["ids below them are the column 'inner_id'"])


def _elements(table: Table, cells: pd.Series) -> list | None:
    """Elements of the first lists in a column; None where it holds none."""
    if cells.dtype != object:
        return None
    head = [cell for cell in cells.head(_LOOKED_AT) if isinstance(cell, list)]
    if not head:
        return None
    other = next(
        (
            row
            for row, cell in enumerate(cells)
            if not isinstance(cell, list) and isinstance(cell, int | float) and cell == cell
        ),
        None,
    )
    if other is not None:
        row = next(row for row, cell in enumerate(cells) if isinstance(cell, list))
        raise DataError(
            f"{table.file}, {table.place(row)}, column {cells.name!r}: a list, and a number in "
            f"{table.place(other)}; make all of them lists or none"
        )
    return [one for cell in head for one in cell]


def _may_score(records: Sequence) -> bool:
    cells = [(key, cell) for one in records if isinstance(one, dict) for key, cell in one.items()]
    flat = [
        (key, inner) for key, cell in cells for inner in (cell.values() if isinstance(cell, dict) else [cell])
    ]
    return any(
        isinstance(cell, int | float)
        or (isinstance(cell, str) and (plain(cell) in lexicon().labels or as_choice(cell) is not None))
        for _, cell in flat
    )


def _holds_scores(name: str, elements: Sequence) -> bool:
    """True for lists of scores; under a name that says nothing, only of numbers that are not whole."""
    flat = [one for one in elements if one is not None]
    if not flat or any(isinstance(one, list | dict) for one in flat):
        return False
    if not (
        people_of(name)
        or is_machine(name)
        or is_criterion(name)
        or place_in("score", name) is not None
        or place_in("rater", name) is not None
    ):
        return (
            why_ignored(name) == ""
            and any(isinstance(one, float) and one % 1 for one in flat)
            and "embedding" not in tokens(name)
        )
    return Column("", pl.Series([str(one) for one in flat])).holds_scores


def _may_be_score(cells: pd.Series, name: str) -> bool:
    return all(place_in(role, name) is None for role in ("system", "item", "part")) and (
        pd.api.types.is_numeric_dtype(cells) or people_of(name) is not None
    )


def _placed(
    table: Table, frame: pd.DataFrame, origin: np.ndarray, name: str = "", notes: Sequence[str] = ()
) -> Table:
    return replace(
        table, name=name or table.name, frame=frame.reset_index(drop=True), keys={},
        notes=(*table.notes, *notes), locate=lambda row: table.place(int(origin[row])),
    )  # fmt: skip


def _unfold_records(table: Table, name: str, rest: Sequence[str], *, several: bool) -> Table:
    """A row for each mapping in the lists of a column; a number for those that nothing else tells apart."""
    cells = [cell if isinstance(cell, list) else [] for cell in table.frame[name]]
    counts = [len(cell) for cell in cells]
    origin = np.repeat(np.arange(len(cells)), counts)
    records = [one if isinstance(one, dict) else {} for cell in cells for one in cell]
    inner = {
        key: [record.get(key) for record in records]
        for key in dict.fromkeys(key for record in records for key in record)
    }
    frame, keys = frame_of(inner, table.name)
    part, _ = _settle_names(replace(table, frame=frame, keys=keys))
    outer = (
        table.frame[[one for one in rest if one not in part.frame.columns]]
        .iloc[origin]
        .reset_index(drop=True)
    )
    frame = pd.concat([outer, part.frame.reset_index(drop=True)], axis=1)
    named_inside = any(
        place_in(role, one) is not None
        for one in part.frame.columns
        for role in ("system", "judge", "rater", "criterion", "run", "part")
    )
    notes = [f"the lists in {name!r} are rows"]
    if not named_inside and max(counts, default=0) > 1:
        role = (
            "run"
            if {"run", "runs", "epoch", "epochs", "trial", "trials", "sample", "samples"} & set(tokens(name))
            else "rater"
        )
        stem = plain(name).split("_")[0] if people_of(name) else role
        frame[role] = [f"{stem} {i + 1}" for n in counts for i in range(n)]
        notes.append(f"numbers of the {role}s are places in them")
    return _placed(table, frame, origin, f"{table.name} {name}" if several else "", notes)


def _unfold_lists(
    table: Table,
    scalars: Sequence[str],
    named: Sequence[str],
    rest: Sequence[str],
    tool_roles: Mapping[str, str],
) -> Iterator[tuple[Table, dict[str, str]]]:
    """Rows for the elements of lists: those of one length together, others apart."""
    frame = table.frame
    length = {
        name: tuple(len(cell) if isinstance(cell, list) else 0 for cell in frame[name])
        for name in (*scalars, *named)
    }
    for counts in dict.fromkeys(length[name] for name in scalars):
        columns = [name for name in (*named, *scalars) if length[name] == counts]
        scored = [name for name in columns if name in scalars]
        origin = np.repeat(np.arange(len(frame)), counts)
        part = frame[rest].iloc[origin].reset_index(drop=True)
        for name in columns:
            part[name] = [
                one for cell, n in zip(frame[name], counts, strict=True) for one in (cell if n else ())
            ]
        notes = [f"the lists in {', '.join(map(repr, scored))} are rows"]
        roles = dict(tool_roles)
        telling = [
            name
            for name in columns
            if name in named
            and any(place_in(role, name) is not None for role in ("system", "item", "rater", "judge"))
        ]
        if not telling:
            alone = all(people_of(name) for name in scored)
            beside = (
                any(_may_be_score(frame[name], name) for name in rest)
                or len(set(length[name] for name in scalars)) > 1
            )
            role = "rater" if alone and beside else "segment"
            part[role] = [i + 1 if role == "segment" else f"rater {i + 1}" for n in counts for i in range(n)]
            items = [name for name in rest if place_in("item", name) is not None]
            roles |= (
                {role: "rater"} if role == "rater" else {**dict.fromkeys(items[:1], "item"), role: "item"}
            )
            notes.append(
                "one for each rater"
                if role == "rater"
                else "one for each segment; if they are raters: --col rater=segment"
            )
        yield _placed(table, part, origin, notes=notes), roles


def _settle_names(table: Table) -> tuple[Table, dict[str, str]]:
    """A table whose nested columns have short names, and roles of those that are not used.

    Of precision, recall and F1 below one name the usual one has this name; of a judge's score and reason the
    score.
    """
    keys = {
        name: levels for name, levels in table.keys.items() if name in table.frame.columns and len(levels) > 1
    }
    often = Counter(levels[-1] for levels in keys.values())
    tool_roles: dict[str, str] = {}
    names: dict[str, str] = {}
    notes = []
    families: dict[tuple[str, ...], dict[str, str]] = {}
    for name, levels in keys.items():
        families.setdefault(levels[:-1], {})[levels[-1]] = name
    for parents, of in families.items():
        parent = parents[-1]
        parts = {plain(last): name for last, name in of.items()}
        usual = [part for part in lexicon_parts() if part in parts]
        if (
            len(parts) > 1
            and set(parts) <= set(lexicon_parts())
            and {"precision", "recall", "p", "r", "f1", "fmeasure", "f", "f_measure"} & set(parts)
        ):
            names[parts[usual[0]]] = parent
            tool_roles |= {name: "ignored" for part, name in parts.items() if part != usual[0]}
            notes.append(f"of {parent} the {usual[0]} is read")
            continue
        about = plain(parent) in _ABOUT
        by_people = people_of(parent) is not None
        score = next((last for last in _SCORES if last in of), None)
        ids = {
            last
            for last in of
            if any(place_in(role, last) is not None for role in ("system", "item", "judge", "rater"))
        }
        by_judge = score and plain(parent) not in _CONTAINERS and not ids
        for last, name in of.items():
            if about and pd.api.types.is_numeric_dtype(table.frame[name]):
                tool_roles[name] = "ignored"
            elif not about and (by_people or by_judge or often[last] > 1):
                rater = by_people and place_in("rater", last) is not None and often[last] == 1
                names[name] = parent if last == score else last if rater else f"{parent}_{last}"
            else:
                names[name] = last
    taken = Counter([*names.values(), *(name for name in table.frame.columns if name not in names)])
    names = {name: short for name, short in names.items() if taken[short] == 1}
    tool_roles = {name: role for name, role in tool_roles.items() if name not in names}
    frame = table.frame.rename(columns=names)
    keys = {names.get(name, name): levels for name, levels in table.keys.items()}
    return replace(table, frame=frame, keys=keys, notes=(*table.notes, *notes[:3])), tool_roles


def lexicon_parts() -> list[str]:
    """Usual levels of a metric, the one that stands for it first."""
    return lexicon().parts
