"""reporting.transport: what a judge's answers on several data sets say of its answer on another one."""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError
from metaeval.own.joining import name_files
from metaeval.own.sheets import Options
from metaeval.own.tidy import parts_of
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    add_output,
    draw_options,
    print_answer,
    read_files,
    read_rows,
    require_one_reading,
)
from metaeval.reporting.reading import Reading, as_reading, describe_shared_items
from metaeval.reporting.report import Report, report
from metaeval.reporting.sections import LeftOut, Section
from metaeval.reporting.verdict import DELTA, OPEN, Verdicts, decide_word, format_interval
from metaeval.stats.slices import MIN_DATASETS, transport
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.wording import counted, percent

QUESTION = "Does a judge's answer hold on another data set?"


class Transport(Report):
    """Report on judges over data sets."""

    command = "transport"


def transport_judges(
    datasets: Mapping[str, Benchmark | Reading],
    *,
    coefficient: str = "kendall",
    delta: float = DELTA,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    rng: RNGLike = SEED,
) -> Transport:
    """Report on judges over data sets: each one's difference in each, their spread, and that of another.

    Parameters
    ----------
    datasets : mapping, name -> its scores
    coefficient, delta, confidence_level, alpha, n_resamples, rng : see `metaeval.reporting.report.report`

    Returns
    -------
    Transport
        An answer on each judge by the interval of another data set, and the table ``datasets``. The
        difference is that of a report: judge minus rater, or minus a score that judges nothing.

    Raises
    ------
    DataError
        If no two data sets have a judge in common with an interval, or they are of several kinds.
    """
    kind = {"coefficient": coefficient, "delta": delta, "confidence_level": confidence_level, "alpha": alpha}
    seed = seed_of(rng)
    reports, left_out = {}, []
    for name, data in datasets.items():
        try:
            reports[name] = report(data, **kind, n_resamples=n_resamples, rng=seed)
        except DataError as error:
            left_out.append(LeftOut(f"data set {name}", str(error), is_short=True))
    answers = {name: one.verdicts for name, one in reports.items()}
    names = {(one.question, one.estimand.partition(" over ")[0]) for one in answers.values()}
    if len(names) > 1:
        kinds = "; ".join(f"{name}: {one.question} {one.estimand}" for name, one in answers.items())
        raise DataError(f"data sets of several kinds are not put together: {kinds}")
    if any(one.is_own_scale for one in answers.values()):
        raise DataError(
            "of two systems a judge's answer is their difference, which says nothing of the judge on another "
            "data set; it takes three systems, or one"
        )
    overlap_lines = describe_shared_items({name: as_reading(datasets[name]) for name in answers})
    rows = [one.table.assign(dataset=name) for name, one in answers.items()]
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["metric", "value", "low"])
    bare = table[["value", "low"]].isna().any(axis=1)
    for row in table[bare].to_dict("records"):
        why = row["because"] or "no interval"
        left_out.append(LeftOut(f"{row['metric']} on {row['dataset']}", why, is_short=True))
    present = set(zip(table["metric"], table["dataset"], strict=True))
    pairs = itertools.product(table["metric"].unique(), answers)
    lacking = [f"{judge} on {name}" for judge, name in pairs if (judge, name) not in present]
    left_out += [LeftOut(pair, "it has no scores there", is_short=True) for pair in lacking]
    table = table[~bare]
    table = table[table.groupby("metric")["dataset"].transform("size") > 1] if len(table) else table
    if not len(table):
        reasons = "".join(f"; {why}" for why in dict.fromkeys(one.why for one in left_out[:5]))
        raise DataError(f"it takes two data sets (files, or --by) with answers on the same judge{reasons}")
    first = next(iter(answers.values()))
    draws = {"confidence_level": confidence_level, "n_resamples": n_resamples, "rng": seed}
    judge_rows = [_row(judge, part, first, **draws) for judge, part in table.groupby("metric", sort=False)]
    section = _datasets(table, confidence_level)
    verdicts = _verdicts(pd.DataFrame(judge_rows), first, confidence_level, overlap_lines)
    parts = (section, *left_out)
    one = next(iter(reports.values()))
    notes = tuple(f"{name}: {note}" for name, of in reports.items() for note in of.notes)
    paragraph = re.sub(r"\bover [\d,]+ (system|document|item)s?\b", r"over \1s", one.methods)
    setting = re.sub(r"systems:\d+\|documents:\d+\|", "", one.signature)
    return Transport(
        f"{counted(len(judge_rows), 'judge')} on {counted(len(answers), 'data set')}", one.settings, verdicts,
        lambda: parts, parts, notes, f"{paragraph} Data sets are put together with random effects: Paule and "
        "Mandel's spread, Hartung and Knapp's interval, and Nagashima, Noma and Furukawa's for another data "
        "set.", f"kind:transport|datasets:{len(answers)}|{setting}",
    )  # fmt: skip


