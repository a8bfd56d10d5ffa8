"""What a cell of a notebook shows: figures, tables, numbers for the prose, verdicts."""
