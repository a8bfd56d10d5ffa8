"""Every metric whose scores can be had, judged as in Tables 1, 2 and 4 of Zhang and Bansal (2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from helpers import sources
from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.pyramid.folds import fold_table, pairing_table
from helpers.pyramid.study import Study
from helpers.scoring.rouge import rouge_scores
from helpers.sources.alignment import match_documents

WHOLE = "whole"
AS_ZERO, DEFINED = "undefined as zero", "defined only"

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


def boards(study: Study, ours: Mapping[str, xr.DataArray]) -> list[Benchmark]:
    """One benchmark a release, all with the study's document ids.

    Parameters
    ----------
    study : Study
    ours : mapping, metric -> scores, dims (system, document)

    Returns
    -------
    list of Benchmark
        First the study's own data set with ROUGE from its texts and `ours`, then the releases that score the same summaries
        with further metrics. A release may lack systems.
    """
    own = study.benchmark
    scores = rouge_scores(own.texts)
    added = [
        array.sel(system=own.systems, document=own.documents).assign_coords(metric=name) for name, array in ours.items()
    ]
    own = own.with_scores(xr.concat([scores, *added], "metric", coords="minimal", compat="override"))
    return [own, *(_relabelled(name, list(kept), study) for name, kept in OTHER_RELEASES[study.benchmark.name].items())]


def _relabelled(name: str, metrics: Sequence[str], study: Study) -> Benchmark:
    benchmark = sources.load(name).select(metrics=metrics)
    to = match_documents(sources.load(_SAME_IDS.get(name, name)), study.benchmark)
    names = [to[document] for document in benchmark.documents]
    renamed = {
        part: getattr(benchmark, part).assign_coords(document=pd.Index(names, dtype=object)).sel(
            document=study.benchmark.documents
        )
        for part in ("scores", "humans")
    }  # fmt: skip
    return replace(benchmark, **renamed, texts=None)


def joined(parts: Sequence[Benchmark], *, name: str) -> Benchmark:
    """One benchmark of the systems that all releases have, with all their metrics."""
    first = parts[0]
    common = [s for s in first.systems if all(s in part.systems for part in parts)]
    kept = [part.select(systems=common, documents=first.documents) for part in parts]
    for part in kept[1:]:
        if not np.allclose(part.human, kept[0].human, rtol=0, atol=1e-6):
            raise DataError(f"{part.name} and {first.name} do not have the same human scores")
    scores = xr.concat([part.scores for part in kept], "metric", coords="minimal", compat="override")
    return replace(kept[0], name=name, scores=scores, texts=None, scale={})


def leaderboard(
    parts: Sequence[Benchmark],
    folds: Mapping[str, Sequence[Sequence[str]]],
    *,
    splits: Sequence[str] = ("by documents", "by systems", WHOLE),
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman"),
) -> pd.DataFrame:
    """Correlations of every metric: averaged over folds (Tables 1 and 4) and on the whole data set (Table 2).

    Parameters
    ----------
    parts : benchmarks, such as `boards` gives
    folds : ``"document"`` and ``"system"`` -> folds
    splits : of ``"by documents"``, ``"by systems"``, ``"whole"``

    Returns
    -------
    DataFrame as `helpers.pyramid.folds.fold_table`
    """
    kinds = {
        "by documents": lambda part: fold_table(
            part, folds=folds["document"], by="document", levels=levels, coefficients=coefficients
        ),
        "by systems": lambda part: fold_table(
            part, folds=folds["system"], by="system", levels=levels, coefficients=coefficients
        ),
        WHOLE: lambda part: fold_table(
            part, folds=[part.documents], by="document", levels=levels, coefficients=coefficients
        ).assign(split=WHOLE),
    }
    return pd.concat([kinds[split](part) for split in splits for part in parts], ignore_index=True)


def both_readings(table: pd.DataFrame) -> pd.DataFrame:
    """The leaderboard twice: undefined correlations left out, and counted as zero, told apart by a column `reading`."""
    return pd.concat(
        [table.assign(reading=DEFINED), table.assign(reading=AS_ZERO, value=table["as_zero"])], ignore_index=True
    )


def over_pairings(benchmark: Benchmark) -> pd.DataFrame:
    """Correlations by pairs of systems, averaged over all ways to make pairs, with their spread as error.

    For a data set of ten systems whose folds were not released: a printed value is one draw from the pairings.

    Returns
    -------
    DataFrame of the shape of `both_readings`, with columns mc_error, lowest, highest besides
    """
    table = pairing_table(benchmark).drop(columns="values").rename(columns={"spread": "mc_error"})
    frames = [table.assign(coefficient=c, split="by systems", reading=AS_ZERO) for c in ("pearson", "spearman")]
    return pd.concat(frames, ignore_index=True)


def matching_pairings(benchmark: Benchmark, printed: Mapping[tuple[str, str], str]) -> tuple[int, int]:
    """How many ways to pair the systems give all of some printed values, of how many.

    Parameters
    ----------
    printed : mapping, (metric, level) -> text of the printed value
    """
    table = pairing_table(benchmark).set_index(["metric", "level"])["values"]
    agree = np.ones(len(next(iter(table))), dtype=bool)
    for key, text in printed.items():
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        agree &= np.abs(table[key] - float(text)) <= half + 1e-9
    return int(agree.sum()), len(agree)


def leaders(table: pd.DataFrame, intervals: pd.DataFrame) -> pd.DataFrame:
    """The leaderboard on the whole data set, best first, with interval and with how it does in the folds.

    Parameters
    ----------
    table : DataFrame of `leaderboard`
    intervals : DataFrame of `helpers.resampling_tables.interval_table`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, value, low, high, n_systems
    """
    keys = ["dataset", "level", "coefficient", "metric"]
    whole = table[table["split"] == WHOLE][[*keys, "value", "n_used", "n_total", "n_systems"]]
    merged = whole.merge(intervals[[*keys, "low", "high"]], on=keys, how="left")
    return merged.sort_values(["level", "coefficient", "value"], ascending=[True, True, False], ignore_index=True)
