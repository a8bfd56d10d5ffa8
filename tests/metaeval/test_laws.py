"""Laws that hold whatever the scores are: what `from metaeval import ...` computes of arrays, on scores that tie,
have gaps, are constant, huge, tiny, of another type or layout, of one system or one document.

Each law is tried on two examples with the fast tests, and on hundreds with `-m slow`.
"""

import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval import (
    adjust_pvalues,
    as_benchmark,
    compare,
    compare_judges,
    correlation,
    correlations,
    doctor,
    interval,
    margins,
    pairwise,
    plan,
    pyramid_score,
    report,
    rouge_scores,
    sera_scores,
    share_wrongly_ranked,
    top_k,
    williams,
)
from metaeval.core.errors import DataError
from metaeval.datasets.readers.stories import Stories
from metaeval.own.texts import read_texts
from metaeval.own.writing import write_table
from metaeval.reporting.reading import read
from metaeval.reporting.texts import texts_table
from metaeval.stats.correlation import COEFFICIENTS, LEVELS
from metaeval.stats.differences import TESTS
from metaeval.stats.intervals import INTERVALS
from metaeval.tables.benchmark import Texts
from tests import oracles
from tests.builders import benchmark, matrix

NAN = np.nan
RANKS = ("spearman", "kendall")
FEW = st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])  # ties and constants are common
DECIMALS = st.one_of(st.integers(-400, 400).map(lambda k: k / 100), st.just(NAN))
DRAWN = {"n_resamples": 39}


@st.composite
def planes(draw, n_planes=2, min_systems=3):
    """Arrays (n_systems, n_documents), some of them constant."""
    shape = draw(st.integers(min_systems, 6)), draw(st.integers(1, 5))
    kind = st.sampled_from([FEW, DECIMALS, st.just(draw(DECIMALS.filter(np.isfinite)))])
    return [draw(hnp.arrays(float, shape, elements=draw(kind))) for _ in range(n_planes)]


levels, coefficients = st.sampled_from(list(LEVELS)), st.sampled_from(list(COEFFICIENTS))
seeds = st.integers(0, 2**32)


@st.composite
def drawn_planes(draw, n_planes=3):
    """Arrays without gaps or ties, of six systems: what a report or a plan can be made from."""
    rng = np.random.default_rng(draw(seeds))
    systems, shape = rng.normal(size=(6, 1)), (6, draw(st.integers(4, 7)))
    return [systems + rng.normal(size=shape) for _ in range(n_planes)]


FORMS = {
    "short floats": lambda x: x.astype(np.float32),
    "other order": np.asfortranarray,
    "every second of a larger array": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards twice": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "big-endian": lambda x: x.astype(">f8"),
    "read only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "lists": lambda x: x.tolist(),
    "whole numbers": lambda x: x if np.isnan(x).any() or (x % 1).any() else x.astype(np.int8),
    "masked": lambda x: np.ma.masked_invalid(x),
}  # fmt: skip
SCALES = [2.0**exponent for exponent in (-1000, -40, 40, 985)]  # exact, so that nothing is rounded


def same(values, expected, tolerance=1e-9):
    np.testing.assert_allclose(values, expected, rtol=0, atol=tolerance)


def value(x, y, level, coefficient):
    return correlation(x, y, level=level, coefficient=coefficient).value


def reordered(array, seed, axis):
    return np.take(array, np.random.default_rng(seed).permutation(array.shape[axis]), axis=axis)


# ------------------------------------------------------------------------------------------ one correlation


@given(planes(), levels, coefficients)
def slow_loops(data, level, coefficient):
    same(value(*data, level, coefficient), oracles.LEVELS[level](*data, coefficient))


@given(planes(min_systems=1), levels, coefficients, seeds)
def too_few_systems_are_refused(data, level, coefficient, seed):
    x, y = (plane[:2] for plane in data)
    kind = {"level": level, "coefficient": coefficient}
    for call in (
        lambda: correlation(x, y, **kind),
        lambda: interval(x, y, **kind, **DRAWN, rng=seed),
        lambda: compare(x, x, y, **kind, **DRAWN, rng=seed),
    ):
        with pytest.raises(DataError, match=r"at least 3 systems are needed, got [12]"):
            call()


