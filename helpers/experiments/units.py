"""Result tables of the Pyramid pages: how well presence is judged, how many units there are, what the scores
correlate with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.metrics.pyramid import easiness
from helpers.metrics.pyramid.easiness import (
    Mixture,
    predict_easiness,
    released_choice,
    replacement_curve,
    split_units,
)
from helpers.metrics.pyramid.extraction import compare_units
from helpers.metrics.pyramid.folds import fold_table
from helpers.metrics.pyramid.nli import READINGS
from helpers.metrics.pyramid.scores import Presence, score_table
from helpers.metrics.pyramid.study import Study, judge, load_study, scores_of
from helpers.metrics.pyramid.training import load_presence
from helpers.metrics.rouge import rouge_scores
from helpers.metrics.text import stems

SCORE_NAMES = {"SCU": "Lite²Pyramid", "STU": "Lite³Pyramid", "extracted": "Lite³Pyramid, our units"}


def judge_all(
    study: Study, presences: Sequence[str], *, by: str, **options
) -> dict[str, dict[str, Presence]]:
    """`helpers.metrics.pyramid.study.judge` for several models: name -> name of the units -> presence."""
    return {name: judge(study, name, by=by, **options) for name in presences}


def accuracy_table(study: Study, judged: Mapping[str, Mapping[str, Presence]]) -> pd.DataFrame:
    """How well models judge the presence of SCUs, one row a model.

    Returns
    -------
    DataFrame with columns dataset, presence, accuracy (at one half), majority (of always saying the more
    frequent label), auc (chance that a unit that is present gets the higher number, ties half),
    squared_error, n (labels)
    """
    rows = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        n_present = int(labels.sum())
        ranks = rankdata(predicted)
        pairs = n_present * (len(labels) - n_present)
        rows.append(
            {
                "dataset": study.benchmark.name,
                "presence": name,
                "accuracy": float(((predicted >= 0.5) == (labels == 1)).mean()),
                "majority": float(max(labels.mean(), 1 - labels.mean())),
                "auc": float((ranks[labels == 1].sum() - n_present * (n_present + 1) / 2) / pairs),
                "squared_error": float(((predicted - labels) ** 2).mean()),
                "n": len(labels),
            }
        )
    return pd.DataFrame(rows)


def calibration_table(
    study: Study, judged: Mapping[str, Mapping[str, Presence]], *, n_bins: int = 10
) -> pd.DataFrame:
    """Share of SCUs that people found present, by what a model said.

    Returns
    -------
    DataFrame with columns presence, predicted (mean in the bin), present (share), n
        Bins of equal width on [0, 1]; empty ones are left out.
    """
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}")
    rows = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        inside = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
        rows += [
            {
                "presence": name,
                "predicted": float(predicted[inside == i].mean()),
                "present": float(labels[inside == i].mean()),
                "n": int((inside == i).sum()),
            }
            for i in range(n_bins)
            if (inside == i).any()
        ]
    return pd.DataFrame(rows)


def _flat(study: Study, presence: Presence) -> tuple[np.ndarray, np.ndarray]:
    cells = list(study.labels)
    return (
        np.concatenate([study.labels[cell] for cell in cells]).astype(float),
        np.concatenate([presence[cell] for cell in cells]),
    )


def reading_table(logits: Sequence[float]) -> pd.DataFrame:
    """The four readings of one unit's logits (entailment, neutral, contradiction)."""
    if len(logits) != 3:
        raise DataError(f"there must be three logits (entailment, neutral, contradiction), got {len(logits)}")
    values = np.array([logits], dtype=float)
    return pd.DataFrame(
        {"reading": list(READINGS), "presence": [float(f(values)[0]) for f in READINGS.values()]}
    )


def unit_counts(study: Study) -> pd.DataFrame:
    """Numbers of units of a data set, tidy: columns dataset, what, value."""
    counts = {name: np.array([len(units) for units in found.values()]) for name, found in study.units.items()}
    facts = {
        "SCUs a reference": counts["SCU"].mean(),
        "fewest SCUs": counts["SCU"].min(),
        "most SCUs": counts["SCU"].max(),
        "STUs a reference": counts["STU"].mean(),
        "extracted units a reference": counts["extracted"].mean(),
        "share of SCUs present": float(np.concatenate(list(study.labels.values())).mean()),
    }
    return pd.DataFrame(
        [
            {"dataset": study.benchmark.name, "what": what, "value": float(value)}
            for what, value in facts.items()
        ]
    )


