"""reporting.compare: is one metric or judge better than another, by what, and how sure; also for CI.

``metaeval compare FILE... --judges A B``: see `STATUSES` for the exit status.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import (
    check_alpha,
    check_confidence_level,
    check_count,
    check_interval_draws,
    check_list,
    check_number,
)
from metaeval.reporting.answer import Answer, dots
from metaeval.reporting.arguments import add_files, settings
from metaeval.reporting.beside import CORRELATION, KAPPA, MEASURES, Reached, reached, require_measure
from metaeval.reporting.draws import SEED, add_draws, drawn, say_what_takes_long
from metaeval.reporting.page import records, render, table_parts
from metaeval.reporting.ranking import WITHOUT_RANKING, opened, ranking
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.verdict import (
    ALL_ALIKE,
    FEW_SYSTEMS,
    LEAVES_OUT,
    drawn_variance,
    needed_in_words,
    needed_sizes,
    seed_caution,
)
from metaeval.stats import differences
from metaeval.stats.differences import Comparison
from metaeval.stats.intervals import Ends, interval, normal_reach, percentile_ends
from metaeval.stats.monte_carlo import share_error
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.signature import signature
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.wording import (
    CANNOT_TELL,
    counted,
    decided,
    hangs_on_seed,
    joined,
    leaves_out,
    number,
    percent,
    pvalue,
    settled,
)

YES, NO = "yes", "no"
STATUS = {YES: 0, NO: 1, CANNOT_TELL: 2}
TURNED = "which does not bear this out, so it is undecided"
_DRAWN = {"systems": "systems", "documents": "inputs"}
STATUSES = (
    "The exit status is 0 for yes, 1 for no, 2 where these data cannot tell, and 3 for a mistake in the "
    "command or the files. The interval decides, never the value alone: with --fail-under, 0 means that all "
    "of it lies above VALUE, 1 that all of it lies below, and 2 that VALUE is inside. Where a judge left out "
    "some of what people scored, a yes or no of a ranking has to hold for the interval over all that people "
    "scored too, else the status is 2. A step of CI fails at 2 as well; let it stop at 1 and 3 only where an "
    "open answer shall pass."
)


@dataclass(frozen=True, eq=False, repr=False)
class Judged(Answer):
    """One judge beside another, or above a bar.

    Attributes
    ----------
    title, signature : str
    table : DataFrame with columns question, answer, value, low, high, low_mc_error, high_mc_error, pvalue
        A row for each question; the p-value is of the test between two judges.
    said : tuple of sentences
    """

    title: str
    table: pd.DataFrame
    said: tuple[str, ...]
    signature: str

    @property
    def answer(self) -> str:
        """Yes if all answers are, no if any is, else that these data cannot tell."""
        answers = set(self.table["answer"])
        return NO if NO in answers else YES if answers == {YES} else CANNOT_TELL

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"answers": self.table}

    def summary(self) -> str:
        """The answers as plain text, with the signature."""
        return "\n".join([self.title, "", *self.said, "", self.signature])

    def contents(self) -> dict[str, object]:
        """The answer, its words, and the table."""
        return {"answer": self.answer, "said": self.said, "answers": records(self.table)}

    def plot(self):
        """The values behind the answers, with their intervals, as a Plotly figure.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        return dots(self.table, y="question", title="difference, or what the first reaches")

    def _repr_html_(self) -> str:
        answers = [
            {"word": word, "said": sentence, "good": word == YES}
            for word, sentence in zip(self.table["answer"], self.said, strict=False)
        ]
        rest = self.said[len(answers) :]
        shown = table_parts("answers", self.table, caption="Answers and what they rest on")
        return render("compared", self, answers, rest, shown)


