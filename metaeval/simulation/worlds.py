"""simulation.worlds: simulated likenesses of the released datasets, by the datasets' names.

Used by `metaeval.datasets`, which decides between real and simulated. All releases of the same summaries are
views of one draw: the same systems, documents, human scores and texts. Comparisons of releases (matching
systems or texts) therefore run on them as on the real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from metaeval.core.errors import SourceUnavailableError
from metaeval.simulation import model, raters
from metaeval.simulation.model import Copy, Simulated, draw
from metaeval.simulation.texts import SimulatedTexts, write_texts
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Benchmark, PyramidUnits, Texts, judge_of, read_only, with_ids

TEST_SET = 11_490  # documents of CNN/DailyMail's test set
# numbers of the draws behind all views: typical draws; for likenesses without metrics the first
NUMBERS = {"realsumm": 4, "summeval": 4, "tac2009": 7, "pyrxsum": 0, "rose": 0, "faithbench": 0}
_ROUNDS = (12, 4)  # systems of RoSE's two rounds of judgment
_SYSTEMS = {"rose": sum(_ROUNDS) - 2}  # two systems are in both rounds
RATING_UNITS = 8  # of a document whose summaries are rated, not checked unit by unit

_RPF = ("recall", "precision", "F1")


def _variants(*families: str) -> tuple[str, ...]:
    return tuple(f"{family} {part}" for family in families for part in _RPF)


_REALSUMM = (*_variants("ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore"), "MoverScore", "JS-2")
_BHANDARI = (
    *_variants("ROUGE-1", "ROUGE-2", "ROUGE-L"),
    *("BERTScore recall", "BERTScore precision"),
    *_variants("BEwT-E"),
    *("MoverScore", "JS-2", "AutoSummENG", "MeMoG", "NPowER", "METEOR"),
    *("QAEval EM", "QAEval F1", "QAEval LERC", "S3 pyr", "S3 resp"),
)
# BERTScore's recall of two unrelated texts, from the package bert-score (roberta-large, layer 17): REALSumm's
# scores are rescaled so that it is 0, those released with Re-Examining are not
_BERTSCORE_BASELINE = 0.8314941
# metric of Re-Examining, in points -> the likeness's metric behind it
_RE_REALSUMM = {
    "ROUGE-1": Copy("ROUGE-1 recall", 100, 0),
    "ROUGE-2": Copy("ROUGE-2 recall", 100, 0),
    "ROUGE-L": Copy("ROUGE-L recall", 100, 0),
    "BERTScore": Copy("BERTScore recall", 100 * (1 - _BERTSCORE_BASELINE), 100 * _BERTSCORE_BASELINE),
    "QAEval": Copy("QAEval F1", 100, 0),
}
_RE_SUMMEVAL = {
    "ROUGE-1": Copy("ROUGE-1 F1", 1, 0),
    "ROUGE-2": Copy("ROUGE-2 F1", 1, 0),
    "ROUGE-L": Copy("ROUGE-L F1", 1, 0),
    "BERTScore": Copy("BERTScore recall", 100, 0),
    "QAEval": Copy("QAEval F1", 100, 0),
}


@dataclass(frozen=True)
class World:
    """One draw, its texts and its content units."""

    drawn: Simulated
    present: np.ndarray  # (n_systems, n_documents, largest n_units)
    n_units: np.ndarray
    texts: SimulatedTexts

    @property
    def overwritten(self) -> tuple[str, str]:
        """The best abstractive system, and the extractive one that replaces it in some releases."""
        benchmark = self.drawn.benchmark
        means = benchmark.human.mean("document").to_series()
        kinds = pd.Series(benchmark.system_type)
        return tuple(means[kinds[kinds == kind].index].idxmax() for kind in ("abs", "ext"))


@cache
def world(name: str) -> World:
    """Draw behind the views of a likeness, the same in every process.

    Raises
    ------
    SourceUnavailableError
        If the likeness was not fitted.
    """
    drawn = numbered(name, NUMBERS[name], n_systems=_SYSTEMS.get(name))
    likeness = model.read(name)
    benchmark = drawn.benchmark
    scores, n_units = benchmark.human.to_numpy(), drawn.n_units
    if not likeness.units:  # ratings from 1 to 5, or scores from 0 to 1, measure the share of the story
        n_units = np.full(len(benchmark.documents), RATING_UNITS)
        low = min(likeness.marginals[0].low, float(np.nanmin(scores)))
        high = max(min(likeness.marginals[0].high, 5.0), float(np.nanmax(scores)))
        scores = np.rint((scores - low) / (high - low) * RATING_UNITS) / RATING_UNITS
    present = raters.present_units(scores, n_units, rng=_stream(name, "units"))
    ids = {"systems": benchmark.system_type, "documents": benchmark.documents}
    texts = write_texts(present, n_units, **ids, rng=_stream(name, "texts"))
    return World(drawn, present, n_units, texts)


def numbered(name: str, number: int, **settings) -> Simulated:
    """Draw a likeness by the draw's number; `settings` go to `metaeval.simulation.model.draw`."""
    return draw(model.read(name), rng=stream(number, name, "scores"), **settings)


