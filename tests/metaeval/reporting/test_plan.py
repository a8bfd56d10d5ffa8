"""Plans: against closed forms, against worlds of the planned size, and what is said of a pilot's limits."""

import argparse
import html
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.__main__ import main as run
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.reporting.arguments import SEED
from metaeval.reporting.plan import (
    EXTRAPOLATED,
    MISSING,
    ONE_RATER,
    OUT_OF_REACH,
    TOO_HOPEFUL,
    add_arguments,
    plan,
)
from metaeval.reporting.reading import Reading
from metaeval.stats.components import components
from metaeval.stats.detection import needed_items
from metaeval.stats.judges import judge_correlation
from metaeval.stats.planning import difference_power, difference_width, together
from metaeval.tables.benchmark import with_ids
from metaeval.tables.wording import typeset
from tests.builders import benchmark


def judged(rng, n_systems, n_documents, n_raters, *, taste=0.2, gap=0.0):
    """Judgments whose parts are known: systems .6, documents .5, their interaction .5, tastes, noise .7."""
    shape = n_systems, n_documents, n_raters
    found = 0.6 * rng.normal(size=(n_systems, 1, 1)) + 0.5 * rng.normal(size=(1, n_documents, 1))
    if gap:
        found = np.array([gap, 0.0])[:, None, None] + 0.5 * rng.normal(size=(1, n_documents, 1))
    found = found + 0.5 * rng.normal(size=(n_systems, n_documents, 1)) + 0.7 * rng.normal(size=shape)
    return found + taste * rng.normal(size=(n_systems, 1, n_raters))


def pilot(n_systems=8, n_documents=30, n_raters=3, **settings):
    rng = np.random.default_rng(3)
    values = judged(rng, n_systems, n_documents, n_raters, **settings)
    made = benchmark(values.mean(axis=2), {"m": values.mean(axis=2) + rng.normal(size=values.shape[:2])})
    ids = {"system": made.systems, "document": made.documents}
    by_rater = with_ids(np.moveaxis(values, 2, 0), rater=list("abcdefgh")[:n_raters], **ids)
    return replace(made, ratings={made.judgments[0]: by_rater}), values


PILOT, VALUES = pilot()
PEOPLE = components(VALUES)
MEANS = replace(PILOT, ratings={})


def test_the_fewest_documents_for_a_width_or_a_power():
    wide = plan(PILOT, width=0.8).to_frame()
    sure = plan(PILOT, difference=0.8, power=0.7).to_frame()
    assert len(wide) > 2
    assert len(sure) > 2
    for n, k, value in wide[["n_documents", "n_raters", "value"]].itertuples(index=False):
        assert value == pytest.approx(difference_width(PEOPLE, n, k))
        assert value <= 0.8 < difference_width(PEOPLE, n - 1, k)
    for n, k in sure[["n_documents", "n_raters"]].itertuples(index=False):
        assert difference_power(PEOPLE, 0.8, n - 1, k) < 0.7 <= difference_power(PEOPLE, 0.8, n, k)


def test_the_cheapest_comes_first():
    table = plan(PILOT, width=0.8, systems=2).to_frame()
    assert table["n_judgments"].is_monotonic_increasing
    assert table["n_judgments"].tolist() == (2 * table["n_documents"] * table["n_raters"]).tolist()


