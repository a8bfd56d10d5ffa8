"""The report: what it says of made-up data, and that nothing of a user's names escapes into its page."""

import argparse
import json
import re
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from bs4 import BeautifulSoup
from scipy import stats

from metaeval.__main__ import main as run
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.reporting import sections
from metaeval.reporting.answer import csv
from metaeval.reporting.compare import compare_judges
from metaeval.reporting.reading import read
from metaeval.reporting.report import Report, add_arguments, report
from metaeval.stats.intervals import interval
from metaeval.tables.benchmark import Texts
from tests.builders import benchmark

RNG = np.random.default_rng(5)
HUMAN = np.arange(8.0)[:, None] / 2 + RNG.normal(size=(8, 12))
EVIL = '<script>alert("x")</script>'
MADE = benchmark(HUMAN, {"good": HUMAN + RNG.normal(size=HUMAN.shape), EVIL: RNG.normal(size=HUMAN.shape)})
RATINGS = xr.DataArray(
    HUMAN + RNG.normal(size=(3, *HUMAN.shape)),
    dims=("rater", "system", "document"),
    coords={"rater": list("abc"), "system": MADE.systems, "document": MADE.documents},
)
RATED = replace(MADE, ratings={"human": RATINGS})
SMALL = {"n_resamples": 60, "rng": 7}


@pytest.fixture(scope="module")
def made() -> Report:
    return report(RATED, **SMALL)


SYSTEMS = ("A 1", "a_1", "b", "c", "d", "e", "f")


def test_its_numbers_are_those_of_the_engine(made):
    table = made.to_frame("correlations").query("metric == 'good'").set_index("level")
    for level in ("system", "summary", "global"):
        expected = interval(MADE.metric("good").to_numpy(), HUMAN, level=level, n_resamples=9, rng=0).estimate
        assert table["value"][level] == pytest.approx(expected)
    pairs = made.to_frame("pairs").set_index("metric")
    means, people = MADE.scores.mean("document").sel(metric="good").to_numpy(), HUMAN.mean(axis=1)
    against = sum((means[i] - means[j]) * (people[i] - people[j]) < 0 for i in range(8) for j in range(i))
    assert pairs["n_discordant"]["good"] == against


def test_the_summary_says_the_word_the_rule_and_how_to_get_it_again(made):
    short, said = made.summary(), made.summary(verbose=True)
    assert short.count(made.verdicts.rule) == said.count(made.verdicts.rule) == 1
    lines = short.splitlines()
    assert lines[0] == "made-up: 2 judges and 3 raters on 8 systems x 12 documents"
    assert lines[2] == (
        "Can a judge stand in for one more rater?        Kendall's τ over systems, of means over 12 documents"
    )
    row = made.to_frame().iloc[0]
    assert lines[4].split()[:2] == ["good", f"{row['own']:.2f}"]
    assert f"{row['value']:+.2f} [" in lines[4]
    assert said.splitlines()[-1] == made.signature
    for part in ("level:system", "coef:kendall-b", "ci:judges", "draws:60", "seed:7", "systems:8"):
        assert part in made.signature


def test_one_correlation_has_one_interval_wherever_it_stands():
    found = report(MADE, **SMALL)
    ends = ["value", "low", "high"]
    at = found.to_frame("correlations").query("level == 'system'").set_index("metric")[ends]
    verdict = found.to_frame().set_index("metric")[ends]  # held against a constant, whose correlation is 0
    np.testing.assert_array_equal(at.loc[verdict.index], verdict)
    both = compare_judges(MADE, ["good"], fail_under=0.0, **SMALL).table
    assert both[ends].iloc[0].tolist() == verdict.loc["good"].tolist()


