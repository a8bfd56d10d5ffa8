r"""experiments.annotations: do REALSumm's crowd votes on content units give its scores, and do workers agree?

Bhandari et al. 2020, §3.3: four workers vote on every unit of a reference; of each summary the worker who
disagrees most with the majority is left out; a unit is present by majority; the score of a summary is the
share of its reference's units that are present (LitePyramid recall, Shapira et al. 2019, one reference).

Votes are 0/1 arrays (n_workers, n_units).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import krippendorff
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.marks import marks
from helpers.kit.theme import GROUP_SYMBOLS, ORANGE, VERMILLION, Style
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError, choose
from metaeval.datasets.readers.alignment import match_documents, normalised
from metaeval.datasets.readers.votes import BLANK, Ratings, unit_votes
from metaeval.stats.ties import equal_on_paper
from metaeval.tables.benchmark import Benchmark, cells_to_array
from metaeval.tables.columns import check
from metaeval.tables.labels import words

NEUSUM = "ext_neusumm_out"  # extractive, and rated, scored and released among the abstractive systems
TIE_RULES = {"not present": 0, "present": 1}  # of a unit that half of the workers found
TYPES = {"mix": ("abs", "ext"), "abs": ("abs",), "ext": ("ext",)}


def majority(votes) -> np.ndarray:
    """1 where more than half of the workers found the unit, 0 where fewer did, NaN where exactly half."""
    share = _checked(votes).mean(axis=0)
    return np.where(share == 0.5, np.nan, share > 0.5)


def presence(votes, *, tie_rule="not present") -> np.ndarray:
    """True for each unit that is in the summary by majority."""
    by_majority = majority(votes)
    return np.where(np.isnan(by_majority), choose("tie_rule", tie_rule, TIE_RULES), by_majority).astype(bool)


def recalls(ratings: Ratings, *, tie_rule="not present") -> xr.DataArray:
    """LitePyramid recall of every summary, with dims (system, document)."""
    shares = {cell: presence(votes, tie_rule=tie_rule).mean() for cell, votes in unit_votes(ratings).items()}
    ids = {"systems": ratings.systems, "documents": ratings.documents}
    return cells_to_array({"recall": shares}, leading="metric", **ids).isel(metric=0, drop=True)


def disagreements(votes) -> np.ndarray:
    """Number of units on which each worker votes against the majority; a tied unit has none."""
    return np.nansum(np.abs(_checked(votes) - majority(votes)), axis=1).astype(int)


def noisiest(votes) -> int | None:
    """The first worker with the most units against the majority; None where nobody has any."""
    # the released rows bear this out: all four workers stand on just those summaries (`kept_by_disagreement`)
    counts = disagreements(votes)
    return int(counts.argmax()) if counts.max(initial=0) > 0 else None


def alpha(votes) -> float:
    """Krippendorff's alpha of nominal votes, NaN where nobody voted; NaN where all votes are the same."""
    votes = np.asarray(votes, dtype=float)
    if len(np.unique(votes[~np.isnan(votes)])) < 2:
        return math.nan
    return float(krippendorff.alpha(reliability_data=votes, level_of_measurement="nominal"))


@tidy("system", "document", values=["alpha"])
def alphas(ratings: Ratings):
    """Krippendorff's alpha of every summary's workers."""
    for (system, document), votes in unit_votes(ratings).items():
        names = {"system": system, "system_type": system.partition("_")[0], "document": document}
        yield names | {"alpha": alpha(votes)}


def worker_agreement(ratings: Ratings) -> pd.DataFrame:
    """Mean alpha of each system's summaries, 1 where all votes are the same, and its standard error."""
    single = alphas(ratings).fillna({"alpha": 1.0})
    table = single.groupby(["system", "system_type"])["alpha"].agg(["mean", "sem", "size"]).reset_index()
    table = table.rename(columns={"mean": "value", "sem": "standard_error", "size": "n_documents"})
    return check(table.assign(folder=table["system"].map(dict(ratings.folder))), keys=["system"])


