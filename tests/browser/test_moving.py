"""Panels that a reader works on a page: what they show is held against the tables of the run and against `metaeval.stats`.

Expected numbers are never taken from the scripts: they come from the CSV files beside the page's figures, or are
computed here from the means that the page carries.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import index_size, truth
from helpers.kit.explorables import DIGITS
from metaeval.simulation import model
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import fisher_bounds
from metaeval.stats.windows import Windows, correlate_pairs, edges_at
from metaeval.tables import labels
from tests.browser.browsing import PHONE, light, settle, show, until
from tests.browser.panels import BEST, GO, INDEX, Panel, best_table, payload, run_table

pytestmark = pytest.mark.browser

KINDS = ("topk", "margins", "index_size", "coverage")
N_PAIRS = {
    "topk": 3,
    "margins": 3,
    "index_size": 3,
    "coverage": 1,
}  # of options of two controls; trials take time
MIN_TOUCH = 44
MIN_CONTRAST = 4.5
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}


def number(text: str) -> float:
    """A number as a panel writes it; a dash is none."""
    if text == "–":
        return np.nan
    return float(text.replace("−", "-").replace(",", "").replace("%", "").replace("+", ""))


def columns(shown: dict[str, Any]) -> pd.DataFrame:
    """The shown table, its first column as names and all others as numbers."""
    frame = pd.DataFrame(shown["rows"], columns=shown["head"]).set_index(shown["head"][0])
    return frame.map(number)


def agree(shown: object, expected: object, digits: int = 2) -> None:
    """Equal when rounded to the shown digits; a half may go either way."""
    close = 0.5 * 10.0**-digits + 1e-6
    shown, expected = np.asarray(shown, dtype=float), np.asarray(expected, dtype=float)
    np.testing.assert_allclose(shown, expected, rtol=0, atol=close)


@pytest.fixture(scope="module")
def open_panel(site: Path, address: str, driver: Any) -> Any:
    """Opens the panel of a kind."""
    return lambda kind, state=None, **how: Panel(driver, address, kind, state, **how)


# ------------------------------------------------------------------------------------------------ numbers


def check_words_of_best(shown: dict[str, Any], row: pd.Series, n: int, k: int) -> None:
    """No word of the sentence goes against a number that is shown."""
    sentence, value = shown["sentence"], row.iloc[0]
    assert f"= {value:.2f}".replace("-", "−") in sentence
    gap = round(value, 2) - round(row[f"on all {n}"], 2)
    if k < n:
        word = "as among all" if abs(gap) < 0.005 else "lower than" if gap < 0 else "higher than"
        assert word in sentence
    if "from" in row:
        ends = f"the change could be {row['from']:z.2f} to {row['to']:z.2f}.".replace("-", "−")
        shown = "A fall is" if row["to"] < 0 else "A rise is" if row["from"] > 0 else "No change is"
        assert k == n or (ends in sentence and shown in sentence)


def carried_value(value: float) -> float:
    """A number of the run as the page carries it."""
    return float(f"{value:.{DIGITS}g}")


def check_best(shown: dict[str, Any], state: dict[str, Any], table: pd.DataFrame) -> None:
    rows = table[(table[BEST] == pd.Series(state)[BEST]).all(axis=1)].set_index("metric")
    assert shown["refusal"] == ""
    found = columns(shown)
    assert list(found.index) == list(rows.index)
    assert shown["current"] == [state["metric"]]
    agree(found.iloc[:, 0], rows["value"])
    if rows["change_low"].notna().any():
        agree(found["from"], rows["change_low"].map(carried_value))
        agree(found["to"], rows["change_high"].map(carried_value))
    else:
        assert "from" not in found
    group = table[(table[BEST[:3]] == pd.Series(state)[BEST[:3]]).all(axis=1)]
    n = int(group["k"].max())
    whole = group[group["k"] == n].set_index("metric")["value"]
    agree(found[f"on all {n}"], whole)
    agree(found["change"], rows["value"] - whole)
    check_words_of_best(shown, found.loc[state["metric"]], n, state["k"])


def test_best_systems_show_the_runs_table(open_panel: Any) -> None:
    panel = open_panel("topk")
    table = best_table()
    states = table[BEST].drop_duplicates()
    once = states.groupby(["dataset", "group", "coefficient"]).sample(1, random_state=3)
    some = pd.concat([once, states.sample(30, random_state=4)])
    for state in some.to_dict("records"):
        metrics = table[(table[BEST] == pd.Series(state)).all(axis=1)]["metric"]
        state["metric"] = metrics.iloc[state["k"] % len(metrics)]
        check_best(panel.go(**state), state, table)


def test_the_best_systems_are_those_that_people_score_highest(open_panel: Any) -> None:
    panel = open_panel("topk")
    means = payload(panel.kind, "means")
    for group, k in (("mix", 5), ("abs", 7), ("ext", 4)):
        panel.go(dataset=means["dataset"][0], group=group, k=k, metric=means["metric"][0])
        of = means[(means["dataset"] == means["dataset"][0]) & (means["metric"] == means["metric"][0])]
        of = of[of["system_type"].isin(["abs", "ext"] if group == "mix" else [group])]
        titles = panel.driver.execute_script(
            "return [...document.querySelectorAll('.explorable-drawing circle.dot:not(.out) title')]"
            ".map(({textContent}) => textContent.split(': ')[0]);"
        )
        best = of.sort_values(["human", "system"], ascending=[False, True])["system"].head(k)
        assert titles == [labels.words("system", system) for system in best]
        x, z = of.set_index("system").loc[best, ["value", "human"]].to_numpy().T[:, :, None]
        r = correlate(x, z, level="system", coefficient="pearson").value
        agree(columns(panel.shown()).loc[means["metric"][0]].iloc[0], r)


def windows_expected(means: pd.DataFrame, state: dict[str, Any]) -> dict[str, float]:
    """One metric's window by the engine."""
    x, z = means["value"].to_numpy(), means["human"].to_numpy()
    ends, open_below = [state["lower"], state["upper"]], False
    if state["unit"] == "percent":
        ends = edges_at(x, z, n_windows=state["n_windows"], percents=ends)
        open_below = state["lower"] > 0
    window = Windows(*np.array([ends], dtype=float).T, np.array([open_below]))
    value, pairs = correlate_pairs(x, z, window, coefficient=state["coefficient"])
    tied = pairs.n_tied_metric + pairs.n_tied_human + pairs.n_tied_both
    counts = {
        "pairs": pairs.n_pairs,
        "agree": pairs.n_concordant,
        "disagree": pairs.n_discordant,
        "tied": tied,
    }
    found = {name: int(n[0]) for name, n in counts.items()}
    return found | {"from": ends[0], "to points": ends[1], SYMBOLS[state["coefficient"]]: float(value[0])}


