"""own.tools: which tool wrote a table, by its columns and cells; its own names are then taken."""

from metaeval.own.tools.layouts import read_weights
from metaeval.own.tools.signatures import Recognised, recognise, recognise_all, signatures

__all__ = ["Recognised", "read_weights", "recognise", "recognise_all", "signatures"]
