import json
from dataclasses import asdict
from functools import cache

import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml

from helpers.experiments import scorecard
from helpers.kit import mime, recorded
from helpers.kit.claims import checking
from helpers.kit.claims.claim import (
    DIFFERS,
    DOES_NOT_HOLD,
    EXACT,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    PAPERS,
    WITHIN,
    Claim,
    Verdict,
    counts_by_paper,
    sentences,
    shares_by_paper,
    verdict_rows,
    verdict_totals,
)
from helpers.kit.verdicts import count_verdicts, verdict_table
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.tables.columns import is_column

RESULTS = pd.DataFrame(
    {
        "group": ["abs", "abs", "abs", "ext", "ext", "ext"],
        "metric": ["A", "B", "C"] * 2,
        "k": [3, 3, 3, 9, 9, 9],
        "value": [0.905, 0.5, np.nan, 0.1, -0.2, 0.3],
    }
)


def claim(test, **others):
    return Claim(paper="p", id="i", where="§1", says="so", notebook="n", test=test, **others)


def verdict(test, results=RESULTS, **others):
    (only,) = checking.check("n", results, [claim(test, **others)])
    return only


def test_a_claim_has_a_place_that_an_address_can_name():
    named = Claim(paper="lin2004rouge", id="Table 1: R-2+stem", where="§1", says="so", notebook="n")
    assert named.anchor == "lin2004rouge-table-1-r-2-and-stem"


@pytest.mark.parametrize(
    ("value", "printed", "expected"),
    [
        (0.905, ".91", EXACT),  # halves are rounded up, as printed tables are
        (0.9049999, ".91", DIFFERS),
        (0.9149999, ".91", EXACT),
        (-0.065, "-0.07", EXACT),
        (0.6, "0.6", EXACT),
        (0.64, "0.6", EXACT),
        (0.64, "0.60", DIFFERS),
        (1e-17, "0.00", EXACT),
        (np.nan, "0.00", DIFFERS),
    ],
)
def test_numbers_are_compared_at_the_printed_precision(value, printed, expected):
    results = pd.DataFrame({"metric": ["A"], "value": [value]})
    assert (
        verdict({"kind": "number", "printed": printed, "select": {"metric": "A"}}, results).verdict
        == expected
    )


@pytest.mark.parametrize(
    ("value", "printed", "shown"),
    [
        (0.5123, ".51", "0.512"),
        (0.5446, ".54", "0.5446"),  # 0.545 would seem to be half-way
        (37.87476, "40.30", "37.8748"),  # also above 1
        (37.8753, "40.30", "37.8753"),
        (0.545, ".54", "0.545"),  # is half-way
        (0.5449999, ".54", "0.54500"),  # no digits that are shown part it from half-way
    ],
)
def test_as_many_digits_are_shown_as_tell_a_number_from_half_way(value, printed, shown):
    results = pd.DataFrame({"metric": ["A"], "value": [value]})
    select = {"metric": "A"}
    assert verdict({"kind": "number", "printed": printed, "select": select}, results).measured == shown


def test_a_sign_may_be_dropped_and_then_it_is_said():
    results = pd.DataFrame({"metric": ["A"], "value": [-0.053]})
    test = {"kind": "number", "printed": "0.05", "select": {"metric": "A"}}
    assert verdict(test, results).verdict == DIFFERS
    dropped = verdict(test | {"absolute": True}, results)
    assert (dropped.verdict, dropped.measured, dropped.evidence) == (EXACT, "0.053", "sign dropped")


@pytest.mark.parametrize(("error", "expected"), [(0.01, WITHIN), (0.001, DIFFERS), (0.0, DIFFERS)])
def test_monte_carlo_error_is_three_standard_errors(error, expected):
    results = pd.DataFrame({"metric": ["A"], "value": [0.93], "mc_error": [error]})
    assert (
        verdict({"kind": "number", "printed": ".91", "select": {"metric": "A"}}, results).verdict == expected
    )


def test_what_is_not_in_the_results_is_not_run_and_says_why():
    test = {"kind": "number", "printed": ".5", "select": {"metric": "Z"}}
    assert verdict(test).verdict == NOT_RUN
    assert verdict(test).evidence == "needs metric = Z"
    assert verdict(test, needs="the file").evidence == "needs the file"
    assert verdict(test | {"select": {"level": "system"}}).verdict == NOT_RUN


