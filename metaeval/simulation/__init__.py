"""Simulated benchmarks with known true values, independent of released files."""
