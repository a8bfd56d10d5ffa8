"""The command ``metaeval`` for your own scores; also ``python -m metaeval``."""

from __future__ import annotations

import sys

from metaeval.command import Program
from metaeval.core.errors import STATUS_OF_A_MISTAKE

PROGRAM = Program(
    name="metaeval",
    commands={
        "answer": (
            "metaeval.reporting.look",
            "say what files hold and answer in one table; the same without `answer`",
        ),
        "doctor": ("metaeval.reporting.doctor", "inspect score files and list the analyses they support"),
        "report": (
            "metaeval.reporting.report",
            "report how far metrics and judges can be trusted, from your own scores",
        ),
        "compare": (
            "metaeval.reporting.compare",
            "test whether one judge beats another (also as exit status)",
        ),
        "transport": (
            "metaeval.reporting.transport",
            "say what a judge's answers on several data sets say of another one",
        ),
        "rank": (
            "metaeval.reporting.rank",
            "rank systems by votes on pairs of outputs, of people and judges",
        ),
        "texts": ("metaeval.reporting.texts", "write a benchmark's texts, for your own metric or judge"),
        "score": ("metaeval.reporting.score", "compute metrics from texts, ready for a report"),
        "example": ("metaeval.reporting.example", "write example files in every supported layout"),
        "plan": (
            "metaeval.reporting.plan",
            "estimate the systems, documents and raters a future comparison needs",
        ),
    },
    status_of_mistakes=STATUS_OF_A_MISTAKE,
    status_of_failure=STATUS_OF_A_MISTAKE,
    default="answer",
    statuses="3 for a mistake in the command or the files",
)
main = PROGRAM.main

if __name__ == "__main__":
    sys.exit(main())
