"""Reports where there is no ranking: what is said of labels, of one difference, and of choices."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef, roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from metaeval.core.errors import DataError
from metaeval.reporting.compare import compare_judges
from metaeval.reporting.paired_labels import share_ends
from metaeval.reporting.reading import Reading, read
from metaeval.reporting.report import report
from metaeval.reporting.unranked import LEFT_OUT
from metaeval.reporting.verdict import NO, OPEN, YES
from metaeval.stats import draws

RNG = np.random.default_rng(3)
SMALL = {"n_resamples": 60, "rng": 7}
TRUTH = RNG.random(80) < 0.6
ITEMS = {"item": [f"i{k}" for k in range(80)]}


def noisy(share, truth=TRUTH):
    return np.where(RNG.random(len(truth)) < share, ~truth, truth).astype(float)


def of(columns, **more):
    return report(read(pd.DataFrame(ITEMS | columns), **more), **SMALL)


def words(found):
    return dict(zip(found.to_frame()["metric"], found.to_frame()["verdict"], strict=True))


def test_labels_of_one_system():
    judge = noisy(0.2)
    found = of({"judge": judge, "human": TRUTH.astype(float)})
    table = found.to_frame("rates").set_index("quantity")["value"]
    assert table["TPR: passes what people pass"] == pytest.approx(judge[TRUTH].mean())
    assert table["TNR: fails what people fail"] == pytest.approx(1 - judge[~TRUTH].mean())
    assert table["Cohen's κ"] == pytest.approx(cohen_kappa_score(judge, TRUTH))
    assert found.to_frame()["value"][0] == pytest.approx(cohen_kappa_score(TRUTH, judge))
    assert table["AUC"] == pytest.approx(roc_auc_score(TRUTH, judge))
    assert "coef:kappa" in found.signature
    assert words(found) == {"judge": YES}
    (why,) = [one.why for one in found.left_out if one.check.startswith("people's mean")]
    assert why.startswith("people labelled every item")
    assert table["accuracy"] == pytest.approx((judge == TRUTH).mean())
    shown = next(one for one in found.sections if one.key == "rates").short_table
    assert shown["Cohen's κ"][0].startswith(f"{cohen_kappa_score(judge, TRUTH):.2f} [")


@pytest.mark.parametrize(
    "judge", [lambda truth, rng: truth, lambda truth, rng: truth + rng.normal(size=len(truth))]
)
def test_draws_of_many_items_are_never_in_memory_all_at_once(judge, monkeypatch):
    rng, n_items, n_resamples = np.random.default_rng(5), 4_000, 2_000
    monkeypatch.setattr(draws, "COUNTS_AT_ONCE", 100_000)
    truth = (rng.random(n_items) < 0.7).astype(float)
    given = read(
        pd.DataFrame({"item": np.arange(n_items).astype(str), "judge": judge(truth, rng), "human": truth})
    )
    tracemalloc.start()
    try:
        report(given, n_resamples=n_resamples, rng=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_resamples * n_items * 8  # of numbers in double precision


def test_draws_are_of_the_items_that_people_labelled():
    judge, people = np.where(np.arange(80) % 9 == 0, 1.0 - TRUTH, TRUTH), TRUTH.astype(float)
    people[40:] = np.nan
    more = {"judge": judge[:40], "human": people[:40], "item": ITEMS["item"][:40]}
    whole, part = of({"judge": judge, "human": people}), report(read(pd.DataFrame(more)), **SMALL)
    ends = ["value", "low", "high"]
    pd.testing.assert_frame_equal(whole.to_frame()[ends], part.to_frame()[ends])
    own = whole.to_frame("rates").set_index("quantity")
    pd.testing.assert_frame_equal(own[ends], part.to_frame("rates").set_index("quantity")[ends])


def test_items_that_people_are_split_on_leave_nothing_to_rate():
    found = of({"judge": np.arange(80) % 3 == 0, "rater_1": TRUTH, "rater_2": ~TRUTH})
    assert words(found) == {"judge": OPEN}
    (why,) = [one.why for one in found.left_out if one.check == "how often a judge agrees with people"]
    assert why == "as many people pass as fail each item"


def test_only_raters_make_a_judge_of_labels_trusted():
    raters = {f"rater_{k}": noisy(0.2) for k in range(4)}
    found = of(raters | {"like them": noisy(0.02), "noise": noisy(0.5)})
    assert words(found) == {"like them": YES, "noise": NO}
    assert found.to_frame("beside")["value"][0] > 0


def test_few_labels_decide_nothing():
    few = report(
        read(pd.DataFrame({"item": range(8), "judge": TRUTH[:8] * 1.0, "human": TRUTH[:8] * 1.0})), **SMALL
    )
    assert words(few) == {"judge": OPEN}
    assert few.to_frame()["low"].isna().all()


def test_labels_that_go_against_people_are_not_better_than_trivial():
    assert words(of({"judge": 1.0 - noisy(0.1), "human": TRUTH.astype(float)})) == {"judge": NO}


def test_scores_on_a_scale():
    people = RNG.normal(size=80)
    found = of({"judge": people + RNG.normal(size=80) / 2, "human": people})
    assert words(found) == {"judge": YES}
    assert "items" in found.tables


def difference(**shifts):
    documents = [{"system": s, "document": d, **{j: RNG.normal() / 4 + shift * (s == "new") for j, shift in shifts.items()}}
                 for d in range(30) for s in ("new", "old")]  # fmt: skip
    return report(read(pd.DataFrame(documents)), **SMALL)


def test_two_systems_are_one_difference():
    found = difference(human=1, good=1, bad=-1, dull=0.001)
    assert words(found) == {"good": YES, "bad": NO, "dull": OPEN}
    assert found.to_frame("difference").set_index("metric")["value"]["good"] == pytest.approx(1, abs=0.3)
    assert found.to_frame("documents").set_index("metric")["value"]["bad"] < 0.1


def test_a_difference_has_the_digits_of_its_scale_and_its_sign():
    rows = [
        (s, d, 0.001 * (s == "old") + d % 2 / 1e4 * (s == "new"), d % 3)
        for d in range(30)
        for s in ("new", "old")
    ]
    found = report(read(pd.DataFrame(rows, columns=["system", "document", "m", "human"])), **SMALL)
    said = found.to_frame("difference").set_index("metric").loc["m"]
    assert said["value"] == pytest.approx(-0.00095)
    assert found.verdicts.printed()["by the judge [95 %]"][0].startswith("-0.000950 [-0.0009")
    assert '<td class="n">\N{MINUS SIGN}0.00095 [' in found.to_html()


def test_a_document_that_a_judge_has_not_scored_is_no_document_on_which_it_differs_from_people():
    new = [{"system": "new", "document": d, "human": 2, "judge": 2 if d else None} for d in range(30)]
    old = [{"system": "old", "document": d, "human": 1, "judge": 1} for d in range(30)]
    (row,) = report(read(pd.DataFrame(new + old)), **SMALL).to_frame("documents").to_dict("records")
    assert (row["value"], row["n_documents"]) == (1, 29)
    assert row["low"] == pytest.approx(proportion_confint(29, 29, method="beta")[0])  # and no length of 0


def test_two_systems_without_people_have_a_difference_and_no_word():
    found = difference(judge=1)
    assert words(found) == {"judge": OPEN}
    assert found.verdicts.printed()["answer"].tolist() == ["open: people's scores are not here"]


def choices(of_judges, n_raters=3):
    rows = []
    for k, truth in enumerate(TRUTH):
        for judge, choose in of_judges.items():
            for first, second in (("a", "b"), ("b", "a")):
                rows.append((f"i{k}", first, second, judge, "", choose(truth, first)))
        for rater in range(n_raters):
            right = truth if RNG.random() < 0.8 else not truth
            rows.append((f"i{k}", "a", "b", "people", f"r{rater}", "a" if right else "b"))
    columns = ["item", "model_a", "model_b", "judge", "annotator", "winner"]
    frame = pd.DataFrame(rows, columns=columns)
    return report(read(frame), **SMALL), frame


def test_choices_against_the_majority_beside_the_raters_own():
    found, frame = choices({"right": lambda truth, _: "a" if truth else "b", "leans": lambda _, first: first})
    said = frame[frame["judge"] == "people"].assign(a=lambda rows: rows["winner"] == "a")
    most = said.groupby("item", sort=False)["a"].mean().to_numpy() > 0.5
    assert words(found) == {"right": YES, "leans": NO}
    table = found.to_frame("accuracy")
    same = table[table["against"] == LEFT_OUT].set_index("metric")  # judges and raters on the same pairs
    raters = same.loc[["r0", "r1", "r2"]]
    assert same["n_pairs"]["right"] == raters["n_pairs"].sum()
    single = np.average(raters["value"], weights=raters["n_pairs"])
    beside = found.to_frame().set_index("metric")["value"]
    assert beside["right"] == pytest.approx(same["value"]["right"] - single)
    accuracy = table.drop_duplicates("metric", keep="last").set_index("metric")["value"]
    assert accuracy["right"] == pytest.approx((most == TRUTH).mean())
    assert accuracy["leans"] == 0  # it contradicts itself everywhere, and people never say that it is a tie
    assert accuracy["r0"] < accuracy["right"]
    first = found.to_frame("first").set_index("metric")["value"]
    assert (first["right"], first["leans"]) == (0.5, 1)


def test_one_rater_s_choices_never_make_a_judge_trusted():
    found, _ = choices({"right": lambda truth, _: "a" if truth else "b"}, n_raters=1)
    assert words(found) == {"right": YES}


def test_they_are_written_like_any_report(tmp_path):
    found = of({"judge": noisy(0.1), "<b>": noisy(0.3), "human": TRUTH.astype(float)})
    page = found.to_html(tmp_path / "report.html")
    assert "&lt;b&gt;" in page
    assert "<b><b>" not in page
    assert [row["verdict"] for row in json.loads(found.to_json())["tables"]["verdicts"]] == [YES, YES]


def test_what_people_pass_by_what_a_judge_gives():
    sure = np.where(TRUTH, 0.9, 0.2)
    sure[:4] = 0.5
    found = of({"sure": sure, "says": noisy(0.2), "human": TRUTH.astype(float)})
    table = found.to_frame("calibration")
    bins = table[table["metric"] == "sure"]
    assert bins["given"].tolist() == pytest.approx([0.2, 0.5, 0.9])
    assert bins["value"].tolist() == pytest.approx([0, TRUTH[:4].mean(), 1])
    assert bins["n_items"].sum() == 80
    low = proportion_confint(bins["n_items"].iloc[2], bins["n_items"].iloc[2], method="beta")[0]
    assert bins["low"].iloc[2] == pytest.approx(low)


@pytest.mark.parametrize("label", [1.0, 0.0])
def test_labels_that_are_all_alike_are_no_failure(label):
    found = of({"judge": noisy(0.2), "human": np.full(80, label)})
    assert words(found) == {"judge": OPEN}
    shown = found.summary(verbose=True)
    row = found.to_frame("rates").set_index("quantity").loc["people pass"]
    assert row[["low", "high"]].tolist() == pytest.approx(proportion_confint(80 * label, 80, method="beta"))
    assert "nan" not in shown
    assert "nan" not in found.to_html()


def test_what_is_lacking_is_said():
    with pytest.raises(DataError, match="--people"):
        of({"judge": "gpt", "score": noisy(0.1)})
    with pytest.raises(DataError, match="scores by people only, and none by a metric or judge"):
        of({"human": TRUTH.astype(float)})


def test_a_judge_and_a_rater_are_held_against_others_on_the_same_items():
    """Also on those that the raters are split on, of which there is no majority."""
    one, other = noisy(0.2), noisy(0.2)
    found = of({"rater_1": one, "rater_2": other, "copy": one})
    phi = matthews_corrcoef(one, other)  # of the copy with the other rater, and of each rater with the other
    assert found.to_frame()["value"].tolist() == pytest.approx([(1 + phi) / 2 - phi])
    n_split = int((one != other).sum())
    assert f"People are split on {n_split} items." in found.verdicts.lines
    part = np.where(np.arange(80) < 50, one, np.nan)
    short = of({"rater_1": one, "rater_2": other, "copy": part})
    phi = matthews_corrcoef(one[:50], other[:50])
    assert short.to_frame()["value"].tolist() == pytest.approx([(1 + phi) / 2 - phi])


def test_labels_that_all_agree_have_intervals_of_their_number():
    judge, people = TRUTH.astype(float), TRUTH.astype(float)
    table = of({"judge": judge, "human": people}).to_frame("rates").set_index("quantity")
    n = int(TRUTH.sum())
    low = table["low"]
    assert low["TPR: passes what people pass"] == pytest.approx(proportion_confint(n, n, method="beta")[0])
    assert low["TNR: fails what people fail"] == pytest.approx(
        proportion_confint(80 - n, 80 - n, method="beta")[0]
    )
    assert (table.loc[["Cohen's κ", "AUC"], "value"] == 1).all()
    assert table.loc[["Cohen's κ", "AUC"], "low"].between(0.85, 0.99).all()


def test_scores_beside_labels_are_not_held_against_a_tau_that_they_cannot_reach():
    """A score without ties that puts all that pass above all that fail has a τ far below 1."""
    sure, labels = TRUTH + RNG.random(80) / 2, noisy(0.05)
    found = of({"sure": sure, "says": labels, "human": TRUTH.astype(float)})
    table = found.to_frame().set_index("metric")
    assert table.index.tolist() == ["sure", "says"]
    assert table["value"].tolist() == pytest.approx([0.5, roc_auc_score(TRUTH, labels) - 0.5])
    assert words(found) == {"sure": YES, "says": YES}
    assert "coef:auc" in found.signature


def test_which_judge_is_better_is_one_answer_in_a_report_and_a_comparison():
    data = read(pd.DataFrame(ITEMS | {"a": noisy(0.1), "b": noisy(0.3), "human": TRUTH.astype(float)}))
    ends = ["value", "low", "high"]
    (beside,) = report(data, **SMALL).to_frame("beside").to_dict("records")
    (alone,) = compare_judges(data, [beside["metric"], beside["against"]], **SMALL).table.to_dict("records")
    assert [beside[end] for end in ends] == [alone[end] for end in ends]
    assert beside["measure"] == "Cohen's κ"


def test_pairs_that_two_raters_are_split_on_count_for_the_judge_and_for_them():
    found, frame = choices({"right": lambda truth, _: "a" if truth else "b"}, n_raters=2)
    said = frame[frame["judge"] == "people"].pivot(index="item", columns="annotator", values="winner")
    said = said.loc[ITEMS["item"]]
    right = np.where(TRUTH, "a", "b")
    alike = (said["r0"] == said["r1"]).mean()
    assert alike < 1
    judge = np.mean([(said[rater] == right).mean() for rater in ("r0", "r1")])
    assert found.to_frame()["value"].tolist() == pytest.approx([judge - alike])


def test_what_a_judge_left_out_is_counted_of_all_that_people_labelled():
    """Also of items that they are split on, which the title counts too; items of nobody's are no part of it."""
    one = TRUTH.astype(float)
    other = np.where(np.arange(80) < 10, 1 - one, one)
    judge = np.where(np.arange(80) % 20 == 0, np.nan, one)
    one[60:], other[60:] = np.nan, np.nan
    found = of({"judge": judge, "rater_1": one, "rater_2": other})
    assert found.verdicts.estimand.endswith("over 60 items")
    assert "People are split on 10 items." in found.verdicts.lines
    assert found.to_frame()[["n_scored", "n_judged"]].iloc[0].tolist() == [57, 60]
    compared = compare_judges(
        read(pd.DataFrame(ITEMS | {"judge": judge, "rater_1": one, "rater_2": other})),
        ["judge"],
        fail_under=0.1,
        **SMALL,
    )
    assert "judge labelled 57 of the 60 items that people did" in compared.summary()


