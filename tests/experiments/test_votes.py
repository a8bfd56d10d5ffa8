import numpy as np
import pandas as pd
import pytest

from helpers.experiments import votes
from metaeval import datasets
from metaeval.reporting.rank import PEOPLE, cast_votes, rank
from metaeval.simulation.raters import Voter, draw_votes
from metaeval.stats.correlation import kendall
from metaeval.stats.votes import Votes, fit_strengths
from metaeval.tables.benchmark import Provenance
from metaeval.tables.pairs import ORDERS, assemble_pairs
from tests.kit.figures import series

VOTERS = {PEOPLE: Voter(), "careful": Voter(agreement=0.9), "hasty": Voter(agreement=0.9, position=2.0)}


@pytest.fixture
def release(monkeypatch):
    """Votes of people and two judges on 300 pairs of five systems; people call the first 40 pairs both bad."""
    first, second, outcome, _ = draw_votes([*VOTERS.values()], n_systems=5, n_votes=300, rng=4)
    outcome[0, 0, :40] = 0
    items = {
        f"{k}": {
            **{"set": votes.BOTH_BAD if k < 40 else "", "dimension": "", "document": f"q{k}"},
            **{"first": f"S{a}", "second": f"S{b}"},
        }
        for k, (a, b) in enumerate(zip(first, second, strict=True))
    }
    planes = dict(zip(VOTERS, (1 + outcome[:, 0]) / 2, strict=True))
    made = assemble_pairs(
        name="made", title="made", items=items,
        judges={(judge, ORDERS[0], f"{k}"): v for judge in ("careful", "hasty") for k, v in enumerate(planes[judge])},
        people={(PEOPLE, f"{k}"): v for k, v in enumerate(planes[PEOPLE])},
        provenance=Provenance(files=(), licence="made", citation=()),
    )  # fmt: skip
    monkeypatch.setattr(votes, "pairs", lambda name: made)
    return made


def test_votes_for_neither_answer_can_be_left_out(release):
    assert len(votes.release_of("made").items) == 300
    rest = votes.release_of("made", both_bad="left out")
    assert rest.items.index.tolist() == [f"{k}" for k in range(40, 300)]
    np.testing.assert_array_equal(rest.people, release.people[:, 40:])


def test_agreement_is_that_of_the_ranking(release):
    ranking = rank(release, n_resamples=99, rng=0)
    table = votes.agreement(ranking, dataset="made").set_index(["judge", "quantity"])
    judges = ranking.judges.set_index("metric")
    for quantity, key in (("ranks", "value"), ("ranks by win rate", "rate"), ("votes", "accuracy")):
        assert table.loc[("hasty", quantity), "value"] == judges.loc["hasty", key]
    alike = (release.judges.sel(judge="hasty", order=ORDERS[0]) == release.people[0]).mean()
    assert table.loc[("hasty", "votes"), "value"] == pytest.approx(float(alike))
    assert table["n_systems"].unique().tolist() == [5]
    assert PEOPLE not in table.index.get_level_values("judge")


def test_choices(release):
    table = votes.choices("made").set_index(["estimate", "both_bad", "judge"])["value"]
    own = cast_votes(release)
    strengths = {name: fit_strengths(one, one.counts()[None]).value[0] for name, one in own.items()}
    assert table["strength", "a tie", "hasty"] == pytest.approx(
        kendall(strengths["hasty"], strengths[PEOPLE])
    )
    assert len(table) == 2 * 3 * 2


def test_strengths_without_a_place_are_those_of_a_fit_without_it():
    """A judge that saw each pair in one order, fitted by a model without a place: two systems, odds of 3 to 1."""
    first = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    own = Votes(first, 1 - first, np.array([1, 1, 1, 1, 1, 1, -1, -1]), np.arange(8), 2)
    np.testing.assert_allclose(-np.diff(votes.placeless_strengths(own)), np.log(6 / 2))


def test_more_votes_give_ranks_nearer_to_all_of_them(release):
    table = votes.by_size("made", sizes=[60, 3_000], n_samples=40, rng=1)
    value = table.set_index(["judge", "n_votes"])["value"]
    for judge in ("careful", "hasty"):
        assert value[judge, 60] < value[judge, 3_000]
    again = votes.by_size("made", sizes=[3_000], n_samples=40, rng=1)
    pd.testing.assert_frame_equal(again, table.query("n_votes == 3000").reset_index(drop=True))


def test_figures(release):
    ranking = rank(release, n_resamples=99, rng=0)
    dots = votes.agreement_dots(votes.agreement(ranking, dataset="made"))
    assert sum(len(trace.x) for trace in dots.data) == 8
    bars = votes.rank_bars(ranking.systems.rename(columns={"metric": "judge"}))
    assert [len(trace.x) for trace in bars.data] == [5, 5, 5]
    curves = votes.size_curves(votes.by_size("made", sizes=[50, 100], n_samples=2, rng=0))
    assert [list(trace.x) for trace in series(curves)] == [[50, 100]] * 2


def test_likeness_has_voters_of_known_behaviour(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    judges = rank(datasets.pairs("llm-votes"), n_resamples=99, rng=0).judges.set_index("metric")
    assert judges.loc["first shown", "first_low"] > 0.7
    assert judges.loc["careful", "value"] > judges.loc["other taste", "high"]