@given(planes(), levels, coefficients, st.sampled_from(list(FORMS)))
def form_does_not_matter(data, level, coefficient, form):
    inputs = [FORMS[form](plane) for plane in data]
    assert repr(value(*inputs, level, coefficient)) == repr(value(*data, level, coefficient))


@given(planes(), levels, coefficients, st.sampled_from(SCALES), st.sampled_from(SCALES))
def unit_does_not_matter(data, level, coefficient, one, other):
    x, y = data
    same(value(one * x, other * y, level, coefficient), value(x, y, level, coefficient), 1e-12)


@given(planes(), levels, coefficients, seeds)
def order_does_not_matter(data, level, coefficient, seed):
    expected = value(*data, level, coefficient)
    for axis in (0, 1):
        same(value(*(reordered(plane, seed, axis) for plane in data), level, coefficient), expected)


@given(planes(), levels, coefficients)
def sides_change_places(data, level, coefficient):
    x, y = data
    same(value(y, x, level, coefficient), value(x, y, level, coefficient))


@given(planes(), levels, coefficients)
def upside_down_changes_the_sign(data, level, coefficient):
    x, y = data
    same(value(-x, y, level, coefficient), -value(x, y, level, coefficient))


@given(planes(), levels, coefficients, st.integers(1, 9), st.integers(-9, 9))
def a_line_that_rises_changes_nothing(data, level, coefficient, slope, shift):
    x, y = data
    same(value(slope * x + shift, y, level, coefficient), value(x, y, level, coefficient))


@given(planes(), st.sampled_from(["summary", "global"]), st.sampled_from(RANKS))
def ranks_see_no_monotone_change(data, level, coefficient):
    x, y = data
    expected = value(x, y, level, coefficient)
    for rising in (np.exp, np.arctan, lambda z: z**3):
        same(value(rising(x), y, level, coefficient), expected)
    x, y = x[:, :1], y[:, :1]  # of one document the means are its scores
    same(value(np.exp(x), y, "system", coefficient), value(x, y, "system", coefficient))


@given(planes(), levels, coefficients, st.integers(2, 3))
def documents_counted_again_change_nothing(data, level, coefficient, times):
    again = [np.tile(plane, times) for plane in data]
    same(value(*again, level, coefficient), value(*data, level, coefficient))


@given(planes(), coefficients)
def one_document_has_one_level(data, coefficient):
    x, y = (plane[:, :1] for plane in data)
    values = [value(x, y, level, coefficient) for level in LEVELS]
    same(values, [values[0]] * 3)


@given(planes(), levels, coefficients)
def a_system_without_scores_changes_nothing(data, level, coefficient):
    x, y = data
    more = np.vstack([x, np.full((1, x.shape[1]), NAN)]), np.vstack([y, y[:1]])
    same(value(*more, level, coefficient), value(x, y, level, coefficient))


@given(planes(), levels, coefficients)
def what_agrees_with_itself_agrees_wholly(data, level, coefficient):
    values = value(data[0], data[0], level, coefficient)
    assert np.isnan(values) or values == pytest.approx(1)
    assert not abs(value(*data, level, coefficient)) > 1


# ------------------------------------------------------------------------------------------------ intervals


@given(planes(), levels, coefficients, st.sampled_from(list(INTERVALS)), seeds, st.sampled_from(SCALES))
def intervals_have_their_sides_and_units(data, level, coefficient, method, seed, scale):
    x, y = data
    ask = partial(interval, level=level, coefficient=coefficient, method=method, rng=seed, **DRAWN)
    result = ask(x, y)
    same(result.estimate, value(x, y, level, coefficient))
    assert not result.low > result.high
    assert not abs(np.nan_to_num([result.low, result.high])).max() > 1
    for other in (ask(y, x), ask(scale * x, y), ask(x, y, n_threads=1)):
        same([other.low, other.high, other.standard_error], [result.low, result.high, result.standard_error])
    below = ask(-x, y)
    same([-below.high, -below.low], [result.low, result.high])


