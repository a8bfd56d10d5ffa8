"""own.joining: several tables with their roles as one table, a row for each score, whoever gave it."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.own.contents import Column, label_key
from metaeval.own.parsing import Table, parse
from metaeval.own.parsing.table import printable
from metaeval.own.roles import note_unused, propose
from metaeval.own.sheets import Options, Proposal, Sheet
from metaeval.own.tools import Recognised, read_weights, recognise_all
from metaeval.own.unfolding import unfold
from metaeval.own.values import read_choices, read_scores
from metaeval.own.words import (
    PEOPLE,
    Of,
    are_raters,
    by_rater,
    is_machine,
    kind_of_person,
    kinds_of,
    lexicon,
    match_criteria,
    people_of,
    plain,
    split_owners,
    tokens,
)
from metaeval.tables.wording import counted, natural

NAMES = ("system", "document", "name", "rater")
_NAMING = ("judge", "rater", "kind", "criterion")  # columns whose names say whose a score is
_OWNED = {"owner": "name", "theirs": "rater", "is_person": "person", "of": "criterion"}
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"  # all but tabs and line breaks
_WHOLE = re.compile(r"-?\d+(\.0)?")
_NOBODY = ("na", "n/a", "nan", "none", "null", "-", "<na>")  # in a column of raters
MIN_ROWS = 10  # of a table from which rows may be left out
MAX_ENDS = 3  # rows at an end that may be sums
USUAL = 0.8  # share of filled cells of a column that all have
_OVERLAP = 0.5  # share of ids in common by which columns of other names join files
_GROUP_WORDS = {"human", "humans", "people", "gold"}  # before what people judge, and not before who they are


# --------------------------------------------------------------------------------------------------- sheets


def read_sheets(sources: Sequence[object], mqm_weights: Sequence[str] = ()) -> list[Sheet]:
    """Tables of some files or data frames, with the roles of the tools that wrote them."""
    sheets, weights = [], read_weights(mqm_weights)
    for i, source in enumerate(sources, 1):
        tables = parse(source, "the table" if len(sources) == 1 else f"table {i}")
        sheets += [sheet for table in recognise_all(tables, weights=weights) for sheet in _sheets_of(table)]
    names = name_files([sheet.table.path for sheet in sheets], [sheet.name for sheet in sheets])
    for sheet, name in zip(sheets, names, strict=True):
        sheet.name = name
    return sheets


def name_files(paths: Sequence[Path | None], names: Sequence[str]) -> list[str]:
    """Names of files, where several are alike with as many folders, or the ending, as tell them apart.

    Examples
    --------
    >>> name_files([Path("old/a.csv"), Path("new/a.csv"), Path("new/b.csv")], ["a", "a", "b"])
    ['old/a', 'new/a', 'b']
    """
    whole = [path and path.absolute() for path in paths]
    full = []
    for name, path in zip(names, whole, strict=True):
        rivals = [p for n, p in zip(names, whole, strict=True) if p and path and n == name and p != path]
        beside = any(p.parent == path.parent for p in rivals)
        folders = path.parent.parts if path else ()
        others = [p.parent.parts for p in rivals if p.parent != path.parent]
        sizes = range(1, len(folders) + 1) if others else [0]
        size = next(n for n in sizes if not any(other[-n:] == folders[-n:] for other in others))
        last = path.name if beside else name
        full.append("/".join((*map(printable, folders[len(folders) - size :]), last)))
    return full


def _sheets_of(lookup: Table | Recognised) -> list[Sheet]:
    table = lookup.table if isinstance(lookup, Recognised) else lookup
    for name in filter(re.compile(_CONTROL).search, table.frame.columns):  # which is printed, as a judge's
        raise DataError(f"{table.file}: the column {name!r} holds a control character; take it out")
    if isinstance(lookup, Recognised):
        tables = [(replace(table, notes=(*table.notes, f"read as {lookup.tool}")), lookup.roles)]
    else:
        tables = unfold(table)
    sheets = []
    for one, roles in tables:
        columns = {name: Column(name, _series(cells)) for name, cells in one.frame.items()}
        sheets.append(Sheet(one.file, one.name, columns, one, dict(roles)))
    return sheets


def _series(cells: pd.Series) -> pl.Series:
    """Cells as polars has them: numbers, texts, or Python objects where there are lists."""
    if pd.api.types.is_bool_dtype(cells) and cells.dtype != object:
        return pl.Series(cells.to_numpy(dtype=object).tolist(), dtype=pl.Boolean)
    if pd.api.types.is_integer_dtype(cells) and not cells.hasnans:
        return pl.Series(cells.to_numpy(dtype=getattr(cells.dtype, "numpy_dtype", cells.dtype)))
    if pd.api.types.is_numeric_dtype(cells):
        return pl.Series(cells.to_numpy(dtype=float, na_value=np.nan), nan_to_null=True)
    values = cells.to_numpy(dtype=object)
    if any(isinstance(cell, list | dict | set | tuple | np.ndarray | bytes) for cell in values[:1000]):
        return pl.Series(values.tolist(), dtype=pl.Object)
    values = np.where(pd.isna(values), None, values).tolist()
    try:
        return pl.Series(values, dtype=pl.String)
    except TypeError:
        return pl.Series([None if cell is None else f"{cell}" for cell in values], dtype=pl.String)


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
        for name, error in errors.items() if not any(one.values for one in proposals) else ():
            if name not in held:
                raise error
        if proposals:
            lacking = [f"{name}: no scores in it; not used." for name in errors if name not in held]
            proposals[0].notes += lacking
        return proposals

    proposals = each()
    pairs = any(one.pairs for one in proposals)
    if pairs and not all(one.pairs for one in proposals):
        proposals = each(pairs=True)
    scores = [one for one in proposals if one.values and not one.pairs]
    if any(one.across != "systems" and "system" not in one.ids for one in scores):
        proposals = each(systems_across=False, pairs=pairs)
    scored = [one for one in proposals if one.values]
    choosing = [one.sheet.name for one in scored if one.pairs]
    if 0 < len(choosing) < len(scored):
        raise DataError(
            f"choices between two outputs in {listing(choosing)}, and scores in other files; read them apart"
        )
    across = [one for one in scored if one.across == "systems"]
    if len(across) > 1 and len({frozenset(one.values) for one in across}) == 1:  # alike in several files
        for one in across:
            one.readings.clear()
    _own_files(scored, options)
    for role in ("item", "system") if len(scored) > 1 else ():
        _share(scored, role, options)
        _link(scored, role, options)
    _split_people(scored)
    _split_judges(scored)
    return proposals


# --------------------------------------------------------------------------------------------- whose it is


def _own_files(proposals: Sequence[Proposal], options: Options) -> None:
    """Owners by the names of files, where columns leave it open: people's, judges', a rater's each."""
    sure = [
        one
        for one in proposals
        if any(people_of(name) and plain(name) not in lexicon().weak for name in one.values)
    ]
    for one in [one for one in proposals if sure and one not in sure and "rater" not in one.ids]:
        judges = [name for name, of in one.values.items() if not of.person]
        for name in [name for name in one.values if name not in judges] if judges else ():
            if plain(name) in lexicon().weak and name not in options.named:  # a judge's word on its score
                one.values[name] = Of(f"{one.sheet.stem}_{name}")
    for one in proposals:
        owned = {of.person for of in one.values.values()}
        if len(owned) == 1 and "judge" not in one.ids:
            _own_file(one, options, several=len(proposals) > 1)
    by_people = [one for one in proposals if any(of.person for of in one.values.values())]
    criteria = {of.name for one in by_people for of in one.values.values() if of.person} - {PEOPLE}
    columns = [one.sheet.columns[name] for one in by_people for name in one.ids.get("criterion", ())]
    criteria |= {word for column in columns for word in column.words}
    for one in proposals:
        for name, of in one.values.items():
            if len(proposals) > 1 and not of.person and of.name == name and name in criteria:
                one.values[name] = Of(f"{one.sheet.stem}_{name}", criterion=name)
        one.values = match_criteria(one.values, criteria)


