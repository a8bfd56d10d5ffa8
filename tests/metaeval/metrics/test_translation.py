"""Metrics of machine translation are their libraries', text by text; WordNet is a folder that a test makes."""

import nltk
import pytest
import sacrebleu
import xarray as xr

from metaeval.core.errors import SourceUnavailableError, UnknownNameError
from metaeval.metrics.translation import meteor_scores, sacrebleu_scores
from metaeval.tables.benchmark import CELL, Texts
from tests.builders import random_texts


def one_text(summary, *references):
    array = xr.DataArray([[summary]], dims=CELL, coords={"system": ["s"], "document": ["d"]})
    return Texts(array, {"d": references})


def test_sacrebleu_gives_the_same():
    sample = random_texts(2, 3)
    scores = sacrebleu_scores(sample, ["chrF", "BLEU", "chrF++"])
    for document, references in sample.references.items():
        for system in ("s0", "s1"):
            summary = sample.summaries.sel(system=system, document=document).item()
            expected = [
                sacrebleu.sentence_chrf(summary, references).score,
                sacrebleu.sentence_bleu(summary, references).score,
                sacrebleu.sentence_chrf(summary, references, word_order=2).score,
            ]
            assert scores.sel(system=system, document=document).to_numpy().tolist() == expected
    tagged = one_text("<t> a b c d </t>", "<t> a b c </t> <t> d </t>")
    assert sacrebleu_scores(tagged, ["BLEU", "chrF"]).to_numpy().ravel().tolist() == pytest.approx([100, 100])


def test_meteor_counted_by_hand():
    # all three words in one run: one chunk of three matches, so 1 - 0.5 (1/3)^3
    assert meteor_scores(one_text("the cats sat", "The cat sat")).item() == pytest.approx(1 - 0.5 / 27)
    # one word of four, of two: recall counts nine times as much as precision
    precision, recall = 1 / 2, 1 / 4
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    assert meteor_scores(one_text("a cat", "cat or dog here")).item() == pytest.approx(mean * 0.5)
    # the nearer of two references
    both = meteor_scores(one_text("a cat", "cat or dog here", "a cat")).item()
    assert both == meteor_scores(one_text("a cat", "a cat")).item()


def wordnet(folder):
    """A folder like NLTK's with a WordNet of one meaning and two words."""
    root, folder = folder, folder / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for part in ("noun", "verb", "adj", "adv"):
        for kind in ("index.", "data."):
            (folder / f"{kind}{part}").write_text("")
        (folder / f"{part}.exc").write_text("")
    for name in ("cntlist.rev", "index.sense"):
        (folder / name).write_text("")
    (folder / "lexnames").write_text("00\tnoun.all\t1\n")
    (folder / "data.noun").write_text("00000000 00 n 02 car 0 auto 0 000 | a vehicle  \n")
    (folder / "index.noun").write_text("auto n 1 0 1 0 00000000  \ncar n 1 0 1 0 00000000  \n")
    return root


def test_synonyms_match_with_wordnet_only(tmp_path, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    sample = one_text("red auto", "red car")
    assert meteor_scores(sample).item() < 0.5
    assert meteor_scores(sample, wordnet=wordnet(tmp_path)).item() == pytest.approx(1 - 0.5 / 8)


def test_what_is_no_wordnet_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(SourceUnavailableError, match=f"{tmp_path} does not hold corpora/wordnet"):
        meteor_scores(one_text("a", "b"), wordnet=tmp_path)
    with pytest.raises(SourceUnavailableError, match="nowhere does not hold corpora/wordnet"):
        meteor_scores(one_text("a", "b"), wordnet=tmp_path / "nowhere")


def test_empty_texts_are_worth_nothing():
    for summary, reference in (("", "a b"), ("a b", ""), ("", "")):
        sample = one_text(summary, reference)
        assert sacrebleu_scores(sample, ["BLEU", "chrF", "chrF++"]).to_numpy().ravel().tolist() == [0, 0, 0]
        assert meteor_scores(sample).item() == 0


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="unknown metric of sacrebleu 'TER'; known: BLEU, chrF"):
        sacrebleu_scores(one_text("a", "b"), ["TER"])
