"""reporting.unranked: reports without a ranking: labels, two systems, choices, and people alone.

The rule is that of `metaeval.reporting.verdict`, over items, documents and pairs, which are resampled; these
data
support no statement about other systems, and every report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.reporting.corrected import mean_sections
from metaeval.reporting.missing_scores import JUDGED, Gap, covers, gap
from metaeval.reporting.paired_labels import (
    AUC,
    CORRELATION,
    KAPPA,
    MIN_PER_CLASS,
    Labels,
    has_scale_of,
    is_binary,
    majority_of,
    measure_agreement,
    no_ends,
    own_ends,
    pair_choices,
    pair_labels,
    ratio_ends,
    share_ends,
)
from metaeval.reporting.reading import Reading, require_sides
from metaeval.reporting.sections import (
    LeftOut,
    Section,
    Settings,
    agreement_rows,
    people_section,
    same_grades,
)
from metaeval.reporting.verdict import (
    BEYOND,
    CONSTANT,
    FEW_ITEMS,
    NO,
    OPEN,
    STAND_IN,
    YES,
    Beside,
    Verdicts,
    answer_table,
    format_interval,
    headings,
    rule,
)
from metaeval.stats.agreement import confusion_tables, kappa_of_tables
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc, auc_interval, calibration, label_interval, rates
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.reliability import compare_with_raters, mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.ties import SCORE_TIE, signs
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import RATER, UNDEFINED, counted, joined, leaves_out, percent

CHANCE = 0.5  # area under the curve of constant scores
MAX_BINS = 10  # of a judge's scores, each with FEW_ITEMS or more
MAX_COMPARED = 5  # best judges that are compared in pairs
LEFT_OUT, MAJORITY = "the other raters", "most people"
SAME = "Does a judge find the difference that people find?"
PEOPLE = "How far does each rater agree with the others?"
SHARES = (
    *("people pass", "the judge passes", "accuracy"),
    *("TPR: passes what people pass", "TNR: fails what people fail"),
)
KAPPA_AND_AUC = "Cohen's κ", "AUC"
IN_SUMMARY = ("Cohen's κ", *SHARES[2:], "AUC")
OTHERS = LeftOut(
    "other systems", "every score here is of these, so nothing is said of a ranking or of others"
)

RANKED_BY_VOTES = LeftOut(
    "a ranking of systems", "`metaeval rank` ranks those that are compared, by these votes"
)


@dataclass(frozen=True, eq=False)
class Unranked:
    """Parts of a report: who judged what, answers, sections, methods, sizes, and coefficient."""

    subject: str
    verdicts: Verdicts
    parts: tuple[Section | LeftOut, ...]
    methods: str
    shape: tuple[int, int]
    coefficient: str | None = None


def end_columns(ends: Ends) -> dict[str, float]:
    """Ends of an interval and their Monte-Carlo errors as columns of a table."""
    return {name: float(value) for name, value in ends._asdict().items()}


def _subject(n_judges: int, n_raters: int, units: str) -> str:
    judges = f"{counted(n_judges, 'judge')} and " if n_judges else ""
    return f"{judges}{counted(n_raters, 'rater')} on {units}"


def _verdicts(
    beside: Beside,
    gaps: Sequence[Gap | None],
    settings: Settings,
    *,
    raters: bool,
    margin: float,
    estimand: str,
    n_judged: int,
    has_words: bool = True,
    lines: Sequence[str] = (),
) -> Verdicts:
    """Answers by the common rule; a yes stays open where people answer the skipped units differently."""
    at, level = -margin if raters else 0.0, settings.confidence_level
    words, _ = beside.words(at, level)
    turned = [bool(one and one.selective and word == YES) for one, word in zip(gaps, words, strict=True)]
    table, below = answer_table(
        beside, at=at, confidence_level=level, gaps=gaps, turned=turned, has_words=has_words
    )
    return Verdicts(
        STAND_IN if raters else BEYOND, estimand, table.fillna({"n_scored": n_judged, "n_judged": n_judged}),
        headings(beside, raters=raters, has_words=has_words, confidence_level=level), at, (*below, *lines),
        rule(raters, at), level,
    )  # fmt: skip


def report_one_system(reading: Reading, settings: Settings) -> Unranked:
    """Report on judges' labels or scores of items, compared with people's.

    Parameters
    ----------
    reading : Reading of the kind one_system
    settings : Settings

    Raises
    ------
    DataError
        If there are no scores by people, or by judges.
    """
    sides = pair_labels(reading.labels)
    lengths = {name: sides.judges[name].to_numpy() for name in reading.lengths}
    sides = replace(sides, judges=sides.judges.drop(columns=[*lengths]))
    names, scores, n_items = list(sides.judges.columns), sides.judges.to_numpy().T, len(sides.gold)
    gaps = [sides.gap(k, settings.confidence_level) for k in range(len(names))]
    has_rating = ~np.isnan(sides.ratings).all(axis=0)
    n_split = int((has_rating & np.isnan(sides.gold)).sum())
    lines = [f"People are split on {counted(n_split, 'item')}."] if n_split else []
    subject = _subject(len(names), len(sides.ratings), f"{counted(n_items, 'item')} of one system")
    if sides.names:
        answers = {place: f"always {name!r}" for place, name in enumerate(sides.names)}
        verdicts, accuracy = _answers_in_shares(
            names, scores, sides.ratings, sides.gold, np.arange(n_items), answers, gaps, settings,
            units="item", lines=lines,
        )  # fmt: skip
        people = people_section([*agreement_rows(sides.ratings, has_order=False)])
        parts = accuracy, *pairwise_section(reading, verdicts.table, settings), people, OTHERS
        methods = _share_methods(settings, "items")
        return Unranked(subject, verdicts, parts, methods, (1, n_items), "agreement")
    both = ~np.isnan(scores) & ~np.isnan(sides.gold)
    has_two_ratings = (~np.isnan(sides.ratings)).sum(axis=0) > 1
    raters = bool(has_two_ratings.sum() >= FEW_ITEMS)
    enough = np.array([sides.enough(mask & has_two_ratings if raters else mask) for mask in both])
    passes = sides.binary and is_binary(scores)
    # for labels all coefficients are φ, and Pearson's is the fastest
    kind = {"level": "global", "coefficient": "pearson" if passes else settings.coefficient}
    because = f"too few items; it takes {FEW_ITEMS}"
    because += f", {MIN_PER_CLASS} passed and {MIN_PER_CLASS} failed" if sides.binary else ""
    because = ["" if there else because for there in enough]
    if raters:
        # on the items that the judge labelled, including those on which people are split
        result = compare_with_raters(
            scores[:, None, has_rating], sides.ratings[:, None, has_rating], resample="inputs",
            confidence_level=settings.confidence_level, **kind, **settings.draws,
        )  # fmt: skip
        code = "phi" if passes else settings.coefficient
        measure = "φ, Kendall's τ of labels," if passes else COEFFICIENT_LABELS[settings.coefficient]
        beside = Beside(
            names, result.own, *(np.where(enough, end, np.nan) for end in (result.own_low, result.own_high)),
            result.own_ceiling, [RATER] * len(names), result.difference,
            lambda level: _stacked([own_ends(one, level) for one in result.distribution]), enough, because,
        )  # fmt: skip
    else:
        code, measure, beside = _lengths_beside(
            reading, names, scores, sides, lengths, enough, because, settings
        )
    verdicts = _verdicts(
        beside, gaps, settings, raters=raters, margin=settings.delta, n_judged=int(has_rating.sum()),
        estimand=f"{measure} over {counted(int(has_rating.sum()), 'item')}", lines=lines,
        has_words=sides.binary or settings.coefficient == "kendall",
    )  # fmt: skip
    planes = np.where(both, scores, np.nan)[:, None, has_rating]
    people = sides.gold[None, has_rating]
    options = {"resample": "inputs", **kind, **settings.draws}
    if sides.binary:
        parts = [*_rates(sides, settings), *_calibration(sides, settings)]
    else:
        parts = [*_over_items(names, planes, people, options, settings)]
        parts += same_grades(names, scores[:, None], sides.ratings[:, None], settings)
    means = mean_sections(
        {name: plane[None] for name, plane in zip(names, scores, strict=True)}, sides.people[None], settings,
        units="item", limits=(0, 1) if sides.binary else None,
    )  # fmt: skip
    if len(sides.ratings) > 1:
        parts.append(people_section([*agreement_rows(sides.ratings)]))
    return Unranked(
        subject, verdicts,
        (*parts, *means, *pairwise_section(reading, verdicts.table, settings),
        *_sentinels(lengths, sides, settings), OTHERS),
        f"A judge's labels of one system's items are held against people's{' majority' * sides.binary}, with "
        f"{percent(settings.confidence_level, None)} intervals: of correlations by {settings.n_resamples:,} "
        "bootstrap draws of items, of shares Clopper and Pearson's, of κ by draws of the table of labels "
        f"from a Dirichlet distribution, of areas Newcombe's (2006). Seed {settings.seed}.",
        (1, n_items), code,
    )  # fmt: skip


def _lengths_beside(
    reading, names, scores, sides, lengths, enough, because, settings
) -> tuple[str, str, Beside]:
    """Judges of items beside the best length of texts, or a constant score; and the measure with its name.

    Pass or fail against labels is measured by κ, and where there are scores or lengths by the area under the
    curve;
    τ of scores without ties, such as lengths, cannot reach 1 with labels.
    """
    has_gold = ~np.isnan(sides.gold)
    measure = (AUC if lengths or not is_binary(scores) else KAPPA) if sides.binary else CORRELATION
    options = {"measure": measure, "coefficient": settings.coefficient, **settings.draws}
    own, references, compared, differences = [], [], [], []
    for name, plane in zip(names, scores, strict=True):
        alone = measure_agreement(reading, [name], **options)
        floor = CHANCE if measure == AUC else 0.0
        reference, rival, difference = floor, CONSTANT, None
        for length, values in lengths.items():
            if not covers(values, has_gold & ~np.isnan(plane)):
                continue
            pair = measure_agreement(reading, [name, length], **options)
            if pair.value[1] > reference:
                reference, rival, difference = pair.value[1], length, pair
        own.append(alone)
        references.append(reference)
        compared.append(rival)
        differences.append(difference)

    def ends(level: float) -> Ends:
        each = [
            Ends(*(end - floor for end in one.ends_of(0, level)[:2]), *one.ends_of(0, level)[2:])
            if pair is None else pair.difference_of(level)
            for one, pair in zip(own, differences, strict=True)
        ]  # fmt: skip
        return _stacked(each)

    value = np.array([one.value[0] for one in own])
    low, high, *_ = zip(*(one.ends(0, settings.confidence_level) for one in own), strict=True)
    name = own[0].name + (f" (a constant score: {CHANCE:g})" if measure == AUC else "")
    beside = Beside(
        names, value, np.array(low), np.array(high), np.array(references), compared,
        value - np.array(references),
        ends, enough, because,
    )  # fmt: skip
    return measure if sides.binary else settings.coefficient, name, beside


def _stacked(ends: Sequence[Ends]) -> Ends:
    """Ends of several intervals as arrays."""
    return Ends(*map(np.array, zip(*ends, strict=True)))


def _sentinels(lengths: Mapping[str, np.ndarray], sides: Labels, settings: Settings) -> Iterator[Section]:
    """Section on the agreement of text lengths, which judge nothing, with people."""
    kind = {"level": "global", "coefficient": settings.coefficient}
    rows = []
    for name, values in lengths.items():
        if sides.binary:
            value = float(auc(values, sides.gold))
            ends = Ends(
                *auc_interval(values, sides.gold, confidence_level=settings.confidence_level), 0.0, 0.0
            )
        else:
            planes = values[None], sides.gold[None]
            value = float(correlate(*planes, **kind).value)
            drawn = bootstrap_distribution(*planes, resample="inputs", **kind, **settings.draws)
            ends = own_ends(drawn, settings.confidence_level)
        measure = "AUC" if sides.binary else COEFFICIENT_LABELS[settings.coefficient]
        rows.append({"sentinel": name, "measure": measure, "value": value, **end_columns(ends)})
    if rows:
        yield Section("trivial", "What would scores that judge nothing reach?", pd.DataFrame(rows))


def _over_items(names, planes, people, options, settings) -> Iterator[Section]:
    drawn = bootstrap_distribution(planes, people, **options)
    values = correlate(planes, people, level=options["level"], coefficient=options["coefficient"]).value
    table = pd.DataFrame(
        {
            "metric": name,
            "value": float(value),
            **end_columns(percentile_ends(one, settings.confidence_level)),
        }
        for name, value, one in zip(names, values, drawn, strict=True)
    )
    yield Section("items", "Does a judge score high what people score high?", table)


def _shares(judge: np.ndarray, people: np.ndarray, settings: Settings) -> list[dict[str, object]]:
    """`SHARES` with Clopper and Pearson's intervals; items are independent."""
    shares, mask = rates(judge, people), ~np.isnan(judge)
    n, n_passed = int(mask.sum()), int((mask & (people == 1)).sum())
    accuracy = float((judge == people)[mask].sum() / (n or np.nan))
    rows = []
    values = shares.passed, shares.judge_passes, accuracy, shares.tpr, shares.tnr
    for quantity, value, trials in zip(SHARES, values, (n, n, n, n_passed, n - n_passed), strict=True):
        low, high = share_interval(value, trials or np.nan, confidence_level=settings.confidence_level)
        rows.append({"quantity": quantity, "value": float(value), **end_columns(Ends(low, high, 0.0, 0.0))})
    return rows


