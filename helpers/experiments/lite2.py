"""experiments.lite2: how well models judge the presence of content units, and what their score agrees with.

For the notebook `lite2`: a `Study` and its judged presence in, tidy tables out. Zhang and Bansal 2021, §3.1,
§A.4 and Table 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.experiments.annotations import unit_votes
from helpers.experiments.leaderboard import fold_table
from helpers.kit.claims.loading import of_paper, printed_values
from helpers.kit.live.choices import AT_FIRST, CONTROLS, REMARK
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks, model_panels
from helpers.kit.panels import Panels, diagonal
from helpers.kit.theme import BLUE, PURPLE, VERMILLION, Style
from metaeval import datasets
from metaeval.core.errors import DataError, require_extra
from metaeval.metrics.pyramid.folds import fold_mean
from metaeval.metrics.pyramid.nli import CHECKPOINTS, READINGS, NliModel, learned_on
from metaeval.metrics.pyramid.presence import read_all
from metaeval.metrics.pyramid.scores import Presence
from metaeval.metrics.pyramid.study import (
    Study,
    judge,
    judge_all,
    load_study,
    scores_of,
    transferred,
    with_scores,
)
from metaeval.metrics.rouge import rouge_scores
from metaeval.stats.correlation import correlate
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import prints_as
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

# the systems for which the README of the release gives its output
IN_README = {"lite-realsumm": "abs_bart_out", "lite-pyrxsum": "t5-large"}
Judged = Mapping[str, Mapping[str, Presence]]  # name of the model -> name of the units -> presence


def unit_counts(studies: Sequence[Study]) -> pd.DataFrame:
    """Numbers of units of data sets; one that is given twice counts once.

    Parameters
    ----------
    studies : sequence of Study

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    rows = []
    for study in {study.name: study for study in studies}.values():
        counts = {
            name: np.array([len(units) for units in found.values()]) for name, found in study.units.items()
        }
        facts = {
            "SCUs per reference": counts["SCU"].mean(),
            "fewest SCUs": counts["SCU"].min(),
            "most SCUs": counts["SCU"].max(),
            "STUs per reference": counts["STU"].mean(),
            "extracted units per reference": counts["extracted"].mean(),
            "share of SCUs present": np.concatenate(list(study.labels.values())).mean(),
        }
        rows += [{"dataset": study.name, "quantity": name, "value": float(v)} for name, v in facts.items()]
    return check(pd.DataFrame(rows), keys=["dataset", "quantity"])


def system_facts(study: Study) -> pd.DataFrame:
    """Each system's gold LitePyramid, and its ROUGE-2 F1 in points (Table 3).

    Parameters
    ----------
    study : Study

    Returns
    -------
    DataFrame with columns dataset, system, quantity, value
    """
    rouge = 100 * rouge_scores(study.benchmark.texts, ["ROUGE-2 F1"])[0].mean("document")
    gold = study.benchmark.human.mean("document")
    rows = []
    for system in study.benchmark.systems:
        facts = {"ROUGE-2 F1": rouge.sel(system=system), "gold": gold.sel(system=system)}
        rows += [
            {"dataset": study.name, "system": system, "quantity": quantity, "value": float(value)}
            for quantity, value in facts.items()
        ]
    return check(pd.DataFrame(rows), keys=["dataset", "system", "quantity"])


def rouge_2_tries(study: Study) -> pd.DataFrame:
    """How near ROUGE-2 F1 of PyrXSum's systems comes to what Table 3 prints, with stems and with words.

    Parameters
    ----------
    study : Study of ``lite-pyrxsum``

    Returns
    -------
    DataFrame with columns reading, n_agree, n_values, largest_difference (in points)
        The last row takes the nearer of the readings, system by system. No rows for any other systems, such
        as simulated ones.
    """
    printed = printed_values("zhang2021lite", "table3").query("quantity == 'ROUGE-2 F1'").set_index("system")
    tried = {}
    for reading, stem in {"stems": True, "words": False}.items():
        if set(printed.index) == set(study.benchmark.systems):
            scores = rouge_scores(study.benchmark.texts, ["ROUGE-2 F1"], stem=stem)[0]
            ours = 100 * scores.mean("document").to_series()[printed.index]
            agree = [prints_as(v, text) for v, text in zip(ours, printed["printed"], strict=True)]
            tried[reading] = np.array(agree), (ours - printed["value"]).abs().to_numpy()
    if tried:
        agree, apart = zip(*tried.values(), strict=True)
        tried["the nearer of the two"] = np.any(agree, axis=0), np.min(apart, axis=0)
    rows = [(name, agree.sum(), agree.size, apart.max()) for name, (agree, apart) in tried.items()]
    columns = ["reading", "n_agree", "n_values", "largest_difference"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:1], values=["n_agree"])


