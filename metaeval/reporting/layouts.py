"""reporting.layouts: the made-up files of `metaeval example`, and what a report answers to each.

For the page `your_metric`: a table that shows every layout that is read.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from metaeval.core.errors import DataError
from metaeval.reporting.example import EXAMPLES, write_examples
from metaeval.reporting.report import report

MOST = 70  # characters of a line that are shown


def layouts(*, seed: int, n_resamples: int = 1_999) -> pd.DataFrame:
    """Every layout with how its files begin, and the verdict on its judges, or why there is none.

    Parameters
    ----------
    seed : int
        Of the made-up scores and of the draws.
    n_resamples : int

    Returns
    -------
    DataFrame with columns layout, files, begins (their first lines), answer
    """
    rows = []
    with TemporaryDirectory() as folder:
        for name, paths in write_examples(Path(folder) / "examples", seed=seed).items():
            try:
                table = report(paths, n_resamples=n_resamples, rng=seed).to_frame()
                answer = "; ".join(f"{row.metric}: {row.verdict}" for row in table.itertuples())
            except DataError as error:
                answer = str(error)
            rows.append(
                {
                    "layout": EXAMPLES[name][1],
                    "files": ", ".join(path.name for path in paths),
                    "begins": "; ".join(map(_begin, paths)),
                    "answer": answer,
                }
            )
    return pd.DataFrame(rows)


def _begin(path: Path) -> str:
    if path.suffix == ".parquet":
        return "binary"
    line = path.read_text(encoding="utf-8").partition("\n")[0].replace("\t", " ⇥ ")
    return line if len(line) <= MOST else f"{line[:MOST]}…"
