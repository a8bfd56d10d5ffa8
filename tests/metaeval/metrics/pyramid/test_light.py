"""The light model kept as JSON, and the one that comes with the project."""

import json

import numpy as np
import pytest

from bookbuild.__main__ import main
from bookbuild.runs.module_graph import ModuleGraph
from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.metrics import cache
from metaeval.metrics.pyramid.features import FEATURES, MADE_BY, Background, Features
from metaeval.metrics.pyramid.light import SHIPPED, fit, load

BACKGROUND = Background.of(["the red cat sat", "a blue dog ran", "rain fell in may"])
# of FEATURES, by unit and summary, as data/models/light.json held them
EXAMPLE = [
    [
        [0.5714, 0.75, 0.4291, 0.406, 0.3333, 0.5, 0.4286, 0.75, 0.4291, 0.406, 0.3333, 0.7273,
        0.4286, 0.4291, 0.9808, 0.9808, 1, 0, -1, 0, 0, 7, 4, 0.4295, 0.9808, 0.9611, 8, 2, 0.2381,
        0.0672, 0.1111, 0.852, -0.004, 0.591, 0.584, 0.584, 0.3, 1, 0.39], [0.7143, 0.75, 0.7264,
        0.7153, 0.3333, 0.1667, 0.5714, 0.5, 0.5709, 0.594, 0.1667, 0.6, 0.2857, 0.7264, 0.47, 0.47,
        1, 0, -1, 0, 0.6667, 7, 4, 0.4295, 0.9808, 0.9611, 18, 3, 0.619, 0.4821, 0.2778, 0.744,
        0.321, 0.548, 0.715, 0.563, 0.26, 1, 0.606], [0.5714, 0.75, 0.4291, 0.406, 0, 0.3333,
        0.2857, 0.75, 0.4291, 0.406, 0, 0.5333, 0.2857, 0.4291, 0.9808, 0.9808, 1, 0, -1, 0, 0, 7,
        4, 0.4295, 0.9808, 0.9611, 8, 1, 0.3333, 0.1398, 0, 0.628, 0.628, 0.628, 0.531, 0.531,
        0.257, 1, 0.366],
    ],
    [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2.0794, 10.1208, 8, 4, 0, 0, 0, 12, 8, 1.2651,
        2.0794, 0.9515, 8, 2, 0.2381, 0.0672, 0.1111, 0.071, -0.07, 0, 0.103, 0.095, 0.042, 8,
        0.39], [0.5, 0.625, 0.3836, 0.3522, 0.2727, 0.2727, 0.3333, 0.625, 0.3836, 0.3522, 0.2727,
        0.5217, 0.3333, 0.3836, 2.0794, 6.2383, 3, 2, 0, 1, 0, 12, 8, 1.2651, 2.0794, 0.9515, 18, 3,
        0.619, 0.4821, 0.2778, 0.787, 0.029, 0.383, 0.589, 0.589, 0.363, 3, 0.606], [0.1667, 0.25,
        0.0929, 0.0976, 0, 0.0455, 0.1667, 0.25, 0.0929, 0.0976, 0, 0.2, 0.1667, 0.0929, 2.0794,
        9.1808, 6, 3, 0, 0, 0, 12, 8, 1.2651, 2.0794, 0.9515, 8, 1, 0.3333, 0.1398, 0, 0.298, 0.298,
        0.298, 0.331, 0.331, 0.139, 6, 0.366],
    ],
    [
        [0.5, 0.5, 0.1198, 0.1198, 0, 0, 0.5, 0.5, 0.1198, 0.1198, 0, 0.3333, 0.5, 0.1198, 0.9808,
        0.9808, 1, 1, -1, 0, 0, 2, 2, 0.5572, 0.9808, 0.5, 8, 2, 0.2381, 0.0672, 0.1111, 0.248,
        0.059, 0.214, 0.203, 0.203, 0.118, 1, 0.39], [1, 1, 1, 1, 0, 0, 1, 0.5, 0.8802, 0.8802, 0,
        0.4, 0.5, 1, 0, 0, 0, 0, -1, 1, 0, 2, 2, 0.5572, 0.9808, 0.5, 18, 3, 0.619, 0.4821, 0.2778,
        0.286, 0.258, 0.335, 0.77, 0.698, 0.764, 0, 0.606], [0.5, 0.5, 0.1198, 0.1198, 0, 0, 0.5,
        0.5, 0.1198, 0.1198, 0, 0.2, 0.5, 0.1198, 0.9808, 0.9808, 1, 1, -1, 0, 0, 2, 2, 0.5572,
        0.9808, 0.5, 8, 1, 0.3333, 0.1398, 0, 0.17, 0.17, 0.17, 0.222, 0.222, 0.149, 1, 0.366],
    ],
]  # fmt: skip
UNITS, SUMMARIES = (
    ["the red cat sat", "two old men left"],
    ["The red cat sat down.", "Rain fell.", "Old men left."],
)