# -------------------------------------------------------------------------------------------- two metrics


@given(planes(3), levels, coefficients, st.sampled_from(list(TESTS)), seeds, st.sampled_from(SCALES))
def the_second_is_worse_where_the_first_is_better(data, level, coefficient, method, seed, scale):
    a, b, y = data
    if method == "Williams" and len(y) < 4:
        with pytest.raises(DataError, match="at least 4"):
            compare(a, b, y, level=level, coefficient=coefficient, method=method)
        return
    ask = partial(compare, level=level, coefficient=coefficient, method=method, rng=seed, **DRAWN)
    for sides in (("two-sided", "two-sided"), ("greater", "less")):
        result, mirrored = ask(a, b, y, alternative=sides[0]), ask(b, a, y, alternative=sides[1])
        same([result.difference, result.pvalue], [-mirrored.difference, mirrored.pvalue])
        assert not result.pvalue > 1
        rescaled = ask(scale * a, b, y, alternative=sides[0])
        same([rescaled.difference, rescaled.pvalue], [result.difference, result.pvalue])
    twin = ask(a, a, y)
    assert np.isnan(twin.difference) or twin.difference == 0
    assert np.isnan(twin.pvalue) or twin.pvalue == 1


@given(planes(3), levels, coefficients, seeds)
def a_table_has_its_numbers_in_any_order(data, level, coefficient, seed):
    a, b, y = data
    scores = [{"a": a, "b": b}, {"b": b, "a": a}]
    if any(np.isnan(plane).all() for plane in data):
        return  # an empty metric is refused when it is brought
    one, other = (correlations(each, y, levels=[level], coefficients=[coefficient]) for each in scores)
    values = dict(zip(one["metric"], one["value"], strict=True))
    same([values["a"], values["b"]], [value(plane, y, level, coefficient) for plane in (a, b)])
    assert dict(zip(other["metric"], other["value"], strict=True)) == pytest.approx(values, nan_ok=True)
    kind = {"level": level, "coefficient": coefficient, "rng": seed, **DRAWN}
    tables = [pairwise(each, y, **kind).set_index(["metric", "rival"]) for each in scores]
    for column in ("value", "pvalue", "adjusted_pvalue"):
        same(tables[0][column], tables[1][column].reindex(tables[0].index))


@given(planes(), coefficients)
def the_best_of_all_are_all(data, coefficient):
    x, y = data
    judged = ~np.isnan(y).all(axis=1)
    if np.isnan(x).all() or judged.sum() < 3:
        return
    table = top_k(x, y, k=int(judged.sum()), coefficient=coefficient)
    same(table["value"], [value(x[judged], y[judged], "system", coefficient)])


@given(planes())
def a_window_over_all_pairs_is_the_whole(data):
    x, y = data
    if np.isnan(x).any() or np.isnan(y).any():
        return
    table = margins(x, y, upper=1e6, n_resamples=0)
    assert table["n_pairs"].item() == len(x) * (len(x) - 1) / 2
    same(table["value"], [value(x, y, "system", "kendall")])


@given(planes(), coefficients, seeds, st.integers(1, 9), st.integers(-9, 9))
def the_best_systems_are_those_of_a_slow_loop(data, coefficient, seed, slope, shift):
    x, y = data
    means = [oracles.row_means(plane) for plane in (x, y)]
    if np.isnan(x).all() or np.isnan(y).all(axis=1).any() or len({*means[1]}) < len(y):
        return  # of systems that tie, which are the best is decided by their order
    best = np.argsort(means[1])[::-1][:3]
    expected = oracles.system_level(x[best], y[best], coefficient)
    ask = partial(top_k, k=3, coefficient=coefficient)
    same(ask(x, y)["value"], [expected])
    same(ask(slope * x + shift, y)["value"], [expected])
    same(ask(-x, y)["value"], [-expected])
    for axis in (0, 1):
        same(ask(*(reordered(plane, seed, axis) for plane in data))["value"], [expected])


