"""reporting.report: the report on a user's own metrics and judges, as one object and as a command.

``metaeval report FILE... -o report.html``, Python and the page `your_metric` make the same `Report`.
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
from metaeval.core.workers import finished
from metaeval.own.files import require_apart
from metaeval.own.tidy import listed
from metaeval.reporting import sections
from metaeval.reporting.answer import Answer, dots
from metaeval.reporting.arguments import add_files, settings
from metaeval.reporting.draws import SEED, add_draws, drawn, say_how_long, say_what_takes_long
from metaeval.reporting.few.one_system import one_system
from metaeval.reporting.few.pairs import of_pairs
from metaeval.reporting.few.parts import Few, Words
from metaeval.reporting.few.two_systems import two_systems
from metaeval.reporting.page import CITATIONS, VERDICTS, figure_parts, plain, records, render, table_parts
from metaeval.reporting.ranking import opened, ranking
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import DELTA, FEW_SYSTEMS, Verdicts, check_delta, verdicts
from metaeval.stats.signature import signature
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted, joined, percent

FEW = {"one_system": one_system, "two_systems": two_systems, "pairs": of_pairs}  # by `Reading.kind`


@dataclass(frozen=True, eq=False, repr=False)
class Report(Answer):
    """How far metrics and judges can be trusted to rank systems as these people do.

    Attributes
    ----------
    title : str
    settings : Settings
    verdicts : Verdicts, or Words where there is no ranking
        A word for each metric, and the rule.
    sections : tuple of Section
        The questions with their tables, in order.
    left_out : tuple of LeftOut
        The checks that could not be run, and why.
    notes : tuple of sentences
        What was read and guessed.
    methods : str
        A paragraph to paste.
    signature : str
        All that is needed to get the same numbers again, in one line.
    """

    title: str
    settings: Settings
    verdicts: Verdicts | Words
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
        """The verdict as plain text, with its rule, what could not be asked, and the signature."""
        said = [self.title, "", *self.verdicts.sentences(), "", self.verdicts.rule]
        if isinstance(self.verdicts, Words):  # little enough to be read here
            for one in self.sections:
                said += ["", one.title, *(f"- {sentence}" for sentence in one.words)]
        if self.notes:
            said += ["", *self.notes]
        if self.left_out:
            said += ["", "Not asked:", *(f"- {one.check}: {one.why}." for one in self.left_out)]
        return "\n".join([*said, "", self.signature])

    def contents(self) -> dict[str, object]:
        """Settings, rule, words, tables, and what could not be asked."""
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
        shown = [
            {
                "title": one.title,
                "words": one.words,
                "figure": figure_parts(one.key, one.table, self.settings, best_first),
                "table": table_parts(one.key, one.table, labels=self._labels(one.key), brackets=brackets),
            }
            for one in self.sections
        ]
        verdict = [
            {"word": word, "name": name, "said": sentence.removeprefix(f"{name}: {word}. ")}
            for word, name, sentence in zip(
                rows["verdict"], rows["metric"], self.verdicts.sentences(), strict=True
            )
        ]
        verdicts = table_parts(
            VERDICTS, rows.drop(columns="compared_value", errors="ignore"),  # told in words
            caption="Verdicts and what they rest on", brackets=brackets,
        )  # fmt: skip
        citations = [(name, where) for name, where in CITATIONS.items() if name in self.methods]
        return render("report", self, verdict, verdicts, shown, citations)

    def _labels(self, section: str) -> dict[str, str]:
        """What the values of a section are called, where they are the coefficient."""
        of_coefficient = ("correlations", "tiers", "topk", "windows", "sentinels", "items")
        return {"value": COEFFICIENT_LABELS[self.settings.coefficient]} if section in of_coefficient else {}

    def plot(self):
        """The correlations with their intervals as a Plotly figure; without a ranking what the words rest on.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        if isinstance(self.verdicts, Words):
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
    """How far your metrics and judges can be trusted to rank systems as people would.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        Scores of metrics and people; files as `doctor` takes them. Of one system, of two, and of
        choices between pairs the report answers what they hold, see `metaeval.reporting.few`.
    people : path, optional
        A further file with people's scores.
    coefficient : {"kendall", "spearman", "pearson"}
    delta : float, from 0 to 2
        By how much a metric may fall short of a single rater and still be trusted.
    confidence_level : float in (0, 1)
    alpha : float in (0, 1)
        Level of the tests behind tiers.
    n_resamples : int
        Bootstrap draws and permutations.
    rng : seed, Generator or None
    lower_is_better : metrics of a file whose scores are turned
    columns : mapping, role -> the name of its column in a file

    Returns
    -------
    Report
        With ``.summary()``, ``.to_frame()``, ``.to_html()``, ``.to_json()``, ``.to_latex()``, ``.plot()``.

    Raises
    ------
    DataError
        If the data hold no people's scores, or no metric's.
    UnknownNameError, ValueError
        If a choice does not exist or a number is out of range.

    Examples
    --------
    >>> from metaeval import bring
    >>> people = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0], [6.0, 5.0], [6.5, 7.0]]
    >>> found = report(bring({"mine": people}, people), n_resamples=99)
    >>> found.verdicts.table["verdict"].tolist()
    ['better than trivial']
    """
    check_alpha(alpha)
    check_count("n_resamples", n_resamples)
    check_interval_draws(n_resamples, confidence_level)
    choose("coefficient", coefficient, COEFFICIENT_LABELS)
    check_delta(delta)
    check_confidence_level(confidence_level)
    reading = opened(data, people, lower_is_better=lower_is_better, columns=columns)
    lower = tuple(listed(lower_is_better))
    asked = Settings(coefficient, confidence_level, alpha, delta, n_resamples, seed_of(rng), lower)
    if reading.kind in FEW:
        return _without_ranking(reading, FEW[reading.kind](reading, asked), asked)
    reading = ranking(reading)
    planes = sections.sentinels_of(reading.benchmark, reading.lengths)
    judges = [metric for metric in reading.benchmark.metrics if metric not in reading.lengths]
    benchmark = reading.benchmark.select(metrics=judges)
    rated = sections.labels_of(benchmark)
    found = verdicts(
        benchmark.metrics, benchmark.scores.to_numpy(), benchmark.human.to_numpy(),
        None if rated is None else rated.to_numpy(), sentinels=planes,
        coefficient=coefficient, delta=delta, confidence_level=confidence_level, **asked.draws,
    )  # fmt: skip
    benchmark = benchmark.select(metrics=found.table["metric"].tolist())  # the best first, everywhere
    parts = [*_asked(benchmark, asked, found, planes), *_others(benchmark)]
    shape = (len(benchmark.systems), len(benchmark.documents))
    said = signature(
        {"level": "system", "coef": f"{coefficient}-b" if coefficient == "kendall" else coefficient},
        ci="boot-both" if shape[1] > 1 else "boot-systems", confidence=confidence_level, delta=delta,
        draws=n_resamples, seed=asked.seed, shape=shape,
    )  # fmt: skip
    name = joined(reading.files) if reading.files else benchmark.title
    people_are = f", {counted(rated.sizes['rater'], 'rater')}" if rated is not None else ""
    title = (
        f"{name}: {counted(len(benchmark.metrics), 'metric')} against people, {counted(shape[0], 'system')}, "
        f"{counted(shape[1], 'document')}{people_are}"
    )
    return Report(
        title, asked, found,
        tuple(part for part in parts if isinstance(part, Section)),
        tuple(part for part in parts if isinstance(part, LeftOut)),
        reading.notes, methods(asked, shape, rated is not None), said,
    )  # fmt: skip


