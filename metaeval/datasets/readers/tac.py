"""readers.tac: TAC 2008 and 2009 from a reader's own copy of NIST's evaluation results.

The texts are given out by NIST under an agreement, so nothing of them is pinned. What is read is the folder
as its archive unpacks, ``UpdateSumm08_eval`` or ``UpdateSumm09_eval``; its README says what the columns are:

- ``ROUGE/peers/D0801-A.M.100.A.1`` and ``ROUGE/models/D0801-A.M.100.A.C``: summaries by systems and by
  people, a sentence on a line, named by document set, kind, length, assessor and writer;
- ``manual/manual.peer`` (2009: ``manual.peer.A`` and ``.B``): a line for each summary that people judged;
- ``manual/pyramids/*.pyr``: the content units of each document set;
- ``manual/peers/D0901-A.M.100.A.1`` (2009 alone): units that people found in a summary;
- ``ROUGE/rouge.m.out``: ROUGE-1.5.5 of every summary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from metaeval.core.errors import DataError, SourceUnavailableError, choose, listing
from metaeval.datasets.readers.tables import Cells, Release, assemble, utf8_or_latin1
from metaeval.tables.benchmark import Benchmark, Provenance
from metaeval.tables.wording import natural

TITLES = {"tac2008": "TAC 2008, a copy of NIST's", "tac2009": "TAC 2009, a copy of NIST's"}
# the first is the gold standard; by place from the end of a line, because some years have a column more
JUDGMENTS = {
    "Pyramid (4 models)": 2,
    "Pyramid (3 models)": -3,
    "linguistic quality": -2,
    "responsiveness": -1,
}
_FEWEST_COLUMNS = 9
_SUMMARY = re.compile(r"(?P<document>D[0-9]+[A-Z]?-[A-Z])\.M\.[0-9]+\.[A-Z]\.(?P<writer>[0-9]+|[A-Z])")
_VARIANTS = {"R:": "recall", "P:": "precision", "F:": "F1"}


@dataclass(frozen=True)
class WeightedUnit:
    """A Summary Content Unit of a pyramid: number, label, and number of model summaries that contain it."""

    uid: str
    label: str
    weight: int


def read_tac(name: str, folder: Path) -> Benchmark:
    """TAC 2008 or 2009: the systems that people judged, their texts, ROUGE-1.5.5 and the judgments.

    Parameters
    ----------
    name : {"tac2008", "tac2009"}
    folder : Path
        NIST's ``UpdateSumm08_eval`` or ``UpdateSumm09_eval``.

    Returns
    -------
    Benchmark
        Systems are NIST's numbers, documents its document sets; the judgments are the keys of `JUDGMENTS`.
        Sentences of the texts stand between ``<t>`` and ``</t>``.

    Raises
    ------
    UnknownNameError
        For another year.
    SourceUnavailableError
        If the folder, or one of the files in it that are read, is not there; the message names it.
    DataError
        Naming file and line, if a line is not as NIST's README says, a summary is judged twice, or one that
        was judged has no text.
    """
    title = choose("TAC evaluation that can be read from a folder", name, TITLES)
    folder = Path(folder).expanduser()
    humans = _judgments(folder)
    cells = set(humans[next(iter(JUDGMENTS))])
    documents = sorted({document for _, document in cells}, key=natural)
    peers, models = _texts(folder / "ROUGE" / "peers"), _texts(folder / "ROUGE" / "models")
    references = {
        document: tuple(models[cell] for cell in sorted(models) if cell[1] == document)
        for document in documents
    }
    lacking = [document for document, texts in references.items() if not texts]
    if lacking:
        raise DataError(f"{folder / 'ROUGE' / 'models'}: no model summary of {listing(lacking)}")
    source = Provenance(
        files=(str(folder),),
        licence="given out by NIST under an agreement; not to be passed on",
        citation={"tac2008": ("dang2008overview",), "tac2009": ("dang2009overview",)}[name],
    )
    return assemble(
        Release(name, title, source), scores=_rouge(folder / "ROUGE" / "rouge.m.out", cells), humans=humans,
        system_type=dict.fromkeys((system for system, _ in cells), "unknown"), full=(), summaries=peers,
        references=references,
    )  # fmt: skip


def read_pyramids(folder: Path) -> dict[str, tuple[WeightedUnit, ...]]:
    """The content units of every document set, heaviest first.

    Parameters
    ----------
    folder : Path
        NIST's ``UpdateSumm08_eval`` or ``UpdateSumm09_eval``.

    Returns
    -------
    dict, document set -> its units

    Raises
    ------
    SourceUnavailableError
        If the folder has no ``manual/pyramids`` with ``.pyr`` files.
    DataError
        Naming the file, if it is not XML, holds no unit, or a unit has no label or no contributor.
    """
    paths = sorted((Path(folder).expanduser() / "manual" / "pyramids").glob("*.pyr"))
    if not paths:
        raise SourceUnavailableError(f"{folder}: holds no manual/pyramids/*.pyr")
    return {path.name.partition(".")[0]: _units(path) for path in paths}


def read_presence(
    folder: Path, pyramids: Mapping[str, Sequence[WeightedUnit]]
) -> dict[tuple[str, str], np.ndarray]:
    """Presence of each unit of its pyramid in each system's summary, as judged by people.

    Parameters
    ----------
    folder : Path
        NIST's ``UpdateSumm09_eval``.
    pyramids : mapping of `read_pyramids`

    Returns
    -------
    dict, (system, document set) -> array of 0 and 1 in the order of the document set's units

    Raises
    ------
    SourceUnavailableError
        If the folder has no ``manual/peers`` with summaries.
    DataError
        Naming the file, if it is not XML, or of a unit that the pyramid does not have.
    """
    presence = {}
    for path in sorted((Path(folder).expanduser() / "manual" / "peers").glob("*")):
        match = _SUMMARY.match(path.name)
        if not match:
            continue
        cell = (match["writer"], match["document"])
        # a unit without a contributor is absent; number 0 collects the text in no unit
        units = {u.get("uid") for u in _parsed(path).iter("peerscu") if u.find("contributor") is not None}
        uids = [unit.uid for unit in pyramids.get(cell[1], ())]
        unknown = units - {*uids, "0"}
        if unknown:
            raise DataError(f"{path.name}: the pyramid of {cell[1]} has no units {listing(unknown)}")
        presence[cell] = np.array([uid in units for uid in uids], dtype=np.int8)
    if not presence:
        raise SourceUnavailableError(f"{folder}: holds no manual/peers with judged summaries")
    return presence


def _parsed(path: Path) -> ElementTree.ElementTree:
    try:
        return ElementTree.parse(path)
    except ElementTree.ParseError as error:
        raise DataError(f"{path.name}: is not XML: {error}") from None


def _units(path: Path) -> tuple[WeightedUnit, ...]:
    units = []
    for i, unit in enumerate(_parsed(path).iter("scu"), start=1):
        label, weight = (unit.get("label") or "").strip(), len(unit.findall("contributor"))
        if not label or not weight:
            raise DataError(f"{path.name}: unit {i} must have a label and a contributor")
        units.append(WeightedUnit(unit.get("uid") or "", label, weight))
    if not units:
        raise DataError(f"{path.name}: holds no content unit (<scu>)")
    return tuple(sorted(units, key=lambda unit: -unit.weight))


def _judgments(folder: Path) -> Cells:
    manual = folder / "manual"
    paths = [*manual.glob("manual.peer")] or sorted(manual.glob("manual.peer.[AB]"))
    if not paths:
        raise SourceUnavailableError(
            f"{folder}: holds no manual/manual.peer, nor manual.peer.A and .B; give NIST's folder "
            "UpdateSumm08_eval or UpdateSumm09_eval"
        )
    humans: Cells = {name: {} for name in JUDGMENTS}
    for path in paths:
        for where, fields in _lines(path):
            if len(fields) < _FEWEST_COLUMNS:
                raise DataError(f"{where}: must have at least {_FEWEST_COLUMNS} columns, got {len(fields)}")
            for name, place in JUDGMENTS.items():
                _add(humans, name, (fields[1], fields[0]), fields[place], where)
    return humans


def _texts(folder: Path) -> dict[tuple[str, str], str]:
    """(writer, document) -> text; each sentence between tags."""
    if not folder.is_dir():
        raise SourceUnavailableError(f"{folder} is not a folder")
    texts = {}
    for path in folder.iterdir():
        match = _SUMMARY.fullmatch(path.name)
        if match:
            lines = filter(None, map(str.strip, utf8_or_latin1(path).splitlines()))
            texts[match["writer"], match["document"]] = " ".join(f"<t> {line} </t>" for line in lines)
    return texts


def _rouge(path: Path, cells: set[tuple[str, str]]) -> Cells:
    if not path.is_file():
        raise SourceUnavailableError(f"{path} is not there")
    scores: Cells = {}
    for where, fields in _lines(path):
        if len(fields) != 7 or fields[2] != "Eval":
            continue  # averages and rulers
        match = _SUMMARY.fullmatch(fields[3])
        if not match:
            raise DataError(f"{where}: {fields[3]!r} does not name a document and a system")
        cell = (match["writer"], match["document"])
        if cell in cells:  # of all systems; people judged some
            for field in fields[4:]:
                name = f"{fields[1]} {choose('kind of ROUGE score', field[:2], _VARIANTS)}"
                _add(scores, name, cell, field[2:], where)
    if not scores:
        raise DataError(f"{path.name}: scores none of the summaries that people judged")
    return scores


def _add(cells: Cells, name: str, cell: tuple[str, str], field: str, where: str) -> None:
    """Put one score in its place; no number, or a second score for the same summary, is an error."""
    plane = cells.setdefault(name, {})
    if cell in plane:
        raise DataError(f"{where}: {name} of system {cell[0]}, document {cell[1]} comes twice")
    try:
        plane[cell] = float(field)
    except ValueError:
        raise DataError(f"{where}, {name}: must be a number, got {field!r}") from None
    if math.isinf(plane[cell]):
        raise DataError(f"{where}, {name}: a score must be finite, got {field!r}")


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    for i, line in enumerate(utf8_or_latin1(path).splitlines(), start=1):
        if line.strip():
            yield f"{path.name}, line {i}", line.split()