@pytest.mark.parametrize("n", [20, 33, 40, 67, 100])
def test_an_interval_of_a_share_errs_on_no_side_more_often_than_it_says(n):
    """Exactly: by the probability of each number that a judge may be right."""
    right = np.arange(n + 1)
    low, high = np.transpose([share_ends(np.arange(n) < x, np.ones(n), 0.95)[:2] for x in right])
    np.testing.assert_allclose([low, high], proportion_confint(right, n, method="beta"), rtol=1e-9)
    for truth in np.linspace(0.85, 0.99, 15):
        often = stats.binom.pmf(right, n, truth)
        assert often[low > truth].sum() <= 0.025
        assert often[high < truth].sum() <= 0.025
    assert (np.diff(low) > 0).all()
    assert (np.diff(high)[:-1] > 0).all()


def test_a_share_of_items_with_several_pairs_has_the_interval_of_items_that_are_alike():
    """By hand, of 30 items with 4 pairs that are right or wrong together."""
    of, right = np.repeat(np.arange(30), 4), np.repeat(np.arange(30) < 21, 4)
    found = share_ends(right, np.ones(120), 0.95, of=of)
    n = 29 * (stats.t.ppf(0.975, 119) / stats.t.ppf(0.975, 29)) ** 2
    assert found[:2] == pytest.approx(proportion_confint(0.7 * n, n, method="beta"))


