"""From people's units to a machine's, sentence by sentence."""

import pytest

from helpers.experiments import lite2x
from helpers.metrics.pyramid.easiness import Mixture, split_units
from helpers.metrics.pyramid.study import judge
from tests.metrics.pyramid.support import made_study

pytestmark = pytest.mark.usefixtures("own_cache")
pytest.importorskip("HanTa")
SETTINGS = {"presence": "words", "units": "STU", "shares": [0, 0.5, 1], "n_random": 5}


@pytest.fixture
def made(monkeypatch):
    studies = {name: made_study(4, 8, seed=i) for i, name in enumerate(("first", "second"))}
    monkeypatch.setattr(lite2x, "load_study", studies.__getitem__)


def test_the_curve(study):
    judged = judge(study, "words")
    parts = split_units(study.benchmark.texts.references, study.units["SCU"], study.units["STU"])
    mixture = Mixture(parts, judged["SCU"], judged["STU"], systems=study.benchmark.systems)
    curve = [
        lite2x.replacement_curve(
            mixture, study.benchmark.human, parts.table["easiness"], folds=study.folds["document"], shares=[0, 0.5, 1],
            n_random=5, rng=seed,
        )
        for seed in (0, 0, 1)
    ]  # fmt: skip
    assert curve[0].equals(curve[1])
    assert not curve[0].equals(curve[2])
    ends = curve[0][curve[0]["share"].isin([0, 1])].groupby(["share", "level"])["value"]
    assert (ends.max() - ends.min()).max() < 1e-12  # all orders begin and end alike
    assert set(curve[0].query("order != 'random'")["spread"]) == {0.0}


def test_tables_of_several_data_sets(made):
    found = lite2x.easiness_tables(["first", "second"], rng=0, **SETTINGS)
    for table in (found.sentences, found.curve, found.facts):
        assert table["dataset"].unique().tolist() == ["first", "second"]
        assert set(table["presence"]) == {"words"}
    error = found.facts.set_index(["dataset", "what"])["value"]["first", "error of the regressor"]
    sentences = found.sentences[found.sentences["dataset"] == "first"]
    assert error == pytest.approx((sentences["predicted"] - sentences["easiness"]).abs().mean())


def test_facts_say_how_far_the_curves_lie_apart(made):
    found = lite2x.easiness_tables(["second"], rng=0, **SETTINGS)
    curve = found.curve.set_index(["level", "share", "order"])["value"]
    facts = found.facts.dropna(subset="level").set_index(["what", "level", "share"])["value"]
    for other in ("random", "hardest first"):
        expected = curve["summary", 0.5, "easiest first"] - curve["summary", 0.5, other]
        assert facts[f"easiest first minus {other}", "summary", 0.5] == pytest.approx(expected)
    assert set(facts.index.get_level_values("share")) == {0.5}


def test_one_random_order_has_no_spread():
    with pytest.raises(ValueError, match="must be at least 2, to have a spread, got 1"):
        lite2x.replacement_curve(None, None, [], folds=[], shares=[], n_random=1, rng=0)
