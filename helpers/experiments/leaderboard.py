"""experiments.leaderboard: every metric that has scores, against people's Pyramid scores.

For the notebook `leaderboard`: Tables 1, 2 and 4 of Zhang and Bansal (2021), with intervals and tests, and
what the choice of folds makes of them, for which it reads what the paper prints (`helpers.kit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.experiments import intervals
from helpers.kit import recorded
from helpers.kit.claims.loading import printed_values
from helpers.kit.live import choices
from helpers.kit.live.controls import One
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels
from helpers.kit.theme import GREY, Style, correlation_axis, metric_family, metric_style
from helpers.kit.told import value_told
from metaeval import datasets
from metaeval.core.errors import choose
from metaeval.core.mode import is_simulated
from metaeval.datasets.readers.alignment import join_metrics, match_documents
from metaeval.datasets.readers.lite_pyramid import read_units
from metaeval.metrics.pyramid.folds import fold_mean
from metaeval.metrics.pyramid.nli import learned_on
from metaeval.metrics.pyramid.scores import pyramid_score, score_table
from metaeval.metrics.pyramid.study import (
    N_FOLDS,
    Study,
    as_listed,
    judge,
    load_study,
    pyramid_scores,
    scores_of,
    transferred,
    with_scores,
)
from metaeval.metrics.pyramid.training import load_presence
from metaeval.metrics.rouge import VARIANTS
from metaeval.metrics.rouge_155 import rouge_155_folder, rouge_155_scores
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.correlation import correlate
from metaeval.stats.differences import compare_pairs
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.tiers import simultaneous_pvalues, tiers
from metaeval.stats.ties import DIFFERENCE_TIE, prints_as
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import ranks, words
from metaeval.tables.wording import ERRORS

_KEYS = ["dataset", "split", "level", "coefficient", "metric"]
WHOLE = "whole"
SPLITS = ("by documents", "by systems", WHOLE)
DEFINED, AS_ZERO, AS_RELEASED = "defined only", "undefined as zero", "as released"
PACKAGE, SCRIPT = "rouge-score", "ROUGE-1.5.5"
_GIVEN = {  # what a metric has of people's work, by how its name begins
    "Lite²Pyramid": "given the gold score's own units",
    "Lite²·⁵Pyramid": "given some of the gold score's own units",
}
NAMED = 3  # metrics of a first tier that a sentence names; of more it gives the number

# the paper's metrics for which a release has scores: where ROUGE from the texts does not serve
OTHER_RELEASES = {
    "lite-realsumm": {
        "bhandari2020": (
            *("AutoSummENG", "METEOR", "BEwT-E recall", "S3 pyr", "S3 resp", "QAEval EM", "QAEval F1"),
        ),
        "realsumm": ("BERTScore recall", "MoverScore"),
    },
    "lite-pyrxsum": {},
}
# bhandari2020 has no texts, but the ids of this release
_SAME_IDS = {"bhandari2020": "realsumm"}


def board(study: Study, ours: Mapping[str, xr.DataArray]) -> Benchmark:
    """A study's data set with all metrics that have scores of its summaries.

    Parameters
    ----------
    study : Study
    ours : mapping, metric -> scores, dims (system, document)

    Returns
    -------
    Benchmark
        ROUGE from the texts, `ours`, then further metrics as other releases scored the same summaries. A
        release may lack systems; they have no scores from its metrics.
    """
    scores = kept_scores(study.benchmark.texts, [f"{variant} recall" for variant in VARIANTS])
    rouge = {name: scores.sel(metric=name, drop=True) for name in scores.indexes["metric"]}
    found = with_scores(study, {**rouge, **ours})
    for name, metrics in OTHER_RELEASES.get(study.name, {}).items():
        ids = match_documents(study.benchmark, datasets.load(_SAME_IDS.get(name, name)))
        release = datasets.load(name)
        found = join_metrics(found, release, document_map=ids, metrics=metrics, allow_missing=True)
    return found


def released_board(name: str) -> Benchmark:
    """`board` of a data set by its name, without metrics of ours.

    Parameters
    ----------
    name : a data set with units

    Returns
    -------
    Benchmark
    """
    return board(load_study(name), {})


def fold_table(
    benchmark: Benchmark,
    *,
    folds: Sequence[Sequence[str]],
    by: str,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman"),
) -> pd.DataFrame:
    """Correlation of every metric inside each fold, averaged over the folds.

    Parameters
    ----------
    benchmark, levels, coefficients : see `metaeval.metrics.pyramid.folds.fold_mean`
    folds : lists of documents or systems
    by : {"document", "system"}

    Returns
    -------
    DataFrame with columns dataset, split, level, coefficient, metric, value, as_zero, as_released, lowest and
    highest (of the folds), n_used, n_total, n_systems
    """
    rows = []
    for metric in benchmark.metrics:
        scores = benchmark.metric(metric).dropna("system", how="all")
        for level in levels:
            for coefficient in coefficients:
                mean = fold_mean(
                    scores, benchmark.human, folds=folds, by=by, level=level, coefficient=coefficient
                )
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "split": f"by {by}s",
                        "level": level,
                        "coefficient": coefficient,
                        "metric": metric,
                        **vars(mean),
                        "n_systems": scores.sizes["system"],
                    }
                )
    return check(pd.DataFrame(rows), keys=_KEYS)


def split_table(
    benchmark: Benchmark, folds: Mapping[str, Sequence[Sequence[str]]], *, splits: Sequence[str] = SPLITS
) -> pd.DataFrame:
    """Correlations of every metric: averaged over folds (Tables 1 and 4) and on the whole data set (Table 2).

    Parameters
    ----------
    benchmark : Benchmark, such as `board` gives
    folds : ``"document"`` and ``"system"`` -> folds
    splits : of ``"by documents"``, ``"by systems"``, ``"whole"``

    Returns
    -------
    DataFrame as `fold_table`
    """
    kinds = {
        "by documents": ("document", folds["document"]),
        "by systems": ("system", folds["system"]),
        WHOLE: ("document", [benchmark.documents]),
    }
    frames = []
    for split in splits:
        by, parts = choose("split", split, kinds)
        frames.append(fold_table(benchmark, folds=parts, by=by).assign(split=split))
    return check(pd.concat(frames, ignore_index=True), keys=_KEYS)


def readings(table: pd.DataFrame) -> pd.DataFrame:
    """The leaderboard three times, told apart by a column `reading`: what is done without a correlation.

    It is left out, counts as zero, or is made to exist by the rule of the paper's released code
    (`metaeval.metrics.pyramid.folds.first_apart`).
    """
    columns = {DEFINED: "value", AS_ZERO: "as_zero", AS_RELEASED: "as_released"}
    made = [table.assign(reading=reading, value=table[column]) for reading, column in columns.items()]
    return check(pd.concat(made, ignore_index=True), keys=[*_KEYS, "reading"])


def pairings(ids: Sequence[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """All ways to part an even number of ids into pairs: 945 for ten.

    Examples
    --------
    >>> len(list(pairings("abcd")))
    3
    """
    if len(ids) % 2:
        raise ValueError(f"an odd number of ids cannot be parted into pairs: {len(ids)}")
    if not ids:
        yield ()
        return
    first, *others = ids
    for second in others:
        left = [label for label in others if label != second]
        for pairs in pairings(left):
            yield ((first, second), *pairs)


def pairing_table(benchmark: Benchmark) -> pd.DataFrame:
    """What every possible split of the systems into pairs makes of each metric's correlations.

    With two systems Pearson's r, Spearman's rho and Kendall's tau are all 1, -1 or do not exist, so a value
    of the table is a share of pairs ordered rightly minus a share ordered wrongly. At summary level a tie is
    broken for the first of the two, as the released code does it
    (`metaeval.metrics.pyramid.folds.first_apart`); equal means of systems count 0.

    Parameters
    ----------
    benchmark : Benchmark with an even number of systems

    Returns
    -------
    DataFrame with columns dataset, metric, level, value (mean over all pairings),
    standard_deviation, lowest, q25, q50, q75, highest, and pairing_values, an array with one value per
    pairing in the order of `pairings`
    """
    systems = benchmark.systems
    every = list(combinations(range(len(systems)), 2))
    place = {(systems[i], systems[j]): number for number, (i, j) in enumerate(every)}
    parted = np.array([[place[pair] for pair in pairs] for pairs in pairings(systems)])
    human = benchmark.human.to_numpy()[every, :]
    rows = []
    for metric in benchmark.metrics:
        scores = benchmark.metric(metric).to_numpy()[every, :]
        for level in ("system", "summary"):
            values = _of_pairs(scores, human, level)[parted].mean(axis=1)
            lowest, *quartiles, highest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
            rows.append(
                {
                    "dataset": benchmark.name,
                    "metric": metric,
                    "level": level,
                    "value": float(values.mean()),
                    "standard_deviation": float(values.std()),
                    "lowest": lowest,
                    **dict(zip(("q25", "q50", "q75"), quartiles, strict=True)),
                    "highest": highest,
                    "pairing_values": values,
                }
            )
    return check(pd.DataFrame(rows), keys=["dataset", "metric", "level"])


def _of_pairs(scores: np.ndarray, human: np.ndarray, level: str) -> np.ndarray:
    """The correlation within each of some pairs of systems (n_pairs, 2, n_documents)."""
    if level == "system":
        return np.nan_to_num(correlate(scores, human, level=level, coefficient="kendall").value)
    ours, people = (np.where(side[:, 0] >= side[:, 1], 1, -1) for side in (scores, human))
    return (ours * people).mean(axis=-1)


def over_pairings(benchmark: Benchmark) -> pd.DataFrame:
    """Correlations by pairs of systems, averaged over all ways to make pairs.

    For a data set of ten systems whose folds were not released.

    Returns
    -------
    DataFrame of the shape of `readings`, and columns standard_deviation, lowest, q25, q50, q75, highest
    """
    table = pairing_table(benchmark).drop(columns="pairing_values")
    frames = [
        table.assign(coefficient=c, split="by systems", reading=AS_RELEASED) for c in ("pearson", "spearman")
    ]
    return check(pd.concat(frames, ignore_index=True), keys=[*_KEYS, "reading"])


def matching_pairings(benchmark: Benchmark, printed: Mapping[tuple[str, str], str]) -> tuple[int, int]:
    """How many ways to pair the systems give all of some printed values, of how many.

    Parameters
    ----------
    benchmark : Benchmark, such as `board` gives
    printed : mapping, (metric, level) -> text of the printed value

    Returns
    -------
    matching, all : int
    """
    table = pairing_table(benchmark).set_index(["metric", "level"])["pairing_values"]
    agree = np.ones(len(next(iter(table))), dtype=bool)
    for key, text in printed.items():
        agree &= [prints_as(value, text) for value in table[key]]
    return int(agree.sum()), len(agree)


def boards(
    names: Sequence[str],
    *,
    zero_shot: str = "",
    fine_tuned: Sequence[str] = (),
    out_of_the_box: Sequence[str] = (),
    mixed: str = "",
) -> dict[str, dict[str, Benchmark]]:
    """Boards of several data sets for each split: the light model's scores and those of checkpoints.

    Parameters
    ----------
    names : data sets with units, two or more
        For the whole split, what learns does so on the first of the others.
    zero_shot : str
        An NLI checkpoint that was not fine-tuned, read as ``l3c``: adds Lite2Pyramid-0 to all splits.
    fine_tuned : folders written by ``python -m bookbuild train`` or ``judge``
        Read as ``p2c``: add the paper's metrics to the split and data set that they are of; read as ``l2c``
        too, as ``"Lite2Pyramid (l2c)"`` and so on.
    out_of_the_box : NLI checkpoints fine-tuned on other data, read as ``p2c``
        Each adds the paper's metrics to the whole split, named after what it learned on, as the paper's Table
        2 has them: ``"TAC08 Lite2Pyramid"``; one that the authors did not release, after itself.
    mixed : str
        A file of REALSumm's half-and-half units, a document a line, in the format of the release's
        ``STUs_SCUs_percentage50.txt``: for Lite2.5Pyramid by folds, where the paper's choice of sentences is
        that of regressors of these folds. Without it, the released choice is scored there as
        ``"Lite2.5Pyramid (TAC08's choice)"``.

    Returns
    -------
    dict, data set -> split -> Benchmark of `board`
    """
    if len(names) < 2:
        raise ValueError(
            f"`names` must hold two data sets or more, to learn on one and judge another, got {list(names)}"
        )
    studies = {name: load_study(name) for name in names}
    trained = [
        (*load_presence(folder, reading=reading), suffix)
        for folder in fine_tuned
        for reading, suffix in (("p2c", ""), ("l2c", " (l2c)"))
    ]
    found: dict[str, dict[str, Benchmark]] = {}
    for name, study in studies.items():
        elsewhere = next(other for key, other in studies.items() if key != name)
        ours = {
            "by documents": pyramid_scores(study, judge(study, "light", by="document"), label="light"),
            "by systems": pyramid_scores(study, judge(study, "light", by="system"), label="light"),
            WHOLE: pyramid_scores(study, transferred(elsewhere, study), label="light"),
        }
        if zero_shot:
            presence = judge(study, "nli", checkpoint=zero_shot, reading="l3c")
            for scores in ours.values():
                scores["Lite2Pyramid-0"] = scores_of(study, presence)["SCU"]
        for checkpoint in out_of_the_box:
            presence = judge(study, "nli", checkpoint=checkpoint, reading="p2c")
            scores = pyramid_scores(study, presence, label="")
            ours[WHOLE] |= _as_printed(scores, f"{learned_on(checkpoint) or checkpoint} {{}}")
        chosen = (
            read_units(Path(mixed).expanduser(), list(study.mixed))
            if mixed and name == "lite-realsumm"
            else None
        )
        half = "Lite2.5Pyramid (TAC08's choice)" if chosen is None else "Lite2.5Pyramid"
        for presence, by, suffix in trained:
            if set(presence["SCU"]) == set(study.labels):
                scores = pyramid_scores(study, presence, label="", mixed=chosen)
                ours[f"by {by}s"] |= _as_printed(scores, f"{{}}{suffix}", half=half)
        found[name] = {split: board(study, scores) for split, scores in ours.items()}
    return found


def _as_printed(
    scores: Mapping[str, xr.DataArray], pattern: str, *, half: str = "Lite2.5Pyramid"
) -> dict[str, xr.DataArray]:
    """Under the names of the paper's rows."""
    names = {"Lite²Pyramid ()": "Lite2Pyramid", "Lite²·⁵Pyramid ()": half, "Lite³Pyramid ()": "Lite3Pyramid"}
    return {pattern.format(names[name]): array for name, array in scores.items() if name in names}


