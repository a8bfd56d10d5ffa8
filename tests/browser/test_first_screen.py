"""The first screen of a chapter or an experiment: its heading and what was found."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bookbuild.site.build import notebooks_in_order
from bookbuild.site.chapters import FOLDER
from tests.browser.browsing import SCREENS
from tests.browser.conftest import missing
from tests.browser.visits import Visit

pytestmark = pytest.mark.browser

TABLES_ALONE = ("observations", "your_metric")  # which claim nothing
ADVICE = "choose"  # a chapter of other chapters' findings
MOST_WORDS = 110  # of what was found
HYPHEN = re.compile(r"(?<![\w.)\]-])-\.?\d")  # where a minus sign belongs


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(
    "where",
    [
        *(f"book/executed/{name}.html" for name in notebooks_in_order() if name not in TABLES_ALONE),
        *(f"book/chapters/{path.stem}.html" for path in sorted(FOLDER.glob("*.md")) if path.stem != ADVICE),
    ],
)
def test_a_page_answers_before_anybody_scrolls(
    where: str, screen: str, site: Path, visited: Callable[[str], Visit]
) -> None:
    name = Path(where).stem
    if not (site / where).is_file():
        missing(f"{name} is not in the built site")
    seen = visited(where).first[screen]
    assert seen, "no finding"
    room = SCREENS[screen]["height"] + seen["banner"]
    assert 0 < seen["question"] < seen["answer"] <= room, seen
    assert all(len(paragraph.split()) <= MOST_WORDS for paragraph in seen["said"]), seen["said"]
    assert not any(map(HYPHEN.search, seen["said"])), seen["said"]