def check_windows(shown: dict[str, Any], state: dict[str, Any], means: pd.DataFrame) -> None:
    assert shown["refusal"] == "", state
    found = columns(shown)
    for metric, systems in means[means["dataset"] == state["dataset"]].groupby("metric", sort=False):
        expected = windows_expected(systems, state)
        for name in ("pairs", "agree", "disagree"):
            assert found.loc[metric, name] == expected[name], (state, metric, name)
        assert found.loc[metric].get("tied", 0) == expected["tied"]
        for name in ("from", "to points", SYMBOLS[state["coefficient"]]):
            agree(found.loc[metric, name], expected[name])
    here = found.loc[state["metric"]]
    assert f"{here['agree']:.0f} as the metric does and {here['disagree']:.0f} the other way" in (
        shown["sentence"]
    ) or (here["pairs"] == 0 and "no pair" in shown["sentence"])


def test_windows_show_what_the_engine_counts(open_panel: Any) -> None:
    panel = open_panel("margins")
    means = payload(panel.kind, "means")
    rng = np.random.default_rng(8)
    datasets = list(means["dataset"].unique())
    for turn in range(60):
        unit = ("percent", "points")[turn % 2]
        lower, upper = np.sort(rng.choice(101 if unit == "percent" else 60, 2, replace=False))
        scale = 1 if unit == "percent" else 0.1
        dataset = datasets[turn % len(datasets)]
        of = means[means["dataset"] == dataset]
        state = {
            "dataset": dataset,
            "metric": rng.choice(of["metric"].unique()),
            "coefficient": tuple(SYMBOLS)[turn % 3],
            "unit": unit,
            "n_windows": int(rng.integers(2, 21)),
            "lower": round(float(lower * scale), 1),
            "upper": round(float(upper * scale), 1),
        }
        if unit == "points":
            # an end beyond the largest difference is refused
            by_metric = of[of["metric"] == state["metric"]]["value"]
            state["upper"] = round(min(state["upper"], np.floor(10 * np.ptp(by_metric)) / 10), 1)
            state["lower"] = min(state["lower"], state["upper"])
        check_windows(panel.go(**state), state, means)


