"""own.choices: columns of choices between two outputs in a table, and whose they are."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.own.contents import MAX_WORDS, Column, as_choice
from metaeval.own.values import missing_codes
from metaeval.own.words import (
    ANYBODY,
    Of,
    are_raters,
    by_rater,
    is_length,
    is_machine,
    is_model,
    is_usual,
    lexicon,
    plain,
    tokens,
    why_ignored,
)

if TYPE_CHECKING:
    from metaeval.own.roles import Reader

WON = ("winner", "loser")  # also of columns without another word
_SIDES = (  # words of the first and of the second of two outputs
    ("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("x", "y"),
    ("chosen", "rejected"), WON, ("0", "1"),
)  # fmt: skip
SIDES_BY_ROW = "what people prefer stands first in every second row"  # nobody was shown them so
PREFERRED = "people's choice"  # a column made of which output is preferred
_CODES = {-1, 0, 0.5, 1, 1.5, 2}


def find_choices(reader: Reader) -> bool:
    """Give columns of choices their owners; False for a table of scores.

    Raises
    ------
    DataError
        If a table names two outputs in each row and has neither choices nor scores.
    """
    columns = reader.columns
    by_user = [name for name, role in reader.fixed.items() if role == "choice"]
    twins = find_twins(columns)
    judged = _merge_preferred(reader, twins)
    _find_sides(reader, twins)
    named = bool(judged) or {"first", "second"} <= reader.ids.keys()
    texts = [
        name
        for stem, pair in twins.items()
        if lexicon().remarks.isdisjoint(tokens(stem))
        and all(_is_text(columns[name]) and not columns[name].people for name in pair)
        for name in pair
    ]
    two_outputs = named or bool(texts) or bool(by_user) or (reader.hint and "system" not in reader.ids)
    _merge_one_hot(reader)
    sure = _candidates(reader, by_user, texts, reader.sides() if named else set(), two_outputs)
    if scores := [name for name, role in reader.fixed.items() if role == "score"]:
        return named or any(columns[name].choices for name in scores)
    names = list(dict.fromkeys((*sure, *judged)))
    owned = [c for c in map(columns.get, names) if c.people or c.machine or c.usual("human")]
    if not (by_user or two_outputs or any(sure.values()) or len(owned) > 1):
        names = []
    if not names and (named or texts):
        names = _merge_scores(
            reader, {stem: pair for stem, pair in twins.items() if named or is_usual(stem, "score")}
        )
    if not names:
        scored = [name for name in reader.free() if columns[name].holds_scores]
        if named and not any(reader.may_score(name) or is_usual(name, "score") for name in scored):
            raise DataError(
                f"{reader.sheet.name}: no column of choices among {listing(columns)}; call it choice or "
                "winner, with the better output's name, 1, 2 or tie"
            )
        return False
    _find_judge(reader)
    outputs = [*texts, *(name for role in ("first", "second") for name in reader.ids.get(role, ()))]
    _name_sides(reader, names, outputs)
    _own(reader, names, by_user)
    _ask_tie(reader, names)
    _ask_which(reader, [name for name in names if is_usual(name, "choice") and name not in by_user])
    for name in texts:
        if name not in reader.why:
            reader.put(name, "text", "one of two outputs")
    return True


def _find_judge(reader: Reader) -> None:
    """A column of models beside two outputs, which names the judge of a row and no system."""
    ids = reader.ids
    (name, *others) = ids.get("judge") or ids.get("system") or [""]
    words = [*reader.columns[name].words] if name and not others else []
    if len(words) != 1 or not is_machine(words[0]):
        return
    if "judge" not in ids and name not in reader.fixed:
        ids["judge"] = ids.pop("system")
        reader.put(name, "judge", "a model beside choices")
    for rater in [one for one in ids.get("rater", ()) if "judge" in ids and one not in reader.fixed]:
        del ids["rater"]
        reader.put(rater, "ignored", f"{name!r} is the judge", "rater")


def _candidates(
    reader: Reader, by_user: Sequence[str], texts: Sequence[str], sides: set[str], two_outputs: bool
) -> dict[str, bool]:
    """Columns of choices, and whether they leave no doubt; doubtful ones only where there is no other."""
    choices, doubtful = {}, {}
    owners = {*texts, *reader.ids.get("judge", ()), *reader.ids.get("rater", ())} - {*by_user}
    for name, column in reader.columns.items():
        open_role = name not in reader.why or reader.fixed.get(name) in ("judge", "human", "rater", "choice")
        is_part = name in reader.why and reader.why[name][0] == "part"
        if name in owners or is_part or not open_role:
            continue
        sure = name in by_user or _is_choice(column, sides, two_outputs)
        if sure is not None:
            choices[name] = sure
        elif sides & column.lower.keys() and not column.text:
            doubtful[name] = 2 * len(_choosing(column.lower, sides)) >= len(column.lower)
    return choices or {name: True for name, often in doubtful.items() if often}


def _choosing(words: Iterable[str], sides: set[str]) -> list[str]:
    return [word for word in words if as_choice(word) is not None or word in sides]


def _is_choice(column: Column, sides: set[str], two_outputs: bool) -> bool | None:
    """True for a column that is surely of choices, False for a doubtful one, None for another."""
    usual = column.usual("choice")
    other = column.excuse or column.usual("system", "item", "run", "group", "criterion")
    if other and not usual and not column.people:
        return None
    words = [word for word in column.lower if plain(word) not in lexicon().no_choice]
    words = [word for word in words if not (two_outputs and word == "c" and {"a", "b"} & {*words})]
    n_choosing = len(_choosing(words, sides))
    if usual and not column.text and (sides or 2 * n_choosing > len(words) or _is_weighted(column)):
        return True
    if not words or n_choosing < len(words):
        return None
    if column.numbers or column.cells.dtype == pl.Boolean:
        codes = column.numbers and len(column.values) > 1 and set(column.values) <= _CODES
        return False if two_outputs and codes else None
    if sides & set(words):
        return True
    bare = {word.strip("[]() ") for word in words} <= lexicon().bare_choices and not any(
        "[" in word for word in words
    )
    sided = any(as_choice(word) in (0, 1) for word in words) and len(words) <= MAX_WORDS
    return not column.labels and not bare if sided else None


def _is_weighted(column: Column) -> bool:
    return column.numbers and not column.whole and all(1 <= value <= 2 for value in column.values or [0])


def _own(reader: Reader, names: Sequence[str], by_user: Sequence[str]) -> None:
    """Owners of columns of choices: people by their names, whom a column names, or judges."""
    fixed, columns = reader.fixed, reader.columns
    people = [
        name
        for name in names
        if fixed.get(name) in ("choice", "human", "rater") or (name not in fixed and columns[name].people)
    ]
    usual = [name for name in names if columns[name].usual("choice")]
    rest = [name for name in names if name not in people]
    owners: dict[str, Of] = {}
    if "judge" in reader.ids and (usual or len(names) == 1 or len(rest) == 1):  # it says whose a choice is
        main = (usual or rest or names)[0]
        others = [name for name in people if name not in (main, *usual, *by_user)]
        owners = {main: Of()} | {name: columns[name].people or ANYBODY for name in others}
        names = ()
    elif not people:
        people = [name for name in usual if not columns[name].machine][:1]
        people = people or (list(names) if "rater" in reader.ids and len(names) == 1 else [])
    raters = are_raters([name for name in people if name not in by_user])
    for name in names:
        owner = None if name in by_user or name == PREFERRED else columns[name].people
        if fixed.get(name) in ("judge", "rater"):
            owners[name] = reader.values[name]
        elif name not in people:
            owners[name] = Of(name)
        elif raters and name not in by_user:
            owners[name] = by_rater(owner.rater if owner and owner.rater else name)
        else:
            owners[name] = owner or ANYBODY
    for name, of in owners.items():
        reader.values[name] = of
        role = "human" if of.person else "judge" if of.name else "choice"
        reader.put(name, role, "choices between two outputs")


def _is_text(column: Column) -> bool:
    return column.cells.dtype == pl.String and not column.holds_scores and not column.choices


def find_twins(columns: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Pairs of columns that are alike but for a and b, 1 and 2, left and right, by their common words."""
    by_rest: dict[tuple, dict[int, str]] = defaultdict(dict)
    thirds = set()
    for name in columns:
        words = tokens(name)
        if words and words[-1] in ("3", "c"):
            thirds.add(words[:-1])
        for sides in _SIDES:
            at = [i for i, word in enumerate(words) if word in sides]
            if len(at) == 1 and (len(words) > 1 or sides == WON):
                rest = (*words[: at[0]], *words[at[0] + 1 :])
                by_rest[sides, at[0], rest][sides.index(words[at[0]])] = name
    return {
        "_".join(rest): (of[0], of[1])
        for (_, at, rest), of in by_rest.items()
        if len(of) == 2 and rest not in thirds
    }


