"""stats.votes: strengths and ranks of systems from votes between two outputs.

Davidson's (1970) model of paired comparisons with ties, with a term for the output that is shown first
(Davidson and Beaver 1977): the first wins, ties, and loses with odds ``exp(d / 2) : exp(t) : exp(-d / 2)``,
where *d* is its strength minus the other's plus the advantage of being first. The likelihood is concave, and
Newton's steps are taken for all draws at once; Hunter 2004 says when it has a maximum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import scipy  # loads its parts when they are first used: the statistics take a second

from metaeval.stats.differences import Tiers, simultaneous_pvalues, tiers
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import CURVATURE_FLOOR, STEP_TOLERANCE

MIN_UNITS = 50  # below, draws of units scatter less than the votes do
PENALTY = 0.25  # of a squared strength: a normal prior with a standard deviation of 2
# of being shown first, apart from strengths: where pairs are listed in one order of all systems, a third is
MIN_TOLD = 0.5
_N_STEPS, _MAX_STEP = 30, 2.0
_AT_ONCE = 100_000  # draws x pairs of systems that fit into a cache


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes of one voter, such as people or a judge, between two systems.

    Attributes
    ----------
    first, second : int arrays (n_votes,)
        Index of the system whose output was shown first, and of the other.
    outcome : int array (n_votes,)
        1 where the first is called better, -1 where the second is, 0 for a tie.
    unit : int array (n_votes,)
        Votes of the same unit, such as a question, are drawn together.
    n_systems : int
    """

    first: np.ndarray
    second: np.ndarray
    outcome: np.ndarray
    unit: np.ndarray
    n_systems: int
    _cells: tuple[np.ndarray, np.ndarray] = field(init=False, repr=False)
    _codes: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pairs, places = np.unique(self.first * self.n_systems + self.second, return_inverse=True)
        object.__setattr__(self, "_cells", np.divmod(pairs, self.n_systems))
        object.__setattr__(self, "_codes", 3 * places.ravel() + 1 - self.outcome.astype(np.int64))

    def counts(self, weights: np.ndarray | None = None) -> np.ndarray:
        """Wins of the first, ties and wins of the second by ordered pair (n_pairs, 3); `weights` by unit."""
        by_vote = None if weights is None else weights[self.unit]
        size = 3 * len(self._cells[0])
        return np.bincount(self._codes, by_vote, minlength=size).astype(float).reshape(-1, 3)

    def groups(self) -> list[np.ndarray]:
        """Systems that a chain of votes connects, as arrays of their indices."""
        graph = scipy.sparse.coo_array(
            (np.ones(len(self.first)), (self.first, self.second)), shape=2 * (self.n_systems,)
        )
        n_groups, group = scipy.sparse.csgraph.connected_components(graph, directed=False)
        return [np.flatnonzero(group == k) for k in range(n_groups)]


