"""Honesty: what is simulated says so, gives no verdict, and stands beside what was recorded on real data."""

import io
from dataclasses import asdict
from types import SimpleNamespace

import nbformat
import pandas as pd
import plotly.graph_objects as go
import pytest

from bookbuild.runs import record
from bookbuild.runs.to_markdown import mark_simulated
from bookbuild.site import sphinx_ext
from helpers.experiments import scorecard
from helpers.kit import display, mime, recorded
from helpers.kit.claims import checking
from helpers.kit.claims.claim import EXACT, HOLDS, NOT_RUN, Verdict
from metaeval.analysis import systems, topk
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.mode import is_simulated

TABLE = pd.DataFrame({"dataset": ["realsumm", "realsumm"], "metric": ["a", "b"], "value": [0.1, 0.2]})


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")


@pytest.fixture
def real_run(monkeypatch):
    monkeypatch.setenv("DATA", "real")


@pytest.fixture
def shown(monkeypatch):
    """What is displayed, as (data, metadata)."""
    found = []
    monkeypatch.setattr(
        display, "display", lambda data, metadata=None, raw=False: found.append((data, metadata))
    )
    return found


def show(data):
    display.show_figure(go.Figure(), name="fig-x", caption="A caption.", alt="A figure.", data=data)


def test_a_simulated_figure_says_so_in_the_drawing_the_caption_and_the_csv(simulated, shown):
    show(TABLE)
    bundle, metadata = shown[0]
    assert metadata["simulated"]
    assert metadata["figure"]["caption"] == "**Simulated data.** A caption."
    assert [note["text"] for note in bundle[mime.PLOTLY]["layout"]["annotations"]] == ["SIMULATED"]
    assert pd.read_csv(io.StringIO(bundle["text/csv"]))["data"].tolist() == ["simulated"] * 2


def test_a_real_figure_carries_no_mark(real_run, shown):
    show(TABLE)
    bundle, metadata = shown[0]
    assert not metadata["simulated"]
    assert "annotations" not in bundle[mime.PLOTLY]["layout"]
    assert "data" not in pd.read_csv(io.StringIO(bundle["text/csv"]))


def test_in_a_real_run_only_rows_of_simulated_benchmarks_are_marked(real_run, shown):
    show(TABLE.assign(dataset=["realsumm", "simulated-realsumm"]))
    bundle, metadata = shown[0]
    assert metadata["simulated"]
    assert pd.read_csv(io.StringIO(bundle["text/csv"]))["data"].tolist() == ["real", "simulated"]


def notebook(*metadata):
    outputs = [nbformat.v4.new_output("display_data", metadata=m) for m in metadata]
    cells = [
        nbformat.v4.new_markdown_cell("# Title\n\nText."),
        nbformat.v4.new_code_cell("x", outputs=outputs),
    ]
    return nbformat.v4.new_notebook(cells=cells)


def test_a_page_of_a_simulated_run_has_a_banner_below_its_title(simulated):
    page = notebook({})
    mark_simulated(page)
    lines = page.cells[0].source.splitlines()
    assert lines[0] == "# Title"
    assert lines[2] == ":::{div} banner-simulated"
    assert lines[3].startswith("**Simulated data.**")
    assert lines[-1] == "Text."
    assert page.metadata["data"] == "simulated"


def test_a_page_of_a_real_run_has_one_only_if_it_shows_simulated_results(real_run):
    drawn = {"figure": {}, "simulated": True}
    plain, partly, wholly = notebook({}), notebook({}, {"simulated": True}), notebook({}, drawn)
    for page in (plain, partly, wholly):
        mark_simulated(page)
    assert plain.cells[0].source == "# Title\n\nText."
    assert "**Partly simulated data**" in partly.cells[0].source
    assert partly.metadata["data"] == "mixed"
    assert "**Simulated by design.**" in wholly.cells[0].source
    assert wholly.metadata["data"] == "designed"


