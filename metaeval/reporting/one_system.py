"""reporting.one_system: report on judges' labels or scores of one system's items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from metaeval.reporting.missing_scores import covers
from metaeval.reporting.paired_labels import (
    FEW_ITEMS,
    MIN_PER_CLASS,
    Labels,
    is_binary,
    no_ends,
    own_ends,
    pair_labels,
)
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.unranked import (
    OTHERS,
    Unranked,
    apply_gap,
    end_columns,
    format_ends,
    gap_rule,
    judge_row,
    pairwise_section,
    summarize_rows,
    verdict_rule,
)
from metaeval.reporting.verdict import CONSTANT, RATER
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import auc, calibration, corrected, rates
from metaeval.stats.draws import map_draws
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import share_interval
from metaeval.stats.reliability import compare_with_raters
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import stream
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import counted, format_stable, joined, percent, with_interval

CHANCE = 0.5  # area under the curve of constant scores
MAX_BINS = 10  # of a judge's scores, each with FEW_ITEMS or more
RATED = (
    "people pass",
    "the judge passes",
    "TPR: passes what people pass",
    "TNR: fails what people fail",
    "Cohen's κ",
    "AUC",
)


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
    judges, ratings, gold, binary = sides.judges, sides.ratings, sides.gold, sides.binary
    scores = judges.to_numpy().T
    both = ~np.isnan(scores) & ~np.isnan(gold)
    has_two_ratings = (~np.isnan(ratings)).sum(axis=0) > 1
    raters = bool(has_two_ratings.sum() >= FEW_ITEMS)
    enough = [sides.enough(mask & has_two_ratings if raters else mask) for mask in both]
    passes = binary and is_binary(scores)
    # with labels, τ of scores without ties, such as lengths, cannot reach 1
    by_area = binary and not raters and (not passes or bool(lengths))
    # for labels all coefficients are φ, and Pearson's is the fastest
    kind = {"level": "global", "coefficient": "pearson" if passes else settings.coefficient}
    # items are the documents of one system; unlabelled ones are not informative about a judge
    has_rating, has_gold = ~np.isnan(ratings).all(axis=0), ~np.isnan(gold)
    planes = np.where(both, scores, np.nan)[:, None, has_rating]
    floor = CHANCE if by_area else 0.0
    people = gold[None, has_rating]
    draws = {"resample": "inputs", **kind, **settings.draws}

    def reach(values: np.ndarray) -> tuple[float, np.ndarray]:
        if by_area:
            each = values[has_gold], gold[has_gold]
            return float(auc(*each)), _drawn(auc, *each, settings)[0]
        plane = np.where(has_gold, values, np.nan)[None, has_rating]
        return float(correlate(plane, people, **kind).value), bootstrap_distribution(plane, people, **draws)

    if raters:  # on the items that the judge labelled, including those on which people are split
        level = settings.confidence_level
        with_raters = compare_with_raters(
            scores[:, None, has_rating], ratings[:, None, has_rating], confidence_level=level, **draws
        )
    rows, gaps = [], {}
    for k, (judge, own, many) in enumerate(zip(judges.columns, scores, enough, strict=True)):
        if raters:
            value, drawn = with_raters.difference[k], with_raters.distribution[k]
            than = f"{RATER} ({format_stable(with_raters.own_ceiling[k], 0.0)})"
        else:
            value, drawn = reach(own)
            than, best = f"{CONSTANT} ({CHANCE:g})" if by_area else CONSTANT, (floor, floor)
            for name, length in lengths.items():  # on the judge's answers
                if not covers(length, has_gold & ~np.isnan(own)):
                    continue
                other = reach(np.where(np.isnan(own), np.nan, length))
                if other[0] > best[0]:
                    than, best = f"{name}, which judges nothing ({format_stable(other[0], 0.0)})", other
            value, drawn = value - best[0], drawn - best[1]
        row = judge_row(judge, value, drawn, settings, raters=raters, than=than, enough=many)
        rows.append(apply_gap(sides.gap(k, settings.confidence_level), row, gaps))
    name = "AUC" if by_area else "φ" if passes else COEFFICIENT_LABELS[settings.coefficient]
    nothing = f"the best of {joined([CONSTANT, *lengths])}" if lengths else CONSTANT
    rule = verdict_rule(f"{name} over items", nothing, raters, settings, "items")
    if binary:
        rule += f" The same where people pass, or fail, fewer than {MIN_PER_CLASS}."
    rule += gap_rule(gaps, "rate that differently, or agree on it more or less")
    if name == "φ":
        rule += (
            " φ is the correlation of labels, and raters' means have one too; Cohen's κ, by which judges are "
            "compared, takes labels alone, and is lower where one of two passes more than the other."
        )
    elif raters and settings.coefficient == "kendall":
        rule += (
            " Where people's scores have ties and a judge's have none, its τ cannot reach 1 as a rater's "
            "can; --coefficient pearson does not count ties."
        )
    parts = [*_rates(sides, settings)] if binary else [*_over_items(judges, planes, people, draws, settings)]
    exact = ", of shares Clopper and Pearson's"
    n_split = int((has_rating & np.isnan(gold)).sum())
    split = f", {counted(n_split, 'item')} on which they are split" if n_split else ""
    return Unranked(
        f"labels of one system, {counted(len(judges.columns), 'judge')} against people, "
        f"{counted(len(gold), 'item')}, {int(has_rating.sum()):,} labelled by people{split}",
        summarize_rows(rows, f"{name} with people", rule, settings.delta if raters else 0.0, gaps),
        (*parts, *pairwise_section(reading, rows, settings), *_sentinels(lengths, sides, settings), OTHERS),
        f"A judge's labels of one system's items are held against people's{' majority' * binary}. Intervals "
        f"are {percent(settings.confidence_level, None)} percentile intervals of {settings.n_resamples:,} "
        f"bootstrap draws of items{exact * binary}. Seed {settings.seed}.",
        (1, len(gold)), "auc" if by_area else "phi" if passes else settings.coefficient,
    )  # fmt: skip


def _sentinels(lengths: Mapping[str, np.ndarray], sides: Labels, settings: Settings):
    """Section on the agreement of text lengths, which judge nothing, with people."""
    measure = "AUC" if sides.binary else COEFFICIENT_LABELS[settings.coefficient]
    rows = []
    for name, values in lengths.items():
        mask = ~np.isnan(sides.gold) & ~np.isnan(values)
        each = values[mask], sides.gold[mask]
        if sides.binary:
            value, drawn = auc(*each), _drawn(auc, *each, settings)[0]
        else:
            kind = {"level": "global", "coefficient": settings.coefficient}
            planes = [one[None] for one in each]
            value = correlate(*planes, **kind).value
            drawn = bootstrap_distribution(*planes, resample="inputs", **kind, **settings.draws)
        ends = own_ends(drawn, settings.confidence_level)
        rows.append({"sentinel": name, "measure": measure, "value": float(value), **end_columns(ends)})
    if rows:
        words = tuple(f"{row['sentinel']}: {measure} with people {format_ends(row)}." for row in rows)
        yield Section("trivial", "What would scores that judge nothing reach?", words, pd.DataFrame(rows))


def _over_items(judges, planes, people, draws, settings):
    drawn = bootstrap_distribution(planes, people, **draws)
    values = correlate(planes, people, level=draws["level"], coefficient=draws["coefficient"]).value
    table = pd.DataFrame(
        {
            "metric": judge,
            "value": float(value),
            **end_columns(percentile_ends(one, settings.confidence_level)),
        }
        for judge, value, one in zip(judges.columns, values, drawn, strict=True)
    )
    words = tuple(
        f"{COEFFICIENT_LABELS[settings.coefficient]} of {row['metric']} with people: {format_ends(row)}."
        for row in table.to_dict("records")
    )
    yield Section("items", "Does a judge score high what people score high?", words, table)


def _drawn(
    measure: Callable[..., np.ndarray], judge: np.ndarray, people: np.ndarray, settings: Settings
) -> np.ndarray:
    """Measures of a judge and people in draws of items, (n_measures, n_draws)."""
    return map_draws(
        lambda counts: np.atleast_2d(measure(judge, people, counts=counts)),
        stream(settings.seed, "items"), settings.n_resamples, len(people),
    )  # fmt: skip


def _rated(judge: np.ndarray, people: np.ndarray, *, counts: np.ndarray | None = None) -> np.ndarray:
    """κ and AUC of labels, (2,) or (2, n_draws)."""
    values = rates(judge, people, counts=counts)
    # for labels, the area under the curve of a single point
    return np.stack([values.kappa, (values.tpr + values.tnr) / 2])


def _shares(judge: np.ndarray, people: np.ndarray, settings: Settings) -> list[dict[str, object]]:
    """The first quantities of `RATED` with Clopper and Pearson's intervals; items are independent."""
    shares, mask = rates(judge, people), ~np.isnan(judge)
    n, n_passed = int(mask.sum()), int((mask & (people == 1)).sum())
    rows = []
    values = shares.passed, shares.judge_passes, shares.tpr, shares.tnr
    for quantity, value, trials in zip(RATED, values, (n, n, n_passed, n - n_passed), strict=False):
        low, high = share_interval(value, trials or np.nan, confidence_level=settings.confidence_level)
        rows.append({"quantity": quantity, "value": float(value), **end_columns(Ends(low, high, 0.0, 0.0))})
    return rows


