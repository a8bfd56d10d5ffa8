"""What library and experiments share: tables of correlations, tests and intervals over a Benchmark."""
