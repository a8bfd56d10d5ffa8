"""One module per notebook, by the notebook's name: benchmarks in, tidy tables out. Draws nothing."""
