"""readers.wmt: metrics and people's scores of the German-to-English systems of WMT 2019.

As the release of Deutsch, Dror and Roth (2021) holds them: ``DA-syslevel.csv``, people's score of each
system, and a packed file for each submission, a line for each metric, language pair and system.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pandas as pd

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import fetch
from metaeval.datasets.readers.stat_analysis import REPOSITORY
from metaeval.datasets.readers.tables import decoded, parsed
from metaeval.datasets.registry import SourceFile, find

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


def read_people(path: Path) -> dict[str, float]:
    """People's score of each system of the language pair."""
    lines = [line.split() for line in decoded(path.read_bytes(), path.name).splitlines()[1:]]
    return {
        system: parsed(score, path.name, system)
        for languages, score, system in lines
        if languages == LANGUAGES
    }


def read_metrics(path: Path, names: Iterable[str], systems: Iterable[str]) -> pd.DataFrame:
    """Scores of the named metrics of a file: a row for each system, a column for each metric.

    Raises
    ------
    DataError
        If a system lacks a score or has two.
    """
    lines = map(str.split, decoded(gzip.decompress(path.read_bytes()), path.name).splitlines())
    rows = [
        (metric, system, parsed(score, path.name, metric, system))
        for metric, languages, _, system, score, *_ in lines
        if languages == LANGUAGES and metric in names
    ]
    table = pd.DataFrame(rows, columns=["metric", "system", "score"])
    twice = table.loc[table.duplicated(["metric", "system"]), "system"]
    if len(twice):
        raise DataError(f"{path.name}: systems come twice: {listing(twice)}")
    scores = table.pivot(index="system", columns="metric", values="score")
    scores = scores.reindex(index=list(systems), columns=list(names))
    absent = scores.index[scores.isna().any(axis=1)]
    if len(absent):
        raise DataError(f"{path.name}: systems without a score: {listing(absent)}")
    return scores


@cache
def load_scores() -> pd.DataFrame:
    """A row for each of 16 systems; the columns `HUMAN` and one for each of 22 metrics."""
    people_file, *metric_files = map(fetch, files())
    people = pd.Series(read_people(people_file), name=HUMAN)
    metrics = [
        read_metrics(path, names, people.index)
        for path, names in zip(metric_files, METRICS.values(), strict=True)
    ]
    return pd.concat([people, *metrics], axis=1)
