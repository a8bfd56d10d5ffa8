r"""experiments.annotations: from crowd votes on content units to LitePyramid scores.

Votes in, tidy tables out; called by the notebook `annotations`, its live block and `disagreements`.
Bhandari et al. 2020, §3.3: four workers vote on every unit of a reference whether a summary says it; of each
summary the worker who disagrees most with the majority is left out; a unit is present by majority; the score
of a summary is the share of its reference's units that are present (LitePyramid recall, Shapira et al. 2019,
with one reference).

Votes are 0/1 arrays, a row for each worker, a column for each unit.
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

from helpers.kit.live import choices
from helpers.kit.live.controls import Real
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.theme import GROUP_SYMBOLS, ORANGE, VERMILLION, Style
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_rate
from metaeval.datasets.readers.alignment import match_documents, normalised
from metaeval.datasets.readers.votes import BLANK, Ratings
from metaeval.simulation.votes import with_errors
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import equal_on_paper
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, cells_to_array
from metaeval.tables.columns import check
from metaeval.tables.labels import words

NEUSUM = "ext_neusumm_out"  # extractive, and rated, scored and released among the abstractive systems
SHARE_PRESENT = 0.4  # chance of a unit to be in a simulated summary
# what a unit is that half of the workers found
TIE_RULES = {"not present": 0, "present": 1}


def unit_votes(ratings: Ratings) -> dict[tuple[str, str], np.ndarray]:
    """Votes on units only: slots that read BLANK are left out, wherever they stand.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    mapping, (system, document) -> int8 array (n_workers, n_units)
    """
    keep = {d: np.array([text != BLANK for text in texts]) for d, texts in ratings.slots.items()}
    return {cell: votes[:, keep[cell[1]]] for cell, votes in ratings.votes.items()}


def majority(votes: np.ndarray) -> np.ndarray:
    """1 where more than half of the workers found the unit, 0 where fewer did, NaN where exactly half.

    Parameters
    ----------
    votes : array (n_workers, n_units) of 0 and 1

    Returns
    -------
    float array (n_units,)
    """
    share = _checked(votes).mean(axis=0)
    return np.where(share == 0.5, np.nan, share > 0.5)


def presence(votes: np.ndarray, *, tie_rule: str = "not present") -> np.ndarray:
    """Whether each unit is in the summary, by majority.

    Parameters
    ----------
    votes : array (n_workers, n_units) of 0 and 1
    tie_rule : {"not present", "present"}
        What a unit is that half of the workers found; the paper says "not present".

    Returns
    -------
    bool array (n_units,)
    """
    tie = choose("tie_rule", tie_rule, TIE_RULES)
    found = majority(votes)
    return np.where(np.isnan(found), tie, found).astype(bool)


def recalls(ratings: Ratings, *, tie_rule: str = "not present") -> xr.DataArray:
    """LitePyramid recall of every summary: the share of its reference's units that it has.

    Parameters
    ----------
    ratings : Ratings
    tie_rule : see `presence`

    Returns
    -------
    DataArray, dims (system, document), in [0, 1]; NaN where a summary was not rated
    """
    found = {cell: presence(votes, tie_rule=tie_rule).mean() for cell, votes in unit_votes(ratings).items()}
    ids = {"systems": ratings.systems, "documents": ratings.documents}
    return cells_to_array({"recall": found}, leading="metric", **ids).isel(metric=0, drop=True)


def disagreements(votes: np.ndarray) -> np.ndarray:
    """On how many units each worker's vote is against the majority; units with a tie have none.

    Parameters
    ----------
    votes : array (n_workers, n_units) of 0 and 1

    Returns
    -------
    int array (n_workers,)
    """
    return np.nansum(np.abs(_checked(votes) - majority(votes)), axis=1).astype(int)


def noisiest(votes: np.ndarray) -> int | None:
    """The worker who disagrees with the majority on most units; None where nobody does on any.

    Of several the first. This is the reading that the released rows bear out: all four workers were kept of
    just those summaries on which nobody disagrees with a majority (`kept_by_disagreement`).

    Parameters
    ----------
    votes : array (n_workers, n_units) of 0 and 1

    Returns
    -------
    int, a row of `votes`, or None
    """
    counts = disagreements(votes)
    return int(counts.argmax()) if counts.max(initial=0) > 0 else None


def without_noisiest(votes: np.ndarray) -> np.ndarray:
    """The votes without the noisiest worker's (Bhandari et al. 2020, §3.3).

    Parameters
    ----------
    votes : array (n_workers, n_units) of 0 and 1

    Returns
    -------
    array (n_workers - 1, n_units), or all votes where nobody disagrees with the majority on any unit
    """
    worst = noisiest(votes)
    return votes if worst is None else np.delete(votes, worst, axis=0)


def alpha(votes: np.ndarray) -> float:
    """Krippendorff's alpha of nominal votes, by the `krippendorff` library.

    Parameters
    ----------
    votes : array (n_workers, n_units); NaN where a worker did not vote

    Returns
    -------
    float
        NaN where all votes are the same: there is no disagreement to be expected by chance then.
    """
    votes = np.asarray(votes, dtype=float)
    if len(np.unique(votes[~np.isnan(votes)])) < 2:
        return math.nan
    return float(krippendorff.alpha(reliability_data=votes, level_of_measurement="nominal"))


def alphas(ratings: Ratings) -> pd.DataFrame:
    """Krippendorff's alpha of every summary's workers.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    DataFrame with columns system, system_type, document, alpha
    """
    found = [
        {"system": s, "system_type": s.partition("_")[0], "document": d, "alpha": alpha(votes)}
        for (s, d), votes in unit_votes(ratings).items()
    ]
    return check(pd.DataFrame(found), keys=["system", "document"], values=["alpha"])


def worker_agreement(ratings: Ratings) -> pd.DataFrame:
    """Agreement of the workers on each system's summaries.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    DataFrame with one row per system
        Columns: system, system_type, value, standard_error (mean over the summaries of Krippendorff's alpha,
        1 where all votes are the same), n_documents, folder (of the system's file in the release).
    """
    single = alphas(ratings).fillna({"alpha": 1.0})
    table = single.groupby(["system", "system_type"])["alpha"].agg(["mean", "sem", "size"]).reset_index()
    table = table.rename(columns={"mean": "value", "sem": "standard_error", "size": "n_documents"})
    return check(table.assign(folder=table["system"].map(dict(ratings.folder))), keys=["system"])


def alpha_readings(ratings: Ratings) -> pd.DataFrame:
    """Ways to read "average inter-annotator agreement": of what, and what to do where it does not exist.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    DataFrame with columns reading, group ("mix", "abs", "ext"), value, n_used, n_total
        Readings: one alpha per summary, averaged, where all votes are the same counted as 1, as 0, or left
        out; the same without NeuSum, which the authors' files keep among the abstractive systems; one alpha
        over the units of all summaries. The last takes row i of every summary as one worker, which it is not.
    """
    single = alphas(ratings)
    units = unit_votes(ratings)
    rows = []
    for group, types in (("mix", ("abs", "ext")), ("abs", ("abs",)), ("ext", ("ext",))):
        mine = single[single["system_type"].isin(types)]
        others = mine[mine["system"] != NEUSUM]
        pooled = [v.astype(float) for (system, _), v in units.items() if system.partition("_")[0] in types]
        most = max(map(len, pooled))
        padded = [np.pad(v, [(0, most - len(v)), (0, 0)], constant_values=np.nan) for v in pooled]
        readings = {
            "per summary; all the same is 1": mine["alpha"].fillna(1),
            "per summary; all the same is 0": mine["alpha"].fillna(0),
            "per summary; all the same is left out": mine["alpha"],
            "per summary; all the same is 1; without NeuSum": others["alpha"].fillna(1),
        }
        for reading, values in readings.items():
            rows.append((reading, group, float(values.mean()), int(values.notna().sum()), len(values)))
        rows.append(("all units at once", group, alpha(np.hstack(padded)), len(mine), len(mine)))
    columns = ["reading", "group", "value", "n_used", "n_total"]
    return check(pd.DataFrame(rows, columns=columns), keys=["reading", "group"])


def kept_by_disagreement(ratings: Ratings) -> pd.DataFrame:
    """How many workers' rows a summary has, by whether any of them disagrees with a majority of them.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    DataFrame with columns n_workers, disagreement ("somebody", "nobody"), has_ties (does any unit have as
    many votes for as against), n_summaries, n_rows
    """
    rows = [
        (len(votes), "nobody" if noisiest(votes) is None else "somebody", np.isnan(majority(votes)).any())
        for votes in unit_votes(ratings).values()
    ]
    keys = ["n_workers", "disagreement", "has_ties"]
    table = pd.DataFrame(rows, columns=keys).value_counts().sort_index().reset_index(name="n_summaries")
    table["n_rows"] = table["n_workers"] * table["n_summaries"]
    return check(table, keys=keys, values=["n_summaries"])


def facts(ratings: Ratings) -> pd.DataFrame:
    """Counts that the paper prints or that show what the release is.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    DataFrame with columns quantity, value
    """
    blank = {document: [text == BLANK for text in texts] for document, texts in ratings.slots.items()}
    units = [slots.count(False) for slots in blank.values()]
    before_blank = [(*slots, True).index(True) for slots in blank.values()]
    blank_votes = [votes[:, blank[document]] for (_, document), votes in ratings.votes.items()]
    n_workers = [len(votes) for votes in ratings.votes.values()]
    n_rows, most = sum(n_workers), max(n_workers)
    shown = {s: tuple(ratings.summaries[s, d] for d in ratings.documents) for s in ratings.systems}
    n_disagreeing = sum(
        len(votes) == most and noisiest(votes) is not None for votes in unit_votes(ratings).values()
    )
    values = {
        "systems": len(ratings.systems),
        "systems with summaries of their own": len(set(shown.values())),
        "abstractive systems": sum(s.startswith("abs_") for s in ratings.systems),
        "extractive systems": sum(s.startswith("ext_") for s in ratings.systems),
        "documents": len(ratings.documents),
        "highest number of a document": max(map(_number, ratings.documents)),
        "summaries": len(ratings.votes),
        "workers of a summary, at most": most,
        "rows": n_rows,
        "rows, with one put back where a worker is missing": n_rows + n_workers.count(most - 1),
        "rows left out": most * len(ratings.votes) - n_rows,
        "summaries with all workers, of whom one disagrees": n_disagreeing,
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


def released_values(
    ratings: Ratings,
    benchmarks: Sequence[Benchmark],
    *,
    labelled: Benchmark,
    labels: Mapping[tuple[str, str], np.ndarray],
    tie_rule: str = "not present",
) -> pd.DataFrame:
    """Of how many labels and scores that were released the votes give the value.

    Parameters
    ----------
    ratings : Ratings
    benchmarks : Benchmarks whose gold standard are recalls of the same summaries
    labelled : Benchmark with the documents of `ratings`, by which the others' documents are found
    labels : mapping, (system, document) -> array of 0 and 1
        Presence labels of another release, such as `metaeval.tables.benchmark.PyramidUnits.labels`.
    tie_rule : see `presence`

    Returns
    -------
    DataFrame with columns source (what is compared), n_values, n_agree

    Raises
    ------
    DataError
        If a summary has another number of labels than of rated units.
    """
    equal = []
    for (system, document), votes in unit_votes(ratings).items():
        ours, theirs = presence(votes, tie_rule=tie_rule), np.asarray(labels[system, document])
        if len(ours) != len(theirs):
            raise DataError(f"{system}, {document}: {len(ours)} units rated, {len(theirs)} labels to compare")
        equal.append(ours == theirs)
    rows = [("presence labels of Lite2-3Pyramid", np.concatenate(equal))]
    found = recalls(ratings, tie_rule=tie_rule)
    for benchmark in benchmarks:
        matched = match_documents(labelled, benchmark)
        documents = [matched[d] for d in ratings.documents]
        theirs = benchmark.human.sel(system=ratings.systems, document=documents).to_numpy()
        rows.append((f"human scores of {benchmark.name}", equal_on_paper(found.to_numpy(), theirs)))
    counted = [(name, same.size, int(same.sum())) for name, same in rows]
    table = pd.DataFrame(counted, columns=["source", "n_values", "n_agree"])
    return check(table, keys=["source"], values=["n_agree"])


def shown_texts(ratings: Ratings, benchmark: Benchmark, *, labelled: Benchmark) -> pd.DataFrame:
    """Whose summaries the workers of each file saw: texts equal but for case, tags and marks.

    Parameters
    ----------
    ratings : Ratings
    benchmark : Benchmark with texts of the systems
    labelled : Benchmark with the documents of `ratings`, by which the benchmark's are found

    Returns
    -------
    DataFrame with one row per system
        Columns: system, folder, n_documents, n_same (on how many the benchmark's text of this system was
        shown), nearest (the other system whose texts are shown most often), n_nearest.
    """
    matched, texts = match_documents(labelled, benchmark), benchmark.texts.summaries
    known = {
        s: {d: normalised(str(texts.sel(system=s, document=matched[d]).item())) for d in ratings.documents}
        for s in benchmark.systems
    }
    rows = []
    for system in ratings.systems:
        shown = {d: normalised(ratings.summaries[system, d]) for d in ratings.documents}
        same = {s: sum(shown[d] == known[s][d] for d in ratings.documents) for s in benchmark.systems}
        nearest = max((s for s in benchmark.systems if s != system), key=lambda s: (same[s], s))
        rows.append((system, ratings.folder[system], len(shown), same.get(system, 0), nearest, same[nearest]))
    columns = ["system", "folder", "n_documents", "n_same", "nearest", "n_nearest"]
    return check(pd.DataFrame(rows, columns=columns), keys=["system"], values=["n_same"])


def removal_effect(
    *,
    good_accuracy: float,
    noisy_accuracy: float,
    n_noisy: Sequence[int] = (0, 1, 2),
    n_workers: int = 4,
    n_summaries: int = 1_000,
    n_units: int = 11,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """What leaving out the noisiest worker does, for simulated crews with known accuracies.

    Parameters
    ----------
    good_accuracy, noisy_accuracy : float in [0, 1]
        How often a careful and a noisy worker is right; 0.5 is guessing.
    n_noisy : int, each from 0 to `n_workers`
        How many workers of each crew are noisy.
    n_workers, n_summaries, n_units : int, at least 1
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per crew and set of votes
        Columns: crew, votes ("all", "without the noisiest"), alpha (mean over summaries, 1 where all votes
        are the same), wrong_labels (share of units whose majority is not the truth), least_accurate_removed
        (share of the removals that hit a noisy worker; NaN where all workers are alike).
    """
    check_rate("good_accuracy", good_accuracy)
    check_rate("noisy_accuracy", noisy_accuracy)
    seed = seed_of(rng)
    rows = []
    for noisy in n_noisy:
        accuracy = [good_accuracy] * (n_workers - noisy) + [noisy_accuracy] * noisy
        truth = stream(seed, noisy, "truth").random((n_summaries, n_units)) < SHARE_PRESENT
        error = 1 - np.array(accuracy)[:, None]
        votes = with_errors(truth[:, None, :], miss=error, invent=error, rng=stream(seed, noisy, "votes"))
        removed = [noisiest(one) for one in votes]
        worst = min(accuracy)
        hits = [accuracy[i] == worst for i in removed if i is not None and worst < max(accuracy)]
        for label, kept in (
            ("all", list(votes)),
            ("without the noisiest", [without_noisiest(one) for one in votes]),
        ):
            values = np.array([alpha(one) for one in kept])
            wrong = np.mean([presence(one) != true for one, true in zip(kept, truth, strict=True)])
            rows.append(
                {
                    "crew": f"{noisy} noisy of {n_workers}",
                    "votes": label,
                    "alpha": float(np.nan_to_num(values, nan=1.0).mean()),
                    "wrong_labels": float(wrong),
                    "least_accurate_removed": float(np.mean(hits)) if hits else math.nan,
                }
            )
    return check(pd.DataFrame(rows), keys=["crew", "votes"], values=["alpha", "wrong_labels"])


def answer(compared: pd.DataFrame, agreement: pd.DataFrame, *, tie_rule: str) -> dict[str, str]:
    """The page's answer: how many released values follow from the votes, and how far workers agree.

    Parameters
    ----------
    compared : DataFrame of `released_values`
    agreement : DataFrame of `worker_agreement`
    tie_rule : that of `compared`

    Returns
    -------
    dict
        ``annotations-answer-short`` and ``annotations-answer-sure``; each release's values are counted by
        themselves.
    """
    alphas, counted, kinds = agreement["value"], [], set()
    for row in compared.itertuples():
        kind, of, release = row.source.partition(" of ")
        # several releases of one kind of value, whose common values count in each
        told = "" if kind in kinds else f" {kind}"
        told += of + release if (compared["source"].str.startswith(kind)).sum() > 1 else ""
        kinds.add(kind)
        counted.append(f"{row.n_agree:,} of {row.n_values:,}{told}")
    return {
        "annotations-answer-short": (
            f"The released votes reproduce {wording.joined(counted)}. The workers' agreement, Krippendorff's "
            f"α averaged per system, is {wording.extent(alphas)} over {len(agreement)} systems "
            f"(median {alphas.median():.2f})."
        ),
        "annotations-answer-sure": f"Tied units count as {tie_rule}; α is 1 where all votes agree.",
    }


def quoted(counts: pd.DataFrame, kept: pd.DataFrame) -> dict[str, int]:
    """Numbers that the page quotes.

    Parameters
    ----------
    counts : DataFrame of `facts`
    kept : DataFrame of `kept_by_disagreement`

    Returns
    -------
    mapping with rows_left_out, all_kept (summaries with all four workers), all_kept_disagreeing (of these, on
    which somebody disagrees with the majority)
    """
    four = kept[kept["n_workers"] == 4]
    return {
        "rows_left_out": int(counts.set_index("quantity")["value"]["rows left out"]),
        "all_kept": int(four["n_summaries"].sum()),
        "all_kept_disagreeing": int(four.loc[four["disagreement"] == "somebody", "n_summaries"].sum()),
    }


def quoted_agreement(agreement: pd.DataFrame) -> dict[str, float | int | None]:
    """Numbers that the page quotes of how far workers agree on systems of either type.

    Parameters
    ----------
    agreement : DataFrame of `worker_agreement`

    Returns
    -------
    mapping with median_abs (of the abstractive systems' agreement), n_ext, ext_below (extractive systems, and
    those of them below that median), neusum (None without it)
    """
    values = agreement.set_index("system")["value"]
    kind = agreement.set_index("system")["system_type"]
    median, extractive = float(values[kind == "abs"].median()), values[kind == "ext"]
    return {
        "median_abs": median,
        "n_ext": len(extractive),
        "ext_below": int((extractive < median).sum()),
        "neusum": values.get(NEUSUM),
    }


def _number(document: str) -> float:
    """The number at the end of a document's id, NaN without one."""
    digits = re.search(r"\d+$", document)
    return float(digits[0]) if digits else math.nan


