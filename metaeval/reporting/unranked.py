"""reporting.unranked: reports without a ranking: two systems, choices between two outputs, and shared parts.

One rule decides the verdicts: the position of the interval of a difference. Items, documents and pairs are
resampled; these data support no statement about other systems, and every report says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.reporting.missing_scores import MUCH, Gap, gap
from metaeval.reporting.paired_labels import (
    FEW_ITEMS,
    majority_of,
    means,
    measure_agreement,
    no_ends,
    own_ends,
    pair_choices,
    share_ends,
)
from metaeval.reporting.reading import Reading, require_sides
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import (
    BETTER,
    CANNOT_TELL,
    LEAVES_OUT,
    NOT_BETTER,
    NOT_TRUSTED,
    RATER,
    TRUSTED,
    seed_caution,
)
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.streams import stream
from metaeval.stats.ties import SCORE_TIE, signs
from metaeval.tables.wording import (
    UNDEFINED,
    counted,
    decide_position,
    format_stable,
    is_seed_sensitive,
    joined,
    leaves_out,
    percent,
)

MAX_COMPARED = 5  # best judges that are compared in pairs
NO_INTERVAL = " Items are too few, or all draws give the same, which says nothing of items not seen."
FINDS, OPPOSITE = "finds what people find", "finds the opposite"
LEFT_OUT = "the other raters"
OTHERS = LeftOut(
    "other systems", "every score here is of these, so nothing is said of a ranking or of others"
)


@dataclass(frozen=True, eq=False)
class UnrankedVerdicts:
    """Verdicts on judges without a ranking, the counterpart of `metaeval.reporting.verdict.Verdicts`.

    Attributes
    ----------
    table : DataFrame with columns metric, verdict, compared_with, value, low, high, low_mc_error,
    high_mc_error
    lines : tuple of sentences, one for each judge
    rule : str
    axis : str
        Title of an axis of the values.
    """

    table: pd.DataFrame
    lines: tuple[str, ...]
    rule: str
    axis: str
    ceiling: None = None

    def sentences(self) -> list[str]:
        """A sentence for each judge, with the verdict first."""
        return list(self.lines)


@dataclass(frozen=True, eq=False)
class Unranked:
    """Parts of a report: end of its title, verdicts, sections, methods, sizes, and coefficient."""

    title: str
    verdicts: UnrankedVerdicts
    parts: tuple[Section | LeftOut, ...]
    methods: str
    shape: tuple[int, int]
    coefficient: str | None = None


def end_columns(ends: Ends) -> dict[str, float]:
    """Ends of an interval and their Monte-Carlo errors as columns of a table."""
    return {name: float(value) for name, value in ends._asdict().items()}


def format_ends(row: dict[str, object], *, own_scale: bool = False) -> str:
    """Format a value with its interval; on its own scale with as many decimals as the interval needs."""
    if np.isnan(row["value"]):
        return UNDEFINED
    if np.isnan(row["low"]):
        return f"{format_stable(row['value'], 0.0)} [no interval]"
    length = row["high"] - row["low"]
    digits = max(2, 1 - math.floor(math.log10(length))) if own_scale and length > 0 else 2
    errors = {"value": 0.0, "low": row["low_mc_error"], "high": row["high_mc_error"]}
    value, low, high = (format_stable(row[key], error, digits=digits) for key, error in errors.items())
    return f"{value} [{low}, {high}]"


def ends_with_errors(row: dict[str, object]) -> list[tuple[float, float]]:
    """Ends of an interval, each with its Monte-Carlo error."""
    return [(row[end], row[f"{end}_mc_error"]) for end in ("low", "high")]


def summarize_rows(
    rows: list[dict], what: str, rule: str, delta: float, gaps: Mapping[str, str]
) -> UnrankedVerdicts:
    """Verdicts from rows of `judge_row`, the best first; `gaps` has sentences on missing answers."""
    rows = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))
    lines = []
    for row in rows:
        lines.append(f"{row['metric']}: {row['verdict']}. ")
        if np.isnan(row["value"]):
            lines[-1] += "Nothing can be computed; does it, or do people, say the same of all?"
        else:
            lines[-1] += f"{what}, minus that of {row['compared_with']}: {format_ends(row)}."
            lines[-1] += NO_INTERVAL if np.isnan(row["low"]) else seed_caution(ends_with_errors(row), -delta)
            lines[-1] += LEAVES_OUT * bool(leaves_out(row["value"], row["low"], row["high"]))
        lines[-1] += gaps[row["metric"]]
    axis = f"{what}, minus that of what it is held against"
    return UnrankedVerdicts(pd.DataFrame(rows), tuple(lines), rule, axis)


def apply_gap(missing: Gap | None, row: dict[str, object], gaps: dict[str, str]) -> dict[str, object]:
    """A row of `judge_row`, undecided if people answer its missing units differently; fills `gaps`."""
    turned = missing is not None and missing.selective and row["verdict"] in (TRUSTED, BETTER)
    gaps[row["metric"]] = missing.sentence(turned=turned) if missing else ""
    return row | {"verdict": CANNOT_TELL} if turned else row


def gap_rule(gaps: Mapping[str, str], differ: str) -> str:
    """Addition to the rule, after a space, about judges with missing answers; "" without any."""
    return (
        f" A judge that left out {percent(MUCH)} or more of what people answered is not called {TRUSTED} or "
        f"{BETTER} if people {differ}, beyond chance."
    ) * any(gaps.values())


def judge_row(metric, value, drawn, settings, *, raters: bool, than: str, enough: bool) -> dict[str, object]:
    """Row of a judge: the difference from its reference, and the verdict by its interval.

    Parameters
    ----------
    metric : str
    value : float
        Agreement of the judge minus that of `than`.
    drawn : float array (n_resamples,)
        The difference in draws of items.
    settings : Settings
    raters : bool
        True if the reference is a rater, whom it may miss by a margin.
    than : str
        Name of the reference.
    enough : bool
        True if there are enough items for an interval.
    """
    ends = end_columns(own_ends(drawn, settings.confidence_level) if enough else no_ends())
    words = (NOT_TRUSTED, CANNOT_TELL, TRUSTED) if raters else (NOT_BETTER, CANNOT_TELL, BETTER)
    word = decide_position(
        value, ends["low"], ends["high"], at=-settings.delta if raters else 0.0, words=words
    )
    return {"metric": metric, "verdict": word, "compared_with": than, "value": float(value), **ends}


def pairwise_section(reading: Reading, rows: list[dict], settings: Settings) -> list[Section]:
    """Section of pairwise differences between the best judges, as in `metaeval compare`."""
    best = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))[:MAX_COMPARED]
    table, sentences = [], []
    for first, second in combinations([row["metric"] for row in best], 2):
        both = measure_agreement(reading, (first, second), coefficient=settings.coefficient, **settings.draws)
        value, ends = both.difference(settings.confidence_level)
        row = {"metric": first, "against": second, "measure": both.name, "value": value, **end_columns(ends)}
        table.append(row)
        if np.isnan(value):
            sentences.append(f"{first} minus {second}: nothing can be computed ({both.over}).")
        else:
            sentences.append(f"{first} minus {second}: {format_ends(row)} ({both.over}).")
    if not table:
        return []
    sentences.append("Intervals are of each difference by itself, not of all together.")
    return [Section("beside", "Which of two judges is better?", tuple(sentences), pd.DataFrame(table))]


def verdict_rule(what: str, trivial: str, raters: bool, settings: Settings, units: str) -> str:
    """Rule behind the verdicts of `judge_row`.

    Parameters
    ----------
    what : str
        Measure of agreement.
    trivial : str
        Name of the reference without raters.
    raters : see `judge_row`
    settings : Settings
    units : str
    """
    level = percent(settings.confidence_level, None)
    if raters:
        return (
            f"The rule: {what} of the judge, minus that of a single rater, both with the other raters (each "
            f"is left out in turn): {TRUSTED} if the {level} interval of this difference lies above "
            f"-{settings.delta:g}, {NOT_TRUSTED} if it lies below, else {CANNOT_TELL}; with fewer than "
            f"{FEW_ITEMS} {units} always {CANNOT_TELL}."
        )
    return (
        f"The rule: no two people's answers to the same {units} are known, so nothing here is called "
        f"{TRUSTED}. It takes {what} of the judge, minus that of {trivial}: {BETTER} if the {level} "
        f"interval of this difference lies above 0, {NOT_BETTER} if it lies below, else {CANNOT_TELL}; with "
        f"fewer than {FEW_ITEMS} {units} always {CANNOT_TELL}."
    )


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

    def mean(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(values, weights, stream(settings.seed, "documents"), settings.n_resamples)

    def difference(name: str, values: np.ndarray) -> dict[str, object]:
        mask = ~np.isnan(values)
        value, drawn = mean(values, mask)
        n = int(mask.sum())
        ends = no_ends() if n < FEW_ITEMS else percentile_ends(drawn, settings.confidence_level)
        return {"metric": name, "value": float(value), **end_columns(ends), "n_documents": n}

    sides = {judge: _difference(plane) for judge, plane in zip(benchmark.metrics, judged, strict=True)}
    theirs = difference("people", people)
    differences, agreements, rows, lines = [theirs], [], [], []
    for judge, values in sides.items():
        row = difference(judge, values)
        differences.append(row)
        if judge in lengths:
            continue
        missing = gap(
            values[None], people[None], confidence_level=settings.confidence_level, units="documents",
            does="judged",
        )  # fmt: skip
        reference = difference("people", np.where(np.isnan(values), np.nan, people)) if missing else theirs
        both = [_sign(one) for one in (row, reference)]
        word = CANNOT_TELL if 0 in both else FINDS if both[0] == both[1] else OPPOSITE
        turned = missing is not None and word != CANNOT_TELL and _sign(theirs) != both[1]
        word = CANNOT_TELL if turned else word
        than = f"people's difference, {format_ends(reference, own_scale=True)}"
        rows.append(
            {"metric": judge, "verdict": word, "compared_with": than}
            | {key: row[key] for key in ("value", *Ends._fields)}
        )
        by_people = (
            f", people at {format_ends(reference, own_scale=True)}, each on their own scale"
            if benchmark.judgments
            else "; what people say is not here (name their scores with --people)"
        )
        at = format_ends(row, own_scale=True)
        lines.append(f"{judge}: {word}. It puts {first} minus {second} at {at}{by_people}.")
        lines[-1] += _seed_caution_of_both(row, reference)
        if missing:
            lines[-1] += (
                f" These are the {missing.n_scored:,} of {counted(missing.n_judged, 'document')} that it "
                f"judged; over all people are at {format_ends(theirs, own_scale=True)}"
                f"{', so this is undecided' * turned}."
            )
        row = rows[-1]
        same = signs(sides[row["metric"]], SCORE_TIE) * signs(people, SCORE_TIE)
        decisive = np.abs(same) == 1
        n = int(decisive.sum())
        share, ends = (
            (same > 0).sum() / (n or np.nan),
            share_ends(same > 0, decisive, settings.confidence_level),
        )
        agreements.append(
            {"metric": row["metric"], "value": float(share), **end_columns(ends), "n_documents": n}
        )
    rule = (
        f"The rule: {first} minus {second}, the mean over the documents that a judge judged. "
        f"{FINDS.capitalize()} if its and people's {percent(settings.confidence_level, None)} intervals lie "
        f"on the same side of 0, {OPPOSITE} if on different sides, {CANNOT_TELL} if one holds 0 or rests on "
        f"fewer than {FEW_ITEMS} documents. One difference is no ranking, and nothing here is called "
        f"{TRUSTED}."
    )
    return Unranked(
        f"{counted(len(rows), 'judge')} against people on one difference, {first} minus {second}, "
        f"{counted(n_documents, 'document')}",
        UnrankedVerdicts(pd.DataFrame(rows), tuple(lines), rule, f"score of {first} minus that of {second}"),
        (
            Section(
                "difference", "By how much is one system better?",
                tuple(f"{row['metric']}: {format_ends(row, own_scale=True)}." for row in differences),
                pd.DataFrame(differences),
            ),
            Section(
                "documents", "On how many documents do a judge and people favour the same system?",
                tuple(
                    f"{row['metric']} and people: on {format_ends(row)} of the {row['n_documents']:,} "
                    "documents on which neither scores both systems alike."
                    for row in agreements
                ),
                pd.DataFrame(agreements),
            ),
            OTHERS,
        ),
        "Two systems are compared by their mean difference over documents, with "
        f"{percent(settings.confidence_level, None)} percentile intervals of {settings.n_resamples:,} "
        "bootstrap draws of documents, and shares of them with Clopper and Pearson's; people's raters are "
        f"not drawn again. Seed {settings.seed}.",
        (2, n_documents),
    )  # fmt: skip


def _difference(scores: np.ndarray) -> np.ndarray:
    """Scores of the first system minus the second; 0 for equal decimal numbers."""
    differences = scores[0] - scores[1]
    return np.where(signs(differences, SCORE_TIE) == 0, 0.0, differences)


def _seed_caution_of_both(row: dict[str, object], theirs: dict[str, object]) -> str:
    """Caution about the seed; it changes no verdict if one of both intervals holds 0 under any seed."""
    near = [any(is_seed_sensitive(*end, 0.0) for end in ends_with_errors(one)) for one in (row, theirs)]
    fixed_by_one = any(
        not _sign(one) and not sensitive for one, sensitive in zip((row, theirs), near, strict=True)
    )
    return seed_caution(ends_with_errors(row) + ends_with_errors(theirs), math.nan if fixed_by_one else 0.0)


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
    names = pairs.judges.indexes["judge"]
    sides = pair_choices(pairs)
    people, by_order, majority, documents = sides.people, sides.by_order, sides.majority, sides.documents
    others = [majority_of(np.delete(people, rater, axis=0)) for rater in range(len(people))]
    n_overlap = sum(
        int((~np.isnan(own) & ~np.isnan(rest)).sum()) for own, rest in zip(people, others, strict=True)
    )
    raters = n_overlap >= FEW_ITEMS

    def share(right: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(right, mask, stream(settings.seed, "documents"), settings.n_resamples, of=documents)

    def share_row(name: str, right: np.ndarray, mask: np.ndarray, **more: object) -> dict[str, object]:
        value = np.where(mask, right, 0).sum() / (mask.sum() or np.nan)
        ends = share_ends(right, mask, settings.confidence_level, of=documents)
        return {
            "metric": name,
            **more,
            "value": float(value),
            **end_columns(ends),
            "n_pairs": int(mask.sum()),
        }

    rows, accuracies, firsts, gaps = [], [], [], {}
    answers = {-1: "always the second", 0: "always a tie", 1: "always the first"}
    for judge, choices, orders in zip(names, sides.judges, by_order, strict=True):
        mask = ~np.isnan(choices) & ~np.isnan(majority)
        enough = mask.sum() >= FEW_ITEMS
        if raters:  # also on pairs without a majority of all raters
            each = [
                (
                    ~np.isnan(own) & ~np.isnan(rest) & ~np.isnan(choices),
                    (choices == rest) * 1.0 - (own == rest),
                )
                for own, rest in zip(people, others, strict=True)
            ]
            n = sum(both * 1.0 for both, _ in each)
            value, drawn = share(sum(np.where(both, apart, 0.0) for both, apart in each), n)
            than = RATER
            right = sum(both & (choices == rest) for (both, _), rest in zip(each, others, strict=True))
            accuracies.append(share_row(judge, right, n, against=LEFT_OUT))
        else:
            # on the pairs that it judged
            trivial = max(answers, key=lambda answer: (majority[mask] == answer).sum())
            value, drawn = share((choices == majority) * 1.0 - (majority == trivial), mask)
            than = f"the answer {answers[trivial]!r}"
        row = judge_row(judge, value, drawn, settings, raters=raters, than=than, enough=enough)
        missing = sides.gap(len(rows), settings.confidence_level)
        rows.append(apply_gap(missing, row, gaps))
        accuracies.append(share_row(judge, choices == majority, mask, against="most people"))
        first = np.stack([orders[0] > 0, orders[1] < 0])
        # in one order only, the first may be the better one
        has_both_orders = (~np.isnan(orders)).all(axis=0)
        took = has_both_orders & (orders != 0)
        if has_both_orders.any():
            firsts.append(share_row(judge, (first & took).sum(axis=0), took.sum(axis=0)))
    if raters:
        rater_names = pairs.people.indexes["rater"]
        for rater, own, rest in zip(rater_names, people, others, strict=True):
            both = ~np.isnan(own) & ~np.isnan(rest)
            if both.any():
                accuracies.append(share_row(rater, own == rest, both, against=LEFT_OUT))
    again = ", each counted once per rater who is left out"
    systems = {*pairs.items["first"], *pairs.items["second"]}
    n_split = int((np.isnan(majority) & ~np.isnan(people).all(axis=0)).sum())
    rule = verdict_rule(
        "accuracy on pairs", "the best single answer to all that it judged", raters, settings, "pairs"
    )
    rule += gap_rule(gaps, "agree on that more or less")
    other_pairs = len({(~np.isnan(choices)).tobytes() for choices in sides.judges}) > 1
    return Unranked(
        f"{counted(len(names), 'judge')} against people, {counted(len(majority), 'pair')} of outputs",
        summarize_rows(rows, "Its accuracy on pairs", rule, settings.delta if raters else 0.0, gaps),
        (
            Section(
                "accuracy", "How often does a judge choose as most people do?",
                (
                    *(f"{row['metric']} chooses as {row['against']} do in {format_ends(row)} of "
                      f"{counted(row['n_pairs'], 'pair')}{again * (row['n_pairs'] > len(majority))}."
                      for row in accuracies),
                    *[
                        "Judges judged different pairs, so these shares are not of the same ones; which of "
                        "two judges is better is asked below, on the pairs that both judged."
                    ] * other_pairs,
                    "A tie is a choice, and opposite answers of a judge in the two orders are a tie.",
                    *[
                        f"No choice has the most votes on {counted(n_split, 'pair')}, left out of what most "
                        "people choose."
                    ] * bool(n_split),
                    *[
                        "Each rater is left out in turn, and a judge and that rater are held against "
                        f"{LEFT_OUT} on the same pairs."
                    ] * raters,
                ),
                pd.DataFrame(accuracies),
            ),
            *_first(firsts, list(names)),
            *pairwise_section(reading, rows, settings),
            OTHERS,
        ),
        "A judge's choices are held against the majority of people's. Shares have Clopper and Pearson's "
        "intervals, corrected for items with several pairs (Korn and Graubard), and differences "
        f"percentile intervals of {settings.n_resamples:,} bootstrap draws of items with all their pairs; "
        f"both are {percent(settings.confidence_level, None)} intervals. People's raters are not drawn "
        f"again. Seed {settings.seed}.",
        (len(systems), int(documents.max()) + 1),
    )  # fmt: skip


def _first(rows: list[dict[str, object]], judges: list[str]) -> Iterator[Section | LeftOut]:
    """Section on judges' preference for the first output, of pairs shown in both orders."""
    names = [row["metric"] for row in rows]
    if lacking := [name for name in judges if name not in names]:
        yield LeftOut(
            f"whether {joined(lacking)} {'prefers' if len(lacking) == 1 else 'prefer'} the first",
            "every pair was shown in one order only, so the first may often have been the better one; show "
            "the same pairs with first and second exchanged",
        )
    if rows:
        words = tuple(
            f"{row['metric']} chooses the first in {format_ends(row)} of its {row['n_pairs']:,} choices on "
            "pairs shown in both orders, ties left out."
            for row in rows
        )
        yield Section("first", "Does a judge prefer what it is shown first?", words, pd.DataFrame(rows))
