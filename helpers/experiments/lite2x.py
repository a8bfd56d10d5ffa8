"""experiments.lite2x: what is lost when the easiest sentences get units from a machine.

For the notebook `lite2x`: names of data sets in, tidy tables out. Zhang and Bansal 2021, §3.3, Figs. 2 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live import choices
from helpers.kit.live.choices import PRESENCES
from helpers.kit.live.controls import One, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, band, diagonal
from helpers.kit.theme import BLUE, GREY, VERMILLION, Style, share_axis
from metaeval.core.errors import choose
from metaeval.core.limits import check_spread
from metaeval.metrics.pyramid.easiness import (
    FORM,
    TAGS,
    Mixture,
    Sentences,
    cross_predicted,
    predict_easiness,
    released_choice,
    select_sentences,
    split_units,
)
from metaeval.metrics.pyramid.folds import fold_mean
from metaeval.metrics.pyramid.parsed import features_of, parsed_table, read_parsed
from metaeval.metrics.pyramid.scores import Presence
from metaeval.metrics.pyramid.study import Study, as_listed, judge, load_study
from metaeval.metrics.pyramid.training import load_presence
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_TAIL = 0.025  # of random orders, on either side of their range
EASIEST, HARDEST, RANDOM = ORDERS = ("easiest first", "hardest first", "random")


@dataclass(frozen=True)
class Easiness:
    """What the page shows, one table for each of its parts.

    Attributes
    ----------
    sentences : DataFrame of `sentence_table`, for every data set
    curve : DataFrame of `replacement_curve`, for every data set, with the split of its folds
    regressor : DataFrame with columns dataset, presence, quantity, value
        Errors of the regressor of easiness, and how often the release chose the same sentences.
    gains : DataFrame with columns dataset, presence, split, quantity, level, share, value
        How far the curve of the easiest first lies above the others, between its ends.
    """

    sentences: pd.DataFrame
    curve: pd.DataFrame
    regressor: pd.DataFrame
    gains: pd.DataFrame


def answer(curve: pd.DataFrame, *, n_random: int) -> dict[str, str]:
    """The page's answer: the score with half of the sentences left to a machine, chosen and drawn at random.

    Parameters
    ----------
    curve : DataFrame of `Easiness`
        On the first of the data sets.
    n_random : int
        How many random orders the curve is of: an end of their range moves with them.

    Returns
    -------
    dict
        ``lite2x-answer-short`` and ``lite2x-answer-sure``; every word is chosen from the numbers.
    """
    dataset = curve["dataset"].iloc[0]
    part = curve[curve["dataset"] == dataset]
    shares = part["share"].unique()
    half = shares[np.abs(shares - 0.5).argmin()]
    much = "half" if half == 0.5 else wording.percent(half)
    alone = part[(part["order"] == EASIEST) & (part["share"] == shares.min())].set_index("level")["value"]
    by_verdict: dict[str, list[str]] = {}
    for level, at_level in part[part["share"] == half].groupby("level", sort=False):
        orders = at_level.set_index("order")
        chosen, random = orders.loc[EASIEST, "value"], orders.loc[RANDOM]
        by_verdict.setdefault(_verdict(chosen, random, n_random), []).append(
            f"{chosen:.3f} at {words('level', level)} (random {random['q2.5']:.3f} to {random['q97.5']:.3f}, "
            f"people's units alone {alone[level]:.3f})"
        )
    told = [f"{verdict} a random {much}: {wording.joined(where)}" for verdict, where in by_verdict.items()]
    return {
        "lite2x-answer-short": (
            f"Letting a machine write units for the easiest {much} of {words('data', dataset)}'s "
            f"sentences {'; it '.join(told)}, by "
            f"{words('coefficient', part['coefficient'].iloc[0])} with people."
        ),
        "lite2x-answer-sure": f"Ranges are over {n_random} random choices, not systems or documents.",
    }


def _verdict(value: float, random: pd.Series, n_random: int) -> str:
    """By a range of random orders; a value is beyond an end only if other orders would leave it there."""
    normal = NormalDist()
    of_quantile = sqrt(_TAIL * (1 - _TAIL) / n_random) / normal.pdf(normal.inv_cdf(_TAIL))
    reach = wording.ERRORS * of_quantile * random["standard_deviation"]
    said = ("beats", "is not shown to beat", "does worse than")
    return wording.against(random["q2.5"] - reach, random["q97.5"] + reach, at=value, words=said)


def tables(
    datasets: Sequence[str],
    *,
    presence: str,
    fine_tuned: Sequence[str] = (),
    parsed: Sequence[str] = (),
    by: str = "document",
    units: str,
    shares: Sequence[float],
    n_random: int,
    rng: RNGLike,
) -> Easiness:
    """Sentences, curves and what follows from them, of several data sets.

    Parameters
    ----------
    datasets : names of data sets with units
    presence : model of presence, where no folder of `fine_tuned` is of the data set and split
    fine_tuned : folders written by ``python -m bookbuild train`` or ``judge``
    parsed : files of labelled references, as ``"NAME:FILE"`` (`metaeval.metrics.pyramid.parsed.read_parsed`)
        For the error of a regressor that learns on the paper's own features.
    by : {"document", "system"}
        Of which the folds are that correlations are averaged over. A regressor learns by documents always.
    units : {"STU", "extracted"}
        Which units replace the SCUs.
    shares : see `replacement_curve`
    n_random : int
        How many random orders are drawn.
    rng : seed, Generator or None
        Each order of each data set has a stream of its own: none depends on what else is asked for.

    Returns
    -------
    Easiness
        Its tables have columns dataset and presence (``"fine-tuned"`` or the model's name).
    """
    seed = seed_of(rng)
    trained = [presence for presence, split in map(load_presence, fine_tuned) if split == by]
    files = dict(given.split(":", 1) for given in parsed)
    found = []
    for name in datasets:
        study = load_study(name)
        judged = next((p for p in trained if set(p["SCU"]) == set(study.labels)), None)
        label = presence if judged is None else "fine-tuned"
        judged = judge(study, presence, by=by) if judged is None else judged
        sentences, curve, regressor, gains = _of_study(
            study, judged, by=by, units=units, shares=shares, n_random=n_random, seed=seed
        )
        if name in files:
            regressor = pd.concat([regressor, _of_trees(study, Path(files[name]))], ignore_index=True)
        split = f"by {by}s"
        of_study = (sentences, curve.assign(split=split), regressor, gains.assign(split=split))
        found.append([table.assign(dataset=name, presence=label) for table in of_study])
    sentences, curve, regressor, gains = (
        pd.concat(part, ignore_index=True) for part in zip(*found, strict=True)
    )
    own = ["dataset", "presence"]
    return Easiness(
        sentences=check(sentences, keys=[*own, "document", "sentence"], values=["easiness", "predicted"]),
        curve=check(curve, keys=[*own, "split", "order", "share", "level", "coefficient"]),
        regressor=check(regressor, keys=[*own, "quantity"]),
        gains=check(gains, keys=[*own, "split", "quantity", "level", "share"]),
    )


def _of_study(study: Study, judged: Mapping[str, Presence], *, by, units, shares, n_random, seed):
    stus = choose("units", units, study.units)
    parts = split_units(study.benchmark.texts.references, study.units["SCU"], stus)
    sentences = sentence_table(study, parts, stus)
    draws = [stream(seed, study.name, "random order", i) for i in range(n_random)]
    curve = replacement_curve(
        Mixture(parts, judged["SCU"], judged[units], systems=as_listed(study.benchmark).systems),
        study.benchmark.human,
        sentences["predicted"],
        folds=study.folds[by],
        by=by,
        shares=shares,
        random=[draw.random(len(sentences)) for draw in draws],
    )
    by_form = predict_easiness(parts, folds=study.folds["document"], features=[*FORM, *TAGS])
    return sentences, curve, _regressor(sentences, by_form), _gains(curve)


def sentence_table(study: Study, parts: Sentences, stus: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Easiness of every sentence, and what a regressor that did not see its document predicts.

    Returns
    -------
    DataFrame with columns document, sentence, n_scus, n_stus, easiness, predicted, given_stus (1 where the
    release's half-and-half units give it as STUs, 0 as SCUs, NaN where they do not tell)
    """
    columns = ["document", "sentence", "n_scus", "n_stus", "easiness"]
    table = parts.table[columns].assign(
        predicted=predict_easiness(parts, folds=study.folds["document"]),
        given_stus=released_choice(parts, study.units["SCU"], stus, study.mixed),
    )
    return check(table, keys=["document", "sentence"], values=["easiness", "predicted"])


def replacement_curve(
    mixture: Mixture,
    human: xr.DataArray,
    predicted: Sequence[float],
    *,
    folds: Sequence[Sequence[str]],
    by: str = "document",
    shares: Sequence[float],
    random: Sequence[Sequence[float]],
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
) -> pd.DataFrame:
    """Correlation as more and more sentences get STUs: the easiest first, the hardest first, at random.

    Parameters
    ----------
    mixture : Mixture
    human : DataArray, dims (system, document)
    predicted : easiness of each sentence
    folds : of documents or systems, as `by` says; correlations are averaged over them
    by : {"document", "system"}
    shares : of the sentences that get STUs, each in [0, 1]
    random : numbers drawn for each sentence, several times over
        Each time they make one order; the spread over them is part of the result.

    Returns
    -------
    DataFrame with columns order (``"easiest first"``, ``"hardest first"``, ``"random"``), share, level,
    coefficient, value (of `random` the mean), q2.5, q97.5 (quantiles over the random orders; the value itself
    otherwise), standard_deviation (over the random orders; 0 otherwise), scus_left
    """
    check_spread("n_random", len(random))
    predicted = np.asarray(predicted, dtype=float)
    orders = dict(zip(ORDERS, ([predicted], [-predicted], random), strict=True))
    rows = []
    for order, keys in orders.items():
        for share in shares:
            choices = [select_sentences(key, share) for key in keys]
            made = [mixture.scores(chosen) for chosen in choices]
            left = float(np.mean([mixture.scus_left(chosen) for chosen in choices]))
            for level in levels:
                means = [
                    fold_mean(s, human, folds=folds, by=by, level=level, coefficient=coefficient)
                    for s in made
                ]
                values = [mean.as_released for mean in means]
                low, high = percentile_bounds(np.array(values), 0.95)
                rows.append(
                    {
                        "order": order,
                        "share": share,
                        "level": level,
                        "coefficient": coefficient,
                        "value": float(np.mean(values)),
                        "q2.5": float(low),
                        "q97.5": float(high),
                        "standard_deviation": float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
                        "scus_left": left,
                    }
                )
    return check(pd.DataFrame(rows), keys=["order", "share", "level", "coefficient"])


def _regressor(sentences: pd.DataFrame, by_form: np.ndarray) -> pd.DataFrame:
    """How far predicted easiness is from the true one, and how often the release chose the same sentences."""
    true, predicted, released = sentences["easiness"], sentences["predicted"], sentences["given_stus"]
    told = released.notna()
    chosen = predicted.rank(pct=True) > 0.5
    facts = {
        "error of the regressor": (predicted - true).abs().mean(),
        "error of the regressor without features of units": (by_form - true).abs().mean(),
        "error of always saying the mean": (true - true.mean()).abs().mean(),
        "share of sentences chosen as in the release": (chosen[told] == (released[told] == 1)).mean(),
        "share of sentences whose choice in the release is known": told.mean(),
    }
    return pd.DataFrame({"quantity": list(facts), "value": [float(value) for value in facts.values()]})


def _of_trees(study: Study, path: Path) -> pd.DataFrame:
    """The error of a regressor on the paper's own features, against easiness by the released rules."""
    parsed = read_parsed(path, study.units["SCU"])
    true = parsed_table(parsed)
    predicted = cross_predicted(features_of(parsed), true, folds=study.folds["document"])
    error = float((predicted - true["easiness"]).abs().mean())
    return pd.DataFrame({"quantity": ["error of the regressor on trees"], "value": [error]})


def _gains(curve: pd.DataFrame) -> pd.DataFrame:
    """How far the curve of the easiest first lies above the others, between its ends."""
    wide = curve.pivot(index=["level", "share"], columns="order", values="value").reset_index()
    inside = wide[(wide["share"] > 0) & (wide["share"] < 1)]
    easiest, hardest, random = ORDERS
    frames = []
    for other, rows in ((random, inside), (hardest, inside[inside["share"] == 0.5])):
        gain = rows[easiest] - rows[other]
        frames.append(rows[["level", "share"]].assign(quantity=f"{easiest} minus {other}", value=gain))
    return pd.concat(frames, ignore_index=True)


_DATASETS = {"lite-realsumm": "REALSumm", "lite-pyrxsum": "PyrXSum"}
_ORDERS = {
    "easiest first": Style(VERMILLION, "solid"),
    "hardest first": Style(BLUE, "dot"),
    "random": Style(GREY, "dash"),
}


def replacement_curves(curve: pd.DataFrame) -> go.Figure:
    """Correlation against the share of sentences that get STUs; the band holds 95 percent of random orders.

    Each panel has an axis of its own: the differences are small.

    Parameters
    ----------
    curve : DataFrame, the curve of `helpers.experiments.lite2x.tables`
    """
    sheet = marks(
        curve,
        x="share",
        y="value",
        mode="lines+markers",
        panel="dataset",
        row="level",
        series="order",
        style=_ORDERS,
        ends=("q2.5", "q97.5"),
        bars=False,
        size=6,
        gap=0.1,
        own_y=True,
        titles=[_DATASETS.get(name, name) for name in curve["dataset"].unique()],
    )
    for (level, dataset), part in curve[curve["order"] == "random"].groupby(["level", "dataset"], sort=False):
        around = band(part["share"], part["q2.5"], part["q97.5"], GREY)
        sheet.add(around, panel=dataset, row=level, first=True)
    sheet.x(title="sentences with STUs", **share_axis(-0.03, 1.03, step=0.25))
    sheet.y(title=words("coefficient", curve["coefficient"].iloc[0]))
    return sheet.figure(height=170 + 270 * curve["level"].nunique())


def easiness_scatter(sentences: pd.DataFrame) -> go.Figure:
    """Predicted against true easiness, one point per sentence, one panel per data set.

    Parameters
    ----------
    sentences : DataFrame with columns dataset, document, sentence, easiness, predicted
    """
    known = sentences.dropna(subset=["easiness", "predicted"])
    named = known.assign(name=known["document"] + ", sentence " + (known["sentence"] + 1).astype(str))
    names = known["dataset"].unique().tolist()
    sheet = Panels(names, titles=[_DATASETS.get(name, name) for name in names])
    for name in names:
        sheet.add(diagonal(0, 1), name)
    marks(
        named,
        x="predicted",
        y="easiness",
        panel="dataset",
        point="name",
        style={(): Style(VERMILLION)},
        digits=2,
        size=5,
        sheet=sheet,
    )
    sheet.layout["showlegend"] = False
    sheet.x(title="predicted easiness", range=[-0.02, 1.02], dtick=0.25)
    sheet.y(title="true easiness", range=[-0.02, 1.02], dtick=0.25)
    return sheet.figure(height=440)


def _compute(*, datasets, seed, **settings) -> pd.DataFrame:
    return tables(datasets, rng=seed, **settings).curve


LIVE = Live(
    notebook="lite2x",
    question="What is lost when the easiest sentences get units from a program?",
    controls=(
        Several("datasets", "Data sets", lambda _: choices.at_hand(choices.LITE)),
        One("presence", "Presence model", PRESENCES),
        One("by", "Folds of", ("document", "system")),
        One("units", "Units", ("STU", "extracted")),
        Whole("n_random", "Random orders", 5, 40, 5),
    ),
    fixed=("shares", "seed"),
    smaller={"datasets": ("lite-pyrxsum",), "n_random": 10},
    remark="Starts with the smaller data set and 10 random orders; the notebook takes both and 40. "
    "Every setting trains the regressor anew, which takes some seconds.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: replacement_curves(table),
)
