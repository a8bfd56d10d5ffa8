"""few.pairs: how judges choose between two outputs beside how people do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from metaeval.reporting.beside import FEW_ITEMS, chosen, majority_of, means, share_ends
from metaeval.reporting.few.parts import (
    OTHERS,
    Few,
    but_for,
    every_two,
    in_row,
    in_words,
    row_of,
    rule_of,
    rule_of_gaps,
    with_ends,
)
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import RATER
from metaeval.stats.streams import stream
from metaeval.tables.wording import counted, joined, percent

LEFT_OUT = "the other raters"


def of_pairs(reading: Reading, asked: Settings) -> Few:
    """How often judges choose as most people do, and how often what they are shown first.

    Parameters
    ----------
    reading : Reading of the kind pairs
    asked : Settings

    Raises
    ------
    DataError
        If no scores are people's, or no judge's.
    """
    pairs = reading.pairs
    names = pairs.judges.indexes["judge"]
    sides = chosen(pairs)
    people, shown, majority, documents = sides.people, sides.shown, sides.majority, sides.documents
    others = [majority_of(np.delete(people, rater, axis=0)) for rater in range(len(people))]
    n_overlap = sum(
        int((~np.isnan(own) & ~np.isnan(most)).sum()) for own, most in zip(people, others, strict=True)
    )
    raters = n_overlap >= FEW_ITEMS

    def share(right: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(right, known, stream(asked.seed, "documents"), asked.n_resamples, of=documents)

    def found(name: str, right: np.ndarray, known: np.ndarray, **more: object) -> dict[str, object]:
        value = np.where(known, right, 0).sum() / (known.sum() or np.nan)
        ends = share_ends(right, known, asked.confidence_level, of=documents)
        return {"metric": name, **more, "value": float(value), **in_row(ends), "n_pairs": int(known.sum())}

    rows, accuracies, firsts, gaps = [], [], [], {}
    answers = {-1: "always the second", 0: "always a tie", 1: "always the first"}
    for judge, choices, orders in zip(names, sides.chosen, shown, strict=True):
        known = ~np.isnan(choices) & ~np.isnan(majority)
        enough = known.sum() >= FEW_ITEMS
        if raters:  # also on pairs that all raters together are split on
            each = [
                (
                    ~np.isnan(own) & ~np.isnan(most) & ~np.isnan(choices),
                    (choices == most) * 1.0 - (own == most),
                )
                for own, most in zip(people, others, strict=True)
            ]
            n = sum(both * 1.0 for both, _ in each)
            value, drawn = share(sum(np.where(both, apart, 0.0) for both, apart in each), n)
            than = RATER
            right = sum(both & (choices == most) for (both, _), most in zip(each, others, strict=True))
            accuracies.append(found(judge, right, n, against=LEFT_OUT))
        else:
            # on the pairs that the judge judged
            trivial = max(answers, key=lambda answer: (majority[known] == answer).sum())
            value, drawn = share((choices == majority) * 1.0 - (majority == trivial), known)
            than = f"the answer {answers[trivial]!r}"
        row = row_of(judge, value, drawn, asked, raters=raters, than=than, enough=enough)
        left = sides.left(len(rows), asked.confidence_level)
        rows.append(but_for(left, row, gaps))
        accuracies.append(found(judge, choices == majority, known, against="most people"))
        first = np.stack([orders[0] > 0, orders[1] < 0])
        # of a pair shown in one order the first may have been the better one
        in_both = (~np.isnan(orders)).all(axis=0)
        took = in_both & (orders != 0)
        if in_both.any():
            firsts.append(found(judge, (first & took).sum(axis=0), took.sum(axis=0)))
    if raters:
        rater_names = pairs.people.indexes["rater"]
        for rater, own, most in zip(rater_names, people, others, strict=True):
            both = ~np.isnan(own) & ~np.isnan(most)
            if both.any():
                accuracies.append(found(rater, own == most, both, against=LEFT_OUT))
    again = ", each counted once per rater who is left out"
    systems = {*pairs.items["first"], *pairs.items["second"]}
    n_split = int((np.isnan(majority) & ~np.isnan(people).all(axis=0)).sum())
    rule = rule_of(
        "accuracy on pairs", "the best single answer to all that it judged", raters, asked, "pairs"
    )
    rule += rule_of_gaps(gaps, "agree on that more or less")
    other_pairs = len({(~np.isnan(choices)).tobytes() for choices in sides.chosen}) > 1
    return Few(
        f"{counted(len(names), 'judge')} against people, {counted(len(majority), 'pair')} of outputs",
        in_words(rows, "Its accuracy on pairs", rule, asked.delta if raters else 0.0, gaps),
        (
            Section(
                "accuracy", "How often does a judge choose as most people do?",
                (
                    *(f"{row['metric']} chooses as {row['against']} do in {with_ends(row)} of "
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
            *every_two(reading, rows, asked),
            OTHERS,
        ),
        "A judge's choices are held against the majority of people's. Shares have Clopper and Pearson's "
        "intervals, corrected for items with several pairs (Korn and Graubard), and differences "
        f"percentile intervals of {asked.n_resamples:,} bootstrap draws of items with all their pairs; both "
        f"are {percent(asked.confidence_level, None)} intervals. People's raters are not drawn again. Seed "
        f"{asked.seed}.",
        (len(systems), int(documents.max()) + 1),
    )  # fmt: skip


def _first(rows: list[dict[str, object]], judges: list[str]) -> Iterator[Section | LeftOut]:
    """How often judges choose what they are shown first, of those who were shown a pair in both orders."""
    known = [row["metric"] for row in rows]
    if lacking := [name for name in judges if name not in known]:
        yield LeftOut(
            f"whether {joined(lacking)} {'prefers' if len(lacking) == 1 else 'prefer'} the first",
            "every pair was shown in one order only, so the first may often have been the better one; show "
            "the same pairs with first and second exchanged",
        )
    if rows:
        words = tuple(
            f"{row['metric']} chooses the first in {with_ends(row)} of its {row['n_pairs']:,} choices on "
            "pairs shown in both orders, ties left out."
            for row in rows
        )
        yield Section("first", "Does a judge prefer what it is shown first?", words, pd.DataFrame(rows))
