"""readers.bartscore: SummEval's and REALSumm's texts and human scores in BARTScore (Yuan et al. 2021).

One ``data.pkl`` for each, a pickle by document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from metaeval.core.errors import DataError
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import realsumm, stat_analysis
from metaeval.datasets.readers.tables import (
    Cells,
    add_cell,
    assemble,
    mapping,
    natural,
    number,
    require,
    require_full,
    summaries_array,
    text,
    unpickle,
)
from metaeval.tables.benchmark import Benchmark, Provenance, Texts

REPOSITORY = "neulab/BARTScore"


@dataclass(frozen=True)
class Corpus:
    """Contents of one ``data.pkl``, by our ids."""

    system_type: dict[str, str]
    sources: dict[str, str]
    references: dict[str, tuple[str, ...]]
    summaries: dict[tuple[str, str], str]
    humans: Cells


def read_corpus(
    path: Path, *, judgments: Mapping[str, str], identify: Callable[[str], tuple[str, str]]
) -> Corpus:
    """Read one ``data.pkl``.

    Parameters
    ----------
    path : Path
    judgments : mapping, upstream name -> ours; each summary must have them all
    identify : callable, upstream system -> (our id, type)

    Raises
    ------
    DataError
        If the pickle is not safe or whole, a key is missing, a text or a score is none, or a system
        lacks a document.
    """
    corpus = Corpus({}, {}, {}, {}, {})
    for key, entry in mapping(unpickle(path), path.name).items():
        document, where = str(key), f"{path.name}, document {key}"
        corpus.sources[document] = text(require(entry, "src", where), where, "src")
        # SummEval has 11 references, of which "ref_summ" repeats the first; REALSumm has one.
        references = entry.get("ref_summs", [require(entry, "ref_summ", where)])
        if not isinstance(references, list) or not references:
            raise DataError(f"{where}: ref_summs must be a list of texts, got {references!r}")
        corpus.references[document] = tuple(text(r, where, "reference") for r in references)
        summaries = mapping(require(entry, "sys_summs", where), where, "sys_summs")
        for upstream, summary in summaries.items():
            place = f"{where}, {upstream}"
            system, kind = identify(text(upstream, where, "system").removesuffix(".txt"))
            corpus.system_type[system] = kind
            cell = system, document
            corpus.summaries[cell] = text(require(summary, "sys_summ", place), place, "sys_summ")
            scores = require(summary, "scores", place)
            for name, ours in judgments.items():
                score = number(require(scores, name, place), place, name)
                add_cell(corpus.humans, ours, cell, score, place)
    require_full(corpus.humans, corpus.system_type, corpus.references, path.name)
    return corpus


def _read(
    paths: Mapping[str, Path],
    provenance: Provenance,
    *,
    name: str,
    judgments: Mapping[str, str],
    identify: Callable[[str], tuple[str, str]],
    notes: tuple[str, ...],
) -> Benchmark:
    corpus = read_corpus(paths["data"], judgments=judgments, identify=identify)
    systems = sorted(corpus.system_type, key=natural)
    documents = sorted(corpus.references, key=natural)
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores={},
        humans=corpus.humans,
        system_type=corpus.system_type,
        documents=documents,
        provenance=replace(provenance, notes=notes),
        texts=Texts(
            summaries=summaries_array(corpus.summaries, systems, documents, name),
            references=corpus.references,
            sources=corpus.sources,
        ),
    )


def _dataset(collection: str, paper: str, **reading: object) -> Dataset:
    name = f"bartscore-{collection.lower()}"
    return Dataset(
        name=name,
        title=f"{collection}'s texts in BARTScore",
        read=partial(_read, name=name, **reading),
        needed={"data": Pin(REPOSITORY, f"SUM/{collection}/data.pkl")},
        citation=(paper, "yuan2021bartscore"),
    )


DATASETS = {
    dataset.name: dataset
    for dataset in (
        _dataset(
            "REALSumm",
            "bhandari2020reevaluating",
            judgments=realsumm.HUMANS,
            identify=realsumm.merged_id,
            notes=(realsumm.MERGED_NOTE,),
        ),
        _dataset(
            "SummEval",
            "fabbri2021summeval",
            judgments={dimension: dimension for dimension in stat_analysis.DIMENSIONS},
            identify=stat_analysis.summeval_system,
            notes=("The judgments are means over the three experts.",),
        ),
    )
}