def _asked(
    benchmark: Benchmark, asked: Settings, found: Verdicts, planes: Mapping[str, np.ndarray]
) -> list[Section | LeftOut]:
    """The sections in order, each a call of its own that a cluster, where there is one, takes over."""
    calls = [
        (sections.correlations, benchmark, asked),
        (sections.ceiling, benchmark, asked, found),
        (sections.standing, benchmark, asked),
        (sections.pairs_of_systems, benchmark),
        (sections.best_systems, benchmark, asked),
        (sections.close_systems, benchmark, asked),
        (sections.differences, benchmark, asked),
        (sections.leanings, benchmark, asked, planes),
        (sections.trivial, benchmark, asked, planes),
    ]
    parts: list[list[Section | LeftOut]] = [[] for _ in calls]
    for place, part, error in finished(_listed, calls, processes=True):
        if error is not None:
            raise error
        parts[place] = part
    return [one for part in parts for one in part]


def _listed(ask: Callable[..., Iterable[Section | LeftOut]], *given: object) -> list[Section | LeftOut]:
    return list(ask(*given))


def _without_ranking(reading: Reading, found: Few, asked: Settings) -> Report:
    said = signature(
        {"kind": reading.kind, "coef": found.coefficient},
        confidence=asked.confidence_level, delta=asked.delta, draws=asked.n_resamples, seed=asked.seed,
        shape=found.shape,
    )  # fmt: skip
    return Report(
        f"{joined(reading.files)}: {found.title}", asked, found.words,
        tuple(part for part in found.parts if isinstance(part, Section)),
        tuple(part for part in found.parts if isinstance(part, LeftOut)),
        reading.notes, found.methods, said,
    )  # fmt: skip


