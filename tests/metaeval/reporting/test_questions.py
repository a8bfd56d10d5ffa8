"""What doctor promises is what a report answers: of every example, and of files of every size."""

import itertools

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.reporting.doctor import COMPARE, NOWHERE, PLAN, QUESTIONS, RATER, VERDICT, diagnose
from metaeval.reporting.example import EXAMPLES, write_examples
from metaeval.reporting.reading import KINDS, read, read_tidy
from metaeval.reporting.report import report
from metaeval.reporting.verdict import FEW_SYSTEMS
from metaeval.reporting.verdict import RATER as OF_RATER


def _csv(ids, rows, of_judges, of_people):
    names = [f"judge {k}" for k in range(of_judges)]
    names += ["human"] if of_people == 1 else [f"rater_{k}" for k in range(of_people)]
    return "\n".join(",".join(map(str, row)) for row in [(*ids, *names), *rows]) + "\n"


def ranking(n_systems, n_documents, n_judges, n_people):
    """Systems of rising quality; no column of documents where there are none."""
    ids = ("system", "document") if n_documents else ("system",)
    rows = []
    for i, d in itertools.product(range(n_systems), range(n_documents or 1)):
        rng = np.random.default_rng([i, d])
        scores = [round(i + x, 2) for x in rng.normal(size=n_judges + n_people)]
        rows.append((f"s{i}", f"d{d}", *scores) if n_documents else (f"s{i}", *scores))
    return _csv(ids, rows, n_judges, n_people)


def one_system(n_items, n_judges, n_people, n_alone, binary):
    """Labels, or scores, of items of which judges alone label the last `n_alone`."""
    rows = []
    for i in range(n_items):
        noise = np.random.default_rng(i).normal(size=n_judges + n_people) / 2 + i % 3 - 1
        said = [int(x > 0) if binary else round(x, 2) for x in noise]
        rows.append((i, *said[:n_judges], *(said[n_judges:] if i < n_items - n_alone else [""] * n_people)))
    return _csv(("item",), rows, n_judges, n_people)


def pairs(n_items, n_judges, n_people, both):
    """Choices, of judges perhaps in both orders."""
    rows = []
    for i, order in itertools.product(range(n_items), range(1 + both)):
        noise = np.random.default_rng([i, order]).normal(size=n_judges + n_people) + (i % 2 - 0.5)
        said = [1 + int((x > 0) != order) for x in noise]
        sides = ("y", "x") if order else ("x", "y")
        rows.append((i, *sides, *said[:n_judges], *([""] * n_people if order else said[n_judges:])))
    return _csv(("item", "model_a", "model_b"), rows, n_judges, n_people)


# by name; half of all sizes, in which any three still meet
OF_SIZES = {
    f"{make.__name__} {' '.join(map(str, sizes))}": (make, sizes)
    for make, every in (
        (ranking, [(2, 3, 5, 6), (0, 1, 2, 25), (1, 2), (1, 2)]),
        (one_system, [(12, 25), (1, 2), (1, 2), (0, 4), (True, False)]),
        (pairs, [(12, 25), (1, 2), (1, 2, 3), (False, True)]),
    )
    for places in itertools.product(*(range(len(sizes)) for sizes in every))
    if sum(places) % 2 == 0
    for sizes in [[values[place] for values, place in zip(every, places, strict=True)]]
}
FILES = {name: make(*sizes) for name, (make, sizes) in OF_SIZES.items()} | {
    "no people": ranking(6, 2, 2, 0),
    "no judge": ranking(6, 2, 0, 2),
    "a crowd": ranking(6, 2, 1, 51),
    "choices of people alone": pairs(25, 0, 2, False),
    "choices of a judge alone": pairs(25, 1, 0, True),
    "one of two judges in one order": pairs(25, 2, 1, True).replace(",y,x,1,", ",y,x,,").replace(",y,x,2,", ",y,x,,"),
    "people judged one document": "system,document,m,human\n"
    + "".join(f"s{i},{d},{i + d},{i if d else ''}\n" for i in range(6) for d in range(2)),
}  # fmt: skip


def slow_ones():
    """Names of all files but a few in which any two sizes meet."""
    meeting = {
        name: {(make, *pair) for pair in itertools.combinations(enumerate(sizes), 2)}
        for name, (make, sizes) in OF_SIZES.items()
    }
    names, left = {*meeting}, set().union(*meeting.values())
    while left:
        name = max(meeting, key=lambda name: len(meeting[name] & left))
        names.remove(name)
        left -= meeting[name]
    return names


def answered(found, where):
    """Whether a question's answer stands in a report."""
    tables, first = found.tables, found.to_frame()
    values = {name: table["value"].notna().any() for name, table in tables.items() if "value" in table}
    if where == VERDICT:
        left = any(one.check == "a ranking of the systems" for one in found.left_out)
        return not left and bool(first[["low", "high"]].notna().all(axis=1).any())
    if where == RATER:
        return bool((first["compared_with"].str.startswith(OF_RATER) & first["value"].notna()).any())
    if where == "summary":
        table = tables.get("correlations")
        return table is not None and bool(table.loc[table["level"] == "summary", "value"].notna().any())
    if where == "agreement":
        return bool(values.get("rates") or values.get("items"))
    if where == "difference":
        return bool(tables["difference"].query("metric != 'people'")["low"].notna().any())
    return bool(values.get(where))


def check(files):
    files = files if isinstance(files, list) else [files]
    diagnosis = diagnose(
        read_tidy(files)
    )  # the rows that `read` has, which reads the files last read no second time
    try:
        made = report(read(files), n_resamples=99)
    except DataError:
        made = None
    possible = diagnosis.answers["possible"]
    for one, (where, _) in zip(possible, QUESTIONS[diagnosis.kind].values(), strict=True):
        if where not in (COMPARE, PLAN):
            there = made is not None and where != NOWHERE and answered(made, where)
            assert one == there, (where, made and made.summary())


def test_every_kind_has_its_questions():
    assert set(QUESTIONS) == set(KINDS)
    assert FEW_SYSTEMS > 5  # else files of 5 systems are no test of it


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    return write_examples(tmp_path_factory.mktemp("made") / "examples", seed=2)


@pytest.mark.parametrize("name", EXAMPLES)
def test_doctor_promises_what_a_report_answers_of_every_example(name, examples):
    check(examples[name])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in slow_ones() else name for name in FILES]
)
def test_doctor_promises_what_a_report_answers_of_files_of_every_size(name, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(FILES[name])
    check(path)
