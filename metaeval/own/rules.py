"""own.rules: roles of columns by their names and contents, as tables of rules.

The tables at the end read a file: the first rule of a table that fits a column gives it its role, with the
reason. Before them stands what rules ask of a column, and of those beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from metaeval.own.choices import chooses_of_two
from metaeval.own.contents import Column, counts_rows, label_key
from metaeval.own.sheets import TEXTS
from metaeval.own.words import (
    ANYBODY,
    PEOPLE,
    Of,
    by_rater,
    is_criterion,
    is_machine,
    is_model,
    kinds_of,
    lexicon,
    people_of,
    place_in,
    split_owners,
    tokens,
)

if TYPE_CHECKING:
    from metaeval.own.roles import Reader

MIN_ROWS = 10  # from which on a count of the rows is told from scores
LARGEST_GRADE = 1_000
MAX_GRADES = 12  # numbers by which people may have scored
MAX_NAMES = 200  # in a column whose words are looked at one by one
MAX_NAMING = 6  # words and numbers of a name
MIN_SAME = 5  # rows from which on a column of one value is no judge
ROUNDED = 0.006  # of a mean that is written with two digits
SAME = "the same in every row"
_UNNAMED = re.compile(r"\s*|Unnamed: \d.*|__index_level_\d+__|c\d+")
_BENCHMARK = re.compile(r"human[ _-]?eval", re.IGNORECASE)  # of a leaderboard tests of code, by nobody


class Rule(NamedTuple):
    """Role of a column that fits; the reason, ``{}`` for what `fits` returns; another role by an option."""

    role: str
    reason: str
    fits: Callable[[Reader, Column], object]
    other: str = ""


def is_unnamed(column: Column) -> bool:
    """True for a name that a program gave."""
    return _UNNAMED.fullmatch(column.name) is not None


def may_number_rows(column: Column) -> bool:
    """True for a name of numbers of rows."""
    return is_unnamed(column) or column.plain in lexicon().numbers_of_rows


def names_systems(reader: Reader, column: Column) -> bool:
    """True for a name that is a system's at all times."""
    place = column.place("system")
    return place is not None and place <= place_in("system", "models")


def choice_columns(reader: Reader) -> list[str]:
    """Columns called after choices, or given for them."""
    return [*reader.named("choice"), *(name for name, role in reader.fixed.items() if role == "choice")]


def holds_choices(reader: Reader, column: Column) -> bool:
    """True for a column of choices beside which no other is, or one of the same words."""
    others = choice_columns(reader)[:1]
    alike = all(reader.columns[one].lower.keys() & column.lower.keys() for one in others)
    return (column.choices and alike) or chooses_of_two(reader, column)


def has_scores(reader: Reader) -> bool:
    """True if another column holds scores or choices, by its name."""
    named = any(reader.columns[name].holds_scores for name in reader.named("score"))
    return reader.has("score") or named or bool(choice_columns(reader))


def counts_raters(column: Column) -> bool:
    """True for few whole numbers under a name in the plural."""
    return column.whole and column.name.lower().endswith("s") and len(column.words) < MIN_ROWS


def are_letters(reader: Reader, column: Column) -> bool:
    """True for letters, as of raters, beside scores."""
    single = len(column.lower) > 2 and all(word.isalpha() and len(word) == 1 for word in column.lower)
    return single and any(reader.columns[one].numbers and reader.may_score(one) for one in reader.free())


def names_raters(reader: Reader, column: Column) -> bool:
    """True for neither choices nor grades."""
    return not holds_choices(reader, column) and (not column.graded or numbers_raters(reader, column))


def numbers_raters(reader: Reader, column: Column) -> bool:
    """True for numbers that come again, while other columns hold scores that may be people's."""
    others = (name for name, one in reader.columns.items() if name != column.name and not one.machine)
    return column.whole and column.categories and any(map(reader.may_score, others))


def mixes_owners(reader: Reader, column: Column) -> bool:
    """True for names of which some are people's and some machines'."""
    if not may_name(column):
        return False
    people, _ = split_owners(column.words)
    return bool(people) and any(is_machine(word) for word in column.words if word not in people)


