"""reporting.look: ``metaeval FILE ...`` says in a line what files hold, and answers in a table."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable

from metaeval.core.errors import STATUS_OF_A_QUESTION, DataError, OpenQuestion, UnknownNameError
from metaeval.reporting.arguments import (
    add_draws,
    add_files,
    draw_options,
    read_files,
    read_rows,
    run_parts,
    warn_about_compilation,
)
from metaeval.reporting.reading import describe_files, describe_missing_side
from metaeval.reporting.report import report

FEW_DRAWS = 199  # by which several readings are compared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    add_draws(parser)
    parser.set_defaults(each=run_or_ask)


def main(args: argparse.Namespace) -> int:
    """Print what the files hold and a report's answer; returns the exit status."""
    if args.part is None or not args.part.label:
        print(describe_files(read_rows(args)))
    reading = read_files(args)
    if missing := describe_missing_side(*reading.sides, args.files):
        print(missing)
        if reading.rows and (ways := reading.rows.side_options):
            print("Or say whose a column is:", *(f"  {way}   {what}" for way, what in ways.items()), sep="\n")
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
        given = argparse.Namespace(**vars(args))
        one = parser.parse_args([*map(str, args.files), *shlex.split(options)], given)
        one.by, one.part = "", None
        try:
            answer = report(read_files(one), n_resamples=FEW_DRAWS, rng=args.seed)
        except (DataError, UnknownNameError):
            return []
        table = answer.verdicts.table
        found.append(list(zip(table["metric"], table["verdict"], strict=True)))
    return [one for one in found[0] if one[1] and all(one in other for other in found)] if found else []
