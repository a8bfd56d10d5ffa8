"""Units that a machine cuts beside those that people write."""

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import lite3
from metaeval.metrics.pyramid.study import judge_all
from tests.kit.figures import series

pytestmark = pytest.mark.usefixtures("own_cache")


def test_units_are_compared_with_their_best_match():
    table = lite3.compare_units({"x": ("the cat sat",)}, {"x": ("the cat sat", "a dog")}).iloc[0]
    assert (table["covered"], table["precise"]) == (0.5, 1.0)
    assert (table["n_made"], table["n_wanted"]) == (1, 2)


def test_how_well_units_simulate_others(study):
    table = lite3.simulation_table([study]).set_index(["units", "simulated_units"])
    assert table.loc[("extracted", "STU"), ["covered", "precise"]].tolist() == [1, 1]  # they are the same
    # two facts of three are whole, the third lacks a word
    assert 2 / 3 < table.loc[("STU", "SCU"), "covered"] < 1


def test_every_kind_of_units_has_its_correlations(study):
    table = lite3.table(study, judge_all(study, ["words"]), by="document")
    assert table["units"].unique().tolist() == ["SCU", "STU", "extracted"]
    kinds = [table[table["units"] == kind]["value"].to_numpy() for kind in ("STU", "extracted")]
    assert kinds[0] == pytest.approx(kinds[1], nan_ok=True)


def test_a_sentence_is_cut():
    pytest.importorskip("HanTa")
    assert lite3.cut("The company has not paid its drivers.")["unit"].tolist() == [
        "The company not paid its drivers"
    ]


def test_the_example_is_the_reference_that_holds_the_words(study):
    units = next(iter(study.units["SCU"].values()))
    shown = lite3.example(study, units[0])
    first = next(d for d, texts in study.benchmark.texts.references.items() if units[0] in texts[0])
    assert shown.query("units == 'SCU'")["unit"].tolist() == list(study.units["SCU"][first])
    counts = lite3.example_counts(study, shown).set_index("quantity")["value"]
    assert counts.to_dict() == {"SCUs of the example": 3, "STUs of the example": 3}
    assert lite3.example(study, "nobody").empty


def test_units_of_the_first_sentences_and_those_that_say_something(study):
    named = next(iter(study.units["SCU"].values()))[0].split()[1]  # a word of the first fact
    shown = lite3.example(study, named)
    assert shown["sentence"].tolist() == 2 * [0, 1, 2]  # a fact is a sentence
    said = shown.query("units == 'STU'")["unit"].iloc[1]
    counts = lite3.example_counts(study, shown, n_sentences=2, saying=said)
    counts = counts.set_index("quantity")["value"]
    assert counts["STUs of its first 2 sentences"] == counts["SCUs of its first 2 sentences"] == 2
    assert counts[f"STUs that say {said}"] == 1
    nobody = lite3.example_counts(study, lite3.example(study, "nobody"), n_sentences=2, saying=said)
    assert nobody.empty


PRESENCE = pd.DataFrame(
    {
        "metric": ["words", "light"] * 4,
        "level": np.repeat(["system", "summary"], 4),
        "coefficient": ["pearson", "pearson", "spearman", "spearman"] * 2,
        "value": np.linspace(0.1, 0.8, 8),
        "lowest": np.linspace(0.05, 0.7, 8),
        "highest": np.linspace(0.2, 0.9, 8),
    }
)


def test_units_are_series():
    table = pd.concat([PRESENCE.assign(units=kind) for kind in ("SCU", "STU")])
    names = {trace.name for trace in series(lite3.unit_dots(table))}
    assert names == {"SCUs, by people", "STUs, as released"}
