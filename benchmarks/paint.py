"""Time what a reader waits for in a browser: ``make bench`` prints the table, of the book that it built.

From a move of a control, in the state in which a panel has most to compute and to draw, to the next frame;
from a file on the page `your_metric` to its first numbers, and the longest time in which the page then does
not listen; in JupyterLab from a key to the frame after the block has drawn. Of a control the median of some
moves, beside the most that a reader should wait; other work on the machine adds to it. Of every page the time
until a phone, four times slower than this machine, is free for its reader.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bookbuild.runs.quick import quick_settings
from tests.browser.browsing import SITE, NotHere, browser, is_redirect, pages, served, show, until
from tests.browser.lab import jupyterlab, run_notebook
from tests.browser.panels import INDEX, Panel, best_table, payload, run_table
from tests.browser.test_your_file import tidy

N_MOVES = 9
AT_ONCE, ANSWERED, AWAKE, COMPUTED, FREE = 100, 1000, 500, 300, 2500  # ms
SLOWER = 4  # times, a phone's processor

# Moves every control, one after the other, away from a state and back; times from a move to the next frame.
MOVES = """
const [state, nMoves, done] = arguments;
(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const times = {};
  for (const input of document.querySelectorAll(".explorable-control :is(select, input)")) {
    location.hash = "#=";
    await frame();
    location.hash = state;
    await frame();
    const isList = input.tagName === "SELECT";
    const here = isList ? input.selectedIndex : input.valueAsNumber;
    const step = here < Number(input.max) ? Number(input.step) : -Number(input.step);
    const other = isList ? (here + 1) % input.options.length : here + step;
    times[document.querySelector(`label[for="${input.id}"]`).textContent] = [];
    for (let turn = 0; turn < nMoves; turn += 1) {
      await frame();
      const began = performance.now();
      if (isList) input.selectedIndex = turn % 2 ? here : other;
      else input.value = turn % 2 ? here : other;
      input.dispatchEvent(new Event(isList ? "change" : "input"));
      await frame();
      Object.values(times).at(-1).push(performance.now() - began);
    }
  }
  done(times);
})();
"""
# The end of the last long task after which none begins for two seconds.
WATCH_ALL = """
window.free = 0;
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) window.free = startTime + duration;
}).observe({ type: "longtask", buffered: true });
"""
REST = """
const [done] = arguments;
const loaded = performance.now();
const look = () => {
  if (performance.now() - Math.max(window.free, loaded) > 2000) done(window.free);
  else setTimeout(look, 100);
};
look();
"""
WATCH = """
window.tasks = [];
window.watching = new PerformanceObserver((list) => {
  tasks.push(...list.getEntries().map(({ duration }) => duration));
});
watching.observe({ entryTypes: ["longtask"] });
"""
WATCHED = """
watching.disconnect();
return [performance.getEntriesByName("your file").at(-1).duration, Math.max(0, ...tasks)];
"""
# the milliseconds from a key to the second frame after the block's figure has changed
KEY = """
const [label, key, done] = arguments;
const rows = [...document.querySelectorAll(".live-block .widget-slider")];
const handle = rows.find((row) => row.textContent.includes(label)).querySelector(".noUi-handle");
const figure = document.querySelector(".live-block .js-plotly-plot");
const begun = performance.now();
figure.once("plotly_afterplot", () => requestAnimationFrame(() => done(performance.now() - begun)));
handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
"""

Row = tuple[str, str, float, int]


def most(table: pd.DataFrame, *keys: str) -> dict[str, Any]:
    """The values of some columns that most rows have."""
    return dict(zip(keys, table.groupby(list(keys), sort=False).size().idxmax(), strict=True))


def worst_states() -> dict[str, dict[str, Any]]:
    """The state of each panel in which it has most to compute and to draw."""
    best, sizes = best_table(), run_table("fig-index_size-curves")
    window = {"unit": "percent", "lower": 0, "upper": 100, "n_windows": 20, "coefficient": "spearman"}
    varied = [key for key in INDEX if sizes[key].nunique() > 1]
    return {
        "topk": most(best, "dataset", "group") | {"k": int(best["k"].max())},
        "margins": most(payload("margins", "means"), "dataset", "metric") | window,
        "index_size": most(sizes, *varied) | {"stories": int(sizes["stories"].max())},
    }


def panels(driver: Any, address: str) -> Iterator[Row]:
    """Moves of the panels that stand still."""
    for kind, state in worst_states().items():
        panel = Panel(driver, address, kind)
        panel.go(**state)
        times = driver.execute_async_script(MOVES, panel.hash_of(state), N_MOVES)
        yield from ((kind, label, float(np.median(own)), AT_ONCE) for label, own in times.items())


def first_views(driver: Any, address: str) -> Iterator[Row]:
    """Every page on a slow phone: the better of two visits, for other work on the machine only adds."""
    show(driver, "phone")
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    watch = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_ALL})
    for page in pages():
        if is_redirect(page):
            continue
        times = []
        for _ in range(2):
            driver.get("about:blank")
            driver.get(address + page)
            times.append(driver.execute_async_script(REST))
        yield Path(page).stem, "free to act on a slow phone", min(times), FREE
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", watch)
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})


def own_file(driver: Any, address: str, folder: Path) -> Iterator[Row]:
    """A reader's file of 16 systems, 100 documents and 6 metrics."""
    path = folder / "large.csv"
    path.write_text(tidy(16, 100, 6, digits=4))
    show(driver, "desk")
    driver.get(f"{address}book/executed/your_metric.html")
    driver.execute_script(WATCH)
    driver.find_element("css selector", ".your-file input[type=file]").send_keys(str(path))
    state = "return document.querySelector('.your-file').dataset.state === 'done';"
    until(driver, lambda: driver.execute_script(state))
    took, longest = driver.execute_script(WATCHED)
    yield "your_metric", "first numbers of a file", took, ANSWERED
    yield "your_metric", "longest task", longest, AWAKE


def live_block(driver: Any, folder: Path) -> Iterator[Row]:
    """A slider of a live block, whose numbers come from a kernel."""
    settings = quick_settings()["margins"] | {"n_resamples": 100}
    with jupyterlab(folder, {"margins": settings}) as lab:
        run_notebook(driver, lab.replace("NOTEBOOK", "margins"))
        label, keys = "Upper end, u", itertools.cycle(["ArrowLeft", "ArrowRight"])
        times = [driver.execute_async_script(KEY, label, next(keys)) for _ in range(N_MOVES)]
        yield "margins, in JupyterLab", label, float(np.median(times)), COMPUTED


def main() -> None:
    if not pages():
        print(f"not run: no built site in {SITE}; run make book first, or set SITE")
        return
    rows: list[Row] = []
    try:
        with (
            tempfile.TemporaryDirectory() as place,
            served(SITE) as address,
            browser(Path(place, "browser")) as driver,
        ):
            rows += panels(driver, address)
            rows += own_file(driver, address, Path(place))
            rows += first_views(driver, address)
            home = Path(place, "lab")
            home.mkdir()
            rows += live_block(driver, home)
    except NotHere as why:
        print(f"not run: {why}")
        return
    table = pd.DataFrame(rows, columns=["page", "moved", "ms", "at most"]).round({"ms": 0})
    print(table.assign(load=round(os.getloadavg()[0], 1)).to_string(index=False))


if __name__ == "__main__":
    main()
