"""Twins are twins, and known coverages come out."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from helpers.experiments.truth import (
    POPULATION,
    THESE_SYSTEMS,
    bar_rows,
    coverage,
    judge_bars,
    judge_intervals,
    judge_misses,
    rejection_dots,
    rejections,
    true_values,
    twins,
)
from metaeval.core.errors import UnknownNameError
from metaeval.core.paths import DATA
from metaeval.simulation import truth
from metaeval.simulation.model import draw
from metaeval.stats.correlation import correlate
from tests.kit.figures import series

SIZE = {"n_systems": [12], "n_documents": [20]}


def test_twins_agree_with_people_equally_and_a_degraded_one_less(likeness):
    same = twins(likeness, "good")
    for factors in (same.document, *(group.residual for group in same.types.values())):
        covariance = factors.covariance
        assert covariance[0, 1] == pytest.approx(covariance[0, 2])
        assert covariance[1, 1] == pytest.approx(covariance[2, 2])
    original = likeness.types["abs"].system.covariance
    assert same.types["abs"].system.covariance[:2, :2] == pytest.approx(original[:2, :2], abs=1e-12)

    worse = twins(likeness, "good", degraded=0.4).types["abs"].system.covariance
    assert worse[0, 2] == pytest.approx(0.6 * worse[0, 1])
    assert worse[1, 1] == pytest.approx(worse[2, 2])
    degraded = twins(likeness, "good", degraded=0.4)
    true = true_values(degraded, ("A", "B"), ("summary",), "kendall", (), 0).set_index("metric")
    assert true.loc["A", "value"] - true.loc["B", "value"] > 5 * true["mc_error"].sum()


def test_the_share_of_noise_that_twins_have_in_common(likeness):
    def between(shared):
        benchmark = draw(
            twins(likeness, "good", shared=shared), n_systems=40, n_documents=50, rng=0
        ).benchmark
        a, b = benchmark.scores.to_numpy()
        return float(correlate(a, b, level="summary", coefficient="pearson")[0])

    assert between(1.0) == pytest.approx(1.0)
    assert between(0.0) < between(0.5) < 1


def test_a_table_of_coverage(likeness):
    settings = {"metric": "good", "n_trials": 16, "n_resamples": 60, **SIZE}
    table = coverage(likeness, rng=0, **settings)
    assert len(table) == 4 * (3 + 1)  # four methods; three truths at system level, one at summary level
    assert table["value"].between(0, 1).all()
    assert (table["n_undefined"] == 0).all()
    assert table.equals(coverage(likeness, rng=0, **settings))
    fisher = table.query("method == 'Fisher' and level == 'system'").set_index("target")
    assert fisher["width"].nunique() == 1  # one interval, held against three truths
    assert fisher.loc[POPULATION, "true_value"] > fisher.loc["all systems, as many documents", "true_value"]


@pytest.fixture
def roughly(likeness, monkeypatch):
    """The same under a name that no other test has drawn the truth of, which is a small draw: for what holds of any."""
    monkeypatch.setattr(truth, "compute", partial(truth.compute, n_batches=2, n_systems=100))
    return replace(likeness, name="roughly")


def test_the_truth_is_drawn_once_for_intervals_that_change(roughly, monkeypatch):
    roughly = replace(roughly, name="asked for here only")
    asked, compute = [], truth.compute
    monkeypatch.setattr(
        truth, "compute", lambda *given, **settings: asked.append(1) or compute(*given, **settings)
    )
    settings = {"metric": "good", "n_trials": 1, "n_resamples": 20, "rng": 5, **SIZE}
    first = coverage(roughly, confidence_level=0.9, **settings)
    second = coverage(roughly, confidence_level=0.8, methods=["Fisher"], **settings)
    assert len(asked) == 1
    of_all = first["target"] != THESE_SYSTEMS
    assert set(second[second["target"] != THESE_SYSTEMS]["true_value"]) == set(first[of_all]["true_value"])
    coverage(roughly, **settings | {"metric": "poor"})
    assert len(asked) == 2


def test_no_row_depends_on_what_else_was_asked_or_in_which_order(roughly):
    settings = {"metric": "good", "n_trials": 4, "n_resamples": 30, "rng": 1}
    alone = coverage(roughly, levels=["summary"], methods=["Boot-Both"], **SIZE, **settings)
    sizes = {"n_systems": [8, 12], "n_documents": [20, 10]}
    both = coverage(roughly, levels=["system", "summary"], **sizes, **settings)
    keys = ["level", "target", "method", "n_systems", "n_documents"]
    joined = alone.merge(both, on=keys, suffixes=("", "_among_others"))
    assert len(joined) == len(alone) == 1
    for column in ("value", "width", "true_value"):
        assert joined[column].tolist() == joined[f"{column}_among_others"].tolist()

    last = rejections(roughly, degradations=[0.5], methods=["Perm-Both"], **SIZE, **settings)
    among = rejections(
        roughly, degradations=[0.0, 0.5], methods=["Williams", "Perm-Both"], **SIZE, **settings
    )
    assert (
        last["value"].tolist() == among.query("degraded == 0.5 and method == 'Perm-Both'")["value"].tolist()
    )


@pytest.mark.slow
def test_fisher_covers_as_promised_where_its_assumptions_hold(likeness):
    """One document's worth of noise and Gaussian systems: means over many documents are bivariate normal."""
    table = coverage(
        likeness, metric="poor", n_systems=[40], n_documents=[60], levels=["system"], methods=["Fisher"],
        n_trials=400, rng=1,
    )  # fmt: skip
    row = table.set_index("target").loc["all systems, as many documents"]
    assert abs(row["value"] - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400) + 0.02  # two types: not quite normal