def _rates(sides: Labels, settings: Settings):
    """Section on the rates at which judges pass what people pass, and on corrected shares."""
    judges, gold = sides.judges, sides.gold
    rows, sentences = [], []
    has_gold = ~np.isnan(gold)
    split = ~has_gold & ~np.isnan(sides.ratings).all(axis=0)
    classes, n_labelled = np.unique(gold[has_gold]), int(has_gold.sum())
    if not n_labelled:
        yield LeftOut("how often a judge agrees with people", "as many people pass as fail each item")
        return

    if len(classes) == 1:
        low, high = share_interval(classes[0], n_labelled, confidence_level=settings.confidence_level)
        sentences.append(
            f"People {('fail', 'pass')[int(classes[0])]} all of the {counted(n_labelled, 'item')} that they "
            f"labelled: of items like these they would pass {percent(low)} to {percent(high)} "
            "(Clopper and Pearson), and nothing is known of what a judge does with the other kind."
        )
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        passes = is_binary(scores)
        measure, names = (_rated, RATED[4:]) if passes else (auc, ("AUC",))
        both = scores[has_gold], gold[has_gold]
        once, again = np.atleast_1d(measure(*both)), _drawn(measure, *both, settings)
        own = [{"metric": judge, **row} for row in _shares(*both, settings)] if passes else []
        own += [
            {"metric": judge, "quantity": quantity, "value": float(value)}
            | end_columns(own_ends(drawn, settings.confidence_level))
            for quantity, value, drawn in zip(names, once, again, strict=True)
        ]
        rows += own
        sentences.append(
            f"{judge}: " + "; ".join(f"{row['quantity']}, {format_ends(row)}" for row in own) + "."
        )
        if not passes:
            continue
        has_label = ~np.isnan(scores)
        n_alone = int((has_label & ~has_gold & ~split).sum())
        n_split = int((has_label & split).sum())
        if len(classes) == 1:
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
        has_both = has_label & has_gold
        if not has_both.any():
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled none of the items that it labelled, so its errors are not known",
            )
            continue
        share = corrected(scores, gold, confidence_level=settings.confidence_level)
        # with few labels, rare errors would look like none
        enough = sides.enough(has_both)
        ends = end_columns(Ends(share.low, share.high, 0.0, 0.0) if enough else no_ends())
        row = {"metric": judge, "quantity": "would pass, corrected", "value": float(share.value), **ends}
        rows.append(row)
        without = f"{n_alone:,} of them by nobody else"
        without += f" and {n_split:,} on which people are split" if n_split else ""
        if np.isnan(share.low):
            sentences.append(
                f"{judge} passes {percent(share.judge_passes)} of all items that it labelled, {without}, "
                "which no share that people pass explains by its errors on those with people's label: they "
                "were not drawn at random, and its share cannot be corrected."
            )
            continue
        sentences.append(
            f"Of all items that {judge} labelled, {without}, people would pass {format_ends(row)}, corrected "
            "for its errors (Rogan and Gladen), if those with people's label were drawn at random."
            + f" An interval takes {FEW_ITEMS} items that both labelled, {MIN_PER_CLASS} of them passed and "
            f"{MIN_PER_CLASS} failed by people." * (not enough)
            if not np.isnan(share.value)
            else f"{judge} tells passing items from failing ones no better than chance, so its share cannot "
            "be corrected."
        )
    if any(np.isnan(row["low"]) and row["quantity"] in RATED and not np.isnan(row["value"]) for row in rows):
        sentences.append(
            "No interval: all draws of these items give the same, and say nothing of other items."
        )
    yield Section("rates", "How often does a judge agree with people?", tuple(sentences), pd.DataFrame(rows))
    yield from _calibration(judges, gold, settings)