def _own_file(one: Proposal, options: Options, *, several: bool) -> None:
    """Owners of the columns of one file by its name."""
    stem = one.sheet.stem
    free = [name for name in one.values if not one.sheet.tool_roles.get(name) and name not in options.named]
    has_option = stem in (*options.people, *options.raters) and stem not in one.sheet.columns
    owner = people_of(stem)
    rater = stem if stem in options.raters or (owner and owner.rater) else ""
    is_machines = several and is_machine(stem) and "rater" not in one.ids
    is_machines = is_machines and all(of.person and not of.rater for of in one.values.values())
    for name in free:
        of = one.values[name]
        if not owner and not has_option:
            if is_machines and (people_of(name) is None or plain(name) in lexicon().weak):
                bare = of.name == PEOPLE
                one.values[name] = Of(stem if bare else f"{stem}_{name}", criterion="" if bare else of.name)
        elif of.person:
            one.values[name] = replace(of, rater=of.rater or rater)
        elif not is_machine(name) or one.across != "judges":
            called = stem if stem in options.people and not owner and not of.name else PEOPLE
            called = name if of.name and len(free) > 1 else called
            one.values[name] = Of(called, rater=rater, person=True)


def _share(proposals: Sequence[Proposal], role: str, options: Options) -> None:
    """Items or systems by a column of one name in all files, where no other fits better."""
    names = {one.ids[role][0] for one in proposals if len(one.ids.get(role, ())) == 1}
    if role == "item" and any(one.numbers_rows for one in proposals) and role not in options.columns:
        _share_keys(proposals)
    for name in sorted(names, key=natural):
        others = [one for one in proposals if one.ids.get(role) != [name]]
        ids = set().union(*(one.sheet.ids([name]) for one in proposals if one not in others))
        if others and all(_fits_better(one, role, name, ids, options) for one in others):
            for one in others:
                _relink(one, role, [name], "all files have it")
            return