def _merge_one_hot(reader: Reader) -> None:
    """Add one column of choices for columns of 0 and 1 of which every row has one: a wins, b wins, tie."""
    by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in reader.free():
        words, column = tokens(name), reader.columns[name]
        if len(words) < 2 or words[-1] not in ("a", "b", "tie", "1", "2") or not column.words:
            continue
        if column.cells.dtype == pl.Boolean or set(column.values) <= {0, 1}:
            by_stem[words[0]][{"1": "a", "2": "b"}.get(words[-1], words[-1])] = name
    for stem, of in by_stem.items():
        if not {"a", "b"} <= of.keys() or ("tie" not in of and not is_usual(stem, "choice")):
            continue
        cells = {side: _floats(reader.columns[name].cells) for side, name in of.items()}
        total = sum(cells.values()).drop_nulls()
        if total.max() == 1:
            chosen = pl.when(cells["a"] == 1).then(pl.lit("a")).when(cells["b"] == 1).then(pl.lit("b"))
            _add(reader, stem, chosen.when(cells["a"].is_not_null()).then(pl.lit("tie")), of.values())


def _higher(one: pl.Series | pl.Expr, other: pl.Series | pl.Expr) -> pl.Expr:
    """Choice of the output whose score is higher."""
    chosen = pl.when(one > other).then(pl.lit("first")).when(one < other).then(pl.lit("second"))
    return chosen.when(one == other).then(pl.lit("tie"))