def test_a_table_of_rejections(likeness):
    settings = {"metric": "good", "degradations": [0.0, 0.9], "n_trials": 16, "n_resamples": 60, **SIZE}
    table = rejections(likeness, rng=0, **settings)
    assert len(table) == 2 * 7
    null, strong = (table[table["degraded"] == degraded].set_index("method") for degraded in (0.0, 0.9))
    assert (null["true_difference"] == 0).all()
    assert (strong["true_difference"] > 0.5).all()
    # a metric that has lost nearly all is told apart more often than an equally good one
    assert (strong["value"] > null["value"]).all()
    assert null.loc["Williams", "value"] < 0.3
    assert strong.loc["Williams", "value"] > 0.6


MISTAKES = [
    (lambda p: twins(p, "good", degraded=1.5), ValueError, r"`degraded` must be in \[0, 1\], got 1.5"),
    (lambda p: twins(p, "goof"), UnknownNameError, "'goof'"),
    (
        lambda p: coverage(p, metric="good", methods=["Bayes"], rng=0, **SIZE),
        UnknownNameError,
        "interval method 'Bayes'",
    ),
    (
        lambda p: rejections(p, metric="good", degradations=[0], methods=["t"], rng=0, **SIZE),
        UnknownNameError,
        "unknown test 't'",
    ),
    (
        lambda p: rejections(p, metric="good", degradations=[0], alpha=5, rng=0, **SIZE),
        ValueError,
        r"`alpha` must be in \(0, 1\), got 5",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), MISTAKES)
def test_mistakes_are_told(call, error, text, likeness):
    with pytest.raises(error, match=text):
        call(likeness)


def test_growing_tables_are_those_of_as_many_trials(roughly):
    settings = dict(
        metric="good", levels=["system"], coefficient="pearson", methods=["Fisher"], n_resamples=60,
        confidence_level=0.9, rng=0, n_systems=[8, 12], n_documents=[20],
    )  # fmt: skip
    tables = list(coverage.growing(roughly, **settings, n_trials=5, step=3))
    for table, n_trials in zip(tables, (3, 5), strict=True):
        pd.testing.assert_frame_equal(table, coverage(roughly, **settings, n_trials=n_trials))


