"""A user's own files, whatever their format and shape, as one tidy table."""
