"""Notebooks executed with parameters: one, many, all of them small, all of them with another seed."""

import sys

from helpers.errors import need_extras

need_extras("papermill")
# What checks schemas of notebooks would import it for internationalised addresses, which no notebook has; it
# makes 38 grammars when it is imported, over a second of every command.
sys.modules.setdefault("rfc3987_syntax", None)
