"""The command ``metaeval``: what can be asked of your own scores; also ``python -m metaeval``."""

from __future__ import annotations

import sys

from metaeval.command import Program

PROGRAM = Program(
    name="metaeval",
    commands={
        "doctor": ("metaeval.reporting.doctor", "say what files of scores hold, and what they can answer"),
        "report": (
            "metaeval.reporting.report",
            "say how far metrics and judges can be trusted on your own scores",
        ),
        "compare": (
            "metaeval.reporting.compare",
            "say whether one judge is better than another, by exit status",
        ),
        "texts": ("metaeval.reporting.texts", "write a benchmark's texts, for your own metric or judge"),
        "score": ("metaeval.reporting.score", "compute metrics from texts, for a report on them"),
        "example": ("metaeval.reporting.example", "write made-up files of every shape that is read"),
        "plan": (
            "metaeval.reporting.plan",
            "say how many systems, documents and raters a comparison to come needs",
        ),
    },
    status_of_mistakes=3,  # 0 to 2 may be answers
    status_of_failure=3,
    statuses="3 for a mistake in the command or the files",
)
main = PROGRAM.main

if __name__ == "__main__":
    sys.exit(main())