def _stream(name: str, *purpose: str) -> np.random.Generator:
    return stream(NUMBERS[name], name, *purpose)


# ------------------------------------------------------------------------------------------------- views


def _texts(
    simulated: SimulatedTexts, systems: Sequence[str], documents: Mapping[str, str], *, sources: bool
) -> Texts:
    """Texts of a view; `documents` maps ids of the draw to those of the view."""
    values = np.array([[simulated.summaries[s, d] for d in documents] for s in systems], dtype=object)
    return Texts(
        summaries=with_ids(read_only(values), system=systems, document=documents.values()),
        references={renamed: (simulated.references[d],) for d, renamed in documents.items()},
        sources={renamed: simulated.sources[d] for d, renamed in documents.items()} if sources else {},
    )


def _realsumm() -> Benchmark:
    w = world("realsumm")
    benchmark = w.drawn.benchmark.select(metrics=_REALSUMM)
    texts = _texts(w.texts, benchmark.systems, {d: d for d in benchmark.documents}, sources=False)
    return replace(benchmark, texts=texts, scale=_part(benchmark.scale, _REALSUMM))


def _released() -> Benchmark:
    """REALSumm with one system's scores and texts also under another's name, as in the literal release."""
    benchmark = _realsumm()
    lost, copied = world("realsumm").overwritten
    rows = [copied if system == lost else system for system in benchmark.systems]

    def overwrite(array):
        return array.sel(system=rows).assign_coords(system=benchmark.scores.indexes["system"])

    texts = replace(benchmark.texts, summaries=overwrite(benchmark.texts.summaries))
    scores, humans = overwrite(benchmark.scores), overwrite(benchmark.humans)
    note = f"{lost} is a copy of {copied}, as one system of the release is of another."
    return _add_note(replace(benchmark, scores=scores, humans=humans, texts=texts), note)


def _drop_overwritten(benchmark: Benchmark) -> Benchmark:
    lost, _ = world("realsumm").overwritten
    rest = benchmark.select(systems=[system for system in benchmark.systems if system != lost])
    return _add_note(rest, f"{lost} is left out, as one system is in the release.")


def _bhandari() -> Benchmark:
    benchmark = _drop_overwritten(world("realsumm").drawn.benchmark.select(metrics=_BHANDARI))
    return replace(benchmark, scale=_part(benchmark.scale, _BHANDARI))


def _re_examining(name: str, metrics: Mapping[str, Copy], *, full: bool) -> Benchmark:
    if full:
        behind = list(dict.fromkeys(copy.of for copy in metrics.values()))
        sizes = {"n_documents": TEST_SET, "n_judged": model.read(name).n_documents}
        benchmark = numbered(name, NUMBERS[name], **sizes, metrics=behind).benchmark
    else:
        benchmark = world(name).drawn.benchmark
    if name == "realsumm":
        benchmark = _drop_overwritten(benchmark)
    values = np.stack([c.times * benchmark.metric(c.of).to_numpy() + c.plus for c in metrics.values()])
    ids = {"metric": metrics, "system": benchmark.systems, "document": benchmark.documents}
    scores, scale = with_ids(read_only(values), **ids), dict.fromkeys(metrics, 100.0)
    return replace(benchmark, scores=scores, humans=benchmark.humans[:1], scale=scale)


def _texts_only(name: str, *, prefix: str = "", judgments: int = 1) -> Benchmark:
    w = world(name)
    benchmark = w.drawn.benchmark
    documents = {document: f"{prefix}{document}" for document in benchmark.documents}
    renamed = pd.Index(list(documents.values()), dtype=object)
    return replace(
        benchmark,
        scores=benchmark.scores[:0].assign_coords(document=renamed),
        humans=benchmark.humans[:judgments].assign_coords(document=renamed),
        texts=_texts(w.texts, benchmark.systems, documents, sources=True),
        scale={},
    )


def _bartscore_realsumm() -> Benchmark:
    benchmark = _drop_overwritten(_texts_only("realsumm"))
    summaries = benchmark.texts.summaries.sel(system=benchmark.systems)
    return replace(benchmark, texts=replace(benchmark.texts, summaries=summaries))


