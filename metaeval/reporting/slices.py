"""reporting.slices: a judge's agreement with people in each slice of a user's files, beside the others."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError
from metaeval.reporting.disagreements import compare_units
from metaeval.reporting.paired_labels import measure_agreement, ratio_ends
from metaeval.reporting.reading import WITHOUT_RANKING, Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import FEW_ITEMS, format_interval
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.slices import differences_from_others, simultaneous_level
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import joined, percent

QUESTION = "Where does a judge agree less with people than elsewhere?"
LESS, NOT_SHOWN = "yes", "not shown"
MAX_PRINTED = 12  # rows in a terminal, the lowest differences
TAIL_DRAWS = 10  # beyond each end of an interval


def slice_parts(reading: Reading, settings: Settings) -> Iterator[Section | LeftOut]:
    """Section on agreement by slice, of the groups that ``--by`` names; nothing without groups.

    Parameters
    ----------
    reading : Reading
        Of all groups.
    settings : Settings
    """
    slices = {name: one for name, one in reading.slices().items() if one.kind == reading.kind}
    judges = [name for name in reading.judges if name not in reading.lengths]
    sizes = {(judge, name): _count_units(one, judge) for judge in judges for name, one in slices.items()}
    sizes = {key: n for key, n in sizes.items() if n >= FEW_ITEMS}
    if not slices:
        return
    level = simultaneous_level(settings.confidence_level, max(len(sizes), 1))
    draws = settings.draws | {
        "n_resamples": max(settings.n_resamples, math.ceil(2 * TAIL_DRAWS / (1 - level)))
    }
    rows = []
    for judge in judges:
        of = {name: n for (one, name), n in sizes.items() if one == judge}
        rows += _beside_others(_agreements(reading, slices, judge, of, level, settings.coefficient, draws))
    if not rows:
        yield LeftOut(
            "agreement by slice", f"no two slices have {FEW_ITEMS} items and more, with an interval"
        )
        return
    table = pd.DataFrame(rows).sort_values("from_others", kind="stable", ignore_index=True)
    together = f"the {len(sizes)} intervals hold together at {percent(settings.confidence_level, None)}"
    note = (
        f"{joined(table['measure'].unique())}; {together} (Bonferroni), and so do those of a slice's value "
        "minus the mean of the other slices'. A judge agrees less where all of that interval lies below 0."
    )
    alone = [name for name in slices if name not in set(table["slice"])]
    note += f" Without an interval: {', '.join(alone)}." if alone else ""
    yield Section("slices", QUESTION, table, note, _printed(table, settings))


def _count_units(reading: Reading, judge: str) -> int:
    """Units of a slice that a judge and people scored."""
    try:
        return len(compare_units(reading, judge)[0]) if judge in reading.judges else 0
    except DataError:  # no people
        return 0


def _agreements(reading, slices, judge, sizes, level, coefficient, draws) -> list[dict[str, object]]:
    """Rows of a judge's agreement in each slice where it has an interval."""
    ranked = reading.kind not in WITHOUT_RANKING
    if ranked:
        name = f"{COEFFICIENT_LABELS[coefficient]} within documents"
    elif sizes:
        how = {"coefficient": coefficient, **draws}
        whole = measure_agreement(reading, [judge], **how)
        name = whole.name
    rows = []
    for slice_, n in sizes.items():
        try:
            if ranked:
                n, value, ends = _within_documents(slices[slice_], judge, coefficient, level)
            else:
                own = measure_agreement(slices[slice_], [judge], measure=whole.measure, **how)
                value, ends = float(own.value[0]), own.ends(0, level)
        except DataError:  # labels of another kind than elsewhere
            continue
        if not np.isnan([value, ends.low]).any():
            ids = {"metric": judge, "slice": slice_, "measure": name, "n_values": n}
            rows.append(ids | {"value": value, "low": float(ends.low), "high": float(ends.high)})
    return rows


def _within_documents(reading: Reading, judge: str, coefficient: str, level: float):
    """Number of documents, mean correlation between the outputs of one, and its interval."""
    scores, people = reading.benchmark.metric(judge).to_numpy(), reading.benchmark.human.to_numpy()
    each = COEFFICIENTS[coefficient](scores.T, people.T)
    each = each[~np.isnan(each)]
    value = float(each.mean()) if len(each) >= FEW_ITEMS else math.nan
    return len(each), value, ratio_ends(each, np.ones(len(each)), level)


def _beside_others(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Rows of a judge with the differences from its other slices; none for a single slice."""
    if len(rows) < 2:
        return []
    parts = differences_from_others(
        *([row[name] for row in rows] for name in ("value", "low", "high", "n_values"))
    )
    return [
        row
        | {"from_others": float(value), "others_low": float(low), "others_high": float(high)}
        | {"answer": LESS if high < 0 else NOT_SHOWN}
        for row, value, low, high in zip(rows, *parts, strict=True)
    ]


def _printed(table: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    level, measures = percent(settings.confidence_level, None), table["measure"].unique()
    measure = measures[0] if len(measures) == 1 else "agreement"
    rows = []
    for row in table[:MAX_PRINTED].to_dict("records"):
        apart = {"value": row["from_others"], "low": row["others_low"], "high": row["others_high"]}
        rows.append(
            {
                "judge": row["metric"],
                "slice": row["slice"],
                f"{measure} [{level}, all together]": format_interval(row),
                f"minus the others [{level}]": format_interval(apart, at=0.0, signed=True),
                "answer": row["answer"],
            }
        )
    return pd.DataFrame(rows)