def test_a_correlation_needs_systems_and_people_worth_correlating_with():
    found = plan(PILOT, width=0.8, metric="m", coefficient="pearson", reliability=0.7)
    both = together(VALUES, PILOT.metric("m").to_numpy())
    asked = {"pilot": (8, 30, 3), "coefficient": "pearson"}
    assert len(found.to_frame()) > 20
    for row in found.to_frame().head(20).itertuples():
        sizes = row.n_systems, row.n_documents, row.n_raters
        assert row.expected == pytest.approx(float(both.correlation(*sizes[1:])))
        assert row.value == pytest.approx(float(both.width_for_share(0.8, *sizes, **asked)))
        assert both.interval_width(*sizes, coefficient="pearson") < row.value <= 0.8
        assert both.people.reliability(*sizes[1:]) >= 0.7
    more = plan(PILOT, width=0.8, metric="m", coefficient="pearson", reliability=0.7, power=0.95).to_frame()
    assert more["n_judgments"][0] > found.to_frame()["n_judgments"][0]
    one = plan(PILOT, width=0.8, metric="m", systems=40).to_frame()
    assert set(one["n_systems"]) == {40}
    assert "correlation to expect" in found.summary()
    assert "0.8 in about 80 % of studies" in found.goal
    assert "power:0.8" in found.signature


def test_what_a_pilot_leaves_open_of_its_correlation_is_a_factor_on_it():
    both = together(VALUES, PILOT.metric("m").to_numpy())
    r = float(both.correlation(30, 3))
    low = np.tanh(np.arctanh(r) - stats.norm.isf(0.025) / np.sqrt(5)) / r
    assert float(both.lowered(0.975, (8, 30, 3))) == pytest.approx(max(low, 0))


@pytest.mark.parametrize(
    ("coefficient", "shared", "width", "n_pilot"),
    [
        pytest.param("kendall", 0.8, 0.6, 8, marks=pytest.mark.processes),
        ("pearson", 0.9, 0.6, 16),
        ("spearman", 0.9, 0.5, 25),
    ],
)
def test_studies_of_the_planned_size_reach_the_width_as_often_as_planned(coefficient, shared, width, n_pilot):
    """Over pilots and studies of one world, whose interval is the one that `compare` gives."""
    rng, widths = np.random.default_rng(6), []

    def world(n_systems, n_documents, n_raters):
        quality = rng.normal(size=(n_systems, 1, 1))
        people = 0.6 * quality + 0.5 * rng.normal(size=(1, n_documents, 1))
        people = people + 0.5 * rng.normal(size=(n_systems, n_documents, 1))
        people = people + 0.7 * rng.normal(size=(n_systems, n_documents, n_raters))
        metric = shared * quality[..., 0] + np.sqrt(1 - shared**2) * rng.normal(size=(n_systems, 1))
        return people, 0.6 * metric + rng.normal(size=(n_systems, n_documents))

    for _ in range(14):
        people, metric = world(n_pilot, 30, 3)
        made = benchmark(people.mean(axis=2), {"m": metric})
        ids = {"system": made.systems, "document": made.documents}
        rated = with_ids(np.moveaxis(people, 2, 0), rater=list("abc"), **ids)
        made = replace(made, ratings={made.judgments[0]: rated})
        # the cheapest design has one rater; the fewer that are allowed, the fewer are tried
        planned = plan(made, width=width, metric="m", coefficient=coefficient, max_raters=2)
        first = planned.to_frame().iloc[0]
        for _ in range(4):
            people, metric = world(int(first["n_systems"]), int(first["n_documents"]), int(first["n_raters"]))
            draws = {"coefficient": coefficient, "n_resamples": 99, "rng": 1}
            ends = judge_correlation(metric[None], people.mean(axis=2), **draws).ends()
            widths.append(ends.high[0] - ends.low[0])
    assert np.mean(np.array(widths) <= width) >= 0.75  # 0.8 but for the error of so few
    assert 0.7 * width < np.mean(widths) < width  # and not by judging far too much


def test_a_pilot_whose_correlation_without_noise_is_beyond_1_says_that_it_tells_too_little():
    rng, said = np.random.default_rng(4), []
    for _ in range(12):
        people = np.arange(6.0)[:, None] / 3 + rng.normal(size=(6, 12))
        metric = people / 9 + rng.normal(size=people.shape)
        both = together(people, metric)
        if (varies := both.metric.variances["system"]) > 0:
            beyond = both.by_system / np.sqrt(both.people.variances["system"] * varies) > 1
            found = plan(benchmark(people, {"m": metric}), width=1.5, metric="m", reliability=0.1)
            said.append((TOO_HOPEFUL in found.summary(), beyond))
            assert not beyond or found.summary().splitlines()[3] == TOO_HOPEFUL
    assert {told == beyond for told, beyond in said} == {True}
    assert {told for told, _ in said} == {True, False}


