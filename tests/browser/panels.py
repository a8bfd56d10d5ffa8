"""A panel that a reader works on a page: put into a state by its address, and what it shows then."""

from __future__ import annotations

import json
import urllib.parse
from functools import cache
from typing import Any

import pandas as pd

from tests.browser.browsing import SITE, show, soup_of, until

READY = "return document.querySelector('.explorable')?.dataset.ready === 'true'"

SHOWN = """
const box = document.querySelector(".explorable");
const texts = (row) => [...row.children].map((cell) => cell.textContent);
const controls = [...box.querySelectorAll(".explorable-control")].map((field) => {
  const input = field.querySelector("select, input");
  return [field.querySelector("label").textContent, {
    value: input.value, says: field.querySelector("output")?.textContent ?? input.selectedOptions[0].textContent,
    options: [...(input.options ?? [])].map(({ textContent }) => textContent),
  }];
});
return {
  sentence: box.querySelector(".explorable-sentence").textContent.replaceAll("\\u00a0", " "),
  refusal: box.querySelector(".explorable-refusal").hidden ? "" : box.querySelector(".explorable-refusal").textContent,
  note: box.querySelector(".explorable-note").textContent,
  head: texts(box.querySelector("thead tr")), rows: [...box.querySelectorAll("tbody tr")].map(texts),
  current: [...box.querySelectorAll("tbody tr[aria-current=true]")].map((row) => row.firstChild.textContent),
  controls: Object.fromEntries(controls), link: box.querySelector(".explorable-link").hash, hash: location.hash,
  shapes: box.querySelectorAll(".explorable-drawing :is(path, circle, rect, line)").length,
};
"""
GO = """
const [hash, done] = arguments;
location.hash = hash;
requestAnimationFrame(() => setTimeout(() => done(null)));
"""

# All that a test may have changed: theme, place, choices. A state without any of the panel's choices is its start;
# one with choices brings the panel to the reader, as the page does when it is opened by such an address.
FRESH = """
const [hash, done] = arguments;
document.documentElement.dataset.theme = "light";
location.hash = "#=";
requestAnimationFrame(() => setTimeout(() => {
  if (hash === "#=") {
    document.querySelector(".explorable-refusal").hidden = true;
    history.replaceState(null, "", location.pathname);
  } else {
    location.hash = hash;
    document.querySelector(".explorable").scrollIntoView({ block: "start", behavior: "instant" });
  }
  requestAnimationFrame(() => setTimeout(() => done(null)));
}));
"""


class Panel:
    """The panel of a page: of the one that is open, put back to its start, if that is the panel's own."""

    def __init__(
        self,
        driver: Any,
        address: str,
        kind: str,
        state: dict[str, object] | None = None,
        *,
        load: bool = False,
    ):
        self.driver, self.kind, self.address = driver, kind, address
        self.page = f"{address}book/executed/{kind}.html"
        show(driver, "desk")
        if load or driver.current_url.partition("#")[0] != self.page:
            driver.get("about:blank")  # another address of the same page would not load it
            driver.get(self.page + (self.hash_of(state) if state else ""))
            until(driver, lambda: driver.execute_script(READY))
        else:
            driver.execute_async_script(FRESH, self.hash_of(state or {"": ""}))

    @staticmethod
    def hash_of(state: dict[str, object]) -> str:
        return f"#{urllib.parse.urlencode(state)}"

    def go(self, **state: object) -> dict[str, Any]:
        """What is shown once the address asks for a state."""
        self.driver.execute_async_script(GO, self.hash_of(state))
        return self.shown()

    def shown(self) -> dict[str, Any]:
        return self.driver.execute_script(SHOWN)

    def controls(self) -> list[Any]:
        return self.driver.find_elements("css selector", ".explorable-control :is(select, input)")


@cache  # a page is large, and many tests ask for its tables
def carried(kind: str) -> dict[str, Any]:
    """What the page of a panel carries, read from its file."""
    soup = soup_of(f"book/executed/{kind}.html")
    return json.loads(soup.select_one('.explorable script[type="application/json"]').string)


def payload(kind: str, name: str) -> pd.DataFrame:
    """A table that the page of a panel carries, with its words for its numbers."""
    table = carried(kind)["tables"][name]
    frame = pd.DataFrame(table["rows"], columns=table["columns"])
    return frame.assign(
        **{name: [said[place] for place in frame[name]] for name, said in table["words"].items()}
    )


BEST = ["dataset", "group", "coefficient", "k"]


def run_table(figure: str) -> pd.DataFrame:
    """The run's table behind a figure of the book."""
    return pd.read_csv(SITE / "tables" / f"{figure}.csv")


def best_table() -> pd.DataFrame:
    """The run's correlations on the k best systems."""
    return run_table("fig-topk-literal")


INDEX = ["domain", "query", "overlap", "cutoff", "coefficient"]
