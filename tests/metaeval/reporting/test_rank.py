"""Rankings by votes: numbers that other functions give, what is undecided, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from metaeval.__main__ import main as run
from metaeval.core.errors import DataError
from metaeval.reporting.rank import PEOPLE, cast_votes, rank
from metaeval.reporting.reading import read
from metaeval.simulation.raters import Voter, draw_votes
from metaeval.stats.correlation import kendall
from metaeval.stats.votes import fit_strengths

SMALL = {"n_resamples": 99, "rng": 1}
WORDS = {1: "model_a", 0: "tie", -1: "model_b"}


@pytest.fixture
def arena(tmp_path):
    """A file of votes by people and two judges, one of which likes what it is shown first."""
    voters = [Voter(), Voter(agreement=0.95), Voter(position=2.0, tie=-2.0)]
    first, second, outcome, _ = draw_votes(voters, n_systems=6, n_votes=600, rng=2)
    table = pd.DataFrame({"item": [f"q{k}" for k in range(600)], "model_a": first, "model_b": second})
    for side in ("model_a", "model_b"):
        table[side] = "M" + (table[side] + 1).astype(str)
    for name, plane in zip(("human_winner", "good", "hasty"), outcome[:, 0], strict=True):
        table[name] = [WORDS[one] for one in plane]
    table.to_csv(tmp_path / "arena.csv", index=False)
    return tmp_path / "arena.csv"


def test_judges_and_systems(arena):
    result = rank(arena, **SMALL)
    table = pd.read_csv(arena)
    judges = result.judges.set_index("metric")
    assert judges.loc["good", "accuracy"] == pytest.approx((table["good"] == table["human_winner"]).mean())
    assert judges["n_pairs"].tolist() == [600] * 3
    strengths = result.systems.pivot(index="system", columns="metric", values="value")
    for name in ("good", "hasty"):
        tau = kendall(strengths[name].to_numpy(), strengths[PEOPLE].to_numpy())
        assert judges.loc[name, "value"] == pytest.approx(tau)
        assert judges.loc[name, "ordered"] == pytest.approx((1 + tau) / 2)
        assert judges.loc[name, "low"] < tau <= judges.loc[name, "high"]
    votes = cast_votes(read(arena).pairs)[PEOPLE]
    np.testing.assert_allclose(strengths[PEOPLE], fit_strengths(votes, votes.counts()[None]).value[0])
    assert judges.loc["hasty", "first_low"] > 0.7
    assert judges.loc["good", "first_low"] < 0.5 < judges.loc["good", "first_high"]
    people = result.systems.query("metric == @PEOPLE")
    assert people["place"].tolist() == people["value"].rank(ascending=False).tolist()
    assert (people["best_rank"] <= people["place"]).all()


def test_choices_may_be_names_of_systems_under_any_heading(arena):
    table = pd.read_csv(arena)
    named = table.rename(columns={"model_a": "bot_left", "model_b": "bot_right", "item": "turn_uid"})
    for name in ("human_winner", "good", "hasty"):
        sides = {"model_a": table["model_a"], "model_b": table["model_b"], "tie": "tie"}
        named[name] = np.select([table[name] == side for side in sides], [*sides.values()])
    one, other = (rank(read(data), **SMALL).systems for data in (table, named))
    pd.testing.assert_frame_equal(one, other)


def test_choices_among_models_are_no_systems(arena):
    table = pd.read_csv(arena).replace(
        {"M1": "gpt-4", "M2": "gemma-7b", "M3": "qwen2", "M4": "mixtral", "M5": "t5"}
    )
    sides = [table["human_winner"] == side for side in ("model_a", "model_b")]
    pick = np.select(sides, [table["model_a"], table["model_b"]], "tie")
    votes = table[["item", "model_a", "model_b"]].rename(
        columns=lambda name: name.replace("model", "chatbot")
    )
    systems = rank(read(votes.assign(crowd_pick=pick)), **SMALL).systems
    coded = rank(read(table[["item", "model_a", "model_b", "human_winner"]]), **SMALL).systems
    pd.testing.assert_frame_equal(systems, coded)


def test_winners_and_losers_are_votes():
    # against the others ant wins (1 + .5) / 2: all of 3 votes with bee, and one of 2 with cat
    rows = [("ant", "bee")] * 3 + [("bee", "cat")] * 2 + [("ant", "cat"), ("cat", "ant")]
    systems = rank(read(pd.DataFrame(rows, columns=["winner", "loser"])), **SMALL).systems
    assert systems.set_index("system")["win_rate"].to_dict() == {"ant": 0.75, "bee": 0.5, "cat": 0.25}


def test_clusters_that_are_not_used_are_named(arena):
    table = pd.read_csv(arena).assign(conv=[f"c{k // 3}" for k in range(600)])
    (line,) = set(rank(read(table, columns={"cluster": "conv"}), **SMALL).lines) - set(
        rank(read(table, ignore=["conv"]), **SMALL).lines
    )
    assert line.startswith("Clusters are not used")


def test_swapped_rows_are_votes_for_the_same_system(arena, tmp_path):
    """A file that names the better system, with the sides of half of the rows exchanged, gives the same rates."""
    table = pd.read_csv(arena).drop(columns=["good", "hasty"])
    sides = table[["model_a", "model_b"]].to_numpy()
    winner = table["human_winner"]
    table["human_winner"] = np.where(
        winner == "tie", "tie", np.where(winner == "model_a", sides[:, 0], sides[:, 1])
    )
    turned = np.arange(len(table)) % 2 == 0
    table.loc[turned, ["model_a", "model_b"]] = sides[turned, ::-1]
    table.to_csv(tmp_path / "turned.csv", index=False)
    rates = rank(tmp_path / "turned.csv", **SMALL).systems["win_rate"]
    own = rank(arena, **SMALL).systems.query("metric == @PEOPLE")["win_rate"]
    np.testing.assert_allclose(rates, own)


def test_command_prints_the_table_first_and_what_is_undecided(arena, capsys):
    assert run(["rank", str(arena), "--draws", "99"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "arena.csv: 6 systems ranked by 1,800 votes on 600 pairs of outputs"
    assert lines[3].split()[0] == "voter"
    assert {"people", "good", "hasty"} <= {line.split()[0] for line in lines if line}
    assert any(line.startswith("Undecided by the votes of people: the order of ") for line in lines)
    assert run(["rank", str(arena), "--draws", "99", "-v"]) == 0
    verbose = capsys.readouterr().out.splitlines()
    assert verbose[:-3] == lines
    assert verbose[-3] == "Ties of all kinds count alike, and half a win by win rates."
    assert run(["rank", str(arena), "--draws", "99", "--json"]) == 0
    contents = json.loads(capsys.readouterr().out)["tables"]
    assert contents["judges"][0]["metric"] == PEOPLE
    assert contents["judges"][0]["value"] is None
    assert len(contents["systems"]) == 18


def test_a_page(arena):
    result = rank(arena, **SMALL)
    html = result.to_html()
    assert "6 systems ranked by 1,800 votes" in html
    assert "hasty" in html


def write(tmp_path, rows, columns="item model_a model_b human_winner judge_x"):
    pd.DataFrame(rows, columns=columns.split()).to_csv(tmp_path / "votes.csv", index=False)
    return tmp_path / "votes.csv"


def test_what_cannot_be_ranked_is_refused(tmp_path):
    two = [(f"q{k}", "A", "B", "tie", "model_a") for k in range(9)]
    with pytest.raises(DataError, match="takes 3 systems, and votes are on A and B"):
        rank(write(tmp_path, two), **SMALL)
    apart = two + [(f"p{k}", "C", "D", "tie", "model_a") for k in range(9)]
    with pytest.raises(DataError, match=r"2 groups that are never compared: 'A' and 'B'; 'C' and 'D'; rank"):
        rank(write(tmp_path, apart), **SMALL)
    scores = [(f"q{k % 9}", f"S{k // 9}", k % 5, k % 3) for k in range(36)]
    with pytest.raises(DataError, match="these files hold scores; `metaeval report`"):
        rank(write(tmp_path, scores, "item system human judge_x"), **SMALL)


def test_a_system_that_never_loses_is_told(tmp_path):
    rows = [
        (
            f"q{k}",
            *pair,
            "model_a" if pair[0] == "A" else "model_b" if pair[1] == "A" else ("model_a", "model_b")[k % 2],
            "tie",
        )
        for k, pair in enumerate(
            [("A", "B"), ("B", "C"), ("C", "B"), ("C", "A"), ("B", "A"), ("A", "C"), ("B", "C")] * 6
        )
    ]
    result = rank(write(tmp_path, rows), **SMALL)
    assert any(
        line.startswith("In 99 of 99 draws the votes of people alone give no strengths")
        for line in result.lines
    )
    assert result.judges.set_index("metric").loc[PEOPLE, "n_penalized"] == 99


def test_predictions_from_few_votes_of_people(arena, tmp_path, capsys):
    table = pd.read_csv(arena)
    everything = table["human_winner"].copy()
    table.loc[150:, "human_winner"] = None
    table.to_csv(tmp_path / "few.csv", index=False)
    result = rank(tmp_path / "few.csv", sampled_at_random=True, **SMALL)
    rows = result.predicted.query("metric == 'good'").set_index("system")
    sides = [(table["model_a"], everything == "model_a"), (table["model_b"], everything == "model_b")]
    for system, row in rows.iterrows():  # what people would have said
        wins = pd.concat([won[side == system] for side, won in sides])
        assert row["low"] - 0.05 < wins.mean() < row["high"] + 0.05
    assert rows["n_pairs"].eq(150).all()
    assert rows["weight"].between(0, 1).all()
    assert run(["rank", str(tmp_path / "few.csv"), "--draws", "99", "--sampled-at-random"]) == 0
    assert "Ranks by win rates that people would give, a tie lost by both" in capsys.readouterr().out


def test_predictions_need_a_random_sample(arena, tmp_path):
    with pytest.raises(DataError, match="further votes of good alone; not so 'M1'"):
        rank(arena, sampled_at_random=True, **SMALL)
    table, place = pd.read_csv(arena), np.arange(600) % 8
    is_m1 = (table[["model_a", "model_b"]] == "M1").any(axis=1)
    table["human_winner"] = table["human_winner"].where((place == 0) | is_m1 & (place > 1))
    table.to_csv(tmp_path / "mix.csv", index=False)
    with pytest.raises(DataError, match="another mix of pairs of systems than good alone"):
        rank(tmp_path / "mix.csv", sampled_at_random=True, **SMALL)


def test_judges_without_people_are_ranked_by_each(arena, tmp_path):
    pd.read_csv(arena).drop(columns="human_winner").to_csv(tmp_path / "judges.csv", index=False)
    result = rank(tmp_path / "judges.csv", **SMALL)
    assert result.estimand == "Preference for what is shown first; no votes are people's"
    assert result.judges["value"].isna().all()
    assert set(result.systems["metric"]) == {"good", "hasty"}
    assert result.differences.empty


def test_sides_that_say_nothing_of_a_place(tmp_path):
    """One order of all systems for every pair, and outputs that were chosen or rejected, with no side at all."""
    pairs = [(a, b) for k, a in enumerate("abcd") for b in "abcd"[k + 1 :]]
    rows = [(f"q{k}", *pairs[k % 6], "model_b" if k % 3 else "model_a") for k in range(120)]
    columns = ["item", "model_a", "model_b", "human_winner"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "listed.csv", index=False)
    result = rank(tmp_path / "listed.csv", **SMALL)
    assert result.judges["first"].isna().all()
    assert "people prefer what is shown first can hardly be told" in result.summary()
    # by hand: each pair has 20 votes; those of pairs 0 and 3 are all for the earlier, all others for the later
    assert result.systems.sort_values("value")["system"].iloc[-1] == "d"
    sides = [[f"model {name}" for name in pairs[k % 6][:: 1 if k % 3 else -1]] for k in range(120)]
    rows = [(f"q{k}", f"A good answer to {k}.", f"A worse one to {k}.", *sides[k]) for k in range(120)]
    columns = ["item", "chosen", "rejected", "chosen_model", "rejected_model"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "chosen.csv", index=False)
    result = rank(tmp_path / "chosen.csv", **SMALL)
    assert result.judges["first"].isna().all()
    assert "first wins" not in result.summary()
    assert "what is shown first can" not in result.summary()
