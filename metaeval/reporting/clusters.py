"""reporting.clusters: items that hang together, such as turns of a conversation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval.reporting.reading import Reading
from metaeval.stats.clusters import MIN_CLUSTERS, correlation_influence, design_effect
from metaeval.tables.wording import counted


def cluster_lines(
    judges: Mapping[str, np.ndarray], people: np.ndarray, clusters: np.ndarray, *, is_share: bool = True
) -> list[str]:
    """Line on the design effect of each judge's agreement with people; none where items are independent.

    Parameters
    ----------
    judges : mapping, judge -> float array (n_items,)
    people : float array (n_items,)
    clusters : int array (n_items,)
    is_share : bool
        True where agreement is a share of items or a difference, which few clusters suffice for.

    Notes
    -----
    Agreement is equality where a judge gives people's labels, else the correlation.
    """
    n, n_clusters = len(clusters), int(clusters.max(initial=0)) + 1
    if n_clusters == n:
        return []
    together = f"{n:,} items hang together in {counted(n_clusters, 'cluster')}"
    if n_clusters < MIN_CLUSTERS and not is_share:
        return [f"{together}, which say too little of others: an interval takes {MIN_CLUSTERS}."]
    effects = {}
    for name, scores in judges.items():
        both = ~np.isnan(scores) & ~np.isnan(people)
        alike = np.where(both, scores == people, np.nan)
        same = both.any() and np.isin(scores[both], people[both]).all()
        influence = alike - np.nanmean(alike) if same else correlation_influence(scores, people)
        effects[name] = design_effect(influence, clusters)
    worth = [f"{name} {effect:.1f} ({n / effect:,.0f} items)" for name, effect in effects.items()]
    return [
        f"{together}, which are drawn as a whole; design effect of the agreement, and independent items that "
        f"say as much: {', '.join(worth)}."
    ]


def unused_clusters(reading: Reading) -> list[str]:
    """Line on clusters of documents in a ranking, which draws documents one by one; mostly none."""
    if len({*reading.clusters.values()}) == len(reading.clusters):
        return []
    return [
        "Clusters are not used: a ranking draws documents one by one, so where documents of one cluster err "
        "together its intervals are too short."
    ]
