"""readers.bartscore: SummEval's and REALSumm's texts and human scores in BARTScore (Yuan et al. 2021).

One ``data.pkl`` for each, a pickle by document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from metaeval.datasets.readers.realsumm import identify_system
from metaeval.datasets.readers.tables import Cells, Release, assemble, unpickle
from metaeval.tables.benchmark import Benchmark


def read_corpus(
    paths: Mapping[str, Path], about: Release, *, judgments: Mapping[str, str], notes: Iterable[str]
) -> Benchmark:
    """Read one ``data.pkl``; `judgments` maps upstream names to ours."""
    humans: Cells = {ours: {} for ours in judgments.values()}
    system_type, sources, references, summaries = {}, {}, {}, {}
    for key, entry in unpickle(paths["data"]).items():
        document = str(key)
        sources[document] = entry["src"]
        # SummEval has 11 references, of which "ref_summ" repeats the first; REALSumm has one.
        references[document] = tuple(entry.get("ref_summs", [entry["ref_summ"]]))
        for upstream, summary in entry["sys_summs"].items():
            system, system_type[system] = identify_system(upstream.removesuffix(".txt"))
            summaries[system, document] = summary["sys_summ"]
            for name, ours in judgments.items():
                humans[ours][system, document] = summary["scores"][name]
    return assemble(
        about, scores={}, humans=humans, system_type=system_type, notes=notes, summaries=summaries,
        references=references, sources=sources,
    )  # fmt: skip
