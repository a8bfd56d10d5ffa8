"""From executed notebooks to the published site."""

from helpers.errors import need_extras

need_extras("sphinx")
