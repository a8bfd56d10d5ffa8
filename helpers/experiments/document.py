"""experiments.document: which content units does a summary hold, by people and by a model?

Zhang and Bansal 2021, one document to read. Texts come from the reader's own copy of the data.
"""

from __future__ import annotations

import html

import numpy as np
import pandas as pd

from helpers.kit.tidy import tidy
from metaeval.core.errors import choose
from metaeval.metrics.pyramid.scores import lite_pyramid
from metaeval.metrics.pyramid.study import Study
from metaeval.metrics.text import sentences
from metaeval.tables.columns import check
from metaeval.tables.labels import words


def unit_table(study: Study, presence, *, document: str, system: str) -> pd.DataFrame:
    """A document's SCUs with people's labels and a model's presence for one summary."""
    require(study, document=document, system=system)
    others = [study.labels[other, document] for other in study.benchmark.systems if other != system]
    table = pd.DataFrame(
        {
            "unit": study.units["SCU"][document],
            "people": study.labels[system, document].astype(int),
            "model": presence["SCU"][system, document],
            "others": np.mean(others, axis=0) if others else np.nan,  # share of the other systems
        }
    )
    return check(table, keys=[], values=["unit", "people", "model"])


def n_different(units: pd.DataFrame) -> int:
    """Number of units on which the model decides otherwise than people."""
    return int(((units["people"] == 1) != (units["model"] >= 0.5)).sum())


@tidy("quantity")
def unit_counts(units: pd.DataFrame):
    """Numbers of units, of those that people found, and of those on which the model decides as they do."""
    counts = [len(units), units["people"].sum(), len(units) - n_different(units)]
    yield {"quantity": ["units", "by people", "alike"], "value": counts}


@tidy(values=["unit"])
def triplet_table(study: Study, presence, *, document: str, system: str, unit="STU"):
    """Units that a machine cut out of the reference, with a model's presence."""
    require(study, document=document, system=system)
    units = choose("units", unit, study.units)[document]
    yield pd.DataFrame({"unit": units, "model": presence[unit][system, document]})


@tidy("system", "metric")
def document_scores(study: Study, presence, *, document: str):
    """People's score, Lite²Pyramid and Lite³Pyramid of every system on one document, best first."""
    require(study, document=document)
    scores = {"people": study.labels, "Lite²Pyramid": presence["SCU"], "Lite³Pyramid": presence["STU"]}
    gold = {system: lite_pyramid(study.labels[system, document]) for system in study.benchmark.systems}
    for system in sorted(gold, key=lambda system: (-gold[system], system)):
        for metric, units in scores.items():
            yield {"system": system, "metric": metric, "value": lite_pyramid(units[system, document])}


def texts_html(study: Study, *, document: str, system: str) -> str:
    """Reference and summary side by side as HTML, one line per sentence."""
    require(study, document=document, system=system)
    texts = study.benchmark.texts
    summary = str(texts.summaries.sel(system=system, document=document).item())
    columns = {"Reference": texts.references[document], f"Summary by {words('system', system)}": [summary]}
    heads = "".join(f"<th>{html.escape(title)}</th>" for title in columns)
    cells = "".join(
        f'<td style="text-align: left; vertical-align: top; white-space: normal">'
        f"{'<br>'.join(html.escape(line) for text in column for line in sentences(text))}</td>"
        for column in columns.values()
    )
    head = f"<caption>A reference, and a system's summary</caption><thead><tr>{heads}</tr></thead>"
    return f'<table class="dataframe">{head}<tbody><tr>{cells}</tr></tbody></table>'


def nth_document(study: Study, index: int) -> str:
    """Id of a document by its number, from 0."""
    documents = study.benchmark.documents
    if not 0 <= index < len(documents):
        raise ValueError(f"`document` must be from 0 to {len(documents) - 1}, got {index}")
    return documents[index]


def chosen_system(study: Study, presence, name: str, *, document: str) -> str:
    """The system named, or without a name the one on whose summary people and the model differ most."""
    if name:
        require(study, system=name)
        return name

    def differences(system: str) -> tuple[int, int]:  # then the one with most units by people
        units = unit_table(study, presence, document=document, system=system)
        return n_different(units), int(units["people"].sum())

    return max(study.benchmark.systems, key=differences)


def require(study: Study, **names: str) -> None:
    """Raise `UnknownNameError` for a document or system that the study does not have."""
    options = {"document": study.units["SCU"], "system": study.benchmark.systems}
    for what, name in names.items():
        choose(what, name, dict.fromkeys(options[what]))