def test_a_gain_and_the_share_that_confirms_it_are_one_curve(made):
    row = made.to_frame("differences").set_index("metric").loc["good"]
    slope = np.log(row["value"] / (1 - row["value"])) / row["difference"]
    assert row["needed_difference"] == pytest.approx(np.log(9) / slope)
    assert row["low"] <= row["value"] <= row["high"]
    means = MADE.metric("good").mean("document").to_numpy()
    typical = np.median([abs(means[i] - means[j]) for i in range(8) for j in range(i)])
    assert row["difference"] == pytest.approx(typical, rel=0.05)


def test_leniency_is_asked_of_one_scale_only():
    given = {
        "kinder": np.clip(HUMAN + 0.5, HUMAN.min(), HUMAN.max()),
        "other scale": 100 * HUMAN,
        "of other documents": np.full(HUMAN.shape, np.nan),
    }
    found = report(benchmark(HUMAN, given), **SMALL)
    table = found.to_frame("leanings").set_index("metric")
    assert table.index.tolist() == ["kinder"]
    assert table["value"]["kinder"] == pytest.approx((given["kinder"] - HUMAN).mean())
    assert "leniency of other scale and of other documents" in [one.check for one in found.left_out]


def test_what_long_texts_gain_and_what_length_alone_would_reach():
    lengths = np.tile([4, 9, 2, 7, 5, 8], (8, 2)) + np.arange(8)[:, None]
    texts = Texts(
        xr.DataArray(
            [[" ".join(["word"] * n) for n in row] for row in lengths],
            coords={"system": MADE.systems, "document": MADE.documents},
            dims=("system", "document"),
        ),
        references={},
    )
    with_texts = replace(benchmark(HUMAN, {"longest": lengths.astype(float), "b": -HUMAN}), texts=texts)
    found = report(with_texts, **SMALL)
    alone = found.to_frame("sentinels").query("sentinel == 'length' and level == 'system'")["value"].item()
    table = found.to_frame("correlations").query("metric == 'longest' and level == 'system'")
    assert alone == pytest.approx(table["value"].item())
    assert "longest" in found.to_frame("leanings").query("value > 0")["metric"].tolist()


def test_many_systems_leave_the_curve_out_with_its_reason(monkeypatch):
    monkeypatch.setattr(sections, "MAX_CURVES", 10)
    monkeypatch.setattr(sections, "MAX_GLOBAL", 10)
    found = report(MADE, **SMALL)
    said = {one.check: one.why for one in found.left_out}
    assert "draws are not reduced" in said["how often people confirm a difference"]
    assert "have all their draws" in said["the interval over all summaries at once"]


def test_one_seed_gives_one_report(made):
    assert report(RATED, **SMALL).to_json() == made.to_json()
    assert report(RATED, n_resamples=60, rng=8).to_json() != made.to_json()


def test_tiers_say_where_two_metrics_score_other_summaries(made):
    gaps = HUMAN.copy()
    gaps[0, 0] = np.nan
    words = next(one for one in made.sections if one.key == "tiers").note
    found = report(benchmark(HUMAN, {"gaps": gaps, "whole": -HUMAN}), **SMALL)
    said = next(one for one in found.sections if one.key == "tiers").note
    assert ("what both score" in words, "what both score" in said) == (False, True)


def test_tables_have_captions_and_few_columns_and_their_copies_have_all(made):
    page = BeautifulSoup(made.to_html(), "html.parser")
    cut = {}
    for table in page.select("table"):
        heads = [head.get_text() for head in table.select("thead th")]
        caption = table.caption.get_text()
        assert caption
        assert len(heads) <= 7
        copy = table.find_next("textarea", attrs={"aria-label": re.compile("CSV")}).get_text().strip()
        cut[copy.splitlines()[0]] = "in the copies below" in caption
        assert "from" not in heads  # the ends of an interval stand beside its estimate
    assert cut[",".join(made.to_frame("pairs").columns)]
    assert not cut[",".join(made.to_frame("tiers").columns)]
    assert re.search(r"<td class=\"n\">-?0\.\d+ \[-?[\d.]+, -?[\d.]+\]</td>", made.to_html())


