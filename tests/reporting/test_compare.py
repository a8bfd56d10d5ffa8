"""Two judges beside each other: the answer, and the exit status that says it."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.__main__ import main as run
from helpers.errors import DataError, UnknownNameError
from helpers.reporting.compare import CANNOT_TELL, NO, YES, compare_judges
from helpers.reporting.reading import read
from helpers.stats.intervals import Ends
from tests.builders import benchmark

RNG = np.random.default_rng(11)
HUMAN = np.arange(14.0)[:, None] / 2 + RNG.normal(size=(14, 10))
GOOD, POOR = HUMAN + RNG.normal(size=HUMAN.shape) / 4, RNG.normal(size=HUMAN.shape)
ALIKE = GOOD + RNG.normal(size=HUMAN.shape) / 50
MADE = benchmark(HUMAN, {"good": GOOD, "poor": POOR, "alike": ALIKE})
SMALL = {"n_resamples": 99, "rng": 1}


@pytest.mark.parametrize(
    ("judges", "bar", "answer"),
    [
        (["good", "poor"], None, YES),
        (["poor", "good"], None, NO),
        (["good", "alike"], None, CANNOT_TELL),
        (["good"], 0.2, YES),
        (["poor"], 0.9, NO),
        (["poor"], 0.0, CANNOT_TELL),
        (["poor", "good"], 0.0, NO),
        (["good", "alike"], 0.2, CANNOT_TELL),
    ],
)
def test_each_answer_can_be_given(judges, bar, answer):
    assert compare_judges(MADE, judges, fail_under=bar, **SMALL).answer == answer


def test_by_what():
    found = compare_judges(MADE, ["good", "poor"], fail_under=0.3, **SMALL)
    people = HUMAN.mean(axis=1)
    good, poor = (stats.kendalltau(plane.mean(axis=1), people).statistic for plane in (GOOD, POOR))
    assert found.to_frame()["value"].tolist() == pytest.approx([good - poor, good])
    assert found.table["low"][0] < good - poor < found.table["high"][0] + 1e-9
    assert f"{good - poor:.2f} more" in found.summary()
    assert found.summary().endswith(found.signature)


def test_both_are_judged_on_what_both_score():
    gaps = GOOD.copy()
    gaps[:, :4] = np.nan
    found = compare_judges(benchmark(HUMAN, {"gaps": gaps, "whole": GOOD}), ["gaps", "whole"], **SMALL)
    assert found.table["value"].tolist() == pytest.approx([0.0])


def test_few_systems_decide_nothing():
    few = benchmark(HUMAN[::3], {"good": HUMAN[::3], "poor": -HUMAN[::3]})
    found = compare_judges(few, ["good", "poor"], **SMALL)
    assert found.answer == CANNOT_TELL
    assert "nothing is decided" in found.summary()


@pytest.mark.parametrize(
    ("judges", "bar", "error", "said"),
    [
        (["good"], None, DataError, "name two judges, or one and what it has to reach"),
        (["good", "good"], None, DataError, "cannot be compared with itself"),
        (["good", "por"], None, UnknownNameError, "Did you mean 'poor'"),
        (["good"], 80.0, ValueError, "`fail_under` is a correlation, from -1 to 1, got 80"),
    ],
)
def test_a_question_that_cannot_be_asked(judges, bar, error, said):
    with pytest.raises(error, match=said):
        compare_judges(MADE, judges, fail_under=bar, **SMALL)


@pytest.fixture
def path(tmp_path):
    lines = ["system,document,metric,score"]
    for metric, plane in (("people", HUMAN), ("good", GOOD), ("poor", POOR), ("alike", ALIKE)):
        lines += [f"s{i},d{j},{metric},{plane[i, j]}" for i in range(14) for j in range(10)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf8")
    return str(path)


@pytest.mark.parametrize(
    ("judges", "status"),
    [(["good", "poor"], 0), (["poor", "good"], 1), (["good", "alike"], 2), (["good", "nobody"], 3)],
)
def test_the_exit_status_says_it(path, capsys, judges, status):
    assert run(["compare", path, "--judges", *judges, "--draws", "99"]) == status
    shown = capsys.readouterr()
    assert bool(shown.out) == (status < 3)
    assert ("unknown metric" in shown.err) == (status == 3)


def test_a_mistake_in_the_command_is_no_answer(path, capsys):
    with pytest.raises(SystemExit) as stopped:
        run(["compare", path])
    assert stopped.value.code == 3
    assert "--judges" in capsys.readouterr().err
    assert run(["compare", "nowhere.csv", "--judges", "a", "b"]) == 3
    with pytest.raises(SystemExit) as stopped:
        run(["report"])
    assert stopped.value.code == 2


def test_the_answer_as_json_and_html(path, capsys, tmp_path):
    assert run(["compare", path, "--judges", "good", "--fail-under", "0.2", "--json", "--draws", "99"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == YES
    assert found["answers"][0]["pvalue"] is None
    page = compare_judges(MADE, ["good", "poor"], **SMALL).to_html(tmp_path / "out.html")
    assert "Is good better than poor? Yes." in page


def test_a_test_alone_says_nothing_of_other_systems(monkeypatch):
    found = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert found.answer == YES
    ends = lambda *_: Ends(-0.1, 0.4, 0.01, 0.01)  # noqa: E731
    monkeypatch.setattr("helpers.reporting.compare.percentile_ends", ends)
    unsure = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert unsure.answer == CANNOT_TELL
    assert unsure.table["pvalue"].tolist() == found.table["pvalue"].tolist()
    assert "whether they would on others is open" in unsure.summary()


def test_without_a_ranking_it_points_to_the_report():
    labels = pd.DataFrame({"item": [1, 2], "a": [0, 1], "b": [1, 1], "human": [0, 1]})
    with pytest.raises(DataError, match=r"hold one system.*`metaeval report` says what they hold"):
        compare_judges(read(labels), ["a", "b"])
