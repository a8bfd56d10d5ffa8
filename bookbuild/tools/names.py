"""tools.names: names and docstrings by those rules of house style that a program can see, for ``make check``.

CONTRIBUTING has the rules. Functions that compose sentences of pages, and the room of users' files, are
left out: both are to be replaced.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator

from metaeval.core.paths import ROOT

STOREYS = ("metaeval", "helpers", "bookbuild")
LEFT_OUT: tuple[str, ...] = ()
SENTENCES = re.compile(r"answer|in_words|told|in_short")
PARTICIPLES = frozenset(
    ["found", "said", "given", "shown", "known", "kept", "asked", "told", "wanted", "meant", "made", "done"]
)
PREPOSITION = re.compile(r"_?(of|in|on|at|to|beside|among|beyond|without)_[a-z]")
SUPERLATIVE = re.compile(r"(^|_)(most|least)(_|$)", re.IGNORECASE)
SPEECH = re.compile(r"(^|_)(tell|told|say|says|said|in_words)(_|$)")
RELATIVE = re.compile(r"(What|Which|Whether|Whoever|How|Who|Where|That|Of|For|In)\b")
# idioms of other libraries, a parameter and column of notebooks, keys of JSON
ALLOWED = frozenset({"to_html", "to_text", "to_dict", "to_json", "to_frame", "on_change"})
PUBLIC = {
    "helpers/experiments/findings.py": "kept",
    "helpers/experiments/power.py": "kept",
    "helpers/kit/claims/claim.py": "in_print",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""


def main(args: argparse.Namespace) -> int:
    """Print every fault with its place; returns the exit status."""
    files = {
        path.relative_to(ROOT).as_posix(): path
        for storey in STOREYS
        for path in sorted((ROOT / storey).rglob("*.py"))
    }
    faults = [
        f"{file}:{line}: {fault}"
        for file, path in files.items()
        if not file.startswith(LEFT_OUT)
        for line, fault in find_faults(ast.parse(path.read_text(encoding="utf8")))
        if fault.partition(":")[0] != PUBLIC.get(file)
    ]
    print("\n".join(faults) or "names follow the rules")
    return bool(faults)


def find_faults(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of each fault below a node of a syntax tree."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            if SENTENCES.search(child.name):
                continue
            yield from _faults_of_name(child.name, child.lineno)
            if SPEECH.search(child.name):
                yield child.lineno, f"{child.name}: a verb of speech, where it formats or describes"
            docstring = ast.get_docstring(child)
            if docstring and RELATIVE.match(docstring):
                yield (
                    child.lineno,
                    f"{child.name}: its docstring begins with no verb and no thing: {docstring[:20]}",
                )
            if isinstance(child, ast.FunctionDef):
                for argument in [*child.args.args, *child.args.kwonlyargs]:
                    yield from _faults_of_name(argument.arg, argument.lineno)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield from _faults_of_name(child.id, child.lineno)
        yield from find_faults(child)


def _faults_of_name(name: str, line: int) -> Iterator[tuple[int, str]]:
    if name in ALLOWED:
        return
    if name.strip("_") in PARTICIPLES:
        yield line, f"{name}: a participle; say what it is"
    if PREPOSITION.match(name):
        yield line, f"{name}: begins with a preposition; nouns for data, verbs for actions"
    if SUPERLATIVE.search(name):
        yield line, f"{name}: MAX and MIN, not most and least"
