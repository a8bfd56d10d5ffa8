"""reporting.arguments: shared options of commands: files and how to read them, draws and their seed."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from metaeval.core.errors import (
    STATUS_OF_A_MISTAKE,
    DataError,
    OpenQuestion,
    UnknownNameError,
    choose,
    listing,
)
from metaeval.core.limits import check_alpha, check_count, check_interval_draws
from metaeval.core.paths import read_yaml
from metaeval.own.roles import ACROSS
from metaeval.own.sheets import ROLES, Options, listed
from metaeval.own.tidy import Tidy, parts_of
from metaeval.own.words import SYNONYMS, plain
from metaeval.own.writing import written
from metaeval.reporting.reading import Reading, describe_files, read, read_tidy
from metaeval.stats.kernels import compiled_before
from metaeval.stats.resampling import check_draws
from metaeval.tables.labels import COEFFICIENT_LABELS

if TYPE_CHECKING:
    from metaeval.reporting.answer import Answer

A = TypeVar("A", bound="Answer")
SEED = 2021
_MANY = {"action": "append", "default": []}
_WORDS = {"action": "extend", "nargs": "+", "default": [], "metavar": "NAME"}
_FLAG = {"action": "store_true"}
# option, which without dashes is a key in a file of roles -> keyword of `read`, its declaration, and its help
READING: dict[str, tuple[str, dict[str, Any], str]] = {
    "--rater": (
        "raters", _WORDS,
        "judges, columns, or files without their endings, that are people who rated the same items, one each",
    ),
    "--machine": ("machines", _WORDS, "raters who are not people, such as language models"),
    "--people": (
        "people", {**_MANY, "metavar": "NAME"},
        "a judge, a column, or a file without its ending, whose scores are people's",
    ),
    "--lower": (
        "lower_is_better", {**_MANY, "metavar": "JUDGE"}, "a judge whose lower scores are better",
    ),
    "--higher": (
        "higher_is_better", {**_MANY, "metavar": "JUDGE"},
        "a judge whose higher scores are better, whatever its name suggests",
    ),
    "--ignore": ("ignore", {**_MANY, "metavar": "COLUMN"}, "a column that is not read"),
    "--pass": ("passes", {**_MANY, "metavar": "WORD"}, "a word of labels that passes; all others fail"),
    "--missing": (
        "missing", {**_MANY, "metavar": "WORD"}, "a word or code that means that there is no score",
    ),
    "--mqm-weights": (
        "mqm_weights", {**_WORDS, "metavar": "SEVERITY=WEIGHT"},
        "all weights of errors in MQM, such as minor=1 major=5 critical=10",
    ),
    "--by": (
        "by", {"default": "", "metavar": "COLUMN"},
        "an answer for each group that this column names, and over all",
    ),
    "--across": ("across", {"default": "", "choices": ACROSS}, "what the columns of scores are called after"),
    "--mean": ("mean", _FLAG, "take the mean of repeated judgments"),
    "--pool": ("pool", _FLAG, "rank systems together that share no item"),
    "--tie": (
        "tie", {"default": "", "metavar": "NUMBER"},
        "the tie among numbers of choices; the lower other is the first",
    ),
}  # fmt: skip
_IN_FILE = {option[2:]: keyword for option, (keyword, _, _) in READING.items()}


def add_files(parser: argparse.ArgumentParser, *, each: bool = True) -> None:
    """Add the files and the options for reading them; with `each` a command runs for every part of them."""
    add = parser.add_argument
    formats = "CSV, TSV, JSON, JSON Lines, Parquet or Excel, joined by their ids"
    add("files", nargs="+", metavar="FILE", help=formats)
    add_columns(parser, dict.fromkeys((*ROLES, *SYNONYMS)), "human=gold")
    for option, (keyword, kind, text) in READING.items():
        add(option, dest=keyword, help=text, **kind)
    add("--roles", type=Path, metavar="FILE", help="take these options from a YAML file")
    add("--save-roles", type=Path, metavar="FILE", help="write the roles of all columns to a YAML file")
    parser.set_defaults(part=None, prepare=load_roles, each=run_parts if each else None)


def read_options(args: argparse.Namespace) -> dict[str, Any]:
    """Options for reading files, as keyword arguments of `metaeval.own.tidy.tidy`."""
    return {"columns": column_options(args)} | {name: getattr(args, name) for name in _IN_FILE.values()}


def read_rows(args: argparse.Namespace, **more: Any) -> Tidy:
    """The rows of a command's files."""
    return read_tidy(args.files, **read_options(args), **more)


