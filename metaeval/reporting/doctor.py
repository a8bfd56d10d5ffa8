"""reporting.doctor: ``metaeval doctor FILE ...`` lists the contents of score files and the possible analyses.

It counts and does not estimate: without draws and without an array of systems by documents, ten million rows
take no longer than reading them.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import comb, prod

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import STATUS_OF_A_QUESTION
from metaeval.own.sheets import Options, Proposal, Role
from metaeval.own.tidy import Source, Tidy, blocks_of, parts_of, tidy
from metaeval.own.words import PEOPLE
from metaeval.reporting.answer import Answer, as_it_stands, render, table_parts
from metaeval.reporting.arguments import add_files, read_rows
from metaeval.reporting.paired_labels import FEW_ITEMS
from metaeval.reporting.reading import (
    MAX_SYSTEMS,
    alike,
    common_systems,
    describe_missing_side,
    describe_shape,
    falling_judges,
    falls,
    kind_of,
    left_out,
    perhaps_raters,
)
from metaeval.reporting.sections import MAX_RATERS, MIN_BEST
from metaeval.reporting.verdict import FEW_SYSTEMS
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.streams import signature
from metaeval.tables.readable import readable
from metaeval.tables.wording import counted

ORDINAL = 11  # the largest number of whole values on an ordinal scale
_CELL = ("system", "document", "first", "second")  # columns that identify a scored unit
_BETWEEN = "; "  # separator of several needs of a question
# places of answers outside a report's tables: its verdicts, their reference; another command; or nowhere
VERDICT, RATER = "a verdict with an interval", "a verdict beside a rater"
COMPARE, PLAN, NOWHERE = "metaeval compare", "metaeval plan", ""
AGREES = "how far a judge agrees with people ({how})"  # with the measure for the labels
_AS_A_PERSON, _BETTER = "whether that is as good as a person", "which of two judges is better"
_PLANS = {
    "how many documents are enough": (PLAN, "people documents"),
    "how many raters are enough": (PLAN, "people raters documents"),
}
_RANKING = {
    "how a judge ranks systems, beside people": ("correlations", "judges people systems"),
    "how sure that is: an interval, and a verdict": (VERDICT, "judges people enough_systems"),
    "how a judge ranks the summaries of a document": ("summary", "judges people documents systems"),
    _BETTER: ("tiers", "people rivals systems"),
    "whether a judge is as good as a person": (RATER, "judges people raters not_a_crowd systems"),
    "the best systems alone": ("topk", "judges people best_systems"),
    **_PLANS,
}
# kind of files -> question -> place of its answer, and its needs, keys of `needs` in `_answers`
# `doctor` promises from this list, and the tests hold `metaeval report` to it
QUESTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "ranking": {question: (place, f"{needs} not_too_many") for question, (place, needs) in _RANKING.items()},
    "two_systems": {
        "by how much one system is better, and how sure": ("difference", "judges compared"),
        "whether judges find the difference that people find": (
            VERDICT,
            "judges people compared both_compared",
        ),
        _BETTER: (COMPARE, "people rivals documents"),
        "a ranking of systems": (NOWHERE, "systems"),
        "whether a judge is as good as a person": (NOWHERE, "judges people raters systems"),
        **_PLANS,
    },
    "one_system": {
        AGREES: ("agreement", "judges people"),
        _AS_A_PERSON: (RATER, "judges people items_of_two"),
        _BETTER: ("beside", "people rivals"),
        "people's mean or pass rate on all items, from few labels and a judge": (
            "corrected",
            "judges people numbers unlabelled labelled",
        ),
        "a ranking of systems": (NOWHERE, "column_of_systems"),
    },
    "pairs": {
        "how often a judge chooses as most people do": ("accuracy", "judges people"),
        _AS_A_PERSON: (RATER, "judges people items_of_two"),
        _BETTER: ("beside", "people rivals"),
        "whether a judge prefers the first": ("first", "judges people both_orders"),
    },
}
QUESTIONS["systems_only"] = QUESTIONS["ranking"]


@dataclass(frozen=True, repr=False)
class Diagnosis(Answer):
    """Contents of files and their possible analyses.

    Attributes
    ----------
    files : names of the files
    kind : str
        One of `metaeval.reporting.reading.KINDS`.
    n_rows, n_missing, n_repeated : int
        Scores, empty cells, and repeated scores.
    n_systems, n_documents : int
    scores : DataFrame
        A row for each judge and for people in each judgment: name, person, n_scores, n_raters, missing (share
        of the systems' documents, or items, or pairs without a score), smallest and largest (on the scale of
        the files, even if the signs were turned), n_values (distinct ones), scale (constant, binary, ordinal,
        continuous, or choices of pairs), remark.
    answers : DataFrame
        Columns question, possible, and needs, the missing data of what is impossible.
    notes : guesses, turned signs, omissions, and oddities
    roles : DataFrame
        Every column of every file: file, column, role, contents, reason, option for another role.
    formats : a line for each file: its rows and its format
    parts : tuple of str
        Criteria, groups, and systems that share items, each of which has an answer of its own.
    option_line : str
        The roles as options of a command.
    readings : mapping, options -> what they mean
        Where several readings of the files fit.
    side_options : mapping, options -> what they mean
        By which scores are of the side, people or judges, that none is of.
    """

    command = "doctor"
    files: tuple[str, ...]
    kind: str
    n_rows: int
    n_missing: int
    n_repeated: int
    n_systems: int
    n_documents: int
    scores: pd.DataFrame
    answers: pd.DataFrame
    notes: tuple[str, ...]
    roles: pd.DataFrame
    formats: tuple[str, ...]
    option_line: str
    parts: tuple[str, ...]
    readings: Mapping[str, str]
    side_options: Mapping[str, str]

    @property
    def title(self) -> str:
        """The files and their contents, in a sentence."""
        shape = describe_shape(self.kind, self.n_systems, self.n_documents)
        sizes = f"{counted(self.n_rows, 'score')}, {counted(self.n_missing, 'empty cell')}"
        repeating = "scores that repeat others" if self.n_repeated > 1 else "score that repeats another"
        sizes += f", {self.n_repeated:,} {repeating}" if self.n_repeated else ""
        return f"{', '.join(self.files)}: {shape}; {sizes}."

    @property
    def signature(self) -> str:
        return signature({"kind": self.kind}, shape=(self.n_systems, self.n_documents))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"scores": self.scores, "answers": self.answers, "roles": self.roles}

    def summary(self) -> str:
        """The diagnosis as text for a terminal."""
        options = {"words": as_it_stands, "share": False, "may_cut": False}
        lines = [self.title, "", *self._roles()]
        lines += readable(self.scores, table="scores", **options).to_text()
        possible = self.answers.loc[self.answers["possible"], "question"].tolist()
        sides = {
            "What it can answer": possible,
            "What it cannot answer, and what that takes": _lacking(self.answers),
        }
        for heading, questions in sides.items():
            lines += ["", heading, *(f"  {line}" for line in questions)] if questions else []
        if self.parts:
            lines += ["", f"Answered one by one: {'; '.join(self.parts)}"]
        is_person = self.scores["person"]
        missing = describe_missing_side(not is_person.all(), is_person.any(), self.files)
        lines += ["", missing] if missing else []
        ways = [f"  {words}   {meaning}" for words, meaning in self.side_options.items()]
        lines += ["Or say whose a column is:", *ways] if ways else []
        if self.notes:
            lines += ["", "Notes", *(f"  {note}" for note in self.notes)]
        return "\n".join([*lines, "", self.signature])

    def _roles(self) -> list[str]:
        """Lines on what every column is, the same in options, and other readings."""
        lines = []
        for title in self.formats:
            of = self.roles[[title.startswith(f"{name}: ") for name in self.roles["file"]]]
            cells = of[["column", "role", "contents"]].apply(
                lambda cells: cells.str.ljust(min(40, cells.str.len().max()))
            )
            why = of["reason"] + of["option"].map(lambda option: option and f"; otherwise {option}")
            rows = cells.assign(why=why).to_numpy().tolist()
            lines += [title, *("  " + "  ".join(row).rstrip() for row in rows)]
        if self.option_line:
            note = "kept with --save-roles FILE, taken with --roles FILE"
            lines.append(f"The same in words: {self.option_line}   ({note})")
        if self.readings:
            readings = [f"  {words}   {meaning}" for words, meaning in self.readings.items()]
            lines += ["", "It can be read in several ways; say which:", *readings]
        return [*lines, ""] if lines else []

    def contents(self) -> dict[str, object]:
        """Kind, sizes, notes, and roles as options."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in self.tables}

    def _repr_html_(self) -> str:
        captions = {"scores": "What was read", "answers": "What it can answer"}
        tables = [table_parts(name, self.tables[name], caption=text) for name, text in captions.items()]
        return render("answer", self, [], tables, self.notes)