def test_a_pilot_that_does_not_tell_whether_there_is_a_correlation_says_so_before_any_design():
    rng = np.random.default_rng(2)
    people = np.arange(7.0)[:, None] / 3 + rng.normal(size=(7, 12))
    other = np.array([3.0, 0, 5, 1, 6, 2, 4])[:, None] / 3 + rng.normal(size=people.shape)
    for metric, open_ in ((other, True), (people + rng.normal(size=people.shape) / 9, False)):
        found = plan(benchmark(people, {"m": metric}), width=1.0, metric="m")
        said = "The pilot leaves open whether m agrees with people at all"
        assert (said in found.summary().splitlines()[3]) == open_
        assert (said in found.to_html()) == open_


@pytest.mark.slow
def test_a_planned_test_finds_the_difference_as_often_as_planned():
    """Worlds of the design, with the parts that the judgments were made from in place of a pilot's estimates."""
    true = dict(zip(PEOPLE.variances, [0.36, 0.25, 0.0, 0.25, 0.0, 0.0, 0.49], strict=True))
    made, _ = pilot(n_systems=40, n_documents=200, n_raters=6, taste=0.0)
    first = plan(made, difference=0.4, max_raters=2).to_frame().iloc[0]
    n, k = int(first["n_documents"]), int(first["n_raters"])
    rng = np.random.default_rng(5)
    worlds = [judged(rng, 2, n, k, taste=0.0, gap=0.4).mean(axis=2) for _ in range(3_000)]
    apart = np.array([one[0] - one[1] for one in worlds])
    found = (stats.ttest_1samp(apart, 0, axis=1).pvalue <= 0.05).mean()
    expected = difference_power(replace(PEOPLE, variances=true), 0.4, n, k)
    assert found == pytest.approx(float(expected), abs=4 * np.sqrt(0.16 / 3_000))
    # the pilot is large, so that its plan is near the goal
    assert found == pytest.approx(0.8, abs=0.06)


def test_what_a_pilot_cannot_tell_is_said():
    assert OUT_OF_REACH in plan(PILOT, width=0.05).summary().splitlines()
    later = plan(PILOT, width=0.6, max_raters=3)
    assert later.to_frame().empty
    assert OUT_OF_REACH in later.summary()
    assert plan(PILOT, width=0.6, max_raters=4).to_frame()[
        ["n_raters", "n_documents"]
    ].to_numpy().tolist() == [[4, 229]]
    assert plan(PILOT, width=0.01, metric="m", max_documents=20).to_frame().empty
    other = VALUES.mean(axis=2) + np.random.default_rng(1).normal(size=(8, 1)) / 2
    unrated = benchmark(VALUES.mean(axis=2), {"m": other})
    few_systems = plan(unrated, width=0.3, metric="m", systems=10)
    assert few_systems.to_frame().empty
    more = plan(unrated, width=0.3, metric="m").to_frame()
    assert more.empty or more["n_systems"].min() > 10
    assert OUT_OF_REACH in plan(MEANS, width=0.001, max_documents=500).summary()
    beyond = plan(PILOT, width=0.6)
    assert beyond.to_frame()["beyond"].tolist() == ["documents"] * 3
    assert EXTRAPOLATED in beyond.summary()
    assert EXTRAPOLATED not in plan(PILOT, width=0.7).summary()
    bare = plan(MEANS, width=0.6)
    assert bare.to_frame()["n_raters"].tolist() == [1]
    assert ONE_RATER in bare.summary()
    few, _ = pilot(n_systems=4)
    assert "The pilot has 4 systems" in plan(few, width=0.6).summary()
    assert "The pilot has" not in plan(PILOT, width=0.6).summary()


