"""tools.api_page: the page `book/api.md`, generated from the docstrings of the public names.

``python -m bookbuild api`` writes it; a test holds the page to the docstrings. It handles numpydoc as
this project writes it: underlined sections, some of which list names or types with indented explanations.
"""

from __future__ import annotations

import argparse
import inspect
import re

import metaeval
from metaeval.core.paths import BOOK, atomic_write

PAGE = BOOK / "api.md"
HEAD = """# From Python

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


def page() -> str:
    """The whole page, in Markdown."""
    return "\n".join([HEAD, *map(_entry, metaeval.PUBLIC)])


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Write the page; returns the exit status."""
    with atomic_write(PAGE) as partial:
        partial.write_text(page(), encoding="utf8")
    print(PAGE)
    return 0
