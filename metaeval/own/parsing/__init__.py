"""own.parsing: the tables that a file, a folder, an archive or a data frame holds, whatever the format."""

from metaeval.own.parsing.files import parse
from metaeval.own.parsing.table import Table

__all__ = ["Table", "parse"]
