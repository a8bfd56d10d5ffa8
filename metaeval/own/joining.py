"""own.joining: several tables with their roles as one table, a row for each score, whoever gave it."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, OpenQuestion, listing
from metaeval.datasets.readers.tables import natural
from metaeval.own.contents import Column
from metaeval.own.parsing import Table, parse
from metaeval.own.roles import MAX_READINGS, WEAK, match_criteria, propose
from metaeval.own.runs import merge_runs, only_runs_differ
from metaeval.own.sheets import Options, Proposal, Sheet
from metaeval.own.tools import Recognised, recognise_all
from metaeval.own.unfolding import unfold
from metaeval.own.values import read_choices, read_scores
from metaeval.own.words import (
    PEOPLE,
    Of,
    is_length,
    is_machine,
    kinds_of,
    lexicon,
    people_of,
    plain,
    split_owners,
    tokens,
    why_ignored,
)
from metaeval.tables.wording import counted

NAMES = ("system", "document", "name", "rater")
_OWNED = {"name": "name", "rater": "theirs", "person": "person", "criterion": "criterion"}
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"  # all but tabs and line breaks
_WHOLE = re.compile(r"-?\d+(\.0)?")
MIN_ROWS = 10  # of a table from which rows may be left out
MAX_ENDS = 3  # rows at an end that may be sums
USUAL = 0.8  # share of filled cells of a column that all have
_OVERLAP = 0.5  # share of ids in common by which columns of other names join files
_GROUP_WORDS = {"human", "humans", "people", "gold"}  # before what people judge, and not before who they are


# --------------------------------------------------------------------------------------------------- sheets


def read_sheets(sources: Sequence[object]) -> list[Sheet]:
    """Tables of some files or data frames, with the roles of the tools that wrote them."""
    sheets = []
    for i, source in enumerate(sources, 1):
        alone = "the table" if len(sources) == 1 else f"table {i}"
        if isinstance(source, pl.DataFrame):
            source = pd.DataFrame({name: source[name].to_list() for name in source.columns})
        if isinstance(source, pd.DataFrame):
            names = [name for name in source.index.names if name is not None and name not in source.columns]
            source = source.reset_index(level=names) if names else source
        tables = parse(source, alone) if isinstance(source, pd.DataFrame) else parse(source)
        for table in recognise_all(tables):
            sheets += _sheets_of(table)
    return sheets


def _sheets_of(lookup: Table | Recognised) -> list[Sheet]:
    table = lookup.table if isinstance(lookup, Recognised) else lookup
    for name in filter(
        re.compile(_CONTROL).search, table.frame.columns
    ):  # a column's name is a judge's, and is printed
        raise DataError(f"{table.file}: the column {name!r} holds a control character; take it out")
    if isinstance(lookup, Recognised):
        tables = [
            (replace(lookup.table, notes=(*lookup.table.notes, f"read as {lookup.tool}")), dict(lookup.roles))
        ]
    else:
        tables = list(unfold(lookup))
    return [
        Sheet(
            one.file, one.name,
            {name: Column(name, _series(cells)) for name, cells in one.frame.items()}, one, tool_roles,
        )
        for one, tool_roles in tables
    ]  # fmt: skip


def _series(cells: pd.Series) -> pl.Series:
    """Cells as polars has them: numbers, texts, or Python objects where there are lists."""
    if pd.api.types.is_bool_dtype(cells) and cells.dtype != object:
        return pl.Series(cells.to_numpy(dtype=object).tolist(), dtype=pl.Boolean)
    if pd.api.types.is_integer_dtype(cells) and not cells.hasnans:
        return pl.Series(cells.to_numpy(dtype=getattr(cells.dtype, "numpy_dtype", cells.dtype)))
    if pd.api.types.is_numeric_dtype(cells):
        return pl.Series(cells.to_numpy(dtype=float, na_value=np.nan), nan_to_null=True)
    values = cells.to_numpy(dtype=object)
    nested = any(isinstance(cell, list | dict | set | tuple | np.ndarray | bytes) for cell in values[:1000])
    if nested:
        return pl.Series(values.tolist(), dtype=pl.Object)
    missing = pd.isna(values)
    if missing.any():
        values = np.where(missing, None, values)
    try:
        return pl.Series(values.tolist(), dtype=pl.String)
    except TypeError:
        texts = [None if cell is None else f"{cell}" for cell in values.tolist()]
        return pl.Series(texts, dtype=pl.String)


def propose_all(sheets: Sequence[Sheet], options: Options) -> list[Proposal]:
    """Proposals for all tables; one without scores is left out where another of its file has some.

    Raises
    ------
    DataError
        If a file holds no scores.
    """

    def each(**how: bool) -> list[Proposal]:
        proposals, errors = [], {}
        for sheet in sheets:
            try:
                proposals.append(propose(sheet, options, **how))
            except DataError as error:
                errors.setdefault(sheet.name, error)
        held = {one.sheet.name for one in proposals}
        for name, error in errors.items():
            if name not in held:
                raise error
        return proposals

    proposals = each()
    if any(one.pairs for one in proposals) and not all(one.pairs for one in proposals):
        proposals = each(pairs=True)
    if any(
        not one.pairs and one.across != "systems" and "system" not in one.ids and one.values
        for one in proposals
    ):
        proposals = each(systems_across=False, pairs=any(one.pairs for one in proposals))
    scored = [one for one in proposals if one.values]
    if len({one.pairs for one in scored}) > 1:
        named = [one.sheet.name for one in scored if one.pairs]
        raise DataError(
            f"choices between two outputs in {listing(named)}, and scores in other files; read them apart"
        )
    across = [one for one in scored if one.across == "systems"]
    if len(across) > 1 and len({frozenset(one.values) for one in across}) == 1:  # alike in several files
        for one in across:
            one.readings.clear()
    _own_files(scored, options)
    _ask_leaderboards(scored, options)
    _link(scored, options)
    return proposals


# --------------------------------------------------------------------------------------------- whose it is


def _own_files(proposals: Sequence[Proposal], options: Options) -> None:
    """Owners by the names of files, where columns leave it open: people's, judges', a rater's each."""
    whole = {id(one): one for one in proposals}
    for one in whole.values():
        stem = one.sheet.stem
        of = people_of(stem) or (
            Of(PEOPLE, person=True)
            if stem in (*options.people, *options.raters) and stem not in one.sheet.columns
            else None
        )
        mixed = any(x.person for x in one.values.values()) and not all(x.person for x in one.values.values())
        free = {
            name
            for name, x in one.values.items()
            if not one.sheet.tool_roles.get(name) and name not in options.named
        }
        if mixed or "judge" in one.ids:
            continue
        if of is not None:
            named = stem in options.people and people_of(stem) is None
            rater = stem if of.rater or stem in options.raters else ""
            for name in free:
                x = one.values[name]
                if not x.person and (not is_machine(name) or one.across != "judges"):
                    several_columns = x.name and len(free) > 1
                    called = (
                        name
                        if several_columns
                        else stem
                        if named and not x.name
                        else PEOPLE
                        if not x.name or len(free) == 1
                        else name
                    )
                    one.values[name] = Of(called, rater=rater, person=True)
                elif x.person and not x.rater and rater:
                    one.values[name] = replace(x, rater=rater)
        elif (
            is_machine(stem)
            and len(proposals) > 1
            and all(x.person and not x.rater for x in one.values.values())
            and not one.ids.keys() & {"rater"}
        ):
            for name in free:
                x = one.values[name]
                if people_of(name) is None or plain(name) in WEAK:
                    one.values[name] = Of(
                        stem if x.name == PEOPLE else f"{stem}_{name}",
                        criterion="" if x.name == PEOPLE else x.name,
                    )
    criteria = {
        x.name for one in whole.values() for x in one.values.values() if x.person and x.name != PEOPLE
    }
    for one in whole.values():
        if any(x.person for x in one.values.values()):
            criteria |= {
                word for name in one.ids.get("criterion", []) for word in one.sheet.columns[name].words
            }
    _ask_files([*whole.values()], options)
    for one in whole.values():
        for name, x in one.values.items():
            if len(whole) > 1 and not x.person and x.name == name and name in criteria:
                one.values[name] = Of(f"{one.sheet.stem}_{name}", criterion=name)
        one.values = match_criteria(one.values, criteria)
    several = defaultdict(set)
    for one in whole.values():
        if not one.ids.keys() & {"rater", "judge"}:
            for x in one.values.values():
                if x.person and not x.rater:
                    several[x.name].add(one.sheet.stem)
    for one in whole.values():
        for name, x in one.values.items():
            if x.person and not x.rater and one.sheet.stem in several[x.name] and len(several[x.name]) > 1:
                one.values[name] = replace(x, rater=one.sheet.stem)
                one.notes.append(f"{one.sheet.name}: a rater of its own, called after the file.")


