"""own.unfolding: nested cells of tables: levels become short names of columns, lists become rows."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
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
    is_length,
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
_NAMES_OF_SCORES = ("name", "metric", "criterion", "dimension", "aspect", "key", "evaluator", "scorer")
MAX_RATERS = 10  # of one output, by lists of grades
MIN_INNER = 3  # ids of an inner level from which on they are rows
_LOOKED_AT = 200  # cells that tell whether a column holds lists


def unfold(table: Table) -> Iterator[tuple[Table, dict[str, str]]]:
    """Tables without lists of scores in their cells, each with roles of columns that follow from the nesting.

    A list of mappings makes a row of each; lists of numbers of one length are segments, or the raters where
    they are people's alone.
    """
    table = _melt(
        _mark_spans(_split_lists_of_sides(_unwrap_lists_of_one(_stack_levels(_split_names(table)))))
    )
    table, roles = _settle_names(table)
    table, grid = _stack_grid(table)
    roles |= grid
    table = _stack_outputs(table)
    roles = {name: role for name, role in roles.items() if name in table.frame.columns}
    if role := _role_of_ids(table):
        roles.setdefault("id", role)
    frame = table.frame
    kinds = {name: _kind_of_lists(table, cells) for name, cells in frame.items() if _are_lists(cells)}
    beside = {tuple(map(_length, frame[name])) for name, kind in kinds.items() if kind == "scores"}
    for name in [name for name, kind in kinds.items() if kind not in ("records", "scores")]:
        if tuple(map(_length, frame[name])) in beside and _are_whole(_elements(frame[name])):
            kinds[name] = "scores"
    records, scalars, named = (
        [name for name, kind in kinds.items() if kind == one] for one in ("records", "scores", "names")
    )
    rest = [name for name in frame.columns if name not in kinds]
    values = [name for name in rest if _may_be_score(frame[name], name)]
    once = any(map(people_of, values))  # people's word on a row, which is not each rater's
    scored = once or any(not why_ignored(name) and not is_length(name) for name in values)
    if scored and not _are_grades(frame, scalars, scalars):
        repeats = [name for name in scalars if not people_of(name)]  # beside one score of the same judge
        for name in repeats:
            table = _mean(table, name)
        frame, rest = table.frame, [*rest, *repeats]
        scalars = [name for name in scalars if name not in repeats]
    if not records and not scalars:
        yield table, roles
        return
    for name in records:
        beside = [*rest, *named] if len(records) == 1 else rest
        if once and _lists_people(name):
            numbered = not any(is_usual(one, "item", "system") for one in rest)
            rows = {"row": range(1, len(frame) + 1)} if numbered else {}
            yield replace(table, frame=frame[rest].assign(**rows)), roles | dict.fromkeys(rows, "item")
            beside = [one for one in beside if not _may_be_score(frame[one], one)]
        part, own = _unfold_records(table, name, beside, several=len(records) > 1)
        nested = any(_are_lists(cells) for _, cells in part.frame.items())
        for one, further in unfold(part) if nested else [(part, {})]:
            yield one, roles | own | further
    if not scalars and values and any(not cell for name in records for cell in frame[name]):
        yield replace(table, frame=frame[rest]), roles
    length = {name: tuple(map(_length, frame[name])) for name in (*named, *scalars)}
    lengths = list(dict.fromkeys(length[name] for name in scalars))
    for counts in lengths:
        columns = [name for name in (*named, *scalars) if length[name] == counts]
        is_people = all(people_of(name) for name in columns if name in scalars)
        outer = rest
        if once and is_people and any(is_usual(name, "item") for name in rest):
            yield replace(table, frame=frame[rest]), dict(roles)
            outer = [name for name in rest if name not in values]
        raters = (is_people and (bool(values) or len(lengths) > 1)) or _are_grades(frame, columns, scalars)
        yield _unfold_lists(table, columns, outer, roles, scored=scalars, raters=raters)


def _stack_grid(table: Table) -> tuple[Table, dict[str, str]]:
    """A table with rows for columns of two names each: S1[fluent] of items by criteria, rank_A of systems."""
    grid: dict[str, dict[str, str]] = defaultdict(dict)
    for name in table.frame.columns:
        if match := re.match(r"(\w+)\[(\w+)\]|(rank)(?:ing)?[ _](.+)", name):
            item, criterion, rank, system = match.groups()
            grid[item or system][criterion or rank] = name
    inner = {frozenset(of) for of in grid.values()}
    is_rank = inner == {frozenset({"rank"})}
    if len(grid) < (MIN_INNER if is_rank else 2) or len(inner) > 1:
        return table, {}
    gone = {name for of in grid.values() for name in of.values()}
    rest = table.frame[[name for name in table.frame.columns if name not in gone]]
    role = "system" if is_rank else "item"
    columns = [{key: table.frame[name] for key, name in of.items()} for of in grid.values()]
    parts = [rest.assign(**{role: key, **of}) for key, of in zip(grid, columns, strict=True)]
    origin = np.tile(np.arange(len(rest)), len(parts))
    roles = {role: role} | ({} if is_rank else dict.fromkeys(columns[0], "human"))
    rows = [name for name in rest.columns if tokens(name)[-1:] == ("id",) and rest[name].is_unique]
    roles |= dict.fromkeys([] if is_rank else rows[:1], "rater")
    example = next(name for of in grid.values() for name in of.values())
    note = f"names such as {example!r} are {role}s and what is scored"
    return _placed(table, pd.concat(parts), origin, notes=[note]), roles


def _mark_spans(table: Table) -> Table:
    """A table whose lists of marked spans are labels: a row without any passes."""
    frame, notes = table.frame, []
    for name in frame.columns:
        elements = _elements(frame[name]) if _are_lists(frame[name]) else []
        spans = [one for one in elements if isinstance(one, dict) and {"start", "end"} <= one.keys()]
        if spans and len(spans) == len(elements) and not any(is_usual(key, "score") for key in spans[0]):
            frame = frame.assign(**{name: ["fail" if cell else "pass" for cell in frame[name]]})
            notes.append(f"a row fails where {name!r} marks a span")
    return replace(table, frame=frame, notes=(*table.notes, *notes))


def _stack_levels(table: Table) -> Table:
    """A table with rows for the keys of a level, below each of which is an output beside its scores."""
    frame = table.frame
    groups: dict[tuple, dict[str, dict[tuple, str]]] = defaultdict(lambda: defaultdict(dict))
    for name, of in table.keys.items():
        for depth in range(1, len(of) - 1) if name in frame.columns else ():
            groups[of[:depth]][of[depth]][of[depth + 1 :]] = name
    for prefix, outputs in groups.items():
        below = {frozenset(of) for of in outputs.values()}
        texts = [rest for rest in next(iter(below)) if is_usual(rest[-1], "summary") or rest[-1] == "text"]
        owned = is_usual(prefix[-1], "judge", "rater") or people_of(prefix[-1]) is not None
        if len(outputs) < MIN_INNER or len(below) > 1 or not 0 < len(texts) < len(next(iter(below))) or owned:
            continue
        gone = {name for of in outputs.values() for name in of.values()}
        rest = frame[[name for name in frame.columns if name not in gone]]
        parts = [
            rest.assign(system=key, **{".".join(below): frame[name] for below, name in of.items()})
            for key, of in outputs.items()
        ]
        origin = np.tile(np.arange(len(frame)), len(parts))
        keys = {".".join(below): below for below in next(iter(outputs.values()))}
        outer = {name: of for name, of in table.keys.items() if name in rest.columns}
        note = f"the keys below {prefix[-1]!r} are systems"
        return replace(_placed(table, pd.concat(parts), origin, notes=[note]), keys=outer | keys)
    return table


def _are_whole(elements: Sequence) -> bool:
    """True for whole numbers of at most three digits, or marks that there is none."""
    words = {f"{one}".lower() for one in elements if not isinstance(one, list | dict)} - lexicon().missing
    return bool(words) and all(re.fullmatch(r"-?\d{1,3}(\.0)?", word) for word in words)


def _stack_outputs(table: Table) -> Table:
    """A table with rows for columns of outputs, after which those of their scores are called."""
    frame = table.frame
    heads = {name: cells.head(_LOOKED_AT).dropna() for name, cells in frame.items()}
    kinds = {
        name: Column(name, pl.Series([f"{one}" for one in cells], dtype=pl.String))
        for name, cells in heads.items()
    }
    graded = [
        name for name, column in kinds.items()
        if (column.holds_scores and not column.choices) or _are_lists(frame[name])
    ]  # fmt: skip
    usual = ("summary", "source", "reference", "item", "system", "first", "second", "group", "choice")
    scores: dict[str, dict[str, str]] = {}
    for output in kinds.keys() - {*graded} if len(graded) > 1 else ():
        for name in graded if not is_usual(output, *usual) else ():
            words, of = plain(name), plain(output)
            rest = words.removeprefix(f"{of}_").removesuffix(f"_{of}")
            if rest != words and not why_ignored(rest):
                scores.setdefault(output, {})[rest] = name
    outputs = [name for name in frame.columns if name in scores]
    sides = find_twins(f"output {name}" for name in outputs)
    if len(outputs) < 2 or sides or len({frozenset(of) for of in scores.values()}) > 1:
        return table
    gone = {*outputs, *(name for of in scores.values() for name in of.values())}
    rest = frame[[name for name in frame.columns if name not in gone]]
    if not any(is_usual(name, "item") for name in rest):
        rest = rest.assign(item=range(1, len(frame) + 1))
    parts = [
        rest.assign(
            system=output, output=frame[output], **{key: frame[name] for key, name in scores[output].items()}
        )
        for output in outputs
    ]
    origin = np.tile(np.arange(len(frame)), len(outputs))
    return _placed(table, pd.concat(parts), origin, notes=["columns of outputs and of their scores are rows"])


def _mean(table: Table, name: str) -> Table:
    """A table whose lists of repeated scores are their means."""
    lists = [
        [float(one) for one in cell if one is not None] if _length(cell) else [] for cell in table.frame[name]
    ]
    cells = [float(np.mean(cell)) if cell else None for cell in lists]
    note = f"of the lists in {name!r} the mean is read"
    return replace(table, frame=table.frame.assign(**{name: cells}), notes=(*table.notes, note))


def _are_grades(frame: pd.DataFrame, columns: Sequence[str], scored: Sequence[str]) -> bool:
    """True for lists of few whole numbers, of one length, by several criteria: one for each rater."""
    names = [name for name in columns if name in scored]
    cells = [cell for name in names for cell in frame[name] if isinstance(cell, list) and cell]
    whole = _are_whole([one for cell in cells for one in cell])
    criteria = [name for name in names if is_criterion(name) or is_criterion(tokens(name)[-1])]
    criteria = len(criteria) > 1 and not any(map(is_machine, names))
    return criteria and whole and len({*map(len, cells)}) == 1 and len(cells[0]) <= MAX_RATERS


def _split_names(table: Table) -> Table:
    """A table whose flat names with points or colons are levels, where several share the first."""
    parts = {name: re.split(r"\.\s*|:\s*", name) for name in table.frame.columns}
    levels = {
        name: tuple(of)
        for name, of in parts.items()
        if len(of) > 1 and re.fullmatch(r"[^\W\d]\w*", of[0]) and all(map(re.compile(r"[^\W\d]").search, of))
    }
    often = Counter(of[0] for of in levels.values())
    roles = ("system", "item", "judge", "rater")
    levels = {
        name: of
        for name, of in levels.items()
        if (often[of[0]] > 1 and (len(of) == 2 or of[-1] in _SCORES) and not is_usual(of[0], *roles))
        or is_usual(of[-1], *roles)
    }
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
    """A table whose lists of two records or scores, beside choices or two outputs, are two columns."""
    frame = table.frame
    has_choices = any(is_usual(name, "choice") for name in frame.columns)
    twins = find_twins(frame.columns).values()
    has_outputs = any(all(frame[name].dtype == object for name in pair) for pair in twins)
    for name in frame.columns if has_choices or has_outputs else ():
        cells = frame[name].tolist()
        if not all(isinstance(cell, list) and len(cell) == 2 for cell in cells):
            continue
        elements = list(itertools.chain(*cells))
        if has_choices and all(isinstance(one, dict) for one in elements):
            keys = dict.fromkeys(itertools.chain(*elements))
            columns = {f"{key}_{k}": [cell[k].get(key) for cell in cells] for key in keys for k in (0, 1)}
        elif has_outputs and all(re.fullmatch(NUMBER, f"{one}") for one in elements):
            columns = {f"{name}_{k + 1}": [cell[k] for cell in cells] for k in (0, 1)}
        else:
            continue
        frame = frame.drop(columns=name).assign(**columns)
    return replace(table, frame=frame)


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
    leaves: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for path in levels.values():
        leaves[path[:-1]].add(path[-1])
    alike = len({frozenset(of) for of in leaves.values()}) == 1
    complete = "id" in table.frame.columns and len(levels) >= len(table.frame.columns) - 1
    owned = any(people_of(of[-1]) or is_machine(of[-1]) or is_criterion(of[-1]) for of in leaves)
    if not alike or not complete or owned or len(leaves) < MIN_INNER:
        return table
    parts = []
    for parent in leaves:
        columns = {name: path[-1] for name, path in levels.items() if path[:-1] == parent}
        part = table.frame[["id", *columns]].rename(columns=columns)
        parts.append(part.assign(inner_id=".".join(parent)))
    origin = np.tile(np.arange(len(table.frame)), len(parts))
    return _placed(table, pd.concat(parts), origin, notes=["ids below them are the column 'inner_id'"])


def _are_lists(cells: pd.Series) -> bool:
    return cells.dtype == object and any(isinstance(cell, list) for cell in cells.head(_LOOKED_AT))


def _elements(cells: pd.Series) -> list:
    """Elements of the first lists in a column."""
    return [one for cell in cells.head(_LOOKED_AT) if isinstance(cell, list) for one in cell]


def _kind_of_lists(table: Table, cells: pd.Series) -> str:
    """Kind of what lists hold: records or scores, names beside these, or what is not read.

    Raises
    ------
    DataError
        If a number stands among them.
    """
    is_list = cells.map(lambda cell: isinstance(cell, list))
    numbers = cells.map(lambda cell: isinstance(cell, int | float) and cell == cell)
    if numbers.any():
        raise DataError(
            f"{table.file}, {table.place(is_list.argmax())}, column {cells.name!r}: a list, and a number in "
            f"{table.place(numbers.argmax())}; make all of them lists or none"
        )
    elements = _elements(cells)
    if any(isinstance(one, dict) for one in elements) and _may_score(elements):
        return "records"
    if not _names_raters(cells.name, cells[is_list]) and _holds_scores(cells.name, elements):
        return "scores"
    return "names" if all(isinstance(one, str) for one in elements) else ""


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
    if people_of(name) or is_machine(name) or is_criterion(name) or is_usual(name, "score", "rater"):
        return Column("", pl.Series([str(one) for one in flat])).holds_scores
    fractions = any(isinstance(one, float) and one % 1 for one in flat)
    return fractions and not why_ignored(name) and "embedding" not in tokens(name)


def _names_raters(name: str, lists: pd.Series) -> bool:
    """True for lists of different words under a name of raters."""
    texts = all(isinstance(one, str) for cell in lists for one in cell)
    return is_usual(name, "rater") and texts and all(len({*cell}) == len(cell) for cell in lists)


def _may_be_score(cells: pd.Series, name: str) -> bool:
    return all(place_in(role, name) is None for role in ("system", "item", "part")) and (
        pd.api.types.is_numeric_dtype(cells) or people_of(name) is not None
    )


def _length(cell: object) -> int:
    return len(cell) if isinstance(cell, list) else 0


def _explode(
    table: Table, columns: Sequence[str], outer: Sequence[str]
) -> tuple[pd.DataFrame, np.ndarray, list[int]]:
    """Rows of the elements of lists of one length, beside other columns; their origin and places in them."""
    filled = table.frame[columns[0]].map(_length) > 0
    part = table.frame.loc[filled, [*outer, *columns]].explode([*columns])
    places = part.groupby(level=0).cumcount() + 1
    elements = {name: part[name].infer_objects() for name in columns}
    return part.assign(**elements).reset_index(drop=True), part.index.to_numpy(), places.tolist()


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
    part, origin, places = _explode(table, [name], rest)
    records = [one if isinstance(one, dict) else {} for one in part.pop(name)]
    inner = {
        key: [record.get(key) for record in records]
        for key in dict.fromkeys(key for record in records for key in record)
    }
    frame, keys = frame_of(inner, table.name)
    table_of_lists, _ = _settle_names(replace(table, frame=frame, keys=keys))
    columns = table_of_lists.frame.columns
    outer = part[[one for one in part.columns if one not in columns]]
    frame = pd.concat([outer, table_of_lists.frame.reset_index(drop=True)], axis=1)
    parts = lexicon().parts_of_means if "mean" in columns else ()
    roles = {one: "ignored" for one in columns if plain(one) in parts}
    if not any(is_usual(one, "item", "system") for one in frame.columns):
        frame["row"] = origin + 1
        roles = {"row": "item"} | roles
    notes = [f"the lists in {name!r} are rows"]
    is_people = _lists_people(name)
    labels = [one for one in _NAMES_OF_SCORES if one in columns and _tells_apart(frame[one], origin)]
    if any(is_usual(one, "system", "judge", "rater", "criterion", "run", "part") for one in columns):
        pass
    elif labels:
        roles[labels[0]] = "criterion" if is_people else "judge"
    elif max(places, default=0) > 1:
        pieces = any(is_usual(one, "part") or plain(one) == "text" for one in inner)
        numbered = "rater" if is_people and not pieces else "segment"
        role = numbered if lexicon().run_lists.isdisjoint(tokens(name)) else "run"
        stem = plain(name).split("_")[0] if people_of(name) else role
        notes.append(_number(frame, places, role, stem, roles, [*rest, *roles]))
    return _placed(table, frame, origin, f"{table.name} {name}" if several else "", notes), roles


def _number(
    frame: pd.DataFrame,
    places: Sequence[int],
    role: str,
    stem: str,
    roles: dict[str, str],
    rest: Sequence[str],
) -> str:
    """Add the places in lists as segments, raters or runs, with their roles; a note on them."""
    if role != "segment":
        frame[role] = [f"{stem} {place}" for place in places]
        return f"numbers of the {role}s are places in them"
    frame[role] = places
    items = [name for name in rest if is_usual(name, "item") or name == "row"]
    roles |= dict.fromkeys((*items[:1], role), "item")
    return "one for each segment; if they are raters: --col rater=segment"


def _lists_people(name: str) -> bool:
    return people_of(name) is not None or not lexicon().people_lists.isdisjoint(tokens(name))


def _tells_apart(names: pd.Series, origin: np.ndarray) -> bool:
    """True for names that come once in each list, and again in others."""
    texts = names[names.map(lambda cell: isinstance(cell, str))]
    pairs = pd.MultiIndex.from_arrays([origin[texts.index], texts])
    return len(texts) == len(names) and pairs.is_unique and texts.nunique() < len(texts)


def _unfold_lists(
    table: Table, columns: Sequence[str], outer: Sequence[str], roles: Mapping[str, str],
    *, scored: Sequence[str], raters: bool,
) -> tuple[Table, dict[str, str]]:  # fmt: skip
    """Rows for the elements of lists of one length, numbered where no names stand beside them."""
    part, origin, places = _explode(table, columns, outer)
    own = dict(roles)
    notes = [f"the lists in {', '.join(repr(name) for name in columns if name in scored)} are rows"]
    names = [name for name in columns if name not in scored]
    criteria = [n for n in names if tokens(n)[-1] == "name" and raters and _tells_apart(part[n], origin)]
    if criteria:
        own |= {criteria[0]: "criterion"} | {name: "human" for name in columns if people_of(name)}
    elif not any(is_usual(name, "system", "item", "rater", "judge") for name in names):
        if not any(is_usual(one, "item", "system") for one in outer):
            part["row"], own["row"] = origin + 1, "item"
            outer = [*outer, "row"]
        notes.append(_number(part, places, "rater" if raters else "segment", "rater", own, outer))
        if raters:
            own["rater"], notes[-1] = "rater", "one for each rater"
    return _placed(table, part, origin, notes=notes), own


def _settle_names(table: Table) -> tuple[Table, dict[str, str]]:
    """A table whose nested columns have short names, and roles of those that are not used.

    Of precision, recall and F1 below one name the usual one has this name; of a judge's score and reason the
    score.
    """
    frame = table.frame
    levels = {name: of for name, of in table.keys.items() if name in frame.columns and len(of) > 1}
    often = Counter(of[-1] for of in levels.values())
    evaluated = not lexicon().machine_beside.isdisjoint(plain(of[0]) for of in levels.values())
    families: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, of in levels.items():
        families[of[:-1]][of[-1]] = name
    roles: dict[str, str] = {}
    names: dict[str, str] = {}
    notes = []
    for parents, of in families.items():
        parent = parents[-1]
        parts = {plain(last): name for last, name in of.items()}
        usual = [part for part in lexicon().parts if part in parts]
        if len(parts) == len(usual) > 1 and not lexicon().measures.isdisjoint(parts):
            names[parts[usual[0]]] = parent
            roles |= {parts[part]: "ignored" for part in usual[1:]}
            notes.append(f"of {parent} the {usual[0]} is read")
            continue
        score = next((last for last in _SCORES if last in of), "")
        if score == "score" and _labels_are_clearer(frame, of):
            score = "label"
        twin = {"score": "label", "label": "score"}.get(score)
        roles |= {of[twin]: "ignored"} if twin in of else {}
        about, is_people = plain(parent) in lexicon().about, people_of(parent) is not None
        ids = any(is_usual(last, "system", "item", "judge", "rater") for last in of)
        is_judge = score and plain(parent) not in lexicon().containers and not ids
        owned = (
            is_people or is_judge or (is_machine(parent) and lexicon().containers.isdisjoint(tokens(parent)))
        )
        for last, name in of.items():
            rater = is_people and is_usual(last, "rater") and often[last] == 1
            detects = is_machine(last) and not why_ignored(last)
            if about and pd.api.types.is_numeric_dtype(frame[name]) and not detects:
                roles[name] = "ignored"
            elif about or not (owned or often[last] > 1):
                names[name] = last
            else:
                names[name] = parent if last == score else last if rater else f"{parent}_{last}"
        if evaluated and plain(parents[0]) in lexicon().human_beside and score:
            roles[of[score]] = "human"
    counts = Counter([*names.values(), *(name for name in frame.columns if name not in names)])
    names = {name: short for name, short in names.items() if counts[short] == 1}
    keys = {names.get(name, name): of for name, of in table.keys.items()}
    result = replace(table, frame=frame.rename(columns=names), keys=keys, notes=(*table.notes, *notes[:3]))
    return result, {names.get(name, name): role for name, role in roles.items()}


def _labels_are_clearer(frame: pd.DataFrame, of: Mapping[str, str]) -> bool:
    """True for words that pass or fail beside scores of 0 and 1, which may mean either."""
    if not {"score", "label"} <= of.keys():
        return False
    words = {plain(f"{cell}") for cell in frame[of["label"]].dropna()} - {""}
    scores = {f"{cell}" for cell in frame[of["score"]].dropna()}
    return words <= lexicon().labels.keys() and scores <= {"0", "1", "0.0", "1.0", "", "True", "False"}
