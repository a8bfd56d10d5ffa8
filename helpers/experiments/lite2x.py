"""experiments.lite2x: what does it cost to let a machine write the units of the easiest sentences?

Zhang and Bansal 2021, §3.3, Figs. 2 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import band
from helpers.kit.theme import BLUE, GREY, VERMILLION, Style, share_axis
from helpers.kit.tidy import tidy
from metaeval.core.errors import choose
from metaeval.core.limits import check_spread
from metaeval.metrics.pyramid import easiness
from metaeval.metrics.pyramid.folds import fold_mean
from metaeval.metrics.pyramid.nli import load_presence
from metaeval.metrics.pyramid.study import as_listed, judge, load_study
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.columns import check
from metaeval.tables.labels import words

ORDERS = {  # in which sentences get STUs
    "easiest first": Style(VERMILLION, "solid"),
    "hardest first": Style(BLUE, "dot"),
    "random": Style(GREY, "dash"),
}
EASIEST, HARDEST, RANDOM = ORDERS


@dataclass(frozen=True)
class Easiness:
    """Tables of the page, of all data sets."""

    sentences: pd.DataFrame
    curve: pd.DataFrame
    regressor: pd.DataFrame
    gains: pd.DataFrame


def tables(datasets, *, presence, fine_tuned=(), by="document", units, shares, n_random, rng) -> Easiness:
    """Easiness of sentences and correlations as STUs replace SCUs, where presence is judged by a model."""
    # folders of `fine_tuned` go before `presence`; a regressor learns by documents whatever `by` says
    seed = seed_of(rng)
    trained = [labels for labels, split in map(load_presence, fine_tuned) if split == by]
    parts = []
    for name in datasets:
        study = load_study(name)
        tuned = next((labels for labels in trained if set(labels["SCU"]) == set(study.labels)), None)
        judged = judge(study, presence, by=by) if tuned is None else tuned
        names = {"dataset": name, "presence": presence if tuned is None else "fine-tuned"}
        own = _study_tables(study, judged, by, units, shares, n_random, seed)
        parts.append([table.assign(**names) for table in own])
    joined = (pd.concat(frames, ignore_index=True) for frames in zip(*parts, strict=True))
    sentences, curve, regressor, gains = joined
    keys = ["dataset", "presence"]
    return Easiness(
        sentences=check(sentences, keys=[*keys, "document", "sentence"], values=["easiness", "predicted"]),
        curve=check(curve, keys=[*keys, "split", "order", "share", "level", "coefficient"]),
        regressor=check(regressor, keys=[*keys, "quantity"]),
        gains=check(gains, keys=[*keys, "split", "quantity", "level", "share"]),
    )


def _study_tables(study, judged, by, units, shares, n_random, seed):
    stus, folds = choose("units", units, study.units), study.folds["document"]
    parts = easiness.split_units(study.benchmark.texts.references, study.units["SCU"], stus)
    sentences = sentence_table(study, parts)
    # a stream for each order: none depends on what else is asked for
    draws = [stream(seed, study.name, "random order", i) for i in range(n_random)]
    curve = replacement_curve(
        easiness.Mixture(parts, judged["SCU"], judged[units], systems=as_listed(study.benchmark).systems),
        study.benchmark.human, sentences["predicted"], folds=study.folds[by], by=by, shares=shares,
        random=[draw.random(len(sentences)) for draw in draws],
    )  # fmt: skip
    regressor = _regressor(sentences, easiness.predict_easiness(parts, folds=folds, with_units=False))
    split = f"by {by}s"
    return sentences, curve.assign(split=split), regressor, _gains(curve).assign(split=split)


@tidy("document", "sentence", values=["easiness", "predicted"])
def sentence_table(study, parts):
    """Easiness of every sentence, and as predicted by a regressor that did not see its document."""
    yield parts[["document", "sentence", "n_scus", "n_stus", "easiness"]].assign(
        predicted=easiness.predict_easiness(parts, folds=study.folds["document"]),
        given_stus=easiness.released_choice(parts, study.units["SCU"], study.mixed),
    )


@tidy("order", "share", "level", "coefficient")
def replacement_curve(
    mixture, human, predicted, *, folds, by="document", shares, random, levels=("system", "summary"),
    coefficient="pearson",
):  # fmt: skip
    """Correlation, averaged over `folds`, as more and more sentences get STUs, in each of `ORDERS`."""
    # `random` holds a number for each sentence, several times over: each makes one order
    check_spread("n_random", len(random))
    predicted = np.asarray(predicted, dtype=float)
    for order, keys in zip(ORDERS, ([predicted], [-predicted], random), strict=True):
        for share in shares:
            choices = [easiness.select_sentences(key, share) for key in keys]
            scores = [mixture.scores(choice) for choice in choices]
            n_left = float(np.mean([mixture.scus_left(choice) for choice in choices]))
            for level in levels:
                kind = {"level": level, "coefficient": coefficient}
                means = [fold_mean(one, human, folds=folds, by=by, **kind) for one in scores]
                values = [mean.as_released for mean in means]
                low, high = percentile_bounds(np.array(values), 0.95)
                yield {
                    "order": order, "share": share, **kind, "value": float(np.mean(values)),
                    "q2.5": float(low), "q97.5": float(high),
                    "standard_deviation": float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
                    "scus_left": n_left,
                }  # fmt: skip


def _regressor(sentences, by_form: np.ndarray) -> pd.DataFrame:
    """Errors of predicted easiness, and how often the release chose the same sentences."""
    true, predicted, released = sentences["easiness"], sentences["predicted"], sentences["given_stus"]
    exists = released.notna()
    chosen = predicted.rank(pct=True) > 0.5
    quantities = {
        "error of the regressor": (predicted - true).abs().mean(),
        "error of the regressor without features of units": (by_form - true).abs().mean(),
        "error of always saying the mean": (true - true.mean()).abs().mean(),
        "share of sentences chosen as in the release": (chosen[exists] == (released[exists] == 1)).mean(),
        "share of sentences whose choice in the release is known": exists.mean(),
    }
    return pd.DataFrame({"quantity": list(quantities), "value": list(map(float, quantities.values()))})


def _gains(curve) -> pd.DataFrame:
    """Correlation with the easiest first minus that with other orders, between the ends of the curve."""
    wide = curve.pivot(index=["level", "share"], columns="order", values="value").reset_index()
    inside = wide[(wide["share"] > 0) & (wide["share"] < 1)]
    gains = []
    for other, rows in ((RANDOM, inside), (HARDEST, inside[inside["share"] == 0.5])):
        gain = rows[EASIEST] - rows[other]
        gains.append(rows[["level", "share"]].assign(quantity=f"{EASIEST} minus {other}", value=gain))
    return pd.concat(gains, ignore_index=True)


def replacement_curves(curve) -> go.Figure:
    """Correlation as more sentences get STUs, the easiest first; the band holds 95 % of random orders."""
    shown = curve[curve["order"] != HARDEST]
    sheet = marks(
        shown, x="share", y="value", mode="lines", panel="dataset", row="level", series="order",
        style=ORDERS, name={RANDOM: "random sentences", EASIEST: "easiest sentences"}, gap=0.1,
        ends=("q2.5", "q97.5"), bars=False,
        titles=[words("data", name) for name in curve["dataset"].unique()],
    )  # fmt: skip
    for (level, dataset), part in shown[shown["order"] == RANDOM].groupby(["level", "dataset"], sort=False):
        around = band(part["share"], part["q2.5"], part["q97.5"], GREY)
        sheet.add(around, panel=dataset, row=level, first=True)
    for level, part in shown.groupby("level", sort=False):
        ends = part[["value", "q2.5", "q97.5"]]
        for dataset in sheet.names:
            sheet.axis("y", dataset, level, range=[ends.min(axis=None) - 0.02, ends.max(axis=None) + 0.02])
    sheet.x(title="sentences that a machine cuts", **share_axis(-0.03, 1.03))
    sheet.y(title=words("coefficient", curve["coefficient"].iloc[0]))
    return sheet.figure(height=170 + 230 * curve["level"].nunique())


LIVE = live(
    "lite2x",
    lambda *, datasets, seed, **settings: tables(datasets, rng=seed, **settings).curve,
    replacement_curves,
    "datasets presence by units n_random",
    question="What is lost when the easiest sentences get units from a program?",
    constants="shares seed",
    initial={"datasets": ("lite-pyrxsum",), "n_random": 10},
    note="The smaller of two data sets is there at first. "
    "Every setting trains the regressor anew, which takes some seconds.",
)
