"""A reader's own metric: scores from a file, matched with people's, beside established metrics."""
