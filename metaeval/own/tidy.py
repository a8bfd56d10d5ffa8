"""own.tidy: all files of a user's as one table: one row per score, whoever gave it.

Files are parsed (`metaeval.own.parsing`), their columns get roles (`metaeval.own.roles`), and the tables are
joined (`metaeval.own.joining`). Every value is checked, and an error names file, line, column and value. Rows
that say the same twice count once; two values for one thing are an error.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from metaeval.core.errors import DataError, OpenQuestion, UnknownNameError, listing
from metaeval.own.joining import (
    fill_systems,
    opposed_judges,
    order_names,
    propose_all,
    read_rows,
    read_sheets,
    with_whole_documents,
)
from metaeval.own.readings import MAX_READINGS, propose_side
from metaeval.own.runs import merge_repeats, name_runs
from metaeval.own.sheets import Options, Proposal, Sheet
from metaeval.own.values import missing_codes, missing_words
from metaeval.own.words import (
    PEOPLE,
    Of,
    falls_by_name,
    is_length,
    lexicon,
    people_of,
    strip_criterion,
)
from metaeval.tables.wording import counted, joined, natural

Source = str | os.PathLike | pd.DataFrame | pl.DataFrame
MIN_HEIGHT = 1_000  # rows for which any file counts
MAX_TRIED = 50_000  # rows of files that are read again for each option that is proposed
FEW_SHARED = 0.05  # share of items with several systems, up to which nothing ranks these
MAX_GRADES = 12  # up to which whole numbers from 1 on are grades
MIN_GRADES = 4  # from 1 on, beside which a number below 0 is no grade
_NINES, _FAR = (99, 999, 9999), 5  # codes for no score where all others are this many times smaller


@dataclass(frozen=True, eq=False)
class Tidy:
    """All scores of some files.

    Attributes
    ----------
    frame : polars DataFrame
        Columns file and row (numbers), system, document, name, rater (categories in natural order; "" where
        there is none),
        person (whether people gave it), criterion (what a judge's score is of, "" where nothing says it),
        value; and first,
        second of choices between two outputs, where the value is 1 for the first, 0 for the second, 0.5 for
        neither. A score
        that is missing has no row. With groups a column group.
    proposals : the tables with the roles of their columns
    n_missing : cells without a score
    n_repeated : rows that repeat another's score
    turned : judges whose signs were turned
    notes : guesses, turned signs and omissions, in sentences
    lengths : judges that say how long a text is, by their names, beside others
    texts : polars DataFrame or None
        Columns system, document, summary, and source where every file of texts has one; a row each.
    readings : mapping, options -> what they mean
        Where several readings fit; the scores are by the first of them.
    options : pairs of an option and its word
        That give the roles of all columns.
    side_options : mapping, options -> what they mean
        By which some scores are of the side, people or judges, that none is of.
    """

    frame: pl.DataFrame
    proposals: tuple[Proposal, ...]
    n_missing: int
    n_repeated: int
    turned: tuple[str, ...]
    notes: tuple[str, ...]
    lengths: tuple[str, ...] = ()
    texts: pl.DataFrame | None = None
    readings: Mapping[str, str] = field(default_factory=dict)
    options: tuple[tuple[str, str], ...] = ()
    side_options: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files."""
        return tuple(dict.fromkeys(one.sheet.name for one in self.proposals))

    @property
    def pairs(self) -> bool:
        """True for choices between two outputs."""
        return "first" in self.frame.columns

    def names(self, column: str, *, person: bool | None = None) -> list[str]:
        """Names in a column of ids, in natural order, without ""."""
        frame = self.frame if person is None else self.frame.filter(pl.col("person") == person)
        return sorted(filter(None, frame.get_column(column).unique().cast(pl.String)), key=natural)

    def format_options(self) -> str:
        """Roles of all columns as the options that give them."""
        return " ".join(f"{option} {shlex.quote(word)}" for option, word in self.options)


def tidy(sources: Source | Sequence[Source], **words: object) -> Tidy:
    """The scores, labels or choices of some files.

    Parameters
    ----------
    sources : path, DataFrame, or a sequence of these
        In any format of `metaeval.own.parsing`, in any layout that `metaeval.own.roles` tells; of a data
        frame named levels of the index are columns.
    **words
        What a user says of them, as in `metaeval.own.sheets.Options`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        Naming file, line, column and value, and what to do.
    OpenQuestion
        If rows contradict each other: options that tell them apart.
    """
    sources = as_sources(sources)
    if not sources:
        raise DataError("no file is given")
    options = Options(**words)
    sheets = read_sheets(sources, options.mqm_weights)
    options = _with_short_names(options, sheets)
    _require_columns(sheets, options)
    try:
        data = _join(sheets, options)
    except OpenQuestion as question:
        readings = _try_readings(sheets, options, question.readings)
        raise OpenQuestion(question.message, readings) from None
    ways = {
        name: _try_readings(sheets, options, getattr(data, name)) for name in ("readings", "side_options")
    }
    return replace(data, **ways)


def _try_readings(
    sheets: Sequence[Sheet], options: Options, readings: Mapping[str, str], *, again: bool = True
) -> dict[str, str]:
    """Readings that lead to an answer, the likelier first; one that asks more, with what answers that.

    Large files are not read again, and none is left out where none leads to an answer.
    """
    if not readings or sum(sheet.height + MIN_HEIGHT for sheet in sheets) > MAX_TRIED:
        return dict([*readings.items()][:MAX_READINGS])
    answers_by_option: dict[str, str] = {}
    for words, meaning in itertools.islice(readings.items(), 2 * MAX_READINGS):
        if len(answers_by_option) >= MAX_READINGS:
            break
        own = options.add_words(words)
        try:
            data = _join([replace(sheet, columns={**sheet.columns}) for sheet in sheets], own)
            further = data.readings
            answers_by_option |= {} if further else {words: meaning}
        except OpenQuestion as question:
            further = question.readings
        except (DataError, UnknownNameError):
            continue
        further_answers = _try_readings(sheets, own, further, again=False) if again else {}
        for more, what in [*further_answers.items()][: 1 if len(readings) > 1 else MAX_READINGS]:
            answers_by_option[f"{words} {more}"] = f"{meaning}; {what}"
    return dict([*(answers_by_option or readings).items()][:MAX_READINGS])


def _join(sheets: Sequence[Sheet], options: Options) -> Tidy:
    """All scores of some tables."""
    proposals = propose_all(sheets, options)
    notes = [f"{one.sheet.name}: {note.rstrip('.')}." for one in proposals for note in one.sheet.notes[1:]]
    notes += [note for one in proposals for note in one.notes]
    frame, n_missing = _read_all(proposals, options, notes)
    _require_owners(proposals, options)
    frame, texts = with_whole_documents(frame, _texts(proposals))
    frame = _add_groups(frame, proposals, options, notes)
    frame = order_names(name_runs(fill_systems(frame, sheets, notes), options, notes))
    readings = {words: meaning for one in proposals for words, meaning in one.readings.items()}
    try:
        frame, n_repeated = merge_repeats(frame, proposals, options, notes)
    except OpenQuestion:
        _ask_way(proposals, readings)
        raise
    if not options.pool:
        frame = _drop_unshared_systems(frame, proposals, notes)
    if n_repeated:
        many = "1 score repeats another" if n_repeated == 1 else f"{n_repeated:,} scores repeat others"
        notes.append(f"{many}, with the same value; what stands twice counts once.")
    turned = lengths = ()
    if "first" not in frame.columns:
        if "none" not in map(str.lower, options.missing) and not missing_codes(options):
            frame, n_codes = _drop_codes(frame, notes, readings)
            n_missing += n_codes
        notes += _note_sums(frame)
        turned = _falling(frame, proposals, options.lower_is_better, options.higher_is_better, notes)
        lengths = _lengths(frame, [*options.judge_names, *options.columns.get("judge", ())], notes)
    texts = _one_text_each(texts, notes)
    people = [*frame.filter("person").get_column("name").unique()]
    side_options = propose_side(proposals, people, _judges(frame))
    return Tidy(
        turn(frame, turned), tuple(proposals), n_missing, n_repeated, turned, tuple(dict.fromkeys(notes)),
        lengths, texts, readings, tuple(role_options(proposals, options)), side_options,
    )  # fmt: skip


def _read_all(proposals: Sequence[Proposal], options: Options, notes: list[str]) -> tuple[pl.DataFrame, int]:
    """Scores of all tables, a row each, with the number of their table, and how many cells have none."""
    scored = [one for one in proposals if one.values]
    unnamed = list(dict.fromkeys(one.sheet.name for one in scored if one.numbers_rows))
    if unnamed and len({one.sheet.name for one in scored}) > 1:
        raise DataError(
            f"{listing(unnamed)}: no column of items to join the files by; add one to each, or name it with "
            "--col item=COLUMN"
        )
    columns = [one.sheet.columns[name] for one in scored for name in one.values]
    labels = {word for column in columns if column.labels for word in column.lower}
    parts, n_missing = [], 0
    for proposal in scored:
        try:
            part, n_empty = read_rows(proposal, options, notes, labels)
        except DataError:
            _ask_way([proposal], proposal.readings)
            raise
        parts.append(part.select(pl.lit(proposals.index(proposal), pl.UInt32).alias("file"), pl.all()))
        n_missing += n_empty
    frame = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    names = dict.fromkeys(one.sheet.name for one in proposals)
    if not frame.height and any(one.texts for one in proposals):
        files = " ".join(names)
        raise DataError(
            f"{files}: texts and no scores; a metric of them: metaeval score METRIC --summaries {files}"
        )
    if not frame.height:
        raise DataError(
            f"{listing(names)}: no cell holds a score; a column of another name is named with --col, as in "
            "--col human=gold"
        )
    return frame, n_missing


def _add_groups(
    frame: pl.DataFrame, proposals: Sequence[Proposal], options: Options, notes: list[str]
) -> pl.DataFrame:
    """Rows with their group and cluster where the user names columns of them; those of no group left out."""
    if options.by:
        frame = _add_column(frame, proposals, options.by, "group")
        if n_bare := frame.get_column("group").null_count():
            notes.append(f"{counted(n_bare, 'score')} left out, without a {options.by}.")
        frame = frame.drop_nulls("group")
    for column in options.columns.get("cluster", ()):
        frame = _add_column(frame, proposals, column, "cluster", missing_words(options))
        if "document" in frame.columns:
            _require_whole_items(frame)
    return frame


def _ask_way(proposals: Sequence[Proposal], readings: Mapping[str, str]) -> None:
    """Raise if files have several readings, of which the first cannot be carried through."""
    if readings:
        names = ", ".join(dict.fromkeys(one.sheet.name for one in proposals))
        raise OpenQuestion(f"{names} can be read in several ways; say which", readings) from None


def _require_owners(proposals: Sequence[Proposal], options: Options) -> None:
    """Raise, naming what is like it, where nobody is called as a machine, rater or person of the user's."""
    owners = {name for one in proposals for name in one.owners} - {""}
    if both := {*options.people, *options.raters} & {*options.machines}:
        raise DataError(f"{listing(both)} cannot be of people and of machines; say one of both")
    for name in options.machines:
        if name not in owners:
            raise UnknownNameError("rater, said to be a machine,", name, owners - {PEOPLE})
    owners |= {name for one in proposals for name in (one.sheet.stem, *one.values)}
    for name in (*options.people, *options.raters):
        if name not in owners:
            raise UnknownNameError("judge or file, said to be people,", name, owners)


def _drop_unshared_systems(
    frame: pl.DataFrame, proposals: Sequence[Proposal], notes: list[str]
) -> pl.DataFrame:
    """Rows without systems that share hardly an item: these are labels of items, and nothing ranks them."""
    if "first" in frame.columns or not {"system", "document"} <= {*frame.columns}:
        return frame
    cells = frame.filter((pl.col("system") != "") & (pl.col("document") != ""))
    systems = cells.select(pl.col("document").to_physical(), pl.col("system").to_physical())
    ends = systems.group_by("document").agg(low=pl.col("system").min(), high=pl.col("system").max())
    n_systems, n_items = systems.get_column("system").n_unique(), ends.height
    n_shared = ends.filter(pl.col("low") != pl.col("high")).height
    if n_systems < 2 or n_shared > FEW_SHARED * n_items or n_items < 2 * n_systems:
        return frame
    column = next((name for one in proposals for name in one.ids.get("system", ())), "")
    by = f"for an answer each: --by {shlex.quote(column)}; " if column else ""
    have = "has" if n_shared == 1 else "have"
    notes.append(
        f"{n_shared or 'None'} of {n_items:,} items {have} several of the {n_systems} systems, which are "
        f"therefore not ranked: items of all are judged together; {by}to rank them: --pool."
    )
    return frame.with_columns(system=pl.lit("").cast(pl.Enum([""])))


def as_sources(source: object) -> list[Source]:
    """Files and data frames that a user gives: none, one or several.

    Raises
    ------
    TypeError
        For anything else, such as an array.
    """
    sources = [source]
    if source is None:
        sources = []
    elif isinstance(source, set | frozenset):
        sources = sorted(source, key=str)
    elif isinstance(source, Iterable) and not isinstance(source, str | Mapping | pd.DataFrame | pl.DataFrame):
        sources = [*source]
    for one in sources:
        if not isinstance(one, str | os.PathLike | pd.DataFrame | pl.DataFrame):
            raise TypeError(
                f"files must be paths or data frames, got {type(one).__name__}; of arrays `as_benchmark` "
                "makes a Benchmark, which report, compare_judges and plan take"
            )
    return sources


def _with_short_names(options: Options, sheets: Sequence[Sheet]) -> Options:
    """Options with the short names of nested columns where a user gives the whole."""
    short = {
        sign.join(levels): name
        for sheet in sheets for name, levels in sheet.table.keys.items() for sign in (".", ": ")
    }  # fmt: skip
    short = {whole: name for whole, name in short.items() if not any(whole in one.columns for one in sheets)}
    columns = {role: [short.get(name, name) for name in names] for role, names in options.columns.items()}
    lists = {
        key: [short.get(name, name) for name in getattr(options, key)]
        for key in ("ignore", "people", "raters", "judges", "lower_is_better", "higher_is_better")
    }
    return replace(options, columns=columns, by=short.get(options.by, options.by), **lists)


def _require_columns(sheets: Sequence[Sheet], options: Options) -> None:
    """Raise, naming what is like it, where a column that the user names is in no table."""
    lookup = {name for sheet in sheets for name in sheet.columns}
    columns = options.columns.items()
    requests = [(f"column, given for {role},", name) for role, names in columns for name in names]
    requests += [("column, to be ignored,", name) for name in options.ignore]
    requests += [("column, given for groups,", name) for name in [options.by] if name]
    for what, name in requests:
        if name not in lookup:
            raise UnknownNameError(what, name, lookup)


def role_options(proposals: Sequence[Proposal], options: Options) -> list[tuple[str, str]]:
    """Options, each with its word, that give the roles of all columns.

    What the name of a file says of its columns is left to it, or is said of the file.
    """
    pairs: dict[tuple[str, str], None] = {}
    for one in proposals:
        for role, names in one.ids.items():
            pairs |= dict.fromkeys(
                ("--col", f"{role}={name}") for name in names if name in one.sheet.table.frame.columns
            )
        if one.across != "judges":
            pairs["--across", one.across] = None
            continue
        for name, of in one.values.items():
            stem = one.sheet.stem
            if of.rater == stem and of.rater:
                pairs["--rater", stem] = None
            elif name in one.sheet.table.frame.columns and not _by_file(name, of, one):
                pairs["--col", f"{_role_word(of, one)}={name}"] = None
    for option, words in (
        ("--col", [f"cluster={name}" for name in options.columns.get("cluster", ())]),
        ("--people", options.people), ("--machine", options.machines), ("--ignore", options.ignore),
        ("--pass", options.passes), ("--missing", options.missing), ("--mqm-weights", options.mqm_weights),
    ):  # fmt: skip
        pairs |= dict.fromkeys((option, word) for word in words)
    return [*pairs]


def _by_file(column: str, of: Of, one: Proposal) -> bool:
    """True where the name of the file makes a column people's or a judge's."""
    stem = one.sheet.stem
    if of.person:
        return people_of(column) is None and people_of(stem) is not None
    return of.name in (stem, f"{stem}_{column}") and column != stem


def _role_word(of: Of, one: Proposal) -> str:
    """Role of a column of values, as ``--col`` takes it."""
    if one.pairs:
        if not of.name and any(other.person for other in one.values.values()):
            return "score"
        return "rater" if of.rater else "choice" if of.person or not of.name else "judge"
    if not of.name or (of.name == PEOPLE and "rater" in one.ids and len(one.values) == 1):
        return "score"
    if of.person:
        return "rater" if of.rater and of.name == PEOPLE else "human"
    return "judge"


def _texts(proposals: Sequence[Proposal]) -> pl.DataFrame:
    """Summaries by system and document, and sources, of every file that has them."""
    frames = []
    for one in [one for one in proposals if one.texts]:
        columns = {name: column.cells for name, column in one.sheet.columns.items()}
        cells = {role: columns[name] for role, name in one.texts.items()}
        for role, key in (("item", "document"), ("system", "system")):
            parts = [columns[name].cast(pl.String).str.strip_chars() for name in one.ids[role]]
            cells = {key: pl.select(pl.concat_str(parts, separator="/")).to_series()} | cells
        frames.append(pl.DataFrame(cells))
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()


def _one_text_each(texts: pl.DataFrame, notes: list[str]) -> pl.DataFrame | None:
    """Texts without such as repeat others; None where there are none, or two for one."""
    if not texts.width:
        return None
    merged = texts.filter(pl.col("summary") != "").unique(maintain_order=True)
    twice = merged.filter(pl.struct("system", "document").is_duplicated())
    if not twice.height:
        return merged
    system, document = twice.select("system", "document").row(0)
    notes.append(f"Texts are not used: there are two for system {system!r}, document {document!r}.")
    return None


def _add_column(
    frame: pl.DataFrame, proposals: Sequence[Proposal], by: str, role: str, gone: Collection[str] = ()
) -> pl.DataFrame:
    """Rows with what a column says of them, called `role`; those of files without it have their item's.

    Empty cells say nothing, nor do the words `gone`.
    """
    is_name = ~pl.col(role).str.to_lowercase().is_in(["", *gone])
    lookup = [
        pl.DataFrame([one.sheet.columns[by].texts.alias(role)]).select(
            pl.lit(i, pl.UInt32).alias("file"),
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"),
            pl.when(is_name).then(role).alias(role),
        )
        for i, one in enumerate(proposals)
        if by in one.sheet.columns
    ]
    frame = frame.join(pl.concat(lookup), on=["file", "row"], how="left", maintain_order="left")
    if "document" in frame.columns:
        groups = pl.col(role).drop_nulls()
        alone = pl.when(groups.n_unique() == 1).then(groups.first()).over("document")
        frame = frame.with_columns(pl.coalesce(role, alone).alias(role))
    return frame


def _require_whole_items(frame: pl.DataFrame) -> None:
    """Raise where an item is in two clusters."""
    items = frame.drop_nulls(["document", "cluster"]).group_by("document", maintain_order=True)
    clusters = items.agg(pl.col("cluster").unique())
    for item, names in clusters.filter(pl.col("cluster").list.len() > 1).head(1).iter_rows():
        raise DataError(
            f"item {item!r} is in several clusters, {listing(sorted(names))}, which hold whole items: name "
            "a column that says one thing of each, or several that make the item: --col item=A "
            "--col item=B"
        )


@dataclass(frozen=True)
class Part:
    """Part of the files that has an answer of its own.

    Attributes
    ----------
    label : str
        What it is of, such as ``coherence`` or ``dataset news``; "" for all.
    criterion, group : str
        "" for all.
    systems : tuple of str
        Those that share items, where others share none with them; empty for all.
    """

    label: str = ""
    criterion: str = ""
    group: str = ""
    systems: tuple[str, ...] = ()


def parts_of(data: Tidy, options: Options) -> list[Part]:
    """Parts with an answer each: criteria, groups, and systems that share no item with others.

    Groups are followed by all of them together.
    """
    criteria = data.names("name", person=True)
    criteria = sorted(criteria, key=lambda name: name != PEOPLE) if len(criteria) > 1 else [""]
    groups = [*data.names("group"), ""] if "group" in data.frame.columns else [""]
    parts = []
    for criterion, group in itertools.product(criteria, groups):
        together = "all together" if len(groups) > 1 else ""
        words = [criterion, f"{options.by} {group}" if group else together]
        whole = select(data, Part(criterion=criterion, group=group))
        if whole.frame.height:
            for block in ([] if options.pool else blocks_of(whole)) or [[]]:
                label = ", ".join(filter(None, [*words, _block_label(whole, block)]))
                parts.append(Part(label, criterion, group, tuple(block)))
    return parts


def select(data: Tidy, part: Part) -> Tidy:
    """The rows of a part; judges of its criterion are called without it."""
    frame, turned = data.frame, data.turned
    if part.group:
        frame = frame.filter(pl.col("group") == part.group)
    if part.systems:
        frame = frame.filter(pl.col("system").is_in([*part.systems]))
    frame = frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))
    if part.criterion:
        named = pl.when("person").then("name").otherwise("criterion")
        frame = frame.filter((named == part.criterion) | (~pl.col("person") & (named == "")))
        own = (pl.col("criterion") == part.criterion) & ~pl.col("person")
        names, others = ({*frame.filter(of).get_column("name")} for of in (own, ~own))
        short = {name: strip_criterion(name, part.criterion) or name for name in names}
        if len({*short.values()}) == len(short) and not others & {*short.values()}:
            name = pl.col("name")
            frame = frame.with_columns(name=pl.when(own).then(name.replace(short)).otherwise(name))
            turned = tuple(short.get(name, name) for name in turned)
    present = {*frame.get_column("name")}
    lengths = tuple(name for name in data.lengths if name in present)
    return replace(data, frame=order_names(frame), lengths=lengths, turned=turned)


