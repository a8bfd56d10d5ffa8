"""reporting.compare: comparison of two metrics or judges, or of one with a bar; also for CI.

``metaeval compare FILE... --judges A B``; `STATUSES` explains the exit status.
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
from metaeval.reporting.answer import Answer, dots, records, render, table_parts
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    draw_options,
    read_options,
    warn_about_compilation,
)
from metaeval.reporting.paired_labels import (
    CORRELATION,
    KAPPA,
    MEASURES,
    Agreement,
    measure_agreement,
    require_measure,
)
from metaeval.reporting.reading import WITHOUT_RANKING, Reading, as_reading, ranking, read
from metaeval.reporting.verdict import (
    ALL_ALIKE,
    FEW_SYSTEMS,
    LEAVES_OUT,
    describe_needed,
    drawn_variance,
    needed_sizes,
    seed_caution,
)
from metaeval.stats import differences
from metaeval.stats.differences import Comparison
from metaeval.stats.intervals import Ends, interval, normal_reach, percentile_ends
from metaeval.stats.monte_carlo import share_error
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.wording import (
    CANNOT_TELL,
    counted,
    decide_position,
    format_stable,
    is_seed_sensitive,
    joined,
    leaves_out,
    number,
    percent,
    pvalue,
)

YES, NO = "yes", "no"
STATUS = {YES: 0, NO: 1, CANNOT_TELL: 2}
TURNED = "which does not bear this out, so it is undecided"
_DRAWN = {"systems": "systems", "documents": "inputs"}
STATUSES = (
    "The exit status is 0 for yes, 1 for no, 2 where these data cannot tell, and 3 for a mistake in the "
    "command or the files. The interval decides, never the value alone: with --fail-under, 0 means that all "
    "of it lies above VALUE, 1 that all of it lies below, and 2 that VALUE is inside. If a judge has missing "
    "scores, a yes or no about a ranking must also hold for the interval over all that people scored, else "
    "the status is 2. A CI step fails at 2 as well; let it stop at 1 and 3 only if an open answer may "
    "pass."
)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Answer):
    """Comparison of two judges, or of one with a bar.

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
        """Yes if all answers are yes, no if any is no, else `CANNOT_TELL`."""
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
        """Plotly figure of the values behind the answers, with their intervals.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        return dots(self.table, y="question", title="difference, or what the first reaches")

    def _repr_html_(self) -> str:
        answers = [
            {"word": word, "sentence": sentence, "good": word == YES}
            for word, sentence in zip(self.table["answer"], self.said, strict=False)
        ]
        rest = self.said[len(answers) :]
        parts = table_parts("answers", self.table, caption="Answers and what they rest on")
        return render("compared", self, answers, rest, parts)


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
) -> JudgeComparison:
    """Test whether the first judge agrees better with people than the second, or well enough.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
        Scores of metrics and people; files as for `doctor`. Of at least three systems; for one, for
        two, and for choices between pairs see `metaeval.reporting.paired_labels.measure_agreement`.
    judges : one name, or two
        Of two, the first is better (yes) if the interval of the difference, in shared draws, lies above 0,
        and not (no) if it lies below. For a ranking, the two-sided Perm-Both test must find the same
        difference. If a judge has missing scores, a yes or no must also hold for the interval with people's
        means over all that they scored.
    fail_under : float, optional
        Also test whether the first reaches this value with people: yes if its whole interval lies above, no
        if it lies below, else undecided, whatever the value is. Required with one judge.
    measure : {"accuracy", "kappa", "auc", "correlation"}, by default one that suits the data
        For a ranking always the correlation.
    level : {"system", "summary"}, of a ranking
    coefficient, confidence_level, alpha, n_resamples, rng : see `metaeval.reporting.report.report`

    Returns
    -------
    JudgeComparison

    Raises
    ------
    UnknownNameError
        If there is no such judge or measure.
    DataError
        If there is nothing to test, no scores by people, or no such measure for the data.
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
        raise DataError("name two judges, or one and the value that it has to reach (--fail-under)")
    if len(set(judges)) < len(judges):
        raise DataError(f"{judges[0]} cannot be compared with itself; name another judge")
    reading, seed = as_reading(data, judges=judges), seed_of(rng)
    draws = {"n_resamples": n_resamples, "rng": seed}
    tested = None
    if reading.kind in WITHOUT_RANKING:
        if level != "system":
            raise DataError(
                "levels need a ranking of three systems or more, and there is none; leave `level` out"
            )
        agreement = measure_agreement(reading, judges, measure=measure, coefficient=coefficient, **draws)
    else:
        agreement, tested = _ranked(
            ranking(reading), judges, measure, level, coefficient, confidence_level, draws
        )
    if fail_under is not None and not agreement.minimum <= fail_under <= 1:
        raise ValueError(
            f"`fail_under` must be from {agreement.minimum:g} to 1, the range of {agreement.name}, got "
            f"{fail_under:g}"
        )
    gaps = [agreement.gap(k, confidence_level) for k in range(len(judges))]
    whole, whole_drawn = agreement.everywhere(**draws) if any(gaps) else (None, None)
    questions = _Questions(
        agreement, judges, tested, alpha, confidence_level, draws, whole, whole_drawn,
        selective=any(gap.selective for gap in gaps if gap),
    )  # fmt: skip
    answers = [questions.better()] if len(judges) == 2 else []
    answers += [] if fail_under is None else [questions.reaches(fail_under)]
    left_open = any(answer.left_open for answer in answers)
    sentences = [answer.sentence for answer in answers]
    sentences += [
        f"{judge}:{gap.sentence(turned=left_open and gap.selective)}"
        for judge, gap in zip(judges, gaps, strict=True)
        if gap
    ]
    mark = signature(
        agreement.kind, test="perm-both" if tested else None, draws=n_resamples, confidence=confidence_level,
        alpha=alpha if tested else None, seed=seed, shape=agreement.shape,
    )  # fmt: skip
    title = f"{' and '.join(judges)} against people, {agreement.of}"
    table = pd.DataFrame([answer.row for answer in answers])
    return JudgeComparison(title, table, tuple(sentences) + reading.notes, mark)


