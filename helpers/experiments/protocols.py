"""experiments.protocols: whether it matters which protocol of human judgment is the gold standard.

A benchmark whose judgments are protocols, with texts, and another round of them in, tidy tables out; called
by the notebook `protocols` and its live block. Liu et al. 2023 (RoSE); Deutsch et al. 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import with_system_names
from helpers.kit.theme import GREY, Style, correlation_axis, faint, style_of
from helpers.kit.told import value_told
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.metrics.rouge import PARTS, VARIANTS
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.draws import drawn_means, unit_counts
from metaeval.stats.intervals import interval
from metaeval.stats.reliability import disattenuated
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, places_of, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part
from metaeval.tables.columns import check
from metaeval.tables.labels import words

# one annotation of content units, counted in two ways: what they have in common is no agreement of protocols
UNITS = ("ACU", "normalised ACU")
METRIC, PROTOCOL = "metric", "protocol"  # what a gold standard is held against
AVERAGES = "mean of the metrics minus mean of the other protocols"
CUT, RELEASED = "cut to whole numbers", "as released"  # readings of a rating
ONE_ROUND, APART, BEYOND = "one round", "a round apart", "itself minus the others"
FIRST_ROUND, ANOTHER = "first round", "another round"


def with_rouge(
    benchmark: Benchmark, *, rouge: Sequence[str] = VARIANTS, parts: Sequence[str] = ("recall", "F1")
) -> Benchmark:
    """A benchmark whose metrics are ROUGE's, computed from its texts.

    Parameters
    ----------
    benchmark : Benchmark with texts
    rouge : of ``"ROUGE-1"``, ``"ROUGE-2"``, ``"ROUGE-L"``
    parts : of ``"recall"``, ``"precision"``, ``"F1"``

    Returns
    -------
    Benchmark

    Raises
    ------
    UnknownNameError
        If a variant or part of ROUGE does not exist.
    """
    for variant in rouge:
        choose("ROUGE variant", variant, dict.fromkeys(VARIANTS))
    for part in parts:
        choose("part of ROUGE", part, dict.fromkeys(PARTS))
    metrics = [f"{variant} {part}" for part in parts for variant in rouge]
    return benchmark.with_scores(kept_scores(benchmark.texts, metrics), scale=dict.fromkeys(metrics, 1.0))


def _parts(benchmark: Benchmark, protocols: Sequence[str]) -> Iterator[Part]:
    """For each protocol as the gold standard, the metrics and the other protocols as if they were metrics."""
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
    benchmark: Benchmark,
    *,
    protocols: Sequence[str],
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Metrics, and the other protocols, against each protocol of judgment.

    Parameters
    ----------
    benchmark : Benchmark
        Its metrics are judged; its judgments are the protocols.
    protocols : names of judgments
    levels, coefficients, n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`
        Systems and documents are drawn again, the same for all that is held against one protocol.

    Returns
    -------
    DataFrame with columns dataset, judgment (the gold standard), kind (metric or protocol), metric (which
    one), level, coefficient, value, low, high, standard_error, n_used, n_total, n_resamples, n_undefined,
    n_systems

    Raises
    ------
    UnknownNameError
        For a protocol that the benchmark does not have.
    ValueError
        If no protocol is named.
    """
    found = tabulate(
        _parts(benchmark, protocols), intervals, over={"level": levels, "coefficient": coefficients},
        method="Boot-Both", n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip
    kind = np.where(found["metric"].isin(protocols), PROTOCOL, METRIC)
    found.insert(2, "kind", kind)
    return check(found, keys=["judgment", "metric", "level", "coefficient"], values=["value", "low", "high"])


def differences(
    benchmark: Benchmark,
    *,
    protocols: Sequence[str],
    rivals: Sequence[str],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "kendall",
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """How far metrics agree with a protocol beyond what other protocols do, and one metric beyond another.

    Parameters
    ----------
    benchmark, protocols, levels, n_resamples, confidence_level, rng : see `correlations`
        All correlations with one protocol are over the same draws.
    rivals : two of the benchmark's metrics
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    DataFrame with columns dataset, judgment, level, coefficient, quantity (`AVERAGES`, or the two rivals),
    value, low, high, low_mc_error, high_mc_error, n_undefined, n_resamples
        ACU and its normalised form are one annotation (`UNITS`): it counts once, and not beside itself.
    """
    first, second = rivals
    seed, rows = seed_of(rng), []
    for part in _parts(benchmark, protocols):
        gold, names = part.keys["judgment"], part.benchmark.metrics
        sides = {
            AVERAGES: (benchmark.metrics, _others(gold, protocols)),
            f"{first} minus {second}": ([first], [second]),
        }
        for level in levels:
            kind = {"level": level, "coefficient": coefficient}
            found = interval(
                part.benchmark.scores.to_numpy(), part.benchmark.human.to_numpy(), method="Boot-Both",
                n_resamples=n_resamples, rng=stream(seed, *part.keys.values()), **kind,
            )  # fmt: skip
            for quantity, (left, right) in sides.items():
                more, less = ([names.index(name) for name in side] for side in (left, right))
                value = found.estimate[more].mean() - found.estimate[less].mean()
                drawn = found.distribution[more].mean(axis=0) - found.distribution[less].mean(axis=0)
                named = {**part.keys, **kind, "quantity": quantity}
                rows.append(named | {"value": value} | end_columns(drawn, confidence_level))
    keys = ["judgment", "level", "coefficient", "quantity"]
    return check(pd.DataFrame(rows), keys=keys, values=["value", "low", "high"])


def _others(protocol: str, protocols: Sequence[str]) -> list[str]:
    """The other protocols; one annotation counts once, and not beside itself."""
    found = [other for other in protocols if other != protocol and not {other, protocol} <= {*UNITS}]
    if not found:
        raise ValueError(f"no other protocol stands beside {protocol}: name at least two annotations")
    return [other for other in found if other != UNITS[1] or UNITS[0] not in found]


def ranks(benchmark: Benchmark, *, protocols: Sequence[str]) -> pd.DataFrame:
    """Where each protocol puts each system.

    Parameters
    ----------
    benchmark : Benchmark
    protocols : names of judgments

    Returns
    -------
    DataFrame with columns dataset, judgment, system, value (mean over the documents), place (equal means
    share the better one)
    """
    frames = []
    for protocol in protocols:
        means = system_means(benchmark.judgment(protocol).to_numpy())
        columns = {
            "judgment": protocol,
            "system": benchmark.systems,
            "value": means,
            "place": places_of(means),
        }
        frames.append(pd.DataFrame(columns))
    table = pd.concat(frames, ignore_index=True).assign(dataset=benchmark.name)
    return check(table, keys=["judgment", "system"], values=["value", "place"])


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


def retest(
    first: Benchmark,
    again: Benchmark,
    *,
    protocols: Sequence[str],
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Each protocol with itself a round later, and with the others, on the systems that both rounds have.

    Parameters
    ----------
    first, again : Benchmarks
        Two rounds of judgment; systems and documents are matched by id.
    protocols : names of judgments that both have
        Counts of content units (`UNITS`) were made once, so they are no retest and only stand beside others.
    n_resamples, confidence_level, rng : as in `correlations`; documents are drawn again

    Returns
    -------
    DataFrame with columns dataset, judgment, metric (the protocol beside it or itself), quantity (`APART`, of
    itself; `ONE_ROUND`, of others, averaged over the rounds; `BEYOND`, of itself minus the others' mean),
    value, low, high, low_mc_error, high_mc_error, corrected (without either's noise, where both were judged
    twice), n_documents, n_systems, n_undefined, n_resamples
        Pearson's r over a system's documents, averaged over the systems, since two systems are too few to
        correlate their means.

    Raises
    ------
    DataError
        If the rounds share no system, or fewer than two documents.
    """
    systems, planes = _rounds(first, again, protocols)
    seed = seed_of(rng)
    flat = planes.reshape(-1, *planes.shape[2:]).swapaxes(1, 2)  # documents where systems are elsewhere
    settings = {"level": "summary", "coefficient": "pearson", "method": "Boot-Systems"}
    found = [
        interval(flat, plane, n_resamples=n_resamples, rng=stream(seed, first.name, again.name), **settings)
        for plane in flat
    ]
    # the data as they are, then the draws; round and protocol of either side
    both = np.array([np.column_stack([each.estimate, each.distribution]) for each in found])
    both = both.reshape(2, len(protocols), 2, len(protocols), -1)
    same, later = (both[0, :, 0] + both[1, :, 1]) / 2, (both[0, :, 1] + both[1, :, 0]) / 2
    twice = [k for k, protocol in enumerate(protocols) if protocol not in UNITS]
    rows = []
    for k in twice:
        others = [j for j in range(len(protocols)) if j != k]
        own = {"judgment": protocols[k], "metric": protocols[k]}
        beside = [protocols.index(other) for other in _others(protocols[k], protocols)]
        beyond = later[k, k] - same[k, beside].mean(axis=0)
        for quantity, values in ((APART, later[k, k]), (BEYOND, beyond)):
            row = {**own, "quantity": quantity, "value": values[0]}
            rows.append(row | end_columns(values[1:], confidence_level))
        for j in others:
            value, drawn = same[k, j, 0], same[k, j, 1:]
            row = {**own, "metric": protocols[j], "quantity": ONE_ROUND, "value": value}
            row |= end_columns(drawn, confidence_level)
            if j in twice:
                noise = {"reliability_x": later[k, k, 0], "reliability_y": later[j, j, 0]}
                row["corrected"] = float(disattenuated(value, **noise))
            rows.append(row)
    sizes = {"n_documents": planes.shape[-1], "n_systems": len(systems)}
    table = pd.DataFrame(rows).assign(dataset=first.name, **sizes)
    return check(table, keys=["judgment", "metric", "quantity"], values=["value", "low", "high"])


def rounds(
    first: Benchmark,
    again: Benchmark,
    *,
    protocols: Sequence[str],
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """What another round does to the mean of a system, and to the difference of two systems.

    Parameters
    ----------
    first, again, protocols, n_resamples, confidence_level, rng : see `retest`

    Returns
    -------
    DataFrame with columns dataset, judgment, quantity (a system, later minus first; or the first two systems'
    difference in either round), value, low, high, low_mc_error, high_mc_error, n_undefined, n_documents,
    n_resamples
    """
    systems, planes = _rounds(first, again, protocols)
    systems = [words("system", system) for system in systems]
    n_documents = planes.shape[-1]
    counts = unit_counts(stream(seed_of(rng), first.name, again.name), n_resamples, n_documents)
    rows = []
    for protocol, (before, after) in zip(protocols, planes.swapaxes(0, 1), strict=True):
        if protocol in UNITS:
            continue
        asked = {f"{system}, {ANOTHER} minus first": after[k] - before[k] for k, system in enumerate(systems)}
        for where, plane in ((FIRST_ROUND, before), (ANOTHER, after)):
            if len(systems) > 1:
                asked[f"{systems[0]} minus {systems[1]}, {where}"] = plane[0] - plane[1]
        for quantity, values in asked.items():
            named = {"dataset": first.name, "judgment": protocol, "quantity": quantity}
            found = end_columns(drawn_means(values[None], counts)[:, 0], confidence_level)
            rows.append({**named, "value": values.mean(), **found, "n_documents": n_documents})
    return check(pd.DataFrame(rows), keys=["judgment", "quantity"], values=["value", "low", "high"])


def quantities(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """Mean judgment of each system, by all digits and with every document's cut to whole numbers; and sizes.

    Parameters
    ----------
    benchmarks : Benchmarks whose judgments are protocols

    Returns
    -------
    DataFrame with columns dataset, quantity ("mean", "systems", "protocols"), judgment, metric (the system),
    reading (`RELEASED`; `CUT`, of ratings), value
    """
    frames = []
    for benchmark in benchmarks:
        ratings = [judgment for judgment in benchmark.judgments if judgment not in UNITS]
        # a mean of three ratings in floating point: 2.9999999999999996 is 3
        cut = np.floor(benchmark.humans.sel(judgment=ratings) + DIFFERENCE_TIE)
        for reading, humans in ((RELEASED, benchmark.humans), (CUT, cut)):
            means = humans.mean("document").to_series().rename("value").reset_index()
            frames.append(
                means.rename(columns={"system": "metric"}).assign(
                    dataset=benchmark.name, quantity="mean", reading=reading
                )
            )
        n_protocols = len(set(benchmark.judgments) - {UNITS[1]})
        sizes = {"quantity": ["systems", "protocols"], "value": [len(benchmark.systems), n_protocols]}
        frames.append(pd.DataFrame(sizes).assign(dataset=benchmark.name, judgment="", metric="", reading=""))
    keys = ["dataset", "quantity", "judgment", "metric", "reading"]
    return check(pd.concat(frames, ignore_index=True), keys=keys)


def answer(correlations: pd.DataFrame, differences: pd.DataFrame, retest: pd.DataFrame) -> dict[str, str]:
    """The page's answer: which metric comes first, how far protocols agree, and a protocol with itself.

    Parameters
    ----------
    correlations : DataFrame of `correlations`
    differences : DataFrame of `differences`
        Its coefficient is the one of which the sentences speak.
    retest : DataFrame of `retest`

    Returns
    -------
    dict
        ``protocols-answer-short`` and ``-sure``, the answer and its ends; ``protocols-answer-first``,
        ``protocols-answer-agree`` and ``protocols-answer-retest``; every word is chosen from the numbers.
    """
    coefficient = differences["coefficient"].iloc[0]
    kept = correlations[correlations["coefficient"] == coefficient]
    of_levels = list(kept.groupby("level", sort=False))
    rivals = differences[differences["quantity"] != AVERAGES]
    averages = differences[differences["quantity"] == AVERAGES]
    name = words("coefficient", coefficient)
    return {
        "protocols-answer-short": _in_short(rivals),
        "protocols-answer-sure": _ends_told(rivals),
        "protocols-answer-first": " ".join(_firsts(level, part, rivals) for level, part in of_levels),
        "protocols-answer-agree": " ".join(
            [*(_pairs_told(level, part, averages) for level, part in of_levels), f"All of this is by {name}."]
        ),
        "protocols-answer-retest": _retest_told(retest),
    }


def _in_short(rivals: pd.DataFrame) -> str:
    """At which levels some gold standards prefer one metric, and others the other, by intervals."""
    first, second = _rivals(rivals)
    on = words("data", rivals["dataset"].iloc[0])
    turned = _turned(rivals)
    if not turned:
        return (
            f"On {on} it is not shown to matter for {first} against {second}: no two gold standards are "
            "shown to disagree."
        )
    told = [
        f"{first} agrees more than {second} with {wording.joined(more)}, and less with "
        f"{wording.joined(less)} ({words('level', level)})"
        for level, (more, less) in turned.items()
    ]
    return f"The choice decides which metric looks better. On {on}, {'; '.join(told)}."


def _rivals(rivals: pd.DataFrame) -> list[str]:
    """The two metrics whose difference the rows hold."""
    return rivals["quantity"].iloc[0].split(" minus ")


def _turned(rivals: pd.DataFrame) -> dict[str, list[list[str]]]:
    """The levels at which both metrics are preferred, and by which gold standards each."""
    found = {
        level: [part.loc[side, "judgment"].tolist() for side in (part["low"] > 0, part["high"] < 0)]
        for level, part in rivals.groupby("level", sort=False)
    }
    return {level: both for level, both in found.items() if all(both)}


def _ends_told(rivals: pd.DataFrame) -> str:
    """The ends of the differences where gold standards decide, and elsewhere whom intervals favour."""
    told, elsewhere, turned = [], "", _turned(rivals)
    for level, part in rivals.groupby("level", sort=False):
        if turned and level not in turned:
            n, (one, other) = wording.sides(part["low"], part["high"]), _rivals(part)
            elsewhere += f" At {words('level', level)}, intervals favour "
            elsewhere += (
                f"{one} with {n['above']} of {len(part)}, {other} with {n['below'] or 'none'}."
                if n["above"] or n["below"]
                else "neither."
            )
            continue
        ends = [part.loc[place] for place in (part["value"].idxmin(), part["value"].idxmax())]
        least, most = (f"{value_told(row)} ({row['judgment']})" for row in ends)
        told.append(f"{least} to {most}" + f" at {words('level', level)}" * (not turned))
    coefficient = words("coefficient", rivals["coefficient"].iloc[0])
    return f"Its lead in {coefficient}: {wording.joined(told)}.{elsewhere}"


def _told(rows: pd.DataFrame, said: tuple[str, str, str]) -> str:
    """By where their intervals lie: the gold standards of rows, in words."""
    by_word: dict[str, list[str]] = {}
    for row in rows.to_dict("records"):
        by_word.setdefault(wording.against(row["low"], row["high"], words=said), []).append(row["judgment"])
    return "; ".join(f"{word} {wording.joined(golds)}" for word, golds in by_word.items())


def _firsts(level: str, correlations: pd.DataFrame, rivals: pd.DataFrame) -> str:
    """Which metric has the highest correlation, by gold standard, and where one is shown to beat another."""
    metrics = correlations[correlations["kind"] == METRIC].dropna(subset="value")
    found = metrics.loc[metrics.groupby("judgment", sort=False)["value"].idxmax()]
    by_metric = found.groupby("metric", sort=False)["judgment"].agg(list)
    said = [f"{metric} with {wording.joined(golds)}" for metric, golds in by_metric.items()]
    at_level = rivals[rivals["level"] == level]
    one, other = _rivals(at_level)
    sides = (f"{other} agrees more with", "neither is shown to agree more with", f"{one} agrees more with")
    return (
        f"At {words('level', level)} the highest of {metrics['metric'].nunique()} correlations with a gold "
        f"standard, by value alone, is that of {'; of '.join(said)}. Of {one} and {other}, by the interval "
        f"of their difference, {_told(at_level, sides)}."
    )


def _pairs_told(level: str, correlations: pd.DataFrame, averages: pd.DataFrame) -> str:
    """How many pairs of protocols agree beyond chance, the most and the least alike, and metrics beside."""
    between = correlations[correlations["kind"] == PROTOCOL]
    pair = [" and ".join(sorted(names)) for names in zip(between["judgment"], between["metric"], strict=True)]
    between = between.assign(pair=pair).drop_duplicates("pair")
    between = between[[{*names.split(" and ")} != {*UNITS} for names in between["pair"]]]
    ends = [
        f"{row.pair} ({value_told(row)})"
        for row in (between.loc[between["value"].idxmax()], between.loc[between["value"].idxmin()])
    ]
    sides = ("lower for", "not told apart from it for", "higher for")
    return (
        f"At {words('level', level)}, {(between['low'] > 0).sum()} of {len(between)} pairs of gold standards "
        f"are shown to agree (interval above 0). The highest correlation is that of {ends[0]}, the lowest "
        f"that of {ends[1]}. The metrics' mean correlation with a gold standard, beside that of the other "
        f"protocols, is {_told(averages[averages['level'] == level], sides)}."
    )


def _retest_told(retest: pd.DataFrame) -> str:
    """Each protocol with itself a round later, and whether that is more than with the others in one round."""
    own = retest[retest["quantity"] == APART]
    said = [f"{value_told(row)} for {row.judgment}" for row in own.itertuples()]
    sides = ("lower for", "not told apart from it for", "higher for")
    return (
        f"The summaries of {own['n_systems'].iloc[0]:.0f} systems were judged in both rounds. Between the "
        f"rounds a protocol's correlation with itself (Pearson's r over a system's documents) is "
        f"{wording.joined(said)}. Beside its mean correlation with the other protocols in one round, that is "
        f"{_told(retest[retest['quantity'] == BEYOND], sides)}."
    )


def protocol_dots(results: pd.DataFrame) -> go.Figure:
    """Correlations with intervals, in each row one for each gold standard; a dropdown picks the coefficient.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.protocols.correlations`
    """
    names = results["metric"].unique().tolist()
    protocols = results["judgment"].unique().tolist()
    order = [*protocols[::-1], *[name for name in names if name not in protocols][::-1]]
    sheet = marks(
        results, x="value", y="metric", panel="level", series="judgment", menu="coefficient", order=order,
        labels={"value": "correlation", "metric": "metric or protocol"}, size=8,
    )  # fmt: skip
    sheet.x(**correlation_axis(results["low"])).menu("Coefficient", "coefficient")
    return sheet.figure(height=dot_height(order, protocols))


def protocol_ranks(ranks: pd.DataFrame) -> go.Figure:
    """The place of each system by each protocol; in colour those that some protocol puts first.

    Parameters
    ----------
    ranks : DataFrame of `helpers.experiments.protocols.ranks`
    """
    ranks = with_system_names(ranks)
    leading = ranks.loc[ranks["place"] == 1, "system"].unique().tolist()
    others = [system for system in ranks["system"].unique() if system not in leading]
    shown = pd.concat([ranks[ranks["system"].isin(others)], ranks[ranks["system"].isin(leading)]])
    sheet = marks(
        shown, x="judgment", y="place", mode="lines+markers", series="system", hover=["value"],
        style=dict.fromkeys(others, Style(faint(GREY, 0.5)))
        | {system: style_of("system", system, k) for k, system in enumerate(leading)},
    )  # fmt: skip
    protocols = ranks["judgment"].unique().tolist()
    ends = shown[shown["judgment"] == protocols[-1]].groupby("place")["system"].agg(", ".join)
    at_the_end = {"x": [protocols[-1]] * len(ends), "y": ends.index.tolist()}
    named = {"text": [f"\u2003{systems}" for systems in ends], "textposition": "middle right"}
    quiet = {"hoverinfo": "skip", "showlegend": False, "cliponaxis": False}
    sheet.add({"mode": "text", **at_the_end, **named, **quiet})
    last = int(ranks["place"].max())
    sheet.y(range=[last + 0.5, 0.5], dtick=1, showgrid=False).x(
        title="protocol", range=[-0.2, len(protocols) - 0.3]
    )
    return sheet.figure(height=170 + 30 * last, showlegend=False)


def retest_dots(retest: pd.DataFrame) -> go.Figure:
    """A protocol with itself a round later, beside the others in one round.

    Parameters
    ----------
    retest : DataFrame of `helpers.experiments.protocols.retest`
    """
    itself = "itself, later"
    kept = retest[retest["quantity"].isin(["a round apart", "one round"])]
    shown = kept.assign(metric=kept["metric"].mask(kept["quantity"] == "a round apart", itself))
    names = dict.fromkeys([itself, *shown["judgment"], *shown["metric"]])
    sheet = marks(
        shown, x="value", y="metric", panel="judgment", colour="quantity", order=[*names][::-1],
        hover=["corrected"], labels={"value": "Pearson's r", "metric": "protocol"}, size=7,
    )  # fmt: skip
    sheet.x(**correlation_axis(shown["low"]))
    return sheet.figure(height=dot_height(names))


def _compute(*, dataset, rouge, parts, seed, **settings) -> pd.DataFrame:
    benchmark = with_rouge(load(dataset), rouge=rouge, parts=parts)
    return correlations(benchmark, rng=seed, **settings)


def _protocols(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


LIVE = Live(
    notebook="protocols",
    question="How do metrics, and protocols of human judgment, agree with each protocol?",
    controls=(
        One("dataset", "Data set", choices.datasets(("rose", "rose-llm"))),
        Several("protocols", "Protocols", _protocols),
        Several("rouge", "ROUGE", VARIANTS),
        Several("parts", "Parts", PARTS),
        choices.TWO_LEVELS,
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: protocol_dots(table),
)