def test_windows_of_the_run_show_its_values_and_intervals(open_panel: Any) -> None:
    panel = open_panel("margins")
    table = run_table("fig-margins-heatmap")
    n = round(100 / table["to_percent"].min())
    for row in table.sample(12, random_state=5).to_dict("records"):
        state = {name: row[name] for name in ("dataset", "metric", "coefficient")}
        ends = {"lower": int(row["from_percent"]), "upper": int(row["to_percent"])}
        found = columns(panel.go(**state, n_windows=n, unit="percent", **ends)).loc[row["metric"]]
        assert found["pairs"] == row["n_pairs"]
        agree(found[SYMBOLS[row["coefficient"]]], row["value"])
        if np.isfinite(row["low"]):
            agree(found[["low", "high"]], [row["low"], row["high"]])


def check_indexes(shown: dict[str, Any], state: dict[str, Any], table: pd.DataFrame) -> None:
    assert shown["refusal"] == ""
    kept = [key for key in INDEX if key in state]
    rows = table[(table[kept] == pd.Series(state)[kept]).all(axis=1)]
    sizes = sorted(rows["stories"].unique())
    by_size = rows.groupby("stories")["value"]
    frame = pd.DataFrame(shown["rows"], columns=shown["head"])
    assert [int(number(text)) for text in frame["Stories"]] == sizes
    digits = len(frame["lowest"][0].split(".")[1])
    for head, expected in (("lowest", by_size.min()), ("highest", by_size.max())):
        agree(frame[head].map(number), expected, digits)
    agree(frame.iloc[:, 2].map(number), by_size.mean(), digits)
    agree(frame["standard deviation"].map(number), by_size.std(), 3)
    assert list(frame["indexes"].map(number)) == list(by_size.size())
    whole = rows[rows["is_whole"]]["value"].item()
    values = rows.loc[rows["stories"] == state["stories"], "value"]
    if state["stories"] < sizes[-1]:
        better = int((values > whole).sum())
        counted = rf"; {better} of these {len(values)} (is|are) above"
        word = "above" if better else "below" if values.iloc[0] < whole else "as high as"
        assert re.search(counted if len(values) > 1 else f", {word} the ", shown["sentence"])
    else:
        assert shown["sentence"].startswith(f"In all {sizes[-1]:,} stories")


def test_indexes_show_the_runs_table(open_panel: Any) -> None:
    panel = open_panel("index_size")
    table = run_table("fig-index_size-curves")
    table = table[table["query"].isin(index_size.merged_labels(table).keys())]
    kept = [key for key in INDEX if table[key].nunique() > 1]
    for turn, (key, rows) in enumerate(table.groupby(INDEX, sort=False)):
        sizes = sorted(rows["stories"].unique())
        state = {name: value for name, value in zip(INDEX, key, strict=True) if name in kept}
        state["stories"] = int(sizes[turn % len(sizes)])
        check_indexes(panel.go(**state), state, table)


# --------------------------------------------------------------------------------------- a known truth

