"""readers.realsumm: REALSumm's 25 systems, 100 documents, LitePyramid recalls (Bhandari et al. 2020).

The release is two pickles, ``abs.pkl`` and ``ext.pkl``. The current ``abs.pkl`` carries, under the
abstractive BART's name, the *extractive* BART: its text and all its scores. An earlier commit has
the true one, and Lite2-3Pyramid's labels agree with that. So ``realsumm`` is the release with the
abstractive BART put back, and ``realsumm-released`` is the release as it is, in which two of the 25
systems are one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
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

REPOSITORY = "neulab/REALSumm"
CURRENT = "a5900e3e36c66ab064823831f7496c2d449a5545"
EARLIER = "2b56592dba7b0ecd825f240d8bbda8a147df7b44"

ABSTRACTIVE = frozenset(
    {
        *("bart_out", "bottom_up_out", "fast_abs_rl_out_rerank", "ptr_generator_out_pointer_gen_cov"),
        *("presumm_out_abs", "presumm_out_ext_abs", "presumm_out_trans_abs", "semsim_out"),
        *("t5_out_11B", "t5_out_base", "t5_out_large", "two_stage_rl_out", "unilm_out_v1", "unilm_out_v2"),
    }
)
EXTRACTIVE = frozenset(
    {
        *("banditsumm_out", "bart_out", "heter_graph_out", "matchsumm_out", "neusumm_out", "refresh_out"),
        *("pnbert_out_bert_lstm_pn", "pnbert_out_bert_lstm_pn_rl", "pnbert_out_lstm_pn_rl"),
        *("pnbert_out_bert_tf_pn", "pnbert_out_bert_tf_sl"),
    }
)
BART = "bart_out"

GOLD = "LitePyramid"
METRICS = {
    **{
        f"rouge_{n}_{upstream}": f"ROUGE-{n.upper()} {variant}"
        for n in ("1", "2", "l")
        for upstream, variant in (("recall", "recall"), ("precision", "precision"), ("f_score", "F1"))
    },
    "bert_recall_score": "BERTScore recall",
    "bert_precision_score": "BERTScore precision",
    "bert_f_score": "BERTScore F1",
    "mover_score": "MoverScore",
    "js-2": "JS-2",
}
HUMANS = {"litepyramid_recall": GOLD}
# JS-2 is released negated, so that higher is better; BERTScore is rescaled with its baseline
# (largest value 1).
SCALE = {name: 0.0 if name == "JS-2" else 1.0 for name in METRICS.values()}

MERGED_NOTE = (
    "The release names its systems without their type; its one bart_out is the extractive BART, and"
    " the abstractive BART is absent."
)


def merged_id(upstream: str) -> tuple[str, str]:
    """Our id and the type of a system that a merged release names without its type.

    The releases that list REALSumm's systems together (bhandari2020, Re-Examining, BARTScore) have
    24 of them, and one ``bart_out``: the extractive one, by its scores and its text. A name that
    REALSumm does not have is kept, with type "unknown".
    """
    if upstream in EXTRACTIVE:
        return f"ext_{upstream}", "ext"
    if upstream in ABSTRACTIVE:
        return f"abs_{upstream}", "abs"
    return upstream, "unknown"


@dataclass(frozen=True)
class Release:
    """One pickle: references by document; scores, judgments, summaries by (system, document)."""

    system_type: dict[str, str]
    references: dict[str, str]
    summaries: dict[tuple[str, str], str]
    scores: Cells
    humans: Cells


def read_pickle(path: Path, system_type: str) -> Release:
    """Read ``abs.pkl`` or ``ext.pkl``.

    Parameters
    ----------
    path : Path
    system_type : {"abs", "ext"}
        Also the prefix of the systems' ids.

    Raises
    ------
    DataError
        If a key is missing, a score is not a number, or a system lacks a document.
    """
    release = Release({}, {}, {}, {}, {})
    for key, entry in mapping(unpickle(path), path.name).items():
        document, where = str(key), f"{path.name}, document {key}"
        if document in release.references:
            raise DataError(f"{where}: comes twice")
        if require(entry, "doc_id", where) != key:
            raise DataError(f"{where}: calls itself {entry['doc_id']!r}")
        release.references[document] = text(require(entry, "ref_summ", where), where, "ref_summ")
        summaries = mapping(require(entry, "system_summaries", where), where, "system_summaries")
        for upstream, summary in summaries.items():
            system = f"{system_type}_{text(upstream, where, 'system').removesuffix('.txt')}"
            release.system_type[system] = system_type
            _add(release, system, document, summary, f"{where}, {upstream}")
    require_full({**release.scores, **release.humans}, release.system_type, release.references, path.name)
    return release


def _add(release: Release, system: str, document: str, summary: object, where: str) -> None:
    cell = system, document
    release.summaries[cell] = text(require(summary, "system_summary", where), where, "system_summary")
    scores = mapping(require(summary, "scores", where), where, "scores")
    require(scores, "litepyramid_recall", where)
    unknown = set(scores) - set(METRICS) - set(HUMANS)
    if unknown:
        raise DataError(f"{where}: scores of unknown metrics: {listing(unknown)}")
    for names, cells in ((METRICS, release.scores), (HUMANS, release.humans)):
        for upstream, name in names.items():
            if upstream in scores:
                add_cell(cells, name, cell, number(scores[upstream], where, upstream), where)


def differing(release: Release, other: Release, system: str, counterpart: str | None = None) -> list[str]:
    """Documents on which a system differs from its counterpart in the text or in any score."""
    counterpart = counterpart or system
    return [
        document
        for document in release.references
        if release.summaries[system, document] != other.summaries[counterpart, document]
        or any(
            planes[name][system, document] != other_planes[name][counterpart, document]
            for planes, other_planes in ((release.scores, other.scores), (release.humans, other.humans))
            for name in planes
        )
    ]


def combine(abstractive: Release, extractive: Release) -> Release:
    """Both pickles as one release; they must have the same documents, references and metrics."""
    for label, abs_ids, ext_ids in (
        ("document", abstractive.references, extractive.references),
        ("metric", abstractive.scores, extractive.scores),
    ):
        if set(abs_ids) != set(ext_ids):
            raise DataError(
                f"abs.pkl and ext.pkl differ in their {label}s: {listing({*abs_ids} ^ {*ext_ids})}"
            )
    other = [d for d, reference in abstractive.references.items() if extractive.references[d] != reference]
    if other:
        raise DataError(f"abs.pkl and ext.pkl give different references for documents {listing(other)}")
    return Release(
        abstractive.system_type | extractive.system_type,
        abstractive.references,
        abstractive.summaries | extractive.summaries,
        {name: plane | extractive.scores[name] for name, plane in abstractive.scores.items()},
        {name: plane | extractive.humans[name] for name, plane in abstractive.humans.items()},
    )


def restore(released: Release, earlier: Release) -> tuple[Release, tuple[str, ...]]:
    """The release with the abstractive BART of an earlier commit, and notes on what justifies that.

    Raises
    ------
    DataError
        If the two commits disagree in anything but the abstractive BART, or what is released under
        its name is not the extractive BART on every document: then this is not the mix-up that the
        restoration is for.
    """
    true, copy = f"abs_{BART}", f"ext_{BART}"
    for system, release, which in (
        (true, released, "the current abs.pkl"),
        (copy, released, "ext.pkl"),
        (true, earlier, "the earlier abs.pkl"),
    ):
        require(release.system_type, system, which)
    if released.references != earlier.references or set(released.scores) != set(earlier.scores):
        raise DataError("the two commits of abs.pkl differ in their documents, references or metrics")
    common = [s for s in released.system_type if s in earlier.system_type and s != true]
    disagreeing = {s: len(documents) for s in common if (documents := differing(released, earlier, s))}
    if disagreeing:
        raise DataError(
            f"the two commits of abs.pkl disagree on systems other than {true}: {listing(disagreeing)}"
        )
    n_documents = len(released.references)
    own = differing(released, released, true, copy)
    if own:
        raise DataError(
            f"{true} as released differs from {copy} on {len(own)} of {n_documents} documents"
            f" ({listing(own)}); it was expected to be its copy, so the earlier commit's is not put"
            " in its place"
        )
    n_restored = len(differing(released, earlier, true))
    cells = [(true, document) for document in released.references]
    restored = replace(
        released,
        summaries=released.summaries | {cell: earlier.summaries[cell] for cell in cells},
        scores=_with(released.scores, earlier.scores, cells),
        humans=_with(released.humans, earlier.humans, cells),
    )
    return restored, (
        (
            f"{true} is taken from commit {EARLIER[:7]}: in the current abs.pkl it equals {copy},"
            f" text and every score, on {n_documents - len(own)} of {n_documents} documents, and"
            f" differs from the earlier commit's on {n_restored}."
        ),
        (f"The {len(common)} other systems of both commits of abs.pkl agree in every text and score."),
    )


def _with(cells: Cells, other: Cells, replaced: list[tuple[str, str]]) -> Cells:
    return {name: plane | {cell: other[name][cell] for cell in replaced} for name, plane in cells.items()}


def read_restored(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``realsumm``: the release with the abstractive BART put back."""
    abstractive = read_pickle(paths["abs"], "abs")
    earlier = read_pickle(paths["earlier_abs"], "abs")
    released = combine(abstractive, read_pickle(paths["ext"], "ext"))
    restored, notes = restore(released, earlier)
    return _benchmark("realsumm", restored, replace(provenance, notes=notes))