def test_a_table_shows_what_it_answers_in_a_few_columns(made):
    page = BeautifulSoup(made.to_html(), "html.parser")
    windows = page.select_one("[aria-label=windows] table")
    heads = [head.get_text() for head in windows.select("thead th")]
    assert {"closest pairs (%)", "difference (points)", "Kendall's τ", "agreement"} <= set(heads)
    first = made.to_frame("windows").iloc[0]
    cells = [cell.get_text() for cell in windows.select_one("tbody tr").select("td")]
    assert f"{first['from_percent']:.0f} to {first['to_percent']:.0f}" in cells


def test_names_are_escaped_wherever_they_stand(made):
    page = made.to_html()
    assert "<script" not in page.lower()
    assert "&lt;script&gt;" in page


def test_names_are_no_formulas_in_the_table_to_copy():
    found = report(benchmark(HUMAN, {"=HYPERLINK(1)": HUMAN, "b": -HUMAN}), **SMALL)
    lines = csv(found.to_frame("tiers")).splitlines()
    assert sorted(line.partition(",")[0] for line in lines) == ["'=HYPERLINK(1)", "b", "metric"]


def test_the_page_needs_nothing_else_and_is_small(made):
    page = made.to_html()
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe)\b|@import|url\(|https?://", page)
    assert len(page.encode()) < 300_000
    assert made.summary().splitlines()[0] in page


def test_a_number_below_zero_has_a_hyphen_in_a_terminal_and_a_minus_sign_on_a_page(made):
    hyphen = r"(?<![\w.|-])-\.?\d"
    page = BeautifulSoup(made.to_html(), "html.parser")
    copies = [copy.extract().get_text() for copy in page.select("textarea")]
    assert re.search(hyphen, made.summary())
    assert re.search(hyphen, "".join(copies))  # a program reads them
    assert "\N{MINUS SIGN}" not in made.summary() + made.to_json() + "".join(copies)
    shown = page.select_one(".metaeval").get_text()
    assert "\N{MINUS SIGN}" in shown
    assert not re.search(hyphen, shown)
    assert not re.search(r"\d%|\d %", shown)  # no break before the sign


def test_json_has_every_table_and_no_number_that_is_none(made):
    found = json.loads(made.to_json())
    assert set(found["tables"]) == set(made.tables)
    assert found["tables"]["verdicts"][0]["metric"] == "good"
    assert found["signature"] == made.signature
    assert "NaN" not in made.to_json()


def test_a_ceiling_that_does_not_exist_is_null_in_json(made):
    found = replace(made, verdicts=replace(made.verdicts, ceiling=(np.nan, -np.inf, 0.5)))
    assert json.loads(found.to_json())["ceiling"] == [None, "-inf", 0.5]


@pytest.mark.parametrize("write", ["to_html", "to_json"])
def test_a_file_is_written_whole(made, tmp_path, write):
    text = getattr(made, write)(tmp_path / "new" / "report")
    assert (tmp_path / "new" / "report").read_text(encoding="utf8") == text
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        getattr(made, write)(tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "new"]


def test_what_cannot_be_asked_is_said_with_its_reason():
    one = benchmark(HUMAN[:, :1], {"good": HUMAN[:, :1]})
    found = report(one, **SMALL)
    said = {one.check: one.why for one in found.left_out}
    assert "there is one document" in said["levels of summaries, and other documents"]
    assert "two metrics" in said["tiers of metrics"]
    assert "not given by two raters" in said["whether a judge can stand in for a rater"]
    assert "ci:judges" in found.signature


@pytest.mark.parametrize("n", [3, 5])
def test_few_systems_come_with_a_caution(n):
    found = report(benchmark(HUMAN[:n], {"good": HUMAN[:n] + 0.1, "b": -HUMAN[:n]}), **SMALL)
    assert found.sections[0].note == f"{n} systems: intervals over systems say little."
    assert set(found.verdicts.table["because"]) == {f"{n} systems; it takes 6"}


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"alpha": 5}, ValueError, "`alpha` must be in (0, 1), got 5"),
        ({"confidence_level": 95}, ValueError, "did you mean 0.95?"),
        ({"n_resamples": 0}, ValueError, "`n_resamples` must be at least 1"),
        ({"coefficient": "kendal"}, UnknownNameError, "Did you mean 'kendall'?"),
        ({"people": "people.csv"}, DataError, "so `data` must be a file too"),
    ],
)
def test_settings_are_checked(settings, error, said):
    with pytest.raises(error, match=re.escape(said)):
        report(MADE, **settings)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (benchmark(np.ones((4, 3)), {"m": HUMAN[:4, :3]}), "people's scores are all equal"),
        (
            MADE.select(metrics=[]),
            "there are scores by people only, and none by a metric or judge; add some, or name",
        ),
    ],
)
def test_data_without_an_answer_are_refused(data, said):
    with pytest.raises(DataError, match=said):
        report(data, **SMALL)


