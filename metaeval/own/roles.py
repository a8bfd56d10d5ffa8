"""own.roles: a proposal of what every column of a table is, by its name and its contents, each with a reason.

Nothing here reads a score: `metaeval.own.joining` makes rows of what is proposed. What a user says with ``--col`` or ``--ignore``
wins; a layout that several readings fit lists them as options to paste.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from metaeval.core.errors import DataError, choose, listing
from metaeval.own.contents import Column, as_choice
from metaeval.own.words import (
    PEOPLE,
    SYNONYMS,
    Of,
    are_raters,
    is_criterion,
    is_length,
    is_machine,
    is_metric,
    lexicon,
    people_of,
    place_in,
    plain,
    split_owners,
    tokens,
    why_ignored,
)

IDS = ("system", "item", "judge", "rater", "criterion", "run", "first", "second", "kind")
VALUES = ("score", "human", "choice")
TEXTS = ("summary", "source", "reference")
ROLES = (*IDS, *VALUES, *TEXTS, "group", "order", "ignored")
ACROSS = ("systems", "items", "raters", "judges")
MAX_READINGS = 3
MIN_ROWS = 10  # from which on a count of the rows is told from scores
_UNNAMED = re.compile(r"\s*|Unnamed: \d.*|__index_level_\d+__|__UNNAMED__\d+|c\d+")
_SIDES = (
    {"a": 0, "b": 1},
    {"1": 0, "2": 1},
    {"left": 0, "right": 1},
    {"first": 0, "second": 1},
    {"x": 0, "y": 1},
)
_BARE = {"a", "b", "1", "2", "0", "first", "second", "left", "right", "same", "both", "neither"}


@dataclass(frozen=True)
class Options:
    """What a user says of files beside naming them; see `metaeval.own.tidy.tidy`."""

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    people: Sequence[str] = ()
    raters: Sequence[str] = ()
    machines: Sequence[str] = ()
    lower_is_better: Sequence[str] = ()
    higher_is_better: Sequence[str] = ()
    judges: Sequence[str] = ()
    across: str = ""
    by: str = ""
    mean: bool = False
    passes: Sequence[str] = ()
    missing: Sequence[str] = ()
    pool: bool = False

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of judges that are asked about."""
        return (*self.lower_is_better, *self.higher_is_better, *self.judges)


@dataclass(frozen=True)
class Role:
    """Role of a column, with its contents, the reason, and an option for another."""

    column: str
    role: str
    contents: str
    reason: str = ""
    option: str = ""


@dataclass(eq=False)
class Sheet:
    """Columns of one table by name.

    Attributes
    ----------
    name, stem : the file's name for messages, and the name of a judge whose scores fill it
    columns : mapping, name -> Column
    table : metaeval.own.parsing.Table
    given : mapping, column -> role, by the tool that wrote the file
    """

    name: str
    stem: str
    columns: dict[str, Column]
    table: object
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).cells) if self.columns else 0

    def place(self, row: int) -> str:
        """Place of a row in words."""
        return f"{self.name}, {self.table.place(row)}"

    def keys(self, columns: Iterable[str]) -> pl.Series:
        """One number for each row, the same where all these columns are alike."""
        frame = pl.DataFrame({name: self.columns[name].cells.cast(pl.String) for name in columns})
        return (
            frame.hash_rows(seed=1) if frame.width else pl.repeat(0, self.height, dtype=pl.UInt64, eager=True)
        )

    def contradicts(self, ids: Iterable[str], values: Iterable[str]) -> bool:
        """True if rows of the same ids have other values."""
        keys = self.keys(dict.fromkeys(ids))
        if keys.n_unique() == len(keys):
            return False
        held = [name for name in values if self.columns[name].plain_cells]
        frame = pl.DataFrame(
            {"key": keys, **{f"{i}": self.columns[name].cells.cast(pl.String) for i, name in enumerate(held)}}
        )
        several = frame.group_by("key").agg(pl.exclude("key").replace("", None).drop_nulls().n_unique())
        return bool(several.select(pl.any_horizontal(pl.exclude("key") > 1).any()).item()) if held else False


@dataclass(eq=False)
class Proposal:
    """Reading of one table.

    Attributes
    ----------
    sheet : Sheet
    ids : mapping, role -> columns that make it together
    values : mapping, column of values -> its owner
    across : str
        What columns of values are called after: ``"judges"``, ``"systems"``, ``"items"`` or ``"raters"``.
    pairs : bool
        True for choices between two outputs.
    texts : mapping, ``"summary"`` and perhaps ``"source"`` -> column
    roles : tuple of Role, one for each column
    notes, readings : sentences; options to paste -> what they mean, where several readings fit
    """

    sheet: Sheet
    ids: dict[str, list[str]]
    values: dict[str, Of]
    across: str = "judges"
    pairs: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    roles: tuple[Role, ...] = ()
    notes: list[str] = field(default_factory=list)
    readings: dict[str, str] = field(default_factory=dict)

    @property
    def numbers_rows(self) -> bool:
        """True if each row is an item of its own, since no column says what it is of."""
        return (
            not ({"item"} if self.pairs else {"item", "system"}) & self.ids.keys() and self.across != "items"
        )


def propose(sheet: Sheet, options: Options, *, pairs: bool = False, systems_across: bool = True) -> Proposal:
    """Proposal for one table.

    Parameters
    ----------
    sheet : Sheet
    options : Options
    pairs : bool
        True if another file holds choices, so that numbers 0, 1 and 2 are such.
    systems_across : bool
        Whether columns of values beside items alone may be called after systems.

    Raises
    ------
    DataError
        If no column holds scores, labels or choices: what the columns hold instead, and what to do.
    """
    return _Reader(sheet, options, pairs, systems_across).proposal()


