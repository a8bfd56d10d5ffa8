"""experiments.lite2: how well do models find content units, and does their score agree with people's?

Zhang and Bansal 2021, §3.1, §A.2, §A.4 and Table 3.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import scipy  # loads its parts when they are first used

from helpers.kit.claims.checking import paper_claims, printed_values
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks, model_panels
from helpers.kit.panels import Panels, diagonal
from helpers.kit.presence import Judged, table
from helpers.kit.theme import BLUE, PURPLE, VERMILLION, Style
from helpers.kit.tidy import tidy
from metaeval import datasets
from metaeval.core.errors import require_extra
from metaeval.datasets.readers.votes import unit_votes
from metaeval.metrics.pyramid.folds import fold_mean, fold_table
from metaeval.metrics.pyramid.nli import CHECKPOINTS, READINGS, NliModel, learned_on
from metaeval.metrics.pyramid.scores import Presence
from metaeval.metrics.pyramid.study import (
    Study,
    judge,
    judge_all,
    load_study,
    read_all,
    scores_of,
    transferred,
)
from metaeval.metrics.rouge import rouge_scores
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import prints_as
from metaeval.tables.columns import check

# the systems for which the README of the release gives its output
IN_README = {"lite-realsumm": "abs_bart_out", "lite-pyrxsum": "t5-large"}
# one colour per kind of model, one symbol per model
PRESENCE = {
    "words": Style(BLUE, "solid", "circle"),
    "rare words": Style(BLUE, "dash", "diamond"),
    "word pairs": Style(BLUE, "dot", "square"),
    "light without vectors": Style(VERMILLION, "dash", "diamond"),
    "light": Style(VERMILLION, "solid", "circle"),
    "nli": Style(PURPLE, "solid", "circle"),
}


@tidy("dataset", "system", "quantity")
def system_facts(study: Study, *, n_resamples=1_000):
    """Each system's gold LitePyramid, and its ROUGE-2 F1 in points by a package's bootstrap (Table 3)."""
    # rouge-score's BootstrapAggregator, and with it Hugging Face's `rouge` of 2021, returns the median of
    # unseeded means of documents drawn again. Expected are the median of a skewed distribution (the first
    # term of Cornish and Fisher's expansion) and, for one run, the error of a normal sample's median
    rouge = 100 * rouge_scores(study.benchmark.texts, ["ROUGE-2 F1"])[0].to_numpy()
    error, skew = rouge.std(axis=1) / np.sqrt(rouge.shape[1]), scipy.stats.skew(rouge, axis=1)
    median = rouge.mean(axis=1) - error * skew / np.sqrt(rouge.shape[1]) / 6
    named = {"dataset": study.name, "system": study.benchmark.systems}
    run_error = error * np.sqrt(np.pi / 2 / n_resamples)
    yield {**named, "quantity": "ROUGE-2 F1", "value": median, "mc_error": run_error}
    yield {**named, "quantity": "gold", "value": study.benchmark.human.mean("document"), "mc_error": 0.0}


def rouge_2_tries(study: Study) -> pd.DataFrame:
    """Printed ROUGE-2 F1 (Table 3) beside ours by stems, words, and the nearer; no rows of other systems."""
    printed = printed_values("zhang2021lite", "table3").query("quantity == 'ROUGE-2 F1'").set_index("system")
    tried = {}
    if set(printed.index) == set(study.benchmark.systems):
        for reading, stem in {"stems": True, "words": False}.items():
            scores = rouge_scores(study.benchmark.texts, ["ROUGE-2 F1"], stem=stem)[0]
            ours = 100 * scores.mean("document").to_series()[printed.index]
            agree = [prints_as(v, text) for v, text in zip(ours, printed["printed"], strict=True)]
            tried[reading] = np.array(agree), (ours - printed["value"]).abs().to_numpy()
        agree, apart = zip(*tried.values(), strict=True)
        tried["the nearer of the two"] = np.any(agree, axis=0), np.min(apart, axis=0)
    rows = [(name, agree.sum(), agree.size, apart.max()) for name, (agree, apart) in tried.items()]
    columns = ["reading", "n_agree", "n_values", "largest_difference"]  # the last in points
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:1], values=["n_agree"])


def unmatched(tries: pd.DataFrame) -> str:
    """Number of printed values that none of the readings gives, such as "3 of 10"."""
    last = tries.tail(1)
    return f"{(last['n_values'] - last['n_agree']).sum()} of {last['n_values'].sum()}"


@tidy("learned_on", values=["checkpoint"])
def checkpoint_table():
    """The models that the paper starts from and those that its authors released."""
    yield {"learned_on": list(CHECKPOINTS), "checkpoint": list(CHECKPOINTS.values())}


@tidy("dataset", "presence", values=["accuracy"])
def accuracy_table(study: Study, judged: Judged):
    """Accuracy of models that judge the presence of SCUs."""
    measures = require_extra("sklearn.metrics", "pyramid")
    for name, units in judged.items():
        labels, predicted = _flat(study, units["SCU"])
        yield {
            "dataset": study.name,
            "presence": name,
            "accuracy": float(measures.accuracy_score(labels, predicted >= 0.5)),
            "majority": float(max(labels.mean(), 1 - labels.mean())),
            "auc": float(measures.roc_auc_score(labels, predicted)),
            "squared_error": float(measures.brier_score_loss(labels, predicted)),
            "n_labels": len(labels),
        }


def _flat(study: Study, presence: Presence) -> tuple[np.ndarray, np.ndarray]:
    """People's labels and a model's presence of all SCUs in one row each."""
    return tuple(np.concatenate([of[cell] for cell in study.labels]) for of in (study.labels, presence))


def folds_accuracy(study: Study, judged: Judged, *, checkpoint: str = "") -> pd.DataFrame:
    """Accuracy of NLI models as the paper gives it: percent, averaged over the folds by documents (§A.4)."""
    nli = "zero-shot" if learned_on(checkpoint) == "zero-shot" else checkpoint
    rows = []
    for name, kind in {"nli": nli, "fine-tuned": "fine-tuned"}.items():
        shares = []
        for fold in study.folds["document"] if name in judged else ():
            cells = [cell for cell in study.labels if cell[1] in set(fold)]
            right = [(judged[name]["SCU"][cell] >= 0.5) == study.labels[cell] for cell in cells]
            shares.append(100 * np.concatenate(right).mean())
        if shares:
            rows.append((study.name, f"accuracy of the {kind} model", float(np.mean(shares))))
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def single_systems(studies, *, checkpoint: str = "") -> pd.DataFrame:
    """Mean scores of the README's systems by people and, in all readings, by a checkpoint if there is one."""
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
            logits, model = read_all(NliModel(checkpoint), units, texts), learned_on(checkpoint) or checkpoint
            for kind, (reading, read) in product(units, READINGS.items()):
                means = [read(values.astype(float)).mean() for values in logits[kind].values()]
                rows.append((study.name, name, model, kind, reading, float(np.mean(means))))
    columns = ["dataset", "system", "presence", "units", "reading", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:5])


