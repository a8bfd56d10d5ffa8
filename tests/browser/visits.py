"""What a page of the built site shows to a reader without a network, seen once for all tests.

A page is loaded on a desk and on a phone. There everything is asked of it, in the order in which a reader would come
to it; what was seen is kept, and each test judges one part of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.parse
from dataclasses import dataclass
from functools import cache
from typing import Any

from filelock import FileLock

from metaeval.core.paths import ROOT
from tests.browser.browsing import HANGS_S, NotHere, show

MIN_TOUCH = 44  # px
# a page of each kind: what stands around the text is the same on all pages of a kind
FRAMED = (
    "404.html",
    "search.html",
    "book/intro.html",
    "book/chapters/how-sure.html",
    "book/executed/topk.html",
)
AXE = "4.14.1"  # of the npm package axe-core (MPL-2.0), which is used here and not part of the site

# Of every script: waiting for what comes at once, and comes late where other work has the processors.
TOOLS = f"""
const done = arguments[arguments.length - 1];
const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
const comes = async (is) => {{
  const end = performance.now() + {HANGS_S * 1000 / 2};
  while (!is() && performance.now() < end) await pause();
}};
const boxes = [...document.querySelectorAll(".figure-plotly")];
const due = (box, above, below = above) => {{ // from this far above the view to this far below it
  const {{ top, bottom }} = box.getBoundingClientRect();
  return bottom > -above && top < innerHeight + below;
}};
// before anybody scrolls, as figures.js has it, with a margin for rounding
const dueAtFirst = (box) => due(box, -160, innerWidth < 576 ? -innerHeight / 2 - 10 : -160);
const plots = () => [...document.querySelectorAll("[data-drawn=true] .figure-plot")];
"""

# Until what was begun is done: mathematics, the figures near the view, of which the page knows after two frames, and
# what waits for an idle moment. Then heading, finding and figure, as far as the page has them.
FIRST_VIEW = """
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
(async () => {
  await window.MathJax?.startup?.promise;
  await frame();
  await frame();
  const near = boxes.filter(dueAtFirst);
  await comes(() => near.every((box) => box.dataset.drawn));
  await new Promise((resolve) => requestIdleCallback(resolve));
  const end = (node) => (node ? node.getBoundingClientRect().bottom + scrollY : null);
  const finding = document.querySelector(".finding");
  const [first] = finding ? finding.querySelectorAll(":scope > p:not(.finding-question)") : [];
  const [figure] = boxes.filter((box) => box.closest(".bd-article"));
  const banner = document.querySelector(".banner-simulated");
  done(finding && {
    question: end(document.querySelector(".bd-article h1")),
    answer: end(first),
    said: [...finding.querySelectorAll(":scope > p")].map((node) => node.textContent),
    figure: figure ? figure.getBoundingClientRect().top + scrollY : null,
    // a site without the released data says so first, at length
    banner: banner?.textContent.trim().startsWith("Simulated data.") ? banner.getBoundingClientRect().height : 0,
  });
})();
"""

# Scrolls to each figure as a reader does and waits until it says how drawing ended.
LOOK = """
(async () => {
  const figures = [];
  for (const box of boxes) {
    box.scrollIntoView({ block: "center", behavior: "instant" });
    await comes(() => box.dataset.drawn);
    figures.push({
      name: box.closest("figure[id]")?.id ?? "",
      drawn: box.dataset.drawn ?? "never",
      shapes: box.querySelectorAll("svg.main-svg path, svg.main-svg image, canvas").length,
      described: box.querySelector("[role=img]")?.getAttribute("aria-label") ?? "",
      csv: box.querySelector(".figure-data a")?.href ?? "",
    });
  }
  const math = [...document.querySelectorAll(".math")];
  done({
    figures,
    math: {
      all: math.length,
      unset: math.filter((node) => !node.querySelector("mjx-container")).length,
      wrong: document.querySelectorAll("mjx-merror").length,
    },
    images: [...document.images].map((image) => ({
      source: image.currentSrc || image.src,
      alt: image.getAttribute("alt"),
      inText: Boolean(image.closest(".bd-article")),
    })),
  });
})();
"""

# What of the drawn figures cannot be read: a word cut off or upon another, a name behind the end of its axis.
READ = """
const upright = (node) => {
  const turned = /rotate\\((-?[\\d.]+)/.exec(node.getAttribute("transform") ?? "");
  return !turned || Number(turned[1]) % 90 === 0;
};
(async () => {
  await window.bookFigures?.drawAll();
  const bad = [];
  for (const box of boxes) {
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

# Both themes: the colour of the figures' text and of the page behind it, and what axe finds, where it is there. What does
# not hang on colours is the same in both. Of rows, claims and figures that are built alike the first speak for the rest,
# which stand aside meanwhile, and what frames every page is looked at on some, since axe takes time for each. No colour is
# on its way.
THEMES = """
const build = (node) => [node, ...node.querySelectorAll("*")]
  .map((one) => `${one.tagName} ${one.className} ${one.getAttribute("style") ?? ""}`).join();
const repeated = (selector) => [...document.querySelectorAll(selector)].flatMap((parent) => {
  const seen = {};
  return [...parent.children].filter((node) => {
    const key = build(node);
    seen[key] = (seen[key] ?? 0) + 1;
    return seen[key] > 2;
  });
});
const root = document.documentElement;
const worst = ({ impact }) => ["serious", "critical"].includes(impact);
const told = ({ target, any, all, none }) =>
  `${target.join(" ")}: ${[...any, ...all, ...none].map(({ message }) => message)[0]}`;
const behind = (node) => {
  const colour = getComputedStyle(node).backgroundColor;
  return node !== root && /^rgba\\(.*, 0\\)$|transparent/.test(colour) ? behind(node.parentElement) : colour;
};
const aside = (nodes) => {
  const back = [...nodes].map((node) => {
    const mark = document.createComment("");
    node.replaceWith(mark);
    return () => mark.replaceWith(node);
  });
  return () => back.forEach((one) => one());
};
const faultsIn = async (theme) => {
  const back = aside([
    ...repeated(".bd-article :is(tbody, .scorecard-paper)"),
    ...boxes.slice(1).flatMap((box) => [...box.querySelectorAll("svg.main-svg")]),
  ]);
  const rules = theme === "light" ? {} : { runOnly: ["color-contrast"] };
  // nothing is loaded once more for rules of orientation and sound, of which none is serious
  const where = { exclude: arguments[0] ? [] : ["#pst-primary-sidebar", "#pst-secondary-sidebar", "footer"] };
  const { violations } = await axe.run(where, { resultTypes: ["violations"], preload: false, ...rules });
  back();
  return violations.filter(worst).map(({ id, nodes }) => [theme, id, nodes.length, nodes.slice(0, 5).map(told)]);
};
(async () => {
  await comes(() => !document.querySelector(".scorecard noscript")); // since LOOK has scrolled
  const style = document.createElement("style");
  style.textContent = "* { transition: none !important; }";
  document.head.append(style);
  const colours = [];
  const faults = [];
  for (const theme of ["light", "dark"]) {
    const before = new Map(plots().map((plot) => [plot, plot._fullLayout.font.color]));
    if (root.dataset.theme !== theme) {
      root.dataset.theme = theme;
      await comes(() => plots().every((plot) => plot._fullLayout.font.color !== before.get(plot)));
    }
    for (const plot of plots()) {
      const { font, paper_bgcolor: paper } = plot._fullLayout;
      colours.push({ theme, name: plot.closest("figure[id]")?.id ?? "", text: font.color, page: behind(plot), paper });
    }
    if (window.axe) faults.push(...(await faultsIn(theme)));
  }
  style.remove();
  done({ colours, faults });
})().catch((error) => done({ colours: [], faults: [["", "axe", 1, [String(error)]]] }));
"""

# Whether a page is as wide as its screen; whoever runs over it is looked for where one does.
NARROW = """
(async () => {
  const width = document.documentElement.clientWidth;
  await comes(() => plots().every((plot) => plot.scrollWidth <= width));
  const scrolls = (node) => {
    for (let up = node.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const whole = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  const wide = whole <= width ? [] : [...document.body.querySelectorAll("*")].filter(
    (node) => node.getBoundingClientRect().right > width + 1 && !scrolls(node),
  );
  const controls = document.querySelectorAll(".figure-control :is(input, select, button)");
  done({
    width: whole,
    widest: wide.slice(0, 5).map((node) => `${node.tagName}.${node.className}`),
    low: [...controls].filter((node) => node.getBoundingClientRect().height < arguments[0] - 0.5)
      .map((node) => `${node.tagName} ${node.getBoundingClientRect().height}`),
  });
})();
"""

# A control that is about to be moved by a key, and whether what is drawn has changed then.
BEFORE = """
const [control] = arguments;
const box = control.closest(".figure-plotly");
const state = () => {
  const { data, layout } = box.querySelector(".figure-plot");
  return JSON.stringify([data, layout]);
};
window.pressed = { box, state, before: state(), steps: box.dataset.steps };
return control.tagName === "INPUT" && control.value === control.max;
"""
AFTER = """
(async () => {
  const { box, state, before, steps } = window.pressed;
  await comes(() => box.dataset.steps !== steps);
  done(state() !== before);
})();
"""

# Of each table, also in folds: whether the screen cuts it, the share that the names of its rows take, and how many rows
# have no number in view.
TABLES = """
document.querySelectorAll("details:not(.figure-table)").forEach((fold) => { fold.open = true; });
done([...document.querySelectorAll(":not(.figure-table) > .table-scroll")].map((frame) => {
  const { right, width } = frame.getBoundingClientRect();
  const shown = (cell) => getComputedStyle(cell).display !== "none";
  const counts = (cell) => !cell.matches("th, .names") && /^([−+]?\\.?\\d|–)/.test(cell.textContent.trim());
  const out = [...frame.querySelectorAll("tbody tr")].filter((row) => {
    const first = [...row.children].find((cell) => shown(cell) && counts(cell));
    return first && first.getBoundingClientRect().right > right + 1;
  });
  const names = [...frame.querySelectorAll("tbody .names")].map((cell) => cell.getBoundingClientRect().width);
  return {
    name: frame.ariaLabel, cut: frame.scrollWidth > frame.clientWidth + 1, out: out.length, share: Math.max(0, ...names) / width,
  };
}));
"""


@dataclass
class Visit:
    """What one page showed, and what happened while it was open."""

    figures: list[dict[str, Any]]
    math: dict[str, int]
    images: list[dict[str, Any]]
    colours: list[dict[str, str]]
    phone: dict[str, Any]
    dead_controls: list[str]
    faults: list[Any] | NotHere
    first: dict[str, Any]  # by screen: question, answer and figure
    asked: dict[str, list[str]]  # by screen: addresses, before anybody scrolls
    unread: dict[str, list[str]]  # by screen: what cannot be read
    tables: dict[str, list[dict[str, Any]]]  # by screen
    errors: list[str]
    elsewhere: list[str]
    not_found: list[str]


@cache
def axe() -> str | NotHere:
    """The script of axe-core, installed once below `_build` by npm."""
    folder = ROOT / "_build" / "axe" / AXE
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):  # tests that run side by side
        if not script.is_file():
            npm = shutil.which("npm")
            if npm is None:
                return NotHere(
                    "no axe-core, so no page was searched for faults of access: npm is not installed"
                )
            command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run(
                [*command, f"axe-core@{AXE}"], capture_output=True, text=True, timeout=HANGS_S
            )
            if done.returncode or not script.is_file():
                reason = (done.stderr.strip().splitlines() or ["npm gave no reason"])[-1]
                return NotHere(f"no axe-core, so no page was searched for faults of access: {reason}")
    return script.read_text(encoding="utf8")


def look(driver: Any, script: str, *given: Any) -> Any:
    """What a script sees on the open page."""
    return driver.execute_async_script(TOOLS + script, *given)


def themes(driver: Any, *, framed: bool = True) -> tuple[list[dict[str, str]], list[Any] | NotHere]:
    """In both themes, the colours of the figures of the open page, and its serious and critical faults.

    Those of the sidebars and the foot only where `framed`.
    """
    script = axe()
    if not isinstance(script, NotHere):
        driver.execute_script(script)
    found = look(driver, THEMES, framed)
    return found["colours"], script if isinstance(script, NotHere) else found["faults"]


def _press(driver: Any, control: Any) -> bool:
    """Move a control by keyboard; whether what is drawn changed."""
    from selenium.webdriver.common.keys import Keys

    at_end = driver.execute_script(BEFORE, control)
    control.send_keys(Keys.ARROW_DOWN if control.tag_name == "select" else Keys.HOME if at_end else Keys.END)
    return look(driver, AFTER)


class _Record:
    """Console and requests of the browser since it was made."""

    def __init__(self, driver: Any, address: str):
        self.driver, self.address = driver, address
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.not_found: list[str] = []
        driver.get_log("browser")
        driver.get_log("performance")

    def read(self) -> None:
        """Take up what has happened since the last time."""
        entries = self.driver.get_log("browser")
        self.errors += [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            content = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                self.asked.append(content["request"]["url"])
            elif message["method"] == "Network.responseReceived":
                response = content["response"]
                self.not_found += [response["url"]] * (response["status"] >= 400)

    def elsewhere(self) -> list[str]:
        """Requests to other hosts."""
        schemes = {"http", "https", "ws", "wss"}
        asked = (url for url in self.asked if urllib.parse.urlsplit(url).scheme in schemes)
        return [url for url in asked if not url.startswith(self.address)]


def visit(driver: Any, address: str, page: str) -> Visit:
    """Load a page on both screens and look at all of it."""
    record = _Record(driver, address)
    asked, first, unread, tables = {}, {}, {}, {}
    for screen in ("phone", "desk"):
        driver.get("about:blank")
        show(driver, screen)
        record.read()
        before = len(record.asked)
        driver.get(address + page)
        first[screen] = look(driver, FIRST_VIEW)
        record.read()
        asked[screen] = record.asked[before:]
        if screen == "desk":
            seen = look(driver, LOOK)
        unread[screen] = look(driver, READ)
        if screen == "phone":
            phone = look(driver, NARROW, MIN_TOUCH)
            tables[screen] = look(driver, TABLES)
    colours, faults = themes(driver, framed=page in FRAMED)
    dead = []
    for control in driver.find_elements("css selector", ".figure-control :is(input, select)"):
        if not _press(driver, control):
            name = control.find_element("xpath", "./ancestor::figure").get_attribute("id")
            dead.append(f"{name}: {control.tag_name}")
    tables["desk"] = look(driver, TABLES)
    record.read()
    return Visit(
        **seen,
        colours=colours,
        phone=phone,
        dead_controls=dead,
        faults=faults,
        first=first,
        asked=asked,
        unread=unread,
        tables=tables,
        errors=record.errors,
        elsewhere=record.elsewhere(),
        not_found=record.not_found,
    )
