"""The light model kept as JSON, and the one that comes with the project."""

import json

import numpy as np
import pytest

from helpers.__main__ import main
from helpers.errors import DataError
from helpers.metrics.pyramid.features import LEXICAL, Background
from helpers.metrics.pyramid.light import SHIPPED, LightModel

BACKGROUND = Background.of(["the red cat sat", "a blue dog ran", "rain fell in may"])
UNITS, SUMMARIES = (
    ["the red cat sat", "two old men left"],
    ["The red cat sat down.", "Rain fell.", "Old men left."],
)


def small() -> tuple[LightModel, np.ndarray]:
    values = np.random.default_rng(0).random((200, len(LEXICAL))).astype(np.float32)
    return LightModel(BACKGROUND, semantic=False).fit(values, (values[:, 0] > 0.5).astype(int)), values


def test_what_is_kept_judges_as_what_learned(tmp_path):
    model, values = small()
    model.save(tmp_path / "some" / "light.json", learned_on=["a", "b"])
    again = LightModel.load(BACKGROUND, tmp_path / "some" / "light.json")
    assert again.feature_names == model.feature_names
    assert np.array_equal(again.presence(values), model.presence(values))
    assert json.loads((tmp_path / "some" / "light.json").read_text())["learned_on"] == ["a", "b"]
    assert np.array_equal(again.read(UNITS, SUMMARIES), model.read(UNITS, SUMMARIES))


def test_what_comes_with_the_project_tells_present_from_absent():
    pytest.importorskip("transformers")
    assert SHIPPED.stat().st_size < 1_000_000
    content = json.loads(SHIPPED.read_text(encoding="ascii"))
    assert content["learned_on"] == ["lite-realsumm", "lite-pyrxsum"]
    model = LightModel.load(BACKGROUND)
    presence = model.presence(model.read(UNITS, SUMMARIES))
    assert presence.shape == (2, 3)
    assert presence[0].argmax() == 0
    assert presence[1].argmax() == 2
    assert presence[0, 0] > 0.7 > 0.3 > presence[0, 1]


def test_mistakes_are_named(tmp_path):
    with pytest.raises(DataError, match="has learned nothing yet"):
        LightModel(BACKGROUND).save(tmp_path / "x.json", learned_on=[])
    path = tmp_path / "light.json"
    for text in ("no json", "[]", "{}"):
        path.write_text(text)
        with pytest.raises(DataError, match=r"light\.json holds no light model"):
            LightModel.load(BACKGROUND, path)
    small()[0].save(path, learned_on=[])
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "features_version": "old"}))
    with pytest.raises(DataError, match="features of version old, this is"):
        LightModel.load(BACKGROUND, path)


def test_simulated_labels_make_no_model(monkeypatch, capsys):
    monkeypatch.setenv("DATA", "simulated")
    before = SHIPPED.read_bytes()
    assert main(["learn"]) == 1
    assert "learns on people's labels; set DATA=real" in capsys.readouterr().err
    assert SHIPPED.read_bytes() == before
