import re
import shutil

import pandas as pd
import pytest

from helpers.experiments import findings
from helpers.papers.recorded import FOLDER
from helpers.paths import NOTEBOOKS

TABLE = findings.table()
WORDS = findings.in_words(TABLE)
NOTEBOOK = NOTEBOOKS / "findings.ipynb"


@pytest.fixture
def folder(tmp_path):
    """A copy of the recorded tables, to change."""
    for path in FOLDER.glob("fig-*.csv"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_ten_findings_each_with_a_number_in_an_interval():
    assert TABLE["page"].nunique() == 10
    assert TABLE[["value", "low", "high"]].notna().all().all()
    assert (TABLE["low"] <= TABLE["high"]).all()


def test_what_is_quoted_is_the_median_and_not_the_extreme():
    curves = pd.read_csv(FOLDER / "fig-topk-curves.csv").query("group == 'mix' and coefficient == 'pearson'")
    values = curves.pivot(index="metric", columns="k", values="value")
    changes = values[10] - values[values.columns.max()]
    best, everything = (
        TABLE.query("page == 'topk'").set_index("quantity")["value"][q] for q in ("best", "all")
    )
    # of six changes three are at most the quoted one
    assert (changes <= best - everything + 1e-9).sum() == 3
    intervals = pd.read_csv(FOLDER / "fig-intervals-bars.csv")
    shown = intervals.query("method == 'Boot-Both' and level == 'system'")["value"]
    quoted = TABLE.query("page == 'intervals'")["value"].item()
    assert (shown < quoted).sum() <= (len(shown) - 1) // 2 < (shown <= quoted).sum()


def test_shares_are_means_with_the_binomial_error_of_their_trials():
    shares = pd.read_csv(FOLDER / "fig-coverage-shares.csv")
    one, other = shares.query("level == 'system' and method == 'Boot-Both'")["value"]
    row = TABLE.query("page == 'coverage' and quantity == 'Boot-Both'").iloc[0]
    assert row["value"] == pytest.approx((one + other) / 2)
    variance = (one * (1 - one) + other * (1 - other)) / 1000 / 4
    assert row["high"] - row["value"] == pytest.approx(1.96 * variance**0.5, abs=1e-4)


def test_every_number_and_word_of_the_sentences_is_there():
    for row in TABLE.itertuples():
        shown = WORDS[f"{row.page}-{row.quantity}"]
        assert shown.startswith((f"{row.value:.2f} [", f"{100 * row.value:.0f} % ["))
    quoted = NOTEBOOK.read_text(encoding="utf8")
    named = set(re.findall(r"\{glue\}`([^`]+)`", quoted))
    assert named - set(WORDS) == {"k", "gain", "kept", "small", "fewer", "more"}
    assert "nan" not in " ".join(WORDS.values())


def test_words_follow_the_numbers(folder):
    path = folder / "fig-coverage-shares.csv"
    shares = pd.read_csv(path)
    shares["value"] = shares["method"].map({"Fisher": 0.95}).fillna(0.5)
    shares.to_csv(path, index=False)
    path = folder / "fig-margins-gains.csv"
    gains = pd.read_csv(path)
    gains[["agreement", "agreement_low", "agreement_high"]] = [0.3, 0.2, 0.4]
    gains.to_csv(path, index=False)
    words = findings.in_words(findings.table(folder=folder))
    assert words["coverage-word"] == "Fisher"
    assert words["margins-summeval-word"] == "less often than"


def test_a_table_that_was_not_recorded_is_named(folder):
    (folder / "fig-annotators.csv").unlink()
    with pytest.raises(FileNotFoundError, match="no recorded table fig-annotators; `make record`"):
        findings.table(folder=folder)
