"""reporting.look: ``metaeval FILE ...`` says in a line what files hold, and answers in a table."""

from __future__ import annotations

import argparse

from metaeval.core.errors import DataError
from metaeval.reporting.arguments import (
    add_draws,
    add_files,
    draw_options,
    read_options,
    warn_about_compilation,
)
from metaeval.reporting.reading import Reading, describe_files, read, read_tidy
from metaeval.reporting.report import report

STATUS_WITHOUT_ANSWER = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    add_draws(parser)


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
        return STATUS_WITHOUT_ANSWER
    warn_about_compilation()
    try:
        answer = report(reading, **draw_options(args))
    except DataError as error:
        print(f"{error}. `metaeval doctor` shows what every column is taken for.")
        return STATUS_WITHOUT_ANSWER
    print("", answer.summary(), sep="\n")
    return 0


def _missing_side(reading: Reading) -> str:
    """Scores that another file has to hold; "" where judges and people are both there."""
    if reading.benchmark is not None:
        judges, people = bool(reading.benchmark.metrics), bool(reading.benchmark.judgments)
    elif reading.pairs is not None:
        judges, people = (bool(side.size) for side in (reading.pairs.judges, reading.pairs.people))
    else:
        roles = set(reading.labels["role"])
        judges, people = "judge" in roles, "person" in roles
    return (
        "" if judges and people else "people's scores or labels" if judges else "scores of a judge or metric"
    )
