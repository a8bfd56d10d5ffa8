"""Strengths and ranks from votes: against a slow maximum likelihood, statsmodels, and votes whose truth is known."""

from itertools import combinations

import numpy as np
import pytest
import scipy
from statsmodels.discrete.discrete_model import Logit

from metaeval.simulation.raters import Voter, draw_votes
from metaeval.stats.judges import judge_correlation
from metaeval.stats.streams import stream
from metaeval.stats.votes import MIN_UNITS, Votes, fit_strengths, predict_rates, rank_votes, win_rates


def votes_of(seed, *, n_systems=5, n_votes=150, **voter):
    first, second, outcome, _ = draw_votes([Voter(**voter)], n_systems=n_systems, n_votes=n_votes, rng=seed)
    return Votes(first, second, outcome[0, 0], np.arange(n_votes), n_systems)


def fitted(votes, weights=None):
    return fit_strengths(votes, votes.counts(weights)[None])


def slow_fit(votes, weights, *, penalty=0.0):
    """Strengths, position and tie that maximize the likelihood, a vote at a time."""
    k = votes.n_systems

    def loss(parameters):
        strengths = np.append(parameters[: k - 1], -parameters[: k - 1].sum())
        position, tie = parameters[k - 1 :]
        total = penalty * (strengths @ strengths + position**2 + tie**2) / 2
        for a, b, outcome, weight in zip(votes.first, votes.second, votes.outcome, weights, strict=True):
            d = strengths[a] - strengths[b] + position
            logits = {1: d / 2, 0: tie, -1: -d / 2}
            total -= weight * (logits[outcome] - np.logaddexp.reduce(list(logits.values())))
        return total

    end = scipy.optimize.minimize(loss, np.zeros(k + 1), options={"gtol": 1e-7}).x
    return np.append(end[: k - 1], -end[: k - 1].sum()), end[k - 1], end[k]


@pytest.mark.parametrize("seed", [0, 1])
def test_equal_to_a_slow_maximum_likelihood(seed):
    votes = votes_of(seed, n_votes=80, position=0.7)
    weights = np.random.default_rng(seed).integers(1, 4, size=80)
    fit = fitted(votes, weights)
    strengths, position, tie = slow_fit(votes, weights)
    np.testing.assert_allclose(fit.value[0], strengths, atol=2e-6)
    np.testing.assert_allclose([fit.position[0], fit.tie[0]], [position, tie], atol=2e-6)
    assert not fit.penalized[0]


def test_without_ties_equal_to_a_logistic_regression():
    votes = votes_of(3, tie=-np.inf, position=-0.4)
    design = np.zeros((len(votes.first), 5))
    np.add.at(design, (np.arange(len(design)), votes.first), 1)
    np.add.at(design, (np.arange(len(design)), votes.second), -1)
    logit = Logit(votes.outcome > 0, np.column_stack([design[:, 1:], np.ones(len(design))])).fit(disp=0)
    fit = fitted(votes)
    np.testing.assert_allclose(fit.value[0] - fit.value[0, 0], [0, *logit.params[:-1]], atol=1e-6)
    assert fit.position[0] == pytest.approx(logit.params[-1], abs=1e-6)
    assert fit.tie[0] == -np.inf


def test_two_equally_often_shown_systems_by_hand():
    # 1 beats 0 in 6 of 8, in both places alike: odds of 3 to 1, and no advantage of a place
    first, outcome = np.repeat([0, 1], 4), np.array([1, -1, -1, -1, 1, 1, 1, -1])
    fit = fitted(Votes(first, 1 - first, outcome, np.arange(8), 2))
    np.testing.assert_allclose(np.diff(fit.value[0]), np.log(3))
    assert fit.position[0] == pytest.approx(0, abs=1e-9)


def test_votes_without_a_maximum_are_penalized():
    first, second = np.array([0, 0, 1, 2, 1, 2]), np.array([1, 2, 2, 1, 0, 0])
    votes = Votes(first, second, np.array([1, 1, 1, 0, -1, -1]), np.arange(6), 3)  # 0 never loses
    fit = fitted(votes)
    strengths, position, tie = slow_fit(votes, np.ones(6), penalty=0.25)
    assert fit.penalized.all()
    np.testing.assert_allclose(fit.value[0], strengths, atol=1e-5)
    np.testing.assert_allclose([fit.position[0], fit.tie[0]], [position, tie], atol=1e-5)
    always_first = Votes(first, second, np.ones(6, int), np.arange(6), 3)  # who is first decides everything
    assert fitted(always_first).penalized.all()


