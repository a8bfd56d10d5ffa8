import pandas as pd
import pytest

from helpers.experiments import annotations


def test_worker_agreement_marks_type_and_folder():
    agreement = pd.DataFrame(
        {
            "system": ["abs_x", "ext_y"],
            "system_type": ["abs", "ext"],
            "value": [0.6, 0.3],
            "standard_error": [0.1, 0.1],
            "folder": ["abs", "abs"],
        }
    )
    figure = annotations.worker_dots(agreement)
    assert {(trace.name, trace.y): trace.x for trace in figure.data} == {
        ("abstractive, ratings among the abstractive", ("abs_x",)): (0.6,),
        ("extractive, ratings among the abstractive", ("ext_y",)): (0.3,),
    }
    assert all(trace.error_x.array == (pytest.approx(0.196),) for trace in figure.data)
