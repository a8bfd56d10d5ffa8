"""readers.lite_pyramid: texts, content units and presence labels of Lite2-3Pyramid (Zhang and Bansal 2021).

``data/{REALSumm,PyrXSum}/``: line i of every file is about document i of ``ids.txt``. Units and
labels are separated by tabs. Lines end with ``\\n`` and with nothing else: some texts hold other
characters at which ``str.splitlines`` would break them. The last line has no end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, choose, listing
from metaeval.datasets.fetch import Dataset, Pin, fetch
from metaeval.datasets.readers.realsumm import ABSTRACTIVE, EXTRACTIVE, GOLD
from metaeval.datasets.readers.tables import Cells, assemble, natural, read_lines, summaries_array
from metaeval.tables.benchmark import Benchmark, Provenance, PyramidUnits, Texts, read_only

REPOSITORY = "ZhangShiyue/Lite2-3Pyramid"
SEPARATOR = "\t"


def read_ids(path: Path) -> list[str]:
    """The documents, in the order of all other files."""
    ids = read_lines(path)
    empty = [str(i) for i, label in enumerate(ids, start=1) if not label.strip()]
    if empty:
        raise DataError(f"{path.name}: lines without an id: {listing(empty)}")
    if len(set(ids)) < len(ids):
        raise DataError(
            f"{path.name} names a document twice: {listing({i for i in ids if ids.count(i) > 1})}"
        )
    return ids


def read_texts(path: Path, documents: list[str]) -> dict[str, str]:
    """Read one text per document."""
    lines = read_lines(path)
    if len(lines) != len(documents):
        raise DataError(f"{path.name} must have {len(documents)} lines, one per document, got {len(lines)}")
    return dict(zip(documents, lines, strict=True))


def read_units(path: Path, documents: list[str]) -> dict[str, tuple[str, ...]]:
    """The units of each document; a document without any, or an empty unit, is an error."""
    units = {}
    for i, (document, line) in enumerate(read_texts(path, documents).items(), start=1):
        units[document] = tuple(line.split(SEPARATOR))
        if not all(unit.strip() for unit in units[document]):
            raise DataError(f"{path.name}, line {i}: {document} has an empty unit")
    return units


def read_labels(path: Path, scus: Mapping[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """One system's presence labels, document -> array of 0 and 1 in the order of the SCUs.

    Raises
    ------
    DataError
        Naming the file, the line and the value, if a label is not 0 or 1, or a line does not have as many
        labels as the document has SCUs.
    """
    labels = {}
    for i, (document, line) in enumerate(read_texts(path, list(scus)).items(), start=1):
        fields = line.split(SEPARATOR)
        for field in fields:
            if field not in ("0", "1"):
                raise DataError(f"{path.name}, line {i}: a label must be 0 or 1, got {field!r}")
        if len(fields) != len(scus[document]):
            raise DataError(
                f"{path.name}, line {i}: {document} has {len(scus[document])} SCUs, got {len(fields)} labels"
            )
        labels[document] = read_only(np.array([field == "1" for field in fields], dtype=np.int8))
    return labels


def _part(paths: Mapping[str, Path], folder: str) -> dict[str, Path]:
    """System -> path, of the files in one folder."""
    prefix = f"{folder}/"
    return {Path(key).stem: path for key, path in paths.items() if key.startswith(prefix)}


def units_from(paths: Mapping[str, Path]) -> PyramidUnits:
    """The units of a data set, from local paths keyed by their path inside its folder."""
    documents = read_ids(paths["ids.txt"])
    scus = read_units(paths["SCUs.txt"], documents)
    return PyramidUnits(
        scus=scus,
        stus=read_units(paths["STUs.txt"], documents),
        mixed=read_units(paths["STUs_SCUs_percentage50.txt"], documents),
        labels={
            (system, document): labels
            for system, path in _part(paths, "labels").items()
            for document, labels in read_labels(path, scus).items()
        },
    )


def read_release(
    paths: Mapping[str, Path], provenance: Provenance, *, name: str, types: Mapping[str, str]
) -> Benchmark:
    """A release's files as a Benchmark: LitePyramid scores from the presence labels, and the texts."""
    units = units_from(paths)
    documents = sorted(units.scus, key=natural)
    texts = {s: read_texts(path, list(units.scus)) for s, path in _part(paths, "summaries").items()}
    labelled = {system for system, _ in units.labels}
    if labelled != set(texts):
        raise DataError(f"{name}: labels or summaries only, not both, of {listing(labelled ^ set(texts))}")
    humans: Cells = {GOLD: {cell: float(labels.mean()) for cell, labels in units.labels.items()}}
    summaries = {(s, d): text for s, by_document in texts.items() for d, text in by_document.items()}
    references = read_texts(paths["references.txt"], list(units.scus))
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores={},
        humans=humans,
        system_type={system: types.get(system, "unknown") for system in texts},
        documents=documents,
        provenance=replace(
            provenance, notes=("LitePyramid is the share of a document's SCUs labelled as present.",)
        ),
        texts=Texts(
            summaries=summaries_array(summaries, sorted(texts, key=natural), documents, name),
            references={document: (reference,) for document, reference in references.items()},
            sources=read_texts(paths["documents.txt"], list(units.scus)),
        ),
    )