def test_what_is_kept_judges_as_what_learned(tmp_path):
    values = np.random.default_rng(0).random((200, len(FEATURES))).astype(np.float32)
    model = fit(values, (values[:, 0] > 0.5).astype(int))
    path = tmp_path / "some" / "light.json"
    model.save(path, learned_on=["a", "b"])
    assert np.array_equal(load(path).presence(values), model.presence(values))
    content = json.loads(path.read_text())
    assert content["learned_on"] == ["a", "b"]
    path.write_text(json.dumps({**content, "feature_names": FEATURES[::-1]}))
    with pytest.raises(DataError, match=r"light\.json learned on other features; train it again"):
        load(path)


def test_what_comes_with_the_project_tells_present_from_absent():
    pytest.importorskip("transformers")
    assert SHIPPED.stat().st_size < 1_000_000
    content = json.loads(SHIPPED.read_text(encoding="ascii"))
    assert content["learned_on"] == ["lite-realsumm", "lite-pyrxsum"]
    presence = load().presence(Features(FEATURES, BACKGROUND).read(UNITS, SUMMARIES))
    assert presence.shape == (2, 3)
    assert presence[0].argmax() == 0
    assert presence[1].argmax() == 2
    assert presence[0, 0] > 0.7 > 0.3 > presence[0, 1]


def test_features_are_those_that_the_shipped_model_learned_on():
    """What stood in the file when its trees learned: where these move, it must learn again."""
    pytest.importorskip("transformers")
    units = ["The red cat sat on a mat.", "Two of 30 old men left the town of Bern on Monday.", "Men sat."]
    summaries = [
        "A red cat sat. It rained in May.",
        "On Monday, old men left Bern and did not come back. A cat sat. Nobody saw a mat.",
        "A cat, red and old, sat in Bern.",
    ]
    values = Features(FEATURES, Background.of(summaries)).read(units, summaries)
    learned = np.array(EXAMPLE)
    assert (np.ptp(learned, axis=(0, 1)) > 0.01).all()  # each feature varies
    np.testing.assert_allclose(values, learned, atol=0.002)  # vectors differ in their last bits


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
    keys = [Features(FEATURES, BACKGROUND).key]
    for module in MADE_BY:
        (tmp_path / f"{module.replace('.', '/')}.py").write_text("two")
        cache.code.cache_clear()
        keys.append(Features(FEATURES, BACKGROUND).key)
    (tmp_path / "metaeval/metrics/rouge.py").write_text("another metric")
    cache.code.cache_clear()
    assert len({*keys}) == 1 + len(MADE_BY)
    assert Features(FEATURES, BACKGROUND).key == keys[-1]
    monkeypatch.undo()
    cache.code.cache_clear()


def test_simulated_labels_make_no_model(monkeypatch, capsys):
    monkeypatch.setenv("DATA", "simulated")
    before = SHIPPED.read_bytes()
    assert main(["learn"]) == 1
    assert "learns on people's labels; set DATA=real" in capsys.readouterr().err
    assert SHIPPED.read_bytes() == before
