"""own.choices: columns of choices between two outputs in a table, and whose they are."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.own.contents import Column, as_choice
from metaeval.own.words import (
    PEOPLE,
    Of,
    are_raters,
    is_length,
    is_machine,
    is_usual,
    lexicon,
    people_of,
    plain,
    tokens,
    why_ignored,
)

if TYPE_CHECKING:
    from metaeval.own.roles import Reader

_FROM_ZERO = {"0": 0, "1": 1}
_SIDES = (
    {"a": 0, "b": 1},
    {"1": 0, "2": 1},
    {"left": 0, "right": 1},
    {"first": 0, "second": 1},
    {"x": 0, "y": 1},
    {"chosen": 0, "rejected": 1},
    {"winner": 0, "loser": 1},
    _FROM_ZERO,
)
SIDES_BY_ROW = "what people prefer stands first in every second row"  # of chosen and rejected outputs
MODELS = {"model", "models", "system", "generator", "agent", "assistant", "bot", "llm", "policy"}
_BARE = {
    "a",
    "b",
    "1",
    "2",
    "0",
    "first",
    "second",
    "left",
    "right",
    "same",
    "both",
    "neither",
}  # may be other things
_CODES = {-1, 0, 0.5, 1, 1.5, 2}


def find_choices(reader: Reader) -> bool:
    """Give columns of choices their owners; False for a table of scores.

    Raises
    ------
    DataError
        If a table names two outputs in each row and has neither choices nor scores.
    """
    by_user = [name for name, role in reader.fixed.items() if role == "choice"]
    twins = find_twins(reader.columns)
    judged = _merge_preferred(reader, twins)
    _find_sides(reader, twins)
    named = bool(judged) or {"first", "second"} <= reader.ids.keys()
    texts = [
        name
        for pair in twins.values()
        if all(_is_text(reader.columns[name]) and not people_of(name) for name in pair)
        for name in pair
    ]
    two_outputs = named or bool(texts) or bool(by_user) or (reader.hint and "system" not in reader.ids)
    _merge_one_hot(reader)
    sure = _candidates(reader, by_user, texts, reader.sides() if named else set(), two_outputs)
    scored = any(role == "score" for role in reader.fixed.values())
    if scored:
        return named or any(reader.columns[n].choices for n, role in reader.fixed.items() if role == "score")
    names = [*sure, *(name for name in judged if name not in sure)]
    owned = [name for name in names if people_of(name) or is_machine(name) or is_usual(name, "human")]
    if not (by_user or two_outputs or any(sure.values()) or len(owned) > 1):
        names = []
    if not names and (named or texts):
        scores = {stem: pair for stem, pair in twins.items() if named or is_usual(stem, "score")}
        names = _merge_scores(reader, scores)
        if (
            not names
            and named
            and not any(
                reader.columns[name].holds_scores and (reader.may_score(name) or is_usual(name, "score"))
                for name in reader.free()
            )
        ):
            raise DataError(
                f"{reader.sheet.name}: no column of choices among {listing(reader.columns)}; call it choice "
                "or winner, with "
                "the better output's name, 1, 2 or tie"
            )
    if names:
        _name_sides(
            reader,
            names,
            {*texts, *(name for role in ("first", "second") for name in reader.ids.get(role, ()))},
        )
        _own(reader, names, by_user)
        _ask_tie(reader, names)
        _ask_which(reader, [name for name in names if is_usual(name, "choice") and name not in by_user])
        for name in texts:
            if name not in reader.why:
                reader.put(name, "text", "one of two outputs")
    return bool(names)


def _candidates(
    reader: Reader, by_user: Sequence[str], texts: Sequence[str], sides: set[str], two_outputs: bool
) -> dict[str, bool]:
    """Columns of choices, and whether they leave no doubt; doubtful ones only where there is no other."""
    choices, doubtful = {}, {}
    owners = {*reader.ids.get("judge", ()), *reader.ids.get("rater", ())}
    for name, column in reader.columns.items():
        open_role = name not in reader.why or reader.fixed.get(name) in ("judge", "human", "rater")
        if name in by_user:
            choices[name] = True
        elif open_role and name not in texts and name not in owners:
            sure = _is_choice(name, column, sides, two_outputs)
            if sure is None and sides & column.lower.keys() and not column.text:
                words = [word for word in column.lower if as_choice(word) is not None or word in sides]
                if 2 * len(words) >= len(column.lower):
                    doubtful[name] = True
            elif sure is not None:
                choices[name] = sure
    return choices or doubtful


def _is_choice(name: str, column: Column, sides: set[str], two_outputs: bool) -> bool | None:
    """True for a column that is surely of choices, False for a doubtful one, None for another."""
    usual = is_usual(name, "choice")
    other = why_ignored(name) or is_usual(name, "system", "item", "run", "group", "criterion")
    if other and not usual and not people_of(name):
        return None
    words = [word for word in column.lower if plain(word) not in lexicon().no_choice]
    owner = [word for word in words if as_choice(word) is not None or word in sides]
    if usual and not column.text and (sides or 2 * len(owner) > len(words) or _is_weighted(column)):
        return True
    if not words or len(owner) < len(words):
        return None
    if column.numbers or column.cells.dtype == pl.Boolean:
        several = two_outputs and column.numbers and len(column.values) > 1
        return False if several and set(column.values) <= _CODES else None
    if sides & set(words):
        return True
    if not column.choices:
        return None
    return not (
        column.labels
        or ({word.strip("[]() ") for word in words} <= _BARE and not any("[" in word for word in words))
    )


def _is_weighted(column: Column) -> bool:
    return column.numbers and not column.whole and column.values[0] >= 1 and column.values[-1] <= 2


def _own(reader: Reader, names: Sequence[str], by_user: Sequence[str]) -> None:
    """Owners of columns of choices: people by their names, whom a column names, or judges."""
    fixed = reader.fixed
    people = [
        name for name in names
        if fixed.get(name) in ("choice", "human", "rater")
        or (name not in fixed and people_of(name) is not None)
    ]  # fmt: skip
    usual = [name for name in names if is_usual(name, "choice")]
    rest = [name for name in names if name not in people]
    if "judge" in reader.ids and (
        usual or len(names) == 1 or len(rest) == 1
    ):  # a column says whose a choice is
        main = (usual or rest or names)[0]
        others = [name for name in people if name not in usual and name not in by_user]
        owners = {main: Of()} | {
            name: people_of(name) or Of(PEOPLE, person=True) for name in others if name != main
        }
    else:
        if not people:
            people = [name for name in usual if not is_machine(name)][:1] or (
                list(names) if "rater" in reader.ids and len(names) == 1 else []
            )
        raters = are_raters([name for name in people if name not in by_user])
        owners = {}
        for name in names:
            owner = Of(PEOPLE, person=True) if name == "people's choice" else people_of(name)
            if fixed.get(name) in ("judge", "rater"):
                owners[name] = reader.values[name]
            elif name not in people:
                owners[name] = Of(name)
            elif raters and name not in by_user:
                owners[name] = Of(PEOPLE, rater=owner.rater if owner and owner.rater else name, person=True)
            else:
                owners[name] = owner if owner and name not in by_user else Of(PEOPLE, person=True)
    for name, of in owners.items():
        reader.values[name] = of
        reader.put(
            name, "human" if of.person else "judge" if of.name else "choice", "choices between two outputs"
        )


def _is_text(column: Column) -> bool:
    return column.cells.dtype == pl.String and not column.holds_scores and not column.choices


def find_twins(columns: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Pairs of columns that are alike but for a and b, 1 and 2, left and right, by their common words."""
    by_rest: dict[tuple, dict[int, str]] = defaultdict(dict)
    thirds = Counter()
    for name in columns:
        words = tokens(name)
        thirds[words[:-1]] += bool(words) and words[-1] in ("3", "c")
        for k, sides in enumerate(_SIDES):
            at = [i for i, word in enumerate(words) if word in sides]
            if len(at) == 1 and len(words) > 1:
                by_rest[(k, at[0], *words[: at[0]], *words[at[0] + 1 :])][sides[words[at[0]]]] = name
    return {
        "_".join(key[2:]): (of[0], of[1])
        for key, of in by_rest.items()
        if len(of) == 2 and not thirds[key[2:]]
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


def _merge_scores(reader: Reader, twins: Mapping[str, tuple[str, str]]) -> list[str]:
    """Columns of choices made of scores of both outputs: the higher is chosen."""
    merged = []
    for stem, pair in twins.items():
        if all(
            reader.columns[n].numbers and n not in reader.why and not is_length(n) and not why_ignored(n)
            for n in pair
        ):
            one, other = (_floats(reader.columns[name].cells) for name in pair)
            chosen = pl.when(one > other).then(pl.lit("first")).when(one < other).then(pl.lit("second"))
            merged.append(_add(reader, stem, chosen.when(one == other).then(pl.lit("tie")), pair))
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
            not MODELS.isdisjoint(tokens(stem))
            and not reader.has("first")
            and all(_is_text(one) and not one.text and one.name not in reader.why for one in columns)
        ):
            for role, name in zip(("first", "second"), pair, strict=True):
                reader.ids[role] = [name]
                reader.put(name, role, "by its name")


