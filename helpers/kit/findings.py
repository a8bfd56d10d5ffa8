"""kit.findings: what a page claims. A person writes it in ``book/findings/PAGE.yml``, rules check it here.

A finding is claimed in a run on real data, with the notebook's own parameters, whose tables meet the
finding's condition; anywhere else the page shows its question and the numbers. Kernel and build decide by
this code: the kernel keeps tables and parameters in the output of `show`, the build reads them there.
``CONTRIBUTING.md`` has the fields.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from IPython import get_ipython
from IPython.display import display

from helpers.kit.expressions import Estimate, MissingError, all_true, evaluate
from helpers.kit.mime import FINDING, outputs
from helpers.kit.parameters import default_parameters, notebook_path
from helpers.kit.recorded import FOLDER as RECORDED
from helpers.kit.tables import table_html
from metaeval.core.errors import DataError, choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.core.paths import BOOK, parse_yaml, read_once
from metaeval.tables import wording

FOLDER = BOOK / "findings"
TEXTS = ("question", "headline", "found", "do", "sure")
FREE = ("seed", "n_resamples")  # parameters that no finding is about: the condition reads what they give
NUMBERS = "numbers"  # the recorded table of single numbers
DATA = "data"  # what a figure's condition calls the table that the figure was drawn from
_OPTIONAL = ("when", "slots", "scope", "free", "from", "missing", "simulated", "rests_on", "figures")
_OF_FIGURE = ("title", "subtitle", "claim", "when", "slots", "missing", "rests_on")
_PLAIN = re.compile(
    rf"^\s*(?:{'|'.join([*TEXTS, 'title', 'subtitle', 'claim', 'when'])}):[ \t]*[^|\s].*$", re.M
)
SLOT = re.compile(r"\{(\w+)(?::([^{}]+))?\}")
_NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
]  # fmt: skip
_HEADS = {"found": "What we found.", "do": "What to do.", "sure": "How sure."}


@dataclass(frozen=True)
class Claim:
    """A condition on tables with the texts that it allows.

    Attributes
    ----------
    when : condition, see `helpers.kit.expressions`
    slots : name -> expression of a number or word that the texts quote
    missing : rows without a number that the condition bears
    rests_on : cells that carry a word: mappings with table, column, past (a border) and, where needed, rows,
        count (of cells that have to move together) and along (columns that move by as much)
    """

    when: str = "True"
    slots: Mapping[str, str] = field(default_factory=dict)
    missing: int = 0
    rests_on: Sequence[Mapping[str, Any]] = ()

    def fill(self, texts: Sequence[str], names: Mapping[str, Any]) -> list[str] | None:
        """The texts with their numbers, or None where the condition does not hold or a number is missing."""
        try:
            if not all_true(evaluate(self.when, names)):
                return None
            values = {name: evaluate(expression, names) for name, expression in self.slots.items()}
            return [_fill(text, {**names, **values}) for text in texts]
        except MissingError:
            return None


@dataclass(frozen=True)
class FigureText(Claim):
    """Texts above a figure: `title` says what is shown, `claim` what is seen, where `when` holds."""

    title: str = ""
    subtitle: str = ""
    claim: str = ""


@dataclass(frozen=True)
class Finding(Claim):
    """The finding of a page, as its file has it.

    Attributes
    ----------
    page : name of a notebook or chapter
    question : its heading where nothing is claimed
    texts : headline, found, do and sure, which may hold slots
    scope : parameter -> its value, for which the words were written
    free : further parameters that may have any value
    sources : notebooks whose tables it sees, each by its name; of a notebook itself none
    simulated : True where the data are simulated by design, whose truth is known
    figures : name of a figure -> what stands above it
    """

    page: str = ""
    question: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    scope: Mapping[str, Any] = field(default_factory=dict)
    free: Sequence[str] = ()
    sources: Sequence[str] = ()
    simulated: bool = False
    figures: Mapping[str, FigureText] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """Parameters, tables and single numbers of one run of a notebook, by which a finding is judged."""

    parameters: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    numbers: Mapping[str, float] = field(default_factory=dict)
    simulated: bool = False

    @property
    def names(self) -> dict[str, Any]:
        """All that an expression may name."""
        return {**self.parameters, **self.numbers, **self.tables}


@dataclass(frozen=True)
class Outcome:
    """Texts that a page may show: `title` is the headline where the finding is claimed, else the question."""

    claimed: bool
    title: str
    question: str
    paragraphs: Mapping[str, str]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def markdown(self) -> str:
        """Paragraphs below the title, as Markdown."""
        return "\n\n".join(f"**{head}** {text}" if head else text for head, text in self.paragraphs.items())

    @property
    def description(self) -> str:
        """The first paragraph without marks, for search results and the heads of pages; "" if unclaimed."""
        return re.sub(r"[*`]", "", next(iter(self.paragraphs.values()))) if self.claimed else ""


@read_once
def read_finding(path: Path) -> Finding:
    """The finding in a file.

    Raises
    ------
    DataError
        Naming file and line of prose that plain YAML would misread, or a field that is missing or unknown.
    """
    text = path.read_text(encoding="utf8")
    for line in _PLAIN.finditer(text):
        number = text.count("\n", 0, line.start()) + 1 + line[0].count("\n")
        raise DataError(
            f"{path.name}:{number}: prose and conditions stand below `NAME: |`: {line[0].strip()!r}"
        )
    rows = dict(parse_yaml(text))
    _check_names(path.name, rows, (*TEXTS, *_OPTIONAL))
    if absent := [name for name in TEXTS if not rows.get(name)]:
        raise DataError(f"{path.name} has no {', '.join(absent)}")
    figures = {}
    for name, texts in rows.pop("figures", {}).items():
        _check_names(f"{path.name}, {name}", texts, _OF_FIGURE)
        figures[name] = FigureText(**_join_lines(texts))
    rows["sources"] = tuple(rows.pop("from", ()))
    texts = _join_lines({name: rows.pop(name) for name in TEXTS[1:]})
    return Finding(page=path.stem, texts=texts, figures=figures, **_join_lines(rows))


def _check_names(place: str, fields: Mapping[str, Any], options: Sequence[str]) -> None:
    for name in fields:
        choose(f"field of {place}", name, dict.fromkeys(options))


def _join_lines(texts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: " ".join(text.split()) if isinstance(text, str) else text for name, text in texts.items()}


def pages() -> list[str]:
    """Names of the pages that have a finding."""
    return sorted(path.stem for path in FOLDER.glob("*.yml"))


def finding(page: str) -> Finding | None:
    """The finding of a page, or None where it has no file."""
    path = FOLDER / f"{page}.yml"
    return read_finding(path) if path.is_file() else None


def judge(claim: Finding, runs: Mapping[str, Run]) -> Outcome:
    """Decide what a page may say of these runs.

    Parameters
    ----------
    claim : Finding
    runs : mapping, notebook -> Run; of a notebook's own finding that of the notebook
    """
    tables = {name: table for run in runs.values() for name, table in run.tables.items()}
    reason = next((why for name, run in runs.items() if (why := _out_of_scope(claim, name, run))), "")
    if not reason:
        texts = claim.fill(list(claim.texts.values()), visible_names(claim, runs))
        if texts is not None:
            headline, *paragraphs = texts
            heads = dict(zip(_HEADS.values(), paragraphs, strict=True))
            return Outcome(True, headline, claim.question, heads, tables)
        reason = "these numbers do not carry the answer that this page gave before"
    return Outcome(
        False, claim.question, claim.question, {"": f"No answer is claimed here: {reason}."}, tables
    )


def visible_names(claim: Finding, runs: Mapping[str, Run]) -> dict[str, Any]:
    """All that the expressions of a finding may name: of a notebook its own, of a chapter its notebooks."""
    if claim.sources:
        return {name: SimpleNamespace(**run.names) for name, run in runs.items()}
    (run,) = runs.values()
    return run.names


def _out_of_scope(claim: Finding, notebook: str, run: Run) -> str:
    """Why a finding says nothing of a run; "" where it does."""
    if run.simulated or (not claim.simulated and any(map(_is_likeness, run.tables.values()))):
        return "these data are simulated"
    own = claim if not claim.sources else finding(notebook) or claim
    fixed = {**default_parameters(notebook_path(notebook)), **own.scope}
    loose = {*FREE, *own.free} - {*own.scope}
    moved = [
        name for name, value in fixed.items() if name not in loose and run.parameters.get(name, ...) != value
    ]
    return f"this run has another value of {wording.joined(moved)}" if moved else ""


def _is_likeness(table: pd.DataFrame) -> bool:
    return "dataset" in table and table["dataset"].astype(str).str.startswith(PREFIX).any()


def _fill(text: str, values: Mapping[str, Any]) -> str:
    return wording.typeset(SLOT.sub(lambda slot: write(values[slot[1]], slot[2] or ""), text))


def write(value: Any, form: str = "") -> str:
    """A number or name as a sentence has it.

    Parameters
    ----------
    value : number, text, list of texts, or `Estimate`
    form : str
        By default counts with marked thousands and two decimals of other numbers. ``words``: a count up to
        twelve in words, ``Words`` at the start of a sentence; ``%`` and ``.1%``: a share in percent;
        ``range`` and ``range%``: the ends of an interval; else a format of Python's, such as ``+.2f``.

    Raises
    ------
    MissingError
        If the number is NaN.

    Examples
    --------
    >>> write(6, "words"), write(0.691, "%"), write(Estimate(0.5, -0.1, 0.8))
    ('six', '69 %', '0.50 [-0.10, 0.80]')
    >>> write(Estimate(0.5, 0.29, 0.8), "range%")
    '29 to 80 %'
    """
    if isinstance(value, Estimate):
        return _write_interval(value, form)
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return wording.joined([write(one, form) for one in value])
    if math.isnan(value):
        raise MissingError("a number of the text is missing")
    if form.lower() == "words":
        word = _NUMBERS[int(value)] if value == int(value) and 0 <= value < len(_NUMBERS) else f"{value:,}"
        return word.capitalize() if form[0] == "W" else word
    if form.endswith("%"):
        return wording.percent(float(value), int(form[1:-1]) if len(form) > 1 else 0)
    if not form and value == int(value) and isinstance(value, int | np.integer):
        return f"{value:,}"
    return f"{value:{_zero_without_sign(form or '.2f')}}"


def _zero_without_sign(form: str) -> str:
    return form if form.startswith("+") else f"z{form}"


def _write_interval(value: Estimate, form: str) -> str:
    percent = form.endswith("%")
    if form.startswith("range"):
        ends = [100 * end if percent else end for end in (value.low, value.high)]
        low, high = (f"{end:z.{0 if percent else 2}f}" for end in ends)
        return f"{low} to {high}{' %' * percent}"
    return wording.with_interval(*value, digits=0 if percent else 2, percent=percent)


def show(page: str, **results: pd.DataFrame | float) -> None:
    """Display what a page claims of these results, and keep them for the build and the record.

    Parameters
    ----------
    page : name of the notebook
    **results : aggregated tables and single numbers, by the names that the finding has for them
    """
    claim = finding(page)
    tables = {name: _as_csv(one) for name, one in results.items() if isinstance(one, pd.DataFrame)}
    numbers = {name: np.asarray(one).item() for name, one in results.items() if name not in tables}
    bundle = {
        "page": page, "parameters": _parameters(page), "tables": tables, "numbers": numbers,
        "simulated": is_simulated(),
    }  # fmt: skip
    if claim is None:
        display({FINDING: bundle, "text/plain": "This page has no finding yet."}, raw=True)
        return
    outcome = judge(claim, {page: run_from(bundle)})
    markdown = f"### {outcome.title}\n\n{outcome.markdown}"
    plain = markdown
    if not outcome.claimed:
        markdown += f"\n\n{numbers_html(outcome)}"
    display({FINDING: bundle, "text/markdown": markdown, "text/plain": plain}, raw=True)


def numbers_html(outcome: Outcome) -> str:
    """The tables of a finding, folded."""
    more = "more columns in the tables of this page"
    tables = [
        table_html(table, caption=name.replace("_", " "), index=False, whole=more)
        for name, table in outcome.tables.items()
    ]
    return f"<details><summary>The numbers</summary>{''.join(tables)}</details>"


def _parameters(page: str) -> dict[str, Any]:
    """The values that a notebook's parameters have in the running kernel."""
    defaults = default_parameters(notebook_path(page))
    shell = get_ipython()
    values = shell.user_ns if shell else {}
    return {name: values.get(name, default) for name, default in defaults.items()}