def table(boards: Mapping[str, Mapping[str, Benchmark]]) -> pd.DataFrame:
    """Correlations of every metric on several data sets, each split with its own scores.

    Parameters
    ----------
    boards : mapping, data set -> split -> Benchmark, as `boards` gives

    Returns
    -------
    DataFrame as `fold_table`
    """
    frames = [
        split_table(as_listed(benchmark), load_study(name).folds, splits=[split])
        for name, by_split in boards.items()
        for split, benchmark in by_split.items()
    ]
    return check(pd.concat(frames, ignore_index=True), keys=_KEYS)


def undefined(table: pd.DataFrame) -> pd.DataFrame:
    """How many of the correlations behind a mean exist, where some do not.

    Parameters
    ----------
    table : DataFrame of `split_table`

    Returns
    -------
    DataFrame with columns dataset, split, level, coefficient, n_metrics (that are concerned), n_used (the
    fewest), n_total, largest_change (by counting them as zero, or by the released rule, in place of leaving
    them out)
    """
    some = table[table["n_used"] < table["n_total"]]
    others = some[["as_zero", "as_released"]]
    some = some.assign(difference=others.sub(some["value"], axis=0).abs().max(axis=1))
    keys = ["dataset", "split", "level", "coefficient"]
    found = some.groupby(keys, sort=False).agg(
        n_metrics=("metric", "nunique"), n_used=("n_used", "min"), n_total=("n_total", "max"),
        largest_change=("difference", "max"),
    ).reset_index()  # fmt: skip
    return check(found, keys=keys, values=["n_used", "n_total"])


