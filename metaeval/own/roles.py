"""own.roles: a proposal of what every column of a table is, by its name and its contents, each with a reason.

Nothing here reads a score: `metaeval.own.joining` makes rows of what is proposed. Options of a user win over
the tool that wrote
a file, and both over names and contents; a layout that several readings fit lists them as options to paste.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from metaeval.core.errors import DataError, choose, listing
from metaeval.own.choices import MODELS, find_choices, find_twins
from metaeval.own.contents import Column, label_key
from metaeval.own.sheets import IDS, ROLES, TEXTS, Options, Proposal, Role, Sheet
from metaeval.own.words import (
    PEOPLE,
    SYNONYMS,
    Of,
    are_raters,
    is_criterion,
    is_length,
    is_machine,
    is_metric,
    is_usual,
    kinds_of,
    lexicon,
    people_of,
    place_in,
    plain,
    split_owners,
    tokens,
    why_ignored,
)

ACROSS = ("systems", "items", "raters", "judges")
MAX_READINGS = 3
MIN_ROWS = 10  # from which on a count of the rows is told from scores
MAX_GRADES = 12  # numbers by which people may have scored
MIN_SAME = 5  # rows from which on a column of one value is no judge
MAX_LABELS = 6  # different words of labels that no list knows
_UNNAMED = re.compile(r"\s*|Unnamed: \d.*|__index_level_\d+__|c\d+")
_NUMBERED = re.compile(r"[\d.]+")
_MODEL = re.compile(
    r"^(system|model|sys)[\W_]*\w{0,3}$|gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|gemma|bart|pegasus|t5|vicuna"
    r"|falcon|phi-?\d|palm|command-r",
    re.IGNORECASE,
)  # fmt: skip
_BENCHMARK = re.compile(r"human[ _-]?eval", re.IGNORECASE)  # of a leaderboard tests of code, by nobody
_NAMING = {
    "model",
    "models",
    "system",
    "systems",
    "id",
    "name",
    "version",
    "lang",
    "language",
    "type",
    "dataset",
}
_NESTING = ("lp", "lang", "language", "dataset", "data", "corpus", "collection", "domain")
# names that are people's only where nothing better is
WEAK = frozenset(
    ("label", "labels", "rating", "ratings", "judgment", "judgement", "annotation", "annotations", "manual")
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
    return Reader(sheet, options, pairs, systems_across).proposal()


def format_option(role: str, names: Iterable[str]) -> str:
    """Options that give columns a role."""
    return " ".join(f"--col {role}={shlex.quote(name)}" for name in names)


class Reader:
    """One table on its way to a proposal.

    Attributes
    ----------
    ids, values, notes, readings : as in `Proposal`
    why : mapping, column -> its role, the reason, and an option for another role
    fixed : mapping, column -> role, by the user or the tool
    """

    def __init__(self, sheet: Sheet, options: Options, hint: bool, systems_across: bool):
        self.sheet, self.options, self.hint, self.systems_across = sheet, options, hint, systems_across
        for name in sheet.columns.keys() - {*sheet.table.frame.columns}:  # made at an earlier reading
            del sheet.columns[name]
        self.ids: dict[str, list[str]] = {}
        self.values: dict[str, Of] = {}
        self.why: dict[str, tuple[str, str, str]] = {}
        self.notes: list[str] = []
        self.readings: dict[str, str] = {}
        self.fixed = self._fix()
        self.people: dict[str, Of] = {}
        self.unknown: list[str] = []
        self.scores: list[str] = []
        self.unordered: list[str] = []

    @property
    def columns(self) -> dict[str, Column]:
        """Columns of the table by name."""
        return self.sheet.columns

    def free(self) -> list[str]:
        """Columns without a role."""
        return [name for name in self.columns if name not in self.why]

    def put(self, name: str, role: str, reason: str, other: str = "") -> None:
        """Give a column a role; `other` is one that an option would give it."""
        option = {"": "", "group": f"--by {shlex.quote(name)}"}.get(other, format_option(other, [name]))
        self.why[name] = role, reason, option

    def named(self, role: str) -> list[str]:
        """Free columns with a usual name of a role, the likelier first."""
        places = {name: place for name in self.free() if (place := place_in(role, name)) is not None}
        return sorted(places, key=places.__getitem__)

    def has(self, role: str) -> bool:
        """True if a column has a role of names, or is given one."""
        return role in self.ids or role in self.fixed.values()

    def may_score(self, name: str) -> bool:
        """True for a column of numbers or labels whose name is no id's."""
        ids = ("system", "item", "part", "judge", "rater", "criterion", "run", "group")
        return (
            self.columns[name].holds_scores
            and not why_ignored(name)
            and all(place_in(role, name) is None for role in ids)
        )

    def proposal(self) -> Proposal:
        """Proposal for the table; see `propose`."""
        self._take_fixed()
        self._drop_empty()
        self._find_ids()
        pairs = find_choices(self)
        if not pairs:
            self._find_scores()
        self._find_item(pairs)
        across = "judges"
        if not pairs:
            self._find_owners()
            across = self._find_direction()
        texts = self._find_texts()
        self._explain_rest()
        if not self.values and not texts:
            raise DataError(self._describe_lack())
        roles = []
        for name, column in self.columns.items():
            role, reason, option = self.why[name]
            if name in self.values and across != "judges":
                role, reason, option = across.removesuffix("s"), "scores in a column of its own", ""
            roles.append(Role(name, role, column.describe(), reason, option))
        return Proposal(
            self.sheet, self.ids, self.values, across, pairs, texts, tuple(roles), self.notes, self.readings
        )

    # ------------------------------------------------------------------------------------- what is given

    def _fix(self) -> dict[str, str]:
        """Roles by the user, and by the tool for columns and roles of which the user says nothing."""
        options, fixed = self.options, {}
        for role, names in options.columns.items():
            choose("role of a column", SYNONYMS.get(role, role), dict.fromkeys(ROLES))
            if role != "cluster":  # beside another role, such as a part of the item's name
                fixed |= {name: SYNONYMS.get(role, role) for name in names}
        fixed |= dict.fromkeys(options.people, "human") | dict.fromkeys(options.raters, "rater")
        fixed |= {name: "judge" for name in options.judge_names if name not in fixed} | dict.fromkeys(
            options.ignore, "ignored"
        )
        fixed = {name: role for name, role in fixed.items() if name in self.columns}
        taken = {*fixed.values()} - {"human", "judge", "rater", "group", "ignored"}
        tool = {
            name: role
            for name, role in self.sheet.tool_roles.items()
            if name in self.columns and role not in taken
        }
        return tool | fixed

    def _take_fixed(self) -> None:
        surely = {*self.options.judge_names, *self.options.raters}
        for name, role in self.fixed.items():
            column = self.columns[name]
            reason = (
                ""
                if name in self.options.named or name not in self.sheet.tool_roles
                else "by the tool that wrote the file"
            )
            self.put(name, role, reason)
            if role not in ("ignored", *TEXTS) and not column.plain_cells:
                raise DataError(
                    f"{self.sheet.name}: the column {name!r}, given for {role}, holds {column.describe()}"
                )
            if role in ("judge", "rater") and (name in surely or self._holds_values(name, role)):
                self.values[name] = Of(name) if role == "judge" else Of(PEOPLE, rater=name, person=True)
            elif role in ("human", "choice"):
                self.values[name] = Of(PEOPLE, person=True)
            elif role == "score":
                self.values[name] = Of()
            elif role in IDS:
                self.ids.setdefault(role, []).append(name)
        humans = [name for name, role in self.fixed.items() if role == "human"]
        for name in humans:
            owner = people_of(name) or Of(name, person=True)
            if are_raters(humans) and not self._has_judge_of(name):
                self.values[name] = Of(PEOPLE, rater=name, person=True)
            elif len(humans) > 1:
                self.values[name] = Of(name if owner.name == PEOPLE else owner.name, owner.rater, person=True)
            elif people_of(name) is not None or name in self.options.people:
                self.values[name] = owner

    def _has_judge_of(self, name: str) -> bool:
        """True if a column is a machine's on what another column is called after."""
        return any(is_machine(other) and plain(other).endswith(f"_{plain(name)}") for other in self.columns)

    def sides(self) -> set[str]:
        """Names of the outputs that a table compares, in lower case."""
        twins = find_twins(self.columns)
        models = [
            name for stem, pair in twins.items() if not MODELS.isdisjoint(tokens(stem)) for name in pair
        ]
        names = [name for name in models if not self.columns[name].holds_scores]
        for role in ("first", "second"):
            tool_roles = [name for name, fixed in self.fixed.items() if fixed == role]
            names += self.ids.get(role) or tool_roles or self.named(role)[:1]
        cells = [self.columns[name].cells.unique().drop_nulls()[:5_000] for name in names]
        return {str(cell).strip().lower() for column in cells for cell in column}

    def _holds_values(self, name: str, role: str) -> bool:
        """True for a column given for a judge or rater that holds what they gave, and not their names."""
        column, roles = self.columns[name], {*self.fixed.values()}
        compared = bool(column.lower.keys() & self.sides())
        alone = "score" not in roles and (
            "choice" not in roles or column.choices or column.numbers or compared
        )
        return (
            (column.holds_scores or column.choices or compared)
            and alone
            and not (role == "rater" and self._are_numbers_of_raters(name))
        )

    def _are_numbers_of_raters(self, name: str) -> bool:
        """True for numbers that come again, while other columns hold scores."""
        column = self.columns[name]
        return (
            column.whole
            and column.categories
            and any(other != name and self.may_score(other) for other in self.columns)
        )

    # ----------------------------------------------------------------------------------------------- ids

    def _drop_empty(self) -> None:
        for name in self.free():
            column = self.columns[name]
            unnamed = _UNNAMED.fullmatch(name)
            if not column.plain_cells:
                self.put(name, "ignored", f"holds {column.describe()}")
            elif not column.words:
                self.put(name, "ignored", "empty")
            elif (
                column.numbers
                and (unnamed or plain(name) in lexicon().numbers_of_rows)
                and _counts_rows(column)
            ):
                self.put(name, "ignored", "counts the rows")
            elif column.numbers and unnamed:
                self.put(name, "ignored", "numbers without a name", "judge")

    def _fits(self, role: str, name: str, has_score: bool) -> bool:
        """True if the contents of a column with a usual name are such as the role has."""
        column = self.columns[name]
        numeric = column.numbers or column.labels
        choices = [
            *self.named("choice"),
            *(other for other, tool_roles in self.fixed.items() if tool_roles == "choice"),
        ]
        chooses = column.choices and (
            not choices or bool(self.columns[choices[0]].lower.keys() & column.lower.keys())
        )
        has_score = has_score or bool(choices)
        strong = place_in(role, name) == 0 or (
            role == "system" and place_in(role, name) <= place_in(role, "models")
        )
        if (column.long if strong else column.text) or (column.date and role != "run"):
            return False
        match role:
            case "first" | "second":
                return not column.numbers or bool(self.named("choice"))
            case "system":  # under a name that is a system's only at times names come again
                return place_in(role, name) <= place_in(role, "models") or (column.categories and not numeric)
            case "judge":
                return not chooses and (has_score or not (numeric or column.out_of))
            case "rater":
                counts = column.whole and name.lower().endswith("s") and len(column.words) < MIN_ROWS
                letters = len(column.lower) > 2 and all(
                    word.isalpha() and len(word) == 1 for word in column.lower
                )
                beside = letters and any(
                    self.columns[one].numbers and self.may_score(one) for one in self.free()
                )
                return not counts and (
                    has_score
                    or beside
                    or not (chooses or (numeric and not self._are_numbers_of_raters(name)))
                )
            case "kind":
                return kinds_of(column.lower, all_known=True) != {}
            case "run":
                return column.whole or column.categories
            case "criterion":
                return not numeric and not column.text and column.n_unique > 1
        return not numeric

    def _find_ids(self) -> None:
        """Columns of names: systems, judges, raters, criteria, runs; other contents are left."""
        has_score = self.has("score") or any(self.columns[name].holds_scores for name in self.named("score"))
        for role in ("first", "second", "system", "judge", "rater", "criterion", "kind", "run"):
            if not self.has(role) and (
                names := [name for name in self.named(role) if self._fits(role, name, has_score)]
            ):
                self.ids[role] = names[:1]
                self.put(names[0], role, "by its name")
        if ("first" in self.ids) != ("second" in self.ids):
            for name in [*self.ids.pop("first", []), *self.ids.pop("second", [])]:
                self.why.pop(name, None)
        if not self.has("rater"):
            for name in [
                name for name in self.free() if self.columns[name].mails and self.columns[name].n_unique > 1
            ][:1]:
                self.ids["rater"] = [name]
                self.put(name, "rater", "addresses of people")
        if not self.has("judge"):
            for name in [name for name in self.free() if self._mixes_owners(name)][:1]:
                self.ids["judge"] = [name]
                self.put(name, "judge", "names of people and of machines")
        for role in ("system", "judge", "rater", "criterion"):
            for name in self.named(role) if role in self.ids else ():
                if (
                    self.columns[name].categories
                    and not self.columns[name].holds_scores
                    and not is_usual(name, "item", "group")
                ):
                    self.put(name, "ignored", f"{self.ids[role][0]!r} is the {role}", role)

    def _mixes_owners(self, name: str) -> bool:
        """True for names of which some are people's and some machines'."""
        column = self.columns[name]
        if (
            not column.categories
            or column.holds_scores
            or column.choices
            or len(column.words) > 200
            or is_usual(name, "group")
        ):
            return False
        people, _ = split_owners(column.words)
        return bool(people) and any(is_machine(word) for word in column.words if word not in people)

    # -------------------------------------------------------------------------------------------- scores

    def _find_scores(self) -> None:
        """Columns of values by their names: scores, people's, unknown; ids, times and costs are none."""
        self.people = {name: of for name, of in self.values.items() if of.person}
        self.unknown = [name for name, of in self.values.items() if not of.person and of.name]
        self.scores = [name for name, role in self.fixed.items() if role == "score"]
        has_people = "human" in self.fixed.values()
        free = [name for name in self.free() if self._holds_scores(name)]
        strong = [name for name in free if people_of(name) and plain(name) not in WEAK]
        for name in free:
            column, of = self.columns[name], people_of(name)
            if _BENCHMARK.match(name) and not self.named("item") and not self.has("item"):
                of = None
            place = place_in("system", name)
            reserved = (
                is_usual(name, "item", "part", "run", "group")
                or self._numbers_items(name)
                or (place is not None and place <= place_in("system", "models"))
            )
            if is_usual(name, "score") and not self.scores:
                self.scores.append(name)
                self.put(name, "score", "by its name")
            elif reserved:
                continue
            elif plain(name) in lexicon().reasons and why_ignored(name) == "a count":
                self.put(name, "ignored", "a count", "judge")
            elif self._is_constant(name) and (self.values or any(not self._is_constant(one) for one in free)):
                self.put(name, "ignored", "the same in every row", "judge")
            elif of is not None and has_people and of.name == PEOPLE and not of.rater:
                self.put(name, "ignored", "people's scores are another column", "human")
            elif of is not None and not (plain(name) in WEAK and strong):
                self.people[name] = of
                self.put(name, "human", "by its name")
            elif self._is_partly_labels(name) and any(
                not self._is_partly_labels(other) for other in free if other != name
            ):
                self.put(name, "ignored", "words of which some are no labels", "judge")
            elif reason := self._why_no_score(name):
                self.put(name, "ignored", reason, "judge")
            else:
                self.unknown.append(name)
                why = (
                    f"beside {strong[0]!r}, which is people's"
                    if of
                    else "a metric, by its name"
                    if is_metric(name)
                    else ""
                )
                self.put(name, "judge", why or ("numbers" if column.numbers else "labels"))
        texts = [name for name in self.unknown if is_usual(name, *TEXTS) and name not in self.fixed]
        for name in texts if self.people or len(texts) < len(self.unknown) else ():
            if len(self.unknown) > 1 or not is_machine(name):
                self.unknown.remove(name)
                self.put(name, "ignored", "a text, by its name", "judge")
        self._ask_order()

    def _holds_scores(self, name: str) -> bool:
        """True for scores or labels, also words that the user says pass, or that only a user can order."""
        column = self.columns[name]
        if column.holds_scores or {word.lower() for word in self.options.passes} & column.lower.keys():
            return True
        named = people_of(name) is not None or is_machine(name) or is_usual(name, "judge", "score")
        named = named and _NAMING.isdisjoint(tokens(name)[-2:])
        few = 1 < len(column.lower) <= MAX_LABELS and 2 * len(column.lower) <= len(column.cells)
        if (
            not (named and few and column.categories)
            or column.text
            or column.date
            or column.choices
            or column.out_of
        ):
            return False
        self.unordered.append(name)
        return True

    def _is_partly_labels(self, name: str) -> bool:
        """True for words of nobody that judges, of which some are labels and others are not."""
        column = self.columns[name]
        if (
            not column.labels
            or column.numbers
            or column.scale
            or is_machine(name)
            or column.cells.dtype != pl.String
        ):
            return False
        return (
            any(label_key(word) not in lexicon().labels for word in column.lower) and not self.options.passes
        )

    def _ask_order(self) -> None:
        """Readings of words that no list knows as labels: one of them passes, which every such column has."""
        columns = [
            self.columns[name] for name in self.unordered if name in self.people or name in self.unknown
        ]
        common = set.intersection(*(set(column.lower) for column in columns)) if columns else set()
        for word in (
            sorted(word for word in columns[0].words if word.lower() in common)[:MAX_READINGS]
            if columns
            else ()
        ):
            names = ", ".join(repr(column.name) for column in columns)
            self.readings[f"--pass {shlex.quote(word)}"] = f"{word!r} in {names} passes, all other words fail"

    def _is_constant(self, name: str) -> bool:
        """True where many rows hold one value, under a name of nobody that judges."""
        column = self.columns[name]
        named = is_metric(name) or is_criterion(name) or (people_of(name) and not column.labels)
        return (
            self.sheet.height >= MIN_SAME
            and len(column.words) == 1
            and (column.values or column.labels)
            and not named
        )

    def _why_no_score(self, name: str) -> str:
        column = self.columns[name]
        sure = is_machine(name) or is_criterion(name) or is_length(name) or self.sheet.height < MIN_ROWS
        counts = not sure and column.whole and column.distinct and _counts_rows(column, from_any=True)
        return why_ignored(name) or ("counts the rows" if counts else "")

    # --------------------------------------------------------------------------------------------- items

    def _find_item(self, pairs: bool) -> None:
        """Column of the item, or several that make it: as many as tell contradicting rows apart."""
        if not self.has("system") and not pairs:
            self._find_system()
        if self.has("item"):
            if not self.options.columns.get("item") and (items := self.ids.get("item")):
                self._nest(items)
            return
        columns, sheet = self.columns, self.sheet
        owners = [name for role, names in self.ids.items() if role != "kind" for name in names]
        values = [*self.values] if pairs else [*self.people, *self.unknown, *self.scores]
        usual = self.named("item") or [
            name
            for name in self.free()
            if tokens(name)[-1:] in (("id",), ("idx",)) or self._numbers_items(name)
        ]
        if self.ids.keys() & {"system", "rater", "judge"}:  # an item has several rows
            usual.sort(key=lambda name: columns[name].distinct)
        single = [name for name in usual if columns[name].n_unique <= 1]
        usual.sort(key=lambda name: columns[name].text)
        usual = [
            name
            for name in usual
            if name not in single or place_in("item", name) <= place_in("item", "documents")
        ]
        if systems := self.ids.get("system"):  # which all answer a prompt, each under an id of its own
            again = {name for name in usual if self._comes_again(name, systems, values)}
            usual.sort(key=lambda name: columns[name].distinct and bool(again - {name}))
        usual.sort(key=single.__contains__)
        chosen = usual[:1] or self._item_by_contents(owners, values)
        if not chosen:
            chosen = self._item_of_parts(owners)
        elif values and sheet.contradicts([*owners, *chosen], values):
            more = self._other_part([*owners, *chosen], values, chosen[0], usual[1:])
            weak = (place_in("item", chosen[0]) or 0) >= place_in("item", "query")
            chosen = (
                chosen + more if more or owners or not weak else []
            )  # a question asked of several outputs
        if not chosen:
            return
        self._nest(chosen)
        self.ids["item"] = chosen
        self.unknown = [name for name in self.unknown if name not in chosen]
        together = " and ".join(map(repr, chosen))
        reason = "by its name" if chosen[0] in usual else "its values come again for every system"
        for name in chosen:
            self.put(name, "item", reason if len(chosen) == 1 else f"{together} together name a row's item")
        for name in usual:
            if name not in chosen and not columns[name].text:
                self.put(name, "ignored", f"{together} is the item", "item")

    def _numbers_items(self, name: str) -> bool:
        """True for many whole numbers, or codes, under one word that ends with id."""
        column = self.columns[name]
        return (
            bool(re.fullmatch(r"[a-z]+id", plain(name)))
            and column.n_unique > MAX_GRADES
            and (column.whole or (not column.numbers and not column.text))
        )

    def _comes_again(self, name: str, systems: Sequence[str], values: Sequence[str]) -> bool:
        """True if all systems have a row of nearly each value."""
        n_cells = self.columns[name].n_unique * self.columns[systems[0]].n_unique
        return (
            1 < self.columns[name].n_unique < self.sheet.height
            and self.sheet.count(*systems, name) >= 0.8 * n_cells
            and not self.sheet.contradicts([*systems, name], values)
        )

    def _other_part(
        self, ids: Sequence[str], values: Sequence[str], base: str, usual: Sequence[str]
    ) -> list[str]:
        """A further column without which rows of one item contradict each other."""
        if self.options.mean:
            return []
        others = [
            *self.named("part"),
            *self.named("group"),
            *(name for name in usual if not self.columns[name].distinct),
        ]
        for name in dict.fromkeys(others):
            if (
                name == base
                or self.columns[name].n_unique < 2
                or self.sheet.contradicts([*ids, name], values)
            ):
                continue
            if "turn" in tokens(name) and not self.options.by:
                quoted = shlex.quote(name)
                self.readings |= {
                    format_option("item", [base, name]): f"{base} and {name} together are an item",
                    f"--by {quoted}": f"one answer for each {name}",
                    f"--ignore {quoted} --mean": f"the mean over {name}",
                }
            self.notes.append(f"{self.sheet.name}: {base!r} and {name!r} together are the item.")
            return [name]
        return []

    def _nest(self, chosen: list[str]) -> None:
        """Add a language, or data set, with systems of its own, in which numbers of items start anew."""
        systems = self.ids.get("system", [])
        names = [name for name in self.columns if is_usual(name, "group") and tokens(name)[0] in _NESTING]
        names = [
            name for name in names if self.why.get(name, ("group",))[0] == "group" and name not in chosen
        ]
        for name in names if len(systems) == len(chosen) == 1 else ():
            groups, count = self.columns[name].n_unique, self.sheet.count
            nested = count(*systems, name) == count(*systems) >= 2 * groups > 2
            if nested and count(*chosen) < count(*chosen, name):
                self.notes.append(
                    f"{self.sheet.name}: items of different {name} are different, though they are called "
                    "alike."
                )
                chosen.append(name)
                self.put(name, "item", "has systems and items of its own")
                return

    def _item_by_contents(self, owners: Sequence[str], values: Sequence[str]) -> list[str]:
        """A column whose values come again for every system."""
        if not self.ids.get("system") or not self.sheet.contradicts(owners, values):
            return []
        n_systems = self.columns[self.ids["system"][0]].n_unique
        fitting = []
        for name in self.free():
            column = self.columns[name]
            if (
                column.cells.dtype != pl.String
                or column.date
                or column.holds_scores
                or not 1 < column.n_unique < len(column.cells)
            ):
                continue
            often = self.sheet.count(*owners, name) >= 0.5 * column.n_unique * n_systems
            if often and not self.sheet.contradicts([*owners, name], values):
                fitting.append(name)
        return sorted(fitting, key=lambda name: self.columns[name].text)[:1]

    def _item_of_parts(self, owners: Sequence[str]) -> list[str]:
        """A column of names that come again, with turns or steps beside it: one row for both together."""
        names = [
            name
            for name in (*self.free(), *self.unknown)
            if self.columns[name].categories and not self.columns[name].labels
        ]
        for part in self.named("part"):
            for name in names:
                column = self.columns[name]
                grades = column.numbers and (not column.whole or column.n_unique <= 7)
                if name != part and not grades and self.sheet.count(*owners, name, part) == self.sheet.height:
                    return [name, part]
        return []

    def _find_system(self) -> None:
        """Names in a column of a table with a row for each system, as a leaderboard's."""
        if (
            self.has("item")
            or "rater" in self.ids
            or any(not self.columns[name].text for name in self.named("item"))
        ):
            return
        for name in self.free() if self.people or self.unknown or self.scores else ():
            column = self.columns[name]
            named = _UNNAMED.fullmatch(name) or "name" in tokens(name)
            if (
                named
                and column.cells.dtype == pl.String
                and column.distinct
                and not column.text
                and not column.links
            ):
                self.ids["system"] = [name]
                self.put(name, "system", "a name for each row")
                return

    # -------------------------------------------------------------------------------------------- owners

    def _find_owners(self) -> None:
        """Owner of each column of values: a judge, people by criterion, or whom another column names."""
        rows = self.ids.keys() & {"judge", "rater", "criterion", "kind"}
        people, unknown, scores = self.people, self.unknown, self.scores
        metrics = [
            name for name in self.ids.get("judge", []) if "metric" in tokens(name) and name not in self.fixed
        ]
        if metrics and people and unknown and not scores and all(map(is_machine, unknown)):
            self.ids["criterion"] = self.ids.pop("judge")  # judges and people have columns of their own
            self.put(metrics[0], "criterion", "what every column scores, by its name")
            rows = rows - {"judge"} | {"criterion"}
        across = (
            bool(unknown) and not people and "item" not in self.ids and all(map(_NUMBERED.fullmatch, unknown))
        )
        usual = [name for name in people if plain(name) in WEAK and name not in self.fixed]
        if not scores and not across:
            if (
                rows & {"judge", "rater"}
                and len(people) == 1
                and (usual or self.ids.keys() >= {"judge", "rater"})
            ):
                scores.append(people.popitem()[0])
                self.put(scores[0], "score", "by its name")
            elif "judge" in rows and len(unknown) == 1 and unknown[0] not in self.fixed:
                scores.append(unknown.pop())
                self.put(scores[0], "score", "the only scores")
        elif (
            "judge" in rows and not across
        ):  # the score is the judge's of the row, and what is beside it is not
            for name in [name for name in unknown if name not in self.fixed]:
                unknown.remove(name)
                self.put(name, "ignored", f"{scores[0]!r} is the judge's score", "score")
        if "rater" in rows and "judge" not in rows:
            self._part_raters()
        self.values = {}
        if scores:
            self.values[scores[0]] = (
                Of(PEOPLE, person=True) if "rater" in rows and "judge" not in rows else Of()
            )
        self._ask_experts()
        self.values |= people
        by_judge = "judge" in rows and len(unknown) > 1 and not scores and not across
        for name in unknown:
            self.values[name] = Of(criterion=name) if by_judge else Of(name)
            if by_judge:
                self.put(name, "criterion", "scores of the judge in its row")
        self.values = match_criteria(
            self.values, {of.name for of in self.values.values() if of.person and of.name != PEOPLE}
        )
        self._ask_owners(rows)

    def _part_raters(self) -> None:
        """Columns are raters' where those of one item differ, and a judge's where they never do."""
        ids = [name for role in ("system", "item", "criterion", "run") for name in self.ids.get(role, [])]
        repeated = self.sheet.count(*ids) < self.sheet.height
        bare = not repeated and not self.people and not self.scores
        theirs = [
            name for name in self.unknown
            if name not in self.fixed and not is_metric(name) and not is_machine(name)
            and (
                self.sheet.contradicts(ids, [name])
                or (bare and (is_criterion(name) or len(self.unknown) == 1))
            )
        ]  # fmt: skip
        alone = not self.scores and not self.people
        for name in theirs if alone or repeated else ():
            self.unknown.remove(name)
            if alone:
                self.put(
                    name,
                    "human",
                    "differs among raters of one item" if repeated else "beside a column of raters",
                )
            else:
                self.put(name, "ignored", "differs among raters of one item", "human")
        if alone:
            self.people |= {name: Of(PEOPLE if len(theirs) == 1 else name, person=True) for name in theirs}

    def _ask_experts(self) -> None:
        """Readings of experts beside a crowd."""
        sides = {
            kind: [name for name, of in self.people.items() if of.kind == kind]
            for kind in ("expert", "crowd")
        }
        if not all(sides.values()) or self.fixed.keys() & self.people.keys():
            return
        for kind, other in (("expert", "crowd"), ("crowd", "expert")):
            gone = " ".join(f"--ignore {shlex.quote(name)}" for name in sides[other])
            self.readings[f"{format_option('human', sides[kind])} {gone}"] = f"the {kind}s alone are people"
        both = f"{format_option('human', sides['expert'])} {format_option('judge', sides['crowd'])}"
        self.readings[both] = "the crowd is judged by the experts"
        for name in sides["crowd"]:
            of = self.people[name]
            self.people[name] = replace(of, name=f"crowd {of.name}".removesuffix(f" {PEOPLE}"))

    def _ask_owners(self, rows: Iterable[str]) -> None:
        """Readings where nothing says whose bare criteria are, or whether 1 and 2 are grades or choices."""
        people = [name for name, of in self.values.items() if of.person]
        if not rows:
            self._ask_whose_model(people)
        if rows or self.scores or self.values.keys() & self.fixed.keys():
            return
        alone = [
            name
            for name, of in self.values.items()
            if of == Of(PEOPLE, person=True, kind=of.kind) and of.kind != "together"
        ]
        if (
            len(alone) > 1
            and self.columns.keys()
            and any(not self.columns[name].cells.equals(self.columns[alone[0]].cells) for name in alone[1:])
        ):
            for name in alone[:MAX_READINGS]:
                self.readings[format_option("human", [name])] = (
                    f"{name} is people's, and not {', '.join(o for o in alone if o != name)}"
                )
        coded = len(self.values) > 1 and all(self.columns[name].values == (1, 2) for name in self.values)
        if coded and "system" not in self.ids:
            name = (people or [*self.values])[0]
            self.readings[format_option("choice", [name])] = (
                "1 and 2 are choices of the first and the second of two outputs"
            )
            self.readings[format_option("human", [name])] = "1 and 2 are grades, 2 the better"
        bare = [
            name
            for name in self.values
            if is_criterion(name) and not is_metric(name) and not is_machine(name)
        ]
        others = [name for name in self.values if name not in bare and not is_length(name)]
        if not people and bare and others and all(map(is_machine, others)):
            self.readings[format_option("human", bare)] = f"people scored {', '.join(bare)}"
            self.readings[format_option("judge", bare)] = (
                "all columns are judges', and people's scores are in another file"
            )

    def _ask_whose_model(self, people: Sequence[str]) -> None:
        """Readings of a column of models to which people's scores are alike: they may be the judges."""
        (system, *_), items = self.ids.get("system", [""]), self.ids.get("item", [])
        others = [name for name in self.values if name not in people]
        if (
            not people
            or not items
            or len(others) != 1
            or "model" not in tokens(system)
            or system in self.fixed
        ):
            return
        if not self.sheet.contradicts(items, people) and self.sheet.contradicts(items, others):
            self.readings[format_option("judge", [system])] = f"each {system} is a judge of the same items"
            self.readings[format_option("system", [system])] = f"each {system} is a system that was scored"

    # ----------------------------------------------------------------------------------------- direction

    def _find_direction(self) -> str:
        """Find out what columns of values are called after; readings where it could be several things."""
        names = [name for name in self.values if name not in self.fixed]
        if across := self.options.across.replace("documents", "items"):
            choose("direction of columns", across, dict.fromkeys(ACROSS))
            owners = {"raters": lambda name: Of(PEOPLE, rater=name, person=True), "judges": Of}
            self.values = {name: owners.get(across, lambda _: Of())(name) for name in self.values}
            return across if across in ("systems", "items") else "judges"
        roles = {role for role in ("system", "item", "judge", "rater") if role in self.ids}
        if (
            not (roles & {"system", "item"})
            and "rater" in roles
            and not self.scores
            and len(names) > 1
            and not any(of.rater for of in self.values.values())
        ):
            self.readings |= {
                "--across items": f"columns {', '.join(names[:3])} ... are items that the rater of a row "
                "rated",
                "--across judges": "they are scores of each row by several criteria",
            }
        if (
            self.scores
            or not names
            or len(names) < len(self.values)
            or any(of.person for of in self.values.values())
        ):
            return "judges"
        series = len(names) > 1 and len({re.sub(r"\d+(\.\d+)?", "#", name) for name in names}) == 1
        telling = [
            name
            for name in names
            if is_machine(name) or is_criterion(name) or is_length(name) or not self.columns[name].numbers
        ]
        metrics = [name for name in telling if not _MODEL.search(name)]
        if "system" in roles and "item" not in roles:
            if series or all(map(_NUMBERED.fullmatch, names)):
                return self._call_after("items", names)
        elif "judge" in roles <= {"item", "judge"} and (series or all(map(_MODEL.search, names))):
            groups = [name for name in self.named("group") if self.columns[name].distinct]
            if "item" not in roles and groups:
                self.ids["item"] = groups[:1]
                self.put(groups[0], "item", "one row for each")
            return self._call_after("systems", names)
        elif roles == {"item"} and self.systems_across and len(names) > 1 and not metrics:
            if not all(map(_MODEL.search, names)):
                self.readings["--across systems"] = f"columns {', '.join(names[:5])} are systems"
                item = self.ids["item"][0]
                if series:
                    self.readings[format_option("system", [item])] = (
                        f"{item} names systems, and the columns are items"
                    )
                self._ask_raters(names)
            return self._call_after("systems", names)
        elif (
            any(map(is_machine, names))
            and len({value for name in names for value in self.columns[name].values}) <= MAX_GRADES
        ):
            self._ask_raters(names)
        return "judges"

    def _ask_raters(self, names: Sequence[str]) -> None:
        """Readings of columns that are called after nothing that is known, as after people."""
        others = [
            name for name in names if not is_machine(name) and not is_criterion(name) and not is_length(name)
        ]
        twins = {
            judged
            for judged in others
            for name in names
            if is_machine(name) and plain(name).endswith(f"_{plain(judged)}")
        }
        if others and twins == {*others}:  # judge_tone beside tone
            self.readings[format_option("human", others)] = (
                f"{', '.join(others[:5])} {'are' if len(others) > 1 else 'is'} people's"
            )
            self.readings["--across judges"] = "all columns are judges or metrics, without people's scores"
        elif others:
            whole, several = len(others) == len(names), len(others) > 1
            option = (
                "--across raters"
                if whole
                else f"--{'rater' if several else 'people'} {' '.join(map(shlex.quote, others))}"
            )
            self.readings[option] = f"{', '.join(others[:5])} {'are people' if several else 'is of people'}"
            self.readings["--across judges"] = "all columns are judges or metrics, without people's scores"

    def _call_after(self, across: str, names: Sequence[str]) -> str:
        self.values = dict.fromkeys(self.values, Of())
        self.notes.append(
            f"{self.sheet.name}: columns read as {across}: {listing(names)}; if they are judges: --across "
            "judges."
        )
        return across

    # ------------------------------------------------------------------------------------------ the rest

    def _find_texts(self) -> dict[str, str]:
        """Columns of summaries and sources, where rows are of a system and an item."""
        texts = {role: name for name, role in self.fixed.items() if role in TEXTS}
        for role in ("summary", "source") if self.ids.keys() >= {"system", "item"} else ():
            for name in sorted(self.columns, key=lambda name: place_in(role, name) or 0):
                column, free = (
                    self.columns[name],
                    self.why.get(name, ("", "a text, by its name", ""))[1] == "a text, by its name",
                )
                if (
                    is_usual(name, role)
                    and free
                    and column.cells.dtype == pl.String
                    and not column.numbers
                    and not column.labels
                ):
                    texts.setdefault(role, name)
        for role, name in texts.items():
            self.put(name, role, "a text, by its name")
        usable = "summary" in texts and self.ids.keys() >= {"system", "item"}
        return {role: name for role, name in texts.items() if role != "reference"} if usable else {}

    def _explain_rest(self) -> None:
        """Give every other column a role, and say which are not used though they hold numbers or ids."""
        for name in self.columns.keys() & self.options.columns.get("cluster", ()):
            if self.why.get(name, ("ignored",))[0] == "ignored":
                self.put(name, "cluster", "")
        for name in self.free():
            column = self.columns[name]
            if is_usual(name, *TEXTS) or column.text:
                self.put(name, "text", "not used here")
            elif is_usual(name, "group") or (
                column.categories and not column.numbers and column.n_unique > 1
            ):
                self.put(name, "group", "not used unless asked", "group")
            elif column.date or column.links:
                self.put(name, "ignored", "a time" if column.date else "links")
            elif is_usual(name, "item") or (column.distinct and not column.numbers):
                self.put(
                    name,
                    "ignored",
                    "another id" if is_usual(name, "item") else "as many values as rows",
                    "item",
                )
            else:
                self.put(name, "ignored", "no score, by name and contents")
        unused = [
            (name, reason)
            for name, (role, reason, _) in self.why.items()
            if role == "ignored" and name not in self.fixed
        ]
        if unused:
            words = ", ".join(f"{name!r} ({reason})" for name, reason in unused[:MIN_ROWS])
            self.notes.append(f"{self.sheet.name}: not used: {words}.")

    def _describe_lack(self) -> str:
        """Message on a table without scores: what the columns are, and how a column is named one."""
        columns, way = self.columns, ""
        numeric = [
            name for name, (role, *_) in self.why.items() if role == "ignored" and columns[name].numbers
        ]
        few = [
            name
            for name, column in columns.items()
            if column.categories and 1 < len(column.words) <= MAX_LABELS and not column.text
        ]
        nested = [name for name, column in columns.items() if not column.plain_cells]
        if numeric:
            judge, people = format_option("judge", numeric[:1]), format_option("human", numeric[:1])
            way = f"; if {numeric[0]!r} is a score: {judge}, or {people} if people gave it"
        elif few:
            word = shlex.quote(min(columns[few[0]].words))
            people = format_option("human", few[:1])
            way = f"; if {few[0]!r} holds labels, name the word that passes: {people} --pass {word}"
        if nested:
            way += f"; {listing(nested)} hold lists or mappings, which were not read"
        unnamed = (
            "; does the first line name the columns?"
            if any(re.fullmatch(r"-?[\d.]+", name) for name in columns)
            else ""
        )
        return (
            f"{self.sheet.name}: no column of scores among {listing(columns)}{unnamed}{way}. Scores are "
            "numbers, labels such as pass and "
            "fail, yes and no, good and bad, or choices such as A, B and tie; give one row per score "
            "(columns system, item, judge, score), "
            "or one column per judge"
        )


