"""What panels say at the edges of what they can show: their scripts, run by Node.js, on tables made here."""

from __future__ import annotations

import pytest
from scipy.stats import norm

from bookbuild.site.mime import scripts
from helpers.experiments import margins as margins_page
from metaeval.analysis import margins, systems
from tests.kit.figures import TWO
from tests.test_your_file import NODE, OF_A_PAGE, run

pytestmark = pytest.mark.skipif(
    NODE is None, reason="Node.js is not installed: the browser tests run these scripts too"
)

# A page that only keeps what is put into it.
PAGE = """
const node = (tag) => ({
  tag, children: [], classList: { add: () => {} }, attributes: {}, style: { setProperty: () => {} }, namespaceURI: "", textContent: "",
  append(...given) { this.children.push(...given); }, get firstChild() { return this.children[0]; },
  setAttribute(name, value) { this.attributes[name] = value; }, addEventListener() {},
});
globalThis.document = { createElement: node, createElementNS: (_, tag) => node(tag) };
globalThis.matchMedia = () => ({ matches: false });
"""
ANSWER = """
const { kind: name, data, states, patch } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const book = window.bookExplorable;
if (patch) Object.assign(book.likeness, { drawBenchmark: () => ({}), intervalOf: () => patch.map((end) => end ?? NaN) });
const kind = book.kinds[name](data, { refresh: () => {}, set: () => {}, seen: Promise.resolve() });
const flat = (one) => [one, ...(one.children ?? []).flatMap(flat)];
console.log(JSON.stringify(states.map((given) => {
  const state = {};
  for (const { key, start } of kind.controls) state[key] = given[key] ?? start(state);
  kind.changed?.(state);
  const drawing = node("svg");
  const sliders = kind.controls.filter(({ range }) => range).map(({ key, range, says }) =>
    [key, { ...range(state), says: says?.(state[key], state) }]);
  const answer = kind.answer(state);
  kind.draw(drawing, 700, state);
  const shapes = flat(drawing).map(({ attributes, children }) =>
    ({ ...attributes, title: children?.map(({ textContent }) => textContent).join("") }));
  return { ...answer, state, sliders: Object.fromEntries(sliders), shapes };
})));
process.exit();
"""


def shown(data, *states, patch=None):
    names = tuple(name for name in scripts(data["kind"]) if name not in OF_A_PAGE)
    given = {"kind": data["kind"], "data": data, "states": states, "patch": patch}
    return run(ANSWER, given, names, page=PAGE)


def margins_panel(n_windows=3, *, lower=0, upper=40, unit="percent"):
    grid = margins.grid(TWO, n_windows=n_windows, n_resamples=9, rng=0, confidence_level=0.9)
    where = {"lower": lower, "upper": upper, "unit": unit, "coefficient": "kendall"}
    return margins_page.margins_explorable(
        systems.means(TWO), {n_windows: grid}, **where, confidence_level=0.9
    )


def unshortened(columns, rows):
    """A panel's table whose rows hold their words themselves."""
    return {"columns": columns, "words": {}, "rows": rows}


def coverage_panel(ends):
    """Four methods whose every interval is the same, after one trial."""
    names = ["dataset", "metric", "coefficient", "value"]
    data = {
        "kind": "coverage",
        "start": {"dataset": "simulated-x", "metric": "m"},
        "likenesses": [{"name": "x", "source": "X"}],
        "words": {"coefficient": {"pearson": "r", "kendall": "t"}, "dataset": {"simulated-x": "simulated X"}},
        "tables": {"truths": unshortened(names, [["simulated-x", "m", "pearson", 0.5]])},
    }
    (found,) = shown(data, {}, patch=ends)
    return found


def test_a_share_of_all_trials_has_an_interval_too():
    found = coverage_panel([0.2, 0.8])
    for row in found["rows"]:
        assert row["coverage"] == 1
        assert [row["from"], row["to"]] == pytest.approx([1 / (1 + norm.ppf(0.975) ** 2), 1])
    assert "1 time (100.0" in found["sentence"]
    whiskers = [shape for shape in found["shapes"] if shape.get("class") == "whisker"]
    assert len(whiskers) == 4
    assert all(shape["x2"] - shape["x1"] > 20 for shape in whiskers)


def test_methods_without_an_interval_say_so():
    found = coverage_panel([None, None])
    assert found["sentence"] == (
        f"{found['state']['method']} gives no interval in the one simulated benchmark of 12 systems and 50 "
        "documents."
    )


@pytest.mark.parametrize("n_windows", [3, 6, 7, 9])
def test_every_number_of_shares_has_its_intervals(n_windows):
    (found,) = shown(margins_panel(n_windows), {"lower": 0, "upper": 100})
    assert [shape for shape in found["shapes"] if shape.get("class") == "band"]
    assert found["rows"][0]["low"] is not None


def test_windows_begin_at_the_start_in_its_unit():
    (percent,) = shown(margins_panel(lower=12.5, upper=50), {})
    (points,) = shown(margins_panel(lower=0.25, upper=1, unit="points"), {})
    assert percent["state"]["unit"] == "percent"
    assert (percent["state"]["lower"], percent["sliders"]["lower"]["step"]) == (12.5, 0.5)
    assert points["state"]["unit"] == "points"
    assert (points["state"]["lower"], points["sliders"]["lower"]["step"]) == (0.25, 0.05)
    assert points["sliders"]["lower"]["says"] == "0.25 points"
    assert "Intervals are 90 % bootstrap" in percent["note"]


def test_a_best_system_without_the_metric_keeps_its_place():
    means = [["d", s, "abs", "m", 4 - i, None if s == "a" else 1 + i] for i, s in enumerate("abcd")]
    rows = [["d", "abs", k, "pearson", "m", 0.5, None, None] for k in (3, 4)]
    data = {
        "kind": "topk",
        "start": {"k": 3, "metric": "m", "group": "abs"},
        "colours": {"m": "red"},
        "confidence_level": 0.9,
        "words": {"group": {}, "coefficient": {}},
        "tables": {
            "topk": unshortened(
                ["dataset", "group", "k", "coefficient", "metric", "value", "low", "high"], rows
            ),
            "means": unshortened(["dataset", "system", "system_type", "metric", "human", "value"], means),
        },
    }
    (found,) = shown(data, {})
    systems_shown = [(s["class"], s["title"][0]) for s in found["shapes"] if ": " in (s.get("title") or "")]
    assert systems_shown == [("dot", "b"), ("dot", "c"), ("dot out", "d")]
    assert "The ends are 90 % bootstrap intervals" in found["note"]


def test_one_index_is_one():
    keys = {"dataset": "d", "domain": "bbc", "metric": "S", "query": "raw", "overlap": "SERA", "cutoff": 5}
    keys |= {"coefficient": "pearson"}
    rows = [
        [*keys.values(), stories, stories == 30, value]
        for stories, value in ((10, 0.5), (20, 0.7), (30, 0.6))
    ]
    table = unshortened([*keys, "stories", "is_whole", "value"], rows)
    data = {"kind": "index_size", "words": {}, "tables": {"index_size": table}}
    low, high = (
        one["sentence"].replace("\u00a0", " ") for one in shown(data, {"stories": 10}, {"stories": 20})
    )
    assert low == (
        "In the one random index of 10 stories of bbc S correlates with people at r = 0.50, below the 0.60 of "
        "the whole collection of 30."
    )
    assert ", above the 0.60" in high