class _Reader:
    """One table on its way to a proposal."""

    def __init__(self, sheet: Sheet, options: Options, pairs: bool, systems_across: bool):
        self.sheet, self.options, self.hint, self.systems_across = sheet, options, pairs, systems_across
        self.columns = sheet.columns
        self.ids: dict[str, list[str]] = {}
        self.values: dict[str, Of] = {}
        self.why: dict[str, tuple[str, str, str]] = {}  # column -> role, reason, option
        self.notes: list[str] = []
        self.readings: dict[str, str] = {}
        self.fixed = self._fixed()

    def _fixed(self) -> dict[str, str]:
        """Roles by the user, and by the tool for columns of which the user says nothing."""
        fixed: dict[str, str] = {}
        for role, names in self.options.columns.items():
            role = SYNONYMS.get(role, role)
            choose("role of a column", role, dict.fromkeys(ROLES))
            fixed |= {name: role for name in names if name in self.columns}
        fixed |= {name: "human" for name in self.options.people if name in self.columns}
        fixed |= {name: "rater" for name in self.options.raters if name in self.columns}
        fixed |= {name: "judge" for name in self.options.asked if name in self.columns and name not in fixed}
        fixed |= {name: "ignored" for name in self.options.ignore if name in self.columns}
        taken = set(fixed.values())
        tool = {
            name: role
            for name, role in self.sheet.given.items()
            if name in self.columns and name not in fixed
        }
        return fixed | {
            name: role
            for name, role in tool.items()
            if role == "ignored" or role not in taken - {"human", "judge", "rater", "group"}
        }

    # -------------------------------------------------------------------------------------------- helpers

    def _free(self) -> list[str]:
        return [name for name in self.columns if name not in self.why]

    def _put(self, name: str, role: str, reason: str, option: str = "") -> None:
        self.why[name] = role, reason, option

    def _is_set(self, role: str) -> bool:
        return role in self.ids or role in self.fixed.values()

    # --------------------------------------------------------------------------------------------- stages

    def proposal(self) -> Proposal:
        self._take_given()
        self._drop_empty()
        self._find_ids()
        pairs = self._find_choices()
        if not pairs:
            self._find_scores()
        self._find_item(pairs)
        if not pairs:
            self._find_owners()
        across = "judges" if pairs else self._find_direction()
        texts = self._find_texts()
        self._explain_rest()
        self._note_unused()
        if not self.values and not texts:
            raise DataError(self._describe_lack())
        roles = tuple(Role(name, *self._role_of(name, across)) for name in self.columns)
        return Proposal(
            self.sheet, self.ids, self.values, across, pairs, texts, roles, self.notes, self.readings
        )

    def _role_of(self, name: str, across: str) -> tuple[str, str, str, str]:
        role, reason, option = self.why[name]
        if name in self.values and across != "judges":
            role, reason, option = across.removesuffix("s"), "scores in a column of its own", ""
        return role, self.columns[name].describe(), reason, option

    def _take_given(self) -> None:
        for name, role in self.fixed.items():
            column = self.columns[name]
            if role != "ignored" and not column.plain_cells and role not in TEXTS:
                raise DataError(
                    f"{self.sheet.name}: the column {name!r}, given for {role}, holds {column.describe()}"
                )
            named = bool(column.lower.keys() & self._sides())
            holds = column.holds_scores or column.choices or named
            alone = "score" not in self.fixed.values() and (
                "choice" not in self.fixed.values() or column.choices or column.numbers or named
            )
            if (
                role in ("judge", "rater")
                and holds
                and (alone or name in (*self.options.asked, *self.options.raters))
            ):
                if name in (*self.options.asked, *self.options.raters) or not self._names_owners(name, role):
                    self.values[name] = Of(name) if role == "judge" else Of(PEOPLE, rater=name, person=True)
                    self._put(name, role, "")
                    continue
            if role == "human" or role == "choice":
                self.values[name] = Of(PEOPLE, person=True)
            elif role == "score":
                self.values[name] = Of()
            elif role in IDS:
                self.ids.setdefault(role, []).append(name)
            self._put(name, role, "")
        humans = [name for name, role in self.fixed.items() if role == "human"]
        if len(humans) > 1:
            for name in humans:
                known = people_of(name)
                of = Of(
                    known.name if known and known.name != PEOPLE else name,
                    person=True,
                    rater=known.rater if known else "",
                )
                self.values[name] = Of(PEOPLE, rater=name, person=True) if are_raters(humans) else of
        elif humans and humans[0] in self.options.people and people_of(humans[0]) is None:
            self.values[humans[0]] = Of(humans[0], person=True)

    def _names_owners(self, name: str, role: str) -> bool:
        """True for numbers that are names of raters: each item has several, and other columns hold the values."""
        column = self.columns[name]
        if role == "judge" or not (column.whole and column.categories):
            return False
        return any(other != name and self._may_score(other) for other in self.columns)

    def _may_score(self, name: str) -> bool:
        column = self.columns[name]
        return (
            column.holds_scores and not why_ignored(name)
            and all(place_in(role, name) is None for role in ("system", "item", "part", "judge", "rater", "criterion", "run", "group"))
        )  # fmt: skip

    def _drop_empty(self) -> None:
        for name in self._free():
            column = self.columns[name]
            if not column.plain_cells:
                self._put(name, "ignored", f"holds {column.describe()}")
            elif not column.words:
                self._put(name, "ignored", "empty")
            elif (_UNNAMED.fullmatch(name) or plain(name) in lexicon().numbers_of_rows) and column.numbers:
                if _counts_rows(column):
                    self._put(name, "ignored", "counts the rows")
                elif _UNNAMED.fullmatch(name):
                    self._put(name, "ignored", "numbers without a name", f"--col judge={shlex.quote(name)}")

    def _named_for(self, role: str) -> list[str]:
        """Free columns with a usual name of a role, the likelier first."""
        places = {name: place for name in self._free() if (place := place_in(role, name)) is not None}
        return sorted(places, key=places.__getitem__)

    def _find_ids(self) -> None:
        """Columns of names: systems, judges, raters, criteria, runs; a usual name with other contents is left."""
        has_score = self._is_set("score") or any(
            self.columns[name].holds_scores for name in self._named_for("score")
        )
        for role in ("first", "second", "system", "judge", "rater", "criterion", "kind", "run"):
            if self._is_set(role):
                continue
            for name in self._named_for(role):
                column = self.columns[name]
                numeric = column.numbers or column.labels
                if column.text or (column.date and role != "run"):
                    continue
                if role in ("first", "second") and column.numbers and not self._named_for("choice"):
                    continue
                if (
                    role == "system"
                    and place_in(role, name) > place_in(role, "models")
                    and (numeric or not column.categories)
                ):
                    continue
                if role == "judge" and (
                    ((numeric or column.out_of)
                    and not has_score)
                    or (column.choices
                    and not self._named_for("choice")
                    and not self._is_set("choice"))
                ):
                    continue
                if role == "rater" and numeric and not (has_score or self._names_owners(name, role)):
                    continue
                if role == "rater" and column.choices and not has_score and not self._named_for("choice"):
                    continue
                if (
                    role == "rater"
                    and column.whole
                    and (name.lower().endswith("s") or column.distinct)
                    and len(column.words) < MIN_ROWS
                    and name.lower().endswith("s")
                ):
                    continue  # how many they were
                if role in ("criterion", "kind") and numeric:
                    continue
                if role == "kind" and not _tell_kinds(column.lower):
                    continue
                if role == "run" and not (column.whole or column.categories):
                    continue
                self.ids[role] = [name]
                self._put(name, role, "by its name")
                break
        if ("first" in self.ids) != ("second" in self.ids):
            for role in ("first", "second"):
                for name in self.ids.pop(role, []):
                    self.why.pop(name, None)
        if "rater" not in self.ids and not self._is_set("rater"):
            for name in self._free():
                if self.columns[name].mails and self.columns[name].n_unique > 1:
                    self.ids["rater"] = [name]
                    self._put(name, "rater", "addresses of people")
                    break
        if "judge" not in self.ids and not self._is_set("judge"):
            for name in self._free():
                column = self.columns[name]
                if (
                    column.categories
                    and not column.holds_scores
                    and not column.choices
                    and 1 < len(column.words) <= 200
                ):
                    people, _ = split_owners(column.words)
                    others = [word for word in column.words if word not in people]
                    if people and others and any(map(is_machine, others)) and place_in("group", name) is None:
                        self.ids["judge"] = [name]
                        self._put(name, "judge", "names of people and of machines")
                        break
        for role in ("system", "judge", "rater", "criterion"):
            others = [
                name
                for name in self._named_for(role)
                if self.columns[name].categories and not self._may_score(name)
            ]
            for name in others if role in self.ids and role != "item" else []:
                if (
                    place_in("item", name) is None
                    and place_in("group", name) is None
                    and not self.columns[name].holds_scores
                ):
                    self._put(
                        name,
                        "ignored",
                        f"{self.ids[role][0]!r} is the {role}",
                        f"--col {role}={shlex.quote(name)}",
                    )

    # ------------------------------------------------------------------------------------------- choices

    def _sides(self) -> set[str]:
        """Names of the outputs that a table compares, in lower case."""
        sides: set[str] = set()
        for role in ("first", "second"):
            for name in self.ids.get(role, []) or [n for n, r in self.fixed.items() if r == role] or self._named_for(role)[:1]:
                sides |= {str(cell).strip().lower() for cell in self.columns[name].cells.unique().drop_nulls()[:5_000]}
        return sides

    def _find_choices(self) -> bool:
        fixed = [name for name, role in self.fixed.items() if role == "choice"]
        named_sides = "first" in self.ids and "second" in self.ids
        sides = self._sides() if named_sides else set()
        twins = self._twins()
        text_sides = [
            pair
            for pair in twins.values()
            if all(
                self.columns[name].cells.dtype == pl.String
                and not self.columns[name].holds_scores
                and not self.columns[name].choices
                for name in pair
            )
        ]
        has_sides = named_sides or bool(text_sides) or (self.hint and "system" not in self.ids) or bool(fixed)
        self._merge_one_hot()
        shown = {name for pair in text_sides for name in pair}
        candidates = []
        for name in self.columns:
            role = "choice" if name in fixed else ""
            if not role and name not in shown and (name not in self.why or self.fixed.get(name) in ("judge", "human", "rater")):
                role = self._choice_role(name, sides, has_sides)
            if role and not (name in self.ids.get("judge", ()) or name in self.ids.get("rater", ())):
                candidates.append((name, role))
        if any(role != "perhaps" for _, role in candidates):
            candidates = [(name, role) for name, role in candidates if role != "perhaps"]
        strong = [name for name, role in candidates if role in ("choice", "strong")]
        owned = [
            name
            for name, role in candidates
            if people_of(name) or is_machine(name) or place_in("human", name) is not None
        ]
        others = [name for name, role in self.fixed.items() if role == "score"]
        if not candidates or others or not (fixed or strong or has_sides or len(owned) > 1):
            if named_sides and not fixed and not others:
                if merged := self._merge_scores(twins):
                    candidates = [(name, "choice") for name in merged]
                elif not any(
                    self._may_score(name) or place_in("score", name) is not None
                    for name in self._free()
                    if self.columns[name].holds_scores
                ):
                    raise DataError(
                        f"{self.sheet.name}: no column of choices among {listing(self.columns)}; call it choice or winner, with "
                        "the better output's name, 1, 2 or tie"
                    )
            if not candidates or others:
                return self._choose_scores_of_sides(others) if named_sides else False
            if not (fixed or strong or has_sides or len(owned) > 1):
                return self._ask_one_or_two(candidates)
        names = [name for name, _ in candidates]
        people = [
            name
            for name in names
            if self.fixed.get(name) in ("choice", "human", "rater")
            or (name not in self.fixed and (place_in("human", name) is not None or people_of(name)))
        ]
        usual = [name for name in names if place_in("choice", name) is not None]
        if "judge" in self.ids and (usual or len(names) == 1):  # whose a choice is stands in another column
            people_named = [name for name in people if name not in usual and name not in fixed]
            names = [(usual or names)[0], *people_named]
            self._own_choice(names[0], Of())
            for name in people_named:
                self._own_choice(name, people_of(name) or Of(PEOPLE, person=True))
            return True
        if not people and usual:
            people = [name for name in usual if not is_machine(name)][:1]
        if not people and "rater" in self.ids and len(names) == 1:
            people = names
        raters = [name for name in people if name not in fixed] if are_raters(people) else []
        for name in names:
            known = people_of(name)
            if self.fixed.get(name) in ("judge", "rater"):
                of = self.values[name]
            elif name in raters:
                of = Of(PEOPLE, rater=known.rater if known and known.rater else name, person=True)
            elif name in people:
                of = known if known and name not in fixed else Of(PEOPLE, person=True)
            else:
                of = Of(name)
            self._own_choice(name, of)
        for pair in text_sides:
            for name in pair:
                if name not in self.why:
                    self._put(name, "text", "one of two outputs")
        return True

    def _own_choice(self, name: str, of: Of) -> None:
        self.values[name] = of
        self._put(
            name,
            "human" if of.person else "choice" if not of.name else "judge",
            "choices between two outputs",
        )

    def _choice_role(self, name: str, sides: set[str], has_sides: bool) -> str:
        """``choice``, ``strong`` or ``weak`` for a column of choices; "" for none."""
        column = self.columns[name]
        if (
            (why_ignored(name)
            and place_in("choice", name) is None)
            or any(
                place_in(role, name) is not None
                for role in ("system", "item", "run", "group", "order" if False else "criterion")
            )
        ):
            if (
                place_in("choice", name) is None
                and people_of(name) is None
                and place_in("human", name) is None
            ):
                return ""
        words = [word for word in column.lower if plain(word) not in lexicon().no_choice]
        known = [word for word in words if as_choice(word) is not None or word in sides]
        usual = place_in("choice", name) is not None
        if usual and (known or sides) and not column.text:
            weighted = (
                column.numbers and not column.whole and column.values[0] >= 1 and column.values[-1] <= 2
            )
            return "choice" if sides or weighted or len(known) > len(words) / 2 else ""
        if words and len(known) < len(words):
            return (
                "perhaps" if sides & set(words) and len(known) >= len(words) / 2 and not column.text else ""
            )
        if not words:
            return ""
        if column.numbers or (column.labels and column.cells.dtype == pl.Boolean):
            return (
                "weak" if has_sides and column.numbers and set(column.values) <= {0, 0.5, 1, 1.5, 2} else ""
            )
        if sides and set(words) & sides:
            return "strong" if has_sides else ""
        if not column.choices:
            return ""
        bare = {word.strip("[]() ") for word in words} <= _BARE and not any("[" in word for word in words)
        return "weak" if bare or column.labels else "strong"

    def _ask_one_or_two(self, candidates: list[tuple[str, str]]) -> bool:
        return False

    def _twins(self) -> dict[str, tuple[str, str]]:
        """Pairs of columns that are alike but for a and b, 1 and 2, left and right, by what they have in common."""
        by_rest: dict[tuple, dict[int, str]] = defaultdict(dict)
        for name in self.columns:
            words = tokens(name)
            for k, sides in enumerate(_SIDES):
                at = [i for i, word in enumerate(words) if word in sides]
                if len(at) == 1 and len(words) > 1:
                    rest = (*words[: at[0]], *words[at[0] + 1 :])
                    by_rest[(k, at[0], *rest)][sides[words[at[0]]]] = name
        more = {key[2:]: 0 for key in by_rest}
        for name in self.columns:
            words = tokens(name)
            if words and words[-1] in ("3", "c"):
                more[words[:-1]] = more.get(words[:-1], 0) + 1
        return {
            "_".join(key[2:]): (pair[0], pair[1])
            for key, pair in by_rest.items()
            if len(pair) == 2 and not more.get(key[2:])
        }

    def _merge_one_hot(self) -> None:
        """Add one column of choices for columns of 0 and 1 of which every row has one: a wins, b wins, tie."""
        by_stem: dict[str, dict[str, str]] = defaultdict(dict)
        for name in self._free():
            words = tokens(name)
            column = self.columns[name]
            if (
                len(words) > 1
                and words[-1] in ("a", "b", "tie", "1", "2")
                and (column.cells.dtype == pl.Boolean or set(column.values) <= {0, 1})
                and column.words
            ):
                side = {"1": "a", "2": "b"}.get(words[-1], words[-1])
                by_stem[words[0]][side] = name
        for stem, of in by_stem.items():
            if not {"a", "b"} <= of.keys() or (place_in("choice", stem) is None and "tie" not in of):
                continue
            cells = {side: _floats(self.columns[name].cells) for side, name in of.items()}
            if (
                not (sum(cells.values()).drop_nulls() <= 1).all()
                or sum(cells.values()).drop_nulls().max() != 1
            ):
                continue
            merged = pl.select(
                pl.when(cells["a"] == 1).then(pl.lit("a")).when(cells["b"] == 1).then(pl.lit("b"))
                .when(cells["a"].is_not_null()).then(pl.lit("tie"))
            ).to_series()  # fmt: skip
            self._add(stem, merged, of.values(), "choice")

    def _merge_scores(self, twins: Mapping[str, tuple[str, str]]) -> list[str]:
        """Add a column of choices for each pair of columns of scores of both sides: the higher is chosen."""
        merged = []
        for stem, (a, b) in twins.items():
            if all(
                self.columns[name].numbers
                and name not in self.why
                and not is_length(name)
                and not why_ignored(name)
                for name in (a, b)
            ):
                one, other = (_floats(self.columns[name].cells) for name in (a, b))
                cells = pl.select(
                    pl.when(one > other)
                    .then(pl.lit("first"))
                    .when(one < other)
                    .then(pl.lit("second"))
                    .when(one == other)
                    .then(pl.lit("tie"))
                ).to_series()
                merged.append(self._add(stem, cells, (a, b), "choice"))
                self.notes.append(f"{self.sheet.name}: of {a!r} and {b!r} the higher score is a choice.")
        return merged

    def _add(self, stem: str, cells: pl.Series, parts: Iterable[str], role: str) -> str:
        name = stem if stem not in self.columns else f"{stem} (made)"
        for part in parts:
            self._put(part, "part", f"part of {name!r}")
        self.columns = self.sheet.columns = {**self.columns, name: Column(name, cells)}
        return name

    def _choose_scores_of_sides(self, scores: Sequence[str]) -> bool:
        """True if a user's column of scores is of choices, since the table names both sides."""
        if not scores:
            return False
        self.values = {name: Of() for name in scores}
        return True

    # -------------------------------------------------------------------------------------------- scores

    def _find_scores(self) -> None:
        """Columns of values, each with an owner by its name; ids, times, costs and flags are none."""
        self.people: dict[str, Of] = {name: of for name, of in self.values.items() if of.person}
        self.unknown: list[str] = [name for name, of in self.values.items() if not of.person and of.name]
        self.scores = [name for name, role in self.fixed.items() if role == "score"]
        sure_people = any(self.fixed.get(name) == "human" for name in self.people)
        strong = [
            name
            for name in self._free()
            if self._holds(name) and (people_of(name) is not None) and plain(name) not in _weak()
        ]
        weak = [name for name in self._free() if plain(name) in _weak()]
        for name in self._free():
            column = self.columns[name]
            if not self._holds(name):
                continue
            if place_in("score", name) is not None and not self._is_set("score"):
                self.scores.append(name)
                self._put(name, "score", "by its name")
                continue
            reserved = any(place_in(role, name) is not None for role in ("item", "part", "run", "group")) or (
                (place := place_in("system", name)) is not None and place <= place_in("system", "models")
            )
            of = people_of(name)
            if of is not None and not reserved:
                if sure_people and of.name == PEOPLE and not of.rater:
                    self._put(
                        name,
                        "ignored",
                        "people's scores are another column",
                        f"--col human={shlex.quote(name)}",
                    )
                elif name in weak and strong:
                    self.unknown.append(name)
                    self._put(name, "judge", f"beside {strong[0]!r}, which is people's")
                else:
                    self.people[name] = of
                    self._put(name, "human", "by its name")
                continue
            if reserved or self._is_no_score(name, column):
                continue
            self.unknown.append(name)
            self._put(
                name,
                "judge",
                "a metric, by its name" if is_metric(name) else "numbers" if column.numbers else "labels",
            )
        if len(self.scores) > 1:
            for name in self.scores[1:]:
                self.unknown.append(name)
                self._put(name, "judge", "numbers")
            self.scores = self.scores[:1]
        texts = [
            name
            for name in self.unknown
            if any(place_in(role, name) is not None for role in TEXTS) and name not in self.fixed
        ]
        if len(texts) < len(self.unknown) or self.people:
            for name in texts:
                if len(self.unknown) > len(texts) or not is_machine(name):
                    self.unknown.remove(name)
                    self._put(name, "ignored", "a text, by its name", f"--col judge={shlex.quote(name)}")

    def _holds(self, name: str) -> bool:
        """True for a column of scores or of labels, by its contents or by the user's words."""
        column = self.columns[name]
        if column.holds_scores or (
            self.options.passes and {w.lower() for w in self.options.passes} & column.lower.keys()
        ):
            return True
        if self._must_label(name):
            passes = [word for word in sorted(column.words)][:MAX_READINGS]
            self.readings |= {
                f"--pass {shlex.quote(word)}": f"{word!r} in {name!r} passes, all other words fail"
                for word in passes
            }
            return True
        return False

    def _must_label(self, name: str) -> bool:
        """True for few unknown words where labels are meant by the column's name."""
        column = self.columns[name]
        named = (
            people_of(name) is not None
            or place_in("judge", name) is not None
            or place_in("score", name) is not None
        )
        if not named or name in self.why or column.text or column.date or not column.words or column.choices:
            return False
        return (
            1 < len(column.lower) <= 6
            and column.categories
            and not column.out_of
            and len(column.cells) >= 2 * len(column.lower)
        )

    def _is_no_score(self, name: str, column: Column) -> bool:
        reason = why_ignored(name)
        if reason and not (is_criterion(name) and not reason):
            self._put(name, "ignored", reason, f"--col judge={shlex.quote(name)}")
            return True
        sure = is_machine(name) or is_criterion(name) or is_length(name)
        if (
            not sure
            and column.whole
            and column.distinct
            and self.sheet.height >= MIN_ROWS
            and _counts_rows(column, from_any=True)
        ):
            self._put(name, "ignored", "counts the rows", f"--col judge={shlex.quote(name)}")
            return True
        return False

    # ---------------------------------------------------------------------------------------------- items

    def _find_item(self, pairs: bool) -> None:
        """Column of the item, or several that make it: as many as tell contradicting rows apart."""
        if not self._is_set("system") and not pairs:
            self._find_system()
        if self._is_set("item"):
            return
        candidates = [
            name
            for name in self._named_for("item")
            if not (
                self.columns[name].numbers and not self.columns[name].whole and not self.columns[name].numbers
            )
        ]
        owners = [name for role in IDS if role not in ("item", "kind") for name in self.ids.get(role, [])]
        shared = [name for name in candidates if not self.columns[name].distinct]
        if (
            shared
            and (self.ids.keys() & {"system", "rater", "judge"})
            and any(self.columns[name].distinct for name in candidates[:1])
        ):
            candidates = [*shared, *(name for name in candidates if name not in shared)]
        single = [name for name in candidates if self.columns[name].n_unique <= 1]
        texts = [name for name in candidates if self.columns[name].text and name not in single]
        usual = [name for name in single if place_in("item", name) <= place_in("item", "documents")]
        candidates = [name for name in candidates if name not in (*texts, *single)] + texts + usual
        values = [name for name in (self.values if pairs else [*self.people, *self.unknown, *self.scores])]
        if not candidates:
            candidates = self._item_by_contents(owners, values) or self._item_of_parts(owners)
            if len(candidates) == 2:
                self.ids["item"] = candidates
                for name in candidates:
                    self._put(
                        name,
                        "item",
                        f"{' and '.join(map(repr, candidates))} together are different in every row",
                    )
                self.unknown = [name for name in self.unknown if name not in candidates]
                return
        if not candidates:
            return
        base = candidates[0]
        chosen = [base]
        if values and self.sheet.contradicts([*owners, base], values):
            chosen += self._other_parts(base, [*owners, base], values, candidates[1:])
        chosen += self._nesting_group(chosen)
        self.ids["item"] = chosen
        reason = (
            "by its name" if place_in("item", base) is not None else "its values come again for every system"
        )
        for name in chosen:
            self._put(
                name,
                "item",
                reason
                if len(chosen) == 1
                else f"{' and '.join(map(repr, chosen))} together name a row's item",
            )
        for name in candidates:
            if name not in chosen and name not in self.why and not self.columns[name].text:
                self._put(name, "ignored", f"{base!r} is the item", f"--col item={shlex.quote(name)}")

    def _nesting_group(self, chosen: Sequence[str]) -> list[str]:
        """A language, or data set, that has systems of its own, while numbers of items start anew in it."""
        systems = self.ids.get("system", [])
        names = [name for name in self._named_for("group") if name not in chosen and self.columns[name].n_unique > 1]
        for name in names if len(systems) == 1 and len(chosen) == 1 else ():
            counts = [self.sheet.keys(columns).n_unique() for columns in ([name], systems, [*systems, name], chosen, [*chosen, name])]
            groups, n_systems, both, items, apart = counts
            nested = both == n_systems >= 2 * groups and items < apart
            if nested and tokens(name)[0] in ("lp", "lang", "language", "dataset", "data", "corpus", "collection", "domain"):
                self.notes.append(f"{self.sheet.name}: items of different {name} are different, though they are called alike.")
                return [name]
        return []

    def _other_parts(
        self, base: str, ids: Sequence[str], values: Sequence[str], candidates: Sequence[str]
    ) -> list[str]:
        """Further columns without which rows of one item contradict each other."""
        if self.options.mean:
            return []
        parts = [name for name in self._named_for("part") if name != base]
        groups = self._named_for("group")
        rest = [name for name in candidates if name not in parts and not self.columns[name].distinct]
        for name in dict.fromkeys([*parts, *groups, *rest]):
            if self.columns[name].n_unique > 1 and not self.sheet.contradicts([*ids, name], values):
                quoted = shlex.quote(base), shlex.quote(name)
                if "turn" in tokens(name) and not self.options.by:
                    self.readings |= {
                        f"--col item={quoted[0]} --col item={quoted[1]}": f"{base} and {name} together are an item",
                        f"--by {quoted[1]}": f"one answer for each {name}",
                        f"--ignore {quoted[1]} --mean": f"the mean over {name}",
                    }
                self.notes.append(f"{self.sheet.name}: {base!r} and {name!r} together are the item.")
                return [name]
        return []

    def _item_by_contents(self, owners: Sequence[str], values: Sequence[str]) -> list[str]:
        """A column whose values come again for every system, or the only texts beside scores."""
        fit = []
        if "system" not in self.ids:
            return []
        n_systems = self.columns[self.ids["system"][0]].n_unique
        for name in self._free():
            column = self.columns[name]
            if (
                column.cells.dtype != pl.String
                or column.date
                or column.holds_scores
                or column.n_unique <= 1
                or n_systems <= 1
            ):
                continue
            if column.n_unique < len(column.cells) and not self.sheet.contradicts([*owners, name], values):
                rows = self.sheet.keys([*owners, name]).n_unique()
                if rows >= 0.5 * column.n_unique * n_systems and self.sheet.contradicts(owners, values):
                    fit.append(name)
        return sorted(fit, key=lambda name: self.columns[name].text)[:1]

    def _item_of_parts(self, owners: Sequence[str]) -> list[str]:
        """A column of names that repeat, with a column of turns or steps beside it: one row for both together."""
        names = [
            name for name in (*self._free(), *getattr(self, "unknown", ())) if self.columns[name].categories
        ]
        names = [name for name in names if self.columns[name].whole or not self.columns[name].numbers]
        for part in self._named_for("part"):
            for name in names:
                if (
                    name == part
                    or self.columns[name].labels
                    or (self.columns[name].whole and self.columns[name].n_unique <= 7)
                ):
                    continue
                if self.sheet.keys([*owners, name, part]).n_unique() == self.sheet.height:
                    return [name, part]
        return []

    def _find_system(self) -> None:
        """Names in the first column of a table with a row for each system, as a leaderboard's."""
        if (
            self._is_set("item")
            or any(not self.columns[n].text for n in self._named_for("item"))
            or self.ids.keys() & {"rater"}
        ):
            return
        numbers = [name for name in (*self.people, *self.unknown, *self.scores)]
        for name in self._free():
            column = self.columns[name]
            named = plain(name) in ("name", "id_name") or _UNNAMED.fullmatch(name) or "name" in tokens(name)
            if (
                named
                and column.cells.dtype == pl.String
                and column.distinct
                and not column.text
                and not column.links
                and numbers
            ):
                self.ids["system"] = [name]
                self._put(name, "system", "a name for each row")
                return

    # --------------------------------------------------------------------------------------------- owners

    def _find_owners(self) -> None:
        """Owner of each column of values: a judge, people and their criterion, or whom another column names."""
        rows = self.ids.keys() & {"judge", "rater", "criterion", "kind"}
        people, unknown = self.people, self.unknown
        usual = [name for name in people if plain(name) in _weak() and name not in self.fixed]
        if (
            not self.scores
            and rows & {"judge", "rater"}
            and len(people) == 1
            and (usual or self.ids.keys() >= {"judge", "rater"})
        ):
            self.scores = [next(iter(people))]
            people.pop(self.scores[0])
            self._put(self.scores[0], "score", "by its name")
        elif (
            not self.scores
            and not people
            and unknown
            and "item" not in self.ids
            and all(re.fullmatch(r"[\d.]+", name) for name in unknown)
        ):
            self.values = {name: Of(name) for name in unknown}  # items across
            return
        elif not self.scores and "judge" in rows and not people and len(unknown) == 1:
            self.scores = [unknown.pop()]
            self._put(self.scores[0], "score", "the only scores")
        elif self.scores and rows & {"judge"}:  # of a row's judge; what else is in the row is said of it
            for name in list(unknown):
                if name not in self.fixed:
                    unknown.remove(name)
                    self._put(
                        name,
                        "ignored",
                        f"{self.scores[0]!r} is the judge's score",
                        f"--col score={shlex.quote(name)}",
                    )
        if "rater" in rows and "judge" not in rows:
            self._part_raters(people, unknown)
        values: dict[str, Of] = {}
        if self.scores:
            alone = "rater" in rows and "judge" not in rows
            values[self.scores[0]] = Of(PEOPLE, person=True) if alone else Of()
        elif "judge" in rows and len(unknown) > 1:  # a judge's row has a column for each criterion
            for name in unknown:
                self._put(name, "criterion", "scores of the judge in its row")
            values = {name: Of("", criterion=name) for name in unknown}
            unknown = []
        values |= self._people_values(people)
        values |= {name: Of(name) for name in unknown}
        self.values = values
        self._match_criteria()
        self._ask_about_owners(rows)

    def _part_raters(self, people: dict[str, Of], unknown: list[str]) -> None:
        """Columns beside a column of raters are theirs where raters of one item differ, and a judge's where never."""
        ids = [name for role in ("system", "item", "criterion", "run") for name in self.ids.get(role, [])]
        repeated = self.sheet.keys(ids).n_unique() < self.sheet.height
        theirs = []
        for name in list(unknown):
            if name in self.fixed or is_metric(name) or is_machine(name):
                continue
            differs = self.sheet.contradicts(ids, [name])
            if differs or (
                not repeated and not people and not self.scores and (is_criterion(name) or len(unknown) == 1)
            ):
                theirs.append(name)
        if theirs and not self.scores and not people:
            for name in theirs:
                unknown.remove(name)
                people[name] = Of(PEOPLE if len(theirs) == 1 else name, person=True)
                self._put(
                    name,
                    "human",
                    "differs among raters of one item" if repeated else "beside a column of raters",
                )
        elif theirs and repeated:
            for name in theirs:
                unknown.remove(name)
                self._put(
                    name, "ignored", "differs among raters of one item", f"--col human={shlex.quote(name)}"
                )

    def _people_values(self, people: Mapping[str, Of]) -> dict[str, Of]:
        """People's columns: several raters of one thing, several criteria, or both."""
        kinds = {of.kind for of in people.values()} - {""}
        if kinds == {"expert", "crowd"} and not any(name in self.fixed for name in people):
            sides = {
                kind: [name for name, of in people.items() if of.kind == kind] for kind in ("expert", "crowd")
            }
            for kind, other in (("expert", "crowd"), ("crowd", "expert")):
                names = " ".join(f"--col human={shlex.quote(name)}" for name in sides[kind])
                gone = " ".join(f"--ignore {shlex.quote(name)}" for name in sides[other])
                self.readings[f"{names} {gone}"] = f"the {kind}s alone are people"
            crowd = " ".join(f"--col judge={shlex.quote(name)}" for name in sides["crowd"])
            names = " ".join(f"--col human={shlex.quote(name)}" for name in sides["expert"])
            self.readings[f"{names} {crowd}"] = "the crowd is judged by the experts"
            apart = {name: f"crowd {of.name}".removesuffix(f" {PEOPLE}") for name, of in people.items()}
            return {name: replace(of, name=apart[name]) if of.kind == "crowd" else of for name, of in people.items()}
        return dict(people)

    def _match_criteria(self) -> None:
        """Criteria of judges by the names that people's have: gpt4_coherence is gpt4 on coherence."""
        criteria = {of.name for of in self.values.values() if of.person and of.name != PEOPLE}
        self.values = match_criteria(self.values, criteria)

    def _ask_about_owners(self, rows: set[str]) -> None:
        """Readings where nothing says whose bare criteria are, or whether 1 and 2 are grades or choices."""
        coded = [name for name in self.values if self.columns[name].values == (1, 2)]
        if (
            not rows
            and "system" not in self.ids
            and len(coded) == len(self.values) > 1
            and not set(coded) & set(self.fixed)
        ):
            person = next((name for name, of in self.values.items() if of.person), coded[0])
            self.readings |= {
                f"--col choice={shlex.quote(person)}": "1 and 2 are choices of the first and the second of two outputs",
                f"--col human={shlex.quote(person)}": "1 and 2 are grades, 2 the better",
            }
        if any(of.person for of in self.values.values()) or rows or self.scores:
            return
        names = list(self.values)
        bare = [name for name in names if is_criterion(name) and not is_metric(name) and not is_machine(name)]
        others = [name for name in names if name not in bare and not is_length(name)]
        asked = set(names) & set(self.fixed)
        if bare and not asked and others and all(map(is_machine, others)):
            people = " ".join(f"--col human={shlex.quote(name)}" for name in bare)
            judges = " ".join(f"--col judge={shlex.quote(name)}" for name in bare)
            self.readings |= {
                people: f"people scored {', '.join(bare)}",
                judges: "all columns are judges', and people's scores are in another file",
            }

    # ------------------------------------------------------------------------------------------ direction

    def _find_direction(self) -> str:
        """What columns of values are called after, and readings where it could be several things."""
        names = [name for name in self.values if name not in self.fixed]
        across = self.options.across.replace("documents", "items")
        if across:
            choose("direction of columns", across, dict.fromkeys(ACROSS))
            self.values = dict.fromkeys(self.values, Of())
            if across == "raters":
                self.values = {name: Of(PEOPLE, rater=name, person=True) for name in self.values}
                return "judges"
            if across == "judges":
                self.values = {name: Of(name) for name in self.values}
            return across
        if (
            self.scores
            or any(of.person for of in self.values.values())
            or not names
            or len(names) < len(self.values)
        ):
            if (
                not (self.ids.keys() & {"system", "item"})
                and "rater" in self.ids
                and not self.scores
                and len(self.values) > 1
                and all(not of.rater for of in self.values.values())
            ):
                return self._ask_items(names)
            return "judges"
        series = len(names) > 1 and _are_series(names)
        telling = [
            name
            for name in names
            if is_machine(name) or is_criterion(name) or is_length(name) or not self.columns[name].numbers
        ]
        models = [name for name in names if _MODEL.search(name)]
        metrics = [name for name in telling if name not in models]
        if self.ids.keys() & {"system"} and "item" not in self.ids:
            if series or all(re.fullmatch(r"[\d.]+", name) for name in names):
                self.values = dict.fromkeys(self.values, Of())
                self.notes.append(
                    f"{self.sheet.name}: columns read as documents: {listing(names)}; if they are judges: --across judges."
                )
                return "items"
            if not self.ids.keys() & {"judge", "rater"}:
                self._ask_leaderboard(names)
            return "judges"
        if (
            "item" in self.ids
            and not self.ids.keys() & {"system", "judge", "rater"}
            and self.systems_across
            and len(names) > 1
            and not metrics
        ):
            self.values = dict.fromkeys(self.values, Of())
            self.notes.append(
                f"{self.sheet.name}: columns read as systems: {listing(names)}; if they are judges: --across judges."
            )
            if not models and not series:
                self.readings |= {
                    "--across systems": f"columns {', '.join(names[:5])} are systems",
                    "--across judges": "they are judges or metrics",
                    "--across raters": "they are people",
                }
            return "systems"
        return "judges"

    def _ask_items(self, names: Sequence[str]) -> str:
        self.readings |= {
            "--across items": f"columns {', '.join(names[:3])} ... are items that each rater of a row rated",
            "--across judges": "they are scores of each row by several criteria",
        }
        return "judges"

    def _ask_leaderboard(self, names: Sequence[str]) -> None:
        """Readings of one row for each system where no column is people's."""
        if self.options.people or self.options.machines or self.sheet.contradicts(self.ids["system"], names):
            return
        ranked = sorted(
            names, key=lambda name: (not {"elo", "arena", "bt", "votes"} & set(tokens(name)), is_length(name))
        )
        for name in ranked[:MAX_READINGS]:
            if not is_length(name) and len(names) > 1:
                self.readings[f"--people {shlex.quote(name)}"] = (
                    f"people's scores are {name!r}, the other columns are judged by them"
                )

    # -------------------------------------------------------------------------------------------- the rest

    def _find_texts(self) -> dict[str, str]:
        """Columns of summaries and sources, where rows are of a system and an item."""
        texts = {name: role for name, role in self.fixed.items() if role in TEXTS}
        if {"system", "item"} <= self.ids.keys():
            for role in ("summary", "source"):
                if role not in texts.values():
                    usual = [
                        name
                        for name in self.columns
                        if place_in(role, name) is not None
                        and (name not in self.why or self.why[name][1] == "a text, by its name")
                    ]
                    held = [
                        name
                        for name in sorted(usual, key=lambda name: place_in(role, name))
                        if self.columns[name].cells.dtype == pl.String and not self.columns[name].numbers
                    ]
                    texts |= {name: role for name in held[:1] if not self.columns[name].labels}
        for name, role in texts.items():
            self._put(name, role, "a text, by its name")
        found = {role: name for name, role in texts.items() if role != "reference"}
        return found if "summary" in found and {"system", "item"} <= self.ids.keys() else {}

    def _note_unused(self) -> None:
        unused = [
            (name, reason)
            for name, (role, reason, _) in self.why.items()
            if role == "ignored" and name not in self.fixed
        ]
        if unused:
            self.notes.append(
                f"{self.sheet.name}: not used: {', '.join(f'{name!r} ({reason})' for name, reason in unused[:MIN_ROWS])}."
            )

    def _explain_rest(self) -> None:
        for name in self._free():
            column = self.columns[name]
            quoted = shlex.quote(name)
            if any(place_in(role, name) is not None for role in TEXTS) or column.text:
                self._put(name, "text", "not used here")
            elif place_in("group", name) is not None or (
                column.categories and not column.numbers and column.n_unique > 1
            ):
                self._put(name, "group", "not used unless asked", f"--by {quoted}")
            elif column.date:
                self._put(name, "ignored", "a time")
            elif column.links:
                self._put(name, "ignored", "links")
            elif place_in("item", name) is not None:
                self._put(name, "ignored", "another id", f"--col item={quoted}")
            elif column.distinct and not column.numbers:
                self._put(name, "ignored", "as many values as rows", f"--col item={quoted}")
            else:
                self._put(name, "ignored", "no score, by name and contents")

    def _describe_lack(self) -> str:
        """Message on a table without scores: what the columns are, and how a column is named one."""
        numeric = [
            name for name, (role, *_) in self.why.items() if role == "ignored" and self.columns[name].numbers
        ]
        unnamed = (
            "; does the first line name the columns?"
            if any(re.fullmatch(r"-?[\d.]+", name) for name in self.columns)
            else ""
        )
        nested = [name for name in self.columns if not self.columns[name].plain_cells]
        few = [name for name in self._categories()]
        way = (
            f"; if {numeric[0]!r} is a score: --col judge={shlex.quote(numeric[0])}, or --col human={shlex.quote(numeric[0])} if people gave it"
            if numeric
            else ""
        )
        if few and not numeric:
            word = sorted(self.columns[few[0]].words)[0]
            way = f"; if {few[0]!r} holds labels, name the word that passes: --col human={shlex.quote(few[0])} --pass {shlex.quote(word)}"
        if nested:
            way += f"; {listing(nested)} hold lists or mappings, which were not read"
        return (
            f"{self.sheet.name}: no column of scores among {listing(self.columns)}{unnamed}{way}. Scores are numbers, labels such as pass and "
            "fail, yes and no, good and bad, or choices such as A, B and tie; give one row per score (columns system, item, judge, score), "
            "or one column per judge"
        )

    def _categories(self) -> list[str]:
        return [
            name
            for name, column in self.columns.items()
            if column.categories
            and 1 < len(column.words) <= 6
            and not column.holds_scores
            and not column.text
        ]