def _rates(sides: Labels, settings: Settings) -> Iterator[Section | LeftOut]:
    """Section on the rates at which judges pass what people pass."""
    gold = sides.gold
    has_gold = ~np.isnan(gold)
    if not has_gold.any():
        yield LeftOut("how often a judge agrees with people", "as many people pass as fail each item")
        return
    rows = []
    for judge, scores in zip(sides.judges.columns, sides.judges.to_numpy().T, strict=True):
        passes, both = is_binary(scores), (scores[has_gold], gold[has_gold])
        level = {"confidence_level": settings.confidence_level}
        if passes:
            result = rates(*both)
            own = _shares(*both, settings)
            # for labels, the area under the curve of a single point
            areas = zip(
                KAPPA_AND_AUC, (KAPPA, AUC), (result.kappa, (result.tpr + result.tnr) / 2), strict=True
            )
            measured = [
                (name, value, label_interval(*both, measure=measure, **level, **settings.draws))
                for name, measure, value in areas
            ]
        else:
            own = []
            measured = [(KAPPA_AND_AUC[1], auc(*both), Ends(*auc_interval(*both, **level), 0.0, 0.0))]
        own += [
            {"quantity": name, "value": float(value), **end_columns(ends)} for name, value, ends in measured
        ]
        rows += [{"metric": judge, **row} for row in own]
    table = pd.DataFrame(rows)
    cells = table.assign(text=[format_interval(row) for row in rows])
    short = cells.pivot(index="metric", columns="quantity", values="text").reindex(cells["metric"].unique())
    names = [name for name in IN_SUMMARY if name in short and not (name == "AUC" and "Cohen's κ" in short)]
    short = short[names].fillna(UNDEFINED).rename_axis("judge").reset_index()
    yield Section("rates", "How often does a judge agree with people?", table, short_table=short)


