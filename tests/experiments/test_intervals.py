import numpy as np
import pandas as pd
import pytest

from helpers.experiments import intervals
from helpers.experiments.intervals import overlaps, quantities, table
from helpers.kit.draws import halves
from metaeval.core.errors import UnknownNameError
from metaeval.stats.intervals import INTERVALS, interval
from tests.builders import benchmark
from tests.kit.figures import MADE as DRAWN_MADE
from tests.kit.figures import seen

RNG = np.random.default_rng(2)
HUMAN = RNG.normal(size=(9, 12))
PLANES = {
    "good": HUMAN + 0.3 * RNG.normal(size=(9, 12)),
    "poor": HUMAN + 3 * RNG.normal(size=(9, 12)),
}
MADE = benchmark(HUMAN, PLANES)
KIND = {"levels": ["summary"], "coefficients": ["pearson"], "n_resamples": 400}


@pytest.mark.parametrize("method", INTERVALS)
def test_a_row_is_what_the_engine_says_of_its_metric(method):
    found = table(MADE, **KIND, methods=[method], confidence_level=0.9, rng=5).set_index("metric")
    alone = interval(
        PLANES["poor"], HUMAN, level="summary", coefficient="pearson", method=method, n_resamples=4000,
        confidence_level=0.9, rng=77,
    )  # fmt: skip
    row = found.loc["poor"]
    assert row["value"] == pytest.approx(alone.estimate)
    for end in ("low", "high"):
        error = np.nan_to_num(row[f"{end}_mc_error"])  # Fisher's interval has none
        assert row[end] == pytest.approx(getattr(alone, end), abs=1e-12 + 6 * error)
    ends = ["low", "q10", "q25", "q50", "q75", "q90", "high"]
    assert row[ends].is_monotonic_increasing
    assert row["low"] == pytest.approx(row["q5"])
    assert row["high"] == pytest.approx(row["q95"])


def test_no_row_depends_on_what_else_was_asked_for():
    keys = ["dataset", "level", "coefficient", "method", "metric"]
    wide = table([MADE, MADE.select(metrics=["poor"])], n_resamples=50, rng=3).set_index(keys)
    one = table(
        MADE.select(metrics=["poor"]), levels=["system"], coefficients=["kendall"], methods=["Boot-Both"],
        n_resamples=50, rng=3,
    ).set_index(keys)  # fmt: skip
    rows = wide.loc[one.index]
    assert len(rows) == 2  # of both benchmarks
    for _, row in rows.iterrows():
        assert row.equals(one.iloc[0])


def test_the_error_of_a_bound_is_its_spread_over_seeds():
    kind = KIND | {"methods": ["Boot-Both"]}
    tables = [table(MADE, **kind, rng=seed).set_index("metric") for seed in range(60)]
    lows = [found.loc["poor", "low"] for found in tables]
    stated = np.mean([found.loc["poor", "low_mc_error"] for found in tables])
    assert np.std(lows) == pytest.approx(stated, rel=0.35)


def test_what_a_paper_prints_of_an_interval():
    made = table(MADE, coefficients=["kendall"], methods=["Boot-Both"], n_resamples=199, rng=0)
    keys = ["level", "metric", "quantity"]
    found = quantities(made, n_printed=199).set_index(keys).sort_index()
    row = made.set_index(["level", "metric"]).loc["system", "poor"]
    found = found.loc["system", "poor"]
    assert found.loc["width", "value"] == row["high"] - row["low"]
    assert found.loc["least wrong %", "value"] == pytest.approx(50 * (1 - row["high"]))
    # as many printed as measured: the error of a difference of two equal ones
    assert found.loc["low", "mc_error"] == pytest.approx(np.sqrt(2) * row["low_mc_error"])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"methods": ["Boot-All"]}, UnknownNameError, "unknown interval method 'Boot-All'"),
        ({"levels": ["all"]}, UnknownNameError, "unknown level 'all'"),
        ({"confidence_level": 95}, ValueError, "must be in (0, 1), got 95; did you mean 0.95?"),
        ({"n_resamples": 0}, ValueError, "must be at least 1, got 0"),
    ],
)
def test_mistakes_are_named(arguments, error, text):
    with pytest.raises(error) as caught:
        table(MADE, rng=0, **arguments)
    assert text in str(caught.value)


def test_overlapping_intervals_are_counted_by_pair():
    rows = {"low": [0.0, 0.1, 0.5, 0.6], "high": [0.2, 0.5, 0.9, 0.7], "metric": list("abcd")}
    kind = {"dataset": "d", "level": "system", "coefficient": "kendall", "method": "Boot-Both", "value": 0.5}
    made = pd.DataFrame(rows).assign(**kind)
    # a-b, b-c (they touch) and c-d of six; with low ends of 0 all
    percents = {"system": 50, "summary": 100, "all": 75}
    for copies in ([], [made.query("metric == 'c'").assign(metric="copy of c")]):
        named = pd.concat([made, *copies])
        found = overlaps(pd.concat([named, named.assign(level="summary", low=0.0)]))
        by_quantity = found.set_index(["quantity", "level"])["value"]
        assert by_quantity["overlapping pairs %"].to_dict() == percents
    # the copy overlaps with b, d and its original
    assert by_quantity["overlapping pairs %, each name", "system"] == 60


