"""Scores of whole texts by the small model, loaded once, against the package bert-score itself."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics import embeddings, registry, vectors
from metaeval.metrics.embeddings import MissingModelError, embed, encoder, model_folder
from metaeval.metrics.vectors import NAMES, PARTS, inverse_frequencies, vector_scores
from metaeval.tables.benchmark import CELL, Texts, with_ids

# imported by the tests that call it: it brings PyTorch, which would burden every run of any tests
pytestmark = pytest.mark.skipif(not find_spec("bert_score"), reason="bert-score is not installed")
BERT = [f"BERTScore {part}" for part in PARTS]
SYSTEMS = {
    "x": ["The cat sat on the mat. It slept.", "A dog ran away quickly from Dr. No."],
    "y": ["The cat sat on a mat while sleeping soundly.", "Ein Hund – 犬 – lief\x00 weg."],
    "z": ["Rain fell in May 2010, unbelievably.", "The dog ran."],
}
REFERENCES = {"a": ("A cat sat on the mat.", "Cats sleep."), "b": ("The dog ran.",)}


def build_texts(systems=SYSTEMS, references=REFERENCES):
    values = np.array(list(systems.values()), dtype=object)
    return Texts(with_ids(values, system=systems, document=references), references)


def plain(texts, folder, layer, **options):
    """(3, n_systems, n_documents) by the package's own call."""
    import bert_score

    n_systems, n_documents = texts.summaries.shape
    summaries = texts.summaries.to_numpy().ravel().tolist()
    references = [list(texts.references[document]) for document in texts.summaries.indexes["document"]]
    parts = bert_score.score(
        summaries, references * n_systems, model_type=str(folder), num_layers=layer, device="cpu", **options
    )
    return np.array([part.numpy() for part in parts]).reshape(-1, n_systems, n_documents)


def test_bertscore_is_the_packages():
    ours = vector_scores(build_texts(), BERT).to_numpy()
    assert np.abs(ours - plain(build_texts(), model_folder(), 6)).max() < 1e-5


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")  # in the package
def test_idf_is_the_packages():
    every = [text for texts in REFERENCES.values() for text in texts]
    idf = inverse_frequencies(every, encoder())
    # all three references have a full stop
    stop = encoder().tokenizer.convert_tokens_to_ids(".")
    assert idf.weights[stop] == 0
    assert idf.unseen == pytest.approx(np.log(4))
    ours = vector_scores(build_texts(), BERT, idf=idf).to_numpy()
    weights = idf.weights | {piece: idf.unseen for piece in range(30_522) if piece not in idf.weights}
    assert np.abs(ours - plain(build_texts(), model_folder(), 6, idf=weights)).max() < 1e-5


def test_the_best_of_several_references_or_the_mean():
    alone = [
        vector_scores(build_texts(references=REFERENCES | {"a": (text,)}), NAMES)[..., 0].to_numpy()
        for text in REFERENCES["a"]
    ]
    for way, expected in (("max", np.max(alone, axis=0)), ("mean", np.mean(alone, axis=0))):
        assert np.allclose(vector_scores(build_texts(), NAMES, references=way)[..., 0], expected, atol=1e-6)


def test_pieces_of_the_documents_and_little_memory_give_the_same(monkeypatch):
    whole = vector_scores(build_texts(), NAMES)
    one = [Texts(build_texts().summaries[:, [j]], REFERENCES) for j in range(2)]
    xr.testing.assert_allclose(
        xr.concat([vector_scores(t, NAMES) for t in one], "document"), whole, atol=1e-6
    )
    monkeypatch.setattr(vectors, "CHARACTERS_AT_ONCE", 1)
    monkeypatch.setattr(embeddings, "PIECES_AT_ONCE", 1)
    xr.testing.assert_allclose(vector_scores(build_texts(), NAMES), whole, atol=1e-6)


def test_empty_missing_and_equal_texts():
    systems = {
        "x": ["", "The dog ran."],
        "y": [None, "\x00 \u200b"],
        "z": ["<t> Cats sleep. </t>", " The dog ran. "],
    }
    scores = registry.scores(build_texts(systems), list(NAMES)).transpose("metric", *CELL)
    assert scores.indexes["metric"].tolist() == [f"{name} (MiniLM)" for name in NAMES]
    lowest = [0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0]
    assert scores[:, 0, 0].values.tolist() == lowest
    assert scores[:, 1, 1].values.tolist() == lowest
    assert np.isnan(scores[:, 1, 0]).all()
    assert np.allclose(scores[:, 2, 0], 1, atol=1e-6)  # tags and space at the ends are no words
    assert np.allclose(scores[:, [0, 2], 1], 1, atol=1e-6)
    nothing = vector_scores(build_texts(references={"a": ("",), "b": ("The dog ran.",)}), NAMES)
    assert nothing.sel(system="x", document="a").values.tolist() == lowest


