"""experiments.rescored: do scores that are computed again from a release's texts equal those released?

Bhandari et al. 2020, §2.3; Deutsch et al. 2021. A *reading* is one way to prepare the texts; each but the
first changes one thing, so that whatever the released scores were made with shows itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.draws import read_documents, streamed
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.tidy import tidy
from metaeval.analysis import topk
from metaeval.analysis.tabulate import end_columns
from metaeval.core.errors import DataError, choose, listing
from metaeval.core.mode import is_simulated
from metaeval.core.paths import DATA
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, VARIANTS
from metaeval.metrics.rouge_155 import rouge_155_folder, rouge_155_scores
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.correlation import pearson
from metaeval.stats.intervals import interval
from metaeval.stats.ties import SCORE_TIE
from metaeval.tables.benchmark import CELL, Benchmark, Texts, require_same_labels
from metaeval.tables.columns import check

TOLERANCE = 1e-4  # on a scale from 0 to 1: F1 is made of recall and precision that were rounded before
_BRACKETS = {"(": " -lrb- ", ")": " -rrb- ", "[": " -lsb- ", "]": " -rsb- "}
_PARTED = re.compile(r"\s+(?=n['’]t\b)|(?<=\b[Cc]an)\s+(?=not\b)")
_ROUGE = re.compile(r"ROUGE-[12L] (recall|precision|F1)$")
_KEYS = ["dataset", "metric", "reading"]
METRICS = tuple(f"{variant} {part}" for variant in VARIANTS for part in PARTS)
# released metrics that are computed in one way, or have no released scores -> their names here
OTHERS = {
    "JS-2": "JS-2",
    "METEOR": "METEOR",
    **{f"BERTScore {part}": f"BERTScore {part}" for part in PARTS},
    "MoverScore": "MoverScore-1",
    "WMS": "WMS",
    "SMS": "SMS",
}
HERE = "computed here"
_TEXTS = {"summeval": "bartscore-summeval"}  # a release without texts -> one with them


def _name_brackets(text: str) -> str:
    """A text with brackets as the Penn Treebank writes them, which makes them words."""
    for bracket, name in _BRACKETS.items():
        text = text.replace(bracket, name)
    return text


def _join_negations(text: str) -> str:
    return _PARTED.sub("", text)


def _keep(text: str) -> str:
    return text


@dataclass(frozen=True)
class Reading:
    """One way to prepare texts for ROUGE, with further options of `metaeval.metrics.registry.scores`."""

    summary: Callable[[str], str] = _keep
    reference: Callable[[str], str] = _keep
    first_only: bool = True  # a document's first reference alone
    by_sentence: bool = False  # ROUGE-L goes through sentences
    options: Mapping[str, object] = field(default_factory=dict)

    def prepared(self, texts: Texts) -> Texts:
        """Texts as they are scored."""
        summaries = texts.summaries.copy(data=np.vectorize(self.summary, otypes=[object])(texts.summaries))
        last = 1 if self.first_only else None
        references = {
            document: tuple(map(self.reference, several[:last]))
            for document, several in texts.references.items()
        }
        return Texts(summaries, references, texts.sources)


PLAIN, SENTENCES = "stems, one reference", "by sentence"
BRACKETS, JOINED = "brackets as words", "brackets as words, n't joined"
READINGS: dict[str, Reading] = {
    PLAIN: Reading(),
    "words, not stems": Reading(options={"stem": False}),
    "mean over references": Reading(first_only=False, options={"references": "mean"}),
    "best of references": Reading(first_only=False, options={"references": "max"}),
    SENTENCES: Reading(by_sentence=True),
    BRACKETS: Reading(_name_brackets),
    JOINED: Reading(_name_brackets, _join_negations),
}


@dataclass(frozen=True)
class Rescored:
    """A benchmark with its released scores, and by reading what was computed under the same names."""

    benchmark: Benchmark
    computed: Mapping[str, xr.DataArray]


def with_texts(benchmark: Benchmark, other: Benchmark) -> Benchmark:
    """A benchmark with the texts of another release of the same summaries."""
    texts = other.require_texts()
    for dim in CELL:
        require_same_labels(benchmark.scores, other.scores, dim, names=(benchmark.name, other.name))
    cells = {dim: benchmark.scores.indexes[dim] for dim in CELL}
    return replace(benchmark, texts=replace(texts, summaries=texts.summaries.sel(cells)))


def releases(names: Sequence[str] = ("realsumm", "summeval")) -> list[Benchmark]:
    """Benchmarks with released scores and the texts of their summaries, wherever these were released."""
    return [with_texts(load(name), load(_TEXTS.get(name, name))) for name in names]


def rescore(benchmarks: Sequence[Benchmark], *, metrics=METRICS, readings=tuple(READINGS)) -> list[Rescored]:
    """ROUGE of benchmarks' texts, prepared in several ways."""
    others = [name for name in metrics if not _ROUGE.match(name)]
    if others:
        raise DataError(
            f"only ROUGE is computed in several ways, such as 'ROUGE-L F1'; got {listing(others)}"
        )
    ways = {reading: choose("reading", reading, READINGS) for reading in readings}
    out = []
    for whole in benchmarks:
        benchmark = whole.select(metrics=metrics)
        n_references = max(map(len, benchmark.texts.references.values()))
        computed = {
            reading: _computed(benchmark, way)
            for reading, way in ways.items()
            if n_references > 1 or way.first_only
        }
        out.append(Rescored(benchmark, {name: scores for name, scores in computed.items() if len(scores)}))
    return out


