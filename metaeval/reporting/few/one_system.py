"""few.one_system: judges' labels or scores of one system's items beside people's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from metaeval.reporting.beside import FEW_ITEMS, LEAST, Labels, is_binary, labelled, no_ends, own_ends
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
from metaeval.reporting.gaps import covers
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import CONSTANT, RATER
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc, calibration, corrected, rates
from metaeval.stats.draws import over_draws
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.reliability import against_raters
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import stream
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted, joined, percent, settled, with_interval

CHANCE = 0.5  # the area under the curve of scores that are all alike
MOST_BINS = 10  # of a judge's scores, each with FEW_ITEMS or more
RATED = (
    "people pass",
    "the judge passes",
    "TPR: passes what people pass",
    "TNR: fails what people fail",
    "Cohen's κ",
    "AUC",
)


def one_system(reading: Reading, asked: Settings) -> Few:
    """Judges' labels or scores of items beside people's.

    Parameters
    ----------
    reading : Reading of the kind one_system
    asked : Settings

    Raises
    ------
    DataError
        If no scores are people's, or no judge's.
    """
    sides = labelled(reading.labels)
    lengths = {name: sides.judges[name].to_numpy() for name in reading.lengths}
    sides = replace(sides, judges=sides.judges.drop(columns=[*lengths]))
    judges, ratings, gold, binary = sides.judges, sides.ratings, sides.gold, sides.binary
    scores = judges.to_numpy().T
    both = ~np.isnan(scores) & ~np.isnan(gold)
    by_others_too = (~np.isnan(ratings)).sum(axis=0) > 1
    raters = bool(by_others_too.sum() >= FEW_ITEMS)
    enough = [sides.enough(known & by_others_too if raters else known) for known in both]
    passes = binary and is_binary(scores)
    # beside labels a τ of scores without ties, such as a length's, cannot reach 1
    by_area = binary and not raters and (not passes or bool(lengths))
    # of labels all coefficients are φ, and Pearson's is the quick one
    kind = {"level": "global", "coefficient": "pearson" if passes else asked.coefficient}
    # items are the documents of one system; what nobody labelled says nothing of a judge
    told, known = ~np.isnan(ratings).all(axis=0), ~np.isnan(gold)
    planes = np.where(both, scores, np.nan)[:, None, told]
    floor = CHANCE if by_area else 0.0
    people = gold[None, told]
    draws = {"resample": "inputs", **kind, **asked.draws}

    def reach(values: np.ndarray) -> tuple[float, np.ndarray]:
        if by_area:
            each = values[known], gold[known]
            return float(auc(*each)), _drawn(auc, *each, asked)[0]
        plane = np.where(known, values, np.nan)[None, told]
        return float(correlate(plane, people, **kind).value), bootstrap_distribution(plane, people, **draws)

    if raters:  # on the items that the judge labelled, also those on which people are split
        level = asked.confidence_level
        found = against_raters(scores[:, None, told], ratings[:, None, told], confidence_level=level, **draws)
    rows, gaps = [], {}
    for k, (judge, own, many) in enumerate(zip(judges.columns, scores, enough, strict=True)):
        if raters:
            value, drawn = found.difference[k], found.distribution[k]
            than = f"{RATER} ({settled(found.beside[k], 0.0)})"
        else:
            value, drawn = reach(own)
            than, best = f"{CONSTANT} ({CHANCE:g})" if by_area else CONSTANT, (floor, floor)
            for name, length in lengths.items():  # of what the judge answered
                if not covers(length, known & ~np.isnan(own)):
                    continue
                other = reach(np.where(np.isnan(own), np.nan, length))
                if other[0] > best[0]:
                    than, best = f"{name}, which judges nothing ({settled(other[0], 0.0)})", other
            value, drawn = value - best[0], drawn - best[1]
        row = row_of(judge, value, drawn, asked, raters=raters, than=than, enough=many)
        rows.append(but_for(sides.left(k, asked.confidence_level), row, gaps))
    name = "AUC" if by_area else "φ" if passes else COEFFICIENT_LABELS[asked.coefficient]
    nothing = f"the best of {joined([CONSTANT, *lengths])}" if lengths else CONSTANT
    rule = rule_of(f"{name} over items", nothing, raters, asked, "items")
    if binary:
        rule += f" The same where people pass, or fail, fewer than {LEAST}."
    rule += rule_of_gaps(gaps, "rate that differently, or agree on it more or less")
    if name == "φ":
        rule += (
            " φ is the correlation of labels, and raters' means have one too; Cohen's κ, by which judges are "
            "compared, takes labels alone, and is lower where one of two passes more than the other."
        )
    elif raters and asked.coefficient == "kendall":
        rule += (
            " Where people's scores have ties and a judge's have none, its τ cannot reach 1 as a rater's "
            "can; --coefficient pearson does not count ties."
        )
    parts = [*_rates(sides, asked)] if binary else [*_over_items(judges, planes, people, draws, asked)]
    exact = ", of shares Clopper and Pearson's"
    n_split = int((told & np.isnan(gold)).sum())
    split = f", {counted(n_split, 'item')} on which they are split" if n_split else ""
    return Few(
        f"labels of one system, {counted(len(judges.columns), 'judge')} against people, "
        f"{counted(len(gold), 'item')}, {int(told.sum()):,} labelled by people{split}",
        in_words(rows, f"{name} with people", rule, asked.delta if raters else 0.0, gaps),
        (*parts, *every_two(reading, rows, asked), *_reached_by(lengths, sides, asked), OTHERS),
        f"A judge's labels of one system's items are held against people's{' majority' * binary}. Intervals "
        f"are {percent(asked.confidence_level, None)} percentile intervals of {asked.n_resamples:,} "
        f"bootstrap draws of items{exact * binary}. Seed {asked.seed}.",
        (1, len(gold)), "auc" if by_area else "phi" if passes else asked.coefficient,
    )  # fmt: skip


def _reached_by(lengths: Mapping[str, np.ndarray], sides: Labels, asked: Settings):
    """What lengths of texts, which judge nothing, reach with people."""
    measure = "AUC" if sides.binary else COEFFICIENT_LABELS[asked.coefficient]
    rows = []
    for name, values in lengths.items():
        known = ~np.isnan(sides.gold) & ~np.isnan(values)
        each = values[known], sides.gold[known]
        if sides.binary:
            value, drawn = auc(*each), _drawn(auc, *each, asked)[0]
        else:
            kind = {"level": "global", "coefficient": asked.coefficient}
            planes = [one[None] for one in each]
            value = correlate(*planes, **kind).value
            drawn = bootstrap_distribution(*planes, resample="inputs", **kind, **asked.draws)
        ends = own_ends(drawn, asked.confidence_level)
        rows.append({"sentinel": name, "measure": measure, "value": float(value), **in_row(ends)})
    if rows:
        words = tuple(f"{row['sentinel']}: {measure} with people {with_ends(row)}." for row in rows)
        yield Section("trivial", "What would scores that judge nothing reach?", words, pd.DataFrame(rows))


def _over_items(judges, planes, people, draws, asked):
    drawn = bootstrap_distribution(planes, people, **draws)
    values = correlate(planes, people, level=draws["level"], coefficient=draws["coefficient"]).value
    table = pd.DataFrame(
        {"metric": judge, "value": float(value), **in_row(percentile_ends(one, asked.confidence_level))}
        for judge, value, one in zip(judges.columns, values, drawn, strict=True)
    )
    words = tuple(
        f"{COEFFICIENT_LABELS[asked.coefficient]} of {row['metric']} with people: {with_ends(row)}."
        for row in table.to_dict("records")
    )
    yield Section("items", "Does a judge score high what people score high?", words, table)


def _drawn(
    measured: Callable[..., np.ndarray], judge: np.ndarray, people: np.ndarray, asked: Settings
) -> np.ndarray:
    """What is measured of a judge and people, (n_measures, n_draws), in draws of items."""
    return over_draws(
        lambda counts: np.atleast_2d(measured(judge, people, counts=counts)),
        stream(asked.seed, "items"), asked.n_resamples, len(people),
    )  # fmt: skip


def _rated(judge: np.ndarray, people: np.ndarray, *, counts: np.ndarray | None = None) -> np.ndarray:
    """κ and AUC of labels, (2,) or (2, n_draws)."""
    found = rates(judge, people, counts=counts)
    # of labels the area under the curve of a single point
    return np.stack([found.kappa, (found.tpr + found.tnr) / 2])


def _shares(judge: np.ndarray, people: np.ndarray, asked: Settings) -> list[dict[str, object]]:
    """The first of `RATED`, with Clopper and Pearson's intervals: items are independent."""
    found, known = rates(judge, people), ~np.isnan(judge)
    n, n_passed = int(known.sum()), int((known & (people == 1)).sum())
    rows = []
    values = found.passed, found.said, found.tpr, found.tnr
    for quantity, value, trials in zip(RATED, values, (n, n, n_passed, n - n_passed), strict=False):
        low, high = share_interval(value, trials or np.nan, confidence_level=asked.confidence_level)
        rows.append({"quantity": quantity, "value": float(value), **in_row(Ends(low, high, 0.0, 0.0))})
    return rows


