"""Notebooks executed with parameters: one, many, all of them small, all of them with another seed."""