def _merge_scores(reader: Reader, twins: Mapping[str, tuple[str, str]]) -> list[str]:
    """Columns of choices made of scores of both outputs: the higher is chosen."""
    merged = []
    for stem, pair in twins.items():
        columns = [reader.columns[name] for name in pair if name not in reader.why]
        if sum(c.numbers and not c.length and not c.excuse for c in columns) == 2:
            merged.append(_add(reader, stem, _higher(*(_floats(c.cells) for c in columns)), pair))
            reader.notes.append(
                f"{reader.sheet.name}: of {pair[0]!r} and {pair[1]!r} the higher score is a choice."
            )
    return merged


def _name_sides(reader: Reader, names: Sequence[str], outputs: Iterable[str]) -> None:
    """Say first and second for 0 and 1 where the columns of the two outputs are numbered from 0."""
    if not any("0" in tokens(name) for name in outputs):
        return
    for name in names:
        column = reader.columns[name]
        if column.numbers and set(column.values) <= {0, 1}:
            cells = _floats(column.cells)
            words = pl.when(cells == 0).then(pl.lit("first")).when(cells == 1).then(pl.lit("second"))
            reader.columns[name] = Column(name, pl.select(words).to_series())
            reader.notes.append(f"{reader.sheet.name}: of {name!r} 0 is the first output, 1 the second.")


def _find_sides(reader: Reader, twins: Mapping[str, tuple[str, str]]) -> None:
    """The two outputs' systems, by columns alike but for their sides."""
    for stem, pair in twins.items():
        columns = [reader.columns[name] for name in pair]
        if (
            (not lexicon().models.isdisjoint(tokens(stem)) or _are_chosen(reader, pair))
            and not reader.has("first")
            and all(_is_text(one) and not one.text and one.name not in reader.why for one in columns)
        ):
            for role, name in zip(("first", "second"), pair, strict=True):
                reader.ids[role] = [name]
                reader.put(name, role, "by its name")


