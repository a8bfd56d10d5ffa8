"""A dataset is read from its files, and says which of them it lacks."""

import pytest

from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets import catalogue
from metaeval.datasets.catalogue import DATASETS, Dataset
from metaeval.datasets.registry import find


def test_a_missing_file_is_an_error_with_a_remedy(places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    dataset = DATASETS["lite-pyrxsum"]
    with pytest.raises(SourceUnavailableError, match="set DATA_MIRROR"):
        dataset.load()


def test_an_optional_file_that_cannot_be_had_is_noted(places, monkeypatch, tmp_path):
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("DATA_MIRROR", str(mirror))
    monkeypatch.setenv("DATA", "simulated")
    # A dataset that needs no file and would like one: what its reader is given.
    path, calls = "SUM/REALSumm/data.pkl", []
    monkeypatch.setattr(
        catalogue, "resolve_name", lambda name: lambda paths, about: calls.append((paths, about))
    )
    dataset = Dataset("x", "X", "some:reader", {}, ("someone2020",), {"data": f"neulab/BARTScore:{path}"})
    dataset.load()
    ((paths, about),) = calls
    assert paths == {}
    assert (about.name, about.title, about.provenance.files) == ("x", "X", ())
    assert about.provenance.missing == (str(find("neulab/BARTScore", path)),)


def test_every_reader_is_there():
    for dataset in (*catalogue.DATASETS.values(), *catalogue.PAIRS.values()):
        assert callable(catalogue.resolve_name(f"metaeval.datasets.readers.{dataset.reader}"))


def test_many_files_are_every_combination():
    files = catalogue.PAIRS["llm-summeval-pairs"].needed_files
    assert len(files) == len(set(files)) == 1 + 11 * 4 * 2
    assert files[2].path == "comp_res/gpt-3.5-turbo-0301/M22-M23_relevance_toggle.result"