def test_a_place_that_is_mostly_a_system_s_own_is_left_out():
    # each pair of three once, in one order of the systems: strengths of 2/3, 0 and -2/3 take 8/9 of the places
    listed = np.array([0, 0, 1]), np.array([1, 2, 2])
    swapped = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2, 2, 0, 0, 1])
    ring = np.array([0, 1, 2]), np.array([1, 2, 0])  # each is first as often as second
    for (first, second), is_left_out in ((listed, True), (swapped, False), (ring, False)):
        outcome = np.resize([1, -1, 1, 1, -1], 2 * len(first))
        votes = Votes(np.tile(first, 2), np.tile(second, 2), outcome, np.arange(len(outcome)), 3)
        assert np.isnan(fitted(votes).position[0]) == is_left_out
    two = Votes(np.zeros(4, int), np.ones(4, int), np.array([1, 1, -1, 1]), np.arange(4), 2)
    fit = fitted(two)
    assert np.isnan(fit.position[0])
    np.testing.assert_allclose(-np.diff(fit.value[0]), np.log(3))


def test_votes_that_prefer_the_first_do_not_reverse_systems_listed_in_one_order():
    """Four systems, the better listed first, and 3 of 4 votes for the first of neighbours: no place to blame."""
    first, second = np.repeat([0, 1, 2], 40), np.repeat([1, 2, 3], 40)
    outcome = np.tile([1, 1, 1, -1], 30)
    votes = Votes(first, second, outcome, np.arange(120), 4)
    fit = fitted(votes)
    assert np.isnan(fit.position[0])
    np.testing.assert_allclose(-np.diff(fit.value[0]), np.log(3), atol=1e-6)


def test_groups_that_never_meet():
    votes = Votes(np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2]), np.array([1, 1, 1, 0]), np.arange(4), 4)
    assert [group.tolist() for group in votes.groups()] == [[0, 1], [2, 3]]
    assert fitted(votes).penalized.all()


def test_win_rates_by_hand():
    # 0 wins 3 of 4 against 1 and ties with 2: (3/4 + 1/2) / 2; 1 and 2 never meet
    votes = Votes(
        np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 0, 0]), np.array([1, 1, -1, 1, 0]), np.arange(5), 3
    )
    np.testing.assert_allclose(win_rates(votes, votes.counts()[None]), [[0.625, 0.25, 0.5]])


def test_names_and_sides_do_not_matter():
    votes = votes_of(4, position=0.5)
    renamed = np.array([3, 0, 4, 1, 2])
    other = Votes(renamed[votes.first], renamed[votes.second], votes.outcome, votes.unit, 5)
    np.testing.assert_allclose(fitted(other).value[0, renamed], fitted(votes).value[0], atol=1e-9)
    turned = Votes(votes.second, votes.first, -votes.outcome, votes.unit, 5)
    np.testing.assert_allclose(fitted(turned).value, fitted(votes).value, atol=1e-9)
    np.testing.assert_allclose(fitted(turned).position, -fitted(votes).position, atol=1e-9)


def test_draws_are_shared_and_are_fits_of_their_units():
    first, second, outcome, _ = draw_votes([Voter(), Voter(agreement=0.8)], n_systems=4, n_votes=120, rng=5)
    unit = np.arange(120) // 2
    one, other = (Votes(first, second, plane[0], unit, 4) for plane in outcome)
    both = rank_votes([one, other], n_resamples=25, rng=7)
    rng = stream(7, "votes")
    for k in range(25):
        weights = np.bincount(rng.integers(60, size=60), minlength=60)
        for votes, ranking in zip((one, other), both, strict=True):
            np.testing.assert_allclose(ranking.drawn.value[k], fitted(votes, weights).value[0], atol=1e-6)
            np.testing.assert_allclose(
                ranking.drawn_rate[k], win_rates(votes, votes.counts(weights)[None])[0]
            )
    [alone] = rank_votes([one], n_resamples=25, rng=7)
    np.testing.assert_array_equal(alone.drawn.value, both[0].drawn.value)


