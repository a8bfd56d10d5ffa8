"""The live blocks where a person meets them: in JupyterLab, moved with the keyboard."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from bookbuild.runs.quick import quick_settings
from helpers.kit.live.block import defaults
from metaeval import analysis
from metaeval.analysis import topk
from metaeval.datasets import load
from tests.browser.lab import FIGURE, is_working, jupyterlab, run_cells, run_notebook, until

pytestmark = pytest.mark.browser

KINDS = ("topk", "margins", "coverage", "index_size")
SMALL = {kind: quick_settings()[kind] for kind in KINDS}
SMALL["topk"] = {}
SMALL["margins"] |= {"n_resamples": 100}  # the least that the block's slider takes
SMALL["index_size"] |= {"queries": ["raw"]}
HEATMAP = """
const { data } = document.querySelector(".live-block .js-plotly-plot");
return data.find((trace) => trace.type === "heatmap").z;
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a JupyterLab with each kind's live block, with the defaults or the settings of ``data/quick.yml``."""
    with jupyterlab(tmp_path_factory.mktemp("lab"), SMALL) as address:
        yield address


@pytest.fixture(scope="module")
def opened(lab: str, driver, request: pytest.FixtureRequest):
    """The browser on the notebook of a kind, after all of its cells have been run."""
    driver.get_log("browser")
    run_notebook(driver, lab.replace("NOTEBOOK", request.param))
    yield driver
    driver.get("about:blank")


def of(*kinds: str):
    """Mark a test as one of the pages of some kinds, each of which is opened once."""
    return pytest.mark.parametrize("opened", kinds, indirect=True, scope="module")


@pytest.fixture(autouse=True)
def _simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine is asked for in the tests rests on the same data as the blocks."""
    monkeypatch.setenv("DATA", "simulated")


def _all(driver, selector: str) -> list:
    return driver.find_elements("css selector", selector)


def _comes_to(driver, shown, wanted) -> None:
    """Assert that what a function reads off the page becomes as wanted."""
    from selenium.common.exceptions import TimeoutException

    with suppress(TimeoutException):  # the assertion below says what is there
        until(driver, lambda: shown() == wanted)
    assert shown() == wanted


def _command(driver) -> str:
    """The command that the block offers, once it is there: while the block is drawn again there is none."""
    return until(driver, lambda: "".join(code.text for code in _all(driver, ".live-command code")))


def _settings(driver, notebook: str) -> dict:
    """The notebook's parameters under the command that the block offers to copy."""
    words = shlex.split(_command(driver))
    assert words[:4] == ["DATA=simulated", "papermill", f"notebooks/{notebook}.ipynb", "out.ipynb"]
    found, words = defaults(notebook), words[4:]
    while words:
        option, *words = words
        if option == "-y":
            found, words = found | yaml.safe_load(words[0]), words[1:]
        else:
            found, words = found | {words[0]: yaml.safe_load(words[1])}, words[2:]
    return found


def _says(driver) -> str:
    return " ".join(part.text for part in _all(driver, ".live-block .live-says"))


def _control(driver, label: str):
    """What takes the keys of the control with this label: a slider's handle, a menu, a box to tick."""
    kinds = {"slider": ".noUi-handle", "dropdown": "select", "checkbox": "input"}
    rows = [
        (found, part) for kind, part in kinds.items() for found in _all(driver, f".live-block .widget-{kind}")
    ]
    ((row, part),) = [(row, part) for row, part in rows if row.text.strip().split("\n")[0] == label]
    return row.find_element("css selector", part)


def _move(driver, label: str, keys: str) -> None:
    """Send keys to a control, and wait until the block has taken them up and is done.

    In a menu, whose keys a browser without a window does not take, they are the words of a choice.
    """
    from selenium.webdriver.support.select import Select

    before, control = _command(driver), _control(driver, label)
    if control.tag_name == "select":
        Select(control).select_by_visible_text(keys)
    else:
        control.send_keys(keys)
    until(driver, lambda: _command(driver) != before)
    until(driver, lambda: not is_working(driver))


def _first_row(driver) -> list[str]:
    """The first of the numbers below the figure."""
    from selenium.webdriver.common.keys import Keys

    if not _all(driver, ".live-numbers[open]"):
        (numbers,) = _all(driver, ".live-numbers summary")
        numbers.send_keys(Keys.ENTER)
    return [cell.text for cell in _all(driver, ".live-numbers tbody tr:first-child td")]


