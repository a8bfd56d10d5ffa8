"""reporting.compare: comparison of two metrics or judges, or of one with a bar; also for CI.

``metaeval compare FILE... --judges A B``; `STATUSES` explains the exit status.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_list, check_number
from metaeval.reporting.answer import Answer, answer_parts, render, table_parts, table_text
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
    MAX_GRADES,
    MEASURES,
    Agreement,
    clusters_of,
    is_binary,
    measure_agreement,
    pair_answers,
    ratio_ends,
    require_measure,
    share_ends,
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
from metaeval.stats.intervals import NO_ENDS, Ends
from metaeval.stats.judges import judge_correlation
from metaeval.stats.streams import RNGLike, seed_of, signature
from metaeval.stats.ties import SCORE_TIE, places_of, signs, system_means
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

How = Mapping[str, Any]  # coefficient, n_resamples, rng
CHANGED = "How far do the two differ, such as two versions of one judge?"
CLAIM = (
    "How far the two differ is said of items like these and of no other version; which of them is right, "
    "people's scores alone say."
)
FEW_DIFFERENCES = 10  # documents, or clusters, that differ; with fewer, intervals cover too little
BY_SYSTEM = (
    "How far do the two differ on each system? Intervals hold approximately for all systems together; "
    f"none where fewer than {FEW_DIFFERENCES} documents differ"
)
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
    changes : DataFrame
        Of two judges, such as two versions of one: columns quantity, value, low, high, n_total; each one's
        agreement with people and theirs with each other, and how much differs between them.
    systems : DataFrame
        Of two judges in a ranking: columns system, value, low, high, place, place_second; its mean by
        `first` minus by `second` in simultaneous intervals, which are approximate for skewed differences, and
        NaN where fewer than 10 documents differ, or clusters of them; and its place by each.
    lines : tuple of str
    confidence_level : float
    """

    command = "compare"
    title: str
    estimand: str
    table: pd.DataFrame
    lines: tuple[str, ...]
    confidence_level: float
    signature: str
    changes: pd.DataFrame
    systems: pd.DataFrame

    @property
    def answer(self) -> str:
        """Yes if all answers are yes, no if any is no, else open."""
        answers = set(self.table["answer"])
        return NO if NO in answers else YES if answers == {YES} else OPEN

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        parts = {"answers": self.table, "changes": self.changes, "systems": self.systems}
        return {name: table for name, table in parts.items() if len(table)}

    @property
    def _heading(self) -> str:
        return f"value [{percent(self.confidence_level, None)}]"

    def printed(self) -> pd.DataFrame:
        """The answers as text."""
        rows = []
        for row in self.table.to_dict("records"):
            is_difference = not math.isnan(row["second"])
            value = format_interval(row, at=row["at"], signed=is_difference)
            if is_difference:
                both = (format_stable(row[side], 0.0) for side in ("first", "second"))
                value = f"{' - '.join(both)} = {value}"
            answer = f"{OPEN}: {row['because']}" if row["because"] else row["answer"]
            rows.append({"question": row["question"], self._heading: value, "answer": answer})
        return pd.DataFrame(rows)

    def summary(self, *, verbose: bool = False) -> str:
        """The answers as a plain text table; with the signature if `verbose`."""
        lines = [self.title, "", self.estimand, *table_text(self.printed()), ""]
        if len(self.changes):
            lines += [CHANGED, *table_text(self._printed_changes()), ""]
        lines += self.lines
        return "\n".join([*lines, "", self.signature] if verbose else lines).rstrip()

    def _printed_changes(self) -> pd.DataFrame:
        """The table of changes as text."""
        values = [format_interval(row) for row in self.changes.to_dict("records")]
        return self.changes[["quantity"]].assign(
            **{self._heading: values, "of": self.changes["n_total"].map("{:,}".format)}
        )

    def contents(self) -> dict[str, object]:
        """The answer in one word, the estimand, and lines."""
        return {"answer": self.answer, "estimand": self.estimand, "lines": self.lines}

    def _repr_html_(self) -> str:
        parts = [answer_parts("answers", self.printed(), self.table, self.table["answer"], self.estimand)]
        more = {name: table for name, table in self.tables.items() if name != "answers"}
        captions = {"changes": CHANGED, "systems": BY_SYSTEM}
        parts += [table_parts(name, table, caption=captions[name]) for name, table in more.items()]
        return render("answer", self, [], parts, self.lines)