def test_who_is_highest_is_called_as_on_its_benchmark():
    results = pd.DataFrame({"dataset": "rose", "metric": ["gsum", "gold"], "value": [3.0, 2.0]})
    assert verdict({"kind": "highest", "metric": "gsum", "select": {}}, results).measured == "GSum 3.00"


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ({"kind": "highest", "metric": "A", "select": {"group": "abs"}}, HOLDS),
        ({"kind": "highest", "metric": "A", "within": "group", "select": {}}, DOES_NOT_HOLD),
        ({"kind": "highest", "metric": ["A", "C"], "within": "group", "select": {}}, HOLDS),
        ({"kind": "lowest", "metric": "B", "within": "group", "select": {}}, HOLDS),
        ({"kind": "lowest", "metric": "A", "select": {"group": "ext"}}, DOES_NOT_HOLD),
        ({"kind": "bounded", "above": 0.4, "select": {"group": "abs"}}, HOLDS),
        ({"kind": "bounded", "above": 0, "select": {"group": "ext"}}, DOES_NOT_HOLD),
        ({"kind": "bounded", "any": True, "below": 0, "select": {"group": "ext"}}, HOLDS),
        ({"kind": "bounded", "absolute": True, "below": 0.25, "select": {"group": "ext", "metric": ["A", "B"]}}, HOLDS),
        ({"kind": "bounded", "any": True, "below": 0, "select": {"k": {"to": 5}}}, DOES_NOT_HOLD),
        ({"kind": "bounded", "most": True, "above": 0, "select": {"group": "ext"}}, HOLDS),
        ({"kind": "bounded", "most": True, "above": 0, "select": {"group": "ext", "metric": ["A", "B"]}}, DOES_NOT_HOLD),
        ({"kind": "compared", "left": {"group": "abs", "metric": "A"}, "right": {"group": "ext"}}, HOLDS),
        ({"kind": "compared", "left": {"group": "ext", "metric": "A"}, "right": {"group": "ext", "metric": "C"}}, DOES_NOT_HOLD),
        ({"kind": "bounded", "any": True, "within": "group", "above": 0.4, "select": {}}, DOES_NOT_HOLD),
        ({"kind": "bounded", "any": True, "within": "group", "above": 0.2, "select": {}}, HOLDS),
        ({"kind": "compared", "within": "group", "left": {"metric": "A"}, "right": {"metric": "B"}}, HOLDS),
        ({"kind": "compared", "within": "group", "left": {"metric": "A"}, "right": {"metric": "C"}}, DOES_NOT_HOLD),
        ({"kind": "compared", "left": {"metric": "A"}, "right": {"metric": "B"}}, DOES_NOT_HOLD),
        ({"kind": "lower", "select": {"k": 9, "metric": ["A", "B"]}, "against": {"k": 3}}, HOLDS),
        ({"kind": "lower", "select": {"group": "ext", "metric": ["A", "B"]}, "against": {"k": 3}}, HOLDS),
        ({"kind": "lower", "by": 0.6, "select": {"k": 9, "metric": ["A", "B"]}, "against": {"k": 3}}, HOLDS),
        ({"kind": "lower", "by": 0.75, "select": {"k": 9, "metric": ["A", "B"]}, "against": {"k": 3}}, DOES_NOT_HOLD),
        ({"kind": "compared", "within": "group", "left": {"metric": "A"}, "right": {"metric": ["B", "C"]}}, DOES_NOT_HOLD),
        ({"kind": "compared", "of": "k", "left": {"group": "ext"}, "right": {"group": "abs"}}, HOLDS),
        ({"kind": "compared", "of": "k", "left": {"group": "abs"}, "right": {"group": "ext"}}, DOES_NOT_HOLD),
        ({"kind": "compared", "within": "group", "near": 0.2, "left": {"metric": "A"}, "right": {"metric": "B"}}, DOES_NOT_HOLD),
        ({"kind": "compared", "within": "group", "near": 0.7, "left": {"metric": "B"}, "right": {"metric": "A"}}, DOES_NOT_HOLD),
        ({"kind": "compared", "within": "group", "near": 0.7, "most": True, "left": {"metric": "A"}, "right": {"metric": "B"}}, DOES_NOT_HOLD),
        ({"kind": "lower", "select": {"k": 3, "metric": ["A", "B"]}, "against": {"k": 9}}, DOES_NOT_HOLD),
        ({"kind": "falling", "along": "k", "rising": True, "select": {"metric": ["A", "B"]}}, HOLDS),
        ({"kind": "falling", "along": "k", "select": {"metric": ["A", "B"]}}, DOES_NOT_HOLD),
        ({"kind": "highest", "metric": "A", "requires": ["A", "Z"], "select": {"group": "abs"}}, NOT_RUN),
        # of no values nothing is true
        ({"kind": "bounded", "below": 9, "select": {"group": "abs", "metric": "C"}}, NOT_RUN),
    ],
)  # fmt: skip
def test_statements(test, expected):
    assert verdict(test).verdict == expected


