"""simulation.votes: votes between the outputs of systems of known strength, by people and by judges.

Voters see the same pairs, whose outputs are better or worse than their systems usually are; each perceives a
difference with an error of its own, and votes by Davidson's model (`metaeval.stats.votes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.core.limits import check_count
from metaeval.stats.streams import RNGLike, seed_of, stream

COMMON, OWN = 1.0, 1.0  # standard deviations of what an output is better by, and of a voter's error


@dataclass(frozen=True)
class Voter:
    """Parameters by which a voter votes.

    Attributes
    ----------
    agreement : float in [-1, 1]
        Correlation of the strengths that the voter sees with people's.
    position : float
        Advantage of the output that is shown first, in log-odds.
    tie : float
        Log-odds of a tie of equals to half a win.
    """

    agreement: float = 1.0
    position: float = 0.0
    tie: float = -0.5


def draw_votes(
    voters: Sequence[Voter],
    *,
    n_systems: int,
    n_votes: int,
    n_studies: int = 1,
    spread: float = 1.0,
    rng: RNGLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw systems, and votes on pairs of their outputs.

    Parameters
    ----------
    voters : sequence of Voter
    n_systems, n_votes, n_studies : int
        Studies differ in systems and votes, and have the same pairs.
    spread : float
        Standard deviation of the systems' strengths, in log-odds.
    rng : int or Generator

    Returns
    -------
    first, second : int arrays (n_votes,)
    outcome : int array (n_voters, n_studies, n_votes), 1 for the first, -1 for the second, 0 for a tie
    strengths : float array (n_voters, n_studies, n_systems), as each voter sees them
    """
    check_count("n_systems", n_systems, minimum=2)
    check_count("n_votes", n_votes)
    rng = stream(seed_of(rng), "simulated votes")
    first = rng.integers(n_systems, size=n_votes)
    second = (first + rng.integers(1, n_systems, size=n_votes)) % n_systems
    people = spread * rng.standard_normal((n_studies, n_systems))
    common = COMMON * rng.standard_normal((n_studies, n_votes))
    outcome = np.empty((len(voters), n_studies, n_votes), dtype=int)
    strengths = np.empty((len(voters), n_studies, n_systems))
    for k, voter in enumerate(voters):
        other = spread * rng.standard_normal(people.shape)
        strengths[k] = voter.agreement * people + np.sqrt(1 - voter.agreement**2) * other
        apart = strengths[k][:, first] - strengths[k][:, second] + common + voter.position
        apart += OWN * rng.standard_normal(common.shape)
        odds = np.exp(np.stack([apart / 2, np.full(apart.shape, voter.tie), -apart / 2]))
        outcome[k] = 1 - (rng.random(apart.shape) * odds.sum(axis=0) > odds.cumsum(axis=0)).sum(axis=0)
    return first, second, outcome, strengths
