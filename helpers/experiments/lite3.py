"""experiments.lite3: how far units that a machine cuts stand in for those that people write.

For the notebook `lite3`: studies and judged presence in, tidy tables out. Zhang and Bansal 2021, §3.2, §5.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.experiments import lite2
from helpers.kit.live.choices import AT_FIRST, CONTROLS, REMARK
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, model_panels
from helpers.kit.theme import GREEN, ORANGE, PURPLE, Style
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.study import Study, judge_all, load_study
from metaeval.metrics.pyramid.units import assign_to_sentences, rouge_1_f1
from metaeval.metrics.text import sentences, stems
from metaeval.tables.columns import check
from metaeval.tables.labels import words

# which units are to simulate which
_SIMULATED = (("STU", "SCU"), ("extracted", "SCU"), ("extracted", "STU"))


def cut(sentence: str) -> pd.DataFrame:
    """The units that our extractor cuts out of a sentence.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    DataFrame with the column unit
    """
    units = extract({"the sentence": [sentence]})["the sentence"]
    return check(pd.DataFrame({"unit": units}), keys=[], values=["unit"])


def compare_units(made: Mapping[str, Sequence[str]], wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """How well some units simulate others, one row per document.

    Parameters
    ----------
    made, wanted : mapping, document -> units

    Returns
    -------
    DataFrame with columns document, n_made, n_wanted (units), covered (mean over the wanted units of
    the ROUGE-1 F1 of the best made one: the paper's simulation accuracy), precise (the same the other way
    round)
    """
    rows = []
    for document, targets in wanted.items():
        f1 = np.array([[rouge_1_f1(stems(a), stems(b)) for a in made[document]] for b in targets])
        rows.append(
            {
                "document": document,
                "n_made": len(made[document]),
                "n_wanted": len(targets),
                "covered": float(f1.max(axis=1).mean()),
                "precise": float(f1.max(axis=0).mean()),
            }
        )
    return check(pd.DataFrame(rows), keys=["document"], values=["covered", "precise"])


def simulation_table(studies: Sequence[Study]) -> pd.DataFrame:
    """How well one set of units simulates another, averaged over documents.

    Parameters
    ----------
    studies : sequence of Study

    Returns
    -------
    DataFrame with columns dataset, units, simulated_units, n_made, n_wanted (a reference), covered, precise;
    see `compare_units`
    """
    rows = []
    for study in studies:
        for made, wanted in _SIMULATED:
            means = compare_units(study.units[made], study.units[wanted])
            means = means[["n_made", "n_wanted", "covered", "precise"]].mean().to_dict()
            rows.append({"dataset": study.name, "units": made, "simulated_units": wanted} | means)
    return check(pd.DataFrame(rows), keys=["dataset", "units", "simulated_units"], values=["covered"])


def answer(simulation: pd.DataFrame, correlations: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how well machine-cut units cover people's, and what the score loses with them.

    Parameters
    ----------
    simulation : DataFrame of `simulation_table`
    correlations : DataFrame of `table`
        Of the last model of presence, by the first coefficient.

    Returns
    -------
    dict
        ``lite3-answer-short`` and ``lite3-answer-sure``; every word is chosen from the numbers.
    """
    covered = []
    for name, part in simulation[simulation["simulated_units"] == "SCU"].groupby("dataset", sort=False):
        units = part.set_index("units")["covered"]
        whose = ("", "") if covered else (" (released)", " (ours)")
        covered.append(
            f"{units['STU']:.2f}{whose[0]} and {units['extracted']:.2f}{whose[1]} on {words('data', name)}"
        )
    last = correlations[correlations["metric"] == correlations["metric"].iloc[-1]]
    last = last[last["coefficient"] == last["coefficient"].iloc[0]]
    said = []
    for level, part in last.groupby("level", sort=False):
        of = part.set_index("units")
        whose = ("", "") if said else (" with people's units", " with released ones")
        told = [
            f"{row.value:.2f} ({row.lowest:.2f} to {row.highest:.2f}){units}"
            for row, units in zip((of.loc["SCU"], of.loc["STU"]), whose, strict=True)
        ]
        said.append(f"{', '.join(told)} at {words('level', level)}")
    row = last.iloc[0]
    return {
        "lite3-answer-short": (
            f"Machine-cut units share words with people's: ROUGE-1 F1 {', '.join(covered)}."
        ),
        "lite3-answer-sure": (
            f"On {words('data', row['dataset'])} the {row['metric']} model's "
            f"{words('coefficient', row['coefficient'])} (range over folds) is {'; '.join(said)}."
        ),
    }