def without_correlation(benchmark: Benchmark) -> pd.DataFrame:
    """On how many documents a correlation over systems does not exist, and on which side.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    DataFrame with columns dataset, metric, n_documents, n_constant_human (documents on which people give all
    systems one score), n_constant_metric, n_constant_both
    """
    people = _constant(benchmark.human)
    rows = []
    for name in benchmark.metrics:
        metric = _constant(benchmark.metric(name))
        counts = {"human": people, "metric": metric, "both": people & metric}
        counted = {f"n_constant_{side}": int(where.sum()) for side, where in counts.items()}
        rows.append({"dataset": benchmark.name, "metric": name, "n_documents": len(people), **counted})
    return check(pd.DataFrame(rows), keys=["dataset", "metric"], values=["n_documents"])


def _constant(scores: xr.DataArray) -> np.ndarray:
    return (scores.max("system") == scores.min("system")).to_numpy()


def _tac(nist: Sequence[str]) -> pd.DataFrame:
    """ROUGE on TAC, whole and in folds that are blocks in the release's order.

    Of another release on TAC 2009; of a reader's own folders in its place, and on TAC 2008.
    """
    frames = []
    for name in _evaluations(nist).values():
        benchmark = datasets.load(name)
        recalls = [f"{variant} recall" for variant in VARIANTS]
        benchmark = benchmark.select(metrics=[metric for metric in recalls if metric in benchmark.metrics])
        ids = {"document": benchmark.documents, "system": benchmark.systems}
        folds = {
            kind: [part.tolist() for part in np.array_split(np.array(of_kind, dtype=object), N_FOLDS)]
            for kind, of_kind in ids.items()
        }
        frames.append(split_table(benchmark, folds))
    return pd.concat(frames, ignore_index=True)


