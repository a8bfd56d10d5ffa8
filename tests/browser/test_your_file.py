"""A reader's own file on the page `your_metric`: dropped or chosen, read there, answered with Python's numbers."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import metaeval
from helpers.experiments import your_metric
from metaeval.analysis import margins, topk
from metaeval.stats.intervals import interval
from metaeval.stats.windows import closed_windows, draw_windows
from metaeval.tables.benchmark import Benchmark
from tests.browser.browsing import PHONE, settle, show, until

pytestmark = pytest.mark.browser

PAGE = "book/executed/your_metric.html"
N_DRAWS = 1999  # of the page
EXACT = 1e-9

STATE = "return document.querySelector('.your-file').dataset.state;"
SHOWN = """
const box = document.querySelector(".your-file .explorable");
const cells = (row) => [...row.children].map((cell) => cell.textContent);
return {
  sentence: box.querySelector(".explorable-sentence").textContent,
  note: box.querySelector(".explorable-note").textContent,
  heads: cells(box.querySelector("thead tr")),
  rows: [...box.querySelectorAll("tbody tr")].map(cells),
  current: [...box.querySelectorAll("tbody tr[aria-current] th")].map((cell) => cell.textContent),
  dots: box.querySelectorAll("svg .dot").length,
};
"""
# What a button would save, instead of saving it.
SAVED = """
const [name, done] = arguments;
const { createObjectURL } = URL;
URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
const stay = (event) => event.target.tagName === "A" && event.preventDefault();
document.addEventListener("click", stay, { capture: true });
const click = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = () => {};
[...document.querySelectorAll(".your-file button")].find((one) => one.textContent === name).click();
HTMLAnchorElement.prototype.click = click;
document.removeEventListener("click", stay, { capture: true });
URL.createObjectURL = createObjectURL;
"""
DROP = """
const [name, text] = arguments;
const moved = new DataTransfer();
moved.items.add(new File([text], name, { type: "text/csv" }));
const place = document.querySelector(".your-file");
for (const type of ["dragenter", "dragover", "drop"]) {
  place.dispatchEvent(new DragEvent(type, { dataTransfer: moved, bubbles: true, cancelable: true }));
}
"""


def tidy(n: int, m: int, n_metrics: int, *, seed: int = 1, gaps: float = 0.0, digits: int = 2) -> str:
    """A made-up file; rounded scores, so that some tie, and a share of them missing."""
    rng = np.random.default_rng(seed)
    people = rng.normal(size=(n, m)) + rng.normal(size=(n, 1))
    planes = {f"metric {k}": people + (k + 1) * rng.normal(size=(n, m)) for k in range(n_metrics)}
    lines = ["system,document,metric,score"]
    for name, plane in {"people": np.round(people), **planes}.items():
        lines += [
            f"sys {i},doc {j},{name},{'' if rng.random() < gaps else round(plane[i, j], digits)}"
            for i in range(n)
            for j in range(m)
        ]
    return "\n".join(lines) + "\n"


MINE = tidy(9, 20, 3, gaps=0.05)


def wait(driver: Any, *states: str) -> None:
    until(driver, lambda: driver.execute_script(STATE) in states)


@pytest.fixture(scope="module")
def place(site: Path, address: str, driver: Any) -> Any:
    """The browser at the page."""
    show(driver, "desk")
    driver.get(address + PAGE)
    wait(driver, "empty")
    driver.get_log("browser")
    return driver


@pytest.fixture
def mine(place: Any, tmp_path: Path) -> tuple[Any, Benchmark]:
    """The page with a file that has been answered, and what Python makes of the same file."""
    path = tmp_path / "mine.csv"
    path.write_text(MINE)
    place.find_element("css selector", ".your-file input[type=file]").send_keys(str(path))
    wait(place, "done")
    found = your_metric.bring(scores=str(path), dataset="", metrics=[], example_of="", rng=0)
    return place, found.benchmark


def choose(driver: Any, **values: Any) -> dict[str, Any]:
    """Set controls by their labels' keys; what is shown once all draws are there."""
    for key, value in values.items():
        driver.execute_script(
            """
const [key, value] = arguments;
const control = document.querySelector(`.your-file .explorable [id$="-${key}"]`);
control.value = value;
control.dispatchEvent(new Event(control.type === "range" ? "input" : "change", { bubbles: true }));
""",
            key,
            value,
        )
    wait(driver, "done")
    return driver.execute_script(SHOWN)


def saved(driver: Any, name: str) -> str:
    return driver.execute_async_script(SAVED, name)