def test_one_error_never_raises_the_low_end_of_items_with_several_pairs():
    of = np.repeat(np.arange(30), 4)
    never, one, opposite = (share_ends(np.arange(120) >= k, np.ones(120), 0.95, of=of) for k in (0, 1, 119))
    assert never[:2] == pytest.approx((proportion_confint(30, 30, method="beta")[0], 1))
    assert one.low <= never.low < 119 / 120 <= one.high
    assert (opposite.low, opposite.high) == pytest.approx((1 - one.high, 1 - one.low))
    # pairs of an item that differ as much as they can are no more than pairs of as many items
    mixed = share_ends(np.arange(120) % 4 < 2, np.arange(120) != 0, 0.95, of=of)
    assert mixed[:2] == pytest.approx(proportion_confint(59, 119, method="beta"))


def test_a_judge_is_held_against_the_best_answer_to_the_pairs_that_it_judged():
    """People mostly choose the first, but the second where a judge answered, which always says the second."""
    people = np.where(np.arange(120) < 50, np.where(np.arange(120) < 38, "b", "a"), "a")
    rows = [(f"i{k}", "a", "b", "people", "r0", choice) for k, choice in enumerate(people)]
    rows += [(f"i{k}", "a", "b", "lazy", "", "b") for k in range(50)]
    rows += [(f"i{k}", "a", "b", "first", "", "a") for k in range(120)]
    columns = ["item", "model_a", "model_b", "judge", "annotator", "winner"]
    table = report(read(pd.DataFrame(rows, columns=columns)), **SMALL).to_frame().set_index("metric")
    assert table["compared_with"].to_dict() == {
        "lazy": "always the second",
        "first": "always the first",
    }
    assert table["value"].to_dict() == {"lazy": 0, "first": 0}
    assert set(table["verdict"]) == {OPEN}