@tidy("dataset", "learned_on", values=["accuracy"])
def light_accuracy(studies):
    """The light model's accuracy on two data sets, by folds and from the other, beside NLI's as printed."""
    for study, other in zip(studies, reversed(studies), strict=True):
        sources = {"other folds": judge(study, "light"), other.name: transferred(other, study)}
        rows = accuracy_table(study, sources).rename(columns={"presence": "learned_on"})
        kinds = {"fine_tuned": "fine-tuned", "zero_shot": "zero-shot"}
        yield rows.assign(**{column: _printed_accuracy(study.name, kind) for column, kind in kinds.items()})


def _printed_accuracy(dataset: str, kind: str) -> float:
    select = {"dataset": dataset, "quantity": f"accuracy of the {kind} model"}
    printed = [c.test["printed"] for c in paper_claims("zhang2021lite") if c.test.get("select") == select]
    return float(printed[0]) / 100 if printed else float("nan")


def _check_draws(n_draws: int) -> None:
    if n_draws < 2:
        raise ValueError(f"`n_draws` must be at least 2, to have a spread, got {n_draws}")


def _spread(values, n_draws: int) -> dict[str, float]:
    """Columns of the mean over draws, its standard deviation and error."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    error = deviation / np.sqrt(n_draws)
    return {"value": float(np.mean(values)), "standard_deviation": deviation, "mc_error": error}


def one_worker(study: Study, judged: Judged, *, n_draws: int, rng) -> pd.DataFrame:
    """Lite²Pyramid against one random worker's labels and the majority's (§A.2); no rows without votes."""
    _check_draws(n_draws)
    seed, votes, rows = seed_of(rng), unit_votes(datasets.votes()), []
    if set(study.labels) <= set(votes):
        golds = {"majority": [study.benchmark.human], "one random worker": []}
        for i in range(n_draws):
            draw = stream(seed, study.name, "worker", i)
            drawn = {cell: votes[cell][draw.integers(len(votes[cell]))] for cell in study.labels}
            golds["one random worker"].append(scores_of(study, {"SCU": drawn})["SCU"])
        for name, units in judged.items():
            scores = scores_of(study, {"SCU": units["SCU"]})["SCU"]
            for reading, level in product(golds, ("system", "summary")):
                kind = {"level": level, "coefficient": "pearson"}
                means = [
                    fold_mean(scores, gold, folds=study.folds["document"], by="document", **kind).as_released
                    for gold in golds[reading]
                ]
                named = {"dataset": study.name, "presence": name, "reading": reading, **kind}
                rows.append({**named, **_spread(means, n_draws)})
    keys = ["dataset", "presence", "reading", "level", "coefficient"]
    columns = [*keys, "value", "standard_deviation", "mc_error"]
    return check(pd.DataFrame(rows, columns=columns), keys=keys)


@tidy("presence", "predicted", values=["present"])
def calibration_table(study: Study, judged: Judged, *, n_bins: int = 10):
    """Share of SCUs that people found, in bins of equal width of what a model says of them."""
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}")
    for name, units in judged.items():
        labels, predicted = _flat(study, units["SCU"])
        bins = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
        grouped = pd.DataFrame({"predicted": predicted, "present": labels}).groupby(bins)
        yield {"presence": name, **grouped.mean(), "n_labels": grouped.size()}


def presence_calibration(table: pd.DataFrame) -> go.Figure:
    """Share of units that people found against what a model says, a line for each; the diagonal is right."""
    sheet = Panels().add(diagonal(0, 1))
    marks(
        table, x="predicted", y="present", mode="lines+markers", series="presence", style=PRESENCE,
        hover=["n_labels"], digits=2, sheet=sheet,
    )  # fmt: skip
    sheet.x(title="presence that the model says", range=[-0.02, 1.02], dtick=0.25)
    sheet.y(title="share that people found", range=[-0.02, 1.02], dtick=0.25)
    return sheet.figure(height=440)


def rouge_by_folds(study: Study, *, by: str) -> pd.DataFrame:
    """Correlation of plain ROUGE recall with the gold score, averaged over the folds of the models."""
    scores = kept_scores(study.benchmark.texts, ("ROUGE-1 recall", "ROUGE-2 recall"))
    return fold_table(study.benchmark.with_scores(scores), folds=study.folds[by], by=by)


def presence_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation of each model's score, a panel for each level; a dropdown picks the coefficient."""
    sheet = model_panels(table, series="metric", style=PRESENCE)
    sheet.layout |= {"scattermode": "overlay", "showlegend": False}  # the axis names the models
    return sheet.figure(height=dot_height(table["metric"].unique()))


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return table(study, judge_all(study, presences, by=by), by=by)


LIVE = live(
    "lite2",
    _compute,
    presence_dots,
    "dataset presences by",
    question="How well do models of presence stand in for people who look for units?",
    constants="",
    initial={"presences": ("words", "rare words")},
    note="Starts with two models of presence. A model takes some seconds when it is first asked for.",
)
