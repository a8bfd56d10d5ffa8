"""own.readings: readings of a table that its columns leave open, as options to paste, and what it lacks.

Each function looks at a `metaeval.own.roles.Reader` whose columns have their roles, and adds the options by
which a user says which of several readings is meant.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.core.errors import OpenQuestion, listing
from metaeval.own import rules
from metaeval.own.contents import Column
from metaeval.own.words import (
    ANYBODY,
    PEOPLE,
    are_raters,
    is_length,
    is_machine,
    is_metric,
    is_model,
    lexicon,
    plain,
    tokens,
)

if TYPE_CHECKING:
    from metaeval.own.roles import Reader
    from metaeval.own.sheets import Proposal

MAX_READINGS = 3
_PERHAPS = ("a flag", "about a judgment")  # reasons of columns that may be a judge's after all
MAX_LABELS = 6  # different words of labels that no list knows
MIN_TIMES = 10  # that a system or rater comes among rows


def format_option(role: str, names: Iterable[str]) -> str:
    """Options that give columns a role."""
    return " ".join(f"--col {role}={shlex.quote(name)}" for name in names)


def ask_order(reader: Reader, columns: Sequence[Column]) -> None:
    """Readings of words that no list knows as labels: one of them passes, which every such column has."""
    common = set.intersection(*(set(column.lower) for column in columns)) if columns else set()
    words = [word for word in order_words(columns[0]) if word.lower() in common] if columns else []
    names = ", ".join(repr(column.name) for column in columns)
    for word in words[:MAX_READINGS]:
        reader.readings[f"--pass {shlex.quote(word)}"] = f"{word!r} in {names} passes, all other words fail"


def ask_experts(reader: Reader) -> None:
    """Readings of experts beside a crowd."""
    experts, crowd = (
        [name for name, of in reader.people.items() if of.kind == kind] for kind in ("expert", "crowd")
    )
    if not experts or not crowd or reader.fixed.keys() & reader.people.keys():
        return
    reader.ask("human", experts, "the experts alone are people", without=crowd)
    reader.ask("human", crowd, "the crowds alone are people", without=experts)
    both = f"{format_option('human', experts)} {format_option('judge', crowd)}"
    reader.readings[both] = "the crowd is judged by the experts"
    for name in crowd:
        of = reader.people[name]
        reader.people[name] = replace(of, name=f"crowd {of.name}".removesuffix(f" {PEOPLE}"))


def ask_owners(reader: Reader) -> None:
    """Readings where nothing says whose bare criteria are, or whether 1 and 2 are grades or choices."""
    people = [name for name, of in reader.values.items() if of.person]
    alone = [name for name in people if replace(reader.values[name], kind="") == ANYBODY]
    single = [name for name in alone if reader.values[name].kind != "together"]
    cells = [reader.columns[name].cells for name in single]
    differ = any(not one.equals(cells[0]) for one in cells)
    alone = alone if single and _contradict(reader, alone) else single
    if differ or len(alone) > len(single):
        for name in alone[:MAX_READINGS]:
            others = ", ".join(other for other in alone if other != name)
            reader.ask("human", [name], f"{name} is people's, and not {others}")
    coded = len(reader.values) > 1 and all(reader.columns[name].values == (1, 2) for name in reader.values)
    if coded and "system" not in reader.ids:
        name = (people or [*reader.values])[0]
        reader.ask("choice", [name], "1 and 2 are choices of the first and the second of two outputs")
        reader.ask("human", [name], "1 and 2 are grades, 2 the better")
    values = [reader.columns[name] for name in reader.values]
    flags = [name for name in people if rules.is_flag(reader.columns[name])]
    marks = [c.name for c in values if c.name not in people and c.values == (0, 1) and not c.machine]
    if people and people == flags and marks:
        if len(marks) > 1:
            reader.ask("human", marks, f"{', '.join(marks)} are people's", without=flags)
        for name in marks[: MAX_READINGS - len(marks[:2])]:
            others = [other for other in marks if other != name]
            reader.ask("human", [name], f"{name} is people's", without=[*flags, *others])
        both = f"{format_option('human', flags)} {format_option('judge', marks)}"
        reader.readings[both] = f"{', '.join(flags)} is people's, and {', '.join(marks)} a judge's"


def ask_alike(reader: Reader) -> None:
    """Readings of columns that are a judge's only because columns like them are said to be people's.

    Nothing says that people gave one and a judge the other of what is called, or graded, in the same way.
    """
    people = [reader.columns[name] for name, of in reader.values.items() if of.person]
    fixed = {*reader.options.judge_names, *(n for n, role in reader.fixed.items() if role == "judge")}
    likeness = {
        name: max(
            (_liken(one, reader.columns[name], rater=bool(reader.values[one.name].rater)) for one in people),
            default=0,
        )
        for name, of in reader.values.items()
        if of.name and not (of.person or of.criterion or name in fixed or is_length(name))
    }
    is_given = any(one.name in reader.fixed for one in people)
    # beside one the same grades are a judge's too
    has_sure_judge = any(is_sure_judge(name) for name in likeness)
    names = [name for name, degree in likeness.items() if degree > (has_sure_judge and not is_given)]
    if reader.readings or not names:
        return
    listed, series = ", ".join(names), any(reader.values[one.name].rater for one in people)
    roles = {"rater" if series else "human": f"{listed}: people's, as {people[0].name}"}
    roles["judge"] = f"{listed}: a judge's"
    for role in roles if max(likeness.values()) > 1 else reversed(roles):
        reader.ask(role, names, roles[role])
    reader.readings[" ".join(f"--ignore {shlex.quote(name)}" for name in names)] = f"{listed}: not used"


def _liken(person: Column, other: Column, *, rater: bool) -> int:
    """2 for a column that is called like one of people's, 1 for one that is graded like it, else 0.

    Beside raters, who are named one by one, the same grades alone say nothing.
    """
    code = len(person.name) <= 2 >= len(other.name) and other.grades  # of what people mark, such as S3
    if (is_sure_judge(other.name) and not code) or other.plain == person.plain:
        return 0
    if other.criterion and other.grades and person.grades:
        return 2
    if person.people is not None and not person.weak:  # the other is not called after people
        return 0
    words = {*person.tokens} & {*other.tokens} - lexicon().value_words
    same_end = bool(words) and person.tokens[-1] == other.tokens[-1]
    if same_end or words - lexicon().voted or are_raters([person.name, other.name]):
        return 2
    same_scale = person.grades and other.grades and {*person.lower} == {*other.lower}
    return int(same_scale and (not rater or code))


def _contradict(reader: Reader, names: Sequence[str]) -> bool:
    """True if a row has other values in one column than in another, where both have one."""
    texts = [reader.columns[name].texts.replace("", None) for name in names]
    return any((one != other).any() for one, other in itertools.combinations(texts, 2))


def ask_whose_model(reader: Reader) -> None:
    """Readings of a column of models to which people's scores are alike: they may be the judges."""
    (system, *_), items = reader.ids.get("system", [""]), reader.ids.get("item", [])
    people = [name for name, of in reader.values.items() if of.person]
    others = [name for name in reader.values if name not in people]
    unclear = (
        people and items and len(others) == 1 and "model" in tokens(system) and system not in reader.fixed
    )
    if unclear and not reader.sheet.contradicts(items, people) and reader.sheet.contradicts(items, others):
        reader.ask("judge", [system], f"each {system} is a judge of the same items")
        reader.ask("system", [system], f"each {system} is a system that was scored")


