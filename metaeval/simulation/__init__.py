"""Benchmarks with a known truth. Knows nothing of released files."""