def _ask_files(proposals: Sequence[Proposal], options: Options) -> None:
    """Readings of files with the same columns of scores, of which none is people's: one may be."""
    names = Counter(
        name for one in proposals for name, x in one.values.items() if x.name == name and not is_machine(name)
    )
    people = options.people or any(x.person for one in proposals for x in one.values.values())
    if people or max(names.values(), default=0) < 2:
        return
    for one in proposals[:MAX_READINGS]:
        proposals[0].readings[f"--people {shlex.quote(one.sheet.stem)}"] = (
            f"{one.sheet.name} holds people's scores"
        )


def _ask_leaderboards(proposals: Sequence[Proposal], options: Options) -> None:
    """Readings of one row for each system where no column is people's."""
    names = [name for one in proposals for name, x in one.values.items() if not is_length(name) and x.name]
    boards = all(one.ids.keys() == {"system"} and one.across == "judges" for one in proposals)
    if (
        not boards
        or len(names) < 2
        or options.people
        or options.across
        or options.machines
        or any(x.person for one in proposals for x in one.values.values())
    ):
        return
    if any(one.sheet.contradicts(one.ids["system"], one.values) for one in proposals):
        return
    voted = [name for name in names if not {"elo", "arena", "bt", "votes"}.isdisjoint(tokens(name))]
    for name in voted[: MAX_READINGS - 1]:
        proposals[0].readings["--across judges"] = (
            "all columns are judges or metrics, without people's scores"
        )
        proposals[0].readings[f"--people {shlex.quote(name)}"] = (
            f"people's scores are {name!r}, the other columns are judged by them"
        )


