"""Datasets by name, and what is known of them without their files."""

import pytest

from helpers import datasets
from helpers.errors import SourceUnavailableError, UnknownNameError
from helpers.sources import lite_pyramid
from helpers.sources.dataset import Dataset, Pin

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
]


def test_names():
    assert datasets.names() == NAMES


@pytest.mark.parametrize("call", [datasets.load, datasets.describe])
def test_an_unknown_dataset_is_named(call):
    with pytest.raises(UnknownNameError, match=r"unknown dataset 'realsum';.*Did you mean 'realsumm'"):
        call("realsum")


@pytest.mark.parametrize("name", NAMES)
def test_every_dataset_is_described_without_its_files(name, places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    description = datasets.describe(name)
    assert description.title
    assert description.needed
    assert all(file.commit in str(file) for file in description.needed + description.optional)
    assert description.licence in (
        "CC BY 4.0",
        "none stated",
        "Apache-2.0",
        "GPL-3.0",
    )
    assert description.citation


def test_what_the_descriptions_say():
    tac = datasets.describe("tac2008")
    assert [file.path.split("/")[-1] for file in tac.optional] == ["responsiveness.jsonl"]
    assert tac.citation[0] == "dang2008overview"
    assert datasets.describe("lite-realsumm").licence == "none stated"
    assert len(datasets.describe("lite-realsumm").needed) == 6 + 2 * 25
    assert len({file.commit for file in datasets.describe("realsumm").needed}) == 2


def test_availability_without_anything(places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
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
    assert list(dict.fromkeys(table["dataset"])) == NAMES
    assert set(table["where"]) == {"absent"}
    full = table[table["dataset"] == "re-examining-summeval-full"].iloc[0]
    assert full["file"] == "data/summeval/all/metrics.jsonl.gz"


def test_loading_what_cannot_be_had_says_what_to_do(places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    dataset = lite_pyramid.DATASETS["lite-pyrxsum"]
    with pytest.raises(SourceUnavailableError, match="set DATA_MIRROR"):
        dataset.load()


def test_an_optional_file_that_cannot_be_had_is_noted(places, monkeypatch, tmp_path):
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("DATA_MIRROR", str(mirror))
    monkeypatch.setenv("DATA", "simulated")
    # A dataset that needs no file and would like one: what its reader is given.
    wanted = Pin("neulab/BARTScore", "SUM/REALSumm/data.pkl")
    given = []
    dataset = Dataset(
        name="x",
        title="X",
        read=lambda paths, provenance: given.append((paths, provenance)),
        needed={},
        optional={"data": wanted},
        citation=("someone2020",),
    )
    dataset.load()
    ((paths, provenance),) = given
    assert paths == {}
    assert provenance.files == ()
    assert provenance.missing == (str(wanted.file),)