def _calibration(judges: pd.DataFrame, gold: np.ndarray, settings: Settings):
    """Section on the shares that people pass of items with similar scores by a judge."""
    n_bins = max(2, min(MAX_BINS, int((~np.isnan(gold)).sum()) // FEW_ITEMS))
    frames, sentences = [], []
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        curve = calibration(scores, gold, n_bins=n_bins, confidence_level=settings.confidence_level)
        table = pd.DataFrame(curve._asdict()).rename(columns={"predicted": "given", "n": "n_items"})
        if not len(table):
            continue
        frames.append(table.assign(metric=judge)[["metric", *table.columns]])
        ends = [
            f"{'passes' if row['given'] else 'fails'}"
            if is_binary(scores)
            else f"scores about {row['given']:.2g}"
            for row in table.to_dict("records")
        ]
        shares = [with_interval(*row, digits=0, percent=True) for row in zip(*curve[1:4], strict=True)]
        parts = [f"{share} of what it {end}" for share, end in zip(shares, ends, strict=True)]
        ends_shown = parts if len(parts) < 3 else [parts[0], parts[-1]]
        sentences.append(f"{judge}: people pass {joined(ends_shown)}.")
    if not frames:  # no judge labelled people's items
        return
    sentences.append("Intervals are Clopper and Pearson's, which take items as independent.")
    yield Section(
        "calibration", "What share do people pass of what a judge scores alike?", tuple(sentences),
        pd.concat(frames, ignore_index=True),
    )  # fmt: skip
