"""reporting.report: the report on a user's own metrics and judges, as an object and as a command.

``metaeval report FILE... -o report.html``, Python and the page `your_metric` return the same `Report`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.core.errors import choose
from metaeval.core.limits import check_alpha, check_confidence_level, check_count, check_interval_draws
from metaeval.core.workers import run_parallel
from metaeval.own.files import require_apart
from metaeval.own.tidy import listed
from metaeval.reporting import sections
from metaeval.reporting.answer import (
    CITATIONS,
    VERDICTS,
    Answer,
    dots,
    figure_parts,
    plain,
    records,
    render,
    table_parts,
)
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    draw_options,
    read_options,
    warn_about_compilation,
    warn_about_runtime,
)
from metaeval.reporting.one_system import report_one_system
from metaeval.reporting.reading import Reading, as_reading, ranking, read
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.unranked import Unranked, UnrankedVerdicts, report_choices, report_two_systems
from metaeval.reporting.verdict import DELTA, FEW_SYSTEMS, Verdicts, check_delta, verdicts
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted, joined, percent

UNRANKED = {  # by `Reading.kind`
    "one_system": report_one_system,
    "two_systems": report_two_systems,
    "pairs": report_choices,
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(Answer):
    """Report on how far metrics and judges can be trusted to rank systems like people.

    Attributes
    ----------
    title : str
    settings : Settings
    verdicts : Verdicts, or UnrankedVerdicts without a ranking
        A verdict on each metric, and the rule.
    sections : tuple of Section
        Questions with their tables, in order.
    left_out : tuple of LeftOut
        Checks that could not be run, with reasons.
    notes : tuple of sentences
        Notes on the files and on guesses.
    methods : str
        A paragraph to paste.
    signature : str
        All that is needed to reproduce the numbers, in one line.
    """

    title: str
    settings: Settings
    verdicts: Verdicts | UnrankedVerdicts
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    methods: str
    signature: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table of the report, by name."""
        return {VERDICTS: self.verdicts.table} | {
            one.key: one.table for one in self.sections if len(one.table.columns)
        }

    def summary(self) -> str:
        """Verdicts as plain text, with their rule, omissions, and the signature."""
        lines = [self.title, "", *self.verdicts.sentences(), "", self.verdicts.rule]
        if isinstance(self.verdicts, UnrankedVerdicts):  # short enough for the summary
            for one in self.sections:
                lines += ["", one.title, *(f"- {sentence}" for sentence in one.words)]
        if self.notes:
            lines += ["", *self.notes]
        if self.left_out:
            lines += ["", "Not asked:", *(f"- {one.check}: {one.why}." for one in self.left_out)]
        return "\n".join([*lines, "", self.signature])

    def contents(self) -> dict[str, object]:
        """Settings, rule, words, tables, and omissions."""
        return {
            "settings": asdict(self.settings),
            "rule": self.verdicts.rule,
            "ceiling": self.verdicts.ceiling and [plain(value) for value in self.verdicts.ceiling],
            "notes": self.notes,
            "verdict": self.verdicts.sentences(),
            "tables": {name: records(table) for name, table in self.tables.items()},
            "words": {one.key: one.words for one in self.sections},
            "left_out": [asdict(one) for one in self.left_out],
            "methods": self.methods,
        }

    def _repr_html_(self) -> str:
        brackets = f"{percent(self.settings.confidence_level, None)} intervals in brackets"
        rows = self.verdicts.table
        best_first = rows.sort_values("value", ascending=False, kind="stable")["metric"].tolist()
        blocks = [
            {
                "title": one.title,
                "words": one.words,
                "figure": figure_parts(one.key, one.table, self.settings, best_first),
                "table": table_parts(one.key, one.table, labels=self._labels(one.key), brackets=brackets),
            }
            for one in self.sections
        ]
        verdict = [
            {"word": word, "name": name, "sentence": sentence.removeprefix(f"{name}: {word}. ")}
            for word, name, sentence in zip(
                rows["verdict"], rows["metric"], self.verdicts.sentences(), strict=True
            )
        ]
        verdicts = table_parts(
            VERDICTS, rows.drop(columns="compared_value", errors="ignore"),  # in the sentences
            caption="Verdicts and what they rest on", brackets=brackets,
        )  # fmt: skip
        citations = [(name, where) for name, where in CITATIONS.items() if name in self.methods]
        return render("report", self, verdict, verdicts, blocks, citations)

    def _labels(self, section: str) -> dict[str, str]:
        """Label of a section's values if they are the coefficient."""
        coefficient_sections = ("correlations", "tiers", "topk", "windows", "sentinels", "items")
        return (
            {"value": COEFFICIENT_LABELS[self.settings.coefficient]}
            if section in coefficient_sections
            else {}
        )

    def plot(self):
        """Plotly figure of correlations with intervals; without a ranking, of the values behind verdicts.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        if isinstance(self.verdicts, UnrankedVerdicts):
            return dots(self.verdicts.table, y="metric", title=self.verdicts.axis)
        name = COEFFICIENT_LABELS[self.settings.coefficient]
        return dots(self.tables["correlations"], y="metric", title=f"{name} with people", series="level")


def report(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    people: str | os.PathLike | None = None,
    *,
    coefficient: str = "kendall",
    delta: float = DELTA,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    rng: RNGLike = SEED,
    lower_is_better: Sequence[str] = (),
    columns: Mapping[str, str | Sequence[str]] | None = None,
) -> Report:
    """Report how far metrics and judges can be trusted to rank systems like people.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        Scores of metrics and people; files as for `doctor`. For one system, for two, and for choices between
        pairs see `metaeval.reporting.unranked`.
    people : path, optional
        A further file with people's scores.
    coefficient : {"kendall", "spearman", "pearson"}
    delta : float, from 0 to 2
        Margin by which a trusted metric may fall short of a single rater.
    confidence_level : float in (0, 1)
    alpha : float in (0, 1)
        Level of the tests behind tiers.
    n_resamples : int
        Bootstrap draws and permutations.
    rng : seed, Generator or None
    lower_is_better : metrics of a file whose signs are turned
    columns : mapping, role -> name of its column in a file

    Returns
    -------
    Report
        With ``.summary()``, ``.to_frame()``, ``.to_html()``, ``.to_json()``, ``.to_latex()``, ``.plot()``.

    Raises
    ------
    DataError
        If the data have no scores by people, or by a metric.
    UnknownNameError, ValueError
        If a choice does not exist or a number is out of range.

    Examples
    --------
    >>> from metaeval import as_benchmark
    >>> people = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0], [6.0, 5.0], [6.5, 7.0]]
    >>> result = report(as_benchmark({"mine": people}, people), n_resamples=99)
    >>> result.verdicts.table["verdict"].tolist()
    ['better than trivial']
    """
    check_alpha(alpha)
    check_count("n_resamples", n_resamples)
    check_interval_draws(n_resamples, confidence_level)
    choose("coefficient", coefficient, COEFFICIENT_LABELS)
    check_delta(delta)
    check_confidence_level(confidence_level)
    reading = as_reading(data, people, lower_is_better=lower_is_better, columns=columns)
    lower = tuple(listed(lower_is_better))
    settings = Settings(coefficient, confidence_level, alpha, delta, n_resamples, seed_of(rng), lower)
    if reading.kind in UNRANKED:
        return _unranked_report(reading, UNRANKED[reading.kind](reading, settings), settings)
    reading = ranking(reading)
    planes = sections.sentinels_of(reading.benchmark, reading.lengths)
    judges = [metric for metric in reading.benchmark.metrics if metric not in reading.lengths]
    benchmark = reading.benchmark.select(metrics=judges)
    rated = sections.labels_of(benchmark)
    ranked = verdicts(
        benchmark.metrics, benchmark.scores.to_numpy(), benchmark.human.to_numpy(),
        None if rated is None else rated.to_numpy(), sentinels=planes,
        coefficient=coefficient, delta=delta, confidence_level=confidence_level, **settings.draws,
    )  # fmt: skip
    benchmark = benchmark.select(metrics=ranked.table["metric"].tolist())  # the best first, everywhere
    parts = [*_ranking_sections(benchmark, settings, ranked, planes), *_omissions(benchmark)]
    shape = (len(benchmark.systems), len(benchmark.documents))
    mark = signature(
        {"level": "system", "coef": f"{coefficient}-b" if coefficient == "kendall" else coefficient},
        ci="boot-both" if shape[1] > 1 else "boot-systems", confidence=confidence_level, delta=delta,
        draws=n_resamples, seed=settings.seed, shape=shape,
    )  # fmt: skip
    name = joined(reading.files) if reading.files else benchmark.title
    people_are = f", {counted(rated.sizes['rater'], 'rater')}" if rated is not None else ""
    title = (
        f"{name}: {counted(len(benchmark.metrics), 'metric')} against people, {counted(shape[0], 'system')}, "
        f"{counted(shape[1], 'document')}{people_are}"
    )
    return Report(
        title, settings, ranked,
        tuple(part for part in parts if isinstance(part, Section)),
        tuple(part for part in parts if isinstance(part, LeftOut)),
        reading.notes, methods(settings, shape, rated is not None), mark,
    )  # fmt: skip


def _ranking_sections(
    benchmark: Benchmark, settings: Settings, ranked: Verdicts, planes: Mapping[str, np.ndarray]
) -> list[Section | LeftOut]:
    """Sections in order, each in a call of its own that a cluster may run."""
    calls = [
        (sections.correlations, benchmark, settings),
        (sections.ceiling, benchmark, settings, ranked),
        (sections.standing, benchmark, settings),
        (sections.pairs_of_systems, benchmark),
        (sections.best_systems, benchmark, settings),
        (sections.close_systems, benchmark, settings),
        (sections.differences, benchmark, settings),
        (sections.leanings, benchmark, settings, planes),
        (sections.trivial, benchmark, settings, planes),
    ]
    parts: list[list[Section | LeftOut]] = [[] for _ in calls]
    for place, part, error in run_parallel(_as_list, calls, processes=True):
        if error is not None:
            raise error
        parts[place] = part
    return [one for part in parts for one in part]


def _as_list(
    section: Callable[..., Iterable[Section | LeftOut]], *arguments: object
) -> list[Section | LeftOut]:
    return list(section(*arguments))


def _unranked_report(reading: Reading, parts: Unranked, settings: Settings) -> Report:
    mark = signature(
        {"kind": reading.kind, "coef": parts.coefficient},
        confidence=settings.confidence_level, delta=settings.delta, draws=settings.n_resamples,
        seed=settings.seed, shape=parts.shape,
    )  # fmt: skip
    return Report(
        f"{joined(reading.files)}: {parts.title}", settings, parts.verdicts,
        tuple(part for part in parts.parts if isinstance(part, Section)),
        tuple(part for part in parts.parts if isinstance(part, LeftOut)),
        reading.notes, parts.methods, mark,
    )  # fmt: skip


def _omissions(benchmark: Benchmark):
    if len(benchmark.judgments) > 1:
        yield LeftOut(
            f"agreement with {joined(benchmark.judgments[1:])}",
            f"a report is of one kind of people's scores, here {benchmark.judgments[0]}, the first; leave it "
            "out to ask for the next",
        )
    if len(benchmark.systems) < FEW_SYSTEMS:
        yield LeftOut(
            "a verdict",
            f"there are {len(benchmark.systems)} systems, and a verdict takes {FEW_SYSTEMS}",
        )


def methods(settings: Settings, shape: tuple[int, int], raters: bool) -> str:
    """Methods paragraph to paste, with citations."""
    name = COEFFICIENT_LABELS[settings.coefficient]
    b = " (tau-b)" if settings.coefficient == "kendall" else ""
    drawn = "systems and documents" if shape[1] > 1 else "systems"
    text = (
        f"Agreement with people is {name}{b} over {counted(shape[0], 'system')} and "
        f"{counted(shape[1], 'document')}. "
        f"Intervals are {percent(settings.confidence_level, None)} percentile intervals of "
        f"{settings.n_resamples:,} bootstrap draws of {drawn} "
        "(Deutsch, Dror and Roth 2021). Metrics are compared in pairs by permutation of their "
        "standardised scores "
        f"(Perm-Both, same source), {settings.n_resamples:,} permutations, all pairs corrected together by "
        "the largest "
        f"difference (Westfall and Young 1993), level {settings.alpha:g}; tiers follow from these tests. "
        "Windows of "
        "score differences follow Deutsch, Dror and Roth 2022, the best systems Bhandari et al. 2020; "
        "how often people "
        "confirm a difference is a logistic curve through the origin, as Kocmi et al. 2024 ask it of "
        "translation."
    )
    if raters:
        text += (
            " A metric is held against a single rater, both correlated with the mean of the other "
            "raters; raters are "
            "drawn again with the systems and documents. Variance components are those of Brennan 2001."
        )
    return f"{text} Seed {settings.seed}."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=_output, metavar="FILE",
        help="write the report as .html or .json, by the suffix of FILE; may be repeated",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    parser.add_argument(
        "--delta",
        type=float,
        default=DELTA,
        help="margin below a single rater that is still trusted (%(default)s)",
    )
    add_draws(parser)


def _output(name: str) -> Path:
    path = Path(name)
    if path.suffix not in (".html", ".json"):
        raise argparse.ArgumentTypeError(f"must end in .html or .json, got {name!r}")
    return path


def main(args: argparse.Namespace) -> int:
    """Print and write the report; returns the exit status."""
    require_apart(args.output, args.files)
    check_delta(args.delta)
    draws = draw_options(args)
    warn_about_compilation()
    reading = read(args.files, **read_options(args))
    if reading.kind == "ranking":
        warn_about_runtime(reading.benchmark, n_resamples=args.n_resamples, coefficient=args.coefficient)
    result = report(reading, delta=args.delta, **draws)
    print(result.to_json() if args.json else result.summary(), end="" if args.json else "\n")
    for path in args.output:
        page = path.suffix == ".html"
        result.to_html(path) if page else result.to_json(path)
        what = "one page to read or to send" if page else "all its numbers"
        print(f"{path}: the report, {what}", file=sys.stderr if args.json else sys.stdout)
    return 0
