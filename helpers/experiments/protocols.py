"""experiments.protocols: does it matter which protocol of human judgment is the gold standard?

Liu et al. 2023 (RoSE); Deutsch et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.draws import streamed
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import with_system_names
from helpers.kit.theme import GREY, Style, faint, style_of
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, VARIANTS
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.intervals import interval
from metaeval.stats.reliability import disattenuated
from metaeval.stats.ties import DIFFERENCE_TIE, places_of, system_means
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check

# one annotation of content units, counted in two ways: what they have in common is no agreement of protocols
UNITS = ("ACU", "normalised ACU")
AVERAGES = "mean of the metrics minus mean of the other protocols"
CUT, RELEASED = "cut to whole numbers", "as released"  # readings of a rating
ONE_ROUND, APART, BEYOND = "one round", "a round apart", "itself minus the others"
_ENDS = ("value", "low", "high")


def with_rouge(benchmark: Benchmark, *, rouge=VARIANTS, parts=("recall", "F1")) -> Benchmark:
    """A benchmark whose metrics are ROUGE's, computed from its texts."""
    for variant in rouge:
        choose("ROUGE variant", variant, dict.fromkeys(VARIANTS))
    for part in parts:
        choose("part of ROUGE", part, dict.fromkeys(PARTS))
    metrics = [f"{variant} {part}" for part, variant in product(parts, rouge)]
    return benchmark.with_scores(kept_scores(benchmark.texts, metrics), scale=dict.fromkeys(metrics, 1.0))


def _parts(benchmark: Benchmark, protocols: Sequence[str]) -> Iterator[Part]:
    """Benchmarks with each protocol as the gold standard, and the other protocols as further metrics."""
    if not protocols:
        raise ValueError("no protocol is named: name at least one")
    for protocol in protocols:
        others = [other for other in protocols if other != protocol]
        planes = [benchmark.judgment(other).expand_dims(metric=[other]) for other in others]
        scores = xr.concat([benchmark.scores, *(plane.drop_vars("judgment") for plane in planes)], "metric")
        scores = scores.assign_coords(metric=pd.Index([*benchmark.metrics, *others], dtype=object))
        keys = {"dataset": benchmark.name, "judgment": protocol}
        yield Part(keys, benchmark.judged_by(protocol).with_scores(scores))


def correlations(
    benchmark: Benchmark, *, protocols, levels=("system", "summary"),
    coefficients=("pearson", "spearman", "kendall"), **draws,
) -> pd.DataFrame:  # fmt: skip
    """Metrics, and the other protocols, against each protocol; all of one protocol share the draws."""
    over = {"level": levels, "coefficient": coefficients}
    table = tabulate(_parts(benchmark, protocols), intervals, over=over, method="Boot-Both", **draws)
    table.insert(2, "kind", np.where(table["metric"].isin(protocols), "protocol", "metric"))
    return check(table, keys=["judgment", "metric", "level", "coefficient"], values=_ENDS)


@tidy("judgment", "level", "coefficient", "quantity", values=_ENDS)
def differences(
    benchmark: Benchmark, *, protocols, rivals, levels=("system", "summary"), coefficient="kendall",
    confidence_level=0.95, **draws,
):  # fmt: skip
    """Metrics' mean correlation with a protocol minus other protocols', and a rival's minus the other's."""
    first, second = rivals
    for part, level in product(_parts(benchmark, protocols), levels):
        gold, names = part.keys["judgment"], part.benchmark.metrics
        kind = {"level": level, "coefficient": coefficient}
        drawn = interval(
            part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), method="Boot-Both", **kind,
            **streamed(draws, *part.keys.values()),
        )  # fmt: skip
        sides = {f"{first} minus {second}": ([first], [second])}
        if others := _others(gold, protocols):
            sides = {AVERAGES: (benchmark.metrics, others), **sides}
        for quantity, pair in sides.items():
            more, less = ([names.index(name) for name in side] for side in pair)
            value = drawn.estimate[more].mean() - drawn.estimate[less].mean()
            change = drawn.distribution[more].mean(axis=0) - drawn.distribution[less].mean(axis=0)
            named = {**part.keys, **kind, "quantity": quantity}
            yield {**named, "value": value, **end_columns(change, confidence_level)}


