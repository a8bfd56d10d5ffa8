"""Two judges beside each other: the answer, and the exit status that says it."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from metaeval.__main__ import main as run
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.reporting.compare import BY_SYSTEM, CHANGED, NO, OPEN, YES, compare_judges, describe_order
from metaeval.reporting.paired_labels import ratio_ends
from metaeval.reporting.reading import read
from metaeval.stats.intervals import Ends
from metaeval.stats.judges import judge_correlation
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
        (["good", "alike"], None, OPEN),
        (["good"], 0.2, YES),
        (["poor"], 0.9, NO),
        (["poor"], 0.0, OPEN),
        (["poor", "good"], 0.0, NO),
        (["good", "alike"], 0.2, OPEN),
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
    shown = found.printed()["value [95 %]"]
    assert shown[0].startswith(f"{good:.2f} - {poor:.2f} = {good - poor:+.2f} [")
    assert shown[1].startswith(f"{good:.2f} [")
    assert found.estimand == "Kendall's τ with people over 14 systems, of means over 10 documents"
    assert found.summary(verbose=True).endswith(found.signature)
    assert repr(found).startswith("<JudgeComparison: good and poor against people; tables answers")


def test_both_are_judged_on_what_both_score():
    gaps = GOOD.copy()
    gaps[:, :4] = np.nan
    found = compare_judges(benchmark(HUMAN, {"gaps": gaps, "whole": GOOD}), ["gaps", "whole"], **SMALL)
    assert found.table["value"].tolist() == pytest.approx([0.0])
    n_both = (~np.isnan(gaps)).sum()
    assert found.estimand.endswith(f", on the {n_both} summaries that both score")


def test_a_judge_that_is_asked_for_is_read_even_if_its_scores_count_the_rows(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("system,document,index,human\n" + "".join(f"s{i},d,{i},{i % 5}\n" for i in range(9)))
    assert compare_judges(path, "index", fail_under=0.1, **SMALL).table["value"].notna().all()
    assert run(["compare", str(path), "--judges", "index", "--fail-under", "0.1", "--draws", "99"]) == 2


def test_raters_that_are_asked_about_are_judges(tmp_path, capsys):
    path = tmp_path / "mine.csv"
    planes = {"good one": GOOD, "poor one": POOR, "ann": HUMAN, "bob": HUMAN}
    lines = [
        f"s{i},d{j},{name},{plane[i, j]}\n"
        for name, plane in planes.items()
        for i in range(14)
        for j in range(10)
    ]
    path.write_text("system,document,annotator,score\n" + "".join(lines), encoding="utf8")
    asked = ["compare", str(path), "--draws", "99", "--judges", "good one", "poor one"]
    assert run(asked) == 0
    shown = capsys.readouterr()
    assert "raters are not counted among people: good one and poor one." in shown.out
    assert run([*asked, "--machine", "good one", "poor one"]) == 0
    assert capsys.readouterr().out.splitlines()[4] == shown.out.splitlines()[4]


def test_what_has_no_value_is_said_to_have_none():
    made = benchmark(HUMAN, {"flat": np.ones_like(HUMAN), "good": GOOD})
    said = "open: no value; the same for all?"
    for judges, bar in ((["flat"], 0.2), (["good", "flat"], None), (["flat", "good"], 0.2)):
        found = compare_judges(made, judges, fail_under=bar, **SMALL)
        assert found.answer == OPEN
        assert said in found.summary()
        assert "nan" not in found.summary()
    assert "no value" not in compare_judges(MADE, ["good", "poor"], **SMALL).summary()


def test_few_systems_decide_nothing():
    few = benchmark(HUMAN[::3], {"good": HUMAN[::3], "poor": -HUMAN[::3]})
    found = compare_judges(few, ["good", "poor"], **SMALL)
    assert found.answer == OPEN
    assert found.table["because"].tolist() == ["5 systems; it takes 6"]


@pytest.mark.parametrize(
    ("judges", "bar", "error", "said"),
    [
        (["good"], None, DataError, "name two judges, or one and --fail-under VALUE, got good"),
        (["good", "good"], None, DataError, "cannot be compared with itself"),
        (["good", "por"], None, UnknownNameError, "Did you mean 'poor'"),
        (["good"], 80.0, ValueError, "`fail_under` must be from -1 to 1, the range of Kendall's τ, got 80"),
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
    assert "0 for yes, 1 for no, 2 where these data leave it open" in " ".join(
        capsys.readouterr().out.split()
    )


def test_a_mistake_in_the_command_is_no_answer(path, capsys):
    assert run(["compare", path]) == 3
    assert "name two judges" in capsys.readouterr().err
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
    assert found["tables"]["answers"][0]["pvalue"] is None
    both = compare_judges(MADE, ["good", "poor"], fail_under=0.1, **SMALL)
    page = both.to_html(tmp_path / "out.html")
    assert "Is good better than poor?" in page
    for caption in (CHANGED, BY_SYSTEM):
        assert page.count(caption) == 1


def set_difference(monkeypatch, ends):
    """Let every difference of two judges of a ranking have this interval."""
    apart = SimpleNamespace(ends=lambda _: Ends(*([end] for end in ends)))
    monkeypatch.setattr(
        "metaeval.reporting.compare.judge_correlation",
        lambda *sides, **kind: apart if "minus" in kind else judge_correlation(*sides, **kind),
    )
    monkeypatch.setattr("metaeval.reporting.compare.describe_needed", lambda *_: [""])


def test_a_test_alone_says_nothing_of_other_systems(monkeypatch):
    found = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert found.answer == YES
    set_difference(monkeypatch, Ends(-0.1, 0.4, 0.01, 0.01))
    unsure = compare_judges(MADE, ["good", "poor"], **SMALL)
    assert unsure.answer == OPEN
    assert unsure.table["pvalue"].tolist() == found.table["pvalue"].tolist()
    assert "on others they may not" in unsure.summary()


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
    for bar, answer in ((low - 0.01, YES), (low + 0.01, OPEN)):
        found = compare_judges(data, ["same"], measure="accuracy", fail_under=bar, **SMALL)
        assert (found.answer, found.table["low"][0]) == (answer, pytest.approx(low))


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
    assert found.answer == (OPEN if second == "same" else YES)


def test_a_word_that_another_seed_may_change_says_so(monkeypatch):
    near = "Another seed may change this answer"
    for low, error, said in ((0.02, 0.01, True), (0.04, 0.01, False), (-0.02, 0.01, True)):
        set_difference(monkeypatch, Ends(low, 0.4, error, 0.01))
        found = compare_judges(MADE, ["good", "poor"], **SMALL)
        assert (near in found.summary()) == said


def test_the_interval_of_graded_labels_is_of_items_that_both_judged():
    """By hand: a paired t interval of the share of people who gave the same grade."""
    grades = 1.0 + np.arange(90) % 4
    good, poor = (np.clip(grades + RNG.integers(-k, k + 1, size=90), 1, 4) for k in (1, 3))
    data = of_labels(good=good, poor=poor, human=grades)
    found = compare_judges(data, ["good", "poor"], measure="accuracy", **SMALL)
    expected = stats.ttest_1samp(1.0 * (good == grades) - (poor == grades), 0).confidence_interval()
    assert found.table[["low", "high"]].to_numpy()[0].tolist() == pytest.approx([*expected])


def test_few_documents_of_many_pairs_have_an_interval_by_documents():
    """By hand: Student's t over the documents' shares, of as many pairs each."""
    rng = np.random.default_rng(3)
    right = {judge: rng.random((5, 10)) < 0.7 for judge in ("one", "other")}
    rows = []
    for document, pair in np.ndindex(5, 10):
        of = {"item": f"d{document}", "model_a": f"a{pair}", "model_b": f"b{pair}"}
        rows.append(of | {"judge": "human", "winner": f"a{pair}"})
        rows += [
            of | {"judge": judge, "winner": f"{'a' if yes[document, pair] else 'b'}{pair}"}
            for judge, yes in right.items()
        ]
    found = compare_judges(read(pd.DataFrame(rows)), ["one", "other"], **SMALL)
    apart = (right["one"] * 1.0 - right["other"]).mean(axis=1)
    assert found.table[["low", "high"]].to_numpy()[0].tolist() == pytest.approx(
        [*stats.ttest_1samp(apart, 0).confidence_interval()]
    )


@pytest.mark.parametrize("measure", ["kappa", "auc", "accuracy", "weighted-kappa", "untied", "scores"])
def test_a_gate_never_turns_red_because_the_last_error_was_mended(measure):
    """The low end rises with every error that is mended, until there is none."""
    n, lows = 60, []
    people = 1.0 + np.arange(n) % 4 if measure == "weighted-kappa" else np.arange(n) % 2 * 1.0
    for n_errors in (3, 2, 1, 0):
        judge = np.where(np.arange(n) < n_errors, people.max() + people.min() - people, people)
        if measure == "scores":
            judge = judge + 0.4 * np.sin(np.arange(n))
        data = read(pd.DataFrame({"item": ITEMS[:n], "gpt": judge, "human": people}))
        if measure == "untied":
            given = {"gpt": judge, "human": people}
            rows = [{"item": ITEMS[k], "model_a": "a", "model_b": "b", "judge": name, "winner": "ab"[int(one[k])]}
                    for name, one in given.items() for k in range(n)]  # fmt: skip
            data = read(pd.DataFrame(rows))
        asked = {"measure": None if measure == "scores" else measure, "n_resamples": 1_999, "rng": 1}
        found = compare_judges(data, ["gpt"], fail_under=0.3, **asked)
        assert found.answer == YES
        lows.append(found.table["low"][0])
    assert lows == sorted(lows)
    assert len(set(lows)) == 4


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
    assert found.estimand == "Kendall's τ with people over 90 items"


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
    assert found.estimand == "exact agreement with people over 90 pairs"


@pytest.mark.parametrize(
    ("n", "said"), [(12, "12 items; it takes 20"), (40, "40 items; it takes 20, 5 passed and 5 failed")]
)
def test_few_labels_decide_nothing(n, said):
    people = (np.arange(90) < 3).astype(float) if n > 20 else TRUTH.astype(float)
    data = of_labels(good=people, poor=1 - people, human=np.where(np.arange(90) < n, people, np.nan))
    found = compare_judges(data, ["good", "poor"], **SMALL)
    assert found.answer == OPEN
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
    assert "only by 'a' and 'b'; name single raters with --rater" in capsys.readouterr().err


def test_a_perfect_order_of_few_systems_has_an_interval():
    scores = np.arange(8.0)[:, None]
    found = compare_judges(benchmark(scores, {"good": scores}), ["good"], fail_under=0.9, **SMALL)
    assert found.answer == "open"
    assert 0 < found.table["low"][0] < 0.9
    two = compare_judges(benchmark(scores, {"good": scores, "bad": -scores}), ["good", "bad"], **SMALL)
    assert two.answer == "yes"
    several = np.arange(8.0)[:, None] + RNG.normal(size=(8, 40)) / 50
    found = compare_judges(benchmark(several, {"good": several}), ["good"], fail_under=0.5, **SMALL)
    assert found.answer == "yes"


@pytest.mark.parametrize("measure", ["kappa", "untied"])
def test_choices_have_kappa_and_an_agreement_without_ties(measure):
    """A tie is a choice of its own for κ, and no choice without ties."""
    people = np.where(TRUTH, "a", "b")
    judge = np.where(np.arange(90) % 9 == 0, "tie", np.where(np.arange(90) % 7 == 0, "a", people))
    rows = [
        {"item": item, "model_a": "a", "model_b": "b", "judge": name, "winner": winner[k]}
        for k, item in enumerate(ITEMS)
        for name, winner in (("gpt", judge), ("human", people))
    ]
    found = compare_judges(read(pd.DataFrame(rows)), ["gpt"], fail_under=0.1, measure=measure, **SMALL)
    decided = judge != "tie"
    expected = {
        "kappa": cohen_kappa_score(judge, people),
        "untied": (judge == people)[decided].mean(),
    }[measure]
    assert found.table["value"].tolist() == pytest.approx([expected])
    assert found.answer == YES


def test_grades_have_a_weighted_kappa_and_an_exact_agreement():
    grades = 1 + np.arange(90) % 5
    judge = np.clip(grades + RNG.integers(-1, 2, size=90), 1, 5)
    data = of_labels(gpt=judge.astype(float), human=grades.astype(float))
    values = {
        measure: compare_judges(data, ["gpt"], fail_under=0.1, measure=measure, **SMALL).table["value"][0]
        for measure in ("weighted-kappa", "accuracy")
    }
    assert values["weighted-kappa"] == pytest.approx(cohen_kappa_score(judge, grades, weights="quadratic"))
    assert values["accuracy"] == pytest.approx((judge == grades).mean())
    with pytest.raises(DataError, match="use correlation"):
        compare_judges(
            of_labels(gpt=judge / 7, human=grades / 1.0), ["gpt"], fail_under=0, measure="accuracy"
        )


def changes_of(*judges, measure=None, **tables):
    """Table of what differs between two judges, by quantity without the judges' names."""
    files = [pd.DataFrame(table) for table in tables.values()]
    result = compare_judges(read(files if len(files) > 1 else files[0]), judges, measure=measure, **SMALL)
    return result, result.changes.set_index(result.changes["quantity"].str.partition(",")[0])


