import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from scipy import stats

from helpers.experiments import findings
from helpers.kit.recorded import FOLDER
from metaeval.core.paths import BOOK, NOTEBOOKS
from tests.kit.figures import points, seen

TABLE = findings.table()
WORDS = findings.quotes(TABLE)
OF_JUDGES = findings.choosing_a_judge()
SAID_OF_JUDGES = findings.judge_quotes(OF_JUDGES)
ANSWER = findings.answer(TABLE, OF_JUDGES)
NOTEBOOK = NOTEBOOKS / "findings.ipynb"
OF_THE_NOTEBOOK = {"k", "gain", "kept", "small", "fewer", "more"}


@pytest.fixture
def folder(tmp_path):
    """A copy of the recorded tables, to change."""
    for path in FOLDER.glob("fig-*.csv"):
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def row(page, quantity, table=TABLE):
    return table.set_index(["page", "quantity"]).loc[(page, quantity)]


def recorded(name):
    return pd.read_csv(FOLDER / f"fig-{name}.csv")


def test_ten_findings_each_with_a_number_in_an_interval():
    assert TABLE["page"].nunique() == 10
    assert TABLE[["value", "low", "high"]].notna().all().all()
    assert (TABLE["low"] <= TABLE["high"]).all()
    assert (TABLE["low"] < TABLE["high"]).all()  # a share of 0 of 1,000 has an interval too


@pytest.mark.parametrize(("page", "below"), [("topk", "k == 10"), ("systems", "group == 'ext'")])
def test_of_six_changes_the_one_in_the_middle_that_is_nearer_to_none_is_quoted(page, below):
    changes = recorded(f"{page}-differences").query(
        f"{below} and quantity == 'difference' and coefficient == 'pearson'"
    )
    quoted = row(page, "difference")
    middle = np.sort(changes["value"])[2:4]
    assert quoted["value"] == pytest.approx(middle[np.abs(middle).argmin()])
    assert len(changes) == quoted["n_values"] == 6
    assert quoted["n_agree"] == ((changes["low"] >= 0.005) | (changes["high"] <= -0.005)).sum()


def test_one_correlation_has_one_interval():
    ends = ["metric", "value", "low", "high"]
    among_all = recorded("systems-correlations").query(
        "group == 'mix' and level == 'system' and coefficient == 'pearson'"
    )
    for page, quantity in (("topk", "all"), ("systems", "mix")):
        assert row(page, quantity)[ends].tolist() in among_all[ends].to_numpy().tolist()
    for page, first, second in (("topk", "all", "best"), ("systems", "mix", "ext")):
        change = row(page, second)["value"] - row(page, first)["value"]
        assert row(page, "difference")["value"] == pytest.approx(change, abs=2e-6)
    for level in ("system", "summary"):
        change = row("annotators", f"{level}-all")["value"] - row("annotators", f"{level}-1")["value"]
        assert row("annotators", f"{level}-difference")["value"] == pytest.approx(change, abs=2e-6)


def test_copies_of_a_metric_count_once():
    bars = recorded("intervals-bars").query("method == 'Boot-Both' and level == 'system'")
    assert (bars["dataset"] == "summeval").sum() - row("intervals", "summeval")["n_values"] == 2
    assert {"AutoSummENG", "MeMoG", "NPowER"} <= set(bars["metric"])
    widths = (bars["high"] - bars["low"])[bars["dataset"] == "summeval"].drop_duplicates()
    quoted = row("intervals", "summeval")
    assert quoted["high"] - quoted["low"] == pytest.approx(widths.median())


def test_shares_have_the_interval_of_clopper_and_pearson():
    exact = stats.binomtest(0, 1000).proportion_ci(method="exact")
    quoted = row("power", "system-Boot-Both")
    assert (quoted["value"], quoted["low"]) == (0, 0)
    assert quoted["high"] == pytest.approx(exact.high) == pytest.approx(0.0037, abs=1e-4)
    assert WORDS["power-system-Boot-Both"] == "0.0 % [0.0, 0.4]"