def _merge_preferred(reader: Reader, twins: Mapping[str, tuple[str, str]]) -> list[str]:
    """Choices of people and judges made of columns on the chosen and the rejected of two outputs.

    In every second row the rejected is the first, so that the place of an output tells nothing.
    """
    outputs = {plain(name): name for name in reader.free()}
    mine = {
        stem: pair
        for stem, pair in twins.items()
        if not {"chosen", "winner"}.isdisjoint(tokens(pair[0])) and pair[0] not in reader.why
    }
    texts = [outputs[name] for name in ("chosen", "rejected") if name in outputs]
    models = [stem for stem in mine if not MODELS.isdisjoint(tokens(stem))]
    usual = any(is_usual(name, "choice") and not reader.columns[name].text for name in reader.free())
    if usual or (len(texts) < 2 and not models):
        return []
    swapped = pl.int_range(reader.sheet.height, eager=True) % 2 == 1
    choices = []
    for stem, pair in mine.items():
        one, other = (reader.columns[name] for name in pair)
        if one.numbers and other.numbers and not why_ignored(stem) and not is_length(stem):
            scores = [_floats(column.cells) for column in (one, other)]
            better, worse = (pl.when(swapped).then(scores[1 - k]).otherwise(scores[k]) for k in (0, 1))
            chosen = pl.when(better > worse).then(pl.lit("first")).when(better < worse).then(pl.lit("second"))
            choices.append(
                _add(reader, f"{stem} (by scores)", chosen.when(better == worse).then(pl.lit("tie")), pair)
            )
        elif not MODELS.isdisjoint(tokens(stem)) and _is_text(one) and not one.text:
            for k, side in enumerate(("first", "second")):
                cells = (
                    pl.when(swapped)
                    .then(reader.columns[pair[1 - k]].cells)
                    .otherwise(reader.columns[pair[k]].cells)
                )
                reader.ids[side] = [_add(reader, f"{stem} {side}", cells, pair)]
                reader.put(reader.ids[side][0], side, f"made of {pair[0]!r} and {pair[1]!r}")
    chosen = pl.when(swapped).then(pl.lit("second")).otherwise(pl.lit("first"))
    people = _add(reader, "people's choice", chosen, texts)
    for name in ("results", "result", "correct", "accuracy"):
        if name in outputs:
            reader.put(outputs[name], "ignored", "whether a judge chose as people did")
    reader.notes.append(f"{reader.sheet.name}: {SIDES_BY_ROW}.")
    return [people, *choices]


def _ask_which(reader: Reader, names: Sequence[str]) -> None:
    """Readings of several columns of choices of which nothing says whose they are."""
    unowned = [name for name in names if not is_machine(name) and people_of(name) is None]
    if len(unowned) < 2 or "judge" in reader.ids:
        return
    for name in unowned[:3]:
        gone = " ".join(f"--ignore {shlex.quote(other)}" for other in unowned if other != name)
        reader.readings[f"--col choice={shlex.quote(name)} {gone}"] = f"{name} is people's choice"


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
    return (
        cells.cast(pl.Float64, strict=False)
        if cells.dtype != pl.String
        else cells.str.strip_chars().cast(pl.Float64, strict=False)
    )