def system_facts(study: Study) -> pd.DataFrame:
    """Each system's gold LitePyramid and ROUGE-2 F1 in points (Table 3), tidy: columns dataset, system, what,
    value."""
    rouge = 100 * rouge_scores(study.benchmark.texts, variants=["ROUGE-2"], part="F1")[0].mean("document")
    gold = study.benchmark.human.mean("document")
    rows = []
    for system in study.benchmark.systems:
        facts = {"ROUGE-2 F1": rouge.sel(system=system), "gold": gold.sel(system=system)}
        rows += [
            {"dataset": study.benchmark.name, "system": system, "what": what, "value": float(value)}
            for what, value in facts.items()
        ]
    return pd.DataFrame(rows)


def mixed_presence(study: Study, presence: Mapping[str, Presence]) -> Presence:
    """Presence of the release's half-and-half units, nearly all of which are one of the SCUs or STUs.

    Notes
    -----
    Six of REALSumm's are in neither list: they run two STUs of one verb together. They get the mean presence
    of the STUs all of whose words they hold.
    """
    found = {}
    for document, units in study.mixed.items():
        names = {unit: ("STU", [j]) for j, unit in enumerate(study.units["STU"][document])}
        names |= {unit: ("SCU", [j]) for j, unit in enumerate(study.units["SCU"][document])}
        for unit in units:
            if unit not in names:
                held = [set(stems(other)) <= set(stems(unit)) for other in study.units["STU"][document]]
                names[unit] = ("STU", np.flatnonzero(held).tolist())
            if not names[unit][1]:
                raise DataError(f"{document}: the mixed unit {unit!r} is neither an SCU nor made of STUs")
        for system in study.benchmark.systems:
            found[system, document] = np.array(
                [
                    presence[kind][system, document][where].mean()
                    for kind, where in (names[unit] for unit in units)
                ]
            )
    return found


def pyramid_scores(study: Study, presence: Mapping[str, Presence], *, label: str) -> dict[str, xr.DataArray]:
    """Lite², Lite²·⁵ (with the release's choice of sentences) and Lite³Pyramid, named ``"Lite²Pyramid
    (LABEL)"`` and so on."""
    found = {f"{SCORE_NAMES[name]} ({label})": scores for name, scores in scores_of(study, presence).items()}
    half = score_table(
        mixed_presence(study, presence),
        study.mixed,
        systems=study.benchmark.systems,
        documents=study.benchmark.documents,
    )
    return {f"Lite²·⁵Pyramid ({label})": half, **found}


def with_scores(study: Study, scores: Mapping[str, xr.DataArray]) -> Benchmark:
    """The study's benchmark with these metrics."""
    return study.benchmark.with_scores(
        xr.concat(list(scores.values()), pd.Index(list(scores), dtype=object, name="metric"))
    )


def presence_table(
    study: Study, judged: Mapping[str, Mapping[str, Presence]], *, by: str, unit: str
) -> pd.DataFrame:
    """Correlation of mean presence with the gold score, a row a model, level and coefficient; averaged over
    folds."""
    scores = {name: scores_of(study, {unit: found[unit]})[unit] for name, found in judged.items()}
    return fold_table(with_scores(study, scores), folds=study.folds[by], by=by)


def simulation_table(study: Study) -> pd.DataFrame:
    """How well one set of units simulates another, averaged over documents: ROUGE-1 F1 of the best match.

    Returns
    -------
    DataFrame with columns dataset, units, simulate, made, wanted (units a reference), covered, precise; see
    `helpers.metrics.pyramid.extraction.compare_units`
    """
    pairs = {("STU", "SCU"), ("extracted", "SCU"), ("extracted", "STU")}
    rows = []
    for made, wanted in sorted(pairs):
        table = compare_units(study.units[made], study.units[wanted])
        means = table[["made", "wanted", "covered", "precise"]].mean().to_dict()
        rows.append({"dataset": study.benchmark.name, "units": made, "simulate": wanted} | means)
    return pd.DataFrame(rows)


def unit_correlations(study: Study, judged: Mapping[str, Mapping[str, Presence]], *, by: str) -> pd.DataFrame:
    """`presence_table` for every set of units, with a column `units`."""
    frames = [presence_table(study, judged, by=by, unit=unit).assign(units=unit) for unit in study.units]
    return pd.concat(frames, ignore_index=True)