def test_no_mean_over_data_sets_is_quoted():
    shares = recorded("coverage-shares").query("level == 'system' and method == 'Boot-Both'")
    quoted = [row("coverage", f"{name}-Boot-Both")["value"] for name in ("summeval", "realsumm")]
    assert quoted == shares["value"].tolist()


def test_every_number_and_word_of_the_sentences_is_there():
    for found in TABLE.itertuples():
        shown = WORDS[f"{found.page}-{found.quantity}"]
        assert re.match(r"-?\d[\d.]*( %)? \[", shown), shown
    named = set(re.findall(r"\{glue\}`([^`]+)`", NOTEBOOK.read_text(encoding="utf8")))
    on_the_front = set(
        re.findall(r"findings\.ipynb::([^`]+)`", (BOOK / "intro.md").read_text(encoding="utf8"))
    )
    pictures = {f"picture-{page}" for page in findings.pictured()}
    known = set(WORDS) | set(SAID_OF_JUDGES) | set(ANSWER) | OF_THE_NOTEBOOK
    assert named <= known
    assert on_the_front <= known
    assert set(SAID_OF_JUDGES) | set(ANSWER) <= named
    shown = re.findall(r"```\{glue\} (picture-\w+)", (BOOK / "intro.md").read_text(encoding="utf8"))
    assert sorted(shown) == sorted(pictures)
    assert named >= OF_THE_NOTEBOOK
    assert "nan" not in " ".join(WORDS.values())


def changed(folder, name, **columns):
    """Write other numbers into a recorded table, where a query picks rows."""
    table = recorded(name)
    for column, value in columns.items():
        table[column] = value(table) if callable(value) else value
    written(folder, name, table)


def written(folder, name, table):
    path = folder / f"fig-{name}.csv"
    path.unlink()  # a link to what was recorded
    table.to_csv(path, index=False)


# what is changed in which table, and the words that follow
OTHER_NUMBERS = [
    ("topk-differences", {"low": -0.5, "high": -0.1}, {"topk-difference-word": "so it is lower there"}),
    ("topk-differences", {"low": 0.1, "high": 0.5}, {"topk-difference-word": "so it is higher there"}),
    ("systems-differences", {"low": 0.1, "high": 0.5}, {"systems-difference-word": "so it is higher there"}),
    (
        "systems-differences",
        {"low": -0.5, "high": -0.006},
        {"systems-difference-word": "so it is lower there"},
    ),
    (
        "annotators-differences",
        {"low": 0.004, "high": 0.2},
        {"annotators-summary-difference-word": "so no difference is shown"},
    ),
    (
        "margins-gains",
        {"agreement": 0.3, "agreement_low": 0.2, "agreement_high": 0.4},
        {"margins-summeval-word": "less often than", "margins-realsumm-word": "less often than"},
    ),
    (
        "margins-gains",
        {"agreement": 0.8, "agreement_low": 0.7, "agreement_high": 0.9},
        {"margins-summeval-word": "more often than"},
    ),
    (
        "intervals-bars",
        {"low": lambda t: t["value"] - 0.04, "high": lambda t: t["value"] + 0.04},
        {"intervals-summeval-word": "narrow", "intervals-realsumm-word": "narrow"},
    ),
    (
        "coverage-shares",
        {"value": lambda t: t["method"].map({"Fisher": 0.95}).fillna(0.5)},
        {"coverage-summeval-word": "Fisher", "coverage-realsumm-promise-word": "Fisher"},
    ),
    (
        "coverage-shares",
        {"value": 0.9},
        {"coverage-summeval-word": "Fisher, Boot-Systems, Boot-Inputs and Boot-Both"},
    ),
    (
        "power-curves",
        {"value": lambda t: np.where(t["method"] == "Williams", 0.9, 0.2)},
        {"power-system-word": "Williams", "power-summary-word": "Williams"},
    ),
    (
        "variance-stability",
        {"value": lambda t: 1 - t["n_documents"] / 1000, "mc_error": 0.001},
        {"variance-summeval-difference-word": "less than"},
    ),
    (
        "variance-stability",
        {"value": 0.5, "mc_error": 0.01},
        {"variance-realsumm-difference-word": "not told apart from"},
    ),
    (
        "summaries-levels",
        {"value": lambda t: t["value"].where(t["level"] != "difference", 0.1)},
        {"summaries-word": "leaves the number as it is", "summaries-all-of": "0 of 6"},
    ),
    (
        "annotators-differences",
        {"low": -0.2, "high": 0.2},
        {"annotators-summary-difference-word": "so no difference is shown"},
    ),
    (
        "annotators-differences",
        {"low": -0.2, "high": -0.1},
        {"annotators-system-difference-word": "so fewer do better"},
    ),
    (
        "index_size-slider",
        {"value": lambda t: np.where(t["is_whole"], 0.1, 0.8) + t["subset"] / 1000},
        {"index_size-word": "more than chance alone gives"},
    ),
    (
        "index_size-slider",
        {"domain": "reuters"},
        {"index_size-word": "which so few draws cannot tell from chance"},
    ),
]