@pytest.mark.parametrize(("rising", "verb"), [(True, "rises"), (False, "falls")])
def test_of_a_trend_kendall_s_tau_is_shown_as_it_is(rising, verb):
    results = pd.DataFrame({"metric": "A", "k": [1, 2, 3, 4], "value": [4.0, 3.0, 1.0, 2.0]})
    found = verdict({"kind": "falling", "along": "k", "rising": rising, "select": {}}, results)
    # 5 of 6 pairs are in the opposite order
    assert found.measured == "A τ -0.67"
    assert f"the value {verb} as k decreases for {int(rising)} of 1" in found.evidence


@pytest.mark.parametrize(
    ("n", "values", "shown"),
    [
        (2, [0.75, 0.25], "g0 0.75 against 0.25, g1 0.75 against 0.25"),
        (2, [0.712, 0.706], "g0 0.712 against 0.706, g1 0.712 against 0.706"),
        (2, [0.7, 0.7], "g0 0.70 against 0.70, g1 0.70 against 0.70"),
        (40, [0.75, 0.25], "all"),
        (40, [0.25, 0.75], ", ".join(f"g{i} 0.25 against 0.75" for i in range(40))),
    ],
)
def test_of_many_comparisons_those_that_fail_are_shown(n, values, shown):
    groups = [f"g{i}" for i in range(n)]
    results = pd.DataFrame(
        {"group": groups * 2, "metric": ["A"] * n + ["B"] * n, "value": np.repeat(values, n)}
    )
    sides = {"kind": "compared", "within": "group", "left": {"metric": "A"}, "right": {"metric": "B"}}
    assert verdict(sides, results).measured == shown


@pytest.mark.parametrize(
    ("right", "others", "told"),
    [
        ("B", {}, "true in 1 of 2 cases"),
        (["B", "C"], {}, "the lowest of the first against the highest of the second; true in 1 of 2 cases"),
        ("B", {"near": 0.7}, "distances from 0.7; true in 1 of 2 cases"),
    ],
)
def test_a_comparison_says_of_several_values_which_are_shown(right, others, told):
    results = pd.DataFrame(
        {
            "group": ["abs"] * 3 + ["ext"] * 3,
            "metric": ["A", "B", "C"] * 2,
            "value": [0.9, 0.4, 0.3, 0.1, 0.2, 0.3],
        }
    )
    sides = {"kind": "compared", "within": "group", "left": {"metric": "A"}, "right": {"metric": right}}
    assert verdict(sides | others, results).evidence == told


def test_one_bounded_value_is_not_counted():
    one = {"kind": "bounded", "above": 50, "select": {"group": "abs", "metric": "A"}}
    assert verdict(one).evidence == "checked as: above 50"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("bhandari2020", "summeval", "REALSumm against SummEval"),
        ("bhandari2020", "realsumm", "REALSumm (Statistical Analysis) against REALSumm"),
    ],
)
def test_two_data_sets_are_named_shortly_where_that_tells_them_apart(first, second, told):
    results = pd.DataFrame({"dataset": [first, second], "metric": "A", "value": [0.1, 0.2]})
    test = {"kind": "lower", "select": {"dataset": first}, "against": {"dataset": second}}
    assert verdict(test, results).evidence == f"lower for 1 of 1 metric, {told}"


def test_most_is_more_than_half_of_the_metrics_that_both_have():
    results = pd.DataFrame(
        {
            "metric": ["A", "B", "C", "only here", "A", "B", "C"],
            "k": [3, 3, 3, 3, 9, 9, 9],
            "value": [0.1, 0.2, 0.9, 0.9, 0.5, 0.5, 0.5],
        }
    )
    test = {"kind": "lower", "select": {"k": 3, "metric": ["A", "B", "C"]}, "against": {"k": 9}}
    assert verdict(test, results).verdict == DOES_NOT_HOLD
    assert verdict(test | {"most": True, "select": {"k": 3}}, results).verdict == HOLDS
    assert "lower for 2 of 3 metrics" in verdict(test | {"most": True, "select": {"k": 3}}, results).evidence
    one = verdict(test | {"select": {"k": 3, "metric": ["A"]}}, results)
    assert "lower for 1 of 1 metric" in one.evidence
    assert "metrics" not in one.evidence
    half = results[results["metric"] != "B"]
    assert verdict(test | {"most": True}, half).verdict == DOES_NOT_HOLD


