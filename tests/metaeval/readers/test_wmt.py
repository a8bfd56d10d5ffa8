"""WMT 2019's German-to-English systems."""

import gzip

import pytest

from metaeval.datasets.readers import wmt
from metaeval.datasets.readers.wmt import HUMAN, load_scores

PEOPLE = "LP HUMAN SYSTEM\nde-en 0.1 a.1\nen-cs 0.4 c.3\nde-en -0.2 b.2\n"
# tabs in some lines, blanks and further columns in others
SCORES = (
    "BLEU\tde-en\tnewstest2019\tb.2\t0.25\nNIST\tde-en\tnewstest2019\ta.1\t7\n"
    "BLEU de-en newstest2019 a.1 0.5 non-ensemble not-public\nBLEU en-cs newstest2019 c.3 0.9 x y\n"
)


def packed(path, content):
    path.write_bytes(gzip.compress(content.encode()))
    return path


def test_scores_of_one_language_pair(write_text, tmp_path, monkeypatch):
    monkeypatch.setattr(wmt, "METRICS", {"m": ("BLEU",)})
    paths = [write_text("DA-syslevel.csv", PEOPLE), packed(tmp_path / "m.gz", SCORES)]
    scores = wmt.read_scores(paths)
    assert scores.columns.tolist() == [wmt.HUMAN, "BLEU"]
    assert scores.T.to_dict("list") == {"a.1": [0.1, 0.5], "b.2": [-0.2, 0.25]}


@pytest.mark.real_data
def test_the_released_scores(or_skip):
    scores = or_skip("WMT 2019 in Deutsch et al. 2021", load_scores)
    assert scores.shape == (16, 23)
    assert scores.loc["Facebook_FAIR.6750", ["BLEU", "NIST"]].tolist() == [0.0535, 1.3697]
    assert scores[HUMAN].idxmax() == "Facebook_FAIR.6750"