def test_intervals_of_judges_as_recorded():
    """Against the recorded rows, one by one."""
    table = judge_intervals()
    sizes = table[["n_systems", "n_documents", "n_raters"]].astype(str).agg("x".join, axis=1)
    table = table.set_index(table["world"] + " " + sizes)
    rows = pd.read_csv(DATA / "recorded" / "bench_verdicts.csv").query(
        "level == 'system' and coefficient == 'kendall' and quantity == 'judge minus rater'"
    )
    assert len(table) >= 24
    for world, some in rows.groupby("world"):
        by_judge = some.set_index("judge")
        assert table.loc[world, "share_covered"] == pytest.approx(sum(by_judge["coverage"]) / 5)
        assert table.loc[world, "share_yes_perfect"] == by_judge.loc["perfect", "yes"]
        both = by_judge.loc["border", "above"] + by_judge.loc["twin", "above"]
        assert table.loc[world, "share_false_yes"] == pytest.approx(both / 2)


MINUS = "judge minus rater, kendall"
WITHIN = "judge, kendall over summaries"
KNOWN_MISSES = {  # bar -> (world, quantity, judge): with neither odd raters nor few systems nothing misses
    "every interval covers at least 93 %": {
        ("odd raters 30x20x2", MINUS, "useless"),  # .903
        ("odd raters 30x20x2", "judge, kendall", "equal"),  # .905
        ("odd raters 30x20x2", "judge, kendall", "perfect"),  # .819
        ("odd raters 30x20x2", "judge, pearson", "equal"),  # .893
        ("odd raters 30x20x2", "judge, pearson", "perfect"),  # .765
        ("odd raters 30x20x2", "judge, spearman", "perfect"),  # .833
        ("odd raters 16x20x3", "judge, pearson", "perfect"),  # .900
        ("odd raters 16x100x5", "judge, pearson", "perfect"),  # .893
        ("normal 6x50x3", "judge minus rater, spearman", "twin"),  # .878
        # .85 to .89 of 200 studies each, within documents, where systems are few and skewed
        *(("skewed 16x100x3", WITHIN, judge) for judge in ("border", "twin", "equal", "perfect")),
        *(("heavy 16x100x3", WITHIN, judge) for judge in ("border", "equal")),
        ("skewed 30x50x3", WITHIN, "equal"),
        *((f"heavy {size}", f"{MINUS} over summaries", "useless") for size in ("8x50x3", "16x100x3")),
    },
    "false no at the margin at most 3.5 %": {("odd raters 30x20x2", MINUS, "border, twin")},  # .045
    "false yes of a gate at most 3.5 %": {
        ("400 labels, 0.97 pass", "kappa, difference", ""),  # .0355
        ("400 labels, 0.97 pass", "accuracy, difference", ""),  # .039
        # .036 to .044 of 500 studies each: correlations of scores whose errors cluster
        *((clusters, "tau of scores", "") for clusters in (
            "20 clusters of 10", "20 unequal clusters of 10", "12 clusters of 20", "20 clusters of 20",
            "40 clusters of 10", "30 clusters of 10")),
    },
    "a pilot's number of systems within a factor of 2 in 80 %": {
        ("normal 16x30x3", "systems", "equal"),  # .74 of 80 pilots; .81 of all 240
    },
    "not above 98 %, for good judges 99.8 %": {
        *((world, MINUS, judge) for world in ("normal 6x20x2", "normal 6x50x3")
          for judge in ("border", "twin", "perfect")),
        *((world, MINUS, "border") for world in ("normal 8x20x3", "noisy 8x20x3", "normal 8x50x2",
          "skewed 8x20x3", "heavy 8x50x3")),
        *((world, MINUS, "twin") for world in ("noisy 8x20x3", "clusters 8x30x3")),
        *((world, MINUS, "perfect") for world in ("heavy 8x50x3", "clear 10x100x3", "clusters 8x30x3")),
    },
}  # fmt: skip