def _best_systems(k: int) -> list[list[float]]:
    """What the engine gives for the first coefficient, a list a group of systems."""
    given = defaults("topk")
    benchmark = load(given["dataset"]).select(metrics=given["metrics"])
    table = topk.table(benchmark, groups=given["groups"], coefficients=given["coefficients"][:1], ks=[k])
    return [
        [pytest.approx(value) for value in sorted(part["value"])]
        for _, part in table.groupby("group", sort=False)
    ]


def _shown(driver) -> list[list[float]]:
    """What each visible trace draws; those that stand for an entry of the legend draw nothing."""
    traces = [trace["x"] for trace in driver.execute_script(FIGURE) or [] if trace["visible"]]
    return [sorted(x) for x in traces if x != [None]]


@of("topk")
def test_the_slider_moves_the_figure_by_keyboard(opened) -> None:
    from selenium.webdriver.common.keys import Keys

    k = defaults("topk")["k"]
    _comes_to(opened, lambda: _shown(opened), _best_systems(k))
    _move(opened, "Best systems, k", Keys.ARROW_LEFT * 4)
    _comes_to(opened, lambda: _settings(opened, "topk"), defaults("topk") | {"k": k - 4})
    _comes_to(opened, lambda: _shown(opened), _best_systems(k - 4))
    assert len(_all(opened, ".live-block .js-plotly-plot")) == 1


@of("topk")
def test_the_table_is_saved_as_csv(opened, tmp_path: Path) -> None:
    opened.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    (save,) = [button for button in _all(opened, ".live-command button") if "CSV" in button.text]
    opened.execute_script("arguments[0].click()", save)
    (file,) = until(opened, lambda: list(tmp_path.glob("topk*.csv")))
    assert file.read_text().startswith("dataset,group,k,coefficient,metric,value")


@of("topk")
def test_a_block_in_a_narrow_window_stays_inside(opened) -> None:
    try:
        opened.set_window_size(700, 900)
        wide = """
        const block = document.querySelector(".live-block");
        return [...block.querySelectorAll(".js-plotly-plot .main-svg, .live-command, select")]
          .filter((part) => part.getBoundingClientRect().right > block.getBoundingClientRect().right + 1)
          .map((part) => part.outerHTML.slice(0, 200));
        """
        _comes_to(opened, lambda: opened.execute_script(wide), [])
    finally:
        opened.set_window_size(1400, 900)


@of("topk")
def test_a_page_that_is_loaded_again_shows_the_block_as_it_was(opened) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    ActionChains(opened).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
    until(opened, lambda: not _all(opened, ".lm-TabBar-tab.jp-mod-dirty"))
    before = _shown(opened)
    opened.refresh()
    until(opened, lambda: opened.execute_script(FIGURE))
    _comes_to(opened, lambda: _shown(opened), before)


@of("topk")
def test_a_page_that_came_back_runs_its_block_again(opened) -> None:
    """As the book says: JupyterLab can lose the view of a figure that came back, which then follows no control."""
    from selenium.webdriver.common.keys import Keys

    run_cells(opened)
    _move(opened, "Best systems, k", Keys.HOME)
    _comes_to(opened, lambda: _shown(opened), _best_systems(3))


def _of_windows(table: Callable, given: dict, **ends):
    """A table of margins under a block's settings."""
    benchmark = load(given["datasets"][0]).select(metrics=given["metrics"][:1])
    names = ("n_windows", "coefficient", "n_resamples", "confidence_level")
    return table(benchmark, **ends, **{name: given[name] for name in names}, rng=given["seed"])


def _cells(given: dict) -> list[list[float | None]]:
    """What the heatmap should hold: lower ends down, upper ends across, nothing below the diagonal."""
    table = _of_windows(analysis.margins.grid, given)
    wide = table.pivot(index="from_percent", columns="to_percent", values="value").round(3)
    return [[None if math.isnan(value) else value for value in row] for row in wide.to_numpy().tolist()]


