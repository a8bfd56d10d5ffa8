"""GeSERA's TAC 2009 files."""

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers.gesera import JUDGMENTS, ROUGE, read_scores, read_sera, read_tac2009


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


def test_tac2009(paths, provenance):
    benchmark = read_tac2009(paths(), provenance)
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


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (line("D0902-B", 1, 1), "line 1: 'D0902-B' does not name a document and a system"),
        (line("D0902-B.M.100.C.2", 1, 1), "does not name a document"),
        (line("D0902-B.2", 1, 1) + " F:1", "line 1: D0902-B.2 must have 23 scores, got 24"),
        ("D0902-B.2 1 1 R:0.5", "must have 23 scores, got 3"),
        (line("D0902-B.2", 1, 1).replace("R:0.50000", "0.5"), "ROUGE-1 recall must be marked 'R:'"),
        (line("D0902-B.2", 1, 1).replace("P:0.501", "R:0.501"), "precision must be marked 'P:'"),
        (
            line("D0902-B.2", 1, 1).replace("F:0.50200", "F:x"),
            "ROUGE-1 F1: must be a number, got 'x'",
        ),
        (line("D0902-B.2", 1, 1).replace("F:0.50200", "F:inf"), "a score must be finite"),
        ("\n".join([SCORES, line("D0902-B.2", 1, 1)]), "line 3: .* document D0902-B comes twice"),
    ],
)
def test_bad_scores_are_refused(write_text, content, text):
    with pytest.raises(DataError, match=text) as caught:
        read_scores(write_text("scores.txt", content))
    assert "scores.txt" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("D0902-B.2\t0 0 0 0 0", "does not name a document and a system"),
        ("D0902-B.M.100.C.2\t0 0 0 0", "must have 5 scores, got 4"),
        ("D0902-B.M.100.C.2\t0 0 0 1 0.5", "must be the mean of the others, 0.25, got 0.5"),
        (SERA + "D0902-B.M.100.H.2\t0 0 0 0 0\n", "line 3: .* system 2, .* comes twice"),
    ],
)
def test_bad_sera_scores_are_refused(write_text, content, text):
    with pytest.raises(DataError, match=text):
        read_sera(write_text("sera.txt", content))


def test_a_summary_in_one_file_only_is_refused(paths, provenance):
    with pytest.raises(DataError, match=r"missing from the file with SERA: '2/D0902-B' \(1 of 2\)"):
        read_tac2009(paths(sera=SERA.splitlines()[0]), provenance)


def test_a_grid_with_a_hole_is_refused(paths, provenance):
    scores = f"{SCORES}\n{line('D0903-A.2', 1, 1)}"
    sera = SERA + "D0903-A.M.100.C.2\t0 0 0 0 0"
    with pytest.raises(DataError, match=r"1 of 4 missing: '10/D0903-A'"):
        read_tac2009(paths(scores, sera), provenance)


def test_nan_is_refused(paths, provenance):
    scores = SCORES.replace("0.400", "nan")
    with pytest.raises(DataError, match=r"Pyramid \(4 models\) must be a number everywhere; NaN in 1"):
        read_tac2009(paths(scores), provenance)