def compare_judges(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    judges: Sequence[str],
    *,
    fail_under: float | None = None,
    measure: str | None = None,
    level: str = "system",
    coefficient: str = "kendall",
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    n_resamples: int = 1_999,
    rng: RNGLike = SEED,
) -> Judged:
    """Whether the first judge agrees better with people than the second, and well enough.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        Scores of metrics and people; files as `doctor` takes them. Of three systems or more; of
        one, of two, and of choices between pairs see `metaeval.reporting.beside.reached`.
    judges : one name, or two
        Of two the first is better (yes) where the interval of the difference, in shared draws, lies above 0,
        and is not (no) where it lies below. Of a ranking the two-sided Perm-Both test has to find the same
        difference. Where one of them left out some of what people scored, a yes or no has to hold for the
        interval with people's means over all that they scored too.
    fail_under : float, optional
        Also asked: does the first reach at least this much with people? Yes where its whole interval lies
        above, no where it lies below; else these data cannot tell, whatever the value is. With one judge it
        has to be given.
    measure : {"accuracy", "kappa", "auc", "correlation"}, by default what suits the data
        Of a ranking always the correlation.
    level : {"system", "summary"}, of a ranking
    coefficient, confidence_level, alpha, n_resamples, rng : see `metaeval.reporting.report.report`

    Returns
    -------
    Judged

    Raises
    ------
    UnknownNameError
        If there is no such judge or measure.
    DataError
        If nothing is asked, or the data hold no people or no such measure.
    """
    check_alpha(alpha)
    check_confidence_level(confidence_level)
    check_count("n_resamples", n_resamples)
    check_interval_draws(n_resamples, confidence_level)
    if measure is not None:
        choose("measure", measure, dict.fromkeys(MEASURES))
    judges = [judges] if isinstance(judges, str) else judges
    check_list("judges", judges)
    if fail_under is not None:
        check_number("fail_under", fail_under)
    if len(judges) not in (1, 2) or (len(judges) == 1 and fail_under is None):
        raise DataError("name two judges, or one and what it has to reach (--fail-under)")
    if len(set(judges)) < len(judges):
        raise DataError(f"{judges[0]} cannot be compared with itself; name another judge")
    reading, seed = opened(data, judges=judges), seed_of(rng)
    draws = {"n_resamples": n_resamples, "rng": seed}
    tested = None
    if reading.kind in WITHOUT_RANKING:
        if level != "system":
            raise DataError(
                "levels are of a ranking of three systems or more, and there is none; leave it out"
            )
        found = reached(reading, judges, measure=measure, coefficient=coefficient, **draws)
    else:
        found, tested = _ranked(
            ranking(reading), judges, measure, level, coefficient, confidence_level, draws
        )
    if fail_under is not None and not found.least <= fail_under <= 1:
        raise ValueError(f"`fail_under` is of {found.name}, from {found.least:g} to 1, got {fail_under:g}")
    left = [found.left(k, confidence_level) for k in range(len(judges))]
    whole, whole_drawn = found.everywhere(**draws) if any(left) else (None, None)
    asked = _Asked(
        found, judges, tested, alpha, confidence_level, draws, whole, whole_drawn,
        selective=any(gap.selective for gap in left if gap),
    )  # fmt: skip
    answers = [asked.better()] if len(judges) == 2 else []
    answers += [] if fail_under is None else [asked.reaches(fail_under)]
    left_open = any(answer.left_open for answer in answers)
    said = [answer.said for answer in answers]
    said += [
        f"{judge}:{gap.sentence(turned=left_open and gap.selective)}"
        for judge, gap in zip(judges, left, strict=True)
        if gap
    ]
    mark = signature(
        found.kind, test="perm-both" if tested else None, draws=n_resamples, confidence=confidence_level,
        alpha=alpha if tested else None, seed=seed, shape=found.shape,
    )  # fmt: skip
    title = f"{' and '.join(judges)} against people, {found.of}"
    table = pd.DataFrame([answer.row for answer in answers])
    return Judged(title, table, tuple(said) + reading.notes, mark)


class _Answered(NamedTuple):
    """One answer: its row of the table, its sentences, and whether only what was left out keeps it open."""

    row: dict[str, object]
    said: str
    left_open: bool


class _Decided(NamedTuple):
    """A yes, a no or neither, what to know of it, and whether only what was left out keeps it open."""

    answer: str
    caution: str
    left_open: bool = False


