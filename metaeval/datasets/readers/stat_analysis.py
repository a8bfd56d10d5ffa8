"""readers.stat_analysis: the score files of "A Statistical Analysis" (Deutsch, Dror and Roth 2021).

Three sets: ``bhandari2020`` (REALSumm), ``fabbri2020`` (SummEval, here ``summeval``) and
``tac2008``. A set is a folder of ``.jsonl`` files, one per metric family, one row per summary:
``{"instance_id", "summarizer_id", "summarizer_type", "metrics": {family: score or {variant:
score}}}``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression
from typing import Any

from metaeval.core.errors import DataError, listing
from metaeval.datasets.readers import realsumm
from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json_lines
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.wording import joined

JACKKNIFE = "_jk"  # the suffix of scores against all references but one in turn, then averaged

_VARIANTS = {"recall": "recall", "precision": "precision", "f1": "F1"}
NAMES: dict[str, str | dict[str, str]] = {
    **{
        f"rouge-{n}": {upstream: f"ROUGE-{n.upper()} {ours}" for upstream, ours in _VARIANTS.items()}
        for n in ("1", "2", "3", "4", "l", "su4")
    },
    "bertscore": {upstream: f"BERTScore {ours}" for upstream, ours in _VARIANTS.items()},
    "BEwTE": {upstream: f"BEwT-E {ours}" for upstream, ours in _VARIANTS.items()},
    "MoverScore": "MoverScore",
    "js-2": "JS-2",
    "AutoSummENG": "AutoSummENG",
    "MeMoG": "MeMoG",
    "NPowER": "NPowER",
    "METEOR": "METEOR",
    "qa-eval": {"em": "QAEval EM", "f1": "QAEval F1", "lerc": "QAEval LERC"},
    "s3": {"pyr": "S3 pyr", "resp": "S3 resp"},
}
# The largest value of metrics whose names begin so, where there is one: S3 and NPowER are regressions
# without. LERC rates answers from 1 to 5.
_LARGEST = {
    **dict.fromkeys(("BERTScore", "MoverScore", "AutoSummENG", "MeMoG", "METEOR", "QAEval EM"), 1.0),
    **{"QAEval F1": 1.0, "QAEval LERC": 5.0, "BEwT-E": 100.0, "JS-2": 0.0},
}


@dataclass
class Scores:
    """Contents of a set's files: scores by our names, judgments among them; what no name is known of."""

    cells: dict[str, dict[tuple[str, str], Any]] = field(default_factory=dict)
    system_type: dict[str, str] = field(default_factory=dict)
    unnamed: set[str] = field(default_factory=set)

    def taken(self, names: Iterable[str]) -> Cells:
        """Take cells out, such as the judgments."""
        return {name: self.cells.pop(name) for name in names if name in self.cells}


def read_scores(paths: Iterable[Path], judgments: Mapping[str, str | Mapping[str, str]]) -> Scores:
    """Read the files of a set; `judgments` are names beside `NAMES`."""
    release, names = Scores(), NAMES | judgments
    for path in paths:
        for row in read_json_lines(path):
            cell, kind = cell_of(row)
            release.system_type[cell[0]] = kind
            for family, value in row["metrics"].items():
                is_whole = family in names or not family.endswith(JACKKNIFE)
                suffix = "" if is_whole else " (jackknife)"
                ours = names.get(family if is_whole else family.removesuffix(JACKKNIFE))
                if ours is None:
                    release.unnamed.add(family)
                    continue
                variants = {ours: value} if isinstance(ours, str) else {ours[v]: value[v] for v in value}
                for name, score in variants.items():
                    plane = release.cells.setdefault(name + suffix, {})
                    plane[cell] = math.nan if score is None else score
    return release


def cell_of(row: Mapping) -> tuple[tuple[str, str], str]:
    """System and document of a row in SacreROUGE's format, and the system's type."""
    system, kind = realsumm.identify_system(row["summarizer_id"])
    is_reference = row["summarizer_type"] == "reference"
    return (system, str(row["instance_id"])), "reference" if is_reference else kind


def scale(metrics: Iterable[str], *, rouge: float) -> dict[str, float]:
    """The largest value of each metric that has one; `rouge` is 1 (shares) or 100 (points)."""
    maxima = {"ROUGE": rouge, **_LARGEST}
    return {name: maxima[start] for name in metrics for start in maxima if name.startswith(start)}


