"""own.tidy: all files of a user's as one table: one row per score, whoever gave it.

Files are parsed (`metaeval.own.parsing`), their columns get roles (`metaeval.own.roles`), and the tables are
joined
(`metaeval.own.joining`). Every value is checked, and an error names file, line, column and value. Rows that
say the same
twice count once; two values for one thing are an error.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from metaeval.core.errors import DataError, OpenQuestion, UnknownNameError, listing
from metaeval.datasets.readers.tables import natural
from metaeval.own.joining import (
    fill_systems,
    merge_repeats,
    order_names,
    propose_all,
    read_rows,
    read_sheets,
    with_whole_documents,
)
from metaeval.own.roles import MAX_READINGS, judge_of
from metaeval.own.runs import name_runs
from metaeval.own.sheets import Options, Proposal, Sheet
from metaeval.own.words import PEOPLE, SYNONYMS, Of, are_raters, is_length, lexicon, people_of, plain
from metaeval.tables.wording import joined

Source = str | os.PathLike | pd.DataFrame | pl.DataFrame
FEW_SHARED = 0.05  # share of items with several systems, up to which nothing ranks these
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


def tidy(
    sources: Source | Sequence[Source],
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    people: Sequence[str] = (),
    raters: Sequence[str] = (),
    machines: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    judges: Sequence[str] = (),
    ignore: Sequence[str] = (),
    across: str = "",
    by: str = "",
    mean: bool = False,
    passes: Sequence[str] = (),
    missing: Sequence[str] = (),
    pool: bool = False,
    tie: str = "",
) -> Tidy:
    """The scores, labels or choices of some files.

    Parameters
    ----------
    sources : path, DataFrame, or a sequence of these
        In any format of `metaeval.own.parsing`, in any layout that `metaeval.own.roles` tells; of a data
        frame named levels of
        the index are columns.
    columns : mapping, role -> column, or columns that make it together (people's: each for itself)
        Roles are `metaeval.own.roles.ROLES`; a file without the column keeps its own.
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
    missing : words and codes that mean that there is no score
    pool : bool
        Whether systems without a common item are ranked together.
    tie : str
        Number of a tie among three of choices, of whose others the lower is the first.

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
    options = Options(
        {SYNONYMS.get(role, role): listed(names) for role, names in (columns or {}).items()},
        listed(ignore), listed(people),
        listed(raters), listed(machines), listed(lower_is_better), listed(higher_is_better), listed(judges),
        across, by, mean,
        listed(passes), listed(missing), pool, tie,
    )  # fmt: skip
    sheets = read_sheets(sources)
    options = _with_short_names(options, sheets)
    _require_columns(sheets, options)
    proposals = propose_all(sheets, options)
    notes = [f"{one.sheet.name}: {note.rstrip('.')}." for one in proposals for note in one.sheet.notes[1:]]
    notes += [note for one in proposals for note in one.notes]
    unnamed = list(dict.fromkeys(one.sheet.name for one in proposals if one.values and one.numbers_rows))
    if unnamed and len({one.sheet.name for one in proposals if one.values}) > 1:
        raise DataError(
            f"{listing(unnamed)}: no column of items to join the files by; add one to each, or name it with "
            "--col item=COLUMN"
        )
    words = {
        word
        for one in proposals
        for name in one.values
        if one.sheet.columns[name].labels
        for word in one.sheet.columns[name].lower
    }
    parts, n_missing = [], 0
    for i, proposal in enumerate(proposals):
        if proposal.values:  # else a file of texts alone
            try:
                part, lacking = read_rows(proposal, options, notes, words)
            except DataError:
                if not proposal.readings:
                    raise
                raise OpenQuestion(
                    f"{proposal.sheet.name} can be read in several ways; say which", proposal.readings
                ) from None
            parts.append(part.select(pl.lit(i, pl.UInt32).alias("file"), pl.all()))
            n_missing += lacking
    frame = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    if not frame.height and any(one.texts for one in proposals):
        files = " ".join(dict.fromkeys(one.sheet.name for one in proposals))
        raise DataError(
            f"{files}: texts and no scores; a metric of them: metaeval score METRIC --summaries {files}"
        )
    if not frame.height:
        raise DataError(
            f"{listing(sheet.name for sheet in sheets)}: no cell holds a score; a column of another name is "
            "named with --col, as in --col human=gold"
        )
    frame, texts = with_whole_documents(frame, _texts(proposals))
    stems = [sheet.stem for sheet in sheets]
    lookup = {*stems, *(name for one in proposals for name in one.values)}
    frame = _by_people(_by_machines(frame, options.machines), options, lookup)
    if by:
        frame = _with_column(frame, proposals, by, "group").filter(pl.col("group").is_not_null())
    for column in options.columns.get("cluster", ()):
        frame = _with_column(frame, proposals, column, "cluster")
        if "document" in frame.columns:
            _require_whole_items(frame)
    frame = name_runs(fill_systems(frame, sheets, notes), options, notes)
    frame = order_names(frame)
    readings = {words: meaning for one in proposals for words, meaning in one.readings.items()}
    readings = dict([*readings.items()][:MAX_READINGS])
    try:
        frame, n_repeated = merge_repeats(frame, proposals, options, notes)
    except OpenQuestion:
        if not readings:
            raise
        names = listing(dict.fromkeys(one.sheet.name for one in proposals))
        raise OpenQuestion(f"{names} can be read in several ways; say which", readings) from None
    if not pool:
        frame = _drop_unshared_systems(frame, proposals, notes)
    if n_repeated:
        many = "1 score repeats another" if n_repeated == 1 else f"{n_repeated:,} scores repeat others"
        notes.append(f"{many}, with the same value; what stands twice counts once.")
    turned = lengths = ()
    if "first" not in frame.columns:
        notes += [*_codes(frame), *_note_sums(frame)]
        turned = _falling(frame, options.lower_is_better, options.higher_is_better, notes)
        lengths = _lengths(frame, [*options.judge_names, *options.columns.get("judge", ())], notes)
    frame = turn(frame, turned)
    texts = _one_text_each(texts, notes)
    return Tidy(
        frame, tuple(proposals), n_missing, n_repeated, turned, tuple(dict.fromkeys(notes)), lengths, texts,
        readings, tuple(role_options(proposals, options)),
    )  # fmt: skip


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
    several = isinstance(source, Iterable) and not isinstance(
        source, str | Mapping | pd.DataFrame | pl.DataFrame
    )
    sources = [] if source is None else [source] if not several else [*source]
    sources = sorted(sources, key=str) if isinstance(source, set | frozenset) else sources
    for one in sources:
        if not isinstance(one, str | os.PathLike | pd.DataFrame | pl.DataFrame):
            raise TypeError(
                f"files must be paths or data frames, got {type(one).__name__}; of arrays `as_benchmark` "
                "makes a Benchmark, which report, compare_judges and plan take"
            )
    return sources


def listed(names: str | Sequence[str] | None) -> list[str]:
    """Names that a user gives: none, one or several; those of a set, whose order is any, in order."""
    names = [] if names is None else [names] if isinstance(names, str) else names
    return sorted(names) if isinstance(names, set | frozenset) else list(names)


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
    requests = [
        (f"column, given for {role},", name) for role, names in options.columns.items() for name in names
    ]
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
        ("--pass", options.passes), ("--missing", options.missing),
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
    for one in proposals:
        if one.texts:
            columns = one.sheet.columns
            cells = {
                role: [columns[name].cells.cast(pl.String).str.strip_chars() for name in one.ids[role]]
                for role in ("system", "item")
            }
            ids = {
                role: pl.select(pl.concat_str(parts, separator="/")).to_series()
                for role, parts in cells.items()
            }
            ids = {"system": ids["system"], "document": ids["item"]}
            frames.append(pl.DataFrame(ids | {role: columns[name].cells for role, name in one.texts.items()}))
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()


def _one_text_each(texts: pl.DataFrame, notes: list[str]) -> pl.DataFrame | None:
    """Texts without such as repeat others; None where there are none, or two for one."""
    if not texts.width:
        return None
    merged = texts.unique(maintain_order=True)
    merged = merged.filter(pl.col("summary").is_not_null() & (pl.col("summary") != ""))
    if merged.select(pl.struct("system", "document").is_duplicated().any()).item():
        twice = merged.filter(pl.struct("system", "document").is_duplicated()).row(0, named=True)
        notes.append(
            f"Texts are not used: there are two for system {twice['system']!r}, document "
            f"{twice['document']!r}."
        )
        return None
    return merged


def _by_machines(frame: pl.DataFrame, machines: Sequence[str]) -> pl.DataFrame:
    """Rows of raters who are not people are judges', called after them."""
    if not machines:
        return frame
    raters = set(filter(None, frame.get_column("rater").unique().cast(pl.String)))
    for name in machines:
        if name not in (*raters, *frame.get_column("name").unique().cast(pl.String)):
            raise UnknownNameError(
                "rater, said to be a machine,",
                name,
                {*raters, *frame.get_column("name").unique().cast(pl.String)} - {PEOPLE},
            )
    own = pl.col("rater").cast(pl.String).is_in([*machines]).fill_null(False)
    return frame.with_columns(
        person=pl.col("person") & ~own,
        name=pl.when(own).then("rater").otherwise("name"),
        rater=pl.when(own).then(pl.lit("", pl.Categorical)).otherwise("rater"),
    )


def _by_people(frame: pl.DataFrame, options: Options, known_names: Iterable[str]) -> pl.DataFrame:
    """Rows of judges that are called after people are people's, under one name for each judgment."""
    names = frame.get_column("name").unique().cast(pl.String).to_list()
    columns = frame.get_column("rater").unique().cast(pl.String).to_list()
    for name in (*options.people, *options.raters):
        if name not in (*names, *columns, *known_names):
            raise UnknownNameError("judge or file, said to be people,", name, {*names, *known_names})
    raters = [*options.raters, *options.people] if are_raters(options.people) else options.raters
    for name in filter({*raters, *options.people}.__contains__, names):
        of = (
            Of(PEOPLE, rater=name, person=True)
            if name in raters
            else people_of(name) or Of(name, person=True)
        )
        own = pl.col("name") == name
        frame = frame.with_columns(
            person=pl.col("person") | own,
            name=pl.when(own).then(pl.lit(of.name, pl.Categorical)).otherwise("name"),
            rater=pl.when(own & (pl.col("rater") == ""))
            .then(pl.lit(of.rater, pl.Categorical))
            .otherwise("rater"),
        )
    return frame


def _with_column(frame: pl.DataFrame, proposals: Sequence[Proposal], column: str, name: str) -> pl.DataFrame:
    """Rows with what a column says of them, as `name`; those of files without it have what their item has."""
    group = pl.lit(None, pl.String)
    for i, one in enumerate(proposals):
        if column in one.sheet.columns:
            cells = one.sheet.columns[column].cells.cast(pl.String).str.strip_chars().str.strip_suffix(".0")
            own = frame.get_column("file") == i
            held = cells.gather(frame.get_column("row").set(~own, 0)) if own.any() else cells.head(0)
            group = pl.when(own).then(held).otherwise(group)
    frame = frame.with_columns(group.alias(name))
    if frame.get_column(name).is_null().any() and "document" in frame.columns:
        values = pl.col(name).drop_nulls()
        of_item = pl.when(values.n_unique().over("document") == 1).then(values.first().over("document"))
        frame = frame.with_columns(pl.coalesce(name, of_item).alias(name))
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
    for criterion in criteria:
        for group in groups:
            words = [
                criterion,
                f"{options.by} {group}" if group else ("all together" if len(groups) > 1 else ""),
            ]
            part = Part(", ".join(filter(None, words)), criterion, group)
            whole = select(data, part)
            if not whole.frame.height:
                continue
            blocks = [] if options.pool else blocks_of(whole)
            labels = [", ".join(filter(None, [part.label, _block_label(whole, block)])) for block in blocks]
            split = zip(labels, blocks, strict=True)
            parts += [replace(part, label=label, systems=tuple(block)) for label, block in split] or [part]
    return parts


def select(data: Tidy, part: Part) -> Tidy:
    """The rows of a part; judges of its criterion are called without it."""
    frame = data.frame
    if part.group:
        frame = frame.filter(pl.col("group") == part.group)
    if part.systems:
        frame = frame.filter(pl.col("system").is_in([*part.systems]))
    lengths, turned = data.lengths, data.turned
    if part.criterion:
        own = (pl.col("criterion") == part.criterion) & ~pl.col("person")
        frame = frame.filter(
            pl.when("person")
            .then(pl.col("name") == part.criterion)
            .otherwise((pl.col("criterion") == "") | own)
        )
        names = [*frame.filter(own).get_column("name").unique().cast(pl.String)]
        others = {*frame.filter(~own).get_column("name").unique().cast(pl.String)}
        short = {name: judge_of(name, part.criterion) for name in names}
        if len({*short.values()}) == len(short) and not others & {*short.values()}:
            frame = frame.with_columns(
                name=pl.when(own)
                .then(pl.col("name").cast(pl.String).replace(short))
                .otherwise(pl.col("name").cast(pl.String))
            )
            turned = tuple(short.get(name, name) for name in turned)
    present = {*frame.get_column("name").unique().cast(pl.String)}
    return replace(
        data, frame=order_names(frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))),
        lengths=tuple(name for name in lengths if name in present), turned=turned,
    )  # fmt: skip


