"""Notebooks executed with parameters: one, many, all of them small, all of them with another seed."""

from helpers.errors import need_extras

need_extras("papermill")
