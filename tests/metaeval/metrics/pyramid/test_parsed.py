"""Units, easiness and half-and-half units of references that a parser has labelled."""

import json

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.metrics.pyramid.parsed import (
    LABELS,
    N_FEATURES,
    features_of,
    mixed_units,
    parsed_table,
    read_parsed,
    released_easiness,
    tree_features,
    with_names,
)

TREE = "(S (NP (PRP She)) (VP (VBD sat) (PP (IN in) (NP (NN may)))) (. .))"
SCUS = {"x": ("Ann came.", "Ann is the mayor", "Ann left, tired"), "y": ("A dog ran",)}


def sentence(text, tags, tree="(S (VP (VBD ran)))"):
    return {"words": text.split(), "verbs": [{"tags": tags.split()}], "tree": tree}


LINES = {
    "x": {
        "sentences": [
            sentence("Ann came early", "B-ARG0 B-V B-ARGM-TMP"),
            sentence("Ann left home", "B-ARG0 B-V B-ARG1", TREE),
            sentence("Nothing more", "O O"),
        ],
        "coreference": {
            "words": ["Ann", "came", "early", ".", "The", "mayor", "left", "home"],
            "clusters": [[[0, 0], [4, 5]]],
        },
    },
    "y": {"sentences": [sentence("A dog ran off", "B-ARG0 I-ARG0 B-V B-ARGM-DIR")]},
}


def written(tmp_path, lines=LINES):
    path = tmp_path / "parsed.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines.values()), encoding="utf8")
    return path


def test_features_of_a_tree_by_hand():
    values = tree_features(5, TREE)
    assert values[:4].tolist() == [5, len(TREE), 5, 1]  # S, VP, PP, NP, NN
    counts = {label: n for label, n in zip(LABELS, values[4:].tolist(), strict=True) if n}
    assert counts == {"S": 1, "NP": 2, "PRP": 1, "VP": 1, "VBD": 1, "PP": 1, "IN": 1, "NN": 1, ".": 1}
    assert len(values) == N_FEATURES == 69
    # a bracket that is a word is one more that is open, as in the released code
    assert tree_features(1, "(NP (-LRB- ())")[2] == 3
    with pytest.raises(DataError, match="must be in brackets, got 'She sat'"):
        tree_features(2, "She sat")


@pytest.mark.parametrize(
    ("text", "clusters", "replaced", "units"),
    [
        ("Ann came . She sat", [[[0, 0], [3, 3]]], "Ann came . Ann sat", []),
        ("She came . Ann sat", [[[0, 0], [3, 3]]], "Ann came . Ann sat", []),
        ("Ann came . The mayor sat", [[[0, 0], [3, 4]]], "Ann came . Ann sat", ["Ann is The mayor"]),
        # it holds the name; half of its words are in the name; a second time
        ("Ann met Miss Ann Lee", [[[0, 0], [2, 4]]], "Ann met Ann", []),
        ("Old Ann met old Bea", [[[0, 1], [3, 4]]], "Old Ann met Old Ann", []),
        ("Ann , a cook and A cook", [[[0, 0], [2, 3], [5, 6]]], "Ann , Ann and Ann", ["Ann is a cook"]),
        ("She met him", [[[0, 0], [2, 2]]], "She met him", []),
    ],
)
def test_mentions_give_way_to_names(text, clusters, replaced, units):
    assert with_names(text.split(), clusters) == (replaced, units)


def test_units_go_to_the_sentence_with_the_largest_overlap(tmp_path):
    first, second, third = read_parsed(written(tmp_path), SCUS)["x"]
    assert (first.scus, second.scus, third.scus) == (
        ("Ann came.", "Ann is the mayor"),
        ("Ann left, tired",),
        (),
    )
    # what coreference adds stands before the sentence's own; no word of "the mayor" is in any sentence
    assert first.stus == ("Ann is The mayor", "Ann came early")
    assert (second.stus, third.stus) == (("Ann left home",), ("Nothing more",))
    table = parsed_table(read_parsed(written(tmp_path), SCUS))
    assert table["document"].tolist() == ["x", "x", "x", "y"]
    assert np.isnan(table["easiness"][2])
    assert table["easiness"][3] == pytest.approx(6 / 7)


def test_the_easiest_share_without_its_last_gets_stus(tmp_path):
    parsed = read_parsed(written(tmp_path), SCUS)
    units = mixed_units(parsed, [0.2, 0.9, 0.8, 0.7], percentage=75)
    # three of four are wanted: those above the third; a sentence without SCUs gives none
    assert units == {"x": ("Ann came.", "Ann is the mayor", "Ann left home"), "y": ("A dog ran",)}
    with pytest.raises(ValueError, match="must give one sentence or more of 4, got 20"):
        mixed_units(parsed, [1, 2, 3, 4], percentage=20)


def test_each_fold_has_its_own_regressor(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    parsed = read_parsed(written(tmp_path), SCUS)
    x = features_of(parsed)
    for i, target in enumerate((1.0, 3.0)):
        regressor = xgboost.XGBRegressor(n_estimators=2, base_score=target, n_jobs=1)
        regressor.fit(x, np.full(len(x), target))
        regressor.save_model(tmp_path / f"fold{i}_xgb.json")
    folds = [["y"], ["x"]]
    assert released_easiness(parsed, tmp_path, folds=folds) == pytest.approx([3, 3, 3, 1])
    assert released_easiness(parsed, tmp_path / "fold0_xgb.json", folds=folds) == pytest.approx([1, 1, 1, 1])
    with pytest.raises(DataError, match=r"fold2_xgb\.json is not there"):
        released_easiness(parsed, tmp_path, folds=[*folds, []])
    xgboost.XGBRegressor(n_estimators=1).fit(x[:, :3], x[:, 0]).save_model(tmp_path / "other.json")
    with pytest.raises(DataError, match=r"other\.json must be of 69 features, is of 3"):
        released_easiness(parsed, tmp_path / "other.json", folds=folds)
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(DataError, match=r"none\.json holds no regressor"):
        released_easiness(parsed, tmp_path / "none.json", folds=folds)


def test_a_line_of_another_form_is_named(tmp_path):
    with pytest.raises(DataError, match="must have 2 lines, one per document, got 1"):
        read_parsed(written(tmp_path, {"x": LINES["x"]}), SCUS)
    for spoiled in ({}, {"sentences": [{"words": ["A"], "verbs": []}]}):
        with pytest.raises(DataError, match=r"parsed\.jsonl, line 2 \(y\): KeyError"):
            read_parsed(written(tmp_path, {**LINES, "y": spoiled}), SCUS)