_TYPES = {
    "lite-realsumm": {
        **{f"abs_{system}": "abs" for system in ABSTRACTIVE},
        **{f"ext_{system}": "ext" for system in EXTRACTIVE},
    },
    # "10 abstractive summarization systems" (Zhang and Bansal 2021, on collecting PyrXSum).
    "lite-pyrxsum": dict.fromkeys(
        (
            *("BertSumAbs", "BertSumExtAbs", "TransformerAbs", "convs2s", "topic-convs2s"),
            *("facebook-bart-large", "fast-abs-rl", "google-pegasus", "ptgen", "t5-large"),
        ),
        "abs",
    ),
}
_FOLDERS = {"lite-realsumm": "data/REALSumm", "lite-pyrxsum": "data/PyrXSum"}
_UNIT_FILES = ("ids.txt", "SCUs.txt", "STUs.txt", "STUs_SCUs_percentage50.txt")


def _pins(name: str) -> dict[str, Pin]:
    systems = sorted(_TYPES[name])
    inside = [
        *_UNIT_FILES,
        "references.txt",
        "documents.txt",
        *(f"labels/{system}.label" for system in systems),
        *(f"summaries/{system}.summary" for system in systems),
    ]
    return {path: Pin(REPOSITORY, f"{_FOLDERS[name]}/{path}") for path in inside}


def _dataset(name: str, title: str, *papers: str) -> Dataset:
    return Dataset(
        name=name,
        title=title,
        read=partial(read_release, name=name, types=_TYPES[name]),
        needed=_pins(name),
        citation=(*papers, "zhang2021lite"),
    )


DATASETS = {
    dataset.name: dataset
    for dataset in (
        _dataset(
            "lite-realsumm", "REALSumm's units and labels in Lite2-3Pyramid", "bhandari2020reevaluating"
        ),
        _dataset("lite-pyrxsum", "PyrXSum"),
    )
}


@cache
def load_units(name: str) -> PyramidUnits:
    """Content units and presence labels of ``lite-realsumm`` or ``lite-pyrxsum``, read once per process.

    Raises
    ------
    UnknownNameError
        If the data set has no units.
    SourceUnavailableError, IntegrityError, DataError
        If a file cannot be fetched, is not the pinned one, or does not hold what its format promises.
    """
    pins = choose("dataset with units", name, DATASETS).needed
    paths = [path for path in pins if path in _UNIT_FILES or path.startswith("labels/")]
    return units_from({path: fetch(pins[path].file) for path in paths})


@cache
def load_folds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The paper's five folds of REALSumm: ``"document"`` and ``"system"`` -> ids by fold.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load_units`; also if the folds do not divide the documents or the systems.
    """
    folder = _FOLDERS["lite-realsumm"]
    everything = {
        "document": read_ids(fetch(Pin(REPOSITORY, f"{folder}/ids.txt").file)),
        "system": list(_TYPES["lite-realsumm"]),
    }
    kinds = {"document": ("by_examples", "id"), "system": ("by_systems", "sys")}
    folds = {}
    for dim, (inside, suffix) in kinds.items():
        paths = [fetch(Pin(REPOSITORY, f"{folder}/{inside}/fold{i}.{suffix}").file) for i in range(1, 6)]
        folds[dim] = tuple(tuple(read_ids(path)) for path in paths)
        require_partition(folds[dim], everything[dim], dim)
    return folds


def require_partition(folds: Sequence[Sequence[str]], ids: Sequence[str], dim: str) -> None:
    """Require every id in exactly one fold."""
    held = Counter(label for fold in folds for label in fold)
    wrong = {label for label in {*held, *ids} if held[label] != 1 or label not in ids}
    if wrong:
        raise DataError(f"the folds must hold every {dim} once; they do not: {listing(wrong)}")