def _row(judge: str, part: pd.DataFrame, first: Verdicts, **draws: object) -> dict[str, object]:
    """Answer on a judge, by the interval of another data set."""
    result = transport(*(part[name].to_numpy() for name in ("value", "low", "high")), **draws)
    word = decide_word(result.value, result.another, first.at) if "verdict" in first.headings else ""
    few = f"{len(part)} data sets; it takes {MIN_DATASETS}" if len(part) < MIN_DATASETS else ""
    # of correlations and shares from -1 to 1
    bottom, top = -1 - part["reference"].max(), 1 - part["reference"].min()
    another = result.another.columns()
    another |= {end: float(np.clip(another[end], bottom, top)) for end in ("low", "high")}
    return {
        "metric": judge, "verdict": word, "mean": result.value,
        "mean_low": max(result.low, bottom), "mean_high": min(result.high, top), "spread": result.spread,
        "value": result.value, **another, "because": few if word == OPEN else "", "n_datasets": len(part),
    }  # fmt: skip


def _verdicts(
    table: pd.DataFrame, first: Verdicts, confidence_level: float, overlap_lines: list[str]
) -> Verdicts:
    level = percent(confidence_level, None)
    headings = {
        "metric": "judge", "mean": f"mean difference [{level}]", "spread": "spread between data sets",
        "value": f"on another data set [{level}]",
    }  # fmt: skip
    headings |= {"verdict": first.headings["verdict"]} if "verdict" in first.headings else {}
    table = table.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    sizes = sorted(table["n_datasets"].unique())
    own = " or ".join(map(str, sizes))
    line = (
        f"The last interval is for data sets like a judge's own ({own}), as if drawn from "
        "one normal lot (of a skewed one it covers less); of other kinds nothing is said."
        if sizes[-1] >= MIN_DATASETS
        else "Two data sets have a single difference, which says nothing of a third."
    )
    n, level = len(table), percent((1 - confidence_level) / 2, None)
    tests = f"{n} judges were tested, each at {level} one-sided; no answer is corrected for {n} tests."
    lines = (line, *[tests] * (n > 1 and "verdict" in headings), *overlap_lines)
    rule = f"yes: all of the last interval lies above {first.at:g}; no: below it; open: neither."
    estimand = f"{first.question} Difference in {first.estimand.partition(' over ')[0]}"
    return replace(
        first, question=QUESTION, estimand=estimand, table=table, headings=headings, lines=lines, rule=rule,
        ceiling=None,
    )  # fmt: skip


def _datasets(table: pd.DataFrame, confidence_level: float) -> Section:
    """Section with a row for each judge and data set."""
    columns = ["metric", "dataset", "own", "reference", "value", "low", "high"]
    table = table[columns].sort_values("metric", kind="stable", ignore_index=True)
    heading = f"difference [{percent(confidence_level, None)}]"
    rows = [
        {"judge": row["metric"], "data set": row["dataset"], heading: format_interval(row, signed=True)}
        for row in table.to_dict("records")
    ]
    return Section("datasets", "How far is it on each data set?", table, "", pd.DataFrame(rows))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = f"{parser.epilog} Each file is a data set, or each value of --by in one file."
    add_files(parser, each=False)
    parser.add_argument("--delta", type=float, default=DELTA, help="margin, as for report (%(default)s)")
    add_output(parser, "every table, and the methods")
    add_draws(parser)


def main(args: argparse.Namespace) -> int:
    """Print an answer for each of people's criteria; returns the exit status."""
    files = args.files
    readings: dict[str, dict[str, Reading]] = defaultdict(dict)
    paths = [Path(file).resolve() for file in files]
    if not args.by and len({*paths}) < len(paths):
        raise DataError("a file is given twice; each is a data set")
    names = name_files(paths, [path.stem for path in paths])
    each = [(files, "")] if args.by else zip(([file] for file in files), names, strict=True)
    for args.files, name in each:
        rows = read_rows(args)
        require_one_reading(rows)
        for part in parts_of(rows, Options(by=args.by, pool=True)):
            if part.group or not args.by:
                args.part = part
                readings[part.criterion][part.group or name] = read_files(args)
    answers = {
        criterion: transport_judges(parts, delta=args.delta, **draw_options(args))
        for criterion, parts in readings.items()
    }
    if args.json and len(answers) > 1:
        print(json.dumps({name: json.loads(one.to_json()) for name, one in answers.items()}, indent=1))
        return 0
    for criterion, answer in answers.items():
        if len(answers) > 1:
            print(f"== {criterion} ==")
        print_answer(answer, args)
    return 0