@dataclass(frozen=True, eq=False)
class Strengths:
    """Parameters of the model for each draw.

    Attributes
    ----------
    value : float array (n_draws, n_systems)
        Log-odds, with a mean of 0.
    position : float array (n_draws,)
        Advantage of being shown first; NaN where it can hardly be told from the systems' strengths, since of
        most pairs the same one was always first: then it is not in the model.
    tie : float array (n_draws,)
        Log-odds of a tie of equals to half a win; -inf without ties.
    penalized : bool array (n_draws,)
        True where the likelihood has no maximum, and strengths are drawn together by `PENALTY`.
    """

    value: np.ndarray
    position: np.ndarray
    tie: np.ndarray
    penalized: np.ndarray


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems ranked by the votes of one voter; `drawn` in draws of units, that voters share.

    Attributes
    ----------
    strengths : Strengths of the votes themselves, a single draw
    win_rate : float array (n_systems,)
        Mean over opponents of the share won, half of a tie; `drawn_rate` (n_draws, n_systems) likewise.
    drawn : Strengths
    drawn_rate : float array (n_draws, n_systems)
    n_units : int
        Units that are drawn.
    """

    strengths: Strengths
    win_rate: np.ndarray
    drawn: Strengths
    drawn_rate: np.ndarray
    n_units: int

    def values(self, by: str = "strength") -> tuple[np.ndarray, np.ndarray]:
        """Values of the systems, and drawn, by their ``"strength"`` or ``"win rate"``."""
        if by == "strength":
            return self.strengths.value[0], self.drawn.value
        return self.win_rate, self.drawn_rate

    def is_thin(self, alpha: float = 0.05) -> bool:
        """True if draws do not show how far the votes scatter.

        Rank intervals at 95 % part some of six equal systems, all compared in each unit, in 9 % of 150
        simulated studies of 20 units, in 7 % of 30, in 3.5 % of 200 studies of 50 and in 4 % of 100 units. So
        they take `MIN_UNITS`, and no more than `alpha` of the draws with the penalty.
        """
        is_penalized = self.strengths.penalized[0] or self.drawn.penalized.mean() > alpha
        return self.n_units < MIN_UNITS or bool(is_penalized)

    def ranks(self, by: str = "strength", *, alpha: float = 0.05) -> Tiers:
        """Rank intervals, any of which is wrong with probability `alpha`; all ranks of votes that are thin.

        A system's best rank is 1 + the number that are better in simultaneous tests of all pairs (max-T over
        the draws of votes; see `metaeval.stats.differences.tiers`).
        """
        values, drawn = self.values(by)
        return _rank_intervals(values, drawn - values, alpha, are_open=self.is_thin(alpha))


def _rank_intervals(values: np.ndarray, errors: np.ndarray, alpha: float, *, are_open: bool = False) -> Tiers:
    """Rank intervals of values (n_systems,) by draws of their errors (n_draws, n_systems)."""
    pairs = np.array(list(combinations(range(len(values)), 2)))
    apart, null = (one[..., pairs[:, 0]] - one[..., pairs[:, 1]] for one in (values, errors))
    pvalues = np.ones(len(pairs)) if are_open else simultaneous_pvalues(apart, null.T)
    return tiers(values, pairs, pvalues, alpha=alpha)


def rank_votes(voters: Sequence[Votes], *, n_resamples: int = 1_999, rng: RNGLike) -> list[Ranking]:
    """Rank systems by each voter's votes, with shared draws of the units that are voted on.

    Parameters
    ----------
    voters : sequence of Votes
        Their units have one numbering.
    n_resamples : int
    rng : int or Generator

    Returns
    -------
    list of Ranking

    Notes
    -----
    Systems that no chain of votes connects (`Votes.groups`) are ranked by the penalty alone.

    Examples
    --------
    >>> first, second = np.array([0, 1, 0, 2, 1, 2]), np.array([1, 0, 2, 0, 2, 1])
    >>> people = Votes(first, second, np.array([1, 1, 1, 0, 1, 1]), np.arange(6), 3)
    >>> [ranking] = rank_votes([people], n_resamples=99, rng=0)
    >>> ranking.win_rate.tolist()
    [0.625, 0.5, 0.375]
    """
    rng = stream(seed_of(rng), "votes")
    observed = []
    for votes in voters:
        counts = votes.counts()[None]
        observed.append((fit_strengths(votes, counts), win_rates(votes, counts)))
    drawn = [([], []) for _ in voters]
    for part in _draws(voters, n_resamples, rng):
        for votes, counts, (strengths, _), (fits, rates) in zip(voters, part, observed, drawn, strict=True):
            fits.append(fit_strengths(votes, counts, start=strengths))
            rates.append(win_rates(votes, counts))
    return [
        Ranking(strengths, rate[0], _joined(fits), np.concatenate(rates), len(np.unique(votes.unit)))
        for votes, (strengths, rate), (fits, rates) in zip(voters, observed, drawn, strict=True)
    ]


def _draws(voters: Sequence[Votes], n_resamples: int, rng: np.random.Generator) -> Iterator[list[np.ndarray]]:
    """Counts of each voter (n_draws, n_pairs, 3) in draws of units, some draws at a time."""
    n_units = 1 + max(int(votes.unit.max()) for votes in voters)
    n_per_block = max(1, _AT_ONCE // max(max(votes.n_systems**2, len(votes._cells[0])) for votes in voters))
    for start in range(0, n_resamples, n_per_block):
        n_draws = min(n_per_block, n_resamples - start)
        part = [np.empty((n_draws, len(votes._cells[0]), 3)) for votes in voters]
        for k in range(n_draws):
            weights = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
            for votes, counts in zip(voters, part, strict=True):
                counts[k] = votes.counts(weights)
        yield part


def _joined(parts: Sequence[Strengths]) -> Strengths:
    names = ("value", "position", "tie", "penalized")
    return Strengths(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def win_rates(votes: Votes, counts: np.ndarray) -> np.ndarray:
    """Win rates against equally frequent opponents (n_draws, n_systems), of `Votes.counts` in draws.

    A tie is half a win. Opponents that a system never meets in a draw do not count; NaN without any.
    """
    first, second = votes._cells
    points, n = (np.zeros((len(counts), votes.n_systems, votes.n_systems)) for _ in range(2))
    points[:, first, second] = counts[..., 0] + counts[..., 1] / 2
    points[:, second, first] += counts[..., 2] + counts[..., 1] / 2
    n[:, first, second] = counts.sum(axis=-1)
    n = n + n.swapaxes(1, 2)
    met = n > 0
    with np.errstate(invalid="ignore"):
        return np.where(met, points / np.where(met, n, 1), 0).sum(axis=2) / np.where(
            met.any(axis=2), met.sum(axis=2), np.nan
        )


def fit_strengths(votes: Votes, counts: np.ndarray, *, start: Strengths | None = None) -> Strengths:
    """Fit the model to counts in draws, by maximum likelihood or with a penalty where there is no maximum.

    Parameters
    ----------
    votes : Votes
        Whose pairs the counts are of.
    counts : float array (n_draws, n_pairs, 3)
        See `Votes.counts`.
    start : Strengths of a single draw, optional
        Where Newton's steps begin.

    Returns
    -------
    Strengths

    Notes
    -----
    There is a maximum only if no group of systems wins all votes against the others, and neither position
    nor ties decide all. The first is seen in the graph of who beats or ties whom, the rest in steps that do
    not end.
    """
    first, second = votes._cells
    n_systems, has_ties = votes.n_systems, bool((votes.outcome == 0).any())
    design = np.zeros((len(first), n_systems + 1))
    design[np.arange(len(first)), first], design[np.arange(len(first)), second] = 1, -1
    has_position = _share_told(votes, design[:, :-1]) >= MIN_TOLD
    design[:, -1] = has_position
    parameters = np.zeros((len(counts), n_systems + 2))
    if start is not None:
        parameters[:] = [*start.value[0], np.nan_to_num(start.position[0]), max(start.tie[0], -_N_STEPS)]
    free = np.r_[np.ones(n_systems, bool), has_position, has_ties]
    penalized = ~_is_connected(votes, counts)
    ends = parameters.copy()
    for rest, penalty in ((np.flatnonzero(~penalized), 0.0), (None, PENALTY)):
        if rest is None:
            rest = np.flatnonzero(penalized)
            ends[rest] = 0.0
        for _ in range(_N_STEPS):
            if not len(rest):
                break
            steps = _steps(ends[rest], design, counts[rest], free, penalty)
            ends[rest] += steps
            rest = rest[np.abs(steps).max(axis=1) > STEP_TOLERANCE]
        penalized[rest] = True
    return Strengths(
        ends[:, :-2], ends[:, -2] if has_position else np.full(len(ends), np.nan),
        ends[:, -1] if has_ties else np.full(len(ends), -np.inf), penalized,
    )  # fmt: skip


def _share_told(votes: Votes, design: np.ndarray) -> float:
    """Share of the variation of being first that strengths cannot take; 1 for sides by chance, 0 for none."""
    roots = np.sqrt(votes.counts().sum(axis=-1))
    taken = design @ np.linalg.lstsq(roots[:, None] * design, roots)[0]
    return float((roots**2 * (1 - taken)).sum() / (roots**2).sum())


def _steps(parameters, design, counts, free, penalty: float) -> np.ndarray:
    """Newton's steps of draws, each at most `_MAX_STEP` long."""
    n_systems = design.shape[1] - 1
    wins, ties, losses = np.moveaxis(counts, -1, 0)
    n = wins + ties + losses
    win = np.exp(parameters[:, :-1] @ design.T / 2)  # odds; of equals 1
    tie = np.exp(parameters[:, -1:]) * free[-1]
    total = win + tie + 1 / win
    decided, tie = (win + 1 / win) / total, tie / total
    expected = (win - 1 / win) / total
    slope = np.empty_like(parameters)
    slope[:, :-1] = (wins - losses - n * expected) / 2 @ design
    slope[:, -1] = (ties - n * tie).sum(axis=1)
    curvature = np.zeros((*parameters.shape, parameters.shape[1]))
    weight = n * (decided - expected**2) / 4
    i, j = (np.argmax(sign * design[:, :-1], axis=1) for sign in (1, -1))
    curvature[:, i, j] = -weight
    curvature += curvature.swapaxes(1, 2)
    diagonal = np.arange(n_systems)
    curvature[:, diagonal, diagonal] = -curvature[:, :n_systems, :n_systems].sum(axis=2)
    curvature[:, :n_systems, :n_systems] += 1 + weight.sum(axis=1)[:, None, None] / n_systems**2  # mean of 0
    curvature[:, -2, :n_systems] = curvature[:, :n_systems, -2] = weight @ design[:, :-1]
    curvature[:, -2, -2] = weight.sum(axis=1)
    curvature[:, -1, :-1] = curvature[:, :-1, -1] = -(n * expected * tie) / 2 @ design
    curvature[:, -1, -1] = (n * tie * (1 - tie)).sum(axis=1)
    fixed = np.flatnonzero(~free)
    curvature[:, fixed] = curvature[:, :, fixed] = slope[:, fixed] = 0
    curvature[:, fixed, fixed] = 1
    every = np.arange(parameters.shape[1])
    curvature[:, every, every] += penalty + CURVATURE_FLOOR
    steps = np.linalg.solve(curvature, (slope - penalty * parameters * free)[..., None])[..., 0]
    return steps / np.maximum(np.abs(steps).max(axis=1, keepdims=True) / _MAX_STEP, 1)