MATRICES = """
const [name, metric, n, m, times, seed] = arguments;
const model = bookExplorable.likeness;
const data = JSON.parse(document.querySelector('.explorable script[type="application/json"]').textContent);
const likeness = data.likenesses.find((one) => one.name === name);
return Array.from({ length: times }, (_, i) => {
  const { x, z } = model.drawBenchmark(likeness, metric, n, m, bookStatistics.makeRandom(seed + i, 0));
  return [x, z].map((rows) => rows.map((row) => Array.from(row)));
});
"""
CORRELATIONS = """
const [x, z, coefficient, systems, documents] = arguments;
const value = bookStatistics.sampled(x, z, "system", coefficient)(systems, documents);
return Number.isNaN(value) ? null : value;
"""
FISHER = """
const [x, z, coefficient] = arguments;
return bookExplorable.likeness.intervalOf({ x, z }, "Fisher", coefficient, 1, Math.random);
"""
CASES = [("summeval", "QAEval F1"), ("realsumm", "ROUGE-2 recall"), ("tac2009", "ROUGE-L recall")]


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_correlations_of_drawn_samples_are_the_engines(open_panel: Any, name: str, metric: str) -> None:
    panel = open_panel("coverage")
    n, m = 9, 6
    rng = np.random.default_rng(4)
    for x, z in panel.driver.execute_script(MATRICES, name, metric, n, m, 6, 100):
        systems = np.bincount(rng.integers(n, size=n), minlength=n)
        documents = np.bincount(rng.integers(m, size=m), minlength=m)
        for counts in ((np.ones(n, int), np.ones(m, int)), (systems, documents)):
            drawn = [np.repeat(np.repeat(values, counts[0], axis=0), counts[1], axis=1) for values in (x, z)]
            for coefficient in ("pearson", "kendall"):
                given = (x, z, coefficient, *(part.tolist() for part in counts))
                value = panel.driver.execute_script(CORRELATIONS, *given)
                expected = correlate(*drawn, level="system", coefficient=coefficient).value
                assert (np.nan if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True)
        for coefficient in ("pearson", "kendall"):
            found = panel.driver.execute_script(FISHER, x, z, coefficient)
            r = correlate(np.array(x), np.array(z), level="system", coefficient=coefficient).value
            bounds = fisher_bounds(r, n, coefficient=coefficient, confidence_level=0.95)
            np.testing.assert_allclose(found, bounds, atol=1e-9)


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_drawn_benchmarks_are_like_those_of_python(open_panel: Any, name: str, metric: str) -> None:
    panel = open_panel("coverage")
    n, m, times = 10, 12, 150
    likeness = model.read(name).select([metric])
    theirs = np.array(panel.driver.execute_script(MATRICES, name, metric, n, m, times, 1))
    drawn = [model.draw(likeness, n_systems=n, n_documents=m, rng=i).benchmark for i in range(times)]
    ours = np.array([[one.scores.to_numpy()[0], one.human.to_numpy()] for one in drawn])
    # means, deviations within and between systems and documents, what metric and people share
    measures = {
        "mean": lambda a: a.mean(axis=(2, 3)),
        "summaries": lambda a: a.std(axis=(2, 3)),
        "systems": lambda a: a.mean(axis=3).std(axis=2),
        "documents": lambda a: a.mean(axis=2).std(axis=2),
        "shared": lambda a: np.array([[np.corrcoef(x.ravel(), z.ravel())[0, 1]] * 2 for x, z in a]),
    }
    for measure, function in measures.items():
        one, other = function(theirs), function(ours)
        error = np.sqrt(one.var(axis=0) / times + other.var(axis=0) / times)
        assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 4.5 * error).all(), measure
    if name == "summeval":  # means of three people's whole numbers
        assert np.allclose(theirs[:, 1] * 3, np.round(theirs[:, 1] * 3))