@given(planes(), seeds, st.integers(0, 3), st.integers(0, 4), st.sampled_from([0.25, 2.0, 1024.0]))
def a_window_is_that_of_a_slow_loop(data, seed, lower, width, scale):
    x, y = data
    if np.isnan(x).any() or np.isnan(y).any():
        return
    x, y = x.round(), y.round()
    # a mean over documents may lie on an end but for rounding: no end is a multiple of 1 / n
    ends = {"lower": lower and lower - 0.07, "upper": lower + width + 0.07}
    ask = partial(margins, n_resamples=0)
    tau, n_pairs = oracles.window(
        *(oracles.tied(oracles.row_means(plane), 1e-9) for plane in (x, y)), *ends.values()
    )
    result = ask(x, y, **ends)
    assert result["n_pairs"].item() == n_pairs
    same(result["value"], [tau])
    same(ask(-x, y, **ends)["value"], [-tau])
    scaled = {name: scale * end for name, end in ends.items()}
    same(ask(scale * x + 3, y, **scaled)["value"], [tau])
    for axis in (0, 1):
        same(ask(*(reordered(plane, seed, axis) for plane in (x, y)), **ends)["value"], [tau])


@given(drawn_planes(), seeds, st.sampled_from([0.25, 1024.0]), st.integers(-9, 9))
def judges_compared_the_other_way_round_are_opposite(data, seed, slope, shift):
    a, b, people = data
    ask = partial(compare_judges, rng=seed, **DRAWN)
    values = ask(read(rows(a=a, b=b, people=people)), ["a", "b"]).table
    same(
        values["value"],
        [oracles.system_level(a, people, "kendall") - oracles.system_level(b, people, "kendall")],
    )
    assert ask(read(rows(seed, a=a, b=b, people=people)), ["a", "b"]).table.equals(values)
    numbers = ["value", "low", "high", "pvalue"]
    for turned in (rows(a=slope * a + shift, b=b, people=people), rows(a=a, b=b, people=slope * people)):
        same(ask(read(turned), ["a", "b"]).table[numbers], values[numbers])
    other = ask(read(rows(a=a, b=b, people=people)), ["b", "a"]).table
    same(other[numbers], np.array([[-1, -1, -1, 1]]) * values[["value", "high", "low", "pvalue"]])
    assert {values["answer"][0], other["answer"][0]} in ({"yes", "no"}, {"open"})


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=8, max_size=12), seeds)
def a_judge_of_labels_is_ranked_by_order_alone(items, seed):
    scores, passes = np.array(items, dtype=float).T
    if not 0 < passes.sum() < len(passes):
        return
    order = np.random.default_rng(seed).permutation(len(items))

    def table(judge, by=slice(None)):
        columns = {"item": np.arange(len(items)), "judge": judge, "human": passes}
        ordered = pd.DataFrame(columns).iloc[by]
        return compare_judges(
            read(ordered), ["judge"], fail_under=0.5, measure="auc", rng=seed, **DRAWN
        ).table

    pair_scores = [(a > b) + (a == b) / 2 for a in scores[passes == 1] for b in scores[passes == 0]]
    ranked = table(scores + 0.5)
    same(ranked["value"], [np.mean(pair_scores)])
    same(table(np.exp(scores))["value"], ranked["value"])
    same(table(-scores - 0.5)["value"], 1 - ranked["value"])
    assert table(scores + 0.5, order).equals(ranked)


# --------------------------------------------------------------------------------------------- plain numbers


r = st.floats(-1, 1)


@given(r, r, r, st.integers(4, 99))
def williams_has_two_sides(a, b, ab, n):
    (t, p), (back, same_p) = williams(a, b, ab, n), williams(b, a, ab, n)
    same([t, p], [-back, same_p])
    same(williams(a, b, ab, n, "greater")[1], williams(b, a, ab, n, "less")[1])
    same(williams(-a, -b, ab, n)[0], back)