def _order(cells: Cells) -> Cells:
    """Metrics in the order of NAMES, jackknifed ones last, whatever the order of files and rows."""
    order = []
    for names in NAMES.values():
        order += [names] if isinstance(names, str) else names.values()
    order += [f"{name} (jackknife)" for name in order]
    return {name: cells[name] for name in order if name in cells}


def identical_metrics_note(scores: Cells) -> tuple[str, ...]:
    """Notes on AutoSummENG, MeMoG and NPowER being one metric, as they are with a single reference."""
    if not {"AutoSummENG", "MeMoG", "NPowER"} <= set(scores):
        return ()
    first, second, third = (scores[name] for name in ("AutoSummENG", "MeMoG", "NPowER"))
    shared = [cell for cell in first if cell in second and cell in third]
    n_same = sum(first[cell] == second[cell] for cell in shared)
    notes = [f"AutoSummENG and MeMoG are equal in {n_same:,} of {len(shared):,} summaries."]
    pairs = [(first[cell], third[cell]) for cell in shared]
    if len({x for x, _ in pairs}) < 2:
        return tuple(notes)
    slope, intercept = linear_regression(*zip(*pairs, strict=True))
    residual = max(abs(y - slope * x - intercept) for x, y in pairs)
    if residual <= 1e-5:
        notes.append(
            f"NPowER is AutoSummENG on another scale: {slope:.4f} times it plus {intercept:.4f}, to"
            f" within {residual:.0e}."
        )
    return tuple(notes)


def read_bhandari2020(paths: Mapping[str, Path], about: Release, *, notes: Iterable[str]) -> Benchmark:
    """``bhandari2020``: more metrics for REALSumm's summaries."""
    release = read_scores(paths.values(), {"litepyramid": {"recall": realsumm.GOLD}})
    precision, f1 = release.cells.get("BERTScore precision", {}), release.cells.pop("BERTScore F1", {})
    n_same = sum(f1[cell] == precision[cell] for cell in f1)
    left_out = f"bertscore.f1 is left out: it repeats the precision in {n_same:,} of {len(f1):,} rows."
    humans = release.taken([realsumm.GOLD])
    return _benchmark(about, release, humans, (left_out, *notes), rouge=1.0)


# SummEval's, the papers' gold standard first
DIMENSIONS = ("relevance", "coherence", "consistency", "fluency")
CROWD = " (turkers)"  # after a dimension: the crowd's mean in place of the experts'
# The raters of a summary by their place in the release's lists. The three experts are the same persons
# throughout; crowd workers differ from summary to summary.
GROUPS = {"expert": ("", "expert {}"), "turker": (CROWD, "crowd {}")}


def read_ratings(paths: Iterable[Path]) -> tuple[Scores, Cells, dict[str, Cells]]:
    """SummEval's files: scores, means of judgments, and for each judgment its raters' scores."""
    names = {group: {d: d + suffix for d in DIMENSIONS} for group, (suffix, _) in GROUPS.items()}
    release = read_scores(paths, names)
    means: Cells = {}
    ratings: dict[str, Cells] = {}
    for suffix, rater in GROUPS.values():
        for name, lists in release.taken(d + suffix for d in DIMENSIONS).items():
            means[name] = {cell: math.fsum(values) / len(values) for cell, values in lists.items()}
            ratings[name] = {}
            for cell, values in lists.items():
                for place, value in enumerate(values, 1):
                    ratings[name].setdefault(rater.format(place), {})[cell] = value
    return release, means, ratings