def test_coverage_in_the_page_is_pythons_within_monte_carlo_error(open_panel: Any) -> None:
    state = {"dataset": "simulated-summeval", "metric": "QAEval F1", "coefficient": "pearson"}
    panel = open_panel("coverage", {**state, "systems": 10, "documents": 10, "method": "Boot-Both"})
    button = panel.driver.find_element("css selector", ".explorable-actions button")
    trials = lambda: columns(panel.shown())["trials"].max()  # noqa: E731
    until(panel.driver, lambda: trials() >= 30)  # which begin when the panel is seen
    assert (trials(), button.text[:3]) == (30, "Run")
    button.click()
    until(panel.driver, lambda: trials() >= 500)
    button.click()
    stopped = panel.shown()
    settle(panel.driver)  # if it still computed, the next share of it would come first
    assert panel.shown()["rows"] == stopped["rows"]
    found = columns(stopped)
    expected = truth.coverage(
        model.read("summeval"), metric="QAEval F1", n_systems=[10], n_documents=[10], levels=["system"],
        n_trials=500, n_resamples=300, rng=5,
    )  # fmt: skip
    expected = expected[expected["target"] == truth.POPULATION].set_index("method")
    true = payload(panel.kind, "truths").set_index(["dataset", "metric", "coefficient"])["value"]
    assert expected["true_value"].iloc[0] == pytest.approx(
        true["simulated-summeval", "QAEval F1", "pearson"], abs=0.02
    )
    for method, row in found.iterrows():
        share, n = row["held"] / 100, int(row["trials"])
        bounds = stats.binomtest(round(share * n), n).proportion_ci(0.95, method="wilson")
        agree(row[["from", "to"]], 100 * np.array(bounds), 1)
        error = np.sqrt(share * (1 - share) / n)
        both = np.hypot(max(error, 0.005), max(expected.loc[method, "mc_error"], 0.005))
        assert abs(share - expected.loc[method, "value"]) < 4 * both, method
        assert row["mean width"] == pytest.approx(expected.loc[method, "width"], rel=0.12), method
    here = found.loc["Boot-Both"]
    assert f"{here['held']:.1f} %" in stopped["sentence"]
    far = not here["from"] <= 95 <= here["to"]
    word = ("less" if here["held"] < 95 else "more") if far else "too few trials"
    assert word in stopped["sentence"]


def test_a_simulation_says_so_and_begins_anew_with_other_sizes(open_panel: Any) -> None:
    panel = open_panel("coverage", {"systems": 6, "documents": 5})
    shown = panel.shown()
    assert shown["note"].startswith("Simulated, in this browser")
    assert shown["controls"]["Likeness"]["value"].startswith("simulated-")
    again = panel.go(systems=8, documents=5)
    assert "8 systems and 5 documents" in again["sentence"]
    assert columns(again)["trials"].max() <= 30


def test_the_same_setting_gives_the_same_trials(open_panel: Any) -> None:
    rows = []
    for _ in range(2):
        panel = open_panel("coverage", {"systems": 8, "documents": 10}, load=True)
        until(panel.driver, lambda panel=panel: columns(panel.shown())["trials"].max() == 30)
        rows.append(panel.shown()["rows"])
    assert rows[0] == rows[1]


# ------------------------------------------------------------------------------------------- the address


def test_an_address_restores_a_state_and_the_page_shows_it(open_panel: Any) -> None:
    shown = open_panel("topk", {"k": 6, "metric": "ROUGE-2 recall"}, load=True).shown()
    assert shown["refusal"] == ""
    assert shown["controls"]["Best systems, k"]["value"] == "6"
    assert shown["controls"]["Metric"]["value"] == "ROUGE-2 recall"
    assert "Among the 6 best" in shown["sentence"]
    asked = dict(urllib.parse.parse_qsl(shown["link"].removeprefix("#")))
    again = open_panel("topk", asked, load=True).shown()
    assert {key: again[key] for key in ("sentence", "rows")} == {
        key: shown[key] for key in ("sentence", "rows")
    }


