"""The light model kept as JSON, and the one that comes with the project."""

import json

import numpy as np
import pytest

from bookbuild.__main__ import main
from bookbuild.runs.module_graph import ModuleGraph
from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.metrics import cache
from metaeval.metrics.pyramid.features import FEATURES, LEXICAL, MADE_BY, Background
from metaeval.metrics.pyramid.light import SHIPPED, LightModel

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
    # each feature varies in what is read again when the trees are loaded
    varied = np.ptp(np.array(content["example"]), axis=(0, 1)) > 0.01
    assert [name for name, one in zip(content["feature_names"], varied, strict=True) if not one] == []
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
        with pytest.raises(DataError, match=r"light\.json holds no light model of today"):
            LightModel.load(BACKGROUND, path)
    small()[0].save(path, learned_on=[])
    content = json.loads(path.read_text())
    for names, odd in (([*FEATURES, "new"], r"'new'"), (FEATURES[::-1], "in another order")):
        path.write_text(json.dumps({**content, "feature_names": [*names]}))
        with pytest.raises(DataError, match=rf"learned on other features \({odd}\)"):
            LightModel.load(BACKGROUND, path)
    path.write_text(json.dumps({**content, "example": [[1.0]]}))
    with pytest.raises(DataError, match=r"no light model \(its example has the shape \(1, 1\)\)"):
        LightModel.load(BACKGROUND, path)
    example = np.array(content["example"])
    example[1, 0, LEXICAL.index("recall")] += 0.01
    path.write_text(json.dumps({**content, "example": example.tolist()}))
    with pytest.raises(DataError, match=r"learned when features were computed otherwise \('recall'\)"):
        LightModel.load(BACKGROUND, path)


def test_what_a_model_reads_is_kept_until_the_code_changes_that_makes_it(tmp_path, monkeypatch):
    graph = ModuleGraph(ROOT, ["metaeval"])
    modules = {one for one in graph.closure({MADE_BY[0]}) if one.startswith("metaeval.metrics.")}
    assert modules - {"metaeval.metrics.cache"} == {*MADE_BY}  # what is kept is what is made
    for module in MADE_BY:
        path = tmp_path / f"{module.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    cache.code.cache_clear()
    keys = [LightModel(BACKGROUND).key]
    for module in MADE_BY:
        (tmp_path / f"{module.replace('.', '/')}.py").write_text("two")
        cache.code.cache_clear()
        keys.append(LightModel(BACKGROUND).key)
    (tmp_path / "metaeval/metrics/rouge.py").write_text("another metric")
    cache.code.cache_clear()
    assert len({*keys}) == 1 + len(MADE_BY)
    assert LightModel(BACKGROUND).key == keys[-1]
    monkeypatch.undo()
    cache.code.cache_clear()


def test_simulated_labels_make_no_model(monkeypatch, capsys):
    monkeypatch.setenv("DATA", "simulated")
    before = SHIPPED.read_bytes()
    assert main(["learn"]) == 1
    assert "learns on people's labels; set DATA=real" in capsys.readouterr().err
    assert SHIPPED.read_bytes() == before
