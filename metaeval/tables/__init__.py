"""Data with names, and how they are shown: benchmarks, texts, pairs, labels, wording, columns."""
