"""reporting.rank: systems ranked by votes of people and of judges on pairs of outputs.

``metaeval rank FILE...`` and Python return the same `VoteRanking`; the page `votes` uses it too.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import scipy

from metaeval.core.errors import DataError, listing
from metaeval.own.choices import SIDES_BY_ROW
from metaeval.reporting.answer import Answer, answer_parts, render, table_parts, table_text
from metaeval.reporting.arguments import (
    SEED,
    add_draws,
    add_files,
    add_output,
    answer_files,
    check_settings,
)
from metaeval.reporting.paired_labels import majority_of, share_ends
from metaeval.reporting.reading import Reading, as_reading
from metaeval.reporting.verdict import format_interval
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.stats.intervals import NO_ENDS, Ends, normal_reach, percentile_ends
from metaeval.stats.judges import judge_correlation
from metaeval.stats.streams import RNGLike, seed_of, signature, stream
from metaeval.stats.ties import places_of
from metaeval.stats.votes import MIN_UNITS, Ranking, Votes, predict_rates, rank_votes
from metaeval.tables.pairs import Pairs
from metaeval.tables.wording import counted, joined, leaves_out, percent
from metaeval.tables.wording import pvalue as format_pvalue

PEOPLE = "people"
TIES = "Ties of all kinds count alike, and half a win by win rates."
BY = {"value": "strength", "rate": "win rate"}  # of the table of judges -> of `Ranking.values`
PRINTED = {  # of the table of judges -> heading
    "value": "τ of ranks [{level}]",
    "rate": "by win rates [{level}]",
    "accuracy": "same votes [{level}]",
    "first": "first wins",
}
_KIND = {"level": "system", "coefficient": "kendall", "n_resamples": 99, "rng": 0}  # no draws of one document
_MAX_NAMED = 5
NOT_AT_RANDOM = 0.001  # level of the test of the mix of pairs


@dataclass(frozen=True, eq=False, repr=False)
class VoteRanking(Answer):
    """Systems ranked by votes.

    Attributes
    ----------
    title, estimand, signature : str
    judges : DataFrame
        Columns metric, ordered, n_pairs, n_penalized, and value, rate, accuracy, first, each with low, high,
        low_mc_error, high_mc_error; of the last three with the name in front. Kendall's tau of a judge's
        ranking with people's, by strengths (`value`) and by win rates (`rate`), with intervals for other
        systems and votes; the share of pairs of systems in the same order; the share of votes that are
        people's; and the share of decided votes between equals that the output shown first would win. A row
        for people too, without a tau.
    systems : DataFrame with columns metric, system, value, win_rate, place, best_rank, worst_rank
        Strengths (log-odds) and simultaneous rank intervals by the votes of people and of each judge.
    differences : DataFrame with columns metric, against, by, value, low, high
        Difference of two judges' tau with people.
    predicted : DataFrame
        Columns metric, system, value, low, high, place, best_rank, worst_rank, weight, n_pairs. Win
        rates that people would give, from some votes of theirs and all of a judge; by default empty.
    lines : tuple of str
    confidence_level : float
    """

    command = "rank"
    title: str
    estimand: str
    judges: pd.DataFrame
    systems: pd.DataFrame
    differences: pd.DataFrame
    predicted: pd.DataFrame
    lines: tuple[str, ...]
    confidence_level: float
    signature: str

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        tables = {"judges": self.judges, "systems": self.systems, "differences": self.differences}
        return tables | ({"predicted": self.predicted} if len(self.predicted) else {})

    def printed(self) -> pd.DataFrame:
        """Judges and their agreement with people as text."""
        level = percent(self.confidence_level, None)
        rows = []
        for row in self.judges.to_dict("records"):
            cells = {"voter": row["metric"]}
            for key, heading in PRINTED.items():
                prefix = "" if key == "value" else f"{key}_"
                ends = {end: row[f"{prefix}{end}"] for end in ("low", "high")}
                text = "" if np.isnan(row[key]) else format_interval({"value": row[key], **ends})
                cells[heading.format(level=level)] = text
            rows.append(cells)
        table = pd.DataFrame(rows)
        return table.loc[:, table.ne("").any()]

    def ranks(self, name: str = "systems") -> pd.DataFrame:
        """Ranks of the systems with their intervals as text, a column for each voter of a table."""
        table = self.tables[name]
        ranks = zip(table["place"], table["best_rank"], table["worst_rank"], strict=True)
        cells = [
            f"{place:g} [{best}, {worst}]" if best < worst else f"{place:g}" for place, best, worst in ranks
        ]
        names = table["metric"].unique()
        wide = table.assign(cell=cells).pivot(index="system", columns="metric", values="cell")
        first = table.loc[table["metric"] == names[0]]
        order = first.sort_values("value", ascending=False, kind="stable")["system"]
        return wide.loc[order, names].rename_axis(None, axis=1).reset_index()

    def summary(self, *, verbose: bool = False) -> str:
        """Judges, ranks, and what is undecided as plain text; more of the method if `verbose`."""
        level = percent(self.confidence_level, None)
        voters = self.printed()
        lines = [self.title, ""]
        lines += [self.estimand, *table_text(voters), ""] if voters.shape[1] > 1 else []
        lines += [f"Ranks by strength, with {level} intervals of all together", *table_text(self.ranks())]
        if len(self.predicted):
            ranks = table_text(self.ranks("predicted"))
            lines += ["", "Ranks by win rates that people would give, a tie lost by both", *ranks]
        lines += ["", *self.lines]
        return "\n".join([*lines, TIES, "", self.signature] if verbose else lines).rstrip()

    def contents(self) -> dict[str, object]:
        """Estimand and lines."""
        return {"estimand": self.estimand, "lines": self.lines}

    def _repr_html_(self) -> str:
        answers = answer_parts("judges", self.printed(), self.judges, [""] * len(self.judges), self.estimand)
        tables = answers, table_parts("systems", self.systems)
        return render("answer", self, [], tables, [*self.lines, TIES])


def cast_votes(pairs: Pairs) -> dict[str, Votes]:
    """Votes of people, all raters together, and of each judge, with one numbering of systems and documents.

    Raises
    ------
    DataError
        If it is not known whose outputs are compared.
    """
    items = pairs.items
    if (items["first"] == items["second"]).all():
        raise DataError(
            "this ranks systems, and the choices do not say whose outputs they compare; name both systems "
            "with --col first=COLUMN and --col second=COLUMN"
        )
    names = system_names(pairs)
    systems = np.stack(
        [np.searchsorted(names, items[side].to_numpy(dtype=str)) for side in ("first", "second")]
    )
    units = pd.factorize(items["document"])[0]
    planes = {PEOPLE: pairs.people.to_numpy()[:, None]} if len(pairs.people) else {}
    planes |= {name: pairs.judges.sel(judge=name).to_numpy()[None] for name in pairs.judges.indexes["judge"]}
    votes = {}
    for name, plane in planes.items():  # (n_raters, n_orders, n_pairs)
        _, order, pair = cells = np.nonzero(~np.isnan(plane))
        outcome = np.sign(plane[cells] - 0.5).astype(int) * np.where(order, -1, 1)
        first, second = (systems[np.where(order, 1 - side, side), pair] for side in (0, 1))
        votes[name] = Votes(first, second, outcome, units[pair], len(names))
    return votes


def system_names(pairs: Pairs) -> np.ndarray:
    """Names of the systems that are compared, sorted."""
    return np.unique(pairs.items[["first", "second"]].to_numpy(dtype=str))


def rank(
    data: Reading | Pairs | str | os.PathLike | Sequence[object],
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: RNGLike = SEED,
    sampled_at_random: bool = False,
) -> VoteRanking:
    """Rank systems by votes on pairs of their outputs, and measure how far judges rank them as people do.

    Parameters
    ----------
    data : Reading, Pairs, path or paths
        Choices between two outputs, with the names of both systems, of people, of judges, or of both; files
        as for `doctor`.
    confidence_level : float in (0, 1)
    n_resamples : int
        Draws of documents, that all their votes share.
    rng : int or Generator
    sampled_at_random : bool
        True if people voted on some pairs, drawn at random from those of the judges: adds win rates predicted
        from both (`metaeval.stats.votes.predict_rates`).

    Returns
    -------
    VoteRanking

    Raises
    ------
    DataError
        If there are no votes, fewer than three systems, or systems that are never compared; also if votes are
        not `sampled_at_random`, by the pairs of systems that they are on.

    Notes
    -----
    Strengths are Davidson's, see `metaeval.stats.votes`. The interval of tau is for other systems and other
    votes, as many of each: `metaeval.stats.judges.judge_correlation` of strengths, each of which brings the
    noise of its own votes.
    """
    check_settings(confidence_level=confidence_level, n_resamples=n_resamples)
    seed, reading = seed_of(rng), as_reading(data)
    if reading.pairs is None:
        raise DataError(
            "this ranks systems by votes between two outputs, and these files hold scores; "
            "`metaeval report` ranks by them"
        )
    pairs, notes = reading.pairs, [*reading.notes]
    apart = (pairs.items["first"] != pairs.items["second"]).to_numpy()
    if apart.any() and not apart.all():
        notes.append(f"Left out: {counted(int((~apart).sum()), 'pair')} of a system with itself.")
        pairs = pairs.select(apart)
    votes, names = cast_votes(pairs), system_names(pairs)
    if len(names) < MIN_SYSTEMS:
        raise DataError(
            f"a ranking takes {MIN_SYSTEMS} systems, and votes are on {joined(names)}; "
            "`metaeval report` says how often a judge's votes are people's"
        )
    for name, one in votes.items():
        if len(groups := one.groups()) > 1:
            alike = "; ".join(listing(names[group], maximum=3) for group in groups[:3])
            raise DataError(
                f"by the votes of {name}, systems fall into {len(groups)} groups that are never compared: "
                f"{alike}; rank each by itself, or add votes between them"
            )
    if sampled_at_random and (PEOPLE not in votes or len(votes) == 1):
        raise DataError(
            "predicted win rates take votes of people on some pairs and of a judge on all; leave out "
            "`sampled_at_random`"
        )
    drawn = rank_votes([*votes.values()], n_resamples=n_resamples, rng=stream(seed, "votes"))
    rankings = dict(zip(votes, drawn, strict=True))
    rows = [
        _ranked_rows(
            name, names, one.values()[0], one.ranks(alpha=1 - confidence_level), win_rate=one.win_rate
        )
        for name, one in rankings.items()
    ]
    systems = pd.concat(rows, ignore_index=True)
    judges = pd.DataFrame([_judge_row(name, pairs, rankings, confidence_level) for name in votes])
    has_made_sides = any(SIDES_BY_ROW in note for note in notes)
    if has_made_sides:
        judges[[name for name in judges if name.startswith("first")]] = np.nan
    judges["n_pairs"] = [len(one.first) for one in votes.values()]
    order = {"by": "value", "ascending": False, "na_position": "first", "kind": "stable"}
    judges = judges.sort_values(**order, ignore_index=True)
    differences = _differences(judges["metric"], rankings, confidence_level)
    predictors = [name for name in votes if name != PEOPLE] if sampled_at_random else []
    options = confidence_level, n_resamples, seed
    predictions = [_predicted_rows(name, pairs, votes[name], *options) for name in predictors]
    predicted = pd.concat(predictions, ignore_index=True) if predictors else pd.DataFrame()
    sizes = counted(len(names), "system"), counted(len(pairs.items), "pair")
    estimand = f"Kendall's τ with people over {sizes[0]}, of strengths by votes"
    if PEOPLE not in votes:
        estimand = "Preference for what is shown first; no votes are people's"
    elif len(votes) == 1:
        estimand = "Preference for what is shown first; all votes are people's"
    subject = f"{sizes[0]} ranked by {judges['n_pairs'].sum():,} votes on {sizes[1]} of outputs"
    lines = _lines(judges, systems, differences, rankings, 1 - confidence_level, has_made_sides)
    return VoteRanking(
        reading.title(subject),
        estimand, judges, systems, differences,
        predicted,
        (*lines, *reading.unused_clusters, *notes),
        confidence_level,
        signature(
            {"level": "system", "coefficient": "kendall"}, model="davidson", ci="judges", draws=n_resamples,
            confidence=confidence_level, seed=seed, shape=(len(names), len(pairs.items)),
        ),
    )  # fmt: skip


def _ranked_rows(name: str, systems: np.ndarray, values: np.ndarray, ranks, **more: object) -> pd.DataFrame:
    """Values of systems and further columns, and their places with rank intervals."""
    places = {"place": places_of(values), "best_rank": ranks.best_rank, "worst_rank": ranks.worst_rank}
    return pd.DataFrame({"metric": name, "system": systems, "value": values, **more, **places})


def _predicted_rows(
    name: str, pairs: Pairs, votes: Votes, level: float, n_resamples: int, seed: int
) -> pd.DataFrame:
    """Win rates that people would give, from their votes and a judge's.

    Raises
    ------
    DataError
        If people did not vote on some pairs of every system, on too few documents, or on another mix of pairs
        than the judge's.
    """
    order, pair = np.nonzero(~np.isnan(pairs.judges.sel(judge=name).to_numpy()))
    people = majority_of(np.sign(pairs.people.to_numpy() - 0.5))[pair] * np.where(order, -1, 1)
    labelled = ~np.isnan(people)
    predicted = predict_rates(votes, people)
    names = system_names(pairs)
    if np.isnan(predicted.value).any():
        raise DataError(
            f"every system takes votes of people on some of the pairs of {name}, and further votes of {name} "
            f"alone; not so {listing(names[np.isnan(predicted.value)])}"
        )
    if (n_units := len(np.unique(votes.unit[labelled]))) < MIN_UNITS:
        raise DataError(
            f"people voted on {counted(n_units, 'document')} of {name}'s, and predicted ranks take "
            f"{MIN_UNITS}; leave out `sampled_at_random`"
        )
    both = np.sort([votes.first, votes.second], axis=0)
    _, once = np.unique(pair, return_index=True)  # not a pair for each order in which it was shown
    table = pd.crosstab((both[0] * len(names) + both[1])[once], labelled[once])
    pvalue = scipy.stats.chi2_contingency(table).pvalue
    if pvalue < NOT_AT_RANDOM:
        raise DataError(
            f"people voted on another mix of pairs of systems than {name} alone (chi-squared test, "
            f"{format_pvalue(pvalue, name='p')}), so not on pairs drawn at random; leave out "
            "`sampled_at_random`"
        )
    ranks = predicted.ranks(alpha=1 - level, n_resamples=n_resamples, rng=stream(seed, "predicted", name))
    reach = normal_reach(level) * np.sqrt(np.diag(predicted.covariance))
    ends = {"low": predicted.value - reach, "high": predicted.value + reach}
    rows = _ranked_rows(name, names, predicted.value, ranks, **ends)
    return rows.assign(weight=predicted.weight, n_pairs=len(np.unique(pair[labelled])))


def _judge_row(name: str, pairs: Pairs, rankings: Mapping[str, Ranking], level: float) -> dict[str, object]:
    ranking, row = rankings[name], {"metric": name}
    both = name != PEOPLE and PEOPLE in rankings
    for key, by in BY.items():
        value, ends = _agreement(by, level, ranking, rankings[PEOPLE]) if both else (np.nan, NO_ENDS)
        row |= _cells(key, value, ends)
    row["ordered"] = (1 + row["value"]) / 2
    row |= _cells("accuracy", *(_share_alike(name, pairs, level) if both else (np.nan, NO_ENDS)))
    first = scipy.special.expit(ranking.strengths.position[0])
    drawn = scipy.special.expit(ranking.drawn.position)
    row |= _cells("first", first, NO_ENDS if ranking.is_thin(1 - level) else percentile_ends(drawn, level))
    return row | {"n_penalized": int(ranking.drawn.penalized.sum())}


def _cells(key: str, value: float, ends: Ends) -> dict[str, float]:
    """A value and its interval as columns of a table."""
    return {key: float(value), **ends.columns("" if key == "value" else f"{key}_")}


def _agreement(
    by: str, level: float, judge: Ranking, people: Ranking, minus: Ranking | None = None
) -> tuple[float, Ends]:
    """Kendall's tau of a judge's values with people's, or minus another judge's, and its interval."""
    own, reference, *less = (one.values(by)[0][:, None] for one in (judge, people, minus) if one)
    estimate = judge_correlation(own[None], reference, minus=less[0][None] if less else None, **_KIND)
    return estimate.value[0], estimate.ends(level).part(0)


def _share_alike(name: str, pairs: Pairs, level: float) -> tuple[float, Ends]:
    """Share of a judge's votes that are those of most people, and its interval."""
    majority = majority_of(np.sign(pairs.people.to_numpy() - 0.5))
    chosen = np.sign(pairs.judges.sel(judge=name).to_numpy() - 0.5)
    both = ~np.isnan(chosen) & ~np.isnan(majority)
    right, n = ((chosen == majority) & both).sum(axis=0), both.sum(axis=0)
    ends = share_ends(right, n, level, of=pd.factorize(pairs.items["document"])[0])
    return right.sum() / (n.sum() or np.nan), ends