def may_name(column: Column) -> bool:
    """True for several short names that come again, and no labels, items or groups."""
    n_words = sum(map(len, map(tokens, column.words))) / max(1, len(column.words))
    usual = column.usual("item", "group", "part", *TEXTS)
    few = column.names and len(column.words) <= MAX_NAMES and n_words <= MAX_NAMING
    return few and not (usual or column.holds_scores or column.choices)


def holds(test: Callable[[str], object], column: Column) -> bool:
    """True for several names that come again, most of which are such as `test` knows."""
    return may_name(column) and sum(map(bool, map(test, column.words))) > 0.6 * len(column.words)


def chooses(reader: Reader, column: Column) -> bool:
    """True for names of which most are in two further columns, such as of votes beside both systems."""
    names = column.lower.keys()
    others = (one.lower.keys() for one in reader.columns.values() if one is not column and one.categories)
    return sum(2 * len(names & words) > len(names | words) for words in others) > 1


def is_judges(column: Column) -> bool:
    """True for a name that speaks of who judges."""
    return not lexicon().other_models.isdisjoint(column.tokens)


def label_owner(column: Column) -> Of | None:
    """People by criterion, where no machine's name ends with label or rating."""
    *words, last = column.tokens or ("",)
    bare = words and last in lexicon().weak and not column.machine
    return Of("_".join(words), person=True) if bare else None


def owner_of(reader: Reader, column: Column) -> Of | None:
    """Person after whom a column of values is called; beside metrics of rating_1, rating_2 that number."""
    items = reader.named("item") or reader.has("item")
    if of := rates_alone(reader, column):
        return of
    if column.people is None and any(c.metric or c.machine for c in reader.candidates):
        stem = re.sub(r"_?\d+$", "", column.plain)
        others = reader.candidates if stem in lexicon().names["human"] else ()
        alike = [c.name for c in others if re.fullmatch(rf"{re.escape(stem)}_?\d+", c.plain)]
        if len(alike) > 1:
            return by_rater(column.plain)
        labels = {c.name: of for c in reader.candidates if (of := label_owner(c))}
        board = "system" in reader.ids and not items
        if column.name in labels and not board and not any(c.people for c in reader.candidates):
            return labels[column.name] if len(labels) > 1 else ANYBODY
        return None
    return column.people if items or not _BENCHMARK.match(column.name) else None


def sure_people(reader: Reader) -> list[str]:
    """Columns of values that are surely people's."""
    return [c.name for c in reader.candidates if c.people and not c.weak]


def doubles_people(reader: Reader, column: Column) -> bool:
    """True for people's scores where the user, or the tool, names other columns."""
    of = owner_of(reader, column)
    return of is not None and "human" in reader.fixed.values() and of.name == PEOPLE and not of.rater


def is_constant(reader: Reader, column: Column) -> bool:
    """True where many rows hold one value, under a name of nobody that judges."""
    if column.metric or column.machine or column.usual("judge") or (column.criterion and not column.labels):
        return False
    if reader.sheet.height < MIN_SAME or len(column.words) != 1 or not (column.values or column.labels):
        return False
    return column.people is None or column.labels


def others_vary(reader: Reader) -> bool:
    """True if there are values beside such as are the same in every row."""
    return bool(reader.values) or not all(is_constant(reader, one) for one in reader.candidates)


def is_partly_labels(reader: Reader, column: Column) -> bool:
    """True for words of nobody that judges, of which some are labels and others are not."""
    if not column.holds_scores or column.numbers or column.scale or column.machine or reader.options.passes:
        return False
    labels = lexicon().labels
    kinds = {label_key(word) in labels for word in column.lower}
    return column.cells.dtype == pl.String and kinds == {True, False}


def mixes_labels(reader: Reader, column: Column) -> bool:
    """True for such words beside other values."""
    alike = all(is_partly_labels(reader, one) for one in reader.candidates)
    return is_partly_labels(reader, column) and not alike


def counts_from_any(reader: Reader, column: Column) -> bool:
    """True for numbers of rows from any on, under a name that says nothing."""
    if column.machine or column.criterion or column.length or reader.sheet.height < MIN_ROWS:
        return False
    return column.whole and column.distinct and counts_rows(column, from_any=True)


def numbers_items(reader: Reader, column: Column) -> bool:
    """True for many or large whole numbers, or many codes, under one word that ends with id."""
    codes = column.whole or (not column.numbers and not column.text)
    large = column.whole and column.values[0] > LARGEST_GRADE
    return bool(re.fullmatch(r"[a-z]+id", column.plain)) and codes and (large or column.n_unique > MAX_GRADES)