@tidy("reading", "group")
def alpha_readings(ratings: Ratings):
    """Readings of "average inter-annotator agreement": of what, and what to do where it does not exist."""
    single, units = alphas(ratings), unit_votes(ratings)
    folders = single["system"].map(dict(ratings.folder))  # two extractive systems lie among the abstractive
    for group, types in TYPES.items():
        rows = single[single["system_type"].isin(types)]
        each, others = rows["alpha"], rows.loc[rows["system"] != NEUSUM, "alpha"]
        readings = {
            "per summary; all the same is 1": each.fillna(1),
            "per summary; all the same is 0": each.fillna(0),
            "per summary; all the same is left out": each,
            "per summary; all the same is 1; without NeuSum": others.fillna(1),
            "per summary; all the same is 1; by folder": single.loc[folders.isin(types), "alpha"].fillna(1),
        }
        for reading, values in readings.items():
            sizes = {"n_used": values.notna().sum(), "n_total": len(values)}
            yield {"reading": reading, "group": group, "value": values.mean(), **sizes}
        # row i of every summary counts as one worker, which it is not
        pooled = [v.astype(float) for (system, _), v in units.items() if system.partition("_")[0] in types]
        n_workers = max(map(len, pooled))
        padded = [np.pad(v, [(0, n_workers - len(v)), (0, 0)], constant_values=np.nan) for v in pooled]
        sizes = {"n_used": len(rows), "n_total": len(rows)}
        yield {"reading": "all units at once", "group": group, "value": alpha(np.hstack(padded)), **sizes}


def kept_by_disagreement(ratings: Ratings) -> pd.DataFrame:
    """Numbers of workers' rows that summaries have, by whether anybody disagrees with a majority of them."""
    rows = [
        (len(votes), "nobody" if noisiest(votes) is None else "somebody", np.isnan(majority(votes)).any())
        for votes in unit_votes(ratings).values()
    ]
    keys = ["n_workers", "disagreement", "has_ties"]
    table = pd.DataFrame(rows, columns=keys).value_counts().sort_index().reset_index(name="n_summaries")
    table["n_rows"] = table["n_workers"] * table["n_summaries"]
    return check(table, keys=keys, values=["n_summaries"])


def facts(ratings: Ratings) -> pd.DataFrame:
    """Counts that the paper prints or that describe the release."""
    blank = {document: [text == BLANK for text in texts] for document, texts in ratings.slots.items()}
    units = [slots.count(False) for slots in blank.values()]
    before_blank = [(*slots, True).index(True) for slots in blank.values()]
    blank_votes = [votes[:, blank[document]] for (_, document), votes in ratings.votes.items()]
    n_workers = [len(votes) for votes in ratings.votes.values()]
    n_rows, all_ = sum(n_workers), max(n_workers)
    texts = {tuple(ratings.summaries[s, d] for d in ratings.documents) for s in ratings.systems}
    complete = [votes for votes in unit_votes(ratings).values() if len(votes) == all_]
    values = {
        "systems": len(ratings.systems),
        "systems with summaries of their own": len(texts),
        "abstractive systems": sum(s.startswith("abs_") for s in ratings.systems),
        "extractive systems": sum(s.startswith("ext_") for s in ratings.systems),
        "documents": len(ratings.documents),
        "highest number of a document": max(map(_number, ratings.documents)),
        "summaries": len(ratings.votes),
        "workers of a summary, at most": all_,
        "rows": n_rows,
        "rows, with one put back where a worker is missing": n_rows + n_workers.count(all_ - 1),
        "rows left out": all_ * len(ratings.votes) - n_rows,
        "summaries with all workers, of whom one disagrees": sum(noisiest(v) is not None for v in complete),
        "units": sum(units),
        "units per document": float(np.mean(units)),
        "units per document, up to the first blank slot": float(np.mean(before_blank)),
        "most units of a document": max(units),
        "labels": sum(units) * len(ratings.systems),
        "documents with a blank slot between units": sum(slots != sorted(slots) for slots in blank.values()),
        "votes on blank slots": sum(votes.size for votes in blank_votes),
        "votes on blank slots for present": int(sum(votes.sum() for votes in blank_votes)),
    }
    return check(pd.DataFrame(values.items(), columns=["quantity", "value"]), keys=["quantity"])


