"""experiments.votes: do judges that often vote otherwise than people rank systems as people do?

Votes of Chatzi et al. 2024 and Chen et al. 2026; strengths by Davidson 1970, Davidson and Beaver 1977.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import log_axis
from helpers.kit.tidy import tidy
from metaeval.datasets import pairs
from metaeval.datasets.readers.arena import BOTH_BAD
from metaeval.reporting.rank import PEOPLE, VoteRanking, cast_votes
from metaeval.stats.correlation import kendall
from metaeval.stats.intervals import Ends
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.votes import Votes, fit_strengths, win_rates
from metaeval.tables.pairs import Pairs

TIES = {"a tie": None, "left out": BOTH_BAD}  # what a vote is by which people call both answers bad
_TITLES = {  # above a panel
    "ranks": "ranks: τ",
    "ranks by win rate": "ranks by<br>win rate: τ",
    "votes": "votes: share<br>that match",
    "first of equals": "share of equals<br>won by the first",
}
QUANTITIES = {"ranks": "value", "ranks by win rate": "rate", "votes": "accuracy", "first of equals": "first"}


def release_of(name: str, *, both_bad: str = "a tie") -> Pairs:
    """Votes of a release, with those by which people call both answers bad as ties or without them."""
    votes = pairs(name)
    return votes.select((votes.items["set"] != TIES[both_bad]).to_numpy())


@tidy("dataset", "judge", "quantity")
def agreement(ranking: VoteRanking, *, dataset: str):
    """Judges' agreement with people on ranks and on votes, and what they prefer among equals."""
    judges = ranking.judges.loc[ranking.judges["metric"] != PEOPLE]
    for quantity, key in QUANTITIES.items():
        prefix = "" if key == "value" else f"{key}_"
        ends = {end: judges[f"{prefix}{end}"].to_numpy() for end in Ends._fields}
        values = {"value": judges[key].to_numpy(), **ends}
        yield {
            "dataset": dataset, "judge": judges["metric"].tolist(), "quantity": quantity, **values,
            "n_pairs": judges["n_pairs"].to_numpy(), "n_systems": ranking.systems["system"].nunique(),
        }  # fmt: skip


@tidy("judge", "estimate", "both_bad")
def choices(name: str):
    """Tau of judges' ranks with people's, by what is estimated and by how votes for neither answer count."""
    for both_bad in TIES:
        votes = cast_votes(release_of(name, both_bad=both_bad))
        values = {}
        for voter, own in votes.items():
            counts = own.counts()[None]
            values["strength", voter] = fit_strengths(own, counts).value[0]
            values["strength, place ignored", voter] = placeless_strengths(own)
            values["win rate", voter] = win_rates(own, counts)[0]
        for (estimate, voter), value in values.items():
            if voter != PEOPLE:
                tau = float(kendall(value, values[estimate, PEOPLE]))
                yield {"judge": voter, "estimate": estimate, "both_bad": both_bad, "value": tau}


def placeless_strengths(votes: Votes) -> np.ndarray:
    """Strengths without a term for the place: each vote counts once in each order."""
    sides, unit = (votes.first, votes.second), np.tile(votes.unit, 2)
    first, second = (np.concatenate([sides[side], sides[1 - side]]) for side in (0, 1))
    both = Votes(first, second, np.concatenate([votes.outcome, -votes.outcome]), unit, votes.n_systems)
    return fit_strengths(both, both.counts()[None]).value[0]


@tidy("judge", "n_votes")
def by_size(name: str, *, sizes, n_samples=200, both_bad="a tie", rng):
    """Tau with people's ranks of a judge's ranks by samples of its votes."""
    release, seed = release_of(name, both_bad=both_bad), seed_of(rng)
    votes = cast_votes(release)
    people = votes.pop(PEOPLE)
    reference = fit_strengths(people, people.counts()[None]).value[0]
    n_units = int(people.unit.max()) + 1
    for size in sizes:
        samples = stream(seed, "votes", size).multinomial(size, np.full(n_units, 1 / n_units), size=n_samples)
        for judge, own in votes.items():
            counts = np.stack([own.counts(sample) for sample in samples])
            tau = kendall(fit_strengths(own, counts).value, reference)
            error = float(mean_error(tau))
            yield {
                "judge": judge,
                "n_votes": size,
                "value": tau.mean(),
                "mc_error": error,
                "n_samples": n_samples,
            }


def agreement_dots(results: pd.DataFrame) -> go.Figure:
    """Judges in rows, a panel for each quantity."""
    rows = results["judge"].unique().tolist()[::-1]
    sheet = marks(
        results,
        x="value",
        y="judge",
        panel="quantity",
        order=rows,
        size=10,
        labels={"value": "share, or τ"},
        titles=[*map(_TITLES.get, results["quantity"].unique())],
    )
    return sheet.x(range=[0, 1.02]).figure(height=160 + 34 * len(rows))


def rank_bars(systems: pd.DataFrame) -> go.Figure:
    """Ranks of the systems that the votes leave open; a menu picks people or a judge."""
    order = systems.loc[systems["judge"] == PEOPLE].sort_values("place", ascending=False)["system"].tolist()
    sheet = marks(
        systems, x="place", y="system", order=order, ends=("best_rank", "worst_rank"), hover=["value"],
        size=10, digits=2, menu="judge", labels={"place": "rank (1 the best)", "value": "strength"},
    )  # fmt: skip
    sheet.menu("Votes of", "judge")
    return sheet.x(range=[0.2, len(order) + 0.8], zeroline=False).figure(height=150 + 24 * len(order))


def size_curves(results: pd.DataFrame) -> go.Figure:
    """Tau by the number of a judge's votes, a line for each judge."""
    sheet = marks(
        results, x="n_votes", y="value", mode="lines+markers", series="judge",
        labels={"n_votes": "votes of the judge", "value": "Kendall's τ with people's ranks"},
    )  # fmt: skip
    return sheet.x(**log_axis(results["n_votes"].min(), results["n_votes"].max())).figure(height=420)


def _compute(*, release, sizes, n_samples, both_bad, seed) -> pd.DataFrame:
    return by_size(release, sizes=sizes, n_samples=n_samples, both_bad=both_bad, rng=seed)


LIVE = live(
    "votes",
    _compute,
    size_curves,
    "both_bad sizes n_samples",
    question="How many votes of a judge does a ranking take?",
    constants="release seed",
    initial={"n_samples": 20},
)