def propose_side(
    proposals: Sequence[Proposal], people: Collection[str], judges: Collection[str]
) -> dict[str, str]:
    """Options by which scores are of the side, people or judges, that none is of, the likelier first.

    Columns of people are called alike, are criteria or votes, or are graded beside a machine's; each alone
    may be theirs, but for metrics and models. A judge's may be a column that is not used.
    """
    if judges and not people:
        return _propose_people(proposals, judges)
    roles = [
        (one, role)
        for one in proposals
        for role in one.roles
        if role.option.startswith("--col judge=") and role.reason in _PERHAPS
    ]
    flags = (
        [role for one, role in roles if one.sheet.columns[role.column].n_unique > 1]
        if people and not judges
        else []
    )
    return {role.option: f"{role.column} is a judge's" for role in flags[:MAX_READINGS]}


def _propose_people(proposals: Sequence[Proposal], judges: Iterable[str]) -> dict[str, str]:
    """Options by which some scores are people's."""
    columns = {
        name: one.sheet.columns[name]
        for one in proposals if one.across == "judges"
        for name, of in one.values.items() if of.name or not one.ids.get("judge")
    }  # fmt: skip
    times = Counter(name for one in proposals for name in one.values)
    files = [
        one.sheet.stem
        for one in proposals
        if not is_model(one.sheet.stem)  # whose outputs are in the file
        and (one.across != "judges" or any(times[name] > 1 for name in one.values))
    ]
    likeness = {name: _likeness(name, column) for name, column in columns.items() if times[name] == 1}
    likeness |= dict.fromkeys(judges if any("judge" in one.ids for one in proposals) else (), 0.0)
    likely = [name for name in likeness if not (is_length(name) or is_sure_judge(name))]
    likely.sort(key=lambda name: (-likeness[name], "hard" in tokens(name)))
    own = [name for name in likely if name in columns]
    vote_names = [name for name in own if {*tokens(name)} & lexicon().voted and "hard" not in tokens(name)]
    twins = [
        name
        for name in own
        if any(c.machine and c.plain.endswith(f"_{plain(name)}") for c in columns.values())
    ]
    grade_names = [name for name in own if columns[name].grades]
    ends = Counter(tokens(name)[-1:] for name in grade_names)
    labels = [name for name in grade_names if 1 < ends[tokens(name)[-1:]] == max(ends.values())]
    criteria = [name for name in own if columns[name].criterion]
    votes = vote_names if len({tokens(name)[-1] for name in vote_names}) == 1 else []
    groups = [twins, votes, criteria, labels]
    persons = [name for name in grade_names if name.istitle() and len(grade_names) < len(columns)]
    raters = [] if vote_names or len(persons) < len(grade_names) else persons
    raters = grade_names if are_raters(grade_names) else raters
    group = next((of for of in groups if len(of) > 1), [])
    ways = {f"--people {shlex.quote(name)}": f"people gave {name}" for name in files}
    if len(raters) > 1 and not (criteria or twins):
        ways[f"--rater {' '.join(map(shlex.quote, raters))}"] = f"{', '.join(raters)} are people"
    elif not group and len(grade_names) > 2 and not vote_names:
        group = [name for name in columns if columns[name].grades and not is_model(name)]
    if group:
        ways[format_option("human", group)] = f"people scored {', '.join(group)}"
    for name in likely:
        others = [other for other in group if other != name and name in group]
        ignored = "".join(f" --ignore {shlex.quote(other)}" for other in others)
        ways[f"--people {shlex.quote(name)}{ignored}"] = f"people gave {name}"
    return ways