def _calibration(sides: Labels, settings: Settings) -> Iterator[Section]:
    """Section on the shares that people pass of items with similar scores by a judge."""
    n_bins = max(2, min(MAX_BINS, int((~np.isnan(sides.gold)).sum()) // FEW_ITEMS))
    frames = []
    for judge, scores in zip(sides.judges.columns, sides.judges.to_numpy().T, strict=True):
        curve = calibration(scores, sides.gold, n_bins=n_bins, confidence_level=settings.confidence_level)
        table = pd.DataFrame(curve._asdict()).rename(columns={"predicted": "given", "n": "n_items"})
        if len(table):
            frames.append(table.assign(metric=judge)[["metric", *table.columns]])
    if frames:
        title = "What share do people pass of what a judge scores alike?"
        yield Section("calibration", title, pd.concat(frames, ignore_index=True))


def pairwise_section(reading: Reading, answers: pd.DataFrame, settings: Settings) -> list[Section]:
    """Section of pairwise differences between the best judges, as in `metaeval compare`."""
    table = []
    for first, second in combinations(answers["metric"][:MAX_COMPARED], 2):
        both = measure_agreement(reading, (first, second), coefficient=settings.coefficient, **settings.draws)
        value, ends = both.difference(settings.confidence_level)
        table.append(
            {"metric": first, "against": second, "measure": both.name, "value": value, **end_columns(ends)}
        )
    note = "Each interval is of a difference by itself, not of all together."
    return [Section("beside", "Which of two judges is better?", pd.DataFrame(table), note)] if table else []


def report_two_systems(reading: Reading, settings: Settings) -> Unranked:
    """Report on the difference between two systems, by each judge and by people.

    Parameters
    ----------
    reading : Reading of the kind two_systems
    settings : Settings

    Raises
    ------
    DataError
        If there is no judge.
    """
    benchmark, lengths = reading.benchmark, reading.lengths
    require_sides(benchmark.metrics, ["people"])
    first, second = benchmark.systems
    judged = benchmark.scores.to_numpy()
    human = benchmark.human.to_numpy() if benchmark.judgments else np.full(judged.shape[1:], np.nan)
    people = _difference(human)
    n_documents = len(people)

    def difference(name: str, values: np.ndarray) -> dict[str, object]:
        mask = ~np.isnan(values)
        n = int(mask.sum())
        value = float(values[mask].mean()) if n else np.nan
        ends = no_ends() if n < FEW_ITEMS else ratio_ends(values, mask, settings.confidence_level)
        return {"metric": name, "value": value, **end_columns(ends), "n_documents": n}

    theirs = difference("people", people)
    differences, agreements, rows, lines = [theirs], [], [], []
    planes = {
        name: plane for name, plane in zip(benchmark.metrics, judged, strict=True) if name not in lengths
    }
    comparable = [name for name, plane in planes.items() if has_scale_of(plane, human)]
    apart = {name: _difference(plane)[None] for name, plane in planes.items()}
    for judge, values in zip(benchmark.metrics, map(_difference, judged), strict=True):
        row = difference(judge, values)
        differences.append(row)
        if judge in lengths:
            continue
        missing = gap(
            values[None],
            people[None],
            confidence_level=settings.confidence_level,
            units="documents",
            does=JUDGED,
        )
        reference = difference("people", np.where(np.isnan(values), np.nan, people)) if missing else theirs
        sides = [_sign(one) for one in (row, reference)]
        word = OPEN if 0 in sides else YES if sides[0] == sides[1] else NO
        because = "" if benchmark.judgments else "people's scores are not here"
        if missing and word != OPEN and _sign(theirs) != sides[1]:
            word, because = OPEN, "it skipped what people rate otherwise"
        if missing:
            lines.append(missing.describe(judge))
        rows.append(
            {
                "metric": judge, "verdict": word, "compared_with": "people",
                "own": row["value"], "own_low": row["low"], "own_high": row["high"],
                "reference": reference["value"], "reference_low": reference["low"],
                "reference_high": reference["high"],
                **{key: row[key] for key in ("value", *Ends._fields)}, "because": because,
                "n_scored": missing.n_scored if missing else n_documents, "n_judged": n_documents,
            }
        )  # fmt: skip
        same = signs(values, SCORE_TIE) * signs(people, SCORE_TIE)
        decisive = np.abs(same) == 1
        n = int(decisive.sum())
        share = {"metric": judge, "value": float((same > 0).sum() / (n or np.nan))}
        agreements.append(
            share
            | end_columns(share_ends(same > 0, decisive, settings.confidence_level))
            | {"n_documents": n}
        )
    level = percent(settings.confidence_level, None)
    verdicts = Verdicts(
        SAME, f"{first} minus {second}, mean over {counted(n_documents, 'document')}, each on its own scale",
        pd.DataFrame(rows),
        {"metric": "judge", "own": f"by the judge [{level}]", "reference": f"by people [{level}]",
        "verdict": "answer"},
        0.0, tuple(lines),
        f"Yes if the {level} intervals of the judge and of people lie on the same side of 0, no if on "
        "different sides, else open. One difference is no ranking.",
        settings.confidence_level, is_own_scale=True,
    )  # fmt: skip
    return Unranked(
        f"{counted(len(rows), 'judge')} and people on 2 systems x {counted(n_documents, 'document')}",
        verdicts,
        (
            Section("difference", "By how much is one system better?", pd.DataFrame(differences)),
            *mean_sections(apart, people[None], settings, units="document", comparable=comparable),
            Section(
                "documents", "On how many documents do a judge and people favour the same system?",
                pd.DataFrame(agreements), "Of the documents on which neither scores both systems alike.",
            ),
            OTHERS,
        ),
        f"Two systems are compared by their mean difference over documents, with {level} percentile "
        f"intervals of {settings.n_resamples:,} bootstrap draws of documents, and shares of them with "
        f"Clopper and Pearson's; people's raters are not drawn again. Seed {settings.seed}.",
        (2, n_documents),
    )  # fmt: skip


def _difference(scores: np.ndarray) -> np.ndarray:
    """Scores of the first system minus the second; 0 for equal decimal numbers."""
    differences = scores[0] - scores[1]
    return np.where(signs(differences, SCORE_TIE) == 0, 0.0, differences)


def _sign(row: dict[str, object]) -> int:
    """Side of 0 of an interval; 0 if it holds 0, does not contain its estimate, or is missing."""
    if leaves_out(*(row[key] for key in ("value", "low", "high"))):
        return 0
    return int(row["low"] > 0) - int(row["high"] < 0)


def report_choices(reading: Reading, settings: Settings) -> Unranked:
    """Report on choices: agreement with most people, and preference for the first output.

    Parameters
    ----------
    reading : Reading of the kind pairs
    settings : Settings

    Raises
    ------
    DataError
        If there are no scores by people, or by judges.
    """
    pairs = reading.pairs
    names = list(pairs.judges.indexes["judge"])
    sides = pair_choices(pairs)
    n_split = int((np.isnan(sides.majority) & ~np.isnan(sides.people).all(axis=0)).sum())
    verdicts, accuracy = _answers_in_shares(
        names, sides.judges, sides.people, sides.majority, sides.documents,
        {-1: "always the second", 0: "always a tie", 1: "always the first"},
        [sides.gap(k, settings.confidence_level) for k in range(len(names))], settings, units="pair",
        lines=[f"No choice has the most votes on {counted(n_split, 'pair')}."] if n_split else [],
        rater_names=list(pairs.people.indexes["rater"]),
    )  # fmt: skip
    people = (
        [people_section([*agreement_rows(sides.people, has_order=False)])] if len(sides.people) > 1 else []
    )
    n_systems = len({*pairs.items["first"], *pairs.items["second"]})
    return Unranked(
        _subject(len(names), len(sides.people), f"{counted(len(sides.majority), 'pair')} of outputs"),
        verdicts,
        (accuracy, *_first(names, sides, settings), *pairwise_section(reading, verdicts.table, settings),
        *people, RANKED_BY_VOTES),
        _share_methods(settings, "items with all their pairs"), (n_systems, int(sides.documents.max()) + 1),
    )  # fmt: skip


def _share_methods(settings: Settings, drawn: str) -> str:
    return (
        "A judge's choices are held against the majority of people's. Shares have Clopper and Pearson's "
        "intervals, corrected for items with several pairs (Korn and Graubard), and differences Student's t "
        f"over {drawn}; both are {percent(settings.confidence_level, None)} intervals. People's raters are "
        f"not drawn again. Seed {settings.seed}."
    )


def _answers_in_shares(
    names: Sequence[str],
    judges: np.ndarray,
    people: np.ndarray,
    majority: np.ndarray,
    documents: np.ndarray,
    answers: Mapping[int, str],
    gaps: Sequence[Gap | None],
    settings: Settings,
    *,
    units: str,
    lines: Sequence[str],
    rater_names: Sequence[str] = (),
) -> tuple[Verdicts, Section]:
    """Answers on choices without an order, and the shares of those that agree with others.

    Where enough is chosen by two people, judge and rater are held against the majority of the other raters,
    each
    rater left out in turn; else the judge's agreement with the majority against the best single answer.
    A margin of Kendall's tau is twice that of a share of pairs.
    """
    others = [majority_of(np.delete(people, rater, axis=0), [*answers]) for rater in range(len(people))]
    n_overlap = sum(
        int((~np.isnan(own) & ~np.isnan(rest)).sum()) for own, rest in zip(people, others, strict=True)
    )
    raters, level = n_overlap >= FEW_ITEMS, settings.confidence_level
    rows, apart, accuracies = [], [], []
    for name, choices in zip(names, judges, strict=True):
        known = ~np.isnan(choices)
        mask = known & ~np.isnan(majority)
        if raters:  # also on pairs without a majority of all raters
            both = [
                known & ~np.isnan(own) & ~np.isnan(rest) for own, rest in zip(people, others, strict=True)
            ]
            weights = np.sum(both, axis=0, dtype=float)
            mine, theirs = (
                sum(there & (side == rest) for there, side, rest in zip(both, sides, others, strict=True))
                * 1.0
                for sides in ([choices] * len(people), people)
            )
            compared = RATER
            accuracies.append(_share_row(name, LEFT_OUT, mine, weights, documents, level))
        else:
            trivial = max(answers, key=lambda answer: (majority[mask] == answer).sum())
            weights, mine, theirs = mask * 1.0, (choices == majority) * 1.0, (majority == trivial) * 1.0
            compared = answers[trivial]
        with np.errstate(invalid="ignore"):
            own, reference = (np.where(weights, side, 0.0).sum() / weights.sum() for side in (mine, theirs))
            each = np.where(weights, (mine - theirs) / weights, 0.0) if raters else mine - theirs
        ends = share_ends(mine, weights, level, of=documents)
        rows.append((own, ends.low, ends.high, reference, compared, own - reference, mask.sum() >= FEW_ITEMS))
        apart.append((each, weights))
        accuracies.append(
            _share_row(name, MAJORITY, choices == majority, mask, documents, level)
            | _tie_free(choices, majority, mask, [*answers], has_ties=0 in answers and -1 in answers)
        )
    if raters:
        rater_names = rater_names or [f"rater {k}" for k in range(1, len(people) + 1)]
        for name, own, rest in zip(rater_names, people, others, strict=True):
            both = ~np.isnan(own) & ~np.isnan(rest)
            if both.any():
                accuracies.append(_share_row(name, LEFT_OUT, own == rest, both, documents, level))
    own, low, high, reference, compared, value, enough = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    beside = Beside(
        names, own, *(np.where(enough, end, np.nan) for end in (low, high)), reference, list(compared), value,
        lambda level: _stacked([ratio_ends(*one, level, of=documents) for one in apart]), enough,
        ["" if there else f"too few {units}s; it takes {FEW_ITEMS}" for there in enough],
    )  # fmt: skip
    verdicts = _verdicts(
        beside, gaps, settings, raters=raters, margin=settings.delta / 2, lines=lines,
        n_judged=int((~np.isnan(people).all(axis=0)).sum()),
        estimand=f"exact agreement over {counted(len(majority), units)}",
    )  # fmt: skip
    note = "A tie is a choice, and opposite answers of a judge in the two orders are a tie."
    note += " With each rater left out in turn, an item counts once for each." * raters
    title = "How often does a judge choose as most people do?"
    return verdicts, Section("accuracy", title, pd.DataFrame(accuracies), note)


def _share_row(name, against, right, weights, documents, confidence_level) -> dict[str, object]:
    right = np.where(weights, right, 0)
    ends = share_ends(right, weights, confidence_level, of=documents)
    value = float(right.sum() / (weights.sum() or np.nan))
    return {
        "metric": name,
        "against": against,
        "value": value,
        **end_columns(ends),
        "n_pairs": int(weights.sum()),
    }


def _tie_free(choices, majority, mask, answers, *, has_ties: bool) -> dict[str, float]:
    """Cohen's κ of choices with the majority, and the share of agreement where neither is a tie."""
    table = confusion_tables(
        *np.where(mask, [choices, majority], np.nan)[:, None], np.array(sorted(answers))
    ).sum(axis=0)
    kappa = float(kappa_of_tables(table, np.eye(len(table)))[1])
    if not has_ties:
        return {"kappa": kappa}
    decided = table[np.ix_([0, 2], [0, 2])]
    return {"kappa": kappa, "untied": float(np.trace(decided) / (decided.sum() or np.nan))}


def _first(names, sides, settings) -> Iterator[Section | LeftOut]:
    """Section on judges' preference for the first output, of pairs shown in both orders."""
    rows, lacking = [], []
    for name, orders in zip(names, sides.by_order, strict=True):
        # in one order only, the first may be the better one
        has_both_orders = (~np.isnan(orders)).all(axis=0)
        if not has_both_orders.any():
            lacking.append(name)
            continue
        took = has_both_orders & (orders != 0)
        first = np.stack([orders[0] > 0, orders[1] < 0]) & took
        row = _share_row(
            name, "", first.sum(axis=0), took.sum(axis=0), sides.documents, settings.confidence_level
        )
        del row["against"]
        rows.append(row)
    if lacking:
        yield LeftOut(
            f"whether {joined(lacking)} {'prefers' if len(lacking) == 1 else 'prefer'} the first",
            "every pair was shown in one order only, so the first may often have been the better one; show "
            "the same pairs with first and second exchanged",
        )
    if rows:
        note = "Of choices on pairs shown in both orders, ties left out."
        yield Section("first", "Does a judge prefer what it is shown first?", pd.DataFrame(rows), note)


def report_people(reading: Reading, settings: Settings) -> Unranked | None:
    """Report on the agreement of two raters or more where there is no judge; None for other data.

    Parameters
    ----------
    reading : Reading
    settings : Settings
    """
    level = settings.confidence_level
    if reading.kind == "pairs" and not len(reading.pairs.judges.indexes["judge"]):
        ratings, names = (
            np.sign(reading.pairs.people.to_numpy() - 0.5),
            list(reading.pairs.people.indexes["rater"]),
        )
        places, units, answers = pd.factorize(reading.pairs.items["document"])[0], "pair", [-1, 0, 1]
    elif reading.kind == "one_system" and set(reading.labels["role"]) == {"person"}:
        as_judges = pd.concat([reading.labels, reading.labels.assign(role="judge")])
        sides = pair_labels(as_judges)
        ratings, names, units = sides.ratings, list(sides.judges.columns), "item"
        places, answers = np.arange(ratings.shape[1]), [*range(len(sides.names))]
    elif (
        reading.kind in ("ranking", "two_systems")
        and not reading.benchmark.metrics
        and reading.benchmark.ratings
    ):
        rated = reading.benchmark.rated(reading.benchmark.judgments[0])
        ratings, names = rated.to_numpy(), list(rated.indexes["rater"])
        units, answers = "document", []
    else:
        return None
    if len(ratings) < 2:
        return None
    rows = []
    for k, name in enumerate(names):
        rest = np.delete(ratings, k, axis=0)
        if answers:
            others = majority_of(rest, answers)
            both = ~np.isnan(ratings[k]) & ~np.isnan(others)
            own = [*_share_row(name, "", ratings[k] == others, both, places, level).values()][2:5]
        else:
            own = _correlation_with(ratings[k], mean_of(rest), settings)
        rows.append((name, *own))
    table = pd.DataFrame(rows, columns=["metric", "own", "own_low", "own_high"]).assign(
        verdict="",
        because="",
        compared_with=LEFT_OUT,
        reference=np.nan,
        value=np.nan,
        low=np.nan,
        high=np.nan,
    )
    table = table.sort_values("own", ascending=False, kind="stable", ignore_index=True)
    what = "exact agreement" if answers else COEFFICIENT_LABELS[settings.coefficient]
    n_systems, n_documents = ratings.shape[-2:] if ratings.ndim == 3 else (1, ratings.shape[1])
    ranked = n_systems > 2
    over = (
        f"systems, of means over {counted(n_documents, 'document')}"
        if ranked
        else f"{n_documents:,} {units}s"
    )
    verdicts = Verdicts(
        PEOPLE, f"{what} over {over}", table,
        {"metric": "rater", "own": f"with the other raters [{percent(level, None)}]"}, 0.0,
        ("There is no judge here: a column or a file of its scores would be held against these people.",),
        "Each rater is correlated with the mean of the others, or held against their majority.", level,
    )  # fmt: skip
    flat = ratings.reshape(len(ratings), -1)
    people = people_section([*agreement_rows(flat, has_order=not answers)])
    sizes = (
        f"{n_systems} systems x {counted(n_documents, units)}"
        if n_systems > 1
        else counted(n_documents, units)
    )
    return Unranked(
        _subject(0, len(names), sizes), verdicts, (people, LeftOut("a verdict", "there is no judge")),
        f"Intervals are {percent(level, None)} intervals. Seed {settings.seed}.", (n_systems, n_documents),
    )  # fmt: skip


def _correlation_with(
    rater: np.ndarray, others: np.ndarray, settings: Settings
) -> tuple[float, float, float]:
    """Correlation of a rater with the others' mean: over systems, or over items."""
    is_ranked = rater.ndim == 2 and len(rater) > 2
    planes = (rater, others) if is_ranked else (rater.reshape(1, -1), others.reshape(1, -1))
    kind = {"level": "system" if is_ranked else "global", "coefficient": settings.coefficient}
    resample = "both" if is_ranked and rater.shape[1] > 1 else "systems" if is_ranked else "inputs"
    drawn = bootstrap_distribution(*planes, resample=resample, **kind, **settings.draws)
    ends = own_ends(drawn, settings.confidence_level)
    return float(correlate(*planes, **kind).value), ends.low, ends.high