def _share_keys(proposals: Sequence[Proposal]) -> None:
    """Items by columns that all files have, and most of whose values they have in common.

    It is one of them where it tells as many rows apart as all together.
    """
    first, *others = proposals

    def is_shared(names: Sequence[str]) -> bool:
        keys = [one.sheet.ids(names) for one in proposals]
        return all(_overlap(ids, keys[0]) > _OVERLAP for ids in keys[1:])

    names = [
        name for name in _linkable(first, "item") if all(name in _linkable(one, "item") for one in others)
    ]
    names = [name for name in names if is_shared([name]) and first.sheet.columns[name].n_unique > 1]
    alone = [
        name for name in names if all(one.sheet.count(name) == one.sheet.count(*names) for one in proposals)
    ]
    names = alone[:1] or (names if all(one.pairs for one in proposals) else [])
    if names and is_shared(names):
        for one in proposals:
            _relink(one, "item", names, "all files have them" if names[1:] else "all files have it")


def _split_people(proposals: Sequence[Proposal]) -> None:
    """Raters called after their files, where files have other scores of people for the same things."""
    owners: dict[str, dict[Proposal, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in proposals:
        for name, of in one.values.items():
            if of.person and not of.rater and not one.ids.keys() & {"rater", "judge"}:
                owners[of.name][one].append(name)
    for columns in owners.values():
        scores = {one: pl.concat(_values_of(one, name) for name in names) for one, names in columns.items()}
        files = [*columns]
        names_by_file = dict(zip(files, _stems(files), strict=True))
        if not any(_differ(scores[one], scores[other]) for one, other in itertools.combinations(files, 2)):
            continue
        for i, one in enumerate(files):
            alike = (other for other in files[:i] if _repeats(scores[other], scores[one]))
            rater = names_by_file[next(alike, one)]
            for name in columns[one]:
                one.values[name] = replace(one.values[name], rater=rater)
            if rater == names_by_file[one]:
                one.notes.append(f"{one.sheet.name}: a rater of its own, called after the file.")


def _split_judges(proposals: Sequence[Proposal]) -> None:
    """Judges called after their files, where files score the same things otherwise under one name."""
    owners = defaultdict(list)
    for one in proposals:
        for name, of in one.values.items():
            if not of.person and of.name == name and not one.ids.keys() & {"judge", "run"}:
                owners[name].append(one)
    for name, files in owners.items():
        first, *others = (_values_of(one, name) for one in files)
        stems = _stems(files)
        if len({*stems}) < len(files) or not any(_differ(first, other) for other in others):
            continue
        for one, stem in zip(files, stems, strict=True):
            many = sum(not of.person for of in one.values.values()) > 1
            one.values[name] = Of(f"{stem}_{name}" if many else stem)
        files[0].notes.append(
            f"{name!r} differs between files and is as many judges, called after them: {listing(stems)}."
        )


def opposed_judges(proposals: Sequence[Proposal]) -> list[str]:
    """Judges of what is bad where people say what is good, or the reverse, by names and words."""
    values = [
        (of, one.sheet.columns[name])
        for one in proposals if one.across == "judges" and not one.pairs
        for name, of in one.values.items()
    ]  # fmt: skip
    theirs = {column.direction for of, column in values if of.person} - {0}
    return [of.name for of, column in values if not of.person and of.name and theirs == {-column.direction}]


def _stems(files: Sequence[Proposal]) -> list[str]:
    """Names of judges or raters who are called after files."""
    sheets = [one.sheet for one in files]
    return name_files([sheet.table.path for sheet in sheets], [sheet.stem for sheet in sheets])


def _values_of(one: Proposal, name: str) -> pl.DataFrame:
    """Different cells of a column, with the names of what they are of; those of a row where it has none."""
    column, roles = one.sheet.columns[name], ("criterion", "item", "system", "first", "second")
    if not column.plain_cells:
        return pl.DataFrame(schema={"key": pl.String, "value": pl.String})
    ids = [id_ for role in roles for id_ in one.ids.get(role, ())]
    rows = pl.int_range(one.sheet.height, eager=True).cast(pl.String)
    keys = one.sheet.texts(ids) if ids else rows
    across = f"{name}/" if one.across != "judges" else ""
    labels = {word: f"{lexicon().labels.get(label_key(word.lower()), word)}" for word in column.words}
    values = column.texts.replace(labels) if column.labels and not column.scale else column.texts
    frame = pl.DataFrame({"key": across + keys, "value": values})
    return frame.filter(pl.col("value") != "").unique()


def _differ(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """True if values of the same things differ."""
    common = other.join(one, on="key", how="semi")
    return not common.join(one, on=["key", "value"], how="anti").is_empty()


def _repeats(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """True if there are values of the same things, and they are alike."""
    return not other.join(one, on="key", how="semi").is_empty() and not _differ(one, other)


def _fits_better(one: Proposal, role: str, name: str, ids: set[str], options: Options) -> bool:
    """True if a column has as many of some ids as the one that has the role, and most of them."""
    if role in options.columns or one.across.startswith(role) or name not in _linkable(one, role):
        return False
    theirs, own = one.sheet.ids([name]), one.sheet.ids(one.ids[role]) if role in one.ids else set()
    share, before = (len(some & ids) / max(len(some), len(ids)) for some in (theirs, own))
    return _overlap(theirs, ids) > _OVERLAP and share >= before


def _link(proposals: Sequence[Proposal], role: str, options: Options) -> None:
    """Items or systems of files that call them otherwise, by ids that the files have in common."""
    ids = {one.sheet: one.sheet.ids(one.ids[role]) for one in proposals if role in one.ids}
    for one in proposals:
        has_option = any(name in one.sheet.columns for name in options.columns.get(role, ()))
        others = set().union(*(theirs for sheet, theirs in ids.items() if sheet is not one.sheet))
        if has_option or not others or one.across.startswith(role):
            continue
        own = ids.get(one.sheet, set())
        if own and len(own & others) >= _OVERLAP * min(len(own), len(others)):
            continue
        shares = {name: _overlap(one.sheet.ids([name]), others) for name in _linkable(one, role)}
        best = max(shares, key=shares.__getitem__, default="")
        if best and shares[best] > _OVERLAP:
            _relink(one, role, [best], "its values are those of the other file")


def _relink(one: Proposal, role: str, names: Sequence[str], reason: str) -> None:
    """Give columns a role, and those that had it none."""
    together = " and ".join(map(repr, names))
    before = {other: f"{together} is the {role}" for other in one.ids.get(role, ()) if other not in names}
    one.ids[role] = [*names]
    changed = {other: {"role": "ignored", "reason": why} for other, why in before.items()}
    changed |= {name: {"role": role, "reason": reason} for name in names}
    one.roles = tuple(replace(r, **changed.get(r.column, {})) for r in one.roles)
    prefix = f"{one.sheet.name}: not used: "
    one.notes[:] = [note for note in one.notes if not note.startswith(prefix)] + note_unused(
        one.sheet, one.roles
    )
    one.notes.append(f"{one.sheet.name}: {together} is the {role}, since {reason}.")


def _overlap(ids: set[str], others: set[str]) -> float:
    return len(ids & others) / min(len(ids), len(others)) if len(ids) > 1 else 0.0


def _linkable(one: Proposal, role: str) -> list[str]:
    """Columns that may hold the ids of another file."""
    others = {name for other, names in one.ids.items() if other != role for name in names}
    return [
        name
        for name, column in one.sheet.columns.items()
        if name not in {*others, *one.values} and column.plain_cells and not column.cells.dtype.is_float()
    ]


# ----------------------------------------------------------------------------------------------------- rows


def read_rows(
    proposal: Proposal, options: Options, notes: list[str], words: Collection[str]
) -> tuple[pl.DataFrame, int]:
    """A table's scores, a row each, and how many cells have none; `words` are labels in all tables.

    Columns are row, value, name, rater, person, criterion, system and document or first and second; null
    where the table says nothing.
    """
    sheet = proposal.sheet
    ids = {role: _names(sheet, names, role, notes) for role, names in proposal.ids.items()}
    if "item" in ids:
        ids["document"] = ids.pop("item")
    row = pl.int_range(sheet.height, dtype=pl.UInt32, eager=True)
    if proposal.numbers_rows:
        notes.append(f"{sheet.name}: without a column of items, each row is an item of its own.")
        ids["document"] = (row + 1).cast(pl.String).cast(pl.Categorical)
    owners = _Owners(proposal, ids, options, notes)
    aside = _rows_aside(sheet, ids, notes)
    sides = {side: ids[side] for side in ("first", "second") if side in ids}
    values: dict[str, pl.Series] = {}
    for i, name in enumerate(proposal.values):
        column = sheet.columns[name]
        if proposal.pairs:
            values[f"{i}"] = read_choices(sheet, name, sides, options, notes)
            continue
        scores = read_scores(sheet, name, options, notes, words if column.labels else ())
        if column.tokens[-1:] in (("rank",), ("ranking",)):
            scores = -scores
            notes.append(f"{sheet.name}: 1 is the best of {name!r}, so its signs were turned.")
        values[f"{i}"] = scores
    wide = pl.DataFrame({"row": row} | ids | values).filter(~aside)
    frame = wide.unpivot([*values], index=["row", *ids], variable_name="column").filter(
        pl.col("value").is_not_null()
    )
    frame = owners.name(frame)
    own = [role for role in ("system", "document", "first", "second", "run") if role in ids]
    frame = frame.select("column", "row", "value", "name", "rater", "person", "criterion", *own)
    if proposal.across in ("systems", "items"):
        called = {f"{i}": name.strip() for i, name in enumerate(proposal.values)}
        names = pl.col("column").replace_strict(called, return_dtype=pl.String).cast(pl.Categorical)
        frame = frame.with_columns(names.alias("system" if proposal.across == "systems" else "document"))
    if proposal.pairs and not sides:
        frame = frame.with_columns(pl.lit(one, pl.Categorical).alias(one) for one in ("first", "second"))
    _require_named(proposal, frame)
    return frame.drop("column"), sum(column.null_count() for column in values.values())


def _rows_aside(sheet: Sheet, ids: Mapping[str, pl.Series], notes: list[str]) -> pl.Series:
    """True for rows that are no scores: a sum at the end, a title, a record of another kind."""
    names = pl.DataFrame(
        {role: ids[role] for role in ("system", "document", "first", "second") if role in ids}
    )
    none = pl.repeat(False, sheet.height, eager=True)
    if sheet.height < MIN_ROWS or not names.width:
        return none
    names = names.select(pl.all().cast(pl.String).fill_null("").str.to_lowercase())
    empty = names.select(pl.any_horizontal(pl.all() == "")).to_series()
    sums = names.select(pl.any_horizontal(pl.all().is_in([*lexicon().sums]))).to_series()
    if not (empty | sums).any():
        return none
    row = pl.int_range(sheet.height, eager=True)
    cells = [one.cells.cast(pl.String) for one in sheet.columns.values() if one.plain_cells]
    filled = [(one != "").fill_null(False) for one in cells]
    usual = [one for one in filled if one.sum() >= USUAL * sheet.height]
    n_cells = sum((one.cast(pl.Int64) for one in usual), pl.zeros(sheet.height, pl.Int64, eager=True))
    aside = (empty & (2 * n_cells < len(usual))) | (sums & (row >= sheet.height - MAX_ENDS))
    if (empty & ~aside).any() or not aside.any():
        return none
    places = row.filter(aside)
    notes.append(
        f"{sheet.name}: {counted(len(places), 'row')} left out, without a name or a sum of others, first "
        f"{sheet.table.place(places[0])}."
    )
    return aside


class _Owners:
    """Names of judges and raters of each row of a table."""

    def __init__(self, proposal: Proposal, ids: Mapping[str, pl.Series], options: Options, notes: list[str]):
        stem = proposal.sheet.stem
        self.ids, self.values, self.known = ids, [*proposal.values.values()], proposal.owners
        self.machines_by_user = {*options.machines}
        self.people_by_user = {*options.people, *options.raters}
        self.raters_by_user = {*options.raters, *(options.people if are_raters(options.people) else ())}
        self.all_by_people = people_of(stem) is not None and not any(of.person for of in self.values)
        self.alone = PEOPLE if people_of(stem) and stem not in options.people else stem
        people, rule = split_owners(self._unique("judge"))
        self.people = {name: _as_rater(name, of) for name, of in people.items()}
        if rule and not (set(people) <= {"people", "human", "gold"}):
            notes.append(f"{rule}; if not: --people NAME, --machine NAME.")
        unsaid = [n for n in self._unique("rater") if n not in self.people_by_user | self.machines_by_user]
        self.machines = [name for name in unsaid if is_machine(name) and people_of(name) is None]
        if self.machines and "kind" not in ids:
            by, are = ("its name", "is a judge") if len(self.machines) == 1 else ("their names", "are judges")
            notes.append(
                f"By {by} {listing(self.machines)} {are} and no person; if not: --rater "
                f"{' '.join(map(shlex.quote, self.machines))}."
            )
        self.kinds = kinds_of(self._unique("kind"))
        kinds = {name: kind_of_person(name) for role in ("kind", "rater") for name in self._unique(role)}
        self.crowd = {name for name, kind in kinds.items() if kind == "crowd" and "expert" in kinds.values()}
        if self.crowd:
            notes.append(f"{proposal.sheet.name}: experts and the crowd are answered one by one.")

    def _unique(self, role: str) -> list[str]:
        names = self.ids[role].unique().drop_nulls().cast(pl.String) if role in self.ids else ()
        return sorted(filter(None, names), key=natural)

    def name(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows with columns name, rater, person and criterion, by the number of their column of values."""
        keys = ["column", *(role for role in _NAMING if role in self.ids)]
        unique = frame.select(keys).unique(maintain_order=True)
        owners = [
            self.owner(self.values[int(row["column"])], *(row.get(role) or "" for role in _NAMING))
            for row in unique.iter_rows(named=True)
        ]
        schema = {key: pl.Boolean if key == "is_person" else pl.Categorical for key in _OWNED}
        named = unique.hstack(pl.DataFrame(owners, schema, orient="row"))
        rows = frame.join(named, on=keys, how="left", nulls_equal=True, maintain_order="left")
        return rows.drop(keys[1:]).rename(_OWNED)

    def owner(
        self, of: Of, judge: str, rater: str, kind: str, criterion: str
    ) -> tuple[str | None, str, bool, str]:
        """Name, rater, whether it is a person, and criterion of a value, by the names in its row."""
        has_judge, has_rater, has_kind = (role in self.ids for role in ("judge", "rater", "kind"))
        is_person = self.kinds.get(kind, False)
        machine = rater in self.machines or (bool(self.kinds) and not has_judge and not is_person)
        person = of.person or (not of.name and not has_judge and self.all_by_people)
        name, theirs = of.name or self.alone, of.rater
        if has_judge and not of.name:
            called = self.people.get(judge, Of(judge, theirs))
            person, theirs, name = person or called.person, called.rater, called.name or PEOPLE
            name += f"_{of.criterion}" if of.criterion else ""
        elif has_kind and not has_rater and not of.name:
            name = kind
        if is_person and (has_judge or not has_rater):
            if not person:
                name, theirs = PEOPLE, (rater if has_rater else theirs) or judge
            person = True
        if has_rater and (of.person or not of.name) and of.kind != "together":
            theirs = theirs or ("" if machine else rater)
            name = rater if machine and rater and not judge else name
            person = (person or bool(rater)) and not machine
        unknown = has_judge and not of.name and not judge and not person and not machine
        if criterion and "criterion" in self.ids:
            name = criterion if person and name == PEOPLE else f"{name}_{criterion}"
        if person and not self.crowd.isdisjoint((kind, rater)):
            name = f"crowd {name}".removesuffix(f" {PEOPLE}")
        self.known |= {name, theirs}
        if theirs in self.machines_by_user:
            name, theirs, person = theirs, "", False
        if name in self.people_by_user:
            owner = by_rater(name) if name in self.raters_by_user else people_of(name) or Of(name)
            name, theirs, person = owner.name, theirs or owner.rater, True
        return None if unknown else name, theirs, person, criterion or of.criterion


def _as_rater(name: str, of: Of) -> Of:
    """Owner by a name in a column of judges: human_fluency judges fluency, expert_anna is a rater."""
    if of.rater or of.name == PEOPLE or tokens(name)[0] in _GROUP_WORDS:
        return of
    return Of(PEOPLE, rater=name, person=True)


def _names(sheet: Sheet, columns: Sequence[str], role: str, notes: list[str]) -> pl.Series:
    """Names as categories, without spaces around them; several columns joined by a bar."""
    if len(columns) > 1:
        return sheet.texts(columns).cast(pl.Categorical)
    (column,) = columns
    cells = sheet.columns[column].cells
    if cells.dtype.is_float() and (cells.drop_nulls() % 1 == 0).all():
        cells = cells.cast(pl.Int64)  # whole numbers beside missing ones
        cells = cells.cast(pl.String) + ".0" if role == "item" else cells  # which other files may need
    names = cells.cast(pl.String)
    unique = names.unique().drop_nulls()
    if len(odd := unique.filter(unique.str.contains(_CONTROL))):
        row = (names == odd[0]).fill_null(False).arg_true()[0]
        raise DataError(
            f"{sheet.place(row)}, column {column!r}: {odd[0]!r} holds a control character; take it out"
        )
    stripped = unique.str.strip_chars()
    if (stripped != unique).any():
        notes.append(f"{sheet.name}: spaces around names in the column {column!r} do not count.")
    clean = stripped.str.normalize("NFC")
    if role == "rater":
        clean = clean.set(unique.str.to_lowercase().is_in(_NOBODY), "")
    return (names if clean.equals(unique) else names.replace(unique, clean)).cast(pl.Categorical)


def _require_named(proposal: Proposal, frame: pl.DataFrame) -> None:
    """Raise where a system, an item, an output or a judge has no name."""
    words = {"system": "system", "document": "item", "first": "first", "second": "second", "name": "judge"}
    for role in [role for role in words if role in frame.columns]:
        empty = (frame.get_column(role).is_null() | (frame.get_column(role) == "")).arg_true()
        if len(empty):
            row, word = frame.get_column("row")[empty[0]], words[role]
            people = "; a score of people's is called people" if word == "judge" else ""
            raise DataError(
                f"{proposal.sheet.place(row)}, column {proposal.ids[word][0]!r}: the name of the {word} is "
                f"empty; fill it in, also where cells are merged, or leave the line out{people}"
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
        bare = (frame.get_column("first") == "first") & (frame.get_column("second") == "second")
        if "document" not in frame.columns or bare.all() or not bare.any():
            return frame
        return _fill(frame, bare, ("first", "second"), sheets, notes).drop_nulls("first")
    absent = [column for column in ("system", "document") if column not in frame.columns]
    frame = frame.with_columns(pl.lit("", pl.Categorical).alias(column) for column in absent)
    without = frame.filter(pl.col("document").is_null())
    if without.height:
        raise DataError(
            f"{_first_file(without, sheets)} has no column of items, and another file has one; add it, name "
            "it with --col item=COLUMN, or leave the file out"
        )
    lacking = frame.get_column("system").is_null()
    if not lacking.any():
        return frame
    filled = _fill(frame, lacking, ("system",), sheets, notes)
    unknown = filled.filter(pl.col("system").is_null())
    if unknown.height:
        items = unknown.get_column("document").unique(maintain_order=True).cast(pl.String)
        name = _first_file(unknown, sheets)
        raise DataError(f"{name}: items that no other file has: {listing(items)}; add a column of systems")
    return filled


def _first_file(frame: pl.DataFrame, sheets: Sequence[Sheet]) -> str:
    return sheets[frame.get_column("file")[0]].name


def _fill(
    frame: pl.DataFrame, lacking: pl.Series, columns: Sequence[str], sheets: Sequence[Sheet], notes: list[str]
) -> pl.DataFrame:
    """Rows that lack names with those of the rows of other files on the same item."""
    name = _first_file(frame.filter(lacking), sheets)
    what = "systems" if columns == ("system",) else "outputs"
    lookup = frame.filter(~lacking).select("document", *columns).unique(maintain_order=True)
    several = lookup.filter(pl.col("document").is_duplicated())
    if several.height:
        raise DataError(
            f"{name} has no column of {what}, and the item {several.get_column('document')[0]!r} is of "
            f"several {what} in another file, so its rows could be of any; add the column, or name it with "
            + " ".join(f"--col {one}=COLUMN" for one in columns)
        )
    notes.append(f"{name}: its {what} are those that the other file has for its items.")
    bare = frame.with_columns(pl.when(~lacking).then(column).alias(column) for column in columns)
    return bare.join(lookup, on="document", how="left", maintain_order="left", suffix=" there").select(
        pl.coalesce(column, f"{column} there") if column in columns else column for column in frame.columns
    )


def order_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows whose names are categories in natural order."""
    named = (*NAMES, "criterion", "group", "run", "first", "second")
    columns = [column for column in named if column in frame.columns]
    frame = frame.with_columns(pl.col(columns).fill_null(""))
    names = {column: {*frame.get_column(column).unique().cast(pl.String)} for column in columns}
    if "first" in names:
        names["first"] = names["second"] = names["first"] | names["second"]
    return frame.cast({column: pl.Enum(sorted(of, key=natural)) for column, of in names.items()})