@pytest.mark.parametrize("n", [4, 5])
def test_statements_are_of_all_unless_they_say_most(n):
    names = [f"x{i}" for i in range(n)]
    for n_ahead in range(n + 1):
        ahead = pd.Series([1.0] * n_ahead + [-1.0] * (n - n_ahead))
        rows = pd.DataFrame({"metric": names, "group": names, "k": 3, "value": ahead})
        results = pd.concat([rows, rows.assign(k=9, value=0.0)])
        sides = {"left": {"k": 3}, "right": {"k": 9}}
        tests = [
            {"kind": "bounded", "select": {"k": 3}, "above": 0},
            {"kind": "compared", "within": "group", **sides},
            {"kind": "apart", "within": ["group"], "above": 0, **sides},
            {"kind": "lower", "select": {"k": 9}, "against": {"k": 3}},
        ]
        for test in tests:
            assert (verdict(test, results).verdict == HOLDS) == (n_ahead == n)
            assert (verdict(test | {"most": True}, results).verdict == HOLDS) == (2 * n_ahead > n)


APART = {"kind": "apart", "within": ["group"], "left": {"metric": "A"}, "right": {"metric": ["B", "C"]}}


@pytest.mark.parametrize(
    ("others", "expected", "evidence"),
    [
        # .9 - .5 in abs (C is missing there), .1 - .3 in ext
        ({"above": 0}, DOES_NOT_HOLD, "at least 0 in all of 2, true of 1, not ext"),
        (
            {"above": -0.2, "below": 0.4},
            HOLDS,
            "at least -0.2 and at most 0.4 in all of 2, true of 2",
        ),  # both ends count
        ({"above": 0, "most": True}, DOES_NOT_HOLD, "at least 0 in most of 2, true of 1, not ext"),
        ({"above": 0, "any": True}, HOLDS, "at least 0 in at least one of 2, true of 1, not ext"),
        ({"above": 0, "count": 1}, HOLDS, "at least 0 in exactly 1 of 2, true of 1, not ext"),
        ({"above": 0, "count": 2}, DOES_NOT_HOLD, "at least 0 in exactly 2 of 2, true of 1, not ext"),
        # half of the way to B: .4 - .2 in abs, -.2 - .15 in ext
        ({"half_to": {"metric": "B"}, "below": 0.2}, HOLDS, "at most 0.2 in all of 2, true of 2"),
        (
            {"half_to": {"metric": "B"}, "below": 0},
            DOES_NOT_HOLD,
            "at most 0 in all of 2, true of 1, not abs",
        ),
    ],
)
def test_two_sides_that_lie_apart(others, expected, evidence):
    results = RESULTS.assign(value=[0.9, 0.5, np.nan, 0.1, -0.2, 0.3])
    found = verdict({**APART, **others}, results)
    assert (found.verdict, found.evidence) == (expected, f"checked as: a difference of {evidence}")


BESIDE = {
    "strict": {"above": 0.9},
    "of ext": {"select": {"group": "ext", "metric": None}},
    "gone": {"select": {"group": "tac"}},
}


def test_other_readings_of_the_same_words_are_told_and_decide_nothing():
    test = {"kind": "bounded", "above": 0.4, "select": {"group": "abs", "metric": ["A", "B"]}}
    found = verdict(test | {"beside": BESIDE})
    assert (found.verdict, found.measured) == (HOLDS, "0.50 to 0.91")
    assert found.evidence == (
        "checked as: all above 0.4, true of 2 of 2; strict: does not hold (checked as: all above 0.9, true of 1 of 2); "
        "of ext: does not hold (-0.20 to 0.30; checked as: all above 0.4, true of 0 of 3)"
    )
    number = {"kind": "number", "printed": ".3", "select": {"group": "ext", "metric": "A"}}
    told = verdict(number | {"beside": {"C": {"select": {"metric": "C"}}}})
    assert (told.verdict, told.evidence) == (DIFFERS, "C: exact (0.30)")


@pytest.mark.parametrize(
    ("bounds", "told"), [({"above": 0.25, "below": 11490}, "all above 0.25 and below 11,490, true of 2 of 3"), ({"below": 11490}, "all below 11,490, true of 3 of 3")]
)  # fmt: skip
def test_bounds_are_told_with_their_thousands(bounds, told):
    results = pd.DataFrame({"metric": ["A", "B", "C"], "value": [0.2, 0.3, 0.4]})
    assert verdict({"kind": "bounded", "select": {}} | bounds, results).evidence == f"checked as: {told}"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("0.3", "; at most 0.60 from the printed 0.3"),
        ("0.4 to 0.95", "; inside the printed range 0.4 to 0.95"),
        ("0.4 to 0.7", "; at most 0.21 outside the printed range 0.4 to 0.7"),
    ],
)
def test_a_bounded_value_says_how_far_it_is_from_what_is_printed(printed, told):
    found = verdict({"kind": "bounded", "above": 0, "printed": printed, "select": {"group": "abs"}})
    assert found.printed == printed
    assert found.evidence.endswith(told)


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.0, "; equal to the printed 0"), (0.001, "; < 0.01 from the printed 0")],
)
def test_a_bounded_value_can_be_the_printed_number(value, told):
    results = pd.DataFrame({"metric": ["A"], "value": [value]})
    found = verdict({"kind": "bounded", "below": 1, "printed": "0", "select": {}}, results)
    assert found.evidence.endswith(told)