def test_it_is_shown_in_a_line(made):
    assert repr(made).startswith(f"<Report: {made.title}; tables verdicts, correlations")
    assert "\n" not in repr(made)


def test_as_a_command(tmp_path, capsys):
    lines = ["system,document,metric,score"]
    for metric, plane in (("people", HUMAN), ("mine", HUMAN + 1)):
        lines += [f"s{i},d{j},{metric},{plane[i, j]}" for i in range(8) for j in range(12)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf8")
    page, data = tmp_path / "out.html", tmp_path / "out.json"
    given = ["report", str(path), "-o", str(page), "-o", str(data), "--draws", "60", "--seed", "3"]
    assert run(given) == 0
    shown = capsys.readouterr()
    assert "1 judge and people on 8 systems x 12 documents" in shown.out
    assert re.search(r"^mine +1\.00 \[0\.\d\d, 1\.00\] +yes$", shown.out, re.MULTILINE)
    assert f"{page}: the report, one page to read or to send\n{data}: the report, all its" in shown.out
    assert "Copy 1 row as CSV" in page.read_text(encoding="utf8")
    assert page.read_text(encoding="utf8").startswith("<!DOCTYPE html>")
    assert json.loads(data.read_text(encoding="utf8"))["settings"]["seed"] == 3
    assert run(["report", str(path), "--json", "--draws", "60"]) == 0
    assert json.loads(capsys.readouterr().out)["title"].startswith("scores.csv: 1 judge")


def test_draws_that_cannot_be_made_are_refused(told, capsys):
    assert run(["report", str(told), "--draws", "1000000000"]) == 3
    said = capsys.readouterr().err
    assert said == "error: `--draws` must be at most 10,000,000, got 1,000,000,000\n"


def test_a_command_line_has_the_same_defaults_as_the_function():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = vars(parser.parse_args(["f.csv"]))
    assert report.__kwdefaults__ | {"rng": 0} == {
        "coefficient": given["coefficient"], "delta": given["delta"], "alpha": given["alpha"],
        "confidence_level": given["confidence_level"], "n_resamples": given["n_resamples"], "rng": 0,
        "lower_is_better": (), "columns": None, "texts": given["texts"],
        "sampled_at_random": given["sampled_at_random"],
    }  # fmt: skip
    assert given["seed"] == report.__kwdefaults__["rng"]


@pytest.fixture
def told(tmp_path):
    """Scores with a text each, the longer the better people like it."""
    lines = ["system,document,good,human,summary,source"]
    for i in range(8):
        lines += [
            f"s{i},d{j},{HUMAN[i, j] + (i * j) % 3},{HUMAN[i, j]},{'word ' * (i + j % 3 + 1)},a word of d{j}"
            for j in range(12)
        ]
    path = tmp_path / "told.csv"
    path.write_text("\n".join(lines), encoding="utf8")
    return path


def test_texts_beside_scores_show_what_counting_words_would_reach(told):
    found = report([told], **SMALL)
    sentinels = found.to_frame("sentinels").set_index(["level", "sentinel"])["value"]
    words = np.add.outer(np.arange(8), np.arange(12) % 3).mean(axis=1)
    assert sentinels["system", "length"] == pytest.approx(
        stats.kendalltau(words, HUMAN.mean(axis=1)).statistic
    )
    assert {name for _, name in sentinels.index} == {"length", "copied share", "novelty"}
    assert found.verdicts.table["compared_with"][0] in ("length", "copied share", "novelty")
    assert "slope on length" in " ".join(found.to_frame("leanings")["leaning"])


def test_too_many_texts_are_left_out_aloud(told, monkeypatch):
    monkeypatch.setattr(sections, "MAX_TEXTS", 95)
    left = {one.check: one.why for one in report([told], **SMALL).left_out}
    assert "there are 96 texts, and up to 95 are read" in left["scores that judge nothing, and length"]


def test_a_summary_that_is_missing_has_no_length(told):
    lines = told.read_text().split("\n")
    cells = lines[1].split(",")
    told.write_text("\n".join([lines[0], ",".join([*cells[:4], "", cells[5]]), *lines[2:]]))
    found = read([told]).benchmark
    assert int(found.texts.summaries.isnull().sum()) == 1
    assert np.isnan(sections.sentinels_of(found)["length"]).sum() == 1


def test_what_the_doctor_asks_about_stands_in_the_report(tmp_path):
    lines = [
        "system,document,loss_of_it,human",
        *(f"{s},{d},{-i - d},{i + d}" for i, s in enumerate(SYSTEMS) for d in (1, 2)),
    ]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(lines))
    found = report(read(path), n_resamples=99)
    assert any("Are these one and the same?" in note and "'A 1'" in note for note in found.notes)
    (falls,) = [note for note in found.notes if "if lower is better, --lower 'loss_of_it'" in note]
    assert falls.startswith("loss_of_it falls as people's rise (r = -1.00)")
    assert falls in found.summary()