def _checked(votes: np.ndarray) -> np.ndarray:
    votes = np.asarray(votes)
    if votes.ndim != 2 or not len(votes):
        raise ValueError(
            f"`votes` must be (n_workers, n_units) with at least one worker, got shape {votes.shape}"
        )
    other = votes[~np.isin(votes, (0, 1))]
    if other.size:
        raise ValueError(f"`votes` must be 0 (not present) or 1 (present), got {other.flat[0].item()}")
    return votes


_TYPE_COLOURS = {"abs": ORANGE, "ext": VERMILLION}
_KINDS = {
    (kind, place): Style(_TYPE_COLOURS[kind], symbol=GROUP_SYMBOLS[place])
    for kind in _TYPE_COLOURS
    for place in _TYPE_COLOURS
}
_VOTES = (Style(VERMILLION, symbol="circle"), Style(VERMILLION, symbol="diamond-open"))  # all, without one's
_EFFECTS = {"wrong_labels": "share of wrong labels", "alpha": "mean alpha"}


def worker_dots(agreement: pd.DataFrame) -> go.Figure:
    """Mean alpha of each system's summaries, one row per system, with its interval.

    Parameters
    ----------
    agreement : DataFrame of `helpers.experiments.annotations.worker_agreement`
    """
    means = agreement.sort_values("value")
    sheet = marks(
        means,
        x="value",
        y="system",
        series=["system_type", "folder"],
        order=means["system"].tolist(),
        style=_KINDS,
        name={
            (kind, place): f"{words('group', kind)}, ratings among the {words('group', place)}"
            for kind, place in _KINDS
        },
        labels={"value": "mean alpha of summaries"},
        size=11,
    )
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.figure(height=170 + 20 * len(means))