@pytest.mark.parametrize(
    ("values", "shown"), [([11355.0, 12.0], "12 to 11,355"), ([1.0, 0.0], "0.00 to 1.00")]
)
def test_bounded_counts_are_whole(values, shown):
    results = pd.DataFrame({"metric": ["A", "B"], "value": values})
    assert verdict({"kind": "bounded", "above": -1, "select": {}}, results).measured == shown


def test_a_number_that_was_not_computed_in_this_run_says_so():
    test = {"kind": "number", "printed": ".905", "select": {"group": "abs", "metric": "A"}}
    assert verdict(test, RESULTS.assign(remark="recorded")).evidence == "recorded"
    assert verdict(test, RESULTS.assign(remark=np.nan)).evidence == ""


def test_sides_that_never_meet_are_not_run():
    assert verdict({**APART, "right": {"metric": "D"}}).verdict == NOT_RUN


def test_a_claim_that_selects_several_results_is_a_mistake_of_ours():
    with pytest.raises(DataError, match="selects 3"):
        verdict({"kind": "number", "printed": "1", "select": {"group": "abs"}})


ON_EXT = {"kind": "highest", "metric": "C", "select": {"group": "tac"}}  # the paper's input is not here


@pytest.mark.parametrize(
    ("test", "other_data", "came_out"),
    [
        (ON_EXT, {"what": "ext for tac", "select": {"group": "ext"}}, "holds"),
        (ON_EXT, {"what": "ext for tac", "select": {"group": "ext"}, "metric": "A"}, "does not hold"),
        ({**ON_EXT, "select": {"group": "ext"}}, {"what": "ext for tac"}, "holds"),
        ({"kind": "number", "printed": ".4", "select": {"group": "ext", "metric": "C"}}, {"what": "ext for tac"}, "differs"),
    ],
)  # fmt: skip
def test_other_data_tell_how_they_came_out_and_decide_nothing(test, other_data, came_out):
    found = verdict(test, other_data=other_data, needs="tac")
    assert found.verdict == OTHER_DATA
    assert f"ext for tac; on these data: {came_out}" in found.evidence
    assert found.measured


def test_the_papers_own_input_goes_before_other_data_and_nothing_at_all_is_not_run():
    instead = {"what": "abs for ext", "select": {"group": "abs"}}
    found = verdict({**ON_EXT, "select": {"group": "ext"}}, other_data=instead)
    assert (found.verdict, found.measured) == (HOLDS, "C 0.30")
    neither = verdict(ON_EXT, other_data={"what": "none", "select": {"group": "none"}}, needs="tac")
    assert (neither.verdict, neither.evidence) == (NOT_RUN, "needs tac")


PRINTED = pd.DataFrame({"metric": ["A", "B", "C"], "table": "t", "value": [0.2, 0.5, 0.1]})


@pytest.mark.parametrize(
    ("test", "expected", "in_print"),
    [
        ({"kind": "highest", "metric": "A", "select": {"group": "abs"}}, HOLDS, "does not hold: B 0.50"),
        (ON_EXT, DOES_NOT_HOLD, ""),  # only printed numbers can decide
        ({}, DOES_NOT_HOLD, ""),
    ],
)
def test_printed_numbers_decide_where_the_papers_input_is_not_run(monkeypatch, test, expected, in_print):
    monkeypatch.setattr("helpers.kit.claims.checking.printed_values", lambda paper, table: PRINTED)
    test_in_print = {"tables": ["t"], "kind": "highest", "metric": "A", "select": {}}
    elsewhere = {"what": "ext", "kind": "highest", "metric": "C", "select": {"group": "ext"}}
    found = verdict(test, in_print=test_in_print, other_data=elsewhere)
    assert found.verdict == expected
    assert found.in_print.startswith(in_print) if in_print else found.in_print == ""
    assert ("that the paper prints" in found.evidence) == (not in_print)


