"""readers.stat_analysis: the score files of "A Statistical Analysis" (Deutsch, Dror and Roth 2021).

Three sets: ``bhandari2020`` (REALSumm), ``fabbri2020`` (SummEval, here ``summeval``) and
``tac2008``. A set is a folder of ``.jsonl`` files, one per metric family, one row per summary:
``{"instance_id", "summarizer_id", "summarizer_type", "metrics": {family: score or {variant:
score}}}``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import linear_regression

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import realsumm
from metaeval.datasets.readers.tables import (
    Cells,
    Row,
    add_cell,
    assemble,
    json_rows,
    number,
    require,
    require_full,
    set_type,
)
from metaeval.tables.benchmark import Benchmark, Provenance
from metaeval.tables.wording import joined

REPOSITORY = "CogComp/stat-analysis-experiments"
FOLDER = "experiments/statistical-analysis/data"
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
    documents: dict[str, None] = field(default_factory=dict)


def read_scores(
    paths: Iterable[Path],
    *,
    identify: Callable[[str], tuple[str, str]],
    judgments: Callable[[Row], Mapping[str, float]] = lambda row: {},
    partial: Collection[str] = (),
) -> Scores:
    """Read the files of a set.

    Parameters
    ----------
    paths : the ``.jsonl`` files
    identify : callable, upstream system -> (our id, type); rows of type "reference" are typed so
    judgments : callable, row -> {judgment: score}; it takes the judgments out of ``row.metrics``
    partial : names of files that need not have a row for every summary of the set

    Raises
    ------
    DataError
        If a row is malformed, a metric is unknown, a summary is scored twice, or a file has no row
        for a summary that another has.
    """
    release = Scores()
    cells: dict[str, set[tuple[str, str]]] = {}
    for path in paths:
        for row in json_rows(path):
            system, kind = identify(row.system)
            kind = "reference" if row.system_type == "reference" else kind
            set_type(release.system_type, system, kind, row.where)
            release.documents[row.document] = None
            cell = system, row.document
            cells.setdefault(path.name, set()).add(cell)
            for name, score in judgments(row).items():
                add_cell(release.humans, name, cell, score, row.where)
            for name, score in _flat(row):
                add_cell(release.scores, name, cell, score, row.where)
    if not release.documents:
        raise DataError("the files of the set hold no rows")
    everything = set().union(*cells.values())
    for name, listed in cells.items():
        absent = everything - listed
        if absent and name not in partial:
            raise DataError(
                f"{name}: has no row for {len(absent)} of {len(everything)} summaries of the set:"
                f" {listing('/'.join(cell) for cell in absent)}"
            )
    return release


def _flat(row: Row) -> Iterable[tuple[str, float]]:
    for family, value in row.metrics.items():
        suffix = " (jackknife)" if family.endswith(JACKKNIFE) else ""
        names = NAMES.get(family.removesuffix(JACKKNIFE))
        if names is None:
            raise DataError(f"{row.where}: unknown metric {family!r}; known: {', '.join(NAMES)}")
        if isinstance(names, str):
            yield names + suffix, number(value, row.where, family)
            continue
        if not isinstance(value, dict):
            raise DataError(f"{row.where}, {family}: must be a mapping, got {type(value).__name__}")
        unknown = set(value) - set(names)
        if unknown:
            raise DataError(
                f"{row.where}: unknown variants of {family}: {listing(unknown)}; known: {listing(names)}"
            )
        for variant, score in value.items():
            yield names[variant] + suffix, number(score, row.where, family, variant)


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


def read_bhandari2020(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``bhandari2020``: more metrics for REALSumm's summaries."""
    copied = []

    def judgments(row: Row) -> dict[str, float]:
        bertscore = row.metrics.get("bertscore")
        if isinstance(bertscore, dict) and "f1" in bertscore:
            copied.append(bertscore.pop("f1") == bertscore.get("precision"))
        if "litepyramid" not in row.metrics:
            return {}
        recall = require(row.metrics.pop("litepyramid"), "recall", row.where, "litepyramid")
        return {realsumm.GOLD: number(recall, row.where, "litepyramid", "recall")}

    release = read_scores(paths.values(), identify=realsumm.merged_id, judgments=judgments)
    require_full({**release.scores, **release.humans}, release.system_type, release.documents, "bhandari2020")
    notes = (
        (f"bertscore.f1 is left out: it repeats the precision in {sum(copied):,} of {len(copied):,} rows."),
        realsumm.MERGED_NOTE,
    )
    return _benchmark("bhandari2020", release, provenance, notes, rouge=1.0)