def read_summeval(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``summeval``: metrics and the judgments of three experts and five crowd workers a summary."""
    release, humans, ratings = read_ratings(paths.values())
    return _benchmark(about, release, humans, (), rouge=100.0, ratings=ratings)


# Judgments of TAC 2008's assessors by their names in SacreROUGE's release, the gold standard first.
TAC_JUDGMENTS = {
    "overall_responsiveness": "responsiveness",
    "modified_pyramid_score": "modified Pyramid",
    "modified_pyramid_score_jk": "modified Pyramid (jackknife)",
    "linguistic_quality": "linguistic quality",
}


def read_tac2008(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``tac2008``: system runs and human summarizers, scored with and without jackknifing.

    Without ``responsiveness.jsonl`` there are no judgments. Fields of that file which this reader does not
    know are left out and named in the notes: this project had no such file when it wrote the reader.
    """
    release = read_scores(paths.values(), TAC_JUDGMENTS)
    humans = release.taken(TAC_JUDGMENTS.values())
    if "responsiveness" in paths and TAC_JUDGMENTS["overall_responsiveness"] not in humans:
        raise DataError(f"{paths['responsiveness'].name}: no row has 'overall_responsiveness'")
    return _benchmark(about, release, humans, _tac_notes(release, humans), rouge=100.0, full=())


def _tac_notes(release: Scores, humans: Cells) -> tuple[str, ...]:
    types = release.system_type
    documents = dict.fromkeys(d for plane in release.cells.values() for _, d in plane)
    peers = [system for system in types if types[system] != "reference"]
    notes = [
        f"{len(peers)} systems and {len(types) - len(peers)} human summarizers; each of these wrote"
        f" some of the {len(documents)} summaries, and its metrics are jackknifed only."
    ]
    for name, plane in release.cells.items():
        holes = [f"{s}/{d}" for s in peers for d in documents if math.isnan(plane.get((s, d), math.nan))]
        if holes:
            notes.append(
                f"{name} is missing for {len(holes)} of the systems' summaries: {_join_names(holes)}."
            )
    for name, plane in humans.items():
        judged = {system for system, _ in plane}
        notes.append(f"{name} is given to {len(judged & set(peers))} of the {len(peers)} systems.")
    if release.unnamed:
        notes.append(f"Left out of responsiveness.jsonl: {_join_names(release.unnamed)}.")
    return tuple(notes)


def _join_names(names: Collection[str], *, maximum: int = 5) -> str:
    """Join names for a sentence, the first `maximum` of them."""
    more = len(names) - maximum
    return joined([*sorted(names)[:maximum], *([f"{more} more"] if more > 0 else [])])


def _benchmark(
    about: Release, release: Scores, humans: Cells, notes: Iterable[str], *, rouge: float, **contents
) -> Benchmark:
    cells = release.cells
    return assemble(
        about, scores=_order(cells), humans=humans, system_type=release.system_type,
        notes=(*notes, *identical_metrics_note(cells)), scale=scale(cells, rouge=rouge), **contents,
    )  # fmt: skip


IN_RE_EXAMINING = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "QAEval")
GROUND_TRUTH = "ground-truth"


def read_re_examining(
    paths: Mapping[str, Path], about: Release, *, judgment: str, notes: Iterable[str], full: bool = False
) -> Benchmark:
    """One ``metrics.jsonl.gz`` of Re-Examining (Deutsch et al. 2022), a row per summary, in the same format.

    The ground truth is a LitePyramid recall (REALSumm) or a list of three expert relevance ratings
    (SummEval); rows of the whole test set have none where nobody judged.

    Parameters
    ----------
    paths : ``"metrics"`` -> the file
    about : Release
    judgment : str
        What the ground truth is called.
    notes : the benchmark's notes
    full : bool
        Whether this is the whole test set, in which a summary may be without a ground truth.
    """
    names = {name: name for name in IN_RE_EXAMINING}
    release = read_scores(paths.values(), {**names, GROUND_TRUTH: judgment})
    system_type, scores = release.system_type, release.taken(names)
    truth = {
        cell: math.fsum(rating) / len(rating) if isinstance(rating, list) else rating
        for cell, rating in release.cells[judgment].items()
    }
    untyped = sorted(s for s, kind in system_type.items() if kind == "unknown")
    if untyped:
        notes = (*notes, f"Systems whose type is not known: {listing(untyped)}.")
    if full:
        judged, documents = ({d for _, d in plane} for plane in (truth, scores["ROUGE-1"]))
        notes = (
            *notes,
            "This project had no such file when it wrote the reader: its format and columns are"
            " taken to be the judged file's.",
            f"{len(judged)} of {len(documents)} documents are judged.",
        )
    return assemble(
        about, scores=scores, humans={judgment: truth}, system_type=system_type, notes=notes,
        full=() if full else None, scale=dict.fromkeys(names, 100.0),
    )  # fmt: skip
