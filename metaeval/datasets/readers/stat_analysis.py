"""readers.stat_analysis: the score files of "A Statistical Analysis" (Deutsch, Dror and Roth 2021).

Three sets: ``bhandari2020`` (REALSumm), ``fabbri2020`` (SummEval, here ``summeval``) and
``tac2008``. A set is a folder of ``.jsonl`` files, one per metric family, one row per summary:
``{"instance_id", "summarizer_id", "summarizer_type", "metrics": {family: score or {variant:
score}}}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

from metaeval.core.errors import DataError
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
    """Contents of a set's files, by our names."""

    scores: Cells = field(default_factory=dict)
    humans: Cells = field(default_factory=dict)
    system_type: dict[str, str] = field(default_factory=dict)


def read_scores(
    paths: Iterable[Path], judgments: Callable[[dict, tuple[str, str]], Mapping[str, float]] = lambda *_: {}
) -> Scores:
    """Read the files of a set.

    Parameters
    ----------
    paths : the ``.jsonl`` files
    judgments : callable, (metrics of a row, cell) -> {judgment: score}
        It takes the judgments out of the metrics.
    """
    release = Scores()
    for path in paths:
        for row in read_json_lines(path):
            metrics, (cell, kind) = row["metrics"], cell_of(row)
            release.system_type[cell[0]] = kind
            for name, score in judgments(metrics, cell).items():
                release.humans.setdefault(name, {})[cell] = score
            for name, score in _flat(metrics):
                release.scores.setdefault(name, {})[cell] = math.nan if score is None else score
    return release


def cell_of(row: Mapping) -> tuple[tuple[str, str], str]:
    """System and document of a row in SacreROUGE's format, and the system's type."""
    system, kind = realsumm.identify_system(row["summarizer_id"])
    is_reference = row["summarizer_type"] == "reference"
    return (system, str(row["instance_id"])), "reference" if is_reference else kind


def _flat(metrics: Mapping) -> Iterable[tuple[str, float]]:
    for family, value in metrics.items():
        suffix = " (jackknife)" if family.endswith(JACKKNIFE) else ""
        names = NAMES[family.removesuffix(JACKKNIFE)]
        if isinstance(names, str):
            yield names + suffix, value
        else:
            for variant, score in value.items():
                yield names[variant] + suffix, score


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
    copied = []

    def judgments(metrics: dict, _) -> dict[str, float]:
        if "bertscore" in metrics:
            copied.append(metrics["bertscore"].pop("f1") == metrics["bertscore"]["precision"])
        return {realsumm.GOLD: metrics.pop("litepyramid")["recall"]} if "litepyramid" in metrics else {}

    release = read_scores(paths.values(), judgments)
    left_out = (
        f"bertscore.f1 is left out: it repeats the precision in {sum(copied):,} of {len(copied):,} rows."
    )
    return _benchmark(about, release, (left_out, *notes), rouge=1.0)


DIMENSIONS = (
    "relevance",
    "coherence",
    "consistency",
    "fluency",
)  # SummEval's, the papers' gold standard first
CROWD = " (turkers)"  # after a dimension: the crowd's mean in place of the experts'
# The raters of a summary by their place in the release's lists. The three experts are the same persons
# throughout; crowd workers differ from summary to summary.
GROUPS = {"expert": ("", "expert {}"), "turker": (CROWD, "crowd {}")}


def read_ratings(paths: Iterable[Path]) -> tuple[Scores, dict[str, Cells]]:
    """SummEval's files: scores and means of judgments, and for each judgment its raters' scores."""
    ratings: dict[str, Cells] = {}

    def judgments(metrics: dict, cell: tuple[str, str]) -> dict[str, float]:
        means = {}
        for group, (suffix, rater) in GROUPS.items():
            by_dimension = metrics.pop(group, {})
            for dimension in DIMENSIONS if by_dimension else ():
                values = by_dimension[dimension]
                means[dimension + suffix] = math.fsum(values) / len(values)
                for place, value in enumerate(values, 1):
                    by_rater = ratings.setdefault(dimension + suffix, {})
                    by_rater.setdefault(rater.format(place), {})[cell] = value
        return means

    return read_scores(paths, judgments), ratings


def read_summeval(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``summeval``: metrics and the judgments of three experts and five crowd workers a summary."""
    release, ratings = read_ratings(paths.values())
    return _benchmark(about, release, (), rouge=100.0, ratings=ratings)


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
    left_out: set[str] = set()

    def judgments(metrics: dict, _) -> dict[str, float]:
        means = {
            ours: metrics.pop(upstream) for upstream, ours in TAC_JUDGMENTS.items() if upstream in metrics
        }
        for name in [name for name in metrics if name.removesuffix(JACKKNIFE) not in NAMES]:
            left_out.add(name)
            del metrics[name]
        return means

    release = read_scores(paths.values(), judgments)
    release.humans = {name: release.humans[name] for name in TAC_JUDGMENTS.values() if name in release.humans}
    if "responsiveness" in paths and TAC_JUDGMENTS["overall_responsiveness"] not in release.humans:
        raise DataError(f"{paths['responsiveness'].name}: no row has 'overall_responsiveness'")
    return _benchmark(about, release, _tac_notes(release, left_out), rouge=100.0, full=())


def _tac_notes(release: Scores, left_out: set[str]) -> tuple[str, ...]:
    types = release.system_type
    documents = dict.fromkeys(d for plane in release.scores.values() for _, d in plane)
    peers = [system for system in types if types[system] != "reference"]
    notes = [
        f"{len(peers)} systems and {len(types) - len(peers)} human summarizers; each of these wrote"
        f" some of the {len(documents)} summaries, and its metrics are jackknifed only."
    ]
    for name, plane in release.scores.items():
        holes = [f"{s}/{d}" for s in peers for d in documents if math.isnan(plane.get((s, d), math.nan))]
        if holes:
            notes.append(
                f"{name} is missing for {len(holes)} of the systems' summaries: {_join_names(holes)}."
            )
    for name, plane in release.humans.items():
        judged = {system for system, _ in plane}
        notes.append(f"{name} is given to {len(judged & set(peers))} of the {len(peers)} systems.")
    if left_out:
        notes.append(f"Left out of responsiveness.jsonl: {_join_names(left_out)}.")
    return tuple(notes)


def _join_names(names: Collection[str], *, maximum: int = 5) -> str:
    """Join names for a sentence, the first `maximum` of them."""
    more = len(names) - maximum
    return joined([*sorted(names)[:maximum], *([f"{more} more"] if more > 0 else [])])


def _benchmark(
    about: Release, release: Scores, notes: Iterable[str], *, rouge: float, **contents
) -> Benchmark:
    return assemble(
        about, scores=_order(release.scores), humans=release.humans, system_type=release.system_type,
        notes=(*notes, *identical_metrics_note(release.scores)), scale=scale(release.scores, rouge=rouge),
        **contents,
    )  # fmt: skip