_MODEL = re.compile(
    r"^(system|model|sys)[\W_]*\w{0,3}$|gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|gemma|bart|pegasus|t5|vicuna|falcon|phi-?\d|palm|command-r",
    re.IGNORECASE,
)


def match_criteria(values: Mapping[str, Of], criteria: Iterable[str]) -> dict[str, Of]:
    """Owners of values, judges' criteria told by the names of people's: of gpt4_coherence coherence."""
    keys = {plain(name): name for name in criteria if plain(name)}
    matched = {}
    for column, of in values.items():
        if not of.person and of.name and not of.criterion:
            words = plain(of.name).split("_")
            words = [word for word in words if word not in lexicon().value_words] or words
            for key, name in keys.items():
                part = key.split("_")
                for start in (0, len(words) - len(part)):
                    if start >= 0 and words[start : start + len(part)] == part:
                        of = Of(of.name, criterion=name)
        matched[column] = of
    return matched


def judge_of(name: str, criterion: str) -> str:
    """Name of a judge without the criterion in it, for an answer on this criterion alone."""
    words, part = re.split(r"[\W_]+", name), plain(criterion).split("_")
    lower = [word.lower() for word in words]
    for start in (0, len(words) - len(part)):
        if start >= 0 and lower[start : start + len(part)] == part:
            return "_".join([*words[:start], *words[start + len(part) :]]).strip("_") or name
    return name


