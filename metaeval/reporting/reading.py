"""reporting.reading: a user's files of any shape as one `Reading`, and checks of its contents."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError, OpenQuestion, listing
from metaeval.core.mode import OWN_DATA
from metaeval.own.benchmark import array, gold
from metaeval.own.rules import SAME
from metaeval.own.runs import vote_runs
from metaeval.own.sheets import listed
from metaeval.own.tidy import Part, Source, Tidy, as_sources, blocks_of, select, tidy
from metaeval.own.words import PEOPLE, lexicon, plain, tokens
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.differences import MIN_OBSERVATIONS
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, with_ids
from metaeval.tables.pairs import ORDERS, Pairs, assemble_pairs
from metaeval.tables.wording import counted, joined, natural

KINDS = ("ranking", "two_systems", "one_system", "pairs", "systems_only")
FALLS = -0.3  # a judge with a lower correlation with people may have reversed scores
MAX_SYSTEMS = 5_000  # every pair of systems is compared
PEOPLE_MISSING = "people's scores or labels"
WITHOUT_RANKING = ("one_system", "two_systems", "pairs")


@dataclass(frozen=True, eq=False)
class Reading:
    """Contents of a user's files.

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
        For one system: columns item, role (``"judge"`` or ``"person"``), name (the judge's or the rater's, or
        the judgment's where people have no names), value; one row per label, none where one is missing.
    pairs : Pairs or None
    notes : tuple of str
        Sentences on guesses, turned signs and omissions.
    files : tuple of str
        Names of the files.
    lengths : tuple of str
        Judges that only measure the length of a text; see `metaeval.own.words.is_length`.
    rows : Tidy or None
        The rows behind all this, of files; a value is null where a judge's runs tie.
    runs : mapping, judge -> float array (n_runs, ...)
        Single scores of judges that were asked several times: on systems and documents, on the items of
        `labels` in the order of their first row, or (order, pair) of `pairs`. Their mean, of labels the most
        frequent one if one is, stands in the parts above.
    clusters : mapping, document or item -> the cluster that it is in
    """

    kind: str
    benchmark: Benchmark | None
    labels: pd.DataFrame | None
    pairs: Pairs | None
    notes: tuple[str, ...]
    files: tuple[str, ...]
    lengths: tuple[str, ...] = ()
    rows: Tidy | None = None
    runs: Mapping[str, np.ndarray] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)

    @property
    def judges(self) -> list[str]:
        """Names of judges without lengths of texts."""
        if self.kind == "pairs":
            return list(self.pairs.judges.indexes["judge"])
        labels = self.labels
        names = (
            self.benchmark.metrics if labels is None else labels["name"][labels["role"] == "judge"].unique()
        )
        return [name for name in names if name not in self.lengths]

    def slices(self) -> dict[str, Reading]:
        """Readings of the groups of ``--by``, where there are several; without groups that cannot be read."""
        readings = {}
        names = self.rows.names("group") if self.rows and "group" in self.rows.frame.columns else []
        for name in names if len(names) > 1 else []:
            with contextlib.suppress(DataError):
                readings[name] = _reading(select(self.rows, Part(group=name)), [])
        return readings

    def title(self, subject: str) -> str:
        """The subject of an answer, after the names of the files."""
        return f"{joined(self.files)}: {subject}" if self.files else subject

    @property
    def unused_clusters(self) -> list[str]:
        """Line on clusters of documents in a ranking, which draws documents one by one; mostly none."""
        if len({*self.clusters.values()}) == len(self.clusters):
            return []
        return [
            "Clusters are not used: a ranking draws documents one by one, so where documents of one cluster "
            "err together its intervals are too short."
        ]

    def scores(self, *, people: bool) -> dict[object, frozenset]:
        """Scores of each item (document, pair) by people, or by judges, with whose they are."""
        if self.labels is not None:
            item, table = "item", self.labels[(self.labels["role"] == "person") == people]
        else:
            item, data = ("document", self.benchmark) if self.pairs is None else ("pair", self.pairs)
            names = ("humans", "scores") if self.pairs is None else ("people", "judges")
            table = getattr(data, names[0] if people else names[1]).to_series().rename("value")
            table = table.dropna().reset_index()
        rows = pd.Series([*table.drop(columns=item).itertuples(index=False, name=None)], table[item])
        return rows.groupby(level=0).agg(frozenset).to_dict()

    @property
    def sides(self) -> tuple[bool, bool]:
        """Presence of scores by judges, and by people."""
        if self.benchmark is not None:
            return bool(self.benchmark.metrics), bool(self.benchmark.judgments)
        if self.pairs is not None:
            return bool(self.pairs.judges.size), bool(self.pairs.people.size)
        roles = set(self.labels["role"])
        return "judge" in roles, "person" in roles


SHARE_OF_SAME = 0.9  # of items of one name, whose scores by people are the same if they are the same items
_last: tuple[object, Tidy] | None = None  # so that the parts of some files are read once


def read_tidy(files: Sequence[Source], **how: Any) -> Tidy:
    """Rows of some files, see `metaeval.own.tidy.tidy`; those read last are kept."""
    global _last
    paths = [Path(one).expanduser() for one in files if isinstance(one, str | os.PathLike)]
    if len(paths) < len(files) or not all(path.is_file() for path in paths):
        return tidy(files, **how)
    states = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
    key = repr((states, {name: value for name, value in sorted(how.items()) if value}))
    if _last is None or _last[0] != key:
        _last = None
        _last = key, tidy(files, **how)
    return _last[1]


def _require_one_block(data: Tidy) -> None:
    """Raise where systems fall into groups that share no item, which nothing ranks."""
    blocks = blocks_of(data)
    if not blocks:
        return
    columns = {role.column for one in data.proposals for role in one.roles if role.role == "group"}
    ways = {f"--by {shlex.quote(name)}": f"one answer for each {name}" for name in sorted(columns)[:2]}
    raise OpenQuestion(
        f"systems fall into {len(blocks)} groups without an item in common, "
        f"{'; '.join(listing(block, maximum=3) for block in blocks[:3])}, "
        "and are not ranked together unasked",
        ways | {"--pool": "all systems in one ranking"},
    )


def read(files: Source | Sequence[Source], *, part: Part | None = None, **how: Any) -> Reading:
    """Read a user's scores, labels or choices from one file, or from several joined by their ids.

    Parameters
    ----------
    files, how : see `metaeval.own.tidy.tidy`
    part : Part, optional
        A criterion, a group, or systems that share items; by default all.
        Raters named in `judges` count as judges, as if named in `machines`.

    Returns
    -------
    Reading

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        With file, line, column, value and remedy.
    """
    files = as_sources(files)
    data = read_tidy(files, **how)
    raters = {*data.names("rater")} - {*data.names("name")}
    machines = [judge for judge in listed(how.get("judges")) if judge in raters]
    if machines:
        data = read_tidy(files, **how | {"machines": [*listed(how.get("machines")), *machines]})
    if part is not None:
        data = select(data, part)
    elif not how.get("pool"):
        _require_one_block(data)
    notes = [*data.notes, *alike(data)]
    if machines:
        notes.append(f"Asked about as judges, raters are not counted among people: {joined(machines)}.")
    return _reading(data, notes)


def _reading(data: Tidy, notes: list[str]) -> Reading:
    """Rows as what they are, with further notes."""
    kind = kind_of(data)
    if kind in ("ranking", "systems_only"):
        notes += [
            f"{name} {falls(name, r, is_turned=name in data.turned)}."
            for name, r in falling_judges(data).items()
            if name not in data.lengths
        ]
    benchmark = labels = pairs = None
    runs: dict[str, np.ndarray] = {}
    if kind in ("pairs", "one_system"):
        data = replace(data, frame=vote_runs(data.frame, notes))
    if kind == "pairs":
        pairs = _pairs(data, notes, runs)
    elif kind == "one_system":
        labels = _labels(data, notes)
        runs |= _runs(data, {"document": labels["item"].unique().tolist()})
    else:
        benchmark = _benchmark(data, notes)
        if kind == "ranking" and len(benchmark.systems) == 2:
            kind = "two_systems"
        runs |= _runs(data, {"system": benchmark.systems, "document": benchmark.documents})
    clusters = _clusters(data, notes)
    return Reading(
        kind, benchmark, labels, pairs, tuple(notes), data.files, data.lengths, data, runs, clusters
    )


def _runs(data: Tidy, ids: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
    """Runs of judges that were asked several times, (n_runs, ...) by the dims of `ids`."""
    if "runs" not in data.frame.columns:
        return {}
    has_any = pl.col("value").is_not_null().any().over("name")  # not all runs tie
    rows = data.frame.filter(pl.col("runs").is_not_null() & ~pl.col("person") & has_any)
    runs = {}
    for (name,), part in rows.partition_by("name", as_dict=True).items():
        lists = part.get_column("runs").to_list()
        places = [
            pd.Index(names).get_indexer(part.get_column(dim).cast(pl.String)) for dim, names in ids.items()
        ]
        present = np.all([place >= 0 for place in places], axis=0)
        planes = np.full((max(map(len, lists)), *map(len, ids.values())), np.nan)
        for *place, there, values in zip(*places, present, lists, strict=True):
            if there:
                planes[(slice(len(values)), *place)] = values
        runs[str(name)] = planes
    return runs


def _clusters(data: Tidy, notes: list[str]) -> dict[str, str]:
    """Cluster of each item; one that a column does not name is alone."""
    if "cluster" not in data.frame.columns or "document" not in data.frame.columns:
        notes += _hints_of_clusters(data)
        return {}
    rows = data.frame.select(pl.col("document").cast(pl.String), "cluster").drop_nulls()
    clusters = dict(rows.iter_rows())
    n_items = len(data.names("document"))
    if alone := n_items - len(clusters):
        notes.append(f"{alone:,} of {n_items:,} items have no cluster; each of them is alone.")
    return clusters


def _hints_of_clusters(data: Tidy) -> list[str]:
    """Sentences on a column by whose name items may hang together, and no role uses it, or an item's."""
    for one in data.proposals:
        parts = [one.sheet.columns[role.column] for role in one.roles if role.role == "item"]
        for role in one.roles:
            column, name = one.sheet.columns[role.column], shlex.quote(role.column)
            words = sorted(lexicon().clusters & {*tokens(role.column)})
            may_hang = words and role.role in ("ignored", "group", "text", "source", "item")
            if may_hang and column.plain_cells and 1 < column.n_unique <= len(data.names("document")) / 2:
                hints = [f"If items of one {words[0]} hang together: --col cluster={name}."]
                others = [part.name for part in parts if part is not column and not part.distinct]
                if others and role.role == "item":
                    hints.append(f"If one of them is to be picked: --col system={shlex.quote(others[0])}.")
                return hints
    return []


SHAPES = {
    "ranking": "a ranking of {systems} on {documents}",
    "two_systems": "a difference of two systems on {documents}",
    "one_system": "labels of {items} of one system",
    "pairs": "choices between two outputs, of {items}",
    "systems_only": "one score for each of {systems}, without documents",
}


def describe_shape(kind: str, n_systems: int, n_documents: int) -> str:
    """Contents of files of a kind, in a phrase."""
    documents, items = counted(n_documents, "document"), counted(n_documents, "item")
    return SHAPES[kind].format(systems=counted(n_systems, "system"), documents=documents, items=items)


def describe_missing_side(has_judges: bool, has_people: bool, files: Sequence[str]) -> str:
    """Line on the file with the scores that are missing; "" where judges and people are both there."""
    if has_judges and has_people:
        return ""
    scores = PEOPLE_MISSING if has_judges else "scores of a judge or metric"
    names = " ".join(map(shlex.quote, files))
    return f"Add the other file, with {scores} of the same items: metaeval {names} OTHER.csv"


def describe_files(data: Tidy) -> str:
    """The files, who scored how many things, and by which columns, in a line."""
    judges = [name for name in data.names("name", person=False) if name not in data.lengths]
    people = data.names("name", person=True)
    raters = data.names("rater", person=True)
    who = [counted(len(judges), "judge")] if judges else []
    if raters:
        who.append(counted(len(raters), "rater"))
    elif people:
        who.append("people" + f", on {joined(people)}" * (len(people) > 1))
    n_systems = 0 if data.pairs else len(data.names("system"))
    shape = describe_shape(kind_of(data), n_systems, len(data.names("document")))
    parts = [(*one.ids.values(), one.values) for one in data.proposals]
    names = [*dict.fromkeys(name for part in parts for column in part for name in column)]
    used = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"{', '.join(data.files)}: {' and '.join(who) or 'nobody'}; {shape} ({used})"


def kind_of(data: Tidy) -> str:
    """Kind of the files, of `KINDS`."""
    if data.pairs:
        return "pairs"
    n_systems = len(data.names("system"))
    if n_systems < 2:
        return "one_system"
    if not data.names("document"):
        return "systems_only"
    return "ranking" if n_systems > 2 else "two_systems"


def alike(data: Tidy) -> list[str]:
    """Sentences on names that may be spellings of the same one."""
    notes = []
    for column in ("system", "name", "rater", "first"):
        by_name = defaultdict(list)
        for name in data.names(column) if column in data.frame.columns else []:
            by_name[plain(name) or name].append(name)
        same = [names for names in by_name.values() if len(names) > 1]
        if same:
            notes.append(f"Are these one and the same? {'; '.join(map(listing, same[:5]))}")
    return notes


def falling_judges(data: Tidy) -> dict[str, float]:
    """Judges whose system means fall as people's rise, with their correlations."""
    means = data.frame.group_by("person", "name", "system").agg(pl.col("value").mean())
    people = means.filter("person").group_by("system").agg(pl.col("value").mean().alias("said"))
    common = means.filter(~pl.col("person")).join(people, on="system")
    r = common.group_by("name", maintain_order=True).agg(r=pl.corr("value", "said"), n=pl.len())
    falling = r.filter((pl.col("r") < FALLS) & (pl.col("n") >= MIN_OBSERVATIONS)).sort("name")
    return dict(falling.select(pl.col("name").cast(pl.String), "r").iter_rows())


def falls(name: str, r: float, *, is_turned: bool = False) -> str:
    """Remark on a judge of `falling_judges`, to follow its name."""
    if is_turned:
        return (
            f"falls as people's rise (r = {r:.2f}), its sign turned: if higher is better, --higher {name!r}"
        )
    return f"falls as people's rise (r = {r:.2f}): if lower is better, --lower {name!r}"


def common_systems(data: Tidy) -> tuple[list[str], list[str]]:
    """Systems that both judges and people score (all if only one side is present), and those left out.

    Raises
    ------
    DataError
        If they have fewer than two systems, or no document, in common.
    """
    ids = {
        column: [set(names) for person in (False, True) if (names := data.names(column, person=person))]
        for column in ("system", "document")
    }
    systems = sorted(set.intersection(*ids["system"]), key=natural)
    dropped = sorted(set.union(*ids["system"]) - set(systems), key=natural)
    if len(systems) < 2:
        judges, people = map(listing, ids["system"])
        raise DataError(
            f"judges and people have {len(systems) or 'no'} system in common: judges score {judges}, people "
            f"{people}; use the same names in both"
        )
    if ids["document"] and not set.intersection(*ids["document"]):
        judges, people = map(listing, ids["document"])
        none = f"judges and people have no document in common: {judges} and {people}"
        raise DataError(" ".join([f"{none}; use the same names in both.", *data.notes]))
    return systems, dropped


def perhaps_raters(judgments: Sequence[str], held: str = "") -> list[str]:
    """Sentence on several judgments of people, which may be several people."""
    if len(judgments) < 2:
        return []
    return [
        f"People judge {joined(judgments)}{held}. If these are people and not what they judge: --rater "
        f"{' '.join(map(shlex.quote, judgments))}."
    ]


def left_out(systems: Sequence[str]) -> list[str]:
    """Sentence on the systems left out, if any."""
    note = f"Left out, since only judges or only people score them: {listing(systems)}."
    return [note] if systems else []


def _provenance(data: Tidy) -> Provenance:
    return Provenance(files=data.files, licence="yours", citation=())


def _benchmark(data: Tidy, notes: list[str]) -> Benchmark:
    """Benchmark of the systems that judges and people score, or of all without people."""
    systems, dropped = common_systems(data)
    parts = data.frame.partition_by("person", as_dict=True, include_key=False)
    judged, people = (parts.get((person,), data.frame.clear()) for person in (False, True))
    notes += left_out(dropped)
    if len(systems) > MAX_SYSTEMS:
        raise DataError(
            f"{len(systems):,} systems are {comb(len(systems), 2):,} pairs, and every pair is compared; keep "
            f"at most {MAX_SYSTEMS:,}, such as the best, or check which column names the systems"
        )
    dims = {"system": systems, "document": _ids(data.frame, "document")}
    judgments = sorted(_ids(people, "name"), key=lambda name: name != PEOPLE)
    notes += perhaps_raters(
        judgments, *(f"; {name} is what judges are held against" for name in judgments[:1])
    )
    rated = {
        name: array(rows, "rater", dims)
        for (name,), rows in people.filter(pl.col("rater") != "").partition_by("name", as_dict=True).items()
    }
    together = gold(people)
    if together.height < people.height:
        notes.append(
            "Where people's score stands without a rater beside raters', it is taken for theirs together."
        )
    return Benchmark(
        name=OWN_DATA, title=OWN_DATA,
        scores=array(judged, "name", {"name": _ids(judged, "name"), **dims}).rename(name="metric"),
        humans=array(together, "name", {"name": judgments, **dims}).rename(name="judgment"),
        system_type=dict.fromkeys(systems, "unknown"), provenance=_provenance(data),
        ratings={name: rated[name] for name in judgments if name in rated}, texts=_texts(data.texts, dims),
    )  # fmt: skip


def _texts(table: pl.DataFrame | None, dims: dict[str, list[str]]) -> Texts | None:
    """Texts of a user's files, with sources only if all documents have one."""
    if table is None:
        return None
    places = [{name: i for i, name in enumerate(ids)} for ids in dims.values()]
    summaries = np.full([*map(len, places)], None, dtype=object)
    sources = {}
    for row in table.iter_rows(named=True):
        if row["system"] in places[0] and row["document"] in places[1]:
            summaries[places[0][row["system"]], places[1][row["document"]]] = row["summary"]
            if row.get("source"):
                sources[row["document"]] = row["source"]
    whole = sources if len(sources) == len(places[1]) else {}
    return Texts(with_ids(summaries, **dims), {}, whole)


def _ids(frame: pl.DataFrame, column: str) -> list[str]:
    return frame.get_column(column).unique().sort().cast(pl.String).to_list()


def _labels(data: Tidy, notes: list[str]) -> pd.DataFrame:
    """Labels by judge or rater; people's together are left out beside those of single raters."""
    is_rated = pl.col("person") & (pl.col("rater") != "")
    rated = data.frame.filter(is_rated).get_column("name").unique()
    together = pl.col("person") & ~is_rated & pl.col("name").is_in(rated.implode())
    n_together = data.frame.filter(together).height
    if n_together:
        notes.append(
            f"{counted(n_together, 'label')} of people's without a rater, beside raters', "
            f"{'is' if n_together == 1 else 'are'} taken for theirs together and left out; to hold judges "
            "against these alone, --ignore the raters' columns."
        )
    frame = (
        data.frame.filter(~together)
        .drop_nulls("value")
        .sort("person", "name", "rater", "document", maintain_order=True)
    )
    texts = frame.with_columns(pl.col("document", "name", "rater").cast(pl.String))
    labels = texts.select(
        item="document",
        role=pl.when("person").then(pl.lit("person")).otherwise(pl.lit("judge")),
        name=pl.when(pl.col("rater") == "").then("name").otherwise("rater"),
        value="value",
    )
    return pd.DataFrame({column: labels.get_column(column).to_list() for column in labels.columns})


def _pairs(data: Tidy, notes: list[str], runs: dict[str, np.ndarray]) -> Pairs:
    """Choices between pairs in the order of their first row; rows in the other order are swapped.

    Rows are sorted by document, judge and rater, so that draws do not depend on the order of a file's lines.
    Adds the `runs` of judges that were asked several times.
    """
    items, judges, people, repeated = {}, {}, {}, defaultdict(list)
    n_both = 0
    rows = data.frame.sort("document", "name", "rater", "first", "second")
    for row in rows.drop("file", "row").iter_rows(named=True):
        pair = {column: row[column] for column in ("document", "first", "second")}
        listed = row["document"], *sorted((row["first"], row["second"]), key=natural)
        of = items.setdefault(listed, {"set": OWN_DATA, "dimension": "", **pair})
        swapped = of["first"] != row["first"]
        value = np.nan if row["value"] is None else row["value"]
        value = 1 - value if swapped else value
        if row["person"]:
            key = row["rater"] or row["name"], listed
            if key in people:
                n_both += 1
                value = (people[key] + value) / 2
            people[key] = value
        else:
            judges[row["name"], ORDERS[swapped], listed] = value
            for again in [row.get("runs")] if row.get("runs") else []:
                again = [1 - one for one in again] if swapped else again
                repeated[row["name"]].append((int(swapped), listed, again))
    if n_both:
        notes.append(
            f"{counted(n_both, 'pair')} {'was' if n_both == 1 else 'were'} shown to a person in both orders; "
            "opposite choices are a tie."
        )
    names = {listed: f"{listed[0]}: {of['first']} / {of['second']}" for listed, of in items.items()}
    column = {listed: place for place, listed in enumerate(items)}
    for judge, cells in repeated.items():
        runs[judge] = np.full((max(len(values) for *_, values in cells), 2, len(items)), np.nan)
        for order, listed, values in cells:
            runs[judge][: len(values), order, column[listed]] = values
    return assemble_pairs(
        name=OWN_DATA, title=OWN_DATA, provenance=_provenance(data),
        items={names[listed]: of for listed, of in items.items()},
        judges={(judge, order, names[listed]): value for (judge, order, listed), value in judges.items()},
        people={(rater, names[listed]): value for (rater, listed), value in people.items()},
    )  # fmt: skip


def describe_shared_items(readings: Mapping[str, Reading]) -> list[str]:
    """Lines on pairs of readings that share items, of one name and with the same scores by people.

    Names such as row numbers are shared by other items, too: these have the same scores by chance only. So
    have few labels under other names, but not items of which each has scores that no other one has.

    Raises
    ------
    DataError
        If two have the same contents, under whatever names of the items.
    """
    people, judges = (
        {name: one.scores(people=side) for name, one in readings.items()} for side in (True, False)
    )
    contents = {
        name: Counter(
            (frozenset(own.get(item, ())), frozenset(scores)) for item, scores in judges[name].items()
        )
        for name, own in people.items()
    }
    lines = []
    for one, other in combinations(readings, 2):
        names = people[one].keys() & people[other].keys()
        n = sum(people[one][name] == people[other][name] for name in names)
        if contents[one] == contents[other]:
            if people[one] == people[other] or 2 * len(contents[one]) > contents[one].total():
                raise DataError(f"{one} and {other} have the same contents; a copy is no other data set")
            lines.append(f"{one} and {other} hold the same scores under other names; leave out a copy.")
        if n and n >= SHARE_OF_SAME * len(names):
            lines.append(
                f"{one} and {other} share {counted(n, 'item')} by name and people's scores: they are not "
                "independent, and the intervals over data sets are too short."
            )
    return lines


def as_reading(
    data: Benchmark | Pairs | Reading | str | os.PathLike | Sequence[object],
    people: str | os.PathLike | None = None,
    *,
    lower_is_better: Sequence[str] = (),
    columns: Mapping[str, str | Sequence[str]] | None = None,
    judges: Sequence[str] = (),
) -> Reading:
    """Convert data to a reading: a benchmark, pairs, a reading, or files.

    Parameters
    ----------
    data : Benchmark, Pairs, Reading, path or paths
    people : path, optional
        A further file, with people's scores.
    lower_is_better, columns, judges : see `metaeval.own.tidy.tidy`

    Raises
    ------
    DataError
        If `people` is given and `data` is not a file.
    """
    if isinstance(data, Benchmark):
        kind = "two_systems" if len(data.systems) == 2 else "ranking"
        data = Reading(kind, data, None, None, (), ())
    elif isinstance(data, Pairs):
        data = Reading("pairs", None, None, data, (), ())
    if not isinstance(data, Reading):
        files = as_sources(data) + ([] if people is None else [people])
        whose = [] if people is None else [Path(people).stem]
        options = {"lower_is_better": lower_is_better, "columns": columns, "judges": judges}
        data = read(files, people=whose, **options)
    elif people is not None:
        raise DataError("`people` is a further file of scores, so `data` must be a file too")
    return data


def ranking(data: Benchmark | Reading | str | os.PathLike | Sequence[object]) -> Reading:
    """Reading with a ranking of at least three systems, on the documents that people judged.

    Parameters
    ----------
    data : see `as_reading`

    Raises
    ------
    DataError
        If the data hold no ranking, no people's scores, no metric, or no difference between people's scores.
    """
    data = as_reading(data)
    if data.benchmark is None or len(data.benchmark.systems) < MIN_SYSTEMS:
        kind = data.kind.replace("_", " ")
        raise DataError(
            f"this ranks three systems or more, and these files hold {kind}; `metaeval doctor` lists the "
            "analyses they support"
        )
    benchmark = data.benchmark
    require_sides(benchmark.metrics, benchmark.judgments)
    if float(benchmark.human.max()) == float(benchmark.human.min()):
        raise DataError(
            "people's scores are all equal, so that no correlation with them exists; check their column"
        )
    judged = benchmark.judged()
    systems, documents = (
        pd.Index(every).get_indexer(some)
        for every, some in ((benchmark.systems, judged.systems), (benchmark.documents, judged.documents))
    )
    runs = {name: planes[:, systems][:, :, documents] for name, planes in data.runs.items()}
    return replace(data, benchmark=judged, runs=runs)


def require_judges(reading: Reading) -> None:
    """Raise where no column is a judge's, and some were left out for one value in every row.

    Raises
    ------
    DataError
        Naming these columns.
    """
    if reading.rows is None or reading.rows.names("name", person=False):
        return
    roles = [role for one in reading.rows.proposals for role in one.roles]
    if left := [role for role in roles if role.reason == SAME]:
        raise DataError(
            f"there are no scores by a metric or judge; {listing(one.column for one in left)} left out, "
            f"being {SAME}; if that is a judge: {left[0].option}"
        )


def require_sides(judges: Sequence[object], people: Sequence[object]) -> None:
    """Raise unless there are judges and people."""
    if not len(people):
        raise DataError(
            f"there are no scores by people, only by {listing(judges)}; name single raters with --rater NAME "
            "NAME, or people's mean with --people NAME, or add a file with their scores"
        )
    if not len(judges):
        raise DataError(
            "there are scores by people only, and none by a metric or judge; add some, or name raters who "
            "are not people with --machine NAME"
        )
