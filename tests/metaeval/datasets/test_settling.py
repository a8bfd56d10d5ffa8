"""Which data a run is on: decided once, and said to the processes that it starts."""

import os

import pytest

from metaeval import datasets
from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets import catalogue, fetch


def test_auto_becomes_simulated_once_for_a_run(nobody_answers, monkeypatch):
    monkeypatch.setenv("DATA", "auto")
    mode, reason = datasets.decide()
    assert mode == "simulated"
    assert "no answer within 10 s" in reason
    assert os.environ["DATA"] == "simulated"
    assert "https://raw.githubusercontent.com\tno answer" in os.environ[fetch.SILENT]
    monkeypatch.setattr(fetch, "FETCHER", fetch.Fetcher())
    assert "https://raw.githubusercontent.com" in fetch.silent_hosts()  # as a child process sees it
    monkeypatch.delenv(fetch.SILENT)


def test_real_asked_for_and_not_there_is_an_error(nobody_answers, monkeypatch):
    monkeypatch.setenv("DATA", "real")
    with pytest.raises(SourceUnavailableError, match="set DATA_MIRROR"):
        datasets.decide()


@pytest.mark.parametrize("requested", ["auto", "real", "simulated"])
def test_what_is_asked_for_is_settled_where_every_file_is_there(requested, monkeypatch):
    monkeypatch.setenv("DATA", requested)
    monkeypatch.setenv(fetch.SILENT, "")
    fetched = []
    monkeypatch.setattr(catalogue, "fetch", fetched.append)
    mode = "simulated" if requested == "simulated" else "real"
    assert datasets.decide() == (mode, "")
    assert os.environ["DATA"] == mode
    needed = [file for name in catalogue.NEEDED_BY_THE_BOOK for file in catalogue.DATASETS[name].needed_files]
    assert set(needed) <= set(fetched) if requested != "simulated" else not fetched