def run_from(bundle: Mapping[str, Any]) -> Run:
    """The run that `show` kept."""
    tables = {name: read_table(text) for name, text in bundle["tables"].items()}
    return Run(bundle["parameters"], tables, bundle["numbers"], bundle["simulated"])


def recorded_run(page: str, folder: Path = RECORDED) -> Run:
    """The results by which a notebook's finding was judged in the last recorded run on real data."""
    paths = {path.stem.split("-", 2)[2]: path for path in sorted(folder.glob(f"finding-{page}-*.csv"))}
    tables = {name: read_table(path.read_text(encoding="utf8")) for name, path in paths.items()}
    numbers = tables.pop(NUMBERS, pd.DataFrame({"name": [], "value": []}))
    values = [int(value) if value % 1 == 0 else value for value in numbers["value"]]
    return Run(
        default_parameters(notebook_path(page)), tables, dict(zip(numbers["name"], values, strict=True))
    )


def recorded_figure(name: str, folder: Path = RECORDED) -> pd.DataFrame | None:
    """The recorded table that a figure was drawn from, or None."""
    path = folder / f"{name}.csv"
    return read_table(path.read_text(encoding="utf8")) if path.is_file() else None


def read_table(text: str) -> pd.DataFrame:
    """A table from its CSV, as kernel, build and tests see it; what is empty is missing."""
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])