class _Answer(NamedTuple):
    """An answer: its row of the table, its sentences, and True if only missing scores leave it open."""

    row: dict[str, object]
    sentence: str
    left_open: bool


class _Decision(NamedTuple):
    """A yes, a no or neither, a caution, and True if only missing scores leave it open."""

    answer: str
    caution: str
    left_open: bool = False


@dataclass(frozen=True)
class _Questions:
    """Answers to the questions from an agreement.

    Attributes
    ----------
    agreement : Agreement
    judges : one name, or two
    tested : Comparison of the two, for a ranking
    alpha, confidence_level, draws : see `compare_judges`
    whole, whole_drawn : float arrays (n_judges,) and (n_judges, n_resamples), or None
        Agreement of each over everything that people scored; None if no judge has missing scores, or without
        a ranking of systems.
    selective : bool
        True if many scores of a judge are missing that people rate differently.
    """

    agreement: Agreement
    judges: Sequence[str]
    tested: Comparison | None
    alpha: float
    confidence_level: float
    draws: dict[str, int]
    whole: np.ndarray | None
    whole_drawn: np.ndarray | None
    selective: bool

    def better(self) -> _Answer:
        """Answer whether the first judge is better than the second."""
        agreement, tested, (first, second) = self.agreement, self.tested, self.judges
        value, ends = agreement.difference(self.confidence_level)
        value = tested.difference if tested else value
        p = tested.pvalue if tested else math.nan
        sure = not tested or p <= self.alpha
        word = self._decide(value, ends, self._everywhere(1, -1), sure=sure, p=p)
        test = apart = ""
        if tested:
            test = f", {pvalue(p, name='p')} (Perm-Both, two-sided, level {self.alpha:g})"
            if sure and _side(value, ends, 0.0) == CANNOT_TELL and not agreement.too_few:
                apart = (
                    " On these systems the two differ by more than chance; whether they would on others is "
                    "open, since the interval, which draws systems again, holds 0."
                )
            # missing scores are no reason for more systems
            open_ = word.answer == CANNOT_TELL and self.whole is None
            if agreement.kind["level"] == "system" and not agreement.too_few and open_:
                apart += _needed_caution(agreement, value, ends, self.draws, p=p, alpha=self.alpha)
        here, there = (format_stable(float(one), 0.0) for one in agreement.value)
        question = f"Is {first} better than {second}?"
        sentence = (
            f"It {agreement.verb} {here} with people and {second} {there} ({agreement.over}): a difference "
            f"of {number(value, 2)}, {self._format_interval(ends)}{test}.{apart}"
        )
        return self._answer(question, value, ends, word, sentence, p=p)

    def reaches(self, bar: float) -> _Answer:
        """Answer whether the first judge reaches `bar`."""
        agreement, value = self.agreement, float(self.agreement.value[0])
        ends = agreement.ends(0, self.confidence_level)
        word = self._decide(value, ends, self._everywhere(1), at=bar)
        if math.isnan(ends.low) and not agreement.too_few and not math.isnan(value):
            caution = " All draws give the same, which says nothing of items not seen"
            caution += "; --measure accuracy has an interval here too." if agreement.measure == KAPPA else "."
            word = word._replace(caution=caution)
        question = f"Does {self.judges[0]} reach {bar:g}?"
        sentence = (
            f"It {agreement.verb} {format_stable(value, 0.0)} with people ({agreement.over}; "
            f"{self._format_interval(ends)})."
        )
        return self._answer(question, value, ends, word, sentence)

    def _answer(
        self, question: str, value: float, ends: Ends, word: _Decision, sentence: str, *, p: float = math.nan
    ) -> _Answer:
        numbers = {"value": value, **ends._asdict(), "pvalue": p}
        row = {"question": question, "answer": word.answer}
        row |= {key: float(one) for key, one in numbers.items()}
        sentence = f"{question} {word.answer.capitalize()}. {sentence}{word.caution}{self._undefined()}"
        return _Answer(row, sentence, word.left_open)

    def _decide(
        self,
        value: float,
        ends: Ends,
        there: tuple[float, Ends] | None,
        *,
        at: float = 0.0,
        sure: bool = True,
        p: float = math.nan,
    ) -> _Decision:
        """Answer by the position of the interval, if the one over everything, if any, agrees."""
        if math.isnan(ends.low):
            too_few = self.agreement.too_few
            return _Decision(CANNOT_TELL, f" {too_few}" if too_few else "")
        side = _side(value, ends, at)
        # with systems only and identical draws, such a point is no evidence
        point = self.agreement.shape[1] == 1 and abs(ends.high - ends.low) <= DIFFERENCE_TIE
        answer = side if sure and not point else CANNOT_TELL
        caution = LEAVES_OUT * bool(leaves_out(value, ends.low, ends.high)) + ALL_ALIKE * bool(point)
        errors = [(ends.low, ends.low_mc_error), (ends.high, ends.high_mc_error)]
        left_open = False
        if there is not None:
            whole, over = there
            turned = answer != CANNOT_TELL and _side(whole, over, at) != answer
            caution += f" Over all that people scored it is {format_stable(whole, 0.0)}, "
            caution += self._format_interval(over)
            caution += f", {TURNED}." if turned else "."
            if answer != CANNOT_TELL:
                errors += [(over.low, over.low_mc_error), (over.high, over.high_mc_error)]
            answer = CANNOT_TELL if turned else answer
        elif answer != CANNOT_TELL and self.selective:
            answer, left_open = CANNOT_TELL, True  # the sentence on missing scores says why
        n_resamples = self.draws["n_resamples"]
        if side != CANNOT_TELL and is_seed_sensitive(p, float(share_error(p, n_resamples)), self.alpha):
            caution += (
                " Another seed may change this word, since p lies within simulation error of "
                f"{self.alpha:g}: take more draws."
            )
        else:
            caution += seed_caution(errors, at if sure else math.nan)
        return _Decision(answer, caution, left_open)

    def _everywhere(self, *weights: int) -> tuple[float, Ends] | None:
        """Value of a question over everything that people scored, with its interval; None if unknown."""
        n = len(weights)
        if self.whole is None or math.isnan(value := float(np.dot(weights, self.whole[:n]))):
            return None
        return value, percentile_ends(np.dot(weights, self.whole_drawn[:n]), self.confidence_level)

    def _format_interval(self, ends: Ends) -> str:
        """Format an interval."""
        level = f"{percent(self.confidence_level, None)} interval"
        if math.isnan(ends.low):
            return f"without a {level}"
        low, high = (format_stable(ends.low, ends.low_mc_error), format_stable(ends.high, ends.high_mc_error))
        return f"{level} {low} to {high}"

    def _undefined(self) -> str:
        """Sentence, after a space, on judges without a value."""
        alike = [
            judge for judge, one in zip(self.judges, self.agreement.value, strict=True) if math.isnan(one)
        ]
        return f" {joined(alike)}: no value (–), as where a judge gives the same to all." if alike else ""