def _is_connected(votes: Votes, counts: np.ndarray) -> np.ndarray:
    """True for draws in which every system beats or ties every other, if through others."""
    first, second = votes._cells
    reach = np.zeros((len(counts), votes.n_systems, votes.n_systems), dtype=np.float32)
    reach[:, first, second] = counts[..., 0] + counts[..., 1] > 0
    reach[:, second, first] += counts[..., 2] + counts[..., 1] > 0
    connected = np.ones(len(counts), dtype=bool)
    for graph in (reach, reach.swapaxes(1, 2)):
        reached = np.zeros((len(counts), 1, votes.n_systems), dtype=np.float32)
        reached[..., 0] = 1
        n_before = 0
        while n_before < (n_before := int(reached.sum())):
            reached = ((reached + reached @ graph) > 0).astype(np.float32)
        connected &= reached.all(axis=(1, 2))
    return connected


@dataclass(frozen=True, eq=False)
class Predicted:
    """Win rates from all votes of a judge and some of people.

    Attributes
    ----------
    value : float array (n_systems,)
        Share of votes that people would have the system win, under the mix of pairs that was sampled.
    covariance : float array (n_systems, n_systems)
    weight : float in [0, 1]
        Of the judge's votes; 0 leaves people's alone.
    """

    value: np.ndarray
    covariance: np.ndarray
    weight: float

    def ranks(self, *, alpha: float = 0.05, n_resamples: int = 1_999, rng: RNGLike) -> Tiers:
        """Rank intervals as of `Ranking.ranks`, over draws from a normal distribution."""
        errors = stream(seed_of(rng), "predicted ranks").multivariate_normal(
            np.zeros(len(self.value)), self.covariance, n_resamples, method="eigh"
        )
        return _rank_intervals(self.value, errors, alpha)