def _link(proposals: Sequence[Proposal], options: Options) -> None:
    """Items and systems of files that call them otherwise, by ids that the files have in common."""
    for role in ("item", "system"):
        having = [one for one in proposals if role in one.ids]
        if not having or len(proposals) < 2:
            continue
        lookup = [set(_ids_of(one, role)) for one in having]
        for one in proposals:
            if one.across.startswith(role) or role in _given_roles(one, options):
                continue
            others = set().union(
                *(ids for other, ids in zip(having, lookup, strict=True) if other is not one)
            )
            own = set(_ids_of(one, role)) if role in one.ids else set()
            if (
                not others
                or (own and len(own & others) >= _OVERLAP * min(len(own), len(others)))
                or (role == "system" and role not in one.ids and len(having) == len(proposals))
            ):
                continue
            best, share = "", _OVERLAP
            for name, column in one.sheet.columns.items():
                taken = [r for r, names in one.ids.items() if name in names and r != role]
                if taken or name in one.values or not column.plain_cells or column.cells.dtype.is_float():
                    continue
                ids = set(_texts(column.cells).unique().drop_nulls()) - {""}
                both = len(ids & others)
                if both and len(ids) > 1 and both / min(len(ids), len(others)) > share:
                    best, share = name, both / min(len(ids), len(others))
            if best:
                one.ids[role] = [best]
                one.roles = tuple(
                    replace(r, role=role, reason="its values are those of the other file")
                    if r.column == best
                    else r
                    for r in one.roles
                )
                one.notes.append(
                    f"{one.sheet.name}: {best!r} is the {role}, since its values are those of the other file."
                )


def _given_roles(one: Proposal, options: Options) -> set[str]:
    return {
        role.replace("document", "item")
        for role, names in options.columns.items()
        if any(name in one.sheet.columns for name in names)
    }


def _texts(cells: pl.Series) -> pl.Series:
    return cells.cast(pl.String).str.strip_chars().str.strip_suffix(".0")


def _ids_of(one: Proposal, role: str) -> list[str]:
    cells = [_texts(one.sheet.columns[name].cells) for name in one.ids[role]]
    return list(pl.select(pl.concat_str(cells, separator="/")).to_series().unique().drop_nulls())


# ----------------------------------------------------------------------------------------------------- rows