def _as_csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, lineterminator="\n")


def run_of(notebook: Mapping) -> Run | None:
    """The run of an executed notebook, or None where it shows no finding."""
    output = next(outputs(notebook, FINDING), None)
    return run_from(output["data"][FINDING]) if output else None


def figure_text(name: str, data: pd.DataFrame, run: Run | None = None) -> tuple[str, str]:
    """Title and subtitle of a figure: its claim where the table that it was drawn from carries it.

    Parameters
    ----------
    name : name of the figure, which begins with that of its notebook
    data : the table that it was drawn from
    run : the run that drew it, by default that of this kernel
    """
    page = max((p for p in pages() if f"{name}-".startswith(f"fig-{p}-")), key=len, default="")
    claim = finding(page)
    text = claim.figures.get(name) if claim else None
    if text is None:
        return "", ""
    run = run or Run(_parameters(page), {}, {}, is_simulated())
    seen = Run(run.parameters, {DATA: read_table(_as_csv(data))}, run.numbers, run.simulated)
    if text.claim and not _out_of_scope(claim, page, seen):
        filled = text.fill([text.claim, text.subtitle], visible_names(claim, {page: seen}))
        if filled:
            return filled[0], filled[1]
    title, subtitle = (
        SLOT.sub(lambda slot: write(run.parameters[slot[1]], slot[2] or ""), one)
        for one in (text.title, text.subtitle)
    )
    return title, subtitle
