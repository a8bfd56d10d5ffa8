"""reporting.report: the report on a user's own metrics and judges, as an object and as a command.

``metaeval report FILE... -o report.html``, Python and the page `your_metric` return the same `Report`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import pandas as pd

from metaeval.core.errors import choose
from metaeval.own.sheets import listed
from metaeval.own.writing import require_apart
from metaeval.reporting import corrected, sections
from metaeval.reporting.answer import (
    CITATIONS,
    VERDICTS,
    Answer,
    answer_parts,
    plain,
    render,
    table_parts,
    table_text,
)
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    add_output,
    answer_files,
    check_settings,
    read_files,
)
from metaeval.reporting.disagreements import disagreement_section, slice_parts, write_disagreements
from metaeval.reporting.reading import Reading, as_reading, ranking, require_judges
from metaeval.reporting.runs import runs_section
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.unranked import report_answers, report_people, report_two_systems
from metaeval.reporting.verdict import DELTA, Verdicts, check_delta, verdicts
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted, joined, percent

MAX_LINES = 12  # of a table in a terminal
UNRANKED = {  # by `Reading.kind`
    "one_system": report_answers,
    "two_systems": report_two_systems,
    "pairs": report_answers,
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(Answer):
    """Report on how far metrics and judges can be trusted to rank systems like people.

    Attributes
    ----------
    title : str
    settings : Settings
    verdicts : Verdicts
        An answer on each judge, and the rule.
    parts : function without arguments
        Sections, and checks that could not be run, in order; called when they are first asked for.
    short : tuple of Section and LeftOut
        Sections with a table for the summary, and what it says is left out.
    notes : tuple of sentences
        Notes on the files and on guesses.
    methods : str
        A paragraph to paste.
    signature : str
        All that is needed to reproduce the numbers, in one line.
    """

    command = "report"
    title: str
    settings: Settings
    verdicts: Verdicts
    parts: Callable[[], Iterable[Section | LeftOut]]
    short: tuple[Section | LeftOut, ...]
    notes: tuple[str, ...]
    methods: str
    signature: str

    @cached_property
    def _computed(self) -> tuple[Section | LeftOut, ...]:
        return tuple(self.parts())

    @property
    def sections(self) -> tuple[Section, ...]:
        """Questions with their tables, in order."""
        return tuple(part for part in self._computed if isinstance(part, Section))

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Checks that could not be run, with reasons."""
        return tuple(part for part in self._computed if isinstance(part, LeftOut))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Every table of the report, by name."""
        return {VERDICTS: self.verdicts.table} | {one.key: one.table for one in self.sections}

    def summary(self, *, verbose: bool = False) -> str:
        """Answers as a plain text table, with what it does not show.

        Parameters
        ----------
        verbose : bool
            True for every section, omissions, methods and the signature as well.
        """
        answers = self.verdicts
        lines = [
            self.title,
            "",
            f"{answers.question}        {answers.estimand}",
            *table_text(answers.printed()),
        ]
        for one in self.short:
            is_table = isinstance(one, Section)
            part = [one.title, *table_text(one.short_table)] if is_table else [f"No {one.check}: {one.why}."]
            lines += ["", *part]
        rule = [answers.rule] if "verdict" in answers.headings else []
        lines += ["", *rule, *answers.lines, *self.notes]
        if not verbose:
            return "\n".join(lines).rstrip()
        for one in self.sections:
            text = table_parts(one.key, one.table[:MAX_LINES], labels=self._labels(one.key))["text"]
            n_more = len(one.table) - MAX_LINES
            more = [f"{n_more} more rows are in the HTML."] if n_more > 0 else []
            lines += ["", one.title, *text.to_text(), *more, *filter(None, [one.note])]
        if self.left_out:
            lines += ["", "Not asked:", *(f"- {one.check}: {one.why}." for one in self.left_out)]
        return "\n".join([*lines, "", self.methods, "", self.signature])

    def contents(self) -> dict[str, object]:
        """Settings, question, rule, notes, and omissions."""
        answers = self.verdicts
        return {
            "settings": asdict(self.settings),
            "question": answers.question,
            "estimand": answers.estimand,
            "rule": answers.rule,
            "ceiling": answers.ceiling and [plain(value) for value in answers.ceiling],
            "lines": answers.lines,
            "notes": self.notes,
            "left_out": [asdict(one) for one in self.left_out],
            "methods": self.methods,
        }

    def _repr_html_(self) -> str:
        brackets = f"{percent(self.settings.confidence_level, None)} intervals in brackets"
        rows = self.verdicts.table
        blocks = [
            {
                "title": one.title,
                "note": one.note,
                "table": table_parts(one.key, one.table, labels=self._labels(one.key), brackets=brackets),
            }
            for one in self.sections
        ]
        answers = answer_parts(
            VERDICTS, self.verdicts.printed(), rows, rows["verdict"], self.verdicts.estimand
        )
        citations = [(name, where) for name, where in CITATIONS.items() if name in self.methods]
        return render("report", self, answers, blocks, citations)

    def _labels(self, section: str) -> dict[str, str]:
        """Label of a section's values if they are the coefficient."""
        sections_of_it = "correlations", "tiers", "topk", "windows", "sentinels", "items"
        name = COEFFICIENT_LABELS[self.settings.coefficient]
        return {"value": name} if section in sections_of_it else {}


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
    texts: bool = True,
    sampled_at_random: bool = False,
) -> Report:
    """Report whether judges can stand in for a rater, or agree with people at all.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        Scores of metrics and people; files as for `doctor`. For one system, for two, and for choices between
        pairs see `metaeval.reporting.unranked`.
    people : path, optional
        A further file with people's scores.
    coefficient : {"kendall", "spearman", "pearson"}
        Only Kendall's tau gives answers; the others have intervals.
    delta : float, from 0 to 2
        Margin of Kendall's tau by which a judge may fall short of a single rater; 0.1 is 5 in 100 pairs.
    confidence_level : float in (0, 1)
    alpha : float in (0, 1)
        Level of the tests behind tiers.
    n_resamples : int
        Bootstrap draws and permutations.
    rng : seed, Generator or None
    lower_is_better : metrics of a file whose signs are turned
    columns : mapping, role -> name of its column in a file
    texts : bool
        True to show the texts of what judges and people disagree on.
    sampled_at_random : bool
        True if what people scored was drawn at random from what judges scored, although these score it unlike
        the rest: see `metaeval.reporting.corrected`.

    Returns
    -------
    Report
        With ``.summary()``, ``.to_frame()``, ``.to_html()``, ``.to_json()``.

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
    ['yes']
    """
    check_settings(confidence_level=confidence_level, n_resamples=n_resamples, alpha=alpha)
    choose("coefficient", coefficient, COEFFICIENT_LABELS)
    check_delta(delta)
    reading = as_reading(data, people, lower_is_better=lower_is_better, columns=columns)
    lower = tuple(listed(lower_is_better))
    settings = Settings(
        coefficient, confidence_level, alpha, delta, n_resamples, seed_of(rng), lower, sampled_at_random
    )
    alone, first = report_people(reading, settings), ()
    if alone is None:
        require_judges(reading)
    if alone is not None or reading.kind in UNRANKED:
        one = alone or UNRANKED[reading.kind](reading, settings)
        kind, title = {"kind": reading.kind, "coef": one.coefficient}, reading.title(one.subject)
        answers, parts, paragraph, shape = one.verdicts, one.parts, one.methods, one.shape
    else:
        everything, reading = reading.benchmark, ranking(reading)
        planes = sections.sentinels_of(reading.benchmark, reading.lengths)
        judges = [metric for metric in reading.benchmark.metrics if metric not in reading.lengths]
        benchmark = reading.benchmark.select(metrics=judges)
        rated = sections.labels_of(benchmark)
        answers = verdicts(
            benchmark.metrics, benchmark.scores.to_numpy(), benchmark.human.to_numpy(),
            None if rated is None else rated.to_numpy(), sentinels=planes,
            coefficient=coefficient, delta=delta, confidence_level=confidence_level, **settings.draws,
        )  # fmt: skip
        answers = replace(answers, lines=(*answers.lines, *reading.unused_clusters))
        benchmark = benchmark.select(metrics=answers.table["metric"].tolist())  # the best first, everywhere
        ranked = sections.Ranked(benchmark, settings, answers, planes)
        first = (part for section in sections.SECTIONS for part in section(ranked))
        parts = tuple(corrected.system_means(everything.select(metrics=benchmark.metrics), settings))
        shape = (len(benchmark.systems), len(benchmark.documents))
        name = f"{coefficient}-b" if coefficient == "kendall" else coefficient
        kind = {"level": "system", "coef": name, "ci": "judges"}
        people = counted(rated.sizes["rater"], "rater") if rated is not None else "people"
        sizes = f"{counted(shape[0], 'system')} x {counted(shape[1], 'document')}"
        title = joined(reading.files) if reading.files else benchmark.title
        title += f": {counted(len(benchmark.metrics), 'judge')} and {people} on {sizes}"
        paragraph = methods(settings, rated is not None)
    how = {"coefficient": coefficient, "confidence_level": confidence_level, "rng": settings.seed}
    parts, items = (*parts, *runs_section(reading, **how)), []
    if alone is None and reading.sides[1]:  # judges and people
        parts = (*parts, *slice_parts(reading, settings))
        items = [partial(disagreement_section, reading, texts=texts)]
    return Report(
        title, settings, answers,
        lambda: [*first, *parts, *(make() for make in items)],
        tuple(filter(_is_short, parts)), reading.notes, paragraph,
        signature(
            kind, confidence=confidence_level, delta=delta, draws=n_resamples, seed=settings.seed,
            shape=shape,
        ),
    )  # fmt: skip