def read_files(args: argparse.Namespace, **more: Any) -> Reading:
    """The contents of a command's files, or of the part that is its turn."""
    return read(args.files, **read_options(args), part=args.part, **more)


def load_roles(args: argparse.Namespace) -> None:
    """Add the options of ``--roles`` to those of the command line, and write those of ``--save-roles``.

    Raises
    ------
    DataError
        If the file is no mapping of these options.
    """
    if args.roles:
        content = read_yaml(args.roles)
        unknown = sorted({*content} - {*_IN_FILE, "columns"}) if isinstance(content, dict) else []
        if not isinstance(content, dict) or unknown or not isinstance(content.get("columns", {}), dict):
            raise DataError(
                f"{args.roles}: must be a mapping of columns and "
                f"{listing(_IN_FILE, maximum=20)}{f', got {listing(unknown)}' if unknown else ''}; "
                "--save-roles FILE writes one"
            )
        named = {role for role, _ in args.col}
        columns = content.get("columns", {})
        more = [(role, f"{name}") for role in columns if role not in named for name in listed(columns[role])]
        args.col = [*args.col, *more]
        for key, keyword in _IN_FILE.items():
            current, value = getattr(args, keyword), content.get(key)
            if value and isinstance(current, list):
                setattr(args, keyword, [*current, *(f"{one}" for one in listed(value))])
            elif value and not current:
                setattr(args, keyword, value)
    if args.save_roles:
        import yaml  # here, since few commands write YAML

        data = read_rows(args)
        columns: dict[str, list[str]] = {}
        for option, word in data.options:
            if option == "--col":
                columns.setdefault(word.partition("=")[0], []).append(word.partition("=")[2])
        options = {key: getattr(args, name) for key, name in _IN_FILE.items() if getattr(args, name)}
        options |= {option[2:]: word for option, word in data.options if option == "--across"}
        with written(args.save_roles) as partial:
            partial.write_text(
                yaml.safe_dump({"columns": columns} | options, allow_unicode=True, sort_keys=False),
                encoding="utf8",
            )


