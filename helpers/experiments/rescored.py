"""experiments.rescored: whether scores that are computed again from a release's texts are those it released.

Benchmarks with released scores and texts in, tidy tables out; called by the notebook `rescored` and its live
block. A *reading* is one way to prepare the texts; each but the first changes one thing, so that whatever the
released scores were made with shows itself. Bhandari et al. 2020, §2.3; Deutsch et al. 2021.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit import recorded
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.read import read_documents
from helpers.kit.theme import correlation_axis, share_axis
from helpers.kit.told import value_told
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError, choose, listing
from metaeval.core.mode import is_simulated
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, VARIANTS
from metaeval.metrics.rouge_155 import rouge_155_folder, rouge_155_scores
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.correlation import pearson
from metaeval.stats.intervals import interval
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, SCORE_TIE, signs
from metaeval.tables import wording
from metaeval.tables.benchmark import CELL, Benchmark, Part, Texts, require_same_labels
from metaeval.tables.columns import check
from metaeval.tables.labels import words

SCRIPT = "ROUGE-1.5.5"
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
RELEASED, HERE = "as released", "computed here"
_TEXTS_OF = {"summeval": "bartscore-summeval"}  # what was released without texts -> who released them


def _with_brackets_named(text: str) -> str:
    """A text with brackets as the Penn Treebank writes them, which makes them words."""
    for bracket, name in _BRACKETS.items():
        text = text.replace(bracket, name)
    return text


def _with_negations_joined(text: str) -> str:
    return _PARTED.sub("", text)


def _same(text: str) -> str:
    return text


@dataclass(frozen=True)
class Reading:
    """One way to prepare texts for ROUGE.

    Attributes
    ----------
    of_summaries, of_references : what is done to each text
    first_only : bool
        Whether a document's first reference is the only one.
    by_sentence : bool
        Whether ROUGE-L goes through the sentences of a text or takes it as one.
    options : further ones of `metaeval.metrics.registry.scores`
    """

    of_summaries: Callable[[str], str] = _same
    of_references: Callable[[str], str] = _same
    first_only: bool = True
    by_sentence: bool = False
    options: Mapping[str, object] = field(default_factory=dict)

    def prepared(self, texts: Texts) -> Texts:
        """The texts as they are scored."""
        summaries = texts.summaries.copy(
            data=np.vectorize(self.of_summaries, otypes=[object])(texts.summaries)
        )
        last = 1 if self.first_only else None
        references = {
            document: tuple(map(self.of_references, given[:last]))
            for document, given in texts.references.items()
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
    BRACKETS: Reading(_with_brackets_named),
    JOINED: Reading(_with_brackets_named, _with_negations_joined),
}


@dataclass(frozen=True)
class Rescored:
    """A benchmark with its released scores, and what was computed from its texts.

    Attributes
    ----------
    benchmark : Benchmark with texts
    found : mapping, reading -> DataArray (metric, system, document), under the released metrics' names
    """

    benchmark: Benchmark
    found: Mapping[str, xr.DataArray]


def with_texts(benchmark: Benchmark, other: Benchmark) -> Benchmark:
    """A benchmark with the texts of another release of the same summaries.

    Raises
    ------
    DataError
        If that has no texts, or the systems or documents are others.
    """
    texts = other.require_texts()
    for dim in CELL:
        require_same_labels(benchmark.scores, other.scores, dim, names=(benchmark.name, other.name))
    cells = {dim: benchmark.scores.indexes[dim] for dim in CELL}
    return replace(benchmark, texts=replace(texts, summaries=texts.summaries.sel(cells)))


def releases(names: Sequence[str] = ("realsumm", "summeval")) -> list[Benchmark]:
    """Benchmarks by name, each with the texts of its summaries, wherever they were released.

    Parameters
    ----------
    names : data sets with released scores

    Returns
    -------
    list of Benchmark
    """
    return [with_texts(load(name), load(_TEXTS_OF.get(name, name))) for name in names]


def rescore(
    benchmarks: Sequence[Benchmark],
    *,
    metrics: Sequence[str] = METRICS,
    readings: Sequence[str] = tuple(READINGS),
) -> list[Rescored]:
    """ROUGE of benchmarks' texts, prepared in several ways.

    Parameters
    ----------
    benchmarks : Benchmarks with released scores and texts
    metrics : released ones, of ROUGE, such as ``"ROUGE-1 recall"``
    readings : of `READINGS`
        Those of several references are left out where no document has any; by sentence there is only ROUGE-L.

    Returns
    -------
    list of Rescored

    Raises
    ------
    UnknownNameError
        For a metric or reading that does not exist.
    DataError
        For a metric that is none of ROUGE.
    """
    others = [name for name in metrics if not _ROUGE.match(name)]
    if others:
        raise DataError(
            f"only ROUGE is computed in several ways, such as 'ROUGE-L F1'; got {listing(others)}"
        )
    asked = {reading: choose("reading", reading, READINGS) for reading in readings}
    out = []
    for whole in benchmarks:
        benchmark = whole.select(metrics=metrics)
        most = max(map(len, benchmark.texts.references.values()))
        found = {name: _computed(benchmark, of) for name, of in asked.items() if most > 1 or of.first_only}
        out.append(Rescored(benchmark, {name: scores for name, scores in found.items() if len(scores)}))
    return out


def _computed(benchmark: Benchmark, of: Reading) -> xr.DataArray:
    kept = [name for name in benchmark.metrics if not of.by_sentence or name.startswith("ROUGE-L ")]
    names = [name.replace("ROUGE-L ", "ROUGE-Lsum ") for name in kept] if of.by_sentence else kept
    if not kept:
        return benchmark.scores[:0]
    scores = kept_scores(of.prepared(benchmark.texts), names, **of.options)
    return scores.assign_coords(metric=np.array(kept, dtype=object))


def rescore_others(
    benchmarks: Sequence[Benchmark], *, metrics: Sequence[str], n_documents: int | None = None
) -> list[Rescored]:
    """Other metrics of benchmarks' texts, held against one reference.

    Parameters
    ----------
    benchmarks : Benchmarks with released scores and texts
    metrics : of `OTHERS`, by their released names
        The small encoder that is at hand reads the texts for those of vectors.
    n_documents : int, by default all
        Those of `read_documents`, since a model takes its time.

    Returns
    -------
    list of Rescored
        Of all metrics, also those that were not released.
    """
    names = [choose("metric", metric, OTHERS) for metric in metrics]
    out = []
    for whole in benchmarks:
        benchmark = whole.select(documents=read_documents(whole, n_documents))
        texts = READINGS[PLAIN].prepared(whole.texts)
        of_these = replace(texts, summaries=texts.summaries.sel(document=benchmark.documents))
        scores = kept_scores(of_these, names)
        found = {HERE: scores.assign_coords(metric=np.array(metrics, dtype=object))}
        released = [metric for metric in metrics if metric in benchmark.metrics]
        out.append(Rescored(benchmark.select(metrics=released), found))
    return out


def _released(benchmark: Benchmark) -> xr.DataArray:
    """All released scores on a scale from 0 to 1, or on their own where the best is 0."""
    scale = [benchmark.scale[metric] or 1.0 for metric in benchmark.metrics]
    return benchmark.scores / xr.DataArray(scale, dims="metric")


def _compared(rescored: Sequence[Rescored]) -> Iterator[tuple[dict[str, str], np.ndarray, np.ndarray]]:
    """What a row is of, and our and the released scores of all summaries (n_summaries,)."""
    for one in rescored:
        released = _released(one.benchmark)
        for reading, computed in one.found.items():
            for metric in computed.indexes["metric"].intersection(one.benchmark.metrics, sort=False):
                keys = {"dataset": one.benchmark.name, "metric": metric, "reading": reading}
                yield keys, *(of.sel(metric=metric).to_numpy().ravel() for of in (computed, released))


def differences(rescored: Sequence[Rescored]) -> pd.DataFrame:
    """How near computed scores come to the released ones, summary by summary.

    Parameters
    ----------
    rescored : of `rescore`

    Returns
    -------
    DataFrame with columns dataset, metric, reading, n_summaries, share_equal (to within `TOLERANCE`),
    mean_apart and most_apart (absolute differences, in points of 100), value (Pearson's r of both)
    """
    rows = []
    for keys, ours, released in _compared(rescored):
        apart = np.abs(ours - released)
        rows.append(
            {
                **keys,
                "n_summaries": apart.size,
                "share_equal": (apart <= TOLERANCE + SCORE_TIE).mean(),
                "mean_apart": 100 * apart.mean(),
                "most_apart": 100 * apart.max(),
                "value": float(pearson(ours, released)),
            }
        )
    return check(pd.DataFrame(rows), keys=_KEYS, values=["share_equal"])


def reach(rescored: Sequence[Rescored], *, points: Sequence[float]) -> pd.DataFrame:
    """Of how many summaries the computed score lies within a number of points of the released one.

    Parameters
    ----------
    rescored : of `rescore`
    points : floats, of 100

    Returns
    -------
    DataFrame with columns dataset, metric, variant and part (of ROUGE), reading, apart (points), value (share
    of the summaries)
    """
    within = np.asarray(points, dtype=float)
    frames = []
    for keys, ours, released in _compared(rescored):
        apart = np.sort(100 * np.abs(ours - released))
        shares = np.searchsorted(apart, within + SCORE_TIE, side="right") / apart.size
        variant, part = keys["metric"].split()
        frames.append(
            pd.DataFrame({**keys, "variant": variant, "part": part, "apart": within, "value": shares})
        )
    return check(pd.concat(frames, ignore_index=True), keys=[*_KEYS, "apart"])


def closest(differences: pd.DataFrame) -> pd.DataFrame:
    """The reading that gives the released score most often, for each metric.

    Parameters
    ----------
    differences : DataFrame of `differences`

    Returns
    -------
    DataFrame, its rows with the highest share_equal; of equal ones that with the least mean_apart
    """
    ordered = differences.sort_values(["share_equal", "mean_apart"], ascending=[False, True], kind="stable")
    best = ordered.drop_duplicates(["dataset", "metric"]).sort_index()
    return check(best.reset_index(drop=True), keys=["dataset", "metric"], values=["reading"])


def lengths(rescored: Sequence[Rescored]) -> pd.DataFrame:
    """Whether what is not equal was scored on texts of another length.

    Recall is a share of the reference's words and precision one of the summary's, so that their ratio tells
    how long the one was by the other, whatever counts as a match.

    Parameters
    ----------
    rescored : of `rescore`, with recall and precision of ROUGE-1

    Returns
    -------
    DataFrame with columns dataset, reading, n_summaries, share_equal (recall and precision), share_resized
    (the ratio is another than ours), share_matched (the ratio is ours, and what matches is
    another)
    """
    rows = []
    for one in rescored:
        names = ["ROUGE-1 recall", "ROUGE-1 precision"]
        released = _released(one.benchmark.select(metrics=names)).to_numpy()
        for reading, computed in one.found.items():
            if not set(names) <= set(computed.indexes["metric"]) or not READINGS[reading].first_only:
                continue
            ours = computed.sel(metric=names).to_numpy()
            equal = (np.abs(ours - released) <= TOLERANCE + SCORE_TIE).all(axis=0)
            # recall / precision, multiplied out; each released number is rounded to five digits
            off = np.abs(ours[0] * released[1] - ours[1] * released[0]) > TOLERANCE / 10
            rows.append(
                {
                    "dataset": one.benchmark.name,
                    "reading": reading,
                    "n_summaries": equal.size,
                    "share_equal": equal.mean(),
                    "share_resized": (~equal & off).mean(),
                    "share_matched": (~equal & ~off).mean(),
                }
            )
    return check(pd.DataFrame(rows), keys=["dataset", "reading"], values=["share_equal"])


def correlations(
    rescored: Sequence[Rescored],
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "kendall",
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """What computing scores again does to their correlation with people.

    Parameters
    ----------
    rescored : of `rescore`
    levels, coefficient, n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`
        Systems and documents are drawn again, the same for released and computed scores.

    Returns
    -------
    DataFrame with columns dataset, metric, reading, level, coefficient, of_released, of_computed, value
    (computed minus released), low, high, low_mc_error, high_mc_error, n_resamples, n_undefined
    """
    seed, frames = seed_of(rng), []
    for one in rescored:
        benchmark, metrics = one.benchmark, one.benchmark.metrics
        human = benchmark.human.to_numpy()
        shared = {
            reading: of.sel(metric=of.indexes["metric"].intersection(metrics, sort=False))
            for reading, of in one.found.items()
        }
        planes = np.concatenate([_released(benchmark), *(of.to_numpy() for of in shared.values())])
        rows = [(reading, metric) for reading, of in shared.items() for metric in of.indexes["metric"]]
        released = [metrics.index(metric) for _, metric in rows]
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            found = interval(
                planes, human, method="Boot-Both", n_resamples=n_resamples,
                rng=stream(seed, benchmark.name), **kind,
            )  # fmt: skip
            computed, drawn = found.estimate[len(metrics) :], found.distribution[len(metrics) :]
            columns = {
                "dataset": benchmark.name,
                "metric": [metric for _, metric in rows],
                "reading": [reading for reading, _ in rows],
                **kind,
                "of_released": found.estimate[released],
                "of_computed": computed,
                "value": computed - found.estimate[released],
                **end_columns(drawn - found.distribution[released], confidence_level),
            }
            frames.append(pd.DataFrame(columns))
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=[*_KEYS, "level", "coefficient"], values=["value", "low", "high"])


def people(
    rescored: Sequence[Rescored],
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "kendall",
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Correlation with people of released scores, and of what is computed here also where none were released.

    Parameters
    ----------
    rescored : of `rescore_others`
    levels, coefficient, n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`
        Systems and documents are drawn again.

    Returns
    -------
    DataFrame with columns dataset, program (`RELEASED` or `HERE`), level, coefficient, metric, value, low,
    high, standard_error, n_used, n_total, n_resamples, n_undefined, n_systems
    """
    parts = (
        Part({"dataset": one.benchmark.name, "program": program}, one.benchmark.with_scores(scores))
        for one in rescored
        for program, scores in {RELEASED: one.benchmark.scores, **one.found}.items()
        if len(scores)
    )
    return tabulate(
        parts, intervals, over={"level": levels, "coefficient": [coefficient]}, method="Boot-Both",
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip


def orders(correlations: pd.DataFrame) -> pd.DataFrame:
    """How many pairs of metrics change their order by correlation with people.

    Parameters
    ----------
    correlations : DataFrame of `correlations`

    Returns
    -------
    DataFrame with columns dataset, reading, level, n_pairs (of metrics that have both
    correlations), n_swapped
    """
    rows = []
    for (dataset, reading, level), part in correlations.groupby(["dataset", "reading", "level"], sort=False):
        first, second = np.triu_indices(len(part), 1)
        released, computed = (
            signs(of[first] - of[second], DIFFERENCE_TIE)
            for of in part[["of_released", "of_computed"]].to_numpy().T
        )
        known = int((~np.isnan(released * computed)).sum())
        rows.append((dataset, reading, level, known, int((released * computed < 0).sum())))
    columns = ["dataset", "reading", "level", "n_pairs", "n_swapped"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:3], values=["n_swapped"])


def by_the_script(rescored: Sequence[Rescored]) -> pd.DataFrame:
    """`differences` where the script ROUGE-1.5.5 counts, with its own stems.

    Computed where the environment variable ``ROUGE_155`` names the script's folder; elsewhere as
    ``python -m bookbuild rouge155`` recorded them.

    Parameters
    ----------
    rescored : of `rescore`

    Returns
    -------
    DataFrame of the shape of `differences`, with a column remark where nothing was computed
    """
    folder = rouge_155_folder()
    if folder is None or is_simulated():
        kept = recorded.read("rescored_155").assign(remark="recorded, not re-run here")
        return check(kept, keys=_KEYS, values=["share_equal"])
    out = []
    for one in rescored:
        found = {}
        for reading in (PLAIN, SENTENCES, JOINED):
            of = READINGS[reading]
            texts = of.prepared(one.benchmark.texts)
            planes = [
                rouge_155_scores(texts, folder=folder, part=part, by_sentence=of.by_sentence)
                for part in ("recall", "precision")
            ]
            scores = xr.concat(planes, "metric")
            kept = [metric for metric in scores.indexes["metric"] if metric in one.benchmark.metrics]
            found[reading] = scores.sel(metric=kept)
        out.append(Rescored(one.benchmark, found))
    return differences(out)


def answer(
    closest: pd.DataFrame,
    lengths: pd.DataFrame,
    correlations: pd.DataFrame,
    orders: pd.DataFrame,
    others: pd.DataFrame,
    others_moved: pd.DataFrame,
    script: pd.DataFrame,
) -> dict[str, str]:
    """The page's answer: how many scores come out, by which reading, and what that does to conclusions.

    Parameters
    ----------
    closest, lengths, correlations, orders : DataFrames of the functions of these names, of ROUGE
    others, others_moved : DataFrames of `differences` and `correlations`, of `rescore_others`
    script : DataFrame of `by_the_script`

    Returns
    -------
    dict
        ``rescored-answer-short``, the answer in a sentence; ``rescored-answer-readings``,
        ``rescored-answer-left``, ``rescored-answer-people`` and ``rescored-answer-others``; every word is
        chosen from the numbers.
    """
    of_closest = correlations.merge(closest[_KEYS], on=_KEYS)
    return {
        "rescored-answer-short": _in_short(closest, of_closest, script),
        "rescored-answer-readings": " ".join(_nearest(*of) for of in closest.groupby("dataset", sort=False)),
        "rescored-answer-left": " ".join(_left(*of) for of in lengths.groupby("dataset", sort=False)),
        "rescored-answer-people": (
            f"{_moved(correlations, orders)} By the closest preparations {_reach(of_closest)}."
        ),
        "rescored-answer-others": _of_others(others, others_moved),
    }


def _in_short(nearest: pd.DataFrame, moved: pd.DataFrame, script: pd.DataFrame) -> str:
    """How many scores come out, here and by the script, and whether a correlation is shown to be another."""
    of_package, of_script = (
        {dataset: wording.percent(share) for dataset, share in found.items()}
        for found in (_mean_equal(nearest), _mean_equal(closest(script)))
    )
    shares = [f"{share} ({words('data', dataset)})" for dataset, share in of_package.items()]
    counted = wording.joined([of_script[dataset] for dataset in of_package if dataset in of_script])
    kept = " (recorded)" if "remark" in script else ""
    # what is recorded is of real scores
    by_script = "" if is_simulated() else f", {counted} by the script ROUGE-1.5.5{kept}"
    return (
        "ROUGE recomputed from texts prepared the closest way equals the released score in "
        f"{wording.joined(shares)} of cases by the package rouge-score{by_script}. {_none_shown(moved)}"
    )


def _mean_equal(nearest: pd.DataFrame) -> pd.Series:
    """The mean share of equal scores of each data set."""
    return nearest.groupby("dataset", sort=False)["share_equal"].mean()


def _none_shown(moved: pd.DataFrame) -> str:
    """How many correlations with people are shown to change, and the largest change."""
    where = wording.sides(moved["low"], moved["high"])
    n, most = where["below"] + where["above"], moved.loc[moved["value"].abs().idxmax()]
    return (
        f"{n or 'None'} of {len(moved)} correlations with people {'are' if n > 1 else 'is'} shown to change, "
        f"each interval by itself; largest change: {value_told(most)} ({most['metric']}, "
        f"{words('data', most['dataset'])}, {words('level', most['level'])})."
    )


def _shown_to_move(moved: pd.DataFrame) -> str:
    """How many differences of two correlations their intervals place beside 0, and the largest of them."""
    where = wording.sides(moved["low"], moved["high"])
    most = moved.loc[moved["value"].abs().idxmax()]
    return (
        f"in {where['below'] + where['above']} of {len(moved)} cases, each interval by itself; "
        f"the largest difference is {value_told(most)} ({most['metric']} on "
        f"{words('data', most['dataset'])}, {words('level', most['level'])})"
    )


def _reach(moved: pd.DataFrame) -> str:
    """How far all differences may go: where no interval leaves out 0, nothing is shown to be equal."""
    return f"the intervals reach from {moved['low'].min():.2f} to {moved['high'].max():.2f}"


def _nearest(dataset: str, closest: pd.DataFrame) -> str:
    """By which readings the metrics of a data set come closest, and how close."""
    of = []
    for reading, part in closest.groupby("reading", sort=False):
        equal = wording.extent(part["share_equal"], ".0%")
        of.append(f"“{reading}” for {_of_variants(part['metric'])} ({equal} equal)")
    return f"On {words('data', dataset)} closest is {wording.joined(of)}."


def _of_variants(metrics: Sequence[str]) -> str:
    """Metrics in a sentence, parts after the ROUGE that they are of."""
    parts: dict[str, list[str]] = {}
    for metric in metrics:
        variant, part = metric.split()
        parts.setdefault(variant, []).append(part)
    everywhere = len({tuple(of) for of in parts.values()}) == 1
    if everywhere:
        return f"{wording.joined(list(parts))} ({', '.join(next(iter(parts.values())))})"
    return wording.joined([f"{variant} ({', '.join(of)})" for variant, of in parts.items()])


def _left(dataset: str, lengths: pd.DataFrame) -> str:
    """Why summaries are not equal under the reading that leaves the fewest."""
    best = lengths.loc[lengths["share_equal"].idxmax()]
    return (
        f"On {words('data', dataset)}, by “{best['reading']}”, the release scored "
        f"{wording.percent(best['share_resized'], 1)} of the summaries on a text or a reference of another "
        f"length; in {wording.percent(best['share_matched'], 1)} the lengths agree and other words match."
    )


def _moved(correlations: pd.DataFrame, orders: pd.DataFrame) -> str:
    """The reading that moves a correlation most, and where pairs of metrics change their order."""
    most = correlations.loc[correlations["value"].abs().idxmax()]
    swapped = orders.groupby(["dataset", "reading"], sort=False)[["n_swapped", "n_pairs"]].sum()
    dataset, reading = (swapped["n_swapped"] / swapped["n_pairs"]).idxmax()
    n_swapped, n_pairs = swapped.loc[(dataset, reading)]
    return (
        f"Of all preparations “{most['reading']}” moves a correlation with people most: {most['metric']} on "
        f"{words('data', most['dataset'])} from {most['of_released']:.2f} to {most['of_computed']:.2f} at "
        f"{words('level', most['level'])}, a difference of "
        f"{value_told(most)}. "
        f"Pairs of these metrics change their order by correlation most "
        f"often by “{reading}” on {words('data', dataset)}, in {n_swapped:,.0f} of {n_pairs:,.0f} cases."
    )


def _of_others(others: pd.DataFrame, moved: pd.DataFrame) -> str:
    """Which other metrics come out, how the rest go with the released ones, and with people beside them."""
    same = others["share_equal"] > 0.5  # more summaries than not
    said = [
        f"{row.metric} on {words('data', row.dataset)} is the released one in "
        f"{wording.percent(row.share_equal)} of the summaries"
        for row in others[same].itertuples()
    ]
    rest = others[~same]
    if len(rest):
        names = wording.joined(rest["metric"].unique().tolist())
        low, high = rest["value"].min(), rest["value"].max()
        said.append(
            f"{names} computed here are not the scores released, with which they correlate at r from "
            f"{low:.2f} to {high:.2f} over all summaries"
        )
        of_rest = moved.merge(rest[_KEYS], on=_KEYS)
        moves = f"{_shown_to_move(of_rest)}, and {_reach(of_rest)}"
        said.append(f"their correlation with people is shown to differ {moves}")
    return "; ".join(said) + "."


def reach_curves(reach: pd.DataFrame) -> go.Figure:
    """Share of the summaries by distance from the released score; a dropdown picks the part.

    Parameters
    ----------
    reach : DataFrame of `helpers.experiments.rescored.reach`
    """
    sheet = marks(
        reach, x="apart", y="value", mode="lines", panel="variant", row="dataset", series="reading",
        menu="part", labels={"value": "share of summaries"},
    )  # fmt: skip
    ticks = [0.01, 0.1, 1, 10]
    sheet.x(
        title="points from the released score",
        type="log",
        tickvals=ticks,
        ticktext=[f"{tick:g}" for tick in ticks],
    )
    sheet.y(**share_axis(-0.03, 1.03)).menu("Part", "part")
    return sheet.figure(height=150 + 240 * reach["dataset"].nunique())


def moved_dots(correlations: pd.DataFrame) -> go.Figure:
    """Correlation with people of computed minus released scores, by reading; a dropdown picks the part.

    Parameters
    ----------
    correlations : DataFrame of `helpers.experiments.rescored.correlations`
    """
    named = correlations["metric"].str.split(expand=True)
    shown = correlations.assign(variant=named[0], part=named[1])
    readings = shown["reading"].unique().tolist()[::-1]
    variants = shown["variant"].unique()
    sheet = marks(
        shown, x="value", y="reading", panel="level", row="dataset", series="variant", menu="part",
        order=readings, hover=["of_released", "of_computed"], labels={"value": "recomputed minus released"},
        size=7,
    )  # fmt: skip
    sheet.menu("Part", "part").y(range=[-0.6, len(readings) - 0.4])
    return sheet.figure(height=dot_height(readings * shown["dataset"].nunique(), variants))


def program_dots(people: pd.DataFrame) -> go.Figure:
    """Correlations with people of released scores beside those of scores that are computed here.

    Parameters
    ----------
    people : DataFrame of `helpers.experiments.rescored.people`
    """
    metrics = people["metric"].unique().tolist()[::-1]
    sheet = marks(
        people, x="value", y="metric", panel="level", row="dataset", series="program", order=metrics,
        labels={"value": "correlation with people"}, size=8,
    )  # fmt: skip
    # a series that lacks a row leaves it out of the automatic range
    sheet.x(**correlation_axis(people["low"])).y(range=[-0.6, len(metrics) - 0.4])
    return sheet.figure(height=dot_height(metrics * people["dataset"].nunique(), people["program"].unique()))


def _compute(*, datasets, metrics, readings, seed, **settings) -> pd.DataFrame:
    found = rescore(releases(datasets), metrics=metrics, readings=readings)
    return correlations(found, rng=seed, **settings)


LIVE = Live(
    notebook="rescored",
    question="What does preparing the texts in another way do to a correlation with people?",
    controls=(
        Several("datasets", "Data sets", ("realsumm", "summeval")),
        Several("metrics", "ROUGE", METRICS),
        Several("readings", "Readings", tuple(READINGS)),
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: moved_dots(table),
)