def test_two_versions_on_labels_are_held_against_people_and_each_other():
    # 30 items; people pass 20; the old judge errs on 4 of these, the new one on 2 of the 4 and 5 others
    people = np.array(["pass"] * 20 + ["fail"] * 10)
    old, new = people.copy(), people.copy()
    old[:4], new[2:9] = "fail", "fail"
    table = {"id": range(30), "human": people, "judge_v1": old, "judge_v2": new}
    result, changes = changes_of("judge_v2", "judge_v1", data=table)
    assert changes.loc["judge_v2", "value"] == pytest.approx(cohen_kappa_score(new, people))
    assert changes.loc["judge_v1", "value"] == pytest.approx(cohen_kappa_score(old, people))
    assert changes.loc["with each other", "value"] == pytest.approx(cohen_kappa_score(new, old))
    differs = changes.loc["labels that differ"]
    assert differs["value"] == 7 / 30
    assert differs["n_total"] == 30
    ends = proportion_confint(7, 30, method="beta")
    assert (differs["low"], differs["high"]) == pytest.approx(ends)
    # 23 minus 26 fails of 30
    assert changes.loc["mean score", "value"] == pytest.approx(-3 / 30)
    shift = (new == "pass") * 1.0 - (old == "pass")
    reach = stats.t.isf(0.025, 29) * stats.sem(shift)
    assert changes.loc["mean score", "low"] == pytest.approx(-3 / 30 - reach)
    assert "labels that differ" in result.summary()
    assert "said of items like these and of no other version" in result.summary()
    assert result.systems.empty


