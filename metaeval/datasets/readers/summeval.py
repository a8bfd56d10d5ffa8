"""readers.summeval: SummEval's systems and judgments, whichever release has them (Fabbri et al. 2021)."""

from __future__ import annotations

GOLD = "relevance"
DIMENSIONS = ("relevance", "coherence", "consistency", "fluency")  # the papers' gold standard first

CROWD = " (turkers)"  # after a dimension: the crowd's mean in place of the experts'

# Fabbri et al. 2021 list them as extractive models, in the section on model outputs:
# M0 LEAD-3, M1 NEUSUM, M2 BanditSum, M5 RNES (M3, M4, M6 and M7 have no judgments).
EXTRACTIVE = frozenset({"M0", "M1", "M2", "M5"})
# And as abstractive models: pointer-generator, Fast-abs-rl, Bottom-Up, Improve-abs, Unified-
# ext-abs, ROUGESal, Multi-task, Closed book decoder, T5, GPT-2, BART, Pegasus.
ABSTRACTIVE = frozenset({"M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"})


def system(upstream: str) -> tuple[str, str]:
    """A system's id, which all releases share, and its type."""
    if upstream in EXTRACTIVE:
        return upstream, "ext"
    return upstream, "abs" if upstream in ABSTRACTIVE else "unknown"
