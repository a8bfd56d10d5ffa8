"""The cross-encoder, on a tiny model of random weights."""

import json
import shutil

import numpy as np
import pytest

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.embeddings import MissingModelError, UnfitModelError
from metaeval.metrics.pyramid.nli import READINGS, NliModel
from metaeval.metrics.pyramid.study import judge
from tests.metaeval.metrics.pyramid.support import FACTS, tiny_nli

LOGITS = np.array([[1.0, 0.5, 0.2], [0.3, 2.0, -1.0], [0.1, -3.0, 0.2]])


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        # e^1 / (e^1 + e^.5 + e^.2), and so on
        (
            "p3c",
            [
                2.7182818 / (2.7182818 + 1.6487213 + 1.2214028),
                1.3498588 / (1.3498588 + 7.3890561 + 0.3678794),
                1.1051709 / (1.1051709 + 0.0497871 + 1.2214028),
            ],
        ),
        ("l3c", [1, 0, 0]),
        # logits of the others added: .7, 1, -2.8
        ("p2c", [1 / (1 + np.exp(0.7 - 1.0)), 1 / (1 + np.exp(1.0 - 0.3)), 1 / (1 + np.exp(-2.8 - 0.1))]),
        ("l2c", [1, 0, 1]),  # the third is absent for three classes and present for two
    ],
)
def test_readings_by_hand(reading, expected):
    assert READINGS[reading](LOGITS) == pytest.approx(expected, abs=1e-6)


def test_batches_and_mixed_lengths_change_nothing(tiny, monkeypatch):
    pairs = [(" . ".join(FACTS[: k % 5 + 1]), FACTS[k % 3]) for k in range(11)]
    many = NliModel(tiny, device="cpu").logits(pairs)
    monkeypatch.setattr("metaeval.metrics.pyramid.nli.PAIRS_AT_ONCE", 1)
    one = NliModel(tiny, device="cpu").logits(pairs)
    assert many == pytest.approx(one, abs=1e-5)
    assert len({tuple(row) for row in one.round(5).tolist()}) > 3  # the model does tell pairs apart
    assert one[0] == pytest.approx(NliModel(tiny, device="cpu").logits([pairs[0]])[0], abs=1e-5)


def test_a_long_summary_is_cut_and_the_unit_kept(tiny):
    model = NliModel(tiny, device="cpu")
    long = "the red cat sat . " * 40
    assert model.encode([(long, FACTS[1])])["input_ids"].shape[1] == 62 + 2
    text = model.tokenizer.decode(model.encode([(long, FACTS[1])])["input_ids"][0])
    assert FACTS[1] in text
    assert np.isfinite(model.logits([(long, FACTS[1])])).all()


def test_classes_are_found_by_name(tmp_path):
    mixed = tiny_nli(tmp_path / "mixed", labels=("CONTRADICTION", "Entailment", "neutral"))
    plain = tiny_nli(tmp_path / "plain")  # same weights, other names
    pair = [(FACTS[0], FACTS[1])]
    assert NliModel(mixed).logits(pair)[0] == pytest.approx(
        NliModel(plain).logits(pair)[0][[1, 2, 0]], abs=1e-6
    )


@pytest.mark.parametrize("reading", sorted(READINGS))
def test_through_the_common_interface(study, tiny, reading):
    presence = judge(study, "nli", checkpoint=str(tiny), reading=reading)
    assert set(presence) == {"SCU", "STU", "extracted"}
    values = np.concatenate(list(presence["SCU"].values()))
    assert ((values >= 0) & (values <= 1)).all()
    if reading.startswith("l"):
        assert set(values.tolist()) <= {0.0, 1.0}
    summary = study.benchmark.texts.summaries.sel(system="s1", document="d2").item()
    alone = NliModel(tiny, reading=reading)
    logits = alone.logits([(summary, study.units["SCU"]["d2"][1])])
    assert presence["SCU"]["s1", "d2"][1] == pytest.approx(alone.presence(logits)[0], abs=1e-5)


def without(tiny, tmp_path, *names):
    folder = tmp_path / "copy"
    shutil.copytree(tiny, folder, ignore=shutil.ignore_patterns(*names))
    return folder


def test_a_folder_without_a_tokenizer(tiny, tmp_path):
    with pytest.raises(DataError, match=r"which holds config\.json and a tokenizer"):
        NliModel(without(tiny, tmp_path, "token*", "vocab*", "special*"))


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(DataError, match="is not the folder of a transformers model"):
        NliModel(tmp_path)


def test_a_folder_without_weights(tiny, tmp_path):
    with pytest.raises(UnfitModelError, match="holds no such model that can be loaded"):
        NliModel(without(tiny, tmp_path, "*.safetensors"))


def test_a_model_that_is_nowhere(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # else it tries for a minute
    with pytest.raises(MissingModelError, match=r"no model 'no/such-model'.*Give the folder of a model"):
        NliModel("no/such-model")


def test_a_model_of_other_classes(tiny, tmp_path):
    folder = without(tiny, tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {"0": "yes", "1": "no", "2": "perhaps"}
    config.pop("label2id", None)
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match="must be entailment, neutral, contradiction, got no, perhaps, yes"):
        NliModel(folder)


def test_wrong_choices(tiny):
    with pytest.raises(
        UnknownNameError, match="unknown reading of the logits 'p4c'; known: l2c, l3c, p2c, p3c"
    ):
        NliModel(tiny, reading="p4c")
