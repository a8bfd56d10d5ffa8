"""tools.generated: pages of the book that are made from the code: ``python -m bookbuild pages`` writes them.

`book/api.md` comes from the docstrings of the public names, in numpydoc as this project writes it: underlined
sections, some of which list names or types with indented explanations. `book/tools_read.md` comes from the
signatures of ``data/tools.yml``. Tests hold both to their sources.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Mapping
from typing import Any

import metaeval
from metaeval.core.paths import BOOK, atomic_write
from metaeval.own.tools import signatures
from metaeval.own.tools.layouts import LAYOUTS
from metaeval.own.tools.rows import ROLES

API_HEAD = """# From Python

What `from metaeval import ...` offers, made from the docstrings. Most functions take a benchmark and the name
of one of its metrics, or plain arrays with one row per system and one column per document.

```python
from metaeval import load, correlation, interval, compare, top_k, margins

realsumm = load("realsumm")
interval(realsumm, "ROUGE-2 recall", rng=2021)
```
"""
WIDTH = 66  # characters of a call that fit a line of the page
_SECTION = re.compile(r"^(?P<title>[A-Z][a-z]+)\n-{3,}\n", re.M)
_LISTS = {"Parameters", "Attributes", "Returns", "Raises"}


def api_page() -> str:
    """Page of the public names, in Markdown."""
    return "\n".join([API_HEAD, *map(_entry, metaeval.PUBLIC)])


def _entry(name: str) -> str:
    """One public name: heading, signature, and the sections of its docstring."""
    item = getattr(metaeval, name)
    parts = _SECTION.split(inspect.getdoc(item) or "")
    lines = [f"## `{name}`", ""]
    if inspect.isfunction(item):
        lines += ["```python", _call(name, inspect.signature(item)), "```", ""]
    lines += [_prose(parts[0]), ""]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines += [f"**{title}**", "", _list(body) if title in _LISTS else _body(title, body), ""]
    return "\n".join(lines)


def _call(name: str, signature: inspect.Signature) -> str:
    """Call of a function, without types; a long one has a line per parameter."""
    parameters = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    whole = signature.replace(parameters=parameters, return_annotation=signature.empty)
    if len(line := f"{name}{whole}") <= WIDTH:
        return line
    by_name = [each.kind is each.KEYWORD_ONLY for each in parameters]
    lines = [str(each) for each in parameters]
    if any(by_name):
        lines.insert(by_name.index(True), "*")
    return "\n".join([f"{name}(", *(f"    {line}," for line in lines), ")"])


def _body(title: str, body: str) -> str:
    return f"```python\n{body.strip()}\n```" if title == "Examples" else _prose(_unindented(body))


def _list(body: str) -> str:
    """Names with their types and the indented text below each, as a list."""
    items: list[str] = []
    for line in body.strip().splitlines():
        if line.startswith(" "):
            items[-1] += f" {line.strip()}"
        elif line.strip():
            name, colon, kind = line.partition(" : ")
            items.append(f"- `{name}`" + (f" ({_prose(kind)}):" if colon else ":"))
    return "\n".join(_prose(item).removesuffix(":") for item in items)


def _unindented(body: str) -> str:
    return "\n".join(line.strip() for line in body.strip().splitlines())


def _prose(text: str) -> str:
    """Text of a docstring as Markdown: literals in one pair of backticks, mathematics in dollars."""
    text = re.sub(
        r"\.\. math:: (.*?)(?=\n\n|\Z)", lambda m: f"$${' '.join(m[1].split())}$$", text, flags=re.S
    )
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    return re.sub(r"``([^`]*)``", r"`\1`", text).strip()


TOOLS_HEAD = """# Files of known tools

`metaeval FILES...` knows the files of these tools by their content, whatever they are called, and takes the
names of the tool for systems, items, raters, judges and criteria; `metaeval doctor FILES...` shows them.
Every other table is read by the names and contents of its columns.

:::{table} What is taken from the files of each tool
| tool | for example | what is taken | what counts |
|---|---|---|---|
"""


def tools_page() -> str:
    """Page of the signatures, in Markdown."""
    return TOOLS_HEAD + "\n".join(map(_row, signatures())) + "\n:::\n"


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


PAGES = {BOOK / "api.md": api_page, BOOK / "tools_read.md": tools_page}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Write the pages; returns the exit status."""
    for path, page in PAGES.items():
        with atomic_write(path) as partial:
            partial.write_text(page(), encoding="utf8")
        print(path)
    return 0
