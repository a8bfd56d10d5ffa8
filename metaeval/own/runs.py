"""own.runs: what is said more than once: repeated rows, contradictions, and repeated judgments of a judge.

A row that says the same twice counts once. Of repeated judgments the mean is the score, and each is kept
beside it. Other values for one thing contradict each other; options that tell them apart are proposed.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import polars as pl

from metaeval.core.errors import OpenQuestion, listing
from metaeval.own.contents import Column
from metaeval.own.joining import NAMES
from metaeval.own.readings import MAX_READINGS, format_option
from metaeval.own.sheets import Options, Proposal
from metaeval.own.words import lexicon
from metaeval.tables.wording import counted

MAX_TRIED = 12  # columns, alone or two of them, that may tell rows apart
_GROUPING = ("an id", "about the item")  # reasons of columns that name no raters


@cache
def _run_in_name() -> re.Pattern[str]:
    words = "|".join(
        sorted((word for word in lexicon().names["run"] if word.isalpha()), key=len, reverse=True)
    )
    return re.compile(rf"(?i)[\W_]*(?<![a-z])({words})[\W_]?(\d+)(?![a-z\d])")


def name_runs(frame: pl.DataFrame, options: Options, notes: list[str]) -> pl.DataFrame:
    """Rows of judges called after their runs, such as gpt_run1 and gpt_run2, as runs of one judge.

    Judges that are asked about by such a name, and a run without another, are left as they are.
    """
    names = frame.filter(~pl.col("person")).get_column("name").unique().cast(pl.String)
    runs: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        if name not in options.judge_names and (run := _run_in_name().search(name)):
            runs[_run_in_name().sub("", name).strip(" _-.:/") or "judge"][name] = run[2]
    runs = {base: of for base, of in runs.items() if len({*of.values()}) == len(of) > 1 and base not in names}
    if not runs:
        return frame
    for base, of in runs.items():
        who = f"{', '.join(sorted(of))} are read as runs of one judge, {base!r}"
        notes.append(f"{who}; --higher NAME keeps one apart.")
    bases = {name: base for base, of in runs.items() for name in of}
    numbers = {name: run for of in runs.values() for name, run in of.items()}
    name, is_run = pl.col("name").cast(pl.String), pl.col("name").cast(pl.String).is_in([*bases])
    column = pl.col("run").cast(pl.String) if "run" in frame.columns else pl.lit("")
    return frame.with_columns(
        name=pl.when(~pl.col("person")).then(name.replace(bases)).otherwise(name),
        run=pl.when(is_run & ~pl.col("person")).then(name.replace(numbers)).otherwise(column),
    )


def merge_repeats(
    frame: pl.DataFrame, proposals: Sequence[Proposal], options: Options, notes: list[str]
) -> tuple[pl.DataFrame, int]:
    """Rows without those that repeat another's value; runs, and with ``mean`` repeats, are averaged.

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
    rows = frame.with_columns(key.alias("key"))
    keys = rows.get_column("key")
    if keys.n_unique() == len(keys):
        return frame, 0
    differs = (pl.col("value").max() != pl.col("value").min()).over("key")
    differing = rows.filter(keys.is_duplicated()).filter(differs)
    has_option = "run" in options.columns or any("run" in one.sheet.tool_roles.values() for one in proposals)
    are_runs = "run" in frame.columns and bool((frame.get_column("run") != "").any())
    are_runs = are_runs and only_runs_differ(rows, surely=has_option)
    if differing.height:
        n = differing.get_column("key").n_unique()
        if not options.mean and not are_runs:
            raise _contradiction(differing, columns, n, proposals, options)
        notes.append(f"Of repeated judgments the mean is taken: {n:,} of {keys.n_unique():,} scores.")
    if differing.height or are_runs:
        rows = merge_runs(rows)
    merged = rows.unique("key", keep="first", maintain_order=True).drop("key")
    return merged, 0 if differing.height or are_runs else frame.height - merged.height