def test_the_only_two_judges_need_no_names():
    table = {"id": range(30), "human": [1, 0] * 15, "judge_v1": [1, 0] * 15, "judge_v2": [1] * 30}
    assert compare_judges(read(pd.DataFrame(table)), **SMALL).table["question"].tolist() == [
        "Is judge_v1 better than judge_v2?"
    ]


def test_two_versions_of_choices_are_held_against_each_other():
    people = ["A"] * 20 + ["B"] * 10
    old, new = ["A"] * 18 + ["B"] * 12, ["A"] * 25 + ["B"] * 5
    table = {"id": range(30), "model_a": "x", "model_b": "y", "human": people, "gpt_old": old, "gpt_new": new}
    changes = changes_of("gpt_new", "gpt_old", data=table)[1]
    assert changes["value"].tolist() == pytest.approx([25 / 30, 28 / 30, 23 / 30, 7 / 30])


def test_two_versions_are_held_against_each_other_by_the_measure_that_is_asked_for():
    people = ["A"] * 20 + ["B"] * 10
    old, new = ["A"] * 18 + ["B"] * 12, ["A"] * 25 + ["B"] * 5
    table = {"id": range(30), "model_a": "x", "model_b": "y", "human": people, "gpt_old": old, "gpt_new": new}
    changes = changes_of("gpt_new", "gpt_old", data=table, measure="kappa")[1]
    # 23 of 30 alike; by chance (25 * 18 + 5 * 12) / 900
    chance = 510 / 900
    assert changes.loc["with each other", "value"] == pytest.approx((23 / 30 - chance) / (1 - chance))
    assert changes.loc["with each other", "quantity"] == "with each other, Cohen's κ"
    # the area is of people who pass or fail; two judges' scores on a scale have a correlation
    scores = TRUTH + RNG.normal(size=(2, 90))
    data = of_labels(one=scores[0], two=scores[1], human=TRUTH.astype(float))
    changes = compare_judges(data, ["one", "two"], measure="auc", **SMALL).changes
    assert changes["quantity"][0] == "one, AUC with people"
    assert changes["value"][2] == pytest.approx(stats.kendalltau(*scores).statistic)


