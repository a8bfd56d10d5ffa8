"""reporting.clusters: items that hang together, such as turns of a conversation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval.reporting.paired_labels import is_binary
from metaeval.reporting.reading import Reading
from metaeval.stats.clusters import MIN_CLUSTERS, correlation_influence, design_effect
from metaeval.tables.wording import counted, joined


def cluster_lines(
    judges: Mapping[str, np.ndarray],
    people: np.ndarray,
    clusters: np.ndarray,
    *,
    is_share: bool = True,
    units: str = "item",
) -> list[str]:
    """Lines on the design effect of each judge's agreement with people; none where items are independent.

    Parameters
    ----------
    judges : mapping, judge -> float array (n_items,)
    people : float array (n_items,)
    clusters : int array (n_items,)
    is_share : bool
        True where agreement is a share of items or a difference, which few clusters suffice for.
    units : str
        Name of an item.

    Notes
    -----
    Of the items that a judge and people both labelled, a line for all judges with as many of them. Agreement
    is equality where it is a share, or a judge gives people's labels or both pass or fail, else the
    correlation.
    """
    if int(clusters.max(initial=0)) + 1 == len(clusters):
        return []
    worth = {}
    for name, scores in judges.items():
        both = ~np.isnan(scores) & ~np.isnan(people)
        own, gold, of = scores[both], people[both], clusters[both]
        n, n_clusters = len(of), len(np.unique(of))
        if n_clusters == n:
            continue
        alike = (own == gold) * 1.0
        same = is_share or is_binary(np.r_[own, gold]) or np.isin(own, gold).all()
        effect = design_effect(alike - alike.mean() if same else correlation_influence(own, gold), of)
        worth.setdefault((n, n_clusters), {})[name] = f"{effect:.1f} ({counted(round(n / effect), units)})"
    lines = []
    for (n, n_clusters), effects in worth.items():
        sizes = f"{counted(n, units)} hang together in {counted(n_clusters, 'cluster')}"
        if n_clusters < MIN_CLUSTERS and not is_share:
            lines.append(
                f"{sizes}, which say too little of others, and an interval takes {MIN_CLUSTERS}: "
                f"{joined([*effects])}."
            )
            continue
        parts = [f"{name} {effect}" for name, effect in effects.items()]
        lines.append(
            f"{sizes}, which are drawn as a whole; design effect of the agreement, and independent "
            f"{units}s that say as much: {', '.join(parts)}."
        )
    return lines


def unused_clusters(reading: Reading) -> list[str]:
    """Line on clusters of documents in a ranking, which draws documents one by one; mostly none."""
    if len({*reading.clusters.values()}) == len(reading.clusters):
        return []
    return [
        "Clusters are not used: a ranking draws documents one by one, so where documents of one cluster err "
        "together its intervals are too short."
    ]