def test_estimates_below_0_are_shown_as_0():
    assert [effect for effect, variance in PEOPLE.variances.items() if variance < 0] == ["rater"]
    found = plan(PILOT, width=0.7)
    assert (found.to_frame("variances")["value"] >= 0).all()
    assert found.to_frame("variances")["share"].sum() == pytest.approx(1)


def test_gaps_are_told():
    values = np.moveaxis(VALUES, 2, 0).copy()
    values[0, :, ::2] = np.nan
    ids = {"system": PILOT.systems, "document": PILOT.documents}
    holed = replace(PILOT, ratings={PILOT.judgments[0]: with_ids(values, rater=list("abc"), **ids)})
    assert MISSING in plan(holed, width=0.8).summary()


def test_json_and_signature():
    found = plan(PILOT, width=0.8)
    told = json.loads(found.to_json())
    assert set(told) == {"version", "command", "title", "goal", "cautions", "notes", "tables", "signature"}
    designs = told["tables"]["designs"]
    assert designs[0]["n_documents"] == found.to_frame()["n_documents"][0]
    assert designs[0]["expected"] is None
    assert found.summary(verbose=True).splitlines()[-1] == found.signature
    for part in ("goal:width", "width:0.8", "confidence:0.95", "raters:3", "systems:8", "documents:30"):
        assert part in found.signature
    assert repr(found) == f"<Plan: {found.title}; tables designs, variances; print(it.summary())>"
    page = found.to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert typeset(found.goal) in html.unescape(page)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({}, ValueError, "give one of `width` and `difference`"),
        ({"width": 1, "difference": 1}, ValueError, "give one of"),
        ({"width": -1}, ValueError, "`width` must be above 0 and finite, got -1"),
        ({"width": 0}, ValueError, "`width` must be above 0 and finite, got 0"),
        ({"width": float("nan")}, ValueError, "`width` must be above 0 and finite, got nan"),
        ({"width": 3, "metric": "m"}, ValueError, "`width` must be below 2, .* from -1 to 1, got 3"),
        (
            {"width": 1e3},
            ValueError,
            f"below {2 * np.ptp(VALUES):g}, .* in this pilot are {np.ptp(VALUES):g} apart at most",
        ),
        ({"difference": 1, "metric": "m"}, ValueError, "not by `difference`"),
        ({"width": 1, "metric": "mm"}, UnknownNameError, "'mm'"),
        ({"width": 1, "metric": "m", "coefficient": "kendal"}, UnknownNameError, "kendall"),
        ({"width": 1, "judgment": "x"}, UnknownNameError, "'x'"),
        ({"width": 1, "metric": "m", "systems": 4}, ValueError, "`systems` must be at least 6"),
        ({"width": 1, "confidence_level": 95}, ValueError, "did you mean 0.95"),
        ({"difference": 1, "power": 80}, ValueError, "did you mean 0.8"),
        ({"width": 1, "max_documents": 1}, ValueError, "`max_documents` must be at least 2"),
        (
            {"width": 1, "max_documents": 10**30},
            ValueError,
            "`max_documents` must be at most 1,000,000,000",
        ),
        ({"width": 1, "max_raters": 10**8}, ValueError, "`max_raters` must be at most 1,000, got"),
        ({"width": 1, "systems": 10**30}, ValueError, "`systems` must be at most 100,000, got"),
        ({"width": None, "difference": []}, ValueError, r"`difference` must be a number, got \[\]"),
        ({"width": 1, "confidence_level": None}, ValueError, "`confidence_level` must be a number, got None"),
    ],
)
def test_settings_are_checked(settings, error, said):
    with pytest.raises(error, match=said):
        plan(PILOT, **settings)


