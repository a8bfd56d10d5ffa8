"""From executed notebooks to the published site."""
