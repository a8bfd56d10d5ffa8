"""Boards of metrics, folds of two systems, and what is quoted of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import leaderboard
from metaeval.analysis import systems
from metaeval.metrics.pyramid.folds import fold_mean, fold_table
from metaeval.metrics.pyramid.study import judge, load_study, scores_of
from metaeval.metrics.rouge_155 import VARIABLE, rouge_155_folder
from metaeval.stats.differences import compare_pairs, simultaneous_pvalues
from metaeval.stats.streams import stream
from tests.builders import benchmark
from tests.kit.figures import visible

pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_board_carries_rouge_and_ours(study):
    scores = scores_of(study, judge(study, "words"))["SCU"]
    board = leaderboard.board(study, {"ours": scores[::-1]})
    assert board.metrics == ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall", "METEOR", "ours"]
    assert np.array_equal(board.metric("ours"), scores)
    again = leaderboard.board(study, {})  # from the cache
    assert np.array_equal(again.metric("ROUGE-L recall"), board.metric("ROUGE-L recall"))


def test_another_release_may_lack_a_system(study, monkeypatch):
    fewer = study.benchmark.select(systems=["s2", "s0", "s1"])
    other = fewer.with_scores(fewer.human.expand_dims(metric=["theirs"]))
    monkeypatch.setattr(leaderboard, "OTHER_RELEASES", {"made-up": {"other": ["theirs"]}})
    monkeypatch.setattr(leaderboard.datasets, "load", {"other": other}.__getitem__)
    board = leaderboard.board(study, {})
    assert np.isnan(board.metric("theirs").sel(system="s3")).all()
    table = leaderboard.split_table(board, study.folds, splits=["whole"]).query("metric == 'theirs'")
    assert set(table["n_systems"]) == {3}
    assert table["value"].dropna().to_numpy() == pytest.approx(1)


def test_the_leaderboard_of_a_perfect_metric(study):
    board = leaderboard.board(study, {"gold": study.benchmark.human})
    table = leaderboard.split_table(board, study.folds)
    assert table[table["metric"] == "gold"]["value"].dropna().to_numpy() == pytest.approx(1)
    assert set(table["split"]) == {"by documents", "by systems", "whole"}
    readings = leaderboard.readings(table)
    for name, column in {"undefined as zero": "as_zero", "as released": "as_released"}.items():
        values = readings.loc[readings["reading"] == name, "value"]
        assert np.array_equal(values, table[column], equal_nan=True)
    some = leaderboard.undefined(table)
    assert (some["n_used"] < some["n_total"]).all()


def test_printed_values_are_matched_at_their_digits():
    rng = np.random.default_rng(0)
    made = benchmark(rng.normal(size=(6, 4)), {"m": rng.normal(size=(6, 4))})
    values = leaderboard.pairing_table(made).set_index("level").loc["system", "pairing_values"]
    printed = f"{values[3]:.2f}"
    count, total = leaderboard.matching_pairings(made, {("m", "system"): printed})
    assert total == 15
    assert count == sum(f"{v:.2f}" == printed for v in values)


def test_pairings_are_all_and_each_once():
    found = list(leaderboard.pairings("abcdef"))
    assert len(found) == 5 * 3
    assert len({frozenset(map(frozenset, pairs)) for pairs in found}) == 15
    assert all(sorted("".join(map("".join, pairs))) == list("abcdef") for pairs in found)
    with pytest.raises(ValueError, match="odd number of ids cannot be parted into pairs: 3"):
        list(leaderboard.pairings("abc"))


def test_the_table_of_pairings_is_the_mean_over_folds_of_two():
    rng = np.random.default_rng(6)
    human = rng.integers(0, 3, size=(6, 5)).astype(float)
    made = benchmark(human, {"m": rng.integers(0, 4, size=(6, 5)).astype(float)})
    table = leaderboard.pairing_table(made).set_index("level")
    for level in ("system", "summary"):
        means = [
            fold_mean(
                made.metric("m"), made.human, folds=pairs, by="system", level=level, coefficient="pearson"
            )
            for pairs in leaderboard.pairings(made.systems)
        ]
        slow = [mean.as_zero if level == "system" else mean.as_released for mean in means]
        assert table.loc[level, "pairing_values"] == pytest.approx(slow)
        assert table.loc[level, "value"] == pytest.approx(np.mean(slow))


def test_means_that_are_equal_on_paper_order_no_pair():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.3, 0.1, 0.2]])
    assert len(set(scores.mean(axis=1))) > 1
    table = leaderboard.pairing_table(benchmark(np.arange(12.0).reshape(4, 3), {"m": scores}))
    (values,) = table.query("level == 'system'")["pairing_values"]
    assert values.tolist() == [0, 0, 0]


def test_folds_that_nobody_knows_are_averaged_over(study, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    made = replace(leaderboard.board(study, {}), name="lite-pyrxsum")
    table = leaderboard.split_table(made, study.folds)
    none = leaderboard.script_readings().iloc[:0]
    found = leaderboard.claim_rows(table, {"lite-pyrxsum": {"by systems": made}}, none)
    rows = found.query("dataset == 'lite-pyrxsum' and split == 'by systems'")
    expected = leaderboard.pairing_table(made)
    assert rows["value"].tolist() == 2 * expected["value"].tolist()
    assert rows["standard_deviation"].tolist() == 2 * expected["standard_deviation"].tolist()
    assert set(rows["reading"]) == {"as released"}
    assert "mc_error" not in found


def test_documents_without_a_correlation_are_counted_by_side():
    human = np.array([[1.0, 0, 1], [1, 0, 0], [1, 0, 1]])
    made = benchmark(human, {"m": np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.3], [0.1, 0.3, 0.3]])})
    (row,) = leaderboard.undefined_documents(made).to_dict("records")
    assert (row["n_constant_human"], row["n_constant_metric"], row["n_constant_both"]) == (2, 2, 1)
    assert row["n_documents"] == 3


def test_printed_correlations_are_counted_by_program_and_rule():
    printed = {"ROUGE-1": 0.53, "ROUGE-2": 0.46, "ROUGE-L": 0.46}  # Table 2, REALSumm, Pearson, summaries
    rows = [
        ("lite-realsumm", "whole", "summary", "pearson", f"{name} recall{by}", value + off, reading)
        for name, value in printed.items()
        for by, off in (("", 0.02), (", ROUGE-1.5.5", 0.004))
        for reading in ("as released", "undefined as zero")
    ]
    columns = ["dataset", "split", "level", "coefficient", "metric", "value", "reading"]
    counted = leaderboard.rules(pd.DataFrame(rows, columns=columns)).set_index(["program", "reading"])
    assert counted["n_values"].tolist() == [3] * 4
    assert counted["n_agree"].to_dict() == {
        (program, reading): 3 * (program == "ROUGE-1.5.5")
        for program in ("rouge-score", "ROUGE-1.5.5")
        for reading in ("as released", "undefined as zero")
    }


def test_recorded_correlations_of_the_script_give_all_that_is_printed(monkeypatch):
    """Zhang and Bansal 2021, Tables 1, 2 and 4 on REALSumm, 1 and 2 on PyrXSum: 60 of 60."""
    monkeypatch.delenv(VARIABLE, raising=False)
    kept = leaderboard.script_readings()
    assert set(kept["remark"]) == {"recorded, not re-run here"}
    counted = leaderboard.rules(kept).groupby("reading")[["n_agree", "n_values"]].sum()
    assert counted.loc["as released"].tolist() == [60, 60]
    assert (counted["n_agree"].drop("as released") < 60).all()


@pytest.mark.real_data
def test_what_is_recorded_of_the_script_is_what_it_gives(or_skip, monkeypatch):
    if rouge_155_folder() is None:
        pytest.skip(f"{VARIABLE} names no folder with ROUGE-1.5.5.pl")
    or_skip("lite-pyrxsum", load_study, "lite-pyrxsum")
    ours = leaderboard.script_readings(["lite-pyrxsum"])
    monkeypatch.delenv(VARIABLE)
    recorded = leaderboard.script_readings().query("dataset == 'lite-pyrxsum'")
    keys = ["split", "level", "coefficient", "metric", "reading"]
    both = ours.merge(recorded, on=keys, suffixes=("", "_recorded"))
    assert len(both) == len(ours) == len(recorded)
    assert both["value"].to_numpy() == pytest.approx(both["value_recorded"].to_numpy(), abs=1e-6)


def test_every_row_of_the_table_says_what_it_is():
    rng = np.random.default_rng(7)
    made = benchmark(rng.normal(size=(5, 4)), {"a": rng.normal(size=(5, 4)), "b": rng.normal(size=(5, 4))})
    table = fold_table(made, folds=[["d0", "d1"], ["d2", "d3"]], by="document")
    assert len(table) == 2 * 2 * 2
    assert set(table["split"]) == {"by documents"}


def test_boards_need_two_data_sets():
    with pytest.raises(ValueError, match="two data sets or more"):
        leaderboard.boards(["lite-realsumm"])


@pytest.mark.real_data
def test_printed_rouge_by_documents(or_skip):
    """Zhang and Bansal 2021, Table 1, PyrXSum at system level: the folds that we took for theirs give it."""
    study = or_skip("lite-pyrxsum", load_study, "lite-pyrxsum")
    table = leaderboard.split_table(leaderboard.board(study, {}), study.folds, splits=["by documents"])
    found = table.query("metric == 'ROUGE-1 recall' and level == 'system'")
    assert found["value"].round(2).tolist() == [0.92, 0.90]


def test_half_of_the_loss_as_printed():
    """Zhang and Bansal 2021, Table 1, PyrXSum: .92, .87 and .86 at system level, Spearman."""
    table = leaderboard.half_losses().set_index(["where", "dataset", "level", "coefficient", "presence"])
    row = table.loc[("table1", "lite-pyrxsum", "system", "spearman", "")]
    assert row[["lite2", "lite25", "lite3"]].tolist() == [0.92, 0.87, 0.86]
    assert set(table.xs("table1").reset_index()["dataset"]) == {"lite-pyrxsum"}
    lost, all_of_it = table["lite2"] - table["lite25"], table["lite2"] - table["lite3"]
    assert (2 * lost > all_of_it + 1e-9).all()


def test_the_authors_later_run_stands_beside_their_tables():
    table = leaderboard.later_run().query("where == 'table1'")
    half = table.query("metric == 'Lite2.5Pyramid' and level == 'system' and coefficient == 'spearman'")
    assert half[["printed", "value", "agrees"]].to_numpy().tolist() == [[".88", 0.886, False]]
    assert table.query("metric == 'Lite2Pyramid'")["agrees"].all()


def test_sizes_of_data_sets_and_folds(monkeypatch, study):
    monkeypatch.setattr(leaderboard.datasets, "load", lambda name: replace(study.benchmark, name=name))
    even = replace(study, folds={kind: parts[:2] for kind, parts in study.folds.items()})
    monkeypatch.setattr(leaderboard, "load_study", lambda name: even)
    found = leaderboard.sizes(["lite-realsumm"]).set_index(["dataset", "quantity"])["value"]
    assert found["tac2009"].to_dict() == {"documents": 6, "systems": 4}
    assert found["lite-realsumm"].to_dict() == {
        "documents": 6,
        "systems": 4,
        "documents a fold": 2,
        "systems a fold": 2,
    }


def made_boards():
    rng = np.random.default_rng(3)
    human = rng.normal(size=(8, 1)) + 0.3 * rng.normal(size=(8, 6))
    metrics = {
        "good": human + 0.05 * rng.normal(size=human.shape),
        "as good": human + 0.05 * rng.normal(size=human.shape),
        "noise": rng.normal(size=human.shape),
    }
    return [benchmark(human, metrics, name="lite-realsumm")]


def ranks_of(boards, **settings):
    kind = {"coefficients": ["pearson"], "n_resamples": 199, "rng": 0}
    both = systems.interval_table(boards, methods=["Boot-Both"], **kind)
    return leaderboard.ranked(leaderboard.leaders(both), boards, **kind, **settings)


def test_a_board_is_sorted_and_ranks_what_tests_tell_apart():
    found = ranks_of(made_boards())
    for _, part in found.groupby("level", sort=False):
        assert part["value"].is_monotonic_decreasing
        assert part["metric"].iloc[-1] == "noise"
        assert part["tier"].tolist() == [1, 1, 2]
        assert part["best_rank"].tolist() == [1, 1, 3]
        assert part["worst_rank"].tolist() == [2, 2, 3]
        assert (part["low"] < part["value"]).all()
    assert set(found["n_systems"]) == {8}
    assert set(found["n_resamples"]) == {199}


def test_pairs_near_the_level_are_open_by_draws():
    (made,) = made_boards()
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    kind = {"level": "system", "coefficient": "pearson", "n_resamples": 199}
    draws = stream(0, made.name)
    tested = compare_pairs(made.scores.to_numpy(), made.human.to_numpy(), pairs, rng=draws, **kind)
    of_alike, *_ = simultaneous_pvalues(tested.difference, tested.null)
    found = ranks_of(made_boards(), alpha=float(of_alike)).set_index(["level", "metric"])["n_unsettled"]
    assert found["system"].to_dict() == {"good": 1, "as good": 1, "noise": 0}


def test_all_rows_of_a_board_rest_on_the_systems_that_every_metric_scores():
    (made,) = made_boards()
    scores = made.scores.copy()
    scores.loc[{"metric": "good", "system": "s2"}] = np.nan
    scores.loc[{"metric": "noise", "system": "s5", "document": "d1"}] = np.nan
    found = leaderboard.scored_by_all(replace(made, scores=scores))
    assert found.systems == ["s0", "s1", "s3", "s4", "s5", "s6", "s7"]


LEADERS = pd.DataFrame(
    {
        "dataset": "lite-realsumm",
        "level": ["summary", "summary", "system", "system"],
        "coefficient": "pearson",
        "metric": ["ROUGE-1", "JS-2", "JS-2", "ROUGE-1"],
        "value": [0.4, 0.3, 0.2, 0.1],
        "low": 0.0,
        "high": 0.9,
    }
)


def drawn(figure):
    """What of a figure is no entry of the legend."""
    return [trace for trace in visible(figure) if not trace.showlegend]


def test_leaders_are_in_order_and_the_menu_tells_level_and_coefficient():
    figure = leaderboard.leaderboard_intervals(LEADERS)
    shown = {trace.name: (list(trace.y), list(trace.x)) for trace in drawn(figure)}
    assert shown == {"ROUGE": (["ROUGE-1"], [0.4]), "distributions and graphs": (["JS-2"], [0.3])}
    rows = [name.rstrip("\u200b") for name in figure.layout.yaxis.categoryarray]
    assert rows == ["JS-2", "ROUGE-1", " ", "ROUGE-1", "JS-2", "  "]  # from below, board by board
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r, summary level",
        "Pearson's r, system level",
    ]


def test_ranks_stand_behind_names_and_lower_tiers_are_hollow():
    ranked = LEADERS.assign(tier=[1, 2, 1, 1], best_rank=[1, 2, 1, 1], worst_rank=[1, 2, 2, 2], n_systems=9)
    other = ranked[ranked["metric"] == "ROUGE-1"].assign(dataset="lite-pyrxsum")  # a family less
    ranked = pd.concat([ranked, other])
    figure = leaderboard.leaderboard_intervals(ranked)
    names = {name for trace in visible(figure) for name in trace.y if name}
    assert {"ROUGE-1 (1)", "JS-2 (2)"} <= names
    symbols = {trace.name: trace.marker.symbol for trace in drawn(figure)}
    assert symbols == {"ROUGE": ("circle",), "distributions and graphs": ("circle-open",)}
    keys = [(trace.name, trace.marker.symbol) for trace in visible(figure) if trace.showlegend]
    assert keys == [
        ("ROUGE", None),
        ("distributions and graphs", None),
        ("first tier", None),
        ("other tiers", "circle-open"),
    ]
    (boards,) = figure.layout.updatemenus
    assert [button.label for button in boards.buttons] == [
        f"{data}, Pearson's r, {level} level"
        for data in ("REALSumm", "PyrXSum")
        for level in ("summary", "system")
    ]
    of_board = [
        trace for show, trace in zip(boards.buttons[3].args[0]["visible"], figure.data, strict=True) if show
    ]
    assert [name.rstrip("\u200b") for trace in of_board for name in trace.y if name] == ["ROUGE-1 (1–2)"]
    rows = [name for name in figure.layout.yaxis.categoryarray if name.strip()]
    assert len(set(rows)) == len(ranked)  # no board has another's rows


def test_pairings_are_boxes():
    table = pd.DataFrame(
        {
            "metric": "a",
            "level": "system",
            "lowest": -0.2,
            "q25": 0.1,
            "q50": 0.4,
            "q75": 0.7,
            "highest": 1.0,
        },
        index=[0],
    )
    (box,) = leaderboard.pairing_spread(table).data
    drawn = [box.lowerfence, box.q1, box.median, box.q3, box.upperfence]
    assert (box.type, [each[0] for each in drawn]) == ("box", [-0.2, 0.1, 0.4, 0.7, 1.0])


def test_the_chance_that_random_folds_give_what_blocks_give(monkeypatch):
    """Eleven documents in blocks of 3, 2, 2, 2, 2; printed is what a slow loop over these gives."""
    rng = np.random.default_rng(3)
    human = rng.normal(size=(7, 11))
    made = benchmark(human, {"ROUGE-1 recall": human + rng.normal(size=(7, 11))})
    scores = made.metric("ROUGE-1 recall").to_numpy()
    blocks = [slice(0, 3), slice(3, 5), slice(5, 7), slice(7, 9), slice(9, 11)]
    pearson = np.mean([np.corrcoef(scores[:, b].mean(1), human[:, b].mean(1))[0, 1] for b in blocks])
    printed = pd.DataFrame({
        "level": ["system", "system", "summary"], "row": ["ROUGE-1", "ROUGE-L", "ROUGE-1"],
        "metric": "ROUGE-1 recall", "coefficient": "pearson", "printed": [f"{pearson:.2f}", ".00", ".00"],
    })  # fmt: skip
    monkeypatch.setattr(leaderboard, "printed_values", lambda paper, table: printed)
    rows = leaderboard.block_chance(made, n_draws=400, rng=1).set_index("quantity")["value"]
    assert rows[["printed values", "of them from blocks"]].tolist() == [1, 1]
    assert 0 < rows["random folds that give all (%)"] < 25
    printed["printed"] = ".00"
    rows = leaderboard.block_chance(made, n_draws=400, rng=1).set_index("quantity")["value"]
    assert rows.tolist() == [1, 0, 0]