@dataclass(frozen=True)
class _Asked:
    """The questions, asked of what was reached.

    Attributes
    ----------
    found : Reached
    judges : one name, or two
    tested : Comparison of the two, of a ranking
    alpha, confidence_level, draws : as `compare_judges` takes them
    whole, whole_drawn : float arrays (n_judges,) and (n_judges, n_resamples), or None
        What each reaches over everything that people scored: None where no judge left anything out, or no
        systems are ranked.
    selective : bool
        Whether a judge left out much that people rate otherwise.
    """

    found: Reached
    judges: Sequence[str]
    tested: Comparison | None
    alpha: float
    confidence_level: float
    draws: dict[str, int]
    whole: np.ndarray | None
    whole_drawn: np.ndarray | None
    selective: bool

    def better(self) -> _Answered:
        """Is the first better than the second?"""
        found, tested, (first, second) = self.found, self.tested, self.judges
        value, ends = found.difference(self.confidence_level)
        value = tested.difference if tested else value
        p = tested.pvalue if tested else math.nan
        sure = not tested or p <= self.alpha
        word = self._decide(value, ends, self._everywhere(1, -1), sure=sure, p=p)
        test = apart = ""
        if tested:
            test = f", {pvalue(p, name='p')} (Perm-Both, two-sided, level {self.alpha:g})"
            if sure and _side(value, ends, 0.0) == CANNOT_TELL and not found.too_few:
                apart = (
                    " On these systems the two differ by more than chance; whether they would on others is "
                    "open, since the interval, which draws systems again, holds 0."
                )
            # of what was left out more systems promise nothing
            open_ = word.answer == CANNOT_TELL and self.whole is None
            if found.kind["level"] == "system" and not found.too_few and open_:
                apart += _needed(found, value, ends, self.draws, p=p, alpha=self.alpha)
        here, there = (settled(float(one), 0.0) for one in found.value)
        question = f"Is {first} better than {second}?"
        said = (
            f"It {found.verb} {here} with people and {second} {there} ({found.over}): a difference of "
            f"{number(value, 2)}, {self._worded(ends)}{test}.{apart}"
        )
        return self._answered(question, value, ends, word, said, p=p)

    def reaches(self, bar: float) -> _Answered:
        """Does the first reach this much?"""
        found, value = self.found, float(self.found.value[0])
        ends = found.ends(0, self.confidence_level)
        word = self._decide(value, ends, self._everywhere(1), at=bar)
        if math.isnan(ends.low) and not found.too_few and not math.isnan(value):
            caution = " All draws give the same, which says nothing of items not seen"
            caution += "; --measure accuracy has an interval here too." if found.measure == KAPPA else "."
            word = word._replace(caution=caution)
        question = f"Does {self.judges[0]} reach {bar:g}?"
        said = f"It {found.verb} {settled(value, 0.0)} with people ({found.over}; {self._worded(ends)})."
        return self._answered(question, value, ends, word, said)

    def _answered(
        self, question: str, value: float, ends: Ends, word: _Decided, said: str, *, p: float = math.nan
    ) -> _Answered:
        numbers = {"value": value, **ends._asdict(), "pvalue": p}
        row = {"question": question, "answer": word.answer}
        row |= {key: float(one) for key, one in numbers.items()}
        said = f"{question} {word.answer.capitalize()}. {said}{word.caution}{self._alike()}"
        return _Answered(row, said, word.left_open)

    def _decide(
        self,
        value: float,
        ends: Ends,
        there: tuple[float, Ends] | None,
        *,
        at: float = 0.0,
        sure: bool = True,
        p: float = math.nan,
    ) -> _Decided:
        """The answer by where the interval lies, where the one over everything, if any, gives it too."""
        if math.isnan(ends.low):
            too_few = self.found.too_few
            return _Decided(CANNOT_TELL, f" {too_few}" if too_few else "")
        side = _side(value, ends, at)
        # of systems alone, whose draws all give the same, such a point promises nothing
        point = self.found.shape[1] == 1 and abs(ends.high - ends.low) <= DIFFERENCE_TIE
        answer = side if sure and not point else CANNOT_TELL
        caution = LEAVES_OUT * bool(leaves_out(value, ends.low, ends.high)) + ALL_ALIKE * bool(point)
        errors = [(ends.low, ends.low_mc_error), (ends.high, ends.high_mc_error)]
        left_open = False
        if there is not None:
            whole, over = there
            turned = answer != CANNOT_TELL and _side(whole, over, at) != answer
            caution += f" Over all that people scored it is {settled(whole, 0.0)}, {self._worded(over)}"
            caution += f", {TURNED}." if turned else "."
            if answer != CANNOT_TELL:
                errors += [(over.low, over.low_mc_error), (over.high, over.high_mc_error)]
            answer = CANNOT_TELL if turned else answer
        elif answer != CANNOT_TELL and self.selective:
            answer, left_open = CANNOT_TELL, True  # why is said with what was left out
        n_resamples = self.draws["n_resamples"]
        if side != CANNOT_TELL and hangs_on_seed(p, float(share_error(p, n_resamples)), self.alpha):
            caution += (
                " Another seed may change this word, since p lies within simulation error of "
                f"{self.alpha:g}: take more draws."
            )
        else:
            caution += seed_caution(errors, at if sure else math.nan)
        return _Decided(answer, caution, left_open)

    def _everywhere(self, *weights: int) -> tuple[float, Ends] | None:
        """What a question is about, over everything that people scored; None where that is not known."""
        n = len(weights)
        if self.whole is None or math.isnan(value := float(np.dot(weights, self.whole[:n]))):
            return None
        return value, percentile_ends(np.dot(weights, self.whole_drawn[:n]), self.confidence_level)

    def _worded(self, ends: Ends) -> str:
        """An interval in words."""
        level = f"{percent(self.confidence_level, None)} interval"
        if math.isnan(ends.low):
            return f"without a {level}"
        low, high = (settled(ends.low, ends.low_mc_error), settled(ends.high, ends.high_mc_error))
        return f"{level} {low} to {high}"

    def _alike(self) -> str:
        """Which judges have no value, after a space."""
        alike = [judge for judge, one in zip(self.judges, self.found.value, strict=True) if math.isnan(one)]
        return f" {joined(alike)}: no value (–), as where a judge gives the same to all." if alike else ""


