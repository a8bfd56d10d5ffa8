"""The machine that runs the notebooks and publishes the book; nobody imports it."""