def test_printed_values_carry_row_and_column_and_stand_for_lists_of_values():
    human = checking.printed_values("deutsch2021statistical", "table2").query("row == 'human score'")
    assert human["metric"].tolist() == ["human score"] * 6
    assert human[["column", "printed", "value"]].iloc[3].tolist() == ["SummEval, system", "0.52", 0.52]


def test_unknown_notebook():
    with pytest.raises(UnknownNameError, match="unknown notebook in the claims 'm'"):
        checking.check("m", RESULTS, [claim({"kind": "number"})])


def test_claims_of_one_place_are_collected_over_notebooks():
    test = {"kind": "bounded", "above": 0, "select": {"group": "abs"}}
    here, there, elsewhere = (
        Claim(paper="p", id=str(i), where=where, says="so", notebook=notebook, test=test)
        for i, (where, notebook) in enumerate([("Table 1, §2", "n"), ("Table 1", "m"), ("§2", "n")])
    )
    verdicts = checking.check_all({"n": RESULTS}, paper="p", where="Table 1", claims=[here, there, elsewhere])
    assert [(v.claim.id, v.verdict) for v in verdicts] == [("0", HOLDS), ("1", NOT_RUN)]
    assert checking.check_all({"n": RESULTS}, paper="q", where="Table 1", claims=[here]) == []


def write(folder, content):
    (folder / "p.yml").write_text(yaml.safe_dump(content), encoding="utf8")
    return folder


NUMBER = {"kind": "number", "printed": ".5", "select": {}}
PLAIN = {"id": "a", "where": "§1", "says": "so", "notebook": "n", "test": NUMBER}


def test_tables_become_a_claim_a_cell(tmp_path):
    table = {
        "id": "t",
        "says": "T",
        "where": "Table 1",
        "notebook": "n",
        "select": {"group": "abs"},
        "columns": [
            {"name": "r", "label": "Pearson", "select": {"k": 3}},
            {"name": "s", "label": "S", "select": {"k": 9}},
        ],
        "rows": {"A": {"printed": [".91", None], "select": {"metric": "A"}, "note": "mind"}},
    }
    (only,) = checking.load(write(tmp_path, {"paper": "p", "tables": [table]}))
    assert only.id == "t/A/r"
    assert only.test == {
        "kind": "number",
        "printed": ".91",
        "select": {"group": "abs", "metric": "A", "k": 3},
    }
    assert (only.note, only.cell) == ("mind", ["Table 1: T", "A", "Pearson"])
    assert checking.check("n", RESULTS, [only])[0].verdict == EXACT


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"paper": "p", "claims": [PLAIN, PLAIN]}, "two claims of p are called 'a'"),
        ({"paper": "p", "claims": [PLAIN | {"test": {"kind": "guess"}}]}, "unknown kind of test in p.yml, claim 'a', 'guess'"),
        ({"paper": "p", "claims": [PLAIN | {"test": {}}]}, "p.yml, claim 'a', has neither `test` nor `in_print`"),
        ({"paper": "p", "claims": [PLAIN | {"in_print": {"kind": "number"}}]}, "names no `tables` in `in_print`"),
        ({"paper": "p", "claims": [PLAIN | {"other_data": {}}]}, "does not say `what` its `other_data` are"),
        ({"paper": "p", "claims": [PLAIN | {"colour": "red"}]}, "unexpected keyword argument 'colour'"),
        ({"paper": "p", "tables": [{"id": "t", "where": "", "columns": [], "rows": {"A": {"printed": ["1"]}}}]}, "1 numbers for 0 columns"),
    ],
)  # fmt: skip
def test_mistakes_in_the_files_are_named(tmp_path, content, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        checking.load(write(tmp_path, content))
    assert text in str(caught.value)


def test_files_are_parsed_once_and_again_when_they_change(tmp_path, monkeypatch):
    text = "paper: p\nclaims: [{id: a, where: x, says: y, notebook: n, test: {kind: number}}]"
    other = text.replace("id: a", "id: b")
    file = tmp_path / "p.yml"
    parsed, parse = [], yaml.load
    monkeypatch.setattr(yaml, "load", lambda text, Loader: parsed.append(text) or parse(text, Loader))
    for written, id in ((text, "a"), (text, "a"), (other, "b")):
        file.write_text(written)
        assert [claim.id for claim in checking.load(tmp_path)] == [id]
    assert parsed == [text, other]


def columns_of(test):
    """The columns that a claim's test names: the keys of what it selects, and those that it follows or groups by."""
    selected = [column for side in ("select", "left", "right", "against") for column in test.get(side, ())]
    named = [test[role] for role in ("within", "along", "of") if role in test]
    named += [list(columns_of(others)) for others in test.get("beside", {}).values()]
    return {*selected, *(column for name in named for column in (name if isinstance(name, list) else [name]))}


def test_claims_name_columns_of_today():
    unknown = {
        claim.id: {name for name in names if not is_column(name)}
        for claim in checking.load()
        for names in (columns_of(claim.test) | columns_of(claim.other_data or {}),)
    }
    assert {name: columns for name, columns in unknown.items() if columns} == {}


def test_claims_in_print_name_columns_of_the_printed_tables():
    printed_values = cache(checking.printed_values)
    for claim in checking.load():
        if claim.in_print:
            printed = [printed_values(claim.paper, table) for table in claim.in_print["tables"]]
            assert columns_of(claim.in_print) <= set(pd.concat(printed)), claim.id


def test_the_committed_claims_load_and_lead_somewhere():
    everything = checking.load()
    assert len(everything) > 100
    from metaeval.core.paths import NOTEBOOKS

    notebooks = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    assert {c.notebook for c in everything} <= notebooks
    assert {c.paper for c in everything} <= set(PAPERS), "a paper needs a short name"
    for c in everything:
        if c.explanation:
            page, _, anchor = c.explanation.partition("#")
            assert f"({anchor})=" in json.dumps(nbformat.read(NOTEBOOKS / f"{page}.ipynb", 4)), c.id


def test_scorecard_collects_what_notebooks_recorded(tmp_path):
    done, other = (
        claim({"kind": "number", "printed": ".91", "select": {"group": "abs", "metric": "A"}}),
        claim(NUMBER),
    )
    other = Claim(**(vars(other) | {"id": "j", "notebook": "m"}))
    bundle = {mime.VERDICTS: [asdict(one) for one in checking.check("n", RESULTS, [done])]}
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("display_data", bundle)])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "n.ipynb")
    (tmp_path / ".running-1.ipynb").touch()  # the scorecard itself, which reads the others
    first, second = scorecard.collect(tmp_path, [done, other])
    assert (first.verdict, first.measured) == (EXACT, "0.905")
    assert (second.verdict, second.evidence) == (NOT_RUN, "notebook m was not executed")


