"""Released files and a reader's own: into a Benchmark, units, votes or stories. Knows no simulation."""