def compare_judges(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    judges: Sequence[str] = (),
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
    judges : one name, or two, by default all that there are
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
    reading, seed = as_reading(data, judges=judges), seed_of(rng)
    if not judges and len(reading.judges) == 1 and fail_under is None:
        raise DataError(f"{reading.judges[0]} is the only judge; give --fail-under VALUE, or another judge")
    judges = judges or reading.judges
    if len(judges) not in (1, 2) or (len(judges) == 1 and fail_under is None):
        raise DataError(f"name two judges, or one and --fail-under VALUE, got {joined(judges) or 'none'}")
    if len(set(judges)) < len(judges):
        raise DataError(f"{judges[0]} cannot be compared with itself; name another judge")
    require_judges(reading)
    how = {"coefficient": coefficient, "n_resamples": n_resamples, "rng": seed}
    tested = None
    if reading.kind in WITHOUT_RANKING:
        if level != "system":
            none = "levels need a ranking of three systems or more, and there is none"
            raise DataError(f"{none}; leave `level` out")
        agreement = measure_agreement(reading, judges, measure=measure, **how)
    else:
        agreement, tested = _ranked(ranking(reading), judges, measure, level, how)
    if fail_under is not None and not agreement.minimum <= fail_under <= 1:
        raise ValueError(
            f"`fail_under` must be from {agreement.minimum:g} to 1, the range of {agreement.name}, got "
            f"{fail_under:g}"
        )
    gaps = [agreement.gaps(k, confidence_level) for k in range(len(judges))]
    if absent := [name for name, one in zip(judges, gaps, strict=True) if one and not one.n_scored]:
        raise DataError(
            f"nothing that people judged is judged by {joined(absent)}; if rows of one item have a column in "
            "common, name it with --col item=COLUMN"
        )
    selective = any(one.selective for one in gaps if one)
    if reading.kind in WITHOUT_RANKING:
        _require_common(reading, judges)
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
    changes = systems = pd.DataFrame()
    if len(judges) == 2:
        changes = _changes(reading, judges, agreement, level, confidence_level, how)
        lines += [CLAIM] * bool(len(changes))
        if reading.kind not in WITHOUT_RANKING:
            systems = _places(reading.benchmark, judges, confidence_level, reading.clusters)
            lines += describe_order(systems, judges)
    if reading.kind not in WITHOUT_RANKING:
        lines += [
            f"{line} Only the differences between the judges' scores draw clusters."
            for line in reading.unused_clusters
        ]
    mark = signature(
        agreement.kind, test="perm-both" if tested else None, draws=n_resamples, confidence=confidence_level,
        alpha=alpha if tested else None, seed=seed, shape=agreement.shape,
    )  # fmt: skip
    return JudgeComparison(
        reading.title(f"{' and '.join(judges)} against people"),
        f"{agreement.name} with people over {agreement.over}",
        pd.DataFrame(rows), (*lines, *reading.notes), confidence_level, mark, changes, systems,
    )  # fmt: skip


def _require_common(reading: Reading, judges: Sequence[str]) -> None:
    """Raise where judges share nothing that people judged."""
    sides = pair_answers(reading)
    judged = ~np.isnan([sides.people, *(sides.judges[judge] for judge in judges)]).any(axis=0)
    if not judged.any():
        raise DataError(
            f"no {sides.units} that people judged is judged by {joined(judges)}; let them judge the same "
            f"{sides.units}s"
        )


def _changes(
    reading: Reading, judges: Sequence[str], agreement: Agreement, level: str, confidence: float, how: How
) -> pd.DataFrame:
    """Agreement of two judges with people and with each other, and how much of what both scored differs."""
    values, of, unit = _common_units(reading, judges)
    both = ~np.isnan(values).any(axis=0)
    if not both.any():
        return pd.DataFrame()
    rows = [
        (f"{name}, {agreement.name} with people", agreement.value[k], agreement.ends(k, confidence),
         agreement.n)
        for k, name in enumerate(judges)
    ]  # fmt: skip
    rows.append(_with_each_other(reading, judges, agreement.measure, level, confidence, how))
    if len(np.unique(values[:, both])) <= MAX_GRADES:
        differs = both & (values[0] != values[1])
        ends = share_ends(differs, both, confidence, of=of)
        rows.append((f"{unit} that differ", differs.sum() / both.sum(), ends, both.sum()))
    if reading.kind != "pairs" and (
        reading.labels is None or pd.api.types.is_numeric_dtype(reading.labels["value"])
    ):
        apart = np.where(both, values[0] - values[1], 0.0)
        ends = ratio_ends(apart, both, confidence, of=of, is_bounded=is_binary(values))
        name = f"mean score, {judges[0]} minus {judges[1]}"
        rows.append((name, apart.sum() / both.sum(), ends, both.sum()))
    columns = ["quantity", "value", "low", "high", "n_total"]
    table = [(name, float(value), float(e.low), float(e.high), int(n)) for name, value, e, n in rows]
    return pd.DataFrame(table, columns=columns)


def _common_units(reading: Reading, judges: Sequence[str]) -> tuple[np.ndarray, np.ndarray, str]:
    """Answers of two judges, (2, n_units), the clusters that are drawn, and the name of the units."""
    if reading.kind in ("pairs", "one_system"):
        sides = pair_answers(reading)
        unit = "choices" if sides.units == "pair" else "labels" if sides.binary or sides.answers else "scores"
        return np.stack([sides.judges[judge] for judge in judges]), sides.clusters, unit
    planes = np.stack([reading.benchmark.metric(judge).to_numpy() for judge in judges])
    of = clusters_of(reading.benchmark.documents, reading.clusters)
    return planes.reshape(2, -1), np.tile(of, planes.shape[1]), "scores"


def _with_each_other(
    reading: Reading, judges: Sequence[str], measure: str, level: str, confidence_level: float, how: How
) -> tuple[str, float, Ends, int]:
    """Agreement of two judges, of whom the second stands in for people: its name, value, ends and size.

    By the default measure where `measure` does not apply to the two.
    """
    values, of, _ = _common_units(reading, judges)
    if reading.kind == "ranking":
        planes = values.reshape(2, *reading.benchmark.human.shape)
        one = judge_correlation(planes[:1], planes[1], level=level, **how)
        name, size = COEFFICIENT_LABELS[how["coefficient"]], int(one.sizes["systems"][0])
        ends = one.ends(confidence_level).part(0).where(size >= FEW_SYSTEMS)
        return f"with each other, {name}", one.value[0], ends, size
    if reading.kind == "two_systems":
        sides = signs(np.subtract(*np.moveaxis(values.reshape(2, 2, -1), 1, 0)), SCORE_TIE)
        both = ~np.isnan(sides).any(axis=0)
        alike = both & (sides[0] == sides[1])
        ends = share_ends(alike, both, confidence_level, of=of[: len(both)])
        return "with each other, same side", alike.sum() / both.sum(), ends, both.sum()
    if reading.kind == "pairs":
        people = reading.pairs.people.isel(rater=[0]).copy(data=(1 + values[1:]) / 2)
        alone = replace(reading, pairs=replace(reading.pairs, people=people))
    else:
        rows = reading.labels[reading.labels["role"] == "judge"]
        second = rows[rows["name"] == judges[1]].assign(role="person")
        alone = replace(reading, labels=pd.concat([rows[rows["name"] == judges[0]], second]))
    try:
        one = measure_agreement(alone, judges[:1], measure=measure, **how)
    except DataError:
        one = measure_agreement(alone, judges[:1], **how)
    return f"with each other, {one.name}", one.value[0], one.ends(0, confidence_level), one.n


def _places(
    benchmark: Benchmark,
    judges: Sequence[str],
    confidence_level: float,
    clusters: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Each system's mean by two judges on the documents of both, and its places.

    Notes
    -----
    Student's *t* at Bonferroni's level. In 400 simulated studies each of 6, 16 and 25 systems on 40 to 100
    documents, 95 % intervals of all systems together hold in 95 to 99 % for labels (12 to 40 % differ) and in
    95 to 97 % for grades; for exponential differences only in 86 to 89 %.
    """
    planes = np.stack([benchmark.metric(judge).to_numpy() for judge in judges])
    both = ~np.isnan(planes).any(axis=0)
    there = both.any(axis=1)
    planes, both, names = planes[:, there], both[there], np.array(benchmark.systems)[there]
    first, second = system_means(np.where(both, planes, np.nan))
    level = 1 - (1 - confidence_level) / len(names)  # Bonferroni
    apart, is_bounded = np.where(both, planes[0] - planes[1], 0.0), is_binary(planes)
    of, ends = clusters_of(benchmark.documents, clusters), []
    for one, here in zip(apart, both, strict=True):
        is_few = len(np.unique(of[np.abs(one) > SCORE_TIE])) < FEW_DIFFERENCES
        ends.append(NO_ENDS if is_few else ratio_ends(one, here, level, of=of, is_bounded=is_bounded))
    ends = Ends.stacked(ends)
    columns = {"system": names, "value": first - second, "low": ends.low, "high": ends.high}
    return pd.DataFrame(columns | {"place": places_of(first), "place_second": places_of(second)})


def describe_order(systems: pd.DataFrame, judges: Sequence[str]) -> list[str]:
    """Line on how two judges order the systems; none where one of them orders nothing."""
    first, second = (systems[name].to_numpy() for name in ("place", "place_second"))
    if min(len(np.unique(first)), len(np.unique(second))) < 2:
        return []
    apart = [np.sign(side[:, None] - side)[np.triu_indices(len(side), 1)] for side in (first, second)]
    turned, n_pairs = int((apart[0] * apart[1] < 0).sum()), len(apart[0])
    best = [systems["system"][side == side.min()].tolist() for side in (first, second)]
    are = ["is" if len(names) == 1 else "are" for names in best]
    leader = f"{joined(best[0])} {are[0]} first by {'both' if best[0] == best[1] else judges[0]}"
    leader += "" if best[0] == best[1] else f", {joined(best[1])} by {judges[1]}"
    return [f"{turned} of {counted(n_pairs, 'pair')} of systems are in another order; {leader}."]


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
    reading: Reading, judges: Sequence[str], measure: str | None, level: str, how: How
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
    own, apart, tested = judge_correlation(planes, human, level=level, **how), None, None
    if len(judges) == 2:
        apart = judge_correlation(planes[:1], human, minus=planes[1:], level=level, **how)
        tested = differences.compare(*planes, human, level=level, **how)
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
        return move_to_all(scores[judge], human, both, **how)

    def needed(n_judges: int, at: float, level: float) -> str:
        return describe_needed(own if n_judges == 1 else apart, at, level)[0]

    coefficient = how["coefficient"]
    return Agreement(
        CORRELATION, COEFFICIENT_LABELS[coefficient], n_shared, over, own.value,
        lambda judge, level: own.ends(level).part(judge), lambda level: apart.ends(level).part(0),
        f"{counted(n_shared, 'system')}; it takes {FEW_SYSTEMS}" if n_shared < FEW_SYSTEMS else "",
        {"level": level, "coefficient": coefficient, "ci": "judges"}, human.shape, gaps,
        *((moves, needed) if level == "system" else ()),
    ), tested  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = STATUSES
    add_files(parser)
    parser.set_defaults(has_verdict=True)
    add = parser.add_argument
    two = "two to compare (is the first better?), or one with --fail-under"
    add("--judges", nargs="+", default=(), metavar="JUDGE", help=f"{two}; by default all that there are")
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