def test_two_versions_in_a_ranking_are_held_against_each_other_and_by_system():
    result = compare_judges(MADE, ["good", "alike"], **SMALL)
    changes = result.changes.set_index("quantity")
    one, other = (plane.mean(axis=1) for plane in (GOOD, ALIKE))
    expected = stats.kendalltau(one, other).statistic
    assert changes.loc["with each other, Kendall's τ", "value"] == pytest.approx(expected)
    assert changes.loc["mean score, good minus alike", "value"] == pytest.approx((GOOD - ALIKE).mean())
    systems = result.systems
    assert systems["place"].tolist() == stats.rankdata(-one).astype(int).tolist()
    assert systems["value"].tolist() == pytest.approx((one - other).tolist())
    # 14 intervals at 1 - 0.05 / 14
    reach = stats.t.isf(0.025 / 14, 9) * stats.sem((GOOD - ALIKE)[3])
    assert systems["high"][3] - systems["value"][3] == pytest.approx(reach)
    turned = sum(
        (one[i] - one[j]) * (other[i] - other[j]) < 0 for i in range(14) for j in range(i)
    )  # fmt: skip
    assert f"{turned} of 91 pairs of systems are in another order; " in result.summary()
    assert json.loads(result.to_json())["tables"]["systems"][3]["place"] == systems["place"][3]