def read_rows(
    proposal: Proposal, options: Options, notes: list[str], words: Iterable[str] = ()
) -> tuple[pl.DataFrame, int]:
    """A table's scores, a row each, and how many cells have none.

    Columns are row, value, name, rater, person, criterion, system and document or first and second; null
    where the table
    says nothing.
    """
    sheet = proposal.sheet
    ids = {role: _names(sheet, names, role, notes) for role, names in proposal.ids.items()}
    if "item" in ids:
        ids["document"] = ids.pop("item")
    if proposal.numbers_rows:
        notes.append(f"{sheet.name}: without a column of items, each row is an item of its own.")
        ids["document"] = (pl.int_range(sheet.height, eager=True) + 1).cast(pl.String).cast(pl.Categorical)
    sides = {side: ids[side] for side in ("first", "second") if side in ids}
    labels = sorted(
        {word for name in proposal.values if sheet.columns[name].labels for word in sheet.columns[name].lower}
        | {*words}
    )
    parts, n_missing = [], 0
    row = pl.int_range(sheet.height, dtype=pl.UInt32, eager=True)
    owners = _Owners(proposal, ids, options, notes)
    aside = _rows_aside(sheet, ids, notes)
    for name, of in proposal.values.items():
        if proposal.pairs:
            values = read_choices(sheet, name, sides, options, notes)
        else:
            values = read_scores(sheet, name, options, notes, labels if sheet.columns[name].labels else ())
        if not proposal.pairs and tokens(name)[-1:] in (("rank",), ("ranking",)):
            values = -values
            notes.append(f"{sheet.name}: 1 is the best of {name!r}, so its signs were turned.")
        keep = values.is_not_null()
        n_missing += int((~keep).sum())
        columns = {"row": row, "value": values, **owners.columns(of)}
        columns |= {
            role: ids[role] for role in ("system", "document", "first", "second", "run") if role in ids
        }
        if proposal.across in ("systems", "items"):
            columns["system" if proposal.across == "systems" else "document"] = _repeat(
                name.strip(), sheet.height
            )
        if proposal.pairs and not sides:
            columns |= {side: _repeat(side, sheet.height) for side in ("first", "second")}
        part = pl.DataFrame(columns).filter(keep & ~aside)
        for role in ("system", "document", "first", "second", "name"):
            _require_named(proposal, part, role)
        parts.append(part)
    return pl.concat(parts, how="diagonal"), n_missing


def _rows_aside(sheet: Sheet, ids: Mapping[str, pl.Series], notes: list[str]) -> pl.Series:
    """True for rows that are no scores: a sum at the end, a title, a record of another kind."""
    names = [ids[role] for role in ("system", "document", "first", "second") if role in ids]
    none = pl.repeat(False, sheet.height, eager=True)
    odd = {"", *lexicon().sums}
    unique = [one.unique().cast(pl.String).fill_null("").str.to_lowercase() for one in names]
    if sheet.height < MIN_ROWS or not any(odd & {*words} for words in unique):
        return none
    empty = sums = none
    for one in names:
        words = one.cast(pl.String).fill_null("").str.to_lowercase()
        empty, sums = empty | (words == ""), sums | words.is_in([*lexicon().sums])
    row = pl.int_range(sheet.height, eager=True)
    cells = [
        one.cells.cast(pl.String).fill_null("") != "" for one in sheet.columns.values() if one.plain_cells
    ]
    usual = [filled for filled in cells if filled.sum() >= USUAL * sheet.height]
    held = sum((filled.cast(pl.Int64) for filled in usual), pl.zeros(sheet.height, pl.Int64, eager=True))
    end = row >= sheet.height - MAX_ENDS
    aside = (empty & (2 * held < len(usual))) | (sums & end)
    if (empty & ~aside).any() or not aside.any():
        return none
    places = row.filter(aside)
    notes.append(
        f"{sheet.name}: {counted(len(places), 'row')} left out, without a name or a sum of others, first "
        f"{sheet.table.place(places[0])}."
    )
    return aside


def _repeat(text: str | None, n: int) -> pl.Series:
    return pl.repeat(text, n, dtype=pl.String, eager=True).cast(pl.Categorical)


