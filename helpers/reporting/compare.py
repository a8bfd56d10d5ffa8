"""reporting.compare: is one metric or judge better than another, by what, and how sure; also for CI.

``metaeval compare FILE... --judges A B``: the exit status is 0 for yes, 1 for no, 2 where these data cannot
tell, and 3 for a mistake in the command or the files.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.labels import COEFFICIENT_LABELS, words
from helpers.reporting.answer import Answer
from helpers.reporting.arguments import add_files, settings
from helpers.reporting.draws import SEED, add_draws, drawn, say_what_takes_long
from helpers.reporting.page import compared, records
from helpers.reporting.ranking import ranking
from helpers.reporting.reading import Reading, read
from helpers.reporting.verdict import FEW_SYSTEMS
from helpers.stats import differences
from helpers.stats.intervals import interval, percentile_ends
from helpers.stats.limits import check_alpha
from helpers.stats.signature import signature
from helpers.stats.streams import RNGLike, seed_of
from helpers.wording import against, number, pvalue, settled

YES, NO, CANNOT_TELL = "yes", "no", "cannot tell"
STATUS = {YES: 0, NO: 1, CANNOT_TELL: 2}
STATUS_OF_MISTAKES = 3  # read by `helpers.__main__`


@dataclass(frozen=True, eq=False)
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

    def _repr_html_(self) -> str:
        return compared(self)


def compare_judges(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    judges: Sequence[str],
    *,
    fail_under: float | None = None,
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
    data : see `helpers.reporting.ranking.ranking`
    judges : one name, or two
        Of two the first is better (yes) where the two-sided Perm-Both test finds a difference in its favour
        and the interval of the difference lies above 0, and is not (no) where both say the opposite.
    fail_under : float, optional
        Also asked: does the first correlate at least so much with people? Yes where its interval lies above,
        no where it lies below. With one judge it has to be given.
    level : {"system", "summary"}
    coefficient, confidence_level, alpha, n_resamples, rng : see `helpers.reporting.report.report`

    Returns
    -------
    Judged

    Raises
    ------
    UnknownNameError
        If there is no such judge.
    DataError
        If nothing is asked, or the data hold no ranking.
    """
    check_alpha(alpha)
    if len(judges) not in (1, 2) or (len(judges) == 1 and fail_under is None):
        raise DataError("name two judges, or one and what it has to reach (--fail-under)")
    if len(set(judges)) < len(judges):
        raise DataError(f"{judges[0]} cannot be compared with itself; name another judge")
    if fail_under is not None and not -1 <= fail_under <= 1:
        raise ValueError(f"`fail_under` is a correlation, from -1 to 1, got {fail_under}")
    reading = ranking(data)
    benchmark = reading.benchmark
    planes = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    human, seed = benchmark.human.to_numpy(), seed_of(rng)
    # both on the summaries that both score
    planes = np.where(np.isnan(planes).any(axis=0), np.nan, planes)
    kind = {"level": level, "coefficient": coefficient}
    draws = {"n_resamples": n_resamples, "rng": seed}
    method = "Boot-Both" if human.shape[1] > 1 else "Boot-Systems"
    found = interval(planes, human, method=method, confidence_level=confidence_level, **kind, **draws)
    few = level == "system" and len(human) < FEW_SYSTEMS
    name = f"{COEFFICIENT_LABELS[coefficient]}, {words('level', level)}"
    rows, said = [], []

    def ask(question, value, distribution, decide, pvalue_=math.nan):
        ends = percentile_ends(distribution, confidence_level)
        if few:
            ends = ends._replace(low=math.nan, high=math.nan)
        answer = CANNOT_TELL if few or math.isnan(value) else decide(ends.low, ends.high)
        numbers = {"value": value, **ends._asdict(), "pvalue": pvalue_}
        rows.append({"question": question, "answer": answer} | {key: float(numbers[key]) for key in numbers})
        return answer, f"{settled(ends.low, ends.low_mc_error)} to {settled(ends.high, ends.high_mc_error)}"

    few_systems = f" With fewer than {FEW_SYSTEMS} systems nothing is decided." if few else ""
    if len(judges) == 2:
        tested = differences.compare(planes[0], planes[1], human, **kind, **draws)
        decided = math.copysign(1, tested.difference) if tested.pvalue <= alpha else 0
        answer, ends = ask(
            f"Is {judges[0]} better than {judges[1]}?",
            tested.difference,
            found.distribution[0] - found.distribution[1],
            lambda low, high: {
                1: YES if low > 0 else CANNOT_TELL,
                -1: NO if high < 0 else CANNOT_TELL,
                0: CANNOT_TELL,
            }[decided],
            tested.pvalue,
        )
        apart = (
            " On these systems the two differ by more than chance; whether they would on others is open, "
            "since the interval, which draws systems again, holds 0."
            if decided and answer == CANNOT_TELL and not few
            else ""
        )
        said.append(
            f"Is {judges[0]} better than {judges[1]}? {answer.capitalize()}. It correlates "
            f"{number(float(found.estimate[0]), 2)} with people and {judges[1]} "
            f"{number(float(found.estimate[1]), 2)} "
            f"({name}): {number(tested.difference, 2)} more, {confidence_level:.0%} interval {ends}, "
            f"{pvalue(tested.pvalue, name='p')} (Perm-Both, two-sided, level {alpha:g}).{apart}{few_systems}"
        )
    if fail_under is not None:
        answer, ends = ask(
            f"Does {judges[0]} reach {fail_under:g}?",
            found.estimate[0],
            found.distribution[0],
            lambda low, high: against(low, high, at=fail_under, words=(NO, CANNOT_TELL, YES)),
        )
        said.append(
            f"Does {judges[0]} reach {fail_under:g}? {answer.capitalize()}. It correlates "
            f"{number(float(found.estimate[0]), 2)} with people ({name}; {confidence_level:.0%} interval "
            f"{ends}).{few_systems}"
        )
    mark = signature(
        {**kind, "ci": method.casefold()}, test="perm-both" if len(judges) == 2 else None, draws=n_resamples,
        confidence=confidence_level, alpha=alpha, seed=seed, shape=human.shape,
    )  # fmt: skip
    title = f"{' and '.join(judges)} against people, {human.shape[0]:,} systems, {human.shape[1]:,} documents"
    return Judged(title, pd.DataFrame(rows), tuple(said) + reading.notes, mark)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    parser.add_argument(
        "--judges", nargs="+", required=True, metavar="JUDGE", help="two to compare, or one for --fail-under"
    )
    parser.add_argument(
        "--fail-under", type=float, metavar="VALUE", help="what the first has to correlate with people"
    )
    parser.add_argument("--level", choices=("system", "summary"), default="system", help="(%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    add_draws(parser)


def main(given: argparse.Namespace) -> int:
    """Answer; returns the exit status."""
    say_what_takes_long()
    found = compare_judges(
        read(given.files, **settings(given)), given.judges, fail_under=given.fail_under, level=given.level,
        **drawn(given),
    )  # fmt: skip
    print(found.to_json() if given.json else found.summary(), end="" if given.json else "\n")
    return STATUS[found.answer]