def read_released(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``realsumm-released``: the current commit, as it is."""
    released = combine(read_pickle(paths["abs"], "abs"), read_pickle(paths["ext"], "ext"))
    true, copy = f"abs_{BART}", f"ext_{BART}"
    notes = ()
    if {true, copy} <= set(released.system_type):
        n_documents = len(released.references)
        n_same = n_documents - len(differing(released, released, true, copy))
        notes = (f"{true} equals {copy}, text and every score, on {n_same} of {n_documents} documents.",)
    return _benchmark("realsumm-released", released, replace(provenance, notes=notes))


def read_earlier(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``realsumm-earlier``: the abstractive file as it was, which holds NeuSum as well."""
    notes = ("NeuSum, an extractive system, is one of the 15 systems of this file and bears its type here.",)
    return _benchmark("realsumm-earlier", read_pickle(paths["abs"], "abs"), replace(provenance, notes=notes))


def _benchmark(name: str, release: Release, provenance: Provenance) -> Benchmark:
    systems = sorted(release.system_type, key=natural)
    documents = sorted(release.references, key=natural)
    return assemble(
        name=name,
        title=DATASETS[name].title,
        scores=release.scores,
        humans=release.humans,
        system_type=release.system_type,
        documents=documents,
        provenance=provenance,
        scale=SCALE,
        texts=Texts(
            summaries=summaries_array(release.summaries, systems, documents, name),
            references={document: (release.references[document],) for document in documents},
        ),
        listed=release.system_type,
    )


_RELEASED = {
    "abs": Pin(REPOSITORY, "scores_dicts/abs.pkl", CURRENT),
    "ext": Pin(REPOSITORY, "scores_dicts/ext.pkl", CURRENT),
}
DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="realsumm",
            title="REALSumm, with the abstractive BART put back",
            read=read_restored,
            needed={**_RELEASED, "earlier_abs": Pin(REPOSITORY, "scores_dicts/abs.pkl", EARLIER)},
            citation=("bhandari2020reevaluating",),
        ),
        Dataset(
            name="realsumm-released",
            title="REALSumm as released, the extractive BART under two names",
            read=read_released,
            needed=_RELEASED,
            citation=("bhandari2020reevaluating",),
        ),
        Dataset(
            name="realsumm-earlier",
            title="REALSumm's abstractive file at an earlier commit, NeuSum among its 15 systems",
            read=read_earlier,
            needed={"abs": Pin(REPOSITORY, "scores_dicts/abs.pkl", EARLIER)},
            citation=("bhandari2020reevaluating",),
        ),
    )
}
