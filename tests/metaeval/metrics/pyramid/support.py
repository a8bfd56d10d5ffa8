"""Small made-up data and models for the Pyramid tests."""

from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.metrics.pyramid.study import Study
from metaeval.tables.benchmark import Benchmark, Provenance, Texts

FACTS = (
    "the red cat sat",
    "a blue dog ran",
    "one green bird sang",
    "two old men left",
    "rain fell in may",
    "the bank closed",
)


def made_study(n_systems: int = 4, n_documents: int = 6, *, seed: int = 0) -> Study:
    """References of three facts; a summary holds some of them, word for word, and the labels say which."""
    rng = np.random.default_rng(seed)
    systems, documents = [f"s{i}" for i in range(n_systems)], [f"d{j}" for j in range(n_documents)]
    facts = {d: [FACTS[k] for k in rng.choice(len(FACTS), 3, replace=False)] for d in documents}
    labels, texts = {}, np.empty((n_systems, n_documents), dtype=object)
    for i, s in enumerate(systems):
        for j, d in enumerate(documents):
            held = (rng.random(3) < (i + 1) / (n_systems + 1)).astype(int)
            labels[s, d] = held
            texts[i, j] = " . ".join(f for f, h in zip(facts[d], held, strict=True) if h) + " . nothing else"
    coords = {"system": systems, "document": documents}
    gold = xr.DataArray(
        [[labels[s, d].mean() for d in documents] for s in systems],
        dims=("system", "document"),
        coords=coords,
    )
    benchmark = Benchmark(
        name="made-up",
        title="made-up",
        scores=xr.DataArray(
            np.zeros((0, n_systems, n_documents)),
            dims=("metric", "system", "document"),
            coords={"metric": pd.Index([], dtype=object), **coords},
        ),
        humans=gold.expand_dims(judgment=["gold"]),
        system_type=dict.fromkeys(systems, "abs"),
        provenance=Provenance(files=(), licence="none", citation=()),
        texts=Texts(
            summaries=xr.DataArray(texts, dims=("system", "document"), coords=coords),
            references={d: (" ".join(f"<t> {fact} . </t>" for fact in facts[d]),) for d in documents},
        ),
    )
    units = {d: tuple(sentences) for d, sentences in facts.items()}
    # the machine's units: the first fact cut short, the others whole
    stus = {d: (sentences[0].rsplit(" ", 1)[0], *sentences[1:]) for d, sentences in facts.items()}
    return Study(
        benchmark=benchmark,
        units={"SCU": units, "STU": stus, "extracted": stus},
        labels=labels,
        folds={
            "document": [documents[:2], documents[2:4], documents[4:]],
            "system": [systems[:2], systems[2:]],
        },
        mixed={d: (stus[d][0], *units[d][1:]) for d in documents},
    )


def perfect(study: Study) -> dict[str, dict]:
    """Presence of SCUs as people's labels have it."""
    return {"SCU": {cell: label.astype(float) for cell, label in study.labels.items()}}


def tiny_nli(folder: Path, *, seed: int = 0, labels=("entailment", "neutral", "contradiction")) -> Path:
    """A cross-encoder of random weights with a vocabulary of letters and a few words, saved to `folder`."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    words = sorted({word for fact in FACTS for word in fact.split()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *letters, *(f"##{c}" for c in letters)]
    vocabulary += [word for word in words if word not in vocabulary]
    source = folder / "source-vocab.txt"
    source.write_text("\n".join(vocabulary), encoding="utf8")
    BertTokenizerFast(vocab=str(source), model_max_length=64).save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, num_labels=3, id2label=dict(enumerate(labels)), initializer_range=0.5,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    source.unlink()
    return folder


def tiny_roberta(folder: Path, *, seed: int = 0) -> Path:
    """A RoBERTa cross-encoder of random weights, of letters, whose classes have no names, saved to `folder`."""
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "Ġ", ".", *letters]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    RobertaTokenizerFast(vocab=vocabulary, merges=[], model_max_length=128).save_pretrained(folder)
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=130, num_labels=3, initializer_range=0.5, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    RobertaForSequenceClassification(config).save_pretrained(folder)
    return folder
