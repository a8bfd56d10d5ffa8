"""own.roles: a proposal of what every column of a table is, by its name and its contents, each with a reason.

Options of a user win over the tool that wrote a file, and both over the rules of `metaeval.own.rules`. Here
is what takes several columns: which of them make an item, whose scores are, what columns are called after.
Where several readings fit, they are options to paste. No score is read: `metaeval.own.joining` makes rows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

import polars as pl

from metaeval.core.errors import DataError, choose, listing
from metaeval.own import readings, rules
from metaeval.own.choices import find_choices, find_twins
from metaeval.own.contents import Column
from metaeval.own.readings import format_option
from metaeval.own.sheets import IDS, ROLES, TEXTS, Options, Proposal, Role, Sheet
from metaeval.own.words import (
    ANYBODY,
    PEOPLE,
    SYNONYMS,
    Of,
    are_raters,
    by_rater,
    is_machine,
    is_model,
    is_usual,
    lexicon,
    match_criteria,
    people_of,
    place_in,
    plain,
    tokens,
)

ACROSS = ("systems", "items", "raters", "judges")
_NUMBERED = re.compile(r"[\d.]+")
PLACE = "place in its run"  # name of an item without another one
BY_TOOL = "by the tool that wrote the file"


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


def note_unused(sheet: Sheet, roles: Iterable[Role]) -> list[str]:
    """Sentence on columns that are not used, but for those that a user or a tool leaves out."""
    reasons = {one.column: one.reason for one in roles if one.role == "ignored"}
    words = [f"{name!r} ({reason})" for name, reason in reasons.items() if reason not in ("", BY_TOOL)]
    return [f"{sheet.name}: not used: {', '.join(words[: rules.MIN_ROWS])}."] if words else []


class Reader:
    """One table on its way to a proposal.

    Attributes
    ----------
    ids, values, notes, readings : as in `Proposal`
    why : mapping, column -> its role, the reason, and an option for another role
    fixed : mapping, column -> role, by the user or the tool
    people : mapping, column of people's -> its owner
    unknown, scores : columns of values that are called after nobody known, and that other columns own
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
        self.candidates: list[Column] = []

    @property
    def columns(self) -> dict[str, Column]:
        """Columns of the table by name."""
        return self.sheet.columns

    @property
    def held(self) -> set[str]:
        """Roles that columns have so far."""
        return {role for role, *_ in self.why.values()}

    def free(self) -> list[str]:
        """Columns without a role."""
        return [name for name in self.columns if name not in self.why]

    def put(self, name: str, role: str, reason: str, other: str = "") -> None:
        """Give a column a role; `other` is one that an option would give it."""
        option = {"": "", "group": f"--by {shlex.quote(name)}"}.get(other, format_option(other, [name]))
        self.why[name] = role, reason, option

    def apply(self, table: Sequence[rules.Rule], names: Iterable[str]) -> None:
        """Give each column the role of the first rule that fits."""
        for name in names:
            for role, reason, fits, other in table:
                if fit := fits(self, self.columns[name]):
                    if role:
                        self.put(name, role, reason.format(fit), other)
                    break

    def ask(self, role: str, names: Iterable[str], meaning: str, *, without: Iterable[str] = ()) -> None:
        """Add a reading by which columns have a role, and others are ignored."""
        gone = "".join(f" --ignore {shlex.quote(name)}" for name in without)
        self.readings[format_option(role, names) + gone] = meaning

    def named(self, role: str) -> list[str]:
        """Free columns with a usual name of a role, the likelier first."""
        places = {name: place for name in self.free() if (place := place_in(role, name)) is not None}
        return sorted(places, key=places.__getitem__)

    def has(self, role: str) -> bool:
        """True if a column has a role of names, or is given one."""
        return role in self.ids or role in self.fixed.values()

    def groups(self, name: str) -> bool:
        """True for a column that the user gives for clusters or groups."""
        return name == self.options.by or name in self.options.columns.get("cluster", ())

    def may_score(self, name: str) -> bool:
        """True for a column of numbers or labels whose name is no id's."""
        column = self.columns[name]
        ids = ("system", "item", "part", "judge", "rater", "criterion", "run", "group")
        return column.holds_scores and not (column.excuse or column.usual(*ids) or self.groups(name))

    def proposal(self) -> Proposal:
        """Proposal for the table; see `propose`."""
        self._take_fixed()
        self.apply(rules.EMPTY, self.free())
        self._find_ids()
        across, pairs = "judges", find_choices(self)
        if not pairs:
            self._find_scores()
        self._find_item(pairs)
        if not pairs:
            self._find_owners()
            across = self._find_direction()
        readings.ask_alike(self)
        texts = self._find_texts()
        self.apply(rules.REST, self.free())
        if not self.values and not texts:
            readings.ask_unnamed(self)
            readings.ask_words(self)
            raise DataError(readings.describe_lack(self))
        for name in self.columns.keys() & self.options.columns.get("cluster", ()):
            if self.why[name][0] in ("ignored", "group"):
                self.put(name, "cluster", "")
        if across != "judges":
            reason = "scores in a column of its own"
            self.why |= dict.fromkeys(self.values, (across.removesuffix("s"), reason, ""))
        roles = tuple(
            Role(name, role, column.describe(), reason, option)
            for name, column in self.columns.items()
            for role, reason, option in [self.why[name]]
        )
        notes = [*self.notes, *note_unused(self.sheet, roles)]
        return Proposal(self.sheet, self.ids, self.values, across, pairs, texts, roles, notes, self.readings)

    # ------------------------------------------------------------------------------------- what is given

    def _fix(self) -> dict[str, str]:
        """Roles by the user, and by the tool for columns and roles of which the user says nothing."""
        options, fixed = self.options, {}
        for role, names in options.columns.items():
            choose("role of a column", SYNONYMS.get(role, role), dict.fromkeys(ROLES))
            if role != "cluster":  # beside another role, such as a part of the item's name
                fixed |= dict.fromkeys(names, SYNONYMS.get(role, role))
        fixed |= dict.fromkeys(options.people, "human") | dict.fromkeys(options.raters, "rater")
        fixed = dict.fromkeys(options.judge_names, "judge") | fixed | dict.fromkeys(options.ignore, "ignored")
        roles = {role for name, role in fixed.items() if name in self.columns}
        roles -= {"human", "judge", "rater", "group", "ignored"}
        tool = {name: role for name, role in self.sheet.tool_roles.items() if role not in roles}
        return {name: role for name, role in (tool | fixed).items() if name in self.columns}

    def _take_fixed(self) -> None:
        surely = {*self.options.judge_names, *self.options.raters}
        humans = [name for name, role in self.fixed.items() if role == "human"]
        for name, role in self.fixed.items():
            column = self.columns[name]
            is_tools = name in self.sheet.tool_roles and name not in self.options.named
            self.put(name, role, BY_TOOL if is_tools else "")
            if role not in ("ignored", *TEXTS) and not column.plain_cells:
                raise DataError(
                    f"{self.sheet.name}: the column {name!r}, given for {role}, holds {column.describe()}"
                )
            if role in ("judge", "rater") and (name in surely or self._holds_values(column, role)):
                self.values[name] = Of(name) if role == "judge" else by_rater(name)
            elif role in ("human", "choice", "score"):
                self.values[name] = Of() if role == "score" else ANYBODY
            elif role in IDS:
                self.ids.setdefault(role, []).append(name)
        for name in humans:
            owner = people_of(name) or Of(name, person=True)
            if are_raters(humans) and not self._has_judge_of(name):
                self.values[name] = by_rater(name)
            elif len(humans) > 1:
                self.values[name] = Of(name if owner.name == PEOPLE else owner.name, owner.rater, person=True)
            elif people_of(name) is not None or name in self.options.people:
                self.values[name] = owner

    def _has_judge_of(self, name: str) -> bool:
        """True if a column is a machine's on what another column is called after."""
        return any(c.machine and c.plain.endswith(f"_{plain(name)}") for c in self.columns.values())

    def sides(self) -> set[str]:
        """Names of the outputs that a table compares, in lower case."""
        names = [
            name
            for stem, pair in find_twins(self.columns).items()
            for name in pair
            if not lexicon().models.isdisjoint(tokens(stem)) and not self.columns[name].holds_scores
        ]
        for role in ("first", "second"):
            columns = [name for name, fixed in self.fixed.items() if fixed == role]
            names += self.ids.get(role) or columns or self.named(role)[:1]
        cells = [self.columns[name].cells.unique().drop_nulls()[:5_000] for name in names]
        return {str(cell).strip().lower() for column in cells for cell in column}

    def _holds_values(self, column: Column, role: str) -> bool:
        """True for a column given for a judge or rater that holds what they gave, and not their names."""
        compared = bool(column.lower.keys() & self.sides()) or {*column.lower} <= {"a", "b", "c"}
        alone = [*self.fixed.values()].count("rater") == 1
        names = "score" in self.fixed.values() and (column.whole or not column.numbers)
        if names or (role == "rater" and alone and rules.numbers_raters(self, column)):
            return False
        if "choice" in self.fixed.values() and not (column.choices or column.numbers or compared):
            return False
        return column.holds_scores or column.choices or compared

    # ----------------------------------------------------------------------------------------------- ids

    def _fits(self, role: str, column: Column) -> bool:
        """True if the contents of a column with a usual name are such as the role has."""
        strong = column.place(role) == 0 or (role == "system" and rules.names_systems(self, column))
        if (column.long if strong else column.text) or (column.date and role != "run"):
            return False
        return bool(rules.FITTING[role](self, column))

    def _find_ids(self) -> None:
        """Columns of names: systems, judges, raters, criteria, runs; other contents are left."""
        for role in rules.FITTING:
            names = [] if self.has(role) else self.named(role)
            for name in [name for name in names if self._fits(role, self.columns[name])][:1]:
                self.ids[role] = [name]
                self.put(name, role, "by its name")
        if ("first" in self.ids) != ("second" in self.ids):
            for name in [*self.ids.pop("first", []), *self.ids.pop("second", [])]:
                self.why.pop(name, None)
        for rule in rules.NAMING:
            fitting = [name for name in self.free() if rule.fits(self, self.columns[name])]
            for name in sorted(fitting, key=lambda name: self.columns[name].n_unique)[:1]:
                self.ids[rule.role] = [name]
                self.put(name, rule.role, rule.reason)
        for role in [role for role in ("system", "judge", "rater", "criterion") if role in self.ids]:
            for name in self.named(role):
                column = self.columns[name]
                if column.categories and not column.holds_scores and not column.usual("item", "group"):
                    self.put(name, "ignored", f"{self.ids[role][0]!r} is the {role}", role)

    # -------------------------------------------------------------------------------------------- scores

    def _find_scores(self) -> None:
        """Columns of values by their names: scores, people's, unknown; ids, times and costs are none."""
        self.people = {name: of for name, of in self.values.items() if of.person}
        self.unknown = [name for name, of in self.values.items() if not of.person and of.name]
        self.candidates = [self.columns[name] for name in self.free()]
        unordered = [column for column in self.candidates if self._unordered(column)]
        self.candidates = [c for c in self.candidates if c in unordered or self._holds_scores(c)]
        for column in self.candidates:
            self.apply(rules.SCORES, [column.name])
        roles = {column.name: self.why.get(column.name, [""])[0] for column in self.candidates}
        self.scores = [name for name, role in (self.fixed | roles).items() if role == "score"]
        humans = [name for name, role in roles.items() if role == "human"]
        self.people |= {name: rules.owner_of(self, self.columns[name]) for name in humans}
        self.unknown += [name for name, role in roles.items() if role == "judge"]
        texts = [name for name in self.unknown if is_usual(name, *TEXTS) and name not in self.fixed]
        for name in texts if self.people or len(texts) < len(self.unknown) else ():
            if len(self.unknown) > 1 or not is_machine(name):
                self.unknown.remove(name)
                self.put(name, "ignored", "a text, by its name", "judge")
        readings.ask_order(self, [c for c in unordered if c.name in self.people or c.name in self.unknown])

    def _passes(self, column: Column) -> bool:
        return not column.lower.keys().isdisjoint(word.lower() for word in self.options.passes)

    def _holds_scores(self, column: Column) -> bool:
        return column.holds_scores or self._passes(column)

    def _unordered(self, column: Column) -> bool:
        """True for few words under a name of values, which only a user can order."""
        if self._holds_scores(column) or column.text or column.date or column.choices or column.out_of:
            return False
        if any(word[0] in "[{" for word in column.words):
            return False
        owned = column.people is not None or column.machine or column.usual("judge", "score")
        few = 1 < len(column.lower) <= readings.MAX_LABELS and 2 * len(column.lower) <= len(column.cells)
        return owned and few and column.categories and lexicon().naming.isdisjoint(column.tokens[-2:])

    # --------------------------------------------------------------------------------------------- items

    def _find_item(self, pairs: bool) -> None:
        """Column of the item, or several that make it: as many as tell contradicting rows apart."""
        if not self.has("system") and not pairs:
            self._find_system()
        if self.has("item"):
            if not self.options.columns.get("item") and (items := self.ids.get("item")):
                self._nest(items)
            return
        owners = [name for role, names in self.ids.items() if role != "kind" for name in names]
        values = [*self.values] if pairs else [*self.people, *self.unknown, *self.scores]
        usual = self._usual_items(values)
        chosen = usual[:1] or self._item_by_contents(owners, values)
        if not chosen:
            chosen = self._item_of_parts(owners) or self._item_of_runs(owners, values)
        elif values and self._clash([*owners, *chosen], values):
            more = self._other_part([*owners, *chosen], values, chosen[0], usual[1:])
            distinct = [name for name in usual if self.columns[name].distinct]
            if pairs and distinct and not more:  # a vote for each row
                chosen = distinct[:1]
            # a question asked of several outputs is no item
            weak = (place_in("item", chosen[0]) or 0) >= place_in("item", "query")
            chosen = chosen + more if more or owners or not weak else []
        if not chosen:
            return
        self._nest(chosen)
        self.ids["item"] = chosen
        self.unknown = [name for name in self.unknown if name not in chosen]
        together = " and ".join(map(repr, chosen))
        again = f"its values come again for every {'run' if 'run' in self.ids else 'system'}"
        reason = "by its name" if chosen[0] in usual else again
        for name in chosen:
            self.put(name, "item", reason if len(chosen) == 1 else f"{together} together name a row's item")
        for name in usual:
            if name not in chosen and not self.columns[name].text:
                self.put(name, "ignored", f"{together} is the item", "item")

    def _clash(self, ids: Sequence[str], values: Sequence[str]) -> bool:
        """True if rows of one item contradict each other; a judge's choices also across raters."""
        raters = self.ids.get("rater", [])
        owned = {name: of for name, of in self.values.items() if name in values and not of.person}
        judged = [name for name, of in owned.items() if of.name]
        alone = [name for name in ids if name not in raters]
        return self.sheet.contradicts(ids, values) or bool(
            raters and judged and self.sheet.contradicts(alone, judged)
        )

    def _usual_items(self, values: Sequence[str]) -> list[str]:
        """Columns that may be called after items, the likelier first."""
        usual = [self.columns[name] for name in self.named("item")]
        usual = usual or [
            column
            for column in map(self.columns.get, self.free())
            if column.tokens[-1:] in (("id",), ("idx",)) or rules.numbers_items(self, column)
        ]
        sure = place_in("item", "documents")
        usual = [
            c for c in usual if c.n_unique > 1 or ((place := c.place("item")) is not None and place <= sure)
        ]
        systems = self.ids.get("system", [])
        again = {c for c in usual if systems and self._comes_again(c, systems, values)}
        several = bool(self.ids.keys() & {"system", "rater", "judge"})  # rows of an item

        def doubts(column: Column) -> tuple[bool, ...]:
            own = bool(systems) and column.distinct and bool(again - {column})  # an id for each answer
            return column.n_unique <= 1, own, column.text, several and column.distinct

        return [column.name for column in sorted(usual, key=doubts)]

    def _comes_again(self, column: Column, systems: Sequence[str], values: Sequence[str]) -> bool:
        """True if all systems have a row of nearly each value."""
        n_cells = column.n_unique * self.columns[systems[0]].n_unique
        return (
            1 < column.n_unique < self.sheet.height
            and self.sheet.count(*systems, column.name) >= 0.8 * n_cells
            and not self.sheet.contradicts([*systems, column.name], values)
        )

    def _other_part(
        self, ids: Sequence[str], values: Sequence[str], base: str, usual: Sequence[str]
    ) -> list[str]:
        """A further column without which rows of one item contradict each other."""
        others = [*self.named("part"), *self.named("group")]
        others += [name for name in usual if not self.columns[name].distinct]
        for name in dict.fromkeys(others) if not self.options.mean else ():
            column = self.columns[name]
            if name == base or column.n_unique < 2 or self.sheet.contradicts([*ids, name], values):
                continue
            is_name = column.distinct and self.columns[base].n_unique > 1  # no number within an item
            if "turn" in column.tokens and not is_name and not self.options.by:
                self.ask("item", [base, name], f"{base} and {name} together are an item")
                self.readings[f"--by {shlex.quote(name)}"] = f"one answer for each {name}"
                self.readings[f"--ignore {shlex.quote(name)} --mean"] = f"the mean over {name}"
            self.notes.append(f"{self.sheet.name}: {base!r} and {name!r} together are the item.")
            return [name]
        return []

    def _nest(self, chosen: list[str]) -> None:
        """Add a language, or data set, with systems of its own, in which numbers of items start anew."""
        systems, count = self.ids.get("system", []), self.sheet.count
        for name, column in self.columns.items() if len(systems) == len(chosen) == 1 else ():
            open_role = self.why.get(name, ("group",))[0] == "group" and name not in chosen
            if not open_role or not column.usual("group") or column.tokens[0] not in lexicon().nesting:
                continue
            nested = count(*systems, name) == count(*systems) >= 2 * column.n_unique > 2
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
        fitting = [
            column
            for column in map(self.columns.get, self.free())
            if column.cells.dtype == pl.String
            and not (column.date or column.holds_scores)
            and 1 < column.n_unique < len(column.cells)
            and self.sheet.count(*owners, column.name) >= 0.5 * column.n_unique * n_systems
            and not self.sheet.contradicts([*owners, column.name], values)
        ]
        return [column.name for column in sorted(fitting, key=lambda column: column.text)[:1]]

    def _item_of_runs(self, owners: Sequence[str], values: Sequence[str]) -> list[str]:
        """A column that comes once in each run; else a row's place in its run, if people say the same."""
        runs = self.ids.get("run", [])
        for name in self.free() if runs else ():
            once = self.sheet.count(*runs, name) == self.sheet.height > self.columns[name].n_unique
            if once and name not in values:
                return [name]
        if not (runs and self.people):
            return []
        keys = self.sheet.keys(owners).alias("owner").to_frame()
        place = keys.select((pl.int_range(pl.len()).over("owner") + 1).cast(pl.String)).to_series()
        self.columns[PLACE] = column = Column(PLACE, place)
        is_whole = column.n_unique * keys.n_unique() == self.sheet.height > column.n_unique > 1
        has_grades = any(self.columns[name].n_unique > 1 for name in self.people)
        is_sorted = any(_sorted_within(keys, self.columns[name]) for name in self.people)
        if is_whole and has_grades and not is_sorted and not self.sheet.contradicts([PLACE], self.people):
            of = "the first rows of all runs are one item, the second another, and so on"
            self.notes.append(f"{self.sheet.name}: {of}; people say the same of them.")
            return [PLACE]
        del self.columns[PLACE]
        return []

    def _item_of_parts(self, owners: Sequence[str]) -> list[str]:
        """A column of names that come again, with turns or steps beside it: one row for both together."""
        alone = owners == self.ids.get("system") and self.columns[owners[0]].distinct
        for part in self.named("part") if not alone else ():
            for column in map(self.columns.get, (*self.free(), *self.unknown)):
                grades = column.numbers and (not column.whole or column.n_unique <= 7)
                if column.name == part or not column.categories or column.labels or grades:
                    continue
                if self.sheet.count(*owners, column.name, part) == self.sheet.height:
                    return [column.name, part]
        return []

    def _find_system(self) -> None:
        """Names in a column of a table with a row for each system, as a leaderboard's."""
        items = any(not self.columns[name].text for name in self.named("item"))
        if (
            items
            or self.has("item")
            or "rater" in self.ids
            or not (self.people or self.unknown or self.scores)
        ):
            return
        for column in map(self.columns.get, self.free()):
            called = rules.is_unnamed(column) or "name" in column.tokens
            texts = column.cells.dtype != pl.String or column.text or column.links
            if called and column.distinct and not texts:
                self.ids["system"] = [column.name]
                self.put(column.name, "system", "a name for each row")
                return

    # -------------------------------------------------------------------------------------------- owners

    def _find_owners(self) -> None:
        """Owner of each column of values: a judge, people by criterion, or whom another column names."""
        people, unknown, scores = self.people, self.unknown, self.scores
        open_judges = [name for name in self.ids.get("judge", []) if name not in self.fixed]
        metrics = [name for name in open_judges if "metric" in tokens(name)]
        if metrics and people and unknown and not scores and all(map(is_machine, unknown)):
            self.ids["criterion"] = self.ids.pop("judge")  # judges and people have columns of their own
            self.put(metrics[0], "criterion", "what every column scores, by its name")
        rows = self.ids.keys() & {"judge", "rater", "criterion", "kind"}
        flags = [name for name in unknown if rules.is_flag(self.columns[name]) and name not in self.fixed]
        if self.ids.keys() == {"system"} and self.columns[self.ids["system"][0]].distinct:
            for name in flags if len(flags) < len(unknown) else ():
                unknown.remove(name)
                self.put(name, "ignored", "a flag", "judge")
        has_judge, has_rater_alone = "judge" in rows, "rater" in rows and "judge" not in rows
        numbered = bool(unknown) and all(map(_NUMBERED.fullmatch, unknown))
        across = numbered and not people and "item" not in self.ids
        weak = any(plain(name) in lexicon().weak and name not in self.fixed for name in people)
        both = rows >= {"judge", "rater"}
        if across:
            pass
        elif scores and has_judge:  # the score is the judge's of the row, and what is beside it is not
            for name in [name for name in unknown if name not in self.fixed]:
                unknown.remove(name)
                self.put(name, "ignored", f"{scores[0]!r} is the judge's score", "score")
        elif not scores and len(people) == 1 and (both or (weak and rows & {"judge", "rater"})):
            scores.append(people.popitem()[0])
            self.put(scores[0], "score", "by its name")
        elif not scores and has_judge and len(unknown) == 1 and unknown[0] not in self.fixed:
            scores.append(unknown.pop())
            self.put(scores[0], "score", "the only scores")
        if has_rater_alone:
            self._part_raters()
        readings.ask_experts(self)
        owners = {scores[0]: ANYBODY if has_rater_alone else Of()} if scores else {}
        owners |= people
        for name in unknown:
            owners[name] = Of(name)
            if has_judge and len(unknown) > 1 and not scores and not across:
                owners[name] = Of(criterion=name)
                self.put(name, "criterion", "scores of the judge in its row")
        criteria = {of.name for of in owners.values() if of.person and of.name != PEOPLE}
        self.values = match_criteria(owners, criteria)
        if not rows:
            readings.ask_whose_model(self)
            if not scores and not self.values.keys() & self.fixed.keys():
                readings.ask_owners(self)

    def _part_raters(self) -> None:
        """Columns are raters' where those of one item differ, and a judge's where they never do."""
        ids = [name for role in ("system", "item", "criterion", "run") for name in self.ids.get(role, [])]
        repeated = self.sheet.count(*ids) < self.sheet.height
        alone = not self.people and not self.scores
        if not alone and not repeated:
            return
        open_columns = [self.columns[name] for name in self.unknown if name not in self.fixed]
        theirs = [
            c.name
            for c in open_columns
            if c.criterion or not (c.metric or c.machine)
            if (
                self.sheet.contradicts(ids, [c.name])
                or (alone and not repeated and (c.criterion or len(self.unknown) == 1))
            )
        ]  # fmt: skip
        reason = "differs among raters of one item" if repeated else "beside a column of raters"
        if theirs and repeated and not self.scores and not self.sheet.contradicts(ids, self.people):
            for name in [name for name in self.people if name not in self.fixed]:  # nobody's own
                del self.people[name]
                self.put(name, "ignored", "the same for all raters of an item", "human")
            alone = not self.people
        for name in theirs:
            self.unknown.remove(name)
            self.put(name, "human" if alone else "ignored", reason, "" if alone else "human")
        if alone:
            self.people |= {name: Of(PEOPLE if len(theirs) == 1 else name, person=True) for name in theirs}

    # ----------------------------------------------------------------------------------------- direction

    def _find_direction(self) -> str:
        """Find out what columns of values are called after; readings where it could be several things."""
        if across := self.options.across.replace("documents", "items"):
            choose("direction of columns", across, dict.fromkeys(ACROSS))
            owners = {"raters": by_rater, "judges": Of}
            self.values = {name: owners.get(across, lambda _: Of())(name) for name in self.values}
            return across if across in ("systems", "items") else "judges"
        names = [name for name in self.values if name not in self.fixed]
        columns = [self.columns[name] for name in names]
        roles = self.ids.keys() & {"system", "item", "judge", "rater"}
        owned = len(names) < len(self.values) or any(of.person for of in self.values.values())
        anonymous = not self.scores and not any(of.rater for of in self.values.values())
        if {"rater"} <= roles <= {"rater", "judge"} and len(names) > 1 and anonymous:
            first = f"columns {', '.join(names[:3])} ... are items that the rater of a row rated"
            self.readings["--across items"] = first
            self.readings["--across judges"] = "they are scores of each row by several criteria"
        if self.scores or not names or owned:
            return "judges"
        series = len(names) > 1 and len({re.sub(r"\d+(\.\d+)?", "#", name) for name in names}) == 1
        models = all(map(is_model, names))
        metrics = any((c.telling or not c.numbers) and not is_model(c.name) for c in columns)
        if "system" in roles and "item" not in roles:
            if series or all(map(_NUMBERED.fullmatch, names)):
                return self._call_after("items", names)
        elif "judge" in roles <= {"item", "judge"} and (series or models):
            groups = [name for name in self.named("group") if self.columns[name].distinct]
            for name in groups[:1] if "item" not in roles else ():
                self.ids["item"] = [name]
                self.put(name, "item", "one row for each")
            return self._call_after("systems", names)
        elif roles == {"item"} and self.systems_across and len(names) > 1 and not metrics:
            if not models:
                self.readings["--across systems"] = f"columns {', '.join(names[:5])} are systems"
                item = self.ids["item"][0]
                if series:
                    self.ask("system", [item], f"{item} names systems, and the columns are items")
                people = [c.name for c in columns if not c.telling]
                option = f"--rater {' '.join(map(shlex.quote, people))}"
                option = "--across raters" if len(people) == len(names) else option
                self.readings |= {option: f"columns {', '.join(people[:5])} are people"} if people else {}
                self.readings["--across judges"] = "they are judges, and people's scores are in another file"
            return self._call_after("systems", names)
        return "judges"

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
        usable = self.ids.keys() >= {"system", "item"}
        for role in ("summary", "source") if usable else ():
            fitting = [
                (column.place(role), name)
                for name, column in self.columns.items()
                if column.usual(role) and column.cells.dtype == pl.String and not column.graded
                and (name not in self.why or self.why[name][1] == "a text, by its name")
            ]  # fmt: skip
            if fitting:
                texts.setdefault(role, min(fitting, key=lambda one: one[0])[1])
        for role, name in texts.items():
            self.put(name, role, "a text, by its name")
        usable = usable and "summary" in texts
        return {role: name for role, name in texts.items() if role != "reference"} if usable else {}


def _sorted_within(keys: pl.DataFrame, column: Column) -> bool:
    """True if values that differ never fall, or never rise, from row to row of each owner."""
    texts = column.cells.cast(pl.String).str.strip_chars()
    numbers = texts.cast(pl.Float64, strict=False)
    values = texts.rank("dense").cast(pl.Float64) if numbers.null_count() > texts.null_count() else numbers
    steps = keys.with_columns(value=values).select(pl.col("value").diff().over("owner")).to_series()
    steps = steps.drop_nulls()
    return column.n_unique > 1 and bool((steps >= 0).all() or (steps <= 0).all())
