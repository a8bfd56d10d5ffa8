"""Times that were recorded, in words."""

import json

import pandas as pd
import pytest

from helpers.experiments import speed
from helpers.experiments.speed import growth_exponents
from metaeval.core.errors import SourceUnavailableError
from tests.kit.figures import series


def test_of_the_fields_measures_the_text_tells_the_peer_the_matrix_and_the_largest():
    commit = "0123456789abcdef0123456789abcdef01234567"
    timed = pd.DataFrame(
        [
            {
                "measure": "a",
                "size": "2 x 3",
                "ours_ms": 2.0,
                "peer_ms": 8.0,
                "ratio": 4.0,
                "peer": f"p at {commit}",
            },
            {"measure": "all pairs", "size": "2 x 3", "ours_ms": 6_840.0},
            {"measure": "a", "size": "1,000 summaries", "ours_ms": 1_000.0},
            {"measure": "a", "size": "10,000 summaries", "ours_ms": 114_000.0},
        ]
    )
    assert speed.peer_times(timed)[["measure", "ratio"]].to_numpy().tolist() == [["a", 4.0]]
    assert speed.quoted(timed) == {
        "peer-version": "p at 01234567",
        "matrix-measure": "all pairs",
        "matrix-seconds": "6.8",
        "largest": "10,000 summaries",
        "largest-seconds": "114",
    }


def test_growth_of_a_known_power():
    sizes = [10, 20, 40, 80]
    measured = pd.DataFrame(
        {
            "part": "growth",
            "along": "systems",
            "size": sizes,
            "level": "summary",
            "coefficient": "kendall",
            "seconds": [0.01 * s**2 for s in sizes],
        }
    )
    assert growth_exponents(measured)["exponent"].item() == pytest.approx(2)


def test_a_draw_that_is_slower_stays_on_the_axis():
    measured = pd.DataFrame(
        {
            "part": "peer", "method": ["bootstrap", "permutation"], "level": "system", "coefficient": "pearson",
            "peer": "SciPy 1", "ours_ms": [0.001, 0.002], "peer_ms": [0.1, 0.001], "ratio": [100.0, 0.5],
        }
    )  # fmt: skip
    figure = speed.speed_dots(measured)
    assert [trace.x[0] for trace in series(figure)] == [100.0, 0.5]
    assert "this book (µs): 2.0" in figure.data[1].customdata[0]
    low, high = figure.layout.xaxis.range
    assert 10**low <= 0.5
    assert 10**high >= 100


@pytest.mark.parametrize(("path", "read"), [("BENCH", speed.bench), ("MEASURES", speed.bench_measures)])
def test_what_the_bench_wrote_is_read_where_it_ran(path, read, monkeypatch, tmp_path):
    monkeypatch.setattr(speed, path, tmp_path / "timings.csv")
    with pytest.raises(SourceUnavailableError, match=r"timings\.csv is not there; run `make bench`"):
        read()
    (tmp_path / "timings.csv").write_text("part,seconds\nours,1.5\n")
    assert read()["seconds"].tolist() == [1.5]


def test_what_the_bench_wrote_of_its_machine_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(speed, "BENCH", tmp_path / "bench.csv")
    (tmp_path / "bench.json").write_text(json.dumps({"processors": 2}))
    assert speed.bench_description() == {"processors": 2}
