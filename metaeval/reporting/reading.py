"""reporting.reading: a user's own files as one `Reading`, whatever their shape."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.core.mode import OWN_DATA
from metaeval.datasets.readers.tables import natural
from metaeval.own.benchmark import array, gold
from metaeval.own.columns import PEOPLE, plain
from metaeval.own.tidy import Source, Tidy, as_sources, listed, tidy
from metaeval.stats.differences import MIN_OBSERVATIONS
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, with_ids
from metaeval.tables.pairs import ORDERS, Pairs, assemble_pairs
from metaeval.tables.wording import counted, joined

KINDS = ("ranking", "two_systems", "one_system", "pairs", "systems_only")
FALLS = -0.3  # a judge correlated so with people may count the other way round
MOST_SYSTEMS = 5_000  # every pair of systems is compared


@dataclass(frozen=True, eq=False)
class Reading:
    """What a user's files hold.

    Attributes
    ----------
    kind : str
        ``"ranking"``: of three systems or more; ``"two_systems"``: a difference; ``"one_system"``: items that
        judges and people labelled, see `labels`; ``"pairs"``: choices between two outputs, see `pairs`;
        ``"systems_only"``: one score for each system, in a benchmark with a single document.
    benchmark : Benchmark or None
        The judges' scores and people's, with ratings by rater where there are raters; without any judgment
        where no scores are people's. None for one system and for pairs.
    labels : DataFrame or None
        Of one system: columns item, role (``"judge"`` or ``"person"``), name (the judge's or the rater's, or
        the judgment's where people have no names), value; one row per label, none where one is missing.
    pairs : Pairs or None
    notes : tuple of str
        What was guessed, turned or left out, in sentences.
    files : tuple of str
        The files' names.
    lengths : tuple of str
        Judges that say how long a text is, and judge nothing; see `metaeval.own.columns.LENGTHS`.
    """

    kind: str
    benchmark: Benchmark | None
    labels: pd.DataFrame | None
    pairs: Pairs | None
    notes: tuple[str, ...]
    files: tuple[str, ...]
    lengths: tuple[str, ...] = ()


def read(files: Source | Sequence[Source], **how: Any) -> Reading:
    """A user's scores, labels or choices, from one file or from several that are joined by their ids.

    Parameters
    ----------
    files, how : see `metaeval.own.tidy.tidy`
        Raters among `judges` are judges, as if named in `machines` too.

    Returns
    -------
    Reading

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        Naming file, line, column and value, and what to do.
    """
    files = as_sources(files)
    found = tidy(files, **how)
    raters = {*found.names("rater")} - {*found.names("name")}
    machines = [judge for judge in listed(how.get("judges")) if judge in raters]
    if machines:
        found = tidy(files, **how | {"machines": [*listed(how.get("machines")), *machines]})
    notes = [*found.notes, *alike(found)]
    if machines:
        notes.append(f"Asked about as judges, raters are not counted among people: {joined(machines)}.")
    kind = kind_of(found)
    if kind in ("ranking", "systems_only"):
        notes += [
            f"{name} {falls(name, r)}."
            for name, r in falling_judges(found).items()
            if name not in (*found.turned, *found.lengths)
        ]
    benchmark = labels = pairs = None
    if kind == "pairs":
        pairs = _pairs(found, notes)
    elif kind == "one_system":
        labels = _labels(found)
    else:
        benchmark = _benchmark(found, notes)
        if kind == "ranking" and len(benchmark.systems) == 2:
            kind = "two_systems"
    return Reading(kind, benchmark, labels, pairs, tuple(notes), _files(found), found.lengths)


def kind_of(found: Tidy) -> str:
    """Which of `KINDS` some files are."""
    if found.pairs:
        return "pairs"
    n_systems = len(found.names("system"))
    if n_systems < 2:
        return "one_system"
    if not found.names("document"):
        return "systems_only"
    return "ranking" if n_systems > 2 else "two_systems"


def alike(found: Tidy) -> list[str]:
    """A sentence for each kind of names that look like one and the same."""
    notes = []
    for column in ("system", "name", "rater", "first"):
        by_name = defaultdict(list)
        for name in found.names(column) if column in found.frame.columns else []:
            by_name[plain(name) or name].append(name)
        same = [names for names in by_name.values() if len(names) > 1]
        if same:
            notes.append(f"Are these one and the same? {'; '.join(map(listing, same[:5]))}")
    return notes


def falling_judges(found: Tidy) -> dict[str, float]:
    """Judges whose means of systems fall as people's rise, and their correlations with people's."""
    means = found.frame.group_by("person", "name", "system").agg(pl.col("value").mean())
    people = means.filter("person").group_by("system").agg(pl.col("value").mean().alias("said"))
    both = means.filter(~pl.col("person")).join(people, on="system")
    r = both.group_by("name", maintain_order=True).agg(r=pl.corr("value", "said"), n=pl.len())
    kept = r.filter((pl.col("r") < FALLS) & (pl.col("n") >= MIN_OBSERVATIONS)).sort("name")
    return dict(kept.select(pl.col("name").cast(pl.String), "r").iter_rows())


def falls(name: str, r: float) -> str:
    """What is said of such a judge, after its name."""
    return f"falls as people's rise (r = {r:.2f}): if lower is better, --lower {name!r}"


def common_systems(found: Tidy) -> tuple[list[str], list[str]]:
    """Systems that judges and people score, or all where only one side is there; and those left out.

    Raises
    ------
    DataError
        If they have fewer than two systems, or no document, in common.
    """
    ids = {
        column: [set(names) for person in (False, True) if (names := found.names(column, person=person))]
        for column in ("system", "document")
    }
    kept = sorted(set.intersection(*ids["system"]), key=natural)
    left = sorted(set.union(*ids["system"]) - set(kept), key=natural)
    if len(kept) < 2:
        judged, said = map(listing, ids["system"])
        raise DataError(
            f"judges and people have {len(kept) or 'no'} system in common: judges score {judged}, people "
            f"{said}; call systems alike"
        )
    if ids["document"] and not set.intersection(*ids["document"]):
        judged, said = map(listing, ids["document"])
        raise DataError(
            " ".join(
                [
                    f"judges and people have no document in common: {judged} and {said}; call them alike.",
                    *found.notes,
                ]
            )
        )
    return kept, left


def left_out(systems: Sequence[str]) -> list[str]:
    """A sentence on the systems that are left out, if any are."""
    said = f"Left out, since only judges or only people score them: {listing(systems)}."
    return [said] if systems else []


def _files(found: Tidy) -> tuple[str, ...]:
    return tuple(table.name for table in found.tables)


def _provenance(found: Tidy) -> Provenance:
    return Provenance(files=_files(found), licence="yours", citation=())


def _benchmark(found: Tidy, notes: list[str]) -> Benchmark:
    """Scores and people's on the systems that both have, or all where there are no people."""
    kept, left = common_systems(found)
    parts = found.frame.partition_by("person", as_dict=True, include_key=False)
    judged, said = (parts.get((person,), found.frame.clear()) for person in (False, True))
    notes += left_out(left)
    if len(kept) > MOST_SYSTEMS:
        raise DataError(
            f"{len(kept):,} systems are {comb(len(kept), 2):,} pairs, and every pair is compared; keep at "
            f"most {MOST_SYSTEMS:,}, such as the best, or check which column names the systems"
        )
    dims = {"system": kept, "document": _ids(found.frame, "document")}
    judgments = sorted(_ids(said, "name"), key=lambda name: name != PEOPLE)
    if len(judgments) > 1:
        notes.append(
            f"People judge {joined(judgments)}; {judgments[0]} is what judges are held against. If these are "
            f"people and not what they judge: --rater {' '.join(map(shlex.quote, judgments))}."
        )
    rated = {
        name: array(rows, "rater", dims)
        for (name,), rows in said.filter(pl.col("rater") != "").partition_by("name", as_dict=True).items()
    }
    together = gold(said)
    if together.height < said.height:
        notes.append(
            "Where people's score stands without a rater beside raters', it is taken for theirs together."
        )
    return Benchmark(
        name=OWN_DATA,
        title=OWN_DATA,
        scores=array(judged, "name", {"name": _ids(judged, "name"), **dims}).rename(name="metric"),
        humans=array(together, "name", {"name": judgments, **dims}).rename(name="judgment"),
        system_type=dict.fromkeys(kept, "unknown"),
        provenance=_provenance(found),
        ratings={name: rated[name] for name in judgments if name in rated},
        texts=_texts(found.texts, dims),
    )


def _texts(found: pl.DataFrame | None, dims: dict[str, list[str]]) -> Texts | None:
    """The texts of a user's files; sources only where all documents have one."""
    if found is None:
        return None
    places = [{name: i for i, name in enumerate(ids)} for ids in dims.values()]
    summaries = np.full([*map(len, places)], None, dtype=object)
    sources = {}
    for row in found.iter_rows(named=True):
        if row["system"] in places[0] and row["document"] in places[1]:
            summaries[places[0][row["system"]], places[1][row["document"]]] = row["summary"]
            if row.get("source"):
                sources[row["document"]] = row["source"]
    whole = sources if len(sources) == len(places[1]) else {}
    return Texts(with_ids(summaries, **dims), {}, whole)


def _ids(frame: pl.DataFrame, column: str) -> list[str]:
    return frame.get_column(column).unique().sort().cast(pl.String).to_list()


def _labels(found: Tidy) -> pd.DataFrame:
    frame = found.frame.sort("person", "name", "rater", "document", maintain_order=True)
    texts = frame.with_columns(pl.col("document", "name", "rater").cast(pl.String))
    shown = texts.select(
        item="document",
        role=pl.when("person").then(pl.lit("person")).otherwise(pl.lit("judge")),
        name=pl.when(pl.col("rater") == "").then("name").otherwise("rater"),
        value="value",
    )
    return pd.DataFrame({column: shown.get_column(column).to_list() for column in shown.columns})


def _pairs(found: Tidy, notes: list[str]) -> Pairs:
    """Choices, each between a pair as the first of them shows it; in the other order it was shown swapped.

    They are taken by document, judge and rater, so that draws do not hang on the order of a file's lines.
    """
    items, judges, people = {}, {}, {}
    n_both = 0
    rows = found.frame.sort("document", "name", "rater", "first", "second")
    for row in rows.drop("file", "row").iter_rows(named=True):
        shown = {column: row[column] for column in ("document", "first", "second")}
        listed = row["document"], *sorted((row["first"], row["second"]), key=natural)
        of = items.setdefault(listed, {"set": OWN_DATA, "dimension": "", **shown})
        swapped = of["first"] != row["first"]
        value = 1 - row["value"] if swapped else row["value"]
        if row["person"]:
            key = row["rater"] or row["name"], listed
            if key in people:
                n_both += 1
                value = (people[key] + value) / 2
            people[key] = value
        else:
            judges[row["name"], ORDERS[swapped], listed] = value
    if n_both:
        notes.append(
            f"{counted(n_both, 'pair')} {'was' if n_both == 1 else 'were'} shown to a person in both orders; "
            "opposite choices are a tie."
        )
    names = {listed: f"{listed[0]}: {of['first']} / {of['second']}" for listed, of in items.items()}
    return assemble_pairs(
        name=OWN_DATA,
        title=OWN_DATA,
        items={names[listed]: of for listed, of in items.items()},
        judges={(judge, order, names[listed]): value for (judge, order, listed), value in judges.items()},
        people={(rater, names[listed]): value for (rater, listed), value in people.items()},
        provenance=_provenance(found),
    )
