"""What the book shows is what ``data/recorded/`` holds: a result that nobody recorded is checked by no other run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookbuild.runs.record import tables
from bookbuild.runs.reseed import as_read
from helpers.kit import recorded
from metaeval.core.paths import ROOT

pytestmark = pytest.mark.browser


def test_every_table_of_results_is_recorded_with_its_columns(site: Path) -> None:
    if site.resolve() != (ROOT / "_build" / "site").resolve():
        pytest.skip("the site is of another checkout: its executed notebooks are not here")
    found = {name: set(as_read(table)) for name, table in real_tables().items()}
    there = {path.stem for path in recorded.FOLDER.glob("fig-*.csv")}
    assert there == set(found), "run `make record`"
    assert {name: set(recorded.read(name)) for name in there} == found, "run `make record`"


def real_tables():
    try:
        return tables()
    except ValueError as error:
        if "simulated" in str(error):
            pytest.skip("this run is on simulated data: its results are not recorded")
        raise
