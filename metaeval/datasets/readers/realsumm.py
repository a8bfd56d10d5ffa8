"""readers.realsumm: REALSumm's 25 systems, 100 documents, LitePyramid recalls (Bhandari et al. 2020).

The release is two pickles, ``abs.pkl`` and ``ext.pkl``. The current ``abs.pkl`` carries, under the
abstractive BART's name, the *extractive* BART: its text and all its scores. An earlier commit has
the true one, and Lite2-3Pyramid's labels agree with that. So ``realsumm`` is the release with the
abstractive BART put back, and ``realsumm-released`` is the release as it is, in which two of the 25
systems are one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from metaeval.core.errors import DataError, listing
from metaeval.datasets.readers.tables import Cells, Release, assemble, unpickle
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.wording import natural

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
ABS_BART, EXT_BART = "abs_bart_out", "ext_bart_out"
EARLIER = "2b56592"  # the commit of the abstractive file before the mix-up

Planes = dict[str, dict[tuple[str, str], Any]]  # `TEXT` or the name of a score -> (system, document) -> value
TEXT, GOLD = "text", "LitePyramid"
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
# JS-2 is released negated, so that higher is better; BERTScore is rescaled with its baseline
# (largest value 1).
SCALE = {name: 0.0 if name == "JS-2" else 1.0 for name in METRICS.values()}


# SummEval's systems. Fabbri et al. 2021 list as extractive models M0 LEAD-3, M1 NEUSUM, M2 BanditSum, M5 RNES
# (M3, M4, M6 and M7 have no judgments), and as abstractive ones pointer-generator, Fast-abs-rl, Bottom-Up,
# Improve-abs, Unified-ext-abs, ROUGESal, Multi-task, Closed book decoder, T5, GPT-2, BART, Pegasus.
_SUMMEVAL = {
    **dict.fromkeys(("M0", "M1", "M2", "M5"), "ext"),
    **dict.fromkeys(
        ("M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"), "abs"
    ),
}


def identify_system(upstream: str) -> tuple[str, str]:
    """Our id and the type of a system that a release names without its type.

    The releases that list REALSumm's systems together (bhandari2020, Re-Examining, BARTScore) have
    24 of them, and one ``bart_out``: the extractive one, by its scores and its text. SummEval's keep the name
    that all releases share, and so does any other, of type "unknown".
    """
    if upstream in EXTRACTIVE:
        return f"ext_{upstream}", "ext"
    if upstream in ABSTRACTIVE:
        return f"abs_{upstream}", "abs"
    return upstream, _SUMMEVAL.get(upstream, "unknown")


def read_pickle(path: Path, system_type: str) -> tuple[Planes, dict[str, tuple[str]]]:
    """Texts and scores of ``abs.pkl`` or ``ext.pkl``, and the references.

    The systems' type is also the prefix of their ids.
    """
    planes: Planes = {name: {} for name in (TEXT, GOLD, *METRICS.values())}
    names, references = {"litepyramid_recall": GOLD, **METRICS}, {}
    for key, entry in unpickle(path).items():
        references[str(key)] = (entry["ref_summ"],)
        for upstream, summary in entry["system_summaries"].items():
            cell = f"{system_type}_{upstream.removesuffix('.txt')}", str(key)
            planes[TEXT][cell] = summary["system_summary"]
            for name, score in summary["scores"].items():
                planes[names[name]][cell] = score
    return {name: plane for name, plane in planes.items() if plane}, references


def differing(
    planes: Planes, other: Planes, system: str, counterpart: str, documents: Iterable[str]
) -> list[str]:
    """Documents on which a system differs from its counterpart in the text or in any score."""
    pairs = [(planes[name], other[name]) for name in planes]
    return [d for d in documents if any(a[system, d] != b[counterpart, d] for a, b in pairs)]


def read_restored(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``realsumm``: the release with the abstractive BART put back.

    Raises
    ------
    DataError
        If what is released under its name is not the extractive BART on every document, or the two commits
        disagree in anything else: then this is not the mix-up that is put right here.
    """
    abstractive, references = read_pickle(paths["abs"], "abs")
    earlier, _ = read_pickle(paths["earlier_abs"], "abs")
    released = _joined(abstractive, read_pickle(paths["ext"], "ext")[0])
    true = {name: {c: v for c, v in plane.items() if c[0] == ABS_BART} for name, plane in earlier.items()}
    others = sorted({s for s, _ in abstractive[TEXT]} & {s for s, _ in earlier[TEXT]} - {ABS_BART})
    apart = [s for s in others if differing(abstractive, earlier, s, s, references)]
    if apart or differing(released, released, ABS_BART, EXT_BART, references):
        raise DataError(
            f"the mix-up is another: {ABS_BART} as released is not {EXT_BART} throughout, or"
            f" the commits of abs.pkl differ elsewhere too: {listing(apart)}"
        )
    n_restored = len(differing(released, earlier, ABS_BART, ABS_BART, references))
    notes = (
        f"{ABS_BART} is taken from commit {EARLIER}: in the current abs.pkl it equals {EXT_BART}, text and"
        f" every score, on {_share_alike(released, references)} documents, and differs from the earlier"
        f" commit's on {n_restored}.",
        f"The {len(others)} other systems of both commits of abs.pkl agree in every text and score.",
    )
    return _benchmark(about, _joined(released, true), references, *notes)


def read_released(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``realsumm-released``: the current commit, as it is."""
    abstractive, references = read_pickle(paths["abs"], "abs")
    released = _joined(abstractive, read_pickle(paths["ext"], "ext")[0])
    alike = _share_alike(released, references)
    note = f"{ABS_BART} equals {EXT_BART}, text and every score, on {alike} documents."
    return _benchmark(about, released, references, note)


def read_earlier(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``realsumm-earlier``: the abstractive file as it was, which holds NeuSum as well."""
    note = "NeuSum, an extractive system, is one of the 15 systems of this file and bears its type here."
    return _benchmark(about, *read_pickle(paths["abs"], "abs"), note)


def _joined(*parts: Planes) -> Planes:
    """Several files as one; of a cell that two have the last counts."""
    return {name: {c: v for planes in parts for c, v in planes[name].items()} for name in parts[0]}


def _share_alike(released: Planes, documents: Collection[str]) -> str:
    """Number of documents on which both BARTs are one, and of all."""
    n_apart = len(differing(released, released, ABS_BART, EXT_BART, documents))
    return f"{len(documents) - n_apart} of {len(documents)}"


def _benchmark(
    about: Release, planes: Planes, references: Mapping[str, tuple[str]], *notes: str
) -> Benchmark:
    system_type = {system: system[:3] for system, _ in planes[TEXT]}
    return assemble(
        about, scores={name: plane for name, plane in planes.items() if name not in (TEXT, GOLD)},
        humans={GOLD: planes[GOLD]}, system_type=system_type, notes=notes, scale=SCALE,
        summaries=planes[TEXT], references={d: references[d] for d in sorted(references, key=natural)},
        listed=system_type,
    )  # fmt: skip


def read_in_bartscore(
    paths: Mapping[str, Path], about: Release, *, judgments: Mapping[str, str], notes: Iterable[str]
) -> Benchmark:
    """REALSumm or SummEval by one ``data.pkl`` of BARTScore's release (Yuan et al. 2021): texts and scores.

    `judgments` maps upstream names to ours.
    """
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
