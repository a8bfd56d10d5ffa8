"""runs.executed: what an executed notebook found, read from its outputs."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Mapping

import pandas as pd

from bookbuild.runs.plain import plain_text
from helpers.kit import claims, mime

RESULTS = "results"  # the name of the recorded table among those of the figures
VERDICT = "verdict-in-words"  # what a notebook shows so (`notebook.display.show_words`)
_WIDTH = 100


def recorded_results(executed: Mapping) -> pd.DataFrame:
    """The table that a notebook recorded (`notebook.display.record_results`); empty if none."""
    for output in mime.outputs(executed, mime.RESULTS):
        return pd.DataFrame(**output["data"][mime.RESULTS])
    return pd.DataFrame()


def all_tables(executed: Mapping) -> dict[str, tuple[str, pd.DataFrame]]:
    """Every table of a notebook that can be read again, with a caption: the recorded one, its figures'."""
    found = {}
    results = recorded_results(executed)
    if len(results):
        found[RESULTS] = ("The notebook's main table.", results)
    for output in mime.outputs(executed, mime.CSV):
        figure = output.get("metadata", {}).get("figure")
        if figure:
            table = pd.read_csv(io.StringIO(output["data"][mime.CSV]))
            found[figure["name"]] = (re.sub(r"[*$]", "", plain_text(figure["caption"], {})), table)
    return found


def verdict(executed: Mapping) -> str:
    """What a notebook says of its numbers in a sentence; "" if it says nothing."""
    said = [
        "".join(output["data"]["text/plain"])
        for output in mime.outputs(executed, "text/plain")
        if output.get("metadata", {}).get("words") == VERDICT
    ]
    return " ".join(said)


def claims_checked(executed: Mapping) -> str:
    """How the claims of papers came out that a notebook checked, such as ``12 exact, 3 differs``; or ""."""
    found = [
        record for output in mime.outputs(executed, mime.VERDICTS) for record in output["data"][mime.VERDICTS]
    ]
    counts = pd.Series([record["verdict"] for record in found], dtype=object).value_counts()
    return ", ".join(f"{counts[word]} {word}" for word in claims.VERDICTS if word in counts)


def findings(executed: Mapping) -> list[str]:
    """What an executed notebook found: its verdict in words, its results and its claims in numbers."""
    said, results, checked = verdict(executed), recorded_results(executed), claims_checked(executed)
    found = [said] if said else []
    if len(results):
        values = results["value"].dropna() if "value" in results else []
        between = f", values {min(values):.2f} to {max(values):.2f}" if len(values) else ""
        found.append(f"{len(results)} results{between}")
    if checked:
        found.append(f"claims: {checked}")
    return found


def wrapped(lines: Iterable[str]) -> list[str]:
    """Lines for a terminal, indented below what they belong to."""
    indent = "    "
    return [
        part
        for line in lines
        for part in textwrap.wrap(line, _WIDTH, initial_indent=indent, subsequent_indent=indent)
    ]