@pytest.mark.parametrize(
    ("data", "settings", "said"),
    [
        (MEANS, {"max_raters": 2}, "the effect of more raters is unknown"),
        (MEANS.select(documents=MEANS.documents[:1]), {}, "needs judgments by document"),
        (benchmark(np.full((5, 6), 3.0), {"m": VALUES[:5, :6, 0]}), {}, "the same score everywhere"),
        (
            benchmark(np.full((5, 6), 3.0), {"m": VALUES[:5, :6, 0]}),
            {"metric": "m"},
            "the same score everywhere",
        ),
        (
            benchmark(np.tile(np.arange(6.0), (5, 1)), {"m": np.random.default_rng(0).normal(size=(5, 6))}),
            {"metric": "m"},
            "do not differ beyond",
        ),
    ],
)
def test_pilots_that_tell_nothing_are_refused(data, settings, said):
    with pytest.raises(DataError, match=said):
        plan(data, width=0.5, **settings)


def test_as_a_command(tmp_path, capsys):
    lines = ["system,document,metric,score"]
    for metric, plane in (("people", PILOT.human.to_numpy()), ("mine", PILOT.metric("m").to_numpy())):
        lines += [f"s{i},d{j},{metric},{plane[i, j]}" for i in range(8) for j in range(30)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf8")
    assert run(["plan", str(path), "--width", "0.6"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("scores.csv: a plan from 8 systems and 30 documents\n")
    assert run(["plan", str(path), "--width", "0.6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tables"]["designs"]
    assert run(["plan", str(path)]) == 3
    assert "give one of `--width` and `--difference`" in capsys.readouterr().err
    assert plan(replace(PILOT, name="mine"), width=0.8).summary().startswith("mine: a plan from 8 systems")


@pytest.mark.parametrize(
    ("name", "value"), [("documents", "50"), ("raters", "1"), ("documents", "2000000000")]
)
def test_an_option_under_its_old_name_still_works_with_a_note(name, value, tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(
            ["system,document,people", *(f"s{i},d{j},{i * j % 7}" for i in range(8) for j in range(30))]
        )
    )
    status = run(["plan", str(path), "--width", "2", f"--max-{name}", value])
    assert status == (3 if len(value) > 5 else 0)
    said = f"`--max-{name}` must be at most 1,000,000,000" in capsys.readouterr().err
    assert said == (status == 3)


def test_a_command_line_has_the_same_defaults_as_the_function():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = vars(parser.parse_args(["f.csv"]))
    assert {name: given[name] for name in plan.__kwdefaults__} == plan.__kwdefaults__


def test_labels_of_one_system_are_planned_by_the_width_of_an_agreement():
    rng = np.random.default_rng(3)
    people = (rng.random(150) < 0.7) * 1.0
    judge = np.where(rng.random(150) < 0.9, people, 1 - people)
    rows = [("judge", "j", k, value) for k, value in enumerate(judge)]
    rows += [("person", "p", k, value) for k, value in enumerate(people)]
    labels = pd.DataFrame(rows, columns=["role", "name", "item", "value"])
    reading = Reading("one_system", None, labels, None, (), ())
    result = plan(reading, width=0.1)
    number, low, high = needed_items(judge, people, 0.1, rng=SEED)
    assert result.designs.iloc[0].tolist() == pytest.approx([np.ceil(number), np.ceil(low), np.ceil(high)])
    assert "kappa" in result.signature
    assert "no wider than 0.1" in result.summary()
    accuracy = plan(reading, width=0.1, measure="accuracy").designs["n_items"][0]
    right = (judge == people).mean()
    assert accuracy == pytest.approx(4 * 1.96**2 * right * (1 - right) / 0.01, rel=0.15)
    with pytest.raises(ValueError, match=r"--width 0\.1"):
        plan(reading, difference=0.1)
    few = labels[labels["item"] < 12]
    with pytest.raises(DataError, match="12 items, and a plan takes 20"):
        plan(Reading("one_system", None, few, None, (), ()), width=0.1)
