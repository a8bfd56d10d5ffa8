"""Keep the results of the last book on real data (``make record``), or compare a new run with them.

``python -m helpers.runs.recorded_main --compare`` (``make compare``) runs every notebook with another
seed, and fails
where a recorded result moved by more than its Monte-Carlo error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from helpers import datasets
from helpers.errors import DataError, SourceUnavailableError
from helpers.papers.recorded import FOLDER
from helpers.runs.compare import OUTPUT, compare_run, run_with_another_seed
from helpers.runs.record import write
from helpers.runs.run import NotebookError


def keep() -> int:
    """Write the tables and verdicts of the last book; returns the exit status."""
    written = write()
    print(f"{len(written)} tables in {FOLDER.name}: {', '.join(path.stem for path in written)}")
    return 0


def compare(*, jobs: int) -> int:
    """Run with another seed and list what moved; returns the exit status."""
    settled, reason = datasets.decide()
    if settled != "real":
        raise SourceUnavailableError(f"recorded results are compared on real data. {reason}".strip())
    run_with_another_seed(jobs=jobs, report=lambda line: print(line, flush=True))
    moved = compare_run()
    for one in moved:
        print(one, file=sys.stderr)
    print(f"\n{len(moved)} recorded results moved by more than their Monte-Carlo error; the runs: {OUTPUT}")
    return 1 if moved else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.runs.recorded_main", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--compare", action="store_true", help="compare a run with another seed; write nothing"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="notebooks at a time")
    given = parser.parse_args(arguments)
    try:
        return compare(jobs=given.jobs) if given.compare else keep()
    except (DataError, NotebookError, SourceUnavailableError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