def _are_chosen(reader: Reader, pair: Sequence[str]) -> bool:
    """True for two columns of the same names, mostly different in a row, of which another column chooses."""
    return any(_chooses_of(reader, pair, reader.columns[name]) for name in reader.free() if name not in pair)


def chooses_of_two(reader: Reader, column: Column) -> bool:
    """True for names of which each is one of two in its row, in columns alike but for their sides."""
    pairs = find_twins(reader.columns).values()
    return any(column.name not in pair and _chooses_of(reader, pair, column) for pair in pairs)


def _chooses_of(reader: Reader, pair: Sequence[str], column: Column) -> bool:
    names = _shared_names(*(reader.columns[name] for name in pair))
    words, cells = column.lower.keys(), _plain_cells(column)
    if len(names & words) < 2 or len(_choosing(words, names)) < len(words):
        return False
    one, other = (_plain_cells(reader.columns[name]) for name in pair)
    is_name = cells.is_in([*names])
    return bool(
        2 * (one != other).sum() >= len(one) and (((cells == one) | (cells == other)) | ~is_name).all()
    )


def _plain_cells(column: Column) -> pl.Series:
    return column.cells.cast(pl.String).str.strip_chars().str.to_lowercase()


def _shared_names(one: Column, other: Column) -> set[str]:
    """Names in two columns, most of which are in both; else none."""
    names = [{*column.lower} for column in (one, other) if column.categories and _is_text(column)]
    alike = len(names) == 2 and 2 * len(names[0] & names[1]) > len(names[0] | names[1])
    return names[0] | names[1] if alike else set()


def _merge_preferred(reader: Reader, twins: Mapping[str, tuple[str, str]]) -> list[str]:
    """Choices of people and judges made of columns on the chosen and the rejected of two outputs.

    In every second row the rejected is the first, so that the place of an output tells nothing.
    """
    columns = reader.columns
    outputs = {plain(name): name for name in reader.free()}
    mine = {
        stem: pair
        for stem, pair in twins.items()
        if not {"chosen", "winner"}.isdisjoint(tokens(pair[0])) and pair[0] not in reader.why
    }
    texts = [outputs[name] for name in ("chosen", "rejected") if name in outputs]
    texts = (
        texts
        or [
            name
            for pair in mine.values()
            if all(_is_text(columns[one]) for one in pair) and not _shared_names(*map(columns.get, pair))
            for name in pair
        ][:2]
    )
    models = [
        stem
        for stem, pair in mine.items()
        if not lexicon().models.isdisjoint(tokens(stem))
        or (not stem and _shared_names(*map(columns.get, pair)))
    ]
    others = {*reader.free()} - {*twins.get("", ())}
    usual = any(is_usual(name, "choice") and not columns[name].text for name in others)
    has_scores = any(  # without their texts
        "chosen" in tokens(pair[0])
        and lexicon().value_words.issuperset(tokens(stem))
        and columns[pair[0]].numbers
        for stem, pair in mine.items()
    )
    if usual or (len(texts) < 2 and not (models or has_scores)):
        return []
    swapped = pl.int_range(reader.sheet.height, eager=True) % 2 == 1

    def sides(cells: Sequence[pl.Series]) -> list[pl.Expr]:
        return [pl.when(swapped).then(cells[1 - k]).otherwise(cells[k]) for k in (0, 1)]

    choices = []
    for stem, pair in mine.items():
        both = [columns[name] for name in pair]
        if both[0].numbers and both[1].numbers and not why_ignored(stem) and not is_length(stem):
            chosen = _higher(*sides([_floats(column.cells) for column in both]))
            choices.append(_add(reader, f"{stem} (by scores)", chosen, pair))
        elif stem in models and _is_text(both[0]) and not both[0].text:
            for side, cells in zip(
                ("first", "second"), sides([column.cells for column in both]), strict=True
            ):
                reader.ids[side] = [_add(reader, f"{stem} {side}".strip(), cells, pair)]
                reader.put(reader.ids[side][0], side, f"made of {pair[0]!r} and {pair[1]!r}")
    people = _add(reader, PREFERRED, sides([pl.lit("first"), pl.lit("second")])[0], texts)
    marks = [c for c in map(columns.get, reader.free()) if is_mark(c) and c.people is None and not c.excuse]
    marks += [
        columns[name] for name, role in reader.fixed.items() if role == "judge" and is_mark(columns[name])
    ]
    others, has_choices = [], bool(choices)  # by numbers, which say more than marks
    for column in marks:
        if column.name not in reader.fixed and not is_called_mark(column.name):
            reader.put(column.name, "ignored", "nothing says that a judge chose as people did", "judge")
            others.append(column.name)
            continue
        reader.values.pop(column.name, None)
        reader.put(column.name, "ignored", "whether a judge chose as people did")
        agrees = _floats(column.cells).replace(-1, None)
        if (-1 in missing_codes(reader.options) and -1 in column.values) or (
            not has_choices and set(column.values) <= {0, 0.5, 1}
        ):
            right, wrong = sides([pl.lit("first"), pl.lit("second")])
            choice = pl.when(agrees == 1).then(right).when(agrees == 0).then(wrong)
            choice = choice.when(agrees == 0.5).then(pl.lit("tie"))
            choices.append(_add(reader, f"{column.name} (agrees)", choice, [column.name]))
        elif -1 in column.values:
            name = repr(column.name)
            reader.readings["--missing -1"] = (
                f"1 in {name} chooses as people do, 0 does not, and -1 is no choice"
            )
            reader.readings[f"--ignore {shlex.quote(column.name)}"] = f"{name} is not read"
    if not choices and not reader.readings:
        for name in others[:3]:
            reader.ask("judge", [name], f"1 in {name!r} chooses as people do, 0 does not")
            reader.readings[f"--ignore {shlex.quote(name)}"] = f"{name!r} is not read"
    reader.notes.append(f"{reader.sheet.name}: {SIDES_BY_ROW}.")
    return [people, *choices]