def near(one: Any, other: Any) -> bool:
    return np.allclose(np.array(one, float), np.array(other, float), rtol=0, atol=EXACT, equal_nan=True)


def close_by_chance(end: float, share: float, draws: np.ndarray) -> bool:
    """Whether an end of the page's interval can be this quantile of Python's draws, by five standard errors."""
    draws = draws[~np.isnan(draws)]
    allowed = 5 * math.sqrt(share * (1 - share) * (1 / N_DRAWS + 1 / len(draws)))
    return (draws < end - EXACT).mean() <= share + allowed and (
        draws <= end + EXACT
    ).mean() >= share - allowed


@pytest.mark.parametrize("level", ["system", "summary"])
@pytest.mark.parametrize("coefficient", ["kendall", "pearson"])
def test_correlations_and_the_best_systems_are_pythons(mine: Any, level: str, coefficient: str) -> None:
    driver, python = mine
    scores, human = python.scores.to_numpy(), python.human.to_numpy()
    drawn = interval(
        scores, human, level=level, coefficient=coefficient, method="Boot-Both", n_resamples=N_DRAWS, rng=4
    )
    best = topk.table(python, groups=["all"], ks=range(3, len(python.systems) + 1)).query(
        "coefficient == @coefficient"
    )
    for k in range(3, len(python.systems) + 1):
        choose(driver, level=level, coefficient=coefficient, k=k)
        rows = pd.read_csv(io.StringIO(saved(driver, "CSV"))).set_index("metric").loc[python.metrics]
        assert (rows["level"] == level).all()
        assert (rows["coefficient"] == coefficient).all()
        assert near(rows["value"], drawn.estimate)
        assert near(rows["best"], best[best["k"] == k].set_index("metric")["value"].loc[python.metrics])
        for row, draws in zip(rows.itertuples(), drawn.distribution, strict=True):
            assert row.draws == N_DRAWS
            assert close_by_chance(row.low, 0.025, draws)
            assert close_by_chance(row.high, 0.975, draws)


def test_the_closest_pairs_are_pythons(mine: Any) -> None:
    driver, python = mine
    table = margins.closest([python], n_windows=10, n_resamples=0)
    human = python.human.to_numpy()
    for share in range(1, 11):
        choose(driver, share=share)
        rows = pd.read_csv(io.StringIO(saved(driver, "CSV"))).set_index("metric").loc[python.metrics]
        part = table[table["percent"] == 10 * share].set_index("metric").loc[python.metrics]
        for ours, theirs in (("upper", "upper"), ("pairs", "n_pairs"), ("tau", "value")):
            assert near(rows[ours], part[theirs])
        assert near(rows["agreement"], part["agreement"])
        for metric, row in rows.iterrows():
            window = closed_windows([(0, row["upper"])])
            scores = python.metric(metric).to_numpy()
            _, agreement = draw_windows(scores, human, window, n_resamples=N_DRAWS, rng=2)
            assert close_by_chance(row["agreement_low"], 0.025, agreement[:, 0])
            assert close_by_chance(row["agreement_high"], 0.975, agreement[:, 0])


def test_sentence_table_and_drawing_say_what_the_file_to_save_holds(mine: Any) -> None:
    driver, python = mine
    sentences = set()
    for metric in python.metrics:
        for coefficient, symbol in (("kendall", "τ"), ("pearson", "r")):
            shown = choose(driver, metric=metric, coefficient=coefficient, level="system", k=4, share=3)
            rows = pd.read_csv(io.StringIO(saved(driver, "CSV")))
            assert shown["current"] == [metric]
            assert shown["dots"] == len(python.metrics)
            for cells, row in zip(shown["rows"], rows.itertuples(), strict=True):
                said = dict(zip(shown["heads"], cells, strict=True))
                assert said["Metric"] == row.metric
                for head, value in (
                    (f"{symbol}, system level", row.value),
                    (f"{symbol} on the 4 best", row.best),
                ):
                    assert said[head] == f"{value:.2f}".replace("-", "−")
                assert said["closest pairs"] == str(row.pairs)
                assert said["ordered alike"] == f"{100 * row.agreement:.0f} %"
            asked = f"Is {metric} better than a score that judges nothing? "
            assert shown["sentence"] == f"{asked}Not here: some scores are missing."
            chosen = rows.set_index("metric")
            apart = (chosen["value"] - chosen.loc[metric, "value"]).drop(metric)
            assert near(chosen["difference"].drop(metric), apart)
            assert (chosen["difference_low"] <= chosen["difference_high"]).drop(metric).all()
            sentences.add(shown["sentence"])
    assert len(sentences) == len(python.metrics)


