"""own.tools: which tool wrote a table, by its columns and cells; its own names are then taken."""

from metaeval.own.tools.layouts import MQM_WEIGHTS
from metaeval.own.tools.signatures import Recognised, recognise, recognise_all, signatures

__all__ = ["MQM_WEIGHTS", "Recognised", "recognise", "recognise_all", "signatures"]