def is_mark(column: Column) -> bool:
    """True for numbers that may say whether a judge chose as people did: 1, 0, perhaps a half and -1."""
    return 1 in column.values and {*column.values} <= {-1, 0, 0.5, 1} and (column.numbers or column.labels)


def is_called_mark(name: str) -> bool:
    """True for a name of results or agreement, or of a machine."""
    return not lexicon().marks.isdisjoint(tokens(name)) or is_machine(name) or is_model(name)


def _ask_which(reader: Reader, names: Sequence[str]) -> None:
    """Readings of several columns of choices of which nothing says whose they are."""
    unowned = [c.name for c in map(reader.columns.get, names) if not c.machine and not c.people]
    for name in unowned[:3] if len(unowned) > 1 and "judge" not in reader.ids else ():
        others = [other for other in unowned if other != name]
        reader.ask("choice", [name], f"{name} is people's choice", without=others)


def _ask_tie(reader: Reader, names: Sequence[str]) -> None:
    """Readings of 0, 1 and 2, of which the tie may be the lowest or the highest."""
    codes = {value for name in names if reader.columns[name].numbers for value in reader.columns[name].values}
    if codes == {0, 1, 2} and not reader.options.tie and not reader.sheet.tool_roles:
        reader.readings |= {
            "--tie 0": "1 chooses the first, 2 the second, 0 neither",
            "--tie 2": "0 chooses the first, 1 the second, 2 neither",
        }


def _add(reader: Reader, stem: str, cells: pl.Expr, parts: Iterable[str]) -> str:
    name = stem if stem not in reader.columns else f"{stem} (made)"
    for part in parts:
        reader.put(part, "part", f"part of {name!r}")
    reader.columns[name] = Column(name, pl.select(cells).to_series())
    return name


def _floats(cells: pl.Series) -> pl.Series:
    cells = cells.str.strip_chars() if cells.dtype == pl.String else cells
    return cells.cast(pl.Float64, strict=False)