def worlds():
    """Changes of different tables together, as one run of all findings takes a fifth of a second."""
    made = []
    for name, columns, expected in OTHER_NUMBERS:
        world = next((world for world in made if name not in world), None)
        if world is None:
            made.append(world := {})
        world[name] = columns, expected
    return made


@pytest.mark.parametrize("world", worlds())
def test_other_numbers_give_other_words(folder, world):
    for name, (columns, _) in world.items():
        if "domain" in columns:
            few = recorded(name).query("domain == @columns['domain'] and (is_whole or subset == 0)")
            written(folder, name, few)
        else:
            changed(folder, name, **columns)
    words = findings.quotes(findings.table(folder=folder))
    for _, expected in world.values():
        assert {key: words[key] for key in expected} == expected
        assert any(words[key] != WORDS[key] for key in expected)


def test_every_page_has_other_words_for_other_numbers():
    tried = {key.split("-")[0] for _, _, expected in OTHER_NUMBERS for key in expected}
    assert tried == set(TABLE["page"])


def test_a_table_that_was_not_recorded_is_named(folder):
    (folder / "fig-annotators.csv").unlink()
    with pytest.raises(FileNotFoundError, match="no recorded table fig-annotators; `make record`"):
        findings.table(folder=folder)


def test_a_parameter_without_recorded_rows_is_named():
    with pytest.raises(ValueError, match="recorded table fig-topk-differences has no rows with k == @k"):
        findings.table(k=7)


def of_judges(folder):
    return findings.judge_quotes(findings.choosing_a_judge(folder=folder))


def test_the_numbers_on_judges_are_the_recorded_ones():
    rows = OF_JUDGES.set_index("quantity")
    table = recorded("judges-correlations").query("level == 'system' and coefficient == 'kendall'")
    table = table[~table["judge"].str.startswith("expert")]
    widths = table["high"] - table["low"]
    assert (widths <= rows.loc["width", "high"] - rows.loc["width", "low"] + 1e-9).sum() == len(
        table
    ) // 2 + 1
    assert rows.loc["width", ["n_agree", "n_values"]].tolist() == [(table["low"] > 0).sum(), len(table)]
    for dimension, part in table.groupby("dimension"):
        best = part.loc[part["value"].idxmax()]
        assert rows.loc[f"first-{dimension}", "metric"] == best["judge"]
        assert rows.loc[f"first-{dimension}", "value"] == best["value"]
        first = rows.loc[f"order-{dimension}", "metric"]
        tests = (
            recorded("judges-alt_test").query("dimension == @dimension").groupby("judge")["advantage"].mean()
        )
        assert first == tests.idxmax()
        place = (part["value"] > part.set_index("judge")["value"][first]).sum() + 1
        assert rows.loc[f"order-{dimension}", "place"] == place