def test_a_shift_by_the_same_everywhere_has_no_interval_unless_both_pass_or_fail():
    shifted = compare_judges(benchmark(HUMAN, {"one": GOOD, "two": GOOD + 2}), ["one", "two"], **SMALL)
    shift = shifted.changes.set_index("quantity").loc["mean score, one minus two"]
    assert shift["value"] == pytest.approx(-2)
    assert np.isnan([shift["low"], shift["high"]]).all()
    assert shifted.systems["value"].tolist() == pytest.approx([-2] * 14)
    assert shifted.systems[["low", "high"]].isna().all(axis=None)
    # 30 of 30 fail by one and pass by the other: the low end of 30 of 30 is q, of a difference 2 q - 1
    table = {"id": range(30), "human": [1, 0] * 15, "judge_v1": [1] * 30, "judge_v2": [0] * 30}
    shift = changes_of("judge_v1", "judge_v2", data=table)[1].loc["mean score"]
    low = proportion_confint(30, 30, method="beta")[0]
    assert shift[["value", "low", "high"]].tolist() == pytest.approx([1, 2 * low - 1, 1])


def test_a_system_on_which_few_documents_differ_has_no_interval():
    # of 30 documents each system has 8 to 21 that the second judge raises by 1 or 2
    people = RNG.normal(size=(14, 30)) + np.arange(14)[:, None]
    raised = (np.arange(30) < 8 + np.arange(14)[:, None]) * (1 + np.arange(30) % 2)
    judges = {"one": people, "two": people + raised}
    systems = compare_judges(benchmark(people, judges), ["one", "two"], **SMALL).systems
    assert systems["low"].isna().tolist() == [True, True] + [False] * 12
    # 8 documents by 1 and 2 in turn, of 30
    assert systems["value"][0] == pytest.approx(-12 / 30)