def run_parts(main: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Run a command for each part of the files with an answer of its own; returns one status.

    The status is 1 if that of any part is, else 3 if a part has errors, else the highest.

    Raises
    ------
    OpenQuestion
        If several readings of the files fit.
    """
    if not all(Path(one).expanduser().exists() for one in args.files):  # names of data sets, or a mistake
        return main(args)
    data = read_rows(args, judges=getattr(args, "judges", None) or [])
    require_one_reading(data)
    parts = parts_of(data, Options(by=args.by, pool=args.pool))
    if len(parts) < 2 and not any(part.label for part in parts):
        return main(args)
    json_parts, statuses, errors = {}, [], []
    outputs = {
        name: value if isinstance(value, list) else [value]
        for name in ("output", "disagreements")
        if (value := getattr(args, name, None)) is not None
    }
    for part in parts:
        args.part = part
        for name, paths in outputs.items():
            own = [path.with_stem(f"{path.stem}-{plain(part.label)}") for path in paths]
            setattr(args, name, own if isinstance(getattr(args, name), list) else own[0])
        text = io.StringIO()
        try:
            if getattr(args, "json", False):
                with contextlib.redirect_stdout(text):
                    statuses.append(main(args))
                json_parts[part.label] = json.loads(text.getvalue())
            else:
                print(f"{'' if part is parts[0] else chr(10)}== {part.label} ==")
                statuses.append(main(args))
        except (DataError, UnknownNameError) as error:  # also of a judge that is only in other parts
            errors.append(error)
            print(f"{part.label}: {error}", file=sys.stderr if getattr(args, "json", False) else sys.stdout)
    if json_parts:
        print(json.dumps(json_parts, indent=2))
    if len(errors) == len(parts):
        raise errors[0]
    return 1 if 1 in statuses else STATUS_OF_A_MISTAKE if errors else max(statuses)


def require_one_reading(data: Tidy) -> None:
    """Raise where several readings of the files fit, with what all of them share.

    Raises
    ------
    OpenQuestion
        With an option to paste for each.
    """
    if data.readings:
        raise OpenQuestion(
            f"{describe_files(data)}\nThis can be read in several ways, so nothing is answered yet; say "
            "which",
            data.readings,
        )


def split_pair(text: str, form: str, example: str) -> tuple[str, str]:
    """Split a word of a command line at its equals sign."""
    name, _, value = text.partition("=")
    if not value:
        raise argparse.ArgumentTypeError(f"must be {form}, such as {example}, got {text!r}")
    return name, value


def add_columns(parser: argparse.ArgumentParser, roles: Mapping[str, object], example: str) -> None:
    """Add ``--col``, for columns without a usual name."""

    def column(text: str) -> tuple[str, str]:
        role, name = split_pair(text, "ROLE=NAME", example)
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


def add_draws(parser: argparse.ArgumentParser, *, tests: bool = True) -> None:
    """Add the options of draws; with `tests` also the coefficient and the level of tests."""
    add = parser.add_argument
    if tests:
        add("--coefficient", choices=sorted(COEFFICIENT_LABELS), default="kendall", help="(%(default)s)")
    add("--confidence-level", type=float, default=0.95, help="of intervals (%(default)s)")
    if tests:
        add("--alpha", type=float, default=0.05, help="level of the tests (%(default)s)")
    text = f"bootstrap draws{' and permutations' * tests} (%(default)s)"
    add("--draws", type=int, default=1_999, dest="n_resamples", metavar="DRAWS", help=text)
    add("--seed", type=int, default=SEED, help="of the draws (%(default)s)")


def draw_options(args: argparse.Namespace) -> dict[str, Any]:
    """Options of `add_draws`, as keyword arguments."""
    check_count("seed", args.seed, minimum=0)
    names = "coefficient", "confidence_level", "alpha", "n_resamples"
    return {name: getattr(args, name) for name in names if name in args} | {"rng": args.seed}


def check_settings(*, confidence_level: float, n_resamples: int, alpha: float = 0.05) -> None:
    """Raise unless levels and the number of draws are in range and fit each other."""
    check_alpha(alpha)
    check_draws(n_resamples)
    check_interval_draws(n_resamples, confidence_level)


def add_output(parser: argparse.ArgumentParser, more: str) -> None:
    """Add ``--json``, and ``-v`` for `more` than the answer."""
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    parser.add_argument("-v", "--verbose", action="store_true", help=f"print {more}")


def answer_files(
    function: Callable[..., A], args: argparse.Namespace, names: Sequence[str] = (), **more: Any
) -> A:
    """Call a function on a command's files with the options of `add_draws` and of `names`, print its answer.

    Parameters
    ----------
    function : such as `metaeval.reporting.report.report`
    args : Namespace
    names : of further arguments
    more : further options for reading

    Returns
    -------
    Answer
    """
    draws = draw_options(args)
    warn_about_compilation()
    options = {name: getattr(args, name) for name in names}
    answer = function(read_files(args, **more), **options, **draws)
    print_answer(answer, args)
    return answer


def print_answer(answer: Answer, args: argparse.Namespace) -> None:
    """Print an answer as the options of `add_output` ask."""
    print(answer.to_json() if args.json else answer.summary(verbose=args.verbose) + "\n", end="")


def warn_about_compilation() -> None:
    """Print a note to standard error if loops have to be compiled first."""
    if not compiled_before():
        print("The first run compiles its loops (Numba), which takes about 15 s, once.", file=sys.stderr)