class _Owners:
    """Names of judges and raters of each row of a table."""

    def __init__(self, proposal: Proposal, ids: Mapping[str, pl.Series], options: Options, notes: list[str]):
        self.proposal, self.ids, self.n = proposal, ids, proposal.sheet.height
        stem = proposal.sheet.stem
        whole = not any(one.person for one in proposal.values.values())
        self.all_by_people = whole and people_of(stem) is not None
        self.alone = PEOPLE if people_of(stem) and stem not in options.people else stem
        names = [*ids["judge"].unique().drop_nulls().cast(pl.String)] if "judge" in ids else []
        people, rule = split_owners(sorted(filter(None, names), key=natural))
        self.people = {name: _as_rater(name, of) for name, of in people.items()}
        if rule and not (set(people) <= {"people", "human", "gold"}):
            notes.append(f"{rule}; if not: --people NAME, --machine NAME.")
        raters = [*ids["rater"].unique().drop_nulls().cast(pl.String)] if "rater" in ids else []
        named = {*options.raters, *options.people}
        self.machines = {
            name
            for name in raters
            if name
            and name not in named
            and name not in options.machines
            and is_machine(name)
            and people_of(name) is None
        }
        if self.machines and "kind" not in ids:
            notes.append(
                f"By {'its name' if len(self.machines) == 1 else 'their names'} {listing(self.machines)} "
                f"{'is a judge' if len(self.machines) == 1 else 'are judges'} and no person; if not: --rater "
                f"{' '.join(map(shlex.quote, sorted(self.machines, key=natural)))}."
            )
        self.kinds = kinds_of([*ids["kind"].unique().drop_nulls().cast(pl.String)]) if "kind" in ids else {}

    def columns(self, of: Of) -> dict[str, pl.Series]:
        """Columns name, rater, person and criterion of one column of values."""
        ids, empty = self.ids, pl.lit("", pl.Categorical)
        nobody = _repeat(None, self.n)
        frame = pl.DataFrame({
            **{role: ids.get(role, nobody) for role in ("judge", "rater", "kind")},
            "criterion": ids.get("criterion", _repeat(of.criterion, self.n)),
        }).with_columns(pl.all().fill_null(empty))  # fmt: skip
        frame = frame.with_columns(
            by_people=pl.col("kind").cast(pl.String).is_in([kind for kind in self.kinds if self.kinds[kind]]),
            person=pl.lit(of.person or (of.name == "" and "judge" not in ids and self.all_by_people)),
            theirs=pl.lit(of.rater, pl.Categorical),
        )  # fmt: skip
        frame = frame.with_columns(name=self._name(of), machine=self._machine())
        if "judge" in ids and not of.name:
            frame = frame.with_columns(
                person=pl.col("person") | pl.col("judge").cast(pl.String).is_in([*self.people]),
                theirs=_mapped({name: one.rater for name, one in self.people.items()}, "theirs"),
            )
        if "kind" in ids and ("judge" in ids or "rater" not in ids):
            bare = pl.col("by_people") & ~pl.col("person")
            named = pl.col("theirs" if "rater" not in ids else "rater")
            frame = frame.with_columns(
                name=pl.when(bare).then(pl.lit(PEOPLE, pl.Categorical)).otherwise("name"),
                theirs=pl.when(bare)
                .then(pl.when(named == "").then("judge").otherwise(named))
                .otherwise("theirs"),
                person=pl.col("person") | pl.col("by_people"),
            )
        if "rater" in ids and not (of.name and not of.person) and of.kind != "together":
            named = (pl.col("rater") != "") & ~pl.col("machine")
            frame = frame.with_columns(
                theirs=pl.when(named & (pl.col("theirs") == "")).then("rater").otherwise("theirs"),
                person=(pl.col("person") | named) & ~pl.col("machine"),
                name=pl.when(pl.col("machine") & (pl.col("judge") == "") & (pl.col("rater") != ""))
                .then("rater").otherwise("name"),
            )  # fmt: skip
        if "criterion" in ids:
            short, mixed = pl.col("name").cast(pl.String), pl.col("criterion").cast(pl.String)
            criteria = (
                pl.when(pl.col("person") & (short == PEOPLE)).then(mixed).otherwise(short + "_" + mixed)
            )
            frame = frame.with_columns(
                name=pl.when(mixed == "").then(short).otherwise(criteria).cast(pl.Categorical)
            )
        if "judge" in ids and not of.name:  # nobody's
            bare = (pl.col("judge") == "") & ~pl.col("person") & ~pl.col("machine")
            frame = frame.with_columns(name=pl.when(bare).then(None).otherwise("name"))
        return {key: frame.get_column(column) for key, column in _OWNED.items()}

    def _name(self, of: Of) -> pl.Expr:
        """Name of the judge, or of what people judge, before raters and kinds are looked at."""
        if of.name:
            return pl.lit(of.name, pl.Categorical)
        if "judge" in self.ids:
            name = _mapped({name: one.name for name, one in self.people.items()}, "judge")
            name = pl.when(name == "").then(pl.lit(PEOPLE, pl.Categorical)).otherwise(name)
            return (name.cast(pl.String) + f"_{of.criterion}").cast(pl.Categorical) if of.criterion else name
        if "kind" in self.ids and "rater" not in self.ids:
            return pl.col("kind")
        return pl.lit(self.alone, pl.Categorical)

    def _machine(self) -> pl.Expr:
        """True where the rater of a row is no person, by name or kind."""
        machine = pl.col("rater").cast(pl.String).is_in([*self.machines])
        by_kind = self.kinds and "judge" not in self.ids
        return machine | ~pl.col("by_people") if by_kind else machine


