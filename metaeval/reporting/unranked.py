"""reporting.unranked: reports without a ranking: labels, two systems, choices, and people alone.

The rule is that of `metaeval.reporting.verdict`, over items, documents and pairs, which are resampled; these
data support no statement about other systems, and every report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.reporting.corrected import mean_sections
from metaeval.reporting.missing_scores import JUDGED, covers, gap
from metaeval.reporting.paired_labels import (
    AUC,
    CHOICES,
    CORRELATION,
    KAPPA,
    Sides,
    clusters_of,
    is_binary,
    majority_of,
    measure_agreement,
    own_ends,
    pair_answers,
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
    pivot_quantities,
    same_grades,
)
from metaeval.reporting.verdict import (
    CONSTANT,
    FEW_ITEMS,
    NO,
    OPEN,
    YES,
    Beside,
    Verdicts,
    decide,
)
from metaeval.stats.agreement import confusion_tables, kappa_of_tables
from metaeval.stats.clusters import (
    MIN_CLUSTERS,
    cluster_ends,
    correlation_influence,
    design_effect,
    group_items,
)
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import calibration
from metaeval.stats.intervals import NO_ENDS, Ends
from metaeval.stats.reliability import compare_with_raters, mean_of
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.ties import SCORE_TIE, signs
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import RATER, counted, joined, leaves_out, percent

INTERVAL = ("value", *Ends._fields)
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


def report_answers(reading: Reading, settings: Settings) -> Unranked:
    """Report on judges' labels, scores or choices, of one system's items or of pairs of outputs.

    Parameters
    ----------
    reading : Reading of the kind one_system or pairs
    settings : Settings

    Raises
    ------
    DataError
        If there are no answers by people, or by judges.
    """
    sides = pair_answers(reading)
    lengths = {name: sides.judges[name] for name in reading.lengths}
    sides = replace(sides, judges={name: sides.judges[name] for name in reading.judges})
    lines = [f"People are split on {counted(n, sides.units)}."] if (n := int(sides.split.sum())) else []
    if reading.clusters:
        lines += cluster_lines(sides)
    if sides.answers:
        return _report_choices(reading, sides, lines, settings)
    return _report_numbers(reading, sides, lengths, lines, settings)


def _subject(n_judges: int, sides: Sides) -> str:
    judges = f"{counted(n_judges, 'judge')} and " if n_judges else ""
    what = "of one system" if sides.units == "item" else "of outputs"
    return f"{judges}{counted(len(sides.raters), 'rater')} on {counted(len(sides.gold), sides.units)} {what}"


def _report_choices(reading: Reading, sides: Sides, lines: list[str], settings: Settings) -> Unranked:
    """Report on answers without an order: agreement with most people, and preference for the first output."""
    is_pairs = sides.units == "pair"
    verdicts, accuracy = _answers_in_shares(sides, settings, lines)
    parts = [accuracy, *(_first(sides, settings) if is_pairs else ())]
    parts += pairwise_section(reading, verdicts.table, settings)
    if len(sides.raters) > 1:
        parts.append(people_section([*agreement_rows(sides.ratings, has_order=False)]))
    shape = (1, len(sides.gold))
    if is_pairs:
        items = reading.pairs.items
        shape = len({*items["first"], *items["second"]}), int(sides.clusters.max()) + 1
    return Unranked(
        _subject(len(sides.judges), sides), verdicts, (*parts, RANKED_BY_VOTES if is_pairs else OTHERS),
        "A judge's choices are held against the majority of people's. Shares have Clopper and Pearson's "
        "intervals, corrected for items with several pairs (Korn and Graubard), and differences Student's t "
        f"over items{' with all their pairs' * is_pairs}; both are "
        f"{percent(settings.confidence_level, None)} intervals. People's raters are not drawn again. Seed "
        f"{settings.seed}.",
        shape, None if is_pairs else "agreement",
    )  # fmt: skip


def _report_numbers(
    reading: Reading, sides: Sides, lengths: dict[str, np.ndarray], lines: list[str], settings: Settings
) -> Unranked:
    """Report on labels that pass or fail, and on scores."""
    names, scores = [*sides.judges], np.stack([*sides.judges.values()])
    has_two_ratings = (~np.isnan(sides.ratings)).sum(axis=0) > 1
    raters = bool(has_two_ratings.sum() >= FEW_ITEMS)
    both = ~np.isnan(scores) & ~np.isnan(sides.gold)
    lacks = [sides.lack(mask & (has_two_ratings | (not raters))) for mask in both]
    because = [lack and f"too few items; {lack}" for lack in lacks]
    build = _raters_beside if raters else _lengths_beside
    code, measure, beside = build(reading, sides, lengths, because, settings)
    n_judged = int((~np.isnan(sides.ratings).all(axis=0)).sum())
    verdicts = decide(
        beside, [sides.gap(name, settings.confidence_level) for name in names], raters=raters,
        margin=settings.delta, n_judged=n_judged, confidence_level=settings.confidence_level,
        estimand=f"{measure} over {counted(n_judged, 'item')}", lines=lines,
        has_words=sides.binary or settings.coefficient == "kendall",
    )  # fmt: skip
    if sides.binary:
        parts = [*_rates(reading, sides, settings), *_calibration(sides, settings)]
    else:
        title = "Does a judge score high what people score high?"
        rows = [{"metric": name, **_with_people(reading, name, settings)} for name in names]
        parts = [
            Section("items", title, pd.DataFrame(rows).drop(columns="measure")),
            *same_grades(names, sides.planes(scores), sides.planes(sides.ratings), settings),
        ]
    parts += mean_sections(
        {name: plane[None] for name, plane in sides.judges.items()}, sides.people[None], settings,
        units="item", clusters=sides.together,
    )  # fmt: skip
    if len(sides.raters) > 1:
        parts.append(people_section([*agreement_rows(sides.ratings)]))
    parts += pairwise_section(reading, verdicts.table, settings)
    if lengths:
        title = "What would scores that judge nothing reach?"
        rows = [{"sentinel": name, **_with_people(reading, name, settings)} for name in lengths]
        parts.append(Section("trivial", title, pd.DataFrame(rows)))
    return Unranked(
        _subject(len(names), sides), verdicts, (*parts, OTHERS),
        f"A judge's labels of one system's items are held against people's{' majority' * sides.binary}, with "
        f"{percent(settings.confidence_level, None)} intervals: of correlations by {settings.n_resamples:,} "
        "bootstrap draws of items, of shares Clopper and Pearson's, of κ by draws of the table of labels "
        f"from a Dirichlet distribution, of areas Newcombe's (2006). Seed {settings.seed}.",
        (1, len(sides.gold)), code,
    )  # fmt: skip


def cluster_lines(sides: Sides) -> list[str]:
    """Lines on the design effect of each judge's agreement with people; none where units are independent.

    Notes
    -----
    Of the units that a judge and people both answered, a line for all judges with as many of them. Agreement
    is equality where answers have no order, or a judge gives people's labels or both pass or fail, else the
    correlation.
    """
    worth, units = {}, sides.units
    for name, scores in sides.judges.items():
        both = ~np.isnan(scores) & ~np.isnan(sides.gold)
        own, gold, of = scores[both], sides.gold[both], sides.clusters[both]
        n, n_clusters = len(of), len(np.unique(of))
        if n_clusters == n:
            continue
        alike = (own == gold) * 1.0
        same = sides.answers or is_binary(np.r_[own, gold]) or np.isin(own, gold).all()
        effect = design_effect(alike - alike.mean() if same else correlation_influence(own, gold), of)
        text = f"{name} {effect:.1f} ({counted(round(n / effect), units)})"
        worth.setdefault((n, n_clusters), {})[name] = text
    lines = []
    for (n, n_clusters), effects in worth.items():
        sizes = f"{counted(n, units)} hang together in {counted(n_clusters, 'cluster')}"
        if n_clusters < MIN_CLUSTERS and not sides.answers:
            lines.append(f"{sizes}, and an answer takes {MIN_CLUSTERS}: {joined([*effects])}.")
            continue
        lines.append(
            f"{sizes}, which are drawn as a whole; design effect of the agreement, and independent "
            f"{units}s that say as much: {', '.join(effects.values())}."
        )
    return lines


def _raters_beside(reading, sides, lengths, because, settings) -> tuple[str, str, Beside]:
    """Judges of items beside a rater, both held against the other raters; and the measure with its name."""
    names, scores = [*sides.judges], np.stack([*sides.judges.values()])
    has_rating = ~np.isnan(sides.ratings).all(axis=0)
    passes = sides.binary and is_binary(scores)
    # on the items that a judge labelled, including those on which people are split
    judges, ratings, people = (
        sides.planes(side, has_rating) for side in (scores, sides.ratings, mean_of(sides.ratings))
    )
    result = compare_with_raters(
        judges, ratings, resample="inputs", level="global",
        # for labels all coefficients are φ, and Pearson's is the fastest
        coefficient="pearson" if passes else settings.coefficient,
        confidence_level=settings.confidence_level, **settings.draws,
    )  # fmt: skip

    def ends(value, drawn, level: float, **less) -> Ends:
        if sides.together is None:
            return Ends.stacked([own_ends(one, level) for one in drawn])
        each = zip(value, drawn, judges, strict=True)
        return Ends.stacked([cluster_ends(*one, people, level, **less) for one in each])

    beside = Beside(
        names, result.own, ends(result.own, result.own_distribution, settings.confidence_level),
        result.own_ceiling, [RATER] * len(names), result.difference,
        lambda level: ends(result.difference, result.distribution, level, less=people), because,
    )  # fmt: skip
    if passes:
        return "phi", "φ, Kendall's τ of labels,", beside
    return settings.coefficient, COEFFICIENT_LABELS[settings.coefficient], beside


def _lengths_beside(reading, sides, lengths, because, settings) -> tuple[str, str, Beside]:
    """Judges of items beside the best length of texts, or a constant score; and the measure with its name.

    Pass or fail against labels is measured by κ, and where there are scores or lengths by the area under the
    curve; τ of scores without ties, such as lengths, cannot reach 1 with labels.
    """
    has_gold, measure = ~np.isnan(sides.gold), CORRELATION
    if sides.binary:
        measure = AUC if lengths or not is_binary(np.stack([*sides.judges.values()])) else KAPPA
    options = {"measure": measure, "coefficient": settings.coefficient, **settings.draws}
    floor = CHANCE if measure == AUC else 0.0
    own, best = [], []  # the best length as its value, its name, and the agreement of judge and length
    for name, plane in sides.judges.items():
        own.append(measure_agreement(reading, [name], **options))
        pairs = [
            (length, measure_agreement(reading, [name, length], **options))
            for length, values in lengths.items()
            if covers(values, has_gold & ~np.isnan(plane))
        ]
        rivals = [(pair.value[1], length, pair) for length, pair in pairs if pair.value[1] > floor]
        best.append(max(rivals, key=lambda rival: rival[0], default=(floor, CONSTANT, None)))

    def ends(level: float) -> Ends:
        above = []
        for one, (_, _, pair) in zip(own, best, strict=True):
            low, high, *errors = one.ends_of(0, level)
            shifted = Ends(low - floor, high - floor, *errors)
            above.append(shifted if pair is None else pair.difference_of(level))
        return Ends.stacked(above)

    references, compared, _ = zip(*best, strict=True)
    value, reference = np.array([one.value[0] for one in own]), np.array(references)
    name = own[0].name + (f" (a constant score: {CHANCE:g})" if measure == AUC else "")
    own_ends = Ends.stacked([one.ends(0, settings.confidence_level) for one in own])
    beside = Beside([*sides.judges], value, own_ends, reference, compared, value - reference, ends, because)
    return measure if sides.binary else settings.coefficient, name, beside


def _with_people(
    reading: Reading, name: str, settings: Settings, measure: str | None = None
) -> dict[str, object]:
    """Agreement of scores with people, as cells of a table."""
    options = {"measure": measure, "coefficient": settings.coefficient, **settings.draws}
    one = measure_agreement(reading, [name], **options)
    ends = one.ends_of(0, settings.confidence_level)
    return {"measure": one.name, "value": float(one.value[0]), **ends.columns()}


def _rates(reading: Reading, sides: Sides, settings: Settings) -> Iterator[Section | LeftOut]:
    """Section on the rates at which judges pass what people pass."""
    gold = sides.gold
    has_gold = ~np.isnan(gold)
    if not has_gold.any():
        yield LeftOut("how often a judge agrees with people", "as many people pass as fail each item")
        return
    rows = []
    for judge, scores in sides.judges.items():
        passes, own = is_binary(scores), []
        if passes:
            here, right = ~np.isnan(scores) & has_gold, scores == gold
            cases = [(gold, here), (scores, here), (right, here)]
            cases += [(right, here & (gold == kind)) for kind in (1, 0)]
            shares = [_share(*case, sides.clusters, settings.confidence_level) for case in cases]
            own = [{"quantity": name, **one} for name, one in zip(SHARES, shares, strict=True)]
        for measure in (KAPPA, AUC) if passes else (AUC,):
            row = _with_people(reading, judge, settings, measure)
            own.append({"quantity": row.pop("measure"), **row})
        rows += [{"metric": judge, **row} for row in own]
    quantities = {row["quantity"] for row in rows}
    names = [name for name in IN_SUMMARY if name != "AUC" or "Cohen's κ" not in quantities]
    short = pivot_quantities(rows, dict(zip(names, names, strict=True)))
    table = pd.DataFrame(rows).drop(columns="n_pairs", errors="ignore")
    yield Section("rates", "How often does a judge agree with people?", table, short_table=short)


def _calibration(sides: Sides, settings: Settings) -> Iterator[Section]:
    """Section on the shares that people pass of items with similar scores by a judge."""
    n_bins = max(2, min(MAX_BINS, int((~np.isnan(sides.gold)).sum()) // FEW_ITEMS))
    frames = []
    for judge, scores in sides.judges.items():
        options = {"clusters": sides.together, "confidence_level": settings.confidence_level}
        curve = calibration(scores, sides.gold, n_bins=n_bins, **options)
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
            {"metric": first, "against": second, "measure": both.name, "value": value, **ends.columns()}
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
    benchmark, lengths, level = reading.benchmark, reading.lengths, settings.confidence_level
    require_sides(benchmark.metrics, ["people"])
    first, second = benchmark.systems
    judged = benchmark.scores.to_numpy()
    human = benchmark.human.to_numpy() if benchmark.judgments else np.full(judged.shape[1:], np.nan)
    people, over = _difference(human), counted(human.shape[1], "document")
    of = clusters_of(benchmark.documents, reading.clusters)

    def difference(name: str, values: np.ndarray) -> dict[str, object]:
        there = ~np.isnan(values)
        ends = NO_ENDS if there.sum() < FEW_ITEMS else ratio_ends(values, there, level, of=of)
        value = float(values[there].mean()) if there.any() else np.nan
        return {"metric": name, "value": value, **ends.columns(), "n_documents": int(there.sum())}

    theirs = difference("people", people)
    differences, agreements, rows, lines, apart = [theirs], [], [], [], {}
    for judge, values in zip(benchmark.metrics, map(_difference, judged), strict=True):
        row = difference(judge, values)
        differences.append(row)
        if judge in lengths:
            continue
        apart[judge] = values[None]
        options = {"confidence_level": level, "units": "documents", "does": JUDGED}
        missing = gap(values[None], people[None], **options)
        reference = difference("people", np.where(np.isnan(values), np.nan, people)) if missing else theirs
        sides = [_sign(one) for one in (row, reference)]
        word = OPEN if 0 in sides else YES if sides[0] == sides[1] else NO
        because = "" if benchmark.judgments else "people's scores are not here"
        if missing and word != OPEN and _sign(theirs) != sides[1]:
            word, because = OPEN, "it skipped what people rate otherwise"
        lines += [missing.describe(judge)] if missing else []
        rows.append(
            {
                "metric": judge, "verdict": word, "compared_with": "people", "own": row["value"],
                **{f"own_{end}": row[end] for end in ("low", "high")}, "reference": reference["value"],
                **{f"reference_{end}": reference[end] for end in ("low", "high")},
                **{key: row[key] for key in INTERVAL}, "because": because,
                "n_scored": missing.n_scored if missing else len(people), "n_judged": len(people),
            }
        )  # fmt: skip
        same = signs(values, SCORE_TIE) * signs(people, SCORE_TIE)
        agreements.append({"metric": judge, **_share(same > 0, np.abs(same) == 1, of, level)})
    shares = pd.DataFrame(agreements).rename(columns={"n_pairs": "n_documents"})
    level = percent(level, None)
    verdicts = Verdicts(
        SAME, f"{first} minus {second}, mean over {over}, each on its own scale", pd.DataFrame(rows),
        {"metric": "judge", "own": f"by the judge [{level}]", "reference": f"by people [{level}]",
        "verdict": "answer"},
        0.0, tuple(lines),
        f"Yes if the {level} intervals of the judge and of people lie on the same side of 0, no if on "
        "different sides, else open. One difference is no ranking.",
        settings.confidence_level, is_own_scale=True,
    )  # fmt: skip
    parts = (
        Section("difference", "By how much is one system better?", pd.DataFrame(differences)),
        *mean_sections(
            apart, people[None], settings, units="document", clusters=of if reading.clusters else None
        ),
        Section(
            "documents", "On how many documents do a judge and people favour the same system?", shares,
            "Of the documents on which neither scores both systems alike.",
        ),
        OTHERS,
    )  # fmt: skip
    return Unranked(
        f"{counted(len(rows), 'judge')} and people on 2 systems x {over}", verdicts, parts,
        f"Two systems are compared by their mean difference over documents, with {level} intervals by "
        "Student's t over documents, and shares of them with Clopper and Pearson's; people's raters are not "
        f"drawn again. Seed {settings.seed}.",
        (2, len(people)),
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


def _answers_in_shares(sides: Sides, settings: Settings, lines: Sequence[str]) -> tuple[Verdicts, Section]:
    """Answers on choices without an order, and the shares of those that agree with others.

    Where enough is chosen by two people, judge and rater are held against the majority of the other raters,
    each rater left out in turn; else the judge's agreement with the majority against the best single answer.
    A margin of Kendall's tau is twice that of a share of pairs.
    """
    people, majority, of, answers = sides.ratings, sides.gold, sides.clusters, sides.answers
    others = [majority_of(np.delete(people, rater, axis=0), [*answers]) for rater in range(len(people))]
    shared = ~np.isnan(people) & ~np.isnan(others)
    raters, level = bool(shared.sum() >= FEW_ITEMS), settings.confidence_level
    rows, apart, accuracies = [], [], []
    for name, choices in sides.judges.items():
        mask = ~np.isnan(choices) & ~np.isnan(majority)
        if raters:  # also on pairs without a majority of all raters
            held = shared & ~np.isnan(choices)
            weights, compared = held.sum(axis=0) * 1.0, RATER
            mine, theirs = ((held & (one == others)).sum(axis=0) * 1.0 for one in (choices, people))
            accuracies.append({"metric": name, "against": LEFT_OUT, **_share(mine, weights, of, level)})
        else:
            trivial = max(answers, key=lambda answer: (majority[mask] == answer).sum())
            weights, mine, theirs = mask * 1.0, (choices == majority) * 1.0, (majority == trivial) * 1.0
            compared = f"always {answers[trivial] if answers is CHOICES else repr(answers[trivial])}"
        with np.errstate(invalid="ignore"):
            own, reference = (np.where(weights, side, 0.0).sum() / weights.sum() for side in (mine, theirs))
            each = np.where(weights, (mine - theirs) / weights, 0.0) if raters else mine - theirs
        because = "" if mask.sum() >= FEW_ITEMS else f"too few {sides.units}s; it takes {FEW_ITEMS}"
        rows.append((own, share_ends(mine, weights, level, of=of), reference, compared, because))
        apart.append((each, weights))
        share = _share(choices == majority, mask, of, level) | _tie_free(choices, majority, mask, answers)
        accuracies.append({"metric": name, "against": MAJORITY, **share})
    for name, own, rest, both in zip(sides.raters, people, others, shared, strict=True):
        if raters and both.any():
            accuracies.append({"metric": name, "against": LEFT_OUT, **_share(own == rest, both, of, level)})
    own, ends, reference, compared, because = zip(*rows, strict=True)
    own, reference = np.array(own), np.array(reference)
    beside = Beside(
        [*sides.judges], own, Ends.stacked(ends), reference, compared, own - reference,
        lambda level: Ends.stacked([ratio_ends(*one, level, of=of) for one in apart]), because,
    )  # fmt: skip
    verdicts = decide(
        beside, [sides.gap(name, level) for name in sides.judges], raters=raters, margin=settings.delta / 2,
        lines=lines, confidence_level=level, n_judged=int((~np.isnan(people).all(axis=0)).sum()),
        estimand=f"exact agreement over {counted(len(majority), sides.units)}",
    )  # fmt: skip
    note = "A tie is a choice, and opposite answers of a judge in the two orders are a tie."
    note += " With each rater left out in turn, an item counts once for each." * raters
    title = "How often does a judge choose as most people do?"
    return verdicts, Section("accuracy", title, pd.DataFrame(accuracies), note)


def _share(right, weights, of, confidence_level) -> dict[str, object]:
    """Share of units that are right with its interval, as cells of a table, and the number of units."""
    right = np.where(weights, right, 0)
    ends = share_ends(right, weights, confidence_level, of=of)
    value = float(right.sum() / (weights.sum() or np.nan))
    return {"value": value, **ends.columns(), "n_pairs": int(weights.sum())}


def _tie_free(choices, majority, mask, answers) -> dict[str, float]:
    """Cohen's κ of choices with the majority, and the share of agreement where neither is a tie."""
    sides = np.where(mask, [choices, majority], np.nan)[:, None]
    table = confusion_tables(*sides, np.array(sorted(answers))).sum(axis=0)
    kappa = float(kappa_of_tables(table, np.eye(len(table)))[1])
    if answers is not CHOICES:
        return {"kappa": kappa}
    decided = table[np.ix_([0, 2], [0, 2])]
    return {"kappa": kappa, "untied": float(np.trace(decided) / (decided.sum() or np.nan))}


