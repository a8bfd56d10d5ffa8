"""experiments.power: does a test find that whole ROUGE-1 is better than ROUGE-1 of some of the words?

Deutsch et al. 2021, §5.2 and Fig. 3.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.draws import accumulate_trials, growing
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.tidy import tidy
from metaeval.core.limits import check_alpha
from metaeval.datasets import load
from metaeval.metrics.rouge import Unigrams, degraded_rouge_1, unigrams
from metaeval.stats.correlation import correlate
from metaeval.stats.differences import compare_pairs, williams
from metaeval.stats.monte_carlo import share_error, share_interval
from metaeval.stats.streams import seed_of, stream
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

_KEYS = ["dataset", "level", "coefficient", "method", "kept"]


@growing
def table(
    benchmark: Benchmark, *, kept, part: str, n_references=None, levels=("system", "summary"),
    coefficient="pearson", methods=("Perm-Both", "Boot-Both", "Williams"), alpha=0.05, n_trials=1_000,
    n_resamples=1_000, rng, n_threads=None, step=None,
):  # fmt: skip
    """Share of trials in which a one-sided test finds ROUGE-1 better than that of `kept` % of the words."""
    check_alpha(alpha)
    seed, human = seed_of(rng), benchmark.human.to_numpy()
    counted, whole = _whole(benchmark, part, n_references)
    pairs = [[0, i + 1] for i in range(len(kept))]
    cases = list(product(levels, methods))

    def pvalues(number: int) -> np.ndarray:
        """P-values of one trial (n_cases, n_kept)."""
        tokens = stream(seed, benchmark.name, "tokens", number)
        scores = np.concatenate([whole, degraded_rouge_1(counted, percentages=kept, part=part, rng=tokens)])
        how = {"coefficient": coefficient, "alternative": "greater", "n_resamples": n_resamples}
        how |= {"rng": seed_of(stream(seed, benchmark.name, "resamples", number)), "n_threads": 1}
        return np.array([
            compare_pairs(scores, human, pairs, level=level, method=method, **how).pvalue
            for level, method in cases
        ])  # fmt: skip

    rows = product(cases, kept)
    names = [(benchmark.name, level, coefficient, method, share) for (level, method), share in rows]
    for (trials,) in accumulate_trials([pvalues], n_trials, step=step, n_threads=n_threads):
        p = np.array(trials)
        share = (p <= alpha).mean(axis=0).ravel()  # a test without a p-value has found nothing, and counts
        counts = {"n_trials": len(p), "n_undefined": np.isnan(p).sum(axis=0).ravel()}
        shares = {"value": share, "mc_error": share_error(share, len(p)), **counts}
        yield check(pd.DataFrame(names, columns=_KEYS).assign(**shares), keys=_KEYS)


def _whole(benchmark, part, n_references) -> tuple[Unigrams, np.ndarray]:
    """The texts' tokens, and ROUGE-1 of whole summaries (1, n_systems, n_documents)."""
    counted = unigrams(benchmark.require_texts(), n_references=n_references)
    return counted, degraded_rouge_1(counted, percentages=[100], part=part, rng=0)


def with_intervals(power: pd.DataFrame, *, confidence_level=0.95) -> pd.DataFrame:
    """`power` with a Monte-Carlo interval of each share, which has a length at 0 and 1 too."""
    low, high = share_interval(power["value"], power["n_trials"], confidence_level=confidence_level)
    return check(power.assign(low=low, high=high), keys=_KEYS)


@tidy("quantity", "level", "method", "kept")
def quantities(power, benchmark: Benchmark, *, part: str, n_references=None, alpha=0.05):
    """Numbers that the paper states: power, a test's lead over the others, power left, and correlations."""
    # `metric` is the level again; power is left beyond the figure, the first of `power`
    figure, *beyond = power
    columns = ["level", "method", "metric", "kept", "quantity", "value"]
    table = pd.concat(power, ignore_index=True)
    by = table.pivot(index=["level", "kept"], columns="method", values="value")
    leads = {method: by[method] - by.drop(columns=method).max(axis=1) for method in by if by.shape[1] > 1}
    _, whole = _whole(benchmark, part, n_references)
    levels, human = table["level"].unique(), benchmark.human.to_numpy()
    r = [correlate(whole[0], human, level=level, coefficient="pearson").value for level in levels]
    parts = [
        table.assign(quantity="power", metric=table["level"]),
        *(lead.rename("value").reset_index().assign(method=m, quantity="lead") for m, lead in leads.items()),
        *(_remaining_power(figure, closer, alpha) for closer in beyond),
        pd.DataFrame({"level": levels, "method": "ROUGE-1", "value": np.array(r, dtype=float)}).assign(
            quantity="correlation"
        ),
    ]
    yield pd.concat(parts, ignore_index=True).reindex(columns=columns).assign(dataset=benchmark.name)


def _remaining_power(figure: pd.DataFrame, closer: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Share of the power at the figure's last point that is left closer to all words, 0 near `alpha`."""
    last = figure[figure["kept"] == figure["kept"].max()].set_index(["level", "method"])["value"]
    then = last.loc[pd.MultiIndex.from_frame(closer[["level", "method"]])].to_numpy()
    none = closer["value"] <= alpha + 3 * share_error(alpha, closer["n_trials"])
    share = (closer["value"] / np.where(then > 0, then, np.nan)).fillna(np.inf)
    return closer.assign(quantity="power left", metric=closer["level"], value=share.mask(none, 0.0))


@tidy("dataset", "method", "shift", "quantity")
def shifted_williams(scores: pd.DataFrame, *, name: str, shifts=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5), alpha=0.05):
    """One-sided tests of all pairs of metrics of systems alone, their correlations with people lowered."""
    people, metrics = scores["human"], scores.drop(columns="human")
    r, between = metrics.corrwith(people).abs().to_numpy(), metrics.corr().abs().to_numpy()
    first, second = np.triu_indices(len(r), 1)
    higher, lower = np.maximum(r[first], r[second]), np.minimum(r[first], r[second])
    last = np.full(len(first), np.nan)
    for shift in shifts:
        _, pvalues = williams(
            higher - shift, lower - shift, between[first, second], len(people), alternative="greater"
        )
        rises = np.nan if np.isnan(last).all() else 100 * (pvalues > last).mean()
        yield {
            "dataset": name, "method": "Williams", "shift": shift,
            "quantity": ["correlation", "pairs", "significant", "median p", "pairs whose p rises (%)"],
            "value": [r.mean() - shift, len(first), (pvalues <= alpha).sum(), np.median(pvalues), rises],
        }  # fmt: skip
        last = pvalues


def power_curves(power: pd.DataFrame) -> go.Figure:
    """Share of trials in which a test finds the better metric, over the share of words kept."""
    sheet = marks(
        power, x="kept", y="value", mode="lines+markers", panel="level", series="method", hover=["n_trials"],
        labels={"kept": "share of words kept (%)", "value": "power"}, size=7,
    )  # fmt: skip
    # curves at 0 and at 1 would hide each other; the gap keeps them close to the share that they are of
    return sheet.side_by_side().y(range=[-0.03, 1.03]).figure(height=420, scattergap=0.6)


LIVE = live(
    "power",
    lambda *, dataset, seed, **settings: table.growing(load(dataset), step=2, rng=seed, **settings),
    lambda table: power_curves(with_intervals(table)),
    "dataset part kept methods alpha n_trials n_resamples",
    question="How often does a test find that the better of two metrics is better?",
    constants="n_references seed",
    initial={"n_trials": 10, "n_resamples": 199},
    progressive="n_trials",
)
