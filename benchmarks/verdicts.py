"""Measure the intervals behind the answers on simulated studies: ``make bench-verdicts`` writes
data/recorded/bench_verdicts.csv.

The worlds are those of `benchmarks.verdict_worlds`, fixed before the methods were tuned, and the seed is none
that was used while tuning. A row holds the truth of one quantity, the share of studies whose interval covers
it, lies above it and below it, and whose interval lies above -0.1 ("yes") or below ("no").
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, norm

from benchmarks.verdict_worlds import (
    CLUSTERS,
    JUDGES,
    LABELS,
    PAIRS,
    SCORES,
    WORLDS,
    ClusterWorld,
    World,
    cluster_studies,
    label_studies,
    label_truth,
    pair_studies,
    score_studies,
    score_truth,
    studies,
    truth,
)
from metaeval.core.paths import DATA
from metaeval.reporting.paired_labels import ratio_ends, share_ends
from metaeval.stats.agreement import agreement
from metaeval.stats.clusters import cluster_ends, group_items
from metaeval.stats.correlation import correlate
from metaeval.stats.detection import (
    auc,
    auc_interval,
    label_interval,
)
from metaeval.stats.judges import Estimate, judge_correlation, judge_minus_rater
from metaeval.stats.reliability import mean_of
from metaeval.stats.resampling import bootstrap_distribution

SEED = 20_263  # of the measurement; 1001 to 1004 were used while tuning, 20,261 and 20,262 looked at
MARGIN = 0.1
PLANNED = (("normal 16x30x3", "equal"), ("skewed 16x20x3", "perfect"), ("normal 16x100x3", "equal"))
N_DRAWS = 199
PASSED = 4  # grade from which a summary of a world with clusters passes
N_SEEDED = 20  # pilots that are asked with five seeds


def rows(world: World, level: str, coefficient: str, n_studies: int) -> Iterator[dict[str, object]]:
    """Yield a row for each quantity."""
    settings = {"level": level, "coefficient": coefficient}
    n_truth = 600 if level == "summary" else min(20_000, truth_size(world))
    expected = truth(world, coefficient, level, max(n_studies, n_truth), SEED + 1)
    minus, alone, apart = [], [], []
    number = 0
    for chunk in studies(world, n_studies, SEED):
        for judges, ratings in zip(*chunk, strict=True):
            number += 1
            draws = {**settings, "n_resamples": N_DRAWS, "rng": number}
            beside = judge_minus_rater(judges, ratings, **draws)
            minus.append(beside.difference)
            alone.append(beside.judge)
            people = mean_of(ratings)
            apart.append(judge_correlation(judges[[0, 0]], people, minus=judges[[1, 3]], **draws))
    quantities = {
        "judge minus rater": (minus, JUDGES, expected["minus rater"]),
        "judge": (alone, JUDGES, expected["with others"]),
        "judge minus judge": (
            apart, ("twin", "perfect"), [expected["border minus twin"], expected["border minus perfect"]]
        ),
    }  # fmt: skip
    for quantity, (estimates, names, values) in quantities.items():
        ends = stack(estimates).ends()
        low, high = (end.reshape(n_studies, -1) for end in (ends.low, ends.high))
        for k, (name, value) in enumerate(zip(names, values, strict=True)):
            yield {
                "world": world.name, "level": level, "coefficient": coefficient,
                "quantity": quantity, "judge": name,
                "truth": value, "coverage": np.mean((low[:, k] <= value) & (value <= high[:, k])),
                "above": np.mean(low[:, k] > value), "below": np.mean(high[:, k] < value),
                "yes": np.mean(low[:, k] > -MARGIN), "no": np.mean(high[:, k] < -MARGIN),
                "n_studies": n_studies,
            }  # fmt: skip


def plan_rows(n_pilots: int, n_studies: int) -> Iterator[dict[str, object]]:
    """Yield a row for each world of `PLANNED`: the systems that decide, and how near a pilot's number comes.

    The number that decides leaves the margin out in 80 % of new studies, on the line through the shares of
    studies of 16, 24, 32 and 48 systems (probit, by the root of the number). A pilot is asked for as far a
    threshold from its value as the margin is from the truth.
    """
    for name, judge in PLANNED:
        world, place = WORLDS[name], JUDGES.index(judge)
        expected = truth(world, "kendall", "system", 1_000, SEED + 1)["minus rater"][place]
        sizes, shares = (16, 24, 32, 48), []
        for n_systems in sizes:
            ends = stack([
                judge_minus_rater(judges[[place]], ratings, n_resamples=N_DRAWS, rng=number).difference
                for number, (judges, ratings) in enumerate(
                    study for chunk in studies(replace(world, n_systems=n_systems), n_studies, SEED)
                    for study in zip(*chunk, strict=True)
                )
            ]).ends()  # fmt: skip
            shares.append(np.mean(ends.low > -MARGIN))
        probits = norm.ppf(np.clip(shares, 0.5 / n_studies, 1 - 0.5 / n_studies))
        slope, start = np.polyfit(np.sqrt(sizes), probits, 1)
        decisive = ((norm.ppf(0.8) - start) / slope) ** 2
        numbers = []
        for chunk in studies(world, n_pilots, SEED + 2):
            for judges, ratings in zip(*chunk, strict=True):
                seeds = range(5 if len(numbers) < N_SEEDED else 1)
                pilots = [judge_minus_rater(judges[[place]], ratings, rng=k).difference for k in seeds]
                numbers.append([
                    pilot.needed_systems(pilot.value - (expected + MARGIN))[0][0] for pilot in pilots
                ])  # fmt: skip
        first = np.array([each[0] for each in numbers])
        yield {
            "world": name, "judge": judge, "n_systems": decisive, "median": np.median(first),
            "share_within_twice": np.mean((first >= decisive / 2) & (first <= 2 * decisive)),
            "largest_by_seed": max(max(each) / min(each) for each in numbers), "n_pilots": n_pilots,
        }  # fmt: skip


def gate_rows(n_studies: int) -> Iterator[dict[str, object]]:
    """Yield a row for each measure of labels, scores and choices, of one judge and of two."""
    for world in LABELS:
        studies_ = label_studies(world, n_studies, SEED)
        own, other = label_truth(world), label_truth(world, world.times)
        for measure, value in own.items():
            options = {"measure": measure, "n_resamples": 999}
            one = [label_interval(j, p, rng=k, **options)[:2] for k, (p, j, _) in enumerate(studies_)]
            apart = [
                label_interval(i, p, minus=j, rng=k, **options)[:2] for k, (p, i, j) in enumerate(studies_)
            ]
            yield gate_row(world, measure, value, one)
            yield gate_row(world, f"{measure}, difference", value - other[measure], apart)
    for world in SCORES:
        studies_, value = score_studies(world, n_studies, SEED), score_truth(world)
        yield gate_row(world, "auc of scores", value, [auc_interval(j, p) for p, j, _ in studies_])
        apart = [auc_interval(i, p, minus=j) for p, i, j in studies_]
        yield gate_row(world, "auc of scores, difference", 0.0, apart)
    for world in PAIRS:
        studies_ = pair_studies(world, n_studies, SEED).reshape(n_studies, 2, -1)
        of, ones = np.repeat(np.arange(world.n_documents), world.n_pairs), np.ones(studies_.shape[-1])
        many = pair_studies(replace(world, n_documents=1_000), 400, SEED + 1)
        one = [share_ends(right[0], ones, 0.95, of=of)[:2] for right in studies_]
        apart = [ratio_ends(right[0] - right[1], ones, 0.95, of=of)[:2] for right in studies_]
        yield gate_row(world, "accuracy of choices", many.mean(), one)
        yield gate_row(world, "accuracy of choices, difference", 0.0, apart)
    for world in CLUSTERS:
        yield from cluster_rows(world, max(n_studies // 4, 1))


def cluster_rows(world: ClusterWorld, n_studies: int) -> Iterator[dict[str, object]]:
    """Yield a row for each measure of items in clusters, of one judge and of two that are alike."""
    kind = {"level": "global", "coefficient": "kendall"}
    many = cluster_studies(replace(world, n_clusters=5_000), 20, SEED + 1)
    truths = [
        {
            "kappa": agreement(labels[:2], coefficient="cohen"), "accuracy": (labels[0] == labels[1]).mean(),
            "auc of scores": auc(scores[1], scores[0] >= PASSED),
            "tau of scores": kendalltau(scores[1], scores[0]).statistic,
        }
        for _, labels, scores in many
    ]  # fmt: skip
    truth = pd.DataFrame(truths).mean()
    ends: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for k, (of, (people, *judges), scores) in enumerate(cluster_studies(world, n_studies, SEED)):
        options, passed = {"clusters": of}, (scores[0] >= PASSED) * 1.0
        draws = {"n_resamples": N_DRAWS, "rng": k}
        right, ones = [judge == people for judge in judges], np.ones(len(of))
        planes = group_items(scores, of)
        drawn = bootstrap_distribution(planes[1:], planes[0], resample="inputs", **kind, **draws)
        value = correlate(planes[1:], planes[0], **kind).value
        own = *planes[1::-1], 0.95
        intervals = {
            "kappa": label_interval(judges[0], people, **options, **draws),
            "kappa, difference": label_interval(judges[0], people, minus=judges[1], **options, **draws),
            "accuracy": share_ends(right[0], ones, 0.95, of=of),
            "accuracy, difference": ratio_ends(right[0] * 1.0 - right[1], ones, 0.95, of=of),
            "auc of scores": auc_interval(scores[1], passed, **options),
            "auc of scores, difference": auc_interval(scores[1], passed, minus=scores[2], **options),
            "tau of scores": cluster_ends(value[0], drawn[0], *own),
            "tau of scores, difference": cluster_ends(
                value[0] - value[1], drawn[0] - drawn[1], *own, less=planes[2]
            ),
        }
        for quantity, interval in intervals.items():
            ends[quantity].append(interval[:2])
    for quantity, each in ends.items():
        yield gate_row(world, quantity, truth.get(quantity, 0.0), each)


def gate_row(world, quantity: str, value: float, ends) -> dict[str, object]:
    """Row of one quantity, from the intervals of all studies; one without an interval covers the truth."""
    low, high = np.nan_to_num(np.array(ends, dtype=float), nan=value).T
    return {
        "world": world.name, "quantity": quantity, "truth": value,
        "coverage": np.mean((low <= value) & (value <= high)), "above": np.mean(low > value),
        "below": np.mean(high < value), "n_studies": len(low),
    }  # fmt: skip


def truth_size(world: World) -> int:
    """Number of studies behind a truth, by their size."""
    return int(60e6 / (world.n_systems * world.n_documents * (world.n_raters + len(JUDGES))))


def stack(estimates: list[Estimate]) -> Estimate:
    """Join estimates, so that their ends are computed together."""
    joined = {}
    for each in fields(Estimate):
        parts = [getattr(one, each.name) for one in estimates]
        if isinstance(parts[0], dict):
            joined[each.name] = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        elif isinstance(parts[0], np.ndarray):
            joined[each.name] = np.concatenate(parts)
    return replace(estimates[0], **joined)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench_verdicts.csv")
    parser.add_argument(
        "--studies", type=int, default=2_000, help="of each world, by Kendall's tau over systems"
    )
    parser.add_argument(
        "--others", type=int, default=400, help="by other coefficients, half as many within documents"
    )
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS))
    parser.add_argument(
        "--gates",
        type=int,
        default=2_000,
        help="of labels, scores and choices, a fourth of items in clusters",
    )
    parser.add_argument("--gates-output", type=Path, default=DATA / "recorded" / "bench_verdict_gates.csv")
    parser.add_argument("--pilots", type=int, default=80, help="of plans")
    parser.add_argument("--plans-output", type=Path, default=DATA / "recorded" / "bench_verdict_plans.csv")
    arguments = parser.parse_args()
    if arguments.pilots:
        plans = pd.DataFrame(plan_rows(arguments.pilots, 250))
        plans.to_csv(arguments.plans_output, index=False, float_format="%.4f", lineterminator="\n")
    if arguments.gates:
        gates = pd.DataFrame(gate_rows(arguments.gates))
        gates.to_csv(arguments.gates_output, index=False, float_format="%.4f", lineterminator="\n")
    kinds = [("system", "kendall", arguments.studies)]
    kinds += [("system", coefficient, arguments.others) for coefficient in ("pearson", "spearman")]
    kinds += [("summary", "kendall", arguments.others // 2)]
    table = []
    for level, coefficient, n_studies in kinds:
        for name in arguments.worlds if n_studies else ():
            table += rows(WORLDS[name], level, coefficient, n_studies)
            frame = pd.DataFrame(table)
            frame.to_csv(arguments.output, index=False, float_format="%.4f", lineterminator="\n")
            print(frame.tail(12).iloc[0].to_dict(), flush=True)


if __name__ == "__main__":
    main()