def _side(value: float, ends: Ends, at: float) -> str:
    return decide_position(value, ends.low, ends.high, at=at, words=(NO, CANNOT_TELL, YES))


def _needed_caution(
    agreement: Agreement, value: float, ends: Ends, draws: dict[str, int], *, p: float, alpha: float
) -> str:
    """Sentence, after a space, on the size at which the same difference would separate the judges.

    Both the interval and the test must separate them; the test statistic is assumed to be normal.
    """
    # an interval of no length implies nothing for other sizes
    if math.isnan(value) or abs(value) <= DIFFERENCE_TIE or not ends.high - ends.low > DIFFERENCE_TIE:
        return ""
    planes = np.where(np.isnan(agreement.scores).any(axis=0), np.nan, agreement.scores)
    kind = {key: agreement.kind[key] for key in ("level", "coefficient")}
    sizes = {name: size for name, size in zip(_DRAWN, agreement.shape, strict=True) if size > 1}
    variances = {}
    for name in sizes:
        drawn = bootstrap_distribution(planes, agreement.people, resample=_DRAWN[name], **kind, **draws)
        variances[name] = float(drawn_variance(drawn[0] - drawn[1]))
    half = float(value - ends.low if value > 0 else ends.high - value)
    half = max(half, abs(value) * normal_reach(1 - alpha) / max(normal_reach(1 - min(p, 0.999)), 1e-3))
    needed = describe_needed(needed_sizes(abs(value), sizes, variances, half=half), sizes)
    return f" If the difference stays as it is, it would take {needed} to tell them apart."


