"""experiments.leaderboard: which metrics correlate best with Pyramid scores, and how sure are their ranks?

Zhang and Bansal 2021, Tables 1, 2 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.claims.checking import printed_values
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import GREY, Style, correlation_axis, metric_family, metric_style
from helpers.kit.tidy import tidy
from metaeval import datasets
from metaeval.analysis.systems import interval_table
from metaeval.core.errors import choose
from metaeval.core.mode import is_simulated
from metaeval.core.paths import DATA
from metaeval.datasets.readers.alignment import join_metrics, match_documents
from metaeval.metrics.pyramid.folds import KEYS as FOLD_KEYS
from metaeval.metrics.pyramid.folds import fold_table
from metaeval.metrics.pyramid.nli import learned_on, load_presence
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
from metaeval.metrics.rouge import VARIANTS
from metaeval.metrics.rouge_155 import rouge_155_folder, rouge_155_scores
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.differences import compare_pairs, simultaneous_pvalues, tiers
from metaeval.stats.monte_carlo import share_error
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import DIFFERENCE_TIE, prints_as
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import ranks, words

Boards = Mapping[str, Mapping[str, Benchmark]]  # data set -> split -> its board

WHOLE = "whole"
SPLITS = ("by documents", "by systems", WHOLE)
PACKAGE, SCRIPT = "rouge-score", "ROUGE-1.5.5"
LINE = 28  # characters of a metric's name on one line of a figure
# the paper's metrics for which a release has scores: where ROUGE from the texts does not serve
OTHER_RELEASES = {
    "lite-realsumm": {
        "bhandari2020": (*("AutoSummENG", "BEwT-E recall", "S3 pyr", "S3 resp", "QAEval EM", "QAEval F1"),),
        "realsumm": ("BERTScore recall", "MoverScore"),
    },
    "lite-pyrxsum": {},
}
# bhandari2020 has no texts, but the ids of this release
_SAME_IDS = {"bhandari2020": "realsumm"}
_RECALLS = [f"{variant} recall" for variant in VARIANTS]
_FROM_TEXTS = [*_RECALLS, "METEOR"]
# reading -> column: a correlation that does not exist is left out, counts as zero, or is made to exist by the
# rule of the released code (`metaeval.metrics.pyramid.folds.first_apart`)
_READINGS = {"defined only": "value", "undefined as zero": "as_zero", "as released": "as_released"}
_KEYS = [*FOLD_KEYS, "reading"]
_KIND = ["dataset", "level", "coefficient"]
_HALF = {"Lite2Pyramid": "lite2", "Lite2.5Pyramid": "lite25", "Lite3Pyramid": "lite3"}


def board(study: Study, ours: Mapping[str, xr.DataArray]) -> Benchmark:
    """A study's data set with ROUGE, METEOR, our scores (system, document), and those of other releases."""
    # a release may lack systems; they have no scores from its metrics
    own = kept_scores(study.benchmark.texts, _FROM_TEXTS)
    scored = with_scores(study, {**{name: own.sel(metric=name, drop=True) for name in _FROM_TEXTS}, **ours})
    for name, metrics in OTHER_RELEASES.get(study.name, {}).items():
        ids = match_documents(study.benchmark, datasets.load(_SAME_IDS.get(name, name)))
        release = datasets.load(name)
        scored = join_metrics(scored, release, document_map=ids, metrics=metrics)
    return scored


def released_board(name: str) -> Benchmark:
    """The `board` of a data set with units, without metrics of ours."""
    return board(load_study(name), {})


def scored_by_all(benchmark: Benchmark) -> Benchmark:
    """A board on the systems that every metric scores, so that all rows of it rest on the same summaries."""
    present = benchmark.scores.notnull().any("document").all("metric")
    return benchmark.select(systems=benchmark.scores.indexes["system"][present.to_numpy()].tolist())


