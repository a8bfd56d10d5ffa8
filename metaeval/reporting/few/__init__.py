"""A report where there is no ranking: labels of one system, two systems, or choices of pairs."""