def blocks_of(data: Tidy) -> list[list[str]]:
    """Systems by the items that they share, where those of two groups or more share none; else nothing."""
    if data.pairs or not data.names("document") or len(data.names("system")) < 3:
        return []
    names = data.frame.schema["system"].categories
    cells = data.frame.select(pl.col("system", "document").to_physical().cast(pl.Int64)).unique()
    systems, documents = (cells.get_column(name).to_numpy() for name in ("system", "document"))
    size = len(names) + documents.max() + 1
    shares = coo_array((np.ones(len(cells)), (systems, len(names) + documents)), shape=(size, size))
    _, labels = connected_components(shares, directed=False)
    blocks: dict[int, list[str]] = defaultdict(list)
    for system in np.unique(systems).tolist():
        blocks[labels[system]].append(names[system])
    shared = [block for block in blocks.values() if len(block) > 1]
    return shared if len(blocks) > 1 and shared else []


def _block_label(data: Tidy, block: Sequence[str]) -> str:
    """Name of a group of systems: the value of a column that they alone have, or their names; "" of all."""
    if not block:
        return ""
    rows = data.frame.filter(pl.col("system").is_in([*block])).select("file", "row")
    for i, one in enumerate(data.proposals):
        mine = rows.filter(pl.col("file") == i).get_column("row")
        for role in one.roles:
            if role.role in ("group", "item") and len(mine):
                cells = one.sheet.columns[role.column].cells
                if cells.gather(mine).n_unique() == 1:
                    return f"{role.column} {cells[mine[0]]}"
    return f"systems {', '.join(block[:3])}{', ...' * (len(block) > 3)}"