@pytest.mark.parametrize("graded", [False, True])
def test_judges_who_share_no_item_are_not_compared(graded):
    values = RNG.integers(1, 6, size=80) * 1.0 if graded else TRUTH * 1.0
    early = np.arange(80) < 40
    judges = {"A": np.where(early, noisy(0.2), np.nan), "B": np.where(early, np.nan, noisy(0.2))}
    found = of(judges | {"human": values})
    assert found.to_frame("beside")["value"].isna().all()
    data = read(pd.DataFrame(ITEMS | judges | {"human": values}))
    with pytest.raises(DataError, match="no item that people judged is judged by A and B"):
        compare_judges(data, ["A", "B"], n_resamples=99, rng=7)


def test_a_judge_that_labelled_nothing_that_people_did_is_told_so():
    found = of(
        {
            "judge": np.where(np.arange(80) < 40, TRUTH * 1.0, np.nan),
            "human": np.where(np.arange(80) < 40, np.nan, TRUTH * 1.0),
        }
    )
    assert words(found) == {"judge": OPEN}
    assert "people labelled 0 items of those that it scored" in found.summary(verbose=True)


def test_the_first_is_preferred_only_where_both_orders_were_shown():
    first = [(f"i{k}", "s0", "s1", judge, "s0") for k in range(39) for judge in ("J", "human")]
    again = [("j", "s0", "s1", "J", "s0"), ("j", "s1", "s0", "J", "s0"), ("j", "s0", "s1", "human", "s0")]
    found = report(
        read(pd.DataFrame([*first, *again], columns=["item", "model_a", "model_b", "judge", "winner"])),
        **SMALL,
    )
    row = found.to_frame("first").iloc[0]
    assert (row["value"], row["n_pairs"]) == (0.5, 2)