def predict_rates(judge: Votes, people: np.ndarray) -> Predicted:
    """Predict people's win rates by prediction-powered inference (Chatzi et al. 2024); a tie is lost by both.

    Parameters
    ----------
    judge : Votes
    people : float array (n_votes,)
        People's vote on the same pair, as `Votes.outcome`; NaN where they did not vote, which has to be at
        random.

    Returns
    -------
    Predicted
        NaN for a system without a vote of people, or without one of the judge alone.

    Notes
    -----
    The judge's rate where people did not vote, times the weight that gives the smallest variance (PPI++),
    plus the difference of people's and that share of the judge's where they did. Votes of a unit are kept
    together.

    Deviations: the authors' released code divides residuals by the number of votes, and not by that of the
    system's votes, so that its variances are too small by the square of the system's share of votes; its rank
    sets are from an ellipsoid, which is wider than simultaneous tests of pairs.
    """
    labelled = ~np.isnan(people)
    further, further_residuals = _rates_with_residuals(judge, judge.outcome, ~labelled)
    shared, judge_residuals = _rates_with_residuals(judge, judge.outcome, labelled)
    own, people_residuals = _rates_with_residuals(judge, people, labelled)
    apart = judge_residuals - further_residuals
    weight = np.clip(np.nansum(apart * people_residuals) / (np.nansum(apart**2) or np.nan), 0.0, 1.0)
    errors = people_residuals - weight * apart  # of a unit, whose votes may be of both kinds
    return Predicted(own + weight * (further - shared), errors.T @ errors, float(weight))


def _rates_with_residuals(
    votes: Votes, outcome: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of votes won (n_systems,), and contributions of units to their errors (n_units, n_systems)."""
    systems = np.concatenate([votes.first[mask], votes.second[mask]])
    won = np.concatenate([outcome[mask] == 1, outcome[mask] == -1]).astype(float)
    n = np.bincount(systems, minlength=votes.n_systems)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.bincount(systems, won, minlength=votes.n_systems) / n
        residuals = np.zeros((int(votes.unit.max()) + 1, votes.n_systems)) / n
    np.add.at(residuals, (np.tile(votes.unit[mask], 2), systems), (won - rates[systems]) / n[systems])
    return rates, residuals
