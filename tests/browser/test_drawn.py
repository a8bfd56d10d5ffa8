"""What a figure draws can be read: no word cut off or upon another, no name behind the end of its axis.

At both widths, in the state in which a page opens. Each page is loaded once for each screen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

SCREENS = {
    "desk": {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True},
}
READ = """
const done = arguments[0];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const upright = (node) => {
  const turned = /rotate\\((-?[\\d.]+)/.exec(node.getAttribute("transform") ?? "");
  return !turned || Number(turned[1]) % 90 === 0;
};
(async () => {
  await window.bookFigures.drawAll();
  await wait(300);
  const bad = [];
  for (const box of document.querySelectorAll(".figure-plotly")) {
    const name = box.closest("figure[id]")?.id ?? "";
    const plot = box.querySelector(".figure-plot");
    const frame = box.querySelector("svg.main-svg").getBoundingClientRect();
    if (plot.scrollWidth > box.clientWidth + 1) bad.push(`${name}: wider than its page`);
    const texts = [...box.querySelectorAll("svg.main-svg text")].filter((node) =>
      node.textContent.trim() && node.textContent !== "SIMULATED" && node.getBoundingClientRect().width && upright(node));
    const places = texts.map((node) => node.getBoundingClientRect());
    places.forEach((a, i) => {
      if (a.left < frame.left - 4 || a.right > frame.right + 4 || a.top < frame.top - 4 || a.bottom > frame.bottom + 4) {
        bad.push(`${name}: "${texts[i].textContent}" is cut off`);
      }
      places.slice(i + 1).forEach((b, j) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 8 && high > 6) bad.push(`${name}: "${texts[i].textContent}" upon "${texts[i + 1 + j].textContent}"`);
      });
    });
    const layout = plot._fullLayout;
    for (const key of Object.keys(layout).filter((key) => /^[xy]axis\\d*$/.test(key) && layout[key].type === "category")) {
      const { _categories: categories, range } = layout[key];
      const [low, high] = [...range].sort((a, b) => a - b);
      const [letter, other] = key[0] === "x" ? ["x", "y"] : ["y", "x"];
      for (const trace of plot._fullData.filter((one) => one.visible === true && one[`${letter}axis`] === key.replace("axis", ""))) {
        for (const [i, value] of Array.from(trace[letter] ?? []).entries()) {
          const there = trace.type === "heatmap" || (trace[other]?.[i] ?? null) !== null;
          const place = categories.indexOf(value);
          if (there && (place < low || place > high)) bad.push(`${name}: ${value} lies behind the end of ${key}`);
        }
      }
    }
  }
  done([...new Set(bad)]);
})();
"""


@pytest.mark.parametrize("screen", SCREENS)
def test_what_is_drawn_can_be_read(page: str, screen: str, site: Path, address: str, driver: Any) -> None:
    if 'class="figure-plotly"' not in (site / page).read_text(encoding="utf8"):
        return
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SCREENS[screen])
    driver.get(address + page)
    assert not driver.execute_async_script(READ)