def _rates(sides: Labels, asked: Settings):
    """How often a judge passes what people pass, and how many items would pass."""
    judges, gold = sides.judges, sides.gold
    rows, words = [], []
    told = ~np.isnan(gold)
    split = ~told & ~np.isnan(sides.ratings).all(axis=0)
    alike, n_said = np.unique(gold[told]), int(told.sum())
    if not n_said:
        yield LeftOut("how often a judge agrees with people", "as many people pass as fail each item")
        return

    if len(alike) == 1:
        low, high = share_interval(alike[0], n_said, confidence_level=asked.confidence_level)
        words.append(
            f"People {('fail', 'pass')[int(alike[0])]} all of the {counted(n_said, 'item')} that they "
            f"labelled: of items like these they would pass {percent(low)} to {percent(high)} "
            "(Clopper and Pearson), and nothing is known of what a judge does with the other kind."
        )
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        passes = is_binary(scores)
        measured, names = (_rated, RATED[4:]) if passes else (auc, ("AUC",))
        both = scores[told], gold[told]
        once, again = np.atleast_1d(measured(*both)), _drawn(measured, *both, asked)
        own = [{"metric": judge, **row} for row in _shares(*both, asked)] if passes else []
        own += [
            {"metric": judge, "quantity": quantity, "value": float(value)}
            | in_row(own_ends(of_draws, asked.confidence_level))
            for quantity, value, of_draws in zip(names, once, again, strict=True)
        ]
        rows += own
        words.append(f"{judge}: " + "; ".join(f"{row['quantity']}, {with_ends(row)}" for row in own) + ".")
        if not passes:
            continue
        labelled_by_it = ~np.isnan(scores)
        n_alone, n_split = int((labelled_by_it & ~told & ~split).sum()), int((labelled_by_it & split).sum())
        if len(alike) == 1:
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled items of one kind only, so its errors on the other are not known",
            )
            continue
        if not n_alone:
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled every item that it labelled, so theirs is the share",
            )
            continue
        by_both = labelled_by_it & told
        if not by_both.any():
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled none of the items that it labelled, so its errors are not known",
            )
            continue
        found = corrected(scores, gold, confidence_level=asked.confidence_level)
        # errors that few labels show hardly any of look certain
        enough = sides.enough(by_both)
        ends = in_row(Ends(found.low, found.high, 0.0, 0.0) if enough else no_ends())
        row = {"metric": judge, "quantity": "would pass, corrected", "value": float(found.value), **ends}
        rows.append(row)
        without = f"{n_alone:,} of them by nobody else"
        without += f" and {n_split:,} on which people are split" if n_split else ""
        if np.isnan(found.low):
            words.append(
                f"{judge} passes {percent(found.said)} of all items that it labelled, {without}, "
                "which no share that people pass explains by its errors on those with people's label: they "
                "were not drawn at random, and its share cannot be corrected."
            )
            continue
        words.append(
            f"Of all items that {judge} labelled, {without}, people would pass {with_ends(row)}, corrected "
            "for its errors (Rogan and Gladen), if those with people's label were drawn at random."
            + f" An interval takes {FEW_ITEMS} items that both labelled, {LEAST} of them passed and {LEAST} "
            "failed by people." * (not enough)
            if not np.isnan(found.value)
            else f"{judge} tells passing items from failing ones no better than chance, so its share cannot "
            "be corrected."
        )
    if any(np.isnan(row["low"]) and row["quantity"] in RATED and not np.isnan(row["value"]) for row in rows):
        words.append("No interval: all draws of these items give the same, and say nothing of other items.")
    yield Section("rates", "How often does a judge agree with people?", tuple(words), pd.DataFrame(rows))
    yield from _calibration(judges, gold, asked)


