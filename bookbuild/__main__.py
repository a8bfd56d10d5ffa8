"""The book's commands: ``python -m bookbuild COMMAND ...``, in the checkout only."""

from __future__ import annotations

import sys

from metaeval.command import Program

# The checker of notebooks' schemas would import it for internationalised addresses, which no notebook has.
# Its import builds 38 grammars, which takes over a second of every run.
sys.modules.setdefault("rfc3987_syntax", None)

PROGRAM = Program(
    name="python -m bookbuild",
    commands={
        "run": ("bookbuild.runs.run", "execute one notebook with other parameters"),
        "sweep": ("bookbuild.runs.sweep", "execute one notebook for every combination of some parameters"),
        "quick": ("bookbuild.runs.quick", "execute every notebook with the small settings of data/quick.yml"),
        "build": ("bookbuild.site.build", "execute what changed and render the site"),
        "record": ("bookbuild.runs.record", "record the results of the last book on real data"),
        "findings": ("bookbuild.runs.findings", "print what pages claim of the recorded results"),
        "reseed": (
            "bookbuild.runs.reseed",
            "test whether a run with another seed confirms the recorded results",
        ),
        "decide": ("bookbuild.tools.decide", "print whether a run here would use real or simulated data"),
        "fit": ("bookbuild.tools.fit", "fit the simulated likenesses to the released data"),
        "pages": ("bookbuild.tools.generated", "write the pages of public names and of known tools"),
        "judge": ("bookbuild.tools.judge", "judge the presence of units with one released model per fold"),
        "learn": ("bookbuild.tools.learn", "retrain the light model that comes with the project"),
        "warm": (
            "bookbuild.tools.warm",
            "compile the loops of the engine, as an installation does in its last step",
        ),
        "names": ("bookbuild.tools.names", "check names and docstrings by the rules of CONTRIBUTING"),
        "rouge155": ("bookbuild.tools.rouge_155", "record results of your copy of ROUGE-1.5.5"),
    },
    status_of_mistakes=2,
    status_of_failure=1,
    statuses="1 when something failed, 2 for a mistake in the command",
)
main = PROGRAM.main

if __name__ == "__main__":
    sys.exit(main())
