"""Live blocks of the notebooks: controls that recompute through the engine and redraw in place."""