def came_out_by_none(tries: pd.DataFrame) -> str:
    """How many printed values come out by none of the readings.

    Parameters
    ----------
    tries : DataFrame of `rouge_2_tries`

    Returns
    -------
    str
        Such as "3 of 10".
    """
    last = tries.tail(1)
    return f"{(last['n_values'] - last['n_agree']).sum()} of {last['n_values'].sum()}"


def reading_table(logits: Sequence[float]) -> pd.DataFrame:
    """The four readings of one unit's logits.

    Parameters
    ----------
    logits : three floats
        For entailment, neutral and contradiction.

    Returns
    -------
    DataFrame with columns reading, probability

    Raises
    ------
    DataError
        If there are not three logits.
    """
    if len(logits) != 3:
        raise DataError(f"there must be three logits (entailment, neutral, contradiction), got {len(logits)}")
    values = np.array([logits], dtype=float)
    probabilities = [float(read(values)[0]) for read in READINGS.values()]
    table = pd.DataFrame({"reading": list(READINGS), "probability": probabilities})
    return check(table, keys=["reading"], values=["probability"])


def checkpoint_table() -> pd.DataFrame:
    """The models that the paper starts from and those that its authors released.

    Returns
    -------
    DataFrame with columns learned_on, checkpoint
    """
    table = pd.DataFrame({"learned_on": list(CHECKPOINTS), "checkpoint": list(CHECKPOINTS.values())})
    return check(table, keys=["learned_on"], values=["checkpoint"])


def accuracy_table(study: Study, judged: Judged) -> pd.DataFrame:
    """How well models judge the presence of SCUs, one row per model.

    Parameters
    ----------
    study : Study
    judged : mapping, name of the model -> name of the units -> presence
        As `metaeval.metrics.pyramid.study.judge_all` gives it.

    Returns
    -------
    DataFrame with columns dataset, presence, accuracy (at one half), majority (of always saying the more
    frequent label), auc (chance that a unit that is present gets the higher number, ties half),
    squared_error, n_labels
    """
    measures = require_extra("sklearn.metrics", "pyramid")
    rows = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        rows.append(
            {
                "dataset": study.name,
                "presence": name,
                "accuracy": float(measures.accuracy_score(labels, predicted >= 0.5)),
                "majority": float(max(labels.mean(), 1 - labels.mean())),
                "auc": float(measures.roc_auc_score(labels, predicted)),
                "squared_error": float(measures.brier_score_loss(labels, predicted)),
                "n_labels": len(labels),
            }
        )
    return check(pd.DataFrame(rows), keys=["dataset", "presence"], values=["accuracy"])


