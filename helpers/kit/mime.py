"""kit.mime: the types under which outputs of notebooks keep what programs read, and how these are read.

Written by `helpers.kit`, read by `helpers.kit`, `bookbuild.runs`, `bookbuild.site` and the front end.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from metaeval.core.paths import read_once

PLOTLY = "application/vnd.plotly.v1+json"  # a figure; its data stand beside it as CSV
CSV = "text/csv"
HTML = "text/html"
FILES = (
    "application/vnd.meta-evaluation.files+json"  # texts that the site offers, by their paths from its root
)
GLUED = "application/papermill.record/"  # before the type of what MyST-NB's {glue} quotes
RESULTS = "application/vnd.meta-evaluation.results+json"  # a notebook's main table
EXPLORABLE = "application/vnd.meta-evaluation.explorable+json"  # what a page's panel shows without a kernel
FINDING = "application/vnd.meta-evaluation.finding+json"  # what a page's finding is judged by
VERDICTS = "application/vnd.meta-evaluation.verdicts+json"  # claims and what became of them


@read_once
def read_notebook(path: Path) -> Mapping:
    """An executed notebook, for whoever does not change it."""
    # not by nbformat: every notebook imports this module, and nbformat alone would cost it a second
    return json.loads(path.read_text(encoding="utf8"))


def outputs(notebook: Mapping, kind: str) -> Iterator[Mapping]:
    """The outputs of a notebook's cells that hold something of a type, in their order."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if kind in output.get("data", {}):
                yield output