def example(study: Study, naming: str) -> pd.DataFrame:
    """The units of the first reference that holds some words: as people wrote them, as a machine cut them.

    Parameters
    ----------
    study : Study
    naming : str

    Returns
    -------
    DataFrame with columns units (SCU, STU), unit, sentence (of the reference: the one that covers most of the
    unit's words but these, which coreference puts everywhere); no rows if no reference holds the words
    """
    references = study.benchmark.texts.references
    rows = []
    for document in [d for d, texts in references.items() if naming in " ".join(texts)][:1]:
        split = [sentence for text in references[document] for sentence in sentences(text)]
        for kind in ("SCU", "STU"):
            units = study.units[kind][document]
            places = assign_to_sentences([unit.replace(naming, "") for unit in units], split).tolist()
            rows += [(kind, unit, place) for unit, place in zip(units, places, strict=True)]
    return check(pd.DataFrame(rows, columns=["units", "unit", "sentence"]), keys=["units", "unit"], values=())


def example_counts(
    study: Study, shown: pd.DataFrame, *, n_sentences: int = 0, saying: str = ""
) -> pd.DataFrame:
    """How many units of each kind `example` shows.

    Parameters
    ----------
    study : Study
    shown : DataFrame of `example`
    n_sentences : int
        Counts also those of this many first sentences.
    saying : str
        Counts also the STUs that hold these words.

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    first = shown[shown["sentence"] < n_sentences]
    counts = {f"{kind}s of the example": n for kind, n in shown["units"].value_counts().items()}
    counts |= {
        f"{kind}s of its first {n_sentences} sentences": n
        for kind, n in first["units"].value_counts().items()
    }
    if saying and len(shown):
        stus = shown.loc[shown["units"] == "STU", "unit"]
        counts[f"STUs that say {saying}"] = stus.str.contains(saying, regex=False).sum()
    rows = [(study.name, quantity, float(n)) for quantity, n in counts.items()]
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


def table(study: Study, judged: lite2.Judged, *, by: str) -> pd.DataFrame:
    """`helpers.experiments.lite2.table` for every set of units.

    Parameters
    ----------
    study, judged, by : see `helpers.experiments.lite2.table`

    Returns
    -------
    DataFrame with the columns of that table and the column units
    """
    frames = [lite2.table(study, judged, by=by, unit=unit).assign(units=unit) for unit in study.units]
    found = pd.concat(frames, ignore_index=True)
    return check(found, keys=["dataset", "split", "units", "level", "coefficient", "metric"])


_UNITS = {
    "SCU": Style(GREEN, "solid", "circle"),
    "STU": Style(ORANGE, "dash", "diamond"),
    "extracted": Style(PURPLE, "dot", "square"),
}


def unit_dots(table: pd.DataFrame) -> go.Figure:
    """Correlation by presence model and kind of units, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.lite3.table`
    """
    sheet = model_panels(table, series="units", style=_UNITS)
    return sheet.figure(height=dot_height(table["metric"].unique(), table["units"].unique()))


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return table(study, judge_all(study, presences, by=by), by=by)


LIVE = Live(
    notebook="lite3",
    question="How well do units that a program cuts stand in for units that people write?",
    controls=CONTROLS,
    smaller=AT_FIRST,
    remark=REMARK,
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: unit_dots(table),
)
