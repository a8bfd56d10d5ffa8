"""reporting.disagreements: the items on which judges and people differ most.

Judge and people are compared on one scale. Of labels and choices that is the share of people who pass the
item, choose the first, or choose the judge's label. Scores have scales of their own, so each side's are
replaced by their percentile rank among what both scored; a difference is in points from -100 to 100.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.own.sheets import TEXTS
from metaeval.own.writing import written
from metaeval.reporting.answer import csv
from metaeval.reporting.paired_labels import is_binary, pair_choices, pair_labels
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import Section
from metaeval.stats.reliability import mean_of

MAX_LISTED = 10  # of each judge, in a report
MAX_TEXT = 120  # characters of a text in a report; the file has all
RANKS = "Scores are compared as percentile ranks among what both scored."
SHARES = {
    "pass": "A judge's 1 (pass) or 0 (fail) is compared with the share of people who pass the item.",
    "choice": "A choice (1 the first, 0 the second, 0.5 a tie) is compared with the mean of people's.",
    "label": "The difference is the share of people who chose another label than the judge.",
}


def compare_units(reading: Reading, judge: str) -> tuple[pd.DataFrame, str]:
    """Everything that a judge and people scored, and the scale of the differences in a sentence.

    Parameters
    ----------
    reading : Reading
    judge : str
        One of its judges.

    Returns
    -------
    table : DataFrame
        Columns of ids (system and document; document; document, first and second), score, people and
        difference, the judge's minus people's.
    scale : str
        Of `RANKS` and `SHARES`.
    """
    if reading.kind == "pairs":
        pairs, sides = reading.pairs, pair_choices(reading.pairs)
        ids = pairs.items[["document", "first", "second"]].reset_index(drop=True)
        score = (1 + sides.judges[list(pairs.judges.indexes["judge"]).index(judge)]) / 2
        people = (1 + mean_of(sides.people)) / 2
        return _known(ids, score, people, score - people), SHARES["choice"]
    if reading.kind == "one_system":
        sides = pair_labels(reading.labels)
        ids, score = pd.DataFrame({"document": sides.judges.index}), sides.judges[judge].to_numpy()
        if sides.names:
            others = np.where(np.isnan(sides.ratings), np.nan, sides.ratings != score)
            table = _known(ids, score, sides.gold, mean_of(others))
            words = dict(enumerate(sides.names))
            return table.assign(score=table["score"].map(words), people=table["people"].map(words)), SHARES[
                "label"
            ]
        people = mean_of(sides.ratings)
        if sides.binary and is_binary(score):
            return _known(ids, score, people, score - people), SHARES["pass"]
    else:
        benchmark = reading.benchmark
        cells = pd.MultiIndex.from_product(
            [benchmark.systems, benchmark.documents], names=["system", "document"]
        )
        ids = cells.to_frame(index=False)
        score, people = benchmark.metric(judge).to_numpy().ravel(), benchmark.human.to_numpy().ravel()
    both = ~np.isnan(score) & ~np.isnan(people)
    ranks = [percentile_ranks(np.where(both, side, np.nan)) for side in (score, people)]
    return _known(ids, score, people, ranks[0] - ranks[1]), RANKS


def percentile_ranks(values: np.ndarray) -> np.ndarray:
    """Mean rank of each value (n,) among those that are not NaN, in percent from 0 to 100.

    Examples
    --------
    >>> percentile_ranks([3.0, 1.0, float("nan"), 3.0, 9.0]).tolist()
    [50.0, 12.5, nan, 50.0, 87.5]
    """
    values = np.asarray(values, dtype=float)
    return 100 * (scipy.stats.rankdata(values, nan_policy="omit") - 0.5) / max((~np.isnan(values)).sum(), 1)


def _known(ids: pd.DataFrame, score: np.ndarray, people: np.ndarray, difference: np.ndarray) -> pd.DataFrame:
    table = ids.assign(score=score, people=people, difference=difference)
    return table[~np.isnan(difference)]


def disagreement_table(
    reading: Reading, *, n_rows: int | None = None, texts: bool = True
) -> tuple[pd.DataFrame, str]:
    """Units of all judges by descending difference from people, and the scales in a sentence or more.

    Parameters
    ----------
    reading : Reading
        Of judges and people.
    n_rows : int, optional
        Rows of each judge; by default all.
    texts : bool
        True for the columns of texts that the files have.
    """
    parts, scales = [], {}
    for judge in reading.judges:
        table, scale = compare_units(reading, judge)
        by_size = np.argsort(-table["difference"].abs().to_numpy(), kind="stable")
        parts.append(table.iloc[by_size[:n_rows]].assign(metric=judge))
        scales[scale] = None
    whole = pd.concat(parts, ignore_index=True)
    whole.insert(0, "metric", whole.pop("metric"))
    given = texts_of(reading) if texts else None
    if given is not None:
        whole = whole.merge(given, on=[name for name in given if name in whole], how="left")
    items = {"document": "item"} if reading.kind in ("one_system", "pairs") else {}
    return whole.rename(columns=items), " ".join(scales)


def texts_of(reading: Reading) -> pd.DataFrame | None:
    """Texts of what is scored, by columns of ids as in `compare_units`; None without any."""
    if reading.benchmark is not None and reading.benchmark.texts is not None:
        texts = reading.benchmark.texts
        table = texts.summaries.to_series().rename("summary").reset_index()
        return table.assign(source=table["document"].map(dict(texts.sources))) if texts.sources else table
    if reading.rows is None:
        return None
    frame, parts = reading.rows.frame, []
    ids = [name for name in ("system", "document", "first", "second") if name in frame.columns]
    ids = [name for name in ids if reading.rows.names(name)]
    for i, one in enumerate(reading.rows.proposals):
        names = [role.column for role in one.roles if role.role in ("text", *TEXTS)]
        own = frame.filter(pl.col("file") == i)
        if names and own.height:
            cells = [
                one.sheet.columns[name].cells.gather(own["row"]).cast(pl.String).alias(name) for name in names
            ]
            parts.append(own.select(pl.col(ids).cast(pl.String)).with_columns(cells))
    if not parts:
        return None
    by_id = pl.concat(parts, how="diagonal").group_by(ids, maintain_order=True)
    return pd.DataFrame(by_id.agg(pl.all().drop_nulls().first()).to_dict(as_series=False))


def disagreement_section(reading: Reading, *, texts: bool = True) -> Section:
    """Section on the items on which each judge and people differ most, with texts cut short."""
    table, scale = disagreement_table(reading, n_rows=MAX_LISTED, texts=texts)
    table = table.map(
        lambda cell: f"{cell[:MAX_TEXT]}…" if isinstance(cell, str) and len(cell) > MAX_TEXT else cell
    )
    note = f"{scale} With --disagreements FILE.csv all of them are written."
    return Section("disagreements", "On which items do judge and people differ most?", table, note)


def write_disagreements(reading: Reading, path: Path, *, texts: bool = True) -> int:
    """Write all differences as CSV with a guard against formulas; returns the number of rows."""
    table, _ = disagreement_table(reading, texts=texts)
    with written(path) as partial:
        partial.write_text(csv(table.rename(columns={"metric": "judge"})), encoding="utf8")
    return len(table)