def _calibration(judges: pd.DataFrame, gold: np.ndarray, asked: Settings):
    """What share people pass of the items that a judge scores alike."""
    n_bins = max(2, min(MOST_BINS, int((~np.isnan(gold)).sum()) // FEW_ITEMS))
    frames, words = [], []
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        found = calibration(scores, gold, n_bins=n_bins, confidence_level=asked.confidence_level)
        table = pd.DataFrame(found._asdict()).rename(columns={"predicted": "given", "n": "n_items"})
        if not len(table):
            continue
        frames.append(table.assign(metric=judge)[["metric", *table.columns]])
        ends = [
            f"{'passes' if row['given'] else 'fails'}"
            if is_binary(scores)
            else f"scores about {row['given']:.2g}"
            for row in table.to_dict("records")
        ]
        shares = [with_interval(*row, digits=0, percent=True) for row in zip(*found[1:4], strict=True)]
        said = [f"{share} of what it {end}" for share, end in zip(shares, ends, strict=True)]
        shown = said if len(said) < 3 else [said[0], said[-1]]
        words.append(f"{judge}: people pass {joined(shown)}.")
    if not frames:  # no judge labelled what people did
        return
    words.append("Intervals are Clopper and Pearson's, which take items as independent.")
    yield Section(
        "calibration", "What share do people pass of what a judge scores alike?", tuple(words),
        pd.concat(frames, ignore_index=True),
    )  # fmt: skip