@given(hnp.arrays(float, st.integers(0, 9), elements=st.one_of(st.floats(0, 1), st.just(NAN))), seeds)
def adjusting_raises_in_order(pvalues, seed):
    order = np.random.default_rng(seed).permutation(len(pvalues))
    none, holm, bonferroni = (
        adjust_pvalues(pvalues, correction=name) for name in ("none", "Holm", "Bonferroni")
    )
    np.testing.assert_array_equal(none, pvalues)
    for estimate in (holm, bonferroni):
        np.testing.assert_array_equal(np.isnan(estimate), np.isnan(pvalues))
        assert not (estimate < pvalues).any()
        assert not (estimate > 1).any()
    assert not (holm > bonferroni + 1e-15).any()
    same(adjust_pvalues(pvalues[order]), holm[order])
    defined = np.sort(pvalues[~np.isnan(pvalues)])
    stepped = np.maximum.accumulate([min(1, p * (len(defined) - k)) for k, p in enumerate(defined)])
    same(np.sort(holm[~np.isnan(holm)]), stepped)


# ------------------------------------------------------------------------------------------------ own data


def frame(plane, seed=None):
    """A row per system and a column per document, in an order of the seed."""
    table = pd.DataFrame(
        plane, [f"s{i}" for i in range(len(plane))], [f"d{j}" for j in range(plane.shape[1])]
    )
    if seed is None:
        return table
    rng = np.random.default_rng(seed)
    return table.iloc[rng.permutation(len(table)), rng.permutation(table.shape[1])]


