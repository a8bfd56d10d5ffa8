"""experiments.lite3: how far do content units that a machine cuts stand in for those that people write?

Zhang and Bansal 2021, §3.2, §5.1 and Fig. 1.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import presence
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, model_panels
from helpers.kit.theme import GREEN, ORANGE, PURPLE, Style
from helpers.kit.tidy import tidy
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.scores import assign_to_sentences, rouge_1_f1
from metaeval.metrics.pyramid.study import Study, judge_all, load_study
from metaeval.metrics.text import sentences, stems
from metaeval.tables.columns import check

_SIMULATED = (("STU", "SCU"), ("extracted", "SCU"), ("extracted", "STU"))  # units made, units wanted
_UNITS = {
    "SCU": Style(GREEN, "solid", "circle"),
    "STU": Style(ORANGE, "dash", "diamond"),
    "extracted": Style(PURPLE, "dot", "square"),
}


@tidy(values=["unit"])
def cut(sentence: str):
    """The units that our extractor cuts out of a sentence."""
    yield {"unit": extract({"the sentence": [sentence]})["the sentence"]}


@tidy("document", values=["covered", "precise"])
def compare_units(units, target_units):
    """Mean ROUGE-1 F1 of the best match of each unit, by document: of target units, and of `units`."""
    for document, targets in target_units.items():
        f1 = np.array([[rouge_1_f1(stems(a), stems(b)) for a in units[document]] for b in targets])
        yield {
            "document": document, "n_made": len(units[document]), "n_wanted": len(targets),
            "covered": float(f1.max(axis=1).mean()), "precise": float(f1.max(axis=0).mean()),
        }  # fmt: skip


@tidy("dataset", "units", "simulated_units", values=["covered"])
def simulation_table(studies):
    """Means of `compare_units` over the documents of each study, for each two sets of units."""
    for study, (units, targets) in product(studies, _SIMULATED):
        means = compare_units(study.units[units], study.units[targets]).drop(columns="document").mean()
        yield {"dataset": study.name, "units": units, "simulated_units": targets, **means}


def example(study: Study, naming: str) -> pd.DataFrame:
    """Units of the first reference that holds some words, with the sentence that each is of; or no rows."""
    references, rows = study.benchmark.texts.references, []
    for document in [d for d, texts in references.items() if naming in " ".join(texts)][:1]:
        split = [sentence for text in references[document] for sentence in sentences(text)]
        for kind in ("SCU", "STU"):
            units = study.units[kind][document]
            # without these words, which coreference puts everywhere
            places = assign_to_sentences([unit.replace(naming, "") for unit in units], split).tolist()
            rows += [(kind, unit, place) for unit, place in zip(units, places, strict=True)]
    return check(pd.DataFrame(rows, columns=["units", "unit", "sentence"]), keys=["units", "unit"], values=())


def example_counts(study: Study, units: pd.DataFrame, *, n_sentences=0, saying="") -> pd.DataFrame:
    """Numbers of units of `example`; also of its first sentences, and of those that hold some words."""
    counts = {f"{kind}s of the example": n for kind, n in units["units"].value_counts().items()}
    first = units.loc[units["sentence"] < n_sentences, "units"].value_counts()
    counts |= {f"{kind}s of its first {n_sentences} sentences": n for kind, n in first.items()}
    if saying and len(units):
        stus = units.loc[units["units"] == "STU", "unit"]
        counts[f"STUs that say {saying}"] = stus.str.contains(saying, regex=False).sum()
    rows = [(study.name, quantity, float(n)) for quantity, n in counts.items()]
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


@tidy("dataset", "split", "units", "level", "coefficient", "metric")
def table(study: Study, judged: presence.Judged, *, by: str):
    """Correlations by `helpers.kit.presence.table` for every set of units."""
    for unit in study.units:
        yield presence.table(study, judged, by=by, unit=unit).assign(units=unit)


def unit_dots(table: pd.DataFrame) -> go.Figure:
    """Correlations by presence model and units, a panel for each level; a dropdown picks the coefficient."""
    sheet = model_panels(table, series="units", style=_UNITS)
    return sheet.figure(height=dot_height(table["metric"].unique(), table["units"].unique()))


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return table(study, judge_all(study, presences, by=by), by=by)


LIVE = live(
    "lite3",
    _compute,
    unit_dots,
    "dataset presences by",
    question="How well do units that a program cuts stand in for units that people write?",
    constants="",
    initial={"presences": ("words", "rare words")},
    note="Starts with two models of presence. A model takes some seconds when it is first asked for.",
)
