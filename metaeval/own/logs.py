"""own.logs: files that other tools write: scores of the WMT metrics tasks, and logs of Inspect.

WMT keeps one file per metric or kind of human score, ``METRIC-REFERENCE.seg.score`` or
``en-de.mqm.seg.score``, with a line ``SYSTEM SCORE`` for each segment, system by system; a segment is known
by its place. Inspect (https://inspect.aisi.org.uk/eval-logs.html) logs one model on one task: samples, each
scored by scorers, perhaps in several epochs, of which the mean is taken.
"""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from metaeval.core.errors import DataError, listing
from metaeval.datasets.readers.tables import parsed_json

# scores of people begin with the pair of languages
WMT_NAME = re.compile(
    r"(?P<people>[a-z]{2,3}-[a-z]{2,3}(?:_[A-Za-z]+)?\.)?(?P<name>.+)\.(?P<level>sys|doc|seg|domain)\.score(?:\.gz)?"
)
INSPECT_START = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)
_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # correct, incorrect, partly, no answer


def wmt_scores(name: str, text: str) -> pl.DataFrame:
    """The scores of a file of the WMT metrics tasks, a row for each line.

    Parameters
    ----------
    name : str
        The file's, which says whose scores they are and of what.
    text : str

    Raises
    ------
    DataError
        If a line is no system and score, or systems have different numbers of segments.
    """
    said = WMT_NAME.fullmatch(name)
    if said["level"] == "domain":
        raise DataError(f"{name}: scores by domain are not read; take the file of segments (seg.score)")
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if cells and len(cells) != 2:
            raise DataError(f"{name}, line {number}: must be a system and a score, got {len(cells)} words")
        if cells:
            rows.append(cells)
    systems = [system for system, _ in rows]
    frame = pl.DataFrame(
        {
            "system": pl.Series(systems, dtype=pl.String),
            "judge": pl.Series(["human_" * bool(said["people"]) + said["name"]] * len(rows), dtype=pl.String),
            "score": pl.Series(["" if score == "None" else score for _, score in rows], dtype=pl.String),
        }
    )
    if said["level"] == "sys":
        return frame
    counts = Counter(systems)
    odd = [system for system, n in counts.items() if n != max(counts.values())]
    if odd:
        raise DataError(
            f"{name}: fewer scores than of the other systems: {listing(odd)}; and a score is known by its "
            "place; write None where there is none"
        )
    return frame.with_columns(document=pl.int_range(1, pl.len() + 1).over("system").cast(pl.String))


def inspect_scores(name: str, text: str) -> pl.DataFrame:
    """The scores of a log of Inspect, one row for each sample and scorer; the model is the system.

    Raises
    ------
    DataError
        If the log holds no samples, or a score is no number and none of Inspect's words.
    """
    log = parsed_json(text, name)
    about, samples = log.get("eval"), log.get("samples", "")
    model = about.get("model") if isinstance(about, dict) else None
    if not isinstance(model, str) or not isinstance(samples, list | None):
        raise DataError(f"{name}: is a log of Inspect without a model or samples; write it with samples")
    found: dict[tuple[str, str], list[float]] = {}
    for number, sample in enumerate(samples or [], 1):
        if not isinstance(sample, dict) or sample.get("id") is None:
            raise DataError(
                f"{name}: sample {number} of this log of Inspect has no id, by which the scores of several "
                "logs and people's are joined; give it the one that it has in the data set"
            )
        scores = sample.get("scores") or {}
        if not isinstance(scores, dict) or not all(isinstance(one, dict) for one in scores.values()):
            raise DataError(
                f"{name}, sample {sample['id']!r}: scores must be a mapping of scorers to mappings with a "
                "value"
            )
        for scorer, score in scores.items():
            values = score.get("value")
            for part, value in (values if isinstance(values, dict) else {"": values}).items():
                judge = f"{scorer}/{part}" if part else scorer
                where = f"{name}, sample {sample['id']!r}, scorer {judge!r}"
                found.setdefault((str(sample["id"]), judge), []).extend(_number(value, where))
    rows = [(model, sample, judge, sum(v) / len(v)) for (sample, judge), v in found.items() if v]
    if not rows:
        raise DataError(f"{name}: no sample of this log of Inspect has a score; run `inspect score` first")
    return pl.DataFrame(rows, schema=["system", "document", "judge", "score"], orient="row")


def _number(value: object, where: str) -> list[float]:
    """A score as a number; empty where there is none."""
    if value is None or value != value:  # Inspect writes NaN where a sample was not scored
        return []
    if isinstance(value, str) and value in _WORDS:
        return [_WORDS[value]]
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        try:
            return [float(value)]
        except OverflowError:
            pass
    raise DataError(f"{where}: a score must be a number, C, I, P or N, got {value!r}")