def easiness_study(
    study: Study,
    judged: Mapping[str, Presence],
    *,
    stus: str,
    shares: Sequence[float],
    n_random: int,
    rng,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Everything that the page on Lite²·ˣPyramid shows of a data set.

    Parameters
    ----------
    study : Study
    judged : name of the units -> presence
    stus : which units replace the SCUs: ``"STU"`` or ``"extracted"``
    shares, n_random, rng : see `helpers.metrics.pyramid.easiness.replacement_curve`

    Returns
    -------
    sentences : DataFrame, a row a sentence: document, sentence, n_scus, n_stus, easiness, predicted, released
    (1 where the
        release's half-and-half units give it as STUs, 0 as SCUs, NaN where they do not tell)
    curve : DataFrame of `replacement_curve`, with a column dataset
    facts : DataFrame with columns dataset, what, level, share, value
    """
    units = choose("units", stus, study.units)
    parts = split_units(study.benchmark.texts.references, study.units["SCU"], units)
    table, error = predict_easiness(parts, folds=study.folds["document"])
    released = released_choice(parts, study.units["SCU"], units, study.mixed)
    mixture = Mixture(parts, judged["SCU"], judged[stus], systems=study.benchmark.systems)
    curve = replacement_curve(
        mixture, study.benchmark.human, table["predicted"], folds=study.folds["document"], shares=shares,
        n_random=n_random, rng=rng,
    )  # fmt: skip
    name = study.benchmark.name
    facts = [{"dataset": name, "what": "error of the regressor", "value": error}]
    _, plain = predict_easiness(
        parts, folds=study.folds["document"], features=easiness.FORM + tuple(easiness.TAGS)
    )
    facts.append(
        {"dataset": name, "what": "error of the regressor without features of units", "value": plain}
    )
    known = table["easiness"].notna()
    guess = (table["easiness"] - table["easiness"].mean()).abs()[known].mean()
    facts.append({"dataset": name, "what": "error of always saying the mean", "value": float(guess)})
    told = ~np.isnan(released)
    chosen = table["predicted"].rank(pct=True).to_numpy() > 0.5
    facts.append(
        {
            "dataset": name,
            "what": "agreement with the release's choice",
            "value": float((chosen[told] == (released[told] == 1)).mean()),
        }
    )
    facts.append(
        {"dataset": name, "what": "sentences whose release choice is known", "value": float(told.mean())}
    )
    wide = curve.pivot(index=["level", "share"], columns="order", values="value")
    for other in ("random", "hardest first"):
        for (level, share), row in wide.iterrows():
            if 0 < share < 1 and (other == "random" or share == 0.5):
                facts.append(
                    {
                        "dataset": name,
                        "what": f"easiest first minus {other}",
                        "level": level,
                        "share": share,
                        "value": float(row["easiest first"] - row[other]),
                    }
                )
    columns = ["document", "sentence", "n_scus", "n_stus", "easiness", "predicted"]
    return table[columns].assign(released=released), curve.assign(dataset=name), pd.DataFrame(facts)


def easiness_tables(
    datasets: Sequence[str],
    *,
    presence: str,
    fine_tuned: Sequence[str] = (),
    stus: str,
    shares: Sequence[float],
    n_random: int,
    rng,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """`easiness_study` of several data sets, by documents, each with a random stream of its own.

    Parameters
    ----------
    datasets : names of data sets with units
    presence : model of presence, where no folder of `fine_tuned` is of the data set
    fine_tuned : folders written by `helpers.metrics.pyramid.training`
    stus, shares, n_random, rng : see `easiness_study`

    Returns
    -------
    Three DataFrames of `easiness_study`, each with columns dataset and presence (``"fine-tuned"`` or the
    model's name)
    """
    streams = np.random.default_rng(rng).spawn(len(datasets))
    trained = [load_presence(folder)[0] for folder in fine_tuned]
    found = []
    for name, stream in zip(datasets, streams, strict=True):
        study = load_study(name)
        judged = next((p for p in trained if set(p["SCU"]) == set(study.labels)), None)
        label = presence if judged is None else "fine-tuned"
        judged = judge(study, presence, by="document") if judged is None else judged
        tables = easiness_study(study, judged, stus=stus, shares=shares, n_random=n_random, rng=stream)
        found.append([table.assign(dataset=name, presence=label) for table in tables])
    return tuple(pd.concat(tables, ignore_index=True) for tables in zip(*found, strict=True))
