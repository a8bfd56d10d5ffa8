"""reporting.disagreements: where judges and people differ: by item, and by slice of a user's files.

Judge and people are compared on one scale. Of labels and choices that is the share of people who pass the
item, choose the first, or choose the judge's label. Scores have scales of their own, so each side's are
replaced by their percentile rank among what both scored; a difference is in points from -100 to 100.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.own.sheets import TEXTS
from metaeval.own.writing import written
from metaeval.reporting.answer import as_it_stands, csv
from metaeval.reporting.paired_labels import is_binary, measure_agreement, pair_answers, ratio_ends
from metaeval.reporting.reading import WITHOUT_RANKING, Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import FEW_ITEMS
from metaeval.stats.correlation import COEFFICIENTS
from metaeval.stats.intervals import Ends
from metaeval.stats.reliability import mean_of
from metaeval.stats.slices import differences_from_others
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.readable import readable
from metaeval.tables.wording import percent

IDS = ("system", "document", "first", "second")
RESERVED = {*IDS, "item", "metric", "judge", "score", "people", "difference"}
TEXT_ROLES = ("text", *TEXTS)
MAX_LISTED = 10  # of each judge, in a report
MAX_TEXT = 120  # characters of a text in a report; the file has all
RANKS = "Scores are compared as percentile ranks among what both scored."
SHARES = {
    "pass": "A judge's 1 (pass) or 0 (fail) is compared with the share of people who pass the item.",
    "choice": "A choice (1 the first, 0 the second, 0.5 a tie) is compared with the mean of people's.",
    "label": "The difference is the share of people who chose another label than the judge.",
}

WHERE = "Where does a judge agree less with people than elsewhere?"
MAX_PRINTED = 12  # slices in a terminal, the lowest differences
TAIL_DRAWS = 10  # beyond each end of an interval
COLUMNS = ("slice", "measure", "n_values", "value", "low", "high")
FROM_OTHERS = ("from_others", "from_others_low", "from_others_high")


def compare_units(reading: Reading) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Compare each judge with people on all that both scored.

    Parameters
    ----------
    reading : Reading
        Of judges and people.

    Yields
    ------
    judge : str
    table : DataFrame
        With columns of ids (system and document; document; document, first and second), score, people and
        difference, the judge's minus people's.
    scale : str
        What the difference is, in a sentence of `RANKS` and `SHARES`.
    """
    if reading.benchmark is not None:
        ids, sides = reading.benchmark.human.to_series().index.to_frame(index=False), None
        planes = {name: reading.benchmark.metric(name).to_numpy().ravel() for name in reading.judges}
        people = reading.benchmark.human.to_numpy().ravel()
    else:
        sides = pair_answers(reading)
        planes, people = sides.judges, mean_of(sides.ratings)
    if reading.kind == "pairs":
        ids = reading.pairs.items[["document", "first", "second"]].reset_index(drop=True)
        planes, people = {name: (1 + own) / 2 for name, own in planes.items()}, (1 + people) / 2
    elif reading.kind == "one_system":
        ids = pd.DataFrame({"document": reading.labels["item"].unique()})
    for judge in reading.judges:
        score = planes[judge]
        if reading.kind == "one_system" and sides.answers:
            words, scale = np.array([*sides.answers.values(), None], dtype=object), SHARES["label"]
            difference = mean_of(np.where(np.isnan(sides.ratings), np.nan, sides.ratings != score))
            score, people = (words[np.nan_to_num(side, nan=-1).astype(int)] for side in (score, sides.gold))
        elif reading.kind == "pairs" or (reading.kind == "one_system" and sides.binary and is_binary(score)):
            difference, scale = score - people, SHARES["choice" if reading.kind == "pairs" else "pass"]
        else:
            both = np.where(np.isnan(score) | np.isnan(people), np.nan, [score, people])
            difference, scale = np.subtract(*map(percentile_ranks, both)), RANKS
        table = ids.assign(score=score, people=people, difference=difference)
        yield judge, table[~np.isnan(difference)], scale


def percentile_ranks(values: np.ndarray) -> np.ndarray:
    """Mean rank of each value (n,) among those that are not NaN, in percent from 0 to 100.

    Examples
    --------
    >>> percentile_ranks([3.0, 1.0, float("nan"), 3.0, 9.0]).tolist()
    [50.0, 12.5, nan, 50.0, 87.5]
    """
    values = np.asarray(values, dtype=float)
    return 100 * (scipy.stats.rankdata(values, nan_policy="omit") - 0.5) / max((~np.isnan(values)).sum(), 1)


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
    for judge, table, scale in compare_units(reading):
        order = np.argsort(-table["difference"].abs().to_numpy(), kind="stable")
        parts.append(table.iloc[order[:n_rows]].assign(metric=judge))
        scales[scale] = None
    whole = pd.concat(parts, ignore_index=True).set_index("metric").reset_index()
    passages = texts_of(reading) if texts else None
    if passages is not None:
        whole = whole.merge(passages, on=[name for name in passages if name in whole], how="left")
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
    frame, parts = reading.rows.frame.drop_nulls("value"), []
    ids = [name for name in IDS if name in frame.columns and reading.rows.names(name)]
    for i, one in enumerate(reading.rows.proposals):
        own, texts = frame.filter(pl.col("file") == i), {}
        for name in (role.column for role in one.roles if role.role in TEXT_ROLES):
            cells = one.sheet.columns[name].cells
            if own.height and cells.dtype == pl.String:
                texts[f"{name} (text)" if name in RESERVED else name] = cells.gather(own["row"])
        if texts:
            parts.append(own.select(pl.col(ids).cast(pl.String)).with_columns(**texts))
    if not parts:
        return None
    by_id = pl.concat(parts, how="diagonal").group_by(ids, maintain_order=True)
    return pd.DataFrame(by_id.agg(pl.all().drop_nulls().first()).to_dict(as_series=False))