def doctor(
    files: Source | Sequence[Source],
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    people: Sequence[str] = (),
    raters: Sequence[str] = (),
    machines: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
) -> Diagnosis:
    """Inspect score files: their contents, the analyses they support, and missing data.

    Parameters
    ----------
    files : path, DataFrame, or a sequence of these
        In CSV, TSV, JSON Lines, Parquet or (with the extra ``excel``) Excel, joined by their ids.
    columns : mapping, role -> the name of its column in the files, or of several that make it together
        Roles are system, document, judge, rater, score, human, first, second, choice; needed for columns
        without a usual name.
    people : names of judges, or of files without their suffix, whose scores are people's
    raters : names of judges, or of files, each of them one of several people who rated the same items
    machines : names of raters who are not people, such as language models
    lower_is_better : judges whose signs are turned, so that higher is better
    higher_is_better : judges whose signs are kept, whatever their names say

    Returns
    -------
    Diagnosis

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        With file, line, column, value and remedy.
    """
    data = tidy(
        files, columns=columns, people=people, raters=raters, machines=machines,
        lower_is_better=lower_is_better, higher_is_better=higher_is_better,
    )  # fmt: skip
    return diagnose(data)


def diagnose(data: Tidy, options: Options | None = None) -> Diagnosis:
    """Contents, possible analyses and missing data of files that were read.

    Parameters
    ----------
    data : Tidy
    options : Options, optional
        Groups, and whether systems without a common item are ranked together.

    Returns
    -------
    Diagnosis
    """
    kind, dropped = kind_of(data), []
    scores = _scores(data, kind)
    if kind in ("pairs", "one_system"):
        n_systems = len({*data.names("first"), *data.names("second")}) if data.pairs else 1
    else:
        systems, dropped = common_systems(data)
        n_systems = len(systems)
        kind = "two_systems" if kind == "ranking" and n_systems == 2 else kind
    n_documents = len(data.names("document"))
    roles = [{"file": one.sheet.name} | asdict(role) for one in data.proposals for role in one.roles]
    judgments = perhaps_raters(scores["name"][scores["person"]].tolist())
    notes = *data.notes, *left_out(dropped), *judgments, *alike(data)
    return Diagnosis(
        files=data.files, kind=kind, n_rows=data.frame.height, n_missing=data.n_missing,
        n_repeated=data.n_repeated, n_systems=n_systems, n_documents=n_documents, scores=scores,
        answers=_answers(data, kind, scores, n_systems, n_documents), notes=notes,
        roles=pd.DataFrame(roles, columns=["file", *(one.name for one in fields(Role))]),
        formats=tuple(map(_format, data.proposals)), option_line=data.format_options(),
        parts=tuple(part.label for part in parts_of(data, options or Options()) if part.label),
        readings=data.readings, side_options=data.side_options,
    )  # fmt: skip