def rows(seed=None, **planes):
    """A row per score, of judges called by their names and of people, in an order of the seed."""
    parts = [
        frame(plane)
        .rename_axis(index="system", columns="document")
        .stack(future_stack=True)
        .rename("score")
        .reset_index()
        .assign(judge=name)
        for name, plane in planes.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return table if seed is None else table.sample(frac=1, random_state=seed % 2**32)


@given(planes(3), seeds, seeds)
def scores_are_found_under_their_labels(data, one, other):
    if any(np.isnan(plane).all() for plane in data):
        return  # an empty metric is refused
    a, b, y = data
    joined = as_benchmark({"b": frame(b, one), "a": frame(a, other)}, frame(y, one))
    matched = {"a": joined.metric("a"), "b": joined.metric("b"), "people": joined.human}
    for name, plane in {"a": a, "b": b, "people": y}.items():
        expected = matrix(plane)
        np.testing.assert_array_equal(matched[name].sel(expected.coords), expected)
    assert as_benchmark({"a": a}, y).metric("a").to_numpy().tobytes() == a.tobytes()


@given(drawn_planes(), seeds, st.sampled_from([0.25, 2.0, 1024.0]), st.integers(-9, 9))
def a_diagnosis_sees_neither_order_nor_unit(data, seed, slope, shift):
    a, b, people = data
    diagnosis = doctor(rows(a=a, b=b, people=people))
    assert doctor(rows(seed, a=a, b=b, people=people)).to_json() == diagnosis.to_json()
    turned = doctor(rows(a=slope * a + shift, b=b, people=people))
    one, other = (answer.tables["scores"].set_index("name") for answer in (diagnosis, turned))
    same(other.loc["a", ["smallest", "largest"]], slope * one.loc["a", ["smallest", "largest"]] + shift)
    ranges = ["smallest", "largest"]
    assert other.drop(columns=ranges).equals(one.drop(columns=ranges))
    assert other.drop("a").equals(one.drop("a"))
    assert (turned.answers, turned.notes) == (diagnosis.answers, diagnosis.notes)
    named_otherwise = doctor(rows(b=a, a=b, people=people)).tables["scores"].set_index("name")
    # what is said of a judge may name it
    exchanged = named_otherwise.replace({"'a'": "'A'", "'b'": "'a'"}, regex=True).replace(
        "'A'", "'b'", regex=True
    )
    assert (
        exchanged.loc[["b", "a", "people"]].to_numpy().tolist()
        == one.loc[["a", "b", "people"]].to_numpy().tolist()
    )


@given(drawn_planes(), seeds, st.sampled_from([0.25, 1024.0]), st.integers(1, 9))
def verdicts_see_neither_unit_nor_what_stands_beside(data, seed, slope, shift):
    a, b, people = data
    values, other, swapped = (
        report(as_benchmark(metrics, judged), n_resamples=39, rng=seed).verdicts.table.set_index("metric")
        for metrics, judged in (
            ({"a": a, "b": b}, people),
            ({"b": b + shift, "a": slope * a}, slope * people),
            ({"b": a, "a": b}, people),
        )
    )
    pd.testing.assert_frame_equal(other.loc[values.index], values, rtol=0, atol=1e-9)
    same(swapped.loc[["b", "a"], "value"], values.loc[["a", "b"], "value"])


def results(a, b, y, unit, seed):
    """Everything that can be asked of two metrics, in one unit for all scores; numbers without a unit."""
    both = as_benchmark({"a": a * unit, "b": b * unit}, y * unit)
    drawn = {"rng": seed, **DRAWN}
    return [
        correlations(both)["value"],
        pairwise(both, **drawn)[["value", "pvalue"]],
        top_k(both, k=3, method="Boot-Both", **drawn)[["value", "low", "high"]],
        margins(both, upper=2 * unit, **drawn)[["value", "low", "high"]],
        margins(both, upper=50, unit="percent", **drawn)[["value", "low", "high"]],
        report(both, **drawn).verdicts.table[["value", "low", "high"]],
        compare_judges(both, ["a", "b"], **drawn).table[["value", "low", "high", "pvalue"]],
    ]


@given(drawn_planes(), seeds, st.sampled_from(SCALES))
def huge_and_tiny_scores_are_scores(data, seed, scale):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for estimate, expected in zip(results(*data, scale, seed), results(*data, 1.0, seed), strict=True):
            same(estimate.to_numpy(float), expected.to_numpy(float))


@given(drawn_planes(), st.sampled_from([-1e301, 1.7e308]), seeds)
def scores_whose_sums_overflow_are_refused(data, largest, seed):
    a, b, y = data
    huge = a.copy()
    huge.flat[seed % a.size] = largest
    for call in (
        lambda: correlation(huge, y),
        lambda: interval(huge, y, **DRAWN),
        lambda: compare(b, huge, y, **DRAWN),
        lambda: as_benchmark({"a": a}, huge),
        lambda: top_k(huge, y, k=3),
        lambda: margins(huge, y, upper=1),
        lambda: pairwise({"a": a, "b": huge}, y, **DRAWN),
    ):
        with pytest.raises(DataError, match=r"holds 1 scores beyond 1e\+300, whose sums are out of range"):
            call()
    for call in (doctor, lambda table: compare_judges(read(table), ["a"], fail_under=0)):
        with pytest.raises(DataError, match=r"must be of at most 1e\+300 in size"):
            call(rows(a=huge, people=y))
    with pytest.raises(DataError, match="whose square is out of range"):
        plan(as_benchmark({"a": a}, 1e200 * y), width=1.0)


@given(drawn_planes(2), seeds, st.sampled_from([2.0**-400, 0.25, 1024.0, 2.0**400]), st.floats(0.5, 2))
def a_plan_sees_neither_order_nor_unit(data, seed, scale, width):
    metric, people = data
    ask = partial(plan, systems=6)
    result = ask(as_benchmark({"m": metric}, people), width=width)
    for other in (
        ask(as_benchmark({"m": metric}, scale * people), width=scale * width),
        ask(as_benchmark({"m": frame(metric, seed)}, frame(people, seed)), width=width),
        ask(as_benchmark({"m": -metric}, people + 3), width=width),
    ):
        sizes = ["n_systems", "n_documents", "n_raters", "n_judgments"]
        assert other.designs[sizes].equals(result.designs[sizes])
        same(other.variances["share"], result.variances["share"])
    if len(result.designs):
        wider = ask(as_benchmark({"m": metric}, people), width=2 * width)
        assert wider.designs["n_judgments"].min() <= result.designs["n_judgments"].min()


units = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9)), min_size=1, max_size=6)