def _computed(benchmark: Benchmark, way: Reading) -> xr.DataArray:
    """ROUGE of texts that are read in one way; by sentence there is only ROUGE-L."""
    chosen = [name for name in benchmark.metrics if not way.by_sentence or name.startswith("ROUGE-L ")]
    names = [name.replace("ROUGE-L ", "ROUGE-Lsum ") for name in chosen] if way.by_sentence else chosen
    if not chosen:
        return benchmark.scores[:0]
    scores = kept_scores(way.prepared(benchmark.texts), names, **way.options)
    return scores.assign_coords(metric=np.array(chosen, dtype=object))


def rescore_others(benchmarks: Sequence[Benchmark], *, metrics, n_documents=None) -> list[Rescored]:
    """Metrics of `OTHERS` against one reference, also unreleased ones, on `read_documents`."""
    names = [choose("metric", metric, OTHERS) for metric in metrics]
    out = []
    for whole in benchmarks:
        benchmark = whole.select(documents=read_documents(whole, n_documents))
        texts = READINGS[PLAIN].prepared(whole.texts)
        part = replace(texts, summaries=texts.summaries.sel(document=benchmark.documents))
        scores = kept_scores(part, names).assign_coords(metric=np.array(metrics, dtype=object))
        released = [metric for metric in metrics if metric in benchmark.metrics]
        out.append(Rescored(benchmark.select(metrics=released), {HERE: scores}))
    return out


def _released(benchmark: Benchmark) -> xr.DataArray:
    """All released scores on a scale from 0 to 1, or on their own where the best is 0."""
    scale = [benchmark.scale[metric] or 1.0 for metric in benchmark.metrics]
    return benchmark.scores / xr.DataArray(scale, dims="metric")


def _compared(rescored: Sequence[Rescored]) -> Iterator[tuple[dict[str, str], np.ndarray, np.ndarray]]:
    """Keys of a row, and our and the released scores of all summaries (n_summaries,)."""
    for one in rescored:
        released = _released(one.benchmark)
        for reading, computed in one.computed.items():
            for metric in computed.indexes["metric"].intersection(one.benchmark.metrics, sort=False):
                keys = {"dataset": one.benchmark.name, "metric": metric, "reading": reading}
                yield keys, *(side.sel(metric=metric).to_numpy().ravel() for side in (computed, released))


@tidy(*_KEYS, values=["share_equal"])
def differences(rescored: Sequence[Rescored]):
    """Nearness of computed to released scores over summaries, in points of 100, and Pearson's r of both."""
    for keys, ours, released in _compared(rescored):
        apart = np.abs(ours - released)
        yield {
            **keys, "n_summaries": apart.size, "share_equal": (apart <= TOLERANCE + SCORE_TIE).mean(),
            "mean_apart": 100 * apart.mean(), "most_apart": 100 * apart.max(),
            "value": float(pearson(ours, released)),
        }  # fmt: skip


def closest(differences: pd.DataFrame) -> pd.DataFrame:
    """Each metric's reading with most equal scores, of several the nearest on average."""
    ordered = differences.sort_values(["share_equal", "mean_apart"], ascending=[False, True], kind="stable")
    best = ordered.drop_duplicates(["dataset", "metric"]).sort_index()
    return check(best.reset_index(drop=True), keys=["dataset", "metric"], values=["reading"])


def closest_correlations(correlations: pd.DataFrame, closest: pd.DataFrame) -> pd.DataFrame:
    """The rows of correlations that are of each metric's closest reading."""
    keys = ["dataset", "metric", "reading"]
    return check(correlations.merge(closest[keys]), keys=[*keys, "level"])


@tidy("dataset", "reading", values=["share_equal"])
def lengths(rescored: Sequence[Rescored]):
    """Shares of ROUGE-1 that is equal, that is of texts of another length, and that matches otherwise."""
    # recall is a share of the reference's words and precision one of the summary's: their ratio is that of
    # the two lengths, whatever counts as a match
    names = ["ROUGE-1 recall", "ROUGE-1 precision"]
    for one in rescored:
        released = _released(one.benchmark.select(metrics=names)).to_numpy()
        for reading, computed in one.computed.items():
            if not set(names) <= set(computed.indexes["metric"]) or not READINGS[reading].first_only:
                continue
            ours = computed.sel(metric=names).to_numpy()
            equal = (np.abs(ours - released) <= TOLERANCE + SCORE_TIE).all(axis=0)
            # recall / precision, multiplied out; each released number is rounded to five digits
            off = np.abs(ours[0] * released[1] - ours[1] * released[0]) > TOLERANCE / 10
            yield {
                "dataset": one.benchmark.name, "reading": reading, "n_summaries": equal.size,
                "share_equal": equal.mean(), "share_resized": (~equal & off).mean(),
                "share_matched": (~equal & ~off).mean(),
            }  # fmt: skip