def test_a_page_of_text_that_quotes_simulated_numbers_has_a_banner(monkeypatch, tmp_path):
    monkeypatch.setattr(sphinx_ext, "EXECUTED", tmp_path)
    for name, kind in (("one", "simulated"), ("two", "mixed"), ("three", None)):
        page = nbformat.v4.new_notebook(metadata={"data": kind} if kind else {})
        nbformat.write(page, tmp_path / f"{name}.ipynb")
    noted = []
    app = SimpleNamespace(env=SimpleNamespace(note_dependency=noted.append))
    for name, marked in (("one", True), ("two", False), ("three", False), ("four", False)):
        line, block = (
            f"{{glue}}`executed/{name}.ipynb::x`",
            f"```{{glue}} x\n:doc: executed/{name}.ipynb\n```",
        )
        for quoting in (line, block):
            source = [f"# Title\n\nIt is\n{quoting}"]
            sphinx_ext.mark_simulated(app, "intro", source)
            assert ("banner-simulated" in source[0]) == marked
            assert source[0].startswith("# Title\n")
        # it is written again where that has run again
        assert noted[-2:] == [str(tmp_path / f"{name}.ipynb")] * 2


def test_simulated_results_get_no_verdict_whatever_they_are(simulated):
    mine = [claim for claim in checking.load() if claim.notebook == "topk"]
    verdicts = checking.check("topk", pd.DataFrame({"dataset": [], "value": []}))
    assert [v.claim for v in verdicts] == mine
    assert {v.verdict for v in verdicts} == {NOT_RUN}
    assert all(v.evidence.startswith("needs real data") for v in verdicts)
    assert {v.verdict for v in scorecard.collect(recorded.FOLDER)} == {NOT_RUN}


def test_rows_of_simulated_benchmarks_count_for_nothing_in_a_real_run(real_run):
    (claim,) = [c for c in checking.load() if c.id == "exp4/mover-ext-system"]
    row = {**claim.test["select"], "value": 0.05}
    assert checking.check(claim.notebook, pd.DataFrame([row]), [claim])[0].verdict == EXACT
    row["dataset"] = "simulated-realsumm"
    assert checking.check(claim.notebook, pd.DataFrame([row]), [claim])[0].verdict == NOT_RUN


def test_what_was_recorded_stands_beside_a_claim(tmp_path):
    claim = checking.load()[0]
    row = {"paper": claim.paper, "id": claim.id, "printed": "", "measured": "0.12", "verdict": "differs"}
    pd.DataFrame([row]).to_csv(tmp_path / "verdicts.csv", index=False)
    found = recorded.needs_real_data(claim, tmp_path)
    assert found.verdict == NOT_RUN
    assert found.evidence == "needs real data; the last full run on real data: differs, measured 0.12"


def test_recorded_values_are_matched_by_what_they_are_of(tmp_path):
    last = TABLE.assign(value=[0.7, 0.8], n_used=[5, 6]).iloc[::-1]
    last.to_csv(tmp_path / "fig-x.csv", index=False)
    ours = TABLE.assign(n_used=[1, 1], data="simulated")
    joined = recorded.beside("fig-x", ours, tmp_path)
    assert joined.to_dict("records") == [
        {"metric": "a", "simulated": 0.1, "real": 0.7},
        {"metric": "b", "simulated": 0.2, "real": 0.8},
    ]
    assert recorded.beside("fig-y", ours, tmp_path) is None


def executed(folder, table, *, data=None, verdict=None):
    bundle = {"application/vnd.plotly.v1+json": {}, "text/csv": table.to_csv(index=False)}
    outputs = [nbformat.v4.new_output("display_data", bundle, metadata={"figure": {"name": "fig-x"}})]
    if verdict:
        claim = checking.load()[0]
        entry = [asdict(Verdict(claim, verdict, "", "0.5"))]
        outputs.append(nbformat.v4.new_output("display_data", {mime.VERDICTS: entry}))
    page = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("x", outputs=outputs)], metadata={"data": data} if data else {}
    )
    nbformat.write(page, folder / "x.ipynb")


def test_recording_keeps_results_and_refuses_scores_and_simulations(real_run, tmp_path):
    pages, kept = tmp_path / "pages", tmp_path / "kept"
    pages.mkdir()
    with pytest.raises(DataError, match="no executed notebooks"):
        record.write(pages, kept)
    executed(pages, TABLE, data="simulated")
    with pytest.raises(DataError, match=r"x.ipynb ran on simulated data"):
        record.write(pages, kept)
    executed(pages, TABLE)
    with pytest.raises(DataError, match="hold no verdicts"):
        record.write(pages, kept)

    mixed = pd.concat([TABLE.assign(data="real"), TABLE.assign(data="simulated", low=0.0)])
    executed(pages, mixed, data="mixed", verdict=HOLDS)
    assert [path.name for path in record.write(pages, kept)] == ["verdicts.csv", "fig-x.csv"]
    pd.testing.assert_frame_equal(recorded.read("fig-x", kept), TABLE)
    counts = pd.read_csv(kept / "verdicts.csv")["verdict"].value_counts()
    assert counts.to_dict() == {"holds": 1, "not run": len(checking.load()) - 1}

    for column in ("system", "document"):  # a row for each: scores in another form
        executed(pages, TABLE.assign(**{column: "x"}), verdict=HOLDS)
        assert [path.name for path in record.write(pages, kept)] == ["verdicts.csv"]
        assert not (kept / "fig-x.csv").exists()