def test_one_judge_first_everywhere_and_narrow_intervals_read_otherwise(folder):
    best = {"value": lambda t: np.where(t["judge"] == "gpt-4o", 0.9, 0.5 - t.index / 1e4)}
    changed(folder, "judges-correlations", **best, low=0.46, high=0.54)
    said = of_judges(folder)
    assert said["judges-first-word"] == "one judge is first" != SAID_OF_JUDGES["judges-first-word"]
    assert said["judges-first"].startswith("gpt-4o in relevance, coherence")
    assert said["judges-width-word"] == "narrow" != SAID_OF_JUDGES["judges-width-word"]
    assert said["judges-width-of"] == "24 of 24"


@pytest.mark.parametrize(
    ("sign", "n_pass", "said"),
    [
        (
            1,
            1,
            "{} alone passes the alternative annotator test, and is first of 6 judges by system-level τ, ",
        ),
        (
            -1,
            3,
            "{} does best of the 3 that pass the alternative annotator test, and is last of 6 judges by ",
        ),
        (
            -1,
            0,
            "{} does best in the alternative annotator test, and is last of 6 judges by system-level τ, ",
        ),
    ],
)
def test_the_best_judge_in_the_test_stands_beside_its_place_by_correlation(folder, sign, n_pass, said):
    names = sorted(recorded("judges-alt_test")["judge"].unique())[::sign]
    places = {name: place / 10 for place, name in enumerate(names)}
    changed(folder, "judges-correlations", value=lambda t: sign * t["judge"].map(places).fillna(0.0))
    changed(
        folder, "judges-alt_test", advantage=lambda t: t["judge"].map(places),
        winning_rate=lambda t: t["judge"].isin(names[6 - n_pass :]).astype(float),
    )  # fmt: skip
    words = of_judges(folder)
    place = 1 if sign > 0 else 6
    assert words["judges-places"].startswith(f"{place} in relevance ({names[-1]})")
    assert words["judges-apart"].startswith(f"In relevance, {said.format(names[-1])}")


def test_passing_pairs_are_counted_by_each_rule(folder):
    changed(folder, "judges-alt_test", winning_rate=0.5, document_rate=0.4, system_rate=1.0)
    said = of_judges(folder)
    assert said["judges-passing"] == "24 of 24"
    assert (said["judges-passing-document"], said["judges-passing-system"]) == ("0", "24")
    assert said["judges-passing-document-word"] == "lowers the number"
    assert said["judges-passing-system-word"] == "leaves the number as it is"
    changed(folder, "judges-alt_test", winning_rate=0.4, document_rate=0.5, system_rate=0.4)
    assert of_judges(folder)["judges-passing-document-word"] == "raises the number"


def test_a_table_on_judges_that_was_not_recorded_is_named(folder):
    (folder / "fig-judges-alt_test.csv").unlink()
    with pytest.raises(FileNotFoundError, match="no recorded table fig-judges-alt_test; `make record`"):
        of_judges(folder)


def test_the_answer_says_what_the_numbers_earn():
    gains, judges = (ANSWER[f"findings-answer-{part}"] for part in ("gains", "judges"))
    for name in ("summeval", "realsumm"):
        assert f"({WORDS[f'intervals-{name}']})" in ANSWER["findings-answer-intervals"]
        assert f"{WORDS[f'margins-{name}']} of {WORDS[f'margins-{name}-n']} pairs" in gains
    assert " within 0.5 ROUGE-1 points, " in gains
    last = OF_JUDGES[OF_JUDGES["quantity"].str.startswith("apart-")].iloc[0]
    assert last["place"] == OF_JUDGES["place"].max()
    assert judges.endswith(
        f" by system-level τ, {last['value']:.2f} [{last['low']:.2f}, {last['high']:.2f}]."
    )


