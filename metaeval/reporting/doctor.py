"""reporting.doctor: ``metaeval doctor FILE ...``: what files hold, what they can answer, and what they lack.

It counts and does not estimate: nothing is drawn, and no array of systems by documents is made, so that ten
million rows are looked at in the time that reading them takes.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb, prod
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import listing
from metaeval.own.columns import PEOPLE
from metaeval.own.files import require_apart, require_written, write_table
from metaeval.own.tidy import IDS, Source, Tidy, tidy, turn
from metaeval.reporting.answer import Answer, plotly
from metaeval.reporting.arguments import add_files, settings
from metaeval.reporting.beside import FEW_ITEMS
from metaeval.reporting.page import FORMULA, as_it_stands, render, table_parts
from metaeval.reporting.questions import QUESTIONS
from metaeval.reporting.reading import (
    MOST_SYSTEMS,
    alike,
    common_systems,
    falling_judges,
    falls,
    kind_of,
    left_out,
)
from metaeval.reporting.sections import MIN_BEST, MOST_RATERS
from metaeval.reporting.verdict import FEW_SYSTEMS
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.signature import signature
from metaeval.tables.readable import readable
from metaeval.tables.wording import counted, joined

ORDINAL = 11  # whole numbers, up to as many as this, are a scale
_MODEL = re.compile(r"gpt|llm|judge|claude|gemini|llama|mistral|qwen|deepseek|bert|rouge", re.IGNORECASE)
_CELL = ("system", "document", "first", "second")  # what a score is of
_BETWEEN = "; "  # two lacks of one question
SHAPES = {
    "ranking": "a ranking of {systems} on {documents}",
    "two_systems": "a difference of two systems on {documents}",
    "one_system": "labels of {items} of one system",
    "pairs": "choices between two outputs, of {items}",
    "systems_only": "one score for each of {systems}, without documents",
}


@dataclass(frozen=True)
class Scores:
    """What one judge gave, or people in one judgment.

    Attributes
    ----------
    name : str
    person : bool
    n_scores, n_raters : int
    missing : float
        Share of the systems' documents (of the items, of the pairs) that have none.
    smallest, largest : float
        On the judge's own scale, whether its signs were turned or not.
    n_values : int
        Different ones.
    scale : str
        ``"constant"``, ``"binary"``, ``"ordinal"``, ``"continuous"``, or ``"choices"`` of pairs.
    remark : str
    """

    name: str
    person: bool
    n_scores: int
    n_raters: int
    missing: float
    smallest: float
    largest: float
    n_values: int
    scale: str
    remark: str


@dataclass(frozen=True)
class Question:
    """Whether a question can be answered; if not, `needs` is what would unblock it."""

    question: str
    possible: bool
    needs: str = ""


@dataclass(frozen=True, repr=False)
class Diagnosis(Answer):
    """What files hold and can answer.

    Attributes
    ----------
    files : names of the files
    kind : str
        One of `metaeval.reporting.reading.KINDS`.
    n_rows, n_missing, n_repeated : int
        Scores, empty cells, and scores that repeat others.
    n_systems, n_documents : int
    scores : tuple of Scores
    answers : tuple of Question
    notes : what was guessed, turned or left out, and what looks odd
    """

    files: tuple[str, ...]
    kind: str
    n_rows: int
    n_missing: int
    n_repeated: int
    n_systems: int
    n_documents: int
    scores: tuple[Scores, ...]
    answers: tuple[Question, ...]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """The files and what they hold, in a sentence."""
        shape = SHAPES[self.kind].format(
            systems=counted(self.n_systems, "system"),
            documents=counted(self.n_documents, "document"),
            items=counted(self.n_documents, "item"),
        )
        sizes = f"{counted(self.n_rows, 'score')}, {counted(self.n_missing, 'empty cell')}"
        repeating = "scores that repeat others" if self.n_repeated > 1 else "score that repeats another"
        sizes += f", {self.n_repeated:,} {repeating}" if self.n_repeated else ""
        return f"{', '.join(self.files)}: {shape}; {sizes}."

    @property
    def signature(self) -> str:
        return signature({"kind": self.kind}, shape=(self.n_systems, self.n_documents))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {
            "scores": pd.DataFrame(map(asdict, self.scores)),
            "answers": pd.DataFrame(map(asdict, self.answers)),
        }

    def summary(self) -> str:
        """The diagnosis as text for a terminal."""
        scores = readable(
            self.tables["scores"], table="scores", words=as_it_stands, share=False, may_cut=False
        )
        lines = [self.title, "", *scores.to_text()]
        possible = [answer.question for answer in self.answers if answer.possible]
        lacking = _lacking(self.answers)
        if possible:
            every = "" if lacking else ": every question that is asked of such scores"
            lines += ["", f"What it can answer{every}", *(f"  {line}" for line in possible)]
        if lacking:
            none = "" if possible else ", which is every question"
            lines += [
                "",
                f"What it cannot answer{none}, and what that takes",
                *(f"  {line}" for line in lacking),
            ]
        if self.notes:
            lines += ["", "Notes", *(f"  {note}" for note in self.notes)]
        return "\n".join([*lines, "", self.signature])

    def contents(self) -> dict[str, object]:
        """What was found, what it can answer, and the notes."""
        return asdict(self)

    def plot(self):
        """The share of everything that each judge scored, as a Plotly figure.

        Raises
        ------
        MissingExtraError
            If Plotly is not installed.
        """
        shown = self.to_frame()
        figure = plotly().Figure().add_bar(x=1 - shown["missing"], y=shown["name"], orientation="h")
        return figure.update_layout(
            xaxis={"title": "share that is scored", "range": (0, 1)}, yaxis_autorange="reversed"
        )

    def _repr_html_(self) -> str:
        captions = {"scores": "What was read", "answers": "What it can answer"}
        tables = [table_parts(name, frame, caption=captions[name]) for name, frame in self.tables.items()]
        return render("diagnosed", self, tables)


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
    """What files of scores hold, what they can answer, and what they lack.

    Parameters
    ----------
    files : path, DataFrame, or a sequence of these
        In CSV, TSV, JSON Lines, Parquet or (with the extra ``excel``) Excel, joined by their ids.
    columns : mapping, role -> the name of its column in the files, or of several that make it together
        Roles are system, document, judge, rater, score, human, first, second, choice; where a column is not
        called by a usual name.
    people : names of judges, or of files without what they end with, whose scores are people's
    raters : names of judges, or of files, each of whom is one of several people who rated the same thing
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
        Naming file, line, column and value, and what to do.
    """
    found = tidy(
        files, columns=columns, people=people, raters=raters, machines=machines,
        lower_is_better=lower_is_better, higher_is_better=higher_is_better,
    )  # fmt: skip
    return diagnose(found)


def diagnose(found: Tidy) -> Diagnosis:
    """What files that were read hold, can answer and lack.

    Parameters
    ----------
    found : Tidy

    Returns
    -------
    Diagnosis
    """
    kind = kind_of(found)
    scores = _scores(found, kind)
    left = []
    if kind in ("pairs", "one_system"):
        n_systems = len({*found.names("first"), *found.names("second")}) if found.pairs else 1
    else:
        kept, left = common_systems(found)
        n_systems = len(kept)
        kind = "two_systems" if kind == "ranking" and n_systems == 2 else kind
    n_documents = len(found.names("document"))
    return Diagnosis(
        files=tuple(table.name for table in found.tables),
        kind=kind,
        n_rows=found.frame.height,
        n_missing=found.n_missing,
        n_repeated=found.n_repeated,
        n_systems=n_systems,
        n_documents=n_documents,
        scores=scores,
        answers=tuple(_answers(found, kind, scores, n_systems, n_documents)),
        notes=(
            *found.notes,
            *left_out(left),
            *_perhaps_raters(scores),
            *_perhaps_machines(found),
            *alike(found),
            *_formulas(found),
        ),
    )


def _scores(found: Tidy, kind: str) -> tuple[Scores, ...]:
    frame = found.frame
    codes = {c: pl.col(c).to_physical().cast(pl.UInt64) for c in frame.columns if c in _CELL}
    if found.pairs:  # the same pair in whichever order
        codes["first"], codes["second"] = (
            fold(codes["first"], codes["second"]) for fold in (pl.min_horizontal, pl.max_horizontal)
        )
    sizes = {column: len(frame.schema[column].categories) for column in codes}
    cell = pl.lit(0, pl.UInt64)
    for column, code in codes.items():
        cell = cell * sizes[column] + code
    frame = frame.with_columns(cell=cell)
    n_cells = frame.get_column("cell").n_unique() if found.pairs else prod(sizes.values())
    rows = (
        frame.group_by("person", "name")
        .agg(
            n_scores=pl.len(),
            n_raters=pl.col("rater").filter(pl.col("rater") != "").n_unique(),
            n_scored=pl.col("cell").n_unique(),
            smallest=pl.col("value").min(),
            largest=pl.col("value").max(),
            n_values=pl.col("value").n_unique(),
            whole=(pl.col("value") % 1 == 0).all(),
        )
        .sort("person", "name")
    )
    falling = falling_judges(found) if kind in ("ranking", "systems_only") else {}
    return tuple(
        Scores(
            **{of: row[of] for of in ("name", "person", "n_scores", "n_raters", "n_values")},
            missing=1 - row["n_scored"] / n_cells,
            **_range(row, found.turned),
            scale="choices" if found.pairs else _scale(row["n_values"], row["whole"]),
            remark="" if found.pairs else _remark(row, falling, found),
        )
        for row in rows.iter_rows(named=True)
    )


def _scale(n_values: int, whole: bool) -> str:
    if n_values <= 2:
        return ("constant", "binary")[n_values - 1]
    return "ordinal" if whole and n_values <= ORDINAL else "continuous"


def _range(row: Mapping[str, object], turned: Sequence[str]) -> dict[str, float]:
    """The smallest and the largest score as they stand in the files."""
    ends = row["smallest"], row["largest"]
    if not row["person"] and row["name"] in turned:
        ends = 0 - row["largest"], 0 - row["smallest"]  # and no -0
    return dict(zip(("smallest", "largest"), ends, strict=True))


def _remark(row: Mapping[str, object], falling: Mapping[str, float], found: Tidy) -> str:
    if row["n_values"] == 1:
        return "all alike, so nothing correlates with it"
    if row["person"]:
        return ""
    if row["name"] in found.lengths:
        return "how long a text is, which judges nothing"
    lower, r = row["name"] in found.turned, falling.get(row["name"])
    if lower:
        yet = f", yet it rises with people's (r = {-r:.2f}): if not, --higher {row['name']!r}" if r else ""
        return f"lower is better{yet}"
    return falls(row["name"], r) if r else ""


def _answers(
    found: Tidy, kind: str, scores: Sequence[Scores], n_systems: int, n_documents: int
) -> list[Question]:
    """Every question, and what it lacks; several lacks are told together."""
    judges, people = (
        [one for one in scores if one.person == person and (person or one.name not in found.lengths)]
        for person in (False, True)
    )
    ordered = sorted(people, key=lambda one: one.name != PEOPLE)
    n_raters = ordered[0].n_raters if ordered else 0  # a report is of the first judgment
    graded, scored = all(map(_passes, people)), any(map(_passes, judges))
    how = "correlation" if people and not graded else "AUC" if judges and not scored else "TPR, TNR, κ, AUC"

    n_judged = len(found.names("document", person=True)) if people else n_documents

    def of_two(what: str) -> str:
        return f"two people's scores of {what} (a column rater, or columns of theirs: --rater NAME NAME)"

    def more(n: int, there: int, unit: str, which: str = "") -> str:
        return "" if there >= n else f"{counted(n - there, f'more {unit}')}{which} ({n} in all)"

    lacks = {
        "judged": lambda: _lack(judges, "scores of a judge", "a column judge, or a column for each"),
        "told": lambda: _lack(people, "people's scores", "a column human, or --people NAME"),
        "rivals": lambda: "" if len(judges) > 1 else "scores of a second judge",
        "raters": lambda: "" if n_raters > 1 and _overlap(found) else of_two("the same items"),
        "not_a_crowd": lambda: "" if n_raters <= MOST_RATERS else f"at most {MOST_RATERS} raters",
        "items_of_two": lambda: (
            "" if _items_of_two(found) >= FEW_ITEMS else of_two(f"the same {FEW_ITEMS} items")
        ),
        "documents": lambda: "" if n_judged > 1 else "a column of documents, two or more",
        "compared": lambda: more(FEW_ITEMS, _compared(found, person=False), "document"),
        "both_compared": lambda: more(
            FEW_ITEMS, _compared(found, person=True), "document", " that people judged"
        ),
        "systems": lambda: more(MIN_SYSTEMS, n_systems, "system"),
        "best_systems": lambda: more(MIN_BEST, n_systems, "system"),
        "enough_systems": lambda: more(FEW_SYSTEMS, n_systems, "system"),
        "not_too_many": lambda: (
            ""
            if n_systems <= MOST_SYSTEMS
            else f"at most {MOST_SYSTEMS:,} systems, since each of {comb(n_systems, 2):,} pairs is compared"
        ),
        "column_of_systems": lambda: "a column system, with three systems or more",
        "graded": lambda: "" if graded else "people's labels that pass or fail",
        "scored": lambda: "" if scored or not judges else "a judge's labels that pass or fail",
        "unlabelled": lambda: "" if _only_judged(found) else "items that a judge labels and no person does",
        "both_orders": lambda: (
            "" if _both_orders(found) else "the same pairs with first and second exchanged"
        ),
    }
    answers = []
    for question, (_, takes) in QUESTIONS[kind].items():
        needs = _BETWEEN.join(filter(None, (lacks[one]() for one in takes.split())))
        answers.append(Question(question.format(how=how), not needs, needs))
    return answers


def _lacking(answers: Sequence[Question]) -> list[str]:
    """Lines of the questions that cannot be answered; what several of them lack is said once, above them."""
    lacks = {one.question: one.needs.split(_BETWEEN) for one in answers if not one.possible}
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


def _lack(scores: Sequence[Scores], what: str, how: str) -> str:
    """What is lacking of judges or of people; "" for nothing."""
    if all(one.scale == "constant" for one in scores):
        return f"{what} that are not all alike" if scores else f"{what} ({how})"
    return ""


def _passes(one: Scores) -> bool:
    """Whether scores are labels that pass (1) or fail (0)."""
    return one.n_values <= 2 and {one.smallest, one.largest} <= {0, 1}


def _overlap(found: Tidy) -> bool:
    """Whether two raters judged the same thing."""
    of = [c for c in ("name", "system", "document", "first", "second") if c in found.frame.columns]
    rated = found.frame.filter(pl.col("person") & (pl.col("rater") != ""))
    return bool(rated.select(of).is_duplicated().any())


def _compared(found: Tidy, *, person: bool) -> int:
    """On how many documents a judge, or people, scored both of two systems."""
    kept, _ = common_systems(found)
    own = found.frame.filter((pl.col("person") == person) & pl.col("system").cast(pl.String).is_in(kept))
    both = own.group_by("name", "document").agg(n=pl.col("system").n_unique()).filter(pl.col("n") == 2)
    return both.group_by("name").len().get_column("len").max() or 0


def _items_of_two(found: Tidy) -> int:
    """Of how many items two people are known; of pairs, how often a person's others have a majority."""
    texts = found.frame.filter("person").with_columns(pl.col("name", "rater").cast(pl.String))
    said = texts.with_columns(who=pl.when(pl.col("rater") == "").then("name").otherwise("rater"))
    if not found.pairs:
        return said.group_by("document").agg(n=pl.col("who").n_unique()).filter(pl.col("n") > 1).height
    shown = [pl.col(side).to_physical() for side in ("first", "second")]
    low, high = pl.min_horizontal(shown), pl.max_horizontal(shown)
    value = pl.when(shown[0] == low).then("value").otherwise(1 - pl.col("value"))
    once = said.group_by("document", "who", low=low, high=high).agg(side=(value.mean() - 0.5).sign())
    sides = [(pl.col("side") == side).sum().alias(f"{side}") for side in (-1, 0, 1)]
    votes = once.group_by("document", "low", "high").agg(sides).to_numpy()[:, 3:].astype(int)
    n = 0
    for own, one in enumerate(np.eye(3, dtype=int)):  # who voted so sees one vote less on that side
        others = votes - one
        most = others.max(axis=1, keepdims=True)
        clear = ((others == most).sum(axis=1) == 1) & (most > 0)[:, 0]
        n += int(votes[clear, own].sum())
    return n


