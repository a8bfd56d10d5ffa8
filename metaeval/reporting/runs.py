"""reporting.runs: a judge that was asked several times: how much its runs differ, and what one costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from metaeval.reporting.paired_labels import is_binary, pair_answers
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import MAX_GRADES, Section
from metaeval.reporting.verdict import format_interval
from metaeval.stats.agreement import agreement
from metaeval.stats.bias import clustered_share
from metaeval.stats.correlation import correlate
from metaeval.stats.reliability import mean_of, spearman_brown
from metaeval.stats.runs import (
    MAX_RUNS,
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
from metaeval.tables.wording import counted, number, percent

RELIABLE = 0.9  # of a mean that is worth its runs
STABLE = 0.95  # share of items with a majority that more runs would not change
EXACT = "exact agreement"
_FLIPS = ("flip_share", "flip_share_low", "flip_share_high")
_SHORT = {
    "metric": "judge", "level": "of", "n_items": "items with several", "n_runs": "runs",
    "flip_share": "two runs differ",
    "sd_within": "sd within items", "sd_between": "sd between", "reliability": "reliability of one run",
    "reliability_all": "of all", "one_run": "one run with people", "all_runs": "all with people",
    "many_runs": "many with people", "n_enough": "enough runs",
}  # fmt: skip


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
    short = table[[*_SHORT]].map(lambda cell: number(cell, 2) if isinstance(cell, float) else f"{cell}")
    short["n_runs"] = [_format_numbers(row) for row in rows]
    short["flip_share"] = [format_interval(row, "flip_share") for row in rows]
    short["n_enough"] = [f"over {MAX_RUNS}" if np.isinf(n) else number(n, 0) for n in table["n_enough"]]
    short = short.drop(columns=short.columns[table[short.columns].isna().all()])
    title = "How much do a judge's own runs differ?"
    return [Section("runs", title, table, note, short.rename(columns=_SHORT))]


def enough_lines(sections: Sequence[Section]) -> list[str]:
    """Line on each judge that was asked several times: how many runs are enough, by the section on runs."""
    tables = [one.table.drop_duplicates("metric", keep="last") for one in sections]
    return [_format_enough(row) for table in tables for row in table.to_dict("records")]


def _format_enough(row: Mapping[str, object]) -> str:
    judge, n = row["metric"], row["n_enough"]
    if np.isnan(n):
        return f"{judge}: how many runs are enough cannot be told."
    if np.isinf(n):
        return f"{judge}: no number of runs that was tried is enough."
    if row["measure"] == EXACT:
        return f"{judge}: a majority that holds on {percent(STABLE)} of items takes {counted(int(n), 'run')}."
    return f"{judge}: a mean with a reliability of {RELIABLE:g} takes {counted(int(n), 'run')}."


def _format_numbers(row: Mapping[str, object]) -> str:
    low, high = row["n_runs_low"], row["n_runs"]
    return f"{high}" if low == high else f"{low} to {high}"


def _rows(
    judge: str, reading: Reading, coefficient: str, confidence_level: float, rng: RNGLike
) -> list[dict[str, object]]:
    """Row of a judge's items, and for a ranking one of its systems' means, whose agreement it is."""
    runs, answers, together, people, is_label = _sides(judge, reading)
    flat = runs.reshape(len(runs), -1)
    counts = (~np.isnan(flat)).sum(axis=0)
    counts = counts[counts > 1]
    if not counts.size:
        return []
    n_runs = 1 / np.mean(1 / counts)
    is_repeated = (~np.isnan(answers)).sum(axis=0) > 1
    row = {
        "metric": judge, "level": "items", "n_runs": int(counts.max()), "n_runs_low": int(counts.min()),
        "n_items": int(counts.size), "n_once": int((~np.isnan(together + people) & ~is_repeated).sum()),
        **dict.fromkeys(_FLIPS, np.nan), **_noise(flat, n_runs),
    }  # fmt: skip
    if is_label or len(np.unique(flat[~np.isnan(flat)])) <= MAX_GRADES:
        shares = flip_shares(flat).reshape(runs.shape[1:])
        flips = clustered_share(shares, by=("document",), confidence_level=confidence_level)
        row |= dict(zip(_FLIPS, map(float, (flips.value, flips.low, flips.high)), strict=True))
    correlation = {"measure": "", **dict.fromkeys(("one_run", "all_runs", "many_runs"), np.nan)}
    if is_label:  # whose numbers may have no order
        row |= dict.fromkeys(("sd_within", "sd_between", "reliability_all"), np.nan)
        row["reliability"] = agreement(flat, coefficient="fleiss")
        row["n_enough"] = stable_majority(flat, target=STABLE, rng=rng)
        one = mean_of(np.where(np.isnan(answers + people), np.nan, answers == people))
        one = np.where(is_repeated, one, np.nan)
        every = np.where(np.isnan(together), one, together == people)  # of a tie one run counts
        agreed = {"one_run": np.nanmean(one), "all_runs": np.nanmean(np.where(np.isnan(one), np.nan, every))}
        return [row | correlation | agreed | {"measure": EXACT}]
    if reading.kind == "two_systems":
        return [row | correlation]
    is_ranked = reading.kind == "ranking"
    kind = {"level": "system" if is_ranked else "global", "coefficient": coefficient}
    # of single runs only those that every item has are held against people
    n_full = row["n_runs_low"]
    answers, together = (np.where(is_repeated, side, np.nan) for side in (answers[:n_full], together))
    means = _noise(system_means(runs[:n_full]), n_runs) if is_ranked else row
    every = float(correlate(together, people, **kind).value)
    many = correlation_of_runs(every, n_runs, np.inf, means["reliability"], coefficient=coefficient)
    agreed = {
        "measure": COEFFICIENT_LABELS[coefficient], "all_runs": every, "many_runs": float(many),
        "one_run": float(np.nanmean(correlate(answers, people, **kind).value)),
    }  # fmt: skip
    if not is_ranked:
        return [row | agreed]
    beside = {**row, "level": "systems' means", **dict.fromkeys(_FLIPS, np.nan), **means, **agreed}
    return [row | correlation, beside]


def _noise(flat: np.ndarray, n_runs: int) -> dict[str, float]:
    within, between = run_variances(flat)
    reliability = run_reliability(flat)
    return {
        "sd_within": np.sqrt(within), "sd_between": np.sqrt(between), "reliability": reliability,
        "reliability_all": float(spearman_brown(reliability, n_runs)),
        "n_enough": needed_runs(reliability, RELIABLE) if within else 1.0,
    }  # fmt: skip


def _sides(judge: str, reading: Reading) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
    """Runs (n_runs, n_places, n_units that are drawn together); answers by run, by all runs together and by
    people; and whether they are labels."""
    runs, benchmark = reading.runs[judge], reading.benchmark
    if benchmark is not None:
        has_people = bool(benchmark.judgments)
        people = benchmark.human.to_numpy() if has_people else np.full(runs.shape[1:], np.nan)
        return runs, runs, benchmark.metric(judge).to_numpy(), people, False
    sides = pair_answers(reading)
    if reading.kind == "pairs":
        runs = np.sign(runs - 0.5)
        answers = np.sign(mean_of(np.moveaxis(runs, 1, 0)))  # over the orders
        runs = sides.planes(runs)
        runs = runs.reshape(len(runs), -1, runs.shape[-1])
        return runs, answers, sides.judges[judge], sides.gold, True
    runs, together, people = (sides.planes(side) for side in (runs, sides.judges[judge], sides.gold))
    return runs, runs, together, people, bool(sides.answers) or (sides.binary and is_binary(runs))
