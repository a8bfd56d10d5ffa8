"""runs.findings: ``python -m bookbuild findings topk`` prints what a page claims of the recorded results.

Text and condition can be edited without running a notebook. ``--record topk.ipynb`` first records the tables
of an executed notebook, as ``python -m bookbuild run topk -o topk.ipynb`` writes it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bookbuild.runs.record import finding_tables, write_tables
from helpers.kit import findings
from metaeval.core.errors import choose


def describe(page: str) -> str:
    """Format what a page claims of the recorded results: title, paragraphs and its figures' titles."""
    claim = findings.finding(page)
    runs = {name: findings.recorded_run(name) for name in claim.sources or (page,)}
    one = findings.judge(claim, runs)
    lines = [f"{page}: {'claimed' if one.claimed else 'NOT CLAIMED'}", f"# {one.title}", one.markdown]
    for name in claim.figures:
        data = findings.recorded_figure(name)
        title = findings.figure_text(name, data, runs[page]) if data is not None else ("no recorded data", "")
        lines.append(f"{name}: {' | '.join(title)}")
    return "\n\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("page", nargs="*", metavar="PAGE", help="pages; by default all that have a finding")
    parser.add_argument(
        "--record", action="append", default=[], type=Path, metavar="FILE.ipynb", help="record first"
    )


def main(args: argparse.Namespace) -> int:
    """Print the findings; returns the exit status, 1 where one is not claimed."""
    recorded = [file for path in args.record for file in write_tables(finding_tables(path))]
    for file in recorded:
        print(f"recorded {file.name}")
    options = dict.fromkeys(findings.pages())
    for page in args.page:
        choose("page with a finding", page, options)
    chosen = args.page or [path.stem for path in args.record] or options
    texts = [describe(page) for page in chosen if page in options]
    print("\n\n".join(texts))
    return int(any("NOT CLAIMED" in text for text in texts))
