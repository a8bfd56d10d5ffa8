"""reporting.arguments: what all commands on a user's own files take: the files, and how to read them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from metaeval.core.errors import choose
from metaeval.own.columns import ALIASES


def add_files(parser: argparse.ArgumentParser) -> None:
    """Declare the files and what says how to read them."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="CSV, TSV, JSON Lines, Parquet or Excel, joined by their ids"
    )
    add_columns(parser, ALIASES, "human=gold")
    parser.add_argument(
        "--rater", action="extend", nargs="+", default=[], metavar="NAME",
        help="judges, or files without their endings, that are people who rated the same items, one each",
    )  # fmt: skip
    parser.add_argument(
        "--machine", action="extend", nargs="+", default=[], metavar="NAME",
        help="raters who are not people, such as language models",
    )  # fmt: skip
    for option, metavar, says in (
        ("--people", "NAME", "a judge, or a file without its ending, whose scores are people's"),
        ("--lower", "JUDGE", "a judge whose lower scores are better"),
        ("--higher", "JUDGE", "a judge whose higher scores are better, whatever its name suggests"),
    ):
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=says)


def add_columns(parser: argparse.ArgumentParser, roles: Mapping[str, object], such: str) -> None:
    """Declare ``--col``, for columns that are not called as usual."""

    def column(text: str) -> tuple[str, str]:
        role, sign, name = text.partition("=")
        if not sign or not name:
            raise argparse.ArgumentTypeError(f"must be ROLE=NAME, such as {such}, got {text!r}")
        try:
            choose("role", role, dict(roles))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return role, name

    parser.add_argument(
        "--col",
        action="append",
        default=[],
        type=column,
        metavar="ROLE=NAME",
        help=f"a column of another name, such as {such}; roles: {', '.join(roles)}",
    )


def columns(given: argparse.Namespace) -> dict[str, list[str]]:
    """What ``--col`` said: names by role."""
    found: dict[str, list[str]] = {}
    for role, name in given.col:
        found.setdefault(role, []).append(name)
    return found


def settings(given: argparse.Namespace) -> dict[str, Any]:
    """What was given, as `metaeval.own.tidy.tidy` takes it."""
    return {
        "columns": columns(given),
        "people": given.people,
        "raters": given.rater,
        "machines": given.machine,
        "lower_is_better": given.lower,
        "higher_is_better": given.higher,
    }
