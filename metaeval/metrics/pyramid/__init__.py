"""Pyramid metrics: from content units and their presence in a summary to a score."""
