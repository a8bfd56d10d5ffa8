"""reporting.runs: a judge that was asked several times: how much its runs differ, and what one costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.reporting.paired_labels import is_binary, pair_choices, pair_labels
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import MAX_GRADES, Section
from metaeval.reporting.verdict import format_interval
from metaeval.stats.agreement import agreement
from metaeval.stats.bias import clustered_share
from metaeval.stats.clusters import group_items
from metaeval.stats.correlation import correlate
from metaeval.stats.reliability import mean_of, spearman_brown
from metaeval.stats.runs import (
    correlation_of_runs,
    flip_shares,
    needed_runs,
    run_reliability,
    run_variances,
    stable_majority,
)
from metaeval.stats.streams import RNGLike
from metaeval.stats.ties import system_means
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import UNDEFINED, counted, number, percent

RELIABLE, STABLE = (
    0.9,
    0.95,
)  # reliability of a mean, and share of items with a stable majority, worth its runs
ITEMS, MEANS = "items", "systems' means"


@dataclass(frozen=True)
class _Judged:
    """Runs of a judge (n_runs, n_places, n_units that are drawn together), and its agreement by runs.

    `measure` is the name of the agreement; `one` and `all_runs` that of a single run, on average, and of all.
    """

    runs: np.ndarray
    measure: str
    one: float
    all_runs: float
    is_label: bool


def runs_section(
    reading: Reading, *, coefficient: str, confidence_level: float, rng: RNGLike
) -> list[Section]:
    """Section on the runs of judges that were asked several times; none without such."""
    options = coefficient, confidence_level, rng
    rows = [row for judge in reading.runs for row in _rows(judge, reading, *options)]
    if not rows:
        return []
    table = pd.DataFrame(rows)
    note = (
        "Reliability is the share of the variance that lies between items, of labels Fleiss' κ of runs, from "
        "which the agreement of many is expected (Spearman 1904). Enough are the runs whose mean reaches a "
        f"reliability of {RELIABLE:g}, or whose majority holds on {percent(STABLE)} of items."
    )
    return [Section("runs", "How much do a judge's own runs differ?", table, note, _short(table))]


def run_lines(sections: Sequence[Section]) -> tuple[str, ...]:
    """A line on each judge that was asked several times, from the section on runs among others."""
    lines = []
    for table in (one.table for one in sections if one.key == "runs"):
        for judge, rows in table.groupby("metric", sort=False):
            row = rows.iloc[-1]
            many = "" if np.isnan(row["many_runs"]) else f", many would at {row['many_runs']:.2f}"
            agree = (
                f"one run agrees with people at {row['one_run']:.2f}, its {row['n_runs']} together at "
                f"{row['all_runs']:.2f}{many} ({row['measure']})"
            )
            if np.isnan(row["one_run"]):
                agree = f"one run has a reliability of {row['reliability']:.2f}"
            n = row["n_enough"]
            runs = "more runs than were tried" if not np.isfinite(n) else counted(int(n), "run")
            is_vote = np.isnan(row["reliability_all"])
            goal = (
                f"a majority that holds on {percent(STABLE)} of items"
                if is_vote
                else "a mean that is reliable"
            )
            lines.append(f"{judge}: {agree}; {goal}{'' if is_vote else f' ({RELIABLE:g})'} takes {runs}.")
    return tuple(lines)


def _rows(
    judge: str, reading: Reading, coefficient: str, confidence_level: float, rng: RNGLike
) -> list[dict[str, object]]:
    """Row of a judge's items, and for a ranking one of its systems' means."""
    one = {"one_system": _on_items, "pairs": _on_pairs}.get(reading.kind, _on_systems)(
        judge, reading, coefficient
    )
    runs, level = one.runs, {"by": ("document",), "confidence_level": confidence_level}
    flat = runs.reshape(len(runs), -1)
    correlation = {"measure": one.measure, "one_run": one.one, "all_runs": one.all_runs, "many_runs": np.nan}
    n_present = (~np.isnan(flat)).sum(axis=0)
    n_runs = int(n_present.max())
    shares = dict.fromkeys(("flip_share", "flip_share_low", "flip_share_high"), np.nan)
    if one.is_label or len(np.unique(flat[~np.isnan(flat)])) <= MAX_GRADES:
        flips = clustered_share(flip_shares(flat).reshape(runs.shape[1:]), **level)
        shares = dict(zip(shares, map(float, (flips.value, flips.low, flips.high)), strict=True))
    row = {"metric": judge, "level": ITEMS, "n_runs": n_runs, **_noise(flat, n_runs), **shares}
    if one.is_label:  # whose numbers may have no order
        kappa = agreement(flat, coefficient="fleiss")
        row |= {"sd_within": np.nan, "sd_between": np.nan, "reliability": kappa, "reliability_all": np.nan}
        row["n_enough"] = stable_majority(flat, target=STABLE, rng=rng)
        return [row | correlation]
    if reading.kind == "one_system":
        return [row | _with_many(correlation, row, coefficient)]
    means = system_means(np.where(np.isnan(runs).all(axis=0), np.nan, runs))
    noise = _noise(means, n_runs)
    whole = row | dict.fromkeys(correlation, np.nan) | {"measure": ""}
    if reading.kind != "ranking":
        return [whole]
    beside = row | dict.fromkeys(shares, np.nan) | {"level": MEANS} | noise
    return [whole, beside | _with_many(correlation, noise, coefficient, n_runs)]


def _noise(flat: np.ndarray, n_runs: int) -> dict[str, float]:
    within, between = run_variances(flat)
    reliability = run_reliability(flat)
    return {
        "sd_within": np.sqrt(within), "sd_between": np.sqrt(between), "reliability": reliability,
        "reliability_all": float(spearman_brown(reliability, n_runs)),
        "n_enough": needed_runs(reliability, RELIABLE),
    }  # fmt: skip


def _with_many(correlation, row, coefficient: str, n_runs: int = 0) -> dict[str, object]:
    n_runs = n_runs or row["n_runs"]
    many = correlation_of_runs(
        correlation["all_runs"], n_runs, np.inf, row["reliability"], coefficient=coefficient
    )
    return correlation | {"many_runs": float(many)}


def _on_systems(judge: str, reading: Reading, coefficient: str) -> _Judged:
    """Runs on systems and documents; agreement is over systems, of a ranking alone."""
    runs = reading.runs[judge]
    human = (
        reading.benchmark.human.to_numpy() if reading.benchmark.judgments else np.full(runs.shape[1:], np.nan)
    )
    kind = {"level": "system", "coefficient": coefficient}
    one = all_runs = np.nan
    if reading.kind == "ranking" and not np.isnan(human).all():
        one = float(np.nanmean(correlate(runs, human, **kind).value))
        all_runs = float(correlate(mean_of(runs), human, **kind).value)
    return _Judged(runs, COEFFICIENT_LABELS[coefficient], one, all_runs, False)


def _on_items(judge: str, reading: Reading, coefficient: str) -> _Judged:
    """Runs on one system's items: exact agreement of labels, correlation of scores."""
    sides, runs = pair_labels(reading.labels, reading.clusters), reading.runs[judge]
    is_label = bool(sides.names) or (sides.binary and is_binary(runs))
    if is_label:
        one, all_runs = _shares_alike(runs, sides.judges[judge].to_numpy(), sides.gold)
        measure = "exact agreement"
    else:
        kind = {"level": "global", "coefficient": coefficient}
        people = sides.gold[None]
        one = float(np.nanmean(correlate(runs[:, None], people, **kind).value))
        all_runs = float(correlate(mean_of(runs)[None], people, **kind).value)
        measure = COEFFICIENT_LABELS[coefficient]
    return _Judged(group_items(runs, sides.clusters), measure, one, all_runs, is_label)