def _weak() -> frozenset[str]:
    """Names that are people's only where nothing better is."""
    return frozenset(
        (
            "label",
            "labels",
            "rating",
            "ratings",
            "judgment",
            "judgement",
            "annotation",
            "annotations",
            "manual",
        )
    )


def _counts_rows(column: Column, *, from_any: bool = False) -> bool:
    numbers = (
        column.cells.cast(pl.String)
        .str.strip_chars()
        .replace("", None)
        .cast(pl.Float64, strict=False)
        .drop_nulls()
    )
    rows = pl.int_range(len(numbers), eager=True).cast(pl.Float64)
    first = numbers[0] if from_any and len(numbers) else 0
    return len(numbers) > 0 and (
        numbers.equals(rows + first) or numbers.equals(rows + first + (not from_any))
    )


def _are_series(names: Sequence[str]) -> bool:
    """True for names that only numbers tell apart."""
    return len({re.sub(r"\d+(\.\d+)?", "#", name) for name in names}) == 1 and any(
        re.search(r"\d", name) for name in names
    )


def _tell_kinds(words: Iterable[str]) -> dict[str, bool]:
    """Whether each word is of people, where all words are of people or machines."""
    kinds = {word: not lexicon().people.isdisjoint(tokens(word)) for word in words}
    known = [
        word for word, person in kinds.items() if person or not lexicon().machines.isdisjoint(tokens(word))
    ]
    return kinds if kinds and len(known) == len(kinds) else {}


def kinds_of(words: Iterable[str]) -> dict[str, bool]:
    """Whether each word of a column of kinds is of people."""
    return _tell_kinds(words) or {word: not lexicon().people.isdisjoint(tokens(word)) for word in words}


def _floats(cells: pl.Series) -> pl.Series:
    return (
        cells.cast(pl.Float64, strict=False)
        if cells.dtype != pl.String
        else cells.str.strip_chars().cast(pl.Float64, strict=False)
    )