def test_middles_and_middle_halves():
    made = table(
        MADE, levels=["system"], coefficients=["kendall"], methods=["Boot-Both"], n_resamples=200, rng=0
    )
    said = quantities(made, n_printed=100).set_index(["quantity", "metric"])["value"]
    row = made.iloc[0]
    assert said["middle", row["metric"]] == pytest.approx((row["low"] + row["high"]) / 2)
    expected = 100 * (row["q75"] - row["q25"]) / (row["high"] - row["low"])
    assert said["middle half %", row["metric"]] == pytest.approx(expected)


@pytest.fixture(scope="module")
def drawn_table():
    methods = ["Boot-Both", "Fisher"]
    return intervals.table(DRAWN_MADE, coefficients=["kendall"], methods=methods, n_resamples=99, rng=0)


@pytest.mark.parametrize("method", ["Boot-Both", "Fisher"])
def test_points_and_bars_lie_where_the_table_has_the_intervals(drawn_table, method):
    figure = intervals.interval_dots(drawn_table)
    names = drawn_table[["level", "dataset"]].drop_duplicates().to_dict("records")
    keys = ["method", "level", "dataset", "metric"]
    rows, traces = drawn_table.set_index(keys), seen(figure, Method=method)
    assert len(traces) == len(names)
    for trace in traces:
        panel = names[int(trace.xaxis.removeprefix("x") or 1) - 1]
        below, above = trace.error_x.arrayminus, trace.error_x.array
        for metric, value, low, high in zip(trace.y, trace.x, below, above, strict=True):
            row = rows.loc[(method, panel["level"], panel["dataset"], metric)].fillna(value)
            np.testing.assert_allclose(
                [value - low, value, value + high], row[["low", "value", "high"]].astype(float), atol=1e-4
            )


def test_how_much_the_scores_of_people_vary():
    """Documents' means are 2 and 6, their standard deviation 2.828; within them it is 1.414 and 0."""
    human = np.array([[1.0, 6], [3, 6]])
    rows = intervals.quality_mixes([benchmark(human, {"m": human})]).set_index("quantity")["value"]
    assert rows["variation of documents"] == pytest.approx(8**0.5 / 4)
    assert rows["variation within documents"] == pytest.approx(2**0.5 / 2 / 4)


def test_halves_of_the_data_widen_intervals():
    settings = {
        "levels": ["system"],
        "coefficients": ["pearson"],
        "methods": ["Boot-Both"],
        "n_resamples": 200,
    }
    made = intervals.widths_of_half([MADE], n_draws=3, rng=1, **settings).set_index("metric")["value"]
    parts = list(halves(MADE, 3, rng=1))
    assert [(len(part.systems), len(part.documents)) for part in parts] == [(4, 6)] * 3
    assert len({tuple(part.documents) for part in parts}) > 1
    for part in parts:  # in their order, each with its own scores
        assert part.systems == [system for system in MADE.systems if system in part.systems]
        assert part.human.equals(MADE.human.sel(system=part.systems, document=part.documents))
    by_hand = [table(part, rng=1, **settings).set_index("metric") for part in parts]
    expected = np.mean([rows.loc["poor", "high"] - rows.loc["poor", "low"] for rows in by_hand])
    assert made["poor"] == pytest.approx(expected)
    whole = table(MADE, rng=1, **settings).set_index("metric")
    assert (made > whole["high"] - whole["low"]).all()


def test_places_of_metrics_on_each_data_set_with_those_that_move_farthest_in_colour():
    """By hand: ROUGE-1 and JS-2 tie for the first place on a; METEOR, on one data set only, is left out."""
    values = {
        "a": {"ROUGE-1": 0.9, "JS-2": 0.9, "BERTScore": 0.8, "METEOR": 0.7},
        "b": {"ROUGE-1": 0.9, "JS-2": 0.1, "BERTScore": 0.5},
    }
    rows = pd.DataFrame(
        {"dataset": dataset, "metric": metric, "value": value}
        for dataset, each in values.items()
        for metric, value in each.items()
    )
    *lines, names = intervals.benchmark_lines(rows, n_coloured=1).data
    places = {line.name: (*line.x, *line.y) for line in lines}
    assert places == {
        "ROUGE-1": ("a", "b", 1, 1), "BERTScore": ("a", "b", 3, 2), "JS-2": ("a", "b", 1, 3)
    }  # fmt: skip
    assert {line.name for line in lines if not line.line.color.startswith("rgba")} == {"JS-2"}
    assert {y: text.strip() for y, text in zip(names.y, names.text, strict=True)} == {
        1: "ROUGE-1", 2: "BERTScore", 3: "JS-2"
    }  # fmt: skip


def test_places_are_by_estimates_over_systems_or_at_the_first_level_that_a_run_has():
    kinds = {"n_resamples": 19, "levels": ["summary", "system"], "coefficients": ["kendall"], "rng": 1}
    both = table(MADE, methods=["Fisher", "Boot-Both"], **kinds)
    found = intervals.estimates(both)
    assert set(zip(found["level"], found["method"], strict=True)) == {("system", "Boot-Both")}
    expected = both.query("level == 'system' and method == 'Boot-Both'").set_index("metric")["value"]
    assert found.set_index("metric")["value"].equals(expected[found["metric"]])
    found = intervals.estimates(both.query("level == 'summary' and method == 'Fisher'"))
    assert set(zip(found["level"], found["method"], strict=True)) == {("summary", "Fisher")}
