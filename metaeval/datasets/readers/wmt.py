"""readers.wmt: metrics and people's scores of the German-to-English systems of WMT 2019.

As the release of Deutsch, Dror and Roth (2021) holds them: ``DA-syslevel.csv``, people's score of each
system, and a packed file for each submission, a line for each metric, language pair and system.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pandas as pd

from metaeval.datasets.fetch import fetch
from metaeval.datasets.registry import SourceFile, find

REPOSITORY = "CogComp/stat-analysis-experiments"
FOLDER = "experiments/statistical-analysis/wmt/data"
NAME, LANGUAGES, HUMAN = "wmt19-de-en", "de-en", "human"
# the 22 metrics that the authors' script compares, by file
METRICS = {
    **{f"baselines/{name}": (name,) for name in ("CDER", "PER", "TER", "WER", "chrF", "chrF+")},
    **{f"baselines/{name}": (name,) for name in ("sacreBLEU-BLEU", "sacreBLEU-chrF")},
    "baselines/mteval-inter": ("BLEU", "NIST"),
    **{
        f"submissions-corrected/{name}": (name,)
        for name in (
            *("BEER", "BERTr", "CharacTER", "EED", "ESIM", "Meteor++_2.0(syntax)"),
            *("Meteor++_2.0(syntax+copy)", "PReP", "WMDO", "YiSi-0", "YiSi-1", "YiSi-1_srl"),
        )
    },
}


def files() -> list[SourceFile]:
    """The pinned files: people's scores, then those of the metrics."""
    return [find(REPOSITORY, f"{FOLDER}/{name}") for name in ("DA-syslevel.csv", *map(_packed, METRICS))]


def _packed(name: str) -> str:
    return f"{name}.sys.score.gz"


def read_scores(paths: Iterable[Path]) -> pd.DataFrame:
    """A row for each of 16 systems; the columns `HUMAN` and one for each metric, of `files`."""
    people, *packed = paths
    scores = _table(people, ["languages", "score", "system"], skiprows=1).assign(metric=HUMAN)
    frames = [scores] + [
        rows[rows["metric"].isin(names)]
        for path, names in zip(packed, METRICS.values(), strict=True)
        for rows in [_table(path, ["metric", "languages", "set", "system", "score"])]
    ]
    names = [HUMAN, *(name for of in METRICS.values() for name in of)]
    wide = pd.concat(frames).pivot(index="system", columns="metric", values="score")
    return wide.loc[scores["system"], names].rename_axis(index=None, columns=None)


def _table(path: Path, columns: list[str], **how) -> pd.DataFrame:
    """Rows of the language pair; of what stands behind the columns nothing is read."""
    kind = {"sep": r"\s+", "header": None, "names": columns, "usecols": range(len(columns)), **how}
    rows = pd.read_csv(path, **kind)
    return rows[rows["languages"] == LANGUAGES]


@cache
def load_scores() -> pd.DataFrame:
    """`read_scores` of the release, read once per process."""
    return read_scores(map(fetch, files()))
