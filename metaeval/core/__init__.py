"""Foundations of every other package: errors, folders, limits, the mode of a run, workers."""
