"""own.tidy: all files of a user's as one table: one row per score, whoever gave it.

Every value is checked, and an error names file, line, column and value. Rows that say the same twice count
once; two values for one thing are an error. Ten million rows are read in one pass of each file.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, UnknownNameError, listing
from metaeval.datasets.readers.tables import natural
from metaeval.own.columns import (
    CHOICES,
    LABELS,
    OUT_OF,
    PEOPLE,
    SHAPES,
    Layout,
    Of,
    are_raters,
    is_length,
    layout,
    parse_people_name,
    plain,
    require_columns,
)
from metaeval.own.files import Table, read_table
from metaeval.stats.ties import LARGEST
from metaeval.tables.wording import joined

Source = str | os.PathLike | pd.DataFrame | pl.DataFrame
IDS = ("system", "document", "name", "rater")
_FALLING = {"ter", "wer", "cer", "perplexity", "ppl", "loss", "error", "errors", "latency", "edit_distance"}
_JOINED = ("system", "document", "judge", "rater")  # may be named by several columns together
# what other programs write where there is no score
NO_SCORE = {"na", "n/a", "<na>", "nan", "null", "none", "nil", "-", "--", "?", "missing", "#n/a"}
_SUMS = {"mean", "average", "avg", "avg.", "total", "overall", "sum", "median", "std", "sd", "std. dev."}
_NINES, _FAR = (99, 999, 9999), 5  # codes for no score where all others are this many times smaller
_DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"
_WHOLE = re.compile(r"-?\d+(\.0)?")
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"  # all but tabs and line breaks


@dataclass(frozen=True, eq=False)
class Tidy:
    """All scores of some files.

    Attributes
    ----------
    frame : polars DataFrame
        Columns file and row (numbers), system, document, name, rater (categories in natural order; "" where
        there is none), person (whether people gave it), value; and first, second of choices between two
        outputs, where the value is 1 for the first, 0 for the second, 0.5 for neither. A score that is
        missing has no row.
    tables : the files
    n_missing : cells without a score
    n_repeated : rows that said again what another had said
    turned : judges whose signs were turned
    notes : what was guessed, turned or left out, in sentences
    lengths : judges that say how long a text is, by their names, beside others
    texts : polars DataFrame or None
        Columns system, document, summary, and source where every file of texts has one; a row each.
    """

    frame: pl.DataFrame
    tables: tuple[Table, ...]
    n_missing: int
    n_repeated: int
    turned: tuple[str, ...]
    notes: tuple[str, ...]
    lengths: tuple[str, ...] = ()
    texts: pl.DataFrame | None = None

    @property
    def pairs(self) -> bool:
        """Whether these are choices between two outputs."""
        return "first" in self.frame.columns

    def names(self, column: str, *, person: bool | None = None) -> list[str]:
        """What is in a column of ids, in natural order, without ""."""
        frame = self.frame if person is None else self.frame.filter(pl.col("person") == person)
        return sorted(filter(None, frame.get_column(column).unique().cast(pl.String)), key=natural)


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
) -> Tidy:
    """The scores, labels or choices of some files.

    Parameters
    ----------
    sources : path, DataFrame, or a sequence of these
        In CSV, TSV, JSON Lines, Parquet or (with the extra ``excel``) Excel, in any of the layouts of
        `metaeval.own.columns`.
    columns : mapping, role -> column, or columns that make it together (people's: each for itself)
        Roles are those of `metaeval.own.columns.ROLES`; where a column is not called by a usual name.
    people : names of judges, or of files without what they end with, whose scores are people's
        Such as differ only in a number or letter at the end (ann1, ann2) are raters of one thing.
    raters : names of judges, or of files, each of whom is a person who rated the same thing
    machines : names of raters who are not people, such as language models
    lower_is_better : judges whose signs are turned, so that higher is better
    higher_is_better : judges whose signs are kept, whatever their names say
        What says by its name how long a text is is a judge only if it is named here, above or below.
    judges : judges that are asked about, if not all
        A column that merely counts the rows is left out, unless it is named here or above.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        Naming file, line, column and value, and what to do.
    """
    sources, people, raters, machines = as_sources(sources), listed(people), listed(raters), listed(machines)
    if not sources:
        raise DataError(f"no file is given; {SHAPES}")
    tables = [
        read_table(source, "the table" if len(sources) == 1 else f"table {i}")
        for i, source in enumerate(sources, 1)
    ]
    for table in tables:  # a column's name is a judge's, and is printed
        for name in filter(re.compile(_CONTROL).search, table.frame.columns):
            raise DataError(f"{table.name}: the column {name!r} holds a control character; take it out")
    given = {role: listed(said) for role, said in (columns or {}).items()}
    require_columns(tables, given)
    tables = [_with_joined(table, given) for table in tables]
    given |= {role: ["/".join(said)] for role, said in given.items() if role in _JOINED and len(said) > 1}
    named = [*people, *raters]
    lower, higher = listed(lower_is_better), listed(higher_is_better)
    names = {"people": named, "asked": [*lower, *higher, *listed(judges)]}
    layouts = [layout(table, given, systems_across=True, **names) for table in tables]
    if any(not one.pairs and one.across != "systems" and "system" not in one.roles for one in layouts):
        layouts = [layout(table, given, systems_across=False, **names) for table in tables]
    notes = [note for one in layouts for note in one.notes]
    if len({one.pairs for one in layouts}) > 1:
        named = [table.name for table, one in zip(tables, layouts, strict=True) if one.pairs]
        raise DataError(
            f"choices between two outputs in {listing(named)}, and scores in other files; read them apart"
        )
    unnamed = [table.name for table, one in zip(tables, layouts, strict=True) if one.numbers_rows]
    if unnamed and len(tables) > 1:
        raise DataError(f"{listing(unnamed)}: no column of documents to join the files by; add one to each")
    parts, n_missing = [], 0
    for i, (table, how) in enumerate(zip(tables, layouts, strict=True)):
        if not how.values:  # a file of texts alone
            continue
        part, lacking = _part(table, how, people=named, notes=notes)
        parts.append(part.select(pl.lit(i, pl.UInt32).alias("file"), pl.all()))
        n_missing += lacking
    frame = pl.concat(parts, how="diagonal") if parts else pl.DataFrame()
    if not frame.height:
        raise DataError(f"{listing(table.name for table in tables)}: no cell holds a score; {SHAPES}")
    frame, texts = _with_whole_documents(frame, _texts(tables, layouts))
    frame = _by_people(_by_machines(frame, machines), people, raters, [table.stem for table in tables])
    frame, n_repeated = _once(_ordered(_joined(frame, tables, notes)), tables)
    if n_repeated:
        many = "1 score repeats another" if n_repeated == 1 else f"{n_repeated:,} scores repeat others"
        notes.append(f"{many}, with the same value; what stands twice counts once.")
    turned = lengths = ()
    if not layouts[0].pairs:
        notes += [*_codes(frame), *_of_others(frame)]
        turned = _falling(frame, lower, higher, notes)
        lengths = _lengths(frame, names["asked"], notes)
    frame = turn(frame, turned)
    texts = _one_text_each(texts, notes)
    return Tidy(frame, tuple(tables), n_missing, n_repeated, turned, tuple(notes), lengths, texts)


def as_sources(given: object) -> list[Source]:
    """Files and data frames that a user gives: none, one or several.

    Raises
    ------
    TypeError
        For anything else, such as an array.
    """
    several = isinstance(given, Iterable) and not isinstance(
        given, str | Mapping | pd.DataFrame | pl.DataFrame
    )
    found = [] if given is None else [given] if not several else [*given]
    found = sorted(found, key=str) if isinstance(given, set | frozenset) else found
    for one in found:
        if not isinstance(one, str | os.PathLike | pd.DataFrame | pl.DataFrame):
            raise TypeError(
                f"files must be paths or data frames, got {type(one).__name__}; of arrays `as_benchmark` "
                "makes a Benchmark, which report, compare_judges and plan take"
            )
    return found


def listed(names: str | Sequence[str] | None) -> list[str]:
    """Names that a user gives: none, one or several; those of a set, whose order is any, in order."""
    names = [] if names is None else [names] if isinstance(names, str) else names
    return sorted(names) if isinstance(names, set | frozenset) else list(names)


def _texts(tables: Sequence[Table], layouts: Sequence[Layout]) -> pl.DataFrame:
    """Summaries by system and document, and sources, of every file that has them."""
    frames = []
    for table, how in zip(tables, layouts, strict=True):
        if how.texts:
            ids = [
                _labels(table, how.roles[role], role, []).cast(pl.String) for role in ("system", "document")
            ]
            frames.append(pl.DataFrame(ids).hstack(table.frame.select(**how.texts)))
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()


def _one_text_each(texts: pl.DataFrame, notes: list[str]) -> pl.DataFrame | None:
    """Texts without such as repeat others; None where there are none, or two for one."""
    if not texts.width:
        return None
    found = texts.unique(maintain_order=True)
    found = found.filter(pl.col("summary").is_not_null() & (pl.col("summary") != ""))
    if found.select(pl.struct("system", "document").is_duplicated().any()).item():
        twice = found.filter(pl.struct("system", "document").is_duplicated()).row(0, named=True)
        notes.append(
            f"Texts are not used: there are two for system {twice['system']!r}, document "
            f"{twice['document']!r}."
        )
        return None
    return found


def _with_whole_documents(*frames: pl.DataFrame) -> list[pl.DataFrame]:
    """Frames whose documents lose the ".0" of whole numbers, if all of all frames are whole.

    Other programs add it beside missing numbers; beside 1.1 it is a part of the name.
    """
    having = [frame.get_column("document") for frame in frames if "document" in frame.columns]
    names = {name for column in having for name in column.unique().cast(pl.String)} - {None, ""}
    if not all(map(_WHOLE.fullmatch, names)):
        return [*frames]
    short = {name: name.removesuffix(".0") for name in names if name.endswith(".0")}
    return [
        frame.with_columns(pl.col("document").replace(short))
        if short and "document" in frame.columns
        else frame
        for frame in frames
    ]


def _with_joined(table: Table, given: Mapping[str, Sequence[str]]) -> Table:
    """A table with a further column for what the user names by several: question and turn are a document."""
    together = [
        pl.concat_str(pl.col(said).cast(pl.String), separator="/").alias("/".join(said))
        for role, said in given.items()
        if role in _JOINED and len(said) > 1 and set(said) <= set(table.frame.columns)
    ]
    return replace(table, frame=table.frame.with_columns(together)) if together else table


def _part(table: Table, how: Layout, *, people: Sequence[str], notes: list[str]) -> tuple[pl.DataFrame, int]:
    """One file's scores, one row each, and how many cells have none."""
    ids = [pl.int_range(table.frame.height, dtype=pl.UInt32, eager=True).alias("row")]
    ids += [
        _labels(table, column, role, notes)
        for role, column in how.roles.items()
        if role not in ("score", "choice", "human")
    ]
    if how.numbers_rows:
        notes.append(f"{table.name}: without a column of documents, each row is an item of its own.")
        ids.append((ids[0] + 1).cast(pl.String).cast(pl.Categorical).alias("document"))
    held = _cells(_with_points(table, [*how.values], notes))
    wide = pl.DataFrame(ids).hstack(held)
    if table.separator and table.frame.width > 1:  # blank lines
        wide = wide.filter(~table.frame.select(pl.all_horizontal(pl.all() == "")).to_series())
    long = wide.unpivot(
        on=held.columns, index=[one.name for one in ids], variable_name="of", value_name="cell"
    )
    long = long.with_columns(pl.col("of").cast(pl.Enum(held.columns)))
    value = _chosen(table, how, long) if how.pairs else _numbers(table, how, long, notes)
    long = long.drop("cell").with_columns(value.alias("value")).filter(pl.col("value").is_not_null())
    for role in ("system", "document", "judge", "rater", "first", "second"):
        if role in how.roles:
            _require_named(table, how, long, role)
    n_missing = len(value) - long.height
    return _named(table, how, long, people), n_missing


def _with_points(table: Table, columns: Sequence[str], notes: list[str]) -> pl.DataFrame:
    """Columns of values, decimal commas turned into points where semicolons part the cells.

    So spreadsheets of many countries write CSV. A column that has points as well is left, and one
    whose commas may all part thousands.
    """
    held = table.frame.select(columns)
    if table.separator != ";":
        return held
    turned = []
    for cells in held.iter_columns():
        texts = cells.str.strip_chars()
        odd = texts.filter(texts.str.contains("[.,]"))
        if len(odd) and odd.str.contains(_DECIMAL_COMMA).all() and not odd.str.contains(_THOUSANDS).all():
            turned.append(texts.str.replace(",", ".", literal=True))
    if turned:
        names = joined([cells.name for cells in turned])
        notes.append(
            f"{table.name}: the commas of {names} are decimal commas, by the semicolons around them."
        )
    return held.with_columns(turned)


def _cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of values by their place, all numbers or all texts."""
    numbers = all(dtype.is_numeric() or dtype == pl.Boolean for dtype in frame.dtypes)
    cast = frame.cast(pl.Float64 if numbers else pl.String)
    return cast.rename({name: f"{i}" for i, name in enumerate(frame.columns)})


def _labels(table: Table, column: str, role: str, notes: list[str]) -> pl.Series:
    """Names as categories, without spaces around them."""
    cells = table.frame.get_column(column)
    if cells.dtype.is_float() and (cells.drop_nulls().drop_nans() % 1 == 0).all():
        cells = cells.fill_nan(None).cast(pl.Int64)  # whole numbers beside missing ones
        cells = cells.cast(pl.String) + ".0" if role == "document" else cells  # which other files may need
    found = cells.cast(pl.String).cast(pl.Categorical).alias(role)
    names = found.unique().drop_nulls().cast(pl.String)
    odd = names.filter(names.str.contains(_CONTROL))
    if len(odd):
        row = (found == odd[0]).arg_true()[0]
        raise DataError(
            f"{table.place(row)}, column {column!r}: {odd[0]!r} holds a control character; take it out"
        )
    spaced = names.filter(names.str.strip_chars() != names)
    if len(spaced):
        notes.append(f"{table.name}: spaces around names in the column {column!r} do not count.")
        found = found.replace({name: name.strip() for name in spaced})
    return found


def _require_named(table: Table, how: Layout, long: pl.DataFrame, role: str) -> None:
    """Raise where a score is of nothing; a row names a judge, a rater, or both."""
    empty = _is_empty(long.get_column(role))
    if role == "judge" and "rater" in how.roles:
        empty &= _is_empty(long.get_column("rater"))
    if role == "rater" or not empty.any():
        return
    row = long.get_column("row")[empty.arg_true()[0]]
    raise DataError(
        f"{table.place(row)}, column {how.roles[role]!r}: the name of the {role} is empty; fill it in, also "
        "where cells are merged, or leave the line out"
    )


def _is_empty(names: pl.Series) -> pl.Series:
    return names.is_null() | (names == "")


def _tells_people_apart(how: Layout, long: pl.DataFrame) -> bool:
    """Whether some of a file's scores are people's by their names, so that its own name says nothing."""
    persons = [of.person for of in how.values.values()]
    if "judge" in how.roles:
        persons += [parse_people_name(f"{name}") is not None for name in long.get_column("judge").unique()]
    return any(persons) and not all(persons)


def _named(table: Table, how: Layout, long: pl.DataFrame, people: Sequence[str]) -> pl.DataFrame:
    """Rows of a file with the columns of `Tidy.frame`; what the file does not say is null."""
    columns = {f"{i}": (name, of) for i, (name, of) in enumerate(how.values.items())}
    called = parse_people_name(table.stem) is not None and not _tells_people_apart(how, long)
    of_file = called or table.stem in people
    alone = PEOPLE if parse_people_name(table.stem) else table.stem

    def said(what: Callable[[str, Of], str | None]) -> pl.Expr:
        """What each column of values says, as a category."""
        said = {column: what(name.strip(), of) for column, (name, of) in columns.items()}
        return pl.col("of").replace_strict(said, return_dtype=pl.String).cast(pl.Categorical)

    ids = {role: pl.col(role) for role in ("system", "document", "first", "second") if role in long.columns}
    if how.pairs:
        ids = {side: pl.lit(side, pl.Categorical) for side in ("first", "second")} | ids
    if how.across in ("systems", "documents"):
        ids[how.across.removesuffix("s")] = said(lambda name, of: name)
    judge = pl.lit(alone, pl.Categorical)
    if "judge" in how.roles:  # of a rater without a judge's name beside it what people say, by its usual name
        nobody = pl.col("judge").is_null() | (pl.col("judge") == "")
        judge = pl.when(nobody).then(pl.lit(PEOPLE, pl.Categorical)).otherwise("judge")
    rater = said(lambda name, of: of.rater)
    persons = [column for column, (_, of) in columns.items() if of.person]
    if "rater" in how.roles:
        rater = pl.coalesce(pl.col("rater"), rater)
        # a judge's column beside theirs
        beside = [column for column, (_, of) in columns.items() if of.name and not of.person]
        rater = pl.when(pl.col("of").is_in(beside)).then(pl.lit("", pl.Categorical)).otherwise(rater)
    return long.select(
        "row",
        "value",
        name=pl.coalesce(said(lambda name, of: of.name or None), judge),
        rater=rater,
        person=pl.lit(of_file) | pl.col("of").is_in(persons) | (rater != ""),
        **ids,
    )


def _numbers(table: Table, how: Layout, long: pl.DataFrame, notes: list[str]) -> pl.Series:
    """The scores of cells, null where there is none."""
    cells = long.get_column("cell")
    if cells.dtype == pl.Float64:
        values = cells.fill_nan(None)
        odd = ~_usable(values) & values.is_not_null()
    else:
        values = cells.cast(pl.Float64, strict=False)
        odd = ((cells != "") & ~_usable(values)).fill_null(False)
    if not odd.any():
        return values
    rows = long.select("of", "row", text=cells.cast(pl.String).str.strip_chars()).filter(odd)
    numbers = rows.get_column("text").cast(pl.Float64, strict=False)
    lower = rows.get_column("text").str.to_lowercase()
    words = lower.replace_strict(LABELS, default=None, return_dtype=pl.Float64)
    # a column is of labels, or of numbers
    mixed = set(long.get_column("of").filter(~odd & values.is_not_null()).unique())
    is_label = words.is_not_null() & ~rows.get_column("of").is_in(sorted(mixed))
    missing = lower.is_in(sorted(NO_SCORE)) & ~is_label
    numbers = pl.select(pl.when(missing).then(None).otherwise(numbers)).to_series()  # of "NaN" too
    wrong = rows.with_columns(number=numbers).filter(
        ~_usable(numbers) & ~is_label & ~missing & (rows.get_column("text") != "")
    )
    if wrong.height:
        of, row, text, number = wrong.row(0)
        column = [*how.values][int(of)]
        too_large = number is not None and np.isfinite(number)
        must = f"of at most {LARGEST:g} in size" if too_large else "a finite number"
        raise DataError(
            f"{table.place(row)}, column {column!r}: a score must be {must}, got {text!r}{_advice(text)}"
        )
    if missing.any():
        marks = sorted(set(rows.get_column("text").filter(missing)))
        notes.append(f"{table.name}: {', '.join(map(repr, marks))} in {missing.sum():,} cells: no score.")
    if is_label.any():
        named = sorted(set(lower.filter(is_label)), key=LABELS.get)
        notes.append(f"{table.name}: {', '.join(f'{word!r} counts {LABELS[word]:g}' for word in named)}.")
    return values.scatter(odd.arg_true(), numbers.zip_with(numbers.is_not_null(), words))


def _usable(values: pl.Series) -> pl.Series:
    """Where there is a score, and not one of which sums overflow."""
    return (values.abs() <= LARGEST).fill_null(False)


def _advice(text: str) -> str:
    """What to do about a text in place of a number."""
    if re.search(_THOUSANDS, text):
        whole, point = text.replace(",", ""), text.replace(",", ".")
        return f"; write {whole} if the comma parts thousands, {point} if it is a decimal comma"
    if re.search(_DECIMAL_COMMA, text):
        return f"; write {text.replace(',', '.')}, with a point"
    if text.endswith("%"):
        return "; write the number without the percent sign, alike in all lines"
    if re.fullmatch(OUT_OF, text):
        return f"; write {text.partition('/')[0].strip()} alone, if all lines are out of the same number"
    if text.casefold().lstrip("+-") in ("inf", "infinity"):
        return ""
    return "; write a number, or leave the cell empty where there is no score"


def _chosen(table: Table, how: Layout, long: pl.DataFrame) -> pl.Series:
    """How far the first output is called the better: 1, 0, or 0.5; null where there is no choice."""
    cells = long.get_column("cell")
    if cells.dtype == pl.Float64:
        cells = cells.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    cells = cells.str.strip_chars().str.to_lowercase()
    words = dict(CHOICES)
    if (cells == "2").any():
        words["0"] = 0.5  # of 1 and 2, nought is neither
    values = cells.replace_strict(words, default=None, return_dtype=pl.Float64)
    n_called = pl.zeros(len(cells), pl.Int64, eager=True)
    for role, value in (("first", 1.0), ("second", 0.0)):
        if role in how.roles:
            same = (cells == long.get_column(role).cast(pl.String).str.to_lowercase()).fill_null(False)
            values = pl.select(pl.when(same).then(value).otherwise(values)).to_series()
            n_called += same.cast(pl.Int64)
    for wrong, what in (
        (values.is_null() & (cells != ""), "is no choice of two; write the better one's name,"),
        ((n_called == 2) & (cells != ""), "is the name of both, for upper and lower case are alike; write"),
    ):
        if wrong.any():
            row, of, cell = long.select("row", "of", "cell").row(wrong.arg_true()[0])
            raise DataError(
                f"{table.place(row)}, column {[*how.values][int(of)]!r}: {cell!r} {what} 1, 2 or tie, or "
                "leave the cell empty"
            )
    return values


def _by_machines(frame: pl.DataFrame, machines: Sequence[str]) -> pl.DataFrame:
    """Rows of raters who are not people are judges', called after them."""
    if not machines:
        return frame
    raters = set(filter(None, frame.get_column("rater").unique().cast(pl.String)))
    for name in machines:
        if name not in raters:
            raise UnknownNameError("rater, said to be a machine,", name, raters)
    own = pl.col("rater").cast(pl.String).is_in([*machines]).fill_null(False)
    return frame.with_columns(
        person=pl.col("person") & ~own,
        name=pl.when(own).then("rater").otherwise("name"),
        rater=pl.when(own).then(pl.lit("", pl.Categorical)).otherwise("rater"),
    )


def _by_people(
    frame: pl.DataFrame, people: Sequence[str], raters: Sequence[str], stems: Sequence[str]
) -> pl.DataFrame:
    """Rows of judges that are called after people are people's, under one name for each judgment."""
    names = frame.get_column("name").unique().cast(pl.String).to_list()
    for name in (*people, *raters):
        if name not in (*names, *stems):
            raise UnknownNameError("judge or file, said to be people,", name, {*names, *stems})
    raters = [*raters, *people] if are_raters(people) else raters
    for name in names:
        of = parse_people_name(name)
        if name in raters:
            of = Of(PEOPLE, rater=name)
        elif of is None and name in people:
            of = Of(name)
        if of is None:
            continue
        own = pl.col("name") == name
        frame = frame.with_columns(
            person=pl.col("person") | own,
            name=pl.when(own).then(pl.lit(of.name, pl.Categorical)).otherwise("name"),
            rater=pl.when(own & (pl.col("rater") == ""))
            .then(pl.lit(of.rater, pl.Categorical))
            .otherwise("rater"),
        )
    return frame


def _joined(frame: pl.DataFrame, tables: Sequence[Table], notes: list[str]) -> pl.DataFrame:
    """What a file does not say of its documents' systems is told by the other files, where only one fits."""
    if "first" in frame.columns:
        return frame
    for column in ("system", "document"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit("", pl.Categorical).alias(column))
    lacking = frame.get_column("document").is_null()
    if lacking.any():
        name = tables[frame.filter(lacking).get_column("file")[0]].name
        raise DataError(
            f"{name} has no column of documents, and another file has one; add it, or leave it out"
        )
    lacking = frame.get_column("system").is_null()
    if not lacking.any():
        return frame
    name = tables[frame.filter(lacking).get_column("file")[0]].name
    known = frame.filter(~lacking).select("document", "system").unique()
    several = known.get_column("document").is_duplicated()
    if several.any():
        document = known.filter(several).get_column("document")[0]
        raise DataError(
            f"{name} has no column of systems, and the document {document!r} is of several systems in "
            "another file, so its rows could be of any; add the column"
        )
    notes.append(f"{name}: its systems are those that the other file has for its documents.")
    found = frame.select("document").join(known, on="document", how="left", maintain_order="left")
    system = frame.get_column("system").zip_with(~lacking, found.get_column("system"))
    if system.is_null().any():
        unknown = frame.filter(system.is_null()).get_column("document").unique().cast(pl.String)
        raise DataError(
            f"{name}: documents that no other file has: {listing(unknown)}; add a column of systems"
        )
    return frame.with_columns(system)


def _ordered(frame: pl.DataFrame) -> pl.DataFrame:
    """Names as categories in natural order."""
    columns = [one for one in (*IDS, "first", "second") if one in frame.columns]
    filled = frame.with_columns(pl.col(columns).fill_null(""))
    orders = {
        column: pl.Enum(sorted(filled.get_column(column).unique().cast(pl.String), key=natural))
        for column in columns
    }
    if {"first", "second"} <= orders.keys():
        both = {name for column in ("first", "second") for name in orders[column].categories}
        orders |= dict.fromkeys(("first", "second"), pl.Enum(sorted(both, key=natural)))
    return filled.cast(orders)


def _once(frame: pl.DataFrame, tables: Sequence[Table]) -> tuple[pl.DataFrame, int]:
    """Rows without those that repeat another one's value; raises where the values differ."""
    columns = [one for one in (*IDS, "person", "first", "second") if one in frame.columns]
    key = pl.lit(0, pl.UInt64)
    for column in columns:
        size = 2 if column == "person" else len(frame.schema[column].categories)
        key = key * size + pl.col(column).to_physical().cast(pl.UInt64)
    keys = frame.select(key.alias("key")).to_series()
    if keys.n_unique() == len(keys):
        return frame, 0
    of = frame.select("file", "row", "value", *columns).with_columns(keys)
    again = of.filter(keys.is_duplicated())
    spread = again.group_by("key").agg((pl.col("value").max() != pl.col("value").min()).alias("differs"))
    n_differing = spread.get_column("differs").sum()
    if n_differing:
        differing = again.join(spread.filter("differs"), on="key", how="semi", maintain_order="left")
        rows = differing.filter(pl.col("key") == differing.get_column("key")[0])
        one = rows.row(0, named=True)
        other = rows.filter(pl.col("value") != one["value"]).row(0, named=True)
        what = ", ".join(f"{c} {one[c]!r}" for c in columns if c != "person" and one[c])
        found = (
            f"{tables[other['file']].place(other['row'])}: {other['value']:g} for {what}, but "
            f"{one['value']:g} in {tables[one['file']].place(one['row'])}; {n_differing} such contradiction"
            f"{'s' * (n_differing > 1)}"
        )
        lacking = [c for c in ("document", "system") if c in columns and not one[c]]
        if lacking:
            table = tables[other["file"]]
            raise DataError(
                f"{table.name}: no column says which {lacking[0]} a row is of. Its columns are "
                f"{listing(table.frame.columns)}; name it with --col {lacking[0]}=COLUMN, or add it, or tell "
                f"raters apart (--col rater=COLUMN), for rows contradict each other. {found}"
            )
        raise DataError(
            f"{found}: keep one score of each, tell raters apart in a column rater (--col rater=COLUMN), or "
            "name all columns that make a document: --col document=A --col document=B"
        )
    kept = frame.with_columns(keys).unique("key", keep="first", maintain_order=True).drop("key")
    return kept, frame.height - kept.height


def _of_others(frame: pl.DataFrame) -> list[str]:
    """A sentence on systems and documents called what sums up others, as a last line does, or is no name."""
    return [
        f"{name!r} is read as a {column}; if it sums up others, or means that there is none, leave its lines "
        "out."
        for column in ("system", "document")
        for name in frame.get_column(column).unique().sort().cast(pl.String)
        if name.casefold() in _SUMS | NO_SCORE
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
    guessed = [name for name in names if plain(name) in _FALLING and name not in (*lower, *higher)]
    if guessed:
        notes.append(
            f"Lower is better for {joined(guessed)}, by the name, so the signs were turned; --higher NAME "
            "keeps them."
        )
    return *lower, *guessed


def _lengths(frame: pl.DataFrame, asked: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Judges that say by their names how long a text is, and are not asked about; none where all do."""
    names = frame.filter(~pl.col("person")).get_column("name").unique().cast(pl.String).sort().to_list()
    found = [name for name in names if is_length(name) and name not in asked]
    if not found or len(found) == len(names):
        return ()
    its, say = ("its name", "says") if len(found) == 1 else ("their names", "say")
    notes.append(
        f"By {its} {joined(found)} {say} how long a text is, which judges nothing: a report takes that for a "
        f"baseline and not for a judge; if it judges: --higher {' '.join(map(shlex.quote, found))}."
    )
    return tuple(found)


def turn(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The rows of a tidy table with the signs of some judges turned."""
    own = pl.col("name").is_in([*names]) & ~pl.col("person")
    return (
        frame.with_columns(value=pl.when(own).then(-pl.col("value")).otherwise("value")) if names else frame
    )