def test_a_clear_order_has_ranks_without_doubt():
    first, second = (side.ravel() for side in np.meshgrid(range(3), range(3)))
    first, second = (np.tile(side[first != second], 200) for side in (first, second))
    wins = np.random.default_rng(0).random(len(first)) < scipy.special.expit(2.0 * (first - second))
    [ranking] = rank_votes(
        [Votes(first, second, np.where(wins, 1, -1), np.arange(len(first)), 3)], n_resamples=199, rng=0
    )
    for by in ("strength", "win rate"):
        ranks = ranking.ranks(by)
        assert ranks.best_rank.tolist() == ranks.worst_rank.tolist() == [3, 2, 1]


def judged(seed, *, n_votes=400, n_labelled=100, n_systems=4, agreement=0.9):
    voters = [Voter(agreement=agreement), Voter()]
    first, second, outcome, _ = draw_votes(voters, n_systems=n_systems, n_votes=n_votes, rng=seed)
    people = np.where(np.arange(n_votes) < n_labelled, outcome[1, 0], np.nan)
    return Votes(first, second, outcome[0, 0], np.arange(n_votes), n_systems), people, outcome[1, 0]


def test_predicted_rates_by_loops():
    """Rates and their covariance a vote at a time, with the weight by a search."""
    judge, people, _ = judged(1)
    predicted = predict_rates(judge, people)

    def won(outcome, vote, system):
        return float(outcome[vote] == (1 if judge.first[vote] == system else -1))

    def variance_and_rates(weight):
        rates, errors = np.zeros(4), np.zeros((4, 4))
        parts = [(range(100, 400), lambda v, m: weight * won(judge.outcome, v, m))]
        parts += [(range(100), lambda v, m: won(people, v, m) - weight * won(judge.outcome, v, m))]
        for votes, value in parts:
            members = [[v for v in votes if m in (judge.first[v], judge.second[v])] for m in range(4)]
            means = [np.mean([value(v, m) for v in members[m]]) for m in range(4)]
            rates += means
            for v in votes:
                pair = (judge.first[v], judge.second[v])
                error = [(value(v, m) - means[m]) / len(members[m]) if m in pair else 0.0 for m in range(4)]
                errors += np.outer(error, error)
        return errors, rates

    best = min(np.linspace(0, 1, 101), key=lambda weight: np.trace(variance_and_rates(weight)[0]))
    assert predicted.weight == pytest.approx(best, abs=0.006)
    covariance, rates = variance_and_rates(predicted.weight)
    np.testing.assert_allclose(predicted.covariance, covariance, atol=1e-12)
    np.testing.assert_allclose(predicted.value, rates)


def test_a_judge_that_knows_nothing_has_little_weight():
    judge, people, _ = judged(2)
    noise = np.random.default_rng(0).integers(-1, 2, size=400)
    none = predict_rates(Votes(judge.first, judge.second, noise, judge.unit, 4), people)
    assert none.weight < 0.2
    perfect = predict_rates(Votes(judge.first, judge.second, judged(2)[2], judge.unit, 4), people)
    assert perfect.weight == pytest.approx(0.75, abs=0.05)  # 300 of 400 votes are the judge's alone


@pytest.mark.slow
def test_predicted_rates_vary_as_they_say():
    """Squared errors, in units of the variances, are 1 on average: not those of the published algorithm."""
    first, second, outcome, _ = draw_votes([Voter(), Voter()], n_systems=5, n_votes=100_000, rng=0)
    truth = predict_rates(
        Votes(first, second, outcome[1, 0], np.arange(100_000), 5),
        np.where(np.arange(100_000) < 50_000, outcome[1, 0], np.nan),
    ).value
    rng, ratios = np.random.default_rng(1), []
    for _ in range(200):
        some = rng.choice(100_000, 600, replace=False)
        people = np.where(np.arange(600) < 150, outcome[1, 0, some], np.nan)
        one = predict_rates(Votes(first[some], second[some], outcome[0, 0, some], np.arange(600), 5), people)
        ratios.append(((one.value - truth) ** 2 / np.diag(one.covariance)).mean())
    assert 0.85 < np.mean(ratios) < 1.2


