"""reporting.compare: comparison of two metrics or judges, or of one with a bar; also for CI.

``metaeval compare FILE... --judges A B``; `STATUSES` explains the exit status.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_list, check_number
from metaeval.reporting.answer import Answer, answer_parts, records, render, table_text
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    add_output,
    answer_files,
    check_settings,
)
from metaeval.reporting.missing_scores import Gap, gap, move_to_all, moved_ends
from metaeval.reporting.paired_labels import (
    CORRELATION,
    MEASURES,
    Agreement,
    measure_agreement,
    require_measure,
)
from metaeval.reporting.reading import WITHOUT_RANKING, Reading, as_reading, ranking, require_judges
from metaeval.reporting.verdict import (
    FEW_SYSTEMS,
    NO,
    NO_VALUE,
    OPEN,
    YES,
    decide_word,
    describe_needed,
    format_interval,
)
from metaeval.stats import differences
from metaeval.stats.differences import Comparison
from metaeval.stats.intervals import Ends
from metaeval.stats.judges import judge_correlation
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import (
    counted,
    format_stable,
    is_seed_sensitive,
    joined,
    percent,
    pvalue,
)

VERSION = 2  # of the layout of `to_json`
STATUS = {YES: 0, NO: 1, OPEN: 2}
RULE = "yes: all of the interval lies above 0, or above the value to reach; no: below it; open: neither."
STATUSES = (
    "The exit status is 0 for yes, 1 for no, 2 where these data leave it open, and 3 for a mistake in the "
    "command or the files, also for files that can be read in several ways. With --by it is 1 if it is 1 for "
    "any part, else 3 if one has no answer, else the highest. The interval decides, never the value alone: "
    "with --fail-under, 0 means that all of it lies above VALUE, 1 that all lies below, and 2 that VALUE "
    "is inside. If a judge has missing scores, a yes or no about a ranking must also hold for the interval "
    "over all that people scored, else the status is 2. A CI step fails at 2 as well; let it stop at 1 and 3 "
    "only if an open answer may pass."
)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Answer):
    """Comparison of two judges, or of one with a bar.

    Attributes
    ----------
    title, estimand, signature : str
    table : DataFrame
        Columns question, answer, value, low, high, low_mc_error, high_mc_error, first, second, at, pvalue,
        because; a row for each question. Of two judges `value` is `first` minus `second`; the p-value is of
        Perm-Both, which holds for these systems and decides nothing; `at` is the threshold, `because` what an
        open answer lacks.
    lines : tuple of str
    confidence_level : float
    """

    title: str
    estimand: str
    table: pd.DataFrame
    lines: tuple[str, ...]
    confidence_level: float
    signature: str

    @property
    def answer(self) -> str:
        """Yes if all answers are yes, no if any is no, else open."""
        answers = set(self.table["answer"])
        return NO if NO in answers else YES if answers == {YES} else OPEN

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"answers": self.table}

    def printed(self) -> pd.DataFrame:
        """The answers as text."""
        heading = f"value [{percent(self.confidence_level, None)}]"
        rows = []
        for row in self.table.to_dict("records"):
            is_difference = not math.isnan(row["second"])
            value = format_interval(row, at=row["at"], signed=is_difference)
            if is_difference:
                both = (format_stable(row[side], 0.0) for side in ("first", "second"))
                value = f"{' - '.join(both)} = {value}"
            answer = f"{OPEN}: {row['because']}" if row["because"] else row["answer"]
            rows.append({"question": row["question"], heading: value, "answer": answer})
        return pd.DataFrame(rows)

    def summary(self, *, verbose: bool = False) -> str:
        """The answers as a plain text table; with the signature if `verbose`."""
        lines = [self.title, "", self.estimand, *table_text(self.printed()), "", *self.lines]
        return "\n".join([*lines, "", self.signature] if verbose else lines).rstrip()

    def contents(self) -> dict[str, object]:
        """Version, answer, table, and lines."""
        return {
            "version": VERSION, "answer": self.answer, "estimand": self.estimand,
            "answers": records(self.table), "lines": self.lines,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        parts = answer_parts("answers", self.printed(), self.table, self.table["answer"], self.estimand)
        return render("answer", self, [], [parts], self.lines)


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
        and not (no) if it lies below. If a judge has missing scores, a yes or no must also hold for the
        interval with people's means over all that they scored.
    fail_under : float, optional
        Also test whether the first reaches this value with people: yes if its whole interval lies above, no
        if it lies below, else undecided, whatever the value is. Required with one judge.
    measure : {"accuracy", "kappa", "auc", "correlation", "weighted-kappa", "untied"}
        By default what suits the data; for a ranking always the correlation.
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
    check_settings(confidence_level=confidence_level, n_resamples=n_resamples, alpha=alpha)
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
    require_judges(reading)
    draws = {"n_resamples": n_resamples, "rng": seed}
    tested = None
    if reading.kind in WITHOUT_RANKING:
        if level != "system":
            none = "levels need a ranking of three systems or more, and there is none"
            raise DataError(f"{none}; leave `level` out")
        agreement = measure_agreement(reading, judges, measure=measure, coefficient=coefficient, **draws)
    else:
        agreement, tested = _ranked(ranking(reading), judges, measure, level, coefficient, draws)
    if fail_under is not None and not agreement.minimum <= fail_under <= 1:
        raise ValueError(
            f"`fail_under` must be from {agreement.minimum:g} to 1, the range of {agreement.name}, got "
            f"{fail_under:g}"
        )
    gaps = [agreement.gaps(k, confidence_level) for k in range(len(judges))]
    selective = any(one.selective for one in gaps if one)
    moves = [agreement.moves(k) for k in range(len(judges))] if agreement.moves and any(gaps) else None
    lines, rows, options = [RULE], [], (moves, selective, confidence_level)
    if len(judges) == 2:
        row, more = _answer(agreement, (1, -1), *agreement.difference(confidence_level), 0.0, *options)
        row |= {"second": float(agreement.value[1]), "pvalue": float(tested.pvalue) if tested else math.nan}
        rows.append({"question": f"Is {judges[0]} better than {judges[1]}?", **row})
        lines += more
        if row["answer"] == OPEN and row["pvalue"] <= alpha:
            chance = f"differ by more than chance ({pvalue(row['pvalue'], name='p')}, Perm-Both)"
            lines.append(f"On these systems the two {chance}; on others they may not.")
    if fail_under is not None:
        own = float(agreement.value[0]), agreement.ends(0, confidence_level)
        row, more = _answer(agreement, (1,), *own, fail_under, *options)
        rows.append({"question": f"Does {judges[0]} reach {fail_under:g}?", **row})
        lines += more
    lines += [one.describe(judge) for judge, one in zip(judges, gaps, strict=True) if one]
    mark = signature(
        agreement.kind, test="perm-both" if tested else None, draws=n_resamples, confidence=confidence_level,
        alpha=alpha if tested else None, seed=seed, shape=agreement.shape,
    )  # fmt: skip
    return JudgeComparison(
        reading.title(f"{' and '.join(judges)} against people"),
        f"{agreement.name} with people over {agreement.over}",
        pd.DataFrame(rows), (*lines, *reading.notes), confidence_level, mark,
    )  # fmt: skip


def _answer(
    agreement: Agreement,
    weights: tuple[int, ...],
    value: float,
    ends: Ends,
    at: float,
    moves: list[tuple[float, np.ndarray]] | None,
    selective: bool,
    confidence_level: float,
) -> tuple[dict[str, object], list[str]]:
    """Row and lines of an answer by the position of the interval, if the one over everything agrees.

    `weights` make the question's value of those of the judges.
    """
    word, because, lines = decide_word(value, ends, at), "", []
    near = [(ends.low, ends.low_mc_error), (ends.high, ends.high_mc_error)]
    if math.isnan(value):
        because = NO_VALUE
    elif math.isnan(ends.low):
        because = agreement.too_few or "no interval"
    move = math.nan if moves is None else sum(w * one for w, (one, _) in zip(weights, moves, strict=False))
    if not math.isnan(move) and not math.isnan(ends.low):
        drawn = sum(w * many for w, (_, many) in zip(weights, moves, strict=False))
        over = moved_ends(value, ends, move, drawn, confidence_level)
        row = {"value": value + move, **over.columns()}
        lines.append(f"Over all that people scored it is {format_interval(row, at=at)}.")
        near += [(over.low, over.low_mc_error), (over.high, over.high_mc_error)] if word != OPEN else []
        if word != OPEN and decide_word(value + move, over, at) != word:
            word, because = OPEN, "not so over all that people scored"
    elif word != OPEN and selective:
        word, because = OPEN, "people rate what was skipped otherwise"
    if not because and any(is_seed_sensitive(*end, at) for end in near):
        lines.append("Another seed may change this answer: take more --draws.")
    if word == OPEN and not because and agreement.needed and moves is None:
        because = agreement.needed(len(weights), at, confidence_level)
    row = {"answer": word, "value": value, **ends.columns()}
    row |= {"first": float(agreement.value[0]), "second": math.nan, "at": at, "pvalue": math.nan}
    return row | {"because": because if word == OPEN else ""}, lines


def _ranked(
    reading: Reading,
    judges: Sequence[str],
    measure: str | None,
    level: str,
    coefficient: str,
    draws: dict[str, int],
) -> tuple[Agreement, Comparison | None]:
    """Agreement of judges in a ranking of systems, and the test between two."""
    require_measure(measure, (CORRELATION,), "a ranking of systems")
    benchmark = reading.benchmark
    scores = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    human = benchmark.human.to_numpy()
    # on the summaries that both score
    lacking = np.isnan(scores).any(axis=0)
    alone = (np.isnan(scores) != lacking) & ~np.isnan(human)  # scored by one of them
    planes = np.where(lacking, np.nan, scores)
    both = ~lacking & ~np.isnan(human)
    n_shared = int(both.any(axis=-1).sum())
    if not n_shared:
        raise DataError(
            f"no summary that people scored is scored by {joined(judges)}; let them score the same summaries"
        )
    n_documents = human.shape[1]
    kind = {"level": level, "coefficient": coefficient}
    own = judge_correlation(planes, human, **kind, **draws)
    apart = (
        judge_correlation(planes[:1], human, minus=planes[1:], **kind, **draws) if len(judges) == 2 else None
    )
    over, documents = counted(n_shared, "system"), counted(n_documents, "document")
    if n_documents > 1:
        over += (
            f", of means over {documents}" if level == "system" else f" in one document, mean of {documents}"
        )
    if alone.any():
        over += f", on the {counted(both.sum(), 'summary')} that both score"

    def gaps(judge: int, level: float) -> Gap | None:
        return gap(scores[judge], human, confidence_level=level)

    def moves(judge: int) -> tuple[float, np.ndarray]:
        return move_to_all(scores[judge], human, both, coefficient, **draws)

    def needed(n_judges: int, at: float, level: float) -> str:
        return describe_needed(own if n_judges == 1 else apart, at, level)[0]

    return Agreement(
        CORRELATION, COEFFICIENT_LABELS[coefficient], n_shared, over, own.value,
        lambda judge, level: own.ends(level).part(judge), lambda level: apart.ends(level).part(0),
        f"{counted(n_shared, 'system')}; it takes {FEW_SYSTEMS}" if n_shared < FEW_SYSTEMS else "",
        {**kind, "ci": "judges"}, human.shape, gaps, *((moves, needed) if level == "system" else ()),
    ), differences.compare(*planes, human, **kind, **draws) if len(judges) == 2 else None  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = STATUSES
    add_files(parser)
    parser.set_defaults(has_verdict=True)
    add = parser.add_argument
    two = "two to compare (is the first better?), or one with --fail-under"
    add("--judges", nargs="+", required=True, metavar="JUDGE", help=two)
    reach = "value that the whole interval of the first has to reach; a VALUE inside it is undecided"
    add("--fail-under", type=float, metavar="VALUE", help=reach)
    suits = "measure of agreement with people; by default one that suits the data"
    add("--measure", choices=MEASURES, help=suits)
    add("--level", choices=("system", "summary"), default="system", help="of a ranking (%(default)s)")
    add_output(parser, "the signature, too")
    add_draws(parser)


def main(args: argparse.Namespace) -> int:
    """Print the answers; returns the exit status."""
    names = "judges", "fail_under", "measure", "level"
    return STATUS[answer_files(compare_judges, args, names, judges=args.judges).answer]
