"""Labels to come and labels saved: the tables against the engine, closed forms and worlds made for the purpose."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import labels_needed
from metaeval.core.errors import UnknownNameError
from metaeval.stats.components import components
from metaeval.tables.benchmark import with_ids
from tests.builders import benchmark
from tests.kit.figures import series

SYSTEMS, DOCUMENTS = [f"s{i}" for i in range(4)], [f"d{j}" for j in range(20)]
IDS = {"system": SYSTEMS, "document": DOCUMENTS}


@pytest.fixture(scope="module")
def made():
    """Three raters in two dimensions, one of them by the crowd, and a judge that sees dimension a well."""
    rng = np.random.default_rng(0)
    quality = np.arange(4.0)[:, None] + rng.normal(size=(4, 20))
    ratings = {
        name: with_ids(
            quality + 0.5 * rng.normal(size=(3, 4, 20)), rater=[f"{who} {k}" for k in range(3)], **IDS
        )
        for name, who in (("a", "expert"), ("a (turkers)", "crowd"))
    }
    means = np.stack([given.mean("rater").to_numpy() for given in ratings.values()])
    planes = {"good (a)": quality + 0.3 * rng.normal(size=(4, 20)), "idle (a)": np.ones((4, 20))}
    return replace(
        benchmark(means[0], planes), humans=with_ids(means, judgment=list(ratings), **IDS), ratings=ratings
    )


@pytest.fixture(scope="module")
def plain():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(4, 20))
    return benchmark(human, {"metric": human + rng.normal(size=(4, 20))}, name="plain")


def test_components_are_of_raters_where_there_are_some(made, plain):
    table = labels_needed.components([made, plain])
    effects = table.groupby(["dataset", "judgment"], sort=False)["effect"].nunique()
    assert effects.tolist() == [7, 5, 3]  # crossed, nested, without raters
    rows = table.set_index(["dataset", "judgment", "effect"])
    expected = components(made.rated("a").transpose("system", "document", "rater").to_numpy())
    found = rows.loc[("made-up", "a")]
    assert found.loc["systems", "value"] == pytest.approx(expected.variances["system"])
    assert found["share_of_variance"].sum() == pytest.approx(1)
    assert found["n_raters"].unique() == [3]
    assert rows.loc[("plain", plain.judgments[0], "the rest"), "n_raters"] == 0
    below = table[table["remark"] != ""]
    assert (below["value"] == 0).all()
    assert (below["remark"] == "estimated below 0").all()


def test_reliability_and_its_range_without_a_rater(made):
    table = labels_needed.reliabilities(made, dimensions=["a"], n_documents=[20, 40], n_raters=[3, 6])
    judged = made.rated("a").transpose("system", "document", "rater").to_numpy()
    assert table["value"].tolist() == pytest.approx(
        [components(judged).reliability(n, k) for n in (20, 40) for k in (3, 6)]
    )
    others = [components(np.delete(judged, k, axis=2)).reliability(20, 3) for k in range(3)]
    assert table.loc[0, ["lowest", "highest"]].tolist() == pytest.approx([min(others), max(others)])
    row = labels_needed.doubled(made, dimensions=["a"]).iloc[0]
    assert row[["value", "twice_raters", "twice_documents"]].tolist() == table["value"].iloc[:3].tolist()
    assert row[["n_documents", "n_raters"]].tolist() == [20, 3]


def test_what_a_judge_leaves_open():
    y = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 1.0, 3.0]])
    assert labels_needed.unexplained(y, 10 * y + 3) == pytest.approx(0)
    assert labels_needed.unexplained(y, -y) == pytest.approx(1)
    assert labels_needed.unexplained(y, np.ones(y.shape)) == pytest.approx(1)
    # the first row, with squares of 5, is explained whole, the second, with 4, not at all
    assert labels_needed.unexplained(y, np.array([y[0], [1.0, 1.0, 1.0, 1.0]])) == pytest.approx(4 / 9)
    f = np.array([1.0, 2.0, 2.0, 5.0])
    assert labels_needed.unexplained(y[:1], f[None]) == pytest.approx(1 - np.corrcoef(y[0], f)[0, 1] ** 2)


def test_the_outlook_is_of_the_design_that_is_asked_for(made):
    asked = {"judge": "good", "dimensions": ["a"], "share_labelled": 0.25, "difference": 0.5}
    table = labels_needed.outlook(made, n_systems=30, n_documents=50, n_raters=2, **asked)
    rows = table.set_index("quantity")
    judged = components(made.rated("a").transpose("system", "document", "rater").to_numpy())
    assert rows.loc["reliability of systems' means", "value"] == pytest.approx(judged.reliability(50, 2))
    r = rows.loc["judge's correlation with people"]
    assert r["low"] < r["value"] < r["high"]
    more = labels_needed.outlook(made, n_systems=60, n_documents=50, n_raters=2, **asked)
    wider = more.set_index("quantity").loc["judge's correlation with people"]
    assert wider["high"] - wider["low"] < r["high"] - r["low"]
    left = labels_needed.unexplained(made.judgment("a").to_numpy(), made.metric("good (a)").to_numpy())
    assert rows.loc["labels saved, at most", "value"] == pytest.approx(0.75 * (1 - left))


def test_savings_stay_near_what_a_judge_explains(made, plain):
    table = labels_needed.savings(
        [made, plain], dimensions=["a"], share_labelled=0.5, n_draws=300, rng=1
    ).set_index(["judge", "estimated"])
    assert table["n_labelled"].tolist() == [10] * 6
    idle = table.loc["idle"]
    assert idle["value"].tolist() == pytest.approx([1, 1])
    assert idle["saved_at_most"].tolist() == pytest.approx([1, 1])
    good = table.loc[("good", labels_needed.SYSTEM)]
    left = 1 / good["saved_at_most"]
    assert good["saved_here_at_most"] == pytest.approx(1 / (1 - 0.5 * (1 - left)))
    assert 1 < good["value"] < good["saved_here_at_most"] + 5 * good["mc_error"] + 0.1
    assert table.loc["metric", "dataset"].unique().tolist() == ["plain"]


def test_coverage_of_a_judge_does_not_depend_on_which_others_are_asked_for():
    small = {"n_documents": 20, "n_trials": 30, "rng": 1}
    both = labels_needed.coverage(noise=[1.5, 0.4], **small)
    for noise in (0.4, 1.5):
        alone = labels_needed.coverage(noise=[noise], **small)
        same = both[both["judge"] == f"noise of {noise:g}"].reset_index(drop=True)
        pd.testing.assert_frame_equal(same, alone)


def test_coverage_is_kept_at_random_and_lost_by_choice():
    table = labels_needed.coverage(n_documents=40, n_trials=400, noise=[0.4], rng=1).set_index(
        ["labelling", "estimated", "method"]
    )
    error = np.sqrt(0.95 * 0.05 / 400)
    assert (table.loc["at random", "value"] - 0.95).abs().max() < 4 * error
    chosen = table.loc[("the judge's lowest", labels_needed.SYSTEM)]
    assert (chosen["value"] < 0.8).all()
    assert (chosen["share_refused"] > 0.95).all()
    assert (table.loc["at random", "share_refused"] < 0.02).all()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda b: labels_needed.savings([b], dimensions=["a"], share_labelled=0.1, rng=1),
            ValueError,
            "is 2 of 20 documents; at least 4 need a label",
        ),
        (
            lambda b: labels_needed.savings([b], dimensions=["a"], share_labelled=25, rng=1),
            ValueError,
            "did you mean 0.25",
        ),
        (
            lambda b: labels_needed.doubled(replace(b, ratings={}), dimensions=["a"]),
            UnknownNameError,
            "with single raters",
        ),
    ],
)
def test_bad_input_is_named(made, call, error, text):
    with pytest.raises(error, match=text):
        call(made)


def test_every_judgment_is_a_bar_of_all_its_parts():
    rows = [
        (name, judgment, effect, 0.1, share)
        for name, judgments in (("x", "ab"), ("y", "c"))
        for judgment in judgments
        for effect, share in (("systems", 0.3), ("the rest", 0.7))
    ]
    columns = ["dataset", "judgment", "effect", "value", "share_of_variance"]
    figure = labels_needed.component_bars(pd.DataFrame(rows, columns=columns))
    drawn = {}
    for bar in figure.data:
        for judgment, share in zip(bar.y, bar.x, strict=True):
            drawn[judgment] = drawn.get(judgment, 0) + share
    assert drawn == pytest.approx({"a": 1, "b": 1, "c": 1})
    assert figure.layout.barmode == "stack"


def test_lines_of_equal_reliability_are_a_menu_by_dimension():
    rows = [(d, n, k, 0.1 * k) for d in "ab" for n in (10, 100) for k in (1, 2, 3)]
    table = pd.DataFrame(rows, columns=["dimension", "n_documents", "n_raters", "value"])
    figure = labels_needed.reliability_contours(table, pd.DataFrame({"n_documents": [50], "n_raters": [2]}))
    first, second, here = figure.data
    np.testing.assert_allclose(first.z, [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    assert (first.visible, second.visible) == (True, False)
    assert (here.x[0], here.y[0]) == (50, 2)
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["a", "b"]


def n_points(figure):
    return sum(len(trace.x) for trace in series(figure) if trace.x is not None and trace.x[0] is not None)


def test_every_quantity_saving_and_estimate_is_a_point():
    nan = float("nan")
    outlook = pd.DataFrame(
        [(d, q, 0.5, *ends) for d in "ab" for q, ends in (("reliability", (nan, nan)), ("r", (0.1, 0.8)))],
        columns=["dimension", "quantity", "value", "low", "high"],
    )
    assert n_points(labels_needed.outlook_dots(outlook)) == 4
    savings = pd.DataFrame(
        [(d, j, e, 1.1, 1.2, 1.3, 0.01) for d in "ab" for j in "pq" for e in ("mean", "difference")],
        columns=[
            "dimension",
            "judge",
            "estimated",
            "value",
            "saved_here_at_most",
            "saved_at_most",
            "mc_error",
        ],
    )
    assert n_points(labels_needed.saving_dots(savings)) == 8
    coverage = pd.DataFrame(
        [(h, j, e, m, 0.9, 0.0, 10) for h in "rl" for j in "no" for e in "md" for m in ("p", "pj")],
        columns=["labelling", "judge", "estimated", "method", "value", "share_refused", "n_trials"],
    )
    assert n_points(labels_needed.labelling_dots(coverage, confidence_level=0.95)) == 16


def test_the_crowd_is_called_so():
    rows = pd.DataFrame({"dataset": "summeval", "judgment": ["fluency (turkers)"], "effect": "the rest"})
    figure = labels_needed.component_bars(rows.assign(share_of_variance=1.0, value=1.0))
    assert list(figure.data[0].y) == ["fluency (crowd)"]
