"""Judges and raters against people, the annotator test by dimension and pooled, and the words for both."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import judges
from helpers.kit.claims.checking import printed_values
from metaeval.analysis.tabulate import judges_as_metrics
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.annotator_test import annotator_test
from metaeval.stats.correlation import correlate
from metaeval.stats.panels import effective_number, recovery
from metaeval.tables.benchmark import Provenance, with_ids
from metaeval.tables.pairs import ORDERS as SHOWN
from metaeval.tables.pairs import assemble_pairs
from tests.builders import benchmark
from tests.kit.figures import seen, series

SYSTEMS, DOCUMENTS = [f"s{i}" for i in range(5)], [f"d{j}" for j in range(12)]
RATERS = ["expert 0", "expert 1", "expert 2"]
JUDGES = {"good": Rater(noise=0.4), "constant": Rater(slope=0.1, noise=0.2, bias=1.0)}
KIND = {"judges": ["good", "constant"], "dimensions": ["a", "b"]}


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    planes, ratings, means = {}, {}, []
    ids = {"system": SYSTEMS, "document": DOCUMENTS}
    for k, dimension in enumerate("ab"):
        quality = rng.normal(3, 0.8, (5, 1)) + rng.normal(0, 0.7, (5, 12))
        given = np.stack([rate(quality, Rater(noise=0.6), rng=10 * k + r)[0] for r in range(3)])
        ratings[dimension] = with_ids(given, rater=RATERS, **ids)
        means.append(given.mean(axis=0))
        for judge, rater in JUDGES.items():
            planes[f"{judge} ({dimension})"] = rate(quality, rater, rng=50 + k)[0]
    return replace(
        benchmark(means[0], planes), humans=with_ids(np.stack(means), judgment="ab", **ids), ratings=ratings
    )


def test_judges_and_raters_each_against_the_others(made):
    table = judges.correlations(made, **KIND, coefficients=["pearson"], n_resamples=30, rng=1)
    rows = table.set_index(["dimension", "judge", "level"])
    assert len(rows) == 2 * (2 + 3) * 2
    rated = made.rated("b").to_numpy()
    for level in ("system", "summary"):
        kind = {"level": level, "coefficient": "pearson"}
        expected = correlate(made.metric("good (b)"), rated.mean(axis=0), **kind).value
        assert rows.loc[("b", "good", level), "value"] == pytest.approx(float(expected))
        expected = correlate(rated[1], rated[[0, 2]].mean(axis=0), **kind).value
        assert rows.loc[("b", "expert 1", level), "value"] == pytest.approx(float(expected))
    good = rows.xs("good", level="judge")
    assert (good["low"] <= good["value"]).all()
    assert (good["value"] <= good["high"]).all()


def test_a_row_does_not_depend_on_what_else_is_asked_for(made):
    settings = {"levels": ["system"], "coefficients": ["kendall"], "n_resamples": 30, "rng": 1}
    whole = judges.correlations(made, **KIND, **settings).set_index(["dimension", "judge"])
    alone = judges.correlations(made, judges=["good"], dimensions=["b"], **settings).set_index(
        ["dimension", "judge"]
    )
    pd.testing.assert_frame_equal(whole.loc[alone.index], alone)


def test_the_test_by_dimension_and_pooled(made):
    table = judges.alt_test(made, **KIND)
    assert table["dimension"].unique().tolist() == ["a", "b", "all"]
    rows = table.set_index(["dimension", "judge", "rater"])
    rated = {d: made.rated(d).to_numpy().reshape(3, -1) for d in "ab"}
    given = {d: made.metric(f"good ({d})").to_numpy().ravel() for d in "ab"}
    documents = np.tile(DOCUMENTS, 5)
    one = annotator_test(given["b"], rated["b"], clusters={"document": documents})
    row = rows.loc[("b", "good", "expert 2")]
    assert row[["advantage", "t_iid", "t_document", "winning_rate"]].tolist() == pytest.approx(
        [one.advantage[2], one.t["iid"][2], one.t["document"][2], one.winning_rate()]
    )
    pooled = annotator_test(
        np.concatenate([given["a"], given["b"]]), np.concatenate([rated["a"], rated["b"]], axis=1),
        clusters={"system": np.tile(np.repeat(SYSTEMS, 12), 2)},
    )  # fmt: skip
    row = rows.loc[("all", "good", "expert 0")]
    assert row[["advantage", "t_iid", "t_system"]].tolist() == pytest.approx(
        [pooled.advantage[0], pooled.t["iid"][0], pooled.t["system"][0]]
    )
    assert row["n_total"] == 120


def test_what_the_paper_prints_is_of_single_raters(made):
    found = judges.quantities(made, judges.alt_test(made, **KIND)).set_index(
        ["dimension", "judge", "quantity"]
    )["value"]
    given, rated = made.metric("good (b)").to_numpy().ravel(), made.rated("b").to_numpy().reshape(3, -1)
    each = [np.corrcoef(given, one)[0, 1] for one in rated]
    assert found["b", "good", "Pearson's r"] == pytest.approx(np.mean(each))
    apart = [np.abs(rated[i] - rated[j]).mean() for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found["b", "raters", "absolute difference"] == pytest.approx(np.mean(apart))
    whole = np.concatenate([made.rated(d).to_numpy().reshape(3, -1) for d in "ab"], axis=1)
    pairs = [np.corrcoef(whole[i], whole[j])[0, 1] for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found["all", "raters", "Pearson's r"] == pytest.approx(np.mean(pairs))
    highest = whole.max()
    assert found["b", "good", judges.HIGHEST] == np.mean(given == highest)
    assert found["b", "raters", judges.HIGHEST] == np.mean((rated == highest).sum(axis=0) >= 2)
    gaps = replace(made, scores=made.scores.where(made.scores["document"] != made.documents[0]))
    with_gaps = judges.quantities(gaps, judges.alt_test(gaps, **KIND)).set_index(
        ["dimension", "judge", "quantity"]
    )
    of_some = gaps.metric("good (b)").to_numpy().ravel()
    of_some = of_some[~np.isnan(of_some)]
    assert 0 < len(of_some) < len(given)
    assert with_gaps["value"]["b", "good", judges.HIGHEST] == np.mean(of_some == highest)
    of_judges = found["all"].unstack("quantity").drop(index=["raters", "judges"])
    both = of_judges["Pearson's r"].corr(of_judges["advantage"], method="kendall")
    assert found["all", "judges", judges.TWO_ORDERS] == pytest.approx(both, nan_ok=True)


def test_distances_are_from_one_more_rater(made):
    table = judges.distances(made, **KIND, levels=["system"], n_resamples=40, rng=3).set_index(
        ["dimension", "judge"]
    )
    good, constant = table.loc[("a", "good")], table.loc[("a", "constant")]
    assert good["at_ceiling"] == constant["at_ceiling"]
    assert constant["value"] < good["value"]
    assert good["low"] < good["value"] < good["high"]


def test_noise_is_taken_out_of_product_moment_correlations_only(made):
    settings = {**KIND, "levels": ["system"], "n_resamples": 5, "rng": 3}
    pearson = judges.distances(made, coefficient="pearson", **settings).set_index(["dimension", "judge"])
    rated = made.rated("b").to_numpy()
    means = rated.mean(axis=2)
    one = np.mean([np.corrcoef(means[i], means[j])[0, 1] for i, j in ((0, 1), (0, 2), (1, 2))])
    row = pearson.loc[("b", "good")]
    assert row["reliability"] == pytest.approx(3 * one / (1 + 2 * one))
    r = np.corrcoef(made.metric("good (b)").to_numpy().mean(axis=1), means.mean(axis=0))[0, 1]
    assert row["corrected"] == pytest.approx(r / np.sqrt(row["reliability"]))
    for coefficient in ("spearman", "kendall"):
        found = judges.distances(made, coefficient=coefficient, **settings)
        by_judge = found[found["level"] == "system"].set_index(["dimension", "judge"])
        for column in ("reliability", "corrected"):  # of Pearson's r whatever is asked for
            np.testing.assert_array_equal(by_judge[column], pearson[column].reindex(by_judge.index))
        assert found["at_ceiling"].notna().all()


def test_raters_are_pooled_by_name(made):
    shuffled = made.ratings["b"].sel(rater=["expert 2", "expert 0", "expert 1"])
    otherwise = replace(made, ratings={**made.ratings, "b": shuffled})
    tests = judges.alt_test(made, **KIND)
    pd.testing.assert_frame_equal(judges.alt_test(otherwise, **KIND), tests)
    pd.testing.assert_frame_equal(judges.quantities(otherwise, tests), judges.quantities(made, tests))
    others = made.ratings["b"].assign_coords(rater=["expert 0", "expert 1", "crowd 0"])
    strangers = replace(made, ratings={**made.ratings, "b": others})
    for call in (lambda: judges.alt_test(strangers, **KIND), lambda: judges.quantities(strangers, tests)):
        with pytest.raises(DataError, match=r"in a and in b differ; not in both: 'crowd 0' and 'expert 2'"):
            call()


@pytest.mark.parametrize("compute", [judges.correlations, judges.distances, judges.alt_test])
def test_something_has_to_be_asked_for(made, compute):
    draws = {} if compute is judges.alt_test else {"rng": 0}
    for nothing in ("judge", "dimension"):
        with pytest.raises(ValueError, match=f"at least one {nothing} is required"):
            compute(made, **KIND | {f"{nothing}s": []}, **draws)


def test_a_judge_that_hugs_the_ceiling_passes_and_ranks_nothing():
    tests = pd.DataFrame(
        [("a", judge, advantage) for judge, advantage in (("x", 0.9), ("x", 0.7), ("y", 0.6), ("z", 0.5))]
        + [("all", "x", 0.1)],
        columns=["dimension", "judge", "advantage"],
    )
    of_level = {"system": [0.1, 0.5, 0.6, 0.9], "summary": [0.3, 0.2, 0.1, 0.9]}
    found = pd.concat(
        pd.DataFrame({"judge": ["x", "y", "z", "expert 0"], "value": values}).assign(level=level)
        for level, values in of_level.items()
    ).assign(dimension="a", coefficient="kendall")
    rows = judges.passing(tests, found).set_index("level")
    # advantages .8, .6, .5 fall where correlations rise: all three pairs against each other
    wanted = ["value", "judge", "place", "n_judges"]
    assert rows.loc["system", wanted].tolist() == [-1.0, "x", 3, 3]
    assert rows.loc["summary", wanted].tolist() == [1.0, "x", 1, 3]
    # of the six orders of three judges two are as far from 0
    assert rows["pvalue"].tolist() == rows["smallest_pvalue"].tolist() == pytest.approx([1 / 3, 1 / 3])


def orders(second):
    """A row of `passing` of so many judges, whose first order rises."""
    judged = {"judge": list("qrstuvwxyz")[: len(second)], "advantage": np.arange(len(second)) / 10}
    tests = pd.DataFrame(judged).assign(dimension="a")
    found = tests.assign(value=second, level="system", coefficient="kendall")
    return judges.passing(tests, found).iloc[0]


def test_the_pvalue_of_two_orders_is_exact():
    for second in ([2, 1, 3, 4, 6, 5], [6, 4, 5, 1, 3, 2], [1, 2, 3, 4, 5, 6]):
        row, exact = orders(second), stats.kendalltau(range(6), second, method="exact")
        assert (row["value"], row["pvalue"]) == pytest.approx(tuple(exact))
        assert row["smallest_pvalue"] == 2 / 720
    # two tied judges: each far order comes twice
    assert orders([1, 1, 3, 4, 5, 6])["pvalue"] == 4 / 720
    assert np.isnan(orders([1.0] * 6)["pvalue"])
    # of ten judges the orders are not gone through
    second = [2, 1, 3, 4, 6, 5, 8, 7, 10, 9]
    assert orders(second)["pvalue"] == pytest.approx(stats.kendalltau(range(10), second).pvalue)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda b: judges_as_metrics(b, "a", ["god"]),
            UnknownNameError,
            "unknown judge of made-up, a 'god'.*'good'",
        ),
        (
            lambda b: judges_as_metrics(b, "c", ["good"]),
            UnknownNameError,
            "unknown judgment of made-up 'c'",
        ),
        (lambda b: judges_as_metrics(b, "a", []), ValueError, "at least one judge is required"),
        (
            lambda b: judges.correlations(replace(b, ratings={}), **KIND, rng=0),
            UnknownNameError,
            "with single raters 'a'",
        ),
    ],
)
def test_what_is_not_there_is_named(made, call, error, text):
    with pytest.raises(error, match=text):
        call(made)


# Calderon et al. 2025: Table 5 and the release's notebook (pooled)
def pairs_of(people, judges):
    ids = [f"p{k}" for k in range(len(people[0]))]
    items = {
        pair: {"set": "", "dimension": "", "document": pair, "first": "a", "second": "b"} for pair in ids
    }
    return assemble_pairs(
        name="made up", title="", items=items,
        judges={(j, SHOWN[0], pair): c for j, given in judges.items() for pair, c in zip(ids, given, strict=True)},
        people={
            (f"rater {r}", pair): c for r, given in enumerate(people) for pair, c in zip(ids, given, strict=True)
        },
        provenance=Provenance(files=(), licence="", citation=()),
    )  # fmt: skip


@pytest.fixture(scope="module")
def choosing():
    """Forty pairs of which three raters choose: all agree on 20, two on 10, none on 10 (first, second, neither)."""
    people = np.array([[1.0] * 20 + [0.0] * 10 + [1.0] * 10, [1.0] * 20 + [0.0] * 10 + [0.0] * 10])
    third = [1.0] * 20 + [1.0] * 10 + [0.5] * 10
    return pairs_of([*people, third], {"first": [1.0] * 40, "second": [0.0] * 40})


def test_choices_by_hand(choosing):
    rows = judges.choices(choosing).set_index("judge")
    assert rows.loc["first", "accuracy"] == pytest.approx((20 + 0 + 10 / 3) / 40)
    assert rows.loc["first", "decided"] == pytest.approx(20 / 30)
    assert rows.loc["first", "mc_error"] == pytest.approx(np.sqrt(10 * 2 / 9) / 40)
    given = choosing.judges.sel(order=SHOWN[0], judge="second").to_numpy()
    found = annotator_test(given, choosing.people.to_numpy(), alignment="accuracy")
    assert rows.loc["second", "advantage"] == pytest.approx(found.advantage.mean())
    claimed = judges.choice_quantities(choosing, judges.choices(choosing)).set_index(["judge", "quantity"])
    assert claimed.loc[("first", "accuracy"), "mc_error"] == rows.loc["first", "mc_error"]
    assert claimed.loc[("first", "advantage"), "mc_error"] == 0
    assert claimed.loc[("raters", "raters of a pair, least"), "value"] == 3
    assert claimed.loc[("raters", "pairs of a rater, least"), "value"] == 40


def test_a_winning_rate_rises_with_epsilon_for_ratings_and_choices(made, choosing):
    table = judges.winning_rates(made, choosing, **KIND, epsilons=[0.0, 0.3, 1.0])
    rows = table.set_index(["dataset", "judge", "epsilon"])["value"]
    assert len(rows) == (2 + 2) * 3
    assert (table.groupby(["dataset", "judge"])["value"].diff().fillna(0) >= 0).all()
    tests = judges.alt_test(made, **KIND, epsilon=0.3).set_index(["dimension", "judge"])
    assert rows["made-up", "good", 0.3] == tests.loc[("all", "good"), "winning_rate"].iloc[0]


def test_few_instances_give_on_average_what_all_give(made, choosing):
    settings = {"n_instances": 35, "n_draws": 400, "rng": 1}
    table = judges.subsample_test(made, choosing, **KIND, **settings, mean_draws=10, pool=60)
    rows = table.set_index(["dataset", "judge", "quantity"])
    tests = judges.alt_test(made, **KIND).set_index(["dimension", "judge"])["advantage"]
    few = rows.loc[("made-up", "good", "few: advantage")]
    assert few["value"] == pytest.approx(tests["all", "good"].mean(), abs=0.02)
    # what 35 of 120 leave to chance is known of one draw; ten from a pool of 60 share that pool
    one = judges.subsample_test(made, choosing, **KIND, **settings, mean_draws=1, pool=120)
    alone = one.set_index(["dataset", "judge", "quantity"]).loc[("made-up", "good", "few: advantage")]
    square = ((1 / 35 - 1 / 60) / 10 + 1 / 60 - 1 / 120) / (1 / 35 - 1 / 120)
    ratio = (square + 1 / 400) / (1 + 1 / 400)
    assert (few["mc_error"] / alone["mc_error"]) ** 2 == pytest.approx(ratio)
    accuracy = judges.choices(choosing).set_index("judge")["decided"]
    found = rows.loc[("made up", "first", "few: alignment"), "value"]
    assert found == pytest.approx(accuracy["first"], abs=0.01)


def test_few_instances_are_drawn_alike_in_whatever_order_dimensions_are_named(made, choosing):
    given = {"n_instances": 35, "n_draws": 40, "rng": 1, "judges": KIND["judges"]}
    one, other = (
        judges.subsample_test(made, choosing, dimensions=dimensions, **given)
        for dimensions in (KIND["dimensions"], KIND["dimensions"][::-1])
    )
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("n_instances", [120, 500])
def test_of_no_more_instances_every_draw_is_of_all(made, choosing, n_instances):
    table = judges.subsample_test(made, choosing, **KIND, n_instances=n_instances, n_draws=5, rng=1)
    rows = table.set_index(["dataset", "judge", "quantity"])
    own = rows.loc[("made-up", "good", "few: advantage")]
    tests = judges.alt_test(made, **KIND).set_index(["dimension", "judge"])["advantage"]
    assert own["value"] == pytest.approx(tests["all", "good"].mean())
    assert own["mc_error"] == 0


PRINTED = {
    "gemini_flash": ((0.67, 0.64), (0.0, 0.51), (0.0, 0.16), (0.0, 0.54), (0.0, 0.46)),
    "gemini_pro": ((0.67, 0.66), (0.0, 0.32), (0.0, 0.15), (0.67, 0.63), (0.0, 0.44)),
    "gpt-4o": ((1.0, 0.75), (0.0, 0.44), (0.0, 0.21), (0.0, 0.50), (0.0, 0.48)),
    "gpt-4o-mini": ((1.0, 0.75), (0.0, 0.46), (0.0, 0.21), (1.0, 0.76), (0.0, 0.54)),
    "llama-31": ((1.0, 0.70), (0.0, 0.68), (0.0, 0.20), (1.0, 0.74), (0.0, 0.58)),
    "mistral-v03": ((0.33, 0.58), (1.0, 0.87), (0.0, 0.48), (0.33, 0.56), (0.0, 0.62)),
}


@pytest.mark.real_data
def test_the_printed_winning_rates_and_advantages(real):
    found = real("summeval-judges")
    names = ["coherence", "consistency", "fluency", "relevance"]
    table = judges.alt_test(found, judges=list(PRINTED), dimensions=names)
    means = table.groupby(["judge", "dimension"])[["winning_rate", "advantage"]].mean()
    for judge, printed in PRINTED.items():
        for dimension, (rate_, advantage) in zip([*names, "all"], printed, strict=True):
            row = means.loc[(judge, dimension)]
            assert row["winning_rate"] == pytest.approx(rate_, abs=0.005)
            assert row["advantage"] == pytest.approx(advantage, abs=0.0051)


KEYS = [(d, j) for d in ("coherence", "fluency") for j in ("gpt", "expert 0")]


def results():
    rows = [
        {
            "dimension": d,
            "judge": j,
            "level": level,
            "coefficient": c,
            "value": 0.1 * k,
            "low": 0.0,
            "high": 0.5,
            "n_resamples": 9,
        }
        for k, (d, j) in enumerate(KEYS)
        for level in ("system", "summary")
        for c in ("pearson", "kendall")
    ]
    return pd.DataFrame(rows)


def of_tests():
    rows = [
        (d, "gpt", r, 1.0, 0.2 * k, -1.0, -0.5, -0.2)
        for k, d in enumerate(("coherence", "all"))
        for r in "ab"
    ]
    names = ["dimension", "judge", "rater", "winning_rate", "advantage", "t_iid", "t_document", "t_system"]
    return pd.DataFrame(rows, columns=names)


def n_points(figure):
    return sum(len(trace.x) for trace in series(figure) if trace.x is not None and trace.x[0] is not None)


def test_differences_stand_around_zero_with_a_dot_for_each_level():
    table = results().query("coefficient == 'kendall'").assign(value=-0.3, low=-0.8, high=-0.1)
    figure = judges.judge_differences(table)
    assert n_points(figure) == len(table)
    low, high = figure.layout.xaxis.range
    assert low < -0.8
    assert high > 0
    assert figure.layout.xaxis.title.text == "Kendall's τ: judge minus rater"


def test_the_first_in_the_test_is_marked_beside_its_correlations():
    one = judges.advantages(of_tests(), results()).assign(value=0.7, advantage=0.4)
    both = pd.concat([one, one.assign(judge="llama", advantage=0.6, value=0.1)])
    drawn = {(trace.name, trace.xaxis): (trace.y[0], trace.x[0]) for trace in seen(judges.passing_dots(both))}
    assert drawn == {
        ("other judges", "x"): ("gpt", 0.4), ("first in the test", "x"): ("llama", 0.6),
        ("other judges", "x2"): ("gpt", 0.7), ("first in the test", "x2"): ("llama", 0.1),
        ("other judges", "x3"): ("gpt", 0.7), ("first in the test", "x3"): ("llama", 0.1),
    }  # fmt: skip


def test_the_printed_shares_are_those_of_a_hundred_instances():
    """Rounded shares of 300 would add up to 1.00 in two rows of three; all 28 printed rows do."""
    dimensions = ("coherence", "consistency", "fluency", "relevance")
    tables = [printed_values("calderon2025alternative", f"table6/{dimension}") for dimension in dimensions]
    hundredths = pd.concat(tables).assign(n=lambda cells: (100 * cells["value"]).round())
    sums = hundredths.groupby(["dimension", "judge"])["n"].sum()
    assert len(sums) == 28
    assert set(sums) == {100}


def test_shares_of_ratings_and_their_error():
    """Four summaries rated 1, 2: three raters give 1 1 2, 2 2 2, 1 2 3, 3 3 3; the third is a tie of all."""
    rated = np.array([[[1.0, 2], [1, 3]], [[1, 2], [2, 3]], [[2, 2], [3, 3]]])
    ids = {"system": ["s", "t"], "document": ["d", "e"]}
    made = replace(
        benchmark(rated.mean(axis=0), {"j (a)": np.array([[1.0, 1], [1, 3]])}),
        humans=with_ids(rated.mean(axis=0)[None], judgment=["a"], system=["s0", "s1"], document=["d0", "d1"]),
    )
    ids = {dim: made.humans.indexes[dim].tolist() for dim in ("system", "document")}
    made = replace(made, ratings={"a": with_ids(rated, rater=RATERS, **ids)})
    table = judges.rating_shares(made, judges=["j"], dimensions=["a"], n_drawn=2)
    rows = table.set_index(["judge", "quantity"])
    assert rows.loc["j", "value"].tolist() == [0.75, 0, 0.25]
    assert rows.loc["raters", "value"].tolist() == pytest.approx([4 / 12, 4 / 12, 4 / 12])
    # two of four, without replacement: half of the variance 0.25 of 1 1 1 0, by two; 0 for a rating never given
    assert rows.loc["j", "mc_error"].tolist() == pytest.approx([0.25, 0, 0.25])
    # chances 1 0 1/3 0: variance 2/9; the tie's own 1/3 * 2/3, in one summary of four
    assert rows.loc[("raters", "share of 1"), "mc_error"] == pytest.approx(((2 / 9 / 2 + 2 / 36) / 2) ** 0.5)


def test_panels_and_picks_are_of_each_dimension_s_judges_and_raters(made):
    draws = {"n_resamples": 49, "confidence_level": 0.9, "rng": 1}
    table = judges.panels(made, **KIND, coefficient="pearson", **draws).set_index("dimension")
    rated = made.rated("b").to_numpy()
    planes = np.stack([made.metric(f"{judge} (b)").to_numpy() for judge in KIND["judges"]])
    expected = effective_number(planes.reshape(2, -1), rated.reshape(3, -1))
    assert table.loc["b", "effective"] == pytest.approx(expected)
    assert table.loc["b", "low"] <= table.loc["b", "value"] <= table.loc["b", "high"]
    kept = judges.picks(made, **KIND).set_index(["dimension", "judge"])
    assert kept.loc[("b", "good"), "value"] == pytest.approx(recovery(planes[0], rated.mean(axis=0)).value)
    assert kept.loc[("a", "good"), "low"] > kept.loc[("a", "constant"), "value"]


def made_pairs():
    """Three sets of 30 pairs, in each of which two judges take the other answer in one order of some."""
    items = {
        f"{name}-{k}": {"set": name, "dimension": "", "document": f"{name}-{k}", "first": "", "second": ""}
        for name in ("Natural", "Manual", "GPTOut")
        for k in range(30)
    }
    wrong = {
        "new": {"Natural": 2, "Manual": 15, "GPTOut": 9},
        "old": {"Natural": 4, "Manual": 15, "GPTOut": 6},
    }
    choices = {
        (judge, order, f"{name}-{k}"): 1.0 if k >= n or order == SHOWN[0] else 0.0
        for judge, sets in wrong.items() for name, n in sets.items() for order in SHOWN for k in range(30)
    }  # fmt: skip
    people = {("gold", pair): 1.0 for pair in items}
    about = Provenance((), "", ())
    return assemble_pairs(name="made", title="", items=items, judges=choices, people=people, provenance=about)


def test_shares_by_set_are_counted_and_carried_to_another():
    table = judges.carried(made_pairs(), n_resamples=199, rng=3).set_index(["judge", "set"])
    assert table.loc["new", "value"].tolist()[:3] == pytest.approx([28 / 30, 15 / 30, 21 / 30])
    assert table.loc[("new", "Manual"), ["low", "high"]].tolist() == pytest.approx(
        stats.binomtest(15, 30).proportion_ci(0.95, "exact"), abs=1e-9
    )
    mean, another = table.loc[("new", judges.MEAN)], table.loc[("new", judges.ANOTHER)]
    assert mean["value"] == another["value"]
    assert another["low"] < mean["low"] < mean["high"] <= another["high"] <= 1


def test_two_versions_are_compared_on_plain_and_on_other_pairs():
    table = judges.drift(made_pairs(), versions=["new", "old"], n_resamples=99, rng=1)
    rows = table.set_index(["set", "quantity"])["value"]
    assert rows["Natural", "new minus old"] == pytest.approx(2 / 30)
    assert rows["Natural", "choices that differ"] == pytest.approx(2 / 30)
    assert rows["adversarial", "new, exact agreement with people"] == pytest.approx(36 / 60)
    # of judges that are not there, the first two are compared
    other = judges.drift(made_pairs(), versions=["new", "nobody"], n_resamples=99, rng=1)
    assert other.equals(table)