def _both_orders(found: Tidy) -> bool:
    """Whether a judge was shown a pair in both orders."""
    judged = found.frame.filter(~pl.col("person")).select("name", "document", "first", "second")
    swapped = judged.rename({"first": "second", "second": "first"})
    return judged.join(swapped, on=judged.columns, how="semi").height > 0


def _only_judged(found: Tidy) -> bool:
    """Whether a judge labelled items that no person did."""
    said = found.frame.filter("person").select("document")
    return found.frame.filter(~pl.col("person")).join(said, on="document", how="anti").height > 0


def _perhaps_raters(scores: Sequence[Scores]) -> list[str]:
    """How to say that what was taken for several judgments of people are several people."""
    names = [one.name for one in scores if one.person]
    if len(names) < 2:
        return []
    return [
        f"People judge {joined(names)}. If these are people and not what they judge: "
        f"--rater {' '.join(map(shlex.quote, names))}."
    ]


def _perhaps_machines(found: Tidy) -> list[str]:
    """How to say that what was taken for a person is none, where a rater is called after a model."""
    names = [name for name in found.names("rater", person=True) if _MODEL.search(name)]
    if not names:
        return []
    return [
        f"{joined(names)} {'counts as a person' if len(names) == 1 else 'count as people'} here. If not: "
        f"--machine {' '.join(map(shlex.quote, names))}."
    ]


