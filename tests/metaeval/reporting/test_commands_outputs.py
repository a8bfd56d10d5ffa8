"""What a command would write over what it reads, or over its other output, it refuses, and nothing is lost."""

import pytest

from metaeval.__main__ import main
from metaeval.stats.differences import adjust_pvalues
from metaeval.stats.intervals import share_wrongly_ranked


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text(
        '{"system": "a", "document": "1", "summary": "Rain fell.", "references": ["Rain fell."]}\n'
    )
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["score", "length", "--summaries", "FILE", "-o", "FILE"],
        ["texts", "simulated-realsumm", "-o", "OTHER", "--people", "OTHER"],
    ],
    ids=lambda words: words[0],
)
def test_no_command_writes_over_what_it_reads_or_over_another_output(texts, tmp_path, capsys, words):
    before, other = texts.read_bytes(), tmp_path / "other.jsonl"
    names = {"FILE": str(texts), "OTHER": str(other)}
    assert main([names.get(word, word) for word in words]) == 3
    assert "would be lost; name another file to write" in capsys.readouterr().err
    assert texts.read_bytes() == before
    assert not other.exists()


@pytest.mark.parametrize(
    ("call", "said"),
    [(lambda: adjust_pvalues([0.1, 2]), "pvalues"), (lambda: share_wrongly_ranked(2), "tau")],
)
def test_what_is_no_p_value_and_no_tau_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