def disagreement_section(reading: Reading, *, texts: bool = True) -> Section:
    """Section on the items on which each judge and people differ most, with texts cut short."""
    table, scale = disagreement_table(reading, n_rows=MAX_LISTED, texts=texts)
    table = table.map(lambda cell: cell[:MAX_TEXT] if isinstance(cell, str) else cell)
    note = f"{scale} With --disagreements FILE.csv all of them are written."
    return Section("disagreements", "On which items do judge and people differ most?", table, note)


def write_disagreements(reading: Reading, path: Path, *, texts: bool = True) -> int:
    """Write all differences as CSV with a guard against formulas; returns the number of rows."""
    table, _ = disagreement_table(reading, texts=texts)
    with written(path) as partial:
        partial.write_text(csv(table.rename(columns={"metric": "judge"})), encoding="utf8")
    return len(table)


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
    tail = (1 - settings.confidence_level) / (2 * len(slices) * len(reading.judges))
    options = {
        "coefficient": settings.coefficient, "rng": settings.seed,
        "n_resamples": max(settings.n_resamples, math.ceil(TAIL_DRAWS / tail)),
    }  # fmt: skip
    measured = {}
    for judge in reading.judges:
        measure = None
        if reading.kind in WITHOUT_RANKING:
            measure = measure_agreement(reading, [judge], **options | {"n_resamples": 1}).measure
        for name, one in slices.items():
            # a slice without people, without this judge, or with labels of another kind than elsewhere
            with suppress(DataError, UnknownNameError, SourceUnavailableError):
                measured[judge, name] = _measure_slice(one, judge, measure, options)
    large = {key: values for key, values in measured.items() if values[1] >= FEW_ITEMS}
    level = 1 - (1 - settings.confidence_level) / max(len(large), 1)  # Bonferroni
    rows = []
    for (judge, name), (label, n, value, ends) in large.items():
        low, high = map(float, ends(level)[:2])
        if not np.isnan([value, low]).any():
            row = {"metric": judge, "slice": name, "measure": label, "n_values": n, "value": value}
            rows.append(row | {"low": low, "high": high})
    tables = []
    for _, part in pd.DataFrame(rows, columns=["metric", *COLUMNS]).groupby("metric", sort=False):
        sides = (part[name].to_numpy() for name in ("value", "low", "high", "n_values"))
        apart = dict(zip(FROM_OTHERS, differences_from_others(*sides), strict=True))
        tables += [part.assign(**apart)] if len(part) > 1 else []
    if not tables:
        yield LeftOut("agreement by slice", f"no two slices have {FEW_ITEMS} items, and an interval")
        return
    table = pd.concat(tables).sort_values("from_others", kind="stable", ignore_index=True)
    table["answer"] = np.where(table["from_others_high"] < 0, "yes", "not shown")
    note = (
        f"The intervals hold for all {len(large)} values together (Bonferroni), and so do those of a slice's "
        "value minus the mean of the other slices'. A judge agrees less where all of that lies below 0."
    )
    pairs = {*zip(table["metric"], table["slice"], strict=True)}
    lacking = [key for key in itertools.product(reading.judges, slices) if key not in pairs]
    names = [f"{judge} in {name}" if len(reading.judges) > 1 else name for judge, name in lacking]
    note += f" Without an interval: {', '.join(names)}." if names else ""
    title = f"{WHERE} ({percent(settings.confidence_level, None)} intervals for all together)"
    printed = readable(table[:MAX_PRINTED], table="slices", words=as_it_stands, share=False).frame
    yield Section("slices", title, table, note, printed)


def _measure_slice(
    reading: Reading, judge: str, measure: str | None, options: Mapping[str, object]
) -> tuple[str, int, float, Callable[[float], Ends]]:
    """Name, number of units and value of a judge's agreement, and its interval by confidence level.

    Of a ranking the mean correlation between the outputs of a document, where it is defined.
    """
    if reading.kind in WITHOUT_RANKING:
        one = measure_agreement(reading, [judge], measure=measure, **options)
        return one.name, one.n, float(one.value[0]), lambda level: one.ends(0, level)
    scores, people = reading.benchmark.metric(judge).to_numpy(), reading.benchmark.human.to_numpy()
    each = COEFFICIENTS[options["coefficient"]](scores.T, people.T)
    each = each[~np.isnan(each)]
    name = f"{COEFFICIENT_LABELS[options['coefficient']]} within documents"
    value = float(each.mean()) if len(each) else np.nan
    return name, len(each), value, lambda level: ratio_ends(each, np.ones(len(each)), level)
