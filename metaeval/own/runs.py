"""own.runs: repeated judgments of a judge: their mean is its score, and each of them is kept beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from statistics import multimode

import polars as pl

from metaeval.own.sheets import Options
from metaeval.own.words import lexicon
from metaeval.tables.wording import counted


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


def only_runs_differ(rows: pl.DataFrame, *, surely: bool) -> bool:
    """True if rows of one thing, of the same key, are of different runs.

    Unless a user or a tool says so, people's scores must not differ by them: else each run has outputs of its
    own.
    """
    people = rows.filter("person").group_by("key").agg(pl.col("value").n_unique())
    is_alone = rows.select("run", "key").is_unique().all()
    return is_alone and (surely or not (people.get_column("value") > 1).any())


def merge_runs(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the mean of those of one key, and several values of a judge in a list, column runs.

    Words without an order have no mean: one of the most frequent, until `vote_runs`.
    """
    scores = rows.sort("run", maintain_order=True) if "run" in rows.columns else rows
    scores = scores.filter(~pl.col("person")).group_by("key").agg(runs=pl.col("value"))
    scores = scores.filter(pl.col("runs").list.len() > 1)
    mean = pl.col("value").mean() if rows.schema["value"].is_numeric() else pl.col("value").mode().first()
    return rows.with_columns(mean.over("key")).join(scores, on="key", how="left", maintain_order="left")


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
    votes = [None if one is None else _one_mode(one) for one in runs.to_list()]
    voted = frame.with_columns(
        value=pl.when(pl.col("runs").is_null()).then("value").otherwise(pl.Series(votes, dtype=values.dtype))
    )
    if n := voted.get_column("value").null_count():
        notes.append(f"Of {counted(n, 'judgment')} the runs tie, so that there is none.")
    return voted


def _one_mode(labels: Sequence[object]) -> object:
    """The most frequent label; None where several are."""
    modes = multimode(labels)
    return modes[0] if len(modes) == 1 else None
