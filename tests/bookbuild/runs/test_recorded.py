"""A run with another seed against what was recorded."""

import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from bookbuild.runs import record
from bookbuild.runs.allowances import ALLOWED, MONTE_CARLO, RULES, UNSETTLED, errors, quantile_of
from bookbuild.runs.reseed import compare_run, compare_tables, compare_verdicts
from helpers.kit import recorded
from helpers.kit.claims import checking
from helpers.kit.claims.claim import (
    BASES,
    DIFFERS,
    DOES_NOT_HOLD,
    HOLDS,
    WITHIN,
    shares_by_paper,
    verdict_totals,
)
from helpers.kit.claims.claim import EXACT as AS_PRINTED
from helpers.kit.parameters import default_parameters
from helpers.kit.recorded import FOLDER
from metaeval.analysis.margins import OUTSIDE
from metaeval.core.errors import DataError
from metaeval.core.paths import NOTEBOOKS
from tests.each import each


def test_the_line_on_the_scorecard_is_that_of_the_recorded_verdicts():
    (line,) = record.BADGE.findall(record.README.read_text(encoding="utf8"))
    assert line == record.badge(pd.read_csv(FOLDER / "verdicts.csv")), (
        "`python -m bookbuild record` writes it"
    )


def test_the_line_on_the_scorecard_counts_each_sentence_once(tmp_path):
    words = ["differs", "exact", "exact", "holds", "does not hold", "exact", "other data", "not run"]
    roles = ["first", "first", "first", "first", "stricter", "repeat", "first", "first"]
    bases = ["experiment", "experiment", "count", "print", *["experiment"] * 4]
    verdicts = pd.DataFrame({"paper": "a", "role": roles, "basis": bases, "verdict": words})
    line = record.badge(verdicts)
    assert "judged 4 printed numbers and sentences, each once: 2 exact, 1 holds, 1 differs." in line
    assert "experiments on the papers' data 1 of 2 came out, of counts in the released files 1 of 1" in line
    assert "printed numbers 1 of 1. Of stricter readings, which do not count, 1 of 1 fail; 1 more" in line
    verdicts.to_csv(tmp_path / "verdicts.csv", index=False)
    readme = tmp_path / "README.md"
    readme.write_text("# a\n\n**Scorecard.** old\n\nb\n")
    record.write_badge(tmp_path, readme)
    assert readme.read_text() == f"# a\n\n{line}\n\nb\n"
    readme.write_text("# a\n")
    with pytest.raises(DataError, match=r"has 0 lines that begin with"):
        record.write_badge(tmp_path, readme)


def test_ten_lines_of_the_readme_give_the_totals_of_the_scorecard(monkeypatch):
    (lines,) = re.findall(
        r"```python\n(import pandas as pd\n.*?)```", record.README.read_text(encoding="utf8"), flags=re.S
    )
    assert len([line for line in lines.splitlines() if line]) <= 10
    monkeypatch.chdir(record.ROOT)
    names: dict = {}
    exec(lines, names)  # as a reader pastes them
    counts, once = names["by_paper"], names["once"]["verdict"].value_counts()
    recorded_rows = pd.read_csv(FOLDER / "verdicts.csv")
    for paper, shares in shares_by_paper(recorded_rows).iterrows():
        for basis in BASES:
            theirs = (
                counts["sum"].get((paper, "first", basis), 0),
                counts["size"].get((paper, "first", basis), 0),
            )
            assert theirs == tuple(shares[basis]), (paper, basis)
    totals = verdict_totals(recorded_rows)
    assert f"{once.sum():,}" == totals["n_claims"]
    assert f"{once['not run']:,}" == totals["n_not_run"]
    n_held, n = counts.xs("stricter", level="role").sum()
    assert totals["stricter_failed"] == f"{n - n_held} of {n}"
    assert f"judged {once.drop(['other data', 'not run']).sum():,} printed" in record.badge(recorded_rows)


EXACT = pd.DataFrame({"metric": ["A", "B"], "k": [3, 3], "value": [0.5, -0.25], "n_used": [9, 9]})
SHARES = pd.DataFrame({"method": ["Fisher", "Boot"], "value": [0.9, 1.0], "mc_error": [0.0095, 0.0]})


