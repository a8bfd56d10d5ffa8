"""own.unfolding: nested cells of tables: levels become short names of columns, lists become rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError
from metaeval.own.choices import find_twins
from metaeval.own.contents import NUMBER, Column, as_choice
from metaeval.own.parsing import Table
from metaeval.own.parsing.table import frame_of
from metaeval.own.words import (
    is_criterion,
    is_machine,
    is_usual,
    lexicon,
    people_of,
    place_in,
    plain,
    tokens,
    why_ignored,
)

_SCORES = ("score", "value", "rating", "label")  # of a mapping its score, of which the first wins
_OF_PEOPLE = {
    "individual",
    "annotation",
    "annotations",
    "rating",
    "ratings",
    "vote",
    "votes",
    "judgments",
    "judgements",
    "labels",
    "reviews",
}
_CONTAINERS = {
    *("score", "scores", "metric", "metrics", "result", "results", "item", "document", "doc", "system"),
    *("evaluation", "evaluations", "data", "record", "annotation", "annotations"),
}

# of two levels beside each other, people's and the machines'
_HUMAN_BESIDE, _MACHINE_BESIDE = (
    {"annotation", "annotations"},
    {"eval", "evals", "evaluation", "evaluations", "judge"},
)
_NAMES_OF_SCORES = ("name", "metric", "criterion", "dimension", "aspect", "key", "evaluator", "scorer")
_PARTS_OF_MEANS = {"count", "sum", "sum_squared", "min", "max", "variance", "stddev", "std", "median"}
_ABOUT = {"metadata", "meta", "usage", "info", "params", "parameters", "config", "timing", "stats"}
MIN_INNER = 3  # ids of an inner level from which on they are rows
_LOOKED_AT = 200  # cells that tell whether a column holds lists


def unfold(table: Table) -> Iterator[tuple[Table, dict[str, str]]]:
    """Tables without lists of scores in their cells, each with roles of columns that follow from the nesting.

    A list of mappings makes a row of each; lists of numbers of one length are segments, or the raters where
    they are
    people's alone.
    """
    table = _melt(_split_lists_of_sides(_unwrap_lists_of_one(_split_names(table))))
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
        name
        for name, elements in lists.items()
        if name not in records and not _names_raters(name, frame[name]) and _holds_scores(name, elements)
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
        once = [one for one in rest if _may_be_score(frame[one], one) and people_of(one)]
        beside = [*rest, *named] if len(records) == 1 else rest
        if once and _lists_people(name):  # people's word on a row is not each rater's
            numbered = not any(is_usual(one, "item", "system") for one in rest)
            rows = {"row": range(1, len(frame) + 1)} if numbered else {}
            yield replace(table, frame=frame[rest].assign(**rows)), tool_roles | dict.fromkeys(rows, "item")
            beside = [one for one in beside if not _may_be_score(frame[one], one)]
        part, roles = _unfold_records(table, name, beside, several=len(records) > 1)
        for one, further in unfold(part) if any(map(_are_lists, part.frame.items())) else [(part, {})]:
            yield one, tool_roles | roles | further
    if scalars:
        yield from _unfold_lists(table, scalars, named, rest, tool_roles)
    elif any(not cell for name in records for cell in frame[name]) and any(
        _may_be_score(frame[name], name) for name in rest
    ):
        yield replace(table, frame=frame[rest]), tool_roles


def _split_names(table: Table) -> Table:
    """A table whose flat names with points or colons are levels, where several share the first."""
    parts = {name: re.split(r"\.|: ", name) for name in table.frame.columns}
    levels = {
        name: tuple(of)
        for name, of in parts.items()
        if len(of) > 1 and re.fullmatch(r"[^\W\d]\w*", of[0]) and all(map(re.compile(r"[^\W\d]").search, of))
    }
    often = Counter(of[0] for of in levels.values())
    roles = ("system", "item", "judge", "rater")
    levels = {name: of for name, of in levels.items() if often[of[0]] > 1 or is_usual(of[-1], *roles)}
    return table if table.keys else replace(table, keys=levels)


def _unwrap_lists_of_one(table: Table) -> Table:
    """A table whose lists of one score or label, or of none, are their element."""
    frame = table.frame
    for name in [name for name in frame.columns if frame[name].dtype == object]:
        telling = is_machine(name) or is_criterion(name) or not lexicon().value_words.isdisjoint(tokens(name))
        cells, depth = frame[name], 0
        while cells.dtype == object and _are_lists_of_one(cells):
            cells = pd.Series(
                [cell[0] if isinstance(cell, list) and cell else None for cell in cells], dtype=object
            )
            depth += 1
        if depth > 1 - telling and not any(isinstance(cell, list | dict) for cell in cells):
            frame = frame.assign(**{name: cells})
    return replace(table, frame=frame)


def _split_lists_of_sides(table: Table) -> Table:
    """A table whose lists of two scores, beside columns of two outputs, are two columns."""
    frame = table.frame
    for name in [name for name in frame.columns if any(is_usual(one, "choice") for one in frame.columns)]:
        cells = frame[name]
        if cells.dtype == object and all(_are_two_records(cell) for cell in cells):
            keys = dict.fromkeys(key for cell in cells for one in cell for key in one)
            columns = {f"{key}_{k}": [cell[k].get(key) for cell in cells] for key in keys for k in (0, 1)}
            frame = frame.drop(columns=name).assign(**columns)
    sides = [
        pair
        for pair in find_twins(frame.columns).values()
        if all(frame[name].dtype == object for name in pair)
    ]
    for name in [name for name in frame.columns if frame[name].dtype == object] if sides else []:
        cells = frame[name]
        if all(isinstance(cell, list) and len(cell) == 2 and _are_numbers(cell) for cell in cells):
            columns = {f"{name}_{k + 1}": [cell[k] for cell in cells] for k in (0, 1)}
            frame = frame.drop(columns=name).assign(**columns)
    return replace(table, frame=frame)


def _are_two_records(cell: object) -> bool:
    return isinstance(cell, list) and len(cell) == 2 and all(isinstance(one, dict) for one in cell)


def _are_numbers(cells: Sequence) -> bool:
    return all(re.fullmatch(NUMBER, f"{cell}") for cell in cells)


def _are_lists_of_one(cells: pd.Series) -> bool:
    lengths = {len(cell) if isinstance(cell, list) else None for cell in cells.head(_LOOKED_AT)}
    if 1 not in lengths or not lengths <= {0, 1, None}:
        return False
    return all((isinstance(cell, list) and len(cell) < 2) or cell is None or cell != cell for cell in cells)


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


def _are_lists(column: tuple[str, pd.Series]) -> bool:
    return column[1].dtype == object and any(isinstance(cell, list) for cell in column[1].head(_LOOKED_AT))


def _may_score(records: Sequence) -> bool:
    return any(
        isinstance(cell, int | float)
        or (isinstance(cell, str) and (plain(cell) in lexicon().labels or as_choice(cell) is not None))
        for one in records
        if isinstance(one, dict)
        for cell in _leaves(one)
    )


def _leaves(cell: object) -> Iterator[object]:
    """Cells inside mappings and lists, at whatever depth."""
    if isinstance(cell, dict | list):
        for one in cell.values() if isinstance(cell, dict) else cell[:_LOOKED_AT]:
            yield from _leaves(one)
    else:
        yield cell


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


def _names_raters(name: str, cells: pd.Series) -> bool:
    """True for lists of different words under a name of raters."""
    lists = [cell for cell in cells if isinstance(cell, list)]
    texts = all(isinstance(one, str) for cell in lists for one in cell)
    return is_usual(name, "rater") and texts and all(len({*cell}) == len(cell) for cell in lists)


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


def _unfold_records(
    table: Table, name: str, rest: Sequence[str], *, several: bool
) -> tuple[Table, dict[str, str]]:
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
    columns = part.frame.columns
    numbered = not any(is_usual(one, "item", "system") for one in frame.columns)
    if numbered:
        frame["row"] = origin + 1
    roles = {"row": "item"} if numbered else {}
    roles |= {one: "ignored" for one in columns if "mean" in columns and plain(one) in _PARTS_OF_MEANS}
    notes = [f"the lists in {name!r} are rows"]
    if not any(is_usual(one, "system", "judge", "rater", "criterion", "run", "part") for one in columns):
        by_people = _lists_people(name)
        label = next(
            (one for one in _NAMES_OF_SCORES if one in columns and _tells_apart(frame[one], origin)), ""
        )
        if label:
            roles[label] = "criterion" if by_people else "judge"
        elif max(counts, default=0) > 1:
            runs = {"run", "runs", "epoch", "epochs", "trial", "trials", "sample", "samples"} & set(
                tokens(name)
            )
            role = "run" if runs else "rater" if by_people else "segment"
            stem = plain(name).split("_")[0] if people_of(name) else role
            frame[role] = [
                i + 1 if role == "segment" else f"{stem} {i + 1}" for n in counts for i in range(n)
            ]
            if role == "segment":
                roles |= _segments([*rest, *roles])
                notes.append("one for each segment; if they are raters: --col rater=segment")
            else:
                notes.append(f"numbers of the {role}s are places in them")
    return _placed(table, frame, origin, f"{table.name} {name}" if several else "", notes), roles


def _lists_people(name: str) -> bool:
    return people_of(name) is not None or not _OF_PEOPLE.isdisjoint(tokens(name))


def _tells_apart(names: pd.Series, origin: np.ndarray) -> bool:
    """True for names that come once in each list, and again in others."""
    texts = names[names.map(lambda cell: isinstance(cell, str))]
    pairs = pd.MultiIndex.from_arrays([origin[texts.index], texts])
    return len(texts) == len(names) and pairs.is_unique and texts.nunique() < len(texts)


def _segments(rest: Sequence[str]) -> dict[str, str]:
    items = [name for name in rest if is_usual(name, "item") or name == "row"]
    return {**dict.fromkeys(items[:1], "item"), "segment": "item"}


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
        once = [name for name in rest if _may_be_score(frame[name], name) and people_of(name)]
        outer = rest
        if once and all(people_of(name) for name in scored) and any(is_usual(name, "item") for name in rest):
            # people's word on a row is not each rater's
            yield replace(table, frame=frame[rest]), dict(tool_roles)
            outer = [name for name in rest if not _may_be_score(frame[name], name)]
        origin = np.repeat(np.arange(len(frame)), counts)
        part = frame[outer].iloc[origin].reset_index(drop=True)
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
            roles |= {role: "rater"} if role == "rater" else _segments(rest)
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
    roots = {levels[0] for levels in keys.values()}
    for parents, of in families.items():
        parent = parents[-1]
        parts = {plain(last): name for last, name in of.items()}
        usual = [part for part in lexicon().parts if part in parts]
        if (
            len(parts) > 1
            and set(parts) <= set(lexicon().parts)
            and {"precision", "recall", "p", "r", "f1", "fmeasure", "f", "f_measure"} & set(parts)
        ):
            names[parts[usual[0]]] = parent
            tool_roles |= {name: "ignored" for part, name in parts.items() if part != usual[0]}
            notes.append(f"of {parent} the {usual[0]} is read")
            continue
        about = plain(parent) in _ABOUT
        by_people = people_of(parent) is not None
        score = next((last for last in _SCORES if last in of), None)
        if score == "score" and _labels_are_clearer(table.frame, of):
            score = "label"
        twin = {"score": "label", "label": "score"}.get(score or "")
        tool_roles |= {of[twin]: "ignored"} if twin in of else {}
        ids = {last for last in of if is_usual(last, "system", "item", "judge", "rater")}
        by_judge = score and plain(parent) not in _CONTAINERS and not ids
        for last, name in of.items():
            if about and pd.api.types.is_numeric_dtype(table.frame[name]):
                tool_roles[name] = "ignored"
            elif not about and (
                by_people
                or by_judge
                or often[last] > 1
                or (is_machine(parent) and _CONTAINERS.isdisjoint(tokens(parent)))
            ):
                rater = by_people and place_in("rater", last) is not None and often[last] == 1
                names[name] = parent if last == score else last if rater else f"{parent}_{last}"
            else:
                names[name] = last
        if (
            plain(parents[0]) in _HUMAN_BESIDE
            and not _MACHINE_BESIDE.isdisjoint(map(plain, roots))
            and score in of
        ):
            tool_roles[of[score]] = "human"
    taken = Counter([*names.values(), *(name for name in table.frame.columns if name not in names)])
    names = {name: short for name, short in names.items() if taken[short] == 1}
    tool_roles = {names.get(name, name): role for name, role in tool_roles.items()}
    frame = table.frame.rename(columns=names)
    keys = {names.get(name, name): levels for name, levels in table.keys.items()}
    return replace(table, frame=frame, keys=keys, notes=(*table.notes, *notes[:3])), tool_roles


def _labels_are_clearer(frame: pd.DataFrame, of: Mapping[str, str]) -> bool:
    """True for words that pass or fail beside scores of 0 and 1, which may mean either."""
    if not {"score", "label"} <= of.keys():
        return False
    words = {plain(f"{cell}") for cell in frame[of["label"]].dropna()} - {""}
    scores = {f"{cell}" for cell in frame[of["score"]].dropna()}
    return words <= lexicon().labels.keys() and scores <= {"0", "1", "0.0", "1.0", "", "True", "False"}
