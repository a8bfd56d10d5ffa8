"""Times that were recorded, in words."""

import pandas as pd

from helpers.experiments import speed


def test_the_answer_counts_where_a_draw_is_faster_here():
    measured = pd.DataFrame(
        {"part": ["peer", "peer", "growth"], "ours_ms": [0.001, 0.019, 9], "ratio": [300.0, 0.5, 9]}
    )
    said = speed.answer(measured, {"processors": 2})
    assert said["speed-answer-short"] == (
        "One resample of 25 systems on 100 documents takes 0.001 to 0.02 ms here, median 0.010 ms: faster "
        "than nlpstats or SciPy in half of the cases (1 of 2), by 0.5 to 300 times."
    )
    assert said["speed-answer-sure"].startswith("Timed once on 2 cores")