def _is_short(part: Section | LeftOut) -> bool:
    """True for a part of the summary."""
    return part.is_short if isinstance(part, LeftOut) else part.short_table is not None


def methods(settings: Settings, raters: bool) -> str:
    """Methods paragraph to paste, with citations."""
    name = COEFFICIENT_LABELS[settings.coefficient]
    b = " (tau-b)" if settings.coefficient == "kendall" else ""
    held = (
        "a rater, both correlated with the mean of the other raters"
        if raters
        else "scores that judge nothing"
    )
    return (
        f"Agreement with people is {name}{b} over systems, of means over documents. A judge is held against "
        f"{held}. "
        f"{percent(settings.confidence_level, None)} intervals are Student's t with a variance in parts, of "
        f"systems, documents{' and raters' * raters} ({settings.n_resamples:,} draws of documents); over all "
        "summaries at once they are percentiles of draws of systems and documents (Deutsch, Dror and Roth "
        "2021). Tiers are by Perm-Both (same source), all pairs corrected together by the largest "
        f"difference (Westfall and Young 1993), level {settings.alpha:g}. Windows of score differences "
        "follow Deutsch, Dror and Roth 2022, the best systems Bhandari et al. 2020, the confirmed "
        f"differences Kocmi et al. 2024, variance components Brennan 2001. Seed {settings.seed}."
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    add = parser.add_argument
    text = "write the report as .html or .json, by the suffix of FILE; may be repeated"
    add("-o", "--output", action="append", default=[], type=_output, metavar="FILE", help=text)
    text = "write all that judges and people scored, the largest differences first"
    add("--disagreements", type=Path, metavar="FILE.csv", help=text)
    text = "leave out the texts of what they differ on"
    add("--no-texts", action="store_false", dest="texts", help=text)
    add_output(parser, "every table, and the methods")
    margin = "margin of Kendall's tau below a single rater (%(default)s: 5 in 100 pairs)"
    add("--delta", type=float, default=DELTA, help=margin)
    text = "people scored what was drawn at random, although a judge scores it unlike the rest"
    add("--sampled-at-random", action="store_true", help=text)
    add_draws(parser)


def _output(name: str) -> Path:
    path = Path(name)
    if path.suffix not in (".html", ".json"):
        raise argparse.ArgumentTypeError(f"must end in .html or .json, got {name!r}")
    return path


def main(args: argparse.Namespace) -> int:
    """Print and write the report; returns the exit status."""
    require_apart([*args.output, args.disagreements], args.files)
    check_delta(args.delta)
    result = answer_files(report, args, ["delta", "texts", "sampled_at_random"])
    beside = sys.stderr if args.json else sys.stdout
    for path in args.output:
        page = path.suffix == ".html"
        result.to_html(path) if page else result.to_json(path)
        what = "one page to read or to send" if page else "all its numbers"
        print(f"{path}: the report, {what}", file=beside)
    if args.disagreements:
        n = write_disagreements(read_files(args), args.disagreements, texts=args.texts)
        print(f"{args.disagreements}: {counted(n, 'score')} beside people's", file=beside)
    if not (args.json or args.output or args.verbose):
        names = " ".join(shlex.quote(str(name)) for name in args.files)
        print(f"Read next: metaeval report {names} -o report.html")
    return 0
