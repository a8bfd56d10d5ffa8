"""The script itself, where the reader has it; what is said where the folder is not its."""

import numpy as np
import pytest
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.rouge_155 import VARIABLE, rouge_155_folder, rouge_155_scores
from metaeval.tables.benchmark import Texts

TEXTS = Texts(
    summaries=xr.DataArray(
        np.array([["the cat sat on the mats .", "nothing"], ["dogs bark", "<t> one two . </t> <t> three </t>"]], dtype=object),
        dims=("system", "document"),
        coords={"system": ["s0", "s1"], "document": ["d0", "d1"]},
    ),
    references={"d0": ("the cats sat on a mat",), "d1": ("<t> one two . </t> <t> three four . </t>",)},
)  # fmt: skip


def test_by_hand():
    folder = rouge_155_folder()
    if folder is None:
        pytest.skip(f"{VARIABLE} names no folder with ROUGE-1.5.5.pl")
    scores = rouge_155_scores(TEXTS, folder=folder)
    # of the stems of "the cat sat on a mat" all but "a"; of its five pairs "the cat", "cat sat", "sat on"
    assert scores.sel(system="s0", document="d0").values.tolist() == [0.83333, 0.6, 0.83333]
    # "one two three" of four words, two of three pairs: tags are no words, and the text is one sentence
    assert scores.sel(system="s1", document="d1").values.tolist() == [0.75, 0.66667, 0.75]
    assert scores.sel(system="s0", document="d1").values.tolist() == [0, 0, 0]
    assert scores.indexes["metric"].tolist() == ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall"]
    precision = rouge_155_scores(TEXTS, folder=folder, part="precision")
    assert precision.sel(metric="ROUGE-1 precision", system="s1", document="d1") == 1.0


def test_the_folder_is_what_the_variable_names(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert rouge_155_folder() == tmp_path.resolve()
    monkeypatch.setenv(VARIABLE, "")
    assert rouge_155_folder() is None


def test_a_folder_that_is_not_the_scripts(tmp_path):
    with pytest.raises(
        DataError, match=r"holds no ROUGE-1\.5\.5\.pl; ROUGE_155 must name the folder of the script"
    ):
        rouge_155_scores(TEXTS, folder=tmp_path)
    (tmp_path / "ROUGE-1.5.5.pl").write_text("exit 3;", encoding="ascii")
    with pytest.raises(DataError, match=r"holds no data/WordNet-2\.0\.exc\.db; .*perl buildExeptionDB\.pl"):
        rouge_155_scores(TEXTS, folder=tmp_path)


def test_a_script_that_leaves_a_summary_out(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "WordNet-2.0.exc.db").touch()
    line = "X ROUGE-%s Eval 1.X R:0.5 P:0.5 F:0.5"
    lines = "".join(f"print '{line % kind}', qq(\\n);" for kind in "12L")
    (tmp_path / "ROUGE-1.5.5.pl").write_text(lines, encoding="ascii")
    with pytest.raises(DataError, match="scored 1 of 4 summaries"):
        rouge_155_scores(TEXTS, folder=tmp_path)
    (tmp_path / "ROUGE-1.5.5.pl").write_text("die 'no luck';", encoding="ascii")
    with pytest.raises(DataError, match="failed: no luck"):
        rouge_155_scores(TEXTS, folder=tmp_path)


def test_wrong_choices(tmp_path):
    with pytest.raises(UnknownNameError, match="unknown part of ROUGE 'F2'"):
        rouge_155_scores(TEXTS, folder=tmp_path, part="F2")