def test_a_difference_of_0_on_paper_has_no_sign():
    scores = {"judge": [0.1 + 0.2, 0.3] * 25, "human": [4.0, 3.0] * 25}
    ids = {"system": ["x", "y"] * 25, "document": np.repeat(np.arange(25), 2)}
    assert words(report(read(pd.DataFrame(ids | scores)), **SMALL)) == {"judge": OPEN}


@pytest.mark.parametrize(("right", "ends"), [(0.0, (0, 0.975)), (1.0, (0.025, 1))])
def test_all_pairs_of_one_item_say_what_one_unit_does(right, ends):
    found = share_ends(np.full(28, right), np.ones(28), 0.95, of=np.zeros(28, dtype=int))
    assert found[:2] == pytest.approx(ends)


WORDS = np.array(["FULL", "NONE", "PARTIAL"])


def nominal(shares, n=60):
    """A reading of labels without an order, by raters and judges that err in a share of the items."""
    rng = np.random.default_rng(4)
    truth = rng.integers(3, size=n)
    rows = []
    for name, share in shares.items():
        given = np.where(rng.random(n) < share, rng.integers(3, size=n), truth)
        role = "person" if name.startswith("rater") else "judge"
        rows += [(f"i{k}", role, name, WORDS[value]) for k, value in enumerate(given)]
    labels = pd.DataFrame(rows, columns=["item", "role", "name", "value"])
    return Reading("one_system", None, labels, None, (), ()), labels


