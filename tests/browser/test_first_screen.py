"""The first screen of a page that asks: question and answer, and how sure it is; then the figure, or a way to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bookbuild.site.build import notebooks_in_order
from tests.browser.browsing import SCREENS
from tests.browser.conftest import missing
from tests.browser.visits import Visit

pytestmark = pytest.mark.browser

WHOLE = {"scorecard", "disagreements", "observations"}  # they count all that there is, and draw nothing
SHOWS_A_FORM = {"your_metric"}  # whose first screen has a place for the reader's own file
MOST_WORDS = 60
NUMBER = re.compile(r"\d")
HYPHEN = re.compile(r"(?<![\w.)\]-])-\.?\d")  # where a minus sign belongs
# an interval, how many of how many, or what a range is over; a range alone does not say how sure anything is
SURE = re.compile(
    r"\[\s*[-−]?[\d.]+.*?\]|\d of (the )?\d|within [\d.]+|over folds|± \d|interval [-−]?\d"
    r"|simulation error(?! unknown)|random choices"
)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("where", [f"book/executed/{name}.html" for name in notebooks_in_order()])
def test_a_page_answers_before_anybody_scrolls(
    where: str, screen: str, site: Path, visited: Callable[[str], Visit]
) -> None:
    name = Path(where).stem
    if not (site / where).is_file():
        missing(f"{name} is not in the built site")
    seen = visited(where).first[screen]
    assert seen, "no box with the answer"
    room = SCREENS[screen]["height"] + seen["banner"]
    assert 0 < seen["question"] < seen["answer"] <= room, seen
    assert NUMBER.search(seen["said"]), seen["said"]
    assert SURE.search(seen["said"]) or name in WHOLE, seen["said"]
    assert len(seen["said"].split()) <= MOST_WORDS, seen["said"]
    assert not HYPHEN.search(seen["said"]), seen["said"]
    if seen["figure"] is not None:
        assert seen["leads"], "the box does not lead to the first figure"
        assert screen == "phone" or seen["figure"] < room or name in SHOWS_A_FORM, seen