def test_an_end_over_few_pairs_moves_as_far_as_the_interval_is_long():
    window = {"value": [1.0], "low": [0.6], "high": [0.9]}
    for n_pairs, allowed in ((6, 2 / 6 + 0.3), (60, 2 / 60)):
        table = pd.DataFrame({"n_pairs": [n_pairs], **window})
        error = ALLOWED * errors("fig-margins-fine", table, {"n_resamples": 10**8})["low"]
        assert error == pytest.approx([max(0.3, 2 / 6) if n_pairs == 6 else allowed], abs=0.01)


def test_the_spread_of_a_correlation_near_one_is_hardly_known():
    table = pd.DataFrame({"value": [0.5, 0.99], "standard_error": [0.1, 0.1], "n_resamples": [2_000, 2_000]})
    error = errors("fig-judges-correlations", table, {})["standard_error"]
    assert error == pytest.approx([0.1 * np.sqrt(2 / 2_000), 0.1 * np.sqrt(999 / 8_000)])


def test_a_sample_of_texts_has_more_or_fewer_words():
    speech = pd.DataFrame({"part_of_speech": ["noun"], "value": [0.3], "n_words": [20_000]})
    error = errors("fig-sera-speech", speech, {"sample_size": 400})
    assert error["n_words"] == [1_000]
    assert error["value"] == pytest.approx([np.sqrt(0.3 * 0.7 / 20_000)], rel=1e-3)


def differences(name, last, now, **settings):
    return [str(moved) for moved in compare_tables(name, last, now, settings)]


def changed(table, column, value, row=0):
    table = table.copy()
    table[column] = table[column].astype(object)
    table.loc[row, column] = value
    return table.infer_objects()


def test_exact_values_have_to_be_the_same_at_the_precision_of_the_files():
    assert differences("fig-x", EXACT, EXACT) == []
    assert differences("fig-x", EXACT, changed(EXACT, "value", 0.500001)) == []
    assert differences("fig-x", EXACT, changed(EXACT, "value", 0.50001)) == [
        "fig-x, metric=A k=3: value was 0.5, is 0.50001; it is exact"
    ]
    assert differences("fig-x", EXACT, changed(EXACT, "n_used", 8)) == [
        "fig-x, metric=A k=3: n_used was 9, is 8; it is exact"
    ]
    undefined = changed(EXACT, "value", np.nan)
    assert differences("fig-x", undefined, undefined) == []
    assert len(differences("fig-x", EXACT, undefined)) == 1


def test_a_remark_on_a_window_is_neither_what_its_row_is_of_nor_a_result():
    remarked, otherwise = (EXACT.assign(remark=[text, ""]) for text in ("few pairs: 3", OUTSIDE))
    assert differences("fig-margins-rouge", remarked, otherwise) == []
    assert differences("fig-margins-rouge", remarked, changed(remarked, "value", 0.6))[0].startswith(
        "fig-margins-rouge, metric=A k=3: value was 0.5, is 0.6"
    )
    gone, new = differences("fig-x", remarked, otherwise)  # any other table's remark says what a row is of
    assert gone.endswith("remark=few pairs: 3: recorded, but not in the new run")
    assert new.endswith(f"remark={OUTSIDE}: in the new run, but not recorded")


def test_a_share_may_move_by_its_binomial_error():
    # 1,000 trials, 0.9: (902 / 1004), so 0.0096 a run and 0.068 between two
    within, beyond = changed(SHARES, "value", 0.96), changed(SHARES, "value", 0.97)
    assert differences("fig-coverage-shares", SHARES, within, n_trials=1000) == []
    assert differences("fig-coverage-shares", SHARES, beyond, n_trials=1000) == [
        "fig-coverage-shares, method=Fisher: value was 0.9, is 0.97; its error explains 0.068"
    ]
    # a share of 1 has an error, too
    assert (
        differences("fig-coverage-shares", SHARES, changed(SHARES, "value", 0.99, row=1), n_trials=1000) == []
    )
    assert (
        len(differences("fig-coverage-shares", SHARES, changed(SHARES, "value", 0.94, row=1), n_trials=1000))
        == 1
    )


