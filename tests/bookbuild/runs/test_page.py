"""The page of a sweep holds each result where it was swept, and a link to every run."""

import json
import re

import nbformat
import numpy as np
import pandas as pd
import pytest

from bookbuild.runs.page import identifying, write_page


def results(**changes):
    rows = [
        {"param_k": k, "param_dataset": dataset, "group": group, "metric": metric, "k": k, "n_used": k, "value": k / 10, "low": 0.1, "high": 0.9}
        for k in (4, 6)
        for dataset in ("a", "b")
        for group in ("abs", "ext")
        for metric in ("ROUGE-1 recall", "JS-2")
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**changes)


def test_rows_are_distinguished_by_names_and_by_numbers_only_where_these_do_not_suffice():
    run_keys = ["param_k", "param_dataset"]
    assert identifying(results(), run_keys) == ["group", "metric"]
    once = results().query("group == 'abs'")
    assert identifying(once, run_keys) == ["metric"]
    sized = pd.concat([results(n_systems=8), results(n_systems=12)])
    assert identifying(sized, run_keys) == ["group", "metric", "n_systems"]
    shared = pd.concat([results(percent=10.0), results(percent=20.0)])
    assert identifying(shared, run_keys) == ["group", "metric", "percent"]


def test_windows_in_points_are_distinguished_by_their_ends():
    table = pd.concat([results(lower=0.0, upper=0.3), results(lower=0.3, upper=1.0)])
    assert identifying(table, ["param_k", "param_dataset"]) == ["group", "metric", "lower"]


def test_what_was_counted_or_remarked_tells_no_rows_apart():
    counted = results(n_pairs=range(16), n_concordant=range(16), remark=[f"note {i}" for i in range(16)])
    assert identifying(counted, ["param_k", "param_dataset"]) == ["group", "metric"]
    twice = pd.concat([counted, counted])
    assert identifying(twice, ["param_k", "param_dataset"]) == ["group", "metric"]


@pytest.fixture
def written(tmp_path):
    def write(table, runs, sentences=None):
        notebook = tmp_path / "topk.ipynb"
        first = nbformat.v4.new_markdown_cell(
            "# Title\n\n**The question.** Is {cite:t}`zhang2021lite` *right*?\n\nMore."
        )
        nbformat.write(nbformat.v4.new_notebook(cells=[first]), notebook)
        tables = {"results": ("The main table.", table)} if table is not None else {}
        write_page(tmp_path / "index.html", notebook, runs, tables, sentences or [""] * len(runs))
        text = (tmp_path / "index.html").read_text(encoding="utf8")
        return text, json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])

    return write


def runs_of(table):
    runs = table[["param_k", "param_dataset"]].drop_duplicates().reset_index(drop=True)
    runs.columns = ["k", "dataset"]
    runs.insert(0, "run", range(1, len(runs) + 1))
    return runs.astype({"k": str}).assign(notebook=[f"topk-{i}.ipynb" for i in runs["run"]], error="")


def test_every_value_and_its_interval_is_there_once(written):
    table = results()
    text, data = written(table, runs_of(table), ["it agrees"] * 4)
    assert [(axis["label"], axis["values"], axis["numbers"]) for axis in data["swept"]] == [
        ("k", ["4", "6"], [4, 6]),
        ("dataset", ["a", "b"], None),
    ]
    drawn = data["tables"]["results"]
    names = [axis["name"] for axis in drawn["axes"]]
    assert names == ["param_k", "param_dataset", "group", "metric"]
    assert drawn["lines"] == "metric"
    drawn = pd.DataFrame(
        [[*(axis["values"][i] for axis, i in zip(drawn["axes"], row, strict=False)), *row[len(names) :]] for row in drawn["rows"]],
        columns=[*names, "value", "low", "high"],
    )  # fmt: skip
    pd.testing.assert_frame_equal(drawn.astype({"param_k": int}), table[drawn.columns], check_dtype=False)
    assert [text.count(f'href="topk-{i}.ipynb"') for i in range(1, 5)] == [1] * 4
    assert text.count("it agrees") == 4
    assert "Is Zhang and Bansal (2021) right?" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")  # nothing from elsewhere


def test_a_failed_run_shows_its_error_and_leads_nowhere(written):
    table = results()
    runs = runs_of(table)
    runs.loc[1, ["notebook", "error"]] = ["", "topk.ipynb <failed> & died"]
    text, _ = written(table[table["param_dataset"] == "a"], runs)
    assert "1 of 4 runs failed" in text
    assert "topk.ipynb &lt;failed&gt; &amp; died" in text
    assert text.count('href="topk-') == 3
    nothing, _ = written(None, runs.assign(notebook="", error="died"))
    assert "No run recorded results." in nothing
    assert "results.csv" not in nothing


def test_values_that_do_not_exist_are_no_points_and_names_cannot_end_the_script(written):
    table = results().astype({"value": float})
    table.loc[0, "value"] = np.nan
    table.loc[1, "low"] = np.nan
    table.loc[2, "metric"] = "</script><b>"
    text, data = written(table, runs_of(table))
    rows = data["tables"]["results"]["rows"]
    assert len(rows) == len(table) - 1
    assert rows[0][-2] is None
    assert "</script><b>" not in text


def test_a_readers_own_metrics_are_one_line(written):
    table = results().query("param_k == 4 and group == 'abs'").assign(yours=False)
    table.loc[table["metric"] == "JS-2", ["metric", "yours"]] = [["mine", True], ["other", True]]
    _, data = written(table, runs_of(table))
    (lines,) = (axis for axis in data["tables"]["results"]["axes"] if axis["name"] == "metric")
    assert lines["values"] == ["ROUGE-1 recall", "yours"]


def swept_windows():
    """One window of one's own in each run, up to what was swept, and beside it the same windows in points."""
    own = [
        {"param_upper": upper, "metric": metric, "from_percent": 0.0, "to_percent": upper, "lower": 0.0, "upper": upper / 90 + shift, "n_pairs": int(upper + 9 * shift), "n_concordant": 3, "remark": "", "value": 0.5}
        for upper in (30.0, 50.0)
        for shift, metric in enumerate(("ROUGE-1", "JS-2"))
    ]  # fmt: skip
    points = [
        {"param_upper": upper, "metric": metric, "lower": lower, "upper": lower + 1, "n_pairs": int(9 * lower), "n_concordant": shift, "remark": "few" * shift, "value": 0.2}
        for upper in (30.0, 50.0)
        for shift, metric in enumerate(("ROUGE-1", "JS-2"))
        for lower in (0.0, 1.0, 2.0)
    ]  # fmt: skip
    return pd.DataFrame([*own, *points])


def test_a_sweep_over_the_end_of_a_window_has_no_menu_of_counts_or_of_what_was_swept(written):
    table = swept_windows()
    runs = pd.DataFrame({"run": [1, 2], "upper": ["30.0", "50.0"], "notebook": "topk-1.ipynb", "error": ""})
    text, data = written(table, runs)
    axes = {name: [axis["name"] for axis in drawn["axes"]] for name, drawn in data["tables"].items()}
    assert axes == {
        "results": ["param_upper", "metric"],
        "results, without from (%), to (%)": ["param_upper", "metric", "lower"],
    }
    assert [len(drawn["rows"]) for drawn in data["tables"].values()] == [4, 12]
    assert "nan" not in json.dumps(data).lower()
    assert "tables/" not in text
