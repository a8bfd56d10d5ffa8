"""The live blocks of the pages: each is the `LIVE` of its page's module."""

import re
from importlib import import_module
from pathlib import Path

from helpers import experiments

_FOLDER = Path(experiments.__file__).parent
# read and not imported: what Pyramid's and SERA's pages import takes seconds
LIVE_PAGES = sorted(
    path.stem
    for path in _FOLDER.glob("*.py")
    if re.search(r"^LIVE\b", path.read_text(encoding="utf8"), flags=re.M)
)


def page(name):
    """The module of a page."""
    return import_module(f"{experiments.__name__}.{name}")


def live(name):
    """The live block of a page."""
    return page(name).LIVE