def repeats_in_units(reader: Reader, column: Column) -> str:
    """Column of which this has the same scores in standard units, by their names; "" for none."""
    rest = [word for word in column.tokens if word not in lexicon().standard_units]
    if not column.numbers or len(rest) == len(column.tokens):
        return ""
    return next((c.name for c in reader.columns.values() if c.numbers and [*c.tokens] == rest), "")


def combines_raters(reader: Reader, column: Column) -> str:
    """The mean or the sum of several raters' columns, where a column is that; else ""."""
    owners = {c.name: owner_of(reader, c) for c in reader.candidates if c.numbers} | reader.people
    raters = [reader.columns[name] for name, of in owners.items() if of and of.rater]
    raters = raters or alike_columns(reader)
    if not column.numbers or column in raters or column.machine or column.metric:
        return ""
    return how_combined(column, raters)


def alike_columns(reader: Reader) -> list[Column]:
    """Columns of whole numbers whose names differ in a number alone, as score_1 and score_2."""
    by_stem: dict[str, list[Column]] = {}
    for c in reader.candidates:
        if c.whole and (match := re.fullmatch(r"(\D+?)_?\d+", c.plain)):
            by_stem.setdefault(match[1], []).append(c)
    return max(by_stem.values(), key=len, default=[])


def rates_alone(reader: Reader, column: Column) -> Of | None:
    """Rater of a column of which another, people's, is the mean or sum with others alike."""
    alike = alike_columns(reader)
    people = [c for c in reader.candidates if c.people and c not in alike] if column in alike else []
    return by_rater(column.plain) if any(how_combined(c, alike) for c in people) else None


def how_combined(column: Column, raters: list[Column]) -> str:
    """The mean or the sum of some columns, where a column is that; else ""."""
    if len(raters) < 2 or not column.numbers:
        return ""
    cells = {c.name: c.cells.cast(pl.Float64, strict=False) for c in (column, *raters)}
    frame = pl.DataFrame(cells).drop_nulls()
    names = [c.name for c in raters]
    if all(frame[name].equals(frame[names[0]]) for name in names):  # of whom a judge like them is no mean
        return ""
    for what, of in (("mean", pl.mean_horizontal(names)), ("sum", pl.sum_horizontal(names))):
        if frame.height > MIN_SAME and (
            frame.select((pl.col(column.name) - of).abs()).max().item() < ROUNDED
        ):
            return f"the {what} of raters"
    return ""


def is_flag(column: Column) -> bool:
    """True for true and false."""
    return column.cells.dtype == pl.Boolean or {*column.lower} == {"true", "false"}


def repeats_people(reader: Reader, column: Column) -> str:
    """Column before, of what the same people say together; "" for none."""
    if column.people is None or column.people.kind != "together":
        return ""
    alike = [c.name for c in reader.candidates if c.people == column.people]
    return alike[0] if alike[0] != column.name else ""


def why_no_judge(reader: Reader, column: Column) -> str:
    """Reason of a name that is no judge's; a machine's is where it ranks, or stands beside people's."""
    base = column.name.partition("(")[0]
    twins = (c for c in reader.candidates if c.people and c.name.partition("(")[0] == base != c.name)
    return "" if column.machine and (column.excuse == "a rank" or any(twins)) else column.excuse


def ranks_alone(reader: Reader, column: Column) -> bool:
    """True for ranks of systems beside nothing else that judges."""
    others = [c for c in reader.candidates if c != column]
    if column.people or any(c.people for c in others):
        return False
    alone = all(c.excuse or c.length or len(c.words) == 1 for c in others)
    return column.excuse == "a rank" and column.whole and column.categories and alone and reader.has("system")


def numbers_clusters(column: Column) -> bool:
    """True for whole numbers, more than two, under a bare name of what items hang together in."""
    return column.whole and len(column.values) > 2 and lexicon().clusters >= {*column.tokens}


