"""From people's units to a machine's, sentence by sentence."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import lite2x
from metaeval.metrics.pyramid.easiness import Mixture, split_units
from metaeval.metrics.pyramid.study import judge
from tests.kit.figures import series
from tests.metaeval.metrics.pyramid.support import made_study

pytestmark = pytest.mark.usefixtures("own_cache")
pytest.importorskip("HanTa")
SETTINGS = {"presence": "words", "units": "STU", "shares": [0, 0.5, 1], "n_random": 5}


@pytest.fixture
def made(monkeypatch):
    studies = {name: made_study(4, 6, seed=i) for i, name in enumerate(("first", "second"))}
    monkeypatch.setattr(lite2x, "load_study", studies.__getitem__)


@cache
def tables_of(*datasets):
    """The tables of some data sets of `made`, which several tests read and none changes."""
    return lite2x.tables([*datasets], rng=0, **SETTINGS)


def test_the_curve(study):
    judged = judge(study, "words")
    parts = split_units(study.benchmark.texts.references, study.units["SCU"], study.units["STU"])
    curve = lite2x.replacement_curve(
        Mixture(parts, judged["SCU"], judged["STU"], systems=study.benchmark.systems),
        study.benchmark.human,
        parts["easiness"],
        folds=study.folds["document"],
        shares=[0, 0.5, 1],
        random=np.random.default_rng(0).random((5, 18)),
    )
    ends = curve[curve["share"].isin([0, 1])].groupby(["share", "level"])["value"]
    assert (ends.max() - ends.min()).max() < 1e-12  # all orders begin and end alike
    assert set(curve.query("order != 'random'")["standard_deviation"]) == {0.0}


def test_draws_depend_on_the_seed_and_not_on_what_else_is_asked(made):
    def random(found):
        rows = found.curve.query("dataset == 'first' and order == 'random' and share == 0.5")
        return rows["value"].tolist()

    alone = random(tables_of("first"))
    assert random(tables_of("second", "first")) == alone
    half = SETTINGS | {"shares": [0.5]}
    assert random(lite2x.tables(["first"], rng=0, **half)) == alone
    assert random(lite2x.tables(["first"], rng=1, **half)) != alone


def test_tables_of_several_data_sets(made):
    found = tables_of("second", "first")
    for table in (found.sentences, found.curve, found.regressor, found.gains):
        assert table["dataset"].unique().tolist() == ["second", "first"]
        assert set(table["presence"]) == {"words"}
    error = found.regressor.set_index(["dataset", "quantity"])["value"]["first", "error of the regressor"]
    sentences = found.sentences[found.sentences["dataset"] == "first"]
    assert error == pytest.approx((sentences["predicted"] - sentences["easiness"]).abs().mean())


def test_folds_of_systems_have_curves_of_their_own(made):
    by_system = lite2x.tables(["first"], rng=0, by="system", **SETTINGS)
    for table in (by_system.curve, by_system.gains):
        assert set(table["split"]) == {"by systems"}
    by_document = tables_of("first").curve
    assert set(by_document["split"]) == {"by documents"}
    # folds of two systems: a correlation is 1 or -1
    ends = by_system.curve.query("level == 'system' and order == 'easiest first'")["value"]
    assert set(ends) <= {-1.0, 0.0, 1.0}


def test_facts_say_how_far_the_curves_lie_apart(made):
    found = tables_of("first")
    curve = found.curve.set_index(["level", "share", "order"])["value"]
    facts = found.gains.set_index(["quantity", "level", "share"])["value"]
    for other in ("random", "hardest first"):
        expected = curve["summary", 0.5, "easiest first"] - curve["summary", 0.5, other]
        assert facts[f"easiest first minus {other}", "summary", 0.5] == pytest.approx(expected)
    assert set(facts.index.get_level_values("share")) == {0.5}


def test_one_random_order_has_no_spread():
    with pytest.raises(ValueError, match="must be at least 2, to have a spread, got 1"):
        lite2x.replacement_curve(None, None, [], folds=[], shares=[], random=[[]])


def test_easy_sentences_stand_beside_a_band_of_random_ones_and_panels_of_a_row_have_one_axis():
    shares = [0, 0.5, 1]
    curve = pd.concat(
        pd.DataFrame(
            {"share": shares, "value": [1, 0.5, 0], "q2.5": [1, 0.4, 0], "q97.5": [1, 0.6, 0]}
        ).assign(order=order, level=level, dataset=dataset, coefficient="pearson")
        for dataset in ("lite-realsumm", "lite-pyrxsum")
        for level in ("system", "summary")
        for order in ("easiest first", "hardest first", "random")
    )
    figure = lite2x.replacement_curves(curve)
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(bands) == 4
    assert len(series(figure)) == 4 + 8
    assert max(bands[0].y) == 1
    assert figure.layout.yaxis2.matches == "y"
    assert figure.layout.yaxis.range == (-0.02, 1.02)