def _note_sums(frame: pl.DataFrame) -> list[str]:
    """A sentence on systems and documents called what sums up others, as a last line does, or is no name."""
    return [
        f"{name!r} is read as a {column}; if it sums up others, or means that there is none, leave its lines "
        "out."
        for column in ("system", "document")
        for name in frame.get_column(column).unique().sort().cast(pl.String)
        if name.casefold() in lexicon().sums | lexicon().missing
    ]


def _drop_codes(frame: pl.DataFrame, notes: list[str], readings: dict[str, str]) -> tuple[pl.DataFrame, int]:
    """Rows without codes for no score, -1 or 99 beside grades from 1 on, and how many these are.

    What may be a code or a score, such as 0 below people's scale, is kept and noted; -1 of people's beside
    0 and 1, where no judge gives less than 0, is a reading.
    """
    whole = frame.filter((pl.col("value") % 1 == 0).all().over("person", "name"))
    counts = whole.group_by("person", "name", "value").len().sort("person", "name", "value")
    owners = counts.group_by("person", "name", maintain_order=True).agg("value", "len").rows()
    people = [values for person, _, values, _ in owners if person]
    ends = sorted(end for values in people for end in (values[0], values[-1]))
    both = {one for values in people for one in values[:4]}  # four are no scale around 0
    scale = both if both <= {-1, 0, 1} else {0, 1}
    judges_scores = frame.filter(~pl.col("person")).get_column("value")
    if both == {-1, 0, 1} and len(judges_scores) and judges_scores.min() >= 0 and judges_scores.max() <= 1:
        readings |= {"--missing -1": "-1 means that there is no label", "--missing none": "-1 is a label"}
    is_code = pl.lit(False)
    for person, name, values, n in [owner for owner in owners if len(owner[2]) > 2]:
        # a code is at an end: with its count, and the ends of the others
        lowest, highest = (values[0], n[0], values[1], values[-1]), (values[-1], n[-1], values[0], values[-2])
        for code, n_code, low, high in (lowest, highest):
            if code < 0 <= low and not set(values) <= scale:
                why = "the only value below 0"
            elif code in _NINES and code >= _FAR * high > 0:
                why = f"far above the others, {low:g} to {high:g}"
            elif code == 0 < low and ends and ends[0] >= 1 and high <= ends[-1]:
                why = f"below people's scale, {ends[0]:g} to {ends[-1]:g}"
            else:
                continue
            cells = f"{name}: {code:g} in {n_code:,} of {sum(n):,} scores, {why},"
            grades = low >= 1 and high <= MAX_GRADES
            if code < 0:  # such as -1, 1, 2, 3 may be a scale without 0
                grades &= low == 1 and len(values) > MIN_GRADES
            if code and grades and 4 * n_code <= sum(n):
                notes.append(f"{cells} is no grade and left out; --missing none keeps it.")
                own = (pl.col("person") == person) & (pl.col("name") == name)
                is_code |= own & (pl.col("value") == code)
            else:
                notes.append(
                    f"{cells} is read as a score; if it means that there is none, leave these cells empty."
                )
    scores = frame.filter(~is_code)
    return scores, frame.height - scores.height