# raters per summary of SummEval, and how often they differ
_CREWS = {"expert": (3, 0.15), "crowd": (5, 0.6)}
# Judges by the names in the releases, so that a page's settings fit both; of the real judges, only their
# leniency and use of the scale are modelled.
_JUDGES = {
    "gemini_flash": raters.Rater(bias=-0.8, slope=0.8, noise=0.5),
    "gemini_pro": raters.Rater(bias=-0.9, slope=0.7, noise=0.6),
    "gpt-4o": raters.Rater(bias=-0.7, slope=0.8, noise=0.4),
    "gpt-4o-mini": raters.Rater(bias=-0.4, slope=0.7, noise=0.5),
    "llama-31": raters.Rater(bias=-0.3, slope=0.6, noise=0.9),
    "mistral-v03": raters.Rater(bias=0.9, slope=0.3, noise=0.5),
}
_GPTS = {
    "gpt-4": raters.Rater(bias=0.1, slope=0.9, noise=0.5),
    "gpt-3.5": raters.Rater(bias=-0.3, slope=0.6, noise=0.8),
    "gpt-3.5, other prompt": raters.Rater(bias=-0.2, slope=0.6, noise=0.9),
}


@cache
def _summeval() -> Benchmark:
    """SummEval with the ratings behind each mean."""
    benchmark = world("summeval").drawn.benchmark
    ratings = {}
    for judgment in benchmark.judgments:
        crew = "crowd" if "turkers" in judgment else "expert"
        n_raters, exchange = _CREWS[crew]
        by_rater = raters.ratings_with_mean(
            benchmark.judgment(judgment).to_numpy(), n_raters, exchange=exchange,
            rng=_stream("summeval", "raters", judgment),
        )  # fmt: skip
        names = [f"{crew} {k + 1}" for k in range(n_raters)]
        ids = {"rater": names, "system": benchmark.systems, "document": benchmark.documents}
        ratings[judgment] = with_ids(read_only(by_rater), **ids)
    return replace(benchmark, ratings=ratings)


def _judged(judges: Mapping[str, raters.Rater]) -> Benchmark:
    """SummEval with judges as metrics, one plane for each dimension; they perceive the experts' mean."""
    benchmark = _summeval()
    planes = {
        judge_of(judge, dimension): raters.rate(
            benchmark.judgment(dimension).to_numpy(),
            rater,
            rng=_stream("summeval", "judge", judge, dimension),
        )[0]
        for judge, rater in judges.items()
        for dimension in benchmark.judgments
        if "turkers" not in dimension
    }
    scores = with_ids(
        read_only(np.stack(list(planes.values()))), metric=planes, system=benchmark.systems,
        document=benchmark.documents,
    )  # fmt: skip
    return benchmark.with_scores(scores, scale=dict.fromkeys(planes, 5.0))


# Changes in another round: its ratings agree with the first round's about as well as RoSE's do for the two
# systems that were rated twice.
_AGAIN = raters.Rater(slope=0.5, noise=0.6, bias=0.1)


def _rose(*, again: bool) -> Benchmark:
    """One round of judgment: the first 12 systems, or the first two and two others, with new ratings."""
    benchmark = _texts_only("rose", judgments=5)
    first, second = _ROUNDS
    systems = (
        benchmark.systems[: second - 2] + benchmark.systems[first:] if again else benchmark.systems[:first]
    )
    part = benchmark.select(systems=systems)
    part = replace(part, texts=replace(part.texts, summaries=part.texts.summaries.sel(system=systems)))
    if not again:
        return part
    ratings = {judgment: part.judgment(judgment).to_numpy() for judgment in part.judgments}
    repeated = {
        judgment: raters.rate(
            values, _AGAIN, scale=raters.Scale(step=1 / 3), rng=_stream("rose", "again", judgment)
        )[0]
        for judgment, values in ratings.items()
        if not judgment.endswith("ACU")
    }
    humans = part.humans.copy(data=read_only(np.stack(list((ratings | repeated).values()))))
    note = "Another round: content units are as in the first, ratings of systems that are in both are new."
    return _add_note(replace(part, humans=humans), note)


def _faithbench() -> Benchmark:
    """FaithBench with nested labels: passing a stricter rule implies passing a laxer one; unrelated texts."""
    benchmark = numbered("faithbench", NUMBERS["faithbench"]).benchmark
    faithful, unwanted, labelled = benchmark.humans.to_numpy()
    nested = np.stack([faithful, np.maximum(faithful, unwanted), np.minimum(faithful, labelled)])
    n_units = np.full(len(benchmark.documents), RATING_UNITS)
    present = _stream("faithbench", "units").random((*faithful.shape, RATING_UNITS)) < 0.5
    ids = {"systems": benchmark.system_type, "documents": benchmark.documents}
    simulated = write_texts(present, n_units, **ids, rng=_stream("faithbench", "texts"))
    texts = _texts(simulated, benchmark.systems, {d: d for d in benchmark.documents}, sources=True)
    humans = benchmark.humans.copy(data=read_only(nested))
    return replace(benchmark, humans=humans, texts=replace(texts, references={}))