def _others(protocol: str, protocols: Sequence[str]) -> list[str]:
    """The other protocols; one annotation counts once, and not beside itself."""
    others = [other for other in protocols if other != protocol and not {other, protocol} <= {*UNITS}]
    return [other for other in others if other != UNITS[1] or UNITS[0] not in others]


@tidy("judgment", "system", values=["value", "place"])
def ranks(benchmark: Benchmark, *, protocols):
    """Mean and place of each system by each protocol; equal means share the better place."""
    for protocol in protocols:
        means = system_means(benchmark.judgment(protocol).to_numpy())
        yield {
            "judgment": protocol, "system": benchmark.systems, "value": means, "place": places_of(means),
            "dataset": benchmark.name,
        }  # fmt: skip


def _rounds(first: Benchmark, again: Benchmark, protocols: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The systems of both rounds, and their judgments (round, protocol, system, document)."""
    shared = [system for system in first.systems if system in again.systems]
    documents = [document for document in first.documents if document in again.documents]
    if not shared or len(documents) < 2:
        raise DataError(
            f"{first.name} and {again.name} share {len(shared)} systems and {len(documents)} documents: "
            "no retest without at least a system and two documents"
        )
    cells = {"system": shared, "document": documents}
    planes = [[of.judgment(p).sel(cells).to_numpy() for p in protocols] for of in (first, again)]
    return shared, np.array(planes)


@tidy("judgment", "metric", "quantity", values=_ENDS)
def retest(first: Benchmark, again: Benchmark, *, protocols, confidence_level=0.95, **draws):
    """Pearson's r of each protocol with itself a round later, and with the others in one round."""
    # over a system's documents, which are drawn, averaged over the systems: two are too few to correlate
    # their means; units were counted once, so they are no retest
    systems, planes = _rounds(first, again, protocols)
    flat = planes.reshape(-1, *planes.shape[2:]).swapaxes(1, 2)  # documents where systems are elsewhere
    how = {"level": "summary", "coefficient": "pearson", "method": "Boot-Systems"}
    drawn = [interval(flat, plane, **how, **streamed(draws, first.name, again.name)) for plane in flat]
    # the data as they are, then the draws; round and protocol of either side
    both = np.array([np.column_stack([each.estimate, each.distribution]) for each in drawn])
    both = both.reshape(2, len(protocols), 2, len(protocols), -1)
    same, later = (both[0, :, 0] + both[1, :, 1]) / 2, (both[0, :, 1] + both[1, :, 0]) / 2
    places = {protocol: k for k, protocol in enumerate(protocols)}
    for protocol, k in places.items():
        if protocol in UNITS:
            continue
        values = {(protocol, APART): later[k, k]}
        if beside := [places[other] for other in _others(protocol, protocols)]:
            values[protocol, BEYOND] = later[k, k] - same[k, beside].mean(axis=0)
        values |= {(other, ONE_ROUND): same[k, j] for other, j in places.items() if j != k}
        for (metric, quantity), (value, *resampled) in values.items():
            corrected, j = np.nan, places[metric]
            if quantity == ONE_ROUND and metric not in UNITS:  # without the noise of either
                noise = {"reliability_x": later[k, k, 0], "reliability_y": later[j, j, 0]}
                corrected = float(disattenuated(value, **noise))
            yield {
                "judgment": protocol, "metric": metric, "quantity": quantity, "value": value,
                **end_columns(np.array(resampled), confidence_level), "corrected": corrected,
                "dataset": first.name, "n_documents": planes.shape[-1], "n_systems": len(systems),
            }  # fmt: skip


@tidy("dataset", "quantity", "judgment", "metric", "reading")
def quantities(benchmarks):
    """Mean judgment of each system, as released and with ratings cut to whole numbers, and sizes."""
    for benchmark in benchmarks:
        ratings = [judgment for judgment in benchmark.judgments if judgment not in UNITS]
        # a mean of three ratings in floating point: 2.9999999999999996 is 3
        cut = np.floor(benchmark.humans.sel(judgment=ratings) + DIFFERENCE_TIE)
        for reading, humans in ((RELEASED, benchmark.humans), (CUT, cut)):
            means = humans.mean("document").to_series().rename("value").reset_index()
            named = {"dataset": benchmark.name, "quantity": "mean", "reading": reading}
            yield means.rename(columns={"system": "metric"}).assign(**named)
        sizes = len(benchmark.systems), len(set(benchmark.judgments) - {UNITS[1]})
        named = {"dataset": benchmark.name, "judgment": "", "metric": "", "reading": ""}
        yield {"quantity": ["systems", "protocols"], "value": sizes, **named}


def difference_dots(differences: pd.DataFrame, *, rivals: Sequence[str]) -> go.Figure:
    """One rival's correlation minus the other's, a row for each gold standard and a panel for each level."""
    first, second = rivals
    rows = differences[differences["quantity"] == f"{first} minus {second}"]
    protocols = rows.groupby("judgment")["value"].sum().sort_values().index.tolist()
    sheet = marks(
        rows, x="value", y="judgment", panel="level", order=protocols, own_x=True,
        labels={"value": f"right of zero {first} is ahead"},
    )  # fmt: skip
    return sheet.rule(x=0, text="neither ahead").figure(height=dot_height(protocols, [1]))


def protocol_ranks(ranks: pd.DataFrame) -> go.Figure:
    """The place of each system by each protocol; in colour those that some protocol puts first."""
    ranks = with_system_names(ranks)
    leading = ranks.loc[ranks["place"] == 1, "system"].unique().tolist()
    others = [system for system in ranks["system"].unique() if system not in leading]
    rows = pd.concat([ranks[ranks["system"].isin(group)] for group in (others, leading)])
    style = dict.fromkeys(others, Style(faint(GREY, 0.5)))
    style |= {system: style_of("system", system, k) for k, system in enumerate(leading)}
    sheet = marks(
        rows, x="judgment", y="place", mode="lines+markers", series="system", hover=["value"], style=style
    )
    protocols, last = ranks["judgment"].unique().tolist(), int(ranks["place"].max())
    ends = rows[rows["judgment"] == protocols[-1]].groupby("place")["system"].agg(", ".join)
    points = {"x": [protocols[-1]] * len(ends), "y": ends.index.tolist()}
    named = {"text": [f"\u2003{systems}" for systems in ends], "textposition": "middle right"}
    quiet = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    sheet.add({"mode": "text", **points, **named, **quiet})
    sheet.x(title="protocol", range=[-0.2, len(protocols) - 0.3])
    sheet.y(range=[last + 0.5, 0.5], dtick=1, showgrid=False)
    return sheet.figure(height=170 + 30 * last, showlegend=False)


def _compute(*, dataset, rouge, parts, rivals, seed, **settings) -> pd.DataFrame:
    variants, own = zip(*(rival.rsplit(" ", 1) for rival in rivals), strict=True)  # scored whatever else is
    kinds = {"rouge": list(dict.fromkeys([*rouge, *variants])), "parts": list(dict.fromkeys([*parts, *own]))}
    return differences(with_rouge(load(dataset), **kinds), rivals=rivals, rng=seed, **settings)


LIVE = live(
    "protocols",
    _compute,
    lambda table, rivals: difference_dots(table, rivals=rivals),
    "dataset protocols rouge parts levels coefficient confidence_level n_resamples",
    constants="seed rivals",
    question="Which of two metrics agrees better with people, by what people were asked?",
    initial={"n_resamples": 199},
)