@given(units, seeds, st.integers(2, 9), st.integers(1, 6))
def a_pyramid_score_is_a_share_of_the_best_choice(labelled_units, seed, times, n_units):
    present, weights = map(np.array, zip(*labelled_units, strict=True))
    n_units = min(n_units, len(weights))
    n_present = int(present.sum())
    for n, n_best in ((n_present, None), (n_units, n_units)):
        best = max(sum(some) for some in combinations(weights, n))
        expected = weights @ present / best if best else NAN
        score = pyramid_score(present, weights, n_units=n_best)
        same(score, expected)
        order = np.random.default_rng(seed).permutation(len(weights))
        same(pyramid_score(present[order], weights[order], n_units=n_best), expected)
        same(pyramid_score(present, times * weights, n_units=n_best), expected)
    assert not pyramid_score(present, weights) > 1


@given(st.permutations(range(6)), st.permutations(range(6)))
def a_share_of_pairs_is_counted(x, y):
    pairs = list(combinations(range(6), 2))
    against = np.mean([(x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in pairs])
    tau = value(np.array([x]).T, np.array([y]).T, "system", "kendall")
    same(share_wrongly_ranked([tau, -tau, NAN]), [against, 1 - against, NAN])


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9).filter(str.strip)


@given(st.lists(words, min_size=6, max_size=6), st.lists(words, min_size=2, max_size=2), st.integers(0, 2))
def texts_come_back_from_a_file_as_they_were(summaries, sources, n_references):
    scored = benchmark(np.arange(6.0).reshape(3, 2), {"m": np.ones((3, 2))})
    cells = scored.human.copy(data=np.array(summaries, dtype=object).reshape(3, 2)).drop_vars(
        "judgment", errors="ignore"
    )
    documents = scored.documents
    references = {document: tuple(summaries[:n_references]) for document in documents if n_references}
    inputs = Texts(cells, references, dict(zip(documents, sources, strict=True)))
    table = texts_table(replace(scored, texts=inputs))
    with TemporaryDirectory() as folder:
        for ending in ("jsonl", "parquet"):
            path = Path(folder) / f"texts.{ending}"
            write_table(table, path)
            texts = read_texts([path])
            assert texts.summaries.sel(cells.coords).to_numpy().tolist() == cells.to_numpy().tolist()
            assert (dict(texts.references), dict(texts.sources)) == (references, dict(inputs.sources))


few_words = st.lists(st.sampled_from(["cat", "dog", "bird", "sat", "ran"]), min_size=1, max_size=6)


@st.composite
def few_texts(draw):
    """Six summaries of three systems, with a reference for each of two documents."""
    summaries = np.array([" ".join(draw(few_words)) for _ in range(6)], dtype=object).reshape(3, 2)
    return summaries, [" ".join(draw(few_words)) for _ in range(2)]


def as_texts(summaries, references):
    labels = {
        "system": [f"s{i}" for i in range(len(summaries))],
        "document": [f"d{j}" for j in range(len(references))],
    }
    cells = xr.DataArray(np.array(summaries, dtype=object), labels)
    return Texts(cells, {f"d{j}": (text,) for j, text in enumerate(references)})


def grams(text, n):
    tokens = text.split()
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def subsequence(a, b):
    """Length of the longest common sequence of words, by trying both ways at each word."""
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + subsequence(a[1:], b[1:])
    return max(subsequence(a[1:], b), subsequence(a, b[1:]))


def slow_rouge(summary, reference, variant):
    """Words in common, and how many there are on either side."""
    if variant == "L":
        a, b = summary.split(), reference.split()
        return subsequence(a, b), len(a), len(b)
    a, b = (grams(text, int(variant)) for text in (summary, reference))
    return (a & b).total(), a.total(), b.total()


@given(few_texts(), seeds)
def rouge_is_that_of_a_slow_loop(texts, seed):
    summaries, references = texts
    for variant in ("1", "2", "L"):
        names = [f"ROUGE-{variant} {part}" for part in ("recall", "precision", "F1")]
        ask = partial(rouge_scores, names=names, stem=False)
        scores = ask(as_texts(summaries, references))
        for i, j in np.ndindex(summaries.shape):
            shared, n_said, n_wanted = slow_rouge(summaries[i, j], references[j], variant)
            recall, precision = (shared / n if n else 0.0 for n in (n_wanted, n_said))
            f1 = 2 * recall * precision / (recall + precision) if shared else 0.0
            same(scores.to_numpy()[:, i, j], [recall, precision, f1])
        turned = ask(as_texts([references], list(summaries[0]))).to_numpy()[:, 0]
        same(
            turned[[1, 0, 2]], scores.to_numpy()[:, 0]
        )  # what is said and what is wanted have changed places
        order = np.random.default_rng(seed).permutation(3)
        same(ask(as_texts(summaries[order], references)), scores.to_numpy()[:, order])
        same(ask(as_texts(summaries[:, ::-1], references[::-1])), scores.to_numpy()[:, :, ::-1])