def test_labels_without_an_order_have_exact_agreement_and_kappa():
    data, labels = nominal({"rater 1": 0.2, "rater 2": 0.2, "rater 3": 0.2, "good": 0.05, "poor": 0.9})
    found = report(data, **SMALL)
    assert words(found) == {"good": YES, "poor": NO}
    wide = labels.pivot(index="item", columns="name", values="value")
    people = wide[["rater 1", "rater 2", "rater 3"]]
    apart, n = 0, 0
    for rater in people:
        rest = people.drop(columns=rater)
        alike = rest.nunique(axis=1) == 1
        most = rest[alike].iloc[:, 0]
        apart += ((wide["good"][alike] == most) * 1 - (people[rater][alike] == most)).sum()
        n += alike.sum()
    assert found.to_frame()["value"][0] == pytest.approx(apart / n)
    table = found.to_frame("accuracy").query("against == 'most people'").set_index("metric")
    votes = people.mode(axis=1)
    clear = votes.notna().sum(axis=1) == 1
    kappa = cohen_kappa_score(wide["good"][clear], votes[0][clear])
    assert table["kappa"]["good"] == pytest.approx(kappa)
    assert "untied" not in table
    gate = compare_judges(data, ["good"], fail_under=0.5, **SMALL)
    assert gate.table["value"].tolist() == pytest.approx([kappa])
    assert gate.answer == YES


