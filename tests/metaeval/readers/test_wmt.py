"""WMT 2019's German-to-English systems."""

import gzip

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers.wmt import HUMAN, load_scores, read_metrics, read_people

PEOPLE = "LP HUMAN SYSTEM\nde-en 0.1 a.1\nen-cs 0.4 c.3\nde-en -0.2 b.2\n"
# tabs in some files, blanks and further columns in others
SCORES = (
    "BLEU\tde-en\tnewstest2019\tb.2\t0.25\nNIST\tde-en\tnewstest2019\ta.1\t7\n"
    "BLEU de-en newstest2019 a.1 0.5 non-ensemble not-public\nBLEU en-cs newstest2019 c.3 0.9 x y\n"
)


def packed(path, content):
    path.write_bytes(gzip.compress(content.encode()))
    return path


def test_scores_of_one_language_pair(write_text, tmp_path):
    people = read_people(write_text("DA-syslevel.csv", PEOPLE))
    assert people == {"a.1": 0.1, "b.2": -0.2}
    scores = read_metrics(packed(tmp_path / "m.gz", SCORES), ["BLEU"], people)
    assert scores["BLEU"].to_dict() == {"a.1": 0.5, "b.2": 0.25}


@pytest.mark.parametrize(
    ("content", "names", "text"),
    [
        (SCORES, ["BLEU", "NIST"], r"m.gz: systems without a score: 'b.2'"),
        (SCORES + "BLEU de-en newstest2019 a.1 0.6\n", ["BLEU"], r"m.gz: systems come twice: 'a.1'"),
        (SCORES.replace("0.25", "x"), ["BLEU"], r"m.gz, BLEU, b.2: must be a number, got 'x'"),
    ],
)
def test_bad_scores_are_refused(tmp_path, content, names, text):
    with pytest.raises(DataError, match=text):
        read_metrics(packed(tmp_path / "m.gz", content), names, ["a.1", "b.2"])


@pytest.mark.real_data
def test_the_released_scores(or_skip):
    scores = or_skip("WMT 2019 in Deutsch et al. 2021", load_scores)
    assert scores.shape == (16, 23)
    assert scores.loc["Facebook_FAIR.6750", ["BLEU", "NIST"]].tolist() == [0.0535, 1.3697]
    assert scores[HUMAN].idxmax() == "Facebook_FAIR.6750"