@given(few_texts(), seeds)
def a_search_sees_neither_order_nor_what_else_is_looked_up(texts, seed):
    summaries, references = texts
    found_in = Stories("made up", ("1", "2", "3"), ("cat dog", "dog bird bird", "sat ran cat"))
    ask = partial(sera_scores, stories=found_in, cutoffs=[1, 3])
    scores = ask(as_texts(summaries, references))
    defined = scores.to_numpy()[~np.isnan(scores)]
    assert ((defined >= 0) & (defined <= 1 + 1e-12)).all()
    order = np.random.default_rng(seed).permutation(3)
    same(ask(as_texts(summaries[order], references)), scores.to_numpy()[:, order])
    same(ask(as_texts(summaries[:, ::-1], references[::-1])), scores.to_numpy()[:, :, ::-1])
    same(ask(as_texts(summaries[:1], references)), scores.to_numpy()[:, :1])
    same(ask(as_texts(summaries, references), n_jobs=2), scores)
    same(
        ask(as_texts(summaries, references), cutoffs=[3], overlaps=["SERA-DIS"])[0],
        scores.sel(metric="SERA-DIS-3"),
    )
    same(
        ask(as_texts([references], references)), np.ones((4, 1, 2))
    )  # what is the reference finds what it finds


# quick ones, then those that draw again or make tables, with how many examples each is tried on
LAWS = dict.fromkeys(
    [
        slow_loops, too_few_systems_are_refused, form_does_not_matter, unit_does_not_matter, order_does_not_matter,
        sides_change_places, upside_down_changes_the_sign, a_line_that_rises_changes_nothing,
        ranks_see_no_monotone_change, documents_counted_again_change_nothing, one_document_has_one_level,
        a_system_without_scores_changes_nothing, what_agrees_with_itself_agrees_wholly, williams_has_two_sides,
        adjusting_raises_in_order, scores_are_found_under_their_labels, a_pyramid_score_is_a_share_of_the_best_choice,
        a_share_of_pairs_is_counted, the_best_systems_are_those_of_a_slow_loop, a_window_is_that_of_a_slow_loop,
        rouge_is_that_of_a_slow_loop,
    ],
    1_000,
) | dict.fromkeys(
    [
        intervals_have_their_sides_and_units, the_second_is_worse_where_the_first_is_better,
        a_table_has_its_numbers_in_any_order, the_best_of_all_are_all, a_window_over_all_pairs_is_the_whole,
        a_diagnosis_sees_neither_order_nor_unit, a_plan_sees_neither_order_nor_unit,
        texts_come_back_from_a_file_as_they_were, scores_whose_sums_overflow_are_refused,
        a_judge_of_labels_is_ranked_by_order_alone, a_search_sees_neither_order_nor_what_else_is_looked_up,
    ],
    200,
) | dict.fromkeys(
    [
        verdicts_see_neither_unit_nor_what_stands_beside, huge_and_tiny_scores_are_scores,
        judges_compared_the_other_way_round_are_opposite,
    ],
    20,
)  # fmt: skip


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_laws_hold_on_a_few_scores(law):
    settings(max_examples=2, deadline=None, derandomize=True, database=None)(law)()


@pytest.mark.slow
@pytest.mark.parametrize(("law", "n_examples"), LAWS.items(), ids=lambda one: getattr(one, "__name__", ""))
def test_laws_hold_on_many(law, n_examples):
    settings(max_examples=n_examples, deadline=None, suppress_health_check=list(HealthCheck))(law)()
