"""metrics.rouge_155: ROUGE by the Perl script ROUGE-1.5.5 itself, from a local copy.

The script (Lin 2004) may be used but not redistributed, so it is not part of this project: the environment
variable ``ROUGE_155`` names the folder that holds ``ROUGE-1.5.5.pl`` and ``data``. The printed values of
Zhang and Bansal (2021) come from it (page `leaderboard`); the book runs on rouge-score, which cuts words
elsewhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, choose
from metaeval.metrics.text import sentences, strip_tags
from metaeval.tables.benchmark import Texts, with_ids

VARIABLE = "ROUGE_155"  # of the environment
_SCRIPT = "ROUGE-1.5.5.pl"
_EXCEPTIONS = "data/WordNet-2.0.exc.db"
VARIANTS = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
_FIELDS = {"recall": "R", "precision": "P", "F1": "F"}
# the script loads this module even for a list of files, which needs no XML
_NO_XML = "package XML::DOM; 1;\n"
_LINE = re.compile(r"^\S+ (ROUGE-\S+) Eval (\d+)\.\S+ R:(?P<R>\S+) P:(?P<P>\S+) F:(?P<F>\S+)$", re.MULTILINE)


def rouge_155_folder() -> Path | None:
    """The folder that ``ROUGE_155`` names, or None where the variable is not set."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser().resolve() if named else None


def rouge_155_scores(
    texts: Texts, *, folder: Path, part: str = "recall", by_sentence: bool = False
) -> xr.DataArray:
    """ROUGE-1, ROUGE-2 and ROUGE-L of every summary by the script, with stemming, against the references.

    Parameters
    ----------
    texts : Texts
    folder : Path
        With ``ROUGE-1.5.5.pl`` and its ``data``; Perl runs it.
    part : {"recall", "precision", "F1"}
    by_sentence : bool
        Give ROUGE-L the sentences of a text; by default all of it as one, as in Zhang and Bansal (2021).

    Returns
    -------
    DataArray in [0, 1] with the five decimals that the script prints, dims (metric, system, document)

    Raises
    ------
    DataError
        If the folder is not that of the script, the script fails, or it leaves a summary out.
    """
    field = choose("part of ROUGE", part, _FIELDS)
    for needed in (_SCRIPT, _EXCEPTIONS):
        if not (folder / needed).is_file():
            raise DataError(
                f"{folder} holds no {needed}; {VARIABLE} must name the folder of the script, and "
                "`perl buildExeptionDB.pl . exc ../WordNet-2.0.exc.db` in data/WordNet-2.0-Exceptions makes "
                "its list of exceptions"
            )
    summaries = texts.summaries.transpose("document", "system")
    documents, systems = (summaries.indexes[dim].tolist() for dim in ("document", "system"))
    cut = sentences if by_sentence else lambda text: (strip_tags(text),)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "XML").mkdir()
        (work / "XML" / "DOM.pm").write_text(_NO_XML, encoding="ascii")
        lines = []
        for j, (document, row) in enumerate(zip(documents, summaries.to_numpy().tolist(), strict=True)):
            references = enumerate(texts.references[document])
            models = [_write(work / f"{j}.{r}.reference", cut(text)) for r, text in references]
            for i, summary in enumerate(row):
                lines.append(" ".join([_write(work / f"{j}.{i}.summary", cut(summary)), *models]))
        (work / "list").write_text("\n".join(lines) + "\n", encoding="utf8")
        command = ["perl", "-I", str(work), str(folder / _SCRIPT), "-e", str(folder / "data")]
        options = ["-n", "2", "-m", "-a", "-d", "-c", "95", "-r", "1", "-z", "SPL", "list"]
        process = subprocess.run([*command, *options], cwd=work, capture_output=True, text=True, check=False)
    if process.returncode:
        raise DataError(f"{folder / _SCRIPT} failed: {process.stderr.strip()[-300:]}")
    scores = {variant: np.full(len(lines), np.nan) for variant in VARIANTS}
    for line in _LINE.finditer(process.stdout):
        scores[line[1]][int(line[2]) - 1] = float(line[field])
    values = np.stack([scores[variant].reshape(summaries.shape).T for variant in VARIANTS])
    if np.isnan(values).any():
        n = int((~np.isnan(values).any(axis=0)).sum())
        raise DataError(f"{folder / _SCRIPT} scored {n} of {len(lines)} summaries")
    names = [f"{variant} {part}" for variant in VARIANTS]
    return with_ids(values, metric=names, system=systems, document=documents)


def _write(path: Path, lines: Sequence[str]) -> str:
    """Write a text, a sentence a line, as the script reads it; returns the name inside its folder."""
    path.write_text("".join(" ".join(line.split()) + "\n" for line in lines), encoding="utf8")
    return path.name