def _ranked(
    reading: Reading,
    judges: Sequence[str],
    measure: str | None,
    level: str,
    coefficient: str,
    confidence_level: float,
    draws: dict[str, int],
) -> tuple[Agreement, Comparison | None]:
    """Agreement of judges in a ranking of systems, and the test between two."""
    require_measure(measure, (CORRELATION,), "a ranking of systems")
    benchmark = reading.benchmark
    planes = scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    human = benchmark.human.to_numpy()
    # on the summaries that both score
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
    intervals = interval(planes, human, method=method, confidence_level=confidence_level, **kind, **draws)
    if not n_shared:
        raise DataError(
            f"no summary that people scored is scored by {joined(judges)}; let them score the same summaries"
        )
    too_few_systems = n_shared < FEW_SYSTEMS
    return Agreement(
        measure=CORRELATION, name="a correlation", verb="correlates", value=intervals.estimate,
        distribution=intervals.distribution,
        of=f"{counted(n_systems, 'system')}, {counted(n_documents, 'document')}",
        over=f"{COEFFICIENT_LABELS[coefficient]}, {words('level', level)}{held_to}",
        too_few=f"With fewer than {FEW_SYSTEMS} systems nothing is decided." if too_few_systems else "",
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
        help="two to compare (is the first better?), or one with --fail-under",
    )
    parser.add_argument(
        "--fail-under",
        type=float,
        metavar="VALUE",
        help="value that the whole interval of the first has to reach; a VALUE inside it is undecided",
    )
    parser.add_argument(
        "--measure",
        choices=MEASURES,
        help="measure of agreement with people; by default one that suits the data",
    )
    parser.add_argument(
        "--level", choices=("system", "summary"), default="system", help="of a ranking (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    add_draws(parser)


def main(args: argparse.Namespace) -> int:
    """Print the answers; returns the exit status."""
    draws = draw_options(args)
    warn_about_compilation()
    result = compare_judges(
        read(args.files, **read_options(args), judges=args.judges), args.judges, fail_under=args.fail_under,
        measure=args.measure, level=args.level, **draws,
    )  # fmt: skip
    print(result.to_json() if args.json else result.summary(), end="" if args.json else "\n")
    return STATUS[result.answer]