def _on_pairs(judge: str, reading: Reading, coefficient: str) -> _Judged:
    """Runs on pairs of outputs, in both orders: exact agreement with most people."""
    sides, runs = (
        pair_choices(reading.pairs, reading.clusters),
        np.sign(reading.runs[judge] - 0.5),
    )  # (n_runs, 2 orders, n_pairs)
    together = np.sign(mean_of(np.moveaxis(runs, 1, 0)))
    place = list(reading.pairs.judges.indexes["judge"]).index(judge)
    one, all_runs = _shares_alike(together, sides.judges[place], sides.majority)
    grouped = group_items(runs, sides.documents)
    return _Judged(grouped.reshape(len(runs), -1, grouped.shape[-1]), "exact agreement", one, all_runs, True)


def _shares_alike(runs: np.ndarray, all_runs: np.ndarray, people: np.ndarray) -> tuple[float, float]:
    """Share of items on which a run, on average, and all runs together agree with people."""
    known = ~np.isnan(people) & ~np.isnan(all_runs)
    present = ~np.isnan(runs) & known
    each = (present & (runs == people)).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return float(each.mean()), float((known & (all_runs == people)).sum() / max(known.sum(), 1))


def _short(table: pd.DataFrame) -> pd.DataFrame:
    """The table as text for the summary."""

    def digits(value: float) -> str:
        return number(value, 2)

    def cells(row: dict[str, object]) -> dict[str, str]:
        return {
            "judge": row["metric"], "of": row["level"], "runs": f"{row['n_runs']}",
            "two runs differ": format_interval(row, "flip_share"),
            "sd within": digits(row["sd_within"]), "between": digits(row["sd_between"]),
            "reliability of one": digits(row["reliability"]), "of all": digits(row["reliability_all"]),
            "with people: one run": digits(row["one_run"]), "all": digits(row["all_runs"]),
            "many": digits(row["many_runs"]),
            "enough": f"{row['n_enough']:.0f}" if np.isfinite(row["n_enough"]) else UNDEFINED,
        }  # fmt: skip

    return pd.DataFrame([cells(row) for row in table.to_dict("records")])
