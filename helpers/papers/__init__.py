"""What the papers say, what the last real run found, and how the two compare."""