def is_sure_judge(name: str) -> bool:
    """True for the name of a metric, or of a machine that is no score by votes."""
    return (is_metric(name) or is_machine(name)) and lexicon().voted.isdisjoint(tokens(name))


def _likeness(name: str, column: Column) -> float:
    """Number of reasons, of name and contents, for which a column is people's."""
    words = {*tokens(name)}
    usual = column.usual("score", "human") or not lexicon().averages.isdisjoint(words)
    fractions = column.numbers and column.values and column.values[0] >= 0 and column.values[-1] <= 1
    voted = not lexicon().voted.isdisjoint(words)
    return 3 * voted + 2 * (usual + column.criterion + column.grades) - bool(fractions)


def ask_unnamed(reader: Reader) -> None:
    """Raise with readings of columns without names, by what they hold."""
    filled = [column for column in reader.columns.values() if column.words]
    names = [c for c in filled if (c.categories or c.distinct) and not (c.graded or c.text)]
    names.sort(key=lambda column: column.n_unique)
    scores = [c for c in filled if c.numbers and 1 < c.n_unique < reader.sheet.height]
    if not names or not scores or not all(map(rules.is_unnamed, reader.columns.values())):
        return
    owners = [c for c in names[:-1] if c.n_unique <= reader.sheet.height / MIN_TIMES][:2]
    ids = [(role, c.name) for role, c in zip(("system", "rater"), owners, strict=False)]
    ids += [("item", c.name) for c in names if c not in owners]
    base = " ".join(format_option(role, [name]) for role, name in ids)
    columns = [c.name for c in scores]
    readings = {f"{base} {format_option('human', columns)}": "people gave the numbers"}
    grades = {value for c in scores for value in c.values}
    if len(columns) > 1 and len(grades) <= rules.MAX_GRADES and all(c.whole for c in scores):
        readings = {f"{base} --rater {' '.join(columns)}": "a rater gave each column of numbers"}
    if len(columns) == 1:
        role = "score" if "rater" in dict(ids) else "judge"
        readings[f"{base.replace('rater=', 'judge=')} {format_option(role, columns)}"] = "judges gave them"
    for name in columns[:2] if len(columns) > 1 else ():
        others = format_option("judge", [other for other in columns if other != name])
        readings[f"{base} {format_option('human', [name])} {others}"] = f"people gave {name} alone"
    raise OpenQuestion(f"{reader.sheet.name}: its columns have no names; say what they are", readings)


