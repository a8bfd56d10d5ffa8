"""What a judge left out, and words that have to hold for people's means over everything."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_benchmark, compare_judges, report
from metaeval.__main__ import main as run
from metaeval.core.errors import DataError
from metaeval.reporting.missing_scores import LABELLED, correlate_with_all, gap, move_to_all, moved_ends
from metaeval.reporting.paired_labels import pair_answers
from metaeval.reporting.reading import read
from metaeval.reporting.verdict import verdicts
from metaeval.stats.draws import unit_counts
from metaeval.stats.intervals import Ends
from metaeval.stats.streams import block_seeds, block_stream
from metaeval.tables.wording import is_seed_sensitive

RNG = np.random.default_rng(11)
QUALITY = RNG.normal(size=(14, 1))
PEOPLE = QUALITY + RNG.normal(size=(14, 60))
JUDGE = PEOPLE + RNG.normal(size=PEOPLE.shape)
# systems differ only in how often they fail, and the judge leaves out what fails
FAILS = RNG.random(PEOPLE.shape) < np.linspace(0.05, 0.6, 14)[:, None]
UNEQUAL = np.where(FAILS, -3.0, 0.05 * np.linspace(0, 1, 14)[:, None]) + RNG.normal(size=FAILS.shape) / 50
REFUSES = np.where(FAILS, np.nan, UNEQUAL)
FAST = {"n_resamples": 199, "rng": 1}


def test_what_was_left_out_and_what_people_say_of_it_by_hand():
    scores = np.where(PEOPLE < -0.5, np.nan, JUDGE)
    found = gap(scores, PEOPLE, confidence_level=0.9)
    out = np.isnan(scores)
    assert (found.n_scored, found.n_judged) == ((~out).sum(), out.size)
    assert found.apart[0] == pytest.approx(PEOPLE[out].mean() - PEOPLE[~out].mean())
    assert found.apart[1] < found.apart[0] < found.apart[2] < 0
    own = [row[~np.isnan(row)].mean() for row in scores]
    expected = stats.kendalltau(own, PEOPLE.mean(axis=1)).statistic
    assert correlate_with_all(scores, PEOPLE, "kendall") == pytest.approx(expected)
    line = found.describe("gpt")
    assert (
        f"gpt scored {found.n_scored} of the 840 summaries that people did; on the others people's mean"
        in line
    )
    assert f"differs by {found.apart[0]:+.2f} [" in line


def test_what_people_did_not_score_is_neither_left_out_nor_in_a_mean():
    human = PEOPLE.copy()
    human[:, 30:] = np.nan
    assert gap(JUDGE, human, confidence_level=0.95) is None
    own = JUDGE[:, :30].mean(axis=1)
    expected = stats.kendalltau(own, PEOPLE[:, :30].mean(axis=1)).statistic
    assert correlate_with_all(JUDGE, human, "kendall") == pytest.approx(expected)


def test_gaps_at_random_are_told_and_turn_nothing():
    scores = np.where(RNG.random(JUDGE.shape) < 0.2, np.nan, JUDGE)
    found = gap(scores, PEOPLE, confidence_level=0.999)
    assert found.is_large
    assert not found.selective
    said = report(as_benchmark({"judge": scores}, PEOPLE), **FAST)
    assert said.verdicts.table["verdict"].tolist() == ["yes"]
    assert f"judge scored {(~np.isnan(scores)).sum()} of the 840 summaries" in said.summary()


def test_a_word_that_rests_on_what_was_not_refused_is_open():
    benchmark = as_benchmark({"refuses": REFUSES, "all": UNEQUAL}, UNEQUAL)
    found = report(benchmark, **FAST).verdicts
    words = found.table.set_index("metric")["verdict"].to_dict()
    assert words == {"all": "yes", "refuses": "open"}
    because = found.table.set_index("metric")["because"].to_dict()
    assert because == {"all": "", "refuses": "it skipped what people rate otherwise"}


def test_a_judge_that_refuses_does_not_win_by_it():
    poor = UNEQUAL + RNG.normal(size=UNEQUAL.shape) * 4
    benchmark = as_benchmark({"refuses": REFUSES, "poor": poor}, UNEQUAL)
    found = compare_judges(benchmark, ["refuses", "poor"], fail_under=0.3, **FAST)
    assert found.answer == "open"
    assert found.table["because"].tolist() == ["not so over all that people scored"] * 2
    assert any(line.startswith("refuses scored ") for line in found.lines)
    assert not any(line.startswith("poor") for line in found.lines)
    # where people did not score what it refused either, the same scores decide
    easy = np.where(FAILS, np.nan, UNEQUAL)
    found = compare_judges(
        as_benchmark({"refuses": REFUSES, "poor": poor}, easy), ["refuses", "poor"], fail_under=0.3, **FAST
    )
    assert found.answer == "yes"


def test_the_best_systems_are_among_those_that_a_metric_scored():
    scores = JUDGE.copy()
    scores[:5] = np.nan
    found = report(as_benchmark({"judge": scores, "all": JUDGE}, PEOPLE), **FAST)
    table = found.to_frame("correlations").query("level == 'system'").set_index("metric")
    assert table["n_used"].to_dict() == {"judge": 9, "all": 14}


def test_judges_who_share_few_systems_are_not_compared():
    first, second = JUDGE.copy(), JUDGE + RNG.normal(size=JUDGE.shape)
    first[9:], second[:4] = np.nan, np.nan
    found = compare_judges(
        as_benchmark({"first": first, "second": second}, PEOPLE), ["first", "second"], **FAST
    )
    assert found.answer == "open"
    assert (
        "over 5 systems, of means over 60 documents, on the 300 summaries that both score" in found.estimand
    )
    assert found.table["because"].tolist() == ["5 systems; it takes 6"]


@pytest.mark.parametrize(("value", "way"), [(np.nan, 0), (0.0, -1), (1.0, 1)])
def test_of_labels_the_share_that_pass_is_told(value, way):
    gold = np.tile([0.0, 1.0], 40)
    judge = np.where((gold == value) & (np.arange(80) % 3 > 0), np.nan, gold)
    left = gap(judge[None], gold[None], confidence_level=0.95, units="items", does=LABELLED)
    if not way:
        assert left is None
        return
    assert np.sign(left.apart).tolist() == [way] * 3
    assert "items that people did; on the others the share that people pass differs by" in left.describe(
        "gpt"
    )


@pytest.mark.parametrize(
    ("refused", "word", "because"),
    [(0.0, "yes", ""), (0.08, "yes", ""), (0.6, "open", "it skipped what people rate otherwise")],
)  # fmt: skip
def test_a_judge_that_refuses_what_fails_is_not_trusted_with_the_rest(tmp_path, refused, word, because):
    rng = np.random.default_rng(3)
    lines = ["item,rater,label"]
    for item in range(300):
        passes = int(rng.random() < 0.6)
        lines += [f"{item},{rater},{passes if rng.random() < 0.9 else 1 - passes}" for rater in "ab"]
        if passes or rng.random() >= refused:
            lines.append(f"{item},gpt,{passes if rng.random() < 0.95 else 1 - passes}")
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    found = report(read(path, machines=["gpt"]), **FAST).verdicts
    assert found.table["verdict"].tolist() == [word]
    assert found.table["because"].tolist() == [because]


def test_of_two_systems_a_judge_is_held_against_people_on_what_it_judged(tmp_path):
    rng = np.random.default_rng(5)
    new, old = rng.normal(size=150), rng.normal(size=150)
    new[:60] -= 3  # so that people prefer the old one, of which the judge sees the better part
    new[60:] += 1
    lines = ["system,document,judge,human"]
    for d, (one, other) in enumerate(zip(new, old, strict=True)):
        lines += [f"new,{d},{'' if d < 60 else one},{one}", f"old,{d},{other},{other}"]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(lines))
    found = report(read(path), **FAST).verdicts
    (row,) = found.table.to_dict("records")
    assert (row["verdict"], row["because"]) == ("open", "it skipped what people rate otherwise")
    same, every = (new - old)[60:].mean(), (new - old).mean()
    assert row["reference"] == pytest.approx(same)
    assert same * every < 0
    assert found.lines == ("judge judged 90 of the 150 documents that people did.",)


def test_judges_without_a_summary_in_common_are_an_error():
    first, second = JUDGE.copy(), JUDGE.copy()
    first[:, :30], second[:, 30:] = np.nan, np.nan
    with pytest.raises(DataError, match="no summary that people scored is scored by first and second"):
        compare_judges(as_benchmark({"first": first, "second": second}, PEOPLE), ["first", "second"], **FAST)


def test_what_a_metric_is_held_against_is_asked_over_everything_too():
    rng = np.random.default_rng(2)
    order = np.where(
        np.arange(14) % 3 == 0, np.arange(14)[::-1], np.arange(14)
    )  # the better mostly fail less
    fails = rng.random((14, 60)) < np.linspace(0.6, 0.05, 14)[order][:, None]
    people = np.where(fails, -3.0, 0.05 * np.arange(14)[:, None]) + rng.normal(size=fails.shape) / 50
    scores = np.where(fails, np.nan, people)
    length = np.where(fails, -3.0, 0) + rng.normal(size=fails.shape) / 50  # knows who fails, and nothing else
    whole = [correlate_with_all(plane, people, "kendall") for plane in (scores, length)]
    assert 0 < whole[0] < whole[1]
    sentinels = {"length": length}
    found = verdicts(["m"], scores[None], people, sentinels=sentinels, **FAST).table.iloc[0]
    assert found["value"] > 0
    assert found["low"] > 0
    assert found["verdict"] == "open"
    # over everything its value is above a constant's, and its interval is not
    found = verdicts(["m"], scores[None], people, **FAST).table.iloc[0]
    assert (found["low"] > 0, found["verdict"]) == (True, "open")
    people = people + np.arange(14)[:, None] / 4
    found = verdicts(["m"], np.where(fails, np.nan, people)[None], people, **FAST).table.iloc[0]
    assert found["verdict"] == "yes"


def refusing(slope, sign=1):
    """People score what fails lower, by 2; systems differ by `slope` in the rest, of which the judge's scores
    are `sign` times theirs.
    """
    rng = np.random.default_rng(3)
    fails = rng.random((14, 60)) < np.linspace(0.05, 0.3, 14)[:, None]
    people = slope * np.arange(14)[:, None] - 2.0 * fails + rng.normal(size=fails.shape) / 5
    return np.where(fails, np.nan, sign * people), people


@pytest.mark.parametrize(
    ("slope", "sign", "bar", "status"),
    [(0.5, 1, 0.6, "yes"), (0.07, 1, 0.2, "open"), (0.07, 1, -0.9, "yes"), (0.5, -1, 0.2, "no"), (0.07, -1, -0.3, "open")],
)  # fmt: skip
def test_a_gate_holds_the_interval_over_everything_against_its_limit(slope, sign, bar, status):
    """Also where the value over everything, or the interval over what was scored, is on one side."""
    scores, people = refusing(slope, sign)
    value = correlate_with_all(scores, people, "kendall")
    found = compare_judges(as_benchmark({"refuses": scores}, people), ["refuses"], fail_under=bar, **FAST)
    row = found.table.iloc[0]
    assert row["low"] > bar or row["high"] < bar  # what it scored alone would decide
    assert found.answer == status
    assert (value - bar) * (row["value"] - bar) > 0  # as would the values alone
    assert f"Over all that people scored it is {value:.2f} [" in found.lines[1]


@pytest.mark.parametrize(("slope", "sign", "status"), [(0.5, 1, 0), (0.07, 1, 2), (0.5, -1, 1)])
def test_the_gate_of_ci_stops_where_a_judge_refused_too_much_to_tell(
    tmp_path, capsys, slope, sign, status
):  # fmt: skip
    scores, people = refusing(slope, sign)
    path = tmp_path / "mine.csv"
    rows = [
        f"s{i},d{j},{'' if np.isnan(scores[i, j]) else scores[i, j]},{people[i, j]}"
        for i, j in np.ndindex(*people.shape)
    ]
    path.write_text("\n".join(["system,document,judge,human", *rows]))
    asked = ["compare", str(path), "--judges", "judge", "--fail-under", "0.2", "--draws", "199"]
    assert run(asked) == status
    assert "Over all that people scored it is" in capsys.readouterr().out


def test_a_judge_without_gaps_is_held_to_what_both_score_and_to_everything():
    scores, people = refusing(0.07)
    asked = {"fail_under": 0.2, **FAST}
    beside = compare_judges(
        as_benchmark({"full": people, "refuses": scores}, people), ["full", "refuses"], **asked
    )
    assert any(line.startswith("Over all that people scored it is 1.00 [0.9") for line in beside.lines)


def test_moves_to_everything_by_hand():
    """Of documents drawn together; where nothing is left out nothing moves."""
    asked = {"n_resamples": 99, "rng": 4}
    value, drawn = move_to_all(JUDGE, PEOPLE, np.full(JUDGE.shape, True), "kendall", **asked)
    assert value == 0
    assert not drawn.any()
    here = RNG.random(JUDGE.shape) < 0.7
    holed = np.where(here, JUDGE, np.nan)
    value, drawn = move_to_all(holed, PEOPLE, here, "kendall", **asked)
    part = np.where(here, PEOPLE, np.nan)

    def change(own, theirs, also):
        means = [np.nanmean(plane, axis=1) for plane in (own, theirs, also)]
        return stats.kendalltau(means[0], means[1]).statistic - stats.kendalltau(means[0], means[2]).statistic

    assert value == pytest.approx(change(holed, PEOPLE, part))
    generator = block_stream(block_seeds(4), 0)
    rows = unit_counts(generator, 512, 14)[:99].astype(int)
    columns = unit_counts(generator, 512, 60)[:99].astype(int)
    for draw in (0, 50, 98):
        chosen, picked = (np.repeat(np.arange(len(n)), n) for n in (rows[draw], columns[draw]))
        planes = (plane[chosen][:, picked] for plane in (holed, PEOPLE, part))
        assert drawn[draw] == pytest.approx(change(*planes))


def test_an_interval_that_moves_grows_by_the_variance_of_the_move():
    moves = np.array([-0.1, 0.1] * 50)
    over = moved_ends(0.5, Ends(0.2, 0.9, 0.0, 0.0), -0.2, moves, 0.95)
    reach = stats.norm.ppf(0.975) * 0.1
    assert over.low == pytest.approx(0.3 - np.sqrt(0.3**2 + reach**2))
    assert over.high == pytest.approx(0.3 + np.sqrt(0.4**2 + reach**2))


def test_a_judge_that_refuses_all_that_fails_is_told_so(tmp_path):
    lines = ["item,rater,label"]
    for item in range(60):
        passes = int(item % 2 == 0)
        lines += [f"{item},a,{passes}", f"{item},b,{passes}"] + [f"{item},gpt,1"] * passes
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines))
    told = report(read(path, machines=["gpt"]), **FAST).verdicts
    assert told.table["because"].tolist() == ["no value; the same for all?"]
    assert any(line.startswith("gpt labelled 30 of the 60 items that people did") for line in told.lines)
    found = compare_judges(read(path, machines=["gpt"]), ["gpt"], fail_under=0.1, measure="accuracy", **FAST)
    assert found.answer == "open"


def of_pairs(refuses, *, n_raters=3, ties=False, n_documents=150):
    """Choices on two pairs of each document, hard or easy for people, by a judge that leaves some out."""
    rng = np.random.default_rng(4)
    rows = []
    for pair in range(2 * n_documents):
        hard, right = rng.random() < 0.4, pair % 3 > 0
        of = {"item": pair // 2, "first": f"a{pair % 2}", "second": f"b{pair % 2}"}
        for rater in range(n_raters):
            said = right if rng.random() < (0.6 if hard else 0.95) else not right
            choice = "tie" if ties and hard and rng.random() < 0.6 else "ba"[said]
            rows.append(of | {"judge": "people", "rater": f"r{rater}", "choice": choice})
        if rng.random() >= (refuses if hard else refuses / 10):
            said = right if rng.random() < 0.97 or not hard else not right
            rows.append(of | {"judge": "gpt", "rater": "", "choice": "ba"[said]})
        said = right if rng.random() < 0.75 else not right
        rows.append(of | {"judge": "whole", "rater": "", "choice": "ba"[said]})
    return pd.DataFrame(rows)


def test_of_pairs_it_is_told_whether_people_agree_on_what_was_left_out():
    frame = of_pairs(0.8)
    people = frame[frame["judge"] == "people"].groupby(["item", "first"])["choice"].nunique() == 1
    judged = frame[frame["judge"] == "gpt"].set_index(["item", "first"]).index
    table = pd.DataFrame({"alike": people, "out": ~people.index.isin(judged)}).reset_index()

    def apart(rows):
        return rows.loc[rows["out"], "alike"].mean() - rows.loc[~rows["out"], "alike"].mean()

    without = np.array([apart(table[table["item"] != item]) for item in range(150)])
    reach = stats.t.ppf(0.975, 149) * np.sqrt(149 / 150 * ((without - apart(table)) ** 2).sum())
    left = pair_answers(read(frame)).gap("gpt", 0.95)
    assert (left.n_scored, left.n_judged) == ((~table["out"]).sum(), 300)
    assert left.apart == pytest.approx((apart(table), apart(table) - reach, apart(table) + reach))
    assert "on the others the share on which people agree differs by -" in left.describe("gpt")


def test_a_judge_that_refuses_pairs_that_people_are_split_on_is_not_trusted_with_them():
    found = {refuses: report(read(of_pairs(refuses)), **FAST) for refuses in (0.0, 0.8)}
    tables = {refuses: one.verdicts.table.set_index("metric") for refuses, one in found.items()}
    assert {refuses: table["verdict"]["gpt"] for refuses, table in tables.items()} == {
        0.0: "yes",
        0.8: "open",
    }
    assert tables[0.8]["low"]["gpt"] > -0.05  # but for what it left out
    assert tables[0.8]["because"]["gpt"] == "it skipped what people rate otherwise"
    assert any(line.startswith("gpt judged ") for line in found[0.8].verdicts.lines)
    assert not any(line.startswith("gpt judged ") for line in found[0.0].verdicts.lines)
    compared = compare_judges(read(of_pairs(0.8)), ["gpt", "whole"], **FAST)
    assert compared.answer == "open"


@pytest.mark.parametrize(
    ("ties", "told"), [(True, "the share that people call a tie differs by +"), (False, "")]
)
def test_of_one_person_s_choices_ties_are_what_can_be_asked(ties, told):
    found = report(read(of_pairs(0.8, n_raters=1, ties=ties)), **FAST).verdicts
    assert found.table.set_index("metric")["because"]["gpt"] == "it skipped what people rate otherwise"
    (line,) = [line for line in found.lines if line.startswith("gpt")]
    assert told in line
    assert ("differs" in line) == ties


def test_where_the_interval_leaves_it_open_no_seed_of_the_one_over_everything_changes_it():
    n_open = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        fails = rng.random((10, 30)) < np.linspace(0.02, 0.15, 10)[:, None]
        people = 0.12 * np.arange(10)[:, None] - 1.5 * fails + rng.normal(size=fails.shape)
        scores = np.where(fails, np.nan, people + 2 * rng.normal(size=fails.shape))
        found = compare_judges(
            as_benchmark({"m": scores}, people), ["m"], fail_under=0.6, n_resamples=199, rng=1
        )
        row = found.table.iloc[0]
        near = any(is_seed_sensitive(row[end], row[f"{end}_mc_error"], 0.6) for end in ("low", "high"))
        if row["low"] < 0.6 < row["high"] and not near:
            n_open += 1
            assert not any("Another seed" in line for line in found.lines)
    assert n_open > 30


def test_what_is_said_of_refused_pairs_agrees_with_the_answer():
    found = compare_judges(of_pairs(0.8), ["gpt"], fail_under=0.5, **FAST)
    assert found.answer == "open"
    assert found.table["because"].tolist() == ["people rate what was skipped otherwise"]
    assert "the share on which people agree differs by -" in " ".join(found.lines)


def of_labels(refuses, *, n_raters=3, n_items=300):
    """Labels of a judge that leaves out some of the hard items, on which people pass as many and agree less."""
    rng = np.random.default_rng(6)
    rows = []
    for item in range(n_items):
        hard, truth = item % 3 == 0, rng.random() < 0.5
        for rater in range(n_raters):
            rows.append((item, f"ann{rater}", float(truth ^ (rng.random() < (0.35 if hard else 0.04)))))
        if not hard or rng.random() >= refuses:
            rows.append((item, "gpt", float(truth ^ (rng.random() < (0.45 if hard else 0.05)))))
    return pd.DataFrame(rows, columns=["item", "rater", "label"])


def test_of_several_people_s_labels_it_is_asked_whether_they_agree_on_what_was_left_out():
    asked = {"machines": ["gpt"]}
    refuses, answers = (read(of_labels(share), **asked) for share in (1.0, 0.0))
    found = compare_judges(refuses, ["gpt"], fail_under=0.6, **FAST)
    assert found.table["low"].item() > 0.6
    assert found.answer == "open"
    frame = of_labels(1.0)
    people = frame[frame["rater"] != "gpt"].groupby("item")["label"].nunique() == 1
    out = ~people.index.isin(frame.loc[frame["rater"] == "gpt", "item"])
    apart = people[out].mean() - people[~out].mean()
    assert f"on the others the share on which people agree differs by {apart:+.2f} [" in found.lines[1]
    words = {
        name: report(of, **FAST).verdicts.table.set_index("metric")["verdict"]["gpt"]
        for name, of in (("refuses", refuses), ("answers", answers))
    }
    assert words["refuses"] == "open"
    # of one person nothing is known of agreement
    alone = read(of_labels(1.0, n_raters=1), **asked)
    assert "agree" not in " ".join(compare_judges(alone, ["gpt"], fail_under=0.2, **FAST).lines)


def test_of_two_systems_it_is_asked_whom_people_favour_on_what_a_judge_left_out():
    rng = np.random.default_rng(2)
    people = rng.normal(size=(2, 300))
    judge = people + rng.normal(size=people.shape) / 4
    lost = people[0] < people[1]
    refuses = np.where(lost & (rng.random(300) < 0.8), np.nan, judge)
    data = as_benchmark({"refuses": refuses, "whole": rng.normal(size=people.shape), "all": judge}, people)
    found = compare_judges(data, ["refuses", "whole"], **FAST)
    assert found.table["low"].item() > 0
    assert found.answer == "open"
    assert "the share on which people favour the first system differs by -" in " ".join(found.lines)
    assert compare_judges(data, ["all", "whole"], **FAST).answer == "yes"