def _format(one: Proposal) -> str:
    """A file, its rows and its format, in a line."""
    notes = [note.rstrip(".") for note in one.sheet.notes]
    return f"{one.sheet.name}: {', '.join([counted(one.sheet.height, 'row'), *notes])}"


def _scores(data: Tidy, kind: str) -> pd.DataFrame:
    frame = data.frame
    codes = {c: pl.col(c).to_physical().cast(pl.UInt64) for c in frame.columns if c in _CELL}
    if data.pairs:  # the same pair in either order
        both = codes["first"], codes["second"]
        codes |= {"first": pl.min_horizontal(*both), "second": pl.max_horizontal(*both)}
    sizes = {column: len(frame.schema[column].categories) for column in codes}
    cell = pl.lit(0, pl.UInt64)
    for column, code in codes.items():
        cell = cell * sizes[column] + code
    frame = frame.with_columns(cell=cell)
    n_cells = frame.get_column("cell").n_unique() if data.pairs else prod(sizes.values())
    value, rater = pl.col("value"), pl.col("rater")
    is_turned = ~pl.col("person") & pl.col("name").cast(pl.String).is_in([*data.turned])
    n_values, whole = pl.col("n_values"), (value % 1 == 0).all()
    scale = pl.when(n_values < 2).then(pl.lit("constant")).when(n_values == 2).then(pl.lit("binary"))
    scale = scale.when(pl.col("whole") & (n_values <= ORDINAL)).then(pl.lit("ordinal"))
    rows = frame.group_by("person", "name").agg(
        n_scores=pl.len(), n_raters=rater.filter(rater != "").n_unique(),
        missing=pl.col("cell").n_unique(), smallest=value.min(), largest=value.max(),
        n_values=value.n_unique(), whole=whole,
    )  # fmt: skip
    ends = {"smallest": pl.col("largest"), "largest": pl.col("smallest")}  # if turned, and no -0
    rows = rows.sort("person", "name").with_columns(
        **{end: pl.when(is_turned).then(0 - other).otherwise(end) for end, other in ends.items()},
        scale=pl.lit("choices") if data.pairs else scale.otherwise(pl.lit("continuous")),
    )
    ranked = kind in ("ranking", "systems_only") and not blocks_of(data)
    falling = falling_judges(data) if ranked else {}
    names = "name", "person", "n_scores", "n_raters", "missing", "smallest", "largest", "n_values", "scale"
    table = pd.DataFrame({name: rows.get_column(name).to_list() for name in names})
    table["missing"] = 1 - table["missing"] / n_cells
    remarks = ["" if data.pairs else _remark(row, falling, data) for row in table.to_dict("records")]
    return table.assign(remark=remarks)