def _mapped(names: Mapping[str, str], otherwise: str) -> pl.Expr:
    """Names in the place of judges', and another column where a judge has none."""
    judge = pl.col("judge").cast(pl.String)
    return (
        pl.when(judge.is_in([*names])).then(judge.replace_strict(names, default=None))
        .otherwise(pl.col(otherwise).cast(pl.String)).cast(pl.Categorical)
    )  # fmt: skip


def _as_rater(name: str, of: Of) -> Of:
    """Owner by a name in a column of judges: human_fluency judges fluency, expert_anna is a rater."""
    if of.rater or of.name == PEOPLE or tokens(name)[0] in _GROUP_WORDS:
        return of
    return Of(PEOPLE, rater=name, person=True)


def _names(sheet: Sheet, columns: Sequence[str], role: str, notes: list[str]) -> pl.Series:
    """Names as categories, without spaces around them; several columns joined by a bar."""
    if len(columns) > 1:
        cells = pl.select(
            pl.concat_str(
                [_texts(sheet.columns[name].cells) for name in columns], separator="/", ignore_nulls=True
            )
        ).to_series()
        return cells.cast(pl.Categorical).alias(role)
    (column,) = columns
    cells = sheet.columns[column].cells
    if cells.dtype.is_float() and (cells.drop_nulls() % 1 == 0).all():
        cells = cells.cast(pl.Int64)  # whole numbers beside missing ones
        cells = cells.cast(pl.String) + ".0" if role == "item" else cells  # which other files may need
    names = cells.cast(pl.String).cast(pl.Categorical).alias(role)
    unique = names.unique().drop_nulls().cast(pl.String)
    odd = unique.filter(unique.str.contains(_CONTROL))
    if len(odd):
        row = (names == odd[0]).fill_null(False).arg_true()[0]
        raise DataError(
            f"{sheet.place(row)}, column {column!r}: {odd[0]!r} holds a control character; take it out"
        )
    tidied = {name: unicodedata.normalize("NFC", name).strip() for name in unique}
    changed = {name: new for name, new in tidied.items() if new != name}
    if changed:
        if any(name.strip() != name for name in changed):
            notes.append(f"{sheet.name}: spaces around names in the column {column!r} do not count.")
        names = names.cast(pl.String).replace(changed).cast(pl.Categorical)
    if role == "rater" and len(
        marks := [
            name
            for name in unique
            if name.strip().lower() in ("na", "n/a", "nan", "none", "null", "-", "<na>")
        ]
    ):
        names = names.cast(pl.String).replace(dict.fromkeys(marks, "")).cast(pl.Categorical)
    return names.alias(role)


def _require_named(proposal: Proposal, part: pl.DataFrame, role: str) -> None:
    if role not in part.columns:
        return
    empty = part.get_column(role).is_null() | (part.get_column(role) == "")
    if not empty.any():
        return
    row = part.get_column("row")[empty.arg_true()[0]]
    word = {"document": "item", "name": "judge"}.get(role, role)
    column = proposal.ids[word][0]
    people = "; a score of people's is called people" if word == "judge" else ""
    raise DataError(
        f"{proposal.sheet.place(row)}, column {column!r}: the name of the {word} is empty; fill it in, also "
        f"where cells are merged, or leave the line out{people}"
    )


# ------------------------------------------------------------------------------------------------- together


def with_whole_documents(*frames: pl.DataFrame) -> list[pl.DataFrame]:
    """Frames whose documents lose the ".0" of whole numbers, if all of all frames are whole.

    Other programs add it beside missing numbers; beside 1.1 it is a part of the name.
    """
    having = [frame.get_column("document") for frame in frames if "document" in frame.columns]
    names = {name for column in having for name in column.unique().cast(pl.String)} - {None, ""}
    if not all(map(_WHOLE.fullmatch, names)):
        return [*frames]
    short = {name: name.removesuffix(".0") for name in names if name.endswith(".0")}
    return [
        frame.with_columns(pl.col("document").cast(pl.String).replace(short).cast(pl.Categorical))
        if short and "document" in frame.columns
        else frame
        for frame in frames
    ]


