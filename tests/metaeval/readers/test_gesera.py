"""GeSERA's TAC 2009 files."""

import pytest

from metaeval.datasets.readers.gesera import JUDGMENTS, ROUGE, read_tac2009


def line(label, four, three, *, first=0.5):
    """An id, two Pyramid scores, and 21 ROUGE scores first, first + 0.001, ..."""
    values = [f"{'RPF'[i % 3]}:{first + i / 1000:.5f}" for i in range(21)]
    return " ".join([label, f"{four:.3f}", f"{three:.3f}", *values])


SCORES = "\n".join(
    [
        line("D0902-B.2", 0.4, 0.3),
        line("D0902-B.10", 0.2, 0.1, first=0.25),
    ]
)
SERA = "D0902-B.M.100.C.10\t0.2 0.2 0.4 0.4 0.30000000000000004\nD0902-B.M.100.C.2\t0.0 0.2 1.0 0.8 0.5\n"


@pytest.fixture
def paths(write_text):
    def write(scores=SCORES, sera=SERA):
        return {
            "scores": write_text("scores.txt", scores),
            "sera": write_text("sera.txt", sera),
        }

    return write


def test_tac2009(paths, about):
    benchmark = read_tac2009(paths(), about)
    assert benchmark.systems == ["2", "10"]
    assert benchmark.documents == ["D0902-B"]
    assert benchmark.judgments == ["Pyramid (4 models)", "Pyramid (3 models)"]
    assert benchmark.humans.values[:, :, 0].tolist() == [[0.4, 0.2], [0.3, 0.1]]
    # the joined file lists system 10 first: joined by id, not by line
    assert benchmark.metric("SERA-5").values.ravel() == pytest.approx([0.5, 0.3])
    assert benchmark.metric("SERA-5 (reference 3)").values.ravel().tolist() == [1.0, 0.4]
    # the sixth block of three is ROUGE-W, whose precision is the 17th number
    assert benchmark.metric("ROUGE-W-1.2 precision").values.ravel() == pytest.approx([0.516, 0.266])
    assert benchmark.metric("ROUGE-SU4 F1").values.ravel() == pytest.approx([0.52, 0.27])
    assert len(benchmark.metrics) == 21 + 5


def test_the_order_of_columns():
    assert JUDGMENTS == ("Pyramid (4 models)", "Pyramid (3 models)")
    assert ROUGE[:4] == ("ROUGE-1 recall", "ROUGE-1 precision", "ROUGE-1 F1", "ROUGE-2 recall")
    assert ROUGE[12] == "ROUGE-L recall"
