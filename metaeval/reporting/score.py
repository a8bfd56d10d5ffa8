"""reporting.score: ``metaeval score METRIC...`` computes metrics from texts, for a report to judge."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from metaeval.core.errors import STOPPED, DataError, need_extras
from metaeval.core.paths import cache_folder
from metaeval.core.workers import add_jobs
from metaeval.metrics import registry
from metaeval.metrics.registry import REFERENCE, SOURCE
from metaeval.metrics.scoring import kept_scores
from metaeval.own.texts import ROLES, read_texts
from metaeval.own.writing import long_table, require_apart, require_written, write_table
from metaeval.reporting.arguments import add_columns, column_options, split_pair
from metaeval.tables.benchmark import Texts
from metaeval.tables.readable import Readable
from metaeval.tables.wording import counted, joined

_MAX_ERRORS = 5  # of documents, that are printed
_LATIN = re.compile(r"[A-Za-z0-9]")
_NO_YES = ("no", "yes")
_TRUTHS = dict(zip(("no", "false", "yes", "true"), (False, False, True, True), strict=True))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = (
        "The exit status is 0 when all is scored, 1 when documents remain without scores, 3 for a mistake "
        "in the command or the files, and 130 after Ctrl-C."
    )
    add = parser.add_argument
    add("metrics", nargs="*", metavar="METRIC", help="such as rouge-1; --list names all")
    add("--list", action="store_true", help="list the metrics, or the options of the named ones")
    layouts = (
        "files of lines (a document each), folders (a file a document), tables (CSV, JSON Lines, Parquet)"
    )
    for role, more in (
        ("summaries", "a table may hold references and sources too"),
        ("references", "several files of lines, or folders, are several references"),
    ):
        text = f"{role}: {layouts}; {more}"
        add(f"--{role}", nargs="+", default=[], type=Path, metavar="FILE", help=text)
    add("--sources", type=Path, metavar="FILE", help="source texts, in the same layouts")
    add_columns(parser, ROLES, "summary=answer")
    add("-o", "--output", type=Path, metavar="FILE", help="scores as .csv, .tsv, .jsonl or .parquet")
    text = "model of metrics that compare vectors, or a name of the Hugging Face hub"
    add("--model", metavar="FOLDER", help=text)
    text = "option of a metric, such as stem=no or references=max; METRIC --list names all; repeatable"
    pair = partial(split_pair, form="NAME=VALUE", example="stem=no")
    add("--option", action="append", default=[], type=pair, metavar="NAME=VALUE", help=text)
    add_jobs(parser, "processes", 1)


def main(args: argparse.Namespace) -> int:
    """Score the texts and write the scores; returns the exit status."""
    if args.list:
        print(listed(args.metrics))
        return 0
    if not args.metrics or args.output is None:
        raise DataError("name metrics and a file for their scores (-o scores.csv); --list names all metrics")
    require_written(args.output)
    require_apart([args.output], [*args.summaries, *args.references, *filter(None, [args.sources])])
    metrics = list(dict.fromkeys(registry.metric(name).name for name in args.metrics))
    if not args.summaries:
        raise DataError("name the summaries: --summaries FILE ...")
    texts = read_texts(args.summaries, args.references, args.sources, columns=column_options(args))
    _require_needed(metrics, texts)
    options = _options(args.option, metrics) | ({"model": args.model} if args.model else {})
    if caution := _script_caution(texts, metrics):
        print(caution, file=sys.stderr)
    if any(registry.metric(name).family == "Pyramid" for name in metrics):
        options["background"] = _background(texts)
    errors: list[Exception] = []
    cache_errors: list[OSError] = []
    progress = Progress(sys.stderr)
    callbacks = {"progress": progress, "lost": errors.append, "unkept": cache_errors.append}
    try:
        scores = kept_scores(texts, metrics, jobs=args.jobs, **callbacks, **options)
    except KeyboardInterrupt:
        then = _cache_caution(cache_errors) if cache_errors else "the same command continues from there"
        print(f"\nstopped after {progress.counted()}; {then}", file=sys.stderr)
        return STOPPED
    if cache_errors:
        print(_cache_caution(cache_errors), file=sys.stderr)
    if errors and not np.isfinite(scores.to_numpy()).any():
        raise errors[0]
    write_table(long_table(scores, "score"), args.output)
    n_systems, n_documents = texts.summaries.shape
    print(
        f"{args.output}: {joined(metrics)} of {counted(n_systems, 'system')} on "
        f"{counted(n_documents, 'document')}. With people's scores, "
        f"`metaeval report {args.output} people.csv` reports how far they can be trusted."
    )
    for error in errors[:_MAX_ERRORS]:
        print(f"error: {error}", file=sys.stderr)
    if errors:
        print(f"without scores: {counted(len(errors), 'document')}", file=sys.stderr)
    return 1 if errors else 0


def _options(pairs: Sequence[tuple[str, str]], metrics: Sequence[str]) -> dict[str, object]:
    """Options with values of the type that the metrics take."""
    if not pairs:  # the kinds import the metrics
        return {}
    named = [option for option, _ in pairs]
    if twice := [option for option in named if named.count(option) > 1]:
        raise DataError(f"the option {twice[0]!r} is given twice; keep one")
    kinds = {option: of for name in metrics for option, of in registry.kinds(name).items()}
    options = {option: _read(text, kinds.get(option, ())) for option, text in pairs}
    registry.options_by_metric(metrics, options)
    return options


def _read(text: str, kinds: Collection[str]) -> object:
    if "bool" in kinds and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    with suppress(ValueError):
        return int(text) if "int" in kinds else text
    return text


def _cache_caution(errors: Sequence[OSError]) -> str:
    return (
        f"scores are not cached, since {cache_folder()} cannot be written ({errors[0].strerror}): "
        "the same command computes them again; META_EVALUATION_CACHE names another folder"
    )


def listed(names: Sequence[str] = ()) -> str:
    """Table of the metrics with their needs, values and extras; of named ones also with options."""
    rows = []
    for one in map(registry.metric, names or registry.names()):
        values = f"{one.low:g} to {one.high:g}" if one.high < inf else f"{one.low:g} and more"
        options = registry.defaults(one.name) if names else {}
        named = {
            option: _NO_YES[value] if isinstance(value, bool) else value for option, value in options.items()
        }
        option_text = " ".join(f"{option}={value}" for option, value in named.items())
        rows.append((one.name, ", ".join(one.needs) or "-", values, one.extra or "-", option_text))
    heading = ["metric", "needs", "values", "extra", "options" if names else ""]
    lines = Readable(pd.DataFrame(rows, columns=heading), [False] * len(heading), [], 0).to_text()
    notes = [f"{one.name}: {one.note}" for one in map(registry.metric, names) if one.note]
    return "\n".join([*lines, *notes])


def _background(texts: Texts) -> object:
    """Background frequencies of words in all sources, else in all references or summaries."""
    need_extras("xgboost")  # its extra installs every requirement, those of the others do not
    from metaeval.metrics.pyramid.features import Background

    references = [" ".join(of) for of in texts.references.values()]
    summaries = [text for text in texts.summaries.to_numpy().ravel() if isinstance(text, str)]
    return Background.of(list(texts.sources.values()) or references or summaries)


def _require_needed(metrics: list[str], texts: Texts) -> None:
    for need, there in ((REFERENCE, texts.references), (SOURCE, texts.sources)):
        needing = [name for name in metrics if need in registry.metric(name).needs]
        if needing and not there:
            raise DataError(
                f"{joined(needing)}: no {need} is given, and a document needs one: --{need}s FILE, or a "
                f"column {need} in the table of summaries"
            )


def _script_caution(texts: Texts, metrics: Sequence[str]) -> str:
    """Caution about texts in a script without word boundaries for metrics of words, which score 0."""
    counting = [name for name in metrics if registry.metric(name).extra == "texts" and "chrF" not in name]
    summaries = texts.summaries
    ids = [summaries.indexes[dim] for dim in ("system", "document")]
    rows = np.argwhere(np.vectorize(_is_foreign, otypes=[bool])(summaries.to_numpy()))
    foreign = [f"the summary of {ids[0][i]}, {ids[1][j]}" for i, j in rows]
    foreign += [
        f"a reference of {name}" for name, of in texts.references.items() if any(map(_is_foreign, of))
    ]
    if not counting or not foreign:
        return ""
    return (
        f"{joined(counting)}: made for English; of texts with letters and none of them a to z there "
        f"{'is' if len(foreign) == 1 else 'are'} {len(foreign):,}, such as {foreign[0]}. ROUGE finds no word "
        "there and gives 0, others cut words at spaces alone; chrF counts characters, and BERTScore reads "
        "what its --model reads"
    )


def _is_foreign(text: object) -> bool:
    return isinstance(text, str) and not _LATIN.search(text) and any(map(str.isalpha, text))


class Progress:
    """Number of scored summaries, printed by tenths with the number that came from the cache first."""

    def __init__(self, stream: TextIO):
        self.stream, self.done, self.total, self.is_first = stream, 0, 0, True

    def __call__(self, n_done: int, total: int) -> None:
        """Update to `n_done` of `total` summaries; those of the first call come from the cache."""
        has_tenth = n_done * 10 // max(1, total) > self.done * 10 // max(1, total)
        self.done, self.total = n_done, total
        if has_tenth:
            print(self.counted() + " scored before" * self.is_first, file=self.stream, flush=True)
        self.is_first = False

    def counted(self) -> str:
        """Number of summaries done, of how many."""
        return f"{self.done:,} of {counted(self.total, 'summary')}"
