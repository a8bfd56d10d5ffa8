"""reporting.slices: a judge's agreement with people in each slice of a user's files, beside the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pandas as pd

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.reporting.answer import as_it_stands
from metaeval.reporting.paired_labels import measure_agreement, ratio_ends
from metaeval.reporting.reading import WITHOUT_RANKING, Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import FEW_ITEMS
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.intervals import differences_from_others
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.readable import readable
from metaeval.tables.wording import percent

QUESTION = "Where does a judge agree less with people than elsewhere?"
COLUMNS = ("metric", "slice", "measure", "n_values", "value", "low", "high")
FROM_OTHERS = ("from_others", "from_others_low", "from_others_high")
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
    if not slices:
        return
    sizes: dict[tuple[str, str], int] = {}
    for name, one in slices.items():
        for judge in one.judges:
            with suppress(DataError, SourceUnavailableError):  # no people
                sizes[judge, name] = _count_units(one, judge, settings.coefficient)
    sizes = {key: n for key, n in sizes.items() if n >= FEW_ITEMS}
    level = 1 - (1 - settings.confidence_level) / max(len(sizes), 1)  # Bonferroni
    n_draws = max(settings.n_resamples, math.ceil(2 * TAIL_DRAWS / (1 - level)))
    draws = {"n_resamples": n_draws, "rng": settings.seed}
    tables = [
        _agreements(reading, slices, judge, of, level, settings.coefficient, draws)
        for judge in reading.judges
        if (of := {name: n for (one, name), n in sizes.items() if one == judge})
    ]
    tables = [table for table in tables if len(table) > 1]
    if not tables:
        yield LeftOut("agreement by slice", f"no two slices have {FEW_ITEMS} items, and an interval")
        return
    table = pd.concat(tables).sort_values("from_others", kind="stable", ignore_index=True)
    table["answer"] = np.where(table["from_others_high"] < 0, "yes", "not shown")
    note = (
        f"The intervals hold for all {len(sizes)} values together (Bonferroni), and so do those of a slice's "
        "value minus the mean of the other slices'. A judge agrees less where all of that lies below 0."
    )
    alone = [name for name in slices if name not in set(table["slice"])]
    note += f" Without an interval: {', '.join(alone)}." if alone else ""
    title = f"{QUESTION} ({percent(settings.confidence_level, None)} intervals for all together)"
    printed = readable(table[:MAX_PRINTED], table="slices", words=as_it_stands, share=False).frame
    yield Section("slices", title, table, note, printed)


def _agreements(reading, slices, judge, sizes, level, coefficient, draws) -> pd.DataFrame:
    """A judge's agreement in each slice where it has an interval, beside the others."""
    is_ranking = reading.kind not in WITHOUT_RANKING
    if is_ranking:
        name = f"{COEFFICIENT_LABELS[coefficient]} within documents"
    else:
        how = {"coefficient": coefficient, **draws}
        whole = measure_agreement(reading, [judge], **how)
        name = whole.name
    rows = []
    for slice_, n in sizes.items():
        try:
            if is_ranking:
                each = _within_documents(slices[slice_], judge, coefficient)
                value, ends = float(each.mean()), ratio_ends(each, np.ones(n), level)
            else:
                own = measure_agreement(slices[slice_], [judge], measure=whole.measure, **how)
                value, ends = float(own.value[0]), own.ends(0, level)
        except DataError:  # labels of another kind than elsewhere
            continue
        if not np.isnan([value, ends.low]).any():
            rows.append((judge, slice_, name, n, value, float(ends.low), float(ends.high)))
    table = pd.DataFrame(rows, columns=COLUMNS)
    sides = (table[name].to_numpy() for name in ("value", "low", "high", "n_values"))
    return table.assign(**dict(zip(FROM_OTHERS, differences_from_others(*sides), strict=True)))


def _count_units(reading: Reading, judge: str, coefficient: str) -> int:
    """Number of units behind a judge's agreement: items or pairs, or documents of a ranking."""
    if reading.kind not in WITHOUT_RANKING:
        return len(_within_documents(reading, judge, coefficient))
    return measure_agreement(reading, [judge], coefficient=coefficient, n_resamples=1, rng=0).n


def _within_documents(reading: Reading, judge: str, coefficient: str) -> np.ndarray:
    """Correlations between the outputs of a document, (n_documents,), where they are defined."""
    scores, people = reading.benchmark.metric(judge).to_numpy(), reading.benchmark.human.to_numpy()
    each = COEFFICIENTS[coefficient](scores.T, people.T)
    return each[~np.isnan(each)]