@pytest.mark.slow
def test_rank_intervals_hold_together():
    """Of 200 studies at most some 5 % have any rank interval without the true rank."""
    n_studies, wrong = 200, 0
    for study in range(n_studies):
        first, second, outcome, strengths = draw_votes(
            [Voter()], n_systems=6, n_votes=300, spread=0.5, rng=study
        )
        [ranking] = rank_votes(
            [Votes(first, second, outcome[0, 0], np.arange(300), 6)], n_resamples=199, rng=study
        )
        truth, ranks = scipy.stats.rankdata(-strengths[0, 0]), ranking.ranks()
        wrong += bool(((ranks.best_rank > truth) | (ranks.worst_rank < truth)).any())
    assert scipy.stats.binomtest(wrong, n_studies, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(("n_systems", "n_votes"), [(8, 300), (20, 4_000)])
def test_the_interval_of_tau_covers_other_systems_and_votes(n_systems, n_votes):
    """The interval of strengths holds the mean of new studies' tau, of as many systems and votes, in some 95 %."""
    n_studies = 300
    voters = [Voter(), Voter(agreement=0.9, position=0.8)]
    first, second, outcome, _ = draw_votes(
        voters, n_systems=n_systems, n_votes=n_votes, n_studies=n_studies, rng=n_systems
    )
    strengths = []
    for plane in outcome:
        studies = [Votes(first, second, votes, np.arange(n_votes), n_systems) for votes in plane]
        counts = np.stack([votes.counts() for votes in studies])
        strengths.append(fit_strengths(studies[0], counts).value)
    kind = {"level": "system", "coefficient": "kendall", "n_resamples": 99, "rng": 0}
    estimates = [
        judge_correlation(judge[None, :, None], people[:, None], **kind)
        for people, judge in zip(*strengths, strict=True)
    ]
    mean = np.mean([one.value[0] for one in estimates])
    ends = [one.ends() for one in estimates]
    covered = sum(end.low[0] <= mean <= end.high[0] for end in ends)
    assert scipy.stats.binomtest(covered, n_studies, 0.95, alternative="less").pvalue > 0.01


@pytest.mark.slow
def test_rank_intervals_of_equal_systems_part_few_of_them():
    """With as few units as are let through; all systems are compared in each."""
    pairs, rng = np.array(list(combinations(range(6), 2))), np.random.default_rng(11)
    first, second = (np.tile(side, MIN_UNITS) for side in pairs.T)
    unit, n_parted, n_studies = np.repeat(np.arange(MIN_UNITS), len(pairs)), 0, 200
    for study in range(n_studies):
        votes = Votes(first, second, rng.choice([1, -1], len(first)), unit, 6)
        [ranking] = rank_votes([votes], n_resamples=399, rng=study)
        ranks = ranking.ranks()
        n_parted += (ranks.best_rank > 1).any() or (ranks.worst_rank < 6).any()
    assert n_parted / n_studies <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n_studies)


def test_ranks_of_thin_votes_stay_open():
    """Few units, or a system that wins all; the same votes in as many units as it takes are ordered."""
    better, worse = np.tile([0, 0, 1], MIN_UNITS), np.tile([1, 2, 2], MIN_UNITS)
    first, second = (
        np.where(np.arange(len(better)) % 2, *sides) for sides in ((better, worse), (worse, better))
    )
    side = np.where(first == better, 1, -1)
    unit = np.repeat(np.arange(MIN_UNITS), 3)
    won = np.where(np.random.default_rng(2).random(len(first)) < 0.85, side, -side)
    enough, few, sweeps = (
        rank_votes([Votes(first, second, outcome, of, 3)], n_resamples=199, rng=0)[0].ranks()
        for outcome, of in ((won, unit), (won, unit // 2), (side, unit))
    )
    assert enough.best_rank.tolist() == enough.worst_rank.tolist() == [1, 2, 3]
    for ranks in (few, sweeps):
        assert (ranks.best_rank.tolist(), ranks.worst_rank.tolist()) == ([1] * 3, [3] * 3)
