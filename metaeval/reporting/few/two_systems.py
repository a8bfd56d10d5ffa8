"""few.two_systems: one difference, between two systems, by each judge and by people."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from metaeval.reporting.beside import FEW_ITEMS, means, no_ends, require_sides, share_ends
from metaeval.reporting.few.parts import OTHERS, Few, Words, ends_with_errors, in_row, with_ends
from metaeval.reporting.gaps import gap
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import Section, Settings
from metaeval.reporting.verdict import CANNOT_TELL, TRUSTED, seed_caution
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.streams import stream
from metaeval.stats.ties import SCORE_TIE, signs
from metaeval.tables.wording import counted, hangs_on_seed, leaves_out, percent

FINDS, OPPOSITE = "finds what people find", "finds the opposite"


def two_systems(reading: Reading, asked: Settings) -> Few:
    """One difference, by each judge and by people.

    Parameters
    ----------
    reading : Reading of the kind two_systems
    asked : Settings

    Raises
    ------
    DataError
        If there is no judge.
    """
    benchmark, lengths = reading.benchmark, reading.lengths
    require_sides(benchmark.metrics, ["whoever"])
    first, second = benchmark.systems
    judged = benchmark.scores.to_numpy()
    human = benchmark.human.to_numpy() if benchmark.judgments else np.full(judged.shape[1:], np.nan)
    people = _difference(human)
    n_documents = len(people)

    def mean(values: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(values, known, stream(asked.seed, "documents"), asked.n_resamples)

    def difference(name: str, values: np.ndarray) -> dict[str, object]:
        known = ~np.isnan(values)
        value, drawn = mean(values, known)
        n = int(known.sum())
        ends = no_ends() if n < FEW_ITEMS else percentile_ends(drawn, asked.confidence_level)
        return {"metric": name, "value": float(value), **in_row(ends), "n_documents": n}

    sides = {judge: _difference(plane) for judge, plane in zip(benchmark.metrics, judged, strict=True)}
    theirs = difference("people", people)
    differences, alike, rows, said = [theirs], [], [], []
    for judge, values in sides.items():
        row = difference(judge, values)
        differences.append(row)
        if judge in lengths:
            continue
        left = gap(
            values[None], people[None], confidence_level=asked.confidence_level, units="documents",
            does="judged",
        )  # fmt: skip
        beside = difference("people", np.where(np.isnan(values), np.nan, people)) if left else theirs
        sure = [_sign(one) for one in (row, beside)]
        word = CANNOT_TELL if 0 in sure else FINDS if sure[0] == sure[1] else OPPOSITE
        turned = left is not None and word != CANNOT_TELL and _sign(theirs) != sure[1]
        word = CANNOT_TELL if turned else word
        than = f"people's difference, {with_ends(beside, own_scale=True)}"
        rows.append(
            {"metric": judge, "verdict": word, "compared_with": than}
            | {key: row[key] for key in ("value", *Ends._fields)}
        )
        by_people = (
            f", people at {with_ends(beside, own_scale=True)}, each on their own scale"
            if benchmark.judgments
            else "; what people say is not here (name their scores with --people)"
        )
        at = with_ends(row, own_scale=True)
        said.append(f"{judge}: {word}. It puts {first} minus {second} at {at}{by_people}.")
        said[-1] += _caution_of_two(row, beside)
        if left:
            said[-1] += (
                f" These are the {left.n_scored:,} of {counted(left.n_judged, 'document')} that it judged; "
                f"over all people are at {with_ends(theirs, own_scale=True)}"
                f"{', so this is undecided' * turned}."
            )
        row = rows[-1]
        same = signs(sides[row["metric"]], SCORE_TIE) * signs(people, SCORE_TIE)
        told = np.abs(same) == 1
        n = int(told.sum())
        share, ends = (same > 0).sum() / (n or np.nan), share_ends(same > 0, told, asked.confidence_level)
        alike.append({"metric": row["metric"], "value": float(share), **in_row(ends), "n_documents": n})
    rule = (
        f"The rule: {first} minus {second}, the mean over the documents that a judge judged. "
        f"{FINDS.capitalize()} if its and people's {percent(asked.confidence_level, None)} intervals lie on "
        "the same side of 0, "
        f"{OPPOSITE} if on different sides, {CANNOT_TELL} if one holds 0 or rests on fewer than {FEW_ITEMS} "
        "documents. One "
        f"difference is no ranking, and nothing here is called {TRUSTED}."
    )
    return Few(
        f"{counted(len(rows), 'judge')} against people on one difference, {first} minus {second}, "
        f"{counted(n_documents, 'document')}",
        Words(pd.DataFrame(rows), tuple(said), rule, f"score of {first} minus that of {second}"),
        (
            Section(
                "difference", "By how much is one system better?",
                tuple(f"{row['metric']}: {with_ends(row, own_scale=True)}." for row in differences),
                pd.DataFrame(differences),
            ),
            Section(
                "documents", "On how many documents do a judge and people favour the same system?",
                tuple(
                    f"{row['metric']} and people: on {with_ends(row)} of the {row['n_documents']:,} "
                    "documents on which neither scores both systems alike."
                    for row in alike
                ),
                pd.DataFrame(alike),
            ),
            OTHERS,
        ),
        "Two systems are compared by their mean difference over documents, with "
        f"{percent(asked.confidence_level, None)} percentile intervals of {asked.n_resamples:,} bootstrap "
        "draws of documents, and shares of them with Clopper and Pearson's; people's raters are not drawn "
        f"again. Seed {asked.seed}.",
        (2, n_documents),
    )  # fmt: skip


def _difference(scores: np.ndarray) -> np.ndarray:
    """The first system's scores minus the second's; 0 where they are equal on paper."""
    found = scores[0] - scores[1]
    return np.where(signs(found, SCORE_TIE) == 0, 0.0, found)


def _caution_of_two(row: dict[str, object], theirs: dict[str, object]) -> str:
    """On another seed, which changes no word where one of both intervals holds 0 whatever it is."""
    near = [any(hangs_on_seed(*end, 0.0) for end in ends_with_errors(one)) for one in (row, theirs)]
    settled_by_one = any(not _sign(one) and not hangs for one, hangs in zip((row, theirs), near, strict=True))
    return seed_caution(ends_with_errors(row) + ends_with_errors(theirs), math.nan if settled_by_one else 0.0)


def _sign(row: dict[str, object]) -> int:
    """On which side of 0 an interval lies; 0 where it holds 0, leaves its estimate out, or does not exist."""
    if leaves_out(*(row[key] for key in ("value", "low", "high"))):
        return 0
    return int(row["low"] > 0) - int(row["high"] < 0)