def test_verdicts_are_shown_with_word_and_reason():
    shown = verdict_rows(
        [
            verdict({"kind": "number", "printed": ".99", "select": {"group": "abs", "metric": "A"}}, explanation="page#here", note="a < b"),
            verdict({"kind": "number", "printed": ".91", "select": {"group": "abs", "metric": "A"}}, explanation="page#here"),
        ]
    )  # fmt: skip
    text = verdict_table(shown)
    assert text.count('href="page.html#here"') == 1  # only where there is something to explain
    assert '<span class="verdict verdict-differs">differs</span>' in text
    assert "a &lt; b" in text
    assert count_verdicts(shown) == "1 exact, 1 differs"
    assert count_verdicts(pd.concat([shown, shown])) == "2 exact, 2 differ"


def test_each_claim_is_counted_once():
    # of group abs A is the highest, B is not, and there is no Z
    verdicts = [
        verdict({"kind": "highest", "metric": name, "requires": [name], "select": {"group": "abs"}})
        for name in "AABBZ"
    ]
    counted = counts_by_paper(verdict_rows(verdicts).assign(paper=list("pppqq")))
    assert counted.loc["p"].to_dict() == {HOLDS: 2, DOES_NOT_HOLD: 1, NOT_RUN: 0}
    assert counted.loc["q"].to_dict() == {HOLDS: 0, DOES_NOT_HOLD: 1, NOT_RUN: 1}


def judged(word, **fields):
    """A verdict on a claim with these fields; `by_print` is the verdict's."""
    by_print = fields.pop("by_print", False)
    return Verdict(claim({}, **fields), word, "1", "1", by_print=by_print)


# two sentences that hold, one of which has a stricter reading that does not; a number that differs, printed
# twice; what two printed numbers give; a size; other data
MIXED = [
    judged(HOLDS),
    judged(HOLDS),
    judged(DOES_NOT_HOLD, stricter_than="i"),
    judged(DIFFERS),
    judged(DIFFERS, repeats="i"),
    judged(EXACT, by_print=True),
    judged(EXACT, basis="print"),
    judged(WITHIN, basis="count"),
    judged(OTHER_DATA, stricter_than="i"),
    judged(OTHER_DATA),
    judged(NOT_RUN),
]