def test_nothing_recorded_has_a_row_for_each_system_or_document():
    for path in recorded.FOLDER.glob("fig-*.csv"):
        table = pd.read_csv(path)
        assert record.RESULTS & set(table), path.name
        assert not record.REFUSED & set(table), path.name
        assert "data" not in table, path.name
        assert len(table)


def test_a_mode_that_is_none_is_told(monkeypatch):
    monkeypatch.setenv("DATA", "fake")
    with pytest.raises(UnknownNameError, match=r"unknown value of DATA 'fake'; known: auto, real, simulated"):
        is_simulated()


# a sample of what is recorded, computed again from the released data
SAMPLE = {
    "fig-systems-correlations": lambda b: systems.table(b, groups=["ext"], coefficients=["pearson"]),
    "fig-topk-curves": lambda b: topk.table(b, groups=["mix"], coefficients=["kendall"], ks=[6, 20]),
}


@pytest.mark.real_data
@pytest.mark.parametrize("name", SAMPLE)
def test_recorded_results_come_out_again(name, real):
    table = SAMPLE[name](real("realsumm").select(metrics=["ROUGE-2 recall", "JS-2"]))
    last = recorded.read(name)
    keys = [column for column in table if column in last and recorded.is_key(column, table[column])]
    joined = table[[*keys, "value"]].merge(last[[*keys, "value"]], on=keys)
    assert len(joined) == len(table) >= 4
    assert joined["value_x"].to_numpy() == pytest.approx(joined["value_y"].to_numpy(), abs=1e-6)


@pytest.mark.real_data
def test_recorded_verdicts_come_out_again(real, real_run):
    results = systems.table(real("realsumm"))
    found = {v.claim.id: v for v in checking.check("systems", results) if v.verdict != NOT_RUN}
    last = {
        id: row for (paper, id), row in recorded.recorded_verdicts().items() if paper.startswith("bhandari")
    }
    names = (
        "rouge-2-best-abs-mix",
        "rouge-2-best-ext",
        "mover-js-weak-ext",
        "mover-js-below-rouge-2",
        "rouge-consistent",
    )
    for claim in (f"exp1/{name}" for name in names):
        ours = found[claim].verdict, found[claim].measured
        assert ours == (last[claim]["verdict"], last[claim]["measured"]), claim


def test_a_cross_table_keeps_the_order_of_its_labels():
    table = pd.DataFrame(
        {"d": ["y", "y", "x", "x"], "m": ["b", "a", "b", "a"], "k": [2, 1, 2, 1], "value": [1, 2, 3, 4]}
    )
    assert display.wide(table, rows="m", columns=["d"]).to_dict("split") == {
        "index": ["b", "a"], "columns": ["y", "x"], "data": [[1, 3], [2, 4]],
    }  # fmt: skip
    found = display.wide(table, rows=["m", "k"], columns=["d"])
    assert found.index.tolist() == [("b", 2), ("a", 1)]
    assert found.to_numpy().tolist() == [[1, 3], [2, 4]]


def test_ids_that_are_numbers_in_words_meet_what_was_read_back(tmp_path):
    """Batches "1", "2" and "all" are words on a page; a file without "all" reads them back as whole numbers."""
    pd.DataFrame({"batch": [1, 2], "value": [0.5, 0.6]}).to_csv(tmp_path / "alphas.csv", index=False)
    simulated = pd.DataFrame({"batch": ["2", "all", "1"], "value": [0.2, 0.0, 0.1]})
    found = recorded.beside("alphas", simulated, tmp_path)
    assert found.to_dict("list") == {"batch": ["2", "1"], "simulated": [0.2, 0.1], "real": [0.6, 0.5]}
