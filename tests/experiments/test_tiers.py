"""Judges and systems in tiers: what the tables hold, how often systems that are equal are told apart, the answer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import tiers
from helpers.experiments.tiers import PEOPLE
from metaeval.core.errors import UnknownNameError
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.differences import compare_systems, simultaneous_pvalues
from metaeval.tables.benchmark import with_ids
from tests.builders import benchmark
from tests.kit.figures import series

DRAWS = {"n_resamples": 99, "n_seeds": 2, "rng": 1}
KIND = {"judges": ["good", "random", "turned"], "dimensions": ["human"]}


@pytest.fixture(scope="module")
def made():
    """Five systems in three steps of quality, forty documents; a judge turns the scale round."""
    rng = np.random.default_rng(0)
    quality = np.array([1.5, 1.5, 3.0, 3.0, 4.5])[:, None] + rng.normal(0, 0.3, (5, 40))
    good, human = (rate(quality, Rater(noise=0.3), rng=k)[0] for k in (1, 2))
    judges = {"good": good, "random": rng.normal(size=(5, 40)), "turned": 6 - good}
    return benchmark(human, {f"{name} (human)": plane for name, plane in judges.items()})


def test_judges_that_differ_are_in_other_tiers(made):
    table = tiers.judge_tiers(made, **KIND, levels=["summary"], **DRAWS).set_index("judge")
    assert table["tier"].to_dict() == {"good": 1, "random": 2, "turned": 3}
    assert table["place"].tolist() == table["best_rank"].tolist() == table["worst_rank"].tolist() == [1, 2, 3]
    assert (table["n_stable"] == 2).all()


def test_systems_stand_in_the_steps_that_they_are_made_of(made):
    systems, pairs = tiers.system_tiers(made, **KIND, **DRAWS)
    people = systems[systems["judge"] == PEOPLE].set_index("system")
    assert people["tier"].tolist() == [3, 3, 2, 2, 1]
    assert people["best_rank"].tolist() == [4, 4, 2, 2, 1]
    assert people["worst_rank"].tolist() == [5, 5, 3, 3, 1]
    rows = pairs.set_index("judge")
    assert rows.loc[PEOPLE, ["n_pairs", "n_apart_judge", "n_apart_both", "n_against"]].tolist() == [
        10,
        8,
        8,
        0,
    ]
    # all eight pairs, in the opposite order
    assert rows.loc["turned", ["n_apart_judge", "n_apart_both", "n_against"]].tolist() == [8, 8, 8]
    assert rows.loc["good", "n_against"] == 0
    assert rows.loc["random", "n_tiers"] == 1


def test_a_row_does_not_depend_on_what_else_is_asked_for(made):
    whole, _ = tiers.system_tiers(made, **KIND, **DRAWS)
    alone, _ = tiers.system_tiers(made, judges=["turned"], dimensions=["human"], **DRAWS)
    keys = ["judge", "system"]
    pd.testing.assert_frame_equal(
        whole[whole["judge"].isin(["turned", PEOPLE])].set_index(keys), alone.set_index(keys)
    )


def test_what_is_not_there_is_named(made):
    with pytest.raises(UnknownNameError, match=r"unknown judge of .* 'best'"):
        tiers.judge_tiers(made, judges=["good", "best"], dimensions=["human"], **DRAWS)


def test_a_judge_alone_is_a_tier(made):
    table = tiers.judge_tiers(made, judges=["good"], dimensions=["human"], levels=["system"], **DRAWS)
    assert table[["place", "tier", "best_rank", "worst_rank"]].to_numpy().tolist() == [[1, 1, 1, 1]]


def released():
    """Six systems of the release under their names, rated by three experts; a judge that is one of them."""
    rng = np.random.default_rng(2)
    systems = ["M8", "M9", "M10", "M20", "M11", "M22"]  # the chain has four pairs of these
    ids = {"system": systems, "document": [f"d{j}" for j in range(30)]}
    quality = np.linspace(2, 4.4, 6)[:, None] + rng.normal(0, 0.9, (6, 30))
    rated = rate(quality, Rater(noise=0.5), n_repeats=4, rng=3)
    planes = {"good (human)": rated[3], "random (human)": rng.normal(size=(6, 30))}
    made = benchmark(rated[:3].mean(axis=0), planes)
    named = made.scores.assign_coords(ids), made.humans.assign_coords(ids)
    return replace(
        made, scores=named[0], humans=named[1], system_type=dict.fromkeys(systems, "abs"),
        ratings={"human": with_ids(rated[:3], rater=["e0", "e1", "e2"], **ids)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def of_release():
    found = released()
    asked = {"judges": ["good", "random"], "dimensions": ["human"]}
    candidates = tiers.candidates(found, **asked)
    quality = tiers.quality_correlations(candidates)
    automatic = found.select(metrics=["random (human)"])
    automatic = automatic.with_scores(
        automatic.scores.assign_coords(metric=np.array(["ROUGE"], dtype=object))
    )
    return found, candidates, quality, tiers.quantities(
        found, automatic, quality, **asked, n_resamples=60, rng=1
    )  # fmt: skip


def test_one_system_at_a_time_and_its_quality(of_release):
    found, candidates, quality, _ = of_release
    assert candidates["judge"].unique().tolist() == ["good", "random", "e0", "e1", "e2"]
    rows = candidates.set_index(["judge", "coefficient", "system"])
    x, z = found.metric("good (human)").to_numpy(), found.human.to_numpy()
    assert rows.loc[("good", "spearman", "M10"), "value"] == pytest.approx(stats.spearmanr(x[2], z[2])[0])
    rated = found.rated("human").to_numpy()
    expected = stats.pearsonr(rated[1][4], rated[[0, 2]].mean(axis=0)[4])[0]
    assert rows.loc[("e1", "pearson", "M11"), "value"] == pytest.approx(expected)
    own = candidates[(candidates["judge"] == "good") & (candidates["coefficient"] == "kendall")]
    expected = stats.kendalltau(own["value"], own["mean"])
    row = quality.set_index(["judge", "coefficient"]).loc[("good", "kendall")]
    assert (row["value"], row["pvalue"]) == pytest.approx(tuple(expected))


def test_quantities_are_counted_as_the_authors_do(of_release):
    found, _, quality, quantities = of_release
    rows = quantities.set_index(["judge", "coefficient", "quantity"])["value"]
    assert [rows["", "", name] for name in ("systems", "summaries", "close pairs")] == [6, 180, 4]
    x, z = found.metric("good (human)").to_numpy(), found.human.to_numpy()
    right = 0
    for i in range(6):
        for j in range(i):
            sides = [((a[i] > a[j]).sum() + 0.5 * (a[i] == a[j]).sum()) / 30 - 0.5 for a in (x, z)]
            right += np.sign(round(sides[0], 9)) == np.sign(round(sides[1], 9))
    assert rows["good", "", "right"] == right > rows["random", "", "right"]
    assert rows["good", "", "right, close"] == 4 * rows["good", "", "share of close"]
    assert 11 * rows["good", "", "share of others"] == pytest.approx(right - rows["good", "", "right, close"])
    overall = stats.spearmanr(x.ravel(), z.ravel())[0]
    assert rows["good", "spearman", "overall"] == pytest.approx(overall)
    assert rows["ROUGE", "pearson", "overall"] == rows["random", "pearson", "overall"]
    assert rows["good", "spearman", "dimensions apart"] == 0  # there is only one
    assert (
        rows["e0", "spearman", "meta-correlation"]
        == quality.set_index(["judge", "coefficient"]).loc[("e0", "spearman"), "value"]
    )


@pytest.mark.real_data
def test_the_quoted_pairs_of_gpt35(real):
    """58.5 of 66 pairs and 63.6 % of the close ones, as a summary of Shen et al. 2023 quotes them."""
    found = real("llm-summeval")
    dimensions = ["relevance", "coherence", "consistency", "fluency"]
    asked = {"judges": ["gpt-3.5"], "dimensions": dimensions}
    quality = tiers.quality_correlations(tiers.candidates(found, **asked))
    table = tiers.quantities(found, real("summeval"), quality, **asked, n_resamples=20, rng=0)
    mean = table[table["judge"] == "gpt-3.5"].groupby("quantity")["value"].mean()
    assert (mean["right"], round(mean["share of close"], 3)) == (58.5, 0.636)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_equal_systems_are_told_apart_as_often_as_alpha_says(gaps):
    """Ratings from 1 to 5 of eight systems that are all equal, on forty documents, some of them harder."""
    rng = np.random.default_rng(5)
    n_worlds, wrong = 600, 0
    for seed in rng.integers(2**31, size=n_worlds):
        quality = 3.2 + rng.normal(0, 0.8, (1, 40)) + rng.normal(0, 0.5, (8, 40))
        scores = rate(quality, Rater(noise=0.6), rng=int(seed))[0]
        scores[rng.random(scores.shape) < gaps] = np.nan
        found = compare_systems(scores, n_resamples=199, rng=int(seed))
        wrong += bool((simultaneous_pvalues(*found) <= 0.05).any())
    assert stats.binomtest(wrong, n_worlds, 0.05).pvalue > 0.001, wrong


@pytest.mark.slow
@pytest.mark.parametrize("level", ["system", "summary"])
def test_equal_judges_are_told_apart_as_often_as_alpha_says(level):
    """Five judges with the same noise, ratings from 1 to 5, by the test that the page takes."""
    rng = np.random.default_rng(6)
    n_worlds, wrong = 300, 0
    judges = [f"j{k}" for k in range(5)]
    for seed in rng.integers(2**31, size=n_worlds):
        quality = rng.normal(3, 0.6, (8, 1)) + rng.normal(0, 0.7, (8, 20))
        human = rate(quality, Rater(noise=0.6), rng=int(seed))[0]
        rated = rate(quality, Rater(noise=0.8), n_repeats=5, rng=int(seed) + 1)
        planes = {f"{judge} (human)": plane for judge, plane in zip(judges, rated, strict=True)}
        table = tiers.judge_tiers(
            benchmark(human, planes), judges=judges, dimensions=["human"], levels=[level], n_resamples=99,
            n_seeds=1, rng=int(seed),
        )  # fmt: skip
        # a tier is more than one where any two that are neighbours or not are told apart
        wrong += bool((table["best_rank"] > 1).any())
    assert stats.binomtest(wrong, n_worlds, 0.05, alternative="greater").pvalue > 0.001, wrong
    assert wrong > 0  # nor can it be that nothing is ever apart


RANKS = pd.DataFrame(
    {"place": [1, 2, 3], "tier": [1, 1, 2], "best_rank": [1, 1, 3], "worst_rank": [2, 2, 3], "value": 0.5}
)


def drawn(figure):
    """(candidate, low, high) of all bars, by tier."""
    found = {}
    for trace in series(figure):
        for y, x, minus, plus in zip(
            trace.y, trace.x, trace.error_x.arrayminus, trace.error_x.array, strict=True
        ):
            found.setdefault(trace.name, set()).add((y, x - minus, x + plus))
    return found


def test_judges_lie_over_their_ranks():
    table = pd.concat(
        RANKS.assign(judge=list("xyz"), dimension=dimension, level="system") for dimension in ("a", "b")
    )
    figure = tiers.judge_ranks(table)
    assert drawn(figure) == {"tier 1": {("x", 1, 2), ("y", 1, 2)}, "tier 2": {("z", 3, 3)}}
    assert figure.layout.yaxis.categoryarray == ("z", "y", "x")
    low, high = figure.layout.yaxis.range
    assert low < 0 < 2 < high


def test_systems_stand_in_peoples_order_under_every_judge():
    other = RANKS.assign(place=[3, 2, 1], tier=1)
    table = pd.concat(
        part.assign(dataset="mine", system=["m1", "m2", "m3"], dimension="a", judge=judge)
        for judge, part in (("people", RANKS), ("x", other))
    )
    figure = tiers.system_ranks(table)
    assert figure.layout.yaxis.categoryarray == ("m3", "m2", "m1")
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["people", "x"]


def test_totals_are_of_people_and_of_all_judges():
    pairs = pd.DataFrame(
        {"judge": ["people", "a", "b"], "n_pairs": [6, 6, 6], "n_apart_judge": [3, 2, 4],
         "n_apart_human": [3, 3, 3], "n_apart_both": [3, 1, 2], "n_against": [0, 1, 0]}
    )  # fmt: skip
    totals = tiers.pair_totals(pairs).set_index("rated_by")
    assert totals.loc["judges"].tolist() == [12, 6, 6, 3, 1, 0.5]
    assert totals.loc["people", "share_apart"] == 0.5
