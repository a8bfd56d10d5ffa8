"""The page of a sweep in a browser: what it draws and says is what the table holds, by day and night, on a phone."""

from __future__ import annotations

import nbformat
import numpy as np
import pandas as pd
import pytest

from bookbuild.runs.page import write_page

pytestmark = pytest.mark.browser
METRICS, GROUPS, KS, DATASETS = ("ROUGE-1 recall", "JS-2", "mine"), ("abs", "ext"), (4, 6, 10), ("a", "b")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    rows = [
        {"param_k": k, "param_dataset": dataset, "group": group, "metric": metric}
        for k in KS
        for dataset in DATASETS
        for group in GROUPS
        for metric in METRICS
    ]
    value = rng.uniform(-0.5, 0.9, len(rows)).round(3)
    return pd.DataFrame(rows).assign(value=value, low=value - 0.1, high=value + 0.05)


@pytest.fixture(scope="module")
def made(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    first = nbformat.v4.new_markdown_cell("# Title\n\n**The question.** Is it?")
    nbformat.write(nbformat.v4.new_notebook(cells=[first]), folder / "topk.ipynb")
    runs = table[["param_k", "param_dataset"]].drop_duplicates().astype(str)
    runs.columns = ["k", "dataset"]
    runs = runs.assign(notebook="topk-1.ipynb", error="")
    runs.insert(0, "run", range(1, len(runs) + 1))
    tables = {"results": ("Main.", table), "fig-other": ("Other.", table.assign(value=-table["value"]))}
    write_page(folder / "index.html", folder / "topk.ipynb", runs, tables, [""] * len(runs))
    return (folder / "index.html").as_uri()


SHOWN = """
const cells = [...document.querySelectorAll("#numbers tbody tr")].map((row) => [...row.cells].map((cell) => cell.firstChild.textContent));
const heads = [...document.querySelectorAll("#numbers thead th")].map((head) => head.textContent);
const dots = document.querySelectorAll("#panels circle").length;
const bars = document.querySelectorAll("#panels .whisker").length;
return { heads, cells, dots, bars, panels: document.querySelectorAll("#panels svg").length, sentence: document.getElementById("sentence").textContent };
"""


def choose(driver, name, value):
    driver.execute_script(
        "const one = document.getElementById('controls').elements[arguments[0]];"
        "one.value = arguments[1]; one.dispatchEvent(new Event('change'));",
        name,
        value,
    )


def number(text):
    return float(text.replace("−", "-"))


def test_every_choice_shows_the_tables_own_numbers(driver, made, table):
    driver.get(made)
    driver.get_log("browser")
    for name, sign in (("results", 1), ("fig-other", -1)):
        choose(driver, "table", name)
        for dataset in DATASETS:
            choose(driver, "x", "param_k")
            choose(driver, "param_dataset", dataset)
            shown = driver.execute_script(SHOWN)
            assert shown["heads"] == ["systems", "metric", *(f"k {k}" for k in KS)]
            assert (shown["dots"], shown["bars"], shown["panels"]) == (18, 18, 2)
            part = table[table["param_dataset"] == dataset].set_index(["group", "metric", "param_k"])["value"]
            for group, metric, *values in shown["cells"]:
                assert [number(text) for text in values] == [sign * part[group, metric, k] for k in KS]
            by_line = part.groupby(level=["group", "metric"])
            group, metric = (by_line.max() - by_line.min()).idxmax()
            assert f"{metric} ({group}) moves most" in shown["sentence"]
        choose(driver, "x", "param_dataset")
        assert driver.execute_script(SHOWN)["heads"][2:] == ["dataset a", "dataset b"]
    assert driver.get_log("browser") == []


def test_a_state_is_kept_in_the_address(driver, made):
    driver.get(made)
    choose(driver, "param_dataset", "b")
    shown, address = driver.execute_script(SHOWN), driver.current_url
    assert "param_dataset=b" in address
    driver.get("about:blank")
    driver.get(address)
    assert driver.execute_script(SHOWN) == shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_wider_than_the_screen_and_the_ground_follows_the_reader(driver, made, width, scheme):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        driver.get(made)
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        levels = [int(part) for part in ground[4:-1].split(",")]
        assert (min(levels) > 200) == (scheme == "light")
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