def test_clusters_of_a_ranking_are_drawn_for_each_system_and_else_said_to_be_unused():
    # 14 systems, 36 documents in 12 conversations of 3, which shift all of their documents alike
    shift = np.repeat(RNG.normal(size=12), 3)
    people = RNG.normal(size=(14, 36)) + np.arange(14)[:, None]
    names = {"system": np.repeat([f"s{k:02}" for k in range(14)], 36), "document": [*range(36)] * 14}
    names["talk"] = [f"t{k // 3}" for k in range(36)] * 14
    table = pd.DataFrame(
        names | {"human": people.ravel(), "one": (people + shift).ravel(), "two": people.ravel()}
    )
    columns = {"cluster": "talk"}
    result = compare_judges(read(table, columns=columns, judges=["one", "two"]), ["one", "two"], **SMALL)
    # by hand: Student's t of the 12 conversations, at 1 - 0.05 / 14
    ends = stats.ttest_1samp(shift[::3], 0).confidence_interval(1 - 0.05 / 14)
    assert result.systems[["low", "high"]].to_numpy()[3].tolist() == pytest.approx([*ends])
    assert "Clusters are not used: a ranking draws documents one by one" in result.summary()
    assert "Clusters" not in compare_judges(MADE, ["good", "alike"], **SMALL).summary()


def test_two_systems_are_on_the_same_side_of_two_judges_in_a_share_of_documents():
    names = {"system": np.repeat(["x", "y"], 30), "document": [*range(30)] * 2}
    human = [*RNG.integers(1, 6, 30), *RNG.integers(1, 6, 30)]
    old, new = [3] * 30 + [2] * 30, [3] * 24 + [1] * 6 + [2] * 30
    changes = changes_of(
        "new_judge", "old_judge", data=names | {"human": human, "old_judge": old, "new_judge": new}
    )[1]
    assert changes.loc["with each other", "value"] == 24 / 30


def test_files_of_one_judge_that_differ_are_two_versions(tmp_path):
    tickets = [f"T-{i:03}" for i in range(40)]
    human = ["ok"] * 25 + ["bad"] * 15
    old, new = ["ok"] * 22 + ["bad"] * 18, ["ok"] * 30 + ["bad"] * 10
    frame = pd.DataFrame({"ticket": tickets, "gold": human, "verdict": old})
    frame.to_csv(tmp_path / "may.csv", index=False)
    frame.assign(verdict=new)[["ticket", "verdict"]].to_csv(tmp_path / "june.csv", index=False)
    result = compare_judges([tmp_path / "may.csv", tmp_path / "june.csv"], ["june", "may"], **SMALL)
    assert result.changes["value"][3] == 8 / 40
    assert result.table["first"][0] == pytest.approx(cohen_kappa_score(new, human))
    # the same scores in both files are one judge's
    frame[["ticket", "verdict"]].to_csv(tmp_path / "june.csv", index=False)
    assert read([tmp_path / "may.csv", tmp_path / "june.csv"]).judges == ["verdict"]


