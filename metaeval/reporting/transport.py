"""reporting.transport: what a judge's answers on several data sets say of its answer on another one."""

from __future__ import annotations

import argparse
import itertools
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

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
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import DELTA, Beside, Verdicts, decide, format_interval
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.slices import MIN_DATASETS, transport
from metaeval.stats.streams import seed_of, signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.wording import RATER, counted, percent

QUESTION = "Does a judge's answer hold on another data set?"


class Transport(Report):
    """Report on judges over data sets."""

    command = "transport"


def transport_judges(datasets: Mapping[str, Benchmark | Reading], **options: Any) -> Transport:
    """Report on judges over data sets: each one's difference in each, their spread, and that of another.

    Parameters
    ----------
    datasets : mapping, name -> its scores
    options : see `metaeval.reporting.report.report`

    Returns
    -------
    Transport
        An answer on each judge by the interval of another data set, and the table ``datasets``. The
        difference is that of a report: judge minus rater, or minus a score that judges nothing.

    Raises
    ------
    DataError
        If no two data sets have a judge in common with an interval, they are of several kinds, or one is a
        copy of another.
    """
    options |= {"rng": seed_of(options.get("rng", SEED))}
    reports, left_out = {}, []
    for name, data in datasets.items():
        try:
            reports[name] = report(data, **options)
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
    one = next(iter(reports.values()))
    verdicts = _verdicts(table, one.verdicts, one.settings, overlap_lines)
    parts = (_datasets(table, one.settings.confidence_level), *left_out)
    how = asdict(one.settings)
    kind = {"kind": "transport", "datasets": len(answers), "coef": how["coefficient"]}
    return Transport(
        f"{counted(len(verdicts.table), 'judge')} on {counted(len(answers), 'data set')}", one.settings,
        verdicts, lambda: parts, parts,
        tuple(f"{name}: {note}" for name, of in reports.items() for note in of.notes),
        f"{one.methods} Data sets are put together with random effects: Paule and Mandel's spread, Hartung "
        "and Knapp's interval, and Nagashima, Noma and Furukawa's for another data set.",
        signature(
            kind, confidence=how["confidence_level"], delta=how["delta"], draws=how["n_resamples"],
            seed=how["seed"],
        ),
    )  # fmt: skip


def _verdicts(
    table: pd.DataFrame, first: Verdicts, settings: Settings, overlap_lines: Sequence[str]
) -> Verdicts:
    """Answers on judges by the interval of another data set."""
    parts = {judge: part for judge, part in table.groupby("metric", sort=False)}
    level = {"confidence_level": settings.confidence_level}
    results = [
        transport(*(part[name].to_numpy() for name in ("value", "low", "high")), **level, **settings.draws)
        for part in parts.values()
    ]
    # of correlations and shares, from -1 to 1
    bottom = np.array([-1 - part["reference"].max() for part in parts.values()])
    top = np.array([1 - part["reference"].min() for part in parts.values()])

    def another(level: float) -> Ends:
        ends = percentile_ends(np.stack([one.draws for one in results]), level)
        return ends._replace(low=np.clip(ends.low, bottom, top), high=np.clip(ends.high, bottom, top))

    value, low, high, spread, _ = map(np.array, zip(*results, strict=True))
    sizes = np.array([len(part) for part in parts.values()])
    because = ["" if n >= MIN_DATASETS else f"{n} data sets; it takes {MIN_DATASETS}" for n in sizes]
    mean = Ends.exact(np.maximum(low, bottom), np.minimum(high, top))
    more = {"mean": value, "mean_low": mean.low, "mean_high": mean.high, "spread": spread}
    own = " or ".join(map(str, np.unique(sizes)))
    line = (
        f"The last interval is for data sets like a judge's own ({own}), as if drawn from "
        "one normal lot (of a skewed one it covers less); of other kinds nothing is said."
        if sizes.max() >= MIN_DATASETS
        else "Two data sets have a single difference, which says nothing of a third."
    )
    verdicts = decide(
        Beside([*parts], value, mean, spread, [""] * len(parts), value, another, because,
               more | {"n_datasets": sizes}),
        [None] * len(parts), raters=RATER in {*table["compared_with"]}, margin=settings.delta,
        estimand=f"{first.question} Difference in {first.estimand.partition(' over ')[0]}", n_judged=0,
        has_words="verdict" in first.headings, lines=[line, *overlap_lines], **level,
    )  # fmt: skip
    own = percent(settings.confidence_level, None)
    headings = {
        "metric": "judge", "mean": f"mean difference [{own}]", "spread": "spread between data sets",
        "value": f"on another data set [{own}]",
        **{key: heading for key, heading in first.headings.items() if key == "verdict"},
    }  # fmt: skip
    columns = ["metric", "verdict", *more, "value", *Ends._fields, "because", "n_datasets"]
    rule = f"yes: all of the last interval lies above {first.at:g}; no: below it; open: neither."
    return replace(verdicts, question=QUESTION, table=verdicts.table[columns], headings=headings, rule=rule)


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
