import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import annotators, index_size
from helpers.experiments.index_size import size_bands
from helpers.experiments.sera import (
    broken_ties,
    from_texts,
    readings,
    same_as_released,
    size_table,
    speech_table,
    spreads,
    worked_example_table,
)
from metaeval.core.errors import DataError
from metaeval.datasets.readers.gesera import WorkedExample
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import analyse, build_index
from metaeval.metrics.sera.scores import Variants, sera_scores
from tests import oracles
from tests.builders import benchmark, random_texts
from tests.kit.figures import seen

RANKINGS = {"D1.1": (("x", "y"), {"D1.A": ("y", "x"), "D1.B": ("z", "x")})}
# D1.A: both found, each one rank off: 2 / 2 and (2 / log2 3) / 2; D1.B: x alone, one rank off
EXAMPLE = WorkedExample(RANKINGS, {"D1.1": ("1.0", "0.5", "0.75")}, {"D1.1": ("0.631", "0.315", "0.47")})


def test_a_worked_example_is_checked_at_its_printed_digits():
    table = worked_example_table(EXAMPLE, n=2)
    assert table["reference"].tolist() == ["A", "B", "mean"] * 2
    assert table["measured"].tolist() == pytest.approx(
        [1, 0.5, 0.75, 1 / math.log2(3), 0.5 / math.log2(3), 0.75 / math.log2(3)]
    )
    assert table["agrees"].all()
    noisy = replace(EXAMPLE, sera={"D1.1": ("1.0000000000000002", "0.5", "0.75")})
    assert worked_example_table(noisy, n=2)["printed"].tolist()[:2] == ["1", "0.5"]
    assert worked_example_table(noisy, n=2)["agrees"].all()
    wrong = WorkedExample(RANKINGS, EXAMPLE.sera, {"D1.1": ("0.632", "0.315", "0.48")})
    assert worked_example_table(wrong, n=2)["agrees"].tolist() == [True, True, True, False, True, False]


def test_the_example_is_searched_for_from_its_texts():
    stories = Stories("small", ("a", "b", "c"), ("cats and dogs", "cats", "birds"))
    scores = {"D1.1": ("1.0", "0.5", "0.75")}
    texts = {"D1.1": "dogs cats", "D1.A": "cats dogs", "D1.B": "birds cats"}
    # the candidate finds a and b, as A does; B finds c and b
    example = WorkedExample(RANKINGS, scores, scores, texts)  # b is second in both: no discount
    (row,) = from_texts(example, stories, n=2).to_dict("records")
    assert (row["domain"], row["value"]) == ("small", 6)
    assert from_texts(replace(example, texts={}), stories).empty


def test_scores_of_the_example_are_found_again_in_the_table_of_all():
    planes = {f"SERA-5 (reference {i})": [[score]] for i, score in enumerate((0.2, 0.4, 0.6, 0.8), start=1)}
    tac = benchmark([[0.5]], planes)
    example = WorkedExample({}, {"d0.s0": ("0.2", "0.4", "0.6", "0.1", "0.3")}, {})
    assert same_as_released(example, tac) == (3, 4)


def test_counts():
    made = benchmark(np.zeros((3, 5)), {"m": np.zeros((3, 5))}, types={"s0": "abs", "s1": "ext", "s2": "ext"})
    table = size_table(replace(made, name="tac"), made)
    assert table["value"].tolist() == [3, 15, 20, 5, 3, 2, 1]


def test_what_is_missing_is_named():
    with pytest.raises(DataError, match=r"prints no SERA-DIS of D1\.1"):
        worked_example_table(WorkedExample(RANKINGS, EXAMPLE.sera, {}), n=2)
    with pytest.raises(DataError, match="empty: holds no word"):
        speech_table({"empty": ["..."]})


def test_shares_of_parts_of_speech():
    table = speech_table({"made up": ["The old minister signed a treaty with France."]}).set_index(
        "part_of_speech"
    )
    # 8 words: minister, treaty, France; signed; old; with; the, a
    assert table["value"].to_dict() == pytest.approx(
        {"noun": 3 / 8, "verb": 1 / 8, "adjective": 1 / 8, "preposition": 1 / 8, "others": 2 / 8}
    )
    assert set(table["n_words"]) == {8}