VIEWS: dict[str, Callable[[], Benchmark]] = {
    "realsumm": _realsumm,
    "realsumm-released": _released,
    "realsumm-earlier": lambda: _realsumm().select(system_type="abs"),
    "bhandari2020": _bhandari,
    "summeval": _summeval,
    "re-examining-realsumm": lambda: _re_examining("realsumm", _RE_REALSUMM, full=False),
    "re-examining-summeval": lambda: _re_examining("summeval", _RE_SUMMEVAL, full=False),
    "re-examining-realsumm-full": lambda: _re_examining("realsumm", _RE_REALSUMM, full=True),
    "re-examining-summeval-full": lambda: _re_examining("summeval", _RE_SUMMEVAL, full=True),
    "bartscore-realsumm": _bartscore_realsumm,
    "bartscore-summeval": lambda: _texts_only("summeval", judgments=4),
    "tac2009": lambda: world("tac2009").drawn.benchmark,
    "lite-realsumm": lambda: _texts_only("realsumm", prefix="cnndm"),
    "lite-pyrxsum": lambda: _texts_only("pyrxsum", prefix="xsum"),
    "summeval-judges": lambda: _judged(_JUDGES),
    "llm-summeval": lambda: _judged(_GPTS).select(system_type="abs"),
    "rose": lambda: _rose(again=False),
    "rose-llm": lambda: _rose(again=True),
    "faithbench": _faithbench,
}
_UNITS = {"lite-realsumm": ("realsumm", "cnndm"), "lite-pyrxsum": ("pyrxsum", "xsum")}


@cache
def load(name: str) -> Benchmark:
    """Load the simulated likeness of a dataset.

    Raises
    ------
    SourceUnavailableError
        If it has none.
    """
    return replace(_view(name, VIEWS)(), name=name)


@cache
def units(name: str) -> PyramidUnits:
    """Content units and presence labels of a simulated dataset that has them."""
    likeness, prefix = _view(name, _UNITS)
    w = world(likeness)
    benchmark = w.drawn.benchmark
    scus = {f"{prefix}{d}": scus for d, scus in w.texts.scus.items()}
    stus = {f"{prefix}{d}": stus for d, stus in w.texts.stus.items()}
    mixed = {d: (*scus[d][: len(scus[d]) // 2], *stus[d][len(stus[d]) // 2 :]) for d in scus}
    labels = {}
    for i, system in enumerate(benchmark.systems):
        for j, document in enumerate(benchmark.documents):
            labels[system, f"{prefix}{document}"] = read_only(w.present[i, j, : w.n_units[j]].astype(np.int8))
    return PyramidUnits(scus, stus, mixed, labels)


def folds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Deal documents and systems of ``lite-realsumm`` into five folds, as in the release."""
    benchmark, dealt = load("lite-realsumm"), {}
    for by, ids in (("document", benchmark.documents), ("system", benchmark.systems)):
        order = [ids[k] for k in _stream("realsumm", "folds", by).permutation(len(ids))]
        dealt[by] = tuple(tuple(order[k::5]) for k in range(5))
    return dealt


@cache
def votes() -> dict[tuple[str, str], np.ndarray]:
    """Crowd votes on the units of the simulated REALSumm's summaries.

    The true presence is known: `units` of ``lite-realsumm``, and the benchmark's human scores.
    """
    w = world("realsumm")
    ids = {"systems": w.drawn.benchmark.systems, "documents": w.drawn.benchmark.documents}
    return raters.cast_votes(w.present, w.n_units, **ids, rng=_stream("realsumm", "votes"))


def _view(name: str, views: Mapping):
    if name not in views:
        raise SourceUnavailableError(
            f"no likeness of {name!r} was ever fitted (perhaps it has no human scores); simulated: "
            f"{', '.join(sorted(views))}"
        )
    return views[name]


def _part(scale: Mapping[str, float], metrics: Sequence[str]) -> dict[str, float]:
    return {metric: scale[metric] for metric in metrics if metric in scale}


def _add_note(benchmark: Benchmark, note: str) -> Benchmark:
    provenance = replace(benchmark.provenance, notes=(*benchmark.provenance.notes, note))
    return replace(benchmark, provenance=provenance)
