"""Times that were recorded, in words."""

import pandas as pd

from helpers.experiments import speed


def test_the_answer_counts_where_a_draw_is_faster_here():
    measured = pd.DataFrame(
        {"part": ["peer", "peer", "growth"], "ours_ms": [0.001, 0.019, 9], "ratio": [300.0, 0.5, 9]}
    )
    said = speed.answer(measured, {"processors": 2})
    assert said["speed-answer-short"] == (
        "One resample of 25 systems on 100 documents takes 1.0 to 19 µs with this book's code (median 10 "
        "µs): faster than nlpstats or SciPy in half of the cases (1 of 2), by 0.50 to 300 times."
    )
    assert said["speed-answer-sure"].startswith("Timed once on 2 cores")


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
    assert speed.beside_peer(timed)[["measure", "ratio"]].to_numpy().tolist() == [["a", 4.0]]
    assert speed.measures_told(timed) == {
        "peer-version": "p at 01234567",
        "matrix-measure": "all pairs",
        "matrix-seconds": "6.8",
        "largest": "10,000 summaries",
        "largest-seconds": "114",
    }
