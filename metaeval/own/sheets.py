"""own.sheets: a table's columns, a user's options for them, and the proposal of their roles."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import polars as pl

from metaeval.own.contents import Column
from metaeval.own.words import SYNONYMS, Of

# option of a command, without its dashes -> attribute of `Options`, for what is not called alike
WORDS = {
    "rater": "raters", "machine": "machines", "lower": "lower_is_better", "higher": "higher_is_better",
    "pass": "passes", "judge": "judges", "mqm-weights": "mqm_weights",
}  # fmt: skip
IDS = ("system", "item", "judge", "rater", "criterion", "run", "first", "second", "kind")
TEXTS = ("summary", "source", "reference")
ROLES = (*IDS, "score", "human", "choice", *TEXTS, "group", "cluster", "order", "ignored")


def listed(names: str | Sequence[str] | None) -> list[str]:
    """Names that a user gives: none, one or several; those of a set, whose order is any, in order."""
    names = [] if names is None else [names] if isinstance(names, str) else names
    return sorted(names) if isinstance(names, set | frozenset) else list(names)


@dataclass(frozen=True)
class Options:
    """Words of a user on files; names are one or several.

    Attributes
    ----------
    columns : mapping, role -> column, or columns that make it together (people's: each for itself)
        Roles are `ROLES`; a file without the column keeps its own.
    people : names of judges, or of files without what they end with, whose scores are people's
        Such as differ only in a number or letter at the end (ann1, ann2) are raters of one thing.
    raters : names of judges, or of files, each of whom is a person who rated the same thing
    machines : names of raters who are not people, such as language models
    lower_is_better : judges whose signs are turned, so that higher is better
    higher_is_better : judges whose signs are kept, whatever their names say
        What says by its name how long a text is is a judge only if it is named here, above or below.
    judges : judges that are asked about, if not all
    ignore : columns that are not read
    across : {"", "systems", "items", "raters", "judges"}
        What columns of scores are called after, where they are not told by their names.
    by : str
        Column of groups, each of which has an answer.
    mean : bool
        Whether repeated judgments are averaged.
    passes : words of labels that pass, all others fail
    missing : words and codes that mean that there is no score; no others are guessed
    pool : bool
        Whether systems without a common item are ranked together.
    tie : str
        Number of a tie among three of choices, of whose others the lower is the first.
    mqm_weights : SEVERITY=WEIGHT, or CATEGORY/SEVERITY=WEIGHT, of errors in MQM
        No other weight counts then; that of a category goes before that of a severity.
    """

    columns: Mapping[str, str | Sequence[str]] | None = None
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
    tie: str = ""
    mqm_weights: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping | None):
            raise TypeError(f"`columns` must be a mapping such as {{'human': 'gold'}}, got {self.columns!r}")
        columns = {SYNONYMS.get(role, role): listed(names) for role, names in (self.columns or {}).items()}
        object.__setattr__(self, "columns", columns)
        for one in fields(self):
            if one.default == ():
                object.__setattr__(self, one.name, listed(getattr(self, one.name)))

    def add_words(self, text: str) -> Options:
        """These options with those of a piece of a command line."""
        columns = {role: [*names] for role, names in self.columns.items()}
        more: dict[str, object] = {"columns": columns}
        key = ""
        for word in shlex.split(text):
            if word.startswith("--"):
                key = WORDS.get(word[2:], word[2:])
                more |= {key: True} if key in ("mean", "pool") else {}
            elif key == "col":
                role, _, name = word.partition("=")
                columns.setdefault(SYNONYMS.get(role, role), []).append(name)
            else:
                before = more.get(key, getattr(self, key))
                more[key] = word if isinstance(before, str) else [*before, word]
        return replace(self, **more)

    @property
    def judge_names(self) -> tuple[str, ...]:
        """Names of judges that are asked about."""
        return (*self.lower_is_better, *self.higher_is_better, *self.judges)

    @property
    def named(self) -> set[str]:
        """Columns, judges and files that are given a role."""
        return {name for names in self.columns.values() for name in names} | {*self.people, *self.raters}


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
    tool_roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).cells) if self.columns else 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Steps of reading the table, the format first."""
        return self.table.notes

    def place(self, row: int) -> str:
        """Place of a row in words."""
        return f"{self.name}, {self.table.place(row)}"

    def keys(self, columns: Iterable[str]) -> pl.Series:
        """One number for each row, the same where all these columns are alike."""
        frame = pl.DataFrame({name: self.columns[name].cells.cast(pl.String) for name in columns})
        return (
            frame.hash_rows(seed=1) if frame.width else pl.repeat(0, self.height, dtype=pl.UInt64, eager=True)
        )

    def texts(self, columns: Iterable[str]) -> pl.Series:
        """Cells as texts, of whole numbers without ".0"; those of several columns joined by a bar."""
        cells = [self.columns[name].texts for name in columns]
        return pl.select(pl.concat_str(cells, separator="/", ignore_nulls=True)).to_series()

    def ids(self, columns: Iterable[str]) -> set[str]:
        """Different texts in some columns."""
        return {*self.texts(columns).unique()} - {"", None}

    def count(self, *columns: str) -> int:
        """Number of different rows in some columns."""
        return self.keys(columns).n_unique()

    def contradicts(self, ids: Iterable[str], values: Iterable[str]) -> bool:
        """True if rows of the same ids have other values."""
        keys = self.keys(dict.fromkeys(ids))
        if keys.n_unique() == len(keys):
            return False
        cells = [
            self.columns[name].cells.cast(pl.String) for name in values if self.columns[name].plain_cells
        ]
        frame = pl.DataFrame({"key": keys, **{f"{i}": one for i, one in enumerate(cells)}})
        several = frame.group_by("key").agg(pl.exclude("key").replace("", None).drop_nulls().n_unique())
        return bool(several.select(pl.any_horizontal(pl.exclude("key") > 1).any()).item()) if cells else False


@dataclass(eq=False)
class Proposal:
    """Reading of one table.

    Attributes
    ----------
    sheet : Sheet
    ids : mapping, role -> columns that make it together
    values : mapping, column of values -> its owner
    across : str
        What columns of values are called after: ``"judges"``, ``"systems"`` or ``"items"``.
    pairs : bool
        True for choices between two outputs.
    texts : mapping, ``"summary"`` and perhaps ``"source"`` -> column
    roles : tuple of Role, one for each column
    notes, readings : sentences; options to paste -> what they mean, where several readings fit
    owners : names of judges and raters in its rows, once they are read
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
    owners: set[str] = field(default_factory=set)

    @property
    def numbers_rows(self) -> bool:
        """True if each row is an item of its own, since no column names one."""
        return (
            not ({"item"} if self.pairs else {"item", "system"}) & self.ids.keys() and self.across != "items"
        )
