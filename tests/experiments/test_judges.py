"""Judges and raters on one scale, the annotator test by dimension and pooled, and the words for both."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.benchmark import with_ids
from helpers.errors import UnknownNameError
from helpers.experiments import judges
from helpers.simulation.raters import Rater, rate
from helpers.stats.annotator_test import annotator_test
from helpers.stats.correlation import correlate
from tests.builders import benchmark

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


def test_distances_are_from_one_more_rater(made):
    table = judges.distances(made, **KIND, levels=["system"], n_resamples=40, rng=3).set_index(
        ["dimension", "judge"]
    )
    good, constant = table.loc[("a", "good")], table.loc[("a", "constant")]
    assert good["at_ceiling"] == constant["at_ceiling"]
    assert constant["value"] < good["value"]
    assert good["low"] < good["value"] < good["high"]
    assert 0 < good["reliability"] <= 1


def test_a_judge_that_hugs_the_ceiling_passes_and_ranks_nothing():
    tests = pd.DataFrame(
        [("a", judge, advantage) for judge, advantage in (("x", 0.9), ("x", 0.7), ("y", 0.6), ("z", 0.5))]
        + [("all", "x", 0.1)],
        columns=["dimension", "judge", "advantage"],
    )
    found = pd.DataFrame({"judge": ["x", "y", "z", "expert 0"], "value": [0.1, 0.5, 0.6, 0.9]}).assign(
        dimension="a", level="system", coefficient="kendall"
    )
    (row,) = judges.passing(tests, found).to_dict("records")
    # advantages .8, .6, .5 fall where correlations rise: all three pairs against each other
    assert (row["value"], row["judge"], row["place"], row["n_judges"]) == (-1.0, "x", 3, 3)


def test_the_answer_counts_and_names_what_the_tables_hold():
    distances = pd.DataFrame(
        {"dimension": list("aab"), "low": [-0.4, -0.4, 0.1], "high": [-0.1, 0.2, 0.3]}
    ).assign(level="system", coefficient="kendall", judge="x")
    tests = pd.DataFrame(
        {
            "dimension": ["a", "a", "b", "all"],
            "judge": ["x", "y", "x", "x"],
            "winning_rate": [1.0, 0.5, 0.3, 1.0],
            "document_rate": [1.0, 0.3, 0.0, 1.0],
            "system_rate": [0.0, 0.0, 0.0, 1.0],
        }
    )
    passing = pd.DataFrame(
        {"dimension": list("ab"), "value": [-0.6, 0.1], "judge": ["x", "y"], "place": [2, 1], "n_judges": 2}
    )
    said = judges.answer(distances, tests, passing)
    assert (
        "one more rater (system level; the interval of the difference is below 0): in a 1 of 2 and in b 0 of 1."
        in said
    )
    assert "goes against ranking systems well in a and says little of ranking systems well in b." in said
    assert "x in a (place 2 of 2) and y in b (place 1 of 2)" in said
    assert "Of 3 pairs of a judge and a dimension 2 pass that test as published, 1 when" in said
    assert "and 0 when instances of one system" in said


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda b: judges.of_dimension(b, "a", ["god"]),
            UnknownNameError,
            "unknown judge of made-up, a 'god'.*'good'",
        ),
        (
            lambda b: judges.of_dimension(b, "c", ["good"]),
            UnknownNameError,
            "unknown judgment of made-up 'c'",
        ),
        (lambda b: judges.of_dimension(b, "a", []), ValueError, "no judge is named"),
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