# SummEval's systems and judgments, whichever release has them (Fabbri et al. 2021)
SUMMEVAL_GOLD = "relevance"
DIMENSIONS = ("relevance", "coherence", "consistency", "fluency")  # the papers' gold standard first

CROWD = " (turkers)"  # after a dimension: the crowd's mean in place of the experts'

# Fabbri et al. 2021 list them as extractive models, in the section on model outputs:
# M0 LEAD-3, M1 NEUSUM, M2 BanditSum, M5 RNES (M3, M4, M6 and M7 have no judgments).
_EXTRACTIVE = frozenset({"M0", "M1", "M2", "M5"})
# And as abstractive models: pointer-generator, Fast-abs-rl, Bottom-Up, Improve-abs, Unified-
# ext-abs, ROUGESal, Multi-task, Closed book decoder, T5, GPT-2, BART, Pegasus.
_ABSTRACTIVE = frozenset({"M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"})


def summeval_system(upstream: str) -> tuple[str, str]:
    """A system's id, which all releases share, and its type."""
    if upstream in _EXTRACTIVE:
        return upstream, "ext"
    return upstream, "abs" if upstream in _ABSTRACTIVE else "unknown"


# The raters of a summary by their place in the release's lists. The three experts are the same persons
# throughout; crowd workers differ from summary to summary.
GROUPS = {"expert": ("", "expert {}"), "turker": (CROWD, "crowd {}")}


def read_ratings(paths: Iterable[Path], *, partial: Collection[str] = ()) -> tuple[Scores, dict[str, Cells]]:
    """SummEval's files: scores and means of judgments, and for each judgment its raters' scores.

    Parameters
    ----------
    paths, partial : see `read_scores`

    Raises
    ------
    DataError
        As `read_scores`; also if a rating is missing or no number.
    """
    ratings: dict[str, Cells] = {}

    def judgments(row: Row) -> dict[str, float]:
        means = {}
        cell = summeval_system(row.system)[0], row.document
        for group, (suffix, rater) in GROUPS.items():
            if group not in row.metrics:
                continue
            by_dimension = row.metrics.pop(group)
            for dimension in DIMENSIONS:
                listed = require(by_dimension, dimension, row.where, group)
                if not isinstance(listed, list) or not listed:
                    where = f"{row.where}, {group}, {dimension}"
                    raise DataError(f"{where}: must be a list of ratings, got {listed!r}")
                values = [number(rating, row.where, group, dimension) for rating in listed]
                means[dimension + suffix] = math.fsum(values) / len(values)
                by_rater = ratings.setdefault(dimension + suffix, {})
                for place, value in enumerate(values, 1):
                    add_cell(by_rater, rater.format(place), cell, value, row.where)
        return means

    release = read_scores(paths, identify=summeval_system, judgments=judgments, partial=partial)
    require_full({**release.scores, **release.humans}, release.system_type, release.documents, "summeval")
    return release, ratings


