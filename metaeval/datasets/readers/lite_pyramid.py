"""readers.lite_pyramid: texts, content units and presence labels of Lite2-3Pyramid (Zhang and Bansal 2021).

``data/{REALSumm,PyrXSum}/``: line i of every file is about document i of ``ids.txt``. Units and
labels are separated by tabs. Lines end with ``\\n`` and with nothing else: some texts hold other
characters at which ``str.splitlines`` would break them. The last line has no end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from metaeval.datasets.fetch import fetch
from metaeval.datasets.readers.realsumm import GOLD
from metaeval.datasets.readers.tables import Release, assemble, read_lines
from metaeval.datasets.registry import find
from metaeval.tables.benchmark import Benchmark, PyramidUnits, read_only

NAMES = ("lite-realsumm", "lite-pyrxsum")
UNIT_FILES = ("ids.txt", "SCUs.txt", "STUs.txt", "STUs_SCUs_percentage50.txt")


def read_texts(path: Path, documents: Sequence[str]) -> dict[str, str]:
    """Read one text per document."""
    return dict(zip(documents, read_lines(path), strict=True))


def read_units(paths: Mapping[str, Path]) -> PyramidUnits:
    """The units of a data set and the labels of them, from local paths by their path inside its folder."""
    documents = read_lines(paths["ids.txt"])
    units = [
        {document: tuple(line.split("\t")) for document, line in read_texts(paths[name], documents).items()}
        for name in UNIT_FILES[1:]
    ]
    labels = {
        (system, document): read_only(np.array(line.split("\t"), dtype=np.int8))
        for system, path in _part(paths, "labels").items()
        for document, line in read_texts(path, documents).items()
    }
    return PyramidUnits(*units, labels)


def _part(paths: Mapping[str, Path], folder: str) -> dict[str, Path]:
    """System -> path, of the files in one folder."""
    return {key.partition("/")[2]: path for key, path in paths.items() if key.startswith(f"{folder}/")}


def read_release(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """A release's files as a Benchmark: LitePyramid scores from the presence labels, and the texts.

    PyrXSum is of "10 abstractive summarization systems" (Zhang and Bansal 2021, on collecting it).
    """
    units = read_units(paths)
    references, sources = (
        read_texts(paths[name], [*units.scus]) for name in ("references.txt", "documents.txt")
    )
    summaries = {
        (system, document): text
        for system, path in _part(paths, "summaries").items()
        for document, text in read_texts(path, [*units.scus]).items()
    }
    return assemble(
        about,
        scores={},
        humans={GOLD: {cell: float(labels.mean()) for cell, labels in units.labels.items()}},
        system_type={system: "ext" if system.startswith("ext_") else "abs" for system, _ in summaries},
        notes=("LitePyramid is the share of a document's SCUs labelled as present.",),
        summaries=summaries,
        references={document: (reference,) for document, reference in references.items()},
        sources=sources,
    )


@cache
def load_folds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The paper's five folds of REALSumm: ``"document"`` and ``"system"`` -> ids by fold.

    Raises
    ------
    SourceUnavailableError, IntegrityError
        If a file cannot be fetched, or is not the pinned one.
    """
    names = {"document": "by_examples/fold{}.id", "system": "by_systems/fold{}.sys"}
    files = {
        dim: [find("ZhangShiyue/Lite2-3Pyramid", f"data/REALSumm/{name.format(i)}") for i in range(1, 6)]
        for dim, name in names.items()
    }
    return {dim: tuple(tuple(read_lines(fetch(file))) for file in of) for dim, of in files.items()}