def _contradiction(
    differing: pl.DataFrame, columns: Sequence[str], n: int, proposals: Sequence[Proposal], options: Options
) -> OpenQuestion:
    rows = differing.filter(pl.col("key") == differing.get_column("key")[0])
    one = rows.row(0, named=True)
    other = rows.filter(pl.col("value") != one["value"]).row(0, named=True)
    keys = [c for c in columns if c != "person" and one[c]]
    what = ", ".join(f"{c.replace('document', 'item')} {one[c]!r}" for c in keys)
    proposal = proposals[other["file"]]
    sheet = proposal.sheet
    before = proposals[one["file"]].sheet.place(one["row"])
    places = f"{sheet.place(other['row'])}: {other['value']:g} for {what}, but {one['value']:g} in {before}"
    roles = {*proposal.ids, proposal.across.removesuffix("s")}
    absent = [role for role in ("item", "system") if role not in roles]
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
    items = proposal.ids.get("item", [])
    mean = {"--mean": "they are repeated judgments, of which the mean is taken"}
    if "inner_id" in sheet.columns and "system" not in proposal.ids:
        return {
            f"--col system={system} --col item={item}": f"{system} names systems, {item} their items"
            for system, item in (("id", "inner_id"), ("inner_id", "id"))
        }
    ids = [name for names in proposal.ids.values() for name in names]
    if "run" in proposal.ids and not sheet.contradicts(ids, proposal.values):
        run = proposal.ids["run"][0]
        return {
            "--mean": f"each {run} repeats the same judgments, of which the mean is taken",
            f"--by {shlex.quote(run)}": f"one answer for each {run}",
            format_option("item", [*items, run]): f"{' and '.join((*items, run))} together are an item",
        }
    used_names = {*ids, *proposal.values}
    roles = {one.column: one.role for one in proposal.roles if one.role != "part"}
    free = [sheet.columns[name] for name in roles if name not in used_names]
    free = [
        column for column in free
        if column.plain_cells and column.n_unique > 1 and not column.text
        and not (column.numbers and not column.whole) and not (column.length or column.telling)
    ]  # fmt: skip

    def separate(columns: Sequence[Column]) -> bool:
        return not sheet.contradicts([*ids, *(column.name for column in columns)], proposal.values)

    ways: dict[str, str] = {}

    def doubts(column: Column) -> tuple[bool, ...]:
        has_usual_name = column.usual("item", "part", "group", "rater") or not column.numbers or column.excuse
        return not has_usual_name, column.distinct, not column.categories, -column.n_unique

    single = sorted((one for one in free if separate([one])), key=doubts)
    for column in single[:MAX_TRIED]:
        name, grouping = column.name, roles[column.name] == "group" or column.excuse in _GROUPING
        if "rater" not in proposal.ids and column.categories and not (grouping and items):
            ways[format_option("rater", [name])] = f"each {name} is a rater"
        if items and "criterion" not in proposal.ids and column.names and not column.usual("run"):
            ways[format_option("criterion", [name])] = f"each {name} is a criterion"
        meaning = f"{' and '.join((*items, name))} together are an item" if items else f"{name} is the item"
        ways[format_option("item", [*items, name])] = meaning
        if roles[name] == "group":
            ways[f"--by {shlex.quote(name)}"] = f"one answer for each {name}"
    for pair in itertools.combinations(free[:MAX_TRIED], 2) if not single else ():
        if separate(pair):
            one, other = sorted(pair, key=lambda column: (column.people is None, not column.categories))
            if "rater" not in proposal.ids and one.categories:
                both = [*items, other.name]
                ways[f"{format_option('rater', [one.name])} {format_option('item', both)}"] = (
                    f"each {one.name} is a rater, and {' and '.join(both)} the item"
                )
            both = [*items, one.name, other.name]
            ways[format_option("item", both)] = f"{' and '.join(both)} together are an item"
    ways = dict([*ways.items()][: MAX_READINGS - 1])
    return ways | mean


def only_runs_differ(rows: pl.DataFrame, *, surely: bool) -> bool:
    """True if rows of one thing, of the same key, are of different runs.

    Unless a user or a tool says so, people's scores must not differ by them: else each run has outputs of its
    own.
    """
    people = rows.filter("person").group_by("key").agg(pl.col("value").n_unique())
    is_alone = rows.select("run", "key").is_unique().all()
    return is_alone and (surely or not (people.get_column("value") > 1).any())


def merge_runs(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the mean of those of one key, and several values of a judge in a list, column runs."""
    scores = rows.sort("run", maintain_order=True) if "run" in rows.columns else rows
    scores = scores.filter(~pl.col("person")).group_by("key").agg(runs=pl.col("value"))
    scores = scores.filter(pl.col("runs").list.len() > 1)
    means = rows.with_columns(pl.col("value").mean().over("key"))
    return means.join(scores, on="key", how="left", maintain_order="left")


def vote_runs(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Rows in which a judge's labels of several runs count as the most frequent, of several as none, null.

    Where judges or people give numbers on a scale, the mean stays.
    """
    if "runs" not in frame.columns:
        return frame
    runs = frame.get_column("runs")
    values = pl.concat([runs.explode(), frame.filter("person").get_column("value")]).drop_nulls()
    if values.dtype.is_numeric() and not values.is_in([0.0, 0.5, 1.0]).all():
        return frame
    notes[:] = [note.replace("the mean is taken", "the most frequent is taken") for note in notes]
    modes = pl.col("runs").list.eval(pl.element().mode())
    vote = pl.when(modes.list.len() == 1).then(modes.list.first())
    voted = frame.with_columns(value=pl.when(pl.col("runs").is_null()).then("value").otherwise(vote))
    if n := voted.get_column("value").null_count():
        notes.append(f"Of {counted(n, 'judgment')} the runs tie, so that there is none.")
    return voted