def test_families_spread_from_their_lowest_to_their_highest():
    names = ["SERA-5", "SERA-DIS-NP-10", "GeSERA-5", "GeSERA-DIS-5", "GeSERA-ALL-5", "BERTScore recall"]
    results = pd.DataFrame({"metric": names, "value": [0.2, 0.7, 0.5, 0.6, 0.9, 0.4]}).assign(
        dataset="d", domain="s", group="mix", level="system", coefficient="pearson"
    )
    found = spreads(results).set_index("metric")
    assert found["value"].to_dict() == pytest.approx(
        {"SERA, all queries": 0.5, "GeSERA": 0.1}
    )  # JS-2 is absent
    assert found["n_metrics"].tolist() == [2, 2]


def test_ties_on_paper_that_floating_point_breaks():
    # system 0 and 1 have the same scores, in another order
    human = [[1.0, 1, 1], [2, 2, 2], [3, 3, 3]]
    scores = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]]
    exact, summed = broken_ties(benchmark(human, {"SERA-5": scores})).itertuples(index=False)
    assert (exact.n_distinct, exact.value) == (2, pytest.approx(math.sqrt(2 / 3)))
    assert (summed.n_distinct, summed.value) == (3, pytest.approx(1 / 3))


def test_readings_count_a_repeated_word_once_and_each_time():
    stories = Stories("made", ("a", "b", "c"), ("red trains", "a red cat sat", "passing trains trains"))
    rng = np.random.default_rng(3)
    base = benchmark(rng.random((5, 4)), {"m": rng.random((5, 4))})
    made = replace(base, texts=random_texts(5, 4, seed=3))
    variants = Variants(["raw"], [2], ["SERA", "SERA-DIS"])
    found = readings(made, stories, variants, group="all", coefficients=["pearson"])
    assert found["counting"].tolist() == ["once"] * 2 + ["each"] * 2
    each = sera_scores(made.texts, build_index(analyse(stories)), replace(variants, repeats=True))
    scored = each.sel(metric="SERA-2")  # nothing is found for texts without a known word
    people = made.human.where(scored.notnull())
    expected = np.corrcoef(scored.mean("document"), people.mean("document"))[0, 1]
    value = found.query("metric == 'SERA-2' and counting == 'each'")["value"].item()
    assert value == pytest.approx(expected)


@pytest.mark.real_data
def test_released_correlations_equal_scipy(real):
    tac = real("tac2009").judged_by("Pyramid (4 models)")
    table = annotators.table(tac, "SERA-5", sizes=[3, 4], n_resamples=20, rng=0)
    rows = table.set_index(["metric", "level", "coefficient"])["value"]
    four = np.mean([tac.metric(f"SERA-5 (reference {i})").values for i in (1, 2, 3, 4)], axis=0)
    three = np.mean([tac.metric(f"SERA-5 (reference {i})").values for i in (1, 2, 4)], axis=0)
    human = tac.human.values
    for name, scores in (("A1 A2 A3 A4", four), ("A1 A2 A4", three)):
        for coefficient in oracles.COEFFICIENTS:
            # rounded, so that means which are equal on paper tie
            means = [np.round(values.mean(axis=1), 10) for values in (scores, human)]
            expected = oracles.coefficient(*means, coefficient)
            assert rows[name, "system", coefficient] == pytest.approx(expected, abs=1e-9)


# ---------------------------------------------------------------------------------------------------- figures


def sweep():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "dataset": "x", "group": "mix", "level": "system", "coefficient": "pearson", "metric": f"{query}{n}",
            "domain": domain, "stories": size, "is_whole": size == 90, "subset": subset, "query": query,
            "overlap": "SERA", "cutoff": n, "value": rng.random(), "n_unscored": 0,
        }
        for domain in ("a", "b") for size in (10, 30, 90) for subset in range(1 if size == 90 else 3)
        for query in ("raw", "gesera") for n in (5, 10)
    )  # fmt: skip


def test_several_coefficients_are_choices_of_their_own():
    one = sweep()
    both = pd.concat([one, one.assign(coefficient="kendall", value=-one["value"])])
    bands = size_bands(both)
    figure = index_size.index_size_curves(bands)
    buttons = {button.label: button.args[0]["visible"] for button in figure.layout.updatemenus[0].buttons}
    assert list(buttons) == ["Pearson's r", "Kendall's τ"]
    lines = seen(figure, Coefficient="Kendall's τ")
    expected = bands.query("coefficient == 'kendall'")["value"]
    assert sorted(y for line in lines for y in line.y) == sorted(expected)


def test_every_mean_is_on_a_curve():
    bands = size_bands(sweep())
    figure = index_size.index_size_curves(bands)
    lines = [trace for trace in figure.data if "lines" in trace.mode]
    assert sorted(np.concatenate([line.y for line in lines])) == sorted(bands["value"])
