"""Simulated benchmarks whose true correlations are known, and likenesses of the released ones."""