def test_people_alone_have_their_agreement():
    """Labels, choices and scores without a judge."""
    data, _ = nominal({"rater 1": 0.2, "rater 2": 0.2, "rater 3": 0.9})
    found = report(data, **SMALL)
    assert found.to_frame()["metric"].tolist()[-1] == "rater 3"
    assert found.verdicts.question == "How far does each rater agree with the others?"
    assert list(found.verdicts.printed()) == ["rater", "with the other raters [95 %]"]
    one, other = noisy(0.2), noisy(0.2)
    found = of({"rater_1": one, "rater_2": other})
    assert found.to_frame()["own"].tolist() == pytest.approx([matthews_corrcoef(one, other)] * 2)
    people = found.to_frame("people").set_index("quantity")["value"]
    assert people["two people give the same"] == pytest.approx((one == other).mean())
    rows = [
        (f"i{k}", "a", "b", f"r{r}", "ab"[int(given[k])])
        for r, given in enumerate((one, other))
        for k in range(80)
    ]
    frame = pd.DataFrame(rows, columns=["item", "model_a", "model_b", "annotator", "winner"])
    found = report(read(frame), **SMALL)
    assert found.to_frame()["own"].tolist() == pytest.approx([(one == other).mean()] * 2)


def test_people_alone_rank_systems():
    rng = np.random.default_rng(2)
    quality = np.arange(7.0)[:, None] + rng.normal(size=(7, 9))
    planes = quality + rng.normal(size=(3, 7, 9))
    rows = [(f"s{i}", f"d{d}", f"r{r}", planes[r, i, d]) for r, i, d in np.ndindex(3, 7, 9)]
    found = report(read(pd.DataFrame(rows, columns=["system", "document", "rater", "score"])), **SMALL)
    means = planes.mean(axis=2)
    expected = {
        f"r{r}": stats.kendalltau(means[r], np.delete(means, r, axis=0).mean(axis=0)).statistic
        for r in range(3)
    }
    assert dict(zip(found.to_frame()["metric"], found.to_frame()["own"], strict=True)) == pytest.approx(
        expected
    )
    assert found.title.endswith("3 raters on 7 systems x 9 documents")


def test_grades_on_one_scale_have_a_weighted_kappa_with_single_raters():
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, size=80)
    near = {
        name: np.clip(truth + rng.integers(-1, 2, size=80), 1, 5) for name in ("gpt", "rater_1", "rater_2")
    }
    found = of({name: given.astype(float) for name, given in near.items()})
    table = found.to_frame("grades").set_index(["metric", "quantity"])["value"]
    raters = [near["rater_1"], near["rater_2"]]
    kappas = [cohen_kappa_score(near["gpt"], rater, weights="quadratic") for rater in raters]
    assert table["gpt", "quadratically weighted κ"] == pytest.approx(np.mean(kappas))
    assert table["gpt", "exact agreement"] == pytest.approx(
        np.mean([near["gpt"] == rater for rater in raters])
    )
    assert table["people", "quadratically weighted κ"] == pytest.approx(
        cohen_kappa_score(*raters, weights="quadratic")
    )
