"""Simulated studies with a known truth, to measure intervals and answers: ``make bench-verdicts``.

NumPy alone, and nothing of the code under test. A study has systems, documents, raters and judges, or the
labels of one system, or choices between two outputs. The truth of a quantity is its mean over many new
studies of the same numbers of systems, documents and raters, all drawn anew: the value "of means over n
documents, raters like these".

The rating of system *s* on document *d* by rater *r* is

    x = a_s + b_d + (sd) + c_r + (sr) + (dr) + e,

cut to a scale of a few grades. The quality of a summary is q = a_s + b_d + (sd). A judge's score is its
quality plus its taste in systems, its taste that turns with the document, and noise of each summary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

JUDGES = ("border", "twin", "equal", "perfect", "useless")
COEFFICIENTS = ("kendall", "spearman", "pearson")
_CELLS = 3_000_000  # of ratings at once


@dataclass(frozen=True)
class World:
    """A population of studies.

    Attributes
    ----------
    name : str
    n_systems, n_documents, n_raters : int
    quality : {"normal", "skewed", "heavy", "clusters"}
        Distribution of the systems' quality: normal, exponential with a few poor systems, Student's *t* with
        3 degrees of freedom, or good and poor ones; the standard deviation is `system`.
    system, document, summary, rater, taste, harshness, noise : float
        Standard deviations of a_s, b_d, (sd), c_r, (sr), (dr) and e.
    odd : float
        Standard deviation of (sr) of a second kind of raters, to which each rater belongs with probability
        1/2.
    judge_taste, judge_turn, judge_noise : float
        Standard deviations of the judge "border", whose correlation falls short of a rater's by about 0.1.
    shared : float in [0, 1]
        Share of the variance of taste and noise that the judges "border" and "twin" have in common.
    n_grades : int
        Of people's scale, on which two neighbouring grades are 1 apart (with 2 grades: a cut at 0).
    judge_grades : int
        Of the judges "border" and "twin"; 0 for a continuous score.
    gaps : {"", "random", "poor"}
        Ratings left out: none, 25 %, or up to 45 % of poor summaries and few good ones.
    """

    name: str
    n_systems: int
    n_documents: int
    n_raters: int
    quality: str = "normal"
    system: float = 0.5
    document: float = 0.4
    summary: float = 0.5
    rater: float = 0.3
    taste: float = 0.1
    harshness: float = 0.3
    noise: float = 0.6
    odd: float = 0.0
    judge_taste: float = 0.0
    judge_turn: float = 0.0
    judge_noise: float = 0.0
    shared: float = 0.5
    n_grades: int = 5
    judge_grades: int = 5
    gaps: str = ""


def studies(world: World, n_studies: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield chunks of studies.

    Yields
    ------
    judges : float array (n, 5, n_systems, n_documents), in the order of `JUDGES`
        "border" and "twin" have one distribution; "equal" is one more rater (of the first kind,
        where there are two); "perfect" is the quality of each summary; "useless" does not depend on it.
    ratings : float array (n, n_raters, n_systems, n_documents), NaN where missing
    """
    rng = np.random.default_rng([seed, *world.name.encode()])
    cells = world.n_systems * world.n_documents * (world.n_raters + len(JUDGES))
    size = max(1, _CELLS // cells)
    for start in range(0, n_studies, size):
        yield _chunk(world, min(size, n_studies - start), rng)


def _chunk(world: World, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n_systems, n_documents, n_people = world.n_systems, world.n_documents, world.n_raters + 1
    plane = (n, 1, n_systems, n_documents)
    quality = world.system * _standard(world.quality, (n, 1, n_systems, 1), rng)
    quality = quality + world.document * rng.standard_normal((n, 1, 1, n_documents))
    quality = quality + world.summary * rng.standard_normal(plane)
    odd = rng.random((n, n_people, 1, 1)) < 0.5
    odd[:, -1] = False  # a judge is one, not drawn from two kinds
    taste = np.where(odd, world.odd or world.taste, world.taste)
    people = quality + world.rater * rng.standard_normal((n, n_people, 1, 1))
    people = people + taste * rng.standard_normal((n, n_people, n_systems, 1))
    people += world.harshness * rng.standard_normal((n, n_people, 1, n_documents))
    people += world.noise * rng.standard_normal((n, n_people, n_systems, n_documents))
    people = _graded(people, world.n_grades)
    judges = np.empty((n, len(JUDGES), n_systems, n_documents))
    judges[:, :2] = quality
    for sd, shape in (
        (world.judge_taste, (n_systems, 1)), (world.judge_noise, (n_systems, n_documents)),
    ):  # fmt: skip
        if sd:
            common, own = (rng.standard_normal((n, k, *shape)) for k in (1, 2))
            judges[:, :2] += sd * (np.sqrt(world.shared) * common + np.sqrt(1 - world.shared) * own)
    if world.judge_turn:
        liking, topic = rng.standard_normal((n, 2, n_systems, 1)), rng.standard_normal((n, 2, 1, n_documents))
        judges[:, :2] += world.judge_turn * liking * topic
    if world.judge_grades:
        judges[:, :2] = _graded(judges[:, :2], world.judge_grades)
    judges[:, 2] = people[:, -1]
    judges[:, 3] = quality[:, 0]
    judges[:, 4] = world.system * rng.standard_normal((n, n_systems, 1)) + rng.standard_normal(
        (n, n_systems, n_documents)
    )
    people = people[:, :-1]
    if world.gaps:
        missing = rng.random(people.shape)
        low = 1 / (1 + np.exp(quality / (world.system + world.summary)))
        people[missing < (0.25 if world.gaps == "random" else 0.6 * low)] = np.nan
    return judges, people


def _standard(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Values with mean 0 and variance 1."""
    if kind == "skewed":
        return 1 - rng.exponential(size=shape)
    if kind == "clusters":
        return np.sign(rng.random(shape) - 0.5) * 0.9 + np.sqrt(0.19) * rng.standard_normal(shape)
    return rng.standard_t(3, size=shape) / np.sqrt(3) if kind == "heavy" else rng.standard_normal(shape)


def _graded(values: np.ndarray, n_grades: int) -> np.ndarray:
    middle = (n_grades + 1) / 2
    return np.clip(np.floor(values + middle + 0.5), 1, n_grades)


# ------------------------------------------------------------------------------------ what is estimated


def correlations(x: np.ndarray, z: np.ndarray, coefficient: str) -> np.ndarray:
    """Correlations along the last axis, NaN where either side is constant; no NaN in the input."""
    if coefficient == "kendall":
        first, second = np.triu_indices(x.shape[-1], 1)
        x, z = (np.sign(np.round(side[..., first] - side[..., second], 9)) for side in (x, z))
    else:
        if coefficient == "spearman":
            x, z = (_ranks(np.round(side, 9)) for side in (x, z))
        x, z = x - x.mean(axis=-1, keepdims=True), z - z.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (x * z).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (z * z).sum(axis=-1))


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.sign(values[..., :, None] - values[..., None, :]).sum(axis=-1)


def agreement(x: np.ndarray, z: np.ndarray, coefficient: str, level: str) -> np.ndarray:
    """Correlations (...) of arrays (..., n_systems, n_documents), over what both scored."""
    present = ~np.isnan(x) & ~np.isnan(z)
    if level == "summary":
        x, z = np.swapaxes(x, -1, -2), np.swapaxes(z, -1, -2)
        if present.all():
            return np.nanmean(correlations(*np.broadcast_arrays(x, z), coefficient), axis=-1)
        x, z, present = np.broadcast_arrays(x, z, np.swapaxes(present, -1, -2))
        flat = (side.reshape(-1, side.shape[-1]) for side in (x, z, present))
        rows = [
            correlations(a[p], b[p], coefficient) if p.sum() > 1 else np.nan
            for a, b, p in zip(*flat, strict=True)
        ]
        return np.nanmean(np.reshape(rows, x.shape[:-1]), axis=-1)
    n = present.sum(axis=-1)
    means = [np.where(present, side, 0).sum(axis=-1) / n for side in (x, z)]
    return correlations(*means, coefficient)


def estimates(judges: np.ndarray, ratings: np.ndarray, coefficient: str, level: str) -> dict[str, np.ndarray]:
    """What a study estimates, from a chunk of `studies`.

    Returns
    -------
    dict
        ``"judge"`` (n, n_judges): correlation with the mean of all raters; ``"with others"``: with that of
        all raters but one, over all raters; ``"minus rater"`` (n, n_judges): with the mean of all raters but
        one, minus that rater's, on the summaries that both scored, over all raters; ``"border minus twin"``
        and ``"border minus perfect"`` (n,): differences of two judges.
    """
    with np.errstate(invalid="ignore"):
        alone = agreement(judges, _mean(ratings)[:, None], coefficient, level)
        minus, beside = [], []
        for rater in range(ratings.shape[1]):
            others, own = _mean(np.delete(ratings, rater, axis=1))[:, None], ratings[:, rater, None]
            mine = np.where(np.isnan(own), np.nan, judges)
            beside.append(agreement(mine, others, coefficient, level))
            minus.append(beside[-1] - agreement(own, others, coefficient, level))
    return {
        "judge": alone,
        "with others": np.mean(beside, axis=0),
        "minus rater": np.mean(minus, axis=0),
        "border minus twin": alone[:, 0] - alone[:, 1],
        "border minus perfect": alone[:, 0] - alone[:, 3],
    }


def _mean(ratings: np.ndarray) -> np.ndarray:
    present = ~np.isnan(ratings)
    return np.where(present, ratings, 0).sum(axis=1) / present.sum(axis=1)


def truth(world: World, coefficient: str, level: str, n_studies: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Means of `estimates` over new studies."""
    chunks = [estimates(*chunk, coefficient, level) for chunk in studies(world, n_studies, seed)]
    return {name: np.nanmean(np.concatenate([one[name] for one in chunks]), axis=0) for name in chunks[0]}


# fixed before any interval was tuned; by Kendall's tau "border" falls short of a rater by 0.08 to 0.12
WORLDS = {
    world.name: world
    for world in (
        World("normal 6x20x2", 6, 20, 2, judge_taste=0.188, judge_noise=0.94),
        World("normal 6x50x3", 6, 50, 3, judge_taste=0.228),
        World("normal 8x20x3", 8, 20, 3, judge_taste=0.286),
        World("noisy 8x20x3", 8, 20, 3, judge_noise=1.22),
        World("normal 8x50x2", 8, 50, 2, judge_taste=0.27),
        World("normal 10x30x3", 10, 30, 3, judge_taste=0.196, judge_noise=0.98),
        World("normal 12x50x3", 12, 50, 3, judge_taste=0.246),
        World("normal 16x100x3", 16, 100, 3, judge_taste=0.218),
        World("noisy 16x100x3", 16, 100, 3, judge_noise=2.04),
        World("normal 16x100x2", 16, 100, 2, judge_taste=0.228),
        World("normal 16x30x3", 16, 30, 3, judge_taste=0.19, judge_noise=0.95),
        World("normal 16x20x5", 16, 20, 5, judge_taste=0.186, judge_noise=0.93),
        World("normal 20x50x3", 20, 50, 3, judge_taste=0.236),
        World("normal 30x100x3", 30, 100, 3, judge_taste=0.218),
        World("noisy 30x20x2", 30, 20, 2, judge_noise=1.3),
        World("skewed 8x20x3", 8, 20, 3, quality="skewed", judge_taste=0.292),
        World("skewed 12x50x2", 12, 50, 2, quality="skewed", judge_taste=0.254),
        World("skewed 16x100x3", 16, 100, 3, quality="skewed", judge_taste=0.21),
        World("skewed 16x20x3", 16, 20, 3, quality="skewed", judge_noise=1.28),
        World("skewed 30x50x3", 30, 50, 3, quality="skewed", judge_taste=0.232),
        World("heavy 8x50x3", 8, 50, 3, quality="heavy", judge_taste=0.234),
        World("heavy 16x100x3", 16, 100, 3, quality="heavy", judge_taste=0.202),
        World("heavy 30x20x3", 30, 20, 3, quality="heavy", judge_taste=0.18, judge_noise=0.9),
        World("turning 10x10x2", 10, 10, 2, judge_turn=1.73),
        World("turning 16x20x3", 16, 20, 3, judge_turn=1.98),
        World("turning 30x20x2", 30, 20, 2, judge_turn=2.01),
        World("odd raters 16x20x3", 16, 20, 3, odd=0.4, judge_taste=0.424),
        World("odd raters 30x20x2", 30, 20, 2, odd=0.4, judge_taste=0.44),
        World("odd raters 16x100x5", 16, 100, 5, odd=0.4, judge_taste=0.394),
        World("gaps 16x50x4", 16, 50, 4, gaps="random", judge_taste=0.254),
        World("poor gaps 16x50x3", 16, 50, 3, gaps="poor", judge_taste=0.268),
        World("two grades 16x100x3", 16, 100, 3, n_grades=2, judge_grades=2, judge_taste=0.238),
        World(
            "three grades 12x30x3", 12, 30, 3, n_grades=3, judge_grades=3, judge_taste=0.194, judge_noise=0.97
        ),
        World("clear 10x100x3", 10, 100, 3, system=1.0, taste=0.05, judge_taste=0.254),
        World("clusters 8x30x3", 8, 30, 3, quality="clusters", judge_taste=0.258),
        World("clusters 16x100x3", 16, 100, 3, quality="clusters", judge_taste=0.236),
    )
}


# ------------------------------------------------- labels, scores, and choices between two outputs


@dataclass(frozen=True)
class LabelWorld:
    """Labels of one system by people and two judges whose errors go together.

    Attributes
    ----------
    n_items : int
    passing : float, share that people pass
    tpr, tnr : float, rates of the first judge; those of the second are `times` as high
    """

    n_items: int
    passing: float
    tpr: float
    tnr: float
    times: float = 1.0

    @property
    def name(self) -> str:
        """Settings that tell it apart."""
        return f"{self.n_items} labels, {self.passing:g} pass"


@dataclass(frozen=True)
class ScoreWorld:
    """Scores of two judges beside labels; `distance` in standard deviations, grades 0 a fine scale."""

    n_items: int
    passing: float
    distance: float
    n_grades: int = 0

    @property
    def name(self) -> str:
        """Settings that tell it apart."""
        return f"{self.n_items} scores, {self.passing:g} pass"


@dataclass(frozen=True)
class PairWorld:
    """Choices between two outputs, `n_pairs` a document, by two judges as often right as each other.

    Attributes
    ----------
    right : float, share of pairs in which a judge chooses as people
    by_document : float
        Standard deviation of that share over documents, for both judges and for each.
    position : float
        Probability of choosing the output that is shown first, whatever it is.
    """

    n_documents: int
    n_pairs: int
    right: float = 0.75
    by_document: float = 0.1
    position: float = 0.1

    @property
    def name(self) -> str:
        """Settings that tell it apart."""
        return f"{self.n_documents} documents of {self.n_pairs} pairs, {self.right:g} right"


@dataclass(frozen=True)
class ClusterWorld:
    """Labels and scores of one system's items in clusters, by people and two judges who are alike.

    Attributes
    ----------
    n_clusters, n_items : int, of each cluster; of unequal ones their mean
    passing, by_cluster : float
        Share that people pass, and its standard deviation over clusters.
    easy, hard : float
        Share of a cluster's items on which a judge is right, in half of all clusters each.
    unequal : bool
        Whether clusters have from 1 to twice the mean less 1 items, any number as often.
    """

    n_clusters: int
    n_items: int
    passing: float = 0.6
    by_cluster: float = 0.15
    easy: float = 0.95
    hard: float = 0.6
    unequal: bool = False

    @property
    def name(self) -> str:
        """Settings that tell it apart."""
        return f"{self.n_clusters} {'unequal ' * self.unequal}clusters of {self.n_items}"


LABELS = [
    LabelWorld(200, 0.85, 0.97, 0.95), LabelWorld(400, 0.95, 0.9, 0.9), LabelWorld(400, 0.9, 0.99, 0.97, 0.9),
    LabelWorld(50, 0.5, 0.9, 0.9), LabelWorld(400, 0.97, 0.99, 0.8), LabelWorld(100, 0.5, 0.995, 0.995),
    LabelWorld(30, 0.6, 0.8, 0.8), LabelWorld(200, 0.5, 0.7, 0.7, 0.8), LabelWorld(100, 0.85, 0.9, 0.9),
]  # fmt: skip
SCORES = [
    ScoreWorld(50, 0.5, 2.5), ScoreWorld(200, 0.8, 2.5), ScoreWorld(200, 0.9, 2.0), ScoreWorld(100, 0.8, 1.2,
    4), ScoreWorld(40, 0.5, 1.0), ScoreWorld(100, 0.5, 4.0), ScoreWorld(400, 0.95, 1.5), ScoreWorld(60, 0.8,
    1.5, 5),
]  # fmt: skip
PAIRS = [
    PairWorld(3, 20), PairWorld(5, 10), PairWorld(5, 10, 0.95, 0.03), PairWorld(10, 20), PairWorld(30, 5),
    PairWorld(40, 1, by_document=0.0), PairWorld(40, 10, 0.65, 0.2),
]  # fmt: skip
CLUSTERS = [
    ClusterWorld(10, 20), ClusterWorld(20, 10), ClusterWorld(20, 10, unequal=True), ClusterWorld(40, 5),
    ClusterWorld(12, 20, 0.8), ClusterWorld(20, 20, easy=0.8, hard=0.8), ClusterWorld(40, 10, 0.9, 0.08),
    ClusterWorld(30, 10, easy=0.99, hard=0.9), ClusterWorld(100, 4, unequal=True),
]  # fmt: skip
MIN_PER_CLASS = 5


def label_studies(world: LabelWorld, n: int, seed: int) -> np.ndarray:
    """Labels (n, 3, n_items) of people and both judges; studies with five of each kind alone."""
    rng = np.random.default_rng([seed, world.n_items])
    people = rng.random((4 * n, world.n_items)) < world.passing
    few = np.minimum(people.sum(axis=1), (~people).sum(axis=1)) < MIN_PER_CLASS
    people = people[~few][:n]
    rate = np.where(people, world.tpr, world.tnr)
    luck = rng.random((3, *people.shape))
    alike = rng.random(people.shape) < 0.5  # items on which both judges have the same luck
    first, second = luck[0] < rate, np.where(alike, luck[0], luck[1]) < rate * world.times
    return (
        np.stack([people, np.where(first, people, ~people), np.where(second, people, ~people)], axis=1) * 1.0
    )


def label_truth(world: LabelWorld, times: float = 1.0) -> dict[str, float]:
    """Kappa, area and accuracy of a judge."""
    tpr, tnr, passing = world.tpr * times, world.tnr * times, world.passing
    right, passes = passing * tpr + (1 - passing) * tnr, passing * tpr + (1 - passing) * (1 - tnr)
    chance = passing * passes + (1 - passing) * (1 - passes)
    return {"kappa": (right - chance) / (1 - chance), "auc": (tpr + tnr) / 2, "accuracy": right}


def score_studies(world: ScoreWorld, n: int, seed: int) -> np.ndarray:
    """Labels of people and scores of both judges, (n, 3, n_items)."""
    rng = np.random.default_rng([seed, world.n_items])
    n_passing = max(MIN_PER_CLASS, round(world.n_items * world.passing))
    people = np.broadcast_to(np.arange(world.n_items) < n_passing, (n, world.n_items)) * 1.0
    common, *own = rng.standard_normal((3, *people.shape))
    scores = np.stack([world.distance * people + (common + one) / np.sqrt(2) for one in own], axis=1)
    if world.n_grades:
        shares = np.arange(1, world.n_grades) / world.n_grades
        scores = (
            np.digitize(scores, np.quantile(rng.standard_normal(10**6), shares) + world.distance / 2) * 1.0
        )
    return np.concatenate([people[:, None], scores], axis=1)


def score_truth(world: ScoreWorld) -> float:
    """Area under the curve, from a million pairs."""
    many = score_studies(ScoreWorld(2_000, 0.5, world.distance, world.n_grades), 500, 1)
    passing, failing = (many[:, 1][many[:, 0] == kind] for kind in (1, 0))
    return float(((passing > failing) + (passing == failing) / 2).mean())


def pair_studies(world: PairWorld, n: int, seed: int) -> np.ndarray:
    """Whether each judge is right, (n, 2, n_documents, n_pairs) of 0 and 1."""
    rng = np.random.default_rng([seed, world.n_documents])
    shares = world.right + world.by_document * rng.standard_normal((n, 2, world.n_documents, 1))
    shape = (n, 2, world.n_documents, world.n_pairs)
    right = rng.random(shape) < np.clip(shares, 0, 1)
    # the better output is shown first or second with probability 1/2, to both judges alike
    is_first = rng.random((n, 1, *shape[2:])) < 0.5
    return np.where(rng.random(shape) < world.position, is_first, right) * 1.0


def cluster_studies(
    world: ClusterWorld, n: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield studies with five items of each kind: each item's cluster (n_items,), and labels and scores
    (3, n_items) of people and both judges.

    People's scores are of 5 grades; a judge's err by cluster, much where it is hard (both judges share
    half), and by noise.
    """
    rng = np.random.default_rng([seed, world.n_clusters, world.n_items])
    while n:
        sizes = np.full(world.n_clusters, world.n_items)
        if world.unequal:
            sizes = rng.integers(1, 2 * world.n_items, size=world.n_clusters)
        of = np.repeat(np.arange(world.n_clusters), sizes)
        hard = rng.random(world.n_clusters) < 0.5
        passing = np.clip(world.passing + world.by_cluster * rng.standard_normal(world.n_clusters), 0, 1)
        people = rng.random(len(of)) < passing[of]
        luck = rng.random((2, len(of)))
        luck[1] = np.where(rng.random(len(of)) < 0.5, luck[0], luck[1])
        right = luck < np.where(hard, world.hard, world.easy)[of]
        quality = rng.standard_normal(world.n_clusters)[of] / 2 + rng.standard_normal(len(of))
        grades = np.clip(np.rint(quality + 3 + 0.5 * rng.standard_normal(len(of))), 1, 5)
        common, *own = rng.standard_normal((3, world.n_clusters))
        turn = np.stack([(common + one) / np.sqrt(2) for one in own]) * np.where(hard, 1.0, 0.2)
        scores = quality + turn[:, of] + 0.5 * rng.standard_normal((2, len(of)))
        if min(people.sum(), (~people).sum()) >= MIN_PER_CLASS:
            n -= 1
            yield of, np.stack([people, *(people == right)]) * 1.0, np.stack([grades, *scores])