def test_a_text_that_is_too_long_is_cut_as_by_the_package_with_a_warning():
    long = build_texts({"x": ["cat " * 10_000]}, {"a": ("The cat sat. " * 300,)})
    with pytest.warns(UserWarning, match="a text is longer than the 512 word pieces that .* reads"):
        ours = vector_scores(long, BERT)
    assert np.abs(ours.to_numpy() - plain(long, model_folder(), 6)).max() < 1e-5


def test_words_and_sentences_of_the_model():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sentences, words, tokens = embed(["Cats sleep.", "", "Cats sleep.", "word " * 400])
    assert tokens[0] == ["cats", "sleep", "."]
    assert tokens[1] == []
    assert [len(text_words) for text_words in words] == [3, 0, 3, 254]  # 256 with the model's marks
    assert np.allclose(np.linalg.norm(sentences, axis=1), 1, atol=1e-6)
    assert np.array_equal(sentences[0], sentences[2])


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"layer": 7}, DataError, "has the layers 1 to 6, got `layer` 7"),
        ({"layer": 0}, DataError, "got `layer` 0"),
        ({"references": "best"}, UnknownNameError, "way to combine references 'best'; known: max, mean"),
    ],
)
def test_mistakes_are_named(options, error, text):
    with pytest.raises(error, match=text):
        vector_scores(build_texts(), ["WMS"], **options)


def test_what_is_no_model_is_named(tmp_path):
    with pytest.raises(DataError, match="is not the folder of a transformers model"):
        vector_scores(build_texts(), ["WMS"], model=tmp_path)
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(DataError, match="holds no such model that can be loaded"):
        vector_scores(build_texts(), ["WMS"], model=tmp_path)
    with pytest.raises(MissingModelError, match=r"no model '.*no/such/folder': it is no folder here"):
        vector_scores(build_texts(), ["WMS"], model=tmp_path / "no" / "such" / "folder")
    with pytest.raises(DataError, match="idf is counted over texts"):
        inverse_frequencies("a text", encoder())


def test_half_a_character_is_named():
    with pytest.raises(DataError, match=r"half a character, '\\udc80' at place 4, which no model reads"):
        vector_scores(build_texts(references={"a": ("cat \udc80",), "b": ("dog",)}), ["WMS"])


@pytest.mark.slow
def test_another_models_words_have_a_space_before_them(tmp_path):
    from tests.metaeval.metrics.pyramid.support import tiny_roberta

    folder = tiny_roberta(tmp_path / "roberta-tiny")
    systems = {"x": ["a cat. it sat", "the dog ran"], "y": ["abc", " dogs  ran far."]}
    ours = registry.scores(build_texts(systems), BERT, model=folder)
    assert ours.indexes["metric"].tolist() == [f"{name} (roberta-tiny)" for name in BERT]
    assert np.abs(ours.to_numpy() - plain(build_texts(systems), folder, 1)).max() < 1e-5
    with pytest.raises(
        DataError, match=r"`idf` counts the word pieces of .*gt_all.*, those here are of .*roberta-tiny"
    ):
        vector_scores(build_texts(systems), BERT, model=folder, idf=inverse_frequencies(["a b"], encoder()))


@pytest.mark.slow
def test_many_texts_of_many_lengths_have_the_packages_scores():
    rng = np.random.default_rng(0)
    words = ["the", "cat", "dog", "ran", "rain", "fell", "2010", "London's", "unbelievable", ",", ".", "–"]
    write = lambda: " ".join(rng.choice(words, rng.integers(1, 200)))  # noqa: E731
    documents = [f"d{j}" for j in range(8)]
    texts = build_texts(
        {f"s{i}": [write() for _ in documents] for i in range(5)},
        {document: tuple(write() for _ in range(1 + j % 3)) for j, document in enumerate(documents)},
    )
    ours = vector_scores(texts, BERT).to_numpy()
    assert np.abs(ours - plain(texts, model_folder(), 6)).max() < 1e-5