def test_a_judge_that_falls_as_people_rise_once_its_sign_is_turned_is_told(tmp_path):
    lines = ["system,document,toxicity_score,human_helpful"]
    lines += [f"s{i},{d},{0.1 + 0.2 * i},{int(d < i)}" for i in range(4) for d in range(3)]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(lines))
    data = read(path)
    (falls,) = [note for note in data.notes if "falls as people's rise" in note]
    # of -0.1, -0.3, -0.5, -0.7 with 0, 1/3, 2/3, 1
    assert falls == (
        "toxicity_score falls as people's rise (r = -1.00), its sign turned: if higher is better, --higher "
        "'toxicity_score'."
    )
    assert falls in report(data, n_resamples=99).summary()
    assert not [note for note in read(path, higher_is_better=["toxicity_score"]).notes if "falls as" in note]


def test_a_report_says_what_the_judges_are_worth_together_and_what_their_picks_keep():
    rng = np.random.default_rng(4)
    people = rng.normal(size=(8, 1)) + rng.normal(size=(8, 30))
    shared = rng.normal(size=people.shape)
    judges = {f"judge {k}": people + shared + rng.normal(size=people.shape) / 4 for k in range(3)}
    result = report(benchmark(people, judges | {"percent": 100 * people}), n_resamples=99, rng=1)
    row = result.tables["panel"].iloc[0]
    assert row["n_judges"] == 3  # one is on another scale
    assert row["low"] < row["value"] < row["high"]
    picks = result.tables["picks"].set_index("metric")["value"]
    assert picks["percent"] == 1
    picked = [plane[judges["judge 1"][:, d].argmax()] for d, plane in enumerate(people.T)]
    mean = people.mean(axis=0)
    assert picks["judge 1"] == pytest.approx((picked - mean).sum() / (people.max(axis=0) - mean).sum())