def _evaluations(nist: Sequence[str]) -> dict[str, str]:
    """Year of TAC -> where its scores come from."""
    return {"tac2009": "tac2009", **{name.partition(":")[0]: name for name in nist}}


def official_pyramid(nist: Sequence[str]) -> pd.DataFrame:
    """People's units of TAC 2009, scored by Eqs. 1 and 2, beside the official Pyramid scores.

    Parameters
    ----------
    nist : of ``"tac2008:FOLDER"`` and ``"tac2009:FOLDER"``
        NIST's folder of 2008 does not say which units a summary has, so it gives no rows.

    Returns
    -------
    DataFrame with columns dataset, quantity, level, coefficient, value
        Share of summaries whose Pyramid score (Eq. 1, against the best that as many units as a model has on
        average can reach) is the official one to two digits, and Pearson's correlation with it of the
        weighted share of all units (Eq. 2 with people's labels).
    """
    rows = []
    for name in [name for name in nist if name.startswith("tac2009:")]:
        benchmark, (units, found) = datasets.load(name), datasets.pyramids(name)
        official, texts = benchmark.human, benchmark.texts.references
        weights = {document: [unit.weight for unit in of] for document, of in units.items()}
        n_units = {document: round(sum(weights[document]) / len(texts[document])) for document in texts}
        anew = {
            cell: pyramid_score(labels, weights[cell[1]], n_units=n_units[cell[1]])
            for cell, labels in found.items()
        }
        agree = [
            abs(score - float(official.sel(system=s, document=d))) < 0.005 for (s, d), score in anew.items()
        ]
        rows.append((benchmark.name, "official Pyramid scores that come out", "", "", np.mean(agree)))
        exhaustive = score_table(
            found,
            {document: [unit.label for unit in of] for document, of in units.items()},
            weights=weights,
            systems=benchmark.systems,
            documents=benchmark.documents,
        ).to_numpy()
        for level in ("system", "summary"):
            r = correlate(exhaustive, official.to_numpy(), level=level, coefficient="pearson").value
            rows.append((benchmark.name, "all units with the official Pyramid scores", level, "pearson", r))
    columns = ["dataset", "quantity", "level", "coefficient", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:4])