def boards(
    names, *, zero_shot: str = "", fine_tuned=(), out_of_the_box=()
) -> dict[str, dict[str, Benchmark]]:
    """The `board` of each data set and split, with scores of the light model and of checkpoints."""
    # zero_shot, a checkpoint read as l3c: Lite2Pyramid-0 in all splits. fine_tuned, folders of `bookbuild
    # judge`: the paper's metrics in the split and data set that they are of, read as p2c and l2c.
    # out_of_the_box, checkpoints read as p2c: the paper's metrics on the whole, named after what each learned
    # on, as in Table 2.
    if len(names) < 2:
        raise ValueError(
            f"`names` must hold two data sets or more, to learn on one and judge another, got {list(names)}"
        )
    studies = {name: load_study(name) for name in names}
    trained = [
        (*load_presence(folder, reading=reading), suffix)
        for folder, (reading, suffix) in product(fine_tuned, (("p2c", ""), ("l2c", " (l2c)")))
    ]
    by_split: dict[str, dict[str, Benchmark]] = {}
    for name, study in studies.items():
        elsewhere = next(other for key, other in studies.items() if key != name)
        light = (judge(study, "light", by="document"), judge(study, "light", by="system"))
        presences = dict(zip(SPLITS, (*light, transferred(elsewhere, study)), strict=True))
        ours = {split: pyramid_scores(study, of, label="light") for split, of in presences.items()}
        if zero_shot:
            presence = judge(study, "nli", checkpoint=zero_shot, reading="l3c")
            for scores in ours.values():
                scores["Lite2Pyramid-0"] = scores_of(study, presence)["SCU"]
        for checkpoint in out_of_the_box:
            presence = judge(study, "nli", checkpoint=checkpoint, reading="p2c")
            scores = pyramid_scores(study, presence, label="")
            ours[WHOLE] |= _as_printed(scores, f"{learned_on(checkpoint) or checkpoint} {{}}")
        for presence, by, suffix in trained:
            if set(presence["SCU"]) == set(study.labels):
                scores = pyramid_scores(study, presence, label="")
                ours[f"by {by}s"] |= _as_printed(
                    scores, f"{{}}{suffix}", half="Lite2.5Pyramid (TAC08's choice)"
                )
        by_split[name] = {split: board(study, scores) for split, scores in ours.items()}
    return by_split


def _as_printed(scores: Mapping[str, xr.DataArray], pattern: str, *, half: str = "Lite2.5Pyramid"):
    """Scores under the names of the paper's rows."""
    names = {"Lite²Pyramid ()": "Lite2Pyramid", "Lite²·⁵Pyramid ()": half, "Lite³Pyramid ()": "Lite3Pyramid"}
    return {pattern.format(names[name]): array for name, array in scores.items() if name in names}


@tidy(*FOLD_KEYS)
def split_table(benchmark: Benchmark, parts: Mapping[str, Sequence[Sequence[str]]], *, splits=SPLITS):
    """Correlations of every metric, averaged over folds (Tables 1 and 4) or on all the data (Table 2)."""
    kinds = {
        "by documents": ("document", parts["document"]),
        "by systems": ("system", parts["system"]),
        WHOLE: ("document", [benchmark.documents]),
    }
    for split in splits:
        by, chosen = choose("split", split, kinds)
        yield fold_table(benchmark, folds=chosen, by=by).assign(split=split)


@tidy(*FOLD_KEYS)
def table(boards: Boards):
    """Correlations of every metric on several data sets, each split with its own scores."""
    for name, splits in boards.items():
        for split, benchmark in splits.items():
            yield split_table(as_listed(benchmark), load_study(name).folds, splits=[split])


@tidy(*_KEYS)
def readings(table: pd.DataFrame):
    """The leaderboard three times, by what is done without a correlation."""
    for reading, column in _READINGS.items():
        yield table.assign(reading=reading, value=table[column])


