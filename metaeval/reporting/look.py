"""reporting.look: ``metaeval FILE ...`` says in a line what files hold, and answers in a table."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable

from metaeval.core.errors import STATUS_OF_A_QUESTION, DataError, OpenQuestion, UnknownNameError
from metaeval.own.words import is_length, is_machine, is_metric
from metaeval.reporting.arguments import (
    add_draws,
    add_files,
    draw_options,
    read_options,
    run_parts,
    warn_about_compilation,
)
from metaeval.reporting.reading import Reading, describe_files, read, read_tidy
from metaeval.reporting.report import report

MAX_BARE = 8  # columns that are offered as people's
PEOPLE_MISSING = "people's scores or labels"
FEW_DRAWS = 199  # by which several readings are compared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    add_draws(parser)
    parser.set_defaults(each=run_or_ask)


def main(args: argparse.Namespace) -> int:
    """Print what the files hold and a report's answer; returns the exit status."""
    how = read_options(args)
    if args.part is None or not args.part.label:
        print(
            describe_files(
                read_tidy(args.files, **{key: value for key, value in how.items() if key != "part"})
            )
        )
    reading = read(args.files, **how)
    if missing := _missing_side(reading):
        print(
            f"Add the other file, with {missing} of the same items: metaeval {' '.join(args.files)} OTHER.csv"
        )
        if missing == PEOPLE_MISSING and (options := _perhaps_people(reading)):
            print(f"Or say that people gave them:\n  {options}   scores by people")
        print(*(note for note in reading.notes if " --" in note), sep="\n", end="")
        return STATUS_OF_A_QUESTION
    warn_about_compilation()
    try:
        answer = report(reading, **draw_options(args))
    except DataError as error:
        print(f"{error}. `metaeval doctor` shows what every column is taken for.")
        return STATUS_OF_A_QUESTION
    print("", answer.summary(), sep="\n")
    return 0


def run_or_ask(main: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Answer each part of the files; where several readings fit, print first what all of them answer alike.

    Raises
    ------
    OpenQuestion
        If several readings fit.
    """
    try:
        return run_parts(main, args)
    except OpenQuestion as question:
        shared = shared_answers(args, question.readings)
        if shared:
            print("However they are read, " + "; ".join(f"{name}: {word}" for name, word in shared) + ".")
        raise


def shared_answers(args: argparse.Namespace, readings: Iterable[str]) -> list[tuple[str, str]]:
    """Judges and verdicts that come out alike by all readings; none where one of them has no verdict."""
    parser = argparse.ArgumentParser()
    add_files(parser)
    found = []
    for options in readings:
        one = parser.parse_args([*map(str, args.files), *shlex.split(options)])
        how = {
            key: [*given, *value] if isinstance(given := read_options(args)[key], list) else value or given
            for key, value in read_options(one).items()
            if key not in ("columns", "by", "part")
        }
        columns = {**read_options(args)["columns"], **read_options(one)["columns"]}
        try:
            answer = report(read(args.files, columns=columns, **how), n_resamples=FEW_DRAWS, rng=args.seed)
        except (DataError, UnknownNameError):
            return []
        table = answer.verdicts.table
        found.append(list(zip(table["metric"], table["verdict"], strict=True)))
    return [one for one in found[0] if one[1] and all(one in other for other in found)] if found else []


def _perhaps_people(reading: Reading) -> str:
    """Options by which people gave the scores of columns that are called after no metric or model."""
    if reading.benchmark is not None:  # nobody scores whole systems
        names = [f"{name}" for name in reading.benchmark.metrics if len(reading.benchmark.documents) > 1]
    elif reading.labels is not None:
        names = [*dict.fromkeys(reading.labels["name"])]
    else:
        names = []
    names = [name for name in names if not is_length(name)]
    bare = len(names) <= MAX_BARE and not any(is_metric(name) or is_machine(name) for name in names)
    return " ".join(f"--people {shlex.quote(name)}" for name in names) if bare else ""


def _missing_side(reading: Reading) -> str:
    """Scores that another file has to hold; "" where judges and people are both there."""
    if reading.benchmark is not None:
        judges, people = bool(reading.benchmark.metrics), bool(reading.benchmark.judgments)
    elif reading.pairs is not None:
        judges, people = (bool(side.size) for side in (reading.pairs.judges, reading.pairs.people))
    else:
        roles = set(reading.labels["role"])
        judges, people = "judge" in roles, "person" in roles
    return "" if judges and people else PEOPLE_MISSING if judges else "scores of a judge or metric"