def of_the_script(names: Sequence[str] = ("lite-realsumm", "lite-pyrxsum")) -> pd.DataFrame:
    """Correlations of ROUGE by the script ROUGE-1.5.5, under all readings.

    Computed where the environment variable ``ROUGE_155`` names the script's folder; elsewhere as
    ``python -m bookbuild rouge155`` recorded them.

    Parameters
    ----------
    names : data sets with units

    Returns
    -------
    DataFrame of the shape of `for_claims`
        Where nothing was computed the column remark says so.
    """
    folder = rouge_155_folder()
    if folder is None or is_simulated():
        kept = recorded.read("rouge_155").assign(remark="recorded, not re-run here")
        return check(kept, keys=[*_KEYS, "reading"])
    frames = []
    for study in map(load_study, names):
        scores = rouge_155_scores(study.benchmark.texts, folder=folder)
        named = {f"{metric}, {SCRIPT}": scores.sel(metric=metric) for metric in scores.indexes["metric"]}
        ours = as_listed(with_scores(study, named))
        frames.append(_with_pairings(readings(split_table(ours, study.folds)), {study.name: ours}))
    return check(pd.concat(frames, ignore_index=True), keys=[*_KEYS, "reading"])


def of_rouge(name: str) -> pd.DataFrame:
    """Correlations of ROUGE on the whole of a data set by both programs, under all readings.

    Parameters
    ----------
    name : a data set with units

    Returns
    -------
    DataFrame of the shape of `for_claims`
    """
    script = of_the_script([name])
    ours = readings(table({name: {WHOLE: released_board(name)}}))
    same = (script["dataset"] == name) & (script["split"] == WHOLE)
    return check(pd.concat([ours, script[same]], ignore_index=True), keys=[*_KEYS, "reading"])


def for_claims(
    table: pd.DataFrame,
    boards: Mapping[str, Mapping[str, Benchmark]],
    script: pd.DataFrame,
    *,
    nist: Sequence[str] = (),
) -> pd.DataFrame:
    """All that the paper's Tables 1, 2 and 4 are checked against.

    Parameters
    ----------
    table : DataFrame of `split_table`
    boards : mapping, data set -> split -> Benchmark
        As `boards` gives them.
    script : DataFrame of `of_the_script`
    nist : of ``"tac2008:FOLDER"`` and ``"tac2009:FOLDER"``, a reader's own copies of NIST's results

    Returns
    -------
    DataFrame with the columns of `readings` and of `over_pairings`
    """
    everything = readings(pd.concat([table, _tac(nist)], ignore_index=True))
    paired = {name: as_listed(by_split["by systems"]) for name, by_split in boards.items()}
    frames = [_with_pairings(everything, paired), script]
    return check(pd.concat(frames, ignore_index=True), keys=[*_KEYS, "reading"])


def _with_pairings(table: pd.DataFrame, boards: Mapping[str, Benchmark]) -> pd.DataFrame:
    """PyrXSum by systems averaged over all pairings of its systems, since the paper's were not released."""
    pyrxsum = (table["dataset"] == "lite-pyrxsum") & (table["split"] == "by systems")
    paired = [over_pairings(board) for board in boards.values() if board.name == "lite-pyrxsum"]
    return pd.concat([table[~pyrxsum], *paired], ignore_index=True)


def rules(results: pd.DataFrame) -> pd.DataFrame:
    """How many printed correlations of ROUGE each program gives under each rule for what is undefined.

    Parameters
    ----------
    results : DataFrame of `for_claims`

    Returns
    -------
    DataFrame with columns dataset, split, level, program, reading, n_agree, n_values
        PyrXSum by systems is left out: its folds are unknown.
    """
    tables = ("table1-realsumm", "table2-realsumm", "table4-realsumm", "table1-pyrxsum", "table2-pyrxsum")
    printed = pd.concat([printed_values("zhang2021lite", name) for name in tables])
    printed = printed[printed["row"].isin(VARIANTS)].drop(columns=["value", "metric", "reading"])
    metric = results["metric"].str.split(" recall", expand=True)
    ours = results.assign(row=metric[0], program=metric[1].str.strip(", ").replace("", PACKAGE))
    keys = ["dataset", "split", "level", "coefficient", "row"]
    found = ours.merge(printed[[*keys, "printed"]], on=keys)
    found["agrees"] = [prints_as(v, text) for v, text in zip(found["value"], found["printed"], strict=True)]
    by = ["dataset", "split", "level", "program", "reading"]
    counted = found.groupby(by, sort=False)["agrees"].agg(n_agree="sum", n_values="size").reset_index()
    return check(counted, keys=by, values=["n_agree"])


