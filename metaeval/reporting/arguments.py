"""reporting.arguments: shared options of commands: files and how to read them, draws and their seed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from math import comb
from typing import Any

from metaeval.core.errors import choose
from metaeval.core.limits import check_alpha, check_count, check_interval_draws
from metaeval.own.columns import ALIASES
from metaeval.stats.kernels import compiled_before
from metaeval.stats.resampling import check_draws
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted

SEED = 2021
LONG_WORK = 2e10  # pairs of summaries compared in all draws, from which on a note gives the run time
WORK_PER_SECOND = 2e9  # at least, on one processor


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files and the options for reading them."""
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
    for option, metavar, text in (
        ("--people", "NAME", "a judge, or a file without its ending, whose scores are people's"),
        ("--lower", "JUDGE", "a judge whose lower scores are better"),
        ("--higher", "JUDGE", "a judge whose higher scores are better, whatever its name suggests"),
    ):
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=text)


class _RenamedOption(argparse.Action):
    """Option under its old name: it still works, with a note on standard error."""

    def __call__(self, parser, namespace, values, option_string=None):
        print(
            f"{option_string} is called {self.const} now; the old name ends with the next version",
            file=sys.stderr,
        )
        setattr(namespace, self.dest, values)


def add_renamed(parser: argparse.ArgumentParser, old: str, new: str, **options: Any) -> None:
    """Add the option `new`, and `old` as its hidden former name for one version."""
    dest = new.lstrip("-").replace("-", "_")
    parser.add_argument(
        old, dest=dest, action=_RenamedOption, const=new, type=options.get("type"), default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )  # fmt: skip
    parser.add_argument(new, **options)


def add_columns(parser: argparse.ArgumentParser, roles: Mapping[str, object], example: str) -> None:
    """Add ``--col``, for columns without a usual name."""

    def column(text: str) -> tuple[str, str]:
        role, sign, name = text.partition("=")
        if not sign or not name:
            raise argparse.ArgumentTypeError(f"must be ROLE=NAME, such as {example}, got {text!r}")
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
        help=f"a column of another name, such as {example}; roles: {', '.join(roles)}",
    )


def column_options(args: argparse.Namespace) -> dict[str, list[str]]:
    """Names of columns by role, from ``--col``."""
    names: dict[str, list[str]] = {}
    for role, name in args.col:
        names.setdefault(role, []).append(name)
    return names


def read_options(args: argparse.Namespace) -> dict[str, Any]:
    """Options for reading files, as keyword arguments of `metaeval.own.tidy.tidy`."""
    return {
        "columns": column_options(args),
        "people": args.people,
        "raters": args.rater,
        "machines": args.machine,
        "lower_is_better": args.lower,
        "higher_is_better": args.higher,
    }


def add_draws(parser: argparse.ArgumentParser) -> None:
    """Add the options of draws: coefficient, levels, number and seed."""
    parser.add_argument(
        "--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)"
    )
    parser.add_argument("--confidence-level", type=float, default=0.95, help="of intervals (%(default)s)")
    parser.add_argument("--alpha", type=float, default=0.05, help="level of the tests (%(default)s)")
    parser.add_argument(
        "--draws", type=int, default=1_999, dest="n_resamples", metavar="DRAWS",
        help="bootstrap draws and permutations (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=SEED, help="of the draws (%(default)s)")


def draw_options(args: argparse.Namespace) -> dict[str, object]:
    """Checked options of draws, as keyword arguments."""
    check_alpha(args.alpha)
    check_count("seed", args.seed, minimum=0)
    check_draws(args.n_resamples)
    check_interval_draws(args.n_resamples, args.confidence_level)
    return {
        "coefficient": args.coefficient,
        "confidence_level": args.confidence_level,
        "alpha": args.alpha,
        "n_resamples": args.n_resamples,
        "rng": args.seed,
    }


def warn_about_runtime(benchmark: Benchmark, *, n_resamples: int, coefficient: str) -> None:
    """Print the expected run time of many draws to standard error.

    Each draw compares the ranks of every pair of systems on every document by every metric.
    """
    n_pairs, n_documents = comb(len(benchmark.systems), 2), len(benchmark.documents)
    n_metrics = len(benchmark.metrics)
    work = n_pairs * n_documents * n_metrics * n_resamples
    if coefficient != "pearson" and work > LONG_WORK:
        print(
            f"Each of {n_resamples:,} draws compares {counted(n_pairs, 'pair')} of systems on "
            f"{counted(n_documents, 'document')} by {counted(n_metrics, 'metric')}, which takes up to "
            f"{work / WORK_PER_SECOND:,.0f} s of computing; fewer systems, or --coefficient pearson, are "
            "quicker.",
            file=sys.stderr,
        )


def warn_about_compilation() -> None:
    """Print a note to standard error if loops have to be compiled first."""
    if not compiled_before():
        print("The first run compiles its loops (Numba), which takes about 15 s, once.", file=sys.stderr)