def _others(benchmark: Benchmark):
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


def methods(asked: Settings, shape: tuple[int, int], raters: bool) -> str:
    """How the numbers were made, as a paragraph to paste, with what to cite."""
    name = COEFFICIENT_LABELS[asked.coefficient]
    b = " (tau-b)" if asked.coefficient == "kendall" else ""
    drawn = "systems and documents" if shape[1] > 1 else "systems"
    said = (
        f"Agreement with people is {name}{b} over {counted(shape[0], 'system')} and "
        f"{counted(shape[1], 'document')}. "
        f"Intervals are {percent(asked.confidence_level, None)} percentile intervals of "
        f"{asked.n_resamples:,} bootstrap draws of {drawn} "
        "(Deutsch, Dror and Roth 2021). Metrics are compared in pairs by permutation of their "
        "standardised scores "
        f"(Perm-Both, same source), {asked.n_resamples:,} permutations, all pairs corrected together by "
        "the largest "
        f"difference (Westfall and Young 1993), level {asked.alpha:g}; tiers follow from these tests. "
        "Windows of "
        "score differences follow Deutsch, Dror and Roth 2022, the best systems Bhandari et al. 2020; "
        "how often people "
        "confirm a difference is a logistic curve through the origin, as Kocmi et al. 2024 ask it of "
        "translation."
    )
    if raters:
        said += (
            " A metric is held against a single rater, both correlated with the mean of the other "
            "raters; raters are "
            "drawn again with the systems and documents. Variance components are those of Brennan 2001."
        )
    return f"{said} Seed {asked.seed}."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    parser.add_argument(
        "-o", "--output", action="append", default=[], type=_output, metavar="FILE",
        help="write the report as one HTML file, or as JSON, by what the name ends with; may be repeated",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    parser.add_argument(
        "--delta",
        type=float,
        default=DELTA,
        help="how far below a single rater is still trusted (%(default)s)",
    )
    add_draws(parser)


def _output(name: str) -> Path:
    path = Path(name)
    if path.suffix not in (".html", ".json"):
        raise argparse.ArgumentTypeError(f"must end in .html or .json, got {name!r}")
    return path


def main(given: argparse.Namespace) -> int:
    """Say, and write, what the files allow to say; returns the exit status."""
    require_apart(given.output, given.files)
    check_delta(given.delta)
    draws = drawn(given)
    say_what_takes_long()
    reading = read(given.files, **settings(given))
    if reading.kind == "ranking":
        say_how_long(reading.benchmark, n_resamples=given.n_resamples, coefficient=given.coefficient)
    found = report(reading, delta=given.delta, **draws)
    print(found.to_json() if given.json else found.summary(), end="" if given.json else "\n")
    for path in given.output:
        page = path.suffix == ".html"
        found.to_html(path) if page else found.to_json(path)
        what = "one page to read or to send" if page else "all its numbers"
        print(f"{path}: the report, {what}", file=sys.stderr if given.json else sys.stdout)
    return 0