def ask_words(reader: Reader) -> None:
    """Raise with readings of words of labels under names that say nothing, where there are no scores."""
    columns = [
        c
        for c in reader.columns.values()
        if c.names and not c.excuse and not c.share(r"\d") > 0.5 and not c.usual("group", "item", "system")
    ]
    columns = [c for c in columns if len(c.lower) <= rules.MAX_NAMES and c.name not in reader.fixed]
    series = {c.name: [one for one in columns if are_raters([c.name, one.name]) or one is c] for c in columns}
    alike = max(series.values(), key=len, default=[])
    owners = {}
    if len(alike) > 1:
        owners[f"--rater {' '.join(shlex.quote(c.name) for c in alike)}"] = alike[0]
    singles = [c for c in columns if len(c.lower) <= MAX_LABELS and (c not in alike or len(alike) == 1)]
    owners |= {f"--people {shlex.quote(c.name)}": c for c in singles}
    numeric = [
        name for name, (role, *_) in reader.why.items() if role == "ignored" and reader.columns[name].numbers
    ]
    numeric = [name for name in numeric if reader.columns[name].n_unique > 1]
    readings = {f"--people {shlex.quote(name)}": f"people gave {name}" for name in numeric[:MAX_READINGS]}
    readings |= {
        f"{option} --pass {shlex.quote(word)}": f"{word!r} in {column.name!r} passes, all other words fail"
        for option, column in owners.items()
        for word in order_words(column)[:MAX_READINGS]
    }
    if readings:
        raise OpenQuestion(f"{reader.sheet.name}: no column of scores by its name; say which it is", readings)


def order_words(column: Column) -> list[str]:
    """Words of a column, those first that sound as if they pass, and those that come often."""
    labels = lexicon().labels

    def doubts(word: str) -> tuple[float, int]:
        return -max((labels[one] for one in tokens(word) if one in labels), default=0.5), -column.words[word]

    return sorted(column.words, key=doubts)


def describe_lack(reader: Reader) -> str:
    """Message on a table without scores: what the columns are."""
    nested = [name for name, column in reader.columns.items() if not column.plain_cells]
    way = f"; {listing(nested)} hold lists or mappings, which were not read" if nested else ""
    numbers = any(re.fullmatch(r"-?[\d.]+", name) for name in reader.columns)
    unnamed = "; does the first line name the columns?" if numbers else ""
    return (
        f"{reader.sheet.name}: no column of scores among {listing(reader.columns)}{unnamed}{way}. Scores are "
        "numbers, labels such as pass and fail, yes and no, good and bad, or choices such as A, B and "
        "tie; give one row per score (columns system, item, judge, score), or one column per judge"
    )