def fill_systems(frame: pl.DataFrame, sheets: Sequence[Sheet], notes: list[str]) -> pl.DataFrame:
    """Rows with the systems, or the sides of a pair, that only another file names for their items.

    Raises
    ------
    DataError
        If another file names several systems for an item, or none.
    """
    if "first" in frame.columns:
        return _fill_sides(frame, sheets, notes)
    for column in ("system", "document"):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit("", pl.Categorical).alias(column))
    lacking = frame.get_column("document").is_null()
    if lacking.any():
        name = sheets[frame.filter(lacking).get_column("file")[0]].name
        raise DataError(
            f"{name} has no column of items, and another file has one; add it, name it with --col "
            "item=COLUMN, or leave the file out"
        )
    lacking = frame.get_column("system").is_null()
    if not lacking.any():
        return frame
    name = sheets[frame.filter(lacking).get_column("file")[0]].name
    lookup = frame.filter(~lacking).select("document", "system").unique()
    several = lookup.get_column("document").is_duplicated()
    if several.any():
        document = lookup.filter(several).get_column("document")[0]
        raise DataError(
            f"{name} has no column of systems, and the item {document!r} is of several systems in another "
            "file, so its rows could be of "
            "any; add the column, or name it with --col system=COLUMN"
        )
    notes.append(f"{name}: its systems are those that the other file has for its items.")
    system = _looked_up(frame, "system", lookup, lacking)
    if system.is_null().any():
        unknown = frame.filter(system.is_null()).get_column("document").unique().cast(pl.String)
        raise DataError(f"{name}: items that no other file has: {listing(unknown)}; add a column of systems")
    return frame.with_columns(system)


def _looked_up(frame: pl.DataFrame, column: str, lookup: pl.DataFrame, lacking: pl.Series) -> pl.Series:
    joined = frame.select("document").join(lookup, on="document", how="left", maintain_order="left")
    return frame.get_column(column).zip_with(~lacking, joined.get_column(column))


def _fill_sides(frame: pl.DataFrame, sheets: Sequence[Sheet], notes: list[str]) -> pl.DataFrame:
    """Sides of choices in a file without them, from another file that has one pair for each item."""
    if "document" not in frame.columns:
        return frame
    bare = (frame.get_column("first") == "first") & (frame.get_column("second") == "second")
    if not bare.any() or bare.all():
        return frame
    lookup = frame.filter(~bare).select("document", "first", "second").unique()
    name = sheets[frame.filter(bare).get_column("file")[0]].name
    if lookup.get_column("document").is_duplicated().any():
        raise DataError(
            f"{name}: no columns of the two outputs, and other files have several pairs for an item; add the "
            "columns first and second"
        )
    notes.append(f"{name}: its two outputs are those that the other file has for its items.")
    sides = [_looked_up(frame, side, lookup, bare) for side in ("first", "second")]
    filled = frame.with_columns(sides)
    return filled.filter(filled.get_column("first").is_not_null())