@tidy(*_KEYS, "level", "coefficient", values=["value", "low", "high"])
def correlations(
    rescored: Sequence[Rescored], *, levels=("system", "summary"), coefficient="kendall",
    confidence_level=0.95, **draws,
):  # fmt: skip
    """Correlation with people of computed minus that of released scores, over shared draws."""
    for one in rescored:
        benchmark, metrics = one.benchmark, one.benchmark.metrics
        shared = {
            reading: scores.sel(metric=scores.indexes["metric"].intersection(metrics, sort=False))
            for reading, scores in one.computed.items()
        }
        planes = np.concatenate([_released(benchmark), *(scores.to_numpy() for scores in shared.values())])
        rows = [
            (reading, metric) for reading, scores in shared.items() for metric in scores.indexes["metric"]
        ]
        released = [metrics.index(metric) for _, metric in rows]
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            drawn = streamed(draws, benchmark.name)
            both = interval(planes, benchmark.human.to_numpy(), method="Boot-Both", **kind, **drawn)
            computed, distribution = both.estimate[len(metrics) :], both.distribution[len(metrics) :]
            yield {
                "dataset": benchmark.name,
                "metric": [metric for _, metric in rows],
                "reading": [reading for reading, _ in rows],
                **kind,
                "of_released": both.estimate[released],
                "of_computed": computed,
                "value": computed - both.estimate[released],
                **end_columns(distribution - both.distribution[released], confidence_level),
            }


def stand_ins(rescored: Sequence[Rescored], *, groups=("ext", "mix")) -> pd.DataFrame:
    """Pearson's r with people over the best systems, of computed metrics that were not released, if any."""
    computed = [
        one.benchmark.with_scores(scores.sel(metric=unreleased))
        for one in rescored
        for scores in one.computed.values()
        if len(unreleased := scores.indexes["metric"].difference(one.benchmark.metrics, sort=False))
    ]
    keys = ["dataset", "group", "k", "coefficient", "metric"]
    if not computed:
        return check(pd.DataFrame(columns=[*keys, "value"]), keys=keys)
    return check(topk.table(computed, groups=groups, coefficients=["pearson"]), keys=keys)


def by_the_script(rescored: Sequence[Rescored]) -> pd.DataFrame:
    """`differences` of the script ROUGE-1.5.5, recorded ones where ``ROUGE_155`` names no folder of it."""
    folder = rouge_155_folder()
    if folder is None or is_simulated():
        table = pd.read_csv(DATA / "recorded" / "rescored_155.csv").assign(remark="recorded, not re-run here")
        return check(table, keys=_KEYS, values=["share_equal"])
    out = []
    for one in rescored:
        computed = {}
        for reading in (PLAIN, SENTENCES, JOINED):
            way = READINGS[reading]
            texts = way.prepared(one.benchmark.texts)
            planes = [
                rouge_155_scores(texts, folder=folder, part=part, by_sentence=way.by_sentence)
                for part in ("recall", "precision")
            ]
            scores = xr.concat(planes, "metric")
            metrics = [metric for metric in scores.indexes["metric"] if metric in one.benchmark.metrics]
            computed[reading] = scores.sel(metric=metrics)
        out.append(Rescored(one.benchmark, computed))
    return differences(out)


def moved_dots(moved: pd.DataFrame) -> go.Figure:
    """Correlation with people of computed minus released scores, a row for each metric."""
    metrics = moved["metric"].unique().tolist()[::-1]
    sheet = marks(
        moved, x="value", y="metric", panel="level", series="dataset", order=metrics,
        hover=["reading", "of_released", "of_computed"], labels={"value": "recomputed minus released"},
    )  # fmt: skip
    return sheet.rule(x=0, text="as released").figure(height=dot_height(metrics, moved["dataset"].unique()))


def _compute(*, datasets, metrics, readings, seed, **settings) -> pd.DataFrame:
    scores = rescore(releases(datasets), metrics=metrics, readings=readings)
    return closest_correlations(correlations(scores, rng=seed, **settings), closest(differences(scores)))


LIVE = live(
    "rescored",
    _compute,
    moved_dots,
    "datasets metrics readings levels coefficient confidence_level n_resamples",
    question="What does preparing the texts in another way do to a correlation with people?",
    initial={"n_resamples": 199},
)