def _side(value: float, ends: Ends, at: float) -> str:
    return decided(value, ends.low, ends.high, at=at, words=(NO, CANNOT_TELL, YES))


def _needed(
    found: Reached, value: float, ends: Ends, draws: dict[str, int], *, p: float, alpha: float
) -> str:
    """At which size as large a difference would tell the judges apart, in a sentence after a space.

    Both the interval and the test would have to, and the test's distance from 0 is taken to be normal.
    """
    # of an interval that is a point nothing follows for other sizes
    if math.isnan(value) or abs(value) <= DIFFERENCE_TIE or not ends.high - ends.low > DIFFERENCE_TIE:
        return ""
    planes = np.where(np.isnan(found.scores).any(axis=0), np.nan, found.scores)
    kind = {key: found.kind[key] for key in ("level", "coefficient")}
    sizes = {name: size for name, size in zip(_DRAWN, found.shape, strict=True) if size > 1}
    variances = {}
    for name in sizes:
        drawn = bootstrap_distribution(planes, found.people, resample=_DRAWN[name], **kind, **draws)
        variances[name] = float(drawn_variance(drawn[0] - drawn[1]))
    half = float(value - ends.low if value > 0 else ends.high - value)
    half = max(half, abs(value) * normal_reach(1 - alpha) / max(normal_reach(1 - min(p, 0.999)), 1e-3))
    needed = needed_in_words(needed_sizes(abs(value), sizes, variances, half=half), sizes)
    return f" If the difference stays as it is, it would take {needed} to tell them apart."


def _ranked(
    reading: Reading,
    judges: Sequence[str],
    measure: str | None,
    level: str,
    coefficient: str,
    confidence_level: float,
    draws: dict[str, int],
) -> tuple[Reached, Comparison | None]:
    """What judges reach where they rank systems, and the test of two."""
    require_measure(measure, (CORRELATION,), "a ranking of systems")
    benchmark = reading.benchmark
    planes = scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    human = benchmark.human.to_numpy()
    # both on the summaries that both score
    lacking = np.isnan(planes).any(axis=0)
    alone = (np.isnan(planes) != lacking) & ~np.isnan(human)  # scored by one of them
    planes = np.where(lacking, np.nan, planes)
    both = ~lacking & ~np.isnan(human)
    n_systems, n_documents = human.shape
    n_shared = int(both.any(axis=-1).sum())
    of = f" of {counted(n_shared, 'system')}" if n_shared < n_systems else ""
    held_to = f", on the {counted(both.sum(), 'summary')}{of} that both score" if alone.any() else ""
    kind = {"level": level, "coefficient": coefficient}
    method = "Boot-Both" if human.shape[1] > 1 else "Boot-Systems"
    found = interval(planes, human, method=method, confidence_level=confidence_level, **kind, **draws)
    if not n_shared:
        raise DataError(
            f"no summary that people scored is scored by {joined(judges)}; let them score the same summaries"
        )
    few = n_shared < FEW_SYSTEMS
    return Reached(
        measure=CORRELATION, name="a correlation", verb="correlates", value=found.estimate,
        distribution=found.distribution,
        of=f"{counted(n_systems, 'system')}, {counted(n_documents, 'document')}",
        over=f"{COEFFICIENT_LABELS[coefficient]}, {words('level', level)}{held_to}",
        too_few=f"With fewer than {FEW_SYSTEMS} systems nothing is decided." if few else "",
        kind={**kind, "ci": method.casefold()}, shape=human.shape, n_units=n_systems,
        scores=scores, people=human, units="summaries", does="scored",
    ), differences.compare(*planes, human, **kind, **draws) if len(judges) == 2 else None  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = STATUSES
    add_files(parser)
    parser.add_argument(
        "--judges",
        nargs="+",
        required=True,
        metavar="JUDGE",
        help="two to compare (is the first better?), or one for --fail-under",
    )
    parser.add_argument(
        "--fail-under",
        type=float,
        metavar="VALUE",
        help="what the first has to reach with people, with its whole interval; VALUE inside is undecided",
    )
    parser.add_argument(
        "--measure",
        choices=MEASURES,
        help="what a judge has to reach with people; by default what suits the data",
    )
    parser.add_argument(
        "--level", choices=("system", "summary"), default="system", help="of a ranking (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    add_draws(parser)


def main(given: argparse.Namespace) -> int:
    """Answer; returns the exit status."""
    draws = drawn(given)
    say_what_takes_long()
    found = compare_judges(
        read(given.files, **settings(given), judges=given.judges), given.judges, fail_under=given.fail_under,
        measure=given.measure, level=given.level, **draws,
    )  # fmt: skip
    print(found.to_json() if given.json else found.summary(), end="" if given.json else "\n")
    return STATUS[found.answer]