def test_rows_and_columns_that_come_or_go_are_named():
    one = EXACT.iloc[:1]
    assert differences("fig-x", EXACT, one) == ["fig-x, metric=B k=3: recorded, but not in the new run"]
    assert differences("fig-x", one, EXACT) == ["fig-x, metric=B k=3: in the new run, but not recorded"]
    assert differences("fig-x", EXACT, EXACT.assign(low=0.0)) == [
        "fig-x, column 'low': in the new run, but not recorded"
    ]
    twice = pd.concat([EXACT, EXACT.assign(value=0.1)], ignore_index=True)
    assert differences("fig-x", twice, twice) == []
    assert differences("fig-x", twice, changed(twice, "value", 0.2, row=2)) == [
        "fig-x, metric=A k=3: value was 0.1, is 0.2; it is exact"
    ]


def test_fishers_interval_among_bootstrap_ones_is_exact():
    table = pd.DataFrame(
        {
            "method": ["Fisher", "Boot-Both"],
            "value": 0.5,
            "low": 0.2,
            "high": 0.7,
            "n_resamples": [0, 1000],
        }
    )
    table = table.assign(
        **dict.fromkeys(("q10", "q25", "q50", "q75", "q90"), 0.5), low_mc_error=0.0, high_mc_error=0.0
    )
    table = table.assign(n_undefined=0)
    for row, n_moved in ((0, 1), (1, 0)):
        assert len(differences("fig-intervals-bars", table, changed(table, "low", 0.21, row=row))) == n_moved


def test_the_error_of_an_intervals_end_is_that_of_a_quantile():
    """Against the scatter of the ends over 400 bootstraps of a normal distribution."""
    draws = np.random.default_rng(1).normal(0.5, 0.1, size=(400, 999))
    ends = np.quantile(draws, [0.025, 0.975], axis=1)
    table = pd.DataFrame({"value": [0.5], "low": [ends[0].mean()], "high": [ends[1].mean()]})
    (error,) = quantile_of("n_resamples")(table, "low", {"n_resamples": 999})
    assert error == pytest.approx(ends[0].std(), rel=0.15)


def test_a_tables_own_errors_are_believed():
    table = pd.DataFrame(
        {"metric": ["A"], "value": [0.5], "mc_error": [0.01], "low": [0.4], "low_mc_error": [0.0]}
    )
    assert (
        differences("fig-x", table, changed(table, "value", 0.57)) == []
    )  # 5 sqrt(2) errors of one run are 0.071
    assert differences("fig-x", table, changed(table, "value", 0.58)) == [
        "fig-x, metric=A: value was 0.5, is 0.58; its error explains 0.071"
    ]
    assert len(differences("fig-x", table, changed(table, "low", 0.41))) == 1
    assert differences("fig-x", table, changed(table, "mc_error", 0.012)) == []


def test_p_values_and_undefined_draws_of_any_table_rest_on_their_number():
    table = pd.DataFrame(
        {"metric": ["A"], "value": [0.5], "pvalue": [0.5], "n_resamples": [999], "n_undefined": [0]}
    )
    assert differences("fig-x", table, changed(table, "pvalue", 0.6)) == []
    assert len(differences("fig-x", table, changed(table, "pvalue", 0.62))) == 1
    assert differences("fig-x", table, changed(table, "n_undefined", 5)) == []
    exact = table.drop(columns=["n_resamples", "n_undefined"])
    assert len(differences("fig-x", exact, changed(exact, "pvalue", 0.51))) == 1


