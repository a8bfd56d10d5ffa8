"""Commands on a user's own files: what was read, what it can answer, and the answers."""
