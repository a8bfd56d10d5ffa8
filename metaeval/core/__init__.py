"""What every room stands on: errors, folders, limits, the mode of a run, workers."""