def test_the_address_restores_what_was_chosen(mine: Any) -> None:
    driver, python = mine
    before = choose(driver, metric=python.metrics[1], level="summary", coefficient="pearson", k=5, share=2)
    link = driver.find_element("css selector", ".your-file .explorable-link")
    asked = link.get_attribute("href").split("#")[1]
    choose(driver, metric=python.metrics[0], level="system", k=3)
    moved = link.get_attribute("href")
    until(driver, lambda: driver.current_url == moved)  # the address is written after a rest
    driver.execute_script("window.location.hash = arguments[0];", asked)
    until(driver, lambda: driver.execute_script(SHOWN)["current"] == before["current"])
    wait(driver, "done")
    assert driver.execute_script(SHOWN) == before


OTHER = tidy(7, 12, 2, seed=2).replace("metric ", "measure ")
REFUSAL = """
const box = document.querySelector(".your-file .explorable");
return box.querySelector(".explorable-refusal").hidden ? "" : box.querySelector(".explorable-refusal").textContent;
"""


def test_another_file_begins_anew_and_nothing_is_refused(mine: Any) -> None:
    driver, python = mine
    choose(driver, metric=python.metrics[1], level="summary", k=9)
    until(driver, lambda: "metric=" in driver.current_url)
    driver.execute_script(DROP, "other.csv", OTHER)
    until(driver, lambda: "other.csv" in driver.find_element("css selector", ".your-file-told").text)
    wait(driver, "done")
    assert driver.execute_script(REFUSAL) == ""
    assert "#" not in driver.current_url
    assert driver.execute_script(SHOWN)["current"] == ["measure 0"]
    # the first file's panel listens no more: what the address asks for is asked of the second alone
    driver.execute_script("location.hash = 'metric=measure+1&k=4'")
    until(driver, lambda: driver.execute_script(SHOWN)["current"] == ["measure 1"])
    assert driver.execute_script(REFUSAL) == ""
    assert len(driver.find_elements("css selector", ".your-file .explorable")) == 1
    driver.execute_script("location.hash = 'metric=metric+1'")
    until(driver, lambda: driver.execute_script(REFUSAL))
    assert "metric=metric 1, which is not there" in driver.execute_script(REFUSAL)
    driver.execute_script("history.replaceState(null, '', location.pathname)")


def test_a_link_to_a_view_of_a_file_asks_for_the_file(place: Any, address: str) -> None:
    place.get("about:blank")
    place.get(f"{address}{PAGE}#metric=metric+1&level=summary&coefficient=pearson&k=5&share=2")
    wait(place, "empty")
    told = place.find_element("css selector", ".your-file-told")
    assert "choose that file" in told.text
    assert place.execute_script("return arguments[0].getBoundingClientRect().top < innerHeight;", told)
    place.execute_script(DROP, "mine.csv", MINE)
    wait(place, "done")
    assert place.execute_script(REFUSAL) == ""
    assert place.execute_script(SHOWN)["current"] == ["metric 1"]
    link = place.find_element("css selector", ".your-file .explorable-link")
    assert "k=5" in link.get_attribute("href")
    assert "needs the file" in link.text
    place.execute_script("history.replaceState(null, '', location.pathname)")