def order_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose names are categories in natural order."""
    columns = [
        one for one in (*NAMES, "criterion", "group", "run", "first", "second") if one in frame.columns
    ]
    filled = frame.with_columns(pl.col(columns).fill_null(""))
    orders = {
        column: pl.Enum(sorted(filled.get_column(column).unique().cast(pl.String), key=natural))
        for column in columns
    }
    if {"first", "second"} <= orders.keys():
        both = {name for column in ("first", "second") for name in orders[column].categories}
        orders |= dict.fromkeys(("first", "second"), pl.Enum(sorted(both, key=natural)))
    return filled.cast(orders)


def merge_repeats(
    frame: pl.DataFrame, proposals: Sequence[Proposal], options: Options, notes: list[str]
) -> tuple[pl.DataFrame, int]:
    """Rows without those that repeat another's value; with ``mean`` repeated judgments are averaged.

    Raises
    ------
    OpenQuestion
        If values of one thing differ: options that tell them apart.
    """
    columns = [one for one in (*NAMES, "person", "first", "second", "group") if one in frame.columns]
    key = pl.lit(0, pl.UInt64)
    for column in columns:
        size = 2 if column == "person" else len(frame.schema[column].categories)
        key = key * size + pl.col(column).to_physical().cast(pl.UInt64)
    keys = frame.select(key.alias("key")).to_series()
    if keys.n_unique() == len(keys):
        return frame, 0
    again = frame.select("file", "row", "value", *columns).with_columns(keys).filter(keys.is_duplicated())
    spread = again.group_by("key").agg((pl.col("value").max() != pl.col("value").min()).alias("differs"))
    n_differing = int(spread.get_column("differs").sum())
    runs = "run" in frame.columns and bool((frame.get_column("run") != "").any())
    mixed = "run" in options.columns or any("run" in one.sheet.tool_roles.values() for one in proposals)
    if n_differing and (options.mean or (runs and only_runs_differ(frame, keys, surely=mixed))):
        notes.append(
            f"Of repeated judgments the mean is taken: {n_differing:,} of {keys.n_unique():,} scores differ."
        )
        return merge_runs(frame, keys), 0
    if n_differing:
        differing = again.join(spread.filter("differs"), on="key", how="semi", maintain_order="left")
        raise _contradiction(differing, columns, n_differing, proposals, options)
    merged = frame.with_columns(keys).unique("key", keep="first", maintain_order=True).drop("key")
    return merged, frame.height - merged.height


def _contradiction(
    differing: pl.DataFrame, columns: Sequence[str], n: int, proposals: Sequence[Proposal], options: Options
) -> OpenQuestion:
    rows = differing.filter(pl.col("key") == differing.get_column("key")[0])
    one = rows.row(0, named=True)
    other = rows.filter(pl.col("value") != one["value"]).row(0, named=True)
    what = ", ".join(
        f"{c.replace('document', 'item')} {one[c]!r}" for c in columns if c != "person" and one[c]
    )
    proposal = proposals[other["file"]]
    sheet = proposal.sheet
    before = proposals[one["file"]].sheet.place(one["row"])
    places = f"{sheet.place(other['row'])}: {other['value']:g} for {what}, but {one['value']:g} in {before}"
    absent = [
        role
        for role in ("item", "system")
        if role not in proposal.ids and not proposal.across.startswith(role)
    ]
    lacking = f"In it no column says which {absent[0]} a row is of. " if absent and not proposal.pairs else ""
    return OpenQuestion(
        f"{places}; {n} such contradiction{'s' * (n > 1)}. {lacking}Its columns are "
        f"{listing(sheet.columns)}; keep one score of each, or say "
        "what tells rows apart",
        _ways_apart(proposal, options),
    )


def _ways_apart(proposal: Proposal, options: Options) -> dict[str, str]:
    """Options by which rows of one thing do not contradict each other, tried on the table."""
    sheet = proposal.sheet
    ids = [name for names in proposal.ids.values() for name in names]
    items = proposal.ids.get("item", [])
    ways: dict[str, str] = {}
    if "inner_id" in sheet.columns and "system" not in proposal.ids:
        return {
            f"--col system={system} --col item={item}": f"{system} names systems, {item} their items"
            for system, item in (("id", "inner_id"), ("inner_id", "id"))
        }
    if "run" in proposal.ids:
        run = proposal.ids["run"][0]
        quoted = shlex.quote(run)
        together = " ".join(f"--col item={shlex.quote(name)}" for name in (*items, run))
        return {
            "--mean": f"each {run} repeats the same judgments, of which the mean is taken",
            f"--by {quoted}": f"one answer for each {run}",
            together: f"{' and '.join((*items, run))} together are an item",
        }
    for role in proposal.roles:
        name = role.column
        if (
            name in ids
            or name in proposal.values
            or role.role in ("text", "part")
            or not sheet.columns[name].plain_cells
            or len(ways) >= 2
        ):
            continue
        if sheet.columns[name].n_unique > 1 and not sheet.contradicts([*ids, name], proposal.values):
            if (
                items
                and "rater" not in proposal.ids
                and sheet.columns[name].categories
                and role.role != "group"
                and why_ignored(name) not in ("an id", "about the item")
            ):
                ways.setdefault(f"--col rater={shlex.quote(name)}", f"each {name} is a rater")
            elif not sheet.columns[name].categories or "run" not in tokens(name):
                parts = " ".join(f"--col item={shlex.quote(one)}" for one in (*items, name))
                ways[parts] = (
                    f"{' and '.join((*items, name))} together are an item" if items else f"{name} is the item"
                )
            if role.role == "group" and len(ways) < 3:
                ways[f"--by {shlex.quote(name)}"] = f"one answer for each {name}"
    return ways | {"--mean": "they are repeated judgments, of which the mean is taken"}
