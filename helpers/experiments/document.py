"""experiments.document: one document to read: its reference, its units, a summary, and what was found in it.

For the notebook `document`: a `Study` and judged presence in, tables of texts out. The texts come from the
reader's own copy of the data; nothing of them is kept here.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from metaeval.core.errors import UnknownNameError, choose
from metaeval.metrics.pyramid.scores import Presence, lite_pyramid
from metaeval.metrics.pyramid.study import Study
from metaeval.metrics.text import sentences
from metaeval.tables.columns import check
from metaeval.tables.labels import words

FILTERS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "all": lambda table: pd.Series(True, index=table.index),
    "present": lambda table: table["people"] == 1,
    "absent": lambda table: table["people"] == 0,
    "disagreements": lambda table: (table["people"] == 1) != (table["model"] >= 0.5),
}


def unit_table(
    study: Study, presence: Mapping[str, Presence], *, document: str, system: str, show: str = "all"
) -> pd.DataFrame:
    """The SCUs of a document with people's labels and a model's presence for one summary.

    Parameters
    ----------
    study : Study
    presence : name of the units -> presence
    document, system : ids
    show : {"all", "present", "absent", "disagreements"}

    Returns
    -------
    DataFrame with columns unit, people (0 or 1), model (0 to 1), others (share of the other systems whose
    summary has the unit, by people; NaN where there are none)
    """
    require(study, document=document, system=system)
    others = [study.labels[other, document] for other in study.benchmark.systems if other != system]
    table = pd.DataFrame(
        {
            "unit": study.units["SCU"][document],
            "people": study.labels[system, document].astype(int),
            "model": presence["SCU"][system, document],
            "others": np.mean(others, axis=0) if others else np.nan,
        }
    )
    table = table[choose("filter of units", show, FILTERS)(table)].reset_index(drop=True)
    return check(table, keys=[], values=["unit", "people", "model"])


def answer(
    units: pd.DataFrame, *, dataset: str, document: str, system: str, made_up: bool, most: bool = False
) -> dict[str, str]:
    """The page's answer: how many units people found in the summary, and on how many the model says so too.

    Parameters
    ----------
    units : DataFrame of `unit_table`, of all units
    dataset, document, system : ids
    made_up : bool
        Whether texts and labels are simulated.
    most : bool
        Whether the system is `chosen_system`'s choice.

    Returns
    -------
    dict
        ``document-answer-short``, every number counted.
    """
    what = "with made-up texts and labels" if made_up else f"of {words('data', dataset)}"
    which = " No summary of this document has more differences." if most else ""
    alike = (~FILTERS["disagreements"](units)).sum()
    return {
        "document-answer-short": (
            f"A worked example {what}: people found {units['people'].sum()} of the {len(units)} content "
            f"units of document {document} in the summary by {words('system', system)}; the model decides as "
            f"they do on {alike} of the {len(units)}.{which}"
        ),
    }


def triplet_table(
    study: Study, presence: Mapping[str, Presence], *, document: str, system: str, unit: str = "STU"
) -> pd.DataFrame:
    """The units that a machine cut out of the reference, with a model's presence.

    Parameters
    ----------
    study : Study
    presence : mapping, name of the units -> presence
        As `judge` gives it.
    document, system : ids
    unit : str
        The name of the units.

    Returns
    -------
    DataFrame with columns unit, model (presence from 0 to 1)

    Raises
    ------
    UnknownNameError
        If the study has no such document, system or units.
    """
    require(study, document=document, system=system)
    found = choose("units", unit, study.units)[document]
    table = pd.DataFrame({"unit": found, "model": presence[unit][system, document]})
    return check(table, keys=[], values=["unit"])


def document_scores(study: Study, presence: Mapping[str, Presence], *, document: str) -> pd.DataFrame:
    """Every system's gold score, Lite²Pyramid and Lite³Pyramid on one document, best first.

    Parameters
    ----------
    study : Study
    presence : mapping, name of the units -> presence
    document : id

    Returns
    -------
    DataFrame with columns system, metric ("people", "Lite²Pyramid", "Lite³Pyramid"), value
    """
    require(study, document=document)
    scores = {"people": study.labels, "Lite²Pyramid": presence["SCU"], "Lite³Pyramid": presence["STU"]}
    gold = {system: lite_pyramid(study.labels[system, document]) for system in study.benchmark.systems}
    rows = [
        (system, metric, lite_pyramid(of_units[system, document]))
        for system in sorted(gold, key=lambda system: (-gold[system], system))
        for metric, of_units in scores.items()
    ]
    return check(pd.DataFrame(rows, columns=["system", "metric", "value"]), keys=["system", "metric"])


def texts_html(study: Study, *, document: str, system: str) -> str:
    """Reference and summary side by side, one line per sentence, as HTML.

    Parameters
    ----------
    study : Study
    document, system : ids

    Returns
    -------
    str

    Raises
    ------
    UnknownNameError
        If the study has no such document or system.
    """
    require(study, document=document, system=system)
    texts = study.benchmark.texts
    parts = {
        "Reference": [line for reference in texts.references[document] for line in sentences(reference)],
        f"Summary by {words('system', system)}": sentences(
            str(texts.summaries.sel(system=system, document=document).item())
        ),
    }
    heads = "".join(f"<th>{html.escape(title)}</th>" for title in parts)
    cells = "".join(
        f'<td style="text-align: left; vertical-align: top; white-space: normal">'
        f"{'<br>'.join(html.escape(line) for line in lines)}</td>"
        for lines in parts.values()
    )
    head = f"<caption>A reference, and a system's summary</caption><thead><tr>{heads}</tr></thead>"
    return f'<table class="dataframe">{head}<tbody><tr>{cells}</tr></tbody></table>'


def nth_document(study: Study, index: int) -> str:
    """The id of a document by its number.

    Parameters
    ----------
    study : Study
    index : int, from 0

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there are fewer documents.
    """
    documents = study.benchmark.documents
    if not 0 <= index < len(documents):
        raise ValueError(f"`document` must be from 0 to {len(documents) - 1}, got {index}")
    return documents[index]


def chosen_system(study: Study, presence: Mapping[str, Presence], name: str, *, document: str) -> str:
    """A system by its name; for an empty name the one on whose summary people and the model differ most.

    Parameters
    ----------
    study : Study
    presence : name of the units -> presence
    name : str
    document : id

    Returns
    -------
    str
        Of several that differ as much the one in which people found most units, then the first.

    Raises
    ------
    UnknownNameError
        If the study has no such system.
    """
    if name:
        require(study, system=name)
        return name

    def differing(system: str) -> tuple[int, int]:
        units = unit_table(study, presence, document=document, system=system)
        return int(FILTERS["disagreements"](units).sum()), int(units["people"].sum())

    return max(study.benchmark.systems, key=differing)


def require(study: Study, **names: str) -> None:
    """Raise `UnknownNameError` if the study has no such document or system."""
    known = {"document": study.units["SCU"], "system": study.benchmark.systems}
    for what, name in names.items():
        if name not in known[what]:
            raise UnknownNameError(what, name, known[what])