def pairings(ids: Sequence[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """All ways to part an even number of ids into pairs: 945 for ten."""
    if len(ids) % 2:
        raise ValueError(f"an odd number of ids cannot be parted into pairs: {len(ids)}")
    if not ids:
        yield ()
        return
    first, *others = ids
    for second in others:
        remaining = [label for label in others if label != second]
        for pairs in pairings(remaining):
            yield ((first, second), *pairs)


@tidy("dataset", "metric", "level")
def pairing_table(benchmark: Benchmark):
    """Mean, quartiles and all values of each metric's correlation over every split into pairs of systems."""
    # With two systems Pearson's r, Spearman's rho and Kendall's tau are all 1, -1 or do not exist, so a value
    # is a share of pairs ordered rightly minus a share ordered wrongly. At summary level a tie is broken for
    # the first of the two, as in the released code; equal means of systems count 0.
    systems = benchmark.systems
    every = list(combinations(range(len(systems)), 2))
    place = {(systems[i], systems[j]): number for number, (i, j) in enumerate(every)}
    parted = np.array([[place[pair] for pair in pairs] for pairs in pairings(systems)])
    human = benchmark.human.to_numpy()[every, :]
    for metric, level in product(benchmark.metrics, ("system", "summary")):
        scores = benchmark.metric(metric).to_numpy()[every, :]
        values = _correlate_pairs(scores, human, level)[parted].mean(axis=1)
        quantiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
        yield {
            "dataset": benchmark.name, "metric": metric, "level": level, "value": float(values.mean()),
            "standard_deviation": float(values.std()),
            **dict(zip(("lowest", "q25", "q50", "q75", "highest"), quantiles, strict=True)),
            "pairing_values": [values],
        }  # fmt: skip


def _correlate_pairs(scores: np.ndarray, human: np.ndarray, level: str) -> np.ndarray:
    """The correlation within each of some pairs of systems (n_pairs, 2, n_documents)."""
    if level == "system":
        return np.nan_to_num(correlate(scores, human, level=level, coefficient="kendall").value)
    ours, people = (np.where(side[:, 0] >= side[:, 1], 1, -1) for side in (scores, human))
    return (ours * people).mean(axis=-1)


@tidy(*_KEYS)
def pairing_readings(benchmark: Benchmark):
    """`readings` by pairs of systems, averaged over all pairings, for folds that were not released."""
    rows = pairing_table(benchmark).drop(columns="pairing_values")
    for coefficient in ("pearson", "spearman"):
        yield rows.assign(coefficient=coefficient, split="by systems", reading="as released")


def matching_pairings(benchmark: Benchmark, printed: Mapping[tuple[str, str], str]) -> tuple[int, int]:
    """Number of pairings that give all of some printed values, (metric, level) -> text, and of all."""
    values = pairing_table(benchmark).set_index(["metric", "level"])["pairing_values"]
    agree = [[prints_as(value, text) for value in values[key]] for key, text in printed.items()]
    matching = np.all(agree, axis=0)
    return int(matching.sum()), len(matching)


def printed_by_systems() -> dict[tuple[str, str], str]:
    """Values that Table 4 prints of ROUGE on PyrXSum, (metric, level) -> text."""
    printed = printed_values("zhang2021lite", "table4-pyrxsum")
    rouge = printed[printed["row"].isin(VARIANTS) & (printed["coefficient"] == "pearson")]
    return {(f"{row.row} recall", row.level): row.printed for row in rouge.itertuples()}


def undefined(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers of correlations behind means some of which are undefined, and effects of a rule for these."""
    some = table[table["n_used"] < table["n_total"]]
    others = some[["as_zero", "as_released"]]
    some = some.assign(difference=others.sub(some["value"], axis=0).abs().max(axis=1))
    keys = ["dataset", "split", "level", "coefficient"]
    counts = some.groupby(keys, sort=False).agg(
        n_metrics=("metric", "nunique"), n_used=("n_used", "min"), n_total=("n_total", "max"),
        largest_change=("difference", "max"),
    )  # fmt: skip
    return check(counts.reset_index(), keys=keys, values=["n_used", "n_total"])


@tidy("dataset", "metric", values=["n_documents"])
def undefined_documents(benchmark: Benchmark):
    """On how many documents people, a metric, or both give all systems one score."""

    def constant(scores: xr.DataArray) -> np.ndarray:
        return (scores.max("system") == scores.min("system")).to_numpy()

    people = constant(benchmark.human)
    for name in benchmark.metrics:
        metric = constant(benchmark.metric(name))
        counts = {"human": people, "metric": metric, "both": people & metric}
        counts = {f"n_constant_{side}": int(where.sum()) for side, where in counts.items()}
        yield {"dataset": benchmark.name, "metric": name, "n_documents": len(people), **counts}


def _tac(nist: Sequence[str]) -> pd.DataFrame:
    """ROUGE on TAC, whole and in folds that are blocks in the release's order."""
    frames = []
    for name in _evaluations(nist).values():
        benchmark = datasets.load(name)
        benchmark = benchmark.select(metrics=[metric for metric in _RECALLS if metric in benchmark.metrics])
        ids = {"document": benchmark.documents, "system": benchmark.systems}
        parts = {
            kind: [part.tolist() for part in np.array_split(np.array(names, dtype=object), N_FOLDS)]
            for kind, names in ids.items()
        }
        frames.append(split_table(benchmark, parts))
    return pd.concat(frames, ignore_index=True)


@tidy("dataset", "quantity")
def block_chance(benchmark: Benchmark, *, n_draws=10_000, rng):
    """Printed ROUGE over TAC 2009's systems (Table 1) from blocks of documents, and from random folds."""
    printed = printed_values("zhang2021lite", "table1-tac09").query("level == 'system' and row != 'ROUGE-L'")
    printed = printed[printed["metric"].isin(_RECALLS)]
    orders = np.tile(np.arange(len(benchmark.documents)), (1 + n_draws, 1))
    stream(rng, benchmark.name, "folds").permuted(orders[1:], axis=1, out=orders[1:])
    folds = np.array_split(orders, N_FOLDS, axis=1)  # the first is of blocks

    def means(scores: xr.DataArray) -> np.ndarray:
        """Systems' means (n_folds, n_orders, n_systems)."""
        return np.stack([scores.to_numpy()[:, fold].mean(axis=-1).T for fold in folds])

    people, agree = means(benchmark.human), []
    for row in printed.itertuples():
        values = COEFFICIENTS[row.coefficient](means(benchmark.metric(row.metric)), people).mean(axis=0)
        agree.append([prints_as(value, row.printed) for value in values])
    share = np.all(agree, axis=0)[1:].mean()
    quantities = ["printed values", "of them from blocks", "random folds that give all (%)"]
    values, errors = (
        [len(agree), np.sum(agree, axis=0)[0], 100 * share],
        [0, 0, 100 * share_error(share, n_draws)],
    )
    yield {"dataset": benchmark.name, "quantity": quantities, "value": values, "mc_error": errors}


def _evaluations(nist: Sequence[str]) -> dict[str, str]:
    """Year of TAC -> its scores: another release's of 2009, or a reader's folder, "tac2009:FOLDER"."""
    return {"tac2009": "tac2009", **{name.partition(":")[0]: name for name in nist}}


def official_pyramid(nist: Sequence[str]) -> pd.DataFrame:
    """Pyramid scores of TAC 2009 by Eqs. 1 and 2 from people's units, beside the official ones."""
    # NIST's folder of 2008 does not say which units a summary has, so it gives no rows
    rows = []
    for name in [name for name in nist if name.startswith("tac2009:")]:
        benchmark, (units, labels) = datasets.load(name), datasets.pyramids(name)
        official, texts = benchmark.human, benchmark.texts.references
        weights = {document: [unit.weight for unit in of] for document, of in units.items()}
        # the best that as many units as a model has on average can reach
        n_units = {document: round(sum(weights[document]) / len(texts[document])) for document in texts}
        off = [
            pyramid_score(present, weights[d], n_units=n_units[d]) - official.sel(system=s, document=d).item()
            for (s, d), present in labels.items()
        ]
        share = np.mean(np.abs(off) < 0.005)
        rows.append((benchmark.name, "official Pyramid scores that come out", "", "", share))
        ids = {"systems": benchmark.systems, "documents": benchmark.documents}
        exhaustive = score_table(labels, weights=weights, **ids).to_numpy()
        for level in ("system", "summary"):
            r = correlate(exhaustive, official.to_numpy(), level=level, coefficient="pearson").value
            rows.append((benchmark.name, "all units with the official Pyramid scores", level, "pearson", r))
    columns = ["dataset", "quantity", "level", "coefficient", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:4])


def script_readings(names: Sequence[str] = ("lite-realsumm", "lite-pyrxsum")) -> pd.DataFrame:
    """`readings` of ROUGE by the script in the folder that ``ROUGE_155`` names, or as they are recorded."""
    folder = rouge_155_folder()
    if folder is None or is_simulated():
        table = pd.read_csv(DATA / "recorded" / "rouge_155.csv").assign(remark="recorded, not re-run here")
        return check(table, keys=_KEYS)
    frames = []
    for study in map(load_study, names):
        scores = rouge_155_scores(study.benchmark.texts, folder=folder)
        named = {f"{metric}, {SCRIPT}": scores.sel(metric=metric) for metric in scores.indexes["metric"]}
        ours = as_listed(with_scores(study, named))
        frames.append(_with_pairings(readings(split_table(ours, study.folds)), {study.name: ours}))
    return check(pd.concat(frames, ignore_index=True), keys=_KEYS)


@tidy(*_KEYS)
def rouge_readings(name: str):
    """`readings` of ROUGE on the whole of a data set by both programs."""
    script = script_readings([name])
    yield readings(table({name: {WHOLE: released_board(name)}}))
    yield script[(script["dataset"] == name) & (script["split"] == WHOLE)]


@tidy(*_KEYS)
def claim_rows(table: pd.DataFrame, boards: Boards, script: pd.DataFrame, *, nist=()):
    """All that the paper's Tables 1, 2 and 4 are checked against; `nist` names a reader's copies of TAC."""
    everything = readings(pd.concat([table, _tac(nist)], ignore_index=True))
    yield _with_pairings(everything, {name: as_listed(of["by systems"]) for name, of in boards.items()})
    yield script


def _with_pairings(table: pd.DataFrame, boards: Mapping[str, Benchmark]) -> pd.DataFrame:
    """A table with PyrXSum by systems averaged over all pairings, since the paper's were not released."""
    pyrxsum = (table["dataset"] == "lite-pyrxsum") & (table["split"] == "by systems")
    paired = [pairing_readings(board) for board in boards.values() if board.name == "lite-pyrxsum"]
    return pd.concat([table[~pyrxsum], *paired], ignore_index=True)


def rules(results: pd.DataFrame) -> pd.DataFrame:
    """Numbers of printed correlations of ROUGE that each program gives by each rule for undefined ones."""
    # PyrXSum by systems is left out: its folds are unknown
    names = ("table1-realsumm", "table2-realsumm", "table4-realsumm", "table1-pyrxsum", "table2-pyrxsum")
    printed = pd.concat([printed_values("zhang2021lite", name) for name in names])
    printed = printed[printed["row"].isin(VARIANTS)].drop(columns=["value", "metric", "reading"])
    metric = results["metric"].str.split(" recall", expand=True)
    ours = results.assign(row=metric[0], program=metric[1].str.strip(", ").replace("", PACKAGE))
    keys = ["dataset", "split", "level", "coefficient", "row"]
    rows = _with_agreement(ours.merge(printed[[*keys, "printed"]], on=keys))
    by = ["dataset", "split", "level", "program", "reading"]
    counts = rows.groupby(by, sort=False)["agrees"].agg(n_agree="sum", n_values="size").reset_index()
    return check(counts, keys=by, values=["n_agree"])


def _with_agreement(rows: pd.DataFrame) -> pd.DataFrame:
    pairs = zip(rows["value"], rows["printed"], strict=True)
    return rows.assign(agrees=[prints_as(value, text) for value, text in pairs])


@tidy("dataset", "quantity")
def sizes(names=("lite-realsumm", "lite-pyrxsum"), *, nist=()):
    """Numbers of documents and systems in data sets, TAC's among them, and in their folds."""
    for name in [*names, *_evaluations(nist).values()]:
        benchmark = datasets.load(name)
        counts = {"documents": len(benchmark.documents), "systems": len(benchmark.systems)}
        if name == "lite-realsumm":
            parts = load_study(name).folds
            for kind in ("document", "system"):
                (counts[f"{kind}s a fold"],) = set(map(len, parts[kind]))
        values = list(map(float, counts.values()))
        yield {"dataset": benchmark.name, "quantity": list(counts), "value": values}


def half_losses() -> pd.DataFrame:
    """Printed correlations where Lite2.5Pyramid loses more than half of what Lite3Pyramid loses."""
    # `presence` is what the model learned on, empty for the folds of the same data
    names = ("tac08", "tac09", "realsumm", "pyrxsum")
    tables = [*(f"table1-{name}" for name in names), *(f"table2-{name}" for name in names[1:])]
    printed = pd.concat([printed_values("zhang2021lite", table) for table in tables], ignore_index=True)
    printed = printed[printed["row"].str.contains("Lite") & ~printed["row"].str.endswith("-0")]
    row = printed["row"].str.rpartition(" ")
    printed = printed.assign(presence=row[0], metric=row[2], where=printed["table"].str.partition("-")[0])
    keys, values = ["where", *_KIND, "presence"], list(_HALF.values())
    wide = printed.pivot(index=keys, columns="metric", values="value").reset_index()
    wide = wide.rename(columns=_HALF).rename_axis(columns=None)
    lost, half = wide["lite2"] - wide["lite25"], (wide["lite2"] - wide["lite3"]) / 2
    return check(wide.loc[lost - half > DIFFERENCE_TIE, [*keys, *values]], keys=keys, values=values)


@tidy("where", "level", "coefficient", "metric")
def later_run():
    """Values of the authors' own later run, in the release's README, beside their printed ones."""
    runs = {
        "rerun-examples": "table1-realsumm",
        "rerun-systems": "table4-realsumm",
        "rerun-tac08": "table2-realsumm",
        "rerun-tac08-tac09": "table2-realsumm",
    }
    keys, columns = ["row", "level", "coefficient"], ["where", "level", "coefficient", "metric"]
    for later, table in runs.items():
        printed = printed_values("zhang2021lite", table)[[*keys, "printed"]]
        rows = printed_values("zhang2021lite", later)[[*keys, "value"]].merge(printed, on=keys)
        rows = rows.assign(where=table.partition("-")[0]).rename(columns={"row": "metric"})
        yield _with_agreement(rows)[[*columns, "printed", "value", "agrees"]]


def leaders(table: pd.DataFrame) -> pd.DataFrame:
    """Correlations with their intervals, best first, for each data set, level and coefficient."""
    columns = [*_KIND, "metric", "value", "low", "high", "n_undefined", "n_systems"]
    parts = [part for _, part in table.groupby(_KIND, sort=False)]
    best_first = [part.sort_values("value", ascending=False, kind="stable") for part in parts]
    return check(pd.concat(best_first, ignore_index=True)[columns], keys=columns[:4])


def ranked(
    leaders: pd.DataFrame, boards: Sequence[Benchmark], *, levels=("system", "summary"), coefficients,
    alpha=0.05, n_resamples: int, rng,
) -> pd.DataFrame:  # fmt: skip
    """The leaders with their tiers and the ranks that tests of all pairs leave open (Perm-Both)."""
    # All pairs of a data set, level and coefficient are tested together, so that all ranks of a board hold at
    # once. `n_unsettled` counts metrics that other draws could tell apart from the row's, or no longer.
    seed, frames = seed_of(rng), []
    for board, level, coefficient in product(boards, levels, coefficients):
        kind = {"level": level, "coefficient": coefficient}
        scores, human = board.scores.to_numpy(), board.human.to_numpy()
        pairs = np.column_stack(np.triu_indices(len(scores), 1))
        draws = {"n_resamples": n_resamples, "rng": stream(seed, board.name)}
        tested = compare_pairs(scores, human, pairs, method="Perm-Both", **kind, **draws)
        pvalue = simultaneous_pvalues(tested.difference, tested.null)
        tier = tiers(correlate(scores, human, **kind).value, pairs, pvalue, alpha=alpha)
        close = np.abs(pvalue - alpha) <= wording.ERRORS * np.sqrt(pvalue * (1 - pvalue) / n_resamples)
        counts = {"n_unsettled": np.bincount(pairs[close].ravel(), minlength=len(scores))}
        keys = {"dataset": board.name, **kind, "metric": board.metrics}
        frames.append(pd.DataFrame({**keys, **vars(tier), **counts, "n_resamples": n_resamples}))
    keys = [*_KIND, "metric"]
    return check(leaders.merge(pd.concat(frames), on=keys, validate="one_to_one"), keys=keys)


def leaderboard_intervals(table: pd.DataFrame) -> go.Figure:
    """Correlations of `ranked` or `leaders` with intervals, best at the top; a menu picks the board."""
    # with ranks these stand behind the names, and symbols below the first tier are hollow
    has_tiers = "tier" in table
    columns = ["data", "coefficient", "level"] if table["dataset"].nunique() > 1 else ["coefficient", "level"]
    named = table.assign(data=table["dataset"])[columns]
    kind = [", ".join(map(words, columns, row)) for row in named.itertuples(index=False)]
    boards = list(dict.fromkeys(kind))
    # each board has rows of its own, in its own order: signs without width tell names on two boards apart
    apart = ["\u200b" * boards.index(board) for board in kind]
    rows = table.assign(
        kind=kind,
        called=[name + sign for name, sign in zip(_with_ranks(table), apart, strict=True)],
        family=table["metric"].map(metric_family),
        symbol=np.where(table["tier"] == 1 if has_tiers else True, "circle", "circle-open"),
    )
    ordered = [rows[rows["kind"] == board].sort_values("value")["called"].tolist() for board in boards]
    # between two boards lies a row without a name, or the next board's last would show above the first
    order = [name for i, names in enumerate(ordered, 1) for name in (*names, " " * i)]
    colours = {metric_family(metric): metric_style(metric).colour for metric in table["metric"]}
    sheet = marks(
        rows, x="value", y="called", series="family", symbol="symbol", menu="kind",
        style={family: Style(colour) for family, colour in colours.items()},
        order=order, hover=[column for column in ("tier", "n_systems") if column in table], size=10,
        labels={"value": "correlation", "called": "metric (its ranks)" if has_tiers else "metric"},
    )  # fmt: skip
    # what colours and symbols mean; a family's own entry would have the symbol of its first metric
    for trace in sheet.data:
        trace["showlegend"] = False
    looks = {family: {"color": colour} for family, colour in colours.items()}
    if has_tiers:
        looks |= {"first tier": {"color": GREY}, "other tiers": {"color": GREY, "symbol": "circle-open"}}
    for name, look in looks.items():
        sheet.add({"x": [None], "y": [None], "mode": "markers", "name": name, "marker": {"size": 10, **look}})
    sheet.x(**correlation_axis([0.0, *table["low"]])).y(ticks="")  # one would stand at the row without a name
    sheet.layout["scattermode"] = "overlay"
    # names on two lines need room for both
    return sheet.menu("Board", "kind").figure(height=190 + 34 * table["metric"].nunique())


def _with_ranks(table: pd.DataFrame) -> list[str]:
    """Names on lines that leave a phone room for the drawing."""
    names = table["metric"]
    if "best_rank" in table:
        open_ranks = [ranks(*pair) for pair in zip(table["best_rank"], table["worst_rank"], strict=True)]
        names = names + " (" + pd.Series(open_ranks, table.index) + ")"
    return ["<br>".join(wrap(name, LINE)) for name in names]


@cache
def _board(dataset: str, simulated: bool) -> Benchmark:
    """Without the light model, which takes long to train; `simulated` says what the name stands for."""
    return scored_by_all(board(load_study(dataset), {}))


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    board, both = _board(dataset, is_simulated()), ["pearson", "kendall"]
    return leaders(interval_table(board, coefficients=both, methods=["Boot-Both"], rng=seed, **settings))


LIVE = live(
    "leaderboard",
    _compute,
    leaderboard_intervals,
    "dataset confidence_level n_resamples",
    question="How well do metrics agree with people, and how sure is that?",
    initial={"n_resamples": 300},
    note="Without the light model, whose training takes a minute, and without tests in pairs.",
)