def test_the_recorded_numbers_keep_their_bars_but_for_the_known_misses():
    misses = judge_misses()
    named = {
        bar: set(part[["world", "quantity", "judge"]].itertuples(index=False, name=None))
        for bar, part in misses.groupby("bar")
    }
    assert named == KNOWN_MISSES
    bars = judge_bars().set_index("bar")
    assert bars["n_missed"].to_dict() == {bar: len(KNOWN_MISSES.get(bar, ())) for bar in bars.index}
    assert len(bars) == 10
    assert (bars["n_rows"] > 0).all()


def _recorded_rows(**changes):
    """Rows by Kendall's tau of the two worlds whose answers have bars, all of them kept."""
    rows = []
    for world in ("normal 16x100x3", "normal 30x100x3"):
        for judge, yes, no in (
            ("border", 0.02, 0.01), ("twin", 0.04, 0.01), ("equal", 0.6, 0), ("perfect", 0.9, 0), ("useless", 0, 0.95),
        ):  # fmt: skip
            rows.append(
                {"world": world, "level": "system", "coefficient": "kendall", "quantity": "judge minus rater",
                 "judge": judge, "truth": -0.1, "coverage": 0.95, "above": yes if judge in "border twin" else 0.0,
                 "below": 0.01, "yes": yes, "no": no, "n_studies": 2_000, **changes.get(judge, {})}
            )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({}, []),
        # .93 less two standard errors of sqrt(.93 * .07 / 2000) = .0057 is .9186
        ({"useless": {"coverage": 0.9185}}, ["covers"] * 2),
        ({"useless": {"coverage": 0.9187}}, []),
        ({"twin": {"coverage": 0.981}}, ["not too long"] * 2),
        ({"perfect": {"coverage": 0.981}}, []),
        # the mean of .02 and .0637 lies above .035 + 2 sqrt(.035 * .965 / 4000) = .0408
        ({"twin": {"above": 0.0637}}, ["false yes"] * 2 + ["mean false yes"]),
        ({"twin": {"above": 0.0413}}, ["mean false yes"]),
        ({"equal": {"yes": 0.5}}, ["decides"]),  # enough of 16 systems, and not of 30
    ],
)
def test_bars_are_drawn_where_they_are_said_to_be(changes, missed):
    gates = pd.DataFrame(
        [{"world": "w", "quantity": "kappa", "coverage": 0.95, "above": 0.035, "n_studies": 2_000}]
    )
    plans = pd.DataFrame(
        [{"world": "w", "judge": "equal", "share_within_twice": 0.8, "largest_by_seed": 1.2}]
    )
    rows = bar_rows(_recorded_rows(**changes), gates, plans)
    assert rows[~rows["is_held"]]["bar"].tolist() == missed
    gates, plans = gates.assign(above=0.0351, coverage=0.918), plans.assign(share_within_twice=0.79)
    worse = bar_rows(_recorded_rows(), gates, plans.assign(largest_by_seed=1.21))
    assert worse[~worse["is_held"]]["bar"].tolist() == ["gate covers", "gate", "plan", "plan by seed"]


def test_every_share_of_rejections_stands_in_the_panel_of_its_size_and_difference():
    sizes = [(12, 25), (25, 100)]
    rows = [
        {
            "n_systems": n, "n_documents": m, "true_difference": difference, "method": method, "n_trials": 60,
            "value": 0.1 * k + difference + n / 1000, "mc_error": 0.01,
        }
        for n, m in sizes for difference in (0.0, 0.2) for k, method in enumerate(("Boot-Both", "Williams"))
    ]  # fmt: skip
    figure = rejection_dots(pd.DataFrame(rows), alpha=0.05)
    drawn = {(trace.xaxis, y): x for trace in series(figure) for y, x in zip(trace.y, trace.x, strict=True)}
    panels = {(0.0, 25): "x", (0.0, 12): "x2", (0.2, 25): "x3", (0.2, 12): "x4"}  # the largest first
    assert drawn == {
        (panels[row["true_difference"], row["n_systems"]], row["method"]): row["value"] for row in rows
    }
    assert {(shape.x0, shape.xref) for shape in figure.layout.shapes} == {(0.05, "x"), (0.05, "x2")}
