"""Findings: each true on the recorded results, and false as soon as a number that carries a word is not there.

The tables of these tests are made by one rule from ``rests_on``: a cell is moved just past its border, or missing.
"""

import re
from dataclasses import replace
from functools import cache, cached_property

import numpy as np
import pandas as pd
import pytest

from helpers.kit import findings
from helpers.kit.expressions import MissingError, above, around, below, cell, complete, evaluate, rows
from helpers.kit.findings import DATA, Estimate, Run, judge, write
from helpers.kit.parameters import default_parameters, notebook_path
from metaeval.core.errors import DataError, UnknownNameError

JUST = 1e-6
each_page = pytest.mark.parametrize("page", findings.pages())
CLAIMS = [(page, "") for page in findings.pages()] + [
    (page, name)
    for page in findings.pages()
    for name, figure in findings.finding(page).figures.items()
    if figure.claim
]
each_claim = pytest.mark.parametrize(("page", "figure"), CLAIMS)


def python_values(table):
    return table.astype({name: object for name, dtype in table.dtypes.items() if dtype == "str"})


class Case:
    """A claim with the tables that it is judged by."""

    def __init__(self, page, figure=""):
        self.page = page
        self.whole = findings.finding(page)
        self.claim = self.whole.figures[figure] if figure else self.whole
        self.runs = {name: findings.recorded_run(name) for name in self.whole.sources or (page,)}
        if figure:
            data = findings.recorded_figure(figure)
            assert data is not None, (
                f"data/recorded/{figure}.csv is not there; make its condition one of the finding"
            )
            self.runs[page] = replace(self.runs[page], tables={DATA: data})

        # what is moved hundreds of times, with names as Python's own, which is faster for so few rows
        self.plain = {
            name: replace(run, tables={name: python_values(table) for name, table in run.tables.items()})
            for name, run in self.runs.items()
        }

    def holds(self, runs=None):
        """Whether the condition holds on tables, and no number of its texts is missing."""
        one = self.claim
        texts = [*one.texts.values()] if one is self.whole else [one.claim, one.subtitle]
        return one.fill(texts, findings.visible_names(self.whole, runs) if runs else self.names) is not None

    @cached_property
    def names(self):
        return findings.visible_names(self.whole, self.runs)

    def place(self, entry):
        """Notebook and table of an entry; a chapter names both."""
        first, dot, second = entry["table"].partition(".")
        return (first, second) if dot else (self.page, first)

    def moved(self, entry, change):
        """The runs with one table changed."""
        page, name = self.place(entry)
        run = self.plain[page]
        return {**self.plain, page: replace(run, tables={**run.tables, name: change(run.tables[name])})}

    def cells(self, entry):
        """Rows of an entry's cells, those nearest to the border first, and the distances from it."""
        page, name = self.place(entry)
        table = rows(self.runs[page].tables[name], **entry.get("rows", {}))
        border = entry["past"]
        if isinstance(border, str):
            border = evaluate(border, self.names)
        distance = table[entry["column"]].astype(float) - border
        return distance.abs().sort_values(kind="stable").index, distance


@cache
def case_of(page, figure=""):
    return Case(page, figure)


@each_claim
def test_is_claimed_on_the_recorded_results_and_not_without_a_row_or_number(page, figure):
    case = case_of(page, figure)
    assert case.holds()
    assert figure or judge(case.whole, case.runs).claimed
    for entry in case.claim.rests_on:
        column, (nearest, _) = entry["column"], case.cells(entry)
        for n_missing in range(min(case.claim.missing + 1, len(nearest)) + 1):

            def drop_numbers(table, column=column, rows=nearest[:n_missing]):
                return table.assign(**{column: table[column].astype(float).mask(table.index.isin(rows))})

            held = case.holds(case.moved(entry, drop_numbers))
            assert held is (n_missing <= case.claim.missing), (entry, n_missing)
        assert not case.holds(case.moved(entry, lambda table, rows=nearest: table.drop(index=rows))), entry
        assert not case.holds(case.moved(entry, lambda table: table.iloc[:0])), entry


@each_claim
def test_is_not_claimed_when_a_number_is_just_past_its_border(page, figure):
    """Each number by itself; that it may stand just before it shows the one that is nearest."""
    case = case_of(page, figure)
    for entry in case.claim.rests_on:
        nearest, distance = case.cells(entry)
        n_moved = entry.get("count", 1)
        sets = [[row] for row in nearest] if n_moved == 1 else [list(nearest[:n_moved])]
        columns = [entry["column"], *entry.get("along", [])]
        for chosen, side in [(sets[0], 1), *((chosen, -1) for chosen in sets)]:
            signs = np.sign(distance[chosen]).replace(0, 1 if entry.get("from") == "above" else -1)
            by = side * JUST * signs - distance[chosen]

            def move(table, columns=columns, by=by):
                there = table[columns].astype(float)
                return table.assign(**there.add(by.reindex(table.index, fill_value=0), axis=0))

            assert case.holds(case.moved(entry, move)) is (side > 0), (entry, chosen, side)


def test_every_table_of_a_condition_carries_a_number_that_is_tested():
    for page, figure in CLAIMS:
        case = case_of(page, figure)
        used = set(re.findall(r"\b\w+(?:\.\w+)?\b", case.claim.when))
        tables = [
            f"{name}.{table}" if case.whole.sources else table
            for name, run in case.runs.items()
            for table in run.tables
        ]
        named = {entry["table"] for entry in case.claim.rests_on}
        assert named, (page, figure)
        assert {table for table in tables if table in used} == named, (page, figure)