def _judges(frame: pl.DataFrame) -> list[str]:
    return sorted(frame.filter(~pl.col("person")).get_column("name").unique().cast(pl.String))


def _falling(
    frame: pl.DataFrame,
    proposals: Sequence[Proposal],
    lower: Sequence[str],
    higher: Sequence[str],
    notes: list[str],
) -> tuple[str, ...]:
    """Judges of whom lower is better, as the user says or their names do."""
    names = _judges(frame)
    for name in (*lower, *higher):
        if name not in names:
            raise UnknownNameError("judge", name, names)
    both = [name for name in names if name in lower and name in higher]
    if both:
        raise DataError(f"{listing(both)} cannot be better lower and higher; say one of both")
    open_names = [name for name in names if name not in (*lower, *higher)]
    guessed = [name for name in open_names if falls_by_name(name)]
    against = [name for name in opposed_judges(proposals) if name in open_names and name not in guessed]
    if against:
        notes.append(
            f"{joined(against)} and people say what is good and what is bad the other way round, by the "
            "names of columns and labels, so the signs were turned; --higher NAME keeps them."
        )
    if guessed:
        notes.append(
            f"Lower is better for {joined(guessed)}, by the name, so the signs were turned; --higher NAME "
            "keeps them."
        )
    return *lower, *guessed, *against


def _lengths(frame: pl.DataFrame, requests: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Judges that say by their names how long a text is, and are not asked about; none where all do."""
    names = _judges(frame)
    lengths = [name for name in names if is_length(name) and name not in requests]
    if not lengths or len(lengths) == len(names):
        return ()
    its, say = ("its name", "says") if len(lengths) == 1 else ("their names", "say")
    notes.append(
        f"By {its} {joined(lengths)} {say} how long a text is, which judges nothing: a report takes that for "
        "a "
        f"baseline and not for a judge; if it judges: --higher {' '.join(map(shlex.quote, lengths))}."
    )
    return tuple(lengths)


def turn(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Rows of a tidy table with the signs of some judges turned."""
    if not names:
        return frame
    own = pl.col("name").is_in([*names]) & ~pl.col("person")
    turned = {"value": -pl.col("value")}
    if "runs" in frame.columns:
        turned["runs"] = pl.col("runs").list.eval(-pl.element())
    return frame.with_columns(
        **{name: pl.when(own).then(new).otherwise(name) for name, new in turned.items()}
    )