def test_nothing_is_sent(place: Any, tmp_path: Path) -> None:
    place.get_log("performance")
    path = tmp_path / "secret.csv"
    path.write_text(MINE)
    place.find_element("css selector", ".your-file input[type=file]").send_keys(str(path))
    wait(place, "done")
    choose(place, level="summary", k=4)
    messages = [json.loads(entry["message"])["message"] for entry in place.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    opened = [m["method"] for m in messages if "webSocket" in m["method"]]
    assert not sent, "not even to this site's own server"
    assert not opened
    told = place.find_element("css selector", ".your-file-told").text
    assert told == "secret.csv was read on this machine; nothing was sent."
    assert not [entry for entry in place.get_log("browser") if entry["level"] == "SEVERE"]


# What each frame shows from the choice of a file until all is drawn: the state, and the values in the table.
FRAMES = """
window.frames = [];
const place = document.querySelector(".your-file");
const look = () => {
  const { state } = place.dataset;
  const cells = [...place.querySelectorAll(".explorable tbody tr")].map(({ cells }) => cells[1].textContent);
  window.frames.push([state, cells]);
  if (state !== "done" || !window.frames.some(([before]) => before !== "done")) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def test_numbers_stand_while_intervals_are_still_drawn(place: Any, tmp_path: Path) -> None:
    """The page stays awake: it shows frames before it has done all of its work."""
    path = tmp_path / "large.csv"
    path.write_text(tidy(16, 100, 6, digits=4))
    place.execute_script(FRAMES)
    place.find_element("css selector", ".your-file input[type=file]").send_keys(str(path))
    wait(place, "done")
    drawn = place.execute_script(SHOWN)["rows"]
    while_drawing = [cells for state, cells in place.execute_script("return frames;") if state == "drawing"]
    assert len(drawn) == 6
    assert [row[1] for row in drawn] in while_drawing


REFUSED = {
    "wide.csv": ("system,d1,d2\na,1,2\n", "line 1: no column “document”, “metric” and “score”"),
    "words.csv": (MINE + "sys 1,new,metric 0,about 3\n", "the score must be a finite number, got “about 3”"),
    "nobody.csv": (MINE.replace("people", "judges"), "no row has the metric “people”"),
    "two.csv": ("".join(line for line in MINE.splitlines(True) if line.startswith(("system", "sys 1,", "sys 2,"))), "at least 3 systems"),
    "table.json": ('[{"system": "a"}]', "no column “system”"),
    "empty.csv": ("", "the file is empty"),
}  # fmt: skip


def test_what_is_refused_is_said_and_a_mended_file_is_taken(place: Any) -> None:
    for name, (text, words) in REFUSED.items():
        place.execute_script(DROP, name, text)
        wait(place, "refused")
        alert = place.find_element("css selector", ".your-file [role=alert]")
        first, hint = alert.text.split("\n")
        assert first.startswith(f"{name}: ")
        assert words in first
        assert "system, document, metric, score" in hint
        assert not place.find_elements("css selector", ".your-file .explorable")
    place.execute_script(DROP, "mine.csv", MINE)
    wait(place, "done")
    assert not alert.is_displayed()
    assert not [entry for entry in place.get_log("browser") if entry["level"] == "SEVERE"]


def test_bytes_that_are_no_text_are_refused(place: Any, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    path.write_bytes(b"PAR1\xff\xfe\x00")
    place.find_element("css selector", ".your-file input[type=file]").send_keys(str(path))
    wait(place, "refused")
    assert "it is not text in UTF-8" in place.find_element("css selector", ".your-file [role=alert]").text


def test_the_made_up_file_is_taken_by_page_and_python(place: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    path = tmp_path / "made-up.csv"
    path.write_text(saved(place, "Made-up file (CSV)"))
    button = next(
        b for b in place.find_elements("css selector", ".your-file button") if b.text == "Show a made-up file"
    )
    button.send_keys(Keys.ENTER)
    wait(place, "done")
    shown = place.execute_script(SHOWN)
    made = your_metric.bring(scores=str(path), dataset="", metrics=[], example_of="", rng=0).benchmark
    assert sorted(row[0] for row in shown["rows"]) == sorted(made.metrics)
    answers = {row[0]: row[1] for row in shown["rows"] if row[1] != "a length"}
    assert answers == metaeval.report(path).verdicts.table.set_index("metric")["verdict"].to_dict()
    assert f"{len(made.systems)} systems, {len(made.documents)} documents" in shown["note"]


def test_everything_is_reached_by_keyboard(mine: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    driver, _ = mine
    label = driver.find_element("css selector", ".your-file label").get_attribute("for")
    driver.execute_script("document.getElementById(arguments[0]).focus({ focusVisible: true });", label)
    seen = []
    for _ in range(14):
        seen.append(driver.execute_script("const a = document.activeElement; return a.id || a.textContent;"))
        ActionChains(driver).send_keys(Keys.TAB).perform()
    controls = [name.rsplit("-", 1)[-1] for name in seen if name.startswith("explorable-")]
    assert controls == ["metric", "level", "coefficient", "k", "share"]
    assert {"Show a made-up file", "Made-up file (CSV)", "CSV", "SVG"} <= set(seen)


def test_it_fits_a_phone(mine: Any) -> None:
    driver, _ = mine
    show(driver, "phone")
    settle(driver)
    width = driver.execute_script("return document.documentElement.scrollWidth;")
    show(driver, "desk")
    assert width <= PHONE["width"]


def test_the_drawing_can_be_saved(mine: Any) -> None:
    driver, python = mine
    text = saved(driver, "SVG")
    assert text.startswith("<svg")
    assert all(metric in text for metric in python.metrics)
