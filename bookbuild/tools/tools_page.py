"""tools.tools_page: the page `book/tools_read.md`, generated from the signatures of ``data/tools.yml``.

``python -m bookbuild tools`` writes it; a test holds the page to the signatures.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Mapping
from typing import Any

from metaeval.core.paths import BOOK, atomic_write
from metaeval.own.tools import signatures
from metaeval.own.tools.layouts import LAYOUTS
from metaeval.own.tools.rows import ROLES

PAGE = BOOK / "tools_read.md"
HEAD = """# Files of known tools

`metaeval FILES...` knows the files of these tools by their content, whatever they are called, and takes the
names of the tool for systems, items, raters, judges and criteria; `metaeval doctor FILES...` shows them.
Every other table is read by the names and contents of its columns.

:::{table} What is taken from the files of each tool
| tool | for example | what is taken | what counts |
|---|---|---|---|
"""


def page() -> str:
    """The whole page, in Markdown."""
    return HEAD + "\n".join(map(_row, signatures())) + "\n:::\n"


def _row(entry: Mapping[str, Any]) -> str:
    layout = LAYOUTS.get(entry.get("call", ""))
    note = entry.get("note") or (inspect.getdoc(layout).partition("\n")[0] if layout else "")
    cells = (f"[{entry['tool']}]({entry['link']})", f"`metaeval {entry['example']}`", _columns(entry), note)
    return f"| {' | '.join(cells)} |"


def _columns(entry: Mapping[str, Any]) -> str:
    """Roles that an entry names, with their columns; of tables that are reshaped the roles alone."""
    parts = []
    for role, names in entry.get("roles", {}).items():
        listed = ", ".join(f"`{name}`" for name in ([names] if isinstance(names, str) else names))
        if role not in ("ignored", "text"):
            parts.append(f"{role} {listed}".replace("|", "` or `"))
    used = {role for row in entry.get("rows", ()) for role in row}
    return "; ".join(parts) or ", ".join(role for role in ROLES if role in used)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Write the page; returns the exit status."""
    with atomic_write(PAGE) as partial:
        partial.write_text(page(), encoding="utf8")
    print(PAGE)
    return 0