def sizes(
    names: Sequence[str] = ("lite-realsumm", "lite-pyrxsum"), *, nist: Sequence[str] = ()
) -> pd.DataFrame:
    """How many documents and systems data sets, TAC's among them, and their folds hold.

    Parameters
    ----------
    names : data sets with units
    nist : see `for_claims`

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    rows = []
    for name in [*names, *_evaluations(nist).values()]:
        benchmark = datasets.load(name)
        counts = {"documents": len(benchmark.documents), "systems": len(benchmark.systems)}
        if name == "lite-realsumm":
            folds = load_study(name).folds
            for kind in ("document", "system"):
                (counts[f"{kind}s a fold"],) = {len(fold) for fold in folds[kind]}
        rows += [(benchmark.name, quantity, float(count)) for quantity, count in counts.items()]
    columns = ["dataset", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2])


_HALF = {"Lite2Pyramid": "lite2", "Lite2.5Pyramid": "lite25", "Lite3Pyramid": "lite3"}


def half_losses() -> pd.DataFrame:
    """Where the paper prints that Lite2.5Pyramid loses more than half of what Lite3Pyramid loses.

    Returns
    -------
    DataFrame with columns where, dataset, level, coefficient, presence (what the model learned on, empty for
    the folds of the same data), lite2, lite25, lite3 (printed correlations)
    """
    names = ("tac08", "tac09", "realsumm", "pyrxsum")
    tables = [*(f"table1-{name}" for name in names), *(f"table2-{name}" for name in names[1:])]
    printed = pd.concat([printed_values("zhang2021lite", table) for table in tables], ignore_index=True)
    printed = printed[printed["row"].str.contains("Lite") & ~printed["row"].str.endswith("-0")]
    row = printed["row"].str.rpartition(" ")
    printed = printed.assign(presence=row[0], metric=row[2], where=printed["table"].str.partition("-")[0])
    keys = ["where", "dataset", "level", "coefficient", "presence"]
    wide = printed.pivot(index=keys, columns="metric", values="value").reset_index()
    wide = wide.rename(columns=_HALF).rename_axis(columns=None)
    lost, at_most = wide["lite2"] - wide["lite25"], (wide["lite2"] - wide["lite3"]) / 2
    shown = wide.loc[lost - at_most > DIFFERENCE_TIE, [*keys, *_HALF.values()]]
    return check(shown, keys=keys, values=list(_HALF.values()))


def later_run() -> pd.DataFrame:
    """What the authors' own later run of their code, in the release's README, gives beside what they print.

    Returns
    -------
    DataFrame with columns where, level, coefficient, metric, printed (text), value (of the later run), agrees
    """
    pairs = {
        "rerun-examples": "table1-realsumm",
        "rerun-systems": "table4-realsumm",
        "rerun-tac08": "table2-realsumm",
        "rerun-tac08-tac09": "table2-realsumm",
    }
    keys = ["row", "level", "coefficient"]
    frames = []
    for later, table in pairs.items():
        in_table = printed_values("zhang2021lite", table)[[*keys, "printed"]]
        run = printed_values("zhang2021lite", later)[[*keys, "value"]]
        frames.append(run.merge(in_table, on=keys).assign(where=table.partition("-")[0]))
    found = pd.concat(frames, ignore_index=True).rename(columns={"row": "metric"})
    found["agrees"] = [prints_as(v, text) for v, text in zip(found["value"], found["printed"], strict=True)]
    columns = ["where", "level", "coefficient", "metric", "printed", "value", "agrees"]
    return check(found[columns], keys=columns[:4])


def printed_by_systems() -> dict[tuple[str, str], str]:
    """What Table 4 prints of ROUGE on PyrXSum.

    Returns
    -------
    dict, (metric, level) -> text
    """
    printed = printed_values("zhang2021lite", "table4-pyrxsum")
    rouge = printed[printed["row"].isin(VARIANTS) & (printed["coefficient"] == "pearson")]
    return {(f"{row.row} recall", row.level): row.printed for row in rouge.itertuples()}


def scored_by_all(benchmark: Benchmark) -> Benchmark:
    """A board on the systems that every metric scores, so that all rows of it rest on the same summaries.

    Parameters
    ----------
    benchmark : Benchmark, such as `board` gives

    Returns
    -------
    Benchmark
        A metric may still lack single summaries.
    """
    present = benchmark.scores.notnull().any("document").all("metric")
    return benchmark.select(systems=benchmark.scores.indexes["system"][present.to_numpy()].tolist())


def leaders(table: pd.DataFrame) -> pd.DataFrame:
    """Correlations with their intervals, best first, for each data set, level and coefficient.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.intervals.table`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, value, low, high, n_undefined, n_systems
    """
    columns = [
        "dataset",
        "level",
        "coefficient",
        "metric",
        "value",
        "low",
        "high",
        "n_undefined",
        "n_systems",
    ]
    groups = table.groupby(["dataset", "level", "coefficient"], sort=False)
    best_first = [part.sort_values("value", ascending=False, kind="stable") for _, part in groups]
    return check(pd.concat(best_first, ignore_index=True)[columns], keys=columns[:4])


def ranked(
    leaders: pd.DataFrame,
    boards: Sequence[Benchmark],
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str],
    alpha: float = 0.05,
    n_resamples: int,
    rng: RNGLike,
) -> pd.DataFrame:
    """The leaders with their tiers and the ranks that tests of all pairs leave open (Perm-Both).

    All pairs of metrics of one data set, level and coefficient are tested together, so that all ranks of a
    board hold at once; across boards nothing is corrected.

    Parameters
    ----------
    leaders : DataFrame of `leaders`
    boards : Benchmarks of `scored_by_all`
    levels, coefficients : those of `leaders`
    alpha : float in (0, 1)
        Probability that any two metrics of a board are wrongly told apart.
    n_resamples : int
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with the columns of `leaders` and tier, best_rank, worst_rank, n_unsettled (metrics that other
    draws could tell apart from the row's, or no longer), n_resamples
    """
    seed, frames = seed_of(rng), []
    for board, level, coefficient in product(boards, levels, coefficients):
        kind = {"level": level, "coefficient": coefficient}
        scores, human = board.scores.to_numpy(), board.human.to_numpy()
        pairs = np.column_stack(np.triu_indices(len(scores), 1))
        draws = {"n_resamples": n_resamples, "rng": stream(seed, board.name)}
        tested = compare_pairs(scores, human, pairs, method="Perm-Both", **kind, **draws)
        pvalue = simultaneous_pvalues(tested.difference, tested.null)
        found = tiers(correlate(scores, human, **kind).value, pairs, pvalue, alpha=alpha)
        close = np.abs(pvalue - alpha) <= ERRORS * np.sqrt(pvalue * (1 - pvalue) / n_resamples)
        n_unsettled = np.bincount(pairs[close].ravel(), minlength=len(scores))
        keys = {"dataset": board.name, **kind, "metric": board.metrics}
        frames.append(
            pd.DataFrame({**keys, **vars(found), "n_unsettled": n_unsettled, "n_resamples": n_resamples})
        )
    keys = ["dataset", "level", "coefficient", "metric"]
    return check(leaders.merge(pd.concat(frames), on=keys, validate="one_to_one"), keys=keys)


def answer(ranked: pd.DataFrame, *, dataset: str, coefficient: str) -> dict[str, str]:
    """Which metrics are in the first tier at each level, and how sure that is.

    Parameters
    ----------
    ranked : DataFrame of `ranked`
    dataset, coefficient : str
        Which rows.

    Returns
    -------
    dict
        ``leaderboard-answer-LEVEL``, ``leaderboard-answer-sure`` and ``leaderboard-answer-draws``.
    """
    shown = ranked[(ranked["dataset"] == dataset) & (ranked["coefficient"] == coefficient)]
    said = {
        f"leaderboard-answer-{level}": _first_tier(level, part)
        for level, part in shown.groupby("level", sort=False)
    }
    n_pairs = sum(n * (n - 1) // 2 for n in shown.groupby("level").size())
    said["leaderboard-answer-sure"] = (
        f"{words('coefficient', coefficient)}, these {shown['n_systems'].iloc[0]} "
        f"{words('data', dataset)} systems."
    )
    said["leaderboard-answer-draws"] = (
        f"Other draws could change {shown['n_unsettled'].sum() // 2:,} of {n_pairs:,} pairs."
    )
    return said


def _first_tier(level: str, part: pd.DataFrame) -> str:
    first, tier = part.iloc[0], part.loc[part["tier"] == 1, "metric"].tolist()
    value = value_told(first)
    below = len(part) - first["worst_rank"]
    given = next((f", {what}," for name, what in _GIVEN.items() if first["metric"].startswith(name)), "")
    led = f"{first['metric']}{given} leads at {value}, told apart from {wording.counted(below, 'other')}."
    if len(tier) == 1:
        shared = f"{tier[0]} alone is in the first tier of {len(part)} metrics"
    elif len(tier) <= NAMED:
        shared = f"{wording.joined(tier)} share the first tier of {len(part)} metrics"
    else:
        shared = f"{len(tier)} of {len(part)} metrics share the first tier"
    return f"At {words('level', level)} {shared}; {led}"


LINE = 28  # characters of a name on one line


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlation of every metric with its interval, best at the top; a menu picks the board.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.ranked`, or of `leaders`
        With ranks they stand behind the names, and symbols below the first tier are hollow.
    """
    columns = ["data", "coefficient", "level"] if table["dataset"].nunique() > 1 else ["coefficient", "level"]
    named = table.assign(data=table["dataset"])[columns]
    kind = [", ".join(map(words, columns, row)) for row in named.itertuples(index=False)]
    boards = list(dict.fromkeys(kind))
    # each board has rows of its own, in its own order: signs without width tell names on two boards apart
    apart = ["\u200b" * boards.index(board) for board in kind]
    shown = table.assign(
        kind=kind,
        called=[name + sign for name, sign in zip(_with_ranks(table), apart, strict=True)],
        family=table["metric"].map(metric_family),
        symbol=np.where(table["tier"] == 1 if "tier" in table else True, "circle", "circle-open"),
    )
    ranked = [shown[shown["kind"] == board].sort_values("value")["called"].tolist() for board in boards]
    # between two boards lies a row without a name, or the next board's last would show above the first
    order = [name for i, names in enumerate(ranked, 1) for name in (*names, " " * i)]
    colours = {metric_family(metric): metric_style(metric).colour for metric in table["metric"]}
    sheet = marks(
        shown, x="value", y="called", series="family", symbol="symbol", menu="kind",
        style={family: Style(colour) for family, colour in colours.items()},
        order=order,
        hover=[column for column in ("tier", "n_systems") if column in table], size=10,
        labels={"value": "correlation", "called": "metric (its ranks)" if "tier" in table else "metric"},
    )  # fmt: skip
    _add_keys(sheet, colours, with_tiers="tier" in table)
    sheet.x(**correlation_axis([0.0, *table["low"]])).y(ticks="")  # one would stand at the row without a name
    sheet.layout["scattermode"] = "overlay"
    # names on two lines need room for both
    return sheet.menu("Board", "kind").figure(height=190 + 34 * table["metric"].nunique())


def _add_keys(sheet: Panels, colours: Mapping[str, str], *, with_tiers: bool) -> None:
    """What colours and symbols mean; a family's own entry would have the symbol of its first metric."""
    for trace in sheet.data:
        trace["showlegend"] = False
    looks = {family: {"color": colour} for family, colour in colours.items()}
    if with_tiers:
        looks |= {"first tier": {"color": GREY}, "other tiers": {"color": GREY, "symbol": "circle-open"}}
    for name, look in looks.items():
        sheet.add({"x": [None], "y": [None], "mode": "markers", "name": name, "marker": {"size": 10, **look}})


