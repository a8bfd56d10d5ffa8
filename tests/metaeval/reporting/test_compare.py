"""Two judges beside each other: the answer, and the exit status that says it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from metaeval.__main__ import main as run
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.reporting.compare import CANNOT_TELL, NO, YES, compare_judges
from metaeval.reporting.reading import read
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import Ends
from metaeval.stats.streams import stream
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


def test_too_few_draws_for_an_interval_are_refused():
    with pytest.raises(ValueError, match="`n_resamples` must be at least 39, for a 95"):
        compare_judges(MADE, ["good", "poor"], n_resamples=38, rng=1)


def test_by_what():
    found = compare_judges(MADE, ["good", "poor"], fail_under=0.3, **SMALL)
    people = HUMAN.mean(axis=1)
    good, poor = (stats.kendalltau(plane.mean(axis=1), people).statistic for plane in (GOOD, POOR))
    assert found.to_frame()["value"].tolist() == pytest.approx([good - poor, good])
    assert found.table["low"][0] < good - poor < found.table["high"][0] + 1e-9
    assert f"a difference of {good - poor:.2f}, 95 % interval " in found.summary()
    assert f"of {poor - good:.2f}, " in compare_judges(MADE, ["poor", "good"], **SMALL).summary()
    assert found.summary().endswith(found.signature)
    assert repr(found).startswith(
        "<JudgeComparison: good and poor against people, 14 systems, 10 documents; tables answers"
    )


def test_both_are_judged_on_what_both_score():
    gaps = GOOD.copy()
    gaps[:, :4] = np.nan
    found = compare_judges(benchmark(HUMAN, {"gaps": gaps, "whole": GOOD}), ["gaps", "whole"], **SMALL)
    assert found.table["value"].tolist() == pytest.approx([0.0])
    n_both = (~np.isnan(gaps)).sum()
    assert f"(Kendall's τ, system level, on the {n_both} summaries that both score)" in found.summary()


def test_a_judge_that_is_asked_for_is_read_even_if_its_scores_count_the_rows(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("system,document,index,human\n" + "".join(f"s{i},d,{i},{i % 5}\n" for i in range(9)))
    assert compare_judges(path, "index", fail_under=0.1, **SMALL).table["value"].notna().all()
    assert run(["compare", str(path), "--judges", "index", "--fail-under", "0.1", "--draws", "99"]) == 2


def test_raters_that_are_asked_about_are_judges(tmp_path, capsys):
    path = tmp_path / "mine.csv"
    planes = {"good judge": GOOD, "poor judge": POOR, "ann": HUMAN, "bob": HUMAN}
    lines = [
        f"s{i},d{j},{name},{plane[i, j]}\n"
        for name, plane in planes.items()
        for i in range(14)
        for j in range(10)
    ]
    path.write_text("system,document,annotator,score\n" + "".join(lines), encoding="utf8")
    asked = ["compare", str(path), "--draws", "99", "--judges", "good judge", "poor judge"]
    assert run(asked) == 0
    shown = capsys.readouterr()
    assert "raters are not counted among people: good judge and poor judge." in shown.out
    assert run([*asked, "--machine", "good judge", "poor judge"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == shown.out.splitlines()[2]


def test_what_has_no_value_is_said_to_have_none():
    made = benchmark(HUMAN, {"flat": np.ones_like(HUMAN), "good": GOOD})
    said = "flat: no value (–), as where a judge gives the same to all."
    for judges, bar in ((["flat"], 0.2), (["good", "flat"], None), (["flat", "good"], 0.2)):
        found = compare_judges(made, judges, fail_under=bar, **SMALL)
        assert found.answer == CANNOT_TELL
        assert said in found.summary()
        assert "nan" not in found.summary()
    assert "no value" not in compare_judges(MADE, ["good", "poor"], **SMALL).summary()


def test_few_systems_decide_nothing():
    few = benchmark(HUMAN[::3], {"good": HUMAN[::3], "poor": -HUMAN[::3]})
    found = compare_judges(few, ["good", "poor"], **SMALL)
    assert found.answer == CANNOT_TELL
    assert "nothing is decided" in found.summary()


@pytest.mark.parametrize(
    ("judges", "bar", "error", "said"),
    [
        (["good"], None, DataError, "name two judges, or one and the value that it has to reach"),
        (["good", "good"], None, DataError, "cannot be compared with itself"),
        (["good", "por"], None, UnknownNameError, "Did you mean 'poor'"),
        (["good"], 80.0, ValueError, "`fail_under` must be from -1 to 1, the range of a correlation, got 80"),
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


def test_its_help_says_what_an_exit_status_means(capsys):
    with pytest.raises(SystemExit):
        run(["compare", "--help"])
    assert "0 for yes, 1 for no, 2 where these data cannot tell" in " ".join(capsys.readouterr().out.split())


def test_a_mistake_in_the_command_is_no_answer(path, capsys):
    with pytest.raises(SystemExit) as stopped:
        run(["compare", path])
    assert stopped.value.code == 3
    assert "--judges" in capsys.readouterr().err
    assert run(["compare", "nowhere.csv", "--judges", "a", "b"]) == 3
    with pytest.raises(SystemExit) as stopped:
        run(["report"])
    assert stopped.value.code == 3


@pytest.mark.parametrize(
    "option",
    [
        ["--fail-under", "7"],
        ["--draws", "1000000000"],
        ["--draws", "0"],
        ["--seed", "-1"],
        ["--alpha", "5"],
        ["--confidence-level", "95"],
    ],
)
def test_an_option_out_of_bounds_is_called_as_it_was_typed(path, capsys, option):
    assert run(["compare", path, "--judges", "good", "poor", *option]) == 3
    assert capsys.readouterr().err.startswith(f"error: `{option[0]}` ")


def test_the_answer_as_json_and_html(path, capsys, tmp_path):
    assert run(["compare", path, "--judges", "good", "--fail-under", "0.2", "--json", "--draws", "99"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == YES
    assert found["answers"][0]["pvalue"] is None
    both = compare_judges(MADE, ["good", "poor"], fail_under=0.1, **SMALL)
    drawn = both.plot().data[0]
    assert drawn.x.tolist() == both.table["value"].tolist()
    assert (drawn.x - drawn.error_x.arrayminus).tolist() == pytest.approx(both.table["low"].tolist())
    page = both.to_html(tmp_path / "out.html")
    assert "Is good better than poor? Yes." in page


def test_a_test_alone_says_nothing_of_other_systems(monkeypatch):
    found = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert found.answer == YES
    ends = lambda *_: Ends(-0.1, 0.4, 0.01, 0.01)  # noqa: E731
    monkeypatch.setattr("metaeval.reporting.paired_labels.percentile_ends", ends)
    unsure = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert unsure.answer == CANNOT_TELL
    assert unsure.table["pvalue"].tolist() == found.table["pvalue"].tolist()
    assert "whether they would on others is open" in unsure.summary()


def test_a_difference_that_is_open_comes_with_the_size_at_which_it_would_not_be():
    """Copies of the data are data in which the difference has stayed as it is."""
    rng = np.random.default_rng(6)
    people = np.arange(8.0)[:, None] / 3 + rng.normal(size=(8, 12))
    planes = people, people + rng.normal(size=people.shape), people + 3 * rng.normal(size=people.shape)
    answers = {}
    for times in (1, 2, 3):
        human, fine, rough = (np.tile(plane, (times, times)) for plane in planes)
        made = benchmark(human, {"fine": fine, "rough": rough})
        found = compare_judges(made, ["fine", "rough"], coefficient="pearson", n_resamples=499, rng=1)
        answers[times] = found.answer
        if times == 1:
            assert (
                "If the difference stays as it is, it would take 24 systems and 36 documents together (864 "
                "labels) to tell them apart." in found.said[0]
            )
    assert answers == {1: CANNOT_TELL, 2: CANNOT_TELL, 3: YES}
    assert "If the difference stays" not in found.said[0]


def test_what_a_difference_would_take_is_not_said_where_it_cannot_be():
    same = benchmark(HUMAN, {"good": GOOD, "again": GOOD})
    said = compare_judges(same, ["good", "again"], **SMALL).said[0]
    assert "If the difference stays" not in said
    few = benchmark(HUMAN[::3], {"good": HUMAN[::3], "poor": -HUMAN[::3]})
    assert "If the difference stays" not in compare_judges(few, ["good", "poor"], **SMALL).said[0]
    one = benchmark(HUMAN[:, :1], {"good": GOOD[:, :1], "alike": ALIKE[:, :1] + RNG.normal(size=(14, 1)) / 3})
    assert "documents" not in compare_judges(one, ["good", "alike"], **SMALL).said[0].partition("If the")[2]


TRUTH = RNG.random(90) < 0.6
ITEMS = [f"i{k}" for k in range(90)]


def noisy(share, truth=TRUTH):
    return np.where(RNG.random(len(truth)) < share, ~truth, truth).astype(float)


def of_labels(**columns):
    return read(pd.DataFrame({"item": ITEMS, **columns}))


@pytest.mark.parametrize("measure", [None, "kappa", "auc", "accuracy"])
def test_two_judges_of_labels(measure):
    good, poor, people = noisy(0.05), noisy(0.4), TRUTH.astype(float)
    data = of_labels(good=good, poor=poor, human=people)
    expected = {
        "accuracy": lambda judge: (judge == people).mean(),
        "auc": lambda judge: roc_auc_score(people, judge),
    }.get(measure, lambda judge: cohen_kappa_score(judge, people))
    found = compare_judges(data, ["good", "poor"], measure=measure, fail_under=0.6, **SMALL)
    assert found.table["value"].tolist() == pytest.approx([expected(good) - expected(poor), expected(good)])
    assert found.answer == YES
    assert compare_judges(data, ["poor", "good"], measure=measure, **SMALL).answer == NO
    assert f"measure:{measure or 'kappa'}" in found.signature
    assert "items" in found.summary()


def test_a_judge_that_is_always_right_may_be_wrong_the_next_time():
    people = (np.arange(90) % 2).astype(float)
    data = of_labels(same=people, human=np.where(np.arange(90) < 30, people, np.nan))
    low = proportion_confint(30, 30, method="beta")[0]
    for bar, answer in ((low - 0.01, YES), (low + 0.01, CANNOT_TELL)):
        found = compare_judges(data, ["same"], measure="accuracy", fail_under=bar, **SMALL)
        assert (found.answer, found.table["low"][0]) == (answer, pytest.approx(low))
    found = compare_judges(data, ["same"], fail_under=0.5, **SMALL)  # κ has no such interval
    assert found.answer == CANNOT_TELL
    assert "without a 95 % interval). All draws give the same" in found.summary()
    assert "--measure accuracy has an interval" in found.summary()


def test_one_error_reaches_less_than_none():
    people = (np.arange(90) % 2).astype(float)
    data = of_labels(never=people, once=np.where(np.arange(90) == 7, 0, people), human=people)
    for judge, n_right in (("never", 90), ("once", 89)):
        found = compare_judges(data, [judge], measure="accuracy", fail_under=0.9, **SMALL)
        expected = proportion_confint(n_right, 90, method="beta")
        assert found.table[["low", "high"]].to_numpy()[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("second", ["same", "opposite"])
def test_a_difference_that_all_items_give_may_be_another_on_the_next(second):
    people = (np.arange(90) % 2).astype(float)
    data = of_labels(one=people, same=people, opposite=1 - people, human=people)
    found = compare_judges(data, ["one", second], measure="accuracy", **SMALL)
    others = proportion_confint(0, 90, method="beta")[1]
    low, high = (-others, others) if second == "same" else (1 - 2 * others, 1)
    assert found.table[["low", "high"]].to_numpy()[0].tolist() == pytest.approx([low, high])
    assert found.answer == (CANNOT_TELL if second == "same" else YES)


def test_a_word_that_another_seed_may_change_says_so(monkeypatch):
    near = "Another seed may change this word, since "
    for low, error, said in ((0.02, 0.01, True), (0.04, 0.01, False), (-0.02, 0.01, True)):
        ends = lambda *_, low=low, error=error: Ends(low, 0.4, error, 0.01)  # noqa: E731
        monkeypatch.setattr("metaeval.reporting.paired_labels.percentile_ends", ends)
        found = compare_judges(MADE, ["good", "poor"], **SMALL)
        assert (f"{near}the interval ends within simulation error of 0:" in found.summary()) == said
    monkeypatch.undo()
    p = float(compare_judges(MADE, ["good", "poor"], **SMALL).table["pvalue"][0])
    found = compare_judges(MADE, ["good", "poor"], alpha=p, **SMALL)
    assert f"{near}p lies within simulation error of {p:g}:" in found.summary()
    # where the test finds nothing, no interval changes the word
    monkeypatch.setattr(
        "metaeval.reporting.paired_labels.percentile_ends", lambda *_: Ends(0.01, 0.4, 0.01, 0.01)
    )
    assert near not in compare_judges(MADE, ["good", "alike"], **SMALL).summary()


def test_the_interval_is_of_shared_draws():
    """By hand: the same items for both judges, in each draw."""
    good, poor, people = noisy(0.1), noisy(0.3), TRUTH.astype(float)
    found = compare_judges(of_labels(good=good, poor=poor, human=people), ["good", "poor"],
                           measure="accuracy", **SMALL)  # fmt: skip
    counts = unit_counts(stream(SMALL["rng"], "items"), SMALL["n_resamples"], 90)
    apart = [sum(c * ((g == t) - float(p == t)) for c, g, p, t in zip(draw, good, poor, people, strict=True)) / 90
             for draw in counts]  # fmt: skip
    assert found.table[["low", "high"]].to_numpy()[0].tolist() == pytest.approx(
        np.quantile(apart, [0.025, 0.975]).tolist()
    )


def test_scores_beside_labels_have_an_area_and_scores_beside_scores_a_correlation():
    people = TRUTH.astype(float)
    scores, noise = people + RNG.normal(size=90) / 3, RNG.normal(size=90)
    data = of_labels(fine=scores, noise=noise, human=people)
    found = compare_judges(data, ["fine", "noise"], **SMALL)
    assert found.table["value"][0] == pytest.approx(
        roc_auc_score(people, scores) - roc_auc_score(people, noise)
    )
    with pytest.raises(DataError, match="--measure kappa does not apply to a judge's scores"):
        compare_judges(data, ["fine", "noise"], measure="kappa", **SMALL)
    said = RNG.normal(size=90)
    found = compare_judges(of_labels(a=said + noise, b=noise, human=said), ["a", "b"], **SMALL)
    tau = [stats.kendalltau(judge, said).statistic for judge in (said + noise, noise)]
    assert found.table["value"][0] == pytest.approx(tau[0] - tau[1])
    assert "Kendall's τ over 90 items" in found.summary()


def test_two_judges_of_two_systems():
    quality = RNG.normal(size=40)
    sides = {
        "human": quality,
        "good": quality + RNG.normal(size=40) / 9,
        "poor": np.where(quality > 1, 1.0, 0.0),
    }
    rows = [{"system": system, "document": d, **{name: values[d] * (system == "new") for name, values in sides.items()}}
            for system in ("new", "old") for d in range(40)]  # fmt: skip
    found = compare_judges(read(pd.DataFrame(rows)), ["good", "poor"], fail_under=0.6, **SMALL)
    right = [np.mean((1 + np.sign(sides[judge]) * np.sign(quality)) / 2) for judge in ("good", "poor")]
    assert found.table["value"][0] == pytest.approx(right[0] - right[1])
    ends = proportion_confint(40 * right[0], 40, method="beta")
    assert found.table[["low", "high"]].to_numpy()[1].tolist() == pytest.approx(ends)
    assert found.answer == YES


def test_two_judges_of_pairs():
    choices = {"good": noisy(0.1), "poor": noisy(0.5), "human": TRUTH.astype(float)}
    frame = pd.DataFrame({"item": ITEMS, "model_a": "a", "model_b": "b"} | choices)
    frame = frame.melt(["item", "model_a", "model_b"], var_name="judge", value_name="winner")
    frame["winner"] = np.where(frame["winner"] == 1, "a", "b")
    found = compare_judges(read(frame), ["good", "poor"], fail_under=0.7, **SMALL)
    accuracy = [(choices[judge] == TRUTH).mean() for judge in ("good", "poor")]
    assert found.table["value"].tolist() == pytest.approx([accuracy[0] - accuracy[1], accuracy[0]])
    ends = proportion_confint(90 * accuracy[0], 90, method="beta")
    assert found.table[["low", "high"]].to_numpy()[1].tolist() == pytest.approx(ends)
    assert found.answer == YES
    assert "90 pairs" in found.summary()


@pytest.mark.parametrize(
    ("n", "said"), [(12, "It takes 20 items"), (40, "It takes 20 items, 5 of them passed and 5 failed")]
)
def test_few_labels_decide_nothing(n, said):
    people = (np.arange(90) < 3).astype(float) if n > 20 else TRUTH.astype(float)
    data = of_labels(good=people, poor=1 - people, human=np.where(np.arange(90) < n, people, np.nan))
    found = compare_judges(data, ["good", "poor"], **SMALL)
    assert found.answer == CANNOT_TELL
    assert said in found.summary()


def test_what_cannot_be_asked_without_a_ranking(tmp_path, capsys):
    data = of_labels(a=noisy(0.1), b=noisy(0.1), human=TRUTH.astype(float))
    with pytest.raises(DataError, match="levels need a ranking"):
        compare_judges(data, ["a", "b"], level="summary", **SMALL)
    with pytest.raises(UnknownNameError, match="unknown judge 'c'"):
        compare_judges(data, ["a", "c"], **SMALL)
    with pytest.raises(ValueError, match="from -1 to 1, the range of Cohen's κ, got 2"):
        compare_judges(data, ["a"], fail_under=2, **SMALL)
    with pytest.raises(ValueError, match=r"from 0 to 1, the range of AUC, got -0\.5"):
        compare_judges(data, ["a"], fail_under=-0.5, measure="auc", **SMALL)
    with pytest.raises(DataError, match="--measure auc does not apply to a ranking"):
        compare_judges(MADE, ["good", "poor"], measure="auc", **SMALL)
    path = tmp_path / "mine.csv"
    path.write_text("item,a,b\n1,1,0\n2,0,0\n", encoding="utf8")
    assert run(["compare", str(path), "--judges", "a", "b"]) == 3
    assert "only by 'mine'; name single raters with --rater" in capsys.readouterr().err


def test_an_interval_that_is_a_point_decides_nothing_of_systems_alone():
    scores = np.arange(8.0)[:, None]
    found = compare_judges(benchmark(scores, {"good": scores}), ["good"], fail_under=0.9, **SMALL)
    assert found.answer == "cannot tell"
    assert "All draws, or nearly all, give the same" in found.said[0]
    two = compare_judges(benchmark(scores, {"good": scores, "bad": -scores}), ["good", "bad"], **SMALL)
    assert two.answer == "cannot tell"
    assert "it would take" not in two.said[0]
    several = np.arange(8.0)[:, None] + RNG.normal(size=(8, 40)) / 50
    found = compare_judges(benchmark(several, {"good": several}), ["good"], fail_under=0.9, **SMALL)
    assert found.answer == "yes"
    assert "All draws" not in found.said[0]


def test_the_size_that_would_tell_judges_apart_is_enough_for_the_test_too():
    people, n_open = np.arange(9.0)[:, None], 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        judges = {"good": people + rng.normal(size=(9, 1)) / 9, "poor": people + 2 * rng.normal(size=(9, 1))}
        found = compare_judges(benchmark(people, judges), ["good", "poor"], n_resamples=499, rng=1)
        p, said = found.table["pvalue"].item(), found.said[0]
        if p <= 0.05 or not (told := re.search(r"it would take (\d+) systems", said)):
            continue
        n_open += 1
        # a distance from 0 in standard errors grows with the root of the number of systems
        far = stats.norm.isf(p / 2) * np.sqrt(int(told[1]) / 9)
        assert far >= stats.norm.isf(0.025) - 1e-9
        assert found.answer == "cannot tell"
    assert n_open > 3