def _formulas(found: Tidy) -> list[str]:
    """Names that a spreadsheet would take for formulas."""
    ids = [column for column in (*IDS, "first", "second") if column in found.frame.columns]
    written = dict.fromkeys(name for column in ids for name in found.names(column))
    formulas = [name for name in written if name.startswith(FORMULA)]
    return [f"A spreadsheet takes these names for formulas: {listing(formulas)}"] if formulas else []


def write_tidy(found: Tidy, path: Path) -> None:
    """Write all scores, one per row; what is read from it is what was read."""
    frame = turn(found.frame, found.turned)
    named = pl.col("name").cast(pl.String)
    own = pl.col("person") & (named != PEOPLE)
    ids = [c for c in ("system", "document", "first", "second") if c in frame.columns and found.names(c)]
    value = "choice" if found.pairs else "score"
    shown = frame.select(
        *ids,
        judge=pl.when(own).then("human_" + named).otherwise(named),
        rater="rater",
        **{value: "value"},
    )
    write_table(shown.cast({pl.Categorical: pl.String, pl.Enum: pl.String}), path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    parser.add_argument(
        "--write", type=Path, metavar="FILE",
        help="write all scores, one per row, as .csv, .tsv, .jsonl or .parquet",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")


def main(given: argparse.Namespace) -> int:
    """Say what the files hold; returns the exit status."""
    if given.write:
        require_written(given.write)
    require_apart([given.write], given.files)
    found = tidy(given.files, **settings(given))
    diagnosis = diagnose(found)
    print(diagnosis.to_json() if given.json else diagnosis.summary(), end="" if given.json else "\n")
    if given.write:
        write_tidy(found, given.write)
        said = f"{given.write}: {counted(found.frame.height, 'score')}, one per row"
        print(said, file=sys.stderr if given.json else sys.stdout)
    return 0