def blocks_of(data: Tidy) -> list[list[str]]:
    """Systems by the items that they share, where those of two groups or more share none; else nothing."""
    if data.pairs or not data.names("document") or len(data.names("system")) < 3:
        return []
    cells = data.frame.select(pl.col("system").to_physical(), pl.col("document").to_physical()).unique()
    systems, documents = (
        cells.get_column(name).to_numpy().astype(np.int64) for name in ("system", "document")
    )
    n = len(data.frame.schema["system"].categories)
    size = n + len(data.frame.schema["document"].categories)
    _, labels = connected_components(
        coo_array((np.ones(len(systems)), (systems, documents + n)), shape=(size, size)), directed=False
    )
    names = data.frame.schema["system"].categories
    blocks: dict[int, list[str]] = {}
    for place in sorted({*systems.tolist()}):
        blocks.setdefault(int(labels[place]), []).append(names[place])
    shared = [block for block in blocks.values() if len(block) > 1]
    return shared if len(blocks) > 1 and shared else []


def _block_label(data: Tidy, block: Sequence[str]) -> str:
    """Name of a group of systems: the value of a column that they alone have, or their names."""
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


def _codes(frame: pl.DataFrame) -> list[str]:
    """Sentences on values that may mean no score: -1, 99 or 0 beside whole numbers that are none like it."""
    value, of = pl.col("value"), ("person", "name")
    rows = (
        frame.filter((value % 1 == 0).all().over(*of))
        .group_by(*of, maintain_order=True)
        .agg(
            values=value.unique().sort(),
            n=pl.len(),
            n_lowest=(value == value.min()).sum(),
            n_highest=(value == value.max()).sum(),
        )
        .rows(named=True)
    )
    people = sorted({end for row in rows if row["person"] for end in (row["values"][0], row["values"][-1])})
    both = {one for row in rows if row["person"] for one in row["values"][:4]}  # four are no scale around 0
    scale = both if both <= {-1, 0, 1} else {0, 1}
    notes = []
    for row in rows:
        values = row["values"]
        if len(values) < 3:
            continue
        # a code is at an end: with its count, and the ends of the others
        lowest = values[0], row["n_lowest"], values[1], values[-1]
        highest = values[-1], row["n_highest"], values[0], values[-2]
        for code, n, low, high in (lowest, highest):
            if code < 0 <= low and not set(values) <= scale:
                why = "the only value below 0"
            elif code in _NINES and code >= _FAR * high > 0:
                why = f"far above the others, {low:g} to {high:g}"
            elif code == 0 < low and people and people[0] >= 1 and high <= people[-1]:
                why = f"below people's scale, {people[0]:g} to {people[-1]:g}"
            else:
                continue
            notes.append(
                f"{row['name']}: {code:g} in {n:,} of {row['n']:,} scores, {why}, is read as a score; "
                "if it means that there is none, leave these cells empty."
            )
    return notes


def _falling(
    frame: pl.DataFrame, lower: Sequence[str], higher: Sequence[str], notes: list[str]
) -> tuple[str, ...]:
    """Judges of whom lower is better, as the user says or their names do."""
    names = frame.filter(~pl.col("person")).get_column("name").unique().cast(pl.String).to_list()
    for name in (*lower, *higher):
        if name not in names:
            raise UnknownNameError("judge", name, names)
    both = [name for name in names if name in lower and name in higher]
    if both:
        raise DataError(f"{listing(both)} cannot be better lower and higher; say one of both")
    guessed = [
        name for name in names if plain(name) in lexicon().directions_down and name not in (*lower, *higher)
    ]
    if guessed:
        notes.append(
            f"Lower is better for {joined(guessed)}, by the name, so the signs were turned; --higher NAME "
            "keeps them."
        )
    return *lower, *guessed


def _lengths(frame: pl.DataFrame, requests: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Judges that say by their names how long a text is, and are not asked about; none where all do."""
    names = frame.filter(~pl.col("person")).get_column("name").unique().cast(pl.String).sort().to_list()
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