def removal_dots(effect: pd.DataFrame) -> go.Figure:
    """One row per crew: share of wrong labels and agreement, with all votes and without the noisiest's.

    Parameters
    ----------
    effect : DataFrame of `helpers.experiments.annotations.removal_effect`
    """
    votes, crews = effect["votes"].unique(), effect["crew"].unique().tolist()
    sheet = marks(
        effect.melt(id_vars=["crew", "votes"], value_vars=list(_EFFECTS), var_name="effect"),
        x="value",
        y="crew",
        panel="effect",
        series="votes",
        order=crews[::-1],
        style=dict(zip(votes, _VOTES, strict=True)),
        name={which: f"votes: {which}" for which in votes},
        titles=list(_EFFECTS.values()),
        labels={"value": "value"},
        size=12,
    )
    for column, title in _EFFECTS.items():
        sheet.axis("x", column, title={"text": title})
    sheet.layout |= {"scattermode": "overlay"}
    return sheet.figure(height=170 + 36 * len(crews))


def _table(*, seed, **settings) -> pd.DataFrame:
    return removal_effect(rng=seed, **settings)


LIVE = Live(
    notebook="annotations",
    question="What does leaving out the noisiest of four simulated workers do?",
    controls=(
        Real("good_accuracy", "Careful worker", 0.5, 1.0, 0.01),
        Real("noisy_accuracy", "Noisy worker", 0.5, 1.0, 0.01),
        choices.draws("n_summaries", "Summaries", 2000, least=100),
    ),
    fixed=("seed",),
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: removal_dots(table),
)