@pytest.mark.parametrize(
    ("kind", "state", "words"),
    [
        ("topk", {"k": 999}, "k=999"),
        ("topk", {"k": "six"}, "k=six"),
        ("topk", {"k": 6.5}, "k=6.5"),
        ("topk", {"metric": "ROUGE-9"}, "metric=ROUGE-9"),
        ("topk", {"kk": 6}, "kk"),
        ("margins", {"lower": 60, "upper": 40}, "60 to 40"),
        ("margins", {"coefficient": "gamma"}, "coefficient=gamma"),
        ("margins", {"upper": 120}, "upper=120"),
        ("coverage", {"systems": 7}, "systems=7"),
        ("index_size", {"stories": 3}, "stories=3"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(
    open_panel: Any, kind: str, state: dict, words: str
) -> None:
    panel = open_panel(kind, state)
    shown = panel.shown()
    assert words in shown["refusal"]
    assert shown["refusal"].endswith(".")
    assert shown["sentence"]
    alert = panel.driver.find_element("css selector", ".explorable-refusal")
    assert alert.get_attribute("role") == "alert"
    assert alert.is_displayed()


def test_a_place_on_the_page_is_no_state(open_panel: Any) -> None:
    panel = open_panel("topk")
    panel.driver.execute_async_script(GO, "#fig-topk-curves")
    assert panel.shown()["refusal"] == ""


# ------------------------------------------------------------------------------------- keyboard and speed

FOCUS = """
const box = document.querySelector(".explorable");
const active = document.activeElement;
return box.contains(active) ? [active.tagName, active.id || active.textContent] : null;
"""


@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_keyboard_reaches_every_control_in_order_and_moves_it(open_panel: Any, kind: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    panel = open_panel(kind)
    controls = panel.controls()
    panel.driver.execute_script("arguments[0].focus()", controls[0])
    reached = []
    for _ in range(len(controls) + 5):
        reached.append(panel.driver.execute_script(FOCUS))
        ActionChains(panel.driver).send_keys(Keys.TAB).perform()
    ids = [control.get_attribute("id") for control in controls]
    assert [place[1] for place in reached[: len(ids)] if place] == ids
    rest = [place[1] for place in reached if place][len(ids) :]
    assert {"CSV", "SVG", "Link to this view"} <= set(rest)
    for control in controls:
        label = panel.driver.find_element("css selector", f"label[for='{control.get_attribute('id')}']")
        assert label.text
        before = panel.shown()
        if control.tag_name == "select":
            if len(before["controls"][label.text]["options"]) < 2:
                continue
            last = control.get_property("selectedIndex") == len(before["controls"][label.text]["options"]) - 1
            control.send_keys(Keys.ARROW_UP if last else Keys.ARROW_DOWN)
        else:
            at_end = control.get_property("value") == control.get_attribute("max")
            control.send_keys(Keys.ARROW_LEFT if at_end else Keys.ARROW_RIGHT)
        after = panel.shown()
        assert after["controls"][label.text]["says"] != before["controls"][label.text]["says"], label.text
        assert after["link"] != before["link"], label.text
        until(panel.driver, lambda link=after["link"]: panel.shown()["hash"] == link)  # written after a rest


# Sets two controls, one after the other, each at a share of its length; what one allows may hang on the other.
PAIR = """
const [places, shares] = arguments;
const controls = document.querySelectorAll(".explorable-control :is(select, input)");
places.forEach((place, i) => {
  const control = controls[place];
  const n = control.options?.length ?? Math.round((control.max - control.min) / control.step) + 1;
  const index = Math.min(n - 1, Math.floor(shares[i] * n));
  if (control.options) control.selectedIndex = index;
  else control.value = Number(control.min) + index * Number(control.step);
  control.dispatchEvent(new Event(control.options ? "change" : "input", { bubbles: true }));
});
"""


def state_of(shown: dict[str, Any]) -> dict[str, Any]:
    """The state that a panel's own link asks for, numbers as numbers."""
    state: dict[str, Any] = dict(urllib.parse.parse_qsl(shown["link"].removeprefix("#")))
    for key in state.keys() & {"k", "n_windows", "cutoff", "stories", "systems", "documents"}:
        state[key] = int(state[key])
    return state | {key: float(state[key]) for key in state.keys() & {"lower", "upper"}}


def check_truth(shown: dict[str, Any], state: dict[str, Any], truths: pd.DataFrame) -> None:
    keys = ["dataset", "metric", "coefficient"]
    (truth,) = truths[(truths[keys] == pd.Series(state)[keys]).all(axis=1)]["value"]
    words = shown["sentence"]
    assert f"of {state['systems']} systems and {state['documents']} documents" in words
    assert shown["current"] == [state["method"]]
    if "gives no interval" not in words:
        told = re.search(rf"held the true {SYMBOLS[state['coefficient']]} of (.+), (−?[\d.]+), ", words)
        assert told[1] == state["metric"]
        agree(number(told[2]), truth)


@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_pairs_of_controls_show_the_tables_numbers(open_panel: Any, kind: str) -> None:
    panel = open_panel(kind)
    check, table = {
        "topk": lambda: (check_best, best_table()),
        "margins": lambda: (check_windows, payload(panel.kind, "means")),
        "index_size": lambda: (check_indexes, run_table("fig-index_size-curves")),
        "coverage": lambda: (check_truth, payload(panel.kind, "truths")),
    }[kind]()
    rng = np.random.default_rng(11)
    seen = set()
    for pair in itertools.combinations(range(len(panel.controls())), 2):
        for _ in range(N_PAIRS[kind]):
            panel.driver.execute_script(PAIR, rng.permutation(pair).tolist(), rng.random(2).tolist())
            shown = panel.shown()
            check(shown, state_of(shown), table)
            seen.add(shown["link"])
    assert len(seen) > len(panel.controls())


# ---------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_numbers_and_drawing_can_be_had_as_files(open_panel: Any, kind: str, tmp_path: Path) -> None:
    panel = open_panel(kind)
    if kind == "coverage":
        until(panel.driver, lambda: columns(panel.shown())["trials"].max() == 30)
    panel.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    for button in panel.driver.find_elements("css selector", ".explorable-download"):
        assert "Download" in button.get_attribute("aria-label")
        button.click()
    endings = (".csv", ".svg")
    # under its own name a file is whole
    until(panel.driver, lambda: sorted(path.suffix for path in tmp_path.iterdir()) == list(endings))
    shown = panel.shown()
    (path,) = tmp_path.glob("*.csv")
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf8"))))
    assert len(rows) == len(shown["rows"])
    first = shown["rows"][0][0].replace(",", "")
    assert first in rows[0].values()
    state = dict(urllib.parse.parse_qsl(shown["link"].removeprefix("#")))
    assert set(state) <= set(rows[0])
    (path,) = tmp_path.glob("*.svg")
    drawing = ElementTree.fromstring(path.read_text(encoding="utf8"))
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert int(float(drawing.get("width"))) > 200
    text = path.read_text(encoding="utf8")
    assert "class=" not in text
    assert "var(" not in text
    assert "fill:rgb" in text
    # by name: the browser goes on with the session's other tests
    panel.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "default"})


# ---------------------------------------------------------------------------------------- how it looks

LAYOUT = """
const box = document.querySelector(".explorable");
const low = [...box.querySelectorAll("select, button, input")].filter(
  (node) => node.getBoundingClientRect().height < arguments[0] - 0.5);
return {
  width: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
  low: low.map((node) => `${node.tagName} ${node.id} ${node.getBoundingClientRect().height}`),
  drawing: box.querySelector(".explorable-drawing").getBoundingClientRect().width,
};
"""
COLOURS = """
const box = document.querySelector(".explorable");
const ink = (node) => getComputedStyle(node)[node.tagName === "text" ? "fill" : "color"];
const parts = [".explorable-sentence", ".explorable-note", ".explorable-question", "label", "output", "text.label",
  "text.title", "text.in", ".explorable-link"];
return [getComputedStyle(box).backgroundColor, parts.flatMap((part) => {
  const node = box.querySelector(part);
  return node ? [[part, ink(node)]] : [];
})];
"""


@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_a_panel_fits_a_phone(open_panel: Any, kind: str) -> None:
    panel = open_panel(kind)
    show(panel.driver, "phone")
    settle(panel.driver)
    seen = panel.driver.execute_script(LAYOUT, MIN_TOUCH)
    assert seen["width"] <= PHONE["width"]
    assert seen["low"] == []
    assert 250 < seen["drawing"] <= PHONE["width"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_words_can_be_read_in_both_themes(open_panel: Any, kind: str, theme: str) -> None:
    from tests.browser.test_site import contrast

    driver = open_panel(kind).driver
    light(driver, theme)
    ground, parts = driver.execute_script(COLOURS)
    assert len(parts) >= 6
    assert {part: ink for part, ink in parts if contrast(ink, ground) < MIN_CONTRAST} == {}


@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_a_panel_is_described_and_says_what_changed(open_panel: Any, kind: str) -> None:
    panel = open_panel(kind)
    drawing = panel.driver.find_element("css selector", ".explorable-drawing")
    assert drawing.get_attribute("role") == "img"
    assert drawing.get_attribute("aria-label")
    assert panel.shown()["shapes"] > 20
    spoken = panel.driver.find_element("css selector", ".explorable-spoken")
    assert spoken.get_attribute("role") == "status"
    assert panel.driver.find_elements("css selector", ".explorable table caption")
