"""Datasets by name, and what is known of them without their files."""

import pytest

from metaeval import datasets
from metaeval.core.errors import UnknownNameError
from tests.each import each

NAMES = [
    "realsumm",
    "realsumm-released",
    "realsumm-earlier",
    "bhandari2020",
    "summeval",
    "tac2008",
    "re-examining-realsumm",
    "re-examining-summeval",
    "re-examining-realsumm-full",
    "re-examining-summeval-full",
    "bartscore-realsumm",
    "bartscore-summeval",
    "tac2009",
    "lite-realsumm",
    "lite-pyrxsum",
    "summeval-judges",
    "llm-summeval",
    "faithbench",
    "rose",
    "rose-llm",
]
PAIRS = ["mt-bench", "llm-summeval-pairs", "llmbar", "llm-votes", "llm-pairings"]


def test_names():
    assert datasets.names() == NAMES
    assert datasets.pair_names() == PAIRS


@pytest.mark.parametrize("call", [datasets.load, datasets.describe])
def test_an_unknown_dataset_is_named(call):
    with pytest.raises(UnknownNameError, match=r"unknown dataset 'realsum';.*Did you mean 'realsumm'"):
        call("realsum")


@each("name", [*NAMES, *PAIRS])
def test_every_dataset_is_described_without_its_files(name, no_files):
    description = datasets.describe(name)
    assert description.title
    assert description.needed_files
    assert all(file.commit in str(file) for file in description.needed_files + description.optional_files)
    assert description.licence
    assert description.citation


def test_descriptions():
    tac = datasets.describe("tac2008")
    assert [file.path.split("/")[-1] for file in tac.optional_files] == ["responsiveness.jsonl"]
    assert tac.citation[0] == "dang2008overview"
    assert datasets.describe("lite-realsumm").licence == "none stated"
    assert len(datasets.describe("lite-realsumm").needed_files) == 6 + 2 * 25
    assert len({file.commit for file in datasets.describe("realsumm").needed_files}) == 2
    years = {name: datasets.describe(name).judged_in for name in ("summeval-judges", "llmbar", "rose")}
    assert years == {"summeval-judges": 2024, "llmbar": 2023, "rose": None}


def test_availability_without_anything(no_files):
    table = datasets.availability()
    assert list(table.columns) == [
        "dataset",
        "repository",
        "file",
        "commit",
        "needed",
        "bytes",
        "where",
    ]
    assert list(dict.fromkeys(table["dataset"])) == NAMES + PAIRS
    assert set(table["where"]) == {"absent"}
    full = table[table["dataset"] == "re-examining-summeval-full"].iloc[0]
    assert full["file"] == "data/summeval/all/metrics.jsonl.gz"