def _differences(judges: Sequence[str], rankings: Mapping[str, Ranking], level: float) -> pd.DataFrame:
    rows = []
    names = [name for name in judges if name != PEOPLE] if PEOPLE in rankings else []
    for (one, other), by in ((pair, by) for pair in combinations(names, 2) for by in BY.values()):
        value, ends = _agreement(by, level, rankings[one], rankings[PEOPLE], rankings[other])
        rows.append((one, other, by, *map(float, (value, ends.low, ends.high))))
    return pd.DataFrame(rows, columns=["metric", "against", "by", "value", "low", "high"])


def _lines(
    judges, systems, differences, rankings: Mapping[str, Ranking], alpha: float, has_made_sides: bool
) -> list[str]:
    """A sentence for each thing that is undecided, or rests on a choice."""
    lines = []
    strengths = differences.loc[differences["by"] == BY["value"]]
    is_open = [not leaves_out(*row) for row in strengths[["value", "low", "high"]].to_numpy()]
    best = judges.loc[judges["value"] == judges["value"].max(), "metric"].tolist()
    open_pairs = strengths[np.array(is_open, bool)]
    rivals = open_pairs.loc[open_pairs["metric"].isin(best[:1]), "against"].tolist()
    if rivals:
        among = [*best[:1], *rivals]
        more = [f"{len(among) - _MAX_NAMED} more"] if len(among) > _MAX_NAMED else []
        among = joined([*among[:_MAX_NAMED], *more])
        lines.append(f"Undecided: which of {among} ranks systems most as people do.")
    n_all = f"{counted(comb(systems['system'].nunique(), 2), 'pair')} of systems"
    for name, part in systems.groupby("metric", sort=False):
        n_open = int((part["worst_rank"] - part["best_rank"]).sum()) // 2
        if n_open:
            lines.append(f"Undecided by the votes of {name}: the order of {n_open:,} of {n_all}.")
    for name, ranking in rankings.items():
        if ranking.is_thin(alpha):
            lines.append(
                f"Too few votes of {name} for intervals of ranks: every rank stays open. They take votes on "
                f"{MIN_UNITS} documents or more, and enough of them that no system wins or loses all."
            )
        n_draws, n_penalized = len(ranking.drawn_rate), int(ranking.drawn.penalized.sum())
        if ranking.strengths.penalized[0]:
            n_penalized = n_draws
        if n_penalized:
            lines.append(
                f"In {n_penalized:,} of {n_draws:,} draws the votes of {name} alone give no strengths, since "
                "some systems, ties or the output shown first decide all; a penalty does."
            )
        if np.isnan(ranking.strengths.position[0]) and not has_made_sides:
            verb = "prefer" if name == PEOPLE else "prefers"
            lines.append(
                f"Whether {name} {verb} what is shown first can hardly be told from how good systems are, "
                "since the same ones mostly were: strengths leave it out, and if so favour these systems."
            )
    return lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_files(parser)
    add_draws(parser, tests=False)
    parser.add_argument(
        "--sampled-at-random", action="store_true",
        help="people voted on pairs drawn at random from the judges': add win rates predicted from both",
    )  # fmt: skip
    add_output(parser, "the signature, too")


def main(args: argparse.Namespace) -> int:
    """Print the ranking; returns the exit status."""
    answer_files(rank, args, ["sampled_at_random"])
    return 0
