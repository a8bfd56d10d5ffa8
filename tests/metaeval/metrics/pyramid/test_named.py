"""The Pyramid metrics by their names: from files of units, by the command."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from metaeval.__main__ import main
from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.metrics import registry
from metaeval.metrics.pyramid import light
from metaeval.own.units import read_units
from metaeval.own.writing import write_table
from metaeval.reporting.texts import units_table
from metaeval.tables.benchmark import PyramidUnits
from tests.builders import random_texts

ROWS = [
    {"system": "a", "document": "1", "units": ["A cat sat.", "It rained."], "labels": [1, 0]},
    {"system": "b", "document": "1", "units": ["A cat sat.", "It rained."], "labels": [1, 1]},
    {"system": "a", "document": "2", "units": ["Rates rose."], "labels": [0]},
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def write(rows, name="units.jsonl"):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return Path(name)


def scored(*arguments):
    assert main(["score", *arguments, "-o", "s.csv"]) == 0
    return {(s, str(d)): score for s, d, _, score in pl.read_csv("s.csv").rows()}


def test_people_s_labels_are_litepyramid():
    write(ROWS)
    summaries = [{"system": s, "document": d, "summary": "x"} for s in "ab" for d in "12"]
    write(summaries, "t.jsonl")
    arguments = ["litepyramid", "--summaries", "t.jsonl", "--option", "units=units.jsonl"]
    assert scored(*arguments) == {("a", "1"): 0.5, ("b", "1"): 1.0, ("a", "2"): 0.0, ("b", "2"): None}
    # the same texts under other names are other people's labels, though their pieces are kept
    swapped = {"1": "2", "2": "1"}
    write([{**row, "document": swapped[row["document"]]} for row in summaries], "t.jsonl")
    assert scored(*arguments)["a", "2"] == 0.0


class Words:
    """Replacement of the light model: a unit is present if its first word is."""

    def read(self, units, summaries):
        return np.array([[[unit.split()[0] in summary] for summary in summaries] for unit in units], float)

    def presence(self, values):
        return values[..., 0] + 0.0


def test_a_model_s_labels_are_of_people_s_units_or_of_those_cut_out(monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setattr(light, "load", Words)
    monkeypatch.setattr(light.Features, "read", Words.read)
    write(ROWS)
    write(
        [
            {"document": "1", "summary": "A dog", "reference": "The cat sat. Rain fell."},
            {"document": "2", "summary": "", "reference": "Rates rose."},
        ],
        "t.jsonl",
    )
    assert main(
        ["score", "lite2pyramid", "lite3pyramid", "--summaries", "t.jsonl", "--option", "units=units.jsonl",
         "-o", "s.csv"]
    ) == 0  # fmt: skip
    assert pl.read_csv("s.csv").select("metric", "score").rows() == [
        ("Lite²Pyramid (light)", 0.5),
        ("Lite²Pyramid (light)", 0.0),
        ("Lite³Pyramid (light)", 0.0),
        ("Lite³Pyramid (light)", 0.0),
    ]


def test_what_the_light_model_that_comes_along_finds():
    pytest.importorskip("transformers")
    Path("t.txt").write_text("The red cat sat on the mat.\nDogs bark.\n")
    Path("r.txt").write_text("The red cat sat on the mat.\nThe bank raised rates.\n")
    scores = scored("lite3pyramid", "--summaries", "t.txt", "--references", "r.txt")
    assert scores["t", "1"] > 0.7 > 0.2 > scores["t", "2"]


def test_a_missing_option_is_named(capsys):
    for name in ("litepyramid", "lite2pyramid"):
        with pytest.raises(SourceUnavailableError, match="--option units=FILE"):
            registry.scores(random_texts(1, 1), [name])
    with pytest.raises(SourceUnavailableError, match="option background"):
        registry.scores(random_texts(1, 1), ["lite3pyramid"])
    with pytest.raises(SourceUnavailableError, match="has no column labels"):
        registry.scores(
            random_texts(1, 1), ["litepyramid"], units=write([{"document": "d0", "units": ["x"]}])
        )
    with pytest.raises(DataError, match="no labels of document 'd0'"):
        registry.scores(random_texts(1, 1), ["litepyramid"], units=write(ROWS, "other.jsonl"))
    assert main(["score", "--list", "lite2pyramid", "litepyramid"]) == 0
    assert "learned on people's labels of REALSumm and PyrXSum" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"document": "1", "unit": ["x"]}], r"no column 'units'"),
        ([{"document": "1", "units": ["x"], "labels": [1]}], r"no column 'system'"),
        ([{"document": "1", "units": "x"}], "must be a list of texts, got 'x'"),
        ([{"document": "1", "units": ["x", " "]}], "line 1: a document has at least one unit"),
        (
            [{"document": "1", "units": ["x"]}, {"document": "1", "units": ["y"]}],
            "line 2: .* had other units",
        ),
        ([*ROWS[:1], {**ROWS[1], "labels": [1]}], "line 2, .* one for each of the 2 units"),
        ([*ROWS[:1], {**ROWS[1], "labels": [1, 2]}], "line 2, .* list of 0 and 1"),
        ([*ROWS[:1], ROWS[0]], "line 2: labels of system 'a', document '1' come twice"),
    ],
)
def test_a_mistake_in_the_units_is_named_with_its_line(rows, message):
    with pytest.raises(DataError, match=message):
        read_units(write(rows))


def test_a_release_s_units_come_back_as_they_were():
    labels = {(row["system"], row["document"]): np.array(row["labels"]) for row in ROWS}
    units = {row["document"]: tuple(row["units"]) for row in ROWS}
    write_table(units_table(PyramidUnits(units, {}, {}, labels)), Path("units.jsonl"))
    own = read_units(Path("units.jsonl"))
    assert own.units == units
    assert {cell: column.tolist() for cell, column in own.labels.items()} == {
        cell: column.tolist() for cell, column in labels.items()
    }
