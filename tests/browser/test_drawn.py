"""What a figure draws can be read: no word cut off or upon another, no name behind the end of its axis.

At both widths, in the state in which a page opens.
"""

from __future__ import annotations

import pytest

from tests.browser.browsing import SCREENS
from tests.browser.visits import Visit

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("screen", SCREENS)
def test_what_is_drawn_can_be_read(visit: Visit, screen: str) -> None:
    assert not visit.unread[screen]