def test_a_sentence_counts_by_its_first_reading_and_a_number_once():
    frame = verdict_rows(MIXED)
    assert len(sentences(frame)) == 8
    shares = shares_by_paper(frame).loc["p"]
    assert {kind: tuple(shares[kind]) for kind in shares.index.unique(0)} == {
        "experiment": (2, 3), "count": (1, 1), "print": (2, 2), "stricter": (0, 1), "repeat": (0, 1),
    }  # fmt: skip
    assert verdict_totals(frame) == {
        "n_claims": "8", "n_checked": "6", "n_checked_share": "75 %", "n_other_data": "1",
        "n_other_data_share": "12 %", "n_not_run": "1", "n_not_run_share": "12 %",
        "experiment_held": "2 of 3", "count_held": "1 of 1", "print_held": "2 of 2",
        "stricter_failed": "1 of 1", "n_repeats": "1", "came_out_range": "67 to 67 %",
    }  # fmt: skip
    shown = scorecard.readable_shares(frame).loc["p"]
    assert shown.tolist() == ["2 of 3", "1 of 1", "2 of 2", "0 of 1", 1, 1]


def test_shares_by_paper_leave_out_a_paper_without_experiments():
    papers = list("aabbbbbbccc")  # of c nothing was computed on its data
    totals = verdict_totals(verdict_rows(MIXED).assign(paper=papers))
    assert totals["came_out_range"] == "0 to 100 %"
    assert verdict_totals(verdict_rows([]))["came_out_range"] == "–"


def test_what_printed_numbers_decide_rests_on_them():
    printed = {"kind": "highest", "metric": "A", "tables": ["t"], "select": {}}
    cells = [
        Claim("p", f"t/{metric}/x", "Table 1", metric, "n", {"printed": value, "select": {"metric": metric}},
              cell=["t", metric, "x"])
        for metric, value in (("A", "2"), ("B", "1"))
    ]  # fmt: skip
    sentence = claim({}, in_print=printed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "load", lambda: [*cells, sentence])
        (by_print,) = checking.check("n", RESULTS, [sentence])
    assert (by_print.verdict, by_print.basis) == (HOLDS, "print")
    assert verdict({"kind": "highest", "metric": "A", "select": {"group": "abs"}}).basis == "experiment"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("stricter_than: nowhere", "'b' of p reads or repeats 'nowhere', which is no first reading"),
        ("stricter_than: c", "'b' of p reads or repeats 'c', which is no first reading"),
        ("stricter_than: a\n    repeats: a", "is both a stricter reading and a repetition"),
        ("basis: guess", "unknown basis of x.yml, claim 'b'"),
    ],
)
def test_a_claim_names_the_first_reading_of_its_sentence(tmp_path, fields, message):
    entry = "  - id: {}\n    where: here\n    says: so\n    notebook: n\n    test: {{kind: highest}}\n"
    text = "paper: p\nclaims:\n" + "".join(map(entry.format, "abc")) + "    stricter_than: a\n"
    (tmp_path / "x.yml").write_text(text.replace("  - id: c\n", f"    {fields}\n  - id: c\n"))
    with pytest.raises((DataError, UnknownNameError), match=message):
        checking.load(tmp_path)


def test_cells_of_a_table_may_repeat_those_of_another(tmp_path):
    (tmp_path / "x.yml").write_text(
        """
paper: p
own: {name: Ours, metrics: "^Ours|'Ours"}
tables:
  - {id: a, where: T, says: s, notebook: n, columns: [{name: x, label: X, select: {}}], rows: {r: {printed: ["1"], select: {metric: Ours}}}}
  - {id: b, repeats: "a/{row}/{column}", where: T, says: s, notebook: n, columns: [{name: x, label: X, select: {}}], rows: {r: {printed: ["1"], select: {}}}}
"""
    )
    first, second = checking.load(tmp_path)
    assert (second.role, second.sentence, first.role) == ("repeat", first.id, "first")
    assert (first.proposed, second.proposed) == (True, False)


def test_what_the_printed_numbers_say_stands_beside_the_verdict():
    done = verdict({"kind": "highest", "metric": "A", "select": {"group": "abs"}})
    text = verdict_table(verdict_rows([Verdict(**{**vars(done), "in_print": "holds: A 0.20 (x)"})]))
    assert "In the paper's own numbers: holds: A 0.20 (x)." in text


def test_every_verdict_against_a_paper_has_a_cause_or_says_that_none_was_found():
    last = recorded.recorded_verdicts()
    against = [
        claim
        for claim in checking.load()
        if last.get((claim.paper, claim.id), {}).get("verdict") in (DIFFERS, DOES_NOT_HOLD)
    ]
    assert len(against) > 10
    assert [c.id for c in against if not c.explanation and "no cause was found" not in c.note] == []


def test_what_is_recorded_are_claims_of_today():
    assert set(recorded.recorded_verdicts()) <= {(claim.paper, claim.id) for claim in checking.load()}