@of("margins")
@pytest.mark.parametrize(
    ("name", "label", "key"),
    [
        ("lower", "Lower end, ℓ", "ARROW_RIGHT"),
        ("upper", "Upper end, u", "END"),
        ("coefficient", "Coefficient", "Kendall's τ"),
        ("n_windows", "Windows", "ARROW_RIGHT"),
        ("metrics", "Metric", "ROUGE-1"),
        ("unit", "Ends in", "percent"),
        ("lower", "Lower end, ℓ", "HOME"),
        ("upper", "Upper end, u", "ARROW_LEFT"),
        ("datasets", "Data set", "SummEval (Re-Examining)"),
    ],
)
def test_every_control_of_margins_moves_heatmap_words_and_numbers(opened, name, label, key) -> None:
    from selenium.webdriver.common.keys import Keys

    before = _settings(opened, "margins")
    _move(opened, label, getattr(Keys, key, key))

    def asked():
        given = _settings(opened, "margins")
        ends = {end: given[end] for end in ("lower", "upper", "unit")}
        return given, _of_windows(analysis.margins.window, given, **ends)

    until(opened, lambda: not is_working(opened))  # where another unit is chosen, the ends follow it
    given, found = asked()
    assert given[name] != before[name]
    ends = {end: found[end].item() for end in ("from_percent", "to_percent", "lower", "upper")}
    said = {
        name: f"{end:.0f}"
        if name.endswith("percent") and end % 1 == 0
        else f"{end:.{1 if end >= 100 else 2}f}"
        for name, end in ends.items()
    }
    windows = [
        f"{said[low]} to {said[high]}" for low, high in (("from_percent", "to_percent"), ("lower", "upper"))
    ]
    _comes_to(opened, lambda: _first_row(opened)[:3], [*windows, str(found["n_pairs"].item())])
    _comes_to(opened, lambda: opened.execute_script(HEATMAP), _cells(given))


@of("coverage")
def test_trials_are_counted_under_the_readers_eyes_until_they_are_stopped(opened) -> None:
    from selenium.webdriver.common.keys import Keys

    _move(opened, "Draws", Keys.END)
    _control(opened, "Trials").send_keys(Keys.END)
    sign, stop = ".live-block .live-busy-sign", ".live-block .live-stop"
    progress = re.compile(r"([1-9]\d*) of 1000 trials")
    partly = int(until(opened, lambda: progress.search("".join(part.text for part in _all(opened, sign))))[1])
    assert partly < 1000
    assert _all(opened, ".live-block.live-growing")
    (button,) = _all(opened, stop)
    button.send_keys(Keys.ENTER)
    until(opened, lambda: not is_working(opened))
    (stopped,) = until(opened, lambda: re.findall(r"^Stopped after (\d+) of 1000 trials\.", _says(opened)))
    assert partly <= int(stopped) < 1000
    assert not button.is_displayed()
    assert opened.execute_script(FIGURE)


@of("coverage")
@pytest.mark.parametrize(
    ("name", "label", "key"),
    [
        ("n_trials", "Trials", "HOME"),
        ("n_resamples", "Draws", "HOME"),
        ("n_systems", "Systems, at most", "ARROW_LEFT"),
        ("n_documents", "Documents, at most", "HOME"),
        ("methods", "Boot-Systems", "SPACE"),
        ("levels", "system level", "SPACE"),
    ],
)
def test_every_control_of_coverage_moves_its_setting(opened, name, label, key) -> None:
    from selenium.webdriver.common.keys import Keys

    before = _settings(opened, "coverage")
    _move(opened, label, getattr(Keys, key, key))
    until(opened, lambda: not is_working(opened))
    assert _settings(opened, "coverage")[name] != before[name]
    assert opened.execute_script(FIGURE)


@of(*KINDS)
def test_every_control_has_a_name_and_takes_the_focus(opened) -> None:
    unnamed = """
    return [...document.querySelectorAll(".live-block input, .live-block select, .live-block button")]
      .filter((control) => !(control.labels?.length && control.labels[0].textContent.trim())
        && !control.textContent.trim() && !control.getAttribute("aria-label")).map((control) => control.outerHTML);
    """
    assert opened.execute_script(unnamed) == []
    for control in _all(opened, ".live-block input, .live-block select, .live-block button, .noUi-handle"):
        if control.is_displayed():
            opened.execute_script("arguments[0].focus()", control)
            assert opened.switch_to.active_element == control


@of(*KINDS)
def test_nothing_goes_wrong_in_the_console(opened) -> None:
    errors = [entry["message"] for entry in opened.get_log("browser") if entry["level"] == "SEVERE"]
    assert errors == []