# columns that hold nothing
EMPTY = (
    Rule("ignored", "holds {}", lambda r, c: not c.plain_cells and c.describe()),
    Rule("ignored", "empty", lambda r, c: not c.words),
    Rule("ignored", "counts the rows", lambda r, c: c.numbers and may_number_rows(c) and counts_rows(c)),
    Rule("ignored", SAME, lambda r, c: is_unnamed(c) and r.sheet.height >= MIN_SAME and len(c.words) == 1),
    Rule("ignored", "numbers without a name", lambda r, c: c.numbers and is_unnamed(c), "judge"),
)
# contents that a column with a usual name of a role has, in the order in which roles are given
FITTING: dict[str, Callable[[Reader, Column], object]] = {
    "first": lambda r, c: not c.numbers or r.named("choice"),
    "second": lambda r, c: not c.numbers or r.named("choice"),
    "system": lambda r, c: names_systems(r, c) or (c.categories and not c.graded),
    "judge": lambda r, c: not holds_choices(r, c) and (has_scores(r) or not (c.graded or c.out_of)),
    "rater": lambda r, c: not counts_raters(c) and (has_scores(r) or are_letters(r, c) or names_raters(r, c)),
    "criterion": lambda r, c: not c.graded and not c.text and c.n_unique > 1,
    "kind": lambda r, c: kinds_of(c.lower, all_known=True),
    "run": lambda r, c: c.whole or c.categories,
}
# names in a column that no usual name tells
NAMING = (
    Rule("judge", "names of people and of machines", lambda r, c: not r.has("judge") and mixes_owners(r, c)),
    Rule(
        "criterion", "its words are criteria", lambda r, c: not r.has("criterion") and holds(is_criterion, c)
    ),
    Rule(
        "system",
        "its words are models",
        lambda r, c: not (r.has("system") or is_judges(c) or chooses(r, c)) and holds(is_model, c),
    ),
    Rule("rater", "its words are people", lambda r, c: not r.has("rater") and holds(people_of, c)),
    Rule("rater", "addresses of people", lambda r, c: not r.has("rater") and c.mails and c.n_unique > 1),
)
# columns of numbers or labels; the role "" leaves a column to the search for items
SCORES = (
    Rule("", "", lambda r, c: r.groups(c.name) or numbers_clusters(c)),
    Rule("score", "by its name", lambda r, c: c.usual("score") and "score" not in r.held),
    Rule("judge", "ranks, and no other scores", ranks_alone),
    Rule("", "", lambda r, c: c.usual("item", "part", "run", "group") or numbers_items(r, c)),
    Rule("", "", names_systems),
    Rule("ignored", "a count", lambda r, c: c.plain in lexicon().reasons and c.excuse == "a count", "judge"),
    Rule("ignored", SAME, lambda r, c: is_constant(r, c) and others_vary(r), "judge"),
    Rule("ignored", "{!r} in standard units", repeats_in_units, "judge"),
    Rule("ignored", "{}", combines_raters, "judge"),
    Rule("ignored", "people's scores are another column", doubles_people, "human"),
    Rule("ignored", "{!r} is of the same people", repeats_people, "human"),
    Rule(
        "human",
        "by its name",
        lambda r, c: owner_of(r, c) and not (c.plain in lexicon().weak and sure_people(r)),
    ),
    Rule("ignored", "words of which some are no labels", mixes_labels, "judge"),
    Rule("ignored", "{}", why_no_judge, "judge"),
    Rule("ignored", "counts the rows", counts_from_any, "judge"),
    Rule("judge", "beside {!r}, which is people's", lambda r, c: owner_of(r, c) and sure_people(r)[0]),
    Rule("judge", "a metric, by its name", lambda r, c: c.metric),
    Rule("judge", "numbers", lambda r, c: c.numbers),
    Rule("judge", "labels", lambda r, c: True),
)
# what is left
REST = (
    Rule("group", "given for groups", lambda r, c: r.groups(c.name)),
    Rule("text", "not used here", lambda r, c: c.usual(*TEXTS) or c.text),
    Rule(
        "group",
        "not used unless asked",
        lambda r, c: c.usual("group") or c.names or numbers_clusters(c),
        "group",
    ),
    Rule("ignored", "a time", lambda r, c: c.date),
    Rule("ignored", "links", lambda r, c: c.links),
    Rule("ignored", "another id", lambda r, c: c.usual("item"), "item"),
    Rule("ignored", "as many values as rows", lambda r, c: c.distinct and not c.numbers, "item"),
    Rule("ignored", "no score, by name and contents", lambda r, c: True),
)
