"""Means of people's scores by few labels and a judge, in reports and plans."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metaeval.core.errors import DataError
from metaeval.reporting.corrected import ALONE, BIAS, COMPARISON, HELPED, JUDGE
from metaeval.reporting.paired_labels import has_scale_of
from metaeval.reporting.plan import plan
from metaeval.reporting.reading import read
from metaeval.reporting.report import report
from metaeval.stats.prediction import predicted_mean

N, N_LABELLED = 120, 40
SMALL = {"n_resamples": 199, "rng": 7}
RNG = np.random.default_rng(11)
LABELLED = np.argsort(RNG.random(N)) < N_LABELLED
PASSED = (RNG.random(N) < 0.6) * 1.0
VERDICT = np.where(RNG.random(N) < 0.85, PASSED, 1 - PASSED)
GRADE = RNG.integers(1, 6, N) * 1.0
SCORE = np.clip(GRADE + RNG.integers(0, 2, N), 1, 5)


def few(values, labelled=LABELLED):
    return np.where(labelled, values, np.nan)


def of(columns, **options):
    return report(read(pd.DataFrame({"item": np.arange(N)} | columns)), **SMALL, **options)


def values(found):
    return found.to_frame("corrected").set_index("quantity")[["value", "low", "high"]]


def test_a_pass_rate_stands_beside_people_s_own_and_rogan_and_gladen_s():
    rows = values(of({"judge": VERDICT, "human": few(PASSED)}))
    expected = predicted_mean(few(PASSED), VERDICT, limits=(0, 1))
    assert rows.loc[HELPED].tolist() == pytest.approx([expected.value, expected.low, expected.high])
    own = PASSED[LABELLED]
    clopper = proportion_confint(own.sum(), N_LABELLED, method="beta")
    assert rows.loc[ALONE].tolist() == pytest.approx([own.mean(), *clopper])
    assert rows.loc[JUDGE, "value"] == pytest.approx(VERDICT.mean())
    tpr, fpr = (VERDICT[LABELLED][own == side].mean() for side in (1, 0))
    assert rows.loc[COMPARISON, "value"] == pytest.approx((VERDICT.mean() - fpr) / (tpr - fpr))


def test_a_judge_s_bias_is_its_mean_difference_from_people_in_points():
    found = of({"judge": SCORE, "human": few(GRADE)})
    apart = (SCORE - GRADE)[LABELLED]
    reach = stats.t.ppf(0.975, N_LABELLED - 1) * stats.sem(apart)
    expected = [apart.mean(), apart.mean() - reach, apart.mean() + reach]
    assert values(found).loc[BIAS].tolist() == pytest.approx(expected)
    assert COMPARISON not in values(found).index
    # printed without asking, and far from the judge's own mean
    assert "its bias [95 %]" in found.summary()
    assert values(found).loc[HELPED, "high"] < SCORE.mean()


@pytest.mark.parametrize(
    ("scores", "people", "same"),
    [
        ([1, 3, 5], [1, 2, 4], True),  # a grade more
        ([0, 50, 100], [1, 3, 5], False),
        ([0.0, 0.4, 1.0], [0, 1, 1], True),  # probabilities of passing
        ([1, 3, 5], [0, 1, 1], False),
        ([3, 3, 3], [1, 3, 5], False),  # covers nothing
    ],
)
def test_points_are_compared_on_one_scale_only(scores, people, same):
    assert has_scale_of(np.array(scores, float), np.array(people, float)) == same


def test_labels_that_were_not_drawn_at_random_are_refused_unless_the_user_says_they_were():
    best = np.argsort(np.argsort(SCORE + RNG.random(N) / 9)) >= N - N_LABELLED
    columns = {"judge": SCORE, "human": few(GRADE, best)}
    refused = of(columns)
    assert "corrected" not in refused.tables
    assert "hardly drawn at random; if they were, say so with --sampled-at-random" in refused.summary()
    assert HELPED in values(of(columns, sampled_at_random=True)).index


def test_the_difference_of_two_systems_is_taken_document_by_document():
    other = np.clip(GRADE + RNG.integers(-1, 2, N), 1, 5)
    table = pd.DataFrame(
        {
            "system": np.repeat(["a", "b"], N), "document": np.tile(np.arange(N), 2),
            "judge": np.r_[SCORE, other], "human": np.r_[few(GRADE), few(other)],
        }
    )  # fmt: skip
    rows = values(report(read(table), **SMALL))
    apart, judged = few(GRADE - other), SCORE - other
    ends = np.nanmin(np.r_[apart, judged]), np.nanmax(np.r_[apart, judged])
    expected = predicted_mean(apart, judged, limits=ends)
    assert rows.loc[HELPED].tolist() == pytest.approx([expected.value, expected.low, expected.high])


def test_intervals_of_all_systems_hold_together_and_are_wider_than_one_alone():
    people = GRADE + RNG.normal(size=(4, N)) + np.arange(4)[:, None]
    judge = people + 0.5 + 0.5 * RNG.normal(size=people.shape)
    table = pd.DataFrame(
        {
            "system": np.repeat([*"abcd"], N), "document": np.tile(np.arange(N), 4),
            "judge": judge.ravel(), "human": few(people).ravel(),
        }
    )  # fmt: skip
    found = report(read(table), **SMALL)
    rows = found.to_frame("corrected").query("quantity == @HELPED")
    assert rows["system"].tolist() == [*"abcd"]
    alone = predicted_mean(few(people), judge)
    assert rows["value"].to_numpy() == pytest.approx(alone.value)
    ratio = (rows["high"] - rows["low"]).to_numpy() / (alone.high - alone.low)
    assert ratio == pytest.approx(np.full(4, ratio[0]))
    assert 1.1 < ratio[0] < stats.t.ppf(1 - 0.025 / 4, 36) / stats.t.ppf(0.975, 36) + 0.1
    assert "all 120 documents, if the 40 that they labelled" in found.summary()


def test_a_plan_says_how_many_labels_a_judge_saves():
    reading = read(pd.DataFrame({"item": np.arange(N), "judge": SCORE, "human": GRADE}))
    designs = plan(reading, width=0.4).designs.set_index("quantity")
    r = np.corrcoef(SCORE, GRADE)[0, 1]
    n_alone = (2 * 1.96 * GRADE.std(ddof=1) / 0.4) ** 2
    assert designs.loc[ALONE, "n_items"] == pytest.approx(n_alone, rel=0.03)
    assert designs.loc[HELPED, "n_items"] == pytest.approx(n_alone * (1 - r**2), abs=4)
    alike = read(pd.DataFrame({"item": np.arange(N), "judge": SCORE, "human": np.full(N, 3.0)}))
    with pytest.raises(DataError, match="all alike"):
        plan(alike, width=0.4)
    with pytest.raises(DataError, match="ask for a wider one"):
        plan(reading, width=1e-9)


def test_a_judge_on_another_scale_helps_as_much_and_has_no_bias():
    own, other = (values(of({"judge": judge, "human": few(GRADE)})) for judge in (SCORE, 20 * SCORE - 7))
    assert other.loc[HELPED].tolist() == pytest.approx(own.loc[HELPED].tolist(), abs=0.02)
    assert BIAS not in other.index


def test_items_of_a_cluster_are_one_observation():
    clusters = np.arange(N) // 4
    talks = [f"talk {k}" for k in clusters]
    table = pd.DataFrame({"item": np.arange(N), "talk": talks, "judge": SCORE, "human": few(GRADE)})
    rows = values(report(read(table, columns={"cluster": "talk"}), **SMALL))
    expected = predicted_mean(few(GRADE), SCORE, limits=(1, 5), clusters=clusters)
    assert rows.loc[HELPED].tolist() == pytest.approx([expected.value, expected.low, expected.high])
    few_talks = table.assign(human=few(GRADE, np.arange(N) < 32))
    found = report(read(few_talks, columns={"cluster": "talk"}), **SMALL)
    assert any("few clusters; it takes 10" in one.why for one in found.left_out)


def test_clusters_that_are_judged_alike_say_nothing_of_a_bias_on_a_scale():
    # of each talk's 4 items the judge is one grade too high on 2; of labels all 10 talks are alike
    talks = [f"talk {k // 4}" for k in range(N)]
    apart = (np.arange(N) % 4 < 2) * 1.0
    table = pd.DataFrame(
        {"item": np.arange(N), "talk": talks, "judge": GRADE + apart, "human": few(GRADE, np.arange(N) < 40)}
    )
    columns, said = {"cluster": "talk"}, {"sampled_at_random": True}
    rows = values(report(read(table, columns=columns), **SMALL, **said))
    assert rows.loc[BIAS, "value"] == 0.5
    assert np.isnan(rows.loc[BIAS, ["low", "high"]]).all()
    labels = table.assign(human=few(np.arange(N) % 2, np.arange(N) < 40), judge=(np.arange(N) % 4 < 3) * 1.0)
    # the judge passes 3 of 4 and people 2: apart by .25; of 10 talks of 10 at least q are so
    q = proportion_confint(10, 10, method="beta")[0]
    ends = [0.25 - (1 - q) * 1.25, 0.25 + (1 - q) * 0.75]
    rows = values(report(read(labels, columns=columns), **SMALL, **said))
    assert rows.loc[BIAS].tolist() == pytest.approx([0.25, *ends])