def _counts_rows(column: Column, *, from_any: bool = False) -> bool:
    """True for 0, 1, 2 ... or 1, 2, 3 ..., or whole numbers from any on."""
    numbers = (
        column.cells.cast(pl.String)
        .str.strip_chars()
        .replace("", None)
        .cast(pl.Float64, strict=False)
        .drop_nulls()
    )
    rows = pl.int_range(len(numbers), eager=True).cast(pl.Float64)
    starts = [numbers[0]] if from_any and len(numbers) else [0, 1]
    return len(numbers) > 0 and any(numbers.equals(rows + start) for start in starts)


def _position(name: str, criterion: str) -> tuple[list[str], int, int] | None:
    """Words of a judge's name, and place and number of those at an end that are the criterion."""
    words, part = [word for word in re.split(r"[\W_]+", name) if word], plain(criterion).split("_")
    for start in (0, len(words) - len(part)):
        if start >= 0 and [word.lower() for word in words[start : start + len(part)]] == part:
            return words, start, len(part)
    return None


def match_criteria(values: Mapping[str, Of], criteria: Iterable[str]) -> dict[str, Of]:
    """Owners of values, judges' criteria told by the names of people's: of gpt4_coherence coherence."""
    matched = dict(values)
    for column, of in values.items():
        if not of.person and of.name and not of.criterion:
            bare = (
                "_".join(word for word in plain(of.name).split("_") if word not in lexicon().value_words)
                or of.name
            )
            for criterion in criteria:
                if plain(criterion) and _position(bare, criterion):
                    matched[column] = replace(of, criterion=criterion)
    return matched


def judge_of(name: str, criterion: str) -> str:
    """Name of a judge without the criterion at an end of it, for an answer on this criterion alone."""
    position = _position(name, criterion)
    if position is None:
        return name
    words, start, n = position
    return "_".join([*words[:start], *words[start + n :]]) or name