def test_judges_of_other_items_than_people_s_are_an_error_that_says_how_on():
    rows = [(f"s{i}", who, "yes" if i % 3 else "no") for i in range(30) for who in ("v1", "v2", "anna")]
    table = pd.DataFrame(rows, columns=["key_of_it", "assessor", "outcome"])
    apart = table.assign(key_of_it=[f"{key}{who}" for key, who, _ in rows])
    columns = {"item": "key_of_it", "rater": "assessor", "score": "outcome"}
    with pytest.raises(DataError, match=r"judged by v1 and v2; .* --col item=COLUMN"):
        compare_judges(read(apart, columns=columns, judges=["v1", "v2"]), ["v1", "v2"], **SMALL)
    result = compare_judges(read(table, columns=columns, judges=["v1", "v2"]), ["v1", "v2"], **SMALL)
    assert result.changes["value"].tolist()[:3] == [1, 1, 1]


@pytest.mark.parametrize("kind", ["labels", "two systems", "choices"])
def test_judges_that_share_no_item_are_an_error(kind):
    # of 60 items one judges the even ones and the other the odd ones
    even = np.arange(60) % 2 == 0
    people = np.arange(60) % 3 == 0
    answers = np.where(people, "a", "b").astype(object) if kind == "choices" else people * 1.0
    sides = {"one": np.where(even, answers, np.nan), "two": np.where(even, np.nan, answers), "human": answers}
    frame = pd.DataFrame({"item": [f"i{k}" for k in range(60)]} | sides)
    if kind == "choices":
        frame = frame.assign(model_a="a", model_b="b")
    if kind == "two systems":
        other = frame.assign(system="y", one=1 - frame["one"], two=1 - frame["two"], human=1 - people)
        frame = pd.concat([frame.assign(system="x"), other]).rename(columns={"item": "document"})
    unit = {"labels": "item", "two systems": "document", "choices": "pair"}[kind]
    said = f"no {unit} that people judged is judged by one and two; let them judge the same {unit}s"
    with pytest.raises(DataError, match=said):
        compare_judges(read(frame, judges=["one", "two"]), ["one", "two"], **SMALL)


def test_an_order_is_described_only_where_both_judges_order_several_systems():
    orders = pd.DataFrame({"system": ["x", "y", "z"], "place": [1, 1, 3], "place_second": [2, 1, 3]})
    assert describe_order(orders, ["one", "two"]) == [
        "0 of 3 pairs of systems are in another order; x and y are first by one, y by two."
    ]
    assert describe_order(orders[:1], ["one", "two"]) == []
    assert describe_order(orders.assign(place_second=1), ["one", "two"]) == []
    flat = benchmark(HUMAN, {"flat": np.ones_like(HUMAN), "good": GOOD})
    assert "another order" not in compare_judges(flat, ["flat", "good"], **SMALL).summary()


@pytest.mark.slow
def test_intervals_by_system_hold_together():
    """Grades of 8 systems, of which another judge gives a third of the documents one more, and a ninth less."""
    rng, n_studies, n_held = np.random.default_rng(4), 500, 0
    for _ in range(n_studies):
        apart = rng.choice([1.0, -1.0, 0.0], p=[3 / 9, 1 / 9, 5 / 9], size=(8, 60))
        ends = Ends.stacked([ratio_ends(one, np.ones(60), 1 - 0.05 / 8, is_bounded=False) for one in apart])
        n_held += ((ends.low <= 2 / 9) & (ends.high >= 2 / 9)).all()
    assert stats.binomtest(int(n_held), n_studies, 0.95, alternative="less").pvalue > 0.01
