"""reporting.corrected: means of people's scores on everything, by few labels and many scores of a judge.

The estimate is prediction-powered, see `metaeval.stats.prediction`; people's labels alone stand beside it,
and of labels that pass or fail Rogan and Gladen's estimate, as a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from metaeval.reporting.paired_labels import (
    MAX_GRADES,
    has_scale_of,
    is_binary,
    ratio_ends,
    share_ends,
)
from metaeval.reporting.sections import LeftOut, Section, Settings, pivot_quantities
from metaeval.reporting.verdict import FEW_ITEMS
from metaeval.stats import detection
from metaeval.stats.clusters import MIN_CLUSTERS
from metaeval.stats.intervals import NO_ENDS, Ends
from metaeval.stats.prediction import predicted_mean, selection_pvalue
from metaeval.stats.reliability import mean_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.wording import counted, percent, pvalue

ALONE, HELPED = "people's labels alone", "people's labels and the judge"
JUDGE, BIAS = "the judge as it says", "the judge minus people, on the labels"
COMPARISON = "Rogan and Gladen's, as a comparison"
NOT_AT_RANDOM = 0.01  # level of the test whether the judge's scores differ where people labelled
RANDOM_LABELS = "--sampled-at-random"
MAX_SHORT = 12  # systems in a summary


def mean_sections(
    judges: Mapping[str, np.ndarray],
    people: np.ndarray,
    settings: Settings,
    *,
    units: str,
    systems: Sequence[str] = (),
    clusters: np.ndarray | None = None,
) -> Iterator[Section | LeftOut]:
    """Section on the mean that people would give on all that a judge scored, or why there is none.

    Parameters
    ----------
    judges : mapping, name -> float array (n_systems, n_units)
        Of one system, or of the differences of two, a single row.
    people : float array (n_systems, n_units), NaN where nobody labelled
    settings : Settings
    units : str
        Name of a unit: item or document.
    systems : names of the systems, by default none
        Intervals hold the means of all of them together.
    clusters : int array (n_units,), by default each unit its own
    """
    rows, level = [], settings.confidence_level
    brackets = f"[{percent(level, None)}]"
    headings = {ALONE: f"people alone {brackets}", HELPED: f"with the judge {brackets}"}
    headings |= {JUDGE: "judge's mean", BIAS: f"its bias {brackets}"}
    n_labelled = int((~np.isnan(people)).any(axis=0).sum())
    for name, scores in judges.items():
        why = _reason(scores, people, settings, units, clusters)
        if why:
            yield LeftOut(f"people's mean on all that {name} scored", why, is_short=RANDOM_LABELS in why)
            continue
        is_alike = has_scale_of(scores, people)
        times = 1.0 if is_alike else np.nanstd(people) / (np.nanstd(scores[~np.isnan(people)]) or 1.0)
        mean = predicted_mean(
            people, times * scores, limits=_limits(people, scores), confidence_level=level,
            simultaneous=bool(systems), clusters=clusters, **settings.draws,
        )  # fmt: skip
        for k, own in enumerate(scores):
            both = ~np.isnan(own) & ~np.isnan(people[k])
            alone = Ends.exact(mean.labels_only_low[k], mean.labels_only_high[k])
            if not systems and is_binary(people):
                alone = share_ends(people[k], both, level, of=clusters)
            means = {
                ALONE: (mean.labels_only[k], alone),
                HELPED: (mean.value[k], Ends.exact(mean.low[k], mean.high[k])),
                JUDGE: (mean_of(own), NO_ENDS),
            }
            if is_alike:
                apart = own - people[k]
                ends = ratio_ends(apart, both, level, of=clusters, is_bounded=is_binary(people))
                means[BIAS] = mean_of(apart), ends
            if not systems and is_binary(own) and is_binary(people):
                share = detection.corrected(own, people[k], clusters=clusters, confidence_level=level)
                means[COMPARISON] = share.value, Ends.exact(share.low, share.high)
            key = {"metric": name} | ({"system": systems[k]} if systems else {})
            rows += [
                {**key, "quantity": quantity, "value": float(value), "low": float(low), "high": float(high)}
                | ({"weight": float(times * mean.weight[k])} if quantity == HELPED else {})
                for quantity, (value, (low, high, *_)) in means.items()
            ]
    if not rows:
        return
    n_all = int(np.any([~np.isnan(scores).all(axis=0) for scores in judges.values()], axis=0).sum())
    sizes = f"all {n_all:,} {units}s, if the {n_labelled:,} that they labelled were drawn at random"
    note = "Predicted from the labels and the judge's scores (PPI++)."
    note += " Intervals of people's means hold those of all systems together." * bool(systems)
    index = ("metric", "system") if systems else ("metric",)
    short = pivot_quantities(rows, headings, index=index, is_own_scale=True)
    short = short[short["judge"] == short["judge"][0]] if systems else short
    title = f"What mean would people give on {sizes}?"
    yield Section("corrected", title, pd.DataFrame(rows), note, short if len(systems) <= MAX_SHORT else None)


def system_means(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """`mean_sections` of the systems of a ranking, where judges scored documents that people did not."""
    scores, people = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    if (~np.isnan(scores) & np.isnan(people)).any():
        planes = dict(zip(benchmark.metrics, scores, strict=True))
        yield from mean_sections(planes, people, settings, units="document", systems=benchmark.systems)


def _reason(
    scores: np.ndarray, people: np.ndarray, settings: Settings, units: str, clusters: np.ndarray | None
) -> str:
    """Reason why a judge gives no estimate; "" for none."""
    scored, labelled = ~np.isnan(scores), ~np.isnan(people)
    n = (scored & labelled).sum(axis=1)
    if not (scored & ~labelled).any():
        return f"people labelled every {units} that it scored, so theirs is the mean"
    if n.min() < FEW_ITEMS or not (scored & ~labelled).any(axis=1).all():
        few = f"people labelled {counted(int(n.min()), units)} of those that it scored"
        return f"{few}; it takes {FEW_ITEMS}, and others that they did not label"
    if np.nanmin(people) == np.nanmax(people) and not is_binary(people):
        return f"people gave all {units}s the same, so that nothing is known of their scatter"
    if clusters is not None:  # tested by their means
        if len(np.unique(clusters[(scored & labelled).any(axis=0)])) < MIN_CLUSTERS:
            return f"people labelled items of few clusters; it takes {MIN_CLUSTERS}"
        planes = (np.where(mask, scores, np.nan).T for mask in (labelled, ~labelled))
        own, others = (pd.DataFrame(plane).groupby(clusters).mean().to_numpy().T for plane in planes)
        scores, people = (
            np.hstack([own, others]),
            np.hstack([np.zeros_like(own), np.full_like(others, np.nan)]),
        )
    probability = float(np.nanmin(selection_pvalue(people, scores), initial=1.0)) * len(people)
    if probability < NOT_AT_RANDOM and not settings.sampled_at_random:
        return (
            f"it scores the {units}s that people labelled unlike the others "
            f"({pvalue(probability, name='p')}), so they were hardly drawn at random; if they were, say so "
            f"with {RANDOM_LABELS}"
        )
    return ""


def _limits(people: np.ndarray, scores: np.ndarray) -> tuple[float, float] | None:
    """Limits of a scale: pass and fail, or few grades, with those of a judge on the same scale."""
    if is_binary(people):
        return 0.0, 1.0
    values = np.unique(people[~np.isnan(people)])
    if len(values) > MAX_GRADES:
        return None
    both = np.r_[values, np.ravel(scores)] if has_scale_of(scores, people) else values
    return float(np.nanmin(both)), float(np.nanmax(both))