def test_verdicts_may_not_change_but_for_rounding():
    last = pd.DataFrame(
        {"paper": "p", "id": list("abcd"), "verdict": [AS_PRINTED, HOLDS, DIFFERS, AS_PRINTED], "measured": "0.5"}
    )  # fmt: skip
    assert compare_verdicts(last, last.assign(measured="0.6")) == []
    now = last.assign(verdict=[WITHIN, DOES_NOT_HOLD, DIFFERS, DIFFERS])
    assert [str(moved) for moved in compare_verdicts(last, now)] == [
        "verdicts, p b: verdict was holds 0.5, is does not hold 0.5; it is exact",
        "verdicts, p d: verdict was exact 0.5, is differs 0.5; it is exact",
    ]
    assert [str(moved) for moved in compare_verdicts(last, last.iloc[:3])] == [
        "verdicts, p d: recorded, but not in the new run"
    ]


def test_verdicts_that_change_with_the_draws_are_claims_and_may():
    claims = {(claim.paper, claim.id) for claim in checking.load()}
    assert claims >= UNSETTLED
    paper, id = min(UNSETTLED)
    last = pd.DataFrame([{"paper": paper, "id": id, "verdict": HOLDS, "measured": ""}])
    assert compare_verdicts(last, last.assign(verdict=DOES_NOT_HOLD)) == []
    assert len(compare_verdicts(last, last.iloc[:0])) == 1


def executed(folder, name, table):
    bundle = {"application/vnd.plotly.v1+json": {}, "text/csv": table.to_csv(index=False)}
    output = nbformat.v4.new_output("display_data", bundle, metadata={"figure": {"name": name}})
    folder.mkdir(exist_ok=True)
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=[output])])
    nbformat.write(page, folder / f"{name}.ipynb")


def test_a_run_is_compared_table_by_table(tmp_path, monkeypatch):
    monkeypatch.setenv("DATA", "real")
    pages, recorded_folder = tmp_path / "pages", tmp_path / "kept"
    recorded_folder.mkdir()
    executed(pages, "fig-x", EXACT)
    with pytest.raises(DataError, match="nothing is recorded in kept"):
        compare_run(pages, recorded_folder)
    for name in ("fig-x", "fig-gone"):
        EXACT.to_csv(recorded_folder / f"{name}.csv", index=False)
    (recorded_folder / "verdicts.csv").write_text("paper,id,printed,measured,verdict\n")
    executed(pages, "fig-y", EXACT)
    assert [str(moved) for moved in compare_run(pages, recorded_folder)] == [
        "fig-gone, the whole table: recorded, but not in the new run",
        "fig-y, the whole table: in the new run, but not recorded",
    ]


def has_resamples(path):
    """Read the first line only: else every worker that collects tests would read all rows."""
    return "n_resamples" in path.read_text(encoding="utf8").partition("\n")[0].split(",")


RESAMPLED = {path.stem for path in FOLDER.glob("fig-*.csv") if has_resamples(path)}


@each("name", sorted({*MONTE_CARLO, *RESAMPLED}))
def test_every_declared_error_fits_its_recorded_table(name):
    last = recorded.read(name)
    settings = default_parameters(NOTEBOOKS / f"{name.split('-')[1]}.ipynb")
    assert set(MONTE_CARLO.get(name, {})) <= set(last)
    some = last.sample(
        min(len(last), 50), random_state=0
    )  # rows are compared one by one, and told one by one
    assert compare_tables(name, some, some, settings) == []
    standard_errors = errors(name, last, settings)
    ends = [column for column in last if column.endswith(("low", "high"))]
    assert name not in RESAMPLED or set(ends) <= set(standard_errors), (
        "ends of intervals that are called exact"
    )
    for column, error in standard_errors.items():
        assert error.shape == (len(last),)
        assert (error >= 0).all()
        assert (error > 0).any(), column
    # a check that allows anything would find nothing: values moved by the whole scale are found
    column = next(iter(MONTE_CARLO.get(name, ["low"])))
    scale = 1.0 if last[column].abs().max() <= 1 else np.ptp(last[column].dropna())  # ratings have points
    moved = some.assign(**{column: some[column] + scale})
    assert len(compare_tables(name, some, moved, settings)) > some[column].notna().sum() / 2, column


def test_declared_names_are_recorded_tables():
    there = {path.stem for path in FOLDER.glob("fig-*.csv")}
    assert {*MONTE_CARLO, *RULES["on_vectors"], *RULES["remarked"]} <= there
    assert ALLOWED > 5