def folds_accuracy(study: Study, judged: Judged, *, checkpoint: str = "") -> pd.DataFrame:
    """Accuracy of NLI models as the paper gives it: percent, averaged over the folds by documents (§A.4).

    Parameters
    ----------
    study, judged : see `accuracy_table`
        Models other than ``"nli"`` and ``"fine-tuned"`` are left out.
    checkpoint : str
        What ``"nli"`` stands for.

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    of_nli = "zero-shot" if learned_on(checkpoint) == "zero-shot" else checkpoint
    rows = []
    for name, said in {"nli": of_nli, "fine-tuned": "fine-tuned"}.items():
        if name not in judged:
            continue
        found = judged[name]["SCU"]
        by_fold = []
        for fold in study.folds["document"]:
            cells = [cell for cell in study.labels if cell[1] in set(fold)]
            right = [(found[cell] >= 0.5) == study.labels[cell] for cell in cells]
            by_fold.append(100 * np.concatenate(right).mean())
        rows.append((study.name, f"accuracy of the {said} model", float(np.mean(by_fold))))
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def single_systems(studies: Sequence[Study], *, checkpoint: str = "") -> pd.DataFrame:
    """Mean scores of the systems for which the release's README gives its output, by people and by a model.

    Parameters
    ----------
    studies : sequence of Study
        One that is given twice counts once.
    checkpoint : str
        An NLI model's folder or name, read in all four ways; by default only people's scores.

    Returns
    -------
    DataFrame with columns dataset, system, presence (``"people"``, or what the model learned on), units (SCU,
    STU, mixed), reading, value
    """
    columns = ["dataset", "system", "presence", "units", "reading", "value"]
    rows = []
    for study in {study.name: study for study in studies}.values():
        name = IN_README.get(study.name)
        if name not in study.benchmark.systems:
            continue
        people = float(study.benchmark.human.sel(system=name).mean())
        rows.append((study.name, name, "people", "SCU", "people", people))
        if checkpoint:
            units = {"SCU": study.units["SCU"], "STU": study.units["STU"], "mixed": study.mixed}
            texts = study.benchmark.texts
            texts = replace(texts, summaries=texts.summaries.sel(system=[name]))
            logits = read_all(NliModel(checkpoint), units, texts)
            said = learned_on(checkpoint) or checkpoint
            for kind, found in logits.items():
                for reading, read in READINGS.items():
                    score = float(np.mean([read(values.astype(float)).mean() for values in found.values()]))
                    rows.append((study.name, name, said, kind, reading, score))
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:5])


def light_accuracy(studies: Sequence[Study]) -> pd.DataFrame:
    """How well the light model judges units that it did not learn on, beside what the paper prints of NLI.

    Parameters
    ----------
    studies : two data sets with units
        Each is judged by folds of documents, as in the paper, and whole by what learned on the other.

    Returns
    -------
    DataFrame with columns dataset, learned_on (the other folds, or the other data set), accuracy, majority,
    auc, squared_error, n_labels, fine_tuned and zero_shot (accuracy of NLI in the paper's folds, §A.4)
    """
    frames = []
    for study, other in zip(studies, reversed(studies), strict=True):
        sources = {"other folds": judge(study, "light"), other.name: transferred(other, study)}
        table = accuracy_table(study, sources).rename(columns={"presence": "learned_on"})
        in_print = {kind: _printed_accuracy(study.name, kind) for kind in ("fine-tuned", "zero-shot")}
        frames.append(table.assign(fine_tuned=in_print["fine-tuned"], zero_shot=in_print["zero-shot"]))
    found = pd.concat(frames, ignore_index=True)
    return check(found, keys=["dataset", "learned_on"], values=["accuracy"])


def answer(accuracy: pd.DataFrame, correlations: pd.DataFrame, light: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how often the light model is right about a unit, and how well its score agrees.

    Parameters
    ----------
    accuracy : DataFrame of `accuracy_table`
        Of the light model where it is there, else of the last.
    correlations : DataFrame of `table`
    light : DataFrame of `light_accuracy`

    Returns
    -------
    dict
        ``lite2-answer-short`` and ``lite2-answer-sure``; every word is chosen from the numbers.
    """
    of_light = accuracy[accuracy["presence"] == "light"]
    row = (of_light if len(of_light) else accuracy).iloc[-1]
    of_score = correlations[correlations["metric"] == row["presence"]]
    of_score = of_score[of_score["coefficient"] == of_score["coefficient"].iloc[0]]
    agrees = [
        f"{one.value:.2f} ({one.lowest:.2f} to {one.highest:.2f}) at {words('level', one.level)}"
        for one in of_score.itertuples()
    ]
    same = light[light["dataset"] == row["dataset"]]
    behind = {
        kind: lost_points(same, learned_on="other folds", than=kind) for kind in ("fine_tuned", "zero_shot")
    }
    return {
        "lite2-answer-short": (
            f"In {wording.percent(row['accuracy'], 1)} of {row['n_labels']:,} cases the {row['presence']} "
            f"model correctly says whether a summary of {words('data', row['dataset'])} holds a unit "
            f"(always the more frequent answer: {wording.percent(row['majority'], 1)}). Its "
            f"{words('coefficient', of_score['coefficient'].iloc[0])} (range over folds) is "
            f"{wording.joined(agrees)}."
        ),
        "lite2-answer-sure": (
            f"NLI's printed accuracy minus this model's: {behind['fine_tuned']} points (fine-tuned) and "
            f"{behind['zero_shot']} (zero-shot)."
        ),
    }


def lost_points(light: pd.DataFrame, *, learned_on: str, than: str) -> str:
    """By how many points of accuracy the light model is behind NLI: the least and the most.

    Parameters
    ----------
    light : DataFrame of `light_accuracy`
    learned_on : str
        Which rows.
    than : {"fine_tuned", "zero_shot"}

    Returns
    -------
    str
    """
    rows = light[light["learned_on"] == learned_on]
    return wording.extent(100 * (rows[than] - rows["accuracy"]), "z.1f")


def _printed_accuracy(dataset: str, kind: str) -> float:
    wanted = {"dataset": dataset, "quantity": f"accuracy of the {kind} model"}
    found = [c.test["printed"] for c in of_paper("zhang2021lite") if c.test.get("select") == wanted]
    return float(found[0]) / 100 if found else float("nan")


def sampled_units(
    study: Study, *, ks: Sequence[int], n_draws: int, rng: RNGLike, coefficient: str = "pearson"
) -> pd.DataFrame:
    """LitePyramid of some units of each document against LitePyramid of all (Shapira et al. 2019; §3.1).

    Parameters
    ----------
    study : Study
    ks : how many units are drawn of each document, the same for all systems
        A document that has fewer keeps all.
    n_draws : int, at least 2
    rng : seed, Generator or None
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    DataFrame with columns dataset, n_units (the K), level, coefficient, value (mean correlation of the
    draws), standard_deviation (over them), mc_error
    """
    if n_draws < 2:
        raise ValueError(f"`n_draws` must be at least 2, to have a spread, got {n_draws}")
    seed, gold = seed_of(rng), study.benchmark.human
    systems, documents = (gold.indexes[dim].tolist() for dim in ("system", "document"))
    labels = [np.stack([study.labels[s, d] for s in systems]) for d in documents]
    rows = []
    for k in ks:
        if k < 1:
            raise ValueError(f"`ks` must be at least 1, got {k}")
        found: dict[str, list[float]] = {"system": [], "summary": []}
        for i in range(n_draws):
            draw = stream(seed, study.name, "units", k, i)
            drawn = [
                of[:, draw.permutation(of.shape[1])[:k]].mean(axis=1) if k < of.shape[1] else of.mean(axis=1)
                for of in labels
            ]
            for level, values in found.items():
                sampled = np.stack(drawn, axis=1)
                values.append(correlate(sampled, gold.to_numpy(), level=level, coefficient=coefficient).value)
        for level, values in found.items():
            deviation = float(np.std(values, ddof=1))
            rows.append((study.name, k, level, coefficient, float(np.mean(values)), deviation))
    columns = ["dataset", "n_units", "level", "coefficient", "value", "standard_deviation"]
    table = pd.DataFrame(rows, columns=columns)
    table = table.assign(mc_error=table["standard_deviation"] / np.sqrt(n_draws))
    return check(table, keys=columns[:4])


def one_worker(study: Study, judged: Judged, *, n_draws: int, rng: RNGLike) -> pd.DataFrame:
    """Lite²Pyramid against one random worker's labels of each summary, in place of the majority's (§A.2).

    Parameters
    ----------
    study, judged : see `accuracy_table`
        The workers' votes are those of `metaeval.datasets.votes`.
    n_draws : int, at least 2
        The paper draws three times.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, presence, reading (one random worker, majority), level, coefficient
    (Pearson's), value (mean over the draws), standard_deviation, mc_error
        Of the folds by documents. No rows where people voted on other summaries.
    """
    if n_draws < 2:
        raise ValueError(f"`n_draws` must be at least 2, to have a spread, got {n_draws}")
    columns = ["dataset", "presence", "reading", "level", "coefficient", "value", "standard_deviation"]
    seed, votes, rows = seed_of(rng), unit_votes(datasets.votes()), []
    if set(study.labels) <= set(votes):
        golds = {"majority": [study.benchmark.human], "one random worker": []}
        for i in range(n_draws):
            draw = stream(seed, study.name, "worker", i)
            drawn = {cell: votes[cell][draw.integers(len(votes[cell]))] for cell in study.labels}
            golds["one random worker"].append(scores_of(study, {"SCU": drawn})["SCU"])
        for name, found in judged.items():
            scores = scores_of(study, {"SCU": found["SCU"]})["SCU"]
            for reading, drawn_golds in golds.items():
                for level in ("system", "summary"):
                    kind = {"by": "document", "level": level, "coefficient": "pearson"}
                    values = [
                        fold_mean(scores, gold, folds=study.folds["document"], **kind).as_released
                        for gold in drawn_golds
                    ]
                    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
                    key = (study.name, name, reading, level, "pearson")
                    rows.append((*key, float(np.mean(values)), deviation))
    table = pd.DataFrame(rows, columns=columns)
    table = table.assign(mc_error=table["standard_deviation"] / np.sqrt(n_draws))
    return check(table, keys=columns[:5])


def calibration_table(study: Study, judged: Judged, *, n_bins: int = 10) -> pd.DataFrame:
    """Share of SCUs that people found present, by what a model said.

    Parameters
    ----------
    study, judged : see `accuracy_table`
    n_bins : int
        Bins of equal width on [0, 1]; empty ones are left out.

    Returns
    -------
    DataFrame with columns presence, predicted (mean in the bin), present (share), n_labels
    """
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}")
    frames = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        inside = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
        of_bin = pd.DataFrame({"predicted": predicted, "present": labels}).groupby(inside)
        frames.append(of_bin.mean().assign(n_labels=of_bin.size()).reset_index(drop=True))
        frames[-1].insert(0, "presence", name)
    found = pd.concat(frames, ignore_index=True)
    return check(found, keys=["presence", "predicted"], values=["present"])


