"""Agreement of experts, crowd and judges beside a rater who reads nothing."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import agreement
from helpers.kit.claims import checking
from metaeval import datasets
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.datasets.readers.faithbench import Marks
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.agreement import agreement as coefficient_of
from metaeval.stats.agreement import icc
from metaeval.tables.benchmark import Provenance, with_ids
from metaeval.tables.pairs import ORDERS, assemble_pairs
from tests.builders import benchmark
from tests.kit.figures import seen

SYSTEMS, DOCUMENTS = [f"s{i}" for i in range(4)], [f"d{j}" for j in range(8)]
IDS = {"system": SYSTEMS, "document": DOCUMENTS}
NAN = np.nan
ALL_COEFFICIENTS = list(agreement.COEFFICIENTS)
KIND = {"judges": ["gpt"], "dimensions": ["a"], "n_resamples": 20, "rng": 1}


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    quality = rng.normal(3, 0.8, (4, 1)) + rng.normal(0, 0.7, (4, 8))
    experts = np.stack([rate(quality, Rater(noise=0.6), rng=k)[0] for k in range(3)])
    crowd = np.stack([rate(quality, Rater(noise=1.5), rng=10 + k)[0] for k in range(2)])
    judge = rate(quality, Rater(noise=0.6, bias=0.5), rng=20)
    ratings = {
        "a": with_ids(experts, rater=[f"expert {k}" for k in range(3)], **IDS),
        "a (turkers)": with_ids(crowd, rater=["crowd 0", "crowd 1"], **IDS),
    }
    means = with_ids(np.stack([experts.mean(axis=0), crowd.mean(axis=0)]), judgment=list(ratings), **IDS)
    return replace(benchmark(means[0].to_numpy(), {"gpt (a)": judge[0]}), humans=means, ratings=ratings)


def flat(made, name):
    return made.rated(name).to_numpy().reshape(len(made.rated(name)), -1)


def by_pairs(pairs, **kind):
    return np.mean([coefficient_of(np.stack(pair), **kind) for pair in pairs])


def test_a_group_is_taken_together_and_two_groups_by_pairs(made):
    table = agreement.table(made, **KIND, coefficients=ALL_COEFFICIENTS)
    rows = table.set_index(["raters", "coefficient", "grade"])["value"]
    experts, crowd = flat(made, "a"), flat(made, "a (turkers)")
    judge = made.metric("gpt (a)").to_numpy().ravel()
    kind = {"categories": [1, 2, 3, 4, 5], "grade": "quadratic"}
    for name in ("percent", "fleiss", "krippendorff", "gwet"):
        assert rows["experts", name, "quadratic"] == coefficient_of(experts, coefficient=name, **kind)
        assert rows["crowd", name, "quadratic"] == coefficient_of(crowd, coefficient=name, **kind)
        of_judge = by_pairs([(one, judge) for one in experts], coefficient=name, **kind)
        assert rows["gpt", name, "quadratic"] == pytest.approx(of_judge)
        crossed = by_pairs([(a, b) for a in experts for b in crowd], coefficient=name, **kind)
        assert rows["experts and crowd", name, "quadratic"] == pytest.approx(crossed)
    two = by_pairs(combinations(experts, 2), coefficient="cohen", **kind)
    assert rows["experts", "cohen", "quadratic"] == pytest.approx(two)
    one = coefficient_of(experts[[0, 2]], coefficient="cohen", **kind)
    assert rows["expert 0 and expert 2", "cohen", "quadratic"] == one
    assert rows["experts", "icc", "quadratic"] == icc(experts)
    assert ("experts", "icc", "nominal") not in rows  # an ICC is of squares
    assert set(table["n_used"]) == {32}


def test_beside_them_stands_a_rater_who_gives_one_rating_to_all(made):
    table = agreement.table(made, **KIND, coefficients=["percent", "cohen", "gwet"], grades=["nominal"])
    rows = table.set_index(["raters", "coefficient"])
    for raters, name in (("experts", "a"), ("gpt", "a"), ("crowd", "a (turkers)")):
        values, counts = np.unique(flat(made, name), return_counts=True)
        base_rate = counts.max() / counts.sum()
        row = rows.loc[raters, "percent"]
        assert row["base_rate"] == row["constant"] == pytest.approx(base_rate)
        assert rows.loc[(raters, "cohen"), "constant"] == pytest.approx(0)
        always = np.full(32, values[counts.argmax()])
        gwet = by_pairs(
            [(one, always) for one in flat(made, name)], coefficient="gwet", categories=range(1, 6)
        )
        assert rows.loc[(raters, "gwet"), "constant"] == pytest.approx(gwet)


def test_a_row_does_not_depend_on_what_else_is_asked_for(made):
    whole = agreement.table(made, **KIND, coefficients=ALL_COEFFICIENTS)
    alone = agreement.table(made, **KIND, people=[], coefficients=["gwet"], grades=["nominal"])
    same = whole[
        (whole["raters"] == "gpt") & (whole["coefficient"] == "gwet") & (whole["grade"] == "nominal")
    ]
    pd.testing.assert_frame_equal(same.reset_index(drop=True), alone)
    nobody = agreement.table(made, **KIND | {"judges": []}, people=["crowd"], coefficients=["percent"])
    assert nobody["raters"].unique().tolist() == ["crowd", "experts and crowd"]


def test_a_difference_is_of_the_same_pairs_and_draws(made):
    table = agreement.differences(made, **KIND, coefficient="fleiss", grade="linear").set_index("raters")
    assert table.index.tolist() == ["experts and crowd", "gpt"]
    experts, judge = flat(made, "a"), made.metric("gpt (a)").to_numpy().ravel()
    kind = {"coefficient": "fleiss", "grade": "linear", "categories": [1, 2, 3, 4, 5]}
    among = by_pairs(combinations(experts, 2), **kind)
    with_judge = by_pairs([(one, judge) for one in experts], **kind)
    assert table["among_people"].tolist() == [pytest.approx(among)] * 2
    assert table.loc["gpt", "value"] == pytest.approx(with_judge - among)
    # a judge that is one of the experts differs by what that one is closer to itself, in every draw
    row = replace(made, scores=with_ids(made.rated("a").to_numpy()[:1], metric=["gpt (a)"], **IDS))
    twin = agreement.differences(row, **KIND, people=[], coefficient="percent", grade="nominal").iloc[0]
    assert 0 < twin["low"] <= twin["value"] <= twin["high"]


def test_a_judge_that_answered_some_cells_is_compared_on_these(made):
    scores = made.scores.copy()
    scores[0, :, 4:] = NAN
    table = agreement.table(
        made.with_scores(scores), **KIND, people=[], coefficients=["percent"], grades=["nominal"]
    )
    experts, judge = made.rated("a").to_numpy()[..., :4], made.metric("gpt (a)").to_numpy()[..., :4]
    assert table["n_used"].item() == 16
    assert table["value"].item() == pytest.approx((experts == judge).mean())


def test_systems_that_nobody_rated_make_no_interval_narrower(made):
    kind = KIND | {"resample": "systems"}
    with_judge = {**kind, "people": ["experts"]}
    ends = ["low", "high"]
    rated, scores = made.rated("a").copy(), made.scores.copy()
    rated[:, 1:] = NAN  # of one system nothing is known of others
    alone = replace(made, ratings=made.ratings | {"a": rated})
    assert agreement.table(alone, **with_judge, coefficients=["percent"])[ends].isna().all(axis=None)
    assert agreement.differences(alone, **with_judge)[ends].isna().all(axis=None)
    scores[0, 1:] = NAN  # the people rated all
    judged = made.with_scores(scores)
    table = agreement.table(judged, **with_judge, coefficients=["percent"]).set_index("raters")
    assert table.loc["gpt", ends].isna().all(axis=None)
    assert table.loc["experts", ends].notna().all(axis=None)
    assert agreement.differences(judged, **with_judge)[ends].isna().all(axis=None)


def test_where_all_is_one_rating_nothing_is_made_up(made):
    same = {name: rated.copy(data=np.full(rated.shape, 3.0)) for name, rated in made.ratings.items()}
    alike = replace(made, ratings=same).with_scores(made.scores.copy(data=np.full(made.scores.shape, 3.0)))
    table = agreement.table(alike, **KIND, coefficients=ALL_COEFFICIENTS).set_index("coefficient")
    assert (table.loc["percent", "value"] == 1).all()
    others = table.drop(index="percent")
    assert others[["value", "low", "high", "constant"]].isna().all(axis=None)
    assert (others["n_undefined"] == others["n_resamples"]).all()
    assert agreement.differences(alike, **KIND)["value"].isna().all()


def one_rater(made):
    ratings = made.ratings | {"a": made.ratings["a"].isel(rater=[0])}
    return replace(made, ratings=ratings)


def test_what_cannot_be_compared_is_named(made):
    asked = KIND | {"coefficients": ["percent"]}
    for broken, error, text in (
        (one_rater(made), DataError, "made-up, a: agreement takes two raters or more, got 1"),
        (
            made.with_scores(20 * made.scores),
            DataError,
            "100\N{NO-BREAK SPACE}% of gpt's ratings are none that people give, such",
        ),
        (made.with_scores(NAN * made.scores), DataError, "gpt rated nothing"),
        (replace(made, ratings={}), UnknownNameError, "with single raters 'a'"),
    ):
        with pytest.raises(error, match=text):
            agreement.table(broken, **asked)
    with pytest.raises(DataError, match="must hold numbers"):
        made.with_scores(made.scores.astype(object).copy(data=np.full(made.scores.shape, "good", object)))


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({"judges": ["gbt"]}, UnknownNameError, "unknown judge of made-up, a 'gbt'.*'gpt'"),
        ({"dimensions": []}, ValueError, "at least one dimension is required"),
        ({"coefficients": []}, ValueError, "at least one coefficient is required"),
        ({"grades": []}, ValueError, "at least one grade is required"),
        ({"coefficients": ["kappa"]}, UnknownNameError, "unknown coefficient of agreement 'kappa'"),
        ({"grades": ["interval"]}, UnknownNameError, "unknown grade of agreement 'interval'"),
        (
            {"coefficients": ["gwet", "icc"], "grades": ["ordinal"]},
            ValueError,
            "none of gwet, icc exists with",
        ),
        ({"confidence_level": 95}, ValueError, "confidence_level"),
    ],
)
def test_what_is_asked_for_wrongly_is_named(made, changed, error, text):
    with pytest.raises(error, match=text):
        agreement.table(made, **KIND | {"coefficients": ["percent"]} | changed)


def pairs_of(people, judges):
    """Choices of people and judges, each pair of a document of its own; NaN where somebody did not judge."""
    people = np.asarray(people, dtype=float)
    ids = [f"p{k}" for k in range(people.shape[1])]
    item = {"set": "s", "dimension": "", "first": "x", "second": "y"}
    return assemble_pairs(
        name="made-up", title="made up", items={pair: item | {"document": pair} for pair in ids},
        judges={(j, ORDERS[0], pair): c for j, given in judges.items() for pair, c in zip(ids, given, strict=True)},
        people={(f"r{i}", ids[k]): people[i, k] for i, k in np.argwhere(~np.isnan(people))},
        provenance=Provenance(files=(), licence="none", citation=()),
    )  # fmt: skip


# labels benign, questionable, unwanted of three summaries by two annotators; a third is not chosen
BENIGN, QUESTIONABLE, BOTH, UNWANTED, NOTHING = (
    [True, False, False], [False, True, False], [True, True, False], [False, False, True], [False] * 3,
)  # fmt: skip


def test_the_worst_label_is_the_one_with_the_lowest_number():
    given = np.array([[BENIGN, QUESTIONABLE, BOTH, UNWANTED, NOTHING]])
    for label_map, numbers in {
        "c-q-ub": [0, 1, 0, 0, 2],  # benign counts before questionable
        "c+b-q-u": [2, 1, 1, 0, 2],
        "c-b-u": [1, NAN, NAN, 0, 2],  # what is left out counts before benign
        "c-u": [NAN, NAN, NAN, 0, 1],
    }.items():
        found = agreement.worst(given, agreement.LABEL_MAPS[label_map])
        np.testing.assert_array_equal(found, [numbers])


def test_alpha_is_of_the_annotators_whom_the_authors_chose():
    given = np.array([[BENIGN, NOTHING, UNWANTED], [BENIGN, NOTHING, UNWANTED], [NOTHING, UNWANTED, NOTHING]])
    marks = Marks({"1": given}, {"1": np.array([True, True, False])})
    table = agreement.alphas(marks)
    assert table["value"].tolist() == [1.0] * 7
    assert set(table["n_raters"]) == {2}
    everyone = agreement.alphas(Marks({"1": given}, {"1": np.array([True] * 3)}))
    assert (everyone["value"] < 1).all()


def test_quantities_count_releases_and_average_over_pairs_of_people():
    people = np.array([[1, 1, 0, NAN], [1, 0, NAN, 0], [NAN, NAN, 0, 0]])
    pairs = pairs_of(people, {"gpt": [1, 1, 1, 1]})
    marks = Marks({"1": np.array([[BENIGN], [NOTHING]])}, {"1": np.array([True, True])})
    table = agreement.quantities([], pairs, marks, agreement.alphas(marks))
    found = table.set_index(["dataset", "batch", "quantity"])["value"]
    assert found[pairs.name, "", "raters"] == 3
    assert found[pairs.name, "", "items"] == 4
    assert found[pairs.name, "", "items of a rater"] == pytest.approx(8 / 3)
    assert found[pairs.name, "", "raters of an item"] == 2
    assert found[pairs.name, "", "agreement"] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert found["faithbench", "", "most annotators"] == 2
    assert ("faithbench", "1", "c-u") in found


@pytest.mark.real_data
def test_the_printed_alphas_of_the_released_batches(real):
    real("faithbench")  # skips where the release is not here
    table = agreement.alphas(datasets.marks()).set_index(["batch", "label_map"])["value"]
    printed = [
        claim for claim in checking.paper_claims("bao2025faithbench") if claim.id.startswith("agreement/")
    ]
    found = 0
    for claim in printed:
        where = claim.test["select"]["batch"], claim.test["select"]["quantity"]
        if where in table.index:
            assert table[where] == pytest.approx(float(claim.test["printed"]), abs=0.00051), claim.id
            found += 1
    assert (found, len(printed)) == (15 * 7, 17 * 7)


FIGURE_ROWS = pd.DataFrame(
    [
        {
            "dimension": dimension, "raters": raters, "coefficient": coefficient, "grade": grade,
            "value": 0.1 * k, "low": 0.0, "high": 0.6, "constant": -0.2, "base_rate": 0.4, "n_used": 9,
        }
        for dimension in ("coherence", "fluency")
        for k, raters in enumerate(("experts", "gpt"))
        for coefficient, grade in (("cohen", "nominal"), ("cohen", "linear"), ("gwet", "nominal"))
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("constant", "name"),
    [(-0.3, "a difference is shown"), (0.3, "no difference shown"), (0.9, "a difference is shown")],
)
def test_a_point_stands_beyond_the_rater_who_reads_nothing_where_its_interval_decides(constant, name):
    shown = seen(agreement.agreement_dots(agreement.beyond(FIGURE_ROWS.assign(constant=constant))))
    assert {trace.name for trace in shown} == {name}
    first = FIGURE_ROWS[FIGURE_ROWS["raters"] == FIGURE_ROWS["raters"].iloc[0]]
    points = [x for trace in shown for x in trace.x]
    assert sorted(points) == pytest.approx(sorted(first["value"] - constant))


def test_a_difference_stands_on_its_side_of_0():
    less = FIGURE_ROWS[FIGURE_ROWS["grade"] == "linear"].assign(
        value=-0.3, low=-0.4, high=-0.2, among_people=0.5
    )
    figure = agreement.agreement_differences(less)
    assert [list(trace.x) for trace in figure.data] == [[-0.3, -0.3]] * 2
    assert figure.layout.xaxis.range[0] < -0.4 < 0 < figure.layout.xaxis.range[1]