def _first(sides: Sides, settings: Settings) -> Iterator[Section | LeftOut]:
    """Section on judges' preference for the first output, of pairs shown in both orders."""
    rows, lacking = [], []
    for name, orders in zip(sides.judges, sides.by_order, strict=True):
        # in one order only, the first may be the better one
        has_both_orders = (~np.isnan(orders)).all(axis=0)
        if not has_both_orders.any():
            lacking.append(name)
            continue
        took = has_both_orders & (orders != 0)
        first = np.stack([orders[0] > 0, orders[1] < 0]) & took
        share = _share(first.sum(axis=0), took.sum(axis=0), sides.clusters, settings.confidence_level)
        rows.append({"metric": name, **share})
    if lacking:
        yield LeftOut(
            f"whether {joined(lacking)} {'prefers' if len(lacking) == 1 else 'prefer'} the first",
            "every pair was shown in one order only, so the first may often have been the better one; show "
            "the same pairs with first and second exchanged",
        )
    if rows:
        note = "Of choices on pairs shown in both orders, ties left out."
        title = "Does a judge prefer what it is shown first?"
        yield Section("first", title, pd.DataFrame(rows), note)


def report_people(reading: Reading, settings: Settings) -> Unranked | None:
    """Report on the agreement of two raters or more where there is no judge; None for other data.

    Parameters
    ----------
    reading : Reading
    settings : Settings
    """
    level, benchmark = settings.confidence_level, reading.benchmark
    answers, places = {}, None
    if reading.sides[0] or (benchmark is not None and not benchmark.ratings):
        return None
    if benchmark is None:
        sides = pair_answers(reading, people_alone=True)
        ratings, names, places, answers = sides.ratings, sides.raters, sides.clusters, sides.answers
        units, n_systems = sides.units, 1
    else:
        rated = benchmark.rated(benchmark.judgments[0])
        ratings, names, units = rated.to_numpy(), rated.indexes["rater"], "document"
        n_systems = ratings.shape[1]
    if len(ratings) < 2:
        return None
    rows = []
    for k, name in enumerate(names):
        rest = np.delete(ratings, k, axis=0)
        if answers:
            others = majority_of(rest, [*answers])
            both = ~np.isnan(ratings[k]) & ~np.isnan(others)
            share = _share(ratings[k] == others, both, places, level)
            own = share["value"], share["low"], share["high"]
        else:
            own = _correlation_with(ratings[k], mean_of(rest), places, settings)
        rows.append((name, *own))
    table = pd.DataFrame(rows, columns=["metric", "own", "own_low", "own_high"]).assign(
        verdict="", because="", compared_with=LEFT_OUT,
        **dict.fromkeys(("reference", "value", "low", "high"), np.nan),
    )  # fmt: skip
    table = table.sort_values("own", ascending=False, kind="stable", ignore_index=True)
    what = "exact agreement" if answers else COEFFICIENT_LABELS[settings.coefficient]
    sizes = counted(ratings.shape[-1], units)
    over = f"systems, of means over {sizes}" if n_systems > 2 else sizes
    verdicts = Verdicts(
        PEOPLE, f"{what} over {over}", table,
        {"metric": "rater", "own": f"with the other raters [{percent(level, None)}]"}, 0.0,
        ("There is no judge here: a column or a file of its scores would be held against these people.",),
        "Each rater is correlated with the mean of the others, or held against their majority.", level,
    )  # fmt: skip
    people = people_section([*agreement_rows(ratings.reshape(len(ratings), -1), has_order=not answers)])
    on = f"{n_systems} systems x {sizes}" if n_systems > 1 else sizes
    return Unranked(
        f"{counted(len(names), 'rater')} on {on}", verdicts,
        (people, LeftOut("a verdict", "there is no judge")),
        f"Intervals are {percent(level, None)} intervals. Seed {settings.seed}.",
        (n_systems, ratings.shape[-1]),
    )  # fmt: skip


def _correlation_with(
    rater: np.ndarray, others: np.ndarray, clusters: np.ndarray | None, settings: Settings
) -> tuple[float, float, float]:
    """Correlation of a rater with the others' mean: over systems, or over items in clusters."""
    is_ranked = rater.ndim == 2 and len(rater) > 2
    of = np.arange(rater.size) if clusters is None else clusters
    planes = (rater, others) if is_ranked else [group_items(side.ravel(), of) for side in (rater, others)]
    kind = {"level": "system" if is_ranked else "global", "coefficient": settings.coefficient}
    resample = "both" if is_ranked and rater.shape[1] > 1 else "systems" if is_ranked else "inputs"
    drawn = bootstrap_distribution(*planes, resample=resample, **kind, **settings.draws)
    value, ends = float(correlate(*planes, **kind).value), own_ends(drawn, settings.confidence_level)
    if not is_ranked and len(planes[0]) > 1:
        ends = cluster_ends(value, drawn, *planes, settings.confidence_level)
    return value, ends.low, ends.high