def _remark(row: Mapping[str, object], falling: Mapping[str, float], data: Tidy) -> str:
    if row["n_values"] == 1:
        return "all alike, so nothing correlates with it"
    if row["person"]:
        return ""
    if row["name"] in data.lengths:
        return "how long a text is, which judges nothing"
    lower, r = row["name"] in data.turned, falling.get(row["name"])
    if lower:
        yet = f", yet it rises with people's (r = {-r:.2f}): if not, --higher {row['name']!r}" if r else ""
        return f"lower is better{yet}"
    return falls(row["name"], r) if r else ""


def _answers(data: Tidy, kind: str, scores: pd.DataFrame, n_systems: int, n_documents: int) -> pd.DataFrame:
    """Every question with its needs; several needs are joined."""
    people, judges = scores[scores["person"]], scores[~scores["person"] & ~scores["name"].isin(data.lengths)]
    # a report takes the first judgment
    n_raters = [*people["n_raters"][people["name"] == PEOPLE], *people["n_raters"], 0][0]
    # labels that pass (1) or fail (0)
    graded, labelled = (
        side[["smallest", "largest"]].isin([0, 1]).all(axis=1) & (side["n_values"] <= 2)
        for side in (people, judges)
    )
    how = "TPR, TNR, κ, AUC" if labelled.any() or judges.empty else "AUC"
    how = how if graded.all() else "correlation"
    n_judged = len(data.names("document", person=True)) if len(people) else n_documents

    def two_people(what: str) -> str:
        return f"two people's scores of {what} (a column rater, or columns of theirs: --rater NAME NAME)"

    def more(n: int, there: int, unit: str, which: str = "") -> str:
        return "" if there >= n else f"{counted(n - there, f'more {unit}')}{which} ({n} in all)"

    pairing = two_people(f"the same {FEW_ITEMS} items")
    suffix = " that people judged"
    too_many = f"at most {MAX_SYSTEMS:,} systems, since each of {comb(n_systems, 2):,} pairs is compared"
    needs = {
        "judges": lambda: _lack(judges, "scores of a judge", "a column judge, or a column for each"),
        "people": lambda: _lack(people, "people's scores", "a column human, or --people NAME"),
        "rivals": lambda: "" if len(judges) > 1 else "scores of a second judge",
        "raters": lambda: "" if n_raters > 1 and _overlap(data) else two_people("the same items"),
        "not_a_crowd": lambda: "" if n_raters <= MAX_RATERS else f"at most {MAX_RATERS} raters",
        "items_of_two": lambda: "" if _count_shared_items(data) >= FEW_ITEMS else pairing,
        "documents": lambda: "" if n_judged > 1 else "a column of documents, two or more",
        "compared": lambda: more(FEW_ITEMS, _compared(data, person=False), "document"),
        "both_compared": lambda: more(FEW_ITEMS, _compared(data, person=True), "document", suffix),
        "systems": lambda: more(MIN_SYSTEMS, n_systems, "system"),
        "best_systems": lambda: more(MIN_BEST, n_systems, "system"),
        "enough_systems": lambda: more(FEW_SYSTEMS, n_systems, "system"),
        "not_too_many": lambda: "" if n_systems <= MAX_SYSTEMS else too_many,
        "column_of_systems": lambda: "a column system, with three systems or more",
        "numbers": lambda: "" if data.frame.schema["value"].is_numeric() else "labels that are numbers",
        "labelled": lambda: more(FEW_ITEMS, n_judged if len(people) else 0, "item", " that people labelled"),
        "unlabelled": lambda: "" if _only_judged(data) else "items that a judge labels and no person does",
        "both_orders": lambda: "" if _both_orders(data) else "the same pairs with first and second exchanged",
    }
    rows = []
    for question, (_, needed) in QUESTIONS[kind].items():
        lacks = _BETWEEN.join(filter(None, (needs[one]() for one in needed.split())))
        rows.append((question.format(how=how), not lacks, lacks))
    return pd.DataFrame(rows, columns=["question", "possible", "needs"])