def read_summeval(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``summeval``: metrics and the judgments of three experts and five crowd workers a summary."""
    release, ratings = read_ratings(paths.values())
    return _benchmark("summeval", release, provenance, (), rouge=100.0, ratings=ratings)


# Judgments of TAC 2008's assessors by their names in SacreROUGE's release, the gold standard first.
TAC_JUDGMENTS = {
    "overall_responsiveness": "responsiveness",
    "modified_pyramid_score": "modified Pyramid",
    "modified_pyramid_score_jk": "modified Pyramid (jackknife)",
    "linguistic_quality": "linguistic quality",
}


def read_tac2008(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``tac2008``: system runs and human summarizers, scored with and without jackknifing.

    Without ``responsiveness.jsonl`` there are no judgments. Fields of that file which this reader does not
    know are left out and named in the notes.
    """
    left_out: set[str] = set()

    def judgments(row: Row) -> dict[str, float]:
        if not row.where.startswith("responsiveness"):
            return {}
        for name in [n for n in row.metrics if n not in TAC_JUDGMENTS]:
            if name.removesuffix(JACKKNIFE) not in NAMES:
                left_out.add(name)
                del row.metrics[name]
        return {
            ours: number(row.metrics.pop(upstream), row.where, upstream)
            for upstream, ours in TAC_JUDGMENTS.items()
            if upstream in row.metrics
        }

    release = read_scores(
        paths.values(),
        identify=lambda upstream: (upstream, "unknown"),
        judgments=judgments,
        partial=("responsiveness.jsonl",),
    )
    release.humans = {name: release.humans[name] for name in TAC_JUDGMENTS.values() if name in release.humans}
    if "responsiveness" in paths and TAC_JUDGMENTS["overall_responsiveness"] not in release.humans:
        raise DataError(f"{paths['responsiveness'].name}: no row has 'overall_responsiveness'")
    return _benchmark("tac2008", release, provenance, _tac_notes(release, left_out), rouge=100.0)


def _tac_notes(release: Scores, left_out: set[str]) -> tuple[str, ...]:
    types = release.system_type
    peers = [system for system in types if types[system] != "reference"]
    notes = [
        f"{len(peers)} systems and {len(types) - len(peers)} human summarizers; each of these wrote"
        f" some of the {len(release.documents)} summaries, and its metrics are jackknifed only."
    ]
    for name, plane in release.scores.items():
        holes = [
            f"{s}/{d}" for s in peers for d in release.documents if math.isnan(plane.get((s, d), math.nan))
        ]
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
    name: str,
    release: Scores,
    provenance: Provenance,
    notes: tuple[str, ...],
    *,
    rouge: float,
    ratings: Mapping[str, Cells] | None = None,
) -> Benchmark:
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores=_order(release.scores),
        humans=release.humans,
        system_type=release.system_type,
        documents=release.documents,
        provenance=replace(provenance, notes=(*notes, *identical_metrics_note(release.scores))),
        scale=scale(release.scores, rouge=rouge),
        ratings=ratings,
    )


def _pins(folder: str, *stems: str) -> dict[str, Pin]:
    return {stem: Pin(REPOSITORY, f"{FOLDER}/{folder}/{stem}.jsonl") for stem in stems}


_COMMON = ("autosummeng", "bewte", "meteor", "qaeval", "s3")
DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="bhandari2020",
            title="REALSumm in A Statistical Analysis",
            read=read_bhandari2020,
            needed=_pins("bhandari2020", "pyramid", *_COMMON),
            citation=("bhandari2020reevaluating", "deutsch2021statistical"),
        ),
        Dataset(
            name="summeval",
            title="SummEval in A Statistical Analysis",
            read=read_summeval,
            needed=_pins("fabbri2020", "relevance", "rouge", "bertscore", "moverscore", *_COMMON),
            citation=("fabbri2021summeval", "deutsch2021statistical"),
        ),
        Dataset(
            name="tac2008",
            title="TAC 2008 in A Statistical Analysis",
            read=read_tac2008,
            needed=_pins("tac2008", "bertscore", "moverscore", *_COMMON),
            optional=_pins("tac2008", "responsiveness"),
            citation=("dang2008overview", "deutsch2021statistical"),
        ),
    )
}