def test_the_answer_changes_with_the_numbers():
    wide = TABLE["page"].isin(["intervals", "margins"])
    other = TABLE.assign(low=TABLE["low"].where(~wide, 0.8), high=TABLE["high"].where(~wide, 0.85))
    said = findings.answer(other, OF_JUDGES, gain=1)
    assert " is narrow on SummEval (" in said["findings-answer-intervals"]
    assert " and REALSumm (" in said["findings-answer-intervals"]  # one word for both
    assert said["findings-answer-gains"].endswith(" (REALSumm), more often than a coin toss.")
    assert " within 1 ROUGE-1 points, " in said["findings-answer-gains"]


def test_a_column_of_a_shown_table_has_one_meaning():
    shown = findings.by_meaning(TABLE)
    numbers = [shown[name] for name in ("correlations", "differences", "shares")]
    assert sorted(pd.concat(numbers).index) == list(TABLE.index)  # each row in one table
    assert set(shown["shares"]["page"]) == {"margins", "coverage", "power"}
    assert shown["differences"]["quantity"].str.contains("difference|effect").all()
    assert shown["counts"]["n_better"].notna().all()
    said = shown["correlations"]["quantity"]
    assert "system-1 reference" in set(said)
    assert not said.str.contains(r"\b1 references").any()
    of_judges = findings.judges_by_meaning(OF_JUDGES)
    assert sorted(pd.concat(of_judges.values()).index) == list(OF_JUDGES.index)
    assert of_judges["orders"]["place"].between(1, of_judges["orders"]["n_judges"]).all()
    assert of_judges["passing"]["n_passing"].notna().all()


def test_small_pictures_are_of_the_recorded_tables():
    for page, table in findings.pictured().items():
        assert len(table) >= 4
        assert page in ("topk", "margins", "coverage", "index_size")
        assert table["value"].notna().all()


def test_every_change_stands_in_its_row_with_its_interval():
    table = findings.table()
    changes = findings.changes(table)
    traces = seen(findings.change_dots(changes))
    assert [trace.name for trace in traces] == [findings.SAMPLED, findings.AT_RANDOM]
    shown = {name: at for trace in traces for name, at in points(trace).items()}
    assert len(shown) == 7
    for row in changes.itertuples():
        low, high = min(row.low, row.value), max(row.high, row.value)
        assert shown[row.choice] == pytest.approx((row.value, low, high), abs=1e-4)
    first = table.query("page == 'topk' and quantity == 'difference'").iloc[0]
    assert shown["the 10 best systems, not all"][0] == first["value"]


def test_a_picture_shows_the_values_of_its_table():
    lines = pd.DataFrame(
        {"k": [4, 4, 8, 8], "metric": ["ROUGE-1", "JS-2"] * 2, "value": [-0.5, 0.0, 1.0, 0.4]}
    )
    tables = {
        "topk": lines,
        "index_size": lines.rename(columns={"k": "stories"}),
        "margins": pd.DataFrame(
            {"from_percent": [0, 0, 50], "to_percent": [50, 100, 100], "value": [-0.5, 0.5, float("nan")]}
        ),
        "coverage": pd.DataFrame({"method": ["Fisher", "Boot-Both"], "value": [0.5, 1.0]}),
    }
    drawn = {page: BeautifulSoup(svg, "html.parser") for page, svg in findings.small_pictures(tables).items()}
    assert list(drawn) == ["topk", "margins", "coverage", "index_size"]
    assert all(soup.svg["aria-label"] and soup.svg["role"] == "img" for soup in drawn.values())
    zero, rouge, js = (path["d"] for path in drawn["topk"].find_all("path"))
    low, high = findings.HEIGHT - findings.EDGE, findings.EDGE
    assert rouge == f"M6.0 {low:.1f}L234.0 {high:.1f}"
    # 0 lies a third of the way from -0.5 to 1
    assert zero == f"M0 {low + (high - low) / 3:.1f}H240"
    assert js.startswith(f"M6.0 {low + (high - low) / 3:.1f}L")
    cells = drawn["margins"].find_all("rect")
    assert len(cells) == 2
    assert cells[0]["fill"] != cells[1]["fill"]
    assert [float(bar["width"]) for bar in drawn["coverage"].find_all("rect")] == [120, 240]