def _lacking(answers: pd.DataFrame) -> list[str]:
    """Lines for the impossible questions; a need shared by several appears once, above them."""
    lacking = answers[~answers["possible"]]
    lacks = dict(zip(lacking["question"], lacking["needs"].str.split(_BETWEEN), strict=True))
    counts = Counter(lack for of in lacks.values() for lack in of)
    together = defaultdict(list)
    for question, of in lacks.items():
        together[max(of, key=counts.__getitem__)].append(question)
    lines = []
    for lack, questions in together.items():
        alone = len(questions) == 1
        lines += [] if alone else [f"{lack}:"]
        for question in questions:
            rest = _BETWEEN.join(one for one in lacks[question] if alone or one != lack)
            lines.append(f"{question}: {rest}" if alone else f"  {question}{rest and f': also {rest}'}")
    return lines


def _lack(scores: pd.DataFrame, what: str, how: str) -> str:
    """Need of scores by judges or by people; "" for none."""
    if (scores["scale"] == "constant").all():
        return f"{what} that are not all alike" if len(scores) else f"{what} ({how})"
    return ""


def _overlap(data: Tidy) -> bool:
    """True if two raters judged the same unit."""
    of = [c for c in ("name", "system", "document", "first", "second") if c in data.frame.columns]
    rated = data.frame.filter(pl.col("person") & (pl.col("rater") != ""))
    return bool(rated.select(of).is_duplicated().any())


def _compared(data: Tidy, *, person: bool) -> int:
    """Number of documents on which a judge, or people, scored both of two systems."""
    systems, _ = common_systems(data)
    own = data.frame.filter((pl.col("person") == person) & pl.col("system").cast(pl.String).is_in(systems))
    both = own.group_by("name", "document").agg(n=pl.col("system").n_unique()).filter(pl.col("n") == 2)
    return both.group_by("name").len().get_column("len").max() or 0


def _count_shared_items(data: Tidy) -> int:
    """Number of items with two people; of pairs, number of ratings whose other raters have a majority."""
    texts = data.frame.filter("person").with_columns(pl.col("name", "rater").cast(pl.String))
    labels = texts.with_columns(who=pl.when(pl.col("rater") == "").then("name").otherwise("rater"))
    if not data.pairs:
        return labels.group_by("document").agg(n=pl.col("who").n_unique()).filter(pl.col("n") > 1).height
    codes = [pl.col(side).to_physical() for side in ("first", "second")]
    low, high = pl.min_horizontal(codes), pl.max_horizontal(codes)
    value = pl.when(codes[0] == low).then("value").otherwise(1 - pl.col("value"))
    once = labels.group_by("document", "who", low=low, high=high).agg(side=(value.mean() - 0.5).sign())
    sides = [(pl.col("side") == side).sum().alias(f"{side}") for side in (-1, 0, 1)]
    votes = once.group_by("document", "low", "high").agg(sides).to_numpy()[:, 3:].astype(int)
    n = 0
    for own, one in enumerate(np.eye(3, dtype=int)):  # a voter's others have one vote less on that side
        others = votes - one
        maximum = others.max(axis=1, keepdims=True)
        clear = ((others == maximum).sum(axis=1) == 1) & (maximum > 0)[:, 0]
        n += int(votes[clear, own].sum())
    return n


def _both_orders(data: Tidy) -> bool:
    """True if a judge saw a pair in both orders."""
    judged = data.frame.filter(~pl.col("person")).select("name", "document", "first", "second")
    swapped = judged.rename({"first": "second", "second": "first"})
    return judged.join(swapped, on=judged.columns, how="semi").height > 0


def _only_judged(data: Tidy) -> bool:
    """True if a judge labelled items that no person did."""
    labelled = data.frame.filter("person").select("document")
    return data.frame.filter(~pl.col("person")).join(labelled, on="document", how="anti").height > 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser, each=False)
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")


def main(args: argparse.Namespace) -> int:
    """Print the diagnosis; returns the exit status."""
    diagnosis = diagnose(read_rows(args), Options(by=args.by, pool=args.pool))
    print(diagnosis.to_json() if args.json else diagnosis.summary(), end="" if args.json else "\n")
    return STATUS_OF_A_QUESTION if diagnosis.readings else 0