def _flat(study: Study, presence: Presence) -> tuple[np.ndarray, np.ndarray]:
    cells = list(study.labels)
    return (
        np.concatenate([study.labels[cell] for cell in cells]),
        np.concatenate([presence[cell] for cell in cells]),
    )


def table(study: Study, judged: Judged, *, by: str, unit: str = "SCU") -> pd.DataFrame:
    """Correlation of mean presence with the gold score, averaged over folds.

    Parameters
    ----------
    study, judged : see `accuracy_table`
    by : {"document", "system"}
        What a fold holds.
    unit : {"SCU", "STU", "extracted"}

    Returns
    -------
    DataFrame of `helpers.experiments.leaderboard.fold_table`, whose metrics are the models
    """
    scores = {name: scores_of(study, {unit: found[unit]})[unit] for name, found in judged.items()}
    return fold_table(with_scores(study, scores), folds=study.folds[by], by=by)


# one colour per kind of model, one symbol per model
PRESENCE = {
    "words": Style(BLUE, "solid", "circle"),
    "rare words": Style(BLUE, "dash", "diamond"),
    "word pairs": Style(BLUE, "dot", "square"),
    "light without vectors": Style(VERMILLION, "dash", "diamond"),
    "light": Style(VERMILLION, "solid", "circle"),
    "nli": Style(PURPLE, "solid", "circle"),
}


def presence_calibration(table: pd.DataFrame) -> go.Figure:
    """Share of units that people found against what a model said, one line per model.

    On the diagonal a model is as sure as it is right.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite2.calibration_table`
    """
    sheet = Panels().add(diagonal(0, 1))
    marks(
        table,
        x="predicted",
        y="present",
        mode="lines+markers",
        series="presence",
        style=PRESENCE,
        hover=["n_labels"],
        digits=2,
        sheet=sheet,
    )
    sheet.x(title="presence that the model says", range=[-0.02, 1.02], dtick=0.25)
    sheet.y(title="share that people found", range=[-0.02, 1.02], dtick=0.25)
    return sheet.figure(height=440)


def presence_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation of each presence model's score, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite2.table`
    """
    sheet = model_panels(table, series="metric", style=PRESENCE)
    sheet.layout |= {"scattermode": "overlay", "showlegend": False}  # the axis names the models
    return sheet.figure(height=dot_height(table["metric"].unique()))


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return table(study, judge_all(study, presences, by=by), by=by)


LIVE = Live(
    notebook="lite2",
    question="How well do models of presence stand in for people who look for units?",
    controls=CONTROLS,
    smaller=AT_FIRST,
    remark=REMARK,
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: presence_dots(table),
)