@tidy("source", values=["n_agree"])
def released_values(
    ratings: Ratings, benchmarks: Sequence[Benchmark], *, labelled: Benchmark,
    labels: Mapping[tuple[str, str], np.ndarray], tie_rule="not present",
):  # fmt: skip
    """Numbers of released presence labels and human scores that the votes reproduce."""
    # `labelled` has the documents of the ratings, by which the benchmarks' are found
    agree = []
    for (system, document), votes in unit_votes(ratings).items():
        ours, theirs = presence(votes, tie_rule=tie_rule), np.asarray(labels[system, document])
        if len(ours) != len(theirs):
            raise DataError(f"{system}, {document}: {len(ours)} units rated, {len(theirs)} labels to compare")
        agree += [*(ours == theirs)]
    yield {"source": "presence labels of Lite2-3Pyramid", "n_values": len(agree), "n_agree": sum(agree)}
    ours = recalls(ratings, tie_rule=tie_rule).to_numpy()
    for benchmark in benchmarks:
        matched = match_documents(labelled, benchmark)
        documents = [matched[d] for d in ratings.documents]
        theirs = benchmark.human.sel(system=ratings.systems, document=documents).to_numpy()
        n_agree = equal_on_paper(ours, theirs).sum()
        yield {"source": f"human scores of {benchmark.name}", "n_values": ours.size, "n_agree": n_agree}


@tidy("system", values=["n_same"])
def shown_texts(ratings: Ratings, benchmark: Benchmark, *, labelled: Benchmark):
    """Numbers of documents on which workers saw a system's summary, and another's, but for case and marks."""
    matched, texts = match_documents(labelled, benchmark), benchmark.texts.summaries
    released = {
        s: {d: normalised(str(texts.sel(system=s, document=matched[d]).item())) for d in ratings.documents}
        for s in benchmark.systems
    }
    for system in ratings.systems:
        rated = {d: normalised(ratings.summaries[system, d]) for d in ratings.documents}
        same = {s: sum(rated[d] == released[s][d] for d in rated) for s in benchmark.systems}
        nearest = max((s for s in benchmark.systems if s != system), key=lambda s: (same[s], s))
        yield {
            "system": system, "folder": ratings.folder[system], "n_documents": len(rated),
            "n_same": same.get(system, 0), "nearest": nearest, "n_nearest": same[nearest],
        }  # fmt: skip


def _number(document: str) -> float:
    """The number at the end of a document's id, NaN without one."""
    digits = re.search(r"\d+$", document)
    return float(digits[0]) if digits else math.nan


def _checked(votes) -> np.ndarray:
    """The votes; raise unless they are 0 and 1 of at least one worker."""
    votes = np.asarray(votes)
    if votes.ndim != 2 or not len(votes):
        raise ValueError(
            f"`votes` must be (n_workers, n_units) with at least one worker, got shape {votes.shape}"
        )
    other = votes[~np.isin(votes, (0, 1))]
    if other.size:
        raise ValueError(f"`votes` must be 0 (not present) or 1 (present), got {other.flat[0].item()}")
    return votes


def worker_dots(agreement: pd.DataFrame) -> go.Figure:
    """Mean alpha of each system's summaries, one row per system, with its interval."""
    means, colours = agreement.sort_values("value"), {"abs": ORANGE, "ext": VERMILLION}
    kinds = [(kind, folder) for kind in colours for folder in colours]
    sheet = marks(
        means, x="value", y="system", series=["system_type", "folder"], order=means["system"].tolist(),
        style={(kind, folder): Style(colours[kind], symbol=GROUP_SYMBOLS[folder]) for kind, folder in kinds},
        name={
            (kind, folder): f"{words('group', kind)} system, judged with the {words('group', folder)} ones"
            for kind, folder in kinds
        },
        labels={"value": "mean alpha of summaries"}, size=11,
    )  # fmt: skip
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.figure(height=170 + 20 * len(means))