def _with_ranks(table: pd.DataFrame) -> list[str]:
    """Names on lines that leave a phone room for the drawing."""
    names = table["metric"]
    if "best_rank" in table:
        open_ranks = [ranks(*pair) for pair in zip(table["best_rank"], table["worst_rank"], strict=True)]
        names = names + " (" + pd.Series(open_ranks, table.index) + ")"
    return ["<br>".join(wrap(name, LINE)) for name in names]


def pairing_spread(table: pd.DataFrame) -> go.Figure:
    """What the choice of pairs makes of each metric's correlation: one box per metric, one panel per level.

    Parameters
    ----------
    table : DataFrame of `helpers.experiments.leaderboard.pairing_table`
    """
    sheet = Panels(table["level"].unique().tolist(), column="level", gap=0.04)
    for row in table.itertuples():
        box = {
            "type": "box",
            "orientation": "h",
            "y": [row.metric],
            "lowerfence": [row.lowest],
            "q1": [row.q25],
            "median": [row.q50],
            "q3": [row.q75],
            "upperfence": [row.highest],
            "name": row.metric,
            "showlegend": False,
            "line": {"color": metric_style(row.metric).colour},
            "fillcolor": "rgba(0,0,0,0)",
        }
        sheet.add(box, panel=row.level)
    sheet.x(title="correlation with people", **correlation_axis([table["lowest"].min()]))
    sheet.y(title="metric", automargin=True, autorange="reversed")
    return sheet.figure(height=170 + 34 * table["metric"].nunique())


@cache
def _board(dataset: str, simulated: bool) -> Benchmark:
    """Without the light model, which takes long to train; `simulated` says what the name stands for."""
    return scored_by_all(board(load_study(dataset), {}))


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    board = _board(dataset, is_simulated())
    both = {"coefficients": ["pearson", "kendall"], "methods": ["Boot-Both"]}
    return leaders(intervals.table(board, **both, rng=seed, **settings))


LIVE = Live(
    notebook="leaderboard",
    question="How well do metrics agree with people, and how sure is that?",
    controls=(
        One("dataset", "Data set", choices.datasets(choices.LITE, likenesses=False)),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 2000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 300},
    remark="Without the light model, whose training takes a minute, and without tests in pairs. "
    "Starts with 300 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: leaderboard_intervals(table),
)
