import json

import pytest

from helpers.kit import timings
from metaeval.core.errors import SourceUnavailableError


@pytest.mark.parametrize(("path", "read"), [("BENCH", timings.bench), ("MEASURES", timings.bench_measures)])
def test_what_the_bench_wrote_is_read_where_it_ran(path, read, monkeypatch, tmp_path):
    monkeypatch.setattr(timings, path, tmp_path / "timings.csv")
    with pytest.raises(SourceUnavailableError, match=r"timings\.csv is not there; run `make bench`"):
        read()
    (tmp_path / "timings.csv").write_text("part,seconds\nours,1.5\n")
    assert read()["seconds"].tolist() == [1.5]


def test_what_the_bench_wrote_of_its_machine_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(timings, "BENCH", tmp_path / "bench.csv")
    (tmp_path / "bench.json").write_text(json.dumps({"processors": 2}))
    assert timings.bench_description() == {"processors": 2}