@each_page
def test_is_not_claimed_outside_its_scope(page):
    case = case_of(page)
    for name, run in case.runs.items():
        assert not judge(case.whole, {**case.runs, name: replace(run, simulated=True)}).claimed
        own = findings.finding(name) or case.whole
        for parameter in set(run.parameters) - {*findings.FREE, *own.free}:
            other = replace(run, parameters={**run.parameters, parameter: "another value"})
            assert not judge(case.whole, {**case.runs, name: other}).claimed, parameter


def test_scopes_name_parameters_that_there_are_and_their_values():
    for page in findings.pages():
        claim = findings.finding(page)
        if claim.sources:
            assert not claim.scope, "a chapter has the scopes of its notebooks"
            continue
        defaults = default_parameters(notebook_path(page))
        assert set(claim.free) <= set(defaults), page
        assert {name: defaults[name] for name in claim.scope} == dict(claim.scope), page


NUMBER = re.compile(
    r"(?<![\w-])\d[\d.,]*\d?|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|dozen|hundred)\b",
    re.I,
)
NAMES = re.compile(r"\b(TAC|CNN|XSum|GPT|DUC|of|in) 20\d\d\b|\b95 %")  # names, and the level of intervals


def test_every_number_of_a_text_is_a_slot():
    """Also in words; but for values that the scope fixes."""
    for page in findings.pages():
        claim = findings.finding(page)
        texts = [claim.question, *(text for name, text in claim.texts.items() if name != "do")]
        texts += [text for one in claim.figures.values() for text in (one.title, one.claim, one.subtitle)]
        fixed = {
            write(value, form)
            for value in claim.scope.values()
            if isinstance(value, int | float)
            for form in ("", "words")
        }
        for text in texts:
            plain = NAMES.sub("", re.sub(r"\{[^{}]*\}", "", text))
            assert not {number[0].lower() for number in NUMBER.finditer(plain)} - fixed, (page, text)


def test_texts_read_as_headlines_and_sentences_and_use_every_slot():
    for page in findings.pages():
        claim = findings.finding(page)
        headline, *paragraphs = claim.texts.values()
        assert claim.question.endswith("?"), page
        assert not headline.endswith("."), page
        assert len(headline) <= 110, page
        assert all(text.endswith(".") for text in paragraphs), page
        used = {name for name, _ in findings.SLOT.findall(" ".join(claim.texts.values()))}
        assert set(claim.slots) <= used, page
        assert not findings.SLOT.search(claim.question), page


# ---- the rules by themselves ---------------------------------------------------------------------

TABLE = pd.DataFrame(
    {
        "metric": ["a", "b", "c", "d"],
        "value": [0.2, -0.2, 0.1, np.nan],
        "low": [0.1, -0.3, -0.1, np.nan],
        "high": [0.3, -0.1, 0.3, np.nan],
    }
)


def test_words_follow_the_whole_interval():
    there = TABLE.iloc[:3]
    assert above(there).tolist() == [True, False, False]
    assert below(there).tolist() == [False, True, False]
    assert around(there).tolist() == [False, False, True]
    # an end that touches the value, and an interval that leaves its estimate out, decide nothing
    touching = pd.DataFrame({"value": [0.2, 0.9], "low": [0.0, 0.1], "high": [0.3, 0.3]})
    assert around(touching).all()


def test_missing_numbers_and_rows_conclude_nothing():
    for expression in (lambda: above(TABLE), lambda: complete(TABLE.value), lambda: rows(TABLE, metric="e")):
        with pytest.raises(MissingError):
            expression()
    assert above(TABLE, missing=1).sum() == 1
    with pytest.raises(MissingError):
        cell(TABLE, "value", metric="d")
    with pytest.raises(DataError, match="4 rows"):
        cell(TABLE.assign(value=1.0), "value")
    with pytest.raises(UnknownNameError, match="metrik"):
        rows(TABLE, metrik="a")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("__import__('os')", "may not be called"),
        ("table.to_csv('x')", "may not be called|not allowed"),
        ("table.__class__", "not allowed"),
        ("[x for x in table]", "ListComp"),
        ("lambda: 1", "Lambda"),
        ("table.value.apply(abs)", "may not be called"),
        ("open('x')", "may not be called"),
        ("tabel.value.any()", "tabel"),
        ("1 +", "not an expression"),
    ],
)
def test_an_expression_only_reads(expression, text):
    with pytest.raises((DataError, UnknownNameError), match=text):
        evaluate(expression, {"table": TABLE})


def test_prose_outside_a_block_is_refused_with_its_line(tmp_path):
    path = tmp_path / "page.yml"
    path.write_text("question: |\n  Is it?\nheadline: No: {x} of six\n")
    with pytest.raises(DataError, match=r"page\.yml:3"):
        findings.read_finding(path)


def test_numbers_as_a_sentence_has_them():
    assert [write(6, "words"), write(16, "words"), write(2335)] == ["six", "16", "2,335"]
    assert [write(0.691, "%"), write(-0.001), write(0.063, "+.2f")] == ["69 %", "0.00", "+0.06"]
    assert write(Estimate(0.69, 0.29, 0.75), "%") == "69 % [29, 75]"
    with pytest.raises(MissingError):
        write(float("nan"))


def test_a_run_on_simulated_data_claims_nothing_even_where_the_condition_holds():
    page = findings.pages()[0]
    case = case_of(page)
    name = next(iter(case.runs))
    run = case.runs[name]
    one = judge(case.whole, {**case.runs, name: Run(run.parameters, run.tables, run.numbers, simulated=True)})
    assert (one.claimed, one.title) == (False, case.whole.question)
    assert one.markdown == "No answer is claimed here: these data are simulated."
